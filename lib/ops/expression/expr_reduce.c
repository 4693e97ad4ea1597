/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser and the types of reductions in expressions, such as sum(x*y, axis=0, keepdims=True).
 *
 * Their names and rules are those of the public functions (lib/ops/reduction/numpy_reductions.h).  Axes and options are
 * constants of the text.
 */
#include <string.h>

#include "base/status.h"
#include "ops/expression/expr_parser.h"

/* ---- options ---- */

static mnp_status parse_axis(mnp__parser *p, mnp_axes *axes)
{
    static const char wanted[] = "an axis: an integer, integers in parentheses, or None";
    bool negative = mnp__parser_at(p, "-");
    if (negative)
        MNP_TRY(mnp__parser_advance(p));
    if (p->token.kind != MNP__TOKEN_NUMBER || p->token.number.kind != 'i')
        return mnp__parser_fail_expected(p, wanted);
    if (axes->count == MNP_MAX_DIMS || p->token.number.integer > INT32_MAX)
        return mnp__expression_fail(p->expression, p->token.word.start, "no array has that axis: there are at most %d",
                                    MNP_MAX_DIMS);
    int axis = (int)p->token.number.integer;
    axes->axes[axes->count++] = negative ? -axis : axis;
    return mnp__parser_advance(p);
}

/* Parse axes: None, 1, or (0, -1). */
static mnp_status parse_axes(mnp__parser *p, mnp_axes *axes)
{
    if (mnp__parser_at_name(p, "None"))
        return mnp__parser_advance(p);
    if (!mnp__parser_at(p, "("))
        return parse_axis(p, axes);
    MNP_TRY(mnp__parser_advance(p));
    do {
        MNP_TRY(parse_axis(p, axes));
        if (!mnp__parser_at(p, ","))
            break;
        MNP_TRY(mnp__parser_advance(p));
    } while (!mnp__parser_at(p, ")"));
    return mnp__parser_expect(p, ")", "',' or ')'");
}

static mnp_status parse_truth(mnp__parser *p, bool *truth_p)
{
    *truth_p = mnp__parser_at_name(p, "True");
    if (!*truth_p && !mnp__parser_at_name(p, "False"))
        return mnp__parser_fail_expected(p, "True or False");
    return mnp__parser_advance(p);
}

static mnp_status parse_real(mnp__parser *p, double *real_p)
{
    bool negative = mnp__parser_at(p, "-");
    if (negative)
        MNP_TRY(mnp__parser_advance(p));
    const mnp__number *number = &p->token.number;
    if (p->token.kind != MNP__TOKEN_NUMBER || number->kind == 'c')
        return mnp__parser_fail_expected(p, "a number");
    double value = number->kind == 'i' ? (double)number->integer : number->real;
    *real_p = negative ? -value : value;
    return mnp__parser_advance(p);
}

static mnp_status parse_option_dtype(mnp__parser *p, mnp_axes *axes)
{
    mnp_dtype dtype;
    MNP_TRY(mnp__parser_dtype(p, &dtype));
    axes->dtype = mnp_dtype_name(dtype);
    return MNP_OK;
}

enum option { NONE, AXIS, KEEPDIMS, DTYPE, DDOF };

static enum option find_option(const mnp__reduce_function *function, mnp__word name)
{
    if (mnp__word_is(name, "axis"))
        return AXIS;
    if (mnp__word_is(name, "keepdims"))
        return KEEPDIMS;
    if (mnp__word_is(name, "dtype") && mnp__reduce_has(function, MNP__REDUCE_DTYPE))
        return DTYPE;
    if (mnp__word_is(name, "ddof") && mnp__reduce_has(function, MNP__REDUCE_DDOF))
        return DDOF;
    return NONE;
}

static mnp_status parse_option(mnp__parser *p, enum option option, mnp_axes *axes)
{
    switch (option) {
    case AXIS:
        return parse_axes(p, axes);
    case KEEPDIMS:
        return parse_truth(p, &axes->keepdims);
    case DTYPE:
        return parse_option_dtype(p, axes);
    default:
        return parse_real(p, &axes->ddof);
    }
}

/* ---- calls ---- */

static mnp_status fail_option(const mnp__parser *p, mnp__word name, const mnp__reducing *reducing)
{
    bool dtype = mnp__reduce_has(reducing->function, MNP__REDUCE_DTYPE);
    bool ddof = mnp__reduce_has(reducing->function, MNP__REDUCE_DDOF);
    int length = name.length < 100 ? (int)name.length : 100;
    return mnp__expression_fail(p->expression, name.start, "%.*s has no option '%.*s': there are axis%s%s and keepdims",
                                (int)reducing->name.length, reducing->name.start, length, name.start,
                                dtype ? ", dtype" : "", ddof ? ", ddof" : "");
}

/* Parse name=value, if that comes next, which *done_p tells.  `given`: bits of the options so far. */
static mnp_status parse_named(mnp__parser *p, mnp__reducing *reducing, unsigned *given, bool *done_p)
{
    mnp__parser before = *p;
    mnp__word name = p->token.word;
    *done_p = false;
    if (p->token.kind != MNP__TOKEN_NAME)
        return MNP_OK;
    MNP_TRY(mnp__parser_advance(p));
    if (!mnp__parser_at(p, "=")) {
        *p = before;
        return MNP_OK;
    }
    enum option option = find_option(reducing->function, name);
    if (option == NONE)
        return fail_option(p, name, reducing);
    if (*given >> option & 1)
        return mnp__expression_fail(p->expression, name.start, "%.*s is given twice", (int)name.length, name.start);
    *given |= 1u << option;
    *done_p = true;
    MNP_TRY(mnp__parser_advance(p));
    return parse_option(p, option, &reducing->axes);
}

/* Whether a reduction of two arguments is a ufunc: as in Python, max(x, y) is maximum(x, y), and likewise min. */
static bool has_pair(mnp__word name)
{
    return mnp__word_is(name, "max") || mnp__word_is(name, "min");
}

static mnp_status parse_pair(mnp__parser *p, mnp__word name, mnp__node *node)
{
    const char *ufunc = mnp__word_is(name, "max") ? "maximum" : "minimum";
    node->ufunc = mnp__ufunc_find(ufunc, strlen(ufunc));
    node->narguments = 2;
    MNP_TRY(mnp__parser_value(p, &node->arguments[1]));
    if (mnp__parser_at(p, ","))
        return mnp__expression_fail(p->expression, p->token.word.start,
                                    "%.*s takes two values, or one and axis=..., "
                                    "keepdims=...",
                                    (int)name.length, name.start);
    return mnp__parser_expect(p, ")", "',' or ')'");
}

/* Parse an option without a name: the axes come first, then the type. */
static mnp_status parse_positional(mnp__parser *p, mnp__reducing *reducing, unsigned *given)
{
    bool dtype = mnp__reduce_has(reducing->function, MNP__REDUCE_DTYPE);
    enum option option = *given == 0 ? AXIS : *given == 1u << AXIS && dtype ? DTYPE : NONE;
    if (option == NONE)
        return mnp__parser_fail_expected(p, "an option by its name, such as keepdims=True");
    *given |= 1u << option;
    return parse_option(p, option, &reducing->axes);
}

mnp_status mnp__parser_reduction(mnp__parser *p, mnp__word name, mnp__node *node)
{
    mnp__expression *expression = p->expression;
    mnp__reducing reducing = {.function = mnp__reduce_find(name.start, name.length), .name = name};
    bool method = node->narguments > 0, named;
    unsigned given = 0;
    if (!method) {
        MNP_TRY(mnp__parser_value(p, &node->arguments[0]));
        node->narguments = 1;
    }
    for (bool more = method ? !mnp__parser_at(p, ")") : mnp__parser_at(p, ","); more; more = mnp__parser_at(p, ",")) {
        if (mnp__parser_at(p, ","))
            MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_named(p, &reducing, &given, &named));
        if (named)
            continue;
        if (!method && given == 0 && has_pair(name))
            return parse_pair(p, name, node);
        MNP_TRY(parse_positional(p, &reducing, &given));
    }
    MNP_TRY(mnp__parser_expect(p, ")", "',' or ')'"));
    if (expression->nreductions == MNP__MAX_REDUCTIONS)
        return mnp__expression_fail(expression, name.start, "there are more than %d reductions", MNP__MAX_REDUCTIONS);
    node->kind = MNP__NODE_REDUCE;
    node->reduction = expression->nreductions;
    reducing.node = expression->nnodes;
    expression->reductions[expression->nreductions++] = reducing;
    return MNP_OK;
}

/* ---- types ---- */

mnp_status mnp__expression_type_reduction(mnp__expression *expression, mnp__node *node)
{
    mnp__reducing *reducing = &expression->reductions[node->reduction];
    const mnp__node *argument = &expression->nodes[node->arguments[0]];
    const mnp_axes *axes = &reducing->axes;
    char name[32];
    mnp_dtype result;
    snprintf(name, sizeof name, "%.*s", (int)reducing->name.length, reducing->name.start);
    if (axes->count > 1 && mnp__reduce_has(reducing->function, MNP__REDUCE_ONE_AXIS))
        return mnp__expression_fail(expression, node->at, "%s goes along one axis, or all, and %d are given", name,
                                    axes->count);
    if (mnp__reduction_axes(name, argument->ndim, axes, &reducing->mask) != MNP_OK ||
        mnp__reduce_types(reducing->function, argument->type.dtype, axes->dtype, &reducing->type, &result) != MNP_OK)
        return mnp__expression_fail_again(expression, node->at);
    node->type = (mnp__type){result, 0};
    node->wanted[0] = reducing->type;
    node->ndim = axes->keepdims ? argument->ndim : argument->ndim - __builtin_popcount(reducing->mask);
    return MNP_OK;
}
