/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection on a GPU, in blocks of MNP_THREADS threads of MNP_ITEMS elements each.
 *
 * A launch selects from lines that no other rank shares, each by a team of blocks, or by one block where there are many
 * lines.  The members of a team add their counts of a pass, wait for each other, and then all find by themselves which
 * digits are sought.  Where lines are shared, a launch counts, and another one finds the digits after the ranks have
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

/* What a block reads of a line in a pass. */
struct mnp_select_span {
    int64_t line, begin, end;
    int pass;
    bool from_list, to_list;
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
    const mnp_bits *from = span.from_list ? (const mnp_bits *)p.candidates + span.line * p.room + tile
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
    if (!span.from_list)
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++)
            items[item] = mnp_number(mnp_bits_as<MNP_KEY>(items[item]), p.descending);
}

/* The index in the line of such an element, where indices matter. */
MNP_INLINE int64_t mnp_select_index(const mnp_select_params &p, const mnp_select_span &span, int64_t tile, int item)
{
    const int64_t i = tile + mnp_select_at(item);
    return MNP_NUMBERED && span.from_list ? p.places[span.line * p.room + i] : i;
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

/* Append the elements of bit set `which` to the line's list, from place `at` on. */
MNP_INLINE void mnp_select_keep(const mnp_select_params &p, const mnp_select_span &span, int64_t tile,
                                const mnp_bits (&numbers)[MNP_ITEMS], uint32_t which, int64_t at)
{
    at += span.line * p.room;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++) {
        if (!(which >> item & 1))
            continue;
        ((mnp_bits *)p.candidates)[at] = numbers[item];
        if (MNP_NUMBERED)
            p.places[at] = mnp_select_index(p, span, tile, item);
        at++;
    }
}

extern __shared__ uint4 mnp_shared[]; /* counters */

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
            if (states[t].leader == t) {
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
        const mnp_select_places at = mnp_select_take(p, span.line, __popc(agree), __popc(before));
        mnp_select_keep(p, span, tile, numbers, agree, at.kept);
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
MNP_INLINE void mnp_select_pick(const mnp_select_params &p, int pass, const long long (&own)[digits], int target,
                                mnp_select_state *states)
{
    const bool done = states[target].done;
    const long long rank = mnp_select_rank(p, pass, states, target); /* read before a thread writes it */
    long long sum = 0, all;
#pragma unroll
    for (int i = 0; i < digits; i++)
        sum += own[i];
    const long long before = mnp_prefix_block<MNP_THREADS / 32>(sum, &all);
    if (!done && before <= rank && rank < before + sum)
        mnp_select_found(p, pass, own, threadIdx.x * digits, rank - before, &states[target]);
}

#endif

#if MNP_TASK == MNP_SELECT_COUNT

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_count(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_tally tally;
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const int64_t line = c / chunks, begin = (c - line * chunks) * p.chunk;
        const mnp_select_state *states = p.states + line * p.targets;
        const bool from_list = mnp_select_reads_list(states, p.pass);
        const int64_t end = from_list ? (int64_t)p.kept[line] : p.length, limit = begin + p.chunk;
        const mnp_select_span span = {line,   begin,     limit < end ? limit : end,
                                      p.pass, from_list, mnp_select_writes_list(states, p.pass)};
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
            mnp_select_pick(p, p.pass, own, t, states);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < p.targets * MNP_SELECT_DIGITS; i += MNP_THREADS)
            counts[i] = 0;
        if (threadIdx.x == 0)
            mnp_select_lead(p, p.pass, states);
        __syncthreads();
    }
}

#elif MNP_TASK == MNP_SELECT_TEAM

enum { MNP_ALONE = 4 * MNP_TILE }; /* from a list of so many elements one member selects */

/* What a member knows of a line. */
struct mnp_select_team {
    mnp_select_tally tally;
    mnp_select_state states[MNP_SELECT_TARGETS];
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
        const int first =
            team.tally.slots[team.states[t].leader] * MNP_SELECT_DIGITS + (int)threadIdx.x * MNP_OWN_DIGITS;
        long long own[MNP_OWN_DIGITS];
#pragma unroll
        for (int i = 0; i < MNP_OWN_DIGITS; i++)
            own[i] = counts ? __ldcg(counts + first + i) : mnp_select_counted(team.tally, first + i);
        mnp_select_pick(p, pass, own, t, team.states);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mnp_select_lead(p, pass, team.states);
    __syncthreads();
}

/* Find the sought elements in a list of no more elements than the block has threads, by comparing all with all. */
MNP_INLINE void mnp_select_finish(const mnp_select_params &p, int64_t line, int pass, int count, mnp_select_team &team)
{
    mnp_bits *numbers = (mnp_bits *)mnp_shared, number = {};
    int64_t *indices = (int64_t *)(numbers + MNP_THREADS), index = threadIdx.x;
    const bool has = (int)threadIdx.x < count;
    if (has) {
        number = ((const mnp_bits *)p.candidates)[line * p.room + threadIdx.x];
        if (MNP_NUMBERED)
            index = p.places[line * p.room + threadIdx.x];
        numbers[threadIdx.x] = number;
        indices[threadIdx.x] = index;
    }
    __syncthreads();
    for (int t = 0; t < p.targets; t++) {
        const mnp_select_prefix prefix = mnp_select_prefix_of(p, team.states[t], pass);
        const long long rank = (long long)team.states[t].rank;
        long long before = has && mnp_select_compare(number, index, prefix) == 0 ? 0 : -1;
        if (before == 0)
            for (int i = 0; i < count; i++) {
                const mnp_bits other = numbers[i];
                const bool first =
                    mnp_is_before(other, number) || (!mnp_is_before(number, other) && indices[i] < index);
                before += first && mnp_select_compare(other, indices[i], prefix) == 0;
            }
        __syncthreads(); /* all have read the state */
        if (before != rank)
            continue;
        for (int w = 0; w < MNP_NUMBER_WORDS; w++)
            team.states[t].words[w] = mnp_select_word_of(number, w);
        if (MNP_NUMBERED)
            team.states[t].words[MNP_WORDS - 1] = (unsigned long long)index;
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
        mnp_select_give(p, span, tile, wanted, mnp_select_take(p, span.line, 0, __popc(wanted)).found);
    }
}

/* Select from a line, as one of its members. */
MNP_INLINE void mnp_select_line(const mnp_select_params &p, int64_t line, int member, mnp_select_team &team)
{
    int members = p.members, pass = 0;
    int64_t kept = 0;
    if (threadIdx.x < MNP_SELECT_TARGETS)
        team.states[threadIdx.x] = mnp_select_state{};
    __syncthreads();
    for (; pass < p.passes && !team.states[0].done; pass++) {
        mnp_select_span span = {line,
                                0,
                                p.length,
                                pass,
                                mnp_select_reads_list(team.states, pass),
                                mnp_select_writes_list(team.states, pass)};
        if (span.from_list) {
            span.end = kept;
            if (kept <= MNP_ALONE) {
                if (member > 0)
                    return;
                members = 1;
            }
            if (kept <= MNP_THREADS) {
                mnp_select_finish(p, line, pass, (int)kept, team);
                pass = p.passes;
                break;
            }
        }
        mnp_select_divide(span, members, member);
        mnp_select_open(p, team.states, span, team.tally);
        mnp_select_count(p, span, team.tally);
        mnp_select_pick_all(p, pass, members > 1 ? mnp_select_share(p, span, member, team.tally) : nullptr, team);
        if (span.to_list)
            kept = (int64_t)__ldcg(&p.kept[line]);
    }
#if MNP_NUMBERED
    mnp_select_span rest = {line, 0, p.length, pass, mnp_select_reads_list(team.states, pass), false};
    rest.end = rest.from_list ? kept : rest.end;
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
