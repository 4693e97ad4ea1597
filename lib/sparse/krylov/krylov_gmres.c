/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GMRES: minimises the residual over a growing basis, and restarts when that is full.
 *
 * gmres: Y. Saad, M. H. Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear
 * systems", SIAM J. Sci. Stat. Comput. 7, 1986, with the preconditioner on the right, so that the residual is that of
 * the system.
 * fgmres: Y. Saad, "A flexible inner-outer preconditioned GMRES algorithm", SIAM J. Sci. Comput. 14, 1993: it keeps the
 * preconditioned vectors too, for preconditioners that change.
 *
 * A new vector is made orthogonal to the basis by classical Gram-Schmidt.  The pass that subtracts the basis also
 * divides the vector by the norm that it will have, which follows from its products with the basis and itself; then
 * its norm is summed, to know it to all digits.  Where rounding requires it there is a second pass.  The Hessenberg
 * matrix never leaves the device (kernels/sparse/step/step_gmres.h).
 */
#include "sparse/krylov/method.h"

enum { W, Z }; /* work */
enum { V, FLEXIBLE };

/* Where coefficients lie in kernels/sparse/step/step_gmres.h. */
static size_t coefficients(const mnp__system *s, int which)
{
    return (size_t)(which * (s->options->restart + 1)) * mnp__sum_size(s->op->dtype);
}
enum { SOLUTION, FIRST, SECOND };

static const mnp__step norm = {.name = "gmres_norm", .vectors = "v", .sums = {"norm(v)"}};

static const mnp__step begin = {
    .name = "gmres_begin",
    .before = "const double norm = MNP_SQRT(real_part(sum[0]));\n"
              "need(is_finite(norm) && norm > 0);\n"
              "memory.begin(*this, norm);\n"
              "scale = 1 / norm;",
};

static const mnp__step first_vector = {.name = "gmres_first", .vectors = "r v", .body = "v = scale * r;"};

static const mnp__step look = {.name = "gmres_look", .before = "memory.look(*this);"};

static const mnp__step rotate = {.name = "gmres_rotate",
                                 .before = "memory.rotate(*this, MNP_SQRT(real_part(sum[0])), 4 * MNP_EPSILON);"};

static const mnp__step scale_again = {
    .name = "gmres_scale_again",
    .vectors = "v",
    .before = "skip = again == 0;\n"
              "scale = factor;",
    .body = "v = scale * v;",
};

static const mnp__step solve = {.name = "gmres_solve", .before = "memory.solve(*this);", .always = true};

static const mnp__step advance = {
    .name = "gmres_advance", .vectors = "x u", .before = "skip = columns == 0;", .body = "x += u;", .always = true};

static const mnp__step clear = {.name = "gmres_clear", .before = "columns = 0;", .always = true};

static const mnp__step residual = {
    .name = "gmres_residual", .vectors = "r b", .body = "r = b - r;", .sums = {"norm(r)"}};

/* r is the residual, and sum[0] the square of its norm. */
static mnp_status begin_cycle(mnp__system *s)
{
    s->position = 0;
    MNP_TRY(MNP__RUN_ALONE(s, &begin));
    return MNP__RUN(s, &first_vector, s->r, s->basis[V]->vectors[0]);
}

static mnp_status gmres_start(mnp__system *s)
{
    MNP_TRY(MNP__RUN(s, &norm, s->r));
    return begin_cycle(s);
}

static bool is_flexible(const mnp__system *s)
{
    return s->method == &mnp__fgmres;
}

/* Add the combination of the basis to x, and empty the basis. */
static mnp_status gmres_finish(mnp__system *s)
{
    mnp_array *u;
    mnp__combination how = {.count = s->options->restart,
                            .at = coefficients(s, SOLUTION),
                            .sign = 1,
                            .limit = MNP__LIMIT_COLUMNS,
                            .add = is_flexible(s)};
    MNP_TRY(MNP__RUN_ALONE(s, &solve));
    if (is_flexible(s)) {
        MNP_TRY(mnp__basis_combine(s->basis[FLEXIBLE], &how, s->x));
    } else {
        MNP_TRY(mnp__basis_combine(s->basis[V], &how, s->work[W]));
        MNP_TRY(mnp__precondition(s, s->work[W], s->work[Z], &u));
        MNP_TRY(MNP__RUN(s, &advance, s->x, u));
    }
    return MNP__RUN_ALONE(s, &clear);
}

static mnp_status end_cycle(mnp__system *s)
{
    MNP_TRY(gmres_finish(s));
    MNP_TRY(mnp__multiply(s, s->x, s->r));
    MNP_TRY(MNP__RUN(s, &residual, s->r, s->b));
    return begin_cycle(s);
}

/* Make vector number j orthogonal to those before it, and normalise it. */
static mnp_status orthogonalise(mnp__system *s, int number)
{
    mnp_array *w = s->basis[V]->vectors[number];
    const mnp__combination how = {
        .count = number, .at = coefficients(s, FIRST), .sign = -1, .add = true, .scaled = true};
    MNP_TRY(mnp__basis_dots(s->basis[V], number + 1, MNP__NO_LIMIT, w, (ptrdiff_t)how.at));
    MNP_TRY(MNP__RUN_ALONE(s, &look));
    return mnp__basis_combine(s->basis[V], &how, w);
}

/* A second pass where it is needed; then the small problem has one more column. */
static mnp_status orthogonalise_again(mnp__system *s, int number)
{
    mnp_array *w = s->basis[V]->vectors[number];
    const mnp__combination how = {
        .count = number, .at = coefficients(s, SECOND), .sign = -1, .add = true, .limit = MNP__LIMIT_AGAIN};
    MNP_TRY(mnp__basis_dots(s->basis[V], number, how.limit, w, (ptrdiff_t)how.at));
    MNP_TRY(mnp__basis_combine(s->basis[V], &how, w));
    MNP_TRY(MNP__RUN(s, &norm, w));
    MNP_TRY(MNP__RUN_ALONE(s, &rotate));
    return MNP__RUN(s, &scale_again, w);
}

static mnp_status gmres_iterate(mnp__system *s)
{
    if (s->position == s->options->restart)
        MNP_TRY(end_cycle(s));
    const int j = s->position++;
    mnp_array *z, *room = is_flexible(s) ? s->basis[FLEXIBLE]->vectors[j] : s->work[Z];
    mnp_array *v = s->basis[V]->vectors[j], *w = s->basis[V]->vectors[j + 1];
    if (is_flexible(s) && !s->precond)
        return MNP_FAIL(MNP_ERR_INTERNAL, "fgmres without a preconditioner is gmres");
    MNP_TRY(mnp__precondition(s, v, room, &z));
    MNP_TRY(mnp__multiply(s, z, w));
    MNP_TRY(orthogonalise(s, j + 1));
    return orthogonalise_again(s, j + 1);
}

/* The two methods differ in how many sets of vectors they keep. */
#define GMRES(sets)                                                                                                    \
    {                                                                                                                  \
        .scalars = {.reals = "scale", .memory = "mnp_gmres<MNP_PARAMETER>"}, .work = 2, .bases = (sets),               \
        .one_more = true, .needs_parameter = true, .memory = 5, .memory_linear = 8, .memory_square = 1,                \
        .start = gmres_start, .iterate = gmres_iterate, .finish = gmres_finish,                                        \
    }

const mnp__method mnp__gmres = GMRES(1);
const mnp__method mnp__fgmres = GMRES(2);
