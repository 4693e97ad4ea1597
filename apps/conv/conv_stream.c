/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution slab by slab.
 *
 * A slab of rows of the result needs as many rows of the input and those that the kernel reaches before and behind
 * them.  These are convolved as a whole array: at its ends within the dataset some rows are wrong, which are not among
 * the slab's, and at the ends of the dataset the library applies the boundary.
 */
#include <string.h>

#include "conv/conv.h"

/* The extent of the kernel along the first dimension of the input. */
static int64_t kernel_rows(const convolution *j)
{
    const operand *input = &j->job.input, *kernel = &j->kernel;
    const mnp_conv_options *options = &j->options;
    for (int k = 0; k < options->naxes; k++)
        if ((options->axes[k] + input->ndim) % input->ndim == 0)
            return kernel->shape[k];
    return options->naxes == 0 && kernel->ndim == input->ndim ? kernel->shape[0] : 1;
}

static int64_t output_rows(int64_t n, int64_t k, mnp_conv_mode mode)
{
    return mode == MNP_CONV_FULL ? n + k - 1 : mode == MNP_CONV_SAME ? n : n - k + 1;
}

void conv_stream_plan(convolution *j)
{
    const operand *input = &j->job.input;
    const mnp_conv_options *options = &j->options;
    const int64_t n = input->shape[0], k = kernel_rows(j);
    const int64_t element = options->dtype == MNP_DTYPE_AUTO ? 8 : (int64_t)mnp_dtype_size(options->dtype);
    const bool pads = options->method == MNP_CONV_FFT || /* the whole slab, which then lies in memory several times */
                      options->method == MNP_CONV_TRANSFORMS;
    int64_t row = (int64_t)mnp_dtype_size(input->dtype) + (pads ? 8 : 3) * element; /* with what is between passes */
    for (int d = 1; d < input->ndim; d++)
        row *= input->shape[d];
    if (k > n)
        return;
    j->job.stream.wraps = options->boundary == MNP_BOUNDARY_WRAP;
    stream_plan(&j->job, &(stream_size){.rows = output_rows(n, k, options->mode), .row = row, .margin = k});
}

void conv_stream_needs(const job *base, stream_slab *slab)
{
    const convolution *j = (const convolution *)base;
    const int64_t k = kernel_rows(j);
    const mnp_conv_mode mode = j->options.mode;
    const int64_t after = mode == MNP_CONV_FULL ? 0 : mode == MNP_CONV_SAME ? (k - 1) / 2 : k - 1;
    stream_around(&base->stream, base->input.shape[0], k - 1 - after, after, slab);
}
