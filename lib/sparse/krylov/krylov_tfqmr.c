/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TFQMR: the directions of CGS, along which the residual is made nearly as small as it can be (R. W. Freund, "A
 * transpose-free quasi-minimal residual algorithm for non-Hermitian linear systems", SIAM J. Sci. Comput. 14, 1993),
 * with the preconditioner on the right.
 *
 * Two iterations make a cycle, and each takes one product.  Freund bounds the residual by tau; here it is carried along
 * itself too, for two vectors' traffic, and the method ends as soon as either is small enough: the residual mostly is
 * smaller, but where that of CGS was large at first, rounding keeps it from falling as the bound does.
 */
#include "sparse/krylov/method.h"

/* w is the residual of CGS; y a direction, y_hat what the preconditioner makes of it, and u = A y_hat. */
enum { SHADOW, W, Y, Y_HAT, U, V, D, AD, VECTORS };

static const mnp__step begin = {
    .name = "tfqmr_begin", .vectors = "r shadow w y", .body = "shadow = r; w = r; y = r;", .sums = {"norm(r)"}};

/* The first u is v too. */
static const mnp__step first = {
    .name = "tfqmr_first",
    .vectors = "v u shadow",
    .before = "rho = sum[0];\n"
              "tau = MNP_SQRT(real_part(rho));\n"
              "need_divisor(rho);",
    .body = "v = u;",
    .sums = {"dot(shadow, u)"},
};

/* d is x's direction, and ad = A d. */
#define ADVANCE "w -= alpha * u; d = y_hat + factor * d; ad = u + factor * ad;"
static const mnp__step even = {
    .name = "tfqmr_even",
    .vectors = "w d ad y_hat u y v",
    .before = "need_divisor(sum[0]);\n"
              "alpha = rho / sum[0];\n"
              "factor = number(theta * theta) * eta / alpha;",
    .body = ADVANCE " y -= alpha * v;",
    .sums = {"norm(w)"},
};
static const mnp__step odd = {
    .name = "tfqmr_odd",
    .vectors = "w d ad y_hat u shadow",
    .before = "factor = number(theta * theta) * eta / alpha;",
    .body = ADVANCE,
    .sums = {"norm(w)", "dot(shadow, w)"},
};

#define NEXT_ETA                                                                                                       \
    "need(tau > 0);\n"                                                                                                 \
    "theta = MNP_SQRT(real_part(sum[0])) / tau;\n"                                                                     \
    "const double square_of_cosine = 1 / (1 + theta * theta);\n"                                                       \
    "tau *= theta * MNP_SQRT(square_of_cosine);\n"                                                                     \
    "eta = number(square_of_cosine) * alpha;"
#define UPDATE "x += eta * d; r -= eta * ad;"
static const mnp__step update = {
    .name = "tfqmr_update", .vectors = "x r d ad", .before = NEXT_ETA, .body = UPDATE, .sums = {"norm(r)"}};
static const mnp__step update_odd = {
    .name = "tfqmr_update_odd",
    .vectors = "x r d ad",
    .before = NEXT_ETA "\n"
                       "next_rho = sum[1];",
    .body = UPDATE,
    .sums = {"norm(r)"},
};

/* The smaller one; where the residual is NaN that. */
#define TEST                                                                                                           \
    "count += 1;\n"                                                                                                    \
    "const double norm = MNP_SQRT(real_part(sum[0])), bound = tau * MNP_SQRT(count + 1);\n"                            \
    "test(bound < norm ? bound : norm);"
static const mnp__step test = {.name = "tfqmr_test", .before = TEST};

static const mnp__step turn = {
    .name = "tfqmr_turn",
    .vectors = "y w v u",
    .before = TEST "\n"
                   "need_divisor(next_rho);\n"
                   "beta = next_rho / rho;\n"
                   "rho = next_rho;",
    .body = "y = w + beta * y; v = beta * (u + beta * v);",
};

static const mnp__step next_v = {
    .name = "tfqmr_next_v", .vectors = "v u shadow", .body = "v += u;", .sums = {"dot(shadow, v)"}};

/* u = A M y. */
static mnp_status multiply(mnp__system *s, mnp_array **y_hat_p)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__precondition(s, w[Y], w[Y_HAT], y_hat_p));
    return mnp__multiply(s, *y_hat_p, w[U]);
}

static mnp_status tfqmr_start(mnp__system *s)
{
    mnp_array *y_hat, **w = s->work;
    s->position = 0;
    MNP_TRY(MNP__RUN(s, &begin, s->r, w[SHADOW], w[W], w[Y]));
    MNP_TRY(multiply(s, &y_hat));
    return MNP__RUN(s, &first, w[V], w[U], w[SHADOW]);
}

static mnp_status tfqmr_iterate(mnp__system *s)
{
    mnp_array **w = s->work, *y_hat = s->precond ? w[Y_HAT] : w[Y];
    const bool is_even = s->position == 0;
    s->position = is_even ? 1 : 0;
    if (is_even) {
        MNP_TRY(MNP__RUN(s, &even, w[W], w[D], w[AD], y_hat, w[U], w[Y], w[V]));
        MNP_TRY(MNP__RUN(s, &update, s->x, s->r, w[D], w[AD]));
        MNP_TRY(MNP__RUN_ALONE(s, &test));
        return multiply(s, &y_hat);
    }
    MNP_TRY(MNP__RUN(s, &odd, w[W], w[D], w[AD], y_hat, w[U], w[SHADOW]));
    MNP_TRY(MNP__RUN(s, &update_odd, s->x, s->r, w[D], w[AD]));
    MNP_TRY(MNP__RUN(s, &turn, w[Y], w[W], w[V], w[U]));
    MNP_TRY(multiply(s, &y_hat));
    return MNP__RUN(s, &next_v, w[V], w[U], w[SHADOW]);
}

const mnp__method mnp__tfqmr = {
    .scalars = {.reals = "theta, tau, count", .numbers = "rho, next_rho, alpha, beta, eta, factor"},
    .work = VECTORS,
    .keeps_best = true,
    .start = tfqmr_start,
    .iterate = tfqmr_iterate,
};
