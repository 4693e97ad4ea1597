/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of fft/, ndimage/ and signal/, with definitions as the library writes them: a list of compile_kernels.c.
 */
#ifndef TESTS_JIT_TYPICAL_SIGNALS_H
#define TESTS_JIT_TYPICAL_SIGNALS_H

#include "tests/jit/harness.h"

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

static const kernel_case typical_signals[] = {
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 512; MNP_POINTS 512; MNP_BLOCKS 1; MNP_COLUMNS 16; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 0; MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 32; MNP_HELD 16; MNP_RADICES 16, 16, 2"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 16384; MNP_POINTS 16384; MNP_BLOCKS 16; MNP_COLUMNS 8; MNP_FROM_REAL "
                    "0; MNP_TO_REAL 0; "
                    "MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 64; MNP_HELD 16; MNP_RADICES 16, 16, 4"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL double; MNP_LENGTH 4096; MNP_POINTS 4096; MNP_BLOCKS 16; MNP_COLUMNS 8; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 0; "
                    "MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 16; MNP_HELD 16; MNP_RADICES 16, 16"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 1024; MNP_POINTS 1024; MNP_BLOCKS 1; MNP_COLUMNS 8; MNP_FROM_REAL 1; "
                    "MNP_TO_REAL 0; MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 64; MNP_HELD 16; MNP_RADICES 16, 16, 4"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL double; MNP_LENGTH 64; MNP_POINTS 64; MNP_BLOCKS 1; MNP_COLUMNS 16; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 1; MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 4; MNP_HELD 16; MNP_RADICES 16, 4"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 560; MNP_POINTS 560; MNP_BLOCKS 1; MNP_COLUMNS 8; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 0; MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 40; MNP_HELD 16; MNP_RADICES 16, 7, 5"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL double; MNP_LENGTH 2000; MNP_POINTS 2000; MNP_BLOCKS 4; MNP_COLUMNS 8; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 0; "
                    "MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 25; MNP_HELD 20; MNP_RADICES 10, 10, 5"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 429; MNP_POINTS 429; MNP_BLOCKS 1; MNP_COLUMNS 8; MNP_FROM_REAL 1; "
                    "MNP_TO_REAL 0; MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 33; MNP_HELD 13; MNP_RADICES 13, 11, 3"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL double; MNP_LENGTH 12; MNP_POINTS 12; MNP_BLOCKS 1; MNP_COLUMNS 64; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 1; MNP_ALIGNED 1; MNP_FILTERS 0; "
                    "MNP_LINES 1; MNP_HELD 12; MNP_RADICES 12"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 404; MNP_POINTS 810; MNP_BLOCKS 1; MNP_COLUMNS 8; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 1; MNP_ALIGNED 0; MNP_FILTERS 0; MNP_LINES 54; MNP_HELD 15; MNP_RADICES 15, 9, 6"},
    {.file = "fft/columns.cu",
     .function = "fft_columns",
     .definitions = "MNP_REAL float; MNP_LENGTH 540; MNP_POINTS 540; MNP_BLOCKS 1; MNP_COLUMNS 8; MNP_FROM_REAL 0; "
                    "MNP_TO_REAL 0; MNP_ALIGNED 1; MNP_FILTERS 1; MNP_LINES 30; MNP_HELD 20; MNP_RADICES 10, 9, 6"},
    {.file = "fft/cosine.cu", .function = "fft_cosine", .definitions = "MNP_REAL float; MNP_PAIRS 1; MNP_IN_PARTS 1"},
    {.file = "fft/cosine.cu", .function = "fft_cosine", .definitions = "MNP_REAL double; MNP_PAIRS 0; MNP_IN_PARTS 2"},
    {.file = "fft/cosine.cu", .function = "fft_cosine", .definitions = "MNP_REAL float; MNP_PAIRS 0; MNP_IN_PARTS 1"},
    {.file = "fft/cosine_table.cu", .function = "fft_cosine_table", .definitions = "MNP_REAL float; MNP_SPREAD 0"},
    {.file = "fft/cosine_table.cu", .function = "fft_cosine_table", .definitions = "MNP_REAL double; MNP_SPREAD 1"},
    {.file = "ndimage/distance_bits.cu", .function = "distance_bits", .definitions = "MNP_TASK 0"},
    {.file = "ndimage/distance_bits.cu",
     .function = "distance_bits",
     .definitions = "MNP_TASK 1; MNP_METRIC 0; MNP_PLACES 1"},
    {.file = "ndimage/distance_bits.cu",
     .function = "distance_bits",
     .definitions = "MNP_TASK 1; MNP_METRIC 2; MNP_PLACES 0"},
    {.file = "ndimage/distance_search.cu", .function = "distance_search", .definitions = "MNP_METRIC 0; MNP_PLACES 1"},
    {.file = "ndimage/distance_search.cu", .function = "distance_search", .definitions = "MNP_METRIC 1; MNP_PLACES 0"},
    {.file = "ndimage/distance_search.cu", .function = "distance_search", .definitions = "MNP_METRIC 2; MNP_PLACES 1"},
    {.file = "ndimage/fill_parts.cu", .function = "fill_flags"},
    {.file = "ndimage/fill_parts.cu", .function = "fill_elements"},
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
    {.file = "ndimage/spline.cu",
     .function = "spline",
     .definitions = "MNP_IN float; MNP_POLES 2; MNP_REACH 47; MNP_BESIDE 0"},
    {.file = "ndimage/spline.cu",
     .function = "spline",
     .definitions = "MNP_IN mnp_bool; MNP_POLES 1; MNP_REACH 30; MNP_BESIDE 1"},
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
    {.file = "ndimage/label_numbers.cu",
     .function = "label_edges",
     .definitions = "MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_nodes",
     .definitions = "MNP_OUT mnp_float16; MNP_LABEL long long; MNP_NDIM 3; MNP_NEIGHBOURS {{-1, 0, 0}}, {{0, 0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_meet",
     .definitions = "MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_least",
     .definitions = "MNP_OUT mnp_float16; MNP_LABEL long long; MNP_NDIM 3; MNP_NEIGHBOURS {{-1, 0, 0}}, {{0, 0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_yield",
     .definitions = "MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_count",
     .definitions = "MNP_OUT mnp_float16; MNP_LABEL long long; MNP_NDIM 3; MNP_NEIGHBOURS {{-1, 0, 0}}, {{0, 0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_sum",
     .definitions = "MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_tell",
     .definitions = "MNP_OUT mnp_float16; MNP_LABEL long long; MNP_NDIM 3; MNP_NEIGHBOURS {{-1, 0, 0}}, {{0, 0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_hear",
     .definitions = "MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_settle",
     .definitions = "MNP_OUT mnp_float16; MNP_LABEL long long; MNP_NDIM 3; MNP_NEIGHBOURS {{-1, 0, 0}}, {{0, 0, -1}}"},
    {.file = "ndimage/label_numbers.cu",
     .function = "label_finish",
     .definitions = "MNP_OUT int32_t; MNP_LABEL int; MNP_NDIM 2; MNP_NEIGHBOURS {{-1, 0}}, {{0, -1}}"},
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
};

#endif
