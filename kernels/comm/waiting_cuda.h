/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words of memory by which GPUs wait for each other.  A word lies in the memory of the rank that waits; one peer alone
 * writes it, ever larger numbers.  What a thread stored before it raises a word is there for a thread that has seen it
 * raised.
 */
#include "kernels/comm/waiting_params.h"

MNP_INLINE unsigned long long mnp_nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* One thread: raise a word in a peer's memory, after all stores that this thread has made or seen. */
MNP_INLINE void mnp_raise(unsigned long long *word, unsigned long long value)
{
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

MNP_INLINE unsigned long long mnp_seen(const unsigned long long *word)
{
    unsigned long long value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

/* A wait that goes on: looks at the clock, and for faults, now and then. */
struct mnp_patience {
    unsigned long long begin;
    unsigned rounds;
};

/* Whether a wait for that peer goes on for another round; it begins with {0, 0}. */
MNP_INLINE bool mnp_goes_on(mnp_patience &wait, const mnp_waiting &limits, int peer)
{
    if (++wait.rounds % 1024 != 0)
        return true;
    const unsigned long long now = mnp_nanoseconds();
    if (*(volatile unsigned *)limits.fault != 0)
        return false;
    if (wait.begin == 0)
        wait.begin = now;
    if (now - wait.begin < limits.patience)
        return true;
    *(volatile unsigned *)limits.fault = 1 + (unsigned)peer;
    __threadfence_system();
    return false;
}

/* One thread: wait until a peer has raised the word so far.  False if that does not happen in time. */
MNP_INLINE bool mnp_await(const unsigned long long *word, unsigned long long value, const mnp_waiting &limits, int peer)
{
    mnp_patience wait = {0, 0};
    while (mnp_seen(word) < value) {
        if (!mnp_goes_on(wait, limits, peer))
            return false;
    }
    return true;
}
