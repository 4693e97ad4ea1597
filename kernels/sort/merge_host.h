/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merging on the host.  Each step of a merge depends on the comparison of the step before.  To hide that latency a
 * worker cuts its share into MNP_STRANDS independent merges and makes a step of each in turn, which the processor
 * overlaps.  No branch depends on the data.
 */
enum { MNP_STRANDS = 4 };

/* One of these merges: what is left of both runs, and where outputs go, as positions among all keys. */
struct mnp_strand {
    int64_t a, a_end, b, b_end, out;
};

/* Make the next output, where both runs have elements left.  What depends on the comparison is computed branch-free. */
template <bool has_keys> MNP_INLINE void mnp_merge_step(const mnp_merge_params &p, mnp_strand &s)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys;
    const int64_t is_second = mnp_goes_first(keys[s.b], keys[s.a]), from = s.a ^ ((s.a ^ s.b) & -is_second);
    if (has_keys)
        ((MNP_KEY *)p.out_keys)[s.out] = keys[from];
#if MNP_PAYLOAD
    ((uint64_t *)p.out_payload)[s.out] = ((const uint64_t *)p.payload)[from];
#endif
    s.out++;
    s.a += 1 - is_second;
    s.b += is_second;
}

template <bool has_keys> static void mnp_copy_rest(const mnp_merge_params &p, int64_t from, int64_t end, int64_t out)
{
    if (has_keys)
        memcpy((MNP_KEY *)p.out_keys + out, (const MNP_KEY *)p.keys + from, (size_t)(end - from) * sizeof(MNP_KEY));
#if MNP_PAYLOAD
    memcpy((uint64_t *)p.out_payload + out, (const uint64_t *)p.payload + from, (size_t)(end - from) * 8);
#endif
}

template <bool has_keys> static void mnp_finish_strand(const mnp_merge_params &p, mnp_strand s)
{
    while (s.a < s.a_end && s.b < s.b_end)
        mnp_merge_step<has_keys>(p, s);
    mnp_copy_rest<has_keys>(p, s.a, s.a_end, s.out);
    mnp_copy_rest<has_keys>(p, s.b, s.b_end, s.out + s.a_end - s.a);
}

/* Make outputs `begin` .. `end` - 1 of a pair. */
template <bool has_keys>
static void mnp_merge_share(const mnp_merge_params &p, const mnp_pair &pair, int64_t begin, int64_t end)
{
    const MNP_KEY *first = (const MNP_KEY *)p.keys + pair.first, *second = (const MNP_KEY *)p.keys + pair.second;
    mnp_strand strands[MNP_STRANDS];
    int64_t cut = mnp_path<int64_t>(first, pair.first_length, second, pair.second_length, begin), at = begin, turns = 1;
    for (int k = 0; k < MNP_STRANDS; k++) {
        const int64_t stop = begin + mnp_share_begin(end - begin, k + 1, MNP_STRANDS);
        const int64_t next = mnp_path<int64_t>(first, pair.first_length, second, pair.second_length, stop);
        strands[k] = mnp_strand{pair.first + cut, pair.first + next, pair.second + at - cut, pair.second + stop - next,
                                pair.first + at};
        at = stop;
        cut = next;
    }
    while (turns > 0) {
        turns = end - begin;
        for (int k = 0; k < MNP_STRANDS; k++) {
            const mnp_strand &s = strands[k];
            turns = s.a_end - s.a < turns ? s.a_end - s.a : turns;
            turns = s.b_end - s.b < turns ? s.b_end - s.b : turns;
        }
        for (int64_t i = 0; i < turns; i++)
            for (int k = 0; k < MNP_STRANDS; k++)
                mnp_merge_step<has_keys>(p, strands[k]);
    }
    for (int k = 0; k < MNP_STRANDS; k++)
        mnp_finish_strand<has_keys>(p, strands[k]);
}

MNP_KERNEL(merge_runs, mnp_merge_params)
{
    const int64_t stop = mnp_share_begin(p.total, worker + 1, workers);
    for (int64_t at = mnp_share_begin(p.total, worker, workers); at < stop;) {
        const mnp_pair pair = mnp_find_pair(p, at);
        const int64_t all = pair.first_length + pair.second_length, begin = at - pair.first;
        const int64_t end = stop - pair.first < all ? stop - pair.first : all;
        if (p.out_keys)
            mnp_merge_share<true>(p, pair, begin, end);
        else
            mnp_merge_share<false>(p, pair, begin, end);
        at = pair.first + end;
    }
}
