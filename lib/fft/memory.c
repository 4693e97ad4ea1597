/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that plans work in.
 *
 * Plans of the user's share one piece of the context's, which is as large as the one that needs most: they are executed
 * one after the other, in the order of the compute stream, and none needs what another one has left there.  Making a
 * plan makes it as large as that plan needs, so executions find it; the last plan takes it along.  A plain call works
 * in it too if it is large enough, and otherwise in memory that it takes for the time of the call.
 *
 * Two kinds of plans have memory of their own: those of which few ranks work in nearly all of it, as it is then as
 * large on every rank as that rank needs; and those that were recorded in a graph, which has its addresses.
 */
#include "fft/memory.h"

#include <stdlib.h>

#include "fft/plan.h"

struct mnp__fft_memory {
    int owners;
    mnp__buffer *work; /* NULL: none is needed */
    void *scratch;
    size_t work_bytes, scratch_bytes; /* the same on all ranks, if plans share it */
};

/* What a context keeps. */
struct shared {
    int plans; /* that share it */
    mnp__fft_memory *memory;
};

void mnp__fft_memory_release(mnp_ctx *ctx, mnp__fft_memory *memory)
{
    if (!memory || --memory->owners > 0)
        return;
    mnp__buffer_release(ctx, memory->work);
    ctx->device->ops->free(ctx->device, memory->scratch);
    free(memory);
}

static mnp__fft_memory *retain(mnp__fft_memory *memory)
{
    memory->owners++;
    return memory;
}

/* A rank without memory for the struct fails alone, as in mnp__buffer_new(). */
static mnp_status new_memory(mnp_ctx *ctx, const mnp__fft_need *need, mnp__fft_memory **memory_p)
{
    mnp__fft_memory *memory;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__calloc(1, sizeof *memory, &memory));
    memory->owners = 1;
    memory->work_bytes = need->work.largest;
    memory->scratch_bytes = need->scratch;
    if (need->work.largest > 0)
        st = mnp__buffer_new(ctx, &need->work, &memory->work);
    if (st == MNP_OK && need->scratches)
        st = MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, need->scratch, &memory->scratch));
    if (st == MNP_OK)
        *memory_p = memory;
    else
        mnp__fft_memory_release(ctx, memory);
    return st;
}

/* ---- what is shared ---- */

static void free_shared(mnp_ctx *ctx, void *data)
{
    struct shared *shared = data;
    mnp__fft_memory_release(ctx, shared->memory);
    free(shared);
}

static mnp_status shared_of(mnp_ctx *ctx, struct shared **shared_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_TRANSFORM_MEMORY];
    struct shared *shared = NULL;
    if (!attached->data) {
        const mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *shared, &shared));
        if (st != MNP_OK) {
            free(shared);
            return st;
        }
        *attached = (mnp__attachment){.data = shared, .free = free_shared};
    }
    *shared_p = attached->data;
    return MNP_OK;
}

static bool is_enough(const mnp__fft_memory *memory, const mnp__fft_need *need)
{
    return memory && memory->work_bytes >= need->work.largest && memory->scratch_bytes >= need->scratch;
}

/* Let it be as large as is needed.  What frees the old one and uses the new one is in the order of the stream. */
static mnp_status grow(mnp_ctx *ctx, struct shared *shared, const mnp__fft_need *need)
{
    mnp__fft_need all = *need;
    if (is_enough(shared->memory, need))
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(ctx->device, "allocating memory"));
    if (shared->memory) {
        const size_t work = shared->memory->work_bytes, scratch = shared->memory->scratch_bytes;
        all.scratch = scratch > all.scratch ? scratch : all.scratch;
        all.scratches = all.scratch > 0;
        if (work > all.work.largest)
            all.work = (mnp__block_sizes){.own = work, .largest = work, .average = work};
        mnp__fft_memory_release(ctx, shared->memory);
        shared->memory = NULL;
    }
    return new_memory(ctx, &all, &shared->memory);
}

mnp_status mnp__fft_memory_join(mnp_fft_plan *plan)
{
    struct shared *shared;
    MNP_TRY(shared_of(plan->ctx, &shared));
    shared->plans++;
    plan->joined = true;
    return plan->need.alike ? grow(plan->ctx, shared, &plan->need) : new_memory(plan->ctx, &plan->need, &plan->own);
}

void mnp__fft_memory_leave(mnp_fft_plan *plan)
{
    struct shared *shared = plan->ctx->attached[MNP__ATTACHED_TRANSFORM_MEMORY].data;
    mnp__fft_memory_release(plan->ctx, plan->own);
    plan->own = NULL;
    if (!plan->joined || --shared->plans > 0)
        return;
    mnp__fft_memory_release(plan->ctx, shared->memory);
    shared->memory = NULL;
}

/* ---- executions ---- */

mnp_status mnp__fft_memory_take(mnp_fft_plan *plan, mnp__fft_memory **memory_p)
{
    mnp_ctx *ctx = plan->ctx;
    struct shared *shared = ctx->attached[MNP__ATTACHED_TRANSFORM_MEMORY].data;
    const bool recorded = ctx->device->recording;
    *memory_p = NULL;
    if (plan->need.work.largest == 0 && !plan->need.scratches)
        return MNP_OK;
    if (!plan->own && plan->joined) {
        MNP_TRY(grow(ctx, shared, &plan->need));
        plan->own = recorded ? retain(shared->memory) : NULL;
    }
    if (plan->own)
        *memory_p = retain(plan->own);
    else if (shared && plan->need.alike && is_enough(shared->memory, &plan->need) && (plan->joined || !recorded))
        *memory_p = retain(shared->memory);
    else
        return new_memory(ctx, &plan->need, memory_p);
    return MNP_OK;
}

char *mnp__fft_memory_work(const mnp__fft_memory *memory)
{
    return memory && memory->work ? memory->work->data : NULL;
}

char *mnp__fft_memory_scratch(const mnp__fft_memory *memory)
{
    return memory ? memory->scratch : NULL;
}
