/*
 * Relaxations: the groups, by one pass over the rows, how the rows lie, and the launches.
 */
#include "sparse/relax.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/relax.h"
#include "sparse/step.h"

enum {
    MASKED_COLOURS = 64,
    WORTH_A_LAUNCH = 2048, /* rows, on the host */
    WORTH_A_WORKER = 1024, /* too */
    WARP = 32,
    BLOCK = 128,           /* threads, where there are many blocks */
    MOST_ENTRIES = 16384,  /* of a group that one block takes alone */
    SORTED_TOGETHER = 1024 /* rows */
};

struct mnp__relax {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__relax_order order;
    mnp__kernel *kernels[2]; /* the context's, for one vector and for several; NULL: not loaded */
    int64_t rows;
    int levels;             /* or colours */
    int groups;             /* levels, or where a worker takes the rows in their order: one */
    bool in_order;
    int slice;              /* rows whose entries lie side by side */
    int64_t most_alone;     /* rows of a group that one worker takes */
    int64_t *group_offsets; /* groups + 1, on the CPU */
    struct {
        void *groups, *rows, *offsets, *lengths, *columns, *values, *inverse;
    } device; /* memory, as the kernel takes it */
};

/* ---- groups ---- */

/* Which entries of a row count; group: the colours of all rows, for EARLIER and LATER, which alone need it. */
static bool counts(mnp__relax_order order, const int32_t *group, int64_t row, int64_t column)
{
    switch (order) {
    case MNP__RELAX_LOWER:
        return column < row;
    case MNP__RELAX_UPPER:
        return column > row;
    case MNP__RELAX_ALL:
        return column != row;
    case MNP__RELAX_EARLIER:
        return group[column] < group[row];
    case MNP__RELAX_LATER:
        return group[column] > group[row];
    default:
        return true;
    }
}

/* Whether rows and entries come from the last to the first. */
static bool falls(mnp__relax_order order)
{
    return order == MNP__RELAX_UPPER || order == MNP__RELAX_BEHIND;
}

/* The group of every row of a triangle: one more than those that it depends on. */
static int find_levels(const mnp__own_block *block, mnp__relax_order order, int32_t *group)
{
    int groups = 0;
    for (int64_t n = 0; n < block->rows; n++) {
        const int64_t i = falls(order) ? block->rows - 1 - n : n;
        int32_t level = 0;
        for (int64_t e = block->offsets[i]; e < block->offsets[i + 1]; e++) {
            const int32_t j = block->columns[e];
            if (counts(order, NULL, i, j) && group[j] >= level)
                level = group[j] + 1;
        }
        group[i] = level;
        groups = level >= groups ? level + 1 : groups;
    }
    return groups;
}

/* The colours that a row's own entries meet, besides those that are taken already. */
static uint64_t colours_before(const mnp__own_block *block, int64_t i, const int32_t *group, uint64_t taken)
{
    for (int64_t e = block->offsets[i]; e < block->offsets[i + 1]; e++) {
        const int64_t j = block->columns[e];
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
static int find_colours(const mnp__own_block *block, int32_t *group, uint64_t *reached)
{
    int groups = 0, extra = MASKED_COLOURS;
    for (int64_t i = 0; i < block->rows; i++) {
        const uint64_t taken = colours_before(block, i, group, reached[i]);
        int32_t colour = 0;
        while (colour < MASKED_COLOURS && taken >> colour & 1)
            colour++;
        group[i] = colour < MASKED_COLOURS ? colour : extra++;
        groups = group[i] >= groups ? group[i] + 1 : groups;
        for (int64_t e = block->offsets[i]; colour < MASKED_COLOURS && e < block->offsets[i + 1]; e++)
            if (block->columns[e] > i)
                reached[block->columns[e]] |= 1ull << colour;
    }
    return groups;
}

mnp_status mnp__relax_colour(mnp__own_block *block)
{
    uint64_t *reached = NULL;
    MNP_TRY(mnp__malloc((size_t)block->rows * sizeof *block->colours, &block->colours));
    MNP_TRY(mnp__calloc((size_t)block->rows, sizeof *reached, &reached));
    block->ncolours = find_colours(block, block->colours, reached);
    free(reached);
    return MNP_OK;
}

/* The groups of all rows; gives their number. */
static int find_groups(const mnp__own_block *block, mnp__relax_order order, int32_t *group)
{
    switch (order) {
    case MNP__RELAX_LOWER:
    case MNP__RELAX_UPPER:
        return find_levels(block, order, group);
    case MNP__RELAX_ALL:
    case MNP__RELAX_EARLIER:
    case MNP__RELAX_LATER:
        memcpy(group, block->colours, (size_t)block->rows * sizeof *group);
        return block->ncolours;
    default: /* all are in group 0 */
        return block->rows > 0;
    }
}

/* ---- places ---- */

/* How the rows lie, on the CPU. */
typedef struct arrangement {
    int32_t *group;      /* of a row */
    int32_t *rows;       /* at every place */
    int64_t *offsets;    /* of slices */
    int32_t *lengths;    /* of rows, by places */
    int32_t *columns;
    char *values;
    char *inverse;
} arrangement;

static void free_arrangement(arrangement *made)
{
    free(made->group);
    free(made->rows);
    free(made->offsets);
    free(made->lengths);
    free(made->columns);
    free(made->values);
    free(made->inverse);
}

static int32_t count_entries(const mnp__own_block *block, mnp__relax_order order, const int32_t *group, int64_t i)
{
    int32_t count = 0;
    for (int64_t e = block->offsets[i]; e < block->offsets[i + 1]; e++)
        count += counts(order, group, i, block->columns[e]);
    return count;
}

/* One group of all rows, as they depend on each other. */
static void place_in_order(mnp__relax *relax, int32_t *rows)
{
    relax->groups = 1;
    relax->group_offsets[1] = relax->rows;
    for (int64_t n = 0; n < relax->rows; n++)
        rows[n] = (int32_t)(falls(relax->order) ? relax->rows - 1 - n : n);
}

/* The rows by groups, rising within each. */
static void place_by_groups(mnp__relax *relax, const int32_t *group, int32_t *rows)
{
    relax->groups = relax->levels;
    int64_t *next = relax->group_offsets + 1; /* one behind: where a group's next row goes */
    for (int64_t i = 0; i < relax->rows; i++)
        next[group[i] + 1]++;
    for (int g = 0; g < relax->groups; g++)
        next[g + 1] += next[g];
    for (int64_t i = 0; i < relax->rows; i++)
        rows[next[group[i]]++] = (int32_t)i;
}

static int by_key(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Neighbouring rows of a group so that long ones come first: rows of a slice are then of about one length. */
static void sort_by_length(const mnp__relax *relax, const mnp__own_block *block, const arrangement *made)
{
    int32_t *rows = made->rows;
    int64_t keys[SORTED_TOGETHER]; /* the length, from the longest on, and the row */
    for (int g = 0; g < relax->groups; g++) {
        for (int64_t first = relax->group_offsets[g], end; first < relax->group_offsets[g + 1]; first = end) {
            const int64_t left = relax->group_offsets[g + 1] - first,
                          count = left < SORTED_TOGETHER ? left : SORTED_TOGETHER;
            bool sorted = true;
            end = first + count;
            for (int64_t k = 0; k < count; k++) {
                const int64_t row = rows[first + k];
                keys[k] = (INT32_MAX - (int64_t)count_entries(block, relax->order, made->group, row)) << 32 | row;
                sorted = sorted && (k == 0 || keys[k - 1] < keys[k]);
            }
            if (!sorted)
                qsort(keys, (size_t)count, sizeof *keys, by_key);
            for (int64_t k = 0; k < count && !sorted; k++)
                rows[first + k] = (int32_t)(keys[k] & INT32_MAX);
        }
    }
}

/*
 * Whether one worker is quicker than all of the host's: by levels, vectors are read in leaps, so that a row takes about
 * twice as long, and every level is a launch.
 */
static mnp_status choose_order(mnp__relax *relax)
{
    mnp_rank_info info = {.rank = 0};
    if (relax->slice > 1 || (relax->order != MNP__RELAX_LOWER && relax->order != MNP__RELAX_UPPER))
        return MNP_OK;
    MNP_TRY(relax->ctx->device->ops->info(relax->ctx->device, &info));
    const int64_t workers = info.multiprocessors;
    relax->in_order = relax->rows * (workers - 2) < (int64_t)relax->levels * WORTH_A_LAUNCH * workers;
    return MNP_OK;
}

/* Which row lies where. */
static mnp_status place_rows(mnp__relax *relax, const mnp__own_block *block, arrangement *made)
{
    const size_t rows = (size_t)relax->rows;
    MNP_TRY(mnp__calloc(rows, sizeof *made->group, &made->group));
    MNP_TRY(mnp__malloc(rows * sizeof *made->rows, &made->rows));
    relax->levels = find_groups(block, relax->order, made->group);
    MNP_TRY(mnp__calloc((size_t)relax->levels + 2, sizeof *relax->group_offsets, &relax->group_offsets));
    MNP_TRY(choose_order(relax));
    if (relax->in_order)
        place_in_order(relax, made->rows);
    else
        place_by_groups(relax, made->group, made->rows);
    if (relax->slice > 1)
        sort_by_length(relax, block, made);
    return MNP_OK;
}

/* Where the entries of every slice begin: slices are as long as their longest row. */
static mnp_status place_entries(const mnp__relax *relax, const mnp__own_block *block, arrangement *made)
{
    const int64_t slices = (relax->rows + relax->slice - 1) / relax->slice;
    MNP_TRY(mnp__calloc((size_t)slices + 1, sizeof *made->offsets, &made->offsets));
    MNP_TRY(mnp__malloc((size_t)relax->rows * sizeof *made->lengths, &made->lengths));
    for (int64_t s = 0; s < slices; s++) {
        int64_t longest = 0;
        for (int64_t place = s * relax->slice; place < (s + 1) * relax->slice && place < relax->rows; place++) {
            made->lengths[place] = count_entries(block, relax->order, made->group, made->rows[place]);
            longest = made->lengths[place] > longest ? made->lengths[place] : longest;
        }
        made->offsets[s + 1] = made->offsets[s] + longest * relax->slice;
    }
    return MNP_OK;
}

static mnp_status fill_entries(const mnp__relax *relax, const mnp__own_block *block, int64_t stored, arrangement *made)
{
    MNP_TRY(mnp__malloc((size_t)stored * sizeof *made->columns, &made->columns));
    MNP_TRY(mnp__malloc((size_t)stored * mnp_dtype_size(relax->dtype), &made->values));
    for (int64_t place = 0; place < relax->rows; place++) {
        const int64_t i = made->rows[place], begin = block->offsets[i], end = block->offsets[i + 1];
        int64_t at = made->offsets[place / relax->slice] + place % relax->slice;
        for (int64_t n = begin; n < end; n++) {
            const int64_t e = falls(relax->order) ? begin + end - 1 - n : n;
            if (!counts(relax->order, made->group, i, block->columns[e]))
                continue;
            made->columns[at] = block->columns[e];
            mnp__store_value(relax->dtype, made->values, at, block->values[e]);
            at += relax->slice;
        }
    }
    return MNP_OK;
}

/* ---- device memory ---- */

static mnp_status upload(mnp_ctx *ctx, const void *data, size_t size, void **device_p)
{
    MNP_TRY(ctx->device->ops->alloc(ctx->device, size, device_p));
    if (size == 0)
        return MNP_OK;
    MNP_TRY(ctx->device->ops->copy(ctx->device, *device_p, data, size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

static mnp_status upload_all(mnp__relax *relax, const double _Complex *inverse, int64_t stored, arrangement *made)
{
    mnp_ctx *ctx = relax->ctx;
    const size_t size = mnp_dtype_size(relax->dtype), rows = (size_t)relax->rows;
    const size_t slices = (rows + (size_t)relax->slice - 1) / (size_t)relax->slice;
    MNP_TRY(upload(ctx, relax->group_offsets, ((size_t)relax->groups + 1) * sizeof *relax->group_offsets,
                   &relax->device.groups));
    MNP_TRY(upload(ctx, made->rows, rows * sizeof *made->rows, &relax->device.rows));
    MNP_TRY(upload(ctx, made->offsets, (slices + 1) * sizeof *made->offsets, &relax->device.offsets));
    if (relax->slice > 1)
        MNP_TRY(upload(ctx, made->lengths, rows * sizeof *made->lengths, &relax->device.lengths));
    MNP_TRY(upload(ctx, made->columns, (size_t)stored * sizeof *made->columns, &relax->device.columns));
    MNP_TRY(upload(ctx, made->values, (size_t)stored * size, &relax->device.values));
    if (!inverse)
        return MNP_OK;
    MNP_TRY(mnp__malloc(rows * size, &made->inverse));
    for (int64_t i = 0; i < relax->rows; i++)
        mnp__store_value(relax->dtype, made->inverse, i, inverse[i]);
    return upload(ctx, made->inverse, rows * size, &relax->device.inverse);
}

/* ---- making ---- */

/* So many that another worker, or on a GPU another launch, would not be worth while. */
static int64_t choose_most_alone(const mnp__relax *relax, int64_t stored)
{
    if (relax->slice == 1)
        return WORTH_A_WORKER - 1;
    const int64_t most = MOST_ENTRIES / (stored / (relax->rows > 0 ? relax->rows : 1) + 1);
    return most < MNP_RELAX_THREADS ? most : MNP_RELAX_THREADS;
}

static mnp_status build(mnp__relax *relax, const mnp__own_block *block, const double _Complex *inverse,
                        arrangement *made)
{
    MNP_TRY(place_rows(relax, block, made));
    MNP_TRY(place_entries(relax, block, made));
    const int64_t stored = made->offsets[(relax->rows + relax->slice - 1) / relax->slice];
    relax->most_alone = choose_most_alone(relax, stored);
    MNP_TRY(fill_entries(relax, block, stored, made));
    return upload_all(relax, inverse, stored, made);
}

mnp_status mnp__relax_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__own_block *block, const double _Complex *inverse,
                          mnp__relax_order order, mnp__relax **relax_p)
{
    mnp__relax *relax;
    arrangement made = {NULL};
    MNP_TRY(mnp__calloc(1, sizeof *relax, &relax));
    *relax = (mnp__relax){.ctx = ctx, .dtype = dtype, .order = order, .rows = block->rows,
                          .slice = ctx->device->block_memory == 0 ? 1 : WARP};
    mnp_status st = build(relax, block, inverse, &made);
    free_arrangement(&made);
    if (st == MNP_OK)
        *relax_p = relax;
    else
        mnp__relax_free(relax);
    return st;
}

void mnp__relax_free(mnp__relax *relax)
{
    if (!relax)
        return;
    const mnp__device_ops *ops = relax->ctx->device->ops;
    ops->free(relax->ctx->device, relax->device.groups);
    ops->free(relax->ctx->device, relax->device.rows);
    ops->free(relax->ctx->device, relax->device.offsets);
    ops->free(relax->ctx->device, relax->device.lengths);
    ops->free(relax->ctx->device, relax->device.columns);
    ops->free(relax->ctx->device, relax->device.values);
    ops->free(relax->ctx->device, relax->device.inverse);
    free(relax->group_offsets);
    free(relax);
}

static mnp_status load(mnp__relax *relax, bool wide)
{
    mnp__kernel **kernel_p = &relax->kernels[wide];
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    if (*kernel_p)
        return MNP_OK;
    mnp__text_add(&defines, "#define MNP_T %s\n#define MNP_SLICE %d\n#define MNP_WIDE %d\n",
                  mnp__jit_type(relax->dtype), relax->slice, wide);
    const mnp__kernel_spec spec = {.file = "relax.cu", .function = "mnp_relax"};
    return mnp__ctx_kernel_of_text(relax->ctx, &spec, &defines, NULL, kernel_p);
}

mnp_status mnp__relax_load(mnp__relax *relax)
{
    return load(relax, false);
}

mnp_status mnp__relax_load_wide(mnp__relax *relax)
{
    return load(relax, true);
}

/* ---- sweeps ---- */

/* Threads that a group keeps busy: those of a GPU are counted from the beginning of a slice. */
static int64_t count_tasks(const mnp__relax *relax, int64_t group, int64_t width)
{
    const int64_t begin = relax->group_offsets[group], end = relax->group_offsets[group + 1];
    return (end - begin / relax->slice * relax->slice) * width;
}

/* How many groups one launch takes, and the most tasks of any: more than one if they are small, by one worker. */
static int64_t take_groups(const mnp__relax *relax, int64_t first, int64_t step, int64_t width, int64_t *tasks_p)
{
    int64_t count = 0;
    *tasks_p = count_tasks(relax, first, width);
    for (int64_t g = first; g >= 0 && g < relax->groups; g += step) {
        const int64_t tasks = count_tasks(relax, g, width);
        if ((relax->group_offsets[g + 1] - relax->group_offsets[g]) * width > relax->most_alone)
            break;
        *tasks_p = tasks > *tasks_p ? tasks : *tasks_p;
        count++;
    }
    return count > 0 ? count : 1;
}

static mnp__launch launch_of(const mnp__relax *relax, bool alone, int64_t tasks)
{
    if (relax->slice == 1)
        return (mnp__launch){.grid = {alone ? 1 : (unsigned)(tasks / WORTH_A_WORKER + 1), 1, 1}, .block = {1, 1, 1}};
    const int64_t threads = tasks < MNP_RELAX_THREADS ? (tasks + WARP - 1) / WARP * WARP : MNP_RELAX_THREADS;
    if (alone)
        return (mnp__launch){.grid = {1, 1, 1}, .block = {(unsigned)threads, 1, 1}, .early = true};
    const unsigned blocks = (unsigned)((tasks + BLOCK - 1) / BLOCK);
    return (mnp__launch){.grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1}, .early = true};
}

mnp_status mnp__relax_run(const mnp__relax *relax, const mnp__sweep *sweep)
{
    mnp_ctx *ctx = relax->ctx;
    struct mnp_relax_params params = {.step = sweep->backward ? -1 : 1,
                                      .groups = (uintptr_t)relax->device.groups,
                                      .rows = (uintptr_t)relax->device.rows,
                                      .offsets = (uintptr_t)relax->device.offsets,
                                      .lengths = (uintptr_t)relax->device.lengths,
                                      .columns = (uintptr_t)relax->device.columns,
                                      .values = (uintptr_t)relax->device.values,
                                      .inverse = (uintptr_t)relax->device.inverse,
                                      .b = (uintptr_t)sweep->b,
                                      .from = (uintptr_t)sweep->from,
                                      .x = (uintptr_t)sweep->x,
                                      .width = sweep->width,
                                      .keep = sweep->keep};
    mnp__kernel *kernel = relax->kernels[sweep->width != 1];
    for (int64_t done = 0; sweep->width > 0 && done < relax->groups; done += params.count) {
        int64_t tasks;
        params.first = sweep->backward ? relax->groups - 1 - done : done;
        params.count = take_groups(relax, params.first, params.step, sweep->width, &tasks);
        const mnp__launch launch = launch_of(relax, relax->in_order || params.count > 1, tasks);
        MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute));
    }
    return MNP_OK;
}

int mnp__relax_groups(const mnp__relax *relax)
{
    return relax->levels;
}
