/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection from a line by a team of blocks, or by one block where there are many lines.
 *
 * A launch is a pass of the team: the members add their counts, and the last one to do so finds which digits are
 * sought.  It goes on alone if few elements are left, and else leaves the next pass to the next launch.  So no member
 * waits for another, which would have to run at the same time.  A team of one makes all passes in one launch.
 */
enum { MNP_ALONE = 1 << 14 }; /* from a list of so many elements one member selects: sharing them takes longer */

/* What a member knows of a line. */
struct mnp_select_team {
    mnp_select_tally tally;
    mnp_select_state states[MNP_SELECT_TARGETS];
    mnp_select_progress progress;
    bool is_last; /* of the members that have arrived */
};

/* By all threads: whether all other members have arrived, whose writes are then seen. */
MNP_INLINE bool mnp_select_arrive(const mnp_select_params &p, int64_t line, mnp_select_team &team)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned *arrived = &p.progress[line].arrived;
        team.is_last = atomicAdd(arrived, 1u) + 1 == (unsigned)p.members;
        if (team.is_last)
            *arrived = 0; /* for the next pass */
        __threadfence();
    }
    __syncthreads();
    return team.is_last;
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
        mnp_select_lead(p, pass, team.progress.few, team.states);
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
        const int size = mnp_select_read(p, span, tile, numbers);
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

/* What is known before the first pass. */
MNP_INLINE void mnp_select_begin(const mnp_select_params &p, int64_t line, mnp_select_team &team)
{
    mnp_select_progress progress = {};
    for (int t = 0; t < p.targets; t++)
        team.states[t] = mnp_select_state{};
    progress.sieved = p.ranges && mnp_select_check_sieve(p, line, team.states);
    progress.few = progress.sieved ? (long long)p.sieved.count[line] / 4 : p.few;
    for (int t = 0; t < p.targets && !progress.sieved; t++) {
        team.states[t] = mnp_select_state{};
        team.states[t].rank = (unsigned long long)p.ranks[t];
    }
    mnp_select_group(p, team.states);
    team.progress = progress;
}

/* Read what is known of a line when a launch begins, or write what the next one is to know. */
MNP_INLINE void mnp_select_recall(const mnp_select_params &p, int64_t line, mnp_select_team &team)
{
    if (threadIdx.x == 0 && p.pass == 0)
        mnp_select_begin(p, line, team);
    if (threadIdx.x == 0 && p.pass > 0)
        team.progress = p.progress[line];
    if (p.pass > 0 && (int)threadIdx.x < p.targets)
        team.states[threadIdx.x] = p.states[line * p.targets + threadIdx.x];
    __syncthreads();
}
MNP_INLINE void mnp_select_note(const mnp_select_params &p, int64_t line, bool finished, const mnp_select_team &team)
{
    if ((int)threadIdx.x < p.targets)
        p.states[line * p.targets + threadIdx.x] = team.states[threadIdx.x];
    if (threadIdx.x == 0) {
        p.progress[line].few = team.progress.few;
        p.progress[line].sieved = team.progress.sieved;
        p.progress[line].finished = finished;
    }
}

MNP_INLINE bool mnp_select_is_done(const mnp_select_params &p, const mnp_select_state *states)
{
    bool done = true;
    for (int t = 0; t < p.targets; t++)
        done = done && states[t].done;
    return done;
}

/* All that is read in a pass. */
MNP_INLINE mnp_select_span mnp_select_span_of(const mnp_select_params &p, int64_t line, int pass,
                                              const mnp_select_team &team)
{
    mnp_select_span span = {line, 0, p.length, pass, mnp_select_writes_list(team.states, pass), nullptr};
    if (mnp_select_reads_list(team.states, pass))
        span.from = &p.list;
    else if (team.progress.sieved)
        span.from = &p.sieved;
    if (span.from)
        span.end = (int64_t)__ldcg(&span.from->count[line]);
    return span;
}

/* Whether one member goes on alone with what is read in a pass. */
MNP_INLINE bool mnp_select_is_for_one(const mnp_select_span &span)
{
    return span.from && span.end <= MNP_ALONE;
}

/* Find the digits of a pass from the counts of all members, and set these to 0. */
MNP_INLINE void mnp_select_pick_of_team(const mnp_select_params &p, int64_t line, int pass, mnp_select_team &team)
{
    long long *counts = p.counts + line * p.targets * MNP_SELECT_DIGITS;
    const int used = team.tally.leaders * MNP_SELECT_DIGITS;
    mnp_select_pick_all(p, pass, counts, team);
    for (int i = threadIdx.x; i < used; i += MNP_THREADS)
        counts[i] = 0;
}

/* Select from a line, as one of its members; without others all passes, and else this launch's. */
MNP_INLINE void mnp_select_line(const mnp_select_params &p, int64_t line, int member, mnp_select_team &team)
{
    int members = p.members, pass = p.pass;
    mnp_select_recall(p, line, team);
    if (team.progress.finished)
        return;
    mnp_select_span span = mnp_select_span_of(p, line, pass, team);
    if (members > 1 && mnp_select_is_for_one(span)) {
        if (member > 0)
            return;
        members = 1;
    }
    while (pass < p.passes && !mnp_select_is_done(p, team.states)) {
        if (span.from && span.end <= MNP_THREADS) {
            mnp_select_finish(p, span, team);
            pass = p.passes;
            break;
        }
        const bool shares = members > 1;
        mnp_select_divide(span, members, member);
        mnp_select_open(p, team.states, span, team.tally);
        mnp_select_count(p, span, team.tally);
        if (shares) {
            mnp_select_add(team.tally, false, p.counts + line * p.targets * MNP_SELECT_DIGITS);
            if (!mnp_select_arrive(p, line, team))
                return;
            mnp_select_pick_of_team(p, line, pass, team);
            members = 1;
            member = 0;
        } else {
            mnp_select_pick_all(p, pass, nullptr, team);
        }
        span = mnp_select_span_of(p, line, ++pass, team);
        if (shares && !mnp_select_is_for_one(span) && (MNP_NUMBERED || pass < p.passes)) {
            mnp_select_note(p, line, false, team);
            return;
        }
    }
#if MNP_NUMBERED
    span = mnp_select_span_of(p, line, pass, team);
    mnp_select_divide(span, members, member);
    mnp_select_gather(p, span, team.states[0]);
    if (members > 1 && !mnp_select_arrive(p, line, team))
        return;
#else
    if (member == 0 && (int)threadIdx.x < p.targets)
        mnp_select_store(p, line, (int)threadIdx.x, team.states[threadIdx.x]);
#endif
    if (p.members > 1)
        mnp_select_note(p, line, true, team);
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_team(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_team team;
    const int64_t teams = gridDim.x / (unsigned)p.members;
    for (int64_t line = blockIdx.x / (unsigned)p.members; line < p.lines; line += teams) {
        mnp_select_line(p, line, (int)(blockIdx.x % (unsigned)p.members), team);
        __syncthreads();
    }
}
