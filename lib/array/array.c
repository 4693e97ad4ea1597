/*
 * Making and releasing arrays, and what they tell of themselves.
 */
#include "array/array.h"

#include <stdlib.h>
#include <string.h>

#include "array/boxes.h"
#include "base/hash.h"
#include "layout/layout.h"

void mnp__dense_strides(int ndim, const int64_t *extent, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= extent[d];
    }
}

mnp_status mnp__array_check(const mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout)
{
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is no dtype", (int)dtype);
    if (mnp_layout_nranks(layout) != ctx->comm.size)
        return MNP_FAIL(MNP_ERR_ARG, "the layout is for %d ranks, and the context has %d", mnp_layout_nranks(layout),
                        ctx->comm.size);
    return MNP_OK;
}

static mnp_status allocate(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p)
{
    mnp_array *array;
    MNP_TRY(mnp__calloc(1, sizeof *array, &array));
    array->ctx = ctx;
    array->dtype = dtype;
    array->layout = mnp_layout_retain(layout);
    mnp_layout_box(layout, ctx->comm.rank, array->local_lo, array->local_shape);
    mnp__dense_strides(layout->ndim, array->local_shape, array->local_strides);
    array->local_size = 1;
    for (int d = 0; d < layout->ndim; d++)
        array->local_size *= array->local_shape[d];
    ctx->live_arrays++;
    size_t bytes = (size_t)array->local_size * mnp_dtype_size(dtype);
    mnp_status st = ctx->device->ops->alloc(ctx->device, bytes, &array->data);
    if (st == MNP_OK)
        *array_p = array;
    else
        mnp_array_free(array);
    return st;
}

mnp_status mnp_array_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p)
{
    mnp_array *array = NULL;
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_array_new", mnp__hash(mnp__layout_hash(layout), &dtype, sizeof dtype)));
    mnp_status st = MNP_AGREE(ctx, allocate(ctx, dtype, layout, &array));
    if (st == MNP_OK)
        *array_p = array;
    else
        mnp_array_free(array);
    return st;
}

void mnp_array_free(mnp_array *array)
{
    if (!array)
        return;
    array->ctx->live_arrays--;
    array->ctx->device->ops->free(array->ctx->device, array->data);
    mnp_layout_free(array->layout);
    free(array);
}

mnp_status mnp__array_output(mnp_ctx *ctx, const char *name, mnp_dtype dtype, const mnp_layout *layout,
                             const mnp_array *given, mnp_array **output_p)
{
    if (!given)
        return mnp_array_new(ctx, dtype, layout, output_p);
    if (given->dtype != dtype)
        return MNP_FAIL(MNP_ERR_ARG, "%s is %s, and the result is %s", name, mnp_dtype_name(given->dtype),
                        mnp_dtype_name(dtype));
    if (!mnp_layout_equal(given->layout, layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s has another shape or layout than the result", name);
    *output_p = (mnp_array *)given;
    return MNP_OK;
}

mnp_status mnp_empty(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p)
{
    mnp_layout *layout;
    mnp_array *output = NULL;
    MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &layout));
    mnp_status st = mnp__array_output(ctx, "the array to be reused", dtype, layout, *array_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *array_p = output;
    return st;
}

/* Give the user an output that was filled, or release it if it is new and was not. */
mnp_status mnp__array_deliver(mnp_array *output, mnp_status status, mnp_array **array_p)
{
    if (status == MNP_OK)
        *array_p = output;
    else if (output != *array_p)
        mnp_array_free(output);
    return status;
}

mnp_status mnp_zeros(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p)
{
    mnp_array *array = *array_p;
    MNP_TRY(mnp_empty(ctx, dtype, ndim, shape, &array));
    size_t bytes = (size_t)array->local_size * mnp_dtype_size(dtype);
    mnp_status st = ctx->device->ops->fill(ctx->device, array->data, 0, bytes, ctx->compute);
    return mnp__array_deliver(array, st, array_p);
}

mnp_status mnp_full(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *value,
                    mnp_array **array_p)
{
    mnp__kernel *kernel;
    mnp_dtype moving = mnp__moving_dtype(dtype);
    mnp_array *array = *array_p;
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is no dtype", (int)dtype);
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    MNP_TRY(mnp_empty(ctx, dtype, ndim, shape, &array));
    mnp_status st = mnp__copy_run(ctx, kernel, array->local_size, NULL, value, mnp_dtype_size(dtype), array->data,
                                  ctx->compute);
    return mnp__array_deliver(array, st, array_p);
}

mnp_ctx *mnp_array_ctx(const mnp_array *array)
{
    return array->ctx;
}

mnp_dtype mnp_array_dtype(const mnp_array *array)
{
    return array->dtype;
}

const mnp_layout *mnp_array_layout(const mnp_array *array)
{
    return array->layout;
}

int mnp_array_ndim(const mnp_array *array)
{
    return array->layout->ndim;
}

const int64_t *mnp_array_shape(const mnp_array *array)
{
    return array->layout->shape;
}

const int64_t *mnp_array_local_lo(const mnp_array *array)
{
    return array->local_lo;
}

const int64_t *mnp_array_local_shape(const mnp_array *array)
{
    return array->local_shape;
}

int64_t mnp_array_local_size(const mnp_array *array)
{
    return array->local_size;
}

const int64_t *mnp_array_local_strides(const mnp_array *array)
{
    return array->local_strides;
}

void *mnp_array_local_data(const mnp_array *array)
{
    return array->data;
}
