/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peaks of distributed signals, in the words of scipy.signal.
 *
 * x is a real vector of any layout of blocks, which is taken as float64.  Positions are int64.  The number of peaks
 * depends on the data, so these functions wait.  Each rank finds the local maxima in its own block.  To measure
 * properties of peaks, every rank gets all of x, and the peaks are divided among the ranks.
 *
 * All functions are collective.  MNP_ERR_ARG for x that is complex, no vector (but for extrema), block-cyclic or a
 * number, and options out of range; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_PEAKS_H
#define MANIPLE_PEAKS_H

#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a peak must be like: each range is NULL, which asks for nothing, or two numbers, the least and the largest,
 * which may be infinite; either way the property is among the results.
 */
typedef struct mnp_find_peaks_options {
    const double *plateau_size; /* how many equal elements the peak has */
    const double *height;
    const double *threshold; /* how far it is above its neighbours */
    double distance;         /* of neighbouring peaks at least; smaller peaks go first; 0: any */
    const double *prominence;
    const double *width;
    int64_t wlen;      /* elements in which prominences are found, 2 or more; 0: all */
    double rel_height; /* where the width is measured, in parts of the prominence; 0: 0.5 */
} mnp_find_peaks_options;

/* Peaks in ascending order, and those of their properties that were asked for; others are NULL. */
typedef struct mnp_peaks {
    mnp_array *peaks;                                         /* the middle of the equal elements, rounded down */
    mnp_array *plateau_sizes, *left_edges, *right_edges;      /* with plateau_size */
    mnp_array *peak_heights;                                  /* with height */
    mnp_array *left_thresholds, *right_thresholds;            /* with threshold */
    mnp_array *prominences, *left_bases, *right_bases;        /* with prominence or width */
    mnp_array *widths, *width_heights, *left_ips, *right_ips; /* with width */
} mnp_peaks;

/*
 * scipy.signal.find_peaks: the local maxima that fulfil the conditions, which are looked at in the order above.
 * options NULL: all local maxima.  For `distance` the peaks go to every CPU.  Waits.  *peaks is set only on success.
 */
MNP_API mnp_status mnp_find_peaks(const mnp_array *x, const mnp_find_peaks_options *options, mnp_peaks *peaks);

/* Release what it holds, and set it to zeros.  NULL is accepted.  Collective. */
MNP_API void mnp_peaks_clear(mnp_peaks *peaks);

/*
 * scipy.signal.peak_prominences: how far a peak is above the higher of its bases, which are the lowest elements on both
 * sides until x is higher than the peak.
 *
 *   peaks  positions in x, integers;  wlen: elements that are looked at, 2 or more; 0: all
 *
 * Waits.  MNP_ERR_ARG also if a position is outside x.
 */
MNP_API mnp_status mnp_peak_prominences(const mnp_array *x, const mnp_array *peaks, int64_t wlen,
                                        mnp_array **prominences_p, mnp_array **left_bases_p, mnp_array **right_bases_p);

/*
 * scipy.signal.peak_widths: the width of peaks at rel_height parts of their prominence below their top, the height
 * there, and where x crosses it, interpolated.  Waits.
 */
MNP_API mnp_status mnp_peak_widths(const mnp_array *x, const mnp_array *peaks, double rel_height, int64_t wlen,
                                   mnp_array **widths_p, mnp_array **width_heights_p, mnp_array **left_ips_p,
                                   mnp_array **right_ips_p);

/*
 * scipy.signal.argrelextrema, argrelmax and argrelmin: the elements of x, of 1 to 8 dimensions, for which the
 * comparison holds with each of the `order` elements on both sides along an axis.  They wait.
 *
 *   comparator  "greater", "less", "greater_equal" or "less_equal"
 *   mode        "clip", which NULL is: beyond an end is its last element; or "wrap"
 *   outs        as many outputs as x has dimensions, as mnp_nonzero() has them
 */
MNP_API mnp_status mnp_argrelextrema(const mnp_array *x, const char *comparator, int axis, int64_t order,
                                     const char *mode, mnp_array **outs);
MNP_API mnp_status mnp_argrelmax(const mnp_array *x, int axis, int64_t order, const char *mode, mnp_array **outs);
MNP_API mnp_status mnp_argrelmin(const mnp_array *x, int axis, int64_t order, const char *mode, mnp_array **outs);

#ifdef __cplusplus
}
#endif

#endif
