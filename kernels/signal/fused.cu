/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two passes of a separable filter as one: along y, then along x.
 *
 * A block computes a stripe of columns and marches down its rows, MNP_S at a time.  A thread has MNP_V columns of the
 * input, MNP_THREADS apart, and keeps in registers the rows of them that the windows of a step reach, while those of
 * the next step are on their way.  So the input is read once, but for the columns that neighbouring stripes share and
 * the rows that neighbouring tiles do, and the pass along y accesses no shared memory but for its results; the pass
 * along x goes on with those.  Two sets of them take turns, so that threads wait for each other once a step.
 *
 * Registers are what limits it.  So what few threads or few steps need is in shared memory: where the tile lies, and
 * elements that are not the rank's own, on their way to registers.
 *
 * Windows that are too high for the registers are filtered by fused_ring.cu.
 *
 * Compiled with what fused.h needs, where MNP_SHIFT is 0, and
 *   MNP_V                  see above
 */
#include "kernels/signal/fused.h"

constexpr int row_stride = MNP_THREADS * MNP_V + overrun;

/* The elements of a row in a thread's columns. */
struct elements {
    MNP_IN at[MNP_V];
};

/* ---- the input ---- */

/* A thread's columns.  Their places are in the first row of the tile's windows, as if that were the rank's own. */
struct columns {
    int64_t at[MNP_V]; /* bytes from p.in.block */
    unsigned needed;   /* bit c: there are windows that reach column c, and it is not beyond a border */
    bool own;          /* those that are needed are the rank's own, not in the ring around its elements */
};

MNP_INLINE columns find_columns(const mnp_fused_params &p, const tile &t)
{
    const plane &in = t.source;
    const int64_t row = in.block - (const MNP_IN *)p.in.block + (t.y - in.low) * in.row_stride - in.begin;
    columns mine = {{}, 0, true};
#pragma unroll
    for (int c = 0; c < MNP_V; c++) {
        const int place = threadIdx.x + c * MNP_THREADS;
        int64_t x = t.x + place;
        const bool needed = place < t.columns + MNP_KX - 1 && fold(p, 1, &x);
        mine.needed |= (unsigned)needed << c;
        mine.own = mine.own && (!needed || (x >= in.begin && x < in.end));
        mine.at[c] = (row + x) * (int64_t)sizeof(MNP_IN);
    }
    return mine;
}

/* How many rows the windows of a tile reach, and which rows are the rank's own, counted from the first of those. */
struct limits {
    int needed, begin, end;
};

MNP_INLINE limits find_limits(const tile &t)
{
    const int64_t begin = t.source.low - t.y, end = begin + t.source.inner, most = 1 << 30;
    return limits{t.rows + MNP_KY - 1, (int)mnp_least(begin > -most ? begin : -most, most), (int)mnp_least(end, most)};
}

/* Start to copy an element of row y of the extended box, which is not all the rank's own, to shared memory. */
MNP_INLINE void bring(const mnp_fused_params &p, const tile &t, int64_t y, int place, MNP_IN *to)
{
    int64_t x = t.x + place;
    const row in = find_row(t.source, y);
    if (place < t.columns + MNP_KX - 1 && fold(p, 1, &x))
        copy<sizeof(MNP_IN)>(to, x >= in.begin && x < in.end ? in.middle + (x - in.begin)
                                                             : in.edge + (x < in.begin ? x : x - (in.end - in.begin)));
}

/*
 * Bring MNP_S rows of the windows, from number `first` on, to `room`, which is this thread's: rows that may be beyond a
 * border or in the ring.  What is beyond a border along x is there already.
 */
MNP_INLINE void bring_rows(const mnp_fused_params &p, const tile &t, const limits &there, const columns &mine,
                           int first, MNP_IN *room)
{
    const int64_t step = p.in.block_stride[2] * (int64_t)sizeof(MNP_IN);
#pragma unroll 1
    for (int r = 0; r < MNP_S; r++) {
        int64_t y = t.y + first + r;
        if (first + r < 0 || first + r >= there.needed)
            continue;
        const bool inside = fold(p, 0, &y);
        const int64_t number = y - t.y;
        const bool own = mine.own && number >= there.begin && number < there.end;
#pragma unroll
        for (int c = 0; c < MNP_V; c++) {
            MNP_IN *const to = room + (r * MNP_V + c) * MNP_THREADS;
            if (!inside)
                *to = mnp_to<MNP_IN>::from(p.outside);
            else if (!own)
                bring(p, t, y, threadIdx.x + c * MNP_THREADS, to);
            else if (mine.needed >> c & 1)
                copy<sizeof(MNP_IN)>(to, (const char *)p.in.block + mine.at[c] + number * step);
        }
    }
    mnp_end_batch();
    mnp_await_batches<0>();
}

/*
 * Load MNP_S rows of the windows, from number `first` on; rows before the first one, or after the last, are any, and
 * what is beyond a border along x stays.
 */
MNP_INLINE void load_rows(const mnp_fused_params &p, const tile &t, const limits &there, const columns &mine, int first,
                          MNP_IN *room, elements *rows)
{
    if (first >= there.needed)
        return;
    if (mine.own && first >= there.begin && first + MNP_S <= there.end) {
        const int64_t step = p.in.block_stride[2] * (int64_t)sizeof(MNP_IN);
        const char *const block = (const char *)p.in.block + first * step;
#pragma unroll
        for (int c = 0; c < MNP_V; c++) {
#pragma unroll
            for (int r = 0; r < MNP_S; r++) {
                if (mine.needed >> c & 1)
                    rows[r].at[c] = *(const MNP_IN *)(block + mine.at[c] + r * step);
            }
        }
    } else {
        asm volatile("" ::: "memory"); /* nothing of what follows is worth a register before */
        bring_rows(p, t, there, mine, first, room);
#pragma unroll
        for (int r = 0; r < MNP_S; r++) {
#pragma unroll
            for (int c = 0; c < MNP_V; c++)
                rows[r].at[c] = room[(r * MNP_V + c) * MNP_THREADS];
        }
    }
}

/* ---- the pass along y ---- */

/* What all threads of a block need, and would else each have in registers. */
struct common {
    tile t;
    limits there;
    runs shares;
    MNP_OUT *out;
};

extern "C" __global__ void __launch_bounds__(MNP_THREADS, MNP_BLOCKS) fused(const __grid_constant__ mnp_fused_params p)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ common all;
    constexpr int set = MNP_S * row_stride; /* of the results of the first pass */
    MNP_IN *const room = (MNP_IN *)((MNP_SUM *)shared + 2 * set) + threadIdx.x;
    if (threadIdx.x == 0) {
        all.t = find_tile(p);
        all.there = find_limits(all.t);
        all.out = find_outputs(p, all.t);
        all.shares = find_runs(p, all.t, all.out);
    }
    __syncthreads();
    const columns mine = find_columns(p, all.t);
    constexpr int before = (MNP_KY - 1 + MNP_S - 1) / MNP_S + 1; /* steps before the first one that has its windows */
    lanes<MNP_V> window[MNP_KY - 1 + MNP_S] = {};
    elements next[MNP_S];
#pragma unroll
    for (int r = 0; r < MNP_S; r++) {
#pragma unroll
        for (int c = 0; c < MNP_V; c++) /* where nothing is loaded, as beyond a border, that stays */
            room[(r * MNP_V + c) * MNP_THREADS] = next[r].at[c] = mnp_to<MNP_IN>::from(p.outside);
    }
    int place = 0;
#pragma unroll 1
    for (int y = -before * MNP_S; y < all.t.rows; y += MNP_S) {
#pragma unroll
        for (int r = 0; r < MNP_KY - 1; r++)
            window[r] = window[r + MNP_S];
#pragma unroll
        for (int r = 0; r < MNP_S; r++) {
#pragma unroll
            for (int c = 0; c < MNP_V; c++)
                window[MNP_KY - 1 + r].v[c] = mnp_to<MNP_SUM>::from(next[r].at[c]);
        }
        load_rows(p, all.t, all.there, mine, y + MNP_S + MNP_KY - 1, room, next);
        if (y < 0)
            continue;
        MNP_SUM *const rows = (MNP_SUM *)shared + place;
        lanes<MNP_V> results[MNP_S];
        combine<MNP_S, MNP_KY, MNP_V>([&](int k) { return window[k]; }, p.taps[0], results);
#pragma unroll
        for (int r = 0; r < MNP_S; r++) {
            MNP_SUM *const to = rows + r * row_stride + all.shares.skew(y + r) + threadIdx.x;
#pragma unroll
            for (int c = 0; c < MNP_V; c++)
                keep_result(p, results[r].v[c], all.t.x + threadIdx.x + c * MNP_THREADS, to + c * MNP_THREADS);
        }
        __syncthreads(); /* nobody reads what the last step but one did, either */
        pass_x<row_stride>(p, all.t, all.shares, rows, y, all.out);
        place = set - place;
    }
}
