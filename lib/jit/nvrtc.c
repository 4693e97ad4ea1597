/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compiler of the CUDA device: NVRTC, which makes a cubin for one architecture.  It needs no GPU.
 *
 * A cubin also runs on GPUs of the same major and a higher minor compute capability.  So if a GPU is newer than this
 * NVRTC in its minor number only, code is compiled for the nearest lower architecture.
 */
#include <config.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda.h>
#include <nvrtc.h>

#include "base/log.h"
#include "base/process/library.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/cache.h"
#include "jit/jit.h"

typedef struct nvrtc_compiler {
    mnp__compiler base;
    mnp__text identity;
    char target[16];
    char *options; /* options for every kernel, separated by spaces */
} nvrtc_compiler;

/* The options of one compilation, as NVRTC takes them. */
typedef struct option_list {
    char *text; /* the words point into this text */
    const char **words;
    int count;
} option_list;

/* The functions of NVRTC, which is loaded when the first compiler is made. */
#define NVRTC_FUNCTIONS(X)                                                                                             \
    X(nvrtcAddNameExpression)                                                                                          \
    X(nvrtcCompileProgram)                                                                                             \
    X(nvrtcCreateProgram)                                                                                              \
    X(nvrtcDestroyProgram)                                                                                             \
    X(nvrtcGetCUBIN)                                                                                                   \
    X(nvrtcGetCUBINSize)                                                                                               \
    X(nvrtcGetErrorString)                                                                                             \
    X(nvrtcGetLoweredName)                                                                                             \
    X(nvrtcGetNumSupportedArchs)                                                                                       \
    X(nvrtcGetProgramLog)                                                                                              \
    X(nvrtcGetProgramLogSize)                                                                                          \
    X(nvrtcGetSupportedArchs)                                                                                          \
    X(nvrtcVersion)
static struct {
    NVRTC_FUNCTIONS(MNP__LIBRARY_FIELD)
} nvrtc;

/* The library is named after the version of CUDA that this was compiled with. */
static mnp_status load_nvrtc(void)
{
    static const char *const names[] = {NVRTC_FUNCTIONS(MNP__LIBRARY_NAME)};
    static void *library;
    char file[32] = "libnvrtc.so.11.2";
    if (CUDA_VERSION >= 12000)
        snprintf(file, sizeof file, "libnvrtc.so.%d", CUDA_VERSION / 1000);
    return mnp__library_load(&library, file, names, sizeof names / sizeof *names, &nvrtc);
}

/* A call that fails only if something is wrong with NVRTC itself. */
#define NVRTC(function, ...) nvrtc_status(nvrtc.function(__VA_ARGS__), #function, __LINE__, __func__)

static mnp_status nvrtc_status(nvrtcResult result, const char *call, int line, const char *caller)
{
    if (result == NVRTC_SUCCESS)
        return MNP_OK;
    return mnp__fail(MNP_ERR_COMPILE, __FILE__, line, caller, "%s: %s", call, nvrtc.nvrtcGetErrorString(result));
}

/* Read the compiler's messages about a program, malloc'ed; "" if there are none. */
static mnp_status read_log(nvrtcProgram program, char **log_p)
{
    size_t size = 0;
    char *log;
    MNP_TRY(NVRTC(nvrtcGetProgramLogSize, program, &size));
    MNP_TRY(mnp__calloc(size + 1, 1, &log));
    mnp_status st = size > 0 ? NVRTC(nvrtcGetProgramLog, program, log) : MNP_OK;
    if (st != MNP_OK) {
        free(log);
        return st;
    }
    *log_p = log;
    return MNP_OK;
}

static mnp_status read_cubin(nvrtcProgram program, mnp__binary *binary)
{
    MNP_TRY(NVRTC(nvrtcGetCUBINSize, program, &binary->size));
    MNP_TRY(mnp__malloc(binary->size, &binary->code));
    return NVRTC(nvrtcGetCUBIN, program, binary->code);
}

/* Store the pairs of name expressions and their names in the code. */
static mnp_status read_names(nvrtcProgram program, const char *const *expressions, mnp__binary *binary)
{
    mnp__text names = MNP__TEXT_EMPTY;
    for (; expressions && *expressions; expressions++) {
        const char *lowered = NULL;
        mnp_status st = NVRTC(nvrtcGetLoweredName, program, *expressions, &lowered);
        if (st != MNP_OK) {
            mnp__text_free(&names);
            return mnp__fail_context(st, "name expression '%s'", *expressions);
        }
        mnp__text_add_bytes(&names, *expressions, strlen(*expressions) + 1);
        mnp__text_add_bytes(&names, lowered, strlen(lowered) + 1);
    }
    binary->names = names.data;
    binary->names_size = names.length;
    return mnp__text_status(&names);
}

/* Split options at spaces. */
static mnp_status split_options(const char *text, option_list *list)
{
    MNP_TRY(mnp__strdup(text, &list->text));
    MNP_TRY(mnp__calloc(strlen(text) / 2 + 1, sizeof *list->words, &list->words));
    char *state = NULL;
    for (char *word = strtok_r(list->text, " \t\n", &state); word; word = strtok_r(NULL, " \t\n", &state))
        list->words[list->count++] = word;
    return MNP_OK;
}

/* Collect the options of every kernel and of this one, which may choose another version of C++. */
static mnp_status collect_options(const nvrtc_compiler *self, const mnp__kernel_spec *spec, option_list *list)
{
    const char *own = spec->nvrtc_options ? spec->nvrtc_options : "";
    mnp__text text = MNP__TEXT_EMPTY;
    bool standard = strstr(own, "-std=") || strstr(self->options, "-std=");
    mnp__text_add(&text, "%s %s%s", self->options, standard ? "" : "--std=c++17 ", own);
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK)
        st = split_options(text.data, list);
    mnp__text_free(&text);
    return st;
}

static mnp_status compile_program(const nvrtc_compiler *self, const mnp__kernel_spec *spec, const char *source,
                                  nvrtcProgram program, const option_list *options, mnp__binary *binary)
{
    char *log = NULL;
    mnp_status st;
    for (const char *const *name = spec->name_expressions; name && *name; name++)
        MNP_TRY(NVRTC(nvrtcAddNameExpression, program, *name));
    nvrtcResult result = nvrtc.nvrtcCompileProgram(program, options->count, options->words);
    MNP_TRY(read_log(program, &log));
    switch (result) {
    case NVRTC_SUCCESS:
        if (*log)
            MNP_LOG(&self->base.config->logger, MNP_LOG_DEBUG, "NVRTC on %s: %s", spec->function, log);
        st = read_cubin(program, binary);
        if (st == MNP_OK)
            st = read_names(program, spec->name_expressions, binary);
        break;
    case NVRTC_ERROR_COMPILATION:
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID:
        st = mnp__jit_compile_error("NVRTC", spec, log, source);
        break;
    default: /* such as an unknown option, or a missing part of NVRTC */
        st = MNP_FAIL(MNP_ERR_COMPILE, "NVRTC on %s: %s; %s %s: %s", spec->function, nvrtc.nvrtcGetErrorString(result),
                      self->base.identity, spec->nvrtc_options ? spec->nvrtc_options : "", log);
    }
    free(log);
    return st;
}

static mnp_status compile(const mnp__compiler *base, const mnp__kernel_spec *spec, const char *source,
                          mnp__binary *binary)
{
    const nvrtc_compiler *self = (const nvrtc_compiler *)base;
    nvrtcProgram program = NULL;
    option_list options = {NULL, NULL, 0};
    mnp__binary made = {NULL, 0, NULL, 0};
    mnp_status st;
    MNP_TRY_OR(collect_options(self, spec, &options), st, done);
    MNP_TRY_OR(NVRTC(nvrtcCreateProgram, &program, source, spec->file, 0, NULL, NULL), st, done);
    st = compile_program(self, spec, source, program, &options, &made);
    if (st == MNP_OK)
        *binary = made;
    else
        mnp__binary_free(&made);
    (void)nvrtc.nvrtcDestroyProgram(&program);
done:
    free(options.words);
    free(options.text);
    return st;
}

/*
 * Find the newest architecture that this NVRTC supports and a GPU of that compute capability can run, such as 90 for
 * 9.0.
 */
static mnp_status choose_architecture(int major, int minor, int *architecture_p)
{
    int count = 0, best = 0;
    int *known;
    MNP_TRY(NVRTC(nvrtcGetNumSupportedArchs, &count));
    MNP_TRY(mnp__calloc((size_t)count, sizeof *known, &known));
    mnp_status st = NVRTC(nvrtcGetSupportedArchs, known);
    for (int i = 0; i < count && st == MNP_OK; i++)
        if (known[i] / 10 == major && known[i] % 10 <= minor && known[i] > best)
            best = known[i];
    if (st == MNP_OK && best == 0)
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "this NVRTC makes code for sm_%d to sm_%d, not for compute capability %d.%d",
                      known[0], known[count - 1], major, minor);
    free(known);
    if (st == MNP_OK)
        *architecture_p = best;
    return st;
}

/*
 * Append -I options for the headers of the toolkit that this NVRTC belongs to, if they are installed: in the folder of
 * its library, or in the folder above.
 */
static void append_toolkit(mnp__text *options)
{
    static const char *const folders[] = {"include", "include/cccl"};
    Dl_info library;
    char path[1024], *slash;
    nvrtcResult (*function)(int *, int *) = nvrtc.nvrtcVersion;
    void *address;
    memcpy(&address, &function, sizeof address); /* ISO C has no cast from a function pointer to an object pointer */
    if (dladdr(address, &library) == 0 || strlen(library.dli_fname) >= sizeof path)
        return;
    strcpy(path, library.dli_fname);
    for (int up = 0; up < 2; up++) {
        slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        mnp__text folder = MNP__TEXT_EMPTY;
        mnp__text_add(&folder, "%s/%s", path, folders[i]);
        if (!folder.failed && !strpbrk(path, " \t\n") && access(folder.data, R_OK) == 0)
            mnp__text_add(options, "-I%s ", folder.data);
        mnp__text_free(&folder);
    }
}

mnp_status mnp__nvrtc_version(int *major_p, int *minor_p)
{
    MNP_TRY(load_nvrtc());
    return NVRTC(nvrtcVersion, major_p, minor_p);
}

mnp_status mnp__nvrtc_new(const mnp__config *config, int major, int minor, mnp__compiler **compiler_p)
{
    nvrtc_compiler *self;
    mnp__text options = MNP__TEXT_EMPTY;
    int architecture, version_major, version_minor;
    mnp_status st;
    MNP_TRY(load_nvrtc());
    MNP_TRY(mnp__calloc(1, sizeof *self, &self));
    MNP_TRY_OR(NVRTC(nvrtcVersion, &version_major, &version_minor), st, fail);
    MNP_TRY_OR(choose_architecture(major, minor, &architecture), st, fail);
    snprintf(self->target, sizeof self->target, "sm_%d", architecture);
    /* Functions without __device__ are device functions, as they are host functions for the other compiler. */
    mnp__text_add(&options, "--gpu-architecture=%s --device-as-default-execution-space --disable-warnings ",
                  self->target);
    append_toolkit(&options);
    mnp__text_add(&options, "%s", config->nvrtc_options);
    MNP_TRY_OR(mnp__text_status(&options), st, fail);
    self->options = options.data;
    options = MNP__TEXT_EMPTY;
    mnp__text_add(&self->identity, "NVRTC %d.%d %s", version_major, version_minor, self->options);
    MNP_TRY_OR(mnp__text_status(&self->identity), st, fail);
    self->base = (mnp__compiler){.name = "nvrtc",
                                 .target = self->target,
                                 .identity = self->identity.data,
                                 .config = config,
                                 .cuda = true,
                                 .compile = compile};
    *compiler_p = &self->base;
    return MNP_OK;
fail:
    mnp__text_free(&options);
    mnp__nvrtc_free(&self->base);
    return st;
}

void mnp__nvrtc_free(mnp__compiler *compiler)
{
    nvrtc_compiler *self = (nvrtc_compiler *)compiler;
    if (!self)
        return;
    mnp__ahead_free(compiler->ahead);
    mnp__text_free(&self->identity);
    free(self->options);
    free(self);
}
