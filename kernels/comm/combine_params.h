/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of combine.cu: shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_COMM_COMBINE_PARAMS_H
#define MNP_KERNELS_COMM_COMBINE_PARAMS_H

typedef struct mnp_combine_params {
    const void *parts; /* of every rank `count` elements, one after the other; this rank's are at `own` instead */
    const void *own;
    void *dst;
    long long count, ranks, rank;
} mnp_combine_params;

#endif
