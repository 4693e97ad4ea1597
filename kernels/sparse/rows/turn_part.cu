/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What turns a part of a sparse matrix round: lines of rows become lines of columns, and vice versa.  On a GPU a stable
 * sort of the entries does most of that; on the host entries are counted, and stored where they belong.  Compiled with
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
#if MNP_CUDA
    case MNP_TURN_ENTRIES:
        MNP_FOR (i, p.count)
            gather(p, i);
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
    case MNP_TURN_NARROW:
        MNP_FOR (i, p.count)
            store_offset(p.made_offsets, p.wide != 0, i, p.sums[i]);
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
