/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters that are outer products of vectors.
 */
#include "signal/factor.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/value.h"

typedef double _Complex number;

static number at(mnp_dtype dtype, const void *filter, int64_t i)
{
    double value[2] = {0, 0};
    if (dtype == MNP_UINT64)
        value[0] = (double)((const int64_t *)filter)[i];
    else if (dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64)
        value[0] = dtype == MNP_FLOAT32 ? (double)((const float *)filter)[i] : ((const double *)filter)[i];
    else
        mnp__value_get(dtype, filter, i, value);
    return CMPLX(value[0], value[1]);
}

/* The element of the product, and of the filter, at the place that i counts in C order. */
static number product_at(const int64_t *extent, const number *factors, int64_t i)
{
    number product = 1;
    const number *end = factors;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        end += extent[j];
    for (int j = MNP_CONV_DIMS - 1; j >= 0; j--) {
        end -= extent[j];
        product *= end[i % extent[j]];
        i /= extent[j];
    }
    return product;
}

/* The greatest common divisor, with which integer vectors are divided. */
static double common_divisor(double a, double b)
{
    while (b != 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/*
 * The lines through the pivot, divided by the pivot, or, of integers, by what they have in common; the first line that
 * has several elements is multiplied by what is missing.
 */
static void take_lines(mnp_dtype dtype, const int64_t *extent, const void *filter, int64_t pivot, number *factors)
{
    const number largest = at(dtype, filter, pivot);
    number *first = NULL, missing = largest;
    int64_t stride = 1, first_extent = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        stride *= extent[j];
    for (int j = 0; j < MNP_CONV_DIMS; j++, factors += extent[j - 1]) {
        stride /= extent[j];
        const int64_t place = pivot / stride % extent[j];
        double divisor = 0;
        for (int64_t i = 0; i < extent[j]; i++) {
            factors[i] = at(dtype, filter, pivot + (i - place) * stride);
            divisor = common_divisor(fabs(creal(factors[i])), divisor);
        }
        const number by = dtype == MNP_UINT64 && extent[j] > 1 ? (number)divisor : largest;
        for (int64_t i = 0; i < extent[j]; i++)
            factors[i] /= by;
        missing /= factors[place];
        if (!first && (extent[j] > 1 || j == MNP_CONV_DIMS - 1)) {
            first = factors;
            first_extent = extent[j];
        }
    }
    for (int64_t i = 0; i < first_extent; i++)
        first[i] *= missing;
}

/* Whether the product is the filter, to that precision; 0: exactly, in integers that doubles hold. */
static bool is_product(mnp_dtype dtype, const int64_t *extent, const void *filter, const number *factors, double eps,
                       double largest, double all)
{
    double off = 0;
    const int64_t size = extent[0] * extent[1] * extent[2] * extent[3];
    for (int64_t i = 0; i < size; i++) {
        const number element = at(dtype, filter, i);
        const double distance = cabs(element - product_at(extent, factors, i));
        if (!(distance <= 16 * eps * largest))
            return false;
        off += distance;
    }
    for (int64_t i = 0; eps == 0 && i < extent[0] + extent[1] + extent[2] + extent[3]; i++)
        if (creal(factors[i]) != rint(creal(factors[i])))
            return false;
    return off <= 16 * eps * all && (eps > 0 || largest < 9007199254740992.0);
}

mnp_status mnp__factor(mnp_dtype dtype, const int64_t *extent, const void *filter, double **factors_p, bool *found)
{
    const int64_t size = extent[0] * extent[1] * extent[2] * extent[3];
    const double eps = dtype == MNP_UINT64 ? 0 : mnp__dtype_is_single(dtype) ? FLT_EPSILON : DBL_EPSILON;
    double largest = 0, all = 0;
    int64_t pivot = 0;
    const int64_t length = extent[0] + extent[1] + extent[2] + extent[3];
    number *factors;
    double *parts = NULL;
    *found = false;
    for (int64_t i = 0; i < size; i++) {
        const double magnitude = cabs(at(dtype, filter, i));
        all += magnitude;
        if (magnitude > largest) {
            largest = magnitude;
            pivot = i;
        }
    }
    if (!(largest > 0) || !isfinite(all))
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)length * sizeof *factors, &factors));
    take_lines(dtype, extent, filter, pivot, factors);
    *found = is_product(dtype, extent, filter, factors, eps, largest, all);
    mnp_status st = *found ? mnp__malloc(2 * (size_t)length * sizeof *parts, &parts) : MNP_OK;
    for (int64_t i = 0; parts && i < length; i++) {
        parts[i] = creal(factors[i]);
        parts[length + i] = cimag(factors[i]);
    }
    free(factors);
    if (parts)
        *factors_p = parts;
    return st;
}
