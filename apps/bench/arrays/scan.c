/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times scans: the data stays on the device, outputs are reused, a call is made again and again.
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.  The last element of the
 * first line is compared with what the processor computes in long double.  bench/peers/scan_peers.py does the same with
 * other libraries.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arrays/data.h"
#include "bench/benchmark.h"
#include "bench/measure.h"

static const struct timed_case {
    const char *name;
    mnp_dtype dtype;
    int64_t elements;
    int ndim, axis;
    const char *last; /* of the first line, as a subscript */
} cases[] = {
    {"cumsum", MNP_FLOAT32, 1 << 28, 1, 0, "-1"},           {"cumsum float64", MNP_FLOAT64, 1 << 27, 1, 0, "-1"},
    {"cummax", MNP_FLOAT32, 1 << 28, 1, 0, "-1"},           {"cumsum axis 0", MNP_FLOAT32, 1 << 28, 2, 0, "-1, 0"},
    {"cumsum axis 1", MNP_FLOAT32, 1 << 28, 2, 1, "0, -1"},
};

struct work {
    const struct timed_case *timed;
    int64_t n; /* elements, or the root of them where they are a square matrix */
    mnp_array *x, *y;
};

static mnp_array *data(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape)
{
    mnp_array *array = NULL;
    OR_EXIT(mnp_empty(ctx, dtype, ndim, shape, &array));
    fill_uniform(array, 0);
    return array;
}

/* ---- measuring and checking ---- */

static bool is_maximum(const struct timed_case *timed)
{
    return strcmp(timed->name, "cummax") == 0;
}

static mnp_status run(void *argument)
{
    struct work *w = argument;
    if (is_maximum(w->timed))
        return mnp_cummax(w->x, w->timed->axis, &w->y);
    return mnp_cumsum(w->x, w->timed->axis, NULL, &w->y);
}

static double expect(const struct work *w)
{
    int64_t step = w->timed->ndim == 2 && w->timed->axis == 0 ? w->n : 1;
    long double sum = 0, most = 0;
    for (int64_t i = 0; i < w->n; i++) {
        double value = uniform(i * step, 0);
        sum += value;
        most = value > (double)most ? value : most;
    }
    return (double)(is_maximum(w->timed) ? most : sum);
}

/* Compare the last element of the first line; ends the program if it is wrong. */
static void verify(const struct work *w)
{
    mnp_array *element = NULL;
    double got = 0, expected = expect(w);
    OR_EXIT(mnp_index(w->y, w->timed->last, &element));
    OR_EXIT(mnp_item(element, &got));
    mnp_array_free(element);
    if (fabs(got - expected) <= (w->timed->dtype == MNP_FLOAT32 ? 1e-7 : 1e-14) * fabs(expected))
        return;
    OR_EXIT(mnp_fail(MNP_ERR_INTERNAL, "%s: the result is %.17g, not %.17g", w->timed->name, got, expected));
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct timed_case *timed = one;
    struct work w = {.timed = timed, .n = o->elements ? o->elements : timed->elements};
    double *seconds = seconds_new(ctx, o->repeats);
    if (timed->ndim == 2)
        w.n = (int64_t)sqrt((double)w.n);
    w.x = data(ctx, timed->dtype, timed->ndim, (int64_t[]){w.n, w.n});
    measure(ctx, run, &w, o->repeats, seconds);
    verify(&w);
    const int64_t all = timed->ndim == 1 ? w.n : w.n * w.n;
    const double median = seconds[o->repeats / 2], bytes = 2 * (double)mnp_dtype_size(timed->dtype) * (double)all;
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-14s %11" PRId64 " %-10s median %9.4f ms, best %9.4f ms, %8.1f GB/s\n", timed->name, all,
               mnp_dtype_name(timed->dtype), 1e3 * median, 1e3 * seconds[0], 1e-9 * bytes / median);
    record(ctx, record_of("scan", timed->name, all, mnp_dtype_name(timed->dtype), seconds, o->repeats, bytes));
    free(seconds);
    mnp_free_all(w.x, w.y);
}

const benchmark scan_benchmark = {
    .name = "scan", .help = "cumulative sums and maxima", .repeats = 50, BENCH_CASES(cases), .time_case = time_case};
