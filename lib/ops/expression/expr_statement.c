/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of statements: assignments to names, to parts of arrays, and of several results; and the value at the end.
 */
#include "ops/expression/expr_parser.h"

#include <string.h>

#include "base/status.h"

/* ---- statements ---- */

static mnp_status check_target(const mnp__parser *p, mnp__word name)
{
    if (mnp__word_is_reserved(name) || mnp__word_is(name, "True") || mnp__word_is(name, "False"))
        return mnp__expression_fail(p->expression, name.start, "'%.*s' cannot be assigned to", (int)name.length,
                                    name.start);
    return MNP_OK;
}

/* Parse q, r = divmod(x, y), of which the first name was read, or more names. */
static mnp_status parse_names(mnp__parser *p, mnp__word first)
{
    static const char wanted[] = "a function of several results, such as divmod";
    mnp__word names[MNP__MAX_RESULTS] = {first};
    int node, count = 1;
    while (mnp__parser_at(p, ",")) {
        MNP_TRY(mnp__parser_advance(p));
        if (p->token.kind != MNP__TOKEN_NAME || count == MNP__MAX_RESULTS)
            return mnp__parser_fail_expected(p, count == 1 ? "a second name" : "another name, of at most four,");
        names[count++] = p->token.word;
        MNP_TRY(check_target(p, p->token.word));
        MNP_TRY(mnp__parser_advance(p));
    }
    MNP_TRY(mnp__parser_expect(p, "=", "'='"));
    mnp__word name = p->token.word;
    if (p->token.kind != MNP__TOKEN_NAME || mnp__word_is_reserved(name))
        return mnp__parser_fail_expected(p, wanted);
    MNP_TRY(mnp__parser_advance(p));
    if (!mnp__parser_at(p, "("))
        return mnp__expression_fail(p->expression, name.start, "expected %s", wanted);
    MNP_TRY(mnp__parser_call(p, name, -1, count, &node));
    bool of_elements = p->expression->nodes[node].kind == MNP__NODE_CALL;
    MNP_TRY(mnp__expression_assign(p->expression, first, node));
    for (int i = 1; i < count; i++) {
        mnp__node other = {.kind = of_elements ? MNP__NODE_SECOND : MNP__NODE_RESULT,
                           .at = name.start,
                           .part = i,
                           .narguments = 1,
                           .arguments = {node}};
        MNP_TRY(mnp__expression_add(p->expression, &other, &p->expression->last));
        MNP_TRY(mnp__expression_assign(p->expression, names[i], p->expression->last));
    }
    return MNP_OK;
}

static mnp_status parse_augmented(mnp__parser *p, mnp__word name, mnp__operator op)
{
    const char *at = p->token.word.start;
    mnp__node node = {.kind = MNP__NODE_KEEP, .at = at, .narguments = 2};
    int right, result;
    MNP_TRY(mnp__expression_name(p->expression, name, &node.arguments[1]));
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(mnp__parser_value(p, &right));
    MNP_TRY(mnp__parser_operation(p, at, op, node.arguments[1], right, &node.arguments[0]));
    MNP_TRY(mnp__expression_add(p->expression, &node, &result));
    p->expression->last = result;
    return mnp__expression_assign(p->expression, name, result);
}

/* Parse the rest of x[1:] = value, or x[1:] += value, after the brackets.  The name gets the array with that part. */
static mnp_status parse_part(mnp__parser *p, mnp__word name, const mnp__brackets *brackets)
{
    const char *at = p->token.word.start;
    mnp__operator op = mnp__parser_augmenting(p);
    mnp__node keep = {.kind = MNP__NODE_KEEP, .at = at, .narguments = 2};
    mnp__node store = {.kind = MNP__NODE_STORE,
                       .at = brackets->at,
                       .narguments = brackets->expression < 0 ? 2 : 3,
                       .arguments = {0, 0, brackets->expression},
                       .detail = brackets->subscripts};
    int right, part;
    MNP_TRY(mnp__expression_name(p->expression, name, &part));
    store.arguments[0] = part;
    MNP_TRY(mnp__parser_advance(p));
    if (op == MNP__OP_NONE) {
        MNP_TRY(mnp__parser_value(p, &store.arguments[1]));
    } else {
        MNP_TRY(mnp__parser_select(p, brackets, &part));
        MNP_TRY(mnp__parser_value(p, &right));
        MNP_TRY(mnp__parser_operation(p, at, op, part, right, &keep.arguments[0]));
        keep.arguments[1] = part;
        MNP_TRY(mnp__expression_add(p->expression, &keep, &store.arguments[1]));
    }
    MNP_TRY(mnp__expression_add(p->expression, &store, &p->expression->last));
    return mnp__expression_assign(p->expression, name, p->expression->last);
}

/* Parse an expression without a name, which must be the last statement; `start` is where it begins. */
static mnp_status parse_value(mnp__parser *p)
{
    const char *start = p->token.word.start;
    MNP_TRY(mnp__parser_value(p, &p->expression->last));
    for (int i = 0; i < p->expression->noutputs; i++) {
        if (!*p->expression->output_names[i])
            return MNP_OK;
    }
    if (mnp__parser_at(p, "="))
        return mnp__expression_fail(p->expression, start,
                                    "only a name, or a part of an array such as x[1:], can be assigned to");
    return mnp__expression_fail(p->expression, start, "expected 'name =' before an expression");
}

/*
 * Parse x[...] = value if that comes next, after the name; *done_p is whether it was.  Otherwise what was parsed of the
 * brackets is of no use: it is parsed again as an expression.
 */
static mnp_status try_part(mnp__parser *p, mnp__word name, bool *done_p)
{
    mnp__parser before = *p;
    mnp__expression *expression = p->expression;
    int nodes = expression->nnodes, calls = expression->ncalls, subscripts = expression->nsubscripts;
    mnp__brackets brackets;
    MNP_TRY(mnp__parser_brackets(p, &brackets));
    *done_p = mnp__parser_at(p, "=") || mnp__parser_augmenting(p) != MNP__OP_NONE;
    if (*done_p) {
        MNP_TRY(check_target(p, name));
        return parse_part(p, name, &brackets);
    }
    for (int i = 0; i < MNP__MAX_NAMES; i++)
        expression->input_nodes[i] = expression->input_nodes[i] > nodes ? 0 : expression->input_nodes[i];
    expression->nnodes = nodes;
    expression->ncalls = calls;
    expression->nsubscripts = subscripts;
    *p = before;
    return MNP_OK;
}

static mnp_status parse_statement(mnp__parser *p)
{
    mnp__parser before = *p;
    mnp__word name = p->token.word;
    bool done = false;
    if (p->token.kind != MNP__TOKEN_NAME)
        return parse_value(p);
    MNP_TRY(mnp__parser_advance(p));
    if (mnp__parser_at(p, "["))
        MNP_TRY(try_part(p, name, &done));
    if (done)
        return MNP_OK;
    mnp__operator op = mnp__parser_augmenting(p);
    bool several = mnp__parser_at(p, ","), assigned = mnp__parser_at(p, "=");
    if (!several && !assigned && op == MNP__OP_NONE) {
        *p = before;
        return parse_value(p);
    }
    MNP_TRY(check_target(p, name));
    if (several)
        return parse_names(p, name);
    if (op != MNP__OP_NONE)
        return parse_augmented(p, name, op);
    MNP_TRY(mnp__parser_advance(p));
    MNP_TRY(mnp__parser_value(p, &p->expression->last));
    return mnp__expression_assign(p->expression, name, p->expression->last);
}

static mnp_status parse_statements(mnp__parser *p)
{
    mnp__expression *expression = p->expression;
    expression->last = -1;
    MNP_TRY(mnp__parser_advance(p));
    while (p->token.kind != MNP__TOKEN_END) {
        if (p->token.kind == MNP__TOKEN_SEPARATOR) {
            MNP_TRY(mnp__parser_advance(p));
            continue;
        }
        MNP_TRY(parse_statement(p));
        if (mnp__parser_at(p, "="))
            return mnp__expression_fail(expression, p->token.word.start,
                                        "unexpected '='; a comparison is written '=='");
        if (p->token.kind != MNP__TOKEN_END && p->token.kind != MNP__TOKEN_SEPARATOR)
            return mnp__parser_fail_expected(p, "an operator or the end of the statement");
    }
    if (expression->last < 0)
        return mnp__expression_fail(expression, p->token.word.start, "the text has no statement");
    return MNP_OK;
}

/* ---- outputs ---- */

static mnp_status find_outputs(mnp__expression *expression)
{
    for (int i = 0; i < expression->noutputs; i++) {
        const char *name = expression->output_names[i];
        const mnp__variable *variable = mnp__expression_variable(expression, (mnp__word){name, strlen(name)});
        if (*name && !variable) {
            mnp__word nearest = mnp__expression_nearest_variable(expression, name);
            return MNP_FAIL(MNP_ERR_ARG, "output '%s' is never assigned in '%.200s'%s%.*s%s", name, expression->text,
                            nearest.length ? "; did you mean '" : "", (int)nearest.length,
                            nearest.length ? nearest.start : "", nearest.length ? "'?" : "");
        }
        expression->outputs[i] = *name ? variable->node : expression->last;
    }
    return MNP_OK;
}

mnp_status mnp__expression_parse(mnp__expression *expression)
{
    mnp__parser p = {.expression = expression, .lexer = {.expression = expression, .next = expression->text}};
    MNP_TRY(parse_statements(&p));
    return find_outputs(expression);
}
