/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiling ahead: a subcommand rehearses what it will do with its operands while it has not read them yet, so that
 * their kernels are compiled side by side (mnp_rehearsal_new()).  Failures of a rehearsal do not matter.
 */
#ifndef APPS_COMMON_REHEARSAL_H
#define APPS_COMMON_REHEARSAL_H

#include <maniple.h>

/* The context of a rehearsal, to be ended by mnp_finalize(); NULL if there can be none. */
mnp_ctx *rehearsal_begin(mnp_ctx *ctx);

/*
 * An array of that shape, but no dimension larger than what keeps an array of `most` dimensions small: which kernel is
 * asked for depends on the dimensions that have more than a few elements, and equal dimensions stay equal.  NULL after
 * a failure.
 */
mnp_array *rehearsal_array(mnp_ctx *rehearsal, int most, mnp_dtype dtype, int ndim, const int64_t *shape);

#endif
