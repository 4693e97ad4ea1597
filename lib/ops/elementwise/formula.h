/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas: small loops of the library's own, each a constant and a call of a few lines.
 *
 * A formula is a loop (ops/elementwise/loop.h) without the dtypes that a call brings.  The loops that are made of it
 * are kept by the context, by the formula's address and these dtypes.
 */
#ifndef MNP__OPS_ELEMENTWISE_FORMULA_H
#define MNP__OPS_ELEMENTWISE_FORMULA_H

#include "array/array.h"
#include "base/text.h"
#include "ops/elementwise/loop.h"

enum { MNP__MAX_FORMULA_INPUTS = 10, MNP__FORMULA_FACTS = 2 };

/*
 * The type of an operand in the body is a dtype, or MNP_DTYPE_AUTO for the one that a call chooses; values are
 * converted from and to what the arrays hold.  Inputs beyond those that are listed are called x2, x3, ... by their
 * number, and have their arrays' own types.  The body assigns to `out`, and to out1, out2, ... where a call has more
 * outputs.  With `indices` it may use what mnp__loop_spec.indices is about; mnp_index[-1] is the last index, [-2] the
 * one before it.
 */
typedef struct mnp__formula {
    const char *name;     /* of the kernel */
    const char *preamble; /* NULL, or what the body needs */
    const char *body;
    /* instead of a body: writes the one of a call with such facts */
    void (*write)(const int *facts, mnp__text *body);
    bool indices;
    mnp_dtype type; /* of the outputs in the body */
    int ninputs;    /* that are listed */
    struct {
        const char *name;
        mnp_dtype type;
        bool raw; /* as in mnp__loop_operand */
    } inputs[MNP__MAX_FORMULA_INPUTS];
} mnp__formula;

typedef struct mnp__formula_call {
    const char *function; /* what a sentence calls it: "mnp_choose" */
    const mnp__formula *formula;
    int ninputs, noutputs; /* 0: those that the formula lists, and one */
    const mnp_array *const *inputs;
    mnp_array **const *outputs_p; /* each the caller's: *p NULL means make one */
    mnp_dtype type;               /* what MNP_DTYPE_AUTO is in the formula */
    mnp_dtype result;             /* of outputs that are made; those that are given may have any */
    const mnp_layout *layout;     /* of the outputs; NULL: from the operands, as mnp__apply() finds it */
    int facts[MNP__FORMULA_FACTS];
} mnp__formula_call;

/* Run a formula, as mnp__apply() does a loop.  Collective. */
mnp_status mnp__formula_run(mnp_ctx *ctx, const mnp__formula_call *call);

/*
 * Make an array of that shape, of the dtype `call->type`, or fill the one that is given, which must have both.  New
 * ones have `call->layout`, or mnp_layout_block() if that is NULL.  The formula uses indices; the call's outputs,
 * result and facts are set here.  Collective.  MNP_ERR_ARG if the array that is given does not suit.
 */
mnp_status mnp__formula_create(mnp_ctx *ctx, const mnp__formula_call *call, int ndim, const int64_t *shape,
                               mnp_array **array_p);

#endif
