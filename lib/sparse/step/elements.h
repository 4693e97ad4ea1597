/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays in device memory, which sparse matrices are made of: allocated, filled from memory of the CPU, copied, freed.
 * `pointer_p` is the address of a pointer of any type.
 */
#ifndef MNP__SPARSE_STEP_ELEMENTS_H
#define MNP__SPARSE_STEP_ELEMENTS_H

#include <string.h>

#include "context/context.h"

/* An array of `count` elements of that size.  MNP_ERR_MEMORY, MNP_ERR_DEVICE, as below. */
static inline mnp_status mnp__elements_new(mnp_ctx *ctx, int64_t count, size_t size, void *pointer_p)
{
    void *memory;
    if (size > 0 && (uint64_t)count > SIZE_MAX / 2 / size)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %lld elements of %zu bytes", (long long)count, size);
    MNP_TRY(ctx->device->ops->alloc(ctx->device, (size_t)count * size, &memory));
    memcpy(pointer_p, &memory, sizeof memory);
    return MNP_OK;
}

static inline void mnp__elements_free(mnp_ctx *ctx, void *elements)
{
    ctx->device->ops->free(ctx->device, elements);
}

/* Copy from or to memory of the CPU, and wait for it. */
static inline mnp_status mnp__elements_copy(mnp_ctx *ctx, void *to, const void *from, int64_t count, size_t size)
{
    MNP_TRY(ctx->device->ops->copy(ctx->device, to, from, (size_t)count * size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/*
 * A new array with a copy of what the CPU has.  send only enqueues the copy, so the CPU's memory must stay until it is
 * done; upload waits for it.  *pointer_p is set also where the copy fails.
 */
static inline mnp_status mnp__elements_send(mnp_ctx *ctx, int64_t count, size_t size, const void *from, void *pointer_p)
{
    void *memory = NULL;
    MNP_TRY(mnp__elements_new(ctx, count, size, pointer_p));
    memcpy(&memory, pointer_p, sizeof memory);
    return ctx->device->ops->copy(ctx->device, memory, from, (size_t)count * size, ctx->compute);
}

static inline mnp_status mnp__elements_upload(mnp_ctx *ctx, int64_t count, size_t size, const void *from,
                                              void *pointer_p)
{
    MNP_TRY(mnp__elements_send(ctx, count, size, from, pointer_p));
    return mnp__ctx_wait(ctx, ctx->compute);
}

#endif
