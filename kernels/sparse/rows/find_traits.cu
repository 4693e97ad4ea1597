/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be told of a sparse matrix by reading each entry once: a fingerprint, whether it is Hermitian, and the signs
 * of its diagonal.
 *
 * Random weights w(i, j) = w(j, i) come of a hash of the two indices.  The sum of w(i, j) (a_ij - conj(a_ji)) over all
 * i < j is 0 for a Hermitian matrix, and for another one with no more than accidental probability.  Every entry adds
 * its own part of it, so no entry has to be looked up at the place opposite, which may be on another rank.  Compiled
 * with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/sparse/rows/find_traits_params.h"
#include "kernels/lines.h"

/*
 * The finalizer of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
 * 2014).
 */
MNP_INLINE uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* A number from 1/2 to 1 of those bits. */
MNP_INLINE double weight_of(uint64_t bits)
{
    return 0.5 + (double)(bits >> 11) * 0x1p-54;
}

MNP_INLINE mnp_complex128 widen(double x)
{
    return {x, 0};
}
template <typename R> MNP_INLINE mnp_complex128 widen(mnp_complex<R> x)
{
    return {x.re, x.im};
}

MNP_INLINE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

MNP_INLINE double size_of(double x)
{
    return x < 0 ? -x : x;
}

MNP_INLINE void add_entry(mnp_traits_sums &sums, int64_t row, int64_t column, mnp_complex128 value)
{
    const uint64_t low = (uint64_t)(row < column ? row : column), high = (uint64_t)(row < column ? column : row);
    const uint64_t place = mix(mix(low + 0x9e3779b97f4a7c15ull) + high), other = mix(place + 1);
    const double real = weight_of(place) * value.re, imaginary = weight_of(other) * value.im;
    const uint64_t sign = row < column ? 1 : 2;
    sums.hash += mix(mix(place + sign + bits_of(value.re)) + bits_of(value.im));
    sums.skew += (row < column ? real : row > column ? -real : 0) + imaginary;
    sums.size += size_of(real) + size_of(imaginary);
    sums.positive += row == column && value.re > 0 && value.im == 0;
    sums.other_than += row == column && (value.re != 0 || value.im != 0);
}

MNP_KERNEL(find_traits, mnp_traits_params)
{
#if MNP_CUDA
    mnp_traits_sums *const own = p.sums + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
#else
    mnp_traits_sums *const own = p.sums + worker;
#endif
    mnp_traits_sums sums = *own;
    const line_offsets offsets = {p.part.offsets, p.part.wide != 0};
    for_entries(
        ALL_WORKERS, offsets, p.part.lines, [&](int64_t line) { return p.part.rows_of ? p.part.rows_of[line] : line; },
        [&](int64_t row, int64_t entry) {
            const int64_t column = p.part.indices[entry];
            add_entry(sums, p.row_lo + row, p.ghosts ? p.ghosts[column] : p.column_lo + column,
                      widen(((const MNP_VALUE *)p.part.values)[entry]));
        });
    *own = sums;
}
