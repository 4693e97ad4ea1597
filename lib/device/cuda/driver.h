/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few functions of the CUDA driver that the runtime library does not wrap, found when a device is opened.
 *
 * libcuda comes with the driver, not with the toolkit.  It is loaded at run time and never linked, so that the same
 * binary also starts on machines without a driver.
 */
#ifndef MNP__DEVICE_CUDA_DRIVER_H
#define MNP__DEVICE_CUDA_DRIVER_H

#include <cuda.h>

#include <maniple/base.h>

/* X(name in the library, parameters).  The names are spelled out since cuda.h redefines some of them by its version. */
#define MNP__DRIVER_FUNCTIONS(X)                                                                                       \
    X(cuGetErrorName, (CUresult code, const char **name))                                                              \
    X(cuGetErrorString, (CUresult code, const char **words))                                                           \
    X(cuDeviceGet, (CUdevice * device, int index))                                                                     \
    X(cuDeviceGetName, (char *name, int size, CUdevice device))                                                        \
    X(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                                            \
    X(cuCtxGetCurrent, (CUcontext * context))                                                                          \
    X(cuStreamWriteValue32_v2, (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags))               \
    X(cuModuleLoadData, (CUmodule * module, const void *binary))                                                       \
    X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                                 \
    X(cuModuleUnload, (CUmodule module))                                                                               \
    X(cuModuleGetGlobal_v2, (CUdeviceptr * address, size_t * size, CUmodule module, const char *name))                 \
    X(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function))                           \
    X(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))                            \
    X(cuLaunchKernel,                                                                                                  \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void **params, void **extra))

/* Functions that older drivers lack; their pointers are NULL then. */
#define MNP__DRIVER_OPTIONAL(X)                                                                                        \
    X(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **params, void **extra))              \
    X(cuFuncGetParamInfo, (CUfunction function, size_t index, size_t * offset, size_t * size))                         \
    X(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))                               \
    X(cuMemGetAllocationGranularity,                                                                                   \
      (size_t * granularity, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags which))           \
    X(cuMemAddressReserve,                                                                                             \
      (CUdeviceptr * address, size_t size, size_t alignment, CUdeviceptr wished, unsigned long long flags))            \
    X(cuMemAddressFree, (CUdeviceptr address, size_t size))                                                            \
    X(cuMemCreate, (CUmemGenericAllocationHandle * memory, size_t size, const CUmemAllocationProp *properties,         \
                    unsigned long long flags))                                                                         \
    X(cuMemRelease, (CUmemGenericAllocationHandle memory))                                                             \
    X(cuMemMap, (CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle memory,                 \
                 unsigned long long flags))                                                                            \
    X(cuMemUnmap, (CUdeviceptr address, size_t size))                                                                  \
    X(cuMemSetAccess, (CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count))                 \
    X(cuMemExportToShareableHandle,                                                                                    \
      (void *shared, CUmemGenericAllocationHandle memory, CUmemAllocationHandleType type, unsigned long long flags))   \
    X(cuMemImportFromShareableHandle,                                                                                  \
      (CUmemGenericAllocationHandle * memory, void *shared, CUmemAllocationHandleType type))

typedef struct mnp__driver {
    void *library;
#define MNP__DRIVER_FIELD(name, params) CUresult(*name) params;
    MNP__DRIVER_FUNCTIONS(MNP__DRIVER_FIELD)
    MNP__DRIVER_OPTIONAL(MNP__DRIVER_FIELD)
#undef MNP__DRIVER_FIELD
} mnp__driver;

/* Load the functions.  MNP_ERR_UNSUPPORTED if there is no driver, MNP_ERR_DEVICE if it lacks one that is required. */
mnp_status mnp__driver_open(mnp__driver *driver);
void mnp__driver_close(mnp__driver *driver);

#endif
