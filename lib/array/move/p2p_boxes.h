/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes for peers on GPUs that share the heap: one launch (kernels/array/p2p_boxes.cu) stores what a rank has for its
 * peers in their memory, copies what it has for itself, and waits for what they store here.  All ranks must take part
 * in every run; the CPU does not wait, so runs may be recorded in CUDA graphs.
 */
#ifndef MNP__ARRAY_MOVE_P2P_BOXES_H
#define MNP__ARRAY_MOVE_P2P_BOXES_H

#include "array/boxes.h"

typedef struct mnp__p2p_boxes mnp__p2p_boxes;

/*
 * Peers by their numbers (peers.h), this rank not among them: those that it stores for, those that store here.  The
 * boxes of targets[i] follow those of targets[i - 1] in `store` and begin with unit first_units[i]; their destinations
 * count from an address of this rank, with the distance to the peer in them.  Without first_units nothing is stored:
 * both lists are empty, and a run only waits until all these ranks have come to it.
 */
typedef struct mnp__p2p_boxes_spec {
    mnp_dtype dtype;           /* of which both lists are: mnp__moving_dtype() */
    mnp__boxes *store, *local; /* committed; they outlive what is made of them */
    int ntargets, nwriters;
    const int *targets, *writers;
    const int64_t *first_units;
} mnp__p2p_boxes_spec;

/* Whether kernels write to peers: otherwise the CPU does, after signals, or nobody.  The same on all ranks. */
bool mnp__p2p_boxes_is_possible(const mnp_ctx *ctx);

/* The spec is not needed afterwards.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE. */
mnp_status mnp__p2p_boxes_new(mnp_ctx *ctx, const mnp__p2p_boxes_spec *spec, mnp__p2p_boxes **p2p_p);

/*
 * From src, to where `theirs` is in the peers' memory and to `own` here.  What the stream holds so far is done before
 * anyone writes here; what it gets afterwards finds all that was stored here, and may write to src.  Collective.
 * MNP_ERR_TIMEOUT, MNP_ERR_PEER: of an earlier run, as waits.h has it.
 */
mnp_status mnp__p2p_boxes_run(mnp__p2p_boxes *p2p, const void *src, void *theirs, void *own, mnp__stream *stream);

/* Not before all runs are over on the device.  NULL is accepted.  Collective. */
void mnp__p2p_boxes_free(mnp__p2p_boxes *p2p);

#endif
