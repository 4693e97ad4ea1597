/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of numbers as pivots, and quotients by them, for the kernels of small matrices. */
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

/* a / b; of complex numbers without squares, which could overflow (R. L. Smith, 1962). */
template <typename R> MNP_INLINE R mnp_ratio(R a, R b)
{
    return a / b;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_ratio(mnp_complex<R> a, mnp_complex<R> b)
{
    if (mnp_size(b.re) >= mnp_size(b.im)) {
        const R ratio = b.im / b.re, size = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
    }
    const R ratio = b.re / b.im, size = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}

/* 1 / x */
template <typename T> MNP_INLINE T mnp_inverted(T x)
{
    return mnp_ratio(mnp_number_of<T>::from(1), x);
}

#endif
