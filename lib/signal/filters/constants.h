/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the context caches of filters by their coefficients, so that a filter that is used again is not prepared again.
 *
 * There is a list of 16 items for every kind, and a new item takes the place of the oldest one.  All ranks cache the
 * same items.  Calls that use them are not recorded in graphs; for plans, which may be, there is context/plan_cache.h.
 */
#ifndef MNP__SIGNAL_CONSTANTS_H
#define MNP__SIGNAL_CONSTANTS_H

#include "context/context.h"

/* A kind of item, which begins as zeros. */
typedef struct mnp__constants_kind {
    mnp__attachment_id attachment;
    size_t size;
    mnp_status (*make)(mnp_ctx *ctx, const void *from, void *item);
    void (*release)(mnp_ctx *ctx, void *item); /* also one that could not be made */
} mnp__constants_kind;

/* What an item was made of, which is the same on all ranks. */
typedef struct mnp__constants_key {
    uint64_t facts[5];
    const double *numbers;
    int64_t count;
} mnp__constants_key;

/*
 * Find the item of that key, or make it from `from`.  *item_p is valid for what is enqueued before a few other calls.
 * Collective.  Errors are those of `make`; MNP_ERR_MEMORY.
 */
mnp_status mnp__constants_get(mnp_ctx *ctx, const mnp__constants_kind *kind, const mnp__constants_key *key,
                              const void *from, void **item_p);

/* Copy numbers to new memory of the device, and wait until they are there.  MNP_ERR_MEMORY, MNP_ERR_DEVICE. */
mnp_status mnp__constants_copy(mnp_ctx *ctx, const double *numbers, int64_t count, double **device_p);

/* Find numbers on the device, such as the taps of a filter, or copy them.  MNP_ERR_ARG while a graph is recorded. */
mnp_status mnp__taps_get(mnp_ctx *ctx, int64_t count, const double *taps, const double **device_p);

#endif
