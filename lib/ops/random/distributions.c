/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributions: arguments are checked, and the constants for the samplers of kernels/random/random_draws.h computed.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/value.h"
#include "ops/random/random.h"

/* ---- arguments ---- */

/* The dtype, or the default; its kind must be among `kinds`. */
static mnp_status choose_dtype(mnp__draw *draw, mnp_dtype dtype, mnp_dtype otherwise, const char *kinds,
                               const char *words)
{
    draw->dtype = dtype == MNP_DTYPE_AUTO ? otherwise : dtype;
    if (mnp_dtype_size(draw->dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a dtype", draw->function, (int)dtype);
    if (!strchr(kinds, mnp_dtype_kind(draw->dtype)))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the dtype is %s, and must be %s", draw->function, mnp_dtype_name(dtype),
                        words);
    return MNP_OK;
}

static mnp_status begin(const char *function, const mnp_rng *rng, int ndim, const int64_t *shape, mnp__draw *draw)
{
    *draw = (mnp__draw){.function = function, .ndim = ndim, .shape = shape};
    return mnp__random_check(function, rng, NULL);
}

static mnp_status begin_real(const char *function, const mnp_rng *rng, mnp_dtype dtype, int ndim, const int64_t *shape,
                             mnp__draw *draw)
{
    MNP_TRY(begin(function, rng, ndim, shape, draw));
    return choose_dtype(draw, dtype, MNP_FLOAT64, "f", "a real float");
}

static mnp_status begin_count(const char *function, const mnp_rng *rng, mnp_dtype dtype, int ndim, const int64_t *shape,
                              mnp__draw *draw)
{
    MNP_TRY(begin(function, rng, ndim, shape, draw));
    return choose_dtype(draw, dtype, MNP_INT64, "iu", "an integer");
}

static mnp_status check_not_negative(const char *function, const char *name, double value)
{
    if (value >= 0)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %g, and must not be %s", function, name, value,
                    isnan(value) ? "NaN" : "negative");
}

/* ---- integers ---- */

mnp_status mnp_random_bits(mnp_rng *rng, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin("mnp_random_bits", rng, ndim, shape, &draw));
    MNP_TRY(choose_dtype(&draw, dtype, MNP_UINT64, "iu", "an integer"));
    draw.sampler = "mnp_draw_bits";
    return mnp__random_draw(rng, &draw, out_p);
}

mnp_status mnp_random_integers(mnp_rng *rng, int64_t low, int64_t high, bool endpoint, mnp_dtype dtype, int ndim,
                               const int64_t *shape, mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    static const char function[] = "mnp_random_integers";
    mnp__draw draw;
    MNP_TRY(begin(function, rng, ndim, shape, &draw));
    MNP_TRY(choose_dtype(&draw, dtype, MNP_INT64, "biu", "bool or an integer"));
    if (endpoint ? low > high : low >= high)
        return MNP_FAIL(MNP_ERR_ARG, "%s: low is %" PRId64 ", and must be %s high, which is %" PRId64, function, low,
                        endpoint ? "at most" : "less than", high);
    const int64_t highest = endpoint ? high : high - 1;
    if (!mnp__int_fits(low, draw.dtype) || !mnp__int_fits(highest, draw.dtype))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %" PRId64 ", out of bounds for %s", function,
                        mnp__int_fits(low, draw.dtype) ? "high" : "low", mnp__int_fits(low, draw.dtype) ? high : low,
                        mnp_dtype_name(draw.dtype));
    const uint64_t count = (uint64_t)highest - (uint64_t)low + 1; /* 0: all of 64 bits */
    const bool narrow = count - 1 < UINT64_C(1) << 32;
    draw.sampler = narrow ? "mnp_draw_integers" : "mnp_draw_wide_integers";
    draw.params.whole[0] = count;
    draw.params.whole[1] = narrow ? (UINT64_C(1) << 32) % count : count == 0 ? 0 : (0 - count) % count;
    memcpy(&draw.params.real[0], &low, sizeof low);
    return mnp__random_draw(rng, &draw, out_p);
}

/* ---- floats ---- */

mnp_status mnp_random_uniform(mnp_rng *rng, double low, double high, mnp_dtype dtype, int ndim, const int64_t *shape,
                              mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    static const char function[] = "mnp_random_uniform";
    mnp__draw draw;
    MNP_TRY(begin_real(function, rng, dtype, ndim, shape, &draw));
    if (!isfinite(high - low))
        return MNP_FAIL(MNP_ERR_ARG, "%s: from %g to %g is not a finite range", function, low, high);
    if (high < low)
        return MNP_FAIL(MNP_ERR_ARG, "%s: low is %g, and must not be above high, which is %g", function, low, high);
    draw.sampler = low == 0 && high == 1 ? "mnp_draw_unit" : "mnp_draw_uniform";
    draw.params.real[0] = low;
    draw.params.real[1] = high - low;
    return mnp__random_draw(rng, &draw, out_p);
}

mnp_status mnp_random_normal(mnp_rng *rng, double mean, double std, mnp_dtype dtype, int ndim, const int64_t *shape,
                             mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    static const char function[] = "mnp_random_normal";
    mnp__draw draw;
    MNP_TRY(begin(function, rng, ndim, shape, &draw));
    MNP_TRY(choose_dtype(&draw, dtype, MNP_FLOAT64, "fc", "a float or complex"));
    MNP_TRY(check_not_negative(function, "the standard deviation", std));
    draw.sampler = "mnp_draw_normal";
    draw.params.real[0] = mean;
    draw.params.real[1] = mnp_dtype_kind(draw.dtype) == 'c' ? std * sqrt(0.5) : std;
    return mnp__random_draw(rng, &draw, out_p);
}

mnp_status mnp_random_lognormal(mnp_rng *rng, double mean, double sigma, mnp_dtype dtype, int ndim,
                                const int64_t *shape, mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin_real("mnp_random_lognormal", rng, dtype, ndim, shape, &draw));
    MNP_TRY(check_not_negative(draw.function, "sigma", sigma));
    draw.sampler = "mnp_draw_lognormal";
    draw.params.real[0] = mean;
    draw.params.real[1] = sigma;
    return mnp__random_draw(rng, &draw, out_p);
}

mnp_status mnp_random_exponential(mnp_rng *rng, double scale, mnp_dtype dtype, int ndim, const int64_t *shape,
                                  mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin_real("mnp_random_exponential", rng, dtype, ndim, shape, &draw));
    MNP_TRY(check_not_negative(draw.function, "the scale", scale));
    draw.sampler = "mnp_draw_exponential";
    draw.params.real[0] = scale;
    return mnp__random_draw(rng, &draw, out_p);
}

/* Constants of Marsaglia's and Tsang's method; a shape below 1 comes from that plus 1. */
static void prepare_gamma(double shape, double *d, double *c)
{
    *d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
    *c = 1 / sqrt(9 * *d);
}

mnp_status mnp_random_gamma(mnp_rng *rng, double shape_parameter, double scale, mnp_dtype dtype, int ndim,
                            const int64_t *shape, mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin_real("mnp_random_gamma", rng, dtype, ndim, shape, &draw));
    MNP_TRY(check_not_negative(draw.function, "the shape", shape_parameter));
    MNP_TRY(check_not_negative(draw.function, "the scale", scale));
    double *real = draw.params.real;
    draw.sampler = shape_parameter < 1 ? "mnp_draw_small_gamma" : "mnp_draw_gamma";
    prepare_gamma(shape_parameter, &real[0], &real[1]);
    real[2] = shape_parameter > 0 ? scale : 0;
    real[3] = shape_parameter > 0 ? 1 / shape_parameter : 0;
    return mnp__random_draw(rng, &draw, out_p);
}

mnp_status mnp_random_beta(mnp_rng *rng, double a, double b, mnp_dtype dtype, int ndim, const int64_t *shape,
                           mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin_real("mnp_random_beta", rng, dtype, ndim, shape, &draw));
    if (!(a > 0 && b > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %g, and must be positive", draw.function, a > 0 ? "b" : "a",
                        a > 0 ? b : a);
    double *real = draw.params.real;
    draw.sampler = a < 1 || b < 1 ? "mnp_draw_small_beta" : "mnp_draw_beta";
    prepare_gamma(a, &real[0], &real[1]);
    prepare_gamma(b, &real[2], &real[3]);
    real[4] = a < 1 ? 1 / a : 0;
    real[5] = b < 1 ? 1 / b : 0;
    return mnp__random_draw(rng, &draw, out_p);
}

/* ---- counts ---- */

enum { FEW = 10 }; /* expected counts below which probabilities are added up */

/* Single counts may be larger than the dtype holds, and become its largest value; the mean may not. */
static mnp_status check_held(const mnp__draw *draw, double mean)
{
    if (mnp__number_fits(floor(mean), draw->dtype))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: counts whose mean is %g are out of bounds for %s", draw->function, mean,
                    mnp_dtype_name(draw->dtype));
}

/* The logarithm of the probability of m, the mean or a little less, from 10 on: by Stirling's series. */
static double log_poisson(double mean, double m)
{
    static const double two_pi = 6.283185307179586477;
    return m * log1p((mean - m) / m) - (mean - m) - 0.5 * log(two_pi * m) -
           (1.0 / 12 - (1.0 / 360 - 1 / (1260 * m * m)) / (m * m)) / m;
}

mnp_status mnp_random_poisson(mnp_rng *rng, double mean, mnp_dtype dtype, int ndim, const int64_t *shape,
                              mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin_count("mnp_random_poisson", rng, dtype, ndim, shape, &draw));
    if (!(mean >= 0 && mean <= 0x1p53))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the mean is %g, outside 0..2^53", draw.function, mean);
    MNP_TRY(check_held(&draw, mean));
    double *real = draw.params.real;
    real[0] = mean;
    if (mean < FEW) {
        draw.sampler = "mnp_draw_small_poisson";
        real[1] = exp(-mean);
    } else {
        const double b = 0.931 + 2.53 * sqrt(mean);
        draw.sampler = "mnp_draw_poisson";
        real[1] = log(mean);
        real[2] = -0.059 + 0.02483 * b;
        real[3] = b;
        real[4] = 1.1239 + 1.1328 / (b - 3.4);
        real[5] = 0.9277 - 3.6224 / (b - 2);
        real[6] = floor(mean);
        real[7] = log_poisson(mean, real[6]);
    }
    return mnp__random_draw(rng, &draw, out_p);
}

/* Constants of Hoermann's method, for p at most 1/2. */
static void prepare_binomial(double n, double p, double *real)
{
    const double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation, mode = floor((n + 1) * p);
    real[0] = n * p + 0.5;
    real[1] = -0.0873 + 0.0248 * b + 0.01 * p;
    real[2] = b;
    real[3] = 0.92 - 4.2 / b;
    real[4] = (2.83 + 5.1 / b) * deviation;
    real[5] = log(p / (1 - p));
    real[6] = mode;
}

mnp_status mnp_random_binomial(mnp_rng *rng, int64_t n, double p, mnp_dtype dtype, int ndim, const int64_t *shape,
                               mnp_array **out_p)
{
    MNP_ENTER(rng, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__draw draw;
    MNP_TRY(begin_count("mnp_random_binomial", rng, dtype, ndim, shape, &draw));
    if (n < 0 || n > INT64_C(1) << 53)
        return MNP_FAIL(MNP_ERR_ARG, "%s: n is %" PRId64 ", outside 0..2^53", draw.function, n);
    if (!(p >= 0 && p <= 1))
        return MNP_FAIL(MNP_ERR_ARG, "%s: p is %g, outside [0, 1]", draw.function, p);
    MNP_TRY(check_held(&draw, (double)n * p));
    const bool failures = p > 0.5;
    const double less = failures ? 1 - p : p;
    draw.params.whole[0] = (uint64_t)n;
    draw.params.whole[1] = failures;
    if ((double)n * less < FEW) {
        draw.sampler = "mnp_draw_small_binomial";
        draw.params.real[0] = less / (1 - less);
        draw.params.real[1] = exp((double)n * log1p(-less));
    } else {
        draw.sampler = "mnp_draw_binomial";
        prepare_binomial((double)n, less, draw.params.real);
    }
    return mnp__random_draw(rng, &draw, out_p);
}
