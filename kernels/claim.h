/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One number that many write, of whom one is to win: the first to take a free place of a table by hashes, which is -1,
 * or the least.
 */

/* Write `mine` where -1 is; gives what was there. */
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

/* Write `number` where a larger one is, such as ~0. */
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
