/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times mnp_conv_execute: the plan is made before, the data stays on the device, an input is convolved again and again.
 *
 *   mpirun -n RANKS bench/conv [--image N] [--dims D] [--kernel N] [--outer] [--method M] [--restore ITERATIONS]
 *                              [--dtype T] [--boundary B] [--repeats N]
 *
 * The image has D dimensions of N, 2 if D is not given, and is random; so is the kernel, or, with --outer, an outer
 * product; mode is "same".  --restore times mnp_richardson_lucy() of so many iterations, divided by their number, plans
 * included.  A time is the median of repeats, each between two events of the device, of the slowest rank.
 * bench/peers/conv_peers.py does the same with other libraries.
 */
#include <maniple.h>

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

struct arguments {
    int64_t image, kernel;
    int dims, repeats, iterations;
    bool outer;
    mnp_conv_method method;
    mnp_dtype dtype;
    mnp_boundary boundary;
};

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option options[] = {
        {"image", 1, NULL, 'i'},   {"kernel", 1, NULL, 'k'}, {"dtype", 1, NULL, 't'}, {"boundary", 1, NULL, 'b'},
        {"repeats", 1, NULL, 'r'}, {"dims", 1, NULL, 'd'},   {"outer", 0, NULL, 'o'}, {"method", 1, NULL, 'm'},
        {"restore", 1, NULL, 'l'}, {NULL, 0, NULL, 0}};
#define WORD(name, word, purpose) word,
    static const char *const methods[] = {MNP_CONV_METHODS(WORD)};
#undef WORD
    static const char *const boundaries[] = {"fill", "wrap", "symm", "mirror", "nearest"};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'i')
            a->image = atoll(optarg);
        else if (c == 'k')
            a->kernel = atoll(optarg);
        else if (c == 'r')
            a->repeats = atoi(optarg);
        else if (c == 'd')
            a->dims = atoi(optarg);
        else if (c == 'o')
            a->outer = true;
        else if (c == 'l')
            a->iterations = atoi(optarg);
        else if (c == 'm') {
            int m = 0;
            while (m < MNP_NUM_CONV_METHODS && strcmp(optarg, methods[m]) != 0)
                m++;
            if (m == MNP_NUM_CONV_METHODS)
                return 0;
            a->method = (mnp_conv_method)m;
        } else if (c == 't')
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
    return optind == argc && a->image > 0 && a->kernel > 0 && a->repeats > 0 && a->dims > 0 && a->dims < 5;
}

/* A random array: float32 uniform in [0, 1), cast. */
static mnp_array *random_array(mnp_ctx *ctx, int dims, int64_t n, mnp_dtype dtype, uint64_t seed)
{
    mnp_array *values = NULL, *result = NULL;
    MNP_OR_EXIT(mnp_empty(ctx, MNP_FLOAT32, dims, (int64_t[]){n, n, n, n}, &values));
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

/* An outer product of a random vector with itself. */
static mnp_array *outer_product(mnp_ctx *ctx, const struct arguments *a)
{
    mnp_array *line = random_array(ctx, 1, a->kernel, a->dtype, 2), *product = NULL;
    const char *const texts[] = {"k = v", "k = v[:, None] * v", "k = v[:, None, None] * v[:, None] * v",
                                 "k = v[:, None, None, None] * v[:, None, None] * v[:, None] * v"};
    MNP_OR_EXIT(mnp_eval(ctx, texts[a->dims - 1], MNP_IN("v", line), MNP_OUT("k", &product)));
    mnp_array_free(line);
    return product;
}

struct run {
    const struct arguments *arguments;
    const mnp_array *kernel;
    mnp_conv_plan *plan;
    const mnp_array *x;
    mnp_array *y;
};

static mnp_status run_plan(void *argument)
{
    struct run *run = argument;
    const mnp_richardson_lucy_options restoring = {.iterations = run->arguments->iterations,
                                                   .method = run->arguments->method};
    if (run->arguments->iterations > 0)
        return mnp_richardson_lucy(run->x, run->kernel, &restoring, &run->y);
    return mnp_conv_execute(run->plan, run->x, &run->y);
}

static void report(mnp_ctx *ctx, const struct arguments *a, const char *method, const double *seconds)
{
    const double per = a->iterations > 0 ? a->iterations : 1, median = seconds[a->repeats / 2] / per;
    double taps = 1, elements = 1;
    for (int d = 0; d < a->dims; d++) {
        taps *= (double)a->image * (double)a->kernel;
        elements *= (double)a->image;
    }
    mnp_rank_info *ranks = calloc((size_t)mnp_ctx_size(ctx), sizeof *ranks);
    MNP_OR_EXIT(mnp_ctx_info(ctx, ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0)
        printf(
            "maniple  %lld^%d by %lld^%d %s, %s%s, %d x %s (%s): median %.4f ms, best %.4f ms, %.2f TFLOP/s directly\n",
            (long long)a->image, a->dims, (long long)a->kernel, a->dims, mnp_dtype_name(a->dtype), method,
            a->iterations > 0 ? ", an iteration of Richardson-Lucy" : "", mnp_ctx_size(ctx), ranks[0].device,
            mnp_ctx_transport(ctx), 1e3 * median, 1e3 * seconds[0] / per, 2e-12 * taps / median);
    free(ranks);
    struct record r = {.benchmark = "conv",
                       .name = a->iterations > 0 ? "richardson-lucy" : method,
                       .seconds = median,
                       .best = seconds[0] / per,
                       .bytes = 2 * elements * (double)mnp_dtype_size(a->dtype),
                       .flops = 2 * taps};
    snprintf(r.input, sizeof r.input, "%lld^%d by %lld^%d %s%s", (long long)a->image, a->dims, (long long)a->kernel,
             a->dims, mnp_dtype_name(a->dtype), a->outer ? ", an outer product" : "");
    record(ctx, r);
}

int main(int argc, char **argv)
{
    struct arguments a = {.image = 4096, .kernel = 31, .dims = 2, .repeats = 50, .dtype = MNP_FLOAT32};
    mnp_ctx *ctx;
    mnp_conv_plan *plan;
    if (!parse(argc, argv, &a)) {
        fprintf(
            stderr,
            "usage: conv [--image N] [--dims D] [--kernel N] [--outer] [--method M] [--restore ITERATIONS] [--dtype T] "
            "[--boundary B] [--repeats N]\n");
        return 2;
    }
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    mnp_array *x = random_array(ctx, a.dims, a.image, a.dtype, 1);
    mnp_array *kernel = a.outer ? outer_product(ctx, &a) : random_array(ctx, a.dims, a.kernel, a.dtype, 2);
    mnp_conv_options options = {0};
    options.mode = MNP_CONV_SAME;
    options.boundary = a.boundary;
    options.method = a.method;
    mnp_conv_plan_info info;
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, a.dtype, mnp_array_layout(x), kernel, &options, &plan));
    mnp_conv_plan_describe(plan, &info);
    double *seconds = calloc((size_t)a.repeats, sizeof *seconds);
    struct run run = {.arguments = &a, .kernel = kernel, .plan = plan, .x = x};
    measure(ctx, run_plan, &run, a.repeats, seconds);
    mnp_array_free(run.y);
    report(ctx, &a, info.name, seconds);
    free(seconds);
    mnp_conv_plan_free(plan);
    mnp_free_all(x, kernel);
    mnp_finalize(ctx);
    return 0;
}
