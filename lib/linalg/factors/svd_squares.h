/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular values and vectors of larger float32 matrices through float64, on GPUs: see svd_squares.c. */
#ifndef MNP__LINALG_SVD_SQUARES_H
#define MNP__LINALG_SVD_SQUARES_H

#include "linalg/dense/dense.h"

/* Whether matrices, which are not wide, are decomposed so. */
bool mnp__svd_squares_serves(const mnp__place *place, const mnp_array *a, mnp_dtype dtype);

/*
 * Decompose matrices that are not wide (m x n): values s, and with u_p and vh_p not NULL vectors u (m x n, or m x m with
 * `full`) and vh (n x n), new arrays with the dimensions of `a`.  *done_p is false, and nothing is made, if an element
 * is not finite.  Collective.
 */
mnp_status mnp__svd_squares(const mnp_array *a, mnp_dtype dtype, bool full, mnp_array **u_p, mnp_array **s_p,
                            mnp_array **vh_p, bool *done_p);

#endif
