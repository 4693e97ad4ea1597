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
#include "common/job.h"
#include "common/paths.h"
#include "picture/picture.h"

enum { KEY_INVERSE = UCHAR_MAX + 1, KEY_REAL, KEY_AXES, KEY_POINTS, KEY_NORM, KEY_SHIFT, KEY_DTYPE };

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
    PLAN_ROWS,
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

/* What a plan does: of all ranks together; and of the rank that sends, or needs, most. */
typedef struct totals {
    int64_t moved, messages;
    int64_t sent, memory, receivers;
} totals;

typedef struct transform {
    job job; /* first: see common/job.h */
    bool inverse, real, shift;
    int naxes, npoints, axes[MNP_MAX_DIMS]; /* as given; 0: all */
    int64_t points[MNP_MAX_DIMS];
    const char *norm;
    mnp_dtype dtype;             /* MNP_DTYPE_AUTO: by the input's */
    mnp_fft_plan *planned;       /* with --plan, for the ranks that there are */
    mnp_fft_plan_info plan_info; /* the same */
    totals totals;
} transform;

static transform *of(job *j)
{
    return (transform *)j;
}

/* ---- the command line ---- */

static mnp_status parse_points(const char *list, transform *j)
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

static mnp_status parse_norm(const char *word, transform *j)
{
    static const char *const norms[] = {"backward", "forward", "ortho", NULL};
    int index = 0;
    const mnp_status status = options_choose("norm", word, norms, &index);
    j->norm = norms[index];
    return status;
}

static mnp_status parse_option(int key, job *base)
{
    transform *j = of(base);
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
    default:
        return result_option(key, &base->result);
    }
}

static mnp_status check_dtype(const transform *j)
{
    const bool to_real = j->real && j->inverse;
    const mnp_dtype single = to_real ? MNP_FLOAT32 : MNP_COMPLEX64, wide = to_real ? MNP_FLOAT64 : MNP_COMPLEX128;
    if (j->dtype == MNP_DTYPE_AUTO || j->dtype == single || j->dtype == wide)
        return MNP_OK;
    return mnp_fail(MNP_ERR_ARG, "--dtype is %s; the result can be %s or %s", mnp_dtype_name(j->dtype),
                    mnp_dtype_name(single), mnp_dtype_name(wide));
}

static mnp_status check_options(job *base)
{
    const transform *j = of(base);
    if (j->npoints > 0 && j->naxes > 0 && j->npoints != j->naxes)
        return mnp_fail(MNP_ERR_ARG, "--s has %d number%s, and --axes has %d", j->npoints, plural(j->npoints),
                        j->naxes);
    return check_dtype(j);
}

/* Settle which axes are transformed; those of --s without --axes are the last ones. */
static mnp_status find_axes(job *base)
{
    transform *j = of(base);
    const operand *input = &base->input;
    const int ndim = input->ndim, count = j->naxes > 0 ? j->naxes : j->npoints > 0 ? j->npoints : ndim;
    if (ndim == 0)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no dimensions to transform along", input->text);
    if (count > ndim)
        return mnp_fail(MNP_ERR_ARG, "--%s has %d number%s, but INPUT '%s' has %d dimension%s",
                        j->naxes > 0 ? "axes" : "s", count, plural(count), input->text, ndim, plural(ndim));
    for (int i = 0; i < count && j->naxes == 0; i++)
        j->axes[i] = ndim - count + i;
    j->naxes = count;
    const mnp_status status = operand_axes(input, "axes", count, j->axes);
    if (status != MNP_OK)
        return status;
    if (j->real && !j->inverse && mnp_dtype_kind(input->dtype) == 'c')
        return mnp_fail(MNP_ERR_ARG, "--real is for real numbers, and INPUT '%s' is %s", input->text,
                        mnp_dtype_name(input->dtype));
    return MNP_OK;
}

/* ---- the work ---- */

static const int64_t *points(const transform *j)
{
    return j->npoints > 0 ? j->points : NULL;
}

/* The type in which INPUT is transformed: what was asked for, and otherwise its own. */
static mnp_dtype input_dtype(const transform *j)
{
    const bool is_complex = mnp_dtype_kind(j->job.input.dtype) == 'c';
    if (j->dtype == MNP_COMPLEX64 || j->dtype == MNP_FLOAT32)
        return is_complex ? MNP_COMPLEX64 : MNP_FLOAT32;
    if (j->dtype == MNP_COMPLEX128 || j->dtype == MNP_FLOAT64)
        return is_complex ? MNP_COMPLEX128 : MNP_FLOAT64;
    return j->job.input.dtype;
}

/* The axes along which all frequencies are there, which come first in j->axes. */
static int whole_axes(const transform *j)
{
    return j->real ? j->naxes - 1 : j->naxes;
}

static mnp_status read_input(job *base)
{
    const transform *j = of(base);
    mnp_array *read = NULL, *cast = NULL;
    mnp_status status = operand_load(base->ctx, &base->input, &read);
    if (status == MNP_OK && input_dtype(j) != base->input.dtype) {
        status = mnp_astype(read, input_dtype(j), &cast);
        mnp_array_free(read);
        read = cast;
    }
    if (status == MNP_OK && j->shift && j->inverse && whole_axes(j) > 0)
        status = mnp_ifftshift(read, whole_axes(j), j->axes, &read);
    base->x = read;
    return status;
}

static mnp_status compute(job *base)
{
    const transform *j = of(base);
    mnp_status (*const function)(const mnp_array *, int, const int64_t *, const int *, const char *, mnp_array **) =
        j->real ? (j->inverse ? mnp_irfftn : mnp_rfftn) : (j->inverse ? mnp_ifftn : mnp_fftn);
    return function(base->x, j->naxes, points(j), j->axes, j->norm, &base->y);
}

/* Write the result, with frequency 0 in the middle if that is asked for. */
static mnp_status write_result(job *base)
{
    const transform *j = of(base);
    mnp_array *shifted = NULL;
    mnp_status status = MNP_OK;
    if (j->shift && !j->inverse && whole_axes(j) > 0)
        status = mnp_fftshift(base->y, whole_axes(j), j->axes, &shifted);
    if (status == MNP_OK)
        status = operand_write(&base->result.output, shifted ? shifted : base->y);
    mnp_array_free(shifted);
    return status;
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
static void shown_dims(const transform *j, const mnp_array *y, int *rows, int *columns)
{
    picture_usual_dims(y, rows, columns);
    if (j->naxes < 2 || j->naxes == mnp_array_ndim(y))
        return;
    const int a = j->axes[j->naxes - 2], b = j->axes[j->naxes - 1];
    *rows = a < b ? a : b;
    *columns = a < b ? b : a;
}

/* What is drawn: the result of an inverse transform; of a spectrum the logarithms, frequency 0 in the middle. */
static mnp_status picture_of(const transform *j, const mnp_array *y, int rows, int columns, mnp_array **z_p)
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
static mnp_status draw(job *base)
{
    const transform *j = of(base);
    char title[256];
    int rows = -1, columns = -1;
    mnp_array *z = NULL;
    snprintf(title, sizeof title, "%s of %s", j->inverse ? "Inverse transform" : "Spectrum (log10)",
             without_folders(base->input.text));
    if (mnp_array_ndim(base->y) > 1)
        shown_dims(j, base->y, &rows, &columns);
    mnp_status status = picture_of(j, base->y, rows, columns, &z);
    if (status == MNP_OK)
        status = array_write(&base->result.picture, title, z, rows, columns, base->drawn);
    mnp_array_free(z);
    return status;
}

/* ---- reports ---- */

/* Operations as they are usually counted, 5 n log2(n) for n points, half of it for real ones; a convention. */
static double operations(const transform *j)
{
    double lines = 1, n = 1;
    for (int d = 0; d < j->job.input.ndim; d++)
        lines *= (double)j->job.input.shape[d];
    for (int i = 0; i < j->naxes; i++) {
        const int64_t own = j->job.input.shape[j->axes[i]];
        const bool to_real = j->real && j->inverse && i == j->naxes - 1;
        n *= (double)(j->npoints > 0 ? j->points[i] : to_real ? 2 * (own - 1) : own);
        lines /= (double)(own > 0 ? own : 1);
    }
    return lines * (j->real ? 2.5 : 5) * n * log2(n);
}

static void print_kind(const transform *j)
{
    printf("transform %s%s%s along", j->inverse ? "inverse" : "forward", j->real ? ", real" : "",
           j->shift ? ", frequency 0 in the middle," : "");
    for (int i = 0; i < j->naxes; i++)
        printf("%s %d", i ? "," : "", j->axes[i]);
    printf(", norm %s\n", j->norm);
}

static void json_kind(json_writer *out, const transform *j)
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
    const transform *j = run;
    (void)facts;
    printf("input     %s: ", j->job.input.text);
    print_array(j->job.x);
    print_kind(j);
    printf("output    %s: ", j->job.result.output.text ? j->job.result.output.text : "(none)");
    print_array(j->job.y);
}

static void print_speed(const void *run, const run_facts *facts)
{
    const transform *j = run;
    printf("speed     %.3g GFLOP/s, of 5 n log2(n) for n points%s, while transforming\n",
           operations(j) / facts->seconds[JOB_COMPUTE] / 1e9, j->real ? " and half of it for real ones" : "");
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const transform *j = run;
    (void)facts;
    json_operand(out, "input", j->job.input.text, j->job.x);
    json_kind(out, j);
    json_operand(out, "output", j->job.result.output.text, j->job.y);
}

static void json_speed(const void *run, const run_facts *facts, json_writer *out)
{
    (void)facts;
    json_measured(out, "operations", operations(run));
}

/* ---- the plan ---- */

static totals add_up(mnp_ctx *ctx, const mnp_fft_plan_info *info)
{
    long long sums[] = {info->node_bytes + info->far_bytes, info->messages},
              most[] = {info->node_bytes + info->far_bytes, info->workspace + info->scratch + info->buffers,
                        info->receivers};
    all_reduce(ctx, sums, 2, MPI_LONG_LONG, MPI_SUM);
    all_reduce(ctx, most, 3, MPI_LONG_LONG, MPI_MAX);
    return (totals){.moved = sums[0], .messages = sums[1], .sent = most[0], .memory = most[1], .receivers = most[2]};
}

static void plan_text(const void *run)
{
    char moved[BYTES_TEXT], memory[BYTES_TEXT];
    const transform *j = run;
    const totals *t = &j->totals;
    print_operand("input", &j->job.input);
    print_kind(j);
    printf("work      %.4g GFLOP, of 5 n log2(n) for n points%s\n", operations(j) / 1e9,
           j->real ? " and half of it for real ones" : "");
    if (!j->planned)
        return;
    fflush(stdout);
    mnp_fft_plan_print(j->planned, stdout);
    printf("moved     %s between ranks, %lld message%s, by the library's plan\n", bytes_text(t->moved, moved),
           (long long)t->messages, plural(t->messages));
    printf("takes     %s beside input and output, on the rank that needs most\n", bytes_text(t->memory, memory));
}

static void plan_json(const void *run, json_writer *out)
{
    const transform *j = run;
    json_input(out, "input", &j->job.input);
    json_kind(out, j);
    json_measured(out, "operations", operations(j));
    if (!j->planned)
        return;
    json_text(out, "method", j->plan_info.method);
    json_integer(out, "transforms", j->plan_info.transforms);
    json_integer(out, "moves", j->plan_info.moves);
    json_integer(out, "moved_bytes", j->totals.moved);
    json_integer(out, "messages", j->totals.messages);
    json_integer(out, "memory_bytes", j->totals.memory);
}

/* The library's own plan, which tells exactly what moves, where it is for the ranks that there are. */
static mnp_status plan_here(transform *j)
{
    mnp_ctx *ctx = j->job.ctx;
    mnp_layout *layout = NULL;
    const mnp_fft_options options = {
        .real = j->real, .inverse = j->inverse, .naxes = j->naxes, .axes = j->axes, .s = points(j), .norm = j->norm};
    mnp_status status = mnp_layout_block(mnp_ctx_size(ctx), j->job.input.ndim, j->job.input.shape, &layout);
    if (status == MNP_OK)
        status = mnp_fft_plan_new(ctx, input_dtype(j), layout, &options, &j->planned);
    mnp_layout_free(layout);
    if (status == MNP_OK) {
        mnp_fft_plan_describe(j->planned, &j->plan_info);
        j->totals = add_up(ctx, &j->plan_info);
    }
    return status;
}

/* Bytes of a complex number of the transform. */
static double complex_bytes(const transform *j)
{
    const mnp_dtype dtype = input_dtype(j);
    return dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64 || mnp_dtype_size(dtype) < 4 ? 8 : 16;
}

/*
 * Every axis is a pass over memory.  Axes that ranks are cut along need a move to another layout, in which every rank
 * sends to all others what is not its own, and one back.  GPUs of one host move a slab while they transform the next,
 * which hides what a move reads and writes.
 */
static mnp_status make_plan(job *base, plan *p)
{
    transform *j = of(base);
    int parts[MNP_MAX_DIMS], cut = 0;
    mnp_status status = p->as_started ? plan_here(j) : MNP_OK;
    if (status == MNP_ERR_MEMORY || status == MNP_ERR_DEVICE || status == MNP_ERR_UNSUPPORTED) {
        plan_note(p, "the library's own plan cannot be made here: %s", words_message());
        status = MNP_OK;
    }
    const double block = plan_block(p, base->input.ndim, base->input.shape, parts),
                 bytes = block * complex_bytes(j) / (j->real ? 2 : 1);
    for (int i = 0; i < j->naxes; i++)
        cut += parts[j->axes[i]] > 1;
    plan_by(p, "%s",
            cut == 0 ? "every rank by itself"
                     : "transforms where the data lies, a move to another layout, transforms, a move back");
    plan_keep(p, "input", block * (double)mnp_dtype_size(base->input.dtype));
    const bool cast = !j->real && mnp_dtype_kind(base->input.dtype) != 'c';
    plan_keep(p, "input as complex numbers", cast ? bytes : 0);
    plan_keep(p, "output", bytes);
    const double work = j->planned ? (double)j->totals.memory : cut > 0 ? 2 * bytes : bytes;
    plan_keep(p, "work", work);
    plan_add(p, (plan_step){.what = "transform",
                            .operations = operations(j) / p->ranks,
                            .work = j->real ? WORK_REAL : WORK_TRANSFORMS,
                            .dtype = complex_bytes(j) > 8 ? MNP_COMPLEX128 : MNP_COMPLEX64,
                            .bytes = 2 * j->naxes * bytes,
                            .fresh = bytes + work + (cast ? bytes : 0),
                            .launches = j->naxes});
    const int moves = j->planned ? j->plan_info.moves : cut > 0 ? 2 : 0;
    for (int m = 0; m < moves; m++) {
        plan_step move = {.what = m == 0 ? "move to another layout" : "move back",
                          .bytes = p->machine->gpu && p->hosts == 1 ? 0 : 2 * bytes,
                          .launches = 1};
        plan_spread(p, &move, j->planned ? (double)j->totals.sent / moves : bytes * (p->ranks - 1) / p->ranks);
        if (j->planned)
            move.messages = (double)j->totals.receivers / moves;
        plan_add(p, move);
    }
    if (j->npoints > 0)
        plan_note(p, "--s changes the extents; memory and moves are those of INPUT's own");
    p->run = j;
    p->text = plan_text;
    p->json = plan_json;
    return status;
}

static void release(job *base)
{
    mnp_fft_plan_free(of(base)->planned);
}

static const job_kind kind = {
    .command = "fft",
    .usage = "maniple fft INPUT -o OUTPUT",
    .input = "INPUT",
    .stage = "transform",
    .progress = "transforming",
    .options = options_table,
    .words = words_table,
    .draws_alone = true,
    .option = parse_option,
    .check = check_options,
    .prepare = find_axes,
    .plan = make_plan,
    .load = read_input,
    .compute = compute,
    .write = write_result,
    .draw = draw,
    .text = print_text,
    .json = print_json,
    .text_end = print_speed,
    .json_end = json_speed,
    .release = release,
};

int fft_main(int argc, char **argv)
{
    transform j = {.job = JOB_START(&kind), .norm = "backward"};
    return job_main(&j.job, argc, argv);
}
