/* SPDX-License-Identifier: BSD-3-Clause */
/* maniple cache --warm: the kernels of common operations are compiled before a program asks for them. */
#ifndef APPS_CACHE_WARM_H
#define APPS_CACHE_WARM_H

#include <maniple.h>

/* The dtypes of a list such as "float32,int64", at most MNP_NUM_DTYPES of them.  MNP_ERR_ARG. */
mnp_status warm_parse(const char *list, mnp_dtype *dtypes, int *count_p);

/*
 * Compile the kernels of common operations on arrays of these dtypes for the context's device, as many side by side as
 * it has cores for that, and wait.  MNP_ERR_ARG, MNP_ERR_UNSUPPORTED, MNP_ERR_MEMORY.  Not collective.
 */
mnp_status warm(mnp_ctx *ctx, int count, const mnp_dtype *dtypes);

#endif
