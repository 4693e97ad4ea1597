/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics beyond the reductions of reduce.h, with NumPy's names and meaning.
 */
#ifndef MANIPLE_STATISTICS_H
#define MANIPLE_STATISTICS_H

#include <stdbool.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- quantiles ---- */

/*
 * numpy.median and nanmedian: the middle element of the sorted ones, or the mean of the two in the middle, over those
 * axes (mnp_axes: count, axes, keepdims).  The median of bools and integers is float64; complex numbers have NumPy's
 * order.  If an element is NaN so is the result; the nan form leaves NaN out.  The median of no elements is NaN.
 * Collective.
 */
MNP_API mnp_status mnp_median(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmedian(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * numpy.quantile, percentile, and their nan forms, for one q: from 0 to 1, or to 100.  NaN and empty arrays are treated
 * as for medians.
 *
 *   method   NULL ("linear"), or NumPy's name of how the result is found where it lies between two elements: "lower",
 *            "higher", "nearest", "inverted_cdf" and "closest_observation" take one of them, and the result is of x's
 *            type; "midpoint", "averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen", "weibull",
 *            "median_unbiased" and "normal_unbiased" go between them, as "linear" does: float64 of integers
 *
 * The elements are sorted; in long lines, only the elements that are needed are found.  Several axes are first merged
 * into one.  The layout of a new result and the rules for a given output are those of a reduction (reduce.h); the
 * output may share memory with x.  For floats the nan forms wait for the device.  Collective.  MNP_ERR_ARG for a q out
 * of range, an unknown method, complex x, bool x where the method interpolates, integers where there are no elements to
 * take, and as for reductions.
 */
MNP_API mnp_status mnp_quantile(const mnp_array *x, double q, const mnp_axes *axes, const char *method,
                                mnp_array **out_p);
MNP_API mnp_status mnp_percentile(const mnp_array *x, double q, const mnp_axes *axes, const char *method,
                                  mnp_array **out_p);
MNP_API mnp_status mnp_nanquantile(const mnp_array *x, double q, const mnp_axes *axes, const char *method,
                                   mnp_array **out_p);
MNP_API mnp_status mnp_nanpercentile(const mnp_array *x, double q, const mnp_axes *axes, const char *method,
                                     mnp_array **out_p);

/*
 * The same for `count` numbers q: the result has a first dimension of that extent, and is float64 where the method
 * interpolates, as NumPy's result for a list is.  All q are found together.  Collective.
 */
MNP_API mnp_status mnp_quantiles(const mnp_array *x, int count, const double *q, const mnp_axes *axes,
                                 const char *method, mnp_array **out_p);
MNP_API mnp_status mnp_percentiles(const mnp_array *x, int count, const double *q, const mnp_axes *axes,
                                   const char *method, mnp_array **out_p);
MNP_API mnp_status mnp_nanquantiles(const mnp_array *x, int count, const double *q, const mnp_axes *axes,
                                    const char *method, mnp_array **out_p);
MNP_API mnp_status mnp_nanpercentiles(const mnp_array *x, int count, const double *q, const mnp_axes *axes,
                                      const char *method, mnp_array **out_p);

/* ---- covariances ---- */

/* Zeros, false and NULL are NumPy's defaults. */
typedef struct mnp_cov_options {
    bool columns;              /* variables are columns, observations rows: rowvar=False */
    bool bias;                 /* divide by the number of observations, not by one less: ddof=0 */
    int ddof;                  /* divide by the number of observations less this; 0: see bias */
    const mnp_array *fweights; /* NULL, or how often each observation counts: bool or integers */
    const mnp_array *aweights; /* NULL, or the weight of each */
    const char *dtype;         /* NULL: at least float64; or NumPy's name of a type of floats or complex numbers */
} mnp_cov_options;

/*
 * numpy.cov: the covariances of several variables, which are the rows of x followed by those of y (NULL: none).  x and
 * y have up to two dimensions; with one or none they are a single variable.  The result is a matrix, or has no
 * dimensions if there is one variable only.  Element i, j is the sum over the observations of (x[i] - its mean) *
 * conj(x[j] - its mean), divided by their number less ddof; if that is 0 or less the result is infinite or NaN.
 * Weights are those of numpy.cov; where they add up to 0 the result is NaN, not an error.
 *
 * It is one reduction of products over all pairs, without a temporary array: right for any size, in time that grows
 * with the square of the number of variables, and fast while these are few.  Weights make it wait for the device, as
 * none may be negative.  A given output is as for reductions.  Collective.  MNP_ERR_ARG for more dimensions, another
 * number of observations in y or weights, negative weights, and another type; MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_cov(const mnp_array *x, const mnp_array *y, const mnp_cov_options *options, mnp_array **out_p);

/*
 * numpy.corrcoef: the covariances divided by the standard deviations of both variables, clipped to [-1, 1], for complex
 * numbers in each part.  Only the options `columns` and `dtype` are accepted.  Collective.  Errors as above.
 */
MNP_API mnp_status mnp_corrcoef(const mnp_array *x, const mnp_array *y, const mnp_cov_options *options,
                                mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
