/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A raw module: a CUDA source of the user's.  NVRTC takes it as it is; on the host raw_host.h stands in for what CUDA
 * has built in, and the source is rewritten a little (lib/jit/raw_host.c).
 */
#ifndef __CUDACC_RTC__
#include "kernels/custom/raw_host.h"
#endif
#include "generated"
