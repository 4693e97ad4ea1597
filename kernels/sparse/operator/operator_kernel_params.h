/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of operator_kernel.cu, shared by the library (C) and the kernel (C++): vectors of a grid's points, and
 * which points are to be computed.
 */
#ifndef MNP_KERNELS_SPARSE_OPERATOR_OPERATOR_KERNEL_PARAMS_H
#define MNP_KERNELS_SPARSE_OPERATOR_OPERATOR_KERNEL_PARAMS_H

enum {
    MNP_GRID_DIMS = 8,
    MNP_GRID_ARRAYS = 17,  /* x, and those that a body has names for */
    MNP_GRID_THREADS = 512 /* of a block, on GPUs */
};

/* A vector on this rank: its own part, and its ghosts, those before that part and then those behind it. */
typedef struct mnp_grid_array {
    const void *own, *ghosts;
} mnp_grid_array;

/* Points are numbered in C order; this rank has those from lo to hi - 1, and ghosts from ghosts_lo on. */
typedef struct mnp_grid_params {
    mnp_grid_array arrays[MNP_GRID_ARRAYS]; /* the first is x */
    void *y;
    long long lo, hi, ghosts_lo;
    long long stride[MNP_GRID_DIMS]; /* from a point to the next along every dimension */
    int shape[MNP_GRID_DIMS];
    long long begin[2], end[2]; /* what to compute: ranges of this rank's points, either may be empty */
    /* of GPUs, where a plane is what has one index along the first dimension, and a row one along all but the last: */
    long long first_plane[2], end_plane[2]; /* which the ranges lie in */
    long long rows;                         /* of a plane */
    int tile_bits;                          /* the logarithm of a tile's width along the last dimension */
} mnp_grid_params;

#endif
