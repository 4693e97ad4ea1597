/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans of short lines on a GPU.
 *
 * A block copies p.parts lines that follow one another in memory to shared memory, wherever they begin.  The elements
 * of a few lines may alternate, as many as the stride along a line says, which makes groups of such lines.  A team of
 * threads has a line there, and each of them a strip of adjacent elements: it joins them, a few shuffles give what is
 * before the strip, and it goes through them again.  The results are copied to memory like the elements.  A strip has
 * an odd number of elements, so that the threads of a warp do not meet at a bank of shared memory.
 */
#include "kernels/reduction/staging_cuda.h"

constexpr bool mnp_in_place = sizeof(mnp_in) == sizeof(mnp_out);

/* The total of the team's elements before those of this thread, of which `acc` is the total. */
MNP_INLINE mnp_acc mnp_before_thread(mnp_acc acc, int lane, int team)
{
    for (int by = 1; by < team; by *= 2) {
        mnp_acc other = mnp_shuffle_up(acc, by, team);
        if (lane >= by) {
            mnp_op::join(other, acc);
            acc = other;
        }
    }
    const mnp_acc before = mnp_shuffle_up(acc, 1, team);
    return lane > 0 ? before : mnp_empty<mnp_op>();
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    extern __shared__ uint4 mnp_shared[];
    const int team = 1 << p.team, lane = threadIdx.x & (team - 1), length = (int)p.length, each = (int)p.parts;
    const int64_t first = (int64_t)blockIdx.x * each;
    const int count = (int)mnp_least(each, p.lines - first);
    const mnp_in *const in = (const mnp_in *)p.in.base + first * length;
    mnp_out *const out = (mnp_out *)p.out.base + first * length;
    const int inner = (int)p.in.along; /* lines of a group */
    const int strip = team == 1 ? length : (length + team - 1) / team | 1;
    const int begin = lane * strip < length ? lane * strip : length, end = (int)mnp_least(begin + strip, length);
    uint4 *const room = mnp_in_place ? mnp_shared : mnp_shared + (each * length * (int)sizeof(mnp_in) + 30) / 16;
    mnp_stage(mnp_shared, in, count * length * (int)sizeof(mnp_in));
    mnp_await_stage();
    const mnp_in *const elements = (const mnp_in *)((const char *)mnp_shared + mnp_skip_of(in));
    mnp_out *const results = (mnp_out *)((char *)room + (mnp_in_place ? mnp_skip_of(in) : mnp_skip_of(out)));
    /* All threads go through the loop alike, as those of a warp shuffle. */
    for (int base = 0; base < count; base += MNP_THREADS >> p.team) {
        const int line = base + (threadIdx.x >> p.team);
        const bool there = line < count;
        const int group = inner > 1 ? (int)((uint32_t)line / (uint32_t)inner) : line;
        const int place = group * inner * length + (line - group * inner);
        const mnp_in *const from = elements + place;
        mnp_acc total = mnp_empty<mnp_op>();
        if (team > 1) {
            mnp_op::lanes<1> lanes;
            lanes.start(0);
#pragma unroll 4
            for (int j = begin; there && j < end; j++)
                mnp_take(lanes, 0, from[j * inner]);
            total = mnp_before_thread(lanes.end(0), lane, team);
        }
        if (there) {
            mnp_so_far so_far;
            if (p.count > 0) {
                int64_t index[MNP_KEPT];
                mnp_unravel<MNP_KEPT>(p.kept, first + line, index);
                mnp_acc known = mnp_before_line(p, index);
                mnp_op::join(known, total);
                total = known;
            }
            so_far.start(total);
#pragma unroll 4
            for (int j = begin; j < end; j++) {
                so_far.take(from[j * inner]);
                results[place + j * inner] = mnp_result(so_far.end());
            }
        }
    }
    __syncthreads();
    if (!mnp_in_place || mnp_skip_of(in) == mnp_skip_of(out)) {
        mnp_unstage(out, room, count * length * (int)sizeof(mnp_out));
    } else {
        for (int i = threadIdx.x; i < count * length; i += MNP_THREADS)
            out[i] = results[i];
    }
}
