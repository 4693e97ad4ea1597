/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters that are outer products of vectors, or sums of a few.
 */
#include "signal/terms.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/value.h"

typedef double _Complex number;

enum {
    LARGEST_SUM = 1 << 20, /* taps of a filter that sums are looked for: of larger ones transforms are faster */
    HEAVIEST = 2           /* times as large as the filter's may the absolute values of all products be together */
};

static const double exact_integers = 9007199254740992.0;

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

/* How far a filter may be from what is taken for it: an element, and all together.  0: exactly, of integers. */
typedef struct tolerance {
    double element, all;
} tolerance;

static int64_t length_of(const int64_t *extent)
{
    return extent[0] + extent[1] + extent[2] + extent[3];
}

/* Of the dimensions from j on. */
static int64_t size_from(const int64_t *extent, int j)
{
    int64_t size = 1;
    for (; j < MNP_CONV_DIMS; j++)
        size *= extent[j];
    return size;
}

/* The sum of the absolute values of a product's elements: the product of the vectors' sums. */
static double weight_of(const int64_t *extent, const number *factors)
{
    double weight = 1;
    for (int j = 0; j < MNP_CONV_DIMS; factors += extent[j++]) {
        double sum = 0;
        for (int64_t i = 0; i < extent[j]; i++)
            sum += cabs(factors[i]);
        weight *= sum;
    }
    return weight;
}

/* Whether the sum of the products is the filter; integer vectors within 2^53 where it has to be exact. */
static bool is_sum(mnp_dtype dtype, const int64_t *extent, const void *filter, int count, const number *factors,
                   tolerance may)
{
    double off = 0;
    const bool exact = may.all == 0;
    const int64_t length = length_of(extent), size = size_from(extent, 0);
    for (int64_t i = 0; i < size; i++) {
        number sum = 0;
        for (int t = 0; t < count; t++) {
            const number product = product_at(extent, factors + t * length, i);
            if (exact && count * cabs(product) >= exact_integers)
                return false;
            sum += product;
        }
        const double distance = cabs(at(dtype, filter, i) - sum);
        if (!(distance <= may.element))
            return false;
        off += distance;
    }
    for (int64_t i = 0; exact && i < count * length; i++)
        if (creal(factors[i]) != rint(creal(factors[i])))
            return false;
    return off <= may.all;
}

/* ---- sums of products ---- */

typedef struct search {
    bool integers;
    const int64_t *extent;
    number *vectors; /* of the dimensions before the one at hand */
    number *found;   /* products, one after the other */
    int count, most;
} search;

/* Whether more of a filter remains than may. */
static bool remains(const number *rest, int64_t size, tolerance may)
{
    double all = 0;
    for (int64_t i = 0; i < size; i++) {
        const double magnitude = cabs(rest[i]);
        all += magnitude;
        if (magnitude > may.element)
            return true;
    }
    return all > may.all;
}

static double divisor_of(const number *numbers, int64_t count, int64_t stride)
{
    double divisor = 0;
    for (int64_t i = 0; i < count; i++)
        divisor = common_divisor(fabs(creal(numbers[i * stride])), divisor);
    return divisor;
}

/* The place of the largest element, or, of integers, of one that divides all of its row or of its column; or -1. */
static int64_t find_pivot(bool integers, const number *rest, int64_t rows, int64_t columns)
{
    int64_t pivot = -1;
    for (int64_t i = 0; i < rows * columns && !integers; i++)
        if (pivot < 0 || cabs(rest[i]) > cabs(rest[pivot]))
            pivot = i;
    for (int64_t r = 0; r < rows && integers && pivot < 0; r++) {
        const double divisor = divisor_of(rest + r * columns, columns, 1);
        for (int64_t c = 0; c < columns && divisor > 0 && pivot < 0; c++)
            if (fabs(creal(rest[r * columns + c])) == divisor)
                pivot = r * columns + c;
    }
    for (int64_t c = 0; c < columns && integers && pivot < 0; c++) {
        const double divisor = divisor_of(rest + c, rows, columns);
        for (int64_t r = 0; r < rows && divisor > 0 && pivot < 0; r++)
            if (fabs(creal(rest[r * columns + c])) == divisor)
                pivot = r * columns + c;
    }
    return pivot;
}

/*
 * Subtract the product of the pivot's column, which becomes `vector`, and its row, one of which is divided by the
 * pivot: then the pivot's row and column are zeros.
 */
static void eliminate(bool integers, number *rest, int64_t rows, int64_t columns, int64_t pivot, number *vector,
                      number *row)
{
    const number value = rest[pivot];
    const bool by_row = integers && fabs(creal(value)) == divisor_of(rest + pivot / columns * columns, columns, 1);
    memcpy(row, rest + pivot / columns * columns, (size_t)columns * sizeof *row);
    for (int64_t r = 0; r < rows; r++)
        vector[r] = by_row ? rest[r * columns + pivot % columns] : rest[r * columns + pivot % columns] / value;
    for (int64_t c = 0; c < columns && by_row; c++)
        row[c] /= value;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            rest[r * columns + c] -= vector[r] * row[c];
}

/* Keep the product of the vectors.  A last one of a single element is 1, which goes into another vector. */
static void keep_product(search *s)
{
    const int64_t length = length_of(s->extent);
    number *product = s->found + s->count++ * length, *last = product + length - 1;
    memcpy(product, s->vectors, (size_t)length * sizeof *product);
    for (int64_t j = 0, begin = 0; s->extent[MNP_CONV_DIMS - 1] == 1 && j < MNP_CONV_DIMS; begin += s->extent[j++]) {
        for (int64_t i = 0; s->extent[j] > 1 && i < s->extent[j]; i++)
            product[begin + i] *= *last;
        if (s->extent[j] > 1)
            *last = 1;
    }
}

/*
 * Add the products whose sum is `rest`, of the dimensions from j on, times the vectors of those before, whose elements
 * begin at number `begin`.  Dimension j gives the rows of a matrix and the others its columns; each step of elimination
 * takes a column for j, and a row, which is such a `rest` in turn.  Beside `rest` there is room for the rows.  False if
 * there are more products than wanted.
 */
static bool add_products(search *s, int j, int64_t begin, number *rest, tolerance may)
{
    const int64_t rows = s->extent[j], columns = size_from(s->extent, j + 1);
    number *vector = s->vectors + begin, *row = rest + rows * columns;
    if (j == MNP_CONV_DIMS - 1) {
        if (s->count == s->most)
            return false;
        memcpy(vector, rest, (size_t)rows * sizeof *vector);
        keep_product(s);
        return true;
    }
    if (rows == 1) {
        vector[0] = 1;
        memcpy(row, rest, (size_t)columns * sizeof *row);
        return add_products(s, j + 1, begin + rows, row, may);
    }
    while (remains(rest, rows * columns, may)) {
        const int64_t pivot = s->count < s->most ? find_pivot(s->integers, rest, rows, columns) : -1;
        double all = 0;
        if (pivot < 0)
            return false;
        eliminate(s->integers, rest, rows, columns, pivot, vector, row);
        for (int64_t r = 0; r < rows; r++)
            all += cabs(vector[r]);
        /* the pivot is the largest element, so that no element of the vector is above 1 */
        if (!add_products(s, j + 1, begin + rows, row, (tolerance){may.element, may.all / all}))
            return false;
    }
    return true;
}

/* Look for at most so many products; *count_p becomes their number, or 0. */
static mnp_status find_sum(mnp_dtype dtype, const int64_t *extent, const void *filter, int most, tolerance may,
                           double all, number *factors, int *count_p)
{
    const int64_t length = length_of(extent), size = size_from(extent, 0);
    const tolerance stop = {may.element / 4, may.all / 4}; /* errors of several steps add up */
    search s = {.integers = dtype == MNP_UINT64, .extent = extent, .found = factors, .most = most};
    double weight = 0;
    MNP_TRY(mnp__malloc((size_t)(length + MNP_CONV_DIMS * size) * sizeof *s.vectors, &s.vectors));
    number *rest = s.vectors + length;
    for (int64_t i = 0; i < size; i++)
        rest[i] = at(dtype, filter, i);
    bool found = add_products(&s, 0, 0, rest, stop);
    free(s.vectors);
    for (int t = 0; t < s.count; t++)
        weight += weight_of(extent, factors + t * length);
    found = found && (s.integers || weight <= HEAVIEST * all) && is_sum(dtype, extent, filter, s.count, factors, may);
    *count_p = found ? s.count : 0;
    return MNP_OK;
}

/* The vectors of so many products as their real and their imaginary parts. */
static mnp_status give_parts(int count, int64_t length, const number *factors, double **parts_p)
{
    double *parts;
    MNP_TRY(mnp__malloc(2 * (size_t)(count * length) * sizeof *parts, &parts));
    *parts_p = parts;
    for (int t = 0; t < count; t++, parts += 2 * length, factors += length)
        for (int64_t i = 0; i < length; i++) {
            parts[i] = creal(factors[i]);
            parts[length + i] = cimag(factors[i]);
        }
    return MNP_OK;
}

mnp_status mnp__factor(mnp_dtype dtype, const int64_t *extent, const void *filter, int most, double **factors_p,
                       int *count_p)
{
    const int64_t size = size_from(extent, 0), length = length_of(extent);
    const double eps = dtype == MNP_UINT64 ? 0 : mnp__dtype_is_single(dtype) ? FLT_EPSILON : DBL_EPSILON;
    double largest = 0, all = 0;
    int64_t pivot = 0;
    number *factors;
    *count_p = 0;
    for (int64_t i = 0; i < size; i++) {
        const double magnitude = cabs(at(dtype, filter, i));
        all += magnitude;
        if (magnitude > largest) {
            largest = magnitude;
            pivot = i;
        }
    }
    if (!(largest > 0) || !isfinite(all) || (eps == 0 && largest >= exact_integers))
        return MNP_OK;
    const tolerance may = {16 * eps * largest, 16 * eps * all};
    MNP_TRY(mnp__malloc((size_t)(most * length) * sizeof *factors, &factors));
    take_lines(dtype, extent, filter, pivot, factors);
    *count_p = is_sum(dtype, extent, filter, 1, factors, may);
    mnp_status st = MNP_OK;
    if (*count_p == 0 && most > 1 && size <= LARGEST_SUM)
        st = find_sum(dtype, extent, filter, most, may, all, factors, count_p);
    if (st == MNP_OK && *count_p > 0)
        st = give_parts(*count_p, length, factors, factors_p);
    free(factors);
    return st;
}
