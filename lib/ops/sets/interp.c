/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.interp: each value is looked up among the points, and lies on the line between its two neighbours.
 *
 * A small table of points is brought to every rank, and one kernel does everything.  If a large table is spread over p
 * ranks, every rank gets only each p-th point, about as many as it owns itself.  A search among these leaves p points
 * in question for each value; the ranks halve them log2(p) times, each time asking the owner of the point in the
 * middle.
 */
#include <maniple/create.h>
#include <maniple/join.h>
#include <maniple/scan.h>
#include <maniple/select.h>
#include <maniple/sort.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include <inttypes.h>
#include <math.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/sets/search.h"

enum { MOST_POINTS_EVERYWHERE = 1 << 20 };

/*
 * The value at x of the line through two points, rounded as in NumPy.  It is computed from the left point, and from the
 * right one where that gives NaN.
 */
static const char on_line[] =
    "MNP_INLINE double interp_part(double slope, double x, double x0, double x1, double f0, double f1)\n"
    "{\n"
    "    double y = slope * (x - x0) + f0;\n"
    "    if (y != y)\n"
    "        y = slope * (x - x1) + f1;\n"
    "    return y != y && f0 == f1 ? f0 : y;\n"
    "}\n"
    "MNP_INLINE double interp(double x, double x0, double x1, double f0, double f1)\n"
    "{\n"
    "    return x == x0 ? f0 : interp_part((f1 - f0) / (x1 - x0), x, x0, x1, f0, f1);\n"
    "}\n"
    "MNP_INLINE mnp_complex128 interp(double x, double x0, double x1, mnp_complex128 f0, mnp_complex128 f1)\n"
    "{\n"
    "    const double inverse = 1.0 / (x1 - x0);\n"
    "    if (x == x0)\n"
    "        return f0;\n"
    "    return mnp_complex128{interp_part((f1.re - f0.re) * inverse, x, x0, x1, f0.re, f1.re),\n"
    "                          interp_part((f1.im - f0.im) * inverse, x, x0, x1, f0.im, f1.im)};\n"
    "}\n";

/* The result at x from the points on its left and right.  Where x lies beyond all points, both are the same point. */
#define BETWEEN(k)                                                                                                     \
    "if (x != x)\n"                                                                                                    \
    "    out = mnp_to<mnp_type" k ">::from(x);\n"                                                                      \
    "else if (x < x0)\n"                                                                                               \
    "    out = left;\n"                                                                                                \
    "else if (x > x1)\n"                                                                                               \
    "    out = right;\n"                                                                                               \
    "else\n"                                                                                                           \
    "    out = x1 == x0 ? f0 : interp(x, x0, x1, f0, f1);\n"

/* Every rank has all points.  `low` is the number of points that are not greater than x. */
static const mnp__formula from_table = {
    .name = "interp",
    .preamble = on_line,
    .body = "const int64_t low = mnp_count_first(xp, [&](int64_t j) { return (double)xp[j] <= x; });\n"
            "const int64_t last = xp.size() - 1, own = low > 0 ? low - 1 : 0, next = low < last ? low : last;\n"
            "const double x0 = xp[own], x1 = xp[next];\n"
            "const mnp_type1 f0 = fp[own], f1 = fp[next];\n" BETWEEN("5"),
    .type = MNP_DTYPE_AUTO,
    .ninputs = 5,
    .inputs = {{"xp", MNP_FLOAT64, .raw = true},
               {"fp", MNP_DTYPE_AUTO, .raw = true},
               {"x", MNP_FLOAT64},
               {"left", MNP_DTYPE_AUTO},
               {"right", MNP_DTYPE_AUTO}}};

/* Each value lies beside its neighbours. */
static const mnp__formula from_neighbours = {.name = "interp_between",
                                             .preamble = on_line,
                                             .body = BETWEEN("7"),
                                             .type = MNP_DTYPE_AUTO,
                                             .ninputs = 7,
                                             .inputs = {{"x", MNP_FLOAT64},
                                                        {"x0", MNP_FLOAT64},
                                                        {"x1", MNP_FLOAT64},
                                                        {"f0", MNP_DTYPE_AUTO},
                                                        {"f1", MNP_DTYPE_AUTO},
                                                        {"left", MNP_DTYPE_AUTO},
                                                        {"right", MNP_DTYPE_AUTO}}};

/* One step of the search: `at` is the number of points that are known not to be greater. */
static const mnp__formula halve = {
    .name = "interp_halve",
    .body = "out = at + (at + step <= n && point <= x ? step : 0);\n",
    .type = MNP_INT64,
    .ninputs = 5,
    .inputs = {{"at", MNP_INT64}, {"point", MNP_FLOAT64}, {"x", MNP_FLOAT64}, {"step", MNP_INT64}, {"n", MNP_INT64}}};

/* The points and what is beside them. */
typedef struct table {
    const mnp_array *xp, *fp, *left, *right;
    mnp_dtype result;
    int64_t n;
} table;

static mnp_status run(const table *t, const mnp__formula *formula, const mnp_array *const *inputs, mnp_array **out_p)
{
    return mnp__formula_run(t->xp->ctx,
                            &(mnp__formula_call){.function = "mnp_interp",
                                                 .formula = formula,
                                                 .inputs = inputs,
                                                 .outputs_p = &out_p,
                                                 .type = t->result,
                                                 .result = formula->type == MNP_INT64 ? MNP_INT64 : t->result});
}

/* ---- large tables ---- */

/* Add `step` to `at` wherever point number at + step - 1 exists and is not greater than x. */
static mnp_status halve_once(const table *t, const mnp_array *x, int64_t step, mnp_array **at_p)
{
    mnp_ctx *ctx = x->ctx;
    mnp_array *middle = NULL, *point = NULL, *next = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_add(*at_p, mnp_scalar_int(ctx, step - 1), &middle), st, done);
    MNP_TRY_OR(mnp_take(t->xp, middle, 0, MNP_CLIP, &point), st, done);
    MNP_TRY_OR(run(t, &halve,
                   (const mnp_array *[]){*at_p, point, x, mnp_scalar_int(ctx, step), mnp_scalar_int(ctx, t->n)}, &next),
               st, done);
    mnp_array_free(*at_p);
    *at_p = next;
done:
    mnp_free_all(middle, point);
    return st;
}

/*
 * Count the points that are not greater than each value: first among every `stride`-th point, then among those between
 * two of these.
 */
static mnp_status count_points(const table *t, const mnp_array *x, mnp_array **count_p)
{
    mnp_ctx *ctx = x->ctx;
    int64_t stride = 1;
    mnp_array *coarse = NULL, *blocks = NULL, *at = NULL;
    mnp_status st;
    while (stride < ctx->comm.size)
        stride *= 2;
    MNP_TRY(mnp_view(t->xp, &coarse, MNP_SLICE(0, t->n, stride)));
    MNP_TRY_OR(mnp__search("mnp_interp", MNP__UP_TO, coarse, x, NULL, &blocks), st, done);
    /* if b > 0 coarse points are not greater than x, then neither is any point up to the last of these */
    MNP_TRY_OR(mnp_subtract(blocks, mnp_scalar_int(ctx, 1), &at), st, done);
    MNP_TRY_OR(mnp_multiply(at, mnp_scalar_int(ctx, stride), &at), st, done);
    MNP_TRY_OR(mnp_add(at, mnp_scalar_int(ctx, 1), &at), st, done);
    MNP_TRY_OR(mnp_maximum(at, mnp_scalar_int(ctx, 0), &at), st, done);
    for (int64_t step = stride / 2; step > 0 && st == MNP_OK; step /= 2)
        st = halve_once(t, x, step, &at);
done:
    mnp_free_all(coarse, blocks);
    if (st == MNP_OK)
        *count_p = at;
    else
        mnp_array_free(at);
    return st;
}

static mnp_status interp_in_place(const table *t, const mnp_array *x, mnp_array **out_p)
{
    mnp_ctx *ctx = x->ctx;
    mnp_array *next = NULL, *own = NULL, *x0 = NULL, *x1 = NULL, *f0 = NULL, *f1 = NULL;
    mnp_status st;
    MNP_TRY_OR(count_points(t, x, &next), st, done);
    MNP_TRY_OR(mnp_subtract(next, mnp_scalar_int(ctx, 1), &own), st, done);
    MNP_TRY_OR(mnp_take(t->xp, own, 0, MNP_CLIP, &x0), st, done);
    MNP_TRY_OR(mnp_take(t->xp, next, 0, MNP_CLIP, &x1), st, done);
    MNP_TRY_OR(mnp_take(t->fp, own, 0, MNP_CLIP, &f0), st, done);
    MNP_TRY_OR(mnp_take(t->fp, next, 0, MNP_CLIP, &f1), st, done);
    st = run(t, &from_neighbours, (const mnp_array *[]){x, x0, x1, f0, f1, t->left, t->right}, out_p);
done:
    mnp_free_all(next, own, x0, x1, f0, f1);
    return st;
}

/* ---- the call ---- */

static mnp_status check(const mnp_array *x, const mnp_array *xp, const mnp_array *fp, const mnp_interp_options *options)
{
    MNP_TRY(mnp__inputs_check("mnp_interp", 3, (const mnp_array *[]){x, xp, fp}));
    if (xp->layout->ndim != 1 || fp->layout->ndim != 1 || xp->layout->size != fp->layout->size)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_interp: xp has %d dimensions and %" PRId64 " elements, fp %d and %" PRId64
                        "; both must have one dimension of the same length",
                        xp->layout->ndim, xp->layout->size, fp->layout->ndim, fp->layout->size);
    if (xp->layout->size == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_interp: there are no points");
    if (mnp_dtype_kind(x->dtype) == 'c' || mnp_dtype_kind(xp->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "mnp_interp: %s is %s, and must be real",
                        mnp_dtype_kind(x->dtype) == 'c' ? "x" : "xp",
                        mnp_dtype_name(mnp_dtype_kind(x->dtype) == 'c' ? x->dtype : xp->dtype));
    if (!isfinite(options->period))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_interp: the period is %g", options->period);
    const bool real = mnp_dtype_kind(fp->dtype) != 'c';
    for (int i = 0; i < 2; i++) {
        const mnp_array *value = i ? options->right : options->left;
        if (value && (!mnp__array_is_scalar(value) || (real && value->weak == 'c')))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_interp: %s is %s, and must be a %snumber (MNP_SCALAR)",
                            i ? "right" : "left", mnp__array_is_scalar(value) ? "complex" : "an array",
                            real ? "real " : "");
    }
    return MNP_OK;
}

static mnp_status interp(const table *t, const mnp_array *x, mnp_array **out_p)
{
    if (t->n <= MOST_POINTS_EVERYWHERE || (mnp_layout_parts(t->xp->layout, 0) == 1))
        return run(t, &from_table, (const mnp_array *[]){t->xp, t->fp, x, t->left, t->right}, out_p);
    return interp_in_place(t, x, out_p);
}

/* interp() with numbers, or the first and the last value, beside the points. */
static mnp_status interp_beside(table *t, const mnp_array *x, const mnp_interp_options *options, mnp_array **out_p)
{
    mnp_array *first = NULL, *last = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_view(t->fp, &first, MNP_AT(0)), st, done);
    MNP_TRY_OR(mnp_view(t->fp, &last, MNP_AT(-1)), st, done);
    t->left = options->left ? options->left : first;
    t->right = options->right ? options->right : last;
    st = interp(t, x, out_p);
done:
    mnp_free_all(first, last);
    return st;
}

/* One period of a vector in the order of `order`, with the last element before it and the first one behind. */
static mnp_status wrap(const mnp_array *vector, const mnp_array *order, const mnp_array *period, mnp_array **wrapped_p)
{
    mnp_array *sorted = NULL, *before = NULL, *behind = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_take(vector, order, 0, MNP_RAISE, &sorted), st, done);
    MNP_TRY_OR(mnp_view(sorted, &before, MNP_RANGE(-1, MNP_NONE)), st, done);
    MNP_TRY_OR(mnp_view(sorted, &behind, MNP_RANGE(0, 1)), st, done);
    if (period) {
        mnp_array *views[2] = {before, behind};
        before = behind = NULL;
        st = mnp_subtract(views[0], period, &before);
        if (st == MNP_OK)
            st = mnp_add(views[1], period, &behind);
        mnp_free_all(views[0], views[1]);
    }
    if (st == MNP_OK)
        st = mnp_concatenate(MNP_LIST(before, sorted, behind), 0, wrapped_p);
done:
    mnp_free_all(sorted, before, behind);
    return st;
}

static mnp_status interp_periodic(table *t, const mnp_array *x, double period, mnp_array **out_p)
{
    const mnp_array *length = mnp_scalar_float(x->ctx, fabs(period));
    const mnp_interp_options none = {0};
    mnp_array *folded = NULL, *points = NULL, *order = NULL, *xp = NULL, *fp = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_astype(x, MNP_FLOAT64, &folded), st, done);
    MNP_TRY_OR(mnp_remainder(folded, length, &folded), st, done);
    MNP_TRY_OR(mnp_astype(t->xp, MNP_FLOAT64, &points), st, done);
    MNP_TRY_OR(mnp_remainder(points, length, &points), st, done);
    MNP_TRY_OR(mnp_argsort(points, 0, &order), st, done);
    MNP_TRY_OR(wrap(points, order, length, &xp), st, done);
    MNP_TRY_OR(wrap(t->fp, order, NULL, &fp), st, done);
    t->xp = xp;
    t->fp = fp;
    t->n += 2;
    st = interp_beside(t, folded, &none, out_p);
done:
    mnp_free_all(folded, points, order, xp, fp);
    return st;
}

mnp_status mnp_interp(const mnp_array *x, const mnp_array *xp, const mnp_array *fp, const mnp_interp_options *options,
                      mnp_array **out_p)
{
    MNP_ENTER(x, xp, fp, out_p);
    static const mnp_interp_options none = {0};
    const mnp_interp_options *how = options ? options : &none;
    MNP_TRY(check(x, xp, fp, how));
    table t = {.xp = xp,
               .fp = fp,
               .result = mnp_dtype_kind(fp->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64,
               .n = xp->layout->size};
    const mnp__output_spec spec = {
        .function = "mnp_interp", .ctx = x->ctx, .dtype = t.result, .ndim = x->layout->ndim, .shape = x->layout->shape};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    return how->period != 0 ? interp_periodic(&t, x, how->period, out_p) : interp_beside(&t, x, how, out_p);
}
