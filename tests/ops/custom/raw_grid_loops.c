/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grid-stride loops of CUDA kernels, which the host runs turn by turn for all threads of a row where that makes no
 * difference (lib/jit/raw_grid_loop.h).  Every kernel is run as it is and beside a macro that forbids this, and must
 * have the same results; and those that can be turned are.
 */
#include <maniple.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/jit.h"
#include "tests/tap.h"

enum { BLOCKS = 3, THREADS = 5, MOST = 103 };

static mnp_ctx *ctx;

#define FIRST "blockIdx.x * blockDim.x + threadIdx.x"
#define STEP "gridDim.x * blockDim.x"
#define LOOP "for (int i = " FIRST "; i < n; i += " STEP ") "

/* How a kernel is run: turn by turn; thread by thread, after an attempt that does not compile; or without one. */
typedef enum way { TURNS, AGAIN, THREADS_ALONE } way;

/* Bodies of kernels of `int n, const double *x, double *y, double *z`, or whole kernels. */
static const struct {
    const char *what, *body;
    way way;
} cases[] = {
    {"a plain loop", LOOP "y[i] = 2 * x[i] + 1;", TURNS},
    {"braces, variables and continue",
     LOOP "{ double v = x[i]; if (v < 30) continue; int j = i + 1; y[j - 1] = v + j; }", TURNS},
    {"a border", LOOP "y[i] = i > 0 && i < n - 1 ? x[i - 1] + x[i + 1] : 0;", TURNS},
    {"the names of number and step",
     "const int first = " FIRST ";\nint step = blockDim.x * gridDim.x, twice = 2 * step;\n"
     "for (int i = first; i < n; i += step) { y[i] = x[i] + twice + step; }",
     TURNS},
    {"64 bits and casts",
     "size_t step = (size_t)gridDim.x * blockDim.x;\n"
     "for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)n; i += step) y[i] = x[i] + i;",
     TURNS},
    {"unsigned numbers",
     "for (unsigned int i = threadIdx.x + blockDim.x * blockIdx.x; i < (unsigned)n; i += " STEP
     ") y[i] = 3 * x[i] - i;",
     TURNS},
    {"a bound that is computed",
     "const int last = n / 2; for (long long i = " FIRST "; i < last - 1; i += " STEP ") y[i] = i;", TURNS},
    {"nested loops", LOOP "{ double s = 0; for (int k = 0; k < i % 7; k++) s += x[k] * i; y[i] = s; }", TURNS},
    {"an index of an int", LOOP "{ int column = i % 10, row = i / 10; y[row * 10 + column] = column - row; }", TURNS},
    {"a size, with which the index stays int", LOOP "y[i] = sizeof i + x[i];", TURNS},
    {"atomic functions", LOOP "atomicAdd(z + i % 4, 1.0);", TURNS},
    {"places along y", "int row = blockIdx.y * blockDim.y + threadIdx.y;\n" LOOP "atomicAdd(y + i, (row + 1) * x[i]);",
     TURNS},
    {"a pragma and comments", "/* all */\n#pragma unroll\n" LOOP "// of them\n y[i] = x[i];", TURNS},
    {"a pointer that is const", "const double *const from = x + 0;\n" LOOP "y[i] = from[i];", TURNS},
    {"a pointer of its own", "double *to = y;\n" LOOP "to[i] = x[i];", TURNS},
    {"a number that adds up", "double sum = 0;\n" LOOP "{ sum += x[i]; y[i] = sum; }", AGAIN},
    {"a pointer that moves", "const double *from = x;\n" LOOP "{ y[i] = *from; from += 2; }", AGAIN},
    {"a parameter that changes", LOOP "{ y[i] = x[0]; x++; if (i > 60) x--; }", AGAIN},
    {"a bound that shrinks", LOOP "{ y[i] = n; n -= 3; }", AGAIN},
    {"an index that changes", LOOP "{ y[i] = x[i]; if (i == 7) i++; }", AGAIN},
    {"a bound that is no integer",
     "const double end = n / 3.0; for (int i = " FIRST "; i < end; i += " STEP ") y[i] = i;", AGAIN},
    {"a function that changes the index", "auto change = [&](int &k) { k += 1; };\n" LOOP "y[i] = x[i];",
     THREADS_ALONE},
    {"return", LOOP "{ if (x[i] > 40) return; y[i] = 1; }", THREADS_ALONE},
    {"break", LOOP "{ if (x[i] > 40) break; y[i] = 1; }", THREADS_ALONE},
    {"a statement behind it", LOOP "y[i] = 1;\nif (" FIRST " < 3) z[" FIRST "] = 2;", THREADS_ALONE},
    {"a statement in front of it", "if (n > 50) return;\n" LOOP "y[i] = 1;", THREADS_ALONE},
    {"a call in front of it", "const double old = atomicAdd(z, 1.0) * 0;\n" LOOP "y[i] = old;", THREADS_ALONE},
    {"the number in the body", "int first = " FIRST ";\nfor (int i = first; i < n; i += " STEP ") y[i] = first;",
     THREADS_ALONE},
    {"the place in the body", LOOP "y[i] = " FIRST ";", THREADS_ALONE},
    {"a value of the thread's number in front of it", "const double mine = x[" FIRST "];\n" LOOP "y[i] = mine;",
     THREADS_ALONE},
    {"an index of it in front of it", "const int twice = 2 * (" FIRST ");\n" LOOP "y[i] = twice + 1;", THREADS_ALONE},
    {"a bound of it", "for (int i = " FIRST "; i < n / (1 + (" FIRST ") % 3); i += " STEP ") y[i] = 1;", THREADS_ALONE},
    {"a macro with it", "#define MINE x[" FIRST "]\n" LOOP "y[i] = MINE;", THREADS_ALONE},
    {"a name of the number's name",
     "int first = " FIRST ", other = first;\nfor (int i = other; i < n; i += " STEP ") y[i] = first;", THREADS_ALONE},
    {"an array in front of it", "double seen[2] = {0, 0};\n" LOOP "{ y[i] = seen[0]; seen[0] = x[i]; }", THREADS_ALONE},
    {"a reference in front of it", "int &bound = n;\n" LOOP "{ y[i] = bound; }", THREADS_ALONE},
    {"a static variable", LOOP "{ static __device__ int k = 4; y[i] = k; }", THREADS_ALONE},
    {"another step", "for (int i = " FIRST "; i < n; i += 2 * " STEP ") y[i] = 1;", THREADS_ALONE},
    {"another question", "for (int i = " FIRST "; i <= n - 1; i += " STEP ") y[i] = 1;", THREADS_ALONE},
    {"a bound in memory", "for (int i = " FIRST "; i < (int)x[50]; i += " STEP ") y[i] = 1;", THREADS_ALONE},
    {"two loops", LOOP "y[i] = 1;\n" LOOP "y[i] += x[i];", THREADS_ALONE},
    {"a loop without braces", LOOP "for (int k = 0; k < 3; k++) y[i] += k;", THREADS_ALONE},
    {"a macro with return", "#define END_IF(what) if (what) return\n" LOOP "{ END_IF(x[i] > 40); y[i] = 1; }",
     THREADS_ALONE},
};

enum { NUM_CASES = sizeof cases / sizeof *cases };

static void add_kernel(size_t c, const char *name, mnp__text *text)
{
    mnp__text_add(text, "extern \"C\" __global__ void %s(int n, const double *x, double *__restrict__ y, double *z)\n",
                  name);
    mnp__text_add(text, "{\n%s\n}\n", cases[c].body);
}

/* A module of all kernels, case0 and so on, beside the macro. */
static mnp_status open_forbidden(mnp_raw_module **module_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    char name[32];
    for (size_t c = 0; c < NUM_CASES; c++) {
        snprintf(name, sizeof name, "case%zu", c);
        add_kernel(c, name, &text);
    }
    mnp__text_add(&text, "#define FORBID break\n");
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK)
        st = mnp_raw_module_new(ctx, text.data, NULL, module_p);
    mnp__text_free(&text);
    return st;
}

/* Whether the text that the host compiles has turns. */
static bool is_turned(const char *text)
{
    const mnp__kernel_spec spec = {.function = "run", .raw = true};
    char line[2048], *rewritten = NULL;
    snprintf(line, sizeof line, "#line 1 \"run.cu\"\n%s", text);
    const bool found = mnp__jit_rewrite_for_host(&spec, line, &rewritten) == MNP_OK && strstr(rewritten, "MNP_TURNS(");
    free(rewritten);
    return found;
}

/* Run a kernel on this rank's block for n elements; both results, one behind the other. */
static mnp_status run(mnp_raw_module *module, const char *name, int n, bool tall, double *results)
{
    mnp_raw_kernel *kernel;
    mnp_array *x = NULL, *y = NULL, *z = NULL;
    const int64_t size = (int64_t)MOST * mnp_ctx_size(ctx);
    const mnp_launch grid = {.grid = {BLOCKS, tall ? 2 : 1}, .block = {THREADS, tall ? 2 : 1}};
    mnp_status st = mnp_raw_module_kernel(module, name, &kernel);
    if (st == MNP_OK)
        st = mnp_arange(ctx, 0, (double)size, 1, MNP_FLOAT64, &x);
    if (st == MNP_OK)
        st = mnp_eval(ctx, "x = x % 103", MNP_IN(NULL, NULL), MNP_OUT("x", &x));
    if (st == MNP_OK)
        st = mnp_zeros(ctx, MNP_FLOAT64, 1, &size, &y);
    if (st == MNP_OK)
        st = mnp_zeros(ctx, MNP_FLOAT64, 1, &size, &z);
    if (st == MNP_OK)
        st = mnp_raw_kernel_launch(kernel, &grid, MNP_ARGS(MNP_ARG(n), MNP_ARG(x), MNP_ARG(y), MNP_ARG(z)));
    if (st == MNP_OK)
        st = mnp_array_get_local(y, results);
    if (st == MNP_OK)
        st = mnp_array_get_local(z, results + MOST);
    mnp_free_all(x, y, z);
    return st;
}

/* What the host compiles again, with plain indices, does not compile. */
static const char again[] = "#ifdef MNP_PLAIN_INDICES\n#error again\n#endif\n";

/*
 * A kernel that is run thread by thread is so as well in the module of all kernels, whose results only have to be
 * something.
 */
static void check_case(size_t c, mnp_raw_module *forbidden, bool on_gpu)
{
    static double got[2 * MOST], wanted[2 * MOST];
    mnp__text text = MNP__TEXT_EMPTY, guarded = MNP__TEXT_EMPTY;
    mnp_raw_module *module = NULL;
    mnp_status st = MNP_OK;
    char name[32];
    snprintf(name, sizeof name, "case%zu", c);
    add_kernel(c, "run", &text);
    mnp__text_add(&guarded, "%s%s#define FORBID break\n", again, text.data);
    ok(is_turned(text.data) == (cases[c].way != THREADS_ALONE) && !is_turned(guarded.data), "%s: it %s", cases[c].what,
       cases[c].way == THREADS_ALONE ? "is run thread by thread" : "can be turned");
    mnp__text_free(&guarded);
    mnp__text_add(&guarded, "%s%s", again, text.data);
    if (cases[c].way == AGAIN && !on_gpu) {
        ok(mnp_raw_module_new(ctx, guarded.data, NULL, &module) != MNP_OK, "and is not");
        mnp_raw_module_free(module);
    }
    module = NULL;
    if (cases[c].way != THREADS_ALONE)
        st = mnp_raw_module_new(ctx, cases[c].way == TURNS ? guarded.data : text.data, NULL, &module);
    mnp__text_free(&text);
    mnp__text_free(&guarded);
    const int sizes[] = {MOST, 0, 1, 7, 61};
    bool same = true, any = false;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && same; k++) {
        const bool tall = strstr(cases[c].body, "blockIdx.y") != NULL;
        if (st == MNP_OK)
            st = run(forbidden, name, sizes[k], tall, wanted);
        if (st == MNP_OK && module)
            st = run(module, "run", sizes[k], tall, got);
        same = st == MNP_OK && (!module || memcmp(got, wanted, sizeof got) == 0);
        for (int i = 0; i < 2 * MOST; i++)
            any = any || wanted[i] != 0;
    }
    ok(same && any, "the same results%s%s", same ? "" : ": ", same ? "" : mnp_error_message());
    mnp_raw_module_free(module);
}

int main(void)
{
    mnp_raw_module *forbidden = NULL;
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    if (ok(open_forbidden(&forbidden) == MNP_OK, "a module of all kernels")) {
        for (size_t c = 0; c < NUM_CASES; c++)
            check_case(c, forbidden, strcmp(mnp_ctx_device_kind(ctx), "cuda") == 0);
    } else {
        printf("# %s\n", mnp_error_message());
    }
    mnp_raw_module_free(forbidden);
    mnp_finalize(ctx);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
