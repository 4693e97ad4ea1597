/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms: how many elements are in each of many bins, or the sums of their weights.
 *
 * The library defines
 *   MNP_ELEMENT     the type of the elements in memory
 *   MNP_COMPARED    the type in which elements and edges are compared, and that of the edges
 *   MNP_BINS        how bins are found: kernels/statistics/histogram_params.h
 *   MNP_ARITHMETIC  the type in which even edges are computed, every operation rounded to it
 *   MNP_ESTIMATE    float or double: the type of the arithmetic that finds even bins
 *   MNP_BIN         int32_t or int64_t: the type of bins' numbers; it holds their count, too
 *   MNP_WEIGHTED    1: sums of weights, which are MNP_WEIGHT in memory; 0: counts
 *   MNP_SUM         the type of the sums
 *   MNP_SHARED      1: on a GPU, blocks have sums in shared memory
 *   MNP_COPIES      1: on a GPU, each lane of a warp has sums of weights of its own
 */
#include "kernels/prelude.h"
#include "kernels/statistics/histogram_params.h"

/* The type in which values are compared: float for floats of two bytes. */
template <typename T> struct mnp_comparable {
    typedef T type;
};
template <> struct mnp_comparable<mnp_float16> {
    typedef float type;
};
template <> struct mnp_comparable<mnp_bfloat16> {
    typedef float type;
};
typedef mnp_comparable<MNP_COMPARED>::type mnp_value;

MNP_INLINE mnp_value mnp_value_of(MNP_ELEMENT x)
{
    return (mnp_value)mnp_to<MNP_COMPARED>::from(x);
}

#if MNP_BINS == MNP_BINS_EVEN
/*
 * Edge `number` of even bins, with the same bits as in lib/ops/statistics/histogram.c: the compilers are told not to
 * fuse multiplications with additions.
 */
MNP_INLINE mnp_value mnp_edge(const mnp_histogram_params &p, int64_t number)
{
    typedef mnp_comparable<MNP_ARITHMETIC>::type wide;
    const MNP_ARITHMETIC i = (MNP_ARITHMETIC)(wide)number, product = (MNP_ARITHMETIC)((wide)i * (wide)p.step);
    const MNP_ARITHMETIC sum = (MNP_ARITHMETIC)((wide)product + (wide)p.low);
    return (mnp_value)mnp_to<MNP_COMPARED>::from(number == p.bins ? p.high : (double)(wide)sum);
}
#else
MNP_INLINE mnp_value mnp_edge(const mnp_histogram_params &p, int64_t number)
{
    return (mnp_value)((const MNP_COMPARED *)p.edges)[number];
}
#endif

template <typename T> MNP_INLINE void mnp_add_to(T &sum, T x)
{
    sum += x;
}
template <typename R> MNP_INLINE void mnp_add_to(mnp_complex<R> &sum, mnp_complex<R> x)
{
    sum.re += x.re;
    sum.im += x.im;
}

/* The offsets of an element and of its weight. */
struct mnp_place {
    int64_t element, weight;
};

MNP_INLINE mnp_place mnp_find(const mnp_histogram_params &p, int64_t number)
{
    mnp_place place = {0, 0};
    for (int d = p.ndim - 1; d > 0; d--) {
        const int64_t rest = mnp_quotient(number, p.extent[d]), index = number - rest * p.extent[d];
        place.element += index * p.stride[d];
        place.weight += index * p.weight_stride[d];
        number = rest;
    }
    place.element += number * p.stride[0];
    place.weight += number * p.weight_stride[0];
    return place;
}

/* The bin of a value, by comparison with edges, from an estimate that is right or off by one. */
MNP_INLINE MNP_BIN mnp_correct(const mnp_histogram_params &p, mnp_value value, MNP_BIN bin)
{
    const MNP_BIN last = (MNP_BIN)(p.bins - 1);
    bin -= value < mnp_edge(p, bin);
    bin += (bin < last) & (value >= mnp_edge(p, (int64_t)bin + 1));
    return bin;
}

#if MNP_CUDA
#include "kernels/prefix_sum.h"
#include "kernels/statistics/histogram_cuda.h"
#else
#include "kernels/statistics/histogram_host.h"
#endif
