/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of the host device: shared objects made by the host's compiler.
 *
 * The code is loaded from an anonymous file in memory, so that exactly the bytes that the cache has verified are run.
 * A kernel has the C signature below; each thread calls it as one of several workers, and it does that worker's share
 * of the work (kernels/prelude.h).
 */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/status.h"
#include "device/host/host.h"

typedef void (*kernel_function)(const void *params, long long worker, long long workers);

struct mnp__kernel {
    mnp__host_object code;
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

enum { INODE_BITS = 64, PATH_SIZE = 32 + 3 * INODE_BITS };

/*
 * Make a path of an open file that differs from the paths of all files that were loaded before.  dlopen() recognises an
 * object by its path: for /proc/self/fd/N it would return an earlier object that had the same N, even after dlclose()
 * if that object has unique symbols.  So the bits of the file's inode number are written into the path as "/" and "./".
 */
static mnp_status path_of(int file, char path[PATH_SIZE])
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return MNP_FAIL(MNP_ERR_MEMORY, "cannot find a kernel in memory again: %s", strerror(errno));
    char *end = path + snprintf(path, PATH_SIZE, "/proc/self/fd/");
    for (int bit = 0; bit < INODE_BITS; bit++)
        end = stpcpy(end, (uint64_t)info.st_ino >> bit & 1 ? "./" : "/");
    snprintf(end, (size_t)(path + PATH_SIZE - end), "%d", file);
    return MNP_OK;
}

static mnp_status load_file(int file, const char *name, const mnp__binary *binary, mnp__host_object *object)
{
    char path[PATH_SIZE];
    MNP_TRY(write_all(file, binary->code, binary->size));
    MNP_TRY(path_of(file, path));
    object->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object->object)
        return MNP_FAIL(MNP_ERR_COMPILE, "cannot load the compiled kernel %s: %s", name, dlerror());
    return MNP_OK;
}

static mnp_status open_object(mnp__host_object *object, const char *name, const mnp__binary *binary)
{
    int file = memfd_create("maniple-kernel", MFD_CLOEXEC);
    if (file < 0)
        return MNP_FAIL(MNP_ERR_MEMORY, "cannot make a file in memory for a kernel: %s", strerror(errno));
    mnp_status st = load_file(file, name, binary, object);
    close(file);
    return st;
}

mnp_status mnp__host_object_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__host_object *object,
                                 mnp__binary *names)
{
    mnp__host_object made = {NULL};
    mnp__compiler *compiler;
    mnp__binary binary;
    MNP_TRY(device->ops->compiler(device, &compiler));
    MNP_TRY(mnp__jit_binary(compiler, spec, &binary));
    mnp_status st = open_object(&made, spec->function, &binary);
    if (st != MNP_OK) {
        mnp__binary_free(&binary);
        return st;
    }
    free(binary.code);
    binary.code = NULL;
    *object = made;
    *names = binary;
    return MNP_OK;
}

void mnp__host_object_free(mnp__host_object *object)
{
    if (object->object)
        dlclose(object->object);
}

mnp_status mnp__host_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__kernel *kernel = NULL;
    mnp__binary names;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *kernel, &kernel));
    MNP_TRY_OR(mnp__host_object_load(device, spec, &kernel->code, &names), st, fail);
    mnp__binary_free(&names);
    void *symbol = dlsym(kernel->code.object, spec->function);
    if (!symbol) {
        st = MNP_FAIL(MNP_ERR_COMPILE, "the compiled kernel has no function '%s': %s", spec->function, dlerror());
        goto fail;
    }
    memcpy(&kernel->function, &symbol,
           sizeof symbol); /* ISO C does not allow a cast from an object pointer to a function pointer */
    *kernel_p = kernel;
    return MNP_OK;
fail:
    mnp__host_kernel_free(device, kernel);
    return st;
}

void mnp__host_kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    if (!kernel)
        return;
    mnp__host_object_free(&kernel->code);
    free(kernel);
}

/* ---- launches ---- */

enum { SHARES_OF_A_THREAD = 64 }; /* of work that is divisible */

static void tell(void *device, double done)
{
    mnp__device_tell(device, done);
}

mnp_status mnp__host_run(mnp__device *device, const mnp__launch *launch,
                         void (*function)(const void *argument, int share, int shares), const void *argument)
{
    mnp__host_device *host = (mnp__host_device *)device;
    const bool divides = launch->divisible && (host->threads > 1 || device->progress);
    const mnp__work work = {
        .function = function,
        .argument = argument,
        .shares = (int)mnp__min(launch->grid[0],
                                mnp__min(MNP__MOST_SHARES, host->threads * (divides ? SHARES_OF_A_THREAD : 1))),
        .progress = divides && device->progress ? tell : NULL,
        .progress_argument = device,
    };
    if (work.shares > 1 && host->threads > 1 && !host->team)
        MNP_TRY(mnp__team_new(host->threads, &host->team));
    mnp__team_run(host->team, &work);
    return MNP_OK;
}

typedef struct call {
    kernel_function function;
    const void *params;
} call;

static void work_on(const void *argument, int share, int shares)
{
    const call *c = argument;
    c->function(c->params, share, shares);
}

mnp_status mnp__host_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                            size_t params_size, mnp__stream *stream)
{
    const call c = {.function = kernel->function, .params = params};
    (void)params_size;
    (void)stream;
    return mnp__host_run(device, launch, work_on, &c);
}
