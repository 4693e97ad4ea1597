/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic updates of one number by many threads: the first of them takes a free place of a hash table, which holds -1,
 * or the least of their numbers is kept.  Each takes one atomic access.
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
