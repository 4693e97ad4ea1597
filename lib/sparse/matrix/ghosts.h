/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts: the elements of a vector in a matrix's column layout that a rank's rows need and other ranks own.
 *
 * At the first exchange ranks tell the owners, by a shuffle, which elements they need.  Each exchange sends these; it
 * is asynchronous, so the caller can compute meanwhile what needs no ghosts.
 */
#ifndef MNP__SPARSE_MATRIX_GHOSTS_H
#define MNP__SPARSE_MATRIX_GHOSTS_H

#include "array/array.h"

typedef struct mnp__ghosts mnp__ghosts;

/* Make ghosts of `count` ascending columns that other ranks own; they are copied.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__ghosts_new(mnp_ctx *ctx, const mnp_layout *column_layout, int64_t count, const int64_t *columns,
                           mnp__ghosts **ghosts_p);
void mnp__ghosts_free(mnp__ghosts *ghosts); /* NULL is accepted.  Collective. */

/*
 * Whether exchanges are only enqueued, so that a graph can contain them, from the second one for a kind of vectors on:
 * on GPUs that share the heap they consist of kernels alone.  The same on all ranks.  Not collective.
 */
bool mnp__ghosts_enqueues(const mnp__ghosts *ghosts);

/* Which rows go where: ghosts are in the order of the ranks that send them, wanted rows in that of their receivers. */
typedef struct mnp__ghosts_plan {
    const int64_t *from, *to; /* ghosts from every rank, and wanted rows to every rank */
    const int64_t *places;    /* in device memory: the offsets of the wanted rows in this rank's part */
} mnp__ghosts_plan;

/* Get the plan, which belongs to the ghosts.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMM. */
mnp_status mnp__ghosts_ask(mnp__ghosts *ghosts, mnp__ghosts_plan *plan);

int64_t mnp__ghosts_count(const mnp__ghosts *ghosts);
const int64_t *mnp__ghosts_columns(const mnp__ghosts *ghosts);

/*
 * Exchange the ghosts of vectors of which each row is `width` contiguous elements of `size` bytes, in device memory at
 * x.  begin starts the exchange after the work that the compute stream has, and does not wait.  After finish, work
 * enqueued on that stream finds the ghosts in *values_p, in the order of the columns, until the next exchange.
 * Collective, with equal arguments on all ranks; if no rank has ghosts, nothing is exchanged.  MNP_ERR_MEMORY,
 * MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
mnp_status mnp__ghosts_begin(mnp__ghosts *ghosts, size_t size, int64_t width, const void *x);
mnp_status mnp__ghosts_finish(mnp__ghosts *ghosts, const void **values_p);

#endif
