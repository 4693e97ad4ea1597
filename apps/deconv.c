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
#include "common/files.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/words.h"
#include "picture/picture.h"
#include "report/progress.h"
#include "report/report.h"

enum { KEY_ITERATIONS = UCHAR_MAX + 1, KEY_METHOD, KEY_BALANCE, KEY_VARIATION, KEY_MASK, KEY_ACCELERATE, KEY_BOUNDARY };

typedef enum method { RICHARDSON_LUCY, WIENER, UNSUPERVISED } method;
static const char *const method_names[] = {"richardson-lucy", "wiener", "unsupervised", NULL};

static const option_row options_table[] = {
    {'o', "output", "OUTPUT",
     "write the result to FILE:/DATASET; replaces a dataset of that name,\n"
     "but never IMAGE or PSF, and keeps everything else in the file;\n"
     "or write FILE.npy"},
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
    {'j', "json", NULL, "print JSON"},
    {'q', "quiet", NULL, "print nothing"},
    {'h', "help", NULL, "show this"},
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
         "IMAGE and PSF are datasets of HDF5 files, written FILE:/DATASET, or FILE.npy or FILE.png, or\n"
         "parts of them; or PSF is generated: gauss:31x31@5 or hanning:31x31.\n"
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
    operand image, psf, mask, output;
    method method;
    mnp_richardson_lucy_options options;
    double balance;
    picture_request picture;
    bool quiet, json, has_mask, has_balance, has_iterations, has_richardson_lucy;
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
    case 'o':
        return operand_parse_output("OUTPUT", optarg, &j->output);
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
    case KEY_PICTURE:
    case KEY_PICTURE_SIZE:
    case KEY_PICTURE_MAP:
        return picture_option(key, optarg, &j->picture);
    case 'q':
        j->quiet = true;
        return MNP_OK;
    case 'j':
        j->json = true;
        return MNP_OK;
    default:
        return MNP_ERR_ARG; /* options_next() has recorded why */
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
    if (!j->output.text)
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
    if (status == MNP_OK)
        status = picture_check_options(&j->picture);
    return status == MNP_OK ? report_check_options(j->quiet, j->json) : status;
}

static mnp_status check_overwriting(const job *j)
{
    const run_file files[] = {file_of_operand(&j->image), file_of_operand(&j->psf), file_of_output(&j->output),
                              file_of_option("--picture", j->picture.path)};
    const run_file with_mask[] = {files[0], files[1], file_of_operand(&j->mask), files[2], files[3]};
    return j->has_mask ? files_check(sizeof with_mask / sizeof *with_mask, with_mask)
                       : files_check(sizeof files / sizeof *files, files);
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, RESTORE, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "restore", "write", "picture"};

static mnp_status check_shapes(const job *j)
{
    if (j->psf.ndim != j->image.ndim)
        return mnp_fail(MNP_ERR_ARG, "PSF '%s' has %d dimension%s, and IMAGE '%s' has %d", j->psf.text, j->psf.ndim,
                        j->psf.ndim == 1 ? "" : "s", j->image.text, j->image.ndim);
    if (j->picture.path && j->image.ndim < 2)
        return mnp_fail(MNP_ERR_ARG, "--picture needs 2 dimensions or more, but IMAGE '%s' has 1", j->image.text);
    return MNP_OK;
}

/* The image between 0 and 1, or -1 and 1, as the methods take it, its largest value, and the psf with a sum of 1. */
static void scale(mnp_ctx *ctx, const mnp_array *image, mnp_array **scaled_p, mnp_array **largest_p, mnp_array **psf_p)
{
    OR_EXIT(mnp_eval(ctx, "m = max(abs(x))", MNP_IN("x", image), MNP_OUT("m", largest_p)));
    OR_EXIT(mnp_eval(ctx, "y = x / (m if m > 0 else 1)", MNP_IN("x", image, "m", *largest_p), MNP_OUT("y", scaled_p)));
    OR_EXIT(mnp_eval(ctx, "p = p / sum(p)", MNP_IN("p", *psf_p), MNP_OUT("p", psf_p)));
}

static void restore(mnp_ctx *ctx, const job *j, const mnp_array *image, mnp_array *psf, const mnp_array *mask,
                    mnp_array **out_p)
{
    mnp_array *scaled = NULL, *largest = NULL;
    mnp_richardson_lucy_options options = j->options;
    const mnp_unsupervised_wiener_options sampling = {.iterations = j->options.iterations};
    options.mask = mask;
    scale(ctx, image, &scaled, &largest, &psf);
    if (j->method == RICHARDSON_LUCY)
        OR_EXIT(mnp_richardson_lucy(scaled, psf, &options, out_p));
    else if (j->method == WIENER)
        OR_EXIT(mnp_wiener_deconvolution(scaled, psf, j->balance, NULL, false, out_p));
    else
        OR_EXIT(mnp_unsupervised_wiener(scaled, psf, &sampling, NULL, out_p));
    OR_EXIT(mnp_eval(ctx, "y *= m", MNP_IN("m", largest), MNP_OUT("y", out_p)));
    mnp_free_all(scaled, largest);
}

/* Draw image and result.  Collective. */
static mnp_status draw(const job *j, const mnp_array *x, const mnp_array *y, picture_result *drawn)
{
    char title[256];
    picture p = {.title = title, .count = 2};
    snprintf(title, sizeof title, "Deconvolution by %s, %s", method_names[j->method], without_folders(j->psf.text));
    p.arrays[0] = x;
    p.arrays[1] = y;
    p.titles[0] = without_folders(j->image.text);
    p.titles[1] = without_folders(j->output.text);
    picture_usual_dims(x, &p.rows, &p.columns);
    return picture_write(&j->picture, &p, drawn);
}

static void print_text(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *y, const double *seconds,
                       const mnp_rank_info *ranks, const picture_result *drawn)
{
    printf("ran on    ");
    print_where(ctx, ranks);
    printf("image     %s: ", j->image.text);
    print_array(x);
    printf("psf       %s: ", j->psf.text);
    print_shape(j->psf.ndim, j->psf.shape);
    printf(" %s, by %s", mnp_dtype_name(j->psf.dtype), method_names[j->method]);
    if (j->method == RICHARDSON_LUCY)
        printf(", %d iterations%s", j->options.iterations > 0 ? j->options.iterations : 50,
               j->options.accelerate ? ", accelerated" : "");
    printf("\noutput    %s: ", j->output.text);
    print_array(y);
    if (*drawn->made.size)
        printf("picture   %s: %s\n", j->picture.path, drawn->made.size);
    print_times(j->picture.path ? NUM_STAGES : PICTURE, stage_names, seconds);
}

static void print_json(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *psf, const mnp_array *y,
                       const double *seconds, const mnp_rank_info *ranks, const picture_result *drawn)
{
    json_writer out = json_start(stdout);
    json_open(&out, NULL, '{');
    json_operand(&out, "image", j->image.text, x);
    json_operand(&out, "psf", j->psf.text, psf);
    json_text(&out, "method", method_names[j->method]);
    if (j->method == RICHARDSON_LUCY)
        json_integer(&out, "iterations", j->options.iterations > 0 ? j->options.iterations : 50);
    json_operand(&out, "output", j->output.text, y);
    if (*drawn->made.size)
        json_text(&out, "picture", j->picture.path);
    json_where(&out, ctx, ranks);
    json_times(&out, j->picture.path ? NUM_STAGES : PICTURE, stage_names, seconds);
    json_close(&out);
}

static void report(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *psf, const mnp_array *y,
                   const stopwatch *watch, const picture_result *drawn)
{
    double slowest[MAX_STAGES];
    mnp_rank_info *ranks = NULL;
    stopwatch_slowest(watch, slowest);
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0 && j->json)
        print_json(ctx, j, x, psf, y, slowest, ranks, drawn);
    else if (mnp_ctx_rank(ctx) == 0)
        print_text(ctx, j, x, y, slowest, ranks, drawn);
    free(ranks);
}

/* Returns the exit status. */
static int run(mnp_ctx *ctx, job *j)
{
    int status = EXIT_SUCCESS;
    OR_EXIT(operand_inspect(ctx, &j->image));
    OR_EXIT(operand_inspect(ctx, &j->psf));
    OR_EXIT(check_shapes(j));
    if (j->has_mask)
        OR_EXIT(operand_inspect(ctx, &j->mask));

    mnp_array *x = NULL, *psf = NULL, *mask = NULL, *y = NULL;
    picture_result drawn = {.reduction = {1, 1}};
    stopwatch watch = stopwatch_start(ctx);
    progress_begin(ctx, "deconv", j->quiet);
    progress_stage(shape_bytes(j->image.dtype, j->image.ndim, j->image.shape), "B", "reading IMAGE");
    OR_EXIT(operand_load(ctx, &j->psf, &psf));
    if (j->has_mask)
        OR_EXIT(operand_load(ctx, &j->mask, &mask));
    OR_EXIT(operand_load(ctx, &j->image, &x));
    stopwatch_lap(&watch, READ);
    progress_stage(0, NULL, "restoring");
    restore(ctx, j, x, psf, mask, &y);
    stopwatch_lap(&watch, RESTORE);
    progress_stage(array_bytes(y), "B", "writing OUTPUT");
    OR_EXIT(operand_write(&j->output, y));
    stopwatch_lap(&watch, WRITE);
    if (j->picture.path) {
        progress_stage(0, NULL, "drawing");
        status = command_say(ctx, "", draw(j, x, y, &drawn));
        stopwatch_lap(&watch, PICTURE);
    }
    progress_end();
    if (!j->quiet)
        report(ctx, j, x, psf, y, &watch, &drawn);
    mnp_free_all(x, psf, mask, y);
    return status;
}

int deconv_main(int argc, char **argv)
{
    job j = {.balance = 0.1, .picture = PICTURE_REQUEST_DEFAULTS};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();
    mnp_ctx *ctx = command_begin(NULL);
    const bool root = mnp_ctx_rank(ctx) == 0;
    OR_EXIT(mnp_agree(ctx, root ? check_overwriting(&j) : MNP_OK));
    OR_EXIT(operand_check_output(ctx, &j.output));
    OR_EXIT(mnp_agree(ctx, root ? picture_check_place(&j.picture) : MNP_OK));
    const int drawn = run(ctx, &j), written = close_output(), status = drawn == EXIT_SUCCESS ? written : drawn;
    mnp_finalize(ctx);
    operand_free(&j.image);
    operand_free(&j.psf);
    operand_free(&j.mask);
    operand_free(&j.output);
    return status;
}
