/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LSMR: least squares for matrices of any shape, whose gradient A^H r becomes smaller with each iteration (D. C.-L. Fong,
 * M. A. Saunders, "LSMR: an iterative algorithm for sparse least-squares problems", SIAM J. Sci. Comput. 33, 2011; with
 * the names of scipy.sparse.linalg.lsmr).
 */
#include "sparse/krylov/bidiagonal.h"

enum { V = MNP__V, Q = MNP__Q, H = MNP__BIDIAGONAL_WORK, H_BAR, WORK };

static const mnp__step first = {.name = "lsmr_first", .vectors = "v q", .body = "v = q;", .sums = {"norm(q)"}};

/* A^H b = 0: no x does better than 0. */
static const mnp__step first_h = {
    .name = "lsmr_first_h",
    .vectors = "v h h_bar",
    .before = "alpha = MNP_SQRT(real_part(sum[0]));\n"
              "residual = parameter[MNP_LEAST_NORM_R] = beta;\n"
              "parameter[MNP_LEAST_GRADIENT] = zeta_bar = alpha * beta;\n"
              "parameter[MNP_LEAST_NORM_A] = alpha_bar = alpha;\n"
              "rho = rho_bar = cosine_bar = rho_d = largest = 1;\n"
              "beta_dd = beta;\n"
              "least = 1e100;\n"
              "need(is_finite(alpha));\n"
              "if (done == MNP_GOING)\n"
              "    done = alpha == 0 ? MNP_DONE_CONVERGED : maxiter > 0 ? MNP_GOING : MNP_DONE_MAXITER;\n"
              "inverse = 1 / alpha;",
    .body = "v = inverse * v; h = v; h_bar = element(0);",
};

static const mnp__step next_v = {
    .name = "lsmr_next_v", .vectors = "v q", .body = "v = q - beta * v;", .sums = {"norm(v)"}};

/* Rotations of the bidiagonal matrix, of the transposed triangle that results, and for the norm of the residual. */
static const mnp__step update = {
    .name = "lsmr_update",
    .vectors = "x v h h_bar",
    .before = "size += alpha * alpha + beta * beta;\n"
              "alpha = beta > 0 ? MNP_SQRT(real_part(sum[0])) : 0;\n"
              "inverse = alpha > 0 ? 1 / alpha : 0;\n"
              "const mnp_rotation hat = mnp_rotate(alpha_bar, parameter[MNP_LEAST_DAMP]);\n"
              "const mnp_rotation plane = mnp_rotate(hat.r, beta);\n"
              "const double rho_before = rho, rho_bar_before = rho_bar, zeta_before = zeta;\n"
              "const double theta = plane.s * alpha, theta_bar = sine_bar * plane.r;\n"
              "rho = plane.r;\n"
              "alpha_bar = plane.c * alpha;\n"
              "const double diagonal = cosine_bar * rho;\n"
              "const mnp_rotation bar = mnp_rotate(diagonal, theta);\n"
              "need(is_finite(bar.r) && rho > 0 && bar.r > 0);\n"
              "cosine_bar = bar.c;\n"
              "sine_bar = bar.s;\n"
              "rho_bar = bar.r;\n"
              "zeta = bar.c * zeta_bar;\n"
              "zeta_bar = -bar.s * zeta_bar;\n"
              "along_bar = theta_bar * rho / (rho_before * rho_bar_before);\n"
              "along_x = zeta / (rho * rho_bar);\n"
              "along_h = theta / rho;\n"
              "const double kept = hat.c * beta_dd, lost = hat.s * beta_dd;\n"
              "beta_dd = -plane.s * kept;\n"
              "penalties += lost * lost;\n"
              "const mnp_rotation tilde = mnp_rotate(rho_d, theta_bar);\n"
              "tau_tilde = (zeta_before - theta_tilde * tau_tilde) / tilde.r;\n"
              "theta_tilde = tilde.s * rho_bar;\n"
              "rho_d = tilde.c * rho_bar;\n"
              "beta_d = tilde.c * plane.c * kept - tilde.s * beta_d;\n"
              "const double rest = beta_d - (zeta - theta_tilde * tau_tilde) / rho_d;\n"
              "norm_r = MNP_SQRT(penalties + rest * rest + beta_dd * beta_dd);\n"
              "largest = rho_bar_before > largest ? rho_bar_before : largest;\n"
              "least = iterations > 0 && rho_bar_before < least ? rho_bar_before : least;\n"
              "cond = (diagonal > largest ? diagonal : largest) / (diagonal < least ? diagonal : least);",
    .body = "h_bar = h - along_bar * h_bar; x += along_x * h_bar; v = inverse * v; h = v - along_h * h;",
    .sums = {"norm(x)"},
};

static const mnp__step test = {
    .name = "lsmr_test",
    .before = "parameter[MNP_LEAST_NORM_R] = norm_r;\n"
              "parameter[MNP_LEAST_NORM_A] = MNP_SQRT(size);\n"
              "parameter[MNP_LEAST_COND] = cond;\n"
              "parameter[MNP_LEAST_GRADIENT] = magnitude(zeta_bar);\n"
              "parameter[MNP_LEAST_NORM_X] = MNP_SQRT(real_part(sum[0]));\n"
              "mnp_test_least_squares(*this, norm_r);",
};

static mnp_status lsmr_prepare(mnp__system *s, struct mnp_step_control *control)
{
    (void)s;
    control->parameter[MNP_LEAST_COND] = 1; /* also where nothing is iterated */
    return MNP_OK;
}

static mnp_status lsmr_start(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__bidiagonal_start(s));
    MNP_TRY(MNP__RUN(s, &first, w[V], w[Q]));
    return MNP__RUN(s, &first_h, w[V], w[H], w[H_BAR]);
}

static mnp_status lsmr_iterate(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__bidiagonal_next(s));
    MNP_TRY(MNP__RUN(s, &next_v, w[V], w[Q]));
    MNP_TRY(MNP__RUN(s, &update, s->x, w[V], w[H], w[H_BAR]));
    return MNP__RUN_ALONE(s, &test);
}

const mnp__method mnp__lsmr = {
    .scalars = {.reals = MNP__BIDIAGONAL_SCALARS
                ", alpha_bar, rho, rho_bar, cosine_bar, sine_bar, zeta, zeta_bar, along_bar, along_x, along_h, beta_d, "
                "beta_dd, rho_d, tau_tilde, theta_tilde, penalties, norm_r, size, largest, least, cond"},
    .work = WORK,
    .rows = MNP__BIDIAGONAL_ROWS,
    .adjoint = true,
    .least_squares = true,
    .prepare = lsmr_prepare,
    .start = lsmr_start,
    .iterate = lsmr_iterate,
};
