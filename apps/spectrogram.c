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
#include "common/job.h"
#include "common/paths.h"

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
    KEY_MODE
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
    PLAN_ROWS,
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

typedef struct sizes {
    int64_t nperseg, noverlap, nfft, segments, frequencies;
} sizes;

typedef struct spectra {
    job job; /* first: see common/job.h */
    mnp_spectral_options options;
    char *window; /* the name that options.window is, without parameters */
    double parameters[MOST_PARAMETERS];
    int axis;
    sizes sizes;
    mnp_array *f, *t;
    char *f_name, *t_name; /* the datasets of frequencies and times, if they are written */
} spectra;

static spectra *of(job *j)
{
    return (spectra *)j;
}

/* ---- the command line ---- */

static mnp_status parse_fs(spectra *j)
{
    char *end;
    j->options.fs = strtod(optarg, &end);
    if (end == optarg || *end || !isfinite(j->options.fs) || j->options.fs <= 0)
        return mnp_fail(MNP_ERR_ARG, "--fs is '%s'; it must be a number above 0", optarg);
    return MNP_OK;
}

/* NAME or NAME:NUMBER,...; that there is such a window is found out by making a short one. */
static mnp_status parse_window(spectra *j)
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

static mnp_status parse_option(int key, job *base)
{
    spectra *j = of(base);
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
    default:
        return result_option(key, &base->result);
    }
}

/* ---- sizes ---- */

/* What the options come to for the input, whose axis this settles.  MNP_ERR_ARG. */
static mnp_status find_sizes(spectra *j)
{
    sizes *s = &j->sizes;
    const mnp_spectral_options *o = &j->options;
    if (j->job.input.ndim == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no dimensions", j->job.input.text);
    if (j->job.input.ndim == MNP_MAX_DIMS)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has %d dimensions, and the result would have one more",
                        j->job.input.text, j->job.input.ndim);
    const mnp_status status = operand_axes(&j->job.input, "axis", 1, &j->axis);
    if (status != MNP_OK)
        return status;
    const int64_t n = j->job.input.shape[j->axis];
    if (n == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' is empty along dimension %d", j->job.input.text, j->axis);
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
    s->frequencies = o->two_sided || mnp_dtype_kind(j->job.input.dtype) == 'c' ? s->nfft : s->nfft / 2 + 1;
    return MNP_OK;
}

/* ---- the work ---- */

/* Whether frequencies and times are written beside the result: to an HDF5 file that does not grow. */
static bool writes_all(const spectra *j)
{
    return j->job.result.output.text && j->job.result.output.kind == OPERAND_DATASET && !operand_appends();
}

/* The names of the datasets of frequencies and times. */
static mnp_status name_others(spectra *j)
{
    const char *dataset = j->job.result.output.dataset;
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
static mnp_status check_others(const spectra *j)
{
    const operand *output = &j->job.result.output;
    run_file files[] = {file_of_operand(&j->job.input), file_of_output(output), file_of_output(output)};
    files[1].dataset = j->f_name;
    files[2].dataset = j->t_name;
    return files_check(3, files);
}

/* Settle the sizes, and check that the datasets beside the result overwrite nothing. */
static mnp_status prepare(job *base)
{
    spectra *j = of(base);
    mnp_status status = find_sizes(j);
    if (status == MNP_OK && writes_all(j))
        status = mnp_agree(base->ctx, name_others(j));
    if (status == MNP_OK && writes_all(j))
        status = mnp_agree(base->ctx, mnp_ctx_rank(base->ctx) == 0 ? check_others(j) : MNP_OK);
    return status;
}

static mnp_status compute(job *base)
{
    spectra *j = of(base);
    return mnp_spectrogram(base->x, j->axis, &j->options, &j->f, &j->t, &base->y);
}

static mnp_status write_result(job *base)
{
    const spectra *j = of(base);
    const operand *output = &base->result.output;
    if (!writes_all(j))
        return operand_write(output, base->y);
    const mnp_h5_item items[] = {{output->dataset, base->y}, {j->f_name, j->f}, {j->t_name, j->t}};
    return mnp_h5_write_items(output->file, 3, items, 0, NULL, NULL);
}

/* Powers, magnitudes or complex numbers as decibels; what is below the rounding errors of the largest as that. */
static mnp_status decibels(const spectra *j, const mnp_array *s, mnp_array **z_p)
{
    const bool powers = !j->options.mode || strcmp(j->options.mode, "psd") == 0;
    const mnp_dtype dtype = mnp_array_dtype(s);
    const double least = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64 ? 0x1p-23 : 0x1p-52;
    mnp_array *z = NULL, *floor = NULL;
    mnp_status status = mnp_absolute(s, &z);
    if (status == MNP_OK)
        status = mnp_max(z, NULL, &floor);
    if (status == MNP_OK)
        status = mnp_multiply(floor, MNP_SCALAR(j->job.ctx, powers ? least * least : least), &floor);
    if (status == MNP_OK)
        status = mnp_maximum(z, floor, &z);
    if (status == MNP_OK)
        status = mnp_log10(z, &z);
    if (status == MNP_OK)
        status = mnp_multiply(z, MNP_SCALAR(j->job.ctx, powers ? 10.0 : 20.0), &z);
    mnp_array_free(floor);
    *z_p = z;
    return status;
}

/* Draw the spectra: time to the right, frequencies upwards.  Collective. */
static mnp_status draw(job *base)
{
    const spectra *j = of(base);
    char title[256];
    const bool angles = j->options.mode && strcmp(j->options.mode, "angle") == 0;
    mnp_array *upright = NULL, *z = NULL;
    mnp_status status = mnp_flip(base->y, 1, &j->axis, &upright);
    if (status == MNP_OK)
        status = angles ? mnp_copy(upright, &z) : decibels(j, upright, &z);
    snprintf(title, sizeof title, "Spectrogram of %s%s", without_folders(base->input.text), angles ? "" : ", dB");
    if (status == MNP_OK)
        status = array_write(&base->result.picture, title, z, j->axis, mnp_array_ndim(z) - 1, base->drawn);
    mnp_free_all(z, upright);
    return status;
}

/* ---- reports ---- */

static void print_sizes(const spectra *j)
{
    const sizes *s = &j->sizes;
    printf("segments  %lld of %lld elements along dimension %d, %lld in common, window %s\n", (long long)s->segments,
           (long long)s->nperseg, j->axis, (long long)s->noverlap, j->window ? j->window : "tukey");
    printf("spectra   %lld frequencies of %lld points, %s\n", (long long)s->frequencies, (long long)s->nfft,
           j->options.mode ? j->options.mode : "psd");
}

static void json_sizes(json_writer *out, const spectra *j)
{
    const sizes *s = &j->sizes;
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
    const spectra *j = run;
    (void)facts;
    printf("input     %s: ", j->job.input.text);
    print_array(j->job.x);
    print_sizes(j);
    printf("output    %s: ", j->job.result.output.text ? j->job.result.output.text : "(none)");
    print_array(j->job.y);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const spectra *j = run;
    (void)facts;
    json_operand(out, "input", j->job.input.text, j->job.x);
    json_sizes(out, j);
    json_operand(out, "output", j->job.result.output.text, j->job.y);
}

/* The dtype of the result: single precision for small numbers, as <maniple/spectral.h> says. */
static mnp_dtype result_dtype(const spectra *j)
{
    const mnp_dtype dtype = j->job.input.dtype;
    const bool single = mnp_dtype_size(dtype) <= 2 || dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
    const bool is_complex = j->options.mode && strcmp(j->options.mode, "complex") == 0;
    return single ? (is_complex ? MNP_COMPLEX64 : MNP_FLOAT32) : (is_complex ? MNP_COMPLEX128 : MNP_FLOAT64);
}

/* ---- the plan ---- */

static int result_shape(const spectra *j, int64_t shape[MNP_MAX_DIMS])
{
    const operand *input = &j->job.input;
    memcpy(shape, input->shape, (size_t)input->ndim * sizeof *shape);
    shape[j->axis] = j->sizes.frequencies;
    shape[input->ndim] = j->sizes.segments;
    return input->ndim + 1;
}

static void plan_text(const void *run)
{
    const spectra *j = run;
    int64_t shape[MNP_MAX_DIMS];
    char bytes[BYTES_TEXT];
    const int ndim = result_shape(j, shape);
    print_operand("input", &j->job.input);
    print_sizes(j);
    printf("result    ");
    print_shape(ndim, shape);
    printf(" %s, %s\n", mnp_dtype_name(result_dtype(j)),
           bytes_text((int64_t)shape_bytes(result_dtype(j), ndim, shape), bytes));
}

static void plan_json(const void *run, json_writer *out)
{
    const spectra *j = run;
    int64_t shape[MNP_MAX_DIMS];
    const int ndim = result_shape(j, shape);
    json_sizes(out, j);
    json_integers(out, "shape", ndim, shape);
    json_text(out, "dtype", mnp_dtype_name(result_dtype(j)));
}

/* Segments are copied out of the signal, transformed, and turned into the result; ranks share the segments. */
static mnp_status make_plan(job *base, plan *p)
{
    spectra *j = of(base);
    int64_t shape[MNP_MAX_DIMS];
    int parts[MNP_MAX_DIMS];
    const int ndim = result_shape(j, shape);
    const mnp_dtype dtype = result_dtype(j);
    const bool single = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64, real = mnp_dtype_kind(base->input.dtype) != 'c';
    const double in = plan_block(p, base->input.ndim, base->input.shape, parts),
                 out = plan_block(p, ndim, shape, parts), wide = single ? 8 : 16,
                 points = out * (double)j->sizes.nfft / (double)j->sizes.frequencies;
    const double segments = points * (real ? wide / 2 : wide), result = out * (double)mnp_dtype_size(dtype);
    plan_by(p, "segments of each rank are windowed, transformed and turned into %s",
            j->options.mode ? j->options.mode : "psd");
    plan_keep(p, "input", in * (double)mnp_dtype_size(base->input.dtype));
    plan_keep(p, "segments", segments);
    plan_keep(p, "spectra", out * wide);
    plan_keep(p, "result", result);
    plan_add(p, (plan_step){.what = "segments",
                            .bytes = in * (double)mnp_dtype_size(base->input.dtype) + 3 * segments,
                            .launches = 2});
    plan_add(p, (plan_step){.what = "transform",
                            .operations = (real ? 2.5 : 5) * points * log2((double)j->sizes.nfft),
                            .work = WORK_TRANSFORMS,
                            .dtype = single ? MNP_COMPLEX64 : MNP_COMPLEX128,
                            .bytes = segments + out * wide,
                            .launches = 1});
    plan_add(p, (plan_step){.what = "result", .bytes = out * wide + result, .launches = 1, .at_least = p->ranks > 1});
    if (p->ranks > 1)
        plan_note(p, "what moves between ranks at the ends of their segments is not counted");
    p->run = j;
    p->text = plan_text;
    p->json = plan_json;
    return MNP_OK;
}

static void release(job *base)
{
    spectra *j = of(base);
    mnp_free_all(j->f, j->t);
    free(j->window);
    free(j->f_name);
    free(j->t_name);
}

static const job_kind kind = {
    .command = "spectrogram",
    .usage = "maniple spectrogram INPUT -o OUTPUT",
    .input = "INPUT",
    .stage = "transform",
    .progress = "transforming",
    .options = options_table,
    .words = words_table,
    .draws_alone = true,
    .option = parse_option,
    .prepare = prepare,
    .plan = make_plan,
    .compute = compute,
    .write = write_result,
    .draw = draw,
    .text = print_text,
    .json = print_json,
    .release = release,
};

int spectrogram_main(int argc, char **argv)
{
    spectra j = {.job = JOB_START(&kind), .axis = -1};
    return job_main(&j.job, argc, argv);
}
