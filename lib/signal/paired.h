/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On GPUs: convolution of windows by Fourier transforms in kernels of our own.  Windows of one dimension take one
 * kernel, kernels/signal/paired_lines.cu; those of two take paired_rows.cu, paired_columns.cu and paired_rows.cu again.
 * Two real windows are transformed together, as the real and imaginary part of one complex window.
 *
 * Cost: in one dimension every element is read and written once.  In two, complex elements are read and written three
 * times, in the cache of the GPU, as few windows are worked on at a time.  With the transforms of a library, and with
 * separate passes that load, multiply and store, it would be seven times.
 */
#ifndef MNP__SIGNAL_PAIRED_H
#define MNP__SIGNAL_PAIRED_H

#include "kernels/signal/blocks_params.h"
#include "signal/blocks.h"

typedef struct mnp__paired {
    mnp__kernel *lines, *forward, *columns, *backward; /* the first for lines, the others for planes */
    mnp__launch rows, across;                          /* over the rows and the columns of one pair of planes */
    int windows;                                       /* in a pair: 2 if sums are real, 1 if complex */
    int64_t together;                                  /* how many rows a block of threads takes */
} mnp__paired;

/* Whether a filter with several taps along those dimensions is computed in this way. */
bool mnp__paired_suits(const mnp_ctx *ctx, const mnp__conv_geometry *geometry, const bool *transformed);

/* The length of the windows, of lines or of planes, along an axis with n outputs and k taps. */
int64_t mnp__paired_window(int64_t n, int64_t k, bool of_lines);

/* Load the kernels, for windows of that shape.  Collective.  MNP_ERR_COMPILE. */
mnp_status mnp__paired_load(mnp_ctx *ctx, const mnp__blocks_spec *spec, const mnp__blocks_shape *shape,
                            mnp__paired *paired);

/*
 * How many of `total` windows are worked on at a time, and the elements of type `spectral` of the buffer that this
 * takes, which has room for a window at least.
 */
int64_t mnp__paired_count(const mnp__paired *paired, const int64_t *window, mnp_dtype spectral, int64_t total,
                          int64_t *elements);

/*
 * Convolve p->count windows from p->first on, or as many as there are, with the filter whose spectrum is in s->filter;
 * p->windows is the buffer.
 */
mnp_status mnp__paired_run(mnp_ctx *ctx, const mnp__paired *paired, const mnp_blocks_params *p,
                           const mnp_spectrum_params *s);

#endif
