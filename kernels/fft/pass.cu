/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass over a box of MNP_DIMS dimensions of elements, of MNP_PARTS reals (MNP_REAL) each, which are scaled.  With
 * MNP_HALF the elements are the half spectrum of real numbers along some dimensions, along one of which the half is
 * missing.  Where the spectrum of real numbers is its own mirror image, conjugated, it is made so: the mean of both.
 */
#include "kernels/prelude.h"
#include "kernels/fft/pass_params.h"
#include "kernels/nest.h"

#if MNP_HALF
/* Whether an element has its mirror image in the half that is there, and where. */
MNP_INLINE bool mnp_find_mirrored(const mnp_fft_pass_params &p, const int64_t *index, int64_t *from)
{
    bool has = false;
    *from = 0;
#if MNP_CUDA
#pragma unroll
#endif
    for (int d = 0; d < MNP_DIMS; d++) {
        if (d == p.half)
            has = index[d] == 0 || 2 * index[d] == p.points;
        const bool turns = d != p.half && (p.mirrors >> d & 1) && index[d] > 0;
        *from += p.in_stride[d] * (turns ? p.extent[d] - index[d] : index[d]);
    }
    return has;
}
#endif

MNP_KERNEL(fft_pass, mnp_fft_pass_params)
{
    const MNP_REAL *in = (const MNP_REAL *)p.in;
    MNP_REAL *out = (MNP_REAL *)p.out;
    const MNP_REAL scale = (MNP_REAL)p.scale;
    MNP_FOR (i, p.count) {
        int64_t index[MNP_DIMS];
        mnp_unravel<MNP_DIMS>(p.extent, i, index);
        const int64_t from = MNP_PARTS * mnp_offset<MNP_DIMS>(p.in_stride, index);
        const int64_t to = MNP_PARTS * mnp_offset<MNP_DIMS>(p.out_stride, index);
#if MNP_HALF
        int64_t mirrored;
        MNP_REAL re = in[from], im = in[from + 1];
        if (mnp_find_mirrored(p, index, &mirrored)) {
            const bool same = 2 * mirrored == from;
            re = same ? re : (re + in[2 * mirrored]) / 2;
            im = same ? 0 : (im - in[2 * mirrored + 1]) / 2;
        }
        out[to] = scale * re;
        out[to + 1] = scale * im;
#else
        for (int part = 0; part < MNP_PARTS; part++)
            out[to + part] = scale * in[from + part];
#endif
    }
}
