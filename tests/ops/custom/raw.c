/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw modules: kernels on each rank's block, constants, templates, and what is refused with which words.
 * tests/ops/custom/raw_meet.py has more of kernels whose threads meet.
 */
#include <maniple.h>

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

enum { SIZE = 1000 };

static mnp_ctx *ctx;
static bool on_gpu;

static mnp_raw_module *compile(const char *source, const mnp_raw_module_options *options)
{
    mnp_raw_module *module = NULL;
    if (mnp_raw_module_new(ctx, source, options, &module) != MNP_OK)
        mnp_exit(1);
    return module;
}

static mnp_raw_kernel *kernel_of(mnp_raw_module *module, const char *name)
{
    mnp_raw_kernel *kernel = NULL;
    if (mnp_raw_module_kernel(module, name, &kernel) != MNP_OK)
        mnp_exit(1);
    return kernel;
}

/* A vector 0, 1, 2, ... of that dtype (float32, float64 or int32), in blocks. */
static mnp_array *count_up(mnp_dtype dtype, int64_t size)
{
    static float floats[SIZE];
    static double doubles[SIZE];
    static int ints[SIZE];
    mnp_array *array = NULL;
    for (int k = 0; k < SIZE; k++) {
        floats[k] = (float)k;
        doubles[k] = ints[k] = k;
    }
    const void *values = dtype == MNP_FLOAT32 ? (void *)floats : dtype == MNP_FLOAT64 ? (void *)doubles : (void *)ints;
    if (mnp_array_from_host(ctx, dtype, 1, &size, values, &array) != MNP_OK)
        mnp_exit(1);
    return array;
}

static unsigned blocks_for(const mnp_array *array, unsigned threads)
{
    unsigned blocks = (unsigned)((mnp_array_local_size(array) + threads - 1) / threads);
    return blocks > 0 ? blocks : 1;
}

static const char two_kernels[] =
    "__constant__ float weights[4];\n"
    "__device__ float weighted(float x, int k) { return x * weights[k & 3]; }\n"
    "extern \"C\" __global__ void saxpy(float a, const float *__restrict__ x, float *y, long long n)\n"
    "{\n"
    "    // no __syncthreads() here\n"
    "    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] = a * x[i] + y[i];\n"
    "}\n"
    "extern \"C\" {\n"
    "__global__ void __launch_bounds__(256) weigh(float *x, long long n)\n"
    "{\n"
    "    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "        x[i] = weighted(x[i], 2);\n"
    "}\n"
    "}\n";

static void check_two_kernels(void)
{
    float values[SIZE], factors[] = {1, 2, 4, 8};
    mnp_array *x = count_up(MNP_FLOAT32, SIZE), *y = count_up(MNP_FLOAT32, SIZE);
    int64_t n = mnp_array_local_size(x);
    mnp_raw_module *module = compile(two_kernels, &(mnp_raw_module_options){.name = "two"});
    mnp_raw_kernel *saxpy = kernel_of(module, "saxpy"), *weigh = kernel_of(module, "weigh"), *other = NULL;
    mnp_launch launch = {.grid = {blocks_for(x, 128)}, .block = {128}};
    mnp_status st = mnp_raw_kernel_launch(saxpy, &launch, MNP_ARGS(MNP_ARG(2.0f), MNP_ARG(x), MNP_ARG(y), MNP_ARG(n)));
    bool right = mnp_array_to_host(y, MNP_ALL_RANKS, values) == MNP_OK;
    for (int k = 0; k < SIZE; k++)
        right = right && values[k] == 3 * (float)k;
    ok(st == MNP_OK && right, "saxpy on every rank's block");
    st = mnp_raw_module_set(module, "weights", factors, sizeof factors);
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(weigh, &(mnp_launch){.grid = {3}, .block = {32}}, MNP_ARGS(MNP_ARG(y), MNP_ARG(n)));
    right = mnp_array_to_host(y, MNP_ALL_RANKS, values) == MNP_OK;
    for (int k = 0; k < SIZE; k++)
        right = right && values[k] == 12 * (float)k;
    ok(st == MNP_OK && right, "the module's other kernel, with a constant");

    void *pointer = NULL;
    size_t size = 0;
    st = mnp_raw_module_variable(module, "weights", &pointer, &size);
    ok(st == MNP_OK && pointer && size == sizeof factors, "a constant has an address and %zu bytes", size);
    ok(mnp_raw_module_variable(module, "wieghts", &pointer, &size) == MNP_ERR_ARG, "no such variable: %s",
       mnp_error_message());
    ok(mnp_raw_module_set(module, "weights", values, 20) == MNP_ERR_ARG, "too much for it: %s", mnp_error_message());
    ok(mnp_raw_module_kernel(module, "weight", &other) == MNP_ERR_ARG && !other, "no such kernel: %s",
       mnp_error_message());
    ok(mnp_raw_module_kernel(module, "weighted", &other) == MNP_ERR_ARG && !other, "a function that is none: %s",
       mnp_error_message());
    mnp_raw_kernel_info info;
    st = mnp_raw_kernel_get_info(saxpy, &info);
    ok(st == MNP_OK && info.max_threads >= 256 && (info.parameters == 4 || info.parameters == -1) &&
           info.shared_bytes == 0 && info.max_dynamic_shared >= 48 * 1024 && (info.registers > 0) == on_gpu,
       "what is known of a kernel: %d threads a block, %d registers, %d parameters", info.max_threads, info.registers,
       info.parameters);
    mnp_raw_module_free(module);
    mnp_free_all(x, y);
}

static void refused(mnp_raw_kernel *kernel, mnp_launch launch, int nargs, const mnp_argument *args, const char *words)
{
    mnp_status st = mnp_raw_kernel_launch(kernel, &launch, nargs, args);
    ok(st == MNP_ERR_ARG && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

static void check_refused(void)
{
    float values[SIZE];
    mnp_array *x = count_up(MNP_FLOAT32, SIZE), *none = NULL;
    mnp_raw_module *module =
        compile("extern \"C\" __global__ void wipe(float *x, int n) { for (int i = 0; i < n; i++) x[i] = 0; }", NULL);
    mnp_raw_kernel *wipe = kernel_of(module, "wipe");
    const mnp_launch one = {.grid = {1}, .block = {1}};
    refused(wipe, (mnp_launch){.grid = {0}, .block = {1}}, MNP_ARGS(MNP_ARG(x), MNP_ARG(3)), "the grid is 0 x 1 x 1");
    refused(wipe, (mnp_launch){.grid = {1}}, MNP_ARGS(MNP_ARG(x), MNP_ARG(3)), "the block is 0 x 1 x 1");
    refused(wipe, (mnp_launch){.grid = {1}, .block = {2048}}, MNP_ARGS(MNP_ARG(x), MNP_ARG(3)), "2048 x 1 x 1");
    refused(wipe, (mnp_launch){.grid = {1}, .block = {64, 64}}, MNP_ARGS(MNP_ARG(x), MNP_ARG(3)),
            "64 x 64 x 1 is 4096 threads");
    refused(wipe, (mnp_launch){.grid = {1, 70000}, .block = {1}}, MNP_ARGS(MNP_ARG(x), MNP_ARG(3)),
            "1 to 65535 along y");
    refused(wipe, (mnp_launch){.grid = {1}, .block = {1}, .shared_bytes = 1 << 20}, MNP_ARGS(MNP_ARG(x), MNP_ARG(3)),
            "1048576 bytes of dynamic shared memory");
    refused(wipe, one, MNP_ARGS(MNP_ARG(x)), "takes 2 arguments, and was given 1");
    refused(wipe, one, MNP_ARGS(MNP_ARG(x), MNP_ARG(3.0)), "argument 2 has 8 bytes, and the parameter 4");
    refused(wipe, one, MNP_ARGS(MNP_ARG(none), MNP_ARG(3)), "argument 1 is NULL");
    refused(wipe, one, MNP_ARGS(MNP_ARG(MNP_SCALAR(ctx, 2.0f)), MNP_ARG(3)), "argument 1 is a scalar");
    bool same = mnp_array_to_host(x, MNP_ALL_RANKS, values) == MNP_OK;
    for (int k = 0; k < SIZE; k++)
        same = same && values[k] == (float)k;
    ok(same, "nothing was launched");
    mnp_raw_module_free(module);
    mnp_array_free(x);
}

static void check_templates(void)
{
    static const char source[] = "namespace tools {\n"
                                 "template <typename T, int N> __global__ void add(T *x, int n)\n"
                                 "{\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n)\n"
                                 "        x[i] += N;\n"
                                 "}\n"
                                 "__constant__ int table[3];\n"
                                 "}\n"
                                 "__global__ void plain(double *x, int n)\n"
                                 "{\n"
                                 "    if (blockIdx.x == 0 && threadIdx.x == 0 && n > 0)\n"
                                 "        x[0] = tools::table[1];\n"
                                 "}\n";
    static const char *const names[] = {"tools::add<double, 5>", "tools::add<int, -1>", "&tools::table", "plain", NULL};
    double values[SIZE];
    int counts[SIZE];
    mnp_array *x = count_up(MNP_FLOAT64, SIZE), *y = count_up(MNP_INT32, SIZE);
    int n = (int)mnp_array_local_size(x);
    mnp_raw_module *module = compile(source, &(mnp_raw_module_options){.name = "templates", .name_expressions = names});
    mnp_launch launch = {.grid = {blocks_for(x, 64)}, .block = {64}};
    mnp_status st =
        mnp_raw_kernel_launch(kernel_of(module, "tools::add<double, 5>"), &launch, MNP_ARGS(MNP_ARG(x), MNP_ARG(n)));
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel_of(module, "tools::add<int, -1>"), &launch, MNP_ARGS(MNP_ARG(y), MNP_ARG(n)));
    bool right =
        mnp_array_to_host(x, MNP_ALL_RANKS, values) == MNP_OK && mnp_array_to_host(y, MNP_ALL_RANKS, counts) == MNP_OK;
    for (int k = 0; k < SIZE; k++)
        right = right && values[k] == k + 5 && counts[k] == k - 1;
    ok(st == MNP_OK && right, "templates by name expressions");
    st = mnp_raw_module_set(module, "&tools::table", (int[]){7, 8, 9}, 3 * sizeof(int));
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel_of(module, "plain"), &launch, MNP_ARGS(MNP_ARG(x), MNP_ARG(n)));
    ok(st == MNP_OK && mnp_array_to_host(x, MNP_ALL_RANKS, values) == MNP_OK && values[0] == 8,
       "a constant of a namespace");
    mnp_raw_module_free(module);
    mnp_free_all(x, y);

    const char *const wrong[] = {"tools::add<double>", NULL};
    module = NULL;
    st = mnp_raw_module_new(ctx, source, &(mnp_raw_module_options){.name_expressions = wrong}, &module);
    ok(st == MNP_ERR_COMPILE && !module && strstr(mnp_error_message(), "add"),
       "a name expression that names nothing is an error");
}

/* The threads of a block share memory and wait for each other. */
static void check_block_sums(void)
{
    static const char source[] = "extern \"C\" __global__ void block_sums(const double *x, int n, double *sums)\n"
                                 "{\n"
                                 "    extern __shared__ double part[];\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    part[threadIdx.x] = i < n ? x[i] : 0;\n"
                                 "    for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
                                 "        __syncthreads();\n"
                                 "        if (threadIdx.x < half)\n"
                                 "            part[threadIdx.x] += part[threadIdx.x + half];\n"
                                 "    }\n"
                                 "    if (threadIdx.x == 0)\n"
                                 "        atomicAdd(sums, part[0]);\n"
                                 "}\n";
    mnp_raw_module *module = NULL;
    mnp_status st = mnp_raw_module_new(ctx, source, &(mnp_raw_module_options){.name = "sums"}, &module);
    mnp_array *x = count_up(MNP_FLOAT64, SIZE), *sum = NULL;
    double mine, total = 0;
    int n = (int)mnp_array_local_size(x);
    mnp_layout *layout = NULL;
    int64_t ranks = mnp_ctx_size(ctx);
    if (st == MNP_OK)
        st = mnp_layout_block((int)ranks, 1, &ranks, &layout);
    if (st == MNP_OK)
        st = mnp_array_new(ctx, MNP_FLOAT64, layout, &sum);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = mnp_array_set_local(sum, &(double){0});
    /* on GPUs more than a block gets unless its launch asks */
    mnp_launch launch = {.grid = {blocks_for(x, 128)}, .block = {128}, .shared_bytes = on_gpu ? 60000 : 48000};
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel_of(module, "block_sums"), &launch,
                                   MNP_ARGS(MNP_ARG(x), MNP_ARG(n), MNP_ARG(sum)));
    if (st == MNP_OK)
        st = mnp_array_get_local(sum, &mine);
    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ok(st == MNP_OK && total == SIZE * (SIZE - 1) / 2.0, "block sums with shared memory and barriers: %g", total);
    mnp_raw_module_free(module);
    mnp_free_all(x, sum);
}

/* What the host's rewriting must understand: macros, branches, attributes, and text that only looks like code. */
static void check_rewriting(void)
{
    static const char source[] =
        "#define ADD(name, what) extern \"C\" __global__ void name(int *x) { if (x) { *x += what; } }\n"
        "ADD(add_one, 1)\n"
        "#define LONG(name) \\\n"
        "    extern \"C\" __global__ void name(int *x) \\\n"
        "    { \\\n"
        "        if (x) *x += 20; \\\n"
        "    }\n"
        "LONG(add_twenty)\n"
        "#define PASTED(n) extern \"C\" __global__ void add_##n(int *x) { if (x) *x += n; }\n"
        "PASTED(300)\n"
        "/* __global__ void f( { __syncthreads() */ // } } {\n"
        "static const char text[] = \"} __syncthreads() {\";\n"
        "#if 0\n"
        "extern \"C\" __global__ void never(int *x) { __syncthreads(); asm(\"trap;\"); }\n"
        "#endif\n"
        "#if !defined(__CUDACC_RTC__) || 1\n"
        "extern \"C\" __global__ void branch(int *x, int y) { if (y) {\n"
        "#else\n"
        "extern \"C\" __global__ void branch(int *x, int y) { if (!y) {\n"
        "#endif\n"
        "    if (x) *x += 4000; } }\n"
        "extern \"C\" __global__ void later(int *);\n"
        "extern \"C\" void __global__ __launch_bounds__(32 * (1 + 1), 1) later(int *x)\n"
        "{\n"
        "    auto twice = [](int k) { return 2 * k; };\n"
        "    struct pair { int a, b; } p = {twice(20000), 10000};\n"
        "    if (x)\n"
        "        *x += p.a + p.b + '}' - '}' + (text[0] == '}' ? 0 : 7);\n"
        "}\n";
    static const char *const pasted[] = {"add_300", NULL};
    static const char *const names[] = {"add_one", "add_twenty", "add_300", "later"};
    const int64_t one = 1;
    int value = 0;
    mnp_array *x = NULL;
    mnp_raw_module *module = compile(source, &(mnp_raw_module_options){.name = "odd", .name_expressions = pasted});
    mnp_launch launch = {.grid = {1}, .block = {1}};
    mnp_status st = mnp_zeros(ctx, MNP_INT32, 1, &one, &x);
    for (int k = 0; k < 4 && st == MNP_OK; k++)
        st = mnp_raw_kernel_launch(kernel_of(module, names[k]), &launch, MNP_ARGS(MNP_ARG(x)));
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel_of(module, "branch"), &launch, MNP_ARGS(MNP_ARG(x), MNP_ARG(1)));
    if (st == MNP_OK)
        st = mnp_item(x, &value);
    ok(st == MNP_OK && value == 54321, "macros, branches and attributes: %d", value);
    mnp_raw_module_free(module);
    mnp_array_free(x);
}

/*
 * Shared memory without barriers, dimensions, structs, atomic functions, quotes of all kinds, and code that is CUDA's
 * alone: also on the host.
 */
static void check_language(void)
{
    static const char source[] =
        "#include \"maniple/prelude.h\"\n"
        "struct scale { float by; int64_t offset; };\n"
        "#ifdef __CUDACC_RTC__\n"
        "#define MEET() __syncwarp()\n"
        "#else\n"
        "#define MEET()\n"
        "#endif\n"
        "/* shared memory of a thread's own, static and\n"
        "   dynamic */\n"
        "extern \"C\" __global__ void mix(unsigned long long *count, uint3 *last, struct scale s, float *out,\n"
        "                               mnp_complex64 *z)\n"
        "{\n"
        "    extern __shared__ __align__(16) int mine[];\n"
        "    __shared__ float other[64];\n"
        "    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
        "    const char *text = R\"-(\" {)-\";\n"
        "    if (t < 1'000) {\n"
        "        mine[t] = t;\n"
        "    }\n"
        "    other[t] = mine[t] * s.by;\n"
        "    MEET();\n"
        "    bool at_end = t == blockDim.x * blockDim.y * blockDim.z - 1;\n"
        "    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == 1 && blockIdx.z == 0 && at_end) {\n"
        "        *last = threadIdx;\n"
        "        *out = max(other[t], 1.0f) + (float)s.offset + (text[2] - '{');\n"
        "        z->re = min(t, 3), z->im = __popc(255);\n"
        "    }\n"
        "    atomicAdd(count, 1);\n"
        "}\n";
    struct {
        float by;
        int64_t offset;
    } scale = {0.5f, 1000};
    unsigned long long count = 0;
    unsigned last[3] = {0};
    float out = 0, z[2] = {0};
    const int64_t one = 1;
    mnp_array *results[4] = {NULL};
    const mnp_dtype dtypes[] = {MNP_UINT64, MNP_COMPLEX128, MNP_FLOAT32, MNP_COMPLEX64};
    mnp_layout *everywhere = NULL;
    mnp_status st = mnp_layout_replicated(mnp_ctx_size(ctx), 1, &one, &everywhere);
    for (int k = 0; k < 4 && st == MNP_OK; k++) {
        st = mnp_array_new(ctx, dtypes[k], everywhere, &results[k]);
        if (st == MNP_OK)
            st = mnp_array_set_local(results[k], (double[2]){0});
    }
    mnp_layout_free(everywhere);
    mnp_raw_module *module = compile(source, &(mnp_raw_module_options){.name = "language"});
    mnp_launch launch = {.grid = {5, 3, 2}, .block = {4, 3, 2}, .shared_bytes = 24 * sizeof(int)};
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel_of(module, "mix"), &launch,
                                   MNP_ARGS(MNP_ARG(results[0]), MNP_ARG(results[1]),
                                            mnp_arg_bytes(&scale, sizeof scale), MNP_ARG(results[2]),
                                            MNP_ARG(mnp_array_local_data(results[3]))));
    double bytes[2];
    bool read = mnp_array_get_local(results[0], &count) == MNP_OK && mnp_array_get_local(results[1], bytes) == MNP_OK &&
                mnp_array_get_local(results[2], &out) == MNP_OK && mnp_array_get_local(results[3], z) == MNP_OK;
    memcpy(last, bytes, sizeof last);
    ok(st == MNP_OK && read && count == 5 * 3 * 2 * 24, "every thread of every block ran: %llu", count);
    ok(last[0] == 3 && last[1] == 2 && last[2] == 1, "the last one was %u, %u, %u", last[0], last[1], last[2]);
    ok(out == 1011.5f && z[0] == 3 && z[1] == 8, "a struct, shared memory, and Maniple's own types: %g, %g, %g",
       (double)out, (double)z[0], (double)z[1]);
    mnp_raw_module_free(module);
    for (int k = 0; k < 4; k++)
        mnp_array_free(results[k]);
}

/*
 * On the host blocks become one row of threads where that makes no difference: sums over all threads of what they
 * compute from their place, in ways that allow it and ways that do not.
 */
static void check_places(void)
{
    enum { BLOCKS = 5, THREADS = 7, ROWS = 2 };
    static const struct {
        const char *text;
        unsigned b, t, more; /* the number: b * blockIdx.x + t * threadIdx.x + more */
    } places[] = {
        {"blockIdx.x * blockDim.x + threadIdx.x", THREADS, 1, 0},
        {"threadIdx.x + (unsigned)blockDim.x * blockIdx.x", THREADS, 1, 0},
        {"2 * blockIdx.x * blockDim.x + threadIdx.x", 2 * THREADS, 1, 0},
        {"blockIdx.x * blockDim.x + threadIdx.x * 3", THREADS, 3, 0},
        {"blockIdx.x", 1, 0, 0},
        {"threadIdx.x", 0, 1, 0},
        {"[](unsigned t) { return t; }(blockIdx.x * blockDim.x + threadIdx.x)", THREADS, 1, 0},
        {"blockIdx.x * blockDim.x + threadIdx.x + blockDim.x", THREADS, 1, THREADS},
        {"place() + threadIdx.x * 0", THREADS, 1, 0},
        {"blockIdx.x * blockDim.x + threadIdx.x + OWN", THREADS, 2, 0},
        {"blockIdx.x * blockDim.x + threadIdx.x + included()", THREADS, 2, 0},
    };
    mnp_array *sum = NULL;
    char folder[] = "/tmp/raw-XXXXXX", header[64];
    const bool is_first = mnp_ctx_rank(ctx) == 0; /* all ranks have the same source */
    ok(!is_first || mkdtemp(folder), "a folder for a header");
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(header, sizeof header, "%s/own.h", folder);
    FILE *file = is_first ? fopen(header, "w") : NULL;
    ok(!is_first ||
           (file && fputs("__device__ unsigned included() { return threadIdx.x; }\n", file) >= 0 && fclose(file) == 0),
       "and the header");
    mnp_status st = mnp_zeros(ctx, MNP_UINT64, 1, (const int64_t[]){mnp_ctx_size(ctx)}, &sum);
    for (size_t i = 0; i < sizeof places / sizeof *places && st == MNP_OK; i++) {
        char source[512], included[sizeof header + 16] = "";
        unsigned long long wanted = 0, got = 0;
        if (strstr(places[i].text, "included()"))
            snprintf(included, sizeof included, "#include \"%s\"\n", header);
        snprintf(source, sizeof source,
                 "%s%s"
                 "extern \"C\" __global__ void add(unsigned long long *sum)\n"
                 "{\n"
                 "    const unsigned long long i = %s, row = blockIdx.y * blockDim.y + threadIdx.y + 1;\n"
                 "    atomicAdd(sum, i * i * row);\n"
                 "}\n",
                 included,
                 strstr(places[i].text, "place()")
                     ? "__device__ unsigned place() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"
                     : "",
                 places[i].text);
        for (unsigned b = 0; b < BLOCKS; b++)
            for (unsigned t = 0; t < THREADS; t++)
                for (unsigned row = 1; row <= ROWS; row++) {
                    const unsigned long long number = places[i].b * b + places[i].t * t + places[i].more;
                    wanted += number * number * row;
                }
        const mnp_raw_module_options options = {.nvrtc_options = "-DOWN=threadIdx.x"};
        mnp_raw_module *module = compile(source, strstr(places[i].text, "OWN") ? &options : NULL);
        const mnp_launch launch = {.grid = {BLOCKS, ROWS}, .block = {THREADS, 1}};
        st = mnp_array_set_local(sum, &got);
        if (st == MNP_OK)
            st = mnp_raw_kernel_launch(kernel_of(module, "add"), &launch, MNP_ARGS(MNP_ARG(sum)));
        if (st == MNP_OK)
            st = mnp_array_get_local(sum, &got);
        ok(st == MNP_OK && got == wanted, "the place of a thread: %s", places[i].text);
        mnp_raw_module_free(module);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first) {
        unlink(header);
        rmdir(folder);
    }
    mnp_array_free(sum);
}

static void check_compile_errors(void)
{
    mnp_raw_module *module = NULL;
    mnp_status st = mnp_raw_module_new(ctx, "extern \"C\" __global__ void f(float *x)\n{\n    x[0] = y[0];\n}\n",
                                       &(mnp_raw_module_options){.name = "faulty"}, &module);
    ok(st == MNP_ERR_COMPILE && !module && strstr(mnp_error_message(), "kernel faulty.cu does not compile") &&
           strstr(mnp_error_message(), "\n     2 | {\n>    3 |     x[0] = y[0];"),
       "a source that does not compile shows its lines");
    st = mnp_raw_module_new(ctx, "", &(mnp_raw_module_options){.name = "not so"}, &module);
    ok(st == MNP_ERR_ARG && !module, "refused: %s", mnp_error_message());
    ok(mnp_raw_module_new(ctx, NULL, NULL, &module) == MNP_ERR_ARG && !module, "refused: %s", mnp_error_message());
    if (!on_gpu) {
        st = mnp_raw_module_new(ctx, "#include <cooperative_groups.h>\n", NULL, &module);
        ok(st == MNP_ERR_UNSUPPORTED && !module, "refused on the host: %s", mnp_error_message());
        st = mnp_raw_module_new(ctx, "__device__ int f(int x)\n{ return x + __activemask(); }\n", NULL, &module);
        ok(st == MNP_ERR_UNSUPPORTED && !module && strstr(mnp_error_message(), "line 2"), "refused on the host: %s",
           mnp_error_message());
    }
}

/* A header of the user's is part of what is compiled. */
static void check_header(void)
{
    char folder[] = "/tmp/maniple-header-XXXXXX", path[64], options[64];
    bool speaker = mnp_ctx_rank(ctx) == 0;
    mnp_array *x = count_up(MNP_INT32, 1);
    int values[2] = {0}, n = (int)mnp_array_local_size(x);
    if (speaker && !mkdtemp(folder))
        mnp_exit(1);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/answer.h", folder);
    snprintf(options, sizeof options, "-I %s -DSIGN=-1", folder);
    for (int k = 0; k < 2; k++) {
        mnp_raw_module *module = NULL;
        FILE *file = speaker ? fopen(path, "w") : NULL;
        if (file) {
            fprintf(file, "#define ANSWER %d\n", 42 + k);
            fclose(file);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        mnp_status st = mnp_raw_module_new(ctx,
                                           "#include <answer.h>\nextern \"C\" __global__ void f(int *x, int n)\n"
                                           "{\n    if (n > 0)\n        *x = SIGN * ANSWER;\n}\n",
                                           &(mnp_raw_module_options){.nvrtc_options = options}, &module);
        if (st == MNP_OK)
            st = mnp_raw_kernel_launch(kernel_of(module, "f"), &(mnp_launch){.grid = {1}, .block = {1}},
                                       MNP_ARGS(MNP_ARG(x), MNP_ARG(n)));
        if (st == MNP_OK)
            st = mnp_item(x, &values[k]);
        mnp_raw_module_free(module);
        if (mnp_agree(ctx, st) != MNP_OK)
            break;
    }
    ok(values[0] == -42 && values[1] == -43, "a header that changed is compiled again: %d, %d", values[0], values[1]);
    mnp_array_free(x);
    if (speaker) {
        unlink(path);
        rmdir(folder);
    }
}

/* Sums that are rounded down: of numbers of any sizes and signs, as the CPU rounds them. */
static void check_rounding(void)
{
    static const char source[] = "extern \"C\" __global__ void add(const float *x, const float *y, float *z, int n)\n"
                                 "{\n"
                                 "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                                 "        z[i] = __fadd_rd(x[i], y[i]);\n"
                                 "}\n";
    static const float numbers[] = {0.0f,     -0.0f,    1.0f, -1.0f,    0x1p-149f,   -0x1p-149f,      1e-30f,
                                    -1e-30f,  0x1p-24f, 3e9f, -1.1e30f, 16777215.0f, 0x1.fffffep127f, -0x1.fffffep127f,
                                    INFINITY, -INFINITY};
    enum { NUMBERS = sizeof numbers / sizeof *numbers, PAIRS = NUMBERS * NUMBERS };
    const int64_t pairs = PAIRS;
    float x[PAIRS], y[PAIRS], z[PAIRS];
    mnp_array *arrays[3] = {NULL, NULL, NULL};
    mnp_layout *whole = NULL;
    mnp_raw_module *module = compile(source, &(mnp_raw_module_options){.name = "rounding"});
    mnp_status st = mnp_layout_replicated(mnp_ctx_size(ctx), 1, &pairs, &whole);
    int wrong = 0;
    for (int i = 0; i < PAIRS; i++) {
        x[i] = numbers[i / NUMBERS];
        y[i] = numbers[i % NUMBERS];
    }
    for (int k = 0; k < 3 && st == MNP_OK; k++)
        st = mnp_array_new(ctx, MNP_FLOAT32, whole, &arrays[k]);
    for (int k = 0; k < 2 && st == MNP_OK; k++)
        st = mnp_array_set_local(arrays[k], k == 0 ? x : y);
    if (st == MNP_OK)
        st =
            mnp_raw_kernel_launch(kernel_of(module, "add"), &(mnp_launch){.grid = {1}, .block = {64}},
                                  MNP_ARGS(MNP_ARG(arrays[0]), MNP_ARG(arrays[1]), MNP_ARG(arrays[2]), MNP_ARG(PAIRS)));
    if (st == MNP_OK)
        st = mnp_array_get_local(arrays[2], z);
    for (int i = 0; i < PAIRS && st == MNP_OK; i++) {
        volatile float left = x[i], right = y[i], sum;
        fesetround(FE_DOWNWARD);
        sum = left + right;
        fesetround(FE_TONEAREST);
        wrong += !(sum == z[i] && !signbit(sum) == !signbit(z[i])) && !(isnan(sum) && isnan(z[i]));
    }
    ok(st == MNP_OK && wrong == 0, "sums that are rounded down: %d of %d differ", wrong, (int)PAIRS);
    mnp_raw_module_free(module);
    mnp_layout_free(whole);
    mnp_free_all(arrays[2], arrays[1], arrays[0]);
}

static void check_prime_factors(void)
{
    static const char source[] =
        "extern \"C\" __global__ void prime_factors(int *total, long long n, long long first)\n"
        "{\n"
        "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n)\n"
        "        return;\n"
        "    int rest = (int)(first + i), sum = 0;\n"
        "    for (int p = 2; p * p <= rest; p++)\n"
        "        for (; rest % p == 0; rest /= p)\n"
        "            sum += p;\n"
        "    total[i] = sum + (rest > 1 ? rest : 0);\n"
        "}\n";
    const int64_t most = 1000000, size = most - 1;
    mnp_array *total = NULL;
    int *values = malloc((size_t)size * sizeof *values);
    mnp_raw_module *module = compile(source, &(mnp_raw_module_options){.name = "primes"});
    mnp_status st = mnp_empty(ctx, MNP_INT32, 1, &size, &total);
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(
            kernel_of(module, "prime_factors"), &(mnp_launch){.grid = {blocks_for(total, 256)}, .block = {256}},
            MNP_ARGS(MNP_ARG(total), MNP_ARG(mnp_array_local_size(total)), MNP_ARG(2 + mnp_array_local_lo(total)[0])));
    if (st == MNP_OK)
        st = mnp_array_to_host(total, MNP_ALL_RANKS, values);
    ok(st == MNP_OK && values[0] == 2 && values[1] == 3 && values[2] == 4 && values[size - 3] == 287 &&
           values[size - 2] == 77 && values[size - 1] == 42,
       "sums of prime factors of 2 .. %lld", (long long)most);
    free(values);
    mnp_raw_module_free(module);
    mnp_array_free(total);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    on_gpu = strcmp(mnp_ctx_device_kind(ctx), "cuda") == 0;
    ok(!mnp_ctx_stream(ctx) == !on_gpu, "GPUs have a stream");
    check_two_kernels();
    check_refused();
    check_templates();
    check_block_sums();
    check_rewriting();
    check_language();
    check_places();
    check_compile_errors();
    check_header();
    check_rounding();
    check_prime_factors();
    mnp_finalize(ctx);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
