/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas are how the library writes small loops of its own: a constant with a body, and a call of a few lines.
 *
 * A formula is a loop (ops/elementwise/loop.h) without dtypes, which each call adds.  The context keeps the loops that
 * are made of it by the formula's address and these dtypes, so a later call only looks one up.
 */
#ifndef MNP__OPS_ELEMENTWISE_FORMULA_H
#define MNP__OPS_ELEMENTWISE_FORMULA_H

#include "array/array.h"
#include "base/text.h"
#include "ops/elementwise/loop.h"

enum { MNP__MAX_FORMULA_INPUTS = 10, MNP__FORMULA_FACTS = 2 };

/*
 * The type of an operand in the body is a dtype, or MNP_DTYPE_AUTO for the one that a call chooses; values are
 * converted from and to the dtypes of the arrays.  Inputs beyond the listed ones are called x2, x3, ... by their number
 * and have the dtypes of their arrays.  The body assigns to `out`, and to out1, out2, ... where a call has more
 * outputs.  With `indices` it may use the variables of mnp__loop_spec.indices; mnp_index[-1] is the last index,
 * mnp_index[-2] the one before it.
 */
typedef struct mnp__formula {
    const char *name;     /* of the kernel */
    const char *preamble; /* NULL, or C++ that the body needs */
    const char *body;
    /* instead of a body: writes one that depends on the call's facts */
    void (*write)(const int *facts, mnp__text *body);
    bool indices;
    mnp_dtype type; /* of the outputs in the body */
    int ninputs;    /* how many are listed */
    struct {
        const char *name;
        mnp_dtype type;
        bool raw; /* as in mnp__loop_operand */
    } inputs[MNP__MAX_FORMULA_INPUTS];
} mnp__formula;

typedef struct mnp__formula_call {
    const char *function; /* its name in messages: "mnp_choose" */
    const mnp__formula *formula;
    int ninputs, noutputs; /* 0 inputs: as many as the formula lists; 0 outputs: one */
    const mnp_array *const *inputs;
    mnp_array **const *outputs_p; /* the caller's pointers; where *p is NULL, an array is made */
    mnp_dtype type;               /* what MNP_DTYPE_AUTO is in the formula */
    mnp_dtype result;             /* of new outputs; given ones may have any dtype */
    const mnp_layout *layout;     /* of the outputs; NULL: as mnp__apply() chooses it */
    int facts[MNP__FORMULA_FACTS];
} mnp__formula_call;

/* Run a formula as mnp__apply() runs a loop.  Collective. */
mnp_status mnp__formula_run(mnp_ctx *ctx, const mnp__formula_call *call);

/*
 * Make an array of that shape and the dtype `call->type` from its indices, or fill the given one, which must have both.
 * A new array has `call->layout`, or mnp_layout_block() if that is NULL.  The caller need not set the call's outputs,
 * result and facts.  Collective.  MNP_ERR_ARG if the given array has another shape or dtype.
 */
mnp_status mnp__formula_create(mnp_ctx *ctx, const mnp__formula_call *call, int ndim, const int64_t *shape,
                               mnp_array **array_p);

#endif
