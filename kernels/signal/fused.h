/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two kernels of fused passes share (fused.cu, fused_ring.cu): what is made of a window, tiles, and the pass
 * along x, which goes from a few rows in shared memory to the result.
 *
 * A sum costs a multiplication for every weight.  Means, least and greatest elements are cheaper: windows of outputs
 * side by side share their middle part, which is combined once, and what is left and right of it grows by one element
 * from output to output (see combine_shared).
 *
 * Both are compiled with
 *   MNP_IN, MNP_SUM, MNP_OUT      types of the input, of what is computed, and of the output
 *   MNP_BETWEEN                   type to which the results of the first pass are rounded
 *   MNP_COMBINE                   a number of fused_params.h
 *   MNP_KY, MNP_KX                extents of the window; a pass along one that is 1 does nothing
 *   MNP_SHIFT                     elements before a row's window that are read with it
 *   MNP_S                         rows that a block computes between two barriers
 *   MNP_RX                        outputs of a thread in the pass along x: 16 bytes of sums, or three times as many
 *   MNP_REFILLS                   1: the value beyond the borders along x is that of the first pass' results, too
 *   MNP_THREADS, MNP_BLOCKS       threads of a block; blocks that a multiprocessor should hold
 */
#ifndef MNP_KERNELS_SIGNAL_FUSED_H
#define MNP_KERNELS_SIGNAL_FUSED_H

#include "kernels/prelude.h"
#include "kernels/boundary.h"
#include "kernels/copy_ahead_cuda.h"
#include "kernels/nest.h"
#include "kernels/signal/extended.h"
#include "kernels/signal/finish.h"
#include "kernels/signal/fused_params.h"
#include "kernels/words_cuda.h"

constexpr int reads = 16 / sizeof(MNP_SUM); /* sums of an access of 16 bytes */
/* Eight neighbouring threads of the pass along x read 16 bytes each, MNP_RX sums apart: from all banks. */
static_assert(MNP_RX == reads || MNP_RX == 3 * reads, "no two of them use the same bank");
/* Sums that a row in shared memory has room for behind its last column: the last run may begin there, and reads whole
   accesses. */
constexpr int overrun = MNP_RX + reads;

/* ---- windows ---- */

constexpr int most_unrolled = 96; /* elements of a window, which can be in registers therefore */

template <typename T> MNP_INLINE T lesser(T a, T b)
{
    return a < b ? a : b;
}
template <typename T> MNP_INLINE T greater(T a, T b)
{
    return a > b ? a : b;
}
MNP_INLINE float lesser(float a, float b)
{
    return fminf(a, b);
}
MNP_INLINE float greater(float a, float b)
{
    return fmaxf(a, b);
}

/* The sums of a few columns side by side. */
template <int columns> struct lanes {
    MNP_SUM v[columns];
};

template <int columns> MNP_INLINE lanes<columns> join(lanes<columns> a, const lanes<columns> &b)
{
#pragma unroll
    for (int c = 0; c < columns; c++)
        a.v[c] = MNP_COMBINE == MNP_FUSED_LEAST      ? lesser(a.v[c], b.v[c])
                 : MNP_COMBINE == MNP_FUSED_GREATEST ? greater(a.v[c], b.v[c])
                                                     : a.v[c] + b.v[c];
    return a;
}

/* The sums of `count` windows of `taps` elements, the first of which begins at element 0; at(i) is element i. */
template <int count, int taps, int columns, typename At>
MNP_INLINE void combine_weighted(const At &at, const MNP_SUM *weights, lanes<columns> *out)
{
#pragma unroll
    for (int r = 0; r < count; r++)
        out[r] = lanes<columns>{};
#pragma unroll
    for (int i = 0; i < count + taps - 1; i++) {
        const lanes<columns> x = at(i);
#pragma unroll
        for (int r = 0; r < count; r++) {
            if (i - r < 0 || i - r >= taps)
                continue;
#pragma unroll
            for (int c = 0; c < columns; c++)
                out[r].v[c] += weights[i - r] * x.v[c];
        }
    }
}

/*
 * All of `count` windows have elements count - 1 to taps - 1.  Before them, window r has elements r to count - 2, and
 * after them elements up to taps - 1 + r.
 */
template <int count, int taps, int columns, typename At>
MNP_INLINE void combine_shared(const At &at, lanes<columns> *out)
{
    if constexpr (taps < count) {
        constexpr int half = count / 2;
        combine_shared<half, taps, columns>(at, out);
        combine_shared<count - half, taps, columns>([&](int i) { return at(i + half); }, out + half);
    } else {
        lanes<columns> middle = at(count - 1);
        if constexpr (taps <= most_unrolled) {
#pragma unroll
            for (int i = count; i < taps; i++)
                middle = join(middle, at(i));
        } else {
#pragma unroll 4
            for (int i = count; i < taps; i++)
                middle = join(middle, at(i));
        }
        out[count - 1] = middle;
#pragma unroll
        for (int r = count - 2; r >= 0; r--)
            out[r] = join(at(r), out[r + 1]);
        lanes<columns> after;
#pragma unroll
        for (int r = 1; r < count; r++) {
            after = r == 1 ? at(taps) : join(after, at(taps - 1 + r));
            out[r] = join(out[r], after);
        }
    }
}

template <int count, int taps, int columns, typename At>
MNP_INLINE void combine(const At &at, const double *weights, lanes<columns> *out)
{
    if constexpr (taps == 1) {
#pragma unroll
        for (int r = 0; r < count; r++)
            out[r] = at(r);
    } else if constexpr (MNP_COMBINE == MNP_FUSED_SUM) {
        combine_weighted<count, taps, columns>(at, (const MNP_SUM *)weights, out);
    } else {
        combine_shared<count, taps, columns>(at, out);
    }
}

/* The mean of `taps` elements from their sum: of integers it is exact where it is an integer. */
template <int taps, typename To> MNP_INLINE MNP_SUM mean_of(MNP_SUM sum)
{
    if constexpr (MNP_COMBINE != MNP_FUSED_MEAN || taps == 1)
        return sum;
    else if constexpr (mnp_is_integer<To>)
        return sum / (MNP_SUM)taps;
    else
        return sum * (MNP_SUM)(1.0 / taps);
}

/* ---- from memory to shared memory ---- */

/* Copy `bytes`, a constant, to shared memory; four and more are under way until mnp_await_batches(). */
template <int bytes> MNP_INLINE void copy(void *target, const void *source)
{
    if constexpr (bytes >= 4)
        mnp_copy_ahead<bytes>(target, source);
    else
        *(MNP_IN *)target = *(const MNP_IN *)source;
}

/* ---- tiles ---- */

/*
 * Fold an index of the extended box along dimension 2 + k; false if it is beyond a border that has a value of its own.
 */
MNP_INLINE bool fold(const mnp_fused_params &p, int k, int64_t *i)
{
    const int64_t extent = p.in.extended[2 + k];
    if (*i >= 0 && *i < extent)
        return true;
    if (p.boundary[k] == MNP_FUSED_INSIDE || p.boundary[k] == MNP_AT_FILL)
        return false;
    const bool near = *i > -extent && *i < 2 * extent - 1;
    *i = near ? mnp_folded_near(p.boundary[k], *i, extent) : mnp_folded(p.boundary[k], *i, extent);
    return true;
}

/* A tile: its plane of the extended box, where its windows begin in that, and its outputs. */
struct tile {
    plane source;
    int64_t y, x, origin[MNP_CONV_DIMS];
    int rows, columns;
};

MNP_INLINE tile find_tile(const mnp_fused_params &p)
{
    tile t;
    mnp_unravel<MNP_CONV_DIMS>(p.tiles.grid, p.tiles.list[blockIdx.x], t.origin);
    t.origin[2] *= p.height;
    t.origin[3] *= p.width;
    t.source = find_plane(p.in, t.origin[0], t.origin[1]);
    t.y = t.origin[2] + p.first[0];
    t.x = t.origin[3] + p.first[1] - MNP_SHIFT;
    t.rows = (int)mnp_least(p.tiles.extent[2] - t.origin[2], p.height);
    t.columns = (int)mnp_least(p.tiles.extent[3] - t.origin[3], p.width);
    return t;
}

MNP_INLINE MNP_OUT *find_outputs(const mnp_fused_params &p, const tile &t)
{
    MNP_OUT *out = (MNP_OUT *)p.tiles.out;
    for (int d = 0; d < MNP_CONV_DIMS; d++)
        out += t.origin[d] * p.tiles.stride[d];
    return out;
}

/* ---- the passes ---- */

/* Round a result of the first pass for column x of the extended box, and write it to shared memory. */
MNP_INLINE void keep_result(const mnp_fused_params &p, MNP_SUM result, int64_t x, MNP_SUM *to)
{
    if constexpr (MNP_KY > 1 && MNP_KX > 1)
        result = mnp_to<MNP_SUM>::from(finish<MNP_BETWEEN>::from(mean_of<MNP_KY, MNP_BETWEEN>(result)));
#if MNP_REFILLS
    if (x < p.x_low || x >= p.x_end)
        result = mnp_to<MNP_SUM>::from(mnp_to<MNP_BETWEEN>::from(p.outside));
#endif
    *to = result;
}

/*
 * Outputs of a thread are written `together` at a time, to addresses that are multiples of their bytes.  So rows of
 * the first pass' results begin in shared memory as many elements later as the row of the output is behind such an
 * address.
 */
constexpr int run_bytes = MNP_RX * sizeof(MNP_OUT), run_power = run_bytes & -run_bytes; /* a power of two divides it */
constexpr int together = (run_power < 16 ? run_power : 16) / sizeof(MNP_OUT);
static_assert(together <= reads, "a row in shared memory has that much room");

/* How the outputs of a tile are shared out: in each row `count` runs of MNP_RX, the first of which begins earlier. */
struct runs {
    unsigned count, reciprocal; /* 2^24 / count, rounded up: for quotients without a division */
    unsigned first, step;       /* of skews, from row to row */
    bool skewed;                /* there is a row that has one */

    MNP_INLINE int skew(unsigned y) const
    {
        return skewed ? (int)((first + y * step) % together) : 0;
    }
    MNP_INLINE int row(unsigned i) const /* of run i < 2^24 / count */
    {
        return (int)((i * reciprocal) >> 24);
    }
};

MNP_INLINE runs find_runs(const mnp_fused_params &p, const tile &t, const MNP_OUT *out)
{
    const unsigned first = (unsigned)((uint64_t)out / sizeof(MNP_OUT)), step = (unsigned)p.tiles.stride[2];
    const bool skewed = first % together != 0 || step % together != 0;
    const unsigned count = (unsigned)(t.columns + (skewed ? together - 1 : 0) + MNP_RX - 1) / MNP_RX;
    return runs{count, (1u << 24) / count + 1, first, step, skewed};
}

/* Write outputs number `begin` to end - 1 of MNP_RX, of which the first one is at `out`. */
MNP_INLINE void store_run(const lanes<1> *values, MNP_OUT *out, int begin, int end)
{
    typedef mnp_vector<MNP_OUT, together> part;
    MNP_OUT results[MNP_RX];
#pragma unroll
    for (int r = 0; r < MNP_RX; r++)
        results[r] = finish<MNP_OUT>::from(mean_of<(MNP_KX > 1 ? MNP_KX : MNP_KY), MNP_OUT>(values[r].v[0]));
    if (begin <= 0 && end >= MNP_RX) {
#pragma unroll
        for (int k = 0; k < MNP_RX / together; k++) {
            if constexpr (sizeof(part) == 16) {
                uint32_t words[4];
                memcpy(words, results + k * together, sizeof words);
                mnp_store_words((part *)out + k, words);
            } else {
                memcpy((part *)out + k, results + k * together, sizeof(part));
            }
        }
    } else {
#pragma unroll
        for (int r = 0; r < MNP_RX; r++) {
            if (r >= begin && r < end)
                out[r] = results[r];
        }
    }
}

/* The pass along x, of the tile's rows from number `first` on, whose results of the first pass are in `rows`. */
template <int row_stride>
MNP_INLINE void pass_x(const mnp_fused_params &p, const tile &t, const runs &r, const MNP_SUM *rows, int first,
                       MNP_OUT *out)
{
    typedef mnp_vector<MNP_SUM, reads> part;
    constexpr int skipped = MNP_SHIFT / reads * reads;
    const int left = t.rows - first, count = (int)r.count * (left < MNP_S ? left : MNP_S);
    for (int i = threadIdx.x; i < count; i += MNP_THREADS) {
        const int y = r.row(i), begin = (i - y * (int)r.count) * MNP_RX, x = begin - r.skew(first + y);
        const MNP_SUM *mine = rows + y * row_stride + begin;
        lanes<1> results[MNP_RX];
        if constexpr (MNP_KX <= most_unrolled) { /* the windows in registers */
            constexpr int parts = (MNP_SHIFT - skipped + MNP_RX + MNP_KX - 1 + reads - 1) / reads;
            MNP_SUM values[parts * reads];
#pragma unroll
            for (int k = 0; k < parts; k++) {
                const part some = *(const part *)(mine + skipped + k * reads);
#pragma unroll
                for (int e = 0; e < reads; e++)
                    values[k * reads + e] = some.at[e];
            }
            combine<MNP_RX, MNP_KX, 1>([&](int k) { return lanes<1>{{values[MNP_SHIFT - skipped + k]}}; }, p.taps[1],
                                       results);
        } else {
            combine<MNP_RX, MNP_KX, 1>([&](int k) { return lanes<1>{{mine[MNP_SHIFT + k]}}; }, p.taps[1], results);
        }
        MNP_OUT *const row = (MNP_OUT *)((char *)out + (first + y) * (p.tiles.stride[2] * sizeof(MNP_OUT)));
        store_run(results, row + x, -x, t.columns - x);
    }
}

#endif
