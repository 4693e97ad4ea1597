/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering takes one launch where every rank has the elements that it needs.  Otherwise the indices go to the owners,
 * which pack the elements and send them back, and the rank puts them in order.
 */
#include "ops/indexing/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <maniple/join.h>

#include "array/input.h"
#include "array/reach.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"
#include "ops/elementwise/formula.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/owners.h"

/* ---- what is moved ---- */

/* The dimensions of this rank's block of x that are not indexed, along those of dense memory that begins with them. */
struct row {
    int ndim;
    int64_t extent[MNP_MAX_DIMS], stride[MNP_MAX_DIMS], dense[MNP_MAX_DIMS], size;
};

static struct row row_of(const mnp_array *x, unsigned axes)
{
    struct row row = {.size = 1};
    for (int d = 0; d < x->layout->ndim; d++) {
        if (axes >> d & 1)
            continue;
        row.extent[row.ndim] = x->local_shape[d];
        row.stride[row.ndim++] = x->local_strides[d];
    }
    mnp__dense_strides(row.ndim, row.extent, row.dense);
    for (int d = 0; d < row.ndim; d++)
        row.size *= row.extent[d];
    return row;
}

/*
 * The dimensions of a dense result that has the indices' ones, `count` in all, before number `at` of the row's: its
 * strides along the row, and that of an index.
 */
static int64_t result_strides(const struct row *row, int at, int64_t count, int64_t *strides)
{
    int64_t stride = 1, of_index = 1;
    for (int d = row->ndim; d >= 0; d--) {
        if (d < row->ndim && d >= at) {
            strides[d] = stride;
            stride *= row->extent[d];
        }
        if (d == at) {
            of_index = stride;
            stride *= count;
        }
        if (d < at) {
            strides[d] = stride;
            stride *= row->extent[d];
        }
    }
    return of_index;
}

/*
 * Gather from this rank's block to dense memory, by `count` indices.  `moved` says where to, the indices and what they
 * mean: the element of an index is `jump` times the index from where the block begins.
 */
static mnp_status gather_here(const mnp_array *x, unsigned axes, int at, int64_t count, mnp_indexed_params moved)
{
    const struct row row = row_of(x, axes);
    int64_t strides[MNP_MAX_DIMS];
    const int64_t of_index = result_strides(&row, at, count, strides);
    moved.src = x->data;
    for (int d = 0; d < at; d++)
        mnp__indexed_add(&moved, row.extent[d], row.stride[d], strides[d], 0);
    mnp__indexed_add(&moved, count, 0, of_index, 1);
    for (int d = at; d < row.ndim; d++)
        mnp__indexed_add(&moved, row.extent[d], row.stride[d], strides[d], 0);
    return mnp__indexed_run(x->ctx, mnp_dtype_size(x->dtype), &moved);
}

/* ---- elements of this rank ---- */

/* Gather locally where the indexed dimensions are not dense together: first compute offsets from the indices. */
static mnp_status gather_by_place(const mnp_array *x, unsigned axes, const mnp_array *index, int mode, void *to)
{
    mnp_ctx *ctx = x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    void *places = NULL;
    const size_t bytes = (size_t)index->local_size * sizeof(int64_t);
    MNP_TRY(MNP_AGREE(ctx, ops->alloc(ctx->device, bytes, &places)));
    mnp_status st = mnp__owners_place(x, axes, index->data, index->local_size, mode, places);
    mnp_status moved =
        gather_here(x, axes, 0, index->local_size, (mnp_indexed_params){.dst = to, .index = places, .jump = 1});
    ops->free(ctx->device, places);
    return st != MNP_OK ? st : moved;
}

/* ---- elements of other ranks ---- */

static mnp_status pack(const mnp__route *route, const mnp_array *x, unsigned axes, void **packed_p, void **answers_p)
{
    mnp_ctx *ctx = route->ctx;
    const size_t size = mnp_dtype_size(x->dtype) * (size_t)row_of(x, axes).size;
    mnp_status st = ctx->device->ops->alloc(ctx->device, (size_t)route->received * size, packed_p);
    if (st == MNP_OK)
        st = ctx->device->ops->alloc(ctx->device, (size_t)route->count * size, answers_p);
    MNP_TRY(MNP_AGREE(ctx, st));
    st = gather_here(x, axes, 0, route->received,
                     (mnp_indexed_params){.dst = *packed_p, .index = route->places, .jump = 1});
    return MNP_AGREE(ctx, st);
}

/* Reorder the received elements, which are in the order in which indices were sent, to the order of the indices. */
static mnp_status unpack(const mnp__route *route, const mnp_array *x, unsigned axes, int at, const void *answers,
                         mnp_array *result)
{
    const struct row row = row_of(x, axes);
    int64_t strides[MNP_MAX_DIMS];
    const int64_t of_index = result_strides(&row, at, route->count, strides);
    mnp_indexed_params moved = {.src = answers,
                                .dst = result->data,
                                .index = route->order,
                                .jump = of_index,
                                .count = route->count,
                                .scatters = 1};
    mnp__indexed_add(&moved, route->count, row.size, 0, 1);
    for (int d = 0; d < row.ndim; d++)
        mnp__indexed_add(&moved, row.extent[d], row.dense[d], strides[d], 0);
    return mnp__indexed_run(route->ctx, mnp_dtype_size(x->dtype), &moved);
}

static mnp_status gather_from_owners(const mnp_array *x, unsigned axes, int at, const mnp_array *index, int mode,
                                     mnp_array *result)
{
    mnp_ctx *ctx = x->ctx;
    mnp__route *route;
    void *packed = NULL, *answers = NULL;
    const size_t size = mnp_dtype_size(x->dtype) * (size_t)row_of(x, axes).size;
    MNP_TRY(mnp__route_new(x, axes, index->data, index->local_size, mode, false, &route));
    mnp_status st = pack(route, x, axes, &packed, &answers);
    if (st == MNP_OK)
        st = mnp__shuffle_back(route->shuffle, size, packed, answers);
    if (st == MNP_OK)
        st = unpack(route, x, axes, at, answers, result);
    ctx->device->ops->free(ctx->device, packed);
    ctx->device->ops->free(ctx->device, answers);
    mnp__route_free(route);
    return st;
}

/* ---- blocks of other ranks that the CPU reaches ---- */

/* Whether elements along a dimension of x are read where they lie, on all ranks. */
static bool is_reached(const mnp_array *x, unsigned axes, int axis)
{
    return axes == 1u << axis && mnp__reaches(x) && x->layout->mesh[x->layout->axes[axis]] <= MNP_INDEXED_BLOCKS;
}

/* The blocks that the ranks have along dimension `axis`, by their indices. */
static int sort_blocks(const mnp_array *x, int axis, int members, const mnp__reached *reached,
                       mnp_indexed_block *blocks)
{
    int count = 0;
    for (int r = 0; r < members; r++) {
        if (!reached[r].data)
            continue;
        mnp_indexed_block block = {
            .src = reached[r].data, .first = reached[r].lo[axis], .jump = reached[r].strides[axis]};
        int at = count++, k = 0;
        for (int d = 0; d < x->layout->ndim; d++)
            block.stride[k++] = d == axis ? 0 : reached[r].strides[d];
        for (; at > 0 && blocks[at - 1].first > block.first; at--)
            blocks[at] = blocks[at - 1];
        blocks[at] = block;
    }
    return count;
}

static mnp_status gather_reached(const mnp_array *x, int axis, const mnp_array *index, int mode, mnp_array *result)
{
    const mnp_layout *layout = x->layout;
    mnp_ctx *ctx = x->ctx;
    mnp_comm *group;
    mnp__reached reached[MNP_INDEXED_BLOCKS];
    mnp_indexed_block blocks[MNP_INDEXED_BLOCKS];
    MNP_TRY(mnp__comm_along(ctx->world, layout->mesh_ndim, layout->mesh, 1u << layout->axes[axis], &group));
    MNP_TRY(mnp__reach(group, 1, &x, reached));
    const struct row row = row_of(x, 1u << axis);
    int64_t strides[MNP_MAX_DIMS];
    const int64_t of_index = result_strides(&row, axis, index->local_size, strides);
    mnp_indexed_params moved = {
        .dst = result->data, .index = index->data, .count = layout->shape[axis], .mode = mode, .blocks = blocks};
    moved.nblocks = sort_blocks(x, axis, mnp_comm_size(group), reached, blocks);
    for (int d = 0, k = 0; d < layout->ndim; d++) {
        if (d == axis)
            mnp__indexed_add(&moved, index->local_size, 0, of_index, 1);
        else
            mnp__indexed_add(&moved, x->local_shape[d], 0, strides[k++], 0);
    }
    const mnp_status st = mnp__indexed_run(ctx, mnp_dtype_size(x->dtype), &moved);
    MNP_TRY(mnp_comm_barrier(group)); /* the blocks stay as they are until all have read them */
    return st;
}

bool mnp__gathers_here(const mnp_array *x, int axis)
{
    const int ndim = x->layout->ndim;
    const bool flat = axis == MNP_FLATTENED && ndim > 1;
    const unsigned axes = flat ? (1u << ndim) - 1 : 1u << (axis == MNP_FLATTENED ? 0 : axis);
    return mnp__owns_all(x->layout, axes) && (!flat || x->dense & MNP__DENSE_C);
}

mnp_status mnp__gather(const mnp_array *x, const mnp_array *index, int axis, int mode, int *outside, mnp_array *result)
{
    const mnp_layout *layout = x->layout;
    if (axis == MNP_FLATTENED && layout->ndim == 1)
        axis = 0;
    const bool flat = axis == MNP_FLATTENED;
    const unsigned axes = flat ? (1u << layout->ndim) - 1 : 1u << axis;
    if (!mnp__owns_all(layout, axes) && is_reached(x, axes, axis))
        return gather_reached(x, axis, index, mode, result);
    if (!mnp__owns_all(layout, axes))
        return gather_from_owners(x, axes, flat ? 0 : axis, index, mode, result);
    if (!mnp__gathers_here(x, axis))
        return gather_by_place(x, axes, index, mode, result->data);
    return gather_here(x, axes, flat ? 0 : axis, index->local_size,
                       (mnp_indexed_params){.dst = result->data,
                                            .index = index->data,
                                            .narrow = index->dtype == MNP_INT32,
                                            .outside = outside,
                                            .jump = flat ? 1 : x->local_strides[axis],
                                            .count = flat ? layout->size : layout->shape[axis],
                                            .mode = mode});
}

/* ---- numbers of elements ---- */

enum { NDIM, AXIS };

/* The number of element (i0, i1, ...), where the index along the axis is the operand's; strides follow from x2 on. */
static void write_numbers(const int *facts, mnp__text *body)
{
    mnp__text_add(body, "out = ");
    for (int d = 0; d < facts[NDIM]; d++) {
        if (d == facts[AXIS])
            mnp__text_add(body, "(i < 0 ? i + extent : i) * x%d", d + 2);
        else
            mnp__text_add(body, "mnp_index[%d] * x%d", d, d + 2);
        mnp__text_add(body, d + 1 < facts[NDIM] ? " + " : ";");
    }
}

static const mnp__formula numbers_of = {
    .name = "numbers",
    .write = write_numbers,
    .indices = true,
    .type = MNP_INT64,
    .ninputs = 2,
    .inputs = {{"i", MNP_INT64}, {"extent", MNP_INT64}},
};

/* The shape that indices are broadcast to beside x: theirs along the axis. */
static mnp_status shape_along(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                              int64_t *shape)
{
    const mnp_layout *own = x->layout, *theirs = indices->layout;
    for (int d = 0; d < own->ndim; d++) {
        shape[d] = d == axis || own->shape[d] == 1 ? theirs->shape[d] : own->shape[d];
        if (d != axis && theirs->shape[d] != 1 && theirs->shape[d] != shape[d])
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: along axis %d x has %" PRId64 " elements and the indices %" PRId64
                            ", which do not broadcast",
                            function, d, own->shape[d], theirs->shape[d]);
    }
    return MNP_OK;
}

mnp_status mnp__numbers_along(const char *function, const mnp_array *x, const mnp_array *indices, int axis,
                              mnp_array **numbers_p)
{
    mnp_ctx *ctx = x->ctx;
    const int ndim = x->layout->ndim;
    int64_t shape[MNP_MAX_DIMS], stride = 1;
    const mnp_array *inputs[MNP_MAX_DIMS + 2] = {indices, mnp_scalar_int(ctx, x->layout->shape[axis])};
    mnp_layout *layout = NULL;
    mnp_array *numbers = NULL, **out = &numbers;
    MNP_TRY(shape_along(function, x, indices, axis, shape));
    for (int d = ndim - 1; d >= 0; d--) {
        inputs[d + 2] = mnp_scalar_int(ctx, x->layout->shape[d] == 1 && d != axis ? 0 : stride);
        stride *= x->layout->shape[d];
    }
    const bool spread = mnp__layout_is_spread(indices->layout) &&
                        memcmp(shape, indices->layout->shape, (size_t)ndim * sizeof *shape) == 0;
    if (spread)
        layout = mnp_layout_retain(indices->layout);
    else
        MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &layout));
    mnp_status st = mnp__formula_run(ctx, &(mnp__formula_call){.function = function,
                                                               .formula = &numbers_of,
                                                               .ninputs = ndim + 2,
                                                               .inputs = inputs,
                                                               .outputs_p = &out,
                                                               .result = MNP_INT64,
                                                               .layout = layout,
                                                               .facts = {[NDIM] = ndim, [AXIS] = axis}});
    mnp_layout_free(layout);
    MNP_TRY(st);
    *numbers_p = numbers;
    return MNP_OK;
}

/* ---- lines ---- */

mnp_status mnp__lined_up(const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout, mnp_array **line_p)
{
    mnp_array *line = NULL;
    mnp__input input;
    MNP_TRY(mnp_ravel(array, &line));
    mnp_status st = mnp__input_open(line, layout, dtype, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK && !input.temporary) {
        *line_p = line;
        return MNP_OK;
    }
    mnp_array_free(line);
    if (st == MNP_OK)
        *line_p = input.temporary;
    return st;
}
