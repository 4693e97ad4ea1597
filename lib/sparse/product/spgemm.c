/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of sparse matrices: rows are counted, then written, by launches of kernels/sparse/product/spgemm.cu for
 * every kind of rows.
 *
 * On a GPU a row's kind is a bin, by the columns that it may have: first a bound, then the number itself.  Few kernels
 * are needed for most matrices; ranks load those that any of them needs.  The host has one kind.  Time by the products.
 */
#include "sparse/product/spgemm.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/product/spgemm_params.h"

enum { BINS = MNP_SPGEMM_BINS, RECORD = 1 + BINS, MOST_TILE_BLOCKS = 4096, SIDE_BY_SIDE = 2 };

static const int64_t LEAST_SCRATCH = INT64_C(256) << 20;

/* A bin of rows: how many columns they have at most (0: any number), and how many threads make one. */
struct bin {
    int team, block, most; /* threads; threads; a power of two */
    size_t team_bytes;     /* shared memory */
};

struct multiplication {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    const mnp__part *a, *b;
    mnp__part c;
    bool host;
    int processors;                                 /* of the GPU, or threads of the host */
    int64_t tiles, totals[RECORD], present[RECORD]; /* this rank's; the largest of any rank */
    int *sizes, *list;                              /* device memory, from here on */
    long long *tally;
    void *scratch;
    mnp__kernel *plan, *rows[BINS];
    struct bin bins[BINS];
};

/* ---- kinds of rows ---- */

/* Shared memory of a team: kernels/sparse/product/spgemm.cu has it as a struct, whose size it compares. */
static size_t count_team_bytes(const struct bin *bin, size_t value_size)
{
    const size_t most = (size_t)bin->most, table = most + most / 2, team = (size_t)bin->team;
    const bool adds = value_size > 0;
    size_t bytes = table * (sizeof(int) + value_size) + team * (2 * sizeof(int64_t) + value_size);
    if (adds)
        bytes += most * sizeof(int);
    if (adds && bin->team > 32)
        bytes += MNP_SPGEMM_CLAIMS * sizeof(unsigned);
    if (bin->most == 0) /* a bit for every strip of columns, of 32 a thread */
        bytes += ((size_t)1 << 31) / 32 / team / 8;
    return (bytes + team / 4 + 128) / 16 * 16; /* what is once for every warp, or at all */
}

/*
 * The kinds where values of that size are added, or columns are counted (0): as many columns as shared memory has room
 * for.
 */
static void choose_bins(struct multiplication *w, size_t value_size)
{
    static const struct bin shapes[BINS] = {
        {.team = 8, .block = 64, .most = 32},       {.team = 16, .block = 64, .most = 128},
        {.team = 32, .block = 64, .most = 512},     {.team = 256, .block = 256, .most = 2048},
        {.team = 512, .block = 512, .most = 32768}, {.team = 512, .block = 512}};
    for (int i = 0; i < BINS; i++) {
        struct bin *bin = &w->bins[i];
        *bin = shapes[i];
        const size_t room = w->ctx->device->block_memory / (size_t)(bin->block / bin->team);
        while (bin->most > 0 && count_team_bytes(bin, value_size) > room)
            bin->most /= 2;
        bin->team_bytes = count_team_bytes(bin, value_size);
    }
}

/* The kernel for one kind.  Collective. */
static mnp_status load(const struct multiplication *w, bool counts, const struct bin *bin, mnp__kernel **kernel_p)
{
    mnp__kernel_spec spec = {.file = "sparse/product/spgemm.cu", .function = "spgemm_rows"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_PLAN 0\n#define MNP_VALUE %s\n#define MNP_COUNTS %d\n",
                  counts ? "float" : mnp__jit_type(w->dtype), counts);
    if (!w->host) {
        mnp__text_add(&defines,
                      "#define MNP_TEAM %d\n#define MNP_BLOCK %d\n#define MNP_MOST %d\n#define MNP_TEAM_BYTES %zu\n",
                      bin->team, bin->block, bin->most, bin->team_bytes);
        spec.shared_bytes = bin->team_bytes * (size_t)(bin->block / bin->team);
    }
    return mnp__ctx_kernel_of_text(w->ctx, &spec, &defines, NULL, kernel_p);
}

/* Kernels for the kinds that some rank has.  Collective. */
static mnp_status load_rows(struct multiplication *w, bool counts)
{
    for (int i = 0; i < BINS; i++)
        if (w->present[1 + i] > 0)
            MNP_TRY(load(w, counts, &w->bins[i], &w->rows[i]));
    return MNP_OK;
}

/* ---- planning ---- */

static mnp_spgemm_matrix describe(const mnp__part *part)
{
    return (mnp_spgemm_matrix){
        .offsets = part->offsets, .columns = part->indices, .values = part->values, .wide = part->offset_size == 8};
}

static mnp_spgemm_plan_params describe_plan(const struct multiplication *w)
{
    mnp_spgemm_plan_params params = {.a = describe(w->a),
                                     .b = describe(w->b),
                                     .rows = w->a->rows,
                                     .columns = w->b->columns,
                                     .sizes = w->sizes,
                                     .tally = w->tally};
    for (int i = 0; i < BINS; i++)
        params.most[i] = w->bins[i].most;
    return params;
}

static mnp_status run_plan(const struct multiplication *w, int task, int64_t blocks, mnp_spgemm_plan_params *params)
{
    const int64_t grid = blocks < 1 ? 1 : blocks < MOST_TILE_BLOCKS ? blocks : MOST_TILE_BLOCKS;
    const mnp__launch launch = {.grid = {(unsigned)grid, 1, 1}, .block = {MNP_SPGEMM_THREADS, 1, 1}};
    params->task = task;
    return w->ctx->device->ops->launch(w->ctx->device, w->plan, &launch, params, sizeof *params, w->ctx->compute);
}

/* How many columns rows may have. */
static mnp_status bound_rows(struct multiplication *w)
{
    mnp_spgemm_plan_params params = describe_plan(w);
    const int64_t entries = w->a->rows > 0 ? w->a->count / w->a->rows : 0;
    params.lanes = 1;
    while (params.lanes < 32 && params.lanes < entries)
        params.lanes *= 2;
    return run_plan(w, MNP_SPGEMM_BOUND, w->a->rows * params.lanes / MNP_SPGEMM_THREADS + 1, &params);
}

/* The sum of the rows' sizes, and how many rows are of every kind: this rank's totals.  Waits. */
static mnp_status tally(struct multiplication *w)
{
    mnp_ctx *ctx = w->ctx;
    mnp_spgemm_plan_params params = describe_plan(w);
    MNP_TRY(run_plan(w, MNP_SPGEMM_TALLY, w->tiles, &params));
    MNP_TRY(run_plan(w, MNP_SPGEMM_SUM, 1, &params));
    MNP_TRY(
        ctx->device->ops->copy(ctx->device, w->totals, w->tally + w->tiles * RECORD, sizeof w->totals, ctx->compute));
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    if (w->host)
        for (int i = 0; i < BINS; i++)
            w->totals[1 + i] = i == 0;
    return MNP_OK;
}

/* What ranks must know alike.  Collective. */
static mnp_status compare_totals(struct multiplication *w)
{
    for (int i = 0; i < RECORD; i++)
        w->present[i] = w->totals[i];
    return mnp__all_reduce(&w->ctx->comm, w->present, RECORD, MPI_INT64_T, MPI_MAX);
}

/* List the rows by kinds, and make C's offsets if it has memory for them. */
static mnp_status place(struct multiplication *w)
{
    mnp_spgemm_plan_params params = describe_plan(w);
    params.list = w->list;
    params.offsets = w->c.offsets;
    params.wide = w->c.offset_size == 8;
    for (int i = 1; i < BINS; i++)
        params.first[i] = params.first[i - 1] + w->totals[i];
    return run_plan(w, MNP_SPGEMM_PLACE, w->tiles, &params);
}

/* ---- rows ---- */

/* Zeros, so many times that many bytes. */
static mnp_status new_scratch(struct multiplication *w, int64_t count, int64_t bytes)
{
    mnp__device *device = w->ctx->device;
    device->ops->free(device, w->scratch);
    w->scratch = NULL;
    MNP_TRY(device->ops->alloc(device, (size_t)(count * bytes), &w->scratch));
    return device->ops->fill(device, w->scratch, 0, (size_t)(count * bytes), w->ctx->compute);
}

/* Sums and bits for all columns, for every row that is made at the same time. */
static mnp_status open_dense(struct multiplication *w, size_t value_size, int64_t rows, mnp_spgemm_params *params,
                             int64_t *blocks_p)
{
    const int64_t columns = w->b->columns, entry = (int64_t)(sizeof(int32_t) + mnp_dtype_size(w->dtype));
    const int64_t matrices = (w->a->count + w->b->count + w->c.count) * entry;
    const int64_t most = mnp__max(matrices, LEAST_SCRATCH);
    params->scratch_bytes = mnp__round_up(columns * (int64_t)value_size + mnp__divide_up(columns, 32) * 4, 256);
    int64_t blocks = SIDE_BY_SIDE * w->processors;
    blocks = mnp__min(blocks, rows);
    blocks = blocks < most / params->scratch_bytes ? blocks : most / params->scratch_bytes;
    *blocks_p = blocks > 0 ? blocks : 1;
    MNP_TRY(new_scratch(w, *blocks_p, params->scratch_bytes));
    params->scratch = w->scratch;
    return MNP_OK;
}

/* The longest row, which the CPU can see on the host device alone. */
static int64_t find_longest(const mnp__part *part)
{
    const int64_t *wide = part->offsets;
    const int32_t *narrow = part->offsets;
    int64_t longest = 0;
    for (int64_t i = 0; i < part->rows; i++) {
        const int64_t length = part->offset_size == 8 ? wide[i + 1] - wide[i] : narrow[i + 1] - narrow[i];
        longest = mnp__max(length, longest);
    }
    return longest;
}

/* A window of columns for every worker of the host: kernels/sparse/product/spgemm.cu says what is in it. */
static mnp_status open_windows(struct multiplication *w, size_t value_size, mnp_spgemm_params *params,
                               int64_t *workers_p)
{
    const int64_t columns = mnp__round_up(w->b->columns, 4096), index = sizeof(int);
    const int64_t window = mnp__min(columns, MNP_SPGEMM_WINDOW);
    const int64_t most = mnp__divide_up(w->a->rows, MNP_SPGEMM_ROWS);
    int64_t bytes = window / 8 + (window / 64 + MNP_SPGEMM_SPARE) * index + window / 512;
    if (value_size > 0)
        bytes += window * (int64_t)value_size + (window + MNP_SPGEMM_SPARE) * index;
    params->window = window;
    params->longest = find_longest(w->a);
    params->scratch_bytes = mnp__round_up(params->longest * (int64_t)sizeof(int64_t) + bytes, 64);
    *workers_p = mnp__min(w->processors, most);
    MNP_TRY(new_scratch(w, *workers_p, params->scratch_bytes));
    params->scratch = w->scratch;
    return MNP_OK;
}

/* Make the rows of one kind: count their columns (value_size 0), or write them. */
static mnp_status run_rows(struct multiplication *w, int i, size_t value_size, const int *list)
{
    const struct bin *bin = &w->bins[i];
    mnp_spgemm_params params = {.a = describe(w->a),
                                .b = describe(w->b),
                                .c = describe(&w->c),
                                .rows = w->a->rows,
                                .columns = w->b->columns,
                                .sizes = w->sizes,
                                .list = list,
                                .listed = w->totals[1 + i]};
    int64_t blocks = 0;
    if (params.listed == 0)
        return MNP_OK;
    if (w->host) {
        MNP_TRY(open_windows(w, value_size, &params, &blocks));
    } else if (bin->most == 0) {
        MNP_TRY(open_dense(w, value_size, params.listed, &params, &blocks));
    } else {
        const int teams = bin->block / bin->team;
        blocks = mnp__divide_up(params.listed, teams);
    }
    const mnp__launch launch = {.grid = {(unsigned)blocks, 1, 1}, .block = {(unsigned)bin->block, 1, 1}};
    return w->ctx->device->ops->launch(w->ctx->device, w->rows[i], &launch, &params, sizeof params, w->ctx->compute);
}

static mnp_status run_all_rows(struct multiplication *w, size_t value_size)
{
    const int *list = w->list;
    for (int i = 0; i < BINS; i++) {
        MNP_TRY(run_rows(w, i, value_size, list));
        list += w->host ? 0 : w->totals[1 + i];
    }
    return MNP_OK;
}

/* ---- all together ---- */

static mnp_status start(struct multiplication *w)
{
    const mnp__device_ops *ops = w->ctx->device->ops;
    const size_t rows = (size_t)w->a->rows;
    mnp_rank_info info;
    MNP_TRY(ops->info(w->ctx->device, &info));
    w->processors = info.multiprocessors;
    w->tiles = mnp__divide_up(w->a->rows, MNP_SPGEMM_TILE);
    MNP_TRY(ops->alloc(w->ctx->device, rows * sizeof *w->sizes, (void **)&w->sizes));
    if (!w->host)
        MNP_TRY(ops->alloc(w->ctx->device, rows * sizeof *w->list, (void **)&w->list));
    return ops->alloc(w->ctx->device, (size_t)(w->tiles + 1) * RECORD * sizeof *w->tally, (void **)&w->tally);
}

static void finish(struct multiplication *w)
{
    const mnp__device_ops *ops = w->ctx->device->ops;
    ops->free(w->ctx->device, w->sizes);
    ops->free(w->ctx->device, w->list);
    ops->free(w->ctx->device, w->tally);
    ops->free(w->ctx->device, w->scratch);
}

/* Sort rows into bins before they are counted: `totals` are then bounds.  The host need not. */
static mnp_status bound(struct multiplication *w)
{
    if (w->host) {
        w->totals[1] = 1;
        return MNP_OK;
    }
    choose_bins(w, 0);
    MNP_TRY(bound_rows(w));
    return tally(w);
}

static mnp_status count(struct multiplication *w)
{
    if (!w->host)
        MNP_TRY(place(w));
    MNP_TRY(run_all_rows(w, 0));
    if (!w->host)
        choose_bins(w, mnp_dtype_size(w->dtype)); /* by which rows are told apart from now on */
    return tally(w);
}

static mnp_status write(struct multiplication *w)
{
    const mnp__device_ops *ops = w->ctx->device->ops;
    const size_t value_size = mnp_dtype_size(w->dtype);
    mnp__part *c = &w->c;
    c->count = w->totals[0];
    c->offset_size = w->present[0] > INT32_MAX ? 8 : 4;
    MNP_TRY(ops->alloc(w->ctx->device, (size_t)(c->rows + 1) * (size_t)c->offset_size, &c->offsets));
    MNP_TRY(ops->alloc(w->ctx->device, (size_t)c->count * sizeof *c->indices, (void **)&c->indices));
    MNP_TRY(ops->alloc(w->ctx->device, (size_t)c->count * value_size, &c->values));
    MNP_TRY(place(w));
    MNP_TRY(run_all_rows(w, value_size));
    return mnp__ctx_wait(w->ctx, w->ctx->compute);
}

static mnp_status multiply(struct multiplication *w)
{
    MNP_TRY(MNP_AGREE(w->ctx, start(w)));
    MNP_TRY(mnp__ctx_kernel(w->ctx,
                            &(mnp__kernel_spec){.file = "sparse/product/spgemm.cu",
                                                .function = "spgemm_plan",
                                                .defines = "#define MNP_PLAN 1\n"},
                            &w->plan));
    MNP_TRY(MNP_AGREE(w->ctx, bound(w)));
    MNP_TRY(compare_totals(w));
    MNP_TRY(load_rows(w, true));
    MNP_TRY(MNP_AGREE(w->ctx, count(w)));
    MNP_TRY(compare_totals(w));
    MNP_TRY(load_rows(w, false));
    return MNP_AGREE(w->ctx, write(w));
}

mnp_status mnp__spgemm(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *a, const mnp__part *b, mnp__part *c)
{
    struct multiplication w = {.ctx = ctx,
                               .dtype = dtype,
                               .a = a,
                               .b = b,
                               .host = ctx->device->block_memory == 0,
                               .c = {.format = MNP_CSR, .rows = a->rows, .columns = b->columns, .lines = a->rows}};
    const mnp_status st = multiply(&w);
    finish(&w);
    if (st == MNP_OK)
        *c = w.c;
    else
        mnp__part_release(ctx, &w.c);
    return st;
}
