/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a mover.
 *
 * A rank signals the ranks that write to it when they may, and they signal back when they have: so a rank waits only
 * for what it needs, and nobody writes to a staging buffer or a destination that is still in use.
 */
#include "array/move/mover_plan.h"

#include "comm/watch.h"

bool mnp__mover_receives(const mnp__mover *mover)
{
    return mover->nrecvs > 0 || mover->nwriters > 0 || (mover->p2p && mover->local.count > 0);
}

mnp__mover_facts mnp__mover_describe(const mnp__mover *mover)
{
    return mover->facts;
}

mnp_status mnp__mover_fill(mnp__mover *mover, void *dst, const void *value)
{
    mnp_ctx *ctx = mover->ctx;
    return mnp__boxes_fill(ctx, mover->kernel, &mover->fill, value, dst, ctx->compute);
}

/* ---- peers on GPUs ---- */

/* All that goes between peers, and what this rank has for itself. */
static mnp_status run_p2p(mnp__mover *mover, const void *src, void *dst, mnp__stream *stream)
{
    MNP_TRY(mnp__p2p_boxes_run(mover->p2p, src, mover->staging ? mover->staging : dst, dst, stream));
    return mnp__boxes_run(mover->ctx, mover->kernel, &mover->fetch, mover->staging, dst, stream);
}

/* ---- peers on the host ---- */

/* Store what peers get into their memory, once they are ready for it. */
static mnp_status store(mnp__mover *mover)
{
    mnp_ctx *ctx = mover->ctx;
    MNP_TRY(mnp__signals_wait(mover->signals, MNP__SIGNAL_READY, mover->ntargets, mover->targets, ctx->transfer));
    mover->storing = false;
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->store, mover->src, mover->staging ? mover->staging : mover->dst,
                           ctx->transfer));
    return mnp__signals_send(mover->signals, MNP__SIGNAL_DONE, mover->ntargets, mover->targets, ctx->transfer);
}

static mnp_status store_if_ready(mnp__mover *mover)
{
    if (!mover->storing || !mnp__signals_arrived(mover->signals, MNP__SIGNAL_READY, mover->ntargets, mover->targets))
        return MNP_OK;
    return store(mover);
}

/* Signal the ranks that write here that they may. */
static mnp_status invite(mnp__mover *mover)
{
    if (!mover->signals)
        return MNP_OK;
    mover->storing = mover->ntargets > 0;
    return mnp__signals_send(mover->signals, MNP__SIGNAL_READY, mover->nwriters, mover->writers, mover->ctx->transfer);
}

/* Wait until they have, and take it. */
static mnp_status take(mnp__mover *mover, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    if (!mover->signals)
        return MNP_OK;
    MNP_TRY(mnp__signals_wait(mover->signals, MNP__SIGNAL_DONE, mover->nwriters, mover->writers, ctx->transfer));
    return mnp__boxes_run(ctx, mover->kernel, &mover->fetch, mover->staging, dst, ctx->transfer);
}

/* ---- all ---- */

/* Whether nothing goes to or comes from another rank. */
static bool is_local(const mnp__mover *mover)
{
    return mover->nsends + mover->nrecvs + mover->ntargets + mover->nwriters == 0;
}

void mnp__mover_count(const mnp__mover *mover)
{
    mnp__watch_send(mover->facts.peer_bytes + mover->facts.other_bytes, mover->facts.receivers);
}

static mnp_status begin(mnp__mover *mover, const void *src, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    MNP_TRY(invite(mover));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->pack, src, mover->send, ctx->transfer));
    MNP_TRY(mnp__exchange_begin(mover->exchange, ctx->transfer));
    if (mover->p2p)
        return run_p2p(mover, src, dst, ctx->transfer);
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->local, src, dst, ctx->compute)); /* beside what travels */
    return store_if_ready(mover);
}

static mnp_status finish(mnp__mover *mover, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    if (mover->storing)
        MNP_TRY(store(mover));
    MNP_TRY(mnp__exchange_finish(mover->exchange, ctx->transfer));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->unpack, mover->recv, dst, ctx->transfer));
    return take(mover, dst);
}

/* Also after a failure: what the transfer stream still uses is freed in the order of the compute stream. */
static mnp_status join(mnp_ctx *ctx, mnp_status st)
{
    const mnp_status ordered = mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
    return st != MNP_OK ? st : ordered;
}

mnp_status mnp__mover_begin(mnp__mover *mover, const void *src, void *dst)
{
    mover->src = src;
    mover->dst = dst;
    if (is_local(mover))
        return mnp__boxes_run(mover->ctx, mover->kernel, &mover->local, src, dst, mover->ctx->compute);
    mnp__mover_count(mover);
    mnp_status st = begin(mover, src, dst);
    return st == MNP_OK ? MNP_OK : join(mover->ctx, st);
}

mnp_status mnp__mover_finish(mnp__mover *mover, void *dst)
{
    return is_local(mover) ? MNP_OK : join(mover->ctx, finish(mover, dst));
}

mnp_status mnp__mover_finish_with(mnp__mover *mover, void *dst, mnp__mover_work work, const void *argument)
{
    mnp_ctx *ctx = mover->ctx;
    if (is_local(mover))
        return work(argument, ctx->compute);
    const mnp_status st = finish(mover, dst);
    return join(ctx, st != MNP_OK ? st : work(argument, ctx->transfer));
}

bool mnp__mover_needs_help(const mnp__mover *mover)
{
    return (mover->signals && mover->ntargets > 0) || mnp__exchange_needs_help(mover->exchange);
}

mnp_status mnp__mover_help(mnp__mover *mover)
{
    MNP_TRY(store_if_ready(mover));
    return mnp__exchange_help(mover->exchange);
}

mnp_status mnp__mover_run(mnp__mover *mover, const void *src, void *dst)
{
    if (mover->p2p && mover->nsends + mover->nrecvs == 0) { /* nothing to do beside it: one launch, no other stream */
        mnp__mover_count(mover);
        return run_p2p(mover, src, dst, mover->ctx->compute);
    }
    MNP_TRY(mnp__mover_begin(mover, src, dst));
    return mnp__mover_finish(mover, dst);
}

mnp_status mnp__mover_move(mnp__mover *mover, const void *src, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    mnp_status st = mnp__mover_run(mover, src, dst);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    return MNP_AGREE(ctx, st);
}
