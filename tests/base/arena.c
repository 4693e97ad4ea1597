/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: random sequences of allocations and releases, compared with a plain table of the blocks.
 */
#include "base/arena.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"

enum { UNIT = MNP__ARENA_UNIT, UNITS = 4096, BLOCKS = 400 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* The table: `owner` is 0 for a unit that the arena does not have, 1 for a free one, and a block's number from 2 on. */
struct model {
    int owner[UNITS];
    uintptr_t place[BLOCKS];
    size_t size[BLOCKS];
    size_t used, reserved, peak;
};

static bool is_owner(const struct model *m, size_t first, size_t count, int owner)
{
    for (size_t i = first; i < first + count; i++) {
        if (i >= UNITS || m->owner[i] != owner)
            return false;
    }
    return true;
}

static void set_owner(struct model *m, size_t first, size_t count, int owner)
{
    for (size_t i = first; i < first + count; i++)
        m->owner[i] = owner;
}

/* The smallest free range that is large enough, the lowest of several; -1 if there is none.  And the largest of all. */
static int64_t best_fit(const struct model *m, size_t count, size_t *largest_p)
{
    int64_t best = -1;
    size_t best_length = SIZE_MAX;
    *largest_p = 0;
    for (size_t i = 0; i < UNITS;) {
        size_t length = 0;
        while (i + length < UNITS && m->owner[i + length] == 1)
            length++;
        if (length >= count && length < best_length) {
            best = (int64_t)i;
            best_length = length;
        }
        *largest_p = length > *largest_p ? length : *largest_p;
        i += length + 1;
    }
    return best;
}

static bool figures_are_right(const mnp__arena *arena, const struct model *m)
{
    size_t largest;
    mnp__arena_figures figures = mnp__arena_read(arena);
    (void)best_fit(m, 1, &largest);
    return figures.used == m->used && figures.reserved == m->reserved && figures.peak == m->peak &&
           figures.largest_free == largest * UNIT;
}

static bool take(mnp__arena *arena, struct model *m, int block)
{
    size_t bytes = 1 + draw(draw(4) ? 8 * UNIT : 200 * UNIT), count = (bytes + UNIT - 1) / UNIT, largest;
    int64_t expected = best_fit(m, count, &largest);
    bool found;
    uintptr_t place = 0;
    if (mnp__arena_take(arena, bytes, &found, &place) != MNP_OK || found != (expected >= 0))
        return false;
    if (!found)
        return true;
    if (place != (uintptr_t)expected * UNIT || !is_owner(m, place / UNIT, count, 1) ||
        mnp__arena_size(arena, place) != count * UNIT || mnp__arena_size(arena, place + 1) != 0)
        return false;
    set_owner(m, place / UNIT, count, 2 + block);
    m->place[block] = place;
    m->size[block] = count;
    m->used += count * UNIT;
    m->peak = m->used > m->peak ? m->used : m->peak;
    return true;
}

static void give(mnp__arena *arena, struct model *m, int block)
{
    mnp__arena_give(arena, m->place[block]);
    set_owner(m, m->place[block] / UNIT, m->size[block], 1);
    m->used -= m->size[block] * UNIT;
    m->size[block] = 0;
}

/* Add chunks where the arena has no units, and remove chunks that are free. */
static bool change_chunk(mnp__arena *arena, struct model *m)
{
    size_t count = 64, first = draw(UNITS / count) * count;
    bool is_free = is_owner(m, first, count, 1), is_there = !is_owner(m, first, count, 0);
    if (mnp__arena_is_free(arena, first * UNIT, count * UNIT) != is_free)
        return false;
    if (!is_there) {
        set_owner(m, first, count, 1);
        m->reserved += count * UNIT;
        return mnp__arena_add(arena, first * UNIT, count * UNIT) == MNP_OK;
    }
    if (is_free && draw(4) == 0) {
        set_owner(m, first, count, 0);
        m->reserved -= count * UNIT;
        return mnp__arena_remove(arena, first * UNIT, count * UNIT) == MNP_OK;
    }
    return true;
}

/* Free bytes directly before a place, by the table. */
static bool free_before_is_right(const mnp__arena *arena, const struct model *m)
{
    size_t place = draw(UNITS + 1), count = 0;
    while (count < place && m->owner[place - 1 - count] == 1)
        count++;
    return mnp__arena_free_before(arena, place * UNIT) == count * UNIT;
}

static bool sequence(int steps)
{
    static struct model model;
    struct model *m = &model;
    mnp__arena *arena;
    bool right = mnp__arena_new(&arena) == MNP_OK;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < steps && right; i++) {
        int block = (int)draw(BLOCKS);
        if (draw(8) == 0)
            right = change_chunk(arena, m);
        else if (m->size[block] > 0)
            give(arena, m, block);
        else
            right = take(arena, m, block);
        right = right && figures_are_right(arena, m) && free_before_is_right(arena, m);
    }
    for (int block = 0; block < BLOCKS; block++) {
        if (m->size[block] > 0)
            give(arena, m, block);
    }
    mnp__arena_figures figures = mnp__arena_read(arena);
    right = right && figures_are_right(arena, m) && figures.blocks == 0 && figures.hash == 0;
    mnp__arena_free(arena);
    return right;
}

/* Many blocks at once, released in any order: their ranges merge into one again. */
static bool coalesces(int count)
{
    mnp__arena *arena;
    uintptr_t *place = calloc((size_t)count, sizeof *place);
    bool right = place && mnp__arena_new(&arena) == MNP_OK && mnp__arena_add(arena, 0, (size_t)count * UNIT) == MNP_OK;
    if (!right)
        return false;
    for (int i = 0; i < count && right; i++) {
        bool found;
        right = mnp__arena_take(arena, 1, &found, &place[i]) == MNP_OK && found && place[i] == (uintptr_t)i * UNIT;
    }
    right = right && mnp__arena_read(arena).blocks == count && mnp__arena_read(arena).largest_free == 0;
    for (int i = count; i > 1; i--) {
        int other = (int)draw((uint64_t)i);
        uintptr_t swapped = place[i - 1];
        place[i - 1] = place[other];
        place[other] = swapped;
    }
    for (int i = 0; i < count; i++)
        mnp__arena_give(arena, place[i]);
    right = right && mnp__arena_read(arena).largest_free == (size_t)count * UNIT;
    mnp__arena_free(arena);
    free(place);
    return right;
}

int main(void)
{
    const char *seed = getenv("MANIPLE_TEST_SEED");
    state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("# MANIPLE_TEST_SEED=%" PRIu64 "\n", state);
    for (int i = 0; i < 4; i++)
        ok(sequence(2000), "random sequence %d: every block where the table has it, no two overlap, figures", i);
    clock_t begin = clock();
    ok(coalesces(100000), "a hundred thousand blocks, given back in any order, are one range again");
    ok(clock() - begin < 5 * CLOCKS_PER_SEC, "and that takes no time in proportion to their square");
    bool found = true;
    uintptr_t place;
    mnp__arena *arena;
    ok(mnp__arena_new(&arena) == MNP_OK && mnp__arena_take(arena, 1, &found, &place) == MNP_OK && !found,
       "an empty arena has room for nothing");
    ok(mnp__arena_add(arena, 0, UNIT) == MNP_OK && mnp__arena_take(arena, SIZE_MAX, &found, &place) == MNP_OK && !found,
       "nor has a small one for the largest size there is");
    mnp__arena_figures figures = mnp__arena_read(arena);
    ok(mnp__arena_enter(arena, 1 << 20, 1000) == MNP_OK && mnp__arena_read(arena).used == figures.used + 1000 &&
           mnp__arena_read(arena).largest_free == UNIT && mnp__arena_leave(arena, 1 << 20) == 1000 &&
           mnp__arena_leave(arena, 1 << 20) == 0 && mnp__arena_read(arena).reserved == figures.reserved,
       "a block that lies elsewhere counts while it is there");
    mnp__arena_free(arena);
    return done_testing();
}
