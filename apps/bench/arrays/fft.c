/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times Fourier transforms by a plan, in natural order and permuted (MNP_FFT_PERMUTED), of arrays that are cut along
 * their first dimension.
 *
 *   cube, cube-single        fftn of a cube of complex128, complex64; 256 each way unless told
 *   square, square-single    fft2 of a square; 4096 each way
 *   line, line-single        fft of one line of complex128, complex64; 2^22 points
 *   cube-real                rfftn of a cube of float64
 *   cube-real-single         the same of float32
 *   cube-inverse             ifftn of a cube of complex64
 *   cube-real-inverse        irfftn of the spectrum of a cube of float32
 *   axis-0, axis-1           fft of 16384 x 4096 complex64 along one axis
 *   axis-0-inverse           ifft of it
 *   axis-0-any               fft of 3000 x 5000 complex64 along its columns: lengths that are no powers of two
 *   outer, middle            fft of a cube of complex64 along its first or second axis
 *   outer-real, middle-real  rfft of a cube of float32
 *   middle-real-inverse      irfft along its second axis, to float32
 *
 * N is the elements of the array, or of the real one.  Complex transforms of all axes are also timed there and back,
 * with the permuted order between the two.  A time is the median of repeats, each between two events of the device, of
 * the slowest rank, and the best one; GFLOP/s count 5 n log2(n) for n points, half of it for real ones.
 * bench/peers/fft_fftw.c, fft_peers.py and, on several GPUs, fft_spread_peers.py time the same with peers.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct transform {
    const char *name;
    mnp_dtype dtype; /* of the input */
    int ndim;
    int64_t shape[3];
    int axis; /* the one that is transformed; -1: all */
    bool real, inverse;
};

#define CUBE                                                                                                           \
    3,                                                                                                                 \
    {                                                                                                                  \
        256, 256, 256                                                                                                  \
    }
#define LONG                                                                                                           \
    2,                                                                                                                 \
    {                                                                                                                  \
        16384, 4096                                                                                                    \
    }
static const struct transform cases[] = {
    {"cube", MNP_COMPLEX128, CUBE, -1, false, false},
    {"cube-single", MNP_COMPLEX64, CUBE, -1, false, false},
    {"square", MNP_COMPLEX128, 2, {4096, 4096}, -1, false, false},
    {"square-single", MNP_COMPLEX64, 2, {4096, 4096}, -1, false, false},
    {"line", MNP_COMPLEX128, 1, {1 << 22}, -1, false, false},
    {"line-single", MNP_COMPLEX64, 1, {1 << 22}, -1, false, false},
    {"cube-real", MNP_FLOAT64, CUBE, -1, true, false},
    {"cube-real-single", MNP_FLOAT32, CUBE, -1, true, false},
    {"cube-inverse", MNP_COMPLEX64, CUBE, -1, false, true},
    {"cube-real-inverse", MNP_COMPLEX64, CUBE, -1, true, true},
    {"axis-0", MNP_COMPLEX64, LONG, 0, false, false},
    {"axis-1", MNP_COMPLEX64, LONG, 1, false, false},
    {"axis-0-inverse", MNP_COMPLEX64, LONG, 0, false, true},
    {"axis-0-any", MNP_COMPLEX64, 2, {3000, 5000}, 0, false, false},
    {"outer", MNP_COMPLEX64, CUBE, 0, false, false},
    {"middle", MNP_COMPLEX64, CUBE, 1, false, false},
    {"outer-real", MNP_FLOAT32, CUBE, 0, true, false},
    {"middle-real", MNP_FLOAT32, CUBE, 1, true, false},
    {"middle-real-inverse", MNP_COMPLEX64, CUBE, 1, true, true},
};

struct run {
    mnp_fft_plan *plan, *back;
    const mnp_array *x;
    mnp_array *y, *again;
};

static mnp_status execute(void *argument)
{
    struct run *run = argument;
    return mnp_fft_plan_execute(run->plan, run->x, &run->y);
}

static mnp_status there_and_back(void *argument)
{
    struct run *run = argument;
    MNP_TRY(mnp_fft_plan_execute(run->plan, run->x, &run->y));
    return mnp_fft_plan_execute(run->back, run->y, &run->again);
}

/* Time what a run does, and report it with the words for the order of its results. */
static void report(mnp_ctx *ctx, const struct transform *c, mnp_status (*call)(void *), struct run *run, double points,
                   double flops, const char *way, int repeats)
{
    double *seconds = seconds_new(ctx, repeats);
    char library[64] = "Maniple";
    measure(ctx, call, run, repeats, seconds);
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-20s %-24s %9.3f ms, best %9.3f ms %8.2f GFLOP/s\n", c->name, way, 1e3 * seconds[repeats / 2],
               1e3 * seconds[0], 1e-9 * flops / seconds[repeats / 2]);
    struct record r = record_of("fft", c->name, (int64_t)points, mnp_dtype_name(c->dtype), seconds, repeats, 0);
    if (strcmp(way, "natural order") != 0)
        snprintf(library, sizeof library, "Maniple, %s", way);
    r.flops = flops;
    r.library = library;
    record(ctx, r);
    free(seconds);
}

static void time_plan(mnp_ctx *ctx, const struct transform *c, const mnp_array *x, double points, double longest,
                      bool permuted, int repeats)
{
    const mnp_fft_options options = {.real = c->real,
                                     .inverse = c->inverse,
                                     .naxes = c->axis < 0 ? 0 : 1,
                                     .axes = c->axis < 0 ? NULL : &c->axis,
                                     .flags = permuted ? MNP_FFT_PERMUTED : 0};
    const double flops = (c->real ? 2.5 : 5) * points * log2(longest);
    struct run run = {.x = x};
    OR_EXIT(mnp_fft_plan_new(ctx, c->dtype, mnp_array_layout(x), &options, &run.plan));
    if (mnp_ctx_size(ctx) > 1)
        mnp_fft_plan_print(run.plan, stdout);
    report(ctx, c, execute, &run, points, flops, permuted ? "permuted" : "natural order", repeats);
    if (permuted && c->axis < 0 && !c->real) {
        mnp_fft_options inverse = options;
        inverse.inverse = !options.inverse;
        OR_EXIT(mnp_fft_plan_new(ctx, c->dtype, mnp_array_layout(run.y), &inverse, &run.back));
        report(ctx, c, there_and_back, &run, points, 2 * flops, "permuted, there and back", repeats);
        mnp_fft_plan_free(run.back);
        mnp_array_free(run.again);
    }
    mnp_fft_plan_free(run.plan);
    mnp_array_free(run.y);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct transform *c = one;
    const int last = c->axis < 0 ? c->ndim - 1 : c->axis; /* which is halved on the complex side of real ones */
    int64_t shape[] = {c->shape[0], c->shape[1], c->shape[2]};
    double given = 1, points = 1;
    for (int d = 0; d < c->ndim; d++)
        given *= (double)shape[d];
    for (int d = 0; d < c->ndim; d++) {
        if (o->elements > 0)
            shape[d] = llround((double)shape[d] * pow((double)o->elements / given, 1.0 / c->ndim));
        points *= (double)shape[d];
    }
    const double longest = c->axis < 0 ? points : (double)shape[c->axis]; /* of one transform */
    if (c->real && c->inverse)
        shape[last] = shape[last] / 2 + 1;
    const int mesh[] = {mnp_ctx_size(ctx)}, axes[] = {0, -1, -1};
    mnp_layout *layout;
    mnp_array *x = NULL, *wide = NULL;
    mnp_rng *rng;
    OR_EXIT(mnp_layout_new(1, mesh, c->ndim, shape, axes, NULL, &layout));
    OR_EXIT(mnp_array_new(ctx, c->dtype, layout, &x));
    OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, c->ndim, shape, &wide));
    mnp_rng_free(rng);
    OR_EXIT(mnp_copyto(x, wide, MNP_CASTING_UNSAFE));
    mnp_array_free(wide);
    time_plan(ctx, c, x, points, longest, false, o->repeats);
    if (c->ndim > 1)
        time_plan(ctx, c, x, points, longest, true, o->repeats);
    mnp_array_free(x);
    mnp_layout_free(layout);
}

const benchmark fft_benchmark = {.name = "fft",
                                 .help = "Fourier transforms by a plan, in natural order and permuted",
                                 .repeats = 50,
                                 BENCH_CASES(cases),
                                 .time_case = time_case};
