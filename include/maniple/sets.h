/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets: the distinct elements of arrays, with NumPy's names and meaning, over all ranks.
 *
 * Arguments may have any shape and layout, and are taken flattened.  Results of one dimension are sorted, and have the
 * layout of mnp_layout_block().  An output that is given must have the result's shape, may have any layout and any type
 * that the result can be cast to under "same_kind", and may share memory with the inputs.  Where two arrays meet they
 * are compared in the type that holds both.  Functions whose result's length depends on the data wait
 * for the device.
 *
 * All of them are collective.  MNP_ERR_ARG for scalars (mnp_scalar_int() and its like), and for outputs that do not
 * suit; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_SETS_H
#define MANIPLE_SETS_H

#include <stdbool.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * numpy.unique: the distinct elements, sorted.  With equal_nan all NaN count as one, else each is distinct; a complex
 * number is NaN if either part is.  Each of the outputs may be NULL, and is then not computed.  Waits, as the number of
 * values decides the shape.
 *
 *   values_p   of x's type; among equal elements the first one
 *   index_p    int64: the index in the flattened array where each value occurs first
 *   inverse_p  int64, of x's shape: the number of each element's value, so that x is values[inverse]
 *   counts_p   int64: how often each value occurs
 */
MNP_API mnp_status mnp_unique(const mnp_array *x, bool equal_nan, mnp_array **values_p, mnp_array **index_p,
                              mnp_array **inverse_p, mnp_array **counts_p);

/*
 * numpy.unique with axis=: the distinct slices of x along an axis, such as the distinct rows of a matrix (axis 0), in
 * lexicographic order.  Slices with NaN differ from all others.  x has one dimension or more, and is sorted once for
 * each element of a slice, the last element first.  Outputs may be NULL as above.  Waits.  MNP_ERR_UNSUPPORTED for
 * slices of 2^31 elements and more.
 *
 *   values_p   of x's type and shape, but along the axis; among equal slices the first one
 *   index_p    int64: where each distinct slice occurs first along the axis
 *   inverse_p  int64, one for each slice: the number of its value, so that x is numpy.take(values, inverse, axis)
 *   counts_p   int64: how often each occurs
 */
MNP_API mnp_status mnp_unique_axis(const mnp_array *x, int axis, mnp_array **values_p, mnp_array **index_p,
                                   mnp_array **inverse_p, mnp_array **counts_p);

/*
 * numpy.isin: for each element of x whether it is in `test`, or with `invert` whether it is not; bool, of x's shape and
 * layout.  NaN is in no set.  `test` is sorted, and brought to every rank for the time of the call.
 */
MNP_API mnp_status mnp_isin(const mnp_array *x, const mnp_array *test, bool invert, mnp_array **out_p);

/*
 * numpy.intersect1d, union1d, setdiff1d, setxor1d: the distinct elements that are in both arrays, in either, in x but
 * not in y, in one of them alone.  The result has the type that holds the types of both arrays, for setdiff1d that of
 * x.  intersect1d and setdiff1d bring y to every rank for the time of the call.  They wait.
 */
MNP_API mnp_status mnp_intersect1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p);
MNP_API mnp_status mnp_union1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p);
MNP_API mnp_status mnp_setdiff1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p);
MNP_API mnp_status mnp_setxor1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
