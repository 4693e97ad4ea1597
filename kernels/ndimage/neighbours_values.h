/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all kernels of filters begin with: the parameters, the window, and how elements become values and values
 * results.
 *
 * They are compiled with
 *   MNP_IN, MNP_OUT      types of the input and of the result in memory
 *   MNP_VALUE            an arithmetic type, in which everything is computed
 *   MNP_ORDERED          1: MNP_VALUE is an unsigned integer, whose order is that of the input's values
 *   MNP_NDIM             dimensions, at least 2
 *   MNP_SPANS            extents of the window, separated by commas
 *   MNP_TX, MNP_TY       outputs of a tile
 *   MNP_THREADS          on a GPU: threads of a block
 */
#include "kernels/prelude.h"
#include "kernels/boundary.h"
#include "kernels/ndimage/neighbours_params.h"
#include "kernels/nest.h"
#if MNP_ORDERED
#include "kernels/ndimage/neighbours_ordered.h"
#endif

static constexpr int mnp_spans[MNP_NDIM] = {MNP_SPANS};

/* The lesser and the greater of two values, or of several side by side, one by one. */
template <typename T> MNP_INLINE T mnp_lesser(T a, T b)
{
    return a < b ? a : b;
}
template <typename T> MNP_INLINE T mnp_greater(T a, T b)
{
    return a > b ? a : b;
}

MNP_INLINE MNP_VALUE mnp_take(MNP_IN x)
{
#if MNP_ORDERED
    return mnp_ordered<MNP_IN>::from(x);
#else
    return mnp_to<MNP_VALUE>::from(x);
#endif
}

MNP_INLINE MNP_OUT mnp_give(MNP_VALUE x)
{
#if MNP_ORDERED
    return mnp_to<MNP_OUT>::from(mnp_ordered<MNP_IN>::to(x));
#else
    return mnp_to<MNP_OUT>::from(x);
#endif
}
