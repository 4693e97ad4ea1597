/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The conjugate gradient method for Hermitian positive definite matrices, in two forms.
 *
 * cg: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", J. Res. NBS 49, 1952.
 * Two reductions an iteration; with a preconditioner one of them has two sums.  <p, A p> is summed where A p is
 * computed.
 *
 * cg1: A. T. Chronopoulos, C. W. Gear, "s-step iterative methods for symmetric linear systems", J. Comput. Appl. Math.
 * 25, 1989: the same iterates in exact arithmetic with one reduction, for two more vectors' traffic.  The matrix is
 * multiplied with the preconditioned residual, and the product with the direction follows by recurrence.
 */
#include "sparse/krylov/method.h"
#include "sparse/matrix/sparse.h"

enum { P, Q, Z };

/* ---- cg ---- */

/* With a preconditioner, z = M r; without one z is r, and one sum is both products. */
static const mnp__step cg_products = {.name = "cg_products", .vectors = "r z", .sums = {"dot(r, z)", "norm(r)"}};
static const mnp__step cg_norm = {.name = "cg_norm", .vectors = "r", .sums = {"norm(r)"}};

/* rho is the first sum, and the squared norm of the residual the one that is named. */
#define NEXT_RHO(norm)                                                                                                 \
    "const mnp_w before = rho;\n"                                                                                      \
    "rho = sum[0];\n"                                                                                                  \
    "if (started != 0)\n"                                                                                              \
    "    test(MNP_SQRT(real_part(" norm ")));\n"                                                                       \
    "need(is_finite(rho) && real_part(rho) > 0);\n"                                                                    \
    "beta = started != 0 ? rho / before : number(0);\n"                                                                \
    "parameter[MNP_CG_BETA] = real_part(beta); /* of which bounds.c makes Lanczos' matrix */\n"                        \
    "started = 1;"
static const mnp__step cg_direction = {
    .name = "cg_direction", .vectors = "p r", .before = NEXT_RHO("sum[0]"), .body = "p = r + beta * p;"};
static const mnp__step cg_direction_of_z = {
    .name = "cg_direction_of_z", .vectors = "p z", .before = NEXT_RHO("sum[1]"), .body = "p = z + beta * p;"};

static const mnp__step cg_curvature = {.name = "cg_curvature", .vectors = "p q", .sums = {"dot(p, q)"}};

#define NEXT_ALPHA                                                                                                     \
    "need(is_finite(sum[0]) && real_part(sum[0]) > 0); /* else the matrix is not positive definite */\n"               \
    "alpha = rho / sum[0];\n"                                                                                          \
    "parameter[MNP_CG_ALPHA] = real_part(alpha);"
#define UPDATE "x += alpha * p; r -= alpha * q;"
static const mnp__step cg_update = {
    .name = "cg_update", .vectors = "x r p q", .before = NEXT_ALPHA, .body = UPDATE, .sums = {"norm(r)"}};
static const mnp__step cg_update_before_z = {
    .name = "cg_update_before_z", .vectors = "x r p q", .before = NEXT_ALPHA, .body = UPDATE};

/* The next direction, of r, or of what the preconditioner makes of it. */
static mnp_status cg_turn(mnp__system *s)
{
    mnp_array *z;
    if (!s->precond)
        return MNP__RUN(s, &cg_direction, s->work[P], s->r);
    MNP_TRY(mnp__precondition(s, s->r, s->work[Z], &z));
    MNP_TRY(MNP__RUN(s, &cg_products, s->r, z));
    return MNP__RUN(s, &cg_direction_of_z, s->work[P], z);
}

static mnp_status cg_start(mnp__system *s)
{
    if (!s->precond)
        MNP_TRY(MNP__RUN(s, &cg_norm, s->r));
    return cg_turn(s);
}

/* q = A p, and <p, q> the state's first sum: in one pass where the matrix' kernels can. */
static mnp_status cg_multiply(mnp__system *s, mnp_array *p, mnp_array *q)
{
    const mnp__steps_buffers buffers = mnp__steps_buffers_of(s->steps);
    bool done = false;
    if (s->op->matrix)
        MNP_TRY(mnp__sparse_apply_dot(s->op->matrix, p->dtype, p->data, q->data, &buffers, &done));
    if (done)
        return mnp__sum_over_ranks(s->ctx, p->dtype, buffers.state + sizeof(struct mnp_step_control), 1);
    MNP_TRY(mnp__multiply(s, p, q));
    return MNP__RUN(s, &cg_curvature, p, q);
}

static mnp_status cg_iterate(mnp__system *s)
{
    MNP_TRY(cg_multiply(s, s->work[P], s->work[Q]));
    const mnp__step *update = s->precond ? &cg_update_before_z : &cg_update;
    MNP_TRY(MNP__RUN(s, update, s->x, s->r, s->work[P], s->work[Q]));
    return cg_turn(s);
}

const mnp__method mnp__cg = {
    .scalars = {.reals = "started", .numbers = "rho, alpha, beta"},
    .work = 3,
    .start = cg_start,
    .iterate = cg_iterate,
};

/* ---- cg1 ---- */

enum { CG1_P, CG1_S, CG1_U, CG1_W };

static const mnp__step cg1_products = {
    .name = "cg1_products", .vectors = "r u w", .sums = {"dot(r, u)", "dot(u, w)", "norm(r)"}};

static const mnp__step cg1_test = {.name = "cg1_test",
                                   .before = "if (started != 0) test(MNP_SQRT(real_part(sum[2])));"};

static const mnp__step cg1_update = {
    .name = "cg1_update",
    .vectors = "x r p s u w",
    .before = "const mnp_w before = gamma;\n"
              "gamma = sum[0];\n"
              "beta = started != 0 ? gamma / before : number(0);\n"
              "const mnp_w curvature = started != 0 ? sum[1] - beta * gamma / alpha : sum[1];\n"
              "need(is_finite(gamma) && real_part(gamma) > 0 && is_finite(curvature) && real_part(curvature) > 0);\n"
              "alpha = gamma / curvature;\n"
              "started = 1;",
    .body = "p = u + beta * p; s = w + beta * s; x += alpha * p; r -= alpha * s;",
};

static mnp_status cg1_turn(mnp__system *s)
{
    mnp_array *u;
    MNP_TRY(mnp__precondition(s, s->r, s->work[CG1_U], &u));
    MNP_TRY(mnp__multiply(s, u, s->work[CG1_W]));
    MNP_TRY(MNP__RUN(s, &cg1_products, s->r, u, s->work[CG1_W]));
    return MNP__RUN_ALONE(s, &cg1_test);
}

static mnp_status cg1_iterate(mnp__system *s)
{
    mnp_array *u = s->precond ? s->work[CG1_U] : s->r;
    MNP_TRY(MNP__RUN(s, &cg1_update, s->x, s->r, s->work[CG1_P], s->work[CG1_S], u, s->work[CG1_W]));
    return cg1_turn(s);
}

const mnp__method mnp__cg1 = {
    .scalars = {.reals = "started", .numbers = "gamma, alpha, beta"},
    .work = 4,
    .start = cg1_turn,
    .iterate = cg1_iterate,
};
