/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters forward and backward, of an array that goes on beyond its ends; and what else is made of filters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/filters.h>
#include <maniple/join.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/integer.h"
#include "kernels/signal/filters/recurrence_tiles_params.h"
#include "layout/layout.h"
#include "signal/filters/both_ways.h"
#include "signal/filters/filters.h"
#include "signal/filters/upfirdn.h"

/* ---- beyond the ends ---- */

/* How x goes on at one end: `side` has its elements, next to `end`, in reverse order.  *piece_p is a new array. */
static mnp_status extend_side(const char *padtype, const mnp_array *end, const mnp_array *side, mnp_array **piece_p)
{
    mnp_array *twice = NULL;
    if (strcmp(padtype, "odd") == 0) {
        mnp_status st = mnp_multiply(end, mnp_scalar_int(end->ctx, 2), &twice);
        if (st == MNP_OK)
            st = mnp_subtract(twice, side, piece_p);
        mnp_array_free(twice);
        return st;
    }
    if (strcmp(padtype, "even") == 0)
        return mnp_copy(side, piece_p);
    return mnp_broadcast_to(end, side->layout->ndim, side->layout->shape, piece_p);
}

/* x with `width` more elements at both ends. */
static mnp_status extend(const char *padtype, const mnp_array *x, int axis, int64_t width, mnp_array **extended_p)
{
    const int64_t extent = x->layout->shape[axis];
    const int64_t ends[] = {0, extent - 1}, sides[] = {1, extent - 1 - width};
    mnp_array *end = NULL, *side = NULL, *pieces[2] = {NULL, NULL};
    mnp_status st = MNP_OK;
    for (int i = 0; i < 2; i++) {
        MNP_TRY_OR(mnp__lines_part(x, axis, ends[i], ends[i] + 1, 1, &end), st, done);
        MNP_TRY_OR(mnp__lines_part(x, axis, sides[i], sides[i] + width, -1, &side), st, done);
        MNP_TRY_OR(extend_side(padtype, end, side, &pieces[i]), st, done);
        mnp_free_all(end, side);
        end = side = NULL;
    }
    st = mnp_concatenate((const mnp_array *[]){pieces[0], x, pieces[1]}, 3, axis, extended_p);
done:
    mnp_free_all(end, side, pieces[0], pieces[1]);
    return st;
}

/* ---- forward and backward ---- */

/* The steady states for lines that begin with the first elements of x: dimension 0 has those of the filter. */
static mnp_status steady_states(const mnp_array *x, int axis, int64_t order, const double *zi, mnp_array **states_p)
{
    int64_t shape[MNP_MAX_DIMS] = {order};
    mnp_array *unit = NULL, *first = NULL, *moved = NULL;
    mnp_status st;
    for (int d = 1; d < x->layout->ndim; d++)
        shape[d] = 1;
    MNP_TRY_OR(mnp_array_from_host(x->ctx, MNP_FLOAT64, x->layout->ndim, shape, zi, &unit), st, done);
    MNP_TRY_OR(mnp__lines_part(x, axis, 0, 1, 1, &first), st, done);
    MNP_TRY_OR(mnp_moveaxis(first, axis, 0, &moved), st, done);
    st = mnp_multiply(unit, moved, states_p);
done:
    mnp_free_all(unit, first, moved);
    return st;
}

/* Filter in one direction from steady states, and reverse the result. */
static mnp_status pass(const char *function, const mnp__filter *filter, const mnp_array *x, int axis, const double *zi,
                       mnp_array **reversed_p)
{
    const int64_t order = mnp__filter_order(filter);
    mnp_array *states = NULL, *y = NULL;
    mnp_status st = order > 0 ? steady_states(x, axis, order, zi, &states) : MNP_OK;
    if (st == MNP_OK)
        st = mnp__filter_run(function, filter, x, axis, states, &y, NULL);
    if (st == MNP_OK)
        st = mnp__lines_part(y, axis, 0, y->layout->shape[axis], -1, reversed_p);
    mnp_free_all(states, y);
    return st;
}

/* What a call wants. */
typedef struct request {
    const char *function, *padtype;
    const mnp__filter *filter;
    double *steady;
    int axis;
    int64_t width, every; /* elements added at both ends; results that are kept */
} request;

static mnp_status run_passes(const request *r, const mnp_array *x, mnp_array **y_p)
{
    const int64_t extent = x->layout->shape[r->axis];
    mnp__view_dim dims[MNP_MAX_DIMS];
    mnp_array *extended = NULL, *forward = NULL, *both = NULL, *kept = NULL;
    mnp_status st;
    mnp__output output;
    if (r->width > 0)
        MNP_TRY_OR(extend(r->padtype, x, r->axis, r->width, &extended), st, done);
    MNP_TRY_OR(pass(r->function, r->filter, extended ? extended : x, r->axis, r->steady, &forward), st, done);
    MNP_TRY_OR(pass(r->function, r->filter, forward, r->axis, r->steady, &both), st, done);
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = mnp__view_whole(both, d);
    dims[r->axis].start = r->width;
    dims[r->axis].step = r->every;
    dims[r->axis].extent = mnp__divide_up(extent, r->every);
    MNP_TRY_OR(mnp__view_make(both, x->layout->ndim, dims, NULL, &kept), st, done);
    const mnp__output_spec spec = {.function = r->function,
                                   .ctx = x->ctx,
                                   .dtype = kept->dtype,
                                   .layout = r->every == 1 ? x->layout : kept->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY_OR(mnp__output_open(&spec, y_p, &output), st, done);
    st = mnp__output_close(1, &output, mnp__array_copy_to(kept, output.array));
done:
    mnp_free_all(extended, forward, both, kept);
    return st;
}

static mnp_status both_ways(const request *r, const mnp_array *x, mnp_array **y_p)
{
    mnp__recurrence recurrence;
    double *coefficients;
    if (!mnp__filter_feeds_back(r->filter))
        return run_passes(r, x, y_p);
    MNP_TRY(mnp__filter_recurrence(r->filter, &recurrence, &coefficients));
    const mnp__both_ways how = {.function = r->function,
                                .filter = &recurrence,
                                .steady = r->steady,
                                .extension = strcmp(r->padtype, "even") == 0       ? MNP_EXTENSION_EVEN
                                             : strcmp(r->padtype, "constant") == 0 ? MNP_EXTENSION_CONSTANT
                                                                                   : MNP_EXTENSION_ODD,
                                .width = r->width,
                                .every = r->every};
    const mnp_status st =
        mnp__both_ways_fit(&recurrence, x, r->axis) ? mnp__both_ways_run(&how, x, r->axis, y_p) : run_passes(r, x, y_p);
    free(coefficients);
    return st;
}

/* r lacks the steady state, and has NULL for the usual padding.  `usual`: the width if padlen does not say one. */
static mnp_status filter_both_ways(request r, const mnp_array *x, int64_t padlen, int64_t usual, mnp_array **y_p)
{
    static const char *const types[] = {"odd", "even", "constant", "none"};
    bool known = false;
    r.padtype = r.padtype ? r.padtype : "odd";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        known = known || strcmp(r.padtype, types[i]) == 0;
    if (!known)
        return MNP_FAIL(MNP_ERR_ARG, "%s: padtype is '%s', and must be 'odd', 'even', 'constant' or 'none'", r.function,
                        r.padtype);
    MNP_TRY(mnp__view_axis(r.function, x->layout->ndim, r.axis, &r.axis));
    r.width = strcmp(r.padtype, "none") == 0 ? 0 : padlen == MNP_NONE ? usual : padlen;
    if (r.width < 0 || x->layout->shape[r.axis] <= r.width)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: padlen is %" PRId64 ", and must be 0 or more and below the %" PRId64
                        " elements that x has along axis %d",
                        r.function, r.width, x->layout->shape[r.axis], r.axis);
    MNP_TRY(mnp__malloc((size_t)mnp__filter_order(r.filter) * sizeof *r.steady, &r.steady));
    mnp_status st = mnp__filter_steady(r.function, r.filter, r.steady);
    if (st == MNP_OK)
        st = both_ways(&r, x, y_p);
    free(r.steady);
    return st;
}

mnp_status mnp_filtfilt(int64_t nb, const double *b, int64_t na, const double *a, const mnp_array *x, int axis,
                        const char *padtype, int64_t padlen, mnp_array **y_p)
{
    MNP_ENTER(b, a, x, y_p);
    const mnp__filter filter = {.nb = nb, .na = na, .b = b, .a = a};
    MNP_TRY(mnp__inputs_check("mnp_filtfilt", 1, &x));
    MNP_TRY(mnp__filter_check("mnp_filtfilt", &filter));
    const request r = {.function = "mnp_filtfilt", .padtype = padtype, .filter = &filter, .axis = axis, .every = 1};
    return filter_both_ways(r, x, padlen, 3 * mnp__max(nb, na), y_p);
}

mnp_status mnp__sections_both_ways(int64_t sections, const double *sos, const mnp_array *x, int axis,
                                   const char *padtype, int64_t padlen, int64_t every, mnp_array **y_p)
{
    const mnp__filter filter = {.sections = sections, .sos = sos};
    int64_t zeros = 0, poles = 0; /* at the origin */
    MNP_TRY(mnp__inputs_check("mnp_sosfiltfilt", 1, &x));
    MNP_TRY(mnp__filter_check("mnp_sosfiltfilt", &filter));
    for (int64_t k = 0; k < sections; k++) {
        zeros += sos[6 * k + 2] == 0;
        poles += sos[6 * k + 5] == 0;
    }
    const int64_t taps = 2 * sections + 1 - mnp__min(zeros, poles);
    const request r = {
        .function = "mnp_sosfiltfilt", .padtype = padtype, .filter = &filter, .axis = axis, .every = every};
    return filter_both_ways(r, x, padlen, 3 * taps, y_p);
}

mnp_status mnp_sosfiltfilt(int64_t sections, const double *sos, const mnp_array *x, int axis, const char *padtype,
                           int64_t padlen, mnp_array **y_p)
{
    MNP_ENTER(sos, x, y_p);
    return mnp__sections_both_ways(sections, sos, x, axis, padtype, padlen, 1, y_p);
}

/* ---- rates, and division ---- */

mnp_status mnp_upfirdn(int64_t nh, const double *h, const mnp_array *x, int64_t up, int64_t down, int axis,
                       mnp_array **y_p)
{
    MNP_ENTER(h, x, y_p);
    MNP_TRY(mnp__inputs_check("mnp_upfirdn", 1, &x));
    if (nh < 1 || up < 1 || down < 1)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_upfirdn: there are %" PRId64 " taps, up is %" PRId64 " and down is %" PRId64
                        ", and all must be 1 or more",
                        nh, up, down);
    MNP_TRY(mnp__view_axis("mnp_upfirdn", x->layout->ndim, axis, &axis));
    const int64_t n = x->layout->shape[axis];
    const mnp__upfirdn filter = {
        .count = nh, .taps = h, .up = up, .down = down, .outputs = n ? ((n - 1) * up + nh - 1) / down + 1 : 0};
    return mnp__upfirdn_run("mnp_upfirdn", &filter, x, axis, y_p);
}

mnp_status mnp_deconvolve(const mnp_array *signal, int64_t count, const double *divisor, mnp_array **quotient_p,
                          mnp_array **remainder_p)
{
    MNP_ENTER(signal, divisor, quotient_p, remainder_p);
    static const char function[] = "mnp_deconvolve";
    const double one = 1;
    const mnp__filter filter = {.nb = 1, .na = count, .b = &one, .a = divisor};
    mnp_array *head = NULL, *quotient = NULL, *product = NULL, *remainder = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 1, &signal));
    MNP_TRY(mnp__filter_check(function, &filter));
    MNP_TRY(mnp__output_check_distinct(function, 2, (mnp_array * *const[]){quotient_p, remainder_p}));
    if (signal->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the signal has %d dimensions, and must have 1", function,
                        signal->layout->ndim);
    const int64_t n = signal->layout->shape[0], length = n >= count ? n - count + 1 : 0;
    const mnp_dtype dtype = mnp_dtype_kind(signal->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    mnp__output_spec spec = {
        .function = function, .name = "quotient", .ctx = signal->ctx, .dtype = dtype, .ndim = 1, .shape = &length};
    MNP_TRY(mnp__output_check(&spec, *quotient_p));
    spec.name = "remainder";
    spec.shape = &n;
    MNP_TRY(mnp__output_check(&spec, *remainder_p));
    MNP_TRY_OR(mnp__lines_part(signal, 0, 0, length, 1, &head), st, done);
    MNP_TRY_OR(mnp__filter_run(function, &filter, head, 0, NULL, &quotient, NULL), st, done);
    const mnp__upfirdn taps = {.count = count, .taps = divisor, .up = 1, .down = 1, .outputs = n};
    MNP_TRY_OR(mnp__upfirdn_run(function, &taps, quotient, 0, &product), st, done);
    st = mnp_subtract(signal, product, &remainder);
done:
    mnp_free_all(head, product);
    mnp__output outputs[] = {{.array = quotient, .user_p = quotient_p}, {.array = remainder, .user_p = remainder_p}};
    return mnp__output_close(2, outputs, st);
}
