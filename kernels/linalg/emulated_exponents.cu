/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power of two for each row of A or column of B of an emulated product: the largest with which its Euclidean norm
 * stays below a limit.
 *
 * On a GPU a warp reads a line whose elements follow each other; of lines that lie across, a block reads 32.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/emulated.h"

/* Sums of squares of elements by their size, so that none overflows or vanishes, and how many are NaN or infinite. */
struct mnp_squares {
    double large, middle, small; /* in units of 2^1200, 1 and 2^-1200 */
    double others;
};

MNP_FUNCTION void mnp_add_rare(mnp_squares &sum, double x)
{
    const bool large = x > 1 || x < -1;
    const double scaled = x * (large ? 0x1p-600 : 0x1p600);
    if (!mnp_is_finite(x))
        sum.others += 1;
    else if (large)
        sum.large += scaled * scaled;
    else
        sum.small += scaled * scaled;
}

/* Squares of numbers from 2^-499 to 2^500, and of all floats, are doubles. */
MNP_INLINE void mnp_add_square(mnp_squares &sum, MNP_T x)
{
#if MNP_DOUBLE
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const bool usual = (uint32_t)(bits >> 52 & 0x7ff) - 524u < 999u;
#else
    const bool usual = (mnp_float_bits(x) & 0x7f800000) != 0x7f800000;
#endif
    if (usual)
        sum.middle = mnp_fused(x, x, sum.middle);
    else
        mnp_add_rare(sum, x);
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

/* A row of A, complex or not, or a column of B: where its numbers are, and their sum of squares as exponents. */
MNP_INLINE const MNP_T *mnp_line(const mnp_emulated_operand &x, int64_t batch, int64_t line)
{
    return (const MNP_T *)x.data + (1 + MNP_COMPLEX) * (batch * x.batch + line * x.vector);
}

MNP_INLINE void mnp_set_exponent(const mnp_emulated_exponents_params &p, int64_t number, const mnp_squares &sum)
{
    const int exponent = mnp_exponent(sum, p.limit);
#if MNP_COMPLEX
    if (p.operand.left) {
        p.operand.exponents[2 * number] = p.operand.exponents[2 * number + 1] = exponent;
        return;
    }
#endif
    p.operand.exponents[number] = exponent;
}

MNP_INLINE void mnp_add_element(mnp_squares &sum, const MNP_T *at)
{
    mnp_add_square(sum, at[0]);
#if MNP_COMPLEX
    mnp_add_square(sum, at[1]);
#endif
}

#if MNP_CUDA

MNP_INLINE double mnp_warp_sum(double x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, distance);
    return x;
}

/* The numbers of a line that follow each other, by a warp: 16 bytes a thread where they are aligned. */
MNP_FUNCTION mnp_squares mnp_along(const MNP_T *line, int64_t count, int lane)
{
    enum { WIDTH = 16 / sizeof(MNP_T) };
    struct alignas(16) quad {
        MNP_T x[WIDTH];
    };
    mnp_squares sum = {};
    const int64_t quads = (uint64_t)line % 16 == 0 ? count / WIDTH : 0;
#pragma unroll 4
    for (int64_t i = lane; i < quads; i += 32) {
        const quad q = ((const quad *)line)[i];
        for (int j = 0; j < WIDTH; j++)
            mnp_add_square(sum, q.x[j]);
    }
    for (int64_t i = quads * WIDTH + lane; i < count; i += 32)
        mnp_add_square(sum, line[i]);
    return {mnp_warp_sum(sum.large), mnp_warp_sum(sum.middle), mnp_warp_sum(sum.small), mnp_warp_sum(sum.others)};
}

/*
 * Element i of a line is `stride` numbers behind element 0; a warp has a line a thread, and every `warps`-th element.
 */
MNP_FUNCTION mnp_squares mnp_across(const MNP_T *line, int64_t count, int64_t stride, int warp, int warps)
{
    mnp_squares sum = {};
    const MNP_T *at = line + warp * stride;
    stride *= warps;
#pragma unroll 8
    for (int64_t i = warp; i < count; i += warps, at += stride)
        mnp_add_element(sum, at);
    return sum;
}

MNP_KERNEL(emulated_exponents, mnp_emulated_exponents_params)
{
    __shared__ mnp_squares sums[MNP_EMULATED_EXPONENTS_THREADS / 32][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int64_t lines = p.operand.count / (MNP_COMPLEX && p.operand.left ? 2 : 1), all = p.batches * lines;
    const int64_t elements = p.operand.depth / (1 + MNP_COMPLEX);
    if (p.operand.along == 1) {
        for (int64_t l = (int64_t)blockIdx.x * warps + warp; l < all; l += (int64_t)gridDim.x * warps) {
            const mnp_squares sum = mnp_along(mnp_line(p.operand, l / lines, l % lines), p.operand.depth, lane);
            if (lane == 0)
                mnp_set_exponent(p, l, sum);
        }
        return;
    }
    for (int64_t first = (int64_t)blockIdx.x * 32; first < all; first += (int64_t)gridDim.x * 32) {
        const int64_t l = first + lane, stride = (1 + MNP_COMPLEX) * p.operand.along;
        mnp_squares sum = {};
        if (l < all)
            sum = mnp_across(mnp_line(p.operand, l / lines, l % lines), elements, stride, warp, warps);
        sums[warp][lane] = sum;
        __syncthreads();
        if (warp == 0 && l < all) {
            for (int w = 1; w < warps; w++) {
                sum.large += sums[w][lane].large;
                sum.middle += sums[w][lane].middle;
                sum.small += sums[w][lane].small;
                sum.others += sums[w][lane].others;
            }
            mnp_set_exponent(p, l, sum);
        }
        __syncthreads();
    }
}

#else

MNP_KERNEL(emulated_exponents, mnp_emulated_exponents_params)
{
    const int64_t lines = p.operand.count / (MNP_COMPLEX && p.operand.left ? 2 : 1);
    MNP_FOR (l, p.batches * lines) {
        const MNP_T *line = mnp_line(p.operand, l / lines, l % lines);
        mnp_squares sum = {};
        for (int64_t i = 0; i < p.operand.depth / (1 + MNP_COMPLEX); i++)
            mnp_add_element(sum, line + (1 + MNP_COMPLEX) * i * p.operand.along);
        mnp_set_exponent(p, l, sum);
    }
}

#endif
