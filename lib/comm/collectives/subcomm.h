/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a communicator: a group of the context's ranks, and what its collectives work with.
 */
#ifndef MNP__COMM_COLLECTIVES_SUBCOMM_H
#define MNP__COMM_COLLECTIVES_SUBCOMM_H

#include <maniple/comm.h>

#include "comm/channels.h"
#include "comm/comm.h"
#include "comm/p2p.h"

enum { MNP__NUM_OPS = MNP_AVG + 1 };

/* A message on its way through memory of the CPU. */
typedef struct mnp__flow {
    bool sends;
    int rank, peer; /* the other's number in the group; among the peers, or -1: MPI carries it */
    char *data;
    size_t bytes, done;
    MPI_Request request; /* of a piece that MPI has, of `open` bytes; else MPI_REQUEST_NULL */
    size_t open;
} mnp__flow;

/* Pinned memory of a group, for messages that go through it: staged.c. */
struct mnp__staging {
    char *pinned;
    size_t bytes;
    mnp__device_event *copied;
    bool copying;           /* copies of the last call may go on, up to that event */
    mnp__message *messages; /* two a rank: what is sent and received, as it lies there */
};

struct mnp_comm {
    mnp__comm base; /* the context's, but for mpi, rank, size and nccl, which are the group's */
    int *ranks;     /* the context's numbers of its ranks */
    mnp_comm *world;
    mnp_comm *next; /* the world's list of groups */
    int *peer_of;   /* each rank's number among the peers, or -1 */
    mnp_comm_algorithm algorithm;
    /* The world's, if this group goes by them; NULL if not */
    mnp__channels *channels;
    mnp__p2p *p2p;
    /* What the running collective works with, made once */
    mnp__message *sends, *recvs; /* one a rank */
    mnp__flow *flows;            /* two a rank */
    const void **sources;        /* of a reduction: one a rank */
    void *scratch;               /* device memory for others' values; NULL until it is needed */
    struct mnp__staging staging;
    mnp__kernel
        *kernels[MNP_NUM_DTYPES][MNP__NUM_OPS]; /* kernels/comm/combine.cu; NULL until needed, as are the next */
    mnp__kernel *small_reductions[MNP_NUM_DTYPES][MNP__NUM_OPS], *small_moves; /* kernels/comm/p2p_small.cu */
    mnp__kernel *p2p_all_to_all;                                               /* kernels/comm/p2p_all_to_all.cu */
    mnp__kernel *p2p_reduce[MNP_NUM_DTYPES][MNP__NUM_OPS], *broadcast_parts;   /* kernels/comm/p2p_reduce.cu */
    /* Of the world alone */
    struct mnp__along *along; /* the groups of mnp__comm_along() */
    mnp__comm *context;       /* the context's own */
    mnp__channels *all_channels;
    mnp__p2p *all_p2p;
};

/* All ranks of a comm that has been attached.  close also releases the groups that are left.  Both collective. */
mnp_status mnp__world_open(mnp__comm *comm, mnp_comm **world_p);
void mnp__world_close(mnp_comm *world); /* NULL is accepted */

/*
 * The ranks that differ from this one only along some axes of a mesh of all ranks (bit a of `axes`: axis a), numbered in
 * the order of their own numbers.  The world makes such a group when it is first asked for, and keeps it: making one is
 * collective over the world, and agreed upon; finding it costs no communication.  It has no communicator of NCCL, which
 * would take long to make: its messages go by the world's.  MNP_ERR_MEMORY, MNP_ERR_COMM.
 */
mnp_status mnp__comm_along(mnp_comm *world, int ndim, const int *mesh, unsigned axes, mnp_comm **group_p);

/*
 * Move messages between memories of the CPU, at most one from and one to every other rank of the group: through the
 * channels where they are small and go between peers, else by MPI.  Returns when they are through; or MNP_ERR_COMM, or
 * MNP_ERR_TIMEOUT or MNP_ERR_PEER, naming the rank that they wait for.
 */
mnp_status mnp__messages_move(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs);

/*
 * Move messages between device memories, at most one from and one to every other rank of the group, through pinned
 * memory and MPI.  Behind what the compute stream holds; work enqueued on it later finds what was received.  Ranks do
 * not agree whether they have the memory: those of a tree are not at the same step, and others wait until the deadline.
 * free: kernels have ended.
 */
mnp_status mnp__staged_move(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                            const mnp__message *recvs);
void mnp__staging_free(mnp_comm *comm);

#endif
