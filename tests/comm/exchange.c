/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges between device memories: many rounds of messages of many sizes; and a rank that does not take part.
 */
#include "comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "context/context.h"

enum { MOST_RANKS = 16, MESSAGES = 3 };

/* Bytes of message number i from one rank to another; some are empty. */
static size_t size_of(int from, int to, int i)
{
    return i == 1 && from == 0 ? 0 : (size_t)(1 + 977 * from + 131 * to) * (i == 2 ? 4096 : 1);
}

static unsigned char byte_of(int from, int to, int i, int round, size_t at)
{
    return (unsigned char)(from * 31 + to * 7 + i * 5 + round * 3 + (int)(at % 251));
}

struct traffic {
    mnp_ctx *ctx;
    int count;
    mnp__message sends[MOST_RANKS * MESSAGES], recvs[MOST_RANKS * MESSAGES];
};

static bool allocate(struct traffic *t)
{
    mnp__device *device = t->ctx->device;
    int rank = t->ctx->comm.rank;
    t->count = 0;
    for (int peer = 0; peer < t->ctx->comm.size; peer++) {
        for (int i = 0; i < MESSAGES && peer != rank; i++, t->count++) {
            t->sends[t->count] = (mnp__message){.peer = peer, .bytes = size_of(rank, peer, i)};
            t->recvs[t->count] = (mnp__message){.peer = peer, .bytes = size_of(peer, rank, i)};
            if (device->ops->alloc(device, t->sends[t->count].bytes, &t->sends[t->count].data) != MNP_OK ||
                device->ops->alloc(device, t->recvs[t->count].bytes, &t->recvs[t->count].data) != MNP_OK)
                return false;
        }
    }
    return true;
}

static void release(struct traffic *t)
{
    for (int m = 0; m < t->count; m++) {
        t->ctx->device->ops->free(t->ctx->device, t->sends[m].data);
        t->ctx->device->ops->free(t->ctx->device, t->recvs[m].data);
    }
}

/* Fill what is sent in this round, or check what was received. */
static bool visit(struct traffic *t, int round, bool check)
{
    mnp_ctx *ctx = t->ctx;
    bool right = true;
    for (int m = 0; m < t->count && right; m++) {
        const mnp__message *message = check ? &t->recvs[m] : &t->sends[m];
        int from = check ? message->peer : ctx->comm.rank, to = check ? ctx->comm.rank : message->peer;
        unsigned char *expected = malloc(message->bytes + 1), *bytes = malloc(message->bytes + 1);
        for (size_t at = 0; at < message->bytes; at++)
            expected[at] = byte_of(from, to, m % MESSAGES, round, at);
        void *to_here = check ? bytes : message->data, *from_here = check ? message->data : expected;
        right = ctx->device->ops->copy(ctx->device, to_here, from_here, message->bytes, ctx->transfer) == MNP_OK;
        right = right && mnp__ctx_wait(ctx, ctx->transfer) == MNP_OK;
        right = right && (!check || memcmp(bytes, expected, message->bytes) == 0);
        free(expected);
        free(bytes);
    }
    return right;
}

static void check_rounds(mnp_ctx *ctx)
{
    static struct traffic t;
    mnp__exchange *exchange = NULL;
    t.ctx = ctx;
    bool made = allocate(&t) && mnp__exchange_new(&ctx->comm, t.count, t.sends, t.count, t.recvs, &exchange) == MNP_OK;
    if (ok(made, "an exchange over %s", mnp_ctx_transport(ctx))) {
        for (int round = 0; round < 4; round++)
            ok(visit(&t, round, false) && mnp__exchange_begin(exchange, ctx->transfer) == MNP_OK &&
                   mnp__exchange_finish(exchange, ctx->transfer) == MNP_OK && visit(&t, round, true),
               "round %d brings what was sent", round);
    }
    mnp__exchange_free(exchange);
    release(&t);
}

static mnp_status run_exchange(mnp_ctx *ctx, mnp__exchange *exchange)
{
    MNP_TRY(mnp__exchange_begin(exchange, ctx->transfer));
    MNP_TRY(mnp__exchange_finish(exchange, ctx->transfer));
    return mnp__ctx_wait(ctx, ctx->transfer);
}

/* The last rank comes too late: the first one gets an error at the deadline, and does not hang. */
static void check_absence(void)
{
    mnp_ctx *ctx;
    mnp__exchange *exchange = NULL;
    mnp__message message = {.bytes = 1000};
    if (!ok(mnp_init(MPI_COMM_WORLD, "deadline=1.5", &ctx) == MNP_OK, "a context with a deadline of 1.5 s"))
        return;
    int rank = ctx->comm.rank, last = ctx->comm.size - 1;
    bool receives = rank == 0 && last > 0, sends = rank == last && last > 0;
    message.peer = receives ? last : 0;
    mnp_status st = ctx->device->ops->alloc(ctx->device, message.bytes, &message.data);
    if (st == MNP_OK)
        st = mnp__exchange_new(&ctx->comm, sends, &message, receives, &message, &exchange);
    ok(st == MNP_OK, "one message, from the last rank to the first");

    double begin = MPI_Wtime();
    if (receives)
        st = run_exchange(ctx, exchange);
    double waited = MPI_Wtime() - begin;
    if (last == 0)
        skip("a rank that stays away is an error", "there is one rank");
    else
        ok(!receives || (st == MNP_ERR_TIMEOUT && waited > 1), "a rank that stays away is an error: %s",
           receives ? mnp_error_message() : "");
    if (sends && ctx->comm.transport != MNP_TRANSPORT_NCCL) /* NCCL has been aborted; MPI's receive is still open */
        st = run_exchange(ctx, exchange);
    MPI_Barrier(MPI_COMM_WORLD);
    mnp__exchange_free(exchange);
    ctx->device->ops->free(ctx->device, message.data);
    mnp_finalize(ctx);
}

int main(void)
{
    mnp_ctx *ctx;
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    check_rounds(ctx);
    mnp_finalize(ctx);
    check_absence();
    int status = done_testing();
    MPI_Finalize();
    return status;
}
