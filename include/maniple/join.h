/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining arrays, splitting them, and moving their elements, in NumPy's words.
 *
 * Arguments may have any layouts and be views.  A result has their layout where it is the same for all of them and the
 * dimensions that change are not cut, so that nothing moves between ranks; otherwise that of mnp_layout_block().  A
 * given array must have the result's shape, may have any layout and any dtype to which the result can be cast under
 * "same_kind", and may share memory with the arguments.  All functions are collective, unless they say otherwise.
 * MNP_ERR_ARG if arguments are scalars (mnp_scalar_int() and its like), if shapes do not fit or an axis does not exist;
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_JOIN_H
#define MANIPLE_JOIN_H

#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/lists.h>
#include <maniple/signal.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MNP_FLATTENED INT32_MIN /* where NumPy has axis=None: of the flattened array */

/* Arrays and their number, as two arguments of a call: mnp_concatenate(MNP_LIST(x, y, z), 0, &all). */
#define MNP_LIST(...)                                                                                                  \
    MNP_LIST_OF(const mnp_array *const, __VA_ARGS__), MNP_COUNT_OF(const mnp_array *const, __VA_ARGS__)

/*
 * numpy.concatenate along a dimension that is there; MNP_FLATTENED: of the flattened arrays.  The dtype is what
 * promotion gives, or that of the given array, to which same_kind casting is done.
 */
MNP_API mnp_status mnp_concatenate(const mnp_array *const *arrays, int count, int axis, mnp_array **result_p);

/* numpy.stack: arrays of one shape along a new dimension. */
MNP_API mnp_status mnp_stack(const mnp_array *const *arrays, int count, int axis, mnp_array **result_p);

/*
 * numpy.vstack (of rows), hstack (along the second dimension, or the only one), dstack (along the third), column_stack.
 */
MNP_API mnp_status mnp_vstack(const mnp_array *const *arrays, int count, mnp_array **result_p);
MNP_API mnp_status mnp_hstack(const mnp_array *const *arrays, int count, mnp_array **result_p);
MNP_API mnp_status mnp_dstack(const mnp_array *const *arrays, int count, mnp_array **result_p);
MNP_API mnp_status mnp_column_stack(const mnp_array *const *arrays, int count, mnp_array **result_p);

/* numpy.append: `values` after x; MNP_FLATTENED: both flattened. */
MNP_API mnp_status mnp_append(const mnp_array *x, const mnp_array *values, int axis, mnp_array **result_p);

/*
 * numpy.insert at one index: x[:index], values and x[index:] joined along `axis`, where values are broadcast to the
 * shape of x in all other dimensions; and numpy.delete of a slice: x[:start] and x[stop:].  Negative indices count from
 * the end; those of mnp_delete() are clipped as in a slice.  MNP_ERR_ARG if index is outside.  The dtype is that of x.
 */
MNP_API mnp_status mnp_insert(const mnp_array *x, int64_t index, const mnp_array *values, int axis,
                              mnp_array **result_p);
MNP_API mnp_status mnp_delete(const mnp_array *x, int64_t start, int64_t stop, int axis, mnp_array **result_p);

/*
 * numpy.insert at several indices: the slices of `values` along `axis`, slice k before element indices[k] of x, and
 * those before the same element in their order.  The indices are integers in one dimension, in any layout, of which
 * negative ones count from the end.  Values are broadcast to the shape of x with as many slices as there are indices,
 * and cast to the dtype of x.  Waits.  MNP_ERR_ARG also if an index is outside.
 */
MNP_API mnp_status mnp_insert_each(const mnp_array *x, const mnp_array *indices, const mnp_array *values, int axis,
                                   mnp_array **result_p);

/*
 * numpy.split into equal parts (MNP_ERR_ARG if the extent is not a multiple of count); numpy.array_split into parts of
 * which the first may be longer by one; and numpy.split at indices (negative ones count from the end), which gives
 * count + 1 parts.  `parts` receives views of x: each parts[i] is NULL before, or an array that is released, as in
 * <maniple/view.h>.  Nothing is moved.
 */
MNP_API mnp_status mnp_split(const mnp_array *x, int count, int axis, mnp_array **parts);
MNP_API mnp_status mnp_array_split(const mnp_array *x, int count, int axis, mnp_array **parts);
MNP_API mnp_status mnp_split_at(const mnp_array *x, int count, const int64_t *indices, int axis, mnp_array **parts);

/*
 * numpy.unstack: the parts of x at the indices of an axis, of which there are `count`, the extent of that axis.  parts
 * is as for mnp_split(): views without the axis.  Not collective.
 */
MNP_API mnp_status mnp_unstack(const mnp_array *x, int count, int axis, mnp_array **parts);

/*
 * numpy.broadcast_arrays: a view of each of `count` arrays, one or more, with the shape that all have when they are
 * broadcast.  views receives them as parts does in mnp_split().  Those that repeat elements are read-only.
 * MNP_ERR_ARG if the shapes do not broadcast.  Not collective.
 */
MNP_API mnp_status mnp_broadcast_arrays(const mnp_array *const *arrays, int count, mnp_array **views);

/*
 * numpy.pad: widths[2*d] elements before and widths[2*d + 1] after dimension d, by the boundary's rule; any number of
 * them.  `value`, for MNP_BOUNDARY_FILL, is one element of x's dtype; NULL is zero.  MNP_ERR_ARG if a width is
 * negative, or where there is nothing to repeat.
 */
MNP_API mnp_status mnp_pad(const mnp_array *x, const int64_t *widths, mnp_boundary mode, const void *value,
                           mnp_array **result_p);

/*
 * numpy.pad with mode="constant" and a constant for every side: `values` are 2 * ndim elements of x's dtype, in the
 * order of the widths.  In a corner, the constant of the last of its dimensions is used.
 */
MNP_API mnp_status mnp_pad_constant(const mnp_array *x, const int64_t *widths, const void *values,
                                    mnp_array **result_p);

/*
 * numpy.roll: element i moves to index i + shifts[j] along dimension axes[j], modulo the extent; a dimension that is
 * named more than once is rolled by the sum.  axes NULL: the flattened array, by the sum of the shifts.  The result has
 * the layout of x.
 */
MNP_API mnp_status mnp_roll(const mnp_array *x, int count, const int64_t *shifts, const int *axes,
                            mnp_array **result_p);

/*
 * numpy.tile: x repeated repeats[d] times along each dimension; where one of x and `repeats` is shorter, it is filled
 * with ones in front.
 */
MNP_API mnp_status mnp_tile(const mnp_array *x, int count, const int64_t *repeats, mnp_array **result_p);

/*
 * numpy.repeat: every element `repeats` times along the dimension; MNP_FLATTENED: of the flattened array.  x has fewer
 * than MNP_MAX_DIMS dimensions.  The result is cut where x is, and nothing moves between ranks.
 */
MNP_API mnp_status mnp_repeat(const mnp_array *x, int64_t repeats, int axis, mnp_array **result_p);

/*
 * The same with a number of repeats for each element along the dimension: a vector of integers, or one for all.  Waits.
 * MNP_ERR_ARG if one is negative.
 */
MNP_API mnp_status mnp_repeat_each(const mnp_array *x, const mnp_array *repeats, int axis, mnp_array **result_p);

#ifdef __cplusplus
}
#endif

#endif
