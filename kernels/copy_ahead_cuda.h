/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: copies from memory to the shared memory of a block that are under way while the thread goes on, without a
 * way through its registers.  A thread waits for its own copies; others see them after a barrier.  GPUs before compute
 * capability 8.0 copy at once.
 */
#ifndef MNP_KERNELS_COPY_AHEAD_CUDA_H
#define MNP_KERNELS_COPY_AHEAD_CUDA_H

#include "kernels/prelude.h"

/* Begin to copy 4, 8 or 16 bytes, to which both addresses are aligned. */
template <int bytes> MNP_INLINE void mnp_copy_ahead(void *shared, const void *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    if constexpr (bytes == 16) /* not by way of the multiprocessor's cache */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
#else
    struct alignas(bytes) packet {
        char at[bytes];
    };
    *(packet *)shared = *(const packet *)from;
#endif
}

/* Begin to copy the first `count` of 16 bytes, of which the others become zeros; nothing else is read. */
MNP_INLINE void mnp_copy_ahead_part(int count, void *shared, const void *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(count) : "memory");
#else
    for (int i = 0; i < 16; i++)
        ((char *)shared)[i] = i < count ? ((const char *)from)[i] : 0;
#endif
}

/* Begin to copy 4, 8 or 16 bytes, or zeros if there is nothing; `from` must be an address even then. */
template <int bytes> MNP_INLINE void mnp_copy_ahead_if(bool there, void *shared, const void *from)
{
    if constexpr (bytes == 16) {
        mnp_copy_ahead_part(there ? 16 : 0, shared, from);
    } else {
#if __CUDA_ARCH__ >= 800
        const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes),
                     "r"(there ? bytes : 0)
                     : "memory");
#else
        if (there)
            mnp_copy_ahead<bytes>(shared, from);
        else
            memset(shared, 0, bytes);
#endif
    }
}

/* End a batch of this thread's copies; wait for all batches but the last `later` ones. */
MNP_INLINE void mnp_end_batch()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int later> MNP_INLINE void mnp_await_batches()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
#endif
}

/* Wait for all copies of this thread. */
MNP_INLINE void mnp_await_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif
