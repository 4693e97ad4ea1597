/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of calls: functions, casts, methods and attributes.
 */
#include "ops/expression/expr_parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

mnp_status mnp__parser_dtype(mnp__parser *p, mnp_dtype *dtype_p)
{
    bool word = p->token.kind == MNP__TOKEN_NAME || p->token.kind == MNP__TOKEN_STRING;
    if (!word || !mnp__expression_dtype(p->token.word, dtype_p))
        return mnp__parser_fail_expected(p, "a type such as float32");
    return mnp__parser_advance(p);
}

static mnp_status fail_count(const mnp__parser *p, mnp__word name, const char *wanted, int count)
{
    return mnp__expression_fail(p->expression, name.start, "%.*s takes %s, but is given %d", (int)name.length,
                                name.start, wanted, count);
}

static mnp_status add_real(mnp__parser *p, const char *at, double value, int *node_p)
{
    mnp__node number = {.kind = MNP__NODE_NUMBER, .at = at, .number = {.kind = 'f', .real = value}};
    return mnp__expression_add(p->expression, &number, node_p);
}

/* Add numpy.isclose's default values for missing arguments. */
static mnp_status add_tolerances(mnp__parser *p, mnp__node *node, int *count)
{
    static const double tolerances[] = {1e-5, 1e-8}; /* rtol, atol */
    for (; *count >= 2 && *count < 4; ++*count)
        MNP_TRY(add_real(p, node->at, tolerances[*count - 2], &node->arguments[*count]));
    return MNP_OK;
}

/* Parse arguments up to the closing parenthesis; the first one of a method is already in the node. */
static mnp_status parse_arguments(mnp__parser *p, mnp__word name, mnp__node *node, int most)
{
    char wanted[32];
    int count = node->narguments;
    for (bool more = !mnp__parser_at(p, ")"); more;) {
        int argument;
        MNP_TRY(mnp__parser_value(p, &argument));
        if (count < most)
            node->arguments[count] = argument;
        count++;
        more = mnp__parser_at(p, ",");
        if (more)
            MNP_TRY(mnp__parser_advance(p));
    }
    MNP_TRY(mnp__parser_expect(p, ")", count == 0 ? "an argument or ')'" : "',' or ')'"));
    if (node->ufunc && strcmp(node->ufunc->name, "isclose") == 0)
        MNP_TRY(add_tolerances(p, node, &count));
    snprintf(wanted, sizeof wanted, "%d argument%s", most, most == 1 ? "" : "s");
    if (count != most)
        return fail_count(p, name, wanted, count);
    node->narguments = count;
    return MNP_OK;
}

/* Parse what follows "(" in astype(x, TYPE) or x.astype(TYPE); in the latter the node already has x. */
static mnp_status parse_astype(mnp__parser *p, mnp__node *node)
{
    node->kind = MNP__NODE_CAST;
    if (node->narguments == 0) {
        MNP_TRY(mnp__parser_value(p, &node->arguments[0]));
        MNP_TRY(mnp__parser_expect(p, ",", "',' and a type"));
        node->narguments = 1;
    }
    MNP_TRY(mnp__parser_dtype(p, &node->dtype));
    return mnp__parser_expect(p, ")", "')'");
}

/* ---- functions of whole arrays ---- */

/*
 * Parse max(x, y), which is maximum(x, y) as in Python, and likewise min; the "(" was read.  If it is no pair the first
 * argument is in the node, as that of a method.
 */
static mnp_status parse_pair(mnp__parser *p, mnp__word name, mnp__node *node, bool *pair_p)
{
    const char *ufunc = mnp__word_is(name, "max") ? "maximum" : mnp__word_is(name, "min") ? "minimum" : NULL;
    *pair_p = false;
    if (!ufunc || node->narguments > 0)
        return MNP_OK;
    MNP_TRY(mnp__parser_value(p, &node->arguments[0]));
    node->narguments = 1;
    if (!mnp__parser_at(p, ","))
        return MNP_OK;
    MNP_TRY(mnp__parser_advance(p));
    mnp__parser ahead = *p;
    if (p->token.kind == MNP__TOKEN_NAME)
        MNP_TRY(mnp__parser_advance(&ahead));
    *pair_p = !mnp__parser_at(p, ")") && !mnp__parser_at(&ahead, "=");
    if (!*pair_p)
        return MNP_OK;
    MNP_TRY(mnp__parser_value(p, &node->arguments[1]));
    if (mnp__parser_at(p, ","))
        return mnp__expression_fail(p->expression, p->token.word.start,
                                    "%.*s takes two values, or one and axis=..., keepdims=...", (int)name.length,
                                    name.start);
    node->ufunc = mnp__ufunc_find(ufunc, strlen(ufunc));
    node->narguments = 2;
    return mnp__parser_expect(p, ")", "',' or ')'");
}

static mnp_status parse_arrays(mnp__parser *p, const mnp__array_call *found, mnp__node *node)
{
    mnp__expression *expression = p->expression;
    mnp__array_call call = *found;
    MNP_TRY(mnp__parser_arguments(p, call.function->signature, &call, node));
    MNP_TRY(mnp__expression_grow(&expression->calls, sizeof *expression->calls, expression->ncalls,
                                 &expression->calls_capacity));
    node->kind = MNP__NODE_ARRAYS;
    node->detail = expression->ncalls;
    call.node = expression->nnodes;
    expression->calls[expression->ncalls++] = call;
    return MNP_OK;
}

/* ---- rounding ---- */

/*
 * Parse round(x, decimals), which numpy.round computes as rint(x * 10**decimals) / 10**decimals, and with negative
 * decimals the other way round.  Integers stay integers: the node chooses by their type.
 */
static mnp_status parse_round(mnp__parser *p, mnp__word name, mnp__node *node)
{
    mnp__array_call call = {.name = name};
    MNP_TRY(mnp__parser_arguments(p, "x, decimals=0", &call, node));
    int64_t decimals = call.constants.integers[0].values[0];
    mnp__node rint = {.kind = MNP__NODE_CALL, .at = node->at, .narguments = 1};
    int x = node->arguments[0], power, rounded;
    if (decimals == 0) {
        node->ufunc = mnp__ufunc_find("round", strlen("round"));
        return MNP_OK;
    }
    mnp__operator before = decimals > 0 ? MNP__OP_MULTIPLY : MNP__OP_DIVIDE;
    mnp__operator after = decimals > 0 ? MNP__OP_DIVIDE : MNP__OP_MULTIPLY;
    rint.ufunc = mnp__ufunc_find("rint", strlen("rint"));
    MNP_TRY(add_real(p, node->at, pow(10, fabs((double)decimals)), &power));
    MNP_TRY(mnp__parser_operation(p, node->at, before, x, power, &rint.arguments[0]));
    MNP_TRY(mnp__expression_add(p->expression, &rint, &rounded));
    MNP_TRY(mnp__parser_operation(p, node->at, after, rounded, power, &rounded));
    *node = (mnp__node){
        .kind = MNP__NODE_ROUND, .at = node->at, .part = decimals > 0, .narguments = 2, .arguments = {rounded, x}};
    return MNP_OK;
}

/* ---- calls ---- */

static mnp_status fail_results(const mnp__parser *p, mnp__word name, int given, int results)
{
    static const char *const counts[] = {"no", "one", "two", "three", "four"};
    static const char *const names[] = {"", "a", "a, b", "a, b, c", "a, b, c, d"};
    int length = (int)name.length;
    if (given > results)
        return mnp__expression_fail(p->expression, name.start, "%.*s has %s results; take them as in: %s = %.*s(...)",
                                    length, name.start, counts[given], names[given], length, name.start);
    return mnp__expression_fail(p->expression, name.start, "%.*s has %s result%s, not %s", length, name.start,
                                counts[given], given == 1 ? "" : "s", counts[results]);
}

/* Parse a call into a node; the "(" was read. */
static mnp_status parse_call(mnp__parser *p, mnp__word name, int self, mnp__node *node)
{
    mnp__array_call call = {.name = name};
    bool pair;
    if (mnp__word_is(name, "astype"))
        return parse_astype(p, node);
    if (mnp__word_is(name, "round") || mnp__word_is(name, "around"))
        return parse_round(p, name, node);
    if (self < 0 && mnp__expression_dtype(name, &node->dtype)) {
        node->kind = MNP__NODE_CAST;
        return parse_arguments(p, name, node, 1);
    }
    MNP_TRY(parse_pair(p, name, node, &pair));
    if (pair)
        return MNP_OK;
    if (mnp__array_function_find(name, &call))
        return parse_arrays(p, &call, node);
    MNP_TRY(mnp__expression_function(p->expression, name, &node->ufunc));
    return parse_arguments(p, name, node, node->ufunc->ninputs);
}

mnp_status mnp__parser_call(mnp__parser *p, mnp__word name, int self, int results, int *node_p)
{
    mnp__node node = {.kind = MNP__NODE_CALL, .at = name.start, .narguments = self >= 0, .arguments = {self}};
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(parse_call(p, name, self, &node));
    int given = node.kind == MNP__NODE_CALL     ? node.ufunc->noutputs
                : node.kind == MNP__NODE_ARRAYS ? mnp__array_call_results(&p->expression->calls[node.detail])
                                                : 1;
    if (given != results)
        return fail_results(p, name, given, results);
    return mnp__expression_add(p->expression, &node, node_p);
}

/* ---- methods ---- */

/* Add the call of a function of whole arrays that a symbol or an attribute stands for; it takes arrays alone. */
static mnp_status add_function(mnp__parser *p, const char *function, const char *at, int count, const int *arguments,
                               int *node_p)
{
    mnp__expression *expression = p->expression;
    mnp__word name = {function, strlen(function)};
    mnp__array_call call = {.name = name, .narrays = count, .node = expression->nnodes};
    mnp__node node = {.kind = MNP__NODE_ARRAYS, .at = at, .narguments = count};
    for (int i = 0; i < count; i++) {
        node.arguments[i] = arguments[i];
        call.slots[i] = i;
    }
    mnp__array_function_find(name, &call);
    MNP_TRY(mnp__expression_grow(&expression->calls, sizeof call, expression->ncalls, &expression->calls_capacity));
    node.detail = expression->ncalls;
    expression->calls[expression->ncalls++] = call;
    return mnp__expression_add(expression, &node, node_p);
}

mnp_status mnp__parser_matmul(mnp__parser *p, const char *at, int a, int b, int *node_p)
{
    return add_function(p, "matmul", at, 2, (const int[]){a, b}, node_p);
}

static mnp_status add_transpose(mnp__parser *p, int *node_p)
{
    const char *at = p->token.word.start;
    const int x = *node_p;
    MNP_TRY(mnp__parser_advance(p));
    return add_function(p, "transpose", at, 1, &x, node_p);
}

static bool is_one_of(mnp__word name, const char *const *names)
{
    for (; *names; names++) {
        if (mnp__word_is(name, *names))
            return true;
    }
    return false;
}

mnp_status mnp__parser_attribute(mnp__parser *p, int *node_p)
{
    static const char *const values[] = {"real", "imag", NULL};
    static const char *const methods[] = {"astype",  "clip",     "conj",      "conjugate",    "round",   "sum",
                                          "prod",    "mean",     "var",       "std",          "min",     "max",
                                          "argmin",  "argmax",   "all",       "any",          "ptp",     "cumsum",
                                          "cumprod", "argsort",  "take",      "ravel",        "reshape", "repeat",
                                          "squeeze", "swapaxes", "transpose", "searchsorted", NULL};
    mnp__word name = p->token.word;
    if (p->token.kind == MNP__TOKEN_NAME && is_one_of(name, values)) {
        mnp__node node = {.kind = MNP__NODE_CALL,
                          .at = name.start,
                          .narguments = 1,
                          .arguments = {*node_p},
                          .ufunc = mnp__ufunc_find(name.start, name.length)};
        MNP_TRY(mnp__parser_advance(p));
        return mnp__expression_add(p->expression, &node, node_p);
    }
    if (p->token.kind == MNP__TOKEN_NAME && mnp__word_is(name, "T"))
        return add_transpose(p, node_p);
    if (p->token.kind == MNP__TOKEN_NAME && is_one_of(name, methods)) {
        MNP_TRY(mnp__parser_advance(p));
        return mnp__parser_at(p, "(") ? mnp__parser_call(p, name, *node_p, 1, node_p)
                                      : mnp__parser_fail_expected(p, "'('");
    }
    return mnp__parser_fail_expected(
        p, "real, imag, T, or a method such as astype(TYPE), clip(LOW, HIGH) or sum() after '.'");
}
