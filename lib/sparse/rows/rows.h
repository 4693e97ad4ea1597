/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries of a sparse matrix as rows in device memory, cut again in the parts of a matrix, and lengths that are summed
 * up.
 */
#ifndef MNP__SPARSE_ROWS_ROWS_H
#define MNP__SPARSE_ROWS_ROWS_H

#include "sparse/matrix/sparse.h"

/*
 * `count` lengths become offsets, one more, of which the last is *sum_p too; waits for it.  load is collective, for
 * rows of any dtype.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__lengths_load(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p);
mnp_status mnp__lengths_sum_up(mnp_ctx *ctx, mnp__kernel *kernel, int64_t count, int64_t *lengths, int64_t *sum_p);

/* A matrix whose rows are read: both parts in CSR. */
typedef struct mnp__row_source {
    const mnp_sparse *matrix;
    mnp__kernel *kernel;
    mnp__part converted;    /* the own part, where the matrix has it in another format */
    int64_t *ghost_offsets; /* of the ghost part, for all rows */
    int64_t *ghosts;        /* its columns */
} mnp__row_source;

/* Rows in CSR with columns of the whole matrix, which rise. */
typedef struct mnp__rows {
    int64_t rows, count;
    int64_t *offsets, *columns;
    void *values;
} mnp__rows;

/*
 * close is needed also where open failed, of a source that was all zeros before.  An own part in another format than
 * CSR is converted by the CPU.  open is collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__row_source_open(const mnp_sparse *matrix, mnp__row_source *source);
void mnp__row_source_close(mnp__row_source *source);

void mnp__rows_release(mnp_ctx *ctx, mnp__rows *rows);

/* All rows of a matrix, as they are.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE. */
mnp_status mnp__rows_of(const mnp_sparse *matrix, mnp__rows *rows);

/*
 * Rows of a matrix whose columns are cut so, as two parts that list all of them: as mnp__part_split() has it, but that
 * `columns` of the rows are used up.  Offsets are of 4 bytes where those of all ranks fit.  *columns_p is memory of the
 * CPU, to be freed.  *any_p: whether any rank has ghosts.  Collective, and agreed upon.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_UNSUPPORTED.
 */
mnp_status mnp__rows_split(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *column_layout, mnp__rows *rows,
                           mnp__part *own, mnp__part *ghost, int64_t **columns_p, int64_t *count_p, bool *any_p);

/*
 * A part in CSR that lists all rows comes to list only those that have entries.  Waits.  Collective, and agreed upon.
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__rows_list(mnp_ctx *ctx, mnp_dtype dtype, mnp__part *part);

#endif
