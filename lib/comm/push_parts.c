/*
 * All to all, and what everyone gathers, among GPUs that share the heap: one launch of kernels/push_parts.cu.
 *
 * Before it the CPUs tell each other where everyone receives, while the GPU is still busy with earlier work.
 */
#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "comm/direct.h"
#include "comm/waits.h"
#include "comm/watch.h"
#include "kernels/push_parts.h"

_Static_assert((int)MNP_PUSH_PARTS_PEERS >= (int)MNP_SMALL_RANKS, "a direct group has no more ranks than that");

enum { OWN_SHARE = 4, BLOCKS_EACH = 2 }; /* what stays moves that much faster; of a multiprocessor, at most */

/* What a rank tells another. */
struct notice {
    bool in_heap;           /* all that it receives */
    uint64_t place;         /* in its heap, of what it receives from the other */
    int64_t sends, expects; /* bytes, to the other and from it */
};

static int64_t bytes_of(const mnp__collective *call, mnp__run run)
{
    return run.count * (int64_t)mnp_dtype_size(call->dtype);
}

/* What this rank has to tell everyone. */
static void write_notices(const mnp_comm *comm, const mnp__collective *call, struct notice *notices)
{
    const int rank = comm->part.rank;
    bool in_heap = true;
    for (int r = 0; r < comm->part.size; r++) {
        const mnp__run run = mnp__received(call, rank, r);
        size_t place = 0;
        if (run.count > 0 && !mnp__heap_find(comm->part.heap, run.data, (size_t)bytes_of(call, run), &place))
            in_heap = false;
        notices[r] = (struct notice){.place = place,
                                     .sends = bytes_of(call, mnp__sent(call, rank, r)),
                                     .expects = bytes_of(call, run)};
    }
    for (int r = 0; r < comm->part.size; r++)
        notices[r].in_heap = in_heap;
}

/* Everyone's notices for this rank, by their numbers.  Returns by the deadline. */
static mnp_status exchange_notices(mnp_comm *comm, const mnp__collective *call, struct notice *told)
{
    const int rank = comm->part.rank, ranks = comm->part.size;
    struct notice *sent, *received;
    MNP_TRY(mnp__watch_room(&comm->part, 2 * (size_t)ranks * sizeof *sent, (void **)&sent));
    received = sent + ranks;
    write_notices(comm, call, sent);
    received[rank] = sent[rank];
    for (int i = 1; i < ranks; i++) {
        const int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;
        comm->sends[i - 1] = (mnp__message){.peer = to, .data = &sent[to], .bytes = sizeof *sent};
        comm->recvs[i - 1] = (mnp__message){.peer = from, .data = &received[from], .bytes = sizeof *received};
    }
    MNP_TRY(mnp__messages_move(comm, ranks - 1, comm->sends, ranks - 1, comm->recvs));
    memcpy(told, received, (size_t)ranks * sizeof *told);
    return MNP_OK;
}

/* Whether this rank and every other mean the same by what goes between them. */
static mnp_status check_sizes(const mnp_comm *comm, const mnp__collective *call, const struct notice *told)
{
    const int rank = comm->part.rank;
    for (int r = 0; r < comm->part.size; r++) {
        const int64_t expects = bytes_of(call, mnp__received(call, rank, r));
        const int64_t sends = bytes_of(call, mnp__sent(call, rank, r));
        if (told[r].sends != expects)
            return MNP_FAIL(MNP_ERR_ARG, "%s: rank %d of the communicator sends %" PRId64 " bytes, where this rank expects "
                            "%" PRId64, call->name, r, told[r].sends, expects);
        if (told[r].expects != sends)
            return MNP_FAIL(MNP_ERR_ARG, "%s: rank %d of the communicator expects %" PRId64 " bytes, where this rank sends "
                            "%" PRId64, call->name, r, told[r].expects, sends);
    }
    return MNP_OK;
}

/* Blocks for so many bytes, as many as have something to do at once. */
static int blocks_for(int64_t bytes, int64_t share, int most)
{
    const int64_t blocks = (bytes + share - 1) / share;
    return (int)(blocks < most ? blocks : most);
}

/* Deal the grid out to those who need it; the last of `count` is this rank itself.  Gives how many blocks there are. */
static int deal_blocks(mnp_push *push, mnp_push_peer *peers, const mnp_push_part *parts, int most)
{
    const int own = push->count - 1;
    int64_t wanted = 0;
    int total = 0;
    for (int i = 0; i <= own; i++) {
        peers[i].blocks = blocks_for(parts[i].bytes, MNP_PUSH_PARTS_BYTES * (i == own ? OWN_SHARE : 1), most);
        wanted += peers[i].blocks;
    }
    if (wanted == 0) /* somebody has to tell the others that they may write */
        peers[own].blocks = 1;
    for (int i = 0; i <= own; i++) {
        if (wanted > most && peers[i].blocks > 0) {
            const int fair = (int)(peers[i].blocks * (int64_t)most / wanted);
            peers[i].blocks = fair > 0 ? fair : 1;
        }
        peers[i].first_block = total;
        total += peers[i].blocks;
        push->targets += peers[i].blocks > 0;
    }
    return total;
}

/* Whom this rank writes to or hears from, its successors first, and itself. */
static void list_peers(const mnp_comm *comm, const mnp__collective *call, const struct notice *told,
                       mnp_push_parts_params *params)
{
    const mnp__direct *direct = comm->direct;
    const int rank = comm->part.rank, ranks = comm->part.size;
    int count = 0;
    for (int i = 1; i <= ranks; i++) {
        const int r = (rank + i) % ranks, peer = comm->peer_of[r];
        const mnp__run sends = mnp__sent(call, rank, r), recvs = mnp__received(call, rank, r);
        mnp_push_peer *side = &params->peers[count];
        if (r != rank && sends.count == 0 && recvs.count == 0)
            continue;
        *side = (mnp_push_peer){.state = &mnp__pair_here(direct, peer)->pushes, .number = peer};
        if (r != rank) {
            side->here = &mnp__pair_here(direct, peer)->words;
            side->there = &mnp__pair_there(direct, peer)->words;
            side->writes = recvs.count > 0;
        }
        const bool stays = r == rank && recvs.data == sends.data; /* in place */
        params->parts[count++] =
            (mnp_push_part){.src = sends.data,
                            .dst = r == rank ? recvs.data : mnp__heap_at(direct->heap, peer, (size_t)told[r].place),
                            .bytes = stays ? 0 : bytes_of(call, sends)};
    }
    params->push.count = count;
}

static mnp_status launch(mnp_comm *comm, const mnp__collective *call, const struct notice *told)
{
    mnp__device *device = comm->part.device;
    mnp_push_parts_params params = {.push.limits = mnp__waits_params(comm->part.waits)};
    params.push.arrived = &mnp__pair_here(comm->direct, comm->part.peers->mine)->push_arrived;
    list_peers(comm, call, told, &params);
    if (params.push.count == 1 && params.parts[0].bytes == 0)
        return MNP_OK;
    const int blocks = deal_blocks(&params.push, params.peers, params.parts, BLOCKS_EACH * comm->direct->multiprocessors);
    const mnp__launch shape = {.grid = {(unsigned)blocks, 1, 1}, .block = {MNP_PUSH_PARTS_THREADS, 1, 1}};
    return device->ops->launch(device, comm->push_parts, &shape, &params, sizeof params, device->memory_stream);
}

mnp_status mnp__push_parts(mnp_comm *comm, const mnp__collective *call, bool *done_p)
{
    struct notice told[MNP_SMALL_RANKS];
    mnp__text none = MNP__TEXT_EMPTY;
    bool in_heap = true;
    *done_p = false;
    MNP_TRY(mnp__waits_check(comm->part.waits));
    MNP_TRY(mnp__prepare_kernel(comm, "push_parts.cu", "push_parts", &none, &comm->push_parts));
    MNP_TRY(exchange_notices(comm, call, told));
    mnp_status st = check_sizes(comm, call, told);
    if (call->parts.counts) /* else those who differ, differ from everyone */
        st = mnp__agree(&comm->part, st);
    for (int r = 0; r < comm->part.size; r++)
        in_heap = in_heap && told[r].in_heap;
    if (st != MNP_OK || !in_heap)
        return st;
    *done_p = true;
    return launch(comm, call, told);
}
