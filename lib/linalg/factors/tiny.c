/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of a few rows: the launches of kernels/linalg/tiny.cu. */
#include "linalg/factors/tiny.h"

#include "base/integer.h"
#include "base/text.h"
#include "kernels/linalg/tiny_params.h"

enum {
    TINY = 256,  /* bytes that a thread has in registers */
    THREADS = 64 /* of a block, so that also a few thousand matrices keep many multiprocessors busy */
};

static bool is_tiny(mnp_dtype dtype, int64_t m, int64_t n)
{
    return m * n > 0 && m * n * (int64_t)mnp_dtype_size(dtype) <= TINY;
}

bool mnp__tiny_serves(const mnp__place *place, mnp_dtype dtype, int64_t n)
{
    return place->ctx->device->block_memory > 0 && is_tiny(dtype, n, n);
}

bool mnp__tiny_solves(const mnp__systems *systems, int64_t n)
{
    return mnp__tiny_serves(&systems->place, systems->dtype, n) && is_tiny(systems->dtype, n, systems->b.n);
}

static mnp_status launch(mnp_ctx *ctx, int task, mnp_dtype dtype, const mnp_array *matrices, mnp_tiny_params *params)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel;
    const mnp__kernel_spec spec = {.file = "linalg/tiny.cu", .function = "tiny"};
    const int64_t n = mnp__rows(matrices), most = INT32_MAX;
    mnp__text_add(&defines, "#define MNP_T %s\n#define MNP_N %d\n#define MNP_TASK %d\n", mnp__jit_type(dtype), (int)n,
                  task);
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    params->matrices = matrices->data;
    params->count = matrices->local_size / (n * n);
    if (params->count == 0)
        return MNP_OK;
    const int64_t blocks = mnp__min(mnp__divide_up(params->count, THREADS), most);
    const mnp__launch grid = {.grid = {(unsigned)blocks, 1, 1}, .block = {THREADS, 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &grid, params, sizeof *params, ctx->compute);
}

/* Run a task for the matrices of an input. */
static mnp_status run(const mnp__place *place, int task, const mnp_array *a, mnp_dtype dtype, mnp_tiny_params *params)
{
    mnp__dense_input matrices;
    MNP_TRY(mnp__dense_open(place, a, dtype, &matrices));
    const mnp_status st = MNP_AGREE(place->ctx, launch(place->ctx, task, dtype, matrices.input.array, params));
    mnp__dense_close(&matrices);
    return st;
}

/* The same, and tell which matrix is singular. */
static mnp_status run_and_report(const mnp__place *place, int task, const mnp_array *a, mnp_dtype dtype,
                                 mnp_tiny_params *params)
{
    mnp_array *info;
    MNP_TRY(mnp__numbers_new(place, MNP_INT32, &info));
    params->info = info->data;
    const mnp_status st = mnp__dense_report(place, info, MNP__SINGULAR, run(place, task, a, dtype, params));
    mnp_array_free(info);
    return st;
}

mnp_status mnp__tiny_inverse(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp_array **inverse_p)
{
    mnp_array *inverse;
    MNP_TRY(mnp__matrices_new(place, dtype, mnp__rows(a), mnp__rows(a), &inverse));
    mnp_tiny_params params = {.results = inverse->data};
    const mnp_status st = run_and_report(place, MNP_TINY_INVERSE, a, dtype, &params);
    if (st == MNP_OK)
        *inverse_p = inverse;
    else
        mnp_array_free(inverse);
    return st;
}

mnp_status mnp__tiny_determinants(const mnp__place *place, const mnp_array *a, const mnp_array *signs,
                                  const mnp_array *logarithms)
{
    mnp_tiny_params params = {.results = signs->data, .logarithms = logarithms ? logarithms->data : NULL};
    return run(place, MNP_TINY_DETERMINANT, a, signs->dtype, &params);
}

mnp_status mnp__tiny_solve(const mnp__systems *systems, const mnp_array *a)
{
    const mnp__matrices *b = &systems->b.of;
    mnp_tiny_params params = {.results = b->data, .columns = systems->b.n, .ld = b->ld, .step = b->step};
    return run_and_report(&systems->place, MNP_TINY_SOLUTION, a, systems->dtype, &params);
}
