/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated GPU, for tests: the host device, but for the library's own kernels, of which it compiles the text for
 * GPUs by the host's compiler, and runs every thread of every block, as fibers (device/host/fibers.h).  So the kernels
 * that a GPU would run are run and tested where there is none, with its barriers, votes and shuffles; not its memory
 * model, as blocks follow one another, nor its speed.  The libraries of CUDA are not simulated, but the host's are used;
 * they also multiply int8, as cuBLAS does.
 *
 * The text of a kernel is that of a raw module on the host, with kernels/custom/simulated.h before it.  Where the
 * kernels have instructions of PTX, MNP_PTX is 0, and they do the same in C++.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "device/blas.h"
#include "device/host/host.h"
#include "kernels/custom/raw_params.h"

/* As of an H200, so that the same kernels are chosen. */
enum { BLOCK_MEMORY = 227 * 1024, MULTIPROCESSORS = 132, CAPABILITY = 9, MOST_PARAMETERS = 4096 };
static const char block_memory_too[] = "#define MNP_BLOCK_MEMORY (227 * 1024)\n"; /* for the kernels */

typedef struct simulated {
    mnp__host_device host; /* first, as host.c requires */
    mnp__device_ops ops;   /* the host's, but for those below */
    mnp__blas_ops blas;
    void (*close_host)(mnp__device *device);
    mnp__compiler *nvrtc; /* of MANIPLE_SIMULATED_NVRTC, or NULL */
} simulated;

struct mnp__kernel {
    mnp__module *module;
    mnp__function *function;
};

static mnp_status info(mnp__device *device, mnp_rank_info *info)
{
    MNP_TRY(mnp__host_info(device, info));
    info->multiprocessors = MULTIPROCESSORS;
    info->capability_major = CAPABILITY;
    return MNP_OK;
}

/* ---- NVRTC, which refuses what the host's compiler takes ---- */

static void open_nvrtc(const mnp__config *config, simulated *self)
{
    if (strcmp(config->simulated_nvrtc, "1") != 0)
        return;
#ifdef HAVE_CUDA
    const mnp_status st = mnp__nvrtc_new(config, CAPABILITY, 0, &self->nvrtc);
#else
    (void)self;
    const mnp_status st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "this Maniple was built without CUDA");
#endif
    if (st != MNP_OK)
        MNP_LOG(&config->logger, MNP_LOG_WARN, "kernels are not compiled for a GPU: %s", mnp_error_message());
}

/* Compile for a GPU too, where that is wanted. */
static mnp_status compile_for_gpu(mnp__device *device, const mnp__kernel_spec *spec)
{
    const simulated *self = (const simulated *)device;
    mnp__binary binary;
    if (!self->nvrtc)
        return MNP_OK;
    MNP_TRY(mnp__jit_binary(self->nvrtc, spec, &binary));
    mnp__binary_free(&binary);
    return MNP_OK;
}

static void close_device(mnp__device *device)
{
    simulated *self = (simulated *)device;
#ifdef HAVE_CUDA
    mnp__nvrtc_free(self->nvrtc);
#endif
    self->close_host(device);
}

/* ---- kernels ---- */

/*
 * extern __shared__ T name[] becomes, outside functions, a variable of the thread that runs the block, and in them a
 * pointer; all of these share one memory.
 */
static void add_with_shared_memory(mnp__text *text, const char *source)
{
    static const char declared[] = "extern __shared__ ", memory[] = "mnp_dynamic_shared";
    for (const char *at = source; (at = strstr(at, declared)); source = at) {
        const char *const type = at + sizeof declared - 1, *const end = strstr(type, "[]");
        const char *name = end;
        while (mnp__is_in_name(name[-1]))
            name--;
        mnp__text_add_bytes(text, source, (size_t)(at - source));
        if (at[-1] == '\n')
            mnp__text_add(text, "extern MNP_DYNAMIC_SHARED %.*s[] __asm__(\"%s\")", (int)(end - type), type, memory);
        else
            mnp__text_add(text, "%.*s *const %.*s = (decltype(%.*s))(void *)%s", (int)(name - type), type,
                          (int)(end - name), name, (int)(end - name), name, memory);
        at = end + 2;
    }
    mnp__text_add(text, "%s", source);
}

/* The text for the host's compiler of a kernel for GPUs, with what the library finds it by. */
static mnp_status write_text(const mnp__kernel_spec *spec, mnp__text *text)
{
    char *source;
    MNP_TRY(mnp__jit_source(spec, true, &source));
    add_with_shared_memory(text, source);
    free(source);
    mnp__text_add(text, "\n}\nMNP_RAW_EXPORT(%s%s, mnp_simulated::%s)\n", MNP_RAW_ENTRY, spec->function,
                  spec->function);
    return mnp__text_status(text);
}

/* What the host's compiler is given of such a text. */
static mnp__kernel_spec raw_spec(const mnp__kernel_spec *spec, const mnp__text *text)
{
    return (mnp__kernel_spec){.file = "custom/simulated.cu",
                              .function = spec->function,
                              .defines = block_memory_too,
                              .generated = text->data,
                              .host_options = spec->host_options,
                              .users = true};
}

static mnp_status kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__kernel *kernel;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *kernel, &kernel));
    if (spec->shared_bytes > BLOCK_MEMORY)
        MNP_TRY_OR(MNP_FAIL(MNP_ERR_DEVICE, "%s needs %zu bytes of shared memory, and a block of a GPU has %d",
                            spec->function, spec->shared_bytes, BLOCK_MEMORY),
                   st, fail);
    MNP_TRY_OR(compile_for_gpu(device, spec), st, fail);
    MNP_TRY_OR(write_text(spec, &text), st, fail);
    const mnp__kernel_spec as_raw = raw_spec(spec, &text);
    MNP_TRY_OR(mnp__host_module_load(device, &as_raw, &kernel->module), st, fail);
    MNP_TRY_OR(mnp__host_module_function(device, kernel->module, spec->function, &kernel->function), st, fail);
    mnp__text_free(&text);
    *kernel_p = kernel;
    return MNP_OK;
fail:
    mnp__text_free(&text);
    mnp__host_module_free(device, kernel->module);
    free(kernel);
    return st;
}

/* Not by NVRTC, which is the test's. */
static mnp_status kernel_ahead(mnp__device *device, const mnp__kernel_spec *spec)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__compiler *compiler;
    mnp_status st;
    MNP_TRY_OR(device->ops->compiler(device, &compiler), st, done);
    MNP_TRY_OR(write_text(spec, &text), st, done);
    const mnp__kernel_spec as_raw = raw_spec(spec, &text);
    mnp__jit_ahead(compiler, device->cores, &as_raw);
done:
    mnp__text_free(&text);
    return st;
}

static void kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    if (!kernel)
        return;
    mnp__host_module_free(device, kernel->module);
    free(kernel);
}

/* A launch that a GPU would refuse. */
static mnp_status check_launch(const mnp__function *function, const mnp__launch *launch, size_t params_size)
{
    const unsigned *grid = launch->grid, *block = launch->block, *most = function->max_grid;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    bool good = threads > 0 && threads <= (uint64_t)function->max_threads && params_size <= MOST_PARAMETERS;
    for (int d = 0; d < 3; d++)
        good = good && grid[d] <= most[d] && block[d] <= function->max_block[d];
    return good ? MNP_OK
                : MNP_FAIL(MNP_ERR_DEVICE,
                           "a GPU launches no %u x %u x %u blocks of %u x %u x %u threads with %zu bytes of parameters",
                           grid[0], grid[1], grid[2], block[0], block[1], block[2], params_size);
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    void *argument = (void *)params;
    MNP_TRY(check_launch(kernel->function, launch, params_size));
    return mnp__host_function_launch(device, kernel->function, launch, 0, &argument, stream);
}

/* A module of the user's, whose errors are those of the host. */
static mnp_status module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p)
{
    mnp__module *module;
    MNP_TRY(mnp__host_module_load(device, spec, &module));
    const mnp_status st = compile_for_gpu(device, spec);
    if (st == MNP_OK)
        *module_p = module;
    else
        mnp__host_module_free(device, module);
    return st;
}

/* ---- memory and BLAS ---- */

/* As of a GPU, a limit is for the bytes in use, wherever they lie, and what is in new memory is nothing to count on. */
static mnp_status alloc(mnp__device *device, size_t size, void **pointer_p)
{
    mnp_memory_pool_info pool;
    MNP_TRY(mnp__host_memory_info(device, MNP_MEMORY_SCRATCH, &pool));
    if (pool.limit > 0 && pool.used + (int64_t)size > pool.limit)
        return mnp__memory_full("a block of device memory", size, (uint64_t)pool.used, (uint64_t)pool.limit,
                                "the limit of mnp_memory_set_limit()");
    MNP_TRY(mnp__host_alloc(device, size, pointer_p));
    if (size > 0)
        memset(*pointer_p, 0xff, size);
    return MNP_OK;
}

static bool takes(mnp__device *device, mnp_dtype dtype)
{
    return dtype == MNP_INT8 || mnp__host_blas.takes(device, dtype);
}

/* A transposed matrix times another, of int8, as device/blas.h allows it; alpha is 1, and beta 0 or 1. */
static void multiply_int8(const mnp__gemm *g, const int8_t *a, const int8_t *b, int32_t *c)
{
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->m; i++) {
            int32_t sum = g->beta[0] != 0 ? c[i + j * g->ldc] : 0;
            for (int64_t p = 0; p < g->k; p++)
                sum += a[p + i * g->lda] * b[p + j * g->ldb];
            c[i + j * g->ldc] = sum;
        }
}

static mnp_status gemm(mnp__device *device, const mnp__gemm *g, mnp__stream *stream)
{
    if (g->dtype != MNP_INT8)
        return mnp__host_blas.gemm(device, g, stream);
    for (int64_t i = 0; i < g->batch; i++)
        multiply_int8(g, (const int8_t *)g->a + i * g->stride_a, (const int8_t *)g->b + i * g->stride_b,
                      (int32_t *)g->c + i * g->stride_c);
    return MNP_OK;
}

/* Ranks do not map each other's memory: a kernel that waits for another rank's would have to run beside it. */
static size_t share_granularity(mnp__device *device)
{
    (void)device;
    return 0;
}

mnp_status mnp__simulated_device_open(const mnp__config *config, int node_size, mnp__device **device_p)
{
    simulated *made;
    MNP_TRY(mnp__calloc(1, sizeof *made, &made));
    mnp__host_device_init(config, node_size, &made->host);
    mnp__device *device = &made->host.base;
    made->ops = *device->ops;
    made->ops.kind = "simulated";
    made->ops.info = info;
    made->close_host = device->ops->close;
    made->ops.close = close_device;
    made->ops.alloc = alloc;
    made->ops.kernel_load = kernel_load;
    made->ops.kernel_ahead = kernel_ahead;
    made->ops.kernel_free = kernel_free;
    made->ops.module_load = module_load;
    made->ops.launch = launch;
    made->ops.share_granularity = share_granularity;
    open_nvrtc(config, made);
    made->blas = mnp__host_blas;
    made->blas.takes = takes;
    made->blas.gemm = gemm;
    made->ops.blas = &made->blas;
    device->ops = &made->ops;
    device->block_memory = BLOCK_MEMORY;
    device->cpu_memory = false;
    *device_p = device;
    return MNP_OK;
}
