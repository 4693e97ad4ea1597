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

/* kernel.c: the slots of the ops table that concern kernels. */
mnp_status mnp__host_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
void mnp__host_kernel_free(mnp__device *device, mnp__kernel *kernel);
mnp_status mnp__host_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream);

#endif
