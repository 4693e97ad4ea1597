/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of GPUs straight through the heap that they share: small ones (p2p_small.c), larger ones in which
 * everyone has something for everyone (p2p_all_to_all.c), and larger reductions and broadcasts (p2p_reduce.c).
 */
#ifndef MNP__COMM_COLLECTIVES_COLLECTIVES_P2P_H
#define MNP__COMM_COLLECTIVES_COLLECTIVES_P2P_H

#include "comm/collectives/collectives.h"
#include "comm/p2p.h"

/*
 * Groups that go by p2p: all of their ranks can write into each other's memory, and mnp_comm_set_algorithm() has not
 * chosen the library (mnp_comm.p2p is not NULL).
 */

/*
 * Whether a call goes in one small launch, which all ranks of the group find alike: the group goes by p2p, and all
 * messages have at most MNP_P2P_SMALL_BYTES, by counts that all ranks know; less where so many ranks would take too
 * many blocks.
 */
bool mnp__p2p_small_serves(const mnp_comm *comm, const mnp__collective *call);

/* That launch.  Collective over comm; the first call with a dtype and an operation compiles, and is agreed upon. */
mnp_status mnp__p2p_small_run(mnp_comm *comm, const mnp__collective *call);

/*
 * The CPUs of a group exchange a few bytes about a call: `mine` has this rank's for every rank, in the order of their
 * numbers, and `sides` gets those of every rank for this one, its own among both.  They wait at most until the
 * deadline. Collective over comm.
 */
mnp_status mnp__p2p_exchange_sides(mnp_comm *comm, const void *mine, size_t size, void *sides);

/*
 * All to all, or gathered by all, by one launch in which ranks store into each other's memory, for a group that goes by
 * p2p.  *done_p is false, on all ranks alike, and nothing was done, if a rank does not receive in the heap.  The CPUs
 * exchange where that is.  Two ranks that do not agree how much goes between them get MNP_ERR_ARG, others MNP_ERR_PEER.
 * Collective over comm.
 */
mnp_status mnp__p2p_all_to_all(mnp_comm *comm, const mnp__collective *call, bool *done_p);

/*
 * Reductions and broadcasts by one launch in which ranks load from each other's memory and store into it, for a group
 * that goes by p2p.  *done_p is false, on all ranks alike, and nothing was done, if a buffer that takes part lies
 * elsewhere than in the heap, or a broadcast's buffers lie differently in 16 bytes.  Counts of ranks that differ are
 * MNP_ERR_ARG on all.  Collective over comm; the first call with a dtype and an operation compiles, and is agreed upon.
 */
mnp_status mnp__p2p_reduce(mnp_comm *comm, const mnp__collective *call, bool *done_p);

#endif
