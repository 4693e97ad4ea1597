/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A text of mnp_eval() becomes a program of stages, each of which is an element-wise loop, a reduction of values as
 * they are computed, the call of a function of whole arrays, or an assignment to a part of an array.
 *
 *   eval.c           checks the request, and finds the program that the context keeps
 *   eval_program.c   translates an expression to stages
 *   eval_divide.c    says which values become arrays so that no kernel is too large
 *   eval_run.c       runs the stages
 *   eval_views.c     makes the views that stages read
 *
 * A text without functions of whole arrays, subscripts on the left, and brackets after expressions is one loop.
 * Otherwise what these functions take is computed first: as the map of a reduction, so that no array of it is needed,
 * or as an array.  Their results are inputs of the stages around them, as are views of arrays.  Outputs that depend on
 * the same arrays share a loop.
 *
 * Stages pass values to each other: arrays that the run makes.  Assignments to parts of arrays come as late as
 * possible, so that the array as it was before is rarely needed afterwards and the part can be written in place.
 */
#ifndef MNP__OPS_EXPRESSION_EVAL_PROGRAM_H
#define MNP__OPS_EXPRESSION_EVAL_PROGRAM_H

#include "array/view.h"
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

/*
 * What a stage reads: the number of one of the caller's inputs; MNP__MAX_NAMES + v, which is value v; or -1 - v, which
 * is view v.
 */
typedef int mnp__operand;

typedef struct mnp__eval_view {
    mnp__operand of;
    const char *at; /* in the text that was translated: only its distance from the beginning is of use */
    mnp__subscripts subscripts;
} mnp__eval_view;

/* Which of these members are set says what a stage is. */
typedef struct mnp__stage {
    mnp__loop *loop;
    mnp__reduction *reduction; /* of the values of an expression */
    mnp__array_call *call;     /* of a function of whole arrays, also that of `reduction` */
    int target;                /* the view of a value, by its number, that the loop writes to; -1: none */
    int output;                /* of such a loop: the output that the array becomes in the end, or -1 */
    bool last;                 /* a loop that computes outputs */
    ptrdiff_t at;              /* where in the text, for messages */
    int ninputs, noutputs;
    mnp__operand inputs[MNP__MAX_OPERANDS];
    int outputs[MNP__MAX_OPERANDS]; /* numbers of values */
} mnp__stage;

typedef struct mnp__program {
    const char *text; /* that was translated; it is not there any more when the program runs */
    int nstages, stages_capacity, nvalues, nviews, views_capacity, noutputs;
    mnp__operand results[MNP__MAX_OPERANDS]; /* of every output; several may have the same */
    int ndims[MNP__MAX_OPERANDS];            /* of the outputs; the extents depend on the arrays of a run */
    mnp_dtype dtypes[MNP__MAX_OPERANDS];
    mnp__stage *stages;
    mnp__eval_view *views;
    int *last_uses; /* of each value: the last stage that reads it; nstages if it is a result */
} mnp__program;

/* Translate a parsed and typed expression; `dtypes` are those of the outputs.  This compiles nothing. */
mnp_status mnp__program_new(mnp_ctx *ctx, const mnp__request *request, mnp__expression *expression,
                            const mnp_dtype *dtypes, mnp__program **program_p);
void mnp__program_free(mnp__program *program);

enum { MNP__MOST_OPERATIONS = 8000 }; /* of a kernel; an expression that needs a larger one is refused */

/*
 * Mark in `stored` those of the wanted nodes whose values are to become arrays, so that a kernel neither has too many
 * operations nor reads too many arrays.  MNP_ERR_MEMORY.
 */
mnp_status mnp__program_divide(const mnp__expression *expression, const bool *wanted, bool *stored);

/* The caller's input, or the number of the value, that an operand is or is a view of. */
mnp__operand mnp__program_root(const mnp__program *program, mnp__operand operand);

/* ---- a run ---- */

typedef struct mnp__run {
    mnp_ctx *ctx;
    const mnp__program *program;
    const mnp__request *request;
    mnp_array **values;                   /* made by stages */
    bool *borrowed;                       /* of each value: it is a given output; the run owns the others */
    mnp_array *copies[MNP__MAX_OPERANDS]; /* for outputs that share a value; the run owns them */
    bool written[MNP__MAX_OPERANDS];      /* given outputs that have their values already */
} mnp__run;

/* What subscripts mean for an array: as mnp__view_make() takes it. */
typedef struct mnp__part {
    int ndim;
    mnp__view_dim dims[MNP_MAX_DIMS];
    int64_t at[MNP_MAX_DIMS];
} mnp__part;

/* The arrays that a stage reads, some of which are views that were made for it. */
typedef struct mnp__reading {
    int count;
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    mnp_array *views[MNP__MAX_OPERANDS], *hulls[MNP__MAX_OPERANDS];
    mnp__shift shifts[MNP__MAX_OPERANDS];
} mnp__reading;

/* The array of a caller's input or of a value. */
const mnp_array *mnp__run_array(const mnp__run *r, mnp__operand root);

/* Make a view of an array; or the view that an operand is, by the views that it is a view of. */
mnp_status mnp__run_view(const mnp__run *r, const mnp__eval_view *view, const mnp_array *of, mnp_array **view_p);
mnp_status mnp__run_open_view(const mnp__run *r, mnp__operand operand, mnp_array **view_p);

/* Open and close the inputs of a stage; and set their shifts, for mnp__apply(). */
mnp_status mnp__run_open_inputs(const mnp__run *r, const mnp__stage *stage, mnp__reading *in);
void mnp__run_close_inputs(mnp__reading *in);
mnp_status mnp__run_find_shifts(const mnp__run *r, const mnp__stage *stage, mnp__reading *in);

/* After MNP_ERR_ARG show in the message where in the text the mistake is.  Returns the status. */
mnp_status mnp__run_show(const mnp__run *r, ptrdiff_t at, mnp_status st);

/* Run a program.  Outputs are written by the last stage or after it, but for parts that are assigned in place. */
mnp_status mnp__program_run(mnp_ctx *ctx, const mnp__program *program, const mnp__request *request);

#endif
