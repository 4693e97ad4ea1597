/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlation and convolution in all dimensions.
 *
 * Up to 64 weights are a neighbourhood filter.  More are given to mnp_convolve(), which chooses among methods, as a
 * kernel that is padded with zeros so that its middle is where the window's origin is.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "array/output.h"
#include "base/call.h"
#include "base/integer.h"
#include "ndimage/linear.h"

/* ---- few weights ---- */

struct summing {
    mnp__neighbours *filter;
    const double *weights;
    bool mirrored;
    int64_t total;
    int count;
};

static double weight_of(const struct summing *summing, int64_t number)
{
    return summing->weights[summing->mirrored ? summing->total - 1 - number : number];
}

/* As in SciPy, elements without weight do not count, even if they are NaN. */
static void add_weight(void *argument, int64_t number, const int64_t *at)
{
    struct summing *summing = argument;
    const double weight = weight_of(summing, number);
    mnp__text *body = &summing->filter->body;
    if (fabs(weight) <= DBL_EPSILON)
        return;
    if (summing->count < MNP_NEIGHBOUR_WEIGHTS) {
        summing->filter->weights[0][summing->count] = weight;
        mnp__text_add(body, "    r += in.at(");
        mnp__neighbours_tap(summing->filter, at);
        mnp__text_add(body, ") * in.weight(%d);\n", summing->count);
    }
    summing->count++;
}

static mnp_status sum_window(const mnp_array *x, mnp__neighbours *filter, struct summing *summing, mnp_array **y_p)
{
    char room[MNP__NEIGHBOURS_ROOM];
    const bool narrow = filter->output == MNP_FLOAT32 && x->dtype == MNP_FLOAT32;
    filter->value = narrow ? MNP_FLOAT32 : MNP_FLOAT64;
    mnp__neighbours_start(filter, x->layout->ndim, room);
    mnp__text_add(&filter->body, "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
                                 "    mnp_lanes r = {};\n");
    mnp__filter_taps(filter, NULL, add_weight, summing);
    mnp__text_add(&filter->body,
                  "    kept[0] = r;\n}\ntemplate <typename Column> MNP_INLINE mnp_lanes mnp_finish(const "
                  "Column &column)\n{\n    return column(0, 0);\n}\n");
    return mnp__neighbours_run(filter, x, y_p);
}

/* ---- many weights ---- */

/*
 * Copy the weights of a convolution to the middle of a kernel of odd extents, whose middle is at the window's element.
 */
static mnp_status pad_weights(const mnp__neighbours *filter, const struct summing *summing, int64_t *shape,
                              double **kernel_p)
{
    int64_t total = 1, at[MNP_MAX_DIMS] = {0};
    double *kernel;
    for (int d = 0; d < filter->ndim; d++) {
        const int64_t below = -filter->low[d], above = filter->low[d] + filter->span[d] - 1;
        shape[d] = 2 * mnp__max(below, above) + 1;
        total *= shape[d];
    }
    MNP_TRY(mnp__calloc((size_t)total, sizeof *kernel, &kernel));
    for (int64_t i = 0; i < summing->total; i++) {
        int64_t number = 0, place = 0;
        for (int d = 0; d < filter->ndim; d++) {
            number += at[d] * filter->number[d];
            place = place * shape[d] + at[d] + filter->low[d] + shape[d] / 2;
        }
        kernel[place] = weight_of(summing, number);
        for (int d = filter->ndim - 1; d >= 0; d--) {
            if (++at[d] < filter->span[d])
                break;
            at[d] = 0;
        }
    }
    *kernel_p = kernel;
    return MNP_OK;
}

static mnp_status convolve_window(const mnp_array *x, const mnp__neighbours *filter, const struct summing *summing,
                                  mnp_boundary boundary, mnp_array **y_p)
{
    mnp_ctx *ctx = x->ctx;
    int64_t shape[MNP_MAX_DIMS];
    double *values = NULL;
    mnp_array *kernel = NULL, *sums = NULL, *result = NULL;
    const bool whole = mnp_dtype_kind(filter->output) != 'f' && mnp_dtype_kind(filter->output) != 'c';
    const mnp_conv_options options = {.mode = MNP_CONV_SAME,
                                      .boundary = boundary,
                                      .fillvalue = filter->outside,
                                      .dtype = whole ? MNP_FLOAT64 : filter->output,
                                      .correlate = true};
    mnp_status st = MNP_AGREE(ctx, pad_weights(filter, summing, shape, &values));
    if (st == MNP_OK)
        st = mnp_array_from_host(ctx, MNP_FLOAT64, filter->ndim, shape, values, &kernel);
    free(values);
    if (st == MNP_OK)
        st = mnp_convolve(x, kernel, &options, &sums);
    mnp_array_free(kernel);
    if (st == MNP_OK && whole) { /* SciPy's integers lose the fraction, as in C */
        st = mnp_astype(sums, filter->output, &result);
        mnp_array_free(sums);
        sums = result;
    }
    return mnp__output_give(sums, st, y_p);
}

/* ---- either ---- */

static mnp_status correlate(const char *function, const mnp_array *x, const int64_t *shape, const double *weights,
                            const mnp_ndimage_options *options, bool mirrored, mnp_array **y_p)
{
    mnp__filter_axes axes;
    mnp__neighbours filter;
    struct summing summing = {.filter = &filter, .weights = weights, .mirrored = mirrored, .total = 1};
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    if (axes.output == MNP_BOOL) {
        mnp_ndimage_options numbers = *axes.options;
        mnp_array *made = NULL;
        numbers.dtype = MNP_INT64;
        mnp_status st = correlate(function, x, shape, weights, &numbers, mirrored, &made);
        return mnp__give_bools(made, st, y_p);
    }
    MNP_TRY(mnp__filter_window(function, x, &axes, shape, mirrored, &filter));
    filter.ndim = x->layout->ndim;
    bool one_boundary = true;
    for (int a = 0; a < axes.count; a++) {
        summing.total *= shape[a];
        one_boundary = one_boundary && axes.boundary[a] == axes.boundary[0];
    }
    int64_t used = 0;
    for (int64_t i = 0; i < summing.total; i++)
        used += fabs(weights[i]) > DBL_EPSILON;
    const bool is_complex = mnp_dtype_kind(x->dtype) == 'c' || mnp_dtype_kind(axes.output) == 'c';
    if (used <= MNP_NEIGHBOUR_WEIGHTS && !is_complex)
        return sum_window(x, &filter, &summing, y_p);
    if (!one_boundary)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: more than %d weights, and complex inputs, need one mode for all axes",
                        function, MNP_NEIGHBOUR_WEIGHTS);
    for (int d = 0; d < x->layout->ndim; d++)
        if (x->layout->shape[d] == 0) {
            mnp_array *empty = NULL;
            mnp_status st = mnp_astype(x, axes.output, &empty);
            return mnp__output_give(empty, st, y_p);
        }
    return convolve_window(x, &filter, &summing, axes.boundary[0], y_p);
}

mnp_status mnp_ndimage_correlate(const mnp_array *x, const int64_t *shape, const double *weights,
                                 const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, shape, weights, y_p);
    return correlate(__func__, x, shape, weights, options, false, y_p);
}

mnp_status mnp_ndimage_convolve(const mnp_array *x, const int64_t *shape, const double *weights,
                                const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, shape, weights, y_p);
    return correlate(__func__, x, shape, weights, options, true, y_p);
}
