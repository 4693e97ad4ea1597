/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a kernel spec to the one text that is compiled.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"

enum { MAX_INCLUDES = 32 };

struct included {
    const char *files[MAX_INCLUDES];
    int count;
    const char *generated; /* what #include "generated" stands for */
};

const char *mnp__jit_type(mnp_dtype dtype)
{
    static const char *const types[MNP_NUM_DTYPES] = {
        [MNP_BOOL] = "mnp_bool",
        [MNP_INT8] = "int8_t",
        [MNP_INT16] = "int16_t",
        [MNP_INT32] = "int32_t",
        [MNP_INT64] = "int64_t",
        [MNP_UINT8] = "uint8_t",
        [MNP_UINT16] = "uint16_t",
        [MNP_UINT32] = "uint32_t",
        [MNP_UINT64] = "uint64_t",
        [MNP_FLOAT16] = "mnp_float16",
        [MNP_BFLOAT16] = "mnp_bfloat16",
        [MNP_FLOAT32] = "float",
        [MNP_FLOAT64] = "double",
        [MNP_COMPLEX64] = "mnp_complex64",
        [MNP_COMPLEX128] = "mnp_complex128",
    };
    return types[dtype];
}

static const struct mnp__kernel_source *find_file(const char *name, size_t length)
{
    for (const struct mnp__kernel_source *file = mnp__kernel_sources; file->name; file++) {
        if (strlen(file->name) == length && strncmp(file->name, name, length) == 0)
            return file;
    }
    return NULL;
}

static mnp_status append_generated(const char *generated, struct included *included, mnp__text *text);

/* The length of a line with its end. */
static size_t line_size(const char *line)
{
    size_t size = strcspn(line, "\n");
    return size + (line[size] == '\n');
}

/* What a line names if it begins with that directive and a quote; else NULL. */
static const char *quoted(const char *line, const char *directive, size_t *length_p)
{
    size_t length = strlen(directive);
    if (strncmp(line, directive, length) != 0)
        return NULL;
    *length_p = strcspn(line + length, "\"\n");
    return line + length;
}

/* Append a file, its `#include "kernels/..."` lines replaced by what they name, each file once. */
static mnp_status append_file(const char *name, size_t length, struct included *included, mnp__text *text)
{
    const struct mnp__kernel_source *file = find_file(name, length);
    if (!file)
        return MNP_FAIL(MNP_ERR_INTERNAL, "there is no kernel source \"%.*s\"", (int)length, name);
    for (int i = 0; i < included->count; i++) {
        if (included->files[i] == file->name)
            return MNP_OK;
    }
    if (included->count == MAX_INCLUDES)
        return MNP_FAIL(MNP_ERR_INTERNAL, "kernel source \"%s\" is one too many of %d", file->name, MAX_INCLUDES);
    included->files[included->count++] = file->name;

    for (const char *line = file->text; *line; line += line_size(line)) {
        size_t inner_length;
        const char *inner = quoted(line, "#include \"kernels/", &inner_length);
        if (inner)
            MNP_TRY(append_file(inner, inner_length, included, text));
        else if (included->generated && strncmp(line, "#include \"generated\"", 20) == 0)
            MNP_TRY(append_generated(included->generated, included, text));
        else
            mnp__text_add_bytes(text, line, line_size(line));
    }
    return mnp__text_status(text);
}

/*
 * Append the generated text.  It, and what a user wrote of it, may include "maniple/NAME", which is our file NAME; the
 * lines after that keep the names and numbers that a #line directive gave them.
 */
static mnp_status append_generated(const char *generated, struct included *included, mnp__text *text)
{
    const char *name = "", *found;
    size_t length = 0, found_length;
    long number = 0;
    for (const char *line = generated; *line; line += line_size(line), number++) {
        if ((found = quoted(line, "#line 1 \"", &found_length))) {
            name = found;
            length = found_length;
            number = 0;
        }
        if ((found = quoted(line, "#include \"maniple/", &found_length)) && find_file(found, found_length)) {
            if (length > 0)
                mnp__text_add(text, "#line 1 \"%.*s\"\n", (int)found_length, found);
            MNP_TRY(append_file(found, found_length, included, text));
            if (length > 0)
                mnp__text_add(text, "#line %ld \"%.*s\"\n", number + 1, (int)length, name);
        } else {
            mnp__text_add_bytes(text, line, line_size(line));
        }
    }
    mnp__text_add(text, "\n");
    return mnp__text_status(text);
}

mnp_status mnp__jit_source(const mnp__kernel_spec *spec, char **text_p)
{
    struct included included = {.count = 0, .generated = spec->generated};
    mnp__text text = MNP__TEXT_EMPTY;
    mnp_status st;
    mnp__text_add(&text, "%s", spec->defines);
    MNP_TRY_OR(append_file(spec->file, strlen(spec->file), &included, &text), st, fail);
    *text_p = text.data;
    return MNP_OK;
fail:
    mnp__text_free(&text);
    return st;
}

#define MNP_GRID_BODY(value)                                                                                           \
    "template <typename Point> static MNP_INLINE void mnp_body(const Point &mnp_at, mnp_value &mnp_y)\n"               \
    "{\n    const auto x = mnp_at.array(0);\n    mnp_y = " value ";\n}\n"

const mnp__kernel_spec mnp__jit_examples[] = {
    {.file = "comm/combine.cu",
     .function = "combine",
     .defines = "#define MNP_MEMORY mnp_bfloat16\n#define MNP_VALUE float\n#define MNP_JOIN mnp_add\n#define "
                "MNP_AVERAGES 1\n"},
    {.file = "comm/combine.cu",
     .function = "combine",
     .defines = "#define MNP_MEMORY mnp_complex64\n#define MNP_VALUE mnp_complex64\n#define MNP_JOIN mnp_multiply\n"
                "#define MNP_AVERAGES 0\n"},
    {.file = "array/copy_boxes.cu",
     .function = "copy_boxes",
     .defines = "#define MNP_SRC float\n#define MNP_DST mnp_bool\n"},
    {.file = "array/copy_boxes.cu",
     .function = "copy_boxes",
     .defines = "#define MNP_SRC mnp_complex64\n#define MNP_DST int16_t\n"},
    {.file = "array/copy_boxes.cu",
     .function = "copy_boxes",
     .defines = "#define MNP_SRC mnp_float16\n#define MNP_DST mnp_complex128\n"},
    {.file = "array/copy_boxes.cu",
     .function = "copy_boxes",
     .defines = "#define MNP_SRC uint8_t\n#define MNP_DST uint8_t\n"},
    {.file = "array/copy_boxes.cu",
     .function = "copy_boxes",
     .defines = "#define MNP_SRC uint16_t\n#define MNP_DST uint16_t\n"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .defines = "#define MNP_IN uint8_t\n#define MNP_OUT float\n#define MNP_SUM float\n"
                "#define MNP_TX 128\n#define MNP_TY 64\n#define MNP_CX 31\n#define MNP_CY 31\n"
                "#define MNP_K0 1\n#define MNP_K1 1\n#define MNP_K2 31\n#define MNP_K3 31\n#define MNP_RX 16\n#define "
                "MNP_RY 2\n"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .defines = "#define MNP_IN mnp_complex128\n#define MNP_OUT mnp_complex128\n#define MNP_SUM mnp_complex128\n"
                "#define MNP_TX 32\n#define MNP_TY 32\n#define MNP_CX 32\n#define MNP_CY 4\n"
                "#define MNP_K0 2\n#define MNP_K1 3\n#define MNP_K2 4\n#define MNP_K3 45\n#define MNP_RX 4\n#define "
                "MNP_RY 2\n"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .defines = "#define MNP_IN mnp_bool\n#define MNP_OUT mnp_complex64\n#define MNP_SUM mnp_complex64\n"
                "#define MNP_TX 64\n#define MNP_TY 64\n#define MNP_CX 5\n#define MNP_CY 3\n"
                "#define MNP_K0 1\n#define MNP_K1 1\n#define MNP_K2 3\n#define MNP_K3 5\n#define MNP_RX 8\n#define "
                "MNP_RY 2\n"},
    {.file = "signal/conv_direct.cu",
     .function = "conv_direct",
     .defines = "#define MNP_IN int32_t\n#define MNP_OUT uint16_t\n#define MNP_SUM uint64_t\n"
                "#define MNP_TX 2048\n#define MNP_TY 1\n#define MNP_CX 7\n#define MNP_CY 1\n"
                "#define MNP_K0 1\n#define MNP_K1 1\n#define MNP_K2 1\n#define MNP_K3 7\n#define MNP_RX 8\n#define "
                "MNP_RY 1\n"},
    {.file = "elementwise/elementwise.cu",
     .function = "loop_doubling",
     .defines = /* others: tests/ops/elementwise/loop_kernels.c */
     "#define MNP_LOOP loop_doubling\n#define MNP_NDIM 1\n#define MNP_OPERANDS 2\n#define MNP_TILE 0\n#define "
     "MNP_INDICES 0\n"
     "#define MNP_THREADS 256\n#define MNP_VECTOR 4\n#define MNP_UNROLL 2\n#define MNP_WIDE 0\n#define MNP_ACCESS_0 2\n"
     "#define MNP_ACCESS_1 2\n#define MNP_SHARED_0 0\n#define MNP_TRANSPOSED(X)\n#define MNP_COUNTERS(X)\n",
     .generated = "typedef float mnp_type0, mnp_memory0, mnp_carrier0, mnp_type1, mnp_memory1;\n"
                  "#define MNP_INPUTS(X) X(0)\n#define MNP_OUTPUTS(X) X(1)\n"
                  "static MNP_INLINE void mnp_body(const float x, float &y)\n{\n    y = 2 * x;\n}\n"
                  "#define MNP_BODY(IN, OUT, position) mnp_body(IN(0), OUT(1))\n"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "edit_rows",
     .defines = "#define MNP_VALUE float\n#define MNP_SUM 1\n"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "edit_rows",
     .defines = "#define MNP_VALUE mnp_complex64\n#define MNP_PRODUCT 1\n"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "edit_rows",
     .defines = "#define MNP_VALUE double\n#define MNP_SELECT 1\n"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "change_values",
     .defines = "#define MNP_VALUE mnp_complex128\n#define MNP_FROM float\n"},
    {.file = "sparse/rows/edit_rows.cu",
     .function = "sum_magnitudes",
     .defines = "#define MNP_VALUE double\n#define MNP_FROM mnp_complex64\n"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "fetch_rows", .defines = "#define MNP_VALUE float\n"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "fetch_rows", .defines = "#define MNP_VALUE mnp_complex128\n"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "find_diagonal", .defines = "#define MNP_VALUE double\n"},
    {.file = "sparse/rows/fetch_rows.cu", .function = "find_diagonal", .defines = "#define MNP_VALUE mnp_complex64\n"},
    {.file = "sparse/rows/sort_entries.cu", .function = "sort_entries", .defines = "#define MNP_VALUE float\n"},
    {.file = "sparse/rows/sort_entries.cu",
     .function = "sort_entries",
     .defines = "#define MNP_VALUE mnp_complex128\n"},
    {.file = "sparse/assembly/stencil_rows.cu", .function = "stencil_rows", .defines = "#define MNP_VALUE double\n"},
    {.file = "sparse/assembly/stencil_rows.cu",
     .function = "stencil_rows",
     .defines = "#define MNP_VALUE mnp_complex64\n"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .defines = "#define MNP_KEY float\n#define MNP_PAYLOAD 1\n#define MNP_DESCENDING 0\n#define MNP_THREADS "
                "256\n#define MNP_ITEMS 15\n"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .defines =
         "#define MNP_KEY mnp_complex128\n#define MNP_PAYLOAD 1\n#define MNP_DESCENDING 1\n#define MNP_THREADS 256\n"
         "#define MNP_ITEMS 7\n"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .defines = "#define MNP_KEY mnp_float16\n#define MNP_PAYLOAD 0\n#define MNP_DESCENDING 0\n#define MNP_THREADS "
                "256\n#define MNP_ITEMS 15\n"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .defines = "#define MNP_KEY mnp_bool\n#define MNP_PAYLOAD 0\n#define MNP_DESCENDING 1\n#define MNP_THREADS "
                "256\n#define MNP_ITEMS 15\n"},
    {.file = "sort/merge.cu",
     .function = "merge_runs",
     .defines = "#define MNP_KEY int64_t\n#define MNP_PAYLOAD 1\n#define MNP_DESCENDING 0\n#define MNP_THREADS "
                "256\n#define MNP_ITEMS 11\n"},
    {.file = "sparse/operator/operator_kernel.cu",
     .function = "operator_kernel",
     .defines = "#define MNP_VALUE double\n#define MNP_NDIM 3\n#define MNP_REACH {1, 1, 1}\n#define MNP_GHOSTS "
                "0\n#define MNP_ALONG 8\n"
                "#define MNP_SMALL 1\n",
     .generated = MNP_GRID_BODY("x(0, 0, 0) - x(-1, 0, 0) - x(0, 1, 0) - x(0, 0, -1)")},
    {.file = "sparse/operator/operator_kernel.cu",
     .function = "operator_kernel",
     .defines = "#define MNP_VALUE complex<float>\n#define MNP_NDIM 1\n#define MNP_REACH {2}\n#define MNP_GHOSTS "
                "1\n#define MNP_ALONG 2\n"
                "#define MNP_SMALL 0\n",
     .generated = MNP_GRID_BODY("x(2) * conj(x(-1))")},
    {.file = "sparse/operator/operator_kernel.cu",
     .function = "operator_kernel",
     .defines =
         "#define MNP_VALUE complex<double>\n#define MNP_NDIM 4\n#define MNP_REACH {0, 1, 0, 3}\n#define MNP_GHOSTS 1\n"
         "#define MNP_ALONG 4\n#define MNP_SMALL 0\n",
     .generated = MNP_GRID_BODY("x(0, 1, 0, -3)")},
    {.file = "array/p2p_boxes.cu",
     .function = "p2p_boxes",
     .defines = "#define MNP_SRC uint32_t\n#define MNP_DST uint32_t\n"},
    {.file = "array/p2p_boxes.cu",
     .function = "p2p_boxes",
     .defines = "#define MNP_SRC uint64_t\n#define MNP_DST uint64_t\n"},
    {.file = "array/p2p_boxes.cu",
     .function = "p2p_boxes",
     .defines = "#define MNP_SRC mnp_complex128\n#define MNP_DST mnp_complex128\n"},
    {.file = "sparse/matrix/p2p_ghosts.cu", .function = "p2p_ghosts", .defines = "#define MNP_ELEMENT 4\n"},
    {.file = "sparse/matrix/p2p_ghosts.cu", .function = "send_ghosts", .defines = "#define MNP_ELEMENT 16\n"},
    {.file = "comm/p2p_all_to_all.cu", .function = "p2p_all_to_all", .defines = ""},
    {.file = "random/random.cu",
     .function = "fill_random",
     .defines = /* others: tests/ops/random/random_kernels.c */
     "#define MNP_SAMPLER mnp_draw_normal\n#define MNP_OUT float\n"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .defines = "#define MNP_SOURCES 1\n#define MNP_MEMORY uint8_t\n"
                "#define MNP_VALUE uint8_t\n#define MNP_JOIN mnp_add\n#define MNP_AVERAGES 0\n"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .defines = "#define MNP_SOURCES 4\n#define MNP_MEMORY float\n"
                "#define MNP_VALUE float\n#define MNP_JOIN mnp_add\n#define MNP_AVERAGES 0\n"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .defines = "#define MNP_SOURCES 2\n#define MNP_MEMORY mnp_float16\n"
                "#define MNP_VALUE float\n#define MNP_JOIN mnp_add\n#define MNP_AVERAGES 1\n"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .defines = "#define MNP_SOURCES 16\n#define MNP_MEMORY mnp_bool\n"
                "#define MNP_VALUE mnp_bool\n#define MNP_JOIN mnp_multiply\n#define MNP_AVERAGES 0\n"},
    {.file = "comm/p2p_reduce.cu",
     .function = "p2p_reduce",
     .defines = "#define MNP_SOURCES 3\n#define MNP_MEMORY mnp_complex128\n"
                "#define MNP_VALUE mnp_complex128\n#define MNP_JOIN mnp_multiply\n#define MNP_AVERAGES 0\n"},
    {.file = "comm/p2p_small.cu", .function = "p2p_small", .defines = "#define MNP_REDUCES 0\n"},
    {.file = "comm/p2p_small.cu",
     .function = "p2p_small",
     .defines = "#define MNP_REDUCES 1\n#define MNP_MEMORY double\n"
                "#define MNP_VALUE double\n#define MNP_JOIN mnp_add\n#define MNP_AVERAGES 0\n"},
    {.file = "comm/p2p_small.cu",
     .function = "p2p_small",
     .defines = "#define MNP_REDUCES 1\n#define MNP_MEMORY mnp_float16\n"
                "#define MNP_VALUE float\n#define MNP_JOIN mnp_add\n#define MNP_AVERAGES 1\n"},
    {.file = "comm/p2p_small.cu",
     .function = "p2p_small",
     .defines = "#define MNP_REDUCES 1\n#define MNP_MEMORY mnp_complex128\n"
                "#define MNP_VALUE mnp_complex128\n#define MNP_JOIN mnp_multiply\n#define MNP_AVERAGES 0\n"},
    {.file = "sort/sort_sample.cu", .function = "sort_sample", .defines = "#define MNP_KEY mnp_complex128\n"},
    {.file = "sparse/product/spgemm.cu", .function = "spgemm_plan", .defines = "#define MNP_PLAN 1\n"},
    {.file = "sparse/product/spgemm.cu",
     .function = "spgemm_rows",
     .defines = "#define MNP_PLAN 0\n#define MNP_VALUE double\n#define MNP_COUNTS 0\n#define MNP_TEAM 32\n#define "
                "MNP_BLOCK 64\n"
                "#define MNP_MOST 512\n#define MNP_TEAM_BYTES 12160\n",
     .shared_bytes = 24320},
    {.file = "sparse/product/spgemm.cu",
     .function = "spgemm_rows",
     .defines = "#define MNP_PLAN 0\n#define MNP_VALUE mnp_complex64\n#define MNP_COUNTS 1\n#define MNP_TEAM "
                "256\n#define MNP_BLOCK 256\n"
                "#define MNP_MOST 2048\n#define MNP_TEAM_BYTES 67776\n",
     .shared_bytes = 67776},
    {.file = "sparse/product/spgemm.cu",
     .function = "spgemm_rows",
     .defines = "#define MNP_PLAN 0\n#define MNP_VALUE double\n#define MNP_COUNTS 0\n#define MNP_TEAM 512\n#define "
                "MNP_BLOCK 512\n"
                "#define MNP_MOST 0\n#define MNP_TEAM_BYTES 45312\n",
     .shared_bytes = 45312},
    {.file = "custom/raw.cu",
     .function = "scale",
     .defines = "",
     .raw = true,
     .generated = "#line 1 \"scale.cu\"\nextern \"C\" __global__ void scale(float *x, float by)\n{\n    x[threadIdx.x] "
                  "*= by;\n}\n"},
    {.file = "reduction/reduce.cu",
     .function = "reduce_sum",
     .shared_bytes = 16384,
     .defines = /* others: tests/ops/reduction/reduce_kernels.c */
     "#define MNP_REDUCE reduce_sum\n#define MNP_KEPT 1\n#define MNP_REDUCED 1\n#define MNP_OPERANDS 2\n#define "
     "MNP_RESULTS 1\n"
     "#define MNP_FIRST_RESULT 1\n#define MNP_COLUMNS 1\n#define MNP_SEARCHES 0\n#define MNP_ACC_BYTES 8\n#define "
     "MNP_THREADS 256\n#define MNP_VECTOR 4\n"
     "#define MNP_UNROLL 4\n#define MNP_REACH_OF_0 2\n",
     .generated = "typedef float mnp_type0, mnp_memory0, mnp_carrier0, mnp_type1, mnp_memory1;\n"
                  "#define MNP_INPUTS(X) X(0)\n#define MNP_OUTPUTS(X) X(1)\ntypedef mnp_reduce_sum<mnp_type0> mnp_op;\n"
                  "#define MNP_TAKE(lanes, j, IN, i) lanes.take(j, IN(0), i)\n"
                  "#define MNP_GIVE(acc, end, OUT) mnp_op::give(acc, end, OUT(1))\n"},
    {.file = NULL},
};
