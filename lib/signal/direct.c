/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct summation: plans and launches.
 */
#include "signal/direct.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/signal/conv_direct_params.h"
#include "signal/extended.h"
#include "signal/tile.h"

struct mnp__direct {
    mnp__extended in;
    mnp__conv_tile tile;
    mnp__kernel *kernel;
    void *taps, *tiles; /* device memory; tiles: those that need nothing from other ranks first */
    int64_t first_tiles, other_tiles;
    mnp_conv_params params;
};

static void fill_params(mnp__direct *direct)
{
    const mnp__conv_geometry *geometry = &direct->in.geometry;
    const mnp__conv_share *share = &direct->in.share;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp_conv_params *p = &direct->params;
    mnp_layout_box(geometry->output, direct->in.ctx->comm.rank, lo, extent);
    mnp__dense_strides(geometry->ndim, extent, strides);
    p->in = direct->in.params;
    p->taps = direct->taps;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j];
        p->extent[j] = d < 0 ? 1 : geometry->taps[d];
        p->out_extent[j] = share->out_extent[j];
        p->out_stride[j] = d < 0 ? 0 : strides[d];
        p->tile_grid[j] = (share->out_extent[j] + direct->tile.extent[j] - 1) / direct->tile.extent[j];
    }
}

/* Whether a tile, numbered with x fastest, needs only the rank's own block. */
static bool is_interior(const mnp__direct *direct, int64_t number)
{
    const mnp_conv_params *p = &direct->params;
    for (int j = MNP_CONV_DIMS - 1; j >= 0; j--) {
        int64_t begin = number % p->tile_grid[j] * direct->tile.extent[j], end = begin + direct->tile.extent[j];
        number /= p->tile_grid[j];
        if (end > p->out_extent[j])
            end = p->out_extent[j];
        if (begin < p->in.low[j] || end + p->extent[j] - 1 > p->in.low[j] + p->in.inner[j])
            return false;
    }
    return true;
}

/* List the tiles, first those that can be computed before the exchange is complete. */
static mnp_status list_tiles(mnp__direct *direct)
{
    mnp_ctx *ctx = direct->in.ctx;
    bool waits = mnp__mover_receives(direct->in.mover);
    int64_t total = 1, other;
    int *tiles;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        total *= direct->params.tile_grid[j];
    if (total > INT_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a block of %" PRId64 " tiles is larger than the %d that one rank "
                        "computes: use more ranks",
                        total, INT_MAX);
    size_t bytes = (size_t)total * sizeof *tiles;
    MNP_TRY(mnp__malloc(bytes, &tiles));
    direct->first_tiles = 0;
    other = total;
    for (int64_t i = 0; i < total; i++) {
        if (!waits || is_interior(direct, i))
            tiles[direct->first_tiles++] = (int)i;
        else
            tiles[--other] = (int)i;
    }
    direct->other_tiles = total - direct->first_tiles;
    mnp_status st = ctx->device->ops->alloc(ctx->device, bytes, &direct->tiles);
    if (st == MNP_OK)
        st = ctx->device->ops->copy(ctx->device, direct->tiles, tiles, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    free(tiles);
    return st;
}

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
    fill_params(direct);
    return list_tiles(direct);
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
    return direct->in.share.ring_size * (int64_t)mnp_dtype_size(direct->in.dtype) +
           (direct->first_tiles + direct->other_tiles) * (int64_t)sizeof(int);
}

void mnp__direct_free(mnp__direct *direct)
{
    if (!direct)
        return;
    mnp_ctx *ctx = direct->in.ctx;
    if (ctx) {
        ctx->device->ops->free(ctx->device, direct->taps);
        ctx->device->ops->free(ctx->device, direct->tiles);
    }
    mnp__extended_close(&direct->in);
    free(direct);
}

/* Compute `count` tiles of the list from number `first` on. */
static mnp_status compute(mnp__direct *direct, mnp_conv_params *params, int64_t first, int64_t count)
{
    mnp_ctx *ctx = direct->in.ctx;
    mnp__launch launch = {.grid = {(unsigned)count, 1, 1}, .block = {direct->tile.threads, 1, 1}, .divisible = true};
    if (count == 0)
        return MNP_OK;
    const double all = (double)(direct->first_tiles + direct->other_tiles);
    params->tiles = (const int *)direct->tiles + first;
    params->ntiles = count;
    mnp__device_tell_part(ctx->device, (double)first / all, (double)(first + count) / all);
    mnp_status st =
        ctx->device->ops->launch(ctx->device, direct->kernel, &launch, params, sizeof *params, ctx->compute);
    mnp__device_tell_part(ctx->device, 0, 1);
    return st;
}

/* Compute the tiles that need nothing from other ranks, while messages are under way. */
static mnp_status compute_first(mnp__direct *direct, mnp_conv_params *params)
{
    const int64_t parts = mnp__mover_needs_help(direct->in.mover) ? 16 : 1;
    for (int64_t i = 0; i < parts; i++) {
        int64_t begin = direct->first_tiles * i / parts, end = direct->first_tiles * (i + 1) / parts;
        MNP_TRY(compute(direct, params, begin, end - begin));
        if (parts > 1)
            MNP_TRY(mnp__mover_help(direct->in.mover));
    }
    return MNP_OK;
}

mnp_status mnp__direct_run(mnp__direct *direct, const void *x, void *y)
{
    mnp_conv_params params = direct->params;
    params.in = mnp__extended_of(&direct->in, x);
    params.out = y;
    MNP_TRY(mnp__mover_begin(direct->in.mover, x, direct->in.ring));
    MNP_TRY(compute_first(direct, &params));
    MNP_TRY(mnp__mover_finish(direct->in.mover, direct->in.ring));
    return compute(direct, &params, direct->first_tiles, direct->other_tiles);
}
