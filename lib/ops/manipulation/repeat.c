/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repeating elements: every rank repeats what it has, and the result is cut where x is.
 */
#include <maniple/join.h>

#include <inttypes.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"

/* The layout of the result: as that of x, every cut `repeats` times as far. */
static mnp_status repeated_layout(const mnp_layout *layout, int axis, int64_t repeats, mnp_layout **repeated_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int parts = mnp_layout_parts(layout, axis);
    int64_t *cuts;
    MNP_TRY(mnp__malloc((size_t)(parts + 1) * sizeof *cuts, &cuts));
    for (int i = 0; i <= parts; i++)
        cuts[i] = layout->cuts[axis][i] * repeats;
    for (int d = 0; d < layout->ndim; d++)
        dims[d] = mnp__layout_dim_of(layout, d);
    dims[axis].extent *= repeats;
    dims[axis].cuts = cuts;
    mnp_status st = mnp__layout_derive(layout, layout->ndim, dims, repeated_p);
    free(cuts);
    return st;
}

/* x, or the result, with one more dimension behind `axis`, of extent `repeats` and that stride. */
static mnp_status stretch(const mnp_array *base, const mnp_layout *layout, int axis, int64_t stride,
                          int64_t stride_more, mnp_array **view_p)
{
    int64_t strides[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++)
        strides[d] = base->local_strides[d <= axis ? d : d - 1];
    strides[axis] = stride;
    strides[axis + 1] = stride_more;
    return mnp__array_view(base, base->dtype, layout, base->data, strides, view_p);
}

static mnp_status stretched_layout(const mnp_layout *layout, int axis, int64_t repeats, mnp_layout **stretched_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d <= layout->ndim; d++)
        dims[d] = d == axis + 1 ? mnp__layout_dim_whole(repeats) : mnp__layout_dim_of(layout, d <= axis ? d : d - 1);
    return mnp__layout_derive(layout, layout->ndim + 1, dims, stretched_p);
}

/* Copy every element of x to its places in `result`, which are on the same rank. */
static mnp_status copy_repeated(const mnp_array *x, int axis, int64_t repeats, mnp_array *result)
{
    mnp_layout *layout;
    mnp_array *from = NULL, *to = NULL;
    mnp_status st;
    int64_t stride = result->local_strides[axis];
    MNP_TRY(stretched_layout(x->layout, axis, repeats, &layout));
    MNP_TRY_OR(stretch(x, layout, axis, x->local_strides[axis], 0, &from), st, done);
    MNP_TRY_OR(stretch(result, layout, axis, stride * repeats, stride, &to), st, done);
    st = mnp__array_assign(from, to);
done:
    mnp_array_free(to);
    mnp_array_free(from);
    mnp_layout_free(layout);
    return st;
}

static mnp_status repeat(const mnp_array *x, int64_t repeats, int axis, mnp_array **result_p)
{
    int64_t extent;
    mnp_layout *layout;
    mnp__output output;
    if (x->layout->ndim == MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_repeat: the array has %d dimensions, and may have %d", MNP_MAX_DIMS,
                        MNP_MAX_DIMS - 1);
    MNP_TRY(mnp__view_axis("mnp_repeat", x->layout->ndim, axis, &axis));
    if (__builtin_mul_overflow(x->layout->shape[axis], repeats, &extent))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_repeat: dimension %d becomes too long for 64-bit sizes", axis);
    MNP_TRY(repeated_layout(x->layout, axis, repeats, &layout));
    const mnp__output_spec spec = {
        .function = "mnp_repeat", .ctx = x->ctx, .dtype = x->dtype, .layout = layout, .ninputs = 1, .inputs = &x};
    mnp_status st = mnp__output_open(&spec, result_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = copy_repeated(x, axis, repeats, output.array);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_repeat(const mnp_array *x, int64_t repeats, int axis, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    mnp_array *flat = NULL;
    MNP_TRY(mnp__inputs_check("mnp_repeat", 1, &x));
    if (repeats < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_repeat: repeats is %" PRId64 ", negative", repeats);
    if (axis != MNP_FLATTENED)
        return repeat(x, repeats, axis, result_p);
    MNP_TRY(mnp_ravel(x, &flat));
    mnp_status st = repeat(flat, repeats, 0, result_p);
    mnp_array_free(flat);
    return st;
}
