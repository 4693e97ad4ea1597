/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of a communicator: a group of the context's ranks, and the buffers and kernels of its collectives.
 */
#ifndef MNP__COMM_COLLECTIVES_SUBCOMM_H
#define MNP__COMM_COLLECTIVES_SUBCOMM_H

#include <maniple/comm.h>

#include "comm/channels.h"
#include "comm/comm.h"
#include "comm/p2p.h"

enum { MNP__NUM_OPS = MNP_AVG + 1 };

/* A message in progress between memories of the CPU. */
typedef struct mnp__flow {
    bool sends;
    int rank, peer; /* the other rank's number in the group; its number among the peers, or -1: by MPI */
    char *data;
    size_t bytes, done;
    MPI_Request request; /* for a piece of `open` bytes that MPI has; otherwise MPI_REQUEST_NULL */
    size_t open;
} mnp__flow;

/* Pinned memory of a group, for messages that are staged in it: staged.c. */
struct mnp__staging {
    char *pinned;
    size_t bytes;
    mnp__device_event *copied;
    bool copying;           /* copies of the last call may be in progress, until the event `copied` */
    mnp__message *messages; /* two for each rank: the messages as they are staged */
};

struct mnp_comm {
    unsigned tag;   /* MNP__TAG_comm: see base/call.h */
    mnp__comm base; /* as the context's, except mpi, rank, size and nccl, which are the group's */
    int *ranks;     /* the numbers of the group's ranks in the context */
    mnp_comm *world;
    mnp_comm *next; /* the world's list of groups */
    int *peer_of;   /* each rank's number among the peers, or -1 */
    mnp_comm_algorithm algorithm;
    /* The world's, if this group uses them; otherwise NULL */
    mnp__channels *channels;
    mnp__p2p *p2p;
    /* Buffers of the running collective, allocated once */
    mnp__message *sends, *recvs; /* one for each rank */
    mnp__flow *flows;            /* two for each rank */
    const void **sources;        /* of a reduction: one for each rank */
    void *scratch;               /* device memory for others' values; NULL until it is needed */
    struct mnp__staging staging;
    mnp__kernel *kernels[MNP_NUM_DTYPES]
                        [MNP__NUM_OPS]; /* kernels/comm/combine.cu; NULL until needed, as the following kernels */
    mnp__kernel *small_reductions[MNP_NUM_DTYPES][MNP__NUM_OPS], *small_moves; /* kernels/comm/p2p_small.cu */
    mnp__kernel *p2p_all_to_all;                                               /* kernels/comm/p2p_all_to_all.cu */
    mnp__kernel *p2p_reduce[MNP_NUM_DTYPES][MNP__NUM_OPS], *broadcast_parts;   /* kernels/comm/p2p_reduce.cu */
    /* For the world only */
    struct mnp__along *along; /* the groups of mnp__comm_along() */
    mnp__comm *context;       /* the context's own */
    mnp__channels *all_channels;
    mnp__p2p *all_p2p;
};

/* The communicator of all ranks, for a comm that has been attached.  close also releases groups.  Both collective. */
mnp_status mnp__world_open(mnp__comm *comm, mnp_comm **world_p);
void mnp__world_close(mnp_comm *world); /* NULL is accepted */

/*
 * The group of the ranks that differ from this one only along some axes of a mesh of all ranks (bit a of `axes`: axis
 * a), in the order of their numbers.  The world makes such a group at the first call and keeps it.  Making it is
 * collective over the world, and agreed upon; later calls do not communicate.  It has no communicator of NCCL, which
 * would take long to make; its messages go by the world's.  MNP_ERR_MEMORY, MNP_ERR_COMM.
 */
mnp_status mnp__comm_along(mnp_comm *world, int ndim, const int *mesh, unsigned axes, mnp_comm **group_p);

/*
 * Move messages between memories of the CPU, at most one from and one to every other rank of the group: small ones
 * between peers through channels, others by MPI.  Returns when all are complete; or with MNP_ERR_COMM, or with
 * MNP_ERR_TIMEOUT or MNP_ERR_PEER, whose message names the rank that is late.
 */
mnp_status mnp__messages_move(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs);

/*
 * Move messages between device memories, at most one from and one to every other rank of the group, through pinned
 * memory and MPI, after the work that the compute stream has; work enqueued on it later finds the received data.  Ranks
 * do not agree on whether the pinned memory could be allocated, as those of a tree are not at the same step; if one
 * fails, others wait until the deadline.  free may be called only when all kernels have ended.
 */
mnp_status mnp__staged_move(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                            const mnp__message *recvs);
void mnp__staging_free(mnp_comm *comm);

#endif
