/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of two short recurrences for any square matrix, with a preconditioner on the right.
 *
 * bicgstab: H. A. van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG", SIAM J. Sci. Stat.
 * Comput. 13, 1992.  cgs: P. Sonneveld, "CGS, a fast Lanczos-type solver for nonsymmetric linear systems", SIAM J. Sci.
 * Stat.  Comput. 10, 1989.  Each iteration takes two products with the matrix; the residual is not monotone.
 */
#include "sparse/krylov/method.h"

static const mnp__step begin = {
    .name = "bicg_begin", .vectors = "r shadow", .body = "shadow = r;", .sums = {"norm(r)", "norm(r)"}};

/* <shadow, A p>, by which both methods divide. */
static const mnp__step shadow_product = {.name = "bicg_shadow", .vectors = "shadow v", .sums = {"dot(shadow, v)"}};

/* ---- bicgstab ---- */

enum { SHADOW, P, V, T, P_HAT, S_HAT };

static const mnp__step bicgstab_direction = {
    .name = "bicgstab_direction",
    .vectors = "p r v",
    .before = "const mnp_w before = rho;\n"
              "rho = sum[1];\n"
              "beta = number(0);\n"
              "if (started != 0) {\n"
              "    test(MNP_SQRT(real_part(sum[0])));\n"
              "    need_divisor(omega);\n"
              "    beta = rho / before * (alpha / omega);\n"
              "}\n"
              "need_divisor(rho);\n"
              "started = 1;",
    .body = "p = r + beta * (p - omega * v);",
};

static const mnp__step bicgstab_half = {
    .name = "bicgstab_half",
    .vectors = "r v",
    .before = "need_divisor(sum[0]);\n"
              "alpha = rho / sum[0];",
    .body = "r -= alpha * v;",
};

static const mnp__step bicgstab_products = {
    .name = "bicgstab_products", .vectors = "t r", .sums = {"dot(t, r)", "norm(t)"}};

static const mnp__step bicgstab_update = {
    .name = "bicgstab_update",
    .vectors = "x r p_hat s_hat t shadow",
    .before = "omega = real_part(sum[1]) > 0 ? sum[0] / sum[1] : number(0);",
    .body = "x += alpha * p_hat + omega * s_hat; r -= omega * t;",
    .sums = {"norm(r)", "dot(shadow, r)"},
};

static mnp_status bicgstab_start(mnp__system *s)
{
    MNP_TRY(MNP__RUN(s, &begin, s->r, s->work[SHADOW]));
    return MNP__RUN(s, &bicgstab_direction, s->work[P], s->r, s->work[V]);
}

static mnp_status bicgstab_iterate(mnp__system *s)
{
    mnp_array *p_hat, *s_hat, **w = s->work;
    MNP_TRY(mnp__precondition(s, w[P], w[P_HAT], &p_hat));
    MNP_TRY(mnp__multiply(s, p_hat, w[V]));
    MNP_TRY(MNP__RUN(s, &shadow_product, w[SHADOW], w[V]));
    MNP_TRY(MNP__RUN(s, &bicgstab_half, s->r, w[V]));
    MNP_TRY(mnp__precondition(s, s->r, w[S_HAT], &s_hat));
    MNP_TRY(mnp__multiply(s, s_hat, w[T]));
    MNP_TRY(MNP__RUN(s, &bicgstab_products, w[T], s->r));
    MNP_TRY(MNP__RUN(s, &bicgstab_update, s->x, s->r, p_hat, s_hat, w[T], w[SHADOW]));
    return MNP__RUN(s, &bicgstab_direction, w[P], s->r, w[V]);
}

const mnp__method mnp__bicgstab = {
    .scalars = {.reals = "started", .numbers = "rho, alpha, beta, omega"},
    .work = 6,
    .keeps_best = true,
    .start = bicgstab_start,
    .iterate = bicgstab_iterate,
};

/* ---- cgs ---- */

enum { CGS_SHADOW, CGS_P, CGS_Q, CGS_U, CGS_V, CGS_HAT };

static const mnp__step cgs_direction = {
    .name = "cgs_direction",
    .vectors = "p q u r",
    .before = "const mnp_w before = rho;\n"
              "rho = sum[1];\n"
              "if (started != 0)\n"
              "    test(MNP_SQRT(real_part(sum[0])));\n"
              "need_divisor(rho);\n"
              "beta = started != 0 ? rho / before : number(0);\n"
              "started = 1;",
    .body = "u = r + beta * q; p = u + beta * (q + beta * p);",
};

/* q is updated, and u becomes the sum of both directions, along which x advances. */
static const mnp__step cgs_half = {
    .name = "cgs_half",
    .vectors = "q u v",
    .before = "need_divisor(sum[0]);\n"
              "alpha = rho / sum[0];",
    .body = "q = u - alpha * v; u += q;",
};

static const mnp__step cgs_update = {
    .name = "cgs_update",
    .vectors = "x r u_hat v shadow",
    .body = "x += alpha * u_hat; r -= alpha * v;",
    .sums = {"norm(r)", "dot(shadow, r)"},
};

static mnp_status cgs_start(mnp__system *s)
{
    MNP_TRY(MNP__RUN(s, &begin, s->r, s->work[CGS_SHADOW]));
    return MNP__RUN(s, &cgs_direction, s->work[CGS_P], s->work[CGS_Q], s->work[CGS_U], s->r);
}

static mnp_status cgs_iterate(mnp__system *s)
{
    mnp_array *hat, **w = s->work;
    MNP_TRY(mnp__precondition(s, w[CGS_P], w[CGS_HAT], &hat));
    MNP_TRY(mnp__multiply(s, hat, w[CGS_V]));
    MNP_TRY(MNP__RUN(s, &shadow_product, w[CGS_SHADOW], w[CGS_V]));
    MNP_TRY(MNP__RUN(s, &cgs_half, w[CGS_Q], w[CGS_U], w[CGS_V]));
    MNP_TRY(mnp__precondition(s, w[CGS_U], w[CGS_HAT], &hat));
    MNP_TRY(mnp__multiply(s, hat, w[CGS_V]));
    MNP_TRY(MNP__RUN(s, &cgs_update, s->x, s->r, hat, w[CGS_V], w[CGS_SHADOW]));
    return MNP__RUN(s, &cgs_direction, w[CGS_P], w[CGS_Q], w[CGS_U], s->r);
}

const mnp__method mnp__cgs = {
    .scalars = {.reals = "started", .numbers = "rho, alpha, beta"},
    .work = 6,
    .keeps_best = true,
    .start = cgs_start,
    .iterate = cgs_iterate,
};
