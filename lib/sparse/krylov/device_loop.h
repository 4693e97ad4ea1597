/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A method's loop on the device: iterations as a graph that goes round until the method is over, so that the CPU waits
 * once.
 *
 * The body is recorded after some iterations, when most kernels that they need are there.  It has at least
 * MNP__POLL_EVERY of them, as another time round takes a moment, and so many that the system is where it was: methods
 * go through cycles, and exchange vectors.  The graph pauses now and then, for the CPU to fetch residuals, to tell the
 * caller, and to look for lost ranks.
 */
#ifndef MNP__SPARSE_KRYLOV_DEVICE_LOOP_H
#define MNP__SPARSE_KRYLOV_DEVICE_LOOP_H

#include <maniple/graph.h>

#include "array/array.h"
#include "kernels/sparse/step/step_params.h"

enum {
    MNP__POLL_EVERY = 10, /* calls of iterate between looks at the state */
    MNP__MOST_WORK = 10   /* vectors that a method works with */
};

typedef struct mnp__system mnp__system;

/* Where a system is in its method's cycles, which is all that changes in memory of the CPU. */
typedef struct mnp__solver_position {
    int number;
    mnp_array *work[MNP__MOST_WORK];
} mnp__solver_position;

typedef struct mnp__device_loop {
    bool possible;              /* alike on all ranks */
    mnp_graph *graph;           /* NULL: not recorded yet */
    mnp__solver_position begin; /* where the body begins and ends */
    double budget;              /* iterations until the next pause */
} mnp__device_loop;

/*
 * Whether the system's loop can be one on the device: where that has loops, and all that an iteration does is launches.
 * Collective, and agreed upon.  MNP_ERR_COMM, MNP_ERR_PEER.
 */
mnp_status mnp__device_loop_open(mnp__system *s);
void mnp__device_loop_close(mnp__system *s);

/*
 * Whether the system, after that many calls of iterate, goes on by mnp__device_loop_run().  Where it is time to, the
 * loop is recorded, and if that cannot be, whatever for, launches go on, and it is not tried again.  Collective, and
 * agreed upon.  MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_TIMEOUT, MNP_ERR_PEER.
 */
mnp_status mnp__device_loop_take_over(mnp__system *s, int64_t calls, bool *takes_over_p);

/*
 * Go round until the method is over, or there are `most` iterations, or it is time for the CPU to look; waits.
 * *control is what was known of the state, and becomes what it is.  Collective.  MNP_ERR_COMM, MNP_ERR_TIMEOUT,
 * MNP_ERR_PEER, MNP_ERR_MEMORY.
 */
mnp_status mnp__device_loop_run(mnp__system *s, double most, struct mnp_step_control *control);

#endif
