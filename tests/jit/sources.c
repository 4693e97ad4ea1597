/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each CUDA kernel of kernels/ is compiled by a test: compile_kernels.c, which has it in a list, or, where the library
 * generates the source or the host alone has the kernel, a test that families[] names.  This test only reads the lists,
 * so that make check finds a kernel that is in none.
 */
#include <config.h>

#include <string.h>

#include "tests/jit/harness.h"
#include "tests/jit/typical.h"

static bool is_cuda_source(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

/* The kernels that other tests compile. */
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

int main(void)
{
    for (const struct mnp__kernel_source *source = mnp__kernel_sources; source->name; source++) {
        const char *test = NULL;
        for (int i = 0; i < TYPICAL; i++)
            for (size_t k = 0; k < typical[i].count; k++)
                test = strcmp(typical[i].cases[k].file, source->name) == 0 ? "tests/jit/compile_kernels.c" : test;
        for (int i = 0; i < FAMILIES; i++)
            test = strcmp(families[i].file, source->name) == 0 ? families[i].test : test;
        if (is_cuda_source(source->name))
            ok(test != NULL, "%s is compiled by %s", source->name, test ? test : "no test");
    }
    return done_testing();
}
