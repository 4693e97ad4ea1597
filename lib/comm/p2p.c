/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What collectives through the heap of GPUs work with: a block of the heap, with a part for every peer; and what their
 * CPUs tell each other.
 */
#include "comm/p2p.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "comm/waits.h"
#include "comm/watch.h"

/*
 * Of a launch: as many blocks as units up to so many, then one for so many units, at most so many of a multiprocessor.
 */
enum { FEW_BLOCKS = 32, UNITS_EACH = 4, BLOCKS_EACH = 2 };

_Static_assert(sizeof(mnp__pair) % 128 == 0, "pairs begin at the same place of a cache line");

/* Zeros in all pairs, there when this returns. */
static mnp_status clear_pairs(mnp__comm *comm, mnp__p2p *p2p)
{
    mnp__device *device = comm->device;
    const size_t size = (size_t)comm->peers->count * sizeof *p2p->pairs;
    MNP_TRY(device->ops->fill(device, p2p->pairs, 0, size, device->memory_stream));
    return mnp__comm_wait_stream(comm, device->memory_stream);
}

mnp_status mnp__p2p_open(mnp__comm *comm, mnp__p2p **direct_p)
{
    mnp__p2p *p2p = NULL;
    mnp_rank_info info = {.rank = 0};
    *direct_p = NULL;
    if (!comm->waits)
        return MNP_OK;
    mnp_status st = comm->device->ops->info(comm->device, &info);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *p2p, &p2p);
    MNP_TRY_OR(mnp__agree(comm, st), st, fail);
    *p2p = (mnp__p2p){.heap = comm->heap, .peers = comm->peers, .multiprocessors = info.multiprocessors};
    MNP_TRY_OR(mnp__all_reduce(comm, &p2p->multiprocessors, 1, MPI_INT, MPI_MIN), st, fail);
    st = mnp__heap_alloc(comm->heap, (size_t)comm->peers->most * sizeof *p2p->pairs, (void **)&p2p->pairs);
    if (st == MNP_ERR_MEMORY) { /* on all ranks: a limit leaves no room for more than the arrays */
        MNP_LOG(&comm->config->logger, MNP_LOG_INFO, "collectives go by the library alone: %s", mnp_error_message());
        mnp__p2p_close(p2p);
        return MNP_OK;
    }
    if (st != MNP_OK)
        goto fail;
    MNP_TRY_OR(mnp__agree(comm, clear_pairs(comm, p2p)), st, fail); /* nobody writes before all have cleared them */
    *direct_p = p2p;
    return MNP_OK;
fail:
    mnp__p2p_close(p2p);
    return st;
}

void mnp__p2p_close(mnp__p2p *p2p)
{
    if (!p2p)
        return;
    mnp__heap_free(p2p->heap, p2p->pairs);
    free(p2p);
}

int mnp__p2p_blocks(int64_t units, int multiprocessors)
{
    int64_t blocks = units < FEW_BLOCKS ? units : FEW_BLOCKS;
    if (blocks < units / UNITS_EACH)
        blocks = units / UNITS_EACH;
    if (blocks > BLOCKS_EACH * multiprocessors)
        blocks = BLOCKS_EACH * multiprocessors;
    return blocks > 0 ? (int)blocks : 1; /* somebody has to tell the others that they may write */
}
