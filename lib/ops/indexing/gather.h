/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: reading the elements of an array that indices name, on any rank.
 */
#ifndef MNP__OPS_INDEXING_GATHER_H
#define MNP__OPS_INDEXING_GATHER_H

#include "array/array.h"

/*
 * Write to `result`, dense, the elements of x at the indices: of the flattened x if axis is MNP_FLATTENED, otherwise
 * subarrays along the axis.  `index` lies dense in the layout of the result's dimensions that take the axis's place
 * (from dimension 0 on if flattened); it is int64, or int32 if mnp__gathers_here().  Where x is cut along the axis, the
 * result's other dimensions are cut as those of x.  `mode` is as in kernels/indexing/indexed_params.h; with
 * MNP_INDEXED_RAISE all indices are in range, unless mnp__gathers_here() on a GPU: those that are not are then taken as
 * 0, and *outside becomes 1 if it is not NULL.  Collective.
 */
mnp_status mnp__gather(const mnp_array *x, const mnp_array *index, int axis, int mode, int *outside, mnp_array *result);

/* Whether that is one launch, from this rank's block alone. */
bool mnp__gathers_here(const mnp_array *x, int axis);

/*
 * For take_along_axis and the like: the numbers in C order, int64, of the elements of x that the indices name, each
 * within its own line along `axis`.  The result has the shape that the indices are broadcast to.  Collective.
 */
mnp_status mnp__numbers_along(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                              mnp_array **numbers_p);

/*
 * The elements of an array in C order, as a dense vector in that layout, of `dtype` (unsafe casting): a new array,
 * which may be a view.  Collective.
 */
mnp_status mnp__lined_up(const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout, mnp_array **line_p);

#endif
