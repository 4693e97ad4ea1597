/*
 * Taking a free place of a table of numbers, which is -1, before anybody else does: for tables by hashes.
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
