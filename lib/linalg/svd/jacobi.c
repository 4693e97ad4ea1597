/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values of small matrices on GPUs by one-sided Jacobi rotations: kernels/linalg/svd_jacobi.cu explains the
 * method, which a block of threads runs for each matrix.
 */
#include "linalg/svd/jacobi.h"

#include "base/integer.h"
#include "context/context.h"
#include "kernels/linalg/svd_jacobi_params.h"

enum { LANES = 8, WARP = 32, MOST_THREADS = 1024, VECTOR = 16 };

/* Bytes that a block has in shared memory: see mnp_layout() there. */
static int64_t shared_bytes(mnp_dtype dtype, int64_t m, int64_t n, bool vectors)
{
    const int64_t size = (int64_t)mnp_dtype_size(dtype), real = (int64_t)mnp_dtype_size(mnp__linalg_real(dtype));
    const int64_t of_a = mnp__round_up(m * size, VECTOR),
                  of_w_and_j = vectors ? 2 * mnp__round_up(n * size, VECTOR) : 0;
    const int64_t column = mnp__max(of_a, of_w_and_j);
    return n * (column + 3 * real + 2 * (int64_t)sizeof(int)) + (int64_t)sizeof(int);
}

/* The same with two or three significant bits, so that matrices of many sizes share few kernels. */
static int64_t rounded_bytes(int64_t bytes, int64_t most)
{
    int64_t unit = 256;
    while (bytes > 16 * unit)
        unit *= 2;
    const int64_t rounded = mnp__round_up(bytes, unit);
    return mnp__min(rounded, most);
}

bool mnp__svd_jacobi_serves(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, bool vectors)
{
    const int64_t most = (int64_t)place->ctx->device->block_memory;
    return n > 0 && n <= MOST_THREADS && m <= most && shared_bytes(dtype, m, n, vectors) <= most;
}

mnp_status mnp__svd_jacobi_load(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, bool vectors,
                                mnp__kernel **kernel_p)
{
    static const char *const defines[2][2] = {{"#define MNP_T float\n", "#define MNP_T double\n"},
                                              {"#define MNP_T mnp_complex64\n", "#define MNP_T mnp_complex128\n"}};
    const int64_t most = (int64_t)place->ctx->device->block_memory;
    const bool is_double = mnp__linalg_real(dtype) == MNP_FLOAT64, is_complex = mnp_dtype_kind(dtype) == 'c';
    const mnp__kernel_spec spec = {.file = "linalg/svd_jacobi.cu",
                                   .function = "svd_jacobi",
                                   .defines = defines[is_complex][is_double],
                                   .shared_bytes = (size_t)rounded_bytes(shared_bytes(dtype, m, n, vectors), most)};
    return mnp__ctx_kernel(place->ctx, &spec, kernel_p);
}

mnp_status mnp__svd_jacobi_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__lapack_job *job)
{
    const int64_t threads = mnp__round_up((job->n + 1) / 2 * LANES, WARP), most = 1 << 20;
    if (job->batch == 0)
        return MNP_OK;
    const mnp_svd_params params = {.a = job->a.data,
                                   .u = job->b.data,
                                   .vh = job->c.data,
                                   .values = job->values,
                                   .info = job->info,
                                   .batch = job->batch,
                                   .a_ld = job->a.ld,
                                   .a_step = job->a.step,
                                   .u_ld = job->b.ld,
                                   .u_step = job->b.step,
                                   .vh_ld = job->c.ld,
                                   .vh_step = job->c.step,
                                   .m = (int)job->m,
                                   .n = (int)job->n,
                                   .columns = !job->vectors ? 0 : (int)(job->full ? job->m : job->n),
                                   .lanes = LANES};
    const mnp__launch launch = {.grid = {(unsigned)mnp__min(job->batch, most), 1, 1},
                                .block = {(unsigned)mnp__min(threads, MOST_THREADS), 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute);
}
