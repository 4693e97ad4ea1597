/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: convolution by Fourier transforms of windows of two dimensions, the columns, between the rows of
 * paired_rows.cu.  A block of threads transforms some columns, multiplies them by those of the filter's spectrum, and
 * transforms them back, all in registers but for what threads exchange.
 *
 *   MNP_REAL      float or double
 *   MNP_POINTS    elements of a column, a power of two from 128 on
 *   MNP_COLUMNS   columns of a block of threads
 *   MNP_BLOCKS    blocks that a multiprocessor shall hold
 */
#include "kernels/prelude.h"
#include "kernels/signal/blocks_params.h"
#include "kernels/signal/line.h"

typedef mnp_line<MNP_POINTS, MNP_COLUMNS, false> forward;
typedef mnp_line<MNP_POINTS, MNP_COLUMNS, true> backward;

extern __shared__ mnp_memory mnp_quick[];

extern "C" __global__ void __launch_bounds__(forward::threads *MNP_COLUMNS, MNP_BLOCKS)
    paired_columns(const __grid_constant__ mnp_spectrum_params p)
{
    const int column = (int)threadIdx.x % MNP_COLUMNS, t = (int)threadIdx.x / MNP_COLUMNS;
    const int64_t width = p.extent[3], at = t * width + (int64_t)blockIdx.x * MNP_COLUMNS + column,
                  step = forward::threads * width;
    mnp_memory *x = (mnp_memory *)p.spectra + blockIdx.y * MNP_POINTS * width + at;
    const mnp_memory *filter = (const mnp_memory *)p.filter + at;
    mnp_value v[MNP_HELD];
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++) {
        const mnp_memory both = x[q * step];
        v[q] = {both.re, both.im};
    }
    forward::transform(v, t, mnp_quick + column);
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++) {
        const mnp_memory by = filter[q * step];
        v[q] = v[q] * mnp_value{by.re, by.im};
    }
    backward::inverse(v, t, mnp_quick + column);
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++)
        x[q * step] = {v[q].re, v[q].im};
}
