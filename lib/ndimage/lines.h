/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work along whole lines of an array: its axes are made whole one after the other, those that are not cut first.
 */
#ifndef MNP__NDIMAGE_LINES_H
#define MNP__NDIMAGE_LINES_H

#include "array/array.h"
#include "kernels/ndimage/lines_params.h"

/* The axes of a set, one bit each, in the order in which they should be worked on; gives their number. */
int mnp__lines_order(const mnp_layout *layout, unsigned set, int *axes);

/*
 * The layout in C order in which an axis is whole: that of an array itself if it is, else the most even one.
 * MNP_ERR_MEMORY.  Not collective.
 */
mnp_status mnp__lines_whole(const mnp_layout *layout, int axis, mnp_layout **layout_p);

/*
 * Bring *x_p, which is dense in C order and may be NULL, to that layout; the array that it was is released.
 * Collective.
 */
mnp_status mnp__lines_bring(const mnp_layout *layout, mnp_array **x_p);

/* The lines of a rank's block along an axis; complex numbers count as two elements. */
mnp_lines mnp__lines_of(const mnp_array *x, int axis);

/* A launch with a thread for each line. */
mnp_status mnp__lines_launch(mnp_ctx *ctx, mnp__kernel *kernel, const mnp_lines *lines, const void *params,
                             size_t size);

#endif
