/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct summation: plans and launches.
 */
#include "signal/direct.h"

#include <stdlib.h>

#include "base/memory.h"
#include "kernels/signal/conv_direct_params.h"
#include "signal/tile.h"
#include "signal/tiles.h"

struct mnp__direct {
    mnp__extended in;
    mnp__conv_tile tile;
    mnp__kernel *kernel;
    void *taps; /* device memory */
    mnp__tiles tiles;
};

/* The steps that can fail on one rank alone. */
static mnp_status prepare(mnp__direct *direct, const mnp__direct_spec *spec)
{
    mnp_ctx *ctx = direct->in.ctx;
    size_t bytes = mnp_dtype_size(spec->sum);
    for (int d = 0; d < direct->in.geometry.ndim; d++)
        bytes *= (size_t)direct->in.geometry.taps[d];
    MNP_TRY(ctx->device->ops->alloc(ctx->device, bytes, &direct->taps));
    MNP_TRY(ctx->device->ops->copy(ctx->device, direct->taps, spec->taps, bytes, ctx->compute));
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    return mnp__tiles_open(&direct->in, direct->tile.extent, &direct->tiles);
}

static mnp_status load_kernel(mnp__direct *direct, const mnp__direct_spec *wish)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__conv_tile_defines(&direct->tile, wish->input, wish->output, wish->sum, wish->truncates, &defines);
    mnp__kernel_spec spec = {
        .file = "signal/conv_direct.cu", .function = "conv_direct", .shared_bytes = direct->tile.shared_bytes};
    return mnp__ctx_kernel_of_text(direct->in.ctx, &spec, &defines, NULL, &direct->kernel);
}

mnp_status mnp__direct_new(mnp_ctx *ctx, mnp__conv_geometry *geometry, const mnp__direct_spec *spec,
                           mnp__direct **direct_p)
{
    mnp__direct *direct = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *direct, &direct));
    if (st != MNP_OK)
        goto fail;
    mnp__conv_tile_choose(geometry, spec->sum, ctx->device->block_memory, &direct->tile);
    direct->in.ctx = ctx;
    MNP_TRY_OR(load_kernel(direct, spec), st, fail);
    MNP_TRY_OR(mnp__extended_open(ctx, spec->input, geometry, spec->boundaries, spec->fill, &direct->in), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, prepare(direct, spec)), st, fail);
    *direct_p = direct;
    return MNP_OK;
fail:
    mnp__conv_geometry_free(geometry);
    mnp__direct_free(direct);
    return st;
}

int64_t mnp__direct_bytes(const mnp__direct *direct)
{
    return direct->in.share.ring_size * (int64_t)mnp_dtype_size(direct->in.dtype) + mnp__tiles_bytes(&direct->tiles);
}

void mnp__direct_free(mnp__direct *direct)
{
    if (!direct)
        return;
    mnp_ctx *ctx = direct->in.ctx;
    if (ctx)
        ctx->device->ops->free(ctx->device, direct->taps);
    mnp__tiles_close(&direct->in, &direct->tiles);
    mnp__extended_close(&direct->in);
    free(direct);
}

mnp_status mnp__direct_run(mnp__direct *direct, const void *x, void *y)
{
    mnp_conv_params params = {.taps = direct->taps};
    const mnp__tiled_kernel kernel = {.kernel = direct->kernel,
                                      .threads = direct->tile.threads,
                                      .params = &params,
                                      .size = sizeof params,
                                      .in = &params.in,
                                      .tiles = &params.tiles};
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = direct->in.geometry.order[j];
        params.extent[j] = d < 0 ? 1 : direct->in.geometry.taps[d];
    }
    return mnp__tiles_run(&direct->tiles, &direct->in, &kernel, x, y);
}
