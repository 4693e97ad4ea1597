/*
 * Inside the host device.
 */
#ifndef MNP__DEVICE_HOST_H
#define MNP__DEVICE_HOST_H

#include "device/device.h"

typedef struct mnp__host_device {
    mnp__device base;
    int threads;
    mnp__compiler *compiler; /* made when the first kernel is wanted */
} mnp__host_device;

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
