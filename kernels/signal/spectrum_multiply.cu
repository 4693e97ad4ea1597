/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiply spectra by that of the filter, in place.
 *
 * Compiled with MNP_VALUE, mnp_complex64 or mnp_complex128.
 */
#include "kernels/prelude.h"
#include "kernels/signal/blocks_params.h"
#include "kernels/signal/rows.h"

MNP_KERNEL(spectrum_multiply, mnp_spectrum_params)
{
    const int64_t rows = p.count * p.extent[0] * p.extent[1] * p.extent[2];
    FOR_PIECES(number, rows, p.extent[3])
    {
        const mnp_row_piece piece = mnp_find_piece(number, p.extent[3]);
        const int64_t line = piece.row / p.count, i2 = line % p.extent[2], outer = line / p.extent[2];
        const int64_t i1 = outer % p.extent[1], i0 = outer / p.extent[1] % p.extent[0];
        const MNP_VALUE *by = (const MNP_VALUE *)p.filter + i0 * p.stride[0] + i1 * p.stride[1] + i2 * p.stride[2];
        MNP_VALUE *x = (MNP_VALUE *)p.spectra + piece.row * p.extent[3];
        const auto product = [&](int64_t i) {
            const MNP_VALUE a = x[i], b = by[i * p.stride[3]];
            return MNP_VALUE{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        };
        for_piece(piece, p.extent[3], product, [&](int64_t i, MNP_VALUE value) { x[i] = value; });
    }
}
