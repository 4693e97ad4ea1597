/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: a kernel finds the owner of every index; sorting by owner groups them; then they travel.
 */
#include "ops/indexing/owners.h"

#include <stdlib.h>
#include <string.h>

#include "array/reach.h"
#include "base/integer.h"
#include "kernels/indexing/owners_params.h"
#include "layout/layout.h"
#include "ops/indexing/indexed.h"
#include "ops/sort/radix_sort.h"

_Static_assert(MNP_OWNERS_DIMS == MNP_MAX_DIMS, "any dimensions of an array may be indexed");

/* The narrowest type that numbers of ranks fit into. */
static mnp_dtype key_type(const mnp_ctx *ctx)
{
    return ctx->comm.size <= 256 ? MNP_UINT8 : MNP_UINT32;
}

static mnp_status get_kernel(mnp_ctx *ctx, mnp__kernel **kernel_p)
{
    const char *key = key_type(ctx) == MNP_UINT8 ? "#define MNP_KEY uint8_t\n" : "#define MNP_KEY uint32_t\n";
    return mnp__ctx_kernel(
        ctx, &(mnp__kernel_spec){.file = "indexing/owners.cu", .function = "find_owners", .defines = key}, kernel_p);
}

static mnp_status run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp_owners_params *params)
{
    return mnp__ctx_launch(ctx, kernel, params->count, params, sizeof *params);
}

static mnp_status alloc(mnp_ctx *ctx, int64_t count, size_t size, void *pointer_p)
{
    return ctx->device->ops->alloc(ctx->device, (size_t)count * size, pointer_p);
}

/* ---- the space of what is indexed ---- */

bool mnp__owns_all(const mnp_layout *layout, unsigned axes)
{
    for (int d = 0; d < layout->ndim; d++) {
        if (axes >> d & 1 && mnp_layout_parts(layout, d) > 1)
            return false;
    }
    for (int a = 0; a < layout->mesh_ndim && axes + 1 == 1u << layout->ndim; a++) {
        if (layout->pin[a] != MNP__REPLICAS && layout->mesh[a] > 1)
            return false; /* every rank may have indices, and some own nothing */
    }
    return true;
}

bool mnp__owns_in_order(const mnp_layout *layout)
{
    const int a = layout->ndim > 0 ? layout->axes[0] : MNP_NO_AXIS;
    return a != MNP_NO_AXIS && layout->mesh[a] == layout->nranks && !layout->reversed[0] &&
           !mnp_layout_is_cyclic(layout);
}

bool mnp__owners_join(int count, const int64_t *shape, const int64_t *strides, int64_t *stride_p)
{
    int64_t together = 1; /* the elements along the dimensions so far */
    *stride_p = 0;
    for (int d = count - 1; d >= 0; d--) {
        if (shape[d] == 1)
            continue;
        if (together == 1)
            *stride_p = strides[d];
        if (strides[d] != *stride_p * together)
            return false;
        together *= shape[d];
    }
    return true;
}

bool mnp__owners_read(const mnp_array *x, const mnp_array *index, const mnp_array *values)
{
    return x->ctx->device->block_memory == 0 && x->ctx->comm.size <= MNP__OWNERS_READ && x->layout->size > 0 &&
           mnp__owns_in_order(x->layout) && mnp__reaches(x) && mnp__reaches(index) && mnp__reaches(values);
}

/* The extents of the dimensions that are indexed. */
static mnp_owners_params describe(const mnp_array *x, unsigned axes, int mode)
{
    const mnp_layout *layout = x->layout;
    mnp_owners_params params = {.mode = mode, .size = 1};
    for (int d = 0; d < layout->ndim; d++) {
        if (!(axes >> d & 1))
            continue;
        params.shape[params.ndim] = layout->shape[d];
        params.lo[params.ndim] = x->local_lo[d];
        params.stride[params.ndim++] = x->local_strides[d];
        params.size *= layout->shape[d];
    }
    return params;
}

mnp_status mnp__owners_place(const mnp_array *x, unsigned axes, const int64_t *index, int64_t count, int mode,
                             int64_t *places)
{
    mnp_owners_params params = describe(x, axes, mode);
    mnp__kernel *kernel;
    MNP_TRY(get_kernel(x->ctx, &kernel));
    params.task = MNP_OWNERS_PLACE;
    params.count = count;
    params.index = (const long long *)index;
    params.number = (long long *)places;
    return run(x->ctx, kernel, &params);
}

void mnp__owners_span(const mnp_array *x, long long *first_p, long long *span_p)
{
    *first_p = 0;
    *span_p = 1;
    for (int d = 0; d < x->layout->ndim; d++) {
        const int64_t reach = (x->local_shape[d] - 1) * x->local_strides[d];
        *first_p += mnp__min(reach, 0);
        *span_p += reach < 0 ? -reach : reach;
    }
}

/* ---- finding owners ---- */

/* Memory that is needed until the indices are sent. */
struct search {
    mnp_owners_params params;
    mnp__kernel *kernel;
    int64_t *host_cuts, *host_counts;
    int64_t *cuts, *counts; /* in device memory, as `keys` */
    void *keys;             /* the owners of the indices, before and after sorting */
    int nmesh, mesh[MNP_MAX_DIMS],
        rank_stride[MNP_MAX_DIMS]; /* the mesh axes along which all replicas receive the indices */
    int64_t replicas;
};

/* The owner's rank as a sum over the dimensions that are indexed; its places along other mesh axes are in `rank`. */
static void find_strides(const mnp_array *x, unsigned axes, bool all, struct search *search)
{
    const mnp_layout *layout = x->layout;
    int strides[MNP_MAX_DIMS], place = x->ctx->comm.rank, k = 0;
    bool indexed[MNP_MAX_DIMS] = {false}, cuts[MNP_MAX_DIMS] = {false};
    for (int a = layout->mesh_ndim - 1, stride = 1; a >= 0; stride *= layout->mesh[a--])
        strides[a] = stride;
    for (int d = 0; d < layout->ndim; d++) {
        const int a = layout->axes[d];
        if (a != MNP_NO_AXIS)
            cuts[a] = true;
        if (!(axes >> d & 1))
            continue;
        if (a != MNP_NO_AXIS) {
            const int first = mnp__layout_place(layout, d, 0);
            indexed[a] = true;
            search->params.rank += first * strides[a];
            if (layout->mesh[a] > 1)
                search->params.rank_stride[k] = (mnp__layout_place(layout, d, 1) - first) * strides[a];
        }
        search->params.parts[k++] = mnp_layout_parts(layout, d);
    }
    search->replicas = 1;
    for (int a = 0; a < layout->mesh_ndim; a++) {
        const int mine = place / strides[a] % layout->mesh[a];
        if (indexed[a])
            continue;
        if (all && !cuts[a] && layout->pin[a] == MNP__REPLICAS) {
            search->mesh[search->nmesh] = layout->mesh[a];
            search->rank_stride[search->nmesh++] = strides[a];
            search->replicas *= layout->mesh[a];
        } else {
            search->params.rank += (layout->pin[a] != MNP__REPLICAS ? layout->pin[a] : mine) * strides[a];
        }
    }
}

/* The cut points of the dimensions that are indexed, on the device. */
static mnp_status send_cuts(const mnp_array *x, unsigned axes, struct search *search)
{
    mnp_ctx *ctx = x->ctx;
    int64_t total = 0;
    for (int k = 0; k < search->params.ndim; k++) {
        search->params.first[k] = total;
        total += search->params.parts[k] + 1;
    }
    MNP_TRY(mnp__malloc((size_t)total * sizeof(int64_t), &search->host_cuts));
    for (int d = 0, k = 0; d < x->layout->ndim; d++) {
        if (!(axes >> d & 1))
            continue;
        const int64_t whole[2] = {0, x->layout->shape[d]};
        const int64_t *cuts = search->params.parts[k] > 1 ? x->layout->cuts[d] : whole;
        memcpy(search->host_cuts + search->params.first[k], cuts, ((size_t)search->params.parts[k] + 1) * sizeof *cuts);
        k++;
    }
    MNP_TRY(alloc(ctx, total, sizeof(int64_t), &search->cuts));
    return ctx->device->ops->copy(ctx->device, search->cuts, search->host_cuts, (size_t)total * sizeof(int64_t),
                                  ctx->compute);
}

static mnp_status prepare(const mnp_array *x, unsigned axes, mnp__route *route, struct search *search)
{
    mnp_ctx *ctx = x->ctx;
    const size_t key = mnp_dtype_size(key_type(ctx));
    MNP_TRY(send_cuts(x, axes, search));
    MNP_TRY(mnp__malloc((size_t)ctx->comm.size * sizeof(int64_t), &search->host_counts));
    MNP_TRY(alloc(ctx, ctx->comm.size, sizeof(int64_t), &search->counts));
    MNP_TRY(alloc(ctx, route->sent, key, &search->keys));
    return alloc(ctx, route->sent, sizeof(int64_t), &route->order);
}

/* Find the owner of every index; among replicas number `replica` of each. */
static mnp_status find(mnp_ctx *ctx, const struct search *search, const int64_t *index, const mnp__route *route,
                       int64_t replica)
{
    mnp_owners_params params = search->params;
    const int64_t key = (int64_t)mnp_dtype_size(key_type(ctx));
    params.task = MNP_OWNERS_FIND;
    params.count = route->count;
    params.index = (const long long *)index;
    params.key = (char *)search->keys + replica * route->count * key;
    params.cuts = (const long long *)search->cuts;
    for (int a = search->nmesh - 1; a >= 0; a--) {
        params.rank += replica % search->mesh[a] * search->rank_stride[a];
        replica /= search->mesh[a];
    }
    return run(ctx, search->kernel, &params);
}

/* Group the indices by their owners, and bring how many there are of each to the CPU. */
static mnp_status group(mnp_ctx *ctx, const struct search *search, const int64_t *index, const mnp__route *route)
{
    const mnp__radix_sort local_sort = {.dtype = key_type(ctx),
                                        .lines = 1,
                                        .length = route->sent,
                                        .keys = search->keys,
                                        .sorted = search->keys,
                                        .payload_size = 8,
                                        .sorted_payload = route->order};
    const mnp_owners_params count = {.task = MNP_OWNERS_COUNT,
                                     .count = ctx->comm.size,
                                     .keys = route->sent,
                                     .key = search->keys,
                                     .number = (long long *)search->counts};
    mnp_status st = MNP_OK;
    for (int64_t replica = 0; replica < search->replicas && st == MNP_OK; replica++)
        st = find(ctx, search, index, route, replica);
    mnp_status sorted =
        mnp__radix_sort_run(ctx, &local_sort); /* also after a failure: loading its kernels is collective */
    MNP_TRY(st);
    MNP_TRY(sorted);
    MNP_TRY(run(ctx, search->kernel, &count));
    MNP_TRY(ctx->device->ops->copy(ctx->device, search->host_counts, search->counts,
                                   (size_t)ctx->comm.size * sizeof(int64_t), ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* ---- sending indices ---- */

static mnp_status send(const mnp_array *x, unsigned axes, const int64_t *index, const struct search *search,
                       mnp__route *route)
{
    mnp_ctx *ctx = x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    int64_t *grouped = NULL;
    mnp_indexed_params pack = {
        .index = route->order, .src = index, .jump = 1, .count = route->count, .mode = MNP_INDEXED_WRAP};
    MNP_TRY(mnp__shuffle_new(ctx, search->host_counts, &route->shuffle));
    route->received = mnp__shuffle_received(route->shuffle);
    mnp_status st = alloc(ctx, route->sent, sizeof(int64_t), &grouped);
    if (st == MNP_OK)
        st = alloc(ctx, route->received, sizeof(int64_t), &route->places);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    pack.dst = grouped;
    mnp__indexed_add(&pack, route->sent, 0, 1, 1);
    MNP_TRY_OR(MNP_AGREE(ctx, mnp__indexed_run(ctx, sizeof(int64_t), &pack)), st, done);
    MNP_TRY_OR(mnp__shuffle_send(route->shuffle, sizeof(int64_t), grouped, route->places), st, done);
    st = MNP_AGREE(ctx, mnp__owners_place(x, axes, route->places, route->received, search->params.mode, route->places));
done:
    ops->free(ctx->device, grouped);
    return st;
}

static mnp_status travel(const mnp_array *x, unsigned axes, const int64_t *index, bool all, struct search *search,
                         mnp__route *route)
{
    mnp_ctx *ctx = x->ctx;
    find_strides(x, axes, all, search);
    route->sent = route->count * search->replicas;
    MNP_TRY(MNP_AGREE(ctx, prepare(x, axes, route, search)));
    MNP_TRY(get_kernel(ctx, &search->kernel));
    MNP_TRY(MNP_AGREE(ctx, group(ctx, search, index, route)));
    return send(x, axes, index, search, route);
}

mnp_status mnp__route_new(const mnp_array *x, unsigned axes, const int64_t *index, int64_t count, int mode, bool all,
                          mnp__route **route_p)
{
    mnp_ctx *ctx = x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    struct search search = {.params = describe(x, axes, mode)};
    mnp__route *route = NULL;
    MNP_TRY(MNP_AGREE(ctx, mnp__calloc(1, sizeof *route, &route)));
    *route = (mnp__route){.ctx = ctx, .count = count};
    mnp_status st = travel(x, axes, index, all, &search, route);
    if (st != MNP_OK)
        (void)mnp__ctx_wait(ctx, ctx->compute); /* copies from and to memory of the CPU, which is freed next */
    ops->free(ctx->device, search.cuts);
    ops->free(ctx->device, search.counts);
    ops->free(ctx->device, search.keys);
    free(search.host_cuts);
    free(search.host_counts);
    if (st == MNP_OK)
        *route_p = route;
    else
        mnp__route_free(route);
    return st;
}

void mnp__route_free(mnp__route *route)
{
    if (!route)
        return;
    mnp__shuffle_free(route->shuffle);
    route->ctx->device->ops->free(route->ctx->device, route->order);
    route->ctx->device->ops->free(route->ctx->device, route->places);
    free(route);
}

/* ---- sending values ---- */

/* Values in the order in which their indices are sent. */
static mnp_status pack(const mnp__route *route, size_t size, int64_t row, const void *values, void *packed)
{
    mnp_indexed_params moved = {.src = values,
                                .dst = packed,
                                .index = route->order,
                                .jump = row,
                                .count = route->count,
                                .mode = MNP_INDEXED_WRAP};
    mnp__indexed_add(&moved, route->sent, 0, row, 1);
    if (row > 1)
        mnp__indexed_add(&moved, row, 1, 1, 0);
    return mnp__indexed_run(route->ctx, size, &moved);
}

mnp_status mnp__route_send(const mnp__route *route, size_t size, int64_t row, const void *values, void **got_p)
{
    mnp_ctx *ctx = route->ctx;
    const size_t bytes = size * (size_t)row;
    void *packed = NULL;
    mnp_status st = alloc(ctx, route->sent, bytes, &packed);
    if (st == MNP_OK)
        st = alloc(ctx, route->received, bytes, got_p);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, pack(route, size, row, values, packed)), st, done);
    st = mnp__shuffle_send(route->shuffle, bytes, packed, *got_p);
done:
    ctx->device->ops->free(ctx->device, packed);
    return st;
}
