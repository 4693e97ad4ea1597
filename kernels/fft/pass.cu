/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass over a box of elements, of type MNP_VALUE (MNP_PARTS reals, MNP_REAL): scaled; with MNP_HALF copied without
 * the imaginary parts that the spectrum of real numbers does not have.
 */
#include "kernels/prelude.h"
#include "kernels/fft/pass_params.h"
#include "kernels/nest.h"

MNP_KERNEL(fft_pass, mnp_fft_pass_params)
{
    const MNP_REAL *in = (const MNP_REAL *)p.in;
    MNP_REAL *out = (MNP_REAL *)p.out;
    const MNP_REAL scale = (MNP_REAL)p.scale;
    MNP_FOR (i, p.count) {
        int64_t index[MNP_FFT_PASS_DIMS];
        mnp_unravel<MNP_FFT_PASS_DIMS>(p.extent, i, index);
        const int64_t from = MNP_PARTS * mnp_offset<MNP_FFT_PASS_DIMS>(p.in_stride, index);
        const int64_t to = MNP_PARTS * mnp_offset<MNP_FFT_PASS_DIMS>(p.out_stride, index);
        for (int part = 0; part < MNP_PARTS; part++) {
            const int64_t k = index[MNP_FFT_PASS_DIMS - 1];
            const bool missing = MNP_HALF && part == 1 && (k == 0 || 2 * k == p.points);
            out[to + part] = missing ? 0 : scale * in[from + part];
        }
    }
}
