/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans: sums, products and extremes of all elements up to each, and differences between neighbours, along an axis.
 *
 * An axis counts from the end if it is negative.  A new result lies as the input does.  An output that is given must
 * have the result's shape, may have any layout and any type that the result can be cast to under "same_kind", and may
 * share memory with the input.
 *
 * Sums of floats are kept as in mnp_sum(): they are at least as exact as NumPy's, and a sum that passes the largest
 * number on its way may come back.  On a GPU the last bit of a float may differ between runs, as blocks take over what
 * others know when it is ready; in the reproducible mode it does not.
 *
 * All of them are collective.  MNP_ERR_ARG, with the values, for a scalar, an axis that is out of bounds, a type or an
 * output that does not suit; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_SCAN_H
#define MANIPLE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/join.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * numpy.cumsum, cumprod, nancumsum, nancumprod, along a dimension, or of the flattened array (MNP_FLATTENED), which
 * gives one dimension.  `dtype`: NULL, or NumPy's name of the type that elements are cast to; of bool and integers it
 * is int64 or uint64 by itself.  The nan forms take a NaN for 0 and 1.
 */
MNP_API mnp_status mnp_cumsum(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);
MNP_API mnp_status mnp_cumprod(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);
MNP_API mnp_status mnp_nancumsum(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);
MNP_API mnp_status mnp_nancumprod(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);

/* numpy.maximum.accumulate, minimum.accumulate: the largest and the smallest element so far; NaN from the first on. */
MNP_API mnp_status mnp_cummax(const mnp_array *x, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_cummin(const mnp_array *x, int axis, mnp_array **out_p);

/*
 * numpy.cumulative_sum and cumulative_prod.  `include_initial`: one more element in front, 0 or 1; such a result has
 * the layout of x where that does not cut the axis, and in that of mnp_layout_block() otherwise.  MNP_FLATTENED where x has one
 * dimension at most.
 */
MNP_API mnp_status mnp_cumulative_sum(const mnp_array *x, int axis, const char *dtype, bool include_initial,
                                      mnp_array **out_p);
MNP_API mnp_status mnp_cumulative_prod(const mnp_array *x, int axis, const char *dtype, bool include_initial,
                                       mnp_array **out_p);

/*
 * numpy.diff: the differences of neighbours, n times; of bools whether they differ.  `prepend` and `append`: NULL, or
 * what stands before and after x: arrays of x's shape but along the axis, or numbers (MNP_SCALAR, or arrays without
 * dimensions).  MNP_ERR_ARG also if n is negative or x has no dimension.
 */
MNP_API mnp_status mnp_diff(const mnp_array *x, int n, int axis, const mnp_array *prepend, const mnp_array *append,
                            mnp_array **out_p);

/*
 * numpy.ediff1d: the differences of neighbours of the flattened array; `to_end` and `to_begin`: NULL, or numbers or
 * arrays that are put behind and in front.
 */
MNP_API mnp_status mnp_ediff1d(const mnp_array *x, const mnp_array *to_end, const mnp_array *to_begin,
                               mnp_array **out_p);

/*
 * numpy.gradient along one axis: central differences, and at both ends those to one side, of order `edge_order`, 1 or
 * 2.  `spacing`: NULL (1), the distance of all neighbours (a number), or one coordinate for every index along the axis.
 * Floats and complex numbers keep their type, others give float64.  MNP_ERR_ARG also where there are fewer than
 * edge_order + 1 elements.
 */
MNP_API mnp_status mnp_gradient(const mnp_array *f, const mnp_array *spacing, int axis, int edge_order,
                                mnp_array **out_p);

/* The same along every axis.  `spacings`: NULL, or one for each.  gradients receives new arrays; release each. */
MNP_API mnp_status mnp_gradients(const mnp_array *f, const mnp_array *const *spacings, int edge_order,
                                 mnp_array **gradients);

/*
 * numpy.trapezoid: the integral along an axis by the trapezoidal rule.  `x`: NULL, where all neighbours are `dx` apart,
 * or the coordinates: for every index along the axis, or for every element.
 */
MNP_API mnp_status mnp_trapezoid(const mnp_array *y, const mnp_array *x, double dx, int axis, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
