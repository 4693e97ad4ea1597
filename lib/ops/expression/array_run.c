/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of public functions of whole arrays with the arguments that a text gives.
 */
#include "ops/expression/array_function.h"

#include <inttypes.h>
#include <string.h>

#include <maniple/fft.h>
#include <maniple/histogram.h>
#include <maniple/join.h>
#include <maniple/scan.h>
#include <maniple/select.h>
#include <maniple/sets.h>
#include <maniple/sort.h>
#include <maniple/view.h>

#include "array/array.h"
#include "base/status.h"
#include "layout/layout.h"

typedef const mnp__array_call call;
typedef const mnp_array *const *arrays;

/* ---- arguments ---- */

/* The array of parameter number `slot`, or NULL. */
static const mnp_array *slot(call *c, arrays x, int number)
{
    return c->slots[number] < 0 ? NULL : x[c->slots[number]];
}

/* The one axis; MNP_FLATTENED if it is None. */
static int axis_of(call *c)
{
    return c->constants.flat ? MNP_FLATTENED : c->constants.axes.axes[0];
}

static int64_t integer_of(call *c, int which)
{
    return c->constants.integers[which].values[0];
}

/* ---- prototypes ---- */

mnp_status mnp__run_x(call *c, arrays x, mnp_array **results)
{
    return c->function->call.x(x[0], &results[0]);
}

mnp_status mnp__run_x_axis(call *c, arrays x, mnp_array **results)
{
    return c->function->call.x_axis(x[0], axis_of(c), &results[0]);
}

mnp_status mnp__run_x_axis_dtype(call *c, arrays x, mnp_array **results)
{
    return c->function->call.x_axis_dtype(x[0], axis_of(c), c->constants.axes.dtype, &results[0]);
}

mnp_status mnp__run_x_axes(call *c, arrays x, mnp_array **results)
{
    return c->function->call.x_axes(x[0], &c->constants.axes, &results[0]);
}

mnp_status mnp__run_x_k(call *c, arrays x, mnp_array **results)
{
    return c->function->call.x_k(x[0], integer_of(c, 0), &results[0]);
}

mnp_status mnp__run_x_kth(call *c, arrays x, mnp_array **results)
{
    const mnp__integers *kth = &c->constants.integers[0];
    return c->function->call.x_kth(x[0], kth->count, kth->values, axis_of(c), &results[0]);
}

mnp_status mnp__run_x_shape(call *c, arrays x, mnp_array **results)
{
    const mnp__integers *shape = &c->constants.integers[0];
    return c->function->call.x_shape(x[0], shape->count, shape->values, &results[0]);
}

mnp_status mnp__run_x_naxes(call *c, arrays x, mnp_array **results)
{
    const mnp_axes *axes = &c->constants.axes;
    return c->function->call.x_naxes(x[0], axes->count, c->constants.flat ? NULL : axes->axes, &results[0]);
}

mnp_status mnp__run_x_y(call *c, arrays x, mnp_array **results)
{
    return c->function->call.x_y(x[0], x[1], &results[0]);
}

mnp_status mnp__run_x_dtype(call *c, arrays x, mnp_array **results)
{
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    if (c->constants.axes.dtype)
        MNP_TRY(mnp_dtype_parse(c->constants.axes.dtype, &dtype));
    return c->function->call.x_dtype(x[0], dtype, &results[0]);
}

mnp_status mnp__run_list(call *c, arrays x, mnp_array **results)
{
    return c->function->call.list(x, c->narrays, &results[0]);
}

mnp_status mnp__run_list_axis(call *c, arrays x, mnp_array **results)
{
    return c->function->call.list_axis(x, c->narrays, axis_of(c), &results[0]);
}

mnp_status mnp__run_two_axes(call *c, arrays x, mnp_array **results)
{
    return c->function->call.two_axes(x[0], (int)integer_of(c, 0), (int)integer_of(c, 1), &results[0]);
}

mnp_status mnp__run_quantile(call *c, arrays x, mnp_array **results)
{
    const mnp__constants *k = &c->constants;
    if (k->reals_are_list)
        return c->function->call.quantile.some(x[0], k->nreals, k->reals, &k->axes, k->word, &results[0]);
    return c->function->call.quantile.one(x[0], k->reals[0], &k->axes, k->word, &results[0]);
}

mnp_status mnp__run_cov(call *c, arrays x, mnp_array **results)
{
    const mnp_cov_options options = {.columns = !(c->constants.flags & MNP__FLAG_ROWVAR),
                                     .bias = c->constants.flags & MNP__FLAG_BIAS};
    return c->function->call.cov(x[0], slot(c, x, 1), &options, &results[0]);
}

mnp_status mnp__run_reduction(call *c, arrays x, mnp_array **results)
{
    const mnp__number *initial = &c->constants.initial;
    mnp_axes axes = c->constants.axes;
    axes.where = slot(c, x, 1);
    if (initial->kind == 'i')
        axes.initial = mnp_scalar_int(x[0]->ctx, (int64_t)initial->integer);
    else if (initial->kind == 'f')
        axes.initial = mnp_scalar_float(x[0]->ctx, initial->real);
    return mnp__reduce_call(c->reduce, x[0], &axes, &results[0]);
}

/* ---- Fourier transforms ---- */

/* n, or as many as the array has. */
static int64_t points_of(call *c)
{
    const mnp__integers *n = &c->constants.integers[0];
    return n->count > 0 ? n->values[0] : MNP_NONE;
}

static const char *norm_of(call *c)
{
    return c->constants.word[0] ? c->constants.word : NULL;
}

/* s and axes; axes that are not given are the last ones, as many as s has, or all. */
static mnp_status transformed(call *c, int axes[MNP_MAX_DIMS], int *count_p, const int64_t **s_p)
{
    const mnp__integers *given = &c->constants.integers[0], *s = &c->constants.integers[1];
    if (given->count > 0 && s->count > 0 && given->count != s->count)
        return MNP_FAIL(MNP_ERR_ARG, "s has %d numbers of points for %d axes", s->count, given->count);
    *count_p = given->count > 0 ? given->count : s->count;
    *s_p = s->count > 0 ? s->values : NULL;
    for (int i = 0; i < *count_p; i++) {
        const int64_t axis = given->count > 0 ? given->values[i] : i - *count_p;
        if (axis > INT16_MAX || axis < INT16_MIN)
            return MNP_FAIL(MNP_ERR_ARG, "no array has an axis %" PRId64, axis);
        axes[i] = (int)axis;
    }
    return MNP_OK;
}

mnp_status mnp__run_fft(call *c, arrays x, mnp_array **results)
{
    return c->function->call.fft(x[0], points_of(c), axis_of(c), norm_of(c), &results[0]);
}

mnp_status mnp__run_fftn(call *c, arrays x, mnp_array **results)
{
    int axes[MNP_MAX_DIMS], count;
    const int64_t *s;
    MNP_TRY(transformed(c, axes, &count, &s));
    return c->function->call.fftn(x[0], count, s, axes, norm_of(c), &results[0]);
}

/* The type of a cosine transform, or a number that is none. */
static int type_of(call *c)
{
    const int64_t type = integer_of(c, 2);
    return type < 0 ? -1 : type > INT16_MAX ? INT16_MAX : (int)type;
}

mnp_status mnp__run_dct(call *c, arrays x, mnp_array **results)
{
    return c->function->call.dct(x[0], type_of(c), points_of(c), axis_of(c), norm_of(c), &results[0]);
}

mnp_status mnp__run_dctn(call *c, arrays x, mnp_array **results)
{
    int axes[MNP_MAX_DIMS], count;
    const int64_t *s;
    MNP_TRY(transformed(c, axes, &count, &s));
    return c->function->call.dctn(x[0], type_of(c), count, s, axes, norm_of(c), &results[0]);
}

mnp_status mnp__run_fftshift(call *c, arrays x, mnp_array **results)
{
    int axes[MNP_MAX_DIMS], count;
    const int64_t *s;
    MNP_TRY(transformed(c, axes, &count, &s));
    return c->function->call.shift(x[0], count, axes, &results[0]);
}

/* ---- single functions ---- */

mnp_status mnp__run_diff(call *c, arrays x, mnp_array **results)
{
    return mnp_diff(x[0], (int)integer_of(c, 0), axis_of(c), slot(c, x, 1), slot(c, x, 2), &results[0]);
}

mnp_status mnp__run_ediff1d(call *c, arrays x, mnp_array **results)
{
    return mnp_ediff1d(x[0], slot(c, x, 1), slot(c, x, 2), &results[0]);
}

mnp_status mnp__run_gradient(call *c, arrays x, mnp_array **results)
{
    return mnp_gradient(x[0], slot(c, x, 1), axis_of(c), (int)integer_of(c, 0), &results[0]);
}

mnp_status mnp__run_trapezoid(call *c, arrays x, mnp_array **results)
{
    return mnp_trapezoid(x[0], slot(c, x, 1), c->constants.reals[0], axis_of(c), &results[0]);
}

mnp_status mnp__run_topk(call *c, arrays x, mnp_array **results)
{
    bool largest = c->constants.flags & MNP__FLAG_LARGEST;
    return mnp_topk(x[0], integer_of(c, 0), axis_of(c), largest, &results[0], &results[1]);
}

mnp_status mnp__run_unique(call *c, arrays x, mnp_array **results)
{
    static const unsigned flags[] = {MNP__FLAG_INDEX, MNP__FLAG_INVERSE, MNP__FLAG_COUNTS};
    mnp_array **others[3];
    int count = 1;
    for (int i = 0; i < 3; i++)
        others[i] = c->constants.flags & flags[i] ? &results[count++] : NULL;
    return mnp_unique(x[0], true, &results[0], others[0], others[1], others[2]);
}

mnp_status mnp__run_isin(call *c, arrays x, mnp_array **results)
{
    return mnp_isin(x[0], x[1], c->constants.flags & MNP__FLAG_INVERT, &results[0]);
}

mnp_status mnp__run_average(call *c, arrays x, mnp_array **results)
{
    return mnp_average(x[0], slot(c, x, 1), &c->constants.axes, &results[0]);
}

mnp_status mnp__run_histogram(call *c, arrays x, mnp_array **results)
{
    const mnp__constants *k = &c->constants;
    if (k->nreals != 0 && k->nreals != 2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_histogram: the range has two ends, and %d are given", k->nreals);
    return mnp_histogram(x[0], integer_of(c, 0), k->nreals ? k->reals : NULL, k->flags & MNP__FLAG_DENSITY,
                         slot(c, x, 1), &results[0], &results[1]);
}

mnp_status mnp__run_bincount(call *c, arrays x, mnp_array **results)
{
    return mnp_bincount(x[0], slot(c, x, 1), integer_of(c, 0), &results[0]);
}

mnp_status mnp__run_searchsorted(call *c, arrays x, mnp_array **results)
{
    bool right = strcmp(c->constants.word, "right") == 0;
    if (!right && strcmp(c->constants.word, "left") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_searchsorted: the side is '%s', and is 'left' or 'right'", c->constants.word);
    return mnp_searchsorted(x[0], x[1], right, NULL, &results[0]);
}

mnp_status mnp__run_digitize(call *c, arrays x, mnp_array **results)
{
    return mnp_digitize(x[0], x[1], c->constants.flags & MNP__FLAG_RIGHT, &results[0]);
}

mnp_status mnp__run_transpose(call *c, arrays x, mnp_array **results)
{
    const mnp__integers *given = &c->constants.integers[0];
    int axes[MNP_MAX_DIMS];
    if (given->count > 0 && given->count != x[0]->layout->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_transpose: there are %d axes, and the array has %d dimensions", given->count,
                        x[0]->layout->ndim);
    for (int d = 0; d < given->count; d++)
        axes[d] = (int)given->values[d];
    return mnp_transpose(x[0], given->count > 0 ? axes : NULL, &results[0]);
}

mnp_status mnp__run_append(call *c, arrays x, mnp_array **results)
{
    return mnp_append(x[0], x[1], axis_of(c), &results[0]);
}

mnp_status mnp__run_roll(call *c, arrays x, mnp_array **results)
{
    const mnp__integers *shifts = &c->constants.integers[0];
    const mnp_axes *axes = &c->constants.axes;
    int64_t wide[MNP_MAX_DIMS]; /* one shift is for all axes, and one axis takes all shifts */
    int narrow[MNP_MAX_DIMS], count = shifts->count > axes->count ? shifts->count : axes->count;
    if (c->constants.flat)
        return mnp_roll(x[0], shifts->count, shifts->values, NULL, &results[0]);
    if (shifts->count != axes->count && shifts->count != 1 && axes->count != 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_roll: there are %d shifts and %d axes", shifts->count, axes->count);
    for (int i = 0; i < count; i++) {
        wide[i] = shifts->values[shifts->count == 1 ? 0 : i];
        narrow[i] = axes->axes[axes->count == 1 ? 0 : i];
    }
    return mnp_roll(x[0], count, wide, narrow, &results[0]);
}

mnp_status mnp__run_repeat(call *c, arrays x, mnp_array **results)
{
    return mnp_repeat(x[0], integer_of(c, 0), axis_of(c), &results[0]);
}

/* numpy.pad with one width for all sides, or one before and one after each dimension. */
mnp_status mnp__run_pad(call *c, arrays x, mnp_array **results)
{
    static const char *const modes[] = {"constant", "wrap", "symmetric", "reflect", "edge"}; /* as mnp_boundary */
    const mnp__integers *given = &c->constants.integers[0];
    int64_t widths[2 * MNP_MAX_DIMS];
    int mode = 0;
    while (mode < 5 && strcmp(modes[mode], c->constants.word) != 0)
        mode++;
    if (mode == 5)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_pad: the mode is '%s', and is 'constant', 'wrap', 'symmetric', 'reflect' or 'edge'",
                        c->constants.word);
    if (given->count > 2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_pad: the width is one number, or two: before and after each dimension");
    for (int d = 0; d < x[0]->layout->ndim; d++) {
        widths[2 * d] = given->values[0];
        widths[2 * d + 1] = given->values[given->count - 1];
    }
    return mnp_pad(x[0], widths, (mnp_boundary)mode, NULL, &results[0]);
}

mnp_status mnp__run_take(call *c, arrays x, mnp_array **results)
{
    return mnp_take(x[0], x[1], axis_of(c), MNP_RAISE, &results[0]);
}

mnp_status mnp__run_compress(call *c, arrays x, mnp_array **results)
{
    return mnp_compress(x[0], x[1], axis_of(c), &results[0]);
}

/* A copy of x, in which values are assigned. */
static mnp_status set_in_copy(arrays x, bool mask, mnp_array **results)
{
    mnp_array *copy = NULL;
    MNP_TRY(mnp_copy(x[0], &copy));
    mnp_status st = mask ? mnp_mask_set(copy, x[2], x[1]) : mnp_put(copy, x[2], x[1], MNP_RAISE);
    if (st == MNP_OK)
        results[0] = copy;
    else
        mnp_array_free(copy);
    return st;
}

mnp_status mnp__run_mask_set(call *c, arrays x, mnp_array **results)
{
    (void)c;
    return set_in_copy(x, true, results);
}

mnp_status mnp__run_indices_set(call *c, arrays x, mnp_array **results)
{
    const mnp_layout *values = x[1]->layout, *indices = x[2]->layout;
    const bool same = mnp__layout_same_shape(values, indices);
    (void)c;
    if (!same && values->size != 1)
        return MNP_FAIL(MNP_ERR_ARG, "there are %" PRId64 " values for %" PRId64 " indices", values->size,
                        indices->size);
    return set_in_copy(x, false, results);
}
