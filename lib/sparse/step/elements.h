/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of elements in device memory, as sparse matrices are made of: with places for pointers of any type.
 */
#ifndef MNP__SPARSE_STEP_ELEMENTS_H
#define MNP__SPARSE_STEP_ELEMENTS_H

#include <string.h>

#include "context/context.h"

/* Room for `count` elements of that size; *pointer_p is a pointer to them.  MNP_ERR_MEMORY, MNP_ERR_DEVICE. */
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

/* Copy from or to the CPU, and wait for it. */
static inline mnp_status mnp__elements_copy(mnp_ctx *ctx, void *to, const void *from, int64_t count, size_t size)
{
    MNP_TRY(ctx->device->ops->copy(ctx->device, to, from, (size_t)count * size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* New ones with what the CPU has; waits.  *pointer_p is set also where the copy fails. */
static inline mnp_status mnp__elements_upload(mnp_ctx *ctx, int64_t count, size_t size, const void *from,
                                              void *pointer_p)
{
    void *memory = NULL;
    MNP_TRY(mnp__elements_new(ctx, count, size, pointer_p));
    memcpy(&memory, pointer_p, sizeof memory);
    return mnp__elements_copy(ctx, memory, from, count, size);
}

#endif
