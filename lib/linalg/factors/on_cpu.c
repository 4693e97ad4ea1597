/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on matrices that only the CPU has functions for. */
#include "linalg/factors/on_cpu.h"

#include <stdlib.h>

mnp_status mnp__on_cpu_open(const mnp_array *array, void **data_p)
{
    mnp_ctx *ctx = array->ctx;
    const size_t bytes = (size_t)array->local_size * mnp_dtype_size(array->dtype);
    void *copy = NULL;
    *data_p = array->data;
    if (ctx->device->cpu_memory || bytes == 0)
        return mnp__ctx_wait(ctx, ctx->compute);
    MNP_TRY(mnp__malloc(bytes, &copy));
    mnp_status st = ctx->device->ops->copy(ctx->device, copy, array->data, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    if (st == MNP_OK)
        *data_p = copy;
    else
        free(copy);
    return st;
}

mnp_status mnp__on_cpu_close(const mnp_array *array, void *data, bool changed)
{
    mnp_ctx *ctx = array->ctx;
    const size_t bytes = (size_t)array->local_size * mnp_dtype_size(array->dtype);
    mnp_status st = MNP_OK;
    if (!data || data == array->data)
        return MNP_OK;
    if (changed)
        st = ctx->device->ops->copy(ctx->device, array->data, data, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    free(data);
    return st;
}
