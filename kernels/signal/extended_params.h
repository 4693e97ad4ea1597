/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The extended box, shared by the library (C) and the kernels (C++): all input that a rank's outputs need.
 *
 * Everything is four-dimensional: (outer, outer, y, x).  The extended box is the box of the rank's outputs, larger by
 * the filter's extents less one.  The inner part of that box is in the rank's own block of the array.  The rest, the
 * ring around it, has been gathered into a buffer: the slabs below and above the inner part along dimension 0, each
 * dense in C order, then those along dimension 1 (inner along dimension 0), and so on.
 */
#ifndef MNP_KERNELS_SIGNAL_EXTENDED_PARAMS_H
#define MNP_KERNELS_SIGNAL_EXTENDED_PARAMS_H

enum { MNP_CONV_DIMS = 4 };

typedef struct mnp_extended {
    const void *block; /* the first element of the inner part */
    const void *ring;
    long long extended[MNP_CONV_DIMS];                  /* extent of the extended box */
    long long low[MNP_CONV_DIMS], inner[MNP_CONV_DIMS]; /* where the inner part begins in it, and its extent */
    long long block_stride[MNP_CONV_DIMS];
    long long slabs[MNP_CONV_DIMS]; /* where the slabs along each dimension begin in the ring, in elements */
} mnp_extended;

/* The tiles of a rank's outputs that one launch computes. */
typedef struct mnp_tiles {
    void *out;
    const int *list; /* numbers of the tiles to compute; x varies fastest */
    long long count;
    long long grid[MNP_CONV_DIMS];                          /* tiles along each dimension */
    long long extent[MNP_CONV_DIMS], stride[MNP_CONV_DIMS]; /* of the outputs */
} mnp_tiles;

#endif
