/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays whose elements are a formula of their indices and of some numbers: what creation is made of.
 */
#ifndef MNP__OPS_ELEMENTWISE_FORMULA_H
#define MNP__OPS_ELEMENTWISE_FORMULA_H

#include "array/array.h"
#include "ops/elementwise/loop.h"

enum { MNP__MAX_FORMULA_INPUTS = 10 };

/*
 * A loop without the dtypes that a call brings.  Inputs are scalars, or arrays of the result's dtype if their type is
 * MNP_DTYPE_AUTO; `type` of the output likewise.  The body assigns to `out` and may use what mnp__loop_spec.indices is
 * about; the last index is also mnp_index[-1], the one before it mnp_index[-2].  Formulas are constants: they are told
 * apart by their addresses.
 */
typedef struct mnp__formula {
    const char *name;     /* of the kernel */
    const char *preamble; /* NULL, or what the body needs */
    const char *body;
    mnp_dtype type;
    int ninputs;
    struct {
        const char *name;
        mnp_dtype type; /* in the body; a scalar that is one of integers is int64, else float64 */
    } inputs[MNP__MAX_FORMULA_INPUTS];
} mnp__formula;

/*
 * Compute an array of that dtype and shape, in the layout of the array that is given, or of mnp_layout_block(), or of
 * `layout` if it is not NULL.  `inputs` are the formula's.  Collective.  MNP_ERR_ARG if the array that is given does
 * not suit.
 */
mnp_status mnp__formula_run(mnp_ctx *ctx, const char *function, const mnp__formula *formula,
                            const mnp_array *const *inputs, mnp_dtype dtype, int ndim, const int64_t *shape,
                            const mnp_layout *layout, mnp_array **array_p);

#endif
