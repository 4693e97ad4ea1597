/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans on a GPU.
 *
 * Along lines a warp takes MNP_UNROLL rows of 32 * MNP_VECTOR adjacent elements, and loads all of them first, so that
 * enough bytes are in flight.  Each thread adds its adjacent elements of a row, and shuffles scan the threads' totals,
 * row after row.  A short line is scanned by a team of a warp's threads, a longer one by a block.  Few long lines are
 * divided into tiles for many blocks; see scan_tiles.h.  Across lines a thread scans MNP_VECTOR lines, or a part of
 * each; a first launch then finds the totals of the parts.  Too few lines for all threads are divided into bands; see
 * scan_bands.h.  Most short lines go through shared memory; see scan_short.h.
 */
#include "kernels/copy_ahead_cuda.h"

template <typename Acc> struct mnp_words {
    static constexpr int count = (sizeof(Acc) + 3) / 4;
    uint32_t word[count];
};

/* The accumulator of another thread of the team: `by` threads before this one; or thread number `from`. */
template <typename Acc> MNP_INLINE Acc mnp_shuffle_up(const Acc &acc, int by, int width)
{
    mnp_words<Acc> words = {};
    Acc other;
    memcpy(&words, &acc, sizeof acc);
#pragma unroll
    for (int w = 0; w < words.count; w++)
        words.word[w] = __shfl_up_sync(0xffffffffu, words.word[w], by, width);
    memcpy(&other, &words, sizeof other);
    return other;
}
template <typename Acc> MNP_INLINE Acc mnp_shuffle_from(const Acc &acc, int from, int width)
{
    mnp_words<Acc> words = {};
    Acc other;
    memcpy(&words, &acc, sizeof acc);
#pragma unroll
    for (int w = 0; w < words.count; w++)
        words.word[w] = __shfl_sync(0xffffffffu, words.word[w], from, width);
    memcpy(&other, &words, sizeof other);
    return other;
}

/*
 * The total of what the threads before this one have, of `count` that are `step` apart in a warp, of which this is
 * number `number`; `acc`, what this one has, becomes the total of all up to it.  All threads of the warp call it.
 */
MNP_INLINE mnp_acc mnp_join_threads(int number, int count, int step, mnp_acc &acc)
{
    for (int by = 1; by < count; by *= 2) {
        mnp_acc other = mnp_shuffle_up(acc, by * step, 32);
        if (number >= by) {
            mnp_op::join(other, acc);
            acc = other;
        }
    }
    const mnp_acc before = mnp_shuffle_up(acc, step, 32);
    return number > 0 ? before : mnp_empty<mnp_op>();
}

/* Load MNP_VECTOR adjacent elements from element x on, except those at or after `end`. */
template <bool unit, typename Memory>
MNP_INLINE void mnp_load(const Memory *at, int64_t stride, int64_t x, int64_t end, Memory (&values)[MNP_VECTOR])
{
    if (MNP_VECTOR > 1 && unit && x + MNP_VECTOR <= end) {
        const mnp_vector<Memory, MNP_VECTOR> all = *(const mnp_vector<Memory, MNP_VECTOR> *)(at + x);
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            values[v] = all.at[v];
        return;
    }
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (x + v < end)
            values[v] = at[unit ? x + v : (x + v) * stride];
    }
}
template <bool unit, typename Memory>
MNP_INLINE void mnp_store(Memory *at, int64_t stride, int64_t x, int64_t end, const Memory (&values)[MNP_VECTOR])
{
    if (MNP_VECTOR > 1 && unit && x + MNP_VECTOR <= end) {
        mnp_vector<Memory, MNP_VECTOR> all;
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            all.at[v] = values[v];
        *(mnp_vector<Memory, MNP_VECTOR> *)(at + x) = all;
        return;
    }
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (x + v < end)
            at[unit ? x + v : (x + v) * stride] = values[v];
    }
}

#if MNP_WAY == MNP_SCAN_COLUMNS

template <bool store> MNP_INLINE void mnp_do_columns(const mnp_scan_params &p, int64_t vector, int64_t part)
{
    const int64_t begin = mnp_share_begin(p.length, part, p.parts), end = mnp_share_begin(p.length, part + 1, p.parts);
    const int64_t in_step = p.in.kept[MNP_KEPT - 1], out_step = p.out.kept[MNP_KEPT - 1];
    int64_t index[MNP_KEPT];
    mnp_acc acc[MNP_VECTOR];
    mnp_unravel<MNP_KEPT>(p.kept, vector * MNP_VECTOR, index);
    const mnp_in *in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
    mnp_out *out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++, index[MNP_KEPT - 1]++)
        acc[v] = store ? mnp_before_part(p, index, vector * MNP_VECTOR + v, part) : mnp_empty<mnp_op>();
    for (int64_t r = begin; r < end; r += MNP_UNROLL) {
        mnp_in value[MNP_UNROLL][MNP_VECTOR];
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
            if (r + u < end)
                mnp_load<MNP_UNIT_IN>(in + (r + u) * p.in.along, in_step, 0, MNP_VECTOR, value[u]);
        }
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
            if (r + u >= end)
                break;
            mnp_out result[MNP_VECTOR];
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++) {
                mnp_add_element(acc[v], value[u][v]);
                result[v] = mnp_result(acc[v]);
            }
            if (store)
                mnp_store<MNP_UNIT_OUT>(out + (r + u) * p.out.along, out_step, 0, MNP_VECTOR, result);
        }
    }
#pragma unroll
    for (int v = 0; v < MNP_VECTOR && !store; v++)
        *mnp_part_total(p, vector * MNP_VECTOR + v, part) = acc[v];
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    const int64_t number = (int64_t)blockIdx.x * MNP_THREADS + threadIdx.x, vectors = p.lines / MNP_VECTOR;
    const bool store = p.task == MNP_SCAN_VALUES;
    const int64_t part = number / vectors, vector = number - part * vectors;
    if (part >= p.parts - !store)
        return;
    if (store)
        mnp_do_columns<true>(p, vector, part);
    else
        mnp_do_columns<false>(p, vector, part);
}

#else

constexpr int mnp_chunk = 32 * MNP_VECTOR * MNP_UNROLL; /* elements of a warp */

/* The total of the first `count` elements of a vector. */
MNP_INLINE mnp_acc mnp_come_to(const mnp_in (&value)[MNP_VECTOR], int64_t count)
{
#if MNP_LOOKS
    mnp_acc acc = mnp_empty<mnp_op>();
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (v < count)
            mnp_add_element(acc, value[v]);
    }
    return acc;
#else
    mnp_op::lanes<1> lanes;
    lanes.start(0);
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (v < count)
            mnp_take(lanes, 0, value[v]);
    }
    return lanes.end(0);
#endif
}

/* The rows of a team of `width` threads; x is this thread's first element. */
struct mnp_rows {
    mnp_in value[MNP_UNROLL][MNP_VECTOR];
    mnp_acc before[MNP_UNROLL]; /* the total of the team's elements before this thread's of that row */

    MNP_INLINE void load(const mnp_in *in, int64_t stride, int64_t x, int width, int64_t end)
    {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++)
            mnp_load<MNP_UNIT_IN>(in, stride, x + u * width * MNP_VECTOR, end, value[u]);
    }
    /* Find `before`; `known` is the total of all elements before the rows, and then also of the rows. */
    MNP_INLINE void scan(int lane, int64_t x, int width, int64_t end, mnp_acc &known)
    {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++, x += width * MNP_VECTOR) {
            mnp_acc acc = mnp_come_to(value[u], end - x);
            for (int by = 1; by < width; by *= 2) {
                mnp_acc other = mnp_shuffle_up(acc, by, width);
                if (lane >= by) {
                    mnp_op::join(other, acc);
                    acc = other;
                }
            }
            const mnp_acc previous = mnp_shuffle_up(acc, 1, width), all = mnp_shuffle_from(acc, width - 1, width);
            before[u] = known;
            if (lane > 0)
                mnp_op::join(before[u], previous);
            mnp_op::join(known, all);
        }
    }
    /* Store the results; `first` is the total of elements that `before` does not include. */
    MNP_INLINE void store(mnp_out *out, int64_t stride, int64_t x, int width, int64_t end, const mnp_acc &first) const
    {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++, x += width * MNP_VECTOR) {
            mnp_out result[MNP_VECTOR];
            mnp_so_far so_far;
            so_far.start(first);
            mnp_op::join(so_far.before, before[u]);
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++) {
                if (x + v < end)
                    so_far.take(value[u][v]);
                result[v] = mnp_result(so_far.end());
            }
            mnp_store<MNP_UNIT_OUT>(out, stride, x, end, result);
        }
    }
};

#if MNP_WAY == MNP_SCAN_ROWS

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    const int team = 1 << p.team, lane = threadIdx.x & (team - 1);
    const int64_t number = (int64_t)blockIdx.x * (MNP_THREADS >> p.team) + (threadIdx.x >> p.team);
    const int64_t line = mnp_least(
        number, p.lines - 1); /* teams without a line repeat the last one, as all threads of a warp must shuffle */
    const int64_t length = p.length, step = (int64_t)team * MNP_VECTOR * MNP_UNROLL;
    int64_t index[MNP_KEPT];
    mnp_unravel<MNP_KEPT>(p.kept, line, index);
    const mnp_in *in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
    mnp_out *out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
    mnp_acc known = mnp_before_line(p, index);
    const mnp_acc nothing = mnp_empty<mnp_op>();
    for (int64_t from = 0; from < length; from += step) {
        const int64_t x = from + lane * MNP_VECTOR;
        mnp_rows rows;
        rows.load(in, p.in.along, x, team, length);
        rows.scan(lane, x, team, length, known);
        if (number == line)
            rows.store(out, p.out.along, x, team, length, nothing);
    }
}

#else

#if MNP_WAY == MNP_SCAN_SHORT || MNP_WAY == MNP_SCAN_BANDS
#include "kernels/scan/scan_box.h"
#endif
#if MNP_WAY == MNP_SCAN_TILES || MNP_WAY == MNP_SCAN_BANDS
#include "kernels/scan/scan_look_back.h"
#endif
#if MNP_WAY == MNP_SCAN_SHORT
#include "kernels/scan/scan_short.h"
#elif MNP_WAY == MNP_SCAN_BANDS
#include "kernels/scan/scan_bands.h"
#else
#include "kernels/scan/scan_tiles.h"
#endif

#endif
#endif
