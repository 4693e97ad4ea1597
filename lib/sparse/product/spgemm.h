/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of sparse matrices on one rank's device: C = A B of parts in CSR (kernels/sparse/product/spgemm.cu).
 */
#ifndef MNP__SPARSE_PRODUCT_SPGEMM_H
#define MNP__SPARSE_PRODUCT_SPGEMM_H

#include "sparse/matrix/part.h"

/*
 * Multiply parts in device memory that list all rows; the columns of B's rows rise.  *c is a new one whose columns
 * rise, with an entry wherever A and B have products, also where they come to 0.  Sums are in the order of A's entries,
 * always the same.  Memory: C, 4 bytes a row, and on a GPU 4 more; where rows of C are longer than shared memory is
 * large, sums of all columns for some rows: as much as the matrices have, or 256 MiB, but at least one row.  On the
 * host sums of some columns for every thread.  Collective, all ranks with theirs, as kernels are compiled; agreed upon.
 * Waits.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__spgemm(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *a, const mnp__part *b, mnp__part *c);

#endif
