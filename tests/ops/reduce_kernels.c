/*
 * Which kernels reductions choose on a GPU, and that all of them compile, for the oldest and the newest architecture
 * that we care about.  Needs no GPU: the device is one that only compiles.
 */
#include <config.h>

#include "../tap.h"

#ifdef HAVE_CUDA

#include <string.h>

#include <maniple/reduce.h>

#include "layout/layout.h"
#include "ops/reduction_plan.h"

enum { ARCHITECTURES = 2 };

static mnp__compiler *compilers[ARCHITECTURES];
static bool compiled;
static char chosen[128]; /* the first kernel of a call, in words, and its grids */

static int defined(const char *defines, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "#define %s ", name);
    const char *at = strstr(defines, line);
    return at ? atoi(at + strlen(line)) : -1;
}

static mnp_status load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    const char *defines = spec->defines;
    char *source;
    (void)device;
    snprintf(chosen, sizeof chosen, "%s %d to %d, %dx%d:", defined(defines, "MNP_COLUMNS") ? "columns" : "rows",
             defined(defines, "MNP_KEPT") + defined(defines, "MNP_REDUCED"), defined(defines, "MNP_KEPT"),
             defined(defines, "MNP_VECTOR"), defined(defines, "MNP_UNROLL"));
    MNP_TRY(mnp__jit_source(spec, &source));
    for (int i = 0; i < ARCHITECTURES; i++) {
        mnp__binary binary = {0};
        mnp_status st = compilers[i]->compile(compilers[i], spec, source, &binary);
        mnp__binary_free(&binary);
        compiled = compiled && st == MNP_OK && spec->shared_bytes <= 48 << 10;
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
    (void)stream;
    snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), " %u", how->grid[0]);
    compiled = compiled && params_size <= 4096;
    return MNP_OK;
}

static mnp_status alloc(mnp__device *device, size_t size, void **pointer_p)
{
    static uintptr_t address = 1 << 20;
    (void)device;
    *pointer_p = (void *)address; /* never looked at */
    address += (size + 255) / 256 * 256;
    return MNP_OK;
}

static void unalloc(mnp__device *device, void *pointer)
{
    (void)device;
    (void)pointer;
}

static mnp_status event_new(mnp__device *device, mnp__device_event **event_p)
{
    (void)device;
    *event_p = NULL;
    return MNP_OK;
}

static void event_free(mnp__device *device, mnp__device_event *event)
{
    (void)device;
    (void)event;
}

static mnp_status event_record(mnp__device *device, mnp__device_event *event, mnp__stream *stream)
{
    (void)device;
    (void)event;
    (void)stream;
    return MNP_OK;
}

static mnp_status event_query(mnp__device *device, mnp__device_event *event, bool *done_p)
{
    (void)device;
    (void)event;
    *done_p = true;
    return MNP_OK;
}

static const mnp__device_ops ops = {.kind = "none",
                                    .kernel_load = load,
                                    .kernel_free = unload,
                                    .launch = launch,
                                    .alloc = alloc,
                                    .free = unalloc,
                                    .event_new = event_new,
                                    .event_free = event_free,
                                    .event_record = event_record,
                                    .event_query = event_query};
static mnp__device device = {.ops = &ops, .block_memory = 232448};
static mnp_ctx ctx = {.device = &device};

typedef mnp_status (*reducer)(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

static const struct kernel_case {
    const char *what, *kernel;
    reducer function;
    mnp_dtype dtype;
    int ndim, naxes, axes[3];
    int64_t shape[4], strides[4];
    size_t address; /* beyond a multiple of 256 */
    bool masked;
} cases[] = {
    {"a sum of all", "rows 2 to 1, 4x4: 2112 1", mnp_sum, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"all of a matrix", "rows 2 to 1, 4x4: 2112 1", mnp_sum, MNP_FLOAT32, 2, 0, {0},
     {16384, 16384}, {16384, 1}, 0, false},
    {"not aligned", "rows 2 to 1, 1x4: 2112 1", mnp_sum, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 4, false},
    {"bytes", "rows 2 to 1, 16x4: 2112 1", mnp_count_nonzero, MNP_UINT8, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"float16", "rows 2 to 1, 8x4: 2112 1", mnp_sum, MNP_FLOAT16, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"complex numbers", "rows 2 to 1, 1x4: 2112 1", mnp_max, MNP_COMPLEX128, 1, 0, {0}, {1 << 26}, {1}, 0, false},
    {"an index of all", "rows 2 to 1, 4x4: 2112 1", mnp_argmax, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"a variance", "rows 2 to 1, 4x4: 2112 1", mnp_var, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"rows", "rows 2 to 1, 4x4: 16384", mnp_sum, MNP_FLOAT32, 2, 1, {1}, {16384, 16384}, {16384, 1}, 0, false},
    {"columns", "columns 2 to 1, 4x4: 2048 64", mnp_sum, MNP_FLOAT32, 2, 1, {0},
     {16384, 16384}, {16384, 1}, 0, false},
    {"rows of a transpose", "columns 2 to 1, 4x4: 2048 64", mnp_sum, MNP_FLOAT32, 2, 1, {1},
     {16384, 16384}, {1, 16384}, 0, false},
    {"a variance of columns", "columns 2 to 1, 4x4: 2048 64", mnp_var, MNP_FLOAT32, 2, 1, {0},
     {16384, 16384}, {16384, 1}, 0, false},
    {"an index in columns", "columns 2 to 1, 2x4: 2048 1024", mnp_argmin, MNP_FLOAT64, 2, 1, {0},
     {16384, 8192}, {8192, 1}, 0, false},
    {"short rows", "rows 2 to 1, 2x4: 15625", mnp_mean, MNP_FLOAT64, 2, 1, {1}, {1000000, 8}, {8, 1}, 0, false},
    {"few columns", "columns 2 to 1, 1x4: 2112 3", mnp_prod, MNP_INT32, 2, 1, {0}, {10000000, 3}, {3, 1}, 0, false},
    {"the middle", "columns 3 to 2, 4x4: 1000", mnp_min, MNP_FLOAT32, 3, 1, {1},
     {1000, 300, 128}, {38400, 128, 1}, 0, false},
    {"the outside", "rows 3 to 1, 4x4: 2100 7", mnp_ptp, MNP_FLOAT32, 3, 2, {0, 2},
     {1000, 50, 4096}, {204800, 4096, 1}, 0, false},
    {"with a mask", "rows 2 to 1, 4x2: 2112 1", mnp_nanmean, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, true},
    {"four dimensions with gaps", "columns 4 to 2, 1x4: 2112 704", mnp_all, MNP_FLOAT64, 4, 2, {0, 2},
     {512, 44, 32, 128}, {2000000, 40000, 1000, 2}, 0, false},
    {"anything that is small", "rows 16 to 8, 1x4: 1", mnp_any, MNP_FLOAT64, 3, 1, {1},
     {3, 4, 5}, {40, 10, 2}, 0, false},
};

/* The same in the reproducible mode. */
static const struct kernel_case steady_cases[] = {
    {"a steady sum of all", "rows 2 to 1, 4x4: 2112 1", mnp_sum, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"of float64", "rows 2 to 1, 2x4: 2112 1", mnp_sum, MNP_FLOAT64, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"of float16, not aligned", "rows 2 to 1, 1x4: 2112 1", mnp_sum, MNP_FLOAT16, 1, 0, {0}, {1 << 28}, {1}, 2, false},
    {"a steady mean, with a mask", "rows 2 to 1, 2x2: 2112 1", mnp_nanmean, MNP_COMPLEX64, 1, 0, {0},
     {1 << 28}, {1}, 0, true},
    {"columns of steady sums", "columns 2 to 1, 4x4: 2048 64", mnp_sum, MNP_FLOAT32, 2, 1, {0},
     {16384, 16384}, {16384, 1}, 0, false},
    {"columns of complex numbers", "columns 2 to 1, 1x4: 2048 512", mnp_sum, MNP_COMPLEX128, 2, 1, {0},
     {16384, 4096}, {4096, 1}, 0, false},
    {"a steady variance", "rows 2 to 1, 4x4: 2112 1", mnp_var, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false},
    {"a steady maximum", "rows 2 to 1, 2x4: 2112 1", mnp_max, MNP_FLOAT64, 1, 0, {0}, {1 << 27}, {1}, 0, false},
    {"anything that is small", "rows 16 to 8, 1x4: 1", mnp_sum, MNP_COMPLEX64, 3, 1, {1},
     {3, 4, 5}, {40, 10, 2}, 0, false},
};

static mnp_array array_of(const struct kernel_case *c, mnp_dtype dtype)
{
    mnp_array array = {.ctx = &ctx, .dtype = dtype, .local_size = 1, .data = (void *)(uintptr_t)(4096 + c->address)};
    if (mnp_layout_replicated(1, c->ndim, c->shape, &array.layout) != MNP_OK)
        abort();
    for (int d = 0; d < c->ndim; d++) {
        array.local_shape[d] = c->shape[d];
        array.local_strides[d] = c->strides[d];
        array.local_size *= c->shape[d];
    }
    return array;
}

static void forget(void)
{
    mnp__attachment *attached = &ctx.attached[MNP__ATTACHED_REDUCTIONS];
    attached->free(&ctx, attached->data);
    attached->data = NULL;
}

static void run_case(const struct kernel_case *c)
{
    mnp_array x = array_of(c, c->dtype), where = array_of(c, MNP_BOOL), *result = NULL;
    mnp_axes axes = {.count = c->naxes, .where = c->masked ? &where : NULL};
    memcpy(axes.axes, c->axes, sizeof c->axes);
    compiled = true;
    mnp_status st = c->function(&x, &axes, &result);
    ok(st == MNP_OK && compiled && strcmp(chosen, c->kernel) == 0, "%s: %s", c->what,
       st == MNP_OK ? chosen : mnp_error_message());
    mnp_array_free(result);
    mnp_layout_free(x.layout);
    mnp_layout_free(where.layout);
    forget();
}

/* Reductions of the user's: a type of its own, complex numbers, a mask. */
static void custom(const struct kernel_case *c, const char *type, const char *map, const char *reduce, const char *post)
{
    mnp_array x = array_of(c, c->dtype), where = array_of(c, MNP_BOOL), *result = NULL;
    mnp_axes axes = {.count = c->naxes, .where = c->masked ? &where : NULL};
    mnp_reduction_options options = {.type = type, .preamble = "struct pair { double sum, squares; };"};
    mnp_reduction *reduction = NULL;
    const mnp_array *inputs[] = {&x};
    memcpy(axes.axes, c->axes, sizeof c->axes);
    compiled = true;
    mnp_status st = mnp_reduction_new(&ctx, "T x", "float64 y", map, reduce, post, type ? "pair{0, 0}" : "0", &options,
                                      &reduction);
    if (st == MNP_OK)
        st = mnp_reduction_call(reduction, 1, inputs, &axes, 1, (mnp_array **[]){&result});
    ok(st == MNP_OK && compiled && strcmp(chosen, c->kernel) == 0, "%s: %s", c->what,
       st == MNP_OK ? chosen : mnp_error_message());
    mnp_array_free(result);
    mnp_layout_free(x.layout);
    mnp_layout_free(where.layout);
    mnp_reduction_free(reduction);
    forget();
}

static void test_custom(void)
{
    static const struct kernel_case complexes = {
        "the norm of complex numbers", "columns 2 to 1, 2x2: 2048 1024", NULL, MNP_COMPLEX64, 2, 1, {0}, {16384, 8192},
        {8192, 1}, 0, true};
    static const struct kernel_case pairs = {
        "two sums at once", "rows 2 to 1, 4x4: 2112 1", NULL, MNP_FLOAT32, 1, 0, {0}, {1 << 28}, {1}, 0, false};
    custom(&complexes, NULL, "norm(x)", "a + b", "y = sqrt(a)");
    custom(&pairs, "pair", "pair{x, (double)x * x}", "pair{a.sum + b.sum, a.squares + b.squares}", "y = a.squares / n");
}

int main(int argc, char **argv)
{
    static const int architectures[ARCHITECTURES] = {80, 90};
    mnp__config config;
    MPI_Init(&argc, &argv);
    ctx.comm = (mnp__comm){.mpi = MPI_COMM_SELF, .size = 1, .device = &device};
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    device.config = ctx.comm.config = &config;
    for (int i = 0; i < ARCHITECTURES; i++)
        ok(mnp__nvrtc_new(&config, architectures[i] / 10, architectures[i] % 10, &compilers[i]) == MNP_OK,
           "NVRTC for sm_%d", architectures[i]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && compilers[0] && compilers[1]; i++)
        run_case(&cases[i]);
    if (compilers[0] && compilers[1])
        test_custom();
    ctx.config.is_reproducible = true;
    for (size_t i = 0; i < sizeof steady_cases / sizeof *steady_cases && compilers[0] && compilers[1]; i++)
        run_case(&steady_cases[i]);
    for (int i = 0; i < ARCHITECTURES; i++)
        mnp__nvrtc_free(compilers[i]);
    mnp__config_free(&config);
    MPI_Finalize();
    return done_testing();
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
