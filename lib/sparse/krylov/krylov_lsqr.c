/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LSQR: least squares for matrices of any shape (C. C. Paige, M. A. Saunders, "LSQR: an algorithm for sparse linear
 * equations and sparse least squares", ACM TOMS 8, 1982).
 *
 * A is bidiagonalised by products with A and A^H; rotations then give the iterates.  The method has converged where the
 * residual is small enough, or where it is nearly orthogonal to the range of A: ||A^H r|| <= rtol ||A|| ||r||, ||A|| as
 * estimated.
 */
#include "sparse/krylov/method.h"

enum { V, W, Q, U, P }; /* u and p have the rows' layout */

static const mnp__step copy = {.name = "lsqr_copy", .vectors = "u r", .body = "u = r;", .sums = {"norm(r)"}};

static const mnp__step begin = {
    .name = "lsqr_begin",
    .before = "beta = MNP_SQRT(real_part(sum[0]));\n"
              "need(is_finite(beta) && beta > 0);\n"
              "phi_bar = beta;\n"
              "inverse = 1 / beta;",
};
static const mnp__step scale_u = {.name = "lsqr_scale_u", .vectors = "u", .body = "u = inverse * u;"};

static const mnp__step first = {.name = "lsqr_first", .vectors = "v q", .body = "v = q;", .sums = {"norm(q)"}};

/* A^H b = 0: no x does better than 0. */
static const mnp__step first_w = {
    .name = "lsqr_first_w",
    .vectors = "v w",
    .before = "alpha = MNP_SQRT(real_part(sum[0]));\n"
              "if (!(alpha > 0)) { residual = phi_bar; done = MNP_DONE_CONVERGED; }\n"
              "rho_bar = alpha;\n"
              "size = alpha * alpha;\n"
              "inverse = 1 / alpha;",
    .body = "v = inverse * v; w = v;",
};

static const mnp__step next_u = {
    .name = "lsqr_next_u", .vectors = "u p", .body = "u = p - alpha * u;", .sums = {"norm(u)"}};

static const mnp__step normal_u = {
    .name = "lsqr_normal_u",
    .vectors = "u",
    .before = "beta = MNP_SQRT(real_part(sum[0]));\n"
              "inverse = beta > 0 ? 1 / beta : 0;",
    .body = "u = inverse * u;",
};

static const mnp__step next_v = {
    .name = "lsqr_next_v", .vectors = "v q", .body = "v = q - beta * v;", .sums = {"norm(v)"}};

static const mnp__step update = {
    .name = "lsqr_update",
    .vectors = "x v w",
    .before = "alpha = beta > 0 ? MNP_SQRT(real_part(sum[0])) : 0;\n"
              "inverse = alpha > 0 ? 1 / alpha : 0;\n"
              "const double rho = MNP_SQRT(rho_bar * rho_bar + beta * beta);\n"
              "need(is_finite(rho) && rho > 0);\n"
              "cosine = rho_bar / rho;\n"
              "const double sine = beta / rho;\n"
              "along_x = cosine * phi_bar / rho;\n"
              "along_w = sine * alpha / rho;\n"
              "rho_bar = -cosine * alpha;\n"
              "phi_bar = sine * phi_bar;\n"
              "size += alpha * alpha + beta * beta;",
    .body = "x += along_x * w; v = inverse * v; w = v - along_w * w;",
};

static const mnp__step test = {
    .name = "lsqr_test",
    .before = "test(phi_bar);\n"
              "if (done == MNP_GOING || done == MNP_DONE_MAXITER) {\n"
              "    const double gradient = alpha * magnitude(cosine);\n"
              "    if (gradient <= parameter[0] * MNP_SQRT(size))\n"
              "        done = MNP_DONE_CONVERGED;\n"
              "}",
};

static mnp_status lsqr_prepare(mnp__system *s, struct mnp_step_control *control)
{
    control->parameter[0] = s->options->rtol;
    return MNP_OK;
}

static mnp_status lsqr_start(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(MNP__RUN(s, &copy, w[U], s->r));
    MNP_TRY(MNP__RUN_ALONE(s, &begin));
    MNP_TRY(MNP__RUN(s, &scale_u, w[U]));
    MNP_TRY(mnp__multiply_adjoint(s, w[U], w[Q]));
    MNP_TRY(MNP__RUN(s, &first, w[V], w[Q]));
    return MNP__RUN(s, &first_w, w[V], w[W]);
}

static mnp_status lsqr_iterate(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__multiply(s, w[V], w[P]));
    MNP_TRY(MNP__RUN(s, &next_u, w[U], w[P]));
    MNP_TRY(MNP__RUN(s, &normal_u, w[U]));
    MNP_TRY(mnp__multiply_adjoint(s, w[U], w[Q]));
    MNP_TRY(MNP__RUN(s, &next_v, w[V], w[Q]));
    MNP_TRY(MNP__RUN(s, &update, s->x, w[V], w[W]));
    return MNP__RUN_ALONE(s, &test);
}

const mnp__method mnp__lsqr = {
    .scalars = {.reals = "alpha, beta, inverse, phi_bar, rho_bar, cosine, along_x, along_w, size"},
    .work = 3,
    .rows = 2,
    .least_squares = true,
    .prepare = lsqr_prepare,
    .start = lsqr_start,
    .iterate = lsqr_iterate,
};
