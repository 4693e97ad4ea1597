/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context: what a program started with mnp_init() has.
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

/* What a higher layer keeps in the context: freed with it, in the order of the list, while the device is still open. */
typedef enum mnp__attachment_id {
    MNP__ATTACHED_PLANS,
    MNP__ATTACHED_KERNELS,
    MNP__ATTACHED_REDUCTIONS,
    MNP__ATTACHED_SCANS,
    MNP__ATTACHED_SCALARS,
    MNP__ATTACHED_SORTING,
    MNP__ATTACHED_STAGING,
    MNP__NUM_ATTACHMENTS
} mnp__attachment_id;

typedef struct mnp__attachment {
    void *data;
    void (*free)(mnp_ctx *ctx, void *data); /* not called where data is NULL */
} mnp__attachment;

struct mnp_ctx {
    mnp__config config;
    mnp__comm comm;
    mnp_comm *world; /* of the public collectives: all ranks */
    mnp__device *device;
    mnp__stream *compute;     /* array operations */
    mnp__stream *transfer;    /* packing, exchange between ranks, staging of files */
    mnp__device_event *order; /* of mnp__ctx_order() */
    mnp__loaded_kernel *kernels;
    mnp_graph *graphs;
    int64_t live_bytes;          /* of arrays' blocks */
    int live_arrays, live_plans; /* plans, kernels of the user, sparse matrices; reported by mnp_finalize() if not 0 */
    bool started_mpi;
    char *cache_path;
    mnp__attachment attached[MNP__NUM_ATTACHMENTS];
    mnp_version_info versions[16]; /* filled in when asked for; see info.c */
};

/*
 * A kernel, compiled and loaded once for the context, which keeps it.  Collective in that all ranks must ask alike: a
 * failed compilation is agreed upon.
 */
mnp_status mnp__ctx_kernel(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);

/*
 * The same for definitions and generated source (NULL: what the spec has) that were written as texts, which are freed.
 * One that has grown may have failed on one rank alone: that is agreed upon, also where the kernel is there.  So a text
 * that is asked for in every call begins in an array of MNP__KERNEL_ROOM on the stack, where it stays.
 */
enum { MNP__KERNEL_ROOM = 1024 };
mnp_status mnp__ctx_kernel_of_text(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__text *defines, mnp__text *generated,
                                   mnp__kernel **kernel_p);

/* Wait on the CPU until what `stream` holds is done, watching for dead peers. */
mnp_status mnp__ctx_wait(mnp_ctx *ctx, mnp__stream *stream);

/* Work enqueued on `later` from now on comes after what `earlier` holds now. */
mnp_status mnp__ctx_order(mnp_ctx *ctx, mnp__stream *earlier, mnp__stream *later);

/* Whether graphs are there, or one is recorded, that may refer to what the context keeps: it gives nothing up then. */
bool mnp__ctx_has_graphs(const mnp_ctx *ctx);

/*
 * The end of a recording that the device has begun: a graph as mnp_graph_end() gives one, or nothing (drop; also where
 * nothing is recorded).  Not collective: nothing is agreed upon.
 */
mnp_status mnp__graph_finish(mnp_ctx *ctx, mnp_graph **graph_p);
void mnp__graph_drop(mnp_ctx *ctx);

/*
 * Drop what is being recorded, and free all graphs, which go before NCCL and kernels; they stay counted in live_plans.
 */
void mnp__graphs_close(mnp_ctx *ctx);

#define MNP_AGREE(ctx, status) mnp__agree(&(ctx)->comm, (status))

#endif
