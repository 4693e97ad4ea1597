/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: one pass over the rows of a tall matrix A of MNP_T, float or double, and of at most 16 MNP_BANDS columns;
 * all is computed in double.  What a pass does:
 *
 *   MNP_PRODUCT  0: nothing; 1: Q = A W for an upper triangular matrix W; 2: for any matrix
 *   MNP_REFINED  1: and corrects it, Q + (A - Q R) W, which makes it as accurate as the solution of Q R = A
 *   MNP_GRAM     1: the Gram matrix Q^T Q, or A^T A where there is no product
 *
 * A warp takes eight rows at a time, which are fetched MNP_STAGES - 1 turns ahead, and has its own part of all sums in
 * registers.  Rows are dealt to the warps by their numbers alone, so sums do not depend on timing.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/tall_params.h"
#include "kernels/linalg/tall_tiles.h"

enum {
    MNP_PARTS = 2 * MNP_TRIANGLE, /* of 16 x 8 sums */
    MNP_MATRIX = MNP_PRODUCT ? MNP_TILES * MNP_TALL_TILE : 0
};

extern __shared__ __align__(16) double mnp_shared[];

/* The upper triangle of the Gram matrix, by bands. */
MNP_INLINE void mnp_add_gram(double (*sums)[4], const mnp_rows &rows)
{
    int part = 0;
#pragma unroll
    for (int i = 0; i < MNP_BANDS; i++) {
        const double left[4] = {rows.at[i][0][0], rows.at[i][1][0], rows.at[i][0][1], rows.at[i][1][1]};
#pragma unroll
        for (int j = i; j < MNP_BANDS; j++)
#pragma unroll
            for (int second = 0; second < 2; second++)
                mnp_add_product(sums[part++], left, rows.at[j][second][0], rows.at[j][second][1]);
    }
}

/*
 * What is missing of the product is (A - Q R) W: A's rows are replaced by the difference, for which Q's go through
 * shared memory.
 */
MNP_INLINE void mnp_refine(mnp_rows &q, MNP_T *stage, double *scratch, const double *w, const double *minus_r, int lane)
{
    const int group = lane / 4, place = lane % 4;
    mnp_rows rest;
#pragma unroll
    for (int band = 0; band < MNP_BANDS; band++)
#pragma unroll
        for (int second = 0; second < 2; second++) {
            const int row = 2 * place + second, pair = 8 * band + group;
            mnp_write_pair(scratch, row, pair, q.at[band][0][second], q.at[band][1][second]);
            mnp_read_pair(stage, row, pair, rest.at[band][0][second], rest.at[band][1][second]);
        }
    __syncwarp();
    mnp_multiply(rest, scratch, minus_r, lane);
    __syncwarp();
#pragma unroll
    for (int band = 0; band < MNP_BANDS; band++)
#pragma unroll
        for (int second = 0; second < 2; second++)
            mnp_write_pair(scratch, 2 * place + second, 8 * band + group, rest.at[band][0][second],
                           rest.at[band][1][second]);
    __syncwarp();
    mnp_multiply(q, scratch, w, lane);
}

/* The sums of the block's warps, in a fixed order, to the block's partials. */
MNP_INLINE void mnp_give(double (*sums)[4], double *partials, int warp, int lane)
{
    mnp_await<0>();
    __syncthreads();
#pragma unroll 1
    for (int half = MNP_TALL_WARPS / 2; half > 0; half /= 2) {
        double *shared = mnp_shared + (warp % half * MNP_PARTS * 4) * 32 + lane;
        if (warp >= half && warp < 2 * half) {
#pragma unroll
            for (int i = 0; i < 4 * MNP_PARTS; i++)
                shared[32 * i] = sums[i / 4][i % 4];
        }
        __syncthreads();
        if (warp < half) {
#pragma unroll
            for (int i = 0; i < 4 * MNP_PARTS; i++)
                sums[i / 4][i % 4] += shared[32 * i];
        }
        __syncthreads();
    }
    if (warp == 0) {
        partials += (int64_t)blockIdx.x * MNP_PARTS * 4 * 32 + lane;
#pragma unroll
        for (int i = 0; i < 4 * MNP_PARTS; i++)
            partials[32 * i] = sums[i / 4][i % 4];
    }
}

extern "C" __global__ void __launch_bounds__(32 * MNP_TALL_WARPS, 1)
    tall_pass(const __grid_constant__ mnp_tall_pass_params p)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    double *w = mnp_shared, *minus_r = w + MNP_MATRIX, *scratch = minus_r + (MNP_REFINED ? MNP_MATRIX : 0);
    MNP_T *stages = (MNP_T *)(scratch + (MNP_REFINED ? MNP_TALL_WARPS * MNP_STAGE : 0)) + warp * MNP_STAGES * MNP_STAGE;
    const int64_t turns = (p.rows + MNP_TALL_ROWS - 1) / MNP_TALL_ROWS, step = (int64_t)gridDim.x * MNP_TALL_WARPS;
    int64_t turn = (int64_t)blockIdx.x * MNP_TALL_WARPS + warp;
    double sums[MNP_PARTS][4] = {};
    for (int s = 0; s < MNP_STAGES - 1; s++) {
        if (turn + s * step < turns)
            mnp_fetch(stages + s * MNP_STAGE, p, MNP_TALL_ROWS * (turn + s * step), lane);
        mnp_end_batch();
    }
    if (MNP_PRODUCT) {
        mnp_arrange(w, p.w, (int)p.columns, 1);
        if (MNP_REFINED)
            mnp_arrange(minus_r, p.r, (int)p.columns, -1);
        __syncthreads();
    }
    for (int at = 0; turn < turns; turn += step, at = at == MNP_STAGES - 1 ? 0 : at + 1) {
        mnp_await<MNP_STAGES - 2>(); /* these rows are here, and all lanes have done with those of the turn before */
        if (turn + (MNP_STAGES - 1) * step < turns)
            mnp_fetch(stages + (at == 0 ? MNP_STAGES - 1 : at - 1) * MNP_STAGE, p,
                      MNP_TALL_ROWS * (turn + (MNP_STAGES - 1) * step), lane);
        mnp_end_batch();
        MNP_T *stage = stages + at * MNP_STAGE;
        mnp_rows rows = {};
        if (MNP_PRODUCT) {
            mnp_multiply(rows, stage, w, lane);
            if (MNP_REFINED)
                mnp_refine(rows, stage, scratch + warp * MNP_STAGE, w, minus_r, lane);
            mnp_put(rows, p, MNP_TALL_ROWS * turn, lane);
        } else {
            mnp_take(rows, stage, lane);
        }
        if (MNP_GRAM)
            mnp_add_gram(sums, rows);
    }
    if (MNP_GRAM)
        mnp_give(sums, p.partials, warp, lane);
}
