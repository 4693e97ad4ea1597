/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple solve: a system, its progress line and checkpoints, and its output and report.
 */
#ifndef APPS_SOLVE_SOLVE_H
#define APPS_SOLVE_SOLVE_H

#include <stdbool.h>
#include <time.h>

#include <maniple.h>

#include "common/matrix.h"
#include "common/operand.h"
#include "common/report.h"

enum { EXIT_NOT_CONVERGED = 3 };

typedef enum rhs_kind { RHS_ONES, RHS_DATASET, RHS_MARKET } rhs_kind;
typedef enum solve_stage { STAGE_READ = FIRST_STAGE, STAGE_BUILD, STAGE_SOLVE, STAGE_WRITE, NUM_STAGES } solve_stage;

typedef struct job {
    mnp_ctx *ctx;
    /* From the command line */
    matrix_operand matrix;
    rhs_kind rhs_kind;
    const char *rhs_text; /* NULL: ones */
    operand rhs, output, guess;
    const char *checkpoint, *resume, *png;
    int every;
    bool quiet;
    mnp_solver method;
    mnp_precond_kind precond_kind;
    mnp_precond_options precond_options;
    mnp_solve_options options;
    /* The system */
    mnp_sparse *a;
    mnp_operator *op;
    mnp_precond *precond;
    mnp_array *b, *x;
    int64_t columns; /* of b: the number of systems */
    int64_t before;  /* iterations before the checkpoint that is resumed */
    mnp_solve_result *results;
    stopwatch watch;
    /* During the solution */
    struct {
        struct timespec time;
        double residual;
        int64_t iteration;
    } first; /* the first call of the progress function for the system that is being solved */
    struct timespec shown;
    int64_t looked, saved; /* iterations at the last call, and at the last checkpoint */
    bool shows;            /* whether there is a progress line */
    mnp_status status;     /* of the checkpoints */
} job;

extern const char *const method_names[], *const precond_names[];

/* The progress function for mnp_solve_options: the progress line and checkpoints; `argument` is the job. */
bool solve_progress(void *argument, int64_t iteration, double residual, const mnp_array *x);

/* Remove the progress line, if there is one. */
void solve_progress_end(const job *j);

/* Write the solution with its attributes and the history.  Collective. */
mnp_status solve_write(job *j);

/* Draw the residuals over the iterations, on rank 0.  Collective. */
mnp_status solve_draw(const job *j);

/* Print the report.  Collective. */
void solve_report(const job *j);

/* Whether all systems converged. */
bool solve_converged(const job *j);

/* Read a checkpoint; its iterate becomes the guess.  Collective. */
mnp_status solve_resume(job *j);

#endif
