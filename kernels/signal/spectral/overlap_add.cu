/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines from segments that overlap: each element is the sum of what the segments that it lies in have there, times the
 * window, divided by the sum of the squares of the window where that is above 1e-10.
 *
 *   MNP_IN, MNP_OUT   the real types in memory; complex numbers are two lines each
 *
 * kernels/signal/spectral/segments_params.h explains the parameters: `first` and `length` are of the result here.
 */
#include "kernels/prelude.h"
#include "kernels/signal/spectral/segments_params.h"
#include "kernels/nest.h"

MNP_KERNEL(overlap_add, mnp_segments_params)
{
    MNP_FOR (number, p.lines * p.length) {
        int64_t index[MNP_SEGMENTS_DIMS];
        const int64_t i = number % p.length, at = p.first + i - p.offset; /* from the first element of segment 0 on */
        mnp_unravel<MNP_SEGMENTS_DIMS>(p.kept, number / p.length, index);
        const MNP_IN *in = (const MNP_IN *)p.in + mnp_offset<MNP_SEGMENTS_DIMS>(p.in_kept, index);
        MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_SEGMENTS_DIMS>(p.out_kept, index);
        const int64_t low = at - p.size + 1, begin = low > 0 ? (low + p.step - 1) / p.step : 0;
        const int64_t end = mnp_least(at / p.step + 1, p.first_segment + p.count);
        double sum = 0, squares = 0;
        for (int64_t s = begin > p.first_segment ? begin : p.first_segment; s < end; s++) {
            const double w = p.window[at - s * p.step];
            sum += w * mnp_to<double>::from(in[(s - p.first_segment) * p.segment + (at - s * p.step) * p.within]);
            squares += w * w;
        }
        out[i * p.along] = mnp_to<MNP_OUT>::from(p.scale * sum / (squares > 1e-10 ? squares : 1));
    }
}
