/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting on the host: a line at a time.
 *
 * A line that exceeds the cache is first distributed into buckets by the leading bits of its numbers.  A histogram of
 * these bits has many cells, and neighbouring cells with few elements share a bucket, so that buckets have similar
 * sizes for any distribution.  Then the buckets are sorted one after the other: a bucket that fits into the cache by
 * least significant digit first, a larger one is distributed again.
 *
 * Only the bits in which the numbers of a bucket differ are examined, so equal elements cost one pass.  The sort uses
 * only the leading ones of these bits, as many as are likely to tell all elements apart; an insertion sort puts the few
 * that are still out of order in their position.  (I. J. Davis, A fast radix sort, The Computer Journal 35, 1992;
 * digits of about 11 bits: M. Herf, Radix tricks, 2001.)
 *
 * Where only the first k elements of a line are wanted, cells of the leading bits are counted, then cells within the
 * one that contains element k - 1, and so on until few enough elements are left to be sorted.
 *
 * Digits are computed a block of elements at a time, in loops that compilers vectorise.
 *
 * Short lines of keys alone are sorted side by side: sort_network_host.h.
 */

#include "kernels/sort/sort_network_host.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    MNP_SHORT_LINE = 24,         /* lines up to this length are sorted by insertion */
    MNP_CACHE_BYTES = 768 << 10, /* at most so many bytes of elements are sorted by digits */
    MNP_STREAM_BYTES = 8 << 20,  /* from so many bytes of elements on, stores bypass the caches */
    MNP_BUCKETS = 128,           /* the aim; there may be up to twice as many and one more */
    MNP_MOST_BUCKETS = 2 * MNP_BUCKETS + 1,
    MNP_LARGER = MNP_PAYLOAD > sizeof(MNP_KEY) ? MNP_PAYLOAD : sizeof(MNP_KEY),
    MNP_BATCH = 128 / MNP_LARGER,     /* elements that are written to a bucket at a time: lines of the cache */
    MNP_DIGIT_BITS = 12,              /* the widest digit */
    MNP_DIGITS = 1 << MNP_DIGIT_BITS, /* values of a digit */
    MNP_CELL_BITS = 14,               /* a float's sign, exponent and five bits more */
    MNP_CELLS = 1 << MNP_CELL_BITS,
    MNP_SPARE_BITS = 6,      /* sorted by in addition to the bits that could number all elements */
    MNP_LONG_LINE = 1 << 15, /* from this length on it pays to save one digit; in a shorter line, two */
    MNP_BLOCK = 256
};

/* The integer type in which a key's number is computed with; it has 128 bits for two words. */
template <typename Bits> struct mnp_wide_of {
    typedef Bits type;
    static MNP_INLINE type from(Bits bits)
    {
        return bits;
    }
};
template <> struct mnp_wide_of<mnp_bits128> {
    typedef unsigned __int128 type;
    static MNP_INLINE type from(mnp_bits128 bits)
    {
        return (type)bits.high << 64 | bits.low;
    }
};
typedef mnp_wide_of<mnp_bits>::type mnp_wide;

static MNP_INLINE mnp_wide mnp_wide_number(const MNP_KEY &key, bool descending)
{
    return mnp_wide_of<mnp_bits>::from(mnp_number(key, descending));
}

/* One of the buffers that elements lie in. */
struct mnp_place {
    MNP_KEY *keys;
    mnp_payload *payload; /* NULL: there is none, or it is the elements' numbers */
};

/* Elements of a line that are to be sorted among themselves: where they lie, and the buffers that they may go to. */
struct mnp_part {
    mnp_place places[MNP_RADIX_SORT_PLACES];
    int lie;
    int64_t length;
};

static MNP_INLINE mnp_place mnp_place_behind(const mnp_place &place, int64_t by)
{
    return mnp_place{place.keys + by, place.payload ? place.payload + by : (mnp_payload *)NULL};
}

static MNP_INLINE mnp_payload mnp_payload_at(const mnp_place &place, int64_t i)
{
    return place.payload ? place.payload[i] : mnp_payload_number(i);
}

/* The buffer that elements are moved to next; from the given one it is the preferred one. */
static MNP_INLINE int mnp_other_place(const mnp_radix_sort_params &p, const mnp_part &part, int preferred)
{
    if (part.lie == MNP_RADIX_SORT_GIVEN)
        return p.in_place ? MNP_RADIX_SORT_SCRATCH : preferred;
    return part.lie == MNP_RADIX_SORT_WANTED ? MNP_RADIX_SORT_SCRATCH : MNP_RADIX_SORT_WANTED;
}

static void mnp_bring_home(const mnp_part &part, bool with_keys)
{
    const mnp_place &from = part.places[part.lie], &to = part.places[MNP_RADIX_SORT_WANTED];
    if (with_keys && from.keys != to.keys)
        memcpy(to.keys, from.keys, part.length * sizeof(MNP_KEY));
    for (int64_t i = 0; MNP_PAYLOAD > 0 && from.payload != to.payload && i < part.length; i++)
        to.payload[i] = mnp_payload_at(from, i);
}

static void mnp_insert(const mnp_radix_sort_params &p, const mnp_part &part)
{
    const mnp_place &from = part.places[part.lie], &to = part.places[MNP_RADIX_SORT_WANTED];
    MNP_KEY keys[MNP_SHORT_LINE];
    mnp_bits numbers[MNP_SHORT_LINE];
    mnp_payload payload[MNP_SHORT_LINE];
    for (int i = 0; i < (int)part.length; i++) {
        const MNP_KEY key = from.keys[i];
        const mnp_bits number = mnp_number(key, p.descending);
        int at = i;
        for (; at > 0 && mnp_is_before(number, numbers[at - 1]); at--) {
            numbers[at] = numbers[at - 1];
            keys[at] = keys[at - 1];
            payload[at] = payload[at - 1];
        }
        numbers[at] = number;
        keys[at] = key;
        if (MNP_PAYLOAD > 0)
            payload[at] = mnp_payload_at(from, i);
    }
    if (p.keep_keys)
        memcpy(to.keys, keys, part.length * sizeof(MNP_KEY));
    if (MNP_PAYLOAD > 0)
        memcpy(to.payload, payload, part.length * sizeof(mnp_payload));
}

template <typename Number> static int mnp_bits_of(Number number)
{
    int bits = 0;
    for (; number > 0; number = (Number)(number >> 1))
        bits++;
    return bits;
}

/* The smallest number of a part; returns the bits that the largest difference from it needs. */
static int mnp_span(const mnp_radix_sort_params &p, const mnp_part &part, mnp_wide *least_p)
{
    const MNP_KEY *keys = part.places[part.lie].keys;
    const bool descending = p.descending;
    mnp_wide least = (mnp_wide) ~(mnp_wide)0, most = 0;
    for (int64_t i = 0; i < part.length; i++) {
        const mnp_wide number = mnp_wide_number(keys[i], descending);
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    *least_p = least;
    return mnp_bits_of((mnp_wide)(most - least));
}

/* How a digit of a key is computed: some bits, from `shift` on, of its number less `least`. */
struct mnp_digits {
    mnp_wide least;
    int shift;
    uint32_t mask;
    bool descending;
};

static MNP_INLINE uint32_t mnp_digit_of(const MNP_KEY &key, const mnp_digits &d)
{
    return (uint32_t)((mnp_wide)(mnp_wide_number(key, d.descending) - d.least) >> d.shift) & d.mask;
}

/* Call visit(i, digit) for every element, in order. */
template <typename Visit>
static MNP_INLINE void mnp_for_digits(const MNP_KEY *keys, int64_t length, const mnp_digits &given, const Visit &visit)
{
    const mnp_digits d = given;
    uint32_t digits[MNP_BLOCK];
    int64_t i = 0;
    for (; i + MNP_BLOCK <= length; i += MNP_BLOCK) {
        for (int j = 0; j < MNP_BLOCK; j++)
            digits[j] = mnp_digit_of(keys[i + j], d);
#pragma GCC unroll 8
        for (int j = 0; j < MNP_BLOCK; j++)
            visit(i + j, digits[j]);
    }
    for (; i < length; i++)
        visit(i, mnp_digit_of(keys[i], d));
}

/*
 * Count the elements of each digit, of at most `most` values.  Two tables are used in turn, as the same digit often
 * comes twice in a row, and a counter that was just written is slow to read.
 */
template <int most, typename Count> static void mnp_count(const mnp_part &part, const mnp_digits &digits, Count *counts)
{
    Count odd[most];
    const size_t used = ((size_t)digits.mask + 1) * sizeof(Count);
    memset(counts, 0, used);
    memset(odd, 0, used);
    mnp_for_digits(part.places[part.lie].keys, part.length, digits,
                   [&](int64_t i, uint32_t digit) { (i % 2 ? odd : counts)[digit]++; });
    for (uint32_t digit = 0; digit <= digits.mask; digit++)
        counts[digit] += odd[digit];
}

/* Move a part to another buffer, each element to the next position of its digit. */
static void mnp_move(mnp_part *part, int to, const mnp_digits &digits, uint32_t *next)
{
    const mnp_place from = part->places[part->lie], there = part->places[to];
    mnp_for_digits(from.keys, part->length, digits, [&](int64_t i, uint32_t digit) {
        const uint32_t at = next[digit]++;
        there.keys[at] = from.keys[i];
        if (MNP_PAYLOAD > 0)
            there.payload[at] = mnp_payload_at(from, i);
    });
    part->lie = to;
}

/*
 * Sort a part digit by digit, the least significant first, by `bits` bits from `begin` on of the numbers less `least`.
 */
static void mnp_sort_by(const mnp_radix_sort_params &p, mnp_part *part, mnp_wide least, int begin, int bits, int steps)
{
    const int width = (bits + steps - 1) / steps, count = 1 << width;
    uint32_t next[MNP_DIGITS];
    for (int step = 0; step < steps; step++) {
        const mnp_digits digits = {least, begin + step * width, (uint32_t)count - 1, p.descending != 0};
        mnp_count<MNP_DIGITS>(*part, digits, next);
        uint32_t sum = 0;
        for (int digit = 0; digit < count; digit++) {
            const uint32_t here = next[digit];
            next[digit] = sum;
            sum += here;
        }
        mnp_move(part, mnp_other_place(p, *part, (steps - step) % 2 ? MNP_RADIX_SORT_WANTED : MNP_RADIX_SORT_SCRATCH),
                 digits, next);
    }
    if (part->lie != MNP_RADIX_SORT_WANTED)
        mnp_bring_home(*part, p.keep_keys || begin > 0); /* the insertion reads the keys there */
    part->lie = MNP_RADIX_SORT_WANTED;
}

/* Whether each of the elements i .. end - 1 is not smaller than the one before it. */
static bool mnp_rises(const MNP_KEY *keys, int64_t i, int64_t end, bool descending)
{
    bool falls = false;
    for (; i < end; i++)
        falls |= mnp_wide_number(keys[i], descending) < mnp_wide_number(keys[i - 1], descending);
    return !falls;
}

/* Sort nearly sorted elements by insertion; false if that would take longer than sorting by digits. */
static bool mnp_settle(const mnp_place &place, int64_t length, bool descending)
{
    MNP_KEY *keys = place.keys;
    int64_t budget = length;
    for (int64_t begin = 1; begin < length; begin += MNP_BLOCK) {
        const int64_t end = begin + MNP_BLOCK < length ? begin + MNP_BLOCK : length;
        if (mnp_rises(keys, begin, end, descending))
            continue;
        for (int64_t i = begin; i < end && budget >= 0; i++) {
            const MNP_KEY key = keys[i];
            const mnp_payload payload = MNP_PAYLOAD > 0 ? place.payload[i] : mnp_payload{};
            const mnp_bits number = mnp_number(key, descending);
            int64_t at = i;
            for (; at > 0 && mnp_is_before(number, mnp_number(keys[at - 1], descending)); at--) {
                keys[at] = keys[at - 1];
                if (MNP_PAYLOAD > 0)
                    place.payload[at] = place.payload[at - 1];
            }
            keys[at] = key;
            if (MNP_PAYLOAD > 0)
                place.payload[at] = payload;
            budget -= i - at;
        }
    }
    return budget >= 0;
}

static void mnp_sort_digits(const mnp_radix_sort_params &p, mnp_part part, mnp_wide least, int bits)
{
    const int most = part.length < 4096 ? 8 : MNP_DIGIT_BITS;
    const int all = (bits + most - 1) / most, few = (mnp_bits_of(part.length) + MNP_SPARE_BITS + most - 1) / most;
    const bool worthwhile = all > few + 1 || (all > few && part.length >= MNP_LONG_LINE);
    const int steps = worthwhile ? few : all, left = bits - steps * most;
    if (left <= 0) {
        mnp_sort_by(p, &part, least, 0, bits, steps);
        return;
    }
    mnp_sort_by(p, &part, least, left, steps * most, steps);
    if (!mnp_settle(part.places[MNP_RADIX_SORT_WANTED], part.length, p.descending != 0))
        mnp_sort_by(p, &part, least, 0, bits, all);
}

/* Buckets, each of consecutive cells. */
struct mnp_buckets {
    int count;
    uint16_t of_cell[MNP_CELLS];
    int first[MNP_MOST_BUCKETS + 1];     /* the first cell of each bucket, and the end of the last */
    int64_t begin[MNP_MOST_BUCKETS + 1]; /* the first element of each bucket, and the end of the last */
};

static void mnp_make_buckets(const mnp_part &part, const mnp_digits &cells, mnp_buckets *buckets)
{
    int64_t held[MNP_CELLS], sum = 0, enough = part.length / MNP_BUCKETS + 1;
    mnp_count<MNP_CELLS>(part, cells, held);
    buckets->count = 0;
    buckets->begin[0] = buckets->first[0] = 0;
    for (int cell = 0; cell < MNP_CELLS; cell++) {
        if (sum > buckets->begin[buckets->count] && sum + held[cell] > buckets->begin[buckets->count] + enough) {
            buckets->begin[++buckets->count] = sum;
            buckets->first[buckets->count] = cell;
        }
        buckets->of_cell[cell] = (uint16_t)buckets->count;
        sum += held[cell];
    }
    buckets->begin[++buckets->count] = sum;
    buckets->first[buckets->count] = MNP_CELLS;
}

/* Copy; if `past`, with stores that bypass the caches where the processor has them and the memory is aligned. */
static MNP_INLINE void mnp_write(void *to, const void *from, size_t size, bool past)
{
#ifdef __SSE2__
    if (past && size % 16 == 0 && (uintptr_t)to % 16 == 0) {
        for (size_t i = 0; i < size / 16; i++)
            _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
        return;
    }
#endif
    memcpy(to, from, size);
}

/* A buffer of each bucket for the elements that come to it: element i of a bucket is at i % MNP_BATCH of its batch. */
struct mnp_batches {
    alignas(64) MNP_KEY keys[MNP_MOST_BUCKETS][MNP_BATCH];
    alignas(64) mnp_payload payload[MNP_PAYLOAD > 0 ? MNP_MOST_BUCKETS : 1][MNP_BATCH];
};

/* Write elements first .. last of a bucket, all of one batch, from the batch to memory. */
static MNP_INLINE void mnp_write_batch(const mnp_batches &batches, int bucket, const mnp_place &to, int64_t first,
                                       int64_t last, bool past)
{
    const int64_t at = first % MNP_BATCH, count = last - first + 1;
    if (count == MNP_BATCH) {
        mnp_write(to.keys + first, batches.keys[bucket], MNP_BATCH * sizeof(MNP_KEY), past);
        if (MNP_PAYLOAD > 0)
            mnp_write(to.payload + first, batches.payload[bucket], MNP_BATCH * sizeof(mnp_payload), past);
    } else {
        memcpy(to.keys + first, &batches.keys[bucket][at], count * sizeof(MNP_KEY));
        if (MNP_PAYLOAD > 0)
            memcpy(to.payload + first, &batches.payload[bucket][at], count * sizeof(mnp_payload));
    }
}

/* Distribute a part to its buckets in another buffer.  Batches are written, as stores of single elements are slow. */
static void mnp_deal_out(mnp_part *part, int to, const mnp_digits &cells, const mnp_buckets &buckets)
{
    const mnp_place from = part->places[part->lie], there = part->places[to];
    const bool past = part->length * (int64_t)(sizeof(MNP_KEY) + MNP_PAYLOAD) > MNP_STREAM_BYTES;
    int64_t next[MNP_MOST_BUCKETS];
    mnp_batches batches;
    memcpy(next, buckets.begin, sizeof next);
    mnp_for_digits(from.keys, part->length, cells, [&](int64_t i, uint32_t cell) {
        const int bucket = buckets.of_cell[cell];
        const int64_t at = next[bucket]++, slot = at & (MNP_BATCH - 1);
        batches.keys[bucket][slot] = from.keys[i];
        if (MNP_PAYLOAD > 0)
            batches.payload[bucket][slot] = mnp_payload_at(from, i);
        if (slot == MNP_BATCH - 1) {
            const int64_t begin = buckets.begin[bucket], first = at - slot;
            mnp_write_batch(batches, bucket, there, first < begin ? begin : first, at, past);
        }
    });
    for (int bucket = 0; bucket < buckets.count; bucket++) {
        const int64_t end = next[bucket], first = end - end % MNP_BATCH, begin = buckets.begin[bucket];
        if (end % MNP_BATCH > 0)
            mnp_write_batch(batches, bucket, there, first < begin ? begin : first, end - 1, false);
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
    part->lie = to;
}

static MNP_INLINE bool mnp_fits_cache(const mnp_part &part)
{
    return part.length <= (int64_t)(MNP_CACHE_BYTES / (sizeof(MNP_KEY) + MNP_PAYLOAD));
}

static void mnp_sort_part(const mnp_radix_sort_params &p, mnp_part part);

static void mnp_sort_buckets(const mnp_radix_sort_params &p, mnp_part part, mnp_wide least, int bits)
{
    const bool was_given = part.lie == MNP_RADIX_SORT_GIVEN;
    const int shift = bits > MNP_CELL_BITS ? bits - MNP_CELL_BITS : 0;
    const mnp_digits cells = {least, shift, MNP_CELLS - 1, p.descending != 0};
    mnp_buckets buckets;
    mnp_make_buckets(part, cells, &buckets);
    mnp_deal_out(&part, mnp_other_place(p, part, MNP_RADIX_SORT_WANTED), cells, buckets);
    /* Where scratch memory is free, all buckets use its beginning, which stays in the cache. */
    const bool same_scratch = was_given && part.lie == MNP_RADIX_SORT_WANTED;
    for (int b = 0; b < buckets.count; b++) {
        mnp_part bucket = part;
        bucket.length = buckets.begin[b + 1] - buckets.begin[b];
        for (int place = MNP_RADIX_SORT_WANTED; place < MNP_RADIX_SORT_PLACES; place++) {
            const int64_t by = place == MNP_RADIX_SORT_SCRATCH && same_scratch ? 0 : buckets.begin[b];
            bucket.places[place] = mnp_place_behind(part.places[place], by);
        }
        const int wide = shift + mnp_bits_of((mnp_wide)(buckets.first[b + 1] - buckets.first[b] - 1));
        if (wide > 0 && wide <= 2 * MNP_DIGIT_BITS && bucket.length > MNP_SHORT_LINE && mnp_fits_cache(bucket))
            mnp_sort_digits(p, bucket, (mnp_wide)(least + ((mnp_wide)buckets.first[b] << shift)), wide);
        else
            mnp_sort_part(p, bucket);
    }
}

static void mnp_sort_part(const mnp_radix_sort_params &p, mnp_part part)
{
    if (part.length <= MNP_SHORT_LINE) {
        mnp_insert(p, part);
        return;
    }
    mnp_wide least;
    const int bits = mnp_span(p, part, &least);
    if (bits == 0)
        mnp_bring_home(part, p.keep_keys);
    else if (mnp_fits_cache(part))
        mnp_sort_digits(p, part, least, bits);
    else
        mnp_sort_buckets(p, part, least, bits);
}

/* ---- the first elements of a line ---- */

/* A range of numbers: those from `least` on that differ in the lowest `bits` bits; and how many elements are below it
   and in it. */
struct mnp_range {
    mnp_wide least;
    int bits;
    int64_t before, among;
};

/* Narrow a range to the cell that contains the last of the wanted elements. */
static void mnp_narrow(const mnp_radix_sort_params &p, const MNP_KEY *keys, mnp_range *range)
{
    const mnp_wide least = range->least;
    const bool descending = p.descending;
    const int shift = range->bits > MNP_CELL_BITS ? range->bits - MNP_CELL_BITS : 0;
    const uint32_t cells = (uint32_t)1 << (range->bits - shift);
    int64_t held[MNP_CELLS + 1]; /* the last counter: elements outside the range */
    uint32_t digits[MNP_BLOCK], cell = 0;
    memset(held, 0, (cells + 1) * sizeof *held);
    for (int64_t begin = 0; begin < p.length; begin += MNP_BLOCK) {
        const int count = p.length - begin < MNP_BLOCK ? (int)(p.length - begin) : MNP_BLOCK;
        for (int j = 0; j < count; j++) {
            const mnp_wide number = mnp_wide_number(keys[begin + j], descending);
            const mnp_wide above = (mnp_wide)((mnp_wide)(number - least) >> shift);
            digits[j] = number >= least && above < cells ? (uint32_t)above : cells;
        }
        for (int j = 0; j < count; j++)
            held[digits[j]]++;
    }
    while (range->before + held[cell] < p.first)
        range->before += held[cell++];
    *range = mnp_range{(mnp_wide)(least + ((mnp_wide)cell << shift)), shift, range->before, held[cell]};
}

/* Copy the elements below a range, and the first `among` elements in it, in their order. */
static void mnp_collect(const mnp_radix_sort_params &p, const MNP_KEY *keys, const mnp_range &range, int64_t among,
                        const mnp_place &to)
{
    const mnp_wide least = range.least, largest = (mnp_wide) ~(mnp_wide)0, above = (mnp_wide)(largest - least);
    const mnp_wide wide = range.bits > 0 ? (mnp_wide)(largest >> (8 * sizeof largest - range.bits)) : (mnp_wide)0;
    const mnp_wide last = (mnp_wide)(least + (wide < above ? wide : above));
    const bool descending = p.descending;
    int64_t count = 0;
    for (int64_t begin = 0; begin < p.length; begin += MNP_BLOCK) {
        const int64_t end = begin + MNP_BLOCK < p.length ? begin + MNP_BLOCK : p.length;
        bool any = false;
        for (int64_t i = begin; i < end; i++)
            any |= mnp_wide_number(keys[i], descending) <= last;
        for (int64_t i = begin; any && i < end; i++) {
            const mnp_wide number = mnp_wide_number(keys[i], descending);
            if (number > last || (number >= least && among-- <= 0))
                continue;
            to.keys[count] = keys[i];
            if (MNP_PAYLOAD > 0)
                to.payload[count] = mnp_payload_number(p.number + i);
            count++;
        }
    }
}

/* Sort the first elements of a line: find a short range that contains the last one, and sort all up to its end. */
static void mnp_sort_first(const mnp_radix_sort_params &p, int64_t line)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys[MNP_RADIX_SORT_GIVEN] + line * p.length;
    const mnp_place all = {(MNP_KEY *)p.keys[MNP_RADIX_SORT_SCRATCH], (mnp_payload *)p.payload[MNP_RADIX_SORT_SCRATCH]};
    const mnp_place room = mnp_place_behind(all, 2 * line * p.room), spare = mnp_place_behind(room, p.room);
    const mnp_part whole = {{{(MNP_KEY *)keys, NULL}}, MNP_RADIX_SORT_GIVEN, p.length};
    mnp_radix_sort_params own = p;
    mnp_range range = {0, 0, 0, p.length};
    range.bits = mnp_span(p, whole, &range.least);
    while (range.bits > 0 && range.before + range.among > p.room)
        mnp_narrow(p, keys, &range);
    /* in a range of one number all are equal, and the first of them are taken */
    const int64_t among = range.bits > 0 ? range.among : p.first - range.before;
    mnp_collect(p, keys, range, among, room);
    own.in_place = own.keep_keys = 1;
    mnp_sort_part(own, mnp_part{{room, room, spare}, MNP_RADIX_SORT_GIVEN, range.before + among});
    if (p.keep_keys)
        memcpy((MNP_KEY *)p.keys[MNP_RADIX_SORT_WANTED] + line * p.first, room.keys, p.first * sizeof(MNP_KEY));
    if (MNP_PAYLOAD > 0)
        memcpy((mnp_payload *)p.payload[MNP_RADIX_SORT_WANTED] + line * p.first, room.payload,
               p.first * sizeof(mnp_payload));
}

static void mnp_sort_one(const mnp_radix_sort_params &p, int64_t line)
{
    if (p.first > 0) {
        mnp_sort_first(p, line);
        return;
    }
    mnp_part part = {{}, MNP_RADIX_SORT_GIVEN, p.length};
    for (int place = 0; place < MNP_RADIX_SORT_PLACES; place++)
        part.places[place] =
            mnp_place_behind({(MNP_KEY *)p.keys[place], (mnp_payload *)p.payload[place]}, line * p.length);
    mnp_sort_part(p, part);
}

MNP_KERNEL(radix_sort_lines, mnp_radix_sort_params)
{
    constexpr int64_t together = mnp_has_network<MNP_KEY> ? MNP_NETWORK_LINES : 1;
    /* a group takes about as long as a quarter of its lines one by one, and occupies one worker */
    const int64_t groups = (p.lines + together - 1) / together, turns = (groups + workers - 1) / workers;
    const bool are_short = together > 1 && p.first == 0 && p.length <= MNP_NETWORK_MOST &&
                           together * turns <= 4 * ((p.lines + workers - 1) / workers);
    const int64_t group = are_short ? together : 1;
    MNP_FOR (g, (p.lines + group - 1) / group) {
        const int64_t begin = g * group, lines = p.lines - begin < group ? p.lines - begin : group;
        if (are_short && 4 * lines > group && mnp_sort_together<MNP_KEY>(p, begin, lines))
            continue;
        for (int64_t line = begin; line < begin + lines; line++)
            mnp_sort_one(p, line);
    }
}
