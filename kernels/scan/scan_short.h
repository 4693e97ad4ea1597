/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans of short lines on a GPU.
 *
 * A block copies p.parts lines to shared memory, wherever they lie.  The elements of p.columns neighbouring lines may
 * alternate, which makes groups of such lines.  A team of threads has a line there, and each of them a strip of
 * adjacent elements: it joins them, a few shuffles give what is before the strip, and it goes through them again.  The
 * results are copied to memory like the elements.  A strip has an odd number of elements, so that the threads of a warp
 * do not meet at a bank of shared memory.
 */
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

/* Find where the groups of a block begin in memory. */
MNP_INLINE void mnp_find_starts(const mnp_scan_params &p, const mnp_scan_operand &operand, int64_t line, int groups,
                                int64_t *starts)
{
    for (int g = threadIdx.x; g < groups; g += MNP_THREADS) {
        int64_t index[MNP_KEPT];
        mnp_unravel<MNP_KEPT>(p.kept, line + g * p.columns, index);
        starts[g] = mnp_offset<MNP_KEPT>(operand.kept, index);
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    extern __shared__ uint4 mnp_shared[];
    __shared__ int64_t in_starts[MNP_UNIT_IN ? 1 : MNP_SCAN_GROUPS], out_starts[MNP_UNIT_OUT ? 1 : MNP_SCAN_GROUPS];
    const int team = 1 << p.team, lane = threadIdx.x & (team - 1), length = (int)p.length, each = (int)p.parts;
    const int64_t first = (int64_t)blockIdx.x * each;
    const int count = (int)mnp_least(each, p.lines - first), inner = (int)p.columns, groups = count / inner;
    const mnp_in *const in = (const mnp_in *)p.in.base + (MNP_UNIT_IN ? first * length : 0);
    mnp_out *const out = (mnp_out *)p.out.base + (MNP_UNIT_OUT ? first * length : 0);
    const int strip = team == 1 ? length : (length + team - 1) / team | 1;
    const int begin = lane * strip < length ? lane * strip : length, end = (int)mnp_least(begin + strip, length);
    if (!MNP_UNIT_IN)
        mnp_find_starts(p, p.in, first, groups, in_starts);
    if (!MNP_UNIT_OUT)
        mnp_find_starts(p, p.out, first, groups, out_starts);
    if (!MNP_UNIT_IN)
        __syncthreads();
    const mnp_box from_box = {groups, length, inner, in_starts};
    const mnp_box to_box = {groups, length, inner, out_starts};
    uint4 *const room = mnp_shared + (each * length * (int)sizeof(mnp_in) + 30) / 16;
    mnp_in *const elements = mnp_room_of_elements(mnp_shared, in, out);
    mnp_out *const results = mnp_room_of_results(room, elements, out);
    mnp_stage_box(elements, in, p.in, from_box);
    mnp_await_stage();
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
    mnp_unstage_box(out, results, p.out, to_box);
}
