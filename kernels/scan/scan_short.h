/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans of short lines on a GPU.
 *
 * A block copies p.parts lines to shared memory, wherever they lie.  The elements of p.columns neighbouring lines may
 * alternate, which makes groups of such lines.  Lines are divided into runs of p.run lines, and these into the lines of
 * blocks; where a run is one piece of memory, so are these.  A team of threads has a line there, and each of them a
 * strip of adjacent vectors: it joins their elements, a few shuffles give what is before the strip, and it goes through
 * them again.  The results are copied to memory like the elements.
 *
 * Threads of a warp that have strips of the same number lie beside each other.  Gaps between groups and the length of
 * strips are such that they do not meet at banks of shared memory; lib/ops/scan/scan_plan.c chooses both.
 */
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

typedef mnp_vector<mnp_in, MNP_VECTOR> mnp_taken;
typedef mnp_vector<mnp_out, MNP_VECTOR> mnp_given;
constexpr int mnp_short_unroll = MNP_VECTOR < 4 ? 4 / MNP_VECTOR : 1;

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    extern __shared__ uint4 mnp_shared[];
    __shared__ int64_t in_starts[MNP_UNIT_IN ? 1 : MNP_SCAN_GROUPS], out_starts[MNP_UNIT_OUT ? 1 : MNP_SCAN_GROUPS];
    const int team = 1 << p.team, beside = 32 >> p.team, number = (int)(threadIdx.x % 32) >> (5 - p.team);
    const int length = (int)p.length, each = (int)p.parts;
    int64_t first = (int64_t)blockIdx.x * each, after = p.lines, in_begin = first * length, out_begin = in_begin;
    if (p.run < p.lines) {
        const int64_t blocks = mnp_quotient(p.run + each - 1, each), run = mnp_quotient(blockIdx.x, blocks);
        int64_t index[MNP_KEPT];
        first += run * (p.run - blocks * each);
        after = (run + 1) * p.run;
        mnp_unravel<MNP_KEPT>(p.kept, first, index);
        in_begin = mnp_offset<MNP_KEPT>(p.in.kept, index);
        out_begin = mnp_offset<MNP_KEPT>(p.out.kept, index);
    }
    const int count = (int)mnp_least(each, after - first), inner = (int)p.columns, groups = count / inner;
    const mnp_in *const in = (const mnp_in *)p.in.base + (MNP_UNIT_IN ? in_begin : 0);
    mnp_out *const out = (mnp_out *)p.out.base + (MNP_UNIT_OUT ? out_begin : 0);
    const int vectors = length / MNP_VECTOR, strip = (int)p.strip;
    const int begin = (int)mnp_least(number * strip, vectors), end = (int)mnp_least(begin + strip, vectors);
    if (!MNP_UNIT_IN)
        mnp_find_starts(p, p.in, first, groups, in_starts);
    if (!MNP_UNIT_OUT)
        mnp_find_starts(p, p.out, first, groups, out_starts);
    if (!MNP_UNIT_IN)
        __syncthreads();
    const mnp_box from_box = {groups, length, inner, (int)p.in.gap, in_starts};
    const mnp_box to_box = {groups, length, inner, (int)p.out.gap, out_starts};
    const int from_pitch = length * inner + from_box.gap, to_pitch = length * inner + to_box.gap;
    uint4 *const room = mnp_shared + (each / inner * from_pitch * (int)sizeof(mnp_in) + 30) / 16;
    mnp_in *const elements = mnp_room_of_elements(mnp_shared, in, out);
    mnp_out *const results = mnp_room_of_results(room, elements, out);
    mnp_stage_box(elements, in, p.in, from_box);
    mnp_await_stage();
    /* All threads go through the loop alike, as those of a warp shuffle. */
    for (int base = 0; base < count; base += MNP_THREADS >> p.team) {
        const int line = base + (int)threadIdx.x / 32 * beside + ((int)threadIdx.x & (beside - 1));
        const bool there = line < count;
        const int group = inner > 1 ? (int)((uint32_t)line / (uint32_t)inner) : line, column = line - group * inner;
        const mnp_taken *const from = (const mnp_taken *)(elements + group * from_pitch + column);
        mnp_given *const to = (mnp_given *)(results + group * to_pitch + column);
        mnp_acc total = mnp_empty<mnp_op>();
        if (team > 1) {
            mnp_op::lanes<1> lanes;
            lanes.start(0);
#pragma unroll mnp_short_unroll
            for (int j = begin; there && j < end; j++) {
                const mnp_taken next = from[j * inner];
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++)
                    mnp_take(lanes, 0, next.at[v]);
            }
            mnp_acc acc = lanes.end(0);
            total = mnp_join_threads(number, team, beside, acc);
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
#pragma unroll mnp_short_unroll
            for (int j = begin; j < end; j++) {
                const mnp_taken next = from[j * inner];
                mnp_given found;
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++) {
                    so_far.take(next.at[v]);
                    found.at[v] = mnp_result(so_far.end());
                }
                to[j * inner] = found;
            }
        }
    }
    __syncthreads();
    mnp_unstage_box(out, results, p.out, to_box);
}
