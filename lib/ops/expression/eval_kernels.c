/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a program's stages: element-wise loops, and reductions of values as they are computed. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "ops/expression/eval_builder.h"

/* ---- operands ---- */

/* The operand that a node is, whose array is there. */
mnp__operand mnp__builder_operand(const mnp__builder *b, int number)
{
    const mnp__node *node = mnp__builder_node(b, number);
    if (node->kind == MNP__NODE_INPUT)
        return node->input;
    return node->kind == MNP__NODE_VIEW ? -1 - node->value : MNP__MAX_NAMES + node->value;
}

/* List the inputs of a stage, and in `names` one after another the names that they have in its text. */
static mnp_status list_inputs(const mnp__builder *b, const mnp__need *need, mnp__stage *stage,
                              mnp__loop_operand *operands, mnp__text *names)
{
    if (need->count > MNP__MAX_OPERANDS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d inputs that are used", b->request->function,
                        MNP__MAX_OPERANDS);
    for (int k = 0; k < need->count; k++) {
        const mnp__node *node = mnp__builder_node(b, need->operands[k]);
        if (node->kind == MNP__NODE_INPUT)
            mnp__text_add(names, "in_%s%c", b->request->input_names[node->input], '\0');
        else
            mnp__text_add(names, "in_%d%c", node->place, '\0');
        stage->inputs[k] = mnp__builder_operand(b, need->operands[k]);
        operands[k] = (mnp__loop_operand){.type = node->type.dtype, .memory = node->type.dtype};
    }
    stage->ninputs = need->count;
    return MNP_OK;
}

static void set_names(int count, mnp__loop_operand *operands, mnp__text *names)
{
    const char *name = mnp__text_string(names);
    for (int k = 0; k < count; k++, name += strlen(name) + 1)
        operands[k].name = name;
}

/* ---- loops ---- */

mnp_status mnp__builder_check_dims(const mnp__builder *b, const mnp__need *need, int ndim)
{
    if (need->dims <= ndim)
        return MNP_OK;
    return mnp__expression_fail(b->expression, need->dims_at, "there is no dimension %d: the result has %d",
                                need->dims - 1, ndim);
}

mnp_status mnp__builder_loop(const mnp__builder *b, const mnp__need *need, int count, const mnp__target *targets,
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

/* ---- reductions ---- */

/* Write the map, the function of the inputs that computes the values to be reduced. */
static void write_map(const mnp__builder *b, const mnp__stage *stage, const mnp__loop_operand *operands, int node,
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

mnp_status mnp__builder_reduction(const mnp__builder *b, const mnp__need *need, const mnp__array_call *call,
                                  mnp__stage *stage)
{
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    mnp__text names = MNP__TEXT_EMPTY, map = MNP__TEXT_EMPTY;
    const mnp__node *node = mnp__builder_node(b, call->node);
    mnp__reduction_spec spec = {.mapped = true, .finish = "", .mask = -1, .noutputs = 1, .operands = operands};
    char name[64];
    mnp_status st;
    MNP_TRY_OR(list_inputs(b, need, stage, operands, &names), st, done);
    MNP_TRY_OR(mnp__text_status(&names), st, done);
    set_names(stage->ninputs, operands, &names);
    operands[stage->ninputs] = (mnp__loop_operand){.name = "", .type = node->type.dtype, .memory = node->type.dtype};
    write_map(b, stage, operands, node->arguments[0], call->type, &map);
    MNP_TRY_OR(mnp__text_status(&map), st, done);
    mnp__reduce_describe(b->ctx, call->reduce, call->type, false, &spec);
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
