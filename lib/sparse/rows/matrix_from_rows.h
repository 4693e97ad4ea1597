/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of every structural operation: rows in device memory become a matrix.
 */
#ifndef MNP__SPARSE_ROWS_MATRIX_FROM_ROWS_H
#define MNP__SPARSE_ROWS_MATRIX_FROM_ROWS_H

#include "sparse/rows/rows.h"

/*
 * A matrix in CSR of that shape from rows, as many as the row layout gives this rank; `as`: in another format too, DIA,
 * BSR and SELL by way of the CPU, with blocks of that side in BSR (0: chosen).  DIA and BSR drop entries that are 0.
 * The rows are used up, also after a failure.  Collective, and agreed upon; the caller has agreed on what may have
 * failed before.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_UNSUPPORTED for more rows, columns or ghosts
 * of a rank than 32 bits count.
 */
mnp_status mnp__sparse_from_rows(const mnp__sparse_shape *shape, mnp__rows *rows, mnp_sparse **matrix_p);
mnp_status mnp__sparse_from_rows_as(const mnp__sparse_shape *shape, mnp__rows *rows, mnp_sparse_format format,
                                    int block, mnp_sparse **matrix_p);

/* The same from rows that the CPU made, which stay. */
mnp_status mnp__sparse_from_csr(const mnp__sparse_shape *shape, const mnp__csr *csr, mnp_sparse_format format,
                                int block, mnp_sparse **matrix_p);

#endif
