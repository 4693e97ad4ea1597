/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers: the ranks of a node, which map each other's memory.
 *
 * MANIPLE_NODE_SIZE=k pretends that every k ranks of a node are one.  Each two peers are connected by a socket: file
 * descriptors of shared memory travel over it, and as it closes when a process ends, a rank that is gone is noticed at
 * once and by its number.
 */
#ifndef MNP__COMM_PEERS_H
#define MNP__COMM_PEERS_H

#include <mpi.h>

#include "base/config.h"

typedef struct mnp__peers {
    int count, mine; /* this rank is number `mine` of them */
    int *ranks;      /* their numbers among all ranks, rising */
    int *sockets;    /* to each of them; -1: this rank itself, and all if they could not be connected */
    MPI_Comm mpi;    /* of the peers */
    int most;        /* the largest count of all ranks */
    double deadline; /* seconds that one waits for another */
    const mnp__log *log;
} mnp__peers;

/*
 * Find the peers among the ranks of `node`, the communicator of one host, and connect them.  Where that is not possible
 * a rank is left with no peer but itself, on all ranks alike.  Collective over `mpi`, all ranks.
 */
mnp_status mnp__peers_open(const mnp__config *config, MPI_Comm mpi, MPI_Comm node, mnp__peers **peers_p);
void mnp__peers_close(mnp__peers *peers); /* NULL is accepted */

/* Before this rank ends: wait until all peers are here, but no longer than the deadline.  Collective. */
void mnp__peers_part(mnp__peers *peers);

/* The number of a rank among the peers, or -1. */
int mnp__peers_find(const mnp__peers *peers, int rank);

/*
 * Exchange file descriptors: every peer gives `mine`, and receives those of all peers in `all`, its own among them.
 * The caller closes them; after a failure they are already closed.  Collective over the peers; not agreed upon.
 */
mnp_status mnp__peers_share(const mnp__peers *peers, int mine, int *all);

/*
 * The rank of a peer whose process has ended, or -1; the same as a status, MNP_ERR_PEER.  System calls: not for every
 * round of a loop.
 */
int mnp__peers_gone(const mnp__peers *peers);
mnp_status mnp__peers_check(const mnp__peers *peers);

#endif
