/*
 * Which kernels scans choose on a GPU, and that all of them compile, for the oldest and the newest architecture
 * that we care about.  Needs no GPU: the device is one that only compiles.
 */
#include <config.h>

#include "../tap.h"

#ifdef HAVE_CUDA

#include <string.h>

#include <maniple/scan.h>
#include <maniple/ufunc_methods.h>

#include "layout/layout.h"
#include "ops/scan_plan.h"

enum { ARCHITECTURES = 2 };

static mnp__compiler *compilers[ARCHITECTURES];
static bool compiled;
static char chosen[128]; /* the kernel of a call, in words, and its grids */

static int defined(const char *defines, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "#define %s ", name);
    const char *at = strstr(defines, line);
    return at ? atoi(at + strlen(line)) : -1;
}

static mnp_status load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    static const char *const ways[] = {"rows", "blocks", "tiles", "columns"};
    const char *defines = spec->defines;
    char *source;
    (void)device;
    if (strcmp(spec->file, "fold.cu") == 0)
        snprintf(chosen, sizeof chosen, "fold%s:", defined(defines, "MNP_ORDERED") ? " in order" : "");
    else
        snprintf(chosen, sizeof chosen, "%s of %d, %dx%d:", ways[defined(defines, "MNP_WAY")],
                 defined(defines, "MNP_KEPT"), defined(defines, "MNP_VECTOR"), defined(defines, "MNP_UNROLL"));
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

static mnp_status fill(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream)
{
    (void)device;
    (void)dst;
    (void)byte;
    (void)size;
    (void)stream;
    return MNP_OK;
}

static mnp_status copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    (void)device;
    (void)dst;
    (void)src;
    (void)size;
    (void)stream;
    return MNP_OK;
}

static mnp_status info(mnp__device *device, mnp_rank_info *about)
{
    (void)device;
    about->multiprocessors = 132;
    return MNP_OK;
}

static const mnp__device_ops ops = {.kind = "none",
                                    .kernel_load = load,
                                    .kernel_free = unload,
                                    .launch = launch,
                                    .fill = fill,
                                    .copy = copy,
                                    .info = info,
                                    .alloc = alloc,
                                    .free = unalloc,
                                    .event_new = event_new,
                                    .event_free = event_free,
                                    .event_record = event_record,
                                    .event_query = event_query};
static mnp__device device = {.ops = &ops, .block_memory = 232448};
static mnp_ctx ctx = {.device = &device};

typedef mnp_status (*scanner)(const mnp_array *x, int axis, mnp_array **out_p);

static mnp_status cumsum(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_cumsum(x, axis, NULL, out_p);
}

static mnp_status nancumprod(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_nancumprod(x, axis, NULL, out_p);
}

static mnp_status accumulate_gcd(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_ufunc_accumulate("gcd", x, axis, out_p);
}

static mnp_status accumulate_power(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_ufunc_accumulate("power", x, axis, out_p);
}

static mnp_status add_whole(const mnp_array *x, int axis, mnp_array **out_p)
{
    return mnp_ufunc_reduceat("add", x, 1, (const int64_t[]){0}, axis, out_p);
}

static const struct kernel_case {
    const char *what, *kernel;
    scanner function;
    mnp_dtype dtype;
    int ndim, axis;
    int64_t shape[4], strides[4];
    size_t address; /* beyond a multiple of 256 */
} cases[] = {
    {"one line", "tiles of 1, 4x8: 32768", cumsum, MNP_FLOAT32, 1, 0, {1 << 28}, {1}, 0},
    {"of float64", "tiles of 1, 2x8: 32768", cumsum, MNP_FLOAT64, 1, 0, {1 << 27}, {1}, 0},
    {"of bytes, whose sums are longer", "tiles of 1, 2x8: 65536", cumsum, MNP_INT8, 1, 0, {1 << 28}, {1}, 0},
    {"of complex numbers", "tiles of 1, 1x4: 65536", nancumprod, MNP_COMPLEX128, 1, 0, {1 << 26}, {1}, 0},
    {"not aligned", "tiles of 1, 1x8: 131072", cumsum, MNP_FLOAT32, 1, 0, {1 << 28}, {1}, 4},
    {"backwards", "tiles of 1, 1x8: 131072", mnp_cummax, MNP_FLOAT32, 1, 0, {1 << 28}, {-1}, 0},
    {"long rows", "blocks of 1, 4x4: 16384", cumsum, MNP_FLOAT32, 2, 1, {16384, 16384}, {16384, 1}, 0},
    {"a few long rows", "tiles of 1, 8x8: 384", mnp_cummax, MNP_FLOAT16, 2, 1, {6, 1 << 20}, {1 << 20, 1}, 0},
    {"short rows", "rows of 1, 2x4: 15625", mnp_cummin, MNP_FLOAT64, 2, 1, {1000000, 8}, {8, 1}, 0},
    {"columns", "columns of 1, 4x4: 240 256", cumsum, MNP_FLOAT32, 2, 0, {16384, 16384}, {16384, 1}, 0},
    {"rows of a transpose", "columns of 1, 1x8: 192 256", cumsum, MNP_FLOAT32, 2, 1, {16384, 16384}, {1, 16384}, 0},
    {"the middle", "columns of 2, 4x4: 125 250", mnp_cummin, MNP_INT32, 3, 1, {1000, 300, 128}, {38400, 128, 1}, 0},
    {"greatest common divisors", "tiles of 1, 4x8: 32768", accumulate_gcd, MNP_INT32, 1, 0, {1 << 28}, {1}, 0},
    {"powers in order", "fold in order: 4", accumulate_power, MNP_FLOAT32, 2, 0, {100, 1000}, {1000, 1}, 0},
    {"segments", "fold: 4", add_whole, MNP_FLOAT64, 2, 0, {100, 1000}, {1000, 1}, 0},
    {"anything that is small", "rows of 8, 1x8: 1", mnp_cummax, MNP_FLOAT64, 3, 1, {3, 4, 5}, {40, 10, 2}, 0},
};

/* The same in the reproducible mode. */
static const struct kernel_case steady_cases[] = {
    {"one line of steady sums", "tiles of 1, 4x2: 131072", cumsum, MNP_FLOAT32, 1, 0, {1 << 28}, {1}, 0},
    {"rows of steady sums", "blocks of 1, 2x2: 16384", cumsum, MNP_FLOAT64, 2, 1, {16384, 16384}, {16384, 1}, 0},
    {"columns of steady sums", "columns of 1, 2x2: 240 256", cumsum, MNP_COMPLEX64, 2, 0, {8192, 8192}, {8192, 1}, 0},
    {"short rows of steady sums", "rows of 1, 2x2: 15625", cumsum, MNP_FLOAT64, 2, 1, {1000000, 8}, {8, 1}, 0},
};

static mnp_array array_of(const struct kernel_case *c)
{
    mnp_array array = {.ctx = &ctx, .dtype = c->dtype, .local_size = 1, .data = (void *)(uintptr_t)(4096 + c->address)};
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
    static const mnp__attachment_id kept[] = {MNP__ATTACHED_SCANS, MNP__ATTACHED_REDUCTIONS};
    for (int i = 0; i < 2; i++) {
        mnp__attachment *attached = &ctx.attached[kept[i]];
        if (attached->data)
            attached->free(&ctx, attached->data);
        attached->data = NULL;
    }
}

static void run_case(const struct kernel_case *c)
{
    mnp_array x = array_of(c), *result = NULL;
    compiled = true;
    mnp_status st = c->function(&x, c->axis, &result);
    ok(st == MNP_OK && compiled && strcmp(chosen, c->kernel) == 0, "%s: %s", c->what,
       st == MNP_OK ? chosen : mnp_error_message());
    mnp_array_free(result);
    mnp_layout_free(x.layout);
    forget();
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
