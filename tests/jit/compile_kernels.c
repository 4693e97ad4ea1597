/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every CUDA kernel compiles, for the oldest and the newest architecture that we care about.  Needs no GPU.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include <stdlib.h>
#include <string.h>

#include "jit/jit.h"

/* Whether the code holds a function of that name: its section is called ".text.NAME". */
static bool has_function(const char *code, size_t size, const char *function)
{
    char section[256];
    size_t length = (size_t)snprintf(section, sizeof section, ".text.%s", function) + 1; /* with its NUL */
    for (size_t at = 0; at + length <= size; at++)
        if (memcmp(code + at, section, length) == 0)
            return true;
    return false;
}

static void print_lines(const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        printf("# %.*s\n", (int)strcspn(text, "\n"), text);
}

static void compile_example(const mnp__compiler *compiler, const mnp__kernel_spec *spec, int architecture)
{
    char *source = NULL;
    mnp__binary binary = {NULL, 0, NULL, 0};
    mnp_status st = mnp__jit_source(spec, &source);
    if (st == MNP_OK)
        st = compiler->compile(compiler, spec, source, &binary);
    if (!ok(st == MNP_OK && has_function(binary.code, binary.size, spec->function),
            "%s, function %s, compiles for sm_%d", spec->file, spec->function, architecture)) {
        print_lines(st == MNP_OK ? "the code has no such function" : mnp_error_message());
        print_lines(spec->defines);
    }
    mnp__binary_free(&binary);
    free(source);
}

static bool is_cuda_source(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

/* Kernels whose text the library generates: tests of their own compile them as it asks for them. */
static const char *const families[] = {"sparse/precond/permute_rows.cu",
                                       "sparse/krylov/basis.cu",
                                       "indexing/compact.cu",
                                       "reduction/ufunc_reduce.cu",
                                       "statistics/histogram.cu",
                                       "indexing/indexed.cu",
                                       "sort/radix_sort.cu",
                                       "indexing/owners.cu",
                                       "sparse/precond/level_sweep.cu",
                                       "scan/scan.cu",
                                       "indexing/scatter.cu",
                                       "sparse/product/spmv.cu",
                                       "sparse/step/step.cu",
                                       NULL}; /* tests/..._kernels.c */

/* A kernel that nobody listed would not be compiled at all. */
static void all_are_listed(void)
{
    for (const struct mnp__kernel_source *source = mnp__kernel_sources; source->name; source++) {
        bool listed = false;
        for (const mnp__kernel_spec *spec = mnp__jit_examples; spec->file; spec++)
            listed = listed || strcmp(spec->file, source->name) == 0;
        for (const char *const *family = families; *family; family++)
            listed = listed || strcmp(*family, source->name) == 0;
        if (is_cuda_source(source->name))
            ok(listed, "%s is compiled here, or by a test of its own", source->name);
    }
}

static void errors_show_the_line(const mnp__compiler *compiler)
{
    mnp__binary binary;
    mnp__kernel_spec spec = {.file = "wrong.cu", .function = "wrong"};
    mnp_status st = compiler->compile(compiler, &spec, "int fine;\nthis is wrong;\n", &binary);
    ok(st == MNP_ERR_COMPILE && strstr(mnp_error_message(), "2 | this is wrong;"),
       "source that does not compile is MNP_ERR_COMPILE and shows the line");
    print_lines(mnp_error_message());
}

/* A raw module as the library compiles it. */
static mnp_status compile_raw(const mnp__compiler *compiler, const char *text, const char *const *expressions,
                              mnp__binary *binary)
{
    mnp__kernel_spec spec = {.file = "custom/raw.cu",
                             .function = "tools",
                             .defines = "",
                             .generated = text,
                             .raw = true,
                             .nvrtc_options = "-DTWO=2",
                             .name_expressions = expressions};
    char *source = NULL;
    mnp_status st = mnp__jit_source(&spec, &source);
    if (st == MNP_OK)
        st = compiler->compile(compiler, &spec, source, binary);
    free(source);
    return st;
}

static void raw_modules(const mnp__compiler *compiler)
{
    static const char text[] =
        "#line 1 \"tools.cu\"\n"
        "#include \"maniple/math.h\"\n"
        "namespace n {\n"
        "template <typename T> __global__ void add(T *x) { x[threadIdx.x] = mnp_multiply(x[0], x[TWO]); }\n"
        "}\n"
        "__constant__ float table[3];\n"
        "extern \"C\" __global__ void plain(int64_t *x) { __syncthreads(); *x = table[1]; }\n";
    static const char *const names[] = {"n::add<double>", "n::add<mnp_complex64>", "&table", NULL};
    static const char *const wrong[] = {"n::add<flaot>", NULL};
    mnp__binary binary = {NULL, 0, NULL, 0};
    bool good = compile_raw(compiler, text, names, &binary) == MNP_OK;
    const char *add = good ? mnp__binary_name(&binary, names[0]) : NULL,
               *table = good ? mnp__binary_name(&binary, names[2]) : NULL;
    if (!ok(good && add && has_function(binary.code, binary.size, add) &&
                has_function(binary.code, binary.size, "plain") && table && strcmp(table, "table") == 0 &&
                !mnp__binary_name(&binary, "plain"),
            "a raw module with name expressions, one of them %s", add ? add : "unknown"))
        print_lines(mnp_error_message());
    mnp__binary_free(&binary);
    mnp_status st = compile_raw(compiler, text, wrong, &binary);
    ok(st == MNP_ERR_COMPILE && strstr(mnp_error_message(), "kernel tools") && strstr(mnp_error_message(), "flaot"),
       "a name expression that is wrong is named");
    print_lines(mnp_error_message());
    st = compile_raw(compiler, "#line 1 \"tools.cu\"\n#include \"maniple/prelude.h\"\nint64_t f()\n{ return g; }\n",
                     NULL, &binary);
    ok(st == MNP_ERR_COMPILE && strstr(mnp_error_message(), "kernel tools.cu does not compile with NVRTC") &&
           strstr(mnp_error_message(), "\n     2 | int64_t f()\n>    3 | { return g; }"),
       "errors show the user's lines with the user's numbers");
    print_lines(mnp_error_message());
    static const char toolkit[] =
        "#line 1 \"tools.cu\"\n"
        "#include <cooperative_groups.h>\n"
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void f(__half *x) { cooperative_groups::this_thread_block().sync(); *x = 1; }\n";
    if (strstr(compiler->identity, "/include")) {
        st = compile_raw(compiler, toolkit, NULL, &binary);
        if (!ok(st == MNP_OK, "the toolkit's headers are found"))
            print_lines(mnp_error_message());
        mnp__binary_free(&binary);
    } else {
        skip("the toolkit's headers are found", "the toolkit has none here");
    }
}

static void old_gpus_are_refused(const mnp__config *config)
{
    mnp__compiler *compiler = NULL;
    ok(mnp__nvrtc_new(config, 3, 0, &compiler) == MNP_ERR_UNSUPPORTED && !compiler,
       "a GPU that NVRTC has no code for is MNP_ERR_UNSUPPORTED");
    print_lines(mnp_error_message());
}

static void options_count(mnp__config *config)
{
    mnp__compiler *compiler = NULL;
    char *options = config->nvrtc_options;
    mnp__binary binary;
    mnp__kernel_spec spec = {.file = "empty.cu", .function = "empty"};
    config->nvrtc_options = (char[]){"  -DWANTED=7  --no-such-option "};
    ok(mnp__nvrtc_new(config, 9, 0, &compiler) == MNP_OK && strstr(compiler->identity, "-DWANTED=7"),
       "the options of MANIPLE_NVRTC_OPTIONS are part of the identity");
    if (compiler)
        ok(compiler->compile(compiler, &spec, "", &binary) == MNP_ERR_COMPILE &&
               strstr(mnp_error_message(), "no-such-option"),
           "an option that NVRTC does not know is named");
    print_lines(mnp_error_message());
    mnp__nvrtc_free(compiler);
    config->nvrtc_options = options;
}

int main(void)
{
    static const int architectures[] = {80, 90};
    mnp__config config;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        int architecture = architectures[i];
        mnp__compiler *compiler = NULL;
        if (!ok(mnp__nvrtc_new(&config, architecture / 10, architecture % 10, &compiler) == MNP_OK, "NVRTC for sm_%d",
                architecture)) {
            print_lines(mnp_error_message());
            continue;
        }
        for (const mnp__kernel_spec *spec = mnp__jit_examples; spec->file; spec++)
            compile_example(compiler, spec, architecture);
        errors_show_the_line(compiler);
        raw_modules(compiler);
        mnp__nvrtc_free(compiler);
    }
    all_are_listed();
    old_gpus_are_refused(&config);
    options_count(&config);
    mnp__config_free(&config);
    return done_testing();
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
