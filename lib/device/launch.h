/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launch of kernels whose threads share out a number of elements in a grid-stride loop.
 */
#ifndef MNP__DEVICE_LAUNCH_H
#define MNP__DEVICE_LAUNCH_H

#include "device/device.h"

/* Enough threads for one element each, but no more blocks than keep a GPU busy: the kernel's loop takes the rest. */
static inline mnp__launch mnp__launch_of(int64_t count)
{
    const int64_t threads = 256, most = 8192, grid = (count + threads - 1) / threads;
    return (mnp__launch){.grid = {(unsigned)(grid < most ? grid : most), 1, 1}, .block = {(unsigned)threads, 1, 1}};
}

#endif
