/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shuffle: the CPUs exchange the counts, once; elements travel as bytes by all_to_allv, which copies what a
 * rank sends to itself.
 */
#include "array/move/shuffle.h"

#include <stdlib.h>

#include "base/status.h"

struct mnp__shuffle {
    mnp_ctx *ctx;
    int64_t received;
    int64_t *sent, *got;             /* elements for every rank, and from every rank */
    int64_t *counts[2], *offsets[2]; /* bytes that a send gives and gets, while it runs */
};

mnp_status mnp__shuffle_new(mnp_ctx *ctx, const int64_t *counts, mnp__shuffle **shuffle_p)
{
    const size_t size = (size_t)ctx->comm.size;
    mnp__shuffle *shuffle = NULL;
    mnp_status st = mnp__calloc(1, sizeof *shuffle, &shuffle);
    if (st == MNP_OK)
        st = mnp__calloc(size * 6, sizeof *shuffle->sent, &shuffle->sent);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    shuffle->ctx = ctx;
    shuffle->got = shuffle->sent + size;
    for (size_t side = 0; side < 2; side++) {
        shuffle->counts[side] = shuffle->sent + (2 + side) * size;
        shuffle->offsets[side] = shuffle->sent + (4 + side) * size;
    }
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

/* The same in bytes, of elements that lie in the order of the ranks. */
static void count_bytes(int ranks, const int64_t *elements, size_t size, int64_t *counts, int64_t *offsets)
{
    int64_t offset = 0;
    for (int r = 0; r < ranks; r++) {
        counts[r] = elements[r] * (int64_t)size;
        offsets[r] = offset;
        offset += counts[r];
    }
}

static mnp_status send(mnp__shuffle *shuffle, size_t size, const int64_t *out, const void *from, const int64_t *in,
                       void *to)
{
    mnp_ctx *ctx = shuffle->ctx;
    int64_t **counts = shuffle->counts, **offsets = shuffle->offsets;
    count_bytes(ctx->comm.size, out, size, counts[0], offsets[0]);
    count_bytes(ctx->comm.size, in, size, counts[1], offsets[1]);
    return MNP_AGREE(
        ctx, mnp_comm_all_to_allv(ctx->world, from, counts[0], offsets[0], to, counts[1], offsets[1], MNP_UINT8));
}

mnp_status mnp__shuffle_send(mnp__shuffle *shuffle, size_t size, const void *from, void *to)
{
    return send(shuffle, size, shuffle->sent, from, shuffle->got, to);
}

mnp_status mnp__shuffle_back(mnp__shuffle *shuffle, size_t size, const void *from, void *to)
{
    return send(shuffle, size, shuffle->got, from, shuffle->sent, to);
}
