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
 * Fail with MNP_ERR_ARG where an entry is not in a matrix of that shape; its number in the sentence is from `first` on.
 * Waits.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, too.
 */
mnp_status mnp__entries_check(const char *function, const mnp__sparse_shape *shape, int64_t first,
                              const mnp__entries *entries);

/* All entries of a matrix, row by row.  Collective, and agreed upon.  As above, but for MNP_ERR_ARG. */
mnp_status mnp__entries_of(const mnp_sparse *matrix, mnp__entries *entries);

/* How entries come, those of rank 0 first, and of one rank in its order. */
typedef enum mnp__entries_order {
    MNP__ENTRIES_ANYHOW,
    MNP__ENTRIES_RISING /* of every row the columns rise, without duplicates */
} mnp__entries_order;

/*
 * Send entries to the owners of their rows by that layout, and make rows of what comes; duplicates are summed in the
 * order in which they come.  Entries are inside, and used up, whatever comes.  Waits.  Collective, and agreed upon.
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_UNSUPPORTED for more rows on a rank than 32
 * bits count.
 */
mnp_status mnp__rows_from_entries(const mnp__sparse_shape *shape, mnp__entries_order order, mnp__entries *entries,
                                  mnp__rows *rows);

#endif
