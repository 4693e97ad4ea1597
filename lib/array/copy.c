/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and casts between arrays of the same layout, with any strides. */
#include <string.h>

#include "array/array.h"
#include "array/boxes.h"
#include "array/output.h"
#include "base/integer.h"
#include "layout/layout.h"

mnp_status mnp__array_refuse_scalar(const char *function, const mnp_array *array)
{
    if (mnp__array_is_scalar(array))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: a scalar is an operand of element-wise functions alone; make an array of it, "
                        "such as with mnp_full()",
                        function);
    return MNP_OK;
}

mnp_status mnp__array_check_blocks(const char *function, const mnp_array *array)
{
    MNP_TRY(mnp__array_refuse_scalar(function, array));
    if (mnp_layout_is_cyclic(array->layout))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: an array is spread block-cyclically; bring it to a layout of blocks first, "
                        "with mnp_redistribute()",
                        function);
    return MNP_OK;
}

/* Enqueue a copy, perhaps with a cast, of this rank's block. */
static mnp_status run_copy(const mnp_array *from, mnp__kernel *kernel, mnp_array *to)
{
    mnp_ctx *ctx = from->ctx;
    if (to->local_size == 0)
        return MNP_OK;
    mnp__one_box box = mnp__one_box_of(to->layout->ndim, to->local_shape, from->local_strides, to->local_strides);
    mnp__one_box_order(&box);
    size_t size = from->dtype == to->dtype ? mnp_dtype_size(to->dtype) : 0;
    return mnp__one_box_copy(ctx, kernel, &box, size, from->data, to->data, ctx->compute);
}

/* Whether the blocks of two arrays of the same layout are known to be dense in the same order. */
static bool same_storage(const mnp_array *a, const mnp_array *b)
{
    unsigned both = a->dense & b->dense;
    return both & (MNP__DENSE_C | MNP__DENSE_F) ||
           (both & MNP__DENSE_ORDER &&
            memcmp(a->layout->order, b->layout->order, (size_t)a->layout->ndim * sizeof *a->layout->order) == 0);
}

/* The kernel for a copy; NULL if the bytes of the block can be copied without a kernel. */
static mnp_status find_kernel(const mnp_array *from, const mnp_array *to, mnp__kernel **kernel_p)
{
    const bool same = from->dtype == to->dtype;
    *kernel_p = NULL;
    if (same && same_storage(from, to))
        return MNP_OK;
    return mnp__copy_kernel(from->ctx, same ? mnp__moving_dtype(from->dtype) : from->dtype,
                            same ? mnp__moving_dtype(to->dtype) : to->dtype, kernel_p);
}

mnp_status mnp__array_assign_prepare(const mnp_array *from, const mnp_array *to)
{
    mnp__kernel *kernel;
    return find_kernel(from, to, &kernel);
}

mnp_status mnp__array_assign(const mnp_array *from, mnp_array *to)
{
    mnp_ctx *ctx = from->ctx;
    mnp__kernel *kernel;
    if (from == to)
        return MNP_OK;
    if (from->buffer == to->buffer) { /* elements could be overwritten before they are read */
        mnp_array *temporary = NULL;
        MNP_TRY(mnp_copy(from, &temporary));
        mnp_status st = mnp__array_assign(temporary, to);
        mnp_array_free(temporary);
        return st;
    }
    MNP_TRY(find_kernel(from, to, &kernel));
    if (kernel)
        return run_copy(from, kernel, to);
    return ctx->device->ops->copy(ctx->device, to->data, from->data, (size_t)to->local_size * mnp_dtype_size(to->dtype),
                                  ctx->compute);
}

mnp_status mnp__array_repeat_prepare(const mnp_array *array)
{
    const mnp_dtype moving = mnp__moving_dtype(array->dtype);
    mnp__kernel *kernel;
    return mnp__copy_kernel(array->ctx, moving, moving, &kernel);
}

/* Dimension by dimension, so that no launch writes what it reads. */
mnp_status mnp__array_repeat(mnp_array *array, unsigned dims)
{
    mnp_ctx *ctx = array->ctx;
    const mnp_dtype moving = mnp__moving_dtype(array->dtype);
    const int64_t size = (int64_t)mnp_dtype_size(array->dtype);
    const int ndim = array->layout->ndim;
    int64_t extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp__kernel *kernel;
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    for (int d = 0; d < ndim; d++)
        extent[d] = dims >> d & 1 ? mnp__min(array->local_shape[d], 1) : array->local_shape[d];
    for (int d = 0; d < ndim && array->local_size > 0; d++) {
        if (!(dims >> d & 1) || array->local_shape[d] == 1)
            continue;
        memcpy(strides, array->local_strides, sizeof strides);
        strides[d] = 0;
        extent[d] = array->local_shape[d] - 1;
        mnp__one_box box = mnp__one_box_of(ndim, extent, strides, array->local_strides);
        mnp__one_box_order(&box);
        MNP_TRY(mnp__one_box_copy(ctx, kernel, &box, (size_t)size, array->data,
                                  (char *)array->data + array->local_strides[d] * size, ctx->compute));
        extent[d] = array->local_shape[d];
    }
    return MNP_OK;
}

/* A copy or cast, for the public functions; a new array has that layout. */
static mnp_status convert(const char *function, const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout,
                          mnp_array **result_p)
{
    mnp__output output;
    const mnp__output_spec spec = {
        .function = function, .ctx = array->ctx, .dtype = dtype, .layout = layout, .needs = MNP__OUTPUT_EXACT};
    MNP_TRY(mnp__output_open(&spec, result_p, &output));
    return mnp__output_close(1, &output, mnp__array_assign(array, output.array));
}

mnp_status mnp_copy(const mnp_array *array, mnp_array **copy_p)
{
    MNP_ENTER(array, copy_p);
    MNP_TRY(mnp__array_refuse_scalar("mnp_copy", array));
    return convert("mnp_copy", array, array->dtype, array->layout, copy_p);
}

mnp_status mnp_astype(const mnp_array *array, mnp_dtype dtype, mnp_array **result_p)
{
    MNP_ENTER(array, result_p);
    mnp_layout *as_it_lies;
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)dtype);
    MNP_TRY(mnp__array_refuse_scalar("mnp_astype", array));
    MNP_TRY(mnp_layout_with_order(array->layout, array->stored, &as_it_lies));
    const mnp_status st = convert("mnp_astype", array, dtype, as_it_lies, result_p);
    mnp_layout_free(as_it_lies);
    return st;
}
