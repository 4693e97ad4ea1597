/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cutting a block into slabs.
 */
#include "io/slabs.h"

#include "base/integer.h"

/* How many rows of `row_bytes` a slab holds, at most `extent`; whole chunks if that is possible. */
static int64_t choose_rows(int64_t row_bytes, int64_t extent, int64_t chunk)
{
    int64_t rows = MNP__SLAB_BYTES / row_bytes;
    if (rows < 1)
        rows = 1;
    if (rows >= chunk)
        rows -= rows % chunk;
    else if (chunk <= MNP__SLAB_MAX_BYTES / row_bytes)
        rows = chunk;
    return mnp__min(rows, extent);
}

void mnp__slabs_plan(int ndim, const int64_t *lo, const int64_t *extent, int64_t item, const int64_t *chunk,
                     mnp__slabs *slabs)
{
    *slabs = (mnp__slabs){.ndim = ndim, .rows = 1, .along = 1, .count = 1};
    for (int d = 0; d < ndim; d++) {
        slabs->lo[d] = lo[d];
        slabs->extent[d] = extent[d];
        if (extent[d] == 0)
            slabs->count = 0;
    }
    if (ndim == 0 || slabs->count == 0)
        return;

    int64_t row_bytes = item;
    int cut = ndim - 1;
    while (cut > 0 && row_bytes * extent[cut] <= MNP__SLAB_BYTES)
        row_bytes *= extent[cut--];
    slabs->cut = cut;
    slabs->rows = choose_rows(row_bytes, extent[cut], chunk ? chunk[cut] : 1);
    slabs->first = slabs->rows < extent[cut] ? lo[cut] - lo[cut] % slabs->rows : lo[cut];
    slabs->along = mnp__divide_up(lo[cut] + extent[cut] - slabs->first, slabs->rows);
    slabs->count = slabs->along;
    for (int d = 0; d < cut; d++)
        slabs->count *= extent[d];
}

void mnp__slabs_get(const mnp__slabs *slabs, int64_t index, mnp__slab *slab)
{
    *slab = (mnp__slab){.size = 1};
    if (slabs->ndim == 0)
        return;
    int cut = slabs->cut;
    int64_t begin = slabs->first + index % slabs->along * slabs->rows, end = begin + slabs->rows;
    int64_t block_end = slabs->lo[cut] + slabs->extent[cut], outer = index / slabs->along;
    slab->lo[cut] = mnp__max(begin, slabs->lo[cut]);
    slab->extent[cut] = mnp__min(end, block_end) - slab->lo[cut];
    for (int d = cut - 1; d >= 0; d--) {
        slab->lo[d] = slabs->lo[d] + outer % slabs->extent[d];
        slab->extent[d] = 1;
        outer /= slabs->extent[d];
    }
    for (int d = cut + 1; d < slabs->ndim; d++) {
        slab->lo[d] = slabs->lo[d];
        slab->extent[d] = slabs->extent[d];
    }
    for (int d = 0; d < slabs->ndim; d++) {
        slab->offset = slab->offset * slabs->extent[d] + slab->lo[d] - slabs->lo[d];
        slab->size *= slab->extent[d];
    }
}

int64_t mnp__slabs_largest(const mnp__slabs *slabs)
{
    if (slabs->count == 0)
        return 0;
    int64_t size = slabs->rows; /* at most the extent of the block */
    for (int d = slabs->cut + 1; d < slabs->ndim; d++)
        size *= slabs->extent[d];
    return size;
}
