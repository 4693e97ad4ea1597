/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of numbers on the device, kept by their contents. */
#include "signal/filters/taps.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_ARRAYS = 16 };

typedef struct kept_array {
    size_t size;
    void *host, *device;
} kept_array;

typedef struct kept {
    int next;
    kept_array arrays[KEPT_ARRAYS];
} kept;

static void free_array(mnp_ctx *ctx, kept_array *array)
{
    ctx->device->ops->free(ctx->device, array->device);
    free(array->host);
    *array = (kept_array){.size = 0};
}

static void free_kept(mnp_ctx *ctx, void *data)
{
    kept *all = data;
    for (int i = 0; i < KEPT_ARRAYS; i++)
        free_array(ctx, &all->arrays[i]);
    free(all);
}

/* The place of the next array, in which the oldest was. */
static mnp_status take_place(mnp_ctx *ctx, kept_array **array_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_TAPS];
    if (!attached->data) {
        kept *all;
        MNP_TRY(mnp__calloc(1, sizeof *all, &all));
        attached->data = all;
        attached->free = free_kept;
    }
    kept *all = attached->data;
    *array_p = &all->arrays[all->next];
    all->next = (all->next + 1) % KEPT_ARRAYS;
    free_array(ctx, *array_p);
    return MNP_OK;
}

static mnp_status fill(mnp_ctx *ctx, size_t size, const double *taps, kept_array *array)
{
    void *host;
    MNP_TRY(mnp__malloc(size, &host));
    array->host = host;
    memcpy(host, taps, size);
    MNP_TRY(ctx->device->ops->alloc(ctx->device, size, &array->device));
    MNP_TRY(ctx->device->ops->copy(ctx->device, array->device, host, size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

mnp_status mnp__taps_get(mnp_ctx *ctx, int64_t count, const double *taps, const double **device_p)
{
    const size_t size = (size_t)count * sizeof *taps;
    const kept *all = ctx->attached[MNP__ATTACHED_TAPS].data;
    kept_array *array = NULL;
    MNP_TRY(mnp__refuse_recording(ctx->device, "a filter")); /* a later one may take its memory */
    for (int i = 0; all && i < KEPT_ARRAYS; i++) {
        if (all->arrays[i].size == size && size > 0 && memcmp(all->arrays[i].host, taps, size) == 0) {
            *device_p = all->arrays[i].device;
            return MNP_OK;
        }
    }
    mnp_status st = take_place(ctx, &array);
    if (st == MNP_OK)
        st = fill(ctx, size, taps, array);
    MNP_TRY(MNP_AGREE(ctx, st));
    array->size = size;
    *device_p = array->device;
    return MNP_OK;
}
