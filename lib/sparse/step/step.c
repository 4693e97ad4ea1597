/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps: their text, which is compiled when a step first runs, the state, and the CPU's copy of it.
 *
 * The device memory of a method is one allocation: the state, the ring of residuals, the counts of arrivals, the sums
 * of workers, and the method's own memory.
 */
#include "sparse/step/step.h"

#include <stdlib.h>
#include <string.h>

#include <maniple/comm.h>

#include "base/dtype.h"
#include "base/integer.h"
#include "base/text.h"

enum {
    MOST_STEPS = 24,       /* of a method */
    WORTH_A_WORKER = 8192, /* elements, on the host */
    FEW_BLOCKS = 264,      /* of a GPU: two for each multiprocessor of an H200, with an element a thread; */
    MOST_BLOCKS = 660,     /* and five, all of which run at once: more take turns (measured) */
    EACH = 4,              /* elements of a thread before there are more than few blocks */
    FIRST_ROOM = 256,      /* of the history */
    AT_A_POLL = 64         /* residuals that are fetched before their number is known */
};

/* The CPU's copy of the control and the ring, in pinned memory. */
typedef struct view {
    struct mnp_step_control control;
    double ring[MNP_STEP_HISTORY];
    double pause; /* from the CPU to the device */
} view;

struct mnp__steps {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__scalars scalars;
    int parameter;
    char *device; /* all device memory */
    size_t ring_at, arrived_at, partials_at, memory_at, size;
    view *seen;
    mnp__device_event *copied; /* where `seen` is whole */
    bool copying;
    int64_t copied_to; /* number of the first residual that does not come with it */
    double *history;
    int64_t history_count, history_room;
    bool looping; /* what is run is recorded as part of a loop */
    uint64_t condition;
    struct {
        const mnp__step *step;
        mnp__kernel *kernel;
    } compiled[MOST_STEPS];
    int ncompiled;
};

/* ---- the text of a step ---- */

void mnp__steps_define_types(mnp__text *text, mnp_dtype dtype)
{
    bool is_complex = dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128;
    bool is_wide = mnp__dtype_is_double(dtype);
    mnp__text_add(text, "#define MNP_T %s\n#define MNP_W %s\n#define MNP_EPSILON %s\n", mnp__jit_type(dtype),
                  is_complex ? "mnp_complex128" : "double", is_wide ? "2.2e-16" : "1.2e-7");
}

/* Add text for each name of a list: before NAME between NAME after, or with its number as the second. */
static void add_names(mnp__text *text, const char *names, const char *separators, const char *before,
                      const char *between, const char *after, bool numbered)
{
    int number = 0;
    for (const char *at = names ? names + strspn(names, separators) : ""; *at;) {
        int length = (int)strcspn(at, separators);
        if (numbered)
            mnp__text_add(text, "%s%.*s%s%d%s", before, length, at, between, number++, after);
        else
            mnp__text_add(text, "%s%.*s%s%.*s%s", before, length, at, between, length, at, after);
        at += length;
        at += strspn(at, separators);
    }
}

static void add_generated(mnp__text *text, const mnp__scalars *scalars, const mnp__step *step)
{
    mnp__text_add(text, "struct mnp_scalars : mnp_state {\n");
    if (scalars->reals)
        mnp__text_add(text, "    double %s;\n", scalars->reals);
    if (scalars->numbers)
        mnp__text_add(text, "    mnp_w %s;\n", scalars->numbers);
    mnp__text_add(text, "    MNP_INLINE void mnp_before(mnp_w *place)\n    {\n");
    if (scalars->memory)
        mnp__text_add(text, "        %s &memory = *(%s *)place;\n", scalars->memory, scalars->memory);
    mnp__text_add(text, "        %s\n    }\n};\n#define MNP_CONSTANTS(s)", step->before ? step->before : "");
    if (step->vectors) {
        add_names(text, scalars->reals, ", ", " \\\n    const mnp_t ", " = mnp_number_of<mnp_t>::from(s.", ");", false);
        add_names(text, scalars->numbers, ", ", " \\\n    const mnp_t ", " = mnp_narrow<mnp_t>(s.", ");", false);
    }
    add_names(text, step->vectors, " ", " \\\n    mnp_t *const all_", " = (mnp_t *)p.vectors[", "];", true);
    mnp__text_add(text, "\n#define MNP_ELEMENTS");
    add_names(text, step->vectors, " ", " mnp_t &", " = all_", "[i];", false);
    mnp__text_add(text, "\n#define MNP_BODY %s\n", step->body ? step->body : "");
    for (int k = 0; k < MNP__MOST_SUMS && step->sums[k]; k++)
        mnp__text_add(text, "#define MNP_SUM_%d %s\n", k, step->sums[k]);
}

static int count_sums(const mnp__step *step)
{
    int count = 0;
    while (count < MNP__MOST_SUMS && step->sums[count])
        count++;
    return count;
}

static mnp_status compile(mnp__steps *steps, const mnp__step *step, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room), generated = MNP__TEXT_EMPTY;
    mnp__steps_define_types(&defines, steps->dtype);
    mnp__text_add(&defines,
                  "#define mnp_step %s\n#define MNP_SUMS %d\n#define MNP_ALWAYS %d\n#define MNP_PARAMETER %d\n"
                  "#define MNP_LOOPS %d\n",
                  step->name, count_sums(step), step->always, steps->parameter, steps->ctx->device->has_loops);
    add_generated(&generated, &steps->scalars, step);
    const mnp__kernel_spec spec = {.file = "sparse/step/step.cu", .function = step->name};
    return mnp__ctx_kernel_of_text(steps->ctx, &spec, &defines, &generated, kernel_p);
}

static mnp_status find(mnp__steps *steps, const mnp__step *step, mnp__kernel **kernel_p)
{
    for (int i = 0; i < steps->ncompiled; i++) {
        if (steps->compiled[i].step == step) {
            *kernel_p = steps->compiled[i].kernel;
            return MNP_OK;
        }
    }
    if (steps->ncompiled == MOST_STEPS)
        return MNP_FAIL(MNP_ERR_INTERNAL, "a method has more than %d steps", MOST_STEPS);
    MNP_TRY(compile(steps, step, kernel_p));
    steps->compiled[steps->ncompiled].step = step;
    steps->compiled[steps->ncompiled++].kernel = *kernel_p;
    return MNP_OK;
}

/* ---- making and running ---- */

size_t mnp__sum_size(mnp_dtype dtype)
{
    return dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128 ? 2 * sizeof(double) : sizeof(double);
}

static size_t aligned(size_t size)
{
    return mnp__round_up_bytes(size, 256);
}

static mnp_status allocate(mnp__steps *steps, size_t memory_size, int basis)
{
    mnp_ctx *ctx = steps->ctx;
    size_t groups = (size_t)mnp__divide_up(basis, MNP_STEP_GROUP);
    size_t sums = groups > 0 ? groups * MNP_STEP_GROUP : MNP__MOST_SUMS;
    steps->ring_at = MNP_STEP_STATE;
    steps->arrived_at = steps->ring_at + aligned(MNP_STEP_HISTORY * sizeof(double));
    steps->partials_at = steps->arrived_at + aligned((groups + 1) * sizeof(unsigned));
    steps->memory_at = steps->partials_at + aligned(sums * MNP_STEP_WORKERS * mnp__sum_size(steps->dtype));
    steps->size = steps->memory_at + aligned(memory_size);
    void *device, *pinned;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, steps->size, &device));
    steps->device = device;
    MNP_TRY(ctx->device->ops->alloc_pinned(ctx->device, sizeof(view), &pinned));
    steps->seen = pinned;
    MNP_TRY(mnp__malloc(FIRST_ROOM * sizeof *steps->history, &steps->history));
    steps->history_room = FIRST_ROOM;
    MNP_TRY(ctx->device->ops->event_new(ctx->device, &steps->copied));
    return ctx->device->ops->fill(ctx->device, steps->device, 0, steps->size, ctx->compute);
}

mnp_status mnp__steps_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__scalars *scalars, int parameter, size_t memory_size,
                          int basis, mnp__steps **steps_p)
{
    mnp__steps *steps = NULL;
    mnp_status st = mnp__calloc(1, sizeof *steps, &steps);
    if (st == MNP_OK) {
        steps->ctx = ctx;
        steps->dtype = dtype;
        steps->scalars = *scalars;
        steps->parameter = parameter;
        st = allocate(steps, memory_size, basis);
    }
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *steps_p = steps;
    else
        mnp__steps_free(steps);
    return st;
}

void mnp__steps_free(mnp__steps *steps)
{
    if (!steps)
        return;
    mnp__device *device = steps->ctx->device;
    if (steps->copying) /* the copy has come before its memory goes */
        mnp__comm_wait_event(&steps->ctx->comm, steps->copied);
    if (steps->copied)
        device->ops->event_free(device, steps->copied);
    if (steps->seen)
        device->ops->free_pinned(device, steps->seen);
    if (steps->device)
        device->ops->free(device, steps->device);
    free(steps->history);
    free(steps);
}

mnp_status mnp__steps_begin(mnp__steps *steps, const struct mnp_step_control *control)
{
    mnp_ctx *ctx = steps->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    if (steps->copying) { /* of an earlier state */
        steps->copying = false;
        MNP_TRY(mnp__comm_wait_event(&ctx->comm, steps->copied));
    }
    steps->seen->control = *control; /* pinned: it may be copied later */
    MNP_TRY(ops->fill(ctx->device, steps->device, 0, MNP_STEP_STATE, ctx->compute));
    MNP_TRY(ops->copy(ctx->device, steps->device, &steps->seen->control, sizeof *control, ctx->compute));
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    if (steps->history_count == 0)
        steps->history[steps->history_count++] = control->residual;
    return MNP_OK;
}

_Static_assert((int)MOST_BLOCKS <= MNP_STEP_WORKERS, "there is room for the sums of all blocks");

/* Every block costs time: its scalars, and its share of the sums. */
static int64_t count_blocks(int64_t count)
{
    const int64_t blocks = mnp__divide_up(count, MNP_STEP_BLOCK), fewer = blocks / EACH;
    if (blocks <= FEW_BLOCKS)
        return blocks;
    return mnp__clamp(fewer, FEW_BLOCKS, MOST_BLOCKS);
}

mnp__launch mnp__steps_launch(const mnp_ctx *ctx, int64_t count)
{
    bool blocks = ctx->device->block_memory > 0;
    int64_t workers = blocks ? count_blocks(count) : count / WORTH_A_WORKER;
    workers = mnp__clamp(workers, 1, MNP_STEP_WORKERS);
    return (mnp__launch){.grid = {(unsigned)workers, 1, 1}, .block = {MNP_STEP_BLOCK, 1, 1}};
}

mnp_status mnp__sum_over_ranks(mnp_ctx *ctx, mnp_dtype dtype, void *sums, int count)
{
    if (ctx->comm.size == 1)
        return MNP_OK;
    int64_t doubles = count * (int64_t)(mnp__sum_size(dtype) / sizeof(double));
    return mnp_comm_all_reduce(ctx->world, sums, sums, doubles, MNP_FLOAT64, MNP_SUM);
}

mnp_status mnp__steps_run(mnp__steps *steps, const mnp__step *step, mnp_array *const *vectors)
{
    mnp_ctx *ctx = steps->ctx;
    mnp__kernel *kernel;
    MNP_TRY(find(steps, step, &kernel));
    int64_t count = step->vectors ? vectors[0]->local_size : 0;
    mnp__launch launch = mnp__steps_launch(ctx, count);
    if (!step->vectors)
        launch = (mnp__launch){.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct mnp_step_params params = {.count = count,
                                     .state = (uintptr_t)steps->device,
                                     .partials = (uintptr_t)(steps->device + steps->partials_at),
                                     .arrived = (uintptr_t)(steps->device + steps->arrived_at),
                                     .history = (uintptr_t)(steps->device + steps->ring_at),
                                     .extra = (uintptr_t)(steps->device + steps->memory_at),
                                     .condition = steps->condition,
                                     .looping = steps->looping};
    int number = 0;
    for (const char *at = step->vectors; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        params.vectors[number] = (uintptr_t)vectors[number]->data, number++;
    launch.early = true;
    MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute));
    int sums = count_sums(step);
    if (sums == 0)
        return MNP_OK;
    return mnp__sum_over_ranks(ctx, steps->dtype, steps->device + sizeof(struct mnp_step_control), sums);
}

/* ---- the CPU's copy ---- */

/* Room for so many residuals.  All ranks have as many, so all grow at the same time. */
static mnp_status make_room(mnp__steps *steps, int64_t count)
{
    int64_t room = steps->history_room;
    if (count <= room)
        return MNP_OK;
    while (room < count)
        room *= 2;
    double *grown = realloc(steps->history, (size_t)room * sizeof *grown);
    if (grown) {
        steps->history = grown;
        steps->history_room = room;
    }
    return MNP_AGREE(steps->ctx,
                     grown ? MNP_OK
                           : MNP_FAIL(MNP_ERR_MEMORY, "no memory for a history of %lld residuals", (long long)room));
}

/* Enqueue copies of residuals up to number `end`, and an event after them. */
static mnp_status copy_residuals(mnp__steps *steps, int64_t begin, int64_t end)
{
    mnp_ctx *ctx = steps->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const double *ring = (const double *)(const void *)(steps->device + steps->ring_at);
    while (begin < end) {
        const int64_t at = begin % MNP_STEP_HISTORY, rest = MNP_STEP_HISTORY - at;
        const int64_t count = end - begin < rest ? end - begin : rest;
        MNP_TRY(ops->copy(ctx->device, steps->seen->ring + at, ring + at, (size_t)count * sizeof *ring, ctx->compute));
        begin += count;
    }
    MNP_TRY(ops->event_record(ctx->device, steps->copied, ctx->compute));
    steps->copied_to = end;
    steps->copying = true;
    return MNP_OK;
}

static mnp_status copy_view(mnp__steps *steps)
{
    mnp_ctx *ctx = steps->ctx;
    MNP_TRY(ctx->device->ops->copy(ctx->device, &steps->seen->control, steps->device, sizeof steps->seen->control,
                                   ctx->compute));
    return copy_residuals(steps, steps->history_count, steps->history_count + AT_A_POLL);
}

static mnp_status wait_for_copies(mnp__steps *steps)
{
    steps->copying = false;
    return mnp__comm_wait_event(&steps->ctx->comm, steps->copied);
}

static mnp_status wait_for_view(mnp__steps *steps)
{
    if (!steps->copying)
        return MNP_OK;
    MNP_TRY(wait_for_copies(steps));
    const int64_t count = (int64_t)steps->seen->control.iterations + 1;
    if (count > steps->copied_to) {
        MNP_TRY(copy_residuals(steps, steps->copied_to, count));
        MNP_TRY(wait_for_copies(steps));
    }
    MNP_TRY(make_room(steps, count));
    for (int64_t i = steps->history_count; i < count; i++)
        steps->history[i] = steps->seen->ring[i % MNP_STEP_HISTORY];
    steps->history_count = mnp__max(count, steps->history_count);
    return MNP_OK;
}

mnp_status mnp__steps_poll(mnp__steps *steps, bool now, struct mnp_step_control *control)
{
    bool at_once = now || steps->ctx->device->cpu_memory;
    MNP_TRY(wait_for_view(steps));
    if (at_once) {
        MNP_TRY(copy_view(steps));
        MNP_TRY(wait_for_view(steps));
    }
    *control = steps->seen->control;
    return at_once ? MNP_OK : copy_view(steps);
}

void mnp__steps_record(mnp__steps *steps, const uint64_t *condition)
{
    steps->looping = condition != NULL;
    steps->condition = condition ? *condition : 0;
}

mnp_status mnp__steps_pause(mnp__steps *steps, double iterations)
{
    mnp_ctx *ctx = steps->ctx;
    char *place = steps->device + offsetof(struct mnp_step_control, pause);
    steps->seen->pause = iterations; /* the loop before has been waited for, so this has been read */
    return ctx->device->ops->copy(ctx->device, place, &steps->seen->pause, sizeof iterations, ctx->compute);
}

mnp_status mnp__steps_sum(mnp__steps *steps, int k, double sum[2])
{
    mnp_ctx *ctx = steps->ctx;
    size_t size = mnp__sum_size(steps->dtype);
    const char *from = steps->device + sizeof(struct mnp_step_control) + (size_t)k * size;
    double value[2] = {0};
    MNP_TRY(ctx->device->ops->copy(ctx->device, value, from, size, ctx->compute));
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    memcpy(sum, value, sizeof value);
    return MNP_OK;
}

const double *mnp__steps_history(const mnp__steps *steps, int64_t *count_p)
{
    *count_p = steps->history_count;
    return steps->history;
}

void mnp__steps_forget(mnp__steps *steps)
{
    steps->history_count = 0;
}

mnp__steps_buffers mnp__steps_buffers_of(const mnp__steps *steps)
{
    return (mnp__steps_buffers){.ctx = steps->ctx,
                                .dtype = steps->dtype,
                                .state = steps->device,
                                .partials = steps->device + steps->partials_at,
                                .arrived = steps->device + steps->arrived_at,
                                .memory = steps->device + steps->memory_at};
}
