/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of range.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_INDEXING_RANGE_PARAMS_H
#define MNP_KERNELS_INDEXING_RANGE_PARAMS_H

typedef struct mnp_range_params {
    const void *index; /* `count` numbers, dense */
    long long count, low, high;
    int *outside; /* becomes 1 if a number is outside low .. high - 1 */
} mnp_range_params;

#endif
