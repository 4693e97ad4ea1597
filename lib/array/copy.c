/*
 * Between arrays and host memory, and from array to array of the same layout.
 */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/boxes.h"
#include "layout/layout.h"

static size_t local_bytes(const mnp_array *array)
{
    return (size_t)array->local_size * mnp_dtype_size(array->dtype);
}

mnp_status mnp_array_set_local(mnp_array *array, const void *block)
{
    mnp_ctx *ctx = array->ctx;
    MNP_TRY(ctx->device->ops->copy(ctx->device, array->data, block, local_bytes(array), ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

mnp_status mnp_array_get_local(const mnp_array *array, void *block)
{
    mnp_ctx *ctx = array->ctx;
    MNP_TRY(ctx->device->ops->copy(ctx->device, block, array->data, local_bytes(array), ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* Gather this rank's block of a whole array in C order. */
static void cut_block(const mnp_array *array, const char *whole, char *block)
{
    const mnp_layout *layout = array->layout;
    size_t size = mnp_dtype_size(array->dtype);
    int64_t strides[MNP_MAX_DIMS], index[MNP_MAX_DIMS] = {0};
    int last = layout->ndim - 1;
    int64_t row = layout->ndim > 0 ? array->local_shape[last] : 1;
    mnp__dense_strides(layout->ndim, layout->shape, strides);
    for (int64_t done = 0; done < array->local_size; done += row) {
        int64_t from = 0;
        for (int d = 0; d < layout->ndim; d++)
            from += (array->local_lo[d] + index[d]) * strides[d];
        memcpy(block + (size_t)done * size, whole + (size_t)from * size, (size_t)row * size);
        for (int d = last - 1; d >= 0 && ++index[d] == array->local_shape[d]; d--)
            index[d] = 0;
    }
}

mnp_status mnp_array_from_host(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *data,
                               mnp_array **array_p)
{
    mnp_array *array = *array_p;
    char *block = NULL;
    MNP_TRY(mnp_empty(ctx, dtype, ndim, shape, &array));
    mnp_status st = mnp__malloc(local_bytes(array), &block);
    if (st == MNP_OK) {
        cut_block(array, data, block);
        st = mnp_array_set_local(array, block);
    }
    free(block);
    return mnp__array_deliver(array, MNP_AGREE(ctx, st), array_p);
}

mnp_status mnp_array_to_host(const mnp_array *array, int root, void *data)
{
    mnp_ctx *ctx = array->ctx;
    const mnp_layout *layout = array->layout;
    mnp_layout *whole;
    mnp_array *gathered = NULL;
    MNP_TRY(root == MNP_ALL_RANKS ? mnp_layout_replicated(layout->nranks, layout->ndim, layout->shape, &whole)
                                  : mnp_layout_on_root(layout->nranks, root, layout->ndim, layout->shape, &whole));
    mnp_status st = mnp_redistribute(array, whole, &gathered);
    mnp_layout_free(whole);
    MNP_TRY(st);
    if (root == MNP_ALL_RANKS || root == ctx->comm.rank)
        st = mnp_array_get_local(gathered, data);
    mnp_array_free(gathered);
    return MNP_AGREE(ctx, st);
}

mnp_status mnp_copy(const mnp_array *array, mnp_array **copy_p)
{
    mnp_ctx *ctx = array->ctx;
    mnp_array *output;
    MNP_TRY(mnp__array_output(ctx, "the copy", array->dtype, array->layout, *copy_p, &output));
    mnp_status st = MNP_OK;
    if (output != array)
        st = ctx->device->ops->copy(ctx->device, output->data, array->data, local_bytes(array), ctx->compute);
    return mnp__array_deliver(output, st, copy_p);
}

mnp_status mnp_astype(const mnp_array *array, mnp_dtype dtype, mnp_array **result_p)
{
    mnp_ctx *ctx = array->ctx;
    mnp_array *output;
    mnp__kernel *kernel;
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is no dtype", (int)dtype);
    if (dtype == array->dtype)
        return mnp_copy(array, result_p);
    MNP_TRY(mnp__copy_kernel(ctx, array->dtype, dtype, &kernel));
    MNP_TRY(mnp__array_output(ctx, "the result", dtype, array->layout, *result_p, &output));
    mnp_status st =
        mnp__copy_run(ctx, kernel, array->local_size, array->data, NULL, 0, output->data, ctx->compute);
    return mnp__array_deliver(output, st, result_p);
}
