/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of numbers as pivots, and their reciprocals, for the kernels that invert small matrices. */
#ifndef MNP_KERNELS_LINALG_PIVOTS_H
#define MNP_KERNELS_LINALG_PIVOTS_H

#include "kernels/prelude.h"
#include "kernels/numbers.h"

/* The size of a number, as LAPACK compares pivots. */
MNP_INLINE float mnp_size(float x)
{
    return x < 0 ? -x : x;
}
MNP_INLINE double mnp_size(double x)
{
    return x < 0 ? -x : x;
}
template <typename R> MNP_INLINE R mnp_size(mnp_complex<R> x)
{
    return mnp_size(x.re) + mnp_size(x.im);
}

/* The same, where NaN counts as a large number, so that it goes through. */
template <typename T> MNP_INLINE auto mnp_pivot_size(T x) -> decltype(mnp_size(x))
{
    const auto size = mnp_size(x);
    return size == size ? size : (decltype(mnp_size(x)))3e38;
}

/* 1 / x; of complex numbers without squares, which could overflow (R. L. Smith, 1962). */
template <typename R> MNP_INLINE R mnp_reciprocal(R x)
{
    return 1 / x;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_reciprocal(mnp_complex<R> x)
{
    if (mnp_size(x.re) >= mnp_size(x.im)) {
        const R ratio = x.im / x.re, size = x.re + x.im * ratio;
        return {1 / size, -ratio / size};
    }
    const R ratio = x.re / x.im, size = x.re * ratio + x.im;
    return {ratio / size, -1 / size};
}

#endif
