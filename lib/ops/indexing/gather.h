/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: what lies at indices along some dimensions of an array, wherever that is.
 */
#ifndef MNP__OPS_INDEXING_GATHER_H
#define MNP__OPS_INDEXING_GATHER_H

#include "array/array.h"

/*
 * Write to `result`, dense, what of x is at the indices: elements of the flattened x if axis is MNP_FLATTENED, else
 * subarrays.  `index` lies dense in the layout of the result's dimensions from `axis` on (0 if flattened) that stand
 * for it.  Where x is cut along the axis, the result's other dimensions are cut as those of x.  `mode` is as in
 * kernels/indexing/indexed_params.h; no index is outside where that is MNP_INDEXED_RAISE.  Collective.
 */
mnp_status mnp__gather(const mnp_array *x, const mnp_array *index, int axis, int mode, mnp_array *result);

/*
 * The numbers in C order, int64, of the elements of x that indices speak of which lie beside them along `axis`: for
 * take_along_axis and the like.  The result has the shape that the indices are broadcast to.  Collective.
 */
mnp_status mnp__numbers_along(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                              mnp_array **numbers_p);

/*
 * The elements of an array in C order, as a vector in that layout, dense, of `dtype` (unsafe casting): a new array,
 * which may be a view.  Collective.
 */
mnp_status mnp__lined_up(const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout, mnp_array **line_p);

#endif
