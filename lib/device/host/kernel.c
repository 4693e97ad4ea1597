/*
 * Kernels of the host device: shared objects made by the host's compiler.
 *
 * The code is loaded from an anonymous file in memory, so that what runs is exactly the bytes that the cache has
 * verified.  A kernel has the C signature below; it does its share of the work as one of several workers (kernels/prelude.h).
 */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"
#include "device/host/host.h"

typedef void (*kernel_function)(const void *params, long long worker, long long workers);

struct mnp__kernel {
    int file; /* kept open: the loader knows an object by its path, /proc/self/fd/N, which must stay unique */
    void *object;
    kernel_function function;
};

static mnp_status write_all(int file, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t written = write(file, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return MNP_FAIL(MNP_ERR_MEMORY, "cannot keep a kernel of %zu bytes in memory: %s", size, strerror(errno));
        at += written;
        size -= (size_t)written;
    }
    return MNP_OK;
}

static mnp_status load_object(mnp__kernel *kernel, const char *name, const void *binary, size_t size)
{
    char path[64];
    kernel->file = memfd_create("maniple-kernel", MFD_CLOEXEC);
    if (kernel->file < 0)
        return MNP_FAIL(MNP_ERR_MEMORY, "cannot make a file in memory for a kernel: %s", strerror(errno));
    MNP_TRY(write_all(kernel->file, binary, size));
    snprintf(path, sizeof path, "/proc/self/fd/%d", kernel->file);
    kernel->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!kernel->object)
        return MNP_FAIL(MNP_ERR_COMPILE, "cannot load the compiled kernel %s: %s", name, dlerror());
    void *symbol = dlsym(kernel->object, name);
    if (!symbol)
        return MNP_FAIL(MNP_ERR_COMPILE, "the compiled kernel has no function \"%s\": %s", name, dlerror());
    memcpy(&kernel->function, &symbol, sizeof symbol); /* ISO C has no cast from object to function pointers */
    return MNP_OK;
}

mnp_status mnp__host_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__host_device *host = (mnp__host_device *)device;
    mnp__kernel *kernel = NULL;
    void *binary = NULL;
    size_t size = 0;
    mnp_status st;
    if (!host->compiler)
        MNP_TRY(mnp__host_compiler_new(device->config, &host->compiler));
    MNP_TRY(mnp__jit_binary(host->compiler, spec, &binary, &size));
    MNP_TRY_OR(mnp__calloc(1, sizeof *kernel, &kernel), st, fail);
    kernel->file = -1;
    MNP_TRY_OR(load_object(kernel, spec->function, binary, size), st, fail);
    free(binary);
    *kernel_p = kernel;
    return MNP_OK;
fail:
    free(binary);
    mnp__host_kernel_free(device, kernel);
    return st;
}

void mnp__host_kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    if (!kernel)
        return;
    if (kernel->object)
        dlclose(kernel->object);
    if (kernel->file >= 0)
        close(kernel->file);
    free(kernel);
}

mnp_status mnp__host_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream)
{
    int threads = ((mnp__host_device *)device)->threads;
    (void)launch;
    (void)params_size;
    (void)stream;
    if (threads == 1) {
        kernel->function(params, 0, 1);
        return MNP_OK;
    }
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int worker = 0; worker < threads; worker++)
        kernel->function(params, worker, threads);
    return MNP_OK;
}
