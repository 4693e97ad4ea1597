/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times iterations of mnp_solve(): so many of them from a zero guess, again and again, on a matrix made on the spot.
 *
 * A case is METHOD or METHOD-PRECOND in the words of `maniple solve`, such as cg-jacobi or gmres-ilu0, or hpcg.  The
 * right-hand side is the matrix times ones; the tolerance is 0.  --weak: the matrix's first extent is that of a rank.
 * --matrix-free: products are those of mnp_operator_from_stencil(), of poisson alone; preconditioners have the matrix.
 * A time is the median of repeats, of the slowest rank, that mnp_solve() says of itself: its vectors are made before.
 * The first solve is not counted.  The residual is computed anew at the end, so that it can be compared with that of
 * bench/peers/solve_petsc.c, which does the same with PETSc.
 *
 * hpcg is the High Performance Conjugate Gradient benchmark (https://www.hpcg-benchmark.org) without its multigrid: CG,
 * in sets of 50 iterations, preconditioned by one symmetric Gauss-Seidel sweep of every rank's own rows, on its matrix
 * of 104 x 104 x 104 rows a rank; ranks follow each other along the first dimension.  Operations are counted as HPCG's
 * ReportResults.cpp (3.0) does for one level, see hpcg_operations(), which counts every entry twice in a forward and
 * backward sweep; ssor, which begins with zeros, reads it once.  HPCG's rating is another number, as multigrid has more
 * work, on smaller grids.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"
#include "bench/sparse/matrices.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static const char hpcg[] = "hpcg", hpcg_matrix[] = "hpcg:104x104x104", usual_matrix[] = "poisson:128x128x128";

#define NAME(constant, name, help) name,
static const char *const method_names[] = {MNP_SOLVERS(NAME) NULL}, *const precond_names[] = {MNP_PRECONDS(NAME) NULL};

typedef struct problem {
    mnp_ctx *ctx;
    /* The data of the case */
    mnp_solver method;
    mnp_precond_kind kind;
    mnp_precond *precond;
    mnp_array *x;
    /* Kept as long as cases have the same matrix */
    char matrix[MATRIX_TEXT];
    mnp_sparse *a;
    mnp_operator *op;
    mnp_array *b;
} problem;

/* ---- what is asked for ---- */

static bool parse_case(const char *name, problem *p)
{
    int method = MNP_SOLVER_CG, kind = MNP_PRECOND_SSOR;
    const size_t length = strcspn(name, "-");
    if (strcmp(name, hpcg) != 0) {
        kind = MNP_PRECOND_NONE;
        if (!find_name(method_names, name, length, &method))
            return false;
        if (name[length] == '-' && !find_name(precond_names, name + length + 1, strlen(name + length + 1), &kind))
            return false;
    }
    p->method = (mnp_solver)method;
    p->kind = (mnp_precond_kind)kind;
    return true;
}

static bool has_case(const char *name)
{
    problem unused;
    return parse_case(name, &unused);
}

/* The generator of all ranks' matrix; of --weak and hpcg the first extent is multiplied. */
static void choose_matrix(const bench_options *o, const char *name, int ranks, char *text, size_t size)
{
    const bool is_hpcg = strcmp(name, hpcg) == 0;
    const char *matrix = o->matrix ? o->matrix : is_hpcg ? hpcg_matrix : usual_matrix, *colon = strchr(matrix, ':');
    char *rest = NULL;
    const long long extent = colon ? strtoll(colon + 1, &rest, 10) : 0;
    if (colon && (o->weak || is_hpcg))
        snprintf(text, size, "%.*s%lld%s", (int)(colon + 1 - matrix), matrix, extent * ranks, rest);
    else
        snprintf(text, size, "%s", matrix);
}

/* ---- problems ---- */

static void close_problem(problem *p)
{
    mnp_array_free(p->b);
    mnp_operator_free(p->op);
    mnp_sparse_free(p->a);
    *p = (problem){.ctx = p->ctx};
}

/* The matrix of that name, and b = A 1. */
static void open_problem(const bench_options *o, const char *matrix, problem *p)
{
    const double one = 1;
    mnp_sparse *csr = NULL;
    mnp_array *ones = NULL;
    if (strcmp(matrix, p->matrix) == 0)
        return;
    close_problem(p);
    snprintf(p->matrix, sizeof p->matrix, "%s", matrix);
    OR_EXIT(mnp_sparse_generate(p->ctx, matrix, MNP_FLOAT64, &csr));
    if (o->format == MNP_CSR) {
        p->a = csr;
    } else {
        OR_EXIT(mnp_sparse_convert(csr, o->format, 0, &p->a));
        mnp_sparse_free(csr);
    }
    if (o->matrix_free)
        OR_EXIT(poisson_operator(p->ctx, matrix, MNP_FLOAT64, &p->op));
    else
        OR_EXIT(mnp_operator_from_sparse(p->a, &p->op));
    OR_EXIT(mnp_full(p->ctx, MNP_FLOAT64, 1, mnp_sparse_shape(p->a), &one, &ones));
    OR_EXIT(mnp_sparse_matmul(p->a, ones, &p->b));
    mnp_array_free(ones);
}

/* Seconds of making the preconditioner, of the slowest rank. */
static double precondition(problem *p)
{
    OR_EXIT(mnp_ctx_synchronize(p->ctx));
    MPI_Barrier(mnp_ctx_comm(p->ctx));
    double seconds = MPI_Wtime();
    if (p->kind != MNP_PRECOND_NONE)
        OR_EXIT(mnp_precond_new(p->a, p->kind, NULL, &p->precond));
    OR_EXIT(mnp_ctx_synchronize(p->ctx));
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(p->ctx));
    return seconds;
}

/* Solve again and again: seconds in rising order; the last result, without its history. */
static mnp_solve_result solve(const bench_options *o, problem *p, double *seconds)
{
    const mnp_solve_options options = {
        .rtol = -1, .maxiter = o->iterations, .restart = o->restart, .precond = p->precond, .zero_guess = true};
    mnp_solve_result result = {.history = NULL};
    for (int i = -1; i < o->repeats; i++) {
        MPI_Barrier(mnp_ctx_comm(p->ctx));
        OR_EXIT(mnp_solve(p->op, p->b, p->method, &options, &p->x, &result));
        mnp_solve_result_clear(&result);
        if (i >= 0)
            MPI_Allreduce(&result.seconds, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(p->ctx));
    }
    qsort(seconds, (size_t)o->repeats, sizeof *seconds, compare_seconds);
    return result;
}

/* ---- HPCG ---- */

/*
 * The operations of n iterations: 3 n + 1 inner products, as many vector updates, n + 1 products with the matrix, n
 * double sweeps.
 */
static double hpcg_operations(const mnp_sparse *a, double n)
{
    const double rows = (double)mnp_sparse_shape(a)[0], entries = (double)mnp_sparse_nnz(a);
    return 2 * (3 * n + 1) * 2 * rows + (n + 1) * 2 * entries + n * 4 * entries;
}

/*
 * |x' B y - y' B x| in units of rounding, (|x| |B y| + |y| |B x|) epsilon, with B the matrix or the preconditioner.
 * HPCG's TestSymmetry.cpp divides by a larger number, and accepts up to 1.
 */
static double asymmetry(const problem *p, bool of_precond, const mnp_array *x, const mnp_array *y)
{
    mnp_array *bx = NULL, *by = NULL;
    if (of_precond) {
        OR_EXIT(mnp_precond_apply(p->precond, x, &bx));
        OR_EXIT(mnp_precond_apply(p->precond, y, &by));
    } else {
        OR_EXIT(mnp_operator_run(p->op, false, x, &bx));
        OR_EXIT(mnp_operator_run(p->op, false, y, &by));
    }
    const char dot[] = "sum(x*y)", norms[] = "sqrt(sum(x*x)) * sqrt(sum(y*y))";
    const double difference = evaluate(p->ctx, dot, x, by) - evaluate(p->ctx, dot, y, bx);
    const double scale = evaluate(p->ctx, norms, x, by) + evaluate(p->ctx, norms, y, bx);
    mnp_free_all(bx, by);
    return fabs(difference) / (scale * DBL_EPSILON);
}

/* Whether the matrix and the preconditioner are as symmetric as HPCG wants them. */
static bool check_symmetry(const problem *p)
{
    mnp_rng *rng;
    mnp_array *x = NULL, *y = NULL;
    OR_EXIT(mnp_rng_new(p->ctx, 1, &rng));
    OR_EXIT(mnp_random_uniform(rng, 1, 2, MNP_FLOAT64, 1, mnp_sparse_shape(p->a), &x));
    OR_EXIT(mnp_random_uniform(rng, 1, 2, MNP_FLOAT64, 1, mnp_sparse_shape(p->a), &y));
    const double of_matrix = asymmetry(p, false, x, y), of_precond = asymmetry(p, true, x, y);
    if (mnp_ctx_rank(p->ctx) == 0)
        printf("  %-24s|x'Ay - y'Ax| and |x'My - y'Mx| are %.2g and %.2g of rounding\n", "", of_matrix, of_precond);
    mnp_free_all(x, y);
    mnp_rng_free(rng);
    return of_matrix <= 1 && of_precond <= 1;
}

/* ---- cases ---- */

static void report(const bench_options *o, const char *name, const problem *p, double setup, const double *seconds,
                   const mnp_solve_result *result)
{
    const int ranks = mnp_ctx_size(p->ctx), iterations = (int)result->iterations;
    const double median = seconds[o->repeats / 2];
    const bool is_hpcg = strcmp(name, hpcg) == 0;
    struct record r = {.benchmark = "solve",
                       .name = name,
                       .seconds = median / iterations,
                       .best = seconds[0] / iterations,
                       .flops = is_hpcg ? hpcg_operations(p->a, iterations) / iterations : 0};
    snprintf(r.input, sizeof r.input, "%s %s", p->matrix,
             o->matrix_free ? "matrix-free" : bench_format_names[o->format]);
    record(p->ctx, r);
    if (mnp_ctx_rank(p->ctx) != 0)
        return;
    printf("  %-24s%s: %" PRId64 " rows, %" PRId64 " entries, %s\n", name, p->matrix, mnp_sparse_shape(p->a)[0],
           mnp_sparse_nnz(p->a), o->matrix_free ? "matrix-free" : bench_format_names[o->format]);
    printf("  %-24s%.4f ms an iteration (best %.4f) of %d; setup %.4f s; residual %.6e of b\n", "",
           1e3 * median / iterations, 1e3 * seconds[0] / iterations, iterations, setup,
           result->residual / result->rhs_norm);
    if (is_hpcg) {
        const double rate = 1e-9 * hpcg_operations(p->a, iterations) / median;
        printf("  %-24s%.3f GFLOP/s, %.3f a rank, counted as HPCG counts, without multigrid\n", "", rate, rate / ranks);
    }
}

/* False if the result cannot be trusted. */
static bool run_case(const bench_options *o, const char *name, problem *p)
{
    char matrix[sizeof p->matrix];
    double *seconds = seconds_new(p->ctx, o->repeats);
    choose_matrix(o, name, mnp_ctx_size(p->ctx), matrix, sizeof matrix);
    open_problem(o, matrix, p);
    (void)parse_case(name, p); /* main() saw that it is one */
    const double setup = precondition(p);
    const mnp_solve_result result = solve(o, p, seconds);
    report(o, name, p, setup, seconds, &result);
    bool good = isfinite(result.residual) && result.iterations > 0;
    if (strcmp(name, hpcg) == 0)
        good = check_symmetry(p) && good;
    mnp_array_free(p->x);
    mnp_precond_free(p->precond);
    p->x = NULL;
    p->precond = NULL;
    free(seconds);
    return good;
}

static int run(mnp_ctx *ctx, int count, const char *const *names, const bench_options *o)
{
    problem p = {.ctx = ctx};
    bool good = true;
    for (int i = 0; i < count; i++)
        good = run_case(o, names[i], &p) && good;
    close_problem(&p);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}

static const char *const usual_cases[] = {"cg", "cg-jacobi", "cg-ic0", "gmres-jacobi", "gmres-ilu0", "bicgstab-ilu0"};

const benchmark solve_benchmark = {.name = "solve",
                                   .help = "iterations of solvers of sparse systems; HPCG",
                                   .repeats = 5,
                                   BENCH_CASES(usual_cases),
                                   .has_case = has_case,
                                   .check = check_generator,
                                   .run = run};
