/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of libm that the host's kernels call.  CUDA has them built in.
 *
 * They are declared here because a compiler takes longer for <math.h> than for the rest of a kernel's headers.  glibc's
 * header of vector functions says which of them libmvec has: __DECL_SIMD_sin declares sin() so that loops over it are
 * vectorised.  It wants to be included by <math.h>, and has no vector functions unless __FAST_MATH__ is defined.
 * Before version 2.35 it does not know all of these functions; C's <math.h> is included then, as C++'s takes much
 * longer.
 */
#if !MNP_CUDA
#if __has_include(<features.h>)
#include <features.h>
#endif
#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif
#pragma push_macro("__FAST_MATH__")
#undef __FAST_MATH__
#define __FAST_MATH__ 1
#if __GLIBC_PREREQ(2, 35)
#define _MATH_H 1
#include <bits/math-vector.h>
#undef _MATH_H
extern "C" {
#define MNP_LIBM_1(name)                                                                                               \
    __DECL_SIMD_##name double name(double) noexcept;                                                                   \
    __DECL_SIMD_##name##f float name##f(float) noexcept;
MNP_LIBM_1(acos)
MNP_LIBM_1(acosh)
MNP_LIBM_1(asin)
MNP_LIBM_1(asinh)
MNP_LIBM_1(atan)
MNP_LIBM_1(atanh)
MNP_LIBM_1(cbrt)
MNP_LIBM_1(cos)
MNP_LIBM_1(cosh)
MNP_LIBM_1(erf)
MNP_LIBM_1(erfc)
MNP_LIBM_1(exp)
MNP_LIBM_1(exp2)
MNP_LIBM_1(expm1)
MNP_LIBM_1(log)
MNP_LIBM_1(log10)
MNP_LIBM_1(log1p)
MNP_LIBM_1(log2)
MNP_LIBM_1(sin)
MNP_LIBM_1(sinh)
MNP_LIBM_1(tan)
MNP_LIBM_1(tanh)
#define MNP_LIBM_2(name)                                                                                               \
    __DECL_SIMD_##name double name(double, double) noexcept;                                                           \
    __DECL_SIMD_##name##f float name##f(float, float) noexcept;
MNP_LIBM_2(atan2)
MNP_LIBM_2(hypot)
MNP_LIBM_2(pow)
/* without vector functions */
#define MNP_LIBM(name, parameters, float_parameters)                                                                   \
    double name parameters noexcept;                                                                                   \
    float name##f float_parameters noexcept;
MNP_LIBM(ceil, (double), (float))
MNP_LIBM(copysign, (double, double), (float, float))
MNP_LIBM(fabs, (double), (float))
MNP_LIBM(floor, (double), (float))
MNP_LIBM(fma, (double, double, double), (float, float, float))
MNP_LIBM(fmax, (double, double), (float, float))
MNP_LIBM(fmin, (double, double), (float, float))
MNP_LIBM(fmod, (double, double), (float, float))
MNP_LIBM(frexp, (double, int *), (float, int *))
MNP_LIBM(ldexp, (double, int), (float, int))
MNP_LIBM(rint, (double), (float))
MNP_LIBM(sqrt, (double), (float))
MNP_LIBM(tgamma, (double), (float))
MNP_LIBM(trunc, (double), (float))
double lgamma_r(double, int *) noexcept;
float lgammaf_r(float, int *) noexcept;
}
#undef MNP_LIBM_1
#undef MNP_LIBM_2
#undef MNP_LIBM
#else
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#endif
#pragma pop_macro("__FAST_MATH__")
#endif
