/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MINRES: minimises the residual for Hermitian matrices, also indefinite ones, with a Hermitian positive definite
 * preconditioner (C. C. Paige, M. A. Saunders, "Solution of sparse indefinite systems of linear equations", SIAM J.
 * Numer. Anal. 12, 1975; with the names of Saunders' program, which scipy.sparse.linalg.minres follows).
 *
 * Lanczos' vectors, three of them at a time, give a tridiagonal matrix, which rotations make triangular.  The
 * method minimises the norm that the preconditioner defines; the residual itself is carried along for the usual norm.
 */
#include "sparse/krylov/method.h"

enum { R1, R2, Y, V, W0, W1, W2 };

/* The first vector: y = M r, beta = sqrt(<r, y>). */
static const mnp__step begin = {
    .name = "minres_begin", .vectors = "r r2 y", .body = "r2 = r;", .sums = {"dot(r, y)", "norm(r)"}};

static const mnp__step first = {
    .name = "minres_first",
    .before = "/* else the preconditioner is not positive definite */\n"
              "need(is_finite(sum[0]) && real_part(sum[0]) > 0);\n"
              "beta = MNP_SQRT(real_part(sum[0]));\n"
              "phi_bar = beta;\n"
              "cosine = -1;",
};

static const mnp__step normalise = {
    .name = "minres_normalise", .vectors = "v y", .before = "inverse = 1 / beta;", .body = "v = inverse * y;"};

static const mnp__step lose_before = {
    .name = "minres_lose_before",
    .vectors = "q v r1",
    .before = "ratio = before > 0 ? beta / before : 0;",
    .body = "q -= ratio * r1;",
    .sums = {"dot(v, q)"},
};

static const mnp__step lose_last = {
    .name = "minres_lose_last",
    .vectors = "q r2",
    .before = "alpha = real_part(sum[0]);\n"
              "ratio = alpha / beta;",
    .body = "q -= ratio * r2;",
};

static const mnp__step product = {.name = "minres_product", .vectors = "r2 y", .sums = {"dot(r2, y)"}};

/* r = r2 in the residual's recurrence, where beta is 0: it does not matter, as then the sine is 0 too. */
static const mnp__step update = {
    .name = "minres_update",
    .vectors = "w w1 w2 v x r r2",
    .before = "need(is_finite(sum[0]) && real_part(sum[0]) >= -1e-12 * beta * beta);\n"
              "before = beta;\n"
              "beta = real_part(sum[0]) > 0 ? MNP_SQRT(real_part(sum[0])) : 0;\n"
              "const double old_epsilon = epsilon, gamma_bar = sine * delta_bar - cosine * alpha;\n"
              "delta = cosine * delta_bar + sine * alpha;\n"
              "epsilon = sine * beta;\n"
              "delta_bar = -cosine * beta;\n"
              "const double gamma = MNP_SQRT(gamma_bar * gamma_bar + beta * beta);\n"
              "largest = gamma > largest ? gamma : largest;\n"
              "need(is_finite(gamma) && gamma > 4 * MNP_EPSILON * largest); /* else the matrix is singular there */\n"
              "cosine = gamma_bar / gamma;\n"
              "sine = beta / gamma;\n"
              "phi = cosine * phi_bar;\n"
              "phi_bar = sine * phi_bar;\n"
              "inverse = 1 / gamma;\n"
              "epsilon_before = old_epsilon;\n"
              "kept = sine * sine;\n"
              "gained = beta > 0 ? phi_bar * cosine / beta : 0;",
    .body = "w = inverse * (v - epsilon_before * w1 - delta * w2); x += phi * w; r = kept * r - gained * r2;",
    .sums = {"norm(r)"},
};

static const mnp__step test = {.name = "minres_test",
                               .before = "test(MNP_SQRT(real_part(sum[0])));\n"
                                         "need(beta > 0);"};

static void exchange(mnp_array **a, mnp_array **b)
{
    mnp_array *kept = *a;
    *a = *b;
    *b = kept;
}

static mnp_status minres_start(mnp__system *s)
{
    mnp_array *y, **w = s->work;
    MNP_TRY(mnp__precondition(s, s->r, w[Y], &y));
    MNP_TRY(MNP__RUN(s, &begin, s->r, w[R2], y));
    MNP_TRY(MNP__RUN_ALONE(s, &first));
    return MNP__RUN(s, &normalise, w[V], y);
}

static mnp_status minres_iterate(mnp__system *s)
{
    mnp_array *y, **w = s->work;
    MNP_TRY(mnp__multiply(s, w[V], w[Y]));
    MNP_TRY(MNP__RUN(s, &lose_before, w[Y], w[V], w[R1]));
    MNP_TRY(MNP__RUN(s, &lose_last, w[Y], w[R2]));
    exchange(&w[R1], &w[R2]);
    exchange(&w[R2], &w[Y]);
    MNP_TRY(mnp__precondition(s, w[R2], w[Y], &y));
    MNP_TRY(MNP__RUN(s, &product, w[R2], y));
    exchange(&w[W1], &w[W2]);
    exchange(&w[W2], &w[W0]);
    MNP_TRY(MNP__RUN(s, &update, w[W0], w[W1], w[W2], w[V], s->x, s->r, w[R2]));
    MNP_TRY(MNP__RUN_ALONE(s, &test));
    return MNP__RUN(s, &normalise, w[V], y);
}

const mnp__method mnp__minres = {
    .scalars = {.reals = "alpha, beta, before, ratio, inverse, cosine, sine, delta, delta_bar, epsilon, "
                         "epsilon_before, phi, phi_bar, kept, gained, largest"},
    .work = 7,
    .keeps_start = true,
    .start = minres_start,
    .iterate = minres_iterate,
};
