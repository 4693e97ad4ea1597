/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plan.c makes and execute.c executes.
 */
#ifndef MNP__FFT_PLAN_H
#define MNP__FFT_PLAN_H

#include "array/move/mover.h"
#include "fft/fft.h"
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

/* One of the two pieces of memory. */
struct mnp__fft_work {
    mnp__block_sizes sizes; /* the largest 0: not needed */
    bool shared;
    mnp__buffer *buffer;
};

struct mnp_fft_plan {
    unsigned tag; /* MNP__TAG_fft_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp__fft_problem problem; /* its layouts are this plan's */
    bool is_double, keeps;
    mnp_dtype input, output; /* as they are computed */
    bool output_direct;      /* new outputs are where all ranks know them in the heap */
    mnp__fft_steps steps;
    struct mnp__fft_runner *runners;
    mnp__kernel *twiddle;
    struct mnp__fft_work work[2];
    size_t scratch, slab; /* bytes that the device's transforms need; of the buffers of slabs, before them */
    bool uses_scratch;    /* any rank does */
    void *scratch_memory;
};

/* A mnp__wants for movers: what a rank wants of a step that is a move. */
int mnp__fft_wanted(const void *step, int rank, mnp__want *wants);

/* Allocate what a plan works in, as far as it is not there yet.  Collective. */
mnp_status mnp__fft_get_work(mnp_fft_plan *plan);
void mnp__fft_release_work(mnp_fft_plan *plan);

#endif
