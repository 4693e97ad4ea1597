/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: which ranges of an address space are allocated.  The heap uses it to place arrays.
 *
 * It only keeps books: it has no memory of its own and never reads or writes the ranges.  The result of an allocation
 * depends on the earlier calls alone, so ranks that make the same calls get the same addresses without communication.
 *
 * A block is placed in the smallest free range that is large enough, at the lowest address if there are several;
 * adjacent free ranges are joined.  Every operation takes time proportional to the logarithm of the number of blocks.
 */
#ifndef MNP__BASE_ARENA_H
#define MNP__BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/base.h>

enum { MNP__ARENA_UNIT = 512 }; /* bytes: addresses and sizes are multiples of it */

typedef struct mnp__arena mnp__arena;

typedef struct mnp__arena_figures {
    size_t used, reserved, peak; /* bytes in blocks; in blocks and free ranges; the largest `used` so far */
    size_t largest_free;         /* bytes of the largest free range */
    int64_t blocks;
    uint64_t hash; /* equal on ranks where the same ranges are allocated */
} mnp__arena_figures;

/* No function is collective.  The error of all of them is MNP_ERR_MEMORY. */
mnp_status mnp__arena_new(mnp__arena **arena_p);
void mnp__arena_free(mnp__arena *arena); /* NULL is accepted */

/* Add a free range, which must not be in the arena yet; its bounds are multiples of the unit. */
mnp_status mnp__arena_add(mnp__arena *arena, uintptr_t begin, size_t size);

/* Whether a range is free as a whole; and remove such a range from the arena. */
bool mnp__arena_is_free(const mnp__arena *arena, uintptr_t begin, size_t size);
mnp_status mnp__arena_remove(mnp__arena *arena, uintptr_t begin, size_t size);

/* Bytes of the free range that ends at that address. */
size_t mnp__arena_free_before(const mnp__arena *arena, uintptr_t place);

/* Allocate a block of at least `size` bytes, > 0.  *found_p is false if no free range is large enough. */
mnp_status mnp__arena_take(mnp__arena *arena, size_t size, bool *found_p, uintptr_t *place_p);

/* The bytes of the block that begins at that address, or 0 if there is none; and free that block. */
size_t mnp__arena_size(const mnp__arena *arena, uintptr_t place);
void mnp__arena_give(mnp__arena *arena, uintptr_t place);

/*
 * Count a block that is outside of all ranges, for the figures alone; and stop counting it, which returns its bytes, or
 * 0 if there is no such block.
 */
mnp_status mnp__arena_enter(mnp__arena *arena, uintptr_t place, size_t size);
size_t mnp__arena_leave(mnp__arena *arena, uintptr_t place);

mnp__arena_figures mnp__arena_read(const mnp__arena *arena);

#endif
