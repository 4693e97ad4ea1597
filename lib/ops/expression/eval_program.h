/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A text of mnp_eval() becomes a program of stages, each of which is one element-wise loop or one reduction.
 *
 *   eval.c           checks the request, and finds the program that the context keeps
 *   eval_program.c   translates an expression to stages
 *   eval_run.c       runs the stages
 *
 * A text without reductions is one loop.  Otherwise the text is divided at its reductions.  The argument of a reduction
 * becomes its map, so that no array of the argument is needed.  Its result is an input of the stage around it: another
 * reduction, or the loop that computes outputs.  Outputs that depend on the same arrays share a loop.
 *
 * Stages pass values to each other: arrays that the run makes.  Value r is the result of reduction r of the text.
 */
#ifndef MNP__OPS_EXPRESSION_EVAL_PROGRAM_H
#define MNP__OPS_EXPRESSION_EVAL_PROGRAM_H

#include "ops/elementwise/apply.h"
#include "ops/expression/expression.h"

/* The arguments of an evaluation. */
typedef struct mnp__request {
    const char *function; /* the public function, for messages */
    const char *text;
    size_t length;
    int ninputs, noutputs;
    const char *input_names[MNP__MAX_NAMES], *output_names[MNP__MAX_OPERANDS];
    const mnp_array *inputs[MNP__MAX_NAMES];
    mnp_array **outputs_p[MNP__MAX_OPERANDS];
    mnp_dtype output_dtypes[MNP__MAX_OPERANDS]; /* MNP_DTYPE_AUTO: the dtype of the value */
    const mnp_layout *layout;                   /* of the outputs, or NULL */
} mnp__request;

typedef struct mnp__stage {
    mnp__loop *loop;           /* NULL: the stage is a reduction */
    mnp__reduction *reduction; /* reduces the values of an expression; NULL: the public function reduces an array */
    const mnp__reduce_function *function;
    mnp_axes axes;
    unsigned mask; /* the axes, as bits */
    bool last;     /* a loop that computes outputs */
    int ninputs, noutputs;
    int inputs[MNP__MAX_OPERANDS];  /* numbers of the caller's inputs; MNP__MAX_NAMES + v is value v */
    int outputs[MNP__MAX_OPERANDS]; /* numbers of values */
} mnp__stage;

enum { MNP__MAX_VALUES = 2 * MNP__MAX_REDUCTIONS + MNP__MAX_OPERANDS };

typedef struct mnp__program {
    int nstages, nvalues, noutputs;
    int results[MNP__MAX_OPERANDS]; /* the value of every output; several may have one */
    int ndims[MNP__MAX_OPERANDS];   /* of the outputs; the extents depend on the arrays of a run */
    mnp_dtype dtypes[MNP__MAX_OPERANDS];
    mnp__stage stages[];
} mnp__program;

/* Translate a parsed and typed expression; `dtypes` are those of the outputs.  This compiles nothing. */
mnp_status mnp__program_new(mnp_ctx *ctx, const mnp__request *request, mnp__expression *expression,
                            const mnp_dtype *dtypes, mnp__program **program_p);
void mnp__program_free(mnp__program *program);

/* Run a program.  Outputs are written by the last stage or after it. */
mnp_status mnp__program_run(mnp_ctx *ctx, const mnp__program *program, const mnp__request *request);

#endif
