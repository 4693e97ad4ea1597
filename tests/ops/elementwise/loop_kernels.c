/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernels loops choose on a GPU, and that all of them compile, for the oldest and the newest architecture that we
 * care about.  Needs no GPU: the device is one that only compiles.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include <string.h>

#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/loop_plan.h"

enum { ARCHITECTURES = 2 };

static mnp__compiler *compilers[ARCHITECTURES];
static bool compiled;
static mnp__launch launched;

static mnp_status load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    char *source;
    (void)device;
    MNP_TRY(mnp__jit_source(spec, &source));
    for (int i = 0; i < ARCHITECTURES; i++) {
        mnp__binary binary = {0};
        mnp_status st = compilers[i]->compile(compilers[i], spec, source, &binary);
        mnp__binary_free(&binary);
        compiled = compiled && st == MNP_OK;
        if (st != MNP_OK)
            printf("# %s\n", mnp_error_message());
    }
    free(source);
    *kernel_p = (mnp__kernel *)&compiled; /* anything but NULL */
    return MNP_OK;
}

static void unload(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    (void)kernel;
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *how, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    (void)device;
    (void)kernel;
    (void)params;
    (void)params_size;
    (void)stream;
    launched = *how;
    return MNP_OK;
}

static const mnp__device_ops ops = {.kind = "none", .kernel_load = load, .kernel_free = unload, .launch = launch};
static mnp__device device = {.ops = &ops, .block_memory = 232448};
static mnp_ctx ctx = {.device = &device};

/* An operand: its extents, 1 where it is broadcast, and strides in elements. */
typedef struct strided {
    mnp_dtype dtype;
    int64_t shape[4], strides[4];
    size_t address; /* beyond a multiple of 256 */
} strided;

static mnp_array array_of(int ndim, const strided *how)
{
    void *data = (void *)(uintptr_t)(4096 + how->address);
    mnp_array array = {.ctx = &ctx, .dtype = how->dtype, .local_size = 1, .data = data};
    if (mnp_layout_replicated(1, ndim, how->shape, &array.layout) != MNP_OK)
        abort();
    for (int d = 0; d < ndim; d++) {
        array.local_shape[d] = how->shape[d];
        array.local_strides[d] = how->strides[d];
        array.local_size *= how->shape[d];
    }
    return array;
}

static const struct kernel_case {
    const char *what, *body, *kernel; /* what is expected of the signature: see describe() */
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
     "3D 1x4 tile 0: 0 0 wide",
     3,
     1,
     false,
     {{MNP_UINT8, {1 << 20, 1 << 14, 4}, {1 << 20, 16, 2}, 0},
      {MNP_UINT8, {1 << 20, 1 << 14, 4}, {1 << 20, 16, 2}, 0}}},
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
    mnp__text_add(text, "%s", signature->wide ? " wide" : "");
}

static void run_case(const struct kernel_case *c)
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
        arrays[k] = array_of(c->ndim, &c->operands[k]);
        pointers[k] = &arrays[k];
    }
    const mnp__loop_spec spec = {.name = "tested",
                                 .preamble = "",
                                 .body = c->body,
                                 .ninputs = c->ninputs,
                                 .noutputs = 1,
                                 .indices = c->indices,
                                 .operands = operands};
    compiled = mnp__loop_new(&ctx, &spec, &loop) == MNP_OK;
    loop->agreed = true; /* with nobody */
    launched = (mnp__launch){.early = false};
    compiled = compiled && mnp__loop_run(loop, arrays[0].layout, pointers) == MNP_OK && launched.grid[0] > 0;
    describe((const mnp__loop_signature *)loop->kernels->key, &text);
    ok(compiled && strcmp(mnp__text_string(&text), c->kernel) == 0, "%s: %s", c->what, mnp__text_string(&text));
    for (int k = 0; k <= c->ninputs; k++)
        mnp_layout_free(arrays[k].layout);
    mnp__text_free(&text);
    mnp__loop_free(loop);
}

int main(void)
{
    static const int architectures[ARCHITECTURES] = {80, 90};
    mnp__config config;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    device.config = &config;
    for (int i = 0; i < ARCHITECTURES; i++)
        ok(mnp__nvrtc_new(&config, architectures[i] / 10, architectures[i] % 10, &compilers[i]) == MNP_OK,
           "NVRTC for sm_%d", architectures[i]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && compilers[0] && compilers[1]; i++)
        run_case(&cases[i]);
    for (int i = 0; i < ARCHITECTURES; i++)
        mnp__nvrtc_free(compilers[i]);
    mnp__config_free(&config);
    return done_testing();
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
