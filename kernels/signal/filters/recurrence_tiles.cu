/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear recurrences along lines on a GPU, in one pass over memory.
 *
 *   MNP_IN, MNP_OUT        the real types in memory; complex numbers are two lines each
 *   MNP_ORDER, MNP_SECTIONS  the filter; see recurrence_step.h
 *   MNP_THREADS, MNP_STRIP threads of a block; elements of a thread, a multiple of 8
 *
 * A block takes a tile, and a thread a strip of it.  The tile's elements go to shared memory.  The state after a strip
 * is linear in the state before, s' = A^n s + e, where e is the state after the same elements from zeros.  So every
 * thread runs its strip from zeros; warps scan the states by powers of A; the block tells others its tile's e, learns
 * theirs, and every thread runs its strip again from the right state, with the same operations as one long run.
 *
 * Most filters forget: A^(reach tiles) is so small that a block has to learn the e of that many tiles only.  But what
 * is not finite is never forgotten; so the launch is followed by one that looks for the first tile of each line at
 * whose end the state was not finite, and makes all that follows NaN.
 *
 * For other filters, 32 tiles are a group, and 32 groups a set.  Each tile publishes its e, the last
 * one of a group that of the group, and the last one of a set the state at its end.  So a warp needs at most 31 tiles,
 * 31 groups and one set; they are published without waiting for one another, but for sets.  All is added in an order
 * that does not depend on timing.  Blocks take tiles by a counter, so that those for which they wait have been started.
 *
 * The mark of a record is the launch that wrote it, so that nothing has to be cleared between launches.
 */
#include "kernels/prelude.h"
#include "kernels/signal/filters/recurrence_tiles_params.h"
#include "kernels/copy_ahead_cuda.h"
#include "kernels/nest.h"
#include "kernels/records_cuda.h"
#include "kernels/signal/filters/recurrence_step.h"

constexpr int mnp_size = MNP_ORDER * MNP_ORDER, mnp_warps = MNP_THREADS / 32, mnp_tile = MNP_THREADS * MNP_STRIP;
constexpr int mnp_gap = 2, mnp_pitch = MNP_STRIP + mnp_gap; /* in shared memory; the gap avoids bank conflicts */
template <typename T> constexpr bool mnp_is_double = false;
template <> constexpr bool mnp_is_double<double> = true;
constexpr int mnp_vector_length = sizeof(MNP_IN) >= 4 ? 16 / (int)sizeof(MNP_IN) : 4;

/*
 * The matrices: powers of A^strip with exponents 1, 2, 4, 8, 16; of A^(32 strip) with exponents 0 .. warps - 1; and
 * then tables of A^strip, A^tile and A^(32 tile) with exponents 0 .. 31, where number k of all 32 matrices are side by
 * side.
 */
constexpr int mnp_at_warps = 5 * mnp_size, mnp_at_strips = mnp_at_warps + mnp_warps * mnp_size,
              mnp_at_tiles = mnp_at_strips + 32 * mnp_size, mnp_at_groups = mnp_at_tiles + 32 * mnp_size;

/* sum += matrix s; `stride` of the matrix's numbers */
template <int stride>
MNP_INLINE void mnp_add_product(const double *matrix, const double (&s)[MNP_ORDER], double (&sum)[MNP_ORDER])
{
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++) {
#pragma unroll
        for (int k = 0; k < MNP_ORDER; k++) {
            if (!MNP_SECTIONS || k / 2 <= n / 2) /* a section does not depend on later ones */
                sum[n] += __ldg(matrix + (n * MNP_ORDER + k) * stride) * s[k];
        }
    }
}

/* ---- records ---- */

MNP_INLINE void mnp_tell(mnp_record *records, const double (&s)[MNP_ORDER], uint64_t launch)
{
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++)
        MNP_WRITE_RECORD(records + n, __double_as_longlong(s[n]), launch);
}

MNP_INLINE void mnp_hear(const mnp_record *records, double (&s)[MNP_ORDER], uint64_t launch)
{
    uint64_t word[MNP_ORDER], found[MNP_ORDER];
    bool complete;
    do {
        complete = true;
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            MNP_READ_RECORD(records + n, word[n], found[n]);
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            complete = complete && found[n] == launch;
    } while (!complete);
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++)
        s[n] = __longlong_as_double(word[n]);
}

/* What the warps of a block tell one another. */
struct mnp_board {
    double of_warps[mnp_warps][MNP_ORDER]; /* where they end that begin with zeros */
    double in_group[MNP_ORDER];            /* the state before the tile if its group begins with zeros */
    double group[MNP_ORDER];               /* the state before the group */
    double before[MNP_ORDER];              /* the state before the tile */
};

/* The sum over the lanes of a warp that hear of their matrices times what they hear. */
MNP_INLINE void mnp_join(const mnp_record *records, bool hears, const double *table, uint64_t launch,
                         double (&sum)[MNP_ORDER])
{
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++)
        sum[n] = 0;
    if (hears) {
        double s[MNP_ORDER];
        mnp_hear(records, s, launch);
        mnp_add_product<32>(table + threadIdx.x % 32, s, sum);
    }
    __syncwarp();
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            sum[n] += __shfl_xor_sync(0xffffffffu, sum[n], by);
    }
}

MNP_INLINE void mnp_write(double *to, const double (&s)[MNP_ORDER])
{
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            to[n] = s[n];
    }
}

/* Find the state before a tile from the nearest ones alone; of those before, nothing is left. */
MNP_INLINE void mnp_look_near(const mnp_recurrence_tiles_params &p, int64_t tile, const mnp_record *of_tile,
                              mnp_board &board)
{
    const int lane = threadIdx.x % 32;
    double s[MNP_ORDER];
    if (threadIdx.x >= 32)
        return;
    mnp_join(of_tile - (lane + 1) * MNP_ORDER, lane < p.reach && lane < tile, p.matrices + mnp_at_tiles, p.launch, s);
    mnp_write(board.before, s);
}

/* Find it from its group, its set, and the end of the set before.  One warp does the former, another the rest. */
MNP_INLINE void mnp_look_far(const mnp_recurrence_tiles_params &p, int64_t line, int64_t tile, mnp_record *of_tile,
                             const double (&e)[MNP_ORDER], mnp_board &board)
{
    const int64_t groups = (p.tiles + 31) / 32, sets = (groups + 31) / 32, group = tile / 32, set = group / 32;
    const int in_group = tile % 32, in_set = group % 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    mnp_record *const records = (mnp_record *)p.records;
    mnp_record *const of_group = records + (p.over.lines * p.tiles + line * groups + group) * MNP_ORDER;
    mnp_record *const of_set = records + (p.over.lines * (p.tiles + groups) + line * sets + set) * MNP_ORDER;
    const double *const tiles = p.matrices + mnp_at_tiles, *const of_groups = p.matrices + mnp_at_groups;
    double s[MNP_ORDER], end[MNP_ORDER]; /* the latter: where the group ends that begins with zeros */
    if (warp == 0) {
        mnp_join(of_tile - (lane + 1) * MNP_ORDER, lane < in_group, tiles, p.launch, s);
        mnp_write(board.in_group, s);
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            end[n] = e[n];
        if (in_group == 31) { /* others wait for it: publish it before waiting for more */
            mnp_add_product<32>(tiles + 1, s, end);
            if (lane == 0)
                mnp_tell(of_group, end, p.launch);
        }
    }
    if (warp == (mnp_warps > 1)) {
        const bool hears_set = lane == in_set && set > 0;
        mnp_join(hears_set ? of_set - MNP_ORDER : of_group - (lane + 1) * MNP_ORDER, hears_set || lane < in_set,
                 of_groups, p.launch, s);
        mnp_write(board.group, s);
    }
    __syncthreads();
    if (warp == 0) {
        double at_group[MNP_ORDER];
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++) {
            at_group[n] = board.group[n];
            s[n] = board.in_group[n];
        }
        if (in_group == 31 && in_set == 31) {
            mnp_add_product<32>(of_groups + 1, at_group, end);
            if (lane == 0)
                mnp_tell(of_set, end, p.launch);
        }
        mnp_add_product<32>(tiles + in_group, at_group, s);
        mnp_write(board.before, s);
    }
}

/* ---- tiles ---- */

/* 2 edge - x, as arrays of that type have it */
template <typename T> MNP_INLINE T mnp_odd(T edge, T x)
{
    if constexpr (mnp_is_integer<T>)
        return (T)(2 * (uint64_t)edge - (uint64_t)x);
    else
        return mnp_to<T>::from(2 * mnp_to<double>::from(edge) - mnp_to<double>::from(x));
}

struct mnp_line {
    const MNP_IN *in;
    MNP_OUT *out;
    int64_t place, number;
    int shift; /* so many elements of the first tile do not exist, so that tiles are aligned in memory */
    bool reversed, adjacent;

    MNP_INLINE mnp_line(const mnp_recurrence_tiles_params &p, int64_t line)
    {
        int64_t index[MNP_RECURRENCE_DIMS];
        mnp_unravel<MNP_RECURRENCE_DIMS>(p.over.kept, line, index);
        number = line;
        place = mnp_offset<MNP_RECURRENCE_DIMS>(p.over.place, index);
        in = (const MNP_IN *)p.over.in.base + mnp_offset<MNP_RECURRENCE_DIMS>(p.over.in.kept, index);
        out = (MNP_OUT *)p.over.out.base + mnp_offset<MNP_RECURRENCE_DIMS>(p.over.out.kept, index);
        reversed = p.over.in.along < 0;
        adjacent = p.over.in.along == 1 || p.over.in.along == -1;
        /* the address that is lowest in a tile, in elements, when nothing is shifted */
        const int64_t lowest =
            (int64_t)((unsigned long long)in / sizeof(MNP_IN)) + (reversed ? p.width - mnp_tile + 1 : -p.width);
        const int off = (int)(lowest & (mnp_vector_length - 1));
        shift = !adjacent ? 0 : reversed ? (mnp_vector_length - off) & (mnp_vector_length - 1) : off;
    }
    /* An element that may lie beyond the ends of what is in memory. */
    MNP_INLINE double element(const mnp_recurrence_tiles_params &p, int64_t i) const
    {
        const int64_t last = p.length - 2 * p.width - 1;
        i -= p.width;
        const int64_t end = i < 0 ? 0 : last, mirrored = 2 * end - i;
        if (i >= 0 && i <= last)
            return mnp_to<double>::from(in[i * p.over.in.along]);
        if (p.extension == MNP_EXTENSION_EVEN)
            return mnp_to<double>::from(in[mirrored * p.over.in.along]);
        const MNP_IN edge = in[end * p.over.in.along];
        return mnp_to<double>::from(
            p.extension == MNP_EXTENSION_CONSTANT ? edge : mnp_odd(edge, in[mirrored * p.over.in.along]));
    }
    /* The state in which the line begins. */
    MNP_INLINE void begin(const mnp_recurrence_tiles_params &p, double (&s)[MNP_ORDER]) const
    {
        const double first = p.start && p.scaled ? element(p, 0) : 1;
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            s[n] = !p.start ? 0 : p.scaled ? p.start[n] * first : p.start[n * p.over.lines + place];
    }
};

/* Where element number i of a tile, in the order of memory, is in shared memory. */
MNP_INLINE int mnp_slot(int i)
{
    return i + i / MNP_STRIP * mnp_gap;
}

/* Bring the tile that begins with element `from` to shared memory. */
MNP_INLINE void mnp_load_tile(const mnp_recurrence_tiles_params &p, const mnp_line &line, int64_t from, double *shared)
{
    const bool inside = from >= p.width && from + mnp_tile <= p.length - p.width;
    if (inside && line.adjacent) {
        const MNP_IN *lowest = line.in + (line.reversed ? p.width - from - mnp_tile + 1 : from - p.width);
        if (mnp_is_double<MNP_IN>) {
#pragma unroll
            for (int u = 0; u < MNP_STRIP / 2; u++) {
                const int i = (u * MNP_THREADS + threadIdx.x) * 2;
                mnp_copy_ahead<16>(shared + mnp_slot(i), lowest + i);
            }
            mnp_await_copies();
            return;
        }
#pragma unroll
        for (int u = 0; u < MNP_STRIP / mnp_vector_length; u++) {
            const int i = (u * MNP_THREADS + threadIdx.x) * mnp_vector_length;
            const mnp_vector<MNP_IN, mnp_vector_length> loaded =
                *(const mnp_vector<MNP_IN, mnp_vector_length> *)(lowest + i);
#pragma unroll
            for (int v = 0; v < mnp_vector_length; v++)
                shared[mnp_slot(i) + v] = mnp_to<double>::from(loaded.at[v]);
        }
        return;
    }
#pragma unroll 8
    for (int u = 0; u < MNP_STRIP; u++) {
        const int i = u * MNP_THREADS + threadIdx.x;
        const int64_t at = line.reversed ? from + mnp_tile - 1 - i : from + i;
        if (at >= 0 && at < p.length)
            shared[mnp_slot(i)] = line.element(p, at);
    }
}

MNP_INLINE void mnp_store_tile(const mnp_recurrence_tiles_params &p, const mnp_line &line, int64_t from,
                               const double *shared)
{
    const int64_t number = line.reversed ? from + mnp_tile - 1 : from, towards = line.reversed ? -p.step : p.step;
    const int64_t place = p.first + p.step * number; /* of the tile's element that is first in memory */
    const int64_t final = place + towards * (mnp_tile - 1);
    const bool inside =
        from >= 0 && from + mnp_tile <= p.length && place >= 0 && final >= 0 && place < p.places && final < p.places;
    if (inside && p.every == 1 && p.over.out.along == 1 && towards == 1) {
        MNP_OUT *out = line.out + place;
        constexpr int count = sizeof(MNP_OUT) >= 4 ? 16 / (int)sizeof(MNP_OUT) : 4;
        typedef mnp_vector<MNP_OUT, count> vector;
        if ((unsigned long long)out % sizeof(vector) == 0) {
#pragma unroll 8
            for (int u = 0; u < MNP_STRIP / count; u++) {
                const int i = (u * MNP_THREADS + threadIdx.x) * count;
                vector stored;
#pragma unroll
                for (int v = 0; v < count; v++)
                    stored.at[v] = mnp_to<MNP_OUT>::from(shared[mnp_slot(i) + v]);
                *(vector *)(out + i) = stored;
            }
        } else {
#pragma unroll 8
            for (int i = threadIdx.x; i < mnp_tile; i += MNP_THREADS)
                out[i] = mnp_to<MNP_OUT>::from(shared[mnp_slot(i)]);
        }
        return;
    }
    /* Of the tile's elements in memory, number lead + k every is the k-th whose place is a multiple of `every`. */
    const int64_t lead = ((towards > 0 ? -place : place) % p.every + p.every) % p.every;
    const int64_t lowest = (place + towards * lead) / p.every;
    for (int64_t k = threadIdx.x; lead + k * p.every < mnp_tile; k += MNP_THREADS) {
        const int64_t i = lead + k * p.every, at = number + (line.reversed ? -i : i), to = place + towards * i;
        if (at >= 0 && at < p.length && to >= 0 && to < p.places)
            line.out[(lowest + towards * k) * p.over.out.along] = mnp_to<MNP_OUT>::from(shared[mnp_slot((int)i)]);
    }
}

/* Run elements [lo, hi) of a strip, which are in shared memory; with `store` the results take their places. */
template <bool store>
MNP_INLINE void mnp_run_strip(const double *c, double *strip, bool reversed, int lo, int hi, double (&s)[MNP_ORDER])
{
    typedef mnp_vector<double, 2> pair;
    if (lo == 0 && hi == MNP_STRIP) {
        pair *at = (pair *)strip + (reversed ? MNP_STRIP / 2 - 1 : 0);
        const int step = reversed ? -1 : 1;
#pragma unroll 4
        for (int u = 0; u < MNP_STRIP / 2; u++, at += step) {
            const pair x = *at;
            const double y0 = mnp_advance(c, s, reversed ? x.at[1] : x.at[0]);
            const double y1 = mnp_advance(c, s, reversed ? x.at[0] : x.at[1]);
            if (store) {
                pair y;
                y.at[0] = reversed ? y1 : y0;
                y.at[1] = reversed ? y0 : y1;
                *at = y;
            }
        }
        return;
    }
    for (int i = lo; i < hi; i++) {
        double *at = strip + (reversed ? MNP_STRIP - 1 - i : i);
        const double y = mnp_advance(c, s, *at);
        if (store)
            *at = y;
    }
}

/* Make what follows on tiles whose states were not finite NaN, and forget which these were. */
MNP_INLINE void mnp_spread(const mnp_recurrence_tiles_params &p)
{
    const double nan = __longlong_as_double(0x7ff8000000000000ll);
    for (int64_t number = blockIdx.x; number < p.over.lines; number += gridDim.x) {
        const uint64_t spoiled = p.spoiled[number];
        __syncthreads();
        if (spoiled >= (uint64_t)p.tiles)
            continue;
        const mnp_line line(p, number);
        const int64_t from = ((int64_t)spoiled + 1) * mnp_tile - line.shift;
        for (int64_t i = from + threadIdx.x; i < p.length && p.over.out.base; i += MNP_THREADS) {
            const int64_t to = p.first + p.step * i;
            if (to >= 0 && to < p.places && to % p.every == 0)
                line.out[to / p.every * p.over.out.along] = mnp_to<MNP_OUT>::from(nan);
        }
        for (int n = threadIdx.x; n < MNP_ORDER && p.last && from < p.length; n += MNP_THREADS)
            p.last[n * p.over.lines + line.place] = nan;
        if (threadIdx.x == 0)
            p.spoiled[number] = ~0ull;
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, MNP_BLOCKS)
    recurrence_tiles(const __grid_constant__ mnp_recurrence_tiles_params p)
{
    __shared__ __align__(16) double shared[MNP_THREADS * mnp_pitch];
    __shared__ mnp_board board;
    __shared__ int64_t shared_number;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double c[mnp_coefficients], s[MNP_ORDER], e[MNP_ORDER], before[MNP_ORDER];
    if (p.spreads) {
        mnp_spread(p);
        return;
    }
    if (threadIdx.x == 0)
        shared_number = (int64_t)(atomicAdd(p.counter, 1ull) - p.before);
    __syncthreads();
    const int64_t tile = mnp_quotient(shared_number, p.over.lines);
    const mnp_line line(p, shared_number - tile * p.over.lines);
    const int64_t from = tile * mnp_tile - line.shift;
    mnp_load_tile(p, line, from, shared);
#pragma unroll
    for (int k = 0; k < mnp_coefficients; k++)
        c[k] = __ldg(p.coefficients + k);
    __syncthreads();

    /* every strip from zeros, but for the first one of the line */
    const int64_t begin = from + threadIdx.x * MNP_STRIP, left = p.length - begin;
    const int lo = begin < 0 ? (int)mnp_least(-begin, MNP_STRIP) : 0,
              hi = left < MNP_STRIP ? (int)(left < 0 ? 0 : left) : MNP_STRIP;
    double *strip = shared + (line.reversed ? MNP_THREADS - 1 - threadIdx.x : threadIdx.x) * mnp_pitch;
    const bool first = tile == 0 && threadIdx.x == 0;
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++)
        e[n] = 0;
    if (first)
        line.begin(p, e);
    mnp_run_strip<false>(c, strip, line.reversed, lo, hi, e);

    /* the states before this strip from the beginning of the warp, and before the warp from that of the tile */
#pragma unroll
    for (int b = 0; b < 5; b++) {
        double other[MNP_ORDER];
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            other[n] = __shfl_up_sync(0xffffffffu, e[n], 1 << b);
        if (lane >= 1 << b)
            mnp_add_product<1>(p.matrices + b * mnp_size, other, e);
    }
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++) {
        if (lane == 31)
            board.of_warps[warp][n] = e[n];
        e[n] = __shfl_up_sync(0xffffffffu, e[n], 1);
        if (lane == 0)
            e[n] = 0;
        before[n] = 0;
    }
    __syncthreads();
#pragma unroll 1
    for (int w = 0; w < (warp ? warp : mnp_warps); w++) {
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            s[n] = board.of_warps[w][n];
        if (w > 0)
            mnp_add_product<1>(p.matrices + mnp_at_warps + mnp_size, before, s);
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            before[n] = s[n];
    }
    if (p.records) {
        mnp_record *const of_tile = (mnp_record *)p.records + (line.number * p.tiles + tile) * MNP_ORDER;
        if (threadIdx.x == 0)
            mnp_tell(of_tile, before, p.launch);
        if (p.reach > 0)
            mnp_look_near(p, tile, of_tile, board);
        else
            mnp_look_far(p, line.number, tile, of_tile, before, board);
        __syncthreads();
    }

    /* every strip from its state */
#pragma unroll
    for (int n = 0; n < MNP_ORDER; n++) {
        s[n] = p.records ? board.before[n] : 0;
        if (warp == 0)
            before[n] = s[n];
    }
    if (warp > 0)
        mnp_add_product<1>(p.matrices + mnp_at_warps + warp * mnp_size, s, before);
    mnp_add_product<32>(p.matrices + mnp_at_strips + lane, before, e);
    if (first)
        line.begin(p, e);
    mnp_run_strip<true>(c, strip, line.reversed, lo, hi, e);
    if (p.spoiled && threadIdx.x == MNP_THREADS - 1) {
        bool finite = true;
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            finite = finite && e[n] - e[n] == 0;
        if (!finite)
            atomicMin(p.spoiled + line.number, (unsigned long long)tile);
    }
    if (p.last && left > 0 && left <= MNP_STRIP) {
#pragma unroll
        for (int n = 0; n < MNP_ORDER; n++)
            p.last[n * p.over.lines + line.place] = e[n];
    }
    if (!p.over.out.base)
        return;
    __syncthreads();
    mnp_store_tile(p, line, from, shared);
}
