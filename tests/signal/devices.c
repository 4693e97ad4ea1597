/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same convolutions on the GPU and on the host: equal to rounding for floats, equal for integers.  Other
 * methods on the GPU are compared with direct sums on the host.
 */
#include <maniple.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

struct problem {
    int ndim;
    int64_t shape[4];
    int kernel_ndim;
    int64_t kernel_shape[4];
    int naxes;
    int axes[4];
};

static const struct problem problems[] = {
    {1, {5000}, 1, {77}, 0, {0}},
    {2, {211, 307}, 2, {31, 31}, 0, {0}},
    {2, {40, 500}, 2, {6, 99}, 0, {0}},
    {2, {300, 90}, 1, {9}, 1, {0}},
    {3, {61, 83, 3}, 2, {5, 4}, 2, {0, 1}},
    {3, {13, 17, 40}, 3, {3, 4, 5}, 0, {0}},
    {4, {3, 9, 21, 33}, 3, {2, 5, 7}, 0, {0}},
    {2, {2, 3}, 2, {7, 8}, 0, {0}},
};

static int64_t product(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= shape[d];
    return size;
}

/* Small integers: sums of them are exact in every type, so that integer results can be compared bit by bit. */
static mnp_array *numbers(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int seed)
{
    int64_t size = product(ndim, shape);
    double *values = malloc(((size_t)size + 1) * sizeof *values);
    mnp_array *exact = NULL, *result = NULL;
    for (int64_t i = 0; i < size; i++)
        values[i] =
            (double)((i * 7919 + seed) % 23) / (mnp_dtype_kind(dtype) == 'f' || mnp_dtype_kind(dtype) == 'c' ? 7 : 1);
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT64, ndim, shape, values, &exact));
    MNP_OR_EXIT(mnp_astype(exact, dtype, &result));
    mnp_array_free(exact);
    free(values);
    return result;
}

/* The convolution on one device, as float64 (real and imaginary parts) on every rank; *count_p numbers. */
static double *convolve(mnp_ctx *ctx, const struct problem *problem, mnp_dtype dtype, mnp_conv_options options,
                        bool ones, int64_t *count_p)
{
    mnp_array *x = numbers(ctx, dtype, problem->ndim, problem->shape, 1), *y = NULL, *wide = NULL;
    mnp_array *kernel = NULL;
    if (ones)
        MNP_OR_EXIT(mnp_ones(ctx, dtype, problem->kernel_ndim, problem->kernel_shape, &kernel));
    else
        kernel = numbers(ctx, dtype, problem->kernel_ndim, problem->kernel_shape, 5);
    options.naxes = problem->naxes;
    options.axes = problem->axes;
    MNP_OR_EXIT(mnp_convolve(x, kernel, &options, &y));
    MNP_OR_EXIT(mnp_astype(y, MNP_COMPLEX128, &wide));
    *count_p = 2 * product(mnp_array_ndim(y), mnp_array_shape(y));
    double *values = malloc((size_t)*count_p * sizeof *values + 1);
    MNP_OR_EXIT(mnp_array_to_host(wide, MNP_ALL_RANKS, values));
    mnp_free_all(x, kernel, y, wide);
    return values;
}

static void compare(mnp_ctx *cuda, mnp_ctx *host, const struct problem *problem, mnp_dtype dtype,
                    mnp_conv_options options)
{
    int64_t count, host_count;
    const bool ones = options.method == MNP_CONV_SEPARABLE, transforms = options.method > MNP_CONV_SEPARABLE;
    const mnp_conv_method method = options.method;
    double *a = convolve(cuda, problem, dtype, options, ones, &count);
    options.method = MNP_CONV_DIRECT;
    double *b = convolve(host, problem, dtype, options, ones, &host_count);
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < count && count == host_count; i++) {
        largest = fmax(largest, fabs(b[i]));
        double error = fabs(a[i] - b[i]);
        worst = isnan(error) || error > worst ? error : worst;
    }
    /*
     * Sums of n terms of one sign: each device is within n / 2 roundings of the right one, in practice far closer where
     * both add in the same order; the passes of a separable kernel add in another.
     */
    const double terms = (double)product(problem->kernel_ndim, problem->kernel_shape);
    bool single = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64 || options.dtype == MNP_FLOAT32;
    double bound = mnp_dtype_kind(options.dtype) == 'u' ? 0 : largest * (single ? 3e-6 : 1e-14);
    if (ones && !single && bound > 0)
        bound = terms * DBL_EPSILON * largest;
    if (transforms) /* norms of kernel and window are at most some ten times the largest sum: no term is negative */
        bound = (single ? 3e-6 : 1e-14) * 100 * (largest + 1);
    ok(count == host_count && worst <= bound, "%d dimensions, %s, mode %d, boundary %d, method %d: apart by %g of %g",
       problem->ndim, mnp_dtype_name(dtype), (int)options.mode, (int)options.boundary, (int)method, worst, largest);
    free(a);
    free(b);
}

int main(void)
{
    static const mnp_dtype dtypes[] = {MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_UINT8};
    mnp_ctx *cuda, *host;
    MPI_Init(NULL, NULL);
    if (mnp_init(MPI_COMM_WORLD, "device=cuda", &cuda) != MNP_OK) {
        int status = skip_all(mnp_error_message());
        MPI_Finalize();
        return status;
    }
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "device=host", &host));
    int turn = 0;
    for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
        for (int boundary = MNP_BOUNDARY_FILL; boundary <= MNP_BOUNDARY_NEAREST; boundary++, turn++) {
            mnp_conv_options options = {0};
            options.mode = (mnp_conv_mode)(turn % 3);
            options.boundary = (mnp_boundary)boundary;
            options.method = MNP_CONV_DIRECT;
            mnp_dtype dtype = dtypes[turn % 4];
            if (dtype == MNP_UINT8)
                options.dtype = turn % 8 < 4 ? MNP_UINT16 : MNP_FLOAT32;
            compare(cuda, host, &problems[p], dtype, options);
            if (dtype == MNP_UINT8)
                continue;
            options.method = (mnp_conv_method)(MNP_CONV_SEPARABLE + turn % 3);
            compare(cuda, host, &problems[p], dtype, options);
            options.method = MNP_CONV_OVERLAP_ADD;
            compare(cuda, host, &problems[p], dtype, options);
        }
    int status = done_testing();
    mnp_finalize(host);
    mnp_finalize(cuda);
    MPI_Finalize();
    return status;
}
