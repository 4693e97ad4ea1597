/*
 * Running a mover.
 *
 * A rank tells those that write to it when they may, and they tell it when they have: so nobody waits but for what it
 * needs, and a staging buffer or a destination that is still in use is not written to.
 */
#include "array/mover_plan.h"

bool mnp__mover_receives(const mnp__mover *mover)
{
    return mover->nrecvs > 0 || mover->nwriters > 0;
}

mnp__mover_facts mnp__mover_describe(const mnp__mover *mover)
{
    return mover->facts;
}

mnp_status mnp__mover_fill(mnp__mover *mover, void *dst, const void *value)
{
    mnp_ctx *ctx = mover->ctx;
    return mnp__boxes_fill(ctx, mover->kernel, &mover->fill, value, mover->element, dst, ctx->compute);
}

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

mnp_status mnp__mover_begin(mnp__mover *mover, const void *src, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    mover->src = src;
    mover->dst = dst;
    mover->storing = mover->ntargets > 0;
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    if (mover->nwriters > 0)
        MNP_TRY(mnp__signals_send(mover->signals, MNP__SIGNAL_READY, mover->nwriters, mover->writers, ctx->transfer));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->pack, src, mover->send, ctx->transfer));
    MNP_TRY(mnp__exchange_begin(mover->exchange, ctx->transfer));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->local, src, dst, ctx->compute)); /* beside what travels */
    return store_if_ready(mover);
}

bool mnp__mover_needs_help(const mnp__mover *mover)
{
    return mover->ntargets > 0 || mnp__exchange_needs_help(mover->exchange);
}

mnp_status mnp__mover_help(mnp__mover *mover)
{
    MNP_TRY(store_if_ready(mover));
    return mnp__exchange_help(mover->exchange);
}

mnp_status mnp__mover_finish(mnp__mover *mover, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    if (mover->storing)
        MNP_TRY(store(mover));
    MNP_TRY(mnp__exchange_finish(mover->exchange, ctx->transfer));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->unpack, mover->recv, dst, ctx->transfer));
    if (mover->nwriters > 0) {
        MNP_TRY(mnp__signals_wait(mover->signals, MNP__SIGNAL_DONE, mover->nwriters, mover->writers, ctx->transfer));
        MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->fetch, mover->staging, dst, ctx->transfer));
    }
    return mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
}

mnp_status mnp__mover_run(mnp__mover *mover, const void *src, void *dst)
{
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
