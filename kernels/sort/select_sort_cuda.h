/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts a few elements by one block, by their numbers, and where indices matter equal ones by these.
 *
 * It is K. E. Batcher's bitonic sort (Sorting networks and their applications, 1968).  Elements stay in registers:
 * those that are compared are of one thread, or of one warp, by shuffles, or else are exchanged through shared memory.
 */
enum {
    MNP_SORTED = MNP_SELECT_SORTED,
    MNP_SORT_ITEMS = MNP_SORTED / MNP_THREADS /* of a thread, neighbours in order */
};

/* What is sorted: numbers alone, or elements with their indices. */
struct mnp_sort_number {
    mnp_bits number;
};
struct mnp_sort_element {
    mnp_bits number;
#if MNP_NUMBERED
    int64_t place;
#endif
};

/* What comes after all others. */
MNP_INLINE void mnp_sort_last(mnp_sort_number &last)
{
    mnp_select_most(last.number);
}
MNP_INLINE void mnp_sort_last(mnp_sort_element &last)
{
    mnp_select_most(last.number);
#if MNP_NUMBERED
    last.place = (int64_t)(~(uint64_t)0 >> 1);
#endif
}

MNP_INLINE bool mnp_sort_precedes(const mnp_sort_number &a, const mnp_sort_number &b)
{
    return mnp_is_before(a.number, b.number);
}
MNP_INLINE bool mnp_sort_precedes(const mnp_sort_element &a, const mnp_sort_element &b)
{
#if MNP_NUMBERED
    return mnp_is_before(a.number, b.number) || (!mnp_is_before(b.number, a.number) && a.place < b.place);
#else
    return mnp_is_before(a.number, b.number);
#endif
}

template <typename T> MNP_INLINE T mnp_sort_shuffle(T number, int lanes)
{
    return (T)__shfl_xor_sync(0xffffffffu, number, lanes);
}
MNP_INLINE mnp_bits128 mnp_sort_shuffle(mnp_bits128 number, int lanes)
{
    return mnp_bits128{mnp_sort_shuffle(number.high, lanes), mnp_sort_shuffle(number.low, lanes)};
}
MNP_INLINE mnp_sort_number mnp_sort_shuffle(mnp_sort_number own, int lanes)
{
    return mnp_sort_number{mnp_sort_shuffle(own.number, lanes)};
}
MNP_INLINE mnp_sort_element mnp_sort_shuffle(mnp_sort_element own, int lanes)
{
    own.number = mnp_sort_shuffle(own.number, lanes);
#if MNP_NUMBERED
    own.place = mnp_sort_shuffle(own.place, lanes);
#endif
    return own;
}

/* Keep the one of both that belongs here. */
template <typename Element> MNP_INLINE void mnp_sort_keep(Element &own, const Element &other, bool keeps_less)
{
    if (mnp_sort_precedes(other, own) == keeps_less)
        own = other;
}

/* Compare elements whose places differ by a bit, `distance`, in other warps. */
template <typename Element>
MNP_INLINE void mnp_sort_exchange(Element (&own)[MNP_SORT_ITEMS], int size, int run, int distance, Element *room)
{
    const int first = (int)threadIdx.x * MNP_SORT_ITEMS, lane = distance / MNP_SORT_ITEMS;
    const bool keeps_less = ((first & run) == 0) == ((first & distance) == 0);
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++)
        if (first < size)
            room[i * MNP_THREADS + (int)threadIdx.x] = own[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++)
        if (first < size)
            mnp_sort_keep(own[i], room[i * MNP_THREADS + ((int)threadIdx.x ^ lane)], keeps_less);
    __syncthreads();
}

/* The same in other lanes of the warp. */
template <typename Element> MNP_INLINE void mnp_sort_shuffle_all(Element (&own)[MNP_SORT_ITEMS], int run, int distance)
{
    const int first = (int)threadIdx.x * MNP_SORT_ITEMS, lanes = distance / MNP_SORT_ITEMS;
    const bool keeps_less = ((first & run) == 0) == ((first & distance) == 0);
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++)
        mnp_sort_keep(own[i], mnp_sort_shuffle(own[i], lanes), keeps_less);
}

/* The same for all distances of at most `distance` that a thread's own elements have. */
template <typename Element> MNP_INLINE void mnp_sort_own(Element (&own)[MNP_SORT_ITEMS], int run, int distance)
{
    const int first = (int)threadIdx.x * MNP_SORT_ITEMS;
#pragma unroll
    for (int bit = MNP_SORT_ITEMS / 2; bit > 0; bit /= 2) {
        if (bit > distance)
            continue;
#pragma unroll
        for (int i = 0; i < MNP_SORT_ITEMS; i++) {
            if (i & bit)
                continue;
            const Element a = own[i], b = own[i | bit];
            if (mnp_sort_precedes(b, a) == (((first + i) & run) == 0)) {
                own[i] = b;
                own[i | bit] = a;
            }
        }
    }
}

/*
 * By all threads: sort the first elements of the block, as many as a power of two that is not below `count`; the others
 * are not looked at.  `room` is for MNP_SORTED elements.
 */
template <typename Element> MNP_INLINE void mnp_sort_block(Element (&own)[MNP_SORT_ITEMS], int count, Element *room)
{
    int size = 32 * MNP_SORT_ITEMS;
    while (size < count)
        size *= 2;
    for (int run = 2; run <= size; run *= 2) {
        int distance = run / 2;
        for (; distance >= 32 * MNP_SORT_ITEMS; distance /= 2)
            mnp_sort_exchange(own, size, run, distance, room);
        if ((int)threadIdx.x * MNP_SORT_ITEMS >= size)
            continue;
        for (; distance >= MNP_SORT_ITEMS; distance /= 2)
            mnp_sort_shuffle_all(own, run, distance);
        mnp_sort_own(own, run, distance);
    }
}

#if MNP_NUMBERED
/* Write the first elements of a line, which are sorted, with their indices. */
MNP_INLINE void mnp_sort_give(const mnp_select_params &p, int64_t line, const mnp_sort_element (&own)[MNP_SORT_ITEMS])
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys + line * p.length;
#pragma unroll
    for (int i = 0; i < MNP_SORT_ITEMS; i++) {
        const int at = (int)threadIdx.x * MNP_SORT_ITEMS + i;
        if (at < p.first) {
            ((MNP_KEY *)p.values)[line * p.first + at] = keys[own[i].place];
            p.indices[line * p.first + at] = own[i].place + p.number;
        }
    }
}
#endif
