/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What segments.cu, segment_spectra.cu and overlap_add.cu are given, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SIGNAL_SPECTRAL_SEGMENTS_PARAMS_H
#define MNP_KERNELS_SIGNAL_SPECTRAL_SEGMENTS_PARAMS_H

#define MNP_SEGMENTS_DIMS 8

/* What segment_spectra.cu writes; the last: sums of powers of chunks of segments. */
#define MNP_SPECTRA 0
#define MNP_POWERS 1
#define MNP_POWER_SUMS 2

enum { MNP_SEGMENTS_AS_THEY_ARE, MNP_SEGMENTS_CONSTANT, MNP_SEGMENTS_LINEAR }; /* what is subtracted */

/*
 * Segment s of a line has the elements s * step + offset + k for k from 0 to size - 1.  Here are `count` segments from
 * number first_segment on, and `length` elements of lines from number `first` on; where there is none it is 0.  With
 * folds > 0 a segment is the sum of so many parts, of `size` elements each, which follow each other; offset is 0 then.
 */
typedef struct mnp_segments_params {
    const void *in; /* segments.cu: element `first` of the first line; overlap_add.cu: its first segment */
    void *out;
    const double *window; /* of `size` numbers, or of folds * size */
    double scale;
    int detrend;
    long long lines, first, length, first_segment, count, step, offset, size, folds;
    /* strides in real numbers: along the line, from segment to segment, within segments */
    long long along, segment, within;
    long long kept[MNP_SEGMENTS_DIMS], in_kept[MNP_SEGMENTS_DIMS], out_kept[MNP_SEGMENTS_DIMS];
    /*
     * segment_spectra.cu: exp(-2 pi i k / n) for k below n, n being the size of a transform; chunks of a line's
     * segments; powers are times `power`, and twice that from frequency 1 to before number `twice`
     */
    const double *turns;
    long long chunks, twice;
    double power;
} mnp_segments_params;

#endif
