/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times reductions: the data stays on the device, outputs are reused, a call is made again and again.
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.  Results, or their first
 * elements, are compared with what the processor computes in long double.  bench/peers/reduce_peers.py does the same
 * with other libraries.
 *
 * Small arrays, which are cut along their first axis, are reduced many times without waiting in between: the time is
 * that of one call, as calls by the program and as calls recorded in a graph, where the device can record them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arrays/data.h"
#include "bench/benchmark.h"
#include "bench/measure.h"
#include "common/words.h"

enum { GRAPH_CALLS = 16 };

struct work {
    mnp_ctx *ctx;
    int64_t n;   /* elements, or the root of them where they are a square matrix */
    int64_t row; /* 0, or the length of the matrix's rows */
    mnp_array *x, *y, *z, *second, *third;
    mnp_reduction *reduction;
};

struct timed_case {
    const char *name, *dtype;
    int64_t elements;
    int ndim;
    double bytes; /* read and written for an element */
    mnp_status (*run)(struct work *);
    double (*expect)(const struct work *); /* the first element of the result */
    double tolerance;                      /* relative error */
    bool small;                            /* the figure is the time of a call, not the rate of the memory */
    int64_t row;                           /* 0, or the length of rows, where a matrix is not a square */
};

/* ---- data ---- */

/* An array whose first axis is cut over all ranks. */
static mnp_array *cut_rows(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape)
{
    const int ranks = mnp_ctx_size(ctx);
    mnp_layout *layout = NULL;
    mnp_array *array = NULL;
    OR_EXIT(mnp_layout_new(1, &ranks, ndim, shape, (int[]){0, MNP_NO_AXIS}, NULL, &layout));
    OR_EXIT(mnp_array_new(ctx, dtype, layout, &array));
    mnp_layout_free(layout);
    return array;
}

static mnp_array *data(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, unsigned which, bool small)
{
    mnp_array *array = NULL;
    if (small)
        array = cut_rows(ctx, dtype, ndim, shape);
    else
        OR_EXIT(mnp_empty(ctx, dtype, ndim, shape, &array));
    fill_uniform(array, which);
    return array;
}

/* ---- the cases ---- */

static mnp_status run_sum(struct work *w)
{
    return mnp_sum(w->x, MNP_ALL_AXES, &w->z);
}

static double expect_sum(const struct work *w)
{
    long double sum = 0;
    for (int64_t i = 0; i < w->n; i++)
        sum += uniform(i, 0);
    return (double)sum;
}

static mnp_status run_argmax(struct work *w)
{
    return mnp_argmax(w->x, MNP_ALL_AXES, &w->z);
}

static double expect_argmax(const struct work *w)
{
    int64_t best = 0;
    for (int64_t i = 1; i < w->n && i < PERIOD; i++)
        best = uniform(i, 0) > uniform(best, 0) ? i : best;
    return (double)best;
}

static mnp_status run_var(struct work *w)
{
    return mnp_var(w->x, MNP_ALL_AXES, &w->z);
}

static double expect_var(const struct work *w)
{
    double mean = expect_sum(w) / (double)w->n;
    long double squares = 0;
    for (int64_t i = 0; i < w->n; i++)
        squares += (uniform(i, 0) - mean) * (uniform(i, 0) - mean);
    return (double)(squares / w->n);
}

static mnp_status run_axis_0(struct work *w)
{
    return mnp_sum(w->x, MNP_AXIS(0), &w->z);
}

static double expect_axis_0(const struct work *w)
{
    long double sum = 0;
    for (int64_t i = 0; i < w->n; i++)
        sum += uniform(i * w->n, 0);
    return (double)sum;
}

static mnp_status run_axis_1(struct work *w)
{
    return mnp_sum(w->x, MNP_AXIS(1), &w->z);
}

static mnp_status run_rows_argmax(struct work *w)
{
    return mnp_argmax(w->x, MNP_AXIS(1), &w->z);
}

static mnp_status run_rows_max(struct work *w)
{
    return mnp_max(w->x, MNP_AXIS(1), &w->z);
}

static double expect_row_sum(const struct work *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->row; i++)
        sum += uniform(i, 0);
    return sum;
}

static double expect_row_argmax(const struct work *w)
{
    int64_t best = 0;
    for (int64_t i = 1; i < w->row; i++)
        best = uniform(i, 0) > uniform(best, 0) ? i : best;
    return (double)best;
}

static double expect_row_max(const struct work *w)
{
    return uniform((int64_t)expect_row_argmax(w), 0);
}

static mnp_status run_mse(struct work *w)
{
    if (!w->reduction)
        OR_EXIT(mnp_reduction_new(w->ctx, "T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / n", "0",
                                  &(mnp_reduction_options){.name = "mse"}, &w->reduction));
    return mnp_reduction_call(w->reduction, MNP_INPUTS(w->x, w->y), MNP_ALL_AXES, MNP_OUTPUTS(&w->z));
}

static double expect_mse(const struct work *w)
{
    long double sum = 0;
    /* partial sums: a single sum would lose the last digits */
    for (int64_t begin = 0; begin < w->n; begin += PERIOD) {
        long double part = 0;
        for (int64_t i = begin; i < w->n && i < begin + PERIOD; i++)
            part += (uniform(i, 0) - uniform(i, 1)) * (uniform(i, 0) - uniform(i, 1));
        sum += part;
    }
    return (double)(sum / w->n);
}

static mnp_status run_mse_by_text(struct work *w)
{
    return mnp_eval(w->ctx, "z = mean((x - y)**2)", MNP_IN("x", w->x, "y", w->y), MNP_OUT("z", &w->z));
}

/* Mean and deviation of every column in one pass, then all elements in another. */
static mnp_status run_standardise(struct work *w)
{
    if (!w->reduction)
        OR_EXIT(mnp_reduction_new(
            w->ctx, "T x", "T mean, T deviation", "sums{(double)x, (double)x * x}", "sums{a.x + b.x, a.xx + b.xx}",
            "double middle = a.x / n; mean = middle; deviation = sqrt(a.xx / n - middle * middle)", "sums{0, 0}",
            &(mnp_reduction_options){.name = "moments", .type = "sums", .preamble = "struct sums { double x, xx; };"},
            &w->reduction));
    mnp_status st = mnp_reduction_call(w->reduction, MNP_INPUTS(w->x), MNP_AXIS(0), MNP_OUTPUTS(&w->second, &w->third));
    if (st != MNP_OK)
        return st;
    return mnp_eval(w->ctx, "z = (x - m) / s", MNP_IN("x", w->x, "m", w->second, "s", w->third), MNP_OUT("z", &w->z));
}

static mnp_status run_standardise_by_text(struct work *w)
{
    return mnp_eval(w->ctx, "z = (x - mean(x, axis=0)) / std(x, axis=0)", MNP_IN("x", w->x), MNP_OUT("z", &w->z));
}

static double expect_standardise(const struct work *w)
{
    double mean = expect_axis_0(w) / (double)w->n;
    long double squares = 0;
    for (int64_t i = 0; i < w->n; i++)
        squares += (uniform(i * w->n, 0) - mean) * (uniform(i * w->n, 0) - mean);
    return (uniform(0, 0) - mean) / sqrt((double)(squares / w->n));
}

static const struct timed_case cases[] = {
    {"sum", "float32", 1 << 28, 1, 4, run_sum, expect_sum, 1e-6, false, 0},
    {"sum float64", "float64", 1 << 27, 1, 8, run_sum, expect_sum, 1e-12, false, 0},
    {"argmax", "float32", 1 << 28, 1, 4, run_argmax, expect_argmax, 0, false, 0},
    {"var", "float32", 1 << 28, 1, 4, run_var, expect_var, 1e-6, false, 0},
    {"sum axis 0", "float32", 1 << 28, 2, 4, run_axis_0, expect_axis_0, 1e-6, false, 0},
    {"sum axis 1", "float32", 1 << 28, 2, 4, run_axis_1, expect_sum, 1e-6, false, 0}, /* of the first n elements */
    {"sum of rows of 3", "float64", 1 << 27, 2, 8, run_axis_1, expect_row_sum, 1e-14, false, 3},
    {"sum of rows of 30", "float64", 1 << 27, 2, 8, run_axis_1, expect_row_sum, 1e-14, false, 30},
    {"sum of rows of 100", "float64", 1 << 27, 2, 8, run_axis_1, expect_row_sum, 1e-14, false, 100},
    {"max of rows of 30", "float64", 1 << 27, 2, 8, run_rows_max, expect_row_max, 0, false, 30},
    {"max of rows of 1000", "float64", 1 << 27, 2, 8, run_rows_max, expect_row_max, 0, false, 1000},
    {"argmax of rows of 30", "float64", 1 << 27, 2, 8, run_rows_argmax, expect_row_argmax, 0, false, 30},
    {"argmax of rows of 100", "float64", 1 << 27, 2, 8, run_rows_argmax, expect_row_argmax, 0, false, 100},
    {"mse", "float64", 100000000, 1, 16, run_mse, expect_mse, 1e-12, false, 0},
    {"mse by text", "float64", 100000000, 1, 16, run_mse_by_text, expect_mse, 1e-12, false, 0},
    {"standardise", "float32", 1 << 28, 2, 12, run_standardise, expect_standardise, 1e-5, false, 0},
    {"standardise by text", "float32", 1 << 28, 2, 16, run_standardise_by_text, expect_standardise, 1e-5, false, 0},
    {"small sum", "float64", 1024, 1, 8, run_sum, expect_sum, 1e-12, true, 0},
    {"smallest sum", "float64", 16, 1, 8, run_sum, expect_sum, 1e-12, true, 0},
    {"small sum axis 0", "float64", 1024, 2, 8, run_axis_0, expect_axis_0, 1e-12, true, 0},
};

/* ---- measuring and checking ---- */

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

/* Compare the first element of the result; ends the program if it is wrong. */
static void verify(const struct timed_case *timed, const struct work *w)
{
    static const char *const first[] = {"...", "0", "0, 0"};
    mnp_array *element = NULL;
    double got = 0, expected = timed->expect(w);
    OR_EXIT(mnp_index(w->z, first[mnp_array_ndim(w->z)], &element));
    OR_EXIT(mnp_item(element, &got));
    mnp_array_free(element);
    if (fabs(got - expected) <= timed->tolerance * fabs(expected))
        return;
    OR_EXIT(mnp_fail(MNP_ERR_INTERNAL, "%s: the result is %.17g, not %.17g", timed->name, got, expected));
}

static int64_t elements_of(const struct work *w)
{
    return w->row ? w->n / w->row * w->row : mnp_array_ndim(w->x) == 1 ? w->n : w->n * w->n;
}

static void report_large(const struct timed_case *timed, const struct work *w, int repeats, const double *seconds)
{
    const int64_t all = elements_of(w);
    const double median = seconds[repeats / 2], bytes = timed->bytes * (double)all;
    if (mnp_ctx_rank(w->ctx) == 0)
        printf("  %-21s %11" PRId64 " %-10s median %9.4f ms, best %9.4f ms, %8.1f GB/s\n", timed->name, all,
               timed->dtype, 1e3 * median, 1e3 * seconds[0], 1e-9 * bytes / median);
    record(w->ctx, record_of("reduce", timed->name, all, timed->dtype, seconds, repeats, bytes));
}

/* Calls recorded in a graph: *graph_p stays NULL, with a sentence, where they cannot be. */
static void record_graph(mnp_ctx *ctx, const struct run *run, mnp_graph **graph_p)
{
    mnp_status st = mnp_graph_begin(ctx);
    if (st == MNP_OK) {
        for (int i = 0; i < GRAPH_CALLS && st == MNP_OK; i++)
            st = run_case((void *)run);
        mnp_status ended = mnp_graph_end(ctx, graph_p);
        st = st == MNP_OK ? ended : st;
    }
    if (st != MNP_OK && mnp_ctx_rank(ctx) == 0)
        printf("  %-19s no graph: %s\n", run->timed->name, words_message());
}

static mnp_status launch(void *graph)
{
    return mnp_graph_launch(graph);
}

static void report_small(const struct run *run, const char *how, int calls, int repeats, const double *seconds)
{
    const struct timed_case *timed = run->timed;
    const struct work *w = run->work;
    const int64_t all = elements_of(w);
    char name[64];
    snprintf(name, sizeof name, "%s, %s", timed->name, how);
    struct record r = record_of("reduce", name, all, timed->dtype, seconds, repeats, 0);
    r.seconds /= calls;
    r.best /= calls;
    if (mnp_ctx_rank(w->ctx) == 0)
        printf("  %-19s %11" PRId64 " %-10s %s: median %9.3f us a call, best %9.3f us\n", timed->name, all,
               timed->dtype, how, 1e6 * r.seconds, 1e6 * r.best);
    record(w->ctx, r);
}

static void time_small(struct run *run, int repeats, double *seconds)
{
    mnp_ctx *ctx = run->work->ctx;
    mnp_graph *graph = NULL;
    measure_together(ctx, run_case, run, repeats, seconds);
    verify(run->timed, run->work);
    report_small(run, "calls", 1, repeats, seconds);
    record_graph(ctx, run, &graph);
    if (!graph)
        return;
    measure_together(ctx, launch, graph, repeats, seconds);
    verify(run->timed, run->work);
    report_small(run, "graph", GRAPH_CALLS, repeats, seconds);
    mnp_graph_free(graph);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct timed_case *timed = one;
    struct work w = {.ctx = ctx, .n = o->elements ? o->elements : timed->elements, .row = timed->row};
    double *seconds = seconds_new(ctx, o->repeats);
    mnp_dtype dtype = strcmp(timed->dtype, "float32") == 0 ? MNP_FLOAT32 : MNP_FLOAT64;
    if (timed->ndim == 2 && !w.row)
        w.n = (int64_t)sqrt((double)w.n);
    const int64_t *shape = w.row ? (int64_t[]){w.n / w.row, w.row} : (int64_t[]){w.n, w.n};
    w.x = data(ctx, dtype, timed->ndim, shape, 0, timed->small);
    if (timed->expect == expect_mse)
        w.y = data(ctx, dtype, timed->ndim, shape, 1, false);
    struct run run = {timed, &w};
    if (timed->small) {
        time_small(&run, o->repeats, seconds);
    } else {
        measure(ctx, run_case, &run, o->repeats, seconds);
        verify(timed, &w);
        report_large(timed, &w, o->repeats, seconds);
    }
    free(seconds);
    mnp_reduction_free(w.reduction);
    mnp_free_all(w.x, w.y, w.z, w.second, w.third);
}

const benchmark reduce_benchmark = {.name = "reduce",
                                    .help = "sums, extremes, variances; along axes, of rows, of small arrays",
                                    .repeats = 50,
                                    BENCH_CASES(cases),
                                    .time_case = time_case};
