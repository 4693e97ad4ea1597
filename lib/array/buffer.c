/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers: the device memory that an array and its views share.
 *
 * Blocks of about equal size are in the heap, at the same address on all ranks, where peers can write into them.  The
 * heap takes the size of the largest block on every rank.  So an array of which few ranks own nearly all is allocated
 * in ordinary device memory instead.
 */
#include "array/array.h"

#include <stdlib.h>

#include "comm/heap.h"

/* The largest is at most twice the average, plus 64 KiB. */
bool mnp__buffer_is_balanced(const mnp__block_sizes *sizes)
{
    const size_t little = 64 << 10;
    return sizes->largest <= little || sizes->largest - little <= 2 * sizes->average;
}

mnp_status mnp__buffer_new(mnp_ctx *ctx, const mnp__block_sizes *sizes, mnp__buffer **buffer_p)
{
    mnp__heap *heap = ctx->comm.heap;
    mnp__buffer *buffer = NULL;
    mnp_status st = mnp__calloc(1, sizeof *buffer, &buffer);
    if (mnp__buffer_is_balanced(sizes)) {
        MNP_TRY(st); /* a rank without memory for this struct fails alone: an agreement would cost more than the rest */
        buffer->home = MNP__BUFFER_HEAP;
        buffer->shared = mnp__heap_shared(heap);
        st = mnp__heap_alloc(heap, sizes->largest, &buffer->data);
    } else {
        if (st == MNP_OK) {
            buffer->home = MNP__BUFFER_POOL;
            st = ctx->device->ops->alloc(ctx->device, sizes->own, &buffer->data);
        }
        st = MNP_AGREE(ctx, st);
        if (st != MNP_OK && buffer)
            ctx->device->ops->free(ctx->device, buffer->data);
    }
    if (st != MNP_OK) {
        free(buffer);
        return st;
    }
    buffer->owners = 1;
    buffer->size = sizes->own;
    ctx->live_bytes += (int64_t)buffer->size;
    *buffer_p = buffer;
    return MNP_OK;
}

/* Give wrapped memory back to its owner, once no work uses it. */
static void give_back(mnp_ctx *ctx, const mnp__buffer *buffer)
{
    if (mnp__refuse_recording(ctx->device, "freeing an array of wrapped memory") == MNP_OK &&
        mnp_ctx_synchronize(ctx) != MNP_OK)
        MNP_LOG(&ctx->config.logger, MNP_LOG_ERROR, "mnp_array_free: %s", mnp_error_message());
    buffer->release(buffer->argument);
}

void mnp__buffer_release(mnp_ctx *ctx, mnp__buffer *buffer)
{
    if (!buffer || --buffer->owners > 0)
        return;
    ctx->live_bytes -= (int64_t)buffer->size;
    if (buffer->home == MNP__BUFFER_HEAP && buffer->dropped)
        mnp__heap_drop(ctx->comm.heap, buffer->data);
    else if (buffer->home == MNP__BUFFER_HEAP)
        mnp__heap_free(ctx->comm.heap, buffer->data);
    else if (buffer->home == MNP__BUFFER_POOL)
        ctx->device->ops->free(ctx->device, buffer->data);
    else if (buffer->release)
        give_back(ctx, buffer);
    free(buffer);
}
