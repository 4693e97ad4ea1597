/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From subscripts and boxes to the parts of a file that are read.
 */
#include "io/selection.h"

#include <inttypes.h>
#include <string.h>

#include "array/boxes.h"
#include "base/integer.h"
#include "base/status.h"

/* What reading a run of elements costs besides its elements, as the bytes that could be read meanwhile. */
#define RUN_BYTES (INT64_C(16) << 10)

/* Restrict the selection to a box of it. */
static mnp_status take_box(const char *what, const mnp_selection *wanted, mnp__selection *selection)
{
    for (int d = 0; d < selection->ndim; d++) {
        const int64_t start = wanted->start[d], extent = wanted->shape[d], whole = selection->shape[d];
        if (start < 0 || extent < 0 || extent > whole || start > whole - extent)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%" PRId64 " elements from %" PRId64 " on do not lie in dimension %d of %s%s%s%s, "
                            "which has %" PRId64,
                            extent, start, d, what ? what : "the array", wanted->subscripts ? "[" : "",
                            wanted->subscripts ? wanted->subscripts : "", wanted->subscripts ? "]" : "", whole);
        selection->dims[d].start += start * selection->dims[d].step;
        selection->dims[d].extent = selection->shape[d] = extent;
    }
    return MNP_OK;
}

mnp_status mnp__selection_new(const char *what, int ndim, const int64_t *shape, const mnp_selection *wanted,
                              mnp__selection *selection)
{
    mnp_subscript items[MNP_MAX_SUBSCRIPTS];
    int count = 0;
    *selection = (mnp__selection){.file_ndim = ndim};
    memcpy(selection->file_shape, shape, (size_t)ndim * sizeof *shape);
    mnp_status st = MNP_OK;
    if (wanted && wanted->subscripts)
        st = mnp_subscripts_parse(wanted->subscripts, items, &count);
    if (st == MNP_OK)
        st = mnp__subscripts_resolve(ndim, shape, count, items, &selection->ndim, selection->dims, selection->at);
    if (st != MNP_OK)
        return what ? mnp__fail_context(st, "%s", what) : st;
    for (int d = 0; d < selection->ndim; d++)
        selection->shape[d] = selection->dims[d].extent;
    return wanted && wanted->start ? take_box(what, wanted, selection) : MNP_OK;
}

void mnp__selection_box(const mnp__selection *selection, const int64_t *lo, const int64_t *extent, mnp__file_box *box)
{
    box->ndim = selection->file_ndim;
    for (int f = 0; f < box->ndim; f++) {
        box->start[f] = selection->at[f];
        box->step[f] = box->count[f] = 1;
    }
    for (int d = 0; d < selection->ndim; d++) {
        const mnp__view_dim *dim = &selection->dims[d];
        if (dim->from == MNP__NEW_DIM)
            continue;
        const int64_t nearest = dim->step > 0 || extent[d] == 0 ? lo[d] : lo[d] + extent[d] - 1;
        box->start[dim->from] = dim->start + nearest * dim->step;
        box->step[dim->from] = extent[d] <= 1 ? 1 : dim->step > 0 ? dim->step : -dim->step;
        box->count[dim->from] = extent[d];
    }
}

int64_t mnp__file_box_size(const mnp__file_box *box)
{
    int64_t size = 1;
    for (int f = 0; f < box->ndim; f++)
        size *= box->count[f];
    return size;
}

/* Widen dimension f of the box to the borders of the storage units that it touches, with a step of 1. */
static void widen(mnp__file_box *box, int f, int64_t unit, int64_t extent)
{
    int64_t end = box->start[f] + (box->count[f] - 1) * box->step[f] + 1;
    end = mnp__round_up(end, unit);
    box->start[f] -= box->start[f] % unit;
    box->count[f] = mnp__min(end, extent) - box->start[f];
    box->step[f] = 1;
}

void mnp__selection_cover(const mnp__selection *selection, const mnp__file_box *box, const int64_t *unit, size_t item,
                          mnp__file_box *cover)
{
    int64_t row = (int64_t)item; /* bytes of one index of dimension f, in a storage unit */
    int dense = -1;              /* the slowest dimension whose indices lie near to one another */
    *cover = *box;
    if (mnp__file_box_size(box) == 0)
        return;
    for (int f = box->ndim - 1; f >= 0 && row <= RUN_BYTES; f--) {
        if (box->count[f] > 1 && box->step[f] <= RUN_BYTES / row)
            dense = f;
        row *= unit ? unit[f] : selection->file_shape[f];
    }
    if (dense < 0)
        return;
    cover->count[dense] = (box->count[dense] - 1) * box->step[dense] + 1;
    cover->step[dense] = 1;
    for (int f = dense + 1; f < box->ndim; f++)
        widen(cover, f, unit ? unit[f] : selection->file_shape[f], selection->file_shape[f]);
}

bool mnp__selection_is_plain(const mnp__selection *selection, const mnp__file_box *box, const mnp__file_box *cover)
{
    for (int d = 0; d < selection->ndim; d++)
        if (selection->dims[d].step < 0)
            return false;
    return memcmp(box->count, cover->count, (size_t)box->ndim * sizeof *box->count) == 0;
}

void mnp__selection_pick(const mnp__selection *selection, const int64_t *lo, const int64_t *extent,
                         const mnp__file_box *cover, size_t item, const void *from, void *to)
{
    int64_t in_cover[MNP_MAX_DIMS], src[MNP_MAX_DIMS] = {0}, dst[MNP_MAX_DIMS], offset = 0, step = 1;
    for (int f = cover->ndim - 1; f >= 0; f--) {
        in_cover[f] = step;
        step *= cover->count[f];
    }
    for (int f = 0; f < cover->ndim; f++)
        offset +=
            (selection->at[f] - cover->start[f]) * in_cover[f]; /* with a step of 1 where the array has no `from` */
    step = 1;
    for (int d = selection->ndim - 1; d >= 0; d--) {
        const mnp__view_dim *dim = &selection->dims[d];
        dst[d] = step;
        step *= extent[d];
        if (dim->from == MNP__NEW_DIM)
            continue;
        const int f = dim->from;
        offset -= (selection->at[f] - cover->start[f]) * in_cover[f];
        offset += (dim->start + lo[d] * dim->step - cover->start[f]) / cover->step[f] * in_cover[f];
        src[d] = dim->step / cover->step[f] * in_cover[f];
    }
    mnp__one_box one = mnp__one_box_of(selection->ndim, extent, src, dst);
    mnp__one_box_copy_on_cpu(&one, item, (const char *)from + offset * (int64_t)item, to);
}

int64_t mnp__selection_phase(const mnp__selection *selection, int d, int64_t chunk)
{
    const mnp__view_dim *dim = &selection->dims[d];
    if (dim->from == MNP__NEW_DIM || (dim->step != 1 && dim->step != -1))
        return 0;
    const int64_t phase = dim->step > 0 ? dim->start : -(dim->start + 1);
    return ((phase % chunk) + chunk) % chunk;
}

mnp_status mnp_selection_shape(const mnp_selection *selection, int ndim, const int64_t *shape, int *ndim_p,
                               int64_t *selected)
{
    MNP_ENTER(ndim_p, selected);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__selection found;
    MNP_TRY(mnp__selection_new(NULL, ndim, shape, selection, &found));
    *ndim_p = found.ndim;
    memcpy(selected, found.shape, (size_t)found.ndim * sizeof *selected);
    return MNP_OK;
}
