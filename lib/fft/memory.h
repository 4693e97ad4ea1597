/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that plans work in, which they share.
 */
#ifndef MNP__FFT_MEMORY_H
#define MNP__FFT_MEMORY_H

#include <maniple/fft.h>

#include "array/array.h"

typedef struct mnp__fft_memory mnp__fft_memory;

/* What an execution needs on this rank. */
typedef struct mnp__fft_need {
    mnp__block_sizes work; /* of the plan's pieces of work, one after the other; largest 0: none */
    bool alike;            /* as much on all ranks, which share it where ranks share memory */
    size_t scratch;        /* for the device's transforms and for slabs */
    bool scratches;        /* some rank needs that */
} mnp__fft_need;

/*
 * Let a plan that the user keeps share the context's memory, or have its own, from now on, and until it leaves.  Both
 * are collective, and the first one may fail with MNP_ERR_MEMORY, after which the plan leaves too.  A plan that has not
 * joined may leave.
 */
mnp_status mnp__fft_memory_join(mnp_fft_plan *plan);
void mnp__fft_memory_leave(mnp_fft_plan *plan);

/* The memory for an execution, with a reference, and NULL if none is needed.  Collective.  MNP_ERR_MEMORY. */
mnp_status mnp__fft_memory_take(mnp_fft_plan *plan, mnp__fft_memory **memory_p);
void mnp__fft_memory_release(mnp_ctx *ctx, mnp__fft_memory *memory); /* NULL is accepted; collective */

char *mnp__fft_memory_work(const mnp__fft_memory *memory);
char *mnp__fft_memory_scratch(const mnp__fft_memory *memory);

#endif
