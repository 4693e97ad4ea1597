/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods whose only inner products are those of the convergence test: Chebyshev's and Richardson's iteration.
 *
 * chebyshev: the polynomial that is smallest between bounds of the spectrum of M A (G. H. Golub, R. S. Varga,
 * "Chebyshev semi-iterative methods", Numer. Math. 3, 1961; as in Y. Saad, "Iterative methods for sparse linear
 * systems", algorithm 12.1).  Bounds that are not given are estimated by Lanczos' method.  richardson: x += omega M (b
 * - A x).
 */
#include "sparse/krylov/method.h"

enum { D, Z, Q };

/* ---- chebyshev ---- */

enum { MIDDLE, HALF_WIDTH };

static const mnp__step chebyshev_begin = {
    .name = "chebyshev_begin",
    .vectors = "d z",
    .before = "weight = 1 / parameter[0]; rho = parameter[1] / parameter[0];",
    .body = "d = weight * z;",
};

static const mnp__step chebyshev_update = {
    .name = "chebyshev_update", .vectors = "x r d q", .body = "x += d; r -= q;", .sums = {"norm(r)"}};

static const mnp__step chebyshev_direction = {
    .name = "chebyshev_direction",
    .vectors = "d z",
    .before = "const double before = rho;\n"
              "test(MNP_SQRT(real_part(sum[0])));\n"
              "rho = 1 / (2 * parameter[0] / parameter[1] - before);\n"
              "momentum = rho * before;\n"
              "weight = 2 * rho / parameter[1];",
    .body = "d = momentum * d + weight * z;",
};

static mnp_status chebyshev_prepare(mnp__system *s, struct mnp_step_control *control)
{
    double bounds[2] = {s->options->bounds[0], s->options->bounds[1]}, found[2];
    if (bounds[0] <= 0 || bounds[1] <= 0) {
        MNP_TRY(mnp__estimate_bounds(s->op, s->precond, 30, found));
        bounds[0] = bounds[0] > 0 ? bounds[0] : 0.9 * found[0];
        bounds[1] = bounds[1] > 0 ? bounds[1] : 1.05 * found[1];
    }
    if (!(bounds[0] > 0 && bounds[0] <= bounds[1]))
        return MNP_FAIL(MNP_ERR_ARG,
                        "chebyshev needs a positive definite matrix with the spectrum in %g to %g, as given "
                        "or estimated",
                        bounds[0], bounds[1]);
    control->parameter[MIDDLE] = (bounds[0] + bounds[1]) / 2;
    control->parameter[HALF_WIDTH] = (bounds[1] - bounds[0]) / 2 + 1e-9 * bounds[1]; /* not 0 */
    return MNP_OK;
}

static mnp_status chebyshev_start(mnp__system *s)
{
    mnp_array *z;
    MNP_TRY(mnp__precondition(s, s->r, s->work[Z], &z));
    return MNP__RUN(s, &chebyshev_begin, s->work[D], z);
}

static mnp_status chebyshev_iterate(mnp__system *s)
{
    mnp_array *z, **w = s->work;
    MNP_TRY(mnp__multiply(s, w[D], w[Q]));
    MNP_TRY(MNP__RUN(s, &chebyshev_update, s->x, s->r, w[D], w[Q]));
    MNP_TRY(mnp__precondition(s, s->r, w[Z], &z));
    return MNP__RUN(s, &chebyshev_direction, w[D], z);
}

const mnp__method mnp__chebyshev = {
    .scalars = {.reals = "rho, weight, momentum"},
    .work = 3,
    .prepare = chebyshev_prepare,
    .keeps_best = true,
    .start = chebyshev_start,
    .iterate = chebyshev_iterate,
};

/* ---- richardson ---- */

static const mnp__step richardson_update = {
    .name = "richardson_update",
    .vectors = "x r z q",
    .before = "weight = parameter[0];",
    .body = "x += weight * z; r -= weight * q;",
    .sums = {"norm(r)"},
};

static const mnp__step richardson_test = {.name = "richardson_test", .before = "test(MNP_SQRT(real_part(sum[0])));"};

static mnp_status richardson_prepare(mnp__system *s, struct mnp_step_control *control)
{
    control->parameter[0] = s->options->bounds[0] != 0 ? s->options->bounds[0] : 1;
    return MNP_OK;
}

static mnp_status richardson_start(mnp__system *s)
{
    (void)s;
    return MNP_OK;
}

static mnp_status richardson_iterate(mnp__system *s)
{
    mnp_array *z;
    MNP_TRY(mnp__precondition(s, s->r, s->work[Z], &z));
    MNP_TRY(mnp__multiply(s, z, s->work[Q]));
    MNP_TRY(MNP__RUN(s, &richardson_update, s->x, s->r, z, s->work[Q]));
    return MNP__RUN_ALONE(s, &richardson_test);
}

const mnp__method mnp__richardson = {
    .scalars = {.reals = "weight"},
    .work = 3,
    .prepare = richardson_prepare,
    .keeps_best = true,
    .start = richardson_start,
    .iterate = richardson_iterate,
};
