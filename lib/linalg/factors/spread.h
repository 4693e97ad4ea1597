/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues and singular values of one matrix that all ranks hold together: see eigen_spread.c and svd_spread.c.
 *
 * The matrix is condensed over its panels to two diagonals, rank 0 gives these to LAPACK, and each rank takes its own
 * columns of the vectors back to those of the matrix.  One rank does LAPACK's part for all, as other processors and
 * numbers of threads round in other ways, and vectors of values that agree would not fit together.
 */
#ifndef MNP__LINALG_SPREAD_H
#define MNP__LINALG_SPREAD_H

#include "linalg/dense/dense.h"

/* Columns of a panel: every rank works on the vectors of panels, so these are narrower than for other algorithms. */
enum { MNP__CONDENSED_WIDTH = 32 };

/*
 * The exponent of a power of two that brings the largest modulus of an array into the range in which squares neither
 * overflow nor vanish; 0 where that is not needed.  *finite_p: whether there is neither NaN nor infinity; LAPACK then
 * has to say what comes of them.  Collective.
 */
mnp_status mnp__spread_scale(const mnp_array *a, mnp_dtype dtype, int *exponent_p, bool *finite_p);

/* Copy the matrix, times 2^exponent, to new spread matrices.  Collective. */
mnp_status mnp__spread_read(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, int exponent,
                            mnp__dense *dense);

/* A vector of n real numbers, times 2^-exponent, as an array of the place, and a number that LAPACK reports. */
mnp_status mnp__spread_values(const mnp__place *place, mnp_dtype real, int64_t n, const double *values, int exponent,
                              mnp_array **values_p);
mnp_status mnp__spread_info(const mnp__place *place, int info, mnp_array **info_p);

/* Rank 0's numbers on the CPU to all ranks; NULL: there are none.  Collective. */
mnp_status mnp__spread_share(const mnp_ctx *ctx, double *numbers, int64_t count);

/*
 * New spread matrices of m x n, the identity but for the first k rows and columns, which are a real matrix that the CPU
 * has in column-major order, or with `turned` its transpose.  Collective.
 */
mnp_status mnp__spread_columns(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, int64_t k,
                               const double *from, bool turned, mnp__dense *to);

/* Both triangles of Hermitian matrices of which one is given; the diagonals are real.  Collective. */
mnp_status mnp__hermitian_whole(const mnp_array *a, bool upper, mnp_array **whole_p);

/*
 * The eigenvalues of the Hermitian matrix a, one triangle of which is read, in ascending order, on every rank; and with
 * `vectors` its eigenvectors, spread.  Unless `range` is NULL only those of that range, whose count_p is not used.
 * *done_p is false, and nothing is made, if that triangle has NaN or infinities.  MNP_ERR_LINALG.  Collective.
 */
mnp_status mnp__spread_eigh(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool upper,
                            const mnp__eigen_range *range, mnp_array **values_p, mnp__dense *vectors, bool *done_p);

/*
 * The same for the singular values of `a` (m x n, m >= n) in descending order, on every rank; and unless u is NULL the
 * vectors, in blocks: u is m x n, or with `full` m x m.
 */
mnp_status mnp__spread_svd(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool full, mnp_array **s_p,
                           mnp__dense *u, mnp_array **vh_p, bool *done_p);

/*
 * Rows and columns from which on all ranks together are quicker than one rank's LAPACK, as far as was measured, or
 * those that are set.  On GPUs one of them computes unless that is set: LAPACK's part of the work is the CPU's, and
 * none of it has been measured there.
 */
int64_t mnp__spread_worth(const mnp_ctx *ctx, bool singular);

#endif
