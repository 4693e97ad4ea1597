/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model of the time that a convolution takes.
 *
 * A method does so many products of a tap and an element, moves so many bytes to and from memory, and is launched so
 * many times; each has a rate.  Ranks have equal parts of the array, so the largest block counts.
 */
#include "signal/method.h"

#include <math.h>

#include "signal/blocks.h"

/*
 * The rates of a device, of a core of the host.  Products are those of float32; of float64 there are half as many, of
 * complex types a quarter, and of 64-bit integers a sixth.
 *
 * GPU: the rates of sums and passes are as measured on an H200 (docs/performance.md, convolution).  The rate of the
 * bytes of transforms was fitted to three measurements there, blocks of 31 x 31 and 129 x 129 taps over 4096 x 4096
 * outputs and of 257 x 257 over 32768 x 32768, float32, which the model meets within 30 %, and that of windows in pairs
 * to the same three, which it meets within 5 %, and 31 x 31 in float64 within 25 %; their operations, and the links
 * between GPUs, are estimates.  Several outer products take their number times the rate of passes there, and the bytes
 * of passes that are not fused, an estimate too.
 *
 * Host: on cores with AVX-512.  Fitted to filters of rank 1 to 8, of 5 x 5 to 127 x 127 taps, over 2000 x 2000 to 4096
 * x 4096 outputs on one and two ranks: direct and separable sums take 0.7 to 0.95 of what the model says, transforms
 * 0.5 to 1.1.
 *
 * They choose a method on the device at hand, by their ratios.  apps/plan/machine.c predicts times of all commands,
 * also on machines that are not at hand, and has rates of its own: what is measured anew of direct sums on GPUs belongs
 * in both.
 */
typedef struct rates {
    double products, bytes;   /* of direct sums: a second */
    double pass;              /* products of a filter along one axis: a second */
    double operations;        /* of transforms in float32; half as many in float64 */
    double transformed_bytes; /* read and written in transforms: a second */
    double paired_bytes;      /* the same of windows in pairs */
    double once;              /* longest lines that a transform reads and writes once; longer ones twice */
    double link;              /* bytes between ranks: a second */
    double launch;            /* seconds */
} rates;

static const rates gpu = {2.4e13, 2.2e12, 1.2e13, 2e13, 1.4e12, 4.8e12, 2048, 1.5e11, 5e-6};
static const rates host = {9e10, 8e9, 4.5e10, 2e10, 2.6e10, 2.6e10, INFINITY, 2e9, 2e-5};

/* Methods other than direct must promise to be faster by this factor, as their errors are larger. */
static const double margin = 1.25;

/* How much slower than in float32 products are. */
static double slowness(mnp_dtype sum)
{
    switch (sum) {
    case MNP_FLOAT32:
        return 1;
    case MNP_FLOAT64:
        return 2;
    case MNP_COMPLEX64:
        return 4;
    case MNP_COMPLEX128:
        return 8;
    default:
        return 6;
    }
}

/* What the model needs of a problem: on the largest block. */
typedef struct problem {
    double outputs, taps, axis_taps; /* axis_taps: of all axes together */
    int axes;                        /* that have several taps */
    double in, out, sum;             /* bytes of an element */
    mnp_dtype sum_dtype;
    bool several_ranks;
} problem;

/* How many elements two transforms of lines of so many points read and write for each element. */
static double passes_of(const rates *r, double points)
{
    return 2 * 2 * (points > r->once ? 2 : 1);
}

/* The operations of two transforms of so many elements, of windows of `points`, in units of those in float32. */
static double operations(const problem *p, double elements, double points)
{
    const bool is_complex = mnp_dtype_kind(p->sum_dtype) == 'c';
    const double wide = is_complex ? p->sum / 2 : p->sum; /* of a real number */
    return 2 * (is_complex ? 5 : 2.5) * elements * log2(points < 2 ? 2 : points) * (wide > 4 ? 2 : 1);
}

/* The time of two transforms and a product of so many elements, of windows of `points`, in so many passes. */
static double transforms(const rates *r, const problem *p, double elements, double points, double passes)
{
    const double bytes = (passes + 2 + 2) * p->sum + p->in + p->out; /* with the product, loading and storing */
    return operations(p, elements, points) / r->operations + elements * bytes / r->transformed_bytes;
}

/* The same of windows in pairs: planes are read or written seven times, lines twice. */
static double paired(const rates *r, const problem *p, double elements, double points, bool planes)
{
    const double bytes = planes ? 5 * p->sum : 0;
    return operations(p, elements, points) / r->operations + elements * (bytes + p->in + p->out) / r->paired_bytes +
           3 * r->launch;
}

static double time_of_blocks(const mnp_ctx *ctx, const rates *r, const problem *p, const mnp__conv_geometry *geometry,
                             bool whole)
{
    mnp__blocks_shape shape;
    double blocks = 1, window = 1, points = 1, passes = 0;
    mnp__blocks_choose(ctx, geometry, whole, &shape);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j];
        const double n =
            d < 0 ? 1 : ceil((double)geometry->output->shape[d] / (double)mnp_layout_parts(geometry->output, d));
        blocks *= ceil(n / (double)shape.step[j]);
        window *= (double)shape.window[j];
        points *= shape.transformed[j] ? (double)shape.window[j] : 1;
        passes += shape.transformed[j] ? passes_of(r, (double)shape.window[j]) : 0;
    }
    if (shape.paired)
        return paired(r, p, blocks * window, points, shape.transformed[2]);
    return transforms(r, p, blocks * window, points, passes) + 8 * r->launch;
}

/* Over all ranks: the whole padded array, which moves to its layout, in both transforms, and back. */
static double time_of_whole(const mnp_ctx *ctx, const rates *r, const problem *p, const mnp__conv_geometry *geometry)
{
    double elements = 1, points = 1, parts = 1, passes = 0;
    if (!p->several_ranks)
        return time_of_blocks(ctx, r, p, geometry, true);
    for (int d = 0; d < geometry->ndim; d++) {
        const bool filters = geometry->taps[d] > 1;
        const double n = (double)(filters ? mnp__whole_length(geometry, d) : geometry->output->shape[d]);
        elements *= n;
        points *= filters ? n : 1;
        passes += filters ? passes_of(r, n) : 0;
        parts *= (double)mnp_layout_parts(geometry->output, d);
    }
    elements /= parts;
    return transforms(r, p, elements, points, passes) + elements * 4 * p->sum / r->link + 20 * r->launch;
}

void mnp__conv_estimate(const mnp_ctx *ctx, const mnp__conv_geometry *geometry, mnp_dtype input, mnp_dtype output,
                        mnp_dtype sum, int rank, double seconds[MNP_NUM_CONV_METHODS])
{
    const rates *r = ctx->device->block_memory > 0 ? &gpu : &host;
    const double slow = slowness(sum);
    problem p = {.outputs = 1,
                 .taps = 1,
                 .in = (double)mnp_dtype_size(input),
                 .out = (double)mnp_dtype_size(output),
                 .sum = (double)mnp_dtype_size(sum),
                 .sum_dtype = sum,
                 .several_ranks = ctx->comm.size > 1};
    for (int d = 0; d < geometry->ndim; d++) {
        const double n = (double)geometry->output->shape[d] / (double)mnp_layout_parts(geometry->output, d);
        p.outputs *= ceil(n);
        p.taps *= (double)geometry->taps[d];
        p.axis_taps += geometry->taps[d] > 1 ? (double)geometry->taps[d] : 0;
        p.axes += geometry->taps[d] > 1;
    }
    const double between = p.axes > 1 ? 2 * (p.axes - 1) * p.sum : 0;
    seconds[MNP_CONV_AUTO] = 0;
    seconds[MNP_CONV_TRANSFORMS] = -1;
    seconds[MNP_CONV_DIRECT] = p.outputs * (p.taps * slow / r->products + (p.in + p.out) / r->bytes) + r->launch;
    seconds[MNP_CONV_SEPARABLE] =
        p.outputs * (rank * p.axis_taps * slow / r->pass + (rank * (p.in + between) + p.out) / r->bytes) +
        (rank * (p.axes - 1) + 1) * r->launch;
    seconds[MNP_CONV_FFT] = time_of_whole(ctx, r, &p, geometry);
    seconds[MNP_CONV_OVERLAP_ADD] = time_of_blocks(ctx, r, &p, geometry, false);
}

mnp_conv_method mnp__conv_fastest(const double seconds[MNP_NUM_CONV_METHODS])
{
    mnp_conv_method best = MNP_CONV_DIRECT;
    double least = seconds[MNP_CONV_DIRECT] / margin;
    for (int m = MNP_CONV_SEPARABLE; m < MNP_NUM_CONV_METHODS; m++) {
        if (seconds[m] >= 0 && seconds[m] < least) {
            best = (mnp_conv_method)m;
            least = seconds[m];
        }
    }
    return best;
}

const char *mnp__conv_method_name(mnp_conv_method method)
{
#define NAME(name, word, purpose) [name] = word,
    static const char *const names[] = {MNP_CONV_METHODS(NAME)};
#undef NAME
    return names[method];
}
