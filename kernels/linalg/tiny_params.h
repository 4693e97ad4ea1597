/* SPDX-License-Identifier: BSD-3-Clause */
/* What tiny.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_LINALG_TINY_PARAMS_H
#define MNP_KERNELS_LINALG_TINY_PARAMS_H

/* What is computed of each matrix: MNP_TASK, which the preprocessor compares. */
#define MNP_TINY_INVERSE 0
#define MNP_TINY_DETERMINANT 1
#define MNP_TINY_SOLUTION 2

typedef struct mnp_tiny_params {
    const void *matrices; /* in C order, one behind the other */
    void *results;        /* inverses, likewise; signs, or determinants; right-hand sides, which solutions replace */
    void *logarithms;     /* of the absolute values of determinants; NULL: `results` takes determinants, not signs */
    int *info;       /* of each matrix: 0, or the number of the pivot that is 0, from 1 on; determinants have none */
    long long count; /* matrices */
    long long columns, ld, step; /* right-hand sides of a matrix, in column-major order */
} mnp_tiny_params;

#endif
