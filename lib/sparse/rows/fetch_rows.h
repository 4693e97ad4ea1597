/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a product of matrices A B takes from its factors, in device memory: A with numbered columns, and the rows of B
 * that these name, from the ranks that own them.
 */
#ifndef MNP__SPARSE_ROWS_FETCH_ROWS_H
#define MNP__SPARSE_ROWS_FETCH_ROWS_H

#include "sparse/rows/rows.h"

/*
 * All rows of a matrix as one part: own columns keep their numbers, and ghosts have the numbers after them.  A row's
 * entries are in the order of the matrix's columns, whichever rank owns these.  Not collective.  MNP_ERR_UNSUPPORTED
 * where 32 bits cannot count the columns.
 */
mnp_status mnp__rows_number(const mnp__row_source *source, mnp__part *numbered);

/*
 * The rows of b, which are cut as a's columns, by the numbers that a's columns have in `numbered`: first b's own rows,
 * of which those that no entry of a names are left empty, and then those of a's ghosts, from their owners.
 * Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__rows_fetch(const mnp__row_source *a, const mnp__part *numbered, const mnp__row_source *b,
                           mnp__rows *rows);

#endif
