/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tiles of a rank's outputs that one launch computes, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SIGNAL_TILES_PARAMS_H
#define MNP_KERNELS_SIGNAL_TILES_PARAMS_H

#include "kernels/signal/extended_params.h"

typedef struct mnp_tiles {
    void *out;
    const int *list; /* numbers of the tiles to compute; x varies fastest */
    long long count;
    long long grid[MNP_CONV_DIMS];                          /* tiles along each dimension */
    long long extent[MNP_CONV_DIMS], stride[MNP_CONV_DIMS]; /* of the outputs */
} mnp_tiles;

#endif
