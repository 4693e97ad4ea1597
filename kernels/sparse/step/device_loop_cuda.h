/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops on a GPU without the CPU: the body of a WHILE node of a CUDA graph (lib/device/cuda/graph.c) is repeated until
 * one of its kernels clears the node's condition.  A kernel's parameters have the handle of the condition; `looping` is
 * 0 if the kernel is in no loop.
 *
 *   MNP_LOOPS   1: the driver supports such loops; otherwise the function is empty, so that the driver loads the kernel
 */
#if MNP_LOOPS
extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned value);

/* End the loop after this iteration; one thread of a kernel calls it. */
template <typename Params> MNP_INLINE void mnp_leave_loop(const Params &p)
{
    if (p.looping)
        cudaGraphSetConditional(p.condition, 0);
}
#endif
