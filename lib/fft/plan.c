/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From steps to a plan that can be executed, and its execution.
 *
 * Every step gets what runs it: a transform of the device's, or a mover.  Data goes from the input to the output through
 * at most two pieces of memory, of which many plans need none or one: a step works in place where it can, and the output
 * is used before it holds the result.
 */
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/move/mover.h"
#include "array/move/plan.h"
#include "array/output.h"
#include "device/launch.h"
#include "fft/fft.h"
#include "kernels/fft/twiddle_params.h"

/* What runs a step on this rank; NULL where there is nothing to do. */
struct runner {
    mnp__device_fft *fft;
    mnp__mover *mover;
    mnp_fft_twiddle_params twiddle;
};

/* One of the two pieces of memory. */
struct work {
    mnp__block_sizes sizes; /* the largest 0: not needed */
    bool shared;
    mnp__buffer *buffer;
};

struct mnp_fft_plan {
    unsigned tag; /* MNP__TAG_fft_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp__fft_problem problem; /* its layouts are this plan's */
    bool is_double, keeps;
    mnp_dtype input, output; /* as they are computed */
    bool output_direct;      /* new outputs are where all ranks know them in the heap */
    mnp__fft_steps steps;
    struct runner *runners;
    mnp__kernel *twiddle;
    struct work work[2];
    size_t scratch; /* bytes that the device's transforms need */
    void *scratch_memory;
};

static mnp_dtype dtype_of(bool is_double, bool is_complex)
{
    return is_double ? (is_complex ? MNP_COMPLEX128 : MNP_FLOAT64) : (is_complex ? MNP_COMPLEX64 : MNP_FLOAT32);
}

bool mnp__fft_is_double(mnp_dtype dtype)
{
    return dtype != MNP_FLOAT32 && dtype != MNP_COMPLEX64 && dtype != MNP_FLOAT16 && dtype != MNP_BFLOAT16;
}

/* ---- memory ---- */

static void note_size(const mnp_fft_plan *plan, mnp__fft_place place, const mnp_layout *layout, bool is_complex,
                      struct work *work)
{
    const size_t size = mnp_dtype_size(dtype_of(plan->is_double, is_complex));
    int64_t own = 1, shape[MNP_MAX_DIMS];
    if (place != MNP__FFT_WORK && place != MNP__FFT_MORE_WORK)
        return;
    mnp__block_sizes *sizes = &work[place - MNP__FFT_WORK].sizes;
    mnp_layout_local_shape(layout, plan->ctx->comm.rank, shape);
    for (int d = 0; d < layout->ndim; d++)
        own *= shape[d];
    const mnp__block_sizes block = {.own = (size_t)own * size,
                                    .largest = (size_t)mnp__layout_largest(layout) * size,
                                    .average = (size_t)(mnp_layout_size(layout) / mnp__layout_sharers(layout)) * size};
    sizes->own = block.own > sizes->own ? block.own : sizes->own;
    sizes->largest = block.largest > sizes->largest ? block.largest : sizes->largest;
    sizes->average = block.average > sizes->average ? block.average : sizes->average;
}

static void release_work(mnp_fft_plan *plan)
{
    mnp_ctx *ctx = plan->ctx;
    for (int w = 0; w < 2; w++) {
        mnp__buffer_release(ctx, plan->work[w].buffer);
        plan->work[w].buffer = NULL;
    }
    ctx->device->ops->free(ctx->device, plan->scratch_memory);
    plan->scratch_memory = NULL;
}

/* Allocate what is not there yet.  Collective. */
static mnp_status get_work(mnp_fft_plan *plan)
{
    mnp_ctx *ctx = plan->ctx;
    mnp_status st = MNP_OK;
    for (int w = 0; w < 2 && st == MNP_OK; w++) {
        struct work *work = &plan->work[w];
        if (work->sizes.largest > 0 && !work->buffer) {
            st = mnp__buffer_new(ctx, &work->sizes, &work->buffer);
            work->shared = st == MNP_OK && work->buffer->shared;
        }
    }
    if (st == MNP_OK && plan->scratch > 0 && !plan->scratch_memory)
        st = MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, plan->scratch, &plan->scratch_memory));
    if (st != MNP_OK)
        release_work(plan);
    return st;
}

/* Find out where new outputs lie, and the memory to work in. */
static mnp_status probe_memory(mnp_fft_plan *plan)
{
    mnp_array *output;
    MNP_TRY(mnp_array_new_order(plan->ctx, plan->output, plan->steps.result, MNP_ORDER_C, &output));
    plan->output_direct = mnp__target_is_direct(output);
    mnp_array_free(output);
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        note_size(plan, step->source, step->from, step->from_complex, plan->work);
        note_size(plan, step->target, step->to, step->to_complex, plan->work);
    }
    MNP_TRY(get_work(plan));
    return MNP_OK;
}

/* ---- planning the steps ---- */

/* Dimensions of a block that are not transformed, neighbours joined. */
static void add_batch(mnp__fft_spec *spec, int64_t extent, int64_t in, int64_t out)
{
    mnp__fft_dim *last = spec->nbatch > 0 ? &spec->batch[spec->nbatch - 1] : NULL;
    if (extent == 1)
        return;
    if (last && last->in == extent * in && last->out == extent * out)
        *last = (mnp__fft_dim){last->extent * extent, in, out};
    else
        spec->batch[spec->nbatch++] = (mnp__fft_dim){extent, in, out};
}

static bool is_transformed(const mnp__fft_step *step, int d)
{
    for (int a = 0; a < step->naxes; a++)
        if (step->axes[a] == d)
            return true;
    return false;
}

/* The transform of this rank's block; false if the block is empty. */
static bool spec_of(const mnp_fft_plan *plan, const mnp__fft_step *step, mnp__fft_spec *spec)
{
    const mnp_layout *from = step->from, *to = step->to;
    const int rank = plan->ctx->comm.rank, ndim = from->ndim;
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS], in[MNP_MAX_DIMS], out[MNP_MAX_DIMS];
    int64_t lo[MNP_MAX_DIMS];
    if (!mnp__layout_box(from, rank, lo, before) || !mnp__layout_box(to, rank, lo, after))
        return false;
    mnp__dense_strides(ndim, before, in);
    mnp__dense_strides(ndim, after, out);
    *spec = (mnp__fft_spec){.kind = step->kind,
                            .is_double = plan->is_double,
                            .inverse = plan->problem.inverse,
                            .in_place = step->source == step->target,
                            .scale = step->scale};
    for (int d = 0; d < ndim; d++) {
        const int64_t extent = step->kind == MNP__FFT_TO_REAL ? after[d] : before[d];
        if (is_transformed(step, d))
            spec->dims[spec->rank++] = (mnp__fft_dim){extent, in[d], out[d]};
        else
            add_batch(spec, extent, in[d], out[d]);
    }
    return true;
}

static mnp_status plan_local(mnp_fft_plan *plan, const mnp__fft_step *step, struct runner *runner)
{
    mnp__device *device = plan->ctx->device;
    mnp__fft_spec spec;
    size_t scratch = 0;
    if (!spec_of(plan, step, &spec))
        return MNP_OK;
    MNP_TRY(device->ops->fft_new(device, &spec, &runner->fft, &scratch));
    plan->scratch = scratch > plan->scratch ? scratch : plan->scratch;
    return MNP_OK;
}

static void plan_twiddle(const mnp_fft_plan *plan, const mnp__fft_step *step, struct runner *runner)
{
    const mnp_layout *layout = step->from;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp_fft_twiddle_params *p = &runner->twiddle;
    if (!mnp__layout_box(layout, plan->ctx->comm.rank, lo, extent))
        return;
    p->extent[0] = p->extent[3] = 1;
    for (int d = 0; d < layout->ndim; d++) {
        if (d < step->dim)
            p->extent[0] *= extent[d];
        else if (d > step->dim + 1)
            p->extent[3] *= extent[d];
    }
    p->extent[1] = extent[step->dim];
    p->extent[2] = extent[step->dim + 1];
    p->first_k = lo[step->dim];
    p->first_j = lo[step->dim + 1];
    p->points = layout->shape[step->dim] * layout->shape[step->dim + 1];
    p->sign = plan->problem.inverse ? 1 : -1;
}

/* The steps of this rank alone. */
static mnp_status plan_locals(mnp_fft_plan *plan)
{
    MNP_TRY(mnp__calloc((size_t)plan->steps.count, sizeof *plan->runners, &plan->runners));
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        if (step->what == MNP__FFT_LOCAL)
            MNP_TRY(plan_local(plan, step, &plan->runners[i]));
        else if (step->what == MNP__FFT_TWIDDLE)
            plan_twiddle(plan, step, &plan->runners[i]);
    }
    return MNP_OK;
}

/* Every rank wants its block of the new layout, stored densely in the order of the step. */
static int wanted(const void *argument, int rank, mnp__want *wants)
{
    const mnp__fft_step *step = argument;
    int64_t stride = 1;
    if (!mnp__layout_box(step->to, rank, wants[0].lo, wants[0].extent))
        return 0;
    for (int i = step->to->ndim - 1; i >= 0; i--) {
        wants[0].strides[step->order[i]] = stride;
        stride *= wants[0].extent[step->order[i]];
    }
    return 1;
}

static mnp_status plan_move(mnp_fft_plan *plan, const mnp__fft_step *step, struct runner *runner)
{
    static const mnp_boundary zeros[MNP_MAX_DIMS] = {MNP_BOUNDARY_FILL};
    const mnp__move_spec spec = {.dtype = dtype_of(plan->is_double, step->from_complex),
                                 .layout = step->from,
                                 .boundaries = zeros,
                                 .wants = wanted,
                                 .argument = step,
                                 .direct = step->target == MNP__FFT_OUTPUT
                                               ? plan->output_direct
                                               : plan->work[step->target - MNP__FFT_WORK].shared};
    return mnp__mover_new(plan->ctx, &spec, &runner->mover);
}

static mnp_status load_twiddle(mnp_fft_plan *plan)
{
    const mnp__kernel_spec spec = {.file = "fft/twiddle.cu",
                                   .function = "fft_twiddle",
                                   .defines =
                                       plan->is_double ? "#define MNP_REAL double\n" : "#define MNP_REAL float\n"};
    return mnp__ctx_kernel(plan->ctx, &spec, &plan->twiddle);
}

static mnp_status plan_shared(mnp_fft_plan *plan)
{
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        if (step->what == MNP__FFT_MOVE)
            MNP_TRY(plan_move(plan, step, &plan->runners[i]));
        else if (step->what == MNP__FFT_TWIDDLE && !plan->twiddle)
            MNP_TRY(load_twiddle(plan));
    }
    return MNP_OK;
}

static mnp_status describe(mnp_ctx *ctx, const mnp__fft_problem *problem, bool is_double, bool keeps,
                           mnp_fft_plan **plan_p)
{
    mnp_fft_plan *plan;
    MNP_TRY(mnp__calloc(1, sizeof *plan, &plan));
    *plan_p = plan;
    plan->tag = MNP__TAG_fft_plan;
    plan->ctx = ctx;
    plan->problem = *problem;
    plan->problem.in = mnp_layout_retain(problem->in);
    plan->problem.out = mnp_layout_retain(problem->out);
    plan->is_double = is_double;
    plan->keeps = keeps;
    plan->output = dtype_of(is_double, problem->kind != MNP__FFT_TO_REAL);
    MNP_TRY(mnp__fft_steps_find(&plan->problem, &plan->steps));
    plan->input = dtype_of(is_double, plan->steps.reads_complex);
    return MNP_OK;
}

mnp_status mnp__fft_plan_make(mnp_ctx *ctx, const mnp__fft_problem *problem, bool is_double, bool keeps,
                              mnp_fft_plan **plan_p)
{
    mnp_fft_plan *plan = NULL;
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(ctx, describe(ctx, problem, is_double, keeps, &plan)), st, fail);
    MNP_TRY_OR(probe_memory(plan), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, plan_locals(plan)), st, fail);
    MNP_TRY_OR(plan_shared(plan), st, fail);
    release_work(plan);
    *plan_p = plan;
    return MNP_OK;
fail:
    mnp__fft_plan_release(plan);
    return st;
}

void mnp__fft_plan_release(mnp_fft_plan *plan)
{
    if (!plan)
        return;
    mnp__device *device = plan->ctx->device;
    release_work(plan);
    for (int i = 0; plan->runners && i < plan->steps.count; i++) {
        mnp__mover_free(plan->runners[i].mover);
        device->ops->fft_free(device, plan->runners[i].fft);
    }
    free(plan->runners);
    mnp__fft_steps_free(&plan->steps);
    mnp_layout_free((mnp_layout *)plan->problem.in);
    mnp_layout_free((mnp_layout *)plan->problem.out);
    mnp__object_free(plan);
}

bool mnp__fft_plan_fits(const mnp_fft_plan *plan, const mnp__fft_problem *problem, bool is_double)
{
    const mnp__fft_problem *own = &plan->problem;
    return plan->is_double == is_double && own->kind == problem->kind && own->inverse == problem->inverse &&
           own->permuted == problem->permuted && own->naxes == problem->naxes && own->scale == problem->scale &&
           memcmp(own->axes, problem->axes, (size_t)own->naxes * sizeof *own->axes) == 0 &&
           own->in->ndim == problem->in->ndim &&
           memcmp(own->points, problem->points, (size_t)own->in->ndim * sizeof *own->points) == 0 &&
           mnp_layout_equal(own->in, problem->in) && mnp_layout_equal(own->out, problem->out);
}

int64_t mnp__fft_plan_bytes(const mnp_fft_plan *plan)
{
    int64_t bytes = 0;
    for (int i = 0; i < plan->steps.count; i++)
        if (plan->runners[i].mover)
            bytes += mnp__mover_describe(plan->runners[i].mover).memory;
    for (int w = 0; plan->keeps && w < 2; w++)
        bytes += (int64_t)plan->work[w].sizes.largest;
    return bytes;
}

/* ---- execution ---- */

/* Where the data of a step is: of the rank's block, and, as a mover is given it, in the heap. */
static void *memory_at(const mnp_fft_plan *plan, mnp__fft_place place, const mnp_array *input, const mnp_array *output,
                       bool of_mover)
{
    switch (place) {
    case MNP__FFT_INPUT:
        return input->data;
    case MNP__FFT_OUTPUT:
        return of_mover ? mnp__target_memory(output) : output->data;
    default:
        return plan->work[place - MNP__FFT_WORK].buffer ? plan->work[place - MNP__FFT_WORK].buffer->data : NULL;
    }
}

static mnp_status run_step(const mnp_fft_plan *plan, int i, const mnp_array *input, const mnp_array *output)
{
    static const double zero[2] = {0, 0};
    const mnp__fft_step *step = &plan->steps.steps[i];
    struct runner *runner = &plan->runners[i];
    mnp_ctx *ctx = plan->ctx;
    void *source = memory_at(plan, step->source, input, output, false);
    void *target = memory_at(plan, step->target, input, output, step->what == MNP__FFT_MOVE);
    switch (step->what) {
    case MNP__FFT_MOVE:
        MNP_TRY(mnp__mover_fill(runner->mover, target, zero));
        return mnp__mover_run(runner->mover, source, target);
    case MNP__FFT_LOCAL:
        return runner->fft ? ctx->device->ops->fft_execute(ctx->device, runner->fft, source, target,
                                                           plan->scratch_memory, ctx->compute)
                           : MNP_OK;
    default: {
        mnp_fft_twiddle_params params = runner->twiddle;
        const int64_t count = params.extent[0] * params.extent[1] * params.extent[2] * params.extent[3];
        const mnp__launch launch = mnp__launch_of(count);
        params.data = target;
        return count > 0
                   ? ctx->device->ops->launch(ctx->device, plan->twiddle, &launch, &params, sizeof params, ctx->compute)
                   : MNP_OK;
    }
    }
}

static mnp_status run_steps(mnp_fft_plan *plan, const mnp_array *input, const mnp_array *output)
{
    MNP_TRY(get_work(plan));
    mnp_status st = MNP_OK;
    for (int i = 0; i < plan->steps.count && st == MNP_OK; i++)
        st = run_step(plan, i, input, output);
    if (!plan->keeps)
        release_work(plan);
    return st;
}

/* The array to compute into: the opened one, or a new one where that is not as the plan's movers take it. */
static mnp_status run_into(mnp_fft_plan *plan, const mnp_array *input, mnp_array *output)
{
    mnp_array *made;
    if (mnp__target_is_direct(output) == plan->output_direct)
        return run_steps(plan, input, output);
    MNP_TRY(mnp_array_new_order(plan->ctx, plan->output, plan->steps.result, MNP_ORDER_C, &made));
    mnp_status st = run_steps(plan, input, made);
    if (st == MNP_OK)
        st = mnp__array_copy_to(made, output);
    mnp_array_free(made);
    return st;
}

mnp_status mnp__fft_plan_run(mnp_fft_plan *plan, const char *function, const mnp_array *x, mnp_array **y_p)
{
    mnp__input input = {NULL, NULL};
    mnp__output output;
    const mnp__output_spec spec = {.function = function,
                                   .ctx = plan->ctx,
                                   .dtype = plan->output,
                                   .layout = plan->steps.result,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 1,
                                   .inputs = &x};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    mnp_status st = mnp__input_open(x, NULL, plan->input, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = run_into(plan, input.array, output.array);
    mnp__input_close(&input);
    return mnp__output_close(1, &output, st);
}

/* ---- the public side ---- */

mnp_status mnp_fft_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_fft_options *options,
                            mnp_fft_plan **plan_p)
{
    MNP_ENTER(ctx, layout, plan_p);
    const mnp_fft_options given = options ? *options : MNP_FFT_DEFAULTS;
    const mnp__fft_request request = {.function = "mnp_fft_plan_new",
                                      .kind = !given.real      ? MNP__FFT_COMPLEX
                                              : !given.inverse ? MNP__FFT_FROM_REAL
                                                               : MNP__FFT_TO_REAL,
                                      .inverse = given.inverse,
                                      .naxes = given.naxes,
                                      .axes = given.axes,
                                      .s = given.s,
                                      .norm = given.norm,
                                      .result = given.layout,
                                      .permuted = given.flags & MNP_FFT_PERMUTED};
    mnp__fft_problem problem;
    mnp_fft_plan *plan;
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    if (given.flags & ~(unsigned)MNP_FFT_PERMUTED)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_fft_plan_new: %u is no set of flags", given.flags);
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_fft_plan_new", mnp__layout_hash(layout)));
    MNP_TRY(mnp__fft_resolve(&request, dtype, layout, &problem));
    const mnp_status st = mnp__fft_plan_make(ctx, &problem, mnp__fft_is_double(dtype), true, &plan);
    mnp_layout_free((mnp_layout *)problem.out);
    MNP_TRY(st);
    ctx->live_plans++;
    *plan_p = plan;
    return MNP_OK;
}

mnp_status mnp_fft_plan_execute(mnp_fft_plan *plan, const mnp_array *x, mnp_array **out_p)
{
    MNP_ENTER(plan, x, out_p);
    MNP_TRY(mnp__inputs_check("mnp_fft_plan_execute", 1, &x));
    if (x->ctx != plan->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_fft_plan_execute: x belongs to another context");
    if (x->layout->ndim != plan->problem.in->ndim || !mnp_layout_equal(x->layout, plan->problem.in))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_fft_plan_execute: x has another shape or layout than the plan was made for");
    if (mnp__fft_is_double(x->dtype) != plan->is_double ||
        (plan->problem.kind == MNP__FFT_FROM_REAL && mnp_dtype_kind(x->dtype) == 'c'))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_fft_plan_execute: x is %s, and the plan is for %s", mnp_dtype_name(x->dtype),
                        mnp_dtype_name(plan->input));
    return mnp__fft_plan_run(plan, "mnp_fft_plan_execute", x, out_p);
}

const mnp_layout *mnp_fft_plan_layout(const mnp_fft_plan *plan)
{
    MNP_NEED_OR(NULL, plan);
    return plan->steps.result;
}

void mnp_fft_plan_describe(const mnp_fft_plan *plan, mnp_fft_plan_info *info)
{
    MNP_NEED_OR(, plan);
    MNP_NEED_OR(, info);
    *info = (mnp_fft_plan_info){.method = plan->steps.method, .scratch = (int64_t)plan->scratch};
    for (int w = 0; w < 2; w++)
        info->workspace += (int64_t)plan->work[w].sizes.largest;
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        info->transforms += step->what == MNP__FFT_LOCAL;
        if (step->what != MNP__FFT_MOVE)
            continue;
        const mnp__mover_facts facts = mnp__mover_describe(plan->runners[i].mover);
        info->moves++;
        info->own_bytes += facts.own_bytes;
        info->node_bytes += facts.peer_bytes;
        info->far_bytes += facts.other_bytes;
        info->messages += facts.messages;
    }
}

void mnp_fft_plan_print(const mnp_fft_plan *plan, FILE *file)
{
    MNP_NEED_OR(, plan);
    MNP_NEED_OR(, file);
    mnp_fft_plan_info info;
    if (plan->ctx->comm.rank != 0)
        return;
    mnp_fft_plan_describe(plan, &info);
    fprintf(file, "Fourier transform over %d ranks: %s\n", plan->ctx->comm.size, info.method);
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        fprintf(file, "  %d: ", i + 1);
        if (step->what == MNP__FFT_LOCAL) {
            fprintf(file, "transform along");
            for (int a = 0; a < step->naxes; a++)
                fprintf(file, "%s %d", a ? "," : "", step->axes[a]);
            fputc('\n', file);
        } else {
            fputs(step->what == MNP__FFT_MOVE ? "move to another layout\n" : "multiply by factors\n", file);
        }
    }
    fprintf(file, "  rank 0: works in %lld bytes, sends %lld bytes to ranks of its node and %lld to others\n",
            (long long)(info.workspace + info.scratch), (long long)info.node_bytes, (long long)info.far_bytes);
}

void mnp_fft_plan_free(mnp_fft_plan *plan)
{
    if (!plan)
        return;
    MNP_NEED_OR(, plan);
    mnp_ctx *ctx = plan->ctx;
    ctx->live_plans--;
    if (mnp__ctx_wait(ctx, ctx->compute) != MNP_OK)
        MNP_LOG(&ctx->config.logger, MNP_LOG_ERROR, "mnp_fft_plan_free: %s", mnp_error_message());
    mnp__fft_plan_release(plan);
}
