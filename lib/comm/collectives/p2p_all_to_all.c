/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All to all, and what everyone gathers, among GPUs that share the heap: one launch of kernels/comm/p2p_all_to_all.cu.
 *
 * Before the launch the CPUs exchange where each rank receives, while the GPU is still busy with earlier work.
 */
#include <inttypes.h>

#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"
#include "comm/collectives/collectives_p2p.h"
#include "comm/waits.h"
#include "kernels/comm/p2p_all_to_all_params.h"

_Static_assert((int)MNP_P2P_PEERS >= (int)MNP_P2P_SMALL_RANKS, "a group that goes by p2p has no more ranks than that");

/* What a rank tells another about its side of the call. */
struct side {
    bool in_heap;           /* all that it receives */
    uint64_t place;         /* in its heap, of what it receives from the other */
    int64_t sends, expects; /* bytes, to the other and from it */
};

static int64_t bytes_of(const mnp__collective *call, mnp__run run)
{
    return run.count * (int64_t)mnp_dtype_size(call->dtype);
}

/* This rank's side, for every rank. */
static void write_sides(const mnp_comm *comm, const mnp__collective *call, struct side *mine)
{
    const int rank = comm->base.rank;
    bool in_heap = true;
    for (int r = 0; r < comm->base.size; r++) {
        const mnp__run run = mnp__received(call, rank, r);
        size_t place = 0;
        if (run.count > 0 && !mnp__heap_find(comm->base.heap, run.data, (size_t)bytes_of(call, run), &place))
            in_heap = false;
        mine[r] = (struct side){
            .place = place, .sends = bytes_of(call, mnp__sent(call, rank, r)), .expects = bytes_of(call, run)};
    }
    for (int r = 0; r < comm->base.size; r++)
        mine[r].in_heap = in_heap;
}

/* Whether this rank and every other mean the same by what goes between them. */
static mnp_status check_sizes(const mnp_comm *comm, const mnp__collective *call, const struct side *sides)
{
    const int rank = comm->base.rank;
    for (int r = 0; r < comm->base.size; r++) {
        const int64_t expects = bytes_of(call, mnp__received(call, rank, r));
        const int64_t sends = bytes_of(call, mnp__sent(call, rank, r));
        if (sides[r].sends != expects)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: rank %d of the communicator sends %" PRId64 " bytes, where this rank "
                            "expects %" PRId64,
                            call->name, r, sides[r].sends, expects);
        if (sides[r].expects != sends)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: rank %d of the communicator expects %" PRId64 " bytes, where this rank "
                            "sends %" PRId64,
                            call->name, r, sides[r].expects, sends);
    }
    return MNP_OK;
}

static void add_part(mnp_p2p_all_to_all_params *params, mnp_p2p_part part)
{
    params->parts[params->num_parts] = part;
    mnp__p2p_deal(params->shares, &params->num_parts, params->num_parts,
                  mnp__divide_up(part.bytes, MNP_P2P_PARTS_BYTES));
}

/* The peers that this rank writes to or that write here, and what goes where: first to successors, last to itself. */
static void list_peers(const mnp_comm *comm, const mnp__collective *call, const struct side *sides,
                       mnp_p2p_all_to_all_params *params)
{
    const mnp__p2p *p2p = comm->p2p;
    const int rank = comm->base.rank, ranks = comm->base.size;
    for (int i = 1; i < ranks; i++) {
        const int r = (rank + i) % ranks, peer = comm->peer_of[r];
        const mnp__run sends = mnp__sent(call, rank, r), recvs = mnp__received(call, rank, r);
        if (sends.count == 0 && recvs.count == 0)
            continue;
        mnp_p2p_peer *entry = mnp__p2p_enter(&p2p->links, params->p2p.peers, &params->p2p.count, peer);
        entry->stores = sends.count > 0;
        entry->writes = recvs.count > 0;
        add_part(params, (mnp_p2p_part){.src = sends.data,
                                        .dst = mnp__heap_at(p2p->heap, peer, (size_t)sides[r].place),
                                        .bytes = bytes_of(call, sends)});
    }
    const mnp__run sends = mnp__sent(call, rank, rank), recvs = mnp__received(call, rank, rank);
    if (recvs.data != sends.data) /* else in place */
        add_part(params, (mnp_p2p_part){.src = sends.data, .dst = recvs.data, .bytes = bytes_of(call, sends)});
}

static mnp_status launch(mnp_comm *comm, const mnp__collective *call, const struct side *sides)
{
    mnp__device *device = comm->base.device;
    mnp_p2p_all_to_all_params params = {.p2p = mnp__p2p_params(&comm->p2p->links)};
    int64_t units = 0;
    list_peers(comm, call, sides, &params);
    for (int i = 0; i < params.num_parts; i++)
        units += params.shares[i].units;
    if (params.p2p.count == 0 && units == 0)
        return MNP_OK;
    const int blocks = mnp__p2p_blocks(units, comm->p2p->multiprocessors);
    const mnp__launch shape = {.grid = {(unsigned)blocks, 1, 1}, .block = {MNP_P2P_PARTS_THREADS, 1, 1}, .early = true};
    return device->ops->launch(device, comm->p2p_all_to_all, &shape, &params, sizeof params, device->memory_stream);
}

mnp_status mnp__p2p_all_to_all(mnp_comm *comm, const mnp__collective *call, bool *done_p)
{
    struct side mine[MNP_P2P_SMALL_RANKS], sides[MNP_P2P_SMALL_RANKS];
    mnp__text none = MNP__TEXT_EMPTY;
    bool in_heap = true;
    *done_p = false;
    MNP_TRY(mnp__waits_check(comm->base.waits));
    MNP_TRY(mnp__prepare_kernel(comm, "comm/p2p_all_to_all.cu", "p2p_all_to_all", &none, &comm->p2p_all_to_all));
    write_sides(comm, call, mine);
    MNP_TRY(mnp__p2p_exchange_sides(comm, mine, sizeof *mine, sides));
    mnp_status st = check_sizes(comm, call, sides);
    if (call->parts.counts) /* otherwise a rank that differs, differs from all others */
        st = mnp__agree(&comm->base, st);
    for (int r = 0; r < comm->base.size; r++)
        in_heap = in_heap && sides[r].in_heap;
    if (st != MNP_OK || !in_heap)
        return st;
    *done_p = true;
    return launch(comm, call, sides);
}
