/*
 * The compiler of the CUDA device: NVRTC, from source to a cubin for one architecture.  It needs no GPU.
 *
 * A cubin also runs on GPUs of the same major and a higher minor compute capability.  So a GPU that is newer than this
 * NVRTC in its minor number alone gets code for the nearest architecture below.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <nvrtc.h>

#include "base/log.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"

typedef struct nvrtc_compiler {
    mnp__compiler base;
    mnp__text identity;
    char *option_text; /* what `options` points into */
    const char **options;
    int noptions;
} nvrtc_compiler;

/* A call that only fails if NVRTC itself is in trouble. */
#define NVRTC(function, ...) nvrtc_status(function(__VA_ARGS__), #function, __LINE__, __func__)

static mnp_status nvrtc_status(nvrtcResult result, const char *call, int line, const char *caller)
{
    if (result == NVRTC_SUCCESS)
        return MNP_OK;
    return mnp__fail(MNP_ERR_COMPILE, __FILE__, line, caller, "%s: %s", call, nvrtcGetErrorString(result));
}

/* The compiler's words about a program, malloc'ed; "" if there are none. */
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

static mnp_status read_cubin(nvrtcProgram program, void **binary_p, size_t *size_p)
{
    size_t size = 0;
    void *binary;
    MNP_TRY(NVRTC(nvrtcGetCUBINSize, program, &size));
    MNP_TRY(mnp__malloc(size, &binary));
    mnp_status st = NVRTC(nvrtcGetCUBIN, program, binary);
    if (st != MNP_OK) {
        free(binary);
        return st;
    }
    *binary_p = binary;
    *size_p = size;
    return MNP_OK;
}

static mnp_status compile(const mnp__compiler *base, const char *name, const char *source, void **binary_p,
                          size_t *size_p)
{
    const nvrtc_compiler *self = (const nvrtc_compiler *)base;
    nvrtcProgram program = NULL;
    char *log = NULL;
    mnp_status st;
    MNP_TRY(NVRTC(nvrtcCreateProgram, &program, source, name, 0, NULL, NULL));
    nvrtcResult result = nvrtcCompileProgram(program, self->noptions, self->options);
    MNP_TRY_OR(read_log(program, &log), st, done);
    switch (result) {
    case NVRTC_SUCCESS:
        if (*log)
            MNP_LOG(&base->config->logger, MNP_LOG_DEBUG, "NVRTC on %s: %s", name, log);
        st = read_cubin(program, binary_p, size_p);
        break;
    case NVRTC_ERROR_COMPILATION:
        st = mnp__jit_compile_error("NVRTC", name, log, source);
        break;
    default: /* an unknown option, say, or a part of NVRTC that is missing */
        st = MNP_FAIL(MNP_ERR_COMPILE, "NVRTC on %s: %s; %s: %s", name, nvrtcGetErrorString(result), base->identity,
                      log);
    }
done:
    free(log);
    (void)nvrtcDestroyProgram(&program);
    return st;
}

/* The newest architecture that this NVRTC knows and a GPU of that compute capability runs, as 90 for 9.0. */
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

/* Split the options at spaces, in place. */
static mnp_status split_options(nvrtc_compiler *self, const char *options)
{
    MNP_TRY(mnp__strdup(options, &self->option_text));
    MNP_TRY(mnp__calloc(strlen(options) / 2 + 1, sizeof *self->options, &self->options));
    char *state = NULL;
    for (char *word = strtok_r(self->option_text, " \t\n", &state); word; word = strtok_r(NULL, " \t\n", &state))
        self->options[self->noptions++] = word;
    return MNP_OK;
}

mnp_status mnp__nvrtc_new(const mnp__config *config, int major, int minor, mnp__compiler **compiler_p)
{
    nvrtc_compiler *self;
    mnp__text options = MNP__TEXT_EMPTY;
    int architecture, version_major, version_minor;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *self, &self));
    MNP_TRY_OR(NVRTC(nvrtcVersion, &version_major, &version_minor), st, fail);
    MNP_TRY_OR(choose_architecture(major, minor, &architecture), st, fail);
    /* Functions without __device__ are the device's, as they are the host's for the other compiler */
    mnp__text_add(&options, "--gpu-architecture=sm_%d --std=c++17 --device-as-default-execution-space %s", architecture,
                  config->nvrtc_options);
    mnp__text_add(&self->identity, "NVRTC %d.%d %s", version_major, version_minor, mnp__text_string(&options));
    MNP_TRY_OR(mnp__text_status(&options), st, fail);
    MNP_TRY_OR(mnp__text_status(&self->identity), st, fail);
    MNP_TRY_OR(split_options(self, mnp__text_string(&options)), st, fail);
    mnp__text_free(&options);
    self->base = (mnp__compiler){.name = "nvrtc", .identity = mnp__text_string(&self->identity), .config = config,
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
    mnp__text_free(&self->identity);
    free(self->option_text);
    free(self->options);
    free(self);
}
