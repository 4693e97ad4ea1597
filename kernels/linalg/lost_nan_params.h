/* SPDX-License-Identifier: BSD-3-Clause */
/* What lost_nan.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_LINALG_LOST_NAN_PARAMS_H
#define MNP_KERNELS_LINALG_LOST_NAN_PARAMS_H

/* Matrices of m x n in column-major order. */
typedef struct mnp_lost_nan_params {
    void *matrices;
    int *marks; /* one for each column of each matrix: whether there was NaN in it */
    long long m, n, ld, step;
    long long count; /* of columns: of all matrices to find marks, or those that a diagonal ends in to put NaN there */
    int puts;
} mnp_lost_nan_params;

#endif
