/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LSQR: least squares for matrices of any shape (C. C. Paige, M. A. Saunders, "LSQR: an algorithm for sparse linear
 * equations and sparse least squares", ACM TOMS 8, 1982; with the names of scipy.sparse.linalg.lsqr).
 *
 * A is bidiagonalised; rotations then give the iterates, which make ||b - A x||^2 + damp^2 ||x||^2 least, and norms.
 *
 * As a solver of mnp_solve() it has converged where the residual is small enough, or where it is nearly orthogonal to
 * the range of A: ||A^H r|| <= atol ||A|| ||r||, ||A|| as estimated.  As mnp_lsqr() it has the rules of the paper.
 */
#include "sparse/krylov/bidiagonal.h"

enum { V = MNP__V, Q = MNP__Q, W = MNP__BIDIAGONAL_WORK, WITHOUT_VARIANCES, D = WITHOUT_VARIANCES, WITH_VARIANCES };

static const mnp__step first = {.name = "lsqr_first", .vectors = "v q", .body = "v = q;", .sums = {"norm(q)"}};

/* A^H b = 0: no x does better than 0. */
static const mnp__step first_w = {
    .name = "lsqr_first_w",
    .vectors = "v w",
    .before = "alpha = MNP_SQRT(real_part(sum[0]));\n"
              "phi_bar = residual = parameter[MNP_LEAST_NORM_R] = beta;\n"
              "parameter[MNP_LEAST_GRADIENT] = alpha * beta;\n"
              "need(is_finite(alpha));\n"
              "if (done == MNP_GOING)\n"
              "    done = alpha == 0 ? MNP_DONE_CONVERGED : maxiter > 0 ? MNP_GOING : MNP_DONE_MAXITER;\n"
              "rho_bar = alpha;\n"
              "cosine_x = -1;\n"
              "inverse = 1 / alpha;",
    .body = "v = inverse * v; w = v;",
};

static const mnp__step next_v = {
    .name = "lsqr_next_v", .vectors = "v q w", .body = "v = q - beta * v;", .sums = {"norm(v)", "norm(w)"}};

/*
 * Rotations remove the damping, and the element below the diagonal; a third one, from the right, is for the norm of x.
 */
#define ROTATE                                                                                                         \
    "const double damp = parameter[MNP_LEAST_DAMP];\n"                                                                 \
    "size += alpha * alpha + beta * beta + damp * damp;\n"                                                             \
    "alpha = beta > 0 ? MNP_SQRT(real_part(sum[0])) : 0;\n"                                                            \
    "inverse = alpha > 0 ? 1 / alpha : 0;\n"                                                                           \
    "const mnp_rotation undamp = mnp_rotate(rho_bar, damp), plane = mnp_rotate(undamp.r, beta);\n"                     \
    "penalties += undamp.s * phi_bar * undamp.s * phi_bar;\n"                                                          \
    "const double rho = plane.r, theta = plane.s * alpha, phi = plane.c * undamp.c * phi_bar;\n"                       \
    "need(is_finite(rho) && rho > 0);\n"                                                                               \
    "cosine = plane.c;\n"                                                                                              \
    "phi_bar = plane.s * undamp.c * phi_bar;\n"                                                                        \
    "rho_bar = -cosine * alpha;\n"                                                                                     \
    "along_x = phi / rho;\n"                                                                                           \
    "along_w = theta / rho;\n"                                                                                         \
    "inverse_rho = 1 / rho;\n"                                                                                         \
    "inverses += real_part(sum[1]) / (rho * rho);\n"                                                                   \
    "const double gamma_bar = -cosine_x * rho, rest = phi - sine_x * rho * z;\n"                                       \
    "norm_x = MNP_SQRT(squares_x + rest / gamma_bar * (rest / gamma_bar));\n"                                          \
    "const mnp_rotation right = mnp_rotate(gamma_bar, theta);\n"                                                       \
    "cosine_x = right.c;\n"                                                                                            \
    "sine_x = right.s;\n"                                                                                              \
    "z = rest / right.r;\n"                                                                                            \
    "squares_x += z * z;"
#define UPDATE "x += along_x * w; v = inverse * v; w = v - along_w * w;"

static const mnp__step update = {.name = "lsqr_update", .vectors = "x v w", .before = ROTATE, .body = UPDATE};

static const mnp__step update_with_variances = {
    .name = "lsqr_update_with_variances",
    .vectors = "x v w d",
    .before = ROTATE,
    .body = "d += mnp_narrow<mnp_t>(norm(inverse_rho * w)); " UPDATE,
};

static const mnp__step test = {
    .name = "lsqr_test",
    .before = "test(magnitude(phi_bar));\n"
              "if (done == MNP_GOING || done == MNP_DONE_MAXITER) {\n"
              "    const double gradient = alpha * magnitude(cosine);\n"
              "    if (gradient <= parameter[MNP_LEAST_ATOL] * MNP_SQRT(size))\n"
              "        done = MNP_DONE_CONVERGED;\n"
              "}",
};

/* The residual without the damping may have lost all its digits, and is then negative. */
static const mnp__step test_by_paper = {
    .name = "lsqr_test_by_paper",
    .before = "const double damp = parameter[MNP_LEAST_DAMP], squares = phi_bar * phi_bar + penalties;\n"
              "const double rest = squares - damp * damp * squares_x;\n"
              "parameter[MNP_LEAST_NORM_R] = rest < 0 ? -MNP_SQRT(-rest) : MNP_SQRT(rest);\n"
              "parameter[MNP_LEAST_NORM_A] = MNP_SQRT(size);\n"
              "parameter[MNP_LEAST_COND] = MNP_SQRT(size * inverses);\n"
              "parameter[MNP_LEAST_GRADIENT] = alpha * magnitude(cosine * phi_bar);\n"
              "parameter[MNP_LEAST_NORM_X] = norm_x;\n"
              "mnp_test_least_squares(*this, MNP_SQRT(squares));",
};

static mnp_status lsqr_prepare(mnp__system *s, struct mnp_step_control *control)
{
    control->parameter[MNP_LEAST_ATOL] = s->options->rtol;
    return MNP_OK;
}

static mnp_status lsqr_start(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__bidiagonal_start(s));
    MNP_TRY(MNP__RUN(s, &first, w[V], w[Q]));
    return MNP__RUN(s, &first_w, w[V], w[W]);
}

static mnp_status next(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__bidiagonal_next(s));
    MNP_TRY(MNP__RUN(s, &next_v, w[V], w[Q], w[W]));
    return s->method->work == WITH_VARIANCES ? MNP__RUN(s, &update_with_variances, s->x, w[V], w[W], w[D])
                                             : MNP__RUN(s, &update, s->x, w[V], w[W]);
}

static mnp_status lsqr_iterate(mnp__system *s)
{
    MNP_TRY(next(s));
    return MNP__RUN_ALONE(s, &test);
}

static mnp_status iterate_by_paper(mnp__system *s)
{
    MNP_TRY(next(s));
    return MNP__RUN_ALONE(s, &test_by_paper);
}

#define SCALARS                                                                                                        \
    {                                                                                                                  \
        .reals =                                                                                                       \
            MNP__BIDIAGONAL_SCALARS ", phi_bar, rho_bar, cosine, along_x, along_w, inverse_rho, size, penalties, "     \
                                    "inverses, cosine_x, sine_x, z, squares_x, norm_x"                                 \
    }

const mnp__method mnp__lsqr = {
    .scalars = SCALARS,
    .work = WITHOUT_VARIANCES,
    .rows = MNP__BIDIAGONAL_ROWS,
    .adjoint = true,
    .least_squares = true,
    .prepare = lsqr_prepare,
    .start = lsqr_start,
    .iterate = lsqr_iterate,
};

const mnp__method mnp__lsqr_by_paper = {
    .scalars = SCALARS,
    .work = WITHOUT_VARIANCES,
    .rows = MNP__BIDIAGONAL_ROWS,
    .adjoint = true,
    .least_squares = true,
    .start = lsqr_start,
    .iterate = iterate_by_paper,
};

const mnp__method mnp__lsqr_with_variances = {
    .scalars = SCALARS,
    .work = WITH_VARIANCES,
    .rows = MNP__BIDIAGONAL_ROWS,
    .adjoint = true,
    .least_squares = true,
    .start = lsqr_start,
    .iterate = iterate_by_paper,
};
