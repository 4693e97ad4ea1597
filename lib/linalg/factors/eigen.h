/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues of Hermitian matrices, for the functions that reduce others to them. */
#ifndef MNP__LINALG_EIGEN_H
#define MNP__LINALG_EIGEN_H

#include <maniple/decompositions.h>

#include "linalg/dense/dense.h"

/*
 * mnp_eigh() in the name of another function, and with v_p NULL mnp_eigvalsh().  Unless `range` is NULL only the
 * eigenvalues of that range, whose count_p is not used.  Collective.
 */
mnp_status mnp__linalg_eigh(const char *function, const mnp_array *a, bool upper, const mnp__eigen_range *range,
                            mnp_array **w_p, mnp_array **v_p);

/*
 * The eigenvalues of a matrix of n rows that a caller asks for: MNP_ERR_ARG if there are none such; without a subset
 * all numbers.  Not collective.
 */
mnp_status mnp__eigen_range_of(const char *function, int64_t n, mnp_subset subset, double from, double to,
                               mnp__eigen_range *range);

#endif
