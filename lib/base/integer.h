/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of sizes and counts, which is never negative but for what is said.
 */
#ifndef MNP__BASE_INTEGER_H
#define MNP__BASE_INTEGER_H

#include <stddef.h>
#include <stdint.h>

/* The smaller and the larger of two integers of any sign. */
static inline int64_t mnp__min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t mnp__max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* n / by, rounded up: the blocks for n elements, `by` of them a block. */
static inline int64_t mnp__divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

/* The smallest multiple of `to` that is at least n. */
static inline int64_t mnp__round_up(int64_t n, int64_t to)
{
    return mnp__divide_up(n, to) * to;
}

/* The same of bytes in memory; the largest multiple that there is, if none is that large. */
static inline size_t mnp__round_up_bytes(size_t bytes, size_t to)
{
    return bytes <= SIZE_MAX - to ? (bytes + to - 1) / to * to : SIZE_MAX / to * to;
}

/* The smaller of two numbers of bytes. */
static inline size_t mnp__min_bytes(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The value in low .. high that is nearest to the given one, of any sign; `low` if `high` is below it. */
static inline int64_t mnp__clamp(int64_t value, int64_t low, int64_t high)
{
    return value > high ? (high < low ? low : high) : value < low ? low : value;
}

/* The remainder in 0 .. n - 1 of an integer of any sign, as Python's %. */
static inline int64_t mnp__modulo(int64_t a, int64_t n)
{
    const int64_t rest = a % n;
    return rest < 0 ? rest + n : rest;
}

/* The exponent of the smallest power of two that is at least `count`, limited to `most`. */
static inline int mnp__exponent_above(int64_t count, int most)
{
    int e = 0;
    while (e < most && INT64_C(1) << e < count)
        e++;
    return e;
}

/* The divisor by which mnp_quotient_by() of kernels/prelude.h divides by d > 0. */
static inline uint64_t mnp__divisor(int64_t d)
{
    uint64_t shift = 0, divisor = (uint64_t)d;
    while (UINT64_C(1) << shift < divisor)
        shift++;
    return shift << 32 | ((((UINT64_C(1) << shift) - divisor) << 32) / divisor + 1);
}

/* Compare two integers for qsort(), which then sorts upwards. */
static inline int mnp__compare_int32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}
static inline int mnp__compare_int64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

#endif
