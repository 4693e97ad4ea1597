/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What eigsolvers share: blocks of vectors side by side, small eigenproblems, residuals and results.
 */
#ifndef MNP__SPARSE_EIGEN_RITZ_H
#define MNP__SPARSE_EIGEN_RITZ_H

#include <complex.h>

#include <maniple/eigen.h>

#include "sparse/krylov/basis.h"
#include "sparse/operator/operator.h"
#include "sparse/precond/precond.h"

/* Vectors side by side, for products with a sparse matrix that take all at once, and a view of each. */
typedef struct mnp__block {
    mnp_array *array;    /* (rows, width), dense in C order, cut as the operator's columns */
    mnp_array **columns; /* views */
    int width;
} mnp__block;

/* All 0.  Collective, and agreed upon.  MNP_ERR_MEMORY. */
mnp_status mnp__block_new(const mnp_operator *op, int width, mnp__block *block);
void mnp__block_free(mnp__block *block); /* zeros are accepted.  Collective. */

/*
 * y = A x for blocks; and y = M x for the columns that are wanted[], while the others stay, with two vectors of
 * scratch, `room`, where x may be y.  Collective.
 */
mnp_status mnp__block_apply(const mnp_operator *op, const mnp__block *x, const mnp__block *y, mnp_array *const room[2]);
mnp_status mnp__block_precondition(const mnp_precond *precond, const mnp__block *x, const mnp__block *y,
                                   const bool *wanted, mnp_array *const room[2]);

/*
 * The eigenvalues w (rising) of a Hermitian matrix of n rows, double or double _Complex, of which rank 0 has the upper
 * triangle, and its eigenvectors in place of it, by columns: computed by rank 0, with the same bits on all.  *finite_p:
 * the matrix was, else nothing is computed.  Collective, and agreed upon.
 */
mnp_status mnp__ritz_eigh(mnp_ctx *ctx, int n, bool is_complex, void *a, double *w, bool *finite_p);

/*
 * Small matrices, by rows: c += factor * b; c += sign * a b, or a^H b, of `rows` and `columns`, over `inner`; c = a b.
 */
void mnp__small_add_row(int count, double _Complex factor, const double _Complex *b, double _Complex *c);
void mnp__small_add_product(int rows, int inner, int columns, bool adjoint, double sign, const double _Complex *a,
                            const double _Complex *b, double _Complex *c);
void mnp__small_multiply(int rows, int inner, int columns, bool adjoint, const double _Complex *a,
                         const double _Complex *b, double _Complex *c);

/*
 * Coefficients by which n columns of that Gram matrix give *found_p orthonormal ones, where they are not so far from
 * it: n rows of *found_p numbers.  By Cholesky's factor R of the matrix, without columns whose pivot is not above
 * `limit` of their square: kept[] are the others, rising, and basis = 1 / R, so that the first are made of the first.
 * kept: room for n; r: for the square of n, as is basis.
 */
void mnp__small_triangularise(int n, const double _Complex *gram, double limit, int *kept, double _Complex *r,
                              double _Complex *basis, int *found_p);

/*
 * r = A x - B x theta, of as many columns as r has, and their norms, the same bits on all ranks: `both` are the columns
 * of A x, then those of B x, of which r may be some.  matrix: room for twice the square of their number.  Collective.
 */
mnp_status mnp__ritz_residuals(mnp_ctx *ctx, mnp__tall *tall, const mnp__columns *both, const mnp__columns *r,
                               const double *theta, double _Complex *matrix, double *norms);

/* Machine epsilon of vectors of that dtype. */
double mnp__ritz_epsilon(mnp_dtype dtype);

/* A result with room for `count` residuals.  Collective, and agreed upon. */
mnp_status mnp__ritz_result(mnp_ctx *ctx, int count, mnp_eigen_result *result);

#endif
