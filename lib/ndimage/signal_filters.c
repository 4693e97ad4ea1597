/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filters of scipy.signal that look at windows of an image, beyond whose borders are zeros: medians, values of a
 * rank, and Wiener's filter of local means and variances.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <maniple/filters.h>
#include <maniple/ndimage.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include "array/output.h"
#include "base/call.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"

static const mnp_ndimage_options zeros = {.mode = MNP_NDIMAGE_CONSTANT};

/* Sizes for all dimensions: those that are given, or 3.  MNP_ERR_ARG unless they are above 0, or odd. */
static mnp_status find_sizes(const char *function, const mnp_array *x, const int64_t *given, bool odd, int64_t *sizes)
{
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->layout->ndim == 0 || mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s of %d dimensions; it should be real and have 1 to %d",
                        function, mnp_dtype_name(x->dtype), x->layout->ndim, MNP_MAX_DIMS);
    for (int d = 0; d < x->layout->ndim; d++) {
        sizes[d] = given ? given[d] : 3;
        if (sizes[d] < 1 || (odd && sizes[d] % 2 == 0))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the size along axis %d is %" PRId64 "; it should be %s", function, d,
                            sizes[d], odd ? "odd" : "above 0");
    }
    return MNP_OK;
}

mnp_status mnp_medfilt(const mnp_array *x, const int64_t *size, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    int64_t sizes[MNP_MAX_DIMS];
    MNP_TRY(find_sizes(__func__, x, size, true, sizes));
    return mnp_ndimage_median_filter(x, sizes, NULL, &zeros, y_p);
}

mnp_status mnp_medfilt2d(const mnp_array *x, const int64_t *size, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    int64_t sizes[MNP_MAX_DIMS];
    MNP_TRY(mnp__array_check_blocks(__func__, x));
    if (x->layout->ndim != 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input has %d dimensions; it should have 2", __func__, x->layout->ndim);
    MNP_TRY(find_sizes(__func__, x, size, true, sizes));
    return mnp_ndimage_median_filter(x, sizes, NULL, &zeros, y_p);
}

mnp_status mnp_order_filter(const mnp_array *x, const int64_t *shape, const bool *domain, int64_t rank, mnp_array **y_p)
{
    MNP_ENTER(x, shape, domain, y_p);
    int64_t sizes[MNP_MAX_DIMS];
    MNP_TRY(find_sizes(__func__, x, shape, true, sizes));
    return mnp_ndimage_rank_filter(x, rank, sizes, domain, &zeros, y_p);
}

/* ---- Wiener's filter ---- */

static const mnp__formula variance_of = {
    .name = "local_variances",
    .body = "out = square - mean * mean;",
    .type = MNP_FLOAT64,
    .ninputs = 2,
    .inputs = {{"square", MNP_FLOAT64, false}, {"mean", MNP_FLOAT64, false}},
};
static const mnp__formula estimate_of = {
    .name = "wiener_estimates",
    .body = "out = variance < noise ? mean : (x - mean) * (1 - noise / variance) + mean;",
    .type = MNP_FLOAT64,
    .ninputs = 4,
    .inputs = {{"x", MNP_FLOAT64, false},
               {"mean", MNP_FLOAT64, false},
               {"variance", MNP_FLOAT64, false},
               {"noise", MNP_FLOAT64, false}},
};

static mnp_status apply(const char *function, const mnp__formula *formula, const mnp_array *const *inputs,
                        mnp_array **out_p)
{
    const mnp__formula_call call = {.function = function,
                                    .formula = formula,
                                    .ninputs = formula->ninputs,
                                    .inputs = inputs,
                                    .outputs_p = (mnp_array * *const[]){out_p},
                                    .type = MNP_FLOAT64,
                                    .result = MNP_FLOAT64,
                                    .layout = inputs[0]->layout};
    return mnp__formula_run(inputs[0]->ctx, &call);
}

mnp_status mnp_wiener(const mnp_array *x, const int64_t *size, const double *noise, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    int64_t sizes[MNP_MAX_DIMS];
    mnp_array *wide = NULL, *square = NULL, *mean = NULL, *squares = NULL, *variance = NULL, *power = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY(find_sizes(__func__, x, size, false, sizes));
    const mnp__output_spec spec = {.function = __func__, .ctx = x->ctx, .dtype = MNP_FLOAT64, .layout = x->layout};
    MNP_TRY(mnp__output_check(&spec, *y_p));
    MNP_TRY_OR(mnp_astype(x, MNP_FLOAT64, &wide), st, done);
    MNP_TRY_OR(mnp_multiply(wide, wide, &square), st, done);
    MNP_TRY_OR(mnp_ndimage_uniform_filter(wide, sizes, &zeros, &mean), st, done);
    MNP_TRY_OR(mnp_ndimage_uniform_filter(square, sizes, &zeros, &squares), st, done);
    MNP_TRY_OR(apply(__func__, &variance_of, (const mnp_array *const[]){squares, mean}, &variance), st, done);
    if (!noise)
        MNP_TRY_OR(mnp_mean(variance, NULL, &power), st, done);
    const mnp_array *const level = noise ? mnp_scalar_float(x->ctx, *noise) : power;
    st = apply(__func__, &estimate_of, (const mnp_array *const[]){wide, mean, variance, level}, &y);
done:
    mnp_free_all(wide, square, mean, squares, variance, power);
    return mnp__output_give(y, st, y_p);
}
