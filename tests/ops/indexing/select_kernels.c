/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All kernels of selecting, and of sorting lines on one rank, compile for the oldest and the newest GPU that we care
 * about.  Needs no GPU.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include "tests/jit/compile_kernels.h"
#include "kernels/sort/radix_sort_params.h"

#define UNIT(type) "#define MNP_UNIT " type "\n"

/* A scatter as lib/ops/indexing/put.c writes it for add.at of float16. */
static const char add_at[] = "#include \"maniple/math.h\"\ntypedef mnp_float16 mnp_element;\ntypedef float mnp_value;\n"
                             "enum { mnp_last_alone = 0 };\n"
                             "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n"
                             "    x = mnp_to<mnp_element>::from(mnp_add(mnp_to<float>::from(x), value));\n}\n";

static const char assign[] = "typedef mnp_complex128 mnp_element, mnp_value;\nenum { mnp_last_alone = 1 };\n"
                             "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n    x = value;\n}\n";

static const mnp__kernel_spec specs[] = {
    {.file = "indexing/indexed.cu", .function = "move_indexed", .defines = UNIT("uint8_t")},
    {.file = "indexing/indexed.cu", .function = "move_indexed", .defines = UNIT("uint64_t")},
    {.file = "indexing/indexed.cu", .function = "move_indexed", .defines = UNIT("mnp_sixteen")},
    {.file = "indexing/compact.cu", .function = "compact", .defines = UNIT("uint16_t")},
    {.file = "indexing/compact.cu", .function = "compact", .defines = UNIT("mnp_complex128")},
    {.file = "indexing/owners.cu", .function = "find_owners", .defines = "#define MNP_KEY uint8_t\n"},
    {.file = "indexing/owners.cu", .function = "find_owners", .defines = "#define MNP_KEY uint32_t\n"},
    {.file = "indexing/scatter.cu", .function = "scatter", .defines = "", .generated = assign},
    {.file = "indexing/scatter.cu",
     .function = "scatter",
     .defines = "",
     .generated = add_at,
     .nvrtc_options = "--fmad=false"},
};

/* Every task of radix_sort.cu as lib/ops/sort/radix_sort.c asks for it. */
static void compile_order(const mnp__compiler *compiler, int architecture)
{
    static const struct {
        const char *key;
        int payload, items;
    } cases[] = {{"float", 4, 14}, {"mnp_complex128", 0, 8}, {"uint8_t", 8, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int task = 0; task < MNP_RADIX_SORT_TASKS; task++) {
            char defines[256], what[64];
            const int threads = task == MNP_RADIX_SORT_PASS ? 384 : 256,
                      items = task == MNP_RADIX_SORT_COUNT ? 4 : cases[i].items;
            snprintf(defines, sizeof defines,
                     "#define MNP_KEY %s\n#define MNP_PAYLOAD %d\n#define MNP_RADIX_SORT order\n#define MNP_TASK %d\n"
                     "#define MNP_THREADS %d\n#define MNP_ITEMS %d\n",
                     cases[i].key, cases[i].payload, task, threads, items);
            snprintf(what, sizeof what, "order.cu, task %d of %s,", task, cases[i].key);
            compile_kernel(compiler, architecture,
                           &(mnp__kernel_spec){.file = "sort/radix_sort.cu", .function = "order", .defines = defines},
                           what);
        }
    }
}

static void compile_all(const mnp__compiler *compiler, int architecture)
{
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char what[64];
        snprintf(what, sizeof what, "%s, number %zu,", specs[i].file, i);
        compile_kernel(compiler, architecture, &specs[i], what);
    }
    compile_order(compiler, architecture);
}

static void kernels_compile(void)
{
    for_architectures(compile_all);
}

#else

static void kernels_compile(void)
{
    skip("kernels compile for GPUs", "built without CUDA");
}

#endif

int main(void)
{
    kernels_compile();
    return done_testing();
}
