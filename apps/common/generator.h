/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generated operands: dirac:SHAPE/PERIOD, hanning:SHAPE and gauss:SHAPE@SIGMA.
 */
#ifndef APPS_COMMON_GENERATOR_H
#define APPS_COMMON_GENERATOR_H

#include "common/operand.h"

/*
 * Find the generator that the operand's text names, and parse its parameters; the kind is left as it is if it names a
 * file.  MNP_ERR_ARG if the parameters are wrong, or for a misspelt generator, which would be taken for a file.
 */
mnp_status generator_parse(operand *op);

/* Make the array, of op->dtype and op->shape.  Collective. */
mnp_status generator_load(mnp_ctx *ctx, const operand *op, mnp_array **array_p);

#endif
