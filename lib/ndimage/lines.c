/* SPDX-License-Identifier: BSD-3-Clause */
/* Bringing arrays to layouts with whole lines. */
#include "ndimage/lines.h"

#include "array/output.h"
#include "layout/layout.h"

int mnp__lines_order(const mnp_layout *layout, unsigned set, int *axes)
{
    int count = 0;
    for (int cut = 0; cut < 2; cut++)
        for (int d = 0; d < layout->ndim; d++)
            if (set >> d & 1 && (mnp_layout_parts(layout, d) > 1) == cut)
                axes[count++] = d;
    return count;
}

mnp_status mnp__lines_whole(const mnp_layout *layout, int axis, mnp_layout **layout_p)
{
    if (mnp_layout_parts(layout, axis) == 1)
        return mnp__layout_in_c_order(layout, layout_p);
    return mnp__layout_uncut(layout->nranks, layout->ndim, layout->shape, 1U << axis, layout_p);
}

mnp_status mnp__lines_bring(const mnp_layout *layout, mnp_array **x_p)
{
    mnp_array *to = NULL;
    if (!*x_p || mnp_layout_equal((*x_p)->layout, layout))
        return MNP_OK;
    MNP_TRY(mnp_array_new((*x_p)->ctx, (*x_p)->dtype, layout, &to));
    const mnp_status st = mnp__array_copy_to(*x_p, to);
    if (st != MNP_OK) {
        mnp_array_free(to);
        return st;
    }
    mnp_array_free(*x_p);
    *x_p = to;
    return MNP_OK;
}

mnp_lines mnp__lines_of(const mnp_array *x, int axis)
{
    mnp_lines lines = {.inner = mnp_dtype_kind(x->dtype) == 'c' ? 2 : 1, .length = x->local_shape[axis]};
    const int64_t reals = x->local_size * lines.inner;
    for (int d = axis + 1; d < x->layout->ndim; d++)
        lines.inner *= x->local_shape[d];
    lines.count = lines.length > 0 ? reals / lines.length : 0;
    return lines;
}

mnp_status mnp__lines_launch(mnp_ctx *ctx, mnp__kernel *kernel, const mnp_lines *lines, const void *params, size_t size)
{
    return mnp__ctx_launch(ctx, kernel, lines->count, params, size);
}
