/* SPDX-License-Identifier: BSD-3-Clause */
/* Blur an array that is spread over all ranks:  mpirun -n 4 ./hello */
#include <maniple.h>

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *x = NULL, *kernel = NULL, *y = NULL; /* a NULL output is allocated, another reused */
    const int64_t shape[] = {1000, 1000}, small[] = {9, 9};
    const float one = 1, weight = 1.0f / 81;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx)); /* MPI, this rank's GPU if it has one, NCCL, caches */
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT32, 2, shape, &one, &x));
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT32, 2, small, &weight, &kernel));
    MNP_OR_EXIT(mnp_convolve(x, kernel, NULL, &y)); /* as scipy.signal.convolve2d(x, kernel) */
    if (mnp_ctx_rank(ctx) == 0)
        printf("%d ranks on the %s device made an array of %lld x %lld\n", mnp_ctx_size(ctx), mnp_ctx_device_kind(ctx),
               (long long)mnp_array_shape(y)[0], (long long)mnp_array_shape(y)[1]);
    mnp_free_all(x, kernel, y);
    mnp_finalize(ctx);
    return 0;
}
