/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and running sweeps: the CPU finds the groups in one pass over the pattern and decides where each row lies; a
 * kernel (kernels/sparse/precond/permute_rows.cu) counts the entries and moves them there.
 *
 * The CPU never sees the values.  It holds the pattern and a few numbers a row, which give the order of the rows and
 * where slices begin.
 */
#include "sparse/precond/level_sweep.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/precond/level_sweep_params.h"
#include "sparse/step/elements.h"

enum {
    MASKED_COLOURS = 64,
    WORTH_A_LAUNCH = 2048, /* rows, on the host */
    WORTH_A_WORKER = 1024, /* too */
    WARP = 32,
    BLOCK = 128,            /* threads, where there are many blocks */
    MOST_ENTRIES = 16384,   /* of a group that one block takes alone */
    SORTED_TOGETHER = 1024, /* rows */
    COUNTED = 128           /* lengths of rows that are counted when they are sorted */
};

struct mnp__level_sweep {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__sweep_kind kind;
    mnp__kernel *kernels[2]; /* the context's, for one vector and for several; NULL: not loaded */
    int64_t rows;
    int levels; /* or colours */
    int groups; /* levels; one where a single worker takes the rows in their order */
    bool in_order;
    int slice;              /* rows whose entries lie side by side */
    int64_t most_alone;     /* rows of a group that one worker takes */
    int64_t *group_offsets; /* groups + 1, on the CPU */
    struct {
        void *groups, *rows, *offsets, *lengths, *columns, *values, *inverse;
    } device; /* memory, as the kernel takes it */
};

/* ---- groups ---- */

/* Whether rows and entries come from the last to the first. */
static bool falls(mnp__sweep_kind kind)
{
    return kind == MNP__SWEEP_UPPER || kind == MNP__SWEEP_BEHIND;
}

/* The group of every row of a triangle: one more than those that it depends on. */
static int find_levels(const mnp__pattern *pattern, mnp__sweep_kind kind, int32_t *group)
{
    const bool upper = kind == MNP__SWEEP_UPPER;
    int groups = 0;
    for (int64_t n = 0; n < pattern->rows; n++) {
        const int64_t i = upper ? pattern->rows - 1 - n : n;
        int32_t level = 0;
        for (int64_t e = pattern->offsets[i]; e < pattern->offsets[i + 1]; e++) {
            const int32_t j = pattern->columns[e];
            if ((upper ? j > i : j < i) && group[j] >= level)
                level = group[j] + 1;
        }
        group[i] = level;
        groups = level >= groups ? level + 1 : groups;
    }
    return groups;
}

/* The colours that a row's own entries meet, besides those that are taken already. */
static uint64_t colours_before(const mnp__pattern *pattern, int64_t i, const int32_t *group, uint64_t taken)
{
    for (int64_t e = pattern->offsets[i]; e < pattern->offsets[i + 1]; e++) {
        const int64_t j = pattern->columns[e];
        if (j < i && group[j] < MASKED_COLOURS)
            taken |= 1ull << group[j];
    }
    return taken;
}

/*
 * The first colour that none of its neighbours has, row by row.  Neighbours are the columns of a row's entries, and the
 * rows that have an entry in its column: `reached` has the colours of those so far, as a mask.  Where that is full, as
 * in a dense row's neighbourhood, a row gets a colour of its own.
 */
static int find_colours(const mnp__pattern *pattern, int32_t *group, uint64_t *reached)
{
    int groups = 0, extra = MASKED_COLOURS;
    for (int64_t i = 0; i < pattern->rows; i++) {
        const uint64_t taken = colours_before(pattern, i, group, reached[i]);
        int32_t colour = 0;
        while (colour < MASKED_COLOURS && taken >> colour & 1)
            colour++;
        group[i] = colour < MASKED_COLOURS ? colour : extra++;
        groups = group[i] >= groups ? group[i] + 1 : groups;
        for (int64_t e = pattern->offsets[i]; colour < MASKED_COLOURS && e < pattern->offsets[i + 1]; e++)
            if (pattern->columns[e] > i)
                reached[pattern->columns[e]] |= 1ull << colour;
    }
    return groups;
}

mnp_status mnp__level_sweep_colour(mnp__pattern *pattern)
{
    uint64_t *reached = NULL;
    MNP_TRY(mnp__malloc((size_t)pattern->rows * sizeof *pattern->colours, &pattern->colours));
    MNP_TRY(mnp__calloc((size_t)pattern->rows, sizeof *reached, &reached));
    pattern->ncolours = find_colours(pattern, pattern->colours, reached);
    free(reached);
    return MNP_OK;
}

/* ---- kernels ---- */

mnp_status mnp__level_sweep_load_permutation(mnp__level_sweep_source *source)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(source->dtype));
    const mnp__kernel_spec spec = {.file = "sparse/precond/permute_rows.cu", .function = "permute_rows"};
    return mnp__ctx_kernel_of_text(source->ctx, &spec, &defines, NULL, &source->kernel);
}

/* Enqueue a task for so many lines or positions. */
static mnp_status run_task(const mnp__level_sweep_source *source, mnp__sweep_kind kind, int task, int64_t count,
                           struct mnp_permute_rows_params params)
{
    const mnp__part *part = source->part;
    params.task = task;
    params.kind = (int)kind;
    params.falls = falls(kind);
    params.wide = part->offset_size == sizeof(int64_t);
    params.offsets = part->offsets;
    params.rows_of = part->rows_of;
    params.columns = part->indices;
    params.values = part->values;
    params.lines = part->lines;
    params.rows = part->rows;
    params.first = source->first;
    params.end = source->end;
    return mnp__ctx_launch(source->ctx, source->kernel, count, &params, sizeof params);
}

mnp_status mnp__level_sweep_find_other_side(const mnp__level_sweep_source *source, mnp__sweep_kind kind,
                                            int64_t *entry_p)
{
    mnp_ctx *ctx = source->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    void *found = NULL;
    MNP_TRY(ops->alloc(ctx->device, sizeof *entry_p, &found));
    mnp_status st = ops->fill(ctx->device, found, 0xff, sizeof *entry_p, ctx->compute);
    if (st == MNP_OK)
        st = run_task(source, kind, MNP_PERMUTE_ROWS_FIND, source->part->lines,
                      (struct mnp_permute_rows_params){.found = found});
    if (st == MNP_OK)
        st = mnp__elements_copy(ctx, entry_p, found, 1, sizeof *entry_p);
    ops->free(ctx->device, found);
    return st;
}

/* ---- positions ---- */

/* How the rows lie; memory of the CPU unless said otherwise. */
typedef struct permutation {
    const mnp__level_sweep_source *source;
    int32_t *levels;           /* of rows of a triangle, which are its groups */
    const int32_t *group;      /* of rows: levels, or the pattern's colours; NULL: all are in group 0 */
    int32_t *rows;             /* at every position */
    int32_t *lengths;          /* of rows: entries that count */
    int32_t *position_lengths; /* the same by positions, where slices have several */
    int64_t *offsets, nslices; /* of slices, one more than there are */
    void *device_colours;      /* device memory */
} permutation;

static void free_permutation(permutation *made)
{
    mnp_ctx *ctx = made->source->ctx;
    ctx->device->ops->free(ctx->device, made->device_colours);
    free(made->levels);
    free(made->rows);
    free(made->lengths);
    free(made->position_lengths);
    free(made->offsets);
}

/* The groups of all rows. */
static mnp_status find_groups(mnp__level_sweep *plan, permutation *made)
{
    const mnp__pattern *pattern = made->source->pattern;
    switch (plan->kind) {
    case MNP__SWEEP_LOWER:
    case MNP__SWEEP_UPPER:
        MNP_TRY(mnp__malloc((size_t)plan->rows * sizeof *made->levels, &made->levels));
        plan->levels = find_levels(pattern, plan->kind, made->levels);
        made->group = made->levels;
        break;
    case MNP__SWEEP_ALL:
    case MNP__SWEEP_EARLIER:
    case MNP__SWEEP_LATER:
        plan->levels = pattern->ncolours;
        made->group = pattern->colours;
        break;
    default:
        plan->levels = plan->rows > 0;
    }
    return MNP_OK;
}

/* One group of all rows, in the order of their dependences. */
static void take_in_order(mnp__level_sweep *plan, int32_t *rows)
{
    plan->groups = 1;
    plan->group_offsets[1] = plan->rows;
    for (int64_t n = 0; n < plan->rows; n++)
        rows[n] = (int32_t)(falls(plan->kind) ? plan->rows - 1 - n : n);
}

/* The rows by groups, rising within each. */
static void take_by_groups(mnp__level_sweep *plan, const int32_t *group, int32_t *rows)
{
    plan->groups = plan->levels;
    int64_t *next = plan->group_offsets + 1; /* one behind: where a group's next row goes */
    for (int64_t i = 0; i < plan->rows; i++)
        next[(group ? group[i] : 0) + 1]++;
    for (int g = 0; g < plan->groups; g++)
        next[g + 1] += next[g];
    for (int64_t i = 0; i < plan->rows; i++)
        rows[next[group ? group[i] : 0]++] = (int32_t)i;
}

/*
 * Whether one worker of the host is faster than all: by levels, vectors are not read contiguously, so a row takes about
 * twice as long, and every level is a launch.
 */
static mnp_status choose_groups(mnp__level_sweep *plan)
{
    mnp_rank_info info = {.rank = 0};
    if (plan->slice > 1 || (plan->kind != MNP__SWEEP_LOWER && plan->kind != MNP__SWEEP_UPPER))
        return MNP_OK;
    MNP_TRY(plan->ctx->device->ops->info(plan->ctx->device, &info));
    const int64_t workers = info.multiprocessors;
    plan->in_order = plan->rows * (workers - 2) < (int64_t)plan->levels * WORTH_A_LAUNCH * workers;
    return MNP_OK;
}

/* Which row lies where, before rows of a group are sorted by their lengths. */
static mnp_status order_rows(mnp__level_sweep *plan, permutation *made)
{
    MNP_TRY(mnp__malloc((size_t)plan->rows * sizeof *made->rows, &made->rows));
    MNP_TRY(find_groups(plan, made));
    MNP_TRY(mnp__calloc((size_t)plan->levels + 2, sizeof *plan->group_offsets, &plan->group_offsets));
    MNP_TRY(choose_groups(plan));
    if (plan->in_order)
        take_in_order(plan, made->rows);
    else
        take_by_groups(plan, made->group, made->rows);
    if (made->levels) /* they are used up */
        made->group = NULL;
    free(made->levels);
    made->levels = NULL;
    return MNP_OK;
}

/* ---- lengths ---- */

/* Waits. */
static mnp_status count_entries(const mnp__level_sweep *plan, permutation *made)
{
    mnp_ctx *ctx = plan->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t size = (size_t)plan->rows * sizeof *made->lengths;
    void *counted = NULL;
    mnp_status st;
    MNP_TRY(mnp__malloc(size, &made->lengths));
    if (plan->kind == MNP__SWEEP_EARLIER || plan->kind == MNP__SWEEP_LATER)
        MNP_TRY(mnp__elements_send(ctx, plan->rows, sizeof *made->group, made->group, &made->device_colours));
    MNP_TRY(ops->alloc(ctx->device, size, &counted));
    if (size > 0)
        MNP_TRY_OR(ops->fill(ctx->device, counted, 0, size, ctx->compute), st, done); /* of rows without a line */
    MNP_TRY_OR(run_task(made->source, plan->kind, MNP_PERMUTE_ROWS_COUNT, made->source->part->lines,
                        (struct mnp_permute_rows_params){.colours = made->device_colours, .lengths = counted}),
               st, done);
    st = mnp__elements_copy(ctx, made->lengths, counted, plan->rows, sizeof *made->lengths);
done:
    ops->free(ctx->device, counted);
    return st;
}

/* Rows that rise, so that long ones come first, of any length. */
static void sort_by_keys(const int32_t *lengths, int32_t *rows, int64_t count)
{
    int64_t keys[SORTED_TOGETHER]; /* the length, from the longest on, and the row */
    for (int64_t k = 0; k < count; k++)
        keys[k] = (INT32_MAX - (int64_t)lengths[rows[k]]) << 32 | rows[k];
    qsort(keys, (size_t)count, sizeof *keys, mnp__compare_int64);
    for (int64_t k = 0; k < count; k++)
        rows[k] = (int32_t)(keys[k] & INT32_MAX);
}

/* The same for lengths below COUNTED, in a fraction of the time. */
static void sort_by_counts(const int32_t *lengths, int32_t *rows, int64_t count)
{
    int32_t positions[COUNTED + 1] = {0}; /* where the next row of every length goes, the longest first */
    int32_t risen[SORTED_TOGETHER];
    for (int64_t k = 0; k < count; k++) {
        risen[k] = rows[k];
        positions[COUNTED - lengths[rows[k]]]++; /* one behind */
    }
    for (int length = 0; length < COUNTED; length++)
        positions[length + 1] += positions[length];
    for (int64_t k = 0; k < count; k++)
        rows[positions[COUNTED - 1 - lengths[risen[k]]]++] = risen[k];
}

/* Rows that lie one after the other, and rise, so that long ones come first. */
static void sort_positions(const int32_t *lengths, int32_t *rows, int64_t count)
{
    int32_t longest = 0;
    bool sorted = true;
    for (int64_t k = 0; k < count; k++) {
        longest = lengths[rows[k]] > longest ? lengths[rows[k]] : longest;
        sorted = sorted && (k == 0 || lengths[rows[k - 1]] >= lengths[rows[k]]);
    }
    if (!sorted && longest < COUNTED)
        sort_by_counts(lengths, rows, count);
    else if (!sorted)
        sort_by_keys(lengths, rows, count);
}

/* Neighbouring rows of a group: rows of a slice are then of about one length. */
static void sort_by_length(const mnp__level_sweep *plan, const permutation *made)
{
    for (int g = 0; g < plan->groups; g++) {
        for (int64_t first = plan->group_offsets[g]; first < plan->group_offsets[g + 1]; first += SORTED_TOGETHER) {
            const int64_t left = plan->group_offsets[g + 1] - first;
            sort_positions(made->lengths, made->rows + first, mnp__min(left, SORTED_TOGETHER));
        }
    }
}

/* Where the entries of every slice begin: slices are as long as their longest row. */
static mnp_status locate_slices(const mnp__level_sweep *plan, permutation *made)
{
    made->nslices = mnp__divide_up(plan->rows, plan->slice);
    MNP_TRY(mnp__malloc((size_t)(made->nslices + 1) * sizeof *made->offsets, &made->offsets));
    if (plan->slice > 1)
        MNP_TRY(mnp__malloc((size_t)plan->rows * sizeof *made->position_lengths, &made->position_lengths));
    made->offsets[0] = 0;
    for (int64_t s = 0, place = 0; s < made->nslices; s++) {
        int64_t longest = 0;
        for (; place < (s + 1) * plan->slice && place < plan->rows; place++) {
            const int32_t length = made->lengths[made->rows[place]];
            if (made->position_lengths)
                made->position_lengths[place] = length;
            longest = mnp__max(length, longest);
        }
        made->offsets[s + 1] = made->offsets[s] + longest * plan->slice;
    }
    free(made->lengths);
    made->lengths = NULL;
    return MNP_OK;
}

/* ---- device memory ---- */

/* Enqueued. */
static mnp_status upload_positions(mnp__level_sweep *plan, const permutation *made)
{
    mnp_ctx *ctx = plan->ctx;
    MNP_TRY(mnp__elements_send(ctx, plan->groups + 1, sizeof *plan->group_offsets, plan->group_offsets,
                               &plan->device.groups));
    MNP_TRY(mnp__elements_send(ctx, plan->rows, sizeof *made->rows, made->rows, &plan->device.rows));
    MNP_TRY(mnp__elements_send(ctx, made->nslices + 1, sizeof *made->offsets, made->offsets, &plan->device.offsets));
    if (plan->slice > 1)
        MNP_TRY(mnp__elements_send(ctx, plan->rows, sizeof *made->position_lengths, made->position_lengths,
                                   &plan->device.lengths));
    return MNP_OK;
}

/* The entries of all positions, once these are uploaded.  Enqueued. */
static mnp_status fill_entries(mnp__level_sweep *plan, const permutation *made)
{
    mnp__device *device = plan->ctx->device;
    const size_t stored = (size_t)made->offsets[made->nslices];
    MNP_TRY(device->ops->alloc(device, stored * sizeof(int32_t), &plan->device.columns));
    MNP_TRY(device->ops->alloc(device, stored * mnp_dtype_size(plan->dtype), &plan->device.values));
    return run_task(made->source, plan->kind, MNP_PERMUTE_ROWS_FILL, plan->rows,
                    (struct mnp_permute_rows_params){.colours = made->device_colours,
                                                     .positions = plan->device.rows,
                                                     .slices = plan->device.offsets,
                                                     .slice = plan->slice,
                                                     .made_columns = plan->device.columns,
                                                     .made_values = plan->device.values});
}

/* ---- making ---- */

/* The rows below which another worker, or on a GPU another launch, would not pay. */
static int64_t choose_most_alone(const mnp__level_sweep *plan, int64_t stored)
{
    if (plan->slice == 1)
        return WORTH_A_WORKER - 1;
    const int64_t most = MOST_ENTRIES / (stored / (plan->rows > 0 ? plan->rows : 1) + 1);
    return mnp__min(most, MNP_LEVEL_SWEEP_THREADS);
}

static mnp_status build(mnp__level_sweep *plan, const void *inverse, permutation *made)
{
    MNP_TRY(order_rows(plan, made));
    MNP_TRY(count_entries(plan, made));
    if (plan->slice > 1)
        sort_by_length(plan, made);
    MNP_TRY(locate_slices(plan, made));
    plan->most_alone = choose_most_alone(plan, made->offsets[made->nslices]);
    MNP_TRY(upload_positions(plan, made));
    MNP_TRY(fill_entries(plan, made));
    if (inverse)
        MNP_TRY(mnp__elements_send(plan->ctx, plan->rows, mnp_dtype_size(plan->dtype), inverse, &plan->device.inverse));
    return MNP_OK;
}

mnp_status mnp__level_sweep_new(const mnp__level_sweep_source *source, const void *inverse, mnp__sweep_kind kind,
                                mnp__level_sweep **plan_p)
{
    mnp_ctx *ctx = source->ctx;
    mnp__level_sweep *plan;
    permutation made = {.source = source};
    MNP_TRY(mnp__calloc(1, sizeof *plan, &plan));
    *plan = (mnp__level_sweep){.ctx = ctx,
                               .dtype = source->dtype,
                               .kind = kind,
                               .rows = source->part->rows,
                               .slice = ctx->device->block_memory == 0 ? 1 : WARP};
    mnp_status st = build(plan, inverse, &made);
    const mnp_status waited = mnp__ctx_wait(ctx, ctx->compute); /* copies of what is freed now are under way */
    free_permutation(&made);
    st = st == MNP_OK ? waited : st;
    if (st == MNP_OK)
        *plan_p = plan;
    else
        mnp__level_sweep_free(plan);
    return st;
}

void mnp__level_sweep_free(mnp__level_sweep *plan)
{
    if (!plan)
        return;
    const mnp__device_ops *ops = plan->ctx->device->ops;
    ops->free(plan->ctx->device, plan->device.groups);
    ops->free(plan->ctx->device, plan->device.rows);
    ops->free(plan->ctx->device, plan->device.offsets);
    ops->free(plan->ctx->device, plan->device.lengths);
    ops->free(plan->ctx->device, plan->device.columns);
    ops->free(plan->ctx->device, plan->device.values);
    ops->free(plan->ctx->device, plan->device.inverse);
    free(plan->group_offsets);
    free(plan);
}

static mnp_status load(mnp__level_sweep *plan, bool wide)
{
    mnp__kernel **kernel_p = &plan->kernels[wide];
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    if (*kernel_p)
        return MNP_OK;
    mnp__text_add(&defines, "#define MNP_T %s\n#define MNP_SLICE %d\n#define MNP_WIDE %d\n", mnp__jit_type(plan->dtype),
                  plan->slice, wide);
    const mnp__kernel_spec spec = {.file = "sparse/precond/level_sweep.cu", .function = "mnp_level_sweep"};
    return mnp__ctx_kernel_of_text(plan->ctx, &spec, &defines, NULL, kernel_p);
}

mnp_status mnp__level_sweep_load(mnp__level_sweep *plan)
{
    return load(plan, false);
}

mnp_status mnp__level_sweep_load_wide(mnp__level_sweep *plan)
{
    return load(plan, true);
}

/* ---- sweeps ---- */

/* Threads that a group keeps busy: those of a GPU are counted from the beginning of a slice. */
static int64_t count_tasks(const mnp__level_sweep *plan, int64_t group, int64_t width)
{
    const int64_t begin = plan->group_offsets[group], end = plan->group_offsets[group + 1];
    return (end - begin / plan->slice * plan->slice) * width;
}

/* How many groups one launch takes, and the most tasks of any: more than one if they are small, by one worker. */
static int64_t take_groups(const mnp__level_sweep *plan, int64_t first, int64_t step, int64_t width, int64_t *tasks_p)
{
    int64_t count = 0;
    *tasks_p = count_tasks(plan, first, width);
    for (int64_t g = first; g >= 0 && g < plan->groups; g += step) {
        const int64_t tasks = count_tasks(plan, g, width);
        if ((plan->group_offsets[g + 1] - plan->group_offsets[g]) * width > plan->most_alone)
            break;
        *tasks_p = tasks > *tasks_p ? tasks : *tasks_p;
        count++;
    }
    return count > 0 ? count : 1;
}

static mnp__launch launch_of(const mnp__level_sweep *plan, bool alone, int64_t tasks)
{
    if (plan->slice == 1)
        return (mnp__launch){.grid = {alone ? 1 : (unsigned)(tasks / WORTH_A_WORKER + 1), 1, 1}, .block = {1, 1, 1}};
    const int64_t threads = tasks < MNP_LEVEL_SWEEP_THREADS ? mnp__round_up(tasks, WARP) : MNP_LEVEL_SWEEP_THREADS;
    if (alone)
        return (mnp__launch){.grid = {1, 1, 1}, .block = {(unsigned)threads, 1, 1}, .early = true};
    const unsigned blocks = (unsigned)mnp__divide_up(tasks, BLOCK);
    return (mnp__launch){.grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1}, .early = true};
}

mnp_status mnp__level_sweep_run(const mnp__level_sweep *plan, const mnp__sweep *sweep)
{
    mnp_ctx *ctx = plan->ctx;
    struct mnp_level_sweep_params params = {.step = sweep->backward ? -1 : 1,
                                            .groups = (uintptr_t)plan->device.groups,
                                            .rows = (uintptr_t)plan->device.rows,
                                            .offsets = (uintptr_t)plan->device.offsets,
                                            .lengths = (uintptr_t)plan->device.lengths,
                                            .columns = (uintptr_t)plan->device.columns,
                                            .values = (uintptr_t)plan->device.values,
                                            .inverse = (uintptr_t)plan->device.inverse,
                                            .b = (uintptr_t)sweep->b,
                                            .from = (uintptr_t)sweep->from,
                                            .x = (uintptr_t)sweep->x,
                                            .width = sweep->width,
                                            .keep = sweep->keep};
    mnp__kernel *kernel = plan->kernels[sweep->width != 1];
    for (int64_t done = 0; sweep->width > 0 && done < plan->groups; done += params.count) {
        int64_t tasks;
        params.first = sweep->backward ? plan->groups - 1 - done : done;
        params.count = take_groups(plan, params.first, params.step, sweep->width, &tasks);
        const mnp__launch launch = launch_of(plan, plan->in_order || params.count > 1, tasks);
        MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute));
    }
    return MNP_OK;
}

int mnp__level_sweep_groups(const mnp__level_sweep *plan)
{
    return plan->levels;
}
