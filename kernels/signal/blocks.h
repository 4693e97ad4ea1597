/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which block and row a number stands for.
 */
#ifndef MNP_KERNELS_SIGNAL_BLOCKS_H
#define MNP_KERNELS_SIGNAL_BLOCKS_H

#include "kernels/prelude.h"
#include "kernels/signal/blocks_params.h"

struct block_row {
    int64_t block;                 /* of those that are worked on */
    int64_t index[MNP_CONV_DIMS];  /* in the block; the last one is 0 */
    int64_t origin[MNP_CONV_DIMS]; /* of the block in the rank's outputs */
};

/* The first output of a block. */
MNP_INLINE void find_origin(const mnp_blocks_params &p, int64_t block, int64_t *origin)
{
    for (int j = 3; j >= 0; j--) {
        origin[j] = block % p.grid[j] * p.step[j];
        block /= p.grid[j];
    }
}

/* Row number `row` of blocks of that extent. */
MNP_INLINE block_row find_block_row(const mnp_blocks_params &p, const long long *extent, int64_t row)
{
    block_row at;
    at.index[3] = 0;
    at.block = row % p.count;
    row /= p.count;
    for (int j = 2; j >= 0; j--) {
        at.index[j] = row % extent[j];
        row /= extent[j];
    }
    find_origin(p, p.first + at.block, at.origin);
    return at;
}

/* Where the row of a block's window at an index begins. */
MNP_INLINE int64_t mnp_find_line(const mnp_blocks_params &p, int64_t block, const int64_t *index)
{
    return (((index[0] * p.window[1] + index[1]) * p.window[2] + index[2]) * p.count + block) * p.window[3];
}

#endif
