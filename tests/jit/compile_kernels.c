/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every CUDA kernel of kernels/ compiles, and what NVRTC refuses is reported well.
 *
 * The kernels whose source the library generates, and one that the host alone has, have tests of their own, which
 * families[] names.  The others are compiled here with definitions as the library writes them: see typical[].  A kernel
 * source that is in neither list fails the test.
 */
#include <config.h>

#include "tests/jit/harness.h"

#ifdef HAVE_CUDA

#include <stdlib.h>
#include <string.h>

#include <maniple/kernel.h>

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

/* A filter of the smallest value, in two stages, and one of the middle value of three, in one. */
static const char smallest[] = "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
                               "    kept[0] = mnp_lesser(in.at(MNP_TAP(0, 0)), in.at(MNP_TAP(1, 0)));\n}\n"
                               "template <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n{\n"
                               "    return mnp_cast(mnp_lesser(column(0, 0), column(1, 0)));\n}\n";
static const char middle[] =
    "MNP_TABLE mnp_tap mnp_taps[] = {MNP_TAP(0, 0, 1), MNP_TAP(1, 0, 0), MNP_TAP(1, 0, 1)};\n"
    "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
    "    mnp_lanes low = {}, high = {};\n    low = ~low;\n"
    "    for (const mnp_tap &tap : mnp_taps) {\n        const mnp_lanes x = in.at(tap);\n"
    "        low = mnp_lesser(low, x);\n        high = mnp_greater(high, x);\n    }\n"
    "    while (mnp_any(low < high))\n        low = low + ((high - low) >> 1) + 1;\n    kept[0] = low;\n}\n"
    "template <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n{\n"
    "    return column(0, 0);\n}\n";

/* The smallest of the values that the windows of each of 2 x 2 outputs have in common. */
static const char least[] = "MNP_INLINE void mnp_select(const mnp_lanes *v, mnp_lanes *results)\n{\n"
                            "    for (int i = 0; i < 4; i++)\n"
                            "        results[i] = mnp_lesser(v[2 * i], mnp_greater(v[2 * i + 1], v[10]));\n}\n";

#define GRID_BODY(value)                                                                                               \
    "template <typename Point> static MNP_INLINE void mnp_body(const Point &mnp_at, mnp_value &mnp_y)\n"               \
    "{\n    const auto x = mnp_at.array(0);\n    mnp_y = " value ";\n}\n"

static const kernel_case typical[] = {
    {.file = "comm/combine.cu",
     .function = "combine",
     .definitions = "MNP_MEMORY mnp_bfloat16; MNP_VALUE float; MNP_JOIN mnp_add; MNP_AVERAGES 1"},
    {.file = "comm/combine.cu",
     .function = "combine",
     .definitions = "MNP_MEMORY mnp_complex64; MNP_VALUE mnp_complex64; MNP_JOIN mnp_multiply; MNP_AVERAGES 0"},
    {.file = "linalg/inverse.cu", .function = "inverse", .definitions = "MNP_T float; MNP_HELD 4"},
    {.file = "linalg/inverse.cu", .function = "inverse", .definitions = "MNP_T mnp_complex128; MNP_HELD 3"},
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
    {.file = "sort/sort_sample.cu", .function = "sort_sample", .definitions = "MNP_KEY mnp_complex128"},
    {.file = "random/random.cu",
     .function = "fill_random",
     .definitions = "MNP_SAMPLER mnp_draw_normal; MNP_OUT float"},
    {.file = "custom/raw.cu", .function = "scale", .generated = scale},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_POINTS 512; MNP_BLOCKS 1; MNP_COLUMNS 16; MNP_FROM_REAL 0; MNP_TO_REAL 0"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_POINTS 16384; MNP_BLOCKS 16; MNP_COLUMNS 8; MNP_FROM_REAL 0; MNP_TO_REAL 0"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL double; MNP_POINTS 4096; MNP_BLOCKS 16; MNP_COLUMNS 8; MNP_FROM_REAL 0; MNP_TO_REAL 0"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_POINTS 1024; MNP_BLOCKS 1; MNP_COLUMNS 8; MNP_FROM_REAL 1; MNP_TO_REAL 0"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL double; MNP_POINTS 64; MNP_BLOCKS 1; MNP_COLUMNS 16; MNP_FROM_REAL 0; MNP_TO_REAL 1"},
    {.file = "fft/cosine.cu", .function = "fft_cosine", .definitions = "MNP_REAL float; MNP_PAIRS 1; MNP_IN_PARTS 1"},
    {.file = "fft/cosine.cu", .function = "fft_cosine", .definitions = "MNP_REAL double; MNP_PAIRS 0; MNP_IN_PARTS 2"},
    {.file = "fft/cosine.cu", .function = "fft_cosine", .definitions = "MNP_REAL float; MNP_PAIRS 0; MNP_IN_PARTS 1"},
    {.file = "fft/cosine_table.cu", .function = "fft_cosine_table", .definitions = "MNP_REAL float; MNP_SPREAD 0"},
    {.file = "fft/cosine_table.cu", .function = "fft_cosine_table", .definitions = "MNP_REAL double; MNP_SPREAD 1"},
    {.file = "ndimage/distance.cu", .function = "distance", .definitions = "MNP_METRIC 0; MNP_PLACES 1"},
    {.file = "ndimage/distance_sweep.cu", .function = "distance_sweep", .definitions = "MNP_METRIC 0; MNP_PLACES 1"},
    {.file = "ndimage/distance_sweep.cu", .function = "distance_sweep", .definitions = "MNP_METRIC 1; MNP_PLACES 0"},
    {.file = "ndimage/distance.cu", .function = "distance", .definitions = "MNP_METRIC 2; MNP_PLACES 1"},
    {.file = "ndimage/interpolate.cu",
     .function = "interpolate",
     .definitions = "MNP_IN double; MNP_OUT uint8_t; MNP_PARTS 1; MNP_NDIM 3; MNP_OUT_NDIM 3; MNP_AXES 1, 1, 0; "
                    "MNP_ORDER 5; MNP_MODE MNP_GO_CONSTANT; MNP_SPLINE_MODE MNP_GO_MIRROR; MNP_FROM 1; MNP_ROUND 1; "
                    "MNP_COORDINATE double"},
    {.file = "ndimage/interpolate.cu",
     .function = "interpolate",
     .definitions = "MNP_IN float; MNP_OUT float; MNP_PARTS 2; MNP_NDIM 2; MNP_OUT_NDIM 1; MNP_AXES 1, 1; MNP_ORDER 0; "
                    "MNP_MODE MNP_GO_GRID_CONSTANT; MNP_SPLINE_MODE MNP_GO_GRID_CONSTANT; MNP_FROM 2; MNP_ROUND 0; "
                    "MNP_COORDINATE float"},
    {.file = "ndimage/spline.cu", .function = "spline"},
    {.file = "signal/peaks.cu", .function = "peaks_groups"},
    {.file = "signal/peaks.cu", .function = "peaks_widths"},
    {.file = "signal/extrema.cu",
     .function = "extrema",
     .definitions = "MNP_IN mnp_float16; MNP_VALUE float; MNP_COMPARE >=; MNP_NDIM 2; MNP_AXIS 0"},
    {.file = "ndimage/label.cu",
     .function = "label_unite",
     .definitions =
         "MNP_IN mnp_bool; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}; MNP_UNITED {{0}}"},
    {.file = "ndimage/label.cu",
     .function = "label_pairs",
     .definitions = "MNP_IN double; MNP_LABEL long long; MNP_NDIM 1; MNP_NEIGHBOURS {{-1}}; MNP_UNITED {{-1}}"},
    {.file = "ndimage/label_tiles.cu",
     .function = "label_tile",
     .definitions = "MNP_IN mnp_bool; MNP_OUT int32_t; MNP_LABEL long long; MNP_NDIM 2; MNP_WEST 1; MNP_NORTH_WEST 0; "
                    "MNP_NORTH 1; MNP_NORTH_EAST 1"},
    {.file = "ndimage/label_tiles.cu",
     .function = "label_borders",
     .definitions = "MNP_IN uint8_t; MNP_OUT mnp_float16; MNP_LABEL int; MNP_NDIM 3; MNP_WEST 1; MNP_NORTH_WEST 1; "
                    "MNP_NORTH 1; MNP_NORTH_EAST 0"},
    {.file = "ndimage/label_tiles.cu",
     .function = "label_count",
     .definitions = "MNP_IN mnp_bool; MNP_OUT int32_t; MNP_LABEL long long; MNP_NDIM 2; MNP_WEST 1; MNP_NORTH_WEST 0; "
                    "MNP_NORTH 1; MNP_NORTH_EAST 1"},
    {.file = "ndimage/label_tiles.cu",
     .function = "label_sum",
     .definitions = "MNP_IN uint8_t; MNP_OUT mnp_float16; MNP_LABEL int; MNP_NDIM 3; MNP_WEST 1; MNP_NORTH_WEST 1; "
                    "MNP_NORTH 1; MNP_NORTH_EAST 0"},
    {.file = "ndimage/label_tiles.cu",
     .function = "label_finish",
     .definitions = "MNP_IN mnp_bool; MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 1; MNP_WEST 1; MNP_NORTH_WEST 0; "
                    "MNP_NORTH 0; MNP_NORTH_EAST 0"},
    {.file = "ndimage/neighbours.cu",
     .function = "neighbours",
     .definitions =
         "MNP_IN mnp_float16; MNP_OUT uint8_t; MNP_VALUE float; MNP_ORDERED 0; MNP_NDIM 2; MNP_SPANS 2, 2; "
         "MNP_COLUMNS 2; MNP_KEPT 1; MNP_RUN 5; MNP_TX 160; MNP_TY 16; MNP_MASK 0; MNP_THREADS 256; MNP_TILED 1",
     .generated = smallest},
    {.file = "ndimage/neighbours.cu",
     .function = "neighbours",
     .definitions =
         "MNP_IN int8_t; MNP_OUT double; MNP_VALUE uint32_t; MNP_ORDERED 1; MNP_NDIM 3; MNP_SPANS 2, 1, 2; "
         "MNP_COLUMNS 1; MNP_KEPT 1; MNP_RUN 1; MNP_TX 256; MNP_TY 1; MNP_MASK 1; MNP_THREADS 256; MNP_TILED 0",
     .generated = middle},
    {.file = "ndimage/rank_network.cu",
     .function = "rank_network",
     .definitions =
         "MNP_IN double; MNP_OUT mnp_float16; MNP_VALUE uint64_t; MNP_ORDERED 1; MNP_NDIM 3; MNP_SPANS 2, 1, 2; "
         "MNP_TX 64; MNP_TY 16; MNP_RUN 2; MNP_ROWS 2; MNP_THREADS 256",
     .generated = least},
    {.file = "ndimage/rank_slide.cu",
     .function = "rank_slide",
     .definitions =
         "MNP_IN mnp_float16; MNP_OUT int8_t; MNP_VALUE uint16_t; MNP_ORDERED 1; MNP_NDIM 3; MNP_SPANS 2, 9, 17; "
         "MNP_TX 32; MNP_TY 16; MNP_THREADS 128; MNP_SLIDERS 2; MNP_RANK 5"},
    {.file = "ndimage/rank_slide.cu",
     .function = "rank_slide",
     .definitions = "MNP_IN double; MNP_OUT double; MNP_VALUE uint64_t; MNP_ORDERED 1; MNP_NDIM 2; MNP_SPANS 1, 200; "
                    "MNP_TX 256; MNP_TY 1; MNP_THREADS 256; MNP_SLIDERS 8; MNP_RANK 100"},
    {.file = "fft/pass.cu",
     .function = "fft_pass",
     .definitions = "MNP_REAL float; MNP_PARTS 2; MNP_HALF 1; MNP_DIMS 3"},
    {.file = "fft/pass.cu",
     .function = "fft_pass",
     .definitions = "MNP_REAL double; MNP_PARTS 1; MNP_HALF 0; MNP_DIMS 1"},
    {.file = "fft/twiddle.cu", .function = "fft_twiddle", .definitions = "MNP_REAL float"},
    {.file = "fft/twiddle.cu", .function = "fft_twiddle", .definitions = "MNP_REAL double"},
    {.file = "signal/filters/recurrence.cu",
     .function = "recurrence",
     .definitions = "MNP_IN double; MNP_OUT double; MNP_ORDER 4; MNP_SECTIONS 0"},
    {.file = "signal/filters/recurrence.cu",
     .function = "recurrence",
     .definitions = "MNP_IN int16_t; MNP_OUT float; MNP_ORDER 8; MNP_SECTIONS 4"},
    {.file = "signal/filters/recurrence_tiles.cu",
     .function = "recurrence_tiles",
     .definitions = "MNP_IN double; MNP_OUT double; MNP_ORDER 8; MNP_SECTIONS 4; MNP_THREADS 128; MNP_STRIP 32; "
                    "MNP_BLOCKS 4"},
    {.file = "signal/filters/recurrence_tiles.cu",
     .function = "recurrence_tiles",
     .definitions = "MNP_IN mnp_float16; MNP_OUT float; MNP_ORDER 1; MNP_SECTIONS 0; MNP_THREADS 32; MNP_STRIP 8; "
                    "MNP_BLOCKS 20"},
    {.file = "signal/filters/upfirdn.cu",
     .function = "upfirdn",
     .definitions = "MNP_IN double; MNP_OUT double; MNP_PLAIN 1"},
    {.file = "signal/filters/upfirdn_tiles.cu",
     .function = "upfirdn_tiles",
     .definitions = "MNP_IN double; MNP_OUT double; MNP_UP 3; MNP_DOWN 2; MNP_TAPS 21; MNP_EACH 8; MNP_PERIODS 85"},
    {.file = "signal/filters/upfirdn_tiles.cu",
     .function = "upfirdn_tiles",
     .definitions = "MNP_IN mnp_float16; MNP_OUT float; MNP_UP 1; MNP_DOWN 16; MNP_TAPS 5; MNP_EACH 4; MNP_PERIODS 32"},
    {.file = "signal/spectral/segment_spectra.cu",
     .function = "segment_spectra",
     .definitions = "MNP_IN double; MNP_OUT double; MNP_SIZE 256; MNP_WHAT MNP_POWER_SUMS; MNP_TEAMS 4"},
    {.file = "signal/spectral/segment_spectra.cu",
     .function = "segment_spectra",
     .definitions = "MNP_IN mnp_float16; MNP_OUT float; MNP_SIZE 4096; MNP_WHAT MNP_SPECTRA; MNP_TEAMS 1"},
    {.file = "signal/spectral/segments.cu", .function = "segments", .definitions = "MNP_IN int16_t; MNP_OUT float"},
    {.file = "signal/spectral/unpack.cu", .function = "unpack", .definitions = "MNP_OUT int16_t"},
    {.file = "signal/spectral/overlap_add.cu",
     .function = "overlap_add",
     .definitions = "MNP_IN double; MNP_OUT double"},
    {.file = "signal/filters/upfirdn.cu",
     .function = "upfirdn",
     .definitions = "MNP_IN mnp_float16; MNP_OUT double; MNP_PLAIN 0"},
    {.file = "signal/blocks_load.cu", .function = "blocks_load", .definitions = "MNP_IN uint8_t; MNP_SUM float"},
    {.file = "signal/blocks_load.cu",
     .function = "blocks_load",
     .definitions = "MNP_IN mnp_complex64; MNP_SUM mnp_complex128"},
    {.file = "signal/blocks_store.cu", .function = "blocks_store", .definitions = "MNP_SUM double; MNP_OUT int16_t"},
    {.file = "signal/blocks_store.cu",
     .function = "blocks_store",
     .definitions = "MNP_SUM mnp_complex64; MNP_OUT mnp_complex64"},
    {.file = "signal/spectrum_multiply.cu", .function = "spectrum_multiply", .definitions = "MNP_VALUE mnp_complex64"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN uint8_t; MNP_OUT float; MNP_SUM float; MNP_TX 128; MNP_TY 64; MNP_CX 31; MNP_CY 31; "
                    "MNP_K0 1; MNP_K1 1; MNP_K2 31; MNP_K3 31; MNP_RX 16; MNP_RY 2; MNP_BY_COLUMNS 0"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN mnp_complex128; MNP_OUT mnp_complex128; MNP_SUM mnp_complex128; MNP_TX 32; MNP_TY 32; "
                    "MNP_CX 32; MNP_CY 4; MNP_K0 2; MNP_K1 3; MNP_K2 4; MNP_K3 45; MNP_RX 4; MNP_RY 2; MNP_BY_COLUMNS "
                    "0"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN mnp_bool; MNP_OUT mnp_complex64; MNP_SUM mnp_complex64; MNP_TX 64; MNP_TY 64; MNP_CX 5; "
                    "MNP_CY 3; MNP_K0 1; MNP_K1 1; MNP_K2 3; MNP_K3 5; MNP_RX 8; MNP_RY 2; MNP_BY_COLUMNS 0"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN int32_t; MNP_OUT uint16_t; MNP_SUM uint64_t; MNP_TX 2048; MNP_TY 1; MNP_CX 7; MNP_CY 1; "
                    "MNP_K0 1; MNP_K1 1; MNP_K2 1; MNP_K3 7; MNP_RX 8; MNP_RY 1; MNP_BY_COLUMNS 0"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN float; MNP_OUT float; MNP_SUM float; MNP_TX 512; MNP_TY 4; MNP_CX 41; MNP_CY 1; MNP_K0 1; "
                    "MNP_K1 1; MNP_K2 1; MNP_K3 41; MNP_RX 16; MNP_RY 1; MNP_BY_COLUMNS 0"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN double; MNP_OUT int16_t; MNP_SUM double; MNP_TX 256; MNP_TY 4; MNP_CX 31; MNP_CY 1; MNP_K0 "
                    "1; MNP_K1 8; MNP_K2 1; MNP_K3 31; MNP_RX 8; MNP_RY 1; MNP_BY_COLUMNS 0"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN float; MNP_OUT float; MNP_SUM float; MNP_TX 128; MNP_TY 128; MNP_CX 1; MNP_CY 41; MNP_K0 "
                    "1; MNP_K1 1; MNP_K2 41; MNP_K3 1; MNP_RX 4; MNP_RY 16; MNP_BY_COLUMNS 1"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .definitions = "MNP_IN uint8_t; MNP_OUT mnp_complex128; MNP_SUM mnp_complex128; MNP_TX 32; MNP_TY 64; MNP_CX 1; "
                    "MNP_CY 64; MNP_K0 1; MNP_K1 2; MNP_K2 129; MNP_K3 1; MNP_RX 1; MNP_RY 16; MNP_BY_COLUMNS 1"},
    {.file = "signal/paired_rows.cu",
     .function = "paired_rows",
     .definitions = "MNP_BACKWARD 0; MNP_IN uint8_t; MNP_OUT float; MNP_SUM float; MNP_REAL float; MNP_PAIRS 1; "
                    "MNP_POINTS 1024; MNP_ROWS 4; MNP_BLOCKS 4"},
    {.file = "signal/paired_rows.cu",
     .function = "paired_rows",
     .definitions = "MNP_BACKWARD 1; MNP_IN uint8_t; MNP_OUT float; MNP_SUM float; MNP_REAL float; MNP_PAIRS 1; "
                    "MNP_POINTS 1024; MNP_ROWS 4; MNP_BLOCKS 4"},
    {.file = "signal/paired_rows.cu",
     .function = "paired_rows",
     .definitions = "MNP_BACKWARD 1; MNP_IN mnp_complex128; MNP_OUT mnp_complex128; MNP_SUM mnp_complex128; MNP_REAL "
                    "double; MNP_PAIRS 0; MNP_POINTS 128; MNP_ROWS 32; MNP_BLOCKS 2"},
    {.file = "signal/paired_lines.cu",
     .function = "paired_lines",
     .definitions = "MNP_IN float; MNP_OUT float; MNP_SUM float; MNP_REAL float; MNP_PAIRS 1; MNP_POINTS 4096; "
                    "MNP_ROWS 1; MNP_BLOCKS 3"},
    {.file = "signal/paired_columns.cu",
     .function = "paired_columns",
     .definitions = "MNP_REAL float; MNP_POINTS 1024; MNP_COLUMNS 8; MNP_BLOCKS 2"},
    {.file = "signal/paired_columns.cu",
     .function = "paired_columns",
     .definitions = "MNP_REAL double; MNP_POINTS 2048; MNP_COLUMNS 2; MNP_BLOCKS 2"},
    {.file = "signal/fused.cu",
     .function = "fused",
     .definitions =
         "MNP_IN float; MNP_SUM float; MNP_OUT float; MNP_BETWEEN float; MNP_COMBINE 0; MNP_KY 41; MNP_KX 41; "
         "MNP_SHIFT 0; MNP_V 2; MNP_S 6; MNP_RX 12; MNP_REFILLS 0; MNP_THREADS 256; MNP_BLOCKS 2"},
    {.file = "signal/fused.cu",
     .function = "fused",
     .definitions = "MNP_IN uint8_t; MNP_SUM double; MNP_OUT uint8_t; MNP_BETWEEN uint8_t; MNP_COMBINE 1; MNP_KY 15; "
                    "MNP_KX 4; MNP_SHIFT 0; MNP_V 1; MNP_S 8; MNP_RX 6; MNP_REFILLS 1; MNP_TRUNCATES ; MNP_THREADS "
                    "256; MNP_BLOCKS 2"},
    {.file = "signal/fused.cu",
     .function = "fused",
     .definitions = "MNP_IN mnp_float16; MNP_SUM float; MNP_OUT mnp_float16; MNP_BETWEEN mnp_float16; MNP_COMBINE 2; "
                    "MNP_KY 61; MNP_KX 40; MNP_SHIFT 0; MNP_V 1; MNP_S 16; MNP_RX 12; MNP_REFILLS 0; MNP_THREADS 256; "
                    "MNP_BLOCKS 2"},
    {.file = "signal/fused.cu",
     .function = "fused",
     .definitions = "MNP_IN mnp_bool; MNP_SUM uint8_t; MNP_OUT mnp_bool; MNP_BETWEEN uint8_t; MNP_COMBINE 3; MNP_KY 1; "
                    "MNP_KX 3; MNP_SHIFT 0; MNP_V 2; MNP_S 8; MNP_RX 16; MNP_REFILLS 0; MNP_THREADS 64; MNP_BLOCKS "
                    "16"},
    {.file = "signal/fused.cu",
     .function = "fused",
     .definitions = "MNP_IN int32_t; MNP_SUM uint64_t; MNP_OUT int64_t; MNP_BETWEEN uint64_t; MNP_COMBINE 0; MNP_KY 5; "
                    "MNP_KX 1; MNP_SHIFT 0; MNP_V 1; MNP_S 8; MNP_RX 6; MNP_REFILLS 0; MNP_THREADS 256; MNP_BLOCKS 3"},
    {.file = "signal/fused_ring.cu",
     .function = "fused_ring",
     .definitions = "MNP_IN float; MNP_SUM float; MNP_OUT float; MNP_BETWEEN float; MNP_COMBINE 3; MNP_KY 101; MNP_KX "
                    "101; MNP_SHIFT 2; MNP_W 144; MNP_V 2; MNP_REFILLS 0; MNP_S 8; MNP_AHEAD 2; MNP_RY 8; MNP_RX 12; "
                    "MNP_THREADS 256; MNP_BLOCKS 1"},
    {.file = "signal/fused_ring.cu",
     .function = "fused_ring",
     .definitions = "MNP_IN uint8_t; MNP_SUM double; MNP_OUT uint8_t; MNP_BETWEEN uint8_t; MNP_COMBINE 1; MNP_KY 150; "
                    "MNP_KX 1; MNP_SHIFT 0; MNP_W 252; MNP_V 2; MNP_REFILLS 1; MNP_TRUNCATES ; MNP_S 8; MNP_AHEAD 2; "
                    "MNP_RY 8; MNP_RX 6; MNP_THREADS 256; MNP_BLOCKS 1"},
    {.file = "sparse/rows/edit_rows.cu", .function = "edit_rows", .definitions = "MNP_VALUE float; MNP_SUM 1"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "edit_rows",
     .definitions = "MNP_VALUE mnp_complex64; MNP_PRODUCT 1"},
    {.file = "sparse/rows/edit_rows.cu", .function = "edit_rows", .definitions = "MNP_VALUE double; MNP_SELECT 1"},
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

/* Each kernel source is in one of the two lists; no test would compile one that is in neither. */
static void all_are_listed(void)
{
    for (const struct mnp__kernel_source *source = mnp__kernel_sources; source->name; source++) {
        const char *test = NULL;
        for (int i = 0; i < TYPICAL; i++)
            test = strcmp(typical[i].file, source->name) == 0 ? "this test" : test;
        for (int i = 0; i < FAMILIES; i++)
            test = strcmp(families[i].file, source->name) == 0 ? families[i].test : test;
        if (is_cuda_source(source->name))
            ok(test != NULL, "%s is compiled by %s", source->name, test ? test : "no test");
    }
}

static void errors_show_the_line(const mnp__compiler *compiler)
{
    mnp__binary binary;
    mnp__kernel_spec spec = {.file = "wrong.cu", .function = "wrong"};
    mnp_status st = compiler->compile(compiler, &spec, "int fine;\nthis is wrong;\n", &binary);
    ok(st == MNP_ERR_COMPILE && strstr(mnp_error_message(), "2 | this is wrong;"),
       "source that does not compile is MNP_ERR_COMPILE and shows the line");
    print_lines(mnp_error_message());
}

/* A raw module as the library compiles it. */
static mnp_status compile_raw(const mnp__compiler *compiler, const char *text, const char *const *expressions,
                              mnp__binary *binary)
{
    mnp__kernel_spec spec = {.file = "custom/raw.cu",
                             .function = "tools",
                             .defines = "",
                             .generated = text,
                             .raw = true,
                             .nvrtc_options = "-DTWO=2",
                             .name_expressions = expressions};
    char *source = NULL;
    mnp_status st = mnp__jit_source(&spec, &source);
    if (st == MNP_OK)
        st = compiler->compile(compiler, &spec, source, binary);
    free(source);
    return st;
}

static void raw_modules(const mnp__compiler *compiler)
{
    static const char text[] =
        "#line 1 \"tools.cu\"\n"
        "#include \"maniple/math.h\"\n"
        "namespace n {\n"
        "template <typename T> __global__ void add(T *x) { x[threadIdx.x] = mnp_multiply(x[0], x[TWO]); }\n"
        "}\n"
        "__constant__ float table[3];\n"
        "extern \"C\" __global__ void plain(int64_t *x) { __syncthreads(); *x = table[1]; }\n";
    static const char *const names[] = {"n::add<double>", "n::add<mnp_complex64>", "&table", NULL};
    static const char *const wrong[] = {"n::add<flaot>", NULL};
    mnp__binary binary = {NULL, 0, NULL, 0};
    bool good = compile_raw(compiler, text, names, &binary) == MNP_OK;
    const char *add = good ? mnp__binary_name(&binary, names[0]) : NULL,
               *table = good ? mnp__binary_name(&binary, names[2]) : NULL;
    if (!ok(good && add && has_function(&binary, add) && has_function(&binary, "plain") && table &&
                strcmp(table, "table") == 0 && !mnp__binary_name(&binary, "plain"),
            "a raw module with name expressions, one of them %s", add ? add : "unknown"))
        print_lines(mnp_error_message());
    mnp__binary_free(&binary);
    mnp_status st = compile_raw(compiler, text, wrong, &binary);
    ok(st == MNP_ERR_COMPILE && strstr(mnp_error_message(), "kernel tools") && strstr(mnp_error_message(), "flaot"),
       "a name expression that is wrong is named");
    print_lines(mnp_error_message());
    st = compile_raw(compiler, "#line 1 \"tools.cu\"\n#include \"maniple/prelude.h\"\nint64_t f()\n{ return g; }\n",
                     NULL, &binary);
    ok(st == MNP_ERR_COMPILE && strstr(mnp_error_message(), "kernel tools.cu does not compile with NVRTC") &&
           strstr(mnp_error_message(), "\n     2 | int64_t f()\n>    3 | { return g; }"),
       "errors show the user's lines with the user's numbers");
    print_lines(mnp_error_message());
    static const char numbers[] =
        "#line 1 \"tools.cu\"\n"
        "#include <cupy/complex.cuh>\n"
        "extern \"C\" __global__ void f(complex<float> *x, complex<double> *y, float a)\n"
        "{\n"
        "    x[0] = a * x[1] + exp(conj(x[2])) / abs(x[3]) + pow(x[4], 2.0f) - complex<float>(0, 1);\n"
        "    y[0] = polar(1.0, arg(y[1])) * y[2].real() / sqrt(y[3]);\n"
        "}\n";
    st = compile_raw(compiler, numbers, NULL, &binary);
    if (!ok(st == MNP_OK, "CuPy's header of complex numbers is there"))
        print_lines(mnp_error_message());
    mnp__binary_free(&binary);
    static const char toolkit[] =
        "#line 1 \"tools.cu\"\n"
        "#include <cooperative_groups.h>\n"
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void f(__half *x) { cooperative_groups::this_thread_block().sync(); *x = 1; }\n";
    if (strstr(compiler->identity, "/include")) {
        st = compile_raw(compiler, toolkit, NULL, &binary);
        if (!ok(st == MNP_OK, "the toolkit's headers are found"))
            print_lines(mnp_error_message());
        mnp__binary_free(&binary);
    } else {
        skip("the toolkit's headers are found", "the toolkit has none here");
    }
}

static void old_gpus_are_refused(void)
{
    mnp__compiler *compiler = NULL;
    ok(mnp__nvrtc_new(gpu.device.config, 3, 0, &compiler) == MNP_ERR_UNSUPPORTED && !compiler,
       "a GPU that NVRTC has no code for is MNP_ERR_UNSUPPORTED");
    print_lines(mnp_error_message());
}

static void options_count(void)
{
    mnp__compiler *compiler = NULL;
    mnp__config config = *gpu.device.config;
    mnp__binary binary;
    mnp__kernel_spec spec = {.file = "empty.cu", .function = "empty"};
    config.nvrtc_options = (char[]){"  -DWANTED=7  --no-such-option "};
    ok(mnp__nvrtc_new(&config, 9, 0, &compiler) == MNP_OK && strstr(compiler->identity, "-DWANTED=7"),
       "the options of MANIPLE_NVRTC_OPTIONS are part of the identity");
    if (compiler)
        ok(compiler->compile(compiler, &spec, "", &binary) == MNP_ERR_COMPILE &&
               strstr(mnp_error_message(), "no-such-option"),
           "an option that NVRTC does not know is named");
    print_lines(mnp_error_message());
    mnp__nvrtc_free(compiler);
}

/* What runs on a simulated GPU: the host's compiler takes a call of the C library, NVRTC does not. */
static mnp_status call_on_simulated_gpu(const char *options, const char *body)
{
    const float one = 1;
    const int64_t size = 1;
    mnp_ctx *ctx = NULL;
    mnp_array *x = NULL;
    mnp_elementwise *kernel = NULL;
    mnp_status st;
    MNP_TRY(mnp_init(MPI_COMM_SELF, options, &ctx));
    MNP_TRY_OR(mnp_full(ctx, MNP_FLOAT32, 1, &size, &one, &x), st, done);
    MNP_TRY_OR(mnp_elementwise_new(ctx, "float32 x", "float32 y", body, NULL, &kernel), st, done);
    st = mnp_elementwise_call(kernel, MNP_INPUTS(x), MNP_OUTPUTS(&x));
done:
    mnp_elementwise_free(kernel);
    mnp_array_free(x);
    mnp_finalize(ctx);
    return st;
}

static void simulated_gpus_compile_too(void)
{
    static const char of_c[] = "y = ftell(stdout) < 0 ? x : 1;", plain[] = "y = 2 * x;";
    ok(call_on_simulated_gpu("device=simulated", of_c) == MNP_OK, "the host's compiler takes a function of C");
    ok(call_on_simulated_gpu("device=simulated simulated_nvrtc=1", of_c) == MNP_ERR_COMPILE &&
           strstr(mnp_error_message(), "NVRTC"),
       "where NVRTC compiles too, it is refused");
    print_lines(mnp_error_message());
    ok(call_on_simulated_gpu("device=simulated simulated_nvrtc=1", plain) == MNP_OK, "another text is not");
}

static void run(void)
{
    for (int i = 0; i < TYPICAL; i++)
        check_kernel(&typical[i]);
    for (int i = 0; i < gpu.ncompilers; i++) {
        errors_show_the_line(gpu.compilers[i]);
        raw_modules(gpu.compilers[i]);
    }
    all_are_listed();
    old_gpus_are_refused();
    options_count();
    simulated_gpus_compile_too();
}

#else

static void run(void)
{
}

#endif

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
