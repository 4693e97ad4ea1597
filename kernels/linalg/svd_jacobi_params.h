/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of kernels/linalg/svd_jacobi.cu, which lib/linalg/svd/jacobi.c launches.
 */
#ifndef MNP__KERNELS_LINALG_SVD_JACOBI_PARAMS_H
#define MNP__KERNELS_LINALG_SVD_JACOBI_PARAMS_H

typedef struct mnp_svd_params {
    void *a;      /* m x n, m >= n, in column-major order; destroyed */
    void *u;      /* m x columns */
    void *vh;     /* n x n */
    void *values; /* n, real */
    int32_t *info;
    int64_t batch, a_ld, a_step, u_ld, u_step, vh_ld, vh_step; /* in elements */
    int m, n;
    int columns; /* of U that are wanted: n or m, or 0 for singular values alone */
    int lanes;   /* threads that work on a pair of columns together: a power of two, from 8 to 32 */
} mnp_svd_params;

#endif
