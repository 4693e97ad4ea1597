/*
 * Pushing boxes to peers: who is served by which blocks of threads, and the words by which ranks wait for each other.
 */
#include "array/push.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/heap.h"
#include "comm/peers.h"
#include "comm/waits.h"
#include "kernels/push_boxes.h"

struct mnp__push {
    mnp_ctx *ctx;
    mnp__kernel *kernel, *copy; /* copy: for a rank that has nobody to wait for */
    const mnp__boxes *local;
    mnp_push_boxes_params params;
    int blocks;
    mnp_push_words *words; /* in the heap: one for each peer */
    void *states;          /* device memory: mnp_push_state of everyone in params, the count of targets that have all */
    void *more;            /* device memory: those in params, where they are too many for it */
};

bool mnp__push_is_possible(const mnp_ctx *ctx)
{
    return mnp__heap_shared(ctx->comm.heap) && !ctx->device->cpu_memory;
}

/* ---- who takes part ---- */

/* Everyone that this rank has to do with, while params are made. */
struct party {
    int count;
    mnp_push_peer *peers;
    mnp_push_share *shares;
};

/* The entry of a peer, made where there is none yet. */
static int enter(const mnp__push *push, struct party *party, int number)
{
    const mnp__comm *comm = &push->ctx->comm;
    for (int i = 0; i < party->count; i++) {
        if (party->peers[i].number == number)
            return i;
    }
    mnp_push_peer *peer = &party->peers[party->count];
    peer->number = number;
    peer->state = (mnp_push_state *)push->states + party->count;
    if (number != comm->peers->mine) {
        char *mine = (char *)&push->words[comm->peers->mine];
        peer->here = &push->words[number];
        peer->there = (mnp_push_words *)(void *)(mine + mnp__heap_distance(comm->heap, number));
    }
    return party->count++;
}

/* Targets first, as blocks are dealt to them; this rank is one of them where it has anything to copy, or nobody else is. */
static void gather_party(mnp__push *push, const mnp__push_spec *spec, struct party *party)
{
    for (int i = 0; i < spec->ntargets; i++) {
        const int64_t end = i + 1 < spec->ntargets ? spec->first_units[i + 1] : spec->store->units;
        mnp_push_share *share = &party->shares[enter(push, party, spec->targets[i])];
        *share = (mnp_push_share){.first_unit = spec->first_units[i], .units = end - spec->first_units[i]};
    }
    if (spec->local->units > 0 || spec->ntargets == 0) {
        mnp_push_share *share = &party->shares[enter(push, party, push->ctx->comm.peers->mine)];
        *share = (mnp_push_share){.units = spec->local->units};
    }
    push->params.push.targets = party->count;
    for (int i = 0; i < spec->nwriters; i++)
        party->peers[enter(push, party, spec->writers[i])].writes = 1;
    push->params.push.count = party->count;
}

/*
 * Deal blocks to the targets in proportion to their units, all at the same time, as every peer has links of its own.  Two
 * for each multiprocessor saturate them; they spin while they wait, and leave the larger part of the GPU to other kernels.
 */
static void deal_blocks(mnp__push *push, struct party *party, int multiprocessors)
{
    const int64_t most = 2 * multiprocessors;
    int64_t units = 0;
    for (int i = 0; i < push->params.push.targets; i++)
        units += party->shares[i].units;
    for (int i = 0; i < push->params.push.targets; i++) {
        const double share = (double)party->shares[i].units / (double)(units > 0 ? units : 1);
        const int64_t blocks = units > most ? (int64_t)(share * (double)most) : party->shares[i].units;
        party->peers[i].first_block = push->blocks;
        party->peers[i].blocks = blocks > 0 ? (int)blocks : 1;
        push->blocks += party->peers[i].blocks;
    }
}

/* ---- memory ---- */

static mnp_status upload(mnp__push *push, void *device, const void *host, size_t size)
{
    return push->ctx->device->ops->copy(push->ctx->device, device, host, size, push->ctx->compute);
}

/* Bring the party to where the kernel finds it. */
static mnp_status place_party(mnp__push *push, const struct party *party)
{
    mnp__device *device = push->ctx->device;
    const size_t count = (size_t)party->count, peers = count * sizeof *party->peers, shares = count * sizeof *party->shares;
    if (count <= MNP_PUSH_PEERS) {
        memcpy(push->params.peers, party->peers, peers);
        memcpy(push->params.shares, party->shares, shares);
        return MNP_OK;
    }
    MNP_TRY(device->ops->alloc(device, peers + shares, &push->more));
    push->params.more_peers = push->more;
    push->params.more_shares = (const mnp_push_share *)(const void *)((char *)push->more + peers);
    MNP_TRY(upload(push, push->more, party->peers, peers));
    return upload(push, (char *)push->more + peers, party->shares, shares);
}

/* What this rank does alone; `party` has room for `room`. */
static mnp_status prepare(mnp__push *push, const mnp__push_spec *spec, size_t room, struct party *party)
{
    mnp_ctx *ctx = push->ctx;
    mnp__device *device = ctx->device;
    const size_t states = room * sizeof(mnp_push_state), words = (size_t)ctx->comm.peers->most * sizeof *push->words;
    mnp_rank_info info = {.rank = 0};
    MNP_TRY(device->ops->info(device, &info));
    MNP_TRY(device->ops->alloc(device, states + sizeof(unsigned), &push->states));
    MNP_TRY(device->ops->fill(device, push->states, 0, states + sizeof(unsigned), ctx->compute));
    MNP_TRY(device->ops->fill(device, push->words, 0, words, ctx->compute));
    push->params.push.arrived = (unsigned *)(void *)((char *)push->states + states);
    push->params.push.limits = mnp__waits_params(ctx->comm.waits);
    push->params.store = mnp__boxes_params(spec->store);
    push->params.local = mnp__boxes_params(spec->local);
    gather_party(push, spec, party);
    deal_blocks(push, party, info.multiprocessors);
    MNP_TRY(place_party(push, party));
    return mnp__ctx_wait(ctx, ctx->compute);
}

static mnp_status load_kernel(mnp__push *push, mnp_dtype dtype)
{
    const char *type = mnp__jit_type(dtype);
    mnp__text defines = MNP__TEXT_EMPTY;
    mnp__text_add(&defines, "#define MNP_SRC %s\n#define MNP_DST %s\n", type, type);
    mnp_status st = mnp__text_status(&defines);
    const mnp__kernel_spec spec = {.file = "push_boxes.cu", .function = "push_boxes", .defines = defines.data};
    if (st == MNP_OK)
        st = mnp__ctx_kernel(push->ctx, &spec, &push->kernel);
    mnp__text_free(&defines);
    return st == MNP_OK ? mnp__copy_kernel(push->ctx, dtype, dtype, &push->copy) : st;
}

mnp_status mnp__push_new(mnp_ctx *ctx, const mnp__push_spec *spec, mnp__push **push_p)
{
    const size_t room = (size_t)ctx->comm.peers->count, words = (size_t)ctx->comm.peers->most * sizeof(mnp_push_words);
    struct party party = {.count = 0};
    mnp__push *push = NULL;
    mnp_status st = mnp__calloc(1, sizeof *push, &push);
    if (st == MNP_OK) {
        push->ctx = ctx;
        push->local = spec->local;
        st = mnp__calloc(room, sizeof *party.peers, &party.peers);
    }
    if (st == MNP_OK)
        st = mnp__calloc(room, sizeof *party.shares, &party.shares);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(load_kernel(push, spec->dtype), st, done);
    MNP_TRY_OR(mnp__heap_alloc(ctx->comm.heap, words, (void **)&push->words), st, done);
    /* agreed upon: nobody raises a word before it is 0 */
    MNP_TRY_OR(MNP_AGREE(ctx, prepare(push, spec, room, &party)), st, done);
    *push_p = push;
done:
    free(party.peers);
    free(party.shares);
    if (st != MNP_OK)
        mnp__push_free(push);
    return st;
}

void mnp__push_free(mnp__push *push)
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

mnp_status mnp__push_run(mnp__push *push, const void *src, void *theirs, void *own, mnp__stream *stream)
{
    mnp__device *device = push->ctx->device;
    const mnp__launch launch = {.grid = {(unsigned)push->blocks, 1, 1}, .block = {MNP_COPY_THREADS, 1, 1}};
    const mnp_push *all = &push->params.push;
    MNP_TRY(mnp__waits_check(push->ctx->comm.waits));
    if (all->count == 1 && !push->params.peers[0].here) /* nobody to wait for, and all of the GPU to copy with */
        return mnp__boxes_run(push->ctx, push->copy, push->local, src, own, stream);
    push->params.src = src;
    push->params.theirs = theirs;
    push->params.own = own;
    return device->ops->launch(device, push->kernel, &launch, &push->params, sizeof push->params, stream);
}
