/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPU memory that several processes of one host can map, through the driver's virtual memory management.
 *
 * Memory (a handle) and address space are created separately, and then mapped to each other.  A handle can be exported
 * as a file descriptor; a process that imports it has the same memory, even after the first process has ended.  A
 * mapping keeps its memory alive, so handles and descriptors are released as soon as it exists.  Imported memory may
 * belong to another GPU; whether this GPU can reach it shows when access is requested.
 *
 * Multicast objects of the driver are not used: setting them up takes long, and on some hosts they do not work.
 */
#include <config.h>

#include "device/cuda/cuda.h"

#include <unistd.h>

#include "base/status.h"

static cuda_device *of(mnp__device *device)
{
    return (cuda_device *)device;
}

static CUdeviceptr at(void *address)
{
    return (CUdeviceptr)(uintptr_t)address;
}

/* Whether the GPU has an ability; false also if the driver does not know the attribute. */
static bool can(const cuda_device *cuda, CUdevice_attribute ability)
{
    int value = 0;
    return cuda->driver.cuDeviceGetAttribute(&value, ability, cuda->handle) == CUDA_SUCCESS && value != 0;
}

static CUmemAllocationProp properties_of(const cuda_device *cuda, bool leaves)
{
    return (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = leaves ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = cuda->handle},
        /* so that network adapters may access it */
        .allocFlags.gpuDirectRDMACapable = can(cuda, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)};
}

static bool has_functions(const mnp__driver *driver)
{
    return driver->cuDeviceGetAttribute && driver->cuMemGetAllocationGranularity && driver->cuMemAddressReserve &&
           driver->cuMemAddressFree && driver->cuMemCreate && driver->cuMemRelease && driver->cuMemMap &&
           driver->cuMemUnmap && driver->cuMemSetAccess && driver->cuMemExportToShareableHandle &&
           driver->cuMemImportFromShareableHandle;
}

/* The recommended granularity, with which the driver uses its largest pages; chunks of the heap are much larger. */
size_t mnp__cuda_share_granularity(mnp__device *device)
{
    const cuda_device *cuda = of(device);
    size_t granularity = 0;
    if (!has_functions(&cuda->driver) || !can(cuda, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
        !can(cuda, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
        return 0;
    const CUmemAllocationProp properties = properties_of(cuda, true);
    CUresult code =
        cuda->driver.cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    return code == CUDA_SUCCESS ? granularity : 0;
}

mnp_status mnp__cuda_share_reserve(mnp__device *device, size_t size, void **address_p)
{
    cuda_device *cuda = of(device);
    CUdeviceptr address;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(DRIVER(cuda, cuMemAddressReserve, &address, size, mnp__cuda_share_granularity(device), 0, 0));
    *address_p = (void *)(uintptr_t)address;
    return MNP_OK;
}

void mnp__cuda_share_unreserve(mnp__device *device, void *address, size_t size)
{
    (void)mnp__cuda_use(device);
    (void)of(device)->driver.cuMemAddressFree(at(address), size);
}

/* Map memory at an address, for this GPU to read and write.  The caller keeps the handle. */
static mnp_status map(cuda_device *cuda, void *address, size_t size, CUmemGenericAllocationHandle memory)
{
    const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = cuda->handle},
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    MNP_TRY(DRIVER(cuda, cuMemMap, at(address), size, 0, memory, 0));
    mnp_status st = DRIVER(cuda, cuMemSetAccess, at(address), size, &access, 1);
    if (st != MNP_OK)
        (void)cuda->driver.cuMemUnmap(at(address), size);
    return st;
}

static mnp_status create(cuda_device *cuda, size_t size, bool leaves, CUmemGenericAllocationHandle *memory_p)
{
    const CUmemAllocationProp properties = properties_of(cuda, leaves);
    CUresult code = cuda->driver.cuMemCreate(memory_p, size, &properties, 0);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) { /* the pool may hold unused memory */
        mnp__cuda_trim_pool(cuda);
        code = cuda->driver.cuMemCreate(memory_p, size, &properties, 0);
    }
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return mnp__cuda_out_of_memory(cuda, size);
    return mnp__cuda_driver_status(cuda, code, "cuMemCreate", __FILE__, __LINE__, __func__);
}

mnp_status mnp__cuda_share_new(mnp__device *device, void *address, size_t size, int *fd_p)
{
    cuda_device *cuda = of(device);
    CUmemGenericAllocationHandle memory;
    int fd = -1;
    mnp_status st;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(create(cuda, size, fd_p != NULL, &memory));
    if (fd_p)
        MNP_TRY_OR(DRIVER(cuda, cuMemExportToShareableHandle, &fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                   st, release);
    MNP_TRY_OR(map(cuda, address, size, memory), st, release);
    if (fd_p)
        *fd_p = fd;
    fd = -1;
release:
    if (fd >= 0)
        close(fd);
    (void)cuda->driver.cuMemRelease(memory);
    return st;
}

mnp_status mnp__cuda_share_map(mnp__device *device, void *address, size_t size, int fd)
{
    cuda_device *cuda = of(device);
    CUmemGenericAllocationHandle memory;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(DRIVER(cuda, cuMemImportFromShareableHandle, &memory, (void *)(uintptr_t)fd,
                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    mnp_status st = map(cuda, address, size, memory);
    (void)cuda->driver.cuMemRelease(memory);
    return st;
}

/*
 * Unlike a release to the pool this is not ordered by a stream, so it waits for kernels that may still use the memory.
 */
void mnp__cuda_share_unmap(mnp__device *device, void *address, size_t size)
{
    (void)mnp__cuda_use(device);
    if (cudaDeviceSynchronize() != cudaSuccess)
        (void)cudaGetLastError();
    (void)of(device)->driver.cuMemUnmap(at(address), size);
}
