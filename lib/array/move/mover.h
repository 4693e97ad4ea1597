/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mover: brings boxes of a distributed array, extended beyond its borders, to the ranks that want them.
 *
 * It is the only thing that moves array data between ranks.  Redistribution wants one box, the block of another layout;
 * a halo exchange wants the boxes around a block.  A mover is planned once, from arithmetic that every rank does alone,
 * and then run any number of times without allocating.
 *
 * What a rank has for itself is copied.  What it has for a peer, a rank whose heap it can write to, it stores there:
 * into the destination where all ranks know where that lies, else into a staging buffer from which the peer takes it.
 * What it has for other ranks it packs and sends.
 */
#ifndef MNP__ARRAY_MOVE_MOVER_H
#define MNP__ARRAY_MOVE_MOVER_H

#include "array/move/pieces.h"
#include "context/context.h"

typedef struct mnp__mover mnp__mover;

/* Plan a move.  The spec is not needed afterwards.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE. */
mnp_status mnp__mover_new(mnp_ctx *ctx, const mnp__move_spec *spec, mnp__mover **mover_p);

/* Whether dst is complete only after finish.  If not, work that is enqueued after begin already finds all of it. */
bool mnp__mover_receives(const mnp__mover *mover);

/*
 * Write the fill value (one element) to everything in dst that lies beyond the array's borders; nothing else ever
 * writes there.
 */
mnp_status mnp__mover_fill(mnp__mover *mover, void *dst, const void *value);

/*
 * Move in two steps, so that other work can run meanwhile.
 *
 * begin: once the work that the compute stream holds is done, pack what is sent, and copy what stays on this rank; on
 * GPUs also store what peers want.  From now on peers may write to dst, and src must not be changed until finish. Other
 * work may be enqueued on the compute stream; on the host, help is called between its parts where needs_help says so.
 *
 * finish: store, exchange and unpack the rest.  Work that is enqueued afterwards finds all of dst complete.
 *
 * finish_with: the same, and `work` enqueues on the stream that it is given what needs dst; on a GPU that runs beside
 * what the compute stream holds, which waits for it.
 *
 * If the mover is direct (pieces.h), dst is a place in the heap.  All but help and needs_help are collective.
 */
mnp_status mnp__mover_begin(mnp__mover *mover, const void *src, void *dst);
bool mnp__mover_needs_help(const mnp__mover *mover);
mnp_status mnp__mover_help(mnp__mover *mover);
mnp_status mnp__mover_finish(mnp__mover *mover, void *dst);

typedef mnp_status (*mnp__mover_work)(const void *argument, mnp__stream *stream);
mnp_status mnp__mover_finish_with(mnp__mover *mover, void *dst, mnp__mover_work work, const void *argument);

/* Begin and finish.  move also waits until it is done, and agrees: then the mover may be freed.  Collective, both. */
mnp_status mnp__mover_run(mnp__mover *mover, const void *src, void *dst);
mnp_status mnp__mover_move(mnp__mover *mover, const void *src, void *dst);

/*
 * Move a block that is made slab by slab, each dense in C order: peers get what is theirs of a slab while the next one
 * is made.  Only where mnp__mover_takes_slabs(), that is, where all ranks share memory; otherwise the block has to be
 * complete.  begin: from now on peers may write to dst.  Then for each slab of this rank, in order: next, after which
 * the compute stream may write to buffer `number % mnp__mover_slab_buffers()`, and slab, when the stream has been given
 * all that makes it there.  finish: all of dst is in place for the compute stream.  begin and finish are collective.
 */
bool mnp__mover_takes_slabs(const mnp_ctx *ctx);
int mnp__mover_slab_buffers(const mnp_ctx *ctx);
mnp_status mnp__mover_begin_slabs(mnp__mover *mover, void *dst);
mnp_status mnp__mover_next_slab(mnp__mover *mover, int64_t number);
mnp_status mnp__mover_slab(mnp__mover *mover, int64_t number, const void *slab);
mnp_status mnp__mover_finish_slabs(mnp__mover *mover);

/* Not while it is in use: wait for the compute stream after the last finish.  NULL is accepted.  Collective. */
void mnp__mover_free(mnp__mover *mover);

/* How peers get what is theirs. */
typedef enum mnp__mover_path { MNP__BY_MESSAGES, MNP__BY_STORES, MNP__BY_STAGING } mnp__mover_path;

/* What a run does: bytes that this rank copies for itself, has for its peers and for others; what it keeps for that. */
typedef struct mnp__mover_facts {
    int64_t own_bytes, peer_bytes, other_bytes;
    int64_t memory;  /* bytes that it keeps in all */
    int64_t buffers; /* of these, what messages and staging go through */
    mnp__mover_path path;
    int launches, messages; /* messages: that it sends */
    int receivers;          /* ranks that get something, in messages or from stores */
} mnp__mover_facts;

mnp__mover_facts mnp__mover_describe(const mnp__mover *mover);

#endif
