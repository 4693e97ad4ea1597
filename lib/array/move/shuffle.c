/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shuffle: counts travel by MPI, once; elements by exchanges that are made for one send, as no other has the
 * same messages.  What a rank sends to itself is copied beside it.
 */
#include "array/move/shuffle.h"

#include <stdlib.h>

#include "base/status.h"

struct mnp__shuffle {
    mnp_ctx *ctx;
    int64_t received;
    int64_t *sent, *got; /* elements for every rank, and from every rank */
};

mnp_status mnp__shuffle_new(mnp_ctx *ctx, const int64_t *counts, mnp__shuffle **shuffle_p)
{
    const size_t size = (size_t)ctx->comm.size;
    mnp__shuffle *shuffle = NULL;
    mnp_status st = mnp__calloc(1, sizeof *shuffle, &shuffle);
    if (st == MNP_OK)
        st = mnp__calloc(size * 2, sizeof *shuffle->sent, &shuffle->sent);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    shuffle->ctx = ctx;
    shuffle->got = shuffle->sent + size;
    for (size_t r = 0; r < size; r++)
        shuffle->sent[r] = counts[r];
    MNP_TRY_OR(mnp__all_to_all(&ctx->comm, shuffle->sent, shuffle->got, sizeof *shuffle->sent), st, fail);
    for (size_t r = 0; r < size; r++)
        shuffle->received += shuffle->got[r];
    *shuffle_p = shuffle;
    return MNP_OK;
fail:
    mnp__shuffle_free(shuffle);
    return st;
}

void mnp__shuffle_free(mnp__shuffle *shuffle)
{
    if (!shuffle)
        return;
    free(shuffle->sent);
    free(shuffle);
}

int64_t mnp__shuffle_received(const mnp__shuffle *shuffle)
{
    return shuffle->received;
}

const int64_t *mnp__shuffle_received_from(const mnp__shuffle *shuffle)
{
    return shuffle->got;
}

/* Messages to or from the other ranks, of counts[r] elements that lie in the order of ranks; gives their number. */
static int list_messages(const mnp_ctx *ctx, const int64_t *counts, size_t size, char *data, mnp__message *messages,
                         char **own_p)
{
    int count = 0;
    for (int r = 0; r < ctx->comm.size; r++) {
        const size_t bytes = (size_t)counts[r] * size;
        if (r == ctx->comm.rank)
            *own_p = data;
        else if (bytes > 0)
            messages[count++] = (mnp__message){.peer = r, .data = data, .bytes = bytes};
        data += bytes;
    }
    return count;
}

static mnp_status run(mnp_ctx *ctx, mnp__exchange *exchange)
{
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    MNP_TRY(mnp__exchange_begin(exchange, ctx->transfer));
    MNP_TRY(mnp__exchange_finish(exchange, ctx->transfer));
    MNP_TRY(mnp__ctx_order(ctx, ctx->transfer, ctx->compute));
    /* pinned memory of the exchange is in use until its copies are done */
    return ctx->comm.transport == MNP_TRANSPORT_STAGED ? mnp__ctx_wait(ctx, ctx->transfer) : MNP_OK;
}

static mnp_status send(mnp_ctx *ctx, size_t size, const int64_t *out, const void *from, const int64_t *in, void *to)
{
    const size_t ranks = (size_t)ctx->comm.size, own = (size_t)out[ctx->comm.rank] * size;
    mnp__message *messages;
    mnp__exchange *exchange = NULL;
    char *own_from = NULL, *own_to = NULL;
    mnp_status st = mnp__calloc(ranks * 2, sizeof *messages, &messages);
    if (st == MNP_OK) {
        const int sends = list_messages(ctx, out, size, (char *)(uintptr_t)from, messages, &own_from);
        const int recvs = list_messages(ctx, in, size, to, messages + ranks, &own_to);
        st = mnp__exchange_new(&ctx->comm, sends, messages, recvs, messages + ranks, &exchange);
        free(messages);
    }
    if (st == MNP_OK)
        st = ctx->device->ops->copy(ctx->device, own_to, own_from, own, ctx->compute);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, run(ctx, exchange));
    mnp__exchange_free(exchange);
    return st;
}

mnp_status mnp__shuffle_send(mnp__shuffle *shuffle, size_t size, const void *from, void *to)
{
    return send(shuffle->ctx, size, shuffle->sent, from, shuffle->got, to);
}

mnp_status mnp__shuffle_back(mnp__shuffle *shuffle, size_t size, const void *from, void *to)
{
    return send(shuffle->ctx, size, shuffle->got, from, shuffle->sent, to);
}
