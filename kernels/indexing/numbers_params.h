/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of numbers.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_INDEXING_NUMBERS_PARAMS_H
#define MNP_KERNELS_INDEXING_NUMBERS_PARAMS_H

typedef struct mnp_numbers_params {
    long long count, inside; /* how many indices, and of how many elements */
    int mode;                /* as in indexed_params.h */
    const long long *index;
    void *number; /* the result, as MNP_NUMBER */
} mnp_numbers_params;

#endif
