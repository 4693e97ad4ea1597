/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions for kernels that loop over nests of dimensions with strides: from the number of an element to its indices,
 * and from indices to offsets.
 */

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

/* The indices of the next element in C order; those of the first one after the last. */
template <int dims> MNP_INLINE void mnp_advance(const long long *extent, int64_t *index)
{
    for (int d = dims - 1; d >= 0; d--) {
        if (++index[d] < extent[d])
            return;
        index[d] = 0;
    }
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
