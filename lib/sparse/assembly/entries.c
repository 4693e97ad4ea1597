/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of single entries: selected, copied to a dense array (on the CPU), and the diagonal.
 */
#include <stdlib.h>

#include "array/output.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "sparse/rows/diagonal.h"
#include "sparse/rows/edit_rows.h"
#include "sparse/rows/matrix_from_rows.h"

/* ---- selected ---- */

/* A new matrix of the entries on those diagonals (column - row), or of those that are not 0. */
static mnp_status select_entries(const mnp_sparse *matrix, int64_t low, int64_t high, bool drops_zeros,
                                 mnp_sparse **out_p)
{
    const mnp__selection selection = {.low = low, .high = high, .row_lo = matrix->row_lo, .drops_zeros = drops_zeros};
    mnp_ctx *ctx = matrix->ctx;
    mnp__rows rows, kept;
    MNP_TRY(mnp__rows_of(matrix, &rows));
    const mnp_status st = mnp__rows_select(ctx, matrix->dtype, &rows, &selection, &kept);
    mnp__rows_release(ctx, &rows);
    MNP_TRY(st);
    const mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    return mnp__sparse_from_rows(&shape, &kept, out_p);
}

mnp_status mnp_sparse_tril(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p)
{
    MNP_ENTER(matrix, out_p);
    return select_entries(matrix, INT64_MIN, k, false, out_p);
}

mnp_status mnp_sparse_triu(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p)
{
    MNP_ENTER(matrix, out_p);
    return select_entries(matrix, k, INT64_MAX, false, out_p);
}

mnp_status mnp_sparse_eliminate_zeros(const mnp_sparse *matrix, mnp_sparse **out_p)
{
    MNP_ENTER(matrix, out_p);
    return select_entries(matrix, INT64_MIN, INT64_MAX, true, out_p);
}

/* ---- dense ---- */

/* Open an output of the matrix's dtype, whose blocks are dense. */
static mnp_status open_output(const char *function, const mnp_sparse *matrix, const mnp_layout *layout,
                              mnp_array **array_p, mnp__output *output)
{
    const mnp__output_spec spec = {
        .function = function, .ctx = matrix->ctx, .dtype = matrix->dtype, .layout = layout, .needs = MNP__OUTPUT_DENSE};
    return mnp__output_open(&spec, array_p, output);
}

static mnp_status fill_rows(const mnp__csr *csr, char **block_p)
{
    const size_t size = mnp_dtype_size(csr->dtype);
    char *block;
    MNP_TRY(mnp__calloc((size_t)(csr->rows * csr->columns), size, &block));
    for (int64_t i = 0; i < csr->rows; i++)
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++)
            mnp__value_copy(size, block, i * csr->columns + csr->indices[k], csr->values, k);
    *block_p = block;
    return MNP_OK;
}

mnp_status mnp_sparse_to_dense(const mnp_sparse *matrix, mnp_array **dense_p)
{
    MNP_ENTER(matrix, dense_p);
    mnp_layout *layout = NULL;
    mnp__output output = {.array = NULL};
    mnp__csr csr;
    char *block = NULL;
    MNP_TRY(
        mnp__layout_line(matrix->ctx->comm.size, 2, matrix->shape, mnp_layout_cuts(matrix->row_layout, 0), &layout));
    mnp_status st = mnp__sparse_fetch(matrix, &csr);
    if (st == MNP_OK) {
        st = MNP_AGREE(matrix->ctx, fill_rows(&csr, &block));
        mnp__csr_free(&csr);
    }
    if (st == MNP_OK)
        st = open_output("mnp_sparse_to_dense", matrix, layout, dense_p, &output);
    if (st == MNP_OK)
        st = MNP_AGREE(matrix->ctx, mnp_array_set_local(output.array, block));
    free(block);
    mnp_layout_free(layout);
    return mnp__output_close(1, &output, st);
}

/* ---- the diagonal ---- */

/* The elements of a diagonal stay with their rows: element i is in row first + i. */
static mnp_status diagonal_layout(const mnp_sparse *matrix, int64_t first, int64_t length, mnp_layout **layout_p)
{
    const int64_t *cuts = mnp_layout_cuts(matrix->row_layout, 0);
    const int ranks = matrix->ctx->comm.size;
    int64_t *shifted;
    MNP_TRY(mnp__malloc(((size_t)ranks + 1) * sizeof *shifted, &shifted));
    for (int r = 0; r <= ranks; r++) {
        const int64_t cut = cuts[r] - first;
        shifted[r] = cut < 0 ? 0 : cut > length ? length : cut;
    }
    shifted[ranks] = length;
    const mnp_status st = mnp__layout_line(ranks, 1, &length, shifted, layout_p);
    free(shifted);
    return st;
}

mnp_status mnp_sparse_diagonal(const mnp_sparse *matrix, int64_t k, mnp_array **diagonal_p)
{
    MNP_ENTER(matrix, diagonal_p);
    static const char function[] = "mnp_sparse_diagonal";
    mnp_layout *layout = NULL;
    mnp__output output;
    if (k <= -matrix->shape[0] - 1 || k >= matrix->shape[1] + 1)
        k = k < 0 ? -matrix->shape[0] : matrix->shape[1]; /* no elements */
    const int64_t first = k < 0 ? -k : 0, below = matrix->shape[0] - first, right = matrix->shape[1] - mnp__max(k, 0);
    MNP_TRY(diagonal_layout(matrix, first, mnp__min(below, right), &layout));
    const int64_t row = first + mnp_layout_cuts(layout, 0)[matrix->ctx->comm.rank];
    mnp_status st = open_output(function, matrix, layout, diagonal_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = mnp__find_diagonal(matrix, row - matrix->row_lo, row + k, output.array->local_size, output.array->data,
                                NULL);
    return mnp__output_close(1, &output, st);
}
