/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times random numbers: arrays stay on the device and are reused, a draw is made again and again.
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.
 * bench/peers/random_peers.py does the same with other libraries.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

typedef struct timed_case {
    const char *name;
    mnp_dtype dtype;
    mnp_status (*draw)(mnp_rng *rng, mnp_dtype dtype, int64_t n, mnp_array **x_p);
} draw;

/* A draw of one dimension with these parameters. */
#define DRAW(label, name, ...)                                                                                         \
    static mnp_status draw_##label(mnp_rng *rng, mnp_dtype dtype, int64_t n, mnp_array **x_p)                          \
    {                                                                                                                  \
        return mnp_random_##name(__VA_ARGS__, dtype, 1, &n, x_p);                                                      \
    }
DRAW(bits, bits, rng)
DRAW(uniform, uniform, rng, 0, 1)
DRAW(normal, normal, rng, 0, 1)
DRAW(lognormal, lognormal, rng, 0, 1)
DRAW(exponential, exponential, rng, 1)
DRAW(integers, integers, rng, 0, 1000, false)
DRAW(gamma, gamma, rng, 3, 1)
DRAW(beta, beta, rng, 2, 3)
DRAW(small_poisson, poisson, rng, 3)
DRAW(poisson, poisson, rng, 100)
DRAW(binomial, binomial, rng, 1000, 0.3)

static mnp_status draw_permutation(mnp_rng *rng, mnp_dtype dtype, int64_t n, mnp_array **x_p)
{
    (void)dtype;
    return mnp_random_choice(rng, mnp_scalar_int(mnp_array_ctx(*x_p), n), false, NULL, 1, &n, x_p);
}

static const draw cases[] = {
    {"bits", MNP_UINT32, draw_bits},
    {"uniform", MNP_FLOAT32, draw_uniform},
    {"uniform", MNP_FLOAT64, draw_uniform},
    {"normal", MNP_FLOAT32, draw_normal},
    {"normal", MNP_FLOAT64, draw_normal},
    {"lognormal", MNP_FLOAT64, draw_lognormal},
    {"exponential", MNP_FLOAT32, draw_exponential},
    {"exponential", MNP_FLOAT64, draw_exponential},
    {"integers below 1000", MNP_INT64, draw_integers},
    {"gamma of shape 3", MNP_FLOAT64, draw_gamma},
    {"beta of 2 and 3", MNP_FLOAT64, draw_beta},
    {"poisson of mean 3", MNP_INT64, draw_small_poisson},
    {"poisson of mean 100", MNP_INT64, draw_poisson},
    {"binomial of 1000, 0.3", MNP_INT64, draw_binomial},
    {"permutation", MNP_INT64, draw_permutation},
};

struct run {
    const draw *which;
    mnp_rng *rng;
    mnp_array *x;
    int64_t n;
};

static mnp_status run_draw(void *argument)
{
    struct run *run = argument;
    return run->which->draw(run->rng, run->which->dtype, run->n, &run->x);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const draw *which = one;
    const int64_t n = o->elements ? o->elements : 1 << 24;
    const int repeats = o->repeats;
    struct run run = {.which = which, .n = n};
    double *seconds = seconds_new(ctx, repeats);
    OR_EXIT(mnp_rng_new(ctx, 1, &run.rng));
    OR_EXIT(mnp_empty(ctx, which->dtype, 1, &n, &run.x));
    measure(ctx, run_draw, &run, repeats, seconds);
    mnp_array_free(run.x);
    mnp_rng_free(run.rng);
    const double median = seconds[repeats / 2], bytes = (double)n * (double)mnp_dtype_size(which->dtype);
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-22s %-8s %12" PRId64 " elements: %9.4f ms, %8.1f GB/s, %6.2f ns each\n", which->name,
               mnp_dtype_name(which->dtype), n, 1e3 * median, bytes / median / 1e9, 1e9 * median / (double)n);
    record(ctx, record_of("random", which->name, n, mnp_dtype_name(which->dtype), seconds, repeats, bytes));
    free(seconds);
}

const benchmark random_benchmark = {.name = "random",
                                    .help = "random numbers of many distributions",
                                    .repeats = 20,
                                    BENCH_CASES(cases),
                                    .time_case = time_case};
