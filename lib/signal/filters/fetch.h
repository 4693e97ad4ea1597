/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fetching what a rank needs of lines that are cut: element o of a result along an axis needs a range of elements of
 * the input, which other ranks may own.
 *
 * Where the axis is not cut, the rank's own block is read where it lies.  Otherwise the mover brings the range for the
 * rank's block of the result, to memory of its own.
 */
#ifndef MNP__SIGNAL_FETCH_H
#define MNP__SIGNAL_FETCH_H

#include "array/array.h"

/*
 * The elements [*begin_p, *end_p) that elements [lo, hi) of a result need, of which there is one at least.  They may
 * lie beyond the ends of the input, where nothing is fetched.
 */
typedef void (*mnp__reach)(const void *argument, int64_t lo, int64_t hi, int64_t *begin_p, int64_t *end_p);

typedef struct mnp__fetched {
    const void *data; /* element `first` of the first line; NULL if nothing is needed */
    int64_t first, length;
    int64_t strides[MNP_MAX_DIMS]; /* of the dimensions of the input, in elements */
    void *memory;                  /* of its own, or NULL */
} mnp__fetched;

/*
 * Fetch what this rank needs of x for its block of `layout`, which has the dimensions of x but for the extent along
 * `axis`, and is cut alike in the others.  After a failure there is nothing to free.  Collective.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__fetch(const mnp_array *x, const mnp_layout *layout, int axis, mnp__reach reach, const void *argument,
                      mnp__fetched *fetched);
void mnp__fetched_free(mnp_ctx *ctx,
                       mnp__fetched *fetched); /* after what was enqueued; a struct of zeros is accepted */

/*
 * The layout of a result that has `extent` elements along `axis` and is otherwise cut as `from`: along the axis as
 * `from` if it has as many elements there, else into equal parts.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
mnp_status mnp__lines_layout(const mnp_layout *from, int axis, int64_t extent, mnp_layout **layout_p);

#endif
