/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All windows of an array, as a view in which neighbouring windows share elements.
 *
 * A window belongs to the rank that owns its first element.  Along an axis that is not cut, that rank has the whole
 * window.  Where a windowed axis is cut, the array is copied once to one with a margin above every block, a halo fills
 * the margins, and the view is one of that copy: it takes the memory of the array and its margins, and not that of all
 * windows.
 */
#include <maniple/halo.h>
#include <maniple/view.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/view.h"
#include "base/integer.h"
#include "layout/layout.h"

/* What is windowed: the axes of the windows, and by how much the array's axes become shorter. */
typedef struct windows {
    int count, axes[MNP_MAX_DIMS];
    const int64_t *extents;
    int64_t less[MNP_MAX_DIMS];
} windows;

static mnp_status read_windows(const mnp_array *x, int count, const int64_t *window, const int *axes, windows *w)
{
    const int ndim = x->layout->ndim;
    *w = (windows){.count = count, .extents = window};
    if (count < 0 || ndim + count > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_sliding_window_view: %d axes of windows for an array of %d dimensions, and an array has "
                        "at most %d",
                        count, ndim, MNP_MAX_DIMS);
    if (!axes && count != ndim)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_sliding_window_view: windows of %d for an array of %d dimensions, without axes", count,
                        ndim);
    for (int i = 0; i < count; i++) {
        w->axes[i] = i;
        if (axes)
            MNP_TRY(mnp__view_axis("mnp_sliding_window_view", ndim, axes[i], &w->axes[i]));
        const int d = w->axes[i];
        const int64_t room = x->layout->shape[d] - w->less[d];
        if (window[i] < 1 || window[i] > room)
            return MNP_FAIL(MNP_ERR_ARG,
                            "mnp_sliding_window_view: window[%d] is %" PRId64 ", outside 1..%" PRId64
                            ", the extent of axis %d",
                            i, window[i], room, d);
        w->less[d] += window[i] - 1;
    }
    return MNP_OK;
}

/* Dimension d of the layout of windows: cut where the array is, as far as windows begin there. */
static mnp_status shorten_dim(const mnp_layout *layout, int d, int64_t less, mnp__layout_dim *dim, int64_t **cuts_p)
{
    const int parts = mnp_layout_parts(layout, d);
    *dim = mnp__layout_dim_of(layout, d);
    dim->extent -= less;
    if (less == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc(((size_t)parts + 1) * sizeof **cuts_p, cuts_p));
    for (int p = 0; p <= parts; p++)
        (*cuts_p)[p] = mnp__min(layout->cuts[d][p], dim->extent);
    dim->cuts = *cuts_p;
    return MNP_OK;
}

static mnp_status layout_of_windows(const mnp_layout *layout, const windows *w, mnp_layout **derived_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int64_t *cuts[MNP_MAX_DIMS] = {NULL};
    int from[MNP_MAX_DIMS];
    const int ndim = layout->ndim + w->count;
    mnp_status st = MNP_OK;
    for (int d = 0; d < layout->ndim; d++) {
        from[d] = d;
        MNP_TRY_OR(shorten_dim(layout, d, w->less[d], &dims[d], &cuts[d]), st, done);
    }
    for (int i = 0; i < w->count; i++) {
        from[layout->ndim + i] = MNP__NEW_DIM;
        dims[layout->ndim + i] = mnp__layout_dim_whole(w->extents[i]);
    }
    MNP_TRY_OR(mnp__layout_derive(layout, ndim, dims, derived_p), st, done);
    mnp__layout_keep_order(*derived_p, layout, from);
done:
    for (int d = 0; d < layout->ndim; d++)
        free(cuts[d]);
    return st;
}

/* The view of an array whose blocks have whole windows, within them or in their margins. */
static mnp_status view_windows(const mnp_array *x, const windows *w, mnp_array **view_p)
{
    int64_t strides[MNP_MAX_DIMS];
    mnp_layout *layout;
    MNP_TRY(layout_of_windows(x->layout, w, &layout));
    memcpy(strides, x->local_strides, (size_t)x->layout->ndim * sizeof *strides);
    for (int i = 0; i < w->count; i++)
        strides[x->layout->ndim + i] = x->local_strides[w->axes[i]];
    mnp_status st = mnp__array_view(x, x->dtype, layout, x->data, strides, view_p);
    if (st == MNP_OK)
        (*view_p)->read_only = true;
    mnp_layout_free(layout);
    return st;
}

/* A copy of x with as many elements of the next ranks' blocks above each block as its windows reach into them. */
static mnp_status copy_with_margins(const mnp_array *x, const windows *w, mnp_array **copy_p)
{
    int64_t after[MNP_MAX_DIMS];
    mnp_halo *halo = NULL;
    mnp_status st;
    for (int d = 0; d < x->layout->ndim; d++)
        after[d] = mnp_layout_parts(x->layout, d) > 1 ? w->less[d] : 0;
    MNP_TRY(mnp_array_new_margins(x->ctx, x->dtype, x->layout, NULL, after, copy_p));
    MNP_TRY_OR(mnp_copy(x, copy_p), st, done);
    MNP_TRY_OR(mnp_halo_new(x->ctx, 1, copy_p, &(mnp_halo_options){.keep_outside = true}, &halo), st, done);
    st = mnp_halo_exchange(halo);
done:
    mnp_halo_free(halo);
    return st;
}

mnp_status mnp_sliding_window_view(const mnp_array *x, int count, const int64_t *window, const int *axes,
                                   mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_NEED_IF(count > 0, window);
    mnp_array *copy = NULL, *view = NULL;
    windows w;
    bool reaches_out = false;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__array_check_blocks("mnp_sliding_window_view", x));
    MNP_TRY(read_windows(x, count, window, axes, &w));
    for (int d = 0; d < x->layout->ndim; d++)
        reaches_out = reaches_out || (w.less[d] > 0 && mnp_layout_parts(x->layout, d) > 1);
    if (reaches_out)
        MNP_TRY_OR(copy_with_margins(x, &w, &copy), st, done);
    st = view_windows(copy ? copy : x, &w, &view);
done:
    mnp_array_free(copy);
    return mnp__view_give(st, &view, view_p);
}
