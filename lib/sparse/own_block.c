/*
 * Taking a rank's diagonal block out of a matrix.
 */
#include "sparse/own_block.h"

#include <complex.h>
#include <stdlib.h>

void mnp__store_value(mnp_dtype dtype, void *values, int64_t at, double _Complex value)
{
    const double parts[2] = {creal(value), cimag(value)};
    mnp__value_set(dtype, values, at, parts);
}

static mnp_status allocate(int64_t rows, int64_t count, mnp__own_block *block)
{
    block->rows = rows;
    MNP_TRY(mnp__calloc((size_t)rows + 1, sizeof *block->offsets, &block->offsets));
    MNP_TRY(mnp__malloc((size_t)rows * sizeof *block->diagonal, &block->diagonal));
    MNP_TRY(mnp__malloc((size_t)count * sizeof *block->columns, &block->columns));
    return mnp__malloc((size_t)count * sizeof *block->values, &block->values);
}

static void fill(const mnp_sparse *matrix, const mnp__csr *csr, mnp__own_block *block)
{
    int64_t count = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        block->diagonal[i] = -1;
        for (int64_t e = csr->offsets[i]; e < csr->offsets[i + 1]; e++) {
            const int64_t column = csr->indices[e] - matrix->column_lo;
            double parts[2];
            if (column < 0 || column >= matrix->columns)
                continue;
            if (column == i)
                block->diagonal[i] = count;
            mnp__value_get(csr->dtype, csr->values, e, parts);
            block->columns[count] = (int32_t)column;
            block->values[count++] = CMPLX(parts[0], parts[1]);
        }
        block->offsets[i + 1] = count;
    }
}

mnp_status mnp__own_block_of(const mnp_sparse *matrix, mnp__own_block *block)
{
    mnp__csr csr = {.rows = 0};
    *block = (mnp__own_block){.rows = 0};
    mnp_status st = mnp__sparse_to_csr(matrix, &csr);
    if (st == MNP_OK)
        st = allocate(csr.rows, mnp__csr_count(&csr), block);
    if (st == MNP_OK)
        fill(matrix, &csr, block);
    else
        mnp__own_block_free(block);
    mnp__csr_free(&csr);
    return st;
}

void mnp__own_block_free(mnp__own_block *block)
{
    free(block->offsets);
    free(block->diagonal);
    free(block->columns);
    free(block->values);
    *block = (mnp__own_block){.rows = 0};
}
