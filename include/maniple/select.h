/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selecting elements by indices, by masks and by choices, in NumPy's words; and writing to elements so selected.
 *
 * Indices are of any integer type (or bool, which counts as 0 and 1), of any shape, and lie in any layout; negative
 * ones count from the end.  Where they may be out of range, a call first checks all of them, and waits for the
 * answer; with MNP_WRAP and MNP_CLIP it need not.  Every rank sends the indices of elements on other ranks to their
 * owners, and receives the elements, so no rank holds more than it asked for or was asked for.  Where every rank has as
 * many indices as there are elements, all elements are brought to all ranks instead.
 *
 * An output that is given must have the result's shape, may have any layout and any type that the result can be cast to
 * under "same_kind", and may share memory with the inputs.  Where a new result lies is said below.  A result whose size
 * is the number of true elements of a mask has the layout of mnp_layout_block(); such calls wait for that number.
 *
 * All of them are collective.  MNP_ERR_ARG, with the index and the bounds of the first in C order, if one is out of
 * range; for shapes that do not fit, types that are none of the above, and arrays that cannot be written: nothing is
 * changed then.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_SELECT_H
#define MANIPLE_SELECT_H

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What happens to an index outside -n .. n-1: an error; it is taken modulo n; it becomes the nearest (0 if negative).
 */
typedef enum mnp_index_mode { MNP_RAISE, MNP_WRAP, MNP_CLIP } mnp_index_mode;

/* ---- by indices ---- */

/*
 * numpy.take: the elements of x, or its subarrays along `axis`, at the indices; MNP_FLATTENED (join.h): elements of the
 * flattened array.  With axis 0 it is x[indices].  The indices' dimensions take the place of the axis; where x is cut
 * along the axis, the longest of them is cut as evenly as possible.  The other dimensions are cut as in x.
 */
MNP_API mnp_status mnp_take(const mnp_array *x, const mnp_array *indices, int axis, mnp_index_mode mode,
                            mnp_array **out_p);

/*
 * numpy.put: x.flat[indices] = values, of which the last one wins where an index is repeated.  `values`, an array or a
 * number (MNP_SCALAR), are cast to the type of x; there may be more than indices, and fewer are repeated.
 */
MNP_API mnp_status mnp_put(mnp_array *x, const mnp_array *indices, const mnp_array *values, mnp_index_mode mode);

/*
 * numpy.take_along_axis, put_along_axis: for every line along `axis`, elements at the indices that lie beside it.
 * Indices have as many dimensions as x, and are broadcast with it but along the axis; MNP_FLATTENED: x is flattened,
 * and the indices have one dimension.  Values are broadcast to the indices, and cast to the type of x; the last one
 * wins.
 */
MNP_API mnp_status mnp_take_along_axis(const mnp_array *x, const mnp_array *indices, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_put_along_axis(mnp_array *x, const mnp_array *indices, const mnp_array *values, int axis);

/*
 * numpy.add.at and the like: x[indices] = function(x[indices], values), where repeated indices are applied one after
 * the other, in their order.  Indices are along the first axis.  `function` is the name of an element-wise function of
 * one result; its second operand, broadcast to the shape of x[indices], is an array or a number, and NULL if it takes
 * only one.  MNP_ERR_ARG too if the result cannot be cast to the type of x under "same_kind".
 */
MNP_API mnp_status mnp_ufunc_at(const char *function, mnp_array *x, const mnp_array *indices, const mnp_array *values);

/*
 * Apply entries, which every rank passes for elements on any rank: for every entry, x.flat[index] =
 * function(x.flat[index], value), such as "add" to assemble the load vector of finite elements, or "maximum".  Entries
 * for the same element are applied one after the other, those of rank 0 first, and each rank's in their order.
 *
 *   count     of this rank's entries; may be 0
 *   indices   the elements' numbers in C order; negative ones count from the end
 *   values    of the dtype of x.  Both are on the host or on this rank's device
 *
 * Waits.  `function` is an element-wise function of two operands, as in mnp_ufunc_at().
 */
MNP_API mnp_status mnp_array_accumulate(const char *function, mnp_array *x, int64_t count, const int64_t *indices,
                                        const void *values);

/*
 * x[:, i, j], and x[:, i, j] = values: NumPy's index arrays.  `count` arrays of integers, which are broadcast to one
 * another, select along as many adjacent axes of x from `axis` on; the dimensions of the indices take the place of
 * these axes.  x may be a view, also one that mnp_moveaxes() has made.  Values are a number (MNP_SCALAR), or an array
 * that is broadcast to the selection; they are cast to the type of x, and the last one wins.  Waits.  MNP_ERR_ARG for
 * indices outside -n .. n-1.
 */
MNP_API mnp_status mnp_indices_get(const mnp_array *x, int axis, int count, const mnp_array *const *indices,
                                   mnp_array **out_p);
MNP_API mnp_status mnp_indices_set(mnp_array *x, int axis, int count, const mnp_array *const *indices,
                                   const mnp_array *values);

/*
 * numpy.add.at and the like with such indices: mnp_indices_at("add", x, 0, 2, (const mnp_array *[]){i, j}, v) adds to
 * x[i, j] one value after the other.  `function` and `values` are as for mnp_ufunc_at(), x and indices as for
 * mnp_indices_set().  Waits.
 */
MNP_API mnp_status mnp_indices_at(const char *function, mnp_array *x, int axis, int count,
                                  const mnp_array *const *indices, const mnp_array *values);

/* ---- by masks ---- */

/*
 * x[mask], and x[mask] = values.  The mask is of bool; its shape is that of the first dimensions of x, and those become
 * one.  Values are a number (MNP_SCALAR), or an array that is broadcast to the shape of x[mask]; they are cast to the
 * type of x.
 *
 * mnp_mask_get() waits.
 */
MNP_API mnp_status mnp_mask_get(const mnp_array *x, const mnp_array *mask, mnp_array **out_p);
MNP_API mnp_status mnp_mask_set(mnp_array *x, const mnp_array *mask, const mnp_array *values);

/*
 * numpy.compress: the subarrays of x along an axis where `condition`, a vector, is not 0; subarrays beyond its
 * end are left out.  MNP_FLATTENED: elements of the flattened array.  numpy.extract: the same, with both flattened.
 * They wait.
 */
MNP_API mnp_status mnp_compress(const mnp_array *condition, const mnp_array *x, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_extract(const mnp_array *condition, const mnp_array *x, mnp_array **out_p);

/*
 * numpy.place: the elements of x where the mask, of the same shape, is not 0 are set to the values one after the other,
 * which are repeated as often as needed.  numpy.putmask: the values are repeated to the size of x, and an element where
 * the mask is not 0 is set to the value at its own position.  Values are an array or a number, and are cast to the type
 * of x.
 */
MNP_API mnp_status mnp_place(mnp_array *x, const mnp_array *mask, const mnp_array *values);
MNP_API mnp_status mnp_putmask(mnp_array *x, const mnp_array *mask, const mnp_array *values);

/*
 * numpy.nonzero: the indices of elements that are not 0, in C order, int64: `outs` are as many outputs as x has
 * dimensions (MNP_ERR_ARG if it has none), each NULL or a given array.  numpy.flatnonzero: the indices in the
 * flattened array.  numpy.argwhere: a row of indices for every element; the rows are spread evenly over the ranks.
 * They wait, as the number of elements decides the shape.
 */
MNP_API mnp_status mnp_nonzero(const mnp_array *x, mnp_array **outs);
MNP_API mnp_status mnp_flatnonzero(const mnp_array *x, mnp_array **out_p);
MNP_API mnp_status mnp_argwhere(const mnp_array *x, mnp_array **out_p);

/* ---- by choices ---- */

/*
 * numpy.choose: each element comes from the array among `choices` whose number is the index at its position; all arrays
 * are broadcast to one another and promoted to one type.  There are 30 choices at most.
 */
MNP_API mnp_status mnp_choose(const mnp_array *indices, int count, const mnp_array *const *choices, mnp_index_mode mode,
                              mnp_array **out_p);

/*
 * numpy.select: each element comes from the first choice whose condition, of bool, is true, or from `otherwise`, an
 * array or a number (NULL: 0), if none is.
 */
MNP_API mnp_status mnp_select(int count, const mnp_array *const *conditions, const mnp_array *const *choices,
                              const mnp_array *otherwise, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
