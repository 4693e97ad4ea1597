/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: what has to travel between ranks so that each gets the boxes it wants.  Pure arithmetic, which every rank
 * does alone.
 *
 * A wanted box is in indices of the source layout, which may lie beyond its borders.  Each dimension of it is cut where
 * parts of the layout end; a piece is the product of such cuts, strided in both memories, and comes from one rank.  The
 * receiver and the sender of a message list the pieces of it in the same order.
 */
#ifndef MNP__ARRAY_MOVE_PIECES_H
#define MNP__ARRAY_MOVE_PIECES_H

#include <maniple/dtype.h>
#include <maniple/signal.h>

#include "layout/layout.h"

/*
 * A box that a rank wants, and where it goes: element number i0, i1, ... of it to offset + sum(i * strides).  Of
 * dimension d it has extent[d] indices from lo[d] on, which follow one another, or, where period[d] is not 0, lie in
 * runs of length[d] that begin period[d] apart, as mnp__part_runs.  Fields that wants() leaves alone are 0.
 */
typedef struct mnp__want {
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    int64_t length[MNP_MAX_DIMS], period[MNP_MAX_DIMS];
    int64_t offset, strides[MNP_MAX_DIMS]; /* in the destination, in elements */
} mnp__want;

enum { MNP__MAX_WANTS = 2 * MNP_MAX_DIMS };

/* What `rank` wants: fills in at most MNP__MAX_WANTS boxes and gives their number.  The same answer on every rank. */
typedef int (*mnp__wants)(const void *argument, int rank, mnp__want *wants);

/* What is to be moved. */
typedef struct mnp__move_spec {
    mnp_dtype dtype;
    const mnp_layout *layout;       /* of the source */
    const int64_t *strides;         /* of this rank's block of it, in elements; NULL: it lies dense in C order */
    const mnp_boundary *boundaries; /* of each dimension; NULL: nothing that is wanted lies beyond the borders */
    mnp__wants wants;
    const void *argument;
    /* The destination is at the same place of the heap on all ranks, whose offsets and strides wants() gives truly. */
    bool direct;
    /* The block comes in slabs, of so many indices of a dimension of it, and is dense: mnp__mover_slab(). */
    bool in_slabs; /* the same on all ranks */
    int64_t slab_extent;
    int slab_dim;
} mnp__move_spec;

typedef struct mnp__piece {
    int source, receiver; /* ranks; source may be MNP__FILL */
    int ndim;
    int64_t extent[MNP_MAX_DIMS], size;
    int64_t src, src_strides[MNP_MAX_DIMS]; /* in the block of the rank that asks, if it is the source */
    int64_t dst, dst_strides[MNP_MAX_DIMS];
} mnp__piece;

typedef mnp_status (*mnp__piece_visitor)(void *argument, const mnp__piece *piece);

/*
 * Visit all that `rank` wants, from any rank; and all that other ranks want of it, those for the ranks behind it
 * first. The spec's strides are given.  They cost time in proportion to the ranks and to the rank's own pieces.  A
 * failure of the visitor ends them; MNP_ERR_MEMORY.
 */
mnp_status mnp__pieces_wanted(const mnp__move_spec *spec, int rank, mnp__piece_visitor visit, void *argument);
mnp_status mnp__pieces_sent(const mnp__move_spec *spec, int rank, mnp__piece_visitor visit, void *argument);

#endif
