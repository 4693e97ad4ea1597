/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: work that is enqueued by one call, any number of times, such as a step of a simulation or a solver.  On a GPU
 * it is recorded once, and the CPU then pays for one launch of the graph, and not for the launch of every kernel.
 *
 *   static mnp_status step(void *argument)
 *   {
 *       struct wave *wave = argument;
 *       ...
 *   }
 *
 *   mnp_graph_new(ctx, step, &wave, &graph);    the first step is done
 *   for (int i = 1; i < steps; i++)
 *       mnp_graph_launch(graph);
 *   mnp_graph_free(graph);
 *
 * Such a program runs on GPUs, where the graph is a CUDA graph, and on the host, where every launch calls the function.
 * mnp_graph_begin() and mnp_graph_end() record calls that stand between them, on GPUs alone.
 */
#ifndef MANIPLE_GRAPH_H
#define MANIPLE_GRAPH_H

#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_graph mnp_graph;

/* What is done in a step: calls of Maniple, and the status of the first that fails. */
typedef mnp_status (*mnp_graph_step)(void *argument);

/*
 * Make a graph of the calls that `step` makes.  The function is called once and its work is carried out, so that
 * kernels are compiled and buffers exist.  On a GPU it is then called a second time, to record what it enqueues, and
 * never again; on the host every launch calls it.  So a program is right on both if the function
 *
 * - makes only calls that can be recorded: see mnp_graph_begin().  On the host a launch refuses the others as a GPU
 *   does when it records them, MNP_ERR_ARG, except for halos that are begun and not finished;
 * - does the same each time: it does not count its calls, swap pointers or read variables that change between launches.
 *   Whatever changes must be in arrays: `t += dt` is mnp_add(t, dt, &t), and where two arrays take turns, a step does
 *   both turns.
 *
 * `argument` is passed to it, and must outlive the graph.  Collective: all ranks make the same graph.  The status of
 * the function if it fails; MNP_ERR_ARG if it does what cannot be recorded, or makes, launches or frees a graph;
 * otherwise as mnp_graph_begin() and mnp_graph_end().  *graph_p is then untouched.
 */
MNP_API mnp_status mnp_graph_new(mnp_ctx *ctx, mnp_graph_step step, void *argument, mnp_graph **graph_p);

/*
 * Record what is enqueued on the context's streams from now on, instead of doing it, as cupy.cuda.Stream.begin_capture.
 *
 * These can be recorded: element-wise functions, mnp_eval() and reductions into outputs that are given; mnp_plan_run()
 * into an array; halos, begun and finished; collectives; kernels of your own on the context's stream; each of them with
 * operands that need not travel or be converted, and called once before, so that its kernels and buffers exist.  A call
 * that allocates memory, waits for the device, or sends messages by the CPU (such as between ranks that share a GPU and
 * no memory) cannot be part of a graph: it gives MNP_ERR_ARG while one is recorded, and the graph is lost.
 *
 * Random numbers cannot be drawn either, as every launch would draw the same.
 *
 * A graph has the addresses of arrays and the values of numbers as they are now.  What it was recorded with must
 * outlive it: arrays, plans, halos, communicators, kernels.  An array whose memory was freed and went to another is
 * overwritten by a launch.
 *
 * Collective: all ranks record the same.  MNP_ERR_UNSUPPORTED on the host device; MNP_ERR_ARG if a graph is being
 * recorded already; MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_graph_begin(mnp_ctx *ctx);

/*
 * End the recording, and make the graph.  Release it with mnp_graph_free().  After an error nothing is being recorded
 * any more, and *graph_p is untouched.  Collective.  MNP_ERR_ARG if nothing is being recorded, if a call was refused
 * meanwhile, or if a halo exchange was begun and not finished (mnp_halo_begin()); MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_graph_end(mnp_ctx *ctx, mnp_graph **graph_p);

/*
 * Enqueue what was recorded, behind what the compute stream holds; nothing is allocated.  On the host the graph's
 * function is called, whose status is that of the launch if it fails on any rank.  Collective.  MNP_ERR_ARG while a
 * graph is being recorded; MNP_ERR_TIMEOUT if an earlier launch waited for a rank past the deadline; MNP_ERR_PEER or
 * MNP_ERR_COMM if a rank, or NCCL, was lost since; MNP_ERR_DEVICE.
 *
 * The deadline (MANIPLE_DEADLINE) holds for data that ranks of a node exchange through the heap, and not for messages
 * of NCCL in a graph: NCCL waits without a deadline for a rank that does not launch the graph, as long as the rank's
 * process exists.
 */
MNP_API mnp_status mnp_graph_launch(mnp_graph *graph);

/* Release a graph, which may still be running; NULL is accepted.  Collective. */
MNP_API void mnp_graph_free(mnp_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
