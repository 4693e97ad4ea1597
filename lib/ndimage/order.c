/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters of order: extremes, ranks and percentiles of windows.
 *
 * The extremes of a box are those along one axis after the other; the last two axes are one pass.  The value of a rank in
 * a small window is found by a sorting network: in a box the columns are sorted first, and neighbouring windows share
 * them.  In a large window it is found by bisection: with the values as integers of the same order, how many are at most
 * the middle of the range says in which half the value is.
 */
#include "ndimage/order.h"

#include <inttypes.h>
#include <string.h>

#include "array/output.h"
#include "base/call.h"
#include "ndimage/network.h"

enum {
    PLAIN_TAPS = 64,     /* taps that are written one by one; more are in a table */
    NETWORK_WINDOW = 81, /* elements of a window that a network sorts */
    GPU_NETWORK_WINDOW = 49,
    FUSED_ROWS = 16, /* extent of a window across the last dimension for which two axes are one pass */
    RUN = 5,         /* outputs of a thread of a GPU: an odd number */
    RUN_VALUES = 64  /* that it keeps */
};

/* ---- taps as text ---- */

struct writing {
    mnp__neighbours *filter;
    const char *separator;
    int count;
};

static void write_tap(void *argument, int64_t number, const int64_t *at)
{
    struct writing *writing = argument;
    (void)number;
    mnp__text_add(&writing->filter->body, "%s", writing->count++ > 0 ? writing->separator : "");
    mnp__neighbours_tap(writing->filter, at);
}

static void write_table(mnp__neighbours *filter, const bool *footprint)
{
    struct writing writing = {.filter = filter, .separator = ",\n    "};
    mnp__text_add(&filter->body, "MNP_TABLE mnp_tap mnp_taps[] = {\n    ");
    mnp__filter_taps(filter, footprint, write_tap, &writing);
    mnp__text_add(&filter->body, "};\n");
}

/* ---- extremes ---- */

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
        write_table(filter, footprint);
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

mnp_status mnp__extremes_run(const mnp__extremes *extremes, const mnp_array *x, const mnp_ndimage_options *options,
                             mnp_array **y_p)
{
    mnp__filter_axes axes;
    mnp__neighbours filter;
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

/* ---- ranks ---- */

static void write_order(mnp__neighbours *filter)
{
    mnp__text_add(&filter->body, "static MNP_INLINE void mnp_order(mnp_lanes &a, mnp_lanes &b)\n{\n"
                                 "    const mnp_lanes smaller = mnp_lesser(a, b);\n    b = mnp_greater(a, b);\n"
                                 "    a = smaller;\n}\n");
}

static void write_values(mnp__neighbours *filter, const bool *footprint)
{
    struct writing writing = {.filter = filter, .separator = "), in.at("};
    mnp__text_add(&filter->body, "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
                                 "    mnp_lanes v[] = {in.at(");
    mnp__filter_taps(filter, footprint, write_tap, &writing);
    mnp__text_add(&filter->body, ")};\n");
}

static void write_plain_finish(mnp__neighbours *filter)
{
    mnp__text_add(&filter->body, "template <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n{\n"
                                 "    return column(0, 0);\n}\n");
}

/* Any window: all its elements, sorted as far as the rank needs it. */
static void write_network(mnp__neighbours *filter, const bool *footprint, int count, int rank)
{
    write_order(filter);
    write_values(filter, footprint);
    const int place = mnp__network_select(&filter->body, count, 1, rank);
    mnp__text_add(&filter->body, "    kept[0] = v[%d];\n}\n", place);
    write_plain_finish(filter);
}

/* A box: sorted columns, which are merged. */
static void write_column_network(mnp__neighbours *filter, int ndim, int length, int rank)
{
    const int64_t width = filter->span[ndim - 1];
    int order[MNP__MOST_WIRES];
    filter->columns = (int)width;
    filter->kept = length;
    filter->run = RUN;
    while (filter->run > 1 && length * (filter->run + width - 1) > RUN_VALUES)
        filter->run -= 2;
    filter->span[ndim - 1] = 1;
    write_order(filter);
    write_values(filter, NULL);
    filter->span[ndim - 1] = width;
    mnp__network_sort(&filter->body, length, order);
    for (int i = 0; i < length; i++)
        mnp__text_add(&filter->body, "    kept[%d] = v[%d];\n", i, order[i]);
    mnp__text_add(&filter->body,
                  "}\ntemplate <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n{\n"
                  "    mnp_lanes v[%d];\n",
                  (int)width * length);
    for (int c = 0; c < width; c++)
        for (int i = 0; i < length; i++)
            mnp__text_add(&filter->body, "    v[%d] = column(%d, %d);\n", c * length + i, c, i);
    const int place = mnp__network_select(&filter->body, (int)width, length, rank);
    mnp__text_add(&filter->body, "    return v[%d];\n}\n", place);
}

/* The loops over a window: over all its elements, or a table of those that count. */
static void write_loops(mnp__neighbours *filter, const bool *footprint, const char *statement)
{
    mnp__text *body = &filter->body;
    int64_t span[MNP_MAX_DIMS + 1];
    if (footprint) {
        mnp__text_add(body, "for (const mnp_tap &tap : mnp_taps) {\n        const mnp_lanes x = in.at(tap);\n");
    } else {
        for (int k = 0; k < filter->kernel_ndim; k++)
            span[k] = 1;
        for (int d = 0; d < filter->ndim; d++)
            span[filter->place[d]] *= filter->span[d];
        for (int k = 0; k < filter->kernel_ndim; k++)
            mnp__text_add(body, "for (short k%d = 0; k%d < %d; k%d++)\n    ", k, k, (int)span[k], k);
        mnp__text_add(body, "{\n        const mnp_lanes x = in.at(MNP_TAP(");
        for (int k = 0; k < filter->kernel_ndim; k++)
            mnp__text_add(body, "%sk%d", k > 0 ? ", " : "", k);
        mnp__text_add(body, "));\n");
    }
    mnp__text_add(body, "        %s\n    }\n", statement);
}

static void write_bisection(mnp__neighbours *filter, const bool *footprint, int64_t count, int64_t rank)
{
    mnp__text *body = &filter->body;
    filter->ordered = count > UINT16_MAX ? 4 : count > UINT8_MAX ? 2 : 1;
    if (footprint)
        write_table(filter, footprint);
    mnp__text_add(body, "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
                        "    mnp_lanes low = {}, high = {};\n    low = ~low;\n    ");
    write_loops(filter, footprint, "low = mnp_lesser(low, x);\n        high = mnp_greater(high, x);");
    mnp__text_add(body,
                  "    while (mnp_any(low < high)) {\n"
                  "    const mnp_lanes middle = low + ((high - low) >> 1), none = {}, one = none + (MNP_VALUE)1;\n"
                  "    mnp_lanes count = {};\n    ");
    write_loops(filter, footprint, "count += x <= middle ? one : none;");
    mnp__text_add(body,
                  "    const mnp_lanes next = middle + one;\n"
                  "    low = count > (MNP_VALUE)%" PRId64 " ? low : next;\n"
                  "    high = count > (MNP_VALUE)%" PRId64 " ? middle : high;\n    }\n    kept[0] = low;\n}\n",
                  rank, rank);
    write_plain_finish(filter);
}

static mnp_status rank_of_window(const mnp_array *x, mnp__neighbours *filter, const bool *footprint, int64_t count,
                                 int64_t rank, mnp_array **y_p)
{
    char room[MNP__NEIGHBOURS_ROOM];
    const int ndim = x->layout->ndim;
    const int64_t width = filter->span[ndim - 1];
    const bool small = count <= (x->ctx->device->block_memory == 0 ? NETWORK_WINDOW : GPU_NETWORK_WINDOW);
    mnp__neighbours_start(filter, ndim, room);
    filter->ordered = 1;
    if (!small)
        write_bisection(filter, footprint, count, rank);
    else if (!footprint && width > 1 && count > width)
        write_column_network(filter, ndim, (int)(count / width), (int)rank);
    else
        write_network(filter, footprint, (int)count, (int)rank);
    return mnp__neighbours_run(filter, x, y_p);
}

/* Which value of a window is the result. */
struct wanted {
    enum { MEDIAN, RANK, PERCENTILE } kind;
    int64_t rank;
    double percentile;
};

static mnp_status find_rank(const char *function, const struct wanted *wanted, int64_t count, int64_t *rank_p)
{
    double percentile = wanted->percentile < 0 ? wanted->percentile + 100 : wanted->percentile;
    if (wanted->kind == MEDIAN) {
        *rank_p = count / 2;
    } else if (wanted->kind == PERCENTILE) {
        if (!(percentile >= 0 && percentile <= 100))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the percentile is %g, outside -100..100", function, wanted->percentile);
        *rank_p = percentile == 100 ? count - 1 : (int64_t)((double)count * percentile / 100.0);
    } else {
        *rank_p = wanted->rank < 0 ? wanted->rank + count : wanted->rank;
        if (*rank_p < 0 || *rank_p >= count)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the rank is %" PRId64 ", and the window has %" PRId64 " elements",
                            function, wanted->rank, count);
    }
    return MNP_OK;
}

static mnp_status rank_filter(const char *function, const mnp_array *x, const struct wanted *wanted,
                              const int64_t *size, const bool *footprint, const mnp_ndimage_options *options,
                              mnp_array **y_p)
{
    mnp__filter_axes axes;
    mnp__neighbours filter;
    int64_t rank = 0;
    MNP_TRY(mnp__filter_axes_of(function, x, options, &axes));
    MNP_TRY(mnp__filter_check_real(function, x));
    MNP_TRY(mnp__filter_window(function, x, &axes, size, false, &filter));
    filter.ndim = x->layout->ndim;
    const int64_t count = mnp__filter_taps(&filter, footprint, NULL, NULL);
    if (count == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: no element of the footprint counts", function);
    MNP_TRY(find_rank(function, wanted, count, &rank));
    const mnp__extremes extremes = {.function = function, .largest = rank > 0, .size = size, .footprint = footprint};
    if (rank == 0 || rank == count - 1)
        return mnp__extremes_run(&extremes, x, options, y_p);
    return rank_of_window(x, &filter, footprint, count, rank, y_p);
}

mnp_status mnp_ndimage_median_filter(const mnp_array *x, const int64_t *size, const bool *footprint,
                                     const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, size, y_p);
    return rank_filter(__func__, x, &(struct wanted){.kind = MEDIAN}, size, footprint, options, y_p);
}

mnp_status mnp_ndimage_rank_filter(const mnp_array *x, int64_t rank, const int64_t *size, const bool *footprint,
                                   const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, size, y_p);
    return rank_filter(__func__, x, &(struct wanted){.kind = RANK, .rank = rank}, size, footprint, options, y_p);
}

mnp_status mnp_ndimage_percentile_filter(const mnp_array *x, double percentile, const int64_t *size,
                                         const bool *footprint, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, size, y_p);
    return rank_filter(__func__, x, &(struct wanted){.kind = PERCENTILE, .percentile = percentile}, size, footprint,
                       options, y_p);
}
