/* SPDX-License-Identifier: BSD-3-Clause */
/* What inverse.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_LINALG_INVERSE_PARAMS_H
#define MNP_KERNELS_LINALG_INVERSE_PARAMS_H

/* Matrices of n x n in column-major order, which their inverses replace: one for each block of threads. */
typedef struct mnp_inverse_params {
    void *matrices;
    int *info; /* of each matrix: 0, or the number of the pivot that is 0, from 1 on */
    long long n, ld, step;
} mnp_inverse_params;

enum { MNP_INVERSE_SIDE = 16, MNP_INVERSE_MOST = 64 }; /* threads along a row, and a column; rows at most */

#endif
