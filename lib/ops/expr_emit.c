/*
 * An expression as C++ statements, one for each node that computes something: const float t4 = mnp_sin(t3);
 *
 * Numbers, inputs and indices are written where they are used.  What is computed twice in the text is computed twice
 * here: compilers find that.
 */
#include "ops/expression.h"

/* A leaf in its own type; a number has the type that is wanted of it. */
static void emit_leaf(const mnp__expression *expression, const mnp__node *node, mnp__text *body)
{
    if (node->kind == MNP__NODE_INPUT)
        mnp__text_add(body, "in_%s", expression->input_names[node->input]);
    else if (node->dim < 0)
        mnp__text_add(body, node->index == 'i' ? "mnp_i" : "mnp_n");
    else
        mnp__text_add(body, "%s[%d]", node->index == 'i' ? "mnp_index" : "mnp_shape", node->dim);
}

/* The value of node `number`, as `dtype`. */
static void emit_value(const mnp__expression *expression, int number, mnp_dtype dtype, mnp__text *body)
{
    const mnp__node *node = &expression->nodes[number];
    bool converts = node->type.dtype != dtype;
    if (node->kind == MNP__NODE_NUMBER) {
        mnp__number_emit(&node->number, dtype, body);
        return;
    }
    if (converts)
        mnp__text_add(body, "mnp_to<%s>::from(", mnp__jit_type(dtype));
    if (node->kind == MNP__NODE_INPUT || node->kind == MNP__NODE_INDEX)
        emit_leaf(expression, node, body);
    else
        mnp__text_add(body, "t%d", number);
    if (converts)
        mnp__text_add(body, ")");
}

static void emit_call(const mnp__expression *expression, int number, mnp__text *body)
{
    const mnp__node *node = &expression->nodes[number];
    bool two = node->ufunc->noutputs == 2;
    if (two)
        mnp__text_add(body, "%s t%d; %s u%d; mnp_%s(", mnp__jit_type(node->results[0]), number,
                      mnp__jit_type(node->results[1]), number, node->ufunc->name);
    else
        mnp__text_add(body, "const %s t%d = mnp_%s(", mnp__jit_type(node->type.dtype), number, node->ufunc->name);
    for (int a = 0; a < node->narguments; a++) {
        mnp__text_add(body, a ? ", " : "");
        emit_value(expression, node->arguments[a], node->wanted[a], body);
    }
    if (two)
        mnp__text_add(body, ", t%d, u%d", number, number);
    mnp__text_add(body, ");\n");
}

static void emit_node(const mnp__expression *expression, int number, mnp__text *body)
{
    const mnp__node *node = &expression->nodes[number];
    if (node->kind == MNP__NODE_CALL) {
        emit_call(expression, number, body);
        return;
    }
    mnp__text_add(body, "const %s t%d = ", mnp__jit_type(node->type.dtype), number);
    if (node->kind == MNP__NODE_SECOND) {
        mnp__text_add(body, "u%d", node->arguments[0]);
    } else if (node->kind == MNP__NODE_CHOOSE) {
        emit_value(expression, node->arguments[0], MNP_BOOL, body);
        mnp__text_add(body, ".value ? ");
        emit_value(expression, node->arguments[1], node->wanted[1], body);
        mnp__text_add(body, " : ");
        emit_value(expression, node->arguments[2], node->wanted[2], body);
    } else {
        emit_value(expression, node->arguments[0], node->wanted[0], body);
    }
    mnp__text_add(body, ";\n");
}

void mnp__expression_emit(const mnp__expression *expression, mnp__text *body)
{
    for (int k = 0; k < expression->nnodes; k++) {
        mnp__node_kind kind = expression->nodes[k].kind;
        bool leaf = kind == MNP__NODE_NUMBER || kind == MNP__NODE_INPUT || kind == MNP__NODE_INDEX;
        if (!leaf && expression->nodes[k].live)
            emit_node(expression, k, body);
    }
    for (int i = 0; i < expression->noutputs; i++) {
        mnp__text_add(body, "out_%s = ", expression->output_names[i]);
        emit_value(expression, expression->outputs[i], expression->output_types[i], body);
        mnp__text_add(body, ";\n");
    }
}
