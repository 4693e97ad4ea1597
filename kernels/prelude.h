/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kernel source includes this first.  It defines the types and conversions (cast.h), which are the same for NVRTC
 * and for the host's C++ compiler, and how a kernel is written:
 *
 *   MNP_KERNEL(name, params)      an entry point that takes one struct of parameters, `p`
 *   MNP_FOR (i, n)                a loop: for (i over this thread's or worker's share of 0 .. n-1)
 *
 * On a GPU a kernel runs as a grid of threads; on the host it is called as number `worker` of `workers`.  MNP_CUDA is 1
 * for GPUs and 0 for the host.  MNP_PTX is 1 for GPUs that are not simulated (kernels/custom/simulated.h), as these
 * alone have instructions of PTX.
 */
#ifdef __CUDACC_RTC__
#define MNP_PTX 1
#else
#define MNP_PTX 0
#endif
#if MNP_PTX || defined MNP_SIMULATED
#define MNP_CUDA 1
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define MNP_INLINE __device__ __forceinline__
#define MNP_FUNCTION static __device__ /* larger functions; the compiler decides whether to inline */
#define MNP_KERNEL(name, params) extern "C" __global__ void name(const __grid_constant__ params p)
#define MNP_FOR(i, n)                                                                                                  \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)gridDim.x * blockDim.x)
#else
#define MNP_CUDA 0
/* what kernels need of <stdint.h> and <string.h>, which take a compiler longer than the kernel language */
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __SIZE_TYPE__ size_t;
extern "C" void *memcpy(void *, const void *, size_t) noexcept;
extern "C" void *memset(void *, int, size_t) noexcept;
#define MNP_INLINE inline __attribute__((always_inline))
#define MNP_FUNCTION static
#define MNP_KERNEL(name, params)                                                                                       \
    static void name##_share(const params &p, int64_t worker, int64_t workers);                                        \
    extern "C" void name(const void *p, long long worker, long long workers)                                           \
    {                                                                                                                  \
        name##_share(*(const params *)p, worker, workers);                                                             \
    }                                                                                                                  \
    static void name##_share(const params &p, int64_t worker, int64_t workers)
#define MNP_FOR(i, n)                                                                                                  \
    for (int64_t i = mnp_share_begin(n, worker, workers); i < mnp_share_begin(n, worker + 1, workers); i++)
#endif

/* n / by of numbers that are not negative; a GPU divides 32-bit numbers several times faster. */
MNP_INLINE int64_t mnp_quotient(int64_t n, int64_t by)
{
#if MNP_CUDA && !MNP_PTX /* of no elements, where a GPU goes on with any number */
    if (by == 0)
        return 0;
#endif
#if MNP_CUDA
    if ((n | by) >> 32 == 0)
        return (uint32_t)n / (uint32_t)by;
#endif
    return n / by;
}

#if MNP_CUDA
/*
 * n / d for n < 2^31.  `divisor` has the smallest s with 2^s >= d in its upper half and 2^32 (2^s - d) / d + 1 in its
 * lower half (T. Granlund and P. Montgomery, Division by Invariant Integers using Multiplication, 1994); the library
 * finds it by mnp__divisor().
 */
MNP_INLINE uint32_t mnp_quotient_by(uint32_t n, uint64_t divisor)
{
    return (__umulhi(n, (uint32_t)divisor) + n) >> (uint32_t)(divisor >> 32);
}
#endif

/* The first item of share number `share` if n items are divided evenly into `shares`. */
MNP_INLINE int64_t mnp_share_begin(int64_t n, int64_t share, int64_t shares)
{
    const int64_t each = mnp_quotient(n, shares), longer = n - each * shares;
    return each * share + (share < longer ? share : longer);
}

/* The smaller and the larger of two integers. */
MNP_INLINE int64_t mnp_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
MNP_INLINE int64_t mnp_greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* NumPy's bool: one byte, 0 or 1. */
struct mnp_bool {
    uint8_t value;
};

template <typename R> struct mnp_complex {
    R re, im;
};
typedef mnp_complex<float> mnp_complex64;
typedef mnp_complex<double> mnp_complex128;

/* The bits of a float, and the float with given bits. */
MNP_INLINE uint32_t mnp_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
MNP_INLINE float mnp_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* condition ? yes : no, without a branch, which would prevent vectorisation. */
MNP_INLINE uint32_t mnp_select(bool condition, uint32_t yes, uint32_t no)
{
    return no ^ ((yes ^ no) & (0 - (uint32_t)condition));
}

/*
 * Floats of two bytes: IEEE binary16, and bfloat16, the upper half of a float.  Arithmetic converts them to float; a
 * result is rounded to nearest, ties to even, when it is stored.
 */
MNP_INLINE float mnp_float16_value(uint16_t bits)
{
#if MNP_PTX
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#else
    const uint32_t bias = 112u << 23,
                   largest = 0x7c00u << 13; /* the difference of the exponents' biases; the exponent of infinity */
    uint32_t shifted = (uint32_t)(bits & 0x7fff) << 13, normal = shifted + bias;
    uint32_t subnormal = mnp_float_bits(mnp_float_of(normal + (1u << 23)) - 0x1p-14f);
    uint32_t result = mnp_select(shifted >= largest, normal + bias, mnp_select(shifted < 1u << 23, subnormal, normal));
    return mnp_float_of(result | (uint32_t)(bits & 0x8000) << 16);
#endif
}

MNP_INLINE uint16_t mnp_float16_bits(float x)
{
#if MNP_PTX
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    uint32_t all = mnp_float_bits(x), bits = all & 0x7fffffff;
    uint32_t normal = (bits - (112u << 23) + 0xfff + (bits >> 13 & 1)) >> 13;
    uint32_t subnormal = mnp_float_bits(mnp_float_of(bits) + 0.5f) - mnp_float_bits(0.5f); /* in units of 2^-24 */
    uint32_t finite = mnp_select(bits < 113u << 23, subnormal, mnp_select(bits < 143u << 23, normal, 0x7c00));
    return (uint16_t)(all >> 16 & 0x8000 | mnp_select(bits > 0x7f800000, 0x7e00 | bits >> 13 & 0x3ff, finite));
#endif
}

MNP_INLINE uint16_t mnp_bfloat16_bits(float x)
{
    uint32_t bits = mnp_float_bits(x), rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (uint16_t)(mnp_select((bits & 0x7fffffff) > 0x7f800000, bits | 0x400000, rounded) >> 16);
}

/*
 * Round a double to odd: if it is not a float, the result is the adjacent float whose last bit is set.  Rounding that
 * again to fewer bits gives the same as rounding the double once.
 */
MNP_INLINE float mnp_round_to_odd(double x)
{
    float nearest = (float)x;
    double difference = (double)nearest - x;
    uint32_t bits = mnp_float_bits(nearest), towards_zero = (difference > 0) == (x > 0) ? 1 : 0;
    uint32_t odd = towards_zero ? bits - 1 : bits + 1;
    return difference == 0 || (bits & 1) || x != x || x - x != 0 ? nearest : mnp_float_of(odd);
}

#define MNP_DEFINE_HALF(type, to_float, to_bits)                                                                       \
    struct type {                                                                                                      \
        uint16_t bits;                                                                                                 \
        type() = default;                                                                                              \
        template <typename T> MNP_INLINE type(T x) : bits(to_bits((float)x))                                           \
        {                                                                                                              \
        }                                                                                                              \
        MNP_INLINE type(double x) : bits(to_bits(mnp_round_to_odd(x)))                                                 \
        {                                                                                                              \
        }                                                                                                              \
        MNP_INLINE operator float() const                                                                              \
        {                                                                                                              \
            return to_float;                                                                                           \
        }                                                                                                              \
        template <typename T> MNP_INLINE type &operator+=(T x)                                                         \
        {                                                                                                              \
            return *this = *this + x;                                                                                  \
        }                                                                                                              \
        template <typename T> MNP_INLINE type &operator-=(T x)                                                         \
        {                                                                                                              \
            return *this = *this - x;                                                                                  \
        }                                                                                                              \
        template <typename T> MNP_INLINE type &operator*=(T x)                                                         \
        {                                                                                                              \
            return *this = *this * x;                                                                                  \
        }                                                                                                              \
        template <typename T> MNP_INLINE type &operator/=(T x)                                                         \
        {                                                                                                              \
            return *this = *this / x;                                                                                  \
        }                                                                                                              \
    };
MNP_DEFINE_HALF(mnp_float16, mnp_float16_value(bits), mnp_float16_bits)
MNP_DEFINE_HALF(mnp_bfloat16, mnp_float_of((uint32_t)bits << 16), mnp_bfloat16_bits)

#include "kernels/cast.h"
