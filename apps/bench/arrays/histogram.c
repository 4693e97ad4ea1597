/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times histograms and their like: the data stays on the device, outputs are reused, a call is made again and again.
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.  All counts together,
 * and those of the first bin, are compared with what the processor counts.  bench/peers/histogram_peers.py does the
 * same with other libraries.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

enum { PERIOD = 1 << 22 };

struct work {
    mnp_ctx *ctx;
    int64_t n, bins;
    mnp_array *x, *weights, *edges, *counts, *found;
};

struct timed_case {
    const char *name;
    mnp_dtype dtype;
    int64_t bins;
    double bytes; /* read and written for an element */
    mnp_status (*run)(struct work *);
};

/* ---- data: a function of the index that repeats itself ---- */

static double uniform(int64_t i)
{
    uint64_t hash = (uint64_t)(i % PERIOD) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(hash >> 40) / (double)(1 << 24);
}

static mnp_array *data(mnp_ctx *ctx, mnp_dtype dtype, int64_t n, double scale)
{
    mnp_array *array = NULL;
    OR_EXIT(mnp_empty(ctx, dtype, 1, &n, &array));
    int64_t lo = mnp_array_local_lo(array)[0], size = mnp_array_local_size(array);
    void *block = malloc((size_t)size * mnp_dtype_size(dtype) + 1);
    for (int64_t k = 0; block && k < size; k++) {
        if (dtype == MNP_FLOAT32)
            ((float *)block)[k] = (float)(scale * uniform(lo + k));
        else
            ((int32_t *)block)[k] = (int32_t)(scale * uniform(lo + k));
    }
    OR_EXIT(mnp_agree(ctx, block ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %" PRId64 " elements", size)));
    OR_EXIT(mnp_array_set_local(array, block));
    free(block);
    return array;
}

/* ---- the cases ---- */

static const double unit[] = {0, 1};

static mnp_status run_even(struct work *w)
{
    return mnp_histogram(w->x, w->bins, unit, false, NULL, &w->counts, NULL);
}

static mnp_status run_auto(struct work *w)
{
    return mnp_histogram(w->x, w->bins, NULL, false, NULL, &w->counts, NULL);
}

static mnp_status run_weighted(struct work *w)
{
    return mnp_histogram(w->x, w->bins, unit, false, w->weights, &w->counts, NULL);
}

static mnp_status run_edges(struct work *w)
{
    return mnp_histogram_edges(w->x, w->edges, false, NULL, &w->counts);
}

static mnp_status run_bincount(struct work *w)
{
    return mnp_bincount(w->x, NULL, w->bins, &w->counts);
}

static mnp_status run_search(struct work *w)
{
    return mnp_searchsorted(w->edges, w->x, false, NULL, &w->found);
}

static const struct timed_case cases[] = {
    {"even", MNP_FLOAT32, 256, 4, run_even},      {"auto", MNP_FLOAT32, 256, 8, run_auto},
    {"many", MNP_FLOAT32, 1000000, 4, run_even},  {"weighted", MNP_FLOAT32, 256, 8, run_weighted},
    {"edges", MNP_FLOAT32, 256, 4, run_edges},    {"bincount", MNP_INT32, 1000, 8, run_bincount},
    {"search", MNP_FLOAT32, 256, 12, run_search},
};

/* ---- measuring and checking ---- */

struct run {
    const struct timed_case *timed;
    struct work *work;
};

static mnp_status run_case(void *argument)
{
    const struct run *run = argument;
    return run->timed->run(run->work);
}

/* The first count and the sum of all; ends the program if one is wrong. */
static void verify(const struct timed_case *timed, const struct work *w)
{
    mnp_array *sum = NULL, *first = NULL;
    double got[2] = {0}, expected[2] = {0, (double)w->n};
    if (!w->counts)
        return;
    for (int64_t i = 0; i < w->n; i++)
        expected[0] += uniform(i) * (double)w->bins < 1;
    OR_EXIT(mnp_sum(w->counts, MNP_REDUCE(.dtype = "float64"), &sum));
    OR_EXIT(mnp_item(sum, &got[1]));
    mnp_free_all(sum, NULL);
    sum = NULL;
    OR_EXIT(mnp_index(w->counts, "0", &first));
    OR_EXIT(mnp_astype(first, MNP_FLOAT64, &sum));
    OR_EXIT(mnp_item(sum, &got[0]));
    mnp_free_all(sum, first);
    bool counted = w->weights == NULL; /* weights are all 1, and exact */
    bool close = timed->run == run_auto || got[0] == expected[0];
    if (close && (got[1] == expected[1] || !counted))
        return;
    OR_EXIT(mnp_fail(MNP_ERR_INTERNAL, "%s: %.17g elements, %.17g in the first bin, not %.17g and %.17g", timed->name,
                     got[1], got[0], expected[1], expected[0]));
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct timed_case *timed = one;
    struct work w = {.ctx = ctx, .n = o->elements ? o->elements : 1 << 26, .bins = timed->bins};
    double *seconds = seconds_new(ctx, o->repeats);
    w.x = data(ctx, timed->dtype, w.n, timed->dtype == MNP_INT32 ? (double)w.bins : 1);
    if (timed->run == run_weighted)
        OR_EXIT(mnp_ones(ctx, MNP_FLOAT32, 1, &w.n, &w.weights));
    if (timed->run == run_edges || timed->run == run_search)
        OR_EXIT(mnp_linspace(ctx, 0, 1, w.bins + 1, true, MNP_FLOAT32, NULL, &w.edges));
    measure(ctx, run_case, &(struct run){timed, &w}, o->repeats, seconds);
    verify(timed, &w);
    const double median = seconds[o->repeats / 2], bytes = timed->bytes * (double)w.n;
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-10s %11" PRId64 " %-8s %8" PRId64 " bins   median %9.4f ms, best %9.4f ms, %8.1f GB/s\n",
               timed->name, w.n, mnp_dtype_name(timed->dtype), w.bins, 1e3 * median, 1e3 * seconds[0],
               1e-9 * bytes / median);
    record(ctx, record_of("histogram", timed->name, w.n, mnp_dtype_name(timed->dtype), seconds, o->repeats, bytes));
    free(seconds);
    mnp_free_all(w.x, w.weights, w.edges, w.counts, w.found);
}

const benchmark histogram_benchmark = {.name = "histogram",
                                       .help = "histograms, counts and searches in bins",
                                       .repeats = 50,
                                       BENCH_CASES(cases),
                                       .time_case = time_case};
