/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple conv: read two arrays, convolve or correlate them, write the result, and report what was done and how long it
 * took.
 *
 * Mistakes that are cheap to find are found first: in the command line, then the folders of the outputs, the shapes of
 * the operands, and the values of the kernel; only then is the input read.
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
#include "common/rehearsal.h"
#include "common/result.h"
#include "picture/picture.h"
#include "report/progress.h"
#include "report/report.h"
#include "common/words.h"
#include "conv_stream.h"

enum {
    KEY_MODE = UCHAR_MAX + 1,
    KEY_BOUNDARY,
    KEY_FILLVALUE,
    KEY_AXES,
    KEY_DTYPE,
    KEY_CORRELATE,
    KEY_METHOD,
    KEY_PLAN
};

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
     "overlap-add: Fourier transforms of blocks; auto: what a model of the\n"
     "time finds fastest, with integers exact (default: auto)"},
    {KEY_PLAN, "plan", NULL, "print the method, and the time of each by the model, and do nothing else"},
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

typedef struct job {
    mnp_ctx *ctx;
    operand input, kernel;
    result_request result;
    mnp_conv_options options;
    int axes[OPERAND_MAX_DIMS];
    bool plan_only;
    mnp_conv_method method; /* that the plan takes */
    conv_stream stream;     /* its slabs; 0: all at once */
    mnp_array *x, *y;
    picture_result drawn;
} job;

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

#define METHOD_NAME(name, word, purpose) [name] = word,
static const char *const method_names[] = {MNP_CONV_METHODS(METHOD_NAME) NULL};
#undef METHOD_NAME

static mnp_status parse_fillvalue(const char *word, double *value_p)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end)
        return mnp_fail(MNP_ERR_ARG, "--fillvalue is '%s'; it must be a number", word);
    *value_p = value;
    return MNP_OK;
}

static mnp_status parse_option(int key, job *j, bool *fills)
{
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
        *fills = true;
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
        status = options_choose("method", optarg, method_names, &index);
        j->options.method = (mnp_conv_method)index;
        return status;
    case KEY_PLAN:
        j->plan_only = true;
        return MNP_OK;
    default:
        return result_option(key, &j->result);
    }
}

static mnp_status parse_operands(int count, char **words, job *j)
{
    if (count < 2)
        return mnp_fail(MNP_ERR_ARG, "conv needs %s, as in: maniple conv INPUT KERNEL -o OUTPUT",
                        count == 0 ? "INPUT and KERNEL" : "KERNEL after INPUT");
    if (count > 2)
        return mnp_fail(MNP_ERR_ARG, "conv takes INPUT and KERNEL, but was also given '%s'", words[2]);
    if (!j->result.output.text && !j->plan_only)
        return mnp_fail(MNP_ERR_ARG, "conv needs a place for the result: -o FILE:/DATASET or FILE.npy");
    mnp_status status = operand_parse("INPUT", words[0], MNP_FLOAT32, &j->input);
    return status == MNP_OK ? operand_parse("KERNEL", words[1], MNP_FLOAT64, &j->kernel) : status;
}

static mnp_status parse(int argc, char **argv, job *j)
{
    bool fills = false;
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, j, &fills);
    if (status == MNP_OK)
        status = parse_operands(argc - optind, argv + optind, j);
    if (status == MNP_OK && fills && j->options.boundary != MNP_BOUNDARY_FILL)
        status = mnp_fail(MNP_ERR_ARG, "--fillvalue goes with --boundary fill, not with --boundary %s",
                          boundary_names[j->options.boundary]);
    return status == MNP_OK ? result_check_options(&j->result) : status;
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, PLAN, CONVOLVE, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "plan", "convolve", "write", "picture"};

static mnp_status check_shapes(job *j)
{
    const int naxes = j->options.naxes;
    if (j->kernel.ndim > j->input.ndim)
        return mnp_fail(MNP_ERR_ARG, "KERNEL '%s' has %d dimensions, and INPUT '%s' has %d", j->kernel.text,
                        j->kernel.ndim, j->input.text, j->input.ndim);
    if (naxes > 0 && naxes != j->kernel.ndim)
        return mnp_fail(MNP_ERR_ARG, "--axes has %d dimension%s, but KERNEL '%s' has %d", naxes, plural(naxes),
                        j->kernel.text, j->kernel.ndim);
    if (j->result.picture.path && j->input.ndim < 2)
        return mnp_fail(MNP_ERR_ARG, "--picture needs 2 dimensions or more, but INPUT '%s' has 1", j->input.text);
    return operand_axes(&j->input, "axes", naxes, j->axes);
}

/* Make the plan, for arrays like the input, which has not been read yet. */
static void make_plan(job *j, stopwatch *watch, mnp_conv_plan **plan_p)
{
    mnp_ctx *ctx = j->ctx;
    mnp_array *kernel = NULL;
    mnp_layout *layout = NULL;
    progress_stage(0, NULL, "reading KERNEL");
    OR_EXIT(operand_load(ctx, &j->kernel, &kernel));
    stopwatch_lap(watch, READ);
    progress_stage(0, NULL, "planning");
    OR_EXIT(mnp_layout_block(mnp_ctx_size(ctx), j->input.ndim, j->input.shape, &layout));
    mnp_conv_plan_info info;
    OR_EXIT(mnp_conv_plan_new(ctx, j->input.dtype, layout, kernel, &j->options, plan_p));
    mnp_conv_plan_describe(*plan_p, &info);
    j->method = info.method;
    stopwatch_lap(watch, PLAN);
    mnp_layout_free(layout);
    mnp_array_free(kernel);
}

/*
 * The dimensions of the picture: the last two of the kernel's, or the usual ones if the kernel is a vector.
 */
static void picture_dims(const job *j, int *rows, int *columns)
{
    const int n = j->options.naxes;
    picture_usual_dims(j->x, rows, columns);
    if (n < 2)
        return;
    const int a = j->axes[n - 2], b = j->axes[n - 1];
    *rows = a < b ? a : b;
    *columns = a < b ? b : a;
}

/* Draw input and result.  Collective. */
static mnp_status draw(job *j)
{
    char title[256];
    picture p = {.title = title,
                 .count = 2,
                 .arrays = {j->x, j->y},
                 .titles = {without_folders(j->input.text), without_folders(j->result.output.text)}};
    mnp_status status = result_check_picture(j->ctx, &j->result);
    if (status != MNP_OK)
        return status;
    snprintf(title, sizeof title, "%s with %s, mode %s, boundary %s",
             j->options.correlate ? "Correlation" : "Convolution", without_folders(j->kernel.text),
             mode_names[j->options.mode], boundary_names[j->options.boundary]);
    picture_dims(j, &p.rows, &p.columns);
    return picture_write(&j->result.picture, &p, &j->drawn);
}

/* Print the line of the report that says what the picture shows. */
static void print_picture(const job *j)
{
    const picture_result *drawn = &j->drawn;
    printf("picture   %s: %s", j->result.picture.path, drawn->made.size);
    if (drawn->reduction[0] > 1 || drawn->reduction[1] > 1)
        printf(", a dot is the mean of %dx%d elements", (int)drawn->reduction[0], (int)drawn->reduction[1]);
    printf(", %s is %g to %g left, %g to %g right%s\n", j->result.picture.map ? "violet to yellow" : "black to white",
           drawn->low[0], drawn->high[0], drawn->low[1], drawn->high[1],
           j->input.ndim > 2 && !drawn->in_colour[0] ? "; the first plane only" : "");
}

/* Multiplications, and bytes of input and output. */
static void count_work(const job *j, double *taps, double *bytes)
{
    *taps = (double)mnp_layout_size(mnp_array_layout(j->y));
    *bytes = array_bytes(j->x) + array_bytes(j->y);
    for (int d = 0; d < j->kernel.ndim; d++)
        *taps *= (double)j->kernel.shape[d];
}

/* Print the line of the report on the kernel and how it is applied. */
static void print_kernel(const job *j, mnp_conv_method method)
{
    printf("kernel    %s: ", j->kernel.text);
    print_shape(j->kernel.ndim, j->kernel.shape);
    printf(" %s, %smode %s, boundary %s, by %s\n", mnp_dtype_name(j->kernel.dtype),
           j->options.correlate ? "correlated, " : "", mode_names[j->options.mode], boundary_names[j->options.boundary],
           method_names[method]);
}

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    double taps, bytes;
    count_work(j, &taps, &bytes);
    printf("input     %s: ", j->input.text);
    print_array(j->x);
    print_kernel(j, j->method);
    printf("output    %s: ", j->result.output.text);
    print_array(j->y);
    if (*j->drawn.made.size)
        print_picture(j);
    print_times(j->result.picture.path ? NUM_STAGES : PICTURE, stage_names, facts->seconds);
    printf("speed     %.3g Gtap/s, %.3g GB/s of input and output, while convolving\n",
           taps / facts->seconds[CONVOLVE] / 1e9, bytes / facts->seconds[CONVOLVE] / 1e9);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    double taps, bytes;
    count_work(j, &taps, &bytes);
    json_operand(out, "input", j->input.text, j->x);
    json_row(out, "kernel", '{');
    json_text(out, "operand", j->kernel.text);
    json_integers(out, "shape", j->kernel.ndim, j->kernel.shape);
    json_text(out, "dtype", mnp_dtype_name(j->kernel.dtype));
    json_close(out);
    json_text(out, "mode", mode_names[j->options.mode]);
    json_text(out, "boundary", boundary_names[j->options.boundary]);
    json_bool(out, "correlate", j->options.correlate);
    json_text(out, "method", method_names[j->method]);
    json_operand(out, "output", j->result.output.text, j->y);
    if (*j->drawn.made.size)
        json_text(out, "picture", j->result.picture.path);
    json_facts(out, facts, j->result.picture.path ? NUM_STAGES : PICTURE, stage_names);
    json_measured(out, "taps", taps);
    json_measured(out, "bytes", bytes);
}

/* What was done slab by slab. */
static void print_streamed_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    const conv_stream *stream = &j->stream;
    char needed[BYTES_TEXT], limit[BYTES_TEXT];
    printf("input     %s: ", j->input.text);
    print_shape(j->input.ndim, j->input.shape);
    printf(" %s\n", mnp_dtype_name(j->input.dtype));
    print_kernel(j, stream->method);
    printf("output    %s\nstreamed  %d slab%s of %d rows, as all at once needs %s a rank, and the limit is %s\n",
           j->result.output.text, (int)stream->slabs, plural(stream->slabs), (int)stream->rows,
           bytes_text(stream->needed, needed), bytes_text(stream->limit, limit));
    print_times(WRITE, stage_names, facts->seconds);
}

static void print_streamed_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    json_text(out, "input", j->input.text);
    json_text(out, "kernel", j->kernel.text);
    json_text(out, "output", j->result.output.text);
    json_text(out, "method", method_names[j->stream.method]);
    json_integer(out, "slabs", j->stream.slabs);
    json_integer(out, "rows", j->stream.rows);
    json_facts(out, facts, WRITE, stage_names);
}

/* Let the kernels of the work be compiled side by side, while KERNEL is read. */
static void rehearse(const job *j)
{
    mnp_conv_plan *plan = NULL;
    mnp_ctx *rehearsal = rehearsal_begin(j->ctx);
    const int ndim = j->input.ndim;
    mnp_array *x = rehearsal ? rehearsal_array(rehearsal, ndim, j->input.dtype, ndim, j->input.shape) : NULL;
    mnp_array *kernel = x ? rehearsal_array(rehearsal, ndim, j->kernel.dtype, j->kernel.ndim, j->kernel.shape) : NULL;
    if (kernel)
        (void)mnp_conv_plan_new(rehearsal, j->input.dtype, mnp_array_layout(x), kernel, &j->options, &plan);
    mnp_conv_plan_free(plan);
    mnp_free_all(x, kernel);
    mnp_finalize(rehearsal);
}

/* Convolve slab by slab what does not fit into memory. */
static void run_streamed(job *j)
{
    mnp_array *kernel = NULL;
    stopwatch watch = stopwatch_start(j->ctx);
    if (j->result.picture.path)
        OR_EXIT(mnp_fail(MNP_ERR_ARG, "--picture needs all of INPUT in memory, whose limit it exceeds"));
    progress_begin(j->ctx, "conv", j->result.quiet);
    OR_EXIT(operand_load(j->ctx, &j->kernel, &kernel));
    stopwatch_lap(&watch, READ);
    progress_stage(0, NULL, "convolving slab by slab");
    OR_EXIT(conv_stream_run(j->ctx, &j->input, kernel, &j->result.output, &j->options, &j->stream));
    stopwatch_lap(&watch, CONVOLVE);
    progress_end();
    if (!j->result.quiet)
        report_print(&watch, j->result.json, j, print_streamed_text, print_streamed_json);
    mnp_array_free(kernel);
}

/* What the plan would do, from rank 0. */
static void show_plan(const job *j, const mnp_conv_plan *plan)
{
    mnp_conv_plan_info info;
    mnp_rank_info *ranks = NULL;
    mnp_conv_plan_describe(plan, &info);
    OR_EXIT(rank_infos(j->ctx, &ranks, NULL));
    if (mnp_ctx_rank(j->ctx) == 0 && j->result.json) {
        json_writer out = json_start(stdout);
        json_open(&out, NULL, '{');
        json_text(&out, "input", j->input.text);
        json_text(&out, "kernel", j->kernel.text);
        json_text(&out, "method", info.name);
        json_row(&out, "estimated_seconds", '{');
        for (int m = MNP_CONV_DIRECT; m < MNP_NUM_CONV_METHODS; m++) {
            if (info.seconds[m] >= 0)
                json_measured(&out, method_names[m], info.seconds[m]);
        }
        json_close(&out);
        json_where(&out, j->ctx, ranks);
        json_close(&out);
    } else {
        mnp_conv_plan_print(plan, stdout);
    }
    free(ranks);
}

/* Convolve at once: read, compute, write and draw.  Returns the exit status. */
static int run_whole(job *j, mnp_conv_plan *plan, stopwatch *watch)
{
    int status = EXIT_SUCCESS;
    progress_stage(shape_bytes(j->input.dtype, j->input.ndim, j->input.shape), "B", "reading INPUT");
    OR_EXIT(operand_load(j->ctx, &j->input, &j->x));
    stopwatch_lap(watch, READ);
    progress_stage(array_bytes(j->x), "B", "convolving");
    OR_EXIT(mnp_conv_execute(plan, j->x, &j->y));
    stopwatch_lap(watch, CONVOLVE);
    progress_stage(array_bytes(j->y), "B", "writing OUTPUT");
    OR_EXIT(operand_write(&j->result.output, j->y));
    stopwatch_lap(watch, WRITE);
    if (j->result.picture.path) {
        progress_stage(0, NULL, "drawing");
        status = command_say(j->ctx, "", draw(j));
        stopwatch_lap(watch, PICTURE);
    }
    progress_end();
    if (!j->result.quiet)
        report_print(watch, j->result.json, j, print_text, print_json);
    mnp_free_all(j->x, j->y);
    return status;
}

/* Returns the exit status. */
static int run(job *j)
{
    int status = EXIT_SUCCESS;
    mnp_conv_plan *plan = NULL;
    OR_EXIT(operand_inspect(j->ctx, &j->input));
    OR_EXIT(operand_inspect(j->ctx, &j->kernel));
    OR_EXIT(check_shapes(j));

    conv_stream_plan(j->ctx, &j->input, &j->kernel, &j->options, &j->stream);
    if (j->stream.slabs > 0 && !j->plan_only) {
        run_streamed(j);
        return status;
    }
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "conv", j->result.quiet);
    rehearse(j);
    make_plan(j, &watch, &plan);
    if (j->plan_only) {
        progress_end();
        show_plan(j, plan);
    } else {
        status = run_whole(j, plan, &watch);
    }
    mnp_conv_plan_free(plan);
    return status;
}

int conv_main(int argc, char **argv)
{
    job j = {.options.mode = MNP_CONV_SAME, /* what is usual for images */
             .result.picture = PICTURE_REQUEST_DEFAULTS,
             .drawn.reduction = {1, 1}};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    j.ctx = command_begin(NULL);
    OR_EXIT(result_check_places(j.ctx, &j.result, 2, (const operand *[]){&j.input, &j.kernel}));
    const int status = close_output(run(&j));
    mnp_finalize(j.ctx);
    operand_free(&j.input);
    operand_free(&j.kernel);
    operand_free(&j.result.output);
    return status;
}
