/*
 * The mover: brings boxes of a distributed array, extended beyond its borders, to the ranks that want them.
 *
 * It is the only thing that moves array data between ranks.  Redistribution wants one box, the block of another layout;
 * a halo exchange wants the boxes around a block.  A mover is planned once, from arithmetic that every rank does alone,
 * and then run any number of times without allocating.
 */
#ifndef MNP__ARRAY_MOVER_H
#define MNP__ARRAY_MOVER_H

#include <maniple/signal.h>

#include "context/context.h"
#include "layout/layout.h"

/* A box that a rank wants, in indices of the source (which may lie beyond its borders), and where it goes. */
typedef struct mnp__want {
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    int64_t offset, strides[MNP_MAX_DIMS]; /* in the destination, in elements */
} mnp__want;

enum { MNP__MAX_WANTS = 2 * MNP_MAX_DIMS };

/* What `rank` wants: fills in at most MNP__MAX_WANTS boxes and gives their number.  The same answer on every rank. */
typedef int (*mnp__wants)(const void *argument, int rank, mnp__want *wants);

typedef struct mnp__mover mnp__mover;

/*
 * Plan to move from blocks of `layout`, with a boundary kind for each dimension.  This rank's block has those strides
 * in elements, or lies dense in C order if they are NULL.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
mnp_status mnp__mover_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const int64_t *strides,
                          const mnp_boundary *boundaries, mnp__wants wants, const void *argument, mnp__mover **mover_p);

/* Whether this rank gets something from another rank, and has to wait for it. */
bool mnp__mover_receives(const mnp__mover *mover);

/* Write the fill value (one element) to all that lies beyond the borders; nothing else ever writes there. */
mnp_status mnp__mover_fill(mnp__mover *mover, void *dst, const void *value);

/*
 * Move.  begin: after what the compute stream holds now, pack on the transfer stream, and do the local part on the
 * compute stream, where other work may follow, with calls of help between its parts if that is needed; finish: exchange
 * and unpack, after which the compute stream goes on with all of `dst` in place.  Collective, but for help.
 */
mnp_status mnp__mover_begin(mnp__mover *mover, const void *src, void *dst);
bool mnp__mover_needs_help(const mnp__mover *mover);
mnp_status mnp__mover_help(mnp__mover *mover);
mnp_status mnp__mover_finish(mnp__mover *mover, void *dst);

/* Move, and wait until it is done: afterwards the mover may be freed.  Collective, and agreed upon. */
mnp_status mnp__mover_move(mnp__mover *mover, const void *src, void *dst);

void mnp__mover_free(mnp__mover *mover);

#endif
