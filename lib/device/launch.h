/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches of kernels whose threads divide a number of elements among them in a grid-stride loop, and the arithmetic by
 * which other launches are planned.
 */
#ifndef MNP__DEVICE_LAUNCH_H
#define MNP__DEVICE_LAUNCH_H

#include "device/device.h"

/* n / by, rounded up: the blocks for n elements, `by` of them a block. */
static inline int64_t mnp__divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

/* The value in low .. high that is nearest to the given one; `low` if `high` is below it. */
static inline int64_t mnp__clamp(int64_t value, int64_t low, int64_t high)
{
    return value > high ? (high < low ? low : high) : value < low ? low : value;
}

/* The exponent of the smallest power of two that is at least `count`, limited to `most`. */
static inline int mnp__exponent_above(int64_t count, int most)
{
    int e = 0;
    while (e < most && INT64_C(1) << e < count)
        e++;
    return e;
}

/* One thread for every element, but no more blocks than keep a GPU busy: then a thread takes several elements. */
static inline mnp__launch mnp__launch_of(int64_t count)
{
    const int64_t threads = 256, most = 8192, grid = mnp__divide_up(count, threads);
    return (mnp__launch){.grid = {(unsigned)(grid < most ? grid : most), 1, 1}, .block = {(unsigned)threads, 1, 1}};
}

#endif
