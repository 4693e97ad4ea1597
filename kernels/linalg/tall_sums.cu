/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: the sums of all blocks of tall_pass.cu, with the same MNP_BANDS: the Gram matrix.  A block of threads adds
 * one of the numbers that each lane of a warp has.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/tall_params.h"

extern "C" __global__ void __launch_bounds__(MNP_TALL_SUMS_THREADS)
    tall_sums(const __grid_constant__ mnp_tall_sums_params p)
{
    enum { SHARES = MNP_TALL_SUMS_THREADS / 32 };
    __shared__ double shared[SHARES][32];
    const int lane = threadIdx.x % 32, share = threadIdx.x / 32;
    double sum = 0;
    for (int64_t block = share; block < p.blocks; block += SHARES)
        sum += p.partials[(block * gridDim.x + blockIdx.x) * 32 + lane];
    shared[share][lane] = sum;
    __syncthreads();
    if (share > 0)
        return;
    for (int s = 1; s < SHARES; s++)
        sum += shared[s][lane];
    int part = blockIdx.x / 4, i = 0;
    for (; part >= 2 * (MNP_BANDS - i); i++)
        part -= 2 * (MNP_BANDS - i);
    const int row = MNP_TALL_BAND * i + 2 * (lane / 4) + blockIdx.x % 4 / 2;
    const int column = MNP_TALL_BAND * (i + part / 2) + 2 * (2 * (lane % 4) + blockIdx.x % 2) + part % 2;
    if (row <= column && column < p.columns)
        p.g[row * p.columns + column] = p.g[column * p.columns + row] = sum;
}
