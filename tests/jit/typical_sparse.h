/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of sparse/, with definitions as the library writes them: a list of compile_kernels.c.
 */
#ifndef TESTS_JIT_TYPICAL_SPARSE_H
#define TESTS_JIT_TYPICAL_SPARSE_H

#include "tests/jit/harness.h"

#define GRID_BODY(value)                                                                                               \
    "template <typename Point> static MNP_INLINE void mnp_body(const Point &mnp_at, mnp_value &mnp_y)\n"               \
    "{\n    const auto x = mnp_at.array(0);\n    mnp_y = " value ";\n}\n"

static const kernel_case typical_sparse[] = {
    {.file = "sparse/rows/edit_rows.cu", .function = "edit_rows", .definitions = "MNP_VALUE float; MNP_SUM 1"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "edit_rows",
     .definitions = "MNP_VALUE mnp_complex64; MNP_PRODUCT 1"},
    {.file = "sparse/rows/edit_rows.cu", .function = "edit_rows", .definitions = "MNP_VALUE double; MNP_SELECT 1"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "combine_stored",
     .definitions = "MNP_VALUE mnp_complex64; MNP_SUM 1"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "combine_stored",
     .definitions = "MNP_VALUE double; MNP_PRODUCT 1"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "change_stored",
     .definitions = "MNP_VALUE mnp_complex64; MNP_FROM double"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "change_values",
     .definitions = "MNP_VALUE mnp_complex128; MNP_FROM float"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "sum_magnitudes",
     .definitions = "MNP_VALUE double; MNP_FROM mnp_complex64"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "fetch_rows", .definitions = "MNP_VALUE float"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "fetch_rows", .definitions = "MNP_VALUE mnp_complex128"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "find_diagonal", .definitions = "MNP_VALUE double"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "find_diagonal", .definitions = "MNP_VALUE mnp_complex64"},
    {.file = "sparse/rows/find_traits.cu", .function = "find_traits", .definitions = "MNP_VALUE float"},
    {.file = "sparse/rows/find_traits.cu", .function = "find_traits", .definitions = "MNP_VALUE mnp_complex128"},
    {.file = "sparse/rows/sort_entries.cu", .function = "sort_entries", .definitions = "MNP_VALUE float"},
    {.file = "sparse/rows/sort_entries.cu", .function = "sort_entries", .definitions = "MNP_VALUE mnp_complex128"},
    {.file = "sparse/rows/turn_part.cu", .function = "turn_part", .definitions = "MNP_VALUE float"},
    {.file = "sparse/rows/turn_part.cu", .function = "turn_part", .definitions = "MNP_VALUE double"},
    {.file = "sparse/rows/turn_part.cu", .function = "turn_part", .definitions = "MNP_VALUE mnp_complex64"},
    {.file = "sparse/rows/turn_part.cu", .function = "turn_part", .definitions = "MNP_VALUE mnp_complex128"},
    {.file = "sparse/assembly/stencil_rows.cu", .function = "stencil_rows", .definitions = "MNP_VALUE double"},
    {.file = "sparse/assembly/stencil_rows.cu", .function = "stencil_rows", .definitions = "MNP_VALUE mnp_complex64"},
    {.file = "sparse/operator/operator_kernel.cu",
     .function = "operator_kernel",
     .definitions = "MNP_VALUE double; MNP_NDIM 3; MNP_REACH {1, 1, 1}; MNP_BOUNDARIES {0, 0, 0}; MNP_GHOSTS 0; "
                    "MNP_ALONG 8; MNP_SMALL 1",
     .generated = GRID_BODY("x(0, 0, 0) - x(-1, 0, 0) - x(0, 1, 0) - x(0, 0, -1)")},
    {.file = "sparse/operator/operator_kernel.cu",
     .function = "operator_kernel",
     .definitions = "MNP_VALUE complex<float>; MNP_NDIM 1; MNP_REACH {2}; MNP_BOUNDARIES {1}; MNP_GHOSTS 1; MNP_ALONG "
                    "2; MNP_SMALL 0",
     .generated = GRID_BODY("x(2) * conj(x(-1))")},
    {.file = "sparse/operator/operator_kernel.cu",
     .function = "operator_kernel",
     .definitions = "MNP_VALUE complex<double>; MNP_NDIM 4; MNP_REACH {0, 1, 0, 3}; MNP_BOUNDARIES {1, 2, 3, 4}; "
                    "MNP_GHOSTS 1; MNP_ALONG 4; MNP_SMALL 0",
     .generated = GRID_BODY("x(0, 1, 0, -3)")},
    {.file = "sparse/matrix/p2p_ghosts.cu", .function = "p2p_ghosts", .definitions = "MNP_ELEMENT 4"},
    {.file = "sparse/matrix/p2p_ghosts.cu", .function = "send_ghosts", .definitions = "MNP_ELEMENT 16"},
    {.file = "sparse/product/spgemm.cu", .function = "spgemm_plan", .definitions = "MNP_PLAN 1"},
    {.file = "sparse/product/spgemm.cu",
     .function = "spgemm_rows",
     .definitions =
         "MNP_PLAN 0; MNP_VALUE double; MNP_COUNTS 0; MNP_TEAM 32; MNP_BLOCK 64; MNP_MOST 512; MNP_TEAM_BYTES 12160"},
    {.file = "sparse/product/spgemm.cu",
     .function = "spgemm_rows",
     .definitions = "MNP_PLAN 0; MNP_VALUE mnp_complex64; MNP_COUNTS 1; MNP_TEAM 256; MNP_BLOCK 256; MNP_MOST 2048; "
                    "MNP_TEAM_BYTES 67776"},
    {.file = "sparse/product/spgemm.cu",
     .function = "spgemm_rows",
     .definitions =
         "MNP_PLAN 0; MNP_VALUE double; MNP_COUNTS 0; MNP_TEAM 512; MNP_BLOCK 512; MNP_MOST 0; MNP_TEAM_BYTES 45312"},
};

#endif
