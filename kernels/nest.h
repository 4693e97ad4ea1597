/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions for kernels that loop over nests of dimensions with strides: from the number of an element to its indices,
 * from indices to offsets, and the division of work into parts.
 */

/* n / by of numbers that are not negative; a GPU divides 32-bit numbers several times faster. */
MNP_INLINE int64_t mnp_quotient(int64_t n, int64_t by)
{
#if MNP_CUDA
    if ((n | by) >> 32 == 0)
        return (uint32_t)n / (uint32_t)by;
#endif
    return n / by;
}

/* Find the indices of an element in the first `dims` dimensions from its number in C order. */
template <int dims> MNP_INLINE void mnp_unravel(const long long *extent, int64_t number, int64_t *index)
{
#if MNP_CUDA
#pragma unroll
#endif
    for (int d = dims - 1; d > 0; d--) {
        const int64_t outer = mnp_quotient(number, extent[d]);
        index[d] = number - outer * extent[d];
        number = outer;
    }
    if (dims > 0)
        index[0] = number;
}

template <int dims> MNP_INLINE int64_t mnp_offset(const long long *stride, const int64_t *index)
{
    int64_t offset = 0;
#if MNP_CUDA
#pragma unroll
#endif
    for (int d = 0; d < dims; d++)
        offset += stride[d] * index[d];
    return offset;
}

/* Adjacent elements in memory that are read or written by one access. */
template <typename Memory, int count> struct alignas(sizeof(Memory) * count) mnp_vector {
    Memory at[count];
};

/* The first item of part number `part` if n items are divided evenly into `parts`. */
MNP_INLINE int64_t mnp_part_begin(int64_t n, int64_t part, int64_t parts)
{
    const int64_t each = mnp_quotient(n, parts), longer = n - each * parts;
    return each * part + (part < longer ? part : longer);
}

MNP_INLINE int64_t mnp_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
