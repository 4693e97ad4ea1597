/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated GPU, for tests: the host device, but for the library's own kernels, of which it compiles the text for
 * GPUs by the host's compiler, and runs every thread of every block, as fibers (device/host/fibers.h).  So the kernels
 * that a GPU would run are run and tested where there is none, with its barriers, votes and shuffles; not its memory
 * model, as blocks follow one another, nor its speed.
 *
 * The text of a kernel is that of a raw module on the host, with kernels/custom/simulated.h before it.  Where the
 * kernels have instructions of PTX, MNP_PTX is 0, and they do the same in C++.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "device/host/host.h"
#include "kernels/custom/raw_params.h"

/* As of an H200, so that the same kernels are chosen. */
enum { BLOCK_MEMORY = 227 * 1024, MULTIPROCESSORS = 132, CAPABILITY = 9 };

typedef struct simulated {
    mnp__host_device host; /* first, as host.c requires */
    mnp__device_ops ops;   /* the host's, but for those below */
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

/* extern __shared__ T name[] becomes a variable of the thread that runs the block; all of these share one memory. */
static void add_with_shared_memory(mnp__text *text, const char *source)
{
    static const char declared[] = "extern __shared__ ";
    const char *at;
    for (; (at = strstr(source, declared)); source = at) {
        const char *const end = strstr(at, "[]");
        mnp__text_add_bytes(text, source, (size_t)(at - source));
        at += sizeof declared - 1;
        mnp__text_add(text, "extern MNP_DYNAMIC_SHARED %.*s[] __asm__(\"mnp_dynamic_shared\")", (int)(end - at), at);
        at = end + 2;
    }
    mnp__text_add(text, "%s", source);
}

/* The text for the host's compiler of a kernel for GPUs, with what the library finds it by. */
static mnp_status write_text(const mnp__kernel_spec *spec, mnp__text *text)
{
    char *source;
    MNP_TRY(mnp__jit_source(spec, &source));
    mnp__text_add(text, "namespace mnp_simulated\n{\n"); /* some names are also CUDA's words on the host */
    add_with_shared_memory(text, source);
    free(source);
    mnp__text_add(text,
                  "\n}\nextern \"C\" { __attribute__((aligned(16))) __thread char mnp_dynamic_shared[%d]; }\n"
                  "MNP_RAW_EXPORT(%s%s, mnp_simulated::%s)\n",
                  BLOCK_MEMORY, MNP_RAW_ENTRY, spec->function, spec->function);
    return mnp__text_status(text);
}

static mnp_status kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__kernel *kernel;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *kernel, &kernel));
    MNP_TRY_OR(write_text(spec, &text), st, fail);
    const mnp__kernel_spec as_raw = {.file = "custom/simulated.cu",
                                        .function = spec->function,
                                        .defines = "",
                                        .generated = text.data,
                                        .host_options = spec->host_options,
                                        .users = true};
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

static void kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    if (!kernel)
        return;
    mnp__host_module_free(device, kernel->module);
    free(kernel);
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    void *argument = (void *)params;
    (void)params_size;
    return mnp__host_function_launch(device, kernel->function, launch, 0, &argument, stream);
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
    made->ops.kernel_load = kernel_load;
    made->ops.kernel_free = kernel_free;
    made->ops.launch = launch;
    made->ops.share_granularity = share_granularity;
    device->ops = &made->ops;
    device->block_memory = BLOCK_MEMORY;
    *device_p = device;
    return MNP_OK;
}
