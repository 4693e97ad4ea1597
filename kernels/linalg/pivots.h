/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of numbers as pivots, quotients by them, and determinants, which are their products. */
#ifndef MNP_KERNELS_LINALG_PIVOTS_H
#define MNP_KERNELS_LINALG_PIVOTS_H

#include "kernels/prelude.h"
#include "kernels/libm.h"
#include "kernels/numbers.h"
#include "kernels/math_types.h"

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

/*
 * The same, where NaN counts as next to nothing, as LAPACK finds it larger than nothing either: its row is a pivot once
 * nothing else is left but 0 or next to it, and so NaN goes through.
 */
template <typename T> MNP_INLINE auto mnp_pivot_size(T x) -> decltype(mnp_size(x))
{
    const auto size = mnp_size(x);
    return size == size ? size : (decltype(mnp_size(x)))1e-37;
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

/* ---- determinants ---- */

/* A number as a complex one, in which signs are multiplied; and back. */
template <typename R> MNP_INLINE mnp_complex128 mnp_as_complex(R x)
{
    return {(double)x, 0};
}
template <typename R> MNP_INLINE mnp_complex128 mnp_as_complex(mnp_complex<R> x)
{
    return {(double)x.re, (double)x.im};
}
template <typename R> MNP_INLINE void mnp_put(R *to, mnp_complex128 x)
{
    *to = (R)x.re;
}
template <typename R> MNP_INLINE void mnp_put(mnp_complex<R> *to, mnp_complex128 x)
{
    *to = {(R)x.re, (R)x.im};
}

/* The direction of a pivot: of a real number 1 or -1, also where it is not finite, as in NumPy. */
template <typename R> MNP_INLINE mnp_complex128 mnp_direction(R x, double)
{
    return {x < 0 ? -1.0 : 1.0, 0};
}
template <typename R> MNP_INLINE mnp_complex128 mnp_direction(mnp_complex<R> x, double size)
{
    return {(double)x.re / size, (double)x.im / size};
}

/* The product of pivots: its sign, or of complex numbers its direction, and the logarithm of its absolute value. */
struct mnp_determinant {
    double re, im, logarithm;
    int zero; /* whether a pivot is 0 */

    MNP_INLINE void start()
    {
        re = 1;
        im = logarithm = 0;
        zero = 0;
    }
    MNP_INLINE void turn(mnp_complex128 by)
    {
        const mnp_complex128 turned = mnp_complex128{re, im} * by;
        re = turned.re;
        im = turned.im;
    }
    /* `flips`: the pivot came from another row, which changes the sign. */
    template <typename T> MNP_INLINE void take(T pivot, bool flips)
    {
        const mnp_complex128 number = mnp_as_complex(pivot);
        const double size = hypot(number.re, number.im);
        if (size == 0) {
            zero = 1;
            return;
        }
        const mnp_complex128 direction = mnp_direction(pivot, size);
        turn({flips ? -direction.re : direction.re, flips ? -direction.im : direction.im});
        logarithm += log(size);
    }
    MNP_INLINE void join(const mnp_determinant &other)
    {
        turn({other.re, other.im});
        logarithm += other.logarithm;
        zero |= other.zero;
    }
    /* To element `number` of the signs and of the logarithms; or, without these, of the determinants. */
    template <typename T> MNP_INLINE void give(T *signs, void *logarithms, int64_t number) const
    {
        typedef decltype(mnp_size(T())) real;
        const double size = logarithms ? 1 : exp(logarithm);
        const mnp_complex128 sign = {zero || re == 0 ? 0 : re * size, zero || im == 0 ? 0 : im * size};
        mnp_put(signs + number, sign);
        if (logarithms)
            ((real *)logarithms)[number] = (real)(zero ? -mnp_infinity<double>() : logarithm);
    }
};

#endif
