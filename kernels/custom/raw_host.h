/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA's keywords, variables and functions for the host's compiler.
 *
 * A launch divides its blocks among the workers, and each runs one block after the other, so the block's shared memory
 * belongs to the worker.  It runs the threads of a block in loops, or, in sources with barriers or other functions by
 * which threads meet, as fibers (raw_meet.h): lib/jit/raw_host.c then defines MNP_MEETS.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <type_traits>
#include <utility>

#include "kernels/libm.h"
#include "kernels/cuda_functions.h"
#include "kernels/custom/raw_index.h"
#include "kernels/custom/raw_params.h"

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
    struct name##1                                                                                                     \
    {                                                                                                                  \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct name##2                                                                                                     \
    {                                                                                                                  \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3                                                                                                     \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct name##4                                                                                                     \
    {                                                                                                                  \
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
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    operator uint3() const
    {
        return {x, y, z};
    }
};

/* ---- indices of threads and blocks ---- */

static __thread uint3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

/*
 * The place of a thread, which is a parameter of kernels whose threads use it only as
 * blockIdx.x * blockDim.x + threadIdx.x along x (lib/jit/raw_host.c finds them): the compiler sees through it.
 */
struct mnp_place {
    uint3 thread, block, block_dim, grid_dim;
};
#define MNP_HERE                                                                                                       \
    const uint3 threadIdx = mnp_here.thread, blockIdx = mnp_here.block, blockDim = mnp_here.block_dim,                 \
                gridDim = mnp_here.grid_dim;

/*
 * The places of all threads of a row, for kernels that go through the elements in steps of the whole grid
 * (lib/jit/raw_grid_loop.h): the first thread's place; the numbers of the first thread and of the one behind the last;
 * and the number of threads of the grid.
 */
struct mnp_turns : mnp_place {
    int64_t from, to, step;
};
#ifdef MNP_PLAIN_INDICES
#define MNP_KEPT
#define MNP_TURNS(variable, name, ...) for (variable = mnp_here.from; name < (__VA_ARGS__); name = name + mnp_here.step)
#else
#define MNP_KEPT const
/* for (variable = FIRST; name < BOUND; name += STEP) of all threads of a row, turn by turn */
#define MNP_TURNS(variable, name, ...)                                                                                 \
    for (int64_t mnp_before = 0, mnp_bound = mnp_bound_of(__VA_ARGS__); mnp_here.from + mnp_before < mnp_bound;        \
         mnp_before += mnp_here.step)                                                                                  \
    _Pragma("GCC ivdep") for (int64_t mnp_x = mnp_here.from + mnp_before,                                              \
                              mnp_end = mnp_least_of(mnp_here.to + mnp_before, mnp_bound);                             \
                              mnp_x < mnp_end; mnp_x++) if (const variable = mnp_thread_number{mnp_x}; true)

template <typename T> static inline int64_t mnp_bound_of(T bound)
{
    static_assert(std::is_integral<T>::value, "other bounds are compared as they are");
    return sizeof(T) == 8 && !std::is_signed<T>::value && bound > (T)INT64_MAX ? INT64_MAX : (int64_t)bound;
}
static inline int64_t mnp_least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A number for a variable of some integer type. */
struct mnp_thread_number {
    int64_t value;
    operator mnp_index() const
    {
        mnp_index index;
        index.value = value;
        return index;
    }
    template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0> operator T() const
    {
        if (value != (int64_t)(T)value) /* it is below the bound */
            __builtin_unreachable();
        return (T)value;
    }
};
#endif

/* ---- atomic functions: workers run at the same time ---- */

static inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system()
{
    __threadfence();
}
static inline void __threadfence_block()
{
}

/* Replace *p by f(*p) atomically, and return the old value. */
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

#ifdef MNP_MEETS
#include "kernels/custom/raw_meet.h"
#endif

/* ---- launching ---- */

/* The first of n blocks of a worker's share, where they are divided evenly. */
static inline int64_t mnp_first_block(int64_t n, int64_t worker, int64_t workers)
{
    const int64_t longer = n % workers;
    return n / workers * worker + (worker < longer ? worker : longer);
}

namespace
{

const unsigned mnp_most_threads = 1024; /* of a row of a block */
const unsigned mnp_most_narrow = 0x7fffffffu - mnp_most_threads;

/* What an address is that of. */
enum mnp_kind {
    MNP_VARIABLE,
    MNP_KERNEL_OF_PARAMETERS,
    MNP_KERNEL_OF_PLACES,
    MNP_KERNEL_OF_TURNS,
    MNP_KERNEL_THAT_MEETS
};
template <typename T> constexpr mnp_kind mnp_kind_of = MNP_VARIABLE;
#ifdef MNP_MEETS
template <typename... P> constexpr mnp_kind mnp_kind_of<void (*)(P...)> = MNP_KERNEL_THAT_MEETS;
#else
template <typename... P> constexpr mnp_kind mnp_kind_of<void (*)(P...)> = MNP_KERNEL_OF_PARAMETERS;
#endif
template <typename... P> constexpr mnp_kind mnp_kind_of<void (*)(mnp_place, P...)> = MNP_KERNEL_OF_PLACES;
template <typename... P> constexpr mnp_kind mnp_kind_of<void (*)(mnp_turns, P...)> = MNP_KERNEL_OF_TURNS;

/* Describes a kernel or a variable, given by its address. */
template <auto address, mnp_kind kind = mnp_kind_of<decltype(address)>> struct mnp_raw {
    static mnp_raw_entry entry()
    {
        return {nullptr, 0, 0, nullptr, (void *)address, sizeof *address};
    }
};

template <typename... P, void (*kernel)(P...)> struct mnp_raw<kernel, MNP_KERNEL_OF_PARAMETERS> {
    typedef void row_function(unsigned count, P... arguments);
    /* Run the threads of a row of a block, one after the other. */
    static void row(unsigned count, P... arguments)
    {
        for (unsigned x = 0; x < count; x++) {
            threadIdx.x = x;
            kernel(arguments...);
        }
    }
    /*
     * The same by vectors where the kernel allows it: threads without barriers may run in any order.  A kernel that
     * computes int i = blockIdx.x * blockDim.x + threadIdx.x reads neighbouring elements only if that does not exceed
     * the range of int, of which the compiler is told here.
     */
    __attribute__((flatten)) static void fast_row(unsigned count, P... arguments)
    {
        if (blockIdx.x * blockDim.x > mnp_most_narrow || count > mnp_most_threads)
            __builtin_unreachable();
#pragma omp simd
        for (unsigned x = 0; x < count; x++) {
            if (x >= mnp_most_threads)
                __builtin_unreachable();
            threadIdx.x = x;
            kernel(arguments...);
        }
    }
    template <size_t... I>
    static void share(const mnp_raw_call *call, int64_t begin, int64_t end, std::index_sequence<I...>)
    {
        const unsigned *grid = call->grid, *block = call->block;
        gridDim = {grid[0], grid[1], grid[2]};
        blockDim = {block[0], block[1], block[2]};
        row_function *run_row = (int64_t)grid[0] * block[0] <= mnp_most_narrow ? fast_row : row;
        for (int64_t b = begin; b < end; b++) {
            blockIdx = {(unsigned)(b % grid[0]), (unsigned)(b / grid[0] % grid[1]), (unsigned)(b / grid[0] / grid[1])};
            for (unsigned z = 0; z < block[2]; z++)
                for (unsigned y = 0; y < block[1]; y++) {
                    threadIdx.y = y;
                    threadIdx.z = z;
                    run_row(block[0], *(typename std::remove_reference<P>::type *)call->arguments[I]...);
                }
        }
    }
    static void run(const mnp_raw_call *call, long long worker, long long workers)
    {
        const int64_t blocks = (int64_t)call->grid[0] * call->grid[1] * call->grid[2];
        share(call, mnp_first_block(blocks, worker, workers), mnp_first_block(blocks, worker + 1, workers),
              std::index_sequence_for<P...>());
    }
    static constexpr unsigned sizes[] = {sizeof(P)..., 0};
    static constexpr mnp_raw_entry entry()
    {
        return {run, 0, (int)sizeof...(P), sizes, nullptr, 0};
    }
};

/*
 * Kernels that get places: neighbouring blocks along x are one long row of threads, as if they were one block, which
 * `Row` runs: numbers from .. to of the row of all blocks, where `is_narrow`; otherwise those of the block
 * `place.block`.
 */
template <typename Row, typename... P> struct mnp_raw_rows {
    template <size_t... I>
    static void share(const mnp_raw_call *call, int64_t begin, int64_t end, std::index_sequence<I...>)
    {
        const unsigned *grid = call->grid, *block = call->block;
        const bool is_narrow = (int64_t)grid[0] * block[0] <= mnp_most_narrow;
        mnp_place place = {{}, {}, {block[0], block[1], block[2]}, {grid[0], grid[1], grid[2]}};
        for (int64_t b = begin, next; b < end; b = next) {
            const int64_t first = b % grid[0], left = grid[0] - first < end - b ? grid[0] - first : end - b;
            next = b + (is_narrow ? left : 1);
            place.block = {(unsigned)first, (unsigned)(b / grid[0] % grid[1]), (unsigned)(b / grid[0] / grid[1])};
            for (unsigned z = 0; z < block[2]; z++)
                for (unsigned y = 0; y < block[1]; y++) {
                    place.thread = {0, y, z};
                    if (is_narrow)
                        Row::template row<true>(first * block[0], (first + left) * block[0], place,
                                                *(typename std::remove_reference<P>::type *)call->arguments[I]...);
                    else
                        Row::template row<false>(0, block[0], place,
                                                 *(typename std::remove_reference<P>::type *)call->arguments[I]...);
                }
        }
    }
    static void run(const mnp_raw_call *call, long long worker, long long workers)
    {
        const int64_t blocks = (int64_t)call->grid[0] * call->grid[1] * call->grid[2];
        share(call, mnp_first_block(blocks, worker, workers), mnp_first_block(blocks, worker + 1, workers),
              std::index_sequence_for<P...>());
    }
    static constexpr unsigned sizes[] = {sizeof(P)..., 0};
    static constexpr mnp_raw_entry entry()
    {
        return {run, 0, (int)sizeof...(P), sizes, nullptr, 0};
    }
};

/*
 * A kernel that is called for every thread.  A thread's number has 64 bits in this loop, so that the compiler can end
 * the loop where a kernel asks i < n.
 */
template <typename... P, void (*kernel)(mnp_place, P...)>
struct mnp_raw<kernel, MNP_KERNEL_OF_PLACES> : mnp_raw_rows<mnp_raw<kernel, MNP_KERNEL_OF_PLACES>, P...> {
    template <bool is_narrow>
    __attribute__((flatten)) static void row(int64_t from, int64_t to, mnp_place place, P... arguments)
    {
        if (is_narrow)
            place.block.x = 0;
        if (from < 0 || to > INT32_MAX)
            __builtin_unreachable();
#pragma GCC ivdep
        for (int64_t x = from; x < to; x++) {
            mnp_place here = place;
            here.thread.x = (unsigned)x;
            kernel(here, arguments...);
        }
    }
};

/* A kernel that is called for all threads of a row; for each of them where its text is left as it was. */
template <typename... P, void (*kernel)(mnp_turns, P...)>
struct mnp_raw<kernel, MNP_KERNEL_OF_TURNS> : mnp_raw_rows<mnp_raw<kernel, MNP_KERNEL_OF_TURNS>, P...> {
    template <bool is_narrow>
    __attribute__((flatten)) static void row(int64_t from, int64_t to, mnp_place place, P... arguments)
    {
        const int64_t before = is_narrow ? 0 : (int64_t)place.block.x * place.block_dim.x;
        const mnp_turns all = {place, before + from, before + to, (int64_t)place.grid_dim.x * place.block_dim.x};
#ifdef MNP_PLAIN_INDICES
        for (int64_t x = all.from; x < all.to; x++) {
            mnp_turns here = all;
            here.block.x = (unsigned)(x / place.block_dim.x);
            here.thread.x = (unsigned)(x % place.block_dim.x);
            here.from = x;
            kernel(here, arguments...);
        }
#else
        kernel(all, arguments...);
#endif
    }
};

#ifdef MNP_MEETS
/* A kernel whose threads meet, or may do so. */
template <typename... P, void (*kernel)(P...)> struct mnp_raw<kernel, MNP_KERNEL_THAT_MEETS> {
    template <size_t... I> static void start(const mnp_raw_call *call, std::index_sequence<I...>)
    {
        kernel(*(typename std::remove_reference<P>::type *)call->arguments[I]...);
    }
    static void thread(const mnp_raw_call *call, unsigned number)
    {
        const unsigned *block = call->block;
        threadIdx = {number % block[0], number / block[0] % block[1], number / block[0] / block[1]};
        start(call, std::index_sequence_for<P...>());
    }
    static void run(const mnp_raw_call *call, long long worker, long long workers)
    {
        const unsigned *grid = call->grid, *block = call->block;
        const int64_t blocks = (int64_t)grid[0] * grid[1] * grid[2], end = mnp_first_block(blocks, worker + 1, workers);
        mnp_block = call->blocks[worker];
        gridDim = {grid[0], grid[1], grid[2]};
        blockDim = {block[0], block[1], block[2]};
        for (int64_t b = mnp_first_block(blocks, worker, workers); b < end; b++) {
            blockIdx = {(unsigned)(b % grid[0]), (unsigned)(b / grid[0] % grid[1]), (unsigned)(b / grid[0] / grid[1])};
            mnp_block->run(mnp_block, block[0] * block[1] * block[2], thread, call);
        }
    }
    static constexpr unsigned sizes[] = {sizeof(P)..., 0};
    static constexpr mnp_raw_entry entry()
    {
        return {run, 1, (int)sizeof...(P), sizes, nullptr, 0};
    }
};
#endif

} // namespace

/* Define the entry of a kernel with C linkage; or any entry, whose name expression may contain commas. */
#define MNP_RAW_KERNEL(kernel) MNP_RAW_EXPORT(mnp_raw_##kernel, kernel)
#define MNP_RAW_LOOP(kernel) MNP_RAW_EXPORT(mnp_raw_##kernel, kernel, MNP_KERNEL_OF_PARAMETERS)
#define MNP_RAW_EXPORT(name, ...)                                                                                      \
    extern "C" __attribute__((visibility("default"))) const mnp_raw_entry name = mnp_raw<__VA_ARGS__>::entry();
