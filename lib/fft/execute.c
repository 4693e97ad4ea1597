/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The execution of plans: their steps one after the other.
 */
#include "array/input.h"
#include "array/move/plan.h"
#include "array/output.h"
#include "fft/plan.h"

/* What an execution works with. */
struct execution {
    const mnp_fft_plan *plan;
    const mnp_array *input, *output;
    char *work, *scratch;
};

/* Where the data of a step is: of the rank's block, and, as a mover is given it, in the heap. */
static void *memory_at(const struct execution *e, mnp__fft_place place, bool of_mover)
{
    switch (place) {
    case MNP__FFT_INPUT:
        return e->input->data;
    case MNP__FFT_OUTPUT:
        return of_mover ? mnp__target_memory(e->output) : e->output->data;
    default:
        return e->work ? e->work + e->plan->work_places[place - MNP__FFT_WORK] : NULL;
    }
}

static void *scratch_of(const struct execution *e)
{
    return e->plan->scratch > 0 ? e->scratch + e->plan->slab : NULL;
}

/* The transforms before a move, and the move, slab by slab. */
static mnp_status run_slabs(const struct execution *e, int i, char *source, void *target)
{
    const mnp_fft_plan *plan = e->plan;
    const struct mnp__fft_runner *move = &plan->runners[i];
    mnp_ctx *ctx = plan->ctx;
    const int first = i - plan->steps.steps[i].chain;
    MNP_TRY(mnp__mover_begin_slabs(move->mover, target));
    for (int64_t slab = 0; slab < move->slabs; slab++) {
        char *buffer = e->scratch + (size_t)(slab % mnp__mover_slab_buffers(ctx)) * move->slab_room;
        MNP_TRY(mnp__mover_next_slab(move->mover, slab));
        for (int k = first; k < i; k++) {
            const struct mnp__fft_runner *runner = &plan->runners[k];
            mnp__device_fft *fft = runner->last_fft && slab == move->slabs - 1 ? runner->last_fft : runner->fft;
            void *from = k == first ? source + slab * move->slab_step : buffer;
            MNP_TRY(ctx->device->ops->fft_execute(ctx->device, fft, from, buffer, scratch_of(e), ctx->compute));
        }
        MNP_TRY(mnp__mover_slab(move->mover, slab, buffer));
    }
    return mnp__mover_finish_slabs(move->mover);
}

/* Also after a failure the memory that slabs are in is freed behind what moves them. */
static mnp_status run_chain(const struct execution *e, int i, char *source, void *target)
{
    mnp_ctx *ctx = e->plan->ctx;
    const mnp_status st = run_slabs(e, i, source, target);
    if (st != MNP_OK)
        (void)mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
    return st;
}

static mnp_status run_step(const struct execution *e, int i)
{
    static const double zero[2] = {0, 0};
    const mnp_fft_plan *plan = e->plan;
    const mnp__fft_step *step = &plan->steps.steps[i];
    struct mnp__fft_runner *runner = &plan->runners[i];
    mnp_ctx *ctx = plan->ctx;
    const int chained = step->what == MNP__FFT_MOVE ? step->chain : 0;
    void *source = memory_at(e, (step - chained)->source, false);
    void *target = memory_at(e, step->target, step->what == MNP__FFT_MOVE);
    switch (step->what) {
    case MNP__FFT_MOVE:
        MNP_TRY(mnp__mover_fill(runner->mover, target, zero));
        if (chained)
            return run_chain(e, i, source, target);
        return mnp__mover_run(runner->mover, source, target);
    case MNP__FFT_LOCAL:
        return runner->fft && step->chain == 0 ? ctx->device->ops->fft_execute(ctx->device, runner->fft, source, target,
                                                                               scratch_of(e), ctx->compute)
                                               : MNP_OK;
    default: {
        mnp_fft_twiddle_params params = runner->twiddle;
        const int64_t count = params.extent[0] * params.extent[1] * params.extent[2] * params.extent[3];
        params.data = target;
        return mnp__ctx_launch(ctx, plan->twiddle, count, &params, sizeof params);
    }
    }
}

static mnp_status run_steps(mnp_fft_plan *plan, const mnp_array *input, const mnp_array *output)
{
    mnp__fft_memory *memory;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__fft_memory_take(plan, &memory));
    const struct execution e = {.plan = plan,
                                .input = input,
                                .output = output,
                                .work = mnp__fft_memory_work(memory),
                                .scratch = mnp__fft_memory_scratch(memory)};
    for (int i = 0; i < plan->steps.count && st == MNP_OK; i++)
        st = run_step(&e, i);
    mnp__fft_memory_release(plan->ctx, memory);
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
    const bool in_place = *y_p == x && mnp__fft_steps_leave_input(&plan->steps);
    const mnp__output_spec spec = {.function = function,
                                   .ctx = plan->ctx,
                                   .dtype = plan->output,
                                   .layout = plan->steps.result,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = in_place ? 0 : 1,
                                   .inputs = &x};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    mnp_status st = mnp__input_open(x, NULL, plan->input, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = run_into(plan, input.array, output.array);
    mnp__input_close(&input);
    return mnp__output_close(1, &output, st);
}
