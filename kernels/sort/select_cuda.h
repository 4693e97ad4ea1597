/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection on a GPU, in blocks of MNP_THREADS threads of MNP_ITEMS elements each; every task takes chunks of lines.
 *
 * Elements are counted in shared memory.  What is written in no particular order is given its place by tiles: a block
 * counts how much of its tile is written, and takes that much room at once.
 */

/* The chunk of a line that is number c. */
struct mnp_select_chunk {
    int64_t line, begin, end;
    bool from_list, to_list;
};

MNP_INLINE mnp_select_chunk mnp_select_chunk_of(const mnp_select_params &p, int64_t chunks, int64_t c)
{
    mnp_select_chunk chunk;
    chunk.line = c / chunks;
    chunk.begin = (c - chunk.line * chunks) * p.chunk;
    chunk.from_list = mnp_select_reads_list(p, chunk.line);
    chunk.to_list = mnp_select_writes_list(p, chunk.line);
    const int64_t end = mnp_select_end(p, chunk.line);
    chunk.end = chunk.begin + p.chunk < end ? chunk.begin + p.chunk : end;
    return chunk;
}

/* How many elements a tile has. */
MNP_INLINE int mnp_select_size(const mnp_select_chunk &chunk, int64_t tile)
{
    const int64_t left = chunk.end - tile;
    return left < MNP_THREADS * MNP_ITEMS ? (int)left : MNP_THREADS * MNP_ITEMS;
}

/* Whether this thread has an element of that number in a tile of so many. */
MNP_INLINE bool mnp_select_has(int size, int item)
{
    return item * MNP_THREADS + (int)threadIdx.x < size;
}

/* The numbers of this thread's elements in a tile. */
MNP_INLINE void mnp_select_load(const mnp_select_params &p, const mnp_select_chunk &chunk, int64_t tile, int size,
                                mnp_bits (&numbers)[MNP_ITEMS])
{
    const mnp_bits *list = (const mnp_bits *)p.candidates + chunk.line * p.room + tile + threadIdx.x;
    const MNP_KEY *keys = (const MNP_KEY *)p.keys + chunk.line * p.length + tile + threadIdx.x;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++)
        if (mnp_select_has(size, item))
            numbers[item] =
                chunk.from_list ? list[item * MNP_THREADS] : mnp_number(keys[item * MNP_THREADS], p.descending);
}

/* The index in the line of such an element, where indices matter. */
MNP_INLINE int64_t mnp_select_index(const mnp_select_params &p, const mnp_select_chunk &chunk, int64_t tile, int item)
{
    const int64_t i = tile + item * MNP_THREADS + threadIdx.x;
    return MNP_NUMBERED && chunk.from_list ? p.places[chunk.line * p.room + i] : i;
}

/* How a thread's element compares with a prefix; its index is looked up only if it counts. */
MNP_INLINE int mnp_select_compare_at(const mnp_select_params &p, const mnp_select_chunk &chunk, int64_t tile, int item,
                                     const mnp_bits &number, const mnp_select_prefix &prefix)
{
    const bool looks = MNP_NUMBERED && prefix.count > MNP_NUMBER_WORDS;
    const int64_t index = looks ? mnp_select_index(p, chunk, tile, item) : 0;
    return mnp_select_compare(number, index, prefix);
}

/* Where a thread's entries begin in the line's list and in its result. */
struct mnp_select_places {
    int64_t kept, found;
};

/* Take room in both for all threads of the block, which each have so many entries. */
MNP_INLINE mnp_select_places mnp_select_take(const mnp_select_params &p, int64_t line, uint32_t kept, uint32_t found)
{
    __shared__ unsigned long long begins[2];
    uint32_t all; /* both counts in one word: a tile has fewer than 65536 elements */
    const uint32_t before = mnp_prefix_block<MNP_THREADS / 32>(kept | found << 16, &all);
    if (threadIdx.x == 0 && (all & 0xffff))
        begins[0] = atomicAdd(&p.kept[line], (unsigned long long)(all & 0xffff));
    if (threadIdx.x == 32 && all >> 16)
        begins[1] = atomicAdd(&p.found[line], (unsigned long long)(all >> 16));
    __syncthreads();
    const mnp_select_places places = {(int64_t)begins[0] + (before & 0xffff), (int64_t)begins[1] + (before >> 16)};
    __syncthreads(); /* all have read them, so the next call may write */
    return places;
}

/* Append the elements of bit set `which` to the result of the line, from place `at` on. */
MNP_INLINE void mnp_select_give(const mnp_select_params &p, const mnp_select_chunk &chunk, int64_t tile, uint32_t which,
                                int64_t at)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys + chunk.line * p.length;
    MNP_KEY *values = (MNP_KEY *)p.values + chunk.line * p.first;
    for (; which; which &= which - 1) {
        const int64_t index = mnp_select_index(p, chunk, tile, __ffs(which) - 1);
        values[at] = keys[index];
        p.indices[chunk.line * p.first + at++] = index + p.number;
    }
}

#if MNP_TASK == MNP_SELECT_COUNT

/* Append the elements of bit set `which` to the line's list, from place `at` on. */
MNP_INLINE void mnp_select_keep(const mnp_select_params &p, const mnp_select_chunk &chunk, int64_t tile,
                                const mnp_bits (&numbers)[MNP_ITEMS], uint32_t which, int64_t at)
{
    at += chunk.line * p.room;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++) {
        if (!(which >> item & 1))
            continue;
        ((mnp_bits *)p.candidates)[at] = numbers[item];
        if (MNP_NUMBERED)
            p.places[at] = mnp_select_index(p, chunk, tile, item);
        at++;
    }
}

/*
 * Count the chunk's elements.  `counts` has `copies` counters of every digit of every leader, side by side: threads
 * that have the same digit use different banks.
 */
MNP_INLINE void mnp_select_count(const mnp_select_params &p, const mnp_select_chunk &chunk, uint32_t *counts,
                                 int leaders, const mnp_select_prefix *prefixes)
{
    const int copies = MNP_SELECT_TARGETS / leaders, copy = (int)threadIdx.x % copies;
    for (int64_t tile = chunk.begin; tile < chunk.end; tile += MNP_THREADS * MNP_ITEMS) {
        mnp_bits numbers[MNP_ITEMS];
        uint32_t agree = 0, before = 0;
        const int size = mnp_select_size(chunk, tile);
        mnp_select_load(p, chunk, tile, size, numbers);
        for (int leader = 0; leader < leaders; leader++) {
            const mnp_select_prefix prefix = prefixes[leader];
#pragma unroll
            for (int item = 0; item < MNP_ITEMS; item++) {
                if (!mnp_select_has(size, item))
                    continue;
                const int order = mnp_select_compare_at(p, chunk, tile, item, numbers[item], prefix);
                before |= (order < 0 ? 1u : 0u) << item;
                if (order != 0)
                    continue;
                agree |= 1u << item;
                const bool looks = MNP_NUMBERED && p.digit.word == MNP_NUMBER_WORDS;
                const int64_t index = looks ? mnp_select_index(p, chunk, tile, item) : 0;
                const uint32_t digit = mnp_select_digit_of(p.digit, numbers[item], index);
                atomicAdd(&counts[(leader * MNP_SELECT_DIGITS + digit) * copies + copy], 1u);
            }
        }
        if (!chunk.to_list)
            continue;
        before = MNP_NUMBERED ? before : 0;
        const mnp_select_places at = mnp_select_take(p, chunk.line, __popc(agree), __popc(before));
        mnp_select_keep(p, chunk, tile, numbers, agree, at.kept);
        mnp_select_give(p, chunk, tile, before, at.found);
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_count(const __grid_constant__ mnp_select_params p)
{
    __shared__ uint32_t counts[MNP_SELECT_TARGETS * MNP_SELECT_DIGITS];
    __shared__ mnp_select_prefix prefixes[MNP_SELECT_TARGETS];
    __shared__ int targets[MNP_SELECT_TARGETS], leaders;
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const mnp_select_chunk chunk = mnp_select_chunk_of(p, chunks, c);
        mnp_select_state *states = p.states + chunk.line * p.targets;
        if (chunk.begin >= chunk.end || (states[0].done && !chunk.to_list))
            continue;
        if (threadIdx.x == 0) {
            leaders = 0;
            for (int t = 0; t < p.targets; t++)
                if (states[t].leader == t) {
                    targets[leaders] = t;
                    prefixes[leaders++] = mnp_select_prefix_of(p, states[t], p.pass);
                }
        }
        for (int i = threadIdx.x; i < MNP_SELECT_TARGETS * MNP_SELECT_DIGITS; i += MNP_THREADS)
            counts[i] = 0;
        __syncthreads();
        mnp_select_count(p, chunk, counts, leaders, prefixes);
        __syncthreads();
        const int copies = MNP_SELECT_TARGETS / leaders;
        for (int i = threadIdx.x; i < leaders * MNP_SELECT_DIGITS; i += MNP_THREADS) {
            const int leader = i / MNP_SELECT_DIGITS, digit = i % MNP_SELECT_DIGITS;
            uint32_t sum = 0;
            for (int copy = 0; copy < copies; copy++)
                sum += counts[i * copies + copy];
            if (sum)
                atomicAdd((unsigned long long *)&p
                              .counts[(chunk.line * p.targets + targets[leader]) * MNP_SELECT_DIGITS + digit],
                          (unsigned long long)sum);
        }
        __syncthreads();
    }
}

#elif MNP_TASK == MNP_SELECT_PICK

MNP_KERNEL(select_pick, mnp_select_params)
{
    enum { OWN = MNP_SELECT_DIGITS / MNP_THREADS };
    for (int64_t line = blockIdx.x; line < p.lines; line += gridDim.x) {
        mnp_select_state *states = p.states + line * p.targets;
        long long *line_counts = p.counts + line * p.targets * MNP_SELECT_DIGITS;
        for (int t = 0; t < p.targets; t++) {
            const bool done = states[t].done;
            const long long rank = mnp_select_rank(p, states, t); /* read before a thread writes it */
            const long long *counts = line_counts + states[t].leader * MNP_SELECT_DIGITS + threadIdx.x * OWN;
            long long sum = 0, all;
            for (int i = 0; i < OWN; i++)
                sum += counts[i];
            const long long before = mnp_prefix_block<MNP_THREADS / 32>(sum, &all);
            if (!done && before <= rank && rank < before + sum)
                mnp_select_found(p, counts, (uint32_t)threadIdx.x * OWN, rank - before, &states[t]);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < p.targets * MNP_SELECT_DIGITS; i += MNP_THREADS)
            line_counts[i] = 0;
        if (threadIdx.x == 0)
            mnp_select_lead(p, states);
        __syncthreads();
    }
}

#elif MNP_TASK == MNP_SELECT_GATHER

extern "C" __global__ void __launch_bounds__(MNP_THREADS) select_gather(const __grid_constant__ mnp_select_params p)
{
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const mnp_select_chunk chunk = mnp_select_chunk_of(p, chunks, c);
        const mnp_select_state state = p.states[chunk.line];
        const mnp_select_prefix known = mnp_select_prefix_of(p, state, state.passes);
        for (int64_t tile = chunk.begin; tile < chunk.end; tile += MNP_THREADS * MNP_ITEMS) {
            mnp_bits numbers[MNP_ITEMS];
            uint32_t wanted = 0;
            const int size = mnp_select_size(chunk, tile);
            mnp_select_load(p, chunk, tile, size, numbers);
#pragma unroll
            for (int item = 0; item < MNP_ITEMS; item++)
                if (mnp_select_has(size, item) &&
                    mnp_select_compare_at(p, chunk, tile, item, numbers[item], known) <= 0)
                    wanted |= 1u << item;
            mnp_select_give(p, chunk, tile, wanted, mnp_select_take(p, chunk.line, 0, __popc(wanted)).found);
        }
    }
}

#endif
