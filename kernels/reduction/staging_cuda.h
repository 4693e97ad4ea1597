/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of memory copied to the shared memory of a block, and back, from and to wherever they begin: a GPU copies 16 at
 * a time, and these must be aligned on both sides.  So they have the same place in 16 bytes on both.
 */
#include "kernels/copy_ahead_cuda.h"

MNP_INLINE int mnp_skip_of(const void *bytes)
{
    return (int)((uint64_t)bytes & 15);
}

/*
 * Begin to copy bytes to shared memory, where the first is at mnp_skip_of(bytes), and the last one in 16 bytes that have
 * nothing else.  Every one of `threads` threads, all
 * of the block unless they are given, calls it.
 */
MNP_INLINE void mnp_stage(uint4 *shared, const void *bytes, int count, int thread = threadIdx.x,
                          int threads = MNP_THREADS)
{
    const int skip = mnp_skip_of(bytes), whole = (skip + count) / 16;
    const char *const from = (const char *)bytes - skip;
    for (int i = thread; i < whole; i += threads)
        mnp_copy_ahead<16>(shared + i, (const uint4 *)from + i);
    if (skip + count > 16 * whole && thread == whole % threads) /* what is beyond may not exist */
        mnp_copy_ahead_part(skip + count - 16 * whole, shared + whole, (const uint4 *)from + whole);
}

/* Wait until all that the block has begun to copy is there. */
MNP_INLINE void mnp_await_stage()
{
    mnp_await_copies();
    __syncthreads();
}

/* Copy bytes from shared memory, where the first is at mnp_skip_of(bytes). */
MNP_INLINE void mnp_unstage(void *bytes, const uint4 *shared, int count)
{
    const int skip = mnp_skip_of(bytes), first = skip ? 1 : 0, whole = (skip + count) / 16;
    char *const to = (char *)bytes - skip;
    for (int i = first + threadIdx.x; i < whole; i += MNP_THREADS)
        ((uint4 *)to)[i] = shared[i];
    const int head = first ? (skip + count < 16 ? skip + count : 16) : 0, tail = 16 * whole > head ? 16 * whole : head;
    for (int i = skip + threadIdx.x; i < head; i += MNP_THREADS)
        to[i] = ((const char *)shared)[i];
    for (int i = tail + threadIdx.x; i < skip + count; i += MNP_THREADS)
        to[i] = ((const char *)shared)[i];
}
