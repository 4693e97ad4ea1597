/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanczos' method for eigenvalues of Hermitian operators: see lanczos.c. */
#ifndef MNP__SPARSE_EIGEN_LANCZOS_H
#define MNP__SPARSE_EIGEN_LANCZOS_H

#include "sparse/eigen/ritz.h"

enum { MNP__LANCZOS_MOST = 1000 }; /* vectors of a space */

/*
 * k eigenvalues and eigenvectors of an operator.  In the options the zeros that mean defaults are replaced by these.
 * `values` has room for k, and so have `vectors` and the result's residuals.  Collective, and agreed upon.
 */
mnp_status mnp__lanczos_run(const mnp_operator *op, int k, const mnp_eigsh_options *options, const mnp__block *vectors,
                            double *values, mnp_eigen_result *result);

#endif
