/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of memory that somebody else has allocated, and the order of work on other libraries' streams.
 *
 * Such an array is like any other, except that its memory is not in the heap: peers do not reach it, and what has to
 * move between ranks travels in messages.  In which orders the blocks are dense the ranks find out together, since
 * everything that follows from it must be the same on all of them.
 *
 * Cost: the struct, one small all-reduce and one agreement.
 */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/hash.h"
#include "layout/layout.h"

enum { WRITABLE = 1 << 16 }; /* beside mnp__dense_orders */

/* Whether this rank's block is dense if its dimensions are stored in `order`, the slowest first. */
static bool is_dense_in(const mnp_array *array, const int *order)
{
    int64_t stride = 1;
    for (int i = array->layout->ndim - 1; i >= 0 && array->local_size > 0; i--) {
        const int d = order[i];
        if (array->local_shape[d] != 1 && array->local_strides[d] != stride)
            return false;
        stride *= array->local_shape[d];
    }
    return true;
}

/* What is true of this rank's block; the ranks combine the answers by a bitwise and. */
static int describe_block(const mnp_array *array)
{
    int forward[MNP_MAX_DIMS], backward[MNP_MAX_DIMS];
    const int ndim = array->layout->ndim;
    const int can_write = mnp__strides_meet(ndim, array->local_shape, array->local_strides) ? 0 : WRITABLE;
    for (int d = 0; d < ndim; d++) {
        forward[d] = d;
        backward[d] = ndim - 1 - d;
    }
    return (is_dense_in(array, forward) ? MNP__DENSE_C : 0) | (is_dense_in(array, backward) ? MNP__DENSE_F : 0) |
           (is_dense_in(array, array->layout->order) ? MNP__DENSE_ORDER : 0) | can_write;
}

/* Whether this rank's block can be used, which other ranks' may not. */
static mnp_status check_block(const mnp_array *array, const void *block)
{
    mnp__device *device = array->ctx->device;
    const size_t size = mnp_dtype_size(array->dtype);
    bool reaches;
    if (array->local_size == 0)
        return MNP_OK;
    if (!block)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_wrap: block is NULL, but has %lld elements",
                        (long long)array->local_size);
    if ((uintptr_t)block % size != 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_wrap: the block of rank %d is not aligned to its elements of %zu bytes",
                        array->ctx->comm.rank, size);
    MNP_TRY(device->ops->reaches(device, block, &reaches));
    if (!reaches)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_array_wrap: the block of rank %d is in memory that its GPU does not reach; "
                        "mnp_array_set_local() copies from such memory",
                        array->ctx->comm.rank);
    return MNP_OK;
}

/* The array of this rank's block; `block` may be unusable. */
static mnp_status describe(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, void *block, const int64_t *strides,
                           mnp_array **array_p)
{
    mnp_array *array;
    MNP_TRY(mnp__array_describe(ctx, dtype, layout, &array));
    mnp_status st = mnp__calloc(1, sizeof *array->buffer, &array->buffer);
    if (st != MNP_OK) {
        mnp_array_free(array);
        return st;
    }
    *array->buffer = (mnp__buffer){.owners = 1, .home = MNP__BUFFER_WRAPPED, .data = block};
    array->data = array->local_size > 0 ? block : NULL;
    if (strides)
        memcpy(array->local_strides, strides, (size_t)layout->ndim * sizeof *strides);
    else
        mnp__dense_strides(layout->ndim, array->local_shape, array->local_strides);
    *array_p = array;
    return MNP_OK;
}

mnp_status mnp_array_wrap(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, void *block, const int64_t *strides,
                          mnp_release release, void *argument, mnp_array **array_p)
{
    MNP_ENTER(ctx, layout, array_p);
    mnp_array *array = NULL;
    int common = 0;
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    if (*array_p)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_wrap: the output is an existing array, which cannot get other memory");
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_array_wrap", mnp__hash(mnp__layout_hash(layout), &dtype, sizeof dtype)));
    mnp_status st = describe(ctx, dtype, layout, block, strides, &array);
    if (st == MNP_OK) {
        st = check_block(array, block);
        common = describe_block(array);
    }
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, &common, 1, MPI_INT, MPI_BAND);
    if (st != MNP_OK) {
        mnp_array_free(array);
        return st;
    }
    array->dense = (unsigned)(common & (MNP__DENSE_C | MNP__DENSE_F | MNP__DENSE_ORDER));
    array->read_only = !(common & WRITABLE);
    array->buffer->release = release;
    array->buffer->argument = argument;
    *array_p = array;
    return MNP_OK;
}

/* ---- streams ---- */

mnp_status mnp_ctx_wait_for(mnp_ctx *ctx, void *stream)
{
    MNP_ENTER(ctx);
    return mnp__ctx_order(ctx, (mnp__stream *)stream, ctx->compute);
}

mnp_status mnp_ctx_let_wait(mnp_ctx *ctx, void *stream)
{
    MNP_ENTER(ctx);
    return mnp__ctx_order(ctx, ctx->compute, (mnp__stream *)stream);
}
