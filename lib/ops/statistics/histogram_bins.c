/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many bins a histogram should have: NumPy's estimators of their width.
 */
#include <maniple/histogram.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/eval.h>
#include <maniple/reduce.h>
#include <maniple/select.h>
#include <maniple/statistics.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "base/integer.h"
#include "layout/layout.h"
#include "ops/statistics/histogram.h"

/* The elements that are looked at: those in the range. */
typedef struct data {
    const char *function;
    const mnp_array *x;
    double n, spread; /* the number of elements; the greatest less the least */
    double low, high; /* the range */
} data;

/* An array of one float, as a double. */
static mnp_status read_float(const mnp_array *array, double *value_p)
{
    uint64_t element[2];
    MNP_TRY(mnp__read_one(array, element));
    const mnp__value value = mnp__value_read(array->dtype, element);
    *value_p = mnp__value_as_double(&value);
    return MNP_OK;
}

static mnp_status deviation(const data *d, double *deviation_p)
{
    mnp_array *result = NULL;
    MNP_TRY(mnp_std(d->x, MNP_ALL_AXES, &result));
    mnp_status st = read_float(result, deviation_p);
    mnp_array_free(result);
    return st;
}

/* ---- the estimators, each of which gives a width ---- */

static mnp_status by_sqrt(const data *d, double *width_p)
{
    *width_p = d->spread / sqrt(d->n);
    return MNP_OK;
}

static mnp_status by_sturges(const data *d, double *width_p)
{
    *width_p = d->spread / (log2(d->n) + 1);
    return MNP_OK;
}

static mnp_status by_rice(const data *d, double *width_p)
{
    *width_p = d->spread / (2 * pow(d->n, 1.0 / 3));
    return MNP_OK;
}

static mnp_status by_scott(const data *d, double *width_p)
{
    double sigma;
    MNP_TRY(deviation(d, &sigma));
    *width_p = pow(24 * sqrt(acos(-1.0)) / d->n, 1.0 / 3) * sigma;
    return MNP_OK;
}

/* From the skewness: the mean of the cubes of the standardised elements. */
static mnp_status by_doane(const data *d, double *width_p)
{
    mnp_array *mean = NULL, *sigma = NULL, *cubes = NULL, *skewness = NULL;
    double s = 0, g = 0;
    mnp_status st = MNP_OK;
    *width_p = 0;
    if (d->n <= 2)
        return MNP_OK;
    MNP_TRY_OR(mnp_std(d->x, MNP_ALL_AXES, &sigma), st, done);
    MNP_TRY_OR(read_float(sigma, &s), st, done);
    if (!(s > 0))
        goto done;
    MNP_TRY_OR(mnp_mean(d->x, MNP_ALL_AXES, &mean), st, done);
    MNP_TRY_OR(
        mnp_eval(d->x->ctx, "z = ((x - m) / s)**3", MNP_IN("x", d->x, "m", mean, "s", sigma), MNP_OUT("z", &cubes)), st,
        done);
    MNP_TRY_OR(mnp_mean(cubes, MNP_ALL_AXES, &skewness), st, done);
    MNP_TRY_OR(read_float(skewness, &g), st, done);
    const double usual = sqrt(6 * (d->n - 2) / ((d->n + 1) * (d->n + 3)));
    *width_p = d->spread / (1 + log2(d->n) + log2(1 + fabs(g) / usual));
done:
    mnp_free_all(mean, sigma, cubes, skewness);
    return st;
}

/* From the distance between the quartiles. */
static mnp_status by_quartiles(const data *d, double *width_p)
{
    mnp_array *quartiles = NULL;
    double values[2];
    MNP_TRY(mnp_percentiles(d->x, 2, (const double[]){75, 25}, MNP_ALL_AXES, NULL, &quartiles));
    mnp_status st = mnp_array_to_host(quartiles, MNP_ALL_RANKS, values);
    mnp_array_free(quartiles);
    *width_p = 2 * (values[0] - values[1]) * pow(d->n, -1.0 / 3);
    return st;
}

static mnp_status by_all(const data *d, double *width_p)
{
    double quartiles, sturges, root;
    MNP_TRY(by_quartiles(d, &quartiles));
    MNP_TRY(by_sturges(d, &sturges));
    MNP_TRY(by_sqrt(d, &root));
    *width_p = fmin(fmax(quartiles, root / 2), sturges);
    return MNP_OK;
}

/* The loss, by cross-validation, of a histogram of so many bins; `counts` has room for them. */
static mnp_status loss_of(const data *d, int64_t bins, int64_t *counts, double *loss_p)
{
    mnp_array *result = NULL;
    double squares = 0;
    MNP_TRY(mnp_histogram(d->x, bins, (const double[]){d->low, d->high}, false, NULL, &result, NULL));
    mnp_status st = mnp_array_get_local(result, counts); /* every rank has the whole result */
    mnp_array_free(result);
    for (int64_t b = 0; b < bins && st == MNP_OK; b++)
        squares += (double)counts[b] / d->n * ((double)counts[b] / d->n);
    *loss_p = (2 - (d->n + 1) * squares) / (d->spread / (double)bins);
    return st;
}

static mnp_status by_stone(const data *d, double *width_p)
{
    const int64_t root = (int64_t)sqrt(d->n), most = mnp__max(root, 100);
    double least = (double)INFINITY;
    int64_t *counts;
    *width_p = 0;
    if (d->n <= 1 || d->spread == 0)
        return MNP_OK;
    mnp_status st = MNP_AGREE(d->x->ctx, mnp__malloc((size_t)most * sizeof *counts, &counts));
    if (st != MNP_OK)
        return st;
    for (int64_t bins = 1; bins <= most && st == MNP_OK; bins++) {
        double loss = 0;
        st = loss_of(d, bins, counts, &loss);
        if (loss < least) {
            least = loss;
            *width_p = d->spread / (double)bins;
        }
    }
    free(counts);
    return st;
}

static const struct estimator {
    const char *name;
    mnp_status (*estimate)(const data *d, double *width_p);
} estimators[] = {{"auto", by_all},    {"doane", by_doane}, {"fd", by_quartiles}, {"rice", by_rice},
                  {"scott", by_scott}, {"sqrt", by_sqrt},   {"stone", by_stone},  {"sturges", by_sturges}};

/* ---- calls ---- */

static mnp_status find_estimator(const char *function, const char *name, const struct estimator **estimator_p)
{
    for (size_t i = 0; name && i < sizeof estimators / sizeof *estimators; i++) {
        if (strcmp(estimators[i].name, name) == 0) {
            *estimator_p = &estimators[i];
            return MNP_OK;
        }
    }
    return MNP_FAIL(MNP_ERR_ARG,
                    "%s: '%s' is not an estimator: there are auto, doane, fd, rice, scott, sqrt, stone and sturges",
                    function, name ? name : "NULL");
}

/* The elements in the range, as a new array of one dimension; of bool as uint8. */
static mnp_status trim(const mnp_array *x, const double *range, const mnp__even_bins *even, mnp_array **trimmed_p)
{
    mnp_array *numbers = NULL, *above = NULL, *below = NULL, *inside = NULL, *kept = NULL;
    mnp_ctx *ctx = x->ctx;
    mnp_status st;
    MNP_TRY_OR(mnp_astype(x, x->dtype == MNP_BOOL ? MNP_UINT8 : x->dtype, &numbers), st, done);
    if (range) {
        MNP_TRY_OR(mnp_greater_equal(numbers, mnp_scalar_float(ctx, even->low), &above), st, done);
        MNP_TRY_OR(mnp_less_equal(numbers, mnp_scalar_float(ctx, even->high), &below), st, done);
        MNP_TRY_OR(mnp_logical_and(above, below, &inside), st, done);
        MNP_TRY_OR(mnp_mask_get(numbers, inside, &kept), st, done);
    }
    st = mnp_ravel(range ? kept : numbers, trimmed_p);
done:
    mnp_free_all(numbers, above, below, inside, kept);
    return st;
}

/* From a width to a number of bins. */
static mnp_status divide(const data *d, double width, int64_t *bins_p)
{
    const bool whole = strchr("iu", mnp_dtype_kind(d->x->dtype)) != NULL;
    double bins = 1;
    if (width != 0)
        bins = ceil((d->high - d->low) / (whole && width < 1 ? 1 : width));
    if (!(bins < 0x1p62))
        return MNP_FAIL(MNP_ERR_ARG, "%s: bins of the width %g, from %g to %g, are too many", d->function, width,
                        d->low, d->high);
    *bins_p = bins < 1 ? 1 : (int64_t)bins;
    return MNP_OK;
}

mnp_status mnp_histogram_bins(const mnp_array *x, const char *estimator, const double *range, int64_t *bins_p)
{
    MNP_ENTER(x, estimator, bins_p);
    static const char function[] = "mnp_histogram_bins";
    const struct estimator *e = NULL;
    mnp__even_bins even;
    mnp__value least, most;
    mnp_array *trimmed = NULL;
    double width = 0;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__histogram_check(function, x, NULL));
    MNP_TRY(find_estimator(function, estimator, &e));
    MNP_TRY(mnp__even_range(function, x, range, &even));
    MNP_TRY(trim(x, range, &even, &trimmed));
    data d = {.function = function, .x = trimmed, .low = even.low, .high = even.high};
    d.n = (double)trimmed->layout->size;
    if (d.n > 0) {
        MNP_TRY_OR(mnp__limits(function, trimmed, &least, &most), st, done);
        d.spread = mnp__value_as_double(&most) - mnp__value_as_double(&least);
        MNP_TRY_OR(e->estimate(&d, &width), st, done);
    }
    st = divide(&d, width, bins_p);
done:
    mnp_array_free(trimmed);
    return st;
}
