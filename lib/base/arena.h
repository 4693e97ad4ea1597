/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arena: places in address space that blocks take and give back.  It only counts: it has no memory of its own and
 * never touches what it deals out, so ranks that do the same find the same places.
 *
 * A block gets the smallest free range that it fits, of several the lowest; free ranges that touch are one.  All it
 * does takes time in proportion to the logarithm of the number of blocks.
 */
#ifndef MNP__BASE_ARENA_H
#define MNP__BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/base.h>

enum { MNP__ARENA_UNIT = 512 }; /* bytes: places and sizes are multiples of it */

typedef struct mnp__arena mnp__arena;

typedef struct mnp__arena_figures {
    size_t used, reserved, peak; /* bytes in blocks, in blocks and free ranges, most that ever were in blocks */
    size_t largest_free;         /* bytes of the largest free range */
    int64_t blocks;
    uint64_t hash; /* the same where the same places are taken */
} mnp__arena_figures;

/* Not collective, all of them.  MNP_ERR_MEMORY. */
mnp_status mnp__arena_new(mnp__arena **arena_p);
void mnp__arena_free(mnp__arena *arena); /* NULL is accepted */

/* Add a range, of multiples of the unit, that is not in the arena yet; it is free. */
mnp_status mnp__arena_add(mnp__arena *arena, uintptr_t begin, size_t size);

/* Take a range out again; false if it is not wholly free. */
bool mnp__arena_is_free(const mnp__arena *arena, uintptr_t begin, size_t size);
mnp_status mnp__arena_remove(mnp__arena *arena, uintptr_t begin, size_t size);

/* Bytes that are free right before that place. */
size_t mnp__arena_free_before(const mnp__arena *arena, uintptr_t place);

/* A block of at least `size` bytes, > 0.  *found_p is false where none fits. */
mnp_status mnp__arena_take(mnp__arena *arena, size_t size, bool *found_p, uintptr_t *place_p);

/* The bytes of the block that begins there; 0 if none does. */
size_t mnp__arena_size(const mnp__arena *arena, uintptr_t place);
void mnp__arena_give(mnp__arena *arena, uintptr_t place);

/* A block outside of all ranges, entered for its figures alone; leave gives its bytes, 0 if there is none. */
mnp_status mnp__arena_enter(mnp__arena *arena, uintptr_t place, size_t size);
size_t mnp__arena_leave(mnp__arena *arena, uintptr_t place);

mnp__arena_figures mnp__arena_read(const mnp__arena *arena);

#endif
