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
#endif
#if MNP_PTX /* CUDA's own take two numbers of the same type, or of similar types */
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
#include "kernels/custom/complex.h"

typedef mnp_float16 float16;
typedef mnp_bfloat16 bfloat16;

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
template <typename T> MNP_INLINE T mnp_stored(T x)
{
    return x;
}
MNP_INLINE mnp_bool mnp_stored(bool x)
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

/* What CuPy's bodies know as _ind: the indices of all elements, of which _ind.size() is the number. */
struct mnp_indices {
    int64_t n;
    MNP_INLINE int64_t size() const
    {
        return n;
    }
};
