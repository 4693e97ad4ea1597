/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shuffle: elements of any size go to the ranks that the caller names, and answers return to the ranks that asked.
 */
#include "array/move/shuffle.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { MOST_RANKS = 16 };

/* How many elements go from one rank to another in a round: none at all, few, many; in the last all go to one rank. */
static int64_t count_of(int from, int to, int round)
{
    if (round == 3)
        return to == 0 ? 1000 : 0;
    return round == 0 ? 0 : (from * 3 + to * 5) % 4 * (round == 1 ? 1 : 7001);
}

static unsigned char byte_of(int from, int to, int64_t at)
{
    return (unsigned char)(from * 41 + to * 13 + at % 251);
}

static mnp_status upload(mnp_ctx *ctx, const void *bytes, size_t size, void **memory_p)
{
    MNP_TRY(ctx->device->ops->alloc(ctx->device, size, memory_p));
    MNP_TRY(ctx->device->ops->copy(ctx->device, *memory_p, bytes, size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

static mnp_status download(mnp_ctx *ctx, void *bytes, const void *memory, size_t size)
{
    MNP_TRY(ctx->device->ops->copy(ctx->device, bytes, memory, size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

static bool check(mnp_ctx *ctx, int round, size_t size)
{
    const int rank = ctx->comm.rank, ranks = ctx->comm.size;
    int64_t counts[MOST_RANKS], out = 0, in = 0;
    for (int r = 0; r < ranks; r++) {
        counts[r] = count_of(rank, r, round);
        out += counts[r];
        in += count_of(r, rank, round);
    }
    unsigned char *sent = malloc((size_t)out * size + 1), *got = malloc((size_t)(out + in) * size + 1);
    void *from = NULL, *to = NULL, *again = NULL;
    mnp__shuffle *shuffle = NULL;
    size_t at = 0;
    for (int r = 0; r < ranks; r++) {
        for (int64_t i = 0; i < counts[r] * (int64_t)size; i++)
            sent[at++] = byte_of(rank, r, i);
    }
    bool right = mnp__shuffle_new(ctx, counts, &shuffle) == MNP_OK && mnp__shuffle_received(shuffle) == in &&
                 mnp__shuffle_received_from(shuffle)[0] == count_of(0, rank, round) &&
                 upload(ctx, sent, (size_t)out * size, &from) == MNP_OK &&
                 ctx->device->ops->alloc(ctx->device, (size_t)in * size, &to) == MNP_OK &&
                 ctx->device->ops->alloc(ctx->device, (size_t)out * size, &again) == MNP_OK &&
                 mnp__shuffle_send(shuffle, size, from, to) == MNP_OK &&
                 download(ctx, got, to, (size_t)in * size) == MNP_OK;
    at = 0;
    for (int r = 0; r < ranks && right; r++) {
        for (int64_t i = 0; i < count_of(r, rank, round) * (int64_t)size; i++)
            right = right && got[at++] == byte_of(r, rank, i);
    }
    right = right && mnp__shuffle_back(shuffle, size, to, again) == MNP_OK &&
            download(ctx, got, again, (size_t)out * size) == MNP_OK && memcmp(got, sent, (size_t)out * size) == 0;
    mnp__shuffle_free(shuffle);
    ctx->device->ops->free(ctx->device, from);
    ctx->device->ops->free(ctx->device, to);
    ctx->device->ops->free(ctx->device, again);
    free(sent);
    free(got);
    return right;
}

int main(void)
{
    static const size_t sizes[] = {1, 8, 24};
    mnp_ctx *ctx;
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    for (int round = 0; round < 4; round++) {
        for (int s = 0; s < 3; s++)
            ok(check(ctx, round, sizes[s]), "round %d, elements of %d bytes", round, (int)sizes[s]);
    }
    mnp_finalize(ctx);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
