/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The polar decomposition A = Q H by dynamically weighted Halley iterations (Nakatsukasa, Bai, Gygi: Optimizing
 * Halley's iteration for computing the matrix polar decomposition, 2010).
 *
 * With X = A / |A| at first, whose singular values are in [l, 1], but for those that are as good as 0,
 *
 *   X <- X (a + b X^H X) (1 + c X^H X)^-1
 *
 * brings each of them nearer to 1; a, b and c follow from l, and so does the next l.  It takes six iterations.  As long
 * as c is large the inverse is in the Q of (sqrt(c) X; I), and then in a Cholesky factor.  Nothing else is done than
 * products, factorisations and triangular systems, so it is fast on GPUs.
 *
 * Without pivots, which LAPACK's QR does not have on GPUs, Q may be off where A is nearly singular.  It shows: Q^H A is
 * then not Hermitian.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/linalg.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "linalg/svd/by_eigen.h"

static const double LEAST = 1e-15;     /* singular values below that are rounding errors */
static const double SAFE = 0x1p-460;   /* the square of this norm is a number; so is that of its inverse */
static const double BY_CHOLESKY = 100; /* the largest c for which Cholesky's factor is as accurate */
static const double ASYMMETRY = 8;     /* times sqrt(n) eps: what Q^H A may be from Hermitian */
enum { MOST_ITERATIONS = 10 };

typedef struct weights {
    double a, b, c;
} weights;

/* The weights for singular values in [l, 1], and the next l. */
static weights weights_for(double *l)
{
    const double square = *l * *l, d = cbrt(4 * (1 - square) / (square * square)), root = sqrt(1 + d);
    weights w;
    w.a = root + sqrt(8 - 4 * d + 8 * (2 - square) / (square * root)) / 2;
    w.b = (w.a - 1) * (w.a - 1) / 4;
    w.c = w.a + w.b - 1;
    *l = fmin(1, *l * (w.a + w.b * square) / (1 + w.c * square));
    return w;
}

/* p x + q y in place of x. */
static mnp_status combine(double p, mnp_array **x, double q, const mnp_array *y)
{
    mnp_ctx *ctx = y->ctx;
    return mnp_eval(ctx, "x = p * x + q * y", MNP_IN("p", MNP_SCALAR(ctx, p), "q", MNP_SCALAR(ctx, q), "y", y),
                    MNP_OUT("x", x));
}

/* An iteration by (sqrt(c) X; I) = (Q1; Q2) R: X <- b/c X + (a - b/c) / sqrt(c) Q1 Q2^H. */
static mnp_status iterate_by_qr(weights w, const mnp_array *one, mnp_array **x_p)
{
    mnp_array *scaled = NULL, *stack = NULL, *q = NULL, *r = NULL, *q1 = NULL, *q2 = NULL, *q2h = NULL, *y = NULL;
    mnp_ctx *ctx = one->ctx;
    char which[64];
    mnp_status st;
    MNP_TRY_OR(mnp_multiply(*x_p, MNP_SCALAR(ctx, sqrt(w.c)), &scaled), st, done);
    MNP_TRY_OR(mnp_concatenate(MNP_LIST(scaled, one), 0, &stack), st, done);
    mnp_array_free(scaled);
    scaled = NULL;
    MNP_TRY_OR(mnp_qr(stack, "reduced", &q, &r), st, done);
    snprintf(which, sizeof which, ":%" PRId64, mnp__rows(*x_p));
    MNP_TRY_OR(mnp_index(q, which, &q1), st, done);
    snprintf(which, sizeof which, "%" PRId64 ":", mnp__rows(*x_p));
    MNP_TRY_OR(mnp_index(q, which, &q2), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(q2, &q2h), st, done);
    MNP_TRY_OR(mnp_matmul(q1, q2h, &y), st, done);
    st = combine(w.b / w.c, x_p, (w.a - w.b / w.c) / sqrt(w.c), y);
done:
    mnp_free_all(y, q2h, q2, q1, r, q, stack, scaled);
    return st;
}

/* The same by I + c X^H X = L L^H: X <- b/c X + (a - b/c) X L^-H L^-1. */
static mnp_status iterate_by_cholesky(weights w, const mnp_array *one, mnp_array **x_p)
{
    mnp_array *xh = NULL, *z = NULL, *l = NULL, *half = NULL, *whole = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__linalg_adjoint(*x_p, &xh), st, done);
    MNP_TRY_OR(mnp_matmul(xh, *x_p, &z), st, done);
    MNP_TRY_OR(combine(w.c, &z, 1, one), st, done);
    MNP_TRY_OR(mnp_cholesky(z, false, &l), st, done);
    MNP_TRY_OR(mnp_solve_triangular(l, xh, 0, true, false, &half), st, done);
    MNP_TRY_OR(mnp_solve_triangular(l, half, 2, true, false, &whole), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(whole, &y), st, done);
    st = combine(w.b / w.c, x_p, w.a - w.b / w.c, y);
done:
    mnp_free_all(y, whole, half, l, z, xh);
    return st;
}

/* H = (Q^H A + A^H Q) / 2, and how far it is from Q^H A. */
static mnp_status hermitian_part(const mnp_array *q, const mnp_array *a, mnp_array **h_p, double *away_p)
{
    mnp_array *qh = NULL, *product = NULL, *turned = NULL, *away = NULL, *norm = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__linalg_adjoint(q, &qh), st, done);
    MNP_TRY_OR(mnp_matmul(qh, a, &product), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(product, &turned), st, done);
    MNP_TRY_OR(mnp_subtract(product, turned, &away), st, done);
    MNP_TRY_OR(mnp_matrix_norm(away, "fro", false, &norm), st, done);
    MNP_TRY_OR(mnp_array_item(norm, MNP_FLOAT64, away_p), st, done);
    st = mnp_eval(q->ctx, "h = (x + y) / 2", MNP_IN("x", product, "y", turned), MNP_OUT("h", h_p));
done:
    mnp_free_all(norm, away, turned, product, qh);
    return st;
}

mnp_status mnp__polar_factor(const mnp_array *a, mnp_array **h_p, bool *done_p)
{
    mnp_array *length = NULL, *x = NULL, *one = NULL, *h = NULL;
    double norm = 0, away = 0, l = LEAST;
    mnp_status st;
    *done_p = false;
    MNP_TRY_OR(mnp_matrix_norm(a, "fro", false, &length), st, done);
    MNP_TRY_OR(mnp_array_item(length, MNP_FLOAT64, &norm), st, done);
    if (!(norm > SAFE && norm < 1 / SAFE))
        goto done;
    MNP_TRY_OR(mnp_multiply(a, MNP_SCALAR(a->ctx, 1 / norm), &x), st, done);
    MNP_TRY_OR(mnp_identity(a->ctx, a->dtype, mnp__columns(a), &one), st, done);
    for (int i = 0; i < MOST_ITERATIONS && 1 - l > 10 * DBL_EPSILON; i++) {
        const weights w = weights_for(&l);
        MNP_TRY_OR(w.c > BY_CHOLESKY ? iterate_by_qr(w, one, &x) : iterate_by_cholesky(w, one, &x), st, done);
    }
    MNP_TRY_OR(hermitian_part(x, a, &h, &away), st, done);
    *done_p = away <= ASYMMETRY * sqrt((double)mnp__columns(a)) * DBL_EPSILON * norm;
    if (*done_p) {
        *h_p = h;
        h = NULL;
    }
done:
    mnp_free_all(h, one, x, length);
    return st;
}
