/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges sorted runs, every two neighbouring ones into one.  The merge is stable.
 *
 * Workers take equal shares of the outputs, independent of the lengths of the runs.  Where a share begins in both of
 * its runs is found by bisection along a diagonal (S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, Merge Path -
 * Parallel Merging Made Simple, 2012).  Compiled with
 *   MNP_KEY           type of the keys
 *   MNP_PAYLOAD       1: 8 bytes go along with every key; otherwise 0
 *   MNP_DESCENDING    1: the largest first; otherwise 0
 *   MNP_THREADS       on GPUs: threads of a block
 *   MNP_ITEMS         on GPUs: elements of a thread
 */
#include "kernels/prelude.h"
#include "kernels/math_types.h"
#include "kernels/sort/merge_params.h"

/* Whether x comes before y in NumPy's order, where NaN is last. */
template <typename T> MNP_INLINE bool mnp_precedes(T x, T y)
{
    if constexpr (mnp_is_half<T>)
        return mnp_precedes((float)x, (float)y);
    else if constexpr (mnp_is_integer<T>)
        return x < y;
    else
        return (x < y) | ((y != y) & (x == x));
}
MNP_INLINE bool mnp_precedes(mnp_bool x, mnp_bool y)
{
    return x.value < y.value;
}
template <typename R> MNP_INLINE bool mnp_precedes(mnp_complex<R> x, mnp_complex<R> y)
{
    const bool x_is_nan = x.im != x.im, y_is_nan = y.im != y.im;
    if (x.re < y.re)
        return !x_is_nan || y_is_nan;
    if (x.re > y.re)
        return y_is_nan && !x_is_nan;
    if (x.re == y.re || (x.re != x.re && y.re != y.re))
        return x.im < y.im || (y_is_nan && !x_is_nan);
    return y.re != y.re;
}

/* Whether an element of the second run goes before one of the first. */
MNP_INLINE bool mnp_goes_first(MNP_KEY second, MNP_KEY first)
{
    return MNP_DESCENDING ? mnp_precedes(first, second) : mnp_precedes(second, first);
}

/* Two runs that become one: where they begin, how long they are. */
struct mnp_pair {
    int64_t first, second, first_length, second_length;
};

/* The pair that output number `at` belongs to. */
MNP_INLINE mnp_pair mnp_find_pair(const mnp_merge_params &p, int64_t at)
{
    int64_t low = 0, high = (p.nruns + 2 * p.span - 1) / (2 * p.span); /* the pair is one of low .. high - 1 */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (p.starts[middle * 2 * p.span] <= at)
            low = middle;
        else
            high = middle;
    }
    const int64_t run = low * 2 * p.span;
    const int64_t middle = run + p.span < p.nruns ? run + p.span : p.nruns;
    const int64_t end = run + 2 * p.span < p.nruns ? run + 2 * p.span : p.nruns;
    const int64_t first = p.starts[run], second = p.starts[middle];
    return mnp_pair{first, second, second - first, p.starts[end] - second};
}

/* How many of the first `outputs` outputs come from the first run: where the merge path crosses that diagonal. */
template <typename Index>
MNP_INLINE Index mnp_path(const MNP_KEY *first, Index first_length, const MNP_KEY *second, Index second_length,
                          Index outputs)
{
    Index low = (Index)mnp_greatest(outputs - second_length, 0), high = (Index)mnp_least(outputs, first_length);
    while (low < high) {
        const Index middle = (low + high) / 2;
        if (mnp_goes_first(second[outputs - 1 - middle], first[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#if MNP_CUDA
#include "kernels/sort/merge_cuda.h"
#else
#include "kernels/sort/merge_host.h"
#endif
