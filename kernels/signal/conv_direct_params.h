/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of conv_direct.cu and the shape of its tiles, shared by the library (C) and the kernel (C++).
 *
 * Everything is four-dimensional: (outer, outer, y, x).  The input that a rank needs is the extended box: the box of
 * its outputs, larger by the kernel's extents less one.  The inner part of that box is in the rank's own block of the
 * array. The rest, the ring around it, has been gathered into a buffer: the slabs below and above the inner part along
 * dimension 0, each dense in C order, then those along dimension 1 (inner along dimension 0), and so on.
 */
#ifndef MNP_KERNELS_SIGNAL_CONV_DIRECT_PARAMS_H
#define MNP_KERNELS_SIGNAL_CONV_DIRECT_PARAMS_H

enum { MNP_CONV_DIMS = 4 };

typedef struct mnp_conv_params {
    const void *block; /* the first element of the inner part */
    const void *ring;
    const void *taps; /* the kernel reversed along every dimension, dense, in the type of the sums */
    void *out;
    const int *tiles; /* numbers of the tiles to compute; x varies fastest */
    long long ntiles;
    long long extent[MNP_CONV_DIMS];    /* of the kernel; compiled in as MNP_K0 .. MNP_K3 on GPUs */
    long long tile_grid[MNP_CONV_DIMS]; /* tiles along each dimension */
    long long out_extent[MNP_CONV_DIMS], out_stride[MNP_CONV_DIMS];
    long long extended[MNP_CONV_DIMS];                  /* extent of the extended box */
    long long low[MNP_CONV_DIMS], inner[MNP_CONV_DIMS]; /* where the inner part begins in it, and its extent */
    long long block_stride[MNP_CONV_DIMS];
    long long slabs[MNP_CONV_DIMS]; /* where the slabs along each dimension begin in the ring, in elements */
} mnp_conv_params;

#endif
