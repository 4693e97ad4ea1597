/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times some eigenvalues of a symmetric matrix that is made on the spot: mnp_eigsh() and mnp_lobpcg().
 *
 *   mpirun -n RANKS bench/eigen [--case A,B,...] [--matrix GENERATOR] [--count K] [--tol T] [--maxiter N]
 *                               [--precond KIND] [--repeats N]
 *
 * A case is eigsh-WHICH, WHICH one of LM, SM, LA, SA and BE as in scipy.sparse.linalg.eigsh(), or lobpcg-LA or -SA.
 * K eigenvalues (6) are wanted; T 0 is the method's own tolerance.  KIND is a preconditioner of lobpcg, in the words of
 * `maniple solve`.  eigsh begins with a vector, and lobpcg with columns, that are the same on any number of ranks.
 *
 * A time is the median of repeats, of the slowest rank, that the method says of itself; the first run is not counted.
 * Products are of the matrix with a vector, iterations eigsh's restarts.  The residual is the largest
 * |A v - l v| / |l|, computed anew at the end.  bench/peers/sparse_peers.py does the same with other libraries.
 */
#include "measure.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_WANTED = 256, MOST_CASES = 16 };

#define NAME(constant, name, help) name,
static const char *const precond_names[] = {MNP_PRECONDS(NAME) NULL};

static const char *const case_names[] = {"eigsh-LM", "eigsh-SM",  "eigsh-LA",  "eigsh-SA",
                                         "eigsh-BE", "lobpcg-LA", "lobpcg-SA", NULL};
static const struct benchmark {
    bool is_lobpcg;
    mnp_eigen_which which;
} benchmarks[] = {{false, MNP_EIGEN_LM}, {false, MNP_EIGEN_SM}, {false, MNP_EIGEN_LA}, {false, MNP_EIGEN_SA},
                  {false, MNP_EIGEN_BE}, {true, MNP_EIGEN_LA},  {true, MNP_EIGEN_SA}};

typedef struct arguments {
    char *cases;
    const char *matrix; /* NULL: the device's usual one */
    int count, maxiter, precond, repeats;
    double tol;
} arguments;

typedef struct problem {
    mnp_ctx *ctx;
    mnp_sparse *a;
    mnp_operator *op;
    mnp_precond *precond;
} problem;

static bool parse(int argc, char **argv, arguments *a)
{
    static const struct option options[] = {
        {"case", 1, NULL, 'c'},    {"matrix", 1, NULL, 'm'},  {"count", 1, NULL, 'k'},   {"tol", 1, NULL, 't'},
        {"maxiter", 1, NULL, 'i'}, {"precond", 1, NULL, 'p'}, {"repeats", 1, NULL, 'r'}, {NULL, 0, NULL, 0}};
    bool good = true;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'c':
            a->cases = optarg;
            break;
        case 'm':
            a->matrix = optarg;
            break;
        case 'k':
            a->count = atoi(optarg);
            break;
        case 't':
            a->tol = atof(optarg);
            break;
        case 'i':
            a->maxiter = atoi(optarg);
            break;
        case 'p':
            good = good && find_name(precond_names, optarg, strlen(optarg), &a->precond);
            break;
        case 'r':
            a->repeats = atoi(optarg);
            break;
        default:
            good = false;
        }
    }
    return good && optind == argc && a->count > 0 && a->count <= MOST_WANTED && a->tol >= 0 && a->maxiter >= 0 &&
           a->repeats > 0;
}

/* How many cases were asked for; 0 if one is unknown. */
static int choose_cases(char *names, int *chosen)
{
    int count = 0;
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        if (count == MOST_CASES || !find_name(case_names, name, strlen(name), &chosen[count++]))
            return 0;
    }
    return count;
}

static void open_problem(const arguments *a, const char *matrix, problem *p)
{
    MNP_OR_EXIT(mnp_sparse_generate(p->ctx, matrix, MNP_FLOAT64, &p->a));
    MNP_OR_EXIT(mnp_operator_from_sparse(p->a, &p->op));
    if (a->precond != MNP_PRECOND_NONE)
        MNP_OR_EXIT(mnp_precond_new(p->a, (mnp_precond_kind)a->precond, NULL, &p->precond));
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
    MNP_OR_EXIT(mnp_layout_new(1, &size, 2, shape, axes, NULL, &layout));
    MNP_OR_EXIT(mnp_array_new(p->ctx, MNP_FLOAT64, layout, &columns));
    MNP_OR_EXIT(mnp_rng_new(p->ctx, 1, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 2, shape, &columns));
    mnp_rng_free(rng);
    mnp_layout_free(layout);
    return columns;
}

static mnp_eigen_result run(const arguments *a, const struct benchmark *benchmark, const problem *p, double *values)
{
    mnp_eigen_result result;
    if (benchmark->is_lobpcg) {
        const mnp_lobpcg_options options = {
            .smallest = benchmark->which == MNP_EIGEN_SA, .tol = a->tol, .maxiter = a->maxiter, .precond = p->precond};
        mnp_array *columns = columns_new(p, a->count);
        MNP_OR_EXIT(mnp_lobpcg(p->op, &options, columns, values, &result));
        mnp_array_free(columns);
    } else {
        const mnp_eigsh_options options = {.which = benchmark->which, .tol = a->tol, .maxiter = a->maxiter};
        mnp_array *vectors = NULL; /* asked for, as SciPy's function returns them */
        MNP_OR_EXIT(mnp_eigsh(p->op, a->count, &options, values, &vectors, &result));
        mnp_array_free(vectors);
    }
    return result;
}

/* False if the result cannot be trusted. */
static bool report(const arguments *a, const char *matrix, const char *name, const problem *p, const double *seconds,
                   const double *values, const mnp_eigen_result *result)
{
    double residual = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < result->count; i++) {
        const double relative = result->residuals[i] / fabs(values[i]);
        residual = relative <= residual ? residual : relative; /* NaN stays */
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    if (mnp_ctx_rank(p->ctx) == 0)
        printf("%-12s%10.4f%10" PRId64 "%12" PRId64 "%12.1e   %.12g .. %.12g%s\n", name, seconds[a->repeats / 2],
               result->products, result->iterations, residual, least, most,
               result->reason == MNP_EIGEN_CONVERGED ? "" : ", not converged");
    struct record r = {.benchmark = "eigen", .name = name, .seconds = seconds[a->repeats / 2], .best = seconds[0]};
    snprintf(r.input, sizeof r.input, "%d of %s, tol %g", a->count, matrix, a->tol);
    record(p->ctx, r);
    return isfinite(residual) && result->count == a->count;
}

static bool time_case(const arguments *a, const char *matrix, int which, const problem *p)
{
    double *seconds = calloc((size_t)a->repeats, sizeof *seconds), values[MOST_WANTED];
    bool good = true;
    MNP_OR_EXIT(mnp_agree(p->ctx, seconds ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %d times", a->repeats)));
    for (int i = -1; i < a->repeats; i++) {
        mnp_eigen_result result = run(a, &benchmarks[which], p, values);
        if (i >= 0)
            MPI_Allreduce(&result.seconds, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(p->ctx));
        if (i == a->repeats - 1) {
            qsort(seconds, (size_t)a->repeats, sizeof *seconds, compare_seconds);
            good = report(a, matrix, case_names[which], p, seconds, values, &result);
        }
        mnp_eigen_result_clear(&result);
    }
    free(seconds);
    return good;
}

int main(int argc, char **argv)
{
    static char usual_cases[] = "eigsh-LA,eigsh-SA,lobpcg-SA";
    arguments a = {.cases = usual_cases, .count = 6, .precond = MNP_PRECOND_NONE, .repeats = 3};
    int chosen[MOST_CASES];
    bool good = parse(argc, argv, &a);
    const int count = good ? choose_cases(a.cases, chosen) : 0;
    if (count == 0) {
        fprintf(stderr,
                "usage: %s [--case A,B,...] [--matrix GENERATOR] [--count K] [--tol T] [--maxiter N]\n"
                "       [--precond KIND] [--repeats N]\n",
                argv[0]);
        return 2;
    }
    problem p = {.ctx = NULL};
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &p.ctx));
    const bool on_host = strcmp(mnp_ctx_device_kind(p.ctx), "host") == 0;
    const char *matrix = a.matrix ? a.matrix : on_host ? "poisson:16x16x16" : "poisson:64x64x64";
    open_problem(&a, matrix, &p);
    if (mnp_ctx_rank(p.ctx) == 0)
        printf("%d rank%s, device %s, median of %d; %d of %s: %" PRId64 " rows, tol %g, precond %s\n"
               "%-12s%10s%10s%12s%12s   %s\n",
               mnp_ctx_size(p.ctx), mnp_ctx_size(p.ctx) == 1 ? "" : "s", mnp_ctx_device_kind(p.ctx), a.repeats, a.count,
               matrix, mnp_sparse_shape(p.a)[0], a.tol, precond_names[a.precond], "case", "seconds", "products",
               "iterations", "residual", "eigenvalues");
    for (int i = 0; i < count; i++)
        good = time_case(&a, matrix, chosen[i], &p) && good;
    close_problem(&p);
    mnp_finalize(p.ctx);
    return good ? 0 : 1;
}
