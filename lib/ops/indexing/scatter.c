/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indices and values are sent together to the owners of the elements, and are applied there: first those of rank 0,
 * each rank's in their order.  This is the order of the indices, as they are spread over the ranks in C order.  Where the
 * CPU reaches them nothing is sent: every rank goes through the indices of all, and applies values to its own elements.
 */
#include "ops/indexing/scatter.h"

#include <maniple/create.h>
#include <maniple/select.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/reach.h"
#include "kernels/indexing/scatter_params.h"
#include "layout/layout.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/owners.h"
#include "ops/sort/radix_sort.h"

/* ---- on one rank ---- */

/* Sort the values by their offsets, as parallel threads need.  `order` receives the values' numbers in that order. */
static mnp_status sort(mnp_ctx *ctx, int64_t count, int64_t *places, int64_t *order)
{
    const mnp__radix_sort all = {.dtype = MNP_INT64,
                                 .lines = 1,
                                 .length = count,
                                 .keys = places,
                                 .sorted = places,
                                 .payload_size = 8,
                                 .sorted_payload = order};
    return mnp__radix_sort_run(ctx, &all);
}

/* Whether threads run in parallel, so that values must be sorted by their offsets. */
static bool must_sort(const mnp_ctx *ctx)
{
    return ctx->device->block_memory > 0;
}

static mnp_status launch(const mnp__scatter *scatter, mnp_array *x, mnp_scatter_params *params)
{
    mnp_ctx *ctx = x->ctx;
    mnp__kernel *kernel;
    MNP_TRY(mnp__ctx_kernel(ctx,
                            &(mnp__kernel_spec){.file = "indexing/scatter.cu",
                                                .function = "scatter",
                                                .defines = "",
                                                .generated = scatter->generated,
                                                .nvrtc_options = "--fmad=false",
                                                .host_options = "-ffp-contract=off"},
                            &kernel));
    return mnp__ctx_launch(ctx, kernel, params->count, params, sizeof *params);
}

/* Apply values, in the order of their indices, at these offsets of this rank's block. */
static mnp_status apply(const mnp__scatter *scatter, mnp_array *x, int64_t count, int64_t *places, const void *values)
{
    mnp_ctx *ctx = x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    mnp_scatter_params params = {.x = x->data, .values = values, .place = (const long long *)places, .count = count};
    void *order = NULL;
    mnp__owners_span(x, &params.first, &params.span);
    mnp_status st = MNP_OK;
    if (must_sort(ctx)) {
        MNP_TRY(MNP_AGREE(ctx, ops->alloc(ctx->device, (size_t)count * sizeof(int64_t), &order)));
        st = MNP_AGREE(ctx, sort(ctx, count, places, order));
        params.order = order;
    }
    if (st == MNP_OK)
        st = launch(scatter, x, &params);
    ops->free(ctx->device, order);
    return st;
}

/* ---- wherever the elements are ---- */

/* Every rank has all indices and all of x. */
static mnp_status scatter_here(const mnp__scatter *scatter, mnp_array *x, const mnp_array *index,
                               const mnp_array *values)
{
    mnp_ctx *ctx = x->ctx;
    const unsigned axes = (1u << x->layout->ndim) - 1;
    const int64_t count = index->local_size;
    void *places = NULL;
    if (!must_sort(ctx) && x->dense & MNP__DENSE_C) {
        mnp_scatter_params params = {.x = x->data,
                                     .values = values->data,
                                     .place = index->data,
                                     .inside = x->layout->size,
                                     .mode = scatter->mode,
                                     .count = count,
                                     .span = x->layout->size};
        return launch(scatter, x, &params);
    }
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, (size_t)count * sizeof(int64_t), &places)));
    mnp_status st = MNP_AGREE(ctx, mnp__owners_place(x, axes, index->data, count, scatter->mode, places));
    if (st == MNP_OK)
        st = apply(scatter, x, count, places, values->data);
    ctx->device->ops->free(ctx->device, places);
    return st;
}

static mnp_status scatter_to_owners(const mnp__scatter *scatter, mnp_array *x, const mnp_array *index,
                                    const mnp_array *values)
{
    mnp_ctx *ctx = x->ctx;
    const unsigned axes = (1u << x->layout->ndim) - 1;
    mnp__route *route;
    void *got = NULL;
    MNP_TRY(mnp__route_new(x, axes, index->data, index->local_size, scatter->mode, true, &route));
    mnp_status st = mnp__route_send(route, mnp_dtype_size(scatter->value), 1, values->data, &got);
    if (st == MNP_OK)
        st = apply(scatter, x, route->received, route->places, got);
    ctx->device->ops->free(ctx->device, got);
    mnp__route_free(route);
    return st;
}

/* *done_p: whether x lies in C order on all ranks, and the values are applied. */
static mnp_status scatter_reached(const mnp__scatter *scatter, mnp_array *x, const mnp_array *index,
                                  const mnp_array *values, bool *done_p)
{
    enum { X, INDEX, VALUES, ARRAYS };
    mnp_ctx *ctx = x->ctx;
    const mnp_layout *layout = x->layout;
    const mnp_array *arrays[ARRAYS] = {x, index, values};
    mnp__reached blocks[MNP__OWNERS_READ * ARRAYS];
    const int64_t row = layout->size / layout->shape[0], first = x->local_lo[0] * row;
    mnp_scatter_params params = {
        .x = (void *)((uintptr_t)x->data - (uintptr_t)first * mnp_dtype_size(x->dtype)),
        .inside = layout->size,
        .mode = scatter->mode,
        .first = first,
        .span = x->local_size,
    };
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__reach(ctx->world, ARRAYS, arrays, blocks));
    *done_p = true;
    for (int k = 0; k < ctx->comm.size * ARRAYS; k += ARRAYS) {
        int64_t stride;
        const bool joined = mnp__owners_join(layout->ndim, blocks[k].extent, blocks[k].strides, &stride);
        *done_p = *done_p && (!blocks[k].data || (joined && (stride == 1 || blocks[k].extent[0] * row == 1)));
    }
    for (int k = 0; k < ctx->comm.size * ARRAYS && *done_p; k += ARRAYS) {
        params.place = (const long long *)blocks[k + INDEX].data;
        params.values = blocks[k + VALUES].data;
        params.count = params.place && params.span > 0 ? blocks[k + INDEX].extent[0] : 0;
        const mnp_status applied = launch(scatter, x, &params);
        st = st != MNP_OK ? st : applied;
    }
    const mnp_status met = mnp_comm_barrier(ctx->world); /* the blocks stay as they are until all have read them */
    return st != MNP_OK ? st : met;
}

static mnp_status scatter_to_all(const mnp__scatter *scatter, mnp_array *x, const mnp_array *index,
                                 const mnp_array *values)
{
    bool done = false;
    if (mnp__owners_read(x, index, values))
        MNP_TRY(scatter_reached(scatter, x, index, values, &done));
    return done ? MNP_OK : scatter_to_owners(scatter, x, index, values);
}

/* `array` lined up, in memory that it does not share with x. */
static mnp_status line_up(const mnp_array *array, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *x,
                          mnp_array **line_p)
{
    mnp_array *line, *copy = NULL;
    MNP_TRY(mnp__lined_up(array, dtype, layout, &line));
    if (line->buffer == x->buffer) {
        mnp_status st = mnp_copy(line, &copy);
        mnp_array_free(line);
        MNP_TRY(st);
        line = copy;
    }
    *line_p = line;
    return MNP_OK;
}

/* Whether a vector lies in the order of the ranks, which need not have equal parts. */
static bool is_line(const mnp_layout *layout)
{
    return layout->ndim == 1 && layout->axes[0] != MNP_NO_AXIS && layout->mesh[layout->axes[0]] == layout->nranks &&
           !layout->reversed[0] && !mnp_layout_is_cyclic(layout);
}

/* The layout in which the indices and the values of a scatter are needed. */
static mnp_status choose_layout(const mnp_array *indices, bool everywhere, mnp_layout **layout_p)
{
    const int nranks = indices->layout->nranks;
    const int64_t count = indices->layout->size;
    if (everywhere)
        return mnp_layout_replicated(nranks, 1, &count, layout_p);
    if (!is_line(indices->layout))
        return mnp__layout_line(nranks, 1, &count, NULL, layout_p);
    *layout_p = mnp_layout_retain(indices->layout);
    return MNP_OK;
}

mnp_status mnp__scatter_run(const mnp__scatter *scatter, mnp_array *x, const mnp_array *indices,
                            const mnp_array *values)
{
    mnp_ctx *ctx = x->ctx;
    const bool here = mnp__owns_all(x->layout, (1u << x->layout->ndim) - 1);
    mnp_layout *layout;
    mnp_array *index = NULL, *brought = NULL;
    mnp_status st;
    if (indices->layout->size == 0)
        return MNP_OK;
    MNP_TRY(choose_layout(indices, here, &layout));
    MNP_TRY_OR(line_up(indices, MNP_INT64, layout, x, &index), st, done);
    MNP_TRY_OR(line_up(values, scatter->value, layout, x, &brought), st, done);
    st = here ? scatter_here(scatter, x, index, brought) : scatter_to_all(scatter, x, index, brought);
    st = MNP_AGREE(ctx, st);
done:
    mnp_array_free(brought);
    mnp_array_free(index);
    mnp_layout_free(layout);
    return st;
}

const char *mnp__scatter_assign(mnp_dtype dtype)
{
#define ASSIGN(type)                                                                                                   \
    "typedef " type " mnp_element, mnp_value;\nenum { mnp_last_alone = 1 };\n"                                         \
    "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n    x = value;\n}\n"
    switch (mnp_dtype_size(dtype)) {
    case 1:
        return ASSIGN("uint8_t");
    case 2:
        return ASSIGN("uint16_t");
    case 4:
        return ASSIGN("uint32_t");
    case 8:
        return ASSIGN("uint64_t");
    default:
        return ASSIGN("mnp_complex128");
    }
#undef ASSIGN
}

/* ---- values ---- */

/* Open an array or a number as an array of that dtype. */
static mnp_status open_values(mnp_ctx *ctx, const mnp_array *values, mnp_dtype dtype, mnp__input *input)
{
    mnp_array *number = NULL;
    if (!mnp__array_is_scalar(values))
        return mnp__input_open(values, NULL, dtype, 0, input);
    MNP_TRY(mnp_empty(ctx, dtype, 0, NULL, &number));
    *input = (mnp__input){number, number};
    mnp_status st = mnp_copyto(number, values, MNP_CASTING_UNSAFE);
    if (st != MNP_OK)
        mnp__input_close(input);
    return st;
}

mnp_status mnp__values_fit(const char *function, mnp_ctx *ctx, const mnp_array *values, mnp_dtype dtype, int ndim,
                           const int64_t *shape, mnp_array **fitted_p)
{
    mnp__input input;
    MNP_TRY(open_values(ctx, values, dtype, &input));
    const mnp_array *array = input.array;
    const bool same = mnp__layout_has_shape(array->layout, ndim, shape);
    mnp_status st = same ? mnp_reshape(array, ndim, shape, fitted_p) : mnp_broadcast_to(array, ndim, shape, fitted_p);
    mnp__input_close(&input);
    return st == MNP_OK ? st : mnp__fail_context(st, "%s: the values", function);
}

mnp_status mnp__values_repeat(mnp_ctx *ctx, const mnp_array *values, mnp_dtype dtype, int64_t count,
                              mnp_array **repeated_p)
{
    mnp_array *flat = NULL, *numbers = NULL;
    mnp__input input;
    mnp_status st;
    MNP_TRY(open_values(ctx, values, dtype, &input));
    MNP_TRY_OR(mnp_ravel(input.array, &flat), st, done);
    if (flat->layout->size == 1) {
        st = mnp_broadcast_to(flat, 1, &count, repeated_p);
    } else if (flat->layout->size >= count) {
        st = mnp_view(flat, repeated_p, MNP_RANGE(0, count));
    } else {
        MNP_TRY_OR(mnp_arange_int(ctx, 0, count, 1, MNP_INT64, &numbers), st, done);
        st = mnp_take(flat, numbers, 0, MNP_WRAP, repeated_p);
    }
done:
    mnp_free_all(numbers, flat);
    mnp__input_close(&input);
    return st;
}
