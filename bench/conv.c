/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times mnp_conv_execute: the plan is made before, the data stays on the device, an input is convolved again and again.
 *
 *   mpirun -n RANKS bench/conv [--image N] [--kernel N] [--dtype T] [--boundary B] [--repeats N]
 *
 * The image is N x N and random, so is the kernel; mode is "same".  A time is the median of repeats, each between two
 * events of the device, of the slowest rank.  bench/peers/conv_peers.py does the same with other libraries.
 */
#include <maniple.h>

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

struct arguments {
    int64_t image, kernel;
    int repeats;
    mnp_dtype dtype;
    mnp_boundary boundary;
};

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option options[] = {{"image", 1, NULL, 'i'},   {"kernel", 1, NULL, 'k'},
                                            {"dtype", 1, NULL, 't'},   {"boundary", 1, NULL, 'b'},
                                            {"repeats", 1, NULL, 'r'}, {NULL, 0, NULL, 0}};
    static const char *const boundaries[] = {"fill", "wrap", "symm", "mirror", "nearest"};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'i')
            a->image = atoll(optarg);
        else if (c == 'k')
            a->kernel = atoll(optarg);
        else if (c == 'r')
            a->repeats = atoi(optarg);
        else if (c == 't')
            MNP_OR_EXIT(mnp_dtype_parse(optarg, &a->dtype));
        else if (c == 'b') {
            int b = 0;
            while (b < 5 && strcmp(optarg, boundaries[b]) != 0)
                b++;
            if (b == 5)
                return 0;
            a->boundary = (mnp_boundary)b;
        } else
            return 0;
    }
    return optind == argc && a->image > 0 && a->kernel > 0 && a->repeats > 0;
}

/* A random array: float32 uniform in [0, 1), cast. */
static mnp_array *random_array(mnp_ctx *ctx, int64_t n, mnp_dtype dtype, uint64_t seed)
{
    mnp_array *values = NULL, *result = NULL;
    MNP_OR_EXIT(mnp_empty(ctx, MNP_FLOAT32, 2, (int64_t[]){n, n}, &values));
    int64_t size = mnp_array_local_size(values);
    float *block = malloc((size_t)size * sizeof *block + 1);
    uint64_t state = seed + (uint64_t)mnp_ctx_rank(ctx) * 1000003;
    for (int64_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        block[i] = (float)(state >> 40) / (float)(1 << 24);
    }
    MNP_OR_EXIT(mnp_array_set_local(values, block));
    free(block);
    MNP_OR_EXIT(mnp_astype(values, dtype, &result));
    mnp_array_free(values);
    return result;
}

struct run {
    mnp_conv_plan *plan;
    const mnp_array *x;
    mnp_array *y;
};

static mnp_status run_plan(void *argument)
{
    struct run *run = argument;
    return mnp_conv_execute(run->plan, run->x, &run->y);
}

static void report(mnp_ctx *ctx, const struct arguments *a, const double *seconds)
{
    double median = seconds[a->repeats / 2], taps = (double)(a->image * a->image) * (double)(a->kernel * a->kernel);
    mnp_rank_info *ranks = calloc((size_t)mnp_ctx_size(ctx), sizeof *ranks);
    MNP_OR_EXIT(mnp_ctx_info(ctx, ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0)
        printf("maniple  %lld^2 by %lld^2 %s, %d x %s (%s): median %.4f ms, best %.4f ms, %.2f TFLOP/s\n",
               (long long)a->image, (long long)a->kernel, mnp_dtype_name(a->dtype), mnp_ctx_size(ctx), ranks[0].device,
               mnp_ctx_transport(ctx), 1e3 * median, 1e3 * seconds[0], 2e-12 * taps / median);
    free(ranks);
    struct record r = {.benchmark = "conv",
                       .name = "same",
                       .seconds = median,
                       .best = seconds[0],
                       .bytes = 2 * (double)(a->image * a->image) * (double)mnp_dtype_size(a->dtype),
                       .flops = 2 * taps};
    snprintf(r.input, sizeof r.input, "%lld^2 by %lld^2 %s", (long long)a->image, (long long)a->kernel,
             mnp_dtype_name(a->dtype));
    record(ctx, r);
}

int main(int argc, char **argv)
{
    struct arguments a = {4096, 31, 50, MNP_FLOAT32, MNP_BOUNDARY_FILL};
    mnp_ctx *ctx;
    mnp_conv_plan *plan;
    if (!parse(argc, argv, &a)) {
        fprintf(stderr, "usage: conv [--image N] [--kernel N] [--dtype T] [--boundary B] [--repeats N]\n");
        return 2;
    }
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    mnp_array *x = random_array(ctx, a.image, a.dtype, 1), *kernel = random_array(ctx, a.kernel, a.dtype, 2);
    mnp_conv_options options = {0};
    options.mode = MNP_CONV_SAME;
    options.boundary = a.boundary;
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, a.dtype, mnp_array_layout(x), kernel, &options, &plan));
    double *seconds = calloc((size_t)a.repeats, sizeof *seconds);
    struct run run = {.plan = plan, .x = x};
    measure(ctx, run_plan, &run, a.repeats, seconds);
    mnp_array_free(run.y);
    report(ctx, &a, seconds);
    free(seconds);
    mnp_conv_plan_free(plan);
    mnp_free_all(x, kernel);
    mnp_finalize(ctx);
    return 0;
}
