/* SPDX-License-Identifier: BSD-3-Clause */
/* What peaks.cu and extrema.cu are given, shared by the library (C) and the kernels (C++). */
#ifndef MNP_KERNELS_SIGNAL_PEAKS_PARAMS_H
#define MNP_KERNELS_SIGNAL_PEAKS_PARAMS_H

enum { MNP_PEAKS_BLOCK = 256, MNP_PEAKS_LEVELS = 2, MNP_EXTREMA_DIMS = 8 };

/* Blocks of level 0 have MNP_PEAKS_BLOCK of the n elements of x, and those of level 1 as many blocks of level 0. */
typedef struct mnp_peaks_params {
    const double *x;
    long long n, count; /* count: of the peaks */
    double *least[MNP_PEAKS_LEVELS], *most[MNP_PEAKS_LEVELS];
    const long long *peaks;
    long long half; /* elements that are looked at on each side; n: all */
    double rel_height;
    double *prominences;
    long long *left_bases, *right_bases;
    double *widths, *width_heights, *left_ips, *right_ips;
    unsigned *wrong; /* becomes 1 if a peak is outside x */
} mnp_peaks_params;

/*
 * Element `first` of lines along an axis, of which `length` are there, of a dimension of `whole` elements; outputs
 * begin at `first_out`.
 */
typedef struct mnp_extrema_params {
    const void *in;
    unsigned char *out;
    long long count, order, whole, first, first_out;
    long long extent[MNP_EXTREMA_DIMS], stride[MNP_EXTREMA_DIMS], out_stride[MNP_EXTREMA_DIMS];
} mnp_extrema_params;

#endif
