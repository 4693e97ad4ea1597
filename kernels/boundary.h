/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a dimension continues beyond its ends: the conditions of mnp_boundary in maniple/signal.h, by their numbers.
 */
#ifndef MNP_KERNELS_BOUNDARY_H
#define MNP_KERNELS_BOUNDARY_H

enum { MNP_AT_FILL, MNP_AT_WRAP, MNP_AT_SYMM, MNP_AT_MIRROR, MNP_AT_NEAREST };

/* The index, of n > 0, that stands for the index `at`, which may be outside; not for MNP_AT_FILL. */
MNP_INLINE int64_t mnp_folded(int boundary, int64_t at, int64_t n)
{
    if (boundary == MNP_AT_NEAREST || n == 1)
        return at < 0 ? 0 : at < n ? at : n - 1;
    const int64_t period = boundary == MNP_AT_WRAP ? n : boundary == MNP_AT_SYMM ? 2 * n : 2 * n - 2;
    const int64_t rest = at % period, place = rest < 0 ? rest + period : rest;
    return place < n ? place : boundary == MNP_AT_SYMM ? period - 1 - place : period - place;
}

/* The same for an index from 1 - n to 2 * n - 2, without a division. */
MNP_INLINE int64_t mnp_folded_near(int boundary, int64_t at, int64_t n)
{
    if (boundary == MNP_AT_NEAREST)
        return at < 0 ? 0 : at < n ? at : n - 1;
    if (at < 0)
        return boundary == MNP_AT_WRAP ? at + n : boundary == MNP_AT_SYMM ? -1 - at : -at;
    if (at < n)
        return at;
    return boundary == MNP_AT_WRAP ? at - n : boundary == MNP_AT_SYMM ? 2 * n - 1 - at : 2 * n - 2 - at;
}

#endif
