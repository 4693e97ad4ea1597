/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pushing boxes to peers: who takes part, what goes to whom, and the words by which ranks wait for each other.
 */
#include "array/move/p2p_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/p2p.h"
#include "comm/heap.h"
#include "comm/peers.h"
#include "comm/waits.h"
#include "kernels/array/p2p_boxes_params.h"

struct mnp__p2p_boxes {
    mnp_ctx *ctx;
    mnp__kernel *kernel, *copy; /* copy: for a rank that has nobody to wait for */
    const mnp__boxes *local;
    mnp_p2p_boxes_params params;
    int blocks;
    mnp_p2p_words *words; /* in the heap: one for each peer */
    void *states;         /* device memory: mnp_p2p_state of everyone in params, the count of blocks that have all */
    void *more;           /* device memory: those in params, where they are too many for it */
};

bool mnp__p2p_boxes_is_possible(const mnp_ctx *ctx)
{
    return mnp__heap_shared(ctx->comm.heap) && !ctx->device->cpu_memory;
}

/* ---- who takes part ---- */

/* Everyone that this rank has to do with, and what it stores, while params are made. */
struct peer_list {
    int count, num_shares;
    mnp_p2p_peer *peers;
    mnp_p2p_share *shares;
};

/* The entry of a peer, made where there is none yet. */
static mnp_p2p_peer *enter(const mnp__p2p_boxes *push, struct peer_list *peer_list, int number)
{
    const mnp__comm *comm = &push->ctx->comm;
    char *mine = (char *)&push->words[comm->peers->mine];
    for (int i = 0; i < peer_list->count; i++) {
        if (peer_list->peers[i].number == number)
            return &peer_list->peers[i];
    }
    mnp_p2p_peer *peer = &peer_list->peers[peer_list->count];
    peer->number = number;
    peer->state = (mnp_p2p_state *)push->states + peer_list->count++;
    peer->here = &push->words[number];
    peer->there = (mnp_p2p_words *)(void *)(mine + mnp__heap_distance(comm->heap, number));
    return peer;
}

/* Keep those with the fewest units first, and where it is equal the earlier one. */
static void add_share(struct peer_list *peer_list, int64_t first_unit, int64_t units)
{
    int place = peer_list->num_shares++;
    for (; place > 0 && peer_list->shares[place - 1].units > units; place--)
        peer_list->shares[place] = peer_list->shares[place - 1];
    peer_list->shares[place] = (mnp_p2p_share){.first_unit = first_unit, .units = units};
}

static void list_peers(const mnp__p2p_boxes *push, const mnp__p2p_boxes_spec *spec, struct peer_list *peer_list)
{
    for (int i = 0; i < spec->ntargets; i++) {
        const int64_t end = i + 1 < spec->ntargets ? spec->first_units[i + 1] : spec->store->units;
        enter(push, peer_list, spec->targets[i])->stores = 1;
        add_share(peer_list, spec->first_units[i], end - spec->first_units[i]);
    }
    if (spec->local->units > 0)
        add_share(peer_list, spec->store->units, spec->local->units);
    for (int i = 0; i < spec->nwriters; i++)
        enter(push, peer_list, spec->writers[i])->writes = 1;
}

/* ---- memory ---- */

static mnp_status upload(mnp__p2p_boxes *push, void *device, const void *host, size_t size)
{
    return push->ctx->device->ops->copy(push->ctx->device, device, host, size, push->ctx->compute);
}

/* Bring the peer_list to where the kernel finds it. */
static mnp_status upload_peer_list(mnp__p2p_boxes *push, const struct peer_list *peer_list)
{
    mnp__device *device = push->ctx->device;
    const size_t peers = (size_t)peer_list->count * sizeof *peer_list->peers;
    const size_t shares = (size_t)peer_list->num_shares * sizeof *peer_list->shares;
    push->params.push.count = peer_list->count;
    push->params.num_shares = peer_list->num_shares;
    if (peer_list->count <= MNP_P2P_PEERS && peer_list->num_shares <= MNP_P2P_PEERS) {
        memcpy(push->params.peers, peer_list->peers, peers);
        memcpy(push->params.shares, peer_list->shares, shares);
        return MNP_OK;
    }
    MNP_TRY(device->ops->alloc(device, peers + shares, &push->more));
    push->params.more_peers = push->more;
    push->params.more_shares = (const mnp_p2p_share *)(const void *)((char *)push->more + peers);
    MNP_TRY(upload(push, push->more, peer_list->peers, peers));
    return upload(push, (char *)push->more + peers, peer_list->shares, shares);
}

/* What this rank does alone; `peer_list` has room for `room`. */
static mnp_status prepare(mnp__p2p_boxes *push, const mnp__p2p_boxes_spec *spec, size_t room,
                          struct peer_list *peer_list)
{
    mnp_ctx *ctx = push->ctx;
    mnp__device *device = ctx->device;
    const size_t states = room * sizeof(mnp_p2p_state), words = (size_t)ctx->comm.peers->most * sizeof *push->words;
    mnp_rank_info info = {.rank = 0};
    MNP_TRY(device->ops->info(device, &info));
    MNP_TRY(device->ops->alloc(device, states + sizeof(unsigned), &push->states));
    MNP_TRY(device->ops->fill(device, push->states, 0, states + sizeof(unsigned), ctx->compute));
    MNP_TRY(device->ops->fill(device, push->words, 0, words, ctx->compute));
    push->params.push.arrived = (unsigned *)(void *)((char *)push->states + states);
    push->params.push.limits = mnp__waits_params(ctx->comm.waits);
    push->params.store = mnp__boxes_params(spec->store);
    push->params.local = mnp__boxes_params(spec->local);
    push->blocks = mnp__p2p_blocks(spec->store->units + spec->local->units, info.multiprocessors);
    list_peers(push, spec, peer_list);
    MNP_TRY(upload_peer_list(push, peer_list));
    return mnp__ctx_wait(ctx, ctx->compute);
}

static mnp_status load_kernel(mnp__p2p_boxes *push, mnp_dtype dtype)
{
    const char *type = mnp__jit_type(dtype);
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_SRC %s\n#define MNP_DST %s\n", type, type);
    const mnp__kernel_spec spec = {.file = "array/p2p_boxes.cu", .function = "p2p_boxes"};
    MNP_TRY(mnp__ctx_kernel_of_text(push->ctx, &spec, &defines, NULL, &push->kernel));
    return mnp__copy_kernel(push->ctx, dtype, dtype, &push->copy);
}

mnp_status mnp__p2p_boxes_new(mnp_ctx *ctx, const mnp__p2p_boxes_spec *spec, mnp__p2p_boxes **push_p)
{
    const size_t room = (size_t)ctx->comm.peers->count, words = (size_t)ctx->comm.peers->most * sizeof(mnp_p2p_words);
    struct peer_list peer_list = {.count = 0};
    mnp__p2p_boxes *push = NULL;
    mnp_status st = mnp__calloc(1, sizeof *push, &push);
    if (st == MNP_OK) {
        push->ctx = ctx;
        push->local = spec->local;
        st = mnp__calloc(room, sizeof *peer_list.peers, &peer_list.peers);
    }
    if (st == MNP_OK)
        st = mnp__calloc(room, sizeof *peer_list.shares, &peer_list.shares);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(load_kernel(push, spec->dtype), st, done);
    MNP_TRY_OR(mnp__heap_alloc(ctx->comm.heap, words, (void **)&push->words), st, done);
    /* agreed upon: nobody raises a word before it is 0 */
    MNP_TRY_OR(MNP_AGREE(ctx, prepare(push, spec, room, &peer_list)), st, done);
    *push_p = push;
done:
    free(peer_list.peers);
    free(peer_list.shares);
    if (st != MNP_OK)
        mnp__p2p_boxes_free(push);
    return st;
}

void mnp__p2p_boxes_free(mnp__p2p_boxes *push)
{
    if (!push)
        return;
    mnp__device *device = push->ctx->device;
    device->ops->free(device, push->states);
    device->ops->free(device, push->more);
    mnp__heap_free(push->ctx->comm.heap, push->words);
    free(push);
}

/* ---- running ---- */

mnp_status mnp__p2p_boxes_run(mnp__p2p_boxes *push, const void *src, void *theirs, void *own, mnp__stream *stream)
{
    mnp__device *device = push->ctx->device;
    const mnp__launch launch = {.grid = {(unsigned)push->blocks, 1, 1}, .block = {MNP_COPY_THREADS, 1, 1}};
    MNP_TRY(mnp__waits_check(push->ctx->comm.waits));
    if (push->params.push.count == 0) /* nobody to wait for, and all of the GPU to copy with */
        return mnp__boxes_run(push->ctx, push->copy, push->local, src, own, stream);
    push->params.src = src;
    push->params.theirs = theirs;
    push->params.own = own;
    return device->ops->launch(device, push->kernel, &launch, &push->params, sizeof push->params, stream);
}
