/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments: which part has the elements of a dimension that is extended beyond its ends by a boundary condition.
 *
 * All boundary conditions are periodic or constant.  One period of the extended dimension is a forward run over all
 * elements (wrap, symm, mirror), followed by a backward run (symm: over all elements; mirror: over all but the first
 * and last).  Each run is then cut where parts end, or where their blocks end if the dimension is block-cyclic.
 */
#include <stdlib.h>

#include "base/integer.h"
#include "base/status.h"
#include "layout/layout.h"

struct list {
    mnp__segment *items;
    int count, capacity;
};

static mnp_status append(struct list *list, mnp__segment segment)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 8;
        mnp__segment *items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (!items)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for %d segments of a layout", capacity);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = segment;
    return MNP_OK;
}

/* The longest run that starts at extended index `at` and ends before `hi`, regardless of parts. */
static mnp__segment run_at(int64_t extent, mnp_boundary boundary, int64_t at, int64_t hi)
{
    bool inside = at >= 0 && at < extent;
    if (inside)
        return (mnp__segment){.lo = at, .count = mnp__min(hi, extent) - at, .first = at, .step = 1};

    int64_t outside = at < 0 ? mnp__min(hi, 0) - at : hi - at; /* indices that are left on this side */
    if (extent == 0 || boundary == MNP_BOUNDARY_FILL)
        return (mnp__segment){.lo = at, .count = outside, .step = 0, .part = MNP__FILL};
    if (boundary == MNP_BOUNDARY_NEAREST || extent == 1) /* a single element is repeated under every condition */
        return (mnp__segment){.lo = at, .count = outside, .first = at < 0 ? 0 : extent - 1, .step = 0};

    /* position in the period: forwards over [0, extent), then backwards from `back` */
    int64_t period = boundary == MNP_BOUNDARY_WRAP   ? extent
                     : boundary == MNP_BOUNDARY_SYMM ? 2 * extent
                                                     : 2 * extent - 2;
    int64_t back = boundary == MNP_BOUNDARY_SYMM ? extent - 1 : extent - 2;
    int64_t place = mnp__modulo(at, period);
    if (place < extent)
        return (mnp__segment){.lo = at, .count = mnp__min(hi - at, extent - place), .first = place, .step = 1};
    return (mnp__segment){
        .lo = at, .count = mnp__min(hi - at, period - place), .first = back - (place - extent), .step = -1};
}

/* Find the run of the part around element `index`, and how many elements the part has before it. */
static void find_run(const mnp_layout *layout, int dim, int64_t index, int64_t *lo, int64_t *hi, int64_t *before)
{
    int64_t block = layout->blocks[dim];
    const int64_t *cut = layout->cuts[dim] + mnp__layout_find(layout, dim, index);
    *lo = block > 0 ? index / block * block : cut[0];
    *hi = block > 0 ? *lo + block : cut[1];
    *before = block > 0 ? index / block / mnp_layout_parts(layout, dim) * block : 0;
}

/* Cut a run where its elements change from one part to the next. */
static mnp_status append_by_part(const mnp_layout *layout, int dim, mnp__segment run, struct list *list)
{
    while (run.count > 0) {
        mnp__segment piece = run;
        int64_t lo, hi, before;
        find_run(layout, dim, run.first, &lo, &hi, &before);
        piece.part = mnp__layout_find(layout, dim, run.first);
        if (run.step == 1)
            piece.count = mnp__min(run.count, hi - run.first);
        else if (run.step == -1)
            piece.count = mnp__min(run.count, run.first - lo + 1);
        piece.first += before - lo;
        MNP_TRY(append(list, piece));
        run.lo += piece.count;
        run.first += piece.count * run.step;
        run.count -= piece.count;
    }
    return MNP_OK;
}

mnp_status mnp__layout_segments(const mnp_layout *layout, int dim, mnp_boundary boundary, int64_t lo, int64_t hi,
                                mnp__segment **segments_p, int *count_p)
{
    struct list list = {NULL, 0, 0};
    mnp_status st = MNP_OK;
    for (int64_t at = lo; at < hi;) {
        mnp__segment run = run_at(layout->shape[dim], boundary, at, hi);
        at += run.count;
        if (run.part == MNP__FILL)
            MNP_TRY_OR(append(&list, run), st, fail);
        else
            MNP_TRY_OR(append_by_part(layout, dim, run, &list), st, fail);
    }
    *segments_p = list.items;
    *count_p = list.count;
    return MNP_OK;
fail:
    free(list.items);
    return st;
}

/* ---- a boundary for each dimension ---- */

mnp_boundary mnp__boundary_of(const mnp_boundary *boundaries, int dim)
{
    return boundaries ? boundaries[dim] : MNP_BOUNDARY_FILL;
}

mnp_status mnp__boundaries_check(const char *function, int ndim, const mnp_boundary *boundaries)
{
    for (int d = 0; d < ndim; d++) {
        const int boundary = (int)mnp__boundary_of(boundaries, d);
        if (boundary < MNP_BOUNDARY_FILL || boundary > MNP_BOUNDARY_NEAREST)
            return MNP_FAIL(MNP_ERR_ARG, "%s: boundaries[%d] is %d, which is none", function, d, boundary);
    }
    return MNP_OK;
}

int64_t mnp__boundary_shorten(mnp_boundary boundary, int64_t extent, int64_t offset)
{
    if (boundary == MNP_BOUNDARY_WRAP && extent > 0)
        return offset % extent;
    if (boundary == MNP_BOUNDARY_SYMM && extent > 0)
        return offset % (2 * extent);
    if (boundary == MNP_BOUNDARY_MIRROR && extent > 1)
        return offset % (2 * extent - 2);
    return mnp__clamp(offset, -extent, extent);
}
