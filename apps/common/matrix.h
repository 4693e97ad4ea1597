/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands that are sparse matrices: a Matrix Market file, a group of an HDF5 file, or a generated matrix.
 */
#ifndef APPS_COMMON_MATRIX_H
#define APPS_COMMON_MATRIX_H

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

/* Read or generate the matrix.  Collective. */
mnp_status matrix_read(mnp_ctx *ctx, const matrix_operand *op, mnp_dtype dtype, mnp_sparse **matrix_p);

#endif
