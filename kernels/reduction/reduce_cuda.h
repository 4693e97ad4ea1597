/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions on a GPU.
 *
 * A thread reads in batches, so that it has enough bytes in flight for any shape: MNP_UNROLL units at once, and of each
 * MNP_ALONG accesses of MNP_VECTOR adjacent elements.  An access beyond the edge reads something else, which is not
 * used.  Rows may begin anywhere (MNP_SKEWED): their vectors are aligned, and the first and the last one may have
 * elements that are not of the row.
 *
 * Rows (MNP_COLUMNS 0): a unit is a piece of a row of reduced elements.  2^team threads lie along it, and 2^deep such
 * lines of threads share the units of one part of one output.  Where an output is one short row (MNP_OUTS), a unit is
 * an output, and a thread has several.  Columns: a unit is a row of kept elements, the threads lie along the outputs,
 * and the lines of threads of a block share the rows.  Tiles: see reduce_tiles_cuda.h.
 *
 * The accumulators of threads are joined by shuffles or in shared memory.  Where an output has several parts, a second,
 * small launch joins them.  The order is fixed, so results are reproducible.
 */
#include "kernels/early_launch.h"

template <typename Acc> MNP_INLINE Acc mnp_shuffle_down(const Acc &acc, int by, int width)
{
    constexpr int words = (sizeof(Acc) + 3) / 4;
    uint32_t word[words] = {};
    Acc other;
    memcpy(word, &acc, sizeof acc);
#pragma unroll
    for (int w = 0; w < words; w++)
        word[w] = __shfl_down_sync(0xffffffffu, word[w], by, width);
    memcpy(&other, word, sizeof other);
    return other;
}

/* mnp_deliver() of output number o. */
MNP_INLINE void mnp_deliver_number(const mnp_reduce_params &p, const mnp_acc &acc, int64_t o, int64_t part)
{
    int64_t index[MNP_KEPT];
    mnp_unravel<MNP_KEPT>(p.kept, o, index);
    mnp_deliver(p, acc, index, part);
}

/* Join the accumulators of a team in its first thread.  All threads of the block call it. */
MNP_INLINE void mnp_join_team(mnp_acc &acc, int team)
{
    __shared__ mnp_acc warps[MNP_THREADS / 32];
    const int width = team < 32 ? team : 32, warp = threadIdx.x / 32;
    for (int by = width / 2; by > 0; by /= 2) {
        const mnp_acc other = mnp_shuffle_down(acc, by, width);
        mnp_op::join(acc, other);
    }
    if (team <= 32)
        return;
    if (threadIdx.x % 32 == 0)
        warps[warp] = acc;
    __syncthreads();
    if (threadIdx.x % team == 0) {
        for (int w = 1; w < team / 32; w++)
            mnp_op::join(acc, warps[warp + w]);
    }
}

/*
 * The sets of a thread, and the set to which it adds element v of access a of unit u.  A thread has a few sets for one
 * output, so that additions need not wait for one another.
 */
constexpr int mnp_set_bytes = sizeof(mnp_op::lanes<1>), mnp_batch = MNP_ALONG * MNP_VECTOR;
constexpr int mnp_set_count = MNP_TILED && MNP_UNROLL > 1             ? MNP_UNROLL
                              : MNP_TILED                             ? (MNP_SEARCHES || mnp_set_bytes > 16 ? 1 : 2)
                              : MNP_COLUMNS                           ? mnp_batch
                              : MNP_OUTS                              ? MNP_UNROLL
                              : MNP_SEARCHES                          ? 1
                              : mnp_batch >= 4 && mnp_set_bytes <= 16 ? 4
                                                                      : 1;
MNP_INLINE constexpr int mnp_set(int u, int a, int v)
{
    return MNP_OUTS ? u : (a * MNP_VECTOR + v) % mnp_set_count;
}

/* Sets that have settle() are settled before they have too many elements: reduce_small.h. */
template <typename Lanes> MNP_INLINE auto mnp_settle(Lanes &lanes, int) -> decltype(lanes.settle(0))
{
#pragma unroll
    for (int j = 0; j < mnp_set_count; j++)
        lanes.settle(j);
}
template <typename Lanes> MNP_INLINE void mnp_settle(Lanes &, long)
{
}

/* A batch: the first access of this thread to each unit, and which units there are. */
struct mnp_units {
    mnp_readers readers[MNP_UNROLL];
    int64_t at[MNP_UNROLL]; /* if MNP_SKEWED the first access of a row may be less than MNP_VECTOR before it */
    int left[MNP_UNROLL];   /* elements from there on, as far as they matter; 0 or less: there are none */
    int step;               /* from one access to the next */
    /* The readers have been set. */
    MNP_INLINE void set(int u, bool exists, int64_t begin, int64_t width)
    {
        at[u] = begin - MNP_SKEW_OF(readers[u]);
        left[u] = exists ? (int)mnp_least(width - at[u], 1 << 30) : 0;
    }
    /* Whether access a of unit u is inside. */
    MNP_INLINE bool holds(int u, int a) const
    {
        return a * step + MNP_VECTOR <= left[u] && (!MNP_SKEWED || a > 0 || at[u] >= 0);
    }
    /* Where access a of unit u reads, which is somewhere else if nothing of it is inside. */
    MNP_INLINE int64_t place(int u, int a) const
    {
        if (MNP_SKEWED)
            return a * step < left[u] ? at[u] + a * step : -MNP_SKEW_OF(readers[u]);
        return (holds(u, 0) ? at[u] : 0) + (holds(u, a) ? a * step : 0);
    }
};

#if MNP_SEARCHES
/* An element as searches compare it. */
typedef mnp_op::C mnp_sought;
#define MNP_SOUGHT(IN) mnp_to<mnp_sought>::from(MNP_VALUE(IN))

/* Whether an element is better than the best one before it, or as good and of a lower index. */
MNP_INLINE bool mnp_replaces(mnp_sought x, mnp_sought best)
{
    return MNP_FALLS ? !mnp_op::replaces(best, x) : mnp_op::replaces(x, best);
}
#endif

#define MNP_VALUES(k) mnp_memory##k value##k[MNP_UNROLL][MNP_ALONG][MNP_VECTOR];
#define MNP_LOAD(k) units.readers[u].in##k.load(x, value##k[u][a]);
#define MNP_LOADED(k) units.readers[u].in##k.convert(value##k[u][a][v])
#define MNP_GET(k) units.readers[u].in##k.get(x)

/*
 * The index of element x of unit u.  Of one reduced dimension columns have rows that are equally far apart, so that two
 * readers tell all indices.
 */
MNP_INLINE int64_t mnp_index_of(const mnp_units &units, int u, int64_t x)
{
#if MNP_COLUMNS && MNP_REDUCED == 1 && MNP_UNROLL > 1
    const int64_t first = units.readers[0].index(x);
    return first + u * (units.readers[1].index(x) - first);
#else
    return units.readers[u].index(x);
#endif
}

/* Add the elements of access a of unit u, as far as they are inside, one after the other. */
template <typename Lanes> MNP_INLINE void mnp_take_access(const mnp_units &units, int u, int a, Lanes &lanes)
{
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        const int64_t x = units.at[u] + a * units.step + v;
        if (a * units.step + v < units.left[u] && (!MNP_SKEWED || x >= 0))
            MNP_TAKE_ONE(lanes, mnp_set(u, a, v), MNP_GET, mnp_index_of(units, u, x));
    }
}

#if MNP_LOOKS
/* The same for a whole batch that is not plain, in a loop, as there is much code for an element. */
template <typename Lanes> MNP_INLINE void mnp_take_slowly(const mnp_units &units, Lanes &lanes)
{
#pragma unroll 1
    for (int k = 0; k < MNP_UNROLL * MNP_ALONG; k++) {
        mnp_units one = units;
#pragma unroll
        for (int u = 1; u < MNP_UNROLL; u++) {
            if (k / MNP_ALONG == u) {
                one.readers[0] = units.readers[u];
                one.at[0] = units.at[u];
                one.left[0] = units.left[u];
            }
        }
        one.at[0] += k % MNP_ALONG * units.step;
        one.left[0] -= k % MNP_ALONG * units.step;
        mnp_take_access(one, 0, 0, lanes);
    }
}
#endif

template <typename Lanes> MNP_INLINE void mnp_take_units(const mnp_units &units, Lanes &lanes)
{
    MNP_INPUTS(MNP_VALUES)
    bool whole = true,
         fits = MNP_COLUMNS && units.left[0] > 0; /* all units are there; those that are, which come first */
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
        for (int a = 0; a < MNP_ALONG; a++) {
            const bool holds = units.holds(u, a);
            const int64_t x = units.place(u, a);
            whole = whole && holds;
            fits = fits && (units.left[u] <= 0 || holds);
            MNP_INPUTS(MNP_LOAD)
        }
    }
    asm volatile("" ::: "memory"); /* all loads come before the branches */
#if MNP_SEARCHES && !MNP_COLUMNS && !MNP_OUTS && MNP_UNROLL == 1
    if (whole && (MNP_FALLS ||
                  units.readers[0].step > 0)) { /* find the best element without 64-bit indices, then add that one */
        constexpr int u = 0;
        mnp_sought best = {};
        int place = 0;
#pragma unroll
        for (int a = 0; a < MNP_ALONG; a++) {
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++) {
                const mnp_sought x = MNP_SOUGHT(MNP_LOADED);
                const bool replaces = (a == 0 && v == 0) || mnp_replaces(x, best);
                best = replaces ? x : best;
                place = replaces ? a * MNP_VECTOR + v : place;
            }
        }
        lanes.take(0, best, units.readers[0].index(units.at[0] + place / MNP_VECTOR * units.step + place % MNP_VECTOR));
        return;
    }
#endif
#if MNP_SEARCHES && MNP_COLUMNS && MNP_REDUCED == 1 && MNP_UNROLL > 1
    if (fits) { /* the same of the elements that a column has in these rows, which are equally far apart */
        const int64_t first = units.readers[0].index(0), apart = units.readers[1].index(0) - first;
#pragma unroll
        for (int a = 0; a < MNP_ALONG; a++) {
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++) {
                int u = 0, row = 0;
                mnp_sought best = MNP_SOUGHT(MNP_LOADED);
#pragma unroll
                for (u = 1; u < MNP_UNROLL; u++) {
                    const mnp_sought x = MNP_SOUGHT(MNP_LOADED);
                    const bool replaces = units.left[u] > 0 && mnp_replaces(x, best);
                    best = replaces ? x : best;
                    row = replaces ? u : row;
                }
                if (MNP_FALLS)
                    lanes.take(mnp_set(0, a, v), best, first + row * apart);
                else
                    lanes.follow(mnp_set(0, a, v), best, first + row * apart);
            }
        }
        return;
    }
#endif
#if MNP_LEADS
    if (whole || fits) {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
            if (MNP_COLUMNS && u > 0 && units.left[u] <= 0)
                continue;
#pragma unroll
            for (int a = 0; a < MNP_ALONG; a++) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++) {
                    const int64_t i = 0;
                    if (MNP_OUTS ? a + v == 0 : u == 0 && a * MNP_VECTOR + v < mnp_set_count)
                        MNP_ELEMENT(lanes, lead, mnp_set(u, a, v), MNP_LOADED, i);
                    MNP_ELEMENT(lanes, follow, mnp_set(u, a, v), MNP_LOADED, i);
                }
            }
        }
        return;
    }
#endif
#if MNP_LOOKS
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
        for (int a = 0; a < MNP_ALONG; a++) {
            if (whole || units.holds(u, a)) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++)
                    MNP_LOOK_AT(lanes, mnp_set(u, a, v), MNP_LOADED, 0);
            }
        }
    }
    if (!MNP_IS_PLAIN(lanes, MNP_UNROLL * mnp_batch, mnp_set_count) || (MNP_VECTOR > 1 && !whole)) {
        mnp_take_slowly(units, lanes);
        return;
    }
#endif
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
        for (int a = 0; a < MNP_ALONG; a++) {
            if (whole || units.holds(u, a)) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++)
                    MNP_TAKE(lanes, mnp_set(u, a, v), MNP_LOADED,
                             mnp_index_of(units, u, units.at[u] + a * units.step + v));
            } else if (MNP_SKEWED) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++) {
                    const int64_t x = units.at[u] + a * units.step + v;
                    if (a * units.step + v < units.left[u] && x >= 0)
                        MNP_TAKE(lanes, mnp_set(u, a, v), MNP_LOADED, mnp_index_of(units, u, x));
                }
            } else if (MNP_VECTOR > 1 && !MNP_LOOKS) {
                mnp_take_access(units, u, a, lanes);
            }
        }
    }
}

/*
 * The indices of a unit: those of its row, of which the last one is a piece's in the row if units are pieces of rows.
 */
struct mnp_unit_index {
    int64_t at[MNP_REDUCED], step[MNP_REDUCED];
    long long extent[MNP_REDUCED];
    /* Start at unit number `first`; advance() goes to the one that comes `by` later, without a division. */
    MNP_INLINE void start(const mnp_reduce_params &p, int64_t pieces, int64_t first, int64_t by)
    {
#pragma unroll
        for (int d = 0; d < MNP_REDUCED; d++)
            extent[d] = p.reduced[d];
        if (!MNP_COLUMNS)
            extent[MNP_REDUCED - 1] = pieces;
        mnp_unravel<MNP_REDUCED>(extent, first, at);
        mnp_unravel<MNP_REDUCED>(extent, by, step);
    }
    MNP_INLINE void advance()
    {
        int64_t carry = 0;
#pragma unroll
        for (int d = MNP_REDUCED - 1; d > 0; d--) {
            at[d] += step[d] + carry;
            carry = at[d] >= extent[d];
            at[d] -= carry ? extent[d] : 0;
        }
        at[0] += step[0] + carry;
    }
};

/*
 * Add the units from `begin` to before `end` of one output, or of a line of them, that belong to this line of threads,
 * which is number y of `down`.  The thread's first access begins at x; a row has so many pieces, which are its units.
 */
template <typename Lanes>
MNP_INLINE void mnp_take_all(const mnp_reduce_params &p, const int64_t *kept, int64_t x, int64_t begin, int64_t end,
                             int y, int down, int64_t pieces, Lanes &lanes)
{
    constexpr int turns = mnp_most_unsettled * mnp_set_count / (MNP_UNROLL * mnp_batch);
    int turn = 0;
    mnp_units units;
    mnp_unit_index index;
    const int64_t width = MNP_COLUMNS ? p.kept[MNP_KEPT - 1] : p.reduced[MNP_REDUCED - 1];
    units.step = MNP_VECTOR << p.team;
    index.start(p, pieces, begin + y, down);
    for (int64_t q = begin + y; q < end;) {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++, q += down) {
            const int64_t piece = MNP_COLUMNS ? 0 : index.at[MNP_REDUCED - 1];
            units.readers[u].find(p, kept, index.at);
            units.set(u, q < end, x + piece * (units.step * MNP_ALONG), width);
            if (q + down < end) /* what does not exist reads what the last one does */
                index.advance();
        }
        mnp_take_units(units, lanes);
        if (++turn == turns) {
            mnp_settle(lanes, 0);
            turn = 0;
        }
    }
}

#if MNP_TILED
#include "kernels/reduction/reduce_tiles_cuda.h"
#elif MNP_COLUMNS

/* The place in shared memory of set j of a thread; half of the block stores at a time. */
MNP_INLINE int mnp_slot(int thread, int j)
{
    const int half = thread % (MNP_THREADS / 2);
    return (half / 32 * mnp_set_count + j) * 32 + half % 32;
}

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    extern __shared__ double mnp_shared[];
    mnp_acc *const known = (mnp_acc *)mnp_shared;
    const int across = 1 << p.team, down = MNP_THREADS >> p.team, y = threadIdx.x >> p.team;
    const int64_t width = p.kept[MNP_KEPT - 1], tiles = ((width + across * mnp_batch - 1) / mnp_batch) >> p.team;
    const int64_t stripe = mnp_quotient(blockIdx.x, tiles), tile = blockIdx.x - stripe * tiles;
    const int64_t line = p.parts > 1 ? mnp_quotient(stripe, p.parts) : stripe, part = stripe - line * p.parts;
    const int64_t begin = p.parts > 1 ? mnp_share_begin(p.rows, part, p.parts) : 0;
    const int64_t end = p.parts > 1 ? mnp_share_begin(p.rows, part + 1, p.parts) : p.rows;
    const int64_t x = tile * across * mnp_batch + (threadIdx.x & (across - 1)) * MNP_VECTOR;
    int64_t kept[MNP_KEPT];
    mnp_op::lanes<mnp_set_count> lanes;
#pragma unroll
    for (int j = 0; j < mnp_set_count; j++)
        lanes.start(j);
    mnp_unravel<MNP_KEPT - 1>(p.kept, line, kept);
    mnp_take_all(p, kept, x, begin, end, y, down, 1, lanes);
    mnp_acc acc[mnp_set_count];
#pragma unroll
    for (int j = 0; j < mnp_set_count; j++)
        acc[j] = lanes.end(j);
    for (int half = down / 2; half > 0; half /= 2) {
        if (y >= half && y < 2 * half) {
#pragma unroll
            for (int j = 0; j < mnp_set_count; j++)
                known[mnp_slot(threadIdx.x, j)] = acc[j];
        }
        __syncthreads();
        if (y < half) { /* the columns are the same */
#pragma unroll
            for (int j = 0; j < mnp_set_count; j++)
                mnp_op::join(acc[j], known[mnp_slot(threadIdx.x + (half << p.team), j)]);
        }
        __syncthreads();
    }
    /* Threads beside one another deliver results beside one another, those of at most half of the block at a time. */
    constexpr int most = MNP_THREADS / 2;
    const int owners = across < most ? across : most, columns = owners * MNP_VECTOR;
    for (int from = 0; from < across; from += owners) {
        const int owner = threadIdx.x - from;
        if (owner >= 0 && owner < owners) {
#pragma unroll
            for (int j = 0; j < mnp_set_count; j++)
                known[j / MNP_VECTOR * columns + owner * MNP_VECTOR + j % MNP_VECTOR] = acc[j];
        }
        __syncthreads();
#pragma unroll 1
        for (int a = 0; a < MNP_ALONG; a++) {
            const int64_t before = tile * across * mnp_batch + (a * across + from) * MNP_VECTOR;
            for (int c = threadIdx.x; c < columns; c += MNP_THREADS) {
                kept[MNP_KEPT - 1] = before + c;
                if (before + c < width)
                    mnp_deliver(p, known[a * columns + c], kept, part);
            }
        }
        __syncthreads();
    }
}

#elif MNP_OUTS

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    const int across = 1 << p.team, groups = MNP_THREADS >> p.team, lane = threadIdx.x & (across - 1);
    const int64_t first = (int64_t)blockIdx.x * (groups * MNP_UNROLL) + (threadIdx.x >> p.team);
    mnp_op::lanes<mnp_set_count> lanes;
    mnp_units units;
    units.step = MNP_VECTOR << p.team;
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        int64_t kept[MNP_KEPT], reduced[MNP_REDUCED] = {};
        const bool exists = first + u * groups < p.outputs;
        lanes.start(u);
        mnp_unravel<MNP_KEPT>(p.kept, exists ? first + u * groups : 0, kept);
        units.readers[u].find(p, kept, reduced);
        units.set(u, exists, lane * MNP_VECTOR, p.reduced[MNP_REDUCED - 1]);
    }
    mnp_take_units(units, lanes);
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        mnp_acc acc = lanes.end(u);
        mnp_join_team(acc, across); /* at most a warp */
        if (first + u * groups < p.outputs && lane == 0)
            mnp_deliver_number(p, acc, first + u * groups, 0);
    }
}

#else

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    const int across = 1 << p.team, down = 1 << p.deep, group = across * down, member = threadIdx.x & (group - 1);
    const int64_t number = ((int64_t)blockIdx.x * MNP_THREADS + threadIdx.x) >> (p.team + p.deep);
    const int64_t o = p.parts > 1 ? mnp_quotient(number, p.parts) : number, part = number - o * p.parts;
    const int64_t touched = p.reduced[MNP_REDUCED - 1] + (MNP_SKEWED ? MNP_VECTOR - 1 : 0); /* at most */
    const int64_t pieces = ((touched + across * mnp_batch - 1) / mnp_batch) >> p.team;
    const int64_t all = p.rows * pieces, begin = p.parts > 1 ? mnp_share_begin(all, part, p.parts) : 0;
    const int64_t end = p.parts > 1 ? mnp_share_begin(all, part + 1, p.parts) : all;
    mnp_op::lanes<mnp_set_count> lanes;
#pragma unroll
    for (int j = 0; j < mnp_set_count; j++)
        lanes.start(j);
    if (o < p.outputs) {
        int64_t kept[MNP_KEPT];
        mnp_unravel<MNP_KEPT>(p.kept, o, kept);
        mnp_take_all(p, kept, (member & (across - 1)) * MNP_VECTOR, begin, end, member >> p.team, down, pieces, lanes);
    }
    mnp_acc acc = lanes.end(0);
#pragma unroll
    for (int j = 1; j < mnp_set_count; j++) {
        const mnp_acc other = lanes.end(j);
        mnp_op::join(acc, other);
    }
    mnp_join_team(acc, group);
    if (o < p.outputs && member == 0)
        mnp_deliver_number(p, acc, o, part);
}

#endif

/* Join the parts of outputs, a team of threads for each. */
MNP_INLINE void mnp_do_parts(const mnp_reduce_params &p)
{
    const int team = 1 << p.team, lane = threadIdx.x & (team - 1);
    const int64_t o = (int64_t)blockIdx.x * (MNP_THREADS >> p.team) + (threadIdx.x >> p.team);
    mnp_acc acc = mnp_empty<mnp_op>();
    if (o < p.outputs) {
        int64_t index[MNP_KEPT];
        mnp_unravel<MNP_KEPT>(p.kept, o, index);
#pragma unroll 4
        for (int64_t part = lane; part < p.parts; part += team) {
            const mnp_acc other = *mnp_part_at(p, p.source, index, part);
            mnp_op::join(acc, other);
        }
    }
    mnp_join_team(acc, team);
    if (o < p.outputs && lane == 0)
        mnp_deliver_number(p, acc, o, 0);
}

#if MNP_TILED
#define MNP_BOUNDS __launch_bounds__(MNP_THREADS, mnp_least_blocks)
#elif MNP_LARGE && !MNP_COLUMNS && !MNP_LOOKS
#define MNP_BOUNDS __launch_bounds__(MNP_THREADS, 4) /* so many blocks a multiprocessor keep enough bytes in flight */
#elif MNP_COLUMNS && MNP_SEARCHES
#define MNP_BOUNDS __launch_bounds__(MNP_THREADS, mnp_set_count > 4 ? 2 : 3)
#else
#define MNP_BOUNDS __launch_bounds__(MNP_THREADS)
#endif

extern "C" __global__ void MNP_BOUNDS MNP_REDUCE(const __grid_constant__ mnp_reduce_params p)
{
    if (p.target) /* another launch joins what this one stores */
        mnp_start_next_launch();
    mnp_await_previous_launch();
    if (p.task == MNP_REDUCE_ELEMENTS)
        mnp_do_elements(p);
    else
        mnp_do_parts(p);
}
