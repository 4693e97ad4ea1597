/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory pools of a context.  A pool reserves memory from the system in large pieces, and allocates arrays and working
 * memory from them without a system call.  As in CuPy, freed memory stays with the pool until it is trimmed.
 *
 * All figures are those of this rank.
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
    MNP_MEMORY_HEAP,    /* arrays; if ranks of a node share memory, at the same addresses on all ranks */
    MNP_MEMORY_SCRATCH, /* scratch memory of the device, and arrays of which few ranks own nearly all */
    MNP_MEMORY_PINNED   /* page-locked host memory, for transfers of the device and for files */
} mnp_memory_pool;

/* In bytes, except `blocks`. */
typedef struct mnp_memory_pool_info {
    int64_t used;         /* bytes in use; every allocation counts as the pool rounds it up */
    int64_t reserved;     /* bytes that the pool has from the system, used or not */
    int64_t peak;         /* the largest value of `used` since mnp_init() */
    int64_t largest_free; /* the largest block that needs no more memory from the system; -1: not known */
    int64_t limit;        /* the largest value that `reserved` may take; 0: no limit */
    int64_t blocks;       /* allocations in use; -1: not known */
} mnp_memory_pool_info;

/*
 * The state of a pool, as CuPy's MemoryPool.used_bytes, total_bytes and get_limit.  MNP_ERR_ARG, MNP_ERR_DEVICE.  Not
 * collective.
 */
MNP_API mnp_status mnp_memory_info(mnp_ctx *ctx, mnp_memory_pool pool, mnp_memory_pool_info *info);

/*
 * Return unused memory to the system, as far as whole pieces of the reserved memory are unused
 * (cupy.cuda.MemoryPool.free_all_blocks).  Waits for the device.  MNP_ERR_ARG, MNP_ERR_DEVICE.  Collective for the
 * heap, of which it returns what mnp_ctx_collect() finds too.
 */
MNP_API mnp_status mnp_memory_trim(mnp_ctx *ctx, mnp_memory_pool pool);

/*
 * Limit the memory that the pool reserves on each rank, in bytes; 0: no limit (cupy.cuda.MemoryPool.set_limit).  Memory
 * above the limit that is already reserved is kept.  Calls that need more fail with MNP_ERR_MEMORY.
 * MANIPLE_MEMORY_LIMIT sets the limit of the heap from the start.  On the host device no pool may take more than the
 * rank's share of what the host, or the job's control group, had available when mnp_init() was called.  MNP_ERR_ARG for
 * a negative number.  Collective for the heap, with the same number on all ranks, although it does not communicate.
 */
MNP_API mnp_status mnp_memory_set_limit(mnp_ctx *ctx, mnp_memory_pool pool, int64_t bytes);

/*
 * The address space of the heap.  `space` is 0 if arrays are in the device's own memory, which no other rank can map;
 * `limit` is 0 if it is not known.
 */
typedef struct mnp_heap_info {
    int ranks;           /* ranks, this one included, that have mapped this rank's part */
    bool shared;         /* whether any ranks have mapped each other's parts; the same on all ranks */
    int64_t space, unit; /* bytes: the address space of a rank's part, and the unit by which its memory grows */
    int64_t limit;       /* bytes that a rank may reserve: the limit that was set, or its share of the host's memory */
} mnp_heap_info;

/* Describe the heap.  Not collective. */
MNP_API void mnp_memory_heap(mnp_ctx *ctx, mnp_heap_info *info);

#ifdef __cplusplus
}
#endif

#endif
