/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops on a GPU: what is recorded as the body of a WHILE node (lib/device/cuda/graph.c) goes round until one of its
 * kernels ends it by the node's condition.  A kernel is told which by its parameters; `looping` 0: it is in no loop.
 *
 *   MNP_LOOPS   1: the driver knows such loops; else there is nothing here, as it would not load the kernel
 */
#if MNP_LOOPS
extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned value);

/* One thread of a kernel: this is the last time round. */
template <typename Params> MNP_INLINE void mnp_leave_loop(const Params &p)
{
    if (p.looping)
        cudaGraphSetConditional(p.condition, 0);
}
#endif
