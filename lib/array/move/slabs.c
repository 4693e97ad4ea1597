/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Movers of blocks that come in slabs: lists of boxes for every slab, which go to this rank's own destination and
 * straight to those of its peers.
 *
 * On the host a slab is stored where it belongs as soon as it is made.  On GPUs a launch on the transfer stream does
 * that (p2p_boxes.h), while the next slab is made in another buffer.  As all ranks take part in such a launch, all have
 * as many slabs, if need be empty ones.
 */
#include <stdlib.h>

#include "array/array.h"
#include "array/move/mover_plan.h"

bool mnp__mover_takes_slabs(const mnp_ctx *ctx)
{
    return (mnp__heap_cpu_shared(ctx->comm.heap) || mnp__p2p_boxes_is_possible(ctx)) &&
           ctx->comm.peers->count == ctx->comm.size && !ctx->comm.library_only;
}

int mnp__mover_slab_buffers(const mnp_ctx *ctx)
{
    return ctx->device->cpu_memory ? 1 : MNP__SLAB_BUFFERS;
}

/* Of the list: also those of rounds in which this rank has nothing. */
static int64_t slab_count(const mnp__mover *mover)
{
    return mover->nslabs > mover->rounds ? mover->nslabs : mover->rounds;
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

/* The list of a slab for what goes to a peer, by its place among the targets; the boxes of each follow one another. */
static mnp__boxes *store_of(const mnp__mover *mover, mnp__slab *slab, int target)
{
    if (mover->rounds == 0)
        return &slab->local;
    while (slab->begun <= target)
        slab->first_units[slab->begun++] = mnp__boxes_cut(&slab->store);
    return &slab->store;
}

/* The part of a piece that lies in a slab, to a list of that slab; target: -1 for what stays on this rank. */
static mnp_status add_part(const struct slab_planner *p, const mnp__piece *piece, int target, int64_t distance,
                           int64_t number, const int64_t *lo)
{
    mnp__slab *slab = &p->mover->slabs[number];
    int64_t extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS], src = 0, dst = piece->dst + distance;
    const int64_t first = number * p->extent, last = first + p->extent;
    const int64_t begin = lo[p->dim] > first ? lo[p->dim] : first;
    const int64_t piece_end = lo[p->dim] + piece->extent[p->dim], end = piece_end < last ? piece_end : last;
    slab_strides(p, first, strides);
    for (int d = 0; d < p->ndim; d++) {
        extent[d] = d == p->dim ? end - begin : piece->extent[d];
        src += (d == p->dim ? begin - first : lo[d]) * strides[d];
    }
    dst += (begin - lo[p->dim]) * piece->dst_strides[p->dim];
    return mnp__boxes_add(target < 0 ? &slab->local : store_of(p->mover, slab, target), p->ndim, extent, src, strides,
                          dst, piece->dst_strides);
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

static mnp_status commit(mnp__mover *mover, mnp__slab *slab)
{
    while (slab->begun < mover->ntargets)
        (void)store_of(mover, slab, slab->begun);
    MNP_TRY(mnp__boxes_commit(mover->ctx, &slab->store));
    return mnp__boxes_commit(mover->ctx, &slab->local);
}

mnp_status mnp__mover_plan_slabs(mnp__mover *mover, const mnp__move_spec *spec)
{
    mnp_ctx *ctx = mover->ctx;
    struct slab_planner p = {
        .mover = mover, .ndim = spec->layout->ndim, .dim = spec->slab_dim, .extent = spec->slab_extent};
    int64_t lo[MNP_MAX_DIMS];
    const bool has = mnp__layout_box(spec->layout, ctx->comm.rank, lo, p.shape);
    mover->rounds = spec->slab_rounds;
    mover->nslabs = has ? (p.shape[p.dim] + p.extent - 1) / p.extent : 0;
    const int64_t count = slab_count(mover);
    MNP_TRY(mnp__calloc((size_t)count, sizeof *mover->slabs, &mover->slabs));
    for (int64_t i = 0; i < count; i++) {
        mover->slabs[i].local.size = mover->slabs[i].store.size = mover->element;
        if (mover->rounds > 0)
            MNP_TRY(mnp__calloc((size_t)mover->ntargets, sizeof(int64_t), &mover->slabs[i].first_units));
        else
            mover->slabs[i].begun = mover->ntargets;
    }
    if (has) {
        mnp__dense_strides(p.ndim, p.shape, p.strides);
        MNP_TRY(mnp__pieces_wanted(spec, ctx->comm.rank, add_piece, &p));
        MNP_TRY(mnp__pieces_sent(spec, ctx->comm.rank, add_piece, &p));
    }
    for (int64_t i = 0; i < count; i++)
        MNP_TRY(commit(mover, &mover->slabs[i]));
    for (int i = 0; mover->rounds > 0 && i < MNP__SLAB_BUFFERS; i++)
        MNP_TRY(ctx->device->ops->event_new(ctx->device, &mover->moved[i]));
    return MNP_OK;
}

mnp_status mnp__mover_open_slabs(mnp__mover *mover, mnp_dtype moving)
{
    for (int64_t i = 0; i < mover->rounds; i++) {
        mnp__slab *slab = &mover->slabs[i];
        const mnp__p2p_boxes_spec spec = {.dtype = moving,
                                          .store = &slab->store,
                                          .local = &slab->local,
                                          .ntargets = mover->ntargets,
                                          .targets = mover->targets,
                                          .first_units = slab->first_units,
                                          .nwriters = mover->nwriters,
                                          .writers = mover->writers};
        MNP_TRY(mnp__p2p_boxes_new(mover->ctx, &spec, &slab->p2p));
    }
    return MNP_OK;
}

void mnp__mover_free_slabs(mnp__mover *mover)
{
    mnp__device *device = mover->ctx->device;
    for (int64_t i = 0; mover->slabs && i < slab_count(mover); i++) {
        mnp__p2p_boxes_free(mover->slabs[i].p2p);
        mnp__boxes_free(mover->ctx, &mover->slabs[i].local);
        mnp__boxes_free(mover->ctx, &mover->slabs[i].store);
        free(mover->slabs[i].first_units);
    }
    for (int i = 0; i < MNP__SLAB_BUFFERS; i++)
        device->ops->event_free(device, mover->moved[i]);
    free(mover->slabs);
}

/* ---- running ---- */

mnp_status mnp__mover_begin_slabs(mnp__mover *mover, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    mover->dst = dst;
    mover->storing = mover->signals && mover->ntargets > 0;
    if (mover->rounds > 0)
        return mnp__ctx_order(ctx, ctx->compute, ctx->transfer);
    return mover->signals
               ? mnp__signals_send(mover->signals, MNP__SIGNAL_READY, mover->nwriters, mover->writers, ctx->compute)
               : MNP_OK;
}

mnp_status mnp__mover_next_slab(mnp__mover *mover, int64_t number)
{
    mnp_ctx *ctx = mover->ctx;
    if (mover->rounds == 0 || number < MNP__SLAB_BUFFERS) /* the first ones are free since the last run */
        return MNP_OK;
    return ctx->device->ops->stream_wait(ctx->device, ctx->compute, mover->moved[number % MNP__SLAB_BUFFERS]);
}

/* On a GPU: what all ranks do together, beside what the compute stream does. */
static mnp_status run_round(mnp__mover *mover, int64_t number, const void *slab)
{
    mnp_ctx *ctx = mover->ctx;
    const mnp__slab *own = &mover->slabs[number];
    return own->p2p ? mnp__p2p_boxes_run(own->p2p, slab, mover->dst, mover->dst, ctx->transfer)
                    : mnp__boxes_run(ctx, mover->kernel, &own->local, slab, mover->dst, ctx->transfer);
}

/* Before the first slab goes, all who get any of this block must be ready. */
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
    if (mover->rounds > 0) {
        MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
        MNP_TRY(run_round(mover, number, slab));
        return ctx->device->ops->event_record(ctx->device, mover->moved[number % MNP__SLAB_BUFFERS], ctx->transfer);
    }
    MNP_TRY(wait_for_targets(mover));
    return mnp__boxes_run(ctx, mover->kernel, &mover->slabs[number].local, slab, mover->dst, ctx->compute);
}

/* The rounds in which this rank has no slab; then the compute stream goes on. */
static mnp_status finish_rounds(mnp__mover *mover)
{
    mnp_ctx *ctx = mover->ctx;
    mnp_status st = MNP_OK;
    for (int64_t number = mover->nslabs; number < mover->rounds && st == MNP_OK; number++)
        st = run_round(mover, number, NULL);
    const mnp_status ordered = mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
    return st != MNP_OK ? st : ordered;
}

mnp_status mnp__mover_finish_slabs(mnp__mover *mover)
{
    mnp__signals *signals = mover->signals;
    mnp__stream *stream = mover->ctx->compute;
    if (mover->rounds > 0)
        return finish_rounds(mover);
    MNP_TRY(wait_for_targets(mover));
    if (!signals)
        return MNP_OK;
    MNP_TRY(mnp__signals_send(signals, MNP__SIGNAL_DONE, mover->ntargets, mover->targets, stream));
    return mnp__signals_wait(signals, MNP__SIGNAL_DONE, mover->nwriters, mover->writers, stream);
}
