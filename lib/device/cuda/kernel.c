/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of the CUDA device: cubins from NVRTC, loaded and launched by the driver.
 */
#include <config.h>

#include <stdlib.h>

#include "base/status.h"
#include "device/cuda/cuda.h"
#include "jit/jit.h"

static cuda_device *of(mnp__device *device)
{
    return (cuda_device *)device;
}

/* ---- Maniple's own kernels: one function, one struct of parameters ---- */

struct mnp__kernel {
    CUmodule module;
    CUfunction function;
    unsigned shared_bytes;
    char *name;
};

static void unload(mnp__device *device, CUmodule module)
{
    if (module && mnp__cuda_use(device) == MNP_OK)
        (void)of(device)->driver.cuModuleUnload(module);
}

void mnp__cuda_kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    if (!kernel)
        return;
    unload(device, kernel->module);
    free(kernel->name);
    free(kernel);
}

/* Load a cubin and find its entry point.  The caller frees `kernel`, also after a failure. */
static mnp_status load(mnp__device *device, const mnp__kernel_spec *spec, const void *code, mnp__kernel *kernel)
{
    cuda_device *cuda = of(device);
    MNP_TRY(mnp__strdup(spec->function, &kernel->name));
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(DRIVER(cuda, cuModuleLoadData, &kernel->module, code));
    MNP_TRY(DRIVER(cuda, cuModuleGetFunction, &kernel->function, kernel->module, spec->function));
    kernel->shared_bytes = (unsigned)spec->shared_bytes;
    if (spec->shared_bytes > 0) /* without this, static and dynamic shared memory together are limited to 48 KiB */
        MNP_TRY(DRIVER(cuda, cuFuncSetAttribute, kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       (int)spec->shared_bytes));
    if (spec->cluster > 8) /* more than every GPU that has clusters allows */
        MNP_TRY(
            DRIVER(cuda, cuFuncSetAttribute, kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    return MNP_OK;
}

mnp_status mnp__cuda_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__kernel *kernel = NULL;
    mnp__binary binary;
    mnp_status st;
    MNP_TRY(mnp__jit_binary(of(device)->compiler, spec, &binary));
    MNP_TRY_OR(mnp__calloc(1, sizeof *kernel, &kernel), st, fail);
    st = load(device, spec, binary.code, kernel);
    if (st != MNP_OK) {
        (void)mnp__fail_context(st, "loading %s of %s, which needs %zu bytes of shared memory", spec->function,
                                spec->file, spec->shared_bytes);
        goto fail;
    }
    mnp__binary_free(&binary);
    *kernel_p = kernel;
    return MNP_OK;
fail:
    mnp__cuda_kernel_free(device, kernel);
    mnp__binary_free(&binary);
    return st;
}

/* Launch a kernel that may begin before the one ahead of it in the stream has ended (programmatic dependent launch). */
static mnp_status launch_early(cuda_device *cuda, const mnp__kernel *kernel, const mnp__launch *launch,
                               void **parameters, mnp__stream *stream)
{
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                               .value = {.programmaticStreamSerializationAllowed = 1}};
    CUlaunchConfig config = {.gridDimX = launch->grid[0],
                             .gridDimY = launch->grid[1],
                             .gridDimZ = launch->grid[2],
                             .blockDimX = launch->block[0],
                             .blockDimY = launch->block[1],
                             .blockDimZ = launch->block[2],
                             .sharedMemBytes = kernel->shared_bytes,
                             .hStream = mnp__cuda_stream(stream),
                             .attrs = &early,
                             .numAttrs = 1};
    return DRIVER(cuda, cuLaunchKernelEx, &config, kernel->function, parameters, NULL);
}

mnp_status mnp__cuda_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    const unsigned *grid = launch->grid, *block = launch->block;
    void *parameters[] = {(void *)params}; /* one parameter, copied before the call returns */
    mnp_status st;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
        return MNP_OK;
    MNP_TRY(mnp__cuda_use(device));
    if (launch->early && cuda->capability_major >= 9 && cuda->driver.cuLaunchKernelEx)
        st = launch_early(cuda, kernel, launch, parameters, stream);
    else
        st = DRIVER(cuda, cuLaunchKernel, kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                    kernel->shared_bytes, mnp__cuda_stream(stream), parameters, NULL);
    if (st != MNP_OK)
        (void)mnp__fail_context(st,
                                "kernel %s with %u x %u x %u blocks of %u x %u x %u threads, %zu bytes of parameters",
                                kernel->name, grid[0], grid[1], grid[2], block[0], block[1], block[2], params_size);
    return st;
}

/* ---- raw modules ---- */

typedef struct cuda_function cuda_function;

struct cuda_function {
    mnp__function base; /* first, as device.h requires */
    cuda_function *next;
    CUfunction handle;
    size_t allowed_dynamic; /* dynamic shared memory that a launch may have with the current attribute */
    char *name;
};

struct mnp__module {
    CUmodule handle;
    char *name;
    mnp__binary names;        /* the names alone: the code was freed */
    cuda_function *functions; /* those that were looked up */
};

mnp_status mnp__cuda_module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p)
{
    cuda_device *cuda = of(device);
    mnp__module *module;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *module, &module));
    MNP_TRY_OR(mnp__strdup(spec->function, &module->name), st, fail);
    MNP_TRY_OR(mnp__jit_binary(cuda->compiler, spec, &module->names), st, fail);
    MNP_TRY_OR(mnp__cuda_use(device), st, fail);
    MNP_TRY_OR(DRIVER(cuda, cuModuleLoadData, &module->handle, module->names.code), st, fail);
    free(module->names.code);
    module->names.code = NULL;
    *module_p = module;
    return MNP_OK;
fail:
    mnp__cuda_module_free(device, module);
    return st;
}

/* The module's kernels may run on streams of the user that are unknown here, so this waits for the whole device. */
void mnp__cuda_module_free(mnp__device *device, mnp__module *module)
{
    if (!module)
        return;
    while (module->functions) {
        cuda_function *first = module->functions;
        module->functions = first->next;
        free(first->name);
        free(first);
    }
    if (module->handle && mnp__cuda_use(device) == MNP_OK && cudaDeviceSynchronize() != cudaSuccess)
        (void)cudaGetLastError();
    unload(device, module->handle);
    mnp__binary_free(&module->names);
    free(module->name);
    free(module);
}

/* The device's limits for any launch. */
static mnp_status device_limits(cuda_device *cuda, mnp__function *function)
{
    static const enum cudaDeviceAttr grid[] = {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ};
    static const enum cudaDeviceAttr block[] = {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
                                                cudaDevAttrMaxBlockDimZ};
    for (int d = 0; d < 3; d++) {
        int most;
        MNP_TRY(RUNTIME(cuda, cudaDeviceGetAttribute, &most, grid[d], cuda->base.index));
        function->max_grid[d] = (unsigned)most;
        MNP_TRY(RUNTIME(cuda, cudaDeviceGetAttribute, &most, block[d], cuda->base.index));
        function->max_block[d] = (unsigned)most;
    }
    return MNP_OK;
}

/* The resources that the function's code needs, and the limits that follow. */
static mnp_status function_limits(cuda_device *cuda, cuda_function *function)
{
    mnp__function *base = &function->base;
    int threads, registers, shared, local, dynamic;
    MNP_TRY(DRIVER(cuda, cuFuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function->handle));
    MNP_TRY(DRIVER(cuda, cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function->handle));
    MNP_TRY(DRIVER(cuda, cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function->handle));
    MNP_TRY(DRIVER(cuda, cuFuncGetAttribute, &local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function->handle));
    MNP_TRY(
        DRIVER(cuda, cuFuncGetAttribute, &dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function->handle));
    base->max_threads = threads;
    base->registers = registers;
    base->shared_bytes = (size_t)shared;
    base->local_bytes = (size_t)local;
    base->max_dynamic_shared = cuda->base.block_memory - base->shared_bytes;
    function->allowed_dynamic = (size_t)dynamic;
    return MNP_OK;
}

static mnp_status function_parameters(cuda_device *cuda, cuda_function *function)
{
    mnp__function *base = &function->base;
    size_t offset, size;
    base->nparameters = cuda->driver.cuFuncGetParamInfo ? 0 : -1;
    if (base->nparameters < 0)
        return MNP_OK;
    while (cuda->driver.cuFuncGetParamInfo(function->handle, (size_t)base->nparameters, &offset, &size) ==
           CUDA_SUCCESS) {
        if (base->nparameters == MNP__MAX_PARAMETERS)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED, "kernel '%s' has more than %d parameters", function->name,
                            MNP__MAX_PARAMETERS);
        base->parameter_sizes[base->nparameters++] = size;
    }
    return MNP_OK;
}

static mnp_status find_function(cuda_device *cuda, const mnp__module *module, const char *name, CUfunction *handle_p)
{
    const char *lowered = mnp__binary_name(&module->names, name);
    CUresult code = cuda->driver.cuModuleGetFunction(handle_p, module->handle, lowered ? lowered : name);
    if (code == CUDA_ERROR_NOT_FOUND)
        return MNP_FAIL(MNP_ERR_ARG,
                        "module %s has no kernel '%s': there is no function extern \"C\" __global__ of that "
                        "name, nor such a name expression",
                        module->name, name);
    return mnp__cuda_driver_status(cuda, code, "cuModuleGetFunction", __FILE__, __LINE__, __func__);
}

mnp_status mnp__cuda_module_function(mnp__device *device, mnp__module *module, const char *name,
                                     mnp__function **function_p)
{
    cuda_device *cuda = of(device);
    cuda_function *function;
    CUfunction handle;
    mnp_status st;
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(find_function(cuda, module, name, &handle));
    MNP_TRY(mnp__calloc(1, sizeof *function, &function));
    function->handle = handle;
    MNP_TRY_OR(mnp__strdup(name, &function->name), st, fail);
    MNP_TRY_OR(device_limits(cuda, &function->base), st, fail);
    MNP_TRY_OR(function_limits(cuda, function), st, fail);
    MNP_TRY_OR(function_parameters(cuda, function), st, fail);
    function->next = module->functions;
    module->functions = function;
    *function_p = &function->base;
    return MNP_OK;
fail:
    free(function->name);
    free(function);
    return st;
}

mnp_status mnp__cuda_module_variable(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                     size_t *size_p)
{
    cuda_device *cuda = of(device);
    const char *lowered = mnp__binary_name(&module->names, name);
    CUdeviceptr address;
    size_t size;
    MNP_TRY(mnp__cuda_use(device));
    CUresult code = cuda->driver.cuModuleGetGlobal_v2(&address, &size, module->handle, lowered ? lowered : name);
    if (code == CUDA_ERROR_NOT_FOUND)
        return MNP_FAIL(MNP_ERR_ARG, "module %s has no variable '%s'", module->name, name);
    MNP_TRY(mnp__cuda_driver_status(cuda, code, "cuModuleGetGlobal", __FILE__, __LINE__, __func__));
    *pointer_p = (void *)(uintptr_t)address;
    *size_p = size;
    return MNP_OK;
}

mnp_status mnp__cuda_function_launch(mnp__device *device, mnp__function *base, const mnp__launch *launch,
                                     size_t shared_bytes, void *const *arguments, mnp__stream *stream)
{
    cuda_device *cuda = of(device);
    cuda_function *function = (cuda_function *)base;
    const unsigned *grid = launch->grid, *block = launch->block;
    MNP_TRY(mnp__cuda_use(device));
    if (shared_bytes > function->allowed_dynamic) {
        MNP_TRY(DRIVER(cuda, cuFuncSetAttribute, function->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       (int)shared_bytes));
        function->allowed_dynamic = shared_bytes;
    }
    mnp_status st = DRIVER(cuda, cuLaunchKernel, function->handle, grid[0], grid[1], grid[2], block[0], block[1],
                           block[2], (unsigned)shared_bytes, mnp__cuda_stream(stream), (void **)arguments, NULL);
    if (st != MNP_OK)
        (void)mnp__fail_context(st,
                                "kernel %s with %u x %u x %u blocks of %u x %u x %u threads and %zu bytes of shared "
                                "memory",
                                function->name, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared_bytes);
    return st;
}
