/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of ghosts.  The plan has two lists: which of this rank's columns other ranks need, in the order of those
 * ranks, and how many ghosts come from each rank.  Ghosts are sorted by column, so those of one owner are contiguous,
 * and are received in place.
 *
 * GPUs that share the heap store ghosts directly (ghosts_p2p.h); otherwise they go by messages.  Buffers depend on the
 * size of an element and on the width of the vectors; those for the last few such kinds are cached.  While there are
 * graphs, which hold addresses of buffers, all stay.
 */
#include "sparse/matrix/ghosts.h"

#include <stdlib.h>
#include <string.h>

#include "array/move/shuffle.h"
#include "comm/watch.h"
#include "ops/indexing/indexed.h"
#include "sparse/step/elements.h"
#include "sparse/matrix/ghosts_p2p.h"
#include "sparse/matrix/sparse.h"

enum { KEPT_EXCHANGES = 4 };

/* Buffers for vectors of one kind: for stores into the memory of peers, or for messages. */
struct buffers {
    struct buffers *next;
    size_t size; /* bytes of an element */
    int64_t width;
    mnp__ghosts_p2p *p2p; /* NULL: by messages */
    void *send, *recv;    /* device memory */
    mnp__exchange *exchange;
};

struct mnp__ghosts {
    mnp_ctx *ctx;
    mnp_layout *layout; /* of the columns */
    int64_t count, *columns;
    bool by_p2p, planned, going; /* going: between begin and finish */
    int64_t *from, *to;          /* ghosts from every rank, and own columns to every rank */
    int64_t wanted;              /* own columns that others need, each once for every such rank */
    int64_t *wanted_places;      /* on the device: their offsets in this rank's part */
    struct buffers *buffers;     /* a list, the last used first */
};

mnp_status mnp__ghosts_new(mnp_ctx *ctx, const mnp_layout *column_layout, int64_t count, const int64_t *columns,
                           mnp__ghosts **ghosts_p)
{
    mnp__ghosts *ghosts;
    MNP_TRY(mnp__calloc(1, sizeof *ghosts, &ghosts));
    ghosts->ctx = ctx;
    ghosts->layout = mnp_layout_retain(column_layout);
    ghosts->count = count;
    ghosts->by_p2p = mnp__ghosts_p2p_is_possible(ctx);
    mnp_status st = mnp__malloc((size_t)count * sizeof *columns, &ghosts->columns);
    if (st == MNP_OK)
        st = mnp__calloc(2 * (size_t)ctx->comm.size, sizeof *ghosts->from, &ghosts->from);
    if (st != MNP_OK) {
        mnp__ghosts_free(ghosts);
        return st;
    }
    ghosts->to = ghosts->from + ctx->comm.size;
    memcpy(ghosts->columns, columns, (size_t)count * sizeof *columns);
    *ghosts_p = ghosts;
    return MNP_OK;
}

static void close_buffers(mnp_ctx *ctx, struct buffers *buffers)
{
    if (buffers->exchange && ctx->comm.transport == MNP_TRANSPORT_STAGED) /* its pinned memory may still be in use */
        (void)mnp__ctx_wait(ctx, ctx->transfer);
    mnp__exchange_free(buffers->exchange);
    ctx->device->ops->free(ctx->device, buffers->send);
    ctx->device->ops->free(ctx->device, buffers->recv);
    mnp__ghosts_p2p_free(buffers->p2p);
    free(buffers);
}

void mnp__ghosts_free(mnp__ghosts *ghosts)
{
    if (!ghosts)
        return;
    while (ghosts->buffers) {
        struct buffers *first = ghosts->buffers;
        ghosts->buffers = first->next;
        close_buffers(ghosts->ctx, first);
    }
    ghosts->ctx->device->ops->free(ghosts->ctx->device, ghosts->wanted_places);
    mnp_layout_free(ghosts->layout);
    free(ghosts->columns);
    free(ghosts->from);
    free(ghosts);
}

int64_t mnp__ghosts_count(const mnp__ghosts *ghosts)
{
    return ghosts->count;
}

const int64_t *mnp__ghosts_columns(const mnp__ghosts *ghosts)
{
    return ghosts->columns;
}

bool mnp__ghosts_enqueues(const mnp__ghosts *ghosts)
{
    return ghosts->by_p2p || ghosts->ctx->comm.size == 1;
}

/* ---- planning ---- */

/* Upload the offset of each ghost in its owner's part.  *places_p is set also after a failure.  Waits. */
static mnp_status upload_places(const mnp__ghosts *ghosts, int64_t **places_p)
{
    const int64_t *cuts = mnp_layout_cuts(ghosts->layout, 0);
    int64_t *places;
    MNP_TRY(mnp__malloc((size_t)ghosts->count * sizeof *places, &places));
    for (int64_t i = 0, owner = 0; i < ghosts->count; i++) {
        while (cuts[owner + 1] <= ghosts->columns[i])
            owner++;
        places[i] = ghosts->columns[i] - cuts[owner];
    }
    mnp_status st = mnp__elements_upload(ghosts->ctx, ghosts->count, sizeof *places, places, places_p);
    free(places);
    return st;
}

/* Send the offsets to the owners, and receive those that other ranks need of this rank's part, on the device. */
static mnp_status ask_owners(mnp__ghosts *ghosts)
{
    mnp_ctx *ctx = ghosts->ctx;
    mnp__shuffle *shuffle;
    int64_t *asked = NULL;
    MNP_TRY(mnp__shuffle_new(ctx, ghosts->from, &shuffle));
    ghosts->wanted = mnp__shuffle_received(shuffle);
    memcpy(ghosts->to, mnp__shuffle_received_from(shuffle), (size_t)ctx->comm.size * sizeof *ghosts->to);
    mnp_status st = mnp__elements_new(ctx, ghosts->wanted, sizeof *ghosts->wanted_places, &ghosts->wanted_places);
    if (st == MNP_OK)
        st = upload_places(ghosts, &asked);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = mnp__shuffle_send(shuffle, sizeof *asked, asked, ghosts->wanted_places);
    if (st != MNP_OK) {
        mnp__elements_free(ctx, ghosts->wanted_places);
        ghosts->wanted_places = NULL;
    }
    mnp__elements_free(ctx, asked);
    mnp__shuffle_free(shuffle);
    return st;
}

static mnp_status plan(mnp__ghosts *ghosts)
{
    const int64_t *cuts = mnp_layout_cuts(ghosts->layout, 0);
    if (ghosts->planned)
        return MNP_OK;
    memset(ghosts->from, 0, (size_t)ghosts->ctx->comm.size * sizeof *ghosts->from);
    for (int64_t i = 0, rank = 0; i < ghosts->count; i++) {
        while (cuts[rank + 1] <= ghosts->columns[i])
            rank++;
        ghosts->from[rank]++;
    }
    MNP_TRY(ask_owners(ghosts));
    ghosts->planned = true;
    return MNP_OK;
}

static mnp__ghosts_plan describe_plan(const mnp__ghosts *ghosts)
{
    return (mnp__ghosts_plan){.from = ghosts->from, .to = ghosts->to, .places = ghosts->wanted_places};
}

mnp_status mnp__ghosts_ask(mnp__ghosts *ghosts, mnp__ghosts_plan *asked)
{
    MNP_TRY(plan(ghosts));
    *asked = describe_plan(ghosts);
    return MNP_OK;
}

/* ---- buffers ---- */

/* List a message for every rank whose count is not 0; returns how many there are. */
static int list_messages(const mnp_ctx *ctx, const int64_t *counts, size_t bytes, char *data, mnp__message *messages)
{
    int count = 0;
    for (int r = 0; r < ctx->comm.size; r++) {
        const size_t size = (size_t)counts[r] * bytes;
        if (size > 0)
            messages[count++] = (mnp__message){.peer = r, .data = data, .bytes = size};
        data += size;
    }
    return count;
}

static mnp_status prepare_messages(const mnp__ghosts *ghosts, struct buffers *buffers)
{
    mnp_ctx *ctx = ghosts->ctx;
    const size_t ranks = (size_t)ctx->comm.size, bytes = buffers->size * (size_t)buffers->width;
    mnp__message *messages = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__calloc(2 * ranks, sizeof *messages, &messages), st, done);
    MNP_TRY_OR(ctx->device->ops->alloc(ctx->device, (size_t)ghosts->wanted * bytes, &buffers->send), st, done);
    MNP_TRY_OR(ctx->device->ops->alloc(ctx->device, (size_t)ghosts->count * bytes, &buffers->recv), st, done);
    const int sends = list_messages(ctx, ghosts->to, bytes, buffers->send, messages);
    const int recvs = list_messages(ctx, ghosts->from, bytes, buffers->recv, messages + ranks);
    st = mnp__exchange_new(&ctx->comm, sends, messages, recvs, messages + ranks, &buffers->exchange);
done:
    free(messages);
    return st;
}

/* Allocate the buffers and prepare the exchange.  Collective, and agreed upon. */
static mnp_status prepare(const mnp__ghosts *ghosts, struct buffers *buffers)
{
    const mnp__ghosts_plan plan = describe_plan(ghosts);
    if (ghosts->by_p2p)
        return mnp__ghosts_p2p_new(ghosts->ctx, &plan, buffers->size, buffers->width, &buffers->p2p);
    return MNP_AGREE(ghosts->ctx, prepare_messages(ghosts, buffers));
}

/* Make buffers, which become the first of the list.  Collective, and agreed upon. */
static mnp_status open_buffers(mnp__ghosts *ghosts, size_t size, int64_t width)
{
    struct buffers *buffers = NULL;
    mnp_status st = MNP_AGREE(ghosts->ctx, mnp__calloc(1, sizeof *buffers, &buffers));
    if (st == MNP_OK) {
        buffers->size = size;
        buffers->width = width;
        st = prepare(ghosts, buffers);
    }
    if (st == MNP_OK) {
        buffers->next = ghosts->buffers;
        ghosts->buffers = buffers;
    } else if (buffers) {
        close_buffers(ghosts->ctx, buffers);
    }
    return st;
}

/* Close all buffers but the first `kept`. */
static void forget_last(mnp__ghosts *ghosts, int kept)
{
    struct buffers **link = &ghosts->buffers;
    for (int i = 0; i < kept && *link; i++)
        link = &(*link)->next;
    while (*link) {
        struct buffers *last = *link;
        *link = last->next;
        close_buffers(ghosts->ctx, last);
    }
}

/* Bring the buffers for a kind of vectors to the front of the list; make them if there are none. */
static mnp_status find_buffers(mnp__ghosts *ghosts, size_t size, int64_t width)
{
    struct buffers **link = &ghosts->buffers;
    while (*link && ((*link)->size != size || (*link)->width != width))
        link = &(*link)->next;
    struct buffers *found = *link;
    if (!found) {
        if (!mnp__ctx_has_graphs(ghosts->ctx))
            forget_last(ghosts, KEPT_EXCHANGES - 1);
        return open_buffers(ghosts, size, width);
    }
    *link = found->next;
    found->next = ghosts->buffers;
    ghosts->buffers = found;
    return MNP_OK;
}

/* ---- exchanging ---- */

/* Count for profiles what is sent now. */
static void count_sent(const mnp__ghosts *ghosts, size_t size, int64_t width)
{
    int64_t receivers = 0;
    if (!mnp__watch_counts)
        return;
    for (int r = 0; r < ghosts->ctx->comm.size; r++)
        receivers += ghosts->to[r] > 0;
    mnp__watch_send(ghosts->wanted * (int64_t)size * width, receivers);
}

/* Pack the elements that other ranks need, and begin to send them. */
static mnp_status begin_messages(const mnp__ghosts *ghosts, const void *x)
{
    mnp_ctx *ctx = ghosts->ctx;
    const struct buffers *buffers = ghosts->buffers;
    mnp_indexed_params packing = {.src = x,
                                  .dst = buffers->send,
                                  .jump = buffers->width,
                                  .index = ghosts->wanted_places,
                                  .mode = MNP_INDEXED_RAISE};
    mnp__indexed_add(&packing, ghosts->wanted, 0, buffers->width, 1);
    mnp__indexed_add(&packing, buffers->width, 1, 1, 0);
    MNP_TRY(mnp__indexed_run(ctx, buffers->size, &packing));
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    return mnp__exchange_begin(buffers->exchange, ctx->transfer);
}

static mnp_status begin_p2p(const mnp__ghosts *ghosts, const void *x)
{
    mnp_ctx *ctx = ghosts->ctx;
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    return mnp__ghosts_p2p_run(ghosts->buffers->p2p, x, ctx->transfer);
}

mnp_status mnp__ghosts_begin(mnp__ghosts *ghosts, size_t size, int64_t width, const void *x)
{
    MNP_TRY(plan(ghosts));
    if (width == 0)
        return MNP_OK;
    MNP_TRY(find_buffers(ghosts, size, width));
    count_sent(ghosts, size, width);
    MNP_TRY(ghosts->by_p2p ? begin_p2p(ghosts, x) : begin_messages(ghosts, x));
    ghosts->going = true;
    return MNP_OK;
}

mnp_status mnp__ghosts_finish(mnp__ghosts *ghosts, const void **values_p)
{
    mnp_ctx *ctx = ghosts->ctx;
    const struct buffers *buffers = ghosts->buffers;
    *values_p = NULL; /* vectors of width 0 have none */
    if (!ghosts->going)
        return MNP_OK;
    *values_p = ghosts->by_p2p ? mnp__ghosts_p2p_values(buffers->p2p) : buffers->recv;
    ghosts->going = false;
    if (!ghosts->by_p2p)
        MNP_TRY(mnp__exchange_finish(buffers->exchange, ctx->transfer));
    return mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
}
