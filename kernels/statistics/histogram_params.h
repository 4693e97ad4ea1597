/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of histogram.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_STATISTICS_HISTOGRAM_PARAMS_H
#define MNP_KERNELS_STATISTICS_HISTOGRAM_PARAMS_H

/* How the bin of an element is found. */
#define MNP_BINS_NUMBERS 0 /* the element is the number of its bin */
#define MNP_BINS_EVEN 1    /* by arithmetic; close to an edge, by comparison with it */
#define MNP_BINS_SEARCH 2  /* by bisection of the edges */

/*
 * Threads of a block of a GPU, and the bytes of shared memory for its counters or sums of weights.  For sums of each
 * lane there is more memory, if the GPU has it.
 */
enum { MNP_HISTOGRAM_THREADS = 512, MNP_HISTOGRAM_SHARED = 48 << 10, MNP_HISTOGRAM_MORE = 192 << 10 };

enum { MNP_HISTOGRAM_DIMS = 8 };

/*
 * Element (i0, i1, ...) is elements[sum(i * stride)], and its weight weights[sum(i * weight_stride)].  The elements, in
 * C order, are divided among groups, each of which has a row of sums.
 */
typedef struct mnp_histogram_params {
    const void *elements, *weights;
    const void *edges; /* SEARCH: bins + 1 ascending edges */
    void *sums;        /* groups * bins sums, which are 0 before */
    long long bins, groups, size;
    int ndim;   /* 1 .. MNP_HISTOGRAM_DIMS; the last is the innermost */
    int copies; /* copies of the counters in a block's shared memory: 2^copies */
    long long extent[MNP_HISTOGRAM_DIMS], stride[MNP_HISTOGRAM_DIMS], weight_stride[MNP_HISTOGRAM_DIMS];
    /* EVEN: the edges are low + i * step, and `high`.  x is at position (x - first) * scale, to within `margin` */
    double low, high, step, first, scale, margin;
} mnp_histogram_params;

#endif
