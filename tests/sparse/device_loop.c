/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The solvers' loop on the device: a GPU repeats the iterations by itself, and each gives what plain launches give; it
 * pauses for the caller's function and for the history, and ends when the method ends, for each of its reasons. Where a
 * loop cannot be recorded the launches go on.  Where there are no such loops, as on the host device, all but these
 * comparisons is tested all the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple.h>

#include "comm/collectives/collectives.h"
#include "context/context.h"
#include "kernels/sparse/step/step_params.h"
#include "sparse/operator/operator.h"

#include "tests/tap.h"

enum { MOST_COLUMNS = 3, LOOK = 10 /* iterations of a body, about: so late things may be noticed */ };

static mnp_ctx *ctx;
static bool loops; /* the device's, and that these ranks can use */

/* The outcome of a solve, and what its calls of `progress` received. */
struct outcome {
    mnp_solve_result result[MOST_COLUMNS];
    int calls;
    int64_t last, stop_at; /* iterations at the last call; stop there (0: nowhere) */
    double last_residual;
    const mnp_graph *graph; /* a loop, the last that was there */
    int graphs;             /* how many were there */
    bool wrong;             /* iterations did not rise from call to call, or x was no vector */
    bool unwatched;         /* progress is not to be called */
};

static bool look_on(void *argument, int64_t iteration, double residual, const mnp_array *x)
{
    struct outcome *outcome = argument;
    outcome->wrong = outcome->wrong || iteration < outcome->last || mnp_array_ndim(x) != 1;
    outcome->calls++;
    outcome->last = iteration;
    outcome->last_residual = residual;
    if (ctx->graphs && ctx->graphs != outcome->graph) {
        outcome->graph = ctx->graphs;
        outcome->graphs++;
    }
    return outcome->stop_at > 0 && iteration >= outcome->stop_at;
}

static void clear(struct outcome *outcome)
{
    for (int k = 0; k < MOST_COLUMNS; k++)
        mnp_solve_result_clear(&outcome->result[k]);
    *outcome = (struct outcome){.calls = 0};
}

/* Solve as the operator lets it; `outcome` says where to stop. */
static mnp_status solve(const mnp_operator *op, const mnp_array *b, mnp_solver solver, const mnp_solve_options *options,
                        struct outcome *outcome)
{
    mnp_solve_options watched = *options;
    mnp_array *x = NULL;
    watched.progress = outcome->unwatched ? NULL : look_on;
    watched.argument = outcome;
    mnp_status st = mnp_solve(op, b, solver, &watched, &x, outcome->result);
    mnp_array_free(x);
    return st;
}

/* Whether the history is complete, and ends with what the last call of progress was told. */
static bool has_history(const mnp_solve_result *result)
{
    bool good = result->history_count == result->iterations + 1;
    for (int64_t i = 0; i < result->history_count && good; i++)
        good = isfinite(result->history[i]) && result->history[i] >= 0;
    return good;
}

static bool same_history(const mnp_solve_result *a, const mnp_solve_result *b)
{
    bool same = a->reason == b->reason && a->iterations == b->iterations && a->history_count == b->history_count;
    for (int64_t i = 0; i < a->history_count && same; i++)
        same = fabs(a->history[i] - b->history[i]) <= 1e-10 * fabs(b->history[i]);
    return same && fabs(a->residual - b->residual) <= 1e-6 * b->residual;
}

/* ---- the methods ---- */

static const struct method_case {
    const char *name;
    mnp_solver solver;
    const char *matrix;
    mnp_precond_kind precond;
    int restart;
    double bound, rtol;
} cases[] = {
    {"cg", MNP_SOLVER_CG, "poisson:31x20", MNP_PRECOND_NONE, 0, 0, 1e-10},
    {"cg, jacobi", MNP_SOLVER_CG, "poisson:31x20", MNP_PRECOND_JACOBI, 0, 0, 1e-10},
    {"cg, chebyshev", MNP_SOLVER_CG, "poisson:61x50", MNP_PRECOND_CHEBYSHEV, 0, 0, 1e-12},
    {"cg, ssor", MNP_SOLVER_CG, "poisson:31x20", MNP_PRECOND_SSOR, 0, 0, 1e-10},
    {"cg, again and again", MNP_SOLVER_CG, "poisson:61x50", MNP_PRECOND_NONE, 0, 0, 1e-15},
    {"cg1", MNP_SOLVER_CG1, "poisson:31x20", MNP_PRECOND_NONE, 0, 0, 1e-9},
    {"bicgstab", MNP_SOLVER_BICGSTAB, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 0, 0, 1e-10},
    {"bicgstab, ilu0", MNP_SOLVER_BICGSTAB, "convdiff:61x50@0.01", MNP_PRECOND_ILU0, 0, 0, 1e-12},
    {"cgs", MNP_SOLVER_CGS, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 0, 0, 1e-8},
    {"tfqmr", MNP_SOLVER_TFQMR, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 0, 0, 1e-8},
    {"tfqmr, jacobi", MNP_SOLVER_TFQMR, "convdiff:31x20@0.3", MNP_PRECOND_JACOBI, 0, 0, 1e-8},
    {"bicg", MNP_SOLVER_BICG, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 0, 0, 1e-8},
    {"bicg, jacobi", MNP_SOLVER_BICG, "convdiff:31x20@0.3", MNP_PRECOND_JACOBI, 0, 0, 1e-8},
    {"qmr", MNP_SOLVER_QMR, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 0, 0, 1e-8},
    {"qmr, block-jacobi", MNP_SOLVER_QMR, "convdiff:31x20@0.3", MNP_PRECOND_BLOCK_JACOBI, 0, 0, 1e-8},
    {"gmres(7)", MNP_SOLVER_GMRES, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 7, 0, 1e-6},
    {"fgmres(7)", MNP_SOLVER_FGMRES, "convdiff:31x20@0.3", MNP_PRECOND_JACOBI, 7, 0, 1e-6},
    {"gmres(20)", MNP_SOLVER_GMRES, "convdiff:61x50@0.3", MNP_PRECOND_NONE, 20, 0, 1e-8},
    {"minres", MNP_SOLVER_MINRES, "poisson:31x20", MNP_PRECOND_NONE, 0, 0, 1e-8},
    {"minres, jacobi", MNP_SOLVER_MINRES, "poisson:31x20", MNP_PRECOND_JACOBI, 0, 0, 1e-8},
    {"idr(6)", MNP_SOLVER_IDR, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 6, 0, 1e-8},
    {"chebyshev", MNP_SOLVER_CHEBYSHEV, "poisson:31x20", MNP_PRECOND_NONE, 0, 0, 1e-5},
    {"richardson", MNP_SOLVER_RICHARDSON, "poisson:9x5", MNP_PRECOND_NONE, 0, 0.24, 1e-4},
    {"lsqr", MNP_SOLVER_LSQR, "convdiff:31x20@0.3", MNP_PRECOND_NONE, 0, 0, 1e-6},
};

/* Where the matrix is of float32, and b is of float64. */
static const struct method_case mixed[] = {
    {"cg, jacobi of float32", MNP_SOLVER_CG, "poisson:31x20", MNP_PRECOND_JACOBI, 0, 0, 1e-10},
    {"gmres(7), ilu0 of float32", MNP_SOLVER_GMRES, "convdiff:61x50@0.01", MNP_PRECOND_ILU0, 7, 0, 1e-5},
};

/* A right-hand side that is none of the matrix's eigenvectors. */
static mnp_array *make_b(int64_t n)
{
    mnp_array *b = NULL;
    MNP_OR_EXIT(mnp_fromfunction(ctx, "1 + (7 * i0) % 11 + 0.1 * (i0 % 3)", MNP_FLOAT64, 1, &n, &b));
    return b;
}

static void check_method(const struct method_case *c, mnp_dtype dtype)
{
    mnp_sparse *matrix = NULL;
    mnp_operator *op = NULL;
    mnp_precond *precond = NULL;
    struct outcome looped = {.calls = 0}, alone = {.unwatched = true}, plain = {.calls = 0};
    MNP_OR_EXIT(mnp_sparse_generate(ctx, c->matrix, dtype, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &op));
    if (c->precond != MNP_PRECOND_NONE)
        MNP_OR_EXIT(mnp_precond_new(matrix, c->precond, NULL, &precond));
    mnp_array *b = make_b(mnp_sparse_shape(matrix)[0]);
    const mnp_solve_options options = {
        .rtol = c->rtol, .restart = c->restart, .precond = precond, .bounds = {c->bound}, .maxiter = 400};
    mnp_status st = solve(op, b, c->solver, &options, &looped);
    const mnp_solve_result *result = looped.result;
    ok(st == MNP_OK && result->iterations > 2 * LOOK && has_history(result) && !looped.wrong &&
           looped.last == result->iterations && result->reason != MNP_SOLVE_DIVERGED,
       "%s: %lld iterations, reason %d, residual %g%s%s", c->name, (long long)result->iterations, (int)result->reason,
       result->residual, st == MNP_OK ? "" : ": ", st == MNP_OK ? "" : mnp_error_message());
    st = solve(op, b, c->solver, &options, &alone);
    ok(st == MNP_OK && same_history(result, alone.result), "%s: the same in one go, without a function that looks on",
       c->name);
    if (loops) {
        op->enqueues = false; /* as it seems, so the CPU launches all iterations */
        st = solve(op, b, c->solver, &options, &plain);
        ok(looped.graphs == 1 && plain.graphs == 0, "%s: the device goes round", c->name);
        ok(st == MNP_OK && same_history(result, plain.result), "%s: as plain launches do, which take %lld iterations",
           c->name, (long long)plain.result->iterations);
    }
    clear(&looped);
    clear(&alone);
    clear(&plain);
    mnp_array_free(b);
    mnp_precond_free(precond);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
}

/* The methods for least squares, whose results are of their own. */
static mnp_status solve_least(const mnp_operator *op, const mnp_array *b, bool lsmr, struct outcome *outcome,
                              mnp_least_squares_result *result)
{
    const mnp_least_squares_options options = {
        .damp = 0.3, .atol = 1e-6, .btol = 1e-6, .maxiter = 400, .progress = look_on, .argument = outcome};
    mnp_array *x = NULL, *variances = NULL;
    mnp_status st = lsmr ? mnp_lsmr(op, b, &options, &x, result) : mnp_lsqr(op, b, &options, &x, &variances, result);
    mnp_array_free(variances);
    mnp_array_free(x);
    return st;
}

static bool are_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static void check_least_squares(bool lsmr)
{
    const char *name = lsmr ? "lsmr" : "lsqr with variances";
    mnp_sparse *matrix = NULL;
    mnp_operator *op = NULL;
    struct outcome looped = {.calls = 0}, plain = {.calls = 0};
    mnp_least_squares_result there, here;
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "convdiff:31x20@0.3", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &op));
    mnp_array *b = make_b(mnp_sparse_shape(matrix)[0]);
    mnp_status st = solve_least(op, b, lsmr, &looped, &there);
    ok(st == MNP_OK && there.iterations > 2 * LOOK && !looped.wrong && looped.last == there.iterations &&
           looped.last_residual == there.r2norm && there.istop == 2,
       "%s: %lld iterations, istop %d, residual %g%s%s", name, (long long)there.iterations, there.istop, there.r2norm,
       st == MNP_OK ? "" : ": ", st == MNP_OK ? "" : mnp_error_message());
    if (loops) {
        op->enqueues = false;
        st = solve_least(op, b, lsmr, &plain, &here);
        ok(looped.graphs == 1 && plain.graphs == 0, "%s: the device goes round", name);
        ok(st == MNP_OK && there.istop == here.istop && there.iterations == here.iterations &&
               are_near(there.r2norm, here.r2norm) && are_near(there.anorm, here.anorm) &&
               are_near(there.acond, here.acond) && are_near(there.xnorm, here.xnorm),
           "%s: as plain launches do, which take %lld iterations", name, (long long)here.iterations);
    }
    mnp_array_free(b);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
}

/* ---- ends and pauses ---- */

/* A diagonal matrix of n rows: the last entry is `last`, those before go from 1 to 201. */
static mnp_operator *make_diagonal(int64_t n, double last, mnp_sparse **matrix_p)
{
    int64_t *places = malloc((size_t)(n + 1) * sizeof *places), count = 0;
    double *values = malloc((size_t)(n + 1) * sizeof *values);
    mnp_operator *op = NULL;
    for (int64_t i = mnp_ctx_rank(ctx); i < n; i += mnp_ctx_size(ctx)) {
        values[count] = i == n - 1 ? last : 1 + 200 * (double)i / (double)n;
        places[count++] = i;
    }
    *matrix_p = NULL;
    MNP_OR_EXIT(mnp_sparse_from_triplets(ctx, MNP_FLOAT64, n, n, NULL, NULL, count, places, places, values, matrix_p));
    MNP_OR_EXIT(mnp_operator_from_sparse(*matrix_p, &op));
    free(places);
    free(values);
    return op;
}

/* Ones on the diagonal: Richardson's residuals are powers of 1 - damping. */
static void check_powers(int64_t n, int64_t maxiter, double damping, mnp_solve_reason reason, int64_t iterations)
{
    mnp_sparse *matrix = NULL;
    mnp_operator *op = NULL;
    struct outcome outcome = {.calls = 0};
    MNP_OR_EXIT(mnp_sparse_eye(ctx, MNP_FLOAT64, n, n, 0, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &op));
    mnp_array *b = make_b(n);
    const mnp_solve_options options = {.rtol = -1, .maxiter = maxiter, .bounds = {damping}, .every = 300};
    mnp_status st = solve(op, b, MNP_SOLVER_RICHARDSON, &options, &outcome);
    const mnp_solve_result *result = outcome.result;
    bool right = result->history_count == iterations + 1;
    for (int64_t i = 0; i < result->history_count && right; i++) {
        const double expected = result->rhs_norm * pow(fabs(1 - damping), (double)i);
        right = fabs(result->history[i] - expected) <= 1e-8 * expected;
    }
    ok(st == MNP_OK && result->reason == reason && result->iterations == iterations && right,
       "%lld rows, damping %g: %lld iterations, reason %d, and a history of %lld", (long long)n, damping,
       (long long)result->iterations, (int)result->reason, (long long)result->history_count);
    ok(outcome.last == iterations && outcome.calls <= 1 + iterations / 300 && !outcome.wrong,
       "%d calls of progress, every 300 iterations at least", outcome.calls);
    clear(&outcome);
    mnp_array_free(b);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
}

/* Not definite, which cg finds after many iterations. */
static void check_breakdown(void)
{
    mnp_sparse *matrix;
    mnp_operator *op = make_diagonal(3000, -1e-12, &matrix);
    mnp_array *b = make_b(3000);
    struct outcome outcome = {.calls = 0};
    const mnp_solve_options options = {.rtol = 1e-13};
    mnp_status st = solve(op, b, MNP_SOLVER_CG, &options, &outcome);
    ok(st == MNP_OK && outcome.result->reason == MNP_SOLVE_BREAKDOWN && outcome.result->iterations > 3 * LOOK &&
           has_history(outcome.result),
       "cg breaks down after %lld iterations, reason %d", (long long)outcome.result->iterations,
       (int)outcome.result->reason);
    clear(&outcome);
    mnp_array_free(b);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
}

static void check_stop(const mnp_operator *op, const mnp_array *b)
{
    struct outcome outcome = {.stop_at = 35};
    const mnp_solve_options options = {.rtol = 1e-10};
    mnp_status st = solve(op, b, MNP_SOLVER_CG, &options, &outcome);
    const mnp_solve_result *result = outcome.result;
    ok(st == MNP_OK && result->reason == MNP_SOLVE_STOPPED && outcome.last >= 35 && outcome.last < 35 + 2 * LOOK &&
           result->iterations >= outcome.last && result->iterations <= outcome.last + LOOK && has_history(result) &&
           result->history[outcome.last] == outcome.last_residual,
       "stopped at %lld, after %lld iterations", (long long)outcome.last, (long long)result->iterations);
    clear(&outcome);
}

static void check_limit(const mnp_operator *op, const mnp_array *b)
{
    static const int64_t limits[] = {1, 10, 20, 27, 40};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct outcome outcome = {.calls = 0};
        const mnp_solve_options options = {.rtol = 1e-12, .maxiter = limits[i]};
        mnp_status st = solve(op, b, MNP_SOLVER_CG, &options, &outcome);
        ok(st == MNP_OK && outcome.result->reason == MNP_SOLVE_MAXITER && outcome.result->iterations == limits[i] &&
               has_history(outcome.result),
           "%lld iterations are the limit: %lld", (long long)limits[i], (long long)outcome.result->iterations);
        clear(&outcome);
    }
}

/* All columns use one loop, recorded once, and each gets the result that it gets alone. */
static void check_columns(const mnp_operator *op, int64_t n, mnp_solver solver)
{
    const int64_t shape[] = {n, MOST_COLUMNS};
    mnp_array *all = NULL;
    struct outcome together = {.calls = 0};
    const mnp_solve_options options = {.rtol = 1e-8, .maxiter = 400};
    MNP_OR_EXIT(mnp_fromfunction(ctx, "1 + (7 * i0 + 5 * i1) % 11", MNP_FLOAT64, 2, shape, &all));
    mnp_status st = solve(op, all, solver, &options, &together);
    bool same = st == MNP_OK;
    for (int k = 0; k < MOST_COLUMNS && same; k++) {
        struct outcome alone = {.calls = 0};
        char column[16];
        mnp_array *b = NULL;
        snprintf(column, sizeof column, ":, %d", k);
        MNP_OR_EXIT(mnp_index(all, column, &b));
        same = solve(op, b, solver, &options, &alone) == MNP_OK && same_history(&together.result[k], alone.result);
        mnp_array_free(b);
        clear(&alone);
    }
    ok(same && together.graphs == loops, "solver %d: columns have one loop, and come to what each alone does",
       (int)solver);
    clear(&together);
    mnp_array_free(all);
}

/* ---- what has no loop, and what is no system ---- */

static mnp_status multiply(void *argument, const mnp_array *x, mnp_array *y)
{
    mnp_array *copy = NULL;
    mnp_status st = mnp_copy(x, &copy);
    if (st == MNP_OK)
        st = mnp_operator_run(argument, false, copy, &y);
    mnp_array_free(copy);
    return st;
}

static void check_functions(mnp_operator *inner, const mnp_sparse *matrix, const mnp_array *b)
{
    mnp_operator *op = NULL;
    struct outcome by_function = {.calls = 0}, by_matrix = {.calls = 0};
    const mnp_solve_options options = {.rtol = 1e-8};
    MNP_OR_EXIT(mnp_operator_new(ctx, MNP_FLOAT64, mnp_sparse_row_layout(matrix), mnp_sparse_column_layout(matrix),
                                 multiply, NULL, inner, &op));
    mnp_status st = solve(op, b, MNP_SOLVER_BICGSTAB, &options, &by_function);
    if (st == MNP_OK)
        st = solve(inner, b, MNP_SOLVER_BICGSTAB, &options, &by_matrix);
    ok(st == MNP_OK && by_function.graphs == 0 && same_history(by_function.result, by_matrix.result),
       "a function of the caller's is called by plain launches");
    clear(&by_function);
    op->enqueues = true; /* which is not so: it allocates memory */
    st = solve(op, b, MNP_SOLVER_BICGSTAB, &options, &by_function);
    ok(st == MNP_OK && by_function.graphs == 0 && same_history(by_function.result, by_matrix.result) && !ctx->graphs,
       "what cannot be recorded is done by plain launches: %lld iterations%s%s",
       (long long)by_function.result->iterations, st == MNP_OK ? "" : ": ", st == MNP_OK ? "" : mnp_error_message());
    clear(&by_function);
    clear(&by_matrix);
    mnp_operator_free(op);
}

/* ---- recordings that fail ---- */

static const mnp__device_ops *real; /* the device's, before it fails */

static mnp_status fail_to_begin(mnp__device *device, mnp__stream *stream, uint64_t *condition_p)
{
    (void)device;
    (void)stream;
    (void)condition_p;
    return mnp_fail(MNP_ERR_DEVICE, "no graph begins here");
}

/* What was recorded is dropped. */
static mnp_status fail_to_end(mnp__device *device, mnp__stream *stream, mnp__device_graph **graph_p)
{
    const mnp_status st = real->graph_end(device, stream, NULL);
    return st == MNP_OK && graph_p ? mnp_fail(MNP_ERR_DEVICE, "no memory for the graph") : st;
}

static mnp_status fail_to_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch,
                                 const void *params, size_t size, mnp__stream *stream)
{
    if (device->recording)
        return mnp_fail(MNP_ERR_DEVICE, "no launch is recorded");
    return real->launch(device, kernel, launch, params, size, stream);
}

/* The last rank's device fails so: all ranks go on by plain launches. */
static void check_failing(const mnp_operator *op, const mnp_array *b, const char *what, mnp__device_ops failing)
{
    struct outcome launched = {.calls = 0}, looped = {.calls = 0};
    const mnp_solve_options options = {.rtol = 1e-8};
    real = ctx->device->ops;
    if (mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1)
        ctx->device->ops = &failing;
    mnp_status st = solve(op, b, MNP_SOLVER_CG, &options, &launched);
    ok(st == MNP_OK && launched.graphs == 0 && !ctx->device->recording && !ctx->graphs, "%s: launches go on%s%s", what,
       st == MNP_OK ? "" : ": ", st == MNP_OK ? "" : mnp_error_message());
    ctx->device->ops = real;
    st = solve(op, b, MNP_SOLVER_CG, &options, &looped);
    ok(st == MNP_OK && looped.graphs == loops && same_history(launched.result, looped.result),
       "%s: and come to what the loop comes to", what);
    clear(&launched);
    clear(&looped);
}

static void check_failures(const mnp_operator *op, const mnp_array *b)
{
    mnp__device_ops failing = *ctx->device->ops;
    failing.graph_begin_loop = fail_to_begin;
    check_failing(op, b, "no graph begins on one rank", failing);
    failing = *ctx->device->ops;
    failing.graph_end = fail_to_end;
    check_failing(op, b, "there is no memory for the graph on one rank", failing);
    failing = *ctx->device->ops;
    failing.launch = fail_to_launch;
    check_failing(op, b, "a launch is not recorded on one rank", failing);
}

static void check_arguments(const mnp_operator *op, const mnp_sparse *matrix, const mnp_array *b)
{
    mnp_array *x = NULL;
    mnp_precond *precond = NULL;
    ok(mnp_solve(NULL, b, MNP_SOLVER_CG, NULL, &x, NULL) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_solve(op, NULL, MNP_SOLVER_CG, NULL, &x, NULL) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_solve(op, b, MNP_SOLVER_CG, NULL, NULL, NULL) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_precond_new(NULL, MNP_PRECOND_JACOBI, NULL, &precond) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_precond_new(matrix, MNP_PRECOND_JACOBI, NULL, NULL) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_precond_from_operator(NULL, &precond) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_precond_from_operator(op, NULL) == MNP_ERR_ARG && !x && !precond, "refused: %s", mnp_error_message());
}

static void check_others(void)
{
    mnp_sparse *matrix = NULL;
    mnp_operator *op = NULL;
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "poisson:31x20", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &op));
    mnp_array *b = make_b(620);
    check_stop(op, b);
    check_limit(op, b);
    check_columns(op, 620, MNP_SOLVER_CG);
    check_columns(op, 620, MNP_SOLVER_MINRES);
    check_functions(op, matrix, b);
    if (loops)
        check_failures(op, b);
    check_least_squares(false);
    check_least_squares(true);
    check_arguments(op, matrix, b);
    mnp_array_free(b);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
}

/* The setting for tools that cannot look into loops. */
static void check_setting(void)
{
    mnp_ctx *usual = ctx;
    mnp_sparse *matrix = NULL;
    mnp_operator *op = NULL;
    struct outcome outcome = {.calls = 0};
    const mnp_solve_options options = {.rtol = 1e-8};
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "loop=launch", &ctx));
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "poisson:31x20", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &op));
    mnp_array *b = make_b(mnp_sparse_shape(matrix)[0]);
    const mnp_status st = solve(op, b, MNP_SOLVER_CG, &options, &outcome);
    ok(st == MNP_OK && outcome.result->reason == MNP_SOLVE_CONVERGED && outcome.graphs == 0 && outcome.calls > 1,
       "MANIPLE_LOOP=launch: launches alone, where else there %s a loop", loops ? "is" : "would not be");
    clear(&outcome);
    mnp_array_free(b);
    mnp_operator_free(op);
    mnp_sparse_free(matrix);
    mnp_finalize(ctx);
    ctx = usual;
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    loops = ctx->device->has_loops && mnp__all_reduce_is_launch(ctx->world, 64, MNP_FLOAT64);
    const bool shared = ctx->comm.ranks_on_device > 1; /* ranks that take turns are slow */
    const int64_t many = shared ? 500 : 3 * MNP_STEP_HISTORY / 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_method(&cases[i], MNP_FLOAT64);
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
        check_method(&mixed[i], MNP_FLOAT32);
    check_powers(50, many, 1e-3, MNP_SOLVE_MAXITER, many); /* more than the device remembers */
    check_powers(2, 100, 0.01, MNP_SOLVE_MAXITER, 100);    /* ranks without rows */
    check_powers(20, 100, -1, MNP_SOLVE_DIVERGED, 34);
    check_breakdown();
    check_others();
    check_setting();
    const int status = done_testing();
    mnp_finalize(ctx);
    MPI_Finalize();
    return status;
}
