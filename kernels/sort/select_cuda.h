/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection on a GPU, in blocks of MNP_THREADS threads of MNP_ITEMS elements each.
 *
 * A launch selects from lines that no other rank shares, each by a team of blocks, or by one block where there are many
 * lines.  The members of a team add their counts of a pass, wait for each other, and then all find by themselves which
 * digits are sought.  Long lines are sieved before: ranges of numbers are read from a sample, so likely to have the sought
 * elements that later passes mostly read no others.  Where lines are shared, a launch counts, and another one finds the digits after the ranks have
 * added their counts.
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

/* What a block reads of a line in a pass: keys, or a list of numbers. */
struct mnp_select_span {
    int64_t line, begin, end;
    int pass;
    bool to_list;
    const mnp_select_list *from; /* NULL: keys */
};

/* The part of a span that is number `part` of `parts`, in whole tiles. */
MNP_INLINE void mnp_select_divide(mnp_select_span &span, int64_t parts, int64_t part)
{
    const int64_t tiles = (span.end + MNP_TILE - 1) / MNP_TILE, each = (tiles + parts - 1) / parts * MNP_TILE;
    const int64_t end = (part + 1) * each;
    span.begin = part * each;
    span.end = end < span.end ? end : span.end;
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

/*
 * Load this thread's elements of a tile of so many: numbers of the list, or keys, which mnp_select_convert() makes
 * numbers of.
 */
MNP_INLINE void mnp_select_load(const mnp_select_params &p, const mnp_select_span &span, int64_t tile,
                                mnp_bits (&items)[MNP_ITEMS])
{
    struct alignas(16) vector {
        mnp_bits at[MNP_VECTOR];
    };
    const int size = mnp_select_size(span, tile);
    const mnp_bits *from = span.from ? (const mnp_bits *)span.from->numbers + span.line * span.from->room + tile
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
    if (!span.from)
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++)
            items[item] = mnp_number(mnp_bits_as<MNP_KEY>(items[item]), p.descending);
}

/* The index in the line of such an element, where indices matter. */
MNP_INLINE int64_t mnp_select_index(const mnp_select_params &p, const mnp_select_span &span, int64_t tile, int item)
{
    const int64_t i = tile + mnp_select_at(item);
    return MNP_NUMBERED && span.from ? span.from->places[span.line * span.from->room + i] : i;
}

/* How a thread's element compares with a prefix; its index is looked up only if it counts. */
MNP_INLINE int mnp_select_compare_at(const mnp_select_params &p, const mnp_select_span &span, int64_t tile, int item,
                                     const mnp_bits &number, const mnp_select_prefix &prefix)
{
    const bool looks = MNP_NUMBERED && prefix.count > MNP_NUMBER_WORDS;
    const int64_t index = looks ? mnp_select_index(p, span, tile, item) : 0;
    return mnp_select_compare(number, index, prefix);
}

#if MNP_TASK == MNP_SELECT_COUNT || MNP_TASK == MNP_SELECT_TEAM || MNP_TASK == MNP_SELECT_SIEVE

/* Where a thread's entries begin in the line's list and in its result. */
struct mnp_select_places {
    int64_t kept, found;
};

/* Take room in both for all threads of the block, which each have so many entries. */
MNP_INLINE mnp_select_places mnp_select_take(const mnp_select_params &p, const mnp_select_list &list, int64_t line,
                                             uint32_t kept, uint32_t found)
{
    __shared__ unsigned long long begins[2];
    uint32_t all; /* both counts in one word: a tile has fewer than 65536 elements */
    const uint32_t before = mnp_prefix_block<MNP_THREADS / 32>(kept | found << 16, &all);
    if (threadIdx.x == 0 && (all & 0xffff))
        begins[0] = atomicAdd(&list.count[line], (unsigned long long)(all & 0xffff));
    if (threadIdx.x == 32 && all >> 16)
        begins[1] = atomicAdd(&p.found[line], (unsigned long long)(all >> 16));
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
    const int64_t first = span.line * list.room;
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

#endif

#if MNP_TASK == MNP_SELECT_COUNT || MNP_TASK == MNP_SELECT_TEAM

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
MNP_INLINE void mnp_select_open(const mnp_select_params &p, const mnp_select_state *states, const mnp_select_span &span,
                                mnp_select_tally &tally)
{
    if (threadIdx.x == 0) {
        const int64_t worth = (span.end - span.begin) / MNP_TILE + 1;
        tally.leaders = 0;
        for (int t = 0; t < p.targets; t++)
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
MNP_INLINE void mnp_select_count(const mnp_select_params &p, const mnp_select_span &span, mnp_select_tally &tally)
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
        const mnp_select_places at = mnp_select_take(p, p.list, span.line, __popc(agree), __popc(before));
        mnp_select_keep(p, span, tile, numbers, agree, p.list, at.kept);
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
        const mnp_select_span span = {line, begin, limit < end ? limit : end, p.pass, to_list, from};
        if (begin >= end)
            continue;
        mnp_select_open(p, states, span, tally);
        mnp_select_count(p, span, tally);
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
            mnp_select_lead(p, p.pass, p.few, states);
        __syncthreads();
    }
}

#else

/* ---- sorting a few numbers ---- */

/*
 * Sort `size` numbers in shared memory, a power of two, by all threads (K. E. Batcher's bitonic sort, 1968); equal ones
 * by their indices, where these matter.
 */
MNP_INLINE void mnp_select_sort(mnp_bits *numbers, int64_t *indices, int size)
{
    for (int run = 2; run <= size; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < size / 2; i += MNP_THREADS) {
                const int a = 2 * i - (i & (distance - 1)), b = a + distance;
                const mnp_bits x = numbers[a], y = numbers[b];
                bool swaps = mnp_is_before(y, x);
                if (MNP_NUMBERED && indices && !swaps && !mnp_is_before(x, y))
                    swaps = indices[b] < indices[a];
                else if (!swaps && !mnp_is_before(x, y))
                    continue;
                if (swaps != ((a & run) == 0))
                    continue;
                numbers[a] = y;
                numbers[b] = x;
                if (MNP_NUMBERED && indices) {
                    const int64_t index = indices[a];
                    indices[a] = indices[b];
                    indices[b] = index;
                }
            }
        }
    __syncthreads();
}

#if MNP_TASK == MNP_SELECT_SAMPLE

/*
 * Where in a sorted sample a sought element is, with four standard deviations of what samples vary by: the numbers
 * there, or the first or last one of all.
 */
MNP_INLINE void mnp_select_guess(const mnp_select_params &p, const mnp_bits *drawn, long long rank, mnp_bits &low,
                                 mnp_bits &high)
{
    const float at = (float)((double)rank * MNP_SELECT_DRAWN / (double)p.length);
    const float about = 4 * sqrtf(at * (1 - at / MNP_SELECT_DRAWN)) + 3;
    const int first = MNP_NUMBERED ? -1 : (int)floorf(at - about), last = (int)ceilf(at + about);
    low = mnp_bits{};
    mnp_select_most(high);
    if (first >= 0)
        low = drawn[first];
    if (last < MNP_SELECT_DRAWN)
        high = drawn[last];
}

/* The ranges of a line, by one thread: those that overlap become one. */
MNP_INLINE void mnp_select_set_ranges(const mnp_select_params &p, const mnp_bits *drawn, mnp_select_range *ranges)
{
    mnp_bits low, high, end = {};
    int count = 0;
    for (int t = 0; t < p.targets; t++) {
        mnp_select_guess(p, drawn, p.ranks[t], low, high);
        if (count == 0 || mnp_is_before(end, low)) {
            ranges[count++] = mnp_select_range{};
            for (int w = 0; w < MNP_NUMBER_WORDS; w++)
                ranges[count - 1].low[w] = mnp_select_word_of(low, w);
            end = high;
        }
        end = mnp_is_before(end, high) ? high : end;
        ranges[count - 1].targets++;
        for (int w = 0; w < MNP_NUMBER_WORDS; w++)
            ranges[count - 1].high[w] = mnp_select_word_of(end, w);
    }
    for (; count < p.targets; count++)
        ranges[count] = mnp_select_range{};
}

/* Sort a sample of each line, which is drawn by a hash from its parts of the same length, and read ranges from it. */
MNP_KERNEL(select_sample, mnp_select_params)
{
    mnp_bits *drawn = (mnp_bits *)mnp_shared;
    const int64_t part = p.length / MNP_SELECT_DRAWN;
    for (int64_t line = blockIdx.x; line < p.lines; line += gridDim.x) {
        for (int i = threadIdx.x; i < MNP_SELECT_DRAWN; i += MNP_THREADS) {
            const uint64_t hash = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull, mixed = (hash ^ hash >> 29) * hash;
            const int64_t at = line * p.length + i * part + (int64_t)((mixed >> 32) * (uint64_t)part >> 32);
            drawn[i] = mnp_number(((const MNP_KEY *)p.keys)[at], p.descending);
        }
        mnp_select_sort(drawn, nullptr, MNP_SELECT_DRAWN);
        if (threadIdx.x == 0)
            mnp_select_set_ranges(p, drawn, p.ranges + line * p.targets);
        __syncthreads();
    }
}

#endif

/* Whether a range has one number alone, so that its elements need not be listed. */
MNP_INLINE bool mnp_select_is_single(const mnp_select_range &range)
{
    bool same = !MNP_NUMBERED;
#pragma unroll
    for (int w = 0; w < MNP_NUMBER_WORDS; w++)
        same = same && range.low[w] == range.high[w];
    return same;
}

#if MNP_TASK == MNP_SELECT_SIEVE

/* The ranges as a block reads them, and its counts. */
struct mnp_select_sieve {
    mnp_bits low[MNP_SELECT_TARGETS], high[MNP_SELECT_TARGETS];
    bool lists[MNP_SELECT_TARGETS];
    uint32_t below[MNP_SELECT_TARGETS], inside[MNP_SELECT_TARGETS];
    int count;
};

MNP_INLINE void mnp_select_open_sieve(const mnp_select_params &p, const mnp_select_range *ranges,
                                      mnp_select_sieve &sieve)
{
    if ((int)threadIdx.x < p.targets) {
        const mnp_select_range range = ranges[threadIdx.x];
        mnp_select_join(range.low, sieve.low[threadIdx.x]);
        mnp_select_join(range.high, sieve.high[threadIdx.x]);
        sieve.lists[threadIdx.x] = !mnp_select_is_single(range);
        sieve.below[threadIdx.x] = sieve.inside[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0) {
        sieve.count = 0;
        while (sieve.count < p.targets && ranges[sieve.count].targets > 0)
            sieve.count++;
    }
    __syncthreads();
}

/* Count a tile's elements before and in a range; returns the bit set of those in it. */
MNP_INLINE uint32_t mnp_select_sift(const mnp_bits (&numbers)[MNP_ITEMS], int size, int range, mnp_select_sieve &sieve)
{
    const mnp_bits low = sieve.low[range], high = sieve.high[range];
    uint32_t below = 0, beyond = 0, all = 0;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++) {
        below |= (mnp_is_before(numbers[item], low) ? 1u : 0u) << item;
        beyond |= (mnp_is_before(high, numbers[item]) ? 1u : 0u) << item;
        all |= (mnp_select_at(item) < size ? 1u : 0u) << item;
    }
    const uint32_t inside = all & ~(below | beyond);
    below &= all;
    const uint32_t both = __popc(below) | __popc(inside) << 16; /* of a warp, both are below 65536 */
    const uint32_t sum = __reduce_add_sync(0xffffffffu, both);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sieve.below[range], sum & 0xffff);
        atomicAdd(&sieve.inside[range], sum >> 16);
    }
    return inside;
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 3) select_sieve(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_sieve sieve;
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const int64_t line = c / chunks, begin = (c - line * chunks) * p.chunk, end = begin + p.chunk;
        const mnp_select_span span = {line, begin, end < p.length ? end : p.length, 0, true, nullptr};
        mnp_select_range *ranges = p.ranges + line * p.targets;
        mnp_select_open_sieve(p, ranges, sieve);
        for (int64_t tile = span.begin; tile < span.end; tile += MNP_TILE) {
            mnp_bits numbers[MNP_ITEMS];
            uint32_t wanted = 0;
            const int size = mnp_select_size(span, tile);
            mnp_select_load(p, span, tile, numbers);
            mnp_select_convert(p, span, numbers);
            for (int range = 0; range < sieve.count; range++) {
                const uint32_t inside = mnp_select_sift(numbers, size, range, sieve);
                wanted |= sieve.lists[range] ? inside : 0;
            }
            if (__syncthreads_or(wanted != 0))
                mnp_select_keep(p, span, tile, numbers, wanted, p.sieved,
                                mnp_select_take(p, p.sieved, line, __popc(wanted), 0).kept);
        }
        __syncthreads();
        if ((int)threadIdx.x < sieve.count) {
            atomicAdd(&ranges[threadIdx.x].below, (unsigned long long)sieve.below[threadIdx.x]);
            atomicAdd(&ranges[threadIdx.x].inside, (unsigned long long)sieve.inside[threadIdx.x]);
        }
        __syncthreads();
    }
}

#endif

#if MNP_TASK == MNP_SELECT_TEAM

enum { MNP_ALONE = 4 * MNP_TILE }; /* from a list of so many elements one member selects */

/* What a member knows of a line. */
struct mnp_select_team {
    mnp_select_tally tally;
    mnp_select_state states[MNP_SELECT_TARGETS];
    long long few; /* elements of a list */
    bool sieved;   /* the sought elements are in the list of the sieve, or known */
};

/* Wait for the other members, who have met so often with this time. */
MNP_INLINE void mnp_select_meet(const mnp_select_params &p, int64_t line, int times)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned arrived;
        __threadfence();
        atomicAdd(&p.arrived[line], 1u);
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(arrived) : "l"(&p.arrived[line]) : "memory");
        while (arrived < (unsigned)(times * p.members));
    }
    __syncthreads();
}

/* The counts of a pass of all members, and those of the next pass set to 0, which were used two passes ago. */
MNP_INLINE const long long *mnp_select_share(const mnp_select_params &p, const mnp_select_span &span, int member,
                                             const mnp_select_tally &tally)
{
    const int size = p.targets * MNP_SELECT_DIGITS;
    long long *counts = p.counts + span.line * MNP_SELECT_ROUNDS * size;
    long long *these = counts + span.pass % MNP_SELECT_ROUNDS * size;
    long long *next = counts + (span.pass + 1) % MNP_SELECT_ROUNDS * size;
    mnp_select_add(tally, false, these);
    for (int i = member * MNP_THREADS + threadIdx.x; i < size; i += p.members * MNP_THREADS)
        next[i] = 0;
    mnp_select_meet(p, span.line, span.pass + 1);
    return these;
}

/* Find the digits of a pass, from what the team counted or, if there are none, this block alone. */
MNP_INLINE void mnp_select_pick_all(const mnp_select_params &p, int pass, const long long *counts,
                                    mnp_select_team &team)
{
    for (int t = 0; t < p.targets; t++) {
        if (team.states[t].done)
            continue;
        const int first =
            team.tally.slots[team.states[t].leader] * MNP_SELECT_DIGITS + (int)threadIdx.x * MNP_OWN_DIGITS;
        long long own[MNP_OWN_DIGITS];
#pragma unroll
        for (int i = 0; i < MNP_OWN_DIGITS; i++)
            own[i] = counts ? __ldcg(counts + first + i) : mnp_select_counted(team.tally, first + i);
        mnp_select_pick(p, pass, own, (long long)team.states[t].rank, team.states[t]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mnp_select_lead(p, pass, team.few, team.states);
    __syncthreads();
}

/* Find the sought elements in a list of no more elements than the block has threads, by sorting it. */
MNP_INLINE void mnp_select_finish(const mnp_select_params &p, const mnp_select_span &span, mnp_select_team &team)
{
    mnp_bits *numbers = (mnp_bits *)mnp_shared, number;
    int64_t *indices = (int64_t *)(numbers + MNP_THREADS), index = MNP_NUMBERED ? p.length : 0;
    const bool has = (int)threadIdx.x < span.end;
    mnp_select_most(number);
    if (has) {
        number = ((const mnp_bits *)span.from->numbers)[span.line * span.from->room + threadIdx.x];
        if (MNP_NUMBERED)
            index = span.from->places[span.line * span.from->room + threadIdx.x];
    }
    numbers[threadIdx.x] = number;
    indices[threadIdx.x] = index;
    int size = 1;
    while (size < span.end)
        size *= 2;
    mnp_select_sort(numbers, indices, size);
    for (int t = 0; t < p.targets; t++) {
        if (team.states[t].done)
            continue;
        const mnp_select_prefix prefix = mnp_select_prefix_of(p, team.states[t], span.pass);
        const int before = __syncthreads_count(has && mnp_select_compare(number, index, prefix) < 0);
        if (threadIdx.x > 0)
            continue;
        const int at = before + (int)team.states[t].rank;
        for (int w = 0; w < MNP_NUMBER_WORDS; w++)
            team.states[t].words[w] = mnp_select_word_of(numbers[at], w);
        if (MNP_NUMBERED)
            team.states[t].words[MNP_WORDS - 1] = (unsigned long long)indices[at];
        team.states[t].passes = p.passes;
    }
    __syncthreads();
}

/* Append the elements up to the sought one to the result, of those that have not been. */
MNP_INLINE void mnp_select_gather(const mnp_select_params &p, const mnp_select_span &span,
                                  const mnp_select_state &state)
{
    const mnp_select_prefix known = mnp_select_prefix_of(p, state, state.passes);
    for (int64_t tile = span.begin; tile < span.end; tile += MNP_TILE) {
        mnp_bits numbers[MNP_ITEMS];
        uint32_t wanted = 0;
        const int size = mnp_select_size(span, tile);
        mnp_select_load(p, span, tile, numbers);
        mnp_select_convert(p, span, numbers);
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++)
            if (mnp_select_at(item) < size && mnp_select_compare_at(p, span, tile, item, numbers[item], known) <= 0)
                wanted |= 1u << item;
        mnp_select_give(p, span, tile, wanted, mnp_select_take(p, p.list, span.line, 0, __popc(wanted)).found);
    }
}

/* Whether the sieve has the sought elements, by one thread; their ranks are then those in its list. */
MNP_INLINE bool mnp_select_check_sieve(const mnp_select_params &p, int64_t line, mnp_select_state *states)
{
    const mnp_select_range *ranges = p.ranges + line * p.targets;
    long long listed = 0;
    bool good = (long long)p.sieved.count[line] <= p.sieved.room;
    for (int r = 0, t = 0; r < p.targets; r++) {
        const mnp_select_range range = ranges[r];
        for (const int end = t + range.targets; t < end; t++) {
            const long long rank = p.ranks[t] - (long long)range.below;
            good = good && rank >= 0 && rank < (long long)range.inside;
            states[t].rank = (unsigned long long)(listed + rank);
            states[t].done = mnp_select_is_single(range);
            for (int w = 0; w < MNP_NUMBER_WORDS && states[t].done; w++)
                states[t].words[w] = range.low[w];
        }
        listed += mnp_select_is_single(range) ? 0 : (long long)range.inside;
    }
    return good;
}

/* What is known at first. */
MNP_INLINE void mnp_select_begin(const mnp_select_params &p, int64_t line, mnp_select_team &team)
{
    if (threadIdx.x == 0) {
        for (int t = 0; t < p.targets; t++)
            team.states[t] = mnp_select_state{};
        team.sieved = p.ranges && mnp_select_check_sieve(p, line, team.states);
        team.few = team.sieved ? (long long)p.sieved.count[line] / 4 : p.few;
        for (int t = 0; t < p.targets && !team.sieved; t++) {
            team.states[t] = mnp_select_state{};
            team.states[t].rank = (unsigned long long)p.ranks[t];
        }
        mnp_select_group(p, team.states);
    }
    __syncthreads();
}

MNP_INLINE bool mnp_select_is_done(const mnp_select_params &p, const mnp_select_state *states)
{
    bool done = true;
    for (int t = 0; t < p.targets; t++)
        done = done && states[t].done;
    return done;
}

/* All that is read in a pass. */
MNP_INLINE mnp_select_span mnp_select_span_of(const mnp_select_params &p, int64_t line, int pass, int64_t kept,
                                              const mnp_select_team &team)
{
    mnp_select_span span = {line, 0, p.length, pass, mnp_select_writes_list(team.states, pass), nullptr};
    if (mnp_select_reads_list(team.states, pass)) {
        span.from = &p.list;
        span.end = kept;
    } else if (team.sieved) {
        span.from = &p.sieved;
        span.end = (int64_t)p.sieved.count[line];
    }
    return span;
}

/* Select from a line, as one of its members. */
MNP_INLINE void mnp_select_line(const mnp_select_params &p, int64_t line, int member, mnp_select_team &team)
{
    int members = p.members, pass = 0;
    int64_t kept = 0;
    mnp_select_begin(p, line, team);
    for (; pass < p.passes && !mnp_select_is_done(p, team.states); pass++) {
        mnp_select_span span = mnp_select_span_of(p, line, pass, kept, team);
        if (span.from && span.end <= MNP_ALONE) {
            if (member > 0)
                return;
            members = 1;
        }
        if (span.from && span.end <= MNP_THREADS) {
            mnp_select_finish(p, span, team);
            pass = p.passes;
            break;
        }
        mnp_select_divide(span, members, member);
        mnp_select_open(p, team.states, span, team.tally);
        mnp_select_count(p, span, team.tally);
        mnp_select_pick_all(p, pass, members > 1 ? mnp_select_share(p, span, member, team.tally) : nullptr, team);
        if (span.to_list)
            kept = (int64_t)__ldcg(&p.list.count[line]);
    }
#if MNP_NUMBERED
    mnp_select_span rest = mnp_select_span_of(p, line, pass, kept, team);
    mnp_select_divide(rest, members, member);
    mnp_select_gather(p, rest, team.states[0]);
#else
    if (member == 0 && (int)threadIdx.x < p.targets)
        mnp_select_store(p, line, (int)threadIdx.x, team.states[threadIdx.x]);
#endif
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_team(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_team team;
    const int64_t teams = gridDim.x / (unsigned)p.members;
    for (int64_t line = blockIdx.x / (unsigned)p.members; line < p.lines; line += teams)
        mnp_select_line(p, line, (int)(blockIdx.x % (unsigned)p.members), team);
}

#endif
#endif
