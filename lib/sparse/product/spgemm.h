/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of sparse matrices on one rank's device: C = A B of parts in CSR (kernels/sparse/product/spgemm.cu).
 */
#ifndef MNP__SPARSE_PRODUCT_SPGEMM_H
#define MNP__SPARSE_PRODUCT_SPGEMM_H

#include "sparse/matrix/part.h"

/*
 * C = A B of parts in device memory that list all rows; the columns of each row of B rise.  *c is new, and the columns
 * of its rows rise too; it has an entry wherever A and B have products, also where their sum is 0.  Sums are taken in
 * the order of A's entries, so results are reproducible.  Memory: C, 4 bytes a row, and 4 more on a GPU.  Where rows
 * of C do not fit in shared memory, a GPU also has sums of all columns for some rows: as much as the matrices take, or
 * 256 MiB, but at least one row.  The host has sums of a window of columns for every thread.  Waits.  Collective, as
 * kernels are compiled, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__spgemm(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *a, const mnp__part *b, mnp__part *c);

#endif
