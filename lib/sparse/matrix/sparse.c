/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices: made of this rank's rows or of parts, and taken apart again.
 */
#include "sparse/matrix/sparse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"

/* ---- checks ---- */

mnp_status mnp__sparse_check(const char *function, const mnp_sparse *matrix)
{
    return matrix ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "%s: the matrix is NULL", function);
}

mnp_status mnp__sparse_check_dtype(const char *function, mnp_dtype dtype)
{
    if (dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: a sparse matrix has values of float32, float64, complex64 or complex128, not %s",
                    function, mnp_dtype_name(dtype));
}

/* The layout given, if it cuts n elements over all ranks in their order, or an even one. */
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
    *layout_p = mnp_layout_retain((mnp_layout *)given);
    return MNP_OK;
}

mnp_status mnp__sparse_layouts(const char *function, mnp_ctx *ctx, int64_t nrows, int64_t ncolumns,
                               const mnp_layout *rows, const mnp_layout *columns, mnp_layout **row_layout_p,
                               mnp_layout **column_layout_p)
{
    mnp_layout *row_layout, *column_layout;
    if (nrows < 0 || ncolumns < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: a matrix of %" PRId64 " rows and %" PRId64 " columns", function, nrows,
                        ncolumns);
    MNP_TRY(take_layout(function, ctx, "row", nrows, rows, &row_layout));
    const mnp_layout *wanted = columns || nrows != ncolumns ? columns : row_layout;
    mnp_status st = take_layout(function, ctx, "column", ncolumns, wanted, &column_layout);
    if (st == MNP_OK) {
        st = mnp__check_same(&ctx->comm, function, mnp__layout_hash(row_layout) * 31 + mnp__layout_hash(column_layout));
        if (st == MNP_OK) {
            *row_layout_p = row_layout;
            *column_layout_p = column_layout;
            return MNP_OK;
        }
        mnp_layout_free(column_layout);
    }
    mnp_layout_free(row_layout);
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

/* Where this rank's rows and columns are. */
static void find_range(const mnp_sparse *matrix, const mnp_layout *layout, int64_t *lo_p, int64_t *count_p)
{
    const int64_t *cuts = mnp_layout_cuts(layout, 0);
    const int rank = matrix->ctx->comm.rank;
    *lo_p = cuts[rank];
    *count_p = cuts[rank + 1] - cuts[rank];
}

/*
 * The largest side up to 4 of blocks that are 7 tenths full on all ranks together, as in SciPy's estimate_blocksize().
 */
static mnp_status choose_block(mnp_ctx *ctx, const mnp__part *own, int *block_p)
{
    enum { LARGEST = 4 };
    int64_t counts[LARGEST + 1] = {own->count};
    mnp_status st = MNP_OK;
    for (int block = 1; block <= LARGEST && st == MNP_OK; block++)
        st = mnp__part_count_blocks(own, block, &counts[block]);
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(mnp__all_reduce(&ctx->comm, counts, LARGEST + 1, MPI_INT64_T, MPI_SUM));
    int block = LARGEST;
    while (block > 1 && 10 * counts[0] < 7 * counts[block] * block * block)
        block--;
    *block_p = block;
    return MNP_OK;
}

static mnp_status to_format(const mnp_sparse *matrix, int block, mnp__part *own)
{
    mnp__part converted = {.rows = 0};
    if (matrix->format == MNP_BSR && block == 0)
        MNP_TRY(choose_block(matrix->ctx, own, &block));
    if (matrix->format == MNP_CSR)
        return MNP_OK;
    const mnp_status st =
        MNP_AGREE(matrix->ctx, mnp__part_convert(own, matrix->dtype, matrix->format, block, &converted));
    mnp__part_free(own);
    *own = converted;
    return st;
}

/* What ranks must know alike, as it decides on kernels; *offset_size_p is that of offsets. */
static mnp_status compare_parts(mnp_sparse *matrix, const mnp__part *own, const mnp__part *ghost, int *offset_size_p)
{
    const mnp__comm *comm = &matrix->ctx->comm;
    int64_t sums[] = {matrix->local_nnz, own->count, own->lines, ghost->count, ghost->lines};
    int64_t most = own->count > ghost->count ? own->count : ghost->count;
    MNP_TRY(mnp__all_reduce(comm, sums, sizeof sums / sizeof *sums, MPI_INT64_T, MPI_SUM));
    MNP_TRY(mnp__all_reduce(comm, &most, 1, MPI_INT64_T, MPI_MAX));
    matrix->nnz = sums[0];
    for (int i = 0; i < 2; i++)
        matrix->line_length[i] = (double)sums[1 + 2 * i] / (double)(sums[2 + 2 * i] > 0 ? sums[2 + 2 * i] : 1);
    matrix->has_ghosts = sums[3] > 0;
    *offset_size_p = most > INT32_MAX ? 8 : 4;
    return MNP_OK;
}

/* Bring both parts to the device. */
static mnp_status store(mnp_sparse *matrix, int offset_size, const mnp__part *own, const mnp__part *ghost)
{
    MNP_TRY(mnp__part_upload(matrix->ctx, matrix->dtype, offset_size, own, &matrix->own));
    MNP_TRY(mnp__part_upload(matrix->ctx, matrix->dtype, offset_size, ghost, &matrix->ghost));
    return mnp__products_new(&matrix->products);
}

static mnp_status split(mnp_sparse *matrix, const mnp__csr *csr, mnp__part *own, mnp__part *ghost)
{
    int64_t *columns, count;
    if (csr->rows != matrix->rows || csr->columns != matrix->shape[1])
        return MNP_FAIL(MNP_ERR_INTERNAL, "%" PRId64 " rows where %" PRId64 " are this rank's", csr->rows,
                        matrix->rows);
    MNP_TRY(mnp__part_split(csr, matrix->column_lo, matrix->column_lo + matrix->columns, own, ghost, &columns, &count));
    const mnp_status st = mnp__ghosts_new(matrix->ctx, matrix->column_layout, count, columns, &matrix->ghosts);
    free(columns);
    return st;
}

/* Collective, and agreed upon. */
static mnp_status fill(mnp_sparse *matrix, const mnp__csr *csr, int block)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__part own = {.rows = 0}, ghost = {.rows = 0};
    int offset_size;
    mnp_status st;
    matrix->local_nnz = mnp__csr_count(csr);
    MNP_TRY_OR(MNP_AGREE(ctx, split(matrix, csr, &own, &ghost)), st, done);
    MNP_TRY_OR(to_format(matrix, block, &own), st, done);
    MNP_TRY_OR(compare_parts(matrix, &own, &ghost, &offset_size), st, done);
    st = MNP_AGREE(ctx, store(matrix, offset_size, &own, &ghost));
done:
    mnp__part_free(&own);
    mnp__part_free(&ghost);
    return st;
}

/* Fill with the rows as the format keeps them. */
static mnp_status fill_format(mnp_sparse *matrix, const mnp__csr *csr, int block)
{
    mnp__csr kept = {.rows = 0};
    if (matrix->format != MNP_DIA && matrix->format != MNP_BSR)
        return fill(matrix, csr, block);
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__csr_without_zeros(csr, &kept));
    if (st == MNP_OK)
        st = fill(matrix, &kept, block);
    mnp__csr_free(&kept);
    return st;
}

/* A matrix without rows so far; mnp_sparse_free() undoes it.  Collective, and agreed upon. */
static mnp_status new_matrix(mnp_ctx *ctx, mnp_dtype dtype, mnp_sparse_format format, int64_t nrows, int64_t ncolumns,
                             const mnp_layout *row_layout, const mnp_layout *column_layout, mnp_sparse **matrix_p)
{
    mnp_sparse *matrix = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *matrix, &matrix));
    if (st != MNP_OK) {
        free(matrix);
        return st;
    }
    matrix->ctx = ctx;
    ctx->live_plans++;
    matrix->dtype = dtype;
    matrix->format = format;
    matrix->shape[0] = nrows;
    matrix->shape[1] = ncolumns;
    st = mnp__sparse_layouts("sparse matrix", ctx, nrows, ncolumns, row_layout, column_layout, &matrix->row_layout,
                             &matrix->column_layout);
    if (st != MNP_OK) {
        mnp_sparse_free(matrix);
        return st;
    }
    find_range(matrix, matrix->row_layout, &matrix->row_lo, &matrix->rows);
    find_range(matrix, matrix->column_layout, &matrix->column_lo, &matrix->columns);
    *matrix_p = matrix;
    return MNP_OK;
}

mnp_status mnp__sparse_from_csr_as(mnp_ctx *ctx, int64_t nrows, int64_t ncolumns, const mnp_layout *row_layout,
                                   const mnp_layout *column_layout, const mnp__csr *csr, mnp_sparse_format format,
                                   int block, mnp_sparse **matrix_p)
{
    mnp_sparse *matrix;
    MNP_TRY(new_matrix(ctx, csr->dtype, format, nrows, ncolumns, row_layout, column_layout, &matrix));
    const mnp_status st = fill_format(matrix, csr, block);
    if (st == MNP_OK)
        *matrix_p = matrix;
    else
        mnp_sparse_free(matrix);
    return st;
}

/* What belongs to parts that are in place. */
static mnp_status fill_around(mnp_sparse *matrix, int64_t count, const int64_t *columns)
{
    int offset_size; /* parts have theirs already */
    matrix->local_nnz = matrix->own.count + matrix->ghost.count;
    mnp_status st = mnp__ghosts_new(matrix->ctx, matrix->column_layout, count, columns, &matrix->ghosts);
    if (st == MNP_OK)
        st = mnp__products_new(&matrix->products);
    MNP_TRY(MNP_AGREE(matrix->ctx, st));
    return compare_parts(matrix, &matrix->own, &matrix->ghost, &offset_size);
}

mnp_status mnp__sparse_from_parts(mnp_ctx *ctx, int64_t nrows, int64_t ncolumns, const mnp_layout *row_layout,
                                  const mnp_layout *column_layout, mnp_dtype dtype, mnp__part *own, mnp__part *ghost,
                                  int64_t count, const int64_t *columns, mnp_sparse **matrix_p)
{
    mnp_sparse *matrix;
    mnp_status st = new_matrix(ctx, dtype, own->format, nrows, ncolumns, row_layout, column_layout, &matrix);
    if (st != MNP_OK) {
        mnp__part_release(ctx, own);
        mnp__part_release(ctx, ghost);
        return st;
    }
    matrix->own = *own;
    matrix->ghost = *ghost;
    *own = *ghost = (mnp__part){.rows = 0};
    st = fill_around(matrix, count, columns);
    if (st == MNP_OK)
        *matrix_p = matrix;
    else
        mnp_sparse_free(matrix);
    return st;
}

mnp_status mnp__sparse_from_csr(mnp_ctx *ctx, int64_t nrows, int64_t ncolumns, const mnp_layout *row_layout,
                                const mnp_layout *column_layout, const mnp__csr *csr, mnp_sparse **matrix_p)
{
    return mnp__sparse_from_csr_as(ctx, nrows, ncolumns, row_layout, column_layout, csr, MNP_CSR, 0, matrix_p);
}

void mnp_sparse_free(mnp_sparse *matrix)
{
    if (!matrix)
        return;
    matrix->ctx->live_plans--;
    mnp__products_free(matrix->products);
    mnp__ghosts_free(matrix->ghosts);
    mnp__part_release(matrix->ctx, &matrix->own);
    mnp__part_release(matrix->ctx, &matrix->ghost);
    mnp_layout_free(matrix->row_layout);
    mnp_layout_free(matrix->column_layout);
    free(matrix);
}

/* ---- what it is ---- */

mnp_ctx *mnp_sparse_ctx(const mnp_sparse *matrix)
{
    return matrix->ctx;
}

mnp_dtype mnp_sparse_dtype(const mnp_sparse *matrix)
{
    return matrix->dtype;
}

mnp_sparse_format mnp_sparse_get_format(const mnp_sparse *matrix)
{
    return matrix->format;
}

const int64_t *mnp_sparse_shape(const mnp_sparse *matrix)
{
    return matrix->shape;
}

int64_t mnp_sparse_nnz(const mnp_sparse *matrix)
{
    return matrix->nnz;
}

int64_t mnp_sparse_local_nnz(const mnp_sparse *matrix)
{
    return matrix->local_nnz;
}

int64_t mnp_sparse_ghosts(const mnp_sparse *matrix)
{
    return mnp__ghosts_count(matrix->ghosts);
}

const mnp_layout *mnp_sparse_row_layout(const mnp_sparse *matrix)
{
    return matrix->row_layout;
}

const mnp_layout *mnp_sparse_column_layout(const mnp_sparse *matrix)
{
    return matrix->column_layout;
}

/* ---- taken apart ---- */

mnp_status mnp__sparse_to_csr(const mnp_sparse *matrix, mnp__csr *csr)
{
    mnp__part stored = {.rows = 0}, own = {.rows = 0}, ghost = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(mnp__part_download(matrix->ctx, matrix->dtype, &matrix->ghost, &ghost), st, done);
    MNP_TRY_OR(mnp__part_download(matrix->ctx, matrix->dtype, &matrix->own, &stored), st, done);
    MNP_TRY_OR(mnp__part_to_csr(&stored, matrix->dtype, &own), st, done);
    st = mnp__part_join(&own, &ghost, matrix->dtype, matrix->column_lo, mnp__ghosts_columns(matrix->ghosts),
                        matrix->shape[1], csr);
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
    mnp__csr csr;
    MNP_TRY(mnp__sparse_to_csr(matrix, &csr));
    memcpy(offsets, csr.offsets, (size_t)(csr.rows + 1) * sizeof *offsets);
    memcpy(columns, csr.indices, (size_t)mnp__csr_count(&csr) * sizeof *columns);
    memcpy(values, csr.values, (size_t)mnp__csr_count(&csr) * mnp_dtype_size(csr.dtype));
    mnp__csr_free(&csr);
    return MNP_OK;
}
