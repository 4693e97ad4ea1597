/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters without feedback, with changes of the rate. */
#ifndef MNP__SIGNAL_UPFIRDN_H
#define MNP__SIGNAL_UPFIRDN_H

#include "array/array.h"

/*
 * Element o of the result is element first + o of upfirdn(taps, x, up, down) along `axis`: the sum over i of
 * taps[(first + o) * down - i * up] * x[i].  Beyond its ends x is 0.
 *
 *   count    taps, 1 or more
 *   outputs  elements of the result along the axis
 *   y_p      float64, or complex128 if x is complex
 *
 * Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
typedef struct mnp__upfirdn {
    int64_t count;
    const double *taps;
    int64_t up, down, first, outputs;
} mnp__upfirdn;

mnp_status mnp__upfirdn_run(const char *function, const mnp__upfirdn *filter, const mnp_array *x, int axis,
                            mnp_array **y_p);

#endif
