/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The struct of a linear operator, and what its kinds provide.
 */
#ifndef MNP__SPARSE_OPERATOR_OPERATOR_H
#define MNP__SPARSE_OPERATOR_OPERATOR_H

#include <maniple/solve.h>

#include "array/array.h"

/* A kind of operator: what an application is, in words for a report; apply; and how to free its data. */
typedef struct mnp__operator_ops {
    const char *what;
    mnp_status (*apply)(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y);
    void (*free)(mnp_operator *op); /* free op->data; collective; NULL: there is nothing to free */
} mnp__operator_ops;

struct mnp_operator {
    unsigned tag; /* MNP__TAG_operator: see base/call.h */
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *row_layout, *column_layout;
    const mnp__operator_ops *ops;
    void *data;               /* the kind's */
    const mnp_sparse *matrix; /* the matrix, where the operator is one; else NULL */
    bool has_adjoint;
    bool enqueues; /* apply only enqueues, so it can be recorded in a graph */
};

/* A new operator without data, for a kind to complete.  Collective, and agreed upon.  MNP_ERR_MEMORY. */
mnp_status mnp__operator_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *rows, const mnp_layout *columns,
                             const mnp__operator_ops *ops, mnp_operator **operator_p);

/* MNP_ERR_ARG, beginning with `function`, unless it is float32, float64, complex64 or complex128. */
mnp_status mnp__operator_check_dtype(const char *function, mnp_dtype dtype);

/* y = A x or A^H x of dense vectors in the operator's dtype and layouts, enqueued.  Collective. */
mnp_status mnp__operator_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y);

/* MNP_ERR_ARG, beginning with `function`, unless the operator is square with equal layouts. */
mnp_status mnp__operator_check_square(const char *function, const mnp_operator *op);

/*
 * The dtype of a product, or of a solution: the wider one of an operator's and of the vectors', real numbers of other
 * types than float32 counting as float64, as in scipy.sparse.linalg.  Not collective.
 */
mnp_dtype mnp__operator_wider(mnp_dtype own, mnp_dtype vectors);

/*
 * The operator for vectors of that dtype, which is complex where the operator's is; *made_p is NULL where it is the
 * operator's own.  It must not outlive the operator.  Release with mnp_operator_free().  Collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__operator_in_dtype(const mnp_operator *op, mnp_dtype dtype, mnp_operator **made_p);

/*
 * A linear function of vectors of one dtype, applied to vectors of another, by way of rooms, which are vectors of its
 * own dtype in the layouts of x and y.  Open with `apply` and `data` set, and rooms of zeros; collective, like apply.
 */
typedef struct mnp__conversion {
    mnp_status (*apply)(const void *data, bool adjoint, const mnp_array *x, mnp_array *y);
    const void *data;
    mnp_array *rooms[2];
} mnp__conversion;
mnp_status mnp__conversion_open(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *x_layout, const mnp_layout *y_layout,
                                mnp__conversion *conversion);
void mnp__conversion_close(mnp__conversion *conversion);
mnp_status mnp__conversion_apply(const mnp__conversion *by, bool adjoint, const mnp_array *x, mnp_array *y);

/* A dense copy of x in that dtype and layout; MNP_ERR_ARG for a complex x and a real dtype.  Collective. */
mnp_status mnp__vector_of(const char *function, const mnp_array *x, mnp_dtype dtype, const mnp_layout *layout,
                          mnp_array **vector_p);

/* A new vector, all 0.  Collective. */
mnp_status mnp__vector_zeros(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **vector_p);

#endif
