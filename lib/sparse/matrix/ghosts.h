/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts: what a rank needs of vectors that are cut by a matrix's column layout, in columns of other ranks.
 *
 * At the first exchange ranks ask the owners of their ghosts, once, by a shuffle of places.  An exchange brings other
 * ranks what they want, and goes on while the caller computes what needs no ghosts.
 */
#ifndef MNP__SPARSE_MATRIX_GHOSTS_H
#define MNP__SPARSE_MATRIX_GHOSTS_H

#include "array/array.h"

typedef struct mnp__ghosts mnp__ghosts;

/* From `count` columns of others, rising, which are copied.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__ghosts_new(mnp_ctx *ctx, const mnp_layout *column_layout, int64_t count, const int64_t *columns,
                           mnp__ghosts **ghosts_p);
void mnp__ghosts_free(mnp__ghosts *ghosts); /* NULL is accepted.  Collective. */

/*
 * Whether an exchange is only enqueued, so that a graph can have it, from the second of its kind of vectors on: kernels
 * alone on GPUs that share the heap.  The same on all ranks.  Not collective.
 */
bool mnp__ghosts_enqueues(const mnp__ghosts *ghosts);

/* Who wants what: ghosts lie in the order of the ranks that they come from, wanted rows in that of those they go to. */
typedef struct mnp__ghosts_plan {
    const int64_t *from, *to; /* ghosts from every rank, and wanted rows to every rank */
    const int64_t *places;    /* device memory: where the wanted rows are in this rank's part */
} mnp__ghosts_plan;

/* The plan, which the ghosts keep.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMM. */
mnp_status mnp__ghosts_ask(mnp__ghosts *ghosts, mnp__ghosts_plan *plan);

int64_t mnp__ghosts_count(const mnp__ghosts *ghosts);
const int64_t *mnp__ghosts_columns(const mnp__ghosts *ghosts);

/*
 * Exchange, of vectors of which `width` elements of `size` bytes lie side by side in device memory at x.  begin:
 * behind what the compute stream holds, which goes on.  finish: work enqueued on it afterwards finds *values_p, in the
 * order of the columns, until the next exchange.  Collective, all ranks alike; where no rank has ghosts there is
 * nothing to exchange. MNP_ERR_MEMORY, MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
mnp_status mnp__ghosts_begin(mnp__ghosts *ghosts, size_t size, int64_t width, const void *x);
mnp_status mnp__ghosts_finish(mnp__ghosts *ghosts, const void **values_p);

#endif
