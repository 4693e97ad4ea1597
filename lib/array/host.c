/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between arrays and the program's memory.
 *
 * If the device has memory of its own, a block is copied through two pinned buffers in turn: the CPU fills or empties
 * one while the device copies the other.  A block that is not dense is gathered by a kernel that writes to the pinned
 * memory, or scattered by one that reads it.
 *
 * Cost: two buffers of 4 MiB, which the context allocates at the first copy and keeps.
 */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/boxes.h"
#include "array/output.h"
#include "base/integer.h"
#include "layout/layout.h"

enum { SLAB_BYTES = 4 << 20, SIZES = 5 /* elements of 1, 2, 4, 8 and 16 bytes */ };

struct staging {
    void *buffer[2];
    mnp__device_event *ready[2]; /* the device has finished with that buffer */
    mnp__kernel *kernels[SIZES]; /* loaded by this rank alone, because not all ranks need to copy at the same time */
};

static void free_staging(mnp_ctx *ctx, void *data)
{
    struct staging *staging = data;
    const mnp__device_ops *ops = ctx->device->ops;
    for (int i = 0; i < 2; i++) {
        if (staging->ready[i])
            ops->event_free(ctx->device, staging->ready[i]);
        if (staging->buffer[i])
            ops->free_pinned(ctx->device, staging->buffer[i]);
    }
    for (int i = 0; i < SIZES; i++) {
        if (staging->kernels[i])
            ops->kernel_free(ctx->device, staging->kernels[i]);
    }
    free(staging);
}

/* The context's buffers, allocated when they are first needed. */
static mnp_status get_staging(mnp_ctx *ctx, struct staging **staging_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_STAGING];
    if (!attached->data) {
        MNP_TRY(mnp__calloc(1, sizeof **staging_p, &attached->data));
        attached->free = free_staging;
    }
    *staging_p = attached->data;
    return MNP_OK;
}

static mnp_status make_buffers(mnp_ctx *ctx, struct staging *staging)
{
    const mnp__device_ops *ops = ctx->device->ops;
    for (int i = 0; i < 2; i++) {
        if (!staging->buffer[i])
            MNP_TRY(ops->alloc_pinned(ctx->device, SLAB_BYTES, &staging->buffer[i]));
        if (!staging->ready[i])
            MNP_TRY(ops->event_new(ctx->device, &staging->ready[i]));
    }
    return MNP_OK;
}

mnp_status mnp__array_pinned(mnp_ctx *ctx, void **buffer_p, size_t *bytes_p)
{
    struct staging *staging;
    MNP_TRY(get_staging(ctx, &staging));
    MNP_TRY(make_buffers(ctx, staging));
    *buffer_p = staging->buffer[0];
    *bytes_p = SLAB_BYTES;
    return MNP_OK;
}

/* The kernel that gathers and scatters elements of that dtype's size. */
static mnp_status staging_kernel(mnp_ctx *ctx, struct staging *staging, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    int which = 0;
    mnp_dtype moving = mnp__moving_dtype(dtype);
    while ((size_t)1 << which < mnp_dtype_size(dtype))
        which++;
    if (!staging->kernels[which])
        MNP_TRY(mnp__copy_kernel_alone(ctx, moving, moving, &staging->kernels[which]));
    *kernel_p = staging->kernels[which];
    return MNP_OK;
}

/* A copy of a block. */
struct transfer {
    mnp_ctx *ctx;
    const mnp_array *array;
    struct staging *staging;
    mnp__kernel *kernel; /* NULL: the block is dense */
    size_t item;
    int64_t slab; /* number of elements in a buffer */
    int64_t dense[MNP_MAX_DIMS];
};

static mnp_status open_transfer(const mnp_array *array, struct transfer *transfer)
{
    *transfer = (struct transfer){.ctx = array->ctx, .array = array, .item = mnp_dtype_size(array->dtype)};
    transfer->slab = SLAB_BYTES / (int64_t)transfer->item;
    mnp__dense_strides(array->layout->ndim, array->local_shape, transfer->dense);
    MNP_TRY(get_staging(array->ctx, &transfer->staging));
    MNP_TRY(make_buffers(array->ctx, transfer->staging));
    if (mnp__array_is_dense(array))
        return MNP_OK;
    return staging_kernel(array->ctx, transfer->staging, array->dtype, &transfer->kernel);
}

/* Enqueue the copy of a slab between its buffer and the block. */
static mnp_status pass_slab(struct transfer *transfer, int64_t index, int64_t begin, int64_t count, bool to_device)
{
    const mnp_array *array = transfer->array;
    mnp__device *device = transfer->ctx->device;
    mnp__stream *stream = transfer->ctx->compute;
    void *buffer = transfer->staging->buffer[index % 2];
    int ndim = array->layout->ndim;
    if (!transfer->kernel) {
        void *memory = (char *)array->data + begin * (int64_t)transfer->item;
        MNP_TRY(device->ops->copy(device, to_device ? memory : buffer, to_device ? buffer : memory,
                                  (size_t)count * transfer->item, stream));
    } else {
        mnp__one_box box = to_device ? mnp__one_box_of(ndim, array->local_shape, transfer->dense, array->local_strides)
                                     : mnp__one_box_of(ndim, array->local_shape, array->local_strides, transfer->dense);
        box.begin = begin;
        box.count = count;
        *(to_device ? &box.box.src : &box.box.dst) = -begin; /* the buffer's first element is element `begin` */
        MNP_TRY(mnp__one_box_copy(transfer->ctx, transfer->kernel, &box, transfer->item,
                                  to_device ? buffer : array->data, to_device ? array->data : buffer, stream));
    }
    return device->ops->event_record(device, transfer->staging->ready[index % 2], stream);
}

static int64_t slab_count(const struct transfer *transfer, int64_t begin)
{
    int64_t left = transfer->array->local_size - begin;
    return mnp__min(left, transfer->slab);
}

/* Copy the block to the device from elements of any strides. */
static mnp_status pass_to_device(const mnp_array *array, const void *from, const int64_t *from_strides)
{
    struct transfer transfer;
    MNP_TRY(open_transfer(array, &transfer));
    mnp__one_box box = mnp__one_box_of(array->layout->ndim, array->local_shape, from_strides, transfer.dense);
    for (int64_t index = 0, begin = 0; begin < array->local_size; index++, begin += transfer.slab) {
        int64_t count = slab_count(&transfer, begin);
        if (index >= 2)
            MNP_TRY(mnp__comm_wait_event(&transfer.ctx->comm, transfer.staging->ready[index % 2]));
        box.begin = begin;
        box.count = count;
        box.box.dst = -begin;
        mnp__one_box_copy_on_cpu(&box, transfer.item, from, transfer.staging->buffer[index % 2]);
        MNP_TRY(pass_slab(&transfer, index, begin, count, true));
    }
    return mnp__ctx_wait(transfer.ctx, transfer.ctx->compute);
}

/* Copy the block from the device to elements of any strides. */
static mnp_status pass_to_host(const mnp_array *array, void *to, const int64_t *to_strides)
{
    struct transfer transfer;
    MNP_TRY(open_transfer(array, &transfer));
    mnp__one_box box = mnp__one_box_of(array->layout->ndim, array->local_shape, transfer.dense, to_strides);
    int64_t slabs = mnp__divide_up(array->local_size, transfer.slab);
    for (int64_t index = 0; index <= slabs;
         index++) { /* slab `index` is copied while the CPU empties the previous one */
        int64_t begin = index * transfer.slab, before = begin - transfer.slab;
        if (index < slabs)
            MNP_TRY(pass_slab(&transfer, index, begin, slab_count(&transfer, begin), false));
        if (index == 0)
            continue;
        MNP_TRY(mnp__comm_wait_event(&transfer.ctx->comm, transfer.staging->ready[(index - 1) % 2]));
        box.begin = before;
        box.count = slab_count(&transfer, before);
        box.box.src = -before;
        mnp__one_box_copy_on_cpu(&box, transfer.item, transfer.staging->buffer[(index - 1) % 2], to);
    }
    return MNP_OK;
}

/* Copy a block on the host device: on all threads if it is large and not dense. */
static mnp_status copy_on_host(const mnp_array *array, mnp__one_box box, const void *src, void *dst)
{
    mnp_ctx *ctx = array->ctx;
    size_t item = mnp_dtype_size(array->dtype);
    struct staging *staging;
    mnp__kernel *kernel;
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    if (box.ndim == 1 || (size_t)box.count * item < SLAB_BYTES) {
        mnp__one_box_copy_on_cpu(&box, item, src, dst);
        return MNP_OK;
    }
    MNP_TRY(get_staging(ctx, &staging));
    MNP_TRY(staging_kernel(ctx, staging, array->dtype, &kernel));
    mnp__one_box_order(&box);
    MNP_TRY(mnp__one_box_copy(ctx, kernel, &box, item, src, dst, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* Copy the block on the device, from or to memory that the device reaches. */
static mnp_status copy_on_device(const mnp_array *array, const mnp__one_box *box, const void *src, void *dst)
{
    mnp_ctx *ctx = array->ctx;
    struct staging *staging;
    mnp__kernel *kernel;
    MNP_TRY(get_staging(ctx, &staging));
    MNP_TRY(staging_kernel(ctx, staging, array->dtype, &kernel));
    MNP_TRY(mnp__one_box_copy(ctx, kernel, box, mnp_dtype_size(array->dtype), src, dst, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* Set this rank's block from elements of any strides. */
static mnp_status set_block(mnp_array *array, const void *from, const int64_t *strides)
{
    mnp__device *device = array->ctx->device;
    bool reaches;
    if (array->local_size == 0)
        return MNP_OK;
    const mnp__one_box box = mnp__one_box_of(array->layout->ndim, array->local_shape, strides, array->local_strides);
    if (device->cpu_memory)
        return copy_on_host(array, box, from, array->data);
    MNP_TRY(device->ops->reaches(device, from, &reaches));
    return reaches ? copy_on_device(array, &box, from, array->data) : pass_to_device(array, from, strides);
}

/* Copy this rank's block to elements of any strides. */
static mnp_status get_block(const mnp_array *array, void *to, const int64_t *strides)
{
    mnp__device *device = array->ctx->device;
    bool reaches;
    if (array->local_size == 0)
        return MNP_OK;
    const mnp__one_box box = mnp__one_box_of(array->layout->ndim, array->local_shape, array->local_strides, strides);
    if (device->cpu_memory)
        return copy_on_host(array, box, array->data, to);
    MNP_TRY(device->ops->reaches(device, to, &reaches));
    return reaches ? copy_on_device(array, &box, array->data, to) : pass_to_host(array, to, strides);
}

/* The strides of the caller's block: those given, or dense ones. */
static const int64_t *block_strides(const mnp_array *array, const int64_t *strides, int64_t *dense)
{
    if (strides)
        return strides;
    mnp__dense_strides(array->layout->ndim, array->local_shape, dense);
    return dense;
}

static mnp_status check_block(const char *function, const mnp_array *array, const void *block)
{
    MNP_TRY(mnp__array_refuse_scalar(function, array));
    if (!block && array->local_size > 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: block is NULL", function);
    return MNP_OK;
}

mnp_status mnp_array_set_local_strided(mnp_array *array, const void *block, const int64_t *strides)
{
    MNP_ENTER(array);
    int64_t dense[MNP_MAX_DIMS];
    MNP_TRY(check_block("mnp_array_set_local", array, block));
    MNP_TRY(mnp__output_check_writable("mnp_array_set_local", "the array", array));
    return set_block(array, block, block_strides(array, strides, dense));
}

mnp_status mnp_array_set_local(mnp_array *array, const void *block)
{
    MNP_ENTER(array);
    return mnp_array_set_local_strided(array, block, NULL);
}

mnp_status mnp_array_get_local_strided(const mnp_array *array, void *block, const int64_t *strides)
{
    MNP_ENTER(array);
    int64_t dense[MNP_MAX_DIMS];
    MNP_TRY(check_block("mnp_array_get_local", array, block));
    if (strides && mnp__strides_meet(array->layout->ndim, array->local_shape, strides))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_get_local_strided: the strides give elements the same place");
    return get_block(array, block, block_strides(array, strides, dense));
}

mnp_status mnp_array_get_local(const mnp_array *array, void *block)
{
    MNP_ENTER(array);
    return mnp_array_get_local_strided(array, block, NULL);
}

mnp_status mnp_array_from_host_strided(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *data,
                                       const int64_t *strides, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp_array *array = *array_p;
    int64_t dense[MNP_MAX_DIMS], first = 0;
    MNP_TRY(mnp_empty(ctx, dtype, ndim, shape, &array));
    if (!strides) {
        mnp__dense_strides(ndim, shape, dense);
        strides = dense;
    }
    for (int d = 0; d < ndim; d++)
        first += array->local_lo[d] * strides[d];
    mnp_status st = data || array->local_size == 0
                        ? set_block(array, (const char *)data + first * (int64_t)mnp_dtype_size(dtype), strides)
                        : MNP_FAIL(MNP_ERR_ARG, "mnp_array_from_host: data is NULL");
    return mnp__output_give(array, MNP_AGREE(ctx, st), array_p);
}

mnp_status mnp_array_from_host(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *data,
                               mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    return mnp_array_from_host_strided(ctx, dtype, ndim, shape, data, NULL, array_p);
}

mnp_status mnp_array_to_host(const mnp_array *array, int root, void *data)
{
    MNP_ENTER(array);
    mnp_ctx *ctx = array->ctx;
    const mnp_layout *layout = array->layout;
    mnp_layout *whole;
    mnp_array *gathered = NULL;
    MNP_TRY(mnp__array_refuse_scalar("mnp_array_to_host", array));
    MNP_TRY(root == MNP_ALL_RANKS ? mnp_layout_replicated(layout->nranks, layout->ndim, layout->shape, &whole)
                                  : mnp_layout_on_root(layout->nranks, root, layout->ndim, layout->shape, &whole));
    mnp_status st = MNP_OK;
    if (!mnp_layout_equal(layout, whole))
        st = mnp_redistribute(array, whole, &gathered);
    mnp_layout_free(whole);
    MNP_TRY(st);
    if (root == MNP_ALL_RANKS || root == ctx->comm.rank)
        st = data || layout->size == 0 ? mnp_array_get_local(gathered ? gathered : array, data)
                                       : MNP_FAIL(MNP_ERR_ARG, "mnp_array_to_host: data is NULL");
    mnp_array_free(gathered);
    return MNP_AGREE(ctx, st);
}
