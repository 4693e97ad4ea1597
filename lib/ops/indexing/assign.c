/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assigning rows by indices.  Where a rank has all that is indexed, it has all indices too, and one launch moves the
 * rows.  Where the ranks have parts of it, the indices go to the owners, and the values along with them, unless all
 * indices get the same; or, where the CPU reaches them, every rank goes through the indices of all and takes its own.
 *
 * Of equal indices the last one wins.  The host's threads go through all indices in their order, each with places of
 * its own.  For a GPU the indices are sorted, not the elements, and the rows of those that win are moved; where all get
 * the same it does not matter which wins.
 */
#include "ops/indexing/assign.h"

#include <maniple/view.h>

#include "array/input.h"
#include "array/reach.h"
#include "kernels/indexing/numbers_params.h"
#include "layout/layout.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/owners.h"
#include "ops/sort/radix_sort.h"

/* ---- what can be assigned so ---- */

static unsigned mask_of(int axis, int count)
{
    return ((1u << count) - 1) << axis;
}

bool mnp__assigns_rows(const mnp_array *x, int axis, int count)
{
    const mnp_layout *layout = x->layout;
    return !mnp_layout_is_cyclic(layout) &&
           (mnp__owns_all(layout, mask_of(axis, count)) || (axis == 0 && count > 0 && mnp__owns_in_order(layout)));
}

/* How many elements there are along the axes. */
static int64_t extent_of(const mnp__assignment *a)
{
    int64_t extent = 1;
    for (int d = a->axis; d < a->axis + a->count; d++)
        extent *= a->x->layout->shape[d];
    return extent;
}

/* ---- on one rank ---- */

/* What a rank assigns to its block: rows by their numbers along the axes, or by the places where they begin. */
typedef struct rows {
    const mnp__assignment *a;
    int64_t *index, count; /* in the device's memory */
    int64_t jump, inside;  /* from a number to the next, of so many; with places 1 and 0 */
    long long first, span; /* on the host: the rank has numbers, or places, from here on, and so many */
    int mode;
    const void *values;
    int64_t stride, strides[MNP_MAX_DIMS]; /* of the values: from an index's to the next one's, and along x's others */
} rows;

static void describe(const rows *r, mnp_indexed_params *moved)
{
    const mnp_array *x = r->a->x;
    const int axis = r->a->axis, last = axis + r->a->count;
    const int64_t before = r->inside > 0 ? r->first * r->jump * (int64_t)mnp_dtype_size(x->dtype) : 0;
    *moved = (mnp_indexed_params){.src = r->values,
                                  .dst = (void *)((uintptr_t)x->data - (uintptr_t)before),
                                  .index = r->index,
                                  .mode = r->mode,
                                  .jump = r->jump,
                                  .count = r->inside,
                                  .scatters = 1,
                                  .first = r->first,
                                  .span = r->span,
                                  .indices = r->count};
    for (int d = 0; d < axis; d++)
        mnp__indexed_add(moved, x->local_shape[d], r->strides[d], x->local_strides[d], 0);
    mnp__indexed_add(moved, r->count, r->stride, 0, 1);
    for (int d = last; d < x->layout->ndim; d++)
        mnp__indexed_add(moved, x->local_shape[d], r->strides[d], x->local_strides[d], 0);
}

/* Sort the indices of a move: the numbers and their order lie in new memory. */
static mnp_status sort(mnp_ctx *ctx, const rows *r, mnp_indexed_params *moved, void **memory_p)
{
    const bool narrow = r->inside > 0 && r->count < UINT32_MAX && r->inside < UINT32_MAX;
    const size_t size = narrow ? sizeof(uint32_t) : sizeof(int64_t), bytes = (size_t)r->count * size;
    const char *number = narrow ? "#define MNP_NUMBER uint32_t\n" : "#define MNP_NUMBER int64_t\n";
    mnp__kernel *kernel;
    void *numbers;
    MNP_TRY(mnp__ctx_kernel(
        ctx, &(mnp__kernel_spec){.file = "indexing/numbers.cu", .function = "number_indices", .defines = number},
        &kernel));
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, 2 * bytes, &numbers)));
    *memory_p = numbers;
    void *order = (char *)numbers + bytes;
    const mnp_numbers_params params = {.count = r->count,
                                       .inside = r->inside,
                                       .mode = r->mode,
                                       .index = (const long long *)r->index,
                                       .number = numbers};
    const mnp__radix_sort all = {.dtype = narrow ? MNP_UINT32 : MNP_INT64,
                                 .lines = 1,
                                 .length = r->count,
                                 .keys = numbers,
                                 .sorted = numbers,
                                 .payload_size = size,
                                 .sorted_payload = order};
    const mnp_status st = mnp__ctx_launch(ctx, kernel, r->count, &params, sizeof params);
    moved->index = numbers;
    moved->order = order;
    moved->narrow = narrow;
    moved->mode = MNP_INDEXED_RAISE;
    moved->order_jump = r->stride;
    const mnp_status sorted = mnp__radix_sort_run(ctx, &all); /* also after a failure: its kernels are all ranks' */
    return MNP_AGREE(ctx, st != MNP_OK ? st : sorted);
}

static mnp_status assign_rows(const rows *r)
{
    mnp_ctx *ctx = r->a->x->ctx;
    mnp_indexed_params moved;
    void *memory = NULL;
    mnp_status st = MNP_OK;
    describe(r, &moved);
    if (ctx->device->block_memory > 0 && !r->a->same) {
        moved.src_stride[r->a->axis] = 0; /* the order has it */
        st = sort(ctx, r, &moved, &memory);
    }
    if (st == MNP_OK)
        st = mnp__indexed_run(ctx, mnp_dtype_size(r->a->x->dtype), &moved);
    ctx->device->ops->free(ctx->device, memory);
    return st;
}

/* Values whose dimensions are x's, but for one in the place of the axes. */
static void take_values(rows *r, const void *values, const int64_t *strides)
{
    const int axis = r->a->axis, more = r->a->count - 1;
    r->values = values;
    r->stride = r->a->same ? 0 : strides[axis];
    for (int d = 0; d < r->a->x->layout->ndim - more; d++)
        r->strides[d <= axis ? d : d + more] = strides[d];
}

/* ---- every rank has all that is indexed ---- */

static mnp_status assign_here(const mnp__assignment *a, const mnp_array *index, const mnp_array *values)
{
    mnp_ctx *ctx = a->x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    rows r = {.a = a, .index = index->data, .count = index->local_size, .mode = a->mode};
    void *places = NULL;
    take_values(&r, values->data, values->local_strides);
    if (ctx->comm.size == 1 &&
        mnp__owners_join(a->count, a->x->local_shape + a->axis, a->x->local_strides + a->axis, &r.jump)) {
        r.span = r.inside = extent_of(a);
        return assign_rows(&r);
    }
    MNP_TRY(MNP_AGREE(ctx, ops->alloc(ctx->device, (size_t)r.count * sizeof(int64_t), &places)));
    mnp_status st =
        MNP_AGREE(ctx, mnp__owners_place(a->x, mask_of(a->axis, a->count), r.index, r.count, a->mode, places));
    r.index = places;
    r.jump = 1;
    r.mode = MNP_INDEXED_RAISE;
    mnp__owners_span(a->x, &r.first, &r.span);
    if (st == MNP_OK)
        st = assign_rows(&r);
    ops->free(ctx->device, places);
    return st;
}

/* ---- the ranks have parts of it ---- */

static mnp_status assign_to_owners(const mnp__assignment *a, const mnp_array *index, const mnp_array *values)
{
    mnp_ctx *ctx = a->x->ctx;
    mnp__route *route;
    void *got = NULL;
    rows r = {.a = a, .jump = 1, .mode = MNP_INDEXED_RAISE};
    mnp_status st = MNP_OK;
    take_values(&r, values->data, values->local_strides);
    int64_t row = 1;
    for (int d = 1; d < values->layout->ndim; d++)
        row *= values->layout->shape[d];
    MNP_TRY(mnp__route_new(a->x, mask_of(0, a->count), index->data, index->local_size, a->mode, true, &route));
    if (!a->same) {
        st = mnp__route_send(route, mnp_dtype_size(values->dtype), row, values->data, &got);
        r.values = got;
        r.stride = row;
    }
    r.index = route->places;
    r.count = route->received;
    mnp__owners_span(a->x, &r.first, &r.span);
    if (st == MNP_OK)
        st = assign_rows(&r);
    ctx->device->ops->free(ctx->device, got);
    mnp__route_free(route);
    return st;
}

/* ---- the CPU reaches the indices and values of all ranks ---- */

/*
 * *done_p: whether all ranks' elements along the axes have a common stride, and the assignment is done.  Ranks are gone
 * through in their order, so that of equal indices the last one wins.
 */
static mnp_status assign_reached(const mnp__assignment *a, const mnp_array *index, const mnp_array *values,
                                 bool *done_p)
{
    enum { X, INDEX, VALUES, ARRAYS };
    mnp_ctx *ctx = a->x->ctx;
    const mnp_array *arrays[ARRAYS] = {a->x, index, values};
    mnp__reached blocks[MNP__OWNERS_READ * ARRAYS];
    rows r = {.a = a, .inside = extent_of(a), .mode = a->mode};
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__reach(ctx->world, ARRAYS, arrays, blocks));
    *done_p = true;
    for (int k = 0; k < ctx->comm.size * ARRAYS; k += ARRAYS) {
        const bool joined = mnp__owners_join(a->count, blocks[k].extent, blocks[k].strides, &r.jump);
        *done_p = *done_p && (joined || !blocks[k].data);
    }
    (void)mnp__owners_join(a->count, a->x->local_shape, a->x->local_strides, &r.jump);
    r.first = a->x->local_lo[0] * (r.inside / a->x->layout->shape[0]);
    r.span = a->x->local_shape[0] * (r.inside / a->x->layout->shape[0]);
    for (int k = 0; k < ctx->comm.size * ARRAYS && *done_p; k += ARRAYS) {
        const mnp__reached *given = &blocks[k + INDEX], *theirs = &blocks[k + VALUES];
        r.index = (int64_t *)given->data;
        r.count = r.span > 0 && given->data ? given->extent[0] : 0;
        if (a->same)
            take_values(&r, values->data, values->local_strides);
        else
            take_values(&r, theirs->data, theirs->strides);
        const mnp_status assigned = assign_rows(&r);
        st = st != MNP_OK ? st : assigned;
    }
    const mnp_status met = mnp_comm_barrier(ctx->world); /* the blocks stay as they are until all have read them */
    return st != MNP_OK ? st : met;
}

static mnp_status assign_to_all(const mnp__assignment *a, const mnp_array *index, const mnp_array *values)
{
    bool done = false;
    if (mnp__owners_read(a->x, index, values))
        MNP_TRY(assign_reached(a, index, values, &done));
    return done ? MNP_OK : assign_to_owners(a, index, values);
}

/* ---- indices and values where they are wanted ---- */

/* The values with one dimension in the place of the axes: of all indices, or where all get the same, of one. */
static mnp_status join_values(const mnp__assignment *a, mnp_array **joined_p)
{
    const mnp_layout *layout = a->values->layout;
    const int more = a->index->layout->ndim, ndim = layout->ndim - more + 1;
    mnp_subscript subscripts[MNP_MAX_DIMS];
    int64_t shape[MNP_MAX_DIMS];
    mnp_array *one = NULL;
    for (int d = 0; d < ndim; d++)
        shape[d] = layout->shape[d <= a->axis ? d : d + more - 1];
    shape[a->axis] = a->same ? 1 : a->index->layout->size;
    for (int d = 0; d < layout->ndim; d++)
        subscripts[d] = d >= a->axis && d < a->axis + more ? MNP_RANGE(0, 1) : MNP_ALL;
    if (a->same)
        MNP_TRY(mnp_slice(a->values, layout->ndim, subscripts, &one));
    const mnp_status st = mnp_reshape(one ? one : a->values, ndim, shape, joined_p);
    mnp_array_free(one);
    return st;
}

/* The layout in which a rank needs the values: that of x, but for the dimension in the place of the axes. */
static mnp_status layout_of_values(const mnp__assignment *a, const mnp_array *values, bool here, mnp_layout **layout_p)
{
    const mnp_layout *own = a->x->layout, *layout = values->layout;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    if (!here)
        return a->same ? mnp_layout_replicated(own->nranks, layout->ndim, layout->shape, layout_p)
                       : mnp__layout_line(own->nranks, layout->ndim, layout->shape, NULL, layout_p);
    for (int d = 0; d < layout->ndim; d++)
        dims[d] = d == a->axis ? mnp__layout_dim_whole(layout->shape[d])
                               : mnp__layout_dim_of(own, d < a->axis ? d : d + a->count - 1);
    return mnp__layout_derive(own, layout->ndim, dims, layout_p);
}

static mnp_status layout_of_index(const mnp__assignment *a, bool here, mnp_layout **layout_p)
{
    const int nranks = a->x->layout->nranks;
    const int64_t count = a->index->layout->size;
    return here ? mnp_layout_replicated(nranks, 1, &count, layout_p)
                : mnp__layout_line(nranks, 1, &count, NULL, layout_p);
}

/* Open an array in a layout, which is released, in memory that it does not share with x. */
static mnp_status open_apart(const mnp_array *array, const mnp_array *x, mnp_layout *layout, mnp_dtype dtype,
                             unsigned needs, mnp__input *input)
{
    const mnp_status st =
        mnp__input_open(array, layout, dtype, needs | (array->buffer == x->buffer ? MNP__INPUT_COPY : 0), input);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__assign(const mnp__assignment *a)
{
    const mnp_array *x = a->x;
    const bool here = mnp__owns_all(x->layout, mask_of(a->axis, a->count));
    mnp__input index = {NULL, NULL}, values = {NULL, NULL};
    mnp_array *line = NULL, *joined = NULL;
    mnp_layout *layout;
    mnp_status st;
    if (a->index->layout->size == 0 || x->layout->size == 0)
        return MNP_OK;
    MNP_TRY_OR(mnp_ravel(a->index, &line), st, done);
    MNP_TRY_OR(layout_of_index(a, here, &layout), st, done);
    MNP_TRY_OR(open_apart(line, x, layout, MNP_INT64, MNP__INPUT_DENSE, &index), st, done);
    MNP_TRY_OR(join_values(a, &joined), st, done);
    MNP_TRY_OR(layout_of_values(a, joined, here, &layout), st, done);
    MNP_TRY_OR(open_apart(joined, x, layout, x->dtype, here ? 0 : MNP__INPUT_DENSE, &values), st, done);
    st = here ? assign_here(a, index.array, values.array) : assign_to_all(a, index.array, values.array);
    st = MNP_AGREE(x->ctx, st);
done:
    mnp__input_close(&values);
    mnp__input_close(&index);
    mnp_free_all(joined, line);
    return st;
}
