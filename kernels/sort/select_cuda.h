/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection on a GPU, in blocks of MNP_THREADS threads of MNP_ITEMS elements each.
 *
 * Long lines that no other rank shares are sieved (select_sieve_cuda.h); others, and what that leaves, are selected
 * from by teams of blocks (select_team_cuda.h).  Where lines are shared, a launch counts, and another one finds the
 * digits after the ranks have added their counts.
 *
 * Elements are counted in shared memory.  What is written in no particular order is given its place by tiles: a block
 * counts how much of its tile is written, and takes that much room at once.
 */
enum {
    MNP_TILE = MNP_THREADS * MNP_ITEMS,
    MNP_VECTOR = 16 / (int)sizeof(MNP_KEY), /* elements that a thread loads at once */
    MNP_OWN_DIGITS = MNP_SELECT_DIGITS / MNP_THREADS
};

extern __shared__ uint4 mnp_shared[]; /* counters, or numbers */

/* What a block reads of a line in a pass: all, or a list. */
struct mnp_select_span {
    int64_t line, begin, end;
    int pass;
    bool to_list;
    const mnp_select_list *from; /* NULL: the line */
    int64_t list;                /* which one of those that are read and written */
    bool has_keys;               /* what is read are keys, not numbers */
};

/* The part of a span that is number `part` of `parts`, in whole tiles. */
MNP_INLINE void mnp_select_divide(mnp_select_span &span, int64_t parts, int64_t part)
{
    const int64_t tiles = (span.end + MNP_TILE - 1) / MNP_TILE, each = (tiles + parts - 1) / parts * MNP_TILE;
    span.begin = mnp_least(part * each, span.end);
    span.end = mnp_least(span.begin + each, span.end);
}

/* How many elements a tile has. */
MNP_INLINE int mnp_select_size(const mnp_select_span &span, int64_t tile)
{
    const int64_t left = span.end - tile;
    return left < MNP_TILE ? (int)left : MNP_TILE;
}

/* Where in a tile this thread's element of that number is. */
MNP_INLINE int mnp_select_at(int item)
{
    return (item / MNP_VECTOR * MNP_THREADS + (int)threadIdx.x) * MNP_VECTOR + item % MNP_VECTOR;
}

/* Load this thread's elements of a tile: numbers, or keys, which mnp_select_convert() makes numbers of. */
MNP_INLINE void mnp_select_load(const mnp_select_params &p, const mnp_select_span &span, int64_t tile,
                                mnp_bits (&items)[MNP_ITEMS])
{
    struct alignas(16) vector {
        mnp_bits at[MNP_VECTOR];
    };
    const int size = mnp_select_size(span, tile);
    const mnp_bits *from = span.from ? (const mnp_bits *)span.from->numbers + span.list * span.from->room + tile
                                     : (const mnp_bits *)p.keys + span.line * p.length + tile;
    if (size == MNP_TILE && (uint64_t)from % 16 == 0) {
#pragma unroll
        for (int i = 0; i < MNP_ITEMS / MNP_VECTOR; i++) {
            const vector some = ((const vector *)from)[i * MNP_THREADS + threadIdx.x];
#pragma unroll
            for (int k = 0; k < MNP_VECTOR; k++)
                items[i * MNP_VECTOR + k] = some.at[k];
        }
    } else {
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++)
            if (mnp_select_at(item) < size)
                items[item] = from[mnp_select_at(item)];
    }
}

MNP_INLINE void mnp_select_convert(const mnp_select_params &p, const mnp_select_span &span,
                                   mnp_bits (&items)[MNP_ITEMS])
{
    if (span.has_keys)
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++)
            items[item] = mnp_number(mnp_bits_as<MNP_KEY>(items[item]), p.descending);
}

/* Both at once: read this thread's numbers of a tile.  Returns how many elements the tile has. */
MNP_INLINE int mnp_select_read(const mnp_select_params &p, const mnp_select_span &span, int64_t tile,
                               mnp_bits (&numbers)[MNP_ITEMS])
{
    mnp_select_load(p, span, tile, numbers);
    mnp_select_convert(p, span, numbers);
    return mnp_select_size(span, tile);
}

/* The index in the line of such an element, where indices matter. */
MNP_INLINE int64_t mnp_select_index(const mnp_select_params &p, const mnp_select_span &span, int64_t tile, int item)
{
    const int64_t i = tile + mnp_select_at(item);
    return MNP_NUMBERED && span.from ? span.from->places[span.list * span.from->room + i] : i;
}

/* How a thread's element compares with a prefix; its index is looked up only if it counts. */
MNP_INLINE int mnp_select_compare_at(const mnp_select_params &p, const mnp_select_span &span, int64_t tile, int item,
                                     const mnp_bits &number, const mnp_select_prefix &prefix)
{
    const bool looks = MNP_NUMBERED && prefix.count > MNP_NUMBER_WORDS;
    const int64_t index = looks ? mnp_select_index(p, span, tile, item) : 0;
    return mnp_select_compare(number, index, prefix);
}

#if MNP_TASK == MNP_SELECT_COUNT || MNP_TASK == MNP_SELECT_TEAM

/* Where a thread's entries begin in the line's list and in its result. */
struct mnp_select_places {
    int64_t kept, found;
};

/* Take room in both for all threads of the block, which each have so many entries. */
MNP_INLINE mnp_select_places mnp_select_take(const mnp_select_params &p, const mnp_select_list &list,
                                             const mnp_select_span &span, uint32_t kept, uint32_t found)
{
    __shared__ unsigned long long begins[2];
    uint32_t all; /* both counts in one word: a tile has fewer than 65536 elements */
    const uint32_t before = mnp_prefix_block<MNP_THREADS / 32>(kept | found << 16, &all);
    if (threadIdx.x == 0 && (all & 0xffff))
        begins[0] = atomicAdd(&list.count[span.list], (unsigned long long)(all & 0xffff));
    if (threadIdx.x == 32 && all >> 16)
        begins[1] = atomicAdd(&p.found[span.line], (unsigned long long)(all >> 16));
    __syncthreads();
    const mnp_select_places places = {(int64_t)begins[0] + (before & 0xffff), (int64_t)begins[1] + (before >> 16)};
    __syncthreads(); /* all have read them, so the next call may write */
    return places;
}

/* Append the elements of bit set `which` to a list of the line, from place `at` on, as many as there is room for. */
MNP_INLINE void mnp_select_keep(const mnp_select_params &p, const mnp_select_span &span, int64_t tile,
                                const mnp_bits (&numbers)[MNP_ITEMS], uint32_t which, const mnp_select_list &list,
                                int64_t at)
{
    const int64_t first = span.list * list.room;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++) {
        if (!(which >> item & 1) || at >= list.room)
            continue;
        ((mnp_bits *)list.numbers)[first + at] = numbers[item];
        if (MNP_NUMBERED)
            list.places[first + at] = mnp_select_index(p, span, tile, item);
        at++;
    }
}

/* Append the elements of bit set `which` to the result of the line, from place `at` on. */
MNP_INLINE void mnp_select_give(const mnp_select_params &p, const mnp_select_span &span, int64_t tile, uint32_t which,
                                int64_t at)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys + span.line * p.length;
    MNP_KEY *values = (MNP_KEY *)p.values + span.line * p.first;
    for (; which; which &= which - 1) {
        const int64_t index = mnp_select_index(p, span, tile, __ffs(which) - 1);
        values[at] = keys[index];
        p.indices[span.line * p.first + at++] = index + p.number;
    }
}

/*
 * What a block counts: there are `copies` counters of every digit of every leader, as neighbours often have one digit,
 * but no more than its elements are worth.
 */
struct mnp_select_tally {
    mnp_select_prefix prefixes[MNP_SELECT_TARGETS];
    int leaders, copies;
    int targets[MNP_SELECT_TARGETS]; /* of the leaders */
    int slots[MNP_SELECT_TARGETS];   /* the number among the leaders of a target that is one */
};

MNP_INLINE uint32_t *mnp_select_counts()
{
    return (uint32_t *)mnp_shared;
}

/* By all threads: nothing of the span is counted yet. */
MNP_INLINE void mnp_select_open(const mnp_select_params &p, int targets, const mnp_select_state *states,
                                const mnp_select_span &span, mnp_select_tally &tally)
{
    if (threadIdx.x == 0) {
        const int64_t worth = (span.end - span.begin) / MNP_TILE + 1;
        tally.leaders = 0;
        for (int t = 0; t < targets; t++)
            if (states[t].leader == t && !states[t].done) {
                tally.slots[t] = tally.leaders;
                tally.targets[tally.leaders] = t;
                tally.prefixes[tally.leaders++] = mnp_select_prefix_of(p, states[t], span.pass);
            }
        tally.copies = (int)mnp_least(MNP_SELECT_TARGETS / tally.leaders, worth);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < tally.leaders * tally.copies * MNP_SELECT_DIGITS / 4; i += MNP_THREADS)
        mnp_shared[i] = uint4{0, 0, 0, 0};
    __syncthreads();
}

MNP_INLINE uint32_t mnp_select_counted(const mnp_select_tally &tally, int i)
{
    uint32_t sum = 0;
    for (int copy = 0; copy < tally.copies; copy++)
        sum += mnp_select_counts()[i * tally.copies + copy];
    return sum;
}

/* Count a span's elements, and write those to the list that may be sought, if this pass does. */
MNP_INLINE void mnp_select_count(const mnp_select_params &p, const mnp_select_span &span, const mnp_select_list &list,
                                 mnp_select_tally &tally)
{
    const mnp_select_digit which = p.digits[span.pass];
    const int leaders = tally.leaders, copies = tally.copies, copy = (int)threadIdx.x % copies;
    mnp_bits next[MNP_ITEMS];
    if (span.begin < span.end)
        mnp_select_load(p, span, span.begin, next);
    for (int64_t tile = span.begin; tile < span.end; tile += MNP_TILE) {
        mnp_bits numbers[MNP_ITEMS];
        uint32_t agree = 0, before = 0;
        const int size = mnp_select_size(span, tile);
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++)
            numbers[item] = next[item];
        if (tile + MNP_TILE < span.end) /* while these are counted */
            mnp_select_load(p, span, tile + MNP_TILE, next);
        mnp_select_convert(p, span, numbers);
        for (int leader = 0; leader < leaders; leader++) {
            const mnp_select_prefix prefix = tally.prefixes[leader];
#pragma unroll
            for (int item = 0; item < MNP_ITEMS; item++) {
                if (mnp_select_at(item) >= size)
                    continue;
                const int order = mnp_select_compare_at(p, span, tile, item, numbers[item], prefix);
                before |= (order < 0 ? 1u : 0u) << item;
                if (order != 0)
                    continue;
                agree |= 1u << item;
                const bool looks = MNP_NUMBERED && which.word == MNP_NUMBER_WORDS;
                const int64_t index = looks ? mnp_select_index(p, span, tile, item) : 0;
                const uint32_t digit = mnp_select_digit_of(which, numbers[item], index);
                atomicAdd(&mnp_select_counts()[(leader * MNP_SELECT_DIGITS + digit) * copies + copy], 1u);
            }
        }
        if (!span.to_list)
            continue;
        before = MNP_NUMBERED ? before : 0;
        const mnp_select_places at = mnp_select_take(p, list, span, __popc(agree), __popc(before));
        mnp_select_keep(p, span, tile, numbers, agree, list, at.kept);
        mnp_select_give(p, span, tile, before, at.found);
    }
    __syncthreads();
}

/* Add what a block counted to `counts`, whose rows of digits are those of the leaders, or of their targets. */
MNP_INLINE void mnp_select_add(const mnp_select_tally &tally, bool by_targets, long long *counts)
{
    for (int i = threadIdx.x; i < tally.leaders * MNP_SELECT_DIGITS; i += MNP_THREADS) {
        const int leader = i / MNP_SELECT_DIGITS, row = by_targets ? tally.targets[leader] : leader;
        const uint32_t sum = mnp_select_counted(tally, i);
        if (sum)
            atomicAdd((unsigned long long *)&counts[row * MNP_SELECT_DIGITS + i % MNP_SELECT_DIGITS],
                      (unsigned long long)sum);
    }
}

#endif

#if MNP_TASK == MNP_SELECT_COUNT || MNP_TASK == MNP_SELECT_PICK || MNP_TASK == MNP_SELECT_TEAM

/*
 * By all threads: find a target's digit.  `own` are the counts of this thread's digits, of which it has a few
 * neighbours.
 */
template <int digits>
MNP_INLINE void mnp_select_pick(const mnp_select_params &p, int pass, const long long (&own)[digits], long long rank,
                                mnp_select_state &state)
{
    const bool done = state.done; /* read before a thread writes it */
    long long sum = 0, all;
#pragma unroll
    for (int i = 0; i < digits; i++)
        sum += own[i];
    const long long before = mnp_prefix_block<MNP_THREADS / 32>(sum, &all);
    if (!done && before <= rank && rank < before + sum)
        mnp_select_found(p, pass, own, threadIdx.x * digits, rank - before, &state);
}

#endif

#if MNP_TASK == MNP_SELECT_COUNT

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_count(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_tally tally;
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const int64_t line = c / chunks, begin = (c - line * chunks) * p.chunk, limit = begin + p.chunk;
        const mnp_select_state *states = p.states + line * p.targets;
        const mnp_select_list *from = mnp_select_reads_list(states, p.pass) ? &p.list : nullptr;
        const int64_t end = from ? (int64_t)p.list.count[line] : p.length;
        const bool to_list = mnp_select_writes_list(states, p.pass);
        const mnp_select_span span = {line, begin, limit < end ? limit : end, p.pass, to_list, from, line, !from};
        if (begin >= end)
            continue;
        mnp_select_open(p, p.targets, states, span, tally);
        mnp_select_count(p, span, p.list, tally);
        mnp_select_add(tally, true, p.counts + line * p.targets * MNP_SELECT_DIGITS);
        __syncthreads();
    }
}

#elif MNP_TASK == MNP_SELECT_PICK

MNP_KERNEL(select_pick, mnp_select_params)
{
    for (int64_t line = blockIdx.x; line < p.lines; line += gridDim.x) {
        mnp_select_state *states = p.states + line * p.targets;
        long long *counts = p.counts + line * p.targets * MNP_SELECT_DIGITS;
        for (int t = 0; t < p.targets; t++) {
            long long own[MNP_OWN_DIGITS];
#pragma unroll
            for (int i = 0; i < MNP_OWN_DIGITS; i++)
                own[i] = counts[states[t].leader * MNP_SELECT_DIGITS + (int)threadIdx.x * MNP_OWN_DIGITS + i];
            mnp_select_pick(p, p.pass, own, mnp_select_rank(p, p.pass, states, t), states[t]);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < p.targets * MNP_SELECT_DIGITS; i += MNP_THREADS)
            counts[i] = 0;
        if (threadIdx.x == 0)
            mnp_select_lead(p.targets, p.pass, p.few, states);
        __syncthreads();
    }
}

#endif
