/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of histogram.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_STATISTICS_HISTOGRAM_PARAMS_H
#define MNP_KERNELS_STATISTICS_HISTOGRAM_PARAMS_H

/* How the bin of an element is found. */
#define MNP_BINS_NUMBERS 0 /* an element is the number of its bin */
#define MNP_BINS_EVEN 1    /* by arithmetic, and beside an edge by comparing with it */
#define MNP_BINS_SEARCH 2  /* by bisection of the edges */

/* Counters, or sums of weights, that a block of a GPU can have in memory of its own. */
enum { MNP_HISTOGRAM_THREADS = 512, MNP_HISTOGRAM_SHARED = 48 << 10 };

enum { MNP_HISTOGRAM_DIMS = 8 };

/*
 * Element (i0, i1, ...) is elements[sum(i * stride)], and its weight weights[sum(i * weight_stride)].  The elements in
 * the order of C are dealt out to groups, each of which has a row of sums.
 */
typedef struct mnp_histogram_params {
    const void *elements, *weights;
    const void *edges; /* to be searched: bins + 1 of them, rising */
    void *sums;        /* groups * bins, which are 0 before */
    long long bins, groups, size;
    int ndim;   /* 1 .. MNP_HISTOGRAM_DIMS; the last is the innermost */
    int copies; /* of counters, as the power of two, in a block's memory */
    long long extent[MNP_HISTOGRAM_DIMS], stride[MNP_HISTOGRAM_DIMS], weight_stride[MNP_HISTOGRAM_DIMS];
    /* Even bins: the edges are low + i * step, and `high`; x is at (x - first) * scale, wrong by less than `margin` */
    double low, high, step, first, scale, margin;
} mnp_histogram_params;

#endif
