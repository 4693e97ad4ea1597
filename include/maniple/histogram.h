/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms and counts, with NumPy's names and meaning: mnp_histogram(x, 256, NULL, false, NULL, &counts, &edges).
 *
 * Inputs may have any shape and layout, and are taken flattened.  A new result is whole on every rank; a given
 * output must have the result's shape, may have any layout and any type that the result can be cast to under
 * "same_kind", and may share memory with the inputs.  Arrays of edges are brought to every rank for the time of the
 * call.
 *
 * A bin holds its lower edge, and the last one its upper edge too; which bin an element is in is found by comparing it
 * with the edges, however many there are.  Elements outside, and NaN, are in no bin.  Counts are exact; sums of weights
 * are kept as int64, float64 or complex128, in an order that depends on the layout and the device alone.
 *
 * All of them are collective.  MNP_ERR_ARG, with the values, for the errors named below, complex elements, and scalars
 * (mnp_scalar_int() and its like); MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_HISTOGRAM_H
#define MANIPLE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * numpy.histogram with bins of equal width.
 *
 *   bins      how many, >= 1
 *   range     lowest and highest edge; NULL: the least and the greatest element, which must be finite
 *   density   divide by the widths of the bins and by the sum over all of them
 *   weights   NULL, or an array of x's shape: what each element counts
 *   counts_p  int64, or of the type of the weights; float64 (complex128) with `density`
 *   edges_p   NULL, or receives the bins + 1 edges: of x's type if that is of floats, else float64
 *
 * The range is read from the device where it is not given, so that the call waits.  MNP_ERR_ARG if a range is not
 * finite or falls, or if it is too narrow for so many bins.
 */
MNP_API mnp_status mnp_histogram(const mnp_array *x, int64_t bins, const double *range, bool density,
                                 const mnp_array *weights, mnp_array **counts_p, mnp_array **edges_p);

/*
 * numpy.histogram with bins between given edges, one more than bins, which may be of any width, also 0.  Elements and
 * edges are compared in the type that holds both.  Waits.  MNP_ERR_ARG if the edges are not one dimension, or fall.
 */
MNP_API mnp_status mnp_histogram_edges(const mnp_array *x, const mnp_array *edges, bool density,
                                       const mnp_array *weights, mnp_array **counts_p);

/* numpy.histogram_bin_edges: the edges that mnp_histogram() gives. */
MNP_API mnp_status mnp_histogram_bin_edges(const mnp_array *x, int64_t bins, const double *range, mnp_array **edges_p);

/*
 * How many bins numpy.histogram makes of bins="auto" and the like: *bins_p is for mnp_histogram().
 *
 *   estimator  "auto", "doane", "fd", "rice", "scott", "sqrt", "stone" or "sturges"
 *   range      NULL, or the range, outside of which elements do not count
 *
 * Waits.  "auto" and "fd" sort the elements, "stone" makes a histogram for every number of bins that it considers, up
 * to the root of the number of elements.  MNP_ERR_ARG for another estimator, and for ranges as above.
 */
MNP_API mnp_status mnp_histogram_bins(const mnp_array *x, const char *estimator, const double *range, int64_t *bins_p);

/*
 * numpy.histogramdd and histogram2d with bins of equal width, and between given edges: how many of the points are in
 * each box of bins.
 *
 *   samples   the points' coordinates, `count` arrays of one shape, 1 .. MNP_MAX_DIMS
 *   bins      how many along each dimension
 *   ranges    lowest and highest edge of each; NULL: the least and the greatest coordinate
 *   weights   NULL, or real ones of the samples' shape
 *   counts_p  float64, of as many dimensions as there are samples
 *   edges     NULL, or an output for each dimension: NULL, or a given array.  float64, but of the sample's type where
 *             the range is not given and the sample is of floats
 *
 * MNP_ERR_ARG as above, and if there are more than 2^63 bins.
 */
MNP_API mnp_status mnp_histogramdd(const mnp_array *const *samples, int count, const int64_t *bins,
                                   const double *ranges, bool density, const mnp_array *weights, mnp_array **counts_p,
                                   mnp_array **edges);
MNP_API mnp_status mnp_histogramdd_edges(const mnp_array *const *samples, int count, const mnp_array *const *edges,
                                         bool density, const mnp_array *weights, mnp_array **counts_p);
MNP_API mnp_status mnp_histogram2d(const mnp_array *x, const mnp_array *y, const int64_t *bins, const double *ranges,
                                   bool density, const mnp_array *weights, mnp_array **counts_p, mnp_array **xedges_p,
                                   mnp_array **yedges_p);

/*
 * numpy.bincount: how often each of the numbers 0, 1, ... occurs, or the sum of the weights of its elements: int64,
 * or float64.  The result has max(x) + 1 elements, and at least `minlength`.  x is of bool or of integers.  Waits.
 * MNP_ERR_ARG if an element or minlength is negative, or weights are complex.
 */
MNP_API mnp_status mnp_bincount(const mnp_array *x, const mnp_array *weights, int64_t minlength, mnp_array **counts_p);

/*
 * numpy.searchsorted: how many elements of `a`, which is one dimension and sorted, come before each of the values; with
 * `right` those that are equal to it as well.  NaN come last.
 *
 *   v       an array, or a number (MNP_SCALAR)
 *   sorter  NULL, or the indices by which `a` is sorted, as mnp_argsort() computes them; the call then waits
 *   out_p   int64, of v's shape and layout
 *
 * `a` is brought to every rank for the time of the call.  MNP_ERR_ARG if an index of the sorter is out of range.
 */
MNP_API mnp_status mnp_searchsorted(const mnp_array *a, const mnp_array *v, bool right, const mnp_array *sorter,
                                    mnp_array **out_p);

/*
 * numpy.digitize: the number of the bin of each element, int64, of x's shape and layout: 0 below the first of the
 * edges, which rise or fall.  Bins hold their lower edge, or, with `right`, their upper one.  Waits.  MNP_ERR_ARG if
 * the bins do not have one dimension, or neither rise nor fall.
 */
MNP_API mnp_status mnp_digitize(const mnp_array *x, const mnp_array *bins, bool right, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
