/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results that are computed in arrays of their own, and then become the user's: as new arrays, or written to those that
 * were given.
 */
#ifndef MNP__OPS_COMMON_OUTPUT_H
#define MNP__OPS_COMMON_OUTPUT_H

#include "array/array.h"

/*
 * MNP_ERR_ARG unless `given` is NULL, or can take a result of that context, dtype (under "same_kind") and shape.
 * `function` is for the sentence, and so is `name`, what the output is for; NULL where there is but one.
 */
mnp_status mnp__result_check(const char *function, const char *name, const mnp_ctx *ctx, mnp_dtype dtype, int ndim,
                             const int64_t *shape, const mnp_array *given);

/* Store *made to *array_p where that is NULL, and take it away; else copy it there.  Collective. */
mnp_status mnp__result_give(mnp_array **made, mnp_array **array_p);

/* A dense copy in that dtype on every rank.  Collective. */
mnp_status mnp__everywhere(const mnp_array *array, mnp_dtype dtype, mnp_array **copy_p);

/* The only element of an array of no dimensions.  Waits.  Collective. */
mnp_status mnp__read_one(const mnp_array *array, void *value);

#endif
