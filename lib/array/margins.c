/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays with margins, which are views of the middles of larger blocks.
 *
 * The memory is that of an array on the same mesh, in which every part is longer by the width of the margins.  So the
 * allocator needs no code for margins, and the block and its margins are at the same address on all ranks, as other
 * blocks are.
 */
#include <maniple/halo.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "layout/layout.h"

static mnp_status check_widths(int ndim, const char *side, const int64_t *widths)
{
    for (int d = 0; widths && d < ndim; d++) {
        if (widths[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "the margin %s dimension %d is %" PRId64 " wide, negative", side, d,
                            widths[d]);
    }
    return MNP_OK;
}

/* Dimension d of the layout of the larger blocks; *cuts_p is malloc'ed if it is cut. */
static mnp_status widen_dim(const mnp_layout *layout, int d, int64_t before, int64_t after, mnp__layout_dim *dim,
                            int64_t **cuts_p)
{
    int parts = mnp_layout_parts(layout, d);
    int64_t more, end = 0;
    *dim = mnp__layout_dim_of(layout, d);
    MNP_TRY(mnp__malloc(((size_t)parts + 1) * sizeof **cuts_p, cuts_p));
    (*cuts_p)[0] = 0;
    for (int p = 0; p < parts; p++) {
        int64_t count = layout->cuts[d][p + 1] - layout->cuts[d][p];
        if (count > 0 && (__builtin_add_overflow(before, after, &more) || __builtin_add_overflow(count, more, &count)))
            return MNP_FAIL(MNP_ERR_ARG, "the margins of dimension %d are too wide for 64-bit sizes", d);
        if (__builtin_add_overflow(end, count, &end))
            return MNP_FAIL(MNP_ERR_ARG, "the margins of dimension %d are too wide for 64-bit sizes", d);
        (*cuts_p)[p + 1] = end;
    }
    dim->extent = end;
    dim->cuts = *cuts_p;
    return MNP_OK;
}

/* The layout of the larger blocks. */
static mnp_status widen(const mnp_layout *layout, const int64_t *before, const int64_t *after, mnp_layout **wide_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int64_t *cuts[MNP_MAX_DIMS] = {NULL};
    int same[MNP_MAX_DIMS];
    mnp_status st = MNP_OK;
    for (int d = 0; d < layout->ndim; d++) {
        same[d] = d;
        MNP_TRY_OR(widen_dim(layout, d, before[d], after[d], &dims[d], &cuts[d]), st, done);
    }
    MNP_TRY_OR(mnp__layout_derive(layout, layout->ndim, dims, wide_p), st, done);
    mnp__layout_keep_order(*wide_p, layout, same);
done:
    for (int d = 0; d < layout->ndim; d++)
        free(cuts[d]);
    return st;
}

/* A view of the middles of the larger blocks, as an array of that layout. */
static mnp_status view_middle(const mnp_array *wide, const mnp_layout *layout, const int64_t *before,
                              const int64_t *after, mnp_array **array_p)
{
    int64_t first = 0;
    char *data = wide->data;
    for (int d = 0; d < layout->ndim; d++)
        first += before[d] * wide->local_strides[d];
    if (data)
        data += first * (int64_t)mnp_dtype_size(wide->dtype);
    MNP_TRY(mnp__array_view(wide, wide->dtype, layout, data, wide->local_strides, array_p));
    memcpy((*array_p)->before, before, (size_t)layout->ndim * sizeof *before);
    memcpy((*array_p)->after, after, (size_t)layout->ndim * sizeof *after);
    return MNP_OK;
}

mnp_status mnp_array_new_margins(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const int64_t *before,
                                 const int64_t *after, mnp_array **array_p)
{
    MNP_ENTER(ctx, layout);
    MNP_NEED_PLACE(array_p);
    static const int64_t none[MNP_MAX_DIMS];
    bool any = false;
    mnp_layout *layout_of_wide = NULL;
    mnp_array *wide = NULL, *array = NULL;
    before = before ? before : none;
    after = after ? after : none;
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    if (mnp_layout_is_cyclic(layout))
        return MNP_FAIL(MNP_ERR_ARG, "a layout that deals a dimension out block-cyclically has no room for margins");
    MNP_TRY(check_widths(layout->ndim, "before", before));
    MNP_TRY(check_widths(layout->ndim, "after", after));
    for (int d = 0; d < layout->ndim; d++)
        any = any || before[d] > 0 || after[d] > 0;
    if (!any)
        return mnp_array_new(ctx, dtype, layout, array_p);
    MNP_TRY(MNP_AGREE(ctx, widen(layout, before, after, &layout_of_wide)));
    mnp_status st = mnp_array_new(ctx, dtype, layout_of_wide, &wide);
    mnp_layout_free(layout_of_wide);
    MNP_TRY(st);
    st = MNP_AGREE(ctx, view_middle(wide, layout, before, after, &array));
    mnp_array_free(wide);
    if (st == MNP_OK)
        *array_p = array;
    else
        mnp_array_free(array);
    return st;
}

void mnp_array_margins(const mnp_array *array, int64_t *before, int64_t *after)
{
    MNP_NEED_OR(, array);
    size_t bytes = (size_t)array->layout->ndim * sizeof *before;
    if (before)
        memcpy(before, array->before, bytes);
    if (after)
        memcpy(after, array->after, bytes);
}
