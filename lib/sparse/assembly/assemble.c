/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices from entries and from dense arrays.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "layout/layout.h"
#include "ops/indexing/gather.h"
#include "sparse/rows/matrix_from_rows.h"
#include "sparse/rows/sort_entries.h"
#include "sparse/step/elements.h"

/* ---- from entries ---- */

/*
 * Rows that are cut evenly may have very different numbers of entries.  Where one rank has nearly all, the others wait
 * for it, so that is told.  Collective.
 */
static mnp_status warn_of_uneven_rows(const mnp_sparse *matrix)
{
    enum { MANY = 100000 };
    const double nearly_all = 0.8;
    mnp_ctx *ctx = matrix->ctx;
    struct {
        double entries;
        int rank;
    } most = {(double)matrix->local_nnz, ctx->comm.rank};
    if (ctx->comm.size == 1 || matrix->nnz < MANY)
        return MNP_OK;
    MNP_TRY(mnp__all_reduce(&ctx->comm, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
    if (most.entries > nearly_all * (double)matrix->nnz)
        MNP_LOG(&ctx->config.logger, MNP_LOG_WARN,
                "rank %d has %.0f %% of the %" PRId64
                " entries of a matrix whose rows are cut evenly, so others wait for "
                "it: mnp_sparse_balance() finds a better layout, for mnp_sparse_redistribute()",
                most.rank, 100 * most.entries / (double)matrix->nnz, matrix->nnz);
    return MNP_OK;
}

/* `entries` are device memory, and used up also after a failure; `first` is the number of the first, for messages. */
static mnp_status from_entries(const char *function, const mnp__sparse_shape *wanted, int64_t first,
                               mnp__entries *entries, mnp_sparse **matrix_p)
{
    mnp__sparse_shape shape = *wanted;
    mnp_layout *row = NULL, *column = NULL;
    mnp_sparse *made = NULL;
    mnp__rows rows;
    mnp_status st;
    MNP_TRY_OR(mnp__sparse_layouts(function, wanted, &row, &column), st, done);
    shape.row_layout = row;
    shape.column_layout = column;
    MNP_TRY_OR(mnp__entries_check(function, &shape, first, entries), st, done);
    MNP_TRY_OR(mnp__rows_from_entries(&shape, MNP__ENTRIES_ANYHOW, entries, &rows), st, done);
    MNP_TRY_OR(mnp__sparse_from_rows(&shape, &rows, &made), st, done);
    st = wanted->row_layout ? MNP_OK : warn_of_uneven_rows(made);
    if (st == MNP_OK)
        *matrix_p = made;
    else
        mnp_sparse_free(made);
done:
    mnp__entries_release(shape.ctx, entries);
    mnp_layout_free(row);
    mnp_layout_free(column);
    return st;
}

static mnp_status upload_entries(const char *function, mnp_ctx *ctx, mnp_dtype dtype, int64_t count,
                                 const int64_t *rows, const int64_t *columns, const void *values, mnp__entries *entries)
{
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: count is %" PRId64 ", negative", function, count);
    MNP_NEED_IF(count > 0, rows);
    MNP_NEED_IF(count > 0, columns);
    MNP_NEED_IF(count > 0, values);
    entries->count = count;
    MNP_TRY(mnp__elements_upload(ctx, count, sizeof *rows, rows, &entries->rows));
    MNP_TRY(mnp__elements_upload(ctx, count, sizeof *columns, columns, &entries->columns));
    return mnp__elements_upload(ctx, count, mnp_dtype_size(dtype), values, &entries->values);
}

mnp_status mnp_sparse_from_triplets(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns,
                                    const mnp_layout *row_layout, const mnp_layout *column_layout, int64_t count,
                                    const int64_t *rows, const int64_t *columns, const void *values,
                                    mnp_sparse **matrix_p)
{
    MNP_ENTER(ctx, matrix_p);
    MNP_NEED_OR_NULL(row_layout);
    MNP_NEED_OR_NULL(column_layout);
    static const char function[] = "mnp_sparse_from_triplets";
    const mnp__sparse_shape shape = {.ctx = ctx,
                                     .dtype = dtype,
                                     .rows = nrows,
                                     .columns = ncolumns,
                                     .row_layout = row_layout,
                                     .column_layout = column_layout};
    mnp__entries entries = {.count = 0};
    MNP_TRY(mnp__sparse_check_dtype(function, dtype));
    const mnp_status st = MNP_AGREE(ctx, upload_entries(function, ctx, dtype, count, rows, columns, values, &entries));
    if (st != MNP_OK) {
        mnp__entries_release(ctx, &entries);
        return st;
    }
    return from_entries(function, &shape, 0, &entries, matrix_p);
}

/* A copy in device memory of this rank's elements of an array of one dimension, in that layout. */
static mnp_status copy_line(const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout, void *memory_p)
{
    mnp_ctx *ctx = array->ctx;
    mnp_array *line;
    void *memory = NULL;
    MNP_TRY(mnp__lined_up(array, dtype, layout, &line));
    const size_t bytes = (size_t)line->local_size * mnp_dtype_size(dtype);
    mnp_status st = ctx->device->ops->alloc(ctx->device, bytes, &memory);
    if (st == MNP_OK)
        st = ctx->device->ops->copy(ctx->device, memory, line->data, bytes, ctx->compute);
    st = MNP_AGREE(ctx, st);
    mnp_array_free(line);
    memcpy(memory_p, &memory, sizeof memory);
    return st;
}

static mnp_status check_coo(const char *function, const mnp_array *rows, const mnp_array *columns,
                            const mnp_array *values)
{
    const mnp_array *const inputs[] = {rows, columns, values};
    MNP_TRY(mnp__inputs_check(function, 3, inputs));
    for (int i = 0; i < 3; i++) {
        MNP_TRY(mnp__array_check_blocks(function, inputs[i]));
        if (inputs[i]->layout->ndim != 1 || inputs[i]->layout->size != values->layout->size)
            return MNP_FAIL(MNP_ERR_ARG, "%s: rows, columns and values must be of one dimension and one length",
                            function);
        const char kind = mnp_dtype_kind(inputs[i]->dtype);
        if (i < 2 && kind != 'i' && kind != 'u')
            return MNP_FAIL(MNP_ERR_ARG, "%s: %s are of %s; they should be integers", function,
                            i == 0 ? "rows" : "columns", mnp_dtype_name(inputs[i]->dtype));
    }
    return mnp__sparse_check_dtype(function, values->dtype);
}

mnp_status mnp_sparse_from_coo(const mnp_array *rows, const mnp_array *columns, const mnp_array *values, int64_t nrows,
                               int64_t ncolumns, mnp_sparse **matrix_p)
{
    MNP_ENTER(rows, columns, values, matrix_p);
    static const char function[] = "mnp_sparse_from_coo";
    mnp__entries entries = {.count = 0};
    mnp_layout *layout;
    MNP_TRY(check_coo(function, rows, columns, values));
    mnp_ctx *ctx = values->ctx;
    MNP_TRY(mnp__layout_line(ctx->comm.size, 1, values->layout->shape, NULL, &layout));
    const int64_t *cuts = mnp_layout_cuts(layout, 0), first = cuts[ctx->comm.rank];
    entries.count = cuts[ctx->comm.rank + 1] - first;
    mnp_status st = copy_line(rows, MNP_INT64, layout, &entries.rows);
    if (st == MNP_OK)
        st = copy_line(columns, MNP_INT64, layout, &entries.columns);
    if (st == MNP_OK)
        st = copy_line(values, values->dtype, layout, &entries.values);
    mnp_layout_free(layout);
    if (st != MNP_OK) {
        mnp__entries_release(ctx, &entries);
        return st;
    }
    const mnp__sparse_shape shape = {.ctx = ctx, .dtype = values->dtype, .rows = nrows, .columns = ncolumns};
    return from_entries(function, &shape, first, &entries, matrix_p);
}

/* ---- from a dense array ---- */

/* The entries that are not 0 of this rank's rows, which lie in C order. */
static mnp_status find_entries(mnp_dtype dtype, const void *block, int64_t nrows, int64_t ncolumns, mnp__csr *csr)
{
    int64_t count = 0;
    MNP_TRY(mnp__csr_new(dtype, nrows, ncolumns, nrows * ncolumns, csr));
    for (int64_t i = 0; i < nrows; i++) {
        for (int64_t j = 0; j < ncolumns; j++) {
            if (mnp__value_is_zero(dtype, block, i * ncolumns + j))
                continue;
            csr->indices[count] = j;
            mnp__value_copy(mnp_dtype_size(dtype), csr->values, count++, block, i * ncolumns + j);
        }
        csr->offsets[i + 1] = count;
    }
    return MNP_OK;
}

/* The same of an array that is cut by rows. */
static mnp_status fetch_entries(const mnp_array *rows, const mnp_layout *row_layout, mnp__csr *csr)
{
    const int64_t *cuts = mnp_layout_cuts(row_layout, 0) + rows->ctx->comm.rank;
    const int64_t nrows = cuts[1] - cuts[0], ncolumns = rows->layout->shape[1];
    void *block;
    MNP_TRY(mnp__malloc((size_t)(nrows * ncolumns) * mnp_dtype_size(rows->dtype), &block));
    mnp_status st = mnp_array_get_local(rows, block);
    if (st == MNP_OK)
        st = find_entries(rows->dtype, block, nrows, ncolumns, csr);
    free(block);
    return st;
}

mnp_status mnp_sparse_from_dense(const mnp_array *dense, mnp_sparse **matrix_p)
{
    MNP_ENTER(dense, matrix_p);
    static const char function[] = "mnp_sparse_from_dense";
    mnp_array *rows = NULL;
    mnp_layout *layout = NULL, *row_layout = NULL, *column_layout = NULL;
    mnp__csr csr = {.rows = 0};
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 1, &dense));
    MNP_TRY(mnp__array_check_blocks(function, dense));
    MNP_TRY(mnp__sparse_check_dtype(function, dense->dtype));
    if (dense->layout->ndim != 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions, not two", function, dense->layout->ndim);
    const int64_t *extents = dense->layout->shape;
    mnp__sparse_shape shape = {.ctx = dense->ctx, .dtype = dense->dtype, .rows = extents[0], .columns = extents[1]};
    MNP_TRY(mnp__sparse_layouts(function, &shape, &row_layout, &column_layout));
    shape.row_layout = row_layout;
    shape.column_layout = column_layout;
    MNP_TRY_OR(mnp__layout_line(shape.ctx->comm.size, 2, extents, mnp_layout_cuts(row_layout, 0), &layout), st, done);
    MNP_TRY_OR(mnp_redistribute(dense, layout, &rows), st, done);
    MNP_TRY_OR(MNP_AGREE(shape.ctx, fetch_entries(rows, row_layout, &csr)), st, done);
    st = mnp__sparse_from_csr(&shape, &csr, MNP_CSR, 0, matrix_p);
done:
    mnp__csr_free(&csr);
    mnp_array_free(rows);
    mnp_layout_free(layout);
    mnp_layout_free(row_layout);
    mnp_layout_free(column_layout);
    return st;
}
