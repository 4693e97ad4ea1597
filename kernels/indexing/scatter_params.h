/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of scatter.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_INDEXING_SCATTER_PARAMS_H
#define MNP_KERNELS_INDEXING_SCATTER_PARAMS_H

typedef struct mnp_scatter_params {
    void *x;
    const void *values;
    const long long *place; /* in x, in elements, of every value; on a GPU in order */
    long long inside;       /* 0; or, on the host, places are indices of as many elements */
    int mode;               /* of these, as in indexed_params.h */
    const long long
        *order;      /* on a GPU: which value that is; values of one place are in their order.  Not used on the host */
    long long count; /* values */
    long long first, span; /* on the host: places are first .. first + span - 1 */
} mnp_scatter_params;

#endif
