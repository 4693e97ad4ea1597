/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings together the elements, each a MNP_UNIT, where a mask is true, in their order, or the elements' numbers.
 *
 * What is true is counted by tiles, and summed up; then every tile knows where to write.  On a GPU a block does a tile
 * in four steps, of which a thread has 16 neighbours; numbers within a step go through shared memory, so that
 * neighbours are written by neighbours.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/compact_params.h"

enum { MNP_TILE = MNP_COMPACT_TILE };

MNP_INLINE int64_t count_tiles(const mnp_compact_params &p)
{
    return (p.length + MNP_TILE - 1) / MNP_TILE;
}

/* Write element number i of the mask as number `to`. */
MNP_INLINE void write_one(const mnp_compact_params &p, int64_t to, int64_t i)
{
    if (p.src)
        ((MNP_UNIT *)p.dst)[to] = ((const MNP_UNIT *)p.src)[i * p.src_stride];
    else
        ((int64_t *)p.dst)[to] = p.first + i;
}

#if MNP_CUDA

enum { MNP_BLOCK = 256, MNP_EACH = 16, MNP_STEP = MNP_BLOCK * MNP_EACH, MNP_WARPS = MNP_BLOCK / 32 };

/* 16 elements of the mask, a byte each. */
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

/* The sum of `value` over the threads before this one; *all_p is that over all of them. */
template <typename T> MNP_INLINE T sum_before(T value, T *shared, T *all_p)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T sum = value;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance)
            sum += other;
    }
    if (lane == 31)
        shared[warp] = sum;
    __syncthreads();
    T before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < MNP_WARPS; w++) {
        before += w < warp ? shared[w] : 0;
        all += shared[w];
    }
    __syncthreads();
    *all_p = all;
    return before + sum - value;
}

MNP_INLINE void count_tile(const mnp_compact_params &p, int64_t tile, uint32_t *shared)
{
    uint32_t count = 0, all;
#pragma unroll
    for (int step = 0; step < MNP_TILE / MNP_STEP; step++)
        count += load_mask(p, tile * MNP_TILE + step * MNP_STEP + threadIdx.x * MNP_EACH).count();
    sum_before<uint32_t>(count, shared, &all);
    if (threadIdx.x == 0)
        p.before[tile] = all;
}

/* One block sums up all tiles. */
MNP_INLINE void sum_tiles(const mnp_compact_params &p, long long *shared)
{
    const int64_t tiles = count_tiles(p);
    long long so_far = 0;
    for (int64_t begin = 0; begin < tiles; begin += MNP_BLOCK * 8) {
        const int64_t own = begin + threadIdx.x * 8;
        long long count[8], sum = 0, all;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            count[j] = own + j < tiles ? p.before[own + j] : 0;
            sum += count[j];
        }
        long long before = so_far + sum_before<long long>(sum, shared, &all);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            if (own + j < tiles)
                p.before[own + j] = before;
            before += count[j];
        }
        so_far += all;
    }
    if (threadIdx.x == 0)
        p.before[tiles] = so_far;
}

MNP_INLINE void write_tile(const mnp_compact_params &p, int64_t tile, uint32_t *shared, uint16_t *numbers)
{
    int64_t to = p.before[tile];
    for (int step = 0; step < MNP_TILE / MNP_STEP; step++) {
        const int64_t begin = tile * MNP_TILE + step * MNP_STEP;
        const mnp_sixteen_bytes mask = load_mask(p, begin + threadIdx.x * MNP_EACH);
        uint32_t all, at = sum_before<uint32_t>(mask.count(), shared, &all);
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
    __shared__ long long shared[MNP_WARPS];
    __shared__ uint16_t numbers[MNP_STEP];
    if (p.task == MNP_COMPACT_SUM) {
        sum_tiles(p, shared);
        return;
    }
    for (int64_t tile = blockIdx.x; tile < count_tiles(p); tile += gridDim.x) {
        if (p.task == MNP_COMPACT_COUNT)
            count_tile(p, tile, (uint32_t *)shared);
        else
            write_tile(p, tile, (uint32_t *)shared, numbers);
    }
}

#else

static void count_tile(const mnp_compact_params &p, int64_t tile)
{
    const int64_t begin = tile * MNP_TILE, end = begin + MNP_TILE < p.length ? begin + MNP_TILE : p.length;
    int64_t count = 0;
    if (p.stride == 1)
        for (int64_t i = begin; i < end; i++)
            count += p.mask[i];
    else
        for (int64_t i = begin; i < end; i++)
            count += p.mask[i * p.stride];
    p.before[tile] = count;
}

static void write_tile(const mnp_compact_params &p, int64_t tile)
{
    const int64_t begin = tile * MNP_TILE, count = p.length - begin < MNP_TILE ? p.length - begin : MNP_TILE;
    const unsigned char *mask = p.mask + begin * p.stride;
    uint16_t numbers[MNP_TILE];
    int64_t all = 0;
    for (int64_t j = 0; j < count; j++) { /* without branches, which nobody could predict */
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
        for
            MNP_RANGE(tile, tiles)
        count_tile(p, tile);
    } else if (p.task == MNP_COMPACT_WRITE) {
        for
            MNP_RANGE(tile, tiles)
        write_tile(p, tile);
    } else if (worker == 0) {
        int64_t so_far = 0;
        for (int64_t tile = 0; tile <= tiles; tile++) {
            const int64_t count = tile < tiles ? p.before[tile] : 0;
            p.before[tile] = so_far;
            so_far += count;
        }
    }
}

#endif
