/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution slab by slab.
 *
 * A slab of rows of the result needs as many rows of the input and those that the kernel reaches before and behind
 * them.  Beyond the dataset these are padded by the boundary; for a periodic one they are read from the other end.  The
 * slab with its margins is convolved as a whole array, and the rows that are right, those whose windows lie in it, are
 * written.
 */
#include "conv/conv_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/progress.h"
#include "slab_file.h"

/* The extent of the kernel along the first dimension of the input. */
static int64_t kernel_rows(const operand *input, const operand *kernel, const mnp_conv_options *options)
{
    for (int k = 0; k < options->naxes; k++)
        if ((options->axes[k] + input->ndim) % input->ndim == 0)
            return kernel->shape[k];
    return options->naxes == 0 && kernel->ndim == input->ndim ? kernel->shape[0] : 1;
}

static int64_t output_rows(int64_t n, int64_t k, mnp_conv_mode mode)
{
    return mode == MNP_CONV_FULL ? n + k - 1 : mode == MNP_CONV_SAME ? n : n - k + 1;
}

void conv_stream_plan(mnp_ctx *ctx, const operand *input, const operand *kernel, const mnp_conv_options *options,
                      conv_stream *stream)
{
    const int64_t n = input->shape[0], k = kernel_rows(input, kernel, options), ranks = mnp_ctx_size(ctx);
    const int64_t element = options->dtype == MNP_DTYPE_AUTO ? 8 : (int64_t)mnp_dtype_size(options->dtype);
    const bool pads = options->method == MNP_CONV_FFT; /* the whole slab, which then lies in memory several times */
    int64_t row = (int64_t)mnp_dtype_size(input->dtype) + (pads ? 8 : 3) * element; /* with what is between passes */
    mnp_heap_info heap;
    mnp_memory_heap(ctx, &heap);
    for (int d = 1; d < input->ndim; d++)
        row *= input->shape[d];
    const bool in_file = input->kind < OPERAND_DIRAC && input->kind != OPERAND_PNG;
    *stream = (conv_stream){.needed = row * n / ranks, .limit = heap.limit};
    if (!in_file || heap.limit == 0 || stream->needed <= heap.limit || n < 2 * k)
        return;
    const int64_t least = k > ranks ? k : ranks, fitting = heap.limit * ranks / (3 * row) - k;
    stream->rows = fitting > least ? fitting : least;
    stream->slabs = (output_rows(n, k, options->mode) + stream->rows - 1) / stream->rows;
}

/* ---- slabs ---- */

typedef struct streaming {
    mnp_ctx *ctx;
    const operand *input;
    const mnp_conv_options *options;
    int64_t n, k, offset; /* rows of the input and of the kernel; row r of the result is r + offset of the full one */
    mnp_conv_plan *plan;  /* for slabs like the last one, of that layout */
    mnp_layout *layout;
    const mnp_array *kernel;
} streaming;

/* Rows [begin, end) of the dataset. */
static mnp_status load(const streaming *s, int64_t begin, int64_t end, mnp_array **x_p)
{
    int64_t start[MNP_MAX_DIMS] = {begin}, shape[MNP_MAX_DIMS];
    memcpy(shape, s->input->shape, sizeof shape);
    shape[0] = end - begin;
    return operand_load_box(s->ctx, s->input, start, shape, x_p);
}

/* The fill value as an element. */
static mnp_status encode(const streaming *s, unsigned char element[16])
{
    mnp_array *number = NULL, *cast = NULL;
    mnp_status st = mnp_array_from_host(s->ctx, MNP_FLOAT64, 1, (int64_t[]){1}, &s->options->fillvalue, &number);
    if (st == MNP_OK)
        st = mnp_astype(number, s->input->dtype, &cast);
    if (st == MNP_OK)
        st = mnp_array_to_host(cast, MNP_ALL_RANKS, element);
    mnp_free_all(number, cast);
    return st;
}

/* Rows that lie beyond both ends of a periodic dataset come from the other end. */
static mnp_status load_around(const streaming *s, int64_t before, mnp_array *middle, int64_t after, mnp_array **x_p)
{
    const mnp_array *parts[3];
    mnp_array *first = NULL, *last = NULL;
    int count = 0;
    mnp_status st = before > 0 ? load(s, s->n - before, s->n, &first) : MNP_OK;
    if (st == MNP_OK && after > 0)
        st = load(s, 0, after, &last);
    if (first)
        parts[count++] = first;
    parts[count++] = middle;
    if (last)
        parts[count++] = last;
    if (st == MNP_OK)
        st = mnp_concatenate(parts, count, 0, x_p);
    mnp_free_all(first, last);
    return st;
}

/* The input that rows [begin, end) of the result need. */
static mnp_status load_slab(const streaming *s, int64_t begin, int64_t end, mnp_array **x_p)
{
    const int64_t from = begin + s->offset - (s->k - 1), to = end + s->offset;
    const int64_t before = from < 0 ? -from : 0, after = to > s->n ? to - s->n : 0;
    int64_t widths[2 * MNP_MAX_DIMS] = {before, after};
    unsigned char fill[16] = {0};
    mnp_array *middle = NULL;
    mnp_status st = load(s, from + before, to - after, &middle);
    if (st != MNP_OK || before + after == 0) {
        *x_p = middle;
        return st;
    }
    if (s->options->boundary == MNP_BOUNDARY_WRAP) {
        st = load_around(s, before, middle, after, x_p);
    } else {
        st = encode(s, fill);
        if (st == MNP_OK)
            st = mnp_pad(middle, widths, s->options->boundary, fill, x_p);
    }
    mnp_array_free(middle);
    return st;
}

static void forget(streaming *s)
{
    mnp_conv_plan_free(s->plan);
    mnp_layout_free(s->layout);
    s->plan = NULL;
    s->layout = NULL;
}

/* Convolve a slab; *y_p is a view of the rows that are right. */
static mnp_status convolve(streaming *s, const mnp_array *x, int64_t rows, mnp_array **whole_p, mnp_array **y_p)
{
    const int64_t skip = s->options->mode == MNP_CONV_FULL   ? s->k - 1
                         : s->options->mode == MNP_CONV_SAME ? s->k - 1 - s->offset
                                                             : 0;
    char text[64];
    mnp_status st = MNP_OK;
    if (s->plan && !mnp_layout_equal(mnp_array_layout(x), s->layout))
        forget(s);
    if (!s->plan)
        s->layout = mnp_layout_retain(mnp_array_layout(x));
    if (!s->plan)
        st = mnp_conv_plan_new(s->ctx, mnp_array_dtype(x), mnp_array_layout(x), s->kernel, s->options, &s->plan);
    if (st == MNP_OK)
        st = mnp_conv_execute(s->plan, x, whole_p);
    snprintf(text, sizeof text, "%" PRId64 ":%" PRId64, skip, skip + rows);
    return st == MNP_OK ? mnp_index(*whole_p, text, y_p) : st;
}

static mnp_status run_slab(streaming *s, const conv_stream *stream, int64_t slab, slab_file *file)
{
    const int64_t all = output_rows(s->n, s->k, s->options->mode), begin = slab * stream->rows;
    const int64_t end = begin + stream->rows < all ? begin + stream->rows : all;
    mnp_array *x = NULL, *whole = NULL, *y = NULL;
    mnp_status st = load_slab(s, begin, end, &x);
    if (st == MNP_OK)
        st = convolve(s, x, end - begin, &whole, &y);
    if (st == MNP_OK)
        st = slab_file_write(file, begin, y);
    mnp_free_all(y, whole, x);
    return st;
}

/* ---- all slabs ---- */

mnp_status conv_stream_run(mnp_ctx *ctx, const operand *input, const mnp_array *kernel, const operand *output,
                           const mnp_conv_options *options, conv_stream *stream)
{
    operand shape_of_kernel = {.ndim = mnp_array_ndim(kernel)};
    memcpy(shape_of_kernel.shape, mnp_array_shape(kernel), (size_t)shape_of_kernel.ndim * sizeof(int64_t));
    const int64_t k = kernel_rows(input, &shape_of_kernel, options);
    streaming s = {.ctx = ctx, .input = input, .options = options, .n = input->shape[0], .k = k, .kernel = kernel};
    slab_file file;
    s.offset = options->mode == MNP_CONV_FULL ? 0 : options->mode == MNP_CONV_SAME ? (k - 1) / 2 : k - 1;
    mnp_status st = slab_file_open(ctx, output, output_rows(s.n, k, options->mode), &file);
    for (int64_t i = 0; i < stream->slabs && st == MNP_OK; i++) {
        st = run_slab(&s, stream, i, &file);
        progress_at((double)(i + 1) / (double)stream->slabs);
    }
    if (s.plan) {
        mnp_conv_plan_info info;
        mnp_conv_plan_describe(s.plan, &info);
        stream->method = info.method;
    }
    forget(&s);
    return slab_file_close(&file, st);
}
