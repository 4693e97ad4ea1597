/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: convolution by Fourier transforms of windows by kernels of our own: rows of windows, read from the extended
 * box and written to the outputs.
 *
 * If sums are real, two windows are one of complex numbers: the first is their real part, the second the imaginary
 * part.  As the filter is real, its products with the spectrum keep them apart.
 *
 *   MNP_IN, MNP_OUT   the types of the input and the output
 *   MNP_SUM           the type of sums: MNP_REAL or complex
 *   MNP_REAL          float or double
 *   MNP_PAIRS         1 if sums are real, otherwise 0
 *   MNP_POINTS        elements of a row, a power of two from 128 on
 *   MNP_ROWS          rows, each of a pair of windows, of a block of threads
 *   MNP_BLOCKS        blocks that a multiprocessor shall hold
 */
#ifndef MNP_KERNELS_SIGNAL_PAIRED_H
#define MNP_KERNELS_SIGNAL_PAIRED_H

#include "kernels/prelude.h"
#include "kernels/signal/blocks.h"
#include "kernels/signal/extended.h"
#include "kernels/signal/finish.h"
#include "kernels/signal/line.h"

typedef mnp_line<MNP_POINTS, 1, false> forward;
typedef mnp_line<MNP_POINTS, 1, true> backward;

enum { MNP_WINDOWS = 1 + MNP_PAIRS, MNP_STEP = forward::threads };

/* A block of outputs: its first one, and whether there is one. */
struct mnp_origin {
    int64_t at[MNP_CONV_DIMS];
    bool is_there;
};

/* Where window number `window` begins, if there is one. */
MNP_INLINE void mnp_find_origin(const mnp_blocks_params &p, int64_t window, mnp_origin *origin)
{
    find_origin(p, window, origin->at);
    origin->is_there = window < p.total;
}

/*
 * Hand the elements of a row of a window to put(q, value), those of thread t in order; zeros beyond the extended box.
 */
template <typename Put>
MNP_INLINE void mnp_read_row(const mnp_extended &in, const mnp_origin &origin, int64_t y, int t, const Put &put)
{
    const int64_t e2 = origin.at[2] + y, e3 = origin.at[3];
    if (!origin.is_there || e2 >= in.extended[2]) {
#pragma unroll
        for (int q = 0; q < MNP_HELD; q++)
            put(q, MNP_SUM{});
        return;
    }
    const row from = find_row(find_plane(in, origin.at[0], origin.at[1]), e2);
    const int64_t begin = from.begin - e3, end = from.end - e3, inner = from.end - from.begin,
                  width = in.extended[3] - e3;
    if (begin <= 0 && end >= MNP_POINTS && from.stride == 1) {
        const MNP_IN *x = from.middle - begin + t;
#pragma unroll
        for (int q = 0; q < MNP_HELD; q++)
            put(q, mnp_to<MNP_SUM>::from(x[q * MNP_STEP]));
        return;
    }
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++) {
        const int i = t + q * MNP_STEP;
        MNP_SUM value = {};
        if (i < width)
            value = mnp_to<MNP_SUM>::from(i >= begin && i < end ? from.middle[(i - begin) * from.stride]
                                                                : from.edge[e3 + i - (i < begin ? 0 : inner)]);
        put(q, value);
    }
}

/* Store the outputs in a row of a window, whose elements get(q) gives. */
template <typename Get>
MNP_INLINE void mnp_write_row(const mnp_blocks_params &p, const mnp_origin &origin, int64_t y, int t, const Get &get)
{
    const int64_t o2 = origin.at[2] + y - p.skip[2], left = p.out_extent[3] - origin.at[3];
    if (!origin.is_there || o2 >= p.out_extent[2])
        return;
    MNP_OUT *out = (MNP_OUT *)p.out + origin.at[0] * p.out_stride[0] + origin.at[1] * p.out_stride[1] +
                   o2 * p.out_stride[2] + origin.at[3] * p.out_stride[3];
#pragma unroll
    for (int q = 0; q < MNP_HELD; q++) {
        const int o = t + q * MNP_STEP - (int)p.skip[3];
        if (o >= 0 && o < left)
            out[o * p.out_stride[3]] = finish<MNP_OUT>::from(get(q));
    }
}

/* Row y of a pair of windows, from the input. */
MNP_INLINE void mnp_read_pair(const mnp_blocks_params &p, const mnp_origin *origins, int64_t y, int t, mnp_value *v)
{
#if MNP_PAIRS
    mnp_read_row(p.in, origins[0], y, t, [&](int q, MNP_SUM x) { v[q].re = x; });
    mnp_read_row(p.in, origins[1], y, t, [&](int q, MNP_SUM x) { v[q].im = x; });
#else
    mnp_read_row(p.in, origins[0], y, t, [&](int q, MNP_SUM x) { v[q] = x; });
#endif
}

/* Row y of a pair of windows, to the outputs. */
MNP_INLINE void mnp_write_pair(const mnp_blocks_params &p, const mnp_origin *origins, int64_t y, int t,
                               const mnp_value *v)
{
#if MNP_PAIRS
    mnp_write_row(p, origins[0], y, t, [&](int q) { return v[q].re; });
    mnp_write_row(p, origins[1], y, t, [&](int q) { return v[q].im; });
#else
    mnp_write_row(p, origins[0], y, t, [&](int q) { return v[q]; });
#endif
}

#endif
