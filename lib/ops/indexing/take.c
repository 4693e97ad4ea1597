/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.take and take_along_axis: layouts of the indices and of the result, which mnp__gather() fills.
 */
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/join.h>
#include <maniple/select.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/owners.h"

/* What is asked for. */
typedef struct request {
    const char *function;
    const mnp_array *indices;
    mnp_index_mode mode;
    int *outside; /* NULL, or the word that becomes 1 if an index is out of range, which is checked while it is used */
} request;

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

/*
 * The layout of a result of any elements: that of the given output, unless it is block-cyclic, or of the indices; if
 * that has replicas, another one.
 */
static mnp_status layout_flat(const mnp_layout *indices, const mnp_array *given, mnp_layout **result_p)
{
    const bool same = given && mnp__layout_same_shape(given->layout, indices) && !mnp_layout_is_cyclic(given->layout);
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
static mnp_status gather(const request *r, const mnp_array *x, int axis, const mnp_layout *natural, mnp_array *result)
{
    const mnp_array *indices = r->indices;
    const int first = axis == MNP_FLATTENED ? 0 : axis;
    mnp__input here;
    mnp_layout *layout;
    const bool narrow = indices->dtype == MNP_INT32 && mnp__gathers_here(x, axis);
    MNP_TRY(layout_of_indices(natural, first, indices->layout->ndim, &layout));
    mnp_status st = mnp__input_open(indices, layout, narrow ? MNP_INT32 : MNP_INT64, MNP__INPUT_DENSE, &here);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = mnp__gather(x, here.array, axis, (int)r->mode, r->outside, result);
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
static mnp_status open_output(const request *r, const mnp_array *x, const mnp_layout *layout, mnp_array **out_p,
                              mnp__output *output)
{
    const mnp__output_spec spec = {.function = r->function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 2,
                                   .inputs = (const mnp_array *const[]){x, r->indices}};
    return mnp__output_open(&spec, out_p, output);
}

static mnp_status take(const request *r, const mnp_array *x, int axis, mnp_array **out_p);

static mnp_status take_from_whole(const request *r, const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp__input whole;
    MNP_TRY(open_whole(x, axis, &whole));
    mnp_status st = take(r, whole.array, axis, out_p);
    mnp__input_close(&whole);
    return st;
}

/* The dimensions from the one that lies slowest in memory to the fastest; false if this is the order that they have. */
static bool order_as_it_lies(const mnp_array *x, int *order)
{
    bool other = false;
    for (int d = 0; d < x->layout->ndim; d++)
        order[d] = d;
    mnp__order_by_strides(x, order, x->layout->ndim);
    for (int d = 0; d < x->layout->ndim; d++)
        other = other || order[d] != d;
    return other;
}

/*
 * Whether neighbouring elements of the result are so small, and so far apart in x, that each would cost a sector of
 * memory: then x is taken from as it lies, and the result is transposed.
 */
static bool lies_across(const mnp_array *x, const mnp_array *indices, int axis)
{
    const int64_t many = 1 << 20, sector = 8; /* elements */
    int64_t inner = 1, all = 1;
    int order[MNP_MAX_DIMS];
    bool across = false;
    if (x->ctx->device->block_memory == 0 || x->ctx->comm.size > 1 || axis == MNP_FLATTENED ||
        mnp_dtype_size(x->dtype) > 4 || !order_as_it_lies(x, order))
        return false;
    for (int d = x->layout->ndim - 1; d >= 0; d--) {
        const int64_t extent = d == axis ? indices->layout->size : x->local_shape[d], stride = x->local_strides[d];
        across = across || ((stride == 1 || stride == -1) && x->local_shape[d] > 1 && inner >= sector);
        inner *= extent;
        all *= extent;
    }
    return across && all >= many;
}

/* Take from x with its dimensions as they lie in memory; *turned_p receives a view with those of the result. */
static mnp_status take_as_it_lies(const request *r, const mnp_array *x, int axis, mnp_array **turned_p)
{
    const int ndim = x->layout->ndim, more = r->indices->layout->ndim;
    int order[MNP_MAX_DIMS], back[MNP_MAX_DIMS], place[MNP_MAX_DIMS], k = 0;
    mnp_array *view = NULL, *taken = NULL;
    mnp_status st;
    (void)order_as_it_lies(x, order);
    for (int i = 0; i < ndim; i++)
        place[order[i]] = i;
    for (int d = 0; d < ndim; d++) {
        if (d != axis)
            back[k++] = place[d] < place[axis] ? place[d] : place[d] + more - 1;
        for (int i = 0; d == axis && i < more; i++)
            back[k++] = place[axis] + i;
    }
    MNP_TRY_OR(mnp_transpose(x, order, &view), st, done);
    MNP_TRY_OR(take(r, view, place[axis], &taken), st, done);
    st = mnp_transpose(taken, back, turned_p);
done:
    mnp_free_all(view, taken);
    return st;
}

/* The indices are inside if the mode is MNP_RAISE, or are checked while they are used. */
static mnp_status take(const request *r, const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp__output output;
    mnp_layout *layout;
    mnp_array *turned = NULL;
    if (wants_whole(x, r->indices, axis))
        return take_from_whole(r, x, axis, out_p);
    if (lies_across(x, r->indices, axis))
        MNP_TRY(take_as_it_lies(r, x, axis, &turned));
    mnp_status st = axis == MNP_FLATTENED ? layout_flat(r->indices->layout, *out_p, &layout)
                                          : layout_along(x->layout, r->indices->layout, axis, &layout);
    if (st == MNP_OK) {
        st = open_output(r, x, layout, out_p, &output);
        if (st == MNP_OK && turned)
            st = mnp_copyto(output.array, turned, MNP_CASTING_NO);
        else if (st == MNP_OK && layout->size > 0)
            st = gather(r, x, axis, layout, output.array);
        mnp_layout_free(layout);
        st = mnp__output_close(1, &output, st);
    }
    mnp_array_free(turned);
    return st;
}

/* ---- take_along_axis ---- */

/* Take from every rank's own lines, where x is not cut along the axis. */
static mnp_status gather_along(const request *r, const mnp_array *x, int axis, mnp_array *result)
{
    const mnp_array *indices = r->indices;
    mnp__input here;
    const bool narrow = indices->dtype == MNP_INT32;
    mnp_indexed_params moved = {.src = x->data,
                                .dst = result->data,
                                .narrow = narrow,
                                .outside = r->outside,
                                .jump = x->local_strides[axis],
                                .count = x->layout->shape[axis]};
    MNP_TRY(mnp__input_open(indices, result->layout, narrow ? MNP_INT32 : MNP_INT64, 0, &here));
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

static mnp_status take_lines(const request *r, const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp__output output;
    mnp_layout *layout;
    MNP_TRY(layout_of_lines(x, r->indices, axis, &layout));
    mnp_status st = open_output(r, x, layout, out_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = gather_along(r, x, axis, output.array);
    return mnp__output_close(1, &output, st);
}

static mnp_status take_along(const request *r, const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp_array *numbers;
    if (has_whole_lines(x, r->indices, axis))
        return take_lines(r, x, axis, out_p);
    if (x->layout->ndim == 1)
        return take(r, x, 0, out_p);
    MNP_TRY(mnp__numbers_along(r->function, x, r->indices, axis, &numbers));
    const request flat = {.function = r->function, .indices = numbers, .mode = r->mode};
    mnp_status st = take(&flat, x, MNP_FLATTENED, out_p);
    mnp_array_free(numbers);
    return st;
}

/* ---- the functions ---- */

/* take() or take_along(). */
typedef mnp_status taker(const request *r, const mnp_array *x, int axis, mnp_array **out_p);

/*
 * Check the indices and take.  A GPU alone, with a new result, takes while the check is under way, if that is one
 * launch: indices that are out of range are not followed, and nobody gets the result.  Many indices, which would take
 * long to read twice, are checked by that launch.
 */
static mnp_status check_and_take(mnp__range_check *check, taker *run, const mnp_array *x, int axis, mnp_index_mode mode,
                                 mnp_array **out_p)
{
    const int64_t many = 1 << 22;
    const bool single = run == take ? mnp__gathers_here(x, axis) : has_whole_lines(x, check->indices, axis);
    const bool ahead = single && x->ctx->device->block_memory > 0 && x->ctx->comm.size == 1 && !*out_p;
    request r = {.function = check->function, .indices = check->indices, .mode = mode};
    check->by_move = ahead && check->indices->layout->size >= many && x->layout->size > 0;
    MNP_TRY(mnp__range_check_begin(check, mode));
    if (!ahead) {
        MNP_TRY(mnp__range_check_end(check));
        return run(&r, x, axis, out_p);
    }
    if (check->by_move)
        r.outside = check->outside;
    mnp_array *out = NULL;
    const mnp_status taken = run(&r, x, axis, &out);
    const mnp_status st = mnp__range_check_end(check);
    if (taken != MNP_OK || st != MNP_OK) {
        mnp_array_free(out);
        return st != MNP_OK ? st : taken;
    }
    *out_p = out;
    return MNP_OK;
}

mnp_status mnp_take(const mnp_array *x, const mnp_array *indices, int axis, mnp_index_mode mode, mnp_array **out_p)
{
    MNP_ENTER(x, indices, out_p);
    mnp__range_check check = {.function = "mnp_take", .indices = indices, .axis = -1};
    MNP_TRY(mnp__indices_check(check.function, x, indices, mode));
    if (axis == MNP_FLATTENED) {
        check.n = x->layout->size;
        return check_and_take(&check, take, x, x->layout->ndim == 1 ? 0 : axis, mode, out_p);
    }
    MNP_TRY(mnp__view_axis(check.function, x->layout->ndim, axis, &axis));
    const int ndim = x->layout->ndim - 1 + indices->layout->ndim;
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result would have %d dimensions, more than %d", check.function, ndim,
                        MNP_MAX_DIMS);
    check.n = x->layout->shape[axis];
    check.axis = axis;
    return check_and_take(&check, take, x, axis, mode, out_p);
}

mnp_status mnp_take_along_axis(const mnp_array *x, const mnp_array *indices, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, indices, out_p);
    mnp__range_check check = {.function = "mnp_take_along_axis", .indices = indices, .axis = -1};
    MNP_TRY(mnp__indices_check(check.function, x, indices, MNP_RAISE));
    const int ndim = axis == MNP_FLATTENED ? 1 : x->layout->ndim;
    if (indices->layout->ndim != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the indices have %d dimensions, and must have %d", check.function,
                        indices->layout->ndim, ndim);
    if (axis == MNP_FLATTENED) {
        check.n = x->layout->size;
        return check_and_take(&check, take, x, x->layout->ndim == 1 ? 0 : axis, MNP_RAISE, out_p);
    }
    MNP_TRY(mnp__view_axis(check.function, ndim, axis, &axis));
    check.n = x->layout->shape[axis];
    check.axis = axis;
    return check_and_take(&check, take_along, x, axis, MNP_RAISE, out_p);
}
