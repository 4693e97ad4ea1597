/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launch of kernels/indexing/indexed.cu.
 */
#include "ops/indexing/indexed.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/nest.h"
#include "base/text.h"
#include "device/launch.h"

_Static_assert(MNP_INDEXED_DIMS == MNP_MAX_DIMS, "elements have as many indices as an array has dimensions");
_Static_assert((int)MNP_INDEXED_RAISE == (int)MNP_RAISE && (int)MNP_INDEXED_WRAP == (int)MNP_WRAP &&
                   (int)MNP_INDEXED_CLIP == (int)MNP_CLIP,
               "kernels know the modes by these numbers");

/* Drop dimensions of extent 1, and join those that lie one after the other everywhere. */
static void collapse(mnp_indexed_params *p, mnp_indexed_block *blocks, bool on_host)
{
    enum { DST, INDEX, SRC, FEW_INDICES = 4 };
    int64_t stride[SRC + MNP_INDEXED_BLOCKS][MNP_MAX_DIMS];
    mnp__nest nest = {.ndim = p->ndim, .count = SRC + (p->nblocks > 0 ? p->nblocks : 1), .stride = stride};
    for (int d = 0; d < p->ndim; d++) {
        nest.extent[d] = p->extent[d];
        stride[DST][d] = p->dst_stride[d];
        stride[INDEX][d] = p->index_stride[d];
        stride[SRC][d] = p->src_stride[d];
        for (int k = 0; k < p->nblocks; k++)
            stride[SRC + k][d] = blocks[k].stride[d];
    }
    mnp__nest_drop(&nest);
    mnp__nest_join(&nest);
    mnp__nest_pad(&nest, 1, 0);
    const int last = nest.ndim - 1;
    if (on_host && last > 0 && nest.extent[last] <= FEW_INDICES && stride[INDEX][last] != 0)
        mnp__nest_move(&nest, last, last - 1); /* rows of so few indices take longer than as many rows of steps */
    p->ndim = 0;
    for (int d = 0; d < nest.ndim; d++) {
        mnp__indexed_add(p, nest.extent[d], stride[SRC][d], stride[DST][d], stride[INDEX][d]);
        for (int k = 0; k < p->nblocks; k++)
            blocks[k].stride[d] = stride[SRC + k][d];
    }
}

/* How elements are moved: one after the other, by 16 bytes, or as rows of any alignment (rows_cuda.h). */
enum { ELEMENTS, SIXTEENS, ROWS, WAYS };

/* Whether the innermost dimension lies dense on both sides, with one index for all of it. */
static bool has_rows(const mnp_indexed_params *p)
{
    const int last = p->ndim - 1;
    return p->src_stride[last] == 1 && p->dst_stride[last] == 1 && p->index_stride[last] == 0;
}

/* See whole rows as fewer elements of `unit` elements each, if they are and lie so; false if not. */
static bool widen(mnp_indexed_params *p, size_t size, int64_t unit)
{
    const int last = p->ndim - 1;
    const uintptr_t bytes = (uintptr_t)unit * size;
    bool fits = has_rows(p) && p->extent[last] % unit == 0 && p->jump % unit == 0 && p->order_jump % unit == 0 &&
                (uintptr_t)p->src % bytes == 0 && (uintptr_t)p->dst % bytes == 0;
    for (int d = 0; d < last; d++)
        fits = fits && p->src_stride[d] % unit == 0 && p->dst_stride[d] % unit == 0;
    if (!fits)
        return false;
    for (int d = 0; d < last; d++) {
        p->src_stride[d] /= unit;
        p->dst_stride[d] /= unit;
    }
    p->extent[last] /= unit;
    p->jump /= unit;
    p->order_jump /= unit;
    return true;
}

/* See rows that are gathered to dense memory as bytes, if they are so long that a word has bytes of two at most. */
static bool see_bytes(mnp_indexed_params *p, size_t size)
{
    const int last = p->ndim - 1;
    const int64_t bytes = (int64_t)size, least = 16;
    int64_t dense = 1;
    bool fits = has_rows(p) && !p->scatters && p->extent[last] * bytes >= least;
    for (int d = last; d >= 0; d--) {
        fits = fits && p->dst_stride[d] == dense;
        dense *= p->extent[d];
    }
    if (!fits)
        return false;
    for (int d = 0; d < last; d++)
        p->src_stride[d] *= bytes;
    p->extent[last] *= bytes;
    p->jump *= bytes;
    return true;
}

/* Choose how a GPU moves elements, in terms of which the parameters are from then on. */
static int choose_way(mnp_indexed_params *p, size_t size)
{
    if (size == 16)
        return ELEMENTS;
    if (widen(p, size, (int64_t)(16 / size)))
        return SIXTEENS;
    return see_bytes(p, size) ? ROWS : ELEMENTS;
}

/* Whether numbers and offsets of elements, or of indices, may exceed 31 bits; if not, how to divide by the extents. */
static void choose_numbers(mnp_indexed_params *p)
{
    const int64_t most = INT32_MAX;
    int64_t src = 0, dst = 0, index = 0, *const jumps = p->scatters ? &dst : &src;
    p->total = 1;
    for (int d = 0; d < p->ndim; d++) {
        const int64_t reach = p->extent[d] - 1;
        src += reach * llabs(p->src_stride[d]);
        dst += reach * llabs(p->dst_stride[d]);
        index += reach * llabs(p->index_stride[d]);
        p->total *= p->extent[d];
    }
    *jumps += (p->count > 0 ? p->count : most) * llabs(p->jump); /* without a count, nothing is known of the indices */
    src += p->order ? p->indices * llabs(p->order_jump) : 0;
    p->wide = p->total + (1 << 16) > most || src > most || dst > most || index > most;
    for (int d = 0; d < p->ndim && !p->wide; d++)
        p->divide[d] = mnp__divisor(p->extent[d]);
}

static mnp_status load(mnp_ctx *ctx, int way, size_t size, const mnp_indexed_params *p, mnp__kernel **kernel_p)
{
    static const char *const units[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "mnp_sixteen"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    int unit = way == SIXTEENS ? 4 : 0;
    while (way == ELEMENTS && (size_t)1 << unit < size)
        unit++;
    mnp__text_add(&defines, "#define MNP_ROWS %d\n#define MNP_SORTED %d\n", way == ROWS, p->order != NULL);
    if (ctx->device->block_memory == 0)
        mnp__text_add(&defines, "#define MNP_REACHES %d\n", p->blocks != NULL);
    mnp__text_add(&defines, "#define MNP_UNIT %s\n#define MNP_INDEX %s\n", units[unit],
                  !p->narrow ? "int64_t"
                  : p->order ? "uint32_t"
                             : "int32_t");
    const mnp__kernel_spec spec = {.file = "indexing/indexed.cu", .function = "move_indexed"};
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

/* The kernel for a way.  Ranks may go different ways, but load kernels together. */
static mnp_status load_all(mnp_ctx *ctx, int way, size_t size, const mnp_indexed_params *p, mnp__kernel **kernel_p)
{
    mnp__kernel *kernels[WAYS] = {NULL};
    for (int w = 0; w < WAYS; w++) {
        const bool possible = w == ELEMENTS || (ctx->device->block_memory > 0 && size < 16);
        if (w == way || (possible && ctx->comm.size > 1))
            MNP_TRY(load(ctx, w, size, p, &kernels[w]));
    }
    *kernel_p = kernels[way];
    return MNP_OK;
}

static mnp__launch launch_of(const mnp_ctx *ctx, int way, int64_t total)
{
    const int64_t words = total / 16 + 2, most = 1 << 20;
    const int64_t tiles = way == ROWS ? mnp__divide_up(words, MNP_INDEXED_THREADS * MNP_INDEXED_WORDS)
                                      : mnp__divide_up(total, MNP_INDEXED_THREADS * MNP_INDEXED_EACH);
    if (ctx->device->block_memory == 0)
        return mnp__launch_of(total);
    return (mnp__launch){.grid = {(unsigned)mnp__min(tiles, most), 1, 1}, .block = {MNP_INDEXED_THREADS, 1, 1}};
}

mnp_status mnp__indexed_run(mnp_ctx *ctx, size_t size, const mnp_indexed_params *moved)
{
    mnp_indexed_params params = *moved;
    mnp_indexed_block blocks[MNP_INDEXED_BLOCKS];
    mnp__kernel *kernel;
    if (params.blocks) {
        memcpy(blocks, params.blocks, (size_t)params.nblocks * sizeof *blocks);
        params.blocks = blocks;
    }
    collapse(&params, blocks, ctx->device->block_memory == 0);
    const int way = ctx->device->block_memory > 0 ? choose_way(&params, size) : ELEMENTS;
    MNP_TRY(load_all(ctx, way, size, &params, &kernel));
    for (int d = 0; d < params.ndim; d++) {
        if (params.extent[d] == 0)
            return MNP_OK;
    }
    choose_numbers(&params);
    const mnp__launch launch = launch_of(ctx, way, params.total);
    return ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute);
}
