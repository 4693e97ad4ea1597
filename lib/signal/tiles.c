/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles: their list and their launches.
 */
#include "signal/tiles.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

static void fill_params(const mnp__extended *in, const int64_t *extent, mnp_tiles *p)
{
    const mnp__conv_geometry *geometry = &in->geometry;
    int64_t lo[MNP_MAX_DIMS], block[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp_layout_box(geometry->output, in->ctx->comm.rank, lo, block);
    mnp__dense_strides(geometry->ndim, block, strides);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j];
        p->extent[j] = in->share.out_extent[j];
        p->stride[j] = d < 0 ? 0 : strides[d];
        p->grid[j] = mnp__divide_up(p->extent[j], extent[j]);
    }
}

/* Whether a tile, numbered with x fastest, needs only the rank's own block. */
static bool is_interior(const mnp__extended *in, const int64_t *extent, const mnp_tiles *p, int64_t number)
{
    for (int j = MNP_CONV_DIMS - 1; j >= 0; j--) {
        const int d = in->geometry.order[j];
        int64_t begin = number % p->grid[j] * extent[j], end = begin + extent[j];
        number /= p->grid[j];
        if (d < 0 || in->geometry.folds[d])
            continue;
        if (end > p->extent[j])
            end = p->extent[j];
        if (begin < in->share.low[j] || end + in->geometry.taps[d] - 1 > in->share.low[j] + in->share.inner[j])
            return false;
    }
    return true;
}

mnp_status mnp__tiles_open(const mnp__extended *in, const int64_t *extent, mnp__tiles *tiles)
{
    mnp_ctx *ctx = in->ctx;
    const bool waits = mnp__mover_receives(in->mover);
    void *list;
    int64_t total = 1, other;
    int *numbers;
    *tiles = (mnp__tiles){.list = NULL};
    fill_params(in, extent, &tiles->params);
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        total *= tiles->params.grid[j];
    if (total > INT_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a block of %" PRId64 " tiles is larger than the %d that one rank "
                        "computes: use more ranks",
                        total, INT_MAX);
    const size_t bytes = (size_t)total * sizeof *numbers;
    MNP_TRY(mnp__malloc(bytes, &numbers));
    other = total;
    for (int64_t i = 0; i < total; i++) {
        if (!waits || is_interior(in, extent, &tiles->params, i))
            numbers[tiles->first++] = (int)i;
        else
            numbers[--other] = (int)i;
    }
    tiles->others = total - tiles->first;
    mnp_status st = ctx->device->ops->alloc(ctx->device, bytes, &list);
    if (st == MNP_OK) {
        tiles->list = list;
        st = ctx->device->ops->copy(ctx->device, list, numbers, bytes, ctx->compute);
    }
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    free(numbers);
    return st;
}

void mnp__tiles_close(const mnp__extended *in, mnp__tiles *tiles)
{
    if (in->ctx)
        in->ctx->device->ops->free(in->ctx->device, tiles->list);
    *tiles = (mnp__tiles){.list = NULL};
}

int64_t mnp__tiles_bytes(const mnp__tiles *tiles)
{
    return (tiles->first + tiles->others) * (int64_t)sizeof *tiles->list;
}

/* A run. */
struct run {
    const mnp__tiles *tiles;
    const mnp__extended *in;
    const mnp__tiled_kernel *kernel;
};

/* Compute `count` tiles of the list from number `first` on. */
static mnp_status compute(const struct run *run, int64_t first, int64_t count, mnp__stream *stream)
{
    const mnp__tiles *tiles = run->tiles;
    const mnp__tiled_kernel *kernel = run->kernel;
    mnp__device *device = run->in->ctx->device;
    const mnp__launch launch = {.grid = {(unsigned)count, 1, 1}, .block = {kernel->threads, 1, 1}, .divisible = true};
    if (count == 0)
        return MNP_OK;
    const double all = (double)(tiles->first + tiles->others);
    kernel->tiles->list = tiles->list + first;
    kernel->tiles->count = count;
    mnp__device_tell_part(device, (double)first / all, (double)(first + count) / all);
    mnp_status st = device->ops->launch(device, kernel->kernel, &launch, kernel->params, kernel->size, stream);
    mnp__device_tell_part(device, 0, 1);
    return st;
}

/* Compute the tiles that need nothing from other ranks, while messages are under way. */
static mnp_status compute_first(const struct run *run)
{
    mnp__mover *mover = run->in->mover;
    const int64_t parts = mnp__mover_needs_help(mover) ? 16 : 1, count = run->tiles->first;
    for (int64_t i = 0; i < parts; i++) {
        int64_t begin = count * i / parts, end = count * (i + 1) / parts;
        MNP_TRY(compute(run, begin, end - begin, run->in->ctx->compute));
        if (parts > 1)
            MNP_TRY(mnp__mover_help(mover));
    }
    return MNP_OK;
}

/* Compute the other tiles: an mnp__mover_work. */
static mnp_status compute_others(const void *argument, mnp__stream *stream)
{
    const struct run *run = argument;
    return compute(run, run->tiles->first, run->tiles->others, stream);
}

/*
 * On a GPU the other tiles run beside the first ones, as soon as the ring is complete.  Tiles that all run at once leave
 * them room; after the first ones they would take most of the time that a tile takes, with little else to run.
 */
mnp_status mnp__tiles_run(const mnp__tiles *tiles, const mnp__extended *in, const mnp__tiled_kernel *kernel,
                          const void *x, void *y)
{
    const struct run run = {.tiles = tiles, .in = in, .kernel = kernel};
    *kernel->in = mnp__extended_of(in, x);
    *kernel->tiles = tiles->params;
    kernel->tiles->out = y;
    MNP_TRY(mnp__mover_begin(in->mover, x, in->ring));
    MNP_TRY(compute_first(&run));
    return mnp__mover_finish_with(in->mover, in->ring, compute_others, &run);
}
