/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions on a GPU by tiles: elements that follow one another in memory, in any mixture of kept and reduced
 * dimensions.
 *
 * A tile has all indices of the innermost MNP_TILE_KEPT kept and MNP_TILE_REDUCED reduced dimensions, but for one, the
 * outermost of them in memory: that is cut, and a tile has p.each of its indices.  A block copies the bytes of a tile
 * to shared memory, 16 at a time, wherever it begins; so memory is read like one vector, without index arithmetic, and
 * many blocks a multiprocessor keep enough bytes in flight.  From there teams of threads reduce the elements of an
 * output each.
 *
 * A block goes through the tiles that have the same outputs, p.deep of them at a time, or through a part of them, and
 * copies the next ones while it reduces these.  A tile without reduced dimensions has one element of every output.
 * Where there is one tile (MNP_TILE_LOOP 0), a block goes through its outputs instead, MNP_THREADS >> p.team of them at
 * a time.
 */
#include "kernels/reduction/staging_cuda.h"

/* Registers are limited so that so many blocks fit on a multiprocessor; of those that copy ahead memory has five. */
constexpr int mnp_least_blocks = MNP_UNROLL > 1 || MNP_TILE_REDUCED > 1 || mnp_set_bytes > 16 ? 4
                                 : MNP_KEPT + MNP_REDUCED > 2 || MNP_TILE_LOOP                ? 5
                                                                                              : 7;
constexpr int mnp_outer_kept = MNP_KEPT - MNP_TILE_KEPT, mnp_outer_reduced = MNP_REDUCED - MNP_TILE_REDUCED;
constexpr int mnp_most_deep = 32, mnp_memory_bytes = sizeof(mnp_memory0);

/* The product of extents from dimension `first` on. */
template <int first, int dims> MNP_INLINE int mnp_product(const long long *extent)
{
    int product = 1;
#pragma unroll
    for (int d = first; d < dims; d++)
        product *= (int)extent[d];
    return product;
}

/* What all tiles of a launch share; 32 bits are enough inside a tile. */
struct mnp_tiling {
    int kept, reduced;   /* outputs and elements of one of them, of an index of the cut dimension */
    int span, cut, each; /* elements from first to last of one such index; the cut stride; indices of a tile */
    int64_t length;      /* of the cut dimension */
    MNP_INLINE void find(const mnp_reduce_params &p)
    {
        const mnp_reduce_operand &in = p.operand[0];
        length = MNP_CUT_REDUCED ? p.reduced[mnp_outer_reduced] : p.kept[mnp_outer_kept];
        kept = mnp_product<mnp_outer_kept + !MNP_CUT_REDUCED, MNP_KEPT>(p.kept);
        reduced = mnp_product<mnp_outer_reduced + MNP_CUT_REDUCED, MNP_REDUCED>(p.reduced);
        span = 1;
#pragma unroll
        for (int d = mnp_outer_kept + !MNP_CUT_REDUCED; d < MNP_KEPT; d++)
            span += ((int)p.kept[d] - 1) * (int)in.kept[d];
#pragma unroll
        for (int d = mnp_outer_reduced + MNP_CUT_REDUCED; d < MNP_REDUCED; d++)
            span += ((int)p.reduced[d] - 1) * (int)in.reduced[d];
        cut = (int)(MNP_CUT_REDUCED ? in.reduced[mnp_outer_reduced] : in.kept[mnp_outer_kept]);
        each = (int)p.each;
    }
    /* Indices of the cut dimension that chunk `chunk` has; and bytes from the first to the last element of so many. */
    MNP_INLINE int held(uint32_t chunk) const
    {
        return (int)mnp_least(each, length - (int64_t)chunk * each);
    }
    MNP_INLINE int bytes(int indices) const
    {
        return ((indices - 1) * cut + span) * mnp_memory_bytes;
    }
};

/* The offset of output number q of a tile from its first one. */
MNP_INLINE int mnp_offset_of(const mnp_reduce_params &p, int q)
{
    int offset = 0;
#pragma unroll
    for (int d = MNP_KEPT - 1; d > mnp_outer_kept; d--) {
        const int outer = (int)((uint32_t)q / (uint32_t)p.kept[d]);
        offset += (q - outer * (int)p.kept[d]) * (int)p.operand[0].kept[d];
        q = outer;
    }
    return MNP_TILE_KEPT > 0 ? offset + q * (int)p.operand[0].kept[mnp_outer_kept] : 0;
}

/* Add an element to a set, which has been led if that is possible. */
#if MNP_LEADS
#define MNP_TAKE_STAGED(lanes, j, IN, i) MNP_ELEMENT(lanes, follow, j, IN, i)
static_assert(mnp_set_count == MNP_UNROLL, "a set of each output is led");
#else
#define MNP_TAKE_STAGED(lanes, j, IN, i) MNP_TAKE(lanes, j, IN, i)
#endif

/*
 * The output of a tile that comes as number q: threads beside one another store results beside one another, also where
 * these lie along the outermost kept dimension of the tile, of which it has `held` indices.
 */
MNP_INLINE int mnp_output_number(const mnp_reduce_params &p, const mnp_tiling &tiling, int held, int q)
{
#if MNP_TILE_KEPT > 1 && !MNP_CUT_REDUCED
    const auto &stride = p.result[0].kept;
    if (p.target == 0 && stride[mnp_outer_kept] < stride[MNP_KEPT - 1] && q < held * tiling.kept) {
        const int inner = (int)((uint32_t)q / (uint32_t)held);
        return (q - inner * held) * tiling.kept + inner;
    }
#endif
    return q;
}

#if MNP_TILE_LOOP
/*
 * The tiles that a block has in shared memory: where they begin there, how many of their elements an output has, and
 * the index of the first one.
 */
struct mnp_staged {
    int place[mnp_most_deep], count[mnp_most_deep];
    int64_t first[mnp_most_deep];
};

/*
 * Begin to copy the tiles number `begin` to before `end` of an output; `from` is its first element.  Small ones share
 * the block.
 */
MNP_INLINE void mnp_stage_tiles(const mnp_reduce_params &p, const mnp_tiling &tiling, const mnp_memory0 *from, int held,
                                int begin, int end, int pitch, uint4 *shared, mnp_staged &staged)
{
    const mnp_reduce_operand &in = p.operand[0], &counter = p.operand[MNP_OPERANDS - 1];
    const int groups = p.deep >= 8 ? 3 : p.deep >= 2; /* of threads, as the power of two */
    const int threads = MNP_THREADS >> groups, thread = threadIdx.x & (threads - 1);
    for (int t = begin + ((int)threadIdx.x << groups) / MNP_THREADS; t < end; t += 1 << groups) {
        const uint32_t outer = MNP_CUT_REDUCED ? (uint32_t)t / (uint32_t)p.chunks : (uint32_t)t;
        const uint32_t chunk = MNP_CUT_REDUCED ? t - outer * (uint32_t)p.chunks : 0;
        const int here = MNP_CUT_REDUCED ? tiling.held(chunk) : held;
        int64_t index[MNP_REDUCED];
        mnp_unravel<mnp_outer_reduced>(p.reduced, outer, index);
        const mnp_memory0 *const at = from + mnp_offset<mnp_outer_reduced>(in.reduced, index) +
                                      (MNP_CUT_REDUCED ? (int64_t)chunk * tiling.each * tiling.cut : 0);
        const int place = (t - begin) * pitch;
        mnp_stage(shared + place, at, tiling.bytes(here), thread, threads);
        if (thread == 0) {
            staged.place[t - begin] = 16 * place + mnp_skip_of(at);
            staged.count[t - begin] = tiling.reduced * (MNP_CUT_REDUCED ? here : 1);
            staged.first[t - begin] =
                (int64_t)counter.base + mnp_offset<mnp_outer_reduced>(counter.reduced, index) +
                (MNP_CUT_REDUCED ? (int64_t)chunk * tiling.each * counter.reduced[mnp_outer_reduced] : 0);
        }
    }
}
#endif

#if MNP_TILE_REDUCED == 0 && MNP_TILE_LOOP
/* Add the element that each of a thread's outputs has in every tile. */
template <typename Lanes>
MNP_INLINE void mnp_take_layers(const mnp_staged &staged, int tiles, const uint4 *shared, const int *offset,
                                Lanes &lanes)
{
#define MNP_LAYER(k)                                                                                                   \
    mnp_to<mnp_type##k>::from(((const mnp_memory0 *)((const char *)shared + staged.place[t]))[offset[u]])
#if MNP_LEADS
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        constexpr int t = 0;
        MNP_ELEMENT(lanes, lead, u, MNP_LAYER, 0);
    }
#endif
#if MNP_SEARCHES && MNP_REDUCED == 1 /* which layer is the best one is found without 64-bit indices */
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        int t = 0, layer = 0;
        mnp_sought best = MNP_SOUGHT(MNP_LAYER);
#pragma unroll 4
        for (t = 1; t < tiles; t++) {
            const mnp_sought x = MNP_SOUGHT(MNP_LAYER);
            const bool replaces = mnp_replaces(x, best);
            best = replaces ? x : best;
            layer = replaces ? t : layer;
        }
        lanes.take(u, best, staged.first[layer]);
    }
#else
#pragma unroll 4
    for (int t = 0; t < tiles; t++) {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++)
            MNP_TAKE_STAGED(lanes, u, MNP_LAYER, staged.first[t]);
    }
#endif
}
#endif

#if MNP_TILE_REDUCED > 1
/* Where the elements of an output are, from its first one on. */
MNP_INLINE const uint16_t *mnp_list_places(const mnp_reduce_params &p, const mnp_tiling &tiling, uint16_t *places)
{
    const int count = tiling.reduced * (MNP_CUT_REDUCED ? tiling.each : 1);
    for (int i = threadIdx.x; i < count; i += MNP_THREADS) {
        int64_t index[MNP_TILE_REDUCED];
        mnp_unravel<MNP_TILE_REDUCED>(p.reduced + mnp_outer_reduced, i, index);
        places[i] = (uint16_t)mnp_offset<MNP_TILE_REDUCED>(p.operand[0].reduced + mnp_outer_reduced, index);
    }
    return places; /* a barrier follows before they are read */
}
#endif

/*
 * The elements of a thread's MNP_UNROLL outputs in a tile that belong to it: number `lane` of 1 << team threads, of
 * output number `number`.  Set u takes those of output u, or two sets in turn those of one output.  Where outputs would
 * meet at the same banks of shared memory (MNP_TILE_TURNS), each begins with another one of its elements.
 */
template <typename Lanes>
MNP_INLINE void mnp_take_staged(const mnp_memory0 *tile, const int *offset, int stride, const uint16_t *places,
                                int count, int64_t first, int64_t step, int lane, int team, int number, Lanes &lanes)
{
    const int by = 1 << team;
#if MNP_TILE_REDUCED > 1
#define MNP_PLACE(j) places[j]
#else
#define MNP_PLACE(j) ((j)*stride)
#endif
#define MNP_STAGED(k) mnp_to<mnp_type##k>::from(tile[offset[u] + MNP_PLACE(j)])
#if MNP_LEADS
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        const int j = lane;
        if (j < count)
            MNP_ELEMENT(lanes, lead, u, MNP_STAGED, 0);
    }
#endif
#if MNP_SEARCHES
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        int j = lane, place = lane; /* indices rise, or fall */
        if (lane >= count)
            continue;
        mnp_sought best = MNP_SOUGHT(MNP_STAGED);
#pragma unroll 4
        for (j += by; j < count; j += by) {
            const mnp_sought x = MNP_SOUGHT(MNP_STAGED);
            const bool replaces = mnp_replaces(x, best);
            best = replaces ? x : best;
            place = replaces ? j : place;
        }
        lanes.take(u, best, first + place * step);
    }
#elif MNP_TILE_COUNT
    const int turn = MNP_TILE_TURNS ? (int)((uint32_t)number % MNP_TILE_COUNT) : 0;
#pragma unroll
    for (int taken = 0; taken < MNP_TILE_COUNT; taken++) {
        constexpr int u = 0;
        const int j = MNP_TILE_TURNS && taken + turn >= MNP_TILE_COUNT ? taken + turn - MNP_TILE_COUNT : taken + turn;
        MNP_TAKE_STAGED(lanes, taken % mnp_set_count, MNP_STAGED, first + j * step);
    }
#else
    const uint32_t turns = count >> team;
    int taken = lane, j = MNP_TILE_TURNS && turns ? lane + (int)(((uint32_t)number & 31) % turns << team) : lane;
    const auto next = [&] {
        taken += by;
        j += by;
        if (MNP_TILE_TURNS && j >= count)
            j = lane;
    };
    for (const int last = count - (MNP_ALONG - 1) * by; taken < last;) {
#pragma unroll
        for (int a = 0; a < MNP_ALONG; a++, next()) {
#pragma unroll
            for (int u = 0; u < MNP_UNROLL; u++)
                MNP_TAKE_STAGED(lanes, MNP_UNROLL > 1 ? u : a % mnp_set_count, MNP_STAGED, first + j * step);
        }
    }
    for (; taken < count; next()) {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++)
            MNP_TAKE_STAGED(lanes, u, MNP_STAGED, first + j * step);
    }
#endif
}

/*
 * Join the sets of a thread's output u, and the accumulators of its team, and deliver the result of output q of a tile,
 * whose first one has the indices `first`.
 */
template <typename Lanes>
MNP_INLINE void mnp_finish(const mnp_reduce_params &p, const Lanes &lanes, int u, const int64_t *first, int q,
                           int outputs, int64_t part)
{
    constexpr bool alone = MNP_TILE_COUNT || MNP_TILE_REDUCED == 0; /* an output has one thread */
    const int across = alone ? 1 : 1 << p.team;
    mnp_acc acc = lanes.end(u);
#pragma unroll
    for (int j = 1; j < mnp_set_count && MNP_UNROLL == 1; j++) {
        const mnp_acc other = lanes.end(j);
        mnp_op::join(acc, other);
    }
    if (across > 32) /* until what the team joined before is read */
        __syncthreads();
    if (!alone)
        mnp_join_team(acc, across);
    if (q >= outputs || (threadIdx.x & (across - 1)) != 0)
        return;
    int64_t index[MNP_KEPT];
#pragma unroll
    for (int d = MNP_KEPT - 1; d >= 0; d--) {
        const int outer = d > mnp_outer_kept ? (int)((uint32_t)q / (uint32_t)p.kept[d]) : 0;
        index[d] = d < mnp_outer_kept ? first[d] : first[d] + (q - outer * (int)p.kept[d]);
        q = d > mnp_outer_kept ? outer : q;
    }
    mnp_deliver(p, acc, index, part);
}

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    extern __shared__ uint4 mnp_shared[];
    const mnp_reduce_operand &in = p.operand[0], &counter = p.operand[MNP_OPERANDS - 1];
    mnp_tiling tiling;
    tiling.find(p);
    const int lane = threadIdx.x & ((1 << p.team) - 1), at_once = MNP_THREADS >> p.team;
    const int stride = (int)in.reduced[MNP_REDUCED - 1];
    const int64_t step = counter.reduced[MNP_REDUCED - 1];
    uint32_t column = blockIdx.x, stripe = 0, part = 0;
    if (MNP_CUT_REDUCED)
        column = 0, stripe = blockIdx.x;
    else if (mnp_outer_kept > 0 || MNP_TILE_LOOP)
        stripe = column / (uint32_t)p.chunks, column -= stripe * (uint32_t)p.chunks;
    if (MNP_TILE_LOOP && p.parts > 1)
        part = stripe, stripe /= (uint32_t)p.parts, part -= stripe * (uint32_t)p.parts;
    const int held = MNP_CUT_REDUCED ? 0 : tiling.held(column), outputs = tiling.kept * (MNP_CUT_REDUCED ? 1 : held);
    int64_t kept[MNP_KEPT] = {};
    mnp_unravel<mnp_outer_kept>(p.kept, stripe, kept);
    const mnp_memory0 *const from = (const mnp_memory0 *)in.base + mnp_offset<mnp_outer_kept>(in.kept, kept) +
                                    (int64_t)column * tiling.each * tiling.cut;
    if constexpr (!MNP_CUT_REDUCED)
        kept[mnp_outer_kept] = (int64_t)column * tiling.each;
    const uint16_t *places = nullptr;
    mnp_op::lanes<mnp_set_count> lanes;
    int offset[MNP_UNROLL];
#if MNP_TILE_LOOP
    __shared__ mnp_staged staged[2];
    const int pitch = (tiling.bytes(tiling.each) + 30) / 16, room = (int)p.deep * pitch;
    const int begin = p.parts > 1 ? (int)mnp_share_begin(p.tiles, part, p.parts) : 0;
    const int end = p.parts > 1 ? (int)mnp_share_begin(p.tiles, part + 1, p.parts) : (int)p.tiles;
#if MNP_TILE_REDUCED > 1
    places = mnp_list_places(p, tiling, (uint16_t *)(mnp_shared + 2 * room));
#endif
#pragma unroll
    for (int j = 0; j < mnp_set_count; j++)
        lanes.start(j);
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        const int q = mnp_output_number(p, tiling, held, u * at_once + (threadIdx.x >> p.team));
        offset[u] = mnp_offset_of(p, q < outputs ? q : 0); /* of the others nothing comes */
    }
    if (begin < end)
        mnp_stage_tiles(p, tiling, from, held, begin, (int)mnp_least(end, begin + p.deep), pitch, mnp_shared,
                        staged[0]);
    for (int t = begin, now = 0; t < end; t += (int)p.deep, now ^= 1) {
        const int until = (int)mnp_least(end, t + p.deep);
        const uint4 *const tiles = mnp_shared + now * room;
        mnp_await_stage(); /* and all threads are through with the tiles before these */
        if (until < end)
            mnp_stage_tiles(p, tiling, from, held, until, (int)mnp_least(end, until + p.deep), pitch,
                            mnp_shared + (now ^ 1) * room, staged[now ^ 1]);
#if MNP_TILE_REDUCED == 0 && MNP_TILE_LOOP
        mnp_take_layers(staged[now], until - t, tiles, offset, lanes);
#else
        for (int i = 0; i < until - t && (threadIdx.x >> p.team) < outputs; i++)
            mnp_take_staged((const mnp_memory0 *)((const char *)tiles + staged[now].place[i]), offset, stride, places,
                            staged[now].count[i], staged[now].first[i], step, lane, (int)p.team, threadIdx.x >> p.team,
                            lanes);
#endif
        mnp_settle(lanes, 0);
    }
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++)
        mnp_finish(p, lanes, u, kept, mnp_output_number(p, tiling, held, u * at_once + (threadIdx.x >> p.team)),
                   outputs, part);
#else
    const int here = MNP_CUT_REDUCED ? tiling.each : held, count = tiling.reduced * (MNP_CUT_REDUCED ? here : 1);
#if MNP_TILE_REDUCED > 1
    places = mnp_list_places(p, tiling, (uint16_t *)(mnp_shared + (tiling.bytes(tiling.each) + 30) / 16));
#endif
    mnp_stage(mnp_shared, from, tiling.bytes(here));
    mnp_await_stage();
    const mnp_memory0 *const tile = (const mnp_memory0 *)((const char *)mnp_shared + mnp_skip_of(from));
    for (int q = threadIdx.x >> p.team; q - (threadIdx.x >> p.team) < outputs;
         q += at_once) { /* alike, as teams join */
#pragma unroll
        for (int j = 0; j < mnp_set_count; j++)
            lanes.start(j);
        const int number = mnp_output_number(p, tiling, held, q);
        offset[0] = mnp_offset_of(p, number);
        if (q < outputs)
            mnp_take_staged(tile, offset, stride, places, count, (int64_t)counter.base, step, lane, (int)p.team, q,
                            lanes);
        mnp_finish(p, lanes, 0, kept, number, outputs, 0);
    }
#endif
}
