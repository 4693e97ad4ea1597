/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting lines of distributed arrays, and the pieces that it is made of.
 */
#ifndef MNP__OPS_SORT_SORT_H
#define MNP__OPS_SORT_SORT_H

#include <maniple/sort.h>

#include "array/array.h"
#include "base/integer.h"

/*
 * Write the lines of x along an axis (not negative) in order to `values`, and to `indices` (int64) the index that each
 * element had in its line.  Either may be NULL; both have the shape of x and any layout, and share no memory with x,
 * but that `values` may be x itself.  Stable.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE,
 * MNP_ERR_COMM.
 */
mnp_status mnp__sort_into(const mnp_array *x, int axis, bool descending, mnp_array *values, mnp_array *indices);

/* The same for one line, of one dimension, that all ranks share. */
mnp_status mnp__sort_line(const mnp_array *x, bool descending, mnp_array *values, mnp_array *indices);

/* Whether lines are in order as they are, on all ranks: they have one element, or one that is broadcast. */
bool mnp__sort_copies(const mnp_array *x, int axis);

/* x with an axis brought to the end: a view that is known to be dense where x is, and the axis was there already. */
mnp_status mnp__sort_turn(const mnp_array *x, int axis, mnp_array **turned_p);

/* Sorted keys on every rank, rank after rank: lengths[r] elements, those of this rank at `keys`, in device memory. */
typedef struct mnp__runs {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    bool descending;
    const void *keys;
    const int64_t *lengths;
} mnp__runs;

/*
 * Find where to cut them so that rank r receives elements cuts[r] .. cuts[r + 1] of all in order, with those of lower
 * ranks first among equal ones: counts[r] elements of this rank's run, in its order, are for rank r.  Waits.
 * Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__sort_split(const mnp__runs *runs, const int64_t *cuts, int64_t *counts);

/* Merging runs that lie one after the other in device memory; among equal elements those of earlier runs are first. */
typedef struct mnp__merge {
    mnp_dtype dtype;
    bool descending, has_payload;
    int nruns;
    const int64_t *lengths;        /* of the runs */
    void *keys, *spare_keys;       /* both are written to; as large as the runs together */
    void *payload, *spare_payload; /* 8 bytes with every key, if there is one */
    void *out_keys, *out_payload;  /* either may be NULL: not wanted.  They are none of the above */
} mnp__merge;

/*
 * Merge, on the compute stream; the spare memory is needed for more than two runs only.  Collective in that all ranks
 * must call it with the same dtype, direction and kind of payload, and number of runs.  MNP_ERR_MEMORY on this rank
 * alone, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__merge_runs(mnp_ctx *ctx, const mnp__merge *merge);

/* Allocate some bytes of the scratch memory at `base`; with base NULL only count them. */
static inline void *mnp__sort_deal(char *base, size_t *used, size_t bytes)
{
    void *at = base ? base + *used : NULL;
    *used += mnp__round_up_bytes(bytes, 256);
    return at;
}

#endif
