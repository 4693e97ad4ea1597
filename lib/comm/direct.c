/*
 * What collectives through the heap of GPUs work with: a block of the heap, with a part for every peer; and what their
 * CPUs tell each other.
 */
#include "comm/direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "comm/waits.h"
#include "comm/watch.h"

_Static_assert(sizeof(mnp__pair) % 128 == 0, "pairs begin at the same place of a cache line");

/* Zeros in all pairs, there when this returns. */
static mnp_status clear_pairs(mnp__comm *comm, mnp__direct *direct)
{
    mnp__device *device = comm->device;
    const size_t size = (size_t)comm->peers->count * sizeof *direct->pairs;
    MNP_TRY(device->ops->fill(device, direct->pairs, 0, size, device->memory_stream));
    return mnp__comm_wait_stream(comm, device->memory_stream);
}

mnp_status mnp__direct_open(mnp__comm *comm, mnp__direct **direct_p)
{
    mnp__direct *direct = NULL;
    mnp_rank_info info = {.rank = 0};
    *direct_p = NULL;
    if (!comm->waits)
        return MNP_OK;
    mnp_status st = comm->device->ops->info(comm->device, &info);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *direct, &direct);
    MNP_TRY_OR(mnp__agree(comm, st), st, fail);
    *direct = (mnp__direct){.heap = comm->heap, .peers = comm->peers, .multiprocessors = info.multiprocessors};
    MNP_TRY_OR(mnp__all_reduce(comm, &direct->multiprocessors, 1, MPI_INT, MPI_MIN), st, fail);
    st = mnp__heap_alloc(comm->heap, (size_t)comm->peers->most * sizeof *direct->pairs, (void **)&direct->pairs);
    if (st == MNP_ERR_MEMORY) { /* on all ranks: a limit leaves no room for more than the arrays */
        MNP_LOG(&comm->config->logger, MNP_LOG_INFO, "collectives go by the library alone: %s", mnp_error_message());
        mnp__direct_close(direct);
        return MNP_OK;
    }
    if (st != MNP_OK)
        goto fail;
    MNP_TRY_OR(mnp__agree(comm, clear_pairs(comm, direct)), st, fail); /* nobody writes before all have cleared them */
    *direct_p = direct;
    return MNP_OK;
fail:
    mnp__direct_close(direct);
    return st;
}

void mnp__direct_close(mnp__direct *direct)
{
    if (!direct)
        return;
    mnp__heap_free(direct->heap, direct->pairs);
    free(direct);
}

mnp_status mnp__direct_tell(mnp_comm *comm, const void *notices, size_t size, void *told)
{
    const int rank = comm->part.rank, ranks = comm->part.size;
    const size_t all = (size_t)ranks * size;
    char *received, *sent;
    MNP_TRY(mnp__watch_room(&comm->part, 2 * all, (void **)&received));
    sent = received + all;
    memcpy(sent, notices, all);
    memcpy(received + (size_t)rank * size, sent + (size_t)rank * size, size);
    for (int i = 1; i < ranks; i++) {
        const int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;
        comm->sends[i - 1] = (mnp__message){.peer = to, .data = sent + (size_t)to * size, .bytes = size};
        comm->recvs[i - 1] = (mnp__message){.peer = from, .data = received + (size_t)from * size, .bytes = size};
    }
    MNP_TRY(mnp__messages_move(comm, ranks - 1, comm->sends, ranks - 1, comm->recvs));
    memcpy(told, received, all);
    return MNP_OK;
}
