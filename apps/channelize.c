/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple channelize: read a signal or packed samples, divide it into channels by a polyphase filterbank, write them,
 * draw their power, and report how long it took.  What is larger than the memory limit goes through in slabs of frames.
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

enum {
    KEY_CHANNELS = UCHAR_MAX + 1,
    KEY_TAPS,
    KEY_WINDOW,
    KEY_STEP,
    KEY_TWO_SIDED,
    KEY_POWER,
    KEY_AXIS,
    KEY_BITS,
    KEY_ENCODING,
    KEY_ORDER
};

static const option_row options_table[] = {
    OUTPUT_ROW("INPUT"),
    {KEY_CHANNELS, "channels", "N", "number of channels, which is also that of points of the transforms"},
    {KEY_TAPS, "taps", "N", "taps of each channel's branch of the filter (default: 8)"},
    {KEY_WINDOW, "window", "NAME", "of the filter, such as hamming, hann or blackman (default: hamming)"},
    {KEY_STEP, "step", "N",
     "elements from a frame to the next, at most as many as channels;\n"
     "fewer: oversampled (default: as many as channels)"},
    {KEY_TWO_SIDED, "two-sided", NULL, "all channels of real numbers, not only those from frequency 0 on"},
    {KEY_POWER, "power", NULL, "write the squares of the magnitudes instead of complex numbers"},
    {KEY_AXIS, "axis", "N", "the dimension of time (default: -1, the last)"},
    {KEY_BITS, "bits", "N",
     "INPUT is bytes of packed samples of 1 to 16 bits, such as 8, 10 or\n"
     "12, one after the other without gaps"},
    {KEY_ENCODING, "encoding", "HOW",
     "of packed samples: signed, in two's complement; offset, less half\n"
     "of the range; or unsigned (default: signed)"},
    {KEY_ORDER, "bit-order", "HOW",
     "big: the highest bit of a byte, and of a sample, is the first;\n"
     "little: the lowest (default: big)"},
    PICTURE_OPTIONS("the power of the channels over time, in decibels"),
    PICTURE_MAP_OPTION,
    APPEND_ROW,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

void channelize_help(void)
{
    puts("Usage: maniple channelize INPUT -o OUTPUT --channels N [OPTION...]\n"
         "       mpirun -n RANKS maniple channelize INPUT -o OUTPUT --channels N [OPTION...]\n"
         "\n"
         "Divide INPUT, a real or complex signal, into channels of frequency by a polyphase filterbank.  The\n"
         "result has frames along the dimension of time, and the channels in one more, the last one.\n"
         "\n"
         "INPUT is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of one of them, such as 'FILE:/DATASET[1:, ::-2, 0]'.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple channelize radio.h5:/series -o channels.h5:/y --channels 8 --taps 4");
}

static const words_row words_table[] = {{"the input", "INPUT"}, {NULL, NULL}};

typedef struct bank {
    job job;                             /* first: see common/job.h */
    int64_t channels, ntaps, step, bits; /* 0: not given */
    const char *window, *encoding, *order;
    bool two_sided, power;
    int axis;
    double *taps;
    int64_t samples, frames; /* along the axis */
    int ndim;                /* of the result */
    int64_t shape[MNP_MAX_DIMS];
} bank;

static bank *of(job *j)
{
    return (bank *)j;
}

/* ---- the command line ---- */

static mnp_status parse_option(int key, job *base)
{
    bank *j = of(base);
    static const char *const encodings[] = {"signed", "offset", "unsigned", NULL}, *const orders[] = {"big", "little",
                                                                                                      NULL};
    double two[2];
    switch (key) {
    case KEY_CHANNELS:
        return options_count("channels", optarg, 1, 1 << 30, &j->channels);
    case KEY_TAPS:
        return options_count("taps", optarg, 1, 1 << 20, &j->ntaps);
    case KEY_WINDOW:
        j->window = optarg;
        return mnp_window(optarg, 0, NULL, 2, true, two);
    case KEY_STEP:
        return options_count("step", optarg, 1, 1 << 30, &j->step);
    case KEY_TWO_SIDED:
        j->two_sided = true;
        return MNP_OK;
    case KEY_POWER:
        j->power = true;
        return MNP_OK;
    case KEY_AXIS:
        return options_axis("axis", optarg, &j->axis);
    case KEY_BITS:
        return options_count("bits", optarg, 1, 16, &j->bits);
    case KEY_ENCODING:
        return options_word("encoding", optarg, encodings, &j->encoding);
    case KEY_ORDER:
        return options_word("bit-order", optarg, orders, &j->order);
    default:
        return result_option(key, &base->result);
    }
}

static mnp_status check_options(job *base)
{
    bank *j = of(base);
    if (j->channels == 0)
        return mnp_fail(MNP_ERR_ARG, "channelize needs --channels N, the number of channels");
    j->step = j->step == 0 ? j->channels : j->step;
    if (j->step > j->channels)
        return mnp_fail(MNP_ERR_ARG, "--step is %lld, and must be at most the number of channels, which is %lld",
                        (long long)j->step, (long long)j->channels);
    if (j->bits == 0 && (j->encoding || j->order))
        return mnp_fail(MNP_ERR_ARG, "--%s is for packed samples: say how many bits they have, by --bits",
                        j->encoding ? "encoding" : "bit-order");
    return MNP_OK;
}

/* ---- sizes ---- */

static bool is_complex(const bank *j)
{
    return mnp_dtype_kind(j->job.input.dtype) == 'c';
}

/* Settle the axis and the sizes.  MNP_ERR_ARG. */
static mnp_status find_sizes(bank *j)
{
    const operand *in = &j->job.input;
    if (in->ndim == 0 || in->ndim == MNP_MAX_DIMS)
        return mnp_fail(MNP_ERR_ARG, "INPUT '%s' has %d dimensions; 1 to %d are possible", in->text, in->ndim,
                        MNP_MAX_DIMS - 1);
    const mnp_status status = operand_axes(in, "axis", 1, &j->axis);
    if (status != MNP_OK)
        return status;
    if (j->bits > 0 && in->dtype != MNP_UINT8)
        return mnp_fail(MNP_ERR_ARG, "--bits is for bytes, uint8, and INPUT '%s' is %s", in->text,
                        mnp_dtype_name(in->dtype));
    j->samples = j->bits > 0 ? in->shape[j->axis] * 8 / j->bits : in->shape[j->axis];
    const int64_t length = j->channels * j->ntaps;
    if (j->samples < length)
        return mnp_fail(MNP_ERR_ARG,
                        "INPUT '%s' has %lld samples along dimension %d, fewer than the %lld taps of a frame", in->text,
                        (long long)j->samples, j->axis, (long long)length);
    j->frames = (j->samples - length) / j->step + 1;
    j->ndim = in->ndim + 1;
    memcpy(j->shape, in->shape, (size_t)in->ndim * sizeof *j->shape);
    j->shape[j->axis] = j->frames;
    j->shape[j->ndim - 1] = j->two_sided || is_complex(j) ? j->channels : j->channels / 2 + 1;
    return MNP_OK;
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/*
 * Whether it has to be streamed, and the frames of a slab.  Slabs begin at elements that are multiples of the number of
 * channels, from which phases count, and of packed samples at the first bit of a byte.
 */
static void plan_slabs(bank *j)
{
    const int64_t bits = j->bits > 0 ? j->bits : 8;
    int64_t frame = 3 * 16 * j->channels + j->step * 16; /* folded, transformed and copied; samples and their bytes */
    for (int d = 0; d < j->job.input.ndim; d++)
        frame *= d == j->axis ? 1 : j->job.input.shape[d];
    const int64_t phase = j->channels / divisor(j->step, j->channels), byte = 8 / divisor(j->step * bits, 8);
    if (j->axis == 0)
        stream_plan(&j->job, &(stream_size){.rows = j->frames,
                                            .row = frame,
                                            .margin = j->ntaps * j->channels / j->step,
                                            .unit = phase / divisor(phase, byte) * byte});
}

static mnp_status prepare(job *base)
{
    const mnp_status status = find_sizes(of(base));
    if (status == MNP_OK)
        plan_slabs(of(base));
    return status;
}

/* ---- the work ---- */

static mnp_status design(bank *j)
{
    const int64_t count = j->channels * j->ntaps;
    const double cutoff = 1 / (double)j->channels;
    if (j->channels == 1)
        return MNP_OK; /* the library's own */
    j->taps = malloc((size_t)count * sizeof *j->taps);
    if (!j->taps)
        return mnp_fail(MNP_ERR_MEMORY, "there is no memory for %lld taps", (long long)count);
    return mnp_firwin(count, 1, &cutoff, j->window, 0, NULL, true, true, 0, j->taps);
}

static mnp_status begin(job *base)
{
    return mnp_agree(base->ctx, design(of(base)));
}

/* The samples that are read, unpacked if they are packed. */
static mnp_status unpack(const bank *j, mnp_array **x_p)
{
    mnp_array *packed = *x_p, *x = NULL;
    if (j->bits == 0)
        return MNP_OK;
    const mnp_status status = mnp_unpack_samples(packed, (int)j->bits, j->encoding, j->order, j->axis, &x);
    if (status == MNP_OK) {
        mnp_array_free(packed);
        *x_p = x;
    }
    return status;
}

static mnp_status channelize(const bank *j, const mnp_array *x, mnp_array **y_p)
{
    mnp_array *y = NULL;
    mnp_status status = mnp_channelize(x, j->channels, j->ntaps, j->taps, j->step, j->two_sided, j->axis, &y);
    if (status == MNP_OK && j->power) {
        status = mnp_abs2(y, y_p);
        mnp_array_free(y);
    } else if (status == MNP_OK) {
        *y_p = y;
    }
    return status;
}

/* The rest of the last byte of packed samples may give more frames, which are beyond the slab's rows. */
static void needs(const job *base, stream_slab *slab)
{
    const bank *j = (const bank *)base;
    const int64_t bits = j->bits > 0 ? j->bits : 8, first = slab->begin * j->step,
                  last = (slab->end - 1) * j->step + j->channels * j->ntaps;
    slab->from = j->bits > 0 ? first * bits / 8 : first;
    slab->to = j->bits > 0 ? (last * bits + 7) / 8 : last;
}

static mnp_status compute(job *base)
{
    mnp_status status = unpack(of(base), &base->x);
    return status == MNP_OK ? channelize(of(base), base->x, &base->y) : status;
}

/*
 * Draw the power in decibels: time to the right, channels upwards, in the order of their frequencies.  What is below
 * the rounding errors of the largest is drawn as that.  Collective.
 */
static mnp_status draw(job *base)
{
    static const int last = -1;
    const bank *j = of(base);
    char title[256];
    mnp_array *z = NULL, *turned = NULL, *upright = NULL;
    const mnp_dtype dtype = mnp_array_dtype(base->y);
    const double least = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64 ? 0x1p-46 : 0x1p-104;
    mnp_status status =
        mnp_eval(base->ctx, j->power ? "p = abs(y)" : "p = abs(y)**2", MNP_IN("y", base->y), MNP_OUT("p", &z));
    if (status == MNP_OK)
        status = mnp_eval(base->ctx, "z = 10 * log10(maximum(p, max(p) * e))",
                          MNP_IN("p", z, "e", MNP_SCALAR(base->ctx, least)), MNP_OUT("z", &z));
    if (status == MNP_OK && (j->two_sided || is_complex(j)))
        status = mnp_fftshift(z, 1, &last, &z);
    if (status == MNP_OK)
        status = mnp_swapaxes(z, j->axis, j->ndim - 1, &turned);
    snprintf(title, sizeof title, "Channels of %s, power in dB", without_folders(base->input.text));
    if (status == MNP_OK)
        status = mnp_flip(turned, 1, &j->axis, &upright);
    if (status == MNP_OK)
        status = array_write(&base->result.picture, title, upright, j->axis, j->ndim - 1, base->drawn);
    mnp_free_all(upright, turned, z);
    return status;
}

/* ---- reports ---- */

/* The dtype of the result: single precision for small numbers, as <maniple/spectral.h> says. */
static mnp_dtype result_dtype(const bank *j)
{
    const mnp_dtype dtype = j->job.input.dtype;
    const bool single = mnp_dtype_size(dtype) <= 2 || dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
    return j->power ? (single ? MNP_FLOAT32 : MNP_FLOAT64) : (single ? MNP_COMPLEX64 : MNP_COMPLEX128);
}

static void print_text(const void *run, const run_facts *facts)
{
    const bank *j = run;
    (void)facts;
    printf("input     %s: ", j->job.input.text);
    print_shape(j->job.input.ndim, j->job.input.shape);
    printf(" %s", mnp_dtype_name(j->job.input.dtype));
    if (j->bits > 0)
        printf(", %lld samples of %lld bits", (long long)j->samples, (long long)j->bits);
    printf("\nchannels  %lld, %lld frames of %lld x %lld taps, a step of %lld, window %s\n", (long long)j->channels,
           (long long)j->frames, (long long)j->ntaps, (long long)j->channels, (long long)j->step, j->window);
    if (j->job.streams)
        return;
    printf("output    %s: ", j->job.result.output.text ? j->job.result.output.text : "(none)");
    print_shape(j->ndim, j->shape);
    printf(" %s\n", mnp_dtype_name(result_dtype(j)));
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const bank *j = run;
    (void)facts;
    json_text(out, "input", j->job.input.text);
    json_text(out, "output", j->job.result.output.text);
    json_integers(out, "shape", j->ndim, j->shape);
    json_text(out, "dtype", mnp_dtype_name(result_dtype(j)));
    json_integer(out, "channels", j->channels);
    json_integer(out, "taps", j->ntaps);
    json_integer(out, "step", j->step);
    json_text(out, "window", j->window);
    json_integer(out, "samples", j->samples);
}

static void release(job *base)
{
    free(of(base)->taps);
}

static const job_kind kind = {
    .command = "channelize",
    .usage = "maniple channelize INPUT -o OUTPUT",
    .input = "INPUT",
    .stage = "channelize",
    .progress = "channelizing",
    .options = options_table,
    .words = words_table,
    .draws_alone = true,
    .option = parse_option,
    .check = check_options,
    .prepare = prepare,
    .begin = begin,
    .compute = compute,
    .needs = needs,
    .draw = draw,
    .text = print_text,
    .json = print_json,
    .release = release,
};

int channelize_main(int argc, char **argv)
{
    bank j = {.job = JOB_START(&kind), .axis = -1, .ntaps = 8, .window = "hamming"};
    return job_main(&j.job, argc, argv);
}
