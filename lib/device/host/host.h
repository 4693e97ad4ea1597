/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the host device: its struct, and the functions that fill its table.
 */
#ifndef MNP__DEVICE_HOST_H
#define MNP__DEVICE_HOST_H

#include "base/arena.h"
#include "device/device.h"
#include "device/host/fibers.h"
#include "device/host/team.h"

/* memory.c */
typedef struct mnp__host_pool {
    mnp__arena *arena; /* offsets of blocks from `base`; NULL until the first block is allocated */
    char *base;
    size_t space, top;   /* bytes of address space; bytes from its beginning that memory backs */
    size_t bound, limit; /* the rank's share of the host's memory; the user's limit, 0: none */
} mnp__host_pool;

typedef struct mnp__host_device {
    mnp__device base;
    mnp__host_pool scratch, pinned;
    int threads;
    mnp__team *team;         /* made for the first launch that has more than one share */
    mnp__fibers *fibers;     /* made for the first kernel whose threads meet, and for larger blocks */
    mnp__compiler *compiler; /* created for the first kernel */
} mnp__host_device;

/* host.c */
void mnp__host_device_init(const mnp__config *config, int node_size, mnp__host_device *host);
mnp_status mnp__host_info(mnp__device *device, mnp_rank_info *info);

/* memory.c: the slots of the table for memory. */
mnp_status mnp__host_alloc(mnp__device *device, size_t size, void **pointer_p);
void mnp__host_free(mnp__device *device, void *pointer);
mnp_status mnp__host_alloc_pinned(mnp__device *device, size_t size, void **pointer_p);
void mnp__host_free_pinned(mnp__device *device, void *pointer);
mnp_status mnp__host_memory_info(mnp__device *device, mnp_memory_pool which, mnp_memory_pool_info *info);
mnp_status mnp__host_memory_trim(mnp__device *device, mnp_memory_pool which);
void mnp__host_memory_limit(mnp__device *device, mnp_memory_pool which, size_t bytes);
void mnp__host_pool_close(mnp__host_pool *pool);
size_t mnp__host_share_granularity(mnp__device *device);
mnp_status mnp__host_share_reserve(mnp__device *device, size_t size, void **address_p);
void mnp__host_share_unreserve(mnp__device *device, void *address, size_t size);
mnp_status mnp__host_share_new(mnp__device *device, void *address, size_t size, int *fd_p);
mnp_status mnp__host_share_map(mnp__device *device, void *address, size_t size, int fd);
void mnp__host_share_unmap(mnp__device *device, void *address, size_t size);

/* kernel.c: compiled code that has been loaded. */
typedef struct mnp__host_object {
    void *object; /* the handle from dlopen() */
} mnp__host_object;

/*
 * Compile a spec, or take it from the cache, and load it.  `names` receives the symbols of its name expressions; see
 * mnp__binary_name().
 */
mnp_status mnp__host_object_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__host_object *object,
                                 mnp__binary *names);
void mnp__host_object_free(mnp__host_object *object);

/* kernel.c: divide work into shares, as many as the launch allows, and do them.  MNP_ERR_MEMORY. */
mnp_status mnp__host_run(mnp__device *device, const mnp__launch *launch,
                         void (*function)(const void *argument, int share, int shares), const void *argument);

/* kernel.c: the slots for kernels. */
mnp_status mnp__host_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
void mnp__host_kernel_free(mnp__device *device, mnp__kernel *kernel);
mnp_status mnp__host_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream);

/* module.c: the slots for raw modules. */
mnp_status mnp__host_module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p);
void mnp__host_module_free(mnp__device *device, mnp__module *module);
mnp_status mnp__host_module_function(mnp__device *device, mnp__module *module, const char *name,
                                     mnp__function **function_p);
mnp_status mnp__host_module_variable(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                     size_t *size_p);
mnp_status mnp__host_function_launch(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                     size_t shared_bytes, void *const *arguments, mnp__stream *stream);

/*
 * lapack.c, once mnp__host_need_lapack() has succeeded: a function of LAPACK by its symbol, to the pointer to a
 * function at function_p; MNP_ERR_UNSUPPORTED, naming it, if the library does not have it.  And to set how many threads
 * OpenBLAS uses for LAPACK, which returns the number before; count 0 changes nothing, and 0 is returned for another
 * library.
 */
mnp_status mnp__host_lapack_function(const char *symbol, void *function_p);
int mnp__host_lapack_set_threads(int count);

/* host.c: the model of the processor; "" if the system does not tell. */
void mnp__host_processor(char *name, size_t room);

/* fft.c: the slots for Fourier transforms. */
mnp_status mnp__host_fft_load(mnp__device *device, bool is_double);
mnp_status mnp__host_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p);
mnp_status mnp__host_fft_execute(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                                 mnp__stream *stream);
void mnp__host_fft_free(mnp__device *device, mnp__device_fft *fft);

#endif
