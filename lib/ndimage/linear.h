/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weighted sums along one axis after another.
 */
#ifndef MNP__NDIMAGE_LINEAR_H
#define MNP__NDIMAGE_LINEAR_H

#include "ndimage/window.h"

/* y[o] = sum over j of weights[j] * x[o + first + j] along an axis; weights NULL: the mean of the elements. */
typedef struct mnp__axis_sum {
    int axis;
    int64_t count, first;
    const double *weights;
    mnp_boundary boundary;
} mnp__axis_sum;

/*
 * Filter along several axes in turn, at most MNP_MAX_DIMS of them; every result has the output's dtype, and `outside`
 * stands beyond its borders for MNP_BOUNDARY_FILL.  No pass: a copy.  Collective.
 */
mnp_status mnp__axis_sums_run(const char *function, const mnp_array *x, int count, const mnp__axis_sum *sums,
                              mnp_dtype output, double outside, mnp_array **y_p);

/*
 * Give numbers, which are released, as the bools that SciPy makes of them: true is what is not 0 when it is truncated
 * towards zero.  `st` is the status of the call that made them, and is given back if it is an error.  Collective.
 */
mnp_status mnp__give_bools(mnp_array *numbers, mnp_status st, mnp_array **y_p);

#endif
