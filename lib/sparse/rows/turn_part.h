/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts whose entries are listed by rows (CSR, COO) or by columns (CSC), one made of the other on the device
 * (kernels/sparse/rows/turn_part.cu).
 *
 * Entries are brought from one order to the other by a stable sort of their numbers on a GPU, and by counting them on
 * the host.  Time and memory are proportional to the entries and the lines.
 */
#ifndef MNP__SPARSE_ROWS_TURN_PART_H
#define MNP__SPARSE_ROWS_TURN_PART_H

#include "sparse/rows/sort_entries.h"

/* Whether a part is in CSR, CSC or COO. */
bool mnp__part_is_listed(mnp_sparse_format format);

/*
 * A new part with the entries of another, each in CSR, CSC or COO; or the transpose of such a part, in CSR.
 * Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE; then there is nothing to release.
 */
mnp_status mnp__part_relist(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *part, mnp_sparse_format format,
                            mnp__part *made);
mnp_status mnp__part_transpose(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *part, mnp__part *transposed);

/* The entries of the ghost part, row by row.  Collective, and agreed upon.  Errors as above. */
mnp_status mnp__entries_of_ghosts(const mnp_sparse *matrix, mnp__entries *entries);

/* A copy of the ghost part, and of the list of its columns.  Collective, and agreed upon.  Errors as above. */
mnp_status mnp__parts_copy_ghosts(const mnp_sparse *matrix, mnp__parts *parts);

#endif
