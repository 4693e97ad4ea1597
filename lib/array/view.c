/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a view: which ranks own its elements, and where they are in memory.
 *
 * Elements stay where they are.  A cut dimension of the array is cut at the corresponding indices of the view.  If the
 * view reverses it, the parts belong to the ranks in the opposite order.  If the view takes one index of it, only the
 * ranks that own this index own anything of the view.
 */
#include "array/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "layout/layout.h"

mnp_status mnp__view_give(mnp_status status, mnp_array *const *view, mnp_array **view_p)
{
    mnp_array *released = *view;
    if (status == MNP_OK) {
        released = *view_p;
        *view_p = *view;
    }
    mnp_array_free(released);
    return status;
}

mnp__view_dim mnp__view_whole(const mnp_array *x, int d)
{
    return (mnp__view_dim){.from = d, .start = 0, .step = 1, .extent = x->layout->shape[d]};
}

mnp__view_dim mnp__view_backwards(const mnp_array *x, int d)
{
    int64_t extent = x->layout->shape[d];
    return (mnp__view_dim){.from = d, .start = extent - 1, .step = -1, .extent = extent};
}

mnp_status mnp__view_axis(const char *function, int ndim, int given, int *axis_p)
{
    int axis = given < 0 ? given + ndim : given;
    if (axis < 0 || axis >= ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is out of bounds for %d dimension%s", function, given, ndim,
                        ndim == 1 ? "" : "s");
    *axis_p = axis;
    return MNP_OK;
}

/* The number of indices of the view, whose step is positive, that come from indices of the array below `cut`. */
static int64_t count_before(const mnp__view_dim *dim, int64_t cut)
{
    if (dim->extent == 0 || dim->start >= cut)
        return 0;
    if (dim->step == 0)
        return dim->extent;
    int64_t count = (cut - dim->start - 1) / dim->step + 1;
    return mnp__min(count, dim->extent);
}

/* The number of indices of the view, whose step is negative, that come from index `cut` or above. */
static int64_t count_from(const mnp__view_dim *dim, int64_t cut)
{
    if (dim->extent == 0 || dim->start < cut)
        return 0;
    int64_t count = (dim->start - cut) / -dim->step + 1;
    return mnp__min(count, dim->extent);
}

/* Find how a dimension of the view is cut; *cuts_p is malloc'ed if it is. */
static mnp_status cut_dim(const mnp_layout *layout, const mnp__view_dim *dim, int64_t **cuts_p, mnp__layout_dim *cut)
{
    *cut = mnp__layout_dim_whole(dim->extent);
    if (dim->from == MNP__NEW_DIM || layout->axes[dim->from] == MNP_NO_AXIS)
        return MNP_OK;
    int parts = mnp_layout_parts(layout, dim->from);
    const int64_t *cuts = layout->cuts[dim->from];
    MNP_TRY(mnp__malloc(((size_t)parts + 1) * sizeof **cuts_p, cuts_p));
    for (int i = 0; i <= parts; i++)
        (*cuts_p)[i] = dim->step < 0 ? count_from(dim, cuts[parts - i]) : count_before(dim, cuts[i]);
    (*cuts_p)[0] = 0;
    (*cuts_p)[parts] = dim->extent;
    cut->axis = layout->axes[dim->from];
    cut->cuts = *cuts_p;
    cut->reversed = layout->reversed[dim->from] != (dim->step < 0);
    return MNP_OK;
}

/* Mark the dimensions of `x` that are also dimensions of the view. */
static void find_kept(int ndim, const mnp__view_dim *dims, bool *kept)
{
    memset(kept, 0, MNP_MAX_DIMS * sizeof *kept);
    for (int d = 0; d < ndim; d++) {
        if (dims[d].from != MNP__NEW_DIM)
            kept[dims[d].from] = true;
    }
}

static mnp_status derive_layout(const mnp_layout *layout, int ndim, const mnp__view_dim *dims, const int64_t *at,
                                mnp_layout **derived_p)
{
    mnp__layout_dim cut[MNP_MAX_DIMS] = {{0}};
    int64_t *cuts[MNP_MAX_DIMS] = {NULL};
    int pin[MNP_MAX_DIMS], from[MNP_MAX_DIMS];
    bool kept[MNP_MAX_DIMS];
    mnp_status st = MNP_OK;
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "the view has %d dimensions, and an array has at most %d", ndim, MNP_MAX_DIMS);
    memcpy(pin, layout->pin, sizeof pin);
    find_kept(ndim, dims, kept);
    for (int d = 0; d < layout->ndim; d++) {
        if (!kept[d] && layout->axes[d] != MNP_NO_AXIS)
            pin[layout->axes[d]] = mnp__layout_place(layout, d, mnp__layout_find(layout, d, at[d]));
    }
    for (int d = 0; d < ndim; d++)
        MNP_TRY_OR(cut_dim(layout, &dims[d], &cuts[d], &cut[d]), st, done);
    MNP_TRY_OR(mnp__layout_derive_pinned(layout, pin, ndim, cut, derived_p), st, done);
    for (int d = 0; d < ndim; d++)
        from[d] = dims[d].from;
    mnp__layout_keep_order(*derived_p, layout, from);
done:
    for (int d = 0; d < ndim; d++)
        free(cuts[d]);
    return st;
}

/*
 * Whether blocks that are dense in an order remain so in the view.  The dimensions of extent above 1 must keep their
 * order, and all dimensions slower than one that is seen in part must have extent 1.
 */
static bool stays_dense(const mnp_array *x, int ndim, const mnp__view_dim *dims, bool c_order)
{
    const mnp_layout *layout = x->layout;
    bool kept[MNP_MAX_DIMS];
    int part = -1, last = -1; /* dimensions of x, counted from the slowest */
    find_kept(ndim, dims, kept);
    for (int d = 0; d < layout->ndim; d++) {
        int place = c_order ? d : layout->ndim - 1 - d;
        if (!kept[d] && layout->shape[d] > 1 && place > part)
            part = place;
    }
    for (int d = 0; d < ndim; d++) {
        int place = c_order ? dims[d].from : layout->ndim - 1 - dims[d].from;
        if (dims[d].from != MNP__NEW_DIM && dims[d].extent != layout->shape[dims[d].from] && place > part)
            part = place;
    }
    for (int i = 0; i < ndim; i++) {
        const mnp__view_dim *dim = &dims[c_order ? i : ndim - 1 - i];
        int place = c_order ? dim->from : layout->ndim - 1 - dim->from;
        if (dim->extent <= 1)
            continue;
        if (dim->from == MNP__NEW_DIM || dim->step != 1 || place < part || place < last)
            return false;
        last = place;
    }
    return true;
}

/* Whether a view is all of `x` with its dimensions reversed. */
static bool is_transposed(const mnp_array *x, int ndim, const mnp__view_dim *dims)
{
    for (int d = 0; d < ndim; d++) {
        if (dims[d].from != ndim - 1 - d || dims[d].step != 1 || dims[d].extent != x->layout->shape[dims[d].from])
            return false;
    }
    return ndim == x->layout->ndim;
}

/* Set the strides; returns the offset of this rank's first element in its block of `x`, if it owns any. */
static int64_t place_in_memory(const mnp_array *x, const mnp_layout *layout, const mnp__view_dim *dims,
                               const int64_t *at, int64_t *strides)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], offset = 0;
    bool kept[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++)
        strides[d] = dims[d].from == MNP__NEW_DIM ? 0 : dims[d].step * x->local_strides[dims[d].from];
    if (!mnp__layout_box(layout, x->ctx->comm.rank, lo, extent))
        return 0;
    find_kept(layout->ndim, dims, kept);
    for (int d = 0; d < x->layout->ndim; d++) {
        if (!kept[d])
            offset += (at[d] - x->local_lo[d]) * x->local_strides[d];
    }
    for (int d = 0; d < layout->ndim; d++) {
        int from = dims[d].from;
        if (from != MNP__NEW_DIM)
            offset += (dims[d].start + lo[d] * dims[d].step - x->local_lo[from]) * x->local_strides[from];
    }
    return offset;
}

/* New dimensions are the slowest, as one of extent 1 is; the others lie as those of `x` do. */
static void keep_stored(const mnp_array *x, int ndim, const mnp__view_dim *dims, int *stored)
{
    int next = 0;
    for (int d = 0; d < ndim; d++) {
        if (dims[d].from == MNP__NEW_DIM)
            stored[next++] = d;
    }
    for (int i = 0; i < x->layout->ndim; i++) {
        for (int d = 0; d < ndim; d++) {
            if (dims[d].from == x->stored[i])
                stored[next++] = d;
        }
    }
}

mnp_status mnp__view_make(const mnp_array *x, int ndim, const mnp__view_dim *dims, const int64_t *at,
                          mnp_array **view_p)
{
    int64_t strides[MNP_MAX_DIMS];
    mnp_layout *layout;
    mnp_array *view;
    MNP_TRY(mnp__array_check_blocks("a view", x)); /* the message of functions without a check of their own */
    MNP_TRY(derive_layout(x->layout, ndim, dims, at, &layout));
    int64_t offset = place_in_memory(x, layout, dims, at, strides);
    char *data = x->data; /* NULL if the block is empty; the view's block is empty then too */
    if (data)
        data += offset * (int64_t)mnp_dtype_size(x->dtype);
    mnp_status st = mnp__array_view(x, x->dtype, layout, data, strides, &view);
    mnp_layout_free(layout);
    MNP_TRY(st);
    keep_stored(x, ndim, dims, view->stored);
    for (int d = 0; d < ndim; d++) {
        const int from = dims[d].from;
        const bool repeats = dims[d].extent > 1 && (from == MNP__NEW_DIM || dims[d].step == 0);
        view->read_only |= repeats;
        if (repeats || (from != MNP__NEW_DIM && x->repeated >> from & 1))
            view->repeated |= 1u << d;
    }
    if ((x->dense & MNP__DENSE_C) && stays_dense(x, ndim, dims, true))
        view->dense |= MNP__DENSE_C;
    if ((x->dense & MNP__DENSE_F) && stays_dense(x, ndim, dims, false))
        view->dense |= MNP__DENSE_F;
    if (ndim <= 1 && view->dense)
        view->dense = MNP__DENSE_C | MNP__DENSE_F;
    if (is_transposed(x, ndim, dims))
        view->dense |= (x->dense & MNP__DENSE_C ? MNP__DENSE_F : 0) | (x->dense & MNP__DENSE_F ? MNP__DENSE_C : 0) |
                       (x->dense & MNP__DENSE_WHOLE);
    *view_p = view;
    return MNP_OK;
}
