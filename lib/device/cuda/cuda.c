/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CUDA device: one GPU through the CUDA runtime.  Its memory is in memory.c and share.c, its kernels in kernel.c.
 *
 * Streams and events are the runtime's own objects, cast to the types of device.h.  Every call first makes the device
 * current in the calling thread, because the program or another library may have chosen another device, and a new
 * thread begins with GPU 0; that costs tens of nanoseconds.  After a failure the runtime's "last error" is cleared, so
 * that the program does not mistake it for an error of its own.
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/hash.h"
#include "base/status.h"
#include "device/blas.h"
#include "device/lapack.h"
#include "device/cuda/cuda.h"
#include "device/cuda/stream.h"

static cuda_device *of(mnp__device *device)
{
    return (cuda_device *)device;
}

static cudaEvent_t event_of(mnp__device_event *event)
{
    return (cudaEvent_t)event;
}

mnp_status mnp__cuda_runtime_status(const cuda_device *cuda, cudaError_t code, const char *call, const char *file,
                                    int line, const char *caller)
{
    if (code == cudaSuccess)
        return MNP_OK;
    (void)cudaGetLastError();
    return mnp__fail(MNP_ERR_DEVICE, file, line, caller, "%s: %s (%s) on GPU %d, %s", call, cudaGetErrorName(code),
                     cudaGetErrorString(code), cuda->base.index, cuda->name);
}

mnp_status mnp__cuda_driver_status(const cuda_device *cuda, CUresult code, const char *call, const char *file, int line,
                                   const char *caller)
{
    if (code == CUDA_SUCCESS)
        return MNP_OK;
    const char *name = NULL, *words = NULL;
    cuda->driver.cuGetErrorName(code, &name);
    cuda->driver.cuGetErrorString(code, &words);
    return mnp__fail(MNP_ERR_DEVICE, file, line, caller, "%s: %s (%s) on GPU %d, %s", call,
                     name ? name : "unknown error", words ? words : "no description", cuda->base.index, cuda->name);
}

static mnp_status use(const cuda_device *cuda)
{
    CUcontext current = NULL;
    if (cuda->context && cuda->driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == cuda->context)
        return MNP_OK; /* faster than to set it again, on the path of every launch */
    return RUNTIME(cuda, cudaSetDevice, cuda->base.index);
}

mnp_status mnp__cuda_use(mnp__device *device)
{
    return use(of(device));
}

static void use_or_ignore(mnp__device *device)
{
    (void)use(of(device));
}

/* ---- properties of the device ---- */

static mnp_status cuda_info(mnp__device *device, mnp_rank_info *info)
{
    cuda_device *cuda = of(device);
    size_t memory_free, memory_total;
    MNP_TRY(use(cuda));
    MNP_TRY(RUNTIME(cuda, cudaMemGetInfo, &memory_free, &memory_total));
    snprintf(info->device, sizeof info->device, "%s", cuda->name);
    info->device_index = cuda->base.index;
    info->capability_major = cuda->capability_major;
    info->capability_minor = cuda->capability_minor;
    info->multiprocessors = cuda->multiprocessors;
    info->memory_free = (int64_t)memory_free;
    info->memory_total = (int64_t)memory_total;
    return MNP_OK;
}

/* The GPU's UUID (a MIG slice has its own), hashed by FNV-1a; never 0, which is the identity of the host device. */
static mnp_status identify(const cuda_device *cuda, CUdevice handle, uint64_t *identity_p)
{
    CUuuid uuid;
    MNP_TRY(DRIVER(cuda, cuDeviceGetUuid_v2, &uuid, handle));
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof uuid.bytes; i++)
        hash = (hash ^ (unsigned char)uuid.bytes[i]) * UINT64_C(0x100000001b3);
    *identity_p = hash ? hash : 1;
    return MNP_OK;
}

static mnp_status cuda_identity(mnp__device *device, uint64_t *identity_p)
{
    return identify(of(device), of(device)->handle, identity_p);
}

/* This process's index of a GPU; -1 if the process cannot see it, as when a launcher gives each task one GPU. */
static mnp_status find_gpu(const cuda_device *cuda, uint64_t identity, int *index_p)
{
    int count;
    MNP_TRY(RUNTIME(cuda, cudaGetDeviceCount, &count));
    *index_p = -1;
    for (int i = 0; i < count; i++) {
        CUdevice handle;
        uint64_t candidate;
        MNP_TRY(DRIVER(cuda, cuDeviceGet, &handle, i));
        MNP_TRY(identify(cuda, handle, &candidate));
        if (candidate == identity)
            *index_p = i;
    }
    return MNP_OK;
}

/* Over NVLink GPUs can do atomic operations in each other's memory, over PCIe they cannot: this tells the two apart. */
static mnp_status cuda_link(mnp__device *device, uint64_t identity, mnp_link_info *link)
{
    cuda_device *cuda = of(device);
    const char *name = "same";
    int index;
    MNP_TRY(find_gpu(cuda, identity, &index));
    if (index < 0) {
        name = "unknown";
    } else if (index != cuda->base.index) {
        int access, atomics;
        MNP_TRY(
            RUNTIME(cuda, cudaDeviceGetP2PAttribute, &access, cudaDevP2PAttrAccessSupported, cuda->base.index, index));
        MNP_TRY(RUNTIME(cuda, cudaDeviceGetP2PAttribute, &atomics, cudaDevP2PAttrNativeAtomicSupported,
                        cuda->base.index, index));
        name = !access ? "none" : atomics ? "NVLink" : "PCIe";
    }
    snprintf(link->name, sizeof link->name, "%s", name);
    return MNP_OK;
}

/* ---- copies ---- */

static mnp_status cuda_copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    if (size == 0)
        return MNP_OK;
    MNP_TRY(use(cuda));
    return RUNTIME(cuda, cudaMemcpyAsync, dst, src, size, cudaMemcpyDefault, mnp__cuda_stream(stream));
}

static mnp_status cuda_copy_rows(mnp__device *device, void *dst, const void *src, const mnp__row_copy *rows,
                                 mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    MNP_TRY(use(cuda));
    return RUNTIME(cuda, cudaMemcpy2DAsync, dst, rows->dst_step, src, rows->src_step, rows->bytes, rows->count,
                   cudaMemcpyDefault, mnp__cuda_stream(stream));
}

static mnp_status cuda_fill(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    if (size == 0)
        return MNP_OK;
    MNP_TRY(use(cuda));
    return RUNTIME(cuda, cudaMemsetAsync, dst, byte, size, mnp__cuda_stream(stream));
}

/* ---- streams and events ---- */

static mnp_status cuda_stream_new(mnp__device *device, bool urgent, mnp__stream **stream_p)
{
    cuda_device *cuda = of(device);
    cudaStream_t stream;
    int least, greatest;
    MNP_TRY(use(cuda));
    MNP_TRY(RUNTIME(cuda, cudaDeviceGetStreamPriorityRange, &least, &greatest));
    MNP_TRY(RUNTIME(cuda, cudaStreamCreateWithPriority, &stream, cudaStreamNonBlocking, urgent ? greatest : least));
    *stream_p = (mnp__stream *)stream;
    return MNP_OK;
}

static void cuda_stream_free(mnp__device *device, mnp__stream *stream)
{
    use_or_ignore(device);
    if (stream)
        mnp__cuda_ignore(cudaStreamDestroy(mnp__cuda_stream(stream)));
}

static mnp_status cuda_event_new(mnp__device *device, mnp__device_event **event_p)
{
    cuda_device *cuda = of(device);
    cudaEvent_t event;
    MNP_TRY(use(cuda));
    MNP_TRY(RUNTIME(cuda, cudaEventCreateWithFlags, &event, cudaEventDefault));
    *event_p = (mnp__device_event *)event;
    return MNP_OK;
}

static void cuda_event_free(mnp__device *device, mnp__device_event *event)
{
    use_or_ignore(device);
    if (event)
        mnp__cuda_ignore(cudaEventDestroy(event_of(event)));
}

static mnp_status cuda_event_record(mnp__device *device, mnp__device_event *event, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    MNP_TRY(use(cuda));
    return RUNTIME(cuda, cudaEventRecord, event_of(event), mnp__cuda_stream(stream));
}

/* An error of an earlier kernel is also reported here. */
static mnp_status cuda_event_query(mnp__device *device, mnp__device_event *event, bool *done_p)
{
    cuda_device *cuda = of(device);
    MNP_TRY(use(cuda));
    cudaError_t code = cudaEventQuery(event_of(event));
    if (code == cudaErrorNotReady)
        (void)cudaGetLastError();
    else
        MNP_TRY(mnp__cuda_runtime_status(cuda, code, "cudaEventQuery", __FILE__, __LINE__, __func__));
    *done_p = code == cudaSuccess;
    return MNP_OK;
}

static mnp_status cuda_event_seconds(mnp__device *device, mnp__device_event *first, mnp__device_event *second,
                                     double *seconds_p)
{
    cuda_device *cuda = of(device);
    float milliseconds;
    MNP_TRY(use(cuda));
    cudaError_t code = cudaEventElapsedTime(&milliseconds, event_of(first), event_of(second));
    if (code == cudaErrorInvalidResourceHandle) {
        (void)cudaGetLastError();
        return MNP_FAIL(MNP_ERR_ARG, "an event was asked for its time before it was recorded");
    }
    MNP_TRY(mnp__cuda_runtime_status(cuda, code, "cudaEventElapsedTime", __FILE__, __LINE__, __func__));
    *seconds_p = (double)milliseconds * 1e-3;
    return MNP_OK;
}

static mnp_status cuda_stream_wait(mnp__device *device, mnp__stream *stream, mnp__device_event *event)
{
    cuda_device *cuda = of(device);
    MNP_TRY(use(cuda));
    return RUNTIME(cuda, cudaStreamWaitEvent, mnp__cuda_stream(stream), event_of(event), 0);
}

mnp_status mnp__cuda_write(mnp__device *device, mnp__stream *stream, volatile uint32_t *pinned, uint32_t value)
{
    cuda_device *cuda = of(device);
    MNP_TRY(use(cuda));
    if (device->recording)
        return MNP_OK;
    return DRIVER(cuda, cuStreamWriteValue32_v2, mnp__cuda_stream(stream), (CUdeviceptr)(uintptr_t)pinned, value,
                  CU_STREAM_WRITE_VALUE_DEFAULT);
}

/* ---- opening and closing ---- */

static void cuda_close(mnp__device *device)
{
    cuda_device *cuda = of(device);
    mnp__cuda_fft_drop_spares(cuda);
    mnp__cusolver_close(cuda);
    mnp__cublas_close(cuda);
    if (cuda->pool)
        mnp__cuda_ignore(cudaMemPoolDestroy(cuda->pool));
    mnp__arena_free(cuda->pinned);
    mnp__nvrtc_free(cuda->compiler);
    mnp__driver_close(&cuda->driver);
    free(cuda);
}

static mnp_status cuda_compiler(mnp__device *device, mnp__compiler **compiler_p)
{
    *compiler_p = of(device)->compiler;
    return MNP_OK;
}

static const mnp__device_ops cuda_ops = {
    .kind = "cuda",
    .blas = &mnp__cuda_blas,
    .lapack = &mnp__cuda_lapack,
    .close = cuda_close,
    .compiler = cuda_compiler,
    .info = cuda_info,
    .identity = cuda_identity,
    .link = cuda_link,
    .alloc = mnp__cuda_alloc,
    .free = mnp__cuda_free,
    .alloc_pinned = mnp__cuda_alloc_pinned,
    .free_pinned = mnp__cuda_free_pinned,
    .reaches = mnp__cuda_reaches,
    .memory_info = mnp__cuda_memory_info,
    .memory_trim = mnp__cuda_memory_trim,
    .memory_limit = mnp__cuda_memory_limit,
    .share_granularity = mnp__cuda_share_granularity,
    .share_reserve = mnp__cuda_share_reserve,
    .share_unreserve = mnp__cuda_share_unreserve,
    .share_new = mnp__cuda_share_new,
    .share_map = mnp__cuda_share_map,
    .share_unmap = mnp__cuda_share_unmap,
    .stream_new = cuda_stream_new,
    .stream_free = cuda_stream_free,
    .event_new = cuda_event_new,
    .event_free = cuda_event_free,
    .event_record = cuda_event_record,
    .event_query = cuda_event_query,
    .event_seconds = cuda_event_seconds,
    .stream_wait = cuda_stream_wait,
    .copy = cuda_copy,
    .copy_rows = cuda_copy_rows,
    .fill = cuda_fill,
    .kernel_load = mnp__cuda_kernel_load,
    .kernel_free = mnp__cuda_kernel_free,
    .launch = mnp__cuda_launch,
    .module_load = mnp__cuda_module_load,
    .module_free = mnp__cuda_module_free,
    .module_function = mnp__cuda_module_function,
    .module_variable = mnp__cuda_module_variable,
    .function_launch = mnp__cuda_function_launch,
    .graph_begin = mnp__cuda_graph_begin,
    .graph_begin_loop = mnp__cuda_graph_begin_loop,
    .graph_end = mnp__cuda_graph_end,
    .graph_launch = mnp__cuda_graph_launch,
    .graph_free = mnp__cuda_graph_free,
    .fft_load = mnp__cuda_fft_load,
    .fft_filters = mnp__cuda_fft_filters,
    .fft_new = mnp__cuda_fft_new,
    .fft_execute = mnp__cuda_fft_execute,
    .fft_free = mnp__cuda_fft_free,
};

void mnp__cuda_visible(uint64_t visible[MNP__MOST_GPUS])
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        count = 0; /* opening the device tells why */
    for (int i = 0; i < count && i < MNP__MOST_GPUS; i++) {
        char address[32] = "";
        if (cudaDeviceGetPCIBusId(address, sizeof address, i) != cudaSuccess)
            break;
        const uint64_t hash = mnp__hash(MNP__HASH_START, address, strlen(address));
        visible[i] = hash ? hash : 1;
    }
    (void)cudaGetLastError();
}

/*
 * Check that there is the GPU with index `gpu` among those that the process can see.
 * MNP_ERR_UNSUPPORTED if the machine has no GPU, so that the host device is used instead; MNP_ERR_DEVICE if a GPU is
 * there but cannot be used, which must not pass unnoticed.
 */
static mnp_status choose_gpu(int gpu, int *index_p)
{
    int count = 0, driver = 0;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count > 0) {
        *index_p = gpu % count;
        return MNP_OK;
    }
    (void)cudaGetLastError();
    switch (code) {
    case cudaSuccess:
    case cudaErrorNoDevice:
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "no GPU here that CUDA can see%s%s%s",
                        visible ? "; CUDA_VISIBLE_DEVICES is '" : "", visible ? visible : "", visible ? "'" : "");
    case cudaErrorStubLibrary:
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "no NVIDIA driver here: libcuda.so.1 is what the toolkit has for linking alone");
    case cudaErrorInsufficientDriver:
        mnp__cuda_ignore(cudaDriverGetVersion(&driver));
        return MNP_FAIL(MNP_ERR_DEVICE,
                        "the NVIDIA driver serves CUDA %d.%d, but Maniple was built with %d.%d: update the driver, or "
                        "set MANIPLE_DEVICE=host",
                        driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    default:
        return MNP_FAIL(MNP_ERR_DEVICE, "cudaGetDeviceCount: %s (%s)", cudaGetErrorName(code),
                        cudaGetErrorString(code));
    }
}

mnp_status mnp__cuda_device_open(const mnp__config *config, int gpu, mnp__device **device_p)
{
    cuda_device *cuda;
    int block_memory = 0;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *cuda, &cuda));
    cuda->base.ops = &cuda_ops;
    cuda->base.config = config;
    MNP_TRY_OR(mnp__driver_open(&cuda->driver), st, fail);
    MNP_TRY_OR(choose_gpu(gpu, &cuda->base.index), st, fail);
    MNP_TRY_OR(DRIVER(cuda, cuDeviceGet, &cuda->handle, cuda->base.index), st, fail);
    MNP_TRY_OR(DRIVER(cuda, cuDeviceGetName, cuda->name, (int)sizeof cuda->name, cuda->handle), st, fail);
    MNP_TRY_OR(use(cuda), st, fail); /* the first call creates the driver's context, which takes some time */
    MNP_TRY_OR(DRIVER(cuda, cuCtxGetCurrent, &cuda->context), st, fail);
    MNP_TRY_OR(
        RUNTIME(cuda, cudaDeviceGetAttribute, &block_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->base.index),
        st, fail);
    cuda->base.block_memory = (size_t)block_memory;
    MNP_TRY_OR(RUNTIME(cuda, cudaDeviceGetAttribute, &cuda->capability_major, cudaDevAttrComputeCapabilityMajor,
                       cuda->base.index),
               st, fail);
    MNP_TRY_OR(RUNTIME(cuda, cudaDeviceGetAttribute, &cuda->capability_minor, cudaDevAttrComputeCapabilityMinor,
                       cuda->base.index),
               st, fail);
    MNP_TRY_OR(
        RUNTIME(cuda, cudaDeviceGetAttribute, &cuda->multiprocessors, cudaDevAttrMultiProcessorCount, cuda->base.index),
        st, fail);
    cuda->base.has_loops = strcmp(config->loop, "auto") == 0 && mnp__cuda_has_loops(cuda);
    MNP_TRY_OR(mnp__cuda_pool_open(cuda), st, fail);
    MNP_TRY_OR(mnp__nvrtc_new(config, cuda->capability_major, cuda->capability_minor, &cuda->compiler), st, fail);
    *device_p = &cuda->base;
    return MNP_OK;
fail:
    cuda_close(&cuda->base);
    return st;
}

int mnp__cuda_versions(mnp_version_info *versions, int room)
{
    int runtime = 0, driver = 0, nvrtc_major = 0, nvrtc_minor = 0;
    mnp__cuda_ignore(cudaRuntimeGetVersion(&runtime));
    mnp__cuda_ignore(cudaDriverGetVersion(&driver));
    (void)mnp__nvrtc_version(&nvrtc_major, &nvrtc_minor);
    const struct {
        const char *name;
        int major, minor;
    } found[] = {
        {"CUDA runtime", runtime / 1000, runtime % 1000 / 10},
        {"CUDA driver", driver / 1000, driver % 1000 / 10}, /* the newest CUDA that it supports */
        {"NVRTC", nvrtc_major, nvrtc_minor},
    };
    int count = 0;
    for (; count < room && count < (int)(sizeof found / sizeof *found); count++) {
        mnp_version_info *version = &versions[count];
        version->name = found[count].name;
        if (found[count].major == 0)
            snprintf(version->version, sizeof version->version, "not found");
        else
            snprintf(version->version, sizeof version->version, "%d.%d", found[count].major, found[count].minor);
    }
    return count;
}
