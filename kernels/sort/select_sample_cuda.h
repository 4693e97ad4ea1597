/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sieve: a sorted sample tells in which range of numbers the sought elements are likely to be (R. W. Floyd and R.
 * L. Rivest, Expected time bounds for selection, 1975).  A pass lists the elements in that range, a tenth or less, and
 * counts those before it, which tells whether the sample has misled.  It also counts between which numbers of the
 * sample the listed elements are: so the next range needs no sample.  Thus rounds go on with ever shorter lists, until
 * one block finds what is wanted in what is left.
 *
 * A sample has misled if it is beyond 3.5 standard deviations, once in two thousand times.  Then, or if many equal
 * elements leave no room in a list, digits tell the rest (select_team_cuda.h).
 */

enum {
    MNP_BINS = sizeof(MNP_KEY) > 8 ? MNP_SELECT_BINS / 2 : MNP_SELECT_BINS, /* of a range, at most */
    MNP_LEAST_BINS = 16                                                     /* or none */
};

/* Whether a range has one number alone, so that its elements need not be listed; and whether it has all from one on. */
MNP_INLINE bool mnp_select_is_single(const mnp_select_range &range)
{
    bool same = !MNP_NUMBERED;
#pragma unroll
    for (int w = 0; w < MNP_NUMBER_WORDS; w++)
        same = same && range.low[w] == range.high[w];
    return same;
}
MNP_INLINE bool mnp_select_is_open(const mnp_select_range &range)
{
    mnp_bits high, most;
    mnp_select_join(range.high, high);
    mnp_select_most(most);
    return !mnp_is_before(high, most);
}

/* The number before one that is not the first. */
MNP_INLINE mnp_bits128 mnp_select_previous(mnp_bits128 number)
{
    return mnp_bits128{number.high - (number.low == 0), number.low - 1};
}
template <typename Bits> MNP_INLINE Bits mnp_select_previous(Bits number)
{
    return (Bits)(number - 1);
}

#if MNP_TASK == MNP_SELECT_SAMPLE

/* How many of the elements among which target t is sought come before it; very many if it is not among them. */
MNP_INLINE unsigned long long mnp_select_rank_in(const mnp_select_params &p, const mnp_select_range &range, int t)
{
    return (unsigned long long)p.ranks[t] - range.before;
}

/* By one thread: what a round has shown. */
MNP_INLINE void mnp_select_review(const mnp_select_params &p, int group, mnp_select_range &range)
{
    mnp_select_range next = range;
    const bool has_room = range.inside <= (unsigned long long)p.sieved[range.round % 2].room;
    next.before += range.below;
    next.size = range.inside;
    next.below = next.inside = 0;
    next.round = range.round + 1;
    if (mnp_select_rank_in(p, next, p.begins[group]) < next.size &&
        mnp_select_rank_in(p, next, p.begins[group + 1] - 1) < next.size && (has_room || mnp_select_is_single(range)))
        range = next;
    else
        range.state = MNP_SELECT_STUCK;
}

/* ---- the elements among which a group is sought ---- */

MNP_INLINE const mnp_bits *mnp_select_elements(const mnp_select_params &p, int64_t number,
                                               const mnp_select_range &range)
{
    const mnp_select_list &list = p.sieved[(range.round + 1) % 2];
    return range.round > 0 ? (const mnp_bits *)list.numbers + number * list.room
                           : (const mnp_bits *)p.keys + number / p.groups * p.length;
}
MNP_INLINE mnp_bits mnp_select_number_of(const mnp_select_params &p, const mnp_bits &key)
{
    return mnp_number(mnp_bits_as<MNP_KEY>(key), p.descending);
}

/* The index in the line of element `at`, where indices matter. */
MNP_INLINE int64_t mnp_select_place_of(const mnp_select_params &p, int64_t number, const mnp_select_range &range,
                                       int64_t at)
{
    const mnp_select_list &list = p.sieved[(range.round + 1) % 2];
    return range.round > 0 ? list.places[number * list.room + at] : at;
}

/* ---- samples ---- */

/*
 * Which end of all a group is near: -1 the first ones, 1 the last ones, 0 neither.  Where indices matter what comes
 * before counts too, so it is the first ones.
 */
MNP_INLINE int mnp_select_side(const mnp_select_params &p, int group, const mnp_select_range &range)
{
    enum { NEAR = 64 };
    const unsigned long long first = mnp_select_rank_in(p, range, p.begins[group]);
    if (MNP_NUMBERED || mnp_select_rank_in(p, range, p.begins[group + 1] - 1) < NEAR)
        return -1;
    return first + NEAR >= range.size ? 1 : 0;
}

/*
 * How many neighbours are drawn together: near an end the least or the greatest of some are as good a sample of all,
 * and the memory sends 32 bytes anyway.
 */
enum { MNP_SAMPLE_WIDTH = sizeof(MNP_KEY) < 4 ? 8 : 32 / sizeof(MNP_KEY) };

MNP_INLINE int mnp_select_width(const mnp_select_range &range, int side)
{
    return side == 0 || range.size < (unsigned long long)MNP_SAMPLE_WIDTH * MNP_SORTED ? 1 : MNP_SAMPLE_WIDTH;
}

/*
 * By all threads: whether a range has so much of a sample that its elements would find no room in a list, as many are
 * equal.
 */
MNP_INLINE bool mnp_select_is_wide(const mnp_select_params &p, const mnp_bits *drawn, const mnp_select_range &range)
{
    const mnp_select_list &list = p.sieved[range.round % 2];
    mnp_bits low, high;
    int inside = 0;
    mnp_select_join(range.low, low);
    mnp_select_join(range.high, high);
    for (int i = (int)threadIdx.x; i < MNP_SORTED; i += MNP_THREADS)
        inside += __syncthreads_count(!mnp_is_before(drawn[i], low) && !mnp_is_before(high, drawn[i]));
    return (double)inside * (double)range.size > 1.25 * MNP_SORTED * (double)list.room && !mnp_select_is_single(range);
}

/* By all threads: sort a sample in shared memory, which is drawn by a hash from parts of the same length. */
MNP_INLINE const mnp_bits *mnp_select_draw(const mnp_select_params &p, int64_t number, const mnp_select_range &range,
                                           int side)
{
    mnp_sort_number own[MNP_SORT_ITEMS], *drawn = (mnp_sort_number *)mnp_shared;
    const mnp_bits *elements = mnp_select_elements(p, number, range);
    const int64_t size = (int64_t)range.size, width = mnp_select_width(range, side);
    const double part = (double)size / MNP_SORTED;
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++) {
        const int which = (int)threadIdx.x * MNP_SORT_ITEMS + i;
        const uint64_t hash = (uint64_t)(which + 1) * 0x9e3779b97f4a7c15ull, mixed = (hash ^ hash >> 29) * hash;
        const int64_t at = (int64_t)((which + (double)(mixed >> 40) / (1 << 24)) * part);
        const int64_t first = mnp_least(at / width * width, size - width);
        mnp_bits some[MNP_SAMPLE_WIDTH];
#pragma unroll
        for (int k = 0; k < MNP_SAMPLE_WIDTH; k++)
            some[k] = elements[first + (k < width ? k : 0)];
        own[i].number = mnp_select_number_of(p, some[0]);
#pragma unroll
        for (int k = 1; k < MNP_SAMPLE_WIDTH; k++) {
            const mnp_bits other = mnp_select_number_of(p, some[k]);
            if (side > 0 ? mnp_is_before(own[i].number, other) : mnp_is_before(other, own[i].number))
                own[i].number = other;
        }
    }
    __syncthreads(); /* the memory is no longer in use */
    mnp_sort_block(own, MNP_SORTED, drawn);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++)
        drawn[(int)threadIdx.x * MNP_SORT_ITEMS + i] = own[i];
    __syncthreads();
    return (const mnp_bits *)drawn;
}

/*
 * How many of so many that are drawn, of all in `range`, come before an element before which `rank` come: with 3.5
 * standard deviations of what samples vary by at least or at most, which can be too few or too many.
 */
MNP_INLINE int mnp_select_guess(const mnp_select_range &range, int drawn, unsigned long long rank, bool least)
{
    const float at = (float)((double)rank * drawn / (double)range.size), variance = at * (1 - at / (float)drawn);
    const float about = 3.5f * sqrtf(variance) + (variance < 1e-3f ? 0 : 2);
    return least ? (int)floorf(at - about) : (int)ceilf(at + about);
}

MNP_INLINE void mnp_select_set_range(const mnp_bits &low, const mnp_bits &high, mnp_select_range &range)
{
    for (int w = 0; w < MNP_NUMBER_WORDS; w++) {
        range.low[w] = mnp_select_word_of(low, w);
        range.high[w] = mnp_select_word_of(high, w);
    }
}

/*
 * By all threads: the range in which a group is sought next, and its bins, from a sample.  Near an end of all it has
 * everything up to that, and mostly no bins.  Returns whether there may be room for its elements.
 */
MNP_INLINE bool mnp_select_part(const mnp_select_params &p, int64_t number, mnp_select_range &range)
{
    const int group = (int)(number % p.groups), last = MNP_SORTED - 1;
    const int side = mnp_select_side(p, group, range), all = MNP_SORTED * mnp_select_width(range, side);
    const mnp_bits *drawn = mnp_select_draw(p, number, range, side);
    const unsigned long long first = mnp_select_rank_in(p, range, p.begins[group]);
    const unsigned long long final = mnp_select_rank_in(p, range, p.begins[group + 1] - 1);
    const int low = side < 0   ? -1
                    : side > 0 ? last - mnp_select_guess(range, all, range.size - 1 - first, false)
                               : mnp_select_guess(range, all, first, true);
    const int high = side > 0 ? last + 1 : mnp_select_guess(range, all, final, false);
    const int begin = low < 0 ? 0 : low < last ? low : last, end = high < last ? high : last;
    const int step = (end - begin) / (MNP_BINS - 1) + 1, parts = (end - begin) / step + 1;
    const int bounds = MNP_NUMBERED || parts < MNP_LEAST_BINS ? 0 : parts;
    __syncthreads(); /* all have read the range */
    if (!MNP_NUMBERED) {
        for (int i = (int)threadIdx.x; i < bounds; i += MNP_THREADS)
            ((mnp_bits *)p.bounds)[number * MNP_SELECT_BINS + i] = drawn[begin + i * step];
        for (int i = (int)threadIdx.x; i <= bounds; i += MNP_THREADS)
            p.tallies[number * MNP_SELECT_BINS + i] = 0;
    }
    if (threadIdx.x == 0) {
        mnp_bits most;
        mnp_select_most(most);
        range.bounds = bounds;
        mnp_select_set_range(MNP_NUMBERED || low < 0 ? mnp_bits{} : drawn[begin], high > last ? most : drawn[end],
                             range);
    }
    __syncthreads();
    return all > MNP_SORTED || !mnp_select_is_wide(p, drawn, range); /* of neighbours only one counts */
}

#if !MNP_NUMBERED

/* By one warp: the bin in which the element is that so many come before, of those that have been listed. */
MNP_INLINE int mnp_select_bin_of(const unsigned *tallies, int bins, unsigned long long rank)
{
    unsigned long long before = 0;
    for (int first = 0; first < bins; first += 32) {
        const int bin = first + (int)threadIdx.x % 32;
        unsigned long long all;
        const unsigned long long own = bin < bins ? tallies[bin] : 0, sum = before + mnp_prefix_warp(own, &all);
        const unsigned here = __ballot_sync(0xffffffffu, sum <= rank && rank < sum + own);
        if (here)
            return first + __ffs(here) - 1;
        before += all;
    }
    return bins - 1;
}

/* By all threads: the same, from the bins that the last round has filled. */
MNP_INLINE void mnp_select_narrow(const mnp_select_params &p, int64_t number, mnp_select_range &range)
{
    const int group = (int)(number % p.groups), bounds = range.bounds;
    const unsigned *tallies = p.tallies + number * MNP_SELECT_BINS;
    const mnp_bits *numbers = (const mnp_bits *)p.bounds + number * MNP_SELECT_BINS;
    if (threadIdx.x < 32) {
        const int begin = mnp_select_bin_of(tallies, bounds + 1, mnp_select_rank_in(p, range, p.begins[group]));
        const int end = mnp_select_bin_of(tallies, bounds + 1, mnp_select_rank_in(p, range, p.begins[group + 1] - 1));
        mnp_bits low, high;
        mnp_select_join(range.low, low);
        mnp_select_join(range.high, high);
        __syncwarp(); /* all have read the range */
        if (threadIdx.x == 0) {
            mnp_select_set_range(begin > 0 ? numbers[begin - 1] : low,
                                 end < bounds ? mnp_select_previous(numbers[end]) : high, range);
            range.bounds = 0;
        }
    }
    __syncthreads();
}

#endif

/* ---- few elements ---- */

/* By all threads: do a round of few elements.  The range is in shared memory. */
MNP_INLINE void mnp_select_sift_alone(const mnp_select_params &p, int64_t number, mnp_select_range &range)
{
    enum { ITEMS = 8 };
    __shared__ unsigned below, inside;
    const mnp_bits *elements = mnp_select_elements(p, number, range);
    const mnp_select_list &list = p.sieved[range.round % 2];
    const bool lists = !mnp_select_is_single(range);
    const int size = (int)range.size, lane = (int)threadIdx.x % 32;
    unsigned own_below = 0;
    mnp_bits low, high;
    mnp_select_join(range.low, low);
    mnp_select_join(range.high, high);
    if (threadIdx.x == 0)
        below = inside = 0;
    __syncthreads();
    for (int first = 0; first < size; first += ITEMS * MNP_THREADS) {
        mnp_bits keys[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const int at = first + i * MNP_THREADS + (int)threadIdx.x;
            if (at < size)
                keys[i] = elements[at];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const int at = first + i * MNP_THREADS + (int)threadIdx.x;
            const mnp_bits own = mnp_select_number_of(p, keys[i]);
            const bool has = at < size, is_below = has && mnp_is_before(own, low);
            const bool is_inside = has && !is_below && !mnp_is_before(high, own);
            const unsigned all = __ballot_sync(0xffffffffu, is_inside);
            unsigned to = 0;
            own_below += is_below;
            if (lane == 0 && all)
                to = atomicAdd(&inside, (unsigned)__popc(all));
            to = __shfl_sync(0xffffffffu, to, 0) + (unsigned)__popc(all & ((1u << lane) - 1));
            if (!is_inside || !lists || to >= list.room)
                continue;
            ((mnp_bits *)list.numbers)[number * list.room + to] = keys[i];
            if (MNP_NUMBERED)
                list.places[number * list.room + to] = mnp_select_place_of(p, number, range, at);
        }
    }
    own_below = __reduce_add_sync(0xffffffffu, own_below);
    if (lane == 0)
        atomicAdd(&below, own_below);
    __syncthreads();
    if (threadIdx.x == 0) {
        range.below = below;
        range.inside = inside;
        range.bounds = 0; /* bins are not counted here */
    }
}

/* By all threads: sort the elements among which a group is sought, if one block can, and write what is wanted. */
MNP_INLINE void mnp_select_settle(const mnp_select_params &p, int64_t number, const mnp_select_range &range)
{
    const mnp_bits *elements = mnp_select_elements(p, number, range);
    const int size = (int)range.size;
    mnp_sort_element own[MNP_SORT_ITEMS];
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++) {
        const int at = (int)threadIdx.x * MNP_SORT_ITEMS + i;
        mnp_sort_last(own[i]);
        if (at >= size)
            continue;
        own[i].number = mnp_select_number_of(p, elements[at]);
#if MNP_NUMBERED
        own[i].place = mnp_select_place_of(p, number, range, at);
#endif
    }
    __syncthreads(); /* the memory is no longer in use */
    mnp_sort_block(own, size, (mnp_sort_element *)mnp_shared);
#if MNP_NUMBERED
    mnp_sort_give(p, number, own); /* there is one group */
#else
    const int group = (int)(number % p.groups);
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++)
        for (int t = p.begins[group]; t < p.begins[group + 1]; t++)
            if (mnp_select_rank_in(p, range, t) == threadIdx.x * MNP_SORT_ITEMS + i)
                mnp_select_store(p, number / p.groups, t, own[i].number);
#endif
}

/* By one thread: write a group whose elements are all the same number. */
MNP_INLINE void mnp_select_give_same(const mnp_select_params &p, int64_t number, const mnp_select_range &range)
{
    const int group = (int)(number % p.groups);
    mnp_bits same;
    mnp_select_join(range.low, same);
    for (int t = p.begins[group]; t < p.begins[group + 1]; t++)
        mnp_select_store(p, number / p.groups, t, same);
}

/* ---- a group ---- */

/* By one thread: what is known of a group when a launch begins. */
MNP_INLINE void mnp_select_resume(const mnp_select_params &p, int64_t number, mnp_select_range &range)
{
    range = mnp_select_range{};
    range.size = (unsigned long long)p.length;
    if (p.round > 0)
        range = p.ranges[number];
    if (p.round > 0 && range.state == MNP_SELECT_SOUGHT)
        mnp_select_review(p, (int)(number % p.groups), range);
}

/*
 * By all threads: find a group's range, and where few elements are left go on until it is found.  The range is in
 * shared memory.  Returns whether the group is to be looked at again.
 */
MNP_INLINE bool mnp_select_advance(const mnp_select_params &p, int64_t number, mnp_select_range &range)
{
    const unsigned long long size = range.size;
    const bool single = range.round > 0 && mnp_select_is_single(range), sorts = !single && size <= MNP_SORTED;
    const bool sortable = !MNP_NUMBERED || p.first <= MNP_SORTED / 2, alone = sortable && size <= MNP_SELECT_ALONE;
    const bool goes_on = !single && !sorts && (alone || p.round < p.rounds), has_bins = range.bounds > 0;
    bool fits = true;
    __syncthreads(); /* all have read the range */
    if (sorts)
        mnp_select_settle(p, number, range);
    if (single && threadIdx.x == 0)
        mnp_select_give_same(p, number, range);
    if (goes_on && !has_bins)
        fits = mnp_select_part(p, number, range);
#if !MNP_NUMBERED
    if (goes_on && has_bins)
        mnp_select_narrow(p, number, range);
#endif
    __syncthreads(); /* the range is used no longer */
    if (threadIdx.x == 0 && !(goes_on && fits))
        range.state = single || sorts ? MNP_SELECT_FOUND : MNP_SELECT_STUCK;
    if (!goes_on || !fits || !alone)
        return false;
    mnp_select_sift_alone(p, number, range);
    if (threadIdx.x == 0) {
        mnp_select_review(p, (int)(number % p.groups), range);
        if (range.state == MNP_SELECT_SOUGHT && range.size > size / 2 && !mnp_select_is_single(range))
            range.state = MNP_SELECT_STUCK;
    }
    __syncthreads();
    return range.state == MNP_SELECT_SOUGHT;
}

/* Begin a round for each group of each line, by a block. */
extern "C" __global__ void __launch_bounds__(MNP_THREADS, 1) select_sample(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_range range;
    for (int64_t number = blockIdx.x; number < p.lines * p.groups; number += gridDim.x) {
        if (threadIdx.x == 0)
            mnp_select_resume(p, number, range);
        __syncthreads();
        bool more = range.state == MNP_SELECT_SOUGHT;
        while (more)
            more = mnp_select_advance(p, number, range);
        if (threadIdx.x == 0)
            p.ranges[number] = range;
        __syncthreads();
    }
}

#endif
