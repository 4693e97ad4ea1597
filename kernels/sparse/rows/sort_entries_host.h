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

/* The most entries that are sorted at once, and the columns that an instruction may compare. */
enum { RUN = 32, LANES = 8 };
typedef long long mnp_lanes __attribute__((vector_size(LANES * sizeof(long long))));

/*
 * Sort at most VECTORS * LANES entries by columns, stably: where an entry goes is how many columns are less than its
 * own.  That takes the square of the number in comparisons, but several at once and no branch, which would be guessed
 * wrong.
 */
template <int VECTORS> static void sort_few(const mnp_entry *run, int count, mnp_entry *sorted)
{
    mnp_lanes columns[VECTORS] = {}, less[VECTORS] = {};
    unsigned char equal[RUN] = {0}; /* entries of the same column that have been before */
    for (int i = 0; i < count; i++)
        columns[i / LANES][i % LANES] = run[i].column;
    for (int i = 0; i < count; i++)
        for (int v = 0; v < VECTORS; v++)
            less[v] -= run[i].column < columns[v]; /* -1 where that is so */
    for (int i = 0; i < count; i++) {
        const int place = (int)less[i / LANES][i % LANES];
        sorted[place + equal[place]++] = run[i];
    }
}

static void sort_run(const mnp_entry *run, int count, mnp_entry *sorted)
{
    if (count <= LANES)
        sort_few<1>(run, count, sorted);
    else if (count <= 2 * LANES)
        sort_few<2>(run, count, sorted);
    else
        sort_few<RUN / LANES>(run, count, sorted);
}

/* Sort a row by columns, stably: runs, which are then merged.  The result is in the row or in the room beside it. */
static const mnp_entry *sort_row(mnp_entry *row, int64_t count, mnp_entry *room)
{
    mnp_entry *from = room, *to = row;
    if (count < 2)
        return row;
    for (int64_t begin = 0; begin < count; begin += RUN)
        sort_run(row + begin, (int)(count - begin < RUN ? count - begin : RUN), room + begin);
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
    return from;
}

/*
 * Add the duplicates of sorted entries and store what is left from `to` on, which may be before them; returns its end.
 */
static mnp_entry *add_duplicates(const mnp_entry *entries, int64_t count, mnp_entry *to)
{
    for (int64_t k = 0; k < count;) {
        mnp_entry sum = entries[k++];
        for (; k < count && entries[k].column == sum.column; k++)
            sum.value += entries[k].value;
        *to++ = sum;
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
    mnp_entry *to = sorted + begin;
    int64_t from = begin;
    for (int64_t row = first; row < last; row++) {
        const int64_t count = next[row] - from;
        const mnp_entry *const entries = p.by_columns ? sort_row(sorted + from, count, spread + from) : sorted + from;
        mnp_entry *const kept = to;
        to = add_duplicates(entries, count, to);
        from += count;
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
