/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts on all small cases: every element has exactly the owners it should have, and extended dimensions are cut into
 * segments that say what numpy.pad says.
 */
#include "layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/*
 * Every index of every shape up to 6 x 5 over every mesh up to 4 x 3 lies in one box alone, and its owner is that rank.
 */
static bool boxes_partition(void)
{
    for (int p = 1; p <= 4; p++)
        for (int q = 1; q <= 3; q++)
            for (int64_t n = 0; n <= 6; n++)
                for (int64_t m = 0; m <= 5; m++) {
                    mnp_layout *layout;
                    int count[6][5] = {{0}}, owner[6][5];
                    if (mnp_layout_new(2, (int[]){p, q}, 2, (int64_t[]){n, m}, (int[]){0, 1}, NULL, &layout) != MNP_OK)
                        return false;
                    for (int rank = 0; rank < p * q; rank++) {
                        int64_t lo[2], extent[2];
                        mnp_layout_box(layout, rank, lo, extent);
                        for (int64_t i = lo[0]; i < lo[0] + extent[0]; i++)
                            for (int64_t j = lo[1]; j < lo[1] + extent[1]; j++) {
                                count[i][j]++;
                                owner[i][j] = rank;
                            }
                    }
                    for (int64_t i = 0; i < n; i++)
                        for (int64_t j = 0; j < m; j++)
                            if (count[i][j] != 1 || mnp_layout_owner(layout, (int64_t[]){i, j}) != owner[i][j])
                                return false;
                    mnp_layout_free(layout);
                }
    return true;
}

/* The first n % p parts hold one element more. */
static bool cuts_are_even(void)
{
    for (int p = 1; p <= 7; p++)
        for (int64_t n = 0; n <= 20; n++) {
            mnp_layout *layout;
            if (mnp_layout_new(1, &p, 1, &n, (int[]){0}, NULL, &layout) != MNP_OK)
                return false;
            const int64_t *cuts = mnp_layout_cuts(layout, 0);
            for (int i = 0; i < p; i++)
                if (cuts[i + 1] - cuts[i] != n / p + (i < n % p))
                    return false;
            mnp_layout_free(layout);
        }
    return true;
}

/*
 * The element of a row of n that numpy.pad puts at extended index e; -1: the fill value.  One step at a time, as a
 * mirror would.
 */
static int64_t reference(int64_t e, int64_t n, mnp_boundary boundary)
{
    while (e < 0 || e >= n) {
        switch (boundary) {
        case MNP_BOUNDARY_FILL:
            return -1;
        case MNP_BOUNDARY_WRAP:
            e += e < 0 ? n : -n;
            break;
        case MNP_BOUNDARY_SYMM:
            e = e < 0 ? -1 - e : 2 * n - 1 - e;
            break;
        case MNP_BOUNDARY_MIRROR:
            if (n == 1)
                return 0;
            e = e < 0 ? -e : 2 * n - 2 - e;
            break;
        case MNP_BOUNDARY_NEAREST:
            return e < 0 ? 0 : n - 1;
        }
    }
    return e;
}

static bool segments_of(const mnp_layout *layout, int64_t n, mnp_boundary boundary, int64_t lo, int64_t hi)
{
    mnp__segment *segments = NULL;
    int count;
    int64_t next = lo;
    bool right = mnp__layout_segments(layout, 0, boundary, lo, hi, &segments, &count) == MNP_OK;
    for (int s = 0; right && s < count; s++) {
        const mnp__segment *segment = &segments[s];
        right = segment->lo == next && segment->count > 0;
        next += segment->count;
        for (int64_t i = 0; right && i < segment->count; i++) {
            int64_t expected = reference(segment->lo + i, n, boundary), element = segment->first + i * segment->step;
            if (segment->part != MNP__FILL)
                element += mnp_layout_cuts(layout, 0)[segment->part];
            right = expected < 0 ? segment->part == MNP__FILL
                                 : element == expected && mnp__layout_find(layout, 0, element) == segment->part;
        }
    }
    free(segments);
    return right && next == (hi > lo ? hi : lo);
}

/* All intervals from -17 to 22 of extents 1 to 5 over 1 to 4 parts, and of uneven cuts. */
static bool segments_are_right(mnp_boundary boundary)
{
    static const int64_t uneven[] = {0, 0, 3, 3, 5};
    for (int p = 1; p <= 5; p++)
        for (int64_t n = p == 5 ? 5 : 1; n <= 5; n++) {
            mnp_layout *layout;
            const int64_t *cuts[] = {p == 5 ? uneven : NULL};
            int parts = p == 5 ? 4 : p;
            bool right = mnp_layout_new(1, &parts, 1, &n, (int[]){0}, cuts, &layout) == MNP_OK;
            for (int64_t lo = -17; right && lo <= 22; lo++)
                for (int64_t hi = lo; right && hi <= 22; hi++)
                    right = segments_of(layout, n, boundary, lo, hi);
            mnp_layout_free(layout);
            if (!right)
                return false;
        }
    return true;
}

static bool mesh_is(int nranks, int ndim, const int64_t *shape, const int *expected)
{
    mnp_layout *layout;
    if (mnp_layout_block(nranks, ndim, shape, &layout) != MNP_OK)
        return false;
    bool same = true;
    for (int d = 0; d < ndim; d++)
        same = same && mnp_layout_parts(layout, d) == expected[d];
    mnp_layout_free(layout);
    return same;
}

static void check_chosen_meshes(void)
{
    ok(mesh_is(4, 2, (int64_t[]){4096, 4096}, (int[]){2, 2}), "4 ranks cut a square into a chequerboard");
    ok(mesh_is(3, 2, (int64_t[]){4096, 4096}, (int[]){3, 1}), "3 ranks cut a square along rows");
    ok(mesh_is(4, 2, (int64_t[]){10, 100000}, (int[]){1, 4}), "4 ranks cut a long strip across");
    ok(mesh_is(8, 3, (int64_t[]){64, 64, 64}, (int[]){2, 2, 2}), "8 ranks cut a cube into cubes");
    ok(mesh_is(4, 2, (int64_t[]){2, 2}, (int[]){2, 2}), "4 ranks share a 2 x 2 array");
    ok(mesh_is(4, 2, (int64_t[]){1, 3}, (int[]){1, 4}),
       "more ranks than elements: the largest block is as small as can be");
}

static void check_replicas(void)
{
    mnp_layout *layout, *other;
    int64_t lo[2], extent[2];
    mnp_layout_new(2, (int[]){2, 3}, 1, (int64_t[]){10}, (int[]){1}, NULL, &layout);
    mnp_layout_box(layout, 1, lo, extent);
    bool same = lo[0] == 4 && extent[0] == 3;
    mnp_layout_box(layout, 4, lo, extent);
    ok(same && lo[0] == 4 && extent[0] == 3, "ranks that differ only along an unused axis own the same box");
    ok(mnp__layout_source(layout, (int[]){2}, 0) == 2 && mnp__layout_source(layout, (int[]){2}, 3) == 5,
       "a rank is served by the replica beside it");
    mnp_layout_replicated(6, 1, (int64_t[]){10}, &other);
    mnp_layout_box(other, 5, lo, extent);
    ok(lo[0] == 0 && extent[0] == 10, "replicated means nothing is cut");
    ok(!mnp_layout_equal(layout, other) && mnp_layout_equal(layout, layout), "other boxes, other layouts");
    mnp_layout_free(other);
    mnp_layout_new(1, (int[]){6}, 1, (int64_t[]){10}, (int[]){0},
                   (const int64_t *const[]){(int64_t[]){0, 4, 7, 10, 10, 10, 10}}, &other);
    ok(!mnp_layout_equal(layout, other), "equal needs equal boxes on every rank");
    mnp_layout_free(other);
    mnp_layout_free(layout);
    mnp_layout_on_root(4, 2, 1, (int64_t[]){5}, &layout);
    bool right = true;
    for (int rank = 0; rank < 4; rank++) {
        mnp_layout_box(layout, rank, lo, extent);
        right = right && extent[0] == (rank == 2 ? 5 : 0);
    }
    ok(right, "on_root gives all to one rank");
    mnp_layout_free(layout);
}

/* Every element of a layout lies in one box alone but for replicas, and mnp_layout_owner() says in which. */
static bool owners_own(const mnp_layout *layout, int replicas)
{
    int64_t index[2] = {0, 0}, most = mnp_layout_ndim(layout) > 1 ? mnp_layout_shape(layout)[1] : 1;
    int64_t rows = mnp_layout_ndim(layout) > 0 ? mnp_layout_shape(layout)[0] : 1;
    for (index[0] = 0; index[0] < rows; index[0]++)
        for (index[1] = 0; index[1] < most; index[1]++) {
            int owners = 0, lowest = -1;
            for (int rank = 0; rank < mnp_layout_nranks(layout); rank++) {
                int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
                bool in = mnp__layout_box(layout, rank, lo, extent);
                for (int d = 0; d < mnp_layout_ndim(layout); d++)
                    in = in && index[d] >= lo[d] && index[d] < lo[d] + extent[d];
                lowest = in && lowest < 0 ? rank : lowest;
                owners += in;
            }
            if (owners != replicas || mnp_layout_owner(layout, index) != lowest)
                return false;
        }
    return true;
}

/* Layouts of views: parts in reverse order, axes fixed at one place. */
static void check_derived(void)
{
    static const int64_t uneven[] = {0, 1, 5, 7};
    mnp_layout *base, *turned, *pinned, *scalar, *other;
    int64_t lo[2], extent[2];
    mnp_layout_new(2, (int[]){2, 3}, 2, (int64_t[]){4, 7}, (int[]){0, 1}, (const int64_t *const[]){NULL, uneven},
                   &base);
    mnp__layout_dim dims[] = {mnp__layout_dim_of(base, 0), mnp__layout_dim_of(base, 1)};
    dims[1].reversed = true;
    ok(mnp__layout_derive(base, 2, dims, &turned) == MNP_OK && owners_own(turned, 1), "a reversed dimension");
    mnp_layout_box(turned, 0, lo, extent);
    ok(lo[1] == 5 && extent[1] == 2 && mnp__layout_part(turned, 1, 0) == 2, "its last part is with the first ranks");
    ok(!mnp_layout_equal(base, turned) && mnp__layout_hash(base) != mnp__layout_hash(turned), "it is another layout");
    ok(mnp_layout_like(turned, (int64_t[]){9, 5}, &other) == MNP_OK && owners_own(other, 1), "a layout like it");
    mnp_layout_box(other, 0, lo, extent);
    ok(lo[1] == 4 && extent[1] == 1, "is reversed too");
    mnp_layout_free(other);

    ok(mnp__layout_derive(turned, 1, dims, &other) == MNP_OK && owners_own(other, 3),
       "an axis not used any more: replicas");
    mnp_layout_free(other);
    ok(mnp__layout_derive_pinned(turned, (int[]){MNP__REPLICAS, 1}, 1, dims, &pinned) == MNP_OK &&
           owners_own(pinned, 1),
       "a pinned axis: one owner");
    ok(mnp__layout_box(pinned, 1, lo, extent) && extent[0] == 2 && !mnp__layout_box(pinned, 2, lo, extent) &&
           lo[0] == 0 && extent[0] == 0,
       "elsewhere the box is empty");
    ok(mnp__layout_source(pinned, (int[]){1}, 5) == 4, "and is served from the pin");
    ok(mnp__layout_derive_pinned(turned, (int[]){1, 2}, 0, NULL, &scalar) == MNP_OK && owners_own(scalar, 1) &&
           mnp_layout_owner(scalar, NULL) == 5,
       "an array without dimensions on one rank");
    ok(mnp_layout_on_root(6, 5, 0, NULL, &other) == MNP_OK && mnp_layout_equal(scalar, other),
       "which is what on_root makes of it");
    mnp_layout_free(other);
    mnp_layout_new(1, (int[]){6}, 1, (int64_t[]){5}, (int[]){0},
                   (const int64_t *const[]){(int64_t[]){0, 0, 0, 5, 5, 5, 5}}, &other);
    mnp_layout_free(scalar);
    ok(mnp_layout_on_root(6, 2, 1, (int64_t[]){5}, &scalar) == MNP_OK && mnp_layout_equal(scalar, other),
       "cuts that leave all to a rank are equal to a pin");
    mnp_layout_free(base);
    mnp_layout_free(turned);
    mnp_layout_free(pinned);
    mnp_layout_free(scalar);
    mnp_layout_free(other);
}

/* A call that must fail with MNP_ERR_ARG, leave its output alone, and say these words. */
static void refused(mnp_status status, const mnp_layout *layout, const char *words)
{
    ok(status == MNP_ERR_ARG && !layout && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

static void check_mistakes(void)
{
    mnp_layout *layout = NULL;
    const int64_t bad[] = {0, 4, 2, 5}, *const bad_cuts[] = {bad},
                  shortened[] = {0, 1, 2, 4}, *const short_cuts[] = {shortened};
    refused(mnp_layout_new(0, (int[]){1}, 1, (int64_t[]){1}, (int[]){0}, NULL, &layout), layout, "0 axes");
    refused(mnp_layout_new(1, (int[]){0}, 1, (int64_t[]){1}, (int[]){0}, NULL, &layout), layout, "mesh[0] is 0");
    refused(mnp_layout_new(1, (int[]){1}, 9, (int64_t[]){1}, (int[]){0}, NULL, &layout), layout, "ndim is 9");
    refused(mnp_layout_new(1, (int[]){1}, 1, (int64_t[]){-3}, (int[]){0}, NULL, &layout), layout, "shape[0] is -3");
    refused(mnp_layout_new(1, (int[]){1}, 1, (int64_t[]){1}, (int[]){1}, NULL, &layout), layout,
            "cut by mesh axis 1, and the mesh has the axes 0 to 0");
    refused(mnp_layout_new(1, (int[]){1}, 2, (int64_t[]){1, 1}, (int[]){0, 0}, NULL, &layout), layout, "cuts both");
    refused(mnp_layout_new(1, (int[]){3}, 1, (int64_t[]){5}, (int[]){0}, bad_cuts, &layout), layout, "above the next");
    refused(mnp_layout_new(1, (int[]){3}, 1, (int64_t[]){5}, (int[]){0}, short_cuts, &layout), layout,
            "not from 0 to 5");
    refused(mnp_layout_new(1, (int[]){1}, 2, (int64_t[]){INT64_MAX / 4, 1000}, (int[]){0, MNP_NO_AXIS}, NULL, &layout),
            layout, "too many elements");
    refused(mnp_layout_on_root(2, 2, 1, (int64_t[]){1}, &layout), layout, "root is 2");
    refused(mnp_layout_block(2, 1, (int64_t[]){INT64_MAX}, &layout), layout, "too many elements");
    refused(mnp_layout_block(0, 1, (int64_t[]){1}, &layout), layout, "nranks is 0");
}

int main(void)
{
    static const char *const names[] = {"fill", "wrap", "symm", "mirror", "nearest"};
    ok(boxes_partition(), "boxes partition the index space, and owners own");
    ok(cuts_are_even(), "even cuts differ by one at most, the longer parts first");
    for (int boundary = MNP_BOUNDARY_FILL; boundary <= MNP_BOUNDARY_NEAREST; boundary++)
        ok(segments_are_right((mnp_boundary)boundary), "segments of boundary %s", names[boundary]);
    check_chosen_meshes();
    check_replicas();
    check_derived();
    check_mistakes();
    return done_testing();
}
