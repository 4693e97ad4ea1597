/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds of a spectrum, from a few iterations of CG: their coefficients are the entries of the tridiagonal matrix of
 * Lanczos' method (Y. Saad, "Iterative methods for sparse linear systems", 6.7.3).  Its extreme eigenvalues are found
 * by bisection, with Sturm's count of the eigenvalues below a number.
 */
#include <math.h>

#include <maniple/random.h>

#include "base/integer.h"
#include "layout/layout.h"
#include "sparse/krylov/system.h"

enum { MOST = 64 };

typedef struct tridiagonal {
    int size;
    double diagonal[MOST], beside[MOST]; /* beside[i] couples i - 1 and i */
} tridiagonal;

static int count_below(const tridiagonal *t, double x)
{
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < t->size; i++) {
        pivot = t->diagonal[i] - x - (i > 0 ? t->beside[i] * t->beside[i] / pivot : 0);
        if (pivot == 0)
            pivot = -1e-300;
        count += pivot < 0;
    }
    return count;
}

/* Eigenvalue number k, from 0 on. */
static double eigenvalue(const tridiagonal *t, int k)
{
    double largest = 0;
    for (int i = 0; i < t->size; i++)
        largest =
            fmax(largest, fabs(t->diagonal[i]) + fabs(t->beside[i]) + (i + 1 < t->size ? fabs(t->beside[i + 1]) : 0));
    double low = -largest, high = largest;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (count_below(t, middle) > k)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

/* Iterations of CG with a random right-hand side, and the matrix that they make. */
static mnp_status iterate(mnp__system *s, tridiagonal *t)
{
    struct mnp_step_control control = {.maxiter = (double)s->options->maxiter, .first = 1e100};
    double alpha = 0, beta = 0;
    MNP_TRY(mnp__steps_begin(s->steps, &control));
    MNP_TRY(s->method->start(s));
    while (t->size < s->options->maxiter) {
        MNP_TRY(s->method->iterate(s));
        MNP_TRY(mnp__steps_poll(s->steps, true, &control));
        const double next = control.parameter[MNP_CG_ALPHA];
        if ((control.done != MNP_GOING && control.done != MNP_DONE_MAXITER && control.iterations <= t->size) ||
            !(next > 0))
            break;
        t->diagonal[t->size] = 1 / next + (t->size > 0 ? beta / alpha : 0);
        t->beside[t->size] = t->size > 0 ? sqrt(beta) / alpha : 0;
        t->size++;
        alpha = next;
        beta = control.parameter[MNP_CG_BETA];
        if (control.done != MNP_GOING || !(beta > 0))
            break;
    }
    return MNP_OK;
}

/* A right-hand side that is a function of the global index. */
static mnp_status random_vector(const mnp_operator *op, mnp_array **vector_p)
{
    mnp_rng *rng = NULL;
    mnp_array *numbers = NULL;
    MNP_TRY(mnp_rng_new(op->ctx, 1950, &rng));
    mnp_status st = mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 1, op->row_layout->shape, &numbers);
    mnp_rng_free(rng);
    if (st == MNP_OK)
        st = mnp__vector_of("mnp_solve()", numbers, op->dtype, op->row_layout, vector_p);
    mnp_array_free(numbers);
    return st;
}

mnp_status mnp__estimate_bounds(const mnp_operator *op, const mnp_precond *precond, int iterations, double bounds[2])
{
    mnp_solve_options options = {.precond = precond, .maxiter = mnp__min(iterations, MOST)};
    mnp__system system;
    mnp_array *b = NULL;
    tridiagonal t = {.size = 0};
    mnp_status st;
    MNP_TRY(mnp__system_open(&system, &mnp__cg, op, op->dtype, &options));
    MNP_TRY_OR(random_vector(op, &b), st, done);
    MNP_TRY_OR(mnp__array_assign(b, system.r), st, done);
    MNP_TRY_OR(iterate(&system, &t), st, done);
    bounds[0] = t.size > 0 ? eigenvalue(&t, 0) : 0;
    bounds[1] = t.size > 0 ? eigenvalue(&t, t.size - 1) : 0;
done:
    mnp_array_free(b);
    mnp__system_close(&system);
    return st;
}
