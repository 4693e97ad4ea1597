/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners: indices go to the ranks that own the elements they name, and these find the elements in their blocks.
 *
 * Some dimensions of an array are indexed, those of a mask of axes; an index is the number in C order of one of their
 * elements.  What is at an index on one rank is the whole of its block along the other dimensions.
 */
#ifndef MNP__OPS_INDEXING_OWNERS_H
#define MNP__OPS_INDEXING_OWNERS_H

#include "array/array.h"
#include "array/move/shuffle.h"

/* Whether every rank that owns anything owns all of the dimensions that are indexed, so that nothing has to travel. */
bool mnp__owns_all(const mnp_layout *layout, unsigned axes);

/*
 * Where in this rank's block, in elements from x->data, the dimensions' elements of those indices are.  `mode` is as in
 * kernels/indexing/indexed_params.h.  Pointers are of device memory.  All ranks must call it, as a kernel is compiled.
 */
mnp_status mnp__owners_place(const mnp_array *x, unsigned axes, const int64_t *index, int64_t count, int mode,
                             int64_t *places);

/* The way of a rank's indices to the owners, and of what it asks them for back to it, or of what it brings them. */
typedef struct mnp__route {
    mnp_ctx *ctx;
    mnp__shuffle *shuffle;
    int64_t count, received; /* indices of this rank; those that came to it from all ranks, in their order */
    int64_t sent;            /* `count`, or more where elements have several owners */
    int64_t *order;          /* device: the indices' numbers (modulo count) in the order in which they are sent */
    int64_t *places;         /* device: where what is asked for, or comes, is in this rank's block */
} mnp__route;

/*
 * Send the indices, dense in device memory, to the owners.  Among replicas one is asked that is near; or, if `all`,
 * every replica is told.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__route_new(const mnp_array *x, unsigned axes, const int64_t *index, int64_t count, int mode, bool all,
                          mnp__route **route_p);
void mnp__route_free(mnp__route *route); /* NULL is accepted */

#endif
