/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops and reductions generate the text of their kernels; this is what both write: the types and lists of operands,
 * and the options of the compilers.
 */
#ifndef MNP__OPS_ELEMENTWISE_GENERATED_H
#define MNP__OPS_ELEMENTWISE_GENERATED_H

#include "base/text.h"
#include "ops/elementwise/loop.h"

/* Define the types of operand K: mnp_typeK in the body, mnp_memoryK in memory, mnp_carrierK as a passed scalar. */
void mnp__generated_types(int count, const mnp__loop_operand *operands, mnp__text *text);

/* Write #define MACRO(X) X(first) ... X(end - 1). */
void mnp__generated_list(const char *macro, int first, int end, mnp__text *text);

/* What the kernels of one loop or reduction have in common: a text, and the options of either compiler. */
typedef struct mnp__generated {
    char *source, *nvrtc_options, *host_options;
    bool users; /* a part of the source is the user's */
} mnp__generated;

/*
 * Take over a text, and set the options: the user's (NULL: no part of the text is the user's), of which the host
 * compiler gets those that it knows, and unless `contract` is set, those that forbid to fuse multiplications with
 * additions.  The caller frees `generated` even after a failure.  MNP_ERR_MEMORY.
 */
mnp_status mnp__generated_set(mnp__generated *generated, mnp__text *source, bool contract, const char *options);
void mnp__generated_free(mnp__generated *generated);

/* Load a kernel of `file` with these definitions in front.  `function` and `defines` are freed.  Not collective. */
mnp_status mnp__generated_load(const mnp__generated *generated, mnp__device *device, const mnp__kernel_spec *file,
                               mnp__text *function, mnp__text *defines, mnp__kernel **kernel_p);

#endif
