/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices of integers and of bool, for which vendors' libraries have no function, with any strides.  MNP_T
 * is the unsigned integer of the elements' size, in which sums wrap around as NumPy's do; with MNP_TRUTH the elements
 * are 0 or 1, and a sum is whether any product is 1.
 *
 * On a GPU a block of threads computes a tile of C, with tiles of A and B in shared memory.  On the host a worker
 * computes tiles of C, of a few vectors in registers, with a panel of B that it has packed into the first cache.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/gemm_params.h"
#include "kernels/nest.h"

#if MNP_TRUTH
#define MNP_ADD_PRODUCT(sum, x, y) sum |= (x) & (y)
#else
#define MNP_ADD_PRODUCT(sum, x, y) sum += (x) * (y)
#endif

#if MNP_CUDA

enum { MNP_DEPTH = 16, MNP_PER_THREAD = 4 };

MNP_KERNEL(gemm, mnp_gemm_params)
{
    __shared__ MNP_T a_tile[MNP_DEPTH][MNP_GEMM_TILE + 1], b_tile[MNP_DEPTH][MNP_GEMM_TILE + 1];
    const int64_t down = (p.m + MNP_GEMM_TILE - 1) / MNP_GEMM_TILE, across = (p.n + MNP_GEMM_TILE - 1) / MNP_GEMM_TILE;
    const int row = threadIdx.x / 16 * MNP_PER_THREAD, column = threadIdx.x % 16;
    for (int64_t tile = blockIdx.x; tile < p.count * down * across; tile += gridDim.x) {
        int64_t index[MNP_GEMM_BATCH_DIMS], a_at = 0, b_at = 0, c_at = 0;
        mnp_unravel<MNP_GEMM_BATCH_DIMS>(p.extent, tile / (down * across), index);
        for (int d = 0; d < MNP_GEMM_BATCH_DIMS; d++) {
            a_at += index[d] * p.a_batch[d];
            b_at += index[d] * p.b_batch[d];
            c_at += index[d] * p.c_batch[d];
        }
        const int64_t top = tile / across % down * MNP_GEMM_TILE, left = tile % across * MNP_GEMM_TILE;
        MNP_T sums[MNP_PER_THREAD][MNP_PER_THREAD] = {};
        for (int64_t l = 0; l < p.k; l += MNP_DEPTH) {
            for (int e = threadIdx.x; e < MNP_GEMM_TILE * MNP_DEPTH; e += MNP_GEMM_THREADS) {
                const int64_t i = top + e / MNP_DEPTH, la = l + e % MNP_DEPTH;
                a_tile[e % MNP_DEPTH][e / MNP_DEPTH] =
                    i < p.m && la < p.k ? ((const MNP_T *)p.a)[a_at + i * p.a_row + la * p.a_column] : (MNP_T)0;
                const int64_t j = left + e % MNP_GEMM_TILE, lb = l + e / MNP_GEMM_TILE;
                b_tile[e / MNP_GEMM_TILE][e % MNP_GEMM_TILE] =
                    j < p.n && lb < p.k ? ((const MNP_T *)p.b)[b_at + lb * p.b_row + j * p.b_column] : (MNP_T)0;
            }
            __syncthreads();
#pragma unroll
            for (int d = 0; d < MNP_DEPTH; d++)
                for (int i = 0; i < MNP_PER_THREAD; i++)
                    for (int j = 0; j < MNP_PER_THREAD; j++)
                        MNP_ADD_PRODUCT(sums[i][j], a_tile[d][row + i], b_tile[d][column + 16 * j]);
            __syncthreads();
        }
        for (int i = 0; i < MNP_PER_THREAD; i++)
            for (int j = 0; j < MNP_PER_THREAD; j++)
                if (top + row + i < p.m && left + column + 16 * j < p.n)
                    ((MNP_T *)p.c)[c_at + (top + row + i) * p.c_row + (left + column + 16 * j) * p.c_column] =
                        sums[i][j];
    }
}

#else

typedef MNP_T mnp_lanes __attribute__((vector_size(64)));

enum { MNP_LANES = 64 / sizeof(MNP_T), MNP_VECTORS = 2, MNP_WIDTH = MNP_VECTORS * MNP_LANES };
enum { MNP_HEIGHT = 4, MNP_ROWS = 32 * MNP_HEIGHT, MNP_DEPTH = 128 };

/* What one worker works on: the tile of C, and the panel of B, with zeros beyond its borders. */
struct mnp_gemm_tile {
    mnp_lanes sums[MNP_ROWS][MNP_VECTORS], panel[MNP_DEPTH][MNP_VECTORS];
};

static void mnp_pack(mnp_gemm_tile &tile, const MNP_T *b, int64_t depth, int64_t width, int64_t row, int64_t column)
{
    for (int64_t l = 0; l < depth; l++) {
        MNP_T line[MNP_WIDTH] = {};
        for (int64_t j = 0; j < width; j++)
            line[j] = b[l * row + j * column];
        memcpy(tile.panel[l], line, sizeof line);
    }
}

/* Add the product of `Height` rows of A with the panel. */
template <int Height>
static inline void mnp_add(mnp_lanes (*sums)[MNP_VECTORS], const mnp_gemm_tile &tile, const MNP_T *a, int64_t depth,
                           int64_t row, int64_t column)
{
    mnp_lanes s[Height][MNP_VECTORS];
    memcpy(s, sums, sizeof s);
    for (int64_t l = 0; l < depth; l++) {
        for (int i = 0; i < Height; i++) {
            const mnp_lanes x = a[i * row + l * column] - mnp_lanes{};
            for (int v = 0; v < MNP_VECTORS; v++)
                MNP_ADD_PRODUCT(s[i][v], x, tile.panel[l][v]);
        }
    }
    memcpy(sums, s, sizeof s);
}

static void mnp_multiply_tile(const mnp_gemm_params &p, const MNP_T *a, const MNP_T *b, MNP_T *c, int64_t rows,
                              int64_t width)
{
    mnp_gemm_tile tile;
    memset(tile.sums, 0, sizeof tile.sums);
    for (int64_t l = 0; l < p.k; l += MNP_DEPTH) {
        const int64_t depth = p.k - l < MNP_DEPTH ? p.k - l : MNP_DEPTH;
        const MNP_T *from = a + l * p.a_column;
        mnp_pack(tile, b + l * p.b_row, depth, width, p.b_row, p.b_column);
        int64_t i = 0;
        for (; i + MNP_HEIGHT <= rows; i += MNP_HEIGHT)
            mnp_add<MNP_HEIGHT>(tile.sums + i, tile, from + i * p.a_row, depth, p.a_row, p.a_column);
        for (; i < rows; i++)
            mnp_add<1>(tile.sums + i, tile, from + i * p.a_row, depth, p.a_row, p.a_column);
    }
    for (int64_t i = 0; i < rows; i++) {
        MNP_T line[MNP_WIDTH];
        memcpy(line, tile.sums[i], sizeof line);
        for (int64_t j = 0; j < width; j++)
            c[i * p.c_row + j * p.c_column] = line[j];
    }
}

MNP_KERNEL(gemm, mnp_gemm_params)
{
    const int64_t down = (p.m + MNP_ROWS - 1) / MNP_ROWS, across = (p.n + MNP_WIDTH - 1) / MNP_WIDTH;
    MNP_FOR (tile, p.count * down * across) {
        int64_t index[MNP_GEMM_BATCH_DIMS], a_at = 0, b_at = 0, c_at = 0;
        mnp_unravel<MNP_GEMM_BATCH_DIMS>(p.extent, tile / (down * across), index);
        for (int d = 0; d < MNP_GEMM_BATCH_DIMS; d++) {
            a_at += index[d] * p.a_batch[d];
            b_at += index[d] * p.b_batch[d];
            c_at += index[d] * p.c_batch[d];
        }
        const int64_t top = tile / across % down * MNP_ROWS, left = tile % across * MNP_WIDTH;
        const int64_t rows = p.m - top < MNP_ROWS ? p.m - top : MNP_ROWS;
        const int64_t width = p.n - left < MNP_WIDTH ? p.n - left : MNP_WIDTH;
        mnp_multiply_tile(p, (const MNP_T *)p.a + a_at + top * p.a_row, (const MNP_T *)p.b + b_at + left * p.b_column,
                          (MNP_T *)p.c + c_at + top * p.c_row + left * p.c_column, rows, width);
    }
}

#endif
