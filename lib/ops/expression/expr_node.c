/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of an expression's nodes, what a kernel needs to compute some of them, and the C++ statements that it is
 * made of: one for each node that computes something, as in  const float t4 = mnp_sin(t3);
 *
 * Numbers, indices and what is read from arrays are written where they are used.  Repeated subexpressions are written
 * again, as compilers compute them once.
 */
#include "ops/expression/expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

mnp_status mnp__expression_grow(void *list_p, size_t size, int count, int *capacity_p)
{
    if (count < *capacity_p)
        return MNP_OK;
    int capacity = *capacity_p ? 2 * *capacity_p : 16;
    void *list = realloc(*(void **)list_p, (size_t)capacity * size);
    if (!list)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for an expression of %d parts", capacity);
    *(void **)list_p = list;
    *capacity_p = capacity;
    return MNP_OK;
}

mnp_status mnp__expression_add(mnp__expression *expression, const mnp__node *node, int *number_p)
{
    MNP_TRY(mnp__expression_grow(&expression->nodes, sizeof *expression->nodes, expression->nnodes,
                                 &expression->nodes_capacity));
    *number_p = expression->nnodes++;
    expression->nodes[*number_p] = *node;
    expression->nodes[*number_p].value = -1;
    return MNP_OK;
}

bool mnp__node_is_operand(const mnp__node *node)
{
    return node->kind == MNP__NODE_INPUT || node->kind >= MNP__NODE_ARRAYS || node->value >= 0;
}

static void add_operand(mnp__need *need, int number)
{
    if (need->count < MNP__MAX_NEEDED)
        need->operands[need->count] = number;
    need->count++;
}

/* Mark a node as live; returns whether it was not. */
static int mark(mnp__expression *expression, int number)
{
    bool first = !expression->nodes[number].live;
    expression->nodes[number].live = true;
    return first;
}

static void note_index(mnp__need *need, const mnp__node *node)
{
    need->indices = true;
    if (node->dim + 1 > need->dims) {
        need->dims = node->dim + 1;
        need->dims_at = node->at;
    }
}

/* Put the operands, which were found from the last to the first, in the order of the list. */
static void reverse(mnp__need *need)
{
    int count = need->count < MNP__MAX_NEEDED ? need->count : MNP__MAX_NEEDED;
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        int swapped = need->operands[i];
        need->operands[i] = need->operands[j];
        need->operands[j] = swapped;
    }
}

/* Nodes are visited from the last to the first, until all that were marked have been. */
void mnp__expression_need(mnp__expression *expression, int count, const int *nodes, mnp__need *need)
{
    int left = 0, k = -1;
    memset(need, 0, sizeof *need);
    for (int old = expression->first_live; old < expression->end_live; old++)
        expression->nodes[old].live = false;
    for (int i = 0; i < count; i++) {
        left += mark(expression, nodes[i]);
        k = nodes[i] > k ? nodes[i] : k;
    }
    expression->end_live = k + 1;
    for (; left > 0; k--) {
        const mnp__node *node = &expression->nodes[k];
        if (!node->live)
            continue;
        left--;
        if (mnp__node_is_operand(node)) {
            add_operand(need, k);
            continue;
        }
        need->operations++;
        for (int a = 0; a < node->narguments; a++)
            left += mark(expression, node->arguments[a]);
        if (node->kind == MNP__NODE_INDEX)
            note_index(need, node);
    }
    expression->first_live = k + 1;
    reverse(need);
    for (int place = 0, each = expression->first_live; each < expression->end_live; each++) {
        if (expression->nodes[each].live)
            expression->nodes[each].place = place++;
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

/* ---- C++ ---- */

/* Whether a node needs no statement. */
static bool is_leaf(const mnp__node *node)
{
    return node->kind == MNP__NODE_NUMBER || node->kind == MNP__NODE_INDEX || mnp__node_is_operand(node);
}

/* Write a leaf in its own type; a number is written in the type in which it is wanted. */
static void emit_leaf(const mnp__expression *expression, const mnp__node *node, mnp__text *body)
{
    if (node->kind == MNP__NODE_INPUT)
        mnp__text_add(body, "in_%s", expression->input_names[node->input]);
    else if (node->kind != MNP__NODE_INDEX) /* no name begins with a digit */
        mnp__text_add(body, "in_%d", node->place);
    else if (node->dim < 0)
        mnp__text_add(body, node->index == 'i' ? "mnp_i" : "mnp_n");
    else
        mnp__text_add(body, "%s[%d]", node->index == 'i' ? "mnp_index" : "mnp_shape", node->dim);
}

void mnp__expression_emit_value(const mnp__expression *expression, int number, mnp_dtype dtype, mnp__text *body)
{
    const mnp__node *node = &expression->nodes[number];
    bool converts = node->type.dtype != dtype;
    if (node->kind == MNP__NODE_NUMBER) {
        mnp__number_emit(&node->number, dtype, body);
        return;
    }
    if (converts)
        mnp__text_add(body, "mnp_to<%s>::from(", mnp__jit_type(dtype));
    if (is_leaf(node))
        emit_leaf(expression, node, body);
    else
        mnp__text_add(body, "t%d", node->place);
    if (converts)
        mnp__text_add(body, ")");
}

static void emit_call(const mnp__expression *expression, int number, mnp__text *body)
{
    const mnp__node *node = &expression->nodes[number];
    bool two = node->ufunc->noutputs == 2;
    if (two)
        mnp__text_add(body, "%s t%d; %s u%d; mnp_%s(", mnp__jit_type(node->results[0]), node->place,
                      mnp__jit_type(node->results[1]), node->place, node->ufunc->name);
    else
        mnp__text_add(body, "const %s t%d = mnp_%s(", mnp__jit_type(node->type.dtype), node->place, node->ufunc->name);
    for (int a = 0; a < node->narguments; a++) {
        mnp__text_add(body, a ? ", " : "");
        mnp__expression_emit_value(expression, node->arguments[a], node->wanted[a], body);
    }
    if (two)
        mnp__text_add(body, ", t%d, u%d", node->place, node->place);
    mnp__text_add(body, ");\n");
}

static void emit_node(const mnp__expression *expression, int number, mnp__text *body)
{
    const mnp__node *node = &expression->nodes[number];
    if (node->kind == MNP__NODE_CALL) {
        emit_call(expression, number, body);
        return;
    }
    mnp__text_add(body, "const %s t%d = ", mnp__jit_type(node->type.dtype), node->place);
    if (node->kind == MNP__NODE_SECOND) {
        mnp__text_add(body, "u%d", expression->nodes[node->arguments[0]].place);
    } else if (node->kind == MNP__NODE_CHOOSE) {
        mnp__expression_emit_value(expression, node->arguments[0], MNP_BOOL, body);
        mnp__text_add(body, ".value ? ");
        mnp__expression_emit_value(expression, node->arguments[1], node->wanted[1], body);
        mnp__text_add(body, " : ");
        mnp__expression_emit_value(expression, node->arguments[2], node->wanted[2], body);
    } else {
        mnp__expression_emit_value(expression, node->arguments[0], node->wanted[0], body);
    }
    mnp__text_add(body, ";\n");
}

void mnp__expression_emit(const mnp__expression *expression, mnp__text *body)
{
    for (int k = expression->first_live; k < expression->end_live; k++) {
        if (!is_leaf(&expression->nodes[k]) && expression->nodes[k].live)
            emit_node(expression, k, body);
    }
}

/* ---- the end ---- */

void mnp__expression_free(mnp__expression *expression)
{
    free(expression->nodes);
    free(expression->variables);
    free(expression->places);
    free(expression->calls);
    free(expression->subscripts);
    expression->nodes = NULL;
    expression->variables = NULL;
    expression->places = NULL;
    expression->calls = NULL;
    expression->subscripts = NULL;
}
