/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution plans: executed many times, with outputs that are reused; and refused for invalid arguments.
 */
#include <config.h>

#include <maniple.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "tests/tap.h"

enum { N = 40, K = 5 };

static mnp_ctx *ctx;
static const int64_t shape[] = {N, N}, small[] = {K, K};

static mnp_array *numbers(mnp_dtype dtype, const int64_t *extent, int seed)
{
    double values[N * N];
    mnp_array *exact = NULL, *result = NULL;
    for (int64_t i = 0; i < extent[0] * extent[1]; i++)
        values[i] = (double)((i * 31 + seed) % 17);
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT64, 2, extent, values, &exact));
    MNP_OR_EXIT(mnp_astype(exact, dtype, &result));
    mnp_array_free(exact);
    return result;
}

/* The definition itself, mode same and wrapped borders. */
static bool is_right(const double *x, const double *kernel, const double *y)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int p = 0; p < K; p++)
                for (int q = 0; q < K; q++)
                    sum += kernel[p * K + q] * x[(i + K / 2 - p + N) % N * N + (j + K / 2 - q + N) % N];
            if (sum != y[i * N + j]) /* small integers: exact */
                return false;
        }
    return true;
}

static void check_reuse(void)
{
    mnp_array *kernel = numbers(MNP_FLOAT64, small, 3), *y = NULL, *first;
    mnp_conv_options options = {0};
    mnp_conv_plan *plan = NULL;
    double x_values[N * N], y_values[N * N], kernel_values[K * K];
    options.mode = MNP_CONV_SAME;
    options.boundary = MNP_BOUNDARY_WRAP;
    MNP_OR_EXIT(mnp_array_to_host(kernel, MNP_ALL_RANKS, kernel_values));
    bool right = true;
    for (int round = 0; round < 5; round++) {
        mnp_array *x = numbers(MNP_FLOAT64, shape, round);
        if (!plan)
            MNP_OR_EXIT(mnp_conv_plan_new(ctx, MNP_FLOAT64, mnp_array_layout(x), kernel, &options, &plan));
        first = y;
        MNP_OR_EXIT(mnp_conv_execute(plan, x, &y));
        MNP_OR_EXIT(mnp_array_to_host(x, MNP_ALL_RANKS, x_values));
        MNP_OR_EXIT(mnp_array_to_host(y, MNP_ALL_RANKS, y_values));
        right = right && (round == 0 || y == first) && is_right(x_values, kernel_values, y_values);
        mnp_array_free(x);
    }
    ok(right, "a plan serves one input after another, into the same output");
    mnp_conv_plan_free(plan);
    mnp_free_all(kernel, y);
}

static void refused(mnp_status status, const void *output, const char *words)
{
    ok(status == MNP_ERR_ARG && !output && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

static void check_mistakes(void)
{
    mnp_array *x = numbers(MNP_FLOAT32, shape, 1), *wide = numbers(MNP_FLOAT64, shape, 1), *y = NULL;
    mnp_array *kernel = numbers(MNP_FLOAT32, small, 2), *nan_kernel = NULL, *bytes = numbers(MNP_UINT8, shape, 1);
    const float nan_value = NAN;
    const mnp_layout *layout = mnp_array_layout(x);
    mnp_conv_options options = {0};
    mnp_conv_plan *plan = NULL;
    mnp_layout *other;
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT32, 2, small, &nan_value, &nan_kernel));
    refused(mnp_conv_plan_new(ctx, (mnp_dtype)4000, layout, kernel, NULL, &plan), plan, "4000 is not a dtype");
    refused(mnp_conv_plan_new(ctx, MNP_DTYPE_AUTO, layout, kernel, NULL, &plan), plan, "0 is not a dtype");
    MNP_OR_EXIT(mnp_layout_block(64, 2, shape, &other));
    refused(mnp_conv_plan_new(ctx, MNP_FLOAT32, other, kernel, NULL, &plan), plan, "64 ranks");
    mnp_layout_free(other);
    refused(mnp_convolve(x, nan_kernel, NULL, &y), y, "NaN");
    options.naxes = 2;
    refused(mnp_convolve(x, kernel, &options, &y), y, "axes is NULL");
    options.axes = (const int[]){0, 0};
    refused(mnp_convolve(x, kernel, &options, &y), y, "given twice");
    options.axes = (const int[]){0, 2};
    refused(mnp_convolve(x, kernel, &options, &y), y, "axis 2 is outside");
    options = (mnp_conv_options){0};
    options.mode = (mnp_conv_mode)9;
    refused(mnp_convolve(x, kernel, &options, &y), y, "9 is not a mode");
    options = (mnp_conv_options){0};
    options.fillvalue = 1e300;
    refused(mnp_convolve(x, kernel, &options, &y), y, "float32 cannot hold");
    options.fillvalue = 0.5;
    refused(mnp_convolve(bytes, kernel, &options, &y), y, "uint8 cannot hold");
    options.boundary = MNP_BOUNDARY_WRAP;
    ok(mnp_convolve(bytes, kernel, &options, &y) == MNP_OK && y, "a fill value that is not used may be any");

    options.mode = MNP_CONV_SAME;
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, MNP_FLOAT32, layout, kernel, &options, &plan));
    mnp_array *none = NULL, *itself = x;
    refused(mnp_conv_execute(plan, wide, &none), none, "float64");
    refused(mnp_conv_execute(plan, y, &none), none, "another shape");
    ok(mnp_conv_execute(plan, x, &itself) == MNP_ERR_ARG && itself == x, "refused: %s", mnp_error_message());
    ok(mnp_conv_execute(plan, x, &wide) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_conv_execute(plan, x, &none) == MNP_OK && none, "and the plan still works");
    mnp_conv_plan_free(plan);
    mnp_free_all(x, wide, y, kernel, nan_kernel, bytes, none);
}

/* ---- copies ---- */

static const mnp__device_ops *plain;
static size_t copied; /* bytes, by the device's operation for copies, by which those to and from the CPU go */

static mnp_status count_copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    copied += size;
    return plain->copy(device, dst, src, size, stream);
}

/* Simulated GPUs could copy to the memory of the CPU by kernels. */
static mnp_status reaches_nothing(mnp__device *device, const void *pointer, bool *reaches_p)
{
    (void)device;
    (void)pointer;
    *reaches_p = false;
    return MNP_OK;
}

/* Plan, where every rank has the kernel already; *info_p receives the plan's choices.  Returns the bytes copied. */
static size_t copied_for(int ndim, const int64_t *extent, const int64_t *taps, mnp_conv_method method,
                         mnp_conv_plan_info *info_p)
{
    mnp_array *x = NULL, *kernel = NULL, *replica = NULL;
    mnp_layout *layout;
    mnp_conv_options options = {.method = method, .correlate = ndim > 1};
    mnp_conv_plan *plan = NULL;
    mnp_conv_method chosen = MNP_CONV_AUTO;
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT32, ndim, extent, &x));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT32, ndim, taps, &kernel));
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), ndim, taps, &layout));
    MNP_OR_EXIT(mnp_redistribute(kernel, layout, &replica));
    mnp__device_ops counting = *ctx->device->ops;
    plain = ctx->device->ops;
    counting.copy = count_copy;
    counting.reaches = reaches_nothing;
    ctx->device->ops = &counting;
    copied = 0;
    MNP_OR_EXIT(mnp_choose_conv_method(x, replica, &options, &chosen));
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, MNP_FLOAT32, mnp_array_layout(x), replica, &options, &plan));
    ctx->device->ops = plain;
    mnp_conv_plan_describe(plan, info_p);
    ok(chosen == info_p->method, "the method that is chosen is the plan's, %s", info_p->name);
    mnp_conv_plan_free(plan);
    mnp_layout_free(layout);
    mnp_free_all(x, kernel, replica);
    return copied;
}

/* The CPU does not read a kernel that transforms use.  Transforms over several ranks copy to redistribute. */
static void check_copies(void)
{
    static const mnp_conv_method methods[] = {MNP_CONV_AUTO, MNP_CONV_TRANSFORMS, MNP_CONV_FFT, MNP_CONV_OVERLAP_ADD};
    const int64_t line[] = {300000}, plane[] = {300, 310}, taps[] = {257, 301};
    const size_t few = 10000;
    mnp_conv_plan_info info;
    for (int i = 0; i < 4; i++) {
        size_t bytes = copied_for(1, line, line, methods[i], &info);
        const bool alone = mnp_ctx_size(ctx) == 1 || info.method == MNP_CONV_OVERLAP_ADD;
        ok(info.method == MNP_CONV_FFT || info.method == MNP_CONV_OVERLAP_ADD, "a line of many taps takes %s",
           info.name);
        ok(info.seconds[MNP_CONV_SEPARABLE] < 0, "and no outer product is looked for");
        ok(!alone || bytes < few, "its plan copies %zu bytes", bytes);
    }
    size_t bytes = copied_for(2, plane, taps, MNP_CONV_OVERLAP_ADD, &info);
    ok(bytes < few, "the plan of planes by blocks copies %zu bytes", bytes);
    bytes = copied_for(2, plane, taps, MNP_CONV_SEPARABLE, &info);
    ok(bytes >= sizeof(float) * 257 * 301 || ctx->device->cpu_memory, "that of separable passes copies the kernel");
}

/* A debug build detects that the ranks' arguments differ. */
static void check_disagreement(void)
{
#ifdef MNP_DEBUG
    mnp_array *x = numbers(MNP_FLOAT32, shape, 1), *kernel = numbers(MNP_FLOAT32, small, 2), *y = NULL;
    mnp_conv_options options = {0};
    bool alone = mnp_ctx_size(ctx) == 1;
    options.boundary = mnp_ctx_rank(ctx) == 0 ? MNP_BOUNDARY_WRAP : MNP_BOUNDARY_SYMM;
    mnp_status st = mnp_convolve(x, kernel, &options, &y);
    ok(alone ? st == MNP_OK : st == MNP_ERR_ARG && !y && strstr(mnp_error_message(), "same arguments"),
       "ranks that ask for different convolutions are told");
    mnp_free_all(y);
    y = NULL;
    st = mnp_zeros(ctx, MNP_INT8, 1, (int64_t[]){10 + mnp_ctx_rank(ctx)}, &y);
    ok(alone ? st == MNP_OK : st == MNP_ERR_ARG && !y, "and so are ranks that make different arrays");
    mnp_free_all(x, kernel, y);
#else
    skip("ranks that disagree are told", "only a debug build asks");
#endif
}

int main(void)
{
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    check_reuse();
    check_mistakes();
    check_copies();
    check_disagreement();
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
