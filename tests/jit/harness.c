/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compilers of the harness, and its device that only compiles.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "comm/heap.h"
#include "comm/watch.h"
#include "layout/layout.h"
#include "tests/jit/harness.h"

enum { MAX_PARAMETER_BYTES = 4096 }; /* of a launch, in CUDA */

bool has_function(const mnp__binary *binary, const char *function)
{
    char section[256]; /* a function's section is called ".text.NAME" */
    const char *code = binary->code;
    size_t length = (size_t)snprintf(section, sizeof section, ".text.%s", function) + 1; /* with its NUL */
    for (size_t at = 0; at + length <= binary->size; at++)
        if (memcmp(code + at, section, length) == 0)
            return true;
    return false;
}

mnp_status compile_spec(const mnp__compiler *compiler, const mnp__kernel_spec *spec)
{
    mnp__binary binary = {0};
    char *source;
    MNP_TRY(mnp__jit_source(spec, compiler->cuda, &source));
    mnp_status st = compiler->compile(compiler, spec, source, &binary);
    free(source);
    if (st == MNP_OK && !has_function(&binary, spec->function))
        st = MNP_FAIL(MNP_ERR_COMPILE, "the code of %s has no function %s", spec->file, spec->function);
    mnp__binary_free(&binary);
    return st;
}

static bool all_is_tested(void)
{
    const char *full = getenv("MANIPLE_TEST_FULL");
    return full && *full;
}

int next_compilers(mnp__compiler *const **first_p)
{
    static int turn;
    *first_p = gpu.compilers;
    if (all_is_tested())
        return gpu.ncompilers;
    *first_p += turn++ % gpu.ncompilers;
    return 1;
}

/* "NAME value; NAME value" as lines of #define. */
static void add_definitions(const char *definitions, mnp__text *text)
{
    while (definitions && *definitions) {
        size_t length = strcspn(definitions, ";");
        mnp__text_add(text, "#define %.*s\n", (int)length, definitions);
        definitions += length;
        definitions += strspn(definitions, "; ");
    }
}

mnp_status compile_case(const mnp__compiler *compiler, const kernel_case *c)
{
    mnp__text defines = MNP__TEXT_EMPTY;
    add_definitions(c->definitions, &defines);
    mnp_status st = mnp__text_status(&defines);
    if (st == MNP_OK)
        st = compile_spec(compiler, &(mnp__kernel_spec){.file = c->file,
                                                        .function = c->function,
                                                        .defines = mnp__text_string(&defines),
                                                        .generated = c->generated,
                                                        .nvrtc_options = c->options});
    mnp__text_free(&defines);
    return st;
}

int definition(const mnp__kernel_spec *spec, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "#define %s ", name);
    const char *at = strstr(spec->defines, line);
    return at ? atoi(at + strlen(line)) : -1;
}

/* The device's operations.  Those that a GPU would carry out do nothing. */

static mnp_status kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__compiler *const *compiler;
    mnp_status st = MNP_OK;
    (void)device;
    gpu.kernels++;
    if (gpu.describe)
        gpu.describe(spec);
    for (int n = next_compilers(&compiler); n > 0 && st == MNP_OK; n--)
        st = compile_spec(*compiler++, spec);
    if (st == MNP_OK)
        *kernel_p = (mnp__kernel *)&gpu; /* anything but NULL */
    else
        gpu.failures++;
    return st;
}

static void kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    (void)kernel;
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *how, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    size_t length = strlen(gpu.chosen);
    (void)device;
    (void)kernel;
    (void)params;
    (void)stream;
    gpu.launches++;
    gpu.failures += params_size > MAX_PARAMETER_BYTES || how->grid[0] == 0;
    snprintf(gpu.chosen + length, sizeof gpu.chosen - length, " %u", how->grid[0]);
    return MNP_OK;
}

static mnp_status alloc(mnp__device *device, size_t size, void **pointer_p)
{
    static uintptr_t address = 1 << 20;
    (void)device;
    *pointer_p = (void *)address; /* there is no memory behind it */
    address += (size + 255) / 256 * 256;
    return MNP_OK;
}

static void unalloc(mnp__device *device, void *pointer)
{
    (void)device;
    (void)pointer;
}

/* The CPU reads and writes pinned memory. */
static mnp_status alloc_pinned(mnp__device *device, size_t size, void **pointer_p)
{
    (void)device;
    return mnp__calloc(1, size, pointer_p);
}

static void free_pinned(mnp__device *device, void *pointer)
{
    (void)device;
    free(pointer);
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
                                    .kernel_load = kernel_load,
                                    .kernel_free = kernel_free,
                                    .launch = launch,
                                    .fill = fill,
                                    .copy = copy,
                                    .info = info,
                                    .alloc = alloc,
                                    .free = unalloc,
                                    .alloc_pinned = alloc_pinned,
                                    .free_pinned = free_pinned,
                                    .share_granularity = share_granularity,
                                    .event_new = event_new,
                                    .event_free = event_free,
                                    .event_record = event_record,
                                    .event_query = event_query};
struct gpu gpu = {.ctx = {.device = &gpu.device}, .device = {.ops = &ops, .block_memory = 232448}};

void forget_kernels(void)
{
    for (int i = 0; i < MNP__NUM_ATTACHMENTS; i++) {
        mnp__attachment *attached = &gpu.ctx.attached[i];
        if (attached->data)
            attached->free(&gpu.ctx, attached->data);
        attached->data = NULL;
    }
    gpu.kernels = gpu.launches = gpu.failures = 0;
    gpu.chosen[0] = '\0';
}

mnp_array array_without_memory(size_t offset, mnp_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides)
{
    mnp_array array = {.tag = MNP__TAG_array,
                       .ctx = &gpu.ctx,
                       .dtype = dtype,
                       .local_size = 1,
                       .data = (void *)(uintptr_t)(4096 + offset)};
    if (mnp_layout_replicated(1, ndim, shape, &array.layout) != MNP_OK)
        abort();
    for (int d = 0; d < ndim; d++) {
        array.local_shape[d] = shape[d];
        array.local_strides[d] = strides[d];
        array.local_size *= shape[d];
        int at = d; /* as views of dense arrays have it: in the order of strides */
        for (; at > 0 && llabs(strides[array.stored[at - 1]]) < llabs(strides[d]); at--)
            array.stored[at] = array.stored[at - 1];
        array.stored[at] = d;
    }
    return array;
}

#ifdef HAVE_CUDA

static mnp__config config;

/* NVRTC compiles with the fewest optimisations, which NVRTC 13 knows, unless the environment says otherwise. */
static mnp_status compile_quickly(void)
{
    int major, minor;
    MNP_TRY(mnp__nvrtc_version(&major, &minor));
    if (major >= 13)
        setenv("MANIPLE_NVRTC_OPTIONS", "--Ofast-compile=max", 0);
    return MNP_OK;
}

mnp_status open_gpu(int architectures, const char **what_p)
{
    static const int known[ALL_GPUS] = {80, 90};
    static int own_rank;
    static mnp__peers alone = {.count = 1, .most = 1, .ranks = &own_rank};
    *what_p = "the version of NVRTC";
    if (!all_is_tested())
        MNP_TRY(compile_quickly());
    *what_p = "settings";
    MNP_TRY(mnp__config_read(NULL, 0, &config));
    alone.mpi = MPI_COMM_SELF;
    gpu.device.config = &config;
    gpu.ctx.tag = MNP__TAG_ctx;
    gpu.ctx.comm = (mnp__comm){.mpi = MPI_COMM_SELF,
                               .size = 1,
                               .node_size = 1,
                               .ranks_on_device = 1,
                               .device = &gpu.device,
                               .peers = &alone,
                               .config = &config};
    *what_p = "memory of one rank";
    MNP_TRY(mnp__watch_new(&gpu.ctx.comm, &gpu.ctx.comm.watch));
    MNP_TRY(mnp__heap_open(&gpu.ctx.comm, &gpu.ctx.comm.heap));
    *what_p = architectures == ALL_GPUS ? "NVRTC for sm_80 and sm_90" : "NVRTC for sm_80";
    for (; gpu.ncompilers < architectures; gpu.ncompilers++) {
        const int architecture = known[gpu.ncompilers];
        MNP_TRY(mnp__nvrtc_new(&config, architecture / 10, architecture % 10, &gpu.compilers[gpu.ncompilers]));
    }
    return MNP_OK;
}

void close_gpu(void)
{
    forget_kernels();
    while (gpu.ncompilers > 0)
        mnp__nvrtc_free(gpu.compilers[--gpu.ncompilers]);
    mnp__heap_close(gpu.ctx.comm.heap);
    mnp__watch_free(gpu.ctx.comm.watch);
    mnp__config_free(&config);
}

#endif
