/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of owners.cu, shared by the library (C) and the kernel (C++).
 *
 * The dimensions of an array that are indexed form a space, whose elements are numbered in C order.
 */
#ifndef MNP_KERNELS_INDEXING_OWNERS_PARAMS_H
#define MNP_KERNELS_INDEXING_OWNERS_PARAMS_H

enum { MNP_OWNERS_DIMS = 8 };

enum { MNP_OWNERS_FIND, MNP_OWNERS_COUNT, MNP_OWNERS_PLACE };

typedef struct mnp_owners_params {
    int task, mode, ndim;             /* mode: as in indexed_params.h */
    long long count;                  /* FIND, PLACE: how many indices; COUNT: how many ranks */
    long long size;                   /* elements of the space */
    long long shape[MNP_OWNERS_DIMS]; /* its extents */
    const long long *index;           /* FIND, PLACE: the numbers of the elements, dense */
    long long *number;                /* the result.  COUNT: how many elements every rank owns.  PLACE: the element's
                                         offset in this rank's block, in elements */
    void *key;      /* FIND: the owners' ranks, as MNP_KEY, are stored here; COUNT: they are, sorted */
    long long keys; /* COUNT: how many of these */
    /* FIND: how the space is cut.  Dimension d has parts[d] + 1 cuts from cuts[first[d]] on.  The owner is
       rank + sum(part in dimension d * rank_stride[d]) */
    const long long *cuts;
    long long first[MNP_OWNERS_DIMS], parts[MNP_OWNERS_DIMS], rank_stride[MNP_OWNERS_DIMS], rank;
    /* PLACE: where this rank's block begins, and its strides */
    long long lo[MNP_OWNERS_DIMS], stride[MNP_OWNERS_DIMS];
} mnp_owners_params;

#endif
