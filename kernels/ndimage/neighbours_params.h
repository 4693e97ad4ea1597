/* SPDX-License-Identifier: BSD-3-Clause */
/* What neighbours.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_NDIMAGE_NEIGHBOURS_PARAMS_H
#define MNP_KERNELS_NDIMAGE_NEIGHBOURS_PARAMS_H

enum { MNP_NEIGHBOUR_WEIGHTS = 64 }; /* most weights of each stage */
enum { MNP_NEIGHBOUR_DIMS = 9 };     /* dimensions of an array, and one for arrays that have only one */

/*
 * Output element o, counted within a box of this rank's block, of `extent`, lies at out + sum(o * out_stride), with
 * stride 1 along the last dimension, and its mask likewise.  It has the window of the input that begins at index
 * first + o + low of the whole array, which has extent `whole` and goes on beyond its borders as `boundary` says: a
 * number of kernels/boundary.h, or MNP_NEIGHBOUR_INSIDE.  Index i of the input lies at
 * in + sum((i - memory_lo) * stride).
 */
typedef struct mnp_neighbours_params {
    const void *in;
    const void *mask; /* MNP_MASK: a byte for each output; where it is 0, the output is left as it is */
    void *out;
    double outside;  /* the value beyond the borders, for MNP_AT_FILL */
    long long items; /* tiles */
    long long extent[MNP_NEIGHBOUR_DIMS], out_stride[MNP_NEIGHBOUR_DIMS], first[MNP_NEIGHBOUR_DIMS],
        low[MNP_NEIGHBOUR_DIMS];
    long long whole[MNP_NEIGHBOUR_DIMS], memory_lo[MNP_NEIGHBOUR_DIMS], stride[MNP_NEIGHBOUR_DIMS];
    long long grid[MNP_NEIGHBOUR_DIMS]; /* items along each dimension */
    int boundary[MNP_NEIGHBOUR_DIMS];
    double weights[2][MNP_NEIGHBOUR_WEIGHTS]; /* of the two stages, for filters that have some */
} mnp_neighbours_params;

enum { MNP_NEIGHBOUR_INSIDE = -1 };

#endif
