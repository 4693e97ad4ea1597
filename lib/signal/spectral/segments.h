/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments of lines that may overlap: cutting an array into them, and adding them up again. */
#ifndef MNP__SIGNAL_SEGMENTS_H
#define MNP__SIGNAL_SEGMENTS_H

#include "array/array.h"
#include "kernels/signal/spectral/segments_params.h"

/*
 * Segment s has the elements s * step + offset + k of a line, for k from 0 to size - 1.  Elements that the line does
 * not have are 0.
 */
typedef struct mnp__segments {
    int64_t count, size, step, offset;
    int64_t folds;        /* 0, or the number of parts that a segment is the sum of, as segments_params.h says */
    const double *window; /* `size` numbers, or folds * size */
    double scale;
    int detrend; /* MNP_SEGMENTS_AS_THEY_ARE, _CONSTANT or _LINEAR: subtracted before the window */
} mnp__segments;

/*
 * Cut x into segments along an axis: the result has `count` along the axis, and one more dimension, the last one, with
 * their elements.  It is a new array of float32, float64, or their complex types.  Collective.
 */
mnp_status mnp__segments_cut(const char *function, const mnp__segments *segments, const mnp_array *x, int axis,
                             mnp_array **cut_p);

/* What is wanted of the one-sided spectra of segments. */
typedef struct mnp__segment_spectra {
    int64_t nfft; /* elements of a transform; segments are followed by zeros */
    int what;     /* MNP_SPECTRA, MNP_POWERS, or MNP_POWER_SUMS of as many parts of the segments as are convenient */
    double power; /* MNP_POWERS: a factor, and twice that from frequency 1 to before `twice` */
    int64_t twice;
} mnp__segment_spectra;

/* Whether mnp__segments_spectra() is for these.  All ranks get the same answer. */
bool mnp__segments_fit(const mnp__segments *segments, int64_t nfft, const mnp_array *x);

/*
 * Cut a real x into segments and transform them, in one pass over a GPU's memory.  *y_p is as that of
 * mnp__segments_cut(), with frequencies in the last dimension, and complex for MNP_SPECTRA.  Collective.
 */
mnp_status mnp__segments_spectra(const char *function, const mnp__segments *segments,
                                 const mnp__segment_spectra *wanted, const mnp_array *x, int axis, mnp_array **y_p);

/*
 * The dimensions other than the axis, of an input and an output with these strides in elements, of which each has
 * `reals` real numbers: how many lines there are, and their extents and strides in real numbers.
 */
void mnp__segments_lines(int ndim, int axis, const int64_t *extent, const int64_t *in, const int64_t *out,
                         int64_t reals, long long *lines_p, long long kept[MNP_SEGMENTS_DIMS],
                         long long in_kept[MNP_SEGMENTS_DIMS], long long out_kept[MNP_SEGMENTS_DIMS]);

/*
 * Add up segments: y has `length` elements along the axis of the segments, and not the last dimension, which has their
 * elements, `size` of them at least.  The result is a new array.  Collective.
 */
mnp_status mnp__segments_add(const char *function, const mnp__segments *segments, const mnp_array *cut, int axis,
                             int64_t length, mnp_array **y_p);

#endif
