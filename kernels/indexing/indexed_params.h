/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of indexed.cu, shared by the library (C) and the kernel (C++), and the modes for indices out of range.
 */
#ifndef MNP_KERNELS_INDEXING_INDEXED_PARAMS_H
#define MNP_KERNELS_INDEXING_INDEXED_PARAMS_H

enum { MNP_INDEXED_DIMS = 8, MNP_INDEXED_BLOCKS = 64 };

/* What an index outside 0 .. n-1 means: NumPy's `mode`.  With RAISE, indices have been checked to be in -n .. n-1. */
enum { MNP_INDEXED_RAISE, MNP_INDEXED_WRAP, MNP_INDEXED_CLIP };

/*
 * A block of a rank, of which the host gathers: it has the indices from `first` on, until those of the next one, and
 * its strides stand for src_stride and the jump, which begin at `first`.
 */
typedef struct mnp_indexed_block {
    const void *src;
    long long first, jump, stride[MNP_INDEXED_DIMS];
} mnp_indexed_block;

/*
 * Element (i0, i1, ...) goes from src + sum(i * src_stride) + jump * index[sum(i * index_stride)] to
 * dst + sum(i * dst_stride), all in elements.  If `scatters`, the jump is added on the side of dst instead.
 *
 * With an order, on a GPU, the indices are sorted numbers, and order[j] tells which one number j was before.  Elements
 * of an index are then moved from order[j] * order_jump elements further on, and only those of the last of equal ones.
 * On the host, with a span, threads have parts of the numbers instead of the elements, so that the last of equal indices
 * wins there too.  If the span is less than `count`, other numbers are other ranks', and are left out.
 */
typedef struct mnp_indexed_params {
    const void *src;
    void *dst;
    const void *index;             /* int64, or if `narrow` int32; with an order, which has the same type, uint32 */
    const void *order;             /* or NULL */
    long long order_jump, indices; /* with an order: how many indices there are */
    int *outside;                  /* NULL, or on a GPU, with RAISE: becomes 1 if an index is out of range after all */
    long long jump, count;         /* an index is within `count` elements; 0: it is not checked, and mode is RAISE */
    int ndim, mode, scatters;      /* ndim: 1 .. MNP_INDEXED_DIMS; the last is the innermost */
    int narrow, wide;              /* wide: on a GPU, numbers and offsets of elements may need 64 bits */
    long long total;               /* the product of the extents */
    long long extent[MNP_INDEXED_DIMS], src_stride[MNP_INDEXED_DIMS], dst_stride[MNP_INDEXED_DIMS],
        index_stride[MNP_INDEXED_DIMS];
    unsigned long long
        divide[MNP_INDEXED_DIMS];    /* on a GPU unless wide: how mnp_quotient_by() divides by the extents */
    const mnp_indexed_block *blocks; /* on the host, if there are any: at most MNP_INDEXED_BLOCKS, by their indices */
    int nblocks;
    long long first, span; /* on the host, if span > 0: indices may repeat, from `first` on so many numbers */
} mnp_indexed_params;

/* On a GPU a block has tiles of so many threads, each of which has so many elements, or words of rows (rows_cuda.h). */
enum { MNP_INDEXED_THREADS = 256, MNP_INDEXED_EACH = 4, MNP_INDEXED_WORDS = 2 };

#ifdef __cplusplus
template <int mode> MNP_INLINE int64_t mnp_inside(int64_t i, int64_t count)
{
    if (mode == MNP_INDEXED_CLIP)
        return i < 0 ? 0 : i < count ? i : count - 1;
    if (mode == MNP_INDEXED_WRAP && (uint64_t)i >= (uint64_t)count)
        i %= count;
    return i < 0 ? i + count : i;
}

#if !MNP_CUDA
/*
 * `to` if it is the worker's own, else `nowhere`.  Of `own ? to : nowhere` compilers make a branch, and which way it goes
 * no processor predicts.
 */
template <class T> MNP_INLINE T *mnp_to_own(bool own, T *to, T *nowhere)
{
    const uintptr_t chosen = -(uintptr_t)own;
    return (T *)(((uintptr_t)to & chosen) | ((uintptr_t)nowhere & ~chosen));
}
#endif

MNP_INLINE int64_t mnp_inside(int64_t i, int64_t count, int mode)
{
    return mode == MNP_INDEXED_RAISE  ? mnp_inside<MNP_INDEXED_RAISE>(i, count)
           : mode == MNP_INDEXED_WRAP ? mnp_inside<MNP_INDEXED_WRAP>(i, count)
                                      : mnp_inside<MNP_INDEXED_CLIP>(i, count);
}
#endif

#endif
