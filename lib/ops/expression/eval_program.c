/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translates an expression to the stages of a program.
 */
#include "ops/expression/eval_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "layout/layout.h"
#include "ops/expression/eval_builder.h"

/* ---- stages ---- */

mnp__operand mnp__program_root(const mnp__program *program, mnp__operand operand)
{
    while (operand < 0)
        operand = program->views[-1 - operand].of;
    return operand;
}

static mnp_status add_stage(const mnp__builder *b, int node, mnp__stage **stage_p)
{
    mnp__program *program = b->program;
    MNP_TRY(
        mnp__expression_grow(&program->stages, sizeof *program->stages, program->nstages, &program->stages_capacity));
    *stage_p = &program->stages[program->nstages++];
    **stage_p = (mnp__stage){.target = -1, .output = -1, .at = mnp__builder_node(b, node)->at - b->expression->text};
    return MNP_OK;
}

/* Find what a kernel needs that computes these nodes, for a stage; no kernel may be so large that compilers hang. */
static mnp_status find_need(const mnp__builder *b, int count, const int *nodes, mnp__need *need)
{
    mnp__expression_need(b->expression, count, nodes, need);
    if (need->operations > MNP__MOST_OPERATIONS)
        return mnp__expression_fail(b->expression, mnp__builder_node(b, nodes[0])->at,
                                    "this takes %d operations with indices at once; %d are possible", need->operations,
                                    MNP__MOST_OPERATIONS);
    return MNP_OK;
}

/* Add a loop that computes a node's values as an array, which is operand *operand_p. */
static mnp_status add_array(const mnp__builder *b, int number, mnp__operand *operand_p)
{
    const mnp__node *node = mnp__builder_node(b, number);
    bool input = node->kind == MNP__NODE_INPUT;
    int value = b->program->nvalues++;
    const mnp__target all = {
        .node = number, .value = value, .name = "", .type = node->type.dtype, .memory = node->type.dtype};
    mnp__stage *stage;
    mnp__need need;
    MNP_TRY(find_need(b, 1, &number, &need));
    MNP_TRY(mnp__builder_check_dims(b, &need, node->ndim));
    MNP_TRY(add_stage(b, number, &stage));
    MNP_TRY(mnp__builder_loop(b, &need, 1, &all, stage));
    bool two = node->kind == MNP__NODE_CALL && node->ufunc->noutputs == 2; /* the second one needs the call */
    if (!input && node->kind != MNP__NODE_NUMBER && !two)
        mnp__builder_node(b, number)->value = value;
    *operand_p = MNP__MAX_NAMES + value;
    return MNP_OK;
}

/* Find the operand of a node's array, which is computed if it is not there yet. */
static mnp_status get_array(const mnp__builder *b, int number, mnp__operand *operand_p)
{
    const mnp__node *node = mnp__builder_node(b, number);
    bool scalar = node->kind == MNP__NODE_INPUT && node->type.weak;
    if (!mnp__node_is_operand(node) || scalar)
        return add_array(b, number, operand_p);
    *operand_p = mnp__builder_operand(b, number);
    return MNP_OK;
}

/* ---- extents ---- */

static bool is_in(const mnp__spread *s, int node)
{
    for (int i = 0; i < s->count; i++) {
        if (s->nodes[i] == node)
            return true;
    }
    return false;
}

/* Whether the extents of a reduction's result broadcast to those of what it reduces, all of which `s` has. */
static bool follows(const mnp__builder *b, const mnp__spread *s, int number)
{
    const mnp__node *node = mnp__builder_node(b, number);
    if (node->kind != MNP__NODE_ARRAYS)
        return false;
    const mnp__array_call *call = &b->expression->calls[node->detail];
    const mnp__spread *from = b->spreads[node->detail];
    bool aligned = call->constants.axes.keepdims || (call->mask & (call->mask + 1)) == 0;
    if (!call->reduce || !from || !aligned)
        return false;
    for (int i = 0; i < from->count; i++) {
        if (!is_in(s, from->nodes[i]))
            return false;
    }
    return true;
}

/*
 * Find what the extents of values depend on.  A reduction's result that broadcasts to the reduced operand adds nothing
 * if that operand is there too: x - mean(x, axis=0) has the extents of x.
 */
static mnp__spread find_spread(const mnp__builder *b, const mnp__need *need)
{
    mnp__spread s = {.count = 0};
    for (int i = 0; i < need->count && i < MNP__MAX_NEEDED; i++) {
        if (mnp__builder_node(b, need->operands[i])->ndim > 0)
            s.nodes[s.count++] = need->operands[i];
    }
    for (int i = s.count - 1; i >= 0; i--) {
        if (follows(b, &s, s.nodes[i])) {
            memmove(&s.nodes[i], &s.nodes[i + 1], (size_t)(s.count - i - 1) * sizeof *s.nodes);
            s.count--;
        }
    }
    return s;
}

static bool same_spread(const mnp__spread *a, const mnp__spread *b)
{
    return a->count == b->count && memcmp(a->nodes, b->nodes, (size_t)a->count * sizeof *a->nodes) == 0;
}

/* ---- reductions ---- */

/* Whether the values of an expression can be reduced as they are computed, without an array of them. */
static bool is_mappable(const mnp__builder *b, const mnp__need *need)
{
    bool array = false;
    for (int i = 0; i < need->count && i < MNP__MAX_NEEDED; i++)
        array = array || !mnp__builder_node(b, need->operands[i])->type.weak;
    return array && need->count < MNP__MAX_REDUCTION_OPERANDS && !need->indices;
}

/*
 * Whether a call reduces values that need not be an array: those of an expression, read once, without a mask or a
 * number to start from.
 */
static bool maps(const mnp__builder *b, const mnp__array_call *call, const mnp__need *need)
{
    int argument = mnp__builder_node(b, call->node)->arguments[0];
    const mnp__node *node = mnp__builder_node(b, argument);
    return call->reduce && call->narrays == 1 && call->constants.initial.kind == 0 && !mnp__node_is_operand(node) &&
           is_mappable(b, need) && mnp__reduce_maps(b->ctx, call->reduce, call->type);
}

static mnp_status note_spread(const mnp__builder *b, int call, const mnp__need *need)
{
    mnp__spread *s;
    MNP_TRY(mnp__malloc(sizeof *s, &s));
    *s = find_spread(b, need);
    b->spreads[call] = s;
    return MNP_OK;
}

/* Add the call of a function of whole arrays. */
static mnp_status add_call(const mnp__builder *b, int number)
{
    mnp__node *node = mnp__builder_node(b, number);
    const mnp__array_call *call = &b->expression->calls[node->detail];
    mnp__operand inputs[MNP__MAX_ARGUMENTS];
    mnp__stage *stage;
    mnp__need need;
    MNP_TRY(find_need(b, 1, node->arguments, &need));
    MNP_TRY(note_spread(b, node->detail, &need));
    bool mapped = maps(b, call, &need);
    for (int a = 0; a < node->narguments && !mapped; a++)
        MNP_TRY(get_array(b, node->arguments[a], &inputs[a]));
    MNP_TRY(add_stage(b, number, &stage));
    MNP_TRY(mnp__calloc(1, sizeof *stage->call, &stage->call));
    *stage->call = *call;
    stage->noutputs = mnp__array_call_results(call);
    node->value = b->program->nvalues;
    for (int i = 0; i < stage->noutputs; i++)
        stage->outputs[i] = b->program->nvalues++;
    if (mapped)
        return mnp__builder_reduction(b, &need, call, stage);
    stage->ninputs = node->narguments;
    memcpy(stage->inputs, inputs, (size_t)node->narguments * sizeof *inputs);
    return MNP_OK;
}

/* ---- parts of arrays ---- */

static mnp_status add_view(const mnp__builder *b, mnp__operand of, const mnp__node *node, int *number_p)
{
    mnp__program *program = b->program;
    MNP_TRY(mnp__expression_grow(&program->views, sizeof *program->views, program->nviews, &program->views_capacity));
    *number_p = program->nviews++;
    program->views[*number_p] =
        (mnp__eval_view){.of = of, .at = node->at, .subscripts = b->expression->subscripts[node->detail]};
    return MNP_OK;
}

static mnp_status add_part(const mnp__builder *b, int number)
{
    mnp__node *node = mnp__builder_node(b, number);
    mnp__operand base;
    MNP_TRY(get_array(b, node->arguments[0], &base));
    return add_view(b, base, node, &mnp__builder_node(b, number)->value);
}

/* Add the loop that assigns to a part of an array. */
static mnp_status add_store(const mnp__builder *b, int number)
{
    mnp__node *node = mnp__builder_node(b, number);
    int value = b->program->nvalues++;
    mnp_dtype dtype = node->type.dtype;
    const mnp__target part = {
        .node = node->arguments[1], .value = value, .name = "part", .type = dtype, .memory = dtype};
    mnp__operand base;
    mnp__stage *stage;
    mnp__need need;
    MNP_TRY(get_array(b, node->arguments[0], &base));
    MNP_TRY(find_need(b, 1, &node->arguments[1], &need));
    MNP_TRY(mnp__builder_check_dims(b, &need, node->dim));
    MNP_TRY(add_stage(b, number, &stage));
    MNP_TRY(add_view(b, base, node, &stage->target));
    node->value = value;
    return mnp__builder_loop(b, &need, 1, &part, stage);
}

/* ---- outputs ---- */

static int ndim_of_outputs(const mnp__builder *b, const mnp__need *need, int count, const int *outputs)
{
    const mnp__request *r = b->request;
    int ndim = r->layout ? r->layout->ndim : 0;
    for (int i = 0; i < need->count && i < MNP__MAX_NEEDED; i++) {
        int more = mnp__builder_node(b, need->operands[i])->ndim;
        ndim = more > ndim ? more : ndim;
    }
    for (int i = 0; i < count; i++) {
        const mnp_array *given = *r->outputs_p[outputs[i]];
        ndim = given && given->layout->ndim > ndim ? given->layout->ndim : ndim;
    }
    return ndim;
}

/* Add a loop for these outputs. */
static mnp_status add_outputs(const mnp__builder *b, int count, const int *outputs)
{
    mnp__target targets[MNP__MAX_OPERANDS];
    int nodes[MNP__MAX_OPERANDS];
    mnp__stage *stage;
    mnp__need need;
    for (int i = 0; i < count; i++) {
        int o = outputs[i];
        b->program->results[o] = MNP__MAX_NAMES + b->program->nvalues;
        nodes[i] = b->expression->outputs[o];
        targets[i] = (mnp__target){.node = nodes[i],
                                   .value = b->program->nvalues++,
                                   .name = b->request->output_names[o],
                                   .type = b->expression->output_types[o],
                                   .memory = b->dtypes[o]};
    }
    MNP_TRY(find_need(b, count, nodes, &need));
    const int ndim = ndim_of_outputs(b, &need, count, outputs);
    for (int i = 0; i < count; i++)
        b->program->ndims[outputs[i]] = ndim;
    MNP_TRY(mnp__builder_check_dims(b, &need, ndim));
    MNP_TRY(add_stage(b, nodes[0], &stage));
    stage->last = true;
    return mnp__builder_loop(b, &need, count, targets, stage);
}

/* Whether a kernel can compute these outputs and one more. */
static bool has_room(const mnp__builder *b, int count, const int *outputs, int more)
{
    int nodes[MNP__MAX_OPERANDS];
    mnp__need need;
    for (int i = 0; i < count; i++)
        nodes[i] = b->expression->outputs[outputs[i]];
    nodes[count] = b->expression->outputs[more];
    mnp__expression_need(b->expression, count + 1, nodes, &need);
    return need.count + count + 1 <= MNP__MAX_OPERANDS;
}

/* Add loops for all outputs.  Outputs of equal extents share a loop; if all are element-wise, all extents are equal. */
static mnp_status add_all_outputs(const mnp__builder *b, bool all_equal)
{
    mnp__spread spreads[MNP__MAX_OPERANDS];
    bool done[MNP__MAX_OPERANDS];
    int noutputs = b->request->noutputs;
    for (int o = 0; o < noutputs; o++) {
        int number = b->expression->outputs[o];
        const mnp__node *node = mnp__builder_node(b, number);
        mnp__need need;
        MNP_TRY(find_need(b, 1, &number, &need));
        spreads[o] = all_equal ? (mnp__spread){.count = 0} : find_spread(b, &need);
        bool element = node->kind < MNP__NODE_ARRAYS;
        done[o] = node->value >= 0 && node->kind != MNP__NODE_VIEW && !(all_equal && element);
        if (done[o]) {
            b->program->results[o] = mnp__builder_operand(b, number);
            b->program->ndims[o] = node->ndim;
        }
    }
    for (int o = 0; o < noutputs; o++) {
        int group[MNP__MAX_OPERANDS], count = 0;
        for (int other = o; other < noutputs && !done[o]; other++) {
            if (!done[other] && same_spread(&spreads[other], &spreads[o]) &&
                (all_equal || has_room(b, count, group, other)))
                group[count++] = other;
        }
        for (int i = 0; i < count; i++)
            done[group[i]] = true;
        if (count > 0)
            MNP_TRY(add_outputs(b, count, group));
    }
    return MNP_OK;
}

/* ---- programs ---- */

/*
 * Mark the nodes that outputs depend on, those that are computed from indices, and in which phase each is: after how
 * many assignments to parts of arrays.  Returns whether all nodes are element-wise.
 */
static bool survey(const mnp__builder *b, int *phases_p)
{
    mnp__expression *e = b->expression;
    bool elementwise = true;
    for (int o = 0; o < e->noutputs; o++)
        b->wanted[e->outputs[o]] = true;
    for (int k = e->nnodes - 1; k >= 0; k--) {
        for (int a = 0; a < e->nodes[k].narguments && b->wanted[k]; a++)
            b->wanted[e->nodes[k].arguments[a]] = true;
    }
    for (int k = 0; k < e->nnodes; k++) {
        mnp__node *node = &e->nodes[k];
        bool array = node->kind >= MNP__NODE_ARRAYS;
        node->indexed = node->kind == MNP__NODE_INDEX;
        for (int a = 0; a < node->narguments; a++) {
            int argument = node->arguments[a];
            node->indexed = node->indexed || (!array && e->nodes[argument].indexed);
            b->phases[k] = b->phases[argument] > b->phases[k] ? b->phases[argument] : b->phases[k];
        }
        elementwise = elementwise && !(b->wanted[k] && array);
        if (b->wanted[k] && node->kind == MNP__NODE_STORE)
            b->phases[k] = ++*phases_p;
    }
    return elementwise;
}

/* Add the stages of a node that is an array, or becomes one. */
static mnp_status add_node(const mnp__builder *b, int k)
{
    mnp__node *node = mnp__builder_node(b, k);
    mnp__operand operand;
    switch (node->kind) {
    case MNP__NODE_ARRAYS:
        return add_call(b, k);
    case MNP__NODE_RESULT:
        node->value = mnp__builder_node(b, node->arguments[0])->value + node->part;
        return MNP_OK;
    case MNP__NODE_VIEW:
        return add_part(b, k);
    case MNP__NODE_STORE:
        return add_store(b, k);
    default:
        return b->stored[k] && node->value < 0 ? add_array(b, k, &operand) : MNP_OK;
    }
}

/*
 * Add the stages of all nodes that are arrays, phase after phase: an assignment, then all that needs it and no later
 * one; at last the outputs that the next assignment could change.
 */
static mnp_status add_nodes(const mnp__builder *b, int phases)
{
    mnp__expression *e = b->expression;
    for (int phase = 0; phase <= phases; phase++) {
        for (int k = 0; k < e->nnodes; k++) {
            if (b->wanted[k] && b->phases[k] == phase)
                MNP_TRY(add_node(b, k));
        }
        for (int o = 0; o < e->noutputs && phase < phases; o++) {
            mnp__operand operand;
            const mnp__node *node = mnp__builder_node(b, e->outputs[o]);
            if (b->phases[e->outputs[o]] == phase && !mnp__node_is_operand(node) && !node->type.weak && !node->indexed)
                MNP_TRY(add_array(b, e->outputs[o], &operand));
        }
    }
    return MNP_OK;
}

/* Find which stage uses each value last, and which output an array becomes that stages assign to. */
static mnp_status find_uses(const mnp__builder *b)
{
    mnp__program *program = b->program;
    MNP_TRY(mnp__calloc((size_t)program->nvalues, sizeof *program->last_uses, &program->last_uses));
    for (int s = 0; s < program->nstages; s++) {
        const mnp__stage *stage = &program->stages[s];
        for (int i = 0; i < stage->ninputs + (stage->target >= 0); i++) {
            mnp__operand root = mnp__program_root(program, i < stage->ninputs ? stage->inputs[i] : -1 - stage->target);
            if (root >= MNP__MAX_NAMES)
                program->last_uses[root - MNP__MAX_NAMES] = s;
        }
        for (int i = 0; i < stage->noutputs; i++)
            program->last_uses[stage->outputs[i]] = s; /* unless it is used later */
    }
    for (int o = 0; o < program->noutputs; o++)
        program->last_uses[program->results[o] - MNP__MAX_NAMES] = program->nstages;
    for (int s = program->nstages - 1; s >= 0; s--) {
        mnp__stage *stage = &program->stages[s];
        if (stage->target < 0)
            continue;
        for (int o = 0; o < program->noutputs; o++) {
            if (program->results[o] == MNP__MAX_NAMES + stage->outputs[0] && *b->request->outputs_p[o])
                stage->output = o;
        }
        for (int later = s + 1; later < program->nstages && stage->output < 0; later++) {
            const mnp__stage *next = &program->stages[later];
            if (next->target >= 0 &&
                mnp__program_root(program, -1 - next->target) == MNP__MAX_NAMES + stage->outputs[0])
                stage->output = next->output;
        }
    }
    return MNP_OK;
}

static mnp_status build(mnp__builder *b)
{
    size_t nodes = (size_t)b->expression->nnodes;
    int phases = 0;
    MNP_TRY(mnp__calloc(nodes, sizeof *b->wanted, &b->wanted));
    MNP_TRY(mnp__calloc(nodes, sizeof *b->stored, &b->stored));
    MNP_TRY(mnp__calloc(nodes, sizeof *b->phases, &b->phases));
    MNP_TRY(mnp__calloc((size_t)b->expression->ncalls, sizeof *b->spreads, &b->spreads));
    bool elementwise = survey(b, &phases);
    MNP_TRY(mnp__program_divide(b->expression, b->wanted, b->stored));
    MNP_TRY(add_nodes(b, phases));
    MNP_TRY(add_all_outputs(b, elementwise));
    return find_uses(b);
}

mnp_status mnp__program_new(mnp_ctx *ctx, const mnp__request *request, mnp__expression *expression,
                            const mnp_dtype *dtypes, mnp__program **program_p)
{
    mnp__builder b = {.ctx = ctx, .request = request, .expression = expression, .dtypes = dtypes};
    MNP_TRY(mnp__calloc(1, sizeof *b.program, &b.program));
    b.program->text = expression->text;
    b.program->noutputs = request->noutputs;
    memcpy(b.program->dtypes, dtypes, (size_t)request->noutputs * sizeof *dtypes);
    mnp_status st = build(&b);
    for (int c = 0; c < expression->ncalls && b.spreads; c++)
        free(b.spreads[c]);
    free(b.wanted);
    free(b.stored);
    free(b.phases);
    free(b.spreads);
    if (st == MNP_OK)
        *program_p = b.program;
    else
        mnp__program_free(b.program);
    return st;
}

void mnp__program_free(mnp__program *program)
{
    if (!program)
        return;
    for (int s = 0; s < program->nstages; s++) {
        mnp__loop_free(program->stages[s].loop);
        mnp__reduction_free(program->stages[s].reduction);
        free(program->stages[s].call);
    }
    free(program->stages);
    free(program->views);
    free(program->last_uses);
    free(program);
}
