/*
 * CUDA's words for the host's compiler: enough for kernels whose threads do not meet.
 *
 * A launch deals out its blocks to the workers; a block's threads run one after the other, so that what a block shares is
 * its worker's own.  Barriers and whatever else makes threads meet are refused before this is compiled.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "raw_call.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static __thread
#define MNP_DYNAMIC_SHARED __thread
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

/* ---- vector types ---- */

#define MNP_VECTORS(type, name)                                                                                        \
    struct name##1 {                                                                                                   \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct name##2 {                                                                                                   \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct name##4 {                                                                                                   \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    static inline name##1 make_##name##1(type x)                                                                       \
    {                                                                                                                  \
        return {x};                                                                                                    \
    }                                                                                                                  \
    static inline name##2 make_##name##2(type x, type y)                                                               \
    {                                                                                                                  \
        return {x, y};                                                                                                 \
    }                                                                                                                  \
    static inline name##3 make_##name##3(type x, type y, type z)                                                       \
    {                                                                                                                  \
        return {x, y, z};                                                                                              \
    }                                                                                                                  \
    static inline name##4 make_##name##4(type x, type y, type z, type w)                                               \
    {                                                                                                                  \
        return {x, y, z, w};                                                                                           \
    }
MNP_VECTORS(signed char, char)
MNP_VECTORS(unsigned char, uchar)
MNP_VECTORS(short, short)
MNP_VECTORS(unsigned short, ushort)
MNP_VECTORS(int, int)
MNP_VECTORS(unsigned, uint)
MNP_VECTORS(long, long)
MNP_VECTORS(unsigned long, ulong)
MNP_VECTORS(long long, longlong)
MNP_VECTORS(unsigned long long, ulonglong)
MNP_VECTORS(float, float)
MNP_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const
    {
        return {x, y, z};
    }
};

/* ---- where a thread is ---- */

static __thread uint3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

/* ---- functions ---- */

template <typename T> static inline T min(T a, T b)
{
    return b < a ? b : a;
}
template <typename T> static inline T max(T a, T b)
{
    return a < b ? b : a;
}
static inline float min(float a, float b)
{
    return fminf(a, b);
}
static inline float max(float a, float b)
{
    return fmaxf(a, b);
}
static inline double min(double a, double b)
{
    return fmin(a, b);
}
static inline double max(double a, double b)
{
    return fmax(a, b);
}
static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
static inline double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static inline float __fdividef(float a, float b)
{
    return a / b;
}
static inline float __saturatef(float x)
{
    return x > 0 ? x < 1 ? x : 1.0f : 0.0f;
}
/* The C library has functions of these names, of its own */
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
template <typename T> static inline T __ldg(const T *p)
{
    return *p;
}
static inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_block()
{
}

/* ---- atomic functions: workers run at the same time ---- */

/* Replace *p by what `f` makes of it; gives the old value. */
template <typename T, typename F> static inline T mnp_update(T *p, F f)
{
    T old, wanted;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        wanted = f(old);
    while (!__atomic_compare_exchange(p, &old, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}
template <typename T> struct mnp_same {
    typedef T type;
};
#define MNP_ATOMIC(name, value)                                                                                        \
    template <typename T> static inline T name(T *p, typename mnp_same<T>::type x)                                     \
    {                                                                                                                  \
        return mnp_update(p, [x](T old) -> T { return value; });                                                       \
    }                                                                                                                  \
    template <typename T> static inline T name##_block(T *p, typename mnp_same<T>::type x)                             \
    {                                                                                                                  \
        return name(p, x);                                                                                             \
    }
MNP_ATOMIC(atomicAdd, old + x)
MNP_ATOMIC(atomicSub, old - x)
MNP_ATOMIC(atomicExch, x)
MNP_ATOMIC(atomicMin, x < old ? x : old)
MNP_ATOMIC(atomicMax, old < x ? x : old)
MNP_ATOMIC(atomicAnd, old &x)
MNP_ATOMIC(atomicOr, old | x)
MNP_ATOMIC(atomicXor, old ^ x)
MNP_ATOMIC(atomicInc, old >= x ? 0 : old + 1)
MNP_ATOMIC(atomicDec, old == 0 || old > x ? x : old - 1)
#undef MNP_ATOMIC
template <typename T>
static inline T atomicCAS(T *p, typename mnp_same<T>::type compare, typename mnp_same<T>::type value)
{
    T old = compare, wanted = value;
    __atomic_compare_exchange(p, &old, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return old;
}

/* ---- launching ---- */

namespace
{

/* What is known of a kernel or of a variable, given by its address. */
template <auto address, bool is_kernel = std::is_function<typename std::remove_pointer<decltype(address)>::type>::value>
struct mnp_raw {
    static mnp_raw_entry entry()
    {
        return {nullptr, 0, nullptr, (void *)address, sizeof *address};
    }
};

template <typename... P, void (*kernel)(P...)> struct mnp_raw<kernel, true> {
    template <size_t... I> static void share(const mnp_raw_call *call, int64_t begin, int64_t end, std::index_sequence<I...>)
    {
        const unsigned *grid = call->grid, *block = call->block;
        gridDim = {grid[0], grid[1], grid[2]};
        blockDim = {block[0], block[1], block[2]};
        for (int64_t b = begin; b < end; b++) {
            blockIdx = {(unsigned)(b % grid[0]), (unsigned)(b / grid[0] % grid[1]), (unsigned)(b / grid[0] / grid[1])};
            for (unsigned z = 0; z < block[2]; z++)
                for (unsigned y = 0; y < block[1]; y++)
                    for (unsigned x = 0; x < block[0]; x++) {
                        threadIdx = {x, y, z};
                        kernel(*(typename std::remove_reference<P>::type *)call->arguments[I]...);
                    }
        }
    }
    static void run(const mnp_raw_call *call, long long worker, long long workers)
    {
        int64_t blocks = (int64_t)call->grid[0] * call->grid[1] * call->grid[2];
        int64_t longer = blocks % workers, size = blocks / workers;
        int64_t begin = size * worker + (worker < longer ? worker : longer);
        share(call, begin, begin + size + (worker < longer), std::index_sequence_for<P...>());
    }
    static constexpr unsigned sizes[] = {sizeof(P)..., 0};
    static constexpr mnp_raw_entry entry()
    {
        return {run, (int)sizeof...(P), sizes, nullptr, 0};
    }
};

} // namespace

#define MNP_RAW_EXPORT(name, ...)                                                                                      \
    extern "C" __attribute__((visibility("default"))) const mnp_raw_entry name = mnp_raw<__VA_ARGS__>::entry();
