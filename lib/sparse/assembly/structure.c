/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same entries elsewhere: transposed, in other formats and layouts, and slices of rows.
 */
#include <stdlib.h>
#include <string.h>

#include "array/view.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "sparse/rows/edit_rows.h"
#include "sparse/rows/matrix_from_rows.h"
#include "sparse/rows/sort_entries.h"
#include "sparse/rows/turn_part.h"
#include "sparse/step/elements.h"

/* ---- transposing ---- */

/*
 * The ghost part of the transpose: entries travel to the owners of their columns, where they are ghosts again.  *parts
 * has the own part already.  Collective, and agreed upon.
 */
static mnp_status transpose_ghosts(const mnp_sparse *matrix, const mnp__sparse_shape *shape, mnp__parts *parts)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__entries entries;
    mnp__rows turned;
    mnp__parts ghosts = {.nghosts = 0};
    MNP_TRY(mnp__entries_of_ghosts(matrix, &entries));
    int64_t *const columns = entries.columns;
    entries.columns = entries.rows;
    entries.rows = columns;
    MNP_TRY(mnp__rows_from_entries(shape, MNP__ENTRIES_RISING, &entries, &turned));
    mnp_status st = mnp__rows_split(ctx, shape->dtype, shape->column_layout, &turned, &ghosts);
    mnp__rows_release(ctx, &turned);
    if (st == MNP_OK)
        st = mnp__rows_list_ghosts(ctx, shape->dtype, &ghosts);
    if (st != MNP_OK) {
        mnp__parts_free(ctx, &ghosts);
        return st;
    }
    mnp__part_release(ctx, &ghosts.own);
    ghosts.own = parts->own;
    ghosts.nnz += parts->nnz;
    *parts = ghosts;
    return MNP_OK;
}

/* Own entries stay this rank's, as rows and columns are cut as before. */
mnp_status mnp_sparse_transpose(const mnp_sparse *matrix, mnp_sparse **transposed_p)
{
    MNP_ENTER(matrix, transposed_p);
    mnp__row_source source = {.matrix = NULL};
    mnp__parts parts = {.nghosts = 0};
    const mnp__sparse_shape shape = {.ctx = matrix->ctx,
                                     .dtype = matrix->dtype,
                                     .rows = matrix->shape[1],
                                     .columns = matrix->shape[0],
                                     .row_layout = matrix->column_layout,
                                     .column_layout = matrix->row_layout};
    const mnp_sparse *known = mnp__sparse_known_transpose(matrix);
    mnp_status st;
    if (known) /* it stays with the matrix, and its structure may be shared */
        return mnp__stored_changed(known, known->dtype, &(mnp_value_change){.conjugates = false}, transposed_p);
    const bool listed = mnp__part_is_listed(matrix->format);
    if (!listed)
        MNP_TRY_OR(mnp__row_source_open(matrix, &source), st, done);
    MNP_TRY_OR(mnp__part_transpose(matrix->ctx, matrix->dtype, listed ? &matrix->own : &source.converted, &parts.own),
               st, done);
    parts.nnz = parts.own.count;
    if (matrix->has_ghosts)
        MNP_TRY_OR(transpose_ghosts(matrix, &shape, &parts), st, done);
    st = mnp__sparse_from_parts(&shape, &parts, transposed_p);
done:
    mnp__row_source_close(&source);
    mnp__parts_free(matrix->ctx, &parts);
    return st;
}

/* ---- formats ---- */

/* From one of CSR, CSC and COO to another. */
static mnp_status relist(const mnp_sparse *matrix, mnp_sparse_format format, mnp_sparse **converted_p)
{
    mnp__parts parts = {.nghosts = 0};
    const mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    mnp_status st = mnp__part_relist(matrix->ctx, matrix->dtype, &matrix->own, format, &parts.own);
    if (st == MNP_OK)
        st = mnp__parts_copy_ghosts(matrix, &parts);
    if (st == MNP_OK)
        return mnp__sparse_from_parts(&shape, &parts, converted_p);
    mnp__parts_free(matrix->ctx, &parts);
    return st;
}

mnp_status mnp_sparse_convert(const mnp_sparse *matrix, mnp_sparse_format format, int block, mnp_sparse **converted_p)
{
    MNP_ENTER(matrix, converted_p);
    enum { LARGEST_BLOCK = 64 };
    static const char function[] = "mnp_sparse_convert";
    mnp__rows rows;
    if ((int)format < 0 || format > MNP_SELL)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a format", function, (int)format);
    if (block < 0 || block > LARGEST_BLOCK)
        return MNP_FAIL(MNP_ERR_ARG, "%s: block is %d, outside 0..%d", function, block, LARGEST_BLOCK);
    if (mnp__part_is_listed(matrix->format) && mnp__part_is_listed(format))
        return relist(matrix, format, converted_p);
    MNP_TRY(mnp__rows_of(matrix, &rows));
    const mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    return mnp__sparse_from_rows_as(&shape, &rows, format, block, converted_p);
}

/* ---- layouts ---- */

static mnp_status move_rows(const mnp_sparse *matrix, const mnp__sparse_shape *shape, mnp_sparse **moved_p)
{
    mnp__entries entries;
    mnp__rows rows;
    MNP_TRY(mnp__entries_of(matrix, &entries));
    MNP_TRY(mnp__rows_from_entries(shape, MNP__ENTRIES_RISING, &entries, &rows));
    return mnp__sparse_from_rows_as(shape, &rows, matrix->format, matrix->own.block, moved_p);
}

mnp_status mnp_sparse_redistribute(const mnp_sparse *matrix, const mnp_layout *row_layout,
                                   const mnp_layout *column_layout, mnp_sparse **moved_p)
{
    MNP_ENTER(matrix, moved_p);
    MNP_NEED_OR_NULL(row_layout);
    MNP_NEED_OR_NULL(column_layout);
    static const char function[] = "mnp_sparse_redistribute";
    mnp_layout *rows, *columns;
    mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    shape.row_layout = row_layout ? row_layout : shape.row_layout;
    shape.column_layout = column_layout ? column_layout : shape.column_layout;
    MNP_TRY(mnp__sparse_layouts(function, &shape, &rows, &columns));
    shape.row_layout = rows;
    shape.column_layout = columns;
    const mnp_status st = move_rows(matrix, &shape, moved_p);
    mnp_layout_free(rows);
    mnp_layout_free(columns);
    return st;
}

mnp_status mnp__sparse_bring(const mnp_sparse *b, mnp_dtype dtype, const mnp_layout *row_layout,
                             const mnp_layout *column_layout, const mnp_sparse **brought_p, mnp_sparse **temporary_p)
{
    mnp_sparse *cast = NULL, *moved = NULL;
    const bool moves = (row_layout && !mnp_layout_equal(row_layout, b->row_layout)) ||
                       (column_layout && !mnp_layout_equal(column_layout, b->column_layout));
    if (b->dtype != dtype)
        MNP_TRY(mnp_sparse_astype(b, dtype, &cast));
    if (moves) {
        const mnp_status st = mnp_sparse_redistribute(cast ? cast : b, row_layout, column_layout, &moved);
        mnp_sparse_free(cast);
        MNP_TRY(st);
    }
    *temporary_p = moves ? moved : cast;
    *brought_p = *temporary_p ? *temporary_p : b;
    return MNP_OK;
}

/* ---- balance ---- */

/*
 * The cuts between P parts with about equal numbers of entries.  This rank stores those among its rows, and 0 for the
 * others.  Cut number j has j / P of all entries before it, as nearly as rows allow; `before`: entries of lower ranks.
 */
static void find_cuts(const mnp_sparse *matrix, const int64_t *offsets, int64_t before, int64_t *cuts)
{
    const int parts = matrix->ctx->comm.size;
    int64_t row = 0;
    for (int j = 1; j < parts; j++) {
        const int64_t target = matrix->nnz / parts * j + matrix->nnz % parts * j / parts;
        if (target <= before || target > before + matrix->local_nnz)
            continue;
        while (before + offsets[row + 1] < target)
            row++;
        const bool above = before + offsets[row + 1] - target < target - before - offsets[row];
        cuts[j] = matrix->row_lo + row + above;
    }
    cuts[parts] = matrix->ctx->comm.rank == 0 ? matrix->shape[0] : 0;
}

static mnp_status agree_on_cuts(const mnp_sparse *matrix, const int64_t *offsets, int64_t *cuts)
{
    const mnp__comm *comm = &matrix->ctx->comm;
    int64_t before = 0;
    MNP_TRY(mnp__all_gather(comm, &matrix->local_nnz, cuts, sizeof *cuts));
    for (int r = 0; r < comm->rank; r++)
        before += cuts[r];
    memset(cuts, 0, ((size_t)comm->size + 1) * sizeof *cuts);
    find_cuts(matrix, offsets, before, cuts);
    return mnp__all_reduce(comm, cuts, comm->size + 1, MPI_INT64_T, MPI_SUM);
}

/* Offsets of this rank's rows on the CPU, malloc'ed.  Collective, and agreed upon. */
static mnp_status fetch_offsets(const mnp_sparse *matrix, int64_t **offsets_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const size_t count = (size_t)matrix->rows + 1;
    int64_t *offsets = NULL;
    mnp__rows rows;
    MNP_TRY(mnp__rows_of(matrix, &rows));
    mnp_status st = mnp__malloc(count * sizeof *offsets, &offsets);
    if (st == MNP_OK)
        st = mnp__elements_copy(ctx, offsets, rows.offsets, (int64_t)count, sizeof *offsets);
    mnp__rows_release(ctx, &rows);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *offsets_p = offsets;
    else
        free(offsets);
    return st;
}

mnp_status mnp_sparse_balance(const mnp_sparse *matrix, mnp_layout **row_layout_p)
{
    MNP_ENTER(matrix, row_layout_p);
    int64_t *cuts = NULL, *offsets;
    mnp_ctx *ctx = matrix->ctx;
    MNP_TRY(fetch_offsets(matrix, &offsets));
    mnp_status st = MNP_AGREE(ctx, mnp__malloc(((size_t)ctx->comm.size + 1) * sizeof *cuts, &cuts));
    if (st == MNP_OK && matrix->nnz > 0)
        st = agree_on_cuts(matrix, offsets, cuts);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx,
                       mnp__layout_line(ctx->comm.size, 1, matrix->shape, matrix->nnz > 0 ? cuts : NULL, row_layout_p));
    free(cuts);
    free(offsets);
    return st;
}

/* ---- slices ---- */

/* A layout cut within start..stop, counted from 0. */
static mnp_status slice_layout(const mnp_layout *layout, int64_t start, int64_t stop, mnp_layout **sliced_p)
{
    const int64_t *cuts = mnp_layout_cuts(layout, 0), extent = stop - start;
    int64_t *sliced;
    MNP_TRY(mnp__malloc(((size_t)layout->nranks + 1) * sizeof *sliced, &sliced));
    for (int r = 0; r <= layout->nranks; r++)
        sliced[r] = cuts[r] < start ? 0 : cuts[r] > stop ? extent : cuts[r] - start;
    const mnp_status st = mnp__layout_line(layout->nranks, 1, &extent, sliced, sliced_p);
    free(sliced);
    return st;
}

mnp_status mnp_sparse_rows(const mnp_sparse *matrix, int64_t start, int64_t stop, mnp_sparse **rows_p)
{
    MNP_ENTER(matrix, rows_p);
    mnp_layout *layout;
    mnp__rows slice;
    mnp_status st;
    mnp_ctx *ctx = matrix->ctx;
    start = mnp__slice_end(start, matrix->shape[0]);
    stop = mnp__slice_end(stop, matrix->shape[0]);
    stop = mnp__max(stop, start);
    MNP_TRY(MNP_AGREE(ctx, slice_layout(matrix->row_layout, start, stop, &layout)));
    const int64_t *cuts = mnp_layout_cuts(layout, 0), lo = cuts[ctx->comm.rank], count = cuts[ctx->comm.rank + 1] - lo;
    MNP_TRY_OR(mnp__rows_range(matrix, count > 0 ? start + lo - matrix->row_lo : 0, count, &slice), st, done);
    mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    shape.rows = stop - start;
    shape.row_layout = layout;
    st = mnp__sparse_from_rows(&shape, &slice, rows_p);
done:
    mnp_layout_free(layout);
    return st;
}
