/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From steps to a plan that can be executed.
 *
 * Every step gets what runs it: a transform of the device's, or a mover.  Data goes from the input to the output
 * through at most two pieces of memory, of which many plans need none or one: a step works in place where it can, and
 * the output is used before it holds the result.  Where all ranks share memory, transforms before a move go slab by
 * slab.  CPUs transform a slab in a buffer that stays in the cache, and store it from there where it belongs.  GPUs
 * store one slab while they transform the next, so that the time of the links is hidden behind that of the transforms,
 * or the other way round.
 */
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/move/plan.h"
#include "base/integer.h"
#include "comm/heap.h"
#include "fft/choices.h"
#include "fft/plan.h"

/* A plan of the user's is worth trying how each of its transforms is the fastest, for so long; a plain call is not. */
static const double most_seconds = 2;

static mnp_dtype dtype_of(bool is_double, bool is_complex)
{
    return is_double ? (is_complex ? MNP_COMPLEX128 : MNP_FLOAT64) : (is_complex ? MNP_COMPLEX64 : MNP_FLOAT32);
}

bool mnp__fft_is_double(mnp_dtype dtype)
{
    return dtype != MNP_FLOAT32 && dtype != MNP_COMPLEX64 && dtype != MNP_FLOAT16 && dtype != MNP_BFLOAT16;
}

/* ---- memory ---- */

enum { ALIGNMENT = 512 }; /* of pieces of memory, to which the heap rounds sizes up as well */

static void note_size(const mnp_fft_plan *plan, mnp__fft_place place, const mnp_layout *layout, bool is_complex,
                      mnp__block_sizes *work)
{
    const size_t size = mnp_dtype_size(dtype_of(plan->is_double, is_complex));
    int64_t own = 1, shape[MNP_MAX_DIMS];
    if (place != MNP__FFT_WORK && place != MNP__FFT_MORE_WORK)
        return;
    mnp__block_sizes *sizes = &work[place - MNP__FFT_WORK];
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

/* The sizes of the pieces of work, and where they begin. */
static void settle_work(mnp_fft_plan *plan)
{
    mnp__block_sizes work[2] = {{.own = 0}}, *all = &plan->need.work;
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        note_size(plan, step->source, step->from, step->from_complex, work);
        note_size(plan, step->target, step->to, step->to_complex, work);
    }
    *all = (mnp__block_sizes){.own = 0};
    for (int w = 0; w < 2; w++) {
        all->own += mnp__round_up_bytes(work[w].own, ALIGNMENT);
        all->largest += mnp__round_up_bytes(work[w].largest, ALIGNMENT);
        all->average += work[w].average;
    }
    plan->need.alike = mnp__buffer_is_balanced(all);
    plan->work_places[1] = mnp__round_up_bytes(plan->need.alike ? work[0].largest : work[0].own, ALIGNMENT);
    if (plan->need.alike)
        all->own = all->average = all->largest;
}

/* Find out where new outputs lie, and what memory the plan works in. */
static mnp_status probe_memory(mnp_fft_plan *plan)
{
    mnp_array *output;
    MNP_TRY(mnp_array_new_order(plan->ctx, plan->output, plan->steps.result, MNP_ORDER_C, &output));
    plan->output_direct = mnp__target_is_direct(output);
    mnp_array_free(output);
    settle_work(plan);
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

/*
 * The transform of this rank's block, or of `slab` indices of dimension dim of it, whose result, and with `again` whose
 * source too, is a slab.  False if the block is empty.
 */
static bool spec_of(const mnp_fft_plan *plan, const mnp__fft_step *step, int dim, int64_t slab, bool again,
                    mnp__fft_spec *spec)
{
    const mnp_layout *from = step->from, *to = step->to;
    const int rank = plan->ctx->comm.rank, ndim = from->ndim,
              real = step->kind == MNP__FFT_COMPLEX ? -1 : step->axes[0];
    mnp__fft_dim last = {.extent = 1};
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS], in[MNP_MAX_DIMS], out[MNP_MAX_DIMS];
    int64_t lo[MNP_MAX_DIMS];
    if (!mnp__layout_box(from, rank, lo, before) || !mnp__layout_box(to, rank, lo, after))
        return false;
    if (slab > 0)
        after[dim] = slab;
    if (again)
        before[dim] = slab;
    mnp__dense_strides(ndim, before, in);
    mnp__dense_strides(ndim, after, out);
    *spec = (mnp__fft_spec){.kind = step->kind,
                            .is_double = plan->is_double,
                            .inverse = plan->problem.inverse,
                            .in_place = slab > 0 ? again : step->source == step->target,
                            .scale = step->scale,
                            .seconds = plan->problem.tries ? most_seconds : 0};
    for (int d = 0; d < ndim; d++) {
        const int64_t extent = slab > 0 && d == dim ? slab : step->kind == MNP__FFT_TO_REAL ? after[d] : before[d];
        if (!is_transformed(step, d))
            add_batch(spec, extent, in[d], out[d]);
        else if (d == real)
            last = (mnp__fft_dim){extent, in[d], out[d]};
        else
            spec->dims[spec->rank++] = (mnp__fft_dim){extent, in[d], out[d]};
    }
    if (real >= 0)
        spec->dims[spec->rank++] = last;
    return true;
}

static mnp_status new_fft(mnp_fft_plan *plan, const mnp__fft_spec *spec, mnp__device_fft **fft_p)
{
    mnp__device *device = plan->ctx->device;
    size_t scratch = 0;
    MNP_TRY(device->ops->fft_new(device, spec, fft_p, &scratch));
    plan->scratch = scratch > plan->scratch ? scratch : plan->scratch;
    return MNP_OK;
}

static mnp_status plan_local(mnp_fft_plan *plan, int i)
{
    mnp__fft_spec spec;
    return spec_of(plan, &plan->steps.steps[i], 0, 0, false, &spec) ? new_fft(plan, &spec, &plan->runners[i].fft)
                                                                    : MNP_OK;
}

/* Bytes of the largest block of a layout; all ranks find the same. */
static int64_t largest_bytes(const mnp_fft_plan *plan, const mnp_layout *layout, bool is_complex)
{
    return mnp__layout_largest(layout) * (int64_t)mnp_dtype_size(dtype_of(plan->is_double, is_complex));
}

/* A number, times 4 to a power. */
static int64_t scaled(int64_t number, int power)
{
    return power > 0 ? number << 2 * power : number >> -2 * power;
}

/*
 * How many slabs a GPU transforms its block in: so many that little is left of what has nothing beside it, the first
 * transform and the last move, and so few that each keeps the GPU busy.
 */
static int64_t slabs_of(const mnp_fft_plan *plan, const mnp__fft_step *move)
{
    enum { SLAB = 128 << 20, MOST = 8 };
    const int64_t slabs = largest_bytes(plan, move->from, move->from_complex) / SLAB;
    if (plan->ctx->config.slabs > 0)
        return plan->ctx->config.slabs;
    return mnp__max(scaled(mnp__clamp(slabs, 1, MOST), plan->problem.choice.finer), 1);
}

/* Choose slabs for the chain that ends with that move: on the host of about a megabyte, which fits a cache. */
static void choose_slabs(mnp_fft_plan *plan, int i)
{
    enum { CACHED = 1 << 20 };
    const bool on_host = plan->ctx->device->cpu_memory, given = plan->ctx->config.slabs > 0;
    const mnp__fft_step *move = &plan->steps.steps[i], *first = move - move->chain;
    struct mnp__fft_runner *runner = &plan->runners[i];
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], source[MNP_MAX_DIMS], strides[MNP_MAX_DIMS], bytes = 1;
    const int rank = plan->ctx->comm.rank, dim = move->slab_dim;
    const int64_t slabs = slabs_of(plan, move), cached = scaled(CACHED, -plan->problem.choice.finer);
    if (!mnp__layout_box(move->from, rank, lo, extent))
        return;
    mnp_layout_local_shape(first->from, rank, source);
    mnp__dense_strides(first->from->ndim, source, strides);
    for (int d = 0; d < move->from->ndim; d++)
        bytes *= d == dim ? 1 : extent[d];
    bytes *= (int64_t)mnp_dtype_size(dtype_of(plan->is_double, move->from_complex));
    if (on_host && !given)
        runner->slab_extent = mnp__max(cached / bytes, 1);
    else
        runner->slab_extent = mnp__divide_up(extent[dim], slabs);
    if (runner->slab_extent > extent[dim])
        runner->slab_extent = extent[dim];
    runner->slabs = mnp__divide_up(extent[dim], runner->slab_extent);
    runner->slab_step =
        runner->slab_extent * strides[dim] * (int64_t)mnp_dtype_size(dtype_of(plan->is_double, first->from_complex));
    runner->slab_room = mnp__round_up_bytes((size_t)(bytes * runner->slab_extent), 512);
    const size_t room = (size_t)mnp__mover_slab_buffers(plan->ctx) * runner->slab_room;
    plan->slab = room > plan->slab ? room : plan->slab;
}

/* The transforms of a chain: of a slab, and of the last one if that is thinner. */
static mnp_status plan_chain(mnp_fft_plan *plan, int i)
{
    const mnp__fft_step *move = &plan->steps.steps[i];
    const struct mnp__fft_runner *slabs = &plan->runners[i];
    int64_t shape[MNP_MAX_DIMS];
    mnp__fft_spec spec;
    choose_slabs(plan, i);
    if (slabs->slabs == 0)
        return MNP_OK;
    mnp_layout_local_shape(move->from, plan->ctx->comm.rank, shape);
    const int64_t last = shape[move->slab_dim] - (slabs->slabs - 1) * slabs->slab_extent;
    for (int k = i - move->chain; k < i; k++) {
        const mnp__fft_step *step = &plan->steps.steps[k];
        const bool again = k > i - move->chain;
        (void)spec_of(plan, step, move->slab_dim, slabs->slab_extent, again, &spec);
        MNP_TRY(new_fft(plan, &spec, &plan->runners[k].fft));
        if (last == slabs->slab_extent)
            continue;
        (void)spec_of(plan, step, move->slab_dim, last, again, &spec);
        MNP_TRY(new_fft(plan, &spec, &plan->runners[k].last_fft));
    }
    return MNP_OK;
}

static void plan_twiddle(const mnp_fft_plan *plan, const mnp__fft_step *step, struct mnp__fft_runner *runner)
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
        if (step->chain > 0)
            MNP_TRY(step->what == MNP__FFT_MOVE ? plan_chain(plan, i) : MNP_OK);
        else if (step->what == MNP__FFT_LOCAL)
            MNP_TRY(plan_local(plan, i));
        else if (step->what == MNP__FFT_TWIDDLE)
            plan_twiddle(plan, step, &plan->runners[i]);
    }
    return MNP_OK;
}

/* Whether all ranks know where the target of a move lies. */
static bool is_direct(const mnp_fft_plan *plan, const mnp__fft_step *step)
{
    return step->target == MNP__FFT_OUTPUT ? plan->output_direct
                                           : plan->need.alike && mnp__heap_shared(plan->ctx->comm.heap);
}

static mnp_status plan_move(mnp_fft_plan *plan, const mnp__fft_step *step, struct mnp__fft_runner *runner)
{
    static const mnp_boundary zeros[MNP_MAX_DIMS] = {MNP_BOUNDARY_FILL};
    const mnp__move_spec spec = {.dtype = dtype_of(plan->is_double, step->from_complex),
                                 .layout = step->from,
                                 .boundaries = zeros,
                                 .wants = mnp__fft_wanted,
                                 .argument = step,
                                 .direct = is_direct(plan, step),
                                 .in_slabs = step->chain > 0,
                                 .slab_extent = runner->slab_extent,
                                 .slab_dim = step->slab_dim};
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

/* Settle how much scratch memory there has to be: as much on all ranks where they have equal blocks. */
static mnp_status settle_scratch(mnp_fft_plan *plan)
{
    int64_t scratch = (int64_t)mnp__round_up_bytes(plan->slab + plan->scratch, ALIGNMENT);
    plan->need.scratch = (size_t)scratch;
    MNP_TRY(mnp__all_reduce(&plan->ctx->comm, &scratch, 1, MPI_INT64_T, MPI_MAX));
    plan->need.scratches = scratch > 0;
    if (plan->need.alike)
        plan->need.scratch = (size_t)scratch;
    return MNP_OK;
}

static mnp_status plan_shared(mnp_fft_plan *plan)
{
    MNP_TRY(settle_scratch(plan));
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        if (step->what == MNP__FFT_MOVE)
            MNP_TRY(plan_move(plan, step, &plan->runners[i]));
        else if (step->what == MNP__FFT_TWIDDLE && !plan->twiddle)
            MNP_TRY(load_twiddle(plan));
    }
    return MNP_OK;
}

/* Whether transforms are to go slab by slab where they can: on GPUs that pays for large blocks alone. */
static bool wants_slabs(const mnp_fft_plan *plan)
{
    enum { LEAST = 256 << 20 };
    return mnp__mover_takes_slabs(plan->ctx) && !plan->problem.choice.whole &&
           (plan->ctx->device->cpu_memory || plan->ctx->config.slabs > 0 ||
            largest_bytes(plan, plan->problem.in, plan->problem.kind != MNP__FFT_FROM_REAL) >= LEAST);
}

static mnp_status describe(mnp_ctx *ctx, const mnp__fft_problem *problem, bool is_double, mnp_fft_plan **plan_p)
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
    plan->output = dtype_of(is_double, problem->kind != MNP__FFT_TO_REAL);
    MNP_TRY(mnp__fft_steps_find(&plan->problem, wants_slabs(plan), &plan->steps));
    plan->input = dtype_of(is_double, plan->steps.reads_complex);
    return MNP_OK;
}

/* Whether what slabs are stored to is where all ranks know it.  All ranks find it alike. */
static bool slabs_have_targets(const mnp_fft_plan *plan)
{
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        if (step->what == MNP__FFT_MOVE && step->chain > 0 && !is_direct(plan, step))
            return false;
    }
    return true;
}

/* Find out what memory there is, and do without slabs if it is not made for them, as where one rank gets everything. */
static mnp_status settle_memory(mnp_fft_plan *plan)
{
    MNP_TRY(probe_memory(plan));
    if (slabs_have_targets(plan))
        return MNP_OK;
    mnp__fft_steps_free(&plan->steps);
    MNP_TRY(MNP_AGREE(plan->ctx, mnp__fft_steps_find(&plan->problem, false, &plan->steps)));
    return probe_memory(plan);
}

mnp_status mnp__fft_plan_make(mnp_ctx *ctx, const mnp__fft_problem *problem, bool is_double, bool keeps,
                              mnp_fft_plan **plan_p)
{
    mnp_fft_plan *plan = NULL;
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(ctx, describe(ctx, problem, is_double, &plan)), st, fail);
    MNP_TRY_OR(settle_memory(plan), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, plan_locals(plan)), st, fail);
    MNP_TRY_OR(plan_shared(plan), st, fail);
    if (keeps)
        MNP_TRY_OR(mnp__fft_memory_join(plan), st, fail);
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
    mnp__fft_memory_leave(plan);
    for (int i = 0; plan->runners && i < plan->steps.count; i++) {
        mnp__mover_free(plan->runners[i].mover);
        device->ops->fft_free(device, plan->runners[i].fft);
        device->ops->fft_free(device, plan->runners[i].last_fft);
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
    return bytes;
}

/* ---- the public side ---- */

mnp_status mnp_fft_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_fft_options *options,
                            mnp_fft_plan **plan_p)
{
    MNP_ENTER(ctx, layout, plan_p);
    const mnp_fft_options given = options ? *options : (mnp_fft_options){.real = false};
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
    const unsigned all = MNP_FFT_PERMUTED | MNP_FFT_ESTIMATED | MNP_FFT_MEASURED;
    const bool is_double = mnp__fft_is_double(dtype);
    mnp__fft_problem problem;
    mnp_fft_plan *plan;
    MNP_TRY(mnp__array_check(ctx, dtype, layout));
    if (given.flags & ~all || (given.flags & MNP_FFT_ESTIMATED && given.flags & MNP_FFT_MEASURED))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_fft_plan_new: %u is no set of flags", given.flags);
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_fft_plan_new", mnp__layout_hash(layout)));
    MNP_TRY(mnp__fft_resolve(&request, dtype, layout, &problem));
    problem.tries = !(given.flags & MNP_FFT_ESTIMATED);
    mnp_status st = mnp__fft_choose(ctx, is_double, given.flags & MNP_FFT_MEASURED, &problem);
    if (st == MNP_OK)
        st = mnp__fft_plan_make(ctx, &problem, is_double, true, &plan);
    mnp_layout_free((mnp_layout *)problem.out);
    MNP_TRY(st);
    mnp__ctx_made(ctx, plan);
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
    *info = (mnp_fft_plan_info){.method = plan->steps.method,
                                .choice = plan->problem.basis ? plan->problem.basis : "estimated",
                                .workspace = (int64_t)plan->need.work.largest,
                                .scratch = (int64_t)plan->need.scratch};
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
        info->receivers += facts.receivers;
        info->buffers += facts.buffers;
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
    fprintf(file, "Fourier transform over %d ranks: %s, as %s\n", plan->ctx->comm.size, info.method, info.choice);
    for (int i = 0; i < plan->steps.count; i++) {
        const mnp__fft_step *step = &plan->steps.steps[i];
        fprintf(file, "  %d: ", i + 1);
        if (step->what == MNP__FFT_LOCAL) {
            fprintf(file, "transform along");
            for (int a = 0; a < step->naxes; a++)
                fprintf(file, "%s %d", a ? "," : "", step->axes[a]);
            fputc('\n', file);
        } else {
            fputs(step->what != MNP__FFT_MOVE ? "multiply by factors\n"
                  : step->chain > 0           ? "move to another layout, slab by slab while it is transformed\n"
                                              : "move to another layout\n",
                  file);
        }
    }
    fprintf(file, "  rank 0: works in %lld bytes, sends %lld bytes to ranks of its node and %lld to others\n",
            (long long)(info.workspace + info.scratch + info.buffers), (long long)info.node_bytes,
            (long long)info.far_bytes);
}

void mnp_fft_plan_free(mnp_fft_plan *plan)
{
    if (!plan)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, plan);
    mnp__ctx_gone(plan->ctx, plan);
    mnp__ctx_drain(plan->ctx);
    mnp__fft_plan_release(plan);
}
