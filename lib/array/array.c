/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and releasing arrays, and their properties. */
#include "array/array.h"

#include <stdlib.h>
#include <string.h>

#include "array/boxes.h"
#include "array/output.h"
#include "base/hash.h"
#include "base/integer.h"
#include "comm/heap.h"
#include "layout/layout.h"

void mnp__dense_strides(int ndim, const int64_t *extent, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= extent[d];
    }
}

/* Whether i steps of one stride are j of the other, for some 0 < i < m and 0 < j < n. */
static bool steps_meet(int64_t stride, int64_t m, int64_t other, int64_t n)
{
    const uint64_t a = stride < 0 ? -(uint64_t)stride : (uint64_t)stride,
                   b = other < 0 ? -(uint64_t)other : (uint64_t)other;
    uint64_t divisor = a;
    for (uint64_t rest = b; rest != 0;) {
        const uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return b / divisor < (uint64_t)m && a / divisor < (uint64_t)n;
}

bool mnp__strides_meet(int ndim, const int64_t *extent, const int64_t *strides)
{
    for (int d = 0; d < ndim; d++) {
        if (extent[d] == 0)
            return false;
    }
    for (int d = 0; d < ndim; d++) {
        if (extent[d] > 1 && strides[d] == 0)
            return true;
    }
    for (int d = 0; d < ndim; d++) {
        for (int e = 0; e < d; e++) {
            if (extent[d] > 1 && extent[e] > 1 && steps_meet(strides[d], extent[d], strides[e], extent[e]))
                return true;
        }
    }
    return false;
}

mnp_status mnp__array_check(const mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout)
{
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)dtype);
    if (mnp_layout_nranks(layout) != ctx->comm.size)
        return MNP_FAIL(MNP_ERR_ARG, "the layout is for %d ranks, and the context has %d", mnp_layout_nranks(layout),
                        ctx->comm.size);
    return MNP_OK;
}

bool mnp__array_is_dense(const mnp_array *array)
{
    int64_t stride = 1;
    for (int d = array->layout->ndim - 1; d >= 0 && array->local_size > 0; d--) {
        if (array->local_shape[d] != 1 && array->local_strides[d] != stride)
            return false;
        stride *= array->local_shape[d];
    }
    return true;
}

void mnp__order_by_strides(const mnp_array *array, int *dims, int count)
{
    for (int i = 1; i < count; i++) {
        const int d = dims[i];
        int at = i;
        for (; at > 0 && llabs(array->local_strides[dims[at - 1]]) < llabs(array->local_strides[d]); at--)
            dims[at] = dims[at - 1];
        dims[at] = d;
    }
}

mnp_status mnp__array_describe(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p)
{
    mnp_array *array;
    MNP_TRY(mnp__calloc(1, sizeof *array, &array));
    array->tag = MNP__TAG_array;
    array->ctx = ctx;
    array->dtype = dtype;
    array->layout = mnp_layout_retain(layout);
    memcpy(array->stored, layout->order, (size_t)layout->ndim * sizeof *array->stored);
    array->local_size = mnp__layout_box(layout, ctx->comm.rank, array->local_lo, array->local_shape);
    mnp_layout_local_shape(layout, ctx->comm.rank, array->local_shape);
    for (int d = 0; d < layout->ndim; d++)
        array->local_size *= array->local_shape[d];
    mnp__ctx_made(ctx, array);
    *array_p = array;
    return MNP_OK;
}

/*
 * Set the strides of a dense block whose dimensions are stored in `order`, the slowest first, and note in which orders
 * it is dense.
 */
static void store(mnp_array *array, const int *order)
{
    int64_t stride = 1;
    int ndim = array->layout->ndim;
    bool c = true, f = true, own = true;
    for (int i = ndim - 1; i >= 0; i--) {
        array->stored[i] = order[i];
        array->local_strides[order[i]] = stride;
        stride *= array->local_shape[order[i]];
        c = c && order[i] == i;
        f = f && order[i] == ndim - 1 - i;
        own = own && order[i] == array->layout->order[i];
    }
    array->dense = (c ? MNP__DENSE_C : 0) | (f ? MNP__DENSE_F : 0) | (own ? MNP__DENSE_ORDER : 0);
    if (array->dense)
        array->dense |= MNP__DENSE_WHOLE;
}

static mnp_status allocate(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const int *order,
                           mnp_array **array_p)
{
    mnp_array *array;
    mnp_status st;
    MNP_TRY(mnp__array_describe(ctx, dtype, layout, &array));
    store(array, order);
    const size_t size = mnp_dtype_size(dtype);
    const mnp__block_sizes sizes = {.own = (size_t)array->local_size * size,
                                    .largest = (size_t)mnp__layout_largest(layout) * size,
                                    .average = (size_t)(mnp_layout_size(layout) / mnp__layout_sharers(layout)) * size};
    MNP_TRY_OR(mnp__buffer_new(ctx, &sizes, &array->buffer), st, fail);
    array->data = array->local_size > 0 ? array->buffer->data : NULL;
    *array_p = array;
    return MNP_OK;
fail:
    mnp_array_free(array);
    return st;
}

mnp_status mnp__array_view(const mnp_array *base, mnp_dtype dtype, const mnp_layout *layout, void *data,
                           const int64_t *strides, mnp_array **view_p)
{
    mnp_array *view;
    MNP_TRY(mnp__array_describe(base->ctx, dtype, layout, &view));
    view->buffer = base->buffer;
    view->buffer->owners++;
    view->read_only = base->read_only;
    view->data = view->local_size > 0 ? data : NULL;
    memcpy(view->local_strides, strides, (size_t)layout->ndim * sizeof *strides);
    *view_p = view;
    return MNP_OK;
}

static mnp_status new_in_order(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const int *order,
                               mnp_array **array_p)
{
    uint64_t hash = mnp__hash(mnp__layout_hash(layout), &dtype, sizeof dtype);
    hash = mnp__hash(hash, order, (size_t)layout->ndim * sizeof *order);
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_array_new", hash));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_array_free before mnp_array_new", mnp__heap_hash(ctx->comm.heap)));
    return allocate(ctx, dtype, layout, order, array_p);
}

mnp_status mnp_array_new_order(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_order order,
                               mnp_array **array_p)
{
    MNP_ENTER(ctx, layout);
    MNP_NEED_PLACE(array_p);
    int dims[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    if (order != MNP_ORDER_C && order != MNP_ORDER_F)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not an order of an array's elements", (int)order);
    for (int d = 0; d < layout->ndim; d++)
        dims[d] = order == MNP_ORDER_C ? d : layout->ndim - 1 - d;
    return new_in_order(ctx, dtype, layout, dims, array_p);
}

mnp_status mnp_array_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(ctx, layout);
    MNP_NEED_PLACE(array_p);
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    return new_in_order(ctx, dtype, layout, layout->order, array_p);
}

void mnp_array_free(mnp_array *array)
{
    if (!array)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, array);
    mnp_ctx *ctx = array->ctx;
    if (mnp__array_is_scalar(array)) /* it belongs to the context */
        return;
    mnp__ctx_gone(ctx, array);
    mnp__buffer_release(ctx, array->buffer);
    mnp_layout_free(array->layout);
    mnp__object_free(array);
}

void mnp_array_drop(mnp_array *array)
{
    if (!array)
        return;
    MNP_NEED_OR(, array);
    if (array->buffer)
        array->buffer->dropped = true;
    mnp_array_free(array);
}

mnp_status mnp_ctx_collect(mnp_ctx *ctx)
{
    MNP_ENTER(ctx);
    return mnp__heap_collect(ctx->comm.heap);
}

static mnp_status fill(mnp_array *array, mnp__kernel *kernel, const void *value)
{
    mnp_ctx *ctx = array->ctx;
    if (array->local_size == 0)
        return MNP_OK;
    const int64_t again[MNP_MAX_DIMS] = {0}; /* strides of 0: the value is read repeatedly */
    mnp__one_box box = mnp__one_box_of(array->layout->ndim, array->local_shape, again, array->local_strides);
    return mnp__one_box_fill(ctx, kernel, &box, value, mnp_dtype_size(array->dtype), array->data, ctx->compute);
}

/* The array for `function` to fill: a new one, or the existing one, which must have the same dtype and layout. */
static mnp_status open_new(const char *function, mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                           mnp_array **array_p, mnp__output *output)
{
    mnp_layout *layout;
    *output = (mnp__output){.array = NULL, .user_p = array_p};
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)dtype);
    MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &layout));
    const mnp__output_spec spec = {
        .function = function, .ctx = ctx, .dtype = dtype, .layout = layout, .needs = MNP__OUTPUT_EXACT};
    mnp_status st = mnp__output_open(&spec, array_p, output);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_empty(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__output output;
    mnp_status st = open_new("mnp_empty", ctx, dtype, ndim, shape, array_p, &output);
    return mnp__output_close(1, &output, st);
}

static mnp_status new_filled(const char *function, mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                             const void *value, mnp_array **array_p)
{
    mnp__kernel *kernel;
    const mnp_dtype moving = mnp__moving_dtype(dtype);
    mnp__output output;
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)dtype);
    const uint64_t hash = mnp__hash(MNP__HASH_START, shape, (size_t)mnp__max(ndim, 0) * sizeof *shape);
    MNP_TRY(mnp__check_same(&ctx->comm, function, mnp__hash(hash, &dtype, sizeof dtype)));
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    mnp_status st = open_new(function, ctx, dtype, ndim, shape, array_p, &output);
    if (st == MNP_OK)
        st = fill(output.array, kernel, value);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_full(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *value,
                    mnp_array **array_p)
{
    MNP_ENTER(ctx, value, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    return new_filled("mnp_full", ctx, dtype, ndim, shape, value, array_p);
}

mnp_status mnp_zeros(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    const unsigned char zero[16] = {0};
    mnp__output output;
    if (*array_p && !(*array_p)->dense)
        return new_filled("mnp_zeros", ctx, dtype, ndim, shape, zero, array_p);
    mnp_status st = open_new("mnp_zeros", ctx, dtype, ndim, shape, array_p, &output);
    if (st == MNP_OK)
        st = ctx->device->ops->fill(ctx->device, output.array->data, 0,
                                    (size_t)output.array->local_size * mnp_dtype_size(dtype), ctx->compute);
    return mnp__output_close(1, &output, st);
}

mnp_ctx *mnp_array_ctx(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->ctx;
}

mnp_dtype mnp_array_dtype(const mnp_array *array)
{
    MNP_NEED_OR(MNP_DTYPE_AUTO, array);
    return array->dtype;
}

const mnp_layout *mnp_array_layout(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->layout;
}

int mnp_array_ndim(const mnp_array *array)
{
    MNP_NEED_OR(-1, array);
    return array->layout->ndim;
}

const int64_t *mnp_array_shape(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->layout->shape;
}

const int64_t *mnp_array_local_lo(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->local_lo;
}

const int64_t *mnp_array_local_shape(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->local_shape;
}

int64_t mnp_array_local_size(const mnp_array *array)
{
    MNP_NEED_OR(-1, array);
    return array->local_size;
}

const int64_t *mnp_array_local_strides(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->local_strides;
}

bool mnp_array_is_read_only(const mnp_array *array)
{
    MNP_NEED_OR(false, array);
    return array->read_only;
}

void *mnp_array_local_data(const mnp_array *array)
{
    MNP_NEED_OR(NULL, array);
    return array->data;
}
