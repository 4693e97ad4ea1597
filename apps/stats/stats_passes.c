/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The computation of maniple stats.
 *
 * A dataset is processed in pieces that fit into memory; if it fits as a whole it is one piece, which is read once.
 * Along an axis every piece has whole lines, so each piece is processed on its own.  Over all elements there are
 * several rounds: the first gives counts, mean, deviation and extremes, and the first digits of the percentiles
 * (selection.h); the second counts the histogram between the extremes, and the next digits; more rounds follow as the
 * percentiles need them.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "common/rehearsal.h"
#include "report/progress.h"
#include "stats/selection.h"

/* ---- reading ---- */

/* Tell that a round over all pieces begins. */
static void begin_round(const job *j, int round)
{
    const double bytes = shape_bytes(j->input.dtype, j->input.ndim, j->input.shape);
    progress_stage(j->plan.count > 1 ? bytes : 0, "B", "round %d of computing", round + 1);
}

/* Read a piece; *piece_p is the piece that was read before, whose memory is reused, or NULL. */
static void load(job *j, int64_t index, stopwatch *watch, mnp_array **piece_p)
{
    int64_t start[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp_array_free(*piece_p);
    *piece_p = NULL;
    stopwatch_lap(watch, COMPUTE);
    pieces_get(&j->plan, index, start, extent);
    if (j->plan.count == 1)
        progress_stage(shape_bytes(j->input.dtype, j->input.ndim, j->input.shape), "B", "reading INPUT");
    else
        progress_part((double)index / (double)j->plan.count, (double)(index + 1) / (double)j->plan.count);
    OR_EXIT(operand_load_box(j->ctx, &j->input, start, extent, piece_p));
    if (index + 1 < j->plan.count) { /* the next one comes from the disk while this one is computed */
        pieces_get(&j->plan, index + 1, start, extent);
        OR_EXIT(operand_read_ahead(j->ctx, &j->input, start, extent));
    }
    stopwatch_lap(watch, READ);
    if (j->plan.count == 1)
        progress_stage(0, NULL, "computing");
}

/* ---- along an axis ---- */

/* Compute the percentiles of a piece's lines, which are rows `first` and following. */
static void measure_lines(job *j, const mnp_array *piece, int64_t first, int64_t count)
{
    statistics *found = &j->found;
    mnp_array *wide = NULL, *results = NULL;
    size_t size = (size_t)count * (size_t)found->npercents;
    if (mnp_array_dtype(piece) != MNP_FLOAT64)
        OR_EXIT(mnp_astype(piece, MNP_FLOAT64, &wide));
    OR_EXIT(mnp_nanpercentiles(wide ? wide : piece, found->npercents, found->percents, MNP_AXIS(found->axis), NULL,
                               &results));
    bool root = mnp_ctx_rank(j->ctx) == 0;
    double *values = root ? malloc((size + 1) * sizeof *values) : NULL;
    OR_EXIT(mnp_agree(j->ctx, values || !root ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host")));
    OR_EXIT(mnp_array_to_host(results, 0, values));
    for (int k = 0; k < found->npercents && root; k++)
        memcpy(found->values + (int64_t)k * found->nrows + first, values + (int64_t)k * count,
               (size_t)count * sizeof *values);
    free(values);
    mnp_free_all(wide, results);
}

static void run_along_axis(job *j, stopwatch *watch)
{
    statistics *found = &j->found;
    mnp_array *piece = NULL;
    int64_t first = 0;
    bool root = mnp_ctx_rank(j->ctx) == 0;
    begin_round(j, 0);
    for (int64_t index = 0; index < j->plan.count; index++) {
        load(j, index, watch, &piece);
        int64_t count = mnp_layout_size(mnp_array_layout(piece)) / j->input.shape[found->axis];
        OR_EXIT(moments_measure(j->kernel, piece, found->axis, count, found->rows + (root ? first : 0)));
        if (found->npercents > 0)
            measure_lines(j, piece, first, count);
        first += count;
    }
    mnp_array_free(piece);
    stopwatch_lap(watch, COMPUTE);
}

/* ---- over all elements ---- */

/* Find the two places in sorted order between which each percentile lies: places[2k] and places[2k + 1]; count > 0. */
static void find_places(const statistics *found, int64_t count, int64_t *places)
{
    for (int k = 0; k < found->npercents; k++) {
        int64_t place = (int64_t)floor((double)(count - 1) * (found->percents[k] / 100));
        places[2 * k] = place < count - 1 ? place : count - 1;
        places[2 * k + 1] = place < count - 1 ? place + 1 : count - 1;
    }
}

/* Between a and b, as mnp_percentile(): a difference that overflows does not make the result infinite. */
static double between(double a, double b, double t)
{
    if (isinf(b - a) && isfinite(a) && isfinite(b))
        return a * (1 - t) + b * t;
    return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
}

/* Interpolate linearly, as numpy.percentile(); between infinities the result may be NaN. */
static void interpolate(statistics *found, const selection *s, int64_t count)
{
    for (int k = 0; k < found->npercents; k++) {
        double at = (double)(count - 1) * (found->percents[k] / 100), t = at - floor(at);
        found->values[k] = between(selection_value(s, 2 * k), selection_value(s, 2 * k + 1), t);
    }
}

/* Make the bins of integers as wide as a whole number, at most as many as there were to be. */
static void choose_whole_bins(statistics *found)
{
    const double span = found->high - found->low + 1, width = ceil(span / found->bins), largest = 0x1p51;
    found->whole = found->low > -largest && found->high < largest;
    if (!found->whole)
        return;
    found->bins = (int)ceil(span / width);
    found->high = found->low + found->bins * width;
}

/* Choose the range of the histogram if none is given: from the least to the greatest finite value, if there are any. */
static void choose_range(job *j)
{
    statistics *found = &j->found;
    const cell *cells = found->rows->cells;
    char kind = mnp_dtype_kind(j->input.dtype);
    if (j->has_range || found->bins == 0)
        return;
    if (cells[COLUMN_FINITE].integer == 0) {
        found->bins = 0;
        return;
    }
    cell low = cells[COLUMN_LEAST], high = cells[COLUMN_GREATEST];
    found->low = kind == 'f' ? low.real : kind == 'i' ? (double)low.integer : (double)low.natural;
    found->high = kind == 'f' ? high.real : kind == 'i' ? (double)high.integer : (double)high.natural;
    if (found->whole)
        choose_whole_bins(found);
    if (found->low == found->high) {
        found->low -= 0.5;
        found->high += 0.5;
    }
}

/*
 * Add the counts of an array to `sums`.  There is no histogram if its bins would be narrower than the distance of
 * adjacent numbers.
 */
static void add_counts(job *j, const mnp_array *values, int64_t *sums)
{
    statistics *found = &j->found;
    mnp_array *wide = NULL, *counted = NULL;
    const double shift = found->whole ? 0.5 : 0; /* no integer is at an edge, where rounding could move it */
    if (mnp_array_dtype(values) != MNP_FLOAT64)
        OR_EXIT(mnp_astype(values, MNP_FLOAT64, &wide));
    mnp_status status =
        mnp_histogram(wide ? wide : values, found->bins, (const double[]){found->low - shift, found->high - shift},
                      false, NULL, &counted, NULL);
    if (status == MNP_ERR_ARG && !j->has_range) {
        found->bins = 0;
    } else {
        OR_EXIT(status);
        int64_t *counts = malloc((size_t)found->bins * sizeof *counts);
        OR_EXIT(mnp_agree(j->ctx, counts ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host")));
        OR_EXIT(mnp_array_to_host(counted, MNP_ALL_RANKS, counts));
        for (int b = 0; b < found->bins; b++)
            sums[b] += counts[b];
        free(counts);
    }
    mnp_free_all(wide, counted);
}

/* Add a piece to the histogram, and to those of the colours. */
static void add_histogram(job *j, int64_t index, const mnp_array *piece)
{
    int64_t start[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    add_counts(j, piece, j->found.counts);
    pieces_get(&j->plan, index, start, extent);
    for (int64_t k = 0; j->channels > 0 && k < extent[2] && j->found.bins > 0; k++) {
        char subscripts[32];
        mnp_array *view = NULL;
        snprintf(subscripts, sizeof subscripts, "..., %d", (int)k);
        OR_EXIT(mnp_index(piece, subscripts, &view));
        add_counts(j, view, j->channel_counts[start[2] + k]);
        mnp_array_free(view);
    }
}

/* Do one round over all pieces; `select` NULL: the percentiles are known. */
static void run_round(job *j, int round, selection *select, stopwatch *watch, mnp_array **piece_p)
{
    begin_round(j, round);
    for (int64_t index = 0; index < j->plan.count; index++) {
        if (!*piece_p || j->plan.count > 1)
            load(j, index, watch, piece_p);
        if (round == 0) {
            moments more = {.cells = {{0}}};
            OR_EXIT(moments_measure(j->kernel, *piece_p, -1, 1, &more));
            moments_join(j->input.dtype, &more, j->found.rows);
        }
        if (round == 1 && j->found.bins > 0)
            add_histogram(j, index, *piece_p);
        if (select)
            OR_EXIT(selection_add(select, *piece_p));
    }
    stopwatch_lap(watch, COMPUTE);
}

static void run_over_all(job *j, stopwatch *watch)
{
    statistics *found = &j->found;
    selection *select = NULL;
    mnp_array *piece = NULL;
    int64_t places[2 * MAX_PERCENTS], count = 1;
    bool selects = found->npercents > 0;
    if (selects)
        OR_EXIT(selection_new(j->ctx, j->input.dtype, 2 * found->npercents, j->memory, &select));
    for (int round = 0; round == 0 || (round == 1 && found->bins > 0) || selects; round++) {
        run_round(j, round, selects ? select : NULL, watch, &piece);
        if (round == 0) {
            choose_range(j);
            count = moments_count(found->rows);
            selects = selects && count > 0;
            if (selects)
                find_places(found, count, places);
        }
        if (selects)
            OR_EXIT(selection_narrow(select, 2 * found->npercents, places));
        selects = selects && !selection_done(select);
    }
    if (select && count > 0)
        interpolate(found, select, count);
    selection_free(select);
    mnp_array_free(piece);
}

/* ---- compiling ahead ---- */

/* The calls of the work, on an array of zeros; results and failures do not matter. */
static void rehearse_lines(const job *j, const mnp_array *piece)
{
    mnp_array *wide = NULL, *results = NULL;
    if (j->found.npercents > 0 && mnp_astype(piece, MNP_FLOAT64, &wide) == MNP_OK)
        (void)mnp_nanpercentiles(wide, j->found.npercents, j->found.percents, MNP_AXIS(j->found.axis), NULL, &results);
    mnp_free_all(wide, results);
}

static void rehearse_all(const job *j, mnp_ctx *rehearsal, const mnp_array *piece)
{
    selection *select = NULL;
    mnp_array *wide = NULL, *counted = NULL;
    if (j->found.npercents > 0 &&
        selection_new(rehearsal, j->input.dtype, 2 * j->found.npercents, j->memory, &select) == MNP_OK)
        (void)selection_add(select, piece);
    if (j->found.bins > 0 && mnp_astype(piece, MNP_FLOAT64, &wide) == MNP_OK)
        (void)mnp_histogram(wide, j->found.bins, (const double[]){0, 1}, false, NULL, &counted, NULL);
    selection_free(select);
    mnp_free_all(wide, counted);
}

/* Let the kernels of the work be compiled while INPUT is read. */
static void rehearse(const job *j)
{
    mnp_ctx *rehearsal = rehearsal_begin(j->ctx);
    mnp_array *piece =
        rehearsal ? rehearsal_array(rehearsal, j->input.ndim, j->input.dtype, j->input.ndim, j->input.shape) : NULL;
    mnp_reduction *kernel = NULL;
    const int axis = j->found.axis;
    const int64_t size = piece ? mnp_layout_size(mnp_array_layout(piece)) : 0;
    moments *rows = calloc((size_t)size + 1, sizeof *rows);
    if (rows && size > 0 && moments_kernel(rehearsal, j->input.dtype, &kernel) == MNP_OK) {
        (void)moments_measure(kernel, piece, axis, axis < 0 ? 1 : size / mnp_array_shape(piece)[axis], rows);
        if (axis < 0)
            rehearse_all(j, rehearsal, piece);
        else
            rehearse_lines(j, piece);
    }
    mnp_reduction_free(kernel);
    mnp_array_free(piece);
    mnp_finalize(rehearsal);
    free(rows);
}

void stats_compute(job *j, stopwatch *watch)
{
    rehearse(j);
    OR_EXIT(moments_kernel(j->ctx, j->input.dtype, &j->kernel));
    if (j->found.axis >= 0)
        run_along_axis(j, watch);
    else
        run_over_all(j, watch);
    mnp_reduction_free(j->kernel);
}
