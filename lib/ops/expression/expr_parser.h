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
    mnp__token token; /* the one that is looked at */
    int depth;
} mnp__parser;

mnp_status mnp__parser_advance(mnp__parser *p);

/* Whether the token is that symbol, or that name. */
bool mnp__parser_at(const mnp__parser *p, const char *symbol);
bool mnp__parser_at_name(const mnp__parser *p, const char *name);

/* MNP_ERR_ARG at the token, which is not `what`. */
mnp_status mnp__parser_fail_expected(const mnp__parser *p, const char *what);

/* Advance over that symbol, which `what` says in words. */
mnp_status mnp__parser_expect(mnp__parser *p, const char *symbol, const char *what);

/* An expression. */
mnp_status mnp__parser_value(mnp__parser *p, int *node_p);

/* A type, such as float32. */
mnp_status mnp__parser_dtype(mnp__parser *p, mnp_dtype *dtype_p);

/*
 * A call, from the "(" on; `name` is what is called, and `self` the node before the dot of a method or -1.  So many
 * results are wanted; of two the node is the first.
 */
mnp_status mnp__parser_call(mnp__parser *p, mnp__word name, int self, int results, int *node_p);

/* What comes after a dot; *node_p is the node before it. */
mnp_status mnp__parser_attribute(mnp__parser *p, int *node_p);

/* The same of a reduction, from behind the "(" on, as a node that is not in the list yet. */
mnp_status mnp__parser_reduction(mnp__parser *p, mnp__word name, mnp__node *node);

#endif
