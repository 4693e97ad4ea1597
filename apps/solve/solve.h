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
#include "plan/plan.h"
#include "report/report.h"
#include "common/result.h"

enum { EXIT_NOT_CONVERGED = 3, EXIT_REQUEUED = 4 };

typedef enum rhs_kind { RHS_ONES, RHS_DATASET, RHS_MARKET } rhs_kind;
typedef enum solve_stage { STAGE_READ = FIRST_STAGE, STAGE_BUILD, STAGE_SOLVE, STAGE_WRITE, NUM_STAGES } solve_stage;

/* A method that was tried. */
enum { MOST_ATTEMPTS = 8 };
typedef struct trial {
    mnp_solver method;
    mnp_precond_kind precond;
    bool lacks; /* the matrix has no such preconditioner: nothing was computed */
    mnp_solve_reason reason;
    int64_t iterations;
} trial;

typedef struct job {
    mnp_ctx *ctx;
    /* From the command line */
    matrix_operand matrix;
    rhs_kind rhs_kind;
    const char *rhs_text; /* NULL: ones */
    operand rhs, guess;
    result_request result;
    plan_request plan;
    const char *checkpoint, *resume;
    int every, requeues;              /* requeues: how often the job may be requeued */
    bool method_given, precond_given; /* otherwise the matrix decides */
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
    bool knows_traits, knows_rhs;
    mnp_sparse_traits traits;
    uint64_t rhs_fingerprint;
    trial tried[MOST_ATTEMPTS];
    int attempts;              /* those that came to an end */
    bool solved;               /* one of them made a solution, however good */
    mnp_solve_result *results; /* of all attempts together */
    stopwatch watch;
    picture_made made;
    /* During the solution */
    struct {
        struct timespec time;
        double residual;
        int64_t iteration;
    } first, half; /* the first call of the progress function for the system that is being solved; see gives_up */
    int64_t done;  /* iterations before those that are being made */
    int64_t looked, saved; /* iterations at the last call, and at the last checkpoint */
    int64_t unsaved;       /* checkpoints that could not be written */
    bool warned, leaves;   /* the job is near its limit of time; and is to be requeued: see requeue.c */
    bool gives_up;         /* a method whose residual hardly falls while its iterations double is given up */
} job;

extern const char *const method_names[], *const precond_names[];

/* The progress function for mnp_solve_options: the progress line and checkpoints; `argument` is the job. */
bool solve_progress(void *argument, int64_t iteration, double residual, const mnp_array *x);

/* Write the solution with its attributes and the history.  Collective. */
mnp_status solve_write(job *j);

/* Draw the residuals over the iterations, on rank 0.  Collective. */
mnp_status solve_draw(job *j);

/* Print the report.  Collective. */
void solve_report(const job *j);

/* Whether all systems converged. */
bool solve_converged(const job *j);

/* ---- solve_plan.c ---- */

/* Print what --plan asks for; the matrix is looked at, not read.  Collective. */
void solve_plan(job *j);

/* ---- attempts.c ---- */

/* Let the kernels by which MATRIX is read and looked at be compiled side by side. */
void solve_rehearse_reading(const job *j);

/* Solve by the method of the command line, or by those that suit the matrix, one after the other.  Collective. */
void solve_run(job *j);

/* Look at the matrix, unless that was done.  Collective. */
mnp_status solve_find_traits(job *j);

/* Print what may help after all attempts have failed.  Collective. */
void solve_hint(job *j);

/* ---- checkpoint.c ---- */

/*
 * Before the work: refuse files that are no checkpoints.  What the command line does not say about the method is taken
 * from the checkpoint that is resumed.  Collective.
 */
mnp_status checkpoint_check_files(job *j);

/* When the system is known: refuse checkpoints of other ones.  Collective. */
mnp_status checkpoint_check_system(job *j);

/* Read the iterate and the number of iterations before it.  Collective. */
mnp_status checkpoint_resume(job *j, mnp_array **x_p);

/* Write a checkpoint, so many iterations after those that were done before.  A failure is a warning.  Collective. */
void checkpoint_save(job *j, int64_t iteration, const mnp_array *x);

/* ---- requeue.c ---- */

/* With --requeue: take note of Slurm's warning instead of ending by it.  Before MPI starts.  Not collective. */
void requeue_listen(const job *j);

/*
 * Whether to end now, for the job to be requeued: a rank was warned, the iterate after so many iterations is saved, and
 * --requeue allows one time more.  Always false without --requeue.  Collective.
 */
bool requeue_is_due(job *j, int64_t iteration, const mnp_array *x);

/* Requeue the job, and say so.  Returns the exit status.  Collective. */
int requeue_job(const job *j);

#endif
