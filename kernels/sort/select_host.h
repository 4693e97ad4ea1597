/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection on the host, of sought elements alone (radix_sort_host.h finds the first ones): workers take chunks of
 * lines, count in their own memory, and add their counts to all.
 */

enum { MNP_SELECT_BLOCK = 512 };

/* Copy the numbers that begin with a prefix to `some`, out of `count` ones; returns how many these are. */
static int mnp_select_agreeing(const mnp_bits *numbers, int count, const mnp_select_prefix &prefix, mnp_bits *some)
{
    int agreeing = 0;
    for (int i = 0; i < count; i++) {
        some[agreeing] = numbers[i];
        agreeing += mnp_select_compare(numbers[i], 0, prefix) == 0;
    }
    return agreeing;
}

/* Append numbers to a line's list. */
static void mnp_select_keep(const mnp_select_params &p, int64_t line, const mnp_bits *numbers, int count)
{
    const unsigned long long at = __atomic_fetch_add(&p.list.count[line], (unsigned long long)count, __ATOMIC_RELAXED);
    memcpy((mnp_bits *)p.list.numbers + line * p.list.room + at, numbers, (size_t)count * sizeof *numbers);
}

/* What a worker counts, four counters of every digit for each leader, as neighbours often have the same one. */
struct mnp_select_counts {
    uint32_t of[MNP_SELECT_TARGETS][4][MNP_SELECT_DIGITS];
    mnp_select_prefix prefixes[MNP_SELECT_TARGETS];
    int targets[MNP_SELECT_TARGETS], leaders;
};

/* The numbers of `count` elements of what is read of a line, from element `begin` on. */
static void mnp_select_numbers(const mnp_select_params &p, int64_t line, int64_t begin, int count, bool from_list,
                               mnp_bits *numbers)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys + line * p.length + begin;
    const bool descending = p.descending != 0;
    if (from_list)
        memcpy(numbers, (const mnp_bits *)p.list.numbers + line * p.list.room + begin, (size_t)count * sizeof *numbers);
    for (int i = 0; !from_list && i < count; i++)
        numbers[i] = mnp_number(keys[i], descending);
}

static void mnp_select_count_chunk(const mnp_select_params &p, int64_t line, int64_t begin, int64_t end,
                                   mnp_select_counts *counts)
{
    const mnp_select_state *states = p.states + line * p.targets;
    const bool from_list = mnp_select_reads_list(states, p.pass), keeps = mnp_select_writes_list(states, p.pass);
    const mnp_select_digit digit = p.digits[p.pass];
    mnp_bits numbers[MNP_SELECT_BLOCK], some[MNP_SELECT_BLOCK];
    for (int64_t at = begin; at < end; at += MNP_SELECT_BLOCK) {
        const int count = end - at < MNP_SELECT_BLOCK ? (int)(end - at) : MNP_SELECT_BLOCK;
        mnp_select_numbers(p, line, at, count, from_list, numbers);
        for (int leader = 0; leader < counts->leaders; leader++) {
            uint32_t(&of)[4][MNP_SELECT_DIGITS] = counts->of[leader];
            const bool all = counts->prefixes[leader].count == 0;
            const int left = all ? count : mnp_select_agreeing(numbers, count, counts->prefixes[leader], some);
            const mnp_bits *agreeing = all ? numbers : some;
            for (int i = 0; i < left; i++)
                of[i % 4][mnp_select_digit_of(digit, agreeing[i], 0)]++;
            if (keeps && left > 0)
                mnp_select_keep(p, line, agreeing, left);
        }
    }
}

static void mnp_select_count_line(const mnp_select_params &p, int64_t line, int64_t begin, int64_t end,
                                  mnp_select_counts *counts)
{
    const mnp_select_state *states = p.states + line * p.targets;
    counts->leaders = 0;
    for (int t = 0; t < p.targets; t++)
        if (states[t].leader == t) {
            memset(counts->of[counts->leaders], 0, sizeof counts->of[0]);
            counts->targets[counts->leaders] = t;
            counts->prefixes[counts->leaders++] = mnp_select_prefix_of(p, states[t], p.pass);
        }
    mnp_select_count_chunk(p, line, begin, end, counts);
    for (int leader = 0; leader < counts->leaders; leader++) {
        long long *all = p.counts + (line * p.targets + counts->targets[leader]) * MNP_SELECT_DIGITS;
        const uint32_t(&of)[4][MNP_SELECT_DIGITS] = counts->of[leader];
        for (int d = 0; d < MNP_SELECT_DIGITS; d++) {
            const long long sum = (long long)of[0][d] + of[1][d] + of[2][d] + of[3][d];
            if (sum)
                __atomic_fetch_add(&all[d], sum, __ATOMIC_RELAXED);
        }
    }
}

MNP_KERNEL(select_count, mnp_select_params)
{
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    mnp_select_counts counts;
    MNP_FOR (c, p.lines * chunks) {
        const int64_t line = c / chunks, begin = (c - line * chunks) * p.chunk;
        const bool from_list = mnp_select_reads_list(p.states + line * p.targets, p.pass);
        const int64_t all = from_list ? (int64_t)p.list.count[line] : p.length;
        const int64_t end = begin + p.chunk < all ? begin + p.chunk : all;
        if (begin < end)
            mnp_select_count_line(p, line, begin, end, &counts);
    }
}

MNP_KERNEL(select_pick, mnp_select_params)
{
    MNP_FOR (line, p.lines) {
        mnp_select_state *states = p.states + line * p.targets;
        long long *counts = p.counts + line * p.targets * MNP_SELECT_DIGITS;
        for (int t = 0; t < p.targets; t++)
            mnp_select_found(p, p.pass, counts + states[t].leader * MNP_SELECT_DIGITS, 0,
                             mnp_select_rank(p, p.pass, states, t), &states[t]);
        memset(counts, 0, (size_t)p.targets * MNP_SELECT_DIGITS * sizeof *counts);
        mnp_select_lead(p.targets, p.pass, p.few, states);
    }
}

/* ---- short lines ---- */

/* Sort a few numbers. */
static void mnp_select_insert(mnp_bits *numbers, int count)
{
    for (int i = 1; i < count; i++) {
        const mnp_bits number = numbers[i];
        int at = i;
        for (; at > 0 && mnp_is_before(number, numbers[at - 1]); at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* Bring the numbers before a pivot, or if `alike` those that are not behind it, to the front; returns how many. */
static int mnp_select_part(mnp_bits *numbers, int count, const mnp_bits &pivot, bool alike)
{
    int front = 0;
    for (int i = 0; i < count; i++) { /* without branches, which would be unpredictable */
        const mnp_bits number = numbers[i];
        numbers[i] = numbers[front];
        numbers[front] = number;
        front += alike ? !mnp_is_before(pivot, number) : mnp_is_before(number, pivot);
    }
    return front;
}

/*
 * Bring number `rank` in order to its place, smaller ones in front of it and larger ones behind (C. A. R. Hoare, 1961).
 */
static void mnp_select_place(mnp_bits *numbers, int count, int rank)
{
    enum { FEW = 16 };
    uint32_t drawn = 1; /* pivots are drawn, as no order of elements is the worst for all draws */
    while (count > FEW) {
        mnp_bits three[3];
        for (int i = 0; i < 3; i++) {
            drawn = drawn * 1664525u + 1013904223u;
            three[i] = numbers[(uint64_t)drawn * (uint64_t)count >> 32];
        }
        mnp_select_insert(three, 3);
        int front = mnp_select_part(numbers, count, three[1], false);
        if (front == 0) { /* it is the least: its like are in order */
            front = mnp_select_part(numbers, count, three[1], true);
            if (rank < front)
                return;
        }
        if (rank < front) {
            count = front;
        } else {
            numbers += front;
            count -= front;
            rank -= front;
        }
    }
    mnp_select_insert(numbers, count);
}

MNP_KERNEL(select_short, mnp_select_params)
{
    mnp_bits numbers[MNP_SELECT_SHORT_LENGTH];
    MNP_FOR (line, p.lines) {
        int placed = 0; /* the numbers in front of it are no larger than those from it on */
        mnp_select_numbers(p, line, 0, (int)p.length, false, numbers);
        for (int t = 0; t < p.targets; t++) {
            const int rank = (int)p.ranks[t];
            placed = rank < placed ? 0 : placed;
            mnp_select_place(numbers + placed, (int)p.length - placed, rank - placed);
            placed = rank;
            mnp_select_key(mnp_sort_key_turned(numbers[rank], p.descending != 0),
                           ((MNP_KEY *)p.values)[line * p.row + t]);
        }
    }
}
