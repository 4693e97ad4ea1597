/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands that are sparse matrices: a Matrix Market file, a group of an HDF5 file, or a generated matrix.
 */
#ifndef APPS_COMMON_MATRIX_H
#define APPS_COMMON_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "common/operand.h"

typedef enum matrix_kind { MATRIX_MARKET, MATRIX_GROUP, MATRIX_GENERATOR } matrix_kind;

typedef struct matrix_operand {
    const char *text; /* as typed */
    matrix_kind kind;
    operand group; /* of MATRIX_GROUP */
} matrix_operand;

/*
 * Parse FILE.mtx (or any name without a colon), FILE.h5:/GROUP, or a generator such as poisson:64x64.  MNP_ERR_ARG,
 * MNP_ERR_MEMORY.  Not collective.
 */
mnp_status matrix_parse(const char *text, matrix_operand *result);
void matrix_operand_free(matrix_operand *op);

/*
 * Make a small matrix in a rehearsal, by the calls that the operand will need; NULL after a failure.  What a file holds
 * is not known, and taken to be float64.
 */
mnp_sparse *matrix_rehearse(mnp_ctx *rehearsal, const matrix_operand *op);

/*
 * What is known of a matrix without its entries.  Entries of a file that holds one triangle are counted twice; `reach`
 * is how many rows away the furthest column of a row is, 0 if only the entries tell.
 */
typedef struct matrix_head {
    int64_t rows, columns, nnz, reach;
    mnp_dtype dtype;
    bool diagonals; /* the entries are on few diagonals */
} matrix_head;

/*
 * Find it, from the head of a file or by the text of a generator.  MNP_ERR_ARG, MNP_ERR_IO, MNP_ERR_FORMAT.
 * Collective.
 */
mnp_status matrix_look(mnp_ctx *ctx, const matrix_operand *op, matrix_head *head);

/* Read or generate the matrix.  Collective. */
mnp_status matrix_read(mnp_ctx *ctx, const matrix_operand *op, mnp_dtype dtype, mnp_sparse **matrix_p);

#endif
