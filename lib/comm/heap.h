/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap: memory at the same places on all ranks, which the peers of a node have mapped.
 *
 * Every rank makes the same allocations and releases in the same order, so all find the same place without asking, and
 * all find alike that it is full.  Address space is reserved for all peers side by side: what lies at an address of
 * this rank lies, for a peer, at that address plus mnp__heap_distance().  The heap grows in chunks: a chunk is a piece
 * of memory that processes can share (on the host an anonymous file, on GPUs memory of the driver's virtual memory
 * management), whose file descriptor travels to the peers.  Ranks that use one GPU share memory like any others.
 *
 * What was freed is had again at once, though a GPU's stream may still hold work on it.  That is right because all uses
 * of a place come one after the other:
 * - of this rank: in the order of the compute stream.  Another stream is made to wait for it before it uses fresh
 *   memory, and the compute stream for that one before the memory is freed (mnp__ctx_order());
 * - of peers: they load and store only after this rank has let them know, in the order of its stream, that they may,
 * and
 *   what its stream holds later waits until they have.
 *
 * Where no rank has peers, or they cannot share memory, the host's heap serves memory of this rank alone, at the same
 * places all the same; a GPU's blocks are then the device's own, at different places.
 */
#ifndef MNP__COMM_HEAP_H
#define MNP__COMM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/memory.h>

#include "comm/comm.h"

/* For a comm that has its device and its peers.  Collective. */
mnp_status mnp__heap_open(mnp__comm *comm, mnp__heap **heap_p);
void mnp__heap_close(mnp__heap *heap); /* NULL is accepted */

/* Whether peers can write into what is allocated: there are any, and they have mapped it.  The same on all ranks. */
bool mnp__heap_shared(const mnp__heap *heap);

/* Whether the CPUs of the peers can: it is shared, and the host device's.  Then there can be signals and channels. */
bool mnp__heap_cpu_shared(const mnp__heap *heap);

/*
 * Memory of that size, aligned to 512 bytes, with anything in it; size 0 gives NULL.  Used by the compute stream at
 * once, and freed in its order.  All ranks give the same size.  It communicates where the heap has to grow, and on CPUs
 * once for some MiB, to collect.  MNP_ERR_MEMORY on all ranks, with how much is missing, which leaves the heap as it
 * was.  Collective.  Once a rank is lost, what is freed is not used again, as one that comes late may still write to
 * it.
 */
mnp_status mnp__heap_alloc(mnp__heap *heap, size_t size, void **pointer_p);
void mnp__heap_free(mnp__heap *heap, void *pointer); /* in the same order on all ranks; NULL is accepted */

/*
 * Free a block while other ranks still use theirs: garbage collectors free late, and exceptions free early.  The block
 * waits until all ranks have dropped it and one of the next calls finds that out: collect, or an allocation that
 * collects.  The place of a block is its name on all ranks, as it is not used again before.  drop is not collective;
 * collect is, and costs four small collectives of the CPUs, or one if rank 0 has dropped nothing.
 */
void mnp__heap_drop(mnp__heap *heap, void *pointer); /* NULL is accepted */
mnp_status mnp__heap_collect(mnp__heap *heap);

/* Bytes from an address of this rank's heap to the same place of the peer with that number; 0 for this rank. */
ptrdiff_t mnp__heap_distance(const mnp__heap *heap, int peer);

/*
 * A place in the heap as ranks can tell each other, whose own addresses differ.  find: that of so many bytes of this
 * rank; false if they are not all in a shared heap.  at: where this rank has the place of a peer.
 */
bool mnp__heap_find(const mnp__heap *heap, const void *pointer, size_t bytes, size_t *place_p);
void *mnp__heap_at(const mnp__heap *heap, int peer, size_t place);

/*
 * hash: a number that ranks share as long as they have the same blocks; 0 where blocks are the device's own.  compare:
 * MNP_ERR_ARG on all ranks where they do not share it, as what is written to a peer's heap would land in the wrong
 * place.  Collective.
 */
uint64_t mnp__heap_hash(const mnp__heap *heap);
mnp_status mnp__heap_compare(const mnp__heap *heap);

const mnp__comm *mnp__heap_comm(const mnp__heap *heap);

/*
 * Figures; chunks without blocks go back to the system; bound what is reserved (0: by what there is).  Alike on all
 * ranks.
 */
void mnp__heap_info(const mnp__heap *heap, mnp_memory_pool_info *info);
void mnp__heap_trim(mnp__heap *heap);
void mnp__heap_set_limit(mnp__heap *heap, size_t bytes);

void mnp__heap_describe(const mnp__heap *heap, mnp_heap_info *info); /* as mnp_memory_heap() */

/*
 * Signals between this rank and its peers, of several kinds: for every kind and peer, a word of this rank's heap that
 * the peer counts up.  They are ordered like messages: what a rank wrote before it signals is there when the wait is
 * over.
 */
typedef struct mnp__signals mnp__signals;

/* Collective, and agreed upon; only where mnp__heap_cpu_shared(). */
mnp_status mnp__signals_new(mnp__heap *heap, int kinds, mnp__signals **signals_p);
void mnp__signals_free(mnp__signals *signals); /* collective; NULL is accepted */

/*
 * send: when what the stream holds is done, count up for those peers (their numbers; this rank not among them).
 * wait: the stream goes on when each of them has signalled as often as this rank has waited for it, this time included.
 * On the host device, where streams are served at once, wait returns then, at most after the deadline
 * (MNP_ERR_TIMEOUT, MNP_ERR_PEER: naming the rank), and arrived says whether it would return at once.
 */
mnp_status mnp__signals_send(mnp__signals *signals, int kind, int count, const int *peers, mnp__stream *stream);
mnp_status mnp__signals_wait(mnp__signals *signals, int kind, int count, const int *peers, mnp__stream *stream);
bool mnp__signals_arrived(const mnp__signals *signals, int kind, int count, const int *peers);

#endif
