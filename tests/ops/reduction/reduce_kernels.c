/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernels reductions choose on a GPU, and that each of them compiles: a case states an array and axes, and what
 * the kernel and the grids of its launches must be, in the words of describe().
 */
#include <config.h>

#include <string.h>

#include <maniple/reduce.h>

#include "tests/jit/harness.h"

#include "ops/reduction/reduction_plan.h"

static void describe(const mnp__kernel_spec *spec)
{
    snprintf(gpu.chosen, sizeof gpu.chosen, "%s %d to %d, %dx%dx%d:",
             definition(spec, "MNP_COLUMNS") ? "columns"
             : definition(spec, "MNP_TILED") ? "tiles"
             : definition(spec, "MNP_OUTS")  ? "short rows"
                                             : "rows",
             definition(spec, "MNP_KEPT") + definition(spec, "MNP_REDUCED"), definition(spec, "MNP_KEPT"),
             definition(spec, "MNP_VECTOR"), definition(spec, "MNP_ALONG"), definition(spec, "MNP_UNROLL"));
    gpu.failures += spec->shared_bytes > 48 << 10;
}

typedef mnp_status (*reducer)(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

static const struct reduce_case {
    const char *what, *kernel;
    reducer function;
    mnp_dtype dtype;
    int ndim, naxes, axes[3];
    int64_t shape[4], strides[4];
    size_t address; /* beyond a multiple of 256 */
    bool masked;
} cases[] = {
    {"a sum of all", "rows 2 to 1, 4x4x1: 2112 1", mnp_sum, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"all of a matrix",
     "rows 2 to 1, 4x4x1: 2112 1",
     mnp_sum,
     MNP_FLOAT32,
     2,
     0,
     {0},
     {16384, 16384},
     {16384, 1},
     0,
     false},
    {"not aligned", "rows 2 to 1, 4x4x1: 2112 1", mnp_sum, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 4, false},
    {"bytes", "rows 2 to 1, 16x4x1: 2112 1", mnp_count_nonzero, MNP_UINT8, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"float16", "rows 2 to 1, 8x4x1: 2112 1", mnp_sum, MNP_FLOAT16, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"complex numbers", "rows 2 to 1, 1x4x1: 2112 1", mnp_max, MNP_COMPLEX128, 1, 0, {0}, {1 << 26}, {1}, 0, false},
    {"an index of all", "rows 2 to 1, 4x4x1: 2112 1", mnp_argmax, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"a variance", "rows 2 to 1, 4x4x1: 2112 1", mnp_var, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"rows", "rows 2 to 1, 4x4x1: 8192", mnp_sum, MNP_FLOAT32, 2, 1, {1}, {16384, 16384}, {16384, 1}, 0, false},
    {"columns",
     "columns 2 to 1, 4x1x4: 2048 64",
     mnp_sum,
     MNP_FLOAT32,
     2,
     1,
     {0},
     {16384, 16384},
     {16384, 1},
     0,
     false},
    {"rows of a transpose",
     "columns 2 to 1, 4x1x4: 2048 64",
     mnp_sum,
     MNP_FLOAT32,
     2,
     1,
     {1},
     {16384, 16384},
     {1, 16384},
     0,
     false},
    {"a variance of columns",
     "columns 2 to 1, 4x1x4: 2048 64",
     mnp_var,
     MNP_FLOAT32,
     2,
     1,
     {0},
     {16384, 16384},
     {16384, 1},
     0,
     false},
    {"an index in columns",
     "columns 2 to 1, 2x1x4: 2048 1024",
     mnp_argmin,
     MNP_FLOAT64,
     2,
     1,
     {0},
     {16384, 8192},
     {8192, 1},
     0,
     false},
    {"short rows", "tiles 2 to 1, 1x4x1: 3907", mnp_mean, MNP_FLOAT64, 2, 1, {1}, {1000000, 8}, {8, 1}, 0, false},
    {"few columns", "tiles 2 to 1, 1x4x1: 528 3", mnp_prod, MNP_INT32, 2, 1, {0}, {10000000, 3}, {3, 1}, 0, false},
    {"the middle",
     "columns 3 to 2, 4x1x4: 1000",
     mnp_min,
     MNP_FLOAT32,
     3,
     1,
     {1},
     {1000, 300, 128},
     {38400, 128, 1},
     0,
     false},
    {"the outside",
     "rows 3 to 1, 4x4x1: 2100 7",
     mnp_ptp,
     MNP_FLOAT32,
     3,
     2,
     {0, 2},
     {1000, 50, 4096},
     {204800, 4096, 1},
     0,
     false},
    {"with a mask", "rows 2 to 1, 4x2x1: 2112 1", mnp_nanmean, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, true},
    {"four dimensions with gaps",
     "columns 4 to 2, 1x2x4: 2112 704",
     mnp_all,
     MNP_FLOAT64,
     4,
     2,
     {0, 2},
     {512, 44, 32, 128},
     {2000000, 40000, 1000, 2},
     0,
     false},
    {"rows of three", "tiles 2 to 1, 1x4x1: 14564", mnp_sum, MNP_FLOAT32, 2, 1, {1}, {22369621, 3}, {3, 1}, 0, false},
    {"rows of two", "tiles 2 to 1, 1x4x1: 58255", mnp_max, MNP_FLOAT32, 2, 1, {1}, {134217728, 2}, {2, 1}, 0, false},
    {"three long rows",
     "tiles 2 to 1, 1x2x4: 21846",
     mnp_sum,
     MNP_FLOAT32,
     2,
     1,
     {0},
     {3, 22369621},
     {22369621, 1},
     0,
     false},
    {"odd rows", "tiles 2 to 1, 1x4x1: 14912", mnp_std, MNP_FLOAT32, 2, 1, {1}, {164025, 405}, {405, 1}, 0, false},
    {"every other dimension",
     "tiles 4 to 2, 1x4x1: 455 7",
     mnp_sum,
     MNP_FLOAT32,
     4,
     2,
     {1, 3},
     {91, 221, 19, 23},
     {96577, 437, 23, 1},
     0,
     false},
    {"the outside, odd",
     "tiles 3 to 1, 1x4x1: 510 51",
     mnp_sum,
     MNP_FLOAT32,
     3,
     2,
     {0, 2},
     {405, 405, 405},
     {164025, 405, 1},
     0,
     false},
    {"the middle, odd",
     "tiles 3 to 2, 1x2x2: 2025 641",
     mnp_sum,
     MNP_FLOAT32,
     3,
     1,
     {1},
     {405, 405, 405},
     {164025, 405, 1},
     0,
     false},
    {"indices of short rows",
     "tiles 2 to 1, 1x4x1: 1954",
     mnp_argmax,
     MNP_FLOAT32,
     2,
     1,
     {1},
     {1000000, 7},
     {7, 1},
     0,
     false},
    {"layers of bytes at any address",
     "tiles 3 to 2, 1x2x4: 2500",
     mnp_max,
     MNP_INT8,
     3,
     1,
     {1},
     {500, 17, 4224},
     {73117, 4301, 1},
     1,
     false},
    {"bytes with gaps",
     "tiles 4 to 1, 1x4x1: 528 1",
     mnp_sum,
     MNP_INT8,
     3,
     0,
     {0},
     {1000000, 5, 2},
     {18, 3, 1},
     1,
     false},
    {"narrow layers",
     "tiles 2 to 1, 1x2x4: 528 782",
     mnp_argmax,
     MNP_FLOAT32,
     4,
     1,
     {2},
     {23, 2, 11633, 17},
     {17, 391, 782, 1},
     0,
     false},
    {"a variance of bytes", "rows 2 to 1, 16x4x1: 2048 1", mnp_var, MNP_INT8, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"a variance of columns of bytes",
     "columns 2 to 1, 4x1x8: 2048 64",
     mnp_std,
     MNP_UINT8,
     2,
     1,
     {0},
     {16384, 16384},
     {16384, 1},
     0,
     false},
    {"a variance of columns of float16",
     "columns 2 to 1, 4x1x8: 2296",
     mnp_std,
     MNP_FLOAT16,
     2,
     1,
     {0},
     {129, 587776},
     {587776, 1},
     0,
     false},
    {"a mean of columns of bytes",
     "columns 2 to 1, 4x1x8: 2048 64",
     mnp_mean,
     MNP_INT16,
     2,
     1,
     {0},
     {16384, 16384},
     {16384, 1},
     0,
     false},
    {"two rows of columns",
     "tiles 2 to 1, 1x2x4: 12231",
     mnp_mean,
     MNP_FLOAT16,
     2,
     1,
     {0},
     {2, 12524000},
     {12524000, 1},
     0,
     false},
    {"a broadcast dimension",
     "rows 2 to 1, 4x4x1: 266 1",
     mnp_sum,
     MNP_INT32,
     3,
     0,
     {0},
     {128000, 7, 17},
     {17, 0, 1},
     0,
     false},
    {"anything that is small",
     "rows 16 to 8, 1x8x1: 1",
     mnp_any,
     MNP_FLOAT64,
     3,
     1,
     {1},
     {3, 4, 5},
     {40, 10, 2},
     0,
     false},
};

/* The same in the reproducible mode. */
static const struct reduce_case steady_cases[] = {
    {"a steady sum of all", "rows 2 to 1, 4x4x1: 2112 1", mnp_sum, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"of float64", "rows 2 to 1, 2x4x1: 2112 1", mnp_sum, MNP_FLOAT64, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"of float16, not aligned",
     "rows 2 to 1, 1x8x1: 2112 1",
     mnp_sum,
     MNP_FLOAT16,
     1,
     0,
     {0},
     {1 << 28},
     {1},
     2,
     false},
    {"a steady mean, with a mask",
     "rows 2 to 1, 2x2x1: 2112 1",
     mnp_nanmean,
     MNP_COMPLEX64,
     1,
     0,
     {0},
     {1 << 28},
     {1},
     0,
     true},
    {"columns of steady sums",
     "columns 2 to 1, 4x1x4: 2048 64",
     mnp_sum,
     MNP_FLOAT32,
     2,
     1,
     {0},
     {16384, 16384},
     {16384, 1},
     0,
     false},
    {"columns of complex numbers",
     "columns 2 to 1, 1x1x4: 2048 512",
     mnp_sum,
     MNP_COMPLEX128,
     2,
     1,
     {0},
     {16384, 4096},
     {4096, 1},
     0,
     false},
    {"steady sums of short rows",
     "rows 2 to 1, 1x8x1: 3907",
     mnp_sum,
     MNP_FLOAT32,
     2,
     1,
     {1},
     {1000000, 7},
     {7, 1},
     0,
     false},
    {"a steady variance", "rows 2 to 1, 4x4x1: 2112 1", mnp_var, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"a steady maximum", "rows 2 to 1, 2x4x1: 2112 1", mnp_max, MNP_FLOAT64, 1, 0, {0}, {1 << 27}, {1}, 0, false},
    {"anything that is small",
     "rows 16 to 8, 1x8x1: 1",
     mnp_sum,
     MNP_COMPLEX64,
     3,
     1,
     {1},
     {3, 4, 5},
     {40, 10, 2},
     0,
     false},
};

static mnp_array array_of(const struct reduce_case *c, mnp_dtype dtype)
{
    return array_without_memory(c->address, dtype, c->ndim, c->shape, c->strides);
}

static void run_case(const struct reduce_case *c)
{
    mnp_array x = array_of(c, c->dtype), where = array_of(c, MNP_BOOL), *result = NULL;
    mnp_axes axes = {.count = c->naxes, .where = c->masked ? &where : NULL};
    memcpy(axes.axes, c->axes, sizeof c->axes);
    forget_kernels();
    mnp_status st = c->function(&x, &axes, &result);
    ok(st == MNP_OK && gpu.failures == 0 && strcmp(gpu.chosen, c->kernel) == 0, "%s: %s", c->what,
       st == MNP_OK ? gpu.chosen : mnp_error_message());
    mnp_array_free(result);
    mnp_layout_free(x.layout);
    mnp_layout_free(where.layout);
}

/* Reductions that the user defines: with a type of their own, complex numbers, a mask. */
static void custom(const struct reduce_case *c, const char *type, const char *map, const char *reduce, const char *post)
{
    mnp_array x = array_of(c, c->dtype), where = array_of(c, MNP_BOOL), *result = NULL;
    mnp_axes axes = {.count = c->naxes, .where = c->masked ? &where : NULL};
    mnp_reduction_options options = {.type = type, .preamble = "struct pair { double sum, squares; };"};
    mnp_reduction *reduction = NULL;
    const mnp_array *inputs[] = {&x};
    memcpy(axes.axes, c->axes, sizeof c->axes);
    forget_kernels();
    mnp_status st = mnp_reduction_new(&gpu.ctx, "T x", "float64 y", map, reduce, post, type ? "pair{0, 0}" : "0",
                                      &options, &reduction);
    if (st == MNP_OK)
        st = mnp_reduction_call(reduction, 1, inputs, &axes, 1, (mnp_array * *[]){&result});
    ok(st == MNP_OK && gpu.failures == 0 && strcmp(gpu.chosen, c->kernel) == 0, "%s: %s", c->what,
       st == MNP_OK ? gpu.chosen : mnp_error_message());
    mnp_array_free(result);
    mnp_layout_free(x.layout);
    mnp_layout_free(where.layout);
    mnp_reduction_free(reduction);
}

static void test_custom(void)
{
    static const struct reduce_case complexes = {"the norm of complex numbers",
                                                 "columns 2 to 1, 2x1x2: 2048 1024",
                                                 NULL,
                                                 MNP_COMPLEX64,
                                                 2,
                                                 1,
                                                 {0},
                                                 {16384, 8192},
                                                 {8192, 1},
                                                 0,
                                                 true};
    static const struct reduce_case pairs = {
        "two sums at once", "rows 2 to 1, 4x4x1: 2112 1", NULL, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false};
    custom(&complexes, NULL, "norm(x)", "a + b", "y = sqrt(a)");
    custom(&pairs, "pair", "pair{x, (double)x * x}", "pair{a.sum + b.sum, a.squares + b.squares}", "y = a.squares / n");
}

static void run(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
    test_custom();
    gpu.ctx.config.is_reproducible = true;
    for (size_t i = 0; i < sizeof steady_cases / sizeof *steady_cases; i++)
        run_case(&steady_cases[i]);
}

int main(void)
{
    gpu.describe = describe;
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
