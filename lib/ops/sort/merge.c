/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merging runs: every launch of kernels/sort/merge.cu halves their number.
 */
#include "kernels/sort/merge_params.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integer.h"
#include "ops/sort/sort.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 20 };

/* Outputs of a thread: as many as registers and shared memory hold; odd, to avoid bank conflicts. */
static int items_of(mnp_dtype dtype)
{
    const size_t size = mnp_dtype_size(dtype);
    return size <= 4 ? 15 : size == 8 ? 11 : 7;
}

static mnp_status load_kernel(mnp_ctx *ctx, const mnp__merge *merge, mnp__kernel **kernel_p)
{
    char defines[192];
    snprintf(defines, sizeof defines,
             "#define MNP_KEY %s\n#define MNP_PAYLOAD %d\n#define MNP_DESCENDING %d\n#define MNP_THREADS %d\n"
             "#define MNP_ITEMS %d\n",
             mnp__jit_type(merge->dtype), merge->has_payload, merge->descending, THREADS, items_of(merge->dtype));
    const mnp__kernel_spec spec = {.file = "sort/merge.cu", .function = "merge_runs", .defines = defines};
    return mnp__ctx_kernel(ctx, &spec, kernel_p);
}

/* Run all launches: each merges from one buffer to the other, the last one to the outputs. */
static mnp_status launch_all(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__merge *merge, mnp_merge_params *params)
{
    const int64_t tile = THREADS * items_of(merge->dtype), blocks = mnp__divide_up(params->total, tile);
    const mnp__launch launch = {.grid = {(unsigned)mnp__min(blocks, MOST_BLOCKS), 1, 1}, .block = {THREADS, 1, 1}};
    void *keys = merge->keys, *payload = merge->payload, *next_keys = merge->spare_keys,
         *next_payload = merge->spare_payload;
    for (params->span = 1; params->span < params->nruns; params->span *= 2) {
        const bool is_last = 2 * params->span >= params->nruns;
        params->keys = keys;
        params->payload = payload;
        params->out_keys = is_last ? merge->out_keys : next_keys;
        params->out_payload = is_last ? merge->out_payload : next_payload;
        MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, params, sizeof *params, ctx->compute));
        void *swap = keys, *swap_payload = payload;
        keys = next_keys;
        payload = next_payload;
        next_keys = swap;
        next_payload = swap_payload;
    }
    return MNP_OK;
}

static mnp_status run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__merge *merge, long long *starts)
{
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t bytes = ((size_t)merge->nruns + 1) * sizeof *starts;
    void *device = NULL;
    starts[0] = 0;
    for (int r = 0; r < merge->nruns; r++)
        starts[r + 1] = starts[r] + merge->lengths[r];
    mnp_merge_params params = {.nruns = merge->nruns, .total = starts[merge->nruns]};
    if (params.total == 0)
        return MNP_OK;
    MNP_TRY(ops->alloc(ctx->device, bytes, &device));
    params.starts = device;
    mnp_status st = ops->copy(ctx->device, device, starts, bytes, ctx->compute);
    if (st == MNP_OK)
        st = launch_all(ctx, kernel, merge, &params);
    ops->free(ctx->device, device);
    return st;
}

mnp_status mnp__merge_runs(mnp_ctx *ctx, const mnp__merge *merge)
{
    mnp__kernel *kernel;
    long long *starts;
    MNP_TRY(load_kernel(ctx, merge, &kernel));
    MNP_TRY(mnp__malloc(((size_t)merge->nruns + 1) * sizeof *starts, &starts));
    mnp_status st = run(ctx, kernel, merge, starts);
    free(starts); /* a copy from pageable memory has read it when it returns */
    return st;
}
