/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interpolation.
 *
 * Coefficients of splines are found first, if they are wanted; where SciPy has no exact filter for a mode, it pads the
 * input by twelve elements, and so do we.  Each rank then knows by arithmetic in which box of the coefficients the
 * coordinates of its part of the result lie; the mover brings it, and one launch follows.  Coordinates that are an
 * array could lie anywhere, so each rank gets all coefficients.
 */
#include "ndimage/interpolate.h"

#include <math.h>
#include <string.h>

#include <maniple/join.h>

#include "array/input.h"
#include "array/move/mover.h"
#include "array/output.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "base/value.h"
#include "layout/layout.h"
#include "ndimage/linear.h"
#include "ndimage/spline.h"

enum { PADDING = 12 };

mnp_status mnp__interpolate_begin(mnp__interpolation *call)
{
    static const mnp_ndimage_options defaults = {.mode = MNP_NDIMAGE_DEFAULT};
    const mnp_array *x = call->x;
    if (!call->options)
        call->options = &defaults;
    MNP_TRY(mnp__spline_check(call->function, x, call->order, call->options->mode));
    MNP_TRY(mnp__filter_find_axes(call->function, x->layout->ndim, call->options, &call->axes));
    call->axes.output = call->options->dtype == MNP_DTYPE_AUTO ? x->dtype : call->options->dtype;
    call->mode = call->options->mode == MNP_NDIMAGE_DEFAULT ? MNP_NDIMAGE_CONSTANT : call->options->mode;
    if (call->options->modes)
        return MNP_FAIL(MNP_ERR_ARG, "%s: modes are given; interpolation has one mode along all axes", call->function);
    if (mnp_dtype_size(call->axes.output) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a dtype", call->function, (int)call->axes.output);
    if ((mnp_dtype_kind(x->dtype) == 'c') != (mnp_dtype_kind(call->axes.output) == 'c'))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s and the result %s; either both are complex, or none",
                        call->function, mnp_dtype_name(x->dtype), mnp_dtype_name(call->axes.output));
    return MNP_OK;
}

/* ---- what a rank needs ---- */

struct need {
    const mnp__interpolation *call;
    const mnp__map *map;
    const mnp_array *from;    /* the coefficients */
    const mnp_layout *result; /* cut as the result; NULL: every rank needs everything */
    double padding;
    unsigned axes; /* one bit for each axis that is interpolated */
};

/* The least and the largest coordinate of a block of the result along dimension d of the input. */
static void coordinates_of(const struct need *need, int d, const int64_t *lo, const int64_t *extent, double *range)
{
    const mnp__map *map = need->map;
    range[0] = range[1] = map->after[d] + need->padding;
    for (int e = 0; e < need->result->ndim; e++) {
        const bool scales = map->from == MNP__MAP_SCALES;
        const double factor = !scales ? map->matrix[d][e] : e == d ? map->scale[d] : 0;
        const double shift = scales ? map->before[d] : 0;
        const double first = ((double)lo[e] + shift) * factor,
                     last = ((double)(lo[e] + extent[e] - 1) + shift) * factor;
        range[0] += fmin(first, last);
        range[1] += fmax(first, last);
    }
}

/* The indices, of n, that may be read for coordinates in a range: *lo_p .. *hi_p, as many as there are, or none. */
static void indices_of(const struct need *need, const double *range, int64_t n, int64_t *lo_p, int64_t *hi_p)
{
    const double reach = need->call->order / 2 + 2, end = (double)n;
    const mnp_ndimage_mode mode = need->call->mode;
    double lo = floor(range[0]) - reach, hi = floor(range[1]) + reach;
    const bool ends = mode == MNP_NDIMAGE_CONSTANT || mode == MNP_NDIMAGE_GRID_CONSTANT;
    if (ends && (hi < -reach || lo > end + reach)) {
        *lo_p = 0;
        *hi_p = -1;
        return;
    }
    if (ends || mode == MNP_NDIMAGE_NEAREST) { /* what is farther out counts as the border, or not at all */
        lo = fmin(fmax(lo, -reach), end - 1 - reach);
        hi = fmax(fmin(hi, end + reach), reach);
    }
    const bool folds = mode != MNP_NDIMAGE_WRAP && mode != MNP_NDIMAGE_GRID_WRAP;
    const double low = lo, high = hi;
    if (!(lo > -end && hi < 2 * end - 2) || (!folds && (lo < 0 || hi > end - 1))) {
        lo = 0;
        hi = end - 1;
    }
    if (low < 0)
        hi = fmax(hi, -low);
    if (high > end - 1)
        lo = fmin(lo, 2 * end - 2 - high);
    *lo_p = lo > 0 ? (int64_t)lo : 0;
    *hi_p = hi < end - 1 ? (int64_t)hi : n - 1;
}

/* The box of coefficients that a rank needs: an mnp__wants. */
static int wanted(const void *argument, int rank, mnp__want *wants)
{
    const struct need *need = argument;
    const mnp_layout *from = need->from->layout;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], size = 1;
    if (need->result && !mnp__layout_box(need->result, rank, lo, extent))
        return 0;
    for (int d = 0; d < from->ndim; d++) {
        int64_t first = 0, last = from->shape[d] - 1;
        if (need->result && extent[d] == 0)
            return 0;
        if (need->result && !(need->axes >> d & 1)) {
            first = lo[d];
            last = lo[d] + extent[d] - 1;
        } else if (need->result) {
            double range[2];
            coordinates_of(need, d, lo, extent, range);
            if (isfinite(range[0]) && isfinite(range[1]))
                indices_of(need, range, from->shape[d], &first, &last);
        }
        wants[0].lo[d] = first;
        wants[0].extent[d] = last - first + 1;
        size *= mnp__max(wants[0].extent[d], 0);
    }
    mnp__dense_strides(from->ndim, wants[0].extent, wants[0].strides);
    return size > 0;
}

/* Bring it, to memory that *memory_p receives where it is not the array's own. */
static mnp_status bring(const struct need *need, mnp_interpolate_params *p, void **memory_p)
{
    const mnp_array *from = need->from;
    mnp_ctx *ctx = from->ctx;
    const int64_t parts = mnp_dtype_kind(from->dtype) == 'c' ? 2 : 1;
    mnp__want want = {.offset = 0};
    mnp__mover *mover = NULL;
    size_t bytes = mnp_dtype_size(from->dtype);
    const mnp__move_spec spec = {.dtype = from->dtype,
                                 .layout = from->layout,
                                 .strides = from->local_strides,
                                 .wants = wanted,
                                 .argument = need};
    for (int d = 0; d < from->layout->ndim; d++) {
        p->whole[d] = from->layout->shape[d];
        p->stride[d] = from->local_strides[d] * parts;
    }
    p->in = from->data;
    if (ctx->comm.size == 1)
        return MNP_OK;
    const bool any = wanted(need, ctx->comm.rank, &want) > 0;
    for (int d = 0; d < from->layout->ndim; d++) {
        p->lo[d] = want.lo[d];
        p->stride[d] = want.strides[d] * parts;
        bytes *= any ? (size_t)want.extent[d] : 0;
    }
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, bytes, memory_p)));
    p->in = *memory_p;
    MNP_TRY(mnp__mover_new(ctx, &spec, &mover));
    const mnp_status st = mnp__mover_move(mover, from->data, *memory_p);
    mnp__mover_free(mover);
    return st;
}

/* ---- the kernel ---- */

static const char *real_type(mnp_dtype dtype)
{
    return mnp__jit_type(mnp__dtype_real(dtype));
}

/* Coefficients of modes that have no exact filter are those of mirror. */
static int spline_mode(mnp_ndimage_mode mode)
{
    return mode == MNP_NDIMAGE_CONSTANT || mode == MNP_NDIMAGE_WRAP ? MNP_GO_MIRROR : (int)mode - MNP_NDIMAGE_REFLECT;
}

static mnp_status load_kernel(const struct need *need, const mnp_array *y, mnp__kernel **kernel_p)
{
    const mnp__interpolation *call = need->call;
    const mnp_dtype in = need->from->dtype, out = y->dtype;
    const char kind = mnp_dtype_kind(out);
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "ndimage/interpolate.cu", .function = "interpolate"};
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_PARTS %d\n", real_type(in),
                  real_type(out), kind == 'c' ? 2 : 1);
    mnp__text_add(&defines, "#define MNP_NDIM %d\n#define MNP_OUT_NDIM %d\n#define MNP_AXES ", need->from->layout->ndim,
                  y->layout->ndim);
    for (int d = 0; d < need->from->layout->ndim; d++)
        mnp__text_add(&defines, "%s%d", d > 0 ? ", " : "", (int)(need->axes >> d & 1));
    mnp__text_add(&defines, "\n#define MNP_ORDER %d\n#define MNP_MODE %d\n#define MNP_SPLINE_MODE %d\n", call->order,
                  (int)call->mode - MNP_NDIMAGE_REFLECT, spline_mode(call->mode));
    mnp__text_add(&defines, "#define MNP_FROM %d\n#define MNP_ROUND %d\n#define MNP_COORDINATE %s\n", need->map->from,
                  kind == 'b' ? 2 : kind == 'i' || kind == 'u',
                  need->map->coordinates ? mnp__jit_type(need->map->coordinates->dtype) : "double");
    return mnp__ctx_kernel_of_text(y->ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status launch(const struct need *need, const mnp_array *coordinates, const mnp_array *y,
                         mnp_interpolate_params *p)
{
    mnp_ctx *ctx = y->ctx;
    mnp__kernel *kernel;
    MNP_TRY(load_kernel(need, y, &kernel));
    p->out = y->data;
    p->coordinates = coordinates ? coordinates->data : NULL;
    p->count = y->local_size;
    p->padding = need->padding;
    p->cval = need->call->options->cval;
    for (int d = 0; d < y->layout->ndim; d++) {
        p->extent[d] = y->local_shape[d];
        p->first[d] = y->local_lo[d];
    }
    memcpy(p->before, need->map->before, sizeof p->before);
    memcpy(p->scale, need->map->scale, sizeof p->scale);
    memcpy(p->after, need->map->after, sizeof p->after);
    memcpy(p->matrix, need->map->matrix, sizeof p->matrix);
    return mnp__ctx_launch(ctx, kernel, p->count, p, sizeof *p);
}

/* ---- all of it ---- */

/* The input with elements around it, along the axes. */
static mnp_status pad(const mnp__interpolation *call, unsigned axes, mnp_array **padded_p)
{
    const mnp_boundary boundary = call->mode == MNP_NDIMAGE_NEAREST ? MNP_BOUNDARY_NEAREST : MNP_BOUNDARY_FILL;
    int64_t widths[2 * MNP_MAX_DIMS];
    unsigned char fill[16] = {0};
    if (boundary == MNP_BOUNDARY_FILL && !mnp__number_fits(call->options->cval, call->x->dtype))
        return MNP_FAIL(MNP_ERR_ARG, "%s: cval is %g, which the input's dtype %s cannot hold", call->function,
                        call->options->cval, mnp_dtype_name(call->x->dtype));
    mnp__value_write(&(mnp__value){.kind = 'f', .re = call->options->cval}, call->x->dtype, fill);
    for (int d = 0; d < call->x->layout->ndim; d++)
        widths[2 * d] = widths[2 * d + 1] = axes >> d & 1 ? PADDING : 0;
    return mnp_pad(call->x, widths, boundary, fill, padded_p);
}

/* The coefficients: x itself, or those of splines, of x or of what is padded. */
static mnp_status find_coefficients(const mnp__interpolation *call, struct need *need, mnp_array **made_p)
{
    mnp_array *padded = NULL;
    need->from = call->x;
    if (!call->prefilter || call->order < 2 || call->x->layout->size == 0)
        return MNP_OK;
    if (call->mode == MNP_NDIMAGE_NEAREST || call->mode == MNP_NDIMAGE_GRID_CONSTANT) {
        MNP_TRY(pad(call, need->axes, &padded));
        need->padding = PADDING;
    }
    const mnp_status st = mnp__spline_filter(padded ? padded : call->x, call->order, need->axes, call->mode, made_p);
    mnp_array_free(padded);
    need->from = *made_p;
    return st;
}

/* The layout of the result, in C order, and that of the coordinates, which is cut alike but for its first dimension. */
static mnp_status find_layouts(const mnp_array *x, const mnp__map *map, mnp_layout **result_p, mnp_layout **needed_p)
{
    const mnp_layout *given = map->coordinates ? map->coordinates->layout : NULL;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *layout = NULL;
    mnp_status st;
    if (!given) {
        MNP_TRY(mnp_layout_like(x->layout, map->shape, &layout));
        if (memcmp(map->shape, x->layout->shape, (size_t)x->layout->ndim * sizeof *map->shape) == 0) {
            mnp_layout_free(layout);
            layout = mnp_layout_retain(x->layout);
        }
        st = mnp__layout_in_c_order(layout, result_p);
        mnp_layout_free(layout);
        return st;
    }
    for (int d = 1; d < given->ndim; d++)
        dims[d - 1] = mnp__layout_dim_of(given, d);
    if (mnp_layout_parts(given, 0) > 1)
        MNP_TRY(mnp_layout_block(given->nranks, given->ndim - 1, given->shape + 1, result_p));
    else
        MNP_TRY(mnp__layout_derive(given, given->ndim - 1, dims, result_p));
    dims[0] = mnp__layout_dim_whole(given->shape[0]);
    for (int d = 1; d < given->ndim; d++)
        dims[d] = mnp__layout_dim_of(*result_p, d - 1);
    return mnp__layout_derive(*result_p, given->ndim, dims, needed_p);
}

static mnp_status interpolate(const mnp__interpolation *call, const mnp__map *map, mnp_array **y_p)
{
    const mnp_array *x = call->x;
    mnp_ctx *ctx = x->ctx;
    struct need need = {.call = call, .map = map};
    mnp_interpolate_params p = {.count = 0};
    mnp_layout *layout = NULL, *needed = NULL;
    mnp_array *made = NULL;
    mnp__input coordinates = {NULL, NULL};
    mnp__output output = {.array = NULL};
    void *memory = NULL;
    for (int a = 0; a < call->axes.count; a++)
        need.axes |= 1U << call->axes.axes[a];
    mnp_status st = MNP_AGREE(ctx, find_layouts(x, map, &layout, &needed));
    const mnp_array *const inputs[] = {x, map->coordinates};
    const mnp__output_spec spec = {.function = call->function,
                                   .ctx = ctx,
                                   .dtype = call->axes.output,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = map->coordinates ? 2 : 1,
                                   .inputs = inputs};
    if (st == MNP_OK)
        st = mnp__output_open(&spec, y_p, &output);
    if (st == MNP_OK)
        st = find_coefficients(call, &need, &made);
    if (st == MNP_OK && map->coordinates)
        st = mnp__input_open(map->coordinates, needed, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &coordinates);
    need.result = map->coordinates ? NULL : layout;
    if (st == MNP_OK)
        st = bring(&need, &p, &memory);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, launch(&need, coordinates.array, output.array, &p));
    ctx->device->ops->free(ctx->device, memory);
    mnp__input_close(&coordinates);
    mnp_array_free(made);
    mnp_layout_free(layout);
    mnp_layout_free(needed);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp__interpolate(const mnp__interpolation *call, const mnp__map *map, mnp_array **y_p)
{
    if (call->axes.output != MNP_BOOL)
        return interpolate(call, map, y_p);
    mnp__interpolation numbers = *call;
    mnp_array *made = NULL;
    numbers.axes.output = MNP_FLOAT64;
    const mnp_status st = interpolate(&numbers, map, &made);
    return mnp__give_bools(made, st, y_p);
}
