/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA graphs, recorded by stream capture: work that a stream is given while it is captured becomes the graph.
 *
 * Another stream joins the capture when it waits for an event of a captured stream, and the first stream must wait for
 * it again before the capture ends.  The capture mode is "relaxed": CUDA does not refuse calls that might be unsafe, so
 * kernels can be loaded and NCCL can connect ranks during a capture.  Work that must not be part of a graph is refused
 * by mnp__refuse_recording() before CUDA sees it.
 *
 * A loop is a graph with a single conditional WHILE node, whose body is what is captured (CUDA 12.4).
 */
#include <config.h>

#include "device/cuda/cuda.h"

#include "base/status.h"

static cuda_device *of(mnp__device *device)
{
    return (cuda_device *)device;
}

static void set_recording(mnp__device *device, bool recording)
{
    device->recording = recording;
    device->refused = NULL;
}

mnp_status mnp__cuda_graph_begin(mnp__device *device, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(RUNTIME(cuda, cudaStreamBeginCapture, mnp__cuda_stream(stream), cudaStreamCaptureModeRelaxed));
    set_recording(device, true);
    return MNP_OK;
}

#if CUDART_VERSION >= 12040

bool mnp__cuda_has_loops(const cuda_device *cuda)
{
    int driver = 0;
    return RUNTIME(cuda, cudaDriverGetVersion, &driver) == MNP_OK && driver >= 12040;
}

/*
 * Add a WHILE node, which is repeated as long as its condition is not 0, and get its body.  Every launch of the graph
 * begins with a condition of 1.
 */
static mnp_status add_loop(const cuda_device *cuda, cudaGraph_t graph, uint64_t *condition_p, cudaGraph_t *body_p)
{
    cudaGraphConditionalHandle condition;
    cudaGraphNode_t node;
    MNP_TRY(RUNTIME(cuda, cudaGraphConditionalHandleCreate, &condition, graph, 1, cudaGraphCondAssignDefault));
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    params.conditional =
        (struct cudaConditionalNodeParams){.handle = condition, .type = cudaGraphCondTypeWhile, .size = 1};
#if CUDART_VERSION >= 13000
    MNP_TRY(RUNTIME(cuda, cudaGraphAddNode, &node, graph, NULL, NULL, 0, &params));
#else
    MNP_TRY(RUNTIME(cuda, cudaGraphAddNode, &node, graph, NULL, 0, &params));
#endif
    *body_p = params.conditional.phGraph_out[0];
    *condition_p = condition;
    return MNP_OK;
}

mnp_status mnp__cuda_graph_begin_loop(mnp__device *device, mnp__stream *stream, uint64_t *condition_p)
{
    cuda_device *cuda = of(device);
    cudaGraph_t graph = NULL, body;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(RUNTIME(cuda, cudaGraphCreate, &graph, 0));
    mnp_status st = add_loop(cuda, graph, condition_p, &body);
    if (st == MNP_OK)
        st = RUNTIME(cuda, cudaStreamBeginCaptureToGraph, mnp__cuda_stream(stream), body, NULL, NULL, 0,
                     cudaStreamCaptureModeRelaxed);
    if (st != MNP_OK) {
        (void)cudaGraphDestroy(graph);
        return st;
    }
    cuda->loop = graph;
    set_recording(device, true);
    return MNP_OK;
}

#else

bool mnp__cuda_has_loops(const cuda_device *cuda)
{
    (void)cuda;
    return false;
}

mnp_status mnp__cuda_graph_begin_loop(mnp__device *device, mnp__stream *stream, uint64_t *condition_p)
{
    (void)device;
    (void)stream;
    (void)condition_p;
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "loops on the GPU need CUDA 12.4, and Maniple was built with %d.%d",
                    CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

#endif

/* End a capture; it has ended even if this fails. */
static mnp_status end_capture(cuda_device *cuda, mnp__stream *stream, cudaGraph_t *captured_p)
{
    cudaError_t code = cudaStreamEndCapture(mnp__cuda_stream(stream), captured_p);
    if (code == cudaErrorStreamCaptureUnjoined) {
        (void)cudaGetLastError();
        return MNP_FAIL(MNP_ERR_ARG, "mnp_graph_end: something was begun while the graph was recorded, and not "
                                     "finished, such as mnp_halo_begin() without mnp_halo_finish()");
    }
    if (code == cudaErrorStreamCaptureInvalidated) {
        (void)cudaGetLastError();
        return MNP_FAIL(MNP_ERR_ARG, "mnp_graph_end: the graph is lost, as a call failed that cannot be part of one");
    }
    return mnp__cuda_runtime_status(cuda, code, "cudaStreamEndCapture", __FILE__, __LINE__, __func__);
}

/* Instantiate the graph and upload it to the GPU, so that its first launch takes no longer than later ones. */
static mnp_status instantiate(cuda_device *cuda, mnp__stream *stream, cudaGraph_t captured, mnp__device_graph **graph_p)
{
    cudaGraphExec_t graph;
    MNP_TRY(RUNTIME(cuda, cudaGraphInstantiateWithFlags, &graph, captured, 0));
    mnp_status st = RUNTIME(cuda, cudaGraphUpload, graph, mnp__cuda_stream(stream));
    if (st == MNP_OK)
        *graph_p = (mnp__device_graph *)graph;
    else
        (void)cudaGraphExecDestroy(graph);
    return st;
}

mnp_status mnp__cuda_graph_end(mnp__device *device, mnp__stream *stream, mnp__device_graph **graph_p)
{
    cuda_device *cuda = of(device);
    cudaGraph_t captured = NULL;
    mnp_status st = mnp__cuda_use(device);
    if (st == MNP_OK)
        st = end_capture(cuda, stream, &captured);
    if (cuda->loop) /* the captured graph belongs to the loop's node, and is destroyed with it */
        captured = cuda->loop;
    cuda->loop = NULL;
    set_recording(device, false);
    mnp__cuda_free_postponed(cuda);
    if (st == MNP_OK && graph_p)
        st = instantiate(cuda, stream, captured, graph_p);
    if (captured)
        (void)cudaGraphDestroy(captured);
    return st;
}

mnp_status mnp__cuda_graph_launch(mnp__device *device, mnp__device_graph *graph, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    MNP_TRY(mnp__cuda_use(device));
    return RUNTIME(cuda, cudaGraphLaunch, (cudaGraphExec_t)graph, mnp__cuda_stream(stream));
}

/* A launch that is still running goes on; CUDA frees the graph when it ends. */
void mnp__cuda_graph_free(mnp__device *device, mnp__device_graph *graph)
{
    (void)mnp__cuda_use(device);
    if (cudaGraphExecDestroy((cudaGraphExec_t)graph) != cudaSuccess)
        (void)cudaGetLastError();
}
