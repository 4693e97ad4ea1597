/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the generated texts of loops and of reductions share: types and lists of operands, and compiler options.
 */
#ifndef MNP__OPS_ELEMENTWISE_GENERATED_H
#define MNP__OPS_ELEMENTWISE_GENERATED_H

#include "base/text.h"
#include "ops/elementwise/loop.h"

/* Type of operand k in the body, in memory, and as a scalar travels: mnp_typeK, mnp_memoryK and mnp_carrierK. */
void mnp__generated_types(int count, const mnp__loop_operand *operands, mnp__text *text);

/* #define MACRO(X) X(first) ... X(end - 1) */
void mnp__generated_list(const char *macro, int first, int end, mnp__text *text);

/*
 * The options of either compiler: the user's (NULL: none), of which the host gets what it knows, and what keeps
 * operations apart unless they may `contract`.  Both texts are malloc'ed, and the caller's also after a failure.
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__generated_options(bool contract, const char *options, char **nvrtc_p, char **host_p);

#endif
