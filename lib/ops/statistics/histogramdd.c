/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms over several dimensions: the numbers of an element's bins, one after the other, become one number, and
 * those are counted.
 */
#include <maniple/histogram.h>

#include <inttypes.h>
#include <string.h>

#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/statistics/histogram.h"
#include "ops/statistics/count_bins.h"

/* The state of one call. */
typedef struct work {
    const char *function;
    int count;
    const mnp_array *const *samples;
    bool density;
    const mnp_array *weights;
    int64_t bins[MNP_MAX_DIMS], all;
    const mnp_array *edges[MNP_MAX_DIMS]; /* whole on all ranks */
} work;

/* ---- numbering ---- */

/* The bin of x, from the number that the dimensions before give, which is -1 outside of their bins. */
#define NUMBER(before)                                                                                                 \
    "int64_t low = 0, high = edges.size();\n"                                                                          \
    "while (low < high) {\n"                                                                                           \
    "    const int64_t middle = low + (high - low) / 2;\n"                                                             \
    "    if (edges[middle] <= x)\n"                                                                                    \
    "        low = middle + 1;\n"                                                                                      \
    "    else\n"                                                                                                       \
    "        high = middle;\n"                                                                                         \
    "}\n"                                                                                                              \
    "const int64_t bins = edges.size() - 1, bin = x == edges[bins] ? bins - 1 : low - 1;\n"                            \
    "const bool inside = bin >= 0 && x <= edges[bins] && " before " >= 0;\n"                                           \
    "out = inside ? " before " * bins + bin : -1;"

static const mnp__formula number_first = {
    .name = "number_bins",
    .body = NUMBER("0"),
    .type = MNP_INT64,
    .ninputs = 2,
    .inputs = {{"x", MNP_DTYPE_AUTO}, {"edges", MNP_DTYPE_AUTO, .raw = true}},
};

static const mnp__formula number_next = {
    .name = "number_bins",
    .body = NUMBER("before"),
    .type = MNP_INT64,
    .ninputs = 3,
    .inputs = {{"x", MNP_DTYPE_AUTO}, {"edges", MNP_DTYPE_AUTO, .raw = true}, {"before", MNP_INT64}},
};

static mnp_status number_bins(const work *w, int dim, const mnp_array *before, mnp_array **number_p)
{
    const mnp_array *inputs[] = {w->samples[dim], w->edges[dim], before};
    return mnp__formula_run(w->samples[dim]->ctx,
                            &(mnp__formula_call){.function = w->function,
                                                 .formula = before ? &number_next : &number_first,
                                                 .inputs = inputs,
                                                 .outputs_p = &number_p,
                                                 .type = mnp_dtype_promote(inputs[0]->dtype, inputs[1]->dtype),
                                                 .result = MNP_INT64});
}

/* ---- counting ---- */

static mnp_status count_numbers(const work *w, const mnp_array *numbers, mnp_array **counts_p)
{
    const mnp__count_bins counting = {
        .method = MNP_BINS_NUMBERS, .bins = w->all, .compared = MNP_INT64, .weights = w->weights};
    mnp_array *sums = NULL, *made = NULL;
    mnp_status st = mnp__count_bins_run(numbers, &counting, &sums);
    if (st == MNP_OK && sums->dtype != MNP_FLOAT64)
        st = mnp_astype(sums, MNP_FLOAT64, &made);
    if (st == MNP_OK)
        st = mnp_reshape(made ? made : sums, w->count, w->bins, counts_p);
    mnp_free_all(sums, made);
    return st;
}

/* Divide counts by the widths of the bins along a dimension. */
static mnp_status divide_by_widths(const work *w, int dim, mnp_array *counts)
{
    const mnp_array *edges = w->edges[dim];
    int after[MNP_MAX_DIMS];
    mnp_array *upper = NULL, *lower = NULL, *widths = NULL, *wide = NULL, *column = NULL;
    mnp_status st;
    for (int d = dim + 1; d < w->count; d++)
        after[d - dim - 1] = d - dim;
    MNP_TRY_OR(mnp_index(edges, "1:", &upper), st, done);
    MNP_TRY_OR(mnp_index(edges, ":-1", &lower), st, done);
    MNP_TRY_OR(mnp_subtract(upper, lower, &widths), st, done);
    MNP_TRY_OR(mnp_astype(widths, MNP_FLOAT64, &wide), st, done);
    MNP_TRY_OR(mnp_expand_dims(wide, w->count - dim - 1, after, &column), st, done);
    st = mnp_divide(counts, column, &counts);
done:
    mnp_free_all(upper, lower, widths, wide, column);
    return st;
}

static mnp_status make_density(const work *w, mnp_array *counts)
{
    mnp_array *total = NULL;
    MNP_TRY(mnp_sum(counts, MNP_ALL_AXES, &total));
    mnp_status st = MNP_OK;
    for (int d = 0; d < w->count && st == MNP_OK; d++)
        st = divide_by_widths(w, d, counts);
    if (st == MNP_OK)
        st = mnp_divide(counts, total, &counts);
    mnp_array_free(total);
    return st;
}

/* Count into a new array. */
static mnp_status count_bins(const work *w, mnp_array **counts_p)
{
    mnp_array *numbers = NULL;
    mnp_status st = MNP_OK;
    for (int d = 0; d < w->count && st == MNP_OK; d++) {
        mnp_array *next = NULL;
        st = number_bins(w, d, numbers, &next);
        mnp_array_free(numbers);
        numbers = next;
    }
    if (st == MNP_OK)
        st = count_numbers(w, numbers, counts_p);
    if (st == MNP_OK && w->density)
        st = make_density(w, *counts_p);
    mnp_array_free(numbers);
    return st;
}

/* ---- arguments ---- */

static mnp_status check_samples(const work *w)
{
    if (w->count < 1 || w->count > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d samples, outside 1..%d", w->function, w->count, MNP_MAX_DIMS);
    MNP_TRY(mnp__inputs_check(w->function, w->count, w->samples));
    for (int d = 0; d < w->count; d++)
        MNP_TRY(mnp__histogram_check(w->function, w->samples[0], d > 0 ? w->samples[d] : NULL));
    for (int d = 1; d < w->count; d++)
        MNP_TRY(mnp__histogram_check(w->function, w->samples[d], w->weights));
    if (w->weights && mnp_dtype_kind(w->weights->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the weights are %s, and must be real", w->function,
                        mnp_dtype_name(w->weights->dtype));
    return MNP_OK;
}

/* Compute the number of all bins, and check the output. */
static mnp_status check_bins(work *w, const mnp_array *counts)
{
    w->all = 1;
    for (int d = 0; d < w->count; d++) {
        if (w->bins[d] < 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: bins of dimension %d is %" PRId64 ", below 1", w->function, d,
                            w->bins[d]);
        if (__builtin_mul_overflow(w->all, w->bins[d], &w->all))
            return MNP_FAIL(MNP_ERR_ARG, "%s: there are more bins than 64-bit sizes hold", w->function);
    }
    const mnp__output_spec spec = {.function = w->function,
                                   .name = "counts",
                                   .ctx = w->samples[0]->ctx,
                                   .dtype = MNP_FLOAT64,
                                   .ndim = w->count,
                                   .shape = w->bins};
    return mnp__output_check(&spec, counts);
}

static mnp_status check_edges(const work *w, int d, mnp_dtype dtype, const mnp_array *given)
{
    const mnp__output_spec spec = {.function = w->function,
                                   .name = "edges",
                                   .ctx = w->samples[d]->ctx,
                                   .dtype = dtype,
                                   .ndim = 1,
                                   .shape = (int64_t[]){w->bins[d] + 1}};
    return mnp__output_check(&spec, given);
}

/* Edges as numpy.linspace() gives them: of float64 where a range is given, else of the samples' type if of floats. */
static mnp_status make_edges(work *w, const double *ranges, mnp_array *const *given, mnp_array **edges)
{
    for (int d = 0; d < w->count; d++) {
        mnp__even_bins even;
        MNP_TRY(mnp__even_range(w->function, w->samples[d], ranges ? ranges + 2 * d : NULL, &even));
        even.dtype = even.arithmetic;
        MNP_TRY(mnp__even_divide(w->function, w->bins[d], &even));
        if (given)
            MNP_TRY(check_edges(w, d, even.dtype, given[d]));
        MNP_TRY(mnp__even_edges(w->function, w->samples[d]->ctx, &even, &edges[d]));
        w->edges[d] = edges[d];
    }
    return MNP_OK;
}

static mnp_status histogramdd(work *w, const int64_t *bins, const double *ranges, mnp_array **counts_p,
                              mnp_array **edges)
{
    mnp_array *counts = NULL, *made[MNP_MAX_DIMS] = {NULL};
    mnp__output outputs[1 + MNP_MAX_DIMS];
    int noutputs = 0;
    MNP_TRY(check_samples(w));
    memcpy(w->bins, bins, (size_t)w->count * sizeof *bins);
    MNP_TRY(check_bins(w, *counts_p));
    mnp_status st = make_edges(w, ranges, edges, made);
    if (st == MNP_OK)
        st = count_bins(w, &counts);
    outputs[noutputs++] = (mnp__output){.array = counts, .user_p = counts_p};
    for (int d = 0; d < w->count; d++) {
        if (edges)
            outputs[noutputs++] = (mnp__output){.array = made[d], .user_p = &edges[d]};
        else
            mnp_array_free(made[d]);
    }
    return mnp__output_close(noutputs, outputs, st);
}

mnp_status mnp_histogramdd(const mnp_array *const *samples, int count, const int64_t *bins, const double *ranges,
                           bool density, const mnp_array *weights, mnp_array **counts_p, mnp_array **edges)
{
    MNP_ENTER(counts_p);
    MNP_NEED_ALL(count, samples);
    MNP_NEED_IF(count > 0, bins);
    MNP_NEED_OR_NULL(weights);
    MNP_NEED_IF(edges, edges);
    work w = {
        .function = "mnp_histogramdd", .count = count, .samples = samples, .density = density, .weights = weights};
    return histogramdd(&w, bins, ranges, counts_p, edges);
}

mnp_status mnp_histogramdd_edges(const mnp_array *const *samples, int count, const mnp_array *const *edges,
                                 bool density, const mnp_array *weights, mnp_array **counts_p)
{
    MNP_ENTER(counts_p);
    MNP_NEED_ALL(count, samples);
    MNP_NEED_ALL(count, edges);
    MNP_NEED_OR_NULL(weights);
    work w = {.function = "mnp_histogramdd_edges",
              .count = count,
              .samples = samples,
              .density = density,
              .weights = weights};
    mnp__input everywhere[MNP_MAX_DIMS] = {{NULL, NULL}};
    mnp_array *counts = NULL;
    MNP_TRY(check_samples(&w));
    for (int d = 0; d < count; d++) {
        MNP_TRY(mnp__check_edges(w.function, edges[d], samples[d]));
        w.bins[d] = edges[d]->layout->size - 1;
    }
    MNP_TRY(check_bins(&w, *counts_p));
    mnp_status st = MNP_OK;
    for (int d = 0; d < count && st == MNP_OK; d++) {
        st = mnp__input_open_everywhere(edges[d], MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &everywhere[d]);
        w.edges[d] = everywhere[d].array;
    }
    if (st == MNP_OK)
        st = count_bins(&w, &counts);
    for (int d = 0; d < count; d++)
        mnp__input_close(&everywhere[d]);
    return mnp__output_give(counts, st, counts_p);
}

mnp_status mnp_histogram2d(const mnp_array *x, const mnp_array *y, const int64_t *bins, const double *ranges,
                           bool density, const mnp_array *weights, mnp_array **counts_p, mnp_array **xedges_p,
                           mnp_array **yedges_p)
{
    MNP_ENTER(x, y, bins, counts_p);
    MNP_NEED_OR_NULL(weights);
    MNP_NEED_IF(xedges_p, xedges_p);
    MNP_NEED_IF(yedges_p, yedges_p);
    const mnp_array *samples[] = {x, y};
    work w = {.function = "mnp_histogram2d", .count = 2, .samples = samples, .density = density, .weights = weights};
    mnp_array *edges[] = {xedges_p ? *xedges_p : NULL, yedges_p ? *yedges_p : NULL};
    mnp_array **const wanted[] = {xedges_p, yedges_p};
    mnp_status st = histogramdd(&w, bins, ranges, counts_p, edges);
    for (int d = 0; d < 2; d++) {
        if (wanted[d] && st == MNP_OK)
            *wanted[d] = edges[d];
        else if (!wanted[d] || !*wanted[d])
            mnp_array_free(edges[d]);
    }
    return st;
}
