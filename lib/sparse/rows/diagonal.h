/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Diagonals of a sparse matrix, in device memory.
 */
#ifndef MNP__SPARSE_ROWS_DIAGONAL_H
#define MNP__SPARSE_ROWS_DIAGONAL_H

#include "sparse/matrix/sparse.h"

/*
 * `count` elements of a diagonal, 0 where no entry is, from this rank's row number `row` and the matrix's column
 * `column` on, of a matrix in any format.  If replaced_p is not NULL, the result is 1 divided by them, where 0 counts
 * as 1; *replaced_p tells how often it did on this rank, and the call waits.  Collective, and agreed upon.
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__find_diagonal(const mnp_sparse *matrix, int64_t row, int64_t column, int64_t count, void *diagonal,
                              int64_t *replaced_p);

#endif
