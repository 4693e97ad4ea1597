/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers: the threads of a block of a raw kernel that meet, at barriers or in warps, on one thread of the team.
 *
 * Each thread of the block has a stack of its own, and runs until it waits for others or ends.  Then another one goes
 * on that need not wait: first those of the same warp, then those of the next.  A fiber that ends its thread begins
 * another, so threads that wait for nobody are a loop, on one stack.
 *
 * Who waits where:
 *
 * - All threads of a warp wait for the block, or have ended: the next warp goes on; after the last warp the barrier is
 *   complete.  Threads that have ended are not waited for.
 * - The threads of a warp that name each other, and have not ended, all wait for the same threads: they go on.
 * - The threads of a warp whose wait cannot complete, which CUDA forbids (a thread that is named is at a barrier of the
 *   block), go on as they are.  So nothing here waits for ever.
 *
 * Cost: some tens of nanoseconds for each thread and barrier (docs/guide/your-own-kernels.md).  Memory: address space
 * for the stacks of a block on each thread of the team, of which the pages are kept that were used, some KiB for each.
 */
#ifndef MNP__DEVICE_HOST_FIBERS_H
#define MNP__DEVICE_HOST_FIBERS_H

#include <maniple/base.h>

#include "kernels/custom/raw_params.h"

typedef struct mnp__fibers mnp__fibers;

/* The least bytes of stack of a thread: the 512 KiB of local memory that CUDA allows it, and some for functions. */
enum { MNP__FIBER_STACK = (512 + 64) * 1024 };

/* Make them for so many workers, and blocks of at most so many threads, 1024 or less.  MNP_ERR_MEMORY. */
mnp_status mnp__fibers_new(int workers, unsigned threads, mnp__fibers **fibers_p);
void mnp__fibers_free(mnp__fibers *fibers); /* NULL is accepted */

/* The most threads of a block; 0 for NULL. */
unsigned mnp__fibers_threads(const mnp__fibers *fibers);

/* What the threads of a block share, for each worker. */
mnp_raw_block **mnp__fibers_blocks(mnp__fibers *fibers);

#endif
