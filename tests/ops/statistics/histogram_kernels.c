/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram kernels of all kinds compile for GPUs.
 */
#include <config.h>

#include "tests/jit/harness.h"

#include "kernels/statistics/histogram_params.h"

static const struct histogram_case {
    const char *element, *compared;
    int bins;
    const char *estimate, *bin;
    const char *weight; /* NULL: none */
    const char *sum;
    int shared, copies;
} cases[] = {
    {"float", "float", MNP_BINS_EVEN, "float", "int32_t", NULL, "int64_t", 1, 0},
    {"uint8_t", "double", MNP_BINS_EVEN, "float", "int32_t", NULL, "int64_t", 1, 0},
    {"double", "double", MNP_BINS_EVEN, "double", "int64_t", NULL, "int64_t", 0, 0},
    {"mnp_float16", "mnp_float16", MNP_BINS_EVEN, "float", "int32_t", "float", "double", 1, 1},
    {"float", "double", MNP_BINS_SEARCH, "double", "int32_t", NULL, "int64_t", 1, 0},
    {"mnp_bfloat16", "mnp_bfloat16", MNP_BINS_SEARCH, "double", "int32_t", "mnp_complex64", "mnp_complex128", 0, 0},
    {"mnp_bool", "int64_t", MNP_BINS_NUMBERS, "double", "int32_t", "int16_t", "int64_t", 1, 0},
    {"double", "double", MNP_BINS_SEARCH, "double", "int32_t", "mnp_complex128", "mnp_complex128", 1, 1},
    {"int64_t", "int64_t", MNP_BINS_NUMBERS, "double", "int64_t", NULL, "int64_t", 0, 0},
};

static void check_histogram(const struct histogram_case *c)
{
    char definitions[512];
    snprintf(definitions, sizeof definitions,
             "MNP_ELEMENT %s; MNP_COMPARED %s; MNP_BINS %d; MNP_ARITHMETIC %s; MNP_ESTIMATE %s; MNP_BIN %s; "
             "MNP_WEIGHTED %d; MNP_WEIGHT %s; MNP_SUM %s; MNP_SHARED %d; MNP_COPIES %d",
             c->element, c->compared, c->bins, c->bins == MNP_BINS_EVEN ? c->compared : "double", c->estimate, c->bin,
             c->weight != NULL, c->weight ? c->weight : "int64_t", c->sum, c->shared, c->copies);
    check_kernel(
        &(kernel_case){.file = "statistics/histogram.cu", .function = "fill_histogram", .definitions = definitions});
}

static void run(void)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        check_histogram(&cases[c]);
}

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
