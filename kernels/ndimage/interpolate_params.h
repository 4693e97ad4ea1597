/* SPDX-License-Identifier: BSD-3-Clause */
/* What interpolate.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_NDIMAGE_INTERPOLATE_PARAMS_H
#define MNP_KERNELS_NDIMAGE_INTERPOLATE_PARAMS_H

enum { MNP_INTERPOLATE_DIMS = 8 };

/* How an input goes on beyond its borders, as in scipy.ndimage. */
enum {
    MNP_GO_REFLECT,
    MNP_GO_MIRROR,
    MNP_GO_NEAREST,
    MNP_GO_WRAP,
    MNP_GO_CONSTANT,
    MNP_GO_GRID_WRAP,
    MNP_GO_GRID_CONSTANT
};

/*
 * Element o of the output, o counted from `first` on within the whole output, is the input at the coordinates c:
 *
 *   MNP_FROM 0   c[d] = (o[d] + before[d]) * scale[d] + after[d] + padding
 *   MNP_FROM 1   c[d] = after[d] + sum over e of matrix[d][e] * o[e] + padding
 *   MNP_FROM 2   c[d] = coordinates[d * count + i] + padding, i the number of the element in the block
 *
 * and c[d] = o[d] along dimensions that are not interpolated.  Index i of the input, of which there are whole[d], lies
 * at in + sum((i - lo) * stride).
 */
typedef struct mnp_interpolate_params {
    const void *in, *coordinates;
    void *out;
    long long count, extent[MNP_INTERPOLATE_DIMS], first[MNP_INTERPOLATE_DIMS]; /* of the output's block */
    long long whole[MNP_INTERPOLATE_DIMS], lo[MNP_INTERPOLATE_DIMS], stride[MNP_INTERPOLATE_DIMS];
    double before[MNP_INTERPOLATE_DIMS], scale[MNP_INTERPOLATE_DIMS], after[MNP_INTERPOLATE_DIMS];
    double matrix[MNP_INTERPOLATE_DIMS][MNP_INTERPOLATE_DIMS];
    double padding, cval;
} mnp_interpolate_params;

#endif
