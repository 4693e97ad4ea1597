/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device of a rehearsal: the host device, but for kernels, which are compiled ahead for another device and never
 * run.  What depends on the hardware is as on the other device, so that the same kernels are asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/blas.h"
#include "device/host/host.h"

typedef struct rehearsal {
    mnp__host_device host; /* first, as host.c requires */
    mnp__device *other;
    mnp__device_ops ops; /* the host's, but for those below */
    mnp__blas_ops blas;
} rehearsal;

/* What a rehearsal may need, so that a mistake in it does not take the machine's memory. */
static const size_t most_memory = (size_t)256 << 20;

struct mnp__kernel {
    char nothing;
};

static mnp_status info(mnp__device *device, mnp_rank_info *info)
{
    mnp__device *other = ((rehearsal *)device)->other;
    return other->ops->info(other, info);
}

/* All that is computed would be 0, so that sizes, counts and indices that are read from the device are in range. */
static mnp_status alloc(mnp__device *device, size_t size, void **pointer_p)
{
    MNP_TRY(mnp__host_alloc(device, size, pointer_p));
    if (size > 0)
        memset(*pointer_p, 0, size);
    return MNP_OK;
}

static mnp_status alloc_pinned(mnp__device *device, size_t size, void **pointer_p)
{
    MNP_TRY(mnp__host_alloc_pinned(device, size, pointer_p));
    if (size > 0)
        memset(*pointer_p, 0, size);
    return MNP_OK;
}

static mnp_status compile_ahead(mnp__device *device, const mnp__kernel_spec *spec)
{
    mnp__device *other = ((rehearsal *)device)->other;
    mnp__compiler *compiler;
    MNP_TRY(other->ops->compiler(other, &compiler));
    mnp__jit_ahead(compiler, other->cores, spec);
    return MNP_OK;
}

static mnp_status kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__kernel *kernel;
    mnp__device *other = ((rehearsal *)device)->other;
    MNP_TRY(mnp__calloc(1, sizeof *kernel, &kernel));
    mnp_status st = other->ops->kernel_ahead ? other->ops->kernel_ahead(other, spec) : compile_ahead(device, spec);
    if (st == MNP_OK)
        *kernel_p = kernel;
    else
        free(kernel);
    return st;
}

static void kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    free(kernel);
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    (void)device;
    (void)kernel;
    (void)launch;
    (void)params;
    (void)params_size;
    (void)stream;
    return MNP_OK;
}

static mnp_status blas_need(mnp__device *device, const char *function)
{
    (void)device;
    (void)function;
    return MNP_OK;
}

static mnp_status gemm(mnp__device *device, const mnp__gemm *gemm, mnp__stream *stream)
{
    (void)device;
    (void)gemm;
    (void)stream;
    return MNP_OK;
}

static mnp_status trsm(mnp__device *device, const mnp__trsm *trsm, mnp__stream *stream)
{
    (void)device;
    (void)trsm;
    (void)stream;
    return MNP_OK;
}

/* What a raw module contains is known only when it is compiled. */
static mnp_status module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p)
{
    (void)module_p;
    MNP_TRY(compile_ahead(device, spec));
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "in a rehearsal module %s is compiled, but cannot be used", spec->function);
}

mnp_status mnp__rehearsal_device_open(const mnp__config *config, mnp__device *other, mnp__device **device_p)
{
    rehearsal *r;
    MNP_TRY(mnp__calloc(1, sizeof *r, &r));
    mnp__host_device_init(config, 1, &r->host);
    r->host.scratch.limit = r->host.pinned.limit = most_memory;
    mnp__device *device = &r->host.base;
    r->other = other;
    r->ops = *device->ops;
    r->ops.info = info;
    r->ops.alloc = alloc;
    r->ops.alloc_pinned = alloc_pinned;
    r->ops.kernel_load = kernel_load;
    r->ops.kernel_free = kernel_free;
    r->ops.launch = launch;
    r->ops.module_load = module_load;
    r->blas = (mnp__blas_ops){.need = blas_need, .takes = other->ops->blas->takes, .gemm = gemm, .trsm = trsm};
    r->ops.blas = &r->blas;
    device->ops = &r->ops;
    device->cpu_memory = other->cpu_memory;
    device->has_loops = other->has_loops;
    device->cores = other->cores;
    device->memory = (int64_t)most_memory;
    device->block_memory = other->block_memory;
    device->rehearses = true;
    *device_p = device;
    return MNP_OK;
}
