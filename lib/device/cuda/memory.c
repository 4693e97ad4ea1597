/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the CUDA device.
 *
 * Memory is allocated from a pool of the CUDA runtime, and freed to it, in the order of the device's memory stream, so
 * an array may be freed while kernels that are already enqueued still use it.  The pool keeps freed memory for reuse,
 * so a new array costs at most a few microseconds.
 */
#include <config.h>

#include "device/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/status.h"

static cuda_device *of(mnp__device *device)
{
    return (cuda_device *)device;
}

/* Create a pool that keeps freed memory until the device is closed or memory runs short. */
mnp_status mnp__cuda_pool_open(cuda_device *cuda)
{
    int supported = 0;
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = cuda->base.index}};
    uint64_t keep = UINT64_MAX;
    MNP_TRY(mnp__arena_new(&cuda->pinned));
    MNP_TRY(RUNTIME(cuda, cudaDeviceGetAttribute, &supported, cudaDevAttrMemoryPoolsSupported, cuda->base.index));
    if (!supported)
        return MNP_OK;
    MNP_TRY(RUNTIME(cuda, cudaMemPoolCreate, &cuda->pool, &properties));
    return RUNTIME(cuda, cudaMemPoolSetAttribute, cuda->pool, cudaMemPoolAttrReleaseThreshold, &keep);
}

static cudaError_t allocate(const cuda_device *cuda, size_t size, void **pointer_p)
{
    if (!cuda->pool || !cuda->base.memory_stream)
        return cudaMalloc(pointer_p, size);
    return cudaMallocFromPoolAsync(pointer_p, size, cuda->pool, mnp__cuda_stream(cuda->base.memory_stream));
}

void mnp__cuda_trim_pool(cuda_device *cuda)
{
    (void)cudaGetLastError();
    mnp__cuda_fft_drop_spares(cuda);
    if (cuda->pool && cuda->base.memory_stream) {
        mnp__cuda_ignore(cudaStreamSynchronize(mnp__cuda_stream(cuda->base.memory_stream)));
        mnp__cuda_ignore(cudaMemPoolTrimTo(cuda->pool, 0));
    }
}

static mnp_status over_limit(const char *what, size_t size, size_t used, size_t limit)
{
    char text[MNP__BYTES_TEXT], block[MNP__BYTES_TEXT + 48];
    snprintf(block, sizeof block, "%s of %s", what, mnp__bytes_text(size, text));
    return mnp__memory_full(block, size, used, limit, "the limit of mnp_memory_set_limit()");
}

/* Read an attribute of the pool; 0 if there is no pool. */
static mnp_status read_pool(const cuda_device *cuda, enum cudaMemPoolAttr attribute, size_t *value_p)
{
    uint64_t value = 0;
    if (cuda->pool)
        MNP_TRY(RUNTIME(cuda, cudaMemPoolGetAttribute, cuda->pool, attribute, &value));
    *value_p = (size_t)value;
    return MNP_OK;
}

static mnp_status check_limit(const cuda_device *cuda, size_t size)
{
    size_t used, limit = cuda->scratch_limit;
    if (limit == 0)
        return MNP_OK;
    MNP_TRY(read_pool(cuda, cudaMemPoolAttrUsedMemCurrent, &used));
    return used <= limit && size <= limit - used ? MNP_OK : over_limit("a block of device memory", size, used, limit);
}

mnp_status mnp__cuda_out_of_memory(const cuda_device *cuda, size_t size)
{
    size_t memory_free = 0, memory_total = 0;
    mnp__cuda_ignore(cudaMemGetInfo(&memory_free, &memory_total));
    char place[160];
    snprintf(place, sizeof place, "the memory of GPU %d (%s)", cuda->base.index, cuda->name);
    char text[MNP__BYTES_TEXT], what[MNP__BYTES_TEXT + 16];
    snprintf(what, sizeof what, "a block of %s", mnp__bytes_text(size, text));
    return mnp__memory_full(what, size, memory_total - memory_free, memory_total, place);
}

mnp_status mnp__cuda_alloc(mnp__device *device, size_t size, void **pointer_p)
{
    cuda_device *cuda = of(device);
    void *pointer = NULL;
    if (size > 0) {
        MNP_TRY(mnp__refuse_recording(device, "allocating memory"));
        MNP_TRY(mnp__cuda_use(device));
        MNP_TRY(check_limit(cuda, size));
        /* NCCL reads whole words, also past the last byte */
        size_t rounded = mnp__round_up_bytes(size, 256);
        cudaError_t code = allocate(cuda, rounded, &pointer);
        if (code == cudaErrorMemoryAllocation) {
            mnp__cuda_trim_pool(cuda);
            code = allocate(cuda, rounded, &pointer);
        }
        if (code == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError();
            return mnp__cuda_out_of_memory(cuda, size);
        }
        MNP_TRY(mnp__cuda_runtime_status(cuda, code, "cudaMalloc", __FILE__, __LINE__, __func__));
    }
    *pointer_p = pointer;
    return MNP_OK;
}

struct postponed {
    struct postponed *next;
    void *pointer;
};

/*
 * Free a block after the recording of a graph: a release on the stream would become part of the graph, which cannot
 * free memory of the pool.  If there is no memory for the list, the block is never freed.
 */
static void postpone(cuda_device *cuda, void *pointer)
{
    struct postponed *one;
    if (!pointer || mnp__malloc(sizeof *one, &one) != MNP_OK)
        return;
    *one = (struct postponed){.next = cuda->postponed, .pointer = pointer};
    cuda->postponed = one;
}

void mnp__cuda_free_postponed(cuda_device *cuda)
{
    while (cuda->postponed) {
        struct postponed *one = cuda->postponed;
        cuda->postponed = one->next;
        mnp__cuda_free(&cuda->base, one->pointer);
        free(one);
    }
}

void mnp__cuda_free(mnp__device *device, void *pointer)
{
    if (device->recording) {
        postpone(of(device), pointer);
        return;
    }
    (void)mnp__cuda_use(device);
    if (pointer && of(device)->pool && device->memory_stream)
        mnp__cuda_ignore(cudaFreeAsync(pointer, mnp__cuda_stream(device->memory_stream)));
    else
        mnp__cuda_ignore(cudaFree(pointer));
}

mnp_status mnp__cuda_alloc_pinned(mnp__device *device, size_t size, void **pointer_p)
{
    cuda_device *cuda = of(device);
    void *pointer = NULL;
    char text[MNP__BYTES_TEXT];
    if (size > 0) {
        size_t used = mnp__arena_read(cuda->pinned).used;
        if (cuda->pinned_limit > 0 && (used > cuda->pinned_limit || size > cuda->pinned_limit - used))
            return over_limit("a block of pinned memory", size, used, cuda->pinned_limit);
        MNP_TRY(mnp__memory_check(size, false));
        MNP_TRY(mnp__cuda_use(device));
        cudaError_t code = cudaHostAlloc(&pointer, size, cudaHostAllocDefault);
        if (code == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError();
            return MNP_FAIL(MNP_ERR_MEMORY, "no pinned memory of the host for %s", mnp__bytes_text(size, text));
        }
        MNP_TRY(mnp__cuda_runtime_status(cuda, code, "cudaHostAlloc", __FILE__, __LINE__, __func__));
        mnp_status st = mnp__arena_enter(cuda->pinned, (uintptr_t)pointer, size);
        if (st != MNP_OK) {
            mnp__cuda_ignore(cudaFreeHost(pointer));
            return st;
        }
    }
    *pointer_p = pointer;
    return MNP_OK;
}

void mnp__cuda_free_pinned(mnp__device *device, void *pointer)
{
    (void)mnp__cuda_use(device);
    (void)mnp__arena_leave(of(device)->pinned, (uintptr_t)pointer);
    mnp__cuda_ignore(cudaFreeHost(pointer));
}

/* Managed memory and the host's pinned memory are reached too; plain memory of the host is not. */
mnp_status mnp__cuda_reaches(mnp__device *device, const void *pointer, bool *reaches_p)
{
    cuda_device *cuda = of(device);
    struct cudaPointerAttributes known;
    *reaches_p = false;
    if (!pointer)
        return MNP_OK;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(RUNTIME(cuda, cudaPointerGetAttributes, &known, pointer));
    *reaches_p = (known.type == cudaMemoryTypeDevice && known.device == cuda->base.index) ||
                 known.type == cudaMemoryTypeManaged ||
                 (known.type == cudaMemoryTypeHost && known.devicePointer == pointer);
    return MNP_OK;
}

mnp_status mnp__cuda_memory_info(mnp__device *device, mnp_memory_pool which, mnp_memory_pool_info *info)
{
    const cuda_device *cuda = of(device);
    if (which == MNP_MEMORY_PINNED) {
        mnp__arena_figures figures = mnp__arena_read(cuda->pinned);
        *info = (mnp_memory_pool_info){.used = (int64_t)figures.used,
                                       .reserved = (int64_t)figures.reserved,
                                       .peak = (int64_t)figures.peak,
                                       .limit = (int64_t)cuda->pinned_limit,
                                       .blocks = figures.blocks};
        return MNP_OK;
    }
    size_t used, reserved, peak;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(read_pool(cuda, cudaMemPoolAttrUsedMemCurrent, &used));
    MNP_TRY(read_pool(cuda, cudaMemPoolAttrReservedMemCurrent, &reserved));
    MNP_TRY(read_pool(cuda, cudaMemPoolAttrUsedMemHigh, &peak));
    *info = (mnp_memory_pool_info){.used = (int64_t)used,
                                   .reserved = (int64_t)reserved,
                                   .peak = (int64_t)peak,
                                   .largest_free = -1,
                                   .limit = (int64_t)cuda->scratch_limit,
                                   .blocks = -1};
    return MNP_OK;
}

mnp_status mnp__cuda_memory_trim(mnp__device *device, mnp_memory_pool which)
{
    MNP_TRY(mnp__cuda_use(device));
    if (which == MNP_MEMORY_SCRATCH) /* freed pinned memory is not kept */
        mnp__cuda_trim_pool(of(device));
    return MNP_OK;
}

void mnp__cuda_memory_limit(mnp__device *device, mnp_memory_pool which, size_t bytes)
{
    cuda_device *cuda = of(device);
    *(which == MNP_MEMORY_PINNED ? &cuda->pinned_limit : &cuda->scratch_limit) = bytes;
}
