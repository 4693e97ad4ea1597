/* SPDX-License-Identifier: BSD-3-Clause */
/* Recurrences forward and backward over whole lines, in two passes over a GPU's memory. */
#ifndef MNP__SIGNAL_BOTH_WAYS_H
#define MNP__SIGNAL_BOTH_WAYS_H

#include "signal/filters/recurrence.h"

typedef struct mnp__both_ways {
    const char *function;
    const mnp__recurrence *filter;
    const double *steady; /* the state of lines of ones that go on as they are: `order` numbers */
    int extension;        /* how x goes on beyond its ends, as in kernels/signal/filters/recurrence_tiles_params.h */
    int64_t width;        /* by so many elements, fewer than x has along the axis */
    int64_t every;        /* results that are wanted: all those whose index is a multiple of it */
} mnp__both_ways;

/* Whether this is the way for a filter and an array.  All ranks get the same answer. */
bool mnp__both_ways_fit(const mnp__recurrence *filter, const mnp_array *x, int axis);

/*
 * Filter.  *y_p has fewer elements along `axis` if `every` is above 1; otherwise it is as that of
 * mnp__recurrence_run().  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__both_ways_run(const mnp__both_ways *how, const mnp_array *x, int axis, mnp_array **y_p);

#endif
