/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows for products of matrices, by a dozen launches of kernels/sparse/rows/fetch_rows.cu and three messages to each
 * rank.
 *
 * The owners know from A's ghosts which of their rows are wanted.  They send the lengths of those rows, then the
 * columns and the values of their entries.  Memory: all rows once, with columns of 64 bits, and the rows that other
 * ranks want once more.
 */
#include "sparse/rows/fetch_rows.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array/move/shuffle.h"
#include "sparse/step/elements.h"
#include "sparse/rows/rows_tasks.h"

/* ---- numbered ---- */

mnp_status mnp__rows_number(const mnp__row_source *source, mnp__part *numbered)
{
    const mnp_sparse *matrix = source->matrix;
    const int64_t ghosts = mnp__ghosts_count(matrix->ghosts), columns = matrix->columns + ghosts;
    const int64_t count = mnp__row_source_own(source)->count + matrix->ghost.count;
    mnp__part made = {.rows = 0};
    mnp_status st;
    if (columns > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a rank's rows touch %" PRId64 " columns, of others %" PRId64
                        " of them; more than %d are too many in a product of matrices",
                        columns, ghosts, INT32_MAX);
    MNP_TRY_OR(mnp__rows_new_part(matrix->ctx, matrix->dtype, matrix->rows, columns, count, &made), st, fail);
    mnp_rows_params params = mnp__row_source_read(source);
    params.lengths = made.offsets;
    params.list = (mnp_rows_list){.rows = matrix->rows, .offsets = made.offsets, .values = made.values};
    params.local = made.indices;
    params.shift = matrix->columns;
    MNP_TRY_OR(mnp__rows_run_each(source->runner, MNP_ROWS_LENGTHS, matrix->rows, &params), st, fail);
    MNP_TRY_OR(mnp__rows_sum_up(source->runner, matrix->rows, made.offsets, NULL), st, fail);
    params.count = 0;
    MNP_TRY_OR(mnp__rows_run(source->runner, MNP_ROWS_PACK, count, &params), st, fail);
    *numbered = made;
    return MNP_OK;
fail:
    mnp__part_release(matrix->ctx, &made);
    return st;
}

/* ---- fetched ---- */

/* The rows of this rank that others want, in the order of those ranks. */
struct outgoing {
    mnp__ghosts_plan plan; /* who wants what; unused where no rank has ghosts */
    mnp__rows packed;
    mnp__shuffle *by_rows, *by_entries;
    int64_t *counts; /* on the CPU: entries for every rank, followed by scratch */
};

/* The lengths of rows for other ranks, and of those here, 0 where A does not name them. */
static mnp_status make_lengths(const mnp__row_source *b, const mnp__part *numbered, struct outgoing *outgoing,
                               mnp__rows *rows)
{
    mnp_ctx *ctx = b->matrix->ctx;
    mnp__rows *packed = &outgoing->packed;
    const int64_t own = b->matrix->rows;
    unsigned char *named = NULL;
    mnp_status st;
    rows->rows = numbered->columns;
    MNP_TRY(mnp__calloc(3 * (size_t)ctx->comm.size + 1, sizeof *outgoing->counts, &outgoing->counts));
    MNP_TRY(mnp__elements_new(ctx, packed->rows + 1, sizeof *packed->offsets, &packed->offsets));
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    MNP_TRY(mnp__elements_new(ctx, numbered->columns, sizeof *named, &named));
    mnp_rows_params params = mnp__row_source_read(b);
    params.wanted = (const long long *)outgoing->plan.places;
    params.lengths = (long long *)packed->offsets;
    MNP_TRY_OR(mnp__rows_run_each(b->runner, MNP_ROWS_LENGTHS, packed->rows, &params), st, done);
    MNP_TRY_OR(ctx->device->ops->fill(ctx->device, named, 0, (size_t)numbered->columns, ctx->compute), st, done);
    params.wanted = NULL;
    params.named = named;
    params.indices = numbered->indices;
    params.lengths = (long long *)rows->offsets;
    MNP_TRY_OR(mnp__rows_run_each(b->runner, MNP_ROWS_NAME, numbered->count, &params), st, done);
    st = mnp__rows_run_each(b->runner, MNP_ROWS_LENGTHS, own, &params);
done:
    mnp__elements_free(ctx, named);
    return st;
}

/* Offsets of all rows, and how many entries go to each rank; *own_p: entries of rows that are here.  Waits. */
static mnp_status count_entries(const mnp__row_source *b, struct outgoing *outgoing, mnp__rows *rows, int64_t *own_p)
{
    mnp_ctx *ctx = b->matrix->ctx;
    const int ranks = ctx->comm.size;
    mnp__rows *packed = &outgoing->packed;
    int64_t *counts = outgoing->counts, *cuts = counts + ranks, *marks = NULL, ends[2];
    mnp_status st;
    for (int r = 0; r < ranks; r++)
        cuts[r + 1] = cuts[r] + (packed->rows > 0 ? outgoing->plan.to[r] : 0);
    MNP_TRY(mnp__rows_sum_up(b->runner, packed->rows, packed->offsets, NULL));
    MNP_TRY(mnp__rows_sum_up(b->runner, rows->rows, rows->offsets, NULL));
    MNP_TRY(mnp__elements_new(ctx, 2 * ((int64_t)ranks + 1), sizeof *marks, &marks));
    mnp_rows_params params = {.wanted = (long long *)marks,
                              .lengths = (long long *)packed->offsets,
                              .columns = (long long *)marks + ranks + 1};
    MNP_TRY_OR(mnp__elements_copy(ctx, marks, cuts, ranks + 1, sizeof *marks), st, done);
    MNP_TRY_OR(mnp__rows_run_each(b->runner, MNP_ROWS_PICK, ranks + 1, &params), st, done);
    MNP_TRY_OR(mnp__elements_copy(ctx, cuts, marks + ranks + 1, ranks + 1, sizeof *marks), st, done);
    MNP_TRY_OR(mnp__elements_copy(ctx, &ends[0], rows->offsets + b->matrix->rows, 1, sizeof *ends), st, done);
    MNP_TRY_OR(mnp__elements_copy(ctx, &ends[1], rows->offsets + rows->rows, 1, sizeof *ends), st, done);
    for (int r = 0; r < ranks; r++)
        counts[r] = cuts[r + 1] - cuts[r];
    packed->count = cuts[ranks];
    *own_p = ends[0];
    rows->count = ends[1];
done:
    mnp__elements_free(ctx, marks);
    return st;
}

static mnp_status make_room(const mnp_sparse *matrix, mnp__rows *rows)
{
    MNP_TRY(mnp__elements_new(matrix->ctx, rows->count, sizeof *rows->columns, &rows->columns));
    return mnp__elements_new(matrix->ctx, rows->count, mnp_dtype_size(matrix->dtype), &rows->values);
}

/* Pack the entries of rows for other ranks, and of those for this one. */
static mnp_status pack(const mnp__row_source *b, struct outgoing *outgoing, mnp__rows *rows, int64_t own)
{
    mnp_rows_params params = mnp__row_source_read(b);
    MNP_TRY(make_room(b->matrix, &outgoing->packed));
    MNP_TRY(make_room(b->matrix, rows));
    params.wanted = (const long long *)outgoing->plan.places;
    params.list = mnp__describe_rows(&outgoing->packed);
    MNP_TRY(mnp__rows_run(b->runner, MNP_ROWS_PACK, outgoing->packed.count, &params));
    params.wanted = NULL;
    params.list = mnp__describe_rows(rows);
    params.list.rows = b->matrix->rows;
    return mnp__rows_run(b->runner, MNP_ROWS_PACK, own, &params);
}

static mnp_status send_entries(const mnp_sparse *matrix, const struct outgoing *outgoing, mnp__rows *rows, int64_t own)
{
    const size_t size = mnp_dtype_size(matrix->dtype);
    MNP_TRY(
        mnp__shuffle_send(outgoing->by_entries, sizeof *rows->columns, outgoing->packed.columns, rows->columns + own));
    return mnp__shuffle_send(outgoing->by_entries, size, outgoing->packed.values,
                             (char *)rows->values + (size_t)own * size);
}

/* Collective, and agreed upon. */
static mnp_status fetch(const mnp__row_source *a, const mnp__part *numbered, const mnp__row_source *b,
                        struct outgoing *outgoing, mnp__rows *rows)
{
    mnp_ctx *ctx = b->matrix->ctx;
    const bool travels = a->matrix->has_ghosts;
    int64_t own = 0;
    if (travels) {
        MNP_TRY(mnp__ghosts_ask(a->matrix->ghosts, &outgoing->plan));
        MNP_TRY(mnp__shuffle_new(ctx, outgoing->plan.to, &outgoing->by_rows));
        for (int r = 0; r < ctx->comm.size; r++)
            outgoing->packed.rows += outgoing->plan.to[r];
    }
    MNP_TRY(MNP_AGREE(ctx, make_lengths(b, numbered, outgoing, rows)));
    if (travels)
        MNP_TRY(mnp__shuffle_send(outgoing->by_rows, sizeof *rows->offsets, outgoing->packed.offsets,
                                  rows->offsets + b->matrix->rows));
    MNP_TRY(MNP_AGREE(ctx, count_entries(b, outgoing, rows, &own)));
    if (travels)
        MNP_TRY(mnp__shuffle_new(ctx, outgoing->counts, &outgoing->by_entries));
    MNP_TRY(MNP_AGREE(ctx, pack(b, outgoing, rows, own)));
    return travels ? send_entries(b->matrix, outgoing, rows, own) : MNP_OK;
}

mnp_status mnp__rows_fetch(const mnp__row_source *a, const mnp__part *numbered, const mnp__row_source *b,
                           mnp__rows *rows)
{
    mnp_ctx *ctx = b->matrix->ctx;
    struct outgoing outgoing = {.counts = NULL};
    mnp__rows fetched = {.rows = 0};
    const mnp_status st = fetch(a, numbered, b, &outgoing, &fetched);
    mnp__rows_release(ctx, &outgoing.packed);
    mnp__shuffle_free(outgoing.by_rows);
    mnp__shuffle_free(outgoing.by_entries);
    free(outgoing.counts);
    if (st == MNP_OK)
        *rows = fetched;
    else
        mnp__rows_release(ctx, &fetched);
    return st;
}
