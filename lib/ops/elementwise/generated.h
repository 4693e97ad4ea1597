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

/* What the kernels of one loop or reduction have in common: a text, and the options of either compiler. */
typedef struct mnp__generated {
    char *source, *nvrtc_options, *host_options;
} mnp__generated;

/*
 * Take over a text, and set the options: the user's (NULL: none), of which the host gets what it knows, and what keeps
 * operations apart unless they may `contract`.  What is set is to be freed also after a failure.  MNP_ERR_MEMORY.
 */
mnp_status mnp__generated_set(mnp__generated *generated, mnp__text *source, bool contract, const char *options);
void mnp__generated_free(mnp__generated *generated);

/* Load a kernel of `file` with these definitions in front.  `function` and `defines` are freed.  Not collective. */
mnp_status mnp__generated_load(const mnp__generated *generated, mnp__device *device, const mnp__kernel_spec *file,
                               mnp__text *function, mnp__text *defines, mnp__kernel **kernel_p);

/* A copy of a text, which may be NULL, in *copy_p.  MNP_ERR_MEMORY; *copy_p is then untouched. */
mnp_status mnp__copy_text(const char *text, const char **copy_p);

#endif
