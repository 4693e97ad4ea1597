/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of calls: functions, casts, methods and attributes.
 */
#include "ops/expression/expr_parser.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "ops/reduction/numpy_reductions.h"

mnp_status mnp__parser_dtype(mnp__parser *p, mnp_dtype *dtype_p)
{
    if (p->token.kind != MNP__TOKEN_NAME || !mnp__expression_dtype(p->token.word, dtype_p))
        return mnp__parser_fail_expected(p, "a type such as float32");
    return mnp__parser_advance(p);
}

static mnp_status fail_count(const mnp__parser *p, mnp__word name, const char *wanted, int count)
{
    return mnp__expression_fail(p->expression, name.start, "%.*s takes %s, but is given %d", (int)name.length,
                                name.start, wanted, count);
}

/* Add numpy.isclose's default values for missing arguments. */
static mnp_status add_tolerances(mnp__parser *p, mnp__node *node, int *count)
{
    static const double tolerances[] = {1e-5, 1e-8}; /* rtol, atol */
    for (; *count >= 2 && *count < 4; ++*count) {
        mnp__node number = {
            .kind = MNP__NODE_NUMBER, .at = node->at, .number = {.kind = 'f', .real = tolerances[*count - 2]}};
        MNP_TRY(mnp__expression_add(p->expression, &number, &node->arguments[*count]));
    }
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

mnp_status mnp__parser_call(mnp__parser *p, mnp__word name, int self, int results, int *node_p)
{
    mnp__node node = {.kind = MNP__NODE_CALL, .at = name.start, .narguments = self >= 0, .arguments = {self}};
    MNP_TRY(mnp__parser_advance(p));
    if (mnp__word_is(name, "astype")) {
        MNP_TRY(parse_astype(p, &node));
    } else if (self < 0 && mnp__expression_dtype(name, &node.dtype)) {
        node.kind = MNP__NODE_CAST;
        MNP_TRY(parse_arguments(p, name, &node, 1));
    } else if (mnp__reduce_find(name.start, name.length)) {
        MNP_TRY(mnp__parser_reduction(p, name, &node));
    } else {
        MNP_TRY(mnp__expression_function(p->expression, name, &node.ufunc));
        MNP_TRY(parse_arguments(p, name, &node, node.ufunc->ninputs));
    }
    int given = node.kind == MNP__NODE_CALL ? node.ufunc->noutputs : 1;
    if (given > results)
        return mnp__expression_fail(p->expression, name.start,
                                    "%.*s has two results; take them as in: a, b = "
                                    "%.*s(...)",
                                    (int)name.length, name.start, (int)name.length, name.start);
    if (given < results)
        return mnp__expression_fail(p->expression, name.start, "%.*s has one result, not two", (int)name.length,
                                    name.start);
    return mnp__expression_add(p->expression, &node, node_p);
}

mnp_status mnp__parser_attribute(mnp__parser *p, int *node_p)
{
    static const char *const values[] = {"real", "imag"};
    static const char *const methods[] = {"astype", "clip", "conj", "conjugate", "round",  "sum",    "prod", "mean",
                                          "var",    "std",  "min",  "max",       "argmin", "argmax", "all",  "any"};
    mnp__word name = p->token.word;
    for (size_t i = 0; p->token.kind == MNP__TOKEN_NAME && i < sizeof values / sizeof *values; i++) {
        if (mnp__word_is(name, values[i])) {
            mnp__node node = {.kind = MNP__NODE_CALL,
                              .at = name.start,
                              .narguments = 1,
                              .arguments = {*node_p},
                              .ufunc = mnp__ufunc_find(name.start, name.length)};
            MNP_TRY(mnp__parser_advance(p));
            return mnp__expression_add(p->expression, &node, node_p);
        }
    }
    for (size_t i = 0; p->token.kind == MNP__TOKEN_NAME && i < sizeof methods / sizeof *methods; i++) {
        if (mnp__word_is(name, methods[i])) {
            MNP_TRY(mnp__parser_advance(p));
            return mnp__parser_at(p, "(") ? mnp__parser_call(p, name, *node_p, 1, node_p)
                                          : mnp__parser_fail_expected(p, "'('");
        }
    }
    return mnp__parser_fail_expected(p, "real, imag, or a method such as astype(TYPE), clip(LOW, HIGH) or sum() after "
                                        "'.'");
}
