/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple deconv: read an image and the point spread function that has blurred it, restore it, and write the result.
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
#include "picture/picture.h"

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

typedef struct restoration {
    job job; /* first: see common/job.h; its input is IMAGE */
    operand psf, mask;
    method method;
    mnp_richardson_lucy_options options;
    double balance;
    bool has_balance, has_iterations, has_richardson_lucy;
    mnp_array *p, *weights; /* the point spread function, and the mask or NULL */
} restoration;

static restoration *of(job *j)
{
    return (restoration *)j;
}

/* ---- the command line ---- */

static mnp_status parse_boundary(const char *word, mnp_boundary *boundary_p)
{
    static const char *const names[] = {"fill", "wrap", "symm", "mirror", "nearest", NULL};
    int index = 0;
    const mnp_status status = options_choose("boundary", word, names, &index);
    *boundary_p = (mnp_boundary)index;
    return status;
}

static mnp_status parse_option(int key, job *base)
{
    restoration *j = of(base);
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
        return options_int("iterations", optarg, 1, INT_MAX, &j->options.iterations);
    case KEY_BALANCE:
        j->has_balance = true;
        return options_number("balance", optarg, 0, INFINITY, &j->balance);
    case KEY_VARIATION:
        return options_number("total-variation", optarg, 0, INFINITY, &j->options.total_variation);
    case KEY_MASK:
        return operand_parse("MASK", optarg, MNP_FLOAT32, &j->mask);
    case KEY_ACCELERATE:
        j->options.accelerate = true;
        return MNP_OK;
    case KEY_BOUNDARY:
        return parse_boundary(optarg, &j->options.boundary);
    default:
        return result_option(key, &base->result);
    }
}

/* Options that belong to other methods. */
static mnp_status check_method(job *base)
{
    const restoration *j = of(base);
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

static mnp_status parse_operands(int count, char **words, job *base)
{
    if (count < 2)
        return mnp_fail(MNP_ERR_ARG, "deconv needs %s, as in: maniple deconv IMAGE PSF -o OUTPUT",
                        count == 0 ? "IMAGE and PSF" : "PSF after IMAGE");
    if (count > 2)
        return mnp_fail(MNP_ERR_ARG, "deconv takes IMAGE and PSF, but was also given '%s'", words[2]);
    const mnp_status status = operand_parse("IMAGE", words[0], MNP_FLOAT32, &base->input);
    return status == MNP_OK ? operand_parse("PSF", words[1], MNP_FLOAT64, &of(base)->psf) : status;
}

/* ---- the work ---- */

static mnp_status check_shapes(job *base)
{
    const operand *image = &base->input, *psf = &of(base)->psf;
    if (psf->ndim != image->ndim)
        return mnp_fail(MNP_ERR_ARG, "PSF '%s' has %d dimension%s, and IMAGE '%s' has %d", psf->text, psf->ndim,
                        plural(psf->ndim), image->text, image->ndim);
    if (base->result.picture.path && image->ndim < 2)
        return mnp_fail(MNP_ERR_ARG, "--picture needs 2 dimensions or more, but IMAGE '%s' has 1", image->text);
    return MNP_OK;
}

static mnp_status load(job *base)
{
    restoration *j = of(base);
    mnp_status status = operand_load(base->ctx, &j->psf, &j->p);
    if (status == MNP_OK && j->mask.text)
        status = operand_load(base->ctx, &j->mask, &j->weights);
    return status == MNP_OK ? operand_load(base->ctx, &base->input, &base->x) : status;
}

/* The image between 0 and 1, or -1 and 1, as the methods take it, its largest value, and the psf with a sum of 1. */
static mnp_status scale(const restoration *j, mnp_array **image_p, mnp_array **largest_p, mnp_array **psf_p)
{
    mnp_ctx *ctx = j->job.ctx;
    mnp_status status = mnp_eval(ctx, "m = max(abs(x))", MNP_IN("x", j->job.x), MNP_OUT("m", largest_p));
    if (status == MNP_OK)
        status =
            mnp_eval(ctx, "y = x / (m if m > 0 else 1)", MNP_IN("x", j->job.x, "m", *largest_p), MNP_OUT("y", image_p));
    return status == MNP_OK ? mnp_eval(ctx, "q = p / sum(p)", MNP_IN("p", j->p), MNP_OUT("q", psf_p)) : status;
}

static mnp_status restore(job *base)
{
    const restoration *j = of(base);
    mnp_array *image = NULL, *largest = NULL, *psf = NULL;
    mnp_richardson_lucy_options options = j->options;
    const mnp_unsupervised_wiener_options sampling = {.iterations = j->options.iterations};
    options.mask = j->weights;
    mnp_status status = scale(j, &image, &largest, &psf);
    if (status == MNP_OK && j->method == RICHARDSON_LUCY)
        status = mnp_richardson_lucy(image, psf, &options, &base->y);
    else if (status == MNP_OK && j->method == WIENER)
        status = mnp_wiener_deconvolution(image, psf, j->balance, NULL, false, &base->y);
    else if (status == MNP_OK)
        status = mnp_unsupervised_wiener(image, psf, &sampling, NULL, &base->y);
    if (status == MNP_OK)
        status = mnp_eval(base->ctx, "y *= m", MNP_IN("m", largest), MNP_OUT("y", &base->y));
    mnp_free_all(image, largest, psf);
    return status;
}

/* Draw image and result.  Collective. */
static mnp_status draw(job *base)
{
    char title[256];
    picture_result drawn = {.reduction = {1, 1}};
    picture p = {.title = title,
                 .count = 2,
                 .arrays = {base->x, base->y},
                 .titles = {without_folders(base->input.text), without_folders(base->result.output.text)}};
    snprintf(title, sizeof title, "Deconvolution by %s, %s", method_names[of(base)->method],
             without_folders(of(base)->psf.text));
    picture_usual_dims(base->x, &p.rows, &p.columns);
    const mnp_status status = picture_write(&base->result.picture, &p, &drawn);
    snprintf(base->drawn, sizeof base->drawn, "%s", drawn.made.size);
    return status;
}

static void print_text(const void *run, const run_facts *facts)
{
    const restoration *j = run;
    (void)facts;
    printf("image     %s: ", j->job.input.text);
    print_array(j->job.x);
    printf("psf       %s: ", j->psf.text);
    print_shape(j->psf.ndim, j->psf.shape);
    printf(" %s, by %s", mnp_dtype_name(j->psf.dtype), method_names[j->method]);
    if (j->method == RICHARDSON_LUCY)
        printf(", %d iterations%s", j->options.iterations > 0 ? j->options.iterations : 50,
               j->options.accelerate ? ", accelerated" : "");
    printf("\noutput    %s: ", j->job.result.output.text);
    print_array(j->job.y);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const restoration *j = run;
    (void)facts;
    json_operand(out, "image", j->job.input.text, j->job.x);
    json_operand(out, "psf", j->psf.text, j->p);
    json_text(out, "method", method_names[j->method]);
    if (j->method == RICHARDSON_LUCY)
        json_integer(out, "iterations", j->options.iterations > 0 ? j->options.iterations : 50);
    json_operand(out, "output", j->job.result.output.text, j->job.y);
}

static void release(job *base)
{
    mnp_free_all(of(base)->p, of(base)->weights);
}

static const job_kind kind = {
    .command = "deconv",
    .usage = "maniple deconv IMAGE PSF -o OUTPUT",
    .input = "IMAGE",
    .stage = "restore",
    .progress = "restoring",
    .options = options_table,
    .words = words_table,
    .inspects = true,
    .option = parse_option,
    .operands = parse_operands,
    .check = check_method,
    .prepare = check_shapes,
    .load = load,
    .compute = restore,
    .draw = draw,
    .text = print_text,
    .json = print_json,
    .release = release,
};

int deconv_main(int argc, char **argv)
{
    restoration j = {.job = JOB_START(&kind), .balance = 0.1};
    j.job.more[0] = &j.psf;
    j.job.more[1] = &j.mask;
    return job_main(&j.job, argc, argv);
}
