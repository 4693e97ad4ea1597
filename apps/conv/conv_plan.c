/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple conv --plan: what ranks exchange by each method, what they keep, and what they compute.  The method is the
 * one that the library takes on the ranks that were started.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conv/conv.h"

static void plan_text(const void *run)
{
    const convolution *j = run;
    print_operand("input", &j->job.input);
    conv_print_kernel(j, j->method);
    fflush(stdout);
    mnp_conv_plan_print(j->planned, stdout);
}

static void plan_json(const void *run, json_writer *out)
{
    const convolution *j = run;
    const mnp_conv_plan_info *info = &j->info;
    json_text(out, "input", j->job.input.text);
    json_text(out, "kernel", j->kernel.text);
    json_text(out, "method", info->name);
    if (info->method == MNP_CONV_SEPARABLE)
        json_integer(out, "rank", info->rank);
    json_row(out, "estimated_seconds", '{');
    for (int m = MNP_CONV_DIRECT; m < MNP_NUM_CONV_METHODS; m++)
        if (info->seconds[m] >= 0)
            json_measured(out, conv_method_names[m], info->seconds[m]);
    json_close(out);
}

/* The outputs along an axis of n inputs. */
static int64_t outputs_of(mnp_conv_mode mode, int64_t n, int64_t taps)
{
    const int64_t less = n < taps ? n : taps;
    return mode == MNP_CONV_FULL ? n + taps - 1 : mode == MNP_CONV_SAME ? n : n + taps - 2 * less + 1;
}

/* The work of a rank by the method, on a block of so many elements of so many bytes. */
static plan_step work_of(const convolution *j, bool gpu, double block, double in, double out, bool single)
{
    plan_step s = {.what = conv_method_names[j->method],
                   .work = WORK_WINDOWS,
                   .dtype = single ? MNP_FLOAT32 : MNP_FLOAT64,
                   .bytes = block * (in + out),
                   .launches = 1};
    double axis_taps = 0;
    for (int d = 0; d < j->kernel.ndim; d++)
        axis_taps += (double)j->kernel.shape[d];
    if (j->method == MNP_CONV_DIRECT) {
        s.operations = block * conv_count_taps(j);
    } else if (j->method == MNP_CONV_SEPARABLE) {
        const int rank = j->info.rank;
        s.operations = 2 * rank * block * axis_taps; /* passes reach half the rate of direct sums */
        s.bytes += block * ((rank - 1) * in + 2 * rank * (j->kernel.ndim - 1) * out);
        s.launches = rank * (j->kernel.ndim - 1) + 1;
    } else {
        /* windows of some points, each of which is transformed twice, and gives all outputs along an axis, or as many
           as it has no margins */
        double elements = block, points = 1;
        for (int k = 0; k < j->kernel.ndim; k++) {
            const int d = j->options.naxes > 0 ? j->axes[k] : j->job.input.ndim - j->kernel.ndim + k;
            const double all = (double)outputs_of(j->options.mode, j->job.input.shape[d], j->kernel.shape[k]);
            const double window = (double)j->info.window[d];
            const double step = window >= all ? all : window - (double)j->kernel.shape[k] + 1;
            points *= window;
            elements *= step > 0 ? window / step : 1;
        }
        s.work = WORK_REAL;
        s.operations = 2 * 2.5 * elements * log2(points < 2 ? 2 : points);
        s.bytes += (4 * j->kernel.ndim + 4) * elements * out;
        s.launches = 8;
        if (gpu && j->method == MNP_CONV_OVERLAP_ADD && j->kernel.ndim <= 2) { /* kernels of our own */
            s.operations *= 2; /* which reach half the rate, as their threads wait for one another */
            s.bytes = block * (in + out) + 5 * (j->kernel.ndim - 1) * elements * out;
            s.launches = 3;
        }
    }
    return s;
}

/*
 * What the outputs need along the kernel's axes, or along one of them alone, after the axes before it; `out` receives
 * the extents of the outputs.
 */
static plan_window window_of(const convolution *j, int only, double size, int64_t *in, int64_t *out)
{
    const operand *input = &j->job.input, *kernel = &j->kernel;
    plan_window w = {.ndim = input->ndim, .shape = in, .out = out, .boundary = j->options.boundary, .size = size};
    memcpy(in, input->shape, sizeof *in * (size_t)w.ndim);
    memcpy(out, input->shape, sizeof *out * (size_t)w.ndim);
    for (int k = 0; k < kernel->ndim; k++) {
        const int d = j->options.naxes > 0 ? j->axes[k] : input->ndim - kernel->ndim + k;
        const int64_t n = input->shape[d], taps = kernel->shape[k], less = n < taps ? n : taps;
        const mnp_conv_mode mode = j->options.mode;
        const int64_t offset = mode == MNP_CONV_FULL ? 0 : mode == MNP_CONV_SAME ? (taps - 1) / 2 : less - 1;
        if (only >= 0 && k > only)
            continue;
        out[d] = outputs_of(mode, n, taps);
        if (only >= 0 && k < only) {
            in[d] = out[d];
            continue;
        }
        w.first[d] = offset - (taps - 1);
        w.last[d] = offset;
    }
    return w;
}

/* The steps in which ranks exchange what they need; returns what comes to a rank. */
static double plan_exchange(const convolution *j, plan *p, double block, double in, double sum)
{
    int64_t shape[OPERAND_MAX_DIMS], out[OPERAND_MAX_DIMS];
    plan_sent all = {.bytes = 0};
    if (p->ranks == 1)
        return 0;
    if (j->method == MNP_CONV_FFT) { /* real arrays have half of a spectrum, which moves once in each direction */
        plan_step moves = {.what = "two moves to other layouts", .bytes = 4 * block * sum, .launches = 4};
        plan_spread(p, &moves, 2 * block * sum * (p->ranks - 1) / p->ranks);
        plan_add(p, moves);
        return 0;
    }
    for (int k = 0; k < (j->method == MNP_CONV_SEPARABLE ? j->kernel.ndim : 1); k++) {
        const bool passes = j->method == MNP_CONV_SEPARABLE;
        const plan_window w = window_of(j, passes ? k : -1, k == 0 ? in : sum, shape, out);
        const plan_sent sent = plan_around(p, &w);
        const int rank = passes ? j->info.rank : 1; /* each product has exchanges of its own, but for the last ones */
        all.bytes += rank * sent.bytes;
        all.messages += (passes && k == j->kernel.ndim - 1 ? 1 : rank) * sent.messages;
        all.received += rank * sent.received;
    }
    plan_step border = {.what = "what lies around a block", .bytes = all.bytes + all.received, .launches = 1};
    plan_neighbours(p, &border, all.bytes, all.messages);
    plan_add(p, border);
    return all.received;
}

mnp_status conv_plan(job *base, plan *p)
{
    convolution *j = conv_of(base);
    const operand *input = &base->input;
    int parts[MNP_MAX_DIMS];
    const int64_t before = plan_held(p);
    const mnp_status status = conv_make_plan(j);
    if (status != MNP_OK)
        return status;
    const double block = plan_block(p, input->ndim, input->shape, parts), in = (double)mnp_dtype_size(input->dtype),
                 out = in < 4 ? 4 : in, held = plan_grown(p, before);
    plan_by(p, "%s, chosen on the ranks that were started", conv_method_names[j->method]);
    plan_keep(p, "input", block * in);
    plan_keep(p, "output", block * out);
    const double halo = plan_exchange(j, p, block, in, out);
    const int products = j->info.rank, first = j->kernel.ndim - 1; /* all products have buffers between their passes */
    const double blocks = j->method >= MNP_CONV_FFT ? 4
                          : j->method == MNP_CONV_SEPARABLE
                              ? products > 1 ? products * (1 + fmin(2, first - 1)) : fmin(2, first)
                              : 0;
    const double work = p->as_started ? held : halo + blocks * block * out;
    plan_keep(p, "work", work);
    plan_step step = work_of(j, p->machine->gpu, block, in, out, in <= 4 || input->dtype == MNP_COMPLEX64);
    step.fresh = block * out + work;
    plan_add(p, step);
    plan_note(p, "KERNEL is read, as the method depends on its values");
    p->run = j;
    p->text = plan_text;
    p->json = plan_json;
    return status;
}
