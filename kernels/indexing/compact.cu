/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection by a mask: copies the elements where the mask is true, or their numbers, to dense memory in their order.
 * An element is a MNP_UNIT.
 *
 * The true elements of each tile are counted, and an exclusive prefix sum tells every tile where to write.  On a GPU a
 * block takes a tile in four steps, in each of which a thread has 16 neighbouring elements.  The numbers of the true
 * elements of a step go through shared memory, so that neighbouring threads write neighbouring elements.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/compact_params.h"
#include "kernels/prefix_sum.h"

enum { MNP_TILE = MNP_COMPACT_TILE };

MNP_INLINE int64_t count_tiles(const mnp_compact_params &p)
{
    return (p.length + MNP_TILE - 1) / MNP_TILE;
}

/* Write the element at number i of the mask, or its number, to position `to` of the result. */
MNP_INLINE void write_one(const mnp_compact_params &p, int64_t to, int64_t i)
{
    if (p.src)
        ((MNP_UNIT *)p.dst)[to] = ((const MNP_UNIT *)p.src)[i * p.src_stride];
    else
        ((int64_t *)p.dst)[to] = p.first + i;
}

#if MNP_CUDA

enum { MNP_BLOCK = 256, MNP_WARPS = MNP_BLOCK / 32, MNP_EACH = 16, MNP_STEP = MNP_BLOCK * MNP_EACH };

/* 16 elements of the mask, of one byte each. */
struct mnp_sixteen_bytes {
    uint32_t word[4];
    MNP_INLINE uint32_t count() const
    {
        return __popc(word[0]) + __popc(word[1]) + __popc(word[2]) + __popc(word[3]);
    }
};

MNP_INLINE mnp_sixteen_bytes load_mask(const mnp_compact_params &p, int64_t begin)
{
    mnp_sixteen_bytes bytes = {{0, 0, 0, 0}};
    if (p.stride == 1 && begin + MNP_EACH <= p.length && ((uint64_t)p.mask & 15) == 0) {
        const uint4 all = *(const uint4 *)(p.mask + begin);
        bytes.word[0] = all.x;
        bytes.word[1] = all.y;
        bytes.word[2] = all.z;
        bytes.word[3] = all.w;
        return bytes;
    }
#pragma unroll
    for (int j = 0; j < MNP_EACH; j++)
        if (begin + j < p.length)
            bytes.word[j / 4] |= (uint32_t)p.mask[(begin + j) * p.stride] << j % 4 * 8;
    return bytes;
}

MNP_INLINE void count_tile(const mnp_compact_params &p, int64_t tile)
{
    uint32_t count = 0, all;
#pragma unroll
    for (int step = 0; step < MNP_TILE / MNP_STEP; step++)
        count += load_mask(p, tile * MNP_TILE + step * MNP_STEP + threadIdx.x * MNP_EACH).count();
    mnp_prefix_block<MNP_WARPS>(count, &all);
    if (threadIdx.x == 0)
        p.before[tile] = all;
}

MNP_INLINE void write_tile(const mnp_compact_params &p, int64_t tile, uint16_t *numbers)
{
    int64_t to = p.before[tile];
    for (int step = 0; step < MNP_TILE / MNP_STEP; step++) {
        const int64_t begin = tile * MNP_TILE + step * MNP_STEP;
        const mnp_sixteen_bytes mask = load_mask(p, begin + threadIdx.x * MNP_EACH);
        uint32_t all, at = mnp_prefix_block<MNP_WARPS>(mask.count(), &all);
#pragma unroll
        for (int j = 0; j < MNP_EACH; j++)
            if (mask.word[j / 4] >> j % 4 * 8 & 1)
                numbers[at++] = (uint16_t)(threadIdx.x * MNP_EACH + j);
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < all; k += MNP_BLOCK)
            write_one(p, to + k, begin + numbers[k]);
        __syncthreads();
        to += all;
    }
}

MNP_KERNEL(compact, mnp_compact_params)
{
    __shared__ uint16_t numbers[MNP_STEP];
    if (p.task == MNP_COMPACT_SUM) {
        mnp_prefix_array<MNP_WARPS>(p.before, count_tiles(p));
        return;
    }
    for (int64_t tile = blockIdx.x; tile < count_tiles(p); tile += gridDim.x) {
        if (p.task == MNP_COMPACT_COUNT)
            count_tile(p, tile);
        else
            write_tile(p, tile, numbers);
    }
}

#else

/* Eight elements of the mask, each of which is a bit: the lowest of its byte. */
static inline uint64_t load_mask(const unsigned char *mask)
{
    uint64_t bits;
    memcpy(&bits, mask, sizeof bits);
    return bits;
}

static void count_tile(const mnp_compact_params &p, int64_t tile)
{
    const int64_t begin = tile * MNP_TILE, end = begin + MNP_TILE < p.length ? begin + MNP_TILE : p.length;
    int64_t count = 0, i = begin;
    if (p.stride == 1)
        for (; i + 8 <= end; i += 8)
            count += __builtin_popcountll(load_mask(p.mask + i));
    for (; i < end; i++)
        count += p.mask[i * p.stride];
    p.before[tile] = count;
}

static void write_tile(const mnp_compact_params &p, int64_t tile)
{
    const int64_t begin = tile * MNP_TILE, count = p.length - begin < MNP_TILE ? p.length - begin : MNP_TILE;
    const unsigned char *mask = p.mask + begin * p.stride;
    uint16_t numbers[MNP_TILE];
    int64_t all = 0, j = 0;
    if (p.stride == 1 && p.before[tile + 1] - p.before[tile] <= count / 16) /* few: most words are 0 */
        for (; j + 8 <= count; j += 8)
            for (uint64_t bits = load_mask(mask + j); bits != 0; bits &= bits - 1)
                numbers[all++] = (uint16_t)(j + __builtin_ctzll(bits) / 8);
    for (; j < count; j++) { /* without branches, which would be unpredictable */
        numbers[all] = (uint16_t)j;
        all += mask[j * p.stride];
    }
    for (int64_t k = 0; k < all; k++)
        write_one(p, p.before[tile] + k, begin + numbers[k]);
}

MNP_KERNEL(compact, mnp_compact_params)
{
    const int64_t tiles = count_tiles(p);
    if (p.task == MNP_COMPACT_COUNT) {
        MNP_FOR (tile, tiles)
            count_tile(p, tile);
    } else if (p.task == MNP_COMPACT_WRITE) {
        MNP_FOR (tile, tiles)
            write_tile(p, tile);
    } else if (worker == 0) {
        mnp_prefix_array(p.before, tiles);
    }
}

#endif
