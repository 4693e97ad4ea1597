/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that Maniple keeps for a context: pools, which take from the system in large pieces, and from which arrays
 * and working memory come and go without asking it.
 *
 * Figures are those of this rank.  As in CuPy, where memory that was freed stays with the pool until it is trimmed.
 */
#ifndef MANIPLE_MEMORY_H
#define MANIPLE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mnp_memory_pool {
    MNP_MEMORY_HEAP,    /* arrays, at the same places on all ranks where ranks of a node share memory */
    MNP_MEMORY_SCRATCH, /* working memory on the device, and arrays that a few ranks have most of */
    MNP_MEMORY_PINNED   /* memory of the CPU by which the device and files exchange data */
} mnp_memory_pool;

/* All in bytes, but for blocks.  Peak is since mnp_init(). */
typedef struct mnp_memory_pool_info {
    int64_t used;         /* by what is in use, each rounded up as the pool does it */
    int64_t reserved;     /* what the pool has from the system, used or not */
    int64_t peak;         /* most that was ever used */
    int64_t largest_free; /* the largest block that can be had without asking the system; -1: not known */
    int64_t limit;        /* of what is reserved; 0: none */
    int64_t blocks;       /* in use; -1: not known */
} mnp_memory_pool_info;

/* cupy.cuda.MemoryPool's used_bytes, total_bytes and get_limit.  Not collective.  MNP_ERR_ARG, MNP_ERR_DEVICE. */
MNP_API mnp_status mnp_memory_info(mnp_ctx *ctx, mnp_memory_pool pool, mnp_memory_pool_info *info);

/*
 * Give back to the system what is reserved and not used, as far as it lies in pieces that the system takes back
 * (cupy.cuda.MemoryPool.free_all_blocks).  Waits.  Collective for the heap, if without communication.  MNP_ERR_ARG,
 * MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_memory_trim(mnp_ctx *ctx, mnp_memory_pool pool);

/*
 * Let the pool reserve no more than that many bytes a rank from now on; 0: as much as there is
 * (cupy.cuda.MemoryPool.set_limit).  What is more already stays.  Calls that need more fail with MNP_ERR_MEMORY.  For
 * the heap MANIPLE_MEMORY_LIMIT does the same from the start.  Collective for the heap, where all ranks give the same
 * number, if without communication.  MNP_ERR_ARG for a negative number.
 */
MNP_API mnp_status mnp_memory_set_limit(mnp_ctx *ctx, mnp_memory_pool pool, int64_t bytes);

/*
 * Where the heap lies.  Space is 0 where an array's memory is the device's own, which no other rank sees; limit is 0
 * where it is not known.
 */
typedef struct mnp_heap_info {
    int ranks;           /* that see this rank's part, itself among them */
    bool shared;         /* whether any ranks do see each other's; the same on all ranks */
    int64_t space, unit; /* bytes: address space of a rank's part, and what it grows by multiples of */
    int64_t limit;       /* bytes that a rank may reserve, by a limit or as its share of the host */
} mnp_heap_info;

/* Not collective. */
MNP_API void mnp_memory_heap(mnp_ctx *ctx, mnp_heap_info *info);

#ifdef __cplusplus
}
#endif

#endif
