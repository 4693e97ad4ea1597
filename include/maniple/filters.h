/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear filters of distributed arrays along one axis, in the words of scipy.signal; at the end its filters of windows.
 *
 * Coefficients are arrays of the CPU, the same on all ranks: polynomials b and a with their numbers nb and na, or
 * `sections` rows of six numbers, b0 b1 b2 a0 a1 a2.  <maniple/filter_design.h> makes them.
 *
 * x may have any layout of blocks and be a view; integers, bools and half floats are taken as float64.  Results are
 * float64, or complex128 for complex x, as SciPy's are for coefficients of float64; an output that is given may be a
 * shorter float.  New results are cut as x is; where the filtered axis is longer or shorter, it is divided equally.
 *
 * Filters with feedback are computed as a parallel scan: lines are divided into parts, whose final states are joined by
 * powers of the matrix that leads from one state to the next.  Where the axis is cut, ranks exchange these states, of a
 * few numbers for each line, and nothing else.  For a filter whose impulse response decays, results differ from SciPy's
 * by a few units in the last place times the largest power of that matrix.  If the response grows so much that it
 * overflows within a line, some results may be NaN where SciPy has infinities.  Filters without feedback are summed
 * directly, from elements that the ranks fetch from their neighbours.
 *
 * All functions that take arrays are collective.  MNP_ERR_ARG for axes that are out of bounds, coefficients that are no
 * filter, states of another shape, and arrays that are block-cyclic or numbers, or while a graph is recorded;
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM; MNP_ERR_UNSUPPORTED for an array of eight dimensions
 * that is cut along the axis.
 */
#ifndef MANIPLE_FILTERS_H
#define MANIPLE_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * scipy.signal.lfilter: y[n] = (b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - ...) / a[0].
 *
 *   zi    NULL: zeros; or the state before the first element, which has max(nb, na) - 1 elements along the axis and is
 *         otherwise as x
 *   zf_p  NULL, or receives the state after the last element, of that shape
 */
MNP_API mnp_status mnp_lfilter(int64_t nb, const double *b, int64_t na, const double *a, const mnp_array *x, int axis,
                               const mnp_array *zi, mnp_array **y_p, mnp_array **zf_p);

/* scipy.signal.sosfilt.  The states have a first dimension of `sections` more, and 2 elements along the axis. */
MNP_API mnp_status mnp_sosfilt(int64_t sections, const double *sos, const mnp_array *x, int axis, const mnp_array *zi,
                               mnp_array **y_p, mnp_array **zf_p);

/*
 * scipy.signal.lfilter_zi and sosfilt_zi: the state of a filter whose input has been 1 forever.
 *
 *   zi  receives max(nb, na) - 1 numbers; 2 for each section
 *
 * MNP_ERR_ARG also if the poles include 1, which has no such state.  Not collective.
 */
MNP_API mnp_status mnp_lfilter_zi(int64_t nb, const double *b, int64_t na, const double *a, double *zi);
MNP_API mnp_status mnp_sosfilt_zi(int64_t sections, const double *sos, double *zi);

/*
 * scipy.signal.filtfilt (method "pad") and sosfiltfilt: a filter forward, then backward, so that nothing is delayed.
 *
 *   padtype  how x is continued at both ends: "odd", which NULL is, "even" or "constant"; "none": not at all
 *   padlen   by how many elements, fewer than x has; MNP_NONE: 3 max(nb, na); for sections SciPy's default
 */
MNP_API mnp_status mnp_filtfilt(int64_t nb, const double *b, int64_t na, const double *a, const mnp_array *x, int axis,
                                const char *padtype, int64_t padlen, mnp_array **y_p);
MNP_API mnp_status mnp_sosfiltfilt(int64_t sections, const double *sos, const mnp_array *x, int axis,
                                   const char *padtype, int64_t padlen, mnp_array **y_p);

/*
 * scipy.signal.upfirdn: x with up - 1 zeros between elements, through a filter of nh taps h, of which every element
 * number down is kept.  The result has ((n - 1) up + nh - 1) / down + 1 elements along the axis, rounded down.
 */
MNP_API mnp_status mnp_upfirdn(int64_t nh, const double *h, const mnp_array *x, int64_t up, int64_t down, int axis,
                               mnp_array **y_p);

/*
 * scipy.signal.deconvolve of vectors: signal = convolve(divisor, quotient) + remainder.  The divisor has `count`
 * elements, the first of which is not 0.  A signal that is shorter than the divisor is the remainder, and the quotient
 * is empty.
 */
MNP_API mnp_status mnp_deconvolve(const mnp_array *signal, int64_t count, const double *divisor, mnp_array **quotient_p,
                                  mnp_array **remainder_p);

/*
 * scipy.signal.savgol_coeffs: receives window_length numbers.
 *
 *   polyorder  below window_length
 *   deriv      which derivative, 0 or more;  delta: the distance of elements
 *   pos        where in the window, from 0 to window_length - 1; negative: its middle
 *   use        "conv", which NULL is, or "dot"
 *
 * MNP_ERR_ARG, MNP_ERR_MEMORY.  Not collective.
 */
MNP_API mnp_status mnp_savgol_coeffs(int64_t window_length, int polyorder, int deriv, double delta, double pos,
                                     const char *use, double *coeffs);

/*
 * scipy.signal.savgol_filter.  Results are float32 for float32.
 *
 *   mode  "interp", which NULL is; "mirror", "constant", which takes cval, "nearest", "wrap"
 */
MNP_API mnp_status mnp_savgol_filter(const mnp_array *x, int64_t window_length, int polyorder, int deriv, double delta,
                                     int axis, const char *mode, double cval, mnp_array **y_p);

/*
 * scipy.signal.whittaker_henderson: x smoothed, as the y that makes sum w (x - y)^2 + lambda sum (D y)^2 the least,
 * where D y are the differences of y of that order.  x is a real vector of more elements than the order, and y is
 * float64, as long, and cut as x is.  With lambda 0 y is x; the larger it is, the nearer y is to a polynomial of degree
 * order - 1.
 *
 *   weights   real, not negative and finite, of x's shape; NULL: ones.  Where a weight is 0, x may be anything, and y
 *             goes on from its neighbours; elsewhere x must be finite
 *   order     1 or more
 *   lambda    negative: the one of the greatest restricted likelihood, which counts elements whose weights are not 0
 *   lambda_p  receives the lambda that was used; may be NULL
 *
 * Rank 0 computes all of it on its CPU: n (order + 1)^2 operations, and some 70 times as many to find lambda.
 * MNP_ERR_LINALG where the system is singular to rounding: lambda is too large, or fewer elements than the order have
 * weights.  Waits.  From P. H. C. Eilers, "A perfect smoother", Analytical Chemistry 75, 2003.
 */
MNP_API mnp_status mnp_whittaker_henderson(const mnp_array *x, const mnp_array *weights, int order, double lambda,
                                           mnp_array **y_p, double *lambda_p);

/*
 * scipy.signal.medfilt and medfilt2d: the middle value of a window, and order_filter: the value of a rank in a window
 * of which the elements count where `domain` is true, in C order.  Beyond the borders x is 0.  Real x of 1 to 8
 * dimensions, 2 for medfilt2d; results have its dtype and layout.
 *
 *   size, shape  the window's extent along each dimension, odd; NULL: 3
 */
MNP_API mnp_status mnp_medfilt(const mnp_array *x, const int64_t *size, mnp_array **y_p);
MNP_API mnp_status mnp_medfilt2d(const mnp_array *x, const int64_t *size, mnp_array **y_p);
MNP_API mnp_status mnp_order_filter(const mnp_array *x, const int64_t *shape, const bool *domain, int64_t rank,
                                    mnp_array **y_p);

/*
 * scipy.signal.wiener: x drawn to the mean of a window, the more the nearer the window's variance is to that of the
 * noise. Results are float64.
 *
 *   size   the window's extent along each dimension; NULL: 3
 *   noise  its variance; NULL: the mean of the windows' variances
 */
MNP_API mnp_status mnp_wiener(const mnp_array *x, const int64_t *size, const double *noise, mnp_array **y_p);

#ifdef __cplusplus
}
#endif

#endif
