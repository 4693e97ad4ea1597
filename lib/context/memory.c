/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public functions on memory pools: the heap, and the two pools of the device.
 */
#include <inttypes.h>

#include <maniple/memory.h>

#include "base/integer.h"
#include "comm/heap.h"
#include "context/context.h"

static mnp_status check_pool(mnp_memory_pool pool)
{
    if (pool != MNP_MEMORY_HEAP && pool != MNP_MEMORY_SCRATCH && pool != MNP_MEMORY_PINNED)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a memory pool", (int)pool);
    return MNP_OK;
}

mnp_status mnp_memory_info(mnp_ctx *ctx, mnp_memory_pool pool, mnp_memory_pool_info *info)
{
    MNP_ENTER(ctx, info);
    mnp_memory_pool_info heap, figures;
    mnp_heap_info place;
    MNP_TRY(check_pool(pool));
    mnp__heap_info(ctx->comm.heap, &heap);
    if (pool == MNP_MEMORY_HEAP) {
        *info = heap;
        return MNP_OK;
    }
    MNP_TRY(ctx->device->ops->memory_info(ctx->device, pool, &figures));
    mnp__heap_describe(ctx->comm.heap, &place);
    /* the device's pool also has the heap's blocks: count each block once */
    if (pool == MNP_MEMORY_SCRATCH && place.space == 0) {
        figures.used -= mnp__min(heap.used, figures.used);
        figures.reserved -= mnp__min(heap.reserved, figures.reserved);
        figures.blocks -= figures.blocks < 0 ? 0 : heap.blocks;
    }
    *info = figures;
    return MNP_OK;
}

mnp_status mnp_memory_trim(mnp_ctx *ctx, mnp_memory_pool pool)
{
    MNP_ENTER(ctx);
    MNP_TRY(check_pool(pool));
    if (pool != MNP_MEMORY_HEAP) {
        MNP_TRY(mnp_ctx_synchronize(ctx));
        return ctx->device->ops->memory_trim(ctx->device, pool);
    }
    MNP_TRY(MNP_AGREE(ctx, mnp_ctx_synchronize(ctx)));
    MNP_TRY(mnp__heap_collect(ctx->comm.heap));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_array_free before mnp_memory_trim", mnp__heap_hash(ctx->comm.heap)));
    mnp__heap_trim(ctx->comm.heap);
    return MNP_OK;
}

mnp_status mnp_memory_set_limit(mnp_ctx *ctx, mnp_memory_pool pool, int64_t bytes)
{
    MNP_ENTER(ctx);
    MNP_TRY(check_pool(pool));
    if (bytes < 0)
        return MNP_FAIL(MNP_ERR_ARG, "a memory pool's limit is %" PRId64 " bytes, negative", bytes);
    if (pool != MNP_MEMORY_HEAP) {
        ctx->device->ops->memory_limit(ctx->device, pool, (size_t)bytes);
        return MNP_OK;
    }
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_memory_set_limit", (uint64_t)bytes));
    mnp__heap_set_limit(ctx->comm.heap, (size_t)bytes);
    return MNP_OK;
}

void mnp_memory_heap(mnp_ctx *ctx, mnp_heap_info *info)
{
    MNP_NEED_OR(, ctx);
    MNP_NEED_OR(, info);
    mnp__heap_describe(ctx->comm.heap, info);
}
