/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times mnp_conv_execute: the plan is made before, the data stays on the device, an input is convolved again and again.
 *
 * The image has --dims dimensions of --image elements, and is random; so is the kernel, or, with --outer, an outer
 * product; mode is "same".  --restore times mnp_richardson_lucy() of so many iterations, divided by their number, plans
 * included.  A time is the median of repeats, of the slowest rank; a repeat is as many calls in a row as take 10
 * milliseconds, between two events of the device, divided by their number.
 * bench/peers/conv_peers.py does the same with other libraries.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A random array: float32 uniform in [0, 1), cast. */
static mnp_array *random_array(mnp_ctx *ctx, int dims, int64_t n, mnp_dtype dtype, uint64_t seed)
{
    mnp_array *values = NULL, *result = NULL;
    OR_EXIT(mnp_empty(ctx, MNP_FLOAT32, dims, (int64_t[]){n, n, n, n}, &values));
    int64_t size = mnp_array_local_size(values);
    float *block = malloc((size_t)size * sizeof *block + 1);
    uint64_t state = seed + (uint64_t)mnp_ctx_rank(ctx) * 1000003;
    for (int64_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        block[i] = (float)(state >> 40) / (float)(1 << 24);
    }
    OR_EXIT(mnp_array_set_local(values, block));
    free(block);
    OR_EXIT(mnp_astype(values, dtype, &result));
    mnp_array_free(values);
    return result;
}

/* An outer product of a random vector with itself. */
static mnp_array *outer_product(mnp_ctx *ctx, const bench_options *o, mnp_dtype dtype)
{
    mnp_array *line = random_array(ctx, 1, o->kernel, dtype, 2), *product = NULL;
    const char *const texts[] = {"k = v", "k = v[:, None] * v", "k = v[:, None, None] * v[:, None] * v",
                                 "k = v[:, None, None, None] * v[:, None, None] * v[:, None] * v"};
    OR_EXIT(mnp_eval(ctx, texts[o->dims - 1], MNP_IN("v", line), MNP_OUT("k", &product)));
    mnp_array_free(line);
    return product;
}

struct run {
    const bench_options *options;
    const mnp_array *kernel;
    mnp_conv_plan *plan;
    const mnp_array *x;
    mnp_array *y;
};

static mnp_status run_plan(void *argument)
{
    struct run *run = argument;
    const mnp_richardson_lucy_options restoring = {.iterations = run->options->restore, .method = run->options->method};
    if (run->options->restore > 0)
        return mnp_richardson_lucy(run->x, run->kernel, &restoring, &run->y);
    return mnp_conv_execute(run->plan, run->x, &run->y);
}

static void report(mnp_ctx *ctx, const bench_options *o, mnp_dtype dtype, const char *method, const double *seconds)
{
    const double per = o->restore > 0 ? o->restore : 1, median = seconds[o->repeats / 2] / per;
    double taps = 1, elements = 1;
    for (int d = 0; d < o->dims; d++) {
        taps *= (double)o->image * (double)o->kernel;
        elements *= (double)o->image;
    }
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %lld^%d by %lld^%d %s, %s%s: median %.4f ms, best %.4f ms, %.2f TFLOP/s directly\n",
               (long long)o->image, o->dims, (long long)o->kernel, o->dims, mnp_dtype_name(dtype), method,
               o->restore > 0 ? ", an iteration of Richardson-Lucy" : "", 1e3 * median, 1e3 * seconds[0] / per,
               2e-12 * taps / median);
    char library[64]; /* peers know no such methods */
    snprintf(library, sizeof library, "Maniple, %s", method);
    struct record r = {.benchmark = "conv",
                       .name = o->restore > 0 ? "richardson-lucy" : "same",
                       .library = library,
                       .seconds = median,
                       .best = seconds[0] / per,
                       .bytes = 2 * elements * (double)mnp_dtype_size(dtype),
                       .flops = 2 * taps};
    snprintf(r.input, sizeof r.input, "%lld^%d by %lld^%d %s%s", (long long)o->image, o->dims, (long long)o->kernel,
             o->dims, mnp_dtype_name(dtype), o->outer ? ", an outer product" : "");
    record(ctx, r);
}

/* The benchmark has one case, which the method is not part of. */
static const char *const cases[] = {"convolve"};

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const mnp_dtype dtype = o->dtype == MNP_DTYPE_AUTO ? MNP_FLOAT32 : o->dtype;
    const int dims = o->dims;
    double *seconds = seconds_new(ctx, o->repeats);
    mnp_array *x = random_array(ctx, dims, o->image, dtype, 1);
    mnp_array *kernel = o->outer ? outer_product(ctx, o, dtype) : random_array(ctx, dims, o->kernel, dtype, 2);
    mnp_conv_options options = {0};
    options.mode = MNP_CONV_SAME;
    options.boundary = o->boundary;
    options.method = o->method;
    mnp_conv_plan *plan;
    mnp_conv_plan_info info;
    (void)one;
    OR_EXIT(mnp_conv_plan_new(ctx, dtype, mnp_array_layout(x), kernel, &options, &plan));
    mnp_conv_plan_describe(plan, &info);
    struct run run = {.options = o, .kernel = kernel, .plan = plan, .x = x};
    measure_together(ctx, run_plan, &run, o->repeats, seconds);
    mnp_array_free(run.y);
    report(ctx, o, dtype, info.name, seconds);
    free(seconds);
    mnp_conv_plan_free(plan);
    mnp_free_all(x, kernel);
}

const benchmark conv_benchmark = {
    .name = "conv", .help = "convolutions of an image", .repeats = 50, BENCH_CASES(cases), .time_case = time_case};
