/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of Lanczos' two-sided process for any square matrix: every iteration multiplies by A and by A^H, and so they
 * need the adjoints of the operator and of the preconditioner.
 *
 * bicg: R. Fletcher, "Conjugate gradient methods for indefinite systems", Numerical Analysis, Dundee 1975, LNM 506,
 * 1976.  The residual is not monotone.
 *
 * qmr: R. W. Freund, N. M. Nachtigal, "An implementation of the QMR method based on coupled two-term recurrences", SIAM
 * J. Sci. Comput. 15, 1994, without look-ahead, with the preconditioner on the right, and in the order of R. Barrett and
 * others, "Templates for the solution of linear systems", SIAM 1994, which scipy.sparse.linalg.qmr follows.  The
 * residual is nearly as small as it can be, and is carried along itself.
 */
#include "sparse/krylov/method.h"

/* ---- bicg ---- */

/* The shadows, which are multiplied by A^H and M^H, come second. */
enum { SHADOW, P, P_SHADOW, Q, Q_SHADOW, Z, Z_SHADOW, BICG_VECTORS };

static const mnp__step bicg_begin = {
    .name = "bicg_start", .vectors = "r shadow", .body = "shadow = r;", .sums = {"dot(shadow, r)", "norm(r)"}};

static const mnp__step bicg_products = {
    .name = "bicg_products", .vectors = "shadow z r", .sums = {"dot(shadow, z)", "norm(r)"}};

static const mnp__step bicg_direction = {
    .name = "bicg_direction",
    .vectors = "p p_shadow z z_shadow",
    .before = "const mnp_w before = rho;\n"
              "rho = sum[0];\n"
              "if (started != 0)\n"
              "    test(MNP_SQRT(real_part(sum[1])));\n"
              "need_divisor(rho);\n"
              "beta = started != 0 ? rho / before : number(0);\n"
              "started = 1;",
    .body = "p = z + beta * p; p_shadow = z_shadow + conjugate(beta) * p_shadow;",
};

static const mnp__step bicg_curvature = {
    .name = "bicg_curvature", .vectors = "p_shadow q", .sums = {"dot(p_shadow, q)"}};

#define NEXT_ALPHA                                                                                                     \
    "need_divisor(sum[0]);\n"                                                                                          \
    "alpha = rho / sum[0];"
#define UPDATE "x += alpha * p; r -= alpha * q; shadow -= conjugate(alpha) * q_shadow;"
static const mnp__step bicg_update = {
    .name = "bicg_update",
    .vectors = "x r shadow p q q_shadow",
    .before = NEXT_ALPHA,
    .body = UPDATE,
    .sums = {"dot(shadow, r)", "norm(r)"},
};
static const mnp__step bicg_update_before_z = {
    .name = "bicg_update_before_z", .vectors = "x r shadow p q q_shadow", .before = NEXT_ALPHA, .body = UPDATE};

/* The next directions. */
static mnp_status bicg_turn(mnp__system *s)
{
    mnp_array *z, *z_shadow, **w = s->work;
    MNP_TRY(mnp__precondition(s, s->r, w[Z], &z));
    MNP_TRY(mnp__precondition_adjoint(s, w[SHADOW], w[Z_SHADOW], &z_shadow));
    if (s->precond)
        MNP_TRY(MNP__RUN(s, &bicg_products, w[SHADOW], z, s->r));
    return MNP__RUN(s, &bicg_direction, w[P], w[P_SHADOW], z, z_shadow);
}

static mnp_status bicg_start(mnp__system *s)
{
    MNP_TRY(MNP__RUN(s, &bicg_begin, s->r, s->work[SHADOW]));
    return bicg_turn(s);
}

static mnp_status bicg_iterate(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__multiply(s, w[P], w[Q]));
    MNP_TRY(mnp__multiply_adjoint(s, w[P_SHADOW], w[Q_SHADOW]));
    MNP_TRY(MNP__RUN(s, &bicg_curvature, w[P_SHADOW], w[Q]));
    const mnp__step *update = s->precond ? &bicg_update_before_z : &bicg_update;
    MNP_TRY(MNP__RUN(s, update, s->x, s->r, w[SHADOW], w[P], w[Q], w[Q_SHADOW]));
    return bicg_turn(s);
}

const mnp__method mnp__bicg = {
    .scalars = {.reals = "started", .numbers = "rho, alpha, beta"},
    .work = BICG_VECTORS,
    .adjoint = true,
    .keeps_best = true,
    .start = bicg_start,
    .iterate = bicg_iterate,
};

/* ---- qmr ---- */

/*
 * v and w are Lanczos' vectors, rho and xi times too long until they have been used; y = M v and z = M^H w.  p and q are
 * directions, ap = A p and aq = A^H q; d is x's direction, and ad = A d.
 */
enum { V, W, Y, QMR_Z, QMR_P, QMR_Q, AP, AQ, D, AD, QMR_VECTORS };

#define PRODUCTS                                                                                                       \
    {                                                                                                                  \
        "norm(v)", "norm(z)", "dot(z, v)"                                                                              \
    }
static const mnp__step qmr_begin = {.name = "qmr_begin", .vectors = "v w r", .body = "v = r; w = r;"};
static const mnp__step qmr_products = {.name = "qmr_products", .vectors = "v z", .sums = PRODUCTS};

#define NEXT_VECTORS                                                                                                   \
    "rho = MNP_SQRT(real_part(sum[0]));\n"                                                                             \
    "xi = MNP_SQRT(real_part(sum[1]));\n"                                                                              \
    "delta = sum[2] / number(rho * xi);"

static const mnp__step qmr_first = {
    .name = "qmr_first",
    .before = NEXT_VECTORS "\n"
                           "gamma = 1;\n"
                           "eta = number(-1);",
};

static const mnp__step qmr_direction = {
    .name = "qmr_direction",
    .vectors = "p q y z v w",
    .before = "if (started != 0)\n"
              "    test(MNP_SQRT(real_part(sum[0])));\n"
              "need(rho > 0 && xi > 0);\n"
              "need_divisor(delta);\n"
              "along_p = started != 0 ? number(xi) * delta / epsilon : number(0);\n"
              "along_q = started != 0 ? number(rho) * conjugate(delta / epsilon) : number(0);\n"
              "inverse_rho = 1 / rho;\n"
              "inverse_xi = 1 / xi;\n"
              "started = 1;",
    .body = "p = inverse_rho * y - along_p * p; q = inverse_xi * z - along_q * q; "
            "v = inverse_rho * v; w = inverse_xi * w;",
};

static const mnp__step qmr_curvature = {.name = "qmr_curvature", .vectors = "q ap", .sums = {"dot(q, ap)"}};

static const mnp__step qmr_next = {
    .name = "qmr_next",
    .vectors = "v w ap aq",
    .before = "epsilon = sum[0];\n"
              "need_divisor(epsilon);\n"
              "beta = epsilon / delta;\n"
              "need_divisor(beta);",
    .body = "v = ap - beta * v; w = aq - conjugate(beta) * w;",
};

static const mnp__step qmr_update = {
    .name = "qmr_update",
    .vectors = "x r d ad p ap",
    .before = "const double last_rho = rho, last_gamma = gamma, last_theta = theta;\n" NEXT_VECTORS "\n"
              "theta = rho / (last_gamma * magnitude(beta));\n"
              "gamma = 1 / MNP_SQRT(1 + theta * theta);\n"
              "const double ratio = gamma / last_gamma;\n"
              "need(is_finite(ratio) && gamma > 0);\n"
              "eta = number(-last_rho * ratio * ratio) * eta / beta;\n"
              "factor = last_theta * gamma * (last_theta * gamma);",
    .body = "d = eta * p + factor * d; ad = eta * ap + factor * ad; x += d; r -= ad;",
    .sums = {"norm(r)"},
};

/* z = M^H w, and the products of the new vectors. */
static mnp_status qmr_meet(mnp__system *s)
{
    mnp_array *z, **w = s->work;
    MNP_TRY(mnp__precondition_adjoint(s, w[W], w[QMR_Z], &z));
    return MNP__RUN(s, &qmr_products, w[V], z);
}

static mnp_status qmr_turn(mnp__system *s)
{
    mnp_array *y, **w = s->work, *z = s->precond ? w[QMR_Z] : w[W];
    MNP_TRY(mnp__precondition(s, w[V], w[Y], &y));
    return MNP__RUN(s, &qmr_direction, w[QMR_P], w[QMR_Q], y, z, w[V], w[W]);
}

static mnp_status qmr_start(mnp__system *s)
{
    MNP_TRY(MNP__RUN(s, &qmr_begin, s->work[V], s->work[W], s->r));
    MNP_TRY(qmr_meet(s));
    MNP_TRY(MNP__RUN_ALONE(s, &qmr_first));
    return qmr_turn(s);
}

static mnp_status qmr_iterate(mnp__system *s)
{
    mnp_array **w = s->work;
    MNP_TRY(mnp__multiply(s, w[QMR_P], w[AP]));
    MNP_TRY(mnp__multiply_adjoint(s, w[QMR_Q], w[AQ]));
    MNP_TRY(MNP__RUN(s, &qmr_curvature, w[QMR_Q], w[AP]));
    MNP_TRY(MNP__RUN(s, &qmr_next, w[V], w[W], w[AP], w[AQ]));
    MNP_TRY(qmr_meet(s));
    MNP_TRY(MNP__RUN(s, &qmr_update, s->x, s->r, w[D], w[AD], w[QMR_P], w[AP]));
    return qmr_turn(s);
}

const mnp__method mnp__qmr = {
    .scalars = {.reals = "started, rho, xi, theta, gamma, inverse_rho, inverse_xi, factor",
                .numbers = "delta, epsilon, beta, eta, along_p, along_q"},
    .work = QMR_VECTORS,
    .adjoint = true,
    .keeps_best = true,
    .start = qmr_start,
    .iterate = qmr_iterate,
};
