/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The extended box: the ring's mover and memory.
 */
#include "signal/extended.h"

static void fill_params(mnp__extended *extended)
{
    const mnp__conv_geometry *geometry = &extended->geometry;
    const mnp__conv_share *share = &extended->share;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp_extended *p = &extended->params;
    mnp_layout_box(geometry->input, extended->ctx->comm.rank, lo, extent);
    mnp__dense_strides(geometry->ndim, extent, strides);
    extended->inner_offset = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j];
        p->extended[j] = share->extended[j];
        p->low[j] = share->low[j];
        p->inner[j] = share->inner[j];
        p->block_stride[j] = d < 0 ? 0 : strides[d];
        p->slabs[j] = share->slabs[j];
        extended->inner_offset += d < 0 ? 0 : share->inner_lo[j] * strides[d];
    }
    p->ring = extended->ring;
}

static mnp_status make_ring(mnp__extended *extended, const void *fill)
{
    const size_t bytes = (size_t)extended->share.ring_size * mnp_dtype_size(extended->dtype);
    MNP_TRY(extended->ctx->device->ops->alloc(extended->ctx->device, bytes, &extended->ring));
    return mnp__mover_fill(extended->mover, extended->ring, fill);
}

mnp_status mnp__extended_open(mnp_ctx *ctx, mnp_dtype dtype, mnp__conv_geometry *geometry,
                              const mnp_boundary *boundaries, const void *fill, mnp__extended *extended)
{
    *extended = (mnp__extended){.ctx = ctx, .geometry = *geometry, .dtype = dtype};
    *geometry = (mnp__conv_geometry){0};
    mnp__conv_share_of(&extended->geometry, ctx->comm.rank, &extended->share);
    const mnp__move_spec ring = {.dtype = dtype,
                                 .layout = extended->geometry.input,
                                 .boundaries = boundaries,
                                 .wants = mnp__conv_wants,
                                 .argument = &extended->geometry};
    mnp_status st;
    MNP_TRY_OR(mnp__mover_new(ctx, &ring, &extended->mover), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, make_ring(extended, fill)), st, fail);
    fill_params(extended);
    return MNP_OK;
fail:
    mnp__extended_close(extended);
    return st;
}

void mnp__extended_close(mnp__extended *extended)
{
    if (!extended->ctx)
        return;
    extended->ctx->device->ops->free(extended->ctx->device, extended->ring);
    mnp__mover_free(extended->mover);
    mnp__conv_geometry_free(&extended->geometry);
    *extended = (mnp__extended){0};
}

mnp_extended mnp__extended_of(const mnp__extended *extended, const void *x)
{
    mnp_extended params = extended->params;
    params.block = (const char *)x + extended->inner_offset * (int64_t)mnp_dtype_size(extended->dtype);
    return params;
}
