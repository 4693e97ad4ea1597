/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms of columns, as a GPU has them (lib/device/cuda/columns.c), on a simulated one: for each case the passes
 * are chosen and the kernel runs, and some columns are compared with the sums that define a transform.  All memory ends
 * where a page begins that cannot be read, so that an access beyond the last element ends the test.
 *
 * Clusters are missing, as blocks of a simulated GPU follow one another.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include <complex.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"
#include "device/cuda/columns.h"
#include "device/cuda/cuda.h"

typedef long double complex number;

/* Matrices of `width` columns of n elements, and `gap` elements after each row. */
typedef struct columns_case {
    mnp__fft_kind kind;
    bool is_double, inverse, filters, in_place;
    int64_t n, width, matrices, gap;
} columns_case;

static const columns_case cases[] = {
    {.kind = MNP__FFT_COMPLEX, .n = 64, .width = 50, .matrices = 3}, /* a power of two */
    {.kind = MNP__FFT_COMPLEX,
     .n = 1024,
     .width = 9,
     .matrices = 2,
     .inverse = true,
     .gap = 1}, /* the longest of a block */
    {.kind = MNP__FFT_COMPLEX,
     .n = 15,
     .width = 4400,
     .matrices = 1,
     .is_double = true,
     .in_place = true}, /* one pass */
    {.kind = MNP__FFT_COMPLEX, .n = 31, .width = 711, .matrices = 3, .inverse = true, .in_place = true},
    {.kind = MNP__FFT_COMPLEX, .n = 720, .width = 47, .matrices = 2, .in_place = true},   /* several radices */
    {.kind = MNP__FFT_COMPLEX, .n = 1001, .width = 66, .matrices = 1, .is_double = true}, /* 7, 11 and 13 */
    {.kind = MNP__FFT_COMPLEX, .n = 3125, .width = 21, .matrices = 1, .gap = 2},          /* the threads have several */
    {.kind = MNP__FFT_COMPLEX, .n = 512, .width = 45, .matrices = 2, .in_place = true},   /* wide passes from here on */
    {.kind = MNP__FFT_COMPLEX, .n = 1024, .width = 19, .matrices = 1, .is_double = true, .gap = 1},
    {.kind = MNP__FFT_COMPLEX, .n = 324, .width = 83, .matrices = 3, .inverse = true}, /* 18, twice */
    {.kind = MNP__FFT_COMPLEX, .n = 400, .width = 67, .matrices = 3},                  /* 20, twice */
    {.kind = MNP__FFT_COMPLEX, .n = 441, .width = 75, .matrices = 2, .gap = 3},        /* 21, twice */
    {.kind = MNP__FFT_COMPLEX, .n = 484, .width = 61, .matrices = 3, .in_place = true},
    {.kind = MNP__FFT_COMPLEX, .n = 576, .width = 59, .matrices = 2},
    {.kind = MNP__FFT_COMPLEX, .n = 625, .width = 57, .matrices = 2, .inverse = true},
    {.kind = MNP__FFT_COMPLEX, .n = 676, .width = 49, .matrices = 2},
    {.kind = MNP__FFT_COMPLEX, .n = 864, .width = 39, .matrices = 2}, /* 32 and 27 */
    {.kind = MNP__FFT_COMPLEX, .n = 875, .width = 77, .matrices = 1}, /* 25, 7 and 5 */
    {.kind = MNP__FFT_COMPLEX, .n = 784, .width = 43, .matrices = 2},
    {.kind = MNP__FFT_COMPLEX, .n = 960, .width = 36, .matrices = 2, .in_place = true},
    {.kind = MNP__FFT_COMPLEX, .n = 2500, .width = 29, .matrices = 1},
    {.kind = MNP__FFT_COMPLEX, .n = 202, .width = 111, .matrices = 3, .inverse = true},    /* a chirp */
    {.kind = MNP__FFT_FROM_REAL, .n = 45, .width = 731, .matrices = 2, .gap = 1},          /* a column alone */
    {.kind = MNP__FFT_FROM_REAL, .n = 46, .width = 732, .matrices = 2, .is_double = true}, /* pairs that are aligned */
    {.kind = MNP__FFT_FROM_REAL, .n = 97, .width = 347, .matrices = 2},                    /* a chirp for each pair */
    {.kind = MNP__FFT_FROM_REAL, .n = 441, .width = 153, .matrices = 2, .gap = 1},        /* wide, and a column alone */
    {.kind = MNP__FFT_FROM_REAL, .n = 512, .width = 142, .matrices = 1},                  /* wide */
    {.kind = MNP__FFT_TO_REAL, .n = 429, .width = 153, .matrices = 1, .is_double = true}, /* an odd number of points */
    {.kind = MNP__FFT_TO_REAL, .n = 128, .width = 12, .matrices = 2, .gap = 4},           /* an even one */
    {.kind = MNP__FFT_TO_REAL, .n = 404, .width = 41, .matrices = 4, .gap = 1},           /* a chirp */
    {.kind = MNP__FFT_COMPLEX, .n = 34, .width = 997, .matrices = 2, .filters = true},    /* a tile that is not full */
    {.kind = MNP__FFT_COMPLEX, .n = 540, .width = 37, .matrices = 4, .gap = 3, .filters = true, .is_double = true},
};

/* ---- a GPU with the kernels of a simulated one ---- */

static mnp__device *simulated;

static mnp_status alloc(mnp__device *device, size_t size, void **pointer_p)
{
    (void)device;
    return simulated->ops->alloc(simulated, size, pointer_p);
}

static void unalloc(mnp__device *device, void *pointer)
{
    (void)device;
    simulated->ops->free(simulated, pointer);
}

static mnp_status copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    (void)device;
    return simulated->ops->copy(simulated, dst, src, size, stream);
}

static mnp_status kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    (void)device;
    return simulated->ops->kernel_load(simulated, spec, kernel_p);
}

static void kernel_free(mnp__device *device, mnp__kernel *kernel)
{
    (void)device;
    simulated->ops->kernel_free(simulated, kernel);
}

static mnp_status launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *how, const void *params,
                         size_t params_size, mnp__stream *stream)
{
    (void)device;
    return simulated->ops->launch(simulated, kernel, how, params, params_size, stream);
}

static const mnp__device_ops ops = {.alloc = alloc,
                                    .free = unalloc,
                                    .copy = copy,
                                    .kernel_load = kernel_load,
                                    .kernel_free = kernel_free,
                                    .launch = launch};
enum { BLOCK_MEMORY = 227 << 10 };
static cuda_device gpu = {.base = {.ops = &ops, .block_memory = BLOCK_MEMORY}}; /* of no capability: no clusters */

/* In place of the runtime's, which needs a GPU: the simulated one has no streams to wait for. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

/* ---- memory ---- */

typedef struct memory {
    char *pages, *data;
    size_t length, bytes;
} memory;

static memory new_memory(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    memory m = {.length = room + page, .bytes = bytes};
    m.pages = mmap(NULL, m.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m.pages == MAP_FAILED || mprotect(m.pages + room, page, PROT_NONE) != 0) {
        perror("mmap");
        exit(1);
    }
    m.data = m.pages + room - bytes;
    return m;
}

static void free_memory(memory *m)
{
    munmap(m->pages, m->length);
}

static double get(const columns_case *c, const memory *m, int64_t i)
{
    return c->is_double ? ((const double *)(void *)m->data)[i] : (double)((const float *)(void *)m->data)[i];
}

static void fill_with_random(const columns_case *c, memory *m)
{
    static uint32_t state = 1;
    const size_t size = c->is_double ? sizeof(double) : sizeof(float);
    for (size_t i = 0; i < m->bytes / size; i++) {
        state = 1664525 * state + 1013904223;
        const double value = (double)(state >> 8) / (1 << 23) - 1;
        if (c->is_double)
            ((double *)(void *)m->data)[i] = value;
        else
            ((float *)(void *)m->data)[i] = (float)value;
    }
}

/* ---- what is right ---- */

enum { LONGEST = 4096 };
static number circle[LONGEST]; /* exp(-2 pi i j / n) */

static void make_circle(int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        const long double angle = 2 * acosl(-1) * (long double)j / (long double)n;
        circle[j] = cosl(angle) - sinl(angle) * I;
    }
}

static void transform(int64_t n, bool inverse, const number *x, number *y)
{
    for (int64_t k = 0; k < n; k++) {
        y[k] = 0;
        for (int64_t j = 0; j < n; j++)
            y[k] += x[j] * (inverse ? conjl(circle[j * k % n]) : circle[j * k % n]);
    }
}

/* Where the operands of a case lie: rows, and elements from a row, and from a matrix, to the next. */
typedef struct places {
    int64_t in_rows, out_rows, row, in_matrix, out_matrix;
} places;

static places places_of(const columns_case *c)
{
    const int64_t half = c->n / 2 + 1, row = c->width + c->gap;
    places p = {c->kind == MNP__FFT_TO_REAL ? half : c->n, c->kind == MNP__FFT_FROM_REAL ? half : c->n, row, 0, 0};
    p.in_matrix = p.in_rows * row;
    p.out_matrix = p.out_rows * row;
    return p;
}

/* The element of a row, whose mirror image stands for what a half spectrum lacks. */
static number element(const columns_case *c, const memory *in, int64_t begin, int64_t row)
{
    const places p = places_of(c);
    const bool mirrored = row >= p.in_rows, is_alone = row == 0 || 2 * row == c->n;
    const int64_t at = begin + (mirrored ? c->n - row : row) * p.row;
    if (c->kind == MNP__FFT_FROM_REAL)
        return get(c, in, at);
    const double im = c->kind == MNP__FFT_TO_REAL && is_alone ? 0 : get(c, in, 2 * at + 1);
    return get(c, in, 2 * at) + (mirrored ? -im : im) * (number)I;
}

static void right_column(const columns_case *c, const memory *in, const memory *filter, int64_t matrix, int64_t column,
                         number *y)
{
    static number x[LONGEST];
    for (int64_t j = 0; j < c->n; j++)
        x[j] = element(c, in, matrix * places_of(c).in_matrix + column, j);
    transform(c->n, c->inverse || c->kind == MNP__FFT_TO_REAL, x, y);
    for (int64_t k = 0; k < c->n && c->filters; k++) {
        const int64_t at = 2 * (k * c->width + column);
        x[k] = y[k] * (get(c, filter, at) + get(c, filter, at + 1) * (number)I);
    }
    if (c->filters)
        transform(c->n, true, x, y);
}

/* ---- the cases ---- */

static mnp__fft_spec spec_of(const columns_case *c)
{
    const places p = places_of(c);
    mnp__fft_spec spec = {.kind = c->kind,
                          .is_double = c->is_double,
                          .inverse = c->inverse || c->kind == MNP__FFT_TO_REAL,
                          .in_place = c->in_place || c->filters,
                          .filters = c->filters,
                          .rank = 1,
                          .nbatch = 2,
                          .dims = {{c->n, p.row, c->filters ? c->width : p.row}},
                          .batch = {{c->matrices, p.in_matrix, c->filters ? 0 : p.out_matrix}, {c->width, 1, 1}},
                          .scale = 1};
    return spec;
}

/* The error of some columns, the first and the last ones among them, relative to what is right. */
static double error_of(const columns_case *c, const memory *in, const memory *filter, const memory *out)
{
    static number y[LONGEST];
    const places p = places_of(c);
    const int64_t columns[] = {0, c->width / 3, c->width - 2, c->width - 1};
    const int64_t out_matrix = c->filters ? p.in_matrix : p.out_matrix;
    long double error = 0, norm = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const int64_t matrix = i % 2 == 0 ? c->matrices - 1 : 0;
        right_column(c, in, filter, matrix, columns[i], y);
        for (int64_t k = 0; k < p.out_rows; k++) {
            const int64_t at = matrix * out_matrix + k * p.row + columns[i];
            const number got = c->kind == MNP__FFT_TO_REAL ? get(c, out, at)
                                                           : get(c, out, 2 * at) + get(c, out, 2 * at + 1) * (number)I;
            error += cabsl(got - y[k]) * cabsl(got - y[k]);
            norm += cabsl(y[k]) * cabsl(y[k]);
        }
    }
    return (double)sqrtl(error / norm);
}

static mnp_status run_columns(const mnp__fft_spec *spec, const memory *in, const memory *out)
{
    mnp__cuda_columns columns = {.kernel = NULL};
    mnp_status st = mnp__cuda_columns_plan(&gpu.base, spec, &columns);
    if (st == MNP_OK)
        st = mnp__cuda_columns_run(&gpu.base, &columns, in->data, out->data, NULL);
    mnp__cuda_columns_free(&gpu.base, &columns);
    return st;
}

static void run_case(const columns_case *c)
{
    static const char *const kinds[] = {"complex", "from real", "to real"};
    const places p = places_of(c);
    const mnp__fft_spec spec = spec_of(c);
    const size_t real = c->is_double ? sizeof(double) : sizeof(float);
    const int64_t in_count = c->matrices * p.in_matrix - c->gap, out_count = c->matrices * p.out_matrix - c->gap;
    memory in = new_memory((size_t)in_count * real * (c->kind == MNP__FFT_FROM_REAL ? 1 : 2));
    memory given = new_memory(in.bytes);
    memory out =
        new_memory((size_t)(c->filters ? c->n * c->width : out_count) * real * (c->kind == MNP__FFT_TO_REAL ? 1 : 2));
    fill_with_random(c, &in);
    fill_with_random(c, &out);
    memcpy(given.data, in.data, in.bytes);
    make_circle(c->n);
    const bool can = mnp__cuda_columns_can(&gpu.base, &spec);
    const mnp_status st = can ? run_columns(&spec, &in, c->in_place ? &in : &out) : MNP_ERR_UNSUPPORTED;
    const bool is_whole = spec.in_place || memcmp(given.data, in.data, in.bytes) == 0;
    const double error = error_of(c, &given, &out, spec.in_place ? &in : &out);
    const double bound = 3 * (c->is_double ? 0x1p-52 : 0x1p-23) * sqrt(log2((double)c->n)) * (c->filters ? 2 : 1);
    ok(st == MNP_OK && is_whole && error <= bound,
       "%s%s%s of %s, %d points, %d columns, %d matrices: error %.2g where %.2g is allowed", kinds[c->kind],
       c->inverse ? ", inverse" : "", c->filters ? ", filtered" : "", c->is_double ? "float64" : "float32", (int)c->n,
       (int)c->width, (int)c->matrices, error, bound);
    if (st != MNP_OK)
        printf("# %s\n", can ? mnp_error_message() : "left to cuFFT");
    free_memory(&in);
    free_memory(&given);
    free_memory(&out);
}

/* Columns whose narrowest tile the blocks of a smaller GPU have no room for are left to cuFFT. */
static void check_memory(void)
{
    const columns_case whole = {MNP__FFT_COMPLEX, .is_double = true, .n = 3125, .width = 100, .matrices = 2};
    const columns_case chirp = {MNP__FFT_FROM_REAL, .is_double = true, .n = 997, .width = 100, .matrices = 2};
    const columns_case few = {MNP__FFT_COMPLEX, .is_double = true, .n = 1000, .width = 100, .matrices = 2};
    const mnp__fft_spec specs[] = {spec_of(&whole), spec_of(&chirp), spec_of(&few)};
    for (int small = 0; small < 2; small++) {
        gpu.base.block_memory = small ? 99 << 10 : BLOCK_MEMORY;
        ok(mnp__cuda_columns_can(&gpu.base, &specs[0]) == !small &&
               mnp__cuda_columns_can(&gpu.base, &specs[1]) == !small && mnp__cuda_columns_can(&gpu.base, &specs[2]),
           "long columns of float64 %s blocks with %d bytes", small ? "are not for" : "fit",
           (int)gpu.base.block_memory);
    }
    gpu.base.block_memory = BLOCK_MEMORY;
}

int main(void)
{
    mnp__config config;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    if (ok(mnp__simulated_device_open(&config, 1, &simulated) == MNP_OK, "a simulated GPU")) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            run_case(&cases[i]);
        check_memory();
        simulated->ops->close(simulated);
    }
    mnp__config_free(&config);
    return done_testing();
}

#else

int main(void)
{
    return skip_all("this build has no CUDA");
}

#endif
