/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device that only compiles: what reductions and scans choose for a GPU can be seen, and compiled for the oldest and
 * the newest architecture that we care about, where there is none.
 */
#ifndef TESTS_COMPILE_ONLY_H
#define TESTS_COMPILE_ONLY_H

#include <string.h>

#include "comm/heap.h"
#include "comm/watch.h"
#include "layout/layout.h"

enum { ARCHITECTURES = 2 };

static mnp__compiler *compilers[ARCHITECTURES];
static bool compiled;
static char chosen[128]; /* the kernel of a call, in words, and its grids */

static int defined(const char *defines, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "#define %s ", name);
    const char *at = strstr(defines, line);
    return at ? atoi(at + strlen(line)) : -1;
}

/* What a test writes to `chosen` of a kernel that is asked for. */
static void describe(const mnp__kernel_spec *spec);

static mnp_status load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    char *source;
    (void)device;
    describe(spec);
    MNP_TRY(mnp__jit_source(spec, &source));
    for (int i = 0; i < ARCHITECTURES; i++) {
        mnp__binary binary = {0};
        mnp_status st = compilers[i]->compile(compilers[i], spec, source, &binary);
        mnp__binary_free(&binary);
        compiled = compiled && st == MNP_OK;
        if (st != MNP_OK)
            printf("# %s\n", mnp_error_message());
    }
    free(source);
    *kernel_p = (mnp__kernel *)&compiled; /* anything but NULL */
    return MNP_OK;
}

static void unload(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    (void)kernel;
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *how, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    (void)device;
    (void)kernel;
    (void)params;
    (void)stream;
    snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), " %u", how->grid[0]);
    compiled = compiled && params_size <= 4096;
    return MNP_OK;
}

static mnp_status alloc(mnp__device *device, size_t size, void **pointer_p)
{
    static uintptr_t address = 1 << 20;
    (void)device;
    *pointer_p = (void *)address; /* never looked at */
    address += (size + 255) / 256 * 256;
    return MNP_OK;
}

static void unalloc(mnp__device *device, void *pointer)
{
    (void)device;
    (void)pointer;
}

static mnp_status event_new(mnp__device *device, mnp__device_event **event_p)
{
    (void)device;
    *event_p = NULL;
    return MNP_OK;
}

static void event_free(mnp__device *device, mnp__device_event *event)
{
    (void)device;
    (void)event;
}

static mnp_status event_record(mnp__device *device, mnp__device_event *event, mnp__stream *stream)
{
    (void)device;
    (void)event;
    (void)stream;
    return MNP_OK;
}

static mnp_status event_query(mnp__device *device, mnp__device_event *event, bool *done_p)
{
    (void)device;
    (void)event;
    *done_p = true;
    return MNP_OK;
}

static mnp_status fill(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream)
{
    (void)device;
    (void)dst;
    (void)byte;
    (void)size;
    (void)stream;
    return MNP_OK;
}

static mnp_status copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    (void)device;
    (void)dst;
    (void)src;
    (void)size;
    (void)stream;
    return MNP_OK;
}

static mnp_status info(mnp__device *device, mnp_rank_info *about)
{
    (void)device;
    about->multiprocessors = 132;
    return MNP_OK;
}

/* It shares no memory. */
static size_t share_granularity(mnp__device *device)
{
    (void)device;
    return 0;
}

static const mnp__device_ops ops = {.kind = "none",
                                    .kernel_load = load,
                                    .kernel_free = unload,
                                    .launch = launch,
                                    .fill = fill,
                                    .copy = copy,
                                    .info = info,
                                    .alloc = alloc,
                                    .free = unalloc,
                                    .share_granularity = share_granularity,
                                    .event_new = event_new,
                                    .event_free = event_free,
                                    .event_record = event_record,
                                    .event_query = event_query};
static mnp__device device = {.ops = &ops, .block_memory = 232448};
static mnp_ctx ctx = {.device = &device};

/* An array of that shape, whose only rank has all of it, at an address that nobody looks at. */
static inline mnp_array array_at(uintptr_t address, mnp_dtype dtype, int ndim, const int64_t *shape,
                                 const int64_t *strides)
{
    mnp_array array = {.ctx = &ctx, .dtype = dtype, .local_size = 1, .data = (void *)(4096 + address)};
    if (mnp_layout_replicated(1, ndim, shape, &array.layout) != MNP_OK)
        abort();
    for (int d = 0; d < ndim; d++) {
        array.local_shape[d] = shape[d];
        array.local_strides[d] = strides[d];
        array.local_size *= shape[d];
    }
    return array;
}

/* The next case compiles its kernels anew. */
static void forget(void)
{
    for (int i = 0; i < MNP__NUM_ATTACHMENTS; i++) {
        mnp__attachment *attached = &ctx.attached[i];
        if (attached->data)
            attached->free(&ctx, attached->data);
        attached->data = NULL;
    }
}

/* The main function of a test: run() has its points, and is called if there is a compiler. */
static int run_test(void (*run)(void))
{
    static const int architectures[ARCHITECTURES] = {80, 90};
    int own_rank = 0;
    mnp__peers alone = {.count = 1, .most = 1, .ranks = &own_rank, .mpi = MPI_COMM_SELF};
    mnp__config config;
    MPI_Init(NULL, NULL);
    ctx.comm = (mnp__comm){
        .mpi = MPI_COMM_SELF, .size = 1, .node_size = 1, .ranks_on_device = 1, .device = &device, .peers = &alone};
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    device.config = ctx.comm.config = &config;
    if (!ok(mnp__watch_new(&ctx.comm, &ctx.comm.watch) == MNP_OK && mnp__heap_open(&ctx.comm, &ctx.comm.heap) == MNP_OK,
            "memory of one rank"))
        return done_testing();
    for (int i = 0; i < ARCHITECTURES; i++)
        ok(mnp__nvrtc_new(&config, architectures[i] / 10, architectures[i] % 10, &compilers[i]) == MNP_OK,
           "NVRTC for sm_%d", architectures[i]);
    if (compilers[0] && compilers[1])
        run();
    for (int i = 0; i < ARCHITECTURES; i++)
        mnp__nvrtc_free(compilers[i]);
    mnp__heap_close(ctx.comm.heap);
    mnp__watch_free(ctx.comm.watch);
    mnp__config_free(&config);
    MPI_Finalize();
    return done_testing();
}

#endif
