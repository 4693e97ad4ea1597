/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches that a GPU may begin before the previous one of the stream has ended (mnp__launch.early), so that the time
 * that a launch takes is hidden.  Such a kernel reads and writes nothing that others use before it has waited.  On the
 * host, and on GPUs that cannot do it, launches come one after the other, and both functions do nothing.
 */

/* Allow the next launch of the stream to begin. */
MNP_INLINE void mnp_start_next_launch()
{
#if MNP_CUDA && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Wait until the previous launch of the stream has ended. */
MNP_INLINE void mnp_await_previous_launch()
{
#if MNP_CUDA && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
