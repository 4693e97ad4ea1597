/* SPDX-License-Identifier: BSD-3-Clause */
/* What the translation of an expression to stages shares: eval_program.c, and eval_kernels.c, which makes kernels. */
#ifndef MNP__OPS_EXPRESSION_EVAL_BUILDER_H
#define MNP__OPS_EXPRESSION_EVAL_BUILDER_H

#include "ops/expression/eval_program.h"

/* The nodes on whose arrays the extents of a value depend, in the order of the list. */
typedef struct mnp__spread {
    int count;
    int nodes[MNP__MAX_NEEDED];
} mnp__spread;

typedef struct mnp__builder {
    mnp_ctx *ctx;
    const mnp__request *request;
    mnp__expression *expression;
    const mnp_dtype *dtypes;
    mnp__program *program;
    bool *wanted, *stored; /* of each node: outputs depend on it; its values are to become an array */
    int *phases;           /* how many assignments to parts of arrays come before the node */
    mnp__spread **spreads; /* of what each call reduces, or NULL */
} mnp__builder;

/* A node that a loop computes, and the value that it becomes. */
typedef struct mnp__target {
    int node, value;
    const char *name;
    mnp_dtype type, memory;
} mnp__target;

static inline mnp__node *mnp__builder_node(const mnp__builder *b, int number)
{
    return &b->expression->nodes[number];
}

/* The operand that a node is, whose array is there. */
mnp__operand mnp__builder_operand(const mnp__builder *b, int number);

/* MNP_ERR_ARG if indices are used of dimensions that a result of `ndim` does not have. */
mnp_status mnp__builder_check_dims(const mnp__builder *b, const mnp__need *need, int ndim);

/* Make the loop of a stage, which computes nodes that are marked as live. */
mnp_status mnp__builder_loop(const mnp__builder *b, const mnp__need *need, int count, const mnp__target *targets,
                             mnp__stage *stage);

/* Make the reduction of a stage, whose values are computed by nodes that are marked as live. */
mnp_status mnp__builder_reduction(const mnp__builder *b, const mnp__need *need, const mnp__array_call *call,
                                  mnp__stage *stage);

#endif
