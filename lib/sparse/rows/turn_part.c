/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of entries become lines of what the entries had as indices.  On a GPU the indices are sorted, with the numbers
 * of the entries, which bring the lines' numbers and the values to their places.  On the host chunks of lines count
 * their entries of each index, which tells where each chunk stores them.  The order of lines is kept, so the new
 * indices rise.
 */
#include "sparse/rows/turn_part.h"

#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/rows/turn_part_params.h"
#include "ops/sort/radix_sort.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

/* What turns parts of that dtype. */
typedef struct turner {
    mnp_ctx *ctx;
    mnp__kernel *kernel;
    mnp__row_runner sums;
    size_t value_size;
    int offset_size; /* of what is made, and of the numbers of entries; the same on all ranks */
} turner;

bool mnp__part_is_listed(mnp_sparse_format format)
{
    return format == MNP_CSR || format == MNP_CSC || format == MNP_COO;
}

/* Collective, and agreed upon. */
static mnp_status open(mnp_ctx *ctx, mnp_dtype dtype, int64_t count, turner *t)
{
    const mnp__kernel_spec spec = {.file = "sparse/rows/turn_part.cu", .function = "turn_part"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(dtype));
    MNP_TRY(mnp__all_reduce(&ctx->comm, &count, 1, MPI_INT64_T, MPI_MAX));
    *t = (turner){.ctx = ctx, .value_size = mnp_dtype_size(dtype), .offset_size = count > INT32_MAX ? 8 : 4};
    MNP_TRY(mnp__row_runner_open(ctx, dtype, &t->sums));
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &t->kernel);
}

static mnp_status run(const turner *t, int task, int64_t count, mnp_turn_params params)
{
    params.task = task;
    params.count = count;
    return mnp__ctx_launch(t->ctx, t->kernel, count, &params, sizeof params);
}

/* A copy of an array; NULL is copied as NULL. */
static mnp_status copy(mnp_ctx *ctx, int64_t count, size_t size, const void *from, void *pointer_p)
{
    return from ? mnp__elements_send(ctx, count, size, from, pointer_p) : MNP_OK;
}

static mnp_status copy_part(mnp_ctx *ctx, size_t value_size, const mnp__part *part, mnp__part *made)
{
    *made = *part;
    made->offsets = made->values = NULL;
    made->rows_of = made->indices = NULL;
    MNP_TRY(copy(ctx, mnp__part_offsets(part), (size_t)part->offset_size, part->offsets, &made->offsets));
    MNP_TRY(copy(ctx, mnp__part_rows_of(part), sizeof *made->rows_of, part->rows_of, &made->rows_of));
    MNP_TRY(copy(ctx, mnp__part_indices(part), sizeof *made->indices, part->indices, &made->indices));
    return copy(ctx, part->count, value_size, part->values, &made->values);
}

/* ---- lines and entries ---- */

/* The line of every entry. */
static mnp_status list_lines(const turner *t, const mnp__part *part, int32_t **lines_of_p)
{
    MNP_TRY(mnp__elements_new(t->ctx, part->count, sizeof **lines_of_p, lines_of_p));
    return run(
        t, MNP_TURN_LINES, part->count,
        (mnp_turn_params){
            .lines = part->lines, .offsets = part->offsets, .wide = part->offset_size == 8, .lines_of = *lines_of_p});
}

/* The offsets of so many lines, from the line of every entry, which rise. */
static mnp_status find_offsets(const turner *t, int64_t lines, int64_t entries, const int32_t *lines_of,
                               void **offsets_p)
{
    MNP_TRY(mnp__elements_new(t->ctx, lines + 1, (size_t)t->offset_size, offsets_p));
    return run(t, MNP_TURN_OFFSETS, lines + 1,
               (mnp_turn_params){
                   .entries = entries, .wide = t->offset_size == 8, .keys = lines_of, .made_offsets = *offsets_p});
}

/* ---- turning on a GPU ---- */

/* The entries of a part in the order of their indices. */
typedef struct sorting {
    int32_t *lines_of, *indices; /* of the part's entries; sorted */
    void *order;
} sorting;

static mnp_status make_room(const turner *t, const mnp__part *part, sorting *sorted)
{
    MNP_TRY(mnp__elements_new(t->ctx, part->count, sizeof *sorted->indices, &sorted->indices));
    MNP_TRY(mnp__elements_new(t->ctx, part->count, (size_t)t->offset_size, &sorted->order));
    return list_lines(t, part, &sorted->lines_of);
}

/* Collective. */
static mnp_status sort_indices(const turner *t, const mnp__part *part, const sorting *sorted)
{
    const mnp__radix_sort order = {.dtype = MNP_INT32,
                                   .lines = 1,
                                   .length = part->count,
                                   .keys = part->indices,
                                   .sorted = sorted->indices,
                                   .payload_size = (size_t)t->offset_size,
                                   .sorted_payload = sorted->order};
    return mnp__radix_sort_run(t->ctx, &order);
}

static mnp_status place_entries(const turner *t, const mnp__part *part, const sorting *sorted, mnp__part *made)
{
    enum { LANES = 32, FEW = 4 }; /* as the kernel gathers them */
    const int64_t groups = (part->count + LANES * FEW - 1) / (LANES * FEW) * LANES;
    MNP_TRY(find_offsets(t, made->lines, part->count, sorted->indices, &made->offsets));
    return run(t, MNP_TURN_ENTRIES, groups,
               (mnp_turn_params){.entries = part->count,
                                 .wide = t->offset_size == 8,
                                 .lines_of = sorted->lines_of,
                                 .order = sorted->order,
                                 .values = part->values,
                                 .made_values = made->values,
                                 .made_indices = made->indices});
}

/* Collective, and agreed upon. */
static mnp_status turn_by_sort(const turner *t, const mnp__part *part, mnp__part *made)
{
    mnp_ctx *ctx = t->ctx;
    sorting sorted = {.order = NULL};
    mnp_status st = MNP_AGREE(ctx, make_room(t, part, &sorted));
    if (st == MNP_OK)
        st = sort_indices(t, part, &sorted);
    if (st == MNP_OK)
        st = place_entries(t, part, &sorted, made);
    mnp__elements_free(ctx, sorted.lines_of);
    mnp__elements_free(ctx, sorted.indices);
    mnp__elements_free(ctx, sorted.order);
    return MNP_AGREE(ctx, st);
}

/* ---- turning on the host ---- */

static mnp_status run_chunks(const turner *t, int task, mnp_turn_params params)
{
    const mnp__launch launch = {.grid = {(unsigned)params.chunks, 1, 1}, .block = {1, 1, 1}};
    params.task = task;
    params.count = params.chunks;
    return t->ctx->device->ops->launch(t->ctx->device, t->kernel, &launch, &params, sizeof params, t->ctx->compute);
}

/* The counters take about as much memory as the entries. */
static mnp_status use_chunks(const turner *t, mnp_turn_params *params, mnp__part *made)
{
    enum { MOST_CHUNKS = 64 };
    const int64_t others = made->lines, fit = others > 0 ? 1 + made->count / others : 1;
    params->chunks = mnp__min(fit, MOST_CHUNKS);
    MNP_TRY(mnp__elements_new(t->ctx, params->chunks * others, sizeof *params->tallies, &params->tallies));
    MNP_TRY(mnp__elements_new(t->ctx, others + 1, sizeof *params->sums, &params->sums));
    MNP_TRY(mnp__elements_new(t->ctx, others + 1, (size_t)made->offset_size, &made->offsets));
    MNP_TRY(run_chunks(t, MNP_TURN_COUNT, *params));
    MNP_TRY(run(t, MNP_TURN_SUM, others, *params));
    MNP_TRY(mnp__rows_sum_up(t->sums, others, (int64_t *)params->sums, NULL));
    MNP_TRY(run_chunks(t, MNP_TURN_PLACE, *params));
    params->wide = made->offset_size == 8;
    params->made_offsets = made->offsets;
    return run(t, MNP_TURN_NARROW, others + 1, *params);
}

/* Agreed upon. */
static mnp_status turn_by_counts(const turner *t, const mnp__part *part, mnp__part *made)
{
    mnp_turn_params params = {.lines = part->lines,
                              .offsets = part->offsets,
                              .wide = part->offset_size == 8,
                              .indices = part->indices,
                              .values = part->values,
                              .made_values = made->values,
                              .made_indices = made->indices,
                              .others = made->lines};
    const mnp_status st = use_chunks(t, &params, made);
    mnp__elements_free(t->ctx, params.tallies);
    mnp__elements_free(t->ctx, params.sums);
    return MNP_AGREE(t->ctx, st);
}

/* ---- turning on either ---- */

/* From lines to lines of the others, of which there are so many.  Collective, and agreed upon. */
static mnp_status turn(const turner *t, const mnp__part *part, int64_t others, mnp__part *made)
{
    *made = (mnp__part){.lines = others, .count = part->count, .offset_size = t->offset_size};
    mnp_status st = mnp__elements_new(t->ctx, part->count, sizeof *made->indices, &made->indices);
    if (st == MNP_OK)
        st = mnp__elements_new(t->ctx, part->count, t->value_size, &made->values);
    MNP_TRY(MNP_AGREE(t->ctx, st));
    return t->ctx->device->cpu_memory ? turn_by_counts(t, part, made) : turn_by_sort(t, part, made);
}

/* ---- formats ---- */

/* A part in CSR or COO as lines of rows: its own arrays, but in COO new offsets. */
static mnp_status as_rows(const turner *t, const mnp__part *part, mnp__part *rows)
{
    *rows = *part;
    if (part->format == MNP_CSR)
        return MNP_OK;
    rows->format = MNP_CSR;
    rows->lines = part->rows;
    rows->rows_of = NULL;
    rows->offsets = NULL;
    rows->offset_size = t->offset_size;
    return find_offsets(t, part->rows, part->count, part->rows_of, &rows->offsets);
}

/* From CSR or COO to CSC, or with the names of rows and columns exchanged to CSR.  Collective, and agreed upon. */
static mnp_status turn_rows(const turner *t, const mnp__part *part, mnp__part *made)
{
    mnp__part rows;
    mnp_status st = MNP_AGREE(t->ctx, as_rows(t, part, &rows));
    if (st == MNP_OK)
        st = turn(t, &rows, part->columns, made);
    if (rows.offsets != part->offsets)
        mnp__elements_free(t->ctx, rows.offsets);
    return st;
}

/* A part in CSR becomes one in COO. */
static mnp_status spread_rows(const turner *t, mnp__part *part)
{
    MNP_TRY(list_lines(t, part, &part->rows_of));
    mnp__elements_free(t->ctx, part->offsets);
    part->offsets = NULL;
    part->format = MNP_COO;
    part->lines = part->count;
    return MNP_OK;
}

/* A part in COO becomes one in CSR. */
static mnp_status gather_rows(const turner *t, mnp__part *part)
{
    mnp__part rows;
    const mnp_status st = as_rows(t, part, &rows);
    mnp__elements_free(t->ctx, part->rows_of);
    *part = rows;
    return st;
}

/* Collective, and agreed upon; what was made stays in *made, also after a failure. */
static mnp_status relist(const turner *t, const mnp__part *part, mnp_sparse_format format, mnp__part *made)
{
    const bool turns = (part->format == MNP_CSC) != (format == MNP_CSC);
    mnp_status st;
    if (!turns)
        st = MNP_AGREE(t->ctx, copy_part(t->ctx, t->value_size, part, made));
    else if (part->format == MNP_CSC)
        st = turn(t, part, part->rows, made);
    else
        st = turn_rows(t, part, made);
    MNP_TRY(st);
    made->rows = part->rows;
    made->columns = part->columns;
    if (turns)
        made->format = format == MNP_CSC ? MNP_CSC : MNP_CSR;
    if (made->format == format)
        return MNP_OK;
    return MNP_AGREE(t->ctx, format == MNP_COO ? spread_rows(t, made) : gather_rows(t, made));
}

mnp_status mnp__part_relist(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *part, mnp_sparse_format format,
                            mnp__part *made)
{
    turner t;
    *made = (mnp__part){.rows = 0};
    MNP_TRY(open(ctx, dtype, part->count, &t));
    const mnp_status st = relist(&t, part, format, made);
    if (st != MNP_OK)
        mnp__part_release(ctx, made);
    return st;
}

mnp_status mnp__part_transpose(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *part, mnp__part *transposed)
{
    turner t;
    *transposed = (mnp__part){.rows = 0};
    MNP_TRY(open(ctx, dtype, part->count, &t));
    const mnp_status st = part->format == MNP_CSC ? MNP_AGREE(ctx, copy_part(ctx, t.value_size, part, transposed))
                                                  : turn_rows(&t, part, transposed);
    if (st != MNP_OK) {
        mnp__part_release(ctx, transposed);
        return st;
    }
    transposed->format = MNP_CSR;
    transposed->rows = part->columns;
    transposed->columns = part->rows;
    return MNP_OK;
}

/* ---- ghosts ---- */

static mnp_status list_ghosts(const turner *t, const mnp_sparse *matrix, int64_t *ghosts, mnp__entries *entries)
{
    const mnp__part *ghost = &matrix->ghost;
    MNP_TRY(mnp__elements_new(t->ctx, ghost->count, sizeof *entries->rows, &entries->rows));
    MNP_TRY(mnp__elements_new(t->ctx, ghost->count, sizeof *entries->columns, &entries->columns));
    MNP_TRY(copy(t->ctx, ghost->count, t->value_size, ghost->values, &entries->values));
    return run(t, MNP_TURN_GHOSTS, ghost->count,
               (mnp_turn_params){.lines = ghost->lines,
                                 .offsets = ghost->offsets,
                                 .wide = ghost->offset_size == 8,
                                 .rows_of = ghost->rows_of,
                                 .indices = ghost->indices,
                                 .ghosts = (const long long *)ghosts,
                                 .row_lo = matrix->row_lo,
                                 .rows = (long long *)entries->rows,
                                 .columns = (long long *)entries->columns});
}

mnp_status mnp__entries_of_ghosts(const mnp_sparse *matrix, mnp__entries *entries)
{
    mnp_ctx *ctx = matrix->ctx;
    turner t;
    int64_t *ghosts = NULL;
    MNP_TRY(open(ctx, matrix->dtype, matrix->ghost.count, &t));
    *entries = (mnp__entries){.count = matrix->ghost.count};
    mnp_status st = mnp__elements_upload(ctx, mnp__ghosts_count(matrix->ghosts), sizeof *ghosts,
                                         mnp__ghosts_columns(matrix->ghosts), &ghosts);
    if (st == MNP_OK)
        st = list_ghosts(&t, matrix, ghosts, entries);
    mnp__elements_free(ctx, ghosts);
    st = MNP_AGREE(ctx, st);
    if (st != MNP_OK)
        mnp__entries_release(ctx, entries);
    return st;
}

mnp_status mnp__parts_copy_ghosts(const mnp_sparse *matrix, mnp__parts *parts)
{
    mnp_ctx *ctx = matrix->ctx;
    parts->has_ghosts = matrix->has_ghosts;
    parts->nghosts = mnp__ghosts_count(matrix->ghosts);
    parts->nnz = matrix->local_nnz;
    mnp_status st = mnp__malloc((size_t)parts->nghosts * sizeof *parts->ghost_columns, &parts->ghost_columns);
    if (st == MNP_OK && parts->nghosts > 0)
        memcpy(parts->ghost_columns, mnp__ghosts_columns(matrix->ghosts),
               (size_t)parts->nghosts * sizeof *parts->ghost_columns);
    if (st == MNP_OK && parts->has_ghosts)
        st = copy_part(ctx, mnp_dtype_size(matrix->dtype), &matrix->ghost, &parts->ghost);
    return MNP_AGREE(ctx, st);
}
