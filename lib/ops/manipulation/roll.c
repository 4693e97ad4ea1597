/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rolling and tiling: beyond its border an array continues with its other end.
 */
#include <maniple/join.h>

#include <inttypes.h>
#include <math.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ops/common/paste.h"

/* ---- roll ---- */

/* Add a shift to those of a dimension, within its extent. */
static void add_shift(int64_t *shift, int64_t more, int64_t extent)
{
    if (extent == 0)
        return;
    *shift = mnp__modulo(*shift + mnp__modulo(more, extent) - extent, extent);
}

static mnp_status roll(const mnp_array *x, const int64_t *shift, mnp_array **result_p)
{
    const mnp__output_spec spec = {.function = "mnp_roll",
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = x->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &x};
    mnp__output output;
    MNP_TRY(mnp__output_open(&spec, result_p, &output));
    mnp__paste_source where = mnp__paste_source_of(output.array);
    for (int d = 0; d < x->layout->ndim; d++) {
        where.origin[d] = shift[d];
        where.boundaries[d] = MNP_BOUNDARY_WRAP;
    }
    return mnp__output_close(1, &output, mnp__paste("mnp_roll", x, &where, output.array));
}

/* The flattened array, rolled, in the shape and layout of x. */
static mnp_status roll_flat(const mnp_array *x, int64_t shift, mnp_array **result_p)
{
    mnp_array *flat = NULL, *rolled = NULL, *shaped = NULL;
    const mnp__output_spec spec = {
        .function = "mnp_roll", .ctx = x->ctx, .dtype = x->dtype, .layout = x->layout, .needs = MNP__OUTPUT_ANY_LAYOUT};
    mnp__output output;
    mnp_status st;
    MNP_TRY(mnp__output_open(&spec, result_p, &output));
    MNP_TRY_OR(mnp_ravel(x, &flat), st, done);
    MNP_TRY_OR(roll(flat, &shift, &rolled), st, done);
    MNP_TRY_OR(mnp_reshape(rolled, x->layout->ndim, x->layout->shape, &shaped), st, done);
    st = mnp__array_copy_to(shaped, output.array);
done:
    mnp_free_all(shaped, rolled, flat);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_roll(const mnp_array *x, int count, const int64_t *shifts, const int *axes, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_NEED_IF(count > 0, shifts);
    int64_t shift[MNP_MAX_DIMS] = {0}, flat = 0;
    MNP_TRY(mnp__inputs_check("mnp_roll", 1, &x));
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_roll: there are %d shifts", count);
    for (int i = 0; i < count; i++) {
        int axis = 0;
        if (!axes) {
            add_shift(&flat, shifts[i], x->layout->size);
            continue;
        }
        MNP_TRY(mnp__view_axis("mnp_roll", x->layout->ndim, axes[i], &axis));
        add_shift(&shift[axis], shifts[i], x->layout->shape[axis]);
    }
    if (axes)
        return roll(x, shift, result_p);
    return x->layout->ndim == 1 ? roll(x, &flat, result_p) : roll_flat(x, flat, result_p);
}

/* ---- tile ---- */

/*
 * The mover handles a piece for every repetition.  If there are many, a longer array of about the square root of their
 * number is made first, and the result repeats that one, and perhaps a part of it.
 */
static bool repeat_fewer(int ndim, const int64_t *repeats, int64_t *fewer)
{
    const int64_t many = 64;
    bool any = false;
    for (int d = 0; d < ndim; d++) {
        fewer[d] = repeats[d] > many ? (int64_t)sqrt((double)repeats[d]) : 1;
        any = any || fewer[d] > 1;
    }
    return any;
}

static mnp_status tile(const mnp_array *x, const int64_t *repeats, mnp_array **result_p)
{
    int64_t shape[MNP_MAX_DIMS], fewer[MNP_MAX_DIMS];
    int kept[MNP_MAX_DIMS], ndim = x->layout->ndim;
    mnp_layout *layout;
    mnp_array *longer = NULL;
    mnp__output output;
    for (int d = 0; d < ndim; d++) {
        if (__builtin_mul_overflow(x->layout->shape[d], repeats[d], &shape[d]))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_tile: dimension %d becomes too long for 64-bit sizes", d);
        kept[d] = repeats[d] == 1 ? d : -1;
    }
    MNP_TRY(mnp__paste_layout(1, &x, ndim, shape, kept, &layout));
    const mnp__output_spec spec = {.function = "mnp_tile",
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
    for (int d = 0; d < ndim; d++)
        where.boundaries[d] = MNP_BOUNDARY_WRAP;
    if (repeat_fewer(ndim, repeats, fewer))
        st = tile(x, fewer, &longer);
    if (st == MNP_OK)
        st = mnp__paste("mnp_tile", longer ? longer : x, &where, output.array);
    mnp_array_free(longer);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_tile(const mnp_array *x, int count, const int64_t *repeats, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_NEED_IF(count > 0, repeats);
    int64_t times[MNP_MAX_DIMS], shape[MNP_MAX_DIMS];
    mnp_array *wide = NULL;
    MNP_TRY(mnp__inputs_check("mnp_tile", 1, &x));
    if (count < 0 || count > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_tile: there are %d repeats, outside 0..%d", count, MNP_MAX_DIMS);
    int ndim = count > x->layout->ndim ? count : x->layout->ndim, fewer = ndim - x->layout->ndim;
    for (int d = 0; d < ndim; d++) {
        times[d] = d < ndim - count ? 1 : repeats[d - (ndim - count)];
        shape[d] = d < fewer ? 1 : x->layout->shape[d - fewer];
        if (times[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "mnp_tile: repeats[%d] is %" PRId64 ", negative", d - (ndim - count),
                            times[d]);
    }
    if (fewer == 0)
        return tile(x, times, result_p);
    MNP_TRY(mnp_reshape(x, ndim, shape, &wide));
    mnp_status st = tile(wide, times, result_p);
    mnp_array_free(wide);
    return st;
}
