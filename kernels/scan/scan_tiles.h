/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans of lines by blocks of a GPU.  The warps of a block scan adjacent chunks of a tile, and the totals of the chunks
 * are joined in shared memory.
 *
 * A thread scans a strip of adjacent elements, so that few shuffles are needed.  Warps read and write 16 bytes a thread
 * side by side, so the elements are rearranged in shared memory.  Tiles and chunks of a line begin where the elements
 * in memory are aligned, so that the first ones begin before the line; results that are not aligned there are written
 * one by one, side by side.
 *
 * Where lines are few, every block has one tile, and the lines are scanned in a single pass over memory (D. Merrill and
 * M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016; scan_look_back.h).  Many blocks a
 * multiprocessor hide the waiting; so elements go to shared memory without passing registers, and results overwrite
 * elements.
 */
constexpr int mnp_warps = MNP_THREADS / 32, mnp_tile = mnp_warps * mnp_chunk, mnp_items = MNP_VECTOR * MNP_UNROLL;

/* ---- strips ---- */

/* Shared memory in which vectors are rearranged; a gap after every 128 bytes avoids bank conflicts. */
template <typename Memory> struct mnp_places {
    typedef mnp_vector<Memory, MNP_VECTOR> vector;
    static constexpr int row = sizeof(vector) >= 128 ? 1 : MNP_UNROLL > 8 ? MNP_UNROLL : 128 / sizeof(vector);
    static constexpr int bytes = (32 * MNP_UNROLL + 32 * MNP_UNROLL / row) * sizeof(vector);
    static MNP_INLINE vector *at(void *shared, int number)
    {
        return (vector *)shared + number + number / row;
    }
};
constexpr int mnp_warp_bytes =
    mnp_places<mnp_in>::bytes > mnp_places<mnp_out>::bytes ? mnp_places<mnp_in>::bytes : mnp_places<mnp_out>::bytes;

/*
 * The elements of a thread in a chunk that begins at `from`; elements before 0, and at or after `end`, do not exist.
 * They stay in shared memory, which leaves registers to more warps.
 */
struct mnp_strip {
    void *shared;
    mnp_acc before;  /* the total of the warp's elements before the strip */
    int begin, stop; /* of elements that exist */

    MNP_INLINE void load(const mnp_in *in, int64_t stride, int64_t from, int64_t end)
    {
        const int lane = threadIdx.x % 32;
        const int64_t first = from + lane * mnp_items;
        begin = mnp_begun(first) ? 0 : (int)-first;
        stop = (int)mnp_least(end - first, mnp_items);
        if (MNP_UNIT_IN && MNP_VECTOR * sizeof(mnp_in) == 16 && mnp_begun(from) && from + 32 * mnp_items <= end) {
#pragma unroll
            for (int u = 0; u < MNP_UNROLL; u++)
                mnp_copy_ahead<16>(mnp_places<mnp_in>::at(shared, u * 32 + lane),
                                   in + from + (u * 32 + lane) * MNP_VECTOR);
            mnp_await_copies();
            __syncwarp();
            return;
        }
        mnp_in loaded[MNP_UNROLL][MNP_VECTOR];
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++)
            mnp_load<MNP_UNIT_IN>(in, stride, from + (u * 32 + lane) * MNP_VECTOR, end, loaded[u]);
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++)
            memcpy(mnp_places<mnp_in>::at(shared, u * 32 + lane), loaded[u], sizeof loaded[u]);
        __syncwarp();
    }
    MNP_INLINE mnp_vector<mnp_in, MNP_VECTOR> values(int u) const
    {
        return *mnp_places<mnp_in>::at(shared, threadIdx.x % 32 * MNP_UNROLL + u);
    }
    /* Whether element number i of the strip exists. */
    MNP_INLINE bool exists(int i) const
    {
        return (!MNP_SHIFTED || i >= begin) && i < stop;
    }
    /* Add the elements to a set; `all` of a strip exist, or some. */
    template <bool all> MNP_INLINE void add_to(mnp_op::lanes<1> &lanes) const
    {
#pragma unroll 2 /* more would take more registers */
        for (int u = 0; u < MNP_UNROLL; u++) {
            const mnp_vector<mnp_in, MNP_VECTOR> value = values(u);
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++) {
                if (all || exists(u * MNP_VECTOR + v))
                    mnp_take(lanes, 0, value.at[v]);
            }
        }
    }
    /* Find `before`, and return the total of the warp's chunk. */
    MNP_INLINE mnp_acc scan()
    {
        const int lane = threadIdx.x % 32;
        mnp_op::lanes<1> lanes;
        lanes.start(0);
        if (begin == 0 && stop >= mnp_items)
            add_to<true>(lanes);
        else
            add_to<false>(lanes);
        mnp_acc acc = lanes.end(0);
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
            mnp_acc other = mnp_shuffle_up(acc, by, 32);
            if (lane >= by) {
                mnp_op::join(other, acc);
                acc = other;
            }
        }
        before = mnp_shuffle_up(acc, 1, 32);
        if (lane == 0)
            before = mnp_empty<mnp_op>();
        return mnp_shuffle_from(acc, 31, 32);
    }
    /* Replace the elements by results; `prefix` is the total before the strip. */
    template <bool all> MNP_INLINE void replace(const mnp_acc &prefix)
    {
        constexpr bool same = sizeof(mnp_in) == sizeof(mnp_out); /* results overwrite the thread's elements */
        mnp_vector<mnp_in, MNP_VECTOR> value[MNP_UNROLL];
        mnp_op::lanes<1> lanes;
        lanes.start(0);
        if (!same) {
#pragma unroll
            for (int u = 0; u < MNP_UNROLL; u++)
                value[u] = values(u);
            __syncwarp();
        }
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++) {
            mnp_vector<mnp_out, MNP_VECTOR> own;
            if (same)
                value[u] = values(u);
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++) {
                if (all || exists(u * MNP_VECTOR + v))
                    mnp_take(lanes, 0, value[u].at[v]);
                mnp_acc acc = prefix;
                mnp_op::join(acc, lanes.end(0));
                own.at[v] = mnp_result(acc);
            }
            *mnp_places<mnp_out>::at(shared, threadIdx.x % 32 * MNP_UNROLL + u) = own;
        }
        __syncwarp();
    }
    /* Write results that are not aligned; `all` of the chunk exist, or some. */
    template <bool all> MNP_INLINE void write_singly(mnp_out *out, int64_t from, int64_t end) const
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < mnp_items; i++) {
            const int number = i * 32 + lane;
            if (all || (mnp_begun(from + number) && from + number < end))
                out[from + number] = mnp_places<mnp_out>::at(shared, number / MNP_VECTOR)->at[number % MNP_VECTOR];
        }
    }
    /* Store the results; `first` is the total before the warp's chunk; `aligned`: where chunks begin, they are. */
    MNP_INLINE void store(mnp_out *out, int64_t stride, int64_t from, int64_t end, bool aligned, const mnp_acc &first)
    {
        const int lane = threadIdx.x % 32;
        const bool all = mnp_begun(from) && from + 32 * mnp_items <= end;
        mnp_acc prefix = first;
        mnp_op::join(prefix, before);
        if (all)
            replace<true>(prefix);
        else
            replace<false>(prefix);
        if (aligned) {
#pragma unroll
            for (int u = 0; u < MNP_UNROLL; u++) {
                mnp_out result[MNP_VECTOR];
                memcpy(result, mnp_places<mnp_out>::at(shared, u * 32 + lane), sizeof result);
                mnp_store<MNP_UNIT_OUT>(out, stride, from + (u * 32 + lane) * MNP_VECTOR, end, result);
            }
        } else if (all) {
            write_singly<true>(out, from, end);
        } else {
            write_singly<false>(out, from, end);
        }
        __syncwarp();
    }
};

/* ---- blocks ---- */

/* Where a line begins in memory, by how many elements it does so after an aligned one, and if its results do, too. */
struct mnp_line {
    const mnp_in *in;
    mnp_out *out;
    int skip;
    bool aligned;
    int64_t index[MNP_KEPT];
    MNP_INLINE mnp_line(const mnp_scan_params &p, int64_t line)
    {
        mnp_unravel<MNP_KEPT>(p.kept, line, index);
        in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
        out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
        skip = MNP_SHIFTED && MNP_UNIT_IN ? (int)((uint64_t)in / sizeof(mnp_in) % MNP_VECTOR) : 0;
        aligned = !MNP_SHIFTED || !MNP_UNIT_OUT || (int)((uint64_t)out / sizeof(mnp_out) % MNP_VECTOR) == skip;
    }
};

/* Join the accumulators of the block's warps: of those before this warp, and of all. */
MNP_INLINE void mnp_join_warps(const mnp_acc *warps, mnp_acc &before, mnp_acc &all)
{
    before = all = mnp_empty<mnp_op>();
#pragma unroll
    for (int w = 0; w < mnp_warps; w++) {
        if (w == threadIdx.x / 32)
            before = all;
        mnp_op::join(all, warps[w]);
    }
}

/* Registers are limited so that many warps fit, unless an accumulator is large. */
constexpr int mnp_fitting_warps = mnp_warps * mnp_warp_bytes > 49152 ? 24 : 48; /* in shared memory, of tiles */
constexpr int mnp_least_warps = sizeof(mnp_acc) > 16 ? 1 : MNP_WAY == MNP_SCAN_BLOCKS ? 32 : mnp_fitting_warps;
constexpr int mnp_blocks = mnp_least_warps < mnp_warps ? 1 : mnp_least_warps / mnp_warps;

#if MNP_WAY == MNP_SCAN_BLOCKS

extern "C" __global__ void __launch_bounds__(MNP_THREADS, mnp_blocks)
    MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    __shared__ __align__(16) unsigned char shared[mnp_warps][mnp_warp_bytes];
    __shared__ mnp_acc warps[2][mnp_warps];
    const int warp = threadIdx.x / 32;
    const mnp_line line(p, blockIdx.x);
    mnp_acc known = mnp_before_line(p, line.index);
    int turn = 0;
    for (int64_t tile = -line.skip; tile < p.length; tile += mnp_tile, turn ^= 1) {
        const int64_t from = tile + warp * mnp_chunk;
        mnp_strip strip = {shared[warp]};
        mnp_acc before, all;
        strip.load(line.in, p.in.along, from, p.length);
        const mnp_acc chunk = strip.scan();
        if (threadIdx.x % 32 == 0)
            warps[turn][warp] = chunk;
        __syncthreads();
        mnp_join_warps(warps[turn], before, all);
        mnp_acc first = known;
        mnp_op::join(first, before);
        strip.store(line.out, p.out.along, from, p.length, line.aligned, first);
        mnp_op::join(known, all);
    }
}

#else

extern "C" __global__ void __launch_bounds__(MNP_THREADS, mnp_blocks)
    MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    extern __shared__ uint4 mnp_shared[];
    __shared__ mnp_acc warps[mnp_warps], shared_known;
    __shared__ int64_t shared_number;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        shared_number = mnp_take_number(p);
    __syncthreads();
    const int64_t number = shared_number, tile = number / p.lines, line_number = number - tile * p.lines;
    const mnp_line line(p, line_number);
    const int64_t from = tile * mnp_tile + warp * mnp_chunk - line.skip;
    mnp_record *const tiles = (mnp_record *)p.state + 1 + line_number * p.parts * mnp_record_words;
    mnp_strip strip = {(char *)mnp_shared + warp * mnp_warp_bytes};
    mnp_acc before, all;
    strip.load(line.in, p.in.along, from, p.length);
    const mnp_acc chunk = strip.scan();
    if (threadIdx.x % 32 == 0)
        warps[warp] = chunk;
    __syncthreads();
    mnp_join_warps(warps, before, all);
    if (warp == 0) {
        mnp_acc known;
        if (tile > 0) {
            if (threadIdx.x == 0)
                mnp_tell(p, tiles + tile * mnp_record_words, all, MNP_OF_TILE);
            known = mnp_look_back(p, tiles, mnp_record_words, tile, 32, true);
        } else {
            known = mnp_before_line(p, line.index);
        }
        mnp_acc end = known;
        mnp_op::join(end, all);
        if (threadIdx.x == 0) {
            mnp_tell(p, tiles + tile * mnp_record_words, end, MNP_UP_TO_END);
            shared_known = known;
        }
    }
    __syncthreads();
    mnp_acc first = shared_known;
    mnp_op::join(first, before);
    strip.store(line.out, p.out.along, from, p.length, line.aligned, first);
}

#endif
