/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands that are sparse matrices: a Matrix Market file, a group of an HDF5 file, or one that is made on the spot.
 */
#ifndef APPS_COMMON_MATRIX_H
#define APPS_COMMON_MATRIX_H

#include <maniple.h>

#include "common/operand.h"

typedef enum matrix_kind { MATRIX_MARKET, MATRIX_GROUP, MATRIX_GENERATOR } matrix_kind;

typedef struct matrix_operand {
    const char *text; /* as on the command line */
    matrix_kind kind;
    operand group; /* of MATRIX_GROUP */
} matrix_operand;

/*
 * Understand FILE.mtx (or whatever has no colon), FILE.h5:/GROUP, or a generator such as poisson:64x64.  Not
 * collective.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
mnp_status matrix_parse(const char *text, matrix_operand *result);
void matrix_operand_free(matrix_operand *op);

/* Read it or make it.  Collective. */
mnp_status matrix_read(mnp_ctx *ctx, const matrix_operand *op, mnp_dtype dtype, mnp_sparse **matrix_p);

/* The exit status after matrix_read() has failed: a file that breaks the rules of its format is a misuse. */
int matrix_exit_status(mnp_status status);

#endif
