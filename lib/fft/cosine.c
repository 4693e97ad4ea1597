/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cosine and sine transforms, axis after axis.
 *
 * Axes that are not cut come first; then the array moves to a layout that leaves as many of the others whole as it can.
 * Along a whole axis a kernel puts every line into the order in which a Fourier transform as short as the axis, or half
 * of it for type 4, has the same terms, and another one makes the result of its spectrum: see
 * kernels/fft/cosine_table.cu.  An axis so long in comparison to the others that it must stay cut, as of a
 * one-dimensional array, is transformed as part of a complex transform of twice its length, before and after which
 * every rank multiplies its own elements by factors.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/hash.h"
#include "base/integer.h"
#include "fft/fft.h"
#include "fft/layouts.h"
#include "kernels/fft/cosine_params.h"

#include <maniple/view.h>

typedef struct cosine {
    const char *function;
    int type; /* from settle_type() on of the transform that is computed: the inverse of type 2 is 3 */
    bool sine, inverse, ortho, is_double;
    mnp__fft_problem problem;
    /* the transform along one axis */
    int axis;
    bool spread; /* which stays cut */
} cosine;

static mnp_dtype dtype_of(const cosine *c, bool is_complex)
{
    return c->is_double ? (is_complex ? MNP_COMPLEX128 : MNP_FLOAT64) : (is_complex ? MNP_COMPLEX64 : MNP_FLOAT32);
}

static int64_t points(const cosine *c)
{
    return c->problem.points[c->axis];
}

/* After as many points the terms repeat: 2 n, and for type 1 the length of a line and its mirror image. */
static int64_t period(const cosine *c)
{
    return 2 * (c->type != 1 ? points(c) : c->sine ? points(c) + 1 : points(c) - 1);
}

static double scale(const cosine *c, const char *norm)
{
    if (c->ortho)
        return 1 / sqrt((double)period(c));
    return (norm && strcmp(norm, "forward") == 0) != c->inverse ? 1 / (double)period(c) : 1;
}

/* ---- a pass ---- */

static mnp_status load_kernels(const cosine *c, mnp_ctx *ctx, bool pairs, int in_parts, mnp__kernel **table_p,
                               mnp__kernel **pass_p)
{
    static const char *const table_defines[2][2] = {
        {"#define MNP_REAL float\n#define MNP_SPREAD 0\n", "#define MNP_REAL float\n#define MNP_SPREAD 1\n"},
        {"#define MNP_REAL double\n#define MNP_SPREAD 0\n", "#define MNP_REAL double\n#define MNP_SPREAD 1\n"},
    };
    static const char *const pass_defines[2][3] = {
        {"#define MNP_REAL float\n#define MNP_PAIRS 0\n#define MNP_IN_PARTS 1\n",
         "#define MNP_REAL float\n#define MNP_PAIRS 0\n#define MNP_IN_PARTS 2\n",
         "#define MNP_REAL float\n#define MNP_PAIRS 1\n#define MNP_IN_PARTS 1\n"},
        {"#define MNP_REAL double\n#define MNP_PAIRS 0\n#define MNP_IN_PARTS 1\n",
         "#define MNP_REAL double\n#define MNP_PAIRS 0\n#define MNP_IN_PARTS 2\n",
         "#define MNP_REAL double\n#define MNP_PAIRS 1\n#define MNP_IN_PARTS 1\n"},
    };
    const mnp__kernel_spec table = {.file = "fft/cosine_table.cu",
                                    .function = "fft_cosine_table",
                                    .defines = table_defines[c->is_double][c->spread]};
    const mnp__kernel_spec pass = {.file = "fft/cosine.cu",
                                   .function = "fft_cosine",
                                   .defines = pass_defines[c->is_double][pairs ? 2 : in_parts - 1]};
    MNP_TRY(mnp__ctx_kernel(ctx, &table, table_p));
    return mnp__ctx_kernel(ctx, &pass, pass_p);
}

/* Memory for a table of the entries that a rank's block needs along the axis.  Collective. */
static mnp_status new_table(const cosine *c, const mnp_array *y, mnp__buffer **table_p)
{
    const size_t entry = 2 * sizeof(long long) + 2 * (c->is_double ? sizeof(double) : sizeof(float));
    const mnp_layout *layout = y->layout;
    const int parts = mnp_layout_parts(layout, c->axis);
    int64_t longest = parts == 1 ? layout->shape[c->axis] : 0;
    for (int i = 0; parts > 1 && i < parts; i++) {
        const int64_t extent = layout->cuts[c->axis][i + 1] - layout->cuts[c->axis][i];
        longest = mnp__max(extent, longest);
    }
    const mnp__block_sizes sizes = {.own = (size_t)y->local_shape[c->axis] * entry,
                                    .largest = (size_t)longest * entry,
                                    .average = (size_t)longest * entry};
    return mnp__buffer_new(y->ctx, &sizes, table_p);
}

/* From x to y, whose blocks are dense and differ along the axis alone.  Collective. */
static mnp_status pass(const cosine *c, const mnp_array *x, bool after, double size, mnp_array *y)
{
    const bool pairs = mnp_dtype_kind(y->dtype) == 'c';
    mnp_ctx *ctx = y->ctx;
    mnp__kernel *make_table, *kernel;
    mnp__buffer *table = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(load_kernels(c, ctx, pairs, mnp_dtype_kind(x->dtype) == 'c' ? 2 : 1, &make_table, &kernel));
    MNP_TRY(new_table(c, y, &table));
    const mnp_fft_cosine_table_params asked = {.table = table->data,
                                               .count = y->local_shape[c->axis],
                                               .first = y->local_lo[c->axis],
                                               .points = points(c),
                                               .type = c->type,
                                               .sine = c->sine,
                                               .ortho = c->ortho,
                                               .after = after,
                                               .scale = size};
    mnp_fft_cosine_params params = {.in = x->data,
                                    .table = table->data,
                                    .out = y->data,
                                    .outer = 1,
                                    .extent = x->local_shape[c->axis],
                                    .count = y->local_shape[c->axis],
                                    .inner = 1,
                                    .sign = c->type == 3 ? -1 : 1};
    for (int d = 0; d < y->layout->ndim; d++) {
        params.outer *= d < c->axis ? y->local_shape[d] : 1;
        params.inner *= d > c->axis ? y->local_shape[d] : 1;
    }
    if (y->local_size > 0) {
        st = mnp__ctx_launch(ctx, make_table, asked.count, &asked, sizeof asked);
        if (st == MNP_OK)
            st = mnp__ctx_launch(ctx, kernel, y->local_size, &params, sizeof params);
    }
    mnp__buffer_release(ctx, table);
    return st;
}

/* ---- along one axis ---- */

/* A new array like x with so many elements along the axis. */
static mnp_status new_like(const cosine *c, const mnp_array *x, mnp_dtype dtype, int64_t extent, mnp_array **y_p)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;
    memcpy(shape, x->layout->shape, sizeof shape);
    shape[c->axis] = extent;
    MNP_TRY(mnp__fft_layout_like(x->layout, shape, &layout));
    const mnp_status st = mnp_array_new_order(x->ctx, dtype, layout, MNP_ORDER_C, y_p);
    mnp_layout_free(layout);
    return st;
}

/* Lines whose Fourier transform has the terms, in the order of that. */
static mnp_status before(const cosine *c, const mnp_array *x, mnp_array **y_p)
{
    const int64_t n = points(c);
    const bool halves = c->type == 4 && n % 2 == 0, is_complex = c->type == 3 || halves;
    const int64_t extent = c->type == 1 ? period(c) : c->type == 3 ? n / 2 + 1 : halves ? n / 2 : n;
    mnp_array *y;
    MNP_TRY(new_like(c, x, dtype_of(c, is_complex), extent, &y));
    const mnp_status st = pass(c, x, false, 1, y);
    if (st == MNP_OK)
        *y_p = y;
    else
        mnp_array_free(y);
    return st;
}

/* Transform along an axis that is not cut.  x is dense. */
static mnp_status transform_whole(const cosine *c, const mnp_array *x, double size, mnp_array **y_p)
{
    mnp_array *line = NULL, *spectrum = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY_OR(before(c, x, &line), st, done);
    if (c->type == 3)
        st = mnp_irfft(line, points(c), c->axis, "forward", &spectrum);
    else if (mnp_dtype_kind(line->dtype) == 'c')
        st = mnp_fft(line, MNP_NONE, c->axis, NULL, &spectrum);
    else
        st = mnp_rfft(line, MNP_NONE, c->axis, NULL, &spectrum);
    if (st != MNP_OK)
        goto done;
    MNP_TRY_OR(new_like(c, x, dtype_of(c, false), points(c), &y), st, done);
    MNP_TRY_OR(pass(c, spectrum, true, size, y), st, done);
    *y_p = y;
    y = NULL;
done:
    mnp_array_free(line);
    mnp_array_free(spectrum);
    mnp_array_free(y);
    return st;
}

/* The first elements along the axis, moved to where y is to be, and the last pass over them. */
static mnp_status finish_spread(const cosine *c, const mnp_array *spectrum, double size, mnp_array *y)
{
    mnp_subscript part[MNP_MAX_DIMS];
    mnp_array *first = NULL;
    mnp__input input = {NULL, NULL};
    for (int d = 0; d < y->layout->ndim; d++)
        part[d] = d == c->axis ? MNP_RANGE(0, points(c)) : MNP_ALL;
    MNP_TRY(mnp_slice(spectrum, y->layout->ndim, part, &first));
    mnp_status st = mnp__input_open(first, y->layout, spectrum->dtype, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = pass(c, input.array, true, size, y);
    mnp__input_close(&input);
    mnp_array_free(first);
    return st;
}

/* Transform along an axis that stays cut.  x is dense. */
static mnp_status transform_cut(const cosine *c, const mnp_array *x, double size, mnp_array **y_p)
{
    mnp_array *line = NULL, *spectrum = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY_OR(new_like(c, x, dtype_of(c, true), x->layout->shape[c->axis], &line), st, done);
    MNP_TRY_OR(pass(c, x, false, 1, line), st, done);
    MNP_TRY_OR(mnp_fft(line, period(c), c->axis, NULL, &spectrum), st, done);
    MNP_TRY_OR(new_like(c, x, dtype_of(c, false), points(c), &y), st, done);
    MNP_TRY_OR(finish_spread(c, spectrum, size, y), st, done);
    *y_p = y;
    y = NULL;
done:
    mnp_array_free(line);
    mnp_array_free(spectrum);
    mnp_array_free(y);
    return st;
}

/* ---- along several ---- */

/* Select the axes that a layout does not cut. */
static unsigned whole_axes(const mnp_layout *layout, unsigned axes)
{
    unsigned whole = 0;
    for (int d = 0; d < layout->ndim; d++)
        if (axes >> d & 1 && mnp__fft_is_whole(layout, d))
            whole |= 1u << d;
    return whole;
}

/* The layout that leaves as many of the axes whole as a good balance allows; NULL: none of them. */
static mnp_status choose_layout(const mnp_layout *now, unsigned axes, mnp_layout **layout_p)
{
    int most = 0;
    *layout_p = NULL;
    for (unsigned set = axes; set; set = (set - 1) & axes) {
        mnp_layout *layout;
        const int count = __builtin_popcount(set);
        if (count <= most)
            continue;
        MNP_TRY(mnp__layout_uncut(now->nranks, now->ndim, now->shape, set, &layout));
        if (mnp__fft_is_lopsided(layout)) {
            mnp_layout_free(layout);
            continue;
        }
        mnp_layout_free(*layout_p);
        *layout_p = layout;
        most = count;
    }
    return MNP_OK;
}

/* Transform along one axis; x is released, also after a failure. */
static mnp_status along(cosine *c, int axis, const char *norm, mnp_array **x_p)
{
    mnp__input input = {NULL, NULL};
    mnp_array *y = NULL;
    c->axis = axis;
    c->spread = !mnp__fft_is_whole((*x_p)->layout, axis);
    mnp_status st = mnp__input_open(*x_p, NULL, dtype_of(c, false), MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = c->spread ? transform_cut(c, input.array, scale(c, norm), &y)
                       : transform_whole(c, input.array, scale(c, norm), &y);
    mnp__input_close(&input);
    mnp_array_free(*x_p);
    *x_p = y;
    return st;
}

/* Move x to another layout; it is released, also after a failure. */
static mnp_status move(const mnp_layout *layout, mnp_array **x_p)
{
    mnp_array *moved = NULL;
    const mnp_status st = mnp_redistribute(*x_p, layout, &moved);
    mnp_array_free(*x_p);
    *x_p = moved;
    return st;
}

/* One axis that is whole or can be made so; otherwise one that stays cut. */
static mnp_status next_axis(unsigned left, mnp_array **x_p, int *axis_p)
{
    mnp_layout *layout;
    unsigned whole = whole_axes((*x_p)->layout, left);
    if (!whole) {
        MNP_TRY(choose_layout((*x_p)->layout, left, &layout));
        if (layout) {
            const mnp_status st = move(layout, x_p);
            mnp_layout_free(layout);
            MNP_TRY(st);
            whole = whole_axes((*x_p)->layout, left);
        }
    }
    const unsigned from = whole ? whole : left;
    *axis_p = 31 - __builtin_clz(from);
    return MNP_OK;
}

/* Transform a real x, into a new array of any layout.  Collective. */
static mnp_status transform_real(cosine *c, const char *norm, const mnp_array *x, mnp_array **y_p)
{
    unsigned left = 0;
    mnp_array *y = NULL;
    for (int i = 0; i < c->problem.naxes; i++)
        left |= 1u << c->problem.axes[i];
    mnp_status st = mnp_real(x, &y);
    while (st == MNP_OK && left) {
        int axis = 0;
        st = next_axis(left, &y, &axis);
        if (st == MNP_OK)
            st = along(c, axis, norm, &y);
        left &= ~(1u << axis);
    }
    if (st == MNP_OK)
        *y_p = y;
    else
        mnp_array_free(y);
    return st;
}

/* The real and the imaginary parts, one after the other. */
static mnp_status transform_complex(cosine *c, const char *norm, const mnp_array *x, mnp_array **y_p)
{
    mnp_array *whole = NULL, *part = NULL, *done = NULL, *target = NULL;
    mnp_status st = mnp_array_new(x->ctx, dtype_of(c, true), c->problem.out, &whole);
    for (int i = 0; i < 2 && st == MNP_OK; i++) {
        st = i == 0 ? mnp_real(x, &part) : mnp_imag(x, &part);
        if (st == MNP_OK)
            st = transform_real(c, norm, part, &done);
        if (st == MNP_OK)
            st = i == 0 ? mnp_real(whole, &target) : mnp_imag(whole, &target);
        if (st == MNP_OK)
            st = mnp__array_copy_to(done, target);
        mnp_array_free(part);
        mnp_array_free(done);
        mnp_array_free(target);
        part = done = target = NULL;
    }
    if (st == MNP_OK)
        *y_p = whole;
    else
        mnp_array_free(whole);
    return st;
}

/* ---- calls ---- */

/* Find the type to compute, and check that there are points for it. */
static mnp_status settle_type(cosine *c)
{
    static const int inverses[] = {0, 1, 3, 2, 4};
    if (c->type < 1 || c->type > 4)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the type is %d, outside 1..4", c->function, c->type);
    c->type = c->inverse ? inverses[c->type] : c->type;
    for (int i = 0; i < c->problem.naxes; i++)
        if (c->type == 1 && !c->sine && c->problem.points[c->problem.axes[i]] < 2)
            return MNP_FAIL(MNP_ERR_ARG, "%s: type 1 needs two points or more, and axis %d has one", c->function,
                            c->problem.axes[i]);
    return MNP_OK;
}

static mnp_status execute(cosine *c, const char *norm, const mnp_array *x, mnp_array **out_p)
{
    const bool is_complex = mnp_dtype_kind(x->dtype) == 'c';
    const mnp__output_spec output = {
        .function = c->function, .ctx = x->ctx, .dtype = dtype_of(c, is_complex), .layout = c->problem.out};
    mnp_array *y = NULL;
    MNP_TRY(settle_type(c));
    MNP_TRY(mnp__output_check(&output, *out_p));
    MNP_TRY(mnp__check_same(&x->ctx->comm, c->function,
                            mnp__hash(mnp__layout_hash(x->layout), c->problem.points, sizeof c->problem.points) +
                                (uint64_t)c->type));
    mnp_status st = is_complex ? transform_complex(c, norm, x, &y) : transform_real(c, norm, x, &y);
    if (st == MNP_OK && !*out_p && !mnp_layout_equal(y->layout, c->problem.out))
        st = move(c->problem.out, &y);
    return mnp__output_give(y, st, out_p);
}

typedef struct asked {
    const char *function;
    bool sine, inverse;
    int type, naxes;
    const int64_t *s;
    const int *axes;
    const char *norm;
} asked;

static mnp_status transform(const asked *a, const mnp_array *x, mnp_array **out_p)
{
    const mnp__fft_request request = {.function = a->function,
                                      .kind = MNP__FFT_COMPLEX,
                                      .inverse = a->inverse,
                                      .naxes = a->naxes,
                                      .axes = a->axes,
                                      .s = a->s,
                                      .norm = a->norm};
    MNP_TRY(mnp__inputs_check(a->function, 1, &x));
    cosine c = {.function = a->function,
                .type = a->type,
                .sine = a->sine,
                .inverse = a->inverse,
                .ortho = a->norm && strcmp(a->norm, "ortho") == 0,
                .is_double = mnp__fft_is_double(x->dtype)};
    MNP_TRY(mnp__fft_resolve(&request, x->dtype, x->layout, &c.problem));
    const mnp_status st = execute(&c, a->norm, x, out_p);
    mnp_layout_free((mnp_layout *)c.problem.out);
    return st;
}

#define COSINE_1(name, is_sine, is_inverse)                                                                            \
    mnp_status mnp_##name(const mnp_array *x, int type, int64_t n, int axis, const char *norm, mnp_array **out_p)      \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        const asked a = {"mnp_" #name, is_sine, is_inverse, type, 1, &n, &axis, norm};                                 \
        return transform(&a, x, out_p);                                                                                \
    }

#define COSINE_N(name, is_sine, is_inverse)                                                                            \
    mnp_status mnp_##name(const mnp_array *x, int type, int naxes, const int64_t *s, const int *axes,                  \
                          const char *norm, mnp_array **out_p)                                                         \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        const asked a = {"mnp_" #name, is_sine, is_inverse, type, naxes, s, axes, norm};                               \
        return transform(&a, x, out_p);                                                                                \
    }

COSINE_1(dct, false, false)
COSINE_1(idct, false, true)
COSINE_1(dst, true, false)
COSINE_1(idst, true, true)
COSINE_N(dctn, false, false)
COSINE_N(idctn, false, true)
COSINE_N(dstn, true, false)
COSINE_N(idstn, true, true)
