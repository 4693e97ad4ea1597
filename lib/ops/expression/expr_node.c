/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of an expression's nodes, what a kernel needs to compute some of them, and the ufuncs of operators.
 */
#include "ops/expression/expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

mnp_status mnp__expression_add(mnp__expression *expression, const mnp__node *node, int *number_p)
{
    if (expression->nnodes == expression->nodes_capacity) {
        int capacity = expression->nodes_capacity ? 2 * expression->nodes_capacity : 64;
        mnp__node *nodes = realloc(expression->nodes, (size_t)capacity * sizeof *nodes);
        if (!nodes)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for an expression of %d parts", capacity);
        expression->nodes = nodes;
        expression->nodes_capacity = capacity;
    }
    expression->nodes[expression->nnodes] = *node;
    *number_p = expression->nnodes++;
    return MNP_OK;
}

/* Nodes are visited from the last to the first; results of reductions are inputs. */
void mnp__expression_need(mnp__expression *expression, int count, const int *nodes, mnp__need *need)
{
    memset(need, 0, sizeof *need);
    for (int k = 0; k < expression->nnodes; k++)
        expression->nodes[k].live = false;
    for (int i = 0; i < count; i++)
        expression->nodes[nodes[i]].live = true;
    for (int k = expression->nnodes - 1; k >= 0; k--) {
        const mnp__node *node = &expression->nodes[k];
        if (!node->live)
            continue;
        for (int a = 0; a < node->narguments && node->kind != MNP__NODE_REDUCE; a++)
            expression->nodes[node->arguments[a]].live = true;
        if (node->kind == MNP__NODE_INPUT)
            need->inputs[node->input] = true;
        if (node->kind == MNP__NODE_REDUCE)
            need->reductions[node->reduction] = true;
        if (node->kind == MNP__NODE_INDEX) {
            need->indices = true;
            if (node->dim + 1 > need->dims) {
                need->dims = node->dim + 1;
                need->dims_at = node->at;
            }
        }
    }
}

const char *mnp__operator_ufunc(mnp__operator op)
{
    static const char *const names[MNP__NUM_OPERATORS] = {
        [MNP__OP_ADD] = "add",
        [MNP__OP_SUBTRACT] = "subtract",
        [MNP__OP_MULTIPLY] = "multiply",
        [MNP__OP_DIVIDE] = "divide",
        [MNP__OP_FLOOR_DIVIDE] = "floor_divide",
        [MNP__OP_REMAINDER] = "remainder",
        [MNP__OP_POWER] = "power",
        [MNP__OP_LEFT_SHIFT] = "left_shift",
        [MNP__OP_RIGHT_SHIFT] = "right_shift",
        [MNP__OP_AND] = "bitwise_and",
        [MNP__OP_XOR] = "bitwise_xor",
        [MNP__OP_OR] = "bitwise_or",
        [MNP__OP_LESS] = "less",
        [MNP__OP_LESS_EQUAL] = "less_equal",
        [MNP__OP_GREATER] = "greater",
        [MNP__OP_GREATER_EQUAL] = "greater_equal",
        [MNP__OP_EQUAL] = "equal",
        [MNP__OP_NOT_EQUAL] = "not_equal",
        [MNP__OP_LOGICAL_AND] = "logical_and",
        [MNP__OP_LOGICAL_OR] = "logical_or",
        [MNP__OP_NEGATIVE] = "negative",
        [MNP__OP_POSITIVE] = "positive",
        [MNP__OP_INVERT] = "invert",
        [MNP__OP_NOT] = "logical_not",
    };
    return names[op];
}

void mnp__expression_free(mnp__expression *expression)
{
    free(expression->nodes);
    free(expression->variables);
    expression->nodes = NULL;
    expression->variables = NULL;
}
