/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The integers that stand for a part of the rows of A or the columns of B of an emulated product, modulo each of the
 * moduli.  A vector with a NaN or an infinity has zeros.
 *
 * On a GPU a block takes tiles of vectors through shared memory, which is read along the way in which the operand is
 * stored, and written along the vectors, four residues at a time.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/emulated.h"

/* An element times two powers of two, rounded to an integer. */
MNP_INLINE double mnp_integer(double x, double first, double second)
{
    const double scaled = x * first * second;
#if !MNP_DOUBLE /* of at most 28 bits */
    return (scaled + MNP_ROUNDING) - MNP_ROUNDING;
#elif MNP_CUDA
    return rint(scaled);
#else
    return __builtin_rint(scaled);
#endif
}

/* What a vector is multiplied by, in two steps: zeros if that is not finite, or beyond the operand. */
MNP_INLINE void mnp_factors(const mnp_emulated_residues_params &p, int64_t batch, int64_t vector, double *factors)
{
    const int64_t b = p.first_batch + batch, v = p.first_vector + vector;
    const int e = v < p.operand.count ? p.operand.exponents[b * p.operand.count + v] : MNP_EMULATED_NOT_FINITE;
    const bool some = e != MNP_EMULATED_NOT_FINITE;
    factors[0] = some ? mnp_power_of_two(e / 2) : 0;
    factors[1] = some ? mnp_power_of_two(e - e / 2) : 0;
}

/*
 * An integer modulo the modulus of that number, -128 to 127.  mnp_residue() is at most 0.513 m in size, and hardly
 * more than 0.5 m of floats, so that only 256, for which 8 bits wrap around, and the next three moduli can go beyond.
 */
MNP_INLINE int mnp_small_residue(const mnp_emulated_residues_params &p, double x, int number)
{
    const double residue = mnp_residue(x, p.moduli.modulus[number], p.moduli.inverse[number]);
#if MNP_CUDA
    const int r = __double2loint(residue + MNP_ROUNDING);
#else
    const int r = (int)residue;
#endif
    if (sizeof(MNP_T) == sizeof(float) || number > 3)
        return number == 0 ? (int8_t)r : r;
    const int m = (int)p.moduli.modulus[number];
    return r > 127 ? r - m : r < -128 ? r + m : r;
}

#if MNP_CUDA

MNP_KERNEL(emulated_residues, mnp_emulated_residues_params)
{
    __shared__ double tile[MNP_EMULATED_VECTORS][MNP_EMULATED_DEPTH + 1], factors[MNP_EMULATED_VECTORS][2];
    const int64_t down = (p.vectors + MNP_EMULATED_VECTORS - 1) / MNP_EMULATED_VECTORS;
    const int64_t deep = (p.elements + MNP_EMULATED_DEPTH - 1) / MNP_EMULATED_DEPTH;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int64_t t = blockIdx.x; t < p.batches * down * deep; t += gridDim.x) {
        const int64_t batch = t / (down * deep);
        const int64_t first = t / deep % down * MNP_EMULATED_VECTORS, start = t % deep * MNP_EMULATED_DEPTH;
        if (threadIdx.x < MNP_EMULATED_VECTORS)
            mnp_factors(p, batch, first + threadIdx.x, factors[threadIdx.x]);
        __syncthreads();
        const int64_t left = p.operand.depth - p.first_element - start;
#pragma unroll 8
        for (int i = threadIdx.x; i < MNP_EMULATED_VECTORS * MNP_EMULATED_DEPTH; i += MNP_EMULATED_THREADS) {
            const int v = p.across ? i % MNP_EMULATED_VECTORS : i / MNP_EMULATED_DEPTH;
            const int e = p.across ? i / MNP_EMULATED_VECTORS : i % MNP_EMULATED_DEPTH;
            double x = 0;
            if (e < left && factors[v][0] > 0)
                x = mnp_element(p.operand, p.first_batch + batch, p.first_vector + first + v,
                                p.first_element + start + e);
            tile[v][e] = mnp_integer(x, factors[v][0], factors[v][1]);
        }
        __syncthreads();
        const int64_t element = start + 4 * lane;
        for (int v = warp; v < MNP_EMULATED_VECTORS; v += MNP_EMULATED_THREADS / 32) {
            if (first + v >= p.vectors || element >= p.elements)
                continue;
            double x[4];
            for (int i = 0; i < 4; i++)
                x[i] = tile[v][4 * lane + i];
#pragma unroll
            for (int m = 0; m < MNP_MODULI; m++) {
                int r[4];
                for (int i = 0; i < 4; i++)
                    r[i] = mnp_small_residue(p, x[i], m);
                const uint32_t four = __byte_perm(__byte_perm(r[0], r[1], 0x40), __byte_perm(r[2], r[3], 0x40), 0x5410);
                const int64_t at = ((m * p.batches + batch) * p.vectors + first + v) * p.elements + element;
                *(uint32_t *)((MNP_RESIDUE *)p.residues + at) = four;
            }
        }
        __syncthreads();
    }
}

#else

MNP_KERNEL(emulated_residues, mnp_emulated_residues_params)
{
    MNP_RESIDUE *residues = (MNP_RESIDUE *)p.residues;
    const int64_t each = p.batches * p.vectors * p.elements;
    MNP_FOR (line, p.batches * p.vectors) {
        const int64_t batch = line / p.vectors, vector = line % p.vectors;
        double factors[2];
        mnp_factors(p, batch, vector, factors);
        for (int64_t e = 0; e < p.elements; e++) {
            double x = 0;
            if (e < p.operand.depth - p.first_element && factors[0] > 0)
                x = mnp_element(p.operand, p.first_batch + batch, p.first_vector + vector, p.first_element + e);
            x = mnp_integer(x, factors[0], factors[1]);
            for (int m = 0; m < MNP_MODULI; m++)
                residues[m * each + line * p.elements + e] = (MNP_RESIDUE)mnp_small_residue(p, x, m);
        }
    }
}

#endif
