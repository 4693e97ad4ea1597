/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple spectrogram: read a signal, compute its spectra over time, write them, draw them, and report how long it
 * took; or, with --plan, say what would be computed.
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
#include "common/files.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/result.h"
#include "common/words.h"
#include "picture/array.h"
#include "report/progress.h"
#include "report/report.h"

enum {
    KEY_FS = UCHAR_MAX + 1,
    KEY_WINDOW,
    KEY_NPERSEG,
    KEY_NOVERLAP,
    KEY_NFFT,
    KEY_DETREND,
    KEY_TWO_SIDED,
    KEY_SCALING,
    KEY_AXIS,
    KEY_MODE,
    KEY_PLAN
};

static const option_row options_table[] = {
    OUTPUT_ROW("INPUT"),
    {KEY_FS, "fs", "NUMBER", "sampling frequency (default: 1)"},
    {KEY_WINDOW, "window", "NAME",
     "of a segment, such as hann, or with parameters, such as\n"
     "tukey:0.25 or general_gaussian:1.5,20 (default: tukey:0.25)"},
    {KEY_NPERSEG, "nperseg", "N", "elements of a segment (default: 256)"},
    {KEY_NOVERLAP, "noverlap", "N", "elements that neighbouring segments share (default: an eighth)"},
    {KEY_NFFT, "nfft", "N", "points of the transforms; what is more is zeros (default: nperseg)"},
    {KEY_DETREND, "detrend", "HOW",
     "what is subtracted of each segment: constant, its mean; linear, the\n"
     "straight line that fits best; or none (default: constant)"},
    {KEY_TWO_SIDED, "two-sided", NULL, "all frequencies of real numbers, not only those from 0 on"},
    {KEY_SCALING, "scaling", "HOW",
     "density: powers divided by frequency; spectrum: powers\n"
     "(default: density)"},
    {KEY_AXIS, "axis", "N", "the dimension of time (default: -1, the last)"},
    {KEY_MODE, "mode", "WHAT",
     "psd: powers; complex, magnitude, angle: of the transforms\n"
     "(default: psd)"},
    {KEY_PLAN, "plan", NULL, "say what would be computed, without reading or computing anything"},
    PICTURE_OPTIONS("the result over time, in decibels, frequency 0 at the bottom;\n"
                    "angles as they are"),
    PICTURE_MAP_OPTION,
    APPEND_ROW,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

void spectrogram_help(void)
{
    puts("Usage: maniple spectrogram INPUT -o OUTPUT [OPTION...]\n"
         "       maniple spectrogram INPUT --plan [OPTION...]\n"
         "       mpirun -n RANKS maniple spectrogram INPUT -o OUTPUT [OPTION...]\n"
         "\n"
         "Compute spectra of INPUT over time, as scipy.signal.spectrogram does.  The result has frequencies\n"
         "along the dimension of time, and one more dimension, the last one, of the segments.  Beside\n"
         "FILE:/DATASET stand FILE:/DATASET_f and FILE:/DATASET_t, the frequencies and the times.\n"
         "\n"
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of one of them, such as 'FILE:/DATASET[1:, ::-2, 0]'.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple spectrogram radio.h5:/series -o radio.h5:/s --fs 48000 --nperseg 512");
}

static const words_row words_table[] = {{"the input", "INPUT"}, {NULL, NULL}};

enum { MOST_PARAMETERS = 4 };

typedef struct job {
    mnp_ctx *ctx;
    operand input;
    result_request result;
    mnp_spectral_options options;
    char *window; /* the name that options.window is, without parameters */
    double parameters[MOST_PARAMETERS];
    int axis;
    bool plan;
    mnp_array *x, *f, *t, *s;
    char *f_name, *t_name;   /* the datasets of frequencies and times, if they are written */
    char drawn[ARRAY_WORDS]; /* what the report says of the picture */
} job;

/* ---- the command line ---- */

static mnp_status parse_fs(job *j)
{
    char *end;
    j->options.fs = strtod(optarg, &end);
    if (end == optarg || *end || !isfinite(j->options.fs) || j->options.fs <= 0)
        return mnp_fail(MNP_ERR_ARG, "--fs is '%s'; it must be a number above 0", optarg);
    return MNP_OK;
}

/* NAME or NAME:NUMBER,...; that there is such a window is found out by making a short one. */
static mnp_status parse_window(job *j)
{
    const char *colon = strchr(optarg, ':');
    double two[2];
    j->window = strndup(optarg, colon ? (size_t)(colon - optarg) : strlen(optarg));
    if (!j->window)
        return mnp_fail(MNP_ERR_MEMORY, "out of memory");
    j->options.window = j->window;
    j->options.parameters = j->parameters;
    for (const char *text = colon; text && *text;) {
        char *end;
        if (j->options.nparameters == MOST_PARAMETERS)
            return mnp_fail(MNP_ERR_ARG, "--window is '%s'; no window takes more than %d numbers", optarg,
                            MOST_PARAMETERS);
        j->parameters[j->options.nparameters++] = strtod(text + 1, &end);
        if (end == text + 1 || (*end && *end != ','))
            return mnp_fail(MNP_ERR_ARG, "--window is '%s'; it must be a name, or a name and numbers as in tukey:0.25",
                            optarg);
        text = end;
    }
    return mnp_window(j->window, j->options.nparameters, j->parameters, 2, false, two);
}

static mnp_status parse_option(int key, job *j)
{
    static const char *const detrends[] = {"constant", "linear", "none", NULL},
                             *const scalings[] = {"density", "spectrum", NULL},
                             *const modes[] = {"psd", "complex", "magnitude", "angle", NULL};
    mnp_status status;
    switch (key) {
    case KEY_FS:
        return parse_fs(j);
    case KEY_WINDOW:
        return parse_window(j);
    case KEY_NPERSEG:
        return options_count("nperseg", optarg, 1, OPTIONS_ANY_COUNT, &j->options.nperseg);
    case KEY_NOVERLAP:
        status = options_count("noverlap", optarg, 0, OPTIONS_ANY_COUNT, &j->options.noverlap);
        if (j->options.noverlap == 0) /* which is the default in the library */
            j->options.noverlap = MNP_NONE;
        return status;
    case KEY_NFFT:
        return options_count("nfft", optarg, 1, OPTIONS_ANY_COUNT, &j->options.nfft);
    case KEY_DETREND:
        return options_word("detrend", optarg, detrends, &j->options.detrend);
    case KEY_TWO_SIDED:
        j->options.two_sided = true;
        return MNP_OK;
    case KEY_SCALING:
        return options_word("scaling", optarg, scalings, &j->options.scaling);
    case KEY_AXIS:
        return options_axis("axis", optarg, &j->axis);
    case KEY_MODE:
        return options_word("mode", optarg, modes, &j->options.mode);
    case KEY_PLAN:
        j->plan = true;
        return MNP_OK;
    default:
        return result_option(key, &j->result);
    }
}

static mnp_status check_options(const job *j)
{
    const char *output = j->result.output.text, *drawn = j->result.picture.path;
    if (j->plan && (output || drawn))
        return mnp_fail(MNP_ERR_ARG, "--plan computes nothing, so there is nothing for %s",
                        output ? "OUTPUT" : "--picture");
    if (!j->plan && !output && !drawn)
        return mnp_fail(MNP_ERR_ARG, "spectrogram needs a place for the result: -o FILE:/DATASET or FILE.npy; or "
                                     "--picture or --plan");
    return result_check_options(&j->result);
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, j);
    if (status == MNP_OK && argc - optind != 1)
        status = argc == optind
                     ? mnp_fail(MNP_ERR_ARG, "spectrogram needs INPUT, as in: maniple spectrogram INPUT -o OUTPUT")
                     : mnp_fail(MNP_ERR_ARG, "spectrogram takes INPUT, but was also given '%s'", argv[optind + 1]);
    if (status == MNP_OK)
        status = operand_parse_file("INPUT", argv[optind], &j->input);
    return status == MNP_OK ? check_options(j) : status;
}

/* ---- sizes ---- */

typedef struct sizes {
    int64_t nperseg, noverlap, nfft, segments, frequencies;
} sizes;

/* What the options come to for the input, whose axis this settles.  MNP_ERR_ARG. */
static mnp_status find_sizes(job *j, sizes *s)
{
    const mnp_spectral_options *o = &j->options;
    if (j->input.ndim == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no dimensions", j->input.text);
    if (j->input.ndim == MNP_MAX_DIMS)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has %d dimensions, and the result would have one more", j->input.text,
                        j->input.ndim);
    const mnp_status status = operand_axes(&j->input, "axis", 1, &j->axis);
    if (status != MNP_OK)
        return status;
    const int64_t n = j->input.shape[j->axis];
    if (n == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' is empty along dimension %d", j->input.text, j->axis);
    s->nperseg = o->nperseg == 0 ? 256 : o->nperseg;
    s->nperseg = s->nperseg > n ? n : s->nperseg;
    s->noverlap = o->noverlap == MNP_NONE ? 0 : o->noverlap == 0 ? s->nperseg / 8 : o->noverlap;
    s->nfft = o->nfft == 0 ? s->nperseg : o->nfft;
    if (s->noverlap >= s->nperseg)
        return mnp_fail(MNP_ERR_ARG, "--noverlap is %lld, and must be below nperseg, which is %lld",
                        (long long)s->noverlap, (long long)s->nperseg);
    if (s->nfft < s->nperseg)
        return mnp_fail(MNP_ERR_ARG, "--nfft is %lld, and must be nperseg, which is %lld, or more", (long long)s->nfft,
                        (long long)s->nperseg);
    s->segments = (n - s->noverlap) / (s->nperseg - s->noverlap);
    s->frequencies = o->two_sided || mnp_dtype_kind(j->input.dtype) == 'c' ? s->nfft : s->nfft / 2 + 1;
    return MNP_OK;
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, TRANSFORM, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "transform", "write", "picture"};

/* Whether frequencies and times are written beside the result: to an HDF5 file that does not grow. */
static bool writes_all(const job *j)
{
    return j->result.output.text && j->result.output.kind == OPERAND_DATASET && !operand_appends();
}

/* The names of the datasets of frequencies and times. */
static mnp_status name_others(job *j)
{
    const char *dataset = j->result.output.dataset;
    const size_t room = strlen(dataset) + sizeof "_f";
    j->f_name = malloc(room);
    j->t_name = malloc(room);
    if (!j->f_name || !j->t_name)
        return mnp_fail(MNP_ERR_MEMORY, "out of memory");
    snprintf(j->f_name, room, "%s_f", dataset);
    snprintf(j->t_name, room, "%s_t", dataset);
    return MNP_OK;
}

/* Check that neither of these datasets is INPUT.  Rank 0. */
static mnp_status check_others(const job *j)
{
    const operand *output = &j->result.output;
    run_file files[] = {file_of_operand(&j->input), file_of_output(output), file_of_output(output)};
    files[1].dataset = j->f_name;
    files[2].dataset = j->t_name;
    return files_check(3, files);
}

static mnp_status write_result(const job *j)
{
    const operand *output = &j->result.output;
    if (!writes_all(j))
        return operand_write(output, j->s);
    const mnp_h5_item items[] = {{output->dataset, j->s}, {j->f_name, j->f}, {j->t_name, j->t}};
    return mnp_h5_write_items(output->file, 3, items, 0, NULL, NULL);
}

/* Powers, magnitudes or complex numbers as decibels; what is below the rounding errors of the largest as that. */
static mnp_status decibels(const job *j, const mnp_array *s, mnp_array **z_p)
{
    const bool powers = !j->options.mode || strcmp(j->options.mode, "psd") == 0;
    const mnp_dtype dtype = mnp_array_dtype(s);
    const double least = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64 ? 0x1p-23 : 0x1p-52;
    mnp_array *z = NULL, *floor = NULL;
    mnp_status status = mnp_absolute(s, &z);
    if (status == MNP_OK)
        status = mnp_max(z, NULL, &floor);
    if (status == MNP_OK)
        status = mnp_multiply(floor, MNP_SCALAR(j->ctx, powers ? least * least : least), &floor);
    if (status == MNP_OK)
        status = mnp_maximum(z, floor, &z);
    if (status == MNP_OK)
        status = mnp_log10(z, &z);
    if (status == MNP_OK)
        status = mnp_multiply(z, MNP_SCALAR(j->ctx, powers ? 10.0 : 20.0), &z);
    mnp_array_free(floor);
    *z_p = z;
    return status;
}

/* Draw the spectra: time to the right, frequencies upwards.  Collective. */
static mnp_status draw(job *j)
{
    char title[256];
    const bool angles = j->options.mode && strcmp(j->options.mode, "angle") == 0;
    mnp_array *upright = NULL, *z = NULL;
    mnp_status status = result_check_picture(j->ctx, &j->result);
    if (status == MNP_OK)
        status = mnp_flip(j->s, 1, &j->axis, &upright);
    if (status == MNP_OK)
        status = angles ? mnp_copy(upright, &z) : decibels(j, upright, &z);
    snprintf(title, sizeof title, "Spectrogram of %s%s", without_folders(j->input.text), angles ? "" : ", dB");
    if (status == MNP_OK)
        status = array_write(&j->result.picture, title, z, j->axis, mnp_array_ndim(z) - 1, j->drawn);
    mnp_free_all(z, upright);
    return status;
}

/* ---- reports ---- */

static void print_sizes(const job *j, const sizes *s)
{
    printf("segments  %lld of %lld elements along dimension %d, %lld in common, window %s\n", (long long)s->segments,
           (long long)s->nperseg, j->axis, (long long)s->noverlap, j->window ? j->window : "tukey");
    printf("spectra   %lld frequencies of %lld points, %s\n", (long long)s->frequencies, (long long)s->nfft,
           j->options.mode ? j->options.mode : "psd");
}

static void json_sizes(json_writer *out, const job *j, const sizes *s)
{
    json_integer(out, "axis", j->axis);
    json_integer(out, "nperseg", s->nperseg);
    json_integer(out, "noverlap", s->noverlap);
    json_integer(out, "nfft", s->nfft);
    json_integer(out, "segments", s->segments);
    json_integer(out, "frequencies", s->frequencies);
    json_text(out, "window", j->window ? j->window : "tukey");
    json_text(out, "mode", j->options.mode ? j->options.mode : "psd");
}

static void print_text(const void *run, const run_facts *facts)
{
    job j = *(const job *)run;
    sizes s = {0};
    (void)find_sizes(&j, &s);
    printf("input     %s: ", j.input.text);
    print_array(j.x);
    print_sizes(&j, &s);
    printf("output    %s: ", j.result.output.text ? j.result.output.text : "(none)");
    print_array(j.s);
    if (*j.drawn)
        printf("picture   %s: %s\n", j.result.picture.path, j.drawn);
    print_times(j.result.picture.path ? NUM_STAGES : PICTURE, stage_names, facts->seconds);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    job j = *(const job *)run;
    sizes s = {0};
    (void)find_sizes(&j, &s);
    json_operand(out, "input", j.input.text, j.x);
    json_sizes(out, &j, &s);
    json_operand(out, "output", j.result.output.text, j.s);
    if (*j.drawn)
        json_text(out, "picture", j.result.picture.path);
    json_facts(out, facts, j.result.picture.path ? NUM_STAGES : PICTURE, stage_names);
}

/* The dtype of the result: single precision for small numbers, as <maniple/spectral.h> says. */
static mnp_dtype result_dtype(const job *j)
{
    const mnp_dtype dtype = j->input.dtype;
    const bool single = mnp_dtype_size(dtype) <= 2 || dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
    const bool is_complex = j->options.mode && strcmp(j->options.mode, "complex") == 0;
    return single ? (is_complex ? MNP_COMPLEX64 : MNP_FLOAT32) : (is_complex ? MNP_COMPLEX128 : MNP_FLOAT64);
}

/* Rank 0. */
static void show_plan(const job *j, const sizes *s)
{
    int64_t shape[MNP_MAX_DIMS];
    char bytes[BYTES_TEXT];
    const int ndim = j->input.ndim + 1;
    memcpy(shape, j->input.shape, (size_t)j->input.ndim * sizeof *shape);
    shape[j->axis] = s->frequencies;
    shape[ndim - 1] = s->segments;
    if (j->result.json) {
        json_writer out = json_start(stdout);
        json_open(&out, NULL, '{');
        json_sizes(&out, j, s);
        json_integers(&out, "shape", ndim, shape);
        json_text(&out, "dtype", mnp_dtype_name(result_dtype(j)));
        json_close(&out);
        return;
    }
    printf("input     %s: ", j->input.text);
    print_shape(j->input.ndim, j->input.shape);
    printf(" %s\n", mnp_dtype_name(j->input.dtype));
    print_sizes(j, s);
    printf("result    ");
    print_shape(ndim, shape);
    printf(" %s, %s\n", mnp_dtype_name(result_dtype(j)),
           bytes_text((int64_t)shape_bytes(result_dtype(j), ndim, shape), bytes));
}

/* Returns the exit status. */
static int run(job *j)
{
    int status = EXIT_SUCCESS;
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "spectrogram", j->result.quiet);
    progress_stage(shape_bytes(j->input.dtype, j->input.ndim, j->input.shape), "B", "reading INPUT");
    OR_EXIT(operand_load(j->ctx, &j->input, &j->x));
    stopwatch_lap(&watch, READ);
    progress_stage(array_bytes(j->x), "B", "transforming");
    OR_EXIT(mnp_spectrogram(j->x, j->axis, &j->options, &j->f, &j->t, &j->s));
    stopwatch_lap(&watch, TRANSFORM);
    if (j->result.output.text) {
        progress_stage(array_bytes(j->s), "B", "writing OUTPUT");
        OR_EXIT(write_result(j));
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
    mnp_free_all(j->x, j->f, j->t, j->s);
    return status;
}

int spectrogram_main(int argc, char **argv)
{
    job j = {.axis = -1, .result.picture = PICTURE_REQUEST_DEFAULTS};
    sizes s = {0};
    int status = EXIT_SUCCESS;
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    j.ctx = command_begin(NULL);
    OR_EXIT(result_check_places(j.ctx, &j.result, 1, (const operand *[]){&j.input}));
    if (writes_all(&j)) {
        OR_EXIT(mnp_agree(j.ctx, name_others(&j)));
        OR_EXIT(mnp_agree(j.ctx, mnp_ctx_rank(j.ctx) == 0 ? check_others(&j) : MNP_OK));
    }
    OR_EXIT(operand_look(j.ctx, &j.input));
    OR_EXIT(find_sizes(&j, &s));
    if (!j.plan)
        status = run(&j);
    else if (mnp_ctx_rank(j.ctx) == 0 && !j.result.quiet)
        show_plan(&j, &s);
    status = close_output(status);
    mnp_finalize(j.ctx);
    operand_free(&j.input);
    operand_free(&j.result.output);
    free(j.window);
    free(j.f_name);
    free(j.t_name);
    return status;
}
