/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of the tiles that kernels/signal/conv_direct.cu computes.
 */
#ifndef MNP__SIGNAL_TILE_H
#define MNP__SIGNAL_TILE_H

#include "base/text.h"
#include "signal/geometry.h"

typedef struct mnp__conv_tile {
    int64_t extent[MNP_CONV_DIMS]; /* outputs of a tile: 1, 1, y, x */
    int64_t taps[MNP_CONV_DIMS];   /* extents of the kernel where they are compiled in, on GPUs; else 0 */
    int rx, ry;                    /* outputs of a thread, on GPUs */
    bool by_columns;               /* a filter along y alone, on GPUs */
    int cx, cy;                    /* taps that one window serves */
    unsigned threads;              /* of a block, on GPUs */
    size_t shared_bytes;           /* of a block, on GPUs */
} mnp__conv_tile;

/* Choose for a device whose blocks share block_memory bytes (0: the host).  The same on every rank.  Not collective. */
void mnp__conv_tile_choose(const mnp__conv_geometry *geometry, mnp_dtype sum, size_t block_memory,
                           mnp__conv_tile *tile);

/* The definitions that compile the kernel for a tile and three dtypes; truncates: see kernels/signal/finish.h. */
void mnp__conv_tile_defines(const mnp__conv_tile *tile, mnp_dtype input, mnp_dtype output, mnp_dtype sum,
                            bool truncates, mnp__text *defines);

#endif
