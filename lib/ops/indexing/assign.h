/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * x[:, index] = values by whole rows, where a row is what x has of one index: nothing is computed for each element.
 */
#ifndef MNP__OPS_INDEXING_ASSIGN_H
#define MNP__OPS_INDEXING_ASSIGN_H

#include "array/array.h"

typedef struct mnp__assignment {
    mnp_array *x;
    int axis, count;         /* so many axes, from this one on, are indexed together */
    const mnp_array *index;  /* numbers in C order among the elements along these axes, of any dtype of integers */
    int mode;                /* as in kernels/indexing/indexed_params.h; with RAISE all are in range */
    const mnp_array *values; /* of x's dtype; they have the dimensions of the index in the place of the axes */
    bool same;               /* along these they are broadcast, so that all indices get the same */
} mnp__assignment;

/*
 * Whether rows can be assigned: every rank has all that is indexed, or the ranks have it in their order and cut nothing
 * else.  All ranks find the same.
 */
bool mnp__assigns_rows(const mnp_array *x, int axis, int count);

/*
 * Assign, if that is so; of equal indices the last one wins.  Collective, and agreed upon.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__assign(const mnp__assignment *assignment);

#endif
