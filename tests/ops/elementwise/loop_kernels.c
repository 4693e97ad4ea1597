/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernels loops choose on a GPU, and that each of them compiles: a case has operands and the signature that the
 * kernel must have.
 */
#include <config.h>

#include <string.h>

#include "tests/jit/harness.h"

#include "base/text.h"
#include "ops/elementwise/loop_plan.h"

/* An operand: its extents, which are 1 where it is broadcast, and its strides in elements. */
typedef struct strided {
    mnp_dtype dtype;
    int64_t shape[4], strides[4];
    size_t address; /* modulo 256 */
} strided;

static const struct loop_case {
    const char *what, *body, *kernel; /* kernel: the expected signature, as describe() writes it */
    int ndim, ninputs;
    bool indices;
    strided operands[3];
} cases[] = {
    {"saxpy",
     "z = 2.5f * x + y;",
     "1D 4x1 tile 0: 2 2 2",
     1,
     2,
     false,
     {{MNP_FLOAT32, {1000}, {1}, 0}, {MNP_FLOAT32, {1000}, {1}, 0}, {MNP_FLOAT32, {1000}, {1}, 0}}},
    {"a call of a big function",
     "z = mnp_sin(x);",
     "1D 4x2 tile 0: 1 2",
     1,
     1,
     false,
     {{MNP_FLOAT32, {1000}, {1}, 4}, {MNP_FLOAT32, {1000}, {1}, 8}}},
    {"small floats",
     "z = mnp_add(x, y);",
     "1D 8x1 tile 0: 2 2 2",
     1,
     2,
     false,
     {{MNP_FLOAT16, {1000}, {1}, 0}, {MNP_FLOAT16, {1000}, {1}, 0}, {MNP_FLOAT16, {1000}, {1}, 0}}},
    {"complex numbers",
     "z = x.re * x.re + x.im * x.im;",
     "1D 1x2 tile 0: 2 2",
     1,
     1,
     false,
     {{MNP_COMPLEX128, {1000}, {1}, 0}, {MNP_FLOAT64, {1000}, {1}, 0}}},
    {"comparison of bytes",
     "z = mnp_less(x, y);",
     "1D 16x1 tile 0: 1 2 2",
     1,
     2,
     false,
     {{MNP_INT8, {1000}, {1}, 1}, {MNP_INT8, {1000}, {1}, 7}, {MNP_BOOL, {1000}, {1}, 7}}},
    {"comparison of wide numbers",
     "z = mnp_less(x, y);",
     "1D 2x2 tile 0: 2 11 2",
     2,
     2,
     false,
     {{MNP_FLOAT64, {300, 200}, {200, 1}, 0}, {MNP_FLOAT64, {1, 1}, {1, 1}, 0}, {MNP_BOOL, {300, 200}, {200, 1}, 0}}},
    {"a row for all rows",
     "z = x + y;",
     "2D 4x1 tile 0: 2 10 2",
     2,
     2,
     false,
     {{MNP_FLOAT32, {100, 4096}, {4096, 1}, 0},
      {MNP_FLOAT32, {1, 4096}, {0, 1}, 0},
      {MNP_FLOAT32, {100, 4096}, {4096, 1}, 0}}},
    {"a column for all columns",
     "z = x + y;",
     "2D 4x2 tile 0: 2 3 2",
     2,
     2,
     false,
     {{MNP_FLOAT32, {100, 4096}, {4096, 1}, 0},
      {MNP_FLOAT32, {100, 1}, {1, 0}, 0},
      {MNP_FLOAT32, {100, 4096}, {4096, 1}, 0}}},
    {"a transposed operand",
     "z = x + y;",
     "2D 4x4 tile 64: 18 2 2",
     2,
     2,
     false,
     {{MNP_FLOAT32, {4096, 4096}, {1, 4096}, 0},
      {MNP_FLOAT32, {4096, 4096}, {4096, 1}, 0},
      {MNP_FLOAT32, {4096, 4096}, {4096, 1}, 0}}},
    {"turned by a right angle, and by every other element",
     "z = x + y;",
     "2D 4x1 tile 32: 16 16 2",
     2,
     2,
     false,
     {{MNP_FLOAT32, {4096, 4096}, {-1, 4096}, 0},
      {MNP_FLOAT32, {4096, 4096}, {2, 8192}, 0},
      {MNP_FLOAT32, {4096, 4096}, {4096, 1}, 0}}},
    {"transposed, of two widths, with a row for all",
     "z = x + y;",
     "2D 2x2 tile 32: 18 10 2",
     2,
     2,
     false,
     {{MNP_FLOAT64, {300, 200}, {1, 300}, 0},
      {MNP_FLOAT32, {1, 200}, {0, 1}, 0},
      {MNP_FLOAT64, {300, 200}, {200, 1}, 0}}},
    {"other axes first",
     "z = x;",
     "3D 16x4 tile 128: 18 2",
     3,
     1,
     false,
     {{MNP_UINT8, {32, 64, 160}, {1, 32, 2048}, 0}, {MNP_UINT8, {32, 64, 160}, {10240, 160, 1}, 0}}},
    {"four dimensions with gaps, and indices",
     "z = x + mnp_i + mnp_index[2] + mnp_n;",
     "3D 4x2 tile 0: 2 2 1 3",
     4,
     1,
     true,
     {{MNP_INT32, {50, 60, 7, 8}, {12000, 200, 16, 1}, 0}, {MNP_INT32, {50, 60, 7, 8}, {18000, 300, 24, 1}, 0}}},
    {"more rows than 32 bits count",
     "z = x;",
     "3D 1x4 tile 0: 0 0 flat wide",
     3,
     1,
     false,
     {{MNP_UINT8, {1 << 20, 1 << 14, 4}, {1 << 20, 16, 2}, 0},
      {MNP_UINT8, {1 << 20, 1 << 14, 4}, {1 << 20, 16, 2}, 0}}},
    {"more rows than 32 bits count, for vectors",
     "z = x;",
     "3D 16x2 tile 0: 2 2 wide",
     3,
     1,
     false,
     {{MNP_UINT8, {1 << 20, 1 << 14, 16}, {1 << 20, 32, 1}, 0},
      {MNP_UINT8, {1 << 20, 1 << 14, 16}, {1 << 20, 32, 1}, 0}}},
    {"short rows of bytes, backwards",
     "z = x;",
     "3D 4x4 tile 0: 0 2 flat",
     3,
     1,
     false,
     {{MNP_UINT8, {70, 90, 13}, {3000, 26, -1}, 0}, {MNP_UINT8, {70, 90, 13}, {1170, 13, 1}, 1}}},
    {"long rows of gaps",
     "z = x + y;",
     "2D 1x4 tile 0: 0 1 1 flat",
     2,
     2,
     false,
     {{MNP_FLOAT32, {100, 4096}, {9000, 2}, 0},
      {MNP_FLOAT32, {100, 4096}, {4096, 1}, 0},
      {MNP_FLOAT32, {100, 4096}, {4096, 1}, 0}}},
    {"a column for unaligned rows",
     "z = x + y;",
     "2D 8x2 tile 0: 2 3 2 flat",
     2,
     2,
     false,
     {{MNP_INT16, {1000, 101}, {101, 1}, 0}, {MNP_INT16, {1000, 1}, {1, 0}, 0}, {MNP_INT16, {1000, 101}, {101, 1}, 0}}},
    {"a column for rows that are shorter than vectors",
     "z = x + y + mnp_index[0];",
     "2D 4x4 tile 0: 2 0 2 3 flat",
     2,
     2,
     true,
     {{MNP_INT8, {9000, 5}, {5, 1}, 4}, {MNP_INT8, {9000, 1}, {1, 0}, 0}, {MNP_INT8, {9000, 5}, {5, 1}, 0}}},
    {"long rows across which the nearest elements are",
     "z = x;",
     "2D 1x4 tile 0: 0 0",
     2,
     1,
     false,
     {{MNP_FLOAT32, {5, 10001}, {1, 5}, 0}, {MNP_FLOAT32, {5, 10001}, {10001, 1}, 0}}},
    {"anything that is small",
     "z = x;",
     "8D 1x1 tile 0: 0 0",
     3,
     1,
     false,
     {{MNP_UINT8, {10, 10, 10}, {-2000, 100, 4}, 0}, {MNP_INT64, {10, 10, 10}, {1000, 50, 3}, 0}}},
};

static void describe(const mnp__loop_signature *signature, mnp__text *text)
{
    mnp__text_add(text, "%dD %dx%d tile %d:", signature->ndim, signature->vector, signature->unroll, signature->tile);
    for (int k = 0; k < signature->noperands; k++)
        mnp__text_add(text, " %d", signature->access[k]);
    mnp__text_add(text, "%s%s", signature->flat ? " flat" : "", signature->wide ? " wide" : "");
}

static void run_case(const struct loop_case *c)
{
    static const char *const names[] = {"x", "y"};
    mnp__loop_operand operands[3];
    mnp_array arrays[3];
    const mnp_array *pointers[3];
    mnp__loop *loop;
    mnp__text text = MNP__TEXT_EMPTY;
    for (int k = 0; k <= c->ninputs; k++) {
        mnp_dtype dtype = c->operands[k].dtype;
        operands[k] = (mnp__loop_operand){k < c->ninputs ? names[k] : "z", dtype, dtype, false};
        arrays[k] =
            array_without_memory(c->operands[k].address, dtype, c->ndim, c->operands[k].shape, c->operands[k].strides);
        pointers[k] = &arrays[k];
    }
    const mnp__loop_spec spec = {.name = "tested",
                                 .preamble = "",
                                 .body = c->body,
                                 .ninputs = c->ninputs,
                                 .noutputs = 1,
                                 .indices = c->indices,
                                 .operands = operands};
    forget_kernels();
    bool good = mnp__loop_new(&gpu.ctx, &spec, &loop) == MNP_OK;
    loop->agreed = true; /* there are no other ranks to agree with */
    good = good && mnp__loop_run(loop, arrays[0].layout, pointers) == MNP_OK && gpu.launches > 0 && gpu.failures == 0;
    describe((const mnp__loop_signature *)loop->kernels->key, &text);
    if (!ok(good && strcmp(mnp__text_string(&text), c->kernel) == 0, "%s: %s", c->what, mnp__text_string(&text)))
        print_lines(good ? c->kernel : mnp_error_message());
    for (int k = 0; k <= c->ninputs; k++)
        mnp_layout_free(arrays[k].layout);
    mnp__text_free(&text);
    mnp__loop_free(loop);
}

static void run(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
}

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
