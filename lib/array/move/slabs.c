/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Movers of blocks that come in slabs: lists of boxes for every slab, which go to this rank's own destination and
 * straight to those of its peers.
 *
 * On the host a slab is stored where it belongs as soon as it is made.  On GPUs the transfer stream stores what is for
 * peers while the next slab is made in another buffer: by the copy engines where they can, as they take nothing from
 * what makes the slab, else by launches of a few blocks.  Ranks wait for each other twice, before the first slab and
 * after the last, and may have different numbers of slabs, or none.
 */
#include <stdlib.h>

#include "array/array.h"
#include "array/move/mover_plan.h"
#include "base/integer.h"
#include "comm/p2p.h"

bool mnp__mover_takes_slabs(const mnp_ctx *ctx)
{
    return (mnp__heap_cpu_shared(ctx->comm.heap) || mnp__p2p_boxes_is_possible(ctx)) &&
           ctx->comm.peers->count == ctx->comm.size && !ctx->comm.library_only;
}

int mnp__mover_slab_buffers(const mnp_ctx *ctx)
{
    return ctx->device->cpu_memory ? 1 : MNP__SLAB_BUFFERS;
}

/* ---- planning ---- */

struct slab_planner {
    mnp__mover *mover;
    int ndim, dim;                         /* that is cut into slabs */
    int64_t shape[MNP_MAX_DIMS];           /* of the block */
    int64_t extent, strides[MNP_MAX_DIMS]; /* of a slab; of the block */
};

/* The strides of the slab that begins with index `first`; the last one may be thinner. */
static void slab_strides(const struct slab_planner *p, int64_t first, int64_t *strides)
{
    int64_t shape[MNP_MAX_DIMS];
    for (int d = 0; d < p->ndim; d++)
        shape[d] = p->shape[d];
    shape[p->dim] = first + p->extent < p->shape[p->dim] ? p->extent : p->shape[p->dim] - first;
    mnp__dense_strides(p->ndim, shape, strides);
}

/* The part of a piece that lies in a slab, to a list of that slab; target: -1 for what stays on this rank. */
static mnp_status add_part(const struct slab_planner *p, const mnp__piece *piece, int target, int64_t distance,
                           int64_t number, const int64_t *lo)
{
    mnp__slab *slab = &p->mover->slabs[number];
    int64_t extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS], src = 0, dst = piece->dst + distance;
    const int64_t first = number * p->extent, last = first + p->extent;
    const int64_t begin = mnp__max(lo[p->dim], first);
    const int64_t piece_end = lo[p->dim] + piece->extent[p->dim], end = mnp__min(piece_end, last);
    slab_strides(p, first, strides);
    for (int d = 0; d < p->ndim; d++) {
        extent[d] = d == p->dim ? end - begin : piece->extent[d];
        src += (d == p->dim ? begin - first : lo[d]) * strides[d];
    }
    dst += (begin - lo[p->dim]) * piece->dst_strides[p->dim];
    return mnp__boxes_add(target < 0 || !slab->stores ? &slab->local : &slab->stores[target], p->ndim, extent, src,
                          strides, dst, piece->dst_strides);
}

static mnp_status add_piece(void *argument, const mnp__piece *piece)
{
    const struct slab_planner *p = argument;
    mnp_ctx *ctx = p->mover->ctx;
    int64_t lo[MNP_MAX_DIMS], distance = 0;
    int target = -1;
    if (piece->source != ctx->comm.rank || piece->size == 0)
        return MNP_OK;
    if (piece->ndim != p->ndim)
        return MNP_FAIL(MNP_ERR_INTERNAL, "a piece of a slab has %d dimensions, not %d", piece->ndim, p->ndim);
    if (piece->receiver != ctx->comm.rank) {
        const int peer = mnp__peers_find(ctx->comm.peers, piece->receiver);
        distance = mnp__heap_distance(ctx->comm.heap, peer) / (int64_t)p->mover->element;
        for (target = 0; p->mover->targets[target] != peer;)
            target++;
    }
    for (int d = 0; d < p->ndim; d++)
        lo[d] = piece->src / p->strides[d] % p->shape[d];
    const int64_t end = lo[p->dim] + piece->extent[p->dim];
    for (int64_t number = lo[p->dim] / p->extent; number * p->extent < end; number++)
        MNP_TRY(add_part(p, piece, target, distance, number, lo));
    return MNP_OK;
}

static mnp_status new_slab(mnp__mover *mover, bool on_host, mnp__slab *slab)
{
    slab->local.size = mover->element;
    if (on_host)
        return MNP_OK;
    MNP_TRY(mnp__calloc((size_t)mover->ntargets, sizeof *slab->stores, &slab->stores));
    for (int i = 0; i < mover->ntargets; i++)
        slab->stores[i].size = mover->element;
    return MNP_OK;
}

/* Copy engines need no lists on the device. */
static mnp_status commit(mnp__mover *mover, mnp__slab *slab)
{
    MNP_TRY(mnp__boxes_commit(mover->ctx, &slab->local));
    for (int i = 0; slab->stores && i < mover->ntargets; i++) {
        if (mnp__boxes_are_rows(&slab->stores[i]))
            continue;
        MNP_TRY(mnp__boxes_commit(mover->ctx, &slab->stores[i]));
        MNP_TRY(mnp__boxes_to_device(mover->ctx, &slab->stores[i])); /* which tells that no engines copy them */
    }
    return MNP_OK;
}

/* What GPUs have besides: the events of the buffers, and on how much of the GPU a launch may store. */
static mnp_status plan_overlap(mnp__mover *mover, const mnp__move_spec *spec)
{
    enum { UNIT = 16384 }; /* bytes, as mnp__p2p_blocks() counts */
    mnp__device *device = mover->ctx->device;
    mnp_rank_info info = {.rank = 0};
    MNP_TRY(device->ops->info(device, &info));
    mover->blocks =
        mnp__p2p_blocks(mnp__layout_largest(spec->layout) * (int64_t)mover->element / UNIT, info.multiprocessors);
    for (int i = 0; i < MNP__SLAB_BUFFERS; i++)
        MNP_TRY(device->ops->event_new(device, &mover->moved[i]));
    return MNP_OK;
}

mnp_status mnp__mover_plan_slabs(mnp__mover *mover, const mnp__move_spec *spec)
{
    mnp_ctx *ctx = mover->ctx;
    const bool on_host = ctx->device->cpu_memory;
    struct slab_planner p = {
        .mover = mover, .ndim = spec->layout->ndim, .dim = spec->slab_dim, .extent = spec->slab_extent};
    int64_t lo[MNP_MAX_DIMS];
    mover->nothing.size = mover->element;
    if (!on_host)
        MNP_TRY(plan_overlap(mover, spec));
    if (!mnp__layout_box(spec->layout, ctx->comm.rank, lo, p.shape))
        return MNP_OK;
    mnp__dense_strides(p.ndim, p.shape, p.strides);
    const int64_t count = mnp__divide_up(p.shape[p.dim], p.extent);
    MNP_TRY(mnp__calloc((size_t)count, sizeof *mover->slabs, &mover->slabs));
    mover->nslabs = count;
    for (int64_t i = 0; i < count; i++)
        MNP_TRY(new_slab(mover, on_host, &mover->slabs[i]));
    MNP_TRY(mnp__pieces_wanted(spec, ctx->comm.rank, add_piece, &p));
    MNP_TRY(mnp__pieces_sent(spec, ctx->comm.rank, add_piece, &p));
    for (int64_t i = 0; i < count; i++)
        MNP_TRY(commit(mover, &mover->slabs[i]));
    return MNP_OK;
}

void mnp__mover_free_slabs(mnp__mover *mover)
{
    mnp__device *device = mover->ctx->device;
    for (int64_t i = 0; i < mover->nslabs; i++) {
        mnp__slab *slab = &mover->slabs[i];
        mnp__boxes_free(mover->ctx, &slab->local);
        for (int t = 0; slab->stores && t < mover->ntargets; t++)
            mnp__boxes_free(mover->ctx, &slab->stores[t]);
        free(slab->stores);
    }
    for (int i = 0; i < MNP__SLAB_BUFFERS; i++)
        device->ops->event_free(device, mover->moved[i]);
    free(mover->slabs);
}

/* ---- running on GPUs ---- */

/* Wait on the transfer stream until all ranks that this one exchanges anything with have come here. */
static mnp_status meet(mnp__mover *mover)
{
    return mover->p2p ? mnp__p2p_boxes_run(mover->p2p, NULL, NULL, NULL, mover->ctx->transfer) : MNP_OK;
}

/* Store what peers get of a slab, beside what the compute stream does. */
static mnp_status store(mnp__mover *mover, int64_t number, const void *slab)
{
    mnp_ctx *ctx = mover->ctx;
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    for (int i = 0; i < mover->ntargets; i++) {
        const mnp__boxes *boxes = &mover->slabs[number].stores[i];
        MNP_TRY(boxes->device
                    ? mnp__boxes_run_beside(ctx, mover->kernel, boxes, mover->blocks, slab, mover->dst, ctx->transfer)
                    : mnp__boxes_copy_rows(ctx, boxes, slab, mover->dst, ctx->transfer));
    }
    return ctx->device->ops->event_record(ctx->device, mover->moved[number % MNP__SLAB_BUFFERS], ctx->transfer);
}

/* ---- running ---- */

mnp_status mnp__mover_begin_slabs(mnp__mover *mover, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    mover->dst = dst;
    mnp__mover_count(mover);
    mover->storing = mover->signals && mover->ntargets > 0;
    if (!ctx->device->cpu_memory) {
        MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
        return meet(mover);
    }
    return mover->signals
               ? mnp__signals_send(mover->signals, MNP__SIGNAL_READY, mover->nwriters, mover->writers, ctx->compute)
               : MNP_OK;
}

mnp_status mnp__mover_next_slab(mnp__mover *mover, int64_t number)
{
    mnp_ctx *ctx = mover->ctx;
    if (ctx->device->cpu_memory || number < MNP__SLAB_BUFFERS) /* the first ones are free since the last run */
        return MNP_OK;
    return ctx->device->ops->stream_wait(ctx->device, ctx->compute, mover->moved[number % MNP__SLAB_BUFFERS]);
}

/* Before the first slab goes, all who get any of this block must be ready.  On the host. */
static mnp_status wait_for_targets(mnp__mover *mover)
{
    if (!mover->storing)
        return MNP_OK;
    mover->storing = false;
    return mnp__signals_wait(mover->signals, MNP__SIGNAL_READY, mover->ntargets, mover->targets, mover->ctx->compute);
}

mnp_status mnp__mover_slab(mnp__mover *mover, int64_t number, const void *slab)
{
    mnp_ctx *ctx = mover->ctx;
    if (!ctx->device->cpu_memory)
        MNP_TRY(store(mover, number, slab));
    MNP_TRY(wait_for_targets(mover));
    return mnp__boxes_run(ctx, mover->kernel, &mover->slabs[number].local, slab, mover->dst, ctx->compute);
}

mnp_status mnp__mover_finish_slabs(mnp__mover *mover)
{
    mnp_ctx *ctx = mover->ctx;
    mnp__signals *signals = mover->signals;
    if (!ctx->device->cpu_memory) {
        MNP_TRY(meet(mover));
        return mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
    }
    MNP_TRY(wait_for_targets(mover));
    if (!signals)
        return MNP_OK;
    MNP_TRY(mnp__signals_send(signals, MNP__SIGNAL_DONE, mover->ntargets, mover->targets, ctx->compute));
    return mnp__signals_wait(signals, MNP__SIGNAL_DONE, mover->nwriters, mover->writers, ctx->compute);
}
