/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a sum to an output.  MNP_TRUNCATES, if defined: floats that become integers lose their fraction, as in C and
 * scipy.ndimage; otherwise they are rounded to the nearest integer.
 */
#ifndef MNP_KERNELS_SIGNAL_FINISH_H
#define MNP_KERNELS_SIGNAL_FINISH_H

#include "kernels/prelude.h"

#ifdef MNP_TRUNCATES
constexpr bool rounds = false;
#else
constexpr bool rounds = true;
#endif

template <typename Out> struct finish {
    template <typename Sum> static MNP_INLINE Out from(Sum x)
    {
        return mnp_to<Out>::from(x);
    }
    static MNP_INLINE Out from(double x)
    {
#if MNP_CUDA
        return mnp_to<Out>::from(rounds && mnp_is_integer<Out> ? rint(x) : x);
#else
        return mnp_to<Out>::from(rounds && mnp_is_integer<Out> ? __builtin_rint(x) : x);
#endif
    }
};

#endif
