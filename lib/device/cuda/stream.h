/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What other CUDA libraries, such as NCCL, need of the CUDA device: its streams as the runtime's, the device made
 * current, and a way to observe the progress of a stream.
 */
#ifndef MNP__DEVICE_CUDA_STREAM_H
#define MNP__DEVICE_CUDA_STREAM_H

#include <cuda_runtime_api.h>

#include "device/device.h"

/* A stream of the CUDA device is a stream of the runtime, cast to another type. */
static inline cudaStream_t mnp__cuda_stream(mnp__stream *stream)
{
    return (cudaStream_t)stream;
}

/* Make this CUDA device the calling thread's current one. */
mnp_status mnp__cuda_use(mnp__device *device);

/*
 * Enqueue a write of a number into pinned memory: the CPU can then see the progress of the stream without a call.  Not
 * while the stream is recorded into a graph, every launch of which would write the same number again.
 */
mnp_status mnp__cuda_write(mnp__device *device, mnp__stream *stream, volatile uint32_t *pinned, uint32_t value);

#endif
