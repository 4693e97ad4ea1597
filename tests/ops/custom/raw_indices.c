/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of type int that CUDA kernels compute from the place of a thread: on the host they have another type, which
 * must not be noticed (kernels/custom/raw_index.h).  The same expressions are computed here, by C.
 */
#include <maniple.h>

#include <string.h>

#include "tests/tap.h"

static mnp_ctx *ctx;

enum { BLOCKS = 3, THREADS = 13, ROWS = 2, SIZE = BLOCKS * THREADS * ROWS };

/* Expressions of i, which is negative for some threads, of j and k, and of variables of other types. */
#define EXPRESSIONS(X)                                                                                                 \
    X(i)                                                                                                               \
    X(-i + ~j - +k)                                                                                                    \
    X(i * 5 + j * k - 3)                                                                                               \
    X((i - 10) / 3 + (i - 10) % 3)                                                                                     \
    X(100 / (i * i + 1) + 7 % ((j & 3) + 1))                                                                           \
    X((i & 6) + (i | 9) + (5 ^ i))                                                                                     \
    X(((i & 63) << 3) + (1 << (i & 7)) + (i >> 1) + ((i & 7) << (j & 3)))                                              \
    X(i - 5 < 2u)                                                                                                      \
    X((i - 5) / 3u)                                                                                                    \
    X(i * 2654435761u >> 7)                                                                                            \
    X((i - 7) * 3000000000ll)                                                                                          \
    X(i + wide - 1)                                                                                                    \
    X((i - 3) * 0.5f + 1.25 * i)                                                                                       \
    X((short)(i - 9) + (unsigned char)i + (long long)i)                                                                \
    X((double)i / 3 + (float)j)                                                                                        \
    X(i > 2 ? i - 1 : 0)                                                                                               \
    X(i > 2 ? 7 : j)                                                                                                   \
    X(!i + (i && j) + (i || k) + (i == n) + (n != i) + (i <= j) + (2 >= i) + (j > i))                                  \
    X(table[i & 3] + table[3 - (i & 3)] + *(table + (j & 3)))

/* The same variables in C and in CUDA, and what changes them. */
#define VARIABLES                                                                                                      \
    int j = i + 4, k = (i - j) * i;                                                                                    \
    const long long wide = 5000000000ll;                                                                               \
    const double table[4] = {2, 3, 5, 7};
#define CHANGES                                                                                                        \
    int m = i * 2;                                                                                                     \
    m += 3;                                                                                                            \
    m -= j;                                                                                                            \
    m *= 2;                                                                                                            \
    m %= 17;                                                                                                           \
    k += m++;                                                                                                          \
    k += --m;                                                                                                          \
    m = 2.75 * m;                                                                                                      \
    for (int q = i + 1; q < i + 5; ++q)                                                                                \
        m += q & 3;

#define IN_C(expression) wanted[count++] = (double)(expression);
#define TEXT(expression) "    results[count++ * total + at] = (double)(" #expression ");\n"
#define AS_TEXT_(...) #__VA_ARGS__
#define AS_TEXT(...) AS_TEXT_(__VA_ARGS__)
#define ONE(expression) +1
enum { RESULTS = 0 EXPRESSIONS(ONE) + 1 };

/* An error where the compiler is asked for plain indices, as it is after an attempt that failed. */
static const char source[] =
    "#ifdef MNP_PLAIN_INDICES\n"
    "#error they were to compile at once\n"
    "#endif\n"
    "extern \"C\" __global__ void compute(int n, int total, double *results)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x - 6;\n"
    "    const int row = blockIdx.y, at = row * total / 2 + i + 6;\n"
    "    int count = 0;\n" AS_TEXT(VARIABLES) "\n" AS_TEXT(CHANGES) "\n" EXPRESSIONS(TEXT) TEXT(m) "}\n";

/* Types are mixed on purpose. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
static void compute(int i, int n, double *wanted)
{
    int count = 0;
    VARIABLES
    CHANGES
    EXPRESSIONS(IN_C)
    IN_C(m)
}
#pragma GCC diagnostic pop

static mnp_status launch(const char *text, const char *name, int nargs, const mnp_argument *args)
{
    mnp_raw_module *module = NULL;
    mnp_raw_kernel *kernel;
    const mnp_launch grid = {.grid = {BLOCKS, ROWS}, .block = {THREADS}};
    mnp_status st = mnp_raw_module_new(ctx, text, NULL, &module);
    if (st == MNP_OK)
        st = mnp_raw_module_kernel(module, name, &kernel);
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel, &grid, nargs, args);
    mnp_raw_module_free(module);
    return st;
}

static void check_expressions(void)
{
#define NAME(expression) #expression,
    static const char *const names[RESULTS] = {EXPRESSIONS(NAME) "m, which changes"};
    static double got[RESULTS][ROWS][BLOCKS * THREADS], wanted[RESULTS];
    mnp_array *results = NULL;
    const int64_t size = (int64_t)RESULTS * SIZE * mnp_ctx_size(ctx);
    bool right[RESULTS];
    mnp_status st = mnp_zeros(ctx, MNP_FLOAT64, 1, &size, &results);
    if (st == MNP_OK)
        st = launch(source, "compute", MNP_ARGS(MNP_ARG(9), MNP_ARG((int)SIZE), MNP_ARG(results)));
    if (st == MNP_OK)
        st = mnp_array_get_local(results, got);
    ok(st == MNP_OK, "a kernel of %d expressions runs%s%s", (int)RESULTS, st ? ": " : "",
       st ? mnp_error_message() : "");
    memset(right, st == MNP_OK, sizeof right);
    for (int t = 0; t < BLOCKS * THREADS; t++) {
        compute(t - 6, 9, wanted);
        for (int r = 0; r < RESULTS; r++)
            for (int row = 0; row < ROWS; row++)
                right[r] = right[r] && got[r][row][t] == wanted[r];
    }
    for (int r = 0; r < RESULTS; r++)
        ok(right[r], "as in C: %s", names[r]);
    mnp_array_free(results);
}

/* Texts that take nothing but int, and texts in which int has to stay. */
static void check_plain(void)
{
    static const struct {
        const char *what, *text;
    } cases[] = {
        {"both arguments of a template are int", "largest(i, 3)"},
        {"a size", "i + (int)sizeof i"},
        {"an address", "through(&i)"},
        {"a reference", "changed(i)"},
        {"a type that is told", "(decltype(i))(i + 0.5)"},
        {"a function of any type", "overloaded(i)"},
    };
    double got[SIZE];
    mnp_array *results = NULL;
    mnp_status st = mnp_zeros(ctx, MNP_FLOAT64, 1, (const int64_t[]){SIZE * (int64_t)mnp_ctx_size(ctx)}, &results);
    for (size_t c = 0; c < sizeof cases / sizeof *cases && st == MNP_OK; c++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "template <typename T> __device__ T largest(T a, T b) { return a < b ? b : a; }\n"
                 "__device__ int through(int *p) { return *p; }\n"
                 "__device__ int changed(int &i) { return i; }\n"
                 "__device__ int overloaded(int i) { return i; }\n"
                 "__device__ int overloaded(double x) { return -1; }\n"
                 "extern \"C\" __global__ void fill(double *results)\n"
                 "{\n"
                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "    results[i] = %s;\n"
                 "}\n",
                 cases[c].text);
        st = launch(text, "fill", MNP_ARGS(MNP_ARG(results)));
        if (st == MNP_OK)
            st = mnp_array_get_local(results, got);
        bool right = st == MNP_OK;
        for (int t = 0; t < BLOCKS * THREADS; t++)
            right = right && got[t] == (c == 0 && t < 3 ? 3 : c == 1 ? t + 4 : t);
        ok(right, "%s: %s", cases[c].what, cases[c].text);
    }
    mnp_array_free(results);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    check_expressions();
    check_plain();
    mnp_finalize(ctx);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
