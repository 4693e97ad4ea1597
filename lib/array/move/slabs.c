/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Movers of blocks that come in slabs: a list of boxes for every slab, which goes to this rank's own destination and
 * straight to those of its peers.
 */
#include <stdlib.h>

#include "array/array.h"
#include "array/move/mover_plan.h"

bool mnp__mover_takes_slabs(const mnp_ctx *ctx)
{
    return mnp__heap_cpu_shared(ctx->comm.heap) && ctx->comm.peers->count == ctx->comm.size && !ctx->comm.library_only;
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

/* The part of a piece that lies in a slab, to the list of that slab. */
static mnp_status add_part(const struct slab_planner *p, const mnp__piece *piece, int64_t distance, int64_t number,
                           const int64_t *lo)
{
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
    return mnp__boxes_add(&p->mover->slabs[number], p->ndim, extent, src, strides, dst, piece->dst_strides);
}

static mnp_status add_piece(void *argument, const mnp__piece *piece)
{
    const struct slab_planner *p = argument;
    mnp_ctx *ctx = p->mover->ctx;
    int64_t lo[MNP_MAX_DIMS], distance = 0;
    if (piece->source != ctx->comm.rank || piece->size == 0)
        return MNP_OK;
    if (piece->ndim != p->ndim)
        return MNP_FAIL(MNP_ERR_INTERNAL, "a piece of a slab has %d dimensions, not %d", piece->ndim, p->ndim);
    if (piece->receiver != ctx->comm.rank)
        distance = mnp__heap_distance(ctx->comm.heap, mnp__peers_find(ctx->comm.peers, piece->receiver)) /
                   (int64_t)p->mover->element;
    for (int d = 0; d < p->ndim; d++)
        lo[d] = piece->src / p->strides[d] % p->shape[d];
    const int64_t end = lo[p->dim] + piece->extent[p->dim];
    for (int64_t number = lo[p->dim] / p->extent; number * p->extent < end; number++)
        MNP_TRY(add_part(p, piece, distance, number, lo));
    return MNP_OK;
}

mnp_status mnp__mover_plan_slabs(mnp__mover *mover, const mnp__move_spec *spec)
{
    mnp_ctx *ctx = mover->ctx;
    struct slab_planner p = {
        .mover = mover, .ndim = spec->layout->ndim, .dim = spec->slab_dim, .extent = spec->slab_extent};
    int64_t lo[MNP_MAX_DIMS];
    if (!mnp__layout_box(spec->layout, ctx->comm.rank, lo, p.shape))
        return MNP_OK;
    mnp__dense_strides(p.ndim, p.shape, p.strides);
    const int64_t count = (p.shape[p.dim] + p.extent - 1) / p.extent;
    MNP_TRY(mnp__calloc((size_t)count, sizeof *mover->slabs, &mover->slabs));
    mover->nslabs = count;
    for (int64_t i = 0; i < count; i++)
        mover->slabs[i].size = mover->element;
    MNP_TRY(mnp__pieces_wanted(spec, ctx->comm.rank, add_piece, &p));
    MNP_TRY(mnp__pieces_sent(spec, ctx->comm.rank, add_piece, &p));
    for (int64_t i = 0; i < count; i++)
        MNP_TRY(mnp__boxes_commit(ctx, &mover->slabs[i]));
    return MNP_OK;
}

void mnp__mover_free_slabs(mnp__mover *mover)
{
    for (int64_t i = 0; i < mover->nslabs; i++)
        mnp__boxes_free(mover->ctx, &mover->slabs[i]);
    free(mover->slabs);
}

/* ---- running ---- */

mnp_status mnp__mover_begin_slabs(mnp__mover *mover, void *dst)
{
    mover->dst = dst;
    mover->storing = mover->signals && mover->ntargets > 0;
    return mover->signals ? mnp__signals_send(mover->signals, MNP__SIGNAL_READY, mover->nwriters, mover->writers,
                                              mover->ctx->compute)
                          : MNP_OK;
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
    MNP_TRY(wait_for_targets(mover));
    return mnp__boxes_run(mover->ctx, mover->kernel, &mover->slabs[number], slab, mover->dst, mover->ctx->compute);
}

mnp_status mnp__mover_finish_slabs(mnp__mover *mover)
{
    mnp__signals *signals = mover->signals;
    mnp__stream *stream = mover->ctx->compute;
    MNP_TRY(wait_for_targets(mover));
    if (!signals)
        return MNP_OK;
    MNP_TRY(mnp__signals_send(signals, MNP__SIGNAL_DONE, mover->ntargets, mover->targets, stream));
    return mnp__signals_wait(signals, MNP__SIGNAL_DONE, mover->nwriters, mover->writers, stream);
}
