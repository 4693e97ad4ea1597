/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.take and take_along_axis: layouts of the indices and of the result, which mnp__gather() fills.
 */
#include <maniple/join.h>
#include <maniple/select.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/owners.h"

/* ---- layouts ---- */

/* The mesh axis that cuts the indices: the one that cuts x along `axis`, else the longest that leaves replicas. */
static int mesh_axis_for(const mnp_layout *layout, int axis)
{
    bool cuts[MNP_MAX_DIMS] = {false};
    int best = MNP_NO_AXIS;
    if (mnp_layout_parts(layout, axis) > 1)
        return layout->axes[axis];
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->axes[d] != MNP_NO_AXIS)
            cuts[layout->axes[d]] = true;
    }
    for (int a = 0; a < layout->mesh_ndim; a++) {
        if (!cuts[a] && layout->pin[a] == MNP__REPLICAS && layout->mesh[a] > 1 &&
            (best == MNP_NO_AXIS || layout->mesh[a] > layout->mesh[best]))
            best = a;
    }
    return best;
}

/* x's dimensions, but those of the indices, the longest of which is cut, in the place of `axis`. */
static mnp_status layout_along(const mnp_layout *layout, const mnp_layout *indices, int axis, mnp_layout **result_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int ndim = 0, longest = 0;
    for (int d = 1; d < indices->ndim; d++)
        longest = indices->shape[d] > indices->shape[longest] ? d : longest;
    for (int d = 0; d < layout->ndim; d++) {
        if (d != axis) {
            dims[ndim++] = mnp__layout_dim_of(layout, d);
            continue;
        }
        for (int i = 0; i < indices->ndim; i++) {
            dims[ndim] = mnp__layout_dim_whole(indices->shape[i]);
            if (i == longest)
                dims[ndim].axis = mesh_axis_for(layout, axis);
            ndim++;
        }
    }
    return mnp__layout_derive(layout, ndim, dims, result_p);
}

/* The layout of a result of any elements: that of the given output, or of the indices, unless it has replicas. */
static mnp_status layout_flat(const mnp_layout *indices, const mnp_array *given, mnp_layout **result_p)
{
    const bool same = given && mnp__layout_same_shape(given->layout, indices);
    const mnp_layout *wanted = same ? given->layout : indices;
    if (!mnp__layout_is_spread(wanted))
        return mnp_layout_block(indices->nranks, indices->ndim, indices->shape, result_p);
    *result_p = mnp_layout_retain(wanted);
    return MNP_OK;
}

/* The layout of the indices: that of the result's dimensions that stand for them. */
static mnp_status layout_of_indices(const mnp_layout *result, int first, int ndim, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < ndim; d++)
        dims[d] = mnp__layout_dim_of(result, first + d);
    return mnp__layout_derive(result, ndim, dims, layout_p);
}

/* ---- take ---- */

/* Bring the indices to where they are wanted, for a result of that layout, and gather. */
static mnp_status gather(const mnp_array *x, const mnp_array *indices, int axis, mnp_index_mode mode,
                         const mnp_layout *natural, mnp_array *result)
{
    const int first = axis == MNP_FLATTENED ? 0 : axis;
    mnp__input here;
    mnp_layout *layout;
    MNP_TRY(layout_of_indices(natural, first, indices->layout->ndim, &layout));
    mnp_status st = mnp__input_open(indices, layout, MNP_INT64, MNP__INPUT_DENSE, &here);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = mnp__gather(x, here.array, axis, (int)mode, result);
    mnp__input_close(&here);
    return st;
}

/* Open x so that every rank has all that is indexed. */
static mnp_status open_whole(const mnp_array *x, int axis, mnp__input *whole)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int pin[MNP_MAX_DIMS]; /* no axis is pinned: ranks that own nothing of x receive the elements, too */
    mnp_layout *layout;
    for (int i = 0; i < MNP_MAX_DIMS; i++)
        pin[i] = MNP__REPLICAS;
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = d == axis ? mnp__layout_dim_whole(x->layout->shape[d]) : mnp__layout_dim_of(x->layout, d);
    MNP_TRY(axis == MNP_FLATTENED ? mnp_layout_replicated(x->layout->nranks, x->layout->ndim, x->layout->shape, &layout)
                                  : mnp__layout_derive_pinned(x->layout, pin, x->layout->ndim, dims, &layout));
    mnp_status st = mnp__input_open(x, layout, MNP_DTYPE_AUTO, 0, whole);
    mnp_layout_free(layout);
    return st;
}

/*
 * Whether the indexed elements are brought to all ranks: they are spread over ranks, and are no more than the indices
 * of a rank, so that this moves less than asking for them, and takes no more memory than the result.
 */
static bool wants_whole(const mnp_array *x, const mnp_array *indices, int axis)
{
    const bool flat = axis == MNP_FLATTENED;
    const unsigned axes = flat ? (1u << x->layout->ndim) - 1 : 1u << axis;
    const int64_t count = flat ? x->layout->size : x->layout->shape[axis];
    const int parts = flat ? x->layout->nranks : mnp_layout_parts(x->layout, axis);
    return x->layout->size > 0 && !mnp__owns_all(x->layout, axes) && count <= indices->layout->size / parts;
}

/* Both are read while the output is written. */
static mnp_status open_output(const char *function, const mnp_array *x, const mnp_array *indices,
                              const mnp_layout *layout, mnp_array **out_p, mnp__output *output)
{
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 2,
                                   .inputs = (const mnp_array *const[]){x, indices}};
    return mnp__output_open(&spec, out_p, output);
}

static mnp_status take(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                       mnp_index_mode mode, mnp_array **out_p);

static mnp_status take_from_whole(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                                  mnp_index_mode mode, mnp_array **out_p)
{
    mnp__input whole;
    MNP_TRY(open_whole(x, axis, &whole));
    mnp_status st = take(function, whole.array, indices, axis, mode, out_p);
    mnp__input_close(&whole);
    return st;
}

/* The indices are checked, and are inside if the mode is MNP_RAISE. */
static mnp_status take(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                       mnp_index_mode mode, mnp_array **out_p)
{
    mnp__output output;
    mnp_layout *layout;
    if (wants_whole(x, indices, axis))
        return take_from_whole(function, x, indices, axis, mode, out_p);
    MNP_TRY(axis == MNP_FLATTENED ? layout_flat(indices->layout, *out_p, &layout)
                                  : layout_along(x->layout, indices->layout, axis, &layout));
    mnp_status st = open_output(function, x, indices, layout, out_p, &output);
    if (st == MNP_OK && layout->size > 0)
        st = gather(x, indices, axis, mode, layout, output.array);
    mnp_layout_free(layout);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_take(const mnp_array *x, const mnp_array *indices, int axis, mnp_index_mode mode, mnp_array **out_p)
{
    MNP_ENTER(x, indices, out_p);
    static const char function[] = "mnp_take";
    MNP_TRY(mnp__indices_check(function, x, indices, mode));
    if (axis == MNP_FLATTENED) {
        MNP_TRY(mnp__indices_check_range(function, indices, x->layout->size, -1, mode));
        return take(function, x, indices, x->layout->ndim == 1 ? 0 : axis, mode, out_p);
    }
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    const int ndim = x->layout->ndim - 1 + indices->layout->ndim;
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result would have %d dimensions, more than %d", function, ndim,
                        MNP_MAX_DIMS);
    MNP_TRY(mnp__indices_check_range(function, indices, x->layout->shape[axis], axis, mode));
    return take(function, x, indices, axis, mode, out_p);
}

/* ---- take_along_axis ---- */

/* Take from every rank's own lines, where x is not cut along the axis. */
static mnp_status gather_along(const mnp_array *x, const mnp_array *indices, int axis, mnp_array *result)
{
    mnp__input here;
    mnp_indexed_params moved = {
        .src = x->data, .dst = result->data, .jump = x->local_strides[axis], .count = x->layout->shape[axis]};
    MNP_TRY(mnp__input_open(indices, result->layout, MNP_INT64, 0, &here));
    moved.index = here.array->data;
    for (int d = 0; d < x->layout->ndim; d++)
        mnp__indexed_add(&moved, result->local_shape[d], d == axis ? 0 : x->local_strides[d], result->local_strides[d],
                         indices->layout->shape[d] == result->layout->shape[d] ? here.array->local_strides[d] : 0);
    mnp_status st = mnp__indexed_run(x->ctx, mnp_dtype_size(x->dtype), &moved);
    mnp__input_close(&here);
    return st;
}

/* The result's layout where nothing has to travel: x has all of the axis, and is broadcast along no other. */
static mnp_status layout_of_lines(const mnp_array *x, const mnp_array *indices, int axis, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = d == axis ? mnp__layout_dim_whole(indices->layout->shape[d]) : mnp__layout_dim_of(x->layout, d);
    return mnp__layout_derive(x->layout, x->layout->ndim, dims, layout_p);
}

static bool has_whole_lines(const mnp_array *x, const mnp_array *indices, int axis)
{
    bool broadcast = false;
    for (int d = 0; d < x->layout->ndim; d++) {
        const int64_t own = x->layout->shape[d], theirs = indices->layout->shape[d];
        broadcast = broadcast || (d != axis && own != theirs && theirs != 1);
    }
    return !broadcast && mnp_layout_parts(x->layout, axis) == 1;
}

static mnp_status take_lines(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                             mnp_array **out_p)
{
    mnp__output output;
    mnp_layout *layout;
    MNP_TRY(layout_of_lines(x, indices, axis, &layout));
    mnp_status st = open_output(function, x, indices, layout, out_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = gather_along(x, indices, axis, output.array);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_take_along_axis(const mnp_array *x, const mnp_array *indices, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, indices, out_p);
    static const char function[] = "mnp_take_along_axis";
    mnp_array *numbers;
    MNP_TRY(mnp__indices_check(function, x, indices, MNP_RAISE));
    const int ndim = axis == MNP_FLATTENED ? 1 : x->layout->ndim;
    if (indices->layout->ndim != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the indices have %d dimensions, and must have %d", function,
                        indices->layout->ndim, ndim);
    if (axis == MNP_FLATTENED) {
        MNP_TRY(mnp__indices_check_range(function, indices, x->layout->size, -1, MNP_RAISE));
        return take(function, x, indices, x->layout->ndim == 1 ? 0 : axis, MNP_RAISE, out_p);
    }
    MNP_TRY(mnp__view_axis(function, ndim, axis, &axis));
    MNP_TRY(mnp__indices_check_range(function, indices, x->layout->shape[axis], axis, MNP_RAISE));
    if (has_whole_lines(x, indices, axis))
        return take_lines(function, x, indices, axis, out_p);
    if (ndim == 1)
        return take(function, x, indices, 0, MNP_RAISE, out_p);
    MNP_TRY(mnp__numbers_along(function, x, indices, axis, &numbers));
    mnp_status st = take(function, x, numbers, MNP_FLATTENED, MNP_RAISE, out_p);
    mnp_array_free(numbers);
    return st;
}
