/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The products of every format, with and without a dot, and what a part is examined by, compile for the oldest and the
 * newest GPUs that we care about.  Needs no GPU.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include "tests/jit/compile_kernels.h"

static const struct {
    const char *value, *vector, *wide, *offset;
    int lanes, block, conjugate;
} kinds[] = {{"float", "float", "double", "int32_t", 2, 3, 0},
             {"double", "double", "double", "int64_t", 1, 2, 0},
             {"double", "mnp_complex128", "mnp_complex128", "int64_t", 32, 1, 0},
             {"mnp_complex64", "mnp_complex128", "mnp_complex128", "int32_t", 1, 4, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A format's product, as lib/sparse/product/spmv.c asks for it. */
static const struct {
    const char *format;
    bool stream, wide, dot, adds;
} products[] = {{.format = "CSR"},
                {.format = "CSR", .wide = true},
                {.format = "CSR", .dot = true},
                {.format = "CSR", .dot = true, .adds = true},
                {.format = "CSR", .adds = true},
                {.format = "CSR", .stream = true},
                {.format = "CSR", .stream = true, .dot = true},
                {.format = "CSR", .stream = true, .dot = true, .adds = true},
                {.format = "CSC", .adds = true},
                {.format = "CSC", .adds = true, .wide = true},
                {.format = "COO", .adds = true},
                {.format = "COO", .adds = true, .wide = true},
                {.format = "DIA"},
                {.format = "DIA", .wide = true},
                {.format = "DIA", .dot = true},
                {.format = "BSR"},
                {.format = "BSR", .wide = true},
                {.format = "BSR", .dot = true},
                {.format = "SELL"},
                {.format = "SELL", .wide = true},
                {.format = "SELL", .dot = true}};
enum { PRODUCTS = sizeof products / sizeof *products };

static void compile(const mnp__compiler *compiler, int architecture, const char *function, const char *defines,
                    const char *what)
{
    const mnp__kernel_spec spec = {.file = "sparse/product/spmv.cu", .function = function, .defines = defines};
    compile_kernel(compiler, architecture, &spec, what);
}

static void compile_product(const mnp__compiler *compiler, int architecture, int p, int k)
{
    char defines[1024], what[128];
    snprintf(defines, sizeof defines,
             "#define MNP_VALUE %s\n#define MNP_VECTOR %s\n#define MNP_OFFSET %s\n#define MNP_FORMAT_%s 1\n"
             "#define MNP_ADDS %d\n#define MNP_WIDE %d\n#define MNP_CONJUGATE %d\n#define MNP_DOT %d\n#define MNP_W "
             "%s\n"
             "#define MNP_STREAM %d\n#define MNP_LANES %d\n#define MNP_BLOCK %d\n",
             kinds[k].value, kinds[k].vector, kinds[k].offset, products[p].format, products[p].adds, products[p].wide,
             kinds[k].conjugate, products[p].dot, kinds[k].wide, products[p].stream, kinds[k].lanes, kinds[k].block);
    snprintf(what, sizeof what, "%s%s of %s by %s%s%s%s", products[p].format, products[p].stream ? " as a stream" : "",
             kinds[k].value, products[p].wide ? "several " : "", kinds[k].vector, products[p].dot ? ", with a dot" : "",
             products[p].adds ? ", added" : "");
    compile(compiler, architecture, "spmv", defines, what);
}

/* Every product for two of the kinds: all of them would take a quarter of a minute. */
static void compile_all(const mnp__compiler *compiler, int architecture)
{
    static const char *const tasks[] = {"STARTS", "SLICES", "DIAGONALS", "SELL", "DIA"};
    for (int p = 0; p < PRODUCTS; p++)
        for (int k = p % 2; k < KINDS; k += 2)
            compile_product(compiler, architecture, p, k);
    for (int t = 0; t < (int)(sizeof tasks / sizeof *tasks); t++) {
        for (int k = t % 2; k < KINDS; k += 2) {
            char defines[512], what[128];
            snprintf(defines, sizeof defines, "#define MNP_VALUE %s\n#define MNP_OFFSET %s\n#define MNP_TASK_%s 1\n",
                     kinds[k].value, kinds[k].offset, tasks[t]);
            snprintf(what, sizeof what, "the task %s of %s", tasks[t], kinds[k].value);
            compile(compiler, architecture, "spmv_examine", defines, what);
        }
    }
}

int main(void)
{
    for_architectures(compile_all);
    return done_testing();
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
