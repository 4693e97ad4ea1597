/*
 * The product of every format compiles for the oldest and the newest GPUs that we care about.  Needs no GPU.
 */
#include <config.h>

#include "../tap.h"

#ifdef HAVE_CUDA

#include <stdlib.h>

#include "jit/jit.h"

static const struct {
    const char *value, *vector, *offset;
    int lanes, block, conjugate;
} kinds[] = {{"float", "float", "int32_t", 2, 3, 0},
             {"double", "mnp_complex128", "int64_t", 32, 1, 0},
             {"mnp_complex64", "mnp_complex128", "int32_t", 1, 4, 1}};

static void compile(const mnp__compiler *compiler, int architecture, const char *defines, const char *what)
{
    const mnp__kernel_spec spec = {.file = "spmv.cu", .function = "spmv", .defines = defines};
    mnp__binary binary = {0};
    char *source = NULL;
    mnp_status st = mnp__jit_source(&spec, &source);
    if (st == MNP_OK)
        st = compiler->compile(compiler, &spec, source, &binary);
    if (!ok(st == MNP_OK && binary.size > 0, "%s compiles for sm_%d", what, architecture))
        printf("# %s\n", mnp_error_message());
    mnp__binary_free(&binary);
    free(source);
}

static void compile_all(const mnp__compiler *compiler, int architecture)
{
    static const char *const formats[] = {"CSR", "CSC", "COO", "DIA", "BSR", "SELL"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            for (int wide = 0; wide < 2; wide++) {
                char defines[512], what[128];
                snprintf(defines, sizeof defines,
                         "#define MNP_VALUE %s\n#define MNP_VECTOR %s\n#define MNP_OFFSET %s\n#define MNP_FORMAT_%s 1\n"
                         "#define MNP_ADDS %d\n#define MNP_WIDE %d\n#define MNP_CONJUGATE %d\n#define MNP_LANES %d\n"
                         "#define MNP_BLOCK %d\n", kinds[k].value, kinds[k].vector, kinds[k].offset, formats[f], (int)k % 2,
                         wide, kinds[k].conjugate, kinds[k].lanes, kinds[k].block);
                snprintf(what, sizeof what, "%s of %s by %s%s", formats[f], kinds[k].value, wide ? "several " : "",
                         kinds[k].vector);
                compile(compiler, architecture, defines, what);
            }
        }
    }
}

int main(void)
{
    static const int architectures[] = {80, 90};
    mnp__config config;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        mnp__compiler *compiler = NULL;
        const int architecture = architectures[i];
        if (ok(mnp__nvrtc_new(&config, architecture / 10, architecture % 10, &compiler) == MNP_OK, "NVRTC for sm_%d",
               architecture))
            compile_all(compiler, architecture);
        mnp__nvrtc_free(compiler);
    }
    mnp__config_free(&config);
    return done_testing();
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
