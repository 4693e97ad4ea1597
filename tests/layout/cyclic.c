/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block-cyclic layouts against plain loops; orders of storage; how ranks are factored into meshes; the cost of a
 * layout; and drawings of layouts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/mesh.h>

#include "layout/layout.h"

#include "tests/tap.h"

static bool make(int parts, int64_t extent, int64_t block, mnp_layout **layout_p)
{
    return mnp_layout_new_cyclic(1, &parts, 1, &extent, (int[]){0}, &block, layout_p) == MNP_OK;
}

/* ScaLAPACK's NUMROC: how many of n indices in blocks of nb process number p of `parts` has. */
static int64_t numroc(int64_t n, int64_t nb, int p, int parts)
{
    int64_t mine = 0;
    for (int64_t i = 0; i < n; i++)
        mine += i / nb % parts == p;
    return mine;
}

/* Every index has one owner, the one that a loop finds, and local and global indices are inverse. */
static bool deals_right(const mnp_layout *layout, int parts, int64_t n, int64_t nb)
{
    for (int p = 0; p < parts; p++) {
        int64_t local, lo, extent, next = 0, first = -1, last = -1;
        mnp_layout_local_shape(layout, p, &local);
        mnp_layout_box(layout, p, &lo, &extent);
        if (local != numroc(n, nb, p, parts))
            return false;
        for (int64_t i = 0; i < n; i++) {
            bool mine = i / nb % parts == p;
            if (mine != (mnp_layout_owner(layout, &i) == p) ||
                mnp_layout_local(layout, 0, p, i) != (mine ? next : -1) ||
                (mine && mnp_layout_global(layout, 0, p, next) != i))
                return false;
            first = mine && first < 0 ? i : first;
            last = mine ? i : last;
            next += mine;
        }
        if (mnp_layout_global(layout, 0, p, -1) != -1 || mnp_layout_global(layout, 0, p, local) != -1 ||
            mnp_layout_local(layout, 0, p, -1) != -1 || mnp_layout_local(layout, 0, p, n) != -1)
            return false;
        if (local > 0 ? lo != first || extent != last + 1 - first : extent != 0)
            return false;
    }
    return true;
}

/* The runs of a part are its indices in order, none of them beside the next. */
static bool runs_are_right(const mnp_layout *layout, int parts)
{
    for (int p = 0; p < parts; p++) {
        mnp__part_runs runs = mnp__layout_runs(layout, 0, p);
        int64_t at = 0, end = -1;
        for (int64_t k = 0; k < mnp__part_run_count(&runs); k++) {
            mnp__part_run run = mnp__part_run_at(&runs, k);
            if (run.at != at || run.count < 1 || run.lo <= end)
                return false;
            for (int64_t i = 0; i < run.count; i++) {
                if (mnp_layout_local(layout, 0, p, run.lo + i) != at + i)
                    return false;
            }
            at += run.count;
            end = run.lo + run.count;
        }
        if (at != runs.count)
            return false;
    }
    return true;
}

/* Segments of [lo, hi), wrapped around: each element is where its owner has it. */
static bool segments_are_right(const mnp_layout *layout, int64_t n, int64_t lo, int64_t hi)
{
    mnp__segment *segments = NULL;
    int count;
    int64_t next = lo;
    bool right = mnp__layout_segments(layout, 0, MNP_BOUNDARY_SYMM, lo, hi, &segments, &count) == MNP_OK;
    for (int s = 0; right && s < count; s++) {
        for (int64_t i = 0; right && i < segments[s].count; i++) {
            int64_t e = next + i, index = e < 0 ? -1 - e : e >= n ? 2 * n - 1 - e : e; /* symm */
            right = segments[s].lo + i == e && mnp__layout_find(layout, 0, index) == segments[s].part &&
                    mnp_layout_local(layout, 0, segments[s].part, index) == segments[s].first + i * segments[s].step;
        }
        next += segments[s].count;
    }
    free(segments);
    return right && next == hi;
}

static void check_arithmetic(void)
{
    bool dealt = true, runs = true, segments = true, kinds = true;
    for (int parts = 1; parts <= 5; parts++)
        for (int64_t n = 0; n <= 17; n++)
            for (int64_t nb = 1; nb <= 7; nb++) {
                mnp_layout *layout;
                if (!make(parts, n, nb, &layout)) {
                    dealt = false;
                    continue;
                }
                kinds = kinds && mnp_layout_is_cyclic(layout) == (parts > 1 && nb * parts < n);
                kinds = kinds && mnp_layout_block_size(layout, 0) == (mnp_layout_is_cyclic(layout) ? nb : 0);
                dealt = dealt && deals_right(layout, parts, n, nb);
                runs = runs && runs_are_right(layout, parts);
                for (int64_t lo = -n; n > 0 && lo <= 0; lo++)
                    segments = segments && segments_are_right(layout, n, lo, n + n / 2);
                mnp_layout_free(layout);
            }
    ok(dealt, "every index has the owner and the place that ScaLAPACK gives it");
    ok(kinds, "one block a part at most: cut, not dealt out");
    ok(runs, "runs are the indices of a part");
    ok(segments, "segments say where owners have their elements");
}

static void check_equal(void)
{
    const int64_t shape[] = {12, 7}, blocks[] = {2, 0}, others[] = {3, 0};
    const int64_t *const cuts[] = {(int64_t[]){0, 8, 12}, NULL};
    mnp_layout *a, *b, *c, *d, *even, *like, *whole;
    mnp_layout_new_cyclic(2, (int[]){2, 2}, 2, shape, (int[]){0, 1}, blocks, &a);
    mnp_layout_new_cyclic(2, (int[]){2, 2}, 2, shape, (int[]){0, 1}, blocks, &b);
    mnp_layout_new_cyclic(2, (int[]){2, 2}, 2, shape, (int[]){0, 1}, others, &c);
    mnp_layout_new(2, (int[]){2, 2}, 2, shape, (int[]){0, 1}, NULL, &even);
    ok(mnp_layout_equal(a, b) && mnp__layout_hash(a) == mnp__layout_hash(b), "the same deal");
    ok(!mnp_layout_equal(a, c) && !mnp_layout_equal(a, even), "other blocks, other layouts");
    mnp_layout_new_cyclic(3, (int[]){1, 2, 2}, 2, shape, (int[]){1, 2}, blocks, &d);
    ok(mnp_layout_equal(a, d) && mnp__layout_hash(a) != mnp__layout_hash(d),
       "on another mesh they are equal, but not made alike");
    mnp_layout_new_cyclic(2, (int[]){2, 2}, 2, shape, (int[]){0, 1}, (int64_t[]){8, 0}, &whole);
    mnp_layout_new(2, (int[]){2, 2}, 2, shape, (int[]){0, 1}, cuts, &like);
    ok(mnp_layout_equal(whole, like), "blocks that go to each part once are cuts");
    mnp_layout_free(like);
    ok(mnp_layout_like(a, (int64_t[]){20, 3}, &like) == MNP_OK && mnp_layout_block_size(like, 0) == 2,
       "a layout like it");
    mnp_layout_free(like);
    mnp_layout_free(a);
    mnp_layout_free(b);
    mnp_layout_free(c);
    mnp_layout_free(d);
    mnp_layout_free(even);
    mnp_layout_free(whole);
}

static void check_order(void)
{
    mnp_layout *plain, *turned, *again, *refused = NULL;
    mnp_layout_block(6, 3, (int64_t[]){4, 5, 6}, &plain);
    ok(mnp_layout_with_order(plain, (int[]){2, 0, 1}, &turned) == MNP_OK &&
           memcmp(mnp_layout_order(turned), (int[]){2, 0, 1}, 3 * sizeof(int)) == 0 && mnp_layout_order(plain)[2] == 2,
       "an order");
    ok(mnp_layout_equal(plain, turned) && mnp__layout_hash(plain) != mnp__layout_hash(turned),
       "the order does not count, but in caches");
    ok(mnp_layout_like(turned, (int64_t[]){1, 2, 3}, &again) == MNP_OK && mnp_layout_order(again)[0] == 2,
       "it is handed on");
    ok(mnp_layout_with_order(plain, (int[]){0, 1, 0}, &refused) == MNP_ERR_ARG && !refused &&
           strstr(mnp_error_message(), "place 2 of the order has dimension 0"),
       "refused: %s", mnp_error_message());
    ok(mnp_layout_with_order(plain, (int[]){0, 3, 1}, &refused) == MNP_ERR_ARG && !refused &&
           strstr(mnp_error_message(), "place 1 of the order has dimension 3"),
       "refused: %s", mnp_error_message());
    ok(mnp_layout_new_cyclic(1, (int[]){2}, 1, (int64_t[]){9}, (int[]){0}, (int64_t[]){-2}, &refused) == MNP_ERR_ARG &&
           !refused && strstr(mnp_error_message(), "blocks[0] is -2"),
       "refused: %s", mnp_error_message());
    mnp_layout_free(plain);
    mnp_layout_free(turned);
    mnp_layout_free(again);
}

/* What mnp_mesh_dims() makes of these. */
static bool dims_are(int nranks, int ndim, const int *given, const int *expected)
{
    int extents[MNP_MAX_DIMS];
    memcpy(extents, given, (size_t)ndim * sizeof *given);
    return mnp_mesh_dims(nranks, ndim, extents) == MNP_OK &&
           memcmp(extents, expected, (size_t)ndim * sizeof *extents) == 0;
}

static void refuse_dims(int nranks, int ndim, const int *given, const char *words)
{
    int extents[MNP_MAX_DIMS] = {0};
    memcpy(extents, given, (size_t)(ndim < MNP_MAX_DIMS ? ndim : 0) * sizeof *given);
    mnp_status st = mnp_mesh_dims(nranks, ndim, extents);
    ok(st == MNP_ERR_ARG && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

static void check_factors(void)
{
    static const int chosen[MNP_MAX_DIMS] = {0};
    ok(dims_are(12, 2, chosen, (int[]){4, 3}) && dims_are(4, 2, chosen, (int[]){2, 2}) &&
           dims_are(6, 3, chosen, (int[]){3, 2, 1}) && dims_are(7, 2, chosen, (int[]){7, 1}) &&
           dims_are(64, 3, chosen, (int[]){4, 4, 4}) && dims_are(24, 3, chosen, (int[]){4, 3, 2}) &&
           dims_are(1, 1, chosen, (int[]){1}) && dims_are(4096, 8, chosen, (int[]){4, 4, 4, 4, 2, 2, 2, 2}),
       "as even as can be, the larger first");
    ok(dims_are(12, 3, (int[]){0, 2, 0}, (int[]){3, 2, 2}) && dims_are(6, 2, (int[]){2, 3}, (int[]){2, 3}),
       "extents that are given stay");
    refuse_dims(6, 2, (int[]){4, 0}, "extent 0 of the mesh is 4, which does not divide 6 ranks");
    refuse_dims(6, 2, (int[]){3, 1}, "multiply to 3, and there are 6 ranks");
    refuse_dims(6, 2, (int[]){-1, 0}, "extent 0 of the mesh is -1, negative");
    refuse_dims(0, 1, chosen, "nranks is 0");
    refuse_dims(4, 9, chosen, "9 axes");
}

/* Parts and cut points of thousands of ranks; and the choice among all meshes of 8 axes, which must end. */
static void check_many_ranks(void)
{
    mnp_layout *rows, *grid;
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout_new(1, (int[]){4096}, 2, (int64_t[]){1 << 20, 4096}, (int[]){0, MNP_NO_AXIS}, NULL, &rows);
    mnp_layout_new(2, (int[]){64, 64}, 2, (int64_t[]){1 << 20, 4096}, (int[]){0, 1}, NULL, &grid);
    ok(mnp_layout_parts(rows, 0) + mnp_layout_parts(rows, 1) == 4097, "4096 ranks along an axis: 4097 parts");
    ok(mnp_layout_parts(grid, 0) + mnp_layout_parts(grid, 1) == 128, "4096 ranks as 64 x 64: 128 parts");
    mnp_layout_free(rows);
    mnp_layout_free(grid);
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        shape[d] = 40 + d;
    ok(mnp_layout_block(720720, MNP_MAX_DIMS, shape, &grid) == MNP_OK && mnp_layout_nranks(grid) == 720720,
       "a mesh of 8 axes for 720720 ranks");
    mnp_layout_free(grid);
}

/* A drawing of the layout, released with free(). */
static char *drawn(const mnp_layout *layout)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        abort();
    if (mnp_layout_print(layout, file) != MNP_OK)
        abort();
    fclose(file);
    return text;
}

static void check_drawing(mnp_layout *layout, const char *what, const char *expected)
{
    char *text = drawn(layout);
    if (!ok(strcmp(text, expected) == 0, "a drawing of %s", what))
        printf("%s", text);
    free(text);
    mnp_layout_free(layout);
}

static void check_drawings(void)
{
    mnp_layout *layout, *plain;
    mnp_layout_block(3, 1, (int64_t[]){10}, &layout);
    check_drawing(layout, "a row",
                  "shape (10,), 3 ranks as 3, blocks of 3 to 4 elements\n"
                  "axis 0 cuts dimension 0: \"0\"\n"
                  "0       4       7       10\n"
                  "+-------+-------+-------+\n"
                  "|   0   |   1   |   2   |\n"
                  "+-------+-------+-------+\n");
    mnp_layout_new_cyclic(2, (int[]){2, 3}, 2, (int64_t[]){6, 5}, (int[]){0, MNP_NO_AXIS}, (int64_t[]){2, 0}, &plain);
    mnp_layout_with_order(plain, (int[]){1, 0}, &layout);
    mnp_layout_free(plain);
    check_drawing(layout, "blocks and replicas",
                  "shape (6, 5), 6 ranks as 2 x 3, blocks of 10 to 20 elements\n"
                  "axis 0 deals out dimension 0 in blocks of 2, axis 1 makes replicas: \"0(2), * on 2 x 3\"\n"
                  "stored in the order of dimensions 1, 0, the slowest first\n"
                  "  0       5\n"
                  "0 +-------+\n"
                  "  | 0,1,2 |\n"
                  "2 +-------+\n"
                  "  | 3,4,5 |\n"
                  "4 +-------+\n"
                  "  | 0,1,2 |\n"
                  "6 +-------+\n");
    mnp_layout_new_cyclic(2, (int[]){2, 2}, 3, (int64_t[]){2, 8, 3}, (int[]){0, 1, MNP_NO_AXIS}, (int64_t[]){0, 2, 0},
                          &layout);
    check_drawing(layout, "three dimensions",
                  "shape (2, 8, 3), 4 ranks as 2 x 2, blocks of 12 elements\n"
                  "axis 0 cuts dimension 0, axis 1 deals out dimension 1 in blocks of 2: \"0, 1(2), *\"\n"
                  " rank  indices\n"
                  "    0  0:1, 2 of every 4 from 0, 0:3\n"
                  "    1  0:1, 2 of every 4 from 2, 0:3\n"
                  "    2  1:2, 2 of every 4 from 0, 0:3\n"
                  "    3  1:2, 2 of every 4 from 2, 0:3\n");
    mnp_layout_new_cyclic(3, (int[]){2, 2, 3}, 1, (int64_t[]){4}, (int[]){1}, (int64_t[]){0}, &layout);
    check_drawing(layout, "replicas along two axes",
                  "shape (4,), 12 ranks as 2 x 2 x 3, blocks of 2 elements\n"
                  "axis 0 makes replicas, axis 1 cuts dimension 0, axis 2 makes replicas: \"1 on 2 x 2 x 3\"\n"
                  "0            2            4\n"
                  "+------------+------------+\n"
                  "|  0,1,..8   |  3,4,..11  |\n"
                  "+------------+------------+\n");
    mnp_layout_block(1 << 24, 2, (int64_t[]){1 << 24, 1}, &layout); /* a search through all ranks would take minutes */
    char *many = drawn(layout);
    ok(strstr(many, "|    1     |\n") && strstr(many, "| 16777214 |\n"), "a drawing of sixteen million ranks");
    free(many);
    mnp_layout_free(layout);
    mnp_layout_on_root(2, 1, 0, NULL, &layout);
    check_drawing(layout, "a number",
                  "shape (), 2 ranks as 2, blocks of 0 to 1 elements\n"
                  "axis 0: all at place 1\n"
                  " rank  indices\n"
                  "    0  nothing\n"
                  "    1  the element\n");
    mnp_layout_block(3, 2, (int64_t[]){0, 5}, &layout);
    check_drawing(layout, "nothing",
                  "shape (0, 5), 3 ranks as 3 x 1, blocks of 0 elements\n"
                  "axis 0 cuts dimension 0: \"0, 1\"\n");
}

/* However many ranks there are, a drawing has at most 40 lines of 100 columns. */
static void check_sizes(void)
{
    static const int64_t shape[MNP_MAX_DIMS] = {1000003, 999983, 3, 2, 2, 2, 2, 2};
    bool fits = true;
    for (int ndim = 1; ndim <= MNP_MAX_DIMS; ndim += ndim < 3 ? 1 : 5) {
        for (int nranks = 1; nranks <= 4096; nranks *= 8) {
            mnp_layout *layout;
            if (mnp_layout_block(nranks, ndim, shape, &layout) != MNP_OK) {
                fits = false;
                break;
            }
            char *text = drawn(layout);
            int lines = 0;
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
                fits = fits && strlen(line) <= 100;
            fits = fits && lines <= 40;
            free(text);
            mnp_layout_free(layout);
        }
    }
    ok(fits, "drawings have at most 40 lines of 100 columns");
}

int main(void)
{
    check_arithmetic();
    check_equal();
    check_order();
    check_factors();
    check_many_ranks();
    check_drawings();
    check_sizes();
    return done_testing();
}
