/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided spectra of real segments in one pass on a GPU: what segments.cu cuts is transformed where it is, so that
 * only spectra, powers, or sums of powers are written.
 *
 *   MNP_IN, MNP_OUT   the real types in memory.  Sums are in double
 *   MNP_SIZE          elements of a transform: a power of two from 64 to 4096; segments are followed by zeros
 *   MNP_WHAT          MNP_SPECTRA, MNP_POWERS or MNP_POWER_SUMS
 *   MNP_TEAMS         teams of a block; a team of MNP_SIZE / 8 threads takes a chunk of segments, one after another
 *
 * Even and odd elements are the real and imaginary parts of half as many complex numbers.  Their transform is by steps
 * of four in shared memory, in Stockham's order, which needs no permutation; the spectrum follows from it and its
 * mirror image.
 */
#include "kernels/prelude.h"
#include "kernels/signal/spectral/segments_params.h"
#include "kernels/nest.h"
#include "kernels/numbers.h"

constexpr int mnp_points = MNP_SIZE / 2, mnp_team = mnp_points / 4, mnp_warps = (mnp_team + 31) / 32;
constexpr int mnp_log2(int n)
{
    return n <= 1 ? 0 : 1 + mnp_log2(n / 2);
}

/* A complex number that is read and written in one access. */
struct alignas(16) mnp_number : mnp_complex128 {
};

/* Where number i is in shared memory; the gaps avoid bank conflicts. */
MNP_INLINE constexpr int mnp_slot(int i)
{
    return i + i / 8;
}

/* Wait for the threads of the team. */
MNP_INLINE void mnp_meet()
{
    if (mnp_team <= 32)
        __syncwarp();
    else
        __syncthreads();
}

/* The sum over the threads of a team; `room` is for one number of each of its warps. */
MNP_INLINE double mnp_team_sum(double x, double *room)
{
#pragma unroll
    for (int by = (mnp_team < 32 ? mnp_team : 32) / 2; by > 0; by /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, by);
    if (mnp_warps == 1)
        return x;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x % mnp_team / 32] = x;
    __syncthreads();
    x = 0;
#pragma unroll
    for (int w = 0; w < mnp_warps; w++)
        x += room[w];
    return x;
}

/*
 * Elements 2 (j + r team) and the next one, for r from 0 to 3, of segment number `number`, as they are to be
 * transformed.
 */
MNP_INLINE void mnp_read(const mnp_segments_params &p, const MNP_IN *in, int64_t number, int j, double *room,
                         mnp_number (&v)[4])
{
    const int64_t before = (p.first_segment + number) * p.step + p.offset - p.first;
    const double n = (double)p.size, middle = 0.5 * (n - 1);
    double *x = &v[0].re, sum = 0, moment = 0;
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int k = 2 * (j + e / 2 * mnp_team) + e % 2;
        const int64_t at = before + k;
        x[e] = k < p.size && at >= 0 && at < p.length ? mnp_to<double>::from(in[at * p.along]) : 0;
        sum += x[e];
        moment += x[e] * (k - middle);
    }
    double mean = 0, slope = 0;
    if (p.detrend)
        mean = mnp_team_sum(sum, room) / n;
    if (p.detrend == MNP_SEGMENTS_LINEAR && p.size > 1)
        slope = mnp_team_sum(moment, room) * 12 / (n * (n * n - 1));
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int k = 2 * (j + e / 2 * mnp_team) + e % 2;
        x[e] = k < p.size ? (x[e] - mean - slope * (k - middle)) * __ldg(p.window + k) * p.scale : 0;
    }
}

MNP_INLINE void mnp_butterfly(mnp_number (&v)[4])
{
    const mnp_complex128 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
    v[0] = {a + c};
    v[1] = {b.re + d.im, b.im - d.re};
    v[2] = {a - c};
    v[3] = {b.re - d.im, b.im + d.re};
}

/* Transform what the threads of a team have in v; the result is in shared memory. */
MNP_INLINE void mnp_transform(const mnp_number *turns, int j, mnp_number (&v)[4], mnp_number *shared)
{
    constexpr bool odd = mnp_log2(mnp_points) % 2;
    mnp_meet(); /* the last spectrum has been read */
    if (odd) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            shared[mnp_slot(2 * (j + r * mnp_team))] = {v[r] + v[r + 2]};
            shared[mnp_slot(2 * (j + r * mnp_team) + 1)] = {v[r] - v[r + 2]};
        }
    } else {
        mnp_butterfly(v);
#pragma unroll
        for (int r = 0; r < 4; r++)
            shared[mnp_slot(4 * j + r)] = v[r];
    }
#pragma unroll
    for (int done = odd ? 2 : 4; done < mnp_points; done *= 4) {
        const int in_run = j & (done - 1), turn = in_run * (mnp_points / (4 * done)) * 2; /* of MNP_SIZE */
        mnp_meet();
#pragma unroll
        for (int r = 0; r < 4; r++)
            v[r] = shared[mnp_slot(j + r * mnp_team)];
#pragma unroll
        for (int r = 1; r < 4; r++) {
            const mnp_vector<double, 2> w = *(const mnp_vector<double, 2> *)(turns + r * turn);
            v[r] = {v[r] * mnp_complex128{w.at[0], w.at[1]}};
        }
        mnp_butterfly(v);
        mnp_meet();
#pragma unroll
        for (int r = 0; r < 4; r++)
            shared[mnp_slot((j - in_run) * 4 + in_run + r * done)] = v[r];
    }
    mnp_meet();
}

/* Frequency k of the segment, from 0 to mnp_points. */
MNP_INLINE mnp_number mnp_frequency(const mnp_number *turns, const mnp_number *shared, int k)
{
    const mnp_number z = shared[mnp_slot(k & (mnp_points - 1))],
                     y = shared[mnp_slot((mnp_points - k) & (mnp_points - 1))];
    const mnp_number even = {0.5 * (z.re + y.re), 0.5 * (z.im - y.im)},
                     odd = {0.5 * (z.im + y.im), 0.5 * (y.re - z.re)};
    const mnp_number turn = turns[k];
    return {even + turn * odd};
}

extern "C" __global__ void __launch_bounds__(MNP_TEAMS *mnp_team)
    segment_spectra(const __grid_constant__ mnp_segments_params p)
{
    __shared__ mnp_number all[MNP_TEAMS][mnp_slot(mnp_points)];
    __shared__ double room[mnp_warps];
    const int j = threadIdx.x % mnp_team, team = threadIdx.x / mnp_team;
    const mnp_number *turns = (const mnp_number *)p.turns;
    mnp_number *shared = all[team], v[4];
    const int64_t units = p.lines * p.chunks, longest = (p.count + p.chunks - 1) / p.chunks;
    const int64_t wanted = (int64_t)blockIdx.x * MNP_TEAMS + team, unit = mnp_least(wanted, units - 1);
    const int64_t line = mnp_quotient(unit, p.chunks), chunk = unit - line * p.chunks;
    const int64_t begin = mnp_share_begin(p.count, chunk, p.chunks),
                  end = mnp_share_begin(p.count, chunk + 1, p.chunks);
    int64_t index[MNP_SEGMENTS_DIMS];
    mnp_unravel<MNP_SEGMENTS_DIMS>(p.kept, line, index);
    const MNP_IN *in = (const MNP_IN *)p.in + mnp_offset<MNP_SEGMENTS_DIMS>(p.in_kept, index);
    MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_SEGMENTS_DIMS>(p.out_kept, index);
    double sums[5] = {};
    for (int64_t i = 0; i < longest; i++) { /* teams stay together, as they wait for one another */
        const bool works = wanted < units && begin + i < end;
        const int64_t number = mnp_least(begin + i, p.count - 1);
        mnp_read(p, in, number, j, room, v);
        mnp_transform(turns, j, v, shared);
#pragma unroll
        for (int q = 0; q < 5; q++) {
            const int k = j + q * mnp_team;
            if (k > mnp_points || !works)
                break;
            const mnp_number x = mnp_frequency(turns, shared, k);
            MNP_OUT *to = out + number * p.segment + k * p.within;
            const double power = x.re * x.re + x.im * x.im;
            if (MNP_WHAT == MNP_POWER_SUMS) {
                sums[q] += power;
            } else if (MNP_WHAT == MNP_POWERS) {
                *to = mnp_to<MNP_OUT>::from(power * (k > 0 && k < p.twice ? 2 * p.power : p.power));
            } else {
                mnp_vector<MNP_OUT, 2> pair;
                pair.at[0] = mnp_to<MNP_OUT>::from(x.re);
                pair.at[1] = mnp_to<MNP_OUT>::from(x.im);
                *(mnp_vector<MNP_OUT, 2> *)to = pair;
            }
        }
    }
#pragma unroll
    for (int q = 0; q < 5; q++) {
        const int k = j + q * mnp_team;
        if (MNP_WHAT == MNP_POWER_SUMS && k <= mnp_points && wanted < units)
            out[chunk * p.segment + k * p.within] = mnp_to<MNP_OUT>::from(sums[q]);
    }
}
