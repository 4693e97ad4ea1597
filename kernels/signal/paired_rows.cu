/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: convolution by Fourier transforms of windows of two dimensions, the rows (paired.h).  Forward, they are
 * read, transformed, and stored in a buffer; backward (MNP_BACKWARD) they are transformed back, and the outputs in them
 * stored.  paired_columns.cu is between the two.
 */
#include "kernels/signal/paired.h"

extern __shared__ mnp_memory mnp_quick[];

extern "C" __global__ void __launch_bounds__(MNP_STEP *MNP_ROWS, MNP_BLOCKS)
    paired_rows(const __grid_constant__ mnp_blocks_params p)
{
    __shared__ mnp_origin origins[MNP_WINDOWS];
    const int t = (int)threadIdx.x % MNP_STEP, number = (int)threadIdx.x / MNP_STEP;
    const int64_t pair = blockIdx.y, y = (int64_t)blockIdx.x * MNP_ROWS + number + (MNP_BACKWARD ? p.skip[2] : 0);
    mnp_memory *spectrum = (mnp_memory *)p.windows + (pair * p.window[2] + y) * MNP_POINTS + t;
    mnp_memory *quick = mnp_quick + number * forward::room;
    mnp_value v[MNP_HELD];
    if (threadIdx.x < MNP_WINDOWS)
        mnp_find_origin(p, p.first + pair * MNP_WINDOWS + threadIdx.x, &origins[threadIdx.x]);
    __syncthreads();
#if MNP_BACKWARD
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++) {
        mnp_memory both = {};
        if (y < p.window[2])
            both = spectrum[q * MNP_STEP];
        v[q] = {both.re, both.im};
    }
    backward::inverse(v, t, quick);
    if (y < p.window[2])
        mnp_write_pair(p, origins, y, t, v);
#else
    mnp_read_pair(p, origins, y, t, v);
    forward::transform(v, t, quick);
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++)
        spectrum[q * MNP_STEP] = {v[q].re, v[q].im};
#endif
}
