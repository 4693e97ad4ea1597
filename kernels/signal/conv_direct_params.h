/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of conv_direct.cu and the shape of its tiles, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_SIGNAL_CONV_DIRECT_PARAMS_H
#define MNP_KERNELS_SIGNAL_CONV_DIRECT_PARAMS_H

#include "kernels/signal/extended_params.h"

typedef struct mnp_conv_params {
    mnp_extended in;
    const void *taps; /* the kernel reversed along every dimension, dense, in the type of the sums */
    void *out;
    const int *tiles; /* numbers of the tiles to compute; x varies fastest */
    long long ntiles;
    long long extent[MNP_CONV_DIMS];    /* of the kernel; compiled in as MNP_K0 .. MNP_K3 on GPUs */
    long long tile_grid[MNP_CONV_DIMS]; /* tiles along each dimension */
    long long out_extent[MNP_CONV_DIMS], out_stride[MNP_CONV_DIMS];
} mnp_conv_params;

#endif
