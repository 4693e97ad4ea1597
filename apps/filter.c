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
#include "common/job.h"
#include "common/paths.h"

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

/* X(NAME, name, what it is) */
#define PARAMETERS(X)                                                                                                  \
    X(SIZE, "size", "extent of the window, or one for each dimension, such as 3 or 3,5")                               \
    X(SIGMA, "sigma", "standard deviation, or one for each dimension")                                                 \
    X(ORDER, "order", "derivative of the Gaussian, or one a dimension (default: 0); degree of splines (3)")            \
    X(TRUNCATE, "truncate", "where the Gaussian ends, in standard deviations (default: 4)")                            \
    X(RANK, "rank", "which value of the sorted window, from 0 on; negative from its end")                              \
    X(PERCENTILE, "percentile", "which value of the sorted window, 0 to 100")                                          \
    X(AXIS, "axis", "the dimension of the difference or line (default: -1, the last)")                                 \
    X(WINDOW_LENGTH, "window_length", "elements that a polynomial is fitted to, such as 7")                            \
    X(POLYORDER, "polyorder", "of the polynomial (default: 2)")                                                        \
    X(SHIFT, "shift", "how far elements go, or one for each dimension")                                                \
    X(ZOOM, "zoom", "how many elements there are for one, or one number for each dimension")                           \
    X(ANGLE, "angle", "in degrees, in the plane of the first two dimensions or of axes")                               \
    X(ORIGIN, "origin", "shift of the window, or one for each dimension (default: 0)")                                 \
    X(CVAL, "cval", "what is beyond the borders in mode constant (default: 0)")                                        \
    X(ITERATIONS, "iterations", "how often; 0: until nothing changes (default: 1)")                                    \
    X(CONNECTIVITY, "connectivity", "steps to neighbours that are connected (default: 1)")                             \
    X(MODE, "mode", "reflect, mirror, nearest, wrap or constant (default: reflect; of splines constant)")              \
    X(AXES, "axes", "the dimensions to filter, such as 0,1 for a picture in colours (default: all)")                   \
    X(DTYPE, "dtype", "of the result, such as float32 (default: that of INPUT)")

enum parameter {
#define ENUMERATOR(NAME, name, help) NAME,
    PARAMETERS(ENUMERATOR) NUM_PARAMETERS
};
static const struct {
    const char *name, *help;
} parameters[] = {
#define ROW(NAME, name, help) {name, help},
    PARAMETERS(ROW)};

#define BIT(parameter) (1U << (parameter))
enum { BORDERS = BIT(CVAL) | BIT(MODE) | BIT(AXES) | BIT(DTYPE), WINDOW = BIT(SIZE) | BIT(ORIGIN) | BORDERS };
enum { GAUSS = BIT(SIGMA) | BIT(TRUNCATE) | BORDERS, BINARY = BIT(ITERATIONS) | BIT(CONNECTIVITY) };

/* Filters without a plan: an element depends on whole lines, or the result has another shape or dtype. */
enum { NO_PLAN = BIT(NUM_PARAMETERS), SPLINE = NO_PLAN | BIT(ORDER) | BORDERS, LINES = NO_PLAN | BIT(AXIS) };

typedef struct value {
    int count; /* 0: not given */
    double numbers[MNP_MAX_DIMS];
} value;

typedef struct filtering {
    job job; /* first: see common/job.h */
    const struct filter *filter;
    value values[NUM_PARAMETERS];
    mnp_ndimage_mode mode;
    mnp_dtype dtype;
} filtering;

static filtering *of(job *j)
{
    return (filtering *)j;
}

/* Number d of a parameter, which may be one for all axes. */
static double number(const filtering *j, enum parameter parameter, int d, double otherwise)
{
    const value *v = &j->values[parameter];
    return v->count == 0 ? otherwise : v->numbers[v->count == 1 ? 0 : d];
}

/* A filter's arguments, for the dimensions of its input. */
typedef struct arguments {
    int64_t size[MNP_MAX_DIMS], origins[MNP_MAX_DIMS];
    double sigma[MNP_MAX_DIMS], truncate, shift[MNP_MAX_DIMS], zoom[MNP_MAX_DIMS];
    int spline, order[MNP_MAX_DIMS], axis, axes[MNP_MAX_DIMS];
    bool *structure;
    int64_t structure_shape[MNP_MAX_DIMS], iterations;
    mnp_ndimage_options options;
} arguments;

static mnp_status find_arguments(const filtering *j, int ndim, arguments *a)
{
    size_t total = 1;
    for (int d = 0; d < ndim; d++) {
        a->size[d] = (int64_t)number(j, SIZE, d, 3);
        a->origins[d] = (int64_t)number(j, ORIGIN, d, 0);
        a->sigma[d] = number(j, SIGMA, d, 1);
        a->order[d] = (int)number(j, ORDER, d, 0);
        a->shift[d] = number(j, SHIFT, d, 0);
        a->zoom[d] = number(j, ZOOM, d, 1);
        a->axes[d] = (int)j->values[AXES].numbers[d];
        a->structure_shape[d] = 3;
        total *= 3;
    }
    a->truncate = number(j, TRUNCATE, 0, 4);
    a->spline = (int)number(j, ORDER, 0, 3);
    a->axis = (int)number(j, AXIS, 0, -1);
    a->iterations = (int64_t)number(j, ITERATIONS, 0, 1);
    a->options = (mnp_ndimage_options){.dtype = j->dtype,
                                       .mode = j->mode,
                                       .cval = number(j, CVAL, 0, 0),
                                       .naxes = j->values[AXES].count,
                                       .axes = a->axes,
                                       .origins = a->origins};
    a->structure = malloc(total);
    if (!a->structure)
        return mnp_fail(MNP_ERR_MEMORY, "there is no memory for a structure of %zu elements", total);
    return mnp_ndimage_generate_binary_structure(ndim, (int)number(j, CONNECTIVITY, 0, 1), a->structure);
}

/* ---- filters ---- */

typedef mnp_status filter_function(const filtering *j, const arguments *a, const mnp_array *x, mnp_array **y_p);

#define RUN(name, function, ...)                                                                                       \
    static mnp_status run_##name(const filtering *j, const arguments *a, const mnp_array *x, mnp_array **y_p)          \
    {                                                                                                                  \
        (void)j, (void)a;                                                                                              \
        return function(x, __VA_ARGS__);                                                                               \
    }
#define FILTER(name, ...) RUN(name, mnp_ndimage_##name, __VA_ARGS__, y_p)
FILTER(minimum_filter, a->size, NULL, &a->options)
FILTER(maximum_filter, a->size, NULL, &a->options)
FILTER(median_filter, a->size, NULL, &a->options)
FILTER(rank_filter, (int64_t)number(j, RANK, 0, 0), a->size, NULL, &a->options)
FILTER(percentile_filter, number(j, PERCENTILE, 0, 50), a->size, NULL, &a->options)
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
RUN(savgol_filter, mnp_savgol_filter, (int64_t)number(j, WINDOW_LENGTH, 0, 3), (int)number(j, POLYORDER, 0, 2), 0, 1,
    a->axis, NULL, 0, y_p)
RUN(detrend, mnp_detrend, a->axis, NULL, 0, NULL, y_p)
RUN(hilbert, mnp_hilbert, MNP_NONE, a->axis, y_p)

static mnp_status run_rotate(const filtering *j, const arguments *a, const mnp_array *x, mnp_array **y_p)
{
    const int count = a->options.naxes;
    if (count != 0 && count != 2)
        return mnp_fail(MNP_ERR_ARG, "axes has %d number%s; rotate needs two", count, plural(count));
    return mnp_ndimage_rotate(x, number(j, ANGLE, 0, 0), count == 2 ? a->axes : NULL, true, a->spline, true,
                              &(mnp_ndimage_options){.dtype = j->dtype, .mode = j->mode, .cval = a->options.cval}, y_p);
}

static mnp_status run_label(const filtering *j, const arguments *a, const mnp_array *x, mnp_array **y_p)
{
    int64_t count;
    (void)j;
    return mnp_ndimage_label(x, a->structure, y_p, &count);
}

/* A filter: what it takes, and which parameter it cannot do without (NUM_PARAMETERS: none). */
static const struct filter {
    const char *name;
    filter_function *run;
    unsigned takes;
    enum parameter needs;
    const char *summary;
} filters[] = {
    {"minimum_filter", run_minimum_filter, WINDOW, SIZE, "the smallest value of a window"},
    {"maximum_filter", run_maximum_filter, WINDOW, SIZE, "the largest value of a window"},
    {"median_filter", run_median_filter, WINDOW, SIZE, "the middle value of a window"},
    {"rank_filter", run_rank_filter, WINDOW | BIT(RANK), RANK, "a value of a sorted window"},
    {"percentile_filter", run_percentile_filter, WINDOW | BIT(PERCENTILE), PERCENTILE, "a percentile of a window"},
    {"uniform_filter", run_uniform_filter, WINDOW, NUM_PARAMETERS, "the mean of a window"},
    {"gaussian_filter", run_gaussian_filter, GAUSS | BIT(ORDER), SIGMA, "Gaussians and their derivatives"},
    {"gaussian_laplace", run_gaussian_laplace, GAUSS, SIGMA, "second derivatives of Gaussians"},
    {"gaussian_gradient_magnitude", run_gaussian_gradient_magnitude, GAUSS, SIGMA, "the slope, by Gaussians"},
    {"laplace", run_laplace, BORDERS, NUM_PARAMETERS, "second differences"},
    {"sobel", run_sobel, BORDERS | BIT(AXIS), NUM_PARAMETERS, "a smoothed difference"},
    {"prewitt", run_prewitt, BORDERS | BIT(AXIS), NUM_PARAMETERS, "a smoothed difference"},
    {"grey_erosion", run_grey_erosion, WINDOW, SIZE, "the smallest value of a window"},
    {"grey_dilation", run_grey_dilation, WINDOW, SIZE, "the largest value of a window"},
    {"grey_opening", run_grey_opening, WINDOW, SIZE, "an erosion, then a dilation"},
    {"grey_closing", run_grey_closing, WINDOW, SIZE, "a dilation, then an erosion"},
    {"morphological_gradient", run_morphological_gradient, WINDOW, SIZE, "the dilation minus the erosion"},
    {"morphological_laplace", run_morphological_laplace, WINDOW, SIZE, "dilation plus erosion minus twice the input"},
    {"white_tophat", run_white_tophat, WINDOW, SIZE, "the input minus its opening"},
    {"black_tophat", run_black_tophat, WINDOW, SIZE, "the closing minus the input"},
    {"binary_erosion", run_binary_erosion, BINARY, NUM_PARAMETERS, "where all neighbours are not 0"},
    {"binary_dilation", run_binary_dilation, BINARY, NUM_PARAMETERS, "where any neighbour is not 0"},
    {"binary_opening", run_binary_opening, BINARY, NUM_PARAMETERS, "an erosion, then a dilation"},
    {"binary_closing", run_binary_closing, BINARY, NUM_PARAMETERS, "a dilation, then an erosion"},
    {"binary_fill_holes", run_binary_fill_holes, BIT(CONNECTIVITY), NUM_PARAMETERS, "what is enclosed is filled"},
    {"spline_filter", run_spline_filter, NO_PLAN | BIT(ORDER) | BIT(MODE), NUM_PARAMETERS, "coefficients of a spline"},
    {"shift", run_shift, SPLINE | BIT(SHIFT), SHIFT, "the image moved, by splines"},
    {"zoom", run_zoom, SPLINE | BIT(ZOOM), ZOOM, "the image with more or fewer elements, by splines"},
    {"rotate", run_rotate, SPLINE | BIT(ANGLE), ANGLE, "the image turned, by splines"},
    {"distance_transform_edt", run_distance_transform_edt, NO_PLAN, NUM_PARAMETERS, "how far the nearest 0 is"},
    {"medfilt", run_medfilt, BIT(SIZE), SIZE, "the middle value of a window, with zeros beyond the borders"},
    {"wiener", run_wiener, NO_PLAN | BIT(SIZE), NUM_PARAMETERS, "less noise where a window varies less"},
    {"savgol_filter", run_savgol_filter, LINES | BIT(WINDOW_LENGTH) | BIT(POLYORDER), WINDOW_LENGTH,
     "polynomials fitted to lines"},
    {"detrend", run_detrend, LINES, NUM_PARAMETERS, "lines less the straight lines that fit best"},
    {"hilbert", run_hilbert, LINES, NUM_PARAMETERS, "analytic signals of lines"},
};
enum { NUM_FILTERS = sizeof filters / sizeof *filters };
static const struct filter labelling = {"label", run_label, BIT(CONNECTIVITY), NUM_PARAMETERS, NULL};

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
        printf("  %-28s%s\n   ", filters[f].name, filters[f].summary);
        for (int p = 0; p < NUM_PARAMETERS; p++)
            if (filters[f].takes & BIT(p))
                printf(" %s", parameters[p].name);
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
    return mnp_fail(MNP_ERR_ARG, "there is no filter '%s'%s%s%s; --help lists them", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
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

/* ---- the work ---- */

static mnp_status compute(job *base)
{
    const filtering *j = of(base);
    arguments a = {.structure = NULL};
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
    json_operand(out, "input", j->job.input.text, j->job.x);
    json_operand(out, "output", j->job.result.output.text, j->job.y);
}

/* ---- the plan ---- */

static void plan_text(const void *run)
{
    const filtering *j = run;
    printf("filter    %s\n", j->filter->name);
    print_operand("input", &j->job.input);
}

static void plan_json(const void *run, json_writer *out)
{
    const filtering *j = run;
    json_text(out, "filter", j->filter->name);
    json_text(out, "input", j->job.input.text);
    json_integers(out, "shape", j->job.input.ndim, j->job.input.shape);
}

/* The place of dimension d among those that are filtered; -1: it is not. */
static int place_of(const filtering *j, int d)
{
    const value *axes = &j->values[AXES];
    for (int i = 0; i < axes->count; i++)
        if (((int)axes->numbers[i] + j->job.input.ndim) % j->job.input.ndim == d)
            return i;
    return axes->count > 0 ? -1 : d;
}

/* What a filter looks at along dimension d: elements, from which one on. */
static int64_t window_along(const filtering *j, int d, int64_t *first)
{
    const unsigned takes = j->filter->takes;
    const int i = place_of(j, d);
    int64_t count = 3, origin = 0;
    if (takes & BIT(SIGMA))
        count = 2 * (int64_t)(number(j, TRUNCATE, 0, 4) * number(j, SIGMA, i, 1) + 0.5) + 1;
    else if (takes & BIT(SIZE))
        count = (int64_t)number(j, SIZE, i, 3), origin = (int64_t)number(j, ORIGIN, i, 0);
    *first = i < 0 ? 0 : -(count / 2) - origin;
    return i < 0 ? 1 : count;
}

/* What ranks exchange: for a window all at once, for passes along the axes one after the other. */
static plan_sent exchange_of(const filtering *j, const plan *p, bool passes)
{
    const operand *input = &j->job.input;
    plan_sent all = {.bytes = 0};
    for (int pass = 0; pass < (passes ? input->ndim : 1); pass++) {
        plan_window w = {.ndim = input->ndim,
                         .shape = input->shape,
                         .boundary = j->mode == MNP_NDIMAGE_WRAP ? MNP_BOUNDARY_WRAP : MNP_BOUNDARY_FILL,
                         .size = (double)mnp_dtype_size(input->dtype)};
        for (int d = 0; d < input->ndim; d++)
            if (!passes || d == pass)
                w.last[d] = window_along(j, d, &w.first[d]) - 1 + w.first[d];
        const plan_sent sent = plan_around(p, &w);
        all.bytes += sent.bytes;
        all.messages += sent.messages;
        all.received += sent.received;
    }
    return all;
}

/*
 * A rank needs what lies around its block, from the ranks beside it.  Filters that take one axis after the other pass
 * over memory for each; what the arithmetic of sorted windows and of labels takes was not measured.
 */
static mnp_status make_plan(job *base, plan *p)
{
    const filtering *j = of(base);
    const operand *input = &base->input;
    const unsigned takes = j->filter->takes;
    int parts[MNP_MAX_DIMS];
    if (takes & NO_PLAN)
        return mnp_fail(MNP_ERR_ARG, "there is no plan of %s", j->filter->name);
    const double block = plan_block(p, input->ndim, input->shape, parts), size = (double)mnp_dtype_size(input->dtype),
                 bytes = block * size;
    const bool sorts = strstr(j->filter->name, "med") || (takes & (BIT(RANK) | BIT(PERCENTILE))) != 0,
               repeats = (takes & (BIT(CONNECTIVITY) | BIT(ITERATIONS))) != 0, passes = !(takes & BIT(SIZE));
    const plan_sent sent = exchange_of(j, p, passes);
    double taps = 0;
    for (int d = 0; d < input->ndim; d++) {
        int64_t first;
        taps += (double)window_along(j, d, &first);
    }
    const mnp_dtype result = j->dtype == MNP_DTYPE_AUTO ? input->dtype : j->dtype;
    plan_by(p, "%s",
            sorts     ? "the sorted window of every element, in one pass"
            : repeats ? "steps to neighbours, in passes until nothing changes"
                      : "one axis after the other");
    plan_keep(p, "input", bytes);
    int cut = 0;
    for (int d = 0; d < input->ndim; d++)
        cut += parts[d] > 1;
    const double out = block * (double)mnp_dtype_size(result), work = (passes         ? (cut > 1 ? 2 : 1) * out
                                                                       : p->ranks > 1 ? bytes
                                                                                      : 0) +
                                                                      sent.received;
    plan_keep(p, "output", out);
    plan_keep(p, "work", work);
    if (p->ranks > 1) {
        plan_step border = {.what = "what lies around a block",
                            .bytes = sent.bytes + sent.received,
                            .launches = passes ? input->ndim : 1};
        plan_neighbours(p, &border, sent.bytes, sent.messages);
        plan_add(p, border);
    }
    plan_add(p, (plan_step){.what = "filter",
                            .at_least = true,
                            /* passes reach half the rate of direct sums */
                            .operations = sorts || repeats ? 0 : block * taps * (passes ? 2 : 1),
                            .work = WORK_WINDOWS,
                            .dtype = size > 4 ? MNP_FLOAT64 : MNP_FLOAT32,
                            .bytes = 2 * bytes * (passes ? input->ndim : 1),
                            .fresh = out + work,
                            .launches = sorts ? 1 : input->ndim});
    plan_note(p, "filters were not measured on the machine: rates are those of convolutions along one axis");
    p->run = j;
    p->text = plan_text;
    p->json = plan_json;
    return MNP_OK;
}

#define KIND(its_command, its_usage)                                                                                   \
    {                                                                                                                  \
        .command = (its_command), .usage = (its_usage), .input = "INPUT", .stage = "filter", .progress = "filtering",  \
        .options = options_table, .words = words_table, .draws_alone = true, .operands = parse_operands,               \
        .prepare = check_counts, .plan = make_plan, .compute = compute, .draw = draw, .text = print_text,              \
        .json = print_json                                                                                             \
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
