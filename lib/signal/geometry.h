/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The geometry of a filter: which outputs a rank computes, which input it needs for them, which part of that is its
 * own, and where the rest is stored.  kernels/signal/extended_params.h defines the terms.
 */
#ifndef MNP__SIGNAL_GEOMETRY_H
#define MNP__SIGNAL_GEOMETRY_H

#include <maniple/signal.h>

#include "array/move/mover.h"
#include "kernels/signal/extended_params.h"
#include "layout/layout.h"

/* The problem as all ranks see it, in the dimensions of the input. */
typedef struct mnp__conv_geometry {
    int ndim;
    mnp_layout *input, *output;    /* owned */
    int64_t taps[MNP_CONV_DIMS];   /* extent of the kernel along each dimension of the input, 1 where it is batched */
    int kernel_dim[MNP_CONV_DIMS]; /* dimension of the kernel that goes along each of the input's; -1: none */
    int64_t offset[MNP_CONV_DIMS]; /* output o is value o + offset of the full convolution */
    int64_t zeros[MNP_CONV_DIMS];  /* so many elements at either end of what all outputs need are known to be 0 */
    /* the kernel code finds what lies beyond the array's borders itself: then no rank may own a part of the dimension
       alone, and the extended box is the block along it */
    bool folds[MNP_CONV_DIMS];
    /* dimension of the input that is dimension j of the kernel code; -1: none, extent 1 */
    int order[MNP_CONV_DIMS];
} mnp__conv_geometry;

/* One rank's share, in the dimensions of the kernel code. */
typedef struct mnp__conv_share {
    int64_t out_extent[MNP_CONV_DIMS], extended[MNP_CONV_DIMS], low[MNP_CONV_DIMS], inner[MNP_CONV_DIMS];
    int64_t want_lo[MNP_CONV_DIMS];  /* the extended box's first index in the input */
    int64_t inner_lo[MNP_CONV_DIMS]; /* the inner part's first index in the rank's block */
    int64_t slabs[MNP_CONV_DIMS], ring_size;
} mnp__conv_share;

/*
 * Check and resolve the options for an input of that layout and a kernel of that shape.  Not collective.  MNP_ERR_ARG.
 * Free with mnp__conv_geometry_free().
 */
mnp_status mnp__conv_geometry_new(const mnp_layout *input, int kernel_ndim, const int64_t *kernel_shape,
                                  const mnp_conv_options *options, mnp__conv_geometry *geometry);

/*
 * The geometry where output o needs inputs o + first[d] to o + first[d] + taps[d] - 1 along each dimension d of the
 * input, which has 1 to MNP_CONV_DIMS dimensions and no extent 0.  Not collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__conv_geometry_of(const mnp_layout *input, const int64_t *taps, const int64_t *first,
                                 const int64_t *out_shape, mnp__conv_geometry *geometry);
void mnp__conv_geometry_free(mnp__conv_geometry *geometry);

/* The share of `rank`. */
void mnp__conv_share_of(const mnp__conv_geometry *geometry, int rank, mnp__conv_share *share);

/* The ring that `rank` needs from others: an mnp__wants, with the geometry as its argument. */
int mnp__conv_wants(const void *geometry, int rank, mnp__want *wants);

#endif
