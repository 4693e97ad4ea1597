/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IDR(s): residuals in shrinking spaces, for any square matrix (P. Sonneveld, M. B. van Gijzen, "IDR(s): a family of
 * simple and fast algorithms for solving large nonsymmetric systems of linear equations", SIAM J. Sci. Comput. 31,
 * 2008), in the biorthogonal variant of kernels/sparse/step/step_idr.h.
 *
 * A cycle is s products with directions in the space, and one that goes to the next.  Every product counts as an
 * iteration.  The shadow space is of random vectors, functions of the global index, so that the number of ranks does
 * not matter.
 */
#include "sparse/krylov/method.h"

#include <maniple/random.h>

#include "layout/layout.h"

enum { V, HAT, T }; /* work */
enum { SHADOW, DIRECTIONS, IMAGES };

static const mnp__step begin = {.name = "idr_begin", .before = "memory.start(); omega = number(1);"};

static const mnp__step cycle = {.name = "idr_cycle", .before = "memory.set(sum); at = 0; memory.solve(0);"};

static const mnp__step copy = {.name = "idr_copy", .vectors = "v r", .body = "v = r;"};

static const mnp__step direction = {.name = "idr_direction", .vectors = "u t hat", .body = "u = t + omega * hat;"};

static const mnp__step orthogonalise = {
    .name = "idr_orthogonalise",
    .before = "const int k = (int)at;\n"
              "memory.orthogonalize(k, sum);\n"
              "need_divisor(memory.m[k][k]);\n"
              "beta = memory.f[k] / memory.m[k][k];\n"
              "memory.update(k, beta);\n"
              "at = k + 1;",
};

static const mnp__step advance = {
    .name = "idr_advance", .vectors = "x r u g", .body = "x += beta * u; r -= beta * g;", .sums = {"norm(r)"}};

static const mnp__step test = {
    .name = "idr_test",
    .before = "test(MNP_SQRT(real_part(sum[0])));\n"
              "if (at < MNP_PARAMETER)\n"
              "    memory.solve((int)at);",
};

static const mnp__step products = {
    .name = "idr_products", .vectors = "t r", .sums = {"dot(t, r)", "norm(t)", "norm(r)"}};

/*
 * omega minimises the residual; where t and r are nearly orthogonal it is enlarged, as the paper advises.
 */
static const mnp__step next_space = {
    .name = "idr_next_space",
    .vectors = "x r hat t",
    .before = "const double t_norm = MNP_SQRT(real_part(sum[1])), r_norm = MNP_SQRT(real_part(sum[2]));\n"
              "const double angle = magnitude(sum[0]) / (t_norm * r_norm);\n"
              "need(is_finite(angle) && angle > 0);\n"
              "omega = sum[0] / number(t_norm * t_norm);\n"
              "if (angle < 0.7)\n"
              "    omega = omega * number(0.7 / angle);",
    .body = "x += omega * hat; r -= omega * t;",
    .sums = {"norm(r)"},
};

static mnp_status make_shadow(mnp__system *s)
{
    mnp_rng *rng = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp_rng_new(s->ctx, 2008, &rng));
    for (int k = 0; k < s->options->restart; k++) {
        mnp_array *numbers = NULL, *vector = NULL;
        st = mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 1, s->x->layout->shape, &numbers);
        if (st == MNP_OK)
            st = mnp__vector_of("mnp_solve()", numbers, s->op->dtype, s->x->layout, &vector);
        if (st == MNP_OK)
            st = mnp__array_assign(vector, s->basis[SHADOW]->vectors[k]);
        mnp_array_free(vector);
        mnp_array_free(numbers);
        if (st != MNP_OK)
            break;
    }
    mnp_rng_free(rng);
    return st;
}

static mnp_status idr_start(mnp__system *s)
{
    s->position = 0;
    MNP_TRY(make_shadow(s));
    return MNP__RUN_ALONE(s, &begin);
}

/* Direction number k: u = t + omega M v, where v is the residual without its components along the images. */
static mnp_status make_direction(mnp__system *s, int k)
{
    const int count = s->options->restart;
    mnp_array *hat, **w = s->work;
    const mnp__combination lose = {.count = count, .sign = -1, .add = true}, gather = {.count = count, .sign = 1};
    MNP_TRY(MNP__RUN(s, &copy, w[V], s->r));
    MNP_TRY(mnp__basis_combine(s->basis[IMAGES], &lose, w[V]));
    MNP_TRY(mnp__precondition(s, w[V], w[HAT], &hat));
    MNP_TRY(mnp__basis_combine(s->basis[DIRECTIONS], &gather, w[T]));
    return MNP__RUN(s, &direction, s->basis[DIRECTIONS]->vectors[k], w[T], hat);
}

static mnp_status iterate_inside(mnp__system *s, int k)
{
    const int count = s->options->restart;
    mnp_array *u = s->basis[DIRECTIONS]->vectors[k], *g = s->basis[IMAGES]->vectors[k];
    const mnp__combination orthogonal = {
        .count = k, .at = (size_t)count * mnp__sum_size(s->op->dtype), .sign = -1, .add = true};
    if (k == 0) {
        MNP_TRY(mnp__basis_dots(s->basis[SHADOW], count, MNP__NO_LIMIT, s->r, -1));
        MNP_TRY(MNP__RUN_ALONE(s, &cycle));
    }
    MNP_TRY(make_direction(s, k));
    MNP_TRY(mnp__multiply(s, u, g));
    MNP_TRY(mnp__basis_dots(s->basis[SHADOW], count, MNP__NO_LIMIT, g, -1));
    MNP_TRY(MNP__RUN_ALONE(s, &orthogonalise));
    MNP_TRY(mnp__basis_combine(s->basis[IMAGES], &orthogonal, g));
    MNP_TRY(mnp__basis_combine(s->basis[DIRECTIONS], &orthogonal, u));
    MNP_TRY(MNP__RUN(s, &advance, s->x, s->r, u, g));
    return MNP__RUN_ALONE(s, &test);
}

static mnp_status go_to_next_space(mnp__system *s)
{
    mnp_array *hat, **w = s->work;
    MNP_TRY(mnp__precondition(s, s->r, w[HAT], &hat));
    MNP_TRY(mnp__multiply(s, hat, w[T]));
    MNP_TRY(MNP__RUN(s, &products, w[T], s->r));
    MNP_TRY(MNP__RUN(s, &next_space, s->x, s->r, hat, w[T]));
    return MNP__RUN_ALONE(s, &test);
}

static mnp_status idr_iterate(mnp__system *s)
{
    const int k = s->position, count = s->options->restart;
    s->position = k == count ? 0 : k + 1;
    return k == count ? go_to_next_space(s) : iterate_inside(s, k);
}

const mnp__method mnp__idr = {
    .scalars = {.reals = "at", .numbers = "omega, beta", .memory = "mnp_idr<MNP_PARAMETER>"},
    .work = 3,
    .bases = 3,
    .needs_parameter = true,
    .memory_linear = 3,
    .memory_square = 1,
    .keeps_best = true,
    .start = idr_start,
    .iterate = idr_iterate,
};
