/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple solve: the method.  Where the command line does not choose, what suits the matrix is tried first, and what
 * may help where that fails after it, from the best iterate so far (mnp_solve_choose()).
 */
#include "solve/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "common/rehearsal.h"
#include "report/progress.h"

/* ---- choosing ---- */

mnp_status solve_find_traits(job *j)
{
    mnp_status status = j->knows_traits ? MNP_OK : mnp_sparse_find_traits(j->a, &j->traits);
    j->knows_traits = status == MNP_OK;
    return status;
}

/* Whether a preconditioner is Hermitian and positive definite where the matrix is, as cg needs it. */
static bool suits_cg(mnp_precond_kind kind)
{
    return kind != MNP_PRECOND_ILU0 && kind != MNP_PRECOND_SOR;
}

/* The method for the preconditioner of the command line. */
static void choose_method(job *j)
{
    const bool positive = j->traits.hermitian && j->traits.positive_diagonal;
    j->method = positive && suits_cg(j->precond_kind) ? MNP_SOLVER_CG : MNP_SOLVER_GMRES;
}

static bool choose(job *j, int attempt)
{
    mnp_solve_choice choice;
    if (j->method_given)
        return attempt == 0;
    if (j->precond_given) {
        choose_method(j);
        return attempt == 0;
    }
    if (!mnp_solve_choose(j->a, &j->traits, attempt, &choice))
        return false;
    j->method = choice.solver;
    j->precond_kind = choice.precond;
    j->options.restart = choice.restart;
    return true;
}

/* ---- one attempt ---- */

/* Make the preconditioner; *lacks_p: the matrix has none of that kind, and another method may be tried. */
static mnp_status build(job *j, bool *lacks_p)
{
    *lacks_p = false;
    mnp_precond_free(j->precond);
    j->options.precond = j->precond = NULL;
    if (j->precond_kind == MNP_PRECOND_NONE)
        return MNP_OK;
    mnp_status status = mnp_precond_new(j->a, j->precond_kind, &j->precond_options, &j->precond);
    j->options.precond = j->precond;
    if (status == MNP_OK || j->method_given || j->precond_given)
        return status;
    int lacks = status == MNP_ERR_ARG, fails = status != MNP_ERR_ARG && status != MNP_ERR_PEER;
    all_reduce(j->ctx, &lacks, 1, MPI_INT, MPI_MAX);
    all_reduce(j->ctx, &fails, 1, MPI_INT, MPI_MAX);
    *lacks_p = lacks && !fails;
    return *lacks_p ? MNP_OK : status;
}

/* When the progress function is called, and whether it shows a line. */
static void set_progress(job *j)
{
    /* Iterations between two calls of the progress function if only the progress line needs it: a GPU stops for each */
    const int seldom = strcmp(mnp_ctx_device_kind(j->ctx), "host") == 0 ? 1 : 100;
    const bool shows = progress_shown();
    j->gives_up = !j->method_given && !j->precond_given && j->method == MNP_SOLVER_GMRES;
    const bool needed = shows || j->checkpoint || j->gives_up; /* otherwise the device does not stop for it */
    j->options.progress = needed ? solve_progress : NULL;
    const bool often = shows || j->requeues > 0;
    const int looks = often ? (j->every + seldom - 1) / seldom : 1; /* calls between two checkpoints */
    j->options.every = shows && !j->checkpoint ? seldom : (j->every + looks - 1) / looks;
    j->options.argument = j;
}

/* The residuals of `more` follow those of `all`, whose last one they begin with. */
static mnp_status join_history(mnp_solve_result *all, const mnp_solve_result *more)
{
    const int64_t added = more->history_count > 1 ? more->history_count - 1 : 0;
    double *history = realloc(all->history, (size_t)(all->history_count + added + 1) * sizeof *history);
    if (!history)
        return mnp_fail(MNP_ERR_MEMORY, "no memory for the residuals of %" PRId64 " iterations",
                        all->history_count + added);
    memcpy(history + all->history_count, more->history + (added > 0), (size_t)added * sizeof *history);
    all->history = history;
    all->history_count += added;
    return MNP_OK;
}

/* What an attempt has done with column k is added to what those before it have done. */
static mnp_status join_result(job *j, int64_t k, mnp_solve_result *more)
{
    mnp_solve_result *all = &j->results[k];
    if (!j->solved) {
        *all = *more;
        *more = (mnp_solve_result){.history = NULL};
        return MNP_OK;
    }
    const mnp_solve_result before = *all;
    mnp_status status = join_history(all, more);
    all->reason = more->reason;
    all->iterations = before.iterations + more->iterations;
    all->residual = more->residual;
    all->seconds = before.seconds + more->seconds;
    mnp_solve_result_clear(more);
    return status;
}

/* A least-squares solution of a square system solves it only if its residual is within the tolerance. */
static void judge_least_squares(const job *j, mnp_solve_result *result)
{
    const double rtol = j->options.rtol == 0 ? 1e-5 : fmax(j->options.rtol, 0);
    const double tolerance = fmax(rtol * result->rhs_norm, j->options.atol) * (1 + 1e-6);
    if (result->reason == MNP_SOLVE_CONVERGED && result->residual > tolerance)
        result->reason = MNP_SOLVE_STAGNATED;
}

static mnp_status solve_once(job *j)
{
    const int64_t *shape = mnp_sparse_shape(j->a);
    mnp_solve_result *made = calloc((size_t)j->columns + 1, sizeof *made);
    mnp_status status = mnp_agree(j->ctx, made ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for results"));
    set_progress(j);
    progress_stage(0, NULL, "solving");
    if (status == MNP_OK)
        status = mnp_solve(j->op, j->b, j->method, &j->options, &j->x, made);
    mnp_status joined = MNP_OK;
    for (int64_t k = 0; status == MNP_OK && k < j->columns; k++) {
        if (!j->method_given && j->method == MNP_SOLVER_LSQR && shape[0] == shape[1])
            judge_least_squares(j, &made[k]);
        mnp_status one = join_result(j, k, &made[k]);
        joined = joined == MNP_OK ? one : joined;
    }
    free(made);
    return status == MNP_OK ? mnp_agree(j->ctx, joined) : status;
}

/* ---- compiling ahead ---- */

void solve_rehearse_reading(const job *j)
{
    mnp_sparse_traits traits;
    mnp_ctx *rehearsal = rehearsal_begin(j->ctx);
    mnp_sparse *matrix = rehearsal ? matrix_rehearse(rehearsal, &j->matrix) : NULL;
    if (matrix && !j->method_given)
        (void)mnp_sparse_find_traits(matrix, &traits);
    mnp_sparse_free(matrix);
    mnp_finalize(rehearsal);
}

/* Let the kernels of the attempt that was chosen be compiled side by side.  A matrix without rows has any factors. */
static void rehearse(const job *j)
{
    const int64_t rows = 0;
    mnp_sparse *matrix = NULL;
    mnp_operator *op = NULL;
    mnp_precond *precond = NULL;
    mnp_array *b = NULL, *x = NULL;
    mnp_ctx *rehearsal = rehearsal_begin(j->ctx);
    if (rehearsal &&
        mnp_sparse_from_triplets(rehearsal, mnp_sparse_dtype(j->a), rows, rows, NULL, NULL, 0, NULL, NULL, NULL,
                                 &matrix) == MNP_OK &&
        (j->precond_kind == MNP_PRECOND_NONE ||
         mnp_precond_new(matrix, j->precond_kind, &j->precond_options, &precond) == MNP_OK) &&
        mnp_operator_from_sparse(matrix, &op) == MNP_OK &&
        mnp_ones(rehearsal, mnp_array_dtype(j->b), 1, &rows, &b) == MNP_OK) {
        mnp_solve_options options = j->options;
        options.precond = precond;
        options.progress = NULL;
        (void)mnp_solve(op, b, j->method, &options, &x, NULL);
    }
    mnp_free_all(b, x);
    mnp_precond_free(precond);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
    mnp_finalize(rehearsal);
}

/* ---- attempts ---- */

static int64_t iterations_of(const job *j)
{
    int64_t most = 0;
    for (int64_t k = 0; k < j->columns; k++)
        most = j->results[k].iterations > most ? j->results[k].iterations : most;
    return most;
}

/* The first reason that is not convergence. */
static mnp_solve_reason reason_of(const job *j)
{
    for (int64_t k = 0; k < j->columns; k++)
        if (j->results[k].reason != MNP_SOLVE_CONVERGED)
            return j->results[k].reason;
    return MNP_SOLVE_CONVERGED;
}

static void note(job *j, bool lacks, int64_t iterations)
{
    if (j->attempts < MOST_ATTEMPTS)
        j->tried[j->attempts] = (trial){.method = j->method,
                                        .precond = j->precond_kind,
                                        .lacks = lacks,
                                        .reason = lacks ? MNP_SOLVE_BREAKDOWN : reason_of(j),
                                        .iterations = iterations};
    j->attempts++;
}

/* Iterates that are worse than 0 are no guess for the next attempt. */
static mnp_status drop_bad_iterates(job *j)
{
    mnp_status status = MNP_OK;
    for (int64_t k = 0; status == MNP_OK && k < j->columns; k++) {
        char text[48] = ":";
        mnp_array *column = NULL;
        if (j->results[k].residual <= j->results[k].rhs_norm)
            continue;
        if (mnp_array_ndim(j->x) == 2)
            snprintf(text, sizeof text, ":, %" PRId64, k);
        status = mnp_index(j->x, text, &column);
        if (status == MNP_OK)
            status = mnp_copyto(column, mnp_scalar_float(j->ctx, 0), MNP_CASTING_SAME_KIND);
        mnp_array_free(column);
    }
    return status;
}

/* Not so where matrix, right-hand side or guess have NaN or infinities: then nothing is computed. */
static bool is_finite(const mnp_solve_result *result)
{
    return isfinite(result->rhs_norm) && isfinite(result->residual);
}

/* Whether another attempt may help: not where the limit of iterations has come, or numbers are not finite. */
static bool may_go_on(const job *j)
{
    const mnp_solve_reason reason = reason_of(j);
    for (int64_t k = 0; k < j->columns; k++)
        if (!is_finite(&j->results[k]) || j->results[k].reason == MNP_SOLVE_MAXITER)
            return false;
    return reason != MNP_SOLVE_CONVERGED;
}

void solve_run(job *j)
{
    const int64_t most = j->options.maxiter ? j->options.maxiter : 10 * mnp_sparse_shape(j->a)[1];
    const bool chooses = !j->method_given;
    progress_stage(0, NULL, "looking at MATRIX");
    if (chooses)
        OR_EXIT(solve_find_traits(j));
    j->saved = j->before;
    for (int attempt = 0; (!j->solved || may_go_on(j)) && !j->leaves && choose(j, attempt); attempt++) {
        bool lacks;
        const int64_t done = j->solved ? iterations_of(j) : 0;
        rehearse(j);
        progress_stage(0, NULL, "making the preconditioner");
        OR_EXIT(build(j, &lacks));
        stopwatch_lap(&j->watch, STAGE_BUILD);
        if (lacks) {
            note(j, true, 0);
            continue;
        }
        j->done = j->before + done;
        j->options.maxiter = most > j->done ? most - j->done : 1;
        if (j->solved)
            OR_EXIT(drop_bad_iterates(j));
        OR_EXIT(solve_once(j));
        stopwatch_lap(&j->watch, STAGE_SOLVE);
        note(j, false, iterations_of(j) - done);
        j->solved = true;
    }
}

/* ---- hints ---- */

/* Whether this is what was used, or tried on the way to it. */
static bool was_tried(const job *j, const mnp_solve_choice *choice)
{
    for (int i = 0; i < j->attempts && i < MOST_ATTEMPTS; i++)
        if (j->tried[i].method == choice->solver && j->tried[i].precond == choice->precond)
            return true;
    return false;
}

/* Print what suits the matrix and was not tried.  False: there is nothing. */
static bool print_choice(const job *j, const char *traits)
{
    mnp_solve_choice choice;
    for (int number = 0; mnp_solve_choose(j->a, &j->traits, number, &choice); number++) {
        if (was_tried(j, &choice))
            continue;
        printf("hint      MATRIX is %s; try --method %s", traits, method_names[choice.solver]);
        if (choice.precond != MNP_PRECOND_NONE)
            printf(" --precond %s", precond_names[choice.precond]);
        if (choice.restart > 0)
            printf(" --restart %d", choice.restart);
        printf("\n");
        return true;
    }
    return false;
}

static void print_hint(const job *j)
{
    const char *traits = mnp_sparse_traits_text(j->a, &j->traits);
    mnp_solve_choice best;
    bool finite = true;
    for (int64_t k = 0; k < j->columns; k++)
        finite = finite && is_finite(&j->results[k]);
    const bool had_best = mnp_solve_choose(j->a, &j->traits, 0, &best) && was_tried(j, &best);
    if (!finite)
        printf("hint      MATRIX, RHS or GUESS has NaN or infinities\n");
    else if (reason_of(j) == MNP_SOLVE_MAXITER && (had_best || !j->method_given))
        printf("hint      MATRIX is %s, for which this method is meant; try a larger --maxiter or --rtol\n", traits);
    else if (!print_choice(j, traits))
        printf(
            "hint      MATRIX is %s, and what suits that was tried: it may be singular, or --rtol too small for %s\n",
            traits, mnp_dtype_name(mnp_sparse_dtype(j->a)));
}

void solve_hint(job *j)
{
    OR_EXIT(solve_find_traits(j));
    if (mnp_ctx_rank(j->ctx) == 0)
        print_hint(j);
}
