/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries are sent to the owners of their rows, and sorted by their columns and then, as sorting is stable, by their
 * rows.  The host brings them to their rows by way of buckets (kernels/sparse/rows/sort_entries_host.h).  Time by the
 * entries; memory about three times theirs.
 */
#include "sparse/rows/sort_entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/rows/sort_entries_params.h"
#include "kernels/indexing/indexed_params.h"
#include "layout/layout.h"
#include "ops/indexing/owners.h"
#include "ops/sort/radix_sort.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

mnp_status mnp__entries_layout(mnp_ctx *ctx, int64_t count, mnp_layout **layout_p)
{
    const int ranks = ctx->comm.size;
    int64_t *cuts = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc((size_t)ranks + 1, sizeof *cuts, &cuts));
    if (st == MNP_OK)
        st = mnp__all_gather(&ctx->comm, &count, cuts + 1, sizeof *cuts);
    for (int r = 0; r < ranks && st == MNP_OK; r++)
        cuts[r + 1] += cuts[r];
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, mnp__layout_line(ranks, 1, &cuts[ranks], cuts, layout_p));
    free(cuts);
    return st;
}

void mnp__entries_release(mnp_ctx *ctx, mnp__entries *entries)
{
    mnp__elements_free(ctx, entries->rows);
    mnp__elements_free(ctx, entries->columns);
    mnp__elements_free(ctx, entries->values);
    *entries = (mnp__entries){.count = 0};
}

/* ---- tasks ---- */

/* Collective. */
static mnp_status load(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    const mnp__kernel_spec spec = {.file = "sparse/rows/sort_entries.cu", .function = "sort_entries"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(dtype));
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status run(mnp_ctx *ctx, mnp__kernel *kernel, int task, int64_t count, mnp_entries_params params)
{
    params.task = task;
    params.count = count;
    return mnp__ctx_launch(ctx, kernel, count, &params, sizeof params);
}

/* The same for pieces of work, each of which has many elements. */
static mnp_status run_in_pieces(mnp_ctx *ctx, mnp__kernel *kernel, int task, int64_t count, mnp_entries_params params)
{
    const mnp__launch launch = {.grid = {(unsigned)count, 1, 1}, .block = {1, 1, 1}};
    params.task = task;
    params.count = count;
    return ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute);
}

/* ---- checks ---- */

typedef struct check {
    const char *function;
    mnp_ctx *ctx;
    mnp__kernel *kernel;
    int64_t first, count; /* the number of the first entry; entries */
    int64_t *found;       /* in device memory: an entry that lies outside */
} check;

/* Rows or columns, as `what` says, of which a matrix has n. */
static mnp_status check_numbers(const check *c, const char *what, int64_t n, const int64_t *numbers)
{
    const mnp__device_ops *ops = c->ctx->device->ops;
    int64_t found, number;
    MNP_TRY(ops->fill(c->ctx->device, c->found, 0xff, sizeof *c->found, c->ctx->compute));
    MNP_TRY(run(c->ctx, c->kernel, MNP_ENTRIES_CHECK, c->count,
                (mnp_entries_params){.end = n, .numbers = (const long long *)numbers, .found = (long long *)c->found}));
    MNP_TRY(mnp__elements_copy(c->ctx, &found, c->found, 1, sizeof found));
    if (found < 0)
        return MNP_OK;
    MNP_TRY(mnp__elements_copy(c->ctx, &number, numbers + found, 1, sizeof number));
    return MNP_FAIL(MNP_ERR_ARG, "%s: entry %" PRId64 " is in %s %" PRId64 "; there are %" PRId64, c->function,
                    c->first + found, what, number, n);
}

mnp_status mnp__entries_check(const char *function, const mnp__sparse_shape *shape, int64_t first,
                              const mnp__entries *entries)
{
    check c = {.function = function, .ctx = shape->ctx, .first = first, .count = entries->count};
    MNP_TRY(load(c.ctx, shape->dtype, &c.kernel));
    mnp_status st = mnp__elements_new(c.ctx, 1, sizeof *c.found, &c.found);
    if (st == MNP_OK)
        st = check_numbers(&c, "row", shape->rows, entries->rows);
    if (st == MNP_OK)
        st = check_numbers(&c, "column", shape->columns, entries->columns);
    mnp__elements_free(c.ctx, c.found);
    return MNP_AGREE(c.ctx, st);
}

/* ---- the entries of a matrix ---- */

mnp_status mnp__entries_of(const mnp_sparse *matrix, mnp__entries *entries)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__kernel *kernel;
    mnp__rows rows;
    int64_t *numbers = NULL;
    MNP_TRY(load(ctx, matrix->dtype, &kernel));
    MNP_TRY(mnp__rows_of(matrix, &rows));
    mnp_status st = mnp__elements_new(ctx, rows.count, sizeof *numbers, &numbers);
    if (st == MNP_OK)
        st = run(ctx, kernel, MNP_ENTRIES_ROWS, rows.count,
                 (mnp_entries_params){.total = rows.rows,
                                      .begin = matrix->row_lo,
                                      .offsets = (const long long *)rows.offsets,
                                      .gathered = (long long *)numbers});
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK) {
        *entries = (mnp__entries){.count = rows.count, .rows = numbers, .columns = rows.columns, .values = rows.values};
        rows.columns = NULL;
        rows.values = NULL;
    } else {
        mnp__elements_free(ctx, numbers);
    }
    mnp__rows_release(ctx, &rows);
    return st;
}

/* ---- sending entries to their owners ---- */

/* One of the arrays, by the task that puts it in the route's order: what arrives replaces it.  Collective, agreed. */
static mnp_status send_array(const mnp__route *route, mnp__kernel *kernel, int task, size_t size, void *array_p)
{
    mnp_ctx *ctx = route->ctx;
    void *array, *packed = NULL, *arrived = NULL;
    memcpy(&array, array_p, sizeof array);
    mnp_status st = mnp__elements_new(ctx, route->count, size, &packed);
    if (st == MNP_OK)
        st = mnp__elements_new(ctx, route->received, size, &arrived);
    if (st == MNP_OK)
        st = run(ctx, kernel, task, route->count,
                 (mnp_entries_params){.numbers = array,
                                      .order = (const long long *)route->order,
                                      .gathered = packed,
                                      .values = array,
                                      .made = packed});
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = mnp__shuffle_send(route->shuffle, size, packed, arrived);
    mnp__elements_free(ctx, packed);
    if (st == MNP_OK)
        memcpy(array_p, &arrived, sizeof arrived);
    mnp__elements_free(ctx, st == MNP_OK ? array : arrived);
    return st;
}

/*
 * Exchange entries, so that each rank has those of its own rows, with rows numbered from its first row on.  To find the
 * owners, row numbers are used as indices of a vector that is cut like the rows; its elements are never accessed.
 * Collective, and agreed upon.
 */
static mnp_status send(const mnp__sparse_shape *shape, mnp__kernel *kernel, mnp__entries *entries)
{
    mnp_ctx *ctx = shape->ctx;
    const mnp_array vector = {.ctx = ctx,
                              .layout = (mnp_layout *)shape->row_layout,
                              .local_lo = {mnp_layout_cuts(shape->row_layout, 0)[ctx->comm.rank]},
                              .local_strides = {1}};
    mnp__route *route;
    mnp_status st;
    MNP_TRY(mnp__route_new(&vector, 1, entries->rows, entries->count, MNP_INDEXED_RAISE, false, &route));
    MNP_TRY_OR(send_array(route, kernel, MNP_ENTRIES_NUMBERS, sizeof *entries->columns, &entries->columns), st, done);
    MNP_TRY_OR(send_array(route, kernel, MNP_ENTRIES_VALUES, mnp_dtype_size(shape->dtype), &entries->values), st, done);
    mnp__elements_free(ctx, entries->rows);
    entries->rows = route->places;
    entries->count = route->received;
    route->places = NULL;
done:
    mnp__route_free(route);
    return st;
}

/* ---- sorting ---- */

/* Entries sorted by row and column; device memory. */
struct sorted {
    int *keys;        /* rows of this rank, which rise */
    int64_t *columns; /* which rise within a row */
    int64_t *order;   /* the numbers of the entries, rising where row and column are equal */
    int64_t *heads;
};

static void free_sorted(mnp_ctx *ctx, struct sorted *sorted)
{
    mnp__elements_free(ctx, sorted->keys);
    mnp__elements_free(ctx, sorted->columns);
    mnp__elements_free(ctx, sorted->order);
    mnp__elements_free(ctx, sorted->heads);
}

/*
 * Sort numbers that fit into 32 bits.  If `goes_on` is set, the order of an earlier sort is kept where numbers are
 * equal.  Collective.
 */
static mnp_status sort_by(mnp_ctx *ctx, mnp__kernel *kernel, const int64_t *numbers, int64_t count, bool goes_on,
                          struct sorted *sorted)
{
    const mnp__radix_sort order = {.dtype = MNP_INT32,
                                   .lines = 1,
                                   .length = count,
                                   .keys = sorted->keys,
                                   .sorted = sorted->keys,
                                   .payload_size = sizeof *sorted->order,
                                   .payload = goes_on ? sorted->order : NULL,
                                   .sorted_payload = sorted->order};
    const mnp_status st = run(ctx, kernel, MNP_ENTRIES_KEYS, count,
                              (mnp_entries_params){.numbers = (const long long *)numbers,
                                                   .order = goes_on ? (const long long *)sorted->order : NULL,
                                                   .keys = sorted->keys});
    MNP_TRY(MNP_AGREE(ctx, st));
    return mnp__radix_sort_run(ctx, &order);
}

/* Sort numbers of 64 bits, as the first sort.  The sorted keys are not kept.  Collective. */
static mnp_status sort_by_wide(mnp_ctx *ctx, const int64_t *numbers, int64_t count, struct sorted *sorted)
{
    const mnp__radix_sort order = {.dtype = MNP_INT64,
                                   .lines = 1,
                                   .length = count,
                                   .keys = numbers,
                                   .payload_size = sizeof *sorted->order,
                                   .sorted_payload = sorted->order};
    return mnp__radix_sort_run(ctx, &order);
}

/* Collective. */
static mnp_status sort_by_digits(const mnp__sparse_shape *shape, mnp__kernel *kernel, bool by_columns,
                                 const mnp__entries *entries, struct sorted *sorted)
{
    mnp_ctx *ctx = shape->ctx;
    const int64_t count = entries->count;
    mnp_status st = MNP_OK;
    if (by_columns)
        st = shape->columns <= INT32_MAX ? sort_by(ctx, kernel, entries->columns, count, false, sorted)
                                         : sort_by_wide(ctx, entries->columns, count, sorted);
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(sort_by(ctx, kernel, entries->rows, count, by_columns, sorted));
    return run(ctx, kernel, MNP_ENTRIES_NUMBERS, count,
               (mnp_entries_params){.numbers = (const long long *)entries->columns,
                                    .order = (const long long *)sorted->order,
                                    .gathered = (long long *)sorted->columns});
}

/* Collective, and agreed upon; what was made stays in *sorted, also after a failure. */
static mnp_status sort(const mnp__sparse_shape *shape, mnp__kernel *kernel, bool by_columns,
                       const mnp__entries *entries, struct sorted *sorted)
{
    mnp_ctx *ctx = shape->ctx;
    const int64_t count = entries->count;
    mnp_status st = mnp__elements_new(ctx, count, sizeof *sorted->keys, &sorted->keys);
    if (st == MNP_OK)
        st = mnp__elements_new(ctx, count, sizeof *sorted->columns, &sorted->columns);
    if (st == MNP_OK)
        st = mnp__elements_new(ctx, count, sizeof *sorted->order, &sorted->order);
    MNP_TRY(MNP_AGREE(ctx, st));
    return MNP_AGREE(ctx, sort_by_digits(shape, kernel, by_columns, entries, sorted));
}

/* Waits. */
static mnp_status add_up(mnp__row_runner sums, mnp__kernel *kernel, size_t value_size, const mnp__entries *entries,
                         struct sorted *sorted, mnp__rows *rows)
{
    mnp_ctx *ctx = sums.ctx;
    mnp_entries_params params = {.total = entries->count,
                                 .numbers = (const long long *)sorted->columns,
                                 .order = (const long long *)sorted->order,
                                 .keys = sorted->keys,
                                 .values = entries->values};
    MNP_TRY(mnp__elements_new(ctx, entries->count + 1, sizeof *sorted->heads, &sorted->heads));
    params.heads = (long long *)sorted->heads;
    MNP_TRY(run(ctx, kernel, MNP_ENTRIES_HEADS, entries->count, params));
    MNP_TRY(mnp__rows_sum_up(sums, entries->count, sorted->heads, &rows->count));
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    MNP_TRY(mnp__elements_new(ctx, rows->count, sizeof *rows->columns, &rows->columns));
    MNP_TRY(mnp__elements_new(ctx, rows->count, value_size, &rows->values));
    params.gathered = (long long *)rows->offsets;
    MNP_TRY(run(ctx, kernel, MNP_ENTRIES_OFFSETS, rows->rows + 1, params));
    params.gathered = (long long *)rows->columns;
    params.made = rows->values;
    return run(ctx, kernel, MNP_ENTRIES_ADD, entries->count, params);
}

/* Rows of entries on a GPU.  Collective, and agreed upon; what was made stays in *rows, also after a failure. */
static mnp_status sort_rows(const mnp__sparse_shape *shape, mnp__row_runner sums, mnp__kernel *kernel, bool by_columns,
                            const mnp__entries *entries, mnp__rows *rows)
{
    mnp_ctx *ctx = shape->ctx;
    struct sorted sorted = {.keys = NULL};
    mnp_status st = sort(shape, kernel, by_columns, entries, &sorted);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, add_up(sums, kernel, mnp_dtype_size(shape->dtype), entries, &sorted, rows));
    free_sorted(ctx, &sorted);
    return st;
}

/* ---- rows by buckets, on the host ---- */

/*
 * A bucket has 2^shift consecutive rows.  This is the smallest shift with which there are at most MNP_ENTRIES_BUCKETS
 * buckets.
 */
static int shift_of(int64_t rows)
{
    int shift = 0;
    while (rows > 0 && (rows - 1) >> shift >= MNP_ENTRIES_BUCKETS)
        shift++;
    return shift;
}

/*
 * Make rows from entries by buckets: distribute the entries to the buckets of their rows, and sort each bucket.  To
 * save memory, the entries are released once they are distributed, and the distributed ones once they are sorted.
 * After a failure *rows still holds what was made; the caller releases the memory of *params.
 */
static mnp_status use_buckets(mnp__row_runner sums, mnp__kernel *kernel, size_t value_size, mnp_entries_params *params,
                              mnp__entries *entries, mnp__rows *rows)
{
    enum { LEAST_CHUNK = 1 << 16, MOST_CHUNKS = 64 };
    mnp_ctx *ctx = sums.ctx;
    const int64_t count = params->total, wanted = count / LEAST_CHUNK + 1;
    const int64_t chunks = mnp__min(wanted, MOST_CHUNKS), tallies = MNP_ENTRIES_BUCKETS * chunks;
    params->chunks = chunks;
    MNP_TRY(mnp__elements_new(ctx, tallies + 1, sizeof *params->tally, &params->tally));
    MNP_TRY(mnp__elements_new(ctx, count, MNP_ENTRIES_BYTES(value_size), &params->spread));
    MNP_TRY(run_in_pieces(ctx, kernel, MNP_ENTRIES_COUNT, chunks, *params));
    MNP_TRY(mnp__rows_sum_up(sums, tallies, (int64_t *)params->tally, NULL));
    MNP_TRY(run_in_pieces(ctx, kernel, MNP_ENTRIES_SPREAD, chunks, *params));
    mnp__entries_release(ctx, entries);
    MNP_TRY(mnp__elements_new(ctx, count, MNP_ENTRIES_BYTES(value_size), &params->sorted));
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    params->gathered = (long long *)rows->offsets;
    MNP_TRY(run_in_pieces(ctx, kernel, MNP_ENTRIES_ARRANGE, MNP_ENTRIES_BUCKETS, *params));
    mnp__elements_free(ctx, params->spread);
    params->spread = NULL;
    MNP_TRY(mnp__rows_sum_up(sums, rows->rows, rows->offsets, &rows->count));
    MNP_TRY(mnp__elements_new(ctx, rows->count, sizeof *rows->columns, &rows->columns));
    MNP_TRY(mnp__elements_new(ctx, rows->count, value_size, &rows->values));
    params->offsets = (const long long *)rows->offsets;
    params->gathered = (long long *)rows->columns;
    params->made = rows->values;
    return run_in_pieces(ctx, kernel, MNP_ENTRIES_STORE, MNP_ENTRIES_BUCKETS, *params);
}

/* Agreed upon. */
static mnp_status count_rows(const mnp__sparse_shape *shape, mnp__row_runner sums, mnp__kernel *kernel, bool by_columns,
                             mnp__entries *entries, mnp__rows *rows)
{
    mnp_ctx *ctx = shape->ctx;
    mnp_entries_params params = {.total = entries->count,
                                 .end = rows->rows,
                                 .rows = (const long long *)entries->rows,
                                 .numbers = (const long long *)entries->columns,
                                 .values = entries->values,
                                 .shift = shift_of(rows->rows),
                                 .by_columns = by_columns};
    const mnp_status st =
        MNP_AGREE(ctx, use_buckets(sums, kernel, mnp_dtype_size(shape->dtype), &params, entries, rows));
    mnp__elements_free(ctx, params.tally);
    mnp__elements_free(ctx, params.spread);
    mnp__elements_free(ctx, params.sorted);
    return st;
}

/* ---- either ---- */

/* Collective, and agreed upon; what was made stays in *rows, also after a failure. */
static mnp_status arrange(const mnp__sparse_shape *shape, mnp__entries_order order, mnp__entries *entries,
                          mnp__rows *rows)
{
    mnp_ctx *ctx = shape->ctx;
    const bool by_columns = order == MNP__ENTRIES_ANYHOW;
    mnp__row_runner sums;
    mnp__kernel *kernel;
    mnp_status st = MNP_OK;
    MNP_TRY(load(ctx, shape->dtype, &kernel));
    MNP_TRY(mnp__row_runner_open(ctx, shape->dtype, &sums));
    if (rows->rows > INT32_MAX)
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED,
                      "a rank's part of a sparse matrix has %" PRId64 " rows; more than %d are "
                      "too many",
                      rows->rows, INT32_MAX);
    MNP_TRY(MNP_AGREE(ctx, st));
    if (ctx->comm.size > 1)
        MNP_TRY(send(shape, kernel, entries));
    return ctx->device->cpu_memory ? count_rows(shape, sums, kernel, by_columns, entries, rows)
                                   : sort_rows(shape, sums, kernel, by_columns, entries, rows);
}

mnp_status mnp__rows_from_entries(const mnp__sparse_shape *shape, mnp__entries_order order, mnp__entries *entries,
                                  mnp__rows *rows)
{
    const int64_t *cuts = mnp_layout_cuts(shape->row_layout, 0) + shape->ctx->comm.rank;
    mnp__rows made = {.rows = cuts[1] - cuts[0]};
    const mnp_status st = arrange(shape, order, entries, &made);
    mnp__entries_release(shape->ctx, entries);
    if (st == MNP_OK)
        *rows = made;
    else
        mnp__rows_release(shape->ctx, &made);
    return st;
}
