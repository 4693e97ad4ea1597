/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point to point between GPUs that share the heap: what a rank keeps for its peers, and the lists of peers and shares
 * that launches are given.  How ranks wait for each other is in kernels/comm/p2p_cuda.h.
 *
 * The collectives (collectives/p2p_*.c), the mover (array/move/p2p_boxes.c) and the ghosts of sparse matrices
 * (sparse/matrix/ghosts_p2p.c) use it.  Each of them has links of its own: launches that share links must come one
 * after the other, in the same order on both ranks of a pair, and a mover may run beside a collective.
 */
#ifndef MNP__COMM_P2P_H
#define MNP__COMM_P2P_H

#include "base/integer.h"
#include "comm/comm.h"
#include "comm/heap.h"
#include "kernels/comm/p2p_params.h"
#include "kernels/comm/p2p_small_params.h"

/* ---- stores, then a word ---- */

/* The words and states of this rank for all of its peers, for launches that come one after the other. */
typedef struct mnp__p2p_links {
    mnp__comm *comm;
    mnp_p2p_words *words;  /* in the heap, as is what follows: one for each peer, which raises them */
    mnp_p2p_state *states; /* one for each peer, */
    unsigned *arrived;     /* and the count of blocks that have stored all: this rank's own */
} mnp__p2p_links;

/*
 * open: all are zeros when it returns.  Collective, and agreed upon; MNP_ERR_MEMORY comes on all ranks alike.
 * close: is called when kernels that use them have ended; collective; accepts what open left, also after a failure, and
 * zeros.
 */
mnp_status mnp__p2p_links_open(mnp__comm *comm, mnp__p2p_links *links);
void mnp__p2p_links_close(mnp__p2p_links *links);

/* What a launch is told besides its peers. */
mnp_p2p mnp__p2p_params(const mnp__p2p_links *links);

/* The entry of a peer in a list of *count_p, made where there is none yet.  The list has room for all peers. */
mnp_p2p_peer *mnp__p2p_enter(const mnp__p2p_links *links, mnp_p2p_peer *peers, int *count_p, int number);

/* Add a share to a list of *count_p: those with the fewest units come first, and of equal ones the earlier one. */
void mnp__p2p_deal(mnp_p2p_share *shares, int *count_p, int64_t first, int64_t units);

/*
 * Blocks for so many units of 16 KiB, where that many multiprocessors are on the smallest GPU.  Some 20 of 256 threads
 * saturate the links; more of them do when all of a GPU's neighbours store, but each ends with a fence, and beside
 * other work each takes its room.
 */
int mnp__p2p_blocks(int64_t units, int multiprocessors);

/* ---- words with data ---- */

/* How many words of 8 bytes a message takes; an empty message still takes one word, which tells that it arrived. */
static inline int64_t mnp__p2p_words_of(int64_t bytes)
{
    return bytes > 8 ? mnp__divide_up(bytes, 8) : 1;
}

/* ---- of a context ---- */

/*
 * What a rank has in its heap for one of its peers, for small collectives; zeros at first.  It belongs to the two ranks
 * and not to a communicator: as two ranks meet in the same order in all groups that both are in, it serves all of them.
 */
typedef struct mnp__pair {
    mnp_p2p_line lines[2][MNP_P2P_SMALL_WORDS]; /* written by the peer; all that follows by this rank alone */
    unsigned exchanges;
    unsigned arrived;    /* in the pair of this rank with itself: blocks of a launch */
    unsigned unused[30]; /* so that pairs do not share lines of the cache */
} mnp__pair;

typedef struct mnp__p2p {
    mnp__heap *heap;
    const mnp__peers *peers;
    mnp__pair *pairs;
    mnp__p2p_links links;
    int multiprocessors; /* of the smallest GPU.  Launches that may have to wait leave half of them to others */
} mnp__p2p;

/*
 * For all ranks of a context, whose device is open: NULL unless GPUs share the heap, and it has room.  Collective, and
 * agreed upon; close, when kernels have ended, is collective too, and accepts NULL.
 */
mnp_status mnp__p2p_open(mnp__comm *comm, mnp__p2p **p2p_p);
void mnp__p2p_close(mnp__p2p *p2p);

/* The pair with a peer, and what the peer has in its own heap for this rank. */
static inline mnp__pair *mnp__pair_here(const mnp__p2p *p2p, int peer)
{
    return p2p->pairs + peer;
}

static inline mnp__pair *mnp__pair_there(const mnp__p2p *p2p, int peer)
{
    char *mine = (char *)(p2p->pairs + p2p->peers->mine);
    return (mnp__pair *)(void *)(mine + mnp__heap_distance(p2p->heap, peer));
}

#endif
