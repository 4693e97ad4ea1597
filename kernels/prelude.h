/*
 * What every kernel source starts with: types and conversions, the same for NVRTC and for the host's C++ compiler, and
 * the shape of a kernel.
 *
 *   MNP_KERNEL(name, params)      an entry point that takes one struct of parameters, `p`
 *   MNP_RANGE(i, n)               for (i over this thread's or worker's share of 0 .. n-1)
 *
 * On a GPU a kernel runs as a grid of threads; on the host as number `worker` of `workers`.  MNP_CUDA tells them apart.
 */
#ifdef __CUDACC_RTC__
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
#define MNP_KERNEL(name, params) extern "C" __global__ void name(const __grid_constant__ params p)
#define MNP_RANGE(i, n)                                                                                                \
    (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)gridDim.x * blockDim.x)
#else
#define MNP_CUDA 0
#include <stdint.h>
#include <string.h>
#define MNP_INLINE inline __attribute__((always_inline))
#define MNP_KERNEL(name, params)                                                                                       \
    static void name##_share(const params &p, int64_t worker, int64_t workers);                                        \
    extern "C" void name(const void *p, long long worker, long long workers)                                           \
    {                                                                                                                  \
        name##_share(*(const params *)p, worker, workers);                                                             \
    }                                                                                                                  \
    static void name##_share(const params &p, int64_t worker, int64_t workers)
#define MNP_RANGE(i, n)                                                                                                \
    (int64_t i = mnp_share_begin(n, worker, workers); i < mnp_share_begin(n, worker + 1, workers); i++)
/* Where the share of a worker begins when n items are dealt out evenly. */
static inline int64_t mnp_share_begin(int64_t n, int64_t worker, int64_t workers)
{
    int64_t longer = n % workers;
    return n / workers * worker + (worker < longer ? worker : longer);
}
#endif

/* NumPy's bool: one byte, 0 or 1. */
struct mnp_bool {
    uint8_t value;
};

template <typename R> struct mnp_complex {
    R re, im;
};
typedef mnp_complex<float> mnp_complex64;
typedef mnp_complex<double> mnp_complex128;

/* Conversion between any two types, as numpy.ndarray.astype(casting="unsafe"). */
template <typename To> struct mnp_to {
    template <typename From> static MNP_INLINE To from(From x)
    {
        return (To)x;
    }
    static MNP_INLINE To from(mnp_bool x)
    {
        return (To)x.value;
    }
    template <typename R> static MNP_INLINE To from(mnp_complex<R> x)
    {
        return (To)x.re;
    }
};

template <> struct mnp_to<mnp_bool> {
    template <typename From> static MNP_INLINE mnp_bool from(From x)
    {
        return mnp_bool{(uint8_t)(x != 0)};
    }
    static MNP_INLINE mnp_bool from(mnp_bool x)
    {
        return x;
    }
    template <typename R> static MNP_INLINE mnp_bool from(mnp_complex<R> x)
    {
        return mnp_bool{(uint8_t)(x.re != 0 || x.im != 0)};
    }
};

template <typename T> struct mnp_to<mnp_complex<T>> {
    template <typename From> static MNP_INLINE mnp_complex<T> from(From x)
    {
        return mnp_complex<T>{mnp_to<T>::from(x), (T)0};
    }
    template <typename R> static MNP_INLINE mnp_complex<T> from(mnp_complex<R> x)
    {
        return mnp_complex<T>{(T)x.re, (T)x.im};
    }
};
