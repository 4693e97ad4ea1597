/* SPDX-License-Identifier: BSD-3-Clause */
/* Fetching ranges of lines by the mover. */
#include "signal/filters/fetch.h"

#include <string.h>

#include "array/move/mover.h"
#include "base/integer.h"
#include "layout/layout.h"

typedef struct need {
    const mnp_layout *from, *to;
    int axis;
    mnp__reach reach;
    const void *argument;
} need;

/* The range of the axis that a rank needs, clipped to what is there. */
static void range_of(const need *n, int64_t lo, int64_t extent, int64_t *first_p, int64_t *length_p)
{
    int64_t begin = 0, end = 0;
    if (extent > 0)
        n->reach(n->argument, lo, lo + extent, &begin, &end);
    begin = mnp__max(begin, 0);
    end = mnp__min(end, n->from->shape[n->axis]);
    *first_p = begin;
    *length_p = end > begin ? end - begin : 0;
}

static int wanted(const void *argument, int rank, mnp__want *wants)
{
    const need *n = argument;
    int64_t stride = 1;
    if (!mnp__layout_box(n->to, rank, wants[0].lo, wants[0].extent))
        return 0;
    range_of(n, wants[0].lo[n->axis], wants[0].extent[n->axis], &wants[0].lo[n->axis], &wants[0].extent[n->axis]);
    for (int d = n->from->ndim - 1; d >= 0; d--) {
        wants[0].strides[d] = stride;
        stride *= wants[0].extent[d];
    }
    return stride > 0;
}

static mnp_status move(const mnp_array *x, const need *n, mnp__fetched *fetched)
{
    mnp_ctx *ctx = x->ctx;
    mnp__want own;
    mnp__mover *mover = NULL;
    int64_t size = 1;
    memset(&own, 0, sizeof own);
    const bool any = wanted(n, ctx->comm.rank, &own) > 0;
    for (int d = 0; d < x->layout->ndim; d++)
        size *= own.extent[d];
    mnp_status st =
        any ? ctx->device->ops->alloc(ctx->device, (size_t)size * mnp_dtype_size(x->dtype), &fetched->memory) : MNP_OK;
    MNP_TRY(MNP_AGREE(ctx, st));
    fetched->data = fetched->memory;
    memcpy(fetched->strides, own.strides, sizeof fetched->strides);
    const mnp__move_spec spec = {
        .dtype = x->dtype, .layout = n->from, .strides = x->local_strides, .wants = wanted, .argument = n};
    MNP_TRY(mnp__mover_new(ctx, &spec, &mover));
    st = mnp__mover_move(mover, x->data, fetched->memory);
    mnp__mover_free(mover);
    return st;
}

mnp_status mnp__fetch(const mnp_array *x, const mnp_layout *layout, int axis, mnp__reach reach, const void *argument,
                      mnp__fetched *fetched)
{
    const need n = {x->layout, layout, axis, reach, argument};
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    *fetched = (mnp__fetched){.data = NULL};
    const bool any = mnp__layout_box(layout, x->ctx->comm.rank, lo, extent);
    if (any)
        range_of(&n, lo[axis], extent[axis], &fetched->first, &fetched->length);
    if (mnp_layout_parts(x->layout, axis) > 1) {
        const mnp_status st = move(x, &n, fetched);
        if (st != MNP_OK)
            mnp__fetched_free(x->ctx, fetched);
        return st;
    }
    memcpy(fetched->strides, x->local_strides, sizeof fetched->strides);
    if (any && x->data)
        fetched->data =
            (const char *)x->data + fetched->first * x->local_strides[axis] * (int64_t)mnp_dtype_size(x->dtype);
    return MNP_OK;
}

void mnp__fetched_free(mnp_ctx *ctx, mnp__fetched *fetched)
{
    ctx->device->ops->free(ctx->device, fetched->memory);
    *fetched = (mnp__fetched){.data = NULL};
}

mnp_status mnp__lines_layout(const mnp_layout *from, int axis, int64_t extent, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < from->ndim; d++)
        dims[d] = mnp__layout_dim_of(from, d);
    if (extent != from->shape[axis]) {
        dims[axis].extent = extent;
        dims[axis].cuts = NULL;
    }
    return mnp__layout_derive(from, from->ndim, dims, layout_p);
}
