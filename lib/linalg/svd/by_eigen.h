/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular values and vectors of larger matrices by eigenvalues, on GPUs: see by_eigen.c. */
#ifndef MNP__LINALG_SVD_EIGEN_H
#define MNP__LINALG_SVD_EIGEN_H

#include "linalg/dense/dense.h"

/* Whether matrices, which are not wide, are decomposed so. */
bool mnp__svd_eigen_serves(const mnp__place *place, const mnp_array *a, mnp_dtype dtype);

/*
 * Decompose matrices that are not wide (m x n): values s, and with u_p and vh_p not NULL vectors u (m x n, or m x m
 * with `full`) and vh (n x n), new arrays with the dimensions of `a`.  *done_p is false, and nothing is made, if an
 * element is not finite, or if the result would not be as accurate as LAPACK's.  Collective.
 */
mnp_status mnp__svd_eigen(const mnp_array *a, mnp_dtype dtype, bool full, mnp_array **u_p, mnp_array **s_p,
                          mnp_array **vh_p, bool *done_p);

/*
 * The Hermitian factor of one matrix of float64 or complex128, not wide, whose polar decomposition is a = q h: see
 * halley.c.  *done_p is false, and nothing is made, if an element is not finite, if all are 0, or if h is not as
 * accurate as a stable method's.  Collective.
 */
mnp_status mnp__polar_factor(const mnp_array *a, mnp_array **h_p, bool *done_p);

#endif
