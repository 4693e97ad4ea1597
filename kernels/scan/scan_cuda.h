/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans on a GPU.
 *
 * Along lines a warp takes MNP_UNROLL rows of 32 * MNP_VECTOR adjacent elements, and loads all of them first, so that
 * enough bytes are in flight.  Each thread adds its adjacent elements of a row, and shuffles scan the threads' totals,
 * row after row.  A short line is scanned by a team of a warp's threads, a longer one by a block.  Few long lines are
 * divided into tiles for many blocks; see scan_tiles.h.  Across lines a thread scans MNP_VECTOR lines, or a part of
 * each; a first launch then finds the totals of the parts.  Of lines of a few elements it has several vectors, so that
 * enough bytes are in flight, and fewer places are computed.  Too few lines for all threads are divided into bands; see
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

/* Whether a line has begun at element x. */
MNP_INLINE bool mnp_begun(int64_t x)
{
    return !MNP_SHIFTED || x >= 0;
}

/* Load MNP_VECTOR adjacent elements from element x on, except those before the first one and from `end` on. */
template <bool unit, typename Memory>
MNP_INLINE void mnp_load(const Memory *at, int64_t stride, int64_t x, int64_t end, Memory (&values)[MNP_VECTOR])
{
    if (MNP_VECTOR > 1 && unit && mnp_begun(x) && x + MNP_VECTOR <= end) {
        const mnp_vector<Memory, MNP_VECTOR> all = *(const mnp_vector<Memory, MNP_VECTOR> *)(at + x);
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            values[v] = all.at[v];
        return;
    }
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (mnp_begun(x + v) && x + v < end)
            values[v] = at[unit ? x + v : (x + v) * stride];
    }
}
template <bool unit, typename Memory>
MNP_INLINE void mnp_store(Memory *at, int64_t stride, int64_t x, int64_t end, const Memory (&values)[MNP_VECTOR])
{
    if (MNP_VECTOR > 1 && unit && mnp_begun(x) && x + MNP_VECTOR <= end) {
        mnp_vector<Memory, MNP_VECTOR> all;
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            all.at[v] = values[v];
        *(mnp_vector<Memory, MNP_VECTOR> *)(at + x) = all;
        return;
    }
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (mnp_begun(x + v) && x + v < end)
            at[unit ? x + v : (x + v) * stride] = values[v];
    }
}

#if MNP_WAY == MNP_SCAN_COLUMNS

/* From a thread's vector of lines to its next one, in vectors: those of a warp lie beside each other. */
constexpr int mnp_apart = MNP_BESIDE > 1 ? 32 : 1;

/* Scan a part of a thread's lines: MNP_BESIDE vectors of them, as far as there are so many, from `column` on. */
template <bool store>
MNP_INLINE void mnp_do_columns(const mnp_scan_params &p, int64_t outer, int64_t column, int64_t part)
{
    const int64_t in_step = p.in.kept[MNP_KEPT - 1], out_step = p.out.kept[MNP_KEPT - 1];
    const int64_t width = p.kept[MNP_KEPT - 1], line = outer * width + column;
    int64_t index[MNP_KEPT], begin = 0, end = p.length;
    mnp_acc acc[MNP_BESIDE][MNP_VECTOR];
    if (p.parts > 1) {
        begin = mnp_share_begin(p.length, part, p.parts);
        end = mnp_share_begin(p.length, part + 1, p.parts);
    }
    mnp_unravel<MNP_KEPT - 1>(p.kept, outer, index);
    index[MNP_KEPT - 1] = column;
    const mnp_in *in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
    mnp_out *out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
    bool there[MNP_BESIDE];
#pragma unroll
    for (int b = 0; b < MNP_BESIDE; b++) {
        const int beyond = b * mnp_apart * MNP_VECTOR;
        there[b] = b == 0 || column + beyond < width;
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++) {
            acc[b][v] = mnp_empty<mnp_op>();
            index[MNP_KEPT - 1] = column + beyond + v;
            if (store && there[b] && (part > 0 || p.count > 0))
                acc[b][v] = mnp_before_part(p, index, line + beyond + v, part);
        }
    }
    for (int64_t r = begin; r < end; r += MNP_UNROLL) {
        mnp_in value[MNP_UNROLL][MNP_BESIDE][MNP_VECTOR];
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
            for (int b = 0; b < MNP_BESIDE; b++) {
                if (r + u < end && there[b])
                    mnp_load<MNP_UNIT_IN>(in + (r + u) * p.in.along + b * mnp_apart * MNP_VECTOR * in_step, in_step, 0,
                                          MNP_VECTOR, value[u][b]);
            }
        }
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
            if (r + u >= end)
                break;
#pragma unroll
            for (int b = 0; b < MNP_BESIDE; b++) {
                mnp_out result[MNP_VECTOR];
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++) {
                    mnp_add_element(acc[b][v], value[u][b][v]);
                    result[v] = mnp_result(acc[b][v]);
                }
                if (store && there[b])
                    mnp_store<MNP_UNIT_OUT>(out + (r + u) * p.out.along + b * mnp_apart * MNP_VECTOR * out_step,
                                            out_step, 0, MNP_VECTOR, result);
            }
        }
    }
#pragma unroll
    for (int b = 0; b < MNP_BESIDE && !store; b++) {
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++) {
            if (there[b])
                *mnp_part_total(p, line + b * mnp_apart * MNP_VECTOR + v, part) = acc[b][v];
        }
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    const bool store = p.task == MNP_SCAN_VALUES;
    const int64_t number = (int64_t)blockIdx.x * MNP_THREADS + threadIdx.x, width = p.kept[MNP_KEPT - 1];
    /* Threads side by side have a chunk of a row of lines; of one vector if each has no other. */
    constexpr int wide = mnp_apart * MNP_BESIDE * MNP_VECTOR;
    const int64_t chunks = (width + wide - 1) / wide, row = mnp_quotient(number / mnp_apart, chunks);
    const int64_t column = (number / mnp_apart - row * chunks) * wide + number % mnp_apart * MNP_VECTOR;
    if (column >= width || row * width >= p.lines * (p.parts - !store))
        return;
    const int64_t rows = p.parts > 1 ? mnp_quotient(p.lines, width) : 0, part = rows > 0 ? mnp_quotient(row, rows) : 0;
    if (store)
        mnp_do_columns<true>(p, row - part * rows, column, part);
    else
        mnp_do_columns<false>(p, row - part * rows, column, part);
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
