/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of stencil_rows.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ASSEMBLY_STENCIL_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_ASSEMBLY_STENCIL_ROWS_PARAMS_H

enum { MNP_STENCIL_DIMS = 8 }; /* most dimensions of a grid */

typedef struct mnp_stencil_params {
    int fills; /* whether columns and values are stored; otherwise `lengths` are */
    int ndim;
    long long lo, rows, npoints; /* lo: number of the first row in the grid; npoints: of the stencil */
    long long shape[MNP_STENCIL_DIMS];
    int boundary[MNP_STENCIL_DIMS]; /* kernels/boundary.h */
    /*
     * The stencil's points, so sorted that numbers of neighbours rise inside the grid: steps along all dimensions;
     * values
     */
    const long long *steps;
    const void *coefficients;
    long long *lengths; /* of the rows; their prefix sums are the offsets */
    long long *columns;
    void *values;
} mnp_stencil_params;

#endif
