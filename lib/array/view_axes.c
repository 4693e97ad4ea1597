/* SPDX-License-Identifier: BSD-3-Clause */
/* Views with other dimensions: transposed, dropped, added, broadcast or reversed; and the parts of complex elements. */
#include <inttypes.h>
#include <string.h>

#include "array/view.h"
#include "base/dtype.h"
#include "base/text.h"
#include "layout/layout.h"

static int ndim_of(const mnp_array *x)
{
    return x->layout->ndim;
}

/* Resolve axes, which must be distinct, and mark them. */
static mnp_status mark_axes(const char *function, int ndim, int naxes, const int *axes, bool *marked)
{
    memset(marked, 0, MNP_MAX_DIMS * sizeof *marked);
    for (int i = 0; i < naxes; i++) {
        int axis;
        MNP_TRY(mnp__view_axis(function, ndim, axes[i], &axis));
        if (marked[axis])
            return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is given twice", function, axes[i]);
        marked[axis] = true;
    }
    return MNP_OK;
}

static mnp_status permute(const mnp_array *x, const int *from, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < ndim_of(x); d++)
        dims[d] = mnp__view_whole(x, from[d]);
    return mnp__view_make(x, ndim_of(x), dims, NULL, view_p);
}

mnp_status mnp_transpose(const mnp_array *x, const int *axes, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    mnp_array *view = NULL;
    int from[MNP_MAX_DIMS];
    bool marked[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check_blocks("mnp_transpose", x));
    if (axes)
        MNP_TRY(mark_axes("mnp_transpose", ndim_of(x), ndim_of(x), axes, marked));
    for (int d = 0; d < ndim_of(x); d++)
        from[d] = !axes ? ndim_of(x) - 1 - d : axes[d] < 0 ? axes[d] + ndim_of(x) : axes[d];
    return mnp__view_give(permute(x, from, &view), &view, view_p);
}

mnp_status mnp_swapaxes(const mnp_array *x, int axis1, int axis2, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    mnp_array *view = NULL;
    int from[MNP_MAX_DIMS], a, b;
    MNP_TRY(mnp__array_check_blocks("mnp_swapaxes", x));
    MNP_TRY(mnp__view_axis("mnp_swapaxes", ndim_of(x), axis1, &a));
    MNP_TRY(mnp__view_axis("mnp_swapaxes", ndim_of(x), axis2, &b));
    for (int d = 0; d < ndim_of(x); d++)
        from[d] = d == a ? b : d == b ? a : d;
    return mnp__view_give(permute(x, from, &view), &view, view_p);
}

mnp_status mnp_moveaxes(const mnp_array *x, int count, const int *sources, const int *destinations, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_NEED_IF(count > 0, sources);
    MNP_NEED_IF(count > 0, destinations);
    mnp_array *view = NULL;
    int from[MNP_MAX_DIMS], ndim = ndim_of(x), next = 0;
    bool moved[MNP_MAX_DIMS], taken[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check_blocks("mnp_moveaxes", x));
    MNP_TRY(mark_axes("mnp_moveaxes", ndim, count, sources, moved));
    MNP_TRY(mark_axes("mnp_moveaxes", ndim, count, destinations, taken));
    for (int i = 0; i < count; i++) {
        int to = destinations[i] < 0 ? destinations[i] + ndim : destinations[i];
        from[to] = sources[i] < 0 ? sources[i] + ndim : sources[i];
    }
    for (int d = 0; d < ndim; d++) { /* the others keep their order */
        if (taken[d])
            continue;
        while (moved[next])
            next++;
        from[d] = next++;
    }
    return mnp__view_give(permute(x, from, &view), &view, view_p);
}

mnp_status mnp_moveaxis(const mnp_array *x, int source, int destination, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    return mnp_moveaxes(x, 1, &source, &destination, view_p);
}

mnp_status mnp_squeeze(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    mnp_array *view = NULL;
    mnp__view_dim dims[MNP_MAX_DIMS];
    const int64_t at[MNP_MAX_DIMS] = {0};
    bool dropped[MNP_MAX_DIMS];
    int ndim = 0;
    MNP_TRY(mnp__array_check_blocks("mnp_squeeze", x));
    MNP_TRY(mark_axes("mnp_squeeze", ndim_of(x), axes ? naxes : 0, axes, dropped));
    for (int d = 0; d < ndim_of(x); d++) {
        int64_t extent = x->layout->shape[d];
        if (axes && dropped[d] && extent != 1)
            return MNP_FAIL(MNP_ERR_ARG,
                            "mnp_squeeze: axis %d has extent %" PRId64 ", and only those of extent 1 can "
                            "be dropped",
                            d, extent);
        if (!(axes ? dropped[d] : extent == 1))
            dims[ndim++] = mnp__view_whole(x, d);
    }
    return mnp__view_give(mnp__view_make(x, ndim, dims, at, &view), &view, view_p);
}

/* A view with new dimensions of extent 1 at the positions of the view that `added` marks. */
static mnp_status expand(const mnp_array *x, int ndim, const bool *added, mnp_array **view_p)
{
    mnp_array *view = NULL;
    mnp__view_dim dims[MNP_MAX_DIMS];
    int next = 0;
    for (int d = 0; d < ndim; d++)
        dims[d] = added[d] ? (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1} : mnp__view_whole(x, next++);
    return mnp__view_give(mnp__view_make(x, ndim, dims, NULL, &view), &view, view_p);
}

mnp_status mnp_expand_dims(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_NEED_IF(naxes > 0, axes);
    bool added[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check_blocks("mnp_expand_dims", x));
    if (naxes < 0 || ndim_of(x) + naxes > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_expand_dims: %d new axes for an array of %d dimensions, and an array has at "
                        "most %d",
                        naxes, ndim_of(x), MNP_MAX_DIMS);
    MNP_TRY(mark_axes("mnp_expand_dims", ndim_of(x) + naxes, naxes, axes, added));
    return expand(x, ndim_of(x) + naxes, added, view_p);
}

mnp_status mnp_atleast_1d(const mnp_array *x, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    static const bool added[] = {true};
    MNP_TRY(mnp__array_check_blocks("mnp_atleast_1d", x));
    return ndim_of(x) >= 1 ? mnp_slice(x, 0, NULL, view_p) : expand(x, 1, added, view_p);
}

mnp_status mnp_atleast_2d(const mnp_array *x, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    static const bool added[][2] = {{true, true}, {true, false}};
    MNP_TRY(mnp__array_check_blocks("mnp_atleast_2d", x));
    return ndim_of(x) >= 2 ? mnp_slice(x, 0, NULL, view_p) : expand(x, 2, added[ndim_of(x)], view_p);
}

mnp_status mnp_atleast_3d(const mnp_array *x, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    static const bool added[][3] = {{true, true, true}, {true, false, true}, {false, false, true}};
    MNP_TRY(mnp__array_check_blocks("mnp_atleast_3d", x));
    return ndim_of(x) >= 3 ? mnp_slice(x, 0, NULL, view_p) : expand(x, 3, added[ndim_of(x)], view_p);
}

static mnp_status cannot_broadcast(const mnp_array *x, int ndim, const int64_t *shape)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add(&text, "mnp_broadcast_to: an array of shape ");
    mnp__text_add_shape(&text, ndim_of(x), x->layout->shape);
    mnp__text_add(&text, " does not broadcast to ");
    mnp__text_add_shape(&text, ndim, shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

mnp_status mnp_broadcast_to(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp_array *view = NULL;
    mnp__view_dim dims[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check_blocks("mnp_broadcast_to", x));
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    int more = ndim - ndim_of(x);
    if (more < 0)
        return cannot_broadcast(x, ndim, shape);
    for (int d = 0; d < ndim; d++) {
        if (d < more) {
            dims[d] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = shape[d]};
        } else if (x->layout->shape[d - more] == shape[d]) {
            dims[d] = mnp__view_whole(x, d - more);
        } else if (x->layout->shape[d - more] == 1) {
            dims[d] = (mnp__view_dim){.from = d - more, .start = 0, .step = 0, .extent = shape[d]};
        } else {
            return cannot_broadcast(x, ndim, shape);
        }
    }
    return mnp__view_give(mnp__view_make(x, ndim, dims, NULL, &view), &view, view_p);
}

mnp_status mnp_flip(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    mnp_array *view = NULL;
    mnp__view_dim dims[MNP_MAX_DIMS];
    bool turned[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check_blocks("mnp_flip", x));
    MNP_TRY(mark_axes("mnp_flip", ndim_of(x), axes ? naxes : 0, axes, turned));
    for (int d = 0; d < ndim_of(x); d++)
        dims[d] = !axes || turned[d] ? mnp__view_backwards(x, d) : mnp__view_whole(x, d);
    return mnp__view_give(mnp__view_make(x, ndim_of(x), dims, NULL, &view), &view, view_p);
}

mnp_status mnp_rot90(const mnp_array *x, int k, int axis1, int axis2, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    mnp_array *view = NULL;
    mnp__view_dim dims[MNP_MAX_DIMS];
    int a, b, quarters = (k % 4 + 4) % 4;
    MNP_TRY(mnp__array_check_blocks("mnp_rot90", x));
    MNP_TRY(mnp__view_axis("mnp_rot90", ndim_of(x), axis1, &a));
    MNP_TRY(mnp__view_axis("mnp_rot90", ndim_of(x), axis2, &b));
    if (a == b)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_rot90: axes %d and %d are the same", axis1, axis2);
    for (int d = 0; d < ndim_of(x); d++)
        dims[d] = mnp__view_whole(x, d);
    if (quarters == 1 || quarters == 2)
        dims[b] = mnp__view_backwards(x, b);
    if (quarters == 2 || quarters == 3)
        dims[a] = mnp__view_backwards(x, a);
    if (quarters % 2 == 1) {
        mnp__view_dim first = dims[a];
        dims[a] = dims[b];
        dims[b] = first;
    }
    return mnp__view_give(mnp__view_make(x, ndim_of(x), dims, NULL, &view), &view, view_p);
}

/* A view of the real (part 0) or imaginary (part 1) parts of complex elements. */
static mnp_status part_of_complex(const mnp_array *x, int part, mnp_array **view_p)
{
    mnp_array *view = NULL;
    mnp_dtype dtype = mnp__dtype_real(x->dtype);
    int64_t strides[MNP_MAX_DIMS];
    for (int d = 0; d < ndim_of(x); d++)
        strides[d] = 2 * x->local_strides[d];
    char *data = x->data;
    if (data)
        data += (size_t)part * mnp_dtype_size(dtype);
    return mnp__view_give(mnp__array_view(x, dtype, x->layout, data, strides, &view), &view, view_p);
}

mnp_status mnp_real(const mnp_array *x, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_TRY(mnp__array_check_blocks("mnp_real", x));
    return mnp_dtype_kind(x->dtype) == 'c' ? part_of_complex(x, 0, view_p) : mnp_slice(x, 0, NULL, view_p);
}

mnp_status mnp_imag(const mnp_array *x, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    mnp_array *zeros = NULL;
    MNP_TRY(mnp__array_check_blocks("mnp_imag", x));
    if (mnp_dtype_kind(x->dtype) == 'c')
        return part_of_complex(x, 1, view_p);
    MNP_TRY(mnp_array_new(x->ctx, x->dtype, x->layout, &zeros));
    mnp__device *device = x->ctx->device;
    mnp_status st = device->ops->fill(device, zeros->data, 0, zeros->buffer->size, x->ctx->compute);
    return mnp__view_give(st, &zeros, view_p);
}
