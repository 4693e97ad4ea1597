/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches of kernels whose threads divide a number of elements among them in a grid-stride loop.
 */
#ifndef MNP__DEVICE_LAUNCH_H
#define MNP__DEVICE_LAUNCH_H

#include "base/integer.h"
#include "device/device.h"

/* One thread for every element, but no more blocks than keep a GPU busy: then a thread takes several elements. */
static inline mnp__launch mnp__launch_of(int64_t count)
{
    const int64_t threads = 256, most = 8192, grid = mnp__divide_up(count, threads);
    return (mnp__launch){.grid = {(unsigned)(grid < most ? grid : most), 1, 1}, .block = {(unsigned)threads, 1, 1}};
}

#endif
