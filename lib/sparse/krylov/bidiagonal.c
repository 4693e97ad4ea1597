/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The vectors of a bidiagonalisation, and their norms.
 */
#include "sparse/krylov/bidiagonal.h"

enum { U, P };

static const mnp__step copy = {.name = "bidiagonal_copy", .vectors = "u r", .body = "u = r;", .sums = {"norm(r)"}};

static const mnp__step first_u = {
    .name = "bidiagonal_first_u",
    .vectors = "u",
    .before = "beta = MNP_SQRT(real_part(sum[0]));\n"
              "need(is_finite(beta) && beta > 0);\n"
              "inverse = 1 / beta;",
    .body = "u = inverse * u;",
};

static const mnp__step next_u = {
    .name = "bidiagonal_next_u", .vectors = "u p", .body = "u = p - alpha * u;", .sums = {"norm(u)"}};

static const mnp__step normal_u = {
    .name = "bidiagonal_normal_u",
    .vectors = "u",
    .before = "beta = MNP_SQRT(real_part(sum[0]));\n"
              "inverse = beta > 0 ? 1 / beta : 0;",
    .body = "u = inverse * u;",
};

mnp_status mnp__bidiagonal_start(mnp__system *s)
{
    mnp_array **rows = s->work + s->method->work;
    MNP_TRY(MNP__RUN(s, &copy, rows[U], s->r));
    MNP_TRY(MNP__RUN(s, &first_u, rows[U]));
    return mnp__multiply_adjoint(s, rows[U], s->work[MNP__Q]);
}

mnp_status mnp__bidiagonal_next(mnp__system *s)
{
    mnp_array **rows = s->work + s->method->work;
    MNP_TRY(mnp__multiply(s, s->work[MNP__V], rows[P]));
    MNP_TRY(MNP__RUN(s, &next_u, rows[U], rows[P]));
    MNP_TRY(MNP__RUN(s, &normal_u, rows[U]));
    return mnp__multiply_adjoint(s, rows[U], s->work[MNP__Q]);
}
