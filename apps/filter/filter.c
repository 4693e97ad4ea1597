/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple filter and maniple label: read an image, filter it or number its parts, write the result, draw it, and report
 * how long it took.  The filters and their parameters are one table, from which help comes too.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "common/command.h"
#include "common/paths.h"
#include "filter/filter.h"

static const option_row options_table[] = {
    OUTPUT_ROW("INPUT"),
    PLAN_ROWS,
    PICTURE_OPTIONS("the result"),
    PICTURE_MAP_OPTION,
    APPEND_ROW,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

/* ---- parameters ---- */

static const struct {
    const char *name, *help;
} parameters[] = {
#define ROW(NAME, name, help) {name, help},
    PARAMETERS(ROW)};

enum { BORDERS = BIT(CVAL) | BIT(MODE) | BIT(AXES) | BIT(DTYPE), WINDOW = BIT(SIZE) | BIT(ORIGIN) | BORDERS };
enum { GAUSS = BIT(SIGMA) | BIT(TRUNCATE) | BORDERS, BINARY = BIT(ITERATIONS) | BIT(CONNECTIVITY) };

/* Filters without a plan: an element depends on whole lines, or the result has another shape or dtype. */
enum { SPLINE = NO_PLAN | BIT(ORDER) | BORDERS, LINES = NO_PLAN | BIT(AXIS) };

static filtering *of(job *j)
{
    return (filtering *)j;
}

double filter_number(const filtering *j, enum parameter parameter, int d, double otherwise)
{
    const value *v = &j->values[parameter];
    return v->count == 0 ? otherwise : v->numbers[v->count == 1 ? 0 : d];
}

/* A filter's arguments, for the dimensions of its input. */
struct arguments {
    int64_t size[MNP_MAX_DIMS], origins[MNP_MAX_DIMS];
    double sigma[MNP_MAX_DIMS], truncate, shift[MNP_MAX_DIMS], zoom[MNP_MAX_DIMS];
    int spline, order[MNP_MAX_DIMS], axis, axes[MNP_MAX_DIMS];
    bool *structure;
    int64_t structure_shape[MNP_MAX_DIMS], iterations;
    mnp_ndimage_options options;
};

static mnp_status find_arguments(const filtering *j, int ndim, struct arguments *a)
{
    size_t total = 1;
    for (int d = 0; d < ndim; d++) {
        a->size[d] = (int64_t)filter_number(j, SIZE, d, 3);
        a->origins[d] = (int64_t)filter_number(j, ORIGIN, d, 0);
        a->sigma[d] = filter_number(j, SIGMA, d, 1);
        a->order[d] = (int)filter_number(j, ORDER, d, 0);
        a->shift[d] = filter_number(j, SHIFT, d, 0);
        a->zoom[d] = filter_number(j, ZOOM, d, 1);
        a->axes[d] = (int)j->values[AXES].numbers[d];
        a->structure_shape[d] = 3;
        total *= 3;
    }
    a->truncate = filter_number(j, TRUNCATE, 0, 4);
    a->spline = (int)filter_number(j, ORDER, 0, 3);
    a->axis = (int)filter_number(j, AXIS, 0, -1);
    a->iterations = (int64_t)filter_number(j, ITERATIONS, 0, 1);
    a->options = (mnp_ndimage_options){.dtype = j->dtype,
                                       .mode = j->mode,
                                       .cval = filter_number(j, CVAL, 0, 0),
                                       .naxes = j->values[AXES].count,
                                       .axes = a->axes,
                                       .origins = a->origins};
    a->structure = malloc(total);
    if (!a->structure)
        return mnp_fail(MNP_ERR_MEMORY, "there is no memory for a structure of %zu elements", total);
    return mnp_ndimage_generate_binary_structure(ndim, (int)filter_number(j, CONNECTIVITY, 0, 1), a->structure);
}

/* ---- filters ---- */

#define RUN(name, function, ...)                                                                                       \
    static mnp_status run_##name(const filtering *j, const struct arguments *a, const mnp_array *x, mnp_array **y_p)   \
    {                                                                                                                  \
        (void)j, (void)a;                                                                                              \
        return function(x, __VA_ARGS__);                                                                               \
    }
#define FILTER(name, ...) RUN(name, mnp_ndimage_##name, __VA_ARGS__, y_p)
FILTER(minimum_filter, a->size, NULL, &a->options)
FILTER(maximum_filter, a->size, NULL, &a->options)
FILTER(median_filter, a->size, NULL, &a->options)
FILTER(rank_filter, (int64_t)filter_number(j, RANK, 0, 0), a->size, NULL, &a->options)
FILTER(percentile_filter, filter_number(j, PERCENTILE, 0, 50), a->size, NULL, &a->options)
FILTER(uniform_filter, a->size, &a->options)
FILTER(gaussian_filter, a->sigma, a->order, a->truncate, NULL, &a->options)
FILTER(gaussian_laplace, a->sigma, a->truncate, NULL, &a->options)
FILTER(gaussian_gradient_magnitude, a->sigma, a->truncate, NULL, &a->options)
FILTER(laplace, &a->options)
FILTER(sobel, a->axis, &a->options)
FILTER(prewitt, a->axis, &a->options)
FILTER(grey_erosion, a->size, NULL, NULL, &a->options)
FILTER(grey_dilation, a->size, NULL, NULL, &a->options)
FILTER(grey_opening, a->size, NULL, NULL, &a->options)
FILTER(grey_closing, a->size, NULL, NULL, &a->options)
FILTER(morphological_gradient, a->size, NULL, NULL, &a->options)
FILTER(morphological_laplace, a->size, NULL, NULL, &a->options)
FILTER(white_tophat, a->size, NULL, NULL, &a->options)
FILTER(black_tophat, a->size, NULL, NULL, &a->options)
FILTER(binary_erosion, a->structure_shape, a->structure, a->iterations, NULL, false, NULL)
FILTER(binary_dilation, a->structure_shape, a->structure, a->iterations, NULL, false, NULL)
FILTER(binary_opening, a->structure_shape, a->structure, a->iterations, NULL, false, NULL)
FILTER(binary_closing, a->structure_shape, a->structure, a->iterations, NULL, false, NULL)
FILTER(binary_fill_holes, a->structure_shape, a->structure, NULL)
FILTER(spline_filter, a->spline, j->mode)
FILTER(shift, a->shift, a->spline, true, &a->options)
FILTER(zoom, a->zoom, false, a->spline, true, &a->options)
RUN(distance_transform_edt, mnp_ndimage_distance_transform_edt, NULL, y_p, NULL)
RUN(medfilt, mnp_medfilt, a->size, y_p)
RUN(wiener, mnp_wiener, a->size, NULL, y_p)
RUN(savgol_filter, mnp_savgol_filter, (int64_t)filter_number(j, WINDOW_LENGTH, 0, 3),
    (int)filter_number(j, POLYORDER, 0, 2), 0, 1, a->axis, NULL, 0, y_p)
RUN(detrend, mnp_detrend, a->axis, NULL, 0, NULL, y_p)
RUN(hilbert, mnp_hilbert, MNP_NONE, a->axis, y_p)

static mnp_status run_rotate(const filtering *j, const struct arguments *a, const mnp_array *x, mnp_array **y_p)
{
    const int count = a->options.naxes;
    if (count != 0 && count != 2)
        return mnp_fail(MNP_ERR_ARG, "axes has %d number%s; rotate needs two", count, plural(count));
    return mnp_ndimage_rotate(x, filter_number(j, ANGLE, 0, 0), count == 2 ? a->axes : NULL, true, a->spline, true,
                              &(mnp_ndimage_options){.dtype = j->dtype, .mode = j->mode, .cval = a->options.cval}, y_p);
}

static mnp_status run_label(const filtering *j, const struct arguments *a, const mnp_array *x, mnp_array **y_p)
{
    int64_t count;
    (void)j;
    return mnp_ndimage_label(x, a->structure, y_p, &count);
}

/*
 * The filters, and which parameter each cannot do without (NUM_PARAMETERS: none).  After what it takes, a filter has
 * the number of windows through which an element depends on others, one after the other; 0: it may depend on
 * all of them.
 */
static const struct filter filters[] = {
    {"minimum_filter", run_minimum_filter, WINDOW, 1, SIZE, "the smallest value of a window"},
    {"maximum_filter", run_maximum_filter, WINDOW, 1, SIZE, "the largest value of a window"},
    {"median_filter", run_median_filter, WINDOW, 1, SIZE, "the middle value of a window"},
    {"rank_filter", run_rank_filter, WINDOW | BIT(RANK), 1, RANK, "a value of a sorted window"},
    {"percentile_filter", run_percentile_filter, WINDOW | BIT(PERCENTILE), 1, PERCENTILE, "a percentile of a window"},
    {"uniform_filter", run_uniform_filter, WINDOW, 1, NUM_PARAMETERS, "the mean of a window"},
    {"gaussian_filter", run_gaussian_filter, GAUSS | BIT(ORDER), 1, SIGMA, "Gaussians and their derivatives"},
    {"gaussian_laplace", run_gaussian_laplace, GAUSS, 1, SIGMA, "second derivatives of Gaussians"},
    {"gaussian_gradient_magnitude", run_gaussian_gradient_magnitude, GAUSS, 1, SIGMA, "the slope, by Gaussians"},
    {"laplace", run_laplace, BORDERS, 1, NUM_PARAMETERS, "second differences"},
    {"sobel", run_sobel, BORDERS | BIT(AXIS), 1, NUM_PARAMETERS, "a smoothed difference"},
    {"prewitt", run_prewitt, BORDERS | BIT(AXIS), 1, NUM_PARAMETERS, "a smoothed difference"},
    {"grey_erosion", run_grey_erosion, WINDOW, 1, SIZE, "the smallest value of a window"},
    {"grey_dilation", run_grey_dilation, WINDOW, 1, SIZE, "the largest value of a window"},
    {"grey_opening", run_grey_opening, WINDOW, 2, SIZE, "an erosion, then a dilation"},
    {"grey_closing", run_grey_closing, WINDOW, 2, SIZE, "a dilation, then an erosion"},
    {"morphological_gradient", run_morphological_gradient, WINDOW, 1, SIZE, "the dilation minus the erosion"},
    {"morphological_laplace", run_morphological_laplace, WINDOW, 1, SIZE,
     "dilation plus erosion minus twice the input"},
    {"white_tophat", run_white_tophat, WINDOW, 2, SIZE, "the input minus its opening"},
    {"black_tophat", run_black_tophat, WINDOW, 2, SIZE, "the closing minus the input"},
    {"binary_erosion", run_binary_erosion, BINARY, 1, NUM_PARAMETERS, "where all neighbours are not 0"},
    {"binary_dilation", run_binary_dilation, BINARY, 1, NUM_PARAMETERS, "where any neighbour is not 0"},
    {"binary_opening", run_binary_opening, BINARY, 2, NUM_PARAMETERS, "an erosion, then a dilation"},
    {"binary_closing", run_binary_closing, BINARY, 2, NUM_PARAMETERS, "a dilation, then an erosion"},
    {"binary_fill_holes", run_binary_fill_holes, BIT(CONNECTIVITY), 0, NUM_PARAMETERS, "what is enclosed is filled"},
    {"spline_filter", run_spline_filter, NO_PLAN | BIT(ORDER) | BIT(MODE), 0, NUM_PARAMETERS,
     "coefficients of a spline"},
    {"shift", run_shift, SPLINE | BIT(SHIFT), 0, SHIFT, "the image moved, by splines"},
    {"zoom", run_zoom, SPLINE | BIT(ZOOM), 0, ZOOM, "the image with more or fewer elements, by splines"},
    {"rotate", run_rotate, SPLINE | BIT(ANGLE), 0, ANGLE, "the image turned, by splines"},
    {"distance_transform_edt", run_distance_transform_edt, NO_PLAN, 0, NUM_PARAMETERS, "how far the nearest 0 is"},
    {"medfilt", run_medfilt, BIT(SIZE), 1, SIZE, "the middle value of a window, with zeros beyond the borders"},
    {"wiener", run_wiener, NO_PLAN | BIT(SIZE), 0, NUM_PARAMETERS, "less noise where a window varies less"},
    {"savgol_filter", run_savgol_filter, LINES | BIT(WINDOW_LENGTH) | BIT(POLYORDER), 1, WINDOW_LENGTH,
     "polynomials fitted to lines"},
    {"detrend", run_detrend, LINES, 0, NUM_PARAMETERS, "lines less the straight lines that fit best"},
    {"hilbert", run_hilbert, LINES, 0, NUM_PARAMETERS, "analytic signals of lines"},
};
enum { NUM_FILTERS = sizeof filters / sizeof *filters };
static const struct filter labelling = {"label", run_label, BIT(CONNECTIVITY), 0, NUM_PARAMETERS, NULL};

/* ---- help ---- */

void filter_help(void)
{
    puts("Usage: maniple filter NAME INPUT -o OUTPUT [PARAMETER=VALUE...] [OPTION...]\n"
         "       mpirun -n RANKS maniple filter NAME INPUT -o OUTPUT [PARAMETER=VALUE...] [OPTION...]\n"
         "\n"
         "Filter INPUT, an image of any number of dimensions, as the function NAME of scipy.ndimage or\n"
         "scipy.signal does.\n"
         "\n"
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of one of them, such as 'FILE:/DATASET[1:, ::-2, 0]'.\n"
         "\n"
         "Filters, and their parameters:");
    for (int f = 0; f < NUM_FILTERS; f++) {
        const char *before = "\n    ";
        printf("  %-28s%s", filters[f].name, filters[f].summary);
        for (int p = 0; p < NUM_PARAMETERS; p++) {
            if (filters[f].takes & BIT(p)) {
                printf("%s%s", before, parameters[p].name);
                before = " ";
            }
        }
        puts("");
    }
    puts("\nParameters:");
    for (int p = 0; p < NUM_PARAMETERS; p++)
        printf("  %-14s%s\n", parameters[p].name, parameters[p].help);
    puts("\nOptions:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple filter median_filter sky.h5:/image -o clean.h5:/image size=5");
}

void label_help(void)
{
    puts("Usage: maniple label INPUT -o OUTPUT [connectivity=N] [OPTION...]\n"
         "       mpirun -n RANKS maniple label INPUT -o OUTPUT [connectivity=N] [OPTION...]\n"
         "\n"
         "Number the connected parts of what is not 0 in INPUT, from 1 on, as scipy.ndimage.label does.\n"
         "\n"
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of one of them.  Elements are connected if they are at most connectivity\n"
         "steps along dimensions apart, each by one element (default: 1).\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple label mask.h5:/mask -o parts.h5:/labels connectivity=2");
}

static const words_row words_table[] = {{"the input", "INPUT"}, {NULL, NULL}};

/* ---- the command line ---- */

static mnp_status parse_mode(const char *word, filtering *j)
{
    static const char *const names[] = {"reflect", "mirror", "nearest", "wrap", "constant", NULL};
    int index = 0;
    const mnp_status status = options_choose("mode", word, names, &index);
    j->mode = (mnp_ndimage_mode)(MNP_NDIMAGE_REFLECT + index);
    return status;
}

static mnp_status parse_numbers(const char *name, const char *list, value *v)
{
    for (const char *text = list;; text++) {
        char *end;
        const double parsed = strtod(text, &end);
        if (end == text || (*end && *end != ',') || v->count == MNP_MAX_DIMS)
            return mnp_fail(MNP_ERR_ARG, "%s is '%s'; it must be a number, or at most %d separated by commas", name,
                            list, MNP_MAX_DIMS);
        v->numbers[v->count++] = parsed;
        if (!*end)
            return MNP_OK;
        text = end;
    }
}

/* A word that sets no parameter: say which there are. */
static mnp_status fail_parameter(const char *text, const filtering *j)
{
    char listed[160] = "";
    for (int p = 0; p < NUM_PARAMETERS; p++) {
        const size_t used = strlen(listed);
        if (j->filter->takes & BIT(p))
            snprintf(listed + used, sizeof listed - used, "%s%s", used > 0 ? ", " : "", parameters[p].name);
    }
    return mnp_fail(MNP_ERR_ARG, "'%s' is no parameter of %s, written NAME=VALUE; it has %s", text, j->filter->name,
                    *listed ? listed : "none");
}

static mnp_status parse_parameter(const char *text, filtering *j)
{
    const char *equals = strchr(text, '=');
    for (int p = 0; equals && p < NUM_PARAMETERS; p++) {
        const size_t length = strlen(parameters[p].name);
        if ((size_t)(equals - text) != length || strncmp(text, parameters[p].name, length) != 0)
            continue;
        if (!(j->filter->takes & BIT(p)))
            return mnp_fail(MNP_ERR_ARG, "%s takes no %s", j->filter->name, parameters[p].name);
        if (j->values[p].count > 0)
            return mnp_fail(MNP_ERR_ARG, "%s is given twice", parameters[p].name);
        if (p == MODE) {
            j->values[p].count = 1;
            return parse_mode(equals + 1, j);
        }
        if (p == DTYPE) {
            j->values[p].count = 1;
            return mnp_dtype_parse(equals + 1, &j->dtype);
        }
        return parse_numbers(parameters[p].name, equals + 1, &j->values[p]);
    }
    return fail_parameter(text, j);
}

static mnp_status find_filter(const char *name, filtering *j)
{
    const char *names[NUM_FILTERS + 1] = {NULL};
    for (int f = 0; f < NUM_FILTERS; f++) {
        names[f] = filters[f].name;
        if (strcmp(name, filters[f].name) == 0)
            j->filter = &filters[f];
    }
    if (j->filter)
        return MNP_OK;
    const char *nearest = nearest_word(name, names);
    return nearest ? mnp_fail(MNP_ERR_ARG, "there is no filter '%s'; did you mean '%s'?", name, nearest)
                   : mnp_fail(MNP_ERR_ARG, "there is no filter '%s'; --help lists them", name);
}

static mnp_status parse_operands(int count, char **words, job *base)
{
    filtering *j = of(base);
    int next = 0;
    mnp_status status = MNP_OK;
    if (!j->filter && count == 0)
        return mnp_fail(MNP_ERR_ARG, "filter needs a NAME and INPUT, as in: %s", base->kind->usage);
    if (!j->filter)
        status = find_filter(words[next++], j);
    if (status == MNP_OK && next == count)
        status = mnp_fail(MNP_ERR_ARG, "%s needs INPUT", base->kind->command);
    if (status == MNP_OK)
        status = operand_parse_file("INPUT", words[next++], &base->input);
    for (; status == MNP_OK && next < count; next++)
        status = parse_parameter(words[next], j);
    if (status == MNP_OK && j->filter->needs != NUM_PARAMETERS && j->values[j->filter->needs].count == 0)
        status = mnp_fail(MNP_ERR_ARG, "%s needs %s=VALUE: %s", j->filter->name, parameters[j->filter->needs].name,
                          parameters[j->filter->needs].help);
    return status;
}

/* ---- a check before the work ---- */

static mnp_status check_counts(job *base)
{
    const filtering *j = of(base);
    const operand *input = &base->input;
    if (input->ndim == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no dimensions", input->text);
    const value *axes = &j->values[AXES];
    for (int a = 0; a < axes->count; a++)
        if (!(fabs(axes->numbers[a]) <= MNP_MAX_DIMS) || axes->numbers[a] != (int)axes->numbers[a])
            return mnp_fail(MNP_ERR_ARG, "axes has the number %g, which is no dimension", axes->numbers[a]);
    for (int p = 0; p < NUM_PARAMETERS; p++) {
        const int count = j->values[p].count;
        if (p != AXES && count > 1 && axes->count > 0 && count != axes->count)
            return mnp_fail(MNP_ERR_ARG, "%s has %d numbers, and axes has %d", parameters[p].name, count, axes->count);
        if (p == AXES ? count > input->ndim : count > 1 && axes->count == 0 && count != input->ndim)
            return mnp_fail(MNP_ERR_ARG, "%s has %d numbers, and INPUT '%s' has %d dimension%s", parameters[p].name,
                            count, input->text, input->ndim, plural(input->ndim));
    }
    return MNP_OK;
}

static mnp_status prepare(job *base)
{
    const mnp_status status = check_counts(base);
    return status == MNP_OK ? filter_stream_plan(of(base)) : status;
}

/* ---- the work ---- */

static mnp_status compute(job *base)
{
    const filtering *j = of(base);
    struct arguments a = {.structure = NULL};
    mnp_status status = mnp_agree(base->ctx, find_arguments(j, base->input.ndim, &a));
    if (status == MNP_OK)
        status = j->filter->run(j, &a, base->x, &base->y);
    free(a.structure);
    return status;
}

/* Draw the result.  Collective. */
static mnp_status draw(job *base)
{
    char title[256];
    mnp_array *z = NULL;
    const mnp_dtype dtype = mnp_array_dtype(base->y);
    snprintf(title, sizeof title, "%s of %s", of(base)->filter->name, without_folders(base->input.text));
    mnp_status status = mnp_astype(base->y, dtype == MNP_BOOL ? MNP_UINT8 : dtype, &z);
    if (status == MNP_OK)
        status = array_write(&base->result.picture, title, z, -1, -1, base->drawn);
    mnp_array_free(z);
    return status;
}

static void print_text(const void *run, const run_facts *facts)
{
    const filtering *j = run;
    (void)facts;
    printf("filter    %s\n", j->filter->name);
    if (j->job.streams) {
        print_operand("input", &j->job.input);
        return;
    }
    printf("input     %s: ", j->job.input.text);
    print_array(j->job.x);
    printf("output    %s: ", j->job.result.output.text ? j->job.result.output.text : "(none)");
    print_array(j->job.y);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const filtering *j = run;
    (void)facts;
    json_text(out, "filter", j->filter->name);
    if (j->job.streams) {
        json_input(out, "input", &j->job.input);
        json_text(out, "output", j->job.result.output.text);
        return;
    }
    json_operand(out, "input", j->job.input.text, j->job.x);
    json_operand(out, "output", j->job.result.output.text, j->job.y);
}

#define KIND(its_command, its_usage)                                                                                   \
    {                                                                                                                  \
        .command = (its_command), .usage = (its_usage), .input = "INPUT", .stage = "filter", .progress = "filtering",  \
        .options = options_table, .words = words_table, .draws_alone = true, .operands = parse_operands,               \
        .prepare = prepare, .plan = filter_plan, .compute = compute, .needs = filter_stream_needs, .draw = draw,       \
        .text = print_text, .json = print_json                                                                         \
    }
static const job_kind filter_kind = KIND("filter", "maniple filter NAME INPUT -o OUTPUT"),
                      label_kind = KIND("label", "maniple label INPUT -o OUTPUT");

int filter_main(int argc, char **argv)
{
    filtering j = {.job = JOB_START(&filter_kind)};
    return job_main(&j.job, argc, argv);
}

int label_main(int argc, char **argv)
{
    filtering j = {.job = JOB_START(&label_kind), .filter = &labelling};
    return job_main(&j.job, argc, argv);
}
