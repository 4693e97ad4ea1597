/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernels of convolution by Fourier transforms of blocks are given, shared by the library (C) and the kernels
 * (C++): blocks_load.cu, blocks_store.cu and spectrum_multiply.cu.
 *
 * The outputs of a rank are cut into blocks of `step` outputs.  Some blocks, `count` of them from number `first` on,
 * are worked on at a time: their windows of the extended box, of `window` elements, lie in a buffer, dense in C order,
 * where the number of the block is an index before the last one.
 */
#ifndef MNP_KERNELS_SIGNAL_BLOCKS_PARAMS_H
#define MNP_KERNELS_SIGNAL_BLOCKS_PARAMS_H

#include "kernels/signal/extended_params.h"

/* Rows are worked on in pieces of so many elements: kernels/signal/rows.h. */
enum { MNP_ROW_PIECE = 4096 };
#define mnp_row_pieces(length) (((length) + MNP_ROW_PIECE - 1) / MNP_ROW_PIECE)

typedef struct mnp_blocks_params {
    mnp_extended in; /* blocks_load.cu */
    void *windows;   /* of sums, real or complex */
    void *out;       /* blocks_store.cu */
    long long first, count, total;
    long long grid[MNP_CONV_DIMS]; /* blocks along each dimension */
    long long window[MNP_CONV_DIMS], step[MNP_CONV_DIMS];
    long long skip[MNP_CONV_DIMS]; /* where a block's first output is in its window after the filter; the last ones may
                                      be at the window's beginning */
    long long out_extent[MNP_CONV_DIMS], out_stride[MNP_CONV_DIMS];
} mnp_blocks_params;

/*
 * The spectra of windows, which lie alike, are multiplied by the filter's, whose stride is 0 along a batch dimension.
 */
typedef struct mnp_spectrum_params {
    void *spectra;
    const void *filter;
    long long count, extent[MNP_CONV_DIMS], stride[MNP_CONV_DIMS];
} mnp_spectrum_params;

#endif
