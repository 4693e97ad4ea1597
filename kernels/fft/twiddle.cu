/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiply the elements (outer, k, j, inner) of a block by exp(sign 2 pi i k j / points): what a long transform needs
 * between the transforms of its columns and those of its rows.  k j is less than points.  MNP_REAL is the type of the
 * parts of the complex elements; the factors are computed in double.
 */
#include "kernels/prelude.h"
#include "kernels/fft/turned.h"
#include "kernels/fft/twiddle_params.h"
#include "kernels/nest.h"

MNP_KERNEL(fft_twiddle, mnp_fft_twiddle_params)
{
    mnp_complex<MNP_REAL> *data = (mnp_complex<MNP_REAL> *)p.data;
    const int64_t rows = p.extent[0] * p.extent[1] * p.extent[2], inner = p.extent[3];
#if MNP_CUDA
    MNP_FOR (i, rows * inner) {
        const int64_t row = i / inner, first = i, end = i + 1;
#else
    MNP_FOR (row, rows) {
        const int64_t first = row * inner, end = first + inner;
#endif
        int64_t index[3];
        mnp_unravel<3>(p.extent, row, index);
        const mnp_complex128 w = mnp_turned((p.first_k + index[1]) * (p.first_j + index[2]), p.points);
        const MNP_REAL re = (MNP_REAL)w.re, im = (MNP_REAL)(p.sign * w.im);
        for (int64_t at = first; at < end; at++)
            data[at] = {data[at].re * re - data[at].im * im, data[at].re * im + data[at].im * re};
    }
}
