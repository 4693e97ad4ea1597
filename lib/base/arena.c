/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: blocks and free ranges are nodes of a list and of a tree, both sorted by address; free ranges are also in
 * a tree sorted by size.  The trees are treaps (Seidel and Aragon, "Randomized search trees", 1996), whose priorities
 * are hashes of addresses.
 */
#include "base/arena.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/status.h"

enum tree { BY_PLACE, BY_SIZE, NUM_TREES };

struct node {
    uintptr_t place;
    size_t size;
    bool is_free;
    struct node *before, *after; /* in the list */
    struct node *below[NUM_TREES][2];
};

struct mnp__arena {
    struct node *root[NUM_TREES];
    mnp__arena_figures figures; /* except largest_free */
};

/* The last steps of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static bool comes_first(enum tree tree, const struct node *node, size_t size, uintptr_t place)
{
    if (tree == BY_SIZE && node->size != size)
        return node->size < size;
    return node->place < place;
}

/* Split a tree into the nodes that come before a key, and the others. */
static void split(enum tree tree, struct node *node, size_t size, uintptr_t place, struct node **low,
                  struct node **high)
{
    if (!node) {
        *low = *high = NULL;
    } else if (comes_first(tree, node, size, place)) {
        split(tree, node->below[tree][1], size, place, &node->below[tree][1], high);
        *low = node;
    } else {
        split(tree, node->below[tree][0], size, place, low, &node->below[tree][0]);
        *high = node;
    }
}

static struct node *merge(enum tree tree, struct node *low, struct node *high)
{
    if (!low || !high)
        return low ? low : high;
    if (scramble(low->place) < scramble(high->place)) {
        low->below[tree][1] = merge(tree, low->below[tree][1], high);
        return low;
    }
    high->below[tree][0] = merge(tree, low, high->below[tree][0]);
    return high;
}

static void insert(mnp__arena *arena, enum tree tree, struct node *node)
{
    struct node *low, *high;
    split(tree, arena->root[tree], node->size, node->place, &low, &high);
    node->below[tree][0] = node->below[tree][1] = NULL;
    arena->root[tree] = merge(tree, merge(tree, low, node), high);
}

static void erase(mnp__arena *arena, enum tree tree, struct node *node)
{
    struct node **link = &arena->root[tree];
    while (*link != node)
        link = &(*link)->below[tree][comes_first(tree, *link, node->size, node->place)];
    *link = merge(tree, node->below[tree][0], node->below[tree][1]);
}

/* The last node that begins at or before that address; NULL if there is none. */
static struct node *find(const mnp__arena *arena, uintptr_t place)
{
    struct node *found = NULL;
    for (struct node *node = arena->root[BY_PLACE]; node;) {
        bool here = node->place <= place;
        found = here ? node : found;
        node = node->below[BY_PLACE][here];
    }
    return found;
}

/* The first (side 0) or the last node (side 1) of a tree; NULL if it is empty. */
static struct node *outermost(const mnp__arena *arena, enum tree tree, int side)
{
    struct node *node = arena->root[tree];
    while (node && node->below[tree][side])
        node = node->below[tree][side];
    return node;
}

/* The smallest free range of at least that size; if there are several, the lowest. */
static struct node *best_fit(const mnp__arena *arena, size_t size)
{
    struct node *found = NULL;
    for (struct node *node = arena->root[BY_SIZE]; node;) {
        bool fits = node->size >= size;
        found = fits ? node : found;
        node = node->below[BY_SIZE][!fits];
    }
    return found;
}

/* A free node that is in no list and no tree yet. */
static mnp_status new_node(uintptr_t place, size_t size, struct node **node_p)
{
    MNP_TRY(mnp__calloc(1, sizeof **node_p, node_p));
    **node_p = (struct node){.place = place, .size = size, .is_free = true};
    return MNP_OK;
}

/* Insert a node into the list after `before`, or at the head, and into the trees that it belongs to. */
static void enter(mnp__arena *arena, struct node *before, struct node *node)
{
    node->before = before;
    node->after = before ? before->after : outermost(arena, BY_PLACE, 0);
    if (node->before)
        node->before->after = node;
    if (node->after)
        node->after->before = node;
    insert(arena, BY_PLACE, node);
    if (node->is_free)
        insert(arena, BY_SIZE, node);
}

/* Remove a node, which is not in the tree by size, from the list and the other tree, and release it. */
static void discard(mnp__arena *arena, struct node *node)
{
    if (node->before)
        node->before->after = node->after;
    if (node->after)
        node->after->before = node->before;
    erase(arena, BY_PLACE, node);
    free(node);
}

static bool touch(const struct node *low, const struct node *high)
{
    return low && high && low->is_free && high->is_free && low->place + low->size == high->place;
}

/* Join two adjacent ranges. */
static void join(mnp__arena *arena, struct node *low, struct node *high)
{
    erase(arena, BY_SIZE, low);
    erase(arena, BY_SIZE, high);
    low->size += high->size;
    discard(arena, high);
    insert(arena, BY_SIZE, low);
}

static void join_neighbours(mnp__arena *arena, struct node *node)
{
    if (touch(node, node->after))
        join(arena, node, node->after);
    if (touch(node->before, node))
        join(arena, node->before, node);
}

mnp_status mnp__arena_new(mnp__arena **arena_p)
{
    return mnp__calloc(1, sizeof **arena_p, arena_p);
}

void mnp__arena_free(mnp__arena *arena)
{
    if (!arena)
        return;
    while (arena->root[BY_PLACE])
        discard(arena, arena->root[BY_PLACE]);
    free(arena);
}

mnp_status mnp__arena_add(mnp__arena *arena, uintptr_t begin, size_t size)
{
    struct node *node;
    MNP_TRY(new_node(begin, size, &node));
    enter(arena, find(arena, begin), node);
    join_neighbours(arena, node);
    arena->figures.reserved += size;
    return MNP_OK;
}

bool mnp__arena_is_free(const mnp__arena *arena, uintptr_t begin, size_t size)
{
    const struct node *node = find(arena, begin);
    return node && node->is_free && begin + size <= node->place + node->size;
}

mnp_status mnp__arena_remove(mnp__arena *arena, uintptr_t begin, size_t size)
{
    struct node *node = find(arena, begin), *rest = NULL;
    uintptr_t end = node->place + node->size;
    if (begin + size < end)
        MNP_TRY(new_node(begin + size, end - begin - size, &rest));
    erase(arena, BY_SIZE, node);
    if (rest)
        enter(arena, node, rest);
    node->size = begin - node->place;
    if (node->size > 0)
        insert(arena, BY_SIZE, node);
    else
        discard(arena, node);
    arena->figures.reserved -= size;
    return MNP_OK;
}

size_t mnp__arena_free_before(const mnp__arena *arena, uintptr_t place)
{
    const struct node *node = place > 0 ? find(arena, place - 1) : NULL;
    return node && node->is_free && node->place + node->size >= place ? place - node->place : 0;
}

static void count(mnp__arena_figures *figures, const struct node *block)
{
    figures->used += block->size;
    figures->peak = figures->used > figures->peak ? figures->used : figures->peak;
    figures->blocks++;
    figures->hash += scramble(block->place * 3 + block->size);
}

static void discount(mnp__arena_figures *figures, const struct node *block)
{
    figures->used -= block->size;
    figures->blocks--;
    figures->hash -= scramble(block->place * 3 + block->size);
}

mnp_status mnp__arena_take(mnp__arena *arena, size_t size, bool *found_p, uintptr_t *place_p)
{
    const size_t unit = MNP__ARENA_UNIT;
    struct node *node = NULL, *rest = NULL;
    size_t rounded = mnp__round_up_bytes(size, unit);
    if ((node = best_fit(arena, rounded)) == NULL) {
        *found_p = false;
        return MNP_OK;
    }
    if (node->size > rounded)
        MNP_TRY(new_node(node->place + rounded, node->size - rounded, &rest));
    erase(arena, BY_SIZE, node);
    if (rest)
        enter(arena, node, rest);
    node->size = rounded;
    node->is_free = false;
    count(&arena->figures, node);
    *found_p = true;
    *place_p = node->place;
    return MNP_OK;
}

/* The block that begins at that address, or NULL. */
static struct node *block_at(const mnp__arena *arena, uintptr_t place)
{
    struct node *node = find(arena, place);
    return node && !node->is_free && node->place == place ? node : NULL;
}

size_t mnp__arena_size(const mnp__arena *arena, uintptr_t place)
{
    const struct node *node = block_at(arena, place);
    return node ? node->size : 0;
}

void mnp__arena_give(mnp__arena *arena, uintptr_t place)
{
    struct node *node = block_at(arena, place);
    if (!node)
        return;
    discount(&arena->figures, node);
    node->is_free = true;
    insert(arena, BY_SIZE, node);
    join_neighbours(arena, node);
}

mnp_status mnp__arena_enter(mnp__arena *arena, uintptr_t place, size_t size)
{
    struct node *node;
    MNP_TRY(new_node(place, size, &node));
    node->is_free = false;
    enter(arena, find(arena, place), node);
    arena->figures.reserved += size;
    count(&arena->figures, node);
    return MNP_OK;
}

size_t mnp__arena_leave(mnp__arena *arena, uintptr_t place)
{
    struct node *node = block_at(arena, place);
    size_t size = node ? node->size : 0;
    if (node) {
        arena->figures.reserved -= size;
        discount(&arena->figures, node);
        discard(arena, node);
    }
    return size;
}

mnp__arena_figures mnp__arena_read(const mnp__arena *arena)
{
    mnp__arena_figures figures = arena->figures;
    const struct node *largest = outermost(arena, BY_SIZE, 1);
    figures.largest_free = largest ? largest->size : 0;
    return figures;
}
