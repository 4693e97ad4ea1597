/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a sparse matrix in CSR on the CPU, for code that makes or reads entries there.
 */
#ifndef MNP__SPARSE_MATRIX_CSR_H
#define MNP__SPARSE_MATRIX_CSR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <maniple/dtype.h>

#include "base/value.h"
#include "base/status.h"

/* The columns of a row rise, without duplicates. */
typedef struct mnp__csr {
    mnp_dtype dtype;
    int64_t rows, columns; /* rows that are here; columns of the whole matrix */
    int64_t *offsets;      /* row i has entries offsets[i] to offsets[i + 1]; rows + 1 of them, the first is 0 */
    int64_t *indices;      /* global columns */
    void *values;
} mnp__csr;

static inline int64_t mnp__csr_count(const mnp__csr *csr)
{
    return csr->offsets[csr->rows];
}

/* Room for `count` entries; offsets are 0.  Nothing in this header is collective.  MNP_ERR_MEMORY. */
mnp_status mnp__csr_new(mnp_dtype dtype, int64_t rows, int64_t columns, int64_t count, mnp__csr *csr);
void mnp__csr_free(mnp__csr *csr); /* one that is all zeros is accepted */

/* to[to_at] = from[from_at], of values of that many bytes. */
static inline void mnp__value_copy(size_t size, void *to, int64_t to_at, const void *from, int64_t from_at)
{
    memcpy((char *)to + (size_t)to_at * size, (const char *)from + (size_t)from_at * size, size);
}

bool mnp__value_is_zero(mnp_dtype dtype, const void *values, int64_t at);

#endif
