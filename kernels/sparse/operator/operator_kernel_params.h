/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of operator_kernel.cu, shared by the library (C) and the kernel (C++): vectors over a grid's points,
 * and which points to compute.
 */
#ifndef MNP_KERNELS_SPARSE_OPERATOR_OPERATOR_KERNEL_PARAMS_H
#define MNP_KERNELS_SPARSE_OPERATOR_OPERATOR_KERNEL_PARAMS_H

enum {
    MNP_GRID_DIMS = 8,
    MNP_GRID_ARRAYS = 17,  /* x, and the vectors that a body names */
    MNP_GRID_THREADS = 512 /* of a block, on GPUs */
};

/* A vector on this rank: its own part, and its ghosts, first those before that part, then those after it. */
typedef struct mnp_grid_array {
    const void *own, *ghosts;
} mnp_grid_array;

/*
 * Points are numbered in C order; this rank owns points lo .. hi - 1.  Its ghosts are points before and after these,
 * and where the first dimension is periodic also points at the other end of the grid.
 */
typedef struct mnp_grid_params {
    mnp_grid_array arrays[MNP_GRID_ARRAYS]; /* the first is x */
    void *y;
    long long lo, hi;
    /*
     * From the number of a point to its place among the ghosts, which are in ascending order: for points before this
     * rank's, near_skip less from near_lo on, and for points after it, far_skip less, and far_gap more from far_lo on.
     */
    long long near_lo, near_skip, far_skip, far_lo, far_gap;
    long long stride[MNP_GRID_DIMS]; /* between the numbers of neighbours along each dimension */
    int shape[MNP_GRID_DIMS];
    long long begin[2], end[2]; /* two ranges of this rank's points to compute; either may be empty */
    /* For GPUs.  A plane is the points at one index of the first dimension, a row those at one of all but the last: */
    long long first_plane[2], end_plane[2]; /* planes in which the ranges lie */
    long long rows;                         /* rows of a plane */
    int tile_bits;                          /* a tile is 2^tile_bits points wide along the last dimension */
} mnp_grid_params;

#endif
