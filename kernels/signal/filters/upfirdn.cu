/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters without feedback along lines, between an expansion by zeros and a selection of every so many elements:
 * scipy.signal.upfirdn, and with up = down = 1 a convolution with taps.
 *
 *   MNP_IN, MNP_OUT   the real types in memory; complex numbers are two lines each.  Sums are in double
 *   MNP_PLAIN         up and down are 1
 *
 * Zeros are neither stored nor multiplied.  A thread of a GPU computes one element; a worker of the host takes runs of
 * elements, to which it adds one tap after the other.
 */
#include "kernels/prelude.h"
#include "kernels/signal/filters/upfirdn_params.h"
#include "kernels/nest.h"

MNP_INLINE int64_t mnp_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a / b rounded down and up, for b above 0 */
MNP_INLINE int64_t mnp_floor(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}
MNP_INLINE int64_t mnp_ceil(int64_t a, int64_t b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/* Element `o` of a line whose first input is *in.  unit: elements of a line are adjacent, in input and output. */
template <bool unit> MNP_INLINE double mnp_element(const mnp_upfirdn_params &p, const MNP_IN *in, int64_t o)
{
    const int64_t up = MNP_PLAIN ? 1 : p.up, at = MNP_PLAIN ? o : o * p.down, stride = unit ? 1 : p.in_along;
    const int64_t begin = mnp_most(mnp_ceil(at - p.count + 1, up), p.first_in);
    const int64_t end = mnp_least(mnp_floor(at, up) + 1, p.first_in + p.length);
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += p.taps[at - i * up] * mnp_to<double>::from(in[(i - p.first_in) * stride]);
    return sum;
}

#if MNP_CUDA

/* Where lines are adjacent, neighbouring threads take neighbouring lines, otherwise neighbouring elements of a line. */
template <bool unit> MNP_INLINE void mnp_one(const mnp_upfirdn_params &p, int64_t number)
{
    int64_t index[MNP_UPFIRDN_DIMS];
    const int64_t line = unit ? number / p.outputs : number % p.lines;
    const int64_t o = unit ? number % p.outputs : number / p.lines;
    mnp_unravel<MNP_UPFIRDN_DIMS>(p.kept, line, index);
    const MNP_IN *in = (const MNP_IN *)p.in + mnp_offset<MNP_UPFIRDN_DIMS>(p.in_kept, index);
    MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_UPFIRDN_DIMS>(p.out_kept, index);
    out[o * p.out_along] = mnp_to<MNP_OUT>::from(mnp_element<unit>(p, in, p.first_out + o));
}

MNP_KERNEL(upfirdn, mnp_upfirdn_params)
{
    const bool unit = p.in_along == 1 && p.out_along == 1;
    MNP_FOR (number, p.lines * p.outputs) {
        if (unit)
            mnp_one<true>(p, number);
        else
            mnp_one<false>(p, number);
    }
}

#else

constexpr int mnp_run = 256; /* elements of a run, and taps that are added to one at a time */

/* Elements o .. o + count - 1, all of whose inputs exist. */
template <bool unit>
static void mnp_sum_run(const mnp_upfirdn_params &p, const MNP_IN *in, int64_t o, int64_t count, double *sum)
{
    const int64_t stride = unit ? 1 : p.in_along;
    double x[2 * mnp_run];
    for (int64_t j = 0; j < count; j++)
        sum[j] = 0;
    for (int64_t block = 0; block < p.count; block += mnp_run) {
        const int64_t taps = mnp_least(mnp_run, p.count - block); /* these need count + taps - 1 inputs */
        const MNP_IN *at = in + (o - block - taps + 1 - p.first_in) * stride;
        for (int64_t j = 0; j < count + taps - 1; j++)
            x[j] = mnp_to<double>::from(at[j * stride]);
        for (int64_t k = 0; k < taps; k++) {
            const double tap = p.taps[block + k], *from = x + taps - 1 - k;
            for (int64_t j = 0; j < count; j++)
                sum[j] += tap * from[j];
        }
    }
}

template <bool unit> static void mnp_do_run(const mnp_upfirdn_params &p, int64_t number, int64_t runs)
{
    int64_t index[MNP_UPFIRDN_DIMS];
    double sum[mnp_run];
    const int64_t line = number / runs, begin = number % runs * mnp_run, end = mnp_least(begin + mnp_run, p.outputs);
    const int64_t out_stride = unit ? 1 : p.out_along, o = p.first_out + begin;
    mnp_unravel<MNP_UPFIRDN_DIMS>(p.kept, line, index);
    const MNP_IN *in = (const MNP_IN *)p.in + mnp_offset<MNP_UPFIRDN_DIMS>(p.in_kept, index);
    MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_UPFIRDN_DIMS>(p.out_kept, index) + begin * out_stride;
    const bool whole = MNP_PLAIN && o - p.count + 1 >= p.first_in && o + end - begin <= p.first_in + p.length;
    if (whole)
        mnp_sum_run<unit>(p, in, o, end - begin, sum);
    for (int64_t j = 0; j < end - begin; j++)
        out[j * out_stride] = mnp_to<MNP_OUT>::from(whole ? sum[j] : mnp_element<unit>(p, in, o + j));
}

MNP_KERNEL(upfirdn, mnp_upfirdn_params)
{
    const int64_t runs = (p.outputs + mnp_run - 1) / mnp_run;
    const bool unit = p.in_along == 1 && p.out_along == 1;
    MNP_FOR (number, p.lines * runs) {
        if (unit)
            mnp_do_run<true>(p, number, runs);
        else
            mnp_do_run<false>(p, number, runs);
    }
}

#endif
