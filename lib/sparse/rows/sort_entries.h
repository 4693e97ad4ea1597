/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries in any order, on any rank, become rows of the ranks that own them (kernels/sparse/rows/sort_entries.cu).
 */
#ifndef MNP__SPARSE_ROWS_SORT_ENTRIES_H
#define MNP__SPARSE_ROWS_SORT_ENTRIES_H

#include "sparse/rows/rows.h"

/* Entries in device memory: rows and columns of the whole matrix. */
typedef struct mnp__entries {
    int64_t count;
    int64_t *rows, *columns;
    void *values;
} mnp__entries;

void mnp__entries_release(mnp_ctx *ctx, mnp__entries *entries);

/*
 * A layout of one dimension, in which every rank has as many elements as it has entries.  Collective, and agreed upon.
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__entries_layout(mnp_ctx *ctx, int64_t count, mnp_layout **layout_p);

/*
 * MNP_ERR_ARG where an entry lies outside a matrix of that shape; messages count entries from `first` on.  Waits.
 * Collective, and agreed upon.  Also MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__entries_check(const char *function, const mnp__sparse_shape *shape, int64_t first,
                              const mnp__entries *entries);

/* All entries of a matrix, row by row.  Collective, and agreed upon.  Errors as above, but not MNP_ERR_ARG. */
mnp_status mnp__entries_of(const mnp_sparse *matrix, mnp__entries *entries);

/* The order of the entries, counted over all ranks, from rank 0 on. */
typedef enum mnp__entries_order {
    MNP__ENTRIES_ANYHOW,
    MNP__ENTRIES_RISING /* in every row the columns rise, without duplicates */
} mnp__entries_order;

/*
 * Send entries to the owners of their rows, and make rows from what arrives there; duplicates are summed in the order
 * of the entries.  Entries lie inside the shape, and are used up also after a failure.  Waits.  Collective, and agreed
 * upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM, and MNP_ERR_UNSUPPORTED where 32 bits cannot
 * count the rows of a rank.
 */
mnp_status mnp__rows_from_entries(const mnp__sparse_shape *shape, mnp__entries_order order, mnp__entries *entries,
                                  mnp__rows *rows);

#endif
