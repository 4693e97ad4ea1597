/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile: how long the calls of public functions take, on the CPU and on the device, and what they move
 * (MANIPLE_PROFILE); and a trace of all ranks on one time line (MANIPLE_TRACE).
 *
 * One context of a process, the first that asks for it, listens to the outermost call of every public function on the
 * thread that has made it (base/call.h).  On a GPU two events around a call tell how long the compute stream worked on
 * it; they are read when the device has passed them, so that nothing waits.  With a trace there are also two events
 * around every launch, copy and transform, for which the device's table of operations is replaced by one whose
 * operations record them.  What the CPU waits for other ranks is counted by the watch (comm/watch.h).
 *
 * mnp_finalize() gathers what the ranks have counted, and measures a copy, with which bandwidths are compared; rank 0
 * prints the table, or writes it as JSON, and writes the trace in the format of Chrome's tracing, which
 * https://ui.perfetto.dev shows.
 *
 * Cost: without a profile, two branches in every call of a public function and one for each of its pointers; with one,
 * the clock is read twice a call, and on a GPU two events are recorded and looked at.
 */
#ifndef MNP__CONTEXT_PROFILE_H
#define MNP__CONTEXT_PROFILE_H

#include <pthread.h>

#include "comm/watch.h"
#include "context/context.h"

/* What a rank has counted of one public function. */
enum { MNP__PROFILE_NAME = 56 };
typedef struct mnp__profile_row {
    char name[MNP__PROFILE_NAME];
    const char *function; /* the literal by which it is found */
    int64_t calls;
    double cpu, device, waited; /* seconds: of the call; of the compute stream; of the CPU, for other ranks */
    double bytes;               /* of this rank's blocks of the arrays that were read or written */
    int64_t launches;
    mnp__traffic sent; /* to other ranks */
} mnp__profile_row;

/* A bar of the trace. */
typedef enum mnp__profile_track {
    MNP__TRACK_CALLS,
    MNP__TRACK_DEVICE_CALLS,
    MNP__TRACK_COMPUTE,
    MNP__TRACK_TRANSFER
} mnp__profile_track;

typedef struct mnp__profile_bar {
    char name[MNP__PROFILE_NAME];
    mnp__profile_track track;
    double begin, seconds; /* since the start of the profile */
} mnp__profile_bar;

/* Work of the device between two events, which are not read yet. */
typedef struct mnp__profile_span {
    int row; /* -1: it is only a bar of the trace */
    char name[MNP__PROFILE_NAME];
    mnp__profile_track track;
    mnp__device_event *first, *last;
} mnp__profile_span;

/* A kernel and its name, for the trace. */
typedef struct mnp__profile_kernel {
    const mnp__kernel *kernel;
    char name[MNP__PROFILE_NAME];
} mnp__profile_kernel;

typedef struct mnp__profile {
    mnp_ctx *ctx;
    pthread_t thread;
    bool on_device, traces;
    double origin;   /* the CPU's clock at the start */
    int64_t kernels; /* that were loaded */
    int muted;       /* rehearsals that are open */
    /* the call that runs */
    bool in_call;
    mnp__profile_row *row; /* NULL: it is not counted */
    double begin, waited;
    mnp__traffic sent;
    mnp__device_event *first;
    mnp_array **outputs[8];
    int noutputs;
    /* what has been counted */
    mnp__profile_row *rows;
    int nrows;
    int table[1024]; /* rows by their function: 1 more than the index, 0 if there is none */
    mnp__profile_bar *bars;
    int64_t nbars, most_bars, lost_bars;
    /* events: a ring of spans that are not read yet, and events to use again */
    mnp__profile_span *spans;
    int64_t spans_first, spans_last, spans_room; /* counted up; their place is modulo the room, a power of 2 */
    mnp__device_event **free_events;
    int64_t nfree, free_room;
    mnp__device_event *reference; /* at a known time, from which the next span is placed */
    double reference_at;
    mnp__profile_kernel named[1024]; /* by their address; what does not fit has no name */
    const mnp__device_ops *ops;      /* the device's own operations, where they are replaced */
    mnp__device_ops recording;
    FILE *trace; /* on rank 0; what the file had stays there until the trace is written */
} mnp__profile;

/*
 * Begin to profile, if the settings say so and no other context of these processes does: sets ctx->profile.
 * Collective.  MNP_ERR_ARG for names that are equal or do not end in .json; MNP_ERR_IO if the file of the trace cannot
 * be made; MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__profile_open(mnp_ctx *ctx);

/* Report, unless a rank was lost, and end.  After all work of the device is done.  Collective. */
void mnp__profile_close(mnp_ctx *ctx);

/* While a rehearsal is open nothing is counted: +1 and -1. */
void mnp__profile_mute(int change);

/* Gather the rows of all ranks, and print or write them.  Collective. */
void mnp__profile_report(mnp__profile *profile);

/* Write the bars of all ranks to the file.  Collective. */
void mnp__profile_write_trace(mnp__profile *profile);

#endif
