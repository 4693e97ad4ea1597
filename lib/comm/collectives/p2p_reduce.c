/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions and broadcasts among GPUs that share the heap: one launch of kernels/comm/p2p_reduce.cu.
 *
 * The elements are dealt out in shares.  Where all ranks want the result, or a part of it, all have a share; otherwise
 * the root has none, as it would load or store more than the others.  So what goes over a rank's links, in either
 * direction, are the elements once in a broadcast or a reduction to a root, and of p ranks (p-1)/p of them in a
 * reduction to parts, twice that in one to all.
 *
 * Before the launch the CPUs exchange where the buffers of their ranks are, while the GPU is still busy with earlier
 * work.
 */
#include <inttypes.h>

#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"
#include "comm/collectives/collectives_p2p.h"
#include "comm/waits.h"
#include "kernels/comm/p2p_reduce_params.h"

_Static_assert((int)MNP_P2P_PEERS >= (int)MNP_P2P_SMALL_RANKS, "a group that goes by p2p has no more ranks than that");

enum {
    PACK = MNP_P2P_REDUCE_PACK,
    LINE = 128,                               /* bytes that shares are multiples of */
    BLOCKS_EACH = MNP_P2P_REDUCE_RESIDENT / 2 /* on a multiprocessor, as all of them may have to wait */
};

/* What a rank tells the others about its side of the call. */
struct side {
    bool in_heap;        /* what others load, and where they store */
    uint64_t send, recv; /* its places in the heap */
    int64_t bytes;       /* of its elements */
    int kind, root, dtype, op;
};

/* ---- who does what ---- */

/* Whether others load from that rank's memory, */
static bool gives(const mnp__collective *call, int rank)
{
    return call->kind != MNP__BROADCAST || rank == call->root;
}

/* and store in it. */
static bool gets(const mnp__collective *call, int rank)
{
    switch (call->kind) {
    case MNP__ALL_REDUCE:
        return true;
    case MNP__REDUCE:
        return rank == call->root;
    case MNP__BROADCAST:
        return rank != call->root;
    default:
        return false;
    }
}

/* The elements that this rank reduces, of those that every rank has: how many; the first one is at *first_p. */
static int64_t find_share(const mnp_comm *comm, const mnp__collective *call, int64_t *first_p)
{
    const bool all = call->kind == MNP__ALL_REDUCE;
    const int64_t rank = comm->base.rank, number = all || rank < call->root ? rank : rank - 1;
    const int64_t shares = all ? comm->base.size : comm->base.size - 1;
    const int64_t line = LINE / (int64_t)mnp_dtype_size(call->dtype);
    const int64_t each = mnp__divide_up(call->whole, shares * line) * line;
    *first_p = 0;
    if (call->kind == MNP__REDUCE_SCATTER) {
        *first_p = rank * call->parts.count;
        return call->parts.count;
    }
    if ((!all && rank == call->root) || number * each >= call->whole)
        return 0;
    *first_p = number * each;
    return call->whole - *first_p < each ? call->whole - *first_p : each;
}

/* ---- the sides of the ranks ---- */

static struct side side_of(const mnp_comm *comm, const mnp__collective *call)
{
    const mnp__heap *heap = comm->base.heap;
    const int rank = comm->base.rank;
    const int64_t count = call->kind == MNP__REDUCE_SCATTER ? call->parts.count * comm->base.size : call->whole;
    const size_t bytes = (size_t)count * mnp_dtype_size(call->dtype);
    size_t send = 0, recv = 0;
    bool in_heap = !gives(call, rank) || mnp__heap_find(heap, call->send, bytes, &send);
    in_heap = in_heap && (!gets(call, rank) || mnp__heap_find(heap, call->recv, bytes, &recv));
    return (struct side){.in_heap = in_heap,
                         .send = send,
                         .recv = recv,
                         .bytes = (int64_t)bytes,
                         .kind = (int)call->kind,
                         .root = call->root,
                         .dtype = (int)call->dtype,
                         .op = (int)call->op};
}

/* Whether all mean the same: if one differs from another, everyone differs from one of the two. */
static mnp_status check_sides(const mnp_comm *comm, const mnp__collective *call, const struct side *sides)
{
    const struct side *own = &sides[comm->base.rank];
    for (int r = 0; r < comm->base.size; r++) {
        const struct side *other = &sides[r];
        if (other->kind != own->kind || other->root != own->root || other->dtype != own->dtype || other->op != own->op)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: rank %d of the communicator asks for something else, or gives another "
                            "root, dtype or operation",
                            call->name, r);
        if (other->bytes != own->bytes)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: rank %d of the communicator has %" PRId64 " bytes, and this rank %" PRId64, call->name,
                            r, other->bytes, own->bytes);
    }
    return MNP_OK;
}

/*
 * Whether one launch can do it, which all find alike: all is in the heap, and bytes that are copied lie alike in packs.
 */
static bool is_possible(const mnp_comm *comm, const mnp__collective *call, const struct side *sides)
{
    bool possible = true;
    for (int r = 0; r < comm->base.size; r++) {
        possible = possible && sides[r].in_heap;
        if (call->kind == MNP__BROADCAST && r != call->root)
            possible = possible && (sides[r].recv - sides[call->root].send) % PACK == 0;
    }
    return possible;
}

/* ---- the launch ---- */

/*
 * Where the share is loaded, in the order of the ranks, and stored, successors first.  Gives how many sources that are.
 */
static int list_places(const mnp_comm *comm, const mnp__collective *call, const struct side *sides, int64_t first,
                       mnp_p2p_reduce_params *params)
{
    const mnp__heap *heap = comm->p2p->heap;
    const int rank = comm->base.rank, ranks = comm->base.size;
    const size_t at = (size_t)first * mnp_dtype_size(call->dtype);
    int sources = 0;
    for (int r = 0; r < ranks; r++) {
        if (gives(call, r))
            params->sources[sources++] = mnp__heap_at(heap, comm->peer_of[r], (size_t)sides[r].send + at);
    }
    for (int i = 1; i <= ranks; i++) {
        const int r = (rank + i) % ranks;
        if (gets(call, r))
            params->targets[params->num_targets++] = mnp__heap_at(heap, comm->peer_of[r], (size_t)sides[r].recv + at);
    }
    if (call->kind == MNP__REDUCE_SCATTER)
        params->targets[params->num_targets++] = call->recv;
    return sources;
}

/* How the share is loaded and stored. */
static void cut_share(mnp_p2p_reduce_params *params, int sources, int64_t count, int64_t size)
{
    const uintptr_t begin = (uintptr_t)params->sources[0] % PACK;
    const int64_t before = (int64_t)(-begin % PACK);
    bool alike = before % size == 0;
    for (int r = 1; r < sources; r++)
        alike = alike && (uintptr_t)params->sources[r] % PACK == begin;
    params->in_packs = 1;
    for (int t = 0; t < params->num_targets; t++)
        params->in_packs = params->in_packs && (uintptr_t)params->targets[t] % PACK == begin;
    params->count = count;
    params->head = alike && before / size < count ? before / size : count;
    params->packs = (count - params->head) * size / PACK;
}

/* All others: that one stores and the other writes stands for loads as well. */
static void list_peers(const mnp_comm *comm, mnp_p2p_reduce_params *params)
{
    for (int r = 0; r < comm->base.size; r++) {
        if (r == comm->base.rank)
            continue;
        mnp_p2p_peer *entry =
            mnp__p2p_enter(&comm->p2p->links, params->p2p.peers, &params->p2p.count, comm->peer_of[r]);
        entry->stores = entry->writes = true;
    }
}

static unsigned blocks_of(const mnp_comm *comm, const mnp_p2p_reduce_params *params)
{
    const int64_t each = MNP_P2P_REDUCE_THREADS, most = (int64_t)BLOCKS_EACH * comm->p2p->multiprocessors;
    const int64_t work = mnp__max(params->packs, params->head), blocks = mnp__divide_up(work, each);
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

static mnp_status prepare(mnp_comm *comm, const mnp__collective *call, mnp__kernel **kernel_p)
{
    const bool copies = call->kind == MNP__BROADCAST;
    mnp__kernel **kernel = copies ? &comm->broadcast_parts : &comm->p2p_reduce[call->dtype][call->op];
    if (!*kernel) {
        mnp__text defines = MNP__TEXT_EMPTY;
        mnp__text_add(&defines, "#define MNP_SOURCES %d\n", copies ? 1 : comm->base.size);
        mnp__add_reduction(&defines, call->dtype, call->op);
        MNP_TRY(mnp__prepare_kernel(comm, "comm/p2p_reduce.cu", "p2p_reduce", &defines, kernel));
    }
    *kernel_p = *kernel;
    return MNP_OK;
}

static mnp_status launch(mnp_comm *comm, const mnp__collective *call, const struct side *sides)
{
    mnp__device *device = comm->base.device;
    mnp_p2p_reduce_params params = {.p2p = mnp__p2p_params(&comm->p2p->links)};
    mnp__kernel *kernel;
    int64_t first;
    MNP_TRY(prepare(comm, call, &kernel));
    const int64_t count = find_share(comm, call, &first);
    const int sources = list_places(comm, call, sides, first, &params);
    cut_share(&params, sources, count, (int64_t)mnp_dtype_size(call->dtype));
    list_peers(comm, &params);
    const mnp__launch shape = {
        .grid = {blocks_of(comm, &params), 1, 1}, .block = {MNP_P2P_REDUCE_THREADS, 1, 1}, .early = true};
    return device->ops->launch(device, kernel, &shape, &params, sizeof params, device->memory_stream);
}

/* A broadcast copies bytes of any dtype. */
static mnp__collective as_bytes(const mnp__collective *call)
{
    mnp__collective bytes = *call;
    bytes.whole *= (int64_t)mnp_dtype_size(call->dtype);
    bytes.dtype = MNP_UINT8;
    return bytes;
}

mnp_status mnp__p2p_reduce(mnp_comm *comm, const mnp__collective *given, bool *done_p)
{
    const mnp__collective call = given->kind == MNP__BROADCAST ? as_bytes(given) : *given;
    struct side mine[MNP_P2P_SMALL_RANKS], sides[MNP_P2P_SMALL_RANKS];
    *done_p = false;
    MNP_TRY(mnp__waits_check(comm->base.waits));
    mine[0] = side_of(comm, &call);
    for (int r = 1; r < comm->base.size; r++)
        mine[r] = mine[0];
    MNP_TRY(mnp__p2p_exchange_sides(comm, mine, sizeof *mine, sides));
    MNP_TRY(check_sides(comm, &call, sides));
    if (!is_possible(comm, &call, sides))
        return MNP_OK;
    *done_p = true;
    return launch(comm, &call, sides);
}
