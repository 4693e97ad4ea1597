/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVRTC: what it refuses is reported well, in kernels of the library and in raw modules; its options, and its GPUs; and
 * that it looks at what runs on simulated GPUs where that is wanted.
 */
#include <config.h>

#include "tests/jit/harness.h"

#ifdef HAVE_CUDA

#include <stdlib.h>
#include <string.h>

#include <maniple/kernel.h>

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
    mnp_status st = mnp__jit_source(&spec, true, &source);
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
    if (!ok(good && add && has_function(&binary, add) && has_function(&binary, "plain") && table &&
                strcmp(table, "table") == 0 && !mnp__binary_name(&binary, "plain"),
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
    static const char numbers[] =
        "#line 1 \"tools.cu\"\n"
        "#include <cupy/complex.cuh>\n"
        "extern \"C\" __global__ void f(complex<float> *x, complex<double> *y, float a)\n"
        "{\n"
        "    x[0] = a * x[1] + exp(conj(x[2])) / abs(x[3]) + pow(x[4], 2.0f) - complex<float>(0, 1);\n"
        "    y[0] = polar(1.0, arg(y[1])) * y[2].real() / sqrt(y[3]);\n"
        "}\n";
    st = compile_raw(compiler, numbers, NULL, &binary);
    if (!ok(st == MNP_OK, "CuPy's header of complex numbers is there"))
        print_lines(mnp_error_message());
    mnp__binary_free(&binary);
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

static void old_gpus_are_refused(void)
{
    mnp__compiler *compiler = NULL;
    ok(mnp__nvrtc_new(gpu.device.config, 3, 0, &compiler) == MNP_ERR_UNSUPPORTED && !compiler,
       "a GPU that NVRTC has no code for is MNP_ERR_UNSUPPORTED");
    print_lines(mnp_error_message());
}

static void options_count(void)
{
    mnp__compiler *compiler = NULL;
    mnp__config config = *gpu.device.config;
    mnp__binary binary;
    mnp__kernel_spec spec = {.file = "empty.cu", .function = "empty"};
    config.nvrtc_options = (char[]){"  -DWANTED=7  --no-such-option "};
    ok(mnp__nvrtc_new(&config, 9, 0, &compiler) == MNP_OK && strstr(compiler->identity, "-DWANTED=7"),
       "the options of MANIPLE_NVRTC_OPTIONS are part of the identity");
    if (compiler)
        ok(compiler->compile(compiler, &spec, "", &binary) == MNP_ERR_COMPILE &&
               strstr(mnp_error_message(), "no-such-option"),
           "an option that NVRTC does not know is named");
    print_lines(mnp_error_message());
    mnp__nvrtc_free(compiler);
}

/* What runs on a simulated GPU: the host's compiler takes a call of the C library, NVRTC does not. */
static mnp_status call_on_simulated_gpu(const char *options, const char *body)
{
    const float one = 1;
    const int64_t size = 1;
    mnp_ctx *ctx = NULL;
    mnp_array *x = NULL;
    mnp_elementwise *kernel = NULL;
    mnp_status st;
    MNP_TRY(mnp_init(MPI_COMM_SELF, options, &ctx));
    MNP_TRY_OR(mnp_full(ctx, MNP_FLOAT32, 1, &size, &one, &x), st, done);
    MNP_TRY_OR(mnp_elementwise_new(ctx, "float32 x", "float32 y", body, NULL, &kernel), st, done);
    st = mnp_elementwise_call(kernel, MNP_INPUTS(x), MNP_OUTPUTS(&x));
done:
    mnp_elementwise_free(kernel);
    mnp_array_free(x);
    mnp_finalize(ctx);
    return st;
}

static void simulated_gpus_compile_too(void)
{
    static const char of_c[] = "y = ftell(stdout) < 0 ? x : 1;", plain[] = "y = 2 * x;";
    ok(call_on_simulated_gpu("device=simulated", of_c) == MNP_OK, "the host's compiler takes a function of C");
    ok(call_on_simulated_gpu("device=simulated simulated_nvrtc=1", of_c) == MNP_ERR_COMPILE &&
           strstr(mnp_error_message(), "NVRTC"),
       "where NVRTC compiles too, it is refused");
    print_lines(mnp_error_message());
    ok(call_on_simulated_gpu("device=simulated simulated_nvrtc=1", plain) == MNP_OK, "another text is not");
}

static void run(void)
{
    for (int i = 0; i < gpu.ncompilers; i++) {
        errors_show_the_line(gpu.compilers[i]);
        raw_modules(gpu.compilers[i]);
    }
    old_gpus_are_refused();
    options_count();
    simulated_gpus_compile_too();
}

#else

static void run(void)
{
}

#endif

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
