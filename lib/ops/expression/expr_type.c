/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the types of an expression, as NumPy 2 does (NEP 50), and folds constants, as Python does.
 *
 * Literals and mnp_scalar_*() are Python numbers, which have a kind and no size.  An operator on Python numbers alone
 * gives a Python number; the result of a function has a size, as in NumPy: sin(2) is a float64.  A condition gives a
 * Python number if both of its values are such, so that  x * (2.5 if c else 0.5)  keeps x's type.
 */
#include "ops/expression/expression.h"

#include <string.h>

#include "base/status.h"

typedef struct typing {
    mnp__expression *expression;
    const mnp__expression_input *inputs;
} typing;

static mnp__type weak_type(char kind)
{
    mnp_dtype dtype = kind == 'b' ? MNP_BOOL : kind == 'i' ? MNP_INT64 : kind == 'f' ? MNP_FLOAT64 : MNP_COMPLEX128;
    return (mnp__type){dtype, kind};
}

/* The order of kinds, from bools to complex numbers. */
static int kind_order(char kind)
{
    return kind == 'b' ? 0 : kind == 'i' ? 1 : kind == 'f' ? 2 : 3;
}

static char weak_kind(mnp_dtype dtype)
{
    char kind = mnp_dtype_kind(dtype);
    return kind == 'u' ? 'i' : kind;
}

/* Find which comparison a call is, by operator or by name; MNP__OP_NONE if none. */
static mnp__operator comparison_of(const mnp__node *node)
{
    for (mnp__operator op = MNP__OP_LESS; op <= MNP__OP_NOT_EQUAL; op++) {
        if (strcmp(node->ufunc->name, mnp__operator_ufunc(op)) == 0)
            return op;
    }
    return MNP__OP_NONE;
}

/* ---- integers and types that cannot hold them ---- */

/* Whether a node is a Python integer of known value. */
static bool known_integer(const typing *t, const mnp__node *node, mnp__wide *value_p)
{
    if (node->kind == MNP__NODE_NUMBER && node->type.weak) {
        *value_p = node->number.integer;
        return node->number.kind == 'i' || node->number.kind == 'b';
    }
    if (node->kind == MNP__NODE_INPUT && (node->type.weak == 'i' || node->type.weak == 'b')) {
        *value_p = t->inputs[node->input].value;
        return true;
    }
    return false;
}

/* Whether a node is a known integer outside the range of that integer type. */
static bool out_of_range(const typing *t, const mnp__node *node, mnp_dtype dtype, mnp__wide *value_p)
{
    char kind = mnp_dtype_kind(dtype);
    return (kind == 'i' || kind == 'u') && known_integer(t, node, value_p) && !mnp__wide_fits(*value_p, dtype);
}

static mnp_status check_range(const typing *t, const mnp__node *node, mnp_dtype dtype)
{
    char text[MNP__WIDE_TEXT];
    mnp__wide value;
    if (out_of_range(t, node, dtype, &value))
        return mnp__expression_fail(t->expression, node->at, "the integer %s is out of bounds for %s",
                                    mnp__wide_text(value, text), mnp_dtype_name(dtype));
    return MNP_OK;
}

/*
 * Fold a comparison with an integer outside the range of the other operand's type.  As in NumPy this is no error: the
 * result is the same for all values of that type.
 */
static bool compare_out_of_range(const typing *t, mnp__node *node)
{
    mnp__wide value;
    mnp__operator op = comparison_of(node);
    for (int a = 0; a < 2 && op != MNP__OP_NONE; a++) {
        const mnp__node *argument = &t->expression->nodes[node->arguments[a]];
        if (!out_of_range(t, argument, node->wanted[a], &value))
            continue;
        bool larger = (value > 0) == (a == 1); /* whether the second is */
        bool truth = op == MNP__OP_NOT_EQUAL || (larger && (op == MNP__OP_LESS || op == MNP__OP_LESS_EQUAL)) ||
                     (!larger && (op == MNP__OP_GREATER || op == MNP__OP_GREATER_EQUAL));
        node->kind = MNP__NODE_NUMBER;
        node->number = (mnp__number){.kind = 'b', .integer = truth};
        node->type = (mnp__type){MNP_BOOL, 0};
        return true;
    }
    return false;
}

/* ---- calls ---- */

static void become_number(mnp__node *node, const mnp__number *number)
{
    node->kind = MNP__NODE_NUMBER;
    node->number = *number;
    node->type = weak_type(number->kind);
}

/* Fold an operator if its operands are constants; *folded_p is whether it was folded. */
static mnp_status fold(const typing *t, mnp__node *node, bool *folded_p)
{
    const mnp__node *nodes = t->expression->nodes;
    const mnp__node *a = &nodes[node->arguments[0]], *b = node->narguments > 1 ? &nodes[node->arguments[1]] : NULL;
    const char *problem = NULL;
    mnp__number result;
    *folded_p = false;
    if (a->kind != MNP__NODE_NUMBER || (b && b->kind != MNP__NODE_NUMBER) || !a->type.weak || (b && !b->type.weak))
        return MNP_OK;
    *folded_p = mnp__number_fold(node->op, &a->number, b ? &b->number : NULL, &result, &problem);
    if (problem)
        return mnp__expression_fail(t->expression, node->at, "%s", problem);
    if (*folded_p)
        become_number(node, &result);
    return MNP_OK;
}

static bool is_power(const mnp__node *node)
{
    return strcmp(node->ufunc->name, "power") == 0;
}

/* Replace some powers by squares, reciprocals and roots, as NumPy does; these are faster and more precise. */
static void simplify_power(const typing *t, mnp__node *node)
{
    const mnp__node *base = &t->expression->nodes[node->arguments[0]];
    const mnp__node *exponent = &t->expression->nodes[node->arguments[1]];
    const mnp__number *number = &exponent->number;
    char kind = mnp_dtype_kind(base->type.dtype);
    bool inexact = kind == 'f' || kind == 'c';
    const char *name = NULL;
    if (exponent->kind != MNP__NODE_NUMBER || base->type.weak)
        return;
    if (number->kind == 'i')
        name = number->integer == 2 ? "square" : number->integer == -1 && inexact ? "reciprocal" : NULL;
    else if (number->kind == 'f')
        name = number->real == 0.5 && inexact ? "sqrt" : NULL;
    if (name) {
        node->ufunc = mnp__ufunc_find(name, strlen(name));
        node->narguments = 1;
    }
}

/* Leave out limits of a clip that all values of x's type are within, as NumPy does. */
static void simplify_clip(const typing *t, mnp__node *node)
{
    const mnp__node *nodes = t->expression->nodes;
    const mnp__type x = nodes[node->arguments[0]].type;
    mnp__wide low, high;
    if (x.weak)
        return;
    const bool no_low = out_of_range(t, &nodes[node->arguments[1]], x.dtype, &low) && low < 0;
    const bool no_high = out_of_range(t, &nodes[node->arguments[2]], x.dtype, &high) && high > 0;
    const char *name = no_low ? (no_high ? "positive" : "minimum") : "maximum";
    if (!no_low && !no_high)
        return;
    node->arguments[1] = node->arguments[no_low ? 2 : 1];
    node->ufunc = mnp__ufunc_find(name, strlen(name));
    node->narguments = node->ufunc->ninputs;
}

/* Check a power once the types of its loop are chosen. */
static mnp_status check_power(const typing *t, const mnp__node *node)
{
    const mnp__node *exponent = &t->expression->nodes[node->arguments[1]];
    mnp__wide value;
    char kind = mnp_dtype_kind(node->wanted[0]);
    if ((kind == 'i' || kind == 'u') && known_integer(t, exponent, &value) && value < 0)
        return mnp__expression_fail(t->expression, node->at,
                                    "integers to negative integer powers are not allowed: "
                                    "make one a float");
    return MNP_OK;
}

/* Find the types of arguments by which a loop is chosen; return whether all are Python numbers. */
static bool argument_types(const typing *t, const mnp__node *node, mnp__type *types)
{
    bool weak = true, bits = node->op >= MNP__OP_AND && node->op <= MNP__OP_OR;
    mnp__wide value;
    for (int a = 0; a < node->narguments; a++) {
        types[a] = t->expression->nodes[node->arguments[a]].type;
        weak = weak && types[a].weak;
    }
    for (int a = 0; a < node->narguments; a++) {
        const mnp__node *argument = &t->expression->nodes[node->arguments[a]];
        char other = node->narguments == 2 ? mnp_dtype_kind(types[1 - a].dtype) : '?';
        if (weak && node->op != MNP__OP_NONE && !bits && types[a].weak == 'b')
            types[a] = weak_type('i'); /* Python's True + True is 2 */
        else if (!weak && types[a].weak == 'i' && (other == 'i' || other == 'u') &&
                 comparison_of(node) != MNP__OP_NONE && !known_integer(t, argument, &value))
            types[a].weak = 0; /* computed from scalars: it is compared in its own type */
    }
    return weak;
}

static mnp_status type_call(const typing *t, mnp__node *node)
{
    mnp__type types[MNP__MAX_UFUNC_INPUTS];
    const mnp__node *nodes = t->expression->nodes;
    bool folded = false;
    if (node->op != MNP__OP_NONE)
        MNP_TRY(fold(t, node, &folded));
    if (folded)
        return MNP_OK;
    if (node->op == MNP__OP_POWER)
        simplify_power(t, node);
    if (strcmp(node->ufunc->name, "clip") == 0)
        simplify_clip(t, node);
    bool weak = argument_types(t, node, types) && node->op != MNP__OP_NONE;
    if (mnp__ufunc_resolve(node->ufunc, types, node->wanted, node->results) != MNP_OK)
        return mnp__expression_fail_again(t->expression, node->at);
    if (compare_out_of_range(t, node))
        return MNP_OK;
    if (is_power(node))
        MNP_TRY(check_power(t, node));
    for (int a = 0; a < node->narguments; a++)
        MNP_TRY(check_range(t, &nodes[node->arguments[a]], node->wanted[a]));
    node->type = weak ? weak_type(weak_kind(node->results[0])) : (mnp__type){node->results[0], 0};
    return MNP_OK;
}

/* ---- the other nodes ---- */

/* Whether a value may be stored in that type without a cast: NumPy's "same_kind". */
static bool may_become(mnp__type type, mnp_dtype dtype)
{
    if (!type.weak)
        return mnp_can_cast(type.dtype, dtype, MNP_CASTING_SAME_KIND);
    return kind_order(type.weak) <= kind_order(weak_kind(dtype));
}

static mnp_status type_cast(const typing *t, mnp__node *node)
{
    const mnp__node *argument = &t->expression->nodes[node->arguments[0]];
    if (argument->kind == MNP__NODE_NUMBER)
        MNP_TRY(check_range(t, argument, node->dtype));
    node->type = (mnp__type){node->dtype, 0};
    node->wanted[0] = node->dtype;
    return MNP_OK;
}

static mnp_status type_keep(const typing *t, mnp__node *node)
{
    const mnp__node *value = &t->expression->nodes[node->arguments[0]];
    const mnp__node *kept = &t->expression->nodes[node->arguments[1]];
    if (kept->type.weak && value->kind == MNP__NODE_NUMBER && value->type.weak) {
        become_number(node, &value->number);
        return MNP_OK;
    }
    node->narguments = 1;
    node->type = kept->type.weak ? value->type : kept->type;
    node->wanted[0] = node->type.dtype;
    if (!may_become(value->type, node->type.dtype))
        return mnp__expression_fail(t->expression, node->at, "the result is %s, and would not keep the type %s",
                                    mnp_dtype_name(value->type.dtype), mnp_dtype_name(node->type.dtype));
    return check_range(t, value, node->type.dtype);
}

static mnp_status type_choose(const typing *t, mnp__node *node)
{
    const mnp__node *nodes = t->expression->nodes;
    mnp__type types[] = {nodes[node->arguments[1]].type, nodes[node->arguments[2]].type};
    if (types[0].weak && types[1].weak)
        node->type = kind_order(types[0].weak) > kind_order(types[1].weak) ? types[0] : types[1];
    else
        node->type = mnp__result_type(2, types);
    node->wanted[0] = MNP_BOOL;
    node->wanted[1] = node->wanted[2] = node->type.dtype;
    MNP_TRY(check_range(t, &nodes[node->arguments[1]], node->type.dtype));
    return check_range(t, &nodes[node->arguments[2]], node->type.dtype);
}

/* A rounded integer is the integer, or has its type again. */
static mnp_status type_round(const typing *t, mnp__node *node)
{
    const mnp__node *rounded = &t->expression->nodes[node->arguments[0]],
                    *x = &t->expression->nodes[node->arguments[1]];
    char kind = mnp_dtype_kind(x->type.dtype);
    bool integer = kind == 'i' || kind == 'u';
    node->kind = MNP__NODE_CAST;
    node->narguments = 1;
    node->dtype = integer ? x->type.dtype : rounded->type.dtype;
    if (integer && node->part)
        node->arguments[0] = node->arguments[1];
    node->type = (mnp__type){node->dtype, 0};
    node->wanted[0] = node->dtype;
    return MNP_OK;
}

/* ---- arrays ---- */

static void describe_arguments(const mnp__expression *expression, const mnp__node *node, mnp__array_facts *facts)
{
    for (int a = 0; a < node->narguments; a++) {
        const mnp__node *argument = &expression->nodes[node->arguments[a]];
        facts[a] = (mnp__array_facts){argument->type.dtype, argument->ndim};
    }
}

mnp_status mnp__expression_type_arrays(mnp__expression *expression, mnp__node *node)
{
    mnp__array_call *call = &expression->calls[node->detail];
    mnp__array_facts arguments[MNP__MAX_ARGUMENTS], results[MNP__MAX_RESULTS];
    describe_arguments(expression, node, arguments);
    if (call->function->describe(call, arguments, results) != MNP_OK)
        return mnp__expression_fail_again(expression, node->at);
    node->type = (mnp__type){results[0].dtype, 0};
    node->ndim = results[0].ndim;
    node->wanted[0] = call->reduce ? call->type : arguments[0].dtype;
    if (node->ndim < 0 || node->ndim > MNP_MAX_DIMS)
        return mnp__expression_fail(expression, node->at, "the result of %.*s would have %d dimensions",
                                    (int)call->name.length, call->name.start, node->ndim);
    return MNP_OK;
}

static mnp_status type_arrays(const typing *t, mnp__node *node)
{
    MNP_TRY(mnp__expression_type_arrays(t->expression, node));
    for (int a = 0; a < node->narguments; a++) {
        const mnp__node *argument = &t->expression->nodes[node->arguments[a]];
        MNP_TRY(check_range(t, argument, a == 0 ? node->wanted[0] : argument->type.dtype));
    }
    return MNP_OK;
}

/* Another result of a function of arrays. */
static mnp_status type_result(const typing *t, mnp__node *node)
{
    const mnp__node *first = &t->expression->nodes[node->arguments[0]];
    mnp__array_call *call = &t->expression->calls[first->detail];
    mnp__array_facts arguments[MNP__MAX_ARGUMENTS], results[MNP__MAX_RESULTS];
    describe_arguments(t->expression, first, arguments);
    MNP_TRY(call->function->describe(call, arguments, results));
    node->type = (mnp__type){results[node->part].dtype, 0};
    node->ndim = results[node->part].ndim;
    return MNP_OK;
}

static mnp_status type_node(const typing *t, mnp__node *node)
{
    const mnp__node *first = &t->expression->nodes[node->arguments[0]];
    switch (node->kind) {
    case MNP__NODE_NUMBER:
        node->type = weak_type(node->number.kind);
        return MNP_OK;
    case MNP__NODE_INPUT:
        node->type = t->inputs[node->input].type;
        return MNP_OK;
    case MNP__NODE_INDEX:
        node->type = node->index == 'n' ? weak_type('i') : (mnp__type){MNP_INT64, 0};
        return MNP_OK;
    case MNP__NODE_CALL:
        return type_call(t, node);
    case MNP__NODE_SECOND:
        node->type = (mnp__type){first->results[1], 0};
        return MNP_OK;
    case MNP__NODE_CAST:
        return type_cast(t, node);
    case MNP__NODE_KEEP:
        return type_keep(t, node);
    case MNP__NODE_ARRAYS:
        return type_arrays(t, node);
    case MNP__NODE_RESULT:
        return type_result(t, node);
    case MNP__NODE_VIEW:
        return mnp__expression_type_view(t->expression, node);
    case MNP__NODE_STORE:
        MNP_TRY(mnp__expression_type_store(t->expression, node));
        return node->kind == MNP__NODE_STORE
                   ? check_range(t, &t->expression->nodes[node->arguments[1]], node->wanted[1])
                   : MNP_OK;
    case MNP__NODE_ROUND:
        return type_round(t, node);
    default:
        return type_choose(t, node);
    }
}

static int count_dims(const typing *t, const mnp__node *node)
{
    int ndim = node->kind == MNP__NODE_INPUT ? t->inputs[node->input].ndim : 0;
    for (int a = 0; a < node->narguments; a++) {
        int more = t->expression->nodes[node->arguments[a]].ndim;
        ndim = more > ndim ? more : ndim;
    }
    return ndim;
}

/* ---- outputs ---- */

static mnp_status type_output(const typing *t, int number, mnp_dtype *dtype)
{
    const mnp__node *node = &t->expression->nodes[t->expression->outputs[number]];
    const char *name = t->expression->output_names[number];
    mnp__wide value;
    if (*dtype == MNP_DTYPE_AUTO) {
        *dtype = node->type.dtype;
        if (out_of_range(t, node, MNP_INT64, &value) && mnp__wide_fits(value, MNP_UINT64))
            *dtype = MNP_UINT64;
    } else if (!may_become(node->type, *dtype)) {
        return MNP_FAIL(MNP_ERR_ARG, "output '%s' is %s, and its value is %s, which is not stored so without a cast",
                        name, mnp_dtype_name(*dtype), mnp_dtype_name(node->type.dtype));
    }
    t->expression->output_types[number] = node->type.weak ? *dtype : node->type.dtype;
    return check_range(t, node, *dtype);
}

mnp_status mnp__expression_type(mnp__expression *expression, const mnp__expression_input *inputs,
                                mnp_dtype *output_dtypes)
{
    typing t = {.expression = expression, .inputs = inputs};
    for (int k = 0; k < expression->nnodes; k++) {
        expression->nodes[k].ndim = count_dims(&t, &expression->nodes[k]);
        MNP_TRY(type_node(&t, &expression->nodes[k]));
    }
    for (int i = 0; i < expression->noutputs; i++)
        MNP_TRY(type_output(&t, i, &output_dtypes[i]));
    return MNP_OK;
}
