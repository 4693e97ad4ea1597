/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing layouts. */
#include "layout/layout.h"

#include "base/hash.h"
#include "base/status.h"

uint64_t mnp__layout_hash(const mnp_layout *layout)
{
    uint64_t hash = mnp__hash(MNP__HASH_START, layout->mesh, sizeof layout->mesh);
    hash = mnp__hash(hash, layout->pin, sizeof layout->pin);
    hash = mnp__hash(hash, layout->shape, sizeof layout->shape);
    hash = mnp__hash(hash, layout->axes, (size_t)layout->ndim * sizeof *layout->axes);
    hash = mnp__hash(hash, layout->reversed, sizeof layout->reversed);
    hash = mnp__hash(hash, layout->blocks, sizeof layout->blocks);
    hash = mnp__hash(hash, layout->order, sizeof layout->order);
    for (int d = 0; d < layout->ndim; d++)
        hash = mnp__hash(hash, layout->cuts[d], ((size_t)mnp_layout_parts(layout, d) + 1) * sizeof *layout->cuts[d]);
    return hash;
}

/*
 * Whether meshes and cuts are the same.  This is quick to find, but layouts can be equal without it.  Most dimensions
 * are few, for which loops take less time than calls of memcmp().
 */
static bool same_cutting(const mnp_layout *a, const mnp_layout *b)
{
    if (a->mesh_ndim != b->mesh_ndim)
        return false;
    for (int m = 0; m < a->mesh_ndim; m++) {
        if (a->mesh[m] != b->mesh[m] || a->pin[m] != b->pin[m])
            return false;
    }
    for (int d = 0; d < a->ndim; d++) {
        if (a->axes[d] != b->axes[d] || a->blocks[d] != b->blocks[d] || a->reversed[d] != b->reversed[d])
            return false;
    }
    for (int d = 0; d < a->ndim; d++) {
        const int parts = a->axes[d] == MNP_NO_AXIS ? 1 : a->mesh[a->axes[d]]; /* mnp_layout_parts() checks more */
        for (int i = 0; i <= parts; i++) {
            if (a->cuts[d][i] != b->cuts[d][i])
                return false;
        }
    }
    return true;
}

/* Whether a rank, which owns elements in both layouts, has the same indices of dimension d in both. */
static bool same_runs(const mnp_layout *a, const mnp_layout *b, int d, int rank)
{
    mnp__part_runs x = mnp__layout_runs(a, d, mnp__layout_part(a, d, rank));
    mnp__part_runs y = mnp__layout_runs(b, d, mnp__layout_part(b, d, rank));
    return x.first == y.first && x.count == y.count && x.length == y.length && x.period == y.period;
}

/* Compare what each rank owns, because parts may be numbered by different meshes. */
static bool same_elements(const mnp_layout *a, const mnp_layout *b)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    for (int rank = 0; rank < a->nranks; rank++) {
        bool any = mnp__layout_box(a, rank, lo, extent);
        if (any != mnp__layout_box(b, rank, lo, extent))
            return false;
        for (int d = 0; any && d < a->ndim; d++) {
            if (!same_runs(a, b, d, rank))
                return false;
        }
    }
    return true;
}

bool mnp_layout_equal(const mnp_layout *a, const mnp_layout *b)
{
    MNP_NEED_OR(false, a);
    MNP_NEED_OR(false, b);
    return a == b ||
           (a->nranks == b->nranks && mnp__layout_same_shape(a, b) && (same_cutting(a, b) || same_elements(a, b)));
}
