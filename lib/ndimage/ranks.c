/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Median, rank and percentile filters.
 *
 * The value of a rank in a small window is found by a sorting network.  On the host, the columns of a box are sorted
 * first, and neighbouring windows share them; on a GPU the outputs of a thread share all that their windows have in
 * common (ndimage/network.h).  Large boxes are sets of numbers that slide over a sorted tile, on a GPU
 * (kernels/ndimage/rank_slide.cu).  Other large windows go by bisection: with the values as integers of the same order,
 * how many are at most the middle of the range says in which half the value is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/call.h"
#include "base/integer.h"
#include "ndimage/network.h"
#include "ndimage/order.h"

enum {
    NETWORK_WINDOW = 81,    /* elements of a window that a network sorts on the host */
    NETWORK_BOX = 121,      /* of a box, on a GPU, */
    NETWORK_CELLS = 192,    /* if the windows of a thread's outputs reach at most so many elements */
    NETWORK_FOOTPRINT = 49, /* of another window, on a GPU */
    NETWORK_THREADS = 256,
    WARP = 32
};

/* ---- sorting networks ---- */

/* Write statements for some values, and assign each to an element of `array`. */
static void write_values(mnp__network *network, mnp__text *body, const int *values, int count, const char *array)
{
    mnp__network_write(network, body, values, count);
    for (int i = 0; i < count; i++) {
        mnp__text_add(body, "    %s[%d] = ", array, i);
        mnp__network_name(network, body, values[i]);
        mnp__text_add(body, ";\n");
    }
    body->failed = body->failed || network->failed;
    mnp__network_free(network);
}

static void write_column(mnp__neighbours *filter, const bool *footprint)
{
    mnp__text_add(&filter->body, "template <typename In> MNP_INLINE void mnp_column(const In &in, mnp_lanes *kept)\n{\n"
                                 "    const mnp_lanes v[] = {in.at(");
    mnp__filter_write_taps(filter, footprint, "), in.at(");
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
    const mnp__network_tile tile = {.columns = count, .rows = 1, .depth = 1, .width = 1, .height = 1, .rank = rank};
    mnp__network network;
    int result;
    write_column(filter, footprint);
    mnp__network_start(&network, count);
    mnp__network_select(&network, &tile, &result);
    write_values(&network, &filter->body, &result, 1, "kept");
    mnp__text_add(&filter->body, "}\n");
    write_plain_finish(filter);
}

/* A box: sorted columns, which are merged. */
static void write_column_network(mnp__neighbours *filter)
{
    const int last = filter->ndim - 1, width = filter->columns, length = filter->kept;
    const mnp__network_tile tile = {
        .columns = width, .rows = 1, .depth = length, .is_sorted = true, .width = 1, .height = 1, .rank = filter->rank};
    mnp__network network;
    mnp__sorted sorted;
    int result;
    filter->span[last] = 1;
    write_column(filter, NULL);
    mnp__network_start(&network, length);
    mnp__network_sort(&network, length, &sorted);
    write_values(&network, &filter->body, sorted.at, length, "kept");
    mnp__text_add(&filter->body,
                  "}\ntemplate <typename Column> MNP_INLINE mnp_lanes mnp_finish(const Column &column)\n{\n"
                  "    mnp_lanes result[1];\n    const mnp_lanes v[] = {");
    for (int c = 0; c < width; c++)
        for (int i = 0; i < length; i++)
            mnp__text_add(&filter->body, "%scolumn(%d, %d)", c + i > 0 ? ", " : "", c, i);
    mnp__text_add(&filter->body, "};\n");
    mnp__network_start(&network, width * length);
    mnp__network_select(&network, &tile, &result);
    write_values(&network, &filter->body, &result, 1, "result");
    mnp__text_add(&filter->body, "    return result[0];\n}\n");
}

/* ---- sorting networks of several outputs, on a GPU ---- */

/* A window in the kernel's dimensions; depth: its extent along all but the last two. */
struct box {
    int64_t depth, rows, columns;
};

static struct box box_of(const mnp__neighbours *filter)
{
    int64_t spans[MNP_MAX_DIMS + 1];
    struct box box = {.depth = 1};
    mnp__neighbours_spans(filter, spans);
    for (int k = 0; k < filter->kernel_ndim - 2; k++)
        box.depth *= spans[k];
    box.rows = spans[filter->kernel_ndim - 2];
    box.columns = spans[filter->kernel_ndim - 1];
    return box;
}

static mnp__network_tile network_tile(const mnp__neighbours *filter)
{
    const struct box box = box_of(filter);
    const int threads_x = (int)filter->tile[1] / filter->run;
    return (mnp__network_tile){.columns = (int)box.columns,
                               .rows = (int)box.rows,
                               .depth = (int)box.depth,
                               .width = filter->run,
                               .height = (int)filter->tile[0] / (NETWORK_THREADS / threads_x),
                               .rank = filter->rank};
}

static void write_tile_network(mnp__neighbours *filter)
{
    enum { MOST_OUTPUTS = 8 };
    const mnp__network_tile tile = network_tile(filter);
    mnp__network network;
    int results[MOST_OUTPUTS];
    mnp__text_add(&filter->body, "MNP_INLINE void mnp_select(const mnp_lanes *v, mnp_lanes *results)\n{\n");
    mnp__network_start(&network, (tile.columns + tile.width - 1) * (tile.rows + tile.height - 1) * tile.depth);
    mnp__network_select(&network, &tile, results);
    write_values(&network, &filter->body, results, tile.width * tile.height, "results");
    mnp__text_add(&filter->body, "}\n");
}

/* Whether the box is small enough for it; the filter is then described. */
static bool use_tile_network(mnp__neighbours *filter, const mnp_array *x, int64_t count)
{
    const struct box box = box_of(filter);
    const bool has_rows = mnp__neighbours_rows(filter, x) > 1;
    const int64_t threads_x = has_rows ? WARP : NETWORK_THREADS, height = has_rows ? 2 : 1;
    const int64_t value = mnp_dtype_size(x->dtype) > 4 ? 8 : 4, run = 16 / value;
    const int64_t pitch = threads_x * run + mnp__round_up(box.columns - 1, run);
    filter->ordered = (int)value;
    filter->tile[0] = NETWORK_THREADS / threads_x * height;
    filter->tile[1] = threads_x * run;
    const int64_t bytes = value * box.depth * (filter->tile[0] + box.rows - 1) * pitch;
    if (count > NETWORK_BOX || bytes > (int64_t)x->ctx->device->block_memory / 2 ||
        box.depth * (box.rows + height - 1) * (box.columns + run - 1) > NETWORK_CELLS)
        return false;
    filter->kernel = "rank_network";
    filter->run = (int)run;
    filter->threads = NETWORK_THREADS;
    filter->shared_bytes = (size_t)bytes;
    filter->write = write_tile_network;
    snprintf(filter->definitions, sizeof filter->definitions, "#define MNP_ROWS %d\n", (int)height);
    return true;
}

/* ---- sets that slide, on a GPU ---- */

/* How a block divides its tile: warps that have columns of outputs, among its threads. */
struct sliding {
    int64_t height, threads, sliders, bytes;
};

/*
 * What the tile's sorting and its sliding cost for an output, if that many warps are on a multiprocessor at the same
 * time: both wait for shared memory most of the time.  The factors are fitted to times of an H200.
 */
static double sliding_cost(const struct box *box, int64_t width, size_t value, int64_t block_memory, struct sliding *s)
{
    const int64_t elements = box->depth * (s->height + box->rows - 1) * (width + box->columns - 1);
    const int64_t each = mnp__divide_up(elements, s->threads) | 1, room = each * s->threads;
    const int64_t strips = width / WARP, rows = s->height * strips / s->sliders;
    const int64_t sets = s->sliders * mnp__divide_up(elements, 32) * WARP * 4, who = 2 * room;
    s->bytes = room * (int64_t)value + mnp__round_up(2 * elements, 4) + mnp__max(sets, who);
    if (rows < 1 || each > 40 || room > UINT16_MAX || s->bytes > block_memory)
        return INFINITY;
    const int64_t fitting = block_memory / s->bytes, most = 2048 / s->threads, blocks = mnp__min(fitting, most);
    const double flips = (double)(box->depth * box->columns * (box->rows + 2 * (rows - 1))) / (double)rows;
    return 4 * (double)elements / (double)(s->height * width) / (double)(blocks * s->threads) +
           0.2 * flips / (double)(blocks * s->sliders * WARP);
}

/* Whether a tile fits shared memory; the filter is then described. */
static bool use_sliding(mnp__neighbours *filter, const mnp_array *x)
{
    const struct box box = box_of(filter);
    const bool has_rows = mnp__neighbours_rows(filter, x) > 1;
    const int64_t width = has_rows ? WARP : NETWORK_THREADS, memory = (int64_t)x->ctx->device->block_memory;
    const size_t value = mnp_dtype_size(x->dtype);
    double best = INFINITY;
    struct sliding chosen = {.height = 0};
    for (int64_t height = has_rows ? 8 : 1; height <= (has_rows ? 64 : 1); height *= 2) {
        for (int64_t threads = 64; threads <= 512; threads *= 2) {
            for (int64_t sliders = width / WARP; sliders <= threads / WARP; sliders *= 2) {
                struct sliding s = {.height = height, .threads = threads, .sliders = sliders};
                const double cost = sliding_cost(&box, width, value, memory, &s);
                chosen = cost < best ? s : chosen;
                best = cost < best ? cost : best;
            }
        }
    }
    if (best == INFINITY)
        return false;
    filter->kernel = "rank_slide";
    filter->ordered = 1;
    filter->tile[0] = chosen.height;
    filter->tile[1] = width;
    filter->threads = (int)chosen.threads;
    filter->shared_bytes = (size_t)chosen.bytes;
    snprintf(filter->definitions, sizeof filter->definitions, "#define MNP_SLIDERS %d\n", (int)chosen.sliders);
    return true;
}

/* ---- bisection ---- */

/* The loops over a window: over all its elements, or a table of those that count. */
static void write_loops(mnp__neighbours *filter, const bool *footprint, const char *statement)
{
    mnp__text *body = &filter->body;
    int64_t span[MNP_MAX_DIMS + 1];
    if (footprint) {
        mnp__text_add(body, "for (const mnp_tap &tap : mnp_taps) {\n        const mnp_lanes x = in.at(tap);\n");
    } else {
        mnp__neighbours_spans(filter, span);
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
        mnp__filter_write_table(filter, footprint);
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
    const int64_t width = filter->span[x->layout->ndim - 1];
    const bool on_host = x->ctx->device->block_memory == 0;
    mnp__neighbours_start(filter, x->layout->ndim, room);
    filter->ordered = 1;
    filter->rank = (int)rank;
    if (!on_host && !footprint && (use_tile_network(filter, x, count) || use_sliding(filter, x))) {
        /* nothing else to describe */
    } else if (count > (on_host ? NETWORK_WINDOW : NETWORK_FOOTPRINT)) {
        write_bisection(filter, footprint, count, rank);
    } else if (on_host && !footprint && width > 1 && count > width) {
        filter->columns = (int)width;
        filter->kept = (int)(count / width);
        filter->write = write_column_network;
    } else {
        write_network(filter, footprint, (int)count, (int)rank);
    }
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
