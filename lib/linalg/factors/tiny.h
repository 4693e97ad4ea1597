/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inverses, determinants and systems of matrices of a few rows on GPUs, where a thread has a matrix in registers
 * (kernels/linalg/tiny.cu).  One launch, from and to arrays in C order, where cuSOLVER and cuBLAS take several, which
 * are slow for such matrices.
 */
#ifndef MNP__LINALG_TINY_H
#define MNP__LINALG_TINY_H

#include "linalg/factors/systems.h"

/* Whether matrices of n x n are computed so; and systems of these with so many right-hand sides each. */
bool mnp__tiny_serves(const mnp__place *place, mnp_dtype dtype, int64_t n);
bool mnp__tiny_solves(const mnp__systems *systems, int64_t n);

/* A new array of a's inverses in C order.  MNP_ERR_LINALG if a matrix is singular.  Waits.  Collective. */
mnp_status mnp__tiny_inverse(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp_array **inverse_p);

/*
 * To arrays of a number for each matrix: signs, and the logarithms of the absolute values, as numpy.linalg.slogdet; or,
 * with logarithms NULL, determinants.  Collective.
 */
mnp_status mnp__tiny_determinants(const mnp__place *place, const mnp_array *a, const mnp_array *signs,
                                  const mnp_array *logarithms);

/* Replace right-hand sides by solutions.  MNP_ERR_LINALG if a matrix is singular.  Waits.  Collective. */
mnp_status mnp__tiny_solve(const mnp__systems *systems, const mnp_array *a);

#endif
