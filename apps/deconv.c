/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple deconv: read an image and the point spread function that has blurred it, restore it, and write the result.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "common/command.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/result.h"
#include "common/words.h"
#include "picture/picture.h"
#include "report/progress.h"
#include "report/report.h"

enum { KEY_ITERATIONS = UCHAR_MAX + 1, KEY_METHOD, KEY_BALANCE, KEY_VARIATION, KEY_MASK, KEY_ACCELERATE, KEY_BOUNDARY };

typedef enum method { RICHARDSON_LUCY, WIENER, UNSUPERVISED } method;
static const char *const method_names[] = {"richardson-lucy", "wiener", "unsupervised", NULL};

static const option_row options_table[] = {
    OUTPUT_ROW("IMAGE or PSF"),
    {KEY_METHOD, "method", "METHOD",
     "richardson-lucy; wiener: Wiener-Hunt with --balance; unsupervised: the\n"
     "same, with the balance estimated from IMAGE (default: richardson-lucy)"},
    {KEY_ITERATIONS, "iterations", "N", "of richardson-lucy (default: 50); of unsupervised at most (200)"},
    {KEY_ACCELERATE, "accelerate", NULL, "richardson-lucy: extrapolate, which takes a fraction of the iterations"},
    {KEY_VARIATION, "total-variation", "W", "richardson-lucy: weight of the total variation, such as 0.002"},
    {KEY_MASK, "mask", "MASK", "richardson-lucy: the weight of each pixel, 0 where IMAGE is not known"},
    {KEY_BOUNDARY, "boundary", "HOW",
     "richardson-lucy: how the image continues beyond its borders: fill (with\n"
     "zeros), wrap, symm, mirror or nearest (default: fill)"},
    {KEY_BALANCE, "balance", "B", "wiener: the weight of the regularisation (default: 0.1)"},
    PICTURE_OPTIONS("image and result, side by side"),
    PICTURE_MAP_OPTION,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

void deconv_help(void)
{
    puts("Usage: maniple deconv IMAGE PSF -o OUTPUT [OPTION...]\n"
         "       mpirun -n RANKS maniple deconv IMAGE PSF -o OUTPUT [OPTION...]\n"
         "\n"
         "Restore IMAGE, of 1 to 4 dimensions, which PSF has blurred, by the methods of skimage.restoration.\n"
         "PSF is scaled to a sum of 1, and IMAGE is divided by its largest value meanwhile.\n"
         "\n"
         "IMAGE and PSF are datasets of HDF5 files, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif\n"
         "or FILE.fits, or parts of them; or PSF is generated: gauss:31x31@5 or hanning:31x31.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple deconv sky.h5:/image gauss:15x15@2 -o sharp.h5:/image --iterations 30");
}

static const words_row words_table[] = {
    {"image has", "IMAGE has"},
    {"total_variation", "--total-variation"},
    {"iterations", "--iterations"},
    {NULL, NULL},
};

typedef struct job {
    mnp_ctx *ctx;
    operand image, psf, mask;
    result_request result;
    method method;
    mnp_richardson_lucy_options options;
    double balance;
    bool has_mask, has_balance, has_iterations, has_richardson_lucy;
    mnp_array *x, *p, *weights, *y; /* the image, the point spread function, the mask or NULL, and the result */
    picture_result drawn;
} job;

/* ---- the command line ---- */

static mnp_status parse_number(const char *option, const char *word, double *value_p)
{
    char *end;
    const double value = strtod(word, &end);
    if (end == word || *end || !(value >= 0))
        return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; it must be a number, 0 or more", option, word);
    *value_p = value;
    return MNP_OK;
}

static mnp_status parse_iterations(const char *word, int *count_p)
{
    char *end;
    const long value = strtol(word, &end, 10);
    if (end == word || *end || value < 1 || value > INT_MAX)
        return mnp_fail(MNP_ERR_ARG, "--iterations is '%s'; it must be a number from 1 to %d", word, INT_MAX);
    *count_p = (int)value;
    return MNP_OK;
}

static mnp_status parse_boundary(const char *word, mnp_boundary *boundary_p)
{
    static const char *const names[] = {"fill", "wrap", "symm", "mirror", "nearest", NULL};
    int index = 0;
    const mnp_status status = options_choose("boundary", word, names, &index);
    *boundary_p = (mnp_boundary)index;
    return status;
}

static mnp_status parse_option(int key, job *j)
{
    int index = 0;
    mnp_status status;
    j->has_richardson_lucy = j->has_richardson_lucy || key == KEY_ACCELERATE || key == KEY_VARIATION ||
                             key == KEY_MASK || key == KEY_BOUNDARY;
    switch (key) {
    case KEY_METHOD:
        status = options_choose("method", optarg, method_names, &index);
        j->method = (method)index;
        return status;
    case KEY_ITERATIONS:
        j->has_iterations = true;
        return parse_iterations(optarg, &j->options.iterations);
    case KEY_BALANCE:
        j->has_balance = true;
        return parse_number("balance", optarg, &j->balance);
    case KEY_VARIATION:
        return parse_number("total-variation", optarg, &j->options.total_variation);
    case KEY_MASK:
        j->has_mask = true;
        return operand_parse("MASK", optarg, MNP_FLOAT32, &j->mask);
    case KEY_ACCELERATE:
        j->options.accelerate = true;
        return MNP_OK;
    case KEY_BOUNDARY:
        return parse_boundary(optarg, &j->options.boundary);
    default:
        return result_option(key, &j->result);
    }
}

/* Options that belong to other methods. */
static mnp_status check_method(const job *j)
{
    if (j->has_richardson_lucy && j->method != RICHARDSON_LUCY)
        return mnp_fail(
            MNP_ERR_ARG,
            "--accelerate, --total-variation, --mask and --boundary go with --method richardson-lucy, not %s",
            method_names[j->method]);
    if (j->has_balance && j->method != WIENER)
        return mnp_fail(MNP_ERR_ARG, "--balance goes with --method wiener, not %s", method_names[j->method]);
    if (j->has_iterations && j->method == WIENER)
        return mnp_fail(MNP_ERR_ARG, "--method wiener has no --iterations");
    return MNP_OK;
}

static mnp_status parse_operands(int count, char **words, job *j)
{
    if (count < 2)
        return mnp_fail(MNP_ERR_ARG, "deconv needs %s, as in: maniple deconv IMAGE PSF -o OUTPUT",
                        count == 0 ? "IMAGE and PSF" : "PSF after IMAGE");
    if (count > 2)
        return mnp_fail(MNP_ERR_ARG, "deconv takes IMAGE and PSF, but was also given '%s'", words[2]);
    if (!j->result.output.text)
        return mnp_fail(MNP_ERR_ARG, "deconv needs a place for the result: -o FILE:/DATASET or FILE.npy");
    const mnp_status status = operand_parse("IMAGE", words[0], MNP_FLOAT32, &j->image);
    return status == MNP_OK ? operand_parse("PSF", words[1], MNP_FLOAT64, &j->psf) : status;
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, j);
    if (status == MNP_OK)
        status = parse_operands(argc - optind, argv + optind, j);
    if (status == MNP_OK)
        status = check_method(j);
    return status == MNP_OK ? result_check_options(&j->result) : status;
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, RESTORE, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "restore", "write", "picture"};

static mnp_status check_shapes(const job *j)
{
    if (j->psf.ndim != j->image.ndim)
        return mnp_fail(MNP_ERR_ARG, "PSF '%s' has %d dimension%s, and IMAGE '%s' has %d", j->psf.text, j->psf.ndim,
                        j->psf.ndim == 1 ? "" : "s", j->image.text, j->image.ndim);
    if (j->result.picture.path && j->image.ndim < 2)
        return mnp_fail(MNP_ERR_ARG, "--picture needs 2 dimensions or more, but IMAGE '%s' has 1", j->image.text);
    return MNP_OK;
}

/* The image between 0 and 1, or -1 and 1, as the methods take it, its largest value, and the psf with a sum of 1. */
static void scale(const job *j, mnp_array **image_p, mnp_array **largest_p, mnp_array **psf_p)
{
    OR_EXIT(mnp_eval(j->ctx, "m = max(abs(x))", MNP_IN("x", j->x), MNP_OUT("m", largest_p)));
    OR_EXIT(mnp_eval(j->ctx, "y = x / (m if m > 0 else 1)", MNP_IN("x", j->x, "m", *largest_p), MNP_OUT("y", image_p)));
    OR_EXIT(mnp_eval(j->ctx, "q = p / sum(p)", MNP_IN("p", j->p), MNP_OUT("q", psf_p)));
}

static void restore(job *j)
{
    mnp_array *image = NULL, *largest = NULL, *psf = NULL;
    mnp_richardson_lucy_options options = j->options;
    const mnp_unsupervised_wiener_options sampling = {.iterations = j->options.iterations};
    options.mask = j->weights;
    scale(j, &image, &largest, &psf);
    if (j->method == RICHARDSON_LUCY)
        OR_EXIT(mnp_richardson_lucy(image, psf, &options, &j->y));
    else if (j->method == WIENER)
        OR_EXIT(mnp_wiener_deconvolution(image, psf, j->balance, NULL, false, &j->y));
    else
        OR_EXIT(mnp_unsupervised_wiener(image, psf, &sampling, NULL, &j->y));
    OR_EXIT(mnp_eval(j->ctx, "y *= m", MNP_IN("m", largest), MNP_OUT("y", &j->y)));
    mnp_free_all(image, largest, psf);
}

/* Draw image and result.  Collective. */
static mnp_status draw(job *j)
{
    char title[256];
    picture p = {.title = title,
                 .count = 2,
                 .arrays = {j->x, j->y},
                 .titles = {without_folders(j->image.text), without_folders(j->result.output.text)}};
    mnp_status status = result_check_picture(j->ctx, &j->result);
    if (status != MNP_OK)
        return status;
    snprintf(title, sizeof title, "Deconvolution by %s, %s", method_names[j->method], without_folders(j->psf.text));
    picture_usual_dims(j->x, &p.rows, &p.columns);
    return picture_write(&j->result.picture, &p, &j->drawn);
}

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    printf("image     %s: ", j->image.text);
    print_array(j->x);
    printf("psf       %s: ", j->psf.text);
    print_shape(j->psf.ndim, j->psf.shape);
    printf(" %s, by %s", mnp_dtype_name(j->psf.dtype), method_names[j->method]);
    if (j->method == RICHARDSON_LUCY)
        printf(", %d iterations%s", j->options.iterations > 0 ? j->options.iterations : 50,
               j->options.accelerate ? ", accelerated" : "");
    printf("\noutput    %s: ", j->result.output.text);
    print_array(j->y);
    if (*j->drawn.made.size)
        printf("picture   %s: %s\n", j->result.picture.path, j->drawn.made.size);
    print_times(j->result.picture.path ? NUM_STAGES : PICTURE, stage_names, facts->seconds);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    json_operand(out, "image", j->image.text, j->x);
    json_operand(out, "psf", j->psf.text, j->p);
    json_text(out, "method", method_names[j->method]);
    if (j->method == RICHARDSON_LUCY)
        json_integer(out, "iterations", j->options.iterations > 0 ? j->options.iterations : 50);
    json_operand(out, "output", j->result.output.text, j->y);
    if (*j->drawn.made.size)
        json_text(out, "picture", j->result.picture.path);
    json_facts(out, facts, j->result.picture.path ? NUM_STAGES : PICTURE, stage_names);
}

/* Returns the exit status. */
static int run(job *j)
{
    int status = EXIT_SUCCESS;
    mnp_ctx *ctx = j->ctx;
    OR_EXIT(operand_inspect(ctx, &j->image));
    OR_EXIT(operand_inspect(ctx, &j->psf));
    OR_EXIT(check_shapes(j));
    if (j->has_mask)
        OR_EXIT(operand_inspect(ctx, &j->mask));

    stopwatch watch = stopwatch_start(ctx);
    progress_begin(ctx, "deconv", j->result.quiet);
    progress_stage(shape_bytes(j->image.dtype, j->image.ndim, j->image.shape), "B", "reading IMAGE");
    OR_EXIT(operand_load(ctx, &j->psf, &j->p));
    if (j->has_mask)
        OR_EXIT(operand_load(ctx, &j->mask, &j->weights));
    OR_EXIT(operand_load(ctx, &j->image, &j->x));
    stopwatch_lap(&watch, READ);
    progress_stage(0, NULL, "restoring");
    restore(j);
    stopwatch_lap(&watch, RESTORE);
    progress_stage(array_bytes(j->y), "B", "writing OUTPUT");
    OR_EXIT(operand_write(&j->result.output, j->y));
    stopwatch_lap(&watch, WRITE);
    if (j->result.picture.path) {
        progress_stage(0, NULL, "drawing");
        status = command_say(ctx, "", draw(j));
        stopwatch_lap(&watch, PICTURE);
    }
    progress_end();
    if (!j->result.quiet)
        report_print(&watch, j->result.json, j, print_text, print_json);
    mnp_free_all(j->x, j->p, j->weights, j->y);
    return status;
}

int deconv_main(int argc, char **argv)
{
    job j = {.balance = 0.1, .result.picture = PICTURE_REQUEST_DEFAULTS, .drawn.reduction = {1, 1}};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();
    j.ctx = command_begin(NULL);
    OR_EXIT(result_check_places(j.ctx, &j.result, 3, (const operand *[]){&j.image, &j.psf, &j.mask}));
    const int status = close_output(run(&j));
    mnp_finalize(j.ctx);
    operand_free(&j.image);
    operand_free(&j.psf);
    operand_free(&j.mask);
    operand_free(&j.result.output);
    return status;
}
