/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of the real and complex numbers of iterative methods, written as formulas: the same operators and the
 * functions conjugate(), real_part(), square() (of the magnitude) and is_zero() for both.  Complex products and
 * quotients are the plain formulas, which loops can be vectorised over; kernels/math.h has NumPy's, down to infinities.
 */
#if MNP_CUDA
#define MNP_SQRT(x) sqrt(x)
#else
#define MNP_SQRT(x) __builtin_sqrt(x)
#endif

template <typename R> MNP_INLINE mnp_complex<R> operator+(mnp_complex<R> a, mnp_complex<R> b)
{
    return {a.re + b.re, a.im + b.im};
}
template <typename R> MNP_INLINE mnp_complex<R> operator-(mnp_complex<R> a, mnp_complex<R> b)
{
    return {a.re - b.re, a.im - b.im};
}
template <typename R> MNP_INLINE mnp_complex<R> operator-(mnp_complex<R> a)
{
    return {-a.re, -a.im};
}
template <typename R> MNP_INLINE mnp_complex<R> operator*(mnp_complex<R> a, mnp_complex<R> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename R> MNP_INLINE mnp_complex<R> operator/(mnp_complex<R> a, mnp_complex<R> b)
{
    const R size = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}
template <typename R> MNP_INLINE mnp_complex<R> &operator+=(mnp_complex<R> &a, mnp_complex<R> b)
{
    return a = a + b;
}
template <typename R> MNP_INLINE mnp_complex<R> &operator-=(mnp_complex<R> &a, mnp_complex<R> b)
{
    return a = a - b;
}

/* Convert a real number to a given type. */
template <typename T> struct mnp_number_of {
    static MNP_INLINE T from(double x)
    {
        return (T)x;
    }
};
template <typename R> struct mnp_number_of<mnp_complex<R>> {
    static MNP_INLINE mnp_complex<R> from(double x)
    {
        return {(R)x, (R)0};
    }
};

MNP_INLINE float conjugate(float x)
{
    return x;
}
MNP_INLINE double conjugate(double x)
{
    return x;
}
template <typename R> MNP_INLINE mnp_complex<R> conjugate(mnp_complex<R> x)
{
    return {x.re, -x.im};
}

MNP_INLINE double real_part(double x)
{
    return x;
}
template <typename R> MNP_INLINE double real_part(mnp_complex<R> x)
{
    return x.re;
}

MNP_INLINE double square(double x)
{
    return x * x;
}
template <typename R> MNP_INLINE double square(mnp_complex<R> x)
{
    return (double)x.re * x.re + (double)x.im * x.im;
}

MNP_INLINE double magnitude(double x)
{
    return x < 0 ? -x : x;
}
template <typename R> MNP_INLINE double magnitude(mnp_complex<R> x)
{
    return MNP_SQRT(square(x));
}

MNP_INLINE bool is_zero(double x)
{
    return x == 0;
}
template <typename R> MNP_INLINE bool is_zero(mnp_complex<R> x)
{
    return x.re == 0 && x.im == 0;
}

/* Whether a number is neither NaN nor infinite. */
template <typename N> MNP_INLINE bool is_finite(N x)
{
    return magnitude(x) < 1.7e308;
}
