/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Systems of equations: matrices and right-hand sides whose batches are broadcast, with NumPy's rules; and one matrix
 * with one right-hand side, for least squares.
 */
#ifndef MNP__LINALG_SYSTEMS_H
#define MNP__LINALG_SYSTEMS_H

#include "linalg/dense/dense.h"

typedef struct mnp__systems {
    mnp__place place;
    mnp_dtype dtype;
    bool vector;  /* b is one vector, and so is the result */
    mnp__dense b; /* copies of the right-hand sides, which the solutions replace */
} mnp__systems;

/*
 * Check a and b, find the place for their systems, and copy b.  b is a vector of as many elements as `a` has rows if
 * it has one dimension, and otherwise has matrices in its last two dimensions, as in NumPy 2.  MNP_ERR_ARG if they do
 * not fit each other, or x, which may be NULL, not the result.  Close also after a failure.  Collective.
 */
mnp_status mnp__systems_open(const char *function, const mnp_array *a, const mnp_array *b, const mnp_array *x,
                             mnp__systems *systems);
void mnp__systems_close(mnp__systems *systems);

/* Give the solutions to the caller, from systems->b, which may have been replaced by other matrices.  Collective. */
mnp_status mnp__systems_give(mnp__systems *systems, mnp_array **x_p);

/*
 * Factor the lower triangles of positive definite matrices in place, and report which one is none.  MNP_ERR_LINALG.
 * Collective.
 */
mnp_status mnp__dense_potrf(const mnp__place *place, const mnp__dense *a);

/*
 * Solve op(A) X = B in place, with triangular matrices A.  Not collective, unless they are spread; then the ranks agree
 * on the status.
 */
mnp_status mnp__dense_trsm(const mnp__place *place, const mnp__dense *a, bool upper, bool unit, char op,
                           const mnp__dense *b);

/* Check the arguments of a function like mnp_lstsq(), whose last outputs may be NULL, and find the dtype. */
mnp_status mnp__least_check(const char *function, const mnp_array *a, const mnp_array *b, mnp_array **x_p,
                            mnp_array **residuals_p, mnp_array **s_p, mnp_dtype *dtype_p);

/*
 * The sums of the squares of b - a x, of each column, if they are more than rounding: of full rank and m > n; otherwise
 * an empty array.  Collective.
 */
mnp_status mnp__least_residuals(const mnp_array *a, const mnp_array *b, const mnp_array *x, int64_t rank,
                                mnp_array **residuals_p);

#endif
