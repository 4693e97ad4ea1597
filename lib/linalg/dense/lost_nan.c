/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factorisation that keeps NaN: see lost_nan.h. */
#include "linalg/dense/lost_nan.h"

#include "base/integer.h"
#include "base/text.h"
#include "kernels/linalg/lost_nan_params.h"

enum { THREADS = 256, FEW_THREADS = 32, MOST_BLOCKS = 1 << 20 };

mnp_status mnp__lost_nan_load(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "linalg/lost_nan.cu", .function = "lost_nan"};
    *kernel_p = NULL;
    if (ctx->device->cpu_memory)
        return MNP_OK;
    mnp__text_add(&defines, "#define MNP_T %s\n", mnp__jit_type(dtype));
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status launch(mnp_ctx *ctx, mnp__kernel *kernel, const mnp_lost_nan_params *params, int64_t blocks,
                         unsigned threads)
{
    const mnp__launch grid = {.grid = {(unsigned)mnp__min(blocks, MOST_BLOCKS), 1, 1}, .block = {threads, 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &grid, params, sizeof *params, ctx->compute);
}

static mnp_status factor(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__lapack_job *job, int *marks)
{
    const int64_t diagonals = job->batch * mnp__min(job->m, job->n);
    mnp_lost_nan_params params = {.matrices = job->a.data,
                                  .marks = marks,
                                  .m = job->m,
                                  .n = job->n,
                                  .ld = job->a.ld,
                                  .step = job->a.step,
                                  .count = job->batch * job->n};
    MNP_TRY(launch(ctx, kernel, &params, params.count, job->m > THREADS ? THREADS : FEW_THREADS));
    MNP_TRY(ctx->device->ops->lapack->getrf(ctx->device, job, ctx->compute));
    params.puts = 1;
    params.count = diagonals;
    return launch(ctx, kernel, &params, mnp__divide_up(diagonals, THREADS), THREADS);
}

mnp_status mnp__lost_nan_getrf(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__lapack_job *job)
{
    mnp__device *device = ctx->device;
    void *marks;
    if (job->batch == 0 || job->m == 0 || job->n == 0)
        return MNP_OK;
    if (!kernel)
        return device->ops->lapack->getrf(device, job, ctx->compute);
    MNP_TRY(device->ops->alloc(device, (size_t)(job->batch * job->n) * sizeof(int), &marks));
    const mnp_status st = factor(ctx, kernel, job, marks);
    device->ops->free(device, marks);
    return st;
}
