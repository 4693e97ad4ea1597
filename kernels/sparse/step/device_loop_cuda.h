/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops on a GPU: the body of a WHILE node (lib/device/cuda/graph.c) is repeated until one of its kernels ends the
 * loop by the node's condition.  A kernel's parameters name the condition; `looping` 0: it is in no loop.
 *
 *   MNP_LOOPS   1: the driver supports such loops; otherwise this is empty, as the driver would not load the kernel
 */
#if MNP_LOOPS
extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned value);

/* End the loop after this repetition; by one thread of a kernel. */
template <typename Params> MNP_INLINE void mnp_leave_loop(const Params &p)
{
    if (p.looping)
        cudaGraphSetConditional(p.condition, 0);
}
#endif
