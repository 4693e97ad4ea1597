/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From array to array of the same layout, whatever their strides: copies and casts.
 */
#include <string.h>

#include "array/array.h"
#include "array/boxes.h"
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

/* Enqueue a copy that may cast, of this rank's block. */
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

/* Whether the blocks of two arrays of the same layout are known to lie alike in memory, without gaps. */
static bool same_storage(const mnp_array *a, const mnp_array *b)
{
    unsigned both = a->dense & b->dense;
    return both & (MNP__DENSE_C | MNP__DENSE_F) ||
           (both & MNP__DENSE_ORDER &&
            memcmp(a->layout->order, b->layout->order, (size_t)a->layout->ndim * sizeof *a->layout->order) == 0);
}

/* Copy, through a temporary where the two share memory, as elements might else be written before they are read. */
static mnp_status copy_or_cast(const mnp_array *from, mnp_array *to)
{
    mnp_ctx *ctx = from->ctx;
    mnp__kernel *kernel;
    mnp_array *temporary = NULL;
    bool same = from->dtype == to->dtype;
    if (from->buffer == to->buffer) {
        MNP_TRY(mnp_copy(from, &temporary));
        mnp_status st = copy_or_cast(temporary, to);
        mnp_array_free(temporary);
        return st;
    }
    if (same && same_storage(from, to))
        return ctx->device->ops->copy(ctx->device, to->data, from->data,
                                      (size_t)to->local_size * mnp_dtype_size(to->dtype), ctx->compute);
    MNP_TRY(mnp__copy_kernel(ctx, same ? mnp__moving_dtype(from->dtype) : from->dtype,
                             same ? mnp__moving_dtype(to->dtype) : to->dtype, &kernel));
    return run_copy(from, kernel, to);
}

mnp_status mnp__array_assign(const mnp_array *from, mnp_array *to)
{
    return from == to ? MNP_OK : copy_or_cast(from, to);
}

mnp_status mnp__array_dense(const mnp_array *array, const mnp_array **dense_p, mnp_array **temporary_p)
{
    *temporary_p = NULL;
    *dense_p = array;
    if (array->dense & MNP__DENSE_C)
        return MNP_OK;
    MNP_TRY(mnp__array_copy_dense(array, temporary_p));
    *dense_p = *temporary_p;
    return MNP_OK;
}

mnp_status mnp__array_copy_dense(const mnp_array *array, mnp_array **copy_p)
{
    mnp_array *copy = NULL;
    MNP_TRY(mnp_array_new_order(array->ctx, array->dtype, array->layout, MNP_ORDER_C, &copy));
    return mnp__array_deliver(copy, mnp__array_assign(array, copy), copy_p);
}

mnp_status mnp_copy(const mnp_array *array, mnp_array **copy_p)
{
    mnp_array *output;
    MNP_TRY(mnp__array_refuse_scalar("mnp_copy", array));
    MNP_TRY(mnp__array_output(array->ctx, "the copy", array->dtype, array->layout, *copy_p, &output));
    return mnp__array_deliver(output, mnp__array_assign(array, output), copy_p);
}

mnp_status mnp_astype(const mnp_array *array, mnp_dtype dtype, mnp_array **result_p)
{
    mnp_array *output;
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is no dtype", (int)dtype);
    MNP_TRY(mnp__array_refuse_scalar("mnp_astype", array));
    MNP_TRY(mnp__array_output(array->ctx, "the result", dtype, array->layout, *result_p, &output));
    return mnp__array_deliver(output, mnp__array_assign(array, output), result_p);
}
