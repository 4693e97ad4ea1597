/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NCCL and other libraries of CUDA's need of the CUDA device: its stream, to find it current, and to learn how far
 * a stream has come.
 */
#ifndef MNP__DEVICE_CUDA_STREAM_H
#define MNP__DEVICE_CUDA_STREAM_H

#include <cuda_runtime_api.h>

#include "device/device.h"

/* A stream of the CUDA device is the runtime's own, under another name. */
static inline cudaStream_t mnp__cuda_stream(mnp__stream *stream)
{
    return (cudaStream_t)stream;
}

/* Make this CUDA device the calling thread's current one. */
mnp_status mnp__cuda_use(mnp__device *device);

/*
 * Have the stream write a number into pinned memory when its turn comes, for the CPU to read without a call.  Not while
 * it is being recorded into a graph: the graph would write the old number whenever it is launched.
 */
mnp_status mnp__cuda_write(mnp__device *device, mnp__stream *stream, volatile uint32_t *pinned, uint32_t value);

#endif
