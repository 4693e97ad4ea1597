/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making layouts, and their properties.  Cut points are stored for each dimension, so a layout's memory is proportional
 * to the ranks along an axis, not to all ranks.
 */
#include "layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"

static mnp_status check_mesh(int mesh_ndim, const int *mesh)
{
    int64_t nranks = 1;
    if (mesh_ndim < 1 || mesh_ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "a mesh has %d axes, outside 1..%d", mesh_ndim, MNP_MAX_DIMS);
    for (int a = 0; a < mesh_ndim; a++) {
        if (mesh[a] < 1)
            return MNP_FAIL(MNP_ERR_ARG, "mesh[%d] is %d, below 1", a, mesh[a]);
        nranks *= mesh[a];
        if (nranks > INT32_MAX)
            return MNP_FAIL(MNP_ERR_ARG, "the mesh has more than %d ranks", INT32_MAX);
    }
    return MNP_OK;
}

bool mnp__layout_has_shape(const mnp_layout *layout, int ndim, const int64_t *shape)
{
    return layout->ndim == ndim && memcmp(layout->shape, shape, (size_t)ndim * sizeof *shape) == 0;
}

bool mnp__layout_same_shape(const mnp_layout *a, const mnp_layout *b)
{
    return mnp__layout_has_shape(a, b->ndim, b->shape);
}

mnp_status mnp__layout_check_shape(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    if (ndim < 0 || ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "ndim is %d, outside 0..%d", ndim, MNP_MAX_DIMS);
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "shape[%d] is %" PRId64 ", negative", d, shape[d]);
        if (shape[d] > 0 && size > INT64_MAX / 16 / shape[d]) /* 16: the size in bytes must fit too */
            return MNP_FAIL(MNP_ERR_ARG, "an array of this shape has too many elements for 64-bit sizes");
        size *= shape[d] > 0 ? shape[d] : 1;
    }
    return MNP_OK;
}

static mnp_status check_axes(int mesh_ndim, int ndim, const int *axes)
{
    for (int d = 0; d < ndim; d++) {
        if (axes[d] != MNP_NO_AXIS && (axes[d] < 0 || axes[d] >= mesh_ndim))
            return MNP_FAIL(MNP_ERR_ARG, "dimension %d is to be cut by mesh axis %d, and the mesh has the axes 0 to %d",
                            d, axes[d], mesh_ndim - 1);
        for (int e = 0; e < d; e++) {
            if (axes[d] != MNP_NO_AXIS && axes[e] == axes[d])
                return MNP_FAIL(MNP_ERR_ARG, "mesh axis %d cuts both dimension %d and dimension %d", axes[d], e, d);
        }
    }
    return MNP_OK;
}

static mnp_status check_cuts(int dim, int64_t extent, int parts, const int64_t *cuts)
{
    if (cuts[0] != 0 || cuts[parts] != extent)
        return MNP_FAIL(MNP_ERR_ARG,
                        "the cuts of dimension %d go from %" PRId64 " to %" PRId64 ", not from 0 to %" PRId64, dim,
                        cuts[0], cuts[parts], extent);
    for (int i = 0; i < parts; i++) {
        if (cuts[i] > cuts[i + 1])
            return MNP_FAIL(MNP_ERR_ARG, "cut %d of dimension %d is %" PRId64 ", above the next one, %" PRId64, i, dim,
                            cuts[i], cuts[i + 1]);
    }
    return MNP_OK;
}

static void even_cuts(int64_t extent, int parts, int64_t *cuts)
{
    int64_t each = extent / parts, longer = extent % parts;
    for (int i = 0; i <= parts; i++)
        cuts[i] = i * each + mnp__min(i, longer);
}

/*
 * Cut points of a block-cyclic dimension: the cuts of contiguous parts with as many elements.  Block b belongs to part
 * b % parts, and the last block may be shorter (NUMROC in ScaLAPACK's TOOLS).
 */
static void cyclic_cuts(int64_t extent, int64_t block, int parts, int64_t *cuts)
{
    int64_t whole = extent / block;
    cuts[0] = 0;
    for (int i = 0; i < parts; i++) {
        int64_t last = i < whole % parts ? block : i == whole % parts ? extent % block : 0;
        cuts[i + 1] = cuts[i] + whole / parts * block + last;
    }
}

/* Cut points if every part is one block; the last blocks may be shorter or empty. */
static void block_cuts(int64_t extent, int64_t block, int parts, int64_t *cuts)
{
    for (int i = 0; i <= parts; i++)
        cuts[i] = i == parts || extent / block < i ? extent : i * block;
}

/* Set the cuts of dimension d, whose extent and axis are set.  With one block for each part it is not block-cyclic. */
static mnp_status cut(mnp_layout *layout, int d, const mnp__layout_dim *dim)
{
    int parts = mnp_layout_parts(layout, d);
    int64_t extent = dim->extent;
    MNP_TRY(mnp__calloc((size_t)parts + 1, sizeof(int64_t), &layout->cuts[d]));
    if (dim->block > 0 && dim->block < mnp__divide_up(extent, parts) && parts > 1) {
        layout->blocks[d] = dim->block;
        cyclic_cuts(extent, dim->block, parts, layout->cuts[d]);
    } else if (dim->block > 0) {
        block_cuts(extent, dim->block, parts, layout->cuts[d]);
    } else if (dim->cuts) {
        MNP_TRY(check_cuts(d, extent, parts, dim->cuts));
        memcpy(layout->cuts[d], dim->cuts, ((size_t)parts + 1) * sizeof(int64_t));
    } else {
        even_cuts(extent, parts, layout->cuts[d]);
    }
    return MNP_OK;
}

/* Make a layout.  All arguments except the cuts have been checked. */
static mnp_status make(int mesh_ndim, const int *mesh, const int *pin, int ndim, const mnp__layout_dim *dims,
                       mnp_layout **layout_p)
{
    mnp_layout *layout = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__calloc(1, sizeof *layout, &layout));
    layout->tag = MNP__TAG_layout;
    atomic_init(&layout->owners, 1);
    layout->mesh_ndim = mesh_ndim;
    layout->nranks = 1;
    for (int a = 0; a < mesh_ndim; a++) {
        layout->mesh[a] = mesh[a];
        layout->pin[a] = pin ? pin[a] : MNP__REPLICAS;
        layout->nranks *= mesh[a];
    }
    layout->ndim = ndim;
    layout->size = 1;
    for (int d = 0; d < ndim; d++) {
        layout->shape[d] = dims[d].extent;
        layout->size *= dims[d].extent;
        layout->axes[d] = dims[d].axis;
        layout->reversed[d] = dims[d].reversed;
        layout->order[d] = d;
        MNP_TRY_OR(cut(layout, d, &dims[d]), st, fail);
    }
    if (mnp__objects_are_listed())
        mnp__objects_add_layout(layout);
    *layout_p = layout;
    return MNP_OK;
fail:
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_layout_new(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape, const int *axes,
                          const int64_t *const *cuts, mnp_layout **layout_p)
{
    MNP_ENTER(mesh, layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    MNP_NEED_IF(ndim > 0, axes);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    MNP_TRY(check_mesh(mesh_ndim, mesh));
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    MNP_TRY(check_axes(mesh_ndim, ndim, axes));
    for (int d = 0; d < ndim; d++)
        dims[d] = (mnp__layout_dim){.extent = shape[d], .axis = axes[d], .cuts = cuts ? cuts[d] : NULL};
    return make(mesh_ndim, mesh, NULL, ndim, dims, layout_p);
}

mnp_status mnp_layout_new_cyclic(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape, const int *axes,
                                 const int64_t *blocks, mnp_layout **layout_p)
{
    MNP_ENTER(mesh, layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    MNP_NEED_IF(ndim > 0, axes);
    MNP_NEED_IF(ndim > 0, blocks);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    MNP_TRY(check_mesh(mesh_ndim, mesh));
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    MNP_TRY(check_axes(mesh_ndim, ndim, axes));
    for (int d = 0; d < ndim; d++) {
        if (blocks[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "blocks[%d] is %" PRId64 ", negative", d, blocks[d]);
        dims[d] = (mnp__layout_dim){.extent = shape[d], .axis = axes[d], .block = blocks[d]};
    }
    return make(mesh_ndim, mesh, NULL, ndim, dims, layout_p);
}

mnp_status mnp__layout_derive_pinned(const mnp_layout *layout, const int *pin, int ndim, const mnp__layout_dim *dims,
                                     mnp_layout **derived_p)
{
    int64_t shape[MNP_MAX_DIMS];
    for (int d = 0; d < ndim && d < MNP_MAX_DIMS; d++)
        shape[d] = dims[d].extent;
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    return make(layout->mesh_ndim, layout->mesh, pin, ndim, dims, derived_p);
}

mnp_status mnp__layout_derive(const mnp_layout *layout, int ndim, const mnp__layout_dim *dims, mnp_layout **derived_p)
{
    return mnp__layout_derive_pinned(layout, layout->pin, ndim, dims, derived_p);
}

mnp__layout_dim mnp__layout_dim_of(const mnp_layout *layout, int dim)
{
    return (mnp__layout_dim){.extent = layout->shape[dim],
                             .axis = layout->axes[dim],
                             .cuts = layout->cuts[dim],
                             .block = layout->blocks[dim],
                             .reversed = layout->reversed[dim]};
}

mnp__layout_dim mnp__layout_dim_whole(int64_t extent)
{
    return (mnp__layout_dim){.extent = extent, .axis = MNP_NO_AXIS};
}

/* Dimensions of that shape that are not cut. */
static void uncut(int ndim, const int64_t *shape, mnp__layout_dim *dims)
{
    for (int d = 0; d < ndim; d++)
        dims[d] = mnp__layout_dim_whole(shape[d]);
}

mnp_status mnp_layout_replicated(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    MNP_ENTER(layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    MNP_TRY(check_mesh(1, &nranks));
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    uncut(ndim, shape, dims);
    return make(1, &nranks, NULL, ndim, dims, layout_p);
}

mnp_status mnp_layout_on_root(int nranks, int root, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    MNP_ENTER(layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    if (root < 0 || root >= nranks)
        return MNP_FAIL(MNP_ERR_ARG, "root is %d, and the ranks are 0..%d", root, nranks - 1);
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    uncut(ndim, shape, dims);
    return make(1, &nranks, &root, ndim, dims, layout_p);
}

mnp_status mnp__layout_uncut(int nranks, int ndim, const int64_t *shape, unsigned set, mnp_layout **layout_p)
{
    int64_t others[MNP_MAX_DIMS];
    int axes[MNP_MAX_DIMS], count = 0;
    mnp_layout *block;
    for (int d = 0; d < ndim; d++) {
        axes[d] = set >> d & 1 ? MNP_NO_AXIS : count;
        if (axes[d] != MNP_NO_AXIS)
            others[count++] = shape[d];
    }
    if (count == 0)
        return mnp_layout_on_root(nranks, 0, ndim, shape, layout_p);
    MNP_TRY(mnp_layout_block(nranks, count, others, &block));
    const mnp_status st = mnp_layout_new(count, block->mesh, ndim, shape, axes, NULL, layout_p);
    mnp_layout_free(block);
    return st;
}

mnp_status mnp_layout_like(const mnp_layout *layout, const int64_t *shape, mnp_layout **layout_p)
{
    MNP_ENTER(layout, layout_p);
    MNP_NEED_IF(layout->ndim > 0, shape);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++) {
        dims[d] = mnp__layout_dim_of(layout, d);
        dims[d].extent = shape[d];
        dims[d].cuts = NULL;
    }
    MNP_TRY(mnp__layout_derive(layout, layout->ndim, dims, layout_p));
    memcpy((*layout_p)->order, layout->order, sizeof layout->order);
    return MNP_OK;
}

mnp_status mnp_layout_with_order(const mnp_layout *layout, const int *order, mnp_layout **layout_p)
{
    MNP_ENTER(layout, layout_p);
    MNP_NEED_IF(layout->ndim > 0, order);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    bool given[MNP_MAX_DIMS] = {false};
    for (int i = 0; i < layout->ndim; i++) {
        if (order[i] < 0 || order[i] >= layout->ndim || given[order[i]])
            return MNP_FAIL(MNP_ERR_ARG,
                            "place %d of the order has dimension %d, and each of the %d dimensions must be there once",
                            i, order[i], layout->ndim);
        given[order[i]] = true;
        dims[i] = mnp__layout_dim_of(layout, i);
    }
    if (memcmp(order, layout->order, (size_t)layout->ndim * sizeof *order) == 0) {
        *layout_p = mnp_layout_retain(layout);
        return MNP_OK;
    }
    MNP_TRY(mnp__layout_derive(layout, layout->ndim, dims, layout_p));
    memcpy((*layout_p)->order, order, (size_t)layout->ndim * sizeof *order);
    return MNP_OK;
}

bool mnp__layout_order_is_c(const mnp_layout *layout)
{
    for (int i = 0; i < layout->ndim; i++) {
        if (layout->order[i] != i)
            return false;
    }
    return true;
}

mnp_status mnp__layout_in_c_order(const mnp_layout *layout, mnp_layout **layout_p)
{
    static const int order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    _Static_assert(sizeof order / sizeof *order == MNP_MAX_DIMS, "every dimension has its place");
    return mnp_layout_with_order(layout, order, layout_p);
}

mnp_status mnp__layout_in_blocks(const mnp_layout *layout, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++) {
        dims[d] = mnp__layout_dim_of(layout, d);
        if (dims[d].block > 0)
            dims[d] = (mnp__layout_dim){.extent = dims[d].extent, .axis = dims[d].axis};
    }
    MNP_TRY(mnp__layout_derive(layout, layout->ndim, dims, layout_p));
    memcpy((*layout_p)->order, layout->order, sizeof layout->order);
    return MNP_OK;
}

void mnp__layout_keep_order(mnp_layout *derived, const mnp_layout *from, const int *dims)
{
    int next = 0;
    if (mnp__layout_order_is_c(from))
        return;
    for (int d = 0; d < derived->ndim; d++) {
        if (dims[d] < 0)
            derived->order[next++] = d;
    }
    for (int i = 0; i < from->ndim; i++) {
        for (int d = 0; d < derived->ndim; d++) {
            if (dims[d] == from->order[i])
                derived->order[next++] = d;
        }
    }
}

mnp_layout *mnp_layout_retain(const mnp_layout *layout)
{
    MNP_NEED_OR(NULL, layout);
    mnp_layout *shared = (mnp_layout *)layout; /* immutable, except for its reference count */
    if (mnp__objects_are_listed())
        mnp__objects_retain_layout(layout);
    atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void mnp_layout_free(mnp_layout *layout)
{
    if (!layout)
        return;
    MNP_NEED_OR(, layout);
    if (mnp__objects_are_listed())
        mnp__objects_release_layout(layout);
    if (atomic_fetch_sub(&layout->owners, 1) != 1)
        return;
    for (int d = 0; d < layout->ndim; d++)
        free(layout->cuts[d]);
    if (mnp__objects_are_listed())
        mnp__objects_remove(layout);
    mnp__object_free(layout);
}

int mnp_layout_nranks(const mnp_layout *layout)
{
    MNP_NEED_OR(-1, layout);
    return layout->nranks;
}

int mnp_layout_ndim(const mnp_layout *layout)
{
    MNP_NEED_OR(-1, layout);
    return layout->ndim;
}

const int64_t *mnp_layout_shape(const mnp_layout *layout)
{
    MNP_NEED_OR(NULL, layout);
    return layout->shape;
}

int64_t mnp_layout_size(const mnp_layout *layout)
{
    MNP_NEED_OR(-1, layout);
    return layout->size;
}

int mnp_layout_parts(const mnp_layout *layout, int dim)
{
    MNP_NEED_OR(-1, layout);
    return layout->axes[dim] == MNP_NO_AXIS ? 1 : layout->mesh[layout->axes[dim]];
}

const int64_t *mnp_layout_cuts(const mnp_layout *layout, int dim)
{
    MNP_NEED_OR(NULL, layout);
    return layout->cuts[dim];
}

const int *mnp_layout_order(const mnp_layout *layout)
{
    MNP_NEED_OR(NULL, layout);
    return layout->order;
}

int64_t mnp_layout_block_size(const mnp_layout *layout, int dim)
{
    MNP_NEED_OR(-1, layout);
    return layout->blocks[dim];
}

bool mnp_layout_is_cyclic(const mnp_layout *layout)
{
    MNP_NEED_OR(false, layout);
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->blocks[d] > 0)
            return true;
    }
    return false;
}

bool mnp__layout_is_spread(const mnp_layout *layout)
{
    int parts = 1;
    for (int d = 0; d < layout->ndim; d++)
        parts *= mnp_layout_parts(layout, d);
    return parts == layout->nranks;
}

mnp_status mnp__layout_line(int nranks, int ndim, const int64_t *shape, const int64_t *cuts, mnp_layout **layout_p)
{
    int axes[MNP_MAX_DIMS];
    const int64_t *all_cuts[MNP_MAX_DIMS] = {cuts};
    for (int d = 0; d < ndim; d++)
        axes[d] = d == 0 ? 0 : MNP_NO_AXIS;
    return mnp_layout_new(1, &nranks, ndim, shape, axes, all_cuts, layout_p);
}
