/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of owners.cu, shared by the library (C) and the kernel (C++).
 *
 * Some dimensions of an array, the ones that are indexed, make a space, whose elements have numbers in C order.
 */
#ifndef MNP_KERNELS_INDEXING_OWNERS_PARAMS_H
#define MNP_KERNELS_INDEXING_OWNERS_PARAMS_H

enum { MNP_OWNERS_DIMS = 8 };

enum { MNP_OWNERS_FIND, MNP_OWNERS_COUNT, MNP_OWNERS_PLACE };

typedef struct mnp_owners_params {
    int task, mode, ndim;             /* mode: as in indexed_params.h */
    long long count;                  /* indices; for COUNT, ranks */
    long long size;                   /* elements of the space */
    long long shape[MNP_OWNERS_DIMS]; /* its extents */
    const long long *index;           /* FIND, PLACE: numbers of elements, dense */
    long long *number;                /* COUNT: of every rank, how many.  PLACE: the element's place in this rank's
                                         block, in elements */
    void *key;                        /* FIND: the rank that owns it, a MNP_KEY; COUNT: these in order */
    long long keys;                   /* COUNT: how many */
    /* FIND: how the space is cut: parts[d] + 1 points of dimension d from cuts[first[d]] on; ranks are rank + sum(part
       of d * rank_stride[d]) */
    const long long *cuts;
    long long first[MNP_OWNERS_DIMS], parts[MNP_OWNERS_DIMS], rank_stride[MNP_OWNERS_DIMS], rank;
    /* PLACE: where this rank's block begins, and its strides */
    long long lo[MNP_OWNERS_DIMS], stride[MNP_OWNERS_DIMS];
} mnp_owners_params;

#endif
