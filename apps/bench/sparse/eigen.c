/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times some eigenvalues of a symmetric matrix that is made on the spot: mnp_eigsh() and mnp_lobpcg().
 *
 * A case is eigsh-WHICH, WHICH one of LM, SM, LA, SA and BE as in scipy.sparse.linalg.eigsh(), or lobpcg-LA or -SA.
 * K eigenvalues (6) are wanted; T 0 is the method's own tolerance.  KIND is a preconditioner of lobpcg, in the words of
 * `maniple solve`.  eigsh begins with a vector, and lobpcg with columns, that are the same on any number of ranks.
 *
 * A time is the median of repeats, of the slowest rank, that the method says of itself; the first run is not counted.
 * Products are of the matrix with a vector, iterations eigsh's restarts.  The residual is the largest
 * |A v - l v| / |l|, computed anew at the end.  bench/peers/sparse_peers.py does the same with other libraries.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"
#include "bench/sparse/matrices.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_WANTED = 256 };

#define NAME(constant, name, help) name,
static const char *const precond_names[] = {MNP_PRECONDS(NAME) NULL};

static const char *const case_names[] = {"eigsh-LM", "eigsh-SM",  "eigsh-LA",  "eigsh-SA",
                                         "eigsh-BE", "lobpcg-LA", "lobpcg-SA", NULL};
static const struct method {
    bool is_lobpcg;
    mnp_eigen_which which;
} methods[] = {{false, MNP_EIGEN_LM}, {false, MNP_EIGEN_SM}, {false, MNP_EIGEN_LA}, {false, MNP_EIGEN_SA},
               {false, MNP_EIGEN_BE}, {true, MNP_EIGEN_LA},  {true, MNP_EIGEN_SA}};

typedef struct problem {
    mnp_ctx *ctx;
    mnp_sparse *a;
    mnp_operator *op;
    mnp_precond *precond;
} problem;

static void open_problem(const bench_options *o, const char *matrix, problem *p)
{
    OR_EXIT(mnp_sparse_generate(p->ctx, matrix, MNP_FLOAT64, &p->a));
    OR_EXIT(mnp_operator_from_sparse(p->a, &p->op));
    if (o->precond != MNP_PRECOND_NONE)
        OR_EXIT(mnp_precond_new(p->a, (mnp_precond_kind)o->precond, NULL, &p->precond));
}

static void close_problem(problem *p)
{
    mnp_precond_free(p->precond);
    mnp_operator_free(p->op);
    mnp_sparse_free(p->a);
}

/* Columns to start with. */
static mnp_array *columns_new(const problem *p, int count)
{
    const int64_t shape[] = {mnp_sparse_shape(p->a)[0], count};
    const int size = mnp_ctx_size(p->ctx), axes[] = {0, -1};
    mnp_layout *layout;
    mnp_array *columns = NULL;
    mnp_rng *rng;
    OR_EXIT(mnp_layout_new(1, &size, 2, shape, axes, NULL, &layout));
    OR_EXIT(mnp_array_new(p->ctx, MNP_FLOAT64, layout, &columns));
    OR_EXIT(mnp_rng_new(p->ctx, 1, &rng));
    OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 2, shape, &columns));
    mnp_rng_free(rng);
    mnp_layout_free(layout);
    return columns;
}

static mnp_eigen_result run(const bench_options *o, const struct method *method, const problem *p, double *values)
{
    mnp_eigen_result result;
    if (method->is_lobpcg) {
        const mnp_lobpcg_options options = {
            .smallest = method->which == MNP_EIGEN_SA, .tol = o->tol, .maxiter = o->maxiter, .precond = p->precond};
        mnp_array *columns = columns_new(p, o->count);
        OR_EXIT(mnp_lobpcg(p->op, &options, columns, values, &result));
        mnp_array_free(columns);
    } else {
        const mnp_eigsh_options options = {.which = method->which, .tol = o->tol, .maxiter = o->maxiter};
        mnp_array *vectors = NULL; /* asked for, as SciPy's function returns them */
        OR_EXIT(mnp_eigsh(p->op, o->count, &options, values, &vectors, &result));
        mnp_array_free(vectors);
    }
    return result;
}

/* False if the result cannot be trusted. */
static bool report(const bench_options *o, const char *matrix, const char *name, const problem *p,
                   const double *seconds, const double *values, const mnp_eigen_result *result)
{
    double residual = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < result->count; i++) {
        const double relative = result->residuals[i] / fabs(values[i]);
        residual = relative <= residual ? residual : relative; /* NaN stays */
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    if (mnp_ctx_rank(p->ctx) == 0)
        printf("  %-12s%10.4f%10" PRId64 "%12" PRId64 "%12.1e   %.12g .. %.12g%s\n", name, seconds[o->repeats / 2],
               result->products, result->iterations, residual, least, most,
               result->reason == MNP_EIGEN_CONVERGED ? "" : ", not converged");
    struct record r = {.benchmark = "eigen", .name = name, .seconds = seconds[o->repeats / 2], .best = seconds[0]};
    snprintf(r.input, sizeof r.input, "%d of %s, tol %g", o->count, matrix, o->tol);
    record(p->ctx, r);
    return isfinite(residual) && result->count == o->count;
}

static bool time_case(const bench_options *o, const char *matrix, int which, const problem *p)
{
    double *seconds = seconds_new(p->ctx, o->repeats), values[MOST_WANTED];
    bool good = true;
    for (int i = -1; i < o->repeats; i++) {
        mnp_eigen_result result = run(o, &methods[which], p, values);
        if (i >= 0)
            MPI_Allreduce(&result.seconds, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(p->ctx));
        if (i == o->repeats - 1) {
            qsort(seconds, (size_t)o->repeats, sizeof *seconds, compare_seconds);
            good = report(o, matrix, case_names[which], p, seconds, values, &result);
        }
        mnp_eigen_result_clear(&result);
    }
    free(seconds);
    return good;
}

static int time_cases(mnp_ctx *ctx, int count, const char *const *names, const bench_options *o)
{
    problem p = {.ctx = ctx};
    bool good = true;
    const char *matrix = o->matrix ? o->matrix : is_on_host(ctx) ? "poisson:16x16x16" : "poisson:64x64x64";
    open_problem(o, matrix, &p);
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %d of %s: %" PRId64 " rows, tol %g, precond %s\n  %-12s%10s%10s%12s%12s   %s\n", o->count, matrix,
               mnp_sparse_shape(p.a)[0], o->tol, precond_names[o->precond], "case", "seconds", "products", "iterations",
               "residual", "eigenvalues");
    for (int i = 0; i < count; i++) {
        int which = 0;
        (void)find_name(case_names, names[i], strlen(names[i]), &which);
        good = time_case(o, matrix, which, &p) && good;
    }
    close_problem(&p);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}

static bool has_case(const char *name)
{
    int unused;
    return find_name(case_names, name, strlen(name), &unused);
}

static const char *const usual_cases[] = {"eigsh-LA", "eigsh-SA", "lobpcg-SA"};

const benchmark eigen_benchmark = {.name = "eigen",
                                   .help = "some eigenvalues of a sparse matrix",
                                   .repeats = 3,
                                   BENCH_CASES(usual_cases),
                                   .has_case = has_case,
                                   .check = check_generator,
                                   .run = time_cases};
