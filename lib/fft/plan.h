/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plan.c makes and execute.c executes.
 */
#ifndef MNP__FFT_PLAN_H
#define MNP__FFT_PLAN_H

#include "array/move/mover.h"
#include "fft/fft.h"
#include "fft/memory.h"
#include "kernels/fft/twiddle_params.h"

/* What runs a step on this rank; NULL where there is nothing to do. */
struct mnp__fft_runner {
    mnp__device_fft *fft, *last_fft; /* last: of the last slab, which may be thinner; else NULL */
    mnp__mover *mover;
    int64_t slabs, slab_extent; /* of a move with transforms */
    int64_t slab_step;          /* bytes of the chain's source from one slab to the next */
    size_t slab_room;           /* bytes of a buffer */
    mnp_fft_twiddle_params twiddle;
};

struct mnp_fft_plan {
    unsigned tag; /* MNP__TAG_fft_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp__fft_problem problem; /* its layouts are this plan's */
    bool is_double;
    mnp_dtype input, output; /* as they are computed */
    bool output_direct;      /* new outputs are where all ranks know them in the heap */
    mnp__fft_steps steps;
    struct mnp__fft_runner *runners;
    mnp__kernel *twiddle;
    mnp__fft_need need;
    size_t work_places[2]; /* where the pieces of work begin in the memory for it */
    size_t scratch, slab;  /* bytes that the device's transforms need; of the buffers of slabs, before them */
    bool joined;           /* the user keeps it, and the context's memory for it: see memory.h */
    mnp__fft_memory *own;  /* NULL: it has none of its own */
};

/* A mnp__wants for movers: what a rank wants of a step that is a move. */
int mnp__fft_wanted(const void *step, int rank, mnp__want *wants);

#endif
