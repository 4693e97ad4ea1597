/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering and scattering on a GPU.
 *
 * A thread has a few elements, a block's width apart, so that neighbouring threads have neighbouring elements of the
 * result.  First it finds where they are, for all of them dimension by dimension, then it loads their indices, then all
 * elements, and then it stores them: so many loads are in flight at a time.  Numbers and offsets have 32 bits where
 * they suffice.
 */

MNP_INLINE int32_t quotient_by(const mnp_indexed_params &p, int32_t n, int d)
{
    return (int32_t)mnp_quotient_by((uint32_t)n, p.divide[d]);
}
MNP_INLINE int64_t quotient_by(const mnp_indexed_params &p, int64_t n, int d)
{
    return mnp_quotient(n, p.extent[d]);
}

/*
 * The element, 0 .. count - 1, that an index means.  One that is out of range with RAISE must not be followed: it sets
 * `outside`.
 */
MNP_INLINE int64_t element_of(const mnp_indexed_params &p, int64_t index, bool &outside)
{
    const int64_t i = mnp_inside(index, p.count, p.mode);
    const bool inside = p.count == 0 || (uint64_t)i < (uint64_t)p.count;
    outside = outside || !inside;
    return inside ? i : 0;
}

MNP_INLINE void report(const mnp_indexed_params &p, bool outside)
{
    if (outside && p.outside)
        *p.outside = 1;
}

#if MNP_ROWS
#include "kernels/indexing/rows_cuda.h"
#else

/* Where an element is: in the array of the indices, in src without the jump, and in dst. */
template <typename number> struct place {
    number index, from, to;
};

/* Move a thread's elements: number `first` and those that follow at distances of a block's width. */
template <typename number> MNP_INLINE void move_some(const mnp_indexed_params &p, int64_t first)
{
    enum { EACH = MNP_INDEXED_EACH, THREADS = MNP_INDEXED_THREADS };
    const MNP_INDEX *index = (const MNP_INDEX *)p.index;
    number rest[EACH], jump[EACH];
    bool moves[EACH], outside = false;
    place<number> at[EACH];
    MNP_INDEX i[EACH];
    MNP_UNIT element[EACH];
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        rest[u] = (number)mnp_least(first + u * THREADS, p.total - 1); /* those beyond the last are not stored */
        at[u] = {0, 0, 0};
    }
#pragma unroll 1
    for (int d = p.ndim - 1; d >= 0; d--) {
        const number extent = (number)p.extent[d];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const number outer = d > 0 ? quotient_by(p, rest[u], d) : 0, inner = rest[u] - outer * extent;
            at[u].index += inner * (number)p.index_stride[d];
            at[u].from += inner * (number)p.src_stride[d];
            at[u].to += inner * (number)p.dst_stride[d];
            rest[u] = outer;
        }
    }
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        i[u] = index[at[u].index];
        moves[u] = first + u * THREADS < p.total;
#if MNP_SORTED
        at[u].from += (number)((const MNP_INDEX *)p.order)[at[u].index] * (number)p.order_jump;
        moves[u] = moves[u] && (at[u].index + 1 == p.indices || index[at[u].index + 1] != i[u]);
#endif
    }
#pragma unroll
    for (int u = 0; u < EACH; u++)
        jump[u] = (number)element_of(p, i[u], outside) * (number)p.jump;
    report(p, outside);
#pragma unroll
    for (int u = 0; u < EACH; u++)
        element[u] = ((const MNP_UNIT *)p.src)[at[u].from + (p.scatters ? 0 : jump[u])];
#pragma unroll
    for (int u = 0; u < EACH; u++)
        if (moves[u])
            ((MNP_UNIT *)p.dst)[at[u].to + (p.scatters ? jump[u] : 0)] = element[u];
}

extern "C" __global__ void __launch_bounds__(MNP_INDEXED_THREADS)
    move_indexed(const __grid_constant__ mnp_indexed_params p)
{
    const int64_t tile = MNP_INDEXED_THREADS * MNP_INDEXED_EACH;
    for (int64_t begin = blockIdx.x * tile; begin < p.total; begin += gridDim.x * tile) {
        if (p.wide)
            move_some<int64_t>(p, begin + threadIdx.x);
        else
            move_some<int32_t>(p, begin + threadIdx.x);
    }
}

#endif
