/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions on the host.  A worker computes its share of the parts.  Elements of a row are added to a few sets in
 * turn, or each to the set of its column, in plain loops that the compiler vectorises.
 */
#define MNP_GET(k) readers.in##k.get(x)

#if MNP_COLUMNS

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

/* Compute part number `part` of columns `begin` .. `end` of the line of outputs with the indices `kept`. */
static void mnp_do_columns(const mnp_reduce_params &p, const int64_t *kept, int64_t line, int64_t begin, int64_t end,
                           int64_t part)
{
    mnp_op::lanes<mnp_set_count> lanes;
    const int64_t last = mnp_part_begin(p.rows, part + 1, p.parts);
    for (int64_t x = begin; x < end; x++)
        lanes.start((int)(x - begin));
#if MNP_LOOKS
    constexpr int64_t batch = 8;
    for (int64_t r = mnp_part_begin(p.rows, part, p.parts); r < last; r += batch) {
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
    for (int64_t r = mnp_part_begin(p.rows, part, p.parts); r < last; r++)
        mnp_take_line(p, kept, r, begin, end, lanes);
#endif
    for (int64_t x = begin; x < end; x++)
        mnp_deliver(p, lanes.end((int)(x - begin)), line * p.kept[MNP_KEPT - 1] + x, part);
}

static void mnp_do_elements(const mnp_reduce_params &p, int64_t worker, int64_t workers)
{
    const int64_t width = p.kept[MNP_KEPT - 1], tiles = (width + mnp_set_count - 1) / mnp_set_count;
    MNP_FOR (i, p.outputs / (width ? width : 1) * tiles * p.parts) {
        const int64_t tile = i / p.parts % tiles, line = i / p.parts / tiles, begin = tile * mnp_set_count;
        int64_t kept[MNP_KEPT];
        mnp_unravel<MNP_KEPT - 1>(p.kept, line, kept);
        mnp_do_columns(p, kept, line, begin, mnp_least(begin + mnp_set_count, width), i % p.parts);
    }
}

#else

/* Sets; and the elements after which they are joined, so that rounding errors and counts stay small. */
constexpr int mnp_set_bytes = sizeof(mnp_op::lanes<1>);
constexpr int mnp_set_count = mnp_set_bytes >= 8 ? 32 : 256 / mnp_set_bytes;
constexpr int64_t mnp_most = MNP_LOOKS ? 1 << 20 : 8192;

/* Define a function that calls a method of the sets, in turn, for elements `begin` .. `end` of a row. */
#define MNP_DEFINE_TURNS(name, METHOD)                                                                                 \
    MNP_INLINE void name(const mnp_readers &readers, int64_t begin, int64_t end)                                       \
    {                                                                                                                  \
        int64_t from = begin;                                                                                          \
        for (; from + mnp_set_count <= end; from += mnp_set_count)                                                     \
            for (int j = 0; j < mnp_set_count; j++) {                                                                  \
                const int64_t x = from + j;                                                                            \
                METHOD(lanes, j, MNP_GET, readers.index(x));                                                           \
            }                                                                                                          \
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
    MNP_INLINE void join_to(mnp_acc &all)
    {
#if MNP_LOOKS
        mnp_op::join(all, lanes.together());
#else
        mnp_acc each[mnp_set_count];
        for (int j = 0; j < mnp_set_count; j++)
            each[j] = lanes.end(j);
        for (int half = mnp_set_count / 2; half > 0; half /= 2)
            for (int j = 0; j < half; j++)
                mnp_op::join(each[j], each[j + half]);
        mnp_op::join(all, each[0]);
#endif
        start();
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
};

#if MNP_SEARCHES

/* The value of an element. */
MNP_INLINE mnp_value mnp_sought(const mnp_readers &readers, int64_t x)
{
    return MNP_VALUE(MNP_GET);
}

/* Add elements begin .. end of a row, whose best value is known; blocks without that value are skipped. */
static void mnp_look_at(const mnp_readers &readers, int64_t begin, int64_t end, mnp_op::best::acc value, mnp_acc &all)
{
    constexpr int64_t few = 64;
    mnp_op::lanes<1> exact;
    exact.start(0);
    for (int64_t from = begin; from < end; from += few) {
        const int64_t to = mnp_least(from + few, end);
        unsigned found = 0;
        for (int64_t x = from; x < to; x++)
            found |= mnp_op::reaches(mnp_sought(readers, x), value);
        if (!found)
            continue;
        for (int64_t x = from; x < to; x++)
            exact.take(0, mnp_sought(readers, x), readers.index(x));
        if (readers.step >= 0)
            break; /* later ones have higher indices */
    }
    mnp_op::join(all, exact.end(0));
}

/*
 * Find the index of the best element among begin .. end of a row.  A vectorised loop finds the best value of a block of
 * elements; most blocks have none better than the best so far, and are skipped.  For a few elements the two passes are
 * not worth it.
 */
static void mnp_search(const mnp_readers &readers, int64_t begin, int64_t end, mnp_acc &all)
{
    typedef mnp_op::best best;
    constexpr int64_t block = 2048, few = 128;
    constexpr int count = 256 / sizeof(best::acc);
    if (end - begin <= few) {
        mnp_op::lanes<1> exact;
        exact.start(0);
        for (int64_t x = begin; x < end; x++)
            exact.take(0, mnp_sought(readers, x), readers.index(x));
        mnp_op::join(all, exact.end(0));
        return;
    }
    for (int64_t from = begin; from < end; from += block) {
        const int64_t to = mnp_least(from + block, end);
        best::lanes<count> lanes;
        for (int j = 0; j < count; j++)
            lanes.start(j);
        int64_t at = from;
        for (; at + count <= to; at += count)
            for (int j = 0; j < count; j++)
                lanes.take(j, mnp_sought(readers, at + j), 0);
        for (; at < to; at++)
            lanes.take(0, mnp_sought(readers, at), 0);
        best::acc value = lanes.end(0);
        for (int j = 1; j < count; j++)
            best::join(value, lanes.end(j));
        if (!mnp_op::may_change(all, value, mnp_least(readers.index(from), readers.index(to - 1))))
            continue;
        mnp_look_at(readers, from, to, value, all);
    }
}

#endif

/* Compute part number `part` of output o from elements `begin` to `end` of its rows, one after the other. */
static void mnp_do_part(const mnp_reduce_params &p, int64_t o, int64_t begin, int64_t end, int64_t part)
{
    const int64_t width = p.reduced[MNP_REDUCED - 1];
    int64_t kept[MNP_KEPT], reduced[MNP_REDUCED];
    mnp_acc all = mnp_empty();
    mnp_unravel<MNP_KEPT>(p.kept, o, kept);
    if (begin < end) {
#if !MNP_SEARCHES
        mnp_sets sets;
        sets.start();
#endif
        for (int64_t at = begin, to; at < end; at = to) {
            const int64_t row = at / width, x = at % width;
            mnp_readers readers;
            to = mnp_least(end, mnp_least(at + mnp_most, (row + 1) * width));
            mnp_unravel<MNP_REDUCED - 1>(p.reduced, row, reduced);
            readers.find(p, kept, reduced);
#if MNP_SEARCHES
            mnp_search(readers, x, x + (to - at), all);
#else
            sets.take(readers, x, x + (to - at));
            if (sets.taken >= mnp_most)
                sets.join_to(all);
#endif
        }
#if !MNP_SEARCHES
        sets.join_to(all);
#endif
    }
    mnp_deliver(p, all, o, part);
}

static void mnp_do_elements(const mnp_reduce_params &p, int64_t worker, int64_t workers)
{
    const int64_t count = p.rows * p.reduced[MNP_REDUCED - 1];
    MNP_FOR (i, p.outputs * p.parts) {
        const int64_t part = i % p.parts, begin = mnp_part_begin(count, part, p.parts);
        mnp_do_part(p, i / p.parts, begin, mnp_part_begin(count, part + 1, p.parts), part);
    }
}

#endif

MNP_KERNEL(MNP_REDUCE, mnp_reduce_params)
{
    if (p.task == MNP_REDUCE_ELEMENTS) {
        mnp_do_elements(p, worker, workers);
        return;
    }
    constexpr int64_t block = 64;
    MNP_FOR (b, (p.outputs + block - 1) / block) {
        const int64_t begin = b * block, end = mnp_least(begin + block, p.outputs);
        mnp_acc all[block];
        for (int64_t o = begin; o < end; o++)
            all[o - begin] = mnp_empty();
        for (int64_t part = 0; part < p.parts; part++) {
            for (int64_t o = begin; o < end; o++) {
                int64_t index[MNP_KEPT];
                mnp_unravel<MNP_KEPT>(p.kept, o, index);
                mnp_op::join(all[o - begin], *mnp_part_at(p, p.source, index, part));
            }
        }
        for (int64_t o = begin; o < end; o++)
            mnp_deliver(p, all[o - begin], o, 0);
    }
}
