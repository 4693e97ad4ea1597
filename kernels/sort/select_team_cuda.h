/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection from a line by a team of blocks, or by one block where there are many lines.  The members of a team add
 * their counts of a pass, wait for each other, and then all find by themselves which digits are sought.
 */
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
