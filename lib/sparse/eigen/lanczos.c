/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanczos' method with full orthogonalisation and thick restarts (K. Wu, H. Simon, "Thick-restart Lanczos
 * method for large symmetric eigenvalue problems", SIAM J. Matrix Anal. Appl. 22, 2000).
 *
 * Products of the operator with the newest vector, made orthogonal to all before, give an orthonormal basis, in which
 * the operator is a small matrix T.  When the basis is full, T's eigenvectors give Ritz vectors, the residuals of which
 * all lie along the next vector.  The best of them and that vector begin a new basis, in which T is first an arrow and
 * then tridiagonal.  How many are kept follows ARPACK (R. B. Lehoucq, D. C. Sorensen, C. Yang, "ARPACK
 * users' guide", 1998).
 *
 * Nothing waits for the CPU until the basis is full.  Where the basis cannot grow, as it is closed under the operator
 * (breakdown), steps do nothing, and the CPU goes on with a random vector.  That vector, or rounding where the basis is
 * nearly closed, may bring in further copies of eigenvalues that were found before; converged pairs then count only if
 * one more restart leaves them unchanged.
 *
 * A Lanczos space has one vector of each eigenspace, so copies of a multiple eigenvalue appear only through rounding,
 * which takes as many steps as convergence to machine epsilon.  With a larger tolerance the space may converge before:
 * so once it has, a random vector takes the place of the next one, and steps go on until the next Ritz pairs tell that
 * nothing was missed, for at most as many products as before.
 *
 * A step costs a product, and reads the basis twice; a restart reads m vectors and writes those that it keeps.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <maniple/random.h>

#include "array/output.h"
#include "context/timer.h"
#include "layout/layout.h"
#include "sparse/eigen/lanczos.h"
#include "sparse/eigen/shift_invert.h"

/* Where the parameters of the state are. */
enum { LARGEST, SPACE, CLOSED };

typedef struct lanczos {
    mnp_ctx *ctx;
    const mnp_operator *op;           /* whose largest eigenvalues are looked for: A, or the inverse of A - sigma */
    const mnp_operator *original;     /* A */
    const mnp__shift_invert *inverse; /* NULL: op is A */
    mnp_eigsh_options options;        /* without zeros */
    int k, m;                         /* eigenvalues wanted; vectors of the space */
    bool whole;                       /* the whole space */
    mnp__steps *steps;
    mnp__basis *basis; /* m vectors and the next one */
    mnp__tall *tall;
    mnp_rng *rng;
    int kept;                            /* vectors that the last restart has kept */
    double beta;                         /* the coupling of the next vector with the last of the basis */
    double largest;                      /* norm of a product so far: about that of the operator */
    bool closed;                         /* the space has been closed, or nearly */
    double *t, *theta;                   /* T, then its eigenvectors, by columns; and its eigenvalues */
    int *order;                          /* their order, the most wanted first */
    int *wanted;                         /* the first k of them, so that eigenvalues of A rise */
    double *values, *estimates, *before; /* of these, and their values before the last restart */
    double *results;                     /* the eigenvalues of A */
    double *found;                       /* the values that had converged when the check began */
    bool checks;                         /* whether eigenvalues were missed is being checked, */
    int64_t most_products;               /* and how many products may have been made at its end */
    double _Complex *matrix;
    double *columns; /* of T, as stored on the device */
} lanczos;

/*
 * The method's memory: coefficients of both passes of orthogonalisation, and T's columns, of m + 1 numbers each.
 */
enum { FIRST, SECOND, COLUMNS };

static size_t place(const lanczos *l, int number)
{
    return (size_t)number * (size_t)(l->m + 1) * mnp__sum_size(l->op->dtype);
}

static const mnp__scalars scalars = {.reals = "left, scale", .memory = "mnp_w"};

static const mnp__step norm_of_w = {.name = "lanczos_norm", .vectors = "w", .sums = {"norm(w)"}};

/* One more column of T: what both passes removed, and the norm of the rest, which must exceed rounding. */
static const mnp__step advance = {
    .name = "lanczos_advance",
    .before = "const int j = (int)columns, space = (int)parameter[1];\n"
              "mnp_w *const first = &memory, *const second = first + space + 1;\n"
              "mnp_w *const column = second + (j + 1) * (space + 1);\n"
              "left = MNP_SQRT(real_part(sum[0]));\n"
              "double size = left * left;\n"
              "for (int i = 0; i <= j; i++) {\n"
              "    column[i] = first[i] + second[i];\n"
              "    first[i] = number(0);\n"
              "    size += square(column[i]);\n"
              "}\n"
              "parameter[0] = MNP_SQRT(size) > parameter[0] ? MNP_SQRT(size) : parameter[0];\n"
              "columns = j + 1;\n"
              "if (!is_finite(size))\n"
              "    done = MNP_DONE_DIVERGED;\n"
              "else\n"
              "    need(left > 10 * MNP_EPSILON * parameter[0]);\n"
              "if (!(left > MNP_SQRT(MNP_EPSILON) * parameter[0]))\n"
              "    parameter[2] = 1;\n"
              "column[j + 1] = number(done == MNP_GOING ? left : 0);\n"
              "scale = 1 / left;",
};

static const mnp__step normalise = {.name = "lanczos_normalise", .vectors = "v", .body = "v = scale * v;"};

static const mnp__step begin = {
    .name = "lanczos_begin",
    .before = "left = MNP_SQRT(real_part(sum[0]));\n"
              "need(is_finite(left) && left > 0);\n"
              "scale = 1 / left;",
};

/* ---- memory ---- */

static mnp_status allocate(lanczos *l)
{
    const size_t k = (size_t)l->k, m = (size_t)l->m, all = (m + 1) * (m + 1), most = all > 2 * k * k ? all : 2 * k * k;
    MNP_TRY(mnp__calloc(m * m, sizeof *l->t, &l->t));
    MNP_TRY(mnp__calloc(m, sizeof *l->theta, &l->theta));
    MNP_TRY(mnp__calloc(m, sizeof *l->order, &l->order));
    MNP_TRY(mnp__calloc(k, sizeof *l->wanted, &l->wanted));
    MNP_TRY(mnp__calloc(k, sizeof *l->values, &l->values));
    MNP_TRY(mnp__calloc(k, sizeof *l->estimates, &l->estimates));
    MNP_TRY(mnp__calloc(k, sizeof *l->before, &l->before));
    MNP_TRY(mnp__calloc(k, sizeof *l->results, &l->results));
    MNP_TRY(mnp__malloc(most * sizeof *l->matrix, &l->matrix));
    MNP_TRY(mnp__calloc(k, sizeof *l->found, &l->found));
    return mnp__malloc(place(l, l->m), &l->columns);
}

static mnp_status acquire(lanczos *l)
{
    const int m = l->m, all = (m + 1) * (m + 1), most = all > 2 * l->k * l->k ? all : 2 * l->k * l->k;
    MNP_TRY(MNP_AGREE(l->ctx, allocate(l)));
    MNP_TRY(mnp__steps_new(l->ctx, l->op->dtype, &scalars, 0, place(l, COLUMNS + m), m + 1, &l->steps));
    MNP_TRY(mnp__basis_new(l->steps, l->op->column_layout, m + 1, &l->basis));
    MNP_TRY(mnp__tall_new(l->ctx, l->op->dtype, most, &l->tall));
    return mnp_rng_new(l->ctx, 2000, &l->rng);
}

static void release(lanczos *l)
{
    mnp_rng_free(l->rng);
    mnp__tall_free(l->tall);
    mnp__basis_free(l->basis);
    mnp__steps_free(l->steps);
    free(l->columns);
    free(l->matrix);
    free(l->found);
    free(l->results);
    free(l->before);
    free(l->estimates);
    free(l->values);
    free(l->wanted);
    free(l->order);
    free(l->theta);
    free(l->t);
}

/* ---- the basis ---- */

static mnp_status begin_steps(lanczos *l, int columns)
{
    const struct mnp_step_control control = {.columns = columns, .parameter = {[LARGEST] = l->largest, [SPACE] = l->m}};
    return mnp__steps_begin(l->steps, &control);
}

/* A random vector: a function of the global index that differs from earlier ones. */
static mnp_status random_vector(lanczos *l, mnp_array **vector_p)
{
    const mnp_dtype dtype = mnp_dtype_kind(l->op->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    mnp_array *numbers = NULL;
    MNP_TRY(mnp_random_normal(l->rng, 0, 1, dtype, 1, l->op->column_layout->shape, &numbers));
    mnp_status st = mnp__vector_of("mnp_eigsh()", numbers, l->op->dtype, l->op->column_layout, vector_p);
    mnp_array_free(numbers);
    return st;
}

/* Start vector j of the basis from v0 or a random vector, orthogonal to those before. */
static mnp_status enter(lanczos *l, int j, const mnp_array *given)
{
    mnp_array *vector = NULL, *v = l->basis->vectors[j];
    struct mnp_step_control control;
    MNP_TRY(given ? mnp__vector_of("mnp_eigsh()", given, l->op->dtype, l->op->column_layout, &vector)
                  : random_vector(l, &vector));
    mnp_status st = mnp__array_assign(vector, v);
    mnp_array_free(vector);
    MNP_TRY(st);
    MNP_TRY(begin_steps(l, j));
    for (int pass = FIRST; j > 0 && pass <= SECOND; pass++)
        MNP_TRY(mnp__basis_remove(l->basis, 0, j, v, place(l, SECOND)));
    MNP_TRY(mnp__steps_run(l->steps, &norm_of_w, &v));
    MNP_TRY(mnp__steps_run(l->steps, &begin, NULL));
    MNP_TRY(mnp__steps_run(l->steps, &normalise, &v));
    MNP_TRY(mnp__steps_poll(l->steps, true, &control));
    if (control.done != MNP_GOING)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_eigsh(): %s, so there is no vector to start with",
                        given ? "v0 is 0 or not finite" : "random numbers of the operator's dtype are not finite");
    return MNP_OK;
}

/*
 * The next vector.  A product has components along the last two vectors only, the first one after a restart along all:
 * these are removed first, and then what rounding has left along any vector.
 */
static mnp_status step(lanczos *l, int j, bool first)
{
    mnp_array *w = l->basis->vectors[j + 1];
    const int from = first || j == 0 ? 0 : j - 1;
    MNP_TRY(mnp__operator_apply(l->op, false, l->basis->vectors[j], w));
    MNP_TRY(mnp__basis_remove(l->basis, from, j + 1, w, place(l, FIRST)));
    MNP_TRY(mnp__basis_remove(l->basis, 0, j + 1, w, place(l, SECOND)));
    MNP_TRY(mnp__steps_run(l->steps, &norm_of_w, &w));
    MNP_TRY(mnp__steps_run(l->steps, &advance, NULL));
    return mnp__steps_run(l->steps, &normalise, &w);
}

/* Extend the basis from vector *j_p until it is full, or closed, or not finite: see control->done. */
static mnp_status run_steps(lanczos *l, int *j_p, struct mnp_step_control *control, int64_t *products)
{
    const bool every_time = l->ctx->device->cpu_memory || l->inverse;
    const int from = *j_p;
    control->done = MNP_GOING;
    MNP_TRY(begin_steps(l, from));
    for (int j = from; j < l->m && control->done == MNP_GOING; j++) {
        MNP_TRY(step(l, j, j == from));
        if (every_time)
            MNP_TRY(mnp__steps_poll(l->steps, true, control));
    }
    MNP_TRY(mnp__steps_poll(l->steps, true, control));
    *j_p = (int)control->columns;
    *products += *j_p - from;
    l->largest = control->parameter[LARGEST];
    return MNP_OK;
}

/* Fill the basis, with random vectors where it is closed. */
static mnp_status extend(lanczos *l, int64_t *products, bool *finite_p)
{
    const int64_t rows = mnp_layout_size(l->op->column_layout);
    struct mnp_step_control control;
    *finite_p = true;
    for (int j = l->kept; j < l->m;) {
        MNP_TRY(run_steps(l, &j, &control, products));
        if (control.done == MNP_DONE_DIVERGED || (l->inverse && l->inverse->unsolved)) {
            *finite_p = false;
            return MNP_OK;
        }
        l->closed = l->closed || control.parameter[CLOSED] > 0;
        if (control.done == MNP_DONE_BREAKDOWN && j < rows)
            MNP_TRY(enter(l, j, NULL));
    }
    return MNP_OK;
}

/* ---- Ritz values ---- */

/* T: diagonal for kept vectors, the rest from the device.  It is real; imaginary parts are rounding. */
static mnp_status fetch(lanczos *l)
{
    const int m = l->m, parts = (int)(mnp__sum_size(l->op->dtype) / sizeof(double));
    const char *from = mnp__steps_buffers_of(l->steps).memory + place(l, COLUMNS);
    MNP_TRY(l->ctx->device->ops->copy(l->ctx->device, l->columns, from, place(l, m), l->ctx->compute));
    MNP_TRY(mnp__ctx_wait(l->ctx, l->ctx->compute));
    for (int j = l->kept; j < m; j++)
        for (int i = 0; i <= j; i++)
            l->t[j * m + i] = l->columns[(j * (m + 1) + i) * parts];
    l->beta = l->whole ? 0 : l->columns[((m - 1) * (m + 1) + m) * parts];
    return mnp__broadcast(&l->ctx->comm, &l->beta, sizeof l->beta, 0);
}

typedef struct ranked {
    double key;
    int index;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->index - right->index;
}

static double key_of(const lanczos *l, int i)
{
    const int lower = 2 * i + 1, upper = 2 * (l->m - 1 - i);
    switch (l->options.which) {
    case MNP_EIGEN_LM:
        return -fabs(l->theta[i]);
    case MNP_EIGEN_SM:
        return fabs(l->theta[i]);
    case MNP_EIGEN_LA:
        return -l->theta[i];
    case MNP_EIGEN_SA:
        return l->theta[i];
    default:
        return lower < upper ? lower : upper;
    }
}

/* The eigenvalue of A that belongs to one of the operator. */
static double back(const lanczos *l, double theta)
{
    return l->inverse ? mnp__shift_invert_back(l->inverse, theta) : theta;
}

/* Order the Ritz values, which rise. */
static void choose(lanczos *l)
{
    ranked all[MNP__LANCZOS_MOST];
    for (int i = 0; i < l->m; i++)
        all[i] = (ranked){.key = key_of(l, i), .index = i};
    qsort(all, (size_t)l->m, sizeof *all, compare_ranked);
    for (int i = 0; i < l->m; i++)
        l->order[i] = all[i].index;
    for (int i = 0; i < l->k; i++)
        all[i] = (ranked){.key = back(l, l->theta[l->order[i]]), .index = l->order[i]};
    qsort(all, (size_t)l->k, sizeof *all, compare_ranked);
    for (int i = 0; i < l->k; i++) {
        l->wanted[i] = all[i].index;
        l->before[i] = l->values[i];
        l->values[i] = l->theta[l->wanted[i]];
        l->results[i] = back(l, l->values[i]);
        l->estimates[i] = fabs(l->beta * l->t[l->wanted[i] * l->m + l->m - 1]);
    }
}

static double rounding(const lanczos *l)
{
    return mnp__ritz_epsilon(l->op->dtype) * l->largest;
}

/* The residual of a pair that has converged. */
static double limit_of(const lanczos *l, double value)
{
    return fmax(l->options.tol * fabs(value), rounding(l));
}

static int count_converged(const lanczos *l)
{
    int count = 0;
    for (int i = 0; i < l->k; i++)
        count += l->estimates[i] <= limit_of(l, l->values[i]);
    return count;
}

/* Whether the values are those of before, as far as they had converged. */
static bool are_same(const lanczos *l, const double *before)
{
    for (int i = 0; i < l->k; i++) {
        if (fabs(l->values[i] - before[i]) > fmax(limit_of(l, l->values[i]), 1000 * rounding(l)))
            return false;
    }
    return true;
}

/* So many of the most wanted Ritz vectors and the next vector begin the new basis. */
static mnp_status keep_vectors(lanczos *l, int keep)
{
    const int m = l->m;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= keep; j++)
            l->matrix[i * (keep + 1) + j] = i < m && j < keep ? l->t[l->order[j] * m + i] : i == m && j == keep;
    const mnp__columns from = mnp__basis_columns(l->basis, m + 1), to = mnp__basis_columns(l->basis, keep + 1);
    MNP_TRY(mnp__tall_put(l->tall, (m + 1) * (keep + 1), l->matrix));
    MNP_TRY(mnp__tall_multiply(l->tall, &from, &to));
    for (int i = 0; i < m * m; i++)
        l->t[i] = 0;
    for (int j = 0; j < keep; j++)
        l->t[j * m + j] = l->theta[l->order[j]];
    l->kept = keep;
    return MNP_OK;
}

static mnp_status restart(lanczos *l, int converged)
{
    const int m = l->m, k = l->k;
    int keep = k + (converged < (m - k) / 2 ? converged : (m - k) / 2);
    if (k == 1 && m >= 6 && keep < m / 2)
        keep = m / 2;
    return keep_vectors(l, keep);
}

/* ---- whether eigenvalues were missed ---- */

/* Go on with the pairs that were found and a random vector, which has parts in all eigenspaces. */
static mnp_status begin_check(lanczos *l, int64_t products)
{
    l->checks = true;
    l->most_products = 2 * products;
    for (int i = 0; i < l->k; i++)
        l->found[i] = l->values[i];
    MNP_TRY(keep_vectors(l, l->k));
    return enter(l, l->k, NULL);
}

/* How far a Ritz value is from being wanted. */
static double gap_of(const lanczos *l, int i)
{
    double gap = fabs(key_of(l, i) - key_of(l, l->order[l->k - 1]));
    if (l->options.which != MNP_EIGEN_BE)
        return gap;
    gap = INFINITY;
    for (int j = 0; j < l->k; j++)
        gap = fmin(gap, fabs(l->theta[i] - l->theta[l->order[j]]));
    return gap;
}

/*
 * Whether the next pairs, of both ends where both are wanted, have converged so far that they are not wanted.  A
 * residual of half of the gap is not enough: of 31 x 31 points of Poisson's equation one random vector in a hundred let
 * a copy be missed, as its pair came near another eigenvalue first.
 */
static bool is_checked(const lanczos *l)
{
    const int next = l->options.which == MNP_EIGEN_BE ? 2 : 1;
    for (int j = l->k; j < l->k + next && j < l->m; j++) {
        const int i = l->order[j];
        const double residual = fabs(l->beta * l->t[i * l->m + l->m - 1]);
        if (residual > fmax(limit_of(l, l->theta[i]), gap_of(l, i) / 32))
            return false;
    }
    return true;
}

/* What follows when all pairs have converged. */
typedef enum outcome { DONE, GO_ON, CHECK } outcome;

static outcome conclude(const lanczos *l, const mnp_eigen_result *result)
{
    const bool may_miss = l->options.tol > 100 * mnp__ritz_epsilon(l->op->dtype);
    if (l->whole || (!l->closed && !may_miss))
        return DONE;
    if (l->closed)
        return are_same(l, l->before) && result->iterations > 1 ? DONE : GO_ON;
    if (!l->checks || !are_same(l, l->found))
        return CHECK;
    return is_checked(l) || result->products >= l->most_products ? DONE : GO_ON;
}

static mnp_status iterate(lanczos *l, mnp_eigen_result *result)
{
    const mnp_eigsh_options *options = &l->options;
    bool finite;
    MNP_TRY(enter(l, 0, options->v0));
    for (;;) {
        MNP_TRY(extend(l, &result->products, &finite));
        if (finite) {
            MNP_TRY(fetch(l));
            MNP_TRY(mnp__ritz_eigh(l->ctx, l->m, false, l->t, l->theta, &finite));
        }
        if (!finite) {
            result->reason = l->inverse && l->inverse->unsolved ? MNP_EIGEN_UNSOLVED : MNP_EIGEN_BREAKDOWN;
            return MNP_OK;
        }
        choose(l);
        result->converged = count_converged(l);
        result->iterations++;
        const outcome next = result->converged == l->k ? conclude(l, result) : GO_ON;
        if (next == DONE) {
            result->reason = MNP_EIGEN_CONVERGED;
            return MNP_OK;
        }
        if (options->progress &&
            options->progress(options->argument, result->iterations, l->k, l->results, l->estimates)) {
            result->reason = MNP_EIGEN_STOPPED;
            return MNP_OK;
        }
        if (result->iterations >= options->maxiter) {
            if (result->converged == l->k && !l->closed)
                result->reason = MNP_EIGEN_CONVERGED; /* and the check ends here */
            return MNP_OK;
        }
        MNP_TRY(next == CHECK ? begin_check(l, result->products) : restart(l, result->converged));
    }
}

/* ---- results ---- */

/* The wanted vectors, and the norms of their residuals.  Where numbers are not finite there are none. */
static mnp_status finish(lanczos *l, const mnp__block *vectors, mnp_eigen_result *result)
{
    const int m = l->m, k = l->k;
    const mnp__columns basis = mnp__basis_columns(l->basis, m);
    mnp__columns both = {.addresses = NULL};
    mnp__block products = {.array = NULL};
    const bool broken = result->reason == MNP_EIGEN_BREAKDOWN || result->reason == MNP_EIGEN_UNSOLVED;
    mnp_status st;
    for (int i = 0; i < k && broken; i++)
        l->results[i] = NAN;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++)
            l->matrix[i * k + j] = broken ? NAN : l->t[l->wanted[j] * m + i];
    MNP_TRY_OR(mnp__block_new(l->op, k, &products), st, done);
    mnp_array *arrays[] = {products.array, vectors->array};
    MNP_TRY_OR(mnp__columns_new(2, arrays, &both), st, done);
    const mnp__columns to = mnp__columns_part(&both, k, k), residuals = mnp__columns_part(&both, 0, k);
    MNP_TRY_OR(mnp__tall_put(l->tall, m * k, l->matrix), st, done);
    MNP_TRY_OR(mnp__tall_multiply(l->tall, &basis, &to), st, done);
    MNP_TRY_OR(mnp__block_apply(l->original, vectors, &products, l->basis->vectors), st, done);
    st = mnp__ritz_residuals(l->ctx, l->tall, &both, &residuals, l->results, l->matrix, result->residuals);
    result->products = k + (l->inverse ? l->inverse->products : result->products);
done:
    mnp__columns_free(l->ctx, &both);
    mnp__block_free(&products);
    return st;
}

mnp_status mnp__lanczos_run(const mnp_operator *op, int k, const mnp_eigsh_options *options, const mnp__block *vectors,
                            double *values, mnp_eigen_result *result)
{
    mnp__shift_invert shift = {.op = NULL};
    lanczos l = {.ctx = op->ctx,
                 .op = op,
                 .original = op,
                 .inverse = options->near_sigma ? &shift : NULL,
                 .options = *options,
                 .k = k,
                 .m = options->ncv,
                 .whole = options->ncv == mnp_layout_size(op->column_layout)};
    mnp__timer timer = {.ctx = NULL};
    mnp_status st;
    if (l.inverse)
        MNP_TRY_OR(mnp__shift_invert_open(op, options, &shift, &l.op), st, done);
    MNP_TRY_OR(acquire(&l), st, done);
    MNP_TRY_OR(mnp__timer_open(op->ctx, &timer), st, done);
    MNP_TRY_OR(mnp__timer_start(&timer), st, done);
    MNP_TRY_OR(iterate(&l, result), st, done);
    MNP_TRY_OR(finish(&l, vectors, result), st, done);
    MNP_TRY_OR(mnp__timer_stop(&timer, &result->seconds), st, done);
    for (int i = 0; i < k; i++)
        values[i] = l.results[i];
done:
    mnp__timer_close(&timer);
    release(&l);
    mnp__shift_invert_close(&shift);
    return st;
}
