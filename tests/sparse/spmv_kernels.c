/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels that multiply a sparse matrix by vectors compile for GPUs, in every format, with a dot product and
 * without, as do those that examine a matrix.
 */
#include <config.h>

#include "tests/jit/harness.h"

static const struct {
    const char *value, *vector, *wide, *offset;
    int lanes, block, conjugate;
} kinds[] = {{"float", "float", "double", "int32_t", 2, 3, 0},
             {"double", "double", "double", "int64_t", 1, 2, 0},
             {"double", "mnp_complex128", "mnp_complex128", "int64_t", 32, 1, 0},
             {"mnp_complex64", "mnp_complex128", "mnp_complex128", "int32_t", 1, 4, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The products of each format that lib/sparse/product/spmv.c asks for. */
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

static void check_product(int p, int k)
{
    char definitions[512];
    snprintf(definitions, sizeof definitions,
             "MNP_VALUE %s; MNP_VECTOR %s; MNP_OFFSET %s; MNP_FORMAT_%s 1; MNP_ADDS %d; MNP_WIDE %d; "
             "MNP_CONJUGATE %d; MNP_DOT %d; MNP_W %s; MNP_STREAM %d; MNP_LANES %d; MNP_BLOCK %d",
             kinds[k].value, kinds[k].vector, kinds[k].offset, products[p].format, products[p].adds, products[p].wide,
             kinds[k].conjugate, products[p].dot, kinds[k].wide, products[p].stream, kinds[k].lanes, kinds[k].block);
    check_kernel(&(kernel_case){.file = "sparse/product/spmv.cu", .function = "spmv", .definitions = definitions});
}

static void check_task(const char *task, int k)
{
    char definitions[256];
    snprintf(definitions, sizeof definitions, "MNP_VALUE %s; MNP_OFFSET %s; MNP_TASK_%s 1", kinds[k].value,
             kinds[k].offset, task);
    check_kernel(
        &(kernel_case){.file = "sparse/product/spmv.cu", .function = "spmv_examine", .definitions = definitions});
}

/* Each product is compiled for two of the four kinds: all of them would take a quarter of a minute. */
static void run(void)
{
    static const char *const tasks[] = {"STARTS", "SLICES", "DIAGONALS", "SELL", "DIA"};
    for (int p = 0; p < PRODUCTS; p++)
        for (int k = p % 2; k < KINDS; k += 2)
            check_product(p, k);
    for (int t = 0; t < (int)(sizeof tasks / sizeof *tasks); t++)
        for (int k = t % 2; k < KINDS; k += 2)
            check_task(tasks[t], k);
}

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
