/*
 * The diagonal block of a matrix that lies in a rank's own rows and columns, in memory of the CPU: what preconditioners
 * that work rank by rank are made of.
 */
#ifndef MNP__SPARSE_OWN_BLOCK_H
#define MNP__SPARSE_OWN_BLOCK_H

#include "sparse/sparse.h"

typedef struct mnp__own_block {
    int64_t rows;
    int64_t *offsets, *diagonal; /* diagonal: the entry's number, or -1 where none is stored */
    int32_t *columns;            /* rising in a row */
    double _Complex *values;
} mnp__own_block;

/* Of a square matrix, rows and columns cut alike.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__own_block_of(const mnp_sparse *matrix, mnp__own_block *block);
void mnp__own_block_free(mnp__own_block *block);

/* Values of a dtype, as kernels take them. */
void mnp__store_value(mnp_dtype dtype, void *values, int64_t at, double _Complex value);

#endif
