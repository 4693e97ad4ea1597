/*
 * Inside a linear operator.
 */
#ifndef MNP__SPARSE_OPERATOR_H
#define MNP__SPARSE_OPERATOR_H

#include <maniple/solve.h>

#include "array/array.h"

struct mnp_operator {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *row_layout, *column_layout;
    const mnp_sparse *matrix; /* NULL: it is the caller's functions */
    mnp_operator_apply apply, adjoint;
    void *argument;
};

/* y = A x or A^H x of dense vectors in the operator's dtype and layouts, enqueued.  Collective. */
mnp_status mnp__operator_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y);

/* MNP_ERR_ARG, beginning with `function`, unless the operator is square with equal layouts. */
mnp_status mnp__operator_check_square(const char *function, const mnp_operator *op);

/* x as a new vector in that dtype and layout, dense; a complex x for real vectors is MNP_ERR_ARG.  Collective. */
mnp_status mnp__vector_of(const char *function, const mnp_array *x, mnp_dtype dtype, const mnp_layout *layout,
                          mnp_array **vector_p);

/* A new vector, all 0.  Collective. */
mnp_status mnp__vector_zeros(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **vector_p);

#endif
