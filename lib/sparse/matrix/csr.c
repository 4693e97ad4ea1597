/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows in CSR on the CPU.
 */
#include "sparse/matrix/csr.h"

#include <stdlib.h>
#include <string.h>

mnp_status mnp__csr_new(mnp_dtype dtype, int64_t rows, int64_t columns, int64_t count, mnp__csr *csr)
{
    mnp__csr made = {.dtype = dtype, .rows = rows, .columns = columns};
    mnp_status st;
    if (rows > INT64_MAX / 64 || count > INT64_MAX / 64)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %lld rows of %lld entries", (long long)rows, (long long)count);
    MNP_TRY_OR(mnp__calloc((size_t)rows + 1, sizeof *made.offsets, &made.offsets), st, fail);
    MNP_TRY_OR(mnp__malloc((size_t)count * sizeof *made.indices, &made.indices), st, fail);
    MNP_TRY_OR(mnp__malloc((size_t)count * mnp_dtype_size(dtype), &made.values), st, fail);
    *csr = made;
    return MNP_OK;
fail:
    mnp__csr_free(&made);
    return st;
}

void mnp__csr_free(mnp__csr *csr)
{
    free(csr->offsets);
    free(csr->indices);
    free(csr->values);
    *csr = (mnp__csr){.rows = 0};
}

/* ---- values ---- */

bool mnp__value_is_zero(mnp_dtype dtype, const void *values, int64_t at)
{
    double value[2];
    mnp__value_get(dtype, values, at, value);
    return value[0] == 0 && value[1] == 0;
}
