/*
 * Entries picked out on the device.  Rows of a product take a dozen launches of kernels/fetch_rows.cu, and three
 * journeys.
 *
 * The owners know from A's ghosts which of their rows are wanted: they send the lengths, then the columns and values of
 * the entries, one row after the other.  Columns of what comes are numbered by a hash table, whose columns are then
 * sorted.  Time by the entries and, on GPUs, the logarithm of the rows; memory: all rows once with columns of 64 bits,
 * what others want of this rank once more, and about 50 bytes for each ghost column or entry, of which there are fewer.
 */
#include "sparse/fetch_rows.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array/shuffle.h"
#include "base/text.h"
#include "kernels/fetch_rows.h"
#include "layout/layout.h"
#include "ops/indexed.h"
#include "ops/order.h"
#include "sparse/elements.h"

_Static_assert((int)MNP_ROWS_CSR == (int)MNP_CSR && (int)MNP_ROWS_SELL == (int)MNP_SELL, "kernels know the formats");

/* ---- tasks ---- */

/* What runs the tasks. */
struct runner {
    mnp_ctx *ctx;
    mnp__kernel *kernel;
};

static struct runner runner_of(const mnp__row_source *source)
{
    return (struct runner){.ctx = source->matrix->ctx, .kernel = source->kernel};
}

/* Collective. */
static mnp_status load(mnp_ctx *ctx, mnp_dtype dtype, const char *function, mnp__kernel **kernel_p)
{
    const mnp__kernel_spec spec = {.file = "fetch_rows.cu", .function = function};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(dtype));
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status run(struct runner runner, int task, int64_t threads, mnp_rows_params *params)
{
    const mnp__launch launch = mnp__launch_of(threads);
    params->task = task;
    if (threads == 0)
        return MNP_OK;
    return runner.ctx->device->ops->launch(runner.ctx->device, runner.kernel, &launch, params, sizeof *params,
                                           runner.ctx->compute);
}

/* The task for so many things, one after the other. */
static mnp_status run_each(struct runner runner, int task, int64_t count, mnp_rows_params *params)
{
    params->count = count;
    return run(runner, task, count, params);
}

/* Lengths become offsets, one more than there are: first sums of tiles, which one warp adds up. */
static mnp_status sum_up(struct runner runner, int64_t count, int64_t *lengths)
{
    enum { LANES = 32, LEAST_TILE = 1024, MOST_TILES = 4096 };
    const int64_t even = (count / MOST_TILES / LANES + 1) * LANES, tile = even > LEAST_TILE ? even : LEAST_TILE;
    const int64_t tiles = (count + tile - 1) / tile;
    mnp_rows_params params = {.lengths = (long long *)lengths, .total = count, .tile = tile};
    mnp_status st;
    MNP_TRY(mnp__elements_new(runner.ctx, tiles, sizeof *params.tally, &params.tally));
    MNP_TRY_OR(run(runner, MNP_ROWS_TALLY, tiles * LANES, &params), st, done);
    MNP_TRY_OR(run(runner, MNP_ROWS_SUM, LANES, &params), st, done);
    st = run(runner, MNP_ROWS_PLACE, tiles * LANES, &params);
done:
    mnp__elements_free(runner.ctx, params.tally);
    return st;
}

mnp_status mnp__lengths_load(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    return load(ctx, dtype, "fetch_rows", kernel_p);
}

mnp_status mnp__lengths_sum_up(mnp_ctx *ctx, mnp__kernel *kernel, int64_t count, int64_t *lengths, int64_t *sum_p)
{
    MNP_TRY(sum_up((struct runner){.ctx = ctx, .kernel = kernel}, count, lengths));
    return mnp__elements_copy(ctx, sum_p, lengths + count, 1, sizeof *sum_p);
}

static mnp_rows_part describe_part(const mnp__part *part)
{
    return (mnp_rows_part){.offsets = part->offsets, .rows_of = part->rows_of, .indices = part->indices,
                           .values = part->values, .rows = part->rows, .lines = part->lines,
                           .wide = part->offset_size == 8, .format = (int)part->format, .block = part->block};
}

static const mnp__part *own_part(const mnp__row_source *source)
{
    return source->matrix->format == MNP_CSR ? &source->matrix->own : &source->converted;
}

/* How many of the ghosts, which rise, are in columns before the own ones. */
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

/* To read the source's rows. */
static mnp_rows_params read_source(const mnp__row_source *source)
{
    const mnp_sparse *matrix = source->matrix;
    return (mnp_rows_params){.matrix = {.own = describe_part(own_part(source)), .ghost = describe_part(&matrix->ghost),
                                        .column_lo = matrix->column_lo, .ghosts = (long long *)source->ghosts,
                                        .nghosts = mnp__ghosts_count(matrix->ghosts), .before = count_before(matrix)},
                             .ghost_offsets = (long long *)source->ghost_offsets};
}

static mnp_rows_list describe_rows(const mnp__rows *rows)
{
    return (mnp_rows_list){.rows = rows->rows, .offsets = (long long *)rows->offsets,
                           .columns = (long long *)rows->columns, .values = rows->values};
}

/* ---- sources ---- */

/* What this rank does alone. */
static mnp_status prepare(mnp__row_source *source)
{
    const mnp_sparse *matrix = source->matrix;
    mnp_ctx *ctx = matrix->ctx;
    const int64_t ghosts = mnp__ghosts_count(matrix->ghosts);
    if (matrix->format != MNP_CSR)
        MNP_TRY(mnp__part_as_csr(ctx, matrix->dtype, &matrix->own, &source->converted));
    MNP_TRY(mnp__elements_new(ctx, matrix->rows + 1, sizeof *source->ghost_offsets, &source->ghost_offsets));
    MNP_TRY(mnp__elements_new(ctx, ghosts, sizeof *source->ghosts, &source->ghosts));
    mnp_rows_params params = read_source(source);
    MNP_TRY(run_each(runner_of(source), MNP_ROWS_SPREAD, matrix->rows + 1, &params));
    return mnp__elements_copy(ctx, source->ghosts, mnp__ghosts_columns(matrix->ghosts), ghosts, sizeof *source->ghosts);
}

mnp_status mnp__row_source_open(const mnp_sparse *matrix, mnp__row_source *source)
{
    *source = (mnp__row_source){.matrix = matrix};
    MNP_TRY(load(matrix->ctx, matrix->dtype, "fetch_rows", &source->kernel));
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

/* ---- numbered ---- */

/* A part in CSR of all rows, with room for so many entries; its offsets of 8 bytes may be there already. */
static mnp_status new_part(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t count, mnp__part *part)
{
    *part = (mnp__part){.format = MNP_CSR, .rows = rows, .columns = columns, .lines = rows, .count = count,
                        .offset_size = sizeof(int64_t), .offsets = part->offsets};
    if (!part->offsets)
        MNP_TRY(mnp__elements_new(ctx, rows + 1, sizeof(int64_t), &part->offsets));
    MNP_TRY(mnp__elements_new(ctx, count, sizeof *part->indices, &part->indices));
    return mnp__elements_new(ctx, count, mnp_dtype_size(dtype), &part->values);
}

mnp_status mnp__rows_number(const mnp__row_source *source, mnp__part *numbered)
{
    const mnp_sparse *matrix = source->matrix;
    const int64_t ghosts = mnp__ghosts_count(matrix->ghosts), count = own_part(source)->count + matrix->ghost.count;
    mnp__part made = {.rows = 0};
    mnp_status st;
    if (matrix->columns + ghosts > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a rank's rows touch %" PRId64 " columns, of others %" PRId64
                        " of them; more than %d are too many in a product of matrices",
                        matrix->columns + ghosts, ghosts, INT32_MAX);
    MNP_TRY_OR(new_part(matrix->ctx, matrix->dtype, matrix->rows, matrix->columns + ghosts, count, &made), st, fail);
    mnp_rows_params params = read_source(source);
    params.lengths = made.offsets;
    params.list = (mnp_rows_list){.rows = matrix->rows, .offsets = made.offsets, .values = made.values};
    params.local = made.indices;
    params.shift = matrix->columns;
    MNP_TRY_OR(run_each(runner_of(source), MNP_ROWS_LENGTHS, matrix->rows, &params), st, fail);
    MNP_TRY_OR(sum_up(runner_of(source), matrix->rows, made.offsets), st, fail);
    params.count = 0;
    MNP_TRY_OR(run(runner_of(source), MNP_ROWS_PACK, count, &params), st, fail);
    *numbered = made;
    return MNP_OK;
fail:
    mnp__part_release(matrix->ctx, &made);
    return st;
}

/* ---- all rows ---- */

/* As they are. */
static mnp_status pack_all(const mnp__row_source *source, mnp__rows *rows)
{
    const mnp_sparse *matrix = source->matrix;
    mnp_ctx *ctx = matrix->ctx;
    rows->rows = matrix->rows;
    rows->count = own_part(source)->count + matrix->ghost.count;
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    MNP_TRY(mnp__elements_new(ctx, rows->count, sizeof *rows->columns, &rows->columns));
    MNP_TRY(mnp__elements_new(ctx, rows->count, mnp_dtype_size(matrix->dtype), &rows->values));
    mnp_rows_params params = read_source(source);
    params.lengths = (long long *)rows->offsets;
    params.list = describe_rows(rows);
    MNP_TRY(run_each(runner_of(source), MNP_ROWS_LENGTHS, rows->rows, &params));
    MNP_TRY(sum_up(runner_of(source), rows->rows, rows->offsets));
    params.count = 0;
    return run(runner_of(source), MNP_ROWS_PACK, rows->count, &params);
}

mnp_status mnp__rows_of(const mnp_sparse *matrix, mnp__rows *rows)
{
    mnp__row_source source;
    mnp__rows packed = {.rows = 0};
    mnp_status st = mnp__row_source_open(matrix, &source);
    if (st == MNP_OK)
        st = MNP_AGREE(matrix->ctx, pack_all(&source, &packed));
    mnp__row_source_close(&source);
    if (st == MNP_OK)
        *rows = packed;
    else
        mnp__rows_release(matrix->ctx, &packed);
    return st;
}

/* ---- fetched ---- */

/* What travels: rows of this rank that others want, in the order of these. */
struct parcel {
    mnp__ghosts_plan plan; /* who wants what; nobody anything where no rank has ghosts */
    mnp__rows packed;
    mnp__shuffle *by_rows, *by_entries;
    int64_t *counts;       /* memory of the CPU: entries for every rank, and, behind them, room */
};

/* Lengths of rows that go to others, and of those here, 0 where A does not name them. */
static mnp_status make_lengths(const mnp__row_source *b, const mnp__part *numbered, struct parcel *parcel,
                               mnp__rows *rows)
{
    mnp_ctx *ctx = b->matrix->ctx;
    mnp__rows *packed = &parcel->packed;
    const int64_t own = b->matrix->rows;
    unsigned char *named = NULL;
    mnp_status st;
    rows->rows = numbered->columns;
    MNP_TRY(mnp__calloc(3 * (size_t)ctx->comm.size + 1, sizeof *parcel->counts, &parcel->counts));
    MNP_TRY(mnp__elements_new(ctx, packed->rows + 1, sizeof *packed->offsets, &packed->offsets));
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    MNP_TRY(mnp__elements_new(ctx, numbered->columns, sizeof *named, &named));
    mnp_rows_params params = read_source(b);
    params.wanted = (const long long *)parcel->plan.places;
    params.lengths = (long long *)packed->offsets;
    MNP_TRY_OR(run_each(runner_of(b), MNP_ROWS_LENGTHS, packed->rows, &params), st, done);
    MNP_TRY_OR(ctx->device->ops->fill(ctx->device, named, 0, (size_t)numbered->columns, ctx->compute), st, done);
    params.wanted = NULL;
    params.named = named;
    params.indices = numbered->indices;
    params.lengths = (long long *)rows->offsets;
    MNP_TRY_OR(run_each(runner_of(b), MNP_ROWS_NAME, numbered->count, &params), st, done);
    st = run_each(runner_of(b), MNP_ROWS_LENGTHS, own, &params);
done:
    mnp__elements_free(ctx, named);
    return st;
}

/* Offsets of all rows, and how many entries go to each rank; *own_p: entries of rows that are here.  Waits. */
static mnp_status count_entries(const mnp__row_source *b, struct parcel *parcel, mnp__rows *rows, int64_t *own_p)
{
    mnp_ctx *ctx = b->matrix->ctx;
    const int ranks = ctx->comm.size;
    mnp__rows *packed = &parcel->packed;
    int64_t *counts = parcel->counts, *cuts = counts + ranks, *marks = NULL, ends[2];
    mnp_status st;
    for (int r = 0; r < ranks; r++)
        cuts[r + 1] = cuts[r] + (packed->rows > 0 ? parcel->plan.to[r] : 0);
    MNP_TRY(sum_up(runner_of(b), packed->rows, packed->offsets));
    MNP_TRY(sum_up(runner_of(b), rows->rows, rows->offsets));
    MNP_TRY(mnp__elements_new(ctx, 2 * ((int64_t)ranks + 1), sizeof *marks, &marks));
    mnp_rows_params params = {.wanted = (long long *)marks, .lengths = (long long *)packed->offsets,
                              .columns = (long long *)marks + ranks + 1};
    MNP_TRY_OR(mnp__elements_copy(ctx, marks, cuts, ranks + 1, sizeof *marks), st, done);
    MNP_TRY_OR(run_each(runner_of(b), MNP_ROWS_PICK, ranks + 1, &params), st, done);
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

/* Entries of rows that others want, and of those that are wanted here. */
static mnp_status pack(const mnp__row_source *b, struct parcel *parcel, mnp__rows *rows, int64_t own)
{
    mnp_rows_params params = read_source(b);
    MNP_TRY(make_room(b->matrix, &parcel->packed));
    MNP_TRY(make_room(b->matrix, rows));
    params.wanted = (const long long *)parcel->plan.places;
    params.list = describe_rows(&parcel->packed);
    MNP_TRY(run(runner_of(b), MNP_ROWS_PACK, parcel->packed.count, &params));
    params.wanted = NULL;
    params.list = describe_rows(rows);
    params.list.rows = b->matrix->rows;
    return run(runner_of(b), MNP_ROWS_PACK, own, &params);
}

static mnp_status send_entries(const mnp_sparse *matrix, const struct parcel *parcel, mnp__rows *rows, int64_t own)
{
    const size_t size = mnp_dtype_size(matrix->dtype);
    MNP_TRY(mnp__shuffle_send(parcel->by_entries, sizeof *rows->columns, parcel->packed.columns, rows->columns + own));
    return mnp__shuffle_send(parcel->by_entries, size, parcel->packed.values,
                             (char *)rows->values + (size_t)own * size);
}

/* Collective, and agreed upon. */
static mnp_status fetch(const mnp__row_source *a, const mnp__part *numbered, const mnp__row_source *b,
                        struct parcel *parcel, mnp__rows *rows)
{
    mnp_ctx *ctx = b->matrix->ctx;
    const bool travels = a->matrix->has_ghosts;
    int64_t own = 0;
    if (travels) {
        MNP_TRY(mnp__ghosts_ask(a->matrix->ghosts, &parcel->plan));
        MNP_TRY(mnp__shuffle_new(ctx, parcel->plan.to, &parcel->by_rows));
        for (int r = 0; r < ctx->comm.size; r++)
            parcel->packed.rows += parcel->plan.to[r];
    }
    MNP_TRY(MNP_AGREE(ctx, make_lengths(b, numbered, parcel, rows)));
    if (travels)
        MNP_TRY(mnp__shuffle_send(parcel->by_rows, sizeof *rows->offsets, parcel->packed.offsets,
                                  rows->offsets + b->matrix->rows));
    MNP_TRY(MNP_AGREE(ctx, count_entries(b, parcel, rows, &own)));
    if (travels)
        MNP_TRY(mnp__shuffle_new(ctx, parcel->counts, &parcel->by_entries));
    MNP_TRY(MNP_AGREE(ctx, pack(b, parcel, rows, own)));
    return travels ? send_entries(b->matrix, parcel, rows, own) : MNP_OK;
}

mnp_status mnp__rows_fetch(const mnp__row_source *a, const mnp__part *numbered, const mnp__row_source *b,
                           mnp__rows *rows)
{
    mnp_ctx *ctx = b->matrix->ctx;
    struct parcel parcel = {.counts = NULL};
    mnp__rows fetched = {.rows = 0};
    const mnp_status st = fetch(a, numbered, b, &parcel, &fetched);
    mnp__rows_release(ctx, &parcel.packed);
    mnp__shuffle_free(parcel.by_rows);
    mnp__shuffle_free(parcel.by_entries);
    free(parcel.counts);
    if (st == MNP_OK)
        *rows = fetched;
    else
        mnp__rows_release(ctx, &fetched);
    return st;
}

/* ---- split ---- */

/* Columns that come to have numbers in rising order. */
struct numbering {
    mnp_rows_table table;
    int64_t *first;   /* of every row: where its entries in own columns are */
    int64_t *columns; /* in order, once they are sorted */
    int64_t *found, count;
};

static void close_numbering(mnp_ctx *ctx, struct numbering *numbering)
{
    mnp__elements_free(ctx, numbering->table.slots);
    mnp__elements_free(ctx, numbering->table.numbers);
    mnp__elements_free(ctx, numbering->first);
    mnp__elements_free(ctx, numbering->columns);
    mnp__elements_free(ctx, numbering->found);
}

/* What rows are cut by: the columns that are this rank's, of a matrix with so many. */
struct cut {
    struct runner runner;
    mnp_dtype dtype;
    int64_t lo, count, all;
};

static mnp_rows_params read_rows(const struct cut *cut, const mnp__rows *rows, const struct numbering *numbering)
{
    return (mnp_rows_params){.matrix.column_lo = cut->lo, .columns_end = cut->lo + cut->count,
                             .list = describe_rows(rows), .first = (long long *)numbering->first,
                             .table = numbering->table, .columns = (long long *)numbering->columns,
                             .found = (long long *)numbering->found};
}

/* Where the entries in own columns are: the offsets of the own part.  *count_p: how many these are.  Waits. */
static mnp_status find_own(const struct cut *cut, const mnp__rows *rows, struct numbering *numbering, mnp__part *own,
                           int64_t *count_p)
{
    mnp_ctx *ctx = cut->runner.ctx;
    MNP_TRY(mnp__elements_new(ctx, rows->rows, sizeof *numbering->first, &numbering->first));
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof(int64_t), &own->offsets));
    mnp_rows_params params = read_rows(cut, rows, numbering);
    params.lengths = own->offsets;
    MNP_TRY(run_each(cut->runner, MNP_ROWS_CUT, rows->rows, &params));
    MNP_TRY(sum_up(cut->runner, rows->rows, own->offsets));
    return mnp__elements_copy(ctx, count_p, (const int64_t *)own->offsets + rows->rows, 1, sizeof *count_p);
}

/* Room for so many entries in other columns, of which there may be few. */
static mnp_status open_table(const struct cut *cut, int64_t entries, struct numbering *numbering)
{
    mnp_ctx *ctx = cut->runner.ctx;
    const int64_t others = cut->all - cut->count, most = entries < others ? entries : others;
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

/* The own entries, and which other columns there are, in any order.  Waits. */
static mnp_status find_columns(const struct cut *cut, const mnp__rows *rows, struct numbering *numbering,
                               mnp__part *own)
{
    mnp_ctx *ctx = cut->runner.ctx;
    int64_t owned = 0;
    if (rows->rows > INT32_MAX || cut->count > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a rank's part of a sparse matrix has %" PRId64 " rows and %" PRId64
                        " columns; more than %d are too many", rows->rows, cut->count, INT32_MAX);
    MNP_TRY(find_own(cut, rows, numbering, own, &owned));
    MNP_TRY(new_part(ctx, cut->dtype, rows->rows, cut->count, owned, own));
    MNP_TRY(open_table(cut, rows->count - owned, numbering));
    mnp_rows_params params = read_rows(cut, rows, numbering);
    if (owned < rows->count) {
        MNP_TRY(run_each(cut->runner, MNP_ROWS_ENTER, rows->count, &params));
        MNP_TRY(run_each(cut->runner, MNP_ROWS_COLLECT, numbering->table.slot_count, &params));
    }
    MNP_TRY(mnp__elements_copy(ctx, &numbering->count, numbering->found, 1, sizeof numbering->count));
    if (numbering->count > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a rank's rows touch %" PRId64 " columns of others; more than %d are too "
                        "many", numbering->count, INT32_MAX);
    return MNP_OK;
}

/* Both parts, once the columns are sorted; *columns_p: these.  Waits. */
static mnp_status stack(const struct cut *cut, const mnp__rows *rows, const struct numbering *numbering,
                        const mnp__part *own, mnp__part *ghost, int64_t **columns_p)
{
    mnp_ctx *ctx = cut->runner.ctx;
    const int64_t threads = rows->count > rows->rows ? rows->count : rows->rows + 1;
    MNP_TRY(new_part(ctx, cut->dtype, rows->rows, numbering->count, rows->count - own->count, ghost));
    MNP_TRY(mnp__malloc((size_t)numbering->count * sizeof **columns_p, columns_p));
    mnp_rows_params params = read_rows(cut, rows, numbering);
    MNP_TRY(run_each(cut->runner, MNP_ROWS_NUMBER, numbering->count, &params));
    params.matrix.own = describe_part(own);
    params.matrix.ghost = describe_part(ghost);
    params.count = rows->rows + 1;
    MNP_TRY(run(cut->runner, MNP_ROWS_STACK, threads, &params));
    return mnp__elements_copy(ctx, *columns_p, numbering->columns, numbering->count, sizeof **columns_p);
}

/* Offsets of 4 bytes instead of 8. */
static mnp_status narrow(struct runner runner, mnp__part *part)
{
    mnp__part narrowed = *part;
    narrowed.offset_size = sizeof(int32_t);
    MNP_TRY(mnp__elements_new(runner.ctx, part->lines + 1, sizeof(int32_t), &narrowed.offsets));
    mnp_rows_params params = {.matrix = {.own = describe_part(part), .ghost = describe_part(&narrowed)}};
    const mnp_status st = run_each(runner, MNP_ROWS_NARROW, part->lines + 1, &params);
    mnp__elements_free(runner.ctx, part->offsets);
    *part = narrowed;
    return st;
}

/* Collective, and agreed upon. */
static mnp_status split(const struct cut *cut, const mnp__rows *rows, struct numbering *numbering, mnp__part *own,
                        mnp__part *ghost, int64_t **columns_p, bool *any_p)
{
    mnp_ctx *ctx = cut->runner.ctx;
    MNP_TRY(MNP_AGREE(ctx, find_columns(cut, rows, numbering, own)));
    int64_t most[] = {numbering->count, rows->count};
    MNP_TRY(mnp__all_reduce(&ctx->comm, most, 2, MPI_INT64_T, MPI_MAX));
    *any_p = most[0] > 0;
    const mnp__order order = {.dtype = MNP_INT64, .lines = 1, .length = numbering->count, .keys = numbering->columns,
                              .sorted = numbering->columns};
    mnp_status st = *any_p ? mnp__order_sort(ctx, &order) : MNP_OK;
    if (st == MNP_OK)
        st = stack(cut, rows, numbering, own, ghost, columns_p);
    if (st == MNP_OK && most[1] <= INT32_MAX)
        st = narrow(cut->runner, own);
    if (st == MNP_OK && most[1] <= INT32_MAX)
        st = narrow(cut->runner, ghost);
    return MNP_AGREE(ctx, st);
}

mnp_status mnp__rows_split(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *column_layout, mnp__rows *rows,
                           mnp__part *own, mnp__part *ghost, int64_t **columns_p, int64_t *count_p, bool *any_p)
{
    const int64_t *cuts = mnp_layout_cuts(column_layout, 0), lo = cuts[ctx->comm.rank];
    struct cut cut = {.runner.ctx = ctx, .dtype = dtype, .lo = lo, .count = cuts[ctx->comm.rank + 1] - lo,
                      .all = column_layout->shape[0]};
    struct numbering numbering = {.count = 0};
    mnp__part made_own = {.rows = 0}, made_ghost = {.rows = 0};
    int64_t *columns = NULL;
    MNP_TRY(load(ctx, dtype, "fetch_rows", &cut.runner.kernel));
    const mnp_status st = split(&cut, rows, &numbering, &made_own, &made_ghost, &columns, any_p);
    close_numbering(ctx, &numbering);
    if (st == MNP_OK) {
        *own = made_own;
        *ghost = made_ghost;
        *columns_p = columns;
        *count_p = numbering.count;
    } else {
        mnp__part_release(ctx, &made_own);
        mnp__part_release(ctx, &made_ghost);
        free(columns);
    }
    return st;
}

/* ---- listed ---- */

/* Where each row's line is, if it has one, and how many there are.  Waits. */
static mnp_status find_lines(struct runner runner, const mnp__part *part, int64_t *lines, int64_t *count_p)
{
    mnp_rows_params params = {.matrix.own = describe_part(part), .lengths = (long long *)lines};
    MNP_TRY(run_each(runner, MNP_ROWS_FLAGS, part->rows, &params));
    MNP_TRY(sum_up(runner, part->rows, lines));
    return mnp__elements_copy(runner.ctx, count_p, lines + part->rows, 1, sizeof *count_p);
}

/* Offsets of these lines, and their rows. */
static mnp_status store_lines(struct runner runner, const mnp__part *part, int64_t *lines, mnp__part *listed)
{
    MNP_TRY(find_lines(runner, part, lines, &listed->lines));
    MNP_TRY(mnp__elements_new(runner.ctx, listed->lines + 1, (size_t)part->offset_size, &listed->offsets));
    MNP_TRY(mnp__elements_new(runner.ctx, listed->lines, sizeof *listed->rows_of, &listed->rows_of));
    mnp_rows_params params = {.matrix = {.own = describe_part(part), .ghost = describe_part(listed)},
                              .lengths = (long long *)lines, .total = part->rows};
    return run_each(runner, MNP_ROWS_LINES, part->rows + 1, &params);
}

mnp_status mnp__rows_list(mnp_ctx *ctx, mnp_dtype dtype, mnp__part *part)
{
    struct runner runner = {.ctx = ctx};
    mnp__part listed = *part;
    int64_t *lines = NULL;
    listed.offsets = NULL;
    listed.rows_of = NULL;
    MNP_TRY(load(ctx, dtype, "fetch_rows", &runner.kernel));
    mnp_status st = mnp__elements_new(ctx, part->rows + 1, sizeof *lines, &lines);
    if (st == MNP_OK)
        st = store_lines(runner, part, lines, &listed);
    st = MNP_AGREE(ctx, st);
    mnp__elements_free(ctx, lines);
    mnp__elements_free(ctx, st == MNP_OK ? part->offsets : listed.offsets);
    if (st == MNP_OK)
        *part = listed;
    else
        mnp__elements_free(ctx, listed.rows_of);
    return st;
}

/* ---- diagonals ---- */

/* Device memory that a diagonal needs. */
struct diagonal_room {
    int64_t *ghosts, *replaced;
};

static mnp_status run_diagonal(const mnp_sparse *matrix, mnp__kernel *kernel, mnp_diagonal_params *params,
                               struct diagonal_room *room, int64_t *replaced_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const int64_t own_end = matrix->column_lo + matrix->columns, end = params->column + params->count;
    const mnp__launch launch = mnp__launch_of(params->count);
    if (params->count > 0 && (params->column < matrix->column_lo || end > own_end)) {
        const int64_t ghosts = mnp__ghosts_count(matrix->ghosts);
        MNP_TRY(mnp__elements_new(ctx, ghosts, sizeof *room->ghosts, &room->ghosts));
        MNP_TRY(mnp__elements_copy(ctx, room->ghosts, mnp__ghosts_columns(matrix->ghosts), ghosts,
                                   sizeof *room->ghosts));
        params->matrix.ghosts = (const long long *)room->ghosts;
        params->matrix.nghosts = ghosts;
    }
    if (replaced_p) {
        MNP_TRY(mnp__elements_new(ctx, 1, sizeof *room->replaced, &room->replaced));
        MNP_TRY(ops->fill(ctx->device, room->replaced, 0, sizeof *room->replaced, ctx->compute));
        params->replaced = (unsigned long long *)room->replaced;
    }
    if (params->count > 0)
        MNP_TRY(ops->launch(ctx->device, kernel, &launch, params, sizeof *params, ctx->compute));
    return replaced_p ? mnp__elements_copy(ctx, replaced_p, room->replaced, 1, sizeof *replaced_p) : MNP_OK;
}

mnp_status mnp__find_diagonal(const mnp_sparse *matrix, int64_t row, int64_t column, int64_t count, void *diagonal,
                              int64_t *replaced_p)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__kernel *kernel;
    struct diagonal_room room = {.ghosts = NULL};
    mnp_diagonal_params params = {.matrix = {.own = describe_part(&matrix->own), .ghost = describe_part(&matrix->ghost),
                                             .column_lo = matrix->column_lo},
                                  .own_columns = matrix->columns, .row = row, .column = column, .count = count,
                                  .diagonal = diagonal};
    MNP_TRY(load(ctx, matrix->dtype, "find_diagonal", &kernel));
    const mnp_status st = run_diagonal(matrix, kernel, &params, &room, replaced_p);
    mnp__elements_free(ctx, room.ghosts);
    mnp__elements_free(ctx, room.replaced);
    return MNP_AGREE(ctx, st);
}
