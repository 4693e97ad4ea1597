/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple conv: read two arrays, convolve or correlate them, write the result, and report what was done and how long it
 * took.
 *
 * Mistakes that are cheap to find are found first: in the command line, then the folders of the outputs, the shapes of
 * the operands, and the values of the kernel; only then is the input read.
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
#include "common/rehearsal.h"
#include "conv/conv.h"
#include "picture/picture.h"

enum { KEY_MODE = UCHAR_MAX + 1, KEY_BOUNDARY, KEY_FILLVALUE, KEY_AXES, KEY_DTYPE, KEY_CORRELATE, KEY_METHOD };

static const option_row options_table[] = {
    OUTPUT_ROW("INPUT or KERNEL"),
    {KEY_MODE, "mode", "MODE",
     "full: the whole convolution; same: the middle part, as large as\n"
     "INPUT; valid: only the part that needs no values beyond the borders\n"
     "(default: same; in scipy.signal.convolve2d it is full)"},
    {KEY_BOUNDARY, "boundary", "HOW",
     "how INPUT a b c d continues beyond its borders (default: fill)\n"
     "fill v v|abcd|v v   wrap c d|abcd|a b   symm b a|abcd|d c\n"
     "mirror c b|abcd|c b   nearest a a|abcd|d d"},
    {KEY_FILLVALUE, "fillvalue", "V", "v of --boundary fill (default: 0)"},
    {KEY_AXES, "axes", "LIST",
     "dimensions of INPUT that belong to those of KERNEL, such as 0,1; -1 is\n"
     "the last (default: the last ones); INPUT is a batch along the others"},
    {KEY_DTYPE, "dtype", "TYPE",
     "type of the result and of the arithmetic, such as float64\n"
     "(default: that of INPUT if float or complex, otherwise float32;\n"
     "complex if KERNEL is)"},
    {KEY_CORRELATE, "correlate", NULL,
     "correlate, as scipy.signal.correlate: convolve with the reversed and\n"
     "complex conjugated KERNEL"},
    {KEY_METHOD, "method", "METHOD",
     "direct: sums of products; separable: a pass along every axis, for an\n"
     "outer product; fft: Fourier transforms of the whole array;\n"
     "overlap-add: Fourier transforms of blocks; transforms: the faster of\n"
     "these two; auto: what a model of the time finds fastest, with integers\n"
     "exact (default: auto)"},
    PLAN_ROWS,
    PICTURE_OPTIONS("input and result, side by side"),
    PICTURE_MAP_OPTION,
    APPEND_ROW,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

void conv_help(void)
{
    puts("Usage: maniple conv INPUT KERNEL -o OUTPUT [OPTION...]\n"
         "       mpirun -n RANKS maniple conv INPUT KERNEL -o OUTPUT [OPTION...]\n"
         "\n"
         "Convolve INPUT, an array of 1 to 4 dimensions, with KERNEL.\n"
         "\n"
         "INPUT and KERNEL are datasets of HDF5 files, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif\n"
         "or FILE.fits, or parts of them, such as 'FILE:/DATASET[1:, ::-2, 0]', or generated:\n"
         "  dirac:4096x4096/512  ones where every index is divisible by 512, zeros elsewhere\n"
         "  hanning:31x31        the outer product of Hann windows, as numpy.hanning, of unit sum\n"
         "  gauss:31x31@5        a Gaussian of standard deviation 5 elements (5x3: one a dimension),\n"
         "                       of unit sum\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple conv sky.h5:/image gauss:31x31@5 -o blurred.h5:/image --boundary symm");
}

static const words_row words_table[] = {
    {"the kernel", "KERNEL"},     {"the input", "INPUT"},           {"this input", "INPUT"},
    {"fillvalue", "--fillvalue"}, {"a result of dtype", "--dtype"}, {NULL, NULL},
};

/* ---- the command line ---- */

static const char *const mode_names[] = {
    [MNP_CONV_FULL] = "full",
    [MNP_CONV_SAME] = "same",
    [MNP_CONV_VALID] = "valid",
    NULL,
};
static const char *const boundary_names[] = {
    [MNP_BOUNDARY_FILL] = "fill",     [MNP_BOUNDARY_WRAP] = "wrap",       [MNP_BOUNDARY_SYMM] = "symm",
    [MNP_BOUNDARY_MIRROR] = "mirror", [MNP_BOUNDARY_NEAREST] = "nearest", NULL,
};

static mnp_status parse_fillvalue(const char *word, double *value_p)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end)
        return mnp_fail(MNP_ERR_ARG, "--fillvalue is '%s'; it must be a number", word);
    *value_p = value;
    return MNP_OK;
}

static mnp_status parse_option(int key, job *base)
{
    convolution *j = conv_of(base);
    mnp_status status = MNP_OK;
    int index = 0;
    switch (key) {
    case KEY_MODE:
        status = options_choose("mode", optarg, mode_names, &index);
        j->options.mode = (mnp_conv_mode)index;
        return status;
    case KEY_BOUNDARY:
        status = options_choose("boundary", optarg, boundary_names, &index);
        j->options.boundary = (mnp_boundary)index;
        return status;
    case KEY_FILLVALUE:
        j->fills = true;
        return parse_fillvalue(optarg, &j->options.fillvalue);
    case KEY_AXES:
        j->options.axes = j->axes;
        return options_axes("axes", optarg, OPERAND_MAX_DIMS, j->axes, &j->options.naxes);
    case KEY_DTYPE:
        return options_dtype("dtype", optarg, &j->options.dtype);
    case KEY_CORRELATE:
        j->options.correlate = true;
        return MNP_OK;
    case KEY_METHOD:
        status = options_choose("method", optarg, conv_method_names, &index);
        j->options.method = (mnp_conv_method)index;
        return status;
    default:
        return result_option(key, &base->result);
    }
}

static mnp_status parse_operands(int count, char **words, job *base)
{
    if (count < 2)
        return mnp_fail(MNP_ERR_ARG, "conv needs %s, as in: %s", count == 0 ? "INPUT and KERNEL" : "KERNEL after INPUT",
                        base->kind->usage);
    if (count > 2)
        return mnp_fail(MNP_ERR_ARG, "conv takes INPUT and KERNEL, but was also given '%s'", words[2]);
    const mnp_status status = operand_parse("INPUT", words[0], MNP_FLOAT32, &base->input);
    return status == MNP_OK ? operand_parse("KERNEL", words[1], MNP_FLOAT64, &conv_of(base)->kernel) : status;
}

static mnp_status check_options(job *base)
{
    const convolution *j = conv_of(base);
    if (j->fills && j->options.boundary != MNP_BOUNDARY_FILL)
        return mnp_fail(MNP_ERR_ARG, "--fillvalue goes with --boundary fill, not with --boundary %s",
                        boundary_names[j->options.boundary]);
    return MNP_OK;
}

/* ---- the work ---- */

static mnp_status check_shapes(job *base)
{
    convolution *j = conv_of(base);
    const operand *input = &base->input, *kernel = &j->kernel;
    const int naxes = j->options.naxes;
    if (kernel->ndim > input->ndim)
        return mnp_fail(MNP_ERR_ARG, "KERNEL '%s' has %d dimensions, and INPUT '%s' has %d", kernel->text, kernel->ndim,
                        input->text, input->ndim);
    if (naxes > 0 && naxes != kernel->ndim)
        return mnp_fail(MNP_ERR_ARG, "--axes has %d dimension%s, but KERNEL '%s' has %d", naxes, plural(naxes),
                        kernel->text, kernel->ndim);
    if (base->result.picture.path && input->ndim < 2)
        return mnp_fail(MNP_ERR_ARG, "--picture needs 2 dimensions or more, but INPUT '%s' has 1", input->text);
    return operand_axes(input, "axes", naxes, j->axes);
}

static mnp_status prepare(job *base)
{
    convolution *j = conv_of(base);
    const mnp_status status = check_shapes(base);
    if (status == MNP_OK)
        conv_stream_plan(j);
    return status;
}

/* Make the plan for arrays of a layout; there is none, or one for another layout. */
static mnp_status plan_for(convolution *j, const mnp_layout *layout, const mnp_array *kernel)
{
    mnp_conv_plan_free(j->planned);
    mnp_layout_free(j->layout);
    j->planned = NULL;
    j->layout = mnp_layout_retain(layout);
    const mnp_status status =
        mnp_conv_plan_new(j->job.ctx, j->job.input.dtype, layout, kernel, &j->options, &j->planned);
    if (status == MNP_OK) {
        mnp_conv_plan_describe(j->planned, &j->info);
        j->method = j->info.method;
    }
    return status;
}

static mnp_status load_kernel(convolution *j, mnp_array **kernel_p)
{
    progress_stage(0, NULL, "reading KERNEL");
    const mnp_status status = operand_load(j->job.ctx, &j->kernel, kernel_p);
    if (j->job.watch.ctx)
        stopwatch_lap(&j->job.watch, JOB_READ);
    return status;
}

mnp_status conv_make_plan(convolution *j)
{
    const operand *input = &j->job.input;
    mnp_array *kernel = NULL;
    mnp_layout *layout = NULL;
    int64_t shape[MNP_MAX_DIMS];
    memcpy(shape, input->shape, sizeof shape);
    if (j->job.streams && j->job.stream.rows + j->job.stream.size.margin < shape[0])
        shape[0] = j->job.stream.rows + j->job.stream.size.margin;
    mnp_status status = load_kernel(j, &kernel);
    progress_stage(0, NULL, "planning");
    if (status == MNP_OK)
        status = mnp_layout_block(mnp_ctx_size(j->job.ctx), input->ndim, shape, &layout);
    if (status == MNP_OK)
        status = plan_for(j, layout, kernel);
    mnp_layout_free(layout);
    mnp_array_free(kernel);
    return status;
}

/* Let the kernels of the work be compiled side by side, while KERNEL is read. */
static void rehearse(const convolution *j)
{
    const operand *input = &j->job.input;
    mnp_conv_plan *planned = NULL;
    mnp_ctx *rehearsal = rehearsal_begin(j->job.ctx);
    const int ndim = input->ndim;
    mnp_array *x = rehearsal ? rehearsal_array(rehearsal, ndim, input->dtype, ndim, input->shape) : NULL;
    mnp_array *kernel = x ? rehearsal_array(rehearsal, ndim, j->kernel.dtype, j->kernel.ndim, j->kernel.shape) : NULL;
    if (kernel)
        (void)mnp_conv_plan_new(rehearsal, input->dtype, mnp_array_layout(x), kernel, &j->options, &planned);
    mnp_conv_plan_free(planned);
    mnp_free_all(x, kernel);
    mnp_finalize(rehearsal);
}

static mnp_status begin(job *base)
{
    convolution *j = conv_of(base);
    if (base->streams)
        return load_kernel(j, &j->taps);
    rehearse(j);
    return conv_make_plan(j);
}

static mnp_status convolve(job *base)
{
    convolution *j = conv_of(base);
    const mnp_layout *layout = mnp_array_layout(base->x);
    const bool other = base->streams && !(j->layout && mnp_layout_equal(layout, j->layout)); /* than the last slab's */
    const mnp_status status = other ? plan_for(j, layout, j->taps) : MNP_OK;
    return status == MNP_OK ? mnp_conv_execute(j->planned, base->x, &base->y) : status;
}

/* ---- the picture ---- */

/* The dimensions of the picture: the last two of the kernel's, or the usual ones if the kernel is a vector. */
static void picture_dims(const convolution *j, int *rows, int *columns)
{
    const int n = j->options.naxes;
    picture_usual_dims(j->job.x, rows, columns);
    if (n < 2)
        return;
    const int a = j->axes[n - 2], b = j->axes[n - 1];
    *rows = a < b ? a : b;
    *columns = a < b ? b : a;
}

/* What the report says the picture shows. */
static void describe_picture(job *base, const picture_result *drawn)
{
    char *words = base->drawn;
    int length = snprintf(words, sizeof base->drawn, "%s", drawn->made.size);
    if (drawn->reduction[0] > 1 || drawn->reduction[1] > 1)
        length += snprintf(words + length, sizeof base->drawn - (size_t)length, ", a dot is the mean of %dx%d elements",
                           (int)drawn->reduction[0], (int)drawn->reduction[1]);
    snprintf(words + length, sizeof base->drawn - (size_t)length, ", %s is %g to %g left, %g to %g right%s",
             base->result.picture.map ? "violet to yellow" : "black to white", drawn->low[0], drawn->high[0],
             drawn->low[1], drawn->high[1],
             base->input.ndim > 2 && !drawn->in_colour[0] ? "; the first plane only" : "");
}

/* Draw input and result.  Collective. */
static mnp_status draw(job *base)
{
    const convolution *j = conv_of(base);
    char title[256];
    picture_result drawn = {.reduction = {1, 1}};
    picture p = {.title = title,
                 .count = 2,
                 .arrays = {base->x, base->y},
                 .titles = {without_folders(base->input.text), without_folders(base->result.output.text)}};
    snprintf(title, sizeof title, "%s with %s, mode %s, boundary %s",
             j->options.correlate ? "Correlation" : "Convolution", without_folders(j->kernel.text),
             mode_names[j->options.mode], boundary_names[j->options.boundary]);
    picture_dims(j, &p.rows, &p.columns);
    const mnp_status status = picture_write(&base->result.picture, &p, &drawn);
    if (status == MNP_OK)
        describe_picture(base, &drawn);
    return status;
}

/* ---- reports ---- */

double conv_count_taps(const convolution *j)
{
    double taps = 1;
    for (int d = 0; d < j->kernel.ndim; d++)
        taps *= (double)j->kernel.shape[d];
    return taps;
}

/* Multiplications, and bytes of input and output. */
static void count_work(const convolution *j, double *taps, double *bytes)
{
    *taps = (double)mnp_layout_size(mnp_array_layout(j->job.y)) * conv_count_taps(j);
    *bytes = array_bytes(j->job.x) + array_bytes(j->job.y);
}

/* Print the line of the report on the kernel and how it is applied. */
void conv_print_kernel(const convolution *j, mnp_conv_method method)
{
    printf("kernel    %s: ", j->kernel.text);
    print_shape(j->kernel.ndim, j->kernel.shape);
    printf(" %s, %smode %s, boundary %s, by %s\n", mnp_dtype_name(j->kernel.dtype),
           j->options.correlate ? "correlated, " : "", mode_names[j->options.mode], boundary_names[j->options.boundary],
           conv_method_names[method]);
}

static void print_text(const void *run, const run_facts *facts)
{
    const convolution *j = run;
    (void)facts;
    if (j->job.streams) {
        print_operand("input", &j->job.input);
        conv_print_kernel(j, j->method);
        return;
    }
    printf("input     %s: ", j->job.input.text);
    print_array(j->job.x);
    conv_print_kernel(j, j->method);
    printf("output    %s: ", j->job.result.output.text);
    print_array(j->job.y);
}

static void print_speed(const void *run, const run_facts *facts)
{
    const convolution *j = run;
    double taps, bytes;
    if (j->job.streams)
        return;
    count_work(j, &taps, &bytes);
    printf("speed     %.3g Gtap/s, %.3g GB/s of input and output, while convolving\n",
           taps / facts->seconds[JOB_COMPUTE] / 1e9, bytes / facts->seconds[JOB_COMPUTE] / 1e9);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const convolution *j = run;
    (void)facts;
    if (j->job.streams) {
        json_text(out, "input", j->job.input.text);
        json_text(out, "kernel", j->kernel.text);
        json_text(out, "output", j->job.result.output.text);
        json_text(out, "method", conv_method_names[j->method]);
        return;
    }
    json_operand(out, "input", j->job.input.text, j->job.x);
    json_input(out, "kernel", &j->kernel);
    json_text(out, "mode", mode_names[j->options.mode]);
    json_text(out, "boundary", boundary_names[j->options.boundary]);
    json_bool(out, "correlate", j->options.correlate);
    json_text(out, "method", conv_method_names[j->method]);
    json_operand(out, "output", j->job.result.output.text, j->job.y);
}

static void json_work(const void *run, const run_facts *facts, json_writer *out)
{
    const convolution *j = run;
    double taps, bytes;
    (void)facts;
    if (j->job.streams)
        return;
    count_work(j, &taps, &bytes);
    json_measured(out, "taps", taps);
    json_measured(out, "bytes", bytes);
}

static void release(job *base)
{
    convolution *j = conv_of(base);
    mnp_conv_plan_free(j->planned);
    mnp_layout_free(j->layout);
    mnp_array_free(j->taps);
}

static const job_kind kind = {
    .command = "conv",
    .usage = "maniple conv INPUT KERNEL -o OUTPUT",
    .input = "INPUT",
    .prepares = "plan",
    .stage = "convolve",
    .progress = "convolving",
    .options = options_table,
    .words = words_table,
    .inspects = true,
    .option = parse_option,
    .operands = parse_operands,
    .check = check_options,
    .prepare = prepare,
    .plan = conv_plan,
    .begin = begin,
    .compute = convolve,
    .needs = conv_stream_needs,
    .draw = draw,
    .text = print_text,
    .json = print_json,
    .text_end = print_speed,
    .json_end = json_work,
    .release = release,
};

int conv_main(int argc, char **argv)
{
    convolution j = {.job = JOB_START(&kind), .options.mode = MNP_CONV_SAME /* what is usual for images */};
    j.job.more[0] = &j.kernel;
    return job_main(&j.job, argc, argv);
}
