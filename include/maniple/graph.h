/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: work that is recorded once and then enqueued by one call, any number of times, such as a step of a simulation
 * or a solver.  The CPU then pays for one launch of the graph, and not for the launch of every kernel.
 *
 *   step(u, v);                             once as it is, so that kernels are compiled and buffers are there
 *   mnp_graph_begin(ctx);
 *   step(u, v);                             recorded, not done
 *   mnp_graph_end(ctx, &graph);
 *   for (int i = 0; i < steps; i++)
 *       mnp_graph_launch(graph);
 *   mnp_graph_free(graph);
 *
 * They are CUDA graphs.  The host device does its work when it is called, so that there is nothing to record.
 */
#ifndef MANIPLE_GRAPH_H
#define MANIPLE_GRAPH_H

#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_graph mnp_graph;

/*
 * Record what is enqueued on the context's streams from now on, instead of doing it, as cupy.cuda.Stream.begin_capture.
 *
 * These can be recorded: element-wise functions, mnp_eval() and reductions into outputs that are given; mnp_plan_run()
 * into an array; halos, begun and finished; collectives; kernels of your own on the context's stream; each of them with
 * operands that need not travel or be converted, and called once before, so that its kernels and buffers exist.  A call
 * that allocates memory, waits for the device, or sends messages by the CPU (such as between ranks that share a GPU and
 * no memory) cannot be part of a graph: it gives MNP_ERR_ARG while one is recorded, and the graph is lost.
 *
 * A graph has the addresses of arrays and the values of numbers as they are now, a generator's count of draws among
 * them.  What it was recorded with must outlive it: arrays, plans, halos, communicators, kernels.  An array whose
 * memory was freed and went to another is overwritten by a launch.
 *
 * Collective: all ranks record the same.  MNP_ERR_UNSUPPORTED on the host device; MNP_ERR_ARG if a graph is being
 * recorded already; MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_graph_begin(mnp_ctx *ctx);

/*
 * End that, and make the graph.  Release it with mnp_graph_free().  After any error nothing is recorded any more, and
 * *graph_p is untouched.  Collective.  MNP_ERR_ARG if nothing is being recorded, something was refused meanwhile, or
 * what was begun has not been finished (mnp_halo_begin()); MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_graph_end(mnp_ctx *ctx, mnp_graph **graph_p);

/*
 * Enqueue what was recorded, behind what the compute stream holds; nothing is allocated.  Collective.  MNP_ERR_ARG
 * while a graph is being recorded; MNP_ERR_TIMEOUT if an earlier launch waited for a rank past the deadline;
 * MNP_ERR_PEER or MNP_ERR_COMM if a rank, or NCCL, was lost since; MNP_ERR_DEVICE.
 *
 * The deadline (MANIPLE_DEADLINE) holds for what ranks of a node exchange through the heap, and not for messages of
 * NCCL in a graph: NCCL waits without a deadline for a rank that does not launch the
 * graph, as long as the rank's process exists.
 */
MNP_API mnp_status mnp_graph_launch(mnp_graph *graph);

/* Release a graph, which may still be running; NULL is accepted.  Collective. */
MNP_API void mnp_graph_free(mnp_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
