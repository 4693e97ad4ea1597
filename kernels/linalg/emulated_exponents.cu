/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power of two for each row of A or column of B of an emulated product: the largest with which its Euclidean norm
 * stays below a limit.
 *
 * On a GPU a warp reads a vector whose elements follow each other; of vectors that lie across, a block reads 32.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/emulated.h"

/* Sums of squares of elements by their size, so that none overflows or vanishes, and how many are NaN or infinite. */
struct mnp_squares {
    double large, middle, small; /* in units of 2^1200, 1 and 2^-1200 */
    double others;
};

MNP_INLINE void mnp_add_square(mnp_squares &sum, double x)
{
    const double size = x < 0 ? -x : x;
    const bool large = size > 0x1p500, small = size < 0x1p-500;
    const double scaled = x * (large ? 0x1p-600 : small ? 0x1p600 : 1.0);
    if (!mnp_is_finite(x))
        sum.others += 1;
    else if (large)
        sum.large += scaled * scaled;
    else if (small)
        sum.small += scaled * scaled;
    else
        sum.middle += scaled * scaled;
}

MNP_INLINE double mnp_root(double x)
{
#if MNP_CUDA
    return sqrt(x);
#else
    return __builtin_sqrt(x);
#endif
}

MNP_INLINE int mnp_exponent(const mnp_squares &sum, double limit)
{
    if (sum.others > 0)
        return MNP_EMULATED_NOT_FINITE;
    const double squares = sum.large > 0    ? sum.large + sum.middle * 0x1p-1000 * 0x1p-200
                           : sum.middle > 0 ? sum.middle + sum.small * 0x1p-1000 * 0x1p-200
                                            : sum.small;
    const int unit = sum.large > 0 ? 600 : sum.middle > 0 ? 0 : -600;
    if (!(squares > 0))
        return 0;
    const double ratio = limit / mnp_root(squares);
    uint64_t bits;
    memcpy(&bits, &ratio, sizeof bits);
    return (int)(bits >> 52) - 1023 - unit;
}

#if MNP_CUDA

MNP_INLINE double mnp_warp_sum(double x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, distance);
    return x;
}

enum { MNP_WARPS = MNP_EMULATED_THREADS / 32 };

MNP_FUNCTION void mnp_along(const mnp_emulated_exponents_params &p)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int64_t v = (int64_t)blockIdx.x * MNP_WARPS + warp; v < p.batches * p.operand.count;
         v += (int64_t)gridDim.x * MNP_WARPS) {
        const int64_t batch = v / p.operand.count, vector = v % p.operand.count;
        mnp_squares sum = {};
#pragma unroll 4
        for (int64_t e = lane; e < p.operand.depth; e += 32)
            mnp_add_square(sum, mnp_element(p.operand, batch, vector, e));
        sum = {mnp_warp_sum(sum.large), mnp_warp_sum(sum.middle), mnp_warp_sum(sum.small), mnp_warp_sum(sum.others)};
        if (lane == 0)
            p.operand.exponents[v] = mnp_exponent(sum, p.limit);
    }
}

MNP_FUNCTION void mnp_across(const mnp_emulated_exponents_params &p)
{
    __shared__ mnp_squares sums[MNP_WARPS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t groups = (p.operand.count + 31) / 32;
    for (int64_t group = blockIdx.x; group < p.batches * groups; group += gridDim.x) {
        const int64_t batch = group / groups, vector = group % groups * 32 + lane;
        mnp_squares sum = {};
        if (vector < p.operand.count) {
#pragma unroll 4
            for (int64_t e = warp; e < p.operand.depth; e += MNP_WARPS)
                mnp_add_square(sum, mnp_element(p.operand, batch, vector, e));
        }
        sums[warp][lane] = sum;
        __syncthreads();
        if (warp == 0 && vector < p.operand.count) {
            for (int w = 1; w < MNP_WARPS; w++) {
                sum.large += sums[w][lane].large;
                sum.middle += sums[w][lane].middle;
                sum.small += sums[w][lane].small;
                sum.others += sums[w][lane].others;
            }
            p.operand.exponents[batch * p.operand.count + vector] = mnp_exponent(sum, p.limit);
        }
        __syncthreads();
    }
}

MNP_KERNEL(emulated_exponents, mnp_emulated_exponents_params)
{
    if (p.across)
        mnp_across(p);
    else
        mnp_along(p);
}

#else

MNP_KERNEL(emulated_exponents, mnp_emulated_exponents_params)
{
    MNP_FOR (v, p.batches * p.operand.count) {
        mnp_squares sum = {};
        for (int64_t e = 0; e < p.operand.depth; e++)
            mnp_add_square(sum, mnp_element(p.operand, v / p.operand.count, v % p.operand.count, e));
        p.operand.exponents[v] = mnp_exponent(sum, p.limit);
    }
}

#endif
