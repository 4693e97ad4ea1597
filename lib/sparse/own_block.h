/*
 * The entries of a rank's own rows, in memory of the CPU: what triangular solves and preconditioners that work rank by
 * rank are made of.
 */
#ifndef MNP__SPARSE_OWN_BLOCK_H
#define MNP__SPARSE_OWN_BLOCK_H

#include "sparse/sparse.h"

typedef struct mnp__own_block {
    int64_t rows;
    int64_t *offsets, *diagonal; /* diagonal: the entry's number, or -1 where none is stored */
    int32_t *columns;            /* rising in a row */
    double _Complex *values;
    int32_t *colours;            /* of rows, where mnp__relax_colour() found them; else NULL */
    int ncolours;
} mnp__own_block;

/*
 * The diagonal block, of a square matrix whose rows and columns are cut alike; and what is outside of it, whose columns
 * are the ghosts' numbers, and which has no diagonal.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__own_block_of(const mnp_sparse *matrix, mnp__own_block *block);
mnp_status mnp__ghost_block_of(const mnp_sparse *matrix, mnp__own_block *block);
void mnp__own_block_free(mnp__own_block *block);

/* Values of a dtype, as kernels take them. */
void mnp__store_value(mnp_dtype dtype, void *values, int64_t at, double _Complex value);

#endif
