/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Determinants of factored matrices: products of the diagonals of U, of MNP_T, with the signs of the exchanges of rows.
 * On a GPU a warp has a matrix.
 */
#include "kernels/linalg/determinants_params.h"
#include "kernels/linalg/pivots.h"

#if MNP_CUDA
constexpr int mnp_lanes = 32;

/* Join what the lanes of a warp have, in the first one. */
MNP_INLINE void mnp_join_lanes(mnp_determinant &d)
{
#pragma unroll
    for (int by = mnp_lanes / 2; by > 0; by /= 2) {
        mnp_determinant other;
        other.re = __shfl_down_sync(0xffffffffu, d.re, by);
        other.im = __shfl_down_sync(0xffffffffu, d.im, by);
        other.logarithm = __shfl_down_sync(0xffffffffu, d.logarithm, by);
        other.zero = __shfl_down_sync(0xffffffffu, d.zero, by);
        d.join(other);
    }
}
#else
constexpr int mnp_lanes = 1;
MNP_INLINE void mnp_join_lanes(mnp_determinant &)
{
}
#endif

MNP_KERNEL(determinants, mnp_determinants_params)
{
    MNP_FOR (unit, p.count * mnp_lanes) {
        const int64_t number = mnp_quotient(unit, mnp_lanes), lane = unit - number * mnp_lanes;
        const MNP_T *diagonal = (const MNP_T *)p.diagonals + number * p.n;
        const int *rows = p.rows + number * p.n;
        mnp_determinant d;
        d.start();
        for (int64_t k = lane; k < p.n; k += mnp_lanes)
            d.take(diagonal[k], rows[k] != k + 1);
        mnp_join_lanes(d);
        if (lane == 0)
            d.give((MNP_T *)p.results, p.logarithms, number);
    }
}
