/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: everything that is enqueued on both streams between mnp_graph_begin() and mnp_graph_end(), or by the function
 * of mnp_graph_new(), launched by a single call.  The device records them; the context keeps a list of them.  The host
 * device records nothing: a launch calls the function.  It counts as a recording meanwhile, so that what a GPU would
 * refuse to record is refused there too.
 *
 * An operation can be part of a graph if all it does is enqueue: it must not wait, allocate, or send messages by the
 * CPU.  Operations that do so call mnp__refuse_recording() first, which turns an error of the driver into a message and
 * spoils the graph.  A kernel that counts its runs keeps the count in device memory, because every launch of a graph
 * repeats the parameters that were recorded.
 *
 * A graph holds addresses of what the context keeps: kernels, scratch memory, buffers of plans.  So while there is a
 * graph, or one is being recorded, caches free nothing (mnp__ctx_has_graphs()).
 */
#include <maniple/graph.h>

#include <stdio.h>
#include <stdlib.h>

#include "comm/waits.h"
#include "comm/watch.h"
#include "context/context.h"

struct mnp_graph {
    unsigned tag; /* MNP__TAG_graph: see base/call.h */
    mnp_ctx *ctx;
    mnp_graph *next;             /* in the context's list */
    mnp__device_graph *recorded; /* NULL on the host, where a launch calls the function: */
    mnp_graph_step step;
    void *argument;
};

bool mnp__ctx_has_graphs(const mnp_ctx *ctx)
{
    return ctx->graphs || ctx->device->recording;
}

/* Stop recording; there is a graph only if nothing was refused. */
static mnp_status stop(mnp_ctx *ctx, mnp__device_graph **recorded_p)
{
    mnp__device *device = ctx->device;
    const char *refused = device->refused;
    mnp_status st = device->ops->graph_end(device, ctx->compute, refused ? NULL : recorded_p);
    if (refused) /* the better message, as this may also be why graph_end() failed */
        return MNP_FAIL(MNP_ERR_ARG, "mnp_graph_end: the graph is lost, as %s was asked for while it was recorded",
                        refused);
    return st;
}

void mnp__graph_drop(mnp_ctx *ctx)
{
    if (ctx->device->recording && ctx->device->ops->graph_end(ctx->device, ctx->compute, NULL) != MNP_OK)
        MNP_LOG(&ctx->config.logger, MNP_LOG_INFO, "dropping a graph: %s", mnp_error_message());
}

mnp_status mnp_graph_begin(mnp_ctx *ctx)
{
    MNP_ENTER(ctx);
    mnp__device *device = ctx->device;
    if (!device->ops->graph_begin)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "graphs need a GPU: the host device does its work when it is called, and "
                                             "nothing is left to be recorded; mnp_graph_new() is for both devices");
    if (device->recording)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_graph_begin: a graph is being recorded already");
    mnp_status st = MNP_AGREE(ctx, device->ops->graph_begin(device, ctx->compute));
    if (st != MNP_OK)
        mnp__graph_drop(ctx);
    return st;
}

/* Add a graph to the context's list. */
static mnp_status add(const mnp_graph *what, mnp_graph **graph_p)
{
    mnp_graph *graph = NULL;
    MNP_TRY(mnp__calloc(1, sizeof *graph, &graph));
    *graph = *what;
    graph->tag = MNP__TAG_graph;
    graph->next = graph->ctx->graphs;
    graph->ctx->graphs = graph;
    mnp__ctx_made(graph->ctx, graph);
    *graph_p = graph;
    return MNP_OK;
}

mnp_status mnp__graph_finish(mnp_ctx *ctx, mnp_graph **graph_p)
{
    mnp__device_graph *recorded = NULL;
    MNP_TRY(stop(ctx, &recorded));
    mnp_status st = add(&(mnp_graph){.ctx = ctx, .recorded = recorded}, graph_p);
    if (st != MNP_OK)
        ctx->device->ops->graph_free(ctx->device, recorded);
    return st;
}

mnp_status mnp_graph_end(mnp_ctx *ctx, mnp_graph **graph_p)
{
    MNP_ENTER(ctx, graph_p);
    mnp_graph *graph = NULL;
    if (!ctx->device->recording || !ctx->device->ops->graph_end)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_graph_end: no graph is being recorded; mnp_graph_begin() begins one");
    mnp_status st = MNP_AGREE(ctx, mnp__graph_finish(ctx, &graph));
    if (st == MNP_OK)
        *graph_p = graph;
    else
        mnp_graph_free(graph);
    return st;
}

/* Record what the function does, between mnp_graph_begin() and this rank's part of mnp_graph_end(). */
static mnp_status record(mnp_ctx *ctx, mnp_graph_step step, void *argument, mnp_graph **graph_p)
{
    char words[1024];
    mnp_status st = step(argument);
    if (st == MNP_OK)
        return mnp__graph_finish(ctx, graph_p);
    snprintf(words, sizeof words, "%s", mnp_error_message());
    mnp__graph_drop(ctx); /* which may fail, too, with a message that says less */
    return mnp_fail(st, "%s", words);
}

mnp_status mnp_graph_new(mnp_ctx *ctx, mnp_graph_step step, void *argument, mnp_graph **graph_p)
{
    MNP_ENTER(ctx, step, graph_p);
    const bool records = ctx->device->ops->graph_begin;
    mnp_graph *graph = NULL;
    MNP_TRY(mnp__refuse_recording(ctx->device, "making another graph"));
    MNP_TRY(MNP_AGREE(ctx, step(argument)));
    if (records)
        MNP_TRY(mnp_graph_begin(ctx));
    mnp_status st = MNP_AGREE(ctx, records ? record(ctx, step, argument, &graph)
                                           : add(&(mnp_graph){.ctx = ctx, .step = step, .argument = argument}, &graph));
    if (st == MNP_OK)
        *graph_p = graph;
    else
        mnp_graph_free(graph);
    return st;
}

/*
 * Check that a launch may communicate: no rank was lost, no kernel has missed its deadline, and NCCL, whose own memory
 * the graph uses, has not been aborted.
 */
static mnp_status check_ranks(mnp_ctx *ctx)
{
    bool communicating;
    uint32_t over;
    MNP_TRY(mnp__waits_check(ctx->comm.waits));
    if (mnp__watch_lost(&ctx->comm))
        return mnp__watch_look(&ctx->comm);
    return ctx->comm.nccl ? mnp__nccl_check(ctx->comm.nccl, &communicating, &over) : MNP_OK;
}

/* A launch on the host: all ranks call the function. */
static mnp_status call_step(const mnp_graph *graph)
{
    mnp_ctx *ctx = graph->ctx;
    mnp__device *device = ctx->device;
    device->recording = true;
    device->refused = NULL;
    mnp_status st = graph->step(graph->argument);
    device->recording = false;
    if (st == MNP_OK && device->refused)
        st = MNP_FAIL(MNP_ERR_ARG,
                      "mnp_graph_launch: the graph's function asked for %s, which cannot be part of a graph",
                      device->refused);
    return MNP_AGREE(ctx, st);
}

mnp_status mnp_graph_launch(mnp_graph *graph)
{
    MNP_ENTER(graph);
    mnp_ctx *ctx = graph->ctx;
    MNP_TRY(mnp__refuse_recording(ctx->device, "launching another graph"));
    MNP_TRY(check_ranks(ctx));
    if (graph->step)
        return call_step(graph);
    return ctx->device->ops->graph_launch(ctx->device, graph->recorded, ctx->compute);
}

void mnp_graph_free(mnp_graph *graph)
{
    if (!graph)
        return;
    MNP_NEED_OR(, graph);
    mnp_ctx *ctx = graph->ctx;
    mnp_graph **link = &ctx->graphs;
    while (*link != graph)
        link = &(*link)->next;
    *link = graph->next;
    mnp__ctx_gone(ctx, graph);
    if (!graph->step)
        ctx->device->ops->graph_free(ctx->device, graph->recorded);
    mnp__object_free(graph);
}

void mnp__graphs_close(mnp_ctx *ctx)
{
    mnp__graph_drop(ctx);
    while (ctx->graphs)
        mnp_graph_free(ctx->graphs);
}
