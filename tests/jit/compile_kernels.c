/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every CUDA kernel of kernels/ compiles.
 *
 * The kernels whose source the library generates, and one that the host alone has, have tests of their own, which
 * families[] names.  The others are compiled here with definitions as the library writes them: see typical_arrays.h,
 * typical_signals.h and typical_sparse.h.  A kernel source that is in none of the lists fails the test.
 */
#include <config.h>

#include <string.h>

#include "tests/jit/harness.h"
#include "tests/jit/typical_arrays.h"
#include "tests/jit/typical_signals.h"
#include "tests/jit/typical_sparse.h"

static const struct {
    const kernel_case *cases;
    size_t count;
} typical[] = {{typical_arrays, sizeof typical_arrays / sizeof *typical_arrays},
               {typical_signals, sizeof typical_signals / sizeof *typical_signals},
               {typical_sparse, sizeof typical_sparse / sizeof *typical_sparse}};
enum { TYPICAL = sizeof typical / sizeof *typical };

static bool is_cuda_source(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

/* Kernels whose source the library generates, or that the host alone has, and the test that compiles them. */
static const struct {
    const char *file, *test;
} families[] = {{"custom/simulated.cu", "tests on simulated GPUs"},
                {"indexing/compact.cu", "tests/ops/indexing/select_kernels.c"},
                {"indexing/indexed.cu", "tests/ops/indexing/select_kernels.c"},
                {"indexing/numbers.cu", "tests/ops/indexing/select_kernels.c"},
                {"indexing/owners.cu", "tests/ops/indexing/select_kernels.c"},
                {"indexing/range.cu", "tests/ops/indexing/select_kernels.c"},
                {"indexing/scatter.cu", "tests/ops/indexing/select_kernels.c"},
                {"ndimage/distance.cu", "tests/ndimage/distances.py"},
                {"ndimage/distance_sweep.cu", "tests/ndimage/distances.py"},
                {"ndimage/label_strips.cu", "tests/ndimage/labels.py"},
                {"reduction/ufunc_reduce.cu", "tests/ops/scan/scan_kernels.c"},
                {"scan/scan.cu", "tests/ops/scan/scan_kernels.c"},
                {"sort/radix_sort.cu", "tests/ops/indexing/select_kernels.c"},
                {"sparse/krylov/basis.cu", "tests/sparse/solver_kernels.c"},
                {"sparse/precond/level_sweep.cu", "tests/sparse/solver_kernels.c"},
                {"sparse/precond/permute_rows.cu", "tests/sparse/solver_kernels.c"},
                {"sparse/product/spmv.cu", "tests/sparse/spmv_kernels.c"},
                {"sparse/step/step.cu", "tests/sparse/solver_kernels.c"},
                {"statistics/histogram.cu", "tests/ops/statistics/histogram_kernels.c"}};
enum { FAMILIES = sizeof families / sizeof *families };

/* Each kernel source is in one of the lists; no test would compile one that is in none. */
static void all_are_listed(void)
{
    for (const struct mnp__kernel_source *source = mnp__kernel_sources; source->name; source++) {
        const char *test = NULL;
        for (int i = 0; i < TYPICAL; i++)
            for (size_t k = 0; k < typical[i].count; k++)
                test = strcmp(typical[i].cases[k].file, source->name) == 0 ? "this test" : test;
        for (int i = 0; i < FAMILIES; i++)
            test = strcmp(families[i].file, source->name) == 0 ? families[i].test : test;
        if (is_cuda_source(source->name))
            ok(test != NULL, "%s is compiled by %s", source->name, test ? test : "no test");
    }
}

static void run(void)
{
    for (int i = 0; i < TYPICAL; i++)
        for (size_t k = 0; k < typical[i].count; k++)
            check_kernel(&typical[i].cases[k]);
    all_are_listed();
}

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
