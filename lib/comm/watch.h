/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch: how a rank waits for others, and learns that one of them is lost.
 *
 * A rank is lost when its process has ended, which its peers notice, or when another has given up waiting for it.
 * Whoever finds out tells all ranks by a message, which they look for while they wait.  From then on nobody can count
 * on anybody: every agreement and exchange fails with MNP_ERR_PEER and the number of the lost rank, what MPI was given
 * is left to it, and what waits on the GPU is ended: NCCL is aborted, and kernels are let go (waits.h).
 */
#ifndef MNP__COMM_WATCH_H
#define MNP__COMM_WATCH_H

#include <stdbool.h>

#include "comm/comm.h"

enum { MNP__TAG_LOST = 1000, MNP__TAG_AGREE }; /* of messages in the world's communicator; agreement uses 32 tags */

mnp_status mnp__watch_new(const mnp__comm *world, mnp__watch **watch_p);
void mnp__watch_free(mnp__watch *watch); /* NULL is accepted */

/* A wait of this rank, which begins with zeros. */
typedef struct mnp__wait {
    bool idle; /* given: MPI has little to do meanwhile, so the rank may sleep */
    int rounds;
    double begin, looked;
} mnp__wait;

/*
 * A round of a wait: lets go of the processor, and now and then looks whether all ranks are there.  MNP_ERR_PEER if one
 * is lost.  Cheap in the first hundred rounds.
 */
mnp_status mnp__watch_round(const mnp__comm *comm, mnp__wait *wait);

/* Whether a rank is lost, as far as this one has heard. */
bool mnp__watch_lost(const mnp__comm *comm);

/* Look at once.  MNP_ERR_PEER if a rank is lost. */
mnp_status mnp__watch_look(const mnp__comm *comm);

/* This rank gives up waiting for the world's `rank` (-1: it cannot tell which), which is lost then; all are told. */
void mnp__watch_give_up(const mnp__comm *comm, int rank);

/* See requests of MPI through, as long as all ranks are there; `call` made them.  MNP_ERR_COMM, MNP_ERR_PEER. */
mnp_status mnp__watch_requests(const mnp__comm *comm, int count, MPI_Request *requests, const char *call);

/*
 * Memory for what MPI sends and receives in a call that may be left before MPI is through: if a rank is lost it is not
 * used again.  Valid until the next call.  MNP_ERR_MEMORY; MNP_ERR_PEER if a rank is lost.
 */
mnp_status mnp__watch_room(const mnp__comm *comm, size_t size, void **room_p);

#endif
