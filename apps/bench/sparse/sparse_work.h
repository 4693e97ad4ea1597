/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the cases of sparse.c share: what they work on, what they are, and how results are checked.
 */
#ifndef APPS_BENCH_SPARSE_WORK_H
#define APPS_BENCH_SPARSE_WORK_H

#include "bench/sparse/matrices.h"

typedef struct work {
    mnp_ctx *ctx, *usual_ctx; /* the second one is the command's */
    mnp_dtype dtype;
    double rate; /* bytes a second of a copy, of all ranks */
    /* Kept as long as cases have the same context, and matrix */
    const char *setting; /* of a context of its own; NULL: the usual one */
    char matrix[MATRIX_TEXT];
    mnp_sparse *a;
    mnp_array *x, *expected; /* A x */
    /* The data of the case; `other` is A in another format, or its triangle */
    mnp_sparse *other, *product;
    mnp_operator *op;
    mnp_precond *precond;
    mnp_triangular *plan;
    mnp_array *vectors, *y, *rows, *columns, *values;
} work;

typedef enum usual { OF_VECTORS, OF_MATRICES, OF_INVERSES } usual;

enum { NEEDS_GPU = 1, NEEDS_GENERATOR = 2, NEEDS_POISSON = 4 };

typedef struct sparse_case {
    const char *name;
    usual usual; /* its matrices */
    int needs;
    const char *setting;                                   /* of its context; NULL: none */
    int which;                                             /* format or kind */
    void (*prepare)(const struct sparse_case *c, work *w); /* NULL: nothing */
    mnp_status (*run)(void *argument);
    double (*bytes)(const struct sparse_case *c, const work *w);
    double (*check)(const work *w); /* the error of the result; NULL: it is a preconditioner */
} sparse_case;

/* ---- results ---- */

/* The largest difference from y, by the largest element of y. */
static inline double error_of(mnp_ctx *ctx, const mnp_array *x, const mnp_array *y)
{
    return evaluate(ctx, "max(abs(x - y)) / max(abs(y))", x, y);
}

static inline double matrix_bytes(mnp_sparse_format format, const mnp_sparse *a)
{
    const double entries = (double)mnp_sparse_nnz(a), rows = (double)mnp_sparse_shape(a)[0];
    const double values = entries * (double)mnp_dtype_size(mnp_sparse_dtype(a));
    if (format == MNP_DIA || format == MNP_BSR)
        return values;
    return values + entries * (format == MNP_COO ? 8 : 4) + (format == MNP_CSR || format == MNP_CSC ? 4 * rows : 0);
}

/* The last one is freed first. */
static inline mnp_sparse **make_anew(work *w)
{
    mnp_sparse_free(w->product);
    w->product = NULL;
    return &w->product;
}

#endif
