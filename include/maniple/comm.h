/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators and collectives: groups of ranks, and what they do together with memory of their devices.
 *
 * A communicator is a group of the context's ranks, numbered from 0: all of them (mnp_comm_world()), those along an
 * axis of a mesh (mnp_mesh_comm()), or parts of another group (mnp_comm_split()).  Buffers are dense device memory, the
 * CPU's on the host device, such as mnp_array_local_data() gives.  Calls are ordered with the context's compute stream:
 * they come after what it holds, and work that is enqueued later finds their results.  On the host device a call has
 * finished when it returns.
 *
 * How data travels depends on the ranks of the group and on the size of a message:
 *
 *   GPUs that share memory   up to 256 KiB a rank one kernel; an all to all, all gather, reduction or broadcast of
 *                            larger messages is one kernel too, if they lie in the memory of arrays; NCCL does
 *                            all-reduces from 512 MiB on
 *   other GPUs               NCCL; reductions that it lacks (averages, products of complex numbers, 16-bit integers,
 *                            minima that keep NaN) go in parts to the ranks that reduce them
 *   the host                 shared memory for small messages between ranks of a node, otherwise MPI
 *
 * All ranks get the same bits.  Values are taken in the order of the ranks, except where NCCL reduces.
 *
 * Arguments that are the same for all ranks (counts without v, dtypes, operations, roots) are checked without
 * communication, so all ranks return MNP_ERR_ARG together; a debug build proves that they are the same.  Arguments of
 * one rank's own (pointers, counts and offsets of the v forms) are checked there alone: a rank that finds an error
 * returns at once, and the others wait for it until the deadline.  The others also wait if a rank that shares its GPU
 * has no pinned memory for a message.  Where GPUs share memory, ranks that give mnp_comm_all_to_allv() or
 * mnp_comm_all_gatherv() sizes that differ get MNP_ERR_ARG, and the others MNP_ERR_PEER; in a reduction or broadcast
 * all ranks get MNP_ERR_ARG, if every rank's message is larger than 256 KiB.
 *
 * Errors of all collectives: MNP_ERR_ARG; MNP_ERR_MEMORY, MNP_ERR_COMPILE (the first calls); MNP_ERR_COMM, also where
 * the host sees that a message has another size than is expected, for which it may otherwise wait until the deadline;
 * MNP_ERR_TIMEOUT where a rank did not take part within MANIPLE_DEADLINE (the rank that is named may have waited for
 * another itself); MNP_ERR_PEER where a rank has ended or another gave up.  After MNP_ERR_TIMEOUT or MNP_ERR_PEER every
 * later call that needs other ranks of this context fails, and MPI may still read and write the buffers.
 */
#ifndef MANIPLE_COMM_H
#define MANIPLE_COMM_H

#include <stdint.h>

#include <maniple/base.h> /* before mpi.h, for C++ */

#include <mpi.h>

#include <maniple/array.h>
#include <maniple/context.h>
#include <maniple/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_comm mnp_comm;

/*
 * How the values of several ranks are combined into one, in their own dtype.
 *
 * Integers wrap.  The sum and the maximum of bools are "or", the product and the minimum "and".  A NaN makes a minimum
 * or maximum NaN, as in NumPy.  float16 and bfloat16 are reduced as float32 and rounded once, except where NCCL
 * reduces.  An average of integers or bools, and a minimum or maximum of complex numbers, are refused (MNP_ERR_ARG).
 */
typedef enum mnp_op { MNP_SUM, MNP_PROD, MNP_MIN, MNP_MAX, MNP_AVG } mnp_op;

/*
 * The algorithm of collectives.  AUTO: the quickest one, which is straight loads and stores in the memory of ranks of
 * the same node where these share it, and otherwise NCCL or MPI.  LIBRARY: NCCL alone, or MPI where the ranks have no
 * NCCL between them (mnp_ctx_transport()); to compare with, and to exclude that a fault comes from shared memory.
 */
typedef enum mnp_comm_algorithm { MNP_COMM_AUTO, MNP_COMM_LIBRARY } mnp_comm_algorithm;

/* All ranks of the context, under their own numbers.  It belongs to the context.  Not collective. */
MNP_API mnp_comm *mnp_comm_world(const mnp_ctx *ctx);

/*
 * Split a group, as MPI_Comm_split: ranks that give the same colour form a new one, numbered by `key` and then by their
 * numbers here.  With a negative colour a rank is in none, and gets NULL.  Release with mnp_comm_free(); groups that
 * are left when the context ends are released with it.  Collective over comm.  MNP_ERR_MEMORY, MNP_ERR_COMM,
 * MNP_ERR_TIMEOUT.
 */
MNP_API mnp_status mnp_comm_split(mnp_comm *comm, int color, int key, mnp_comm **part_p);

/* Release what mnp_comm_split() made, after its last call.  NULL is accepted.  Collective over comm. */
MNP_API void mnp_comm_free(mnp_comm *comm);

/*
 * Set the algorithm of a group.  A new group inherits that of the group from which it is split; the world begins with
 * MNP_COMM_AUTO.  The world's algorithm also holds for reductions over ranks, and for redistributions and halos that
 * are planned afterwards.  Collective over comm; all ranks give the same.  MNP_ERR_ARG.
 */
MNP_API mnp_status mnp_comm_set_algorithm(mnp_comm *comm, mnp_comm_algorithm algorithm);

/* Not collective.  The MPI communicator belongs to comm, which uses it itself. */
MNP_API int mnp_comm_rank(const mnp_comm *comm);
MNP_API int mnp_comm_size(const mnp_comm *comm);
MNP_API MPI_Comm mnp_comm_mpi(const mnp_comm *comm);

/* The context's number of the rank that is number `rank` of the group; -1 if there is none.  Not collective. */
MNP_API int mnp_comm_world_rank(const mnp_comm *comm, int rank);

/*
 * Reductions of `count` elements, element by element over the ranks.  all_reduce: every rank gets the result; reduce:
 * rank `root` alone, and recv is not used elsewhere; reduce_scatter: `send` has a part of count_per_rank elements for
 * every rank, and each gets the result of its part.  In place: recv is send, or for reduce_scatter this rank's part of
 * it; otherwise they must not overlap.  Collective over comm.
 */
MNP_API mnp_status mnp_comm_all_reduce(mnp_comm *comm, const void *send, void *recv, int64_t count, mnp_dtype dtype,
                                       mnp_op op);
MNP_API mnp_status mnp_comm_reduce(mnp_comm *comm, const void *send, void *recv, int64_t count, mnp_dtype dtype,
                                   mnp_op op, int root);
MNP_API mnp_status mnp_comm_reduce_scatter(mnp_comm *comm, const void *send, void *recv, int64_t count_per_rank,
                                           mnp_dtype dtype, mnp_op op);

/* `count` elements of rank `root` to all.  Collective over comm. */
MNP_API mnp_status mnp_comm_broadcast(mnp_comm *comm, void *buffer, int64_t count, mnp_dtype dtype, int root);

/*
 * Gather the elements of all ranks, in the order of the ranks, on all ranks or on rank `root` (recv is not used
 * elsewhere).  In the v form rank r's counts[r] elements go to recv + offsets[r] (in elements), and counts[rank] is
 * this rank's `count`; for all_gatherv all ranks give the same counts, for gatherv they are read on the root alone.  In
 * place: send is where this rank's elements go in recv.  Collective over comm.
 */
MNP_API mnp_status mnp_comm_all_gather(mnp_comm *comm, const void *send, int64_t count, void *recv, mnp_dtype dtype);
MNP_API mnp_status mnp_comm_all_gatherv(mnp_comm *comm, const void *send, int64_t count, void *recv,
                                        const int64_t *counts, const int64_t *offsets, mnp_dtype dtype);
MNP_API mnp_status mnp_comm_gather(mnp_comm *comm, const void *send, int64_t count, void *recv, mnp_dtype dtype,
                                   int root);
MNP_API mnp_status mnp_comm_gatherv(mnp_comm *comm, const void *send, int64_t count, void *recv, const int64_t *counts,
                                    const int64_t *offsets, mnp_dtype dtype, int root);

/*
 * The reverse: rank `root` gives every rank its elements (send is not used elsewhere).  In the v form rank r gets
 * counts[r] of them from send + offsets[r], its `count`; counts and offsets are read on the root alone.  In place: recv
 * is where the root's elements are in send.  Collective over comm.
 */
MNP_API mnp_status mnp_comm_scatter(mnp_comm *comm, const void *send, void *recv, int64_t count, mnp_dtype dtype,
                                    int root);
MNP_API mnp_status mnp_comm_scatterv(mnp_comm *comm, const void *send, const int64_t *counts, const int64_t *offsets,
                                     void *recv, int64_t count, mnp_dtype dtype, int root);

/*
 * Every rank gives every rank elements of its own: part r of send goes to rank r, part r of recv comes from it.
 * Offsets are in elements.  The buffers must not overlap.  Collective over comm.
 */
MNP_API mnp_status mnp_comm_all_to_all(mnp_comm *comm, const void *send, void *recv, int64_t count_per_rank,
                                       mnp_dtype dtype);
MNP_API mnp_status mnp_comm_all_to_allv(mnp_comm *comm, const void *send, const int64_t *send_counts,
                                        const int64_t *send_offsets, void *recv, const int64_t *recv_counts,
                                        const int64_t *recv_offsets, mnp_dtype dtype);

/*
 * One rank to another; both give the same count.  A send may wait for its receive: ranks that send to each other at the
 * same time use mnp_comm_all_to_allv().  What a rank sends another is received in the order in which it was sent, also
 * where it goes over several communicators.  MNP_ERR_ARG if peer is this rank.  Collective over the two ranks.
 */
MNP_API mnp_status mnp_comm_send(mnp_comm *comm, const void *buffer, int64_t count, mnp_dtype dtype, int peer);
MNP_API mnp_status mnp_comm_recv(mnp_comm *comm, void *buffer, int64_t count, mnp_dtype dtype, int peer);

/*
 * A barrier: work that a rank enqueues on its compute stream afterwards starts only after the streams of all ranks have
 * reached the barrier.  On the host device the call returns when all ranks have made it.  Collective over comm.
 */
MNP_API mnp_status mnp_comm_barrier(mnp_comm *comm);

/*
 * Make replicas equal again.  In a replicated layout several ranks own the same block, and each may have computed its
 * own values for it, such as the gradients of a model.  all_reduce makes an array in the same layout whose blocks are
 * reduced over the ranks of comm; broadcast replaces the blocks of all ranks of comm by that of its rank `root`.  Every
 * rank of the context makes the call, each with its own group.  MNP_ERR_ARG if ranks of comm own different blocks;
 * other errors are those of the collectives.
 */
MNP_API mnp_status mnp_array_all_reduce(mnp_comm *comm, const mnp_array *x, mnp_op op, mnp_array **y_p);
MNP_API mnp_status mnp_array_broadcast(mnp_comm *comm, mnp_array *x, int root);

#ifdef __cplusplus
}
#endif

#endif
