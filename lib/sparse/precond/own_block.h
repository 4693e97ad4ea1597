/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's diagonal block, for triangular solves and preconditioners that work rank by rank: in CSR in device memory;
 * its pattern on the CPU; and its values on the CPU for code that computes with them there.
 */
#ifndef MNP__SPARSE_PRECOND_OWN_BLOCK_H
#define MNP__SPARSE_PRECOND_OWN_BLOCK_H

#include "sparse/matrix/sparse.h"

/* Where entries are, on the CPU. */
typedef struct mnp__pattern {
    int64_t rows, *offsets; /* rows + 1 */
    int32_t *columns;       /* rising in a row */
    int32_t *colours;       /* of rows, from mnp__level_sweep_colour(); NULL before */
    int ncolours;
} mnp__pattern;

/* The pattern of a part in CSR in device memory.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE. */
mnp_status mnp__pattern_of(mnp_ctx *ctx, const mnp__part *csr, mnp__pattern *pattern);
int64_t mnp__pattern_row(const mnp__pattern *pattern, int64_t entry); /* the row of an entry */
void mnp__pattern_forget_entries(mnp__pattern *pattern);              /* the colours stay */
void mnp__pattern_free(mnp__pattern *pattern);

/* The diagonal block of a square matrix whose rows and columns are cut alike. */
typedef struct mnp__own_block {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__part csr; /* in device memory; it belongs to the matrix or, in other formats, to `converted` */
    mnp__part converted;
    mnp__pattern pattern;
} mnp__own_block;

/* close is needed also after open failed.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE. */
mnp_status mnp__own_block_open(const mnp_sparse *matrix, mnp__own_block *block);
void mnp__own_block_close(mnp__own_block *block);

/*
 * The values on the CPU, malloc'ed, in the block's dtype or, wide, as double or double _Complex; mnp__narrow_values()
 * converts wide values to a dtype in place.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__own_block_values(const mnp__own_block *block, bool wide, void **values_p);
void mnp__narrow_values(mnp_dtype dtype, int64_t count, void *values);

/*
 * This rank's diagonal of such a matrix, 0 where no entry is: on the CPU, in the matrix's dtype, malloc'ed.
 * Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__own_diagonal(const mnp_sparse *matrix, void **diagonal_p);

/* Store or load one value of a dtype, as kernels have it. */
void mnp__store_value(mnp_dtype dtype, void *values, int64_t at, double _Complex value);
double _Complex mnp__load_value(mnp_dtype dtype, const void *values, int64_t at);

/* factor / value in double precision, for a value of that dtype. */
double _Complex mnp__divide_by(mnp_dtype dtype, double factor, double _Complex value);

#endif
