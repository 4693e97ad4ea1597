/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times sorts: the data stays on the device, outputs are reused, a call is made again and again.
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.  Results are checked:
 * neighbours must be in order, and the sum of the elements must be unchanged.  bench/peers/sort_peers.py does the same
 * with other libraries.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

struct work {
    mnp_ctx *ctx;
    mnp_array *x, *values, *order;
};

struct timed_case {
    const char *name;
    mnp_dtype dtype;
    int64_t elements; /* of all; a matrix is square */
    int ndim, axis;
    mnp_status (*run)(const struct timed_case *timed, struct work *);
};

/* ---- the cases ---- */

static mnp_status run_sort(const struct timed_case *timed, struct work *w)
{
    return mnp_sort(w->x, timed->axis, &w->values);
}

static mnp_status run_argsort(const struct timed_case *timed, struct work *w)
{
    return mnp_argsort(w->x, timed->axis, &w->order);
}

static mnp_status run_topk(const struct timed_case *timed, struct work *w)
{
    return mnp_topk(w->x, 100, timed->axis, true, &w->values, &w->order);
}

static const struct timed_case cases[] = {
    {"sort", MNP_FLOAT32, 1 << 28, 1, 0, run_sort},        {"sort 2^26", MNP_FLOAT32, 1 << 26, 1, 0, run_sort},
    {"sort int32", MNP_INT32, 1 << 26, 1, 0, run_sort},    {"sort float64", MNP_FLOAT64, 1 << 26, 1, 0, run_sort},
    {"argsort", MNP_FLOAT32, 1 << 26, 1, 0, run_argsort},  {"sort axis 0", MNP_FLOAT32, 1 << 26, 2, 0, run_sort},
    {"sort axis 1", MNP_FLOAT32, 1 << 26, 2, 1, run_sort}, {"topk 100", MNP_FLOAT32, 1 << 26, 1, 0, run_topk},
};

static mnp_array *data(mnp_ctx *ctx, const struct timed_case *timed, int64_t n)
{
    mnp_rng *rng;
    mnp_array *normal = NULL, *x = NULL;
    const int64_t shape[] = {n, n};
    OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    OR_EXIT(mnp_random_normal(rng, 0, 1e6, MNP_FLOAT32, timed->ndim, shape, &normal));
    OR_EXIT(mnp_astype(normal, timed->dtype, &x));
    mnp_array_free(normal);
    mnp_rng_free(rng);
    return x;
}

/* ---- checking results ---- */

static double number(const mnp_array *x)
{
    double value;
    OR_EXIT(mnp_item(x, &value));
    return value;
}

static double sum_of(const mnp_array *x)
{
    mnp_array *sum = NULL;
    OR_EXIT(mnp_sum(x, MNP_REDUCE(.dtype = "float64"), &sum));
    double value = number(sum);
    mnp_array_free(sum);
    return value;
}

static bool rises(const mnp_array *x, int axis)
{
    mnp_array *before = NULL, *behind = NULL, *right = NULL, *all = NULL;
    OR_EXIT(mnp_index(x, axis == 0 ? ":-1" : ":, :-1", &before));
    OR_EXIT(mnp_index(x, axis == 0 ? "1:" : ":, 1:", &behind));
    OR_EXIT(mnp_less_equal(before, behind, &right));
    OR_EXIT(mnp_all(right, MNP_ALL_AXES, &all));
    const bool yes = number(all) != 0;
    mnp_free_all(before, behind, right, all);
    return yes;
}

static void verify(const struct timed_case *timed, const struct work *w, int64_t all)
{
    bool right = true;
    mnp_array *taken = NULL;
    if (timed->run == run_argsort) {
        OR_EXIT(mnp_take(w->x, w->order, 0, MNP_RAISE, &taken));
        right = rises(taken, 0) && sum_of(w->order) == 0.5 * (double)all * (double)(all - 1);
    } else if (timed->run == run_sort) {
        const double sum = sum_of(w->x);
        right = rises(w->values, timed->axis) && fabs(sum_of(w->values) - sum) <= 1e-6 * fabs(sum);
    } else {
        OR_EXIT(mnp_take(w->x, w->order, 0, MNP_RAISE, &taken));
        right = sum_of(taken) == sum_of(w->values);
    }
    mnp_array_free(taken);
    if (right)
        return;
    OR_EXIT(mnp_fail(MNP_ERR_INTERNAL, "%s: the result is wrong", timed->name));
}

/* ---- measuring ---- */

/* A case and what it works on, as one argument. */
struct run {
    const struct timed_case *timed;
    struct work *work;
};

static mnp_status run_case(void *argument)
{
    const struct run *run = argument;
    return run->timed->run(run->timed, run->work);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct timed_case *timed = one;
    int64_t n = o->elements ? o->elements : timed->elements;
    if (timed->ndim == 2)
        n = (int64_t)sqrt((double)n);
    const int64_t all = timed->ndim == 2 ? n * n : n;
    struct work w = {.ctx = ctx, .x = data(ctx, timed, n)};
    double *seconds = seconds_new(ctx, o->repeats);
    measure(ctx, run_case, &(struct run){timed, &w}, o->repeats, seconds);
    verify(timed, &w, all);
    if (mnp_ctx_rank(ctx) == 0) {
        const double median = seconds[o->repeats / 2];
        printf("  %-14s %11" PRId64 " %-10s median %9.4f ms, best %9.4f ms, %8.1f million/s\n", timed->name, all,
               mnp_dtype_name(timed->dtype), 1e3 * median, 1e3 * seconds[0], 1e-6 * (double)all / median);
        fflush(stdout);
    }
    record(ctx, record_of("sort", timed->name, all, mnp_dtype_name(timed->dtype), seconds, o->repeats, 0));
    free(seconds);
    mnp_free_all(w.x, w.values, w.order);
}

const benchmark sort_benchmark = {.name = "sort",
                                  .help = "sorts, along axes, and the largest elements",
                                  .repeats = 50,
                                  BENCH_CASES(cases),
                                  .time_case = time_case};
