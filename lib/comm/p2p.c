/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks keep for their peers on GPUs that share the heap: words by which peers wait for each other, and the lines
 * of small collectives.
 */
#include "comm/p2p.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "comm/waits.h"

/*
 * A launch has a block for every unit up to FEW_BLOCKS, then one for UNITS_EACH units where these are more, but at most
 * BLOCKS_EACH for every multiprocessor.
 */
enum { FEW_BLOCKS = 32, UNITS_EACH = 4, BLOCKS_EACH = 2 };

_Static_assert(sizeof(mnp__pair) % 128 == 0, "pairs begin at the same place of a cache line");

/* ---- links ---- */

/* Zeros in memory of this rank, there when this returns on all ranks.  Collective, and agreed upon. */
static mnp_status clear(mnp__comm *comm, void *memory, size_t size)
{
    mnp__device *device = comm->device;
    mnp_status st = device->ops->fill(device, memory, 0, size, device->memory_stream);
    if (st == MNP_OK)
        st = mnp__comm_wait_stream(comm, device->memory_stream);
    return mnp__agree(comm, st);
}

mnp_status mnp__p2p_links_open(mnp__comm *comm, mnp__p2p_links *links)
{
    const size_t most = (size_t)comm->peers->most, own = most * sizeof *links->states + sizeof *links->arrived;
    const size_t size = most * sizeof *links->words + own;
    void *memory;
    *links = (mnp__p2p_links){.comm = NULL};
    MNP_TRY(mnp__heap_alloc(comm->heap, size, &memory));
    links->comm = comm;
    links->words = memory;
    links->states = (mnp_p2p_state *)(void *)(links->words + most);
    links->arrived = (unsigned *)(void *)(links->states + most);
    mnp_status st = clear(comm, memory, size); /* nobody raises a word before it is 0 */
    if (st != MNP_OK)
        mnp__p2p_links_close(links);
    return st;
}

void mnp__p2p_links_close(mnp__p2p_links *links)
{
    if (links->comm)
        mnp__heap_free(links->comm->heap, links->words);
    *links = (mnp__p2p_links){.comm = NULL};
}

mnp_p2p mnp__p2p_params(const mnp__p2p_links *links)
{
    return (mnp_p2p){.arrived = links->arrived, .limits = mnp__waits_params(links->comm->waits)};
}

mnp_p2p_peer *mnp__p2p_enter(const mnp__p2p_links *links, mnp_p2p_peer *peers, int *count_p, int number)
{
    const mnp__comm *comm = links->comm;
    char *mine = (char *)&links->words[comm->peers->mine];
    for (int i = 0; i < *count_p; i++) {
        if (peers[i].number == number)
            return &peers[i];
    }
    mnp_p2p_peer *peer = &peers[(*count_p)++];
    *peer = (mnp_p2p_peer){.here = &links->words[number],
                           .there = (mnp_p2p_words *)(void *)(mine + mnp__heap_distance(comm->heap, number)),
                           .state = &links->states[number],
                           .number = number};
    return peer;
}

void mnp__p2p_deal(mnp_p2p_share *shares, int *count_p, int64_t first, int64_t units)
{
    int place = (*count_p)++;
    for (; place > 0 && shares[place - 1].units > units; place--)
        shares[place] = shares[place - 1];
    shares[place] = (mnp_p2p_share){.first = first, .units = units};
}

int mnp__p2p_blocks(int64_t units, int multiprocessors)
{
    int64_t blocks = mnp__min(units, FEW_BLOCKS);
    if (blocks < units / UNITS_EACH)
        blocks = units / UNITS_EACH;
    if (blocks > BLOCKS_EACH * multiprocessors)
        blocks = BLOCKS_EACH * multiprocessors;
    return blocks > 0 ? (int)blocks : 1; /* somebody has to tell the others that they may write */
}

/* ---- of a context ---- */

static mnp_status make_pairs(mnp__comm *comm, mnp__p2p *p2p)
{
    MNP_TRY(mnp__heap_alloc(comm->heap, (size_t)comm->peers->most * sizeof *p2p->pairs, (void **)&p2p->pairs));
    MNP_TRY(clear(comm, p2p->pairs, (size_t)comm->peers->count * sizeof *p2p->pairs)); /* before anybody writes */
    return mnp__p2p_links_open(comm, &p2p->links);
}

mnp_status mnp__p2p_open(mnp__comm *comm, mnp__p2p **p2p_p)
{
    mnp__p2p *p2p = NULL;
    mnp_rank_info info = {.rank = 0};
    *p2p_p = NULL;
    if (!comm->waits)
        return MNP_OK;
    mnp_status st = comm->device->ops->info(comm->device, &info);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *p2p, &p2p);
    MNP_TRY_OR(mnp__agree(comm, st), st, fail);
    *p2p = (mnp__p2p){.heap = comm->heap, .peers = comm->peers, .multiprocessors = info.multiprocessors};
    MNP_TRY_OR(mnp__all_reduce(comm, &p2p->multiprocessors, 1, MPI_INT, MPI_MIN), st, fail);
    st = make_pairs(comm, p2p);
    if (st == MNP_ERR_MEMORY) { /* on all ranks: a limit leaves no room for more than the arrays */
        MNP_LOG(&comm->config->logger, MNP_LOG_INFO, "collectives go by the library alone: %s", mnp_error_message());
        mnp__p2p_close(p2p);
        return MNP_OK;
    }
    if (st != MNP_OK)
        goto fail;
    *p2p_p = p2p;
    return MNP_OK;
fail:
    mnp__p2p_close(p2p);
    return st;
}

void mnp__p2p_close(mnp__p2p *p2p)
{
    if (!p2p)
        return;
    mnp__p2p_links_close(&p2p->links);
    mnp__heap_free(p2p->heap, p2p->pairs);
    free(p2p);
}
