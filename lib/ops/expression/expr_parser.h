/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the parser share: expr_statement.c, expr_parse.c, expr_call.c, expr_arguments.c, expr_subscript.c.
 */
#ifndef MNP__OPS_EXPRESSION_EXPR_PARSER_H
#define MNP__OPS_EXPRESSION_EXPR_PARSER_H

#include "ops/expression/expression.h"

typedef struct mnp__parser {
    mnp__expression *expression;
    mnp__lexer lexer;
    mnp__token token; /* the current one */
    int depth;
} mnp__parser;

mnp_status mnp__parser_advance(mnp__parser *p);

/* Whether the token is that symbol, or that name. */
bool mnp__parser_at(const mnp__parser *p, const char *symbol);
bool mnp__parser_at_name(const mnp__parser *p, const char *name);

/* Return MNP_ERR_ARG at the token, where `what` was expected. */
mnp_status mnp__parser_fail_expected(const mnp__parser *p, const char *what);

/* Advance over that symbol, which messages call `what`. */
mnp_status mnp__parser_expect(mnp__parser *p, const char *symbol, const char *what);

/* Parse an expression. */
mnp_status mnp__parser_value(mnp__parser *p, int *node_p);

/* Parse a type, such as float32, or its name as a string. */
mnp_status mnp__parser_dtype(mnp__parser *p, mnp_dtype *dtype_p);

/*
 * Parse a call of `name` from the "(" on; `self` is the node before the dot of a method, or -1.  `results` is how many
 * are wanted; if several, the node is the first.
 */
mnp_status mnp__parser_call(mnp__parser *p, mnp__word name, int self, int results, int *node_p);

/* Parse what comes after a dot; *node_p is the node before it. */
mnp_status mnp__parser_attribute(mnp__parser *p, int *node_p);

/*
 * Parse the arguments of a function of whole arrays after its "(", up to and with the ")", by its signature; a node
 * that has an argument is that of a method.
 */
mnp_status mnp__parser_arguments(mnp__parser *p, const char *signature, mnp__array_call *call, mnp__node *node);

/* What is in brackets: constant subscripts, or one expression, which is a mask or has indices. */
typedef struct mnp__brackets {
    const char *at;
    int subscripts; /* the number of subscripts in the expression, or -1 */
    int expression; /* a node, or -1 */
} mnp__brackets;

/* Parse brackets from the "[" on. */
mnp_status mnp__parser_brackets(mnp__parser *p, mnp__brackets *brackets);

/* Replace *node_p by the part of it that brackets select. */
mnp_status mnp__parser_select(mnp__parser *p, const mnp__brackets *brackets, int *node_p);

/* Parse an operator that Python has with "=" after it, such as the + of +=; MNP__OP_NONE if the token is none. */
mnp__operator mnp__parser_augmenting(const mnp__parser *p);

/* Add the node of an operator; b is -1 if it has one operand. */
mnp_status mnp__parser_operation(mnp__parser *p, const char *at, mnp__operator op, int a, int b, int *node_p);

/* Add the node of a @ b. */
mnp_status mnp__parser_matmul(mnp__parser *p, const char *at, int a, int b, int *node_p);

bool mnp__word_is_reserved(mnp__word word);

#endif
