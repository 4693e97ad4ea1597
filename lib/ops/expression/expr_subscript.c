/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brackets: x[1:-1, None, ..., k], x[mask] and x[indices].
 *
 * Subscripts are constants of the text, or integer scalars to which constants are added, so that one program serves all
 * values of the scalars.  Which dimensions remain is known with the types; which elements are selected is found when
 * the text is run, by mnp_slice().  A single expression in brackets is a mask or has indices, which only its type says.
 */
#include <string.h>

#include "base/status.h"
#include "ops/expression/array_function.h"
#include "ops/expression/expr_parser.h"

/* ---- parsing ---- */

/* Parse a bound of a slice, if there is one, which is a value. */
static mnp_status parse_bound(mnp__parser *p, mnp__bound *bound)
{
    *bound = (mnp__bound){.node = -1, .input = -1};
    if (mnp__parser_at(p, ":") || mnp__parser_at(p, ",") || mnp__parser_at(p, "]"))
        return MNP_OK;
    if (mnp__parser_at_name(p, "None"))
        return mnp__parser_advance(p);
    return mnp__parser_value(p, &bound->node);
}

static mnp_status parse_subscript(mnp__parser *p, mnp_subscript *item, mnp__bound *bounds)
{
    bool none = mnp__parser_at_name(p, "None");
    int colons = 0;
    for (int i = 0; i < 3; i++)
        bounds[i] = (mnp__bound){.node = -1, .input = -1};
    if (mnp__parser_at(p, "...") || mnp__parser_at_name(p, "Ellipsis")) {
        *item = MNP_ELLIPSIS;
        return mnp__parser_advance(p);
    }
    if (mnp__parser_at_name(p, "newaxis")) {
        *item = MNP_NEWAXIS;
        return mnp__parser_advance(p);
    }
    MNP_TRY(parse_bound(p, &bounds[0]));
    while (colons < 2 && mnp__parser_at(p, ":")) {
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_bound(p, &bounds[++colons]));
    }
    *item = colons > 0 ? MNP_SLICE(MNP_NONE, MNP_NONE, MNP_NONE) : none ? MNP_NEWAXIS : MNP_AT(0);
    if (colons == 0 && !none && bounds[0].node < 0)
        return mnp__parser_fail_expected(p, "an index, a slice, None or ...");
    return MNP_OK;
}

static mnp_status add_subscripts(mnp__expression *expression, const mnp__subscripts *subscripts, int *number_p)
{
    MNP_TRY(mnp__expression_grow(&expression->subscripts, sizeof *expression->subscripts, expression->nsubscripts,
                                 &expression->subscripts_capacity));
    *number_p = expression->nsubscripts++;
    expression->subscripts[*number_p] = *subscripts;
    return MNP_OK;
}

mnp_status mnp__parser_brackets(mnp__parser *p, mnp__brackets *brackets)
{
    mnp__subscripts subscripts = {.count = 0};
    brackets->at = p->token.word.start;
    MNP_TRY(mnp__parser_advance(p));
    for (bool more = true; more;) {
        int k = subscripts.count;
        if (k == MNP_MAX_SUBSCRIPTS)
            return mnp__expression_fail(p->expression, p->token.word.start,
                                        "there are more subscripts than any array has dimensions");
        MNP_TRY(parse_subscript(p, &subscripts.items[k], subscripts.bounds[k]));
        subscripts.count++;
        more = mnp__parser_at(p, ",");
        if (more)
            MNP_TRY(mnp__parser_advance(p));
        more = more && !mnp__parser_at(p, "]");
    }
    MNP_TRY(mnp__parser_expect(p, "]", "',' or ']'"));
    bool alone = subscripts.count == 1 && subscripts.items[0].kind == MNP_SUBSCRIPT_AT;
    brackets->expression = alone ? subscripts.bounds[0][0].node : -1;
    return add_subscripts(p->expression, &subscripts, &brackets->subscripts);
}

mnp_status mnp__parser_select(mnp__parser *p, const mnp__brackets *brackets, int *node_p)
{
    mnp__node node = {.kind = MNP__NODE_VIEW,
                      .at = brackets->at,
                      .narguments = brackets->expression < 0 ? 1 : 2,
                      .arguments = {*node_p, brackets->expression},
                      .detail = brackets->subscripts};
    return mnp__expression_add(p->expression, &node, node_p);
}

/* ---- types ---- */

/*
 * Find the integer that a node is: *offset_p, and the scalar that is added to it.  Returns false if it is neither.
 * Sums are read to a small depth; longer ones have no use.
 */
static bool find_bound(const mnp__expression *expression, int number, int depth, mnp__bound *bound, int64_t *offset_p)
{
    const mnp__node *node = &expression->nodes[number];
    mnp__bound other = {.input = -1};
    int64_t more = 0;
    if (node->kind == MNP__NODE_NUMBER && node->number.kind == 'i' && mnp__wide_fits(node->number.integer, MNP_INT64)) {
        *offset_p = (int64_t)node->number.integer;
        return true;
    }
    if (node->kind == MNP__NODE_INPUT && node->type.weak == 'i') {
        bound->input = node->input;
        bound->sign = 1;
        *offset_p = 0;
        return true;
    }
    bool negative = node->op == MNP__OP_SUBTRACT;
    if (node->kind != MNP__NODE_CALL || depth == 0 ||
        !find_bound(expression, node->arguments[0], depth - 1, bound, offset_p))
        return false;
    if (node->op == MNP__OP_NEGATIVE) {
        bound->sign = -bound->sign;
        *offset_p = -*offset_p;
        return true;
    }
    if ((node->op != MNP__OP_ADD && !negative) ||
        !find_bound(expression, node->arguments[1], depth - 1, &other, &more) ||
        (other.input >= 0 && bound->input >= 0))
        return false;
    if (other.input >= 0) {
        bound->input = other.input;
        bound->sign = negative ? -other.sign : other.sign;
    }
    return !__builtin_add_overflow(*offset_p, negative ? -more : more, offset_p);
}

static mnp_status type_bound(const mnp__expression *expression, mnp__bound *bound, int64_t *field)
{
    enum { DEPTH = 4 };
    if (bound->node < 0)
        return MNP_OK;
    if (!find_bound(expression, bound->node, DEPTH, bound, field))
        return mnp__expression_fail(expression, expression->nodes[bound->node].at,
                                    "a subscript is an integer, or an integer scalar plus or minus one");
    return MNP_OK;
}

static mnp_status type_subscripts(const mnp__expression *expression, mnp__subscripts *subscripts)
{
    for (int i = 0; i < subscripts->count; i++) {
        mnp_subscript *item = &subscripts->items[i];
        MNP_TRY(type_bound(expression, &subscripts->bounds[i][0], &item->start));
        MNP_TRY(type_bound(expression, &subscripts->bounds[i][1], &item->stop));
        MNP_TRY(type_bound(expression, &subscripts->bounds[i][2], &item->step));
    }
    return MNP_OK;
}

/* The number of dimensions that remain of `ndim`. */
static mnp_status count_dims(const mnp__expression *expression, const mnp__node *node, int ndim, int *ndim_p)
{
    const mnp__subscripts *subscripts = &expression->subscripts[node->detail];
    int taken = 0, dropped = 0, added = 0, ellipses = 0;
    for (int i = 0; i < subscripts->count; i++) {
        int kind = subscripts->items[i].kind;
        taken += kind == MNP_SUBSCRIPT_SLICE || kind == MNP_SUBSCRIPT_AT;
        dropped += kind == MNP_SUBSCRIPT_AT;
        added += kind == MNP_SUBSCRIPT_NEWAXIS;
        ellipses += kind == MNP_SUBSCRIPT_ELLIPSIS;
    }
    *ndim_p = ndim - dropped + added;
    if (ellipses > 1)
        return mnp__expression_fail(expression, node->at, "there are %d ellipses, and one at most is understood",
                                    ellipses);
    if (taken > ndim)
        return mnp__expression_fail(expression, node->at, "%d indices are too many for %d dimension%s", taken, ndim,
                                    ndim == 1 ? "" : "s");
    if (*ndim_p > MNP_MAX_DIMS)
        return mnp__expression_fail(expression, node->at, "the view would have %d dimensions, and %d are possible",
                                    *ndim_p, MNP_MAX_DIMS);
    return MNP_OK;
}

/* Whether the expression in brackets, if there is one, is a mask, 'b', or has indices, 'i'; otherwise 0. */
static char selection_of(const mnp__expression *expression, const mnp__node *node, int position)
{
    if (node->narguments <= position)
        return 0;
    const mnp__node *selection = &expression->nodes[node->arguments[position]];
    char kind = mnp_dtype_kind(selection->type.dtype);
    if (selection->type.weak)
        return 0;
    return kind == 'b' ? 'b' : kind == 'i' || kind == 'u' ? 'i' : 0;
}

/* Make a node the call of a function of its arguments. */
static mnp_status become_call(mnp__expression *expression, mnp__node *node, const mnp__array_function *function)
{
    mnp__array_call call = {
        .function = function, .name = {"", 0}, .narrays = node->narguments, .node = (int)(node - expression->nodes)};
    for (int i = 0; i < MNP__MAX_ARGUMENTS; i++)
        call.slots[i] = i < node->narguments ? i : -1;
    call.constants.axes = (mnp_axes){.count = 1};
    MNP_TRY(mnp__expression_grow(&expression->calls, sizeof *expression->calls, expression->ncalls,
                                 &expression->calls_capacity));
    node->kind = MNP__NODE_ARRAYS;
    node->detail = expression->ncalls;
    expression->calls[expression->ncalls++] = call;
    return mnp__expression_type_arrays(expression, node);
}

mnp_status mnp__expression_type_view(mnp__expression *expression, mnp__node *node)
{
    const mnp__node *base = &expression->nodes[node->arguments[0]];
    char selection = selection_of(expression, node, 1);
    if (base->type.weak)
        return mnp__expression_fail(expression, node->at, "a number has no dimensions to index");
    if (selection)
        return become_call(expression, node, selection == 'b' ? &mnp__function_of_mask : &mnp__function_of_indices);
    node->narguments = 1;
    node->type = base->type;
    node->part = base->kind == MNP__NODE_VIEW ? base->part + 1 : 1;
    if (node->part > MNP__MAX_NESTED_VIEWS)
        return mnp__expression_fail(expression, node->at, "more than %d brackets after one another",
                                    MNP__MAX_NESTED_VIEWS);
    MNP_TRY(type_subscripts(expression, &expression->subscripts[node->detail]));
    return count_dims(expression, node, base->ndim, &node->ndim);
}

mnp_status mnp__expression_type_store(mnp__expression *expression, mnp__node *node)
{
    const mnp__node *base = &expression->nodes[node->arguments[0]], *value = &expression->nodes[node->arguments[1]];
    char selection = selection_of(expression, node, 2);
    int ndim;
    if (base->type.weak)
        return mnp__expression_fail(expression, node->at, "a number has no dimensions to index");
    if (mnp_dtype_kind(value->type.dtype) == 'c' && mnp_dtype_kind(base->type.dtype) != 'c')
        return mnp__expression_fail(expression, node->at, "complex numbers are not stored in an array of %s",
                                    mnp_dtype_name(base->type.dtype));
    node->type = base->type;
    node->wanted[1] = base->type.dtype;
    if (selection) {
        const mnp__array_function *function =
            selection == 'b' ? &mnp__function_of_mask_set : &mnp__function_of_indices_set;
        return become_call(expression, node, function);
    }
    node->narguments = 2;
    MNP_TRY(type_subscripts(expression, &expression->subscripts[node->detail]));
    MNP_TRY(count_dims(expression, node, base->ndim, &ndim));
    node->ndim = base->ndim;
    node->dim = ndim;
    if (value->ndim > ndim)
        return mnp__expression_fail(expression, node->at, "a value of %d dimensions does not broadcast to a part of %d",
                                    value->ndim, ndim);
    return MNP_OK;
}
