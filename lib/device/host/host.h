/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the host device.
 */
#ifndef MNP__DEVICE_HOST_H
#define MNP__DEVICE_HOST_H

#include "base/arena.h"
#include "device/device.h"

/* memory.c */
typedef struct mnp__host_pool {
    mnp__arena *arena; /* of places from `base` on; NULL until a block is wanted */
    char *base;
    size_t space, top;   /* address space; how far memory is behind it */
    size_t bound, limit; /* the machine's memory; the same as the user wants it, 0: none */
} mnp__host_pool;

typedef struct mnp__host_device {
    mnp__device base;
    mnp__host_pool scratch, pinned;
    int threads;
    mnp__compiler *compiler; /* made when the first kernel is wanted */
} mnp__host_device;

/* memory.c: the slots of the ops table that concern memory. */
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

/* kernel.c: compiled code that is loaded. */
typedef struct mnp__host_object {
    void *object; /* of dlopen() */
} mnp__host_object;

/*
 * Compile a spec (or fetch it) and load it.  `names` receives what it tells of name expressions; see
 * mnp__binary_name().
 */
mnp_status mnp__host_object_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__host_object *object,
                                 mnp__binary *names);
void mnp__host_object_free(mnp__host_object *object);

/* kernel.c: the slots of the ops table that concern kernels. */
mnp_status mnp__host_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
void mnp__host_kernel_free(mnp__device *device, mnp__kernel *kernel);
mnp_status mnp__host_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream);

/* module.c: those that concern raw modules. */
mnp_status mnp__host_module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p);
void mnp__host_module_free(mnp__device *device, mnp__module *module);
mnp_status mnp__host_module_function(mnp__device *device, mnp__module *module, const char *name,
                                     mnp__function **function_p);
mnp_status mnp__host_module_variable(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                     size_t *size_p);
mnp_status mnp__host_function_launch(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                     size_t shared_bytes, void *const *arguments, mnp__stream *stream);

#endif
