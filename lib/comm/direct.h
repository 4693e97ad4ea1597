/*
 * Collectives of GPUs straight through the heap that they share: small ones (small.c), larger ones in which everyone
 * has something for everyone (push_parts.c), and larger reductions and broadcasts (reduce_parts.c).
 *
 * What ranks tell each other by belongs to pairs of ranks and not to communicators: as two ranks meet in the same order
 * in all groups that both are in, it serves all of them, one call after the other on the compute stream.
 */
#ifndef MNP__COMM_DIRECT_H
#define MNP__COMM_DIRECT_H

#include "comm/collectives.h"
#include "comm/heap.h"
#include "kernels/push.h"
#include "kernels/small.h"

/* What a rank has in its heap for one of its peers, in the order of their numbers; zeros at first. */
typedef struct mnp__pair {
    mnp_small_line lines[2][MNP_SMALL_WORDS]; /* that peer writes them; */
    mnp_push_words words;                     /* and these */
    mnp_push_state pushes;                    /* this rank's own, as is what follows */
    unsigned exchanges;
    unsigned small_arrived, push_arrived; /* in the pair of this rank with itself */
    unsigned unused[27];                  /* so that pairs do not share lines of the cache */
} mnp__pair;

struct mnp__direct {
    mnp__heap *heap;
    const mnp__peers *peers;
    mnp__pair *pairs;
    int multiprocessors; /* of the smallest GPU.  Launches that may have to wait leave half of them to others */
};

/*
 * For all ranks of a context, whose device is open: NULL unless GPUs share the heap, and it has room.  Collective, and
 * agreed upon; close, when kernels have ended, is collective too, and accepts NULL.
 */
mnp_status mnp__direct_open(mnp__comm *comm, mnp__direct **direct_p);
void mnp__direct_close(mnp__direct *direct);

/* The pair with a peer, and what that one has in its own heap for this rank. */
static inline mnp__pair *mnp__pair_here(const mnp__direct *direct, int peer)
{
    return direct->pairs + peer;
}

static inline mnp__pair *mnp__pair_there(const mnp__direct *direct, int peer)
{
    char *mine = (char *)(direct->pairs + direct->peers->mine);
    return (mnp__pair *)(void *)(mine + mnp__heap_distance(direct->heap, peer));
}

/* What a launch of push_cuda.h is told of a peer. */
static inline mnp_push_peer mnp__push_peer(const mnp__direct *direct, int peer, bool stores, bool writes)
{
    mnp__pair *here = mnp__pair_here(direct, peer);
    return (mnp_push_peer){.here = &here->words,
                           .there = &mnp__pair_there(direct, peer)->words,
                           .state = &here->pushes,
                           .number = peer,
                           .stores = stores,
                           .writes = writes};
}

/*
 * Whether a call goes in one small launch, which all ranks of the group find alike: of a group that is `direct`, all
 * messages of at most MNP_SMALL_BYTES, by counts that all ranks know; less where so many ranks would take too many
 * blocks.
 */
bool mnp__small_serves(const mnp_comm *comm, const mnp__collective *call);

/* That launch.  Collective over comm; the first call with a dtype and an operation compiles, and is agreed upon. */
mnp_status mnp__small_run(mnp_comm *comm, const mnp__collective *call);

/*
 * The CPUs of a `direct` group tell each other a few bytes: `notices` has what goes to every rank, in the order of
 * their numbers, and `told` gets what came from every rank, this one's own among both.  They wait at most until the
 * deadline.  Collective over comm.
 */
mnp_status mnp__direct_tell(mnp_comm *comm, const void *notices, size_t size, void *told);

/*
 * Blocks for so many units of 16 KiB, where that many multiprocessors are on the smallest GPU.  Some 20 of 256 threads
 * saturate the links; more of them do when all of a GPU's neighbours store, but each ends with a fence, and beside
 * other work each takes its room.
 */
int mnp__push_blocks(int64_t units, int multiprocessors);

/*
 * All to all, or gathered by all, by one launch in which ranks store into each other's memory; *done_p is false, on all
 * ranks alike, if one does not receive in the heap, and nothing was done.  The CPUs tell each other where.  Two ranks
 * that do not agree how much goes between them get MNP_ERR_ARG, others MNP_ERR_PEER.  For a `direct` group.  Collective
 * over comm.
 */
mnp_status mnp__push_parts(mnp_comm *comm, const mnp__collective *call, bool *done_p);

/*
 * Reductions and broadcasts by one launch in which ranks load from each other's memory and store into it; *done_p is
 * false, on all ranks alike, if a rank has a buffer that takes part in it elsewhere than in the heap, or a broadcast's
 * lie differently in 16 bytes, and nothing was done.  Counts of ranks that differ are MNP_ERR_ARG on all.  For a
 * `direct` group.  Collective over comm; the first call with a dtype and an operation compiles, and is agreed upon.
 */
mnp_status mnp__reduce_parts(mnp_comm *comm, const mnp__collective *call, bool *done_p);

#endif
