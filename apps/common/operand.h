/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands of the command line: datasets of HDF5 files, and small arrays that are made on the spot.
 */
#ifndef APPS_COMMON_OPERAND_H
#define APPS_COMMON_OPERAND_H

#include <stdint.h>

#include <maniple.h>

enum { OPERAND_MAX_DIMS = 4 }; /* of what is made on the spot, and of what operand_inspect() lets pass */

typedef enum operand_kind { OPERAND_DATASET, OPERAND_DIRAC, OPERAND_HANNING, OPERAND_GAUSS } operand_kind;

typedef struct operand {
    const char *role; /* what the usage calls it, such as "INPUT" */
    const char *text; /* as typed */
    operand_kind kind;
    char *file, *dataset; /* of a dataset, else NULL */
    mnp_dtype dtype;      /* of a dataset this and the shape are known after operand_inspect() */
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    int64_t period;                 /* dirac: distance of the ones */
    double sigma[OPERAND_MAX_DIMS]; /* gauss: standard deviations, in elements */
} operand;

/*
 * Understand FILE:DATASET, or dirac:SHAPE/PERIOD, hanning:SHAPE, gauss:SHAPE@SIGMA, which give arrays of `dtype`,
 * float32 or float64.  Release with operand_free().  MNP_ERR_ARG.  Not collective.
 */
mnp_status operand_parse(const char *role, const char *text, mnp_dtype dtype, operand *result);

/* The same where only FILE:DATASET makes sense. */
mnp_status operand_parse_dataset(const char *role, const char *text, operand *result);

void operand_free(operand *op);

/* Find dtype and shape of a dataset.  Collective. */
mnp_status operand_look(mnp_ctx *ctx, operand *op);

/* The same, and refuse what has no dimensions or elements, or too many dimensions.  Collective. */
mnp_status operand_inspect(mnp_ctx *ctx, operand *op);

/* Read or make the array, in blocks.  Collective. */
mnp_status operand_load(mnp_ctx *ctx, const operand *op, mnp_array **array_p);

#endif
