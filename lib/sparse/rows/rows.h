/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a sparse matrix in device memory, in CSR with global columns: the form in which structural operations work.
 *
 * An operation reads a matrix as rows (mnp__rows_of, or mnp__row_source where it needs some of them), makes other rows
 * of them (edit_rows.h, sort_entries.h), and makes a matrix of those (matrix_from_rows.h), for which mnp__rows_split
 * cuts them at the columns that the rank owns.
 */
#ifndef MNP__SPARSE_ROWS_ROWS_H
#define MNP__SPARSE_ROWS_ROWS_H

#include "sparse/matrix/sparse.h"

/* What runs the tasks of kernels/sparse/rows/fetch_rows.cu (rows_tasks.h). */
typedef struct mnp__row_runner {
    mnp_ctx *ctx;
    mnp__kernel *kernel;
} mnp__row_runner;

/* A matrix opened for reading its rows: both parts in CSR. */
typedef struct mnp__row_source {
    const mnp_sparse *matrix;
    mnp__row_runner runner;
    mnp__part converted;    /* the own part, where the matrix is in another format */
    int64_t *ghost_offsets; /* of the ghost part, spread to all rows */
    int64_t *ghosts;        /* the columns of the ghosts */
} mnp__row_source;

/* Rows in CSR with columns of the whole matrix, which rise. */
typedef struct mnp__rows {
    int64_t rows, count;
    int64_t *offsets, *columns;
    void *values;
} mnp__rows;

/*
 * Open and close a source, which is all zeros before.  close is needed also after open failed.  An own part in DIA,
 * BSR or SELL is converted by the CPU.  open is collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_DEVICE.
 */
mnp_status mnp__row_source_open(const mnp_sparse *matrix, mnp__row_source *source);
void mnp__row_source_close(mnp__row_source *source);

void mnp__rows_release(mnp_ctx *ctx, mnp__rows *rows);

/*
 * All rows of a matrix; or `count` of this rank's from number `first` on, for which the call waits.  Collective, and
 * agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__rows_of(const mnp_sparse *matrix, mnp__rows *rows);
mnp_status mnp__rows_range(const mnp_sparse *matrix, int64_t first, int64_t count, mnp__rows *rows);

/* Rows that the CPU made, copied to the device; release them also after a failure.  Waits.  Not collective. */
mnp_status mnp__rows_upload(mnp_ctx *ctx, const mnp__csr *csr, mnp__rows *rows);

/*
 * Cut rows at the columns that this rank owns by that layout: the parts of a matrix, of which the ghost part still
 * lists all rows; it is empty where no rank has ghosts.  The columns of `rows` are overwritten, and the parts may take
 * the values; the caller still releases what is left.  Offsets have 4 bytes where those of all ranks fit.
 * Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_UNSUPPORTED.
 */
mnp_status mnp__rows_split(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *column_layout, mnp__rows *rows,
                           mnp__parts *parts);

/*
 * Let the ghost part, if any rank has ghosts, list only the rows that have entries.  Waits.  Collective, and agreed
 * upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__rows_list_ghosts(mnp_ctx *ctx, mnp_dtype dtype, mnp__parts *parts);

#endif
