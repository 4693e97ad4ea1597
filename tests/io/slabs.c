/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs: together they are the block, each a run of its memory; edges keep to chunks; sizes stay within the limits.
 */
#include <inttypes.h>

#include "io/slabs.h"
#include "tests/tap.h"

/* Every slab lies where the one before ended, in the block's C order, and all of them are the whole block. */
static bool tiles(int ndim, const int64_t *lo, const int64_t *extent, const mnp__slabs *slabs)
{
    int64_t next = 0, all = 1;
    for (int64_t i = 0; i < slabs->count; i++) {
        mnp__slab slab;
        mnp__slabs_get(slabs, i, &slab);
        int64_t size = 1, offset = 0;
        for (int d = 0; d < ndim; d++) {
            if (slab.lo[d] < lo[d] || slab.extent[d] < 1 || slab.lo[d] + slab.extent[d] > lo[d] + extent[d])
                return false;
            size *= slab.extent[d];
            offset = offset * extent[d] + slab.lo[d] - lo[d];
        }
        if (slab.size != size || slab.offset != offset || offset != next || size > mnp__slabs_largest(slabs))
            return false;
        next += size;
    }
    for (int d = 0; d < ndim; d++)
        all *= extent[d];
    return next == all;
}

int main(void)
{
    mnp__slabs slabs;
    mnp__slab slab;

    static const struct {
        int ndim;
        int64_t lo[4], extent[4], item;
        int64_t count; /* -1: not checked */
    } cases[] = {
        {0, {0}, {0}, 8, 1},
        {1, {5}, {1}, 1, 1},
        {1, {5}, {0}, 1, 0},
        {2, {0, 3}, {7, 0}, 4, 0},
        {1, {0}, {20 << 20}, 8, 5},
        {1, {3}, {20 << 20}, 8, 6},
        {2, {0, 0}, {4096, 4096}, 4, 2},
        {3, {1, 2, 3}, {3, 5000, 1000}, 8, -1},
        {3, {0, 0, 0}, {2, 3, 9 << 20}, 8, 18},
        {4, {9, 0, 0, 1}, {2, 2, 3, 1 << 20}, 16, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mnp__slabs_plan(cases[i].ndim, cases[i].lo, cases[i].extent, cases[i].item, NULL, &slabs);
        ok(tiles(cases[i].ndim, cases[i].lo, cases[i].extent, &slabs), "case %zu: %" PRId64 " slabs are the block", i,
           slabs.count);
        ok(mnp__slabs_largest(&slabs) * cases[i].item <= MNP__SLAB_BYTES, "case %zu: no slab is too large", i);
        if (cases[i].count >= 0)
            ok(slabs.count == cases[i].count, "case %zu: %" PRId64 " slabs", i, cases[i].count);
    }

    /* rows of 64 KiB: 512 of them to a slab, 500 with chunks of 100; chunks of 1000 make the slab larger */
    const int64_t lo[] = {150, 0}, extent[] = {2000, 1 << 14}, hundred[] = {100, 64}, thousand[] = {1000, 64},
                  million[] = {1000000, 64};
    mnp__slabs_plan(2, lo, extent, 4, hundred, &slabs);
    mnp__slabs_get(&slabs, 0, &slab);
    ok(tiles(2, lo, extent, &slabs) && slab.lo[0] == 150 && slab.extent[0] == 350, "the first slab ends with a chunk");
    mnp__slabs_get(&slabs, 1, &slab);
    ok(slab.lo[0] == 500 && slab.extent[0] == 500, "the next one holds whole chunks");
    mnp__slabs_plan(2, lo, extent, 4, thousand, &slabs);
    mnp__slabs_get(&slabs, 1, &slab);
    ok(tiles(2, lo, extent, &slabs) && slab.lo[0] == 1000 && slab.extent[0] == 1000, "a slab grows to hold a chunk");
    mnp__slabs_plan(2, lo, extent, 4, million, &slabs);
    ok(tiles(2, lo, extent, &slabs) && mnp__slabs_largest(&slabs) * 4 <= MNP__SLAB_BYTES, "but not to any size");
    return done_testing();
}
