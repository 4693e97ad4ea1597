/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of GPUs straight through the heap that they share: small ones (p2p_small.c), larger ones in which everyone
 * has something for everyone (p2p_all_to_all.c), and larger reductions and broadcasts (p2p_reduce.c).
 */
#ifndef MNP__COMM_COLLECTIVES_COLLECTIVES_P2P_H
#define MNP__COMM_COLLECTIVES_COLLECTIVES_P2P_H

#include "comm/collectives/collectives.h"
#include "comm/p2p.h"

/*
 * Whether a call goes in one small launch, which all ranks of the group find alike: of a group that is `direct`, all
 * messages of at most MNP_P2P_SMALL_BYTES, by counts that all ranks know; less where so many ranks would take too many
 * blocks.
 */
bool mnp__p2p_small_serves(const mnp_comm *comm, const mnp__collective *call);

/* That launch.  Collective over comm; the first call with a dtype and an operation compiles, and is agreed upon. */
mnp_status mnp__p2p_small_run(mnp_comm *comm, const mnp__collective *call);

/*
 * The CPUs of a `direct` group tell each other a few bytes: `notices` has what goes to every rank, in the order of
 * their numbers, and `told` gets what came from every rank, this one's own among both.  They wait at most until the
 * deadline.  Collective over comm.
 */
mnp_status mnp__p2p_tell(mnp_comm *comm, const void *notices, size_t size, void *told);

/*
 * All to all, or gathered by all, by one launch in which ranks store into each other's memory; *done_p is false, on all
 * ranks alike, if one does not receive in the heap, and nothing was done.  The CPUs tell each other where.  Two ranks
 * that do not agree how much goes between them get MNP_ERR_ARG, others MNP_ERR_PEER.  For a `direct` group.  Collective
 * over comm.
 */
mnp_status mnp__p2p_all_to_all(mnp_comm *comm, const mnp__collective *call, bool *done_p);

/*
 * Reductions and broadcasts by one launch in which ranks load from each other's memory and store into it; *done_p is
 * false, on all ranks alike, if a rank has a buffer that takes part in it elsewhere than in the heap, or a broadcast's
 * lie differently in 16 bytes, and nothing was done.  Counts of ranks that differ are MNP_ERR_ARG on all.  For a
 * `direct` group.  Collective over comm; the first call with a dtype and an operation compiles, and is agreed upon.
 */
mnp_status mnp__p2p_reduce(mnp_comm *comm, const mnp__collective *call, bool *done_p);

#endif
