/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window is an array with margins (margins.c), in a layout that cuts the hull where the computation is cut; the last
 * parts reach to the hull's end.  The margin above a part has room for the largest offset.
 */
#include "array/move/window.h"

#include <stdlib.h>

#include <maniple/halo.h>

#include "array/move/plan.h"
#include "base/integer.h"
#include "layout/layout.h"

mnp_status mnp__window_pays(const mnp_array *x, const int64_t *span, const mnp_layout *layout, int copies, bool *pays_p)
{
    mnp_layout *needed;
    double input = 1, window = 1;
    MNP_TRY(mnp__input_layout(layout, x->layout, &needed));
    for (int d = 0; d < needed->ndim; d++) {
        int64_t most = 0;
        for (int part = 0; part < mnp_layout_parts(needed, d); part++) {
            int64_t extent = needed->cuts[d][part + 1] - needed->cuts[d][part];
            most = mnp__max(extent, most);
        }
        input *= (double)most;
        window *= (double)(most + span[d]);
    }
    mnp_layout_free(needed);
    *pays_p = input > 0 && window < copies * input;
    return MNP_OK;
}

/* ---- layouts ---- */

/*
 * Dimension d of the layout of a window, whose extent is that of the hull.  *cuts_p is malloc'ed if the dimension is
 * cut.
 */
static mnp_status widen_last(const mnp_layout *needed, int d, int64_t extent, mnp__layout_dim *dim, int64_t **cuts_p)
{
    int parts = mnp_layout_parts(needed, d);
    *dim = mnp__layout_dim_whole(extent);
    if (needed->axes[d] == MNP_NO_AXIS)
        return MNP_OK;
    *dim = mnp__layout_dim_of(needed, d);
    dim->extent = extent;
    MNP_TRY(mnp__malloc(((size_t)parts + 1) * sizeof **cuts_p, cuts_p));
    for (int part = 0; part <= parts; part++) {
        int64_t cut = needed->cuts[d][part];
        (*cuts_p)[part] = part > 0 && cut == needed->shape[d] ? extent : cut;
    }
    dim->cuts = *cuts_p;
    return MNP_OK;
}

/* The layout of a window on a hull, for inputs that are needed in that layout. */
static mnp_status window_layout(const mnp_layout *needed, const mnp_layout *hull, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int64_t *cuts[MNP_MAX_DIMS] = {NULL};
    mnp_status st = MNP_OK;
    for (int d = 0; d < needed->ndim; d++)
        MNP_TRY_OR(widen_last(needed, d, hull->shape[d], &dims[d], &cuts[d]), st, done);
    st = mnp__layout_derive(needed, needed->ndim, dims, layout_p);
done:
    for (int d = 0; d < needed->ndim; d++)
        free(cuts[d]);
    return st;
}

/* ---- windows ---- */

mnp_status mnp__window_new(const mnp_array *x, const mnp_array *hull, const int64_t *span, const mnp_layout *layout,
                           mnp_array **window_p)
{
    mnp_layout *needed = NULL, *wide = NULL;
    mnp_array *window = NULL;
    int64_t after[MNP_MAX_DIMS];
    mnp_status st = mnp__input_layout(layout, x->layout, &needed);
    for (int d = 0; d < hull->layout->ndim && st == MNP_OK; d++)
        after[d] = needed->axes[d] == MNP_NO_AXIS ? 0 : span[d]; /* a dimension that is not cut is there to its end */
    if (st == MNP_OK)
        st = window_layout(needed, hull->layout, &wide);
    mnp_layout_free(needed);
    st = MNP_AGREE(hull->ctx, st);
    if (st == MNP_OK)
        st = mnp_array_new_margins(hull->ctx, hull->dtype, wide, NULL, after, &window);
    mnp_layout_free(wide);
    MNP_TRY(st);
    st = mnp__plan_move_cached(hull, window, true);
    if (st == MNP_OK)
        *window_p = window;
    else
        mnp_array_free(window);
    return st;
}

mnp_status mnp__window_open(const mnp_array *window, const int64_t *offset, const mnp_array *x,
                            const mnp_layout *layout, mnp__input *input)
{
    const int64_t *strides = window->local_strides;
    int64_t distance = 0;
    mnp_layout *needed;
    char *data = window->data;
    *input = (mnp__input){NULL, NULL};
    MNP_TRY(mnp__input_layout(layout, x->layout, &needed));
    for (int d = 0; d < needed->ndim; d++)
        distance += offset[d] * strides[d];
    if (data)
        data += distance * (int64_t)mnp_dtype_size(window->dtype);
    mnp_status st = mnp__array_view(window, window->dtype, needed, data, strides, &input->temporary);
    mnp_layout_free(needed);
    input->array = input->temporary;
    return st;
}
