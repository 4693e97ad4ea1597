/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * x[:, index] = values on a GPU that has all of x: whole rows are moved at once.
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
} mnp__assignment;

/* Whether x is all on one rank with a GPU, and the axes lie in its memory as one. */
bool mnp__assigns_here(const mnp_array *x, int axis, int count);

/* Assign, if that is so; of equal indices the last one wins.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE. */
mnp_status mnp__assign(const mnp__assignment *assignment);

#endif
