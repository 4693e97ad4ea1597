/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a reduction, and running it from operands to results.
 *
 * A run is one launch if every result has one part.  Where results are few, each has several parts, and a second launch
 * joins them.  Where ranks share results, a collective gathers the parts of all ranks, and a last launch joins these;
 * or they read each other's blocks (reduction_reach.c).
 */
#include "ops/reduction/reduction.h"

#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"
#include "ops/reduction/reduction_plan.h"

/* ---- making and freeing ---- */

static mnp_status copy_spec(const mnp__reduction_spec *from, mnp__reduction *reduction)
{
    mnp__reduction_spec *spec = &reduction->spec;
    int count = from->ninputs + from->noutputs;
    mnp__loop_operand *operands;
    if (from->ninputs < 1 || from->noutputs < 1 || count > MNP__MAX_REDUCTION_OPERANDS)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s has %d inputs and %d outputs: there must be one of each, and at most %d of both",
                        from->name, from->ninputs, from->noutputs, MNP__MAX_REDUCTION_OPERANDS);
    MNP_TRY(mnp__calloc((size_t)count, sizeof *operands, &operands));
    *spec = *from;
    spec->name = spec->preamble = spec->op = spec->finish = spec->options = NULL;
    spec->operands = operands;
    for (int k = 0; k < count; k++) {
        operands[k] = from->operands[k];
        operands[k].name = NULL; /* the reduction's text has names of its own */
    }
    MNP_TRY(mnp__copy_text(from->name, &spec->name));
    MNP_TRY(mnp__copy_text(from->preamble, &spec->preamble));
    MNP_TRY(mnp__copy_text(from->op, &spec->op));
    MNP_TRY(mnp__copy_text(from->finish, &spec->finish));
    return mnp__copy_text(from->options, &spec->options);
}

mnp_status mnp__reduction_new(mnp_ctx *ctx, const mnp__reduction_spec *spec, mnp__reduction **reduction_p)
{
    mnp__reduction *reduction;
    MNP_TRY(mnp__calloc(1, sizeof *reduction, &reduction));
    reduction->ctx = ctx;
    mnp_status st;
    MNP_TRY_OR(copy_spec(spec, reduction), st, fail);
    MNP_TRY_OR(mnp__reduction_write(reduction), st, fail);
    *reduction_p = reduction;
    return MNP_OK;
fail:
    mnp__reduction_free(reduction);
    return st;
}

void mnp__reduction_free(mnp__reduction *reduction)
{
    if (!reduction)
        return;
    mnp__entries_unload(reduction->ctx->device, &reduction->kernels);
    mnp__entries_unload(reduction->ctx->device, &reduction->scans);
    free((mnp__loop_operand *)reduction->spec.operands);
    free((char *)reduction->spec.name);
    free((char *)reduction->spec.preamble);
    free((char *)reduction->spec.op);
    free((char *)reduction->spec.finish);
    free((char *)reduction->spec.options);
    mnp__generated_free(&reduction->generated);
    free(reduction);
}

const mnp__reduction_spec *mnp__reduction_spec_of(const mnp__reduction *reduction)
{
    return &reduction->spec;
}

static void free_reduction(void *reduction)
{
    mnp__reduction_free(reduction);
}

mnp_status mnp__reduction_get(mnp_ctx *ctx, mnp__reduction_maker *make, const void *key, size_t key_size,
                              mnp__reduction **reduction_p)
{
    mnp__reduction *reduction = mnp__kernel_table_find(ctx, (mnp__maker)make, key, key_size);
    if (!reduction) {
        MNP_TRY(make(ctx, key, &reduction));
        MNP_TRY(mnp__kernel_table_add(ctx, (mnp__maker)make, key, key_size, reduction, free_reduction));
    }
    *reduction_p = reduction;
    return MNP_OK;
}

/* ---- axes ---- */

mnp_status mnp__reduction_axes(const char *function, int ndim, const mnp_axes *axes, unsigned *mask_p)
{
    unsigned mask = 0;
    if (!axes || axes->count == 0) {
        *mask_p = (1u << ndim) - 1;
        return MNP_OK;
    }
    if ((axes->count < 0 && axes->count != MNP_NO_AXES) || axes->count > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d axes are given of an array of %d", function, axes->count, ndim);
    for (int i = 0; i < axes->count; i++) {
        int axis;
        MNP_TRY(mnp__view_axis(function, ndim, axes->axes[i], &axis));
        if (mask >> axis & 1)
            return axes->count > ndim
                       ? MNP_FAIL(MNP_ERR_ARG, "%s: %d axes are given of an array of %d", function, axes->count, ndim)
                       : MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is given twice", function, axes->axes[i]);
        mask |= 1u << axis;
    }
    *mask_p = mask;
    return MNP_OK;
}

/* ---- one run ---- */

typedef struct run {
    mnp_ctx *ctx;
    mnp__reduction *reduction;
    const mnp__reduction_call *call;
    mnp__reduction_work work;
    mnp_layout *layout, *result; /* one count of each is held */
    int ninputs, noutputs;       /* how many of these counts are held */
    mnp__input inputs[MNP__MAX_REDUCTION_OPERANDS];
    mnp__output outputs[MNP__MAX_REDUCTION_OPERANDS];
    mnp__reduction_plan plan;
    mnp__sharing *sharing; /* NULL: ranks share no results */
    void *scratch;
    bool half; /* stop once ranks have exchanged their parts */
} run;

/* ---- layouts ---- */

static mnp_status choose_layout(run *r)
{
    int ninputs = r->reduction->spec.ninputs, count = 0, ndim;
    int64_t shape[MNP_MAX_DIMS];
    const mnp_array *arrays[MNP__MAX_REDUCTION_OPERANDS];
    for (int i = 0; i < ninputs; i++) {
        if (r->call->inputs[i]->ctx != r->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: input %d belongs to another context", r->call->function, i + 1);
        if (mnp__array_is_scalar(r->call->inputs[i]))
            continue;
        MNP_TRY(mnp__array_check_blocks(r->call->function, r->call->inputs[i]));
        arrays[count++] = r->call->inputs[i];
    }
    MNP_TRY(mnp__broadcast_shapes(r->call->function, count, arrays, &ndim, shape));
    const mnp_layout *best = mnp__smallest_layout(count, arrays, ndim, shape);
    if (!best)
        return mnp_layout_block(r->ctx->comm.size, ndim, shape, &r->layout);
    if (r->half) /* the accumulators are wanted in C order */
        return mnp__layout_in_c_order(best, &r->layout);
    return mnp__layout_as_inputs(best, count, arrays, &r->layout);
}

static mnp_status derive_result(run *r)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int ndim = 0, from[MNP_MAX_DIMS];
    for (int d = 0; d < r->layout->ndim; d++) {
        const bool reduced = r->call->axes >> d & 1;
        if (reduced && !r->call->keepdims)
            continue;
        from[ndim] = d;
        dims[ndim++] = reduced ? mnp__layout_dim_whole(1) : mnp__layout_dim_of(r->layout, d);
    }
    MNP_TRY(mnp__layout_derive(r->layout, ndim, dims, &r->result));
    mnp__layout_keep_order(r->result, r->layout, from);
    return MNP_OK;
}

/* ---- operands ---- */

static mnp_status open_outputs(run *r)
{
    const mnp__reduction_spec *spec = &r->reduction->spec;
    for (; r->noutputs < spec->noutputs; r->noutputs++) {
        const mnp__loop_operand *operand = &spec->operands[spec->ninputs + r->noutputs];
        const mnp__output_spec output = {.function = r->call->function,
                                         .ctx = r->ctx,
                                         .dtype = operand->memory,
                                         .layout = r->result,
                                         .ninputs = spec->ninputs,
                                         .inputs = r->call->inputs};
        MNP_TRY(mnp__output_open(&output, r->call->outputs_p[r->noutputs], &r->outputs[r->noutputs]));
        r->work.outputs[r->noutputs] = r->outputs[r->noutputs].array;
    }
    return MNP_OK;
}

static mnp_status open_inputs(run *r)
{
    for (; r->ninputs < r->reduction->spec.ninputs; r->ninputs++) {
        mnp__input *input = &r->inputs[r->ninputs];
        MNP_TRY(mnp__input_open(r->call->inputs[r->ninputs], r->layout, MNP_DTYPE_AUTO, 0, input));
        r->work.inputs[r->ninputs] = input->array;
    }
    return MNP_OK;
}

/*
 * Kept dimensions along which all inputs repeat one element, which all ranks know: results are computed once for them.
 * Not where ranks share results, which they number.
 */
static unsigned find_repeated(const run *r)
{
    unsigned repeated = ~r->call->axes & ((1u << r->layout->ndim) - 1);
    for (int i = 0; i < r->ninputs; i++) {
        const mnp_array *input = r->work.inputs[i];
        const int added = r->layout->ndim - input->layout->ndim; /* dimensions that the input does not have */
        for (int d = added; d < r->layout->ndim; d++) {
            const int64_t extent = input->layout->shape[d - added];
            if (!(input->repeated >> (d - added) & 1) && (extent > 1 || extent == r->layout->shape[d]))
                repeated &= ~(1u << d);
        }
    }
    return repeated;
}

/* The same as bits of the results' dimensions. */
static unsigned repeated_results(const run *r)
{
    unsigned dims = 0;
    for (int d = 0, kept = 0; d < r->layout->ndim; d++) {
        if (r->work.repeated >> d & 1)
            dims |= 1u << (r->call->keepdims ? d : kept);
        kept += !(r->call->axes >> d & 1);
    }
    return dims;
}

static mnp_status repeat_prepare(const run *r)
{
    for (int o = 0; o < r->noutputs && r->work.repeated; o++)
        MNP_TRY(mnp__array_repeat_prepare(r->work.outputs[o]));
    return MNP_OK;
}

static mnp_status repeat(const run *r)
{
    for (int o = 0; o < r->noutputs && r->work.repeated; o++)
        MNP_TRY(mnp__array_repeat(r->work.outputs[o], repeated_results(r)));
    return MNP_OK;
}

/* ---- kernels and memory ---- */

mnp_status mnp__reduction_find_kernel(const mnp__reduction_work *work, mnp__reduction_plan *plan)
{
    mnp__reduction *reduction = work->reduction;
    const mnp__reduction_signature *signature = &plan->signature;
    memcpy(&plan->slots[MNP__SLOT_DDOF], &work->call->ddof, sizeof work->call->ddof);
    memcpy(&plan->slots[MNP__SLOT_INITIAL], work->call->initial, sizeof work->call->initial);
    plan->kernel = mnp__entries_find(reduction->kernels, signature, sizeof *signature);
    if (plan->kernel)
        return MNP_OK;
    MNP_TRY(mnp__reduction_load(reduction, signature, &plan->kernel));
    return mnp__entries_add_kernel(reduction->ctx->device, &reduction->kernels, signature, sizeof *signature,
                                   plan->kernel);
}

/* Plan the run, and find or make its kernel and memory.  Small blocks share general kernels for all strides. */
static mnp_status prepare(run *r)
{
    mnp__reduction_plan *plan = &r->plan;
    mnp__reduction_plan_make(&r->work, false, plan);
    if (plan->small && !mnp__entries_find(r->reduction->kernels, &plan->signature, sizeof plan->signature)) {
        if (r->ctx->device->rehearses) /* what larger arrays will need */
            MNP_TRY(mnp__reduction_find_kernel(&r->work, plan));
        mnp__reduction_plan_make(&r->work, true, plan);
    }
    MNP_TRY(mnp__reduction_find_kernel(&r->work, plan));
    return mnp__reduction_scratch(r->ctx, &r->scratch);
}

/* ---- launches ---- */

/* Where the accumulator of the result with the first indices is among those of a part. */
static uint64_t first_place(const mnp__reduction_work *work, const mnp__reduction_plan *plan, const void *accumulators)
{
    return (uint64_t)(uintptr_t)accumulators + (uint64_t)plan->place * work->reduction->spec.accumulator;
}

static mnp_status launch(const mnp__reduction_work *work, mnp__reduction_plan *plan, const mnp__launch *how,
                         void *target)
{
    mnp_ctx *ctx = work->reduction->ctx;
    plan->slots[MNP__SLOT_TARGET] = target ? first_place(work, plan, target) : 0;
    return ctx->device->ops->launch(ctx->device, plan->kernel, how, plan->slots,
                                    (size_t)plan->nslots * sizeof *plan->slots, ctx->compute);
}

mnp_status mnp__reduction_launch(const mnp__reduction_work *work, mnp__reduction_plan *plan, void *target)
{
    return launch(work, plan, &plan->launch, target);
}

static mnp_status join(const mnp__reduction_work *work, mnp__reduction_plan *plan, const void *source, int64_t parts,
                       void *target)
{
    mnp__launch how = mnp__reduction_join_launch(work->reduction->ctx, plan, parts);
    plan->slots[MNP__SLOT_TASK] = MNP_REDUCE_PARTS;
    plan->slots[MNP__SLOT_SOURCE] = first_place(work, plan, source);
    plan->slots[MNP__SLOT_PARTS] = (uint64_t)parts;
    return launch(work, plan, &how, target);
}

static mnp_status compute(run *r)
{
    mnp__reduction_plan *plan = &r->plan;
    bool done = false;
    char *mine = r->sharing ? mnp__sharing_own(r->sharing) : NULL;
    if (plan->outputs == 0)
        return MNP_OK; /* ranks that would share results have none either */
    if (r->sharing && !r->half)
        MNP_TRY(mnp__reduction_reach(&r->work, r->sharing, plan->outputs, &done));
    if (done)
        return MNP_OK;
    MNP_TRY(mnp__reduction_launch(&r->work, plan, plan->parts > 1 ? r->scratch : mine));
    if (plan->parts > 1)
        MNP_TRY(join(&r->work, plan, r->scratch, plan->parts, mine));
    if (!r->sharing)
        return MNP_OK;
    MNP_TRY(mnp__sharing_gather(r->sharing));
    if (r->half)
        return MNP_OK;
    return join(&r->work, plan, r->sharing->parts, mnp_comm_size(r->sharing->group), NULL);
}

static mnp_status execute(run *r)
{
    mnp__reduction *reduction = r->reduction;
    MNP_TRY(choose_layout(r));
    MNP_TRY(derive_result(r));
    MNP_TRY(mnp__check_same(&r->ctx->comm, r->call->function, mnp__layout_hash(r->layout) + r->call->axes));
    MNP_TRY(open_outputs(r));
    MNP_TRY(open_inputs(r));
    r->work.reduction = reduction;
    r->work.call = r->call;
    r->work.rank = r->ctx->comm.rank;
    r->work.cut = -1;
    r->work.layout = r->layout;
    r->work.result = r->result;
    r->work.axes = r->call->axes;
    r->work.keepdims = r->call->keepdims;
    bool shared =
        mnp__is_shared(r->layout, r->call->axes) && r->layout->size > 0; /* an empty array needs no exchange */
    if (shared)
        r->sharing = mnp__sharing_find(r->ctx, &r->work);
    r->work.repeated = shared ? 0 : find_repeated(r);
    MNP_TRY(repeat_prepare(r));
    bool ready = reduction->agreed && (!shared || r->sharing); /* alike on all ranks */
    mnp_status st = prepare(r);
    MNP_TRY(ready ? st : MNP_AGREE(r->ctx, st));
    reduction->agreed = true;
    if (shared && !r->sharing)
        MNP_TRY(mnp__sharing_make(r->ctx, &r->work, r->plan.outputs, &r->sharing));
    MNP_TRY(compute(r));
    return repeat(r);
}

static mnp_status finish(run *r, mnp_status st)
{
    for (int i = 0; i < r->ninputs; i++)
        mnp__input_close(&r->inputs[i]);
    mnp_layout_free(r->layout);
    mnp_layout_free(r->result);
    return mnp__output_close(r->noutputs, r->outputs, st);
}

mnp_status mnp__reduction_run(mnp__reduction *reduction, const mnp__reduction_call *call)
{
    run r = {.ctx = reduction->ctx, .reduction = reduction, .call = call};
    return finish(&r, execute(&r));
}

/* A function of its own, as `run` is a large struct, which scans of lines that are not cut do not need. */
static mnp_status share(mnp__reduction *reduction, const char *function, const mnp_array *x, unsigned axes,
                        mnp__reduction_known *known)
{
    mnp_array *none = NULL;
    const mnp__reduction_call call = {
        .function = function, .inputs = &x, .outputs_p = (mnp_array * *[]){&none}, .axes = axes};
    run r = {.ctx = reduction->ctx, .reduction = reduction, .call = &call, .half = true};
    mnp_status st = execute(&r);
    if (st == MNP_OK)
        *known =
            (mnp__reduction_known){r.sharing->parts, mnp_comm_size(r.sharing->group), mnp_comm_rank(r.sharing->group)};
    st = finish(&r, st);
    mnp_array_free(none);
    return st;
}

mnp_status mnp__reduction_share(mnp__reduction *reduction, const char *function, const mnp_array *x, unsigned axes,
                                mnp__reduction_known *known)
{
    *known = (mnp__reduction_known){NULL, 0, 0};
    if (!mnp__is_shared(x->layout, axes) || x->layout->size == 0)
        return MNP_OK;
    return share(reduction, function, x, axes, known);
}
