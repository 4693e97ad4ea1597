/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices: made from their parts, and taken apart again on the CPU.
 */
#include "sparse/matrix/sparse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "layout/layout.h"
#include "sparse/step/elements.h"

/* ---- checks ---- */

mnp_status mnp__sparse_check_dtype(const char *function, mnp_dtype dtype)
{
    if (dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: a sparse matrix has values of float32, float64, complex64 or complex128, not %s",
                    function, mnp_dtype_name(dtype));
}

/* The given layout, if it cuts n elements over all ranks in their order; an even one where it is NULL. */
static mnp_status take_layout(const char *function, mnp_ctx *ctx, const char *what, int64_t n, const mnp_layout *given,
                              mnp_layout **layout_p)
{
    int64_t lo, extent;
    if (!given)
        return mnp__layout_line(ctx->comm.size, 1, &n, NULL, layout_p);
    if (given->nranks != ctx->comm.size || given->ndim != 1 || given->shape[0] != n)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: the %s layout is of %d dimensions, for %d ranks; it should be of the %" PRId64
                        " %ss, for %d",
                        function, what, given->ndim, given->nranks, n, what, ctx->comm.size);
    bool in_order = mnp_layout_parts(given, 0) == ctx->comm.size && !mnp_layout_is_cyclic(given);
    for (int r = 0; r < ctx->comm.size && in_order; r++)
        in_order = !mnp__layout_box(given, r, &lo, &extent) || lo == mnp_layout_cuts(given, 0)[r];
    if (!in_order)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the %s layout must be cut in one part for each rank, in their order",
                        function, what);
    *layout_p = mnp_layout_retain(given);
    return MNP_OK;
}

/*
 * Making a matrix takes about so many bytes a row of its rank, even without entries: offsets, of the parts and of the
 * rows that they are made of.  On the host they are compared with what there is before the first of them is allocated.
 */
static mnp_status check_memory(const mnp__sparse_shape *wanted, const mnp_layout *row_layout)
{
    enum { BYTES_A_ROW = 24 };
    const int64_t *cuts = mnp_layout_cuts(row_layout, 0);
    const int rank = wanted->ctx->comm.rank;
    const uint64_t rows = (uint64_t)(cuts[rank + 1] - cuts[rank]);
    const mnp_status st = mnp__memory_check(rows > UINT64_MAX / BYTES_A_ROW ? UINT64_MAX : rows * BYTES_A_ROW, true);
    return st == MNP_OK ? MNP_OK
                        : mnp__fail_context(st, "a matrix of %" PRId64 " rows and %" PRId64 " columns", wanted->rows,
                                            wanted->columns);
}

mnp_status mnp__sparse_layouts(const char *function, const mnp__sparse_shape *wanted, mnp_layout **row_layout_p,
                               mnp_layout **column_layout_p)
{
    mnp_ctx *ctx = wanted->ctx;
    const bool square = wanted->rows == wanted->columns;
    mnp_layout *row = NULL, *column = NULL;
    mnp_status st;
    if (wanted->rows < 0 || wanted->columns < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: a matrix of %" PRId64 " rows and %" PRId64 " columns", function, wanted->rows,
                        wanted->columns);
    MNP_TRY(take_layout(function, ctx, "row", wanted->rows, wanted->row_layout, &row));
    const mnp_layout *columns = wanted->column_layout || !square ? wanted->column_layout : row;
    MNP_TRY_OR(take_layout(function, ctx, "column", wanted->columns, columns, &column), st, fail);
    MNP_TRY_OR(mnp__check_same(&ctx->comm, function, mnp__layout_hash(row) * 31 + mnp__layout_hash(column)), st, fail);
    if (ctx->device->cpu_memory) /* a GPU's allocations find out by themselves */
        MNP_TRY_OR(MNP_AGREE(ctx, check_memory(wanted, row)), st, fail);
    *row_layout_p = row;
    *column_layout_p = column;
    return MNP_OK;
fail:
    mnp_layout_free(row);
    mnp_layout_free(column);
    return st;
}

int mnp__sparse_owner(const mnp_layout *layout, int64_t i)
{
    const int64_t *cuts = mnp_layout_cuts(layout, 0);
    int low = 0, high = mnp_layout_parts(layout, 0);
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (cuts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- making and freeing ---- */

/* This rank's range of a layout. */
static void find_range(const mnp_sparse *matrix, const mnp_layout *layout, int64_t *lo_p, int64_t *count_p)
{
    const int64_t *cuts = mnp_layout_cuts(layout, 0);
    const int rank = matrix->ctx->comm.rank;
    *lo_p = cuts[rank];
    *count_p = cuts[rank + 1] - cuts[rank];
}

void mnp__parts_free(mnp_ctx *ctx, mnp__parts *parts)
{
    mnp__part_release(ctx, &parts->own);
    mnp__part_release(ctx, &parts->ghost);
    free(parts->ghost_columns);
    *parts = (mnp__parts){.nghosts = 0};
}

/* A matrix without entries so far; mnp_sparse_free() undoes it. */
static mnp_status new_matrix(const mnp__sparse_shape *shape, mnp_sparse **matrix_p)
{
    mnp_sparse *matrix = NULL;
    MNP_TRY(mnp__calloc(1, sizeof *matrix, &matrix));
    *matrix = (mnp_sparse){.tag = MNP__TAG_sparse,
                           .ctx = shape->ctx,
                           .dtype = shape->dtype,
                           .row_layout = mnp_layout_retain(shape->row_layout),
                           .column_layout = mnp_layout_retain(shape->column_layout),
                           .shape = {shape->rows, shape->columns}};
    mnp__ctx_made(shape->ctx, matrix);
    find_range(matrix, matrix->row_layout, &matrix->row_lo, &matrix->rows);
    find_range(matrix, matrix->column_layout, &matrix->column_lo, &matrix->columns);
    *matrix_p = matrix;
    return MNP_OK;
}

static void free_structure(mnp_ctx *ctx, mnp__structure *structure)
{
    if (!structure || --structure->holders > 0)
        return;
    mnp__ghosts_free(structure->ghosts);
    mnp__part_release(ctx, &structure->own);
    mnp__part_release(ctx, &structure->ghost);
    free(structure);
}

static mnp__part without_values(const mnp__part *part)
{
    mnp__part places = *part;
    places.values = NULL;
    return places;
}

/* The parts, which are used up, become the structure and the values. */
static mnp_status take_parts(mnp_sparse *matrix, mnp__parts *parts)
{
    static const int64_t none[1];
    const int64_t *columns = parts->nghosts > 0 ? parts->ghost_columns : none;
    mnp__structure *structure;
    if (parts->own.rows != matrix->rows || parts->own.columns != matrix->columns)
        return MNP_FAIL(MNP_ERR_INTERNAL, "%" PRId64 " rows where %" PRId64 " are this rank's", parts->own.rows,
                        matrix->rows);
    if (!parts->has_ghosts) {
        mnp__part_release(matrix->ctx, &parts->ghost);
        MNP_TRY(mnp__part_empty(matrix->ctx, matrix->rows, &parts->ghost));
    }
    MNP_TRY(mnp__calloc(1, sizeof *structure, &structure));
    matrix->structure = structure;
    structure->holders = 1;
    matrix->format = parts->own.format;
    matrix->local_nnz = parts->nnz;
    matrix->own = parts->own;
    matrix->ghost = parts->ghost;
    parts->own = parts->ghost = (mnp__part){.rows = 0};
    structure->own = without_values(&matrix->own);
    structure->ghost = without_values(&matrix->ghost);
    MNP_TRY(mnp__ghosts_new(matrix->ctx, matrix->column_layout, parts->nghosts, columns, &structure->ghosts));
    matrix->ghosts = structure->ghosts;
    return mnp__products_new(&matrix->products);
}

/* What ranks must know alike, as it decides on kernels.  Collective. */
static mnp_status compare_parts(mnp_sparse *matrix)
{
    int64_t sums[] = {matrix->local_nnz, matrix->own.count, matrix->own.lines, matrix->ghost.count,
                      matrix->ghost.lines};
    MNP_TRY(mnp__all_reduce(&matrix->ctx->comm, sums, sizeof sums / sizeof *sums, MPI_INT64_T, MPI_SUM));
    matrix->nnz = sums[0];
    for (int i = 0; i < 2; i++)
        matrix->line_length[i] = (double)sums[1 + 2 * i] / (double)(sums[2 + 2 * i] > 0 ? sums[2 + 2 * i] : 1);
    matrix->has_ghosts = sums[3] > 0;
    return MNP_OK;
}

mnp_status mnp__sparse_from_parts(const mnp__sparse_shape *shape, mnp__parts *parts, mnp_sparse **matrix_p)
{
    mnp_sparse *matrix = NULL;
    mnp_status st = new_matrix(shape, &matrix);
    if (st == MNP_OK)
        st = take_parts(matrix, parts);
    st = MNP_AGREE(shape->ctx, st);
    if (st == MNP_OK)
        st = compare_parts(matrix);
    mnp__parts_free(shape->ctx, parts);
    if (st == MNP_OK)
        *matrix_p = matrix;
    else
        mnp_sparse_free(matrix);
    return st;
}

/* The structure of another, and room for values. */
static mnp_status take_structure(mnp_sparse *matrix, const mnp_sparse *like)
{
    mnp_ctx *ctx = matrix->ctx;
    const size_t size = mnp_dtype_size(matrix->dtype);
    matrix->structure = like->structure;
    matrix->structure->holders++;
    matrix->own = matrix->structure->own;
    matrix->ghost = matrix->structure->ghost;
    matrix->ghosts = matrix->structure->ghosts;
    matrix->format = like->format;
    matrix->nnz = like->nnz;
    matrix->local_nnz = like->local_nnz;
    matrix->has_ghosts = like->has_ghosts;
    memcpy(matrix->line_length, like->line_length, sizeof matrix->line_length);
    MNP_TRY(mnp__elements_new(ctx, matrix->own.count, size, &matrix->own.values));
    MNP_TRY(mnp__elements_new(ctx, matrix->ghost.count, size, &matrix->ghost.values));
    return mnp__products_new(&matrix->products);
}

mnp_status mnp__sparse_new_like(const mnp_sparse *like, mnp_dtype dtype, mnp_sparse **matrix_p)
{
    mnp__sparse_shape shape = mnp__sparse_shape_of(like);
    mnp_sparse *matrix = NULL;
    shape.dtype = dtype;
    *matrix_p = NULL;
    MNP_TRY(new_matrix(&shape, &matrix));
    const mnp_status st = take_structure(matrix, like);
    if (st == MNP_OK)
        *matrix_p = matrix;
    else
        mnp_sparse_free(matrix);
    return st;
}

void mnp_sparse_free(mnp_sparse *matrix)
{
    if (!matrix)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, matrix);
    mnp__ctx_gone(matrix->ctx, matrix);
    mnp__products_free(matrix->products);
    mnp__elements_free(matrix->ctx, matrix->own.values);
    mnp__elements_free(matrix->ctx, matrix->ghost.values);
    free_structure(matrix->ctx, matrix->structure);
    mnp_layout_free(matrix->row_layout);
    mnp_layout_free(matrix->column_layout);
    mnp__object_free(matrix);
}

/* ---- what it is ---- */

mnp_ctx *mnp_sparse_ctx(const mnp_sparse *matrix)
{
    MNP_NEED_OR(NULL, matrix);
    return matrix->ctx;
}

mnp_dtype mnp_sparse_dtype(const mnp_sparse *matrix)
{
    MNP_NEED_OR(MNP_DTYPE_AUTO, matrix);
    return matrix->dtype;
}

mnp_sparse_format mnp_sparse_get_format(const mnp_sparse *matrix)
{
    MNP_NEED_OR((mnp_sparse_format)-1, matrix);
    return matrix->format;
}

const int64_t *mnp_sparse_shape(const mnp_sparse *matrix)
{
    MNP_NEED_OR(NULL, matrix);
    return matrix->shape;
}

int64_t mnp_sparse_nnz(const mnp_sparse *matrix)
{
    MNP_NEED_OR(-1, matrix);
    return matrix->nnz;
}

int64_t mnp_sparse_local_nnz(const mnp_sparse *matrix)
{
    MNP_NEED_OR(-1, matrix);
    return matrix->local_nnz;
}

int64_t mnp_sparse_ghosts(const mnp_sparse *matrix)
{
    MNP_NEED_OR(-1, matrix);
    return mnp__ghosts_count(matrix->ghosts);
}

const mnp_layout *mnp_sparse_row_layout(const mnp_sparse *matrix)
{
    MNP_NEED_OR(NULL, matrix);
    return matrix->row_layout;
}

const mnp_layout *mnp_sparse_column_layout(const mnp_sparse *matrix)
{
    MNP_NEED_OR(NULL, matrix);
    return matrix->column_layout;
}

/* ---- taken apart ---- */

/* Both parts in CSR on the CPU, row by row in the order of the columns. */
static mnp_status join(const mnp_sparse *matrix, const mnp__part *own, const mnp__part *ghost, mnp__csr *csr)
{
    const size_t size = mnp_dtype_size(matrix->dtype);
    const int64_t *own_offsets = own->offsets, *ghost_offsets = ghost->offsets, lo = matrix->column_lo;
    const int64_t *columns = mnp__ghosts_columns(matrix->ghosts);
    int64_t at = 0, line = 0, k = 0;
    MNP_TRY(mnp__csr_new(matrix->dtype, own->rows, matrix->shape[1], own->count + ghost->count, csr));
    for (int64_t i = 0; i < own->rows; i++) {
        const bool has_ghosts = line < ghost->lines && ghost->rows_of[line] == i;
        const int64_t end = has_ghosts ? ghost_offsets[++line] : k;
        for (; k < end && columns[ghost->indices[k]] < lo; k++, at++) {
            csr->indices[at] = columns[ghost->indices[k]];
            mnp__value_copy(size, csr->values, at, ghost->values, k);
        }
        for (int64_t j = own_offsets[i]; j < own_offsets[i + 1]; j++, at++) {
            csr->indices[at] = lo + own->indices[j];
            mnp__value_copy(size, csr->values, at, own->values, j);
        }
        for (; k < end; k++, at++) {
            csr->indices[at] = columns[ghost->indices[k]];
            mnp__value_copy(size, csr->values, at, ghost->values, k);
        }
        csr->offsets[i + 1] = at;
    }
    return MNP_OK;
}

mnp_status mnp__sparse_to_csr(const mnp_sparse *matrix, mnp__csr *csr)
{
    mnp__part stored = {.rows = 0}, own = {.rows = 0}, ghost = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(mnp__part_download(matrix->ctx, matrix->dtype, &matrix->ghost, &ghost), st, done);
    MNP_TRY_OR(mnp__part_download(matrix->ctx, matrix->dtype, &matrix->own, &stored), st, done);
    MNP_TRY_OR(mnp__part_to_csr(&stored, matrix->dtype, &own), st, done);
    st = join(matrix, &own, &ghost, csr);
done:
    mnp__part_free(&stored);
    mnp__part_free(&own);
    mnp__part_free(&ghost);
    return st;
}

mnp_status mnp__sparse_fetch(const mnp_sparse *matrix, mnp__csr *csr)
{
    mnp__csr fetched = {.rows = 0};
    const mnp_status st = MNP_AGREE(matrix->ctx, mnp__sparse_to_csr(matrix, &fetched));
    if (st == MNP_OK)
        *csr = fetched;
    else
        mnp__csr_free(&fetched);
    return st;
}

mnp_status mnp_sparse_get_local(const mnp_sparse *matrix, int64_t *offsets, int64_t *columns, void *values)
{
    MNP_ENTER(matrix, offsets);
    MNP_NEED_IF(matrix->local_nnz > 0, columns);
    MNP_NEED_IF(matrix->local_nnz > 0, values);
    mnp__csr csr;
    MNP_TRY(mnp__sparse_to_csr(matrix, &csr));
    memcpy(offsets, csr.offsets, (size_t)(csr.rows + 1) * sizeof *offsets);
    memcpy(columns, csr.indices, (size_t)mnp__csr_count(&csr) * sizeof *columns);
    memcpy(values, csr.values, (size_t)mnp__csr_count(&csr) * mnp_dtype_size(csr.dtype));
    mnp__csr_free(&csr);
    return MNP_OK;
}
