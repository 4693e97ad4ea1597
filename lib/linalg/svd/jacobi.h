/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular values and vectors of small matrices by a kernel of our own, on GPUs: see jacobi.c. */
#ifndef MNP__LINALG_SVD_JACOBI_H
#define MNP__LINALG_SVD_JACOBI_H

#include "linalg/dense/dense.h"

/*
 * Whether it is the way for matrices of m x n, m >= n: not on the host, and if they fit into the memory that a block of
 * threads shares.
 */
bool mnp__svd_jacobi_serves(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, bool vectors);

/* The kernel for them.  Collective. */
mnp_status mnp__svd_jacobi_load(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, bool vectors,
                                mnp__kernel **kernel_p);

/* Launch it for a job as of LAPACK's gesdd.  Not collective. */
mnp_status mnp__svd_jacobi_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__lapack_job *job);

#endif
