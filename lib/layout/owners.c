/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ownership: conversions between ranks, parts and indices.
 *
 * A rank has one coordinate along every mesh axis, and so owns one part of every dimension.  The indices of a part form
 * runs at equal distances: one run if the dimension is cut, one for each block if it is block-cyclic.
 */
#include "layout/layout.h"

#include "base/integer.h"
#include "base/status.h"

/* The coordinate of `rank` along a mesh axis; the last axis is the fastest. */
static int coordinate(const mnp_layout *layout, int axis, int rank)
{
    for (int a = layout->mesh_ndim - 1; a > axis; a--)
        rank /= layout->mesh[a];
    return rank % layout->mesh[axis];
}

/* Whether `rank` has the pinned coordinate of every pinned axis. */
static bool at_pins(const mnp_layout *layout, int rank)
{
    for (int a = 0; a < layout->mesh_ndim; a++) {
        if (layout->pin[a] != MNP__REPLICAS && coordinate(layout, a, rank) != layout->pin[a])
            return false;
    }
    return true;
}

int64_t mnp__layout_largest(const mnp_layout *layout)
{
    int64_t size = 1;
    for (int d = 0; d < layout->ndim; d++) {
        int64_t longest = 0;
        for (int part = 0; part < mnp_layout_parts(layout, d); part++) {
            int64_t count = layout->cuts[d][part + 1] - layout->cuts[d][part];
            longest = mnp__max(count, longest);
        }
        size *= longest;
    }
    return size;
}

int mnp__layout_sharers(const mnp_layout *layout)
{
    int sharers = 1;
    for (int a = 0; a < layout->mesh_ndim; a++) {
        bool cuts = layout->pin[a] != MNP__REPLICAS;
        for (int d = 0; d < layout->ndim; d++)
            cuts = cuts || layout->axes[d] == a;
        sharers *= cuts ? layout->mesh[a] : 1;
    }
    return sharers;
}

int mnp__layout_place(const mnp_layout *layout, int dim, int part)
{
    return layout->reversed[dim] ? mnp_layout_parts(layout, dim) - 1 - part : part;
}

int mnp__layout_part(const mnp_layout *layout, int dim, int rank)
{
    if (layout->axes[dim] == MNP_NO_AXIS)
        return 0;
    return mnp__layout_place(layout, dim,
                             coordinate(layout, layout->axes[dim], rank)); /* the mapping is its own inverse */
}

mnp__part_runs mnp__layout_runs(const mnp_layout *layout, int dim, int part)
{
    const int64_t *cut = layout->cuts[dim] + part;
    int64_t block = layout->blocks[dim], count = cut[1] - cut[0];
    if (block == 0)
        return (mnp__part_runs){.first = cut[0], .count = count, .length = count};
    if (count <= block)
        return (mnp__part_runs){.first = part * block, .count = count, .length = count};
    return (mnp__part_runs){
        .first = part * block, .count = count, .length = block, .period = block * mnp_layout_parts(layout, dim)};
}

/* The index of element number `at` of a part, which must have that many. */
static int64_t index_of(const mnp__part_runs *runs, int64_t at)
{
    return runs->first + at / runs->length * runs->period + at % runs->length;
}

bool mnp__layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent)
{
    bool there = at_pins(layout, rank), any = there;
    for (int d = 0; d < layout->ndim; d++) {
        mnp__part_runs runs = mnp__layout_runs(layout, d, mnp__layout_part(layout, d, rank));
        lo[d] = there ? runs.first : 0;
        extent[d] = there && runs.count > 0 ? index_of(&runs, runs.count - 1) + 1 - runs.first : 0;
        any = any && extent[d] > 0;
    }
    return any;
}

void mnp_layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent)
{
    MNP_NEED_OR(, layout);
    if (layout->ndim > 0)
        MNP_NEED_OR(, lo);
    if (layout->ndim > 0)
        MNP_NEED_OR(, extent);
    mnp__layout_box(layout, rank, lo, extent);
}

void mnp_layout_local_shape(const mnp_layout *layout, int rank, int64_t *shape)
{
    MNP_NEED_OR(, layout);
    if (layout->ndim > 0)
        MNP_NEED_OR(, shape);
    bool there = at_pins(layout, rank);
    for (int d = 0; d < layout->ndim; d++) {
        const int64_t *cut = layout->cuts[d] + mnp__layout_part(layout, d, rank);
        shape[d] = there ? cut[1] - cut[0] : 0;
    }
}

int64_t mnp_layout_global(const mnp_layout *layout, int dim, int rank, int64_t local)
{
    MNP_NEED_OR(-1, layout);
    mnp__part_runs runs = mnp__layout_runs(layout, dim, mnp__layout_part(layout, dim, rank));
    if (!at_pins(layout, rank) || local < 0 || local >= runs.count)
        return -1;
    return index_of(&runs, local);
}

int64_t mnp_layout_local(const mnp_layout *layout, int dim, int rank, int64_t index)
{
    MNP_NEED_OR(-1, layout);
    mnp__part_runs runs = mnp__layout_runs(layout, dim, mnp__layout_part(layout, dim, rank));
    int64_t beyond = index - runs.first;
    if (!at_pins(layout, rank) || beyond < 0)
        return -1;
    int64_t run = runs.period > 0 ? beyond / runs.period : 0, in = beyond - run * runs.period;
    int64_t local = run * runs.length + in;
    return in < runs.length && local < runs.count ? local : -1;
}

int mnp__layout_find(const mnp_layout *layout, int dim, int64_t index)
{
    const int64_t *cuts = layout->cuts[dim];
    int low = 0, high = mnp_layout_parts(layout, dim); /* cuts[low] <= index < cuts[high] */
    if (layout->blocks[dim] > 0)
        return (int)(index / layout->blocks[dim] % high);
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
    MNP_NEED_OR(-1, layout);
    if (layout->ndim > 0)
        MNP_NEED_OR(-1, index);
    int parts[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++)
        parts[d] = mnp__layout_find(layout, d, index[d]);
    return mnp__layout_source(layout, parts, 0);
}
