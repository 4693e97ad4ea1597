/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters by coefficients, with their states: to a recurrence, or to a sum of taps if there is no feedback. */
#include "signal/filters/filters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/filters.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "signal/filters/recurrence.h"
#include "signal/filters/upfirdn.h"

mnp_status mnp__filter_check(const char *function, const mnp__filter *filter)
{
    for (int64_t k = 0; k < filter->sections; k++) {
        if (filter->sos[6 * k + 3] != 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: a0 of section %" PRId64 " is %g, and must be 1", function, k,
                            filter->sos[6 * k + 3]);
    }
    if (filter->sections > 0)
        return MNP_OK;
    if (!filter->b)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " sections, and one is needed at least", function,
                        filter->sections);
    if (filter->nb < 1 || filter->na < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %" PRId64 " coefficients and a has %" PRId64 ", and both need one",
                        function, filter->nb, filter->na);
    if (filter->a[0] == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: a[0] is 0", function);
    return MNP_OK;
}

int64_t mnp__filter_order(const mnp__filter *filter)
{
    return filter->sections ? 2 * filter->sections : mnp__max(filter->nb, filter->na) - 1;
}

mnp_status mnp__lines_part(const mnp_array *x, int axis, int64_t begin, int64_t end, int step, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = mnp__view_whole(x, d);
    dims[axis].extent = end > begin ? end - begin : 0;
    dims[axis].start = step > 0 || end <= begin ? begin : end - 1;
    dims[axis].step = step;
    return mnp__view_make(x, x->layout->ndim, dims, NULL, view_p);
}

/* ---- steady states ---- */

/* scipy.signal.lfilter_zi for coefficients with na == nb == n and a[0] == 1. */
static mnp_status steady(const char *function, int64_t n, const double *b, const double *a, double *zi)
{
    double sum_a = 0, sum_b = 0, asum = 1, csum = 0;
    for (int64_t k = 0; k < n; k++)
        sum_a += a[k];
    for (int64_t k = 1; k < n; k++)
        sum_b += b[k] - a[k] * b[0];
    if (n > 1 && sum_a == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the coefficients a sum to 0, so the filter has no steady state", function);
    for (int64_t k = 0; k < n - 1; k++) {
        zi[k] = k == 0 ? sum_b / sum_a : asum * zi[0] - csum;
        asum += a[k + 1];
        csum += b[k + 1] - a[k + 1] * b[0];
    }
    return MNP_OK;
}

/* b[0 .. n-1] and then a[0 .. n-1], divided by a[0] and filled up with zeros; *both_p is malloc'ed. */
static mnp_status normalize(const mnp__filter *filter, double **both_p)
{
    const int64_t n = mnp__filter_order(filter) + 1;
    MNP_TRY(mnp__calloc((size_t)(2 * n), sizeof **both_p, both_p));
    for (int64_t k = 0; k < n; k++) {
        (*both_p)[k] = k < filter->nb ? filter->b[k] / filter->a[0] : 0;
        (*both_p)[n + k] = k < filter->na ? filter->a[k] / filter->a[0] : 0;
    }
    return MNP_OK;
}

mnp_status mnp__filter_steady(const char *function, const mnp__filter *filter, double *zi)
{
    const int64_t n = mnp__filter_order(filter) + 1;
    double *both, scale = 1;
    for (int64_t k = 0; k < filter->sections; k++, zi += 2) {
        const double *b = filter->sos + 6 * k, *a = b + 3;
        MNP_TRY(steady(function, 3, b, a, zi));
        zi[0] *= scale;
        zi[1] *= scale;
        scale *= (b[0] + b[1] + b[2]) / (a[0] + a[1] + a[2]);
    }
    if (filter->sections > 0)
        return MNP_OK;
    MNP_TRY(normalize(filter, &both));
    mnp_status st = steady(function, n, both, both + n, zi);
    free(both);
    return st;
}

mnp_status mnp_lfilter_zi(int64_t nb, const double *b, int64_t na, const double *a, double *zi)
{
    MNP_ENTER(b, a, zi);
    const mnp__filter filter = {.nb = nb, .na = na, .b = b, .a = a};
    MNP_TRY(mnp__filter_check("mnp_lfilter_zi", &filter));
    return mnp__filter_steady("mnp_lfilter_zi", &filter, zi);
}

mnp_status mnp_sosfilt_zi(int64_t sections, const double *sos, double *zi)
{
    MNP_ENTER(sos, zi);
    const mnp__filter filter = {.sections = sections, .sos = sos};
    MNP_TRY(mnp__filter_check("mnp_sosfilt_zi", &filter));
    return mnp__filter_steady("mnp_sosfilt_zi", &filter, zi);
}

/* ---- runs ---- */

/* A filter without feedback and with states: the sums of taps beyond the end are the state that is left. */
static mnp_status run_with_states(const char *function, const mnp__upfirdn *taps, const mnp_array *x, int axis,
                                  const mnp_array *start, mnp_array **y_p, mnp_array **end_p)
{
    const int64_t order = taps->count - 1, extent = x->layout->shape[axis];
    const bool widens = start && mnp_dtype_kind(start->dtype) == 'c' && mnp_dtype_kind(x->dtype) != 'c';
    mnp_array *wide = NULL, *full = NULL, *head = NULL, *states = NULL, *tail = NULL, *end = NULL;
    mnp__upfirdn whole = *taps;
    mnp_status st = MNP_OK;
    whole.outputs = extent + order;
    if (widens)
        MNP_TRY_OR(mnp_astype(x, MNP_COMPLEX128, &wide), st, done);
    MNP_TRY_OR(mnp__upfirdn_run(function, &whole, wide ? wide : x, axis, &full), st, done);
    if (start) {
        MNP_TRY_OR(mnp__lines_part(full, axis, 0, order, 1, &head), st, done);
        MNP_TRY_OR(mnp_moveaxis(start, 0, axis, &states), st, done);
        MNP_TRY_OR(mnp_add(head, states, &head), st, done);
        mnp_array_free(head);
        head = NULL;
    }
    if (end_p) {
        MNP_TRY_OR(mnp__lines_part(full, axis, extent, extent + order, 1, &tail), st, done);
        MNP_TRY_OR(mnp_moveaxis(tail, axis, 0, &end), st, done);
    }
    MNP_TRY_OR(mnp__lines_part(full, axis, 0, extent, 1, &head), st, done);
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = full->dtype,
                                   .layout = x->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    mnp__output output;
    MNP_TRY_OR(mnp__output_open(&spec, y_p, &output), st, done);
    st = mnp__output_close(1, &output, mnp__array_copy_to(head, output.array));
done:
    if (end_p && st == MNP_OK)
        *end_p = end;
    else
        mnp_array_free(end);
    mnp_free_all(wide, full, head, states, tail);
    return st;
}

mnp_status mnp__filter_recurrence(const mnp__filter *filter, mnp__recurrence *recurrence, double **coefficients_p)
{
    const int64_t order = mnp__filter_order(filter), n = order + 1;
    double *c;
    if (filter->sections) {
        MNP_TRY(mnp__malloc((size_t)filter->sections * 5 * sizeof *c, &c));
        for (int64_t k = 0; k < filter->sections; k++) {
            memcpy(c + 5 * k, filter->sos + 6 * k, 3 * sizeof *c);
            memcpy(c + 5 * k + 3, filter->sos + 6 * k + 4, 2 * sizeof *c);
        }
    } else {
        MNP_TRY(normalize(filter, &c));
        memmove(c + n, c + n + 1, (size_t)order * sizeof *c); /* without a[0] */
    }
    *recurrence = (mnp__recurrence){.sections = filter->sections, .order = order, .coefficients = c};
    *coefficients_p = c;
    return MNP_OK;
}

static mnp_status run_taps(const char *function, const mnp__filter *filter, const mnp_array *x, int axis,
                           const mnp_array *start, mnp_array **y_p, mnp_array **end_p)
{
    double *both;
    MNP_TRY(normalize(filter, &both));
    const mnp__upfirdn taps = {
        .count = mnp__filter_order(filter) + 1, .taps = both, .up = 1, .down = 1, .outputs = x->layout->shape[axis]};
    const mnp_status st = start || end_p ? run_with_states(function, &taps, x, axis, start, y_p, end_p)
                                         : mnp__upfirdn_run(function, &taps, x, axis, y_p);
    free(both);
    return st;
}

bool mnp__filter_feeds_back(const mnp__filter *filter)
{
    return filter->sections > 0 || filter->na > 1;
}

mnp_status mnp__filter_run(const char *function, const mnp__filter *filter, const mnp_array *x, int axis,
                           const mnp_array *start, mnp_array **y_p, mnp_array **end_p)
{
    mnp__recurrence recurrence;
    double *coefficients;
    if (!mnp__filter_feeds_back(filter))
        return run_taps(function, filter, x, axis, start, y_p, end_p);
    MNP_TRY(mnp__filter_recurrence(filter, &recurrence, &coefficients));
    const mnp_status st = mnp__recurrence_run(function, &recurrence, x, axis, start, y_p, end_p);
    free(coefficients);
    return st;
}

/* ---- states of users ---- */

/* The shape of a user's states: [sections,] x with order or 2 elements along the axis. */
static int states_shape(const mnp__filter *filter, const mnp_array *x, int axis, int64_t *shape)
{
    int ndim = 0;
    if (filter->sections)
        shape[ndim++] = filter->sections;
    for (int d = 0; d < x->layout->ndim; d++)
        shape[ndim++] = d != axis ? x->layout->shape[d] : filter->sections ? 2 : mnp__filter_order(filter);
    return ndim;
}

static mnp_status check_states(const char *function, const mnp__filter *filter, const mnp_array *x, int axis,
                               const mnp_array *zi)
{
    int64_t shape[MNP_MAX_DIMS + 1];
    const int ndim = states_shape(filter, x, axis, shape);
    bool fits = ndim == zi->layout->ndim;
    for (int d = 0; d < ndim && fits; d++)
        fits = shape[d] == zi->layout->shape[d];
    if (!fits)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: zi has %d dimensions and %" PRId64 " elements, and must have the shape of x "
                        "with %" PRId64 " elements along axis %d%s",
                        function, zi->layout->ndim, zi->layout->size, filter->sections ? 2 : mnp__filter_order(filter),
                        axis, filter->sections ? ", behind one dimension of the sections" : "");
    return MNP_OK;
}

/* Bring a user's states to the order of mnp__filter_run(), or back.  *to_p is a new array or view. */
static mnp_status states_in(const mnp__filter *filter, const mnp_array *x, int axis, const mnp_array *zi,
                            mnp_array **to_p)
{
    int64_t shape[MNP_MAX_DIMS] = {2 * filter->sections};
    mnp_array *moved = NULL;
    if (!filter->sections)
        return mnp_moveaxis(zi, axis, 0, to_p);
    for (int d = 0, k = 1; d < x->layout->ndim; d++) {
        if (d != axis)
            shape[k++] = x->layout->shape[d];
    }
    MNP_TRY(mnp_moveaxis(zi, axis + 1, 1, &moved));
    mnp_status st = mnp_reshape(moved, x->layout->ndim, shape, to_p);
    mnp_array_free(moved);
    return st;
}

static mnp_status states_out(const mnp__filter *filter, const mnp_array *x, int axis, const mnp_array *end,
                             mnp_array **to_p)
{
    int64_t shape[MNP_MAX_DIMS + 1] = {filter->sections, 2};
    mnp_array *shaped = NULL;
    if (!filter->sections)
        return mnp_moveaxis(end, 0, axis, to_p);
    for (int d = 0, k = 2; d < x->layout->ndim; d++) {
        if (d != axis)
            shape[k++] = x->layout->shape[d];
    }
    MNP_TRY(mnp_reshape(end, x->layout->ndim + 1, shape, &shaped));
    mnp_status st = mnp_moveaxis(shaped, 1, axis + 1, to_p);
    mnp_array_free(shaped);
    return st;
}

static mnp_status filter_array(const char *function, const mnp__filter *filter, const mnp_array *x, int axis,
                               const mnp_array *zi, mnp_array **y_p, mnp_array **zf_p)
{
    const mnp_array *inputs[] = {x, zi};
    mnp_array *start = NULL, *end = NULL, *final = NULL, *y = *y_p;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, zi ? 2 : 1, inputs));
    MNP_TRY(mnp__filter_check(function, filter));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    if (filter->sections && (zi || zf_p) && x->layout->ndim == MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: the states of an array of %d dimensions would have one more",
                        function, MNP_MAX_DIMS);
    if (zi)
        MNP_TRY(check_states(function, filter, x, axis, zi));
    MNP_TRY(mnp__output_check_distinct(function, 2, (mnp_array * *const[]){y_p, zf_p}));
    if (zf_p && *zf_p) {
        int64_t shape[MNP_MAX_DIMS + 1];
        const bool is_complex = mnp_dtype_kind(x->dtype) == 'c' || (zi && mnp_dtype_kind(zi->dtype) == 'c');
        const mnp__output_spec spec = {.function = function,
                                       .name = "zf",
                                       .ctx = x->ctx,
                                       .dtype = is_complex ? MNP_COMPLEX128 : MNP_FLOAT64,
                                       .ndim = states_shape(filter, x, axis, shape),
                                       .shape = shape};
        MNP_TRY(mnp__output_check(&spec, *zf_p));
    }
    if (zi)
        MNP_TRY_OR(states_in(filter, x, axis, zi, &start), st, done);
    MNP_TRY_OR(mnp__filter_run(function, filter, x, axis, start, &y, zf_p ? &end : NULL), st, done);
    if (zf_p)
        st = states_out(filter, x, axis, end, &final);
done:
    mnp_free_all(start, end);
    mnp__output outputs[] = {{.array = y, .user_p = y_p}, {.array = final, .user_p = zf_p}};
    return mnp__output_close(zf_p ? 2 : 1, outputs, st);
}

mnp_status mnp_lfilter(int64_t nb, const double *b, int64_t na, const double *a, const mnp_array *x, int axis,
                       const mnp_array *zi, mnp_array **y_p, mnp_array **zf_p)
{
    MNP_ENTER(b, a, x, y_p);
    MNP_NEED_OR_NULL(zi);
    MNP_NEED_OR_NULL(zf_p);
    const mnp__filter filter = {.nb = nb, .na = na, .b = b, .a = a};
    return filter_array("mnp_lfilter", &filter, x, axis, zi, y_p, zf_p);
}

mnp_status mnp_sosfilt(int64_t sections, const double *sos, const mnp_array *x, int axis, const mnp_array *zi,
                       mnp_array **y_p, mnp_array **zf_p)
{
    MNP_ENTER(sos, x, y_p);
    MNP_NEED_OR_NULL(zi);
    MNP_NEED_OR_NULL(zf_p);
    const mnp__filter filter = {.sections = sections, .sos = sos};
    return filter_array("mnp_sosfilt", &filter, x, axis, zi, y_p, zf_p);
}
