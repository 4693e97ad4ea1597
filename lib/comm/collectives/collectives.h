/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives inside: what a checked call asks for, and how it is done.
 */
#ifndef MNP__COMM_COLLECTIVES_COLLECTIVES_H
#define MNP__COMM_COLLECTIVES_COLLECTIVES_H

#include "base/text.h"
#include "comm/collectives/subcomm.h"

typedef enum mnp__collective_kind {
    MNP__ALL_REDUCE,
    MNP__REDUCE,
    MNP__REDUCE_SCATTER,
    MNP__BROADCAST,
    MNP__ALL_GATHER,
    MNP__GATHER,
    MNP__SCATTER,
    MNP__ALL_TO_ALL,
    MNP__SEND,
    MNP__RECV,
    MNP__BARRIER /* of no elements */
} mnp__collective_kind;

/* Parts of a buffer, one a rank: `count` elements each, one after the other, or so many and from there. */
typedef struct mnp__parts {
    int64_t count;
    const int64_t *counts, *offsets; /* both or neither is NULL */
} mnp__parts;

/*
 * One call.  `whole` is the count of elements of a buffer that is not in parts (all_reduce, reduce, broadcast, send,
 * recv; what a rank gives to gather and gets from scatter); `parts` are those of send (reduce_scatter, scatter,
 * all_to_all) or of recv (all_gather, gather), and `recv_parts` those of recv in an all_to_all.
 */
typedef struct mnp__collective {
    mnp__collective_kind kind;
    const char *name;
    const void *send;
    void *recv; /* of a broadcast: the buffer, as send is */
    int64_t whole;
    mnp__parts parts, recv_parts;
    bool uneven; /* a v form in which a rank knows only its own counts */
    mnp_dtype dtype;
    mnp_op op;
    int root; /* or the peer of send and recv */
} mnp__collective;

static inline int64_t mnp__part_count(const mnp__parts *parts, int rank)
{
    return parts->counts ? parts->counts[rank] : parts->count;
}

static inline int64_t mnp__part_offset(const mnp__parts *parts, int rank)
{
    return parts->counts ? parts->offsets[rank] : rank * parts->count;
}

/* A run of a buffer's elements. */
typedef struct mnp__run {
    char *data;
    int64_t count;
} mnp__run;

/*
 * What this rank, number `rank` of the group, sends to rank `to`, and receives from rank `from`, itself included; of a
 * reduction, which combines it on the way, where everyone sends the elements to those who want the result: data is
 * NULL.
 */
mnp__run mnp__sent(const mnp__collective *call, int rank, int to);
mnp__run mnp__received(const mnp__collective *call, int rank, int from);
bool mnp__reduces(const mnp__collective *call);

/* What has been checked, on the compute stream.  Collective over comm. */
mnp_status mnp__collective_run(mnp_comm *comm, const mnp__collective *call);
mnp_status mnp__barrier_run(mnp_comm *comm);

/*
 * Whether mnp_comm_all_reduce() of so many elements is one launch at most, which can be part of a loop on the device;
 * all ranks of the group find that alike.
 */
bool mnp__all_reduce_is_launch(const mnp_comm *comm, int64_t count, mnp_dtype dtype);

/*
 * Load a kernel if *kernel_p is NULL, which all ranks of the group find alike; they have it then, or none has.  The
 * text is released.  Collective over comm.
 */
mnp_status mnp__prepare_kernel(mnp_comm *comm, const char *file, const char *function, mnp__text *defines,
                               mnp__kernel **kernel_p);

/* The definitions of kernels/comm/combine_values.h. */
void mnp__add_reduction(mnp__text *defines, mnp_dtype dtype, mnp_op op);

/* Memory and a kernel that reductions of that kind need, and all ranks have if one has; made once.  Collective. */
mnp_status mnp__reductions_prepare(mnp_comm *comm, mnp_dtype dtype, mnp_op op);

/*
 * Reduce by messages and local work: by ranks that each reduce a part, in the order of the ranks.  Prepared before.
 */
mnp_status mnp__reduce_by_parts(mnp_comm *comm, const mnp__collective *call);

/*
 * A block of so many bytes of every rank, gathered in the scratch memory, on the host device: this rank's first, then
 * those of the ranks after it.  As many messages as the number of ranks has binary digits, one after the other.
 * Prepared before.
 */
mnp_status mnp__gather_blocks(mnp_comm *comm, const void *own, size_t bytes);

/* Whether the group, on the host device, has so many ranks that a message from each to each takes longer than that. */
bool mnp__has_many_ranks(const mnp_comm *comm);

/* Wait on the CPU for what the compute stream holds. */
mnp_status mnp__wait_for_compute(mnp_comm *comm);

/* Exchange messages between device memories, behind what the compute stream holds. */
mnp_status mnp__exchange_once(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs);

/*
 * NCCL for groups (nccl.c).  split: `group`, which has its MPI communicator, is made of comm; a negative colour: this
 * rank is in none, and gets NULL, as it does where it would be alone.  Whoever watches comm's NCCL watches its parts'.
 * Collective over comm.  can_reduce: whether NCCL has that operation, with the meaning of mnp_op.  collective:
 * reductions, broadcasts, and gathering equal parts on all ranks.
 */
mnp_status mnp__nccl_split(const mnp__comm *comm, const mnp__comm *group, int color, int key, mnp__nccl **nccl_p);
bool mnp__nccl_can_reduce(mnp_dtype dtype, mnp_op op);
mnp_status mnp__nccl_collective(mnp__nccl *nccl, const mnp__collective *call, mnp__stream *stream);

#endif
