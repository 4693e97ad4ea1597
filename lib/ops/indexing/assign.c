/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assigning by indices on one GPU.  Of equal indices the last one wins: the indices are sorted, not the elements, and
 * one launch moves the rows of those that win.  Where every index gets the same values it does not matter which wins.
 */
#include "ops/indexing/assign.h"

#include "array/input.h"
#include "kernels/indexing/numbers_params.h"
#include "layout/layout.h"
#include "ops/indexing/indexed.h"
#include "ops/sort/radix_sort.h"

/* The stride of elements along several dimensions together; false if they have no common one. */
static bool join_dims(const mnp_array *x, int first, int count, int64_t *stride_p)
{
    int64_t together = 1; /* the elements along the dimensions so far */
    *stride_p = 0;
    for (int d = first + count - 1; d >= first; d--) {
        if (x->local_shape[d] == 1)
            continue;
        if (together == 1)
            *stride_p = x->local_strides[d];
        if (x->local_strides[d] != *stride_p * together)
            return false;
        together *= x->local_shape[d];
    }
    return true;
}

bool mnp__assigns_here(const mnp_array *x, int axis, int count)
{
    int64_t stride;
    return x->ctx->device->block_memory > 0 && x->ctx->comm.size == 1 && join_dims(x, axis, count, &stride);
}

/* Describe the move but for the indices, which are dense, and how values of successive indices follow each other. */
static void describe(const mnp__assignment *a, int64_t indices, const mnp_array *values, mnp_indexed_params *moved)
{
    const mnp_array *x = a->x;
    const int last = a->axis + a->count, more = values->layout->ndim - x->layout->ndim; /* dimensions */
    int64_t jump;
    (void)join_dims(x, a->axis, a->count, &jump);
    *moved = (mnp_indexed_params){
        .src = values->data, .dst = x->data, .jump = jump, .count = 1, .scatters = 1, .indices = indices};
    for (int d = a->axis; d < last; d++)
        moved->count *= x->local_shape[d];
    for (int d = 0; d < a->axis; d++)
        mnp__indexed_add(moved, x->local_shape[d], values->local_strides[d], x->local_strides[d], 0);
    mnp__indexed_add(moved, indices, 0, 0, 1);
    for (int d = last; d < x->layout->ndim; d++)
        mnp__indexed_add(moved, x->local_shape[d], values->local_strides[d + more], x->local_strides[d], 0);
}

/* Sort the indices of a move: the numbers and their order lie in new memory. */
static mnp_status sort(mnp_ctx *ctx, const int64_t *index, int mode, mnp_indexed_params *moved, void **memory_p)
{
    const int64_t count = moved->indices;
    const bool narrow = count < UINT32_MAX && moved->count < UINT32_MAX;
    const size_t size = narrow ? sizeof(uint32_t) : sizeof(int64_t), bytes = (size_t)count * size;
    const char *number = narrow ? "#define MNP_NUMBER uint32_t\n" : "#define MNP_NUMBER int64_t\n";
    mnp__kernel *kernel;
    void *numbers;
    MNP_TRY(mnp__ctx_kernel(
        ctx, &(mnp__kernel_spec){.file = "indexing/numbers.cu", .function = "number_indices", .defines = number},
        &kernel));
    MNP_TRY(ctx->device->ops->alloc(ctx->device, 2 * bytes, &numbers));
    *memory_p = numbers;
    void *order = (char *)numbers + bytes;
    const mnp_numbers_params params = {
        .count = count, .inside = moved->count, .mode = mode, .index = (const long long *)index, .number = numbers};
    const mnp__radix_sort all = {.dtype = narrow ? MNP_UINT32 : MNP_INT64,
                                 .lines = 1,
                                 .length = count,
                                 .keys = numbers,
                                 .sorted = numbers,
                                 .payload_size = size,
                                 .sorted_payload = order};
    MNP_TRY(mnp__ctx_launch(ctx, kernel, count, &params, sizeof params));
    moved->index = numbers;
    moved->order = order;
    moved->narrow = narrow;
    return mnp__radix_sort_run(ctx, &all);
}

static mnp_status run(const mnp__assignment *a, const mnp_array *index, const mnp_array *values)
{
    mnp_ctx *ctx = a->x->ctx;
    mnp_indexed_params moved;
    void *memory = NULL;
    mnp_status st = MNP_OK;
    describe(a, index->local_size, values, &moved);
    int64_t stride;
    (void)join_dims(values, a->axis, index->layout->ndim, &stride);
    moved.index = index->data;
    moved.mode = a->mode;
    moved.order_jump = stride;
    if (stride != 0) {
        moved.mode = MNP_INDEXED_RAISE;
        st = sort(ctx, index->data, a->mode, &moved, &memory);
    }
    if (st == MNP_OK)
        st = mnp__indexed_run(ctx, mnp_dtype_size(a->x->dtype), &moved);
    ctx->device->ops->free(ctx->device, memory);
    return st;
}

mnp_status mnp__assign(const mnp__assignment *assignment)
{
    const mnp_array *x = assignment->x, *index = assignment->index, *values = assignment->values;
    mnp__input own_index = {NULL, NULL}, own_values = {NULL, NULL};
    const unsigned copy_index = index->buffer == x->buffer ? MNP__INPUT_COPY : 0;
    unsigned needs = values->buffer == x->buffer ? MNP__INPUT_COPY : 0;
    int64_t stride;
    if (index->layout->size == 0 || x->layout->size == 0)
        return MNP_OK;
    if (!join_dims(values, assignment->axis, index->layout->ndim, &stride))
        needs |= MNP__INPUT_DENSE;
    mnp_status st = mnp__input_open(index, NULL, MNP_INT64, MNP__INPUT_DENSE | copy_index, &own_index);
    if (st == MNP_OK)
        st = mnp__input_open(values, NULL, x->dtype, needs, &own_values);
    if (st == MNP_OK)
        st = run(assignment, own_index.array, own_values.array);
    mnp__input_close(&own_values);
    mnp__input_close(&own_index);
    return st;
}
