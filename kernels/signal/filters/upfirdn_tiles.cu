/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters without feedback that change the rate, along lines, on a GPU.
 *
 *   MNP_IN, MNP_OUT    the real types in memory; complex numbers are two lines each.  Sums are in double
 *   MNP_UP, MNP_DOWN   the rates
 *   MNP_TAPS           taps of a phase: an element of the result is a sum of so many products at most
 *   MNP_EACH           elements of a thread
 *   MNP_PERIODS        threads of a phase in a block
 *
 * A thread computes elements of one phase, at distances of MNP_UP, which meet the same taps; from one to the next, the
 * inputs that they meet move by MNP_DOWN.  So with the taps whose numbers have one remainder by MNP_DOWN, a thread
 * slides over inputs at distances of MNP_DOWN: a tap and an input from shared memory are enough to add to all its
 * elements.
 */
#include "kernels/prelude.h"
#include "kernels/signal/filters/upfirdn_params.h"
#include "kernels/nest.h"

constexpr int mnp_threads = MNP_UP * MNP_PERIODS, mnp_tile = mnp_threads * MNP_EACH;
constexpr int mnp_inputs = MNP_PERIODS * MNP_EACH * MNP_DOWN + MNP_TAPS; /* that a block reads */
constexpr int mnp_rows = (MNP_TAPS + MNP_DOWN - 1) / MNP_DOWN;           /* taps of one remainder */
constexpr int mnp_unrolled = mnp_rows <= 16 ? mnp_rows : MNP_EACH;

/*
 * Where inputs and outputs of a block are in shared memory; gaps between those of neighbouring threads avoid conflicts.
 */
MNP_INLINE constexpr int mnp_in_slot(int i)
{
    return i + i / (MNP_EACH * MNP_DOWN);
}
MNP_INLINE constexpr int mnp_out_slot(int i)
{
    return i + i / (MNP_EACH * MNP_UP);
}
constexpr int mnp_in_slots = mnp_inputs + mnp_inputs / (MNP_EACH * MNP_DOWN) + 1,
              mnp_out_slots = mnp_tile + mnp_tile / (MNP_EACH * MNP_UP) + 1;

/* The elements of a thread: `newest` is the slot number of the last input that its first element meets. */
MNP_INLINE void mnp_sum(const double *taps, const double *in, int newest, double (&sum)[MNP_EACH])
{
#pragma unroll
    for (int m = 0; m < MNP_EACH; m++)
        sum[m] = 0;
#pragma unroll
    for (int r = 0; r < MNP_DOWN && r < MNP_TAPS; r++) {
        double x[MNP_EACH]; /* what the elements meet at the present tap */
#pragma unroll
        for (int m = 0; m < MNP_EACH; m++)
            x[m] = in[mnp_in_slot(newest - r + m * MNP_DOWN)];
#pragma unroll mnp_unrolled
        for (int tap = r; tap < MNP_TAPS; tap += MNP_DOWN) {
            const double h = taps[tap];
#pragma unroll
            for (int m = 0; m < MNP_EACH; m++)
                sum[m] += h * x[m];
#pragma unroll
            for (int m = MNP_EACH - 1; m > 0; m--)
                x[m] = x[m - 1];
            if (tap + MNP_DOWN < MNP_TAPS)
                x[0] = in[mnp_in_slot(newest - tap - MNP_DOWN)];
        }
    }
}

extern "C" __global__ void __launch_bounds__(mnp_threads) upfirdn_tiles(const __grid_constant__ mnp_upfirdn_params p)
{
    __shared__ double taps[MNP_UP * MNP_TAPS], shared[mnp_in_slots > mnp_out_slots ? mnp_in_slots : mnp_out_slots];
    const int64_t tiles = (p.outputs + mnp_tile - 1) / mnp_tile;
    const int phase = threadIdx.x % MNP_UP,
              period = threadIdx.x / MNP_UP; /* the former from the block's first element */
    for (int k = threadIdx.x; k < MNP_UP * MNP_TAPS; k += mnp_threads) {
        const int64_t tap = k % MNP_TAPS * MNP_UP + k / MNP_TAPS;
        taps[k] = tap < p.count ? p.taps[tap] : 0;
    }
    for (int64_t number = blockIdx.x; number < p.lines * tiles; number += gridDim.x) {
        int64_t index[MNP_UPFIRDN_DIMS];
        double sum[MNP_EACH];
        const int64_t line = mnp_quotient(number, tiles), begin = (number - line * tiles) * mnp_tile;
        mnp_unravel<MNP_UPFIRDN_DIMS>(p.kept, line, index);
        const MNP_IN *in = (const MNP_IN *)p.in + mnp_offset<MNP_UPFIRDN_DIMS>(p.in_kept, index);
        MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_UPFIRDN_DIMS>(p.out_kept, index);
        const int64_t first = (p.first_out + begin) * MNP_DOWN, from = first / MNP_UP - MNP_TAPS + 1;
        __syncthreads(); /* the last tile has been stored */
        for (int i = threadIdx.x; i < mnp_inputs; i += mnp_threads) {
            const int64_t at = from + i - p.first_in;
            shared[mnp_in_slot(i)] = at >= 0 && at < p.length ? mnp_to<double>::from(in[at * p.in_along]) : 0;
        }
        __syncthreads();
        const int64_t own = first + (int64_t)(period * MNP_EACH * MNP_UP + phase) * MNP_DOWN;
        mnp_sum(taps + (int)(own % MNP_UP) * MNP_TAPS, shared, (int)(own / MNP_UP - from), sum);
        __syncthreads();
#pragma unroll
        for (int m = 0; m < MNP_EACH; m++)
            shared[mnp_out_slot((period * MNP_EACH + m) * MNP_UP + phase)] = sum[m];
        __syncthreads();
        for (int i = threadIdx.x; i < mnp_tile && begin + i < p.outputs; i += mnp_threads)
            out[(begin + i) * p.out_along] = mnp_to<MNP_OUT>::from(shared[mnp_out_slot(i)]);
    }
}
