/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans along an axis: cumulative sums, products, maxima and minima; also differences of neighbours, gradients and
 * integrals.
 *
 * An axis counts from the end if it is negative.  A new result has the layout of the input; that of a cumulative
 * function is also stored in the order in which the input is (NumPy's order "K"), unless it has an initial value in
 * front.  Outputs are as in maniple/array.h and may share memory with the input.
 *
 * Sums of floats have the precision of mnp_sum(), so they are at least as exact as NumPy's, and a partial sum that
 * overflows float16 or float32 does not make the later ones infinite.  On a GPU the last bit of a float may differ
 * between runs, because the order in which blocks combine their results varies; in the reproducible mode it does not.
 *
 * MNP_ERR_ARG, with the values, for a scalar, an axis that is out of bounds, or a type or an output that does not fit;
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.  All functions are collective.
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
 * numpy.cumsum, cumprod, nancumsum and nancumprod along a dimension, or of the flattened array (MNP_FLATTENED), whose
 * result has one dimension.  `dtype` is NumPy's name of the type to which elements are cast, or NULL: then bool and
 * integers become int64 or uint64.  The nan forms count a NaN as 0 or 1.
 */
MNP_API mnp_status mnp_cumsum(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);
MNP_API mnp_status mnp_cumprod(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);
MNP_API mnp_status mnp_nancumsum(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);
MNP_API mnp_status mnp_nancumprod(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p);

/*
 * numpy.maximum.accumulate and minimum.accumulate: the largest and the smallest element so far.  After a NaN all are
 * NaN.
 */
MNP_API mnp_status mnp_cummax(const mnp_array *x, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_cummin(const mnp_array *x, int axis, mnp_array **out_p);

/*
 * numpy.cumulative_sum and cumulative_prod.  With `include_initial` the result has one more element in front, 0 or 1;
 * its layout is that of x if the axis is not cut, and otherwise that of mnp_layout_block().  MNP_FLATTENED is allowed
 * if x has at most one dimension.
 */
MNP_API mnp_status mnp_cumulative_sum(const mnp_array *x, int axis, const char *dtype, bool include_initial,
                                      mnp_array **out_p);
MNP_API mnp_status mnp_cumulative_prod(const mnp_array *x, int axis, const char *dtype, bool include_initial,
                                       mnp_array **out_p);

/*
 * numpy.diff: the differences of neighbours along the axis, taken n times; for bools, whether neighbours differ.
 * `prepend` and `append` are joined to x before and after: arrays that have x's shape except along the axis, numbers
 * (MNP_SCALAR, or arrays without dimensions), or NULL.  MNP_ERR_ARG also if n is negative or x has no dimension.
 */
MNP_API mnp_status mnp_diff(const mnp_array *x, int n, int axis, const mnp_array *prepend, const mnp_array *append,
                            mnp_array **out_p);

/*
 * numpy.ediff1d: the differences of neighbours of the flattened array.  `to_begin` and `to_end` are put in front and
 * behind: numbers, arrays, or NULL.
 */
MNP_API mnp_status mnp_ediff1d(const mnp_array *x, const mnp_array *to_end, const mnp_array *to_begin,
                               mnp_array **out_p);

/*
 * numpy.gradient along one axis: central differences, and one-sided ones of order `edge_order`, 1 or 2, at both ends.
 * `spacing` is NULL (1), a number (the distance of neighbours), or one coordinate for every index along the axis.
 * Floats and complex numbers keep their type; other types give float64.  MNP_ERR_ARG also if there are fewer than
 * edge_order + 1 elements along the axis.
 */
MNP_API mnp_status mnp_gradient(const mnp_array *f, const mnp_array *spacing, int axis, int edge_order,
                                mnp_array **out_p);

/*
 * mnp_gradient() along every axis.  `spacings` is NULL, or has one entry for each axis.  `gradients` receives a new
 * array for each axis; release each with mnp_array_free().
 */
MNP_API mnp_status mnp_gradients(const mnp_array *f, const mnp_array *const *spacings, int edge_order,
                                 mnp_array **gradients);

/*
 * numpy.trapezoid: the integral along an axis by the trapezoidal rule.  `x` has the coordinates, one for every index
 * along the axis or one for every element; if it is NULL, neighbours are `dx` apart.
 */
MNP_API mnp_status mnp_trapezoid(const mnp_array *y, const mnp_array *x, double dx, int axis, mnp_array **out_p);

/*
 * numpy.interp: the values at x, of any shape and layout, of the piecewise linear function through the points (xp, fp),
 * two vectors of the same length of which xp rises; it is not checked.  The result has x's shape, and is complex128 if
 * fp is complex, otherwise float64; at NaN it is NaN.
 *
 *   options   NULL: left of all points the value is the first one of fp, and right of them the last one
 *
 * Up to 2^20 points, and points that every rank has anyway, are brought to every rank for the time of the call.  If
 * there are more, each rank gets about as many as it owns, and the others are asked from their owners.  MNP_ERR_ARG
 * also if there are no points, and if x or xp is complex.
 */
typedef struct mnp_interp_options {
    const mnp_array *left MNP_DEFAULT(NULL);  /* NULL, or a number (MNP_SCALAR): the value at x < xp[0] */
    const mnp_array *right MNP_DEFAULT(NULL); /* NULL, or the value at x > xp[-1] */
    double period MNP_DEFAULT(0);             /* 0: none; else left and right are not used, and xp need not rise */
} mnp_interp_options;
MNP_API mnp_status mnp_interp(const mnp_array *x, const mnp_array *xp, const mnp_array *fp,
                              const mnp_interp_options *options, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
