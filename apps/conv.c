/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple conv: read two arrays, convolve or correlate them, write the result, and report what was done and how long it took.
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
#include "common/files.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/rehearsal.h"
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
    {'o', "output", "OUTPUT",
     "write the result to FILE:/DATASET; replaces a dataset of that name,\n"
     "but never INPUT or KERNEL, and keeps everything else in the file;\n"
     "or write FILE.npy"},
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
    {'j', "json", NULL, "print JSON"},
    {'q', "quiet", NULL, "print nothing"},
    {'h', "help", NULL, "show this"},
    {0},
};

void conv_help(void)
{
    puts("Usage: maniple conv INPUT KERNEL -o OUTPUT [OPTION...]\n"
         "       mpirun -n RANKS maniple conv INPUT KERNEL -o OUTPUT [OPTION...]\n"
         "\n"
         "Convolve INPUT, an array of 1 to 4 dimensions, with KERNEL.\n"
         "\n"
         "INPUT and KERNEL are datasets of HDF5 files, written FILE:/DATASET, or FILE.npy or FILE.png, or\n"
         "parts of them, such as 'FILE:/DATASET[1:, ::-2, 0]', or generated:\n"
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
    operand input, kernel, output;
    mnp_conv_options options;
    int axes[OPERAND_MAX_DIMS];
    picture_request picture;
    mnp_conv_method method; /* that the plan takes */
    bool quiet, json, plan_only;
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
    case 'o':
        return operand_parse_output("OUTPUT", optarg, &j->output);
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
    case KEY_PICTURE:
    case KEY_PICTURE_SIZE:
    case KEY_PICTURE_MAP:
        return picture_option(key, optarg, &j->picture);
    case APPEND_KEY:
        return operand_append_option(optarg);
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

static mnp_status parse_operands(int count, char **words, job *j)
{
    if (count < 2)
        return mnp_fail(MNP_ERR_ARG, "conv needs %s, as in: maniple conv INPUT KERNEL -o OUTPUT",
                        count == 0 ? "INPUT and KERNEL" : "KERNEL after INPUT");
    if (count > 2)
        return mnp_fail(MNP_ERR_ARG, "conv takes INPUT and KERNEL, but was also given '%s'", words[2]);
    if (!j->output.text && !j->plan_only)
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
    if (status == MNP_OK)
        status = picture_check_options(&j->picture);
    return status == MNP_OK ? report_check_options(j->quiet, j->json) : status;
}

static void job_free(job *j)
{
    operand_free(&j->input);
    operand_free(&j->kernel);
    operand_free(&j->output);
}

/* ---- checks before the work, on rank 0 ---- */

static mnp_status check_overwriting(const job *j)
{
    const run_file files[] = {file_of_operand(&j->input), file_of_operand(&j->kernel), file_of_output(&j->output),
                              file_of_option("--picture", j->picture.path)};
    return files_check(sizeof files / sizeof *files, files);
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, PLAN, CONVOLVE, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "plan", "convolve", "write", "picture"};

static mnp_status check_axes(const job *j)
{
    const int ndim = j->input.ndim, naxes = j->options.naxes;
    bool given[OPERAND_MAX_DIMS] = {false};
    if (naxes > 0 && naxes != j->kernel.ndim)
        return mnp_fail(MNP_ERR_ARG, "--axes has %d dimension%s, but KERNEL '%s' has %d", naxes, naxes == 1 ? "" : "s",
                        j->kernel.text, j->kernel.ndim);
    for (int i = 0; i < naxes; i++) {
        const int axis = j->axes[i] < 0 ? j->axes[i] + ndim : j->axes[i];
        if (axis < 0 || axis >= ndim)
            return mnp_fail(MNP_ERR_ARG, "--axes has dimension %d, but INPUT '%s' has %d dimension%s", j->axes[i],
                            j->input.text, ndim, ndim == 1 ? "" : "s");
        if (given[axis])
            return mnp_fail(MNP_ERR_ARG, "--axes has dimension %d twice, as %d and %d", axis, axis, axis - ndim);
        given[axis] = true;
    }
    return MNP_OK;
}

static mnp_status check_shapes(const job *j)
{
    if (j->kernel.ndim > j->input.ndim)
        return mnp_fail(MNP_ERR_ARG, "KERNEL '%s' has %d dimensions, and INPUT '%s' has %d", j->kernel.text,
                        j->kernel.ndim, j->input.text, j->input.ndim);
    mnp_status status = check_axes(j);
    if (status != MNP_OK)
        return status;
    if (j->picture.path && j->input.ndim < 2)
        return mnp_fail(MNP_ERR_ARG, "--picture needs 2 dimensions or more, but INPUT '%s' has 1", j->input.text);
    return MNP_OK;
}

/* Make the plan, for arrays like the input, which has not been read yet. */
static void make_plan(mnp_ctx *ctx, job *j, stopwatch *watch, mnp_conv_plan **plan_p)
{
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
static void picture_dims(const job *j, const mnp_array *x, int *rows, int *columns)
{
    const int n = j->options.naxes;
    picture_usual_dims(x, rows, columns);
    if (n < 2)
        return;
    const int a = (j->axes[n - 2] + j->input.ndim) % j->input.ndim;
    const int b = (j->axes[n - 1] + j->input.ndim) % j->input.ndim;
    *rows = a < b ? a : b;
    *columns = a < b ? b : a;
}

/* Draw input and result.  Collective. */
static mnp_status draw(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *y, picture_result *drawn)
{
    char title[256];
    bool clash = mnp_ctx_rank(ctx) == 0 && same_file(j->picture.path, j->output.file); /* by links that were dangling */
    mnp_status status = mnp_agree(
        ctx, clash ? mnp_fail(MNP_ERR_IO,
                              "--picture '%s' is the file of OUTPUT; the result is there, and no picture was made",
                              j->picture.path)
                   : MNP_OK);
    if (status != MNP_OK)
        return status;
    picture p = {.title = title, .count = 2};
    snprintf(title, sizeof title, "%s with %s, mode %s, boundary %s",
             j->options.correlate ? "Correlation" : "Convolution", without_folders(j->kernel.text),
             mode_names[j->options.mode], boundary_names[j->options.boundary]);
    p.arrays[0] = x;
    p.arrays[1] = y;
    p.titles[0] = without_folders(j->input.text);
    p.titles[1] = without_folders(j->output.text);
    picture_dims(j, x, &p.rows, &p.columns);
    return picture_write(&j->picture, &p, drawn);
}

/* Print the line of the report that says what the picture shows. */
static void print_picture(const job *j, const picture_result *drawn)
{
    printf("picture   %s: %s", j->picture.path, drawn->made.size);
    if (drawn->reduction[0] > 1 || drawn->reduction[1] > 1)
        printf(", a dot is the mean of %dx%d elements", (int)drawn->reduction[0], (int)drawn->reduction[1]);
    printf(", %s is %g to %g left, %g to %g right%s\n", j->picture.map ? "violet to yellow" : "black to white",
           drawn->low[0], drawn->high[0], drawn->low[1], drawn->high[1],
           j->input.ndim > 2 && !drawn->in_colour[0] ? "; the first plane only" : "");
}

/* Multiplications, and bytes of input and output. */
static void count_work(const job *j, const mnp_array *x, const mnp_array *y, double *taps, double *bytes)
{
    *taps = (double)mnp_layout_size(mnp_array_layout(y));
    *bytes = array_bytes(x) + array_bytes(y);
    for (int d = 0; d < j->kernel.ndim; d++)
        *taps *= (double)j->kernel.shape[d];
}

static void print_text(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *y, const double *seconds,
                       const mnp_rank_info *ranks, const picture_result *drawn)
{
    double taps, bytes;
    count_work(j, x, y, &taps, &bytes);
    printf("ran on    ");
    print_where(ctx, ranks);
    printf("input     %s: ", j->input.text);
    print_array(x);
    printf("kernel    %s: ", j->kernel.text);
    print_shape(j->kernel.ndim, j->kernel.shape);
    printf(" %s, %smode %s, boundary %s, by %s\n", mnp_dtype_name(j->kernel.dtype),
           j->options.correlate ? "correlated, " : "", mode_names[j->options.mode], boundary_names[j->options.boundary],
           method_names[j->method]);
    printf("output    %s: ", j->output.text);
    print_array(y);
    if (*drawn->made.size)
        print_picture(j, drawn);
    print_times(j->picture.path ? NUM_STAGES : PICTURE, stage_names, seconds);
    printf("speed     %.3g Gtap/s, %.3g GB/s of input and output, while convolving\n", taps / seconds[CONVOLVE] / 1e9,
           bytes / seconds[CONVOLVE] / 1e9);
}

static void print_json(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *y, const double *seconds,
                       const mnp_rank_info *ranks, const picture_result *drawn)
{
    double taps, bytes;
    json_writer out = json_start(stdout);
    count_work(j, x, y, &taps, &bytes);
    json_open(&out, NULL, '{');
    json_operand(&out, "input", j->input.text, x);
    json_row(&out, "kernel", '{');
    json_text(&out, "operand", j->kernel.text);
    json_integers(&out, "shape", j->kernel.ndim, j->kernel.shape);
    json_text(&out, "dtype", mnp_dtype_name(j->kernel.dtype));
    json_close(&out);
    json_text(&out, "mode", mode_names[j->options.mode]);
    json_text(&out, "boundary", boundary_names[j->options.boundary]);
    json_bool(&out, "correlate", j->options.correlate);
    json_text(&out, "method", method_names[j->method]);
    json_operand(&out, "output", j->output.text, y);
    if (*drawn->made.size)
        json_text(&out, "picture", j->picture.path);
    json_where(&out, ctx, ranks);
    json_times(&out, j->picture.path ? NUM_STAGES : PICTURE, stage_names, seconds);
    json_measured(&out, "taps", taps);
    json_measured(&out, "bytes", bytes);
    json_close(&out);
}

static void report(mnp_ctx *ctx, const job *j, const mnp_array *x, const mnp_array *y, const stopwatch *watch,
                   const picture_result *drawn)
{
    double slowest[MAX_STAGES];
    mnp_rank_info *ranks = NULL;
    stopwatch_slowest(watch, slowest);
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0 && j->json)
        print_json(ctx, j, x, y, slowest, ranks, drawn);
    else if (mnp_ctx_rank(ctx) == 0)
        print_text(ctx, j, x, y, slowest, ranks, drawn);
    free(ranks);
}

/* What was done slab by slab, on rank 0. */
static void report_streamed(mnp_ctx *ctx, const job *j, const conv_stream *stream, const mnp_rank_info *ranks,
                            const double *seconds)
{
    if (j->json) {
        json_writer out = json_start(stdout);
        json_open(&out, NULL, '{');
        json_text(&out, "input", j->input.text);
        json_text(&out, "kernel", j->kernel.text);
        json_text(&out, "output", j->output.text);
        json_text(&out, "method", method_names[stream->method]);
        json_integer(&out, "slabs", stream->slabs);
        json_integer(&out, "rows", stream->rows);
        json_where(&out, ctx, ranks);
        json_times(&out, WRITE, stage_names, seconds);
        json_close(&out);
        return;
    }
    char needed[BYTES_TEXT], limit[BYTES_TEXT];
    printf("ran on    ");
    print_where(ctx, ranks);
    printf("input     %s: ", j->input.text);
    print_shape(j->input.ndim, j->input.shape);
    printf(" %s\nkernel    %s: ", mnp_dtype_name(j->input.dtype), j->kernel.text);
    print_shape(j->kernel.ndim, j->kernel.shape);
    printf(" %s, mode %s, boundary %s, by %s\n", mnp_dtype_name(j->kernel.dtype), mode_names[j->options.mode],
           boundary_names[j->options.boundary], method_names[stream->method]);
    printf("output    %s\nstreamed  %d slab%s of %d rows, as all at once needs %s a rank, and the limit is %s\n",
           j->output.text, (int)stream->slabs, stream->slabs == 1 ? "" : "s", (int)stream->rows,
           bytes_text(stream->needed, needed), bytes_text(stream->limit, limit));
    print_times(WRITE, stage_names, seconds);
}

/* Let the kernels of the work be compiled side by side, while KERNEL is read. */
static void rehearse(mnp_ctx *ctx, const job *j)
{
    mnp_conv_plan *plan = NULL;
    mnp_ctx *rehearsal = rehearsal_begin(ctx);
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
static void run_streamed(mnp_ctx *ctx, job *j, conv_stream *stream)
{
    mnp_array *kernel = NULL;
    mnp_rank_info *ranks = NULL;
    stopwatch watch = stopwatch_start(ctx);
    double slowest[MAX_STAGES];
    if (j->picture.path)
        OR_EXIT(mnp_fail(MNP_ERR_ARG, "--picture needs all of INPUT in memory, whose limit it exceeds"));
    progress_begin(ctx, "conv", j->quiet);
    OR_EXIT(operand_load(ctx, &j->kernel, &kernel));
    stopwatch_lap(&watch, READ);
    progress_stage(0, NULL, "convolving slab by slab");
    OR_EXIT(conv_stream_run(ctx, &j->input, kernel, &j->output, &j->options, stream));
    stopwatch_lap(&watch, CONVOLVE);
    progress_end();
    stopwatch_slowest(&watch, slowest);
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0 && !j->quiet)
        report_streamed(ctx, j, stream, ranks, slowest);
    free(ranks);
    mnp_array_free(kernel);
}

/* What the plan would do, from rank 0. */
static void show_plan(mnp_ctx *ctx, const job *j, const mnp_conv_plan *plan)
{
    mnp_conv_plan_info info;
    mnp_rank_info *ranks = NULL;
    mnp_conv_plan_describe(plan, &info);
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0 && j->json) {
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
        json_where(&out, ctx, ranks);
        json_close(&out);
    } else {
        mnp_conv_plan_print(plan, stdout);
    }
    free(ranks);
}

/* Returns the exit status. */
static int run(mnp_ctx *ctx, job *j)
{
    int status = EXIT_SUCCESS;
    OR_EXIT(operand_inspect(ctx, &j->input));
    OR_EXIT(operand_inspect(ctx, &j->kernel));
    OR_EXIT(check_shapes(j));

    conv_stream stream;
    conv_stream_plan(ctx, &j->input, &j->kernel, &j->options, &stream);
    if (stream.slabs > 0 && !j->plan_only) {
        run_streamed(ctx, j, &stream);
        return status;
    }
    mnp_conv_plan *plan = NULL;
    mnp_array *x = NULL, *y = NULL;
    picture_result drawn = {.reduction = {1, 1}};
    stopwatch watch = stopwatch_start(ctx);
    progress_begin(ctx, "conv", j->quiet);
    rehearse(ctx, j);
    make_plan(ctx, j, &watch, &plan);
    if (j->plan_only) {
        progress_end();
        show_plan(ctx, j, plan);
        mnp_conv_plan_free(plan);
        return status;
    }
    progress_stage(shape_bytes(j->input.dtype, j->input.ndim, j->input.shape), "B", "reading INPUT");
    OR_EXIT(operand_load(ctx, &j->input, &x));
    stopwatch_lap(&watch, READ);
    progress_stage(array_bytes(x), "B", "convolving");
    OR_EXIT(mnp_conv_execute(plan, x, &y));
    stopwatch_lap(&watch, CONVOLVE);
    progress_stage(array_bytes(y), "B", "writing OUTPUT");
    OR_EXIT(operand_write(&j->output, y));
    stopwatch_lap(&watch, WRITE);
    if (j->picture.path) {
        progress_stage(0, NULL, "drawing");
        status = command_say(ctx, "", draw(ctx, j, x, y, &drawn));
        stopwatch_lap(&watch, PICTURE);
    }
    progress_end();
    if (!j->quiet)
        report(ctx, j, x, y, &watch, &drawn);
    mnp_conv_plan_free(plan);
    mnp_free_all(x, y);
    return status;
}

int conv_main(int argc, char **argv)
{
    job j = {.options.mode = MNP_CONV_SAME, /* what is usual for images */
             .picture = PICTURE_REQUEST_DEFAULTS};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    mnp_ctx *ctx = command_begin(NULL);
    bool root = mnp_ctx_rank(ctx) == 0;
    OR_EXIT(mnp_agree(ctx, root ? check_overwriting(&j) : MNP_OK));
    if (!j.plan_only)
        OR_EXIT(operand_check_output(ctx, &j.output));
    OR_EXIT(mnp_agree(ctx, root ? picture_check_place(&j.picture) : MNP_OK));
    const int drawn = run(ctx, &j), written = close_output(), status = drawn == EXIT_SUCCESS ? written : drawn;
    mnp_finalize(ctx);
    job_free(&j);
    return status;
}
