/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting on a GPU.  MNP_TASK selects what the kernel does, in blocks of MNP_THREADS threads of MNP_ITEMS elements
 * each.
 *
 * Long lines are sorted in passes, one a digit, each of which reads and writes every element once (A. Adinets, D.
 * Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs, 2022).  A block takes a tile of a line,
 * ranks its elements by their digit, and permutes them in shared memory, so that neighbours are stored together.  How
 * many elements of each digit the earlier tiles have is found by decoupled look-back: every tile publishes its own
 * count at once, and the sum up to and including itself as soon as it is known, and reads back until it finds such a
 * sum.
 *
 * Short lines are sorted in shared memory, several by a block: by their digits, and last by the numbers of the lines.
 */
enum { MNP_WARPS = MNP_THREADS / 32, MNP_TILE = MNP_THREADS * MNP_ITEMS };

extern __shared__ ulonglong2 mnp_shared[];

/* The lanes of this warp that have the same digit. */
MNP_INLINE uint32_t mnp_lanes_alike(uint32_t digit)
{
    uint32_t lanes = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; bit++) {
#if MNP_PTX && MNP_TASK == MNP_RADIX_SORT_PASS
        uint32_t those; /* the lanes whose bit equals this one's, in fewer instructions than compiled code */
        asm volatile("{ .reg .pred set; and.b32 %0, %1, %2; setp.ne.u32 set, %0, 0;"
                     "vote.sync.ballot.b32 %0, set, 0xffffffff; @!set not.b32 %0, %0; }"
                     : "=r"(those)
                     : "r"(digit), "r"(1u << bit));
        lanes &= those;
#else /* without inline assembly, for which ptxas runs out of predicates here */
        const bool set = digit >> bit & 1;
        const uint32_t those = __ballot_sync(0xffffffffu, set);
        lanes &= set ? those : ~those;
#endif
    }
    return lanes;
}

/* The position of element `item` of this thread in the tile: the elements of a warp are neighbours. */
MNP_INLINE int mnp_index(int item)
{
    return (int)threadIdx.x / 32 * (32 * MNP_ITEMS) + item * 32 + (int)threadIdx.x % 32;
}

/* An element's digit: `place` has it in the upper half, and the element's rank in the lower. */
MNP_INLINE uint32_t mnp_digit_of(uint32_t place)
{
    return place >> 16;
}

/*
 * Rank a warp's elements among those that share their digit.  `counters` are the warp's own; at the end they hold the
 * number of its elements of each digit.
 */
MNP_INLINE void mnp_rank_in_warp(uint32_t *counters, uint32_t (&places)[MNP_ITEMS])
{
    const uint32_t before = (1u << (threadIdx.x % 32)) - 1;
#pragma unroll
    for (int i = 0; i < MNP_RADIX_SORT_DIGITS / 32; i++)
        counters[i * 32 + threadIdx.x % 32] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) {
        const uint32_t digit = mnp_digit_of(places[i]), alike = mnp_lanes_alike(digit);
        const uint32_t count = counters[digit];
        __syncwarp();
        if ((alike & before) == 0)
            counters[digit] = count + __popc(alike);
        __syncwarp();
        places[i] += count + __popc(alike & before);
    }
}

/*
 * Turn the warps' counts of one digit into the counts of the warps before each; returns the count of all warps.  The
 * thread of that number calls it for its digit.
 */
MNP_INLINE uint32_t mnp_sum_warps(uint32_t *counters)
{
    uint32_t sum = 0;
#pragma unroll
    for (int w = 0; w < MNP_WARPS; w++) {
        uint32_t *at = counters + w * MNP_RADIX_SORT_DIGITS + threadIdx.x, count = *at;
        *at = sum;
        sum += count;
    }
    return sum;
}

/* The sum of `value` over the digits before this thread's; all threads of the block call it. */
template <typename T> MNP_INLINE T mnp_sum_before(T value)
{
    T all;
    return mnp_prefix_block<MNP_RADIX_SORT_DIGITS / 32>(value, &all);
}

/* Complete the ranks within the block: the first element of this thread's digit has rank `start`. */
MNP_INLINE void mnp_rank_in_block(uint32_t *counters, uint32_t start, uint32_t (&places)[MNP_ITEMS])
{
    if (threadIdx.x < MNP_RADIX_SORT_DIGITS) {
#pragma unroll
        for (int w = 0; w < MNP_WARPS; w++)
            counters[w * MNP_RADIX_SORT_DIGITS + threadIdx.x] += start;
    }
    __syncthreads();
    const uint32_t *own = counters + threadIdx.x / 32 * MNP_RADIX_SORT_DIGITS;
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++)
        places[i] += own[mnp_digit_of(places[i])];
    __syncthreads();
}

/* ---- the passes over long lines ---- */

/* Where the elements are, and where they go, in a pass, or after all passes. */
struct mnp_route {
    int from, to;
    int step;  /* the number of this pass among those that are needed */
    int steps; /* how many passes are needed */
};

MNP_INLINE mnp_route mnp_find_route(const mnp_radix_sort_params &p, int pass)
{
    mnp_route route = {MNP_RADIX_SORT_GIVEN, MNP_RADIX_SORT_WANTED, 0, 0};
#pragma unroll
    for (int i = 0; i < MNP_PASSES; i++) {
        const int needed = p.needed[i] != 0;
        route.step += i < pass ? needed : 0;
        route.steps += needed;
    }
    const bool other = p.in_place && route.steps % 2; /* then the last pass ends in the scratch memory */
    if (route.step > 0)
        route.from = ((route.steps - route.step) % 2 == 0) != other ? MNP_RADIX_SORT_WANTED : MNP_RADIX_SORT_SCRATCH;
    route.to = ((route.steps - route.step) % 2 != 0) != other ? MNP_RADIX_SORT_WANTED : MNP_RADIX_SORT_SCRATCH;
    return route;
}

#if MNP_TASK == MNP_RADIX_SORT_COUNT

enum {
    MNP_COPIES = MNP_PASSES <= 4   ? 4
                 : MNP_PASSES <= 8 ? 2
                                   : 1, /* copies of the counters, so that fewer threads contend */
    MNP_WORDS = 16 / sizeof(MNP_KEY)    /* keys that are loaded at once */
};

MNP_INLINE void mnp_count_key(const mnp_radix_sort_params &p, uint32_t *counters, const MNP_KEY &key)
{
    const mnp_bits number = mnp_number(key, p.descending);
#pragma unroll
    for (int pass = 0; pass < MNP_PASSES; pass++)
        atomicAdd(
            &counters[(pass * MNP_RADIX_SORT_DIGITS + mnp_digit(number, pass)) * MNP_COPIES + threadIdx.x % MNP_COPIES],
            1u);
}

/* Count the digits of keys begin .. end - 1 of those at `keys`, by all threads together. */
MNP_INLINE void mnp_count_keys(const mnp_radix_sort_params &p, uint32_t *counters, const MNP_KEY *keys, int64_t begin,
                               int64_t end)
{
    struct alignas(16) words {
        MNP_KEY at[MNP_WORDS];
    };
    int64_t head = (int64_t)((0 - (uint64_t)(keys + begin)) % 16 / sizeof(MNP_KEY));
    head = head < end - begin ? head : end - begin;
    const words *all = (const words *)(keys + begin + head);
    const int64_t count = (end - begin - head) / MNP_WORDS, tail = begin + head + count * MNP_WORDS;
    if (threadIdx.x < head)
        mnp_count_key(p, counters, keys[begin + threadIdx.x]);
    if (tail + threadIdx.x < end)
        mnp_count_key(p, counters, keys[tail + threadIdx.x]);
    for (int64_t i = threadIdx.x; i < count; i += MNP_THREADS * MNP_ITEMS) {
        words some[MNP_ITEMS];
#pragma unroll
        for (int u = 0; u < MNP_ITEMS; u++)
            if (i + u * MNP_THREADS < count)
                some[u] = all[i + u * MNP_THREADS];
#pragma unroll
        for (int u = 0; u < MNP_ITEMS; u++)
            if (i + u * MNP_THREADS < count)
#pragma unroll
                for (int w = 0; w < MNP_WORDS; w++)
                    mnp_count_key(p, counters, some[u].at[w]);
    }
}

MNP_KERNEL(MNP_RADIX_SORT, mnp_radix_sort_params)
{
    __shared__ uint32_t counters[MNP_PASSES * MNP_RADIX_SORT_DIGITS * MNP_COPIES];
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const int64_t line = c / chunks, begin = (c - line * chunks) * p.chunk;
        const int64_t end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
        for (int i = threadIdx.x; i < MNP_PASSES * MNP_RADIX_SORT_DIGITS * MNP_COPIES; i += MNP_THREADS)
            counters[i] = 0;
        __syncthreads();
        mnp_count_keys(p, counters, (const MNP_KEY *)p.keys[MNP_RADIX_SORT_GIVEN] + line * p.length, begin, end);
        __syncthreads();
        for (int i = threadIdx.x; i < MNP_PASSES * MNP_RADIX_SORT_DIGITS; i += MNP_THREADS) {
            uint32_t sum = 0;
            for (int copy = 0; copy < MNP_COPIES; copy++)
                sum += counters[i * MNP_COPIES + copy];
            if (sum)
                atomicAdd(&p.offsets[line * MNP_PASSES * MNP_RADIX_SORT_DIGITS + i], (unsigned long long)sum);
        }
        __syncthreads();
    }
}

#elif MNP_TASK == MNP_RADIX_SORT_OFFSETS

MNP_KERNEL(MNP_RADIX_SORT, mnp_radix_sort_params)
{
    for (int64_t i = blockIdx.x; i < p.lines * MNP_PASSES; i += gridDim.x) {
        unsigned long long *at = p.offsets + i * MNP_RADIX_SORT_DIGITS + threadIdx.x;
        const unsigned long long count = *at;
        if (count != 0 && count != (unsigned long long)p.length)
            p.needed[i % MNP_PASSES] = 1;
        *at = mnp_sum_before(count);
    }
}

#elif MNP_TASK == MNP_RADIX_SORT_PASS

/* The word by which a tile publishes a sum: flags say whether it is its own count or the sum up to it; 0: none yet. */
template <typename Word> struct mnp_sum {
    static constexpr Word own = (Word)1 << (8 * sizeof(Word) - 2), all = (Word)2 << (8 * sizeof(Word) - 2);
    static MNP_INLINE void store(Word *at, Word value)
    {
#if !MNP_PTX
        *at = value;
#else
        if constexpr (sizeof(Word) == 4)
            asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
        else
            asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
#endif
    }
    static MNP_INLINE Word load(const Word *at)
    {
#if !MNP_PTX
        return *at;
#else
        Word value;
        if constexpr (sizeof(Word) == 4)
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
        else
            asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
        return value;
#endif
    }
};

/* Publish how many elements of the thread's digit this tile has. */
template <typename Word>
MNP_INLINE void mnp_tell(const mnp_radix_sort_params &p, int step, int64_t tile, bool first, uint32_t count)
{
    const int64_t at = tile * MNP_RADIX_SORT_DIGITS + threadIdx.x;
    mnp_sum<Word>::store((Word *)p.sums[step % 2] + at, (first ? mnp_sum<Word>::all : mnp_sum<Word>::own) | count);
    ((Word *)p.sums[(step + 1) % 2])[at] = 0; /* for the next pass */
}

/* How many elements of the thread's digit the earlier tiles have, by look-back. */
template <typename Word>
MNP_INLINE Word mnp_look_back(const mnp_radix_sort_params &p, int step, int64_t tile, bool first, uint32_t count)
{
    Word *own = (Word *)p.sums[step % 2] + tile * MNP_RADIX_SORT_DIGITS + threadIdx.x, before = 0;
    if (first)
        return 0;
    for (const Word *at = own - MNP_RADIX_SORT_DIGITS;; at -= MNP_RADIX_SORT_DIGITS) {
        Word word;
        do
            word = mnp_sum<Word>::load(at);
        while (word == 0);
        before += word & (mnp_sum<Word>::own - 1);
        if (word & mnp_sum<Word>::all)
            break;
    }
    mnp_sum<Word>::store(own, mnp_sum<Word>::all | (before + count));
    return before;
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 3)
    MNP_RADIX_SORT(const __grid_constant__ mnp_radix_sort_params p)
{
    __shared__ unsigned ticket;
    __shared__ int64_t bases[MNP_RADIX_SORT_DIGITS]; /* position in the line, less the rank in the tile */
    uint32_t *counters = (uint32_t *)mnp_shared, *own = counters + threadIdx.x / 32 * MNP_RADIX_SORT_DIGITS;
    MNP_KEY *tile_keys = (MNP_KEY *)mnp_shared;
    mnp_payload *tile_payload = (mnp_payload *)(tile_keys + MNP_TILE);
    if (!p.needed[p.pass])
        return;
    const mnp_route route = mnp_find_route(p, p.pass);
    if (threadIdx.x == 0) /* tickets: blocks start in any order, and a tile may only wait for tiles that have started */
        ticket = atomicAdd(&p.tickets[p.pass], 1u);
    __syncthreads();
    const int64_t tile = ticket, line = tile / p.tiles, t = tile - line * p.tiles, begin = t * MNP_TILE;
    const int64_t rest = p.length - begin;
    const int size = rest < MNP_TILE ? (int)rest : MNP_TILE;
    const bool counted = threadIdx.x < MNP_RADIX_SORT_DIGITS;
    const MNP_KEY *from = (const MNP_KEY *)p.keys[route.from] + line * p.length + begin;
    MNP_KEY keys[MNP_ITEMS];
    uint32_t places[MNP_ITEMS], count = 0;
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++)
        if (mnp_index(i) < size)
            keys[i] = from[mnp_index(i)];
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) /* what lies beyond the end stays at the end */
        places[i] = (mnp_index(i) < size ? mnp_digit_of_key(keys[i], p.pass, p.descending) : 255) << 16;
    mnp_rank_in_warp(own, places);
    __syncthreads();
    if (counted) {
        count = mnp_sum_warps(counters);
        if (p.wide)
            mnp_tell<uint64_t>(p, route.step, tile, t == 0, count);
        else
            mnp_tell<uint32_t>(p, route.step, tile, t == 0, count);
    }
    const uint32_t start = mnp_sum_before(count);
    mnp_rank_in_block(counters, start, places);
    mnp_payload payload[MNP_ITEMS];
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) {
        const int index = mnp_index(i);
        tile_keys[places[i] & 0xffff] = keys[i];
        if (MNP_PAYLOAD > 0 && index < size)
            payload[i] = route.step > 0 ? ((const mnp_payload *)p.payload[route.from])[line * p.length + begin + index]
                                        : mnp_payload_given(p, line * p.length, begin + index);
    }
    if (counted) {
        const uint64_t before = p.wide ? mnp_look_back<uint64_t>(p, route.step, tile, t == 0, count)
                                       : mnp_look_back<uint32_t>(p, route.step, tile, t == 0, count);
        bases[threadIdx.x] =
            (int64_t)(p.offsets[(line * MNP_PASSES + p.pass) * MNP_RADIX_SORT_DIGITS + threadIdx.x] + before) - start;
    }
    if (MNP_PAYLOAD > 0)
#pragma unroll
        for (int i = 0; i < MNP_ITEMS; i++)
            tile_payload[places[i] & 0xffff] = payload[i];
    __syncthreads();
    MNP_KEY *to = (MNP_KEY *)p.keys[route.to] + line * p.length;
    mnp_payload *payload_to = (mnp_payload *)p.payload[route.to] + line * p.length;
    const bool keep = p.keep_keys || route.step + 1 < route.steps;
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) {
        const int index = i * MNP_THREADS + threadIdx.x;
        if (index < size) {
            const MNP_KEY key = tile_keys[index];
            const int64_t at = bases[mnp_digit_of_key(key, p.pass, p.descending)] + index;
            if (keep)
                to[at] = key;
            if (MNP_PAYLOAD > 0)
                payload_to[at] = tile_payload[index];
        }
    }
}

#elif MNP_TASK == MNP_RADIX_SORT_FINISH

MNP_KERNEL(MNP_RADIX_SORT, mnp_radix_sort_params)
{
    const mnp_route route = mnp_find_route(p, MNP_PASSES);
    const bool same = p.keys[route.from] == p.keys[MNP_RADIX_SORT_WANTED];
    if (route.steps > 0 && route.from == MNP_RADIX_SORT_WANTED)
        return;
    MNP_FOR (i, p.lines * p.length) {
        if (p.keep_keys && !same)
            ((MNP_KEY *)p.keys[MNP_RADIX_SORT_WANTED])[i] = ((const MNP_KEY *)p.keys[route.from])[i];
        if (MNP_PAYLOAD > 0)
            ((mnp_payload *)p.payload[MNP_RADIX_SORT_WANTED])[i] =
                route.steps > 0 ? ((const mnp_payload *)p.payload[route.from])[i]
                                : mnp_payload_given(p, i / p.length * p.length, i % p.length);
    }
}

#else

/* ---- short lines ---- */

MNP_INLINE uint32_t mnp_short_digit(const mnp_radix_sort_params &p, const MNP_KEY &key, uint32_t from, int size,
                                    int pass)
{
    if (from >= size)
        return 255; /* what lies beyond the end stays at the end */
    return pass < MNP_PASSES ? mnp_digit(mnp_number(key, p.descending), pass)
                             : from / (uint32_t)p.length >> 8 * (pass - MNP_PASSES) & 255;
}

MNP_INLINE void mnp_short_tile(const mnp_radix_sort_params &p, int64_t begin, int size, int passes)
{
    uint32_t *counters = (uint32_t *)mnp_shared, *own = counters + threadIdx.x / 32 * MNP_RADIX_SORT_DIGITS;
    MNP_KEY *tile_keys = (MNP_KEY *)mnp_shared;
    uint16_t *tile_from = (uint16_t *)(tile_keys + MNP_TILE);
    MNP_KEY keys[MNP_ITEMS];
    uint32_t from[MNP_ITEMS], places[MNP_ITEMS]; /* from: which element of the tile it was */
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) {
        from[i] = mnp_index(i);
        if (from[i] < size)
            keys[i] = ((const MNP_KEY *)p.keys[MNP_RADIX_SORT_GIVEN])[begin + from[i]];
    }
    for (int pass = 0; pass < passes; pass++) {
        uint32_t count = 0;
#pragma unroll
        for (int i = 0; i < MNP_ITEMS; i++)
            places[i] = mnp_short_digit(p, keys[i], from[i], size, pass) << 16;
        mnp_rank_in_warp(own, places);
        __syncthreads();
        if (threadIdx.x < MNP_RADIX_SORT_DIGITS)
            count = mnp_sum_warps(counters);
        const int all = threadIdx.x == MNP_RADIX_SORT_DIGITS - 1 ? MNP_TILE : size;
        if (__syncthreads_or(threadIdx.x < MNP_RADIX_SORT_DIGITS && count == all))
            continue; /* they share this digit */
        mnp_rank_in_block(counters, mnp_sum_before(count), places);
#pragma unroll
        for (int i = 0; i < MNP_ITEMS; i++) {
            tile_keys[places[i] & 0xffff] = keys[i];
            tile_from[places[i] & 0xffff] = from[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < MNP_ITEMS; i++) {
            keys[i] = tile_keys[mnp_index(i)];
            from[i] = tile_from[mnp_index(i)];
        }
        __syncthreads();
    }
    mnp_payload payload[MNP_ITEMS];
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) {
        const int64_t line = begin + mnp_index(i) / (uint32_t)p.length * p.length;
        if (mnp_index(i) < size && MNP_PAYLOAD > 0)
            payload[i] = mnp_payload_given(p, line, begin + from[i] - line);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < MNP_ITEMS; i++) {
        const int64_t at = begin + mnp_index(i);
        if (mnp_index(i) < size && p.keep_keys)
            ((MNP_KEY *)p.keys[MNP_RADIX_SORT_WANTED])[at] = keys[i];
        if (mnp_index(i) < size && MNP_PAYLOAD > 0)
            ((mnp_payload *)p.payload[MNP_RADIX_SORT_WANTED])[at] = payload[i];
    }
}

MNP_KERNEL(MNP_RADIX_SORT, mnp_radix_sort_params)
{
    int passes = MNP_PASSES;
    for (int64_t numbers = p.group - 1; numbers > 0; numbers >>= 8)
        passes++;
    for (int64_t first = blockIdx.x * p.group; first < p.lines; first += gridDim.x * p.group) {
        const int64_t lines = p.group < p.lines - first ? p.group : p.lines - first;
        mnp_short_tile(p, first * p.length, (int)(lines * p.length), passes);
        __syncthreads();
    }
}

#endif
