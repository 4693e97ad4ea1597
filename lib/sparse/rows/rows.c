/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running the tasks of kernels/sparse/rows/fetch_rows.cu, opening a matrix to read its rows, and all rows of a matrix.
 */
#include "sparse/rows/rows.h"

#include "base/integer.h"
#include "base/text.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/rows/turn_part.h"
#include "sparse/step/elements.h"

_Static_assert((int)MNP_ROWS_CSR == (int)MNP_CSR && (int)MNP_ROWS_SELL == (int)MNP_SELL, "kernels know the formats");

/* ---- tasks ---- */

mnp_status mnp__rows_load(mnp_ctx *ctx, mnp_dtype dtype, const char *function, mnp__kernel **kernel_p)
{
    const mnp__kernel_spec spec = {.file = "sparse/rows/fetch_rows.cu", .function = function};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(dtype));
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

mnp_status mnp__row_runner_open(mnp_ctx *ctx, mnp_dtype dtype, mnp__row_runner *runner)
{
    runner->ctx = ctx;
    return mnp__rows_load(ctx, dtype, "fetch_rows", &runner->kernel);
}

mnp_status mnp__rows_run(mnp__row_runner runner, int task, int64_t threads, mnp_rows_params *params)
{
    params->task = task;
    return mnp__ctx_launch(runner.ctx, runner.kernel, threads, params, sizeof *params);
}

mnp_status mnp__rows_run_each(mnp__row_runner runner, int task, int64_t count, mnp_rows_params *params)
{
    params->count = count;
    return mnp__rows_run(runner, task, count, params);
}

/*
 * An exclusive prefix sum in three launches: sum each tile, compute the prefix sums of these sums, and then the prefix
 * sums within each tile.
 */
mnp_status mnp__rows_sum_up(mnp__row_runner runner, int64_t count, int64_t *lengths, int64_t *sum_p)
{
    enum { LANES = 32, LEAST_TILE = 1024, MOST_TILES = 4096 };
    const int64_t even = (count / MOST_TILES / LANES + 1) * LANES, tile = mnp__max(even, LEAST_TILE);
    const int64_t tiles = mnp__divide_up(count, tile);
    mnp_rows_params params = {.lengths = (long long *)lengths, .total = count, .tile = tile};
    mnp_status st;
    MNP_TRY(mnp__elements_new(runner.ctx, tiles + 1, sizeof *params.tally, &params.tally));
    MNP_TRY_OR(mnp__rows_run(runner, MNP_ROWS_TALLY, tiles * LANES, &params), st, done);
    MNP_TRY_OR(mnp__rows_run(runner, MNP_ROWS_SUM, LANES, &params), st, done);
    MNP_TRY_OR(mnp__rows_run(runner, MNP_ROWS_PLACE, tiles * LANES, &params), st, done);
    if (sum_p)
        st = mnp__elements_copy(runner.ctx, sum_p, lengths + count, 1, sizeof *sum_p);
done:
    mnp__elements_free(runner.ctx, params.tally);
    return st;
}

mnp_rows_part mnp__describe_part(const mnp__part *part)
{
    return (mnp_rows_part){.offsets = part->offsets,
                           .rows_of = part->rows_of,
                           .indices = part->indices,
                           .values = part->values,
                           .rows = part->rows,
                           .lines = part->lines,
                           .wide = part->offset_size == 8,
                           .format = (int)part->format,
                           .block = part->block};
}

const mnp__part *mnp__row_source_own(const mnp__row_source *source)
{
    return source->matrix->format == MNP_CSR ? &source->matrix->own : &source->converted;
}

/* How many ghost columns lie before the own ones. */
static int64_t count_before(const mnp_sparse *matrix)
{
    const int64_t *columns = mnp__ghosts_columns(matrix->ghosts);
    int64_t low = 0, high = mnp__ghosts_count(matrix->ghosts);
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (columns[middle] < matrix->column_lo)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

mnp_rows_params mnp__row_source_read(const mnp__row_source *source)
{
    const mnp_sparse *matrix = source->matrix;
    return (mnp_rows_params){.matrix = {.own = mnp__describe_part(mnp__row_source_own(source)),
                                        .ghost = mnp__describe_part(&matrix->ghost),
                                        .column_lo = matrix->column_lo,
                                        .ghosts = (long long *)source->ghosts,
                                        .nghosts = mnp__ghosts_count(matrix->ghosts),
                                        .before = count_before(matrix)},
                             .ghost_offsets = (long long *)source->ghost_offsets};
}

mnp_rows_list mnp__describe_rows(const mnp__rows *rows)
{
    return (mnp_rows_list){.rows = rows->rows,
                           .offsets = (long long *)rows->offsets,
                           .columns = (long long *)rows->columns,
                           .values = rows->values};
}

mnp_status mnp__rows_new_part(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t count,
                              mnp__part *part)
{
    *part = (mnp__part){.format = MNP_CSR,
                        .rows = rows,
                        .columns = columns,
                        .lines = rows,
                        .count = count,
                        .offset_size = sizeof(int64_t),
                        .offsets = part->offsets,
                        .values = part->values};
    if (!part->offsets)
        MNP_TRY(mnp__elements_new(ctx, rows + 1, sizeof(int64_t), &part->offsets));
    MNP_TRY(mnp__elements_new(ctx, count, sizeof *part->indices, &part->indices));
    return part->values ? MNP_OK : mnp__elements_new(ctx, count, mnp_dtype_size(dtype), &part->values);
}

/* ---- sources ---- */

/* This rank's share of opening. */
static mnp_status prepare(mnp__row_source *source)
{
    const mnp_sparse *matrix = source->matrix;
    mnp_ctx *ctx = matrix->ctx;
    const int64_t ghosts = mnp__ghosts_count(matrix->ghosts);
    if (matrix->format != MNP_CSR && !mnp__part_is_listed(matrix->format))
        MNP_TRY(mnp__part_as_csr(ctx, matrix->dtype, &matrix->own, &source->converted));
    MNP_TRY(mnp__elements_new(ctx, matrix->rows + 1, sizeof *source->ghost_offsets, &source->ghost_offsets));
    if (ghosts > 0) /* as an upload waits */
        MNP_TRY(mnp__elements_upload(ctx, ghosts, sizeof *source->ghosts, mnp__ghosts_columns(matrix->ghosts),
                                     &source->ghosts));
    mnp_rows_params params = mnp__row_source_read(source);
    return mnp__rows_run_each(source->runner, MNP_ROWS_SPREAD, matrix->rows + 1, &params);
}

mnp_status mnp__row_source_open(const mnp_sparse *matrix, mnp__row_source *source)
{
    *source = (mnp__row_source){.matrix = matrix};
    MNP_TRY(mnp__row_runner_open(matrix->ctx, matrix->dtype, &source->runner));
    if (matrix->format != MNP_CSR && mnp__part_is_listed(matrix->format))
        MNP_TRY(mnp__part_relist(matrix->ctx, matrix->dtype, &matrix->own, MNP_CSR, &source->converted));
    return MNP_AGREE(matrix->ctx, prepare(source));
}

void mnp__row_source_close(mnp__row_source *source)
{
    if (!source->matrix)
        return;
    mnp__elements_free(source->matrix->ctx, source->ghost_offsets);
    mnp__elements_free(source->matrix->ctx, source->ghosts);
    mnp__part_release(source->matrix->ctx, &source->converted);
    *source = (mnp__row_source){.matrix = NULL};
}

void mnp__rows_release(mnp_ctx *ctx, mnp__rows *rows)
{
    mnp__elements_free(ctx, rows->offsets);
    mnp__elements_free(ctx, rows->columns);
    mnp__elements_free(ctx, rows->values);
    *rows = (mnp__rows){.rows = 0};
}

mnp_status mnp__rows_upload(mnp_ctx *ctx, const mnp__csr *csr, mnp__rows *rows)
{
    const int64_t count = mnp__csr_count(csr);
    *rows = (mnp__rows){.rows = csr->rows, .count = count};
    MNP_TRY(mnp__elements_send(ctx, csr->rows + 1, sizeof *rows->offsets, csr->offsets, &rows->offsets));
    MNP_TRY(mnp__elements_send(ctx, count, sizeof *rows->columns, csr->indices, &rows->columns));
    return mnp__elements_upload(ctx, count, mnp_dtype_size(csr->dtype), csr->values, &rows->values);
}

/* ---- all rows, or some ---- */

/* The rows->rows rows from number `first` on.  Not collective. */
static mnp_status pack_range(const mnp__row_source *source, int64_t first, mnp__rows *rows)
{
    const mnp_sparse *matrix = source->matrix;
    const mnp__part *own = mnp__row_source_own(source);
    mnp_ctx *ctx = matrix->ctx;
    const bool all = rows->rows == matrix->rows;
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    mnp_rows_params params = mnp__row_source_read(source);
    params.matrix.own.offsets = (char *)own->offsets + first * own->offset_size;
    params.ghost_offsets += first;
    params.lengths = (long long *)rows->offsets;
    MNP_TRY(mnp__rows_run_each(source->runner, MNP_ROWS_LENGTHS, rows->rows, &params));
    MNP_TRY(mnp__rows_sum_up(source->runner, rows->rows, rows->offsets, all ? NULL : &rows->count));
    if (all)
        rows->count = own->count + matrix->ghost.count;
    MNP_TRY(mnp__elements_new(ctx, rows->count, sizeof *rows->columns, &rows->columns));
    MNP_TRY(mnp__elements_new(ctx, rows->count, mnp_dtype_size(matrix->dtype), &rows->values));
    params.list = mnp__describe_rows(rows);
    params.count = 0;
    return mnp__rows_run(source->runner, MNP_ROWS_PACK, rows->count, &params);
}

mnp_status mnp__rows_range(const mnp_sparse *matrix, int64_t first, int64_t count, mnp__rows *rows)
{
    mnp__row_source source;
    mnp__rows packed = {.rows = count};
    mnp_status st = mnp__row_source_open(matrix, &source);
    if (st == MNP_OK)
        st = MNP_AGREE(matrix->ctx, pack_range(&source, first, &packed));
    mnp__row_source_close(&source);
    if (st == MNP_OK)
        *rows = packed;
    else
        mnp__rows_release(matrix->ctx, &packed);
    return st;
}

mnp_status mnp__rows_of(const mnp_sparse *matrix, mnp__rows *rows)
{
    return mnp__rows_range(matrix, 0, matrix->rows, rows);
}
