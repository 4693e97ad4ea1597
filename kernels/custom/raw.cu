/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A raw module: the user's CUDA source.  NVRTC compiles it unchanged.  On the host raw_host.h provides the built-in
 * variables and functions of CUDA, and lib/jit/raw_host.c rewrites parts of the source.
 */
#ifndef __CUDACC_RTC__
#include "kernels/custom/raw_host.h"
#endif
#include "generated"
