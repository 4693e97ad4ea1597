/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of compact.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_INDEXING_COMPACT_PARAMS_H
#define MNP_KERNELS_INDEXING_COMPACT_PARAMS_H

enum { MNP_COMPACT_TILE = 16384 }; /* elements */

enum { MNP_COMPACT_COUNT, MNP_COMPACT_SUM, MNP_COMPACT_WRITE };

typedef struct mnp_compact_params {
    const unsigned char *mask; /* bytes, 0 or 1 */
    long long stride, length;  /* of the mask: its stride in bytes, its elements */
    long long *before;         /* COUNT stores the number of true elements in each tile.  SUM turns these into the
                                  numbers before each tile, and appends the number of all */
    const void *src;           /* WRITE: the array to select from; NULL: the elements' numbers are stored */
    long long src_stride;      /* in elements */
    long long first;           /* the number of the first element */
    void *dst;                 /* WRITE: the result, dense */
    int task;
} mnp_compact_params;

#endif
