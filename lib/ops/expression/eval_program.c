/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translates an expression to the stages of a program.
 */
#include "ops/expression/eval_program.h"

#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"

/* The inputs and results of reductions, as bits, on which the extents of a value depend. */
typedef struct spread {
    uint64_t inputs, reductions;
} spread;

typedef struct builder {
    mnp_ctx *ctx;
    const mnp__request *request;
    mnp__expression *expression;
    const mnp_dtype *dtypes;
    mnp__program *program;
    spread spreads[MNP__MAX_REDUCTIONS]; /* of what is reduced */
} builder;

/* A node that a loop computes, and the value that it becomes. */
typedef struct target {
    int node, value;
    const char *name;
    mnp_dtype type, memory;
} target;

/* ---- operands ---- */

static const mnp__node *node_of(const builder *b, int reduction)
{
    return &b->expression->nodes[b->expression->reductions[reduction].node];
}

/* List the inputs of a stage, and in `names` one after another the names that they have in its text. */
static mnp_status list_inputs(const builder *b, const mnp__need *need, mnp__stage *stage, mnp__loop_operand *operands,
                              mnp__text *names)
{
    int count = 0;
    for (int i = 0; i < b->request->ninputs + b->expression->nreductions; i++) {
        int r = i - b->request->ninputs;
        if (r < 0 ? !need->inputs[i] : !need->reductions[r])
            continue;
        if (count == MNP__MAX_OPERANDS)
            return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d inputs that are used", b->request->function,
                            MNP__MAX_OPERANDS);
        mnp_dtype dtype = r < 0 ? b->request->inputs[i]->dtype : node_of(b, r)->type.dtype;
        if (r < 0)
            mnp__text_add(names, "in_%s%c", b->request->input_names[i], '\0');
        else
            mnp__text_add(names, "in_%d%c", r, '\0');
        stage->inputs[count] = r < 0 ? i : MNP__MAX_NAMES + r;
        operands[count++] = (mnp__loop_operand){.type = dtype, .memory = dtype};
    }
    stage->ninputs = count;
    return MNP_OK;
}

static void set_names(int count, mnp__loop_operand *operands, mnp__text *names)
{
    const char *name = mnp__text_string(names);
    for (int k = 0; k < count; k++, name += strlen(name) + 1)
        operands[k].name = name;
}

/* ---- loops ---- */

static mnp_status check_dims(const builder *b, const mnp__need *need, int ndim)
{
    if (need->dims <= ndim)
        return MNP_OK;
    return mnp__expression_fail(b->expression, need->dims_at, "there is no dimension %d: the result has %d",
                                need->dims - 1, ndim);
}

static mnp_status make_loop(const builder *b, const mnp__need *need, int count, const target *targets,
                            mnp__stage *stage)
{
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    mnp__text names = MNP__TEXT_EMPTY, body = MNP__TEXT_EMPTY;
    mnp_status st;
    mnp__expression_emit(b->expression, &body);
    MNP_TRY_OR(list_inputs(b, need, stage, operands, &names), st, done);
    int total = stage->ninputs + count;
    st = MNP_OK;
    if (total > MNP__MAX_OPERANDS)
        st = MNP_FAIL(MNP_ERR_ARG, "%s: there are %d inputs that are used and outputs; %d are possible",
                      b->request->function, total, MNP__MAX_OPERANDS);
    if (st != MNP_OK)
        goto done;
    for (int i = 0; i < count; i++) {
        mnp__text_add(&names, "out_%s%c", targets[i].name, '\0');
        mnp__text_add(&body, "out_%s = ", targets[i].name);
        mnp__expression_emit_value(b->expression, targets[i].node, targets[i].type, &body);
        mnp__text_add(&body, ";\n");
        operands[stage->ninputs + i] = (mnp__loop_operand){.type = targets[i].type, .memory = targets[i].memory};
        stage->outputs[i] = targets[i].value;
    }
    stage->noutputs = count;
    MNP_TRY_OR(mnp__text_status(&names), st, done);
    MNP_TRY_OR(mnp__text_status(&body), st, done);
    set_names(total, operands, &names);
    mnp__loop_spec spec = {.name = "eval",
                           .preamble = "",
                           .body = mnp__text_string(&body),
                           .operands = operands,
                           .indices = need->indices,
                           .ninputs = stage->ninputs,
                           .noutputs = count};
    st = mnp__loop_new(b->ctx, &spec, &stage->loop);
done:
    mnp__text_free(&names);
    mnp__text_free(&body);
    return st;
}

static mnp__stage *add_stage(const builder *b)
{
    return &b->program->stages[b->program->nstages++];
}

/* ---- extents ---- */

/*
 * Find what the extents of a node depend on.  A reduction's result that broadcasts to the reduced operand adds nothing
 * if that operand is there too: x - mean(x, axis=0) has the extents of x.
 */
static spread find_spread(const builder *b, const mnp__need *need)
{
    spread s = {0, 0};
    for (int i = 0; i < b->request->ninputs; i++)
        s.inputs |= (uint64_t)(need->inputs[i] && b->request->inputs[i]->layout->ndim > 0) << i;
    for (int r = 0; r < b->expression->nreductions; r++)
        s.reductions |= (uint64_t)(need->reductions[r] && node_of(b, r)->ndim > 0) << r;
    for (int r = b->expression->nreductions - 1; r >= 0; r--) {
        const mnp__reducing *reducing = &b->expression->reductions[r];
        const spread *from = &b->spreads[r];
        bool aligned = reducing->axes.keepdims || (reducing->mask & (reducing->mask + 1)) == 0;
        if (s.reductions >> r & 1 && aligned && !(from->inputs & ~s.inputs) && !(from->reductions & ~s.reductions))
            s.reductions &= ~(UINT64_C(1) << r);
    }
    return s;
}

/* ---- reductions ---- */

/* Whether the values of an expression can be reduced as they are computed, without an array of them. */
static bool is_mappable(const builder *b, const mnp__need *need)
{
    int count = 0;
    bool array = false;
    for (int i = 0; i < b->request->ninputs; i++) {
        count += need->inputs[i];
        array = array || (need->inputs[i] && !b->request->inputs[i]->weak);
    }
    for (int r = 0; r < b->expression->nreductions; r++) {
        count += need->reductions[r];
        array = array || need->reductions[r];
    }
    return array && count < MNP__MAX_REDUCTION_OPERANDS && !need->indices;
}

/* Write the map, the function of the inputs that computes the values to be reduced. */
static void write_map(const builder *b, const mnp__stage *stage, const mnp__loop_operand *operands, int node,
                      mnp_dtype type, mnp__text *text)
{
    mnp__text_add(text, "typedef %s mnp_value;\nstatic MNP_INLINE mnp_value mnp_map(", mnp__jit_type(type));
    for (int k = 0; k < stage->ninputs; k++)
        mnp__text_add(text, "%sconst mnp_type%d %s", k ? ", " : "", k, operands[k].name);
    mnp__text_add(text, ")\n{\n");
    mnp__expression_emit(b->expression, text);
    mnp__text_add(text, "return ");
    mnp__expression_emit_value(b->expression, node, type, text);
    mnp__text_add(text, ";\n}\n");
}

static mnp_status make_reduction(const builder *b, const mnp__need *need, const mnp__reducing *reducing,
                                 mnp__stage *stage)
{
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    mnp__text names = MNP__TEXT_EMPTY, map = MNP__TEXT_EMPTY;
    const mnp__node *node = &b->expression->nodes[reducing->node];
    mnp__reduction_spec spec = {.mapped = true, .finish = "", .mask = -1, .noutputs = 1, .operands = operands};
    char name[64];
    mnp_status st;
    MNP_TRY_OR(list_inputs(b, need, stage, operands, &names), st, done);
    MNP_TRY_OR(mnp__text_status(&names), st, done);
    set_names(stage->ninputs, operands, &names);
    operands[stage->ninputs] = (mnp__loop_operand){.name = "", .type = node->type.dtype, .memory = node->type.dtype};
    write_map(b, stage, operands, node->arguments[0], reducing->type, &map);
    MNP_TRY_OR(mnp__text_status(&map), st, done);
    mnp__reduce_describe(b->ctx, reducing->function, reducing->type, false, &spec);
    snprintf(name, sizeof name, "%s_of_expression", spec.name);
    spec.name = name;
    spec.preamble = mnp__text_string(&map);
    spec.ninputs = stage->ninputs;
    st = mnp__reduction_new(b->ctx, &spec, &stage->reduction);
done:
    mnp__text_free(&names);
    mnp__text_free(&map);
    return st;
}

/* Add a loop that computes an array of the values to be reduced, which is input *input_p of the next stage. */
static mnp_status add_array(builder *b, const mnp__need *need, int number, int *input_p)
{
    const mnp__node *node = &b->expression->nodes[number];
    int value = b->program->nvalues++;
    const target all = {
        .node = number, .value = value, .name = "", .type = node->type.dtype, .memory = node->type.dtype};
    *input_p = MNP__MAX_NAMES + value;
    MNP_TRY(check_dims(b, need, node->ndim));
    return make_loop(b, need, 1, &all, add_stage(b));
}

static mnp_status add_reduction(builder *b, int number)
{
    const mnp__reducing *reducing = &b->expression->reductions[number];
    int argument = b->expression->nodes[reducing->node].arguments[0], input = -1;
    const mnp__node *node = &b->expression->nodes[argument];
    mnp__need need;
    mnp__expression_need(b->expression, 1, &argument, &need);
    b->spreads[number] = find_spread(b, &need);
    bool mappable = is_mappable(b, &need);
    bool mapped = mappable && mnp__reduce_maps(b->ctx, reducing->function, reducing->type);
    if (node->kind == MNP__NODE_INPUT && mappable)
        input = node->input;
    else if (node->kind == MNP__NODE_REDUCE)
        input = MNP__MAX_NAMES + node->reduction;
    else if (!mapped)
        MNP_TRY(add_array(b, &need, argument, &input));
    mnp__stage *stage = add_stage(b);
    stage->function = reducing->function;
    stage->axes = reducing->axes;
    stage->mask = reducing->mask;
    stage->noutputs = 1;
    stage->outputs[0] = number;
    if (input < 0)
        return make_reduction(b, &need, reducing, stage);
    stage->ninputs = 1;
    stage->inputs[0] = input;
    return MNP_OK;
}

/* ---- outputs ---- */

static int ndim_of_outputs(const builder *b, const mnp__need *need, int count, const int *outputs)
{
    const mnp__request *r = b->request;
    int ndim = r->layout ? r->layout->ndim : 0;
    for (int i = 0; i < r->ninputs; i++) {
        int more = need->inputs[i] ? r->inputs[i]->layout->ndim : 0;
        ndim = more > ndim ? more : ndim;
    }
    for (int i = 0; i < b->expression->nreductions; i++) {
        int more = need->reductions[i] ? node_of(b, i)->ndim : 0;
        ndim = more > ndim ? more : ndim;
    }
    for (int i = 0; i < count; i++) {
        const mnp_array *given = *r->outputs_p[outputs[i]];
        ndim = given && given->layout->ndim > ndim ? given->layout->ndim : ndim;
    }
    return ndim;
}

/* Add a loop for these outputs. */
static mnp_status add_outputs(builder *b, int count, const int *outputs)
{
    target targets[MNP__MAX_OPERANDS];
    int nodes[MNP__MAX_OPERANDS];
    mnp__need need;
    for (int i = 0; i < count; i++) {
        int o = outputs[i];
        b->program->results[o] = b->program->nvalues;
        nodes[i] = b->expression->outputs[o];
        targets[i] = (target){.node = nodes[i],
                              .value = b->program->nvalues++,
                              .name = b->request->output_names[o],
                              .type = b->expression->output_types[o],
                              .memory = b->dtypes[o]};
    }
    mnp__expression_need(b->expression, count, nodes, &need);
    const int ndim = ndim_of_outputs(b, &need, count, outputs);
    for (int i = 0; i < count; i++)
        b->program->ndims[outputs[i]] = ndim;
    MNP_TRY(check_dims(b, &need, ndim));
    mnp__stage *stage = add_stage(b);
    stage->last = true;
    return make_loop(b, &need, count, targets, stage);
}

/* Add loops for all outputs.  Those of equal extents share a loop; without reductions all extents are equal. */
static mnp_status add_all_outputs(builder *b, bool reduces)
{
    spread spreads[MNP__MAX_OPERANDS];
    bool done[MNP__MAX_OPERANDS];
    int noutputs = b->request->noutputs;
    for (int o = 0; o < noutputs; o++) {
        const mnp__node *node = &b->expression->nodes[b->expression->outputs[o]];
        mnp__need need;
        mnp__expression_need(b->expression, 1, &b->expression->outputs[o], &need);
        spreads[o] = reduces ? find_spread(b, &need) : (spread){0, 0};
        done[o] = node->kind == MNP__NODE_REDUCE;
        if (done[o]) {
            b->program->results[o] = node->reduction;
            b->program->ndims[o] = node->ndim;
        }
    }
    for (int o = 0; o < noutputs; o++) {
        int group[MNP__MAX_OPERANDS], count = 0;
        for (int other = o; other < noutputs && !done[o]; other++) {
            if (!done[other] && spreads[other].inputs == spreads[o].inputs &&
                spreads[other].reductions == spreads[o].reductions)
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

/* Find the reductions that outputs depend on; return whether there are any. */
static bool find_reductions(const builder *b, bool *wanted)
{
    mnp__need need;
    bool any = false;
    mnp__expression_need(b->expression, b->expression->noutputs, b->expression->outputs, &need);
    memcpy(wanted, need.reductions, sizeof need.reductions);
    for (int r = b->expression->nreductions - 1; r >= 0; r--) {
        if (!wanted[r])
            continue;
        any = true;
        mnp__expression_need(b->expression, 1, node_of(b, r)->arguments, &need);
        for (int inner = 0; inner < r; inner++)
            wanted[inner] = wanted[inner] || need.reductions[inner];
    }
    return any;
}

mnp_status mnp__program_new(mnp_ctx *ctx, const mnp__request *request, mnp__expression *expression,
                            const mnp_dtype *dtypes, mnp__program **program_p)
{
    builder b = {.ctx = ctx, .request = request, .expression = expression, .dtypes = dtypes};
    bool wanted[MNP__MAX_REDUCTIONS];
    size_t most = 2 * (size_t)expression->nreductions + (size_t)request->noutputs;
    MNP_TRY(mnp__calloc(1, sizeof *b.program + most * sizeof *b.program->stages, &b.program));
    b.program->nvalues = expression->nreductions;
    b.program->noutputs = request->noutputs;
    memcpy(b.program->dtypes, dtypes, (size_t)request->noutputs * sizeof *dtypes);
    bool any = find_reductions(&b, wanted);
    mnp_status st = MNP_OK;
    for (int r = 0; r < expression->nreductions && st == MNP_OK; r++)
        st = wanted[r] ? add_reduction(&b, r) : MNP_OK;
    if (st == MNP_OK)
        st = add_all_outputs(&b, any);
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
    }
    free(program);
}
