/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the CUDA device that the processes of one host can map: the driver's virtual memory management.
 *
 * Memory (a handle) and addresses are made apart and then mapped to each other.  A handle can leave the process as a
 * file descriptor; what another process imports is the same memory, also after the first one has ended.  A mapping
 * keeps its memory, so handles and descriptors are given up as soon as it is there.  Imported memory may be another
 * GPU's: then the access that is asked for here is what tells whether this GPU reaches it.
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

/* Whether the GPU has an ability; not where the driver does not know of it. */
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
        /* network adapters may be given it, too */
        .allocFlags.gpuDirectRDMACapable = can(cuda, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)};
}

static bool has_functions(const mnp__driver *driver)
{
    return driver->cuDeviceGetAttribute && driver->cuMemGetAllocationGranularity && driver->cuMemAddressReserve &&
           driver->cuMemAddressFree && driver->cuMemCreate && driver->cuMemRelease && driver->cuMemMap &&
           driver->cuMemUnmap && driver->cuMemSetAccess && driver->cuMemExportToShareableHandle &&
           driver->cuMemImportFromShareableHandle;
}

/*
 * The recommended one, which the driver can map with its largest pages; the least would save nothing that counts here.
 */
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

/* Let memory appear at an address, for this GPU to read and write; the handle is still the caller's. */
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
    if (code == CUDA_ERROR_OUT_OF_MEMORY) { /* the pool may keep some that nobody uses */
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

/* Kernels may still use it: unlike what goes back to the pool, it goes now and not in the order of a stream. */
void mnp__cuda_share_unmap(mnp__device *device, void *address, size_t size)
{
    (void)mnp__cuda_use(device);
    if (cudaDeviceSynchronize() != cudaSuccess)
        (void)cudaGetLastError();
    (void)of(device)->driver.cuMemUnmap(at(address), size);
}
