/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear filters: public functions that are sums along axes (linear.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/ufunc.h>

#include "array/output.h"
#include "base/call.h"
#include "ndimage/linear.h"

/* Options for one axis: those of the call, with that axis. */
static mnp_ndimage_options along(const mnp_ndimage_options *options, const int *axis)
{
    mnp_ndimage_options one = options ? *options : (mnp_ndimage_options){.mode = MNP_NDIMAGE_DEFAULT};
    one.naxes = 1;
    one.axes = axis;
    return one;
}

static mnp_status check_origin(const char *function, int64_t count, int64_t origin)
{
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the filter has %lld elements; it should have at least 1", function,
                        (long long)count);
    if (count / 2 + origin < 0 || count / 2 + origin >= count)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the origin is %lld, which puts an element outside its window of %lld",
                        function, (long long)origin, (long long)count);
    return MNP_OK;
}

/* ---- one axis ---- */

static mnp_status correlate1d(const char *function, const mnp_array *x, int64_t count, const double *weights, int axis,
                              const mnp_ndimage_options *options, bool mirrored, mnp_array **y_p)
{
    const mnp_ndimage_options one = along(options, &axis);
    mnp__filter_axes axes;
    double *reversed = NULL;
    MNP_TRY(mnp__filter_axes_of(function, x, &one, &axes));
    int64_t origin = axes.origin[0];
    if (mirrored)
        origin = -origin - (count % 2 == 0 ? 1 : 0);
    MNP_TRY(check_origin(function, count, origin));
    mnp_status st = mirrored ? mnp__malloc((size_t)count * sizeof *reversed, &reversed) : MNP_OK;
    MNP_TRY(MNP_AGREE(x->ctx, st));
    for (int64_t j = 0; mirrored && j < count; j++)
        reversed[j] = weights[count - 1 - j];
    const mnp__axis_sum sum = {.axis = axes.axes[0],
                               .count = count,
                               .first = -(count / 2) - origin,
                               .weights = mirrored ? reversed : weights,
                               .boundary = axes.boundary[0]};
    st = mnp__axis_sums_run(function, x, 1, &sum, axes.output, one.cval, y_p);
    free(reversed);
    return st;
}

mnp_status mnp_ndimage_correlate1d(const mnp_array *x, int64_t count, const double *weights, int axis,
                                   const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, weights, y_p);
    return correlate1d(__func__, x, count, weights, axis, options, false, y_p);
}

mnp_status mnp_ndimage_convolve1d(const mnp_array *x, int64_t count, const double *weights, int axis,
                                  const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, weights, y_p);
    return correlate1d(__func__, x, count, weights, axis, options, true, y_p);
}

/* ---- means ---- */

static mnp_status uniform(const char *function, const mnp_array *x, const int64_t *size,
                          const mnp_ndimage_options *options, mnp_array **y_p)
{
    mnp__filter_axes axes;
    mnp__axis_sum sums[MNP_MAX_DIMS];
    int count = 0;
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    for (int a = 0; a < axes.count; a++) {
        const int64_t n = size ? size[a] : 3;
        MNP_TRY(check_origin(function, n, axes.origin[a]));
        if (n > 1)
            sums[count++] = (mnp__axis_sum){
                .axis = axes.axes[a], .count = n, .first = -(n / 2) - axes.origin[a], .boundary = axes.boundary[a]};
    }
    return mnp__axis_sums_run(function, x, count, sums, axes.output, axes.options->cval, y_p);
}

mnp_status mnp_ndimage_uniform_filter(const mnp_array *x, const int64_t *size, const mnp_ndimage_options *options,
                                      mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    return uniform(__func__, x, size, options, y_p);
}

mnp_status mnp_ndimage_uniform_filter1d(const mnp_array *x, int64_t size, int axis, const mnp_ndimage_options *options,
                                        mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    const mnp_ndimage_options one = along(options, &axis);
    return uniform(__func__, x, &size, &one, y_p);
}

/* ---- Gaussians ---- */

struct gaussian {
    const double *sigma;   /* for each axis */
    const int *order;      /* NULL: zeros */
    double truncate;       /* 0: 4 */
    const int64_t *radius; /* NULL: truncate * sigma */
};

/*
 * A Gaussian's derivative as weights of a correlation, from -radius to radius: polynomials times exp(-x^2 / 2 sigma^2),
 * whose coefficients follow one order from the other, as in scipy.ndimage.
 */
static void gaussian_weights(double sigma, int order, int64_t radius, double *q, double *weights)
{
    const double sigma2 = sigma * sigma;
    double sum = 0;
    memset(q, 0, 2 * ((size_t)order + 1) * sizeof *q);
    q[0] = 1;
    for (int i = 0; i < order; i++) {
        double *next = q + order + 1;
        for (int k = 0; k <= order; k++)
            next[k] = (k < order ? (k + 1) * q[k + 1] : 0) - (k > 0 ? q[k - 1] / sigma2 : 0);
        memcpy(q, next, ((size_t)order + 1) * sizeof *q);
    }
    for (int64_t j = 0; j <= 2 * radius; j++) {
        const double x = (double)(radius - j);
        weights[j] = exp(-0.5 / sigma2 * x * x);
        sum += weights[j];
    }
    for (int64_t j = 0; j <= 2 * radius; j++) {
        const double x = (double)(radius - j);
        double value = 0;
        for (int k = order; k >= 0; k--)
            value = value * x + q[k];
        weights[j] *= value / sum;
    }
}

static mnp_status gaussian_radius(const char *function, const struct gaussian *gaussian, int a, int64_t *radius_p)
{
    const double truncate = gaussian->truncate == 0 ? 4.0 : gaussian->truncate;
    const double wide = truncate * gaussian->sigma[a] + 0.5;
    if (gaussian->order && (gaussian->order[a] < 0 || gaussian->order[a] > 100))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the order along axis number %d is %d, outside 0..100", function, a,
                        gaussian->order[a]);
    if (!gaussian->radius && !(wide >= 0 && wide < 1e9))
        return MNP_FAIL(MNP_ERR_ARG, "%s: sigma is %g and truncate %g, which gives no radius of at least 0", function,
                        gaussian->sigma[a], truncate);
    *radius_p = gaussian->radius ? gaussian->radius[a] : (int64_t)wide;
    if (*radius_p < 0 || *radius_p > 1000000000)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the radius is %lld, outside 0..1000000000", function, (long long)*radius_p);
    return MNP_OK;
}

/* Filter by Gaussians along the axes, of these orders (NULL: those of the call), in place of the call's. */
static mnp_status gaussian_of_orders(const char *function, const mnp_array *x, const mnp__filter_axes *axes,
                                     const struct gaussian *gaussian, mnp_array **y_p)
{
    mnp__axis_sum sums[MNP_MAX_DIMS];
    double *weights[MNP_MAX_DIMS] = {NULL};
    double q[2 * 101];
    int count = 0;
    mnp_status st = MNP_OK;
    for (int a = 0; a < axes->count && st == MNP_OK; a++) {
        int64_t radius = 0;
        if (!(gaussian->sigma[a] > 1e-15))
            continue;
        MNP_TRY_OR(gaussian_radius(function, gaussian, a, &radius), st, done);
        MNP_TRY_OR(mnp__malloc((size_t)(2 * radius + 1) * sizeof(double), &weights[count]), st, done);
        gaussian_weights(gaussian->sigma[a], gaussian->order ? gaussian->order[a] : 0, radius, q, weights[count]);
        sums[count] = (mnp__axis_sum){.axis = axes->axes[a],
                                      .count = 2 * radius + 1,
                                      .first = -radius,
                                      .weights = weights[count],
                                      .boundary = axes->boundary[a]};
        count++;
    }
done:
    st = MNP_AGREE(x->ctx, st);
    if (st == MNP_OK)
        st = mnp__axis_sums_run(function, x, count, sums, axes->output, axes->options->cval, y_p);
    for (int a = 0; a < MNP_MAX_DIMS; a++)
        free(weights[a]);
    return st;
}

static mnp_status gaussian(const char *function, const mnp_array *x, const struct gaussian *gaussian,
                           const mnp_ndimage_options *options, mnp_array **y_p)
{
    mnp__filter_axes axes;
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    return gaussian_of_orders(function, x, &axes, gaussian, y_p);
}

mnp_status mnp_ndimage_gaussian_filter(const mnp_array *x, const double *sigma, const int *order, double truncate,
                                       const int64_t *radius, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, sigma, y_p);
    return gaussian(__func__, x, &(struct gaussian){sigma, order, truncate, radius}, options, y_p);
}

mnp_status mnp_ndimage_gaussian_filter1d(const mnp_array *x, double sigma, int axis, int order, double truncate,
                                         const int64_t *radius, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    const mnp_ndimage_options one = along(options, &axis);
    return gaussian(__func__, x, &(struct gaussian){&sigma, &order, truncate, radius}, &one, y_p);
}

/* ---- derivatives ---- */

/* A difference along one axis, smoothed along the others. */
static mnp_status smoothed_difference(const char *function, const mnp_array *x, int axis, const double *smooth,
                                      const mnp_ndimage_options *options, mnp_array **y_p)
{
    static const double difference[] = {-1, 0, 1};
    mnp__filter_axes axes;
    mnp__axis_sum sums[MNP_MAX_DIMS];
    int count = 1;
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    const int ndim = x->layout->ndim, along_axis = axis < 0 ? axis + ndim : axis;
    sums[0].axis = -1;
    for (int a = 0; a < axes.count; a++) {
        const bool differs = axes.axes[a] == along_axis;
        sums[differs ? 0 : count++] = (mnp__axis_sum){.axis = axes.axes[a],
                                                      .count = 3,
                                                      .first = -1,
                                                      .weights = differs ? difference : smooth,
                                                      .boundary = axes.boundary[a]};
        if (count == MNP_MAX_DIMS)
            break;
    }
    if (sums[0].axis < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is none of the axes of an input of %d dimensions", function, axis,
                        ndim);
    return mnp__axis_sums_run(function, x, count, sums, axes.output, axes.options->cval, y_p);
}

mnp_status mnp_ndimage_prewitt(const mnp_array *x, int axis, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    return smoothed_difference(__func__, x, axis, (const double[]){1, 1, 1}, options, y_p);
}

mnp_status mnp_ndimage_sobel(const mnp_array *x, int axis, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    return smoothed_difference(__func__, x, axis, (const double[]){1, 2, 1}, options, y_p);
}

/* What is added up over the axes. */
struct summand {
    const double *sigma; /* NULL: differences of neighbours */
    double truncate;
    const int64_t *radius;
    int order;
    bool squared;
};

static mnp_status one_summand(const char *function, const mnp_array *x, const mnp__filter_axes *axes, int a,
                              const struct summand *summand, mnp_array **term_p)
{
    static const double second[] = {1, -2, 1};
    int order[MNP_MAX_DIMS] = {0};
    const mnp__axis_sum sum = {
        .axis = axes->axes[a], .count = 3, .first = -1, .weights = second, .boundary = axes->boundary[a]};
    const struct gaussian gaussian = {summand->sigma, order, summand->truncate, summand->radius};
    order[a] = summand->order;
    mnp_array *term = NULL;
    mnp__filter_axes alike = *axes; /* SciPy's mode of an axis is that of the whole derivative along it */
    for (int b = 0; b < axes->count; b++)
        alike.boundary[b] = axes->boundary[a];
    if (summand->sigma)
        MNP_TRY(gaussian_of_orders(function, x, &alike, &gaussian, &term));
    else
        MNP_TRY(mnp__axis_sums_run(function, x, 1, &sum, axes->output, axes->options->cval, &term));
    mnp_status st = summand->squared ? mnp_multiply(term, term, &term) : MNP_OK;
    if (st == MNP_OK)
        *term_p = term;
    else
        mnp_array_free(term);
    return st;
}

static mnp_status sum_over_axes(const char *function, const mnp_array *x, const mnp_ndimage_options *options,
                                const struct summand *summand, mnp_array **y_p)
{
    mnp__filter_axes axes;
    mnp_array *sum = NULL, *root = NULL;
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    mnp_status st = one_summand(function, x, &axes, 0, summand, &sum);
    for (int a = 1; a < axes.count && st == MNP_OK; a++) {
        mnp_array *term = NULL;
        st = one_summand(function, x, &axes, a, summand, &term);
        if (st == MNP_OK)
            st = mnp_add(sum, term, &sum);
        mnp_array_free(term);
    }
    if (st == MNP_OK && summand->squared) {
        st = mnp_sqrt(sum, &root);
        mnp_array_free(sum);
        sum = NULL;
        if (st == MNP_OK)
            st = mnp_astype(root, axes.output, &sum);
        mnp_array_free(root);
    }
    return mnp__output_give(sum, st, y_p);
}

mnp_status mnp_ndimage_laplace(const mnp_array *x, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    return sum_over_axes(__func__, x, options, &(struct summand){.sigma = NULL}, y_p);
}

mnp_status mnp_ndimage_gaussian_laplace(const mnp_array *x, const double *sigma, double truncate, const int64_t *radius,
                                        const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, sigma, y_p);
    const struct summand summand = {.sigma = sigma, .truncate = truncate, .radius = radius, .order = 2};
    return sum_over_axes(__func__, x, options, &summand, y_p);
}

mnp_status mnp_ndimage_gaussian_gradient_magnitude(const mnp_array *x, const double *sigma, double truncate,
                                                   const int64_t *radius, const mnp_ndimage_options *options,
                                                   mnp_array **y_p)
{
    MNP_ENTER(x, sigma, y_p);
    const struct summand summand = {
        .sigma = sigma, .truncate = truncate, .radius = radius, .order = 1, .squared = true};
    return sum_over_axes(__func__, x, options, &summand, y_p);
}
