/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows are cut into the two parts of a matrix: the entries in the rank's own columns, and those in other columns, the
 * ghosts, which are numbered.  To number the other columns, the host sets one bit for each.  A hash table is used on
 * GPUs, or where there are many more columns than entries; its columns are sorted afterwards.
 *
 * Time: proportional to the entries and, on GPUs, to the logarithm of the rows.  Memory: both parts, and about 50 bytes
 * for each ghost column or for each entry in one, whichever are fewer.  Where no rank has ghosts, the values stay where
 * they are, and only 4 bytes for each entry and 20 for each row are added.
 */
#include <inttypes.h>

#include "base/integer.h"
#include "layout/layout.h"
#include "ops/sort/radix_sort.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

/* ---- split ---- */

enum { BITS = 64 }; /* of a word */

/* How ghost columns get their numbers, in rising order. */
struct numbering {
    mnp_rows_table table;
    int64_t *first;   /* for every row: where its entries in own columns begin */
    int64_t *columns; /* in order, once they are sorted */
    int64_t *found, count;
};

static void close_numbering(mnp_ctx *ctx, struct numbering *numbering)
{
    mnp__elements_free(ctx, numbering->table.slots);
    mnp__elements_free(ctx, numbering->table.numbers);
    mnp__elements_free(ctx, numbering->table.words);
    mnp__elements_free(ctx, numbering->table.before);
    mnp__elements_free(ctx, numbering->first);
    mnp__elements_free(ctx, numbering->columns);
    mnp__elements_free(ctx, numbering->found);
}

/* Where rows are cut: this rank's columns, among all columns of the matrix. */
struct cut {
    mnp__row_runner runner;
    mnp_dtype dtype;
    int64_t lo, count, all;
};

static mnp_rows_params read_rows(const struct cut *cut, const mnp__rows *rows, const struct numbering *numbering)
{
    return (mnp_rows_params){.matrix.column_lo = cut->lo,
                             .columns_end = cut->lo + cut->count,
                             .list = mnp__describe_rows(rows),
                             .first = (long long *)numbering->first,
                             .table = numbering->table,
                             .columns = (long long *)numbering->columns,
                             .found = (long long *)numbering->found};
}

/* Find the entries in own columns, which gives the offsets of the own part; *count_p: how many there are.  Waits. */
static mnp_status find_own(const struct cut *cut, const mnp__rows *rows, struct numbering *numbering, mnp__part *own,
                           int64_t *count_p)
{
    mnp_ctx *ctx = cut->runner.ctx;
    MNP_TRY(mnp__elements_new(ctx, rows->rows, sizeof *numbering->first, &numbering->first));
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof(int64_t), &own->offsets));
    mnp_rows_params params = read_rows(cut, rows, numbering);
    params.lengths = own->offsets;
    MNP_TRY(mnp__rows_run_each(cut->runner, MNP_ROWS_CUT, rows->rows, &params));
    return mnp__rows_sum_up(cut->runner, rows->rows, own->offsets, count_p);
}

/* Make a table for so many entries in other columns, but no larger than there are such columns. */
static mnp_status open_table(const struct cut *cut, int64_t entries, struct numbering *numbering)
{
    mnp_ctx *ctx = cut->runner.ctx;
    const int64_t others = cut->all - cut->count, most = mnp__min(entries, others);
    mnp_rows_table *table = &numbering->table;
    table->slot_count = 2;
    while (table->slot_count < 2 * most)
        table->slot_count *= 2;
    const size_t bytes = (size_t)table->slot_count * sizeof *table->slots;
    MNP_TRY(mnp__elements_new(ctx, table->slot_count, sizeof *table->slots, &table->slots));
    MNP_TRY(mnp__elements_new(ctx, table->slot_count, sizeof *table->numbers, &table->numbers));
    MNP_TRY(mnp__elements_new(ctx, most, sizeof *numbering->columns, &numbering->columns));
    MNP_TRY(mnp__elements_new(ctx, 1, sizeof *numbering->found, &numbering->found));
    MNP_TRY(ctx->device->ops->fill(ctx->device, table->slots, 0xff, bytes, ctx->compute));
    return ctx->device->ops->fill(ctx->device, numbering->found, 0, sizeof *numbering->found, ctx->compute);
}

/* Which other columns there are, in any order, by a hash table.  Waits. */
static mnp_status enter_columns(const struct cut *cut, const mnp__rows *rows, int64_t entries,
                                struct numbering *numbering)
{
    MNP_TRY(open_table(cut, entries, numbering));
    mnp_rows_params params = read_rows(cut, rows, numbering);
    MNP_TRY(mnp__rows_run_each(cut->runner, MNP_ROWS_ENTER, rows->count, &params));
    MNP_TRY(mnp__rows_run_each(cut->runner, MNP_ROWS_COLLECT, numbering->table.slot_count, &params));
    return mnp__elements_copy(cut->runner.ctx, &numbering->count, numbering->found, 1, sizeof numbering->count);
}

/* The same, by bits and in rising order.  Waits. */
static mnp_status mark_columns(const struct cut *cut, const mnp__rows *rows, struct numbering *numbering)
{
    mnp_ctx *ctx = cut->runner.ctx;
    const int64_t words = cut->all / BITS + 1;
    mnp_rows_table *table = &numbering->table;
    MNP_TRY(mnp__elements_new(ctx, words, sizeof *table->words, &table->words));
    MNP_TRY(mnp__elements_new(ctx, words + 1, sizeof *table->before, &table->before));
    MNP_TRY(ctx->device->ops->fill(ctx->device, table->words, 0, (size_t)words * sizeof *table->words, ctx->compute));
    mnp_rows_params params = read_rows(cut, rows, numbering);
    MNP_TRY(mnp__rows_run_each(cut->runner, MNP_ROWS_MARK, rows->count, &params));
    MNP_TRY(mnp__rows_run_each(cut->runner, MNP_ROWS_COUNT, words, &params));
    MNP_TRY(mnp__rows_sum_up(cut->runner, words, (int64_t *)table->before, &numbering->count));
    MNP_TRY(mnp__elements_new(ctx, numbering->count, sizeof *numbering->columns, &numbering->columns));
    params.columns = (long long *)numbering->columns;
    return mnp__rows_run_each(cut->runner, MNP_ROWS_NAMES, words, &params);
}

/*
 * The own part's offsets, *owned_p, the number of its entries, and which other columns there are, in any order.  Waits.
 */
static mnp_status find_columns(const struct cut *cut, const mnp__rows *rows, struct numbering *numbering,
                               mnp__part *own, int64_t *owned_p)
{
    if (rows->rows > INT32_MAX || cut->count > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a rank's part of a sparse matrix has %" PRId64 " rows and %" PRId64
                        " columns; more than %d are too many",
                        rows->rows, cut->count, INT32_MAX);
    MNP_TRY(find_own(cut, rows, numbering, own, owned_p));
    const int64_t entries = rows->count - *owned_p;
    if (entries > 0 && cut->runner.ctx->device->cpu_memory && cut->all / BITS <= entries)
        MNP_TRY(mark_columns(cut, rows, numbering));
    else if (entries > 0)
        MNP_TRY(enter_columns(cut, rows, entries, numbering));
    if (numbering->count > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a rank's rows touch %" PRId64 " columns of others; more than %d are too "
                        "many",
                        numbering->count, INT32_MAX);
    return MNP_OK;
}

/*
 * The entries of both parts, once the columns are sorted.  Where no rank has ghosts, the ghost part stays empty, and
 * the own part takes the values as they lie.  Waits if there are ghosts.
 */
static mnp_status fill_parts(const struct cut *cut, mnp__rows *rows, const struct numbering *numbering, int64_t owned,
                             mnp__parts *parts)
{
    mnp_ctx *ctx = cut->runner.ctx;
    mnp_rows_params params = read_rows(cut, rows, numbering);
    int64_t threads = rows->count;
    if (parts->has_ghosts) {
        threads = rows->count > rows->rows ? rows->count : rows->rows + 1;
        params.count = rows->rows + 1;
        MNP_TRY(mnp__rows_new_part(ctx, cut->dtype, rows->rows, numbering->count, rows->count - owned, &parts->ghost));
    } else {
        parts->own.values = rows->values;
        rows->values = NULL;
    }
    MNP_TRY(mnp__rows_new_part(ctx, cut->dtype, rows->rows, cut->count, owned, &parts->own));
    params.matrix.own = mnp__describe_part(&parts->own);
    params.matrix.ghost = mnp__describe_part(&parts->ghost);
    parts->nnz = rows->count;
    parts->nghosts = numbering->count;
    MNP_TRY(mnp__malloc((size_t)parts->nghosts * sizeof *parts->ghost_columns, &parts->ghost_columns));
    mnp_rows_params numbers = read_rows(cut, rows, numbering);
    if (!numbering->table.words)
        MNP_TRY(mnp__rows_run_each(cut->runner, MNP_ROWS_NUMBER, numbering->count, &numbers));
    MNP_TRY(mnp__rows_run(cut->runner, MNP_ROWS_STACK, threads, &params));
    if (parts->nghosts == 0)
        return MNP_OK;
    return mnp__elements_copy(ctx, parts->ghost_columns, numbering->columns, parts->nghosts,
                              sizeof *parts->ghost_columns);
}

/* Replace offsets of 8 bytes by offsets of 4. */
static mnp_status narrow(mnp__row_runner runner, mnp__part *part)
{
    mnp__part narrowed = *part;
    narrowed.offset_size = sizeof(int32_t);
    MNP_TRY(mnp__elements_new(runner.ctx, part->lines + 1, sizeof(int32_t), &narrowed.offsets));
    mnp_rows_params params = {.matrix = {.own = mnp__describe_part(part), .ghost = mnp__describe_part(&narrowed)}};
    const mnp_status st = mnp__rows_run_each(runner, MNP_ROWS_NARROW, part->lines + 1, &params);
    mnp__elements_free(runner.ctx, part->offsets);
    *part = narrowed;
    return st;
}

/* Collective, and agreed upon. */
static mnp_status split(const struct cut *cut, mnp__rows *rows, struct numbering *numbering, mnp__parts *parts)
{
    mnp_ctx *ctx = cut->runner.ctx;
    int64_t owned = 0;
    MNP_TRY(MNP_AGREE(ctx, find_columns(cut, rows, numbering, &parts->own, &owned)));
    const int64_t unsorted = numbering->table.words ? 0 : numbering->count;
    int64_t most[] = {numbering->count, rows->count, unsorted};
    MNP_TRY(mnp__all_reduce(&ctx->comm, most, 3, MPI_INT64_T, MPI_MAX));
    parts->has_ghosts = most[0] > 0;
    const mnp__radix_sort order = {
        .dtype = MNP_INT64, .lines = 1, .length = unsorted, .keys = numbering->columns, .sorted = numbering->columns};
    mnp_status st = most[2] > 0 ? mnp__radix_sort_run(ctx, &order) : MNP_OK;
    if (st == MNP_OK)
        st = fill_parts(cut, rows, numbering, owned, parts);
    if (st == MNP_OK && most[1] <= INT32_MAX)
        st = narrow(cut->runner, &parts->own);
    if (st == MNP_OK && most[1] <= INT32_MAX && parts->has_ghosts)
        st = narrow(cut->runner, &parts->ghost);
    return MNP_AGREE(ctx, st);
}

mnp_status mnp__rows_split(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *column_layout, mnp__rows *rows,
                           mnp__parts *parts)
{
    const int64_t *cuts = mnp_layout_cuts(column_layout, 0), lo = cuts[ctx->comm.rank];
    struct cut cut = {.dtype = dtype, .lo = lo, .count = cuts[ctx->comm.rank + 1] - lo, .all = column_layout->shape[0]};
    struct numbering numbering = {.count = 0};
    mnp__parts made = {.nghosts = 0};
    MNP_TRY(mnp__row_runner_open(ctx, dtype, &cut.runner));
    const mnp_status st = split(&cut, rows, &numbering, &made);
    close_numbering(ctx, &numbering);
    if (st == MNP_OK)
        *parts = made;
    else
        mnp__parts_free(ctx, &made);
    return st;
}

/* ---- listed ---- */

/* The line of each row that has entries, and how many lines there are.  Waits. */
static mnp_status find_lines(mnp__row_runner runner, const mnp__part *part, int64_t *lines, int64_t *count_p)
{
    mnp_rows_params params = {.matrix.own = mnp__describe_part(part), .lengths = (long long *)lines};
    MNP_TRY(mnp__rows_run_each(runner, MNP_ROWS_FLAGS, part->rows, &params));
    return mnp__rows_sum_up(runner, part->rows, lines, count_p);
}

/* The offsets of these lines, and their rows.  Waits. */
static mnp_status store_lines(mnp__row_runner runner, const mnp__part *part, int64_t *lines, mnp__part *listed)
{
    MNP_TRY(find_lines(runner, part, lines, &listed->lines));
    MNP_TRY(mnp__elements_new(runner.ctx, listed->lines + 1, (size_t)part->offset_size, &listed->offsets));
    MNP_TRY(mnp__elements_new(runner.ctx, listed->lines, sizeof *listed->rows_of, &listed->rows_of));
    mnp_rows_params params = {.matrix = {.own = mnp__describe_part(part), .ghost = mnp__describe_part(listed)},
                              .lengths = (long long *)lines,
                              .total = part->rows};
    return mnp__rows_run_each(runner, MNP_ROWS_LINES, part->rows + 1, &params);
}

mnp_status mnp__rows_list_ghosts(mnp_ctx *ctx, mnp_dtype dtype, mnp__parts *parts)
{
    mnp__row_runner runner;
    mnp__part *ghost = &parts->ghost, listed = *ghost;
    int64_t *lines = NULL;
    if (!parts->has_ghosts)
        return MNP_OK;
    listed.offsets = NULL;
    listed.rows_of = NULL;
    MNP_TRY(mnp__row_runner_open(ctx, dtype, &runner));
    mnp_status st = mnp__elements_new(ctx, ghost->rows + 1, sizeof *lines, &lines);
    if (st == MNP_OK)
        st = store_lines(runner, ghost, lines, &listed);
    st = MNP_AGREE(ctx, st);
    mnp__elements_free(ctx, lines);
    mnp__elements_free(ctx, st == MNP_OK ? ghost->offsets : listed.offsets);
    if (st == MNP_OK)
        *ghost = listed;
    else
        mnp__elements_free(ctx, listed.rows_of);
    return st;
}
