/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters without feedback along lines, between an expansion by zeros and a selection of every so many elements:
 * scipy.signal.upfirdn, and with up = down = 1 a convolution with taps.
 *
 *   MNP_IN, MNP_OUT   the real types in memory; complex numbers are two lines each.  Sums are in double
 *   MNP_PLAIN         up and down are 1
 *
 * Zeros are neither stored nor multiplied.  A thread of a GPU computes one element.  A worker of the host takes runs of
 * elements, to which it adds one tap after the other, or panels: elements of several lines, or parts of a line, at
 * once.
 */
#include "kernels/prelude.h"
#include "kernels/signal/filters/upfirdn_params.h"
#include "kernels/nest.h"

/* a / b rounded down and up, for b above 0 */
MNP_INLINE int64_t mnp_floor(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}
MNP_INLINE int64_t mnp_ceil(int64_t a, int64_t b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/* Which inputs element `o` of a line needs, of a line without ends; `at`: its place among those that are expanded. */
struct mnp_inputs {
    int64_t up, at, begin, end;
};

MNP_INLINE mnp_inputs mnp_window(const mnp_upfirdn_params &p, int64_t o)
{
    const int64_t up = MNP_PLAIN ? 1 : p.up, at = MNP_PLAIN ? o : o * p.down;
    return {up, at, mnp_ceil(at - p.count + 1, up), mnp_floor(at, up) + 1};
}

/* Element `o` of a line whose first input is *in.  unit: elements of a line are adjacent, in input and output. */
template <bool unit> MNP_INLINE double mnp_element(const mnp_upfirdn_params &p, const MNP_IN *in, int64_t o)
{
    const mnp_inputs window = mnp_window(p, o);
    const int64_t begin = mnp_greatest(window.begin, p.first_in), end = mnp_least(window.end, p.first_in + p.length);
    const int64_t stride = unit ? 1 : p.in_along;
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += p.taps[window.at - i * window.up] * mnp_to<double>::from(in[(i - p.first_in) * stride]);
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

/* ---- runs of a line, elements of which are adjacent, with up = down = 1 ---- */

constexpr int mnp_run = 256; /* elements of a run, and taps that are added to one at a time */

/* Elements o .. o + count - 1, all of whose inputs exist. */
static void mnp_sum_run(const mnp_upfirdn_params &p, const MNP_IN *in, int64_t o, int64_t count, double *sum)
{
    double x[2 * mnp_run];
    for (int64_t j = 0; j < count; j++)
        sum[j] = 0;
    for (int64_t block = 0; block < p.count; block += mnp_run) {
        const int64_t taps = mnp_least(mnp_run, p.count - block); /* these need count + taps - 1 inputs */
        const MNP_IN *at = in + (o - block - taps + 1 - p.first_in);
        for (int64_t j = 0; j < count + taps - 1; j++)
            x[j] = mnp_to<double>::from(at[j]);
        for (int64_t k = 0; k < taps; k++) {
            const double tap = p.taps[block + k], *from = x + taps - 1 - k;
            for (int64_t j = 0; j < count; j++)
                sum[j] += tap * from[j];
        }
    }
}

static void mnp_do_run(const mnp_upfirdn_params &p, int64_t number, int64_t runs)
{
    int64_t index[MNP_UPFIRDN_DIMS];
    double sum[mnp_run];
    const int64_t line = number / runs, begin = number % runs * mnp_run, end = mnp_least(begin + mnp_run, p.outputs);
    const int64_t o = p.first_out + begin;
    mnp_unravel<MNP_UPFIRDN_DIMS>(p.kept, line, index);
    const MNP_IN *in = (const MNP_IN *)p.in + mnp_offset<MNP_UPFIRDN_DIMS>(p.in_kept, index);
    MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_UPFIRDN_DIMS>(p.out_kept, index) + begin;
    const bool whole = o - p.count + 1 >= p.first_in && o + end - begin <= p.first_in + p.length;
    if (whole)
        mnp_sum_run(p, in, o, end - begin, sum);
    for (int64_t j = 0; j < end - begin; j++)
        out[j] = mnp_to<MNP_OUT>::from(whole ? sum[j] : mnp_element<true>(p, in, o + j));
}

/* ---- panels ---- */

constexpr int mnp_lanes = 32, mnp_outputs = 32, mnp_block = 64; /* lanes and elements of a panel, inputs at a time */

/*
 * What the lanes of panels are: neighbouring lines, or as many parts of one line, each of `ahead` elements, for which
 * the inputs are `skip` elements further. in, out: strides from one lane to the next.
 */
struct mnp_lane {
    int64_t count, in, out, ahead, skip;
};

/* Inputs block .. next - 1 of the first lane, and those of the others, as doubles. */
static void mnp_load_panel(const mnp_upfirdn_params &p, const mnp_lane &lane, const MNP_IN *in, int64_t lanes,
                           int64_t block, int64_t next, double (*x)[mnp_lanes])
{
    const int64_t shift = block - p.first_in;
    if (lane.in == 1 && lane.skip == 0) {
        for (int64_t i = mnp_greatest(-shift, 0); i < mnp_least(next - block, p.length - shift); i++)
            for (int64_t l = 0; l < lanes; l++)
                x[i][l] = mnp_to<double>::from(in[(i + shift) * p.in_along + l]);
    } else {
        for (int64_t l = 0; l < lanes; l++) {
            const int64_t ahead = shift + l * lane.skip;
            for (int64_t i = mnp_greatest(-ahead, 0); i < mnp_least(next - block, p.length - ahead); i++)
                x[i][l] = mnp_to<double>::from(in[(i + shift) * p.in_along + l * lane.in]);
        }
    }
}

/* Elements begin .. begin + count - 1 of each lane: inputs are added to all of the elements that need them. */
static void mnp_do_panel(const mnp_upfirdn_params &p, const mnp_lane &lane, const MNP_IN *in, MNP_OUT *out,
                         int64_t lanes, int64_t begin, int64_t count)
{
    double sums[mnp_outputs][mnp_lanes] = {};
    const int64_t o = p.first_out + begin;
    for (int64_t block = mnp_window(p, o).begin; block < mnp_window(p, o + count - 1).end; block += mnp_block) {
        double x[mnp_block][mnp_lanes] = {};
        const int64_t next = mnp_least(block + mnp_block, mnp_window(p, o + count - 1).end);
        mnp_load_panel(p, lane, in, lanes, block, next, x);
        for (int64_t j = 0; j < count; j++) {
            const mnp_inputs window = mnp_window(p, o + j);
            for (int64_t i = mnp_greatest(window.begin, block); i < mnp_least(window.end, next); i++) {
                const double tap = p.taps[window.at - i * window.up];
                for (int l = 0; l < mnp_lanes; l++)
                    sums[j][l] += tap * x[i - block][l];
            }
        }
    }
    const bool beside = lane.out == 1;
    for (int64_t a = 0; a < (beside ? count : lanes); a++) {
        for (int64_t b = 0; b < (beside ? lanes : count); b++) { /* in the order of memory */
            const int64_t j = beside ? a : b, l = beside ? b : a;
            if (begin + j + l * lane.ahead < p.outputs)
                out[(begin + j) * p.out_along + l * lane.out] = mnp_to<MNP_OUT>::from(sums[j][l]);
        }
    }
}

/* The lanes of all panels.  A line is divided at multiples of `up` elements. */
static mnp_lane mnp_lanes_of(const mnp_upfirdn_params &p)
{
    constexpr int last = MNP_UPFIRDN_DIMS - 1, least_lines = 8;
    if (p.kept[last] >= least_lines)
        return {p.kept[last], p.in_kept[last], p.out_kept[last], 0, 0};
    const int64_t ahead = mnp_ceil(mnp_ceil(p.outputs, mnp_lanes), p.up) * p.up, skip = ahead / p.up * p.down;
    return {mnp_least(mnp_lanes, mnp_ceil(p.outputs, ahead)), skip * p.in_along, ahead * p.out_along, ahead, skip};
}

static void mnp_do_panels(const mnp_upfirdn_params &p, int64_t worker, int64_t workers)
{
    constexpr int last = MNP_UPFIRDN_DIMS - 1;
    const mnp_lane lane = mnp_lanes_of(p);
    const int64_t outputs = lane.ahead > 0 ? lane.ahead : p.outputs;
    const int64_t across = mnp_ceil(lane.count, mnp_lanes), down = mnp_ceil(outputs, mnp_outputs);
    const int64_t outer = lane.ahead > 0 ? p.lines : p.lines / p.kept[last];
    MNP_FOR (number, outer * across * down) {
        int64_t index[MNP_UPFIRDN_DIMS] = {};
        const int64_t first = number % across * mnp_lanes, begin = number / across % down * mnp_outputs;
        if (lane.ahead > 0)
            mnp_unravel<MNP_UPFIRDN_DIMS>(p.kept, number / across / down, index);
        else
            mnp_unravel<last>(p.kept, number / across / down, index);
        mnp_do_panel(p, lane, (const MNP_IN *)p.in + mnp_offset<MNP_UPFIRDN_DIMS>(p.in_kept, index) + first * lane.in,
                     (MNP_OUT *)p.out + mnp_offset<MNP_UPFIRDN_DIMS>(p.out_kept, index) + first * lane.out,
                     mnp_least(mnp_lanes, lane.count - first), begin, mnp_least(mnp_outputs, outputs - begin));
    }
}

MNP_KERNEL(upfirdn, mnp_upfirdn_params)
{
    const int64_t runs = mnp_ceil(p.outputs, mnp_run);
    if (p.lines * p.outputs == 0)
        return;
    if (!MNP_PLAIN || p.in_along != 1 || p.out_along != 1) {
        mnp_do_panels(p, worker, workers);
        return;
    }
    MNP_FOR (number, p.lines * runs)
        mnp_do_run(p, number, runs);
}

#endif
