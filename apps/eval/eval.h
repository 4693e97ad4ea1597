/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What maniple eval knows of its operands and outputs, and the report.
 */
#ifndef APPS_EVAL_EVAL_H
#define APPS_EVAL_EVAL_H

#include <stdbool.h>

#include <maniple.h>

#include "common/operand.h"
#include "plan/plan.h"
#include "report/report.h"
#include "common/result.h"
#include "picture/array.h"

enum { MAX_OPERANDS = 32, MAX_OUTPUTS = MAX_OPERANDS + 1, MAX_NAME = 64 }; /* one output may be drawn alone */

/* An operand or an output: a name in the statements, and its meaning. */
typedef struct named {
    char name[MAX_NAME], role[MAX_NAME + 16];
    const char *text;  /* as typed after the name; NULL: an output that is printed and not written */
    bool is_number;    /* an operand: it was given as a number; an output: it has no dimensions */
    char kind;         /* of a number: 'b', 'i', 'u', 'f' or 'c' */
    long long integer; /* the value of a number of kind 'b', 'i' or 'u' */
    double real, imag; /* the value of other numbers */
    operand operand;   /* unless it is a number */
    mnp_array *array;  /* unless it is a number; NULL before it is read and after it is freed */
} named;

typedef struct job {
    const char *statements; /* NULL before they are read from a file */
    const char *file;       /* that they are in, or NULL */
    char *text;             /* of the file */
    named *inputs, *outputs;
    int ninputs, noutputs;
    result_request result; /* but for outputs, of which there may be several */
    plan_request plan;
    char pictured[MAX_NAME]; /* the variable that is drawn; "": the value of the last statement */
    int pictured_output;     /* which output that is */
    char drawn[ARRAY_WORDS]; /* what the report says of the picture; "": there is none */
} job;

/* The stages, of which a run without a picture has no last one. */
typedef enum stage { READ = FIRST_STAGE, EVALUATE, WRITE, PICTURE, NUM_STAGES } stage;

/* Copy a value without dimensions to the CPU; an array is left as it is.  Collective. */
mnp_status eval_take_value(named *output);

/* Print such a value. */
void eval_print_value(const named *output);

/* Print what --plan asks for, once the results have these dtypes and numbers of dimensions.  Collective. */
mnp_status eval_plan(mnp_ctx *ctx, const job *j, const mnp_dtype *dtypes, const int *ndims);

/* Print the report.  Collective. */
void eval_report(const job *j, const stopwatch *watch);

#endif
