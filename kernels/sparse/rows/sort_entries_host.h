/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries in any order become rows on the host.  The rows are divided into buckets, at most MNP_ENTRIES_BUCKETS, each
 * of 2^shift rows: entries are first spread to the buckets, then those of a bucket to its rows, which happens in the
 * cache.  Every step is stable, so duplicates are added in the order in which they are stored.
 *
 * Entries are counted and spread in chunks, as many as there is work for; tally[bucket * chunks + chunk] is how many
 * entries of a chunk are in a bucket, and after a prefix sum where they go.
 */

/* An entry: one piece of memory, as entries come in any order and each visit costs a line of the cache. */
struct mnp_entry {
    long long row, column;
    MNP_VALUE value;
};

static void count_buckets(const mnp_entries_params &p, int64_t chunk)
{
    long long counts[MNP_ENTRIES_BUCKETS] = {0};
    for (int64_t i = mnp_share_begin(p.total, chunk, p.chunks); i < mnp_share_begin(p.total, chunk + 1, p.chunks); i++)
        counts[p.rows[i] >> p.shift]++;
    for (int bucket = 0; bucket < MNP_ENTRIES_BUCKETS; bucket++)
        p.tally[bucket * p.chunks + chunk] = counts[bucket];
}

static void spread_to_buckets(const mnp_entries_params &p, int64_t chunk)
{
    mnp_entry *const spread = (mnp_entry *)p.spread;
    long long next[MNP_ENTRIES_BUCKETS];
    for (int bucket = 0; bucket < MNP_ENTRIES_BUCKETS; bucket++)
        next[bucket] = p.tally[bucket * p.chunks + chunk];
    for (int64_t i = mnp_share_begin(p.total, chunk, p.chunks); i < mnp_share_begin(p.total, chunk + 1, p.chunks); i++)
        spread[next[p.rows[i] >> p.shift]++] = {p.rows[i], p.numbers[i], ((const MNP_VALUE *)p.values)[i]};
}

/* Sort a row by columns, stably: runs by insertion, which are then merged, with room for as many entries. */
static void sort_row(mnp_entry *row, int64_t count, mnp_entry *room)
{
    enum { RUN = 32 };
    for (int64_t i = 1; i < count; i++) {
        const mnp_entry entry = row[i];
        int64_t at = i;
        for (; at % RUN > 0 && row[at - 1].column > entry.column; at--)
            row[at] = row[at - 1];
        row[at] = entry;
    }
    mnp_entry *from = row, *to = room;
    for (int64_t width = RUN; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            const int64_t middle = begin + width < count ? begin + width : count;
            const int64_t end = begin + 2 * width < count ? begin + 2 * width : count;
            for (int64_t at = begin, a = begin, b = middle; at < end; at++)
                to[at] = b == end || (a < middle && from[a].column <= from[b].column) ? from[a++] : from[b++];
        }
        mnp_entry *const merged = to;
        to = from;
        from = merged;
    }
    for (int64_t i = 0; i < count && from != row; i++)
        row[i] = from[i];
}

/* Add the duplicates of sorted entries at begin .. end-1, and store what is left from `to` on; returns its end. */
static int64_t add_duplicates(mnp_entry *entries, int64_t begin, int64_t end, int64_t to)
{
    while (begin < end) {
        mnp_entry sum = entries[begin++];
        for (; begin < end && entries[begin].column == sum.column; begin++)
            sum.value += entries[begin].value;
        entries[to++] = sum;
    }
    return to;
}

/* Order the entries of a bucket by rows and columns; what is left of them begins where the bucket begins. */
static void arrange_bucket(const mnp_entries_params &p, int64_t bucket)
{
    mnp_entry *const spread = (mnp_entry *)p.spread, *const sorted = (mnp_entry *)p.sorted;
    const int64_t begin = p.tally[bucket * p.chunks], end = p.tally[(bucket + 1) * p.chunks];
    const int64_t first = bucket << p.shift, next_first = (bucket + 1) << p.shift;
    const int64_t last = next_first < p.end ? next_first : p.end;
    long long *const next = p.gathered; /* where a row's next entry goes, then the length of the row */
    for (int64_t row = first; row < last; row++)
        next[row] = 0;
    for (int64_t k = begin; k < end; k++)
        next[spread[k].row]++;
    int64_t before = begin;
    for (int64_t row = first; row < last; row++) {
        const int64_t count = next[row];
        next[row] = before;
        before += count;
    }
    for (int64_t k = begin; k < end; k++)
        sorted[next[spread[k].row]++] = spread[k];
    int64_t from = begin, to = begin;
    for (int64_t row = first; row < last; row++) {
        const int64_t row_end = next[row], kept = to;
        if (p.by_columns)
            sort_row(sorted + from, row_end - from, spread + from);
        to = add_duplicates(sorted, from, row_end, to);
        from = row_end;
        next[row] = to - kept;
    }
}

/* Copy the columns and values of a bucket to their places, which p.offsets of the rows tell. */
static void store_bucket(const mnp_entries_params &p, int64_t bucket)
{
    const mnp_entry *const sorted = (const mnp_entry *)p.sorted + p.tally[bucket * p.chunks];
    const int64_t first = bucket << p.shift, next_first = (bucket + 1) << p.shift;
    if (first >= p.end)
        return;
    const int64_t begin = p.offsets[first], end = p.offsets[next_first < p.end ? next_first : p.end];
    for (int64_t at = begin; at < end; at++) {
        p.gathered[at] = sorted[at - begin].column;
        ((MNP_VALUE *)p.made)[at] = sorted[at - begin].value;
    }
}
