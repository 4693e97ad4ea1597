/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a mover is made of: lists of boxes, the buffers they go through, and who waits for whom.
 */
#ifndef MNP__ARRAY_MOVE_MOVER_PLAN_H
#define MNP__ARRAY_MOVE_MOVER_PLAN_H

#include "array/boxes.h"
#include "array/move/mover.h"
#include "array/move/p2p_boxes.h"
#include "comm/heap.h"

/* Signals between peers on the host: what is to be written may be; all that was to be written has been. */
enum { MNP__SIGNAL_READY, MNP__SIGNAL_DONE, MNP__SIGNALS };

/* What goes where of one slab, to dst. */
typedef struct mnp__slab {
    mnp__boxes local;   /* what stays on this rank; on the host also what goes to its peers */
    mnp__boxes *stores; /* on GPUs: what goes to each of the mover's targets */
} mnp__slab;

enum { MNP__SLAB_BUFFERS = 2 /* on GPUs: one is made while another one is moved */ };

struct mnp__mover {
    mnp_ctx *ctx;
    size_t element;
    mnp__kernel *kernel;
    mnp__mover_facts facts;
    mnp__boxes fill, local; /* value to dst; block to dst */

    /* messages, for ranks that are no peers */
    mnp__boxes pack, unpack; /* block to send; recv to dst */
    void *send, *recv;       /* device memory: messages one after the other */
    mnp__exchange *exchange;
    int nsends, nrecvs;

    /* through the heap, for peers */
    mnp__boxes store, fetch; /* block to the peers' dst or staging; staging to dst */
    void *staging;           /* in the heap; NULL where peers store into dst */
    size_t staging_bytes;
    int ntargets, nwriters; /* the numbers of the peers that this rank writes to, and that write to it */
    int *targets, *writers;
    mnp__signals *signals; /* NULL where no peer has anything for another, and on GPUs */
    mnp__p2p_boxes *p2p;   /* NULL but on GPUs: does `store` and `local` with all waiting; of slabs the waiting alone */

    /* of a block that comes in slabs */
    int64_t nslabs;
    mnp__slab *slabs;
    mnp__boxes nothing;                          /* an empty list; this and what follows on GPUs alone */
    mnp__device_event *moved[MNP__SLAB_BUFFERS]; /* what was in a buffer has left it */
    int blocks;                                  /* of a launch that stores beside what makes the next slab */

    /* the run that has begun */
    const void *src;
    void *dst;
    bool storing; /* its stores are still to come */
};

/* Count for profiles what a run sends. */
void mnp__mover_count(const mnp__mover *mover);

/* slabs.c: make the lists of the slabs, for this rank alone.  MNP_ERR_MEMORY. */
mnp_status mnp__mover_plan_slabs(mnp__mover *mover, const mnp__move_spec *spec);
void mnp__mover_free_slabs(mnp__mover *mover);

#endif
