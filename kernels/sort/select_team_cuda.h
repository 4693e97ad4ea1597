/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection from a line by a team of blocks, or by one block where there are many lines.
 *
 * A launch is a pass of the team: the members add their counts, and the last one to do so finds which digits are
 * sought.  It goes on alone if few elements are left, and else leaves the next pass to the next launch.  So no member
 * waits for another, which would have to run at the same time.  A team of one makes all passes in one launch.
 *
 * A line that was not sieved has one group of targets and one team.  Of others each group has a team, which returns at
 * once if the sieve has found what is wanted, and else goes on with the elements that the sieve has left.
 */
enum { MNP_ALONE = 1 << 14 }; /* from a list of so many elements one member selects: sharing them takes longer */

/* What a member knows. */
struct mnp_select_team {
    int64_t line, number;     /* of the team's line, and of the team */
    int begin, targets;       /* the first of its targets, and how many */
    mnp_select_list from, to; /* what the sieve has left, unless that is the whole line; the list that is written */
    int64_t size, before;     /* how many that are, and how many of the line come before them */
    mnp_select_tally tally;
    mnp_select_state states[MNP_SELECT_TARGETS];
    mnp_select_progress progress;
    bool is_last; /* of the members that have arrived */
    bool is_done; /* nothing is left to find */
};

/* By all threads: what is known of team `number` before the launch, from the sieve too. */
MNP_INLINE void mnp_select_meet(const mnp_select_params &p, int64_t number, mnp_select_team &team)
{
    if (threadIdx.x == 0) {
        const int group = (int)(number % p.groups);
        mnp_select_range range = {};
        if (p.ranges)
            range = p.ranges[number];
        team.line = number / p.groups;
        team.number = number;
        team.begin = p.begins[group];
        team.targets = p.begins[group + 1] - team.begin;
        team.size = (int64_t)range.size;
        team.before = (int64_t)range.before;
        team.from = range.round > 0 ? p.sieved[(range.round + 1) % 2] : mnp_select_list{};
        team.to = p.list;
        if (p.ranges) {
            team.to = p.sieved[range.round % 2];
            team.to.count = p.list.count;
        }
        team.is_done = range.state == MNP_SELECT_FOUND;
    }
    __syncthreads();
}

/* By all threads: whether all other members have arrived, whose writes are then seen. */
MNP_INLINE bool mnp_select_arrive(const mnp_select_params &p, mnp_select_team &team)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned *arrived = &p.progress[team.number].arrived;
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
    for (int t = 0; t < team.targets; t++) {
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
        mnp_select_lead(team.targets, pass, team.progress.few, team.states);
    __syncthreads();
}

/* Find the sought elements in a list of few elements, by sorting it. */
MNP_INLINE void mnp_select_finish(const mnp_select_params &p, const mnp_select_span &span, mnp_select_team &team)
{
    mnp_sort_element own[MNP_SORT_ITEMS], *sorted = (mnp_sort_element *)mnp_shared;
    const int64_t first = span.list * span.from->room;
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++) {
        const int at = (int)threadIdx.x * MNP_SORT_ITEMS + i;
        mnp_sort_last(own[i]);
        if (at >= span.end)
            continue;
        own[i].number = ((const mnp_bits *)span.from->numbers)[first + at];
        if (span.has_keys)
            own[i].number = mnp_number(mnp_bits_as<MNP_KEY>(own[i].number), p.descending);
#if MNP_NUMBERED
        own[i].place = span.from->places[first + at];
#endif
    }
    mnp_sort_block(own, (int)span.end, sorted);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++)
        sorted[(int)threadIdx.x * MNP_SORT_ITEMS + i] = own[i];
    for (int t = 0; t < team.targets; t++) {
        if (team.states[t].done)
            continue;
        const mnp_select_prefix prefix = mnp_select_prefix_of(p, team.states[t], span.pass);
        int before = 0;
        for (int i = 0; i < MNP_SORT_ITEMS; i++) {
            const bool has = (int)threadIdx.x * MNP_SORT_ITEMS + i < span.end;
#if MNP_NUMBERED
            const int64_t place = own[i].place;
#else
            const int64_t place = 0;
#endif
            before += __syncthreads_count(has && mnp_select_compare(own[i].number, place, prefix) < 0);
        }
        if (threadIdx.x > 0)
            continue;
        const mnp_sort_element sought = sorted[before + (int)team.states[t].rank];
        for (int w = 0; w < MNP_NUMBER_WORDS; w++)
            team.states[t].words[w] = mnp_select_word_of(sought.number, w);
#if MNP_NUMBERED
        team.states[t].words[MNP_WORDS - 1] = (unsigned long long)sought.place;
#endif
        team.states[t].passes = p.passes;
    }
    __syncthreads();
}

/* Append the elements up to the sought one to the result, of those that have not been. */
MNP_INLINE void mnp_select_gather(const mnp_select_params &p, const mnp_select_span &span, const mnp_select_list &list,
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
        mnp_select_give(p, span, tile, wanted, mnp_select_take(p, list, span, 0, __popc(wanted)).found);
    }
}

/* What is known before the first pass. */
MNP_INLINE void mnp_select_begin(const mnp_select_params &p, mnp_select_team &team)
{
    team.progress = mnp_select_progress{};
    team.progress.few = p.few;
    if (team.from.numbers)
        team.progress.few = mnp_least((long long)team.size / 4, team.to.room);
    for (int t = 0; t < team.targets; t++) {
        team.states[t] = mnp_select_state{};
        team.states[t].rank = (unsigned long long)(p.ranks[team.begin + t] - team.before);
    }
    mnp_select_group(team.targets, team.states);
}

/* Where the states of a team's targets and its counts are. */
MNP_INLINE int64_t mnp_select_first_target(const mnp_select_params &p, const mnp_select_team &team)
{
    return team.line * p.targets + team.begin;
}

/* Read what is known when a launch begins, or write what the next one is to know. */
MNP_INLINE void mnp_select_recall(const mnp_select_params &p, mnp_select_team &team)
{
    if (threadIdx.x == 0 && p.pass == 0)
        mnp_select_begin(p, team);
    if (threadIdx.x == 0 && p.pass > 0)
        team.progress = p.progress[team.number];
    if (p.pass > 0 && (int)threadIdx.x < team.targets)
        team.states[threadIdx.x] = p.states[mnp_select_first_target(p, team) + threadIdx.x];
    __syncthreads();
}
MNP_INLINE void mnp_select_note(const mnp_select_params &p, bool finished, const mnp_select_team &team)
{
    if ((int)threadIdx.x < team.targets)
        p.states[mnp_select_first_target(p, team) + threadIdx.x] = team.states[threadIdx.x];
    if (threadIdx.x == 0) {
        p.progress[team.number].few = team.progress.few;
        p.progress[team.number].finished = finished;
    }
}

MNP_INLINE bool mnp_select_is_done(const mnp_select_team &team)
{
    bool done = true;
    for (int t = 0; t < team.targets; t++)
        done = done && team.states[t].done;
    return done;
}

/* All that is read in a pass. */
MNP_INLINE mnp_select_span mnp_select_span_of(const mnp_select_params &p, int pass, const mnp_select_team &team)
{
    const bool to_list = mnp_select_writes_list(team.states, pass);
    mnp_select_span span = {team.line, 0, p.length, pass, to_list, nullptr, team.number, true};
    if (mnp_select_reads_list(team.states, pass)) {
        span.from = &team.to;
        span.end = (int64_t)__ldcg(&team.to.count[team.number]);
        span.has_keys = false;
    } else if (team.from.numbers) {
        span.from = &team.from;
        span.end = team.size;
    }
    return span;
}

/* Whether one member goes on alone with what is read in a pass. */
MNP_INLINE bool mnp_select_is_for_one(const mnp_select_span &span)
{
    return span.from && span.end <= MNP_ALONE;
}

/* Find the digits of a pass from the counts of all members, and set these to 0. */
MNP_INLINE void mnp_select_pick_of_team(const mnp_select_params &p, int pass, mnp_select_team &team)
{
    long long *counts = p.counts + mnp_select_first_target(p, team) * MNP_SELECT_DIGITS;
    const int used = team.tally.leaders * MNP_SELECT_DIGITS;
    mnp_select_pick_all(p, pass, counts, team);
    for (int i = threadIdx.x; i < used; i += MNP_THREADS)
        counts[i] = 0;
}

#if MNP_NUMBERED
/* By all threads: sort the first elements of a line, which are few, and written in no order. */
MNP_INLINE void mnp_select_order(const mnp_select_params &p, int64_t line)
{
    mnp_sort_element own[MNP_SORT_ITEMS];
    const MNP_KEY *keys = (const MNP_KEY *)p.keys + line * p.length;
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++) {
        const int at = (int)threadIdx.x * MNP_SORT_ITEMS + i;
        mnp_sort_last(own[i]);
        if (at < p.first) {
            own[i].place = __ldcg(&p.indices[line * p.first + at]) - p.number;
            own[i].number = mnp_number(keys[own[i].place], p.descending);
        }
    }
    __syncthreads();
    mnp_sort_block(own, (int)p.first, (mnp_sort_element *)mnp_shared);
    mnp_sort_give(p, line, own);
}
#endif

/* Select as one of a team's members; without others all passes, and else this launch's. */
MNP_INLINE void mnp_select_as_member(const mnp_select_params &p, int member, mnp_select_team &team)
{
    int members = p.members, pass = p.pass;
    mnp_select_recall(p, team);
    if (team.progress.finished)
        return;
    mnp_select_span span = mnp_select_span_of(p, pass, team);
    if (members > 1 && mnp_select_is_for_one(span)) {
        if (member > 0)
            return;
        members = 1;
    }
    while (pass < p.passes && !mnp_select_is_done(team)) {
        if (span.from && span.end <= MNP_THREADS) { /* sorting more takes longer than another pass */
            mnp_select_finish(p, span, team);
            pass = p.passes;
            break;
        }
        const bool shares = members > 1;
        mnp_select_divide(span, members, member);
        mnp_select_open(p, team.targets, team.states, span, team.tally);
        mnp_select_count(p, span, team.to, team.tally);
        if (shares) {
            mnp_select_add(team.tally, false, p.counts + mnp_select_first_target(p, team) * MNP_SELECT_DIGITS);
            if (!mnp_select_arrive(p, team))
                return;
            mnp_select_pick_of_team(p, pass, team);
            members = 1;
            member = 0;
        } else {
            mnp_select_pick_all(p, pass, nullptr, team);
        }
        span = mnp_select_span_of(p, ++pass, team);
        if (shares && !mnp_select_is_for_one(span) && (MNP_NUMBERED || pass < p.passes)) {
            mnp_select_note(p, false, team);
            return;
        }
    }
#if MNP_NUMBERED
    span = mnp_select_span_of(p, pass, team);
    mnp_select_divide(span, members, member);
    mnp_select_gather(p, span, team.to, team.states[0]);
    if (members > 1 && !mnp_select_arrive(p, team))
        return;
    __syncthreads();
    if (p.sorts)
        mnp_select_order(p, team.line);
#else
    if (member == 0 && (int)threadIdx.x < team.targets)
        mnp_select_store(p, team.line, team.begin + (int)threadIdx.x, team.states[threadIdx.x]);
#endif
    if (p.members > 1)
        mnp_select_note(p, true, team);
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_team(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_team team;
    const int64_t teams = gridDim.x / (unsigned)p.members;
    for (int64_t number = blockIdx.x / (unsigned)p.members; number < p.lines * p.groups; number += teams) {
        mnp_select_meet(p, number, team);
        if (!team.is_done)
            mnp_select_as_member(p, (int)(blockIdx.x % (unsigned)p.members), team);
        __syncthreads();
    }
}
