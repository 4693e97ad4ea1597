/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host device: it uses the CPU's memory (memory.c), executes everything synchronously, and runs kernels on threads.
 */
#include <config.h>

#include "device/blas.h"
#include "device/host/host.h"
#include "device/lapack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

struct mnp__device_event {
    bool recorded;
    struct timespec time;
};

static void host_close(mnp__device *device)
{
    mnp__host_device *host = (mnp__host_device *)device;
    mnp__team_free(host->team);
    mnp__fibers_free(host->fibers);
    mnp__host_compiler_free(host->compiler);
    mnp__host_pool_close(&host->scratch);
    mnp__host_pool_close(&host->pinned);
    free(host);
}

static mnp_status host_compiler(mnp__device *device, mnp__compiler **compiler_p)
{
    mnp__host_device *host = (mnp__host_device *)device;
    if (!host->compiler)
        MNP_TRY(mnp__host_compiler_new(device->config, &host->compiler));
    *compiler_p = host->compiler;
    return MNP_OK;
}

/* The text after the colon in the first line of a /proc file that begins with `key`; "" if there is no such line. */
static void proc_value(const char *path, const char *key, char *value, size_t room)
{
    char line[512];
    FILE *file = fopen(path, "r");
    *value = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (mnp__text_begins(line, key) && colon) {
            snprintf(value, room, "%s", colon + 1 + strspn(colon + 1, " \t"));
            value[strcspn(value, "\n")] = '\0';
            break;
        }
    }
    if (file)
        fclose(file);
}

void mnp__host_processor(char *name, size_t room)
{
    proc_value("/proc/cpuinfo", "model name", name, room);
}

mnp_status mnp__host_info(mnp__device *device, mnp_rank_info *info)
{
    char value[512];
    mnp__host_processor(value, sizeof value);
    snprintf(info->device, sizeof info->device, "%.95s", *value ? value : "CPU");
    info->device_index = -1;
    info->capability_major = info->capability_minor = 0;
    info->multiprocessors = ((mnp__host_device *)device)->threads;
    const mnp__memory memory = mnp__memory_read("");
    info->memory_free = (int64_t)memory.available;
    info->memory_total = (int64_t)memory.total;
    return MNP_OK;
}

static mnp_status host_identity(mnp__device *device, uint64_t *identity_p)
{
    (void)device;
    *identity_p = 0;
    return MNP_OK;
}

static mnp_status host_link(mnp__device *device, uint64_t identity, mnp_link_info *link)
{
    (void)device;
    (void)identity;
    snprintf(link->name, sizeof link->name, "-");
    return MNP_OK;
}

/* A stream has no state; only its address distinguishes it from NULL. */
static mnp_status host_stream_new(mnp__device *device, bool urgent, mnp__stream **stream_p)
{
    (void)device;
    (void)urgent;
    return mnp__calloc(1, 1, stream_p);
}

static void host_stream_free(mnp__device *device, mnp__stream *stream)
{
    (void)device;
    free(stream);
}

static mnp_status host_event_new(mnp__device *device, mnp__device_event **event_p)
{
    (void)device;
    return mnp__calloc(1, sizeof **event_p, event_p);
}

static void host_event_free(mnp__device *device, mnp__device_event *event)
{
    (void)device;
    free(event);
}

static mnp_status host_event_record(mnp__device *device, mnp__device_event *event, mnp__stream *stream)
{
    (void)device;
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return MNP_OK;
}

static mnp_status host_event_query(mnp__device *device, mnp__device_event *event, bool *done_p)
{
    (void)device;
    (void)event;
    *done_p = true;
    return MNP_OK;
}

static mnp_status host_event_seconds(mnp__device *device, mnp__device_event *first, mnp__device_event *second,
                                     double *seconds_p)
{
    (void)device;
    if (!first->recorded || !second->recorded)
        return MNP_FAIL(MNP_ERR_ARG, "an event was asked for its time before it was recorded");
    *seconds_p = (double)(second->time.tv_sec - first->time.tv_sec) +
                 1e-9 * (double)(second->time.tv_nsec - first->time.tv_nsec);
    return MNP_OK;
}

static mnp_status host_stream_wait(mnp__device *device, mnp__stream *stream, mnp__device_event *event)
{
    (void)device;
    (void)stream;
    (void)event;
    return MNP_OK;
}

typedef struct copy {
    char *dst;
    const char *src;
    size_t size;
} copy;

static void copy_share(const void *argument, int share, int shares)
{
    const copy *c = argument;
    const size_t from = c->size / (size_t)shares * (size_t)share;
    const size_t to = share + 1 < shares ? c->size / (size_t)shares * (size_t)(share + 1) : c->size;
    memcpy(c->dst + from, c->src + from, to - from);
}

/* The threads share what is large, as they do the work of kernels. */
static mnp_status host_copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    enum { LEAST_SHARE = 1 << 20 };
    (void)stream;
    if (size >= 2 * LEAST_SHARE) {
        const copy all = {dst, src, size};
        const size_t most = size / LEAST_SHARE;
        const mnp__launch launch = {.grid = {most < MNP__MOST_SHARES ? (unsigned)most : MNP__MOST_SHARES, 1, 1}};
        return mnp__host_run(device, &launch, copy_share, &all);
    }
    if (size > 0)
        memcpy(dst, src, size);
    return MNP_OK;
}

static mnp_status host_copy_rows(mnp__device *device, void *dst, const void *src, const mnp__row_copy *rows,
                                 mnp__stream *stream)
{
    (void)device;
    (void)stream;
    for (size_t i = 0; i < rows->count; i++)
        memcpy((char *)dst + i * rows->dst_step, (const char *)src + i * rows->src_step, rows->bytes);
    return MNP_OK;
}

static mnp_status host_fill(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream)
{
    (void)device;
    (void)stream;
    if (size > 0)
        memset(dst, byte, size);
    return MNP_OK;
}

static mnp_status host_reaches(mnp__device *device, const void *pointer, bool *reaches_p)
{
    (void)device;
    *reaches_p = pointer != NULL;
    return MNP_OK;
}

static const mnp__device_ops host_ops = {
    .kind = "host",
    .blas = &mnp__host_blas,
    .close = host_close,
    .compiler = host_compiler,
    .info = mnp__host_info,
    .identity = host_identity,
    .link = host_link,
    .alloc = mnp__host_alloc,
    .free = mnp__host_free,
    .alloc_pinned = mnp__host_alloc_pinned,
    .free_pinned = mnp__host_free_pinned,
    .reaches = host_reaches,
    .memory_info = mnp__host_memory_info,
    .memory_trim = mnp__host_memory_trim,
    .memory_limit = mnp__host_memory_limit,
    .share_granularity = mnp__host_share_granularity,
    .share_reserve = mnp__host_share_reserve,
    .share_unreserve = mnp__host_share_unreserve,
    .share_new = mnp__host_share_new,
    .share_map = mnp__host_share_map,
    .share_unmap = mnp__host_share_unmap,
    .stream_new = host_stream_new,
    .stream_free = host_stream_free,
    .event_new = host_event_new,
    .event_free = host_event_free,
    .event_record = host_event_record,
    .event_query = host_event_query,
    .event_seconds = host_event_seconds,
    .stream_wait = host_stream_wait,
    .copy = host_copy,
    .copy_rows = host_copy_rows,
    .fill = host_fill,
    .kernel_load = mnp__host_kernel_load,
    .kernel_free = mnp__host_kernel_free,
    .launch = mnp__host_launch,
    .module_load = mnp__host_module_load,
    .module_free = mnp__host_module_free,
    .module_function = mnp__host_module_function,
    .module_variable = mnp__host_module_variable,
    .function_launch = mnp__host_function_launch,
    .fft_load = mnp__host_fft_load,
    .fft_new = mnp__host_fft_new,
    .fft_execute = mnp__host_fft_execute,
    .fft_free = mnp__host_fft_free,
    .lapack = &mnp__host_lapack,
};

void mnp__host_device_init(const mnp__config *config, int node_size, mnp__host_device *host)
{
    *host = (mnp__host_device){.base = {.ops = &host_ops, .config = config, .index = -1, .cpu_memory = true},
                               .threads = mnp__cores_of_rank(config, node_size)};
    host->scratch.bound = host->pinned.bound = (size_t)mnp__memory_share(node_size);
}

mnp_status mnp__host_device_open(const mnp__config *config, int node_size, mnp__device **device_p)
{
    mnp__host_device *host;
    MNP_TRY(mnp__calloc(1, sizeof *host, &host));
    mnp__host_device_init(config, node_size, host);
    *device_p = &host->base;
    return MNP_OK;
}

/* Called for `maniple info` alone: it starts the compiler, which prints its version. */
int mnp__host_versions(const mnp__config *config, mnp_version_info *versions, int room)
{
    char command[1200];
    if (room < 1)
        return 0;
    mnp_version_info *info = &versions[0];
    info->name = "host C++ compiler";
    snprintf(info->version, sizeof info->version, "not found");
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null",
             strcmp(config->cxx, "auto") == 0 ? MNP_HOST_CXX : config->cxx);
    FILE *pipe = popen(command, "r");
    if (pipe && fgets(info->version, sizeof info->version, pipe))
        info->version[strcspn(info->version, "\n")] = '\0';
    if (pipe)
        pclose(pipe);
    return 1;
}
