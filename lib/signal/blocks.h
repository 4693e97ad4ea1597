/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution by Fourier transforms of blocks (overlap-save): a rank cuts its outputs into blocks, transforms the
 * window of input of each, multiplies by the filter's spectrum, and transforms back.  What a window wraps around spoils
 * as many of its elements as the filter has less one, which are not outputs.  Where all outputs along an axis are one
 * block and zeros are around the input, windows are shorter by those at one end.
 *
 * Ranks exchange what a direct sum needs, the ring around their blocks, and nothing in the transforms.
 *
 * Cost for windows of L elements and a filter of K along each of d axes: (L / (L - K + 1))^d times two transforms of
 * about 2.5 log2(L^d) operations an element.
 */
#ifndef MNP__SIGNAL_BLOCKS_H
#define MNP__SIGNAL_BLOCKS_H

#include "signal/geometry.h"

typedef struct mnp__blocks mnp__blocks;

typedef struct mnp__blocks_spec {
    mnp_dtype input, output, sum;   /* sum: float32, float64, complex64 or complex128 */
    const mnp_boundary *boundaries; /* of each dimension of the input */
    const void *fill;               /* one element of the input's dtype */
    mnp_array *taps;                /* of type `sum`, otherwise as direct summation takes them; blocks scale them */
    bool whole;                     /* one block a rank */
} mnp__blocks_spec;

/*
 * The extents of windows, in the dimensions of the kernel code, and whether they are transformed in pairs (paired.h);
 * the same on every rank.  Not collective.
 */
typedef struct mnp__blocks_shape {
    bool transformed[MNP_CONV_DIMS], paired;
    int64_t window[MNP_CONV_DIMS], step[MNP_CONV_DIMS];
} mnp__blocks_shape;
void mnp__blocks_choose(const mnp_ctx *ctx, const mnp__conv_geometry *geometry, bool whole, mnp__blocks_shape *shape);

/*
 * The number from n on that has the factors 2, 3, 5 and 7 alone and is a multiple of 4, or of 2 up to 32: libraries are
 * quick at those, on H200 as quick for each point as at products of 2, 3 and 5 or quicker.
 */
int64_t mnp__fast_length(int64_t n);

/* The number of points of one transform along dimension d of the input: of all outputs. */
int64_t mnp__whole_length(const mnp__conv_geometry *geometry, int d);

/*
 * Make a plan, which takes over the geometry, also in a failure, and holds the filter's spectrum and all the memory
 * that it needs.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_UNSUPPORTED without a library of transforms.
 */
mnp_status mnp__blocks_new(mnp_ctx *ctx, mnp__conv_geometry *geometry, const mnp__blocks_spec *spec,
                           mnp__blocks **blocks_p);

/* From a dense block of the input to a dense block of the output.  Collective; allocates nothing. */
mnp_status mnp__blocks_run(mnp__blocks *blocks, const void *x, void *y);

/* When the last run is done.  NULL is accepted.  Collective. */
void mnp__blocks_free(mnp__blocks *blocks);

#endif
