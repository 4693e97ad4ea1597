/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Concatenation and its relatives: every argument is pasted into the result by one run of the mover.
 */
#include <maniple/join.h>

#include <inttypes.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/common/paste.h"
#include "ops/elementwise/ufunc.h"

static mnp_status shapes_differ(const char *function, const char *wish, const mnp_array *const *arrays, int i)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_shape(&text, arrays[0]->layout->ndim, arrays[0]->layout->shape);
    mnp__text_add(&text, " and ");
    mnp__text_add_shape(&text, arrays[i]->layout->ndim, arrays[i]->layout->shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: arrays 0 and %d have shapes %s, which must be the same%s", function, i,
                             mnp__text_string(&text), wish);
    mnp__text_free(&text);
    return st;
}

static mnp_status check_count(const char *function, int count, const mnp_array *const *arrays)
{
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d arrays, and one is needed at least", function, count);
    return mnp__inputs_check(function, count, arrays);
}

/* The dtype of the result: that of the given array if values can be cast to it, else what promotion gives. */
static mnp_status joined_dtype(int count, const mnp_array *const *arrays, const mnp_array *given, mnp_dtype *dtype_p)
{
    mnp__type *types;
    MNP_TRY(mnp__malloc((size_t)count * sizeof *types, &types));
    for (int i = 0; i < count; i++)
        types[i] = mnp__type_of(arrays[i]);
    mnp_dtype dtype = mnp__result_type(count, types).dtype;
    free(types);
    *dtype_p = given && mnp_can_cast(dtype, given->dtype, MNP_CASTING_SAME_KIND) ? given->dtype : dtype;
    return MNP_OK;
}

static mnp_status joined_shape(const char *function, int count, const mnp_array *const *arrays, int axis,
                               int64_t *shape)
{
    const mnp_layout *first = arrays[0]->layout;
    for (int d = 0; d < first->ndim; d++)
        shape[d] = first->shape[d];
    for (int i = 1; i < count; i++) {
        const mnp_layout *layout = arrays[i]->layout;
        bool same = layout->ndim == first->ndim;
        for (int d = 0; d < first->ndim && same; d++)
            same = d == axis || layout->shape[d] == shape[d];
        if (!same)
            return shapes_differ(function, " but along the axis", arrays, i);
        if (__builtin_add_overflow(shape[axis], layout->shape[axis], &shape[axis]))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the result has too many elements for 64-bit sizes", function);
    }
    return MNP_OK;
}

/* Concatenate along a dimension that is there; the arrays are checked. */
static mnp_status join(const char *function, int count, const mnp_array *const *arrays, int axis, mnp_array **result_p)
{
    int64_t shape[MNP_MAX_DIMS], at = 0;
    int kept[MNP_MAX_DIMS], ndim = arrays[0]->layout->ndim;
    mnp_layout *layout;
    mnp__output output;
    mnp_dtype dtype;
    MNP_TRY(joined_shape(function, count, arrays, axis, shape));
    MNP_TRY(joined_dtype(count, arrays, *result_p, &dtype));
    for (int d = 0; d < ndim; d++)
        kept[d] = d == axis ? -1 : d;
    MNP_TRY(mnp__paste_layout(count, arrays, ndim, shape, kept, &layout));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = arrays[0]->ctx,
                                   .dtype = dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = count,
                                   .inputs = arrays};
    mnp_status st = mnp__output_open(&spec, result_p, &output);
    mnp_layout_free(layout);
    for (int i = 0; i < count && st == MNP_OK; i++) {
        mnp__paste_source where = mnp__paste_source_of(output.array);
        where.origin[axis] = where.lo[axis] = at;
        where.hi[axis] = at += arrays[i]->layout->shape[axis];
        st = mnp__paste(function, arrays[i], &where, output.array);
    }
    return mnp__output_close(1, &output, st);
}

/* Concatenate views of the arrays, made by `reshape`; an axis below 0 is the second dimension, or the only one. */
static mnp_status join_reshaped(const char *function, int count, const mnp_array *const *arrays,
                                mnp_status (*reshape)(const mnp_array *x, int axis, mnp_array **view_p), int axis,
                                mnp_array **result_p)
{
    mnp_array **views;
    MNP_TRY(mnp__calloc((size_t)count, sizeof *views, &views));
    mnp_status st = MNP_OK;
    for (int i = 0; i < count && st == MNP_OK; i++)
        st = reshape(arrays[i], axis, &views[i]);
    if (st == MNP_OK) {
        if (axis < 0)
            axis = views[0]->layout->ndim == 1 ? 0 : 1;
        st = join(function, count, (const mnp_array *const *)views, axis, result_p);
    }
    for (int i = 0; i < count; i++)
        mnp_array_free(views[i]);
    free(views);
    return st;
}

static mnp_status flatten(const mnp_array *x, int axis, mnp_array **view_p)
{
    (void)axis;
    return mnp_ravel(x, view_p);
}

static mnp_status expand(const mnp_array *x, int axis, mnp_array **view_p)
{
    return mnp_expand_dims(x, 1, &axis, view_p);
}

static mnp_status at_least_1d(const mnp_array *x, int axis, mnp_array **view_p)
{
    (void)axis;
    return mnp_atleast_1d(x, view_p);
}

static mnp_status at_least_2d(const mnp_array *x, int axis, mnp_array **view_p)
{
    (void)axis;
    return mnp_atleast_2d(x, view_p);
}

static mnp_status at_least_3d(const mnp_array *x, int axis, mnp_array **view_p)
{
    (void)axis;
    return mnp_atleast_3d(x, view_p);
}

/* A vector as a column; numbers are vectors of one element; others as they are. */
static mnp_status as_columns(const mnp_array *x, int axis, mnp_array **view_p)
{
    const int64_t shape[2] = {x->layout->size, 1};
    (void)axis;
    return x->layout->ndim < 2 ? mnp_reshape(x, 2, shape, view_p) : mnp_atleast_2d(x, view_p);
}

mnp_status mnp_concatenate(const mnp_array *const *arrays, int count, int axis, mnp_array **result_p)
{
    MNP_ENTER(result_p);
    MNP_NEED_ALL(count, arrays);
    MNP_TRY(check_count("mnp_concatenate", count, arrays));
    if (axis == MNP_FLATTENED)
        return join_reshaped("mnp_concatenate", count, arrays, flatten, 0, result_p);
    if (arrays[0]->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_concatenate: arrays without dimensions cannot be concatenated along one");
    MNP_TRY(mnp__view_axis("mnp_concatenate", arrays[0]->layout->ndim, axis, &axis));
    return join("mnp_concatenate", count, arrays, axis, result_p);
}

mnp_status mnp_stack(const mnp_array *const *arrays, int count, int axis, mnp_array **result_p)
{
    MNP_ENTER(result_p);
    MNP_NEED_ALL(count, arrays);
    MNP_TRY(check_count("mnp_stack", count, arrays));
    const mnp_layout *first = arrays[0]->layout;
    for (int i = 1; i < count; i++) {
        const mnp_layout *layout = arrays[i]->layout;
        bool same = layout->ndim == first->ndim;
        for (int d = 0; d < first->ndim && same; d++)
            same = layout->shape[d] == first->shape[d];
        if (!same)
            return shapes_differ("mnp_stack", "", arrays, i);
    }
    if (first->ndim == MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_stack: the result would have %d dimensions, more than %d", first->ndim + 1,
                        MNP_MAX_DIMS);
    MNP_TRY(mnp__view_axis("mnp_stack", first->ndim + 1, axis, &axis));
    return join_reshaped("mnp_stack", count, arrays, expand, axis, result_p);
}

mnp_status mnp_vstack(const mnp_array *const *arrays, int count, mnp_array **result_p)
{
    MNP_ENTER(result_p);
    MNP_NEED_ALL(count, arrays);
    MNP_TRY(check_count("mnp_vstack", count, arrays));
    return join_reshaped("mnp_vstack", count, arrays, at_least_2d, 0, result_p);
}

mnp_status mnp_hstack(const mnp_array *const *arrays, int count, mnp_array **result_p)
{
    MNP_ENTER(result_p);
    MNP_NEED_ALL(count, arrays);
    MNP_TRY(check_count("mnp_hstack", count, arrays));
    return join_reshaped("mnp_hstack", count, arrays, at_least_1d, -1, result_p);
}

mnp_status mnp_dstack(const mnp_array *const *arrays, int count, mnp_array **result_p)
{
    MNP_ENTER(result_p);
    MNP_NEED_ALL(count, arrays);
    MNP_TRY(check_count("mnp_dstack", count, arrays));
    return join_reshaped("mnp_dstack", count, arrays, at_least_3d, 2, result_p);
}

mnp_status mnp_column_stack(const mnp_array *const *arrays, int count, mnp_array **result_p)
{
    MNP_ENTER(result_p);
    MNP_NEED_ALL(count, arrays);
    MNP_TRY(check_count("mnp_column_stack", count, arrays));
    return join_reshaped("mnp_column_stack", count, arrays, as_columns, 1, result_p);
}

mnp_status mnp_append(const mnp_array *x, const mnp_array *values, int axis, mnp_array **result_p)
{
    MNP_ENTER(x, values, result_p);
    return mnp_concatenate((const mnp_array *const[]){x, values}, 2, axis, result_p);
}

/* x[:cut], then a gap of `more` elements, or if that is negative without as many, then the rest of x. */
static mnp_status part(const char *function, const mnp_array *x, int axis, int64_t cut, int64_t more, mnp_array *result)
{
    mnp__paste_source head = mnp__paste_source_of(result), tail = head;
    head.hi[axis] = cut;
    tail.lo[axis] = cut + mnp__max(more, 0);
    tail.origin[axis] = more;
    MNP_TRY(mnp__paste(function, x, &head, result));
    return mnp__paste(function, x, &tail, result);
}

/* Open an output with the shape of x, the first input, but along `axis`. */
static mnp_status open_resized(const char *function, int axis, int64_t extent, int count,
                               const mnp_array *const *inputs, mnp_array **result_p, mnp__output *output)
{
    int64_t shape[MNP_MAX_DIMS];
    int kept[MNP_MAX_DIMS];
    const mnp_array *x = inputs[0];
    mnp_layout *layout;
    for (int d = 0; d < x->layout->ndim; d++) {
        shape[d] = d == axis ? extent : x->layout->shape[d];
        kept[d] = d == axis ? -1 : d;
    }
    MNP_TRY(mnp__paste_layout(1, inputs, x->layout->ndim, shape, kept, &layout));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = count,
                                   .inputs = inputs};
    mnp_status st = mnp__output_open(&spec, result_p, output);
    mnp_layout_free(layout);
    return st;
}

/* Values broadcast to the shape of x but along `axis`. */
static mnp_status fit_values(const mnp_array *x, const mnp_array *values, int axis, mnp_array **fitted_p)
{
    int64_t shape[MNP_MAX_DIMS];
    int ndim = x->layout->ndim, missing = ndim - values->layout->ndim;
    for (int d = 0; d < ndim; d++)
        shape[d] = d != axis ? x->layout->shape[d] : axis >= missing ? values->layout->shape[axis - missing] : 1;
    return mnp_broadcast_to(values, ndim, shape, fitted_p);
}

mnp_status mnp_insert(const mnp_array *x, int64_t index, const mnp_array *values, int axis, mnp_array **result_p)
{
    MNP_ENTER(x, values, result_p);
    static const char function[] = "mnp_insert";
    mnp_array *fitted = NULL;
    mnp__output output = {.array = NULL};
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){x, values}));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    int64_t extent = x->layout->shape[axis];
    if (index < -extent || index > extent)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_insert: index is %" PRId64 ", out of bounds for dimension %d of %" PRId64 " elements",
                        index, axis, extent);
    index += index < 0 ? extent : 0;
    MNP_TRY(fit_values(x, values, axis, &fitted));
    int64_t more = fitted->layout->shape[axis];
    mnp_status st =
        open_resized(function, axis, extent + more, 2, (const mnp_array *const[]){x, fitted}, result_p, &output);
    if (st == MNP_OK)
        st = part(function, x, axis, index, more, output.array);
    if (st == MNP_OK) {
        mnp__paste_source middle = mnp__paste_source_of(output.array);
        middle.lo[axis] = middle.origin[axis] = index;
        middle.hi[axis] = index + more;
        st = mnp__paste(function, fitted, &middle, output.array);
    }
    mnp_array_free(fitted);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_delete(const mnp_array *x, int64_t start, int64_t stop, int axis, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    mnp__output output;
    MNP_TRY(mnp__inputs_check("mnp_delete", 1, &x));
    MNP_TRY(mnp__view_axis("mnp_delete", x->layout->ndim, axis, &axis));
    int64_t extent = x->layout->shape[axis];
    start = mnp__slice_end(start, extent);
    stop = mnp__slice_end(stop, extent);
    stop = mnp__max(stop, start);
    MNP_TRY(open_resized("mnp_delete", axis, extent - (stop - start), 1, &x, result_p, &output));
    return mnp__output_close(1, &output, part("mnp_delete", x, axis, start, start - stop, output.array));
}
