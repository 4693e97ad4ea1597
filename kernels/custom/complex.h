/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * complex<float> and complex<double> as users of CuPy and of C++ know them, for the bodies of element-wise kernels and
 * reductions, and for raw kernels that include <cupy/complex.cuh>, which lib/jit/source.c takes to be this file.
 */
#include "kernels/math.h"
#if !MNP_CUDA
#include "kernels/cuda_functions.h"
#endif

/* A complex number, with arithmetic with complex numbers of the same type and with real ones. */
template <typename R> struct complex : mnp_complex<R> {
    typedef R value_type;
    complex() = default;
    MNP_INLINE complex(R re, R im = 0) : mnp_complex<R>{re, im}
    {
    }
    template <typename S> MNP_INLINE complex(mnp_complex<S> x) : mnp_complex<R>{(R)x.re, (R)x.im}
    {
    }
    MNP_INLINE R real() const
    {
        return this->re;
    }
    MNP_INLINE R imag() const
    {
        return this->im;
    }
    MNP_INLINE void real(R x)
    {
        this->re = x;
    }
    MNP_INLINE void imag(R x)
    {
        this->im = x;
    }
#define MNP_ASSIGN(op)                                                                                                 \
    MNP_INLINE complex &operator op##=(complex x)                                                                      \
    {                                                                                                                  \
        return *this = *this op x;                                                                                     \
    }
    MNP_ASSIGN(+)
    MNP_ASSIGN(-)
    MNP_ASSIGN(*)
    MNP_ASSIGN(/)
#undef MNP_ASSIGN

    /* friends, so that either operand may be a value that converts to a complex number */
#define MNP_OPERATOR(op)                                                                                               \
    friend MNP_INLINE complex operator op(complex x, complex y)                                                        \
    {                                                                                                                  \
        return (mnp_complex<R>)x op(mnp_complex<R>) y;                                                                 \
    }
    MNP_OPERATOR(+)
    MNP_OPERATOR(-)
    MNP_OPERATOR(*)
    MNP_OPERATOR(/)
#undef MNP_OPERATOR
    friend MNP_INLINE complex operator*(complex x, R y)
    {
        return complex(x.re * y, x.im * y);
    }
    friend MNP_INLINE complex operator*(R x, complex y)
    {
        return complex(x * y.re, x * y.im);
    }
    friend MNP_INLINE complex operator/(complex x, R y)
    {
        return complex(x.re / y, x.im / y);
    }
    friend MNP_INLINE complex operator+(complex x)
    {
        return x;
    }
    friend MNP_INLINE complex operator-(complex x)
    {
        return complex(-x.re, -x.im);
    }
    friend MNP_INLINE bool operator==(complex x, complex y)
    {
        return x.re == y.re && x.im == y.im;
    }
    friend MNP_INLINE bool operator!=(complex x, complex y)
    {
        return !(x == y);
    }
};

template <typename R> MNP_INLINE R real(complex<R> x)
{
    return x.re;
}
template <typename R> MNP_INLINE R imag(complex<R> x)
{
    return x.im;
}
template <typename R> MNP_INLINE R norm(complex<R> x)
{
    return x.re * x.re + x.im * x.im;
}
template <typename R> MNP_INLINE R arg(complex<R> x)
{
    return atan2(x.im, x.re);
}
template <typename R> MNP_INLINE R abs(complex<R> x)
{
    return hypot(x.re, x.im);
}
template <typename R> MNP_INLINE complex<R> conj(complex<R> x)
{
    return complex<R>(x.re, -x.im);
}
template <typename R> MNP_INLINE complex<R> polar(R magnitude, R angle)
{
    return complex<R>(magnitude * cos(angle), magnitude * sin(angle));
}
#define MNP_COMPLEX_FUNCTION(name, ours)                                                                               \
    template <typename R> MNP_INLINE complex<R> name(complex<R> x)                                                     \
    {                                                                                                                  \
        return mnp_##ours((mnp_complex<R>)x);                                                                          \
    }
MNP_COMPLEX_FUNCTION(exp, exp)
MNP_COMPLEX_FUNCTION(log, log)
MNP_COMPLEX_FUNCTION(log10, log10)
MNP_COMPLEX_FUNCTION(sqrt, sqrt)
MNP_COMPLEX_FUNCTION(sin, sin)
MNP_COMPLEX_FUNCTION(cos, cos)
MNP_COMPLEX_FUNCTION(tan, tan)
MNP_COMPLEX_FUNCTION(asin, arcsin)
MNP_COMPLEX_FUNCTION(acos, arccos)
MNP_COMPLEX_FUNCTION(atan, arctan)
MNP_COMPLEX_FUNCTION(sinh, sinh)
MNP_COMPLEX_FUNCTION(cosh, cosh)
MNP_COMPLEX_FUNCTION(tanh, tanh)
MNP_COMPLEX_FUNCTION(asinh, arcsinh)
MNP_COMPLEX_FUNCTION(acosh, arccosh)
MNP_COMPLEX_FUNCTION(atanh, arctanh)
#undef MNP_COMPLEX_FUNCTION
template <typename R> MNP_INLINE complex<R> pow(complex<R> x, complex<R> y)
{
    return mnp_power((mnp_complex<R>)x, (mnp_complex<R>)y);
}
template <typename R> MNP_INLINE complex<R> pow(complex<R> x, typename complex<R>::value_type y)
{
    return pow(x, complex<R>(y));
}
template <typename R> MNP_INLINE complex<R> pow(typename complex<R>::value_type x, complex<R> y)
{
    return pow(complex<R>(x), y);
}
