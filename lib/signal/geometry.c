/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of a filter that reads a window around every output.
 */
#include "signal/geometry.h"

#include <inttypes.h>
#include <string.h>

#include "array/array.h"
#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"

/* A shape for a message, such as "the kernel is empty: its shape is (3, 0)". */
static mnp_status fail_shape(const char *sentence, int ndim, const int64_t *shape)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_shape(&text, ndim, shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s %s", sentence, mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

static mnp_status check_shapes(const mnp_layout *input, int kernel_ndim, const int64_t *kernel_shape)
{
    if (input->ndim < 1 || input->ndim > MNP_CONV_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "a convolution takes arrays of 1 to %d dimensions, and the input has %d",
                        MNP_CONV_DIMS, input->ndim);
    if (kernel_ndim < 1 || kernel_ndim > input->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "the kernel has %d dimensions; for this input it should have 1 to %d", kernel_ndim,
                        input->ndim);
    for (int d = 0; d < input->ndim; d++) {
        if (input->shape[d] == 0)
            return fail_shape("the input is empty, every extent should be at least 1: its shape is", input->ndim,
                              input->shape);
    }
    for (int d = 0; d < kernel_ndim; d++) {
        if (kernel_shape[d] == 0)
            return fail_shape("the kernel is empty, every extent should be at least 1: its shape is", kernel_ndim,
                              kernel_shape);
    }
    return MNP_OK;
}

/* The kernel's extents along the input's dimensions. */
static mnp_status place_kernel(int ndim, int kernel_ndim, const int64_t *kernel_shape, const mnp_conv_options *options,
                               int64_t *taps, int *kernel_dim)
{
    if (options->naxes != 0 && options->naxes != kernel_ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%d axes are given for a kernel of %d dimensions", options->naxes, kernel_ndim);
    for (int d = 0; d < ndim; d++) {
        taps[d] = 1;
        kernel_dim[d] = -1;
    }
    for (int k = 0; k < kernel_ndim; k++) {
        int given = options->naxes ? options->axes[k] : ndim - kernel_ndim + k;
        int axis = given < 0 ? given + ndim : given;
        if (axis < 0 || axis >= ndim)
            return MNP_FAIL(MNP_ERR_ARG, "axis %d is outside the input, which has %d dimension%s", given, ndim,
                            ndim == 1 ? "" : "s");
        if (kernel_dim[axis] >= 0)
            return MNP_FAIL(MNP_ERR_ARG, "axis %d is given twice", given);
        kernel_dim[axis] = k;
        taps[axis] = kernel_shape[k];
    }
    return MNP_OK;
}

/* scipy.signal: in mode valid one operand must be at least as large as the other along every axis. */
static mnp_status check_valid(int ndim, const int64_t *shape, const int64_t *taps, const int *kernel_dim)
{
    bool input_larger = true, kernel_larger = true;
    for (int d = 0; d < ndim; d++) {
        input_larger = input_larger && (kernel_dim[d] < 0 || shape[d] >= taps[d]);
        kernel_larger = kernel_larger && (kernel_dim[d] < 0 || taps[d] >= shape[d]);
    }
    if (!input_larger && !kernel_larger)
        return MNP_FAIL(MNP_ERR_ARG,
                        "in mode valid one of the input and the kernel must be at least as large as the other "
                        "along every axis");
    return MNP_OK;
}

static void resolve_mode(mnp_conv_mode mode, int64_t extent, int64_t taps, int64_t *offset, int64_t *out_extent)
{
    switch (mode) {
    case MNP_CONV_FULL:
        *offset = 0;
        *out_extent = extent + taps - 1;
        break;
    case MNP_CONV_SAME:
        *offset = (taps - 1) / 2;
        *out_extent = extent;
        break;
    case MNP_CONV_VALID:
        *offset = mnp__min(extent, taps) - 1;
        *out_extent = mnp__max(extent, taps) - mnp__min(extent, taps) + 1;
        break;
    }
}

/*
 * Choose the dimensions x and y of the kernel code.  Along x reads are coalesced and registers are reused: it is the
 * innermost dimension, unless that is short and not convolved, such as the channels of a colour image.  y is the
 * innermost of the others that is convolved, and has several outputs, or the longest.
 */
static void choose_order(int ndim, const int64_t *shape, const int64_t *out_shape, const int64_t *taps, int *order)
{
    enum { SHORT = 32 };
    int x = -1, y = -1, outer = 1;
    for (int d = 0; d < ndim; d++) {
        if (taps[d] > 1 || shape[d] >= SHORT)
            x = d;
    }
    if (x < 0)
        x = ndim - 1;
    for (int d = 0; d < ndim; d++) {
        bool better = y < 0 || taps[d] > 1 || out_shape[y] == 1 || (taps[y] == 1 && shape[d] >= shape[y]);
        if (d != x && better)
            y = d;
    }
    order[3] = x;
    order[2] = y;
    order[0] = order[1] = -1;
    for (int d = ndim - 1; d >= 0; d--) {
        if (d != x && d != y)
            order[outer--] = d;
    }
}

/* The layouts, and the dimensions of the kernel code. */
static mnp_status finish(const mnp_layout *input, const int64_t *out_shape, mnp__conv_geometry *g)
{
    choose_order(g->ndim, input->shape, out_shape, g->taps, g->order);
    if (memcmp(out_shape, input->shape, (size_t)g->ndim * sizeof *out_shape) == 0)
        g->output = mnp_layout_retain(input);
    else
        MNP_TRY(mnp_layout_like(input, out_shape, &g->output));
    g->input = mnp_layout_retain(input);
    return MNP_OK;
}

mnp_status mnp__conv_geometry_new(const mnp_layout *input, int kernel_ndim, const int64_t *kernel_shape,
                                  const mnp_conv_options *options, mnp__conv_geometry *geometry)
{
    int64_t out_shape[MNP_CONV_DIMS];
    mnp__conv_geometry g = {.ndim = input->ndim};
    MNP_TRY(check_shapes(input, kernel_ndim, kernel_shape));
    MNP_TRY(place_kernel(g.ndim, kernel_ndim, kernel_shape, options, g.taps, g.kernel_dim));
    if (options->mode == MNP_CONV_VALID)
        MNP_TRY(check_valid(g.ndim, input->shape, g.taps, g.kernel_dim));
    const bool fills_zeros =
        options->mode == MNP_CONV_VALID || (options->boundary == MNP_BOUNDARY_FILL && options->fillvalue == 0);
    for (int d = 0; d < g.ndim; d++) {
        resolve_mode(options->mode, input->shape[d], g.taps[d], &g.offset[d], &out_shape[d]);
        const int64_t before = g.taps[d] - 1 - g.offset[d], after = out_shape[d] + g.offset[d] - input->shape[d];
        g.zeros[d] = fills_zeros ? mnp__max(mnp__min(before, after), 0) : 0;
    }
    MNP_TRY(finish(input, out_shape, &g));
    *geometry = g;
    return MNP_OK;
}

mnp_status mnp__conv_geometry_of(const mnp_layout *input, const int64_t *taps, const int64_t *first,
                                 const int64_t *out_shape, mnp__conv_geometry *geometry)
{
    mnp__conv_geometry g = {.ndim = input->ndim};
    for (int d = 0; d < g.ndim; d++) {
        g.taps[d] = taps[d];
        g.kernel_dim[d] = -1;
        g.offset[d] = first[d] + taps[d] - 1;
    }
    MNP_TRY(finish(input, out_shape, &g));
    *geometry = g;
    return MNP_OK;
}

void mnp__conv_geometry_free(mnp__conv_geometry *geometry)
{
    mnp_layout_free(geometry->input);
    mnp_layout_free(geometry->output);
    *geometry = (mnp__conv_geometry){0};
}

/* Elements of the ring's slabs along dimension d: inner before it, extended after it. */
static int64_t slab_size(const mnp__conv_share *share, int d)
{
    int64_t size = share->extended[d] - share->inner[d];
    for (int e = 0; e < MNP_CONV_DIMS; e++) {
        if (e != d)
            size *= e < d ? share->inner[e] : share->extended[e];
    }
    return size;
}

void mnp__conv_share_of(const mnp__conv_geometry *geometry, int rank, mnp__conv_share *share)
{
    int64_t out_lo[MNP_MAX_DIMS], out_extent[MNP_MAX_DIMS], block_lo[MNP_MAX_DIMS], block_extent[MNP_MAX_DIMS];
    mnp_layout_box(geometry->output, rank, out_lo, out_extent);
    mnp_layout_box(geometry->input, rank, block_lo, block_extent);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        int d = geometry->order[j];
        if (d < 0) {
            share->out_extent[j] = share->extended[j] = share->inner[j] = 1;
            share->low[j] = share->want_lo[j] = share->inner_lo[j] = 0;
            continue;
        }
        if (geometry->folds[d]) {
            share->out_extent[j] = out_extent[d];
            share->extended[j] = share->inner[j] = block_extent[d];
            share->low[j] = share->want_lo[j] = share->inner_lo[j] = 0;
            continue;
        }
        int64_t lo = out_lo[d] + geometry->offset[d] - (geometry->taps[d] - 1);
        int64_t extent = out_extent[d] > 0 ? out_extent[d] + geometry->taps[d] - 1 : 0;
        int64_t begin = mnp__max(lo, block_lo[d]), end = mnp__min(lo + extent, block_lo[d] + block_extent[d]);
        share->out_extent[j] = out_extent[d];
        share->extended[j] = extent;
        share->want_lo[j] = lo;
        share->inner[j] = end > begin ? end - begin : 0;
        share->low[j] = end > begin ? begin - lo : extent;
        share->inner_lo[j] = end > begin ? begin - block_lo[d] : 0;
    }
    share->ring_size = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        share->slabs[j] = share->ring_size;
        share->ring_size += slab_size(share, j);
    }
}

/* One of the two slabs along dimension j, as a box of the input's dimensions. */
static void make_want(const mnp__conv_geometry *geometry, const mnp__conv_share *share, int j, bool above,
                      mnp__want *want)
{
    int64_t stride = 1;
    want->offset = share->slabs[j];
    for (int k = MNP_CONV_DIMS - 1; k >= 0; k--) {
        int64_t lo = k < j ? share->low[k] : 0, extent = k < j ? share->inner[k] : share->extended[k];
        int64_t room = extent; /* how far the slabs reach along this dimension in memory */
        if (k == j) {
            room = share->extended[k] - share->inner[k];
            lo = above ? share->low[k] + share->inner[k] : 0;
            extent = above ? room - share->low[k] : share->low[k];
            want->offset += above ? share->low[k] * stride : 0;
        }
        int d = geometry->order[k];
        if (d >= 0) {
            want->lo[d] = share->want_lo[k] + lo;
            want->extent[d] = extent;
            want->strides[d] = stride;
        }
        stride *= room;
    }
}

int mnp__conv_wants(const void *argument, int rank, mnp__want *wants)
{
    const mnp__conv_geometry *geometry = argument;
    mnp__conv_share share;
    int count = 0;
    mnp__conv_share_of(geometry, rank, &share);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        if (slab_size(&share, j) == 0)
            continue;
        for (int above = 0; above <= 1; above++)
            make_want(geometry, &share, j, above, &wants[count++]);
    }
    return count;
}
