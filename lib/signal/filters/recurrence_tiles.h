/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear recurrences in one pass over memory, on a GPU: launches of kernels/signal/filters/recurrence_tiles.cu, and
 * what they need of a filter, which the context keeps.
 */
#ifndef MNP__SIGNAL_FILTERS_RECURRENCE_TILES_H
#define MNP__SIGNAL_FILTERS_RECURRENCE_TILES_H

#include "context/context.h"
#include "kernels/signal/filters/recurrence_tiles_params.h"
#include "signal/filters/recurrence.h"

/* A filter for lines of certain types and lengths. */
typedef struct mnp__recurrence_tiles {
    mnp_ctx *ctx;
    const mnp__recurrence *filter;
    mnp__kernel *kernel;
    int threads, strip;                    /* of a block; elements of a thread */
    int reach;                             /* tiles before a tile that matter; 0: all */
    const double *coefficients, *matrices; /* on the device */
} mnp__recurrence_tiles;

/*
 * Whether the filter is to run over x along `axis` in tiles, and not line by line; `reals` of an element.  All ranks
 * get the same answer.
 */
bool mnp__recurrence_tiles_fit(const mnp__recurrence *filter, const mnp_array *x, int axis, int reals);

/*
 * Make ready to filter lines of at most `length` elements of a real type to another.  Collective.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__recurrence_tiles_open(mnp_ctx *ctx, const mnp__recurrence *filter, mnp_dtype in, mnp_dtype out,
                                      int64_t length, mnp__recurrence_tiles *tiles);

/*
 * Enqueue a launch on the compute stream; all members of *params but those that say `tiles` are the caller's.  Lines
 * have at least one element.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__recurrence_tiles_launch(const mnp__recurrence_tiles *tiles, const mnp_recurrence_tiles_params *params);

#endif
