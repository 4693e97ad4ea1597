/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of sparse matrices on the host; spgemm.cu describes the algorithm.
 */

#if MNP_PLAN

/* Only the offsets are made: bounds and bins are for GPUs. */
MNP_KERNEL(spgemm_plan, mnp_spgemm_plan_params)
{
    const int64_t tiles = count_tiles(p);
    if (p.task == MNP_SPGEMM_SUM) {
        int64_t so_far = 0;
        for (int64_t tile = 0; worker == 0 && tile <= tiles; tile++) {
            const int64_t sum = tile < tiles ? p.tally[tile * RECORD] : 0;
            p.tally[tile * RECORD] = so_far;
            so_far += sum;
        }
        return;
    }
    MNP_FOR (tile, tiles) {
        const int64_t begin = tile * MNP_SPGEMM_TILE, next = begin + MNP_SPGEMM_TILE;
        const int64_t end = next < p.rows ? next : p.rows;
        int64_t sum = p.task == MNP_SPGEMM_TALLY ? 0 : p.tally[tile * RECORD];
        for (int64_t row = begin; row < end; row++) {
            if (p.task == MNP_SPGEMM_PLACE)
                store_offset(p.offsets, p.wide, row, sum);
            sum += p.sizes[row];
        }
        if (p.task == MNP_SPGEMM_TALLY)
            p.tally[tile * RECORD] = sum;
    }
    if (p.task == MNP_SPGEMM_PLACE && worker == 0)
        store_offset(p.offsets, p.wide, p.rows, p.tally[tiles * RECORD]);
}

#else

/* A worker's memory. */
struct window {
    int64_t *next;      /* for every entry of A's row: where its row of B continues */
    uint64_t *used;     /* a bit for every column of the window that is present, */
    unsigned char *any; /* and a byte for every eight words of these, 0 if they have none */
    MNP_VALUE *sums;
    int *words, *columns; /* lists of words that have bits, and of columns, with room for some more */
};

static window open_window(const mnp_spgemm_params &p, int64_t worker)
{
    window w;
    w.next = (int64_t *)(p.scratch + worker * p.scratch_bytes);
    w.used = (uint64_t *)(w.next + p.longest);
    w.sums = (MNP_VALUE *)(w.used + p.window / 64);
    w.words = (int *)(w.sums + (MNP_COUNTS ? 0 : p.window));
    w.columns = w.words + p.window / 64 + MNP_SPGEMM_SPARE;
    w.any = (unsigned char *)(w.columns + (MNP_COUNTS ? 0 : p.window + MNP_SPGEMM_SPARE));
    return w;
}

/* Add a row of B from `first` on, up to the window's end; returns where it stopped. */
static MNP_INLINE int64_t add_row(const mnp_spgemm_params &p, const window &w, int64_t first, int64_t k, int64_t end,
                                  int64_t entry)
{
    const int64_t columns_end = first + p.window;
    const int *columns = p.b.columns;
    const MNP_VALUE *values = (const MNP_VALUE *)p.b.values;
    const MNP_VALUE factor = MNP_COUNTS ? MNP_VALUE{} : ((const MNP_VALUE *)p.a.values)[entry];
    for (; k < end && columns[k] < columns_end; k++) {
        const int64_t c = columns[k] - first;
        if (!MNP_COUNTS)
            add_product(w.sums[c], factor, values[k]);
        w.used[c / 64] |= (uint64_t)1 << c % 64;
        w.any[c / 512] = 1;
    }
    return k;
}

/* List those of eight words that have bits, without branches, which would be unpredictable. */
static MNP_INLINE int64_t list_eight(const window &w, int64_t eight, int64_t listed)
{
    for (int64_t word = eight * 8; word < eight * 8 + 8; word++) {
        w.words[listed] = (int)word;
        listed += w.used[word] != 0;
    }
    w.any[eight] = 0;
    return listed;
}

/* List the words that have bits, up to column `last`; if `few`, skip groups of eight whose byte is 0. */
static int64_t list_words(const window &w, int64_t last, bool few)
{
    int64_t listed = 0;
    for (int64_t eight = 0; eight <= last / 512; eight += 8) {
        uint64_t any;
        memcpy(&any, w.any + eight, sizeof any);
        if (any == 0)
            continue;
        for (int64_t i = eight; i < eight + 8; i++)
            if (!few || w.any[i])
                listed = list_eight(w, i, listed);
    }
    return listed;
}

/* List the columns of a word, the first MNP_SPGEMM_SPARE without branches; returns how many are listed. */
static MNP_INLINE int64_t list_columns(const window &w, int64_t word, int64_t listed)
{
    const int first = (int)(word * 64);
    uint64_t used = w.used[word];
    const int64_t count = __builtin_popcountll(used);
    w.used[word] = 0;
    if (MNP_COUNTS)
        return count;
    for (int i = 0; i < MNP_SPGEMM_SPARE; i++) {
        w.columns[listed + i] = first + __builtin_ctzll(used | (uint64_t)1 << 63);
        used &= used - 1;
    }
    for (int64_t i = listed + MNP_SPGEMM_SPARE; used; used &= used - 1)
        w.columns[i++] = first + __builtin_ctzll(used);
    return count;
}

/* Write the window's columns and sums, or only count them, and reset them to 0. */
static int64_t drain(const mnp_spgemm_params &p, const window &w, int64_t first, int64_t last, bool few, int64_t at)
{
    const int64_t words = list_words(w, last - first < p.window ? last - first : p.window - 1, few);
    MNP_VALUE *values = (MNP_VALUE *)p.c.values + at;
    int64_t count = 0;
    for (int64_t i = 0; i < words; i++)
        count += list_columns(w, w.words[i], count);
    for (int64_t i = 0; !MNP_COUNTS && i < count; i++) {
        const int c = w.columns[i];
        p.c.columns[at + i] = (int)first + c;
        values[i] = w.sums[c];
        w.sums[c] = MNP_VALUE{};
    }
    return count;
}

/* Compute a row of C, which begins at `at`, window by window; returns how many columns it has. */
static int64_t make_row(const mnp_spgemm_params &p, const window &w, int64_t row, int64_t at)
{
    const int64_t begin = offset(p.a, row), entries = offset(p.a, row + 1) - begin, none = __INT64_MAX__;
    const int *columns = p.b.columns;
    int64_t first = none, last = 0, terms = 0, count = 0;
    for (int64_t e = 0; e < entries; e++) {
        const int64_t k = offset(p.b, p.a.columns[begin + e]), end = offset(p.b, p.a.columns[begin + e] + 1);
        w.next[e] = k;
        if (k == end)
            continue;
        first = columns[k] < first ? columns[k] : first;
        last = columns[end - 1] > last ? columns[end - 1] : last;
        terms += end - k;
        if (!MNP_COUNTS)
            __builtin_prefetch((const MNP_VALUE *)p.b.values + k);
    }
    const bool few = terms < (last - first) / 1024;
    while (first != none) {
        int64_t following = none;
        for (int64_t e = 0; e < entries; e++) {
            const int64_t end = offset(p.b, p.a.columns[begin + e] + 1);
            const int64_t k = w.next[e] = add_row(p, w, first, w.next[e], end, begin + e);
            following = k < end && columns[k] < following ? columns[k] : following;
        }
        count += drain(p, w, first, last, few, at + count);
        first = following;
    }
    return count;
}

/* Workers take some rows at a time in turn, which balances the work, as neighbouring rows are often similar. */
MNP_KERNEL(spgemm_rows, mnp_spgemm_params)
{
    const window w = open_window(p, worker);
    for (int64_t begin = worker * MNP_SPGEMM_ROWS; begin < p.rows; begin += workers * MNP_SPGEMM_ROWS) {
        for (int64_t row = begin; row < begin + MNP_SPGEMM_ROWS && row < p.rows; row++) {
            const int64_t count = make_row(p, w, row, MNP_COUNTS ? 0 : offset(p.c, row));
            if (MNP_COUNTS)
                p.sizes[row] = (int)count;
        }
    }
}

#endif
