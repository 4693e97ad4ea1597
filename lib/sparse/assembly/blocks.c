/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices taken apart into arrays, and put together: Kronecker products, blocks, selected rows and columns.  Entries
 * become arrays, whose rows and columns are changed by functions of arrays, and a matrix is made of them again.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/sparse.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "sparse/rows/sort_entries.h"

/* ---- taken apart ---- */

enum part { ROWS, COLUMNS, VALUES, PARTS };

/* Open the outputs, and copy the entries to them. */
static mnp_status give_entries(const mnp_sparse *matrix, const mnp__entries *entries, const mnp_layout *layout,
                               mnp_array **const *user_p, mnp__output *outputs)
{
    static const char *const names[] = {"rows", "columns", "values"};
    mnp_ctx *ctx = matrix->ctx;
    const void *const parts[] = {entries->rows, entries->columns, entries->values};
    mnp_status st = mnp__output_check_distinct("mnp_sparse_to_coo", PARTS, user_p);
    for (int p = 0; p < PARTS && st == MNP_OK; p++) {
        const mnp__output_spec spec = {.function = "mnp_sparse_to_coo",
                                       .name = names[p],
                                       .ctx = ctx,
                                       .dtype = p == VALUES ? matrix->dtype : MNP_INT64,
                                       .layout = layout,
                                       .needs = MNP__OUTPUT_DENSE};
        st = mnp__output_open(&spec, user_p[p], &outputs[p]);
        if (st == MNP_OK)
            st = MNP_AGREE(ctx,
                           ctx->device->ops->copy(ctx->device, outputs[p].array->data, parts[p],
                                                  (size_t)entries->count * mnp_dtype_size(spec.dtype), ctx->compute));
    }
    return st;
}

mnp_status mnp_sparse_to_coo(const mnp_sparse *matrix, mnp_array **rows_p, mnp_array **columns_p, mnp_array **values_p)
{
    MNP_ENTER(matrix, rows_p, columns_p, values_p);
    mnp__entries entries;
    mnp_layout *layout = NULL;
    mnp__output outputs[PARTS] = {{.array = NULL}};
    MNP_TRY(mnp__entries_of(matrix, &entries));
    mnp_status st = mnp__entries_layout(matrix->ctx, entries.count, &layout);
    if (st == MNP_OK)
        st = give_entries(matrix, &entries, layout, (mnp_array * *[]){rows_p, columns_p, values_p}, outputs);
    mnp_layout_free(layout);
    mnp__entries_release(matrix->ctx, &entries);
    return mnp__output_close(PARTS, outputs, st);
}

/* The entries of a matrix as arrays, which the caller frees, also after a failure. */
static mnp_status take_apart(const mnp_sparse *matrix, mnp_array **parts)
{
    return mnp_sparse_to_coo(matrix, &parts[ROWS], &parts[COLUMNS], &parts[VALUES]);
}

static void free_parts(mnp_array **parts)
{
    for (int p = 0; p < PARTS; p++)
        mnp_array_free(parts[p]);
}

/* ---- Kronecker products ---- */

/* x * factor + y, or x * y, for every element of x with every one of y, in one dimension. */
static mnp_status join_each(const char *text, const mnp_array *x, int64_t factor, const mnp_array *y,
                            mnp_array **joined_p)
{
    mnp_ctx *ctx = x->ctx;
    mnp_array *column = NULL, *table = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_expand_dims(x, 1, (int[]){1}, &column), st, done);
    MNP_TRY_OR(mnp_eval(ctx, text, MNP_IN("x", column, "f", mnp_scalar_int(ctx, factor), "y", y), MNP_OUT("", &table)),
               st, done);
    st = mnp_ravel(table, joined_p);
done:
    mnp_free_all(column, table);
    return st;
}

mnp_status mnp_sparse_kron(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    MNP_ENTER(a, b, c_p);
    mnp_array *left[PARTS] = {NULL}, *right[PARTS] = {NULL}, *parts[PARTS] = {NULL};
    int64_t shape[2];
    mnp_status st;
    if (a->ctx != b->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_kron: the matrices belong to two contexts");
    for (int d = 0; d < 2; d++)
        if (__builtin_mul_overflow(a->shape[d], b->shape[d], &shape[d]))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_kron: %" PRId64 " times %" PRId64 " %s do not fit 64 bits",
                            a->shape[d], b->shape[d], d == 0 ? "rows" : "columns");
    MNP_TRY_OR(take_apart(a, left), st, done);
    MNP_TRY_OR(take_apart(b, right), st, done);
    MNP_TRY_OR(join_each("x * f + y", left[ROWS], b->shape[0], right[ROWS], &parts[ROWS]), st, done);
    MNP_TRY_OR(join_each("x * f + y", left[COLUMNS], b->shape[1], right[COLUMNS], &parts[COLUMNS]), st, done);
    MNP_TRY_OR(join_each("x * y", left[VALUES], 0, right[VALUES], &parts[VALUES]), st, done);
    st = mnp_sparse_from_coo(parts[ROWS], parts[COLUMNS], parts[VALUES], shape[0], shape[1], c_p);
done:
    free_parts(left);
    free_parts(right);
    free_parts(parts);
    return st;
}

/* ---- blocks ---- */

/* The blocks of a matrix, as they are given, and where they begin in it. */
typedef struct grid {
    int extent[2]; /* of the grid of blocks */
    const mnp_sparse *const *blocks;
    int64_t *starts[2]; /* of its rows and columns of blocks, and the end */
    int present;        /* blocks that are not NULL */
    mnp_array **parts[PARTS];
} grid;

/* The shape of a block, which has to be that of those beside it. */
static mnp_status check_block(const grid *g, int i, int j, mnp_ctx *ctx)
{
    const mnp_sparse *block = g->blocks[i * g->extent[1] + j];
    const int place[] = {i, j};
    if (block->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_block: the matrices belong to several contexts");
    for (int d = 0; d < 2; d++) {
        int64_t *extent = &g->starts[d][place[d] + 1];
        if (*extent >= 0 && *extent != block->shape[d])
            return MNP_FAIL(MNP_ERR_ARG,
                            "mnp_sparse_block: block (%d, %d) has %" PRId64
                            " %s, and another block beside it has %" PRId64,
                            i, j, block->shape[d], d == 0 ? "rows" : "columns", *extent);
        *extent = block->shape[d];
    }
    return MNP_OK;
}

/* Where blocks begin, from their shapes. */
static mnp_status place_blocks(grid *g, mnp_ctx *ctx)
{
    for (int d = 0; d < 2; d++)
        for (int k = 0; k <= g->extent[d]; k++)
            g->starts[d][k] = k == 0 ? 0 : -1;
    for (int i = 0; i < g->extent[0]; i++)
        for (int j = 0; j < g->extent[1]; j++)
            if (g->blocks[i * g->extent[1] + j]) {
                MNP_TRY(check_block(g, i, j, ctx));
                g->present++;
            }
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < g->extent[d]; k++) {
            if (g->starts[d][k + 1] < 0)
                return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_block: there is no block in %s %d of blocks",
                                d == 0 ? "row" : "column", k);
            if (__builtin_add_overflow(g->starts[d][k], g->starts[d][k + 1], &g->starts[d][k + 1]))
                return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_block: the %s do not fit 64 bits",
                                d == 0 ? "rows" : "columns");
        }
    return MNP_OK;
}

/* The entries of block (i, j), at its place, as number k of the parts. */
static mnp_status place_entries(grid *g, int i, int j, int k)
{
    const mnp_sparse *block = g->blocks[i * g->extent[1] + j];
    const int64_t starts[] = {g->starts[0][i], g->starts[1][j]};
    mnp_array *parts[PARTS] = {NULL};
    mnp_status st = take_apart(block, parts);
    for (int p = 0; p < PARTS; p++)
        g->parts[p][k] = parts[p];
    for (int d = 0; d < 2 && st == MNP_OK; d++)
        if (starts[d] > 0)
            st = mnp_add(parts[d], mnp_scalar_int(block->ctx, starts[d]), &parts[d]);
    return st;
}

static mnp_status join_blocks(grid *g, mnp_sparse **matrix_p)
{
    mnp_array *joined[PARTS] = {NULL};
    mnp_status st = MNP_OK;
    int k = 0;
    for (int i = 0; i < g->extent[0] && st == MNP_OK; i++)
        for (int j = 0; j < g->extent[1] && st == MNP_OK; j++)
            if (g->blocks[i * g->extent[1] + j])
                st = place_entries(g, i, j, k++);
    for (int p = 0; p < PARTS && st == MNP_OK; p++)
        st = mnp_concatenate((const mnp_array *const *)g->parts[p], g->present, 0, &joined[p]);
    if (st == MNP_OK)
        st = mnp_sparse_from_coo(joined[ROWS], joined[COLUMNS], joined[VALUES], g->starts[0][g->extent[0]],
                                 g->starts[1][g->extent[1]], matrix_p);
    free_parts(joined);
    return st;
}

/* Memory of the CPU for a grid, which is freed also after a failure. */
static mnp_status reserve(grid *g)
{
    for (int d = 0; d < 2; d++)
        MNP_TRY(mnp__calloc((size_t)g->extent[d] + 1, sizeof *g->starts[d], &g->starts[d]));
    for (int p = 0; p < PARTS; p++)
        MNP_TRY(mnp__calloc((size_t)g->extent[0] * (size_t)g->extent[1], sizeof *g->parts[p], &g->parts[p]));
    return MNP_OK;
}

mnp_status mnp_sparse_block(int nrows, int ncolumns, const mnp_sparse *const *blocks, mnp_sparse **matrix_p)
{
    MNP_ENTER(blocks, matrix_p);
    const mnp_sparse *first = NULL;
    grid g = {.extent = {nrows, ncolumns}, .blocks = blocks};
    if (nrows < 1 || ncolumns < 1 || nrows > INT_MAX / ncolumns)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_block: %d x %d blocks", nrows, ncolumns);
    for (int k = 0; k < nrows * ncolumns && !first; k++)
        first = blocks[k];
    if (!first)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_block: all blocks are NULL");
    mnp_status st = MNP_AGREE(first->ctx, reserve(&g));
    if (st == MNP_OK)
        st = place_blocks(&g, first->ctx);
    if (st == MNP_OK)
        st = join_blocks(&g, matrix_p);
    for (int p = 0; p < PARTS; p++) {
        for (int k = 0; k < g.present; k++)
            mnp_array_free(g.parts[p][k]);
        free(g.parts[p]);
    }
    free(g.starts[0]);
    free(g.starts[1]);
    return st;
}

/* ---- selected rows and columns ---- */

static mnp_status check_indices(const mnp_array *indices, int64_t extent, const char *lines)
{
    mnp_ctx *ctx = indices->ctx;
    mnp_array *outside = NULL;
    bool any;
    MNP_TRY(mnp_eval(ctx, "any((i < -n) | (i >= n))", MNP_IN("i", indices, "n", mnp_scalar_int(ctx, extent)),
                     MNP_OUT("", &outside)));
    const mnp_status st = mnp_item(outside, &any);
    mnp_array_free(outside);
    if (st == MNP_OK && any)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_take: an index is out of bounds: the matrix has %" PRId64 " %s",
                        extent, lines);
    return st;
}

/* A matrix with a one in every row, in the column that an index names; or its transpose. */
static mnp_status selection(const mnp_array *indices, int64_t extent, bool transposed, mnp_sparse **selection_p)
{
    mnp_ctx *ctx = indices->ctx;
    const int64_t count = indices->layout->size;
    mnp_array *places = NULL, *numbers = NULL, *ones = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_eval(ctx, "where(i < 0, i + n, i)", MNP_IN("i", indices, "n", mnp_scalar_int(ctx, extent)),
                        MNP_OUT("", &places)),
               st, done);
    MNP_TRY_OR(mnp_arange_int(ctx, 0, count, 1, MNP_INT64, &numbers), st, done);
    MNP_TRY_OR(mnp_ones(ctx, MNP_FLOAT32, 1, &count, &ones), st, done);
    st = transposed ? mnp_sparse_from_coo(places, numbers, ones, extent, count, selection_p)
                    : mnp_sparse_from_coo(numbers, places, ones, count, extent, selection_p);
done:
    mnp_free_all(places, numbers, ones);
    return st;
}

mnp_status mnp_sparse_take(const mnp_sparse *matrix, const mnp_array *indices, int axis, mnp_sparse **taken_p)
{
    MNP_ENTER(matrix, indices, taken_p);
    static const char function[] = "mnp_sparse_take";
    mnp_sparse *chosen;
    MNP_TRY(mnp__inputs_check(function, 1, &indices));
    const char kind = mnp_dtype_kind(indices->dtype);
    if (axis != 0 && axis != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: axis is %d, not 0 or 1", function, axis);
    if (indices->ctx != matrix->ctx || indices->layout->ndim != 1 || (kind != 'i' && kind != 'u'))
        return MNP_FAIL(MNP_ERR_ARG, "%s: indices should be integers in one dimension, of the matrix's context",
                        function);
    MNP_TRY(check_indices(indices, matrix->shape[axis], axis == 0 ? "rows" : "columns"));
    MNP_TRY(selection(indices, matrix->shape[axis], axis == 1, &chosen));
    const mnp_status st = axis == 0 ? mnp_sparse_matmul_sparse(chosen, matrix, taken_p)
                                    : mnp_sparse_matmul_sparse(matrix, chosen, taken_p);
    mnp_sparse_free(chosen);
    return st;
}
