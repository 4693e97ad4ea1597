/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: convolution along one dimension by Fourier transforms of windows (paired.h), which are read, transformed,
 * multiplied by the filter's spectrum and transformed back in one go.
 *
 * A row of threads takes one pair of windows; p.windows is the filter's spectrum.
 */
#include "kernels/signal/paired.h"

extern __shared__ mnp_memory mnp_quick[];

extern "C" __global__ void __launch_bounds__(MNP_STEP *MNP_ROWS, MNP_BLOCKS)
    paired_lines(const __grid_constant__ mnp_blocks_params p)
{
    __shared__ mnp_origin origins[MNP_ROWS * MNP_WINDOWS];
    const int t = (int)threadIdx.x % MNP_STEP, number = (int)threadIdx.x / MNP_STEP;
    const mnp_memory *filter = (const mnp_memory *)p.windows + t;
    mnp_memory *quick = mnp_quick + number * forward::room;
    mnp_value v[MNP_HELD];
    if (threadIdx.x < MNP_ROWS * MNP_WINDOWS)
        mnp_find_origin(p, p.first + (int64_t)blockIdx.x * MNP_ROWS * MNP_WINDOWS + threadIdx.x, &origins[threadIdx.x]);
    __syncthreads();
    mnp_read_pair(p, origins + number * MNP_WINDOWS, 0, t, v);
    forward::transform(v, t, quick);
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++) {
        const mnp_memory by = filter[q * MNP_STEP];
        v[q] = v[q] * mnp_value{by.re, by.im};
    }
    backward::inverse(v, t, quick);
    mnp_write_pair(p, origins + number * MNP_WINDOWS, 0, t, v);
}
