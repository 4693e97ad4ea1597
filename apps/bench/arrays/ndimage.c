/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times filters of images that are cut by rows: 4096^2 elements of float32 unless told.
 *
 * A time is the median of repeats, and the best one, of the slowest rank; a repeat is as many calls in a row as take 10
 * milliseconds, between two events of the device, divided by their number.
 * bench/peers/ndimage_peers.py times the same with SciPy and, on a GPU, with CuPy.
 */
#include <math.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

struct run {
    const mnp_array *x, *mask;
    mnp_array *y;
};

#define CASE(name, call)                                                                                               \
    static mnp_status name(void *argument)                                                                             \
    {                                                                                                                  \
        struct run *run = argument;                                                                                    \
        return call;                                                                                                   \
    }
#define BOX(n) ((int64_t[]){n, n})
CASE(median_3, mnp_ndimage_median_filter(run->x, BOX(3), NULL, NULL, &run->y))
CASE(median_5, mnp_ndimage_median_filter(run->x, BOX(5), NULL, NULL, &run->y))
CASE(median_15, mnp_ndimage_median_filter(run->x, BOX(15), NULL, NULL, &run->y))
CASE(gaussian_5, mnp_ndimage_gaussian_filter(run->x, (double[]){5, 5}, NULL, 0, NULL, NULL, &run->y))
CASE(uniform_15, mnp_ndimage_uniform_filter(run->x, BOX(15), NULL, &run->y))
CASE(erosion_9, mnp_ndimage_grey_erosion(run->x, BOX(9), NULL, NULL, NULL, &run->y))
CASE(sobel, mnp_ndimage_sobel(run->x, -1, NULL, &run->y))

static mnp_status label(void *argument)
{
    struct run *run = argument;
    int64_t count;
    return mnp_ndimage_label(run->mask, NULL, &run->y, &count);
}

struct filter {
    const char *name;
    mnp_status (*run)(void *argument);
};

static const struct filter cases[] = {
    {"median-3", median_3},     {"median-5", median_5},   {"median-15", median_15}, {"gaussian-5", gaussian_5},
    {"uniform-15", uniform_15}, {"erosion-9", erosion_9}, {"sobel", sobel},         {"label", label}};

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct filter *c = one;
    const int64_t n = o->elements > 0 ? llround(sqrt((double)o->elements)) : 4096, shape[] = {n, n};
    double *seconds = seconds_new(ctx, o->repeats);
    struct run run = {.y = NULL};
    mnp_array *wide = NULL, *x = NULL, *mask = NULL;
    mnp_rng *rng;
    OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 2, shape, &wide));
    mnp_rng_free(rng);
    OR_EXIT(mnp_astype(wide, MNP_FLOAT32, &x));
    OR_EXIT(mnp_greater(x, MNP_SCALAR(ctx, 0.0), &mask));
    run.x = x;
    run.mask = mask;
    measure_together(ctx, c->run, &run, o->repeats, seconds);
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-12s %9.3f ms, best %9.3f ms\n", c->name, 1e3 * seconds[o->repeats / 2], 1e3 * seconds[0]);
    record(ctx, record_of("ndimage", c->name, n * n, "float32", seconds, o->repeats, 0));
    mnp_free_all(wide, x, mask, run.y);
    free(seconds);
}

const benchmark ndimage_benchmark = {
    .name = "ndimage", .help = "filters of images", .repeats = 50, BENCH_CASES(cases), .time_case = time_case};
