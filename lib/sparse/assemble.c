/*
 * Matrices from entries, from dense arrays, and from patterns that every rank knows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "ops/gather.h"
#include "ops/indexed.h"
#include "ops/place.h"
#include "sparse/sparse.h"
#include "sparse/travel.h"

/* ---- from entries ---- */

/* Entries that this rank gives; the first one's number is for sentences. */
struct entries {
    mnp_dtype dtype;
    int64_t first, count;
    const int64_t *rows, *columns;
    const void *values;
};

static mnp_status check_indices(const char *function, const char *what, int64_t n, const struct entries *entries,
                                const int64_t *indices)
{
    for (int64_t k = 0; k < entries->count; k++)
        if (indices[k] < 0 || indices[k] >= n)
            return MNP_FAIL(MNP_ERR_ARG, "%s: entry %" PRId64 " is in %s %" PRId64 "; there are %" PRId64, function,
                            entries->first + k, what, indices[k], n);
    return MNP_OK;
}

static mnp_status check_entries(const char *function, int64_t nrows, int64_t ncolumns, const struct entries *entries)
{
    const bool missing = !entries->rows || !entries->columns || !entries->values;
    if (entries->count < 0 || (entries->count > 0 && missing))
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " entries%s", function, entries->count,
                        entries->count < 0 ? "" : ", and their rows, columns or values are NULL");
    MNP_TRY(check_indices(function, "row", nrows, entries, entries->rows));
    return check_indices(function, "column", ncolumns, entries, entries->columns);
}

static mnp_status from_entries(const char *function, mnp_ctx *ctx, int64_t nrows, int64_t ncolumns,
                               const mnp_layout *row_layout, const mnp_layout *column_layout,
                               const struct entries *entries, mnp_sparse **matrix_p)
{
    mnp_layout *row, *column;
    mnp__csr csr = {.rows = 0};
    mnp_status st;
    MNP_TRY(mnp__sparse_layouts(function, ctx, nrows, ncolumns, row_layout, column_layout, &row, &column));
    MNP_TRY_OR(MNP_AGREE(ctx, check_entries(function, nrows, ncolumns, entries)), st, done);
    MNP_TRY_OR(mnp__travel_entries(ctx, row, entries->dtype, ncolumns, entries->count, entries->rows, entries->columns,
                                   entries->values, &csr), st, done);
    st = mnp__sparse_from_csr(ctx, nrows, ncolumns, row, column, &csr, matrix_p);
done:
    mnp__csr_free(&csr);
    mnp_layout_free(row);
    mnp_layout_free(column);
    return st;
}

mnp_status mnp_sparse_from_triplets(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns,
                                    const mnp_layout *row_layout, const mnp_layout *column_layout, int64_t count,
                                    const int64_t *rows, const int64_t *columns, const void *values,
                                    mnp_sparse **matrix_p)
{
    static const char function[] = "mnp_sparse_from_triplets";
    const struct entries entries = {.dtype = dtype, .count = count, .rows = rows, .columns = columns, .values = values};
    MNP_TRY(mnp__sparse_check_dtype(function, dtype));
    return from_entries(function, ctx, nrows, ncolumns, row_layout, column_layout, &entries, matrix_p);
}

/* This rank's elements of an array of one dimension, as of an even layout, in memory of the CPU. */
static mnp_status fetch_line(const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout, void *memory_p)
{
    mnp_array *line;
    void *memory = NULL;
    MNP_TRY(mnp__lined_up(array, dtype, layout, &line));
    mnp_status st = mnp__malloc((size_t)line->local_size * mnp_dtype_size(dtype), &memory);
    if (st == MNP_OK)
        st = mnp_array_get_local(line, memory);
    st = MNP_AGREE(array->ctx, st);
    mnp_array_free(line);
    if (st == MNP_OK)
        memcpy(memory_p, &memory, sizeof memory);
    else
        free(memory);
    return st;
}

static mnp_status check_coo(const char *function, const mnp_array *rows, const mnp_array *columns,
                            const mnp_array *values)
{
    const mnp_array *const inputs[] = {rows, columns, values};
    MNP_TRY(mnp__check_inputs(function, 3, inputs));
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
    static const char function[] = "mnp_sparse_from_coo";
    int64_t *row = NULL, *column = NULL;
    void *value = NULL;
    mnp_layout *layout;
    mnp_status st;
    MNP_TRY(check_coo(function, rows, columns, values));
    mnp_ctx *ctx = values->ctx;
    MNP_TRY(mnp__layout_line(ctx->comm.size, 1, values->layout->shape, NULL, &layout));
    const int64_t *cuts = mnp_layout_cuts(layout, 0), first = cuts[ctx->comm.rank];
    MNP_TRY_OR(fetch_line(rows, MNP_INT64, layout, &row), st, done);
    MNP_TRY_OR(fetch_line(columns, MNP_INT64, layout, &column), st, done);
    MNP_TRY_OR(fetch_line(values, values->dtype, layout, &value), st, done);
    const struct entries entries = {.dtype = values->dtype, .first = first, .count = cuts[ctx->comm.rank + 1] - first,
                                    .rows = row, .columns = column, .values = value};
    st = from_entries(function, ctx, nrows, ncolumns, NULL, NULL, &entries, matrix_p);
done:
    free(row);
    free(column);
    free(value);
    mnp_layout_free(layout);
    return st;
}

/* ---- from a dense array ---- */

/* An array that is cut by rows, this rank's as CSR with all entries; they may have no columns. */
static mnp_status all_entries(const mnp_array *rows, mnp__csr *csr)
{
    const int64_t *cuts = mnp_layout_cuts(rows->layout, 0), columns = rows->layout->shape[1];
    const int64_t nrows = cuts[rows->ctx->comm.rank + 1] - cuts[rows->ctx->comm.rank];
    MNP_TRY(mnp__csr_new(rows->dtype, nrows, columns, nrows * columns, csr));
    for (int64_t i = 0; i < nrows; i++) {
        csr->offsets[i + 1] = (i + 1) * columns;
        for (int64_t j = 0; j < columns; j++)
            csr->indices[i * columns + j] = j;
    }
    return mnp_array_get_local(rows, csr->values);
}

mnp_status mnp_sparse_from_dense(const mnp_array *dense, mnp_sparse **matrix_p)
{
    static const char function[] = "mnp_sparse_from_dense";
    mnp_array *rows = NULL;
    mnp_layout *layout = NULL, *row_layout = NULL;
    mnp__csr all = {.rows = 0}, kept = {.rows = 0};
    mnp_status st;
    MNP_TRY(mnp__check_inputs(function, 1, &dense));
    MNP_TRY(mnp__array_check_blocks(function, dense));
    MNP_TRY(mnp__sparse_check_dtype(function, dense->dtype));
    if (dense->layout->ndim != 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions, not two", function, dense->layout->ndim);
    const int64_t *shape = dense->layout->shape;
    MNP_TRY_OR(mnp__layout_line(dense->ctx->comm.size, 2, shape, NULL, &layout), st, done);
    MNP_TRY_OR(mnp__layout_line(dense->ctx->comm.size, 1, shape, NULL, &row_layout), st, done);
    MNP_TRY_OR(mnp_redistribute(dense, layout, &rows), st, done);
    st = all_entries(rows, &all);
    if (st == MNP_OK)
        st = mnp__csr_without_zeros(&all, &kept);
    MNP_TRY_OR(MNP_AGREE(dense->ctx, st), st, done);
    st = mnp__sparse_from_csr(dense->ctx, shape[0], shape[1], row_layout, NULL, &kept, matrix_p);
done:
    mnp__csr_free(&all);
    mnp__csr_free(&kept);
    mnp_array_free(rows);
    mnp_layout_free(layout);
    mnp_layout_free(row_layout);
    return st;
}
