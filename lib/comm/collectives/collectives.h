/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of the collectives: the description of a checked call, and the functions by which it is done.
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
    MNP__BARRIER /* has no elements */
} mnp__collective_kind;

/* Parts of a buffer, one for each rank: `count` elements each, one after the other; or given counts at offsets. */
typedef struct mnp__parts {
    int64_t count;
    const int64_t *counts, *offsets; /* both or neither is NULL */
} mnp__parts;

/*
 * One call.  `whole` is the number of elements of a buffer that is not divided into parts: both buffers of all_reduce,
 * reduce, broadcast, send and recv, the send buffer of gather, the receive buffer of scatter.  `parts` are those of
 * send (reduce_scatter, scatter, all_to_all) or of recv (all_gather, gather); `recv_parts` are those of recv in an
 * all_to_all.
 */
typedef struct mnp__collective {
    mnp__collective_kind kind;
    const char *name;
    const void *send;
    void *recv; /* for a broadcast both recv and send are the buffer */
    int64_t whole;
    mnp__parts parts, recv_parts;
    bool uneven; /* a v form, in which a rank knows only its own counts */
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

/* Some contiguous elements of a buffer. */
typedef struct mnp__run {
    char *data;
    int64_t count;
} mnp__run;

/*
 * What this rank, number `rank` of the group, sends to rank `to`, and what it receives from rank `from`, itself
 * included.  For a reduction, every rank sends elements to those that want the result; as they are combined on the way,
 * the data received is NULL.
 */
mnp__run mnp__sent(const mnp__collective *call, int rank, int to);
mnp__run mnp__received(const mnp__collective *call, int rank, int from);
bool mnp__reduces(const mnp__collective *call);

/* Run a checked call on the compute stream.  Collective over comm. */
mnp_status mnp__collective_run(mnp_comm *comm, const mnp__collective *call);
mnp_status mnp__barrier_run(mnp_comm *comm);

/*
 * Whether mnp_comm_all_reduce() of so many elements is at most one launch, which can be part of a loop on the device.
 * The same on all ranks of the group.
 */
bool mnp__all_reduce_is_launch(const mnp_comm *comm, int64_t count, mnp_dtype dtype);

/*
 * Load a kernel if *kernel_p is NULL, which is so on all ranks of the group or on none; then all ranks have it, or none
 * has.  The text is released.  Collective over comm.
 */
mnp_status mnp__prepare_kernel(mnp_comm *comm, const char *file, const char *function, mnp__text *defines,
                               mnp__kernel **kernel_p);

/* Append the definitions that kernels/comm/combine_values.h needs. */
void mnp__add_reduction(mnp__text *defines, mnp_dtype dtype, mnp_op op);

/* Prepare, once, the memory and the kernel for such reductions; all ranks have them, or none has.  Collective. */
mnp_status mnp__reductions_prepare(mnp_comm *comm, mnp_dtype dtype, mnp_op op);

/*
 * Reduce by messages: each rank reduces a part locally, in the order of the ranks.  mnp__reductions_prepare() has run.
 */
mnp_status mnp__reduce_by_parts(mnp_comm *comm, const mnp__collective *call);

/*
 * Gather a block of so many bytes from every rank in the scratch memory, on the host device: first this rank's, then
 * those of the ranks after it, cyclically.  It takes as many messages, one after the other, as the number of ranks has
 * binary digits.  mnp__reductions_prepare() has run.
 */
mnp_status mnp__gather_blocks(mnp_comm *comm, const void *own, size_t bytes);

/*
 * Whether the group is on the host device and has so many ranks that mnp__gather_blocks() is faster than p^2 messages.
 */
bool mnp__has_many_ranks(const mnp_comm *comm);

/* Wait on the CPU until the compute stream is idle. */
mnp_status mnp__wait_for_compute(mnp_comm *comm);

/* Exchange messages between device memories, after the work that the compute stream has. */
mnp_status mnp__exchange_once(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs);

/*
 * NCCL for groups (nccl.c).  split makes a communicator of NCCL for `group`, a part of comm that has its communicator
 * of MPI; a rank with a negative colour is in no group and gets NULL, as does a rank that is alone.  A watch of comm's
 * NCCL includes those of its groups.  Collective over comm.  can_reduce: whether NCCL has an operation with the meaning
 * of mnp_op.  collective runs reductions, broadcasts, and all_gather of equal parts.
 */
mnp_status mnp__nccl_split(const mnp__comm *comm, const mnp__comm *group, int color, int key, mnp__nccl **nccl_p);
bool mnp__nccl_can_reduce(mnp_dtype dtype, mnp_op op);
mnp_status mnp__nccl_collective(mnp__nccl *nccl, const mnp__collective *call, mnp__stream *stream);

#endif
