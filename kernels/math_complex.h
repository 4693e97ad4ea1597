/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of complex numbers, with the special values of C99's Annex G.
 *
 * Functions with short formulas are computed in the type's own precision.  Logarithms, powers, tangents and inverse
 * functions need care against overflow and cancellation; they are written once, in double.
 */
template <typename R> MNP_INLINE mnp_complex<R> operator+(mnp_complex<R> x, mnp_complex<R> y)
{
    return mnp_complex<R>{x.re + y.re, x.im + y.im};
}
template <typename R> MNP_INLINE mnp_complex<R> operator-(mnp_complex<R> x, mnp_complex<R> y)
{
    return mnp_complex<R>{x.re - y.re, x.im - y.im};
}
template <typename R> MNP_INLINE mnp_complex<R> operator-(mnp_complex<R> x)
{
    return mnp_complex<R>{-x.re, -x.im};
}
template <typename R> MNP_INLINE mnp_complex<R> operator*(mnp_complex<R> x, mnp_complex<R> y)
{
    return mnp_complex<R>{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
/* Division uses Smith's algorithm, as in NumPy. */
template <typename R> MNP_INLINE mnp_complex<R> operator/(mnp_complex<R> x, mnp_complex<R> y)
{
    const R re = mnp_fabs(y.re), im = mnp_fabs(y.im);
    if (re == 0 && im == 0)
        return mnp_complex<R>{x.re / re, x.im / re};
    if (re >= im) {
        const R ratio = y.im / y.re, scale = 1 / (y.re + y.im * ratio);
        return mnp_complex<R>{(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
    }
    const R ratio = y.re / y.im, scale = 1 / (y.im + y.re * ratio);
    return mnp_complex<R>{(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}
template <typename R> MNP_INLINE bool operator==(mnp_complex<R> x, mnp_complex<R> y)
{
    return x.re == y.re && x.im == y.im;
}
template <typename R> MNP_INLINE bool operator!=(mnp_complex<R> x, mnp_complex<R> y)
{
    return x.re != y.re || x.im != y.im;
}

template <typename R> MNP_INLINE mnp_complex<R> mnp_divide(mnp_complex<R> x, mnp_complex<R> y)
{
    return x / y;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_reciprocal(mnp_complex<R> x)
{
    if (mnp_fabs(x.im) <= mnp_fabs(x.re)) {
        const R ratio = x.im / x.re, scale = x.re + x.im * ratio;
        return mnp_complex<R>{1 / scale, -ratio / scale};
    }
    const R ratio = x.re / x.im, scale = x.re * ratio + x.im;
    return mnp_complex<R>{ratio / scale, -1 / scale};
}

/* Parts; math_real.h has them of real numbers. */

template <typename R> MNP_INLINE mnp_complex<R> mnp_conjugate(mnp_complex<R> x)
{
    return mnp_complex<R>{x.re, -x.im};
}
template <typename R> MNP_INLINE R mnp_real(mnp_complex<R> x)
{
    return x.re;
}
template <typename R> MNP_INLINE R mnp_imag(mnp_complex<R> x)
{
    return x.im;
}
template <typename R> MNP_INLINE R mnp_absolute(mnp_complex<R> x)
{
    return mnp_hypot(x.re, x.im);
}
template <typename R> MNP_INLINE R mnp_abs2(mnp_complex<R> x)
{
    return x.re * x.re + x.im * x.im;
}
template <typename R> MNP_INLINE R mnp_angle(mnp_complex<R> x)
{
    return mnp_arctan2(x.im, x.re);
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_rint(mnp_complex<R> x)
{
    return mnp_complex<R>{mnp_rint(x.re), mnp_rint(x.im)};
}

/* x / |x|; an infinite part wins, and |x| may be too large for R. */
template <typename R> MNP_INLINE mnp_complex<R> mnp_sign(mnp_complex<R> x)
{
    const R infinity = mnp_infinity<R>();
    const bool infinite_re = mnp_fabs(x.re) == infinity, infinite_im = mnp_fabs(x.im) == infinity;
    if (infinite_re != infinite_im && x.re == x.re && x.im == x.im)
        return mnp_complex<R>{infinite_re ? mnp_copysign((R)1, x.re) : 0, infinite_im ? mnp_copysign((R)1, x.im) : 0};
    const R scale = mnp_absolute(x) == infinity ? (R)0.25 : (R)1, re = x.re * scale, im = x.im * scale;
    const R size = mnp_hypot(re, im);
    return size == 0 ? mnp_complex<R>{0, 0} : mnp_complex<R>{re / size, im / size};
}

/* Exponential and hyperbolic functions. */

template <typename R> MNP_INLINE bool mnp_finite(R x)
{
    return x - x == 0;
}

/* scale * exp(x) * (cos y, sin y), where exp(x) alone may overflow. */
template <typename R> MNP_INLINE mnp_complex<R> mnp_exp_polar(R x, R y, R scale)
{
    const bool large = x > (sizeof(R) == 4 ? 80 : 700) && x < (sizeof(R) == 4 ? 400 : 4000);
    const R half = mnp_exp(large ? x / 2 : x), rest = large ? half : (R)1;
    return mnp_complex<R>{scale * half * mnp_cos(y) * rest, scale * half * mnp_sin(y) * rest};
}

template <typename R> MNP_FUNCTION mnp_complex<R> mnp_exp(mnp_complex<R> z)
{
    if (z.im == 0)
        return mnp_complex<R>{mnp_exp(z.re), z.im};
    if (!mnp_finite(z.im) && z.re == -mnp_infinity<R>())
        return mnp_complex<R>{0, mnp_copysign((R)0, z.im)};
    if (!mnp_finite(z.im))
        return mnp_complex<R>{z.re == mnp_infinity<R>() ? z.re : mnp_nan<R>(), mnp_nan<R>()};
    return mnp_exp_polar(z.re, z.im, (R)1);
}

template <typename R> MNP_FUNCTION mnp_complex<R> mnp_sinh(mnp_complex<R> z)
{
    const R x = z.re, y = z.im;
    if (!mnp_finite(y))
        return mnp_complex<R>{x == 0 ? x : mnp_finite(x) ? mnp_nan<R>() : mnp_fabs(x), mnp_nan<R>()};
    if (y == 0)
        return mnp_complex<R>{mnp_sinh(x), y};
    if (mnp_fabs(x) > 20) {
        const mnp_complex<R> e = mnp_exp_polar(mnp_fabs(x), y, (R)0.5);
        return mnp_complex<R>{x < 0 ? -e.re : e.re, e.im};
    }
    return mnp_complex<R>{mnp_sinh(x) * mnp_cos(y), mnp_cosh(x) * mnp_sin(y)};
}

template <typename R> MNP_FUNCTION mnp_complex<R> mnp_cosh(mnp_complex<R> z)
{
    const R x = z.re, y = z.im;
    if (!mnp_finite(y))
        return mnp_complex<R>{mnp_finite(x) || x != x ? mnp_nan<R>() : mnp_fabs(x), x == 0 ? x : mnp_nan<R>()};
    if (y == 0)
        return mnp_complex<R>{mnp_cosh(x), x != x ? y : mnp_copysign(y, x < 0 ? -y : y)};
    if (x == 0)
        return mnp_complex<R>{mnp_cos(y), x * mnp_sin(y)};
    if (mnp_fabs(x) > 20) {
        const mnp_complex<R> e = mnp_exp_polar(mnp_fabs(x), y, (R)0.5);
        return mnp_complex<R>{e.re, x < 0 ? -e.im : e.im};
    }
    return mnp_complex<R>{mnp_cosh(x) * mnp_cos(y), mnp_sinh(x) * mnp_sin(y)};
}

/* Kahan, "Branch cuts for complex elementary functions, or: much ado about nothing's sign bit", 1987. */
MNP_FUNCTION mnp_complex128 mnp_tanh(mnp_complex128 z)
{
    const double x = z.re, y = z.im;
    if (!mnp_finite(x))
        return x != x ? mnp_complex128{x, y == 0 ? y : x}
                      : mnp_complex128{copysign(1.0, x), copysign(0.0, mnp_finite(y) ? sin(y) * cos(y) : y)};
    if (!mnp_finite(y))
        return mnp_complex128{x == 0 ? x : mnp_nan<double>(), mnp_nan<double>()};
    if (fabs(x) > 20) {
        const double e = exp(-fabs(x));
        return mnp_complex128{copysign(1.0, x), 4 * sin(y) * cos(y) * e * e};
    }
    const double t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s), denominator = 1 + beta * s * s;
    if (!mnp_finite(t))
        return mnp_complex128{rho / s, 1 / t};
    return mnp_complex128{beta * rho * s / denominator, t / denominator};
}

/* Square root and logarithm. */

template <typename R> MNP_FUNCTION mnp_complex<R> mnp_sqrt(mnp_complex<R> z)
{
    R x = z.re, y = z.im, scale = 1;
    if (x == 0 && y == 0)
        return mnp_complex<R>{0, y};
    if (mnp_fabs(y) == mnp_infinity<R>())
        return mnp_complex<R>{mnp_fabs(y), y};
    if (x != x)
        return mnp_complex<R>{x, mnp_nan<R>()};
    if (!mnp_finite(x)) {
        const R zero = y - y;
        return x < 0 ? mnp_complex<R>{mnp_fabs(zero), mnp_copysign(x, y)} : mnp_complex<R>{x, mnp_copysign(zero, y)};
    }
    const R largest = mnp_fabs(x) > mnp_fabs(y) ? mnp_fabs(x) : mnp_fabs(y);
    if (largest > (sizeof(R) == 4 ? (R)0x1p125 : (R)0x1p1020)) { /* the sum below would overflow */
        x /= 16;
        y /= 16;
        scale = 4;
    } else if (largest < (sizeof(R) == 4 ? (R)0x1p-100 : (R)0x1p-960)) { /* its digits would be lost */
        x *= (R)0x1p54;
        y *= (R)0x1p54;
        scale = (R)0x1p-27;
    }
    const R root = mnp_sqrt((mnp_fabs(x) + mnp_hypot(x, y)) / 2), other = mnp_fabs(y) / (2 * root);
    return x >= 0 ? mnp_complex<R>{root * scale, mnp_copysign(other, y) * scale}
                  : mnp_complex<R>{other * scale, mnp_copysign(root, y) * scale};
}

/* log |x + iy|: from the distance to 1 where that is small. */
MNP_FUNCTION double mnp_log_absolute(double x, double y)
{
    const double ax = fabs(x), ay = fabs(y), large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    if (large > 0x1p1022 && large < mnp_infinity<double>())
        return log(hypot(ax / 4, ay / 4)) + 1.386294361119890618835;
    if (large < 0x1p-960 && large > 0)
        return log(hypot(ax * 0x1p100, ay * 0x1p100)) - 69.3147180559945309417;
    if (large > 0.5 && large < 1.5 && small < 1.5) {
        const double distance = (large - 1) * (large + 1) + small * small;
        if (fabs(distance) < 0.5)
            return log1p(distance) / 2;
    }
    return log(hypot(ax, ay));
}
MNP_FUNCTION mnp_complex128 mnp_log(mnp_complex128 z)
{
    return mnp_complex128{mnp_log_absolute(z.re, z.im), atan2(z.im, z.re)};
}
MNP_FUNCTION mnp_complex128 mnp_log1p(mnp_complex128 z)
{
    const double x = z.re, y = z.im;
    const bool near = fabs(x) < 0.5 && fabs(y) < 0.5;
    return mnp_complex128{near ? log1p(x * (2 + x) + y * y) / 2 : mnp_log_absolute(x + 1, y), atan2(y, x + 1)};
}

/* Powers, as in NumPy: by multiplication where the exponent is a small integer. */
MNP_FUNCTION mnp_complex128 mnp_power(mnp_complex128 x, mnp_complex128 y)
{
    if (y.re == 0 && y.im == 0)
        return mnp_complex128{1, 0};
    if (x.re == 0 && x.im == 0)
        return y.re > 0 ? mnp_complex128{0, 0} : mnp_complex128{mnp_nan<double>(), mnp_nan<double>()};
    if (y.im == 0 && fabs(y.re) < 100 && trunc(y.re) == y.re) {
        mnp_complex128 square = x, product = {1, 0};
        for (int rest = (int)fabs(y.re);; square = square * square) {
            if (rest & 1)
                product = product.re == 1 && product.im == 0 ? square : product * square;
            rest >>= 1;
            if (rest == 0)
                break;
        }
        return y.re < 0 ? mnp_complex128{1, 0} / product : product;
    }
    return mnp_exp(y * mnp_log(x));
}

/* The inverse functions. */
#include "kernels/math_complex_inverse.h"

/* In single precision, by way of double. */
#define MNP_BY_DOUBLE(name)                                                                                            \
    MNP_FUNCTION mnp_complex64 mnp_##name(mnp_complex64 z)                                                             \
    {                                                                                                                  \
        return mnp_to<mnp_complex64>::from(mnp_##name(mnp_to<mnp_complex128>::from(z)));                               \
    }
MNP_BY_DOUBLE(tanh)
MNP_BY_DOUBLE(log)
MNP_BY_DOUBLE(log1p)
MNP_BY_DOUBLE(arcsinh)
MNP_BY_DOUBLE(arccosh)
MNP_BY_DOUBLE(arctanh)
MNP_BY_DOUBLE(arccos)
MNP_FUNCTION mnp_complex64 mnp_power(mnp_complex64 x, mnp_complex64 y)
{
    return mnp_to<mnp_complex64>::from(mnp_power(mnp_to<mnp_complex128>::from(x), mnp_to<mnp_complex128>::from(y)));
}

/* Functions that are made of others. */

/* An odd function f of hyperbolic kind gives its trigonometric sister by f(iz) / i. */
template <typename R> MNP_INLINE mnp_complex<R> mnp_swapped(mnp_complex<R> z)
{
    return mnp_complex<R>{z.im, z.re};
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_sin(mnp_complex<R> z)
{
    return mnp_swapped(mnp_sinh(mnp_swapped(z)));
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_cos(mnp_complex<R> z)
{
    return mnp_cosh(mnp_complex<R>{-z.im, z.re});
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_tan(mnp_complex<R> z)
{
    return mnp_swapped(mnp_tanh(mnp_swapped(z)));
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_arcsin(mnp_complex<R> z)
{
    return mnp_swapped(mnp_arcsinh(mnp_swapped(z)));
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_arctan(mnp_complex<R> z)
{
    return mnp_swapped(mnp_arctanh(mnp_swapped(z)));
}

template <typename R> MNP_INLINE mnp_complex<R> mnp_scaled(mnp_complex<R> z, double factor)
{
    return mnp_complex<R>{z.re * (R)factor, z.im * (R)factor};
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_exp2(mnp_complex<R> z)
{
    return mnp_exp(mnp_scaled(z, 0.693147180559945309417));
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_log2(mnp_complex<R> z)
{
    return mnp_scaled(mnp_log(z), 1.44269504088896340736);
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_log10(mnp_complex<R> z)
{
    return mnp_scaled(mnp_log(z), 0.434294481903251827651);
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_expm1(mnp_complex<R> z)
{
    const R half = mnp_sin(z.im / 2);
    if (z.im == 0)
        return mnp_complex<R>{mnp_expm1(z.re), z.im};
    if (z.re > 40) /* 1 does not count, and exp(z.re) may overflow */
        return mnp_exp(z);
    if (!mnp_finite(z.im) && z.re == -mnp_infinity<R>()) /* exp(z) is 0 */
        return mnp_complex<R>{-1, 0};
    return mnp_complex<R>{mnp_expm1(z.re) * mnp_cos(z.im) - 2 * half * half, mnp_exp(z.re) * mnp_sin(z.im)};
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_sinc(mnp_complex<R> z)
{
    const mnp_complex<R> y = mnp_scaled(z, 3.14159265358979323846);
    return z.re == 0 && z.im == 0 ? mnp_complex<R>{1, 0} : mnp_sin(y) / y;
}
