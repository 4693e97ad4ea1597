/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times sorts: the data stays on the device, outputs are reused, a call is made again and again.
 *
 *   mpirun -n RANKS bench/sort [--case NAME] [--elements N] [--repeats N]
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.  Results are checked:
 * neighbours must be in order, and the sum of the elements must be unchanged.  bench/peers/sort_peers.py does the same
 * with other libraries.
 */
#include <maniple.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

struct work {
    mnp_ctx *ctx;
    mnp_array *x, *values, *order;
};

struct benchmark {
    const char *name;
    mnp_dtype dtype;
    int64_t elements; /* of all; a matrix is square */
    int ndim, axis;
    mnp_status (*run)(const struct benchmark *benchmark, struct work *);
};

/* ---- the cases ---- */

static mnp_status run_sort(const struct benchmark *benchmark, struct work *w)
{
    return mnp_sort(w->x, benchmark->axis, &w->values);
}

static mnp_status run_argsort(const struct benchmark *benchmark, struct work *w)
{
    return mnp_argsort(w->x, benchmark->axis, &w->order);
}

static mnp_status run_topk(const struct benchmark *benchmark, struct work *w)
{
    return mnp_topk(w->x, 100, benchmark->axis, true, &w->values, &w->order);
}

static const struct benchmark benchmarks[] = {
    {"sort", MNP_FLOAT32, 1 << 28, 1, 0, run_sort},        {"sort 2^26", MNP_FLOAT32, 1 << 26, 1, 0, run_sort},
    {"sort int32", MNP_INT32, 1 << 26, 1, 0, run_sort},    {"sort float64", MNP_FLOAT64, 1 << 26, 1, 0, run_sort},
    {"argsort", MNP_FLOAT32, 1 << 26, 1, 0, run_argsort},  {"sort axis 0", MNP_FLOAT32, 1 << 26, 2, 0, run_sort},
    {"sort axis 1", MNP_FLOAT32, 1 << 26, 2, 1, run_sort}, {"topk 100", MNP_FLOAT32, 1 << 26, 1, 0, run_topk},
};

static mnp_array *data(mnp_ctx *ctx, const struct benchmark *benchmark, int64_t n)
{
    mnp_rng *rng;
    mnp_array *normal = NULL, *x = NULL;
    const int64_t shape[] = {n, n};
    MNP_OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1e6, MNP_FLOAT32, benchmark->ndim, shape, &normal));
    MNP_OR_EXIT(mnp_astype(normal, benchmark->dtype, &x));
    mnp_array_free(normal);
    mnp_rng_free(rng);
    return x;
}

/* ---- checking results ---- */

static double number(const mnp_array *x)
{
    double value;
    MNP_OR_EXIT(mnp_item(x, &value));
    return value;
}

static double sum_of(const mnp_array *x)
{
    mnp_array *sum = NULL;
    MNP_OR_EXIT(mnp_sum(x, MNP_REDUCE(.dtype = "float64"), &sum));
    double value = number(sum);
    mnp_array_free(sum);
    return value;
}

static bool rises(const mnp_array *x, int axis)
{
    mnp_array *before = NULL, *behind = NULL, *right = NULL, *all = NULL;
    MNP_OR_EXIT(mnp_index(x, axis == 0 ? ":-1" : ":, :-1", &before));
    MNP_OR_EXIT(mnp_index(x, axis == 0 ? "1:" : ":, 1:", &behind));
    MNP_OR_EXIT(mnp_less_equal(before, behind, &right));
    MNP_OR_EXIT(mnp_all(right, MNP_ALL_AXES, &all));
    const bool yes = number(all) != 0;
    mnp_free_all(before, behind, right, all);
    return yes;
}

static void verify(const struct benchmark *benchmark, const struct work *w, int64_t all)
{
    bool right = true;
    mnp_array *taken = NULL;
    if (benchmark->run == run_argsort) {
        MNP_OR_EXIT(mnp_take(w->x, w->order, 0, MNP_RAISE, &taken));
        right = rises(taken, 0) && sum_of(w->order) == 0.5 * (double)all * (double)(all - 1);
    } else if (benchmark->run == run_sort) {
        const double sum = sum_of(w->x);
        right = rises(w->values, benchmark->axis) && fabs(sum_of(w->values) - sum) <= 1e-6 * fabs(sum);
    } else {
        MNP_OR_EXIT(mnp_take(w->x, w->order, 0, MNP_RAISE, &taken));
        right = sum_of(taken) == sum_of(w->values);
    }
    mnp_array_free(taken);
    if (right)
        return;
    mnp_fail(MNP_ERR_INTERNAL, "%s: the result is wrong", benchmark->name);
    mnp_exit(1);
}

/* ---- measuring ---- */

/* A benchmark and what it works on, as one argument. */
struct run {
    const struct benchmark *benchmark;
    struct work *work;
};

static mnp_status run_benchmark(void *argument)
{
    const struct run *run = argument;
    return run->benchmark->run(run->benchmark, run->work);
}

static void time_benchmark(mnp_ctx *ctx, const void *one, int64_t elements, int repeats)
{
    const struct benchmark *benchmark = one;
    int64_t n = elements ? elements : benchmark->elements;
    if (benchmark->ndim == 2)
        n = (int64_t)sqrt((double)n);
    const int64_t all = benchmark->ndim == 2 ? n * n : n;
    struct work w = {.ctx = ctx, .x = data(ctx, benchmark, n)};
    double *seconds = calloc((size_t)repeats, sizeof *seconds);
    MNP_OR_EXIT(mnp_agree(ctx, seconds ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %d repeats", repeats)));
    measure(ctx, run_benchmark, &(struct run){benchmark, &w}, repeats, seconds);
    verify(benchmark, &w, all);
    if (mnp_ctx_rank(ctx) == 0) {
        const double median = seconds[repeats / 2];
        printf("  %-14s %11" PRId64 " %-10s median %9.4f ms, best %9.4f ms, %8.1f million/s\n", benchmark->name, all,
               mnp_dtype_name(benchmark->dtype), 1e3 * median, 1e3 * seconds[0], 1e-6 * (double)all / median);
        fflush(stdout);
    }
    record(ctx, record_of("sort", benchmark->name, all, mnp_dtype_name(benchmark->dtype), seconds, repeats, 0));
    free(seconds);
    mnp_free_all(w.x, w.values, w.order);
}

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, benchmarks, time_benchmark);
}
