/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times Fourier transforms by a plan, in natural order and permuted (MNP_FFT_PERMUTED), of arrays that are cut along
 * their first dimension.
 *
 *   mpirun -n RANKS bench/fft [--case NAME] [--elements N] [--repeats N]
 *
 *   cube, cube-single        fftn of a cube of complex128, complex64; 256 each way unless told
 *   square, square-single    fft2 of a square; 4096 each way
 *   line                     fft of one line of complex128; 2^22 points
 *   cube-real                rfftn of a cube of float64
 *   cube-real-single         the same of float32
 *   axis-0, axis-1           fft of 16384 x 4096 complex64 along one axis
 *
 * N is the elements of the array.  A time is the median of repeats, each between two events of the device, of the
 * slowest rank, and the best one; GFLOP/s count 5 n log2(n) for n points, half of it for real ones.
 * bench/peers/fft_fftw.c and bench/peers/fft_peers.py time the same with peers.
 */
#include <math.h>

#include "measure.h"

struct transform {
    const char *name;
    mnp_dtype dtype;
    int ndim;
    int64_t extent;
    bool real;
    int axis; /* the one that is transformed, and the array is four times as long as wide; -1: all, of equal extents */
};

static const struct transform cases[] = {
    {"cube", MNP_COMPLEX128, 3, 256, false, -1},         {"cube-single", MNP_COMPLEX64, 3, 256, false, -1},
    {"square", MNP_COMPLEX128, 2, 4096, false, -1},      {"square-single", MNP_COMPLEX64, 2, 4096, false, -1},
    {"line", MNP_COMPLEX128, 1, 1 << 22, false, -1},     {"cube-real", MNP_FLOAT64, 3, 256, true, -1},
    {"cube-real-single", MNP_FLOAT32, 3, 256, true, -1}, {"axis-0", MNP_COMPLEX64, 2, 8192, false, 0},
    {"axis-1", MNP_COMPLEX64, 2, 8192, false, 1},
};

struct run {
    mnp_fft_plan *plan;
    const mnp_array *x;
    mnp_array *y;
};

static mnp_status execute(void *argument)
{
    struct run *run = argument;
    return mnp_fft_plan_execute(run->plan, run->x, &run->y);
}

static void time_plan(mnp_ctx *ctx, const struct transform *c, const mnp_array *x, bool permuted, int repeats)
{
    const mnp_fft_options options = {.real = c->real,
                                     .naxes = c->axis < 0 ? 0 : 1,
                                     .axes = c->axis < 0 ? NULL : &c->axis,
                                     .flags = permuted ? MNP_FFT_PERMUTED : 0};
    const char *way = permuted ? "permuted" : "natural order";
    const double points = (double)mnp_layout_size(mnp_array_layout(x));
    const double longest =
        c->axis < 0 ? points : (double)mnp_layout_shape(mnp_array_layout(x))[c->axis]; /* of one transform */
    const double flops = (c->real ? 2.5 : 5) * points * log2(longest);
    double *seconds = malloc((size_t)repeats * sizeof *seconds);
    struct run run = {.x = x};
    MNP_OR_EXIT(mnp_fft_plan_new(ctx, c->dtype, mnp_array_layout(x), &options, &run.plan));
    mnp_fft_plan_print(run.plan, stdout);
    measure(ctx, execute, &run, repeats, seconds);
    if (mnp_ctx_rank(ctx) == 0)
        printf("%-16s %-14s %9.3f ms, best %9.3f ms %8.2f GFLOP/s\n", c->name, way, 1e3 * seconds[repeats / 2],
               1e3 * seconds[0], 1e-9 * flops / seconds[repeats / 2]);
    struct record r = record_of("fft", c->name, (int64_t)points, mnp_dtype_name(c->dtype), seconds, repeats, 0);
    r.flops = flops;
    r.library = permuted ? "Maniple, permuted" : "Maniple";
    record(ctx, r);
    mnp_fft_plan_free(run.plan);
    mnp_array_free(run.y);
    free(seconds);
}

static void time_case(mnp_ctx *ctx, const void *one, int64_t elements, int repeats)
{
    const struct transform *c = one;
    const int64_t n = elements > 0 ? llround(pow((double)elements, 1.0 / c->ndim)) : c->extent,
                  shape[] = {c->axis < 0 ? n : 2 * n, c->axis < 0 ? n : n / 2, n};
    const int mesh[] = {mnp_ctx_size(ctx)}, axes[] = {0, -1, -1};
    mnp_layout *layout;
    mnp_array *x = NULL, *wide = NULL;
    mnp_rng *rng;
    MNP_OR_EXIT(mnp_layout_new(1, mesh, c->ndim, shape, axes, NULL, &layout));
    MNP_OR_EXIT(mnp_array_new(ctx, c->dtype, layout, &x));
    MNP_OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, c->ndim, shape, &wide));
    mnp_rng_free(rng);
    MNP_OR_EXIT(mnp_copyto(x, wide, MNP_CASTING_UNSAFE));
    mnp_array_free(wide);
    time_plan(ctx, c, x, false, repeats);
    if (c->ndim > 1)
        time_plan(ctx, c, x, true, repeats);
    mnp_array_free(x);
    mnp_layout_free(layout);
}

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, cases, time_case);
}
