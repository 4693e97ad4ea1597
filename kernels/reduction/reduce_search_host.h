/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searching the best element on the host, argmax and argmin, in loops over small numbers: an element's place is its
 * number among a few, in an integer as large as the element, so that vectors have as many of both.
 */

/* The value of an element. */
MNP_INLINE mnp_value mnp_sought(const mnp_readers &readers, int64_t x)
{
    return MNP_VALUE(MNP_GET);
}

/* The number of an element among a few, as large as the elements, so that one vector has as many of both. */
template <int bytes> struct mnp_place_of {
    typedef uint64_t type;
};
template <> struct mnp_place_of<1> {
    typedef uint8_t type;
};
template <> struct mnp_place_of<2> {
    typedef uint16_t type;
};
template <> struct mnp_place_of<4> {
    typedef uint32_t type;
};
typedef mnp_place_of<sizeof(mnp_value)>::type mnp_place;

#if MNP_COLUMNS

constexpr int mnp_set_count = 1024;
static_assert(MNP_REDUCED == 1, "a search goes along one dimension, or has one result");

/* Add the best of elements `begin` .. `end` of columns `first` .. `last` to `all`. */
static void mnp_search_columns(const mnp_reduce_params &p, const int64_t *kept, int64_t first, int64_t last,
                               int64_t begin, int64_t end, mnp_op::lanes<mnp_set_count> &all)
{
    mnp_value best[mnp_set_count];
    mnp_place at[mnp_set_count];
    mnp_readers readers;
    readers.find(p, kept, &begin);
    const int64_t index = readers.index(first), step = readers.step, down = p.operand[MNP_OPERANDS - 1].reduced[0];
    const int count = (int)(last - first);
    for (int64_t x = first; x < last; x++) {
        best[x - first] = mnp_sought(readers, x);
        at[x - first] = 0;
    }
    for (int64_t row = begin + 1; row < end; row++) {
        const mnp_place here = (mnp_place)(row - begin);
        readers.find(p, kept, &row);
#pragma omp simd
        for (int64_t x = first; x < last; x++) {
            const mnp_value value = mnp_sought(readers, x);
            const bool taken = mnp_op::replaces(value, best[x - first]);
            best[x - first] = taken ? value : best[x - first];
            at[x - first] = taken ? here : at[x - first];
        }
    }
#pragma omp simd
    for (int j = 0; j < count; j++)
        all.take(j, best[j], index + j * step + (int64_t)at[j] * down);
}

/* Compute part number `part` of columns `begin` .. `end` of the line of outputs with the indices `kept`. */
static void mnp_do_columns(const mnp_reduce_params &p, int64_t *kept, int64_t begin, int64_t end, int64_t part)
{
    constexpr int64_t batch = 128; /* so that places are bytes */
    mnp_op::lanes<mnp_set_count> all;
    for (int j = 0; j < (int)(end - begin); j++)
        all.start(j);
    for (const mnp_reduce_params *block = &p; block; block = (const mnp_reduce_params *)block->next) {
        const int64_t last = mnp_share_begin(block->rows, part + 1, p.parts);
        for (int64_t row = mnp_share_begin(block->rows, part, p.parts); row < last; row += batch)
            mnp_search_columns(*block, kept, begin, end, row, mnp_least(row + batch, last), all);
    }
    mnp_deliver_line(
        p, [&](int j) { return all.end(j); }, kept, begin, end, part);
}

#else

/* Complex numbers are looked at one by one; of bools, those behind the first that is best are not looked at. */
constexpr bool mnp_one_by_one = mnp_is_complex<mnp_value>;
template <typename T> constexpr bool mnp_is_bool = false;
template <> constexpr bool mnp_is_bool<mnp_bool> = true;
constexpr int mnp_set_count = sizeof(mnp_value) >= 8 ? 32 : 64;
typedef mnp_place_of<(sizeof(mnp_value) > 4 ? sizeof(mnp_value) : 4)>::type mnp_wide_place;

/* Whether a number certainly does not replace the best one so far: of complex numbers most can be told at once. */
template <typename T> MNP_INLINE bool mnp_loses(T, T)
{
    return false;
}
template <typename R> MNP_INLINE bool mnp_loses(mnp_complex<R> x, mnp_complex<R> y)
{
    const bool less = mnp_op::is_greatest ? x.re < y.re : x.re > y.re;
    return less && x.im == x.im && (!mnp_op::skips_nan || y.im == y.im);
}

/* Add elements begin .. end of a row, one by one. */
MNP_INLINE void mnp_search_few(const mnp_readers &readers, int64_t begin, int64_t end, mnp_acc &all)
{
    int64_t at = begin;
    mnp_value best = mnp_sought(readers, begin);
    for (int64_t x = begin + 1; x < end && (mnp_op::skips_nan || !mnp_isnan(best).value); x++) {
        const mnp_value value = mnp_sought(readers, x);
        if (!mnp_loses(value, best) && mnp_op::replaces(value, best)) {
            best = value;
            at = x;
        }
    }
    mnp_op::join(all, mnp_op::known(best, readers.index(at)));
}

/* Find the first bool of a value among begin .. end; `end` if there is none. */
template <typename Value>
MNP_INLINE int64_t mnp_find(const mnp_readers &readers, int64_t begin, int64_t end, Value wanted)
{
    int64_t from = begin;
    for (; from + mnp_set_count <= end; from += mnp_set_count) {
        uint8_t found = 0;
#pragma omp simd reduction(| : found)
        for (int j = 0; j < mnp_set_count; j++)
            found |= mnp_equal(mnp_sought(readers, from + j), wanted).value;
        if (found)
            break;
    }
    while (from < end && !mnp_equal(mnp_sought(readers, from), wanted).value)
        from++;
    return from;
}
template <typename Value>
MNP_INLINE void mnp_search_bools(const mnp_readers &readers, int64_t begin, int64_t end, mnp_acc &all)
{
    const Value worst = mnp_op::best::none(), wanted = {(uint8_t)!worst.value};
    int64_t x = mnp_find(readers, begin, end, wanted);
    if (x == end)
        x = begin;
    mnp_op::join(all, mnp_op::known(mnp_sought(readers, x), readers.index(x)));
}

/* Find the best value of all sets, *most.  None is NaN, unless these are skipped. */
template <int half> MNP_INLINE void mnp_fold_best(const mnp_value *best, mnp_value *most)
{
#pragma omp simd
    for (int j = 0; j < half; j++) {
        const mnp_value x = best[j], y = best[j + half];
        const bool is_better = (mnp_op::is_greatest ? mnp_greater(x, y) : mnp_less(x, y)).value;
        most[j] = mnp_op::skips_nan ? mnp_op::best::better(x, y) : is_better ? x : y;
    }
    if constexpr (half > 1)
        mnp_fold_best<half / 2>(most, most);
}

/*
 * Add elements begin .. end of a row, at least as many as there are sets and at most 128 times as many.  Each set keeps
 * its best element and the turn in which it was taken.  The last turn may take elements that other sets have taken.  A
 * block with NaN that is not skipped is gone through again, one by one, so that the end, where short rows take most of
 * their time, need not ask for NaN.
 */
MNP_INLINE void mnp_search_block(const mnp_readers &readers, int64_t begin, int64_t end, mnp_acc &all)
{
    mnp_value best[mnp_set_count], most[mnp_set_count];
    mnp_place turn[mnp_set_count];
    const int last = (int)(end - begin) - mnp_set_count, turns = last / mnp_set_count + (last % mnp_set_count != 0);
    const mnp_wide_place none = ~(mnp_wide_place)0, end_turn = (mnp_wide_place)last;
    mnp_wide_place first = none;
    mnp_place nans = 0;
#pragma omp simd
    for (int j = 0; j < mnp_set_count; j++) {
        best[j] = mnp_sought(readers, begin + j);
        turn[j] = 0;
    }
    for (int t = 1; t <= turns; t++) {
        const int64_t from = begin + mnp_least(t * mnp_set_count, last);
#pragma omp simd
        for (int j = 0; j < mnp_set_count; j++) {
            const mnp_value value = mnp_sought(readers, from + j);
            const bool taken = mnp_op::replaces(value, best[j]);
            best[j] = taken ? value : best[j];
            turn[j] = taken ? (mnp_place)t : turn[j];
        }
    }
#pragma omp simd reduction(| : nans)
    for (int j = 0; j < mnp_set_count; j++)
        nans |= mnp_isnan(best[j]).value;
    if (nans && !mnp_op::skips_nan) {
        mnp_search_few(readers, begin, end, all);
        return;
    }
    mnp_fold_best<mnp_set_count / 2>(best, most);
#pragma omp simd reduction(min : first)
    for (int j = 0; j < mnp_set_count; j++) {
        const mnp_wide_place at = (mnp_wide_place)turn[j] * mnp_set_count;
        const mnp_wide_place place = (at < end_turn ? at : end_turn) + j;
        const mnp_wide_place here = mnp_equal(best[j], most[0]).value ? place : none;
        first = here < first ? here : first;
    }
    if (first != none)
        mnp_op::join(all, mnp_op::known(mnp_sought(readers, begin + first), readers.index(begin + first)));
}

/* Add elements begin .. end of a row, along which indices rise. */
template <typename Value>
MNP_INLINE void mnp_search(const mnp_readers &readers, int64_t begin, int64_t end, mnp_acc &all)
{
    if constexpr (mnp_is_bool<Value>) {
        mnp_search_bools<Value>(readers, begin, end, all);
        return;
    }
    constexpr int64_t block = 128 * mnp_set_count;
    for (int64_t from = begin; from < end; from += block) {
        const int64_t to = mnp_least(from + block, end);
        if (mnp_one_by_one || to - from < mnp_set_count)
            mnp_search_few(readers, from, to, all);
        else
            mnp_search_block(readers, from, to, all);
    }
}

#endif
