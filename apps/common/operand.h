/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands of the command line: datasets of HDF5 files, and generated arrays such as kernels.
 */
#ifndef APPS_COMMON_OPERAND_H
#define APPS_COMMON_OPERAND_H

#include <stdint.h>

#include <maniple.h>

enum { OPERAND_MAX_DIMS = 4 }; /* of generated arrays, and of datasets that operand_inspect() accepts */

typedef enum operand_kind { OPERAND_DATASET, OPERAND_DIRAC, OPERAND_HANNING, OPERAND_GAUSS } operand_kind;

typedef struct operand {
    const char *role; /* its name in the usage, such as "INPUT" */
    const char *text; /* as typed */
    operand_kind kind;
    char *file, *dataset; /* of a dataset; otherwise NULL */
    mnp_dtype dtype;      /* for a dataset this and the shape are known after operand_look() */
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    int64_t period;                 /* dirac: distance of the ones */
    double sigma[OPERAND_MAX_DIMS]; /* gauss: standard deviations, in elements */
} operand;

/*
 * Parse FILE:DATASET, or dirac:SHAPE/PERIOD, hanning:SHAPE, gauss:SHAPE@SIGMA, which generate arrays of `dtype`,
 * float32 or float64.  Release with operand_free().  MNP_ERR_ARG.  Not collective.
 */
mnp_status operand_parse(const char *role, const char *text, mnp_dtype dtype, operand *result);

/* The same for operands that must be FILE:DATASET. */
mnp_status operand_parse_dataset(const char *role, const char *text, operand *result);

void operand_free(operand *op);

/* Find dtype and shape of a dataset.  Collective. */
mnp_status operand_look(mnp_ctx *ctx, operand *op);

/* The same, and fail if there are no dimensions, no elements, or too many dimensions.  Collective. */
mnp_status operand_inspect(mnp_ctx *ctx, operand *op);

/* Read or generate the array, in the layout that Maniple chooses.  Collective. */
mnp_status operand_load(mnp_ctx *ctx, const operand *op, mnp_array **array_p);

#endif
