/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting the elements of an array, or adding their weights, in bins (kernels/statistics/histogram.cu).
 */
#ifndef MNP__OPS_STATISTICS_COUNT_BINS_H
#define MNP__OPS_STATISTICS_COUNT_BINS_H

#include "array/array.h"
#include "kernels/statistics/histogram_params.h"

typedef struct mnp__count_bins {
    int method;                                   /* MNP_BINS_... */
    int64_t bins;                                 /* > 0 */
    mnp_dtype compared;                           /* of the edges; elements are compared with them in it */
    const mnp_array *edges;                       /* to be searched: dense on every rank */
    const mnp_array *weights;                     /* NULL, or of the elements' shape */
    mnp_dtype arithmetic;                         /* of even edges */
    bool narrow;                                  /* even bins are found in float, not in double */
    double low, high, step, first, scale, margin; /* kernels/statistics/histogram_params.h */
} mnp__count_bins;

/* The type in which weights are summed: int64, float64 or complex128; that of counts where there are none. */
mnp_dtype mnp__count_bins_sum(const mnp_array *weights);

/*
 * Count.  *sums_p is NULL, and receives a new array of one dimension and the type above, which is whole on all ranks;
 * or it is an array of that type and of as many elements, in any layout.  Every rank counts its block; one of several
 * replicas counts.  Collective.  MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__count_bins_run(const mnp_array *x, const mnp__count_bins *counting, mnp_array **sums_p);

#endif
