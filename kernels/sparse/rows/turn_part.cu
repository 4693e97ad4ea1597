/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What turns a part of a sparse matrix round: lines of rows become lines of columns, and vice versa.  On the host
 * entries are counted, and stored where they belong.  On a GPU they are too, in any order, and each then finds its place
 * among the few of its new line; where a line has many, a stable sort of the entries does that.  Compiled with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/lines.h"
#include "kernels/sparse/rows/turn_part_params.h"

#if MNP_CUDA

/*
 * Gather entries by their order, a few by each thread, whose loads overlap: they come from anywhere.
 */
MNP_INLINE void gather(const mnp_turn_params &p, int64_t group)
{
    enum { LANES = 32, FEW = 4 };
    const line_offsets order = {p.order, p.wide != 0};
    const int64_t first = group / LANES * (LANES * FEW) + group % LANES;
    int64_t from[FEW];
#pragma unroll
    for (int i = 0; i < FEW; i++)
        from[i] = first + i * LANES < p.entries ? order[first + i * LANES] : 0;
#pragma unroll
    for (int i = 0; i < FEW; i++) {
        if (first + i * LANES < p.entries) {
            p.made_indices[first + i * LANES] = p.lines_of[from[i]];
            ((MNP_VALUE *)p.made_values)[first + i * LANES] = ((const MNP_VALUE *)p.values)[from[i]];
        }
    }
}

/* An entry on its way, stored at once where it has 16 bytes. */
struct alignas(sizeof(MNP_VALUE) == 8 ? 16 : 8) mnp_turned {
    int line;
    MNP_VALUE value;
};
static_assert(sizeof(mnp_turned) == MNP_TURN_BYTES(sizeof(MNP_VALUE)), "the library allocates entries of this size");

/* A warp's entries of the same index count together, as many may have it. */
MNP_INLINE void rank_entries(const mnp_turn_params &p)
{
    const int lane = (int)threadIdx.x % 32;
    MNP_FOR (i, (p.entries + 31) / 32 * 32) {
        const int index = i < p.entries ? p.indices[i] : -1;
        const unsigned alike = __match_any_sync(0xffffffffu, index);
        const int first = __ffs((int)alike) - 1, before = __popc(alike & ((1u << lane) - 1));
        unsigned long long rank = 0;
        if (lane == first && index >= 0)
            rank = atomicAdd((unsigned long long *)p.sums + index, (unsigned long long)__popc(alike));
        rank = __shfl_sync(0xffffffffu, rank, first);
        if (index >= 0)
            p.ranks[i] = (int)rank + before;
    }
}

MNP_INLINE void find_longest(const mnp_turn_params &p)
{
    int longest = 0; /* what does not fit is long enough */
    MNP_FOR (i, p.count)
        longest = (int)mnp_greatest(longest, mnp_least(p.sums[i], 0x7fffffff));
    longest = __reduce_max_sync(0xffffffffu, longest);
    if (threadIdx.x % 32 == 0)
        atomicMax(p.longest, (long long)longest);
}

MNP_INLINE void scatter_entry(const mnp_turn_params &p, int line, int64_t entry)
{
    const int64_t at = p.sums[p.indices[entry]] + p.ranks[entry];
    ((mnp_turned *)p.scattered)[at] = mnp_turned{line, ((const MNP_VALUE *)p.values)[entry]};
}

/* Where a new line begins and ends. */
struct mnp_new_line {
    int64_t begin, end;
};

MNP_INLINE void arrange_entry(const mnp_turn_params &p, const mnp_new_line &line, int64_t entry)
{
    const mnp_turned *all = (const mnp_turned *)p.scattered, own = all[entry];
    int64_t at = line.begin;
    for (int64_t i = line.begin; i < line.end; i++)
        at += all[i].line < own.line;
    p.made_indices[at] = own.line;
    ((MNP_VALUE *)p.made_values)[at] = own.value;
}

#else

MNP_INLINE int64_t begin_of_chunk(const mnp_turn_params &p, int64_t chunk)
{
    return mnp_share_begin(p.lines, chunk, p.chunks);
}

static void count_chunk(const mnp_turn_params &p, int64_t chunk)
{
    const line_offsets offsets = {p.offsets, p.wide != 0};
    long long *const tally = p.tallies + chunk * p.others;
    const int64_t end = offsets[begin_of_chunk(p, chunk + 1)];
    memset(tally, 0, (size_t)p.others * sizeof *tally);
    for (int64_t entry = offsets[begin_of_chunk(p, chunk)]; entry < end; entry++)
        tally[p.indices[entry]]++;
}

static void place_chunk(const mnp_turn_params &p, int64_t chunk)
{
    const line_offsets offsets = {p.offsets, p.wide != 0};
    const MNP_VALUE *const values = (const MNP_VALUE *)p.values;
    MNP_VALUE *const made = (MNP_VALUE *)p.made_values;
    long long *const before = p.tallies + chunk * p.others;
    int64_t entry = offsets[begin_of_chunk(p, chunk)];
    for (int64_t line = begin_of_chunk(p, chunk); line < begin_of_chunk(p, chunk + 1); line++) {
        for (const int64_t end = offsets[line + 1]; entry < end; entry++) {
            const int other = p.indices[entry];
            const int64_t at = p.sums[other] + before[other]++;
            p.made_indices[at] = (int)line;
            made[at] = values[entry];
        }
    }
}

static void sum_tallies(const mnp_turn_params &p, int64_t other)
{
    long long sum = 0;
    for (long long *at = p.tallies + other, *end = at + p.chunks * p.others; at < end; at += p.others) {
        const long long count = *at;
        *at = sum;
        sum += count;
    }
    p.sums[other] = sum;
}

#endif

MNP_KERNEL(turn_part, mnp_turn_params)
{
    const line_offsets offsets = {p.offsets, p.wide != 0};
    switch (p.task) {
    case MNP_TURN_LINES:
        for_entries(
            ALL_WORKERS, offsets, p.lines, [&](int64_t line) { return (int)line; },
            [&](int line, int64_t entry) { p.lines_of[entry] = line; });
        break;
    case MNP_TURN_OFFSETS:
        MNP_FOR (i, p.count)
            store_offset(p.made_offsets, p.wide != 0, i, lower_bound(p.keys, 0, p.entries, i));
        break;
    case MNP_TURN_NARROW:
        MNP_FOR (i, p.count)
            store_offset(p.made_offsets, p.wide != 0, i, p.sums[i]);
        break;
#if MNP_CUDA
    case MNP_TURN_ENTRIES:
        MNP_FOR (i, p.count)
            gather(p, i);
        break;
    case MNP_TURN_RANK:
        rank_entries(p);
        break;
    case MNP_TURN_LONGEST:
        find_longest(p);
        break;
    case MNP_TURN_SCATTER:
        for_entries(
            ALL_WORKERS, offsets, p.lines, [&](int64_t line) { return (int)line; },
            [&](int line, int64_t entry) { scatter_entry(p, line, entry); });
        break;
    case MNP_TURN_ARRANGE:
        for_entries(
            ALL_WORKERS, p.sums, p.others,
            [&](int64_t line) {
                return mnp_new_line{p.sums[line], p.sums[line + 1]};
            },
            [&](const mnp_new_line &line, int64_t entry) { arrange_entry(p, line, entry); });
        break;
#else
    case MNP_TURN_COUNT:
        MNP_FOR (i, p.count)
            count_chunk(p, i);
        break;
    case MNP_TURN_SUM:
        MNP_FOR (i, p.count)
            sum_tallies(p, i);
        break;
    case MNP_TURN_PLACE:
        MNP_FOR (i, p.count)
            place_chunk(p, i);
        break;
#endif
    case MNP_TURN_GHOSTS:
        for_entries(
            ALL_WORKERS, offsets, p.lines, [&](int64_t line) { return p.row_lo + p.rows_of[line]; },
            [&](int64_t row, int64_t entry) {
                p.rows[entry] = row;
                p.columns[entry] = p.ghosts[p.indices[entry]];
            });
        break;
    }
}
