/*
 * The products of every format, with and without a dot, and what a part is examined by, compile for the oldest and the newest
 * GPUs that we care about.  Needs no GPU.
 */
#include <config.h>

#include "../tap.h"

#ifdef HAVE_CUDA

#include <stdlib.h>

#include "jit/jit.h"

static const struct {
    const char *value, *vector, *wide, *offset;
    int lanes, block, conjugate;
} kinds[] = {{"float", "float", "double", "int32_t", 2, 3, 0},
             {"double", "double", "double", "int64_t", 1, 2, 0},
             {"double", "mnp_complex128", "mnp_complex128", "int64_t", 32, 1, 0},
             {"mnp_complex64", "mnp_complex128", "mnp_complex128", "int32_t", 1, 4, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A format's product, as lib/sparse/product.c asks for it. */
static const struct {
    const char *format;
    bool stream, wide, dot, adds;
} products[] = {{.format = "CSR"}, {.format = "CSR", .wide = true}, {.format = "CSR", .dot = true},
                {.format = "CSR", .dot = true, .adds = true}, {.format = "CSR", .adds = true},
                {.format = "CSR", .stream = true}, {.format = "CSR", .stream = true, .dot = true},
                {.format = "CSR", .stream = true, .dot = true, .adds = true},
                {.format = "CSC", .adds = true}, {.format = "CSC", .adds = true, .wide = true},
                {.format = "COO", .adds = true}, {.format = "COO", .adds = true, .wide = true},
                {.format = "DIA"}, {.format = "DIA", .wide = true}, {.format = "DIA", .dot = true},
                {.format = "BSR"}, {.format = "BSR", .wide = true}, {.format = "BSR", .dot = true},
                {.format = "SELL"}, {.format = "SELL", .wide = true}, {.format = "SELL", .dot = true}};
enum { PRODUCTS = sizeof products / sizeof *products };

static void compile(const mnp__compiler *compiler, int architecture, const char *function, const char *defines,
                    const char *what)
{
    const mnp__kernel_spec spec = {.file = "spmv.cu", .function = function, .defines = defines};
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

static void compile_product(const mnp__compiler *compiler, int architecture, int p, int k)
{
    char defines[1024], what[128];
    snprintf(defines, sizeof defines,
             "#define MNP_VALUE %s\n#define MNP_VECTOR %s\n#define MNP_OFFSET %s\n#define MNP_FORMAT_%s 1\n"
             "#define MNP_ADDS %d\n#define MNP_WIDE %d\n#define MNP_CONJUGATE %d\n#define MNP_DOT %d\n#define MNP_W %s\n"
             "#define MNP_STREAM %d\n#define MNP_LANES %d\n#define MNP_BLOCK %d\n", kinds[k].value, kinds[k].vector,
             kinds[k].offset, products[p].format, products[p].adds, products[p].wide, kinds[k].conjugate, products[p].dot,
             kinds[k].wide, products[p].stream, kinds[k].lanes, kinds[k].block);
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
