/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks of kernels/sparse/rows/fetch_rows.cu, for the other files of this folder and of assembly.  Tasks are
 * enqueued, not waited for.
 */
#ifndef MNP__SPARSE_ROWS_ROWS_TASKS_H
#define MNP__SPARSE_ROWS_ROWS_TASKS_H

#include "kernels/sparse/rows/fetch_rows_params.h"
#include "sparse/rows/rows.h"

/* One of the file's kernels for values of that dtype; open: fetch_rows.  Collective.  MNP_ERR_COMPILE. */
mnp_status mnp__rows_load(mnp_ctx *ctx, mnp_dtype dtype, const char *function, mnp__kernel **kernel_p);
mnp_status mnp__row_runner_open(mnp_ctx *ctx, mnp_dtype dtype, mnp__row_runner *runner);

/* Enqueue a task for so many threads of a GPU; run_each: for `count` things. */
mnp_status mnp__rows_run(mnp__row_runner runner, int task, int64_t threads, mnp_rows_params *params);
mnp_status mnp__rows_run_each(mnp__row_runner runner, int task, int64_t count, mnp_rows_params *params);

/*
 * Lengths in device memory become offsets, one more than there are: an exclusive prefix sum.  sum_p, unless it is NULL,
 * receives the last offset, for which the call waits.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__rows_sum_up(mnp__row_runner runner, int64_t count, int64_t *lengths, int64_t *sum_p);

/* Structs as kernels read them; row_source_read: the parameters of tasks that read the source's rows. */
mnp_rows_part mnp__describe_part(const mnp__part *part);
mnp_rows_list mnp__describe_rows(const mnp__rows *rows);
mnp_rows_params mnp__row_source_read(const mnp__row_source *source);

/* The source's own part, in CSR. */
const mnp__part *mnp__row_source_own(const mnp__row_source *source);

/* A part in CSR of all rows, with room for so many entries; offsets of 8 bytes and values may be there already. */
mnp_status mnp__rows_new_part(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t count,
                              mnp__part *part);

#endif
