/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram kernels of all kinds compile for the oldest and the newest GPU that we care about.  Needs no GPU.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include "tests/jit/compile_kernels.h"
#include "kernels/statistics/histogram_params.h"

static const struct kernel_case {
    const char *element, *compared;
    int bins;
    const char *estimate, *bin;
    const char *weight; /* NULL: none */
    const char *sum;
    int shared;
} cases[] = {
    {"float", "float", MNP_BINS_EVEN, "float", "int32_t", NULL, "int64_t", 1},
    {"uint8_t", "double", MNP_BINS_EVEN, "float", "int32_t", NULL, "int64_t", 1},
    {"double", "double", MNP_BINS_EVEN, "double", "int64_t", NULL, "int64_t", 0},
    {"mnp_float16", "mnp_float16", MNP_BINS_EVEN, "float", "int32_t", "float", "double", 1},
    {"float", "double", MNP_BINS_SEARCH, "double", "int32_t", NULL, "int64_t", 1},
    {"mnp_bfloat16", "mnp_bfloat16", MNP_BINS_SEARCH, "double", "int32_t", "mnp_complex64", "mnp_complex128", 0},
    {"mnp_bool", "int64_t", MNP_BINS_NUMBERS, "double", "int32_t", "int16_t", "int64_t", 1},
    {"int64_t", "int64_t", MNP_BINS_NUMBERS, "double", "int64_t", NULL, "int64_t", 0},
};

static void compile(const mnp__compiler *compiler, const struct kernel_case *c, int architecture)
{
    char defines[512], what[128];
    snprintf(defines, sizeof defines,
             "#define MNP_ELEMENT %s\n#define MNP_COMPARED %s\n#define MNP_BINS %d\n#define MNP_ARITHMETIC %s\n"
             "#define MNP_ESTIMATE %s\n#define MNP_BIN %s\n#define MNP_WEIGHTED %d\n#define MNP_WEIGHT %s\n#define "
             "MNP_SUM %s\n"
             "#define MNP_SHARED %d\n",
             c->element, c->compared, c->bins, c->bins == MNP_BINS_EVEN ? c->compared : "double", c->estimate, c->bin,
             c->weight != NULL, c->weight ? c->weight : "int64_t", c->sum, c->shared);
    const mnp__kernel_spec spec = {.file = "statistics/histogram.cu", .function = "fill_histogram", .defines = defines};
    snprintf(what, sizeof what, "a histogram of %s by bins of kind %d, weights %s,", c->element, c->bins,
             c->weight ? c->weight : "none");
    compile_kernel(compiler, architecture, &spec, what);
}

static void compile_all(const mnp__compiler *compiler, int architecture)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        compile(compiler, &cases[c], architecture);
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
