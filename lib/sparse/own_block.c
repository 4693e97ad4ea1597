/*
 * Taking a rank's entries out of a matrix.
 */
#include "sparse/own_block.h"

#include <complex.h>
#include <stdlib.h>

void mnp__store_value(mnp_dtype dtype, void *values, int64_t at, double _Complex value)
{
    const double parts[2] = {creal(value), cimag(value)};
    mnp__value_set(dtype, values, at, parts);
}

static mnp_status allocate(const mnp__part *csr, mnp__own_block *block)
{
    block->rows = csr->rows;
    MNP_TRY(mnp__calloc((size_t)csr->rows + 1, sizeof *block->offsets, &block->offsets));
    MNP_TRY(mnp__malloc((size_t)csr->rows * sizeof *block->diagonal, &block->diagonal));
    MNP_TRY(mnp__malloc((size_t)csr->count * sizeof *block->columns, &block->columns));
    return mnp__malloc((size_t)csr->count * sizeof *block->values, &block->values);
}

static void fill(mnp_dtype dtype, const mnp__part *csr, mnp__own_block *block)
{
    const int64_t *offsets = csr->offsets;
    int64_t line = 0, e = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        block->diagonal[i] = -1;
        if (line < csr->lines && (!csr->rows_of || csr->rows_of[line] == i)) {
            for (line++; e < offsets[line]; e++) {
                double parts[2];
                if (csr->indices[e] == i && !csr->rows_of)
                    block->diagonal[i] = e;
                mnp__value_get(dtype, csr->values, e, parts);
                block->columns[e] = csr->indices[e];
                block->values[e] = CMPLX(parts[0], parts[1]);
            }
        }
        block->offsets[i + 1] = e;
    }
}

/* From a part in device memory. */
static mnp_status take(const mnp_sparse *matrix, const mnp__part *device_part, mnp__own_block *block)
{
    mnp__part stored = {.rows = 0}, csr = {.rows = 0};
    mnp_status st;
    *block = (mnp__own_block){.rows = 0};
    MNP_TRY_OR(mnp__part_download(matrix->ctx, matrix->dtype, device_part, &stored), st, done);
    const bool converts = stored.format != MNP_CSR;
    if (converts)
        MNP_TRY_OR(mnp__part_to_csr(&stored, matrix->dtype, &csr), st, done);
    st = allocate(converts ? &csr : &stored, block);
    if (st == MNP_OK)
        fill(matrix->dtype, converts ? &csr : &stored, block);
    else
        mnp__own_block_free(block);
done:
    mnp__part_free(&stored);
    mnp__part_free(&csr);
    return st;
}

mnp_status mnp__own_block_of(const mnp_sparse *matrix, mnp__own_block *block)
{
    return take(matrix, &matrix->own, block);
}

mnp_status mnp__ghost_block_of(const mnp_sparse *matrix, mnp__own_block *block)
{
    return take(matrix, &matrix->ghost, block);
}

void mnp__own_block_free(mnp__own_block *block)
{
    free(block->offsets);
    free(block->diagonal);
    free(block->columns);
    free(block->values);
    free(block->colours);
    *block = (mnp__own_block){.rows = 0};
}
