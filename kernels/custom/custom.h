/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the bodies of custom element-wise kernels can use, as with CuPy: bool, complex<float> and complex<double> as in
 * C++, the mathematical functions of C and C++ for all of these, and Maniple's own functions of math.h.
 */
#include "kernels/math.h"
#if !MNP_CUDA
#include "kernels/cuda_functions.h"
/* functions of a preamble may say where CUDA runs them */
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#else
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
/* CUDA's own take two numbers of the same type, or of similar types */
template <typename T, typename S> MNP_INLINE auto min(T a, S b) -> decltype(a + b)
{
    return min((decltype(a + b))a, (decltype(a + b))b);
}
template <typename T, typename S> MNP_INLINE auto max(T a, S b) -> decltype(a + b)
{
    return max((decltype(a + b))a, (decltype(a + b))b);
}
template <typename T, typename S> MNP_INLINE auto pow(T x, S y) -> decltype((double)x * (double)y)
{
    return pow((double)x, (double)y);
}
#endif

typedef mnp_float16 float16;
typedef mnp_bfloat16 bfloat16;

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

/* ---- between the body's types and those of the loop around it ---- */

template <typename T> MNP_INLINE T mnp_given(T x)
{
    return x;
}
MNP_INLINE bool mnp_given(mnp_bool x)
{
    return x.value;
}
template <typename R> MNP_INLINE complex<R> mnp_given(mnp_complex<R> x)
{
    return x;
}
template <typename T> MNP_INLINE T mnp_kept(T x)
{
    return x;
}
MNP_INLINE mnp_bool mnp_kept(bool x)
{
    return mnp_bool{x};
}

/* A raw parameter, made from the loop's mnp_raw. */
template <typename Raw> struct mnp_given_raw {
    const Raw &raw;
    MNP_INLINE decltype(mnp_given(raw[0])) operator[](int64_t j) const
    {
        return mnp_given(raw[j]);
    }
    MNP_INLINE int64_t size() const
    {
        return raw.size();
    }
};
