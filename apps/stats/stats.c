/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple stats: statistics of the values of a dataset, of all of them or of every line along an axis.
 *
 * A dataset is processed in pieces that fit into memory; if it fits as a whole it is one piece, which is read once.
 * Along an axis every piece has whole lines, so each piece is processed on its own.  Over all elements there are
 * several rounds: the first gives counts, mean, deviation and extremes, and the first digits of the percentiles
 * (selection.h); the second counts the histogram between the extremes, and the next digits; more rounds follow as the
 * percentiles need them.
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
#include "common/files.h"
#include "stats/moments.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/pieces.h"
#include "common/rehearsal.h"
#include "picture/plot.h"
#include "report/progress.h"
#include "report/report.h"
#include "common/words.h"
#include "stats/selection.h"
#include "stats/stats.h"

enum { MAX_PERCENTS = 1000, MAX_BINS = 100000, BINS = 20, BINS_OF_PICTURE = 100, WHOLE_BINS_OF_PICTURE = 256 };
enum { MOST_CHANNELS = 4 }; /* colours of an image */

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
     "memory)"},
    {'j', "json", NULL, "print JSON"},
    PICTURE_OPTIONS("the histogram"),
    PROGRESS_ROW,
    {'h', "help", NULL, "show this"},
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
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, or FILE.npy or FILE.png, or a part of\n"
         "them, such as 'FILE:/DATASET[1:, ::-2, 0]'.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Examples:\n"
         "  mpirun -n 4 maniple stats sky.h5:/image --picture histogram.png\n"
         "  maniple stats runs.h5:/temperature --axis 0 --percentiles 5,50,95 --json");
}

static const words_row words_table[] = {{"the given range", "--range"}, {NULL, NULL}};

typedef struct job {
    mnp_ctx *ctx;
    operand input;
    bool has_axis, has_percents, has_bins, has_range, json;
    int axis;
    double percents[MAX_PERCENTS];
    picture_request picture;
    picture_made made;
    int channels;                           /* of an image in colour that is drawn; otherwise 0 */
    int64_t *channel_counts[MOST_CHANNELS]; /* the histogram of each */
    int64_t memory;                         /* 0: not given */
    statistics found;
    pieces plan;
    mnp_reduction *kernel;
} job;

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
    case 'j':
        j->json = true;
        return MNP_OK;
    case KEY_PICTURE:
    case KEY_PICTURE_SIZE:
        return picture_option(key, argument, &j->picture);
    default:
        return MNP_ERR_ARG; /* options_next() has recorded why */
    }
}

/* Refuse options that contradict each other. */
static mnp_status check_options(const job *j)
{
    if (j->has_axis && (j->has_bins || j->has_range || j->picture.path))
        return mnp_fail(MNP_ERR_ARG, "%s is for the histogram, which is of all elements: leave out --axis",
                        j->picture.path ? "--picture"
                        : j->has_bins   ? "--bins"
                                        : "--range");
    if (j->has_bins && j->found.bins == 0 && (j->picture.path || j->has_range))
        return mnp_fail(MNP_ERR_ARG, "%s is for the histogram, and --bins is 0",
                        j->picture.path ? "--picture" : "--range");
    return picture_check_options(&j->picture);
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
        if ((j->has_percents && found->npercents > 0) || found->bins > 0 || j->has_range || j->picture.path)
            return mnp_fail(MNP_ERR_ARG,
                            "INPUT '%s' is %s, and complex numbers have no order: there are no "
                            "percentiles, and no histogram",
                            op->text, mnp_dtype_name(op->dtype));
        found->npercents = found->bins = 0;
    } else if (!j->has_bins && !j->has_axis) {
        found->whole = strchr("biu", mnp_dtype_kind(op->dtype)) && !j->has_range;
        found->bins = !j->picture.path ? BINS : found->whole ? WHOLE_BINS_OF_PICTURE : BINS_OF_PICTURE;
    }
    const int64_t last = op->ndim == 3 ? op->shape[2] : 0;
    j->channels = j->picture.path && (last == 3 || last == 4) ? (int)last : 0;
    return MNP_OK;
}

/* The limit of bytes of data on a device: as given, or this rank's share of half of the free memory. */
static mnp_status choose_memory(job *j)
{
    mnp_rank_info *ranks = NULL;
    int size = mnp_ctx_size(j->ctx);
    if (j->memory > 0)
        return MNP_OK;
    mnp_status status = rank_infos(j->ctx, &ranks, NULL);
    for (int r = 0; r < size && status == MNP_OK; r++) {
        int sharing = ranks[r].ranks_on_device;
        for (int other = 0; ranks[r].device_index < 0 && other < size; other++)
            sharing += other != r && ranks[other].node == ranks[r].node;
        int64_t share = ranks[r].memory_free / 2 / sharing;
        j->memory = r == 0 || share < j->memory ? share : j->memory;
    }
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

typedef enum stage { READ = FIRST_STAGE, COMPUTE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "compute"};

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
    stopwatch_lap(watch, READ);
    if (j->plan.count == 1)
        progress_stage(0, NULL, "computing");
}

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
        OR_EXIT(selection_new(j->ctx, j->input.dtype, 2 * found->npercents, &select));
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
    if (j->found.npercents > 0 && selection_new(rehearsal, j->input.dtype, 2 * j->found.npercents, &select) == MNP_OK)
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

/* ---- the report ---- */

static void report(const job *j, const stopwatch *watch)
{
    const operand *op = &j->input;
    double slowest[MAX_STAGES];
    char bytes[BYTES_TEXT];
    mnp_rank_info *ranks = NULL;
    stopwatch_slowest(watch, slowest);
    OR_EXIT(rank_infos(j->ctx, &ranks, NULL));
    if (mnp_ctx_rank(j->ctx) == 0 && j->json) {
        json_writer out = json_start(stdout);
        json_open(&out, NULL, '{');
        stats_print_json(&j->found, &out);
        json_where(&out, j->ctx, ranks);
        json_times(&out, NUM_STAGES, stage_names, slowest);
        json_close(&out);
    } else if (mnp_ctx_rank(j->ctx) == 0) {
        int64_t size = 1;
        for (int d = 0; d < op->ndim; d++)
            size *= op->shape[d];
        printf("ran on    ");
        print_where(j->ctx, ranks);
        printf("INPUT     %s: ", op->text);
        print_shape(op->ndim, op->shape);
        printf(" %s, %s", mnp_dtype_name(op->dtype), bytes_text(size * (int64_t)mnp_dtype_size(op->dtype), bytes));
        if (j->plan.count > 1)
            printf(", in %lld pieces", (long long)j->plan.count);
        putchar('\n');
        if (j->found.axis >= 0)
            printf("along     dimension %d, %lld element%s\n", j->found.axis, (long long)op->shape[j->found.axis],
                   plural(op->shape[j->found.axis]));
        stats_print(&j->found);
        if (*j->made.size)
            printf("picture   %s: %s\n", j->picture.path, j->made.size);
        print_times(NUM_STAGES, stage_names, slowest);
    }
    free(ranks);
}

/* A number for people. */
static const char *short_text(double value, char text[32])
{
    snprintf(text, 32, "%.6g", value);
    return text;
}

static mnp_status draw_histogram(job *j)
{
    static const char *const names[] = {"red", "green", "blue", "opacity"};
    static const colour colours[] = {{213, 94, 0}, {0, 158, 115}, {0, 114, 178}, {120, 120, 120}};
    const statistics *found = &j->found;
    const moments *m = found->rows;
    char subtitle[160], mean[32], deviation[32];
    const int64_t *counts[MOST_CHANNELS] = {found->counts};
    for (int k = 0; k < j->channels; k++)
        counts[k] = j->channel_counts[k];
    snprintf(subtitle, sizeof subtitle, "%lld values, mean %s, standard deviation %s", (long long)moments_count(m),
             short_text(moments_mean(m, 0), mean), short_text(moments_std(m), deviation));
    const plot_histogram plot = {
        .words = {without_folders(j->input.text), subtitle, "value",
                  found->whole && found->high - found->low == found->bins ? "count" : "values per bin"},
        .bins = found->bins,
        .low = found->low,
        .high = found->high,
        .whole = found->whole,
        .count = j->channels > 0 ? j->channels : 1,
        .counts = counts,
        .names = names,
        .colours = colours,
    };
    return plot_write_histogram(&j->picture, &plot, &j->made);
}

/* Returns the exit status. */
static int draw(job *j)
{
    const statistics *found = &j->found;
    mnp_status status = MNP_OK;
    if (!j->picture.path)
        return EXIT_SUCCESS;
    if (found->bins == 0)
        status = mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no finite values for a histogram", j->input.text);
    else if (mnp_ctx_rank(j->ctx) == 0)
        status = draw_histogram(j);
    return command_say(j->ctx, "", mnp_agree(j->ctx, status));
}

/* Returns the exit status. */
static int run(job *j)
{
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "stats", false);
    OR_EXIT(make_room(j));
    rehearse(j);
    OR_EXIT(moments_kernel(j->ctx, j->input.dtype, &j->kernel));
    if (j->found.axis >= 0)
        run_along_axis(j, &watch);
    else
        run_over_all(j, &watch);
    mnp_reduction_free(j->kernel);
    const int status = draw(j);
    progress_end();
    report(j, &watch);
    free(j->found.rows);
    free(j->found.values);
    free(j->found.counts);
    for (int k = 0; k < j->channels; k++)
        free(j->channel_counts[k]);
    return status;
}

/* Check that the picture can be written, and does not overwrite the input.  On rank 0. */
static mnp_status check_place(const job *j)
{
    const run_file files[] = {file_of_operand(&j->input), file_of_option("--picture", j->picture.path)};
    mnp_status status = files_check(sizeof files / sizeof *files, files);
    return status == MNP_OK ? picture_check_place(&j->picture) : status;
}

int stats_main(int argc, char **argv)
{
    job *j = calloc(1, sizeof *j);
    words_set(words_table);
    if (!j)
        mnp_fail(MNP_ERR_MEMORY, "out of memory");
    else
        j->picture = PICTURE_REQUEST_DEFAULTS;
    if (!j || parse(argc, argv, j) != MNP_OK)
        misused_exit();

    j->ctx = command_begin(NULL);
    OR_EXIT(operand_look(j->ctx, &j->input));
    OR_EXIT(check_input(j));
    OR_EXIT(mnp_agree(j->ctx, j->picture.path && mnp_ctx_rank(j->ctx) == 0 ? check_place(j) : MNP_OK));
    OR_EXIT(plan_pieces(j));
    const int drawn = run(j), written = close_output(), status = drawn == EXIT_SUCCESS ? written : drawn;
    mnp_finalize(j->ctx);
    operand_free(&j->input);
    free(j);
    return status;
}
