/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution by Fourier transforms of the whole array.
 */
#include "signal/whole.h"

#include <maniple/fft.h>
#include <maniple/ufunc.h>

#include <stdlib.h>
#include <string.h>

#include "array/boxes.h"
#include "array/input.h"
#include "array/output.h"
#include "base/dtype.h"

struct mnp__whole {
    mnp_ctx *ctx;
    mnp__conv_geometry geometry;
    mnp_dtype output, sum;
    int naxes, axes[MNP_CONV_DIMS]; /* of the filter, in the input's dimensions */
    int64_t points[MNP_CONV_DIMS];  /* of the padded array, along every dimension */
    mnp_layout *padded;
    mnp_array *extended, *values, *spectrum, *back,
        *result; /* extended: of the input's dtype; the others as their names */
    mnp_fft_plan *forward, *backward;
    mnp_array *filter;       /* its spectrum, where every rank has what it multiplies by */
    mnp__mover *load, *take; /* from the input, and to the result */
};

/* ---- moves ---- */

/* Every rank wants its padded block, from index o of which the input's index o + first is stored. */
static int want_padded(const void *argument, int rank, mnp__want *wants)
{
    const mnp__whole *whole = argument;
    const mnp__conv_geometry *geometry = &whole->geometry;
    if (!mnp__layout_box(whole->padded, rank, wants->lo, wants->extent))
        return 0;
    mnp__dense_strides(geometry->ndim, wants->extent, wants->strides);
    for (int d = 0; d < geometry->ndim; d++)
        wants->lo[d] += geometry->offset[d] - (geometry->taps[d] - 1);
    return 1;
}

/* Every rank wants its outputs: output o is at index o + taps - 1, or around the end of the array. */
static int want_outputs(const void *argument, int rank, mnp__want *wants)
{
    const mnp__whole *whole = argument;
    const mnp__conv_geometry *geometry = &whole->geometry;
    if (!mnp__layout_box(geometry->output, rank, wants->lo, wants->extent))
        return 0;
    mnp__dense_strides(geometry->ndim, wants->extent, wants->strides);
    for (int d = 0; d < geometry->ndim; d++)
        wants->lo[d] += geometry->taps[d] - 1;
    return 1;
}

static mnp_status plan_moves(mnp__whole *whole, const mnp__blocks_spec *spec)
{
    const mnp__move_spec load = {.dtype = spec->input,
                                 .layout = whole->geometry.input,
                                 .boundaries = spec->boundaries,
                                 .wants = want_padded,
                                 .argument = whole};
    mnp_boundary wraps[MNP_MAX_DIMS];
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        wraps[d] = MNP_BOUNDARY_WRAP;
    const mnp__move_spec take = {.dtype = whole->sum,
                                 .layout = whole->back->layout,
                                 .boundaries = wraps,
                                 .wants = want_outputs,
                                 .argument = whole};
    MNP_TRY(mnp__mover_new(whole->ctx, &load, &whole->load));
    MNP_TRY(mnp__mover_new(whole->ctx, &take, &whole->take));
    return MNP_AGREE(whole->ctx, mnp__mover_fill(whole->load, whole->extended->data, spec->fill));
}

/* ---- planning ---- */

/* The padded extents, and the axes; without any axis of more than one tap the last one is transformed. */
static mnp_status choose_points(mnp__whole *whole)
{
    const mnp__conv_geometry *geometry = &whole->geometry;
    for (int d = 0; d < geometry->ndim; d++) {
        const bool transforms = geometry->taps[d] > 1 || (d == geometry->ndim - 1 && whole->naxes == 0);
        whole->points[d] = transforms ? mnp__whole_length(geometry, d) : geometry->output->shape[d];
        if (transforms)
            whole->axes[whole->naxes++] = d;
    }
    return mnp_layout_like(geometry->input, whole->points, &whole->padded);
}

static mnp_status new_transform(const mnp__whole *whole, bool inverse, mnp_dtype dtype, const mnp_layout *layout,
                                mnp_fft_plan **plan_p)
{
    int64_t s[MNP_CONV_DIMS];
    for (int a = 0; a < whole->naxes; a++)
        s[a] = whole->points[whole->axes[a]];
    const mnp_fft_options options = {.real = mnp_dtype_kind(whole->sum) == 'f',
                                     .inverse = inverse,
                                     .naxes = whole->naxes,
                                     .axes = whole->axes,
                                     .s = s,
                                     .flags = MNP_FFT_PERMUTED | MNP_FFT_ESTIMATED};
    return mnp_fft_plan_new(whole->ctx, dtype, layout, &options, plan_p);
}

static mnp_status plan_transforms(mnp__whole *whole, const mnp__blocks_spec *spec)
{
    mnp_ctx *ctx = whole->ctx;
    const bool is_double = mnp__dtype_is_double(whole->sum);
    const mnp_dtype spectral = is_double ? MNP_COMPLEX128 : MNP_COMPLEX64;
    MNP_TRY(mnp_array_new_order(ctx, spec->input, whole->padded, MNP_ORDER_C, &whole->extended));
    if (spec->input != whole->sum)
        MNP_TRY(mnp_array_new_order(ctx, whole->sum, whole->padded, MNP_ORDER_C, &whole->values));
    MNP_TRY(new_transform(whole, false, whole->sum, whole->padded, &whole->forward));
    const mnp_layout *spectrum = mnp_fft_plan_layout(whole->forward);
    MNP_TRY(mnp_array_new_order(ctx, spectral, spectrum, MNP_ORDER_C, &whole->spectrum));
    MNP_TRY(new_transform(whole, true, spectral, spectrum, &whole->backward));
    MNP_TRY(mnp_array_new_order(ctx, whole->sum, mnp_fft_plan_layout(whole->backward), MNP_ORDER_C, &whole->back));
    if (spec->output != whole->sum)
        MNP_TRY(mnp_array_new_order(ctx, whole->sum, whole->geometry.output, MNP_ORDER_C, &whole->result));
    return MNP_OK;
}

/* This rank's block of the filter, not reversed, with zeros behind it. */
static mnp_status place_filter(const mnp__whole *whole, mnp__kernel *copy, const mnp_array *taps, mnp_array *padded)
{
    const mnp__conv_geometry *geometry = &whole->geometry;
    mnp__device *device = whole->ctx->device;
    const size_t size = mnp_dtype_size(whole->sum);
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], from[MNP_MAX_DIMS] = {0}, to[MNP_MAX_DIMS], ntaps = 1;
    if (!mnp__layout_box(padded->layout, whole->ctx->comm.rank, lo, extent))
        return MNP_OK;
    for (int j = MNP_CONV_DIMS - 1; j >= 0; j--) { /* the taps lie in the order of the kernel code's dimensions */
        const int d = geometry->order[j];
        if (d < 0)
            continue;
        from[d] = -ntaps;
        ntaps *= geometry->taps[d];
    }
    mnp__dense_strides(geometry->ndim, extent, to);
    int64_t first = ntaps - 1, count = 1; /* the tap of the block's first element, and how many taps it has */
    for (int d = 0; d < geometry->ndim; d++) {
        first += lo[d] * from[d];
        extent[d] = mnp__max(mnp__min(extent[d], geometry->taps[d] - lo[d]), 0);
        count *= extent[d];
    }
    MNP_TRY(device->ops->fill(device, padded->data, 0, (size_t)padded->local_size * size, whole->ctx->compute));
    if (count == 0)
        return MNP_OK;
    const mnp__one_box box = mnp__one_box_of(geometry->ndim, extent, from, to);
    return mnp__one_box_copy(whole->ctx, copy, &box, size, (const char *)taps->data + (size_t)first * size,
                             padded->data, whole->ctx->compute);
}

/* Transform the filter, which has one element along the dimensions of a batch, and bring it where it is used. */
static mnp_status make_filter(mnp__whole *whole, const mnp_array *taps)
{
    mnp_ctx *ctx = whole->ctx;
    int64_t shape[MNP_CONV_DIMS];
    mnp_layout *layout = NULL, *needed = NULL;
    mnp_array *padded = NULL, *spectrum = NULL;
    mnp_fft_plan *plan = NULL;
    const mnp_dtype moving = mnp__moving_dtype(whole->sum);
    mnp__kernel *copy;
    mnp_status st;
    for (int d = 0; d < whole->geometry.ndim; d++)
        shape[d] = 1;
    for (int a = 0; a < whole->naxes; a++)
        shape[whole->axes[a]] = whole->points[whole->axes[a]];
    MNP_TRY_OR(mnp_layout_like(whole->padded, shape, &layout), st, done);
    MNP_TRY_OR(mnp_array_new_order(ctx, whole->sum, layout, MNP_ORDER_C, &padded), st, done);
    MNP_TRY_OR(mnp__copy_kernel(ctx, moving, moving, &copy), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, place_filter(whole, copy, taps, padded)), st, done);
    MNP_TRY_OR(new_transform(whole, false, whole->sum, layout, &plan), st, done);
    MNP_TRY_OR(mnp_fft_plan_execute(plan, padded, &spectrum), st, done);
    MNP_TRY_OR(mnp__input_layout(whole->spectrum->layout, spectrum->layout, &needed), st, done);
    st = mnp_redistribute(spectrum, needed, &whole->filter);
done:
    mnp_fft_plan_free(plan);
    mnp_layout_free(layout);
    mnp_layout_free(needed);
    mnp_free_all(padded, spectrum);
    return st;
}

mnp_status mnp__whole_new(mnp_ctx *ctx, mnp__conv_geometry *geometry, const mnp__blocks_spec *spec,
                          mnp__whole **whole_p)
{
    mnp__whole *whole = NULL;
    mnp_status st = mnp__calloc(1, sizeof *whole, &whole);
    if (st == MNP_OK) {
        *whole = (mnp__whole){.ctx = ctx, .geometry = *geometry, .output = spec->output, .sum = spec->sum};
        *geometry = (mnp__conv_geometry){0};
        st = choose_points(whole);
    }
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    MNP_TRY_OR(plan_transforms(whole, spec), st, fail);
    MNP_TRY_OR(plan_moves(whole, spec), st, fail);
    MNP_TRY_OR(make_filter(whole, spec->taps), st, fail);
    *whole_p = whole;
    return MNP_OK;
fail:
    mnp__conv_geometry_free(geometry);
    mnp__whole_free(whole);
    return st;
}

void mnp__whole_free(mnp__whole *whole)
{
    if (!whole)
        return;
    mnp__mover_free(whole->load);
    mnp__mover_free(whole->take);
    mnp_fft_plan_free(whole->forward);
    mnp_fft_plan_free(whole->backward);
    mnp_free_all(whole->extended, whole->values, whole->spectrum, whole->back, whole->result, whole->filter);
    mnp_layout_free(whole->padded);
    mnp__conv_geometry_free(&whole->geometry);
    free(whole);
}

mnp_status mnp__whole_run(mnp__whole *whole, const mnp_array *x, mnp_array *y)
{
    mnp_array *result = whole->result ? whole->result : y;
    MNP_TRY(mnp__mover_run(whole->load, x->data, whole->extended->data));
    if (whole->values)
        MNP_TRY(mnp__array_copy_to(whole->extended, whole->values));
    MNP_TRY(mnp_fft_plan_execute(whole->forward, whole->values ? whole->values : whole->extended, &whole->spectrum));
    MNP_TRY(mnp_multiply(whole->spectrum, whole->filter, &whole->spectrum));
    MNP_TRY(mnp_fft_plan_execute(whole->backward, whole->spectrum, &whole->back));
    MNP_TRY(mnp__mover_run(whole->take, whole->back->data, result->data));
    if (!whole->result)
        return MNP_OK;
    if (strchr("iu", mnp_dtype_kind(whole->output)))
        MNP_TRY(mnp_rint(result, &result));
    return mnp__array_copy_to(result, y);
}
