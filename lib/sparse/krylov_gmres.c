/*
 * GMRES: the smallest residual in a growing basis, restarted when that is full.
 *
 * gmres: Y. Saad, M. H. Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems",
 * SIAM J. Sci. Stat. Comput. 7, 1986, with the preconditioner on the right, so that the residual is that of the system.
 * fgmres: Y. Saad, "A flexible inner-outer preconditioned GMRES algorithm", SIAM J. Sci. Comput. 14, 1993: it keeps the
 * preconditioned vectors too, for preconditioners that change.
 *
 * A new vector is made orthogonal to the basis by classical Gram-Schmidt, one reduction and one for its norm, and again
 * where rounding asks for it.  The Hessenberg matrix never leaves the device (kernels/step_gmres.h).
 */
#include "sparse/method.h"

enum { W, Z }; /* work */
enum { V, FLEXIBLE };

/* Where coefficients lie in kernels/step_gmres.h. */
static size_t coefficients(const mnp__system *s, int which)
{
    return (size_t)(which * (s->options->restart + 1)) * mnp__sum_size(s->op->dtype);
}
enum { SOLUTION, FIRST, SECOND };

static const mnp__step norm_of_r = {.name = "gmres_norm", .vectors = "r", .sums = {"norm(r)"}};

static const mnp__step begin = {
    .name = "gmres_begin",
    .before = "const double norm = MNP_SQRT(real_part(sum[0]));\n"
              "need(is_finite(norm) && norm > 0);\n"
              "memory.begin(*this, norm);\n"
              "scale = 1 / norm;",
};

static const mnp__step first_vector = {.name = "gmres_first", .vectors = "r v", .body = "v = scale * r;"};

static const mnp__step look = {
    .name = "gmres_look", .before = "left = MNP_SQRT(real_part(sum[0])); memory.look(*this, left);"};

static const mnp__step norm_again = {
    .name = "gmres_norm_again", .vectors = "w", .before = "skip = again == 0;", .sums = {"norm(w)"}};

static const mnp__step rotate = {
    .name = "gmres_rotate",
    .before = "left = again > 0 ? MNP_SQRT(real_part(sum[0])) : left;\n"
              "scale = memory.rotate(*this, left, 4 * MNP_EPSILON);",
};

static const mnp__step next_vector = {.name = "gmres_next", .vectors = "v", .body = "v = scale * v;"};

static const mnp__step solve = {.name = "gmres_solve", .before = "memory.solve(*this);", .always = true};

static const mnp__step advance = {
    .name = "gmres_advance", .vectors = "x u", .before = "skip = columns == 0;", .body = "x += u;", .always = true};

static const mnp__step clear = {.name = "gmres_clear", .before = "columns = 0;", .always = true};

static const mnp__step residual = {.name = "gmres_residual", .vectors = "r b", .body = "r = b - r;", .sums = {"norm(r)"}};

/* r is the residual, and sum[0] the square of its norm. */
static mnp_status begin_cycle(mnp__system *s)
{
    s->place = 0;
    MNP_TRY(MNP__RUN_ALONE(s, &begin));
    return MNP__RUN(s, &first_vector, s->r, s->basis[V]->vectors[0]);
}

static mnp_status gmres_start(mnp__system *s)
{
    MNP_TRY(MNP__RUN(s, &norm_of_r, s->r));
    return begin_cycle(s);
}

static bool is_flexible(const mnp__system *s)
{
    return s->method == &mnp__fgmres;
}

/* x takes what the basis has come to, and the basis is empty. */
static mnp_status gmres_finish(mnp__system *s)
{
    mnp_array *u;
    mnp__combination how = {
        .count = s->options->restart, .at = coefficients(s, SOLUTION), .sign = 1, .limit = MNP__LIMIT_COLUMNS,
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

/* w loses its part in the first vectors of the basis, in the second pass where that is asked for. */
static mnp_status orthogonalise(mnp__system *s, int count, mnp_array *w, int pass)
{
    const mnp__combination how = {.count = count,
                                  .at = coefficients(s, pass),
                                  .sign = -1,
                                  .add = true,
                                  .limit = pass == SECOND ? MNP__LIMIT_AGAIN : MNP__NO_LIMIT};
    MNP_TRY(mnp__basis_dots(s->basis[V], how.count, how.limit, w, (ptrdiff_t)how.at));
    return mnp__basis_combine(s->basis[V], &how, w);
}

static mnp_status gmres_iterate(mnp__system *s)
{
    if (s->place == s->options->restart)
        MNP_TRY(end_cycle(s));
    const int j = s->place++;
    mnp_array *z, *room = is_flexible(s) ? s->basis[FLEXIBLE]->vectors[j] : s->work[Z];
    mnp_array *v = s->basis[V]->vectors[j], *w = s->basis[V]->vectors[j + 1];
    if (is_flexible(s) && !s->options->precond)
        return MNP_FAIL(MNP_ERR_INTERNAL, "fgmres without a preconditioner is gmres");
    MNP_TRY(mnp__precondition(s, v, room, &z));
    MNP_TRY(mnp__multiply(s, z, w));
    MNP_TRY(orthogonalise(s, j + 1, w, FIRST));
    MNP_TRY(MNP__RUN(s, &norm_of_r, w));
    MNP_TRY(MNP__RUN_ALONE(s, &look));
    MNP_TRY(orthogonalise(s, j + 1, w, SECOND));
    MNP_TRY(MNP__RUN(s, &norm_again, w));
    MNP_TRY(MNP__RUN_ALONE(s, &rotate));
    return MNP__RUN(s, &next_vector, w);
}

/* Methods that differ in how many sets of vectors they keep. */
#define GMRES(sets)                                                                                                    \
    {                                                                                                                  \
        .scalars = {.reals = "scale, left", .memory = "mnp_gmres<MNP_PARAMETER>"}, .work = 2, .bases = (sets),         \
        .one_more = true, .needs_parameter = true, .memory = 4, .memory_linear = 7, .memory_square = 1,                \
        .start = gmres_start, .iterate = gmres_iterate, .finish = gmres_finish,                                        \
    }

const mnp__method mnp__gmres = GMRES(1);
const mnp__method mnp__fgmres = GMRES(2);
