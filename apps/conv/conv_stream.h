/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution of datasets that are larger than the memory of the ranks: slab by slab of the first dimension.
 */
#ifndef APPS_CONV_STREAM_H
#define APPS_CONV_STREAM_H

#include <maniple.h>

#include "common/operand.h"

typedef struct conv_stream {
    int64_t needed, limit; /* bytes of a rank: of all arrays at once, and the limit of the heap */
    int64_t rows, slabs;   /* rows of the result in a slab, and the number of slabs; slabs 0: it is not streamed */
    mnp_conv_method method;
} conv_stream;

/*
 * Plan: whether input, result and what is between them exceed the memory limit of a rank, if it has one, and how many
 * rows of the first dimension do not.  A generated input is never streamed, nor one with less than twice as many rows
 * as the kernel.  Not collective.
 */
void conv_stream_plan(mnp_ctx *ctx, const operand *input, const operand *kernel, const mnp_conv_options *options,
                      conv_stream *stream);

/*
 * Read, convolve and write the slabs, one after the other, into a new file, which appears when it is complete.
 * MNP_ERR_ARG if the output is not a dataset of an HDF5 file that does not exist yet.  Collective.
 */
mnp_status conv_stream_run(mnp_ctx *ctx, const operand *input, const mnp_array *kernel, const operand *output,
                           const mnp_conv_options *options, conv_stream *stream);

#endif
