/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments of lines, which may overlap, multiplied by a window: what the transforms of a spectrogram read.  Before that
 * the mean, or the straight line that fits best, is subtracted from each segment.  Segments may be folds of several
 * times their size, as those of a polyphase filterbank are: the parts are added up, each times its part of the window.
 *
 *   MNP_IN, MNP_OUT   the real types in memory; complex numbers are two lines each
 *
 * A worker of the host takes a segment; on a GPU a warp does, whose threads share its elements.
 */
#include "kernels/prelude.h"
#include "kernels/signal/spectral/segments_params.h"
#include "kernels/nest.h"

struct mnp_segment {
    const MNP_IN *in;
    MNP_OUT *out;
    int64_t before; /* elements of the line before the segment's first, from in[0] on */

    MNP_INLINE mnp_segment(const mnp_segments_params &p, int64_t number)
    {
        int64_t index[MNP_SEGMENTS_DIMS];
        const int64_t line = number / p.count, segment = number % p.count;
        mnp_unravel<MNP_SEGMENTS_DIMS>(p.kept, line, index);
        in = (const MNP_IN *)p.in + mnp_offset<MNP_SEGMENTS_DIMS>(p.in_kept, index);
        out = (MNP_OUT *)p.out + mnp_offset<MNP_SEGMENTS_DIMS>(p.out_kept, index) + segment * p.segment;
        before = (p.first_segment + segment) * p.step + p.offset - p.first;
    }
    MNP_INLINE double value(const mnp_segments_params &p, int64_t k) const
    {
        const int64_t at = before + k;
        return at >= 0 && at < p.length ? mnp_to<double>::from(in[at * p.along]) : 0;
    }
    /* Sums of the values, and of the values by their distance from the middle, over elements lane, lane + lanes, ... */
    MNP_INLINE void sums(const mnp_segments_params &p, int lane, int lanes, double &sum, double &moment) const
    {
        const double middle = 0.5 * (double)(p.size - 1);
        for (int64_t k = lane; k < p.size; k += lanes) {
            const double x = value(p, k);
            sum += x;
            moment += x * ((double)k - middle);
        }
    }
    /* Add up the parts; elements go round by the number of the first, so that phases count from the line's start. */
    MNP_INLINE void fold(const mnp_segments_params &p, int lane, int lanes) const
    {
        const int64_t turn = (before + p.first) % p.size;
        for (int64_t k = lane; k < p.size; k += lanes) {
            double sum = 0;
            for (int64_t part = 0; part < p.folds; part++)
                sum += value(p, part * p.size + k) * p.window[part * p.size + k];
            const int64_t at = k + turn;
            out[(at < p.size ? at : at - p.size) * p.within] = mnp_to<MNP_OUT>::from(sum * p.scale);
        }
    }
    MNP_INLINE void store(const mnp_segments_params &p, int lane, int lanes, double mean, double slope) const
    {
        if (p.folds > 0) {
            fold(p, lane, lanes);
            return;
        }
        const double middle = 0.5 * (double)(p.size - 1);
        for (int64_t k = lane; k < p.size; k += lanes) {
            const double x = value(p, k) - mean - slope * ((double)k - middle);
            out[k * p.within] = mnp_to<MNP_OUT>::from(x * p.window[k] * p.scale);
        }
    }
};

/* The mean and the slope from the sums. */
MNP_INLINE void mnp_fit(const mnp_segments_params &p, double &sum, double &moment)
{
    const double n = (double)p.size;
    sum /= n;
    moment = p.detrend == MNP_SEGMENTS_LINEAR && p.size > 1 ? moment * 12 / (n * (n * n - 1)) : 0;
}

MNP_KERNEL(segments, mnp_segments_params)
{
#if MNP_CUDA
    const int lane = threadIdx.x % 32;
    const int64_t warps = (int64_t)gridDim.x * blockDim.x / 32;
    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < p.lines * p.count; i += warps) {
        const mnp_segment segment(p, i);
        double sum = 0, moment = 0;
        if (p.detrend) {
            segment.sums(p, lane, 32, sum, moment);
            for (int by = 16; by > 0; by /= 2) {
                sum += __shfl_xor_sync(0xffffffffu, sum, by);
                moment += __shfl_xor_sync(0xffffffffu, moment, by);
            }
            mnp_fit(p, sum, moment);
        }
        segment.store(p, lane, 32, sum, moment);
    }
#else
    MNP_FOR (i, p.lines * p.count) {
        const mnp_segment segment(p, i);
        double sum = 0, moment = 0;
        if (p.detrend) {
            segment.sums(p, 0, 1, sum, moment);
            mnp_fit(p, sum, moment);
        }
        segment.store(p, 0, 1, sum, moment);
    }
#endif
}
