/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels share that go over nests of dimensions with strides: indices from numbers, offsets from indices, shares.
 */

/* From the number of an element of the first `dims` dimensions of that extent to its indices. */
template <int dims> MNP_INLINE void mnp_unravel(const long long *extent, int64_t number, int64_t *index)
{
#if MNP_CUDA
#pragma unroll
#endif
    for (int d = dims - 1; d > 0; d--) {
        index[d] = number % extent[d];
        number /= extent[d];
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

/* Neighbours in memory that are one access. */
template <typename Memory, int count> struct alignas(sizeof(Memory) * count) mnp_vector {
    Memory at[count];
};

/* Where the share of part number `part` of `parts` begins when n items are dealt out evenly. */
MNP_INLINE int64_t mnp_part_begin(int64_t n, int64_t part, int64_t parts)
{
    const int64_t longer = n % parts;
    return n / parts * part + (part < longer ? part : longer);
}

MNP_INLINE int64_t mnp_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
