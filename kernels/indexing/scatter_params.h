/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of scatter.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_INDEXING_SCATTER_PARAMS_H
#define MNP_KERNELS_INDEXING_SCATTER_PARAMS_H

typedef struct mnp_scatter_params {
    void *x;
    const void *values;
    const long long *place; /* the offset in x, in elements, for every value; on a GPU sorted */
    long long inside;       /* 0; or, on the host, `place` has indices within so many elements */
    int mode;               /* of these indices, as in indexed_params.h */
    const long long
        *order;      /* on a GPU: the number of the value; values for one element keep their order.  Host: not used */
    long long count; /* how many values there are */
    long long first, span; /* on the host: the offsets to serve are first .. first + span - 1 */
} mnp_scatter_params;

#endif
