/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compaction: three launches of kernels/indexing/compact.cu, between which the ranks tell each other their counts.
 */
#include "ops/indexing/compact.h"

#include <stdlib.h>

#include "base/integer.h"
#include "kernels/indexing/compact_params.h"

static mnp_status get_kernel(mnp_ctx *ctx, size_t size, mnp__kernel **kernel_p)
{
    const char *unit = size == 1    ? "#define MNP_UNIT uint8_t\n"
                       : size == 2  ? "#define MNP_UNIT uint16_t\n"
                       : size == 4  ? "#define MNP_UNIT uint32_t\n"
                       : size == 16 ? "#define MNP_UNIT mnp_complex128\n"
                                    : "#define MNP_UNIT uint64_t\n";
    return mnp__ctx_kernel(
        ctx, &(mnp__kernel_spec){.file = "indexing/compact.cu", .function = "compact", .defines = unit}, kernel_p);
}

static mnp_compact_params describe(const mnp_array *mask, int64_t *before)
{
    return (mnp_compact_params){.mask = mask->data,
                                .stride = mask->local_size > 1 ? mask->local_strides[0] : 1,
                                .length = mask->local_size,
                                .before = (long long *)before};
}

static int64_t count_tiles(const mnp_array *mask)
{
    return mnp__divide_up(mask->local_size, MNP_COMPACT_TILE);
}

/* One launch; a block for every tile, but no more than are good. */
static mnp_status run(mnp_ctx *ctx, mnp__kernel *kernel, int task, int64_t blocks, mnp_compact_params params)
{
    const int64_t most = 8192;
    const mnp__launch launch = {.grid = {(unsigned)mnp__min(blocks, most), 1, 1}, .block = {256, 1, 1}};
    params.task = task;
    if (blocks == 0)
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute);
}

static mnp_status count(mnp__compaction *compaction, mnp__kernel *kernel, int64_t *count_p)
{
    mnp_ctx *ctx = compaction->ctx;
    const int64_t tiles = count_tiles(compaction->mask);
    const mnp_compact_params params = describe(compaction->mask, compaction->before);
    MNP_TRY(run(ctx, kernel, MNP_COMPACT_COUNT, tiles, params));
    MNP_TRY(run(ctx, kernel, MNP_COMPACT_SUM, 1, params));
    MNP_TRY(ctx->device->ops->copy(ctx->device, count_p, compaction->before + tiles, sizeof *count_p, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

mnp_status mnp__compaction_begin(const mnp_array *mask, mnp__compaction *compaction)
{
    mnp_ctx *ctx = mask->ctx;
    const size_t tiles = (size_t)count_tiles(mask), ranks = (size_t)ctx->comm.size;
    int64_t mine = 0;
    mnp__kernel *kernel;
    *compaction = (mnp__compaction){.ctx = ctx, .mask = mask};
    mnp_status st = mnp__calloc(ranks + 1, sizeof(int64_t), &compaction->cuts);
    if (st == MNP_OK)
        st = ctx->device->ops->alloc(ctx->device, (tiles + 1) * sizeof(int64_t), (void **)&compaction->before);
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(get_kernel(ctx, 8, &kernel));
    MNP_TRY(MNP_AGREE(ctx, count(compaction, kernel, &mine)));
    MNP_TRY(mnp__all_gather(&ctx->comm, &mine, compaction->cuts + 1, sizeof mine));
    for (size_t r = 0; r < ranks; r++)
        compaction->cuts[r + 1] += compaction->cuts[r];
    compaction->total = compaction->cuts[ranks];
    return MNP_OK;
}

void mnp__compaction_end(mnp__compaction *compaction)
{
    compaction->ctx->device->ops->free(compaction->ctx->device, compaction->before);
    free(compaction->cuts);
}

static mnp_status write(const mnp__compaction *compaction, size_t size, const mnp_compact_params *params)
{
    mnp__kernel *kernel;
    MNP_TRY(get_kernel(compaction->ctx, size, &kernel));
    if (mnp__compaction_count(compaction) == 0)
        return MNP_OK;
    return run(compaction->ctx, kernel, MNP_COMPACT_WRITE, count_tiles(compaction->mask), *params);
}

mnp_status mnp__compaction_write(const mnp__compaction *compaction, size_t size, const void *src, int64_t stride,
                                 void *dst)
{
    mnp_compact_params params = describe(compaction->mask, compaction->before);
    params.src = src;
    params.src_stride = stride;
    params.dst = dst;
    return write(compaction, size, &params);
}

mnp_status mnp__compaction_number(const mnp__compaction *compaction, int64_t first, int64_t *numbers)
{
    mnp_compact_params params = describe(compaction->mask, compaction->before);
    params.first = first;
    params.dst = numbers;
    return write(compaction, sizeof *numbers, &params);
}
