/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic updates of one number by many threads: the first of them takes a free place of a hash table, which holds -1,
 * the least of their numbers is kept, or a bit is set.  Each takes one atomic access.
 */

/* Write `mine` if *place is -1; return the previous value. */
MNP_INLINE long long claim(long long *place, long long mine)
{
#if MNP_CUDA
    return (long long)atomicCAS((unsigned long long *)place, ~0ull, (unsigned long long)mine);
#else
    long long there = -1;
    __atomic_compare_exchange_n(place, &there, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return there;
#endif
}

/* Write `number` if *least is larger; *least starts as ~0. */
MNP_INLINE void keep_least(unsigned long long *least, unsigned long long number)
{
#if MNP_CUDA
    atomicMin(least, number);
#else
    unsigned long long there = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (number < there &&
           !__atomic_compare_exchange_n(least, &there, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
#endif
}

/* Set a bit of a word, 0 to 63. */
MNP_INLINE void set_bit(unsigned long long *word, int bit)
{
    const unsigned long long mask = 1ull << bit;
#if MNP_CUDA
    atomicOr(word, mask);
#else
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask))
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
#endif
}

/* How many bits of a word are set. */
MNP_INLINE int count_bits(unsigned long long word)
{
#if MNP_CUDA
    return __popcll(word);
#else
    return __builtin_popcountll(word);
#endif
}
