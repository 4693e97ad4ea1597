/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point to point between GPUs that share the heap: for every pair of ranks a block of the heap, in which each has the
 * words that the other raises.  Collectives (collectives/p2p_*.c), the mover and the ghosts of sparse matrices use it.
 *
 * What ranks tell each other by belongs to pairs of ranks and not to communicators: as two ranks meet in the same order
 * in all groups that both are in, it serves all of them, one call after the other on the compute stream.
 */
#ifndef MNP__COMM_P2P_H
#define MNP__COMM_P2P_H

#include "comm/comm.h"
#include "comm/heap.h"
#include "kernels/comm/p2p_params.h"
#include "kernels/comm/p2p_small_params.h"

/* What a rank has in its heap for one of its peers, in the order of their numbers; zeros at first. */
typedef struct mnp__pair {
    mnp_p2p_small_line lines[2][MNP_P2P_SMALL_WORDS]; /* that peer writes them; */
    mnp_p2p_words words;                              /* and these */
    mnp_p2p_state pushes;                             /* this rank's own, as is what follows */
    unsigned exchanges;
    unsigned small_arrived, push_arrived; /* in the pair of this rank with itself */
    unsigned unused[27];                  /* so that pairs do not share lines of the cache */
} mnp__pair;

typedef struct mnp__p2p {
    mnp__heap *heap;
    const mnp__peers *peers;
    mnp__pair *pairs;
    int multiprocessors; /* of the smallest GPU.  Launches that may have to wait leave half of them to others */
} mnp__p2p;

/*
 * For all ranks of a context, whose device is open: NULL unless GPUs share the heap, and it has room.  Collective, and
 * agreed upon; close, when kernels have ended, is collective too, and accepts NULL.
 */
mnp_status mnp__p2p_open(mnp__comm *comm, mnp__p2p **direct_p);
void mnp__p2p_close(mnp__p2p *p2p);

/* The pair with a peer, and what that one has in its own heap for this rank. */
static inline mnp__pair *mnp__pair_here(const mnp__p2p *p2p, int peer)
{
    return p2p->pairs + peer;
}

static inline mnp__pair *mnp__pair_there(const mnp__p2p *p2p, int peer)
{
    char *mine = (char *)(p2p->pairs + p2p->peers->mine);
    return (mnp__pair *)(void *)(mine + mnp__heap_distance(p2p->heap, peer));
}

/* What a launch of p2p_cuda.h is told of a peer. */
static inline mnp_p2p_peer mnp__p2p_peer_of(const mnp__p2p *p2p, int peer, bool stores, bool writes)
{
    mnp__pair *here = mnp__pair_here(p2p, peer);
    return (mnp_p2p_peer){.here = &here->words,
                          .there = &mnp__pair_there(p2p, peer)->words,
                          .state = &here->pushes,
                          .number = peer,
                          .stores = stores,
                          .writes = writes};
}

/*
 * Blocks for so many units of 16 KiB, where that many multiprocessors are on the smallest GPU.  Some 20 of 256 threads
 * saturate the links; more of them do when all of a GPU's neighbours store, but each ends with a fence, and beside
 * other work each takes its room.
 */
int mnp__p2p_blocks(int64_t units, int multiprocessors);

#endif
