/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times element-wise work: the data stays on the device, outputs are reused, a call is made again and again.
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank; of launches it is the
 * mean of a batch, and the median of batches.  Samples of every result are compared with what the processor computes.
 * bench/peers/elementwise_peers.py does the same with other libraries.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arrays/data.h"
#include "bench/benchmark.h"
#include "bench/measure.h"

enum { BATCHES = 50, LAUNCHES = 200, SMALL = 1000 };

/* What a case works on; it knows which of them it needs. */
struct work {
    mnp_ctx *ctx;
    int64_t n; /* elements of the result; the root of it where that is a square matrix */
    mnp_array *x, *y, *z, *view;
    mnp_elementwise *elementwise;
    mnp_raw_module *module;
    mnp_raw_kernel *raw;
};

struct timed_case {
    const char *name, *dtype;
    int64_t elements; /* of the result */
    int ndim;
    bool vectors; /* --elements is for it, also where no case is named */
    double bytes; /* read and written for an element */
    void (*prepare)(struct work *);
    mnp_status (*run)(struct work *);
    double (*expect)(const struct work *, int64_t i); /* element i of the result, in C order */
    double tolerance;                                 /* relative error */
};

static mnp_array *data(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, unsigned which)
{
    mnp_array *array = NULL;
    OR_EXIT(mnp_empty(ctx, dtype, ndim, shape, &array));
    fill_uniform(array, which);
    return array;
}

/* ---- the cases ---- */

static void prepare_vectors(struct work *w)
{
    w->x = data(w->ctx, MNP_FLOAT32, 1, &w->n, 0);
    w->y = data(w->ctx, MNP_FLOAT32, 1, &w->n, 1);
}

static void prepare_saxpy(struct work *w)
{
    prepare_vectors(w);
    OR_EXIT(mnp_elementwise_new(w->ctx, "float32 a, T x, T y", "T z", "z = a * x + y", NULL, &w->elementwise));
}

static mnp_status run_saxpy(struct work *w)
{
    return mnp_elementwise_call(w->elementwise, MNP_INPUTS(MNP_SCALAR(w->ctx, 2.5), w->x, w->y), MNP_OUTPUTS(&w->z));
}

static double expect_saxpy(const struct work *w, int64_t i)
{
    (void)w;
    return 2.5 * uniform(i, 0) + uniform(i, 1);
}

/* The same, and the mean of an element's neighbours, as CUDA sources, one thread an element. */
static const char raw_source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, const float *y, float *z, long long count)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count)\n"
    "        z[i] = a * x[i] + y[i];\n"
    "}\n"
    "extern \"C\" __global__ void smooth(const float *x, float *z, int rows, int columns)\n"
    "{\n"
    "    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (i >= rows || j >= columns)\n"
    "        return;\n"
    "    long long at = (long long)i * columns + j;\n"
    "    if (i == 0 || i == rows - 1 || j == 0 || j == columns - 1)\n"
    "        z[at] = x[at];\n"
    "    else\n"
    "        z[at] = 0.25f * (x[at - columns] + x[at + columns] + x[at - 1] + x[at + 1]);\n"
    "}\n";

static void prepare_raw(struct work *w, const char *kernel)
{
    OR_EXIT(mnp_empty_like(w->x, MNP_FLOAT32, &w->z));
    OR_EXIT(mnp_raw_module_new(w->ctx, raw_source, NULL, &w->module));
    OR_EXIT(mnp_raw_module_kernel(w->module, kernel, &w->raw));
}

static void prepare_raw_saxpy(struct work *w)
{
    prepare_vectors(w);
    prepare_raw(w, "saxpy");
}

static mnp_status run_raw_saxpy(struct work *w)
{
    const long long count = mnp_array_local_size(w->z);
    if (count == 0)
        return MNP_OK;
    mnp_launch launch = {.grid = {(unsigned)((count + 255) / 256)}, .block = {256}};
    return mnp_raw_kernel_launch(w->raw, &launch,
                                 MNP_ARGS(MNP_ARG(2.5f), MNP_ARG(w->x), MNP_ARG(w->y), MNP_ARG(w->z), MNP_ARG(count)));
}

static void prepare_raw_smooth(struct work *w)
{
    w->x = data(w->ctx, MNP_FLOAT32, 2, (int64_t[]){w->n, w->n}, 0);
    prepare_raw(w, "smooth");
}

static mnp_status run_raw_smooth(struct work *w)
{
    const int rows = (int)mnp_array_local_shape(w->z)[0], columns = (int)mnp_array_local_shape(w->z)[1];
    if (rows == 0 || columns == 0)
        return MNP_OK;
    mnp_launch launch = {.grid = {((unsigned)columns + 31) / 32, ((unsigned)rows + 7) / 8}, .block = {32, 8}};
    return mnp_raw_kernel_launch(w->raw, &launch,
                                 MNP_ARGS(MNP_ARG(w->x), MNP_ARG(w->z), MNP_ARG(rows), MNP_ARG(columns)));
}

/* It is checked on one rank alone: blocks of several ranks have borders between them. */
static double expect_raw_smooth(const struct work *w, int64_t k)
{
    const int64_t n = w->n, i = k / n, j = k % n;
    if (i == 0 || i == n - 1 || j == 0 || j == n - 1 || mnp_ctx_size(w->ctx) > 1)
        return mnp_ctx_size(w->ctx) > 1 ? NAN : uniform(k, 0);
    return 0.25 * (uniform(k - n, 0) + uniform(k + n, 0) + uniform(k - 1, 0) + uniform(k + 1, 0));
}

static mnp_status run_sine(struct work *w)
{
    return mnp_eval(w->ctx, "z = 3*sin(-x)*y", MNP_IN("x", w->x, "y", w->y), MNP_OUT("z", &w->z));
}

static double expect_sine(const struct work *w, int64_t i)
{
    (void)w;
    return 3 * sin(-uniform(i, 0)) * uniform(i, 1);
}

static void prepare_transposed(struct work *w)
{
    w->x = data(w->ctx, MNP_FLOAT32, 2, (int64_t[]){w->n, w->n}, 0);
    OR_EXIT(mnp_transpose(w->x, NULL, &w->view));
}

static mnp_status run_transposed(struct work *w)
{
    return mnp_add(w->view, w->x, &w->z);
}

static double expect_transposed(const struct work *w, int64_t i)
{
    return uniform(i % w->n * w->n + i / w->n, 0) + uniform(i, 0);
}

static void prepare_row(struct work *w)
{
    w->x = data(w->ctx, MNP_FLOAT32, 2, (int64_t[]){w->n, w->n}, 0);
    w->y = data(w->ctx, MNP_FLOAT32, 1, &w->n, 1);
}

static mnp_status run_row(struct work *w)
{
    return mnp_add(w->x, w->y, &w->z);
}

static double expect_row(const struct work *w, int64_t i)
{
    return uniform(i, 0) + uniform(i % w->n, 1);
}

static void prepare_abs2(struct work *w)
{
    w->x = data(w->ctx, MNP_COMPLEX128, 1, &w->n, 0);
    OR_EXIT(mnp_elementwise_new(w->ctx, "complex128 x", "float64 z", "z = x.real() * x.real() + x.imag() * x.imag()",
                                NULL, &w->elementwise));
}

static mnp_status run_abs2(struct work *w)
{
    return mnp_elementwise_call(w->elementwise, MNP_INPUTS(w->x), MNP_OUTPUTS(&w->z));
}

static double expect_abs2(const struct work *w, int64_t i)
{
    (void)w;
    return uniform(i, 0) * uniform(i, 0) + uniform(i, 1) * uniform(i, 1);
}

/* The sum of the prime factors of 2, 3, ..., with their multiplicity: 2, 3, 4, 5, 5, 7, ... */
static const char prime_source[] =
    "extern \"C\" __global__ void sum_of_prime_factors(int first, int count, int *sums)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= count)\n"
    "        return;\n"
    "    unsigned rest = first + i, sum = 0;\n"
    "    for (; rest % 2 == 0; rest /= 2)\n"
    "        sum += 2;\n"
    "    for (unsigned factor = 3; factor * factor <= rest; factor += 2) {\n"
    "        for (; rest % factor == 0; rest /= factor)\n"
    "            sum += factor;\n"
    "    }\n"
    "    sums[i] = rest > 1 ? sum + rest : sum;\n"
    "}\n";

static void prepare_primes(struct work *w)
{
    OR_EXIT(mnp_empty(w->ctx, MNP_INT32, 1, &w->n, &w->z));
    OR_EXIT(mnp_raw_module_new(w->ctx, prime_source, NULL, &w->module));
    OR_EXIT(mnp_raw_module_kernel(w->module, "sum_of_prime_factors", &w->raw));
}

static mnp_status run_primes(struct work *w)
{
    int first = 2 + (int)mnp_array_local_lo(w->z)[0], count = (int)mnp_array_local_size(w->z);
    if (count == 0)
        return MNP_OK;
    mnp_launch launch = {.grid = {((unsigned)count + 255) / 256}, .block = {256}};
    return mnp_raw_kernel_launch(w->raw, &launch, MNP_ARGS(MNP_ARG(first), MNP_ARG(count), MNP_ARG(w->z)));
}

static double expect_primes(const struct work *w, int64_t i)
{
    (void)w;
    int64_t rest = i + 2, sum = 0;
    for (int64_t factor = 2; factor * factor <= rest; factor++) {
        for (; rest % factor == 0; rest /= factor)
            sum += factor;
    }
    return (double)(rest > 1 ? sum + rest : sum);
}

static const struct timed_case cases[] = {
    {"saxpy", "float32", 1 << 28, 1, true, 12, prepare_saxpy, run_saxpy, expect_saxpy, 1e-6},
    {"raw saxpy", "float32", 1 << 28, 1, true, 12, prepare_raw_saxpy, run_raw_saxpy, expect_saxpy, 1e-6},
    {"raw smooth", "float32", 1 << 28, 2, true, 8, prepare_raw_smooth, run_raw_smooth, expect_raw_smooth, 1e-6},
    {"3*sin(-x)*y", "float32", 1 << 28, 1, true, 12, prepare_vectors, run_sine, expect_sine, 2e-6},
    {"m.T + m", "float32", 1 << 28, 2, true, 12, prepare_transposed, run_transposed, expect_transposed, 1e-6},
    {"m + row", "float32", 1 << 28, 2, true, 8, prepare_row, run_row, expect_row, 1e-6},
    {"abs2", "complex128", 1 << 26, 1, true, 24, prepare_abs2, run_abs2, expect_abs2, 1e-15},
    {"prime factors", "int32", 999999, 1, false, 4, prepare_primes, run_primes, expect_primes, 0},
    {.name = "launch"}, /* the time of a call, see time_launches() */
};

/* ---- measuring ---- */

/* A case and what it works on, as one argument. */
struct run {
    const struct timed_case *timed;
    struct work *work;
};

static mnp_status run_case(void *argument)
{
    const struct run *run = argument;
    return run->timed->run(run->work);
}

/* A call of which many are made in a row. */
typedef mnp_status (*launch_function)(struct work *);

static mnp_status add_reused(struct work *w)
{
    return mnp_add(w->x, w->y, &w->z);
}

static mnp_status add_new(struct work *w)
{
    mnp_array_free(w->z);
    w->z = NULL;
    return mnp_add(w->x, w->y, &w->z);
}

/* Seconds a call: [0] of the processor until it returns, [1] of the device. */
static void measure_launches(struct work *w, launch_function call, double *median, double *best)
{
    mnp_event *first, *second;
    OR_EXIT(mnp_event_new(w->ctx, &first));
    OR_EXIT(mnp_event_new(w->ctx, &second));
    double times[2][BATCHES];
    for (int i = -WARM_UP; i < BATCHES; i++) {
        double seconds;
        OR_EXIT(mnp_ctx_synchronize(w->ctx));
        OR_EXIT(mnp_event_record(first));
        double start = MPI_Wtime();
        for (int k = 0; k < LAUNCHES; k++)
            OR_EXIT(call(w));
        double stop = MPI_Wtime();
        OR_EXIT(mnp_event_record(second));
        OR_EXIT(mnp_event_seconds(first, second, &seconds));
        if (i >= 0) {
            times[0][i] = (stop - start) / LAUNCHES;
            times[1][i] = seconds / LAUNCHES;
        }
    }
    mnp_event_free(first);
    mnp_event_free(second);
    for (int k = 0; k < 2; k++) {
        qsort(times[k], BATCHES, sizeof *times[k], compare_seconds);
        MPI_Allreduce(&times[k][BATCHES / 2], &median[k], 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(w->ctx));
        MPI_Allreduce(&times[k][0], &best[k], 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(w->ctx));
    }
}

/* ---- checking ---- */

/* A value of the result, which is float32, float64 or int32. */
static double value_of(mnp_dtype dtype, const void *values, int64_t k)
{
    if (dtype == MNP_FLOAT32)
        return (double)((const float *)values)[k];
    return dtype == MNP_INT32 ? (double)((const int32_t *)values)[k] : ((const double *)values)[k];
}

/* Compare some thousand elements, the last among them, with what they should be; ends the program if one is wrong. */
static void verify(const struct timed_case *timed, const struct work *w)
{
    mnp_array *sample = NULL;
    int64_t step = timed->ndim == 1 ? w->n / 4000 + 1 : w->n / 60 + 1;
    int64_t first = (w->n - 1) % step; /* so that the last one is met */
    char index[96];
    if (timed->ndim == 1)
        snprintf(index, sizeof index, "%" PRId64 "::%" PRId64, first, step);
    else
        snprintf(index, sizeof index, "%" PRId64 "::%" PRId64 ", ::%" PRId64, first, step, step);
    OR_EXIT(mnp_index(w->z, index, &sample));
    const int64_t *shape = mnp_array_shape(sample);
    int64_t count = timed->ndim == 1 ? shape[0] : shape[0] * shape[1];
    mnp_dtype dtype = mnp_array_dtype(sample);
    void *values = malloc((size_t)count * mnp_dtype_size(dtype));
    if (!values)
        OR_EXIT(mnp_fail(MNP_ERR_MEMORY, "no memory for %" PRId64 " elements", count));
    OR_EXIT(mnp_array_to_host(sample, MNP_ALL_RANKS, values));
    for (int64_t k = 0; k < count; k++) {
        int64_t i = timed->ndim == 1 ? first + k * step : (first + k / shape[1] * step) * w->n + k % shape[1] * step;
        double expected = timed->expect(w, i), got = value_of(dtype, values, k);
        if (expected == expected && !(fabs(got - expected) <= timed->tolerance * fabs(expected))) {
            OR_EXIT(mnp_fail(MNP_ERR_INTERNAL, "%s: element %" PRId64 " is %.17g, not %.17g", timed->name, i, got,
                             expected));
        }
    }
    free(values);
    mnp_array_free(sample);
}

/* ---- the report ---- */

static void time_launches(mnp_ctx *ctx)
{
    static const char *const names[] = {"output reused", "new output"}, *const kinds[] = {"launch", "back to back"};
    static const launch_function calls[] = {add_reused, add_new};
    struct work w = {.ctx = ctx, .n = SMALL};
    prepare_vectors(&w);
    for (int k = 0; k < 2; k++) {
        double median[2], best[2];
        measure_launches(&w, calls[k], median, best);
        if (mnp_ctx_rank(ctx) == 0)
            printf("  add of %d float32, %s: %.2f us of the processor a call, %.2f us back to back\n", SMALL, names[k],
                   1e6 * median[0], 1e6 * median[1]);
        for (int kind = 0; kind < 2; kind++) {
            char name[64];
            const double seconds[] = {best[kind], median[kind]};
            snprintf(name, sizeof name, "%s, %s", kinds[kind], names[k]);
            record(ctx, record_of("elementwise", name, SMALL, "float32", seconds, 2, 0));
        }
    }
    mnp_free_all(w.x, w.y, w.z);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct timed_case *timed = one;
    if (!timed->run) {
        time_launches(ctx);
        return;
    }
    struct work w = {.ctx = ctx, .n = timed->elements};
    if (o->elements && (o->chooses || timed->vectors))
        w.n = o->elements;
    if (timed->ndim == 2)
        w.n = (int64_t)sqrt((double)w.n);
    double *seconds = seconds_new(ctx, o->repeats);
    timed->prepare(&w);
    measure(ctx, run_case, &(struct run){timed, &w}, o->repeats, seconds);
    verify(timed, &w);
    const int64_t elements = timed->ndim == 1 ? w.n : w.n * w.n;
    const double median = seconds[o->repeats / 2], bytes = timed->bytes * (double)elements;
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-14s %11" PRId64 " %-10s median %9.4f ms, best %9.4f ms, %8.1f GB/s\n", timed->name, elements,
               timed->dtype, 1e3 * median, 1e3 * seconds[0], 1e-9 * bytes / median);
    record(ctx, record_of("elementwise", timed->name, elements, timed->dtype, seconds, o->repeats, bytes));
    free(seconds);
    mnp_elementwise_free(w.elementwise);
    mnp_raw_module_free(w.module);
    mnp_free_all(w.view, w.x, w.y, w.z);
}

const benchmark elementwise_benchmark = {.name = "elementwise",
                                         .help = "element-wise functions, expressions and kernels of one's own",
                                         .repeats = 50,
                                         BENCH_CASES(cases),
                                         .time_case = time_case};
