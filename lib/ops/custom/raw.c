/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw modules: the user's CUDA sources, and launches of their kernels on this rank's blocks.
 *
 * Every launch is checked against the limits of the kernel and the device, so that a mistake gives a message with
 * numbers instead of an error of the device.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/kernel.h>

#include "array/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "ops/custom/custom.h"

struct mnp_raw_kernel {
    unsigned tag; /* MNP__TAG_raw_kernel: see base/call.h */
    mnp_raw_kernel *next;
    mnp_raw_module *module;
    char *name;
    mnp__function *function;
};

struct mnp_raw_module {
    unsigned tag; /* MNP__TAG_raw_module: see base/call.h */
    mnp_ctx *ctx;
    char *name;
    mnp__module *code;
    mnp_raw_kernel *kernels; /* those that the user has looked up */
};

/* ---- modules ---- */

mnp_status mnp__check_identifier(const char *function, const char *what, const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length == 0 || name[length] || isdigit((unsigned char)name[0]))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is '%s', which is not an identifier", function, what, name);
    return MNP_OK;
}

static mnp_status load_module(mnp_raw_module *module, const mnp__kernel_spec *spec)
{
    MNP_TRY(mnp__strdup(spec->function, &module->name));
    return mnp__device_load_module(module->ctx->device, spec, &module->code);
}

/* Write what a module is compiled from.  Its source is a file of its own, so that compilers count lines from 1. */
static mnp_status write_spec(const char *source, const mnp_raw_module_options *options, mnp__text *text,
                             char **host_options_p, mnp__kernel_spec *spec)
{
    const char *nvrtc_options = options->nvrtc_options ? options->nvrtc_options : "";
    char *common;
    mnp__text host = MNP__TEXT_EMPTY;
    mnp__text_add(text, "#line 1 \"%s.cu\"\n%s\n", options->name, source);
    MNP_TRY(mnp__text_status(text));
    MNP_TRY(mnp__jit_common_options(nvrtc_options, &common));
    mnp__text_add(&host, "-fno-semantic-interposition -fopenmp-simd %s", common); /* threads become a loop */
    free(common);
    *host_options_p = host.data;
    MNP_TRY(mnp__text_status(&host));
    *spec = (mnp__kernel_spec){.file = "custom/raw.cu",
                               .function = options->name,
                               .defines = "",
                               .generated = text->data,
                               .nvrtc_options = nvrtc_options,
                               .host_options = *host_options_p,
                               .users = true,
                               .raw = true,
                               .name_expressions = options->name_expressions};
    return MNP_OK;
}

static uint64_t hash_of(const char *source, const mnp_raw_module_options *options)
{
    uint64_t hash = mnp__hash(MNP__HASH_START, source, strlen(source));
    if (options->nvrtc_options)
        hash = mnp__hash(hash, options->nvrtc_options, strlen(options->nvrtc_options));
    for (const char *const *name = options->name_expressions; name && *name; name++)
        hash = mnp__hash(hash, *name, strlen(*name) + 1);
    return hash;
}

mnp_status mnp_raw_module_new(mnp_ctx *ctx, const char *source, const mnp_raw_module_options *options,
                              mnp_raw_module **module_p)
{
    MNP_ENTER(ctx, source, module_p);
    mnp_raw_module_options all = options ? *options : (mnp_raw_module_options){.name = NULL};
    mnp_raw_module *module = NULL;
    mnp__text text = MNP__TEXT_EMPTY;
    char *host_options = NULL;
    mnp__kernel_spec spec;
    all.name = all.name ? all.name : "module";
    MNP_TRY(mnp__check_identifier("mnp_raw_module_new", "the name", all.name));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_raw_module_new", hash_of(source, &all)));
    mnp_status st = mnp__calloc(1, sizeof *module, &module);
    if (st == MNP_OK) {
        module->tag = MNP__TAG_raw_module;
        module->ctx = ctx;
        mnp__ctx_made(ctx, module);
        st = write_spec(source, &all, &text, &host_options, &spec);
    }
    if (st == MNP_OK)
        st = load_module(module, &spec);
    free(host_options);
    mnp__text_free(&text);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *module_p = module;
    else
        mnp_raw_module_free(module);
    return st;
}

void mnp_raw_module_free(mnp_raw_module *module)
{
    if (!module)
        return;
    MNP_NEED_OR(, module);
    mnp__device *device = module->ctx->device;
    while (module->kernels) {
        mnp_raw_kernel *first = module->kernels;
        module->kernels = first->next;
        free(first->name);
        mnp__object_free(first);
    }
    device->ops->module_free(device, module->code);
    mnp__ctx_gone(module->ctx, module);
    free(module->name);
    mnp__object_free(module);
}

mnp_status mnp_raw_module_kernel(mnp_raw_module *module, const char *name, mnp_raw_kernel **kernel_p)
{
    MNP_ENTER(module, name, kernel_p);
    mnp__device *device = module->ctx->device;
    mnp_raw_kernel *kernel = module->kernels;
    mnp_status st;
    while (kernel && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    if (kernel) {
        *kernel_p = kernel;
        return MNP_OK;
    }
    MNP_TRY(mnp__calloc(1, sizeof *kernel, &kernel));
    kernel->tag = MNP__TAG_raw_kernel;
    kernel->module = module;
    MNP_TRY_OR(mnp__strdup(name, &kernel->name), st, fail);
    MNP_TRY_OR(device->ops->module_function(device, module->code, name, &kernel->function), st, fail);
    kernel->next = module->kernels;
    module->kernels = kernel;
    *kernel_p = kernel;
    return MNP_OK;
fail:
    free(kernel->name);
    free(kernel);
    return st;
}

/* ---- variables ---- */

mnp_status mnp_raw_module_variable(mnp_raw_module *module, const char *name, void **pointer_p, size_t *size_p)
{
    MNP_ENTER(module, name);
    mnp__device *device = module->ctx->device;
    void *pointer;
    size_t size;
    MNP_TRY(device->ops->module_variable(device, module->code, name, &pointer, &size));
    if (pointer_p)
        *pointer_p = pointer;
    if (size_p)
        *size_p = size;
    return MNP_OK;
}

mnp_status mnp_raw_module_set(mnp_raw_module *module, const char *name, const void *data, size_t size)
{
    MNP_ENTER(module, name);
    MNP_NEED_IF(size > 0, data);
    mnp_ctx *ctx = module->ctx;
    void *pointer;
    size_t room;
    MNP_TRY(mnp_raw_module_variable(module, name, &pointer, &room));
    if (size > room)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_raw_module_set: %zu bytes are more than the %zu of variable '%s' of module %s", size, room,
                        name, module->name);
    MNP_TRY(ctx->device->ops->copy(ctx->device, pointer, data, size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* ---- kernels ---- */

mnp_status mnp_raw_kernel_get_info(const mnp_raw_kernel *kernel, mnp_raw_kernel_info *info)
{
    MNP_ENTER(kernel, info);
    const mnp__function *function = kernel->function;
    *info = (mnp_raw_kernel_info){.max_threads = function->max_threads,
                                  .registers = function->registers,
                                  .parameters = function->nparameters,
                                  .shared_bytes = function->shared_bytes,
                                  .max_dynamic_shared = function->max_dynamic_shared,
                                  .local_bytes = function->local_bytes};
    return MNP_OK;
}

/* Copy an extent along x, y and z; 0 means 1 along y and z. */
static void complete(const unsigned given[3], unsigned extent[3])
{
    for (int d = 0; d < 3; d++)
        extent[d] = given[d] == 0 && d > 0 ? 1 : given[d];
}

static mnp_status check_extent(const mnp_raw_kernel *kernel, const char *what, const unsigned extent[3],
                               const unsigned most[3])
{
    for (int d = 0; d < 3; d++) {
        if (extent[d] < 1 || extent[d] > most[d])
            return MNP_FAIL(MNP_ERR_ARG, "kernel '%s': the %s is %u x %u x %u, and should be 1 to %u along %c",
                            kernel->name, what, extent[0], extent[1], extent[2], most[d], "xyz"[d]);
    }
    return MNP_OK;
}

static mnp_status check_launch(const mnp_raw_kernel *kernel, const mnp__launch *launch, size_t shared_bytes)
{
    const mnp__function *function = kernel->function;
    const unsigned *block = launch->block;
    MNP_TRY(check_extent(kernel, "grid", launch->grid, function->max_grid));
    MNP_TRY(check_extent(kernel, "block", block, function->max_block));
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > (uint64_t)function->max_threads)
        return MNP_FAIL(MNP_ERR_ARG,
                        "kernel '%s': a block of %u x %u x %u is %" PRIu64 " threads, and this kernel can have %d "
                        "here",
                        kernel->name, block[0], block[1], block[2], threads, function->max_threads);
    if (shared_bytes > function->max_dynamic_shared)
        return MNP_FAIL(MNP_ERR_ARG,
                        "kernel '%s': %zu bytes of dynamic shared memory are more than the %zu that a block can "
                        "have here beside the kernel's own %zu",
                        kernel->name, shared_bytes, function->max_dynamic_shared, function->shared_bytes);
    return MNP_OK;
}

/* Find the address and size of an argument's value; the value of an array is its pointer, stored in *pointer. */
static mnp_status resolve_argument(const mnp_raw_kernel *kernel, int i, const mnp_argument *argument,
                                   const void **pointer, const void **address_p, size_t *size_p)
{
    if (argument->size > 0) {
        *address_p = argument->bytes ? argument->bytes : &argument->value;
        *size_p = argument->size;
        return argument->bytes || argument->size <= sizeof argument->value
                   ? MNP_OK
                   : MNP_FAIL(MNP_ERR_ARG, "kernel '%s': argument %d has no bytes", kernel->name, i + 1);
    }
    if (!argument->array || mnp__array_is_scalar(argument->array))
        return MNP_FAIL(MNP_ERR_ARG, "kernel '%s': argument %d is %s, not an array with memory", kernel->name, i + 1,
                        argument->array ? "a scalar" : "NULL");
    if (argument->array->ctx != kernel->module->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "kernel '%s': argument %d is an array of another context", kernel->name, i + 1);
    *pointer = argument->array->data;
    *address_p = pointer;
    *size_p = sizeof *pointer;
    return MNP_OK;
}

mnp_status mnp_raw_kernel_launch(mnp_raw_kernel *kernel, const mnp_launch *launch, int nargs, const mnp_argument *args)
{
    MNP_ENTER(kernel, launch);
    mnp_ctx *ctx = kernel->module->ctx;
    const mnp__function *function = kernel->function;
    const void *addresses[MNP__MAX_PARAMETERS], *pointers[MNP__MAX_PARAMETERS];
    mnp__launch extents;
    complete(launch->grid, extents.grid);
    complete(launch->block, extents.block);
    MNP_TRY(check_launch(kernel, &extents, launch->shared_bytes));
    if (nargs < 0 || nargs > MNP__MAX_PARAMETERS || (function->nparameters >= 0 && nargs != function->nparameters))
        return MNP_FAIL(MNP_ERR_ARG, "kernel '%s' takes %d arguments, and was given %d", kernel->name,
                        function->nparameters, nargs);
    for (int i = 0; i < nargs; i++) {
        size_t size = 0;
        MNP_TRY(resolve_argument(kernel, i, &args[i], &pointers[i], &addresses[i], &size));
        if (function->nparameters >= 0 && size != function->parameter_sizes[i])
            return MNP_FAIL(MNP_ERR_ARG, "kernel '%s': argument %d has %zu bytes, and the parameter %zu", kernel->name,
                            i + 1, size, function->parameter_sizes[i]);
    }
    mnp__stream *stream = launch->stream ? (mnp__stream *)launch->stream : ctx->compute;
    return ctx->device->ops->function_launch(ctx->device, kernel->function, &extents, launch->shared_bytes,
                                             (void *const *)addresses, stream);
}

void *mnp_ctx_stream(mnp_ctx *ctx)
{
    MNP_NEED_OR(NULL, ctx);
    return ctx->device->index < 0 ? NULL : (void *)ctx->compute;
}
