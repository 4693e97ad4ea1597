/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear filters along axes.
 *
 * On GPUs they are passes of signal/separable.h, two axes in one where these can be fused.  On the host, and where they
 * cannot, sums of integers, and on the host of floats, of up to 64 elements are neighbourhood filters, two axes in one
 * pass where that changes nothing but rounding; the mean is a sum that is divided once, so that means of integers are
 * exact.  Longer sums and those of complex numbers are passes, too.
 */
#include "ndimage/linear.h"

#include <maniple/ufunc.h>

#include "array/output.h"
#include "base/dtype.h"
#include "kernels/signal/extended_params.h"
#include "signal/separable.h"

/* outputs of a thread of a GPU; elements of a sum that is fused with another one, on GPUs of floats too */
enum { RUN = 5, FUSED = 16, TINY = 3 };

/* Sums are in double, as SciPy's, but for floats of at most four bytes that stay so. */
static mnp_dtype sum_dtype(mnp_dtype input, mnp_dtype output)
{
    const bool narrow = mnp_dtype_kind(input) == 'f' && mnp_dtype_kind(output) == 'f' && mnp_dtype_size(input) <= 4 &&
                        mnp_dtype_size(output) <= 4;
    return narrow ? MNP_FLOAT32 : MNP_FLOAT64;
}

/* ---- one or two sums as a neighbourhood filter ---- */

/* The statements of a stage: `element` is the text before and after the number of an element. */
static void write_stage(mnp__neighbours *filter, int stage, const mnp__axis_sum *sum, bool cast)
{
    mnp__text *body = &filter->body;
    int64_t at[MNP_MAX_DIMS] = {0};
    mnp__text_add(body, stage == 0
                            ? "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
                            : "template <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n"
                              "{\n");
    for (int j = 0; j < sum->count; j++) {
        mnp__text_add(body, j == 0 ? "    mnp_lanes r = " : "    r += ");
        at[sum->axis] = j;
        if (stage == 1)
            mnp__text_add(body, "column(%d, 0)", j);
        if (stage == 0) {
            mnp__text_add(body, "in.at(");
            mnp__neighbours_tap(filter, at);
            mnp__text_add(body, ")");
        }
        if (sum->weights)
            mnp__text_add(body, " * %s.weight(%d)", stage == 0 ? "in" : "column", j);
        mnp__text_add(body, ";\n");
    }
    if (!sum->weights)
        mnp__text_add(body, "    r = r / (MNP_VALUE)%d;\n", (int)sum->count);
    if (cast)
        mnp__text_add(body, "    r = mnp_cast(r);\n");
    mnp__text_add(body, stage == 0 ? "    kept[0] = r;\n}\n" : "    return r;\n}\n");
}

/* Run one sum, or two of which the second is along the last dimension. */
static mnp_status run_as_neighbours(const char *function, const mnp_array *x, int count, const mnp__axis_sum *sums,
                                    mnp_dtype output, double outside, mnp_array **y_p)
{
    char room[MNP__NEIGHBOURS_ROOM];
    const int ndim = x->layout->ndim;
    const mnp__axis_sum one = {.count = 1, .axis = ndim - 1, .weights = (const double[]){1}};
    const bool along_last = count == 1 && sums[0].axis == ndim - 1;
    const mnp__axis_sum *first = along_last ? &one : &sums[0], *second = along_last ? &sums[0] : &sums[1];
    mnp__neighbours filter = {.function = function,
                              .value = sum_dtype(x->dtype, output),
                              .output = output,
                              .outside = outside,
                              .columns = 1,
                              .kept = 1,
                              .run = 1};
    for (int d = 0; d < ndim; d++)
        filter.span[d] = 1;
    for (int i = 0; i < count; i++) {
        filter.span[sums[i].axis] = sums[i].count;
        filter.low[sums[i].axis] = sums[i].first;
        filter.boundary[sums[i].axis] = sums[i].boundary;
    }
    if (count == 1 && !along_last)
        second = &one;
    for (int j = 0; first->weights && j < first->count; j++)
        filter.weights[0][j] = first->weights[j];
    for (int j = 0; second->weights && j < second->count; j++)
        filter.weights[1][j] = second->weights[j];
    filter.columns = (int)second->count;
    filter.run = second->count > 1 ? RUN : 1;
    mnp__neighbours_start(&filter, ndim, room);
    write_stage(&filter, 0, first, !mnp__dtype_is_inexact(output) && count == 2);
    write_stage(&filter, 1, second, false);
    return mnp__neighbours_run(&filter, x, y_p);
}

/* Whether two sums can be one pass, the first across the last dimension and the second along it. */
static bool are_one_pass(int ndim, const mnp__axis_sum *first, const mnp__axis_sum *second, double outside)
{
    return second->axis == ndim - 1 && first->axis != second->axis && first->count <= FUSED && second->count <= FUSED &&
           !(second->boundary == MNP_BOUNDARY_FILL && outside != 0);
}

static mnp_status run_in_turn(const char *function, const mnp_array *x, int count, const mnp__axis_sum *sums,
                              mnp_dtype output, double outside, mnp_array **y_p)
{
    const int ndim = x->layout->ndim;
    const mnp_array *from = x;
    mnp_array *made = NULL;
    mnp_status st = MNP_OK;
    for (int i = 0; i < count && st == MNP_OK;) {
        mnp__axis_sum pair[2] = {sums[i], sums[i + 1 < count ? i + 1 : i]};
        mnp_array *to = NULL;
        int taken = 1;
        if (i + 1 < count && are_one_pass(ndim, &pair[0], &pair[1], outside)) {
            taken = 2;
        } else if (i + 1 < count && mnp__dtype_is_inexact(output) && are_one_pass(ndim, &pair[1], &pair[0], outside)) {
            pair[0] = sums[i + 1]; /* floats: in the other order the result differs by rounding alone */
            pair[1] = sums[i];
            taken = 2;
        }
        i += taken;
        st = run_as_neighbours(function, from, taken, pair, output, outside, i == count ? y_p : &to);
        mnp_array_free(made);
        from = made = to;
    }
    return st;
}

/* ---- passes ---- */

static void fill_spec(const mnp_array *x, int count, const mnp__axis_sum *sums, mnp_dtype output, double outside,
                      mnp__pass *passes, mnp__separable_spec *spec)
{
    const bool is_complex = mnp_dtype_kind(output) == 'c';
    const mnp_dtype complex = output == MNP_COMPLEX64 ? MNP_COMPLEX64 : MNP_COMPLEX128;
    for (int i = 0; i < count; i++)
        passes[i] = (mnp__pass){.axis = sums[i].axis,
                                .count = sums[i].count,
                                .taps = sums[i].weights,
                                .first = sums[i].first,
                                .boundary = sums[i].boundary,
                                .combination = sums[i].weights ? MNP__SUMS : MNP__MEANS};
    *spec = (mnp__separable_spec){.input = x->dtype,
                                  .output = output,
                                  .sum = is_complex ? complex : sum_dtype(x->dtype, output),
                                  .between = output,
                                  .truncates = true,
                                  .layout = x->layout,
                                  .npasses = count,
                                  .passes = passes,
                                  .fillvalue = outside,
                                  .refills = true};
}

/* ---- bools ---- */

mnp_status mnp__give_bools(mnp_array *numbers, mnp_status st, mnp_array **y_p)
{
    mnp_array *whole = NULL, *bools = NULL;
    if (st == MNP_OK)
        st = mnp_astype(numbers, MNP_INT64, &whole);
    if (st == MNP_OK)
        st = mnp_astype(whole, MNP_BOOL, &bools);
    mnp_array_free(numbers);
    mnp_array_free(whole);
    return mnp__output_give(bools, st, y_p);
}

/* ---- either ---- */

/* Whether sums are neighbourhood filters where they are not fused passes: see above. */
static bool are_neighbours(const mnp_array *x, int count, const mnp__axis_sum *sums, mnp_dtype output)
{
    const bool on_gpu = x->ctx->device->block_memory > 0;
    const bool one_pass = count == 2 && (sums[0].axis == x->layout->ndim - 1 || sums[1].axis == x->layout->ndim - 1);
    bool small = mnp_dtype_kind(x->dtype) != 'c' && mnp_dtype_kind(output) != 'c', tiny = one_pass;
    for (int i = 0; i < count; i++) {
        small = small && sums[i].count <= MNP_NEIGHBOUR_WEIGHTS;
        tiny = tiny && sums[i].count <= TINY;
    }
    return small && (tiny || !on_gpu || !mnp__dtype_is_inexact(output) || x->layout->ndim > MNP_CONV_DIMS);
}

mnp_status mnp__axis_sums_run(const char *function, const mnp_array *x, int count, const mnp__axis_sum *sums,
                              mnp_dtype output, double outside, mnp_array **y_p)
{
    mnp__pass passes[MNP_MAX_DIMS];
    mnp__separable_spec spec;
    if (mnp_dtype_kind(x->dtype) == 'c' && mnp_dtype_kind(output) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: a result of %s cannot hold that of %s, which is complex", function,
                        mnp_dtype_name(output), mnp_dtype_name(x->dtype));
    if (count == 0) {
        mnp_array *made = NULL;
        mnp_status st = mnp_astype(x, output, &made);
        return mnp__output_give(made, st, y_p);
    }
    if (output == MNP_BOOL) { /* between the passes are integers, as in SciPy, whose bools are bytes there */
        mnp_array *numbers = NULL;
        mnp_status st = mnp__axis_sums_run(function, x, count, sums, MNP_INT64, outside, &numbers);
        return mnp__give_bools(numbers, st, y_p);
    }
    fill_spec(x, count, sums, output, outside, passes, &spec);
    if (!mnp__separable_is_fused(x->ctx, &spec) && are_neighbours(x, count, sums, output))
        return run_in_turn(function, x, count, sums, output, outside, y_p);
    return mnp__separable_call(function, &spec, x, y_p);
}
