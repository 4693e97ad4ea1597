/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of array/, comm/, custom/, elementwise/, linalg/, random/, reduction/ and sort/, with definitions as the library writes them: a list of compile_kernels.c.
 */
#ifndef TESTS_JIT_TYPICAL_ARRAYS_H
#define TESTS_JIT_TYPICAL_ARRAYS_H

#include "tests/jit/harness.h"

static const char doubling[] = "typedef float mnp_type0, mnp_memory0, mnp_carrier0, mnp_type1, mnp_memory1;\n"
                               "#define MNP_INPUTS(X) X(0)\n#define MNP_OUTPUTS(X) X(1)\n"
                               "static MNP_INLINE void mnp_body(const float x, float &y)\n{\n    y = 2 * x;\n}\n"
                               "#define MNP_BODY(IN, OUT, position) mnp_body(IN(0), OUT(1))\n";

static const char sum[] =
    "typedef float mnp_type0, mnp_memory0, mnp_carrier0, mnp_type1, mnp_memory1;\n"
    "#define MNP_INPUTS(X) X(0)\n#define MNP_OUTPUTS(X) X(1)\ntypedef mnp_reduce_sum<mnp_type0> mnp_op;\n"
    "#define MNP_TAKE(lanes, j, IN, i) lanes.take(j, IN(0), i)\n"
    "#define MNP_GIVE(acc, end, OUT) mnp_op::give(acc, end, OUT(1))\n";

static const char scale[] = "#line 1 \"scale.cu\"\nextern \"C\" __global__ void scale(float *x, float by)\n"
                            "{\n    x[threadIdx.x] *= by;\n}\n";

static const kernel_case typical_arrays[] = {
    {.file = "comm/combine.cu",
     .function = "combine",
     .definitions = "MNP_MEMORY mnp_bfloat16; MNP_VALUE float; MNP_JOIN mnp_add; MNP_AVERAGES 1"},
    {.file = "comm/combine.cu",
     .function = "combine",
     .definitions = "MNP_MEMORY mnp_complex64; MNP_VALUE mnp_complex64; MNP_JOIN mnp_multiply; MNP_AVERAGES 0"},
    {.file = "linalg/determinants.cu", .function = "determinants", .definitions = "MNP_T float"},
    {.file = "linalg/determinants.cu", .function = "determinants", .definitions = "MNP_T mnp_complex128"},
    {.file = "linalg/inverse.cu", .function = "inverse", .definitions = "MNP_T float; MNP_HELD 4"},
    {.file = "linalg/inverse.cu", .function = "inverse", .definitions = "MNP_T mnp_complex128; MNP_HELD 3"},
    {.file = "linalg/tiny.cu", .function = "tiny", .definitions = "MNP_T float; MNP_N 3; MNP_TASK 0"},
    {.file = "linalg/tiny.cu", .function = "tiny", .definitions = "MNP_T mnp_complex128; MNP_N 4; MNP_TASK 0"},
    {.file = "linalg/tiny.cu", .function = "tiny", .definitions = "MNP_T float; MNP_N 8; MNP_TASK 1"},
    {.file = "linalg/tiny.cu", .function = "tiny", .definitions = "MNP_T mnp_complex64; MNP_N 3; MNP_TASK 1"},
    {.file = "linalg/tiny.cu", .function = "tiny", .definitions = "MNP_T double; MNP_N 5; MNP_TASK 2"},
    {.file = "linalg/tiny.cu", .function = "tiny", .definitions = "MNP_T mnp_complex128; MNP_N 2; MNP_TASK 2"},
    {.file = "linalg/lost_nan.cu", .function = "lost_nan", .definitions = "MNP_T double"},
    {.file = "linalg/lost_nan.cu", .function = "lost_nan", .definitions = "MNP_T mnp_complex64"},
    {.file = "linalg/tall_pass.cu",
     .function = "tall_pass",
     .definitions = "MNP_T double; MNP_BANDS 4; MNP_PAIRED 1; MNP_STAGES 6; MNP_PRODUCT 0; MNP_REFINED 0; MNP_GRAM 1"},
    {.file = "linalg/tall_pass.cu",
     .function = "tall_pass",
     .definitions = "MNP_T double; MNP_BANDS 4; MNP_PAIRED 1; MNP_STAGES 6; MNP_PRODUCT 1; MNP_REFINED 0; MNP_GRAM 1"},
    {.file = "linalg/tall_pass.cu",
     .function = "tall_pass",
     .definitions = "MNP_T double; MNP_BANDS 3; MNP_PAIRED 0; MNP_STAGES 4; MNP_PRODUCT 1; MNP_REFINED 1; MNP_GRAM 1"},
    {.file = "linalg/tall_pass.cu",
     .function = "tall_pass",
     .definitions = "MNP_T double; MNP_BANDS 2; MNP_PAIRED 1; MNP_STAGES 6; MNP_PRODUCT 2; MNP_REFINED 0; MNP_GRAM 0"},
    {.file = "linalg/tall_pass.cu",
     .function = "tall_pass",
     .definitions = "MNP_T float; MNP_BANDS 4; MNP_PAIRED 1; MNP_STAGES 6; MNP_PRODUCT 1; MNP_REFINED 0; MNP_GRAM 1"},
    {.file = "linalg/tall_pass.cu",
     .function = "tall_pass",
     .definitions = "MNP_T float; MNP_BANDS 1; MNP_PAIRED 0; MNP_STAGES 6; MNP_PRODUCT 1; MNP_REFINED 1; MNP_GRAM 1"},
    {.file = "linalg/tall_sums.cu", .function = "tall_sums", .definitions = "MNP_BANDS 3"},
    {.file = "linalg/tall_factor.cu", .function = "tall_factor", .definitions = ""},
    {.file = "linalg/emulated_exponents.cu",
     .function = "emulated_exponents",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T float; MNP_DOUBLE 0; MNP_MODULI 7; MNP_PIECES 2; MNP_COMPLEX 0"},
    {.file = "linalg/emulated_exponents.cu",
     .function = "emulated_exponents",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T double; MNP_DOUBLE 1; MNP_MODULI 14; MNP_PIECES 3; MNP_COMPLEX 1"},
    {.file = "linalg/emulated_residues.cu",
     .function = "emulated_residues",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T float; MNP_DOUBLE 0; MNP_MODULI 7; MNP_PIECES 2; MNP_COMPLEX 0"},
    {.file = "linalg/emulated_residues.cu",
     .function = "emulated_residues",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T double; MNP_DOUBLE 1; MNP_MODULI 14; MNP_PIECES 3; MNP_COMPLEX 1"},
    {.file = "linalg/emulated_reduce.cu",
     .function = "emulated_reduce",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T double; MNP_DOUBLE 1; MNP_MODULI 14; MNP_PIECES 3; MNP_COMPLEX 0"},
    {.file = "linalg/emulated_result.cu",
     .function = "emulated_result",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T float; MNP_DOUBLE 0; MNP_MODULI 7; MNP_PIECES 2; MNP_COMPLEX 0"},
    {.file = "linalg/emulated_result.cu",
     .function = "emulated_result",
     .definitions =
         "MNP_RESIDUE int8_t; MNP_SUM int32_t; MNP_T double; MNP_DOUBLE 1; MNP_MODULI 14; MNP_PIECES 3; MNP_COMPLEX 1"},
    {.file = "linalg/gemm.cu", .function = "gemm", .definitions = "MNP_T uint8_t; MNP_TRUTH 1"},
    {.file = "linalg/gemm.cu", .function = "gemm", .definitions = "MNP_T uint64_t; MNP_TRUTH 0"},
    {.file = "linalg/svd_jacobi.cu", .function = "svd_jacobi", .definitions = "MNP_T float"},
    {.file = "linalg/svd_jacobi.cu", .function = "svd_jacobi", .definitions = "MNP_T mnp_complex128"},
    {.file = "comm/p2p_all_to_all.cu", .function = "p2p_all_to_all"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .definitions = "MNP_SOURCES 1; MNP_MEMORY uint8_t; MNP_VALUE uint8_t; MNP_JOIN mnp_add; MNP_AVERAGES 0"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .definitions = "MNP_SOURCES 4; MNP_MEMORY float; MNP_VALUE float; MNP_JOIN mnp_add; MNP_AVERAGES 0"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .definitions = "MNP_SOURCES 2; MNP_MEMORY mnp_float16; MNP_VALUE float; MNP_JOIN mnp_add; MNP_AVERAGES 1"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .definitions = "MNP_SOURCES 16; MNP_MEMORY mnp_bool; MNP_VALUE mnp_bool; MNP_JOIN mnp_multiply; MNP_AVERAGES 0"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .definitions =
         "MNP_SOURCES 3; MNP_MEMORY mnp_complex128; MNP_VALUE mnp_complex128; MNP_JOIN mnp_multiply; MNP_AVERAGES 0"},
    {.file = "comm/p2p_small.cu", .function = "p2p_small", .definitions = "MNP_REDUCES 0"},
    {.file = "comm/p2p_small.cu",
     .function = "p2p_small",
     .definitions = "MNP_REDUCES 1; MNP_MEMORY double; MNP_VALUE double; MNP_JOIN mnp_add; MNP_AVERAGES 0"},
    {.file = "comm/p2p_small.cu",
     .function = "p2p_small",
     .definitions = "MNP_REDUCES 1; MNP_MEMORY mnp_float16; MNP_VALUE float; MNP_JOIN mnp_add; MNP_AVERAGES 1"},
    {.file = "comm/p2p_small.cu",
     .function = "p2p_small",
     .definitions =
         "MNP_REDUCES 1; MNP_MEMORY mnp_complex128; MNP_VALUE mnp_complex128; MNP_JOIN mnp_multiply; MNP_AVERAGES 0"},
    {.file = "array/copy_boxes.cu", .function = "copy_boxes", .definitions = "MNP_SRC float; MNP_DST mnp_bool"},
    {.file = "array/copy_boxes.cu", .function = "copy_boxes", .definitions = "MNP_SRC mnp_complex64; MNP_DST int16_t"},
    {.file = "array/copy_boxes.cu",
     .function = "copy_boxes",
     .definitions = "MNP_SRC mnp_float16; MNP_DST mnp_complex128"},
    {.file = "array/copy_boxes.cu", .function = "copy_boxes", .definitions = "MNP_SRC uint8_t; MNP_DST uint8_t"},
    {.file = "array/copy_boxes.cu", .function = "copy_boxes", .definitions = "MNP_SRC uint16_t; MNP_DST uint16_t"},
    {.file = "array/p2p_boxes.cu", .function = "p2p_boxes", .definitions = "MNP_SRC uint32_t; MNP_DST uint32_t"},
    {.file = "array/p2p_boxes.cu", .function = "p2p_boxes", .definitions = "MNP_SRC uint64_t; MNP_DST uint64_t"},
    {.file = "array/p2p_boxes.cu",
     .function = "p2p_boxes",
     .definitions = "MNP_SRC mnp_complex128; MNP_DST mnp_complex128"},
    {.file = "elementwise/elementwise.cu",
     .function = "loop_doubling",
     .definitions =
         "MNP_LOOP loop_doubling; MNP_NDIM 1; MNP_OPERANDS 2; MNP_TILE 0; MNP_INDICES 0; MNP_THREADS 256; "
         "MNP_VECTOR 4; MNP_UNROLL 2; MNP_FLAT 0; MNP_WIDE 0; MNP_ACCESS_0 2; MNP_ACCESS_1 2; MNP_SHARED_0 0; "
         "MNP_TRANSPOSED(X); MNP_COUNTERS(X)",
     .generated = doubling},
    {.file = "elementwise/elementwise.cu",
     .function = "loop_doubling",
     .definitions = "MNP_LOOP loop_doubling; MNP_NDIM 3; MNP_OPERANDS 2; MNP_TILE 0; MNP_INDICES 0; MNP_THREADS 256; "
                    "MNP_VECTOR 4; MNP_UNROLL 2; MNP_FLAT 1; MNP_WIDE 1; MNP_ACCESS_0 3; MNP_ACCESS_1 2; "
                    "MNP_SHARED_0 0; MNP_TRANSPOSED(X); MNP_COUNTERS(X)",
     .generated = doubling},
    {.file = "reduction/reduce.cu",
     .function = "reduce_sum",
     .definitions = "MNP_REDUCE reduce_sum; MNP_KEPT 1; MNP_REDUCED 1; MNP_OPERANDS 2; MNP_RESULTS 1; "
                    "MNP_FIRST_RESULT 1; MNP_COLUMNS 1; MNP_SEARCHES 0; MNP_ACC_BYTES 8; MNP_THREADS 256; MNP_VECTOR "
                    "4; MNP_ALONG 1; MNP_UNROLL 4; MNP_OUTS 0; MNP_TILED 0; MNP_LARGE 0; MNP_SKEWED 0; "
                    "MNP_SKEW_OF(readers) 0; MNP_STEADY 0; MNP_LOOKS 0; MNP_REACH_OF_0 2",
     .generated = sum},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .definitions = "MNP_KEY float; MNP_PAYLOAD 1; MNP_DESCENDING 0; MNP_THREADS 256; MNP_ITEMS 15"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .definitions = "MNP_KEY mnp_complex128; MNP_PAYLOAD 1; MNP_DESCENDING 1; MNP_THREADS 256; MNP_ITEMS 7"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .definitions = "MNP_KEY mnp_float16; MNP_PAYLOAD 0; MNP_DESCENDING 0; MNP_THREADS 256; MNP_ITEMS 15"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .definitions = "MNP_KEY mnp_bool; MNP_PAYLOAD 0; MNP_DESCENDING 1; MNP_THREADS 256; MNP_ITEMS 15"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .definitions = "MNP_KEY int64_t; MNP_PAYLOAD 1; MNP_DESCENDING 0; MNP_THREADS 256; MNP_ITEMS 11"},
    {.file = "sort/select.cu",
     .function = "select_count",
     .definitions = "MNP_KEY float; MNP_NUMBERED 0; MNP_TASK 0; MNP_THREADS 512; MNP_ITEMS 16"},
    {.file = "sort/select.cu",
     .function = "select_count",
     .definitions = "MNP_KEY mnp_complex128; MNP_NUMBERED 0; MNP_TASK 0; MNP_THREADS 512; MNP_ITEMS 4"},
    {.file = "sort/select.cu",
     .function = "select_pick",
     .definitions = "MNP_KEY double; MNP_NUMBERED 0; MNP_TASK 1; MNP_THREADS 256; MNP_ITEMS 4"},
    {.file = "sort/select.cu",
     .function = "select_values",
     .definitions = "MNP_KEY mnp_bool; MNP_NUMBERED 0; MNP_TASK 2; MNP_THREADS 256; MNP_ITEMS 16"},
    {.file = "sort/select.cu",
     .function = "select_values",
     .definitions = "MNP_KEY mnp_complex64; MNP_NUMBERED 0; MNP_TASK 2; MNP_THREADS 256; MNP_ITEMS 8"},
    {.file = "sort/select.cu",
     .function = "select_team",
     .definitions = "MNP_KEY float; MNP_NUMBERED 1; MNP_TASK 4; MNP_THREADS 512; MNP_ITEMS 8"},
    {.file = "sort/select.cu",
     .function = "select_team",
     .definitions = "MNP_KEY mnp_bool; MNP_NUMBERED 0; MNP_TASK 4; MNP_THREADS 512; MNP_ITEMS 16"},
    {.file = "sort/select.cu",
     .function = "select_team",
     .definitions = "MNP_KEY mnp_float16; MNP_NUMBERED 1; MNP_TASK 4; MNP_THREADS 512; MNP_ITEMS 8"},
    {.file = "sort/select.cu",
     .function = "select_team",
     .definitions = "MNP_KEY double; MNP_NUMBERED 0; MNP_TASK 4; MNP_THREADS 512; MNP_ITEMS 4"},
    {.file = "sort/select.cu",
     .function = "select_team",
     .definitions = "MNP_KEY mnp_complex128; MNP_NUMBERED 1; MNP_TASK 4; MNP_THREADS 512; MNP_ITEMS 2"},
    {.file = "sort/select.cu",
     .function = "select_sample",
     .definitions = "MNP_KEY float; MNP_NUMBERED 0; MNP_TASK 5; MNP_THREADS 512; MNP_ITEMS 16"},
    {.file = "sort/select.cu",
     .function = "select_sample",
     .definitions = "MNP_KEY mnp_complex128; MNP_NUMBERED 1; MNP_TASK 5; MNP_THREADS 512; MNP_ITEMS 4"},
    {.file = "sort/select.cu",
     .function = "select_sieve",
     .definitions = "MNP_KEY double; MNP_NUMBERED 0; MNP_TASK 6; MNP_THREADS 512; MNP_ITEMS 8"},
    {.file = "sort/select.cu",
     .function = "select_sieve",
     .definitions = "MNP_KEY mnp_complex64; MNP_NUMBERED 1; MNP_TASK 6; MNP_THREADS 512; MNP_ITEMS 8"},
    {.file = "sort/select.cu",
     .function = "select_sieve",
     .definitions = "MNP_KEY mnp_complex128; MNP_NUMBERED 0; MNP_TASK 6; MNP_THREADS 512; MNP_ITEMS 4"},
    {.file = "sort/sort_sample.cu", .function = "sort_sample", .definitions = "MNP_KEY mnp_complex128"},
    {.file = "random/random.cu",
     .function = "fill_random",
     .definitions = "MNP_SAMPLER mnp_draw_normal; MNP_OUT float"},
    {.file = "custom/raw.cu", .function = "scale", .generated = scale},
};

#endif
