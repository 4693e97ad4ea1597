/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurements of parts by their labels.
 *
 * Every element gets a bin: the place of its label among those that are measured, or one more for all others.  Sums are
 * histograms of the bins with weights, extremes are scattered; the results, one number for each bin, are brought to
 * every rank's CPU and put in the caller's order.  Sums, moments and centres of one part, which has no list of labels,
 * are reductions instead.
 */
#include "ndimage/parts/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/histogram.h>
#include <maniple/ndimage.h>
#include <maniple/reduce.h>
#include <maniple/select.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "base/value.h"
#include "layout/layout.h"

/* ---- bins ---- */

static const mnp__formula bins_of_index = {
    .name = "bins_of_labels",
    .body = "int64_t low = 0, high = index.size();\n"
            "while (low < high) {\n"
            "    const int64_t middle = low + (high - low) / 2;\n"
            "    if (index[middle] < label)\n        low = middle + 1;\n    else\n        high = middle;\n"
            "}\n"
            "out = low < index.size() && index[low] == label ? low : index.size();",
    .type = MNP_INT64,
    .ninputs = 2,
    .inputs = {{"label", MNP_INT64, false}, {"index", MNP_INT64, true}},
};

static const mnp__formula bins_of_range = {
    .name = "bins_of_label_range",
    .body = "out = label >= first && label < first + count ? label - first : count;",
    .type = MNP_INT64,
    .ninputs = 3,
    .inputs = {{"label", MNP_INT64, false}, {"first", MNP_INT64, false}, {"count", MNP_INT64, false}},
};

static const mnp__formula bins_of_all = {
    .name = "bins_of_all_labels",
    .body = "out = label > 0 ? 0 : 1;",
    .type = MNP_INT64,
    .ninputs = 1,
    .inputs = {{"label", MNP_INT64, false}},
};

mnp_status mnp__measure_apply(const mnp__measure *m, const mnp__formula *formula, int ninputs,
                              const mnp_array *const *inputs, int fact, mnp_array **out_p)
{
    const mnp__formula_call call = {.function = m->function,
                                    .formula = formula,
                                    .ninputs = ninputs,
                                    .inputs = inputs,
                                    .outputs_p = (mnp_array * *const[]){out_p},
                                    .type = formula->type,
                                    .result = formula->type,
                                    .facts = {fact}};
    return mnp__formula_run(m->ctx, &call);
}

/* The labels that are measured, sorted and each once, and where the caller's are among them. */
static mnp_status sort_index(mnp__measure *m, const int64_t *index)
{
    MNP_TRY(mnp__malloc(((size_t)m->wanted + 1) * sizeof *m->sorted, &m->sorted));
    MNP_TRY(mnp__malloc(((size_t)m->wanted + 1) * sizeof *m->place, &m->place));
    memcpy(m->sorted, index, (size_t)m->wanted * sizeof *index);
    qsort(m->sorted, (size_t)m->wanted, sizeof *index, mnp__compare_int64);
    m->count = 0;
    for (int64_t i = 0; i < m->wanted; i++)
        if (i == 0 || m->sorted[i] != m->sorted[m->count - 1])
            m->sorted[m->count++] = m->sorted[i];
    for (int64_t i = 0; i < m->wanted; i++) {
        const int64_t *found = bsearch(&index[i], m->sorted, (size_t)m->count, sizeof *index, mnp__compare_int64);
        m->place[i] = found - m->sorted;
    }
    return MNP_OK;
}

static mnp_status make_bins(mnp__measure *m, const mnp_array *labels)
{
    mnp_array *index = NULL;
    if (!labels)
        return mnp_zeros_like(m->x, MNP_INT64, &m->bins);
    if (m->sorted == NULL)
        return mnp__measure_apply(m, &bins_of_all, 1, &labels, 0, &m->bins);
    if (m->ctx->device->block_memory == 0 && m->sorted[m->count - 1] - m->sorted[0] == m->count - 1) {
        const mnp_array *const range[] = {labels, mnp_scalar_int(m->ctx, m->sorted[0]),
                                          mnp_scalar_int(m->ctx, m->count)};
        return mnp__measure_apply(m, &bins_of_range, 3, range, 0, &m->bins);
    }
    MNP_TRY(mnp_array_from_host(m->ctx, MNP_INT64, 1, &m->count, m->sorted, &index));
    const mnp_array *const inputs[] = {labels, index};
    mnp_status st = mnp__measure_apply(m, &bins_of_index, 2, inputs, 0, &m->bins);
    mnp_array_free(index);
    return st;
}

static mnp_status check(mnp__measure *m, const mnp_array *labels, int64_t count, const int64_t *index)
{
    const mnp_array *x = m->x;
    MNP_TRY(mnp__array_check_blocks(m->function, x));
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s, and this function takes real numbers", m->function,
                        mnp_dtype_name(x->dtype));
    if (count < 0 || (count > 0 && !index) || (count > 0 && !labels))
        return MNP_FAIL(MNP_ERR_ARG, "%s: count is %" PRId64 ", index is %s and labels are %s", m->function, count,
                        index ? "given" : "NULL", labels ? "given" : "NULL");
    if (labels) {
        MNP_TRY(mnp__array_check_blocks(m->function, labels));
        if (!mnp__dtype_is_integral(labels->dtype))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the labels are %s; they should be integers", m->function,
                            mnp_dtype_name(labels->dtype));
        if (!mnp__layout_same_shape(labels->layout, x->layout))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the labels have another shape than the input", m->function);
    }
    m->ctx = x->ctx;
    m->count = 1;
    m->wanted = count;
    return MNP_OK;
}

mnp_status mnp__measure_open(mnp__measure *m, const mnp_array *labels, int64_t count, const int64_t *index)
{
    MNP_TRY(check(m, labels, count, index));
    MNP_TRY(MNP_AGREE(m->ctx, count > 0 ? sort_index(m, index) : MNP_OK));
    return make_bins(m, labels);
}

void mnp__measure_close(mnp__measure *m)
{
    free(m->sorted);
    free(m->place);
    mnp_array_free(m->bins);
}

/* Of one part: check the arguments, and find which elements belong to it; NULL: all. */
static mnp_status open_one(mnp__measure *m, const mnp_array *labels, mnp_array **where_p)
{
    MNP_TRY(check(m, labels, 0, NULL));
    return labels ? mnp_greater(labels, MNP_SCALAR(m->ctx, 0), where_p) : MNP_OK;
}

/* The bin of result number i, and how many results there are. */
static int64_t bin_of(const mnp__measure *m, int64_t i)
{
    return m->place ? m->place[i] : 0;
}

static int64_t results_of(const mnp__measure *m)
{
    return m->wanted > 0 ? m->wanted : 1;
}

/* ---- numbers of bins, on every CPU ---- */

mnp_status mnp__measure_fetch(const mnp__measure *m, const mnp_array *array, void **values_p)
{
    mnp_layout *everywhere = NULL;
    mnp_array *whole = NULL;
    void *values = NULL;
    mnp_status st = mnp_layout_replicated(m->ctx->comm.size, 1, array->layout->shape, &everywhere);
    if (st == MNP_OK)
        st = mnp_redistribute(array, everywhere, &whole);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)(m->count + 1) * mnp_dtype_size(array->dtype), &values);
    if (st == MNP_OK)
        st = mnp_array_get_local(whole, values);
    mnp_layout_free(everywhere);
    mnp_array_free(whole);
    st = MNP_AGREE(m->ctx, st);
    if (st == MNP_OK)
        *values_p = values;
    else
        free(values);
    return st;
}

/* The sums of weights in each bin, or with NULL how many elements there are. */
static mnp_status sums_of(const mnp__measure *m, const mnp_array *weights, double **sums_p)
{
    const double range[2] = {0, (double)(m->count + 1)};
    mnp_array *counts = NULL, *sums = NULL;
    void *values = NULL;
    mnp_status st = mnp_histogram(m->bins, m->count + 1, range, false, weights, &counts, NULL);
    if (st == MNP_OK)
        st = mnp_astype(counts, MNP_FLOAT64, &sums);
    if (st == MNP_OK)
        st = mnp__measure_fetch(m, sums, &values);
    mnp_array_free(counts);
    mnp_array_free(sums);
    *sums_p = values;
    return st;
}

static mnp_status sums_of_x(const mnp__measure *m, double **sums_p)
{
    mnp_array *weights = NULL;
    MNP_TRY(mnp_astype(m->x, MNP_FLOAT64, &weights));
    mnp_status st = sums_of(m, weights, sums_p);
    mnp_array_free(weights);
    return st;
}

/* ---- sums, means, variances ---- */

enum moment { SUM, MEAN, VARIANCE, DEVIATION };

static const mnp__formula squares = {
    .name = "squares_about_means",
    .body = "const double d = x - mean[bin];\nout = d * d;",
    .type = MNP_FLOAT64,
    .ninputs = 3,
    .inputs = {{"x", MNP_FLOAT64, false}, {"bin", MNP_INT64, false}, {"mean", MNP_FLOAT64, true}},
};

static mnp_status squares_of(const mnp__measure *m, const double *means, double **sums_p)
{
    const int64_t bins = m->count + 1;
    mnp_array *centre = NULL, *weights = NULL;
    mnp_status st = mnp_array_from_host(m->ctx, MNP_FLOAT64, 1, &bins, means, &centre);
    const mnp_array *const inputs[] = {m->x, m->bins, centre};
    if (st == MNP_OK)
        st = mnp__measure_apply(m, &squares, 3, inputs, 0, &weights);
    if (st == MNP_OK)
        st = sums_of(m, weights, sums_p);
    mnp_array_free(centre);
    mnp_array_free(weights);
    return st;
}

static mnp_status give_doubles(const mnp__measure *m, const double *values, mnp_array **out_p)
{
    const int64_t n = results_of(m);
    double *result = NULL;
    mnp_array *made = NULL;
    mnp_status st = MNP_AGREE(m->ctx, mnp__malloc((size_t)n * sizeof *result, &result));
    for (int64_t i = 0; i < n && st == MNP_OK; i++)
        result[i] = values[bin_of(m, i)];
    if (st == MNP_OK)
        st = mnp_array_from_host(m->ctx, MNP_FLOAT64, 1, &n, result, &made);
    free(result);
    return mnp__output_give(made, st, out_p);
}

static mnp_status moment_of_one(const char *function, enum moment moment, const mnp_array *x, const mnp_array *labels,
                                mnp_array **out_p)
{
    static mnp_status (*const reductions[])(const mnp_array *, const mnp_axes *, mnp_array **) = {
        [SUM] = mnp_sum, [MEAN] = mnp_mean, [VARIANCE] = mnp_var, [DEVIATION] = mnp_std};
    mnp__measure m = {.function = function, .x = x};
    mnp_array *where = NULL, *number = NULL, *made = NULL;
    mnp_status st = open_one(&m, labels, &where);
    if (st == MNP_OK)
        st = reductions[moment](x, MNP_REDUCE(.dtype = "float64", .where = where), &number);
    if (st == MNP_OK)
        st = mnp_expand_dims(number, 1, (const int[]){0}, &made);
    mnp_free_all(where, number);
    return mnp__output_give(made, st, out_p);
}

static mnp_status moment(const char *function, enum moment moment, const mnp_array *x, const mnp_array *labels,
                         int64_t count, const int64_t *index, mnp_array **out_p)
{
    mnp__measure m = {.function = function, .x = x};
    double *sums = NULL, *sizes = NULL, *spread = NULL;
    if (count == 0)
        return moment_of_one(function, moment, x, labels, out_p);
    mnp_status st = mnp__measure_open(&m, labels, count, index);
    if (st == MNP_OK)
        st = sums_of_x(&m, &sums);
    if (st == MNP_OK && moment != SUM)
        st = sums_of(&m, NULL, &sizes);
    for (int64_t b = 0; st == MNP_OK && moment != SUM && b <= m.count; b++)
        sums[b] /= sizes[b];
    if (st == MNP_OK && moment >= VARIANCE)
        st = squares_of(&m, sums, &spread);
    for (int64_t b = 0; st == MNP_OK && moment >= VARIANCE && b <= m.count; b++)
        sums[b] = moment == VARIANCE ? spread[b] / sizes[b] : sqrt(spread[b] / sizes[b]);
    if (st == MNP_OK)
        st = give_doubles(&m, sums, out_p);
    free(sums);
    free(sizes);
    free(spread);
    mnp__measure_close(&m);
    return st;
}

/* A public function of these arguments that is one call. */
#define MEASURE(name, call)                                                                                            \
    mnp_status mnp_ndimage_##name(const mnp_array *x, const mnp_array *labels, int64_t count, const int64_t *index,    \
                                  mnp_array **out_p)                                                                   \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        MNP_NEED_IF(labels, labels);                                                                                   \
        return call;                                                                                                   \
    }
MEASURE(sum_labels, moment(__func__, SUM, x, labels, count, index, out_p))
MEASURE(mean, moment(__func__, MEAN, x, labels, count, index, out_p))
MEASURE(variance, moment(__func__, VARIANCE, x, labels, count, index, out_p))
MEASURE(standard_deviation, moment(__func__, DEVIATION, x, labels, count, index, out_p))

/* ---- extremes and their places ---- */

/* An array of a number for each bin from which the smallest or largest can be found. */
static mnp_status start_extremes(const mnp__measure *m, mnp_dtype dtype, bool largest, mnp_array **extremes_p)
{
    unsigned char first[16] = {0};
    const int64_t bins = m->count + 1;
    const int bits = 8 * (int)mnp_dtype_size(dtype);
    const char kind = mnp_dtype_kind(dtype);
    mnp__value value = {.kind = 'f', .re = largest ? -INFINITY : INFINITY};
    if (kind == 'b' || kind == 'u')
        value = (mnp__value){.kind = 'i'};
    mnp__value_write(&value, dtype, first);
    if (kind == 'u' && !largest)
        memset(first, 255, sizeof first);
    if (kind == 'b' && !largest)
        first[0] = 1;
    if (kind == 'i') { /* the least value has only the sign bit, the largest all others */
        memset(first, largest ? 0 : 255, sizeof first);
        first[bits / 8 - 1] = largest ? 128 : 127;
    }
    return mnp_full(m->ctx, dtype, 1, &bins, first, extremes_p);
}

mnp_status mnp__measure_scatter(const mnp__measure *m, bool largest, const mnp_array *values, mnp_array **extremes_p)
{
    mnp_array *extremes = NULL;
    MNP_TRY(start_extremes(m, values->dtype, largest, &extremes));
    mnp_status st = mnp_ufunc_at(largest ? "maximum" : "minimum", extremes, m->bins, values);
    if (st == MNP_OK)
        *extremes_p = extremes;
    else
        mnp_array_free(extremes);
    return st;
}

static mnp_status extreme(const char *function, bool largest, const mnp_array *x, const mnp_array *labels,
                          int64_t count, const int64_t *index, mnp_array **out_p)
{
    mnp__measure m = {.function = function, .x = x};
    const size_t size = mnp_dtype_size(x->dtype);
    mnp_array *extremes = NULL, *made = NULL;
    double *sizes = NULL;
    void *values = NULL;
    char *result = NULL;
    mnp_status st = mnp__measure_open(&m, labels, count, index);
    if (st == MNP_OK)
        st = sums_of(&m, NULL, &sizes);
    if (st == MNP_OK)
        st = mnp__measure_scatter(&m, largest, x, &extremes);
    if (st == MNP_OK)
        st = mnp__measure_fetch(&m, extremes, &values);
    const int64_t n = results_of(&m);
    if (st == MNP_OK)
        st = MNP_AGREE(m.ctx, mnp__calloc((size_t)n, size, &result));
    for (int64_t i = 0; i < n && st == MNP_OK; i++)
        if (sizes[bin_of(&m, i)] > 0)
            memcpy(result + (size_t)i * size, (const char *)values + (size_t)bin_of(&m, i) * size, size);
    if (st == MNP_OK)
        st = mnp_array_from_host(m.ctx, x->dtype, 1, &n, result, &made);
    free(sizes);
    free(values);
    free(result);
    mnp_array_free(extremes);
    mnp__measure_close(&m);
    return mnp__output_give(made, st, out_p);
}

MEASURE(minimum, extreme(__func__, false, x, labels, count, index, out_p))
MEASURE(maximum, extreme(__func__, true, x, labels, count, index, out_p))

static const mnp__formula places = {
    .name = "places_of_extremes",
    .body = "out = mnp_equal(x, extreme[bin]).value ? mnp_i : (int64_t)0x7fffffffffffffff;",
    .indices = true,
    .type = MNP_INT64,
    .ninputs = 3,
    .inputs = {{"x", MNP_DTYPE_AUTO, false}, {"bin", MNP_INT64, false}, {"extreme", MNP_DTYPE_AUTO, true}},
};

/* The number in C order of the first element of each bin that is its extreme. */
static mnp_status first_places(const mnp__measure *m, bool largest, void **places_p)
{
    mnp_array *extremes = NULL, *where = NULL, *first = NULL;
    mnp_status st = mnp__measure_scatter(m, largest, m->x, &extremes);
    const mnp_array *const inputs[] = {m->x, m->bins, extremes};
    const mnp__formula_call call = {.function = m->function,
                                    .formula = &places,
                                    .ninputs = 3,
                                    .inputs = inputs,
                                    .outputs_p = (mnp_array * *const[]){&where},
                                    .type = m->x->dtype,
                                    .result = MNP_INT64};
    if (st == MNP_OK)
        st = mnp__formula_run(m->ctx, &call);
    if (st == MNP_OK)
        st = mnp__measure_scatter(m, false, where, &first);
    if (st == MNP_OK)
        st = mnp__measure_fetch(m, first, places_p);
    mnp_array_free(extremes);
    mnp_array_free(where);
    mnp_array_free(first);
    return st;
}

static mnp_status position(const char *function, bool largest, const mnp_array *x, const mnp_array *labels,
                           int64_t count, const int64_t *index, mnp_array **out_p)
{
    mnp__measure m = {.function = function, .x = x};
    void *found = NULL;
    mnp_array *made = NULL;
    int64_t *result = NULL;
    const int ndim = x->layout->ndim;
    mnp_status st = mnp__measure_open(&m, labels, count, index);
    if (st == MNP_OK)
        st = first_places(&m, largest, &found);
    const int64_t shape[2] = {results_of(&m), ndim};
    if (st == MNP_OK)
        st = MNP_AGREE(m.ctx, mnp__malloc((size_t)(shape[0] * ndim + 1) * sizeof *result, &result));
    for (int64_t i = 0; i < shape[0] && st == MNP_OK; i++) {
        int64_t rest = ((const int64_t *)found)[bin_of(&m, i)];
        const bool exists = rest != INT64_MAX;
        for (int d = ndim - 1; d >= 0; d--) {
            result[i * ndim + d] = exists ? rest % x->layout->shape[d] : -1;
            rest = exists ? rest / x->layout->shape[d] : rest;
        }
    }
    if (st == MNP_OK)
        st = mnp_array_from_host(m.ctx, MNP_INT64, 2, shape, result, &made);
    free(found);
    free(result);
    mnp__measure_close(&m);
    return mnp__output_give(made, st, out_p);
}

MEASURE(minimum_position, position(__func__, false, x, labels, count, index, out_p))
MEASURE(maximum_position, position(__func__, true, x, labels, count, index, out_p))

/* ---- centres ---- */

static void write_weighted_index(const int *facts, mnp__text *body)
{
    mnp__text_add(body, "out = x * (double)mnp_index[%d];", facts[0]);
}

static const mnp__formula weighted_index = {
    .name = "weighted_indices",
    .write = write_weighted_index,
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = 1,
    .inputs = {{"x", MNP_FLOAT64, false}},
};

static mnp_status centre_of_one(const char *function, const mnp_array *x, const mnp_array *labels, mnp_array **out_p)
{
    mnp__measure m = {.function = function, .x = x};
    mnp_array *where = NULL, *made = NULL;
    mnp_status st = open_one(&m, labels, &where);
    if (st == MNP_OK)
        st = mnp__measure_centre(function, x, where, &made);
    mnp_array_free(where);
    return mnp__output_give(made, st, out_p);
}

static mnp_status centre(const char *function, const mnp_array *x, const mnp_array *labels, int64_t count,
                         const int64_t *index, mnp_array **out_p)
{
    mnp__measure m = {.function = function, .x = x};
    mnp_array *made = NULL;
    double *sums = NULL, *result = NULL;
    const int ndim = x->layout->ndim;
    if (count == 0 && ndim > 0)
        return centre_of_one(function, x, labels, out_p);
    mnp_status st = mnp__measure_open(&m, labels, count, index);
    const int64_t shape[2] = {results_of(&m), ndim};
    if (st == MNP_OK)
        st = sums_of_x(&m, &sums);
    if (st == MNP_OK)
        st = MNP_AGREE(m.ctx, mnp__malloc((size_t)(shape[0] * ndim + 1) * sizeof *result, &result));
    for (int d = 0; d < ndim && st == MNP_OK; d++) {
        mnp_array *weights = NULL;
        double *moments = NULL;
        st = mnp__measure_apply(&m, &weighted_index, 1, &x, d, &weights);
        if (st == MNP_OK)
            st = sums_of(&m, weights, &moments);
        for (int64_t i = 0; i < shape[0] && st == MNP_OK; i++)
            result[i * ndim + d] = moments[bin_of(&m, i)] / sums[bin_of(&m, i)];
        free(moments);
        mnp_array_free(weights);
    }
    if (st == MNP_OK)
        st = mnp_array_from_host(m.ctx, MNP_FLOAT64, 2, shape, result, &made);
    free(sums);
    free(result);
    mnp__measure_close(&m);
    return mnp__output_give(made, st, out_p);
}

MEASURE(center_of_mass, centre(__func__, x, labels, count, index, out_p))
