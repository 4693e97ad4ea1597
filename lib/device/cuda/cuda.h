/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the CUDA device: its struct, the macros that check calls, and the functions that fill its table.
 */
#ifndef MNP__DEVICE_CUDA_H
#define MNP__DEVICE_CUDA_H

#include <cuda_runtime_api.h>

#include "base/arena.h"
#include "device/cuda/driver.h"
#include "device/cuda/stream.h"
#include "device/device.h"

enum { MNP__CUDA_SPARES = 8 };

typedef struct cuda_device {
    mnp__device base; /* first, as device.h requires */
    mnp__driver driver;
    mnp__compiler *compiler;
    CUdevice handle;
    CUcontext context; /* the runtime's, once the device has been opened */
    int capability_major, capability_minor;
    int multiprocessors;                /* of the part of the GPU that this process may use */
    cudaMemPool_t pool;                 /* this device's own; NULL if the driver has no pools */
    mnp__arena *pinned;                 /* the blocks of pinned memory */
    struct postponed *postponed;        /* memory that was freed while a graph was recorded */
    cudaGraph_t loop;                   /* the loop whose body is being recorded, or NULL */
    size_t scratch_limit, pinned_limit; /* bytes, or 0 */
    struct mnp__cublas *cublas;         /* NULL until the first product */
    struct mnp__cusolver *cusolver;     /* NULL until the first factorisation */
    /* Fourier transforms that were freed, the latest at the end, so that cuFFT does not plan the same again */
    int nspares;
    mnp__device_fft *spares[MNP__CUDA_SPARES];
    char name[96];
} cuda_device;

/* Call a function of the runtime or of the driver; a failure becomes a message with the place of the call. */
#define RUNTIME(cuda, function, ...)                                                                                   \
    mnp__cuda_runtime_status((cuda), function(__VA_ARGS__), #function, __FILE__, __LINE__, __func__)
#define DRIVER(cuda, function, ...)                                                                                    \
    mnp__cuda_driver_status((cuda), (cuda)->driver.function(__VA_ARGS__), #function, __FILE__, __LINE__, __func__)

mnp_status mnp__cuda_runtime_status(const cuda_device *cuda, cudaError_t code, const char *call, const char *file,
                                    int line, const char *caller);
mnp_status mnp__cuda_driver_status(const cuda_device *cuda, CUresult code, const char *call, const char *file, int line,
                                   const char *caller);

/* memory.c: the slots of the table for memory; mnp__cuda_pool_open() comes first. */
mnp_status mnp__cuda_pool_open(cuda_device *cuda);
mnp_status mnp__cuda_alloc(mnp__device *device, size_t size, void **pointer_p);
void mnp__cuda_free(mnp__device *device, void *pointer);
void mnp__cuda_free_postponed(cuda_device *cuda); /* free what was postponed while a graph was recorded */
mnp_status mnp__cuda_alloc_pinned(mnp__device *device, size_t size, void **pointer_p);
void mnp__cuda_free_pinned(mnp__device *device, void *pointer);
mnp_status mnp__cuda_reaches(mnp__device *device, const void *pointer, bool *reaches_p);
mnp_status mnp__cuda_memory_info(mnp__device *device, mnp_memory_pool which, mnp_memory_pool_info *info);
mnp_status mnp__cuda_memory_trim(mnp__device *device, mnp_memory_pool which);
void mnp__cuda_memory_limit(mnp__device *device, mnp_memory_pool which, size_t bytes);

void mnp__cuda_trim_pool(cuda_device *cuda); /* return unused memory of the pool, and that of spare transforms */
mnp_status mnp__cuda_out_of_memory(const cuda_device *cuda, size_t size); /* MNP_ERR_MEMORY, with how much is free */

/* share.c: the slots for memory that processes share. */
size_t mnp__cuda_share_granularity(mnp__device *device);
mnp_status mnp__cuda_share_reserve(mnp__device *device, size_t size, void **address_p);
void mnp__cuda_share_unreserve(mnp__device *device, void *address, size_t size);
mnp_status mnp__cuda_share_new(mnp__device *device, void *address, size_t size, int *fd_p);
mnp_status mnp__cuda_share_map(mnp__device *device, void *address, size_t size, int fd);
void mnp__cuda_share_unmap(mnp__device *device, void *address, size_t size);

/* For destructors, which cannot report a failure. */
static inline void mnp__cuda_ignore(cudaError_t code)
{
    if (code != cudaSuccess)
        (void)cudaGetLastError();
}

/* kernel.c: the slots for kernels and raw modules. */
mnp_status mnp__cuda_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
void mnp__cuda_kernel_free(mnp__device *device, mnp__kernel *kernel);
mnp_status mnp__cuda_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream);
mnp_status mnp__cuda_module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p);
void mnp__cuda_module_free(mnp__device *device, mnp__module *module);
mnp_status mnp__cuda_module_function(mnp__device *device, mnp__module *module, const char *name,
                                     mnp__function **function_p);
mnp_status mnp__cuda_module_variable(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                     size_t *size_p);
mnp_status mnp__cuda_function_launch(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                     size_t shared_bytes, void *const *arguments, mnp__stream *stream);

/* fft.c: the slots for Fourier transforms. */
mnp_status mnp__cuda_fft_load(mnp__device *device, bool is_double);
bool mnp__cuda_fft_filters(mnp__device *device, const mnp__fft_spec *spec);
mnp_status mnp__cuda_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p);
mnp_status mnp__cuda_fft_execute(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                                 mnp__stream *stream);
void mnp__cuda_fft_free(mnp__device *device, mnp__device_fft *fft); /* it becomes a spare one */
void mnp__cuda_fft_drop_spares(cuda_device *cuda);

/* cublas.c: release what products took.  The table is mnp__cuda_blas. */
void mnp__cublas_close(cuda_device *cuda);

/* cusolver.c: release what factorisations took.  The table is mnp__cuda_lapack. */
void mnp__cusolver_close(cuda_device *cuda);

/* graph.c: the slots for graphs. */
bool mnp__cuda_has_loops(const cuda_device *cuda); /* both the toolkit and the driver support them */
mnp_status mnp__cuda_graph_begin(mnp__device *device, mnp__stream *stream);
mnp_status mnp__cuda_graph_begin_loop(mnp__device *device, mnp__stream *stream, uint64_t *condition_p);
mnp_status mnp__cuda_graph_end(mnp__device *device, mnp__stream *stream, mnp__device_graph **graph_p);
mnp_status mnp__cuda_graph_launch(mnp__device *device, mnp__device_graph *graph, mnp__stream *stream);
void mnp__cuda_graph_free(mnp__device *device, mnp__device_graph *graph);

#endif
