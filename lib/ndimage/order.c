/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters of extremes.  The extremes of a box are those along one axis after the other; the last two axes are one pass.
 * On GPUs these are the fused passes of signal/separable.h, where they apply.
 */
#include "ndimage/order.h"

#include <string.h>

#include "array/output.h"
#include "base/call.h"
#include "signal/separable.h"

enum {
    PLAIN_TAPS = 64, /* taps that are written one by one; more are in a table */
    FUSED_ROWS = 16, /* extent of a window across the last dimension for which two axes are one pass */
    RUN = 5,         /* outputs of a thread of a GPU: an odd number */
    RUN_VALUES = 64  /* that it keeps */
};

struct comparing {
    mnp__neighbours *filter;
    const mnp__extremes *extremes;
    int count;
};

static const char *choice_of(const mnp__extremes *extremes)
{
    return extremes->largest ? "mnp_greater" : "mnp_lesser";
}

static void compare_tap(void *argument, int64_t number, const int64_t *at)
{
    struct comparing *comparing = argument;
    mnp__text *body = &comparing->filter->body;
    if (comparing->count++ == 0)
        mnp__text_add(body, "    mnp_lanes r = in.at(");
    else
        mnp__text_add(body, "    r = %s(r, in.at(", choice_of(comparing->extremes));
    mnp__neighbours_tap(comparing->filter, at);
    mnp__text_add(body, ")");
    if (comparing->extremes->structure)
        mnp__text_add(body, " + (MNP_VALUE)%.17g", comparing->extremes->structure[number]);
    mnp__text_add(body, comparing->count == 1 ? ";\n" : ");\n");
}

/* The window's first stage; `taps` of it are at the first x, which are all of them if it has no second stage. */
static void write_extreme_column(mnp__neighbours *filter, const mnp__extremes *extremes, const bool *footprint)
{
    const bool plain = mnp__filter_taps(filter, footprint, NULL, NULL) <= PLAIN_TAPS || extremes->structure;
    mnp__text *body = &filter->body;
    if (!plain)
        mnp__filter_write_table(filter, footprint);
    mnp__text_add(body, "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n");
    if (plain) {
        struct comparing comparing = {.filter = filter, .extremes = extremes};
        mnp__filter_taps(filter, footprint, compare_tap, &comparing);
    } else {
        mnp__text_add(body,
                      "    mnp_lanes r = in.at(mnp_taps[0]);\n    for (const mnp_tap &tap : mnp_taps)\n"
                      "        r = %s(r, in.at(tap));\n",
                      choice_of(extremes));
    }
    mnp__text_add(body, "    kept[0] = r;\n}\n");
}

static void write_extreme_finish(mnp__neighbours *filter, const mnp__extremes *extremes)
{
    mnp__text_add(&filter->body,
                  "template <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n{\n"
                  "    mnp_lanes r = column(0, 0);\n    for (int x = 1; x < MNP_COLUMNS; x++)\n"
                  "        r = %s(r, column(x, 0));\n    return r;\n}\n",
                  choice_of(extremes));
}

/* One pass over the window of the filter; a box has a second stage along the last dimension. */
static mnp_status pass_of_extremes(const mnp__extremes *extremes, mnp__neighbours *filter, const mnp_array *x,
                                   mnp_array **y_p)
{
    char room[MNP__NEIGHBOURS_ROOM];
    const int last = x->layout->ndim - 1;
    const int64_t width = filter->span[last];
    const bool staged = !extremes->footprint && !extremes->structure && width > 1 && width <= RUN_VALUES;
    mnp__neighbours_start(filter, x->layout->ndim, room);
    if (staged) {
        filter->columns = (int)width;
        filter->run = RUN;
        filter->span[last] = 1;
    }
    write_extreme_column(filter, extremes, extremes->footprint);
    filter->span[last] = width;
    write_extreme_finish(filter, extremes);
    return mnp__neighbours_run(filter, x, y_p);
}

/* The extremes of a box: passes along one or two axes at a time, the last of which makes the result. */
static mnp_status box_of_extremes(const mnp__extremes *extremes, const mnp__neighbours *whole, const mnp_array *x,
                                  mnp_array **y_p)
{
    const int ndim = x->layout->ndim;
    const mnp_array *from = x;
    mnp_array *made = NULL;
    mnp_status st = MNP_OK;
    int last = 0;
    for (int d = 0; d < ndim; d++)
        last = whole->span[d] > 1 ? d : last;
    for (int d = 0; d <= last && st == MNP_OK; d++) {
        mnp__neighbours filter = *whole;
        mnp_array *to = NULL;
        int end = d;
        if (whole->span[d] == 1 && d < last)
            continue;
        if (whole->span[d] <= FUSED_ROWS && last == ndim - 1)
            for (end = d + 1; end < last && whole->span[end] == 1;)
                end++;
        end = end == last ? end : d;
        for (int e = 0; e < ndim; e++) {
            const bool now = e == d || e == end;
            filter.span[e] = now ? whole->span[e] : 1;
            filter.low[e] = now ? whole->low[e] : 0;
        }
        if (end < last)
            filter.output = x->dtype;
        st = pass_of_extremes(extremes, &filter, from, end == last ? y_p : &to);
        mnp_array_free(made);
        from = made = to;
        d = end;
    }
    return st;
}

/* The extremes of a box as passes that GPUs fuse; *done_p is false, and nothing done, where they do not. */
static mnp_status fused_extremes(const mnp__extremes *extremes, const mnp__neighbours *filter, const mnp_array *x,
                                 bool *done_p, mnp_array **y_p)
{
    mnp__pass passes[MNP_MAX_DIMS];
    mnp__separable_spec spec = {.input = x->dtype,
                                .output = filter->output,
                                .sum = filter->value,
                                .truncates = true,
                                .layout = x->layout,
                                .passes = passes,
                                .fillvalue = filter->outside,
                                .refills = true};
    for (int d = 0; d < filter->ndim; d++)
        if (filter->span[d] > 1)
            passes[spec.npasses++] = (mnp__pass){.axis = d,
                                                 .count = filter->span[d],
                                                 .first = filter->low[d],
                                                 .boundary = filter->boundary[d],
                                                 .combination = extremes->largest ? MNP__GREATEST : MNP__LEAST};
    *done_p = !extremes->mask && spec.npasses > 0 && mnp__separable_is_fused(x->ctx, &spec);
    return *done_p ? mnp__separable_call(extremes->function, &spec, x, y_p) : MNP_OK;
}

mnp_status mnp__extremes_run(const mnp__extremes *extremes, const mnp_array *x, const mnp_ndimage_options *options,
                             mnp_array **y_p)
{
    mnp__filter_axes axes;
    mnp__neighbours filter;
    bool is_done;
    const char *function = extremes->function;
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    MNP_TRY(mnp__filter_check_real(function, x));
    MNP_TRY(mnp__filter_window(function, x, &axes, extremes->size, extremes->mirrored, &filter));
    filter.ndim = x->layout->ndim;
    filter.mask = extremes->mask;
    if (mnp__filter_taps(&filter, extremes->footprint, NULL, NULL) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: no element of the footprint counts", function);
    if (extremes->structure)
        filter.value = MNP_FLOAT64;
    if (extremes->footprint || extremes->structure)
        return pass_of_extremes(extremes, &filter, x, y_p);
    MNP_TRY(fused_extremes(extremes, &filter, x, &is_done, y_p));
    if (is_done)
        return MNP_OK;
    return box_of_extremes(extremes, &filter, x, y_p);
}

mnp_status mnp_ndimage_minimum_filter(const mnp_array *x, const int64_t *size, const bool *footprint,
                                      const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, size, y_p);
    const mnp__extremes extremes = {.function = __func__, .size = size, .footprint = footprint};
    return mnp__extremes_run(&extremes, x, options, y_p);
}

mnp_status mnp_ndimage_maximum_filter(const mnp_array *x, const int64_t *size, const bool *footprint,
                                      const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, size, y_p);
    const mnp__extremes extremes = {.function = __func__, .largest = true, .size = size, .footprint = footprint};
    return mnp__extremes_run(&extremes, x, options, y_p);
}
