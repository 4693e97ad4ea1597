/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes an expression as C++ statements, one for each node that computes something: const float t4 = mnp_sin(t3);
 *
 * Numbers, indices and what is read from arrays are written where they are used.  Repeated subexpressions are
 * written again, as compilers compute them once.
 */
#include "ops/expression/expression.h"

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
