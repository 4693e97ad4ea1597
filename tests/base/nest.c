/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nests: random ones are simplified, and the offsets of all their elements are compared before and after.
 */
#include "base/nest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { MOST_OPERANDS = 5, MOST_ELEMENTS = 4096, CASES = 4000 };

static uint64_t state;

static int draw(int below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)below);
}

typedef struct offsets {
    int64_t count, at[MOST_ELEMENTS][MOST_OPERANDS]; /* of every element, in the order of the dimensions */
} offsets;

static void enumerate(const mnp__nest *nest, const int64_t *first, offsets *all)
{
    all->count = 1;
    for (int d = 0; d < nest->ndim; d++)
        all->count *= nest->extent[d];
    for (int64_t i = 0; i < all->count; i++) {
        int64_t rest = i;
        for (int k = 0; k < MOST_OPERANDS; k++)
            all->at[i][k] = k < nest->count ? first[k] : 0;
        for (int d = nest->ndim - 1; d >= 0; d--) {
            for (int k = 0; k < nest->count; k++)
                all->at[i][k] += rest % nest->extent[d] * nest->stride[k][d];
            rest /= nest->extent[d];
        }
    }
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(int64_t[MOST_OPERANDS]));
}

static bool same(const mnp__nest *nest, const int64_t *first, const offsets *expected, bool in_order)
{
    static offsets now, sorted;
    enumerate(nest, first, &now);
    if (now.count != expected->count)
        return false;
    sorted = *expected;
    if (!in_order) {
        qsort(now.at, (size_t)now.count, sizeof now.at[0], compare);
        qsort(sorted.at, (size_t)now.count, sizeof now.at[0], compare);
    }
    return memcmp(now.at, sorted.at, (size_t)now.count * sizeof now.at[0]) == 0;
}

/* Operands that are arrays in some order of the dimensions, perhaps with gaps, backwards, or broadcast. */
static void draw_nest(mnp__nest *nest)
{
    nest->ndim = draw(6);
    nest->count = 1 + draw(MOST_OPERANDS);
    for (int d = 0; d < nest->ndim; d++)
        nest->extent[d] = 1 + draw(4);
    int turned = draw(3);
    for (int k = 0; k < nest->count; k++) {
        int order[MNP_MAX_DIMS];
        int64_t stride = 1 + (draw(4) == 0);
        for (int d = 0; d < nest->ndim; d++)
            order[d] = d;
        for (int d = nest->ndim - 1; d > 0 && (turned == 2 || (turned == 1 && k == 0)); d--) {
            int other = draw(d + 1), kept = order[d];
            order[d] = order[other];
            order[other] = kept;
        }
        for (int d = nest->ndim - 1; d >= 0; d--) {
            bool backwards = draw(10) == 0, broadcast = k > 0 && draw(8) == 0;
            nest->stride[k][order[d]] = broadcast ? 0 : backwards ? -stride : stride;
            stride *= nest->extent[order[d]] + (draw(5) == 0);
        }
    }
}

static bool has_neighbours_to_join(const mnp__nest *nest)
{
    for (int d = 1; d < nest->ndim; d++) {
        bool joins = true;
        for (int k = 0; k < nest->count; k++)
            joins = joins && nest->stride[k][d - 1] == nest->stride[k][d] * nest->extent[d];
        if (joins)
            return true;
    }
    return false;
}

static bool has_single(const mnp__nest *nest)
{
    for (int d = 0; d < nest->ndim; d++)
        if (nest->extent[d] == 1)
            return true;
    return false;
}

static bool is_ordered(const mnp__nest *nest)
{
    for (int d = 1; d < nest->ndim; d++)
        if (mnp__nest_is_outside(nest, d, nest, d - 1, 0, nest->count))
            return false;
    return true;
}

static void check_random(uint32_t seed)
{
    static offsets before;
    int64_t stride[MOST_OPERANDS][MNP_MAX_DIMS];
    mnp__nest nest = {.stride = stride};
    int dropped = 0, joined = 0, ordered = 0, turned = 0, padded = 0, moved = 0, smaller = 0;
    state = seed;
    for (int i = 0; i < CASES; i++) {
        int64_t first[MOST_OPERANDS] = {0};
        draw_nest(&nest);
        const int ndim = nest.ndim;
        enumerate(&nest, first, &before);
        mnp__nest_drop(&nest);
        dropped += same(&nest, first, &before, true) && !has_single(&nest);
        mnp__nest_join(&nest);
        joined += same(&nest, first, &before, true) && !has_neighbours_to_join(&nest);
        mnp__nest_order(&nest, 0, nest.count);
        ordered += same(&nest, first, &before, false) && is_ordered(&nest);
        mnp__nest_turn(&nest, 0, first);
        bool forwards = true;
        for (int d = 0; d < nest.ndim; d++)
            forwards = forwards && stride[0][d] >= 0;
        turned += same(&nest, first, &before, false) && forwards;
        mnp__nest_join(&nest);
        smaller += nest.ndim < ndim;
        mnp__nest_pad(&nest, 3, 7);
        padded += same(&nest, first, &before, false) && nest.ndim >= 3;
        enumerate(&nest, first, &before);
        const int from = draw(nest.ndim), to = draw(nest.ndim);
        const int64_t extent = nest.extent[from];
        mnp__nest_move(&nest, from, to);
        moved += same(&nest, first, &before, false) && nest.extent[to] == extent;
    }
    ok(dropped == CASES, "%d of %d nests have their elements in order without extents of 1, seed %" PRIu32, dropped,
       CASES, seed);
    ok(joined == CASES, "%d have when neighbours are joined, and no more can be", joined);
    ok(ordered == CASES, "%d have the same elements when dimensions are ordered", ordered);
    ok(turned == CASES, "%d when the first operand goes forwards", turned);
    ok(padded == CASES, "%d when there are 3 dimensions or more", padded);
    ok(moved == CASES, "%d when a dimension is moved", moved);
    ok(smaller > CASES / 2, "%d have fewer dimensions than at first", smaller);
}

/* ---- known nests ---- */

static void check_known(void)
{
    int64_t stride[2][MNP_MAX_DIMS] = {{1, 4, 8}, {15, 5, 1}};
    mnp__nest nest = {.ndim = 3, .count = 2, .extent = {4, 2, 3}, .stride = stride};
    mnp__nest_order(&nest, 0, 1);
    ok(nest.extent[0] == 3 && nest.extent[1] == 2 && nest.extent[2] == 4, "the operand that is named decides");
    mnp__nest_order(&nest, 1, 2);
    ok(nest.extent[0] == 4 && nest.extent[1] == 2 && nest.extent[2] == 3, "and so does another one");
    memcpy(stride, (int64_t[2][MNP_MAX_DIMS]){{0, 0, 1}, {2, 6, 30}}, sizeof stride);
    mnp__nest_order(&nest, 0, 2);
    ok(stride[1][0] == 30 && stride[1][1] == 6 && stride[1][2] == 2, "where it is broadcast the next one does");
    memcpy(stride, (int64_t[2][MNP_MAX_DIMS]){{6, 3, 1}, {12, 6, 2}}, sizeof stride);
    memcpy(nest.extent, (int64_t[]){5, 2, 3}, sizeof(int64_t[3]));
    mnp__nest_join(&nest);
    ok(nest.ndim == 1 && nest.extent[0] == 30 && stride[0][0] == 1 && stride[1][0] == 2, "all dimensions become one");
    nest.ndim = 0;
    mnp__nest_drop(&nest);
    mnp__nest_order(&nest, 0, 2);
    mnp__nest_turn(&nest, 0, (int64_t[2]){0, 0});
    mnp__nest_join(&nest);
    ok(nest.ndim == 0, "no dimensions stay none");
    mnp__nest_pad(&nest, MNP_MAX_DIMS, 1);
    ok(nest.ndim == MNP_MAX_DIMS && nest.extent[0] == 1 && nest.extent[7] == 1 && stride[1][7] == 1,
       "and become eight");
}

int main(void)
{
    const char *seed = getenv("MANIPLE_TEST_SEED");
    check_random(seed ? (uint32_t)strtoul(seed, NULL, 10) : 9);
    check_known();
    return done_testing();
}
