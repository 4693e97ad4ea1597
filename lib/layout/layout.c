/*
 * Layouts: which rank owns which box.  Cut points are kept for each dimension apart, so a layout costs memory in
 * proportion to the ranks along an axis, not to all ranks.
 */
#include "layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
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

mnp_status mnp__layout_check_shape(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    if (ndim < 0 || ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "ndim is %d, outside 0..%d", ndim, MNP_MAX_DIMS);
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "shape[%d] is %" PRId64 ", negative", d, shape[d]);
        if (shape[d] > 0 && size > INT64_MAX / 16 / shape[d]) /* bytes must fit as well */
            return MNP_FAIL(MNP_ERR_ARG, "an array of this shape has too many elements for 64-bit sizes");
        size *= shape[d] > 0 ? shape[d] : 1;
    }
    return MNP_OK;
}

static mnp_status check_axes(int mesh_ndim, int ndim, const int *axes)
{
    for (int d = 0; d < ndim; d++) {
        if (axes[d] != MNP_NO_AXIS && (axes[d] < 0 || axes[d] >= mesh_ndim))
            return MNP_FAIL(MNP_ERR_ARG, "axes[%d] is %d, and the mesh has axes 0..%d", d, axes[d], mesh_ndim - 1);
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
        return MNP_FAIL(MNP_ERR_ARG, "the cuts of dimension %d go from %" PRId64 " to %" PRId64 ", not from 0 to %" PRId64,
                        dim, cuts[0], cuts[parts], extent);
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
        cuts[i] = i * each + (i < longer ? i : longer);
}

/* All arguments but cuts have been checked. */
static mnp_status make(int mesh_ndim, const int *mesh, const int *pin, int ndim, const mnp__layout_dim *dims,
                       mnp_layout **layout_p)
{
    mnp_layout *layout = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__calloc(1, sizeof *layout, &layout));
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
        int parts = mnp_layout_parts(layout, d);
        MNP_TRY_OR(mnp__calloc((size_t)parts + 1, sizeof(int64_t), &layout->cuts[d]), st, fail);
        if (dims[d].cuts) {
            MNP_TRY_OR(check_cuts(d, dims[d].extent, parts, dims[d].cuts), st, fail);
            memcpy(layout->cuts[d], dims[d].cuts, ((size_t)parts + 1) * sizeof(int64_t));
        } else {
            even_cuts(dims[d].extent, parts, layout->cuts[d]);
        }
    }
    *layout_p = layout;
    return MNP_OK;
fail:
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_layout_new(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape, const int *axes,
                          const int64_t *const *cuts, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    MNP_TRY(check_mesh(mesh_ndim, mesh));
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    MNP_TRY(check_axes(mesh_ndim, ndim, axes));
    for (int d = 0; d < ndim; d++)
        dims[d] = (mnp__layout_dim){.extent = shape[d], .axis = axes[d], .cuts = cuts ? cuts[d] : NULL};
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
    return (mnp__layout_dim){.extent = layout->shape[dim], .axis = layout->axes[dim], .cuts = layout->cuts[dim],
                             .reversed = layout->reversed[dim]};
}

mnp__layout_dim mnp__layout_dim_whole(int64_t extent)
{
    return (mnp__layout_dim){.extent = extent, .axis = MNP_NO_AXIS};
}

/* Dimensions of that shape that nothing cuts. */
static void uncut(int ndim, const int64_t *shape, mnp__layout_dim *dims)
{
    for (int d = 0; d < ndim; d++)
        dims[d] = mnp__layout_dim_whole(shape[d]);
}

mnp_status mnp_layout_replicated(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    MNP_TRY(check_mesh(1, &nranks));
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    uncut(ndim, shape, dims);
    return make(1, &nranks, NULL, ndim, dims, layout_p);
}

mnp_status mnp_layout_on_root(int nranks, int root, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    if (root < 0 || root >= nranks)
        return MNP_FAIL(MNP_ERR_ARG, "root is %d, and the ranks are 0..%d", root, nranks - 1);
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    uncut(ndim, shape, dims);
    return make(1, &nranks, &root, ndim, dims, layout_p);
}

mnp_status mnp_layout_like(const mnp_layout *layout, const int64_t *shape, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++) {
        dims[d] = mnp__layout_dim_of(layout, d);
        dims[d].extent = shape[d];
        dims[d].cuts = NULL;
    }
    return mnp__layout_derive(layout, layout->ndim, dims, layout_p);
}

mnp_layout *mnp_layout_retain(const mnp_layout *layout)
{
    mnp_layout *shared = (mnp_layout *)layout; /* immutable but for its count */
    atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void mnp_layout_free(mnp_layout *layout)
{
    if (!layout || atomic_fetch_sub(&layout->owners, 1) != 1)
        return;
    for (int d = 0; d < layout->ndim; d++)
        free(layout->cuts[d]);
    free(layout);
}

int mnp_layout_nranks(const mnp_layout *layout)
{
    return layout->nranks;
}

int mnp_layout_ndim(const mnp_layout *layout)
{
    return layout->ndim;
}

const int64_t *mnp_layout_shape(const mnp_layout *layout)
{
    return layout->shape;
}

int64_t mnp_layout_size(const mnp_layout *layout)
{
    return layout->size;
}

int mnp_layout_parts(const mnp_layout *layout, int dim)
{
    return layout->axes[dim] == MNP_NO_AXIS ? 1 : layout->mesh[layout->axes[dim]];
}

const int64_t *mnp_layout_cuts(const mnp_layout *layout, int dim)
{
    return layout->cuts[dim];
}

/* The place of `rank` along a mesh axis; the last axis is the fastest. */
static int coordinate(const mnp_layout *layout, int axis, int rank)
{
    for (int a = layout->mesh_ndim - 1; a > axis; a--)
        rank /= layout->mesh[a];
    return rank % layout->mesh[axis];
}

/* Whether `rank` is at all pinned places. */
static bool at_pins(const mnp_layout *layout, int rank)
{
    for (int a = 0; a < layout->mesh_ndim; a++) {
        if (layout->pin[a] != MNP__REPLICAS && coordinate(layout, a, rank) != layout->pin[a])
            return false;
    }
    return true;
}

int mnp__layout_place(const mnp_layout *layout, int dim, int part)
{
    return layout->reversed[dim] ? mnp_layout_parts(layout, dim) - 1 - part : part;
}

int mnp__layout_part(const mnp_layout *layout, int dim, int rank)
{
    if (layout->axes[dim] == MNP_NO_AXIS)
        return 0;
    return mnp__layout_place(layout, dim, coordinate(layout, layout->axes[dim], rank)); /* the map is its own inverse */
}

bool mnp__layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent)
{
    bool there = at_pins(layout, rank), any = there;
    for (int d = 0; d < layout->ndim; d++) {
        const int64_t *cut = layout->cuts[d] + mnp__layout_part(layout, d, rank);
        lo[d] = there ? cut[0] : 0;
        extent[d] = there ? cut[1] - cut[0] : 0;
        any = any && extent[d] > 0;
    }
    return any;
}

void mnp_layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent)
{
    mnp__layout_box(layout, rank, lo, extent);
}

int mnp__layout_find(const mnp_layout *layout, int dim, int64_t index)
{
    const int64_t *cuts = layout->cuts[dim];
    int low = 0, high = mnp_layout_parts(layout, dim); /* cuts[low] <= index < cuts[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (cuts[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int mnp__layout_source(const mnp_layout *layout, const int *parts, int receiver)
{
    int rank = 0;
    for (int a = 0; a < layout->mesh_ndim; a++) {
        int place = layout->pin[a] == MNP__REPLICAS ? coordinate(layout, a, receiver) : layout->pin[a];
        for (int d = 0; d < layout->ndim; d++) {
            if (layout->axes[d] == a)
                place = mnp__layout_place(layout, d, parts[d]);
        }
        rank = rank * layout->mesh[a] + place;
    }
    return rank;
}

int mnp_layout_owner(const mnp_layout *layout, const int64_t *index)
{
    int parts[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++)
        parts[d] = mnp__layout_find(layout, d, index[d]);
    return mnp__layout_source(layout, parts, 0);
}

uint64_t mnp__layout_hash(const mnp_layout *layout)
{
    uint64_t hash = mnp__hash(MNP__HASH_START, layout->mesh, sizeof layout->mesh);
    hash = mnp__hash(hash, layout->pin, sizeof layout->pin);
    hash = mnp__hash(hash, layout->shape, sizeof layout->shape);
    hash = mnp__hash(hash, layout->axes, (size_t)layout->ndim * sizeof *layout->axes);
    hash = mnp__hash(hash, layout->reversed, sizeof layout->reversed);
    for (int d = 0; d < layout->ndim; d++)
        hash = mnp__hash(hash, layout->cuts[d], ((size_t)mnp_layout_parts(layout, d) + 1) * sizeof *layout->cuts[d]);
    return hash;
}

/* Whether meshes and cuts are the same: quickly told, but there are other ways to be equal. */
static bool same_cutting(const mnp_layout *a, const mnp_layout *b)
{
    size_t mesh = (size_t)a->mesh_ndim * sizeof *a->mesh, ndim = (size_t)a->ndim;
    if (a->mesh_ndim != b->mesh_ndim || memcmp(a->mesh, b->mesh, mesh) != 0 || memcmp(a->pin, b->pin, mesh) != 0 ||
        memcmp(a->axes, b->axes, ndim * sizeof *a->axes) != 0 ||
        memcmp(a->reversed, b->reversed, ndim * sizeof *a->reversed) != 0)
        return false;
    for (int d = 0; d < a->ndim; d++) {
        if (memcmp(a->cuts[d], b->cuts[d], ((size_t)mnp_layout_parts(a, d) + 1) * sizeof(int64_t)) != 0)
            return false;
    }
    return true;
}

/* Parts may be numbered by other meshes, so compare what each rank owns. */
static bool same_boxes(const mnp_layout *a, const mnp_layout *b)
{
    int64_t lo[2][MNP_MAX_DIMS], extent[2][MNP_MAX_DIMS];
    size_t bytes = (size_t)a->ndim * sizeof(int64_t);
    for (int rank = 0; rank < a->nranks; rank++) {
        bool any = mnp__layout_box(a, rank, lo[0], extent[0]);
        if (any != mnp__layout_box(b, rank, lo[1], extent[1]))
            return false;
        if (any && (memcmp(lo[0], lo[1], bytes) != 0 || memcmp(extent[0], extent[1], bytes) != 0))
            return false;
    }
    return true;
}

bool mnp_layout_equal(const mnp_layout *a, const mnp_layout *b)
{
    if (a == b)
        return true;
    return a->ndim == b->ndim && a->nranks == b->nranks &&
           memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0 &&
           (same_cutting(a, b) || same_boxes(a, b));
}
