/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions on the host.  A worker computes its share of the parts.  Elements of a row are added to a few sets in
 * turn, or each to the set of its column, in plain loops that the compiler vectorises.
 */
#define MNP_GET(k) readers.in##k.get(x)

/*
 * mnp_deliver() of the outputs `begin` .. `end` of the line with the indices `kept`; acc_of(j) is the accumulator of
 * the j-th of them.  What lies beside one another is stored by loops that the compiler vectorises.
 */
template <typename Accs>
MNP_INLINE void mnp_deliver_line(const mnp_reduce_params &p, const Accs &acc_of, int64_t *kept, int64_t begin,
                                 int64_t end, int64_t part)
{
    const int count = (int)(end - begin); /* numbers of sets are int, as a vector of them lies together only so */
    kept[MNP_KEPT - 1] = begin;
    if (p.target) {
        char *to = (char *)mnp_part_at(p, p.target, kept, part);
        const int64_t step = p.place[MNP_KEPT - 1] * MNP_ACC_BYTES;
        if (step == MNP_ACC_BYTES) {
            for (int j = 0; j < count; j++)
                *(mnp_acc *)(to + j * MNP_ACC_BYTES) = acc_of(j);
        } else {
            for (int j = 0; j < count; j++)
                *(mnp_acc *)(to + j * step) = acc_of(j);
        }
        return;
    }
    const mnp_reduce_end of_all = {(int64_t)p.count, (int64_t)p.times, p.ddof, p.share};
    bool adjacent = true;
#define MNP_FIND_OUT(k)                                                                                                \
    const int64_t step##k = p.result[k - MNP_FIRST_RESULT].kept[MNP_KEPT - 1];                                         \
    mnp_memory##k *const out##k = (mnp_memory##k *)p.result[k - MNP_FIRST_RESULT].base +                               \
                                  mnp_offset<MNP_KEPT>(p.result[k - MNP_FIRST_RESULT].kept, kept);                     \
    adjacent = adjacent && step##k == 1;
#define MNP_STORE_NEXT(k) out##k[adjacent ? j : j * step##k] = mnp_to<mnp_memory##k>::from(result##k);
#define MNP_STORE_LINE                                                                                                 \
    for (int j = 0; j < count; j++) {                                                                                  \
        const mnp_acc acc = acc_of(j);                                                                                 \
        MNP_OUTPUTS(MNP_RESULT)                                                                                        \
        MNP_GIVE(acc, of_all, MNP_SET);                                                                                \
        MNP_OUTPUTS(MNP_STORE_NEXT)                                                                                    \
    }
    MNP_OUTPUTS(MNP_FIND_OUT)
    if (adjacent)
        MNP_STORE_LINE
    else
        MNP_STORE_LINE
}

#if MNP_SEARCHES
#include "kernels/reduction/reduce_search_host.h"
#endif

#if MNP_COLUMNS

#if !MNP_SEARCHES

/* Sets that stay in the first-level cache. */
constexpr int mnp_set_bytes = sizeof(mnp_op::lanes<1>);
constexpr int mnp_set_count = mnp_set_bytes <= 8 ? 2048 : mnp_set_bytes <= 16 ? 1024 : mnp_set_bytes <= 32 ? 512 : 256;

/* Define a function that calls a method of the sets for columns `begin` .. `end` of row `r`. */
#define MNP_DEFINE_LINE(name, METHOD)                                                                                  \
    template <typename Lanes>                                                                                          \
    MNP_INLINE void name(const mnp_reduce_params &p, const int64_t *kept, int64_t r, int64_t begin, int64_t end,       \
                         Lanes &lanes)                                                                                 \
    {                                                                                                                  \
        int64_t reduced[MNP_REDUCED];                                                                                  \
        mnp_readers readers;                                                                                           \
        mnp_unravel<MNP_REDUCED>(p.reduced, r, reduced);                                                               \
        readers.find(p, kept, reduced);                                                                                \
        for (int64_t x = begin; x < end; x++)                                                                          \
            METHOD(lanes, x - begin, MNP_GET, readers.index(x));                                                       \
    }
MNP_DEFINE_LINE(mnp_take_line, MNP_TAKE)
#if MNP_LOOKS
MNP_DEFINE_LINE(mnp_take_line_of_any, MNP_TAKE_ONE)
MNP_DEFINE_LINE(mnp_look_at_line, MNP_LOOK_AT)
#endif

/* Add the rows of part number `part` of columns `begin` .. `end` of the line of outputs with the indices `kept`. */
template <typename Lanes>
MNP_INLINE void mnp_take_rows(const mnp_reduce_params &p, const int64_t *kept, int64_t begin, int64_t end, int64_t part,
                              Lanes &lanes)
{
    const int64_t last = mnp_share_begin(p.rows, part + 1, p.parts);
#if MNP_LOOKS
    constexpr int64_t batch = 8;
    for (int64_t r = mnp_share_begin(p.rows, part, p.parts); r < last; r += batch) {
        const int64_t to = mnp_least(r + batch, last);
        for (int64_t row = r; row < to; row++)
            mnp_look_at_line(p, kept, row, begin, end, lanes);
        const bool plain = lanes.plain(batch, 0, (int)(end - begin));
        for (int64_t row = r; row < to; row++) {
            if (plain)
                mnp_take_line(p, kept, row, begin, end, lanes);
            else
                mnp_take_line_of_any(p, kept, row, begin, end, lanes);
        }
    }
#else
    for (int64_t r = mnp_share_begin(p.rows, part, p.parts); r < last; r++)
        mnp_take_line(p, kept, r, begin, end, lanes);
#endif
}

/* Compute that part; the elements of one part may be in the blocks of several ranks. */
static void mnp_do_columns(const mnp_reduce_params &p, int64_t *kept, int64_t begin, int64_t end, int64_t part)
{
    mnp_op::lanes<mnp_set_count> lanes;
    for (int j = 0; j < (int)(end - begin); j++)
        lanes.start(j);
    for (const mnp_reduce_params *block = &p; block; block = (const mnp_reduce_params *)block->next)
        mnp_take_rows(*block, kept, begin, end, part, lanes);
    mnp_deliver_line(
        p, [&](int j) { return lanes.end(j); }, kept, begin, end, part);
}

#endif

/*
 * Columns that are gone through together: where rows are short and whole in memory, so few that these stay in the
 * cache.
 */
MNP_INLINE int64_t mnp_tile(const mnp_reduce_params &p)
{
    constexpr int64_t few = 32;
    const long long along = p.operand[0].kept[MNP_KEPT - 1], down = p.operand[0].reduced[MNP_REDUCED - 1];
    return MNP_REACH_OF_0 == MNP_REACH_STRIDED && down * down < along * along ? few : mnp_set_count;
}

static void mnp_do_elements(const mnp_reduce_params &p, int64_t worker, int64_t workers)
{
    const int64_t width = p.kept[MNP_KEPT - 1], columns = mnp_tile(p), tiles = (width + columns - 1) / columns;
    MNP_FOR (i, p.outputs / (width ? width : 1) * tiles * p.parts) {
        const int64_t tile = i / p.parts % tiles, line = i / p.parts / tiles, begin = tile * columns;
        int64_t kept[MNP_KEPT];
        mnp_unravel<MNP_KEPT - 1>(p.kept, line, kept);
        mnp_do_columns(p, kept, begin, mnp_least(begin + columns, width), i % p.parts);
    }
}

#else

#if !MNP_SEARCHES

/* Whether a reduction has the method of that name (reduce_ops.h). */
template <typename Lanes, typename = void> constexpr bool mnp_merges = false;
template <typename Lanes> constexpr bool mnp_merges<Lanes, decltype((void)&Lanes::merge)> = true;
constexpr int64_t mnp_usual = 8192;
template <typename Op, typename = void> constexpr int64_t mnp_most_merged = mnp_usual;
template <typename Op> constexpr int64_t mnp_most_merged<Op, decltype((void)Op::most_merged)> = Op::most_merged;
template <typename Op, typename = void> constexpr bool mnp_settles = false;
template <typename Op> constexpr bool mnp_settles<Op, decltype((void)&Op::settled)> = true;

template <typename Op> MNP_INLINE bool mnp_overflows(const typename Op::acc &acc)
{
    if constexpr (mnp_most_merged<Op> < mnp_usual)
        return Op::overflows(acc);
    else
        return false;
}

/* Whether more elements cannot change the result. */
template <typename Op> MNP_INLINE bool mnp_is_settled(const typename Op::acc &acc)
{
    if constexpr (mnp_settles<Op>)
        return Op::settled(acc);
    else
        return false;
}

/* Sets; and the elements after which they are joined, so that rounding errors and counts stay small. */
constexpr int mnp_set_bytes = sizeof(mnp_op::lanes<1>);
constexpr int mnp_set_count = mnp_set_bytes >= 8 ? 32 : 256 / mnp_set_bytes;
constexpr int64_t mnp_most = MNP_LOOKS ? 1 << 20 : mnp_settles<mnp_op> ? 2 * mnp_set_count : mnp_most_merged<mnp_op>;

/* Define functions that call a method of the sets, in turn: for `count` elements; and for elements begin .. end. */
#define MNP_DEFINE_TURNS(name, METHOD)                                                                                 \
    template <int count> MNP_INLINE void name##_next(const mnp_readers &readers, int64_t from)                         \
    {                                                                                                                  \
        _Pragma("omp simd") for (int j = 0; j < count; j++)                                                            \
        {                                                                                                              \
            const int64_t x = from + j;                                                                                \
            METHOD(lanes, j, MNP_GET, readers.index(x));                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    MNP_INLINE void name(const mnp_readers &readers, int64_t begin, int64_t end)                                       \
    {                                                                                                                  \
        int64_t from = begin;                                                                                          \
        for (; from + mnp_set_count <= end; from += mnp_set_count)                                                     \
            name##_next<mnp_set_count>(readers, from);                                                                 \
        for (int j = 0; from + j < end; j++) {                                                                         \
            const int64_t x = from + j;                                                                                \
            METHOD(lanes, j, MNP_GET, readers.index(x));                                                               \
        }                                                                                                              \
    }

struct mnp_sets {
    mnp_op::lanes<mnp_set_count> lanes;
    int64_t taken;
    MNP_INLINE void start()
    {
        for (int j = 0; j < mnp_set_count; j++)
            lanes.start(j);
        taken = 0;
    }
    MNP_DEFINE_TURNS(take_all, MNP_TAKE)
#if MNP_LOOKS
    MNP_DEFINE_TURNS(take_ones, MNP_TAKE_ONE)
    MNP_DEFINE_TURNS(look_at, MNP_LOOK_AT)
#endif
    /* Add elements begin .. end of a row. */
    MNP_INLINE void take(const mnp_readers &readers, int64_t begin, int64_t end)
    {
        taken += end - begin;
#if MNP_LOOKS
        constexpr int64_t turns = 64, batch = turns * mnp_set_count;
        for (; begin < end; begin += batch) {
            const int64_t to = mnp_least(begin + batch, end);
            look_at(readers, begin, to);
            if (lanes.plain(turns, 0, mnp_set_count))
                take_all(readers, begin, to);
            else
                take_ones(readers, begin, to);
        }
#else
        take_all(readers, begin, end);
#endif
    }
    /* What all sets know, which is not added to anything afterwards. */
    MNP_INLINE mnp_acc together()
    {
#if MNP_LOOKS
        return lanes.together();
#else
        mnp_acc each[mnp_set_count];
        for (int j = 0; j < mnp_set_count; j++)
            each[j] = lanes.end(j);
        for (int half = mnp_set_count / 2; half > 0; half /= 2)
            for (int j = 0; j < half; j++)
                mnp_op::join(each[j], each[j + half]);
        return each[0];
#endif
    }
    /*
     * Join the first `count` sets to half as many again and again, and on the way add elements from .. end, fewer than
     * there are sets: so every loop has a known length.
     */
    template <int count, typename Lanes>
    MNP_INLINE mnp_acc fold(Lanes &all, const mnp_readers &readers, int64_t from, int64_t end)
    {
        if constexpr (count == 1) {
            return all.end(0);
        } else {
#pragma omp simd
            for (int j = 0; j < count / 2; j++)
                all.merge(j, j + count / 2);
            if (from + count / 2 <= end) {
                take_all_next<count / 2>(readers, from);
                from += count / 2;
            }
            return fold<count / 2>(all, readers, from, end);
        }
    }
    /* Add elements begin .. end of a row, the last ones; what all sets know then. */
    template <typename Lanes = mnp_op::lanes<mnp_set_count>>
    MNP_INLINE mnp_acc finish(const mnp_readers &readers, int64_t begin, int64_t end)
    {
        if constexpr (mnp_merges<Lanes>) {
            for (; begin + mnp_set_count <= end; begin += mnp_set_count)
                take_all_next<mnp_set_count>(readers, begin);
            return fold<mnp_set_count>((Lanes &)lanes, readers, begin, end);
        } else {
            take(readers, begin, end);
            return together();
        }
    }
    /*
     * The same where merged sets may have few elements alone: one by one, if they have others or know too little then.
     */
    MNP_INLINE mnp_acc all_with(const mnp_readers &readers, int64_t begin, int64_t end)
    {
        constexpr bool are_few = mnp_most_merged<mnp_op> < mnp_usual;
        if (!are_few || taken == 0) {
            const mnp_acc all = finish(readers, begin, end);
            if (!mnp_overflows<mnp_op>(all))
                return all;
            start();
        }
        take(readers, begin, end);
        return together();
    }
};

#endif

/* Add elements begin .. end, of which there are some, of the rows of one output, one after the other. */
MNP_INLINE void mnp_do_rows(const mnp_reduce_params &p, const int64_t *kept, int64_t begin, int64_t end, mnp_acc &all)
{
    const int64_t width = p.reduced[MNP_REDUCED - 1];
    const int64_t row = begin == 0 ? 0 : begin / width;
    int64_t x = begin - row * width, reduced[MNP_REDUCED];
    mnp_readers readers;
#if !MNP_SEARCHES
    mnp_sets sets;
    sets.start();
#endif
    mnp_unravel<MNP_REDUCED - 1>(p.reduced, row, reduced);
    for (;; x = 0, mnp_advance<MNP_REDUCED - 1>(p.reduced, reduced)) {
        const int64_t last = mnp_least(width, x + end - begin);
        readers.find(p, kept, reduced);
        begin += last - x;
#if MNP_SEARCHES
        mnp_search<mnp_value>(readers, x, last, all);
        if (begin == end)
            return;
#else
        for (; x + mnp_most < last || begin == end; x += mnp_most) {
            mnp_op::join(all, sets.all_with(readers, x, mnp_least(x + mnp_most, last)));
            if (x + mnp_most >= last || mnp_is_settled<mnp_op>(all))
                return;
            sets.start();
        }
        sets.take(readers, x, last);
        if (sets.taken >= (mnp_settles<mnp_op> || mnp_most > mnp_usual ? mnp_most : mnp_usual)) {
            mnp_op::join(all, sets.together());
            sets.start();
        }
#endif
    }
}

static void mnp_do_elements(const mnp_reduce_params &p, int64_t worker, int64_t workers)
{
    const int64_t count = p.rows * p.reduced[MNP_REDUCED - 1];
    MNP_FOR (i, p.outputs * p.parts) {
        int64_t kept[MNP_KEPT], o = i, part = 0, begin = 0, end = count;
        mnp_acc all = mnp_empty<mnp_op>();
        if (p.parts > 1) {
            o = i / p.parts;
            part = i % p.parts;
            begin = mnp_share_begin(count, part, p.parts);
            end = mnp_share_begin(count, part + 1, p.parts);
        }
        mnp_unravel<MNP_KEPT>(p.kept, o, kept);
        if (begin < end)
            mnp_do_rows(p, kept, begin, end, all);
        mnp_deliver(p, all, kept, part);
    }
}

#endif

MNP_KERNEL(MNP_REDUCE, mnp_reduce_params)
{
    if (p.task == MNP_REDUCE_ELEMENTS) {
        mnp_do_elements(p, worker, workers);
        return;
    }
    constexpr int64_t most = 64;
    const mnp_acc none = mnp_empty<mnp_op>();
    const int64_t width = p.kept[MNP_KEPT - 1], tiles = (width + most - 1) / most;
    const int64_t step = p.place[MNP_KEPT - 1] * MNP_ACC_BYTES;
    MNP_FOR (i, p.outputs / (width ? width : 1) * tiles) {
        const int64_t begin = i % tiles * most, end = mnp_least(begin + most, width);
        int64_t kept[MNP_KEPT];
        mnp_acc all[most];
        mnp_unravel<MNP_KEPT - 1>(p.kept, i / tiles, kept);
        kept[MNP_KEPT - 1] = begin;
        for (int64_t j = 0; j < end - begin; j++)
            all[j] = none;
        for (int64_t part = 0; part < p.parts; part++) {
            const char *from = (const char *)mnp_part_at(p, p.source, kept, part);
            if (step == MNP_ACC_BYTES) {
                for (int j = 0; j < (int)(end - begin); j++)
                    mnp_op::join(all[j], *(const mnp_acc *)(from + j * MNP_ACC_BYTES));
            } else {
                for (int64_t j = 0; j < end - begin; j++)
                    mnp_op::join(all[j], *(const mnp_acc *)(from + j * step));
            }
        }
        mnp_deliver_line(
            p, [&](int j) { return all[j]; }, kept, begin, end, 0);
    }
}
