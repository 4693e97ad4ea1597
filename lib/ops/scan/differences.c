/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Differences between neighbours along an axis, gradients, and integrals by the trapezoidal rule.  All are element-wise
 * functions or expressions of views of one array that are shifted against each other.
 */
#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/reduce.h>
#include <maniple/scan.h>
#include <maniple/ufunc.h>

#include <inttypes.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"

/* Make a view of elements begin .. end - 1 of x along the axis; a negative end counts from the end of the axis. */
static mnp_status part(const mnp_array *x, int axis, int64_t begin, int64_t end, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    int64_t extent = x->layout->shape[axis];
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = mnp__view_whole(x, d);
    begin += begin < 0 ? extent : 0;
    end += end <= 0 ? extent : 0;
    dims[axis].start = mnp__min(begin, extent);
    dims[axis].extent = end > begin ? end - begin : 0;
    return mnp__view_make(x, x->layout->ndim, dims, NULL, view_p);
}

/* View x as one dimension that lies along the given axis of `ndim` and is broadcast along the others. */
static mnp_status turn(const mnp_array *x, int ndim, int axis, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    dims[0] = mnp__view_whole(x, 0);
    for (int d = 1; d < ndim - axis; d++)
        dims[d] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
    return mnp__view_make(x, ndim - axis, dims, NULL, view_p);
}

/* ---- diff ---- */

/* Take the difference of neighbours once; for bools it is whether they differ. */
static mnp_status difference(const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp_array *low = NULL, *high = NULL;
    mnp_status st;
    MNP_TRY_OR(part(x, axis, 0, -1, &low), st, done);
    MNP_TRY_OR(part(x, axis, 1, 0, &high), st, done);
    if (x->dtype == MNP_BOOL)
        st = mnp_not_equal(high, low, out_p);
    else
        st = mnp_subtract(high, low, out_p);
done:
    mnp_array_free(low);
    mnp_array_free(high);
    return st;
}

/* Broadcast a number to an array that goes before or after x, with one element along the axis. */
static mnp_status edge(const mnp_array *x, const mnp_array *number, int axis, mnp_array **edge_p)
{
    mnp_array *one = NULL;
    int64_t shape[MNP_MAX_DIMS];
    for (int d = 0; d < x->layout->ndim; d++)
        shape[d] = d == axis ? 1 : x->layout->shape[d];
    MNP_TRY(mnp_empty(x->ctx, number->dtype, 0, shape, &one));
    mnp_status st = mnp_copyto(one, number, MNP_CASTING_UNSAFE);
    if (st == MNP_OK)
        st = mnp_broadcast_to(one, x->layout->ndim, shape, edge_p);
    mnp_array_free(one);
    return st;
}

/* Join what is given to prepend, x, and what is given to append. */
static mnp_status extend(const mnp_array *x, int axis, const mnp_array *prepend, const mnp_array *append,
                         mnp_array **extended_p)
{
    const mnp_array *arrays[3], *given[2] = {prepend, append};
    mnp_array *made[2] = {NULL, NULL};
    int count = 0;
    mnp_status st = MNP_OK;
    for (int i = 0; i < 2 && st == MNP_OK; i++) {
        if (i == 1)
            arrays[count++] = x;
        if (given[i] && mnp__array_is_number(given[i]))
            st = edge(x, given[i], axis, &made[i]);
        if (given[i])
            arrays[count++] = made[i] ? made[i] : given[i];
    }
    if (st == MNP_OK)
        st = mnp_concatenate(arrays, count, axis, extended_p);
    mnp_array_free(made[0]);
    mnp_array_free(made[1]);
    return st;
}

mnp_status mnp_diff(const mnp_array *x, int n, int axis, const mnp_array *prepend, const mnp_array *append,
                    mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_OR_NULL(prepend);
    MNP_NEED_OR_NULL(append);
    mnp_array *now = NULL;
    MNP_TRY(mnp__inputs_check("mnp_diff", 1, &x));
    if (n < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_diff: n is %d, negative", n);
    if (x->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_diff: the array has no dimension to go along");
    MNP_TRY(mnp__view_axis("mnp_diff", x->layout->ndim, axis, &axis));
    if (n == 0) {
        const mnp__output_spec spec = {.function = "mnp_diff",
                                       .ctx = x->ctx,
                                       .dtype = x->dtype,
                                       .layout = x->layout,
                                       .needs = MNP__OUTPUT_ANY_LAYOUT};
        mnp__output output;
        MNP_TRY(mnp__output_open(&spec, out_p, &output));
        return mnp__output_close(1, &output, mnp__array_copy_to(x, output.array));
    }
    mnp_status st = MNP_OK;
    if (prepend || append)
        st = extend(x, axis, prepend, append, &now);
    for (; st == MNP_OK && n > 1; n--) {
        mnp_array *next = NULL;
        st = difference(now ? now : x, axis, &next);
        if (st == MNP_OK) {
            mnp_array_free(now);
            now = next;
        }
    }
    if (st == MNP_OK)
        st = difference(now ? now : x, axis, out_p);
    mnp_array_free(now);
    return st;
}

/* Copy the elements of an array, or a number, to a new array of one dimension and that type. */
static mnp_status as_line(const mnp_array *x, mnp_dtype dtype, mnp_array **line_p)
{
    const int64_t size = mnp__array_is_scalar(x) ? 1 : x->layout->size;
    mnp_array *flat = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp_empty(x->ctx, dtype, 1, &size, line_p));
    if (!mnp__array_is_scalar(x))
        st = mnp_ravel(x, &flat);
    if (st == MNP_OK)
        st = mnp_copyto(*line_p, flat ? flat : x, MNP_CASTING_UNSAFE);
    mnp_array_free(flat);
    return st;
}

mnp_status mnp_ediff1d(const mnp_array *x, const mnp_array *to_end, const mnp_array *to_begin, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_OR_NULL(to_end);
    MNP_NEED_OR_NULL(to_begin);
    mnp_array *line = NULL, *all[3] = {NULL, NULL, NULL};
    const mnp_array *given[3] = {to_begin, NULL, to_end}, *joined[3];
    int count = 0;
    mnp_status st;
    MNP_TRY(mnp__inputs_check("mnp_ediff1d", 1, &x));
    if (x->dtype == MNP_BOOL)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_ediff1d: bools have no difference");
    for (int i = 0; i < 3; i++) {
        if (given[i] && !mnp_can_cast(given[i]->dtype, x->dtype, MNP_CASTING_SAME_KIND))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_ediff1d: %s is %s, and cannot be cast to x's %s under 'same_kind'",
                            i == 0 ? "to_begin" : "to_end", mnp_dtype_name(given[i]->dtype), mnp_dtype_name(x->dtype));
    }
    MNP_TRY_OR(mnp_ravel(x, &line), st, done);
    MNP_TRY_OR(difference(line, 0, to_begin || to_end ? &all[1] : out_p), st, done);
    for (int i = 0; i < 3 && (to_begin || to_end); i++) {
        if (given[i])
            MNP_TRY_OR(as_line(given[i], x->dtype, &all[i]), st, done);
        if (all[i])
            joined[count++] = all[i];
    }
    if (count > 0)
        st = mnp_concatenate(joined, count, 0, out_p);
done:
    mnp_array_free(line);
    mnp_free_all(all[0], all[1], all[2]);
    return st;
}

/* ---- gradients ---- */

/*
 * An expression for a piece of a gradient.  It takes up to three neighbours a, b and c, which are elements
 * begin .. end - 1 of the array, and the distance h between all points or the distances p and q between these three.
 */
typedef struct piece {
    const char *text;
    struct {
        const char *name;
        int64_t begin, end;
    } of_array[3], of_distances[2];
    int64_t begin, end; /* of the result */
} piece;

/* The interior, then both ends by differences of the first order and of the second order (numpy.gradient). */
static const piece uniform[5] = {
    {"g = (c - a) / (2. * h)", {{"a", 0, -2}, {"c", 2, 0}}, {{0}}, 1, -1},
    {"g = (b - a) / h", {{"a", 0, 1}, {"b", 1, 2}}, {{0}}, 0, 1},
    {"g = (b - a) / h", {{"a", -2, -1}, {"b", -1, 0}}, {{0}}, -1, 0},
    {"g = -1.5 / h * a + 2. / h * b + -0.5 / h * c", {{"a", 0, 1}, {"b", 1, 2}, {"c", 2, 3}}, {{0}}, 0, 1},
    {"g = 0.5 / h * a + -2. / h * b + 1.5 / h * c", {{"a", -3, -2}, {"b", -2, -1}, {"c", -1, 0}}, {{0}}, -1, 0},
};
static const piece uneven[5] = {
    {"g = -q / (p * (p + q)) * a + (q - p) / (p * q) * b + p / (q * (p + q)) * c",
     {{"a", 0, -2}, {"b", 1, -1}, {"c", 2, 0}},
     {{"p", 0, -1}, {"q", 1, 0}},
     1,
     -1},
    {"g = (b - a) / p", {{"a", 0, 1}, {"b", 1, 2}}, {{"p", 0, 1}}, 0, 1},
    {"g = (b - a) / p", {{"a", -2, -1}, {"b", -1, 0}}, {{"p", -1, 0}}, -1, 0},
    {"g = -(2. * p + q) / (p * (p + q)) * a + (p + q) / (p * q) * b + -p / (q * (p + q)) * c",
     {{"a", 0, 1}, {"b", 1, 2}, {"c", 2, 3}},
     {{"p", 0, 1}, {"q", 1, 2}},
     0,
     1},
    {"g = q / (p * (p + q)) * a + -(q + p) / (p * q) * b + (2. * q + p) / (q * (p + q)) * c",
     {{"a", -3, -2}, {"b", -2, -1}, {"c", -1, 0}},
     {{"p", -2, -1}, {"q", -1, 0}},
     -1,
     0},
};

/* Compute one piece.  `distances` are those between neighbours, in one dimension; if NULL, all are `spacing`. */
static mnp_status do_piece(const piece *what, const mnp_array *f, const mnp_array *spacing, const mnp_array *distances,
                           int axis, const mnp_array *target)
{
    mnp_array *views[5] = {NULL}, *line = NULL, *result = NULL;
    mnp_input inputs[7] = {{"h", spacing}};
    int count = distances ? 0 : 1, made = 0;
    mnp_status st;
    for (int i = 0; i < 3 && what->of_array[i].name; i++, made++) {
        MNP_TRY_OR(part(f, axis, what->of_array[i].begin, what->of_array[i].end, &views[made]), st, done);
        inputs[count++] = (mnp_input){what->of_array[i].name, views[made]};
    }
    for (int i = 0; i < 2 && distances && what->of_distances[i].name; i++, made++) {
        MNP_TRY_OR(part(distances, 0, what->of_distances[i].begin, what->of_distances[i].end, &line), st, done);
        st = turn(line, f->layout->ndim, axis, &views[made]);
        mnp_array_free(line);
        if (st != MNP_OK)
            goto done;
        inputs[count++] = (mnp_input){what->of_distances[i].name, views[made]};
    }
    inputs[count] = (mnp_input){NULL, NULL};
    MNP_TRY_OR(part(target, axis, what->begin, what->end, &result), st, done);
    st = mnp_eval(f->ctx, what->text, inputs, MNP_OUT("g", &result));
    mnp_array_free(result);
done:
    for (int i = 0; i < 5; i++)
        mnp_array_free(views[i]);
    return st;
}

static mnp_status do_pieces(const mnp_array *f, const mnp_array *spacing, const mnp_array *distances, int axis,
                            int edge_order, const mnp_array *target)
{
    const piece *pieces = distances ? uneven : uniform;
    const int first = edge_order == 1 ? 1 : 3;
    MNP_TRY(do_piece(&pieces[0], f, spacing, distances, axis, target));
    MNP_TRY(do_piece(&pieces[first], f, spacing, distances, axis, target));
    return do_piece(&pieces[first + 1], f, spacing, distances, axis, target);
}

static mnp_status check_gradient(const mnp_array *f, const mnp_array *spacing, int axis, int edge_order)
{
    int64_t extent = f->layout->shape[axis];
    if (edge_order != 1 && edge_order != 2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_gradient: edge_order is %d, neither 1 nor 2", edge_order);
    if (extent < edge_order + 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_gradient: dimension %d has %" PRId64 " elements, and %d are needed", axis,
                        extent, edge_order + 1);
    if (spacing && !mnp__array_is_number(spacing) &&
        (spacing->layout->ndim != 1 || spacing->layout->shape[0] != extent))
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_gradient: the coordinates have %d dimensions and %" PRId64
                        " elements, and dimension %d has %" PRId64,
                        spacing->layout->ndim, spacing->layout->size, axis, extent);
    return MNP_OK;
}

/* Convert coordinates to floats and compute the distances between them. */
static mnp_status measure(const mnp_array *coordinates, mnp_array **distances_p)
{
    mnp_array *real = NULL;
    if (mnp__dtype_is_inexact(coordinates->dtype))
        return difference(coordinates, 0, distances_p);
    MNP_TRY(mnp_astype(coordinates, MNP_FLOAT64, &real));
    mnp_status st = difference(real, 0, distances_p);
    mnp_array_free(real);
    return st;
}

mnp_status mnp_gradient(const mnp_array *f, const mnp_array *spacing, int axis, int edge_order, mnp_array **out_p)
{
    MNP_ENTER(f, out_p);
    MNP_NEED_OR_NULL(spacing);
    mnp_array *real = NULL, *distances = NULL;
    mnp__output output;
    MNP_TRY(mnp__inputs_check("mnp_gradient", 1, &f));
    MNP_TRY(mnp__view_axis("mnp_gradient", f->layout->ndim, axis, &axis));
    MNP_TRY(check_gradient(f, spacing, axis, edge_order));
    mnp_dtype result = mnp__dtype_is_inexact(f->dtype) ? f->dtype : MNP_FLOAT64;
    if (*out_p && mnp_can_cast(result, (*out_p)->dtype, MNP_CASTING_SAME_KIND))
        result = (*out_p)->dtype;
    const mnp__output_spec spec = {.function = "mnp_gradient",
                                   .ctx = f->ctx,
                                   .dtype = result,
                                   .layout = f->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &f};
    MNP_TRY(mnp__output_open(&spec, out_p, &output));
    mnp_status st = MNP_OK;
    if (!mnp__dtype_is_inexact(f->dtype))
        st = mnp_astype(f, MNP_FLOAT64, &real);
    if (st == MNP_OK && spacing && !mnp__array_is_number(spacing))
        st = measure(spacing, &distances);
    if (st == MNP_OK)
        st = do_pieces(real ? real : f, spacing ? spacing : mnp_scalar_float(f->ctx, 1), distances, axis, edge_order,
                       output.array);
    mnp_free_all(real, distances);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_gradients(const mnp_array *f, const mnp_array *const *spacings, int edge_order, mnp_array **gradients)
{
    MNP_ENTER(f);
    MNP_NEED_IF(f->layout->ndim > 0, gradients);
    if (spacings)
        MNP_NEED_ALL(f->layout->ndim, spacings);
    mnp_array *made[MNP_MAX_DIMS] = {NULL};
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__inputs_check("mnp_gradients", 1, &f));
    for (int d = 0; d < f->layout->ndim && st == MNP_OK; d++)
        st = mnp_gradient(f, spacings ? spacings[d] : NULL, d, edge_order, &made[d]);
    for (int d = 0; d < f->layout->ndim; d++) {
        if (st == MNP_OK)
            gradients[d] = made[d];
        else
            mnp_array_free(made[d]);
    }
    return st;
}

/* ---- integrals ---- */

/* Compute the distances of x along the axis; they have as many dimensions as x, or one. */
static mnp_status distances_of(const mnp_array *y, const mnp_array *x, int axis, mnp_array **distances_p)
{
    mnp_array *line = NULL;
    if (x->layout->ndim != 1)
        return difference(x, axis, distances_p);
    MNP_TRY(difference(x, 0, &line));
    mnp_status st = turn(line, y->layout->ndim, axis, distances_p);
    mnp_array_free(line);
    return st;
}

mnp_status mnp_trapezoid(const mnp_array *y, const mnp_array *x, double dx, int axis, mnp_array **out_p)
{
    MNP_ENTER(y, out_p);
    MNP_NEED_OR_NULL(x);
    mnp_array *low = NULL, *high = NULL, *distances = NULL, *parts = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check("mnp_trapezoid", x ? 2 : 1, (const mnp_array *const[]){y, x}));
    MNP_TRY(mnp__view_axis("mnp_trapezoid", y->layout->ndim, axis, &axis));
    if (x && x->layout->ndim != 1 && x->layout->ndim != y->layout->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_trapezoid: x has %d dimensions, neither 1 nor y's %d", x->layout->ndim,
                        y->layout->ndim);
    if (x)
        MNP_TRY(distances_of(y, x, axis, &distances));
    MNP_TRY_OR(part(y, axis, 0, -1, &low), st, done);
    MNP_TRY_OR(part(y, axis, 1, 0, &high), st, done);
    MNP_TRY_OR(mnp_eval(y->ctx, "t = d * (b + a) / 2.",
                        MNP_IN("a", low, "b", high, "d", distances ? distances : mnp_scalar_float(y->ctx, dx)),
                        MNP_OUT("t", &parts)),
               st, done);
    st = mnp_sum(parts, MNP_AXIS(axis), out_p);
done:
    mnp_free_all(low, high, distances, parts);
    return st;
}
