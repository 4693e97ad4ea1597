/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of expressions, which turns tokens into nodes by recursive descent.  Precedence is Python's, from loose to
 * tight:
 *
 *   a if c else b, c ? a : b;  or;  and;  not;  comparisons;  |;  ^;  &;  << >>;  + -;  * @ / // %;  signs, ~;  **
 *
 * ** binds tighter than a sign on its left, and is right-associative.
 */
#include "ops/expression/expr_parser.h"

#include <string.h>

#include "base/status.h"

enum { MAX_DEPTH = 200 }; /* of nested parentheses, signs and conditions */

static mnp_status parse_unary(mnp__parser *p, int *node_p);

/* ---- tokens and nodes ---- */

mnp_status mnp__parser_advance(mnp__parser *p)
{
    return mnp__lexer_next(&p->lexer, &p->token);
}

bool mnp__parser_at(const mnp__parser *p, const char *symbol)
{
    return p->token.kind == MNP__TOKEN_SYMBOL && mnp__word_is(p->token.word, symbol);
}

bool mnp__parser_at_name(const mnp__parser *p, const char *name)
{
    return p->token.kind == MNP__TOKEN_NAME && mnp__word_is(p->token.word, name);
}

mnp_status mnp__parser_fail_expected(const mnp__parser *p, const char *what)
{
    mnp__word found = p->token.word;
    if (p->token.kind == MNP__TOKEN_END)
        return mnp__expression_fail(p->expression, found.start, "expected %s, but the text ends here", what);
    if (*found.start == '\n')
        return mnp__expression_fail(p->expression, found.start, "expected %s, but the line ends here", what);
    int length = found.length < 100 ? (int)found.length : 100;
    return mnp__expression_fail(p->expression, found.start, "expected %s, but found '%.*s'", what, length, found.start);
}

mnp_status mnp__parser_expect(mnp__parser *p, const char *symbol, const char *what)
{
    return mnp__parser_at(p, symbol) ? mnp__parser_advance(p) : mnp__parser_fail_expected(p, what);
}

static mnp_status enter(mnp__parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return mnp__expression_fail(p->expression, p->token.word.start, "more than %d levels within each other",
                                    MAX_DEPTH);
    return MNP_OK;
}

mnp_status mnp__parser_operation(mnp__parser *p, const char *at, mnp__operator op, int a, int b, int *node_p)
{
    const char *name = mnp__operator_ufunc(op);
    mnp__node node = {.kind = MNP__NODE_CALL,
                      .at = at,
                      .op = op,
                      .ufunc = mnp__ufunc_find(name, strlen(name)),
                      .narguments = b < 0 ? 1 : 2,
                      .arguments = {a, b}};
    return mnp__expression_add(p->expression, &node, node_p);
}

/* ---- from tight to loose ---- */

bool mnp__word_is_reserved(mnp__word word)
{
    static const char *const words[] = {"and", "or", "not", "if", "else"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (mnp__word_is(word, words[i]))
            return true;
    }
    return false;
}

static mnp_status parse_atom(mnp__parser *p, int *node_p)
{
    mnp__token token = p->token;
    if (token.kind == MNP__TOKEN_NUMBER) {
        mnp__node node = {.kind = MNP__NODE_NUMBER, .at = token.word.start, .number = token.number};
        MNP_TRY(mnp__parser_advance(p));
        return mnp__expression_add(p->expression, &node, node_p);
    }
    if (mnp__parser_at(p, "(")) {
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(mnp__parser_value(p, node_p));
        return mnp__parser_expect(p, ")", "')'");
    }
    if (token.kind == MNP__TOKEN_STRING)
        return mnp__expression_fail(p->expression, token.word.start - 1,
                                    "a string is no value: strings are for options such as method='linear'");
    if (token.kind != MNP__TOKEN_NAME || mnp__word_is_reserved(token.word))
        return mnp__parser_fail_expected(p, "a value");
    MNP_TRY(mnp__parser_advance(p));
    if (mnp__parser_at(p, "("))
        return mnp__parser_call(p, token.word, -1, 1, node_p);
    return mnp__expression_name(p->expression, token.word, node_p);
}

static mnp_status parse_power(mnp__parser *p, int *node_p)
{
    int exponent;
    MNP_TRY(parse_atom(p, node_p));
    while (mnp__parser_at(p, ".") || mnp__parser_at(p, "[")) {
        mnp__brackets brackets;
        if (mnp__parser_at(p, "[")) {
            MNP_TRY(mnp__parser_brackets(p, &brackets));
            MNP_TRY(mnp__parser_select(p, &brackets, node_p));
        } else {
            MNP_TRY(mnp__parser_advance(p));
            MNP_TRY(mnp__parser_attribute(p, node_p));
        }
    }
    if (!mnp__parser_at(p, "**"))
        return MNP_OK;
    const char *at = p->token.word.start;
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(parse_unary(p, &exponent));
    return mnp__parser_operation(p, at, MNP__OP_POWER, *node_p, exponent, node_p);
}

static mnp_status parse_unary(mnp__parser *p, int *node_p)
{
    mnp__operator op = mnp__parser_at(p, "-")   ? MNP__OP_NEGATIVE
                       : mnp__parser_at(p, "+") ? MNP__OP_POSITIVE
                       : mnp__parser_at(p, "~") ? MNP__OP_INVERT
                                                : MNP__OP_NONE;
    const char *at = p->token.word.start;
    MNP_TRY(enter(p));
    if (op == MNP__OP_NONE) {
        MNP_TRY(parse_power(p, node_p));
    } else {
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_unary(p, node_p));
        MNP_TRY(mnp__parser_operation(p, at, op, *node_p, -1, node_p));
    }
    p->depth--;
    return MNP_OK;
}

static const struct binary_operator {
    const char *symbol;
    int level; /* higher ones bind tighter */
    mnp__operator op;
} binary_operators[] = {
    {"|", 0, MNP__OP_OR},           {"^", 1, MNP__OP_XOR},
    {"&", 2, MNP__OP_AND},          {"<<", 3, MNP__OP_LEFT_SHIFT},
    {">>", 3, MNP__OP_RIGHT_SHIFT}, {"+", 4, MNP__OP_ADD},
    {"-", 4, MNP__OP_SUBTRACT},     {"*", 5, MNP__OP_MULTIPLY},
    {"/", 5, MNP__OP_DIVIDE},       {"//", 5, MNP__OP_FLOOR_DIVIDE},
    {"%", 5, MNP__OP_REMAINDER},
};
static const struct binary_operator comparisons[] = {
    {"<", 0, MNP__OP_LESS},           {"<=", 0, MNP__OP_LESS_EQUAL}, {">", 0, MNP__OP_GREATER},
    {">=", 0, MNP__OP_GREATER_EQUAL}, {"==", 0, MNP__OP_EQUAL},      {"!=", 0, MNP__OP_NOT_EQUAL},
};
enum {
    NUM_BINARY_OPERATORS = sizeof binary_operators / sizeof *binary_operators,
    NUM_COMPARISONS = sizeof comparisons / sizeof *comparisons,
    MATMUL_LEVEL = 5, /* @, which is no function of elements */
    UNARY_LEVEL = 6
};

mnp__operator mnp__parser_augmenting(const mnp__parser *p)
{
    mnp__word word = p->token.word;
    if (p->token.kind != MNP__TOKEN_SYMBOL || word.length < 2 || word.start[word.length - 1] != '=')
        return MNP__OP_NONE;
    word.length--;
    for (int i = 0; i < NUM_BINARY_OPERATORS; i++) {
        if (mnp__word_is(word, binary_operators[i].symbol))
            return binary_operators[i].op;
    }
    return mnp__word_is(word, "**") ? MNP__OP_POWER : MNP__OP_NONE;
}

static mnp__operator find_operator(const mnp__parser *p, const struct binary_operator *table, int rows, int level)
{
    for (int i = 0; i < rows; i++) {
        if (table[i].level == level && mnp__parser_at(p, table[i].symbol))
            return table[i].op;
    }
    return MNP__OP_NONE;
}

static mnp_status parse_binary(mnp__parser *p, int level, int *node_p)
{
    if (level == UNARY_LEVEL)
        return parse_unary(p, node_p);
    MNP_TRY(parse_binary(p, level + 1, node_p));
    for (;;) {
        const mnp__operator op = find_operator(p, binary_operators, NUM_BINARY_OPERATORS, level);
        const char *at = p->token.word.start;
        int right;
        if (op == MNP__OP_NONE && !(level == MATMUL_LEVEL && mnp__parser_at(p, "@")))
            return MNP_OK;
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_binary(p, level + 1, &right));
        MNP_TRY(op == MNP__OP_NONE ? mnp__parser_matmul(p, at, *node_p, right, node_p)
                                   : mnp__parser_operation(p, at, op, *node_p, right, node_p));
    }
}

/* Parse comparisons: a < b <= c is a < b and b <= c, where b is computed once. */
static mnp_status parse_comparison(mnp__parser *p, int *node_p)
{
    int left, chain = -1;
    MNP_TRY(parse_binary(p, 0, &left));
    *node_p = left;
    for (mnp__operator op; (op = find_operator(p, comparisons, NUM_COMPARISONS, 0)) != MNP__OP_NONE;) {
        const char *at = p->token.word.start;
        int right;
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_binary(p, 0, &right));
        MNP_TRY(mnp__parser_operation(p, at, op, left, right, node_p));
        if (chain >= 0)
            MNP_TRY(mnp__parser_operation(p, at, MNP__OP_LOGICAL_AND, chain, *node_p, node_p));
        chain = *node_p;
        left = right;
    }
    return MNP_OK;
}

static mnp_status parse_not(mnp__parser *p, int *node_p)
{
    const char *at = p->token.word.start;
    if (!mnp__parser_at_name(p, "not"))
        return parse_comparison(p, node_p);
    MNP_TRY(enter(p));
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(parse_not(p, node_p));
    p->depth--;
    return mnp__parser_operation(p, at, MNP__OP_NOT, *node_p, -1, node_p);
}

static mnp_status parse_and(mnp__parser *p, int *node_p)
{
    MNP_TRY(parse_not(p, node_p));
    while (mnp__parser_at_name(p, "and")) {
        const char *at = p->token.word.start;
        int right;
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_not(p, &right));
        MNP_TRY(mnp__parser_operation(p, at, MNP__OP_LOGICAL_AND, *node_p, right, node_p));
    }
    return MNP_OK;
}

static mnp_status parse_or(mnp__parser *p, int *node_p)
{
    MNP_TRY(parse_and(p, node_p));
    while (mnp__parser_at_name(p, "or")) {
        const char *at = p->token.word.start;
        int right;
        MNP_TRY(mnp__parser_advance(p));
        MNP_TRY(parse_and(p, &right));
        MNP_TRY(mnp__parser_operation(p, at, MNP__OP_LOGICAL_OR, *node_p, right, node_p));
    }
    return MNP_OK;
}

/* Parse a value, which may be a condition: a if c else b, as in Python, or c ? a : b, as in C. */
mnp_status mnp__parser_value(mnp__parser *p, int *node_p)
{
    mnp__node node = {.kind = MNP__NODE_CHOOSE, .narguments = 3};
    int first, second, third;
    MNP_TRY(enter(p));
    MNP_TRY(parse_or(p, &first));
    node.at = p->token.word.start;
    bool python = mnp__parser_at_name(p, "if");
    if (!python && !mnp__parser_at(p, "?")) {
        *node_p = first;
        p->depth--;
        return MNP_OK;
    }
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(python ? parse_or(p, &second) : mnp__parser_value(p, &second));
    if (python ? !mnp__parser_at_name(p, "else") : !mnp__parser_at(p, ":"))
        return mnp__parser_fail_expected(p, python ? "'else'" : "':'");
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(mnp__parser_value(p, &third));
    node.arguments[0] = python ? second : first;
    node.arguments[1] = python ? first : second;
    node.arguments[2] = third;
    p->depth--;
    return mnp__expression_add(p->expression, &node, node_p);
}
