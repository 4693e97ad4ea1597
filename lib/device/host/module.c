/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw modules on the host device: CUDA sources that were rewritten for it (lib/jit/raw_host.c).  A launch divides its
 * blocks among the rank's threads.
 */
#include <config.h>

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "device/host/host.h"
#include "kernels/custom/raw_params.h"

typedef struct host_function host_function;

struct host_function {
    mnp__function base; /* first, as device.h requires */
    host_function *next;
    const mnp_raw_entry *entry;
};

struct mnp__module {
    char *name;
    mnp__host_object code;
    mnp__binary names;
    host_function *functions; /* those that were looked up */
};

mnp_status mnp__host_module_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p)
{
    mnp__module *module;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *module, &module));
    MNP_TRY_OR(mnp__strdup(spec->function, &module->name), st, fail);
    MNP_TRY_OR(mnp__host_object_load(device, spec, &module->code, &module->names), st, fail);
    *module_p = module;
    return MNP_OK;
fail:
    mnp__host_module_free(device, module);
    return st;
}

void mnp__host_module_free(mnp__device *device, mnp__module *module)
{
    (void)device;
    if (!module)
        return;
    while (module->functions) {
        host_function *first = module->functions;
        module->functions = first->next;
        free(first);
    }
    mnp__host_object_free(&module->code);
    mnp__binary_free(&module->names);
    free(module->name);
    free(module);
}

/* Find the entry of a name expression or of a function with C linkage; NULL if there is none. */
static const mnp_raw_entry *find_entry(const mnp__module *module, const char *name)
{
    const char *expression = mnp__binary_name(&module->names, name);
    mnp__text symbol = MNP__TEXT_EMPTY;
    mnp__text_add(&symbol, "%s%s", expression ? "" : MNP_RAW_ENTRY, expression ? expression : name);
    const mnp_raw_entry *entry = dlsym(module->code.object, mnp__text_string(&symbol));
    mnp__text_free(&symbol);
    return entry;
}

/* Launches here have the limits of GPUs, so that a launch that works here is not refused there. */
static const mnp__function any_function = {
    .max_threads = 1024,
    .max_dynamic_shared = MNP_RAW_SHARED,
    .max_grid = {2147483647, 65535, 65535},
    .max_block = {1024, 1024, 64},
};

mnp_status mnp__host_module_function(mnp__device *device, mnp__module *module, const char *name,
                                     mnp__function **function_p)
{
    const mnp_raw_entry *entry = find_entry(module, name);
    host_function *function;
    (void)device;
    if (!entry || !entry->run)
        return MNP_FAIL(MNP_ERR_ARG,
                        "module %s has no kernel '%s': there is no function extern \"C\" __global__ of that name, "
                        "nor such a name expression",
                        module->name, name);
    if (entry->nparameters > MNP__MAX_PARAMETERS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "kernel '%s' of module %s has %d parameters, more than %d", name,
                        module->name, entry->nparameters, MNP__MAX_PARAMETERS);
    MNP_TRY(mnp__calloc(1, sizeof *function, &function));
    *function = (host_function){.base = any_function, .next = module->functions, .entry = entry};
    function->base.nparameters = entry->nparameters;
    for (int i = 0; i < entry->nparameters; i++)
        function->base.parameter_sizes[i] = entry->sizes[i];
    module->functions = function;
    *function_p = &function->base;
    return MNP_OK;
}

/* Find a variable of the module itself, not of a library that it uses. */
static bool find_symbol(const mnp__module *module, const char *name, void **pointer_p, size_t *size_p)
{
    struct link_map *map;
    Dl_info place;
    const ElfW(Sym) * symbol;
    void *pointer = dlsym(module->code.object, name);
    if (!pointer || dlinfo(module->code.object, RTLD_DI_LINKMAP, &map) != 0 ||
        !dladdr1(pointer, &place, (void **)&symbol, RTLD_DL_SYMENT) || (ElfW(Addr))place.dli_fbase != map->l_addr ||
        !symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
        return false;
    *pointer_p = pointer;
    *size_p = symbol->st_size;
    return true;
}

mnp_status mnp__host_module_variable(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                     size_t *size_p)
{
    const mnp_raw_entry *entry = mnp__binary_name(&module->names, name) ? find_entry(module, name) : NULL;
    (void)device;
    if (entry && entry->variable) {
        *pointer_p = entry->variable;
        *size_p = (size_t)entry->variable_size;
        return MNP_OK;
    }
    if (!entry && find_symbol(module, name, pointer_p, size_p))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "module %s has no variable '%s'", module->name, name);
}

typedef struct call {
    const mnp_raw_entry *entry;
    mnp_raw_call call;
} call;

static void work_on(const void *argument, int share, int shares)
{
    const call *c = argument;
    c->entry->run(&c->call, share, shares);
}

/* Have fibers for all workers, with blocks of so many threads. */
static mnp_status need_fibers(mnp__host_device *host, unsigned threads)
{
    if (mnp__fibers_threads(host->fibers) >= threads)
        return MNP_OK;
    mnp__fibers_free(host->fibers);
    host->fibers = NULL;
    return mnp__fibers_new(host->threads, threads, &host->fibers);
}

mnp_status mnp__host_function_launch(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                     size_t shared_bytes, void *const *arguments, mnp__stream *stream)
{
    mnp__host_device *host = (mnp__host_device *)device;
    call c = {.entry = ((host_function *)function)->entry, .call = {.arguments = arguments}};
    (void)shared_bytes;
    (void)stream;
    memcpy(c.call.grid, launch->grid, sizeof c.call.grid);
    memcpy(c.call.block, launch->block, sizeof c.call.block);
    if (c.entry->meets) {
        MNP_TRY(need_fibers(host, launch->block[0] * launch->block[1] * launch->block[2]));
        c.call.blocks = mnp__fibers_blocks(host->fibers);
    }
    return mnp__host_run(device, &(mnp__launch){.grid = {MNP__MOST_THREADS, 1, 1}}, work_on, &c);
}
