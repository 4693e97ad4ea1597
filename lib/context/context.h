/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context: everything that mnp_init() creates.
 *
 * It holds the settings, the communicator, this rank's device with two streams, and the kernels that have been loaded.
 * `compute` executes operations on arrays; `transfer` packs, exchanges and stages data.  There is no global state but
 * the error record, which belongs to a thread, and what a signal handler needs (base/process/leftovers.c).
 */
#ifndef MNP__CONTEXT_H
#define MNP__CONTEXT_H

#include <maniple/comm.h>
#include <maniple/context.h>
#include <maniple/graph.h>

#include "base/config.h"
#include "base/status.h"
#include "base/text.h"
#include "comm/comm.h"
#include "device/device.h"

typedef struct mnp__loaded_kernel mnp__loaded_kernel;
enum { MNP__KERNEL_LISTS = 256 };

/*
 * Attachments: what higher layers keep in the context, such as plans and tables of kernels.  They are freed with the
 * context in the order of this list, while the device is still open.
 */
typedef enum mnp__attachment_id {
    MNP__ATTACHED_PLANS,
    MNP__ATTACHED_KERNELS,
    MNP__ATTACHED_REDUCTIONS,
    MNP__ATTACHED_SCANS,
    MNP__ATTACHED_SCALARS,
    MNP__ATTACHED_SORTING,
    MNP__ATTACHED_INDICES,
    MNP__ATTACHED_STAGING,
    MNP__ATTACHED_READ_AHEAD,
    MNP__ATTACHED_TRANSFORMS,
    MNP__ATTACHED_TRANSFORM_MEMORY,
    MNP__ATTACHED_TRANSFORM_CHOICES,
    MNP__ATTACHED_PRODUCTS,
    MNP__ATTACHED_FILTERS,
    MNP__ATTACHED_TILES,
    MNP__ATTACHED_TILE_FILTERS,
    MNP__ATTACHED_TAPS,
    MNP__ATTACHED_SEPARABLE,
    MNP__ATTACHED_NEIGHBOURS,
    MNP__NUM_ATTACHMENTS
} mnp__attachment_id;

typedef struct mnp__attachment {
    void *data;
    void (*free)(mnp_ctx *ctx, void *data); /* not called if data is NULL */
} mnp__attachment;

struct mnp_ctx {
    unsigned tag; /* MNP__TAG_ctx: see base/call.h */
    mnp__config config;
    mnp__comm comm;
    mnp_comm *world; /* all ranks, for the public collectives */
    mnp__device *device;
    mnp__stream *compute;     /* operations on arrays */
    mnp__stream *transfer;    /* packing, exchange between ranks, staging of files */
    mnp__device_event *order; /* used by mnp__ctx_order() */
    /* the kernels that are loaded, in lists by the hash of their spec */
    mnp__loaded_kernel *kernels[MNP__KERNEL_LISTS];
    mnp_graph *graphs;
    struct mnp__profile *profile; /* NULL: none */
    int64_t live_bytes;           /* bytes of all arrays' blocks */
    int live_arrays, live_others; /* that the program has to free: see mnp__ctx_made() */
    bool started_mpi;
    char *cache_path;
    mnp__attachment attached[MNP__NUM_ATTACHMENTS];
    mnp_version_info versions[16]; /* filled in on demand by info.c */
};

/*
 * Get a kernel.  The first call with a spec compiles and loads it, and the ranks agree on the result; later calls find
 * it in the context's list, without communication.  Collective: all ranks call with the same spec.
 */
mnp_status mnp__ctx_kernel(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);

/*
 * The same for definitions and generated source (NULL: those of the spec) that were written as texts; both are freed.
 * A text that has outgrown its first buffer may have failed on one rank alone, so the ranks agree on it in every call.
 * To avoid that, texts of frequent calls begin in an array of MNP__KERNEL_ROOM bytes on the stack, which is large
 * enough.
 */
enum { MNP__KERNEL_ROOM = 1024 };
mnp_status mnp__ctx_kernel_of_text(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__text *defines, mnp__text *generated,
                                   mnp__kernel **kernel_p);

/* Enqueue a kernel on the compute stream for `count` elements, as mnp__launch_of() has it; nothing if that is 0. */
mnp_status mnp__ctx_launch(mnp_ctx *ctx, mnp__kernel *kernel, int64_t count, const void *params, size_t params_size);

/* Wait on the CPU until all work on `stream` is done; the watch looks for lost ranks meanwhile. */
mnp_status mnp__ctx_wait(mnp_ctx *ctx, mnp__stream *stream);

/* Wait for the compute stream before something is freed that its work may use; a failure goes to the log. */
void mnp__ctx_drain(mnp_ctx *ctx);

/* Order two streams: work enqueued on `later` from now on starts after all work that `earlier` holds now. */
mnp_status mnp__ctx_order(mnp_ctx *ctx, mnp__stream *earlier, mnp__stream *later);

/*
 * Whether there are graphs, or one is being recorded.  Graphs hold addresses of kernels, buffers and scratch memory
 * that the context keeps, so caches must not free anything then.
 */
bool mnp__ctx_has_graphs(const mnp_ctx *ctx);

/*
 * End a recording.  finish: make a graph, as mnp_graph_end() does, but without agreement.  drop: discard it; does
 * nothing if nothing is recorded.  Not collective.
 */
mnp_status mnp__graph_finish(mnp_ctx *ctx, mnp_graph **graph_p);
void mnp__graph_drop(mnp_ctx *ctx);

/* Drop a recording and free all graphs, before NCCL and the kernels that they refer to. */
void mnp__graphs_close(mnp_ctx *ctx);

/*
 * An object that the program has to free has been made, with its tag; and is being freed, with its tag still set.
 * mnp_finalize() reports what is left.
 */
static inline void mnp__ctx_made(mnp_ctx *owner, const void *object)
{
    *(mnp__is_object(object, MNP__TAG_array) ? &owner->live_arrays : &owner->live_others) += 1;
    if (owner->config.checks)
        mnp__objects_add(object, &owner->comm);
}

static inline void mnp__ctx_gone(mnp_ctx *owner, const void *object)
{
    *(mnp__is_object(object, MNP__TAG_array) ? &owner->live_arrays : &owner->live_others) -= 1;
    if (owner->config.checks)
        mnp__objects_remove(object);
}

#define MNP_AGREE(ctx, status) mnp__agree(&(ctx)->comm, (status))

#endif
