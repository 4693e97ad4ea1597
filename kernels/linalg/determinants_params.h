/* SPDX-License-Identifier: BSD-3-Clause */
/* What determinants.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_LINALG_DETERMINANTS_PARAMS_H
#define MNP_KERNELS_LINALG_DETERMINANTS_PARAMS_H

typedef struct mnp_determinants_params {
    const void *diagonals; /* of U, n numbers of each matrix */
    const int *rows;       /* with which rows changed places, from 1 on, as LAPACK has them */
    void *results;         /* signs, or determinants */
    void *logarithms;      /* of the absolute values; NULL: `results` takes determinants, not signs */
    long long count, n;    /* matrices; rows of each */
} mnp_determinants_params;

#endif
