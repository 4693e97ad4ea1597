/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple stats: statistics of the values of a dataset, of all of them or of every line along an axis.  Here are the
 * command line, the checks and the order of the work; stats_passes.c computes, and stats_report.c reports.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "common/command.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/pieces.h"
#include "common/result.h"
#include "report/progress.h"
#include "report/report.h"
#include "common/words.h"
#include "stats/stats.h"

enum { MAX_BINS = 100000, BINS = 20, BINS_OF_PICTURE = 100, WHOLE_BINS_OF_PICTURE = 256 };

static const option_row options_table[] = {
    {'a', "axis", "AXIS", "statistics of every line along this dimension; -1 is the last"},
    {'p', "percentiles", "LIST",
     "percentiles from 0 to 100, such as 5,50,99.9, or none\n"
     "(default: 1,5,25,50,75,95,99; with --axis: 25,50,75)"},
    {'b', "bins", "N",
     "bins of the histogram, equally wide; 0: none (default: 20, or 100\n"
     "with --picture; of integers bins that begin at whole numbers)"},
    {'r', "range", "LOW,HIGH", "range of the histogram (default: the least and greatest finite value)"},
    {'m', "memory", "SIZE",
     "limit of memory for data on each rank's device, such as 500M or 20G;\n"
     "larger datasets are processed in pieces (default: half of the free\n"
     "memory, or of MANIPLE_MEMORY_LIMIT)"},
    JSON_ROW,
    PICTURE_OPTIONS("the histogram"),
    PROGRESS_ROW,
    HELP_ROW,
    {0},
};

void stats_help(void)
{
    puts("Usage: maniple stats INPUT [OPTION...]\n"
         "       mpirun -n RANKS maniple stats INPUT [OPTION...]\n"
         "\n"
         "Show the number of values, mean, standard deviation, extremes, percentiles and a histogram.\n"
         "NaN are counted and left out.  Percentiles are exact, also for data larger than memory.\n"
         "\n"
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of them, such as 'FILE:/DATASET[1:, ::-2, 0]'.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Examples:\n"
         "  mpirun -n 4 maniple stats sky.h5:/image --picture histogram.png\n"
         "  maniple stats runs.h5:/temperature --axis 0 --percentiles 5,50,95 --json");
}

static const words_row words_table[] = {{"the given range", "--range"}, {NULL, NULL}};

/* ---- the command line ---- */

/* Whether a percentile is among the first ones of the list. */
static bool is_listed(const job *j, double percent)
{
    for (int k = 0; k < j->found.npercents; k++) {
        if (j->percents[k] == percent)
            return true;
    }
    return false;
}

static mnp_status parse_percents(const char *text, job *j)
{
    char *end;
    j->has_percents = true;
    j->found.npercents = 0;
    if (strcmp(text, "none") == 0)
        return MNP_OK;
    for (const char *at = text;; at = end + 1) {
        double percent = strtod(at, &end);
        if (end == at || isspace((unsigned char)*at) || (*end && *end != ',') || !(percent >= 0 && percent <= 100))
            return mnp_fail(MNP_ERR_ARG, "--percentiles '%s' is not a list of numbers from 0 to 100, such as 5,50,99.9",
                            text);
        bool known = is_listed(j, percent); /* one that is given again is shown once */
        if (!known && j->found.npercents == MAX_PERCENTS)
            return mnp_fail(MNP_ERR_ARG, "--percentiles has more than %d numbers", MAX_PERCENTS);
        if (!known)
            j->percents[j->found.npercents++] = percent;
        if (!*end)
            return MNP_OK;
    }
}

static mnp_status parse_bins(const char *text, job *j)
{
    char *end;
    long bins = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || bins > MAX_BINS)
        return mnp_fail(MNP_ERR_ARG, "--bins is '%s', which is not an integer from 0 to %d", text, MAX_BINS);
    j->has_bins = true;
    j->found.bins = (int)bins;
    return MNP_OK;
}

static mnp_status parse_range(const char *text, job *j)
{
    char *comma = NULL, *end = NULL;
    j->has_range = true;
    j->found.low = strtod(text, &comma);
    if (comma != text && *comma == ',')
        j->found.high = strtod(comma + 1, &end);
    if (!end || end == comma + 1 || *end || !isfinite(j->found.low) || !isfinite(j->found.high) ||
        j->found.low >= j->found.high)
        return mnp_fail(MNP_ERR_ARG, "--range '%s' is not LOW,HIGH, two numbers of which the second is the larger",
                        text);
    return MNP_OK;
}

static mnp_status parse_memory(const char *text, job *j)
{
    static const char units[] = "KMGT";
    char *end;
    double size = strtod(text, &end);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    for (ptrdiff_t k = 0; unit && k <= unit - units; k++)
        size *= 1024;
    end += unit != NULL;
    if (end == text || !isdigit((unsigned char)*text) || *end || !(size >= 1 && size < 0x1p62))
        return mnp_fail(MNP_ERR_ARG, "--memory is '%s', which is not a size such as 500M or 20G", text);
    j->memory = (int64_t)size;
    return MNP_OK;
}

static mnp_status parse_axis(const char *text, job *j)
{
    char *end;
    long axis = strtol(text, &end, 10);
    if (end == text || isspace((unsigned char)*text) || *end || axis < -MNP_MAX_DIMS || axis >= MNP_MAX_DIMS)
        return mnp_fail(MNP_ERR_ARG, "--axis is '%s', which is not a dimension", text);
    j->has_axis = true;
    j->axis = (int)axis;
    return MNP_OK;
}

static mnp_status parse_option(int key, const char *argument, job *j)
{
    switch (key) {
    case 'a':
        return parse_axis(argument, j);
    case 'p':
        return parse_percents(argument, j);
    case 'b':
        return parse_bins(argument, j);
    case 'r':
        return parse_range(argument, j);
    case 'm':
        return parse_memory(argument, j);
    default:
        return result_option(key, &j->result);
    }
}

/* Refuse options that contradict each other. */
static mnp_status check_options(const job *j)
{
    if (j->has_axis && (j->has_bins || j->has_range || j->result.picture.path))
        return mnp_fail(MNP_ERR_ARG, "%s is for the histogram, which is of all elements: leave out --axis",
                        j->result.picture.path ? "--picture"
                        : j->has_bins          ? "--bins"
                                               : "--range");
    if (j->has_bins && j->found.bins == 0 && (j->result.picture.path || j->has_range))
        return mnp_fail(MNP_ERR_ARG, "%s is for the histogram, and --bins is 0",
                        j->result.picture.path ? "--picture" : "--range");
    return result_check_options(&j->result);
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, optarg, j);
    if (status == MNP_OK)
        status = check_options(j);
    if (status != MNP_OK)
        return status;
    if (argc - optind != 1)
        return mnp_fail(MNP_ERR_ARG, "stats needs one INPUT, as in: maniple stats FILE:/DATASET");
    return operand_parse_file("INPUT", argv[optind], &j->input);
}

/* ---- before the work ---- */

static void set_percents(job *j)
{
    static const double of_all[] = {1, 5, 25, 50, 75, 95, 99}, of_lines[] = {25, 50, 75};
    const double *values = j->has_axis ? of_lines : of_all;
    j->found.percents = j->percents;
    if (j->has_percents)
        return;
    j->found.npercents = (int)((j->has_axis ? sizeof of_lines : sizeof of_all) / sizeof *values);
    memcpy(j->percents, values, (size_t)j->found.npercents * sizeof *values);
}

/* Check the options against the dataset, and choose defaults that depend on it. */
static mnp_status check_input(job *j)
{
    const operand *op = &j->input;
    statistics *found = &j->found;
    if (j->has_axis && (j->axis >= op->ndim || j->axis < -op->ndim))
        return mnp_fail(MNP_ERR_ARG, "--axis is %d, but INPUT '%s' has %d dimension%s", j->axis, op->text, op->ndim,
                        op->ndim == 1 ? "" : "s");
    found->input = op;
    found->axis = !j->has_axis ? -1 : j->axis < 0 ? j->axis + op->ndim : j->axis;
    set_percents(j);
    if (mnp_dtype_kind(op->dtype) == 'c') {
        if ((j->has_percents && found->npercents > 0) || found->bins > 0 || j->has_range || j->result.picture.path)
            return mnp_fail(MNP_ERR_ARG,
                            "INPUT '%s' is %s, and complex numbers have no order: there are no "
                            "percentiles, and no histogram",
                            op->text, mnp_dtype_name(op->dtype));
        found->npercents = found->bins = 0;
    } else if (!j->has_bins && !j->has_axis) {
        found->whole = strchr("biu", mnp_dtype_kind(op->dtype)) && !j->has_range;
        found->bins = !j->result.picture.path ? BINS : found->whole ? WHOLE_BINS_OF_PICTURE : BINS_OF_PICTURE;
    }
    const int64_t last = op->ndim == 3 ? op->shape[2] : 0;
    j->channels = j->result.picture.path && (last == 3 || last == 4) ? (int)last : 0;
    return MNP_OK;
}

/*
 * The limit of bytes of data on a device: as given, or this rank's share of half of the free memory, and half of what
 * MANIPLE_MEMORY_LIMIT allows at most, which is the same on all ranks.
 */
static mnp_status choose_memory(job *j)
{
    mnp_rank_info *ranks = NULL;
    int size = mnp_ctx_size(j->ctx);
    if (j->memory > 0)
        return MNP_OK;
    mnp_memory_pool_info heap = {.limit = 0};
    mnp_status status = mnp_memory_info(j->ctx, MNP_MEMORY_HEAP, &heap);
    if (status == MNP_OK)
        status = rank_infos(j->ctx, &ranks, NULL);
    for (int r = 0; r < size && status == MNP_OK; r++) {
        int sharing = ranks[r].ranks_on_device;
        for (int other = 0; ranks[r].device_index < 0 && other < size; other++)
            sharing += other != r && ranks[other].node == ranks[r].node;
        int64_t share = ranks[r].memory_free / 2 / sharing;
        j->memory = r == 0 || share < j->memory ? share : j->memory;
    }
    if (heap.limit > 0 && heap.limit / 2 < j->memory)
        j->memory = heap.limit / 2;
    free(ranks);
    return status;
}

static mnp_status plan_pieces(job *j)
{
    const operand *op = &j->input;
    int64_t item = (int64_t)mnp_dtype_size(op->dtype);
    /* Besides the data: the bins of elements; or the sorted lines as float64, and scratch memory for sorting */
    int64_t each = j->found.axis < 0 ? item + 16 : item + 48;
    int64_t ranks = mnp_ctx_size(j->ctx);
    mnp_status status = choose_memory(j);
    if (status != MNP_OK)
        return status;
    int64_t limit = j->memory / each < INT64_MAX / ranks ? j->memory / each * ranks : INT64_MAX;
    if (pieces_plan(op->ndim, op->shape, j->found.axis, limit > 0 ? limit : 1, &j->plan))
        return MNP_OK;
    char wanted[BYTES_TEXT], given[BYTES_TEXT];
    return mnp_fail(MNP_ERR_MEMORY,
                    "a line of INPUT '%s' along axis %d needs %s on each rank, but there are %s; take "
                    "more ranks or a larger --memory",
                    op->text, j->found.axis, bytes_text(op->shape[j->found.axis] / ranks * each, wanted),
                    bytes_text(j->memory, given));
}

/* Allocate the results, with values of NaN; with an axis `rows` and `values` are allocated on rank 0 alone. */
static mnp_status make_room(job *j)
{
    statistics *found = &j->found;
    bool mine = found->axis < 0 || mnp_ctx_rank(j->ctx) == 0;
    found->nrows = 1;
    for (int d = 0; d < j->input.ndim && found->axis >= 0; d++)
        found->nrows *= d == found->axis ? 1 : j->input.shape[d];
    size_t rows = (size_t)found->nrows, values = rows * (size_t)found->npercents;
    found->rows = calloc(mine ? rows + 1 : 1, sizeof *found->rows);
    found->values = malloc(((mine ? values : 0) + 1) * sizeof *found->values);
    found->counts = calloc((size_t)found->bins + 1, sizeof *found->counts);
    bool complete = found->rows && found->values && found->counts;
    for (int k = 0; k < j->channels; k++) {
        j->channel_counts[k] = calloc((size_t)found->bins + 1, sizeof *found->counts);
        complete = complete && j->channel_counts[k];
    }
    for (size_t i = 0; complete && mine && i < values; i++)
        found->values[i] = NAN;
    return mnp_agree(j->ctx, complete ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host for %zu rows", rows));
}

/* ---- the work ---- */

/* Returns the exit status. */
static int run(job *j)
{
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "stats", false);
    OR_EXIT(make_room(j));
    stats_compute(j, &watch);
    const int status = stats_draw(j);
    progress_end();
    stats_report(j, &watch);
    free(j->found.rows);
    free(j->found.values);
    free(j->found.counts);
    for (int k = 0; k < j->channels; k++)
        free(j->channel_counts[k]);
    return status;
}

int stats_main(int argc, char **argv)
{
    job *j = calloc(1, sizeof *j);
    words_set(words_table);
    if (!j)
        mnp_fail(MNP_ERR_MEMORY, "out of memory");
    else
        j->result.picture = PICTURE_REQUEST_DEFAULTS;
    if (!j || parse(argc, argv, j) != MNP_OK)
        misused_exit();

    j->ctx = command_begin(NULL);
    OR_EXIT(operand_look(j->ctx, &j->input));
    OR_EXIT(check_input(j));
    OR_EXIT(result_check_places(j->ctx, &j->result, 1, (const operand *[]){&j->input}));
    OR_EXIT(plan_pieces(j));
    const int status = close_output(run(j));
    mnp_finalize(j->ctx);
    operand_free(&j->input);
    free(j);
    return status;
}
