/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a product of matrices takes of its factors, in device memory: rows that are numbered, and rows of other ranks.
 */
#ifndef MNP__SPARSE_ROWS_FETCH_ROWS_H
#define MNP__SPARSE_ROWS_FETCH_ROWS_H

#include "sparse/rows/rows.h"

/*
 * All rows as one part: the own columns have their numbers, and the ghosts those that follow.  Entries are in the order
 * of the matrix's columns, whatever rank owns these.  Not collective.  MNP_ERR_UNSUPPORTED for more columns than 32
 * bits count.
 */
mnp_status mnp__rows_number(const mnp__row_source *source, mnp__part *numbered);

/*
 * The rows of b, which are cut as a's columns, by the numbers that a's columns have in `numbered`: b's own, of which
 * those that no entry of a names are empty here, and then those that a's ghosts name, from their owners.  Collective,
 * and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__rows_fetch(const mnp__row_source *a, const mnp__part *numbered, const mnp__row_source *b,
                           mnp__rows *rows);

#endif
