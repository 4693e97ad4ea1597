/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions on a GPU.
 *
 * Rows: a team of threads, whose number is a power of two, reduces one part of one output.  A thread takes MNP_VECTOR
 * adjacent elements, MNP_UNROLL times, so that enough bytes are in flight.  Columns: the threads of a block lie along
 * the outputs, and several such lines of threads share the rows.  The accumulators of threads are joined by shuffles or
 * in shared memory.  Where an output has several parts, a second, small launch joins them.  The order is fixed, so
 * results are reproducible.
 */
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

#define MNP_VALUES(k) mnp_memory##k value##k[MNP_UNROLL][MNP_VECTOR];
#define MNP_GET(k) readers.in##k.get(x)
#define MNP_LOADED(k) readers.in##k.convert(value##k[u][v])

#if MNP_COLUMNS

/* Add one row of a thread's columns, the last of which may be beyond the edge. */
template <typename Lanes>
MNP_INLINE void mnp_take_some(const mnp_readers &readers, int64_t begin, int64_t width, Lanes &lanes)
{
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        const int64_t x = begin + v;
        if (x < width)
            MNP_TAKE_ONE(lanes, v, MNP_GET, readers.index(x));
    }
}

template <typename Lanes>
MNP_INLINE void mnp_take_rows(const mnp_reduce_params &p, const int64_t *kept, int64_t x, int64_t r, int64_t end,
                              int step, Lanes &lanes)
{
    const int64_t width = p.kept[MNP_KEPT - 1];
    int64_t reduced[MNP_REDUCED];
    for (; x + MNP_VECTOR <= width && r + (MNP_UNROLL - 1) * step < end; r += MNP_UNROLL * step) {
        MNP_INPUTS(MNP_VALUES)
        mnp_readers readers;
        int64_t index[MNP_UNROLL];
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
            mnp_unravel<MNP_REDUCED>(p.reduced, r + u * step, reduced);
            readers.find(p, kept, reduced);
            index[u] = readers.index(x);
#define MNP_LOAD(k) readers.in##k.load(x, value##k[u]);
            MNP_INPUTS(MNP_LOAD)
        }
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++)
                MNP_LOOK_AT(lanes, v, MNP_LOADED, 0);
        }
        if (!MNP_IS_PLAIN(lanes, MNP_UNROLL, MNP_VECTOR)) {
#pragma unroll 1
            for (int u = 0; u < MNP_UNROLL; u++) {
                mnp_unravel<MNP_REDUCED>(p.reduced, r + u * step, reduced);
                readers.find(p, kept, reduced);
                mnp_take_some(readers, x, width, lanes);
            }
            continue;
        }
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++)
                MNP_TAKE(lanes, v, MNP_LOADED, index[u] + v * readers.step);
        }
    }
    for (; r < end; r += step) {
        mnp_readers readers;
        mnp_unravel<MNP_REDUCED>(p.reduced, r, reduced);
        readers.find(p, kept, reduced);
        mnp_take_some(readers, x, width, lanes);
    }
}

/* The place in shared memory of a thread's accumulator of column v; half of the block stores at a time. */
MNP_INLINE int mnp_slot(int thread, int v)
{
    const int half = thread % (MNP_THREADS / 2);
    return (half / 32 * MNP_VECTOR + v) * 32 + half % 32;
}

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    extern __shared__ double mnp_shared[];
    mnp_acc *const known = (mnp_acc *)mnp_shared;
    const int across = 1 << p.team, down = MNP_THREADS >> p.team, y = threadIdx.x >> p.team;
    const int64_t width = p.kept[MNP_KEPT - 1], tiles = (width + across * MNP_VECTOR - 1) / (across * MNP_VECTOR);
    const int64_t tile = blockIdx.x % tiles, part = blockIdx.x / tiles % p.parts, line = blockIdx.x / tiles / p.parts;
    const int64_t x = (tile * across + (threadIdx.x & (across - 1))) * MNP_VECTOR;
    int64_t kept[MNP_KEPT];
    mnp_op::lanes<MNP_VECTOR> lanes;
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++)
        lanes.start(v);
    mnp_unravel<MNP_KEPT - 1>(p.kept, line, kept);
    mnp_take_rows(p, kept, x, mnp_part_begin(p.rows, part, p.parts) + y, mnp_part_begin(p.rows, part + 1, p.parts),
                  down, lanes);
    mnp_acc acc[MNP_VECTOR];
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++)
        acc[v] = lanes.end(v);
    for (int half = down / 2; half > 0; half /= 2) {
        if (y >= half && y < 2 * half) {
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++)
                known[mnp_slot(threadIdx.x, v)] = acc[v];
        }
        __syncthreads();
        if (y < half) { /* the columns are the same */
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++)
                mnp_op::join(acc[v], known[mnp_slot(threadIdx.x + (half << p.team), v)]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int v = 0; v < MNP_VECTOR; v++) {
        if (y == 0 && x + v < width)
            mnp_deliver(p, acc[v], line * width + x + v, part);
    }
}

#else

/* A thread has a few sets, so that additions need not wait for one another. */
constexpr int mnp_set_bytes = sizeof(mnp_op::lanes<1>);
constexpr int mnp_set_count = MNP_SEARCHES                             ? 1
                              : MNP_VECTOR >= 4 && mnp_set_bytes <= 16 ? 4
                              : MNP_VECTOR >= 2 && mnp_set_bytes <= 32 ? 2
                                                                       : 1;

template <typename Lanes>
MNP_INLINE void mnp_take_part(const mnp_reduce_params &p, const int64_t *kept, int64_t begin, int64_t end,
                              int64_t chunks, Lanes &lanes)
{
    const int team = 1 << p.team, lane = threadIdx.x & (team - 1);
    const int64_t width = p.reduced[MNP_REDUCED - 1], step = (int64_t)team * MNP_VECTOR;
    int64_t reduced[MNP_REDUCED];
    for (int64_t c = begin; c < end; c++) {
        const int64_t row = MNP_REDUCED > 1 ? c / chunks : 0;
        const int64_t at = (c - row * chunks) * (step * MNP_UNROLL) + lane * MNP_VECTOR;
        mnp_readers readers;
        mnp_unravel<MNP_REDUCED - 1>(p.reduced, row, reduced);
        readers.find(p, kept, reduced);
        bool plain = at + (MNP_UNROLL - 1) * step + MNP_VECTOR <= width;
        if (plain) {
            MNP_INPUTS(MNP_VALUES)
#pragma unroll
            for (int u = 0; u < MNP_UNROLL; u++) {
#define MNP_LOAD(k) readers.in##k.load(at + u * step, value##k[u]);
                MNP_INPUTS(MNP_LOAD)
            }
#if MNP_SEARCHES
            if (readers.step > 0) { /* first find the best element without 64-bit indices, then add that one */
                mnp_value best = {};
                int place = 0;
#pragma unroll
                for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
                    for (int v = 0; v < MNP_VECTOR; v++) {
                        const mnp_value x = MNP_VALUE(MNP_LOADED);
                        const bool replaces = (u == 0 && v == 0) || mnp_op::replaces(x, best);
                        best = replaces ? x : best;
                        place = replaces ? u * MNP_VECTOR + v : place;
                    }
                }
                lanes.take(0, best, readers.index(at + place / MNP_VECTOR * step + place % MNP_VECTOR));
                continue;
            }
#endif
#pragma unroll
            for (int u = 0; u < MNP_UNROLL; u++) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++)
                    MNP_LOOK_AT(lanes, v % mnp_set_count, MNP_LOADED, 0);
            }
            plain = MNP_IS_PLAIN(lanes, MNP_UNROLL * MNP_VECTOR, mnp_set_count);
#pragma unroll
            for (int u = 0; u < MNP_UNROLL && plain; u++) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++)
                    MNP_TAKE(lanes, v % mnp_set_count, MNP_LOADED, readers.index(at + u * step + v));
            }
        }
        if (!plain) {
#pragma unroll 1
            for (int64_t from = at; from < width && from < at + MNP_UNROLL * step; from += step) {
#pragma unroll
                for (int v = 0; v < MNP_VECTOR; v++) {
                    const int64_t x = from + v;
                    if (x < width)
                        MNP_TAKE_ONE(lanes, v % mnp_set_count, MNP_GET, readers.index(x));
                }
            }
        }
    }
}

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    const int team = 1 << p.team;
    const int64_t number = (int64_t)blockIdx.x * (MNP_THREADS >> p.team) + (threadIdx.x >> p.team);
    const int64_t o = p.parts > 1 ? number / p.parts : number, part = number - o * p.parts;
    const int64_t step = (int64_t)team * MNP_VECTOR * MNP_UNROLL;
    const int64_t chunks = (p.reduced[MNP_REDUCED - 1] + step - 1) / step, all = p.rows * chunks;
    mnp_op::lanes<mnp_set_count> lanes;
#pragma unroll
    for (int j = 0; j < mnp_set_count; j++)
        lanes.start(j);
    if (o < p.outputs) {
        int64_t kept[MNP_KEPT];
        mnp_unravel<MNP_KEPT>(p.kept, o, kept);
        mnp_take_part(p, kept, mnp_part_begin(all, part, p.parts), mnp_part_begin(all, part + 1, p.parts), chunks,
                      lanes);
    }
    mnp_acc acc = lanes.end(0);
#pragma unroll
    for (int j = 1; j < mnp_set_count; j++) {
        const mnp_acc other = lanes.end(j);
        mnp_op::join(acc, other);
    }
    mnp_join_team(acc, team);
    if (o < p.outputs && (threadIdx.x & (team - 1)) == 0)
        mnp_deliver(p, acc, o, part);
}

#endif

/* Join the parts of outputs, a team of threads for each. */
MNP_INLINE void mnp_do_parts(const mnp_reduce_params &p)
{
    const int team = 1 << p.team, lane = threadIdx.x & (team - 1);
    const int64_t o = (int64_t)blockIdx.x * (MNP_THREADS >> p.team) + (threadIdx.x >> p.team);
    mnp_acc acc = mnp_empty();
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
        mnp_deliver(p, acc, o, 0);
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_REDUCE(const __grid_constant__ mnp_reduce_params p)
{
    if (p.task == MNP_REDUCE_ELEMENTS)
        mnp_do_elements(p);
    else
        mnp_do_parts(p);
}
