/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple fft: read an array, transform it, write the result, draw its spectrum, and report how long it took; or, with
 * --plan, say how it would be done.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <float.h>
#include <getopt.h>
#include <math.h>

#include <maniple.h>

#include "common/command.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/result.h"
#include "picture/array.h"
#include "picture/picture.h"
#include "report/progress.h"
#include "report/report.h"
#include "common/words.h"

enum { KEY_INVERSE = UCHAR_MAX + 1, KEY_REAL, KEY_AXES, KEY_POINTS, KEY_NORM, KEY_SHIFT, KEY_DTYPE, KEY_PLAN };

static const option_row options_table[] = {
    OUTPUT_ROW("INPUT"),
    {KEY_INVERSE, "inverse", NULL, "transform back"},
    {KEY_REAL, "real", NULL,
     "of real numbers, keeping half of the last axis, as numpy.fft.rfftn;\n"
     "with --inverse from that half to real numbers"},
    {KEY_AXES, "axes", "LIST",
     "dimensions to transform along, such as 0,1; -1 is the last\n"
     "(default: all); the last one is the short one of --real"},
    {KEY_POINTS, "s", "LIST",
     "points along each of them, such as 512,512: INPUT is cut off there,\n"
     "or continued by zeros; without --axes of the last dimensions"},
    {KEY_POINTS, "n", "N", NULL}, /* numpy's name for one axis */
    {KEY_NORM, "norm", "HOW",
     "backward: the inverse is divided by the number of points; forward:\n"
     "the other one; ortho: both by its square root (default: backward)"},
    {KEY_SHIFT, "shift", NULL,
     "frequency 0 is in the middle of the result, with --inverse of INPUT;\n"
     "but not along the last axis of --real, of which half is there"},
    {KEY_DTYPE, "dtype", "TYPE",
     "type of the result and of the arithmetic, such as complex64\n"
     "(default: single precision for float32 and complex64, else double)"},
    {KEY_PLAN, "plan", NULL, "say how it would be done; nothing is read, computed or written"},
    PICTURE_OPTIONS("the spectrum: the logarithms of magnitudes, frequency 0 in\n"
                    "the middle; with --inverse the result as it is"),
    PICTURE_MAP_OPTION,
    APPEND_ROW,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

void fft_help(void)
{
    puts("Usage: maniple fft INPUT -o OUTPUT [OPTION...]\n"
         "       maniple fft INPUT --plan [OPTION...]\n"
         "       mpirun -n RANKS maniple fft INPUT -o OUTPUT [OPTION...]\n"
         "\n"
         "Transform INPUT, an array of any number of dimensions, by the fast Fourier transform.\n"
         "\n"
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of one of them, such as 'FILE:/DATASET[1:, ::-2, 0]'.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple fft sky.h5:/image -o spectrum.h5:/image --shift --picture spectrum.png");
}

static const words_row words_table[] = {
    {"the input", "INPUT"},
    {"the array", "INPUT"},

    {NULL, NULL},
};

typedef struct job {
    mnp_ctx *ctx;
    operand input;
    result_request result;
    bool inverse, real, shift, plan;
    int naxes, npoints, axes[MNP_MAX_DIMS]; /* as given; 0: all */
    int64_t points[MNP_MAX_DIMS];
    const char *norm;
    mnp_dtype dtype; /* MNP_DTYPE_AUTO: by the input's */
    mnp_array *x, *y;
    char drawn[ARRAY_WORDS]; /* what the report says of the picture */
} job;

/* ---- the command line ---- */

static mnp_status parse_points(const char *list, job *j)
{
    j->npoints = 0;
    for (const char *text = list;; text++) {
        char *end;
        const long long points = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ','))
            return mnp_fail(MNP_ERR_ARG, "--s is '%s'; it must be numbers separated by commas, such as 512,512", list);
        if (points < 1 || points > MOST_ELEMENTS)
            return mnp_fail(MNP_ERR_ARG, "--s is '%s'; a number of points is from 1 to %lld", list,
                            (long long)MOST_ELEMENTS);
        if (j->npoints == MNP_MAX_DIMS)
            return mnp_fail(MNP_ERR_ARG, "--s is '%s', but there are at most %d dimensions", list, MNP_MAX_DIMS);
        j->points[j->npoints++] = points;
        if (!*end)
            return MNP_OK;
        text = end;
    }
}

static mnp_status parse_norm(const char *word, job *j)
{
    static const char *const norms[] = {"backward", "forward", "ortho", NULL};
    int index = 0;
    const mnp_status status = options_choose("norm", word, norms, &index);
    j->norm = norms[index];
    return status;
}

static mnp_status parse_option(int key, job *j)
{
    switch (key) {
    case KEY_INVERSE:
        j->inverse = true;
        return MNP_OK;
    case KEY_REAL:
        j->real = true;
        return MNP_OK;
    case KEY_AXES:
        return options_axes("axes", optarg, MNP_MAX_DIMS, j->axes, &j->naxes);
    case KEY_POINTS:
        return parse_points(optarg, j);
    case KEY_NORM:
        return parse_norm(optarg, j);
    case KEY_SHIFT:
        j->shift = true;
        return MNP_OK;
    case KEY_DTYPE:
        return options_dtype("dtype", optarg, &j->dtype);
    case KEY_PLAN:
        j->plan = true;
        return MNP_OK;
    default:
        return result_option(key, &j->result);
    }
}

static mnp_status check_dtype(const job *j)
{
    const bool to_real = j->real && j->inverse;
    const mnp_dtype single = to_real ? MNP_FLOAT32 : MNP_COMPLEX64, wide = to_real ? MNP_FLOAT64 : MNP_COMPLEX128;
    if (j->dtype == MNP_DTYPE_AUTO || j->dtype == single || j->dtype == wide)
        return MNP_OK;
    return mnp_fail(MNP_ERR_ARG, "--dtype is %s; the result can be %s or %s", mnp_dtype_name(j->dtype),
                    mnp_dtype_name(single), mnp_dtype_name(wide));
}

static mnp_status check_options(const job *j)
{
    if (j->npoints > 0 && j->naxes > 0 && j->npoints != j->naxes)
        return mnp_fail(MNP_ERR_ARG, "--s has %d number%s, and --axes has %d", j->npoints, plural(j->npoints),
                        j->naxes);
    if (!j->plan && !j->result.output.text && !j->result.picture.path)
        return mnp_fail(MNP_ERR_ARG, "fft needs a place for the result: -o FILE:/DATASET or FILE.npy; or --picture or "
                                     "--plan");
    const mnp_status status = check_dtype(j);
    return status == MNP_OK ? result_check_options(&j->result) : status;
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, j);
    if (status == MNP_OK && argc - optind != 1)
        status = argc == optind ? mnp_fail(MNP_ERR_ARG, "fft needs INPUT, as in: maniple fft INPUT -o OUTPUT")
                                : mnp_fail(MNP_ERR_ARG, "fft takes INPUT, but was also given '%s'", argv[optind + 1]);
    if (status == MNP_OK)
        status = operand_parse_file("INPUT", argv[optind], &j->input);
    return status == MNP_OK ? check_options(j) : status;
}

/* Settle which axes are transformed; those of --s without --axes are the last ones. */
static mnp_status find_axes(job *j)
{
    const int ndim = j->input.ndim, count = j->naxes > 0 ? j->naxes : j->npoints > 0 ? j->npoints : ndim;
    if (ndim == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no dimensions to transform along", j->input.text);
    if (count > ndim)
        return mnp_fail(MNP_ERR_ARG, "--%s has %d number%s, but INPUT '%s' has %d dimension%s",
                        j->naxes > 0 ? "axes" : "s", count, plural(count), j->input.text, ndim, plural(ndim));
    for (int i = 0; i < count && j->naxes == 0; i++)
        j->axes[i] = ndim - count + i;
    j->naxes = count;
    const mnp_status status = operand_axes(&j->input, "axes", count, j->axes);
    if (status != MNP_OK)
        return status;
    if (j->real && !j->inverse && mnp_dtype_kind(j->input.dtype) == 'c')
        return mnp_fail(MNP_ERR_ARG, "--real is for real numbers, and INPUT '%s' is %s", j->input.text,
                        mnp_dtype_name(j->input.dtype));
    return MNP_OK;
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, TRANSFORM, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "transform", "write", "picture"};

static const int64_t *points(const job *j)
{
    return j->npoints > 0 ? j->points : NULL;
}

/* The type in which INPUT is transformed: what was asked for, and otherwise its own. */
static mnp_dtype input_dtype(const job *j)
{
    const bool is_complex = mnp_dtype_kind(j->input.dtype) == 'c';
    if (j->dtype == MNP_COMPLEX64 || j->dtype == MNP_FLOAT32)
        return is_complex ? MNP_COMPLEX64 : MNP_FLOAT32;
    if (j->dtype == MNP_COMPLEX128 || j->dtype == MNP_FLOAT64)
        return is_complex ? MNP_COMPLEX128 : MNP_FLOAT64;
    return j->input.dtype;
}

/* The axes along which all frequencies are there, which come first in j->axes. */
static int whole_axes(const job *j)
{
    return j->real ? j->naxes - 1 : j->naxes;
}

static mnp_status read_input(mnp_ctx *ctx, const job *j, mnp_array **x_p)
{
    mnp_array *read = NULL, *cast = NULL;
    mnp_status status = operand_load(ctx, &j->input, &read);
    if (status == MNP_OK && input_dtype(j) != j->input.dtype) {
        status = mnp_astype(read, input_dtype(j), &cast);
        mnp_array_free(read);
        read = cast;
    }
    if (status == MNP_OK && j->shift && j->inverse && whole_axes(j) > 0)
        status = mnp_ifftshift(read, whole_axes(j), j->axes, &read);
    *x_p = read;
    return status;
}

static mnp_status transform(const job *j, const mnp_array *x, mnp_array **y_p)
{
    mnp_status (*const function)(const mnp_array *, int, const int64_t *, const int *, const char *, mnp_array **) =
        j->real ? (j->inverse ? mnp_irfftn : mnp_rfftn) : (j->inverse ? mnp_ifftn : mnp_fftn);
    return function(x, j->naxes, points(j), j->axes, j->norm, y_p);
}

/* The logarithms of magnitudes; magnitudes below the rounding errors of the largest are taken as that. */
static mnp_status logarithms(const mnp_array *y, mnp_array **z_p)
{
    mnp_array *z = NULL, *largest = NULL;
    const double eps = mnp_array_dtype(y) == MNP_COMPLEX64 ? FLT_EPSILON : DBL_EPSILON;
    mnp_status status = mnp_absolute(y, &z);
    if (status == MNP_OK)
        status = mnp_max(z, NULL, &largest);
    if (status == MNP_OK)
        status = mnp_multiply(largest, MNP_SCALAR(mnp_array_ctx(y), eps), &largest);
    if (status == MNP_OK)
        status = mnp_maximum(z, largest, &z);
    if (status == MNP_OK)
        status = mnp_log10(z, &z);
    mnp_array_free(largest);
    *z_p = z;
    return status;
}

/* Raise what is more than three standard deviations below the mean: one tiny value takes no grays from the others. */
static mnp_status cut_off(mnp_array *z)
{
    mnp_array *mean = NULL, *spread = NULL;
    mnp_status status = mnp_mean(z, NULL, &mean);
    if (status == MNP_OK)
        status = mnp_std(z, NULL, &spread);
    if (status == MNP_OK)
        status = mnp_multiply(spread, MNP_SCALAR(mnp_array_ctx(z), 3.0), &spread);
    if (status == MNP_OK)
        status = mnp_subtract(mean, spread, &mean);
    if (status == MNP_OK)
        status = mnp_maximum(z, mean, &z);
    mnp_free_all(mean, spread);
    return status;
}

/* The dimensions that are shown: the last two that were transformed, or those of an image. */
static void shown_dims(const job *j, const mnp_array *y, int *rows, int *columns)
{
    picture_usual_dims(y, rows, columns);
    if (j->naxes < 2 || j->naxes == mnp_array_ndim(y))
        return;
    const int a = j->axes[j->naxes - 2], b = j->axes[j->naxes - 1];
    *rows = a < b ? a : b;
    *columns = a < b ? b : a;
}

/* What is drawn: the result of an inverse transform; of a spectrum the logarithms, frequency 0 in the middle. */
static mnp_status picture_of(const job *j, const mnp_array *y, int rows, int columns, mnp_array **z_p)
{
    int shown[2], count = 0;
    mnp_status status;
    if (j->inverse)
        return mnp_copy(y, z_p);
    status = logarithms(y, z_p);
    if (status == MNP_OK && mnp_array_ndim(y) > 1)
        status = cut_off(*z_p);
    for (int i = 0; i < whole_axes(j); i++)
        if (mnp_array_ndim(y) == 1 || j->axes[i] == rows || j->axes[i] == columns)
            shown[count++] = j->axes[i];
    return status == MNP_OK && count > 0 ? mnp_fftshift(*z_p, count, shown, z_p) : status;
}

/* Draw the spectrum.  Collective. */
static mnp_status draw(job *j)
{
    char title[256];
    int rows = -1, columns = -1;
    mnp_array *z = NULL;
    mnp_status status = result_check_picture(j->ctx, &j->result);
    if (status != MNP_OK)
        return status;
    snprintf(title, sizeof title, "%s of %s", j->inverse ? "Inverse transform" : "Spectrum (log10)",
             without_folders(j->input.text));
    if (mnp_array_ndim(j->y) > 1)
        shown_dims(j, j->y, &rows, &columns);
    status = picture_of(j, j->y, rows, columns, &z);
    if (status == MNP_OK)
        status = array_write(&j->result.picture, title, z, rows, columns, j->drawn);
    mnp_array_free(z);
    return status;
}

/* ---- reports ---- */

/* Operations as they are usually counted, 5 n log2(n) for n points, half of it for real ones; a convention. */
static double operations(const job *j)
{
    double lines = 1, n = 1;
    for (int d = 0; d < j->input.ndim; d++)
        lines *= (double)j->input.shape[d];
    for (int i = 0; i < j->naxes; i++) {
        const int64_t own = j->input.shape[j->axes[i]];
        const bool to_real = j->real && j->inverse && i == j->naxes - 1;
        n *= (double)(j->npoints > 0 ? j->points[i] : to_real ? 2 * (own - 1) : own);
        lines /= (double)(own > 0 ? own : 1);
    }
    return lines * (j->real ? 2.5 : 5) * n * log2(n);
}

static void print_kind(const job *j)
{
    printf("transform %s%s%s along", j->inverse ? "inverse" : "forward", j->real ? ", real" : "",
           j->shift ? ", frequency 0 in the middle," : "");
    for (int i = 0; i < j->naxes; i++)
        printf("%s %d", i ? "," : "", j->axes[i]);
    printf(", norm %s\n", j->norm);
}

static void json_kind(json_writer *out, const job *j)
{
    int64_t axes[MNP_MAX_DIMS];
    for (int i = 0; i < j->naxes; i++)
        axes[i] = j->axes[i];
    json_bool(out, "inverse", j->inverse);
    json_bool(out, "real", j->real);
    json_bool(out, "shift", j->shift);
    json_integers(out, "axes", j->naxes, axes);
    json_text(out, "norm", j->norm);
}

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    printf("input     %s: ", j->input.text);
    print_array(j->x);
    print_kind(j);
    printf("output    %s: ", j->result.output.text ? j->result.output.text : "(none)");
    print_array(j->y);
    if (*j->drawn)
        printf("picture   %s: %s\n", j->result.picture.path, j->drawn);
    print_times(j->result.picture.path ? NUM_STAGES : PICTURE, stage_names, facts->seconds);
    printf("speed     %.3g GFLOP/s, of 5 n log2(n) for n points%s, while transforming\n",
           operations(j) / facts->seconds[TRANSFORM] / 1e9, j->real ? " and half of it for real ones" : "");
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    json_operand(out, "input", j->input.text, j->x);
    json_kind(out, j);
    json_operand(out, "output", j->result.output.text, j->y);
    if (*j->drawn)
        json_text(out, "picture", j->result.picture.path);
    json_facts(out, facts, j->result.picture.path ? NUM_STAGES : PICTURE, stage_names);
    json_measured(out, "operations", operations(j));
}

/* ---- the plan ---- */

/* What a plan does, of all ranks together but for the memory, which is that of the rank that needs most. */
typedef struct totals {
    int64_t moved, messages, memory;
} totals;

static totals add_up(mnp_ctx *ctx, const mnp_fft_plan_info *info)
{
    long long sums[] = {info->node_bytes + info->far_bytes, info->messages}, most = info->workspace + info->scratch;
    all_reduce(ctx, sums, 2, MPI_LONG_LONG, MPI_SUM);
    all_reduce(ctx, &most, 1, MPI_LONG_LONG, MPI_MAX);
    return (totals){sums[0], sums[1], most};
}

static void plan_text(mnp_ctx *ctx, const job *j, const mnp_fft_plan *plan, totals t, const mnp_rank_info *ranks)
{
    char moved[BYTES_TEXT], memory[BYTES_TEXT];
    printf("would run ");
    print_where(ctx, ranks);
    printf("input     %s: ", j->input.text);
    print_shape(j->input.ndim, j->input.shape);
    printf(" %s\n", mnp_dtype_name(j->input.dtype));
    print_kind(j);
    fflush(stdout);
    mnp_fft_plan_print(plan, stdout);
    printf("work      %.4g GFLOP, of 5 n log2(n) for n points%s\n", operations(j) / 1e9,
           j->real ? " and half of it for real ones" : "");
    printf("moved     %s between ranks, %lld message%s\n", bytes_text(t.moved, moved), (long long)t.messages,
           plural(t.messages));
    printf("memory    %s beside input and output, on the rank that needs most\n", bytes_text(t.memory, memory));
}

static void plan_json(mnp_ctx *ctx, const job *j, const mnp_fft_plan_info *info, totals t, const mnp_rank_info *ranks)
{
    json_writer out = json_start(stdout);
    json_open(&out, NULL, '{');
    json_row(&out, "input", '{');
    json_text(&out, "operand", j->input.text);
    json_integers(&out, "shape", j->input.ndim, j->input.shape);
    json_text(&out, "dtype", mnp_dtype_name(j->input.dtype));
    json_close(&out);
    json_kind(&out, j);
    json_text(&out, "method", info->method);
    json_integer(&out, "transforms", info->transforms);
    json_integer(&out, "moves", info->moves);
    json_measured(&out, "operations", operations(j));
    json_integer(&out, "moved_bytes", t.moved);
    json_integer(&out, "messages", t.messages);
    json_integer(&out, "memory_bytes", t.memory);
    json_where(&out, ctx, ranks);
    json_close(&out);
}

static void show_plan(const job *j)
{
    mnp_ctx *ctx = j->ctx;
    mnp_layout *layout = NULL;
    mnp_fft_plan *plan = NULL;
    mnp_fft_plan_info info;
    mnp_rank_info *ranks = NULL;
    const mnp_fft_options options = {
        .real = j->real, .inverse = j->inverse, .naxes = j->naxes, .axes = j->axes, .s = points(j), .norm = j->norm};
    progress_begin(ctx, "fft", j->result.quiet);
    progress_stage(0, NULL, "planning");
    OR_EXIT(mnp_layout_block(mnp_ctx_size(ctx), j->input.ndim, j->input.shape, &layout));
    OR_EXIT(mnp_fft_plan_new(ctx, input_dtype(j), layout, &options, &plan));
    progress_end();
    mnp_fft_plan_describe(plan, &info);
    const totals t = add_up(ctx, &info);
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0 && j->result.json)
        plan_json(ctx, j, &info, t, ranks);
    else if (mnp_ctx_rank(ctx) == 0 && !j->result.quiet)
        plan_text(ctx, j, plan, t, ranks);
    free(ranks);
    mnp_fft_plan_free(plan);
    mnp_layout_free(layout);
}

/* ---- the run ---- */

/* Returns the exit status. */
static int run(job *j)
{
    int status = EXIT_SUCCESS;
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "fft", j->result.quiet);
    progress_stage(shape_bytes(j->input.dtype, j->input.ndim, j->input.shape), "B", "reading INPUT");
    OR_EXIT(read_input(j->ctx, j, &j->x));
    stopwatch_lap(&watch, READ);
    progress_stage(array_bytes(j->x), "B", "transforming");
    OR_EXIT(transform(j, j->x, &j->y));
    stopwatch_lap(&watch, TRANSFORM);
    if (j->result.output.text) {
        mnp_array *shifted = NULL;
        progress_stage(array_bytes(j->y), "B", "writing OUTPUT");
        if (j->shift && !j->inverse && whole_axes(j) > 0)
            OR_EXIT(mnp_fftshift(j->y, whole_axes(j), j->axes, &shifted));
        OR_EXIT(operand_write(&j->result.output, shifted ? shifted : j->y));
        mnp_array_free(shifted);
        stopwatch_lap(&watch, WRITE);
    }
    if (j->result.picture.path) {
        progress_stage(0, NULL, "drawing");
        status = command_say(j->ctx, "", draw(j));
        stopwatch_lap(&watch, PICTURE);
    }
    progress_end();
    if (!j->result.quiet)
        report_print(&watch, j->result.json, j, print_text, print_json);
    mnp_free_all(j->x, j->y);
    return status;
}

int fft_main(int argc, char **argv)
{
    job j = {.norm = "backward", .result.picture = PICTURE_REQUEST_DEFAULTS};
    int status = EXIT_SUCCESS;
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    j.ctx = command_begin(NULL);
    OR_EXIT(result_check_places(j.ctx, &j.result, 1, (const operand *[]){&j.input}));
    OR_EXIT(operand_look(j.ctx, &j.input));
    OR_EXIT(find_axes(&j));
    if (j.plan)
        show_plan(&j);
    else
        status = run(&j);
    status = close_output(status);
    mnp_finalize(j.ctx);
    operand_free(&j.input);
    operand_free(&j.result.output);
    return status;
}
