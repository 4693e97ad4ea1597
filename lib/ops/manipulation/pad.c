/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.pad: the mover's boundaries are its modes.  Constants are filled in on each rank, in boxes that do not overlap.
 */
#include <maniple/join.h>

#include <inttypes.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/common/paste.h"

static mnp_status padded_shape(const char *function, const mnp_array *x, const int64_t *widths, mnp_boundary mode,
                               int64_t *shape, int *kept)
{
    if ((int)mode < MNP_BOUNDARY_FILL || mode > MNP_BOUNDARY_NEAREST)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a mode", function, (int)mode);
    for (int d = 0; d < x->layout->ndim; d++) {
        const int64_t extent = x->layout->shape[d], *width = widths + 2 * d;
        for (int side = 0; side < 2; side++) {
            if (width[side] < 0)
                return MNP_FAIL(MNP_ERR_ARG, "%s: the width %s dimension %d is %" PRId64 ", negative", function,
                                side ? "after" : "before", d, width[side]);
        }
        if (extent == 0 && mode != MNP_BOUNDARY_FILL && (width[0] > 0 || width[1] > 0))
            return MNP_FAIL(MNP_ERR_ARG, "%s: dimension %d has no elements that could be repeated", function, d);
        if (__builtin_add_overflow(extent, width[0], &shape[d]) ||
            __builtin_add_overflow(shape[d], width[1], &shape[d]))
            return MNP_FAIL(MNP_ERR_ARG, "%s: dimension %d becomes too long for 64-bit sizes", function, d);
        kept[d] = shape[d] == extent ? d : -1;
    }
    return MNP_OK;
}

/*
 * Fill one side of dimension d: all of the earlier dimensions, the inner part of the later ones, whose own constants go
 * into the corners.
 */
static mnp_status fill_side(const char *function, const mnp_array *x, const int64_t *widths, int d, int side,
                            const void *value, mnp_array *result)
{
    int64_t lo[MNP_MAX_DIMS], hi[MNP_MAX_DIMS];
    for (int e = 0; e < x->layout->ndim; e++) {
        lo[e] = e > d ? widths[2 * e] : 0;
        hi[e] = e > d ? widths[2 * e] + x->layout->shape[e] : result->layout->shape[e];
    }
    if (side == 0)
        hi[d] = widths[2 * d];
    else
        lo[d] = widths[2 * d] + x->layout->shape[d];
    return mnp__fill(function, result, lo, hi, value);
}

/* `values` are one element for each side, or all the same one if `step` is 0. */
static mnp_status pad(const char *function, const mnp_array *x, const int64_t *widths, mnp_boundary mode,
                      const char *values, size_t step, mnp_array **result_p)
{
    int64_t shape[MNP_MAX_DIMS];
    int kept[MNP_MAX_DIMS], ndim = x->layout->ndim;
    mnp_layout *layout;
    mnp__output output;
    MNP_TRY(padded_shape(function, x, widths, mode, shape, kept));
    MNP_TRY(mnp__paste_layout(1, &x, ndim, shape, kept, &layout));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &x};
    mnp_status st = mnp__output_open(&spec, result_p, &output);
    mnp_layout_free(layout);
    MNP_TRY(st);
    mnp__paste_source where = mnp__paste_source_of(output.array);
    for (int d = 0; d < ndim; d++) {
        where.origin[d] = widths[2 * d];
        where.boundaries[d] = mode;
    }
    st = mnp__paste(function, x, &where, output.array);
    for (int i = 0; i < 2 * ndim && st == MNP_OK && mode == MNP_BOUNDARY_FILL; i++) {
        if (widths[i] > 0)
            st = fill_side(function, x, widths, i / 2, i % 2, values + (size_t)i * step, output.array);
    }
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_pad(const mnp_array *x, const int64_t *widths, mnp_boundary mode, const void *value,
                   mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_NEED_IF(x->layout->ndim > 0, widths);
    static const char zero[16];
    MNP_TRY(mnp__inputs_check("mnp_pad", 1, &x));
    return pad("mnp_pad", x, widths, mode, value ? value : zero, 0, result_p);
}

mnp_status mnp_pad_constant(const mnp_array *x, const int64_t *widths, const void *values, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_NEED_IF(x->layout->ndim > 0, widths);
    MNP_NEED_IF(x->layout->ndim > 0, values);
    MNP_TRY(mnp__inputs_check("mnp_pad_constant", 1, &x));
    return pad("mnp_pad_constant", x, widths, MNP_BOUNDARY_FILL, values, mnp_dtype_size(x->dtype), result_p);
}
