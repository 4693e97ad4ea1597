/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A method's loop on the device: a graph of iterations that the device repeats until the method is over, so that the
 * CPU waits once.
 *
 * The body is recorded after some iterations, when most kernels that it needs are compiled.  It has at least
 * MNP__POLL_EVERY calls of iterate, as each repetition of the graph costs time, and ends where the system is again as
 * it was at the beginning: methods go through cycles, and exchange vectors.  The graph pauses now and then, so that
 * the CPU can fetch residuals, call the progress function, and check for lost ranks.
 */
#ifndef MNP__SPARSE_KRYLOV_DEVICE_LOOP_H
#define MNP__SPARSE_KRYLOV_DEVICE_LOOP_H

#include <maniple/graph.h>

#include "array/array.h"
#include "kernels/sparse/step/step_params.h"

enum {
    MNP__POLL_EVERY = 10, /* calls of iterate between readings of the state */
    MNP__MOST_WORK = 10   /* vectors that a method works with */
};

typedef struct mnp__system mnp__system;

/* A system's position in its method's cycle: all that iterate changes in memory of the CPU. */
typedef struct mnp__solver_position {
    int number;
    mnp_array *work[MNP__MOST_WORK];
} mnp__solver_position;

typedef struct mnp__device_loop {
    bool possible;              /* equal on all ranks */
    mnp_graph *graph;           /* NULL: not recorded yet */
    mnp__solver_position begin; /* where the body begins and ends */
    double budget;              /* iterations until the next pause */
} mnp__device_loop;

/*
 * Find out whether the device can repeat the system's loop: it must support loops, and an iteration must consist of
 * launches alone.  Collective, and agreed upon.  MNP_ERR_COMM, MNP_ERR_PEER.
 */
mnp_status mnp__device_loop_open(mnp__system *s);
void mnp__device_loop_close(mnp__system *s);

/*
 * Whether the system, after that many calls of iterate, goes on by mnp__device_loop_run().  When the time has come,
 * the loop is recorded; if that fails for any reason, plain launches go on, and it is not tried again.  Collective,
 * and agreed upon.  MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_TIMEOUT, MNP_ERR_PEER.
 */
mnp_status mnp__device_loop_take_over(mnp__system *s, int64_t calls, bool *takes_over_p);

/*
 * Let the device repeat the loop until the method is over, there are `most` iterations, or it is time for a pause.
 * Waits. *control is the state as last read, and receives the present one.  Collective.  MNP_ERR_COMM,
 * MNP_ERR_TIMEOUT, MNP_ERR_PEER, MNP_ERR_MEMORY.
 */
mnp_status mnp__device_loop_run(mnp__system *s, double most, struct mnp_step_control *control);

#endif
