/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the parser share: expr_parse.c, expr_call.c and expr_reduce.c.
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

/* Parse a type, such as float32. */
mnp_status mnp__parser_dtype(mnp__parser *p, mnp_dtype *dtype_p);

/*
 * Parse a call of `name` from the "(" on; `self` is the node before the dot of a method, or -1.  `results` is how many
 * are wanted; if two, the node is the first.
 */
mnp_status mnp__parser_call(mnp__parser *p, mnp__word name, int self, int results, int *node_p);

/* Parse what comes after a dot; *node_p is the node before it. */
mnp_status mnp__parser_attribute(mnp__parser *p, int *node_p);

/* Parse a call of a reduction after its "(", and set a node that is not in the list yet. */
mnp_status mnp__parser_reduction(mnp__parser *p, mnp__word name, mnp__node *node);

#endif
