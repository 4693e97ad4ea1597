/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plain forms for the host of functions that are built into CUDA, for raw modules and for the bodies of custom
 * element-wise kernels.  The mathematical functions of C++ are included.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* CUDA lacks the special functions of C++17, and GCC needs longer for them than for a whole kernel. */
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
/* functions of GNU that math.h leaves out */
extern "C" {
float exp10f(float) noexcept;
double exp10(double) noexcept;
void sincosf(float, float *, float *) noexcept;
void sincos(double, double *, double *) noexcept;
}

/* Numbers of two types are compared by the rules of C++, as in CUDA; if one float is NaN, the result is the other. */
#define MNP_EXTREME(name, first_is_it, of_floats)                                                                      \
    template <typename T> static inline T name(T a, T b)                                                               \
    {                                                                                                                  \
        return first_is_it ? a : b;                                                                                    \
    }                                                                                                                  \
    template <typename T, typename S> static inline auto name(T a, S b)->decltype(a + b)                               \
    {                                                                                                                  \
        return name((decltype(a + b))a, (decltype(a + b))b);                                                           \
    }                                                                                                                  \
    template <> inline float name<float>(float a, float b)                                                             \
    {                                                                                                                  \
        return of_floats##f(a, b);                                                                                     \
    }                                                                                                                  \
    template <> inline double name<double>(double a, double b)                                                         \
    {                                                                                                                  \
        return of_floats(a, b);                                                                                        \
    }
MNP_EXTREME(min, a < b, fmin)
MNP_EXTREME(max, b < a, fmax)
#undef MNP_EXTREME
static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
static inline float rsqrt(float x)
{
    return 1 / sqrtf(x);
}
static inline double rsqrt(double x)
{
    return 1 / sqrt(x);
}
/* Sines and cosines of x half turns, exact where an axis is met; newer C libraries have functions of these names. */
static inline double mnp_sinpi(double x)
{
    const double turned = remainder(x, 2), size = fabs(turned), rest = size > 0.5 ? 1 - size : size,
                 pi = 3.14159265358979324;
    return copysign(rest > 0.25 ? cos(pi * (0.5 - rest)) : sin(pi * rest), turned);
}
static inline double mnp_cospi(double x)
{
    return mnp_sinpi(0.5 - fabs(remainder(x, 2)));
}
static inline float mnp_sinpif(float x)
{
    return (float)mnp_sinpi(x);
}
static inline float mnp_cospif(float x)
{
    return (float)mnp_cospi(x);
}
#define sinpi mnp_sinpi
#define cospi mnp_cospi
#define sinpif mnp_sinpif
#define cospif mnp_cospif
static inline void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
static inline void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
static inline float __fdividef(float a, float b)
{
    return a / b;
}
static inline float __saturatef(float x)
{
    return x > 0 ? x < 1 ? x : 1.0f : 0.0f;
}
/* the C library has other functions of these names */
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __powf powf
#define __sincosf sincosf
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline int __mulhi(int a, int b)
{
    return (int)(((long long)a * b) >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a * b) >> 32);
}
static inline long long __mul64hi(long long a, long long b)
{
    return (long long)(((__int128)a * b) >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
template <typename To, typename From> static inline To mnp_same_bits(From x)
{
    To y;
    static_assert(sizeof x == sizeof y, "");
    memcpy(&y, &x, sizeof y);
    return y;
}
static inline int __float_as_int(float x)
{
    return mnp_same_bits<int>(x);
}
static inline unsigned __float_as_uint(float x)
{
    return mnp_same_bits<unsigned>(x);
}
static inline float __int_as_float(int x)
{
    return mnp_same_bits<float>(x);
}
static inline float __uint_as_float(unsigned x)
{
    return mnp_same_bits<float>(x);
}
static inline long long __double_as_longlong(double x)
{
    return mnp_same_bits<long long>(x);
}
static inline double __longlong_as_double(long long x)
{
    return mnp_same_bits<double>(x);
}
static inline int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
static inline int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
static inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}
/* 32 of 64 bits, of which `low` are the lower ones */
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
/* four bytes of eight; bit 3 of a digit of `which` asks for the byte's sign instead */
static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which)
{
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned digit = which >> 4 * i, byte = (unsigned)(bytes >> 8 * (digit & 7)) & 0xff;
        result |= (digit & 8 ? byte >> 7 ? 0xffu : 0u : byte) << 8 * i;
    }
    return result;
}

/* Operations that are rounded by themselves, and are no part of a fused one. */
#define MNP_ROUNDED(name, T, operation)                                                                                \
    static inline T name(T a, T b)                                                                                     \
    {                                                                                                                  \
        volatile T result = operation;                                                                                 \
        return result;                                                                                                 \
    }
MNP_ROUNDED(__fadd_rn, float, a + b)
MNP_ROUNDED(__dadd_rn, double, a + b)
MNP_ROUNDED(__fsub_rn, float, a - b)
MNP_ROUNDED(__dsub_rn, double, a - b)
MNP_ROUNDED(__fmul_rn, float, a *b)
MNP_ROUNDED(__dmul_rn, double, a *b)
#undef MNP_ROUNDED
static inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
static inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}
/* downwards: from the sum in double, and what that has lost (D. E. Knuth's sum of two numbers) */
static inline float __fadd_rd(float a, float b)
{
    const double x = a, y = b, sum = x + y, part = sum - x, lost = (x - (sum - part)) + (y - part);
    const float nearest = (float)sum;
    if (sum == 0)
        return __builtin_signbit(a) || __builtin_signbit(b) ? -0.0f : 0.0f;
    return nearest > sum || (nearest == sum && lost < 0) ? nextafterf(nearest, -HUGE_VALF) : nearest;
}

/* Loads and stores that go by a certain cache. */
#define MNP_CACHED(load, store)                                                                                        \
    template <typename T> static inline T load(const T *p)                                                             \
    {                                                                                                                  \
        return *p;                                                                                                     \
    }                                                                                                                  \
    template <typename T> static inline void store(T *p, T value)                                                      \
    {                                                                                                                  \
        *p = value;                                                                                                    \
    }
MNP_CACHED(__ldca, __stwb)
MNP_CACHED(__ldcg, __stcg)
MNP_CACHED(__ldcs, __stcs)
MNP_CACHED(__ldcv, __stwt)
#undef MNP_CACHED
template <typename T> static inline T __ldg(const T *p)
{
    return *p;
}
