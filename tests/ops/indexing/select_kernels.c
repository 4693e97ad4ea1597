/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of selecting elements by index or mask, and of sorting lines on one rank, compile for GPUs.
 */
#include <config.h>

#include "tests/jit/harness.h"

#include "kernels/sort/radix_sort_params.h"

/* A scatter as lib/ops/indexing/put.c writes it for add.at of float16. */
static const char add_at[] = "#include \"maniple/math.h\"\ntypedef mnp_float16 mnp_element;\ntypedef float mnp_value;\n"
                             "enum { mnp_last_alone = 0 };\n"
                             "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n"
                             "    x = mnp_to<mnp_element>::from(mnp_add(mnp_to<float>::from(x), value));\n}\n";

static const char assign[] = "typedef mnp_complex128 mnp_element, mnp_value;\nenum { mnp_last_alone = 1 };\n"
                             "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n    x = value;\n}\n";

static const kernel_case cases[] = {
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 0; MNP_SORTED 0; MNP_UNIT uint8_t; MNP_INDEX int64_t"},
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 0; MNP_SORTED 0; MNP_UNIT uint64_t; MNP_INDEX int32_t"},
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 0; MNP_SORTED 0; MNP_UNIT mnp_sixteen; MNP_INDEX int64_t"},
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 1; MNP_SORTED 0; MNP_UNIT uint8_t; MNP_INDEX int64_t"},
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 1; MNP_SORTED 0; MNP_UNIT uint8_t; MNP_INDEX int32_t"},
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 0; MNP_SORTED 1; MNP_UNIT uint16_t; MNP_INDEX uint32_t"},
    {.file = "indexing/indexed.cu",
     .function = "move_indexed",
     .definitions = "MNP_ROWS 0; MNP_SORTED 1; MNP_UNIT mnp_sixteen; MNP_INDEX int64_t"},
    {.file = "indexing/numbers.cu", .function = "number_indices", .definitions = "MNP_NUMBER uint32_t"},
    {.file = "indexing/numbers.cu", .function = "number_indices", .definitions = "MNP_NUMBER int64_t"},
    {.file = "indexing/range.cu", .function = "check_range", .definitions = "MNP_INDEX int64_t"},
    {.file = "indexing/range.cu", .function = "check_range", .definitions = "MNP_INDEX uint8_t"},
    {.file = "indexing/compact.cu", .function = "compact", .definitions = "MNP_UNIT uint16_t"},
    {.file = "indexing/compact.cu", .function = "compact", .definitions = "MNP_UNIT mnp_complex128"},
    {.file = "indexing/owners.cu", .function = "find_owners", .definitions = "MNP_KEY uint8_t"},
    {.file = "indexing/owners.cu", .function = "find_owners", .definitions = "MNP_KEY uint32_t"},
    {.file = "indexing/scatter.cu", .function = "scatter", .generated = assign},
    {.file = "indexing/scatter.cu", .function = "scatter", .generated = add_at, .options = "--fmad=false"},
};

/* Every task of radix_sort.cu as lib/ops/sort/radix_sort.c asks for it. */
static void check_sort(const char *key, int payload, int items)
{
    for (int task = 0; task < MNP_RADIX_SORT_TASKS; task++) {
        char definitions[256];
        snprintf(definitions, sizeof definitions,
                 "MNP_KEY %s; MNP_PAYLOAD %d; MNP_RADIX_SORT radix_sort; MNP_TASK %d; MNP_THREADS %d; MNP_ITEMS %d",
                 key, payload, task, task == MNP_RADIX_SORT_PASS ? 384 : 256, task == MNP_RADIX_SORT_COUNT ? 4 : items);
        check_kernel(
            &(kernel_case){.file = "sort/radix_sort.cu", .function = "radix_sort", .definitions = definitions});
    }
}

static void run(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_kernel(&cases[i]);
    check_sort("float", 4, 14);
    check_sort("mnp_complex128", 0, 8);
    check_sort("uint8_t", 8, 10);
}

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
