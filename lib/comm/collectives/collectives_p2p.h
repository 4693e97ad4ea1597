/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of GPUs by stores and loads in the heap that they share: small ones (p2p_small.c), larger ones from all
 * ranks to all ranks (p2p_all_to_all.c), and larger reductions and broadcasts (p2p_reduce.c).
 */
#ifndef MNP__COMM_COLLECTIVES_COLLECTIVES_P2P_H
#define MNP__COMM_COLLECTIVES_COLLECTIVES_P2P_H

#include "comm/collectives/collectives.h"
#include "comm/p2p.h"

/*
 * They serve groups for which mnp_comm.p2p is not NULL: all ranks can write into each other's memory, and
 * mnp_comm_set_algorithm() has not chosen the library.
 */

/*
 * Whether a call is one small launch: the group goes by p2p, and all messages have at most MNP_P2P_SMALL_BYTES by
 * counts that all ranks know, or less where so many ranks would take too many blocks.  The same on all ranks of the
 * group.
 */
bool mnp__p2p_small_serves(const mnp_comm *comm, const mnp__collective *call);

/*
 * Run it.  Collective over comm.  The first call with a dtype and an operation compiles a kernel, and is agreed upon.
 */
mnp_status mnp__p2p_small_run(mnp_comm *comm, const mnp__collective *call);

/*
 * Exchange a few bytes about a call between the CPUs of a group: `mine` has this rank's data for every rank, in the
 * order of their numbers, and `sides` gets every rank's data for this one; both include this rank's own.  Waits at most
 * until the deadline.  Collective over comm.
 */
mnp_status mnp__p2p_exchange_sides(mnp_comm *comm, const void *mine, size_t size, void *sides);

/*
 * all_to_all and all_gather by one launch in which ranks store into each other's memory, for a group that goes by p2p.
 * The CPUs first exchange where each rank receives.  If a rank does not receive in the heap, nothing is done, and
 * *done_p is false on all ranks.  Two ranks with different counts for the data between them get MNP_ERR_ARG, others
 * MNP_ERR_PEER.  Collective over comm.
 */
mnp_status mnp__p2p_all_to_all(mnp_comm *comm, const mnp__collective *call, bool *done_p);

/*
 * Reductions and broadcasts by one launch in which ranks load from each other's memory and store into it, for a group
 * that goes by p2p.  If a buffer that takes part is not in the heap, or a broadcast's buffers differ in their alignment
 * to 16 bytes, nothing is done, and *done_p is false on all ranks.  If the ranks' counts differ, all get MNP_ERR_ARG.
 * Collective over comm.  The first call with a dtype and an operation compiles a kernel, and is agreed upon.
 */
mnp_status mnp__p2p_reduce(mnp_comm *comm, const mnp__collective *call, bool *done_p);

#endif
