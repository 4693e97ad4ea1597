/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's diagonal block, copied to the CPU.
 */
#include "sparse/precond/own_block.h"

#include <complex.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "sparse/rows/diagonal.h"
#include "sparse/step/elements.h"

void mnp__store_value(mnp_dtype dtype, void *values, int64_t at, double _Complex value)
{
    const double parts[2] = {creal(value), cimag(value)};
    mnp__value_set(dtype, values, at, parts);
}

double _Complex mnp__load_value(mnp_dtype dtype, const void *values, int64_t at)
{
    double parts[2];
    mnp__value_get(dtype, values, at, parts);
    return CMPLX(parts[0], parts[1]);
}

/* Real numbers are divided as real ones, which is many times faster. */
double _Complex mnp__divide_by(mnp_dtype dtype, double factor, double _Complex value)
{
    return mnp_dtype_kind(dtype) == 'c' ? factor / value : factor / creal(value);
}

/* ---- patterns ---- */

/* The offsets of all rows, from those of the lines. */
static void spread_offsets(const mnp__part *csr, const void *line_offsets, const int32_t *rows_of, int64_t *offsets)
{
    const int32_t *narrow = line_offsets;
    const int64_t *wide = line_offsets;
    int64_t line = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        if (line < csr->lines && (!rows_of || rows_of[line] == i))
            line++;
        offsets[i + 1] = csr->offset_size == sizeof *narrow ? narrow[line] : wide[line];
    }
}

static mnp_status fetch_offsets(mnp_ctx *ctx, const mnp__part *csr, int64_t *offsets)
{
    const int64_t listed = mnp__part_rows_of(csr);
    void *line_offsets = NULL;
    int32_t *rows_of = NULL;
    mnp_status st = mnp__malloc((size_t)(csr->lines + 1) * (size_t)csr->offset_size, &line_offsets);
    if (st == MNP_OK)
        st = mnp__elements_copy(ctx, line_offsets, csr->offsets, csr->lines + 1, (size_t)csr->offset_size);
    if (st == MNP_OK && csr->rows_of)
        st = mnp__malloc((size_t)listed * sizeof *rows_of, &rows_of);
    if (st == MNP_OK && csr->rows_of)
        st = mnp__elements_copy(ctx, rows_of, csr->rows_of, listed, sizeof *rows_of);
    if (st == MNP_OK)
        spread_offsets(csr, line_offsets, rows_of, offsets);
    free(line_offsets);
    free(rows_of);
    return st;
}

mnp_status mnp__pattern_of(mnp_ctx *ctx, const mnp__part *csr, mnp__pattern *pattern)
{
    mnp__pattern made = {.rows = csr->rows};
    mnp_status st = mnp__malloc((size_t)(csr->rows + 1) * sizeof *made.offsets, &made.offsets);
    if (st == MNP_OK)
        st = fetch_offsets(ctx, csr, made.offsets);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)csr->count * sizeof *made.columns, &made.columns);
    if (st == MNP_OK)
        st = mnp__elements_copy(ctx, made.columns, csr->indices, csr->count, sizeof *made.columns);
    if (st == MNP_OK)
        *pattern = made;
    else
        mnp__pattern_free(&made);
    return st;
}

int64_t mnp__pattern_row(const mnp__pattern *pattern, int64_t entry)
{
    int64_t row = 0;
    while (pattern->offsets[row + 1] <= entry)
        row++;
    return row;
}

void mnp__pattern_forget_entries(mnp__pattern *pattern)
{
    free(pattern->offsets);
    free(pattern->columns);
    pattern->offsets = NULL;
    pattern->columns = NULL;
}

void mnp__pattern_free(mnp__pattern *pattern)
{
    mnp__pattern_forget_entries(pattern);
    free(pattern->colours);
    *pattern = (mnp__pattern){.rows = 0};
}

/* ---- own blocks ---- */

mnp_status mnp__own_block_open(const mnp_sparse *matrix, mnp__own_block *block)
{
    *block = (mnp__own_block){.ctx = matrix->ctx, .dtype = matrix->dtype};
    if (matrix->format != MNP_CSR)
        MNP_TRY(mnp__part_as_csr(matrix->ctx, matrix->dtype, &matrix->own, &block->converted));
    block->csr = matrix->format == MNP_CSR ? matrix->own : block->converted;
    return mnp__pattern_of(matrix->ctx, &block->csr, &block->pattern);
}

void mnp__own_block_close(mnp__own_block *block)
{
    if (block->ctx)
        mnp__part_release(block->ctx, &block->converted);
    mnp__pattern_free(&block->pattern);
    *block = (mnp__own_block){.ctx = NULL};
}

/* Values are copied to the beginning of the memory, and widened from the last to the first. */
mnp_status mnp__own_block_values(const mnp__own_block *block, bool wide, void **values_p)
{
    const mnp_dtype dtype = wide ? mnp__dtype_widest(block->dtype) : block->dtype;
    const int64_t count = block->csr.count;
    void *values;
    MNP_TRY(mnp__malloc((size_t)count * mnp_dtype_size(dtype), &values));
    const mnp_status st =
        mnp__elements_copy(block->ctx, values, block->csr.values, count, mnp_dtype_size(block->dtype));
    if (st != MNP_OK) {
        free(values);
        return st;
    }
    for (int64_t e = count - 1; e >= 0 && dtype != block->dtype; e--)
        mnp__store_value(dtype, values, e, mnp__load_value(block->dtype, values, e));
    *values_p = values;
    return MNP_OK;
}

void mnp__narrow_values(mnp_dtype dtype, int64_t count, void *values)
{
    const mnp_dtype wide = mnp__dtype_widest(dtype);
    for (int64_t e = 0; e < count && wide != dtype; e++)
        mnp__store_value(dtype, values, e, mnp__load_value(wide, values, e));
}

/* ---- diagonals ---- */

mnp_status mnp__own_diagonal(const mnp_sparse *matrix, void **diagonal_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const size_t size = mnp_dtype_size(matrix->dtype);
    void *made = NULL, *diagonal = NULL; /* on the device; on the CPU */
    mnp_status st = mnp__malloc((size_t)matrix->rows * size, &diagonal);
    if (st == MNP_OK)
        st = ctx->device->ops->alloc(ctx->device, (size_t)matrix->rows * size, &made);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = mnp__find_diagonal(matrix, 0, matrix->row_lo, matrix->rows, made, NULL);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, mnp__elements_copy(ctx, diagonal, made, matrix->rows, size));
    ctx->device->ops->free(ctx->device, made);
    if (st == MNP_OK)
        *diagonal_p = diagonal;
    else
        free(diagonal);
    return st;
}
