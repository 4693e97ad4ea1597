/*
 * Relaxations: the groups, by one pass over the rows, and the launches.
 */
#include "sparse/relax.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/relax.h"
#include "sparse/step.h"

enum { WORTH_A_LAUNCH = 2048, WORTH_A_WORKER = 1024, THREADS = 128, MOST_BLOCKS = 65535, MASKED_COLOURS = 64 };

struct mnp__relax {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__relax_order order;
    mnp__kernel *kernel;
    int64_t rows;
    int groups;
    int64_t *group_offsets; /* groups + 1, on the CPU */
    bool in_order;          /* one worker takes the rows as they come */
    void *offsets, *columns, *values, *inverse, *list; /* device memory */
};

/* ---- groups ---- */

/* Which entries of a row count. */
static bool counts(mnp__relax_order order, int64_t row, int64_t column)
{
    return order == MNP__RELAX_LOWER ? column < row : order == MNP__RELAX_UPPER ? column > row : column != row;
}

/* The group of every row of a triangle: one more than those that it depends on. */
static int find_levels(const mnp__own_block *block, mnp__relax_order order, int32_t *group)
{
    int groups = 0;
    for (int64_t n = 0; n < block->rows; n++) {
        const int64_t i = order == MNP__RELAX_LOWER ? n : block->rows - 1 - n;
        int32_t level = 0;
        for (int64_t e = block->offsets[i]; e < block->offsets[i + 1]; e++) {
            const int32_t j = block->columns[e];
            if (counts(order, i, j) && group[j] >= level)
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
 * The first colour that none of its neighbours has, row by row.  Neighbours are the columns of a row's entries, and the rows
 * that have an entry in its column: `reached` has the colours of those so far, as a mask.  Where that is full, as in a dense
 * row's neighbourhood, a row gets a colour of its own.
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

/* The rows by groups, rising within each. */
static mnp_status sort_rows(mnp__relax *relax, const int32_t *group, int32_t *list)
{
    MNP_TRY(mnp__calloc((size_t)relax->groups + 2, sizeof *relax->group_offsets, &relax->group_offsets));
    int64_t *next = relax->group_offsets + 1; /* one behind: where a group's next row goes */
    for (int64_t i = 0; i < relax->rows; i++)
        next[group[i] + 1]++;
    for (int g = 0; g < relax->groups; g++)
        next[g + 1] += next[g];
    for (int64_t i = 0; i < relax->rows; i++)
        list[next[group[i]]++] = (int32_t)i;
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

/* The entries that count, on the CPU: room for all. */
typedef struct entries {
    int64_t *offsets;
    int32_t *columns, *group, *list;
    uint64_t *reached;
    char *values, *inverse;
} entries;

static mnp_status allocate(const mnp__own_block *block, size_t size, entries *made)
{
    const size_t rows = (size_t)block->rows, count = (size_t)block->offsets[block->rows];
    MNP_TRY(mnp__calloc(rows + 1, sizeof *made->offsets, &made->offsets));
    MNP_TRY(mnp__malloc(count * sizeof *made->columns, &made->columns));
    MNP_TRY(mnp__calloc(rows, sizeof *made->group, &made->group));
    MNP_TRY(mnp__malloc(rows * sizeof *made->list, &made->list));
    MNP_TRY(mnp__calloc(rows, sizeof *made->reached, &made->reached));
    MNP_TRY(mnp__malloc(count * size, &made->values));
    return mnp__malloc(rows * size, &made->inverse);
}

static void free_entries(entries *made)
{
    free(made->offsets);
    free(made->columns);
    free(made->group);
    free(made->list);
    free(made->reached);
    free(made->values);
    free(made->inverse);
}

static void choose(const mnp__relax *relax, const mnp__own_block *block, const double _Complex *inverse, entries *made)
{
    int64_t count = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        for (int64_t e = block->offsets[i]; e < block->offsets[i + 1]; e++) {
            if (!counts(relax->order, i, block->columns[e]))
                continue;
            made->columns[count] = block->columns[e];
            mnp__store_value(relax->dtype, made->values, count++, block->values[e]);
        }
        made->offsets[i + 1] = count;
        mnp__store_value(relax->dtype, made->inverse, i, inverse[i]);
    }
}

static mnp_status build(mnp__relax *relax, const mnp__own_block *block, const double _Complex *inverse, entries *made)
{
    const size_t size = mnp_dtype_size(relax->dtype), rows = (size_t)block->rows;
    MNP_TRY(allocate(block, size, made));
    choose(relax, block, inverse, made);
    relax->groups = relax->order == MNP__RELAX_ALL ? find_colours(block, made->group, made->reached)
                                                   : find_levels(block, relax->order, made->group);
    MNP_TRY(sort_rows(relax, made->group, made->list));
    relax->in_order = relax->order != MNP__RELAX_ALL && relax->ctx->device->block_memory == 0 &&
                      relax->rows < (int64_t)relax->groups * WORTH_A_LAUNCH;
    const size_t count = (size_t)made->offsets[rows];
    MNP_TRY(upload(relax->ctx, made->offsets, (rows + 1) * sizeof *made->offsets, &relax->offsets));
    MNP_TRY(upload(relax->ctx, made->columns, count * sizeof *made->columns, &relax->columns));
    MNP_TRY(upload(relax->ctx, made->values, count * size, &relax->values));
    MNP_TRY(upload(relax->ctx, made->inverse, rows * size, &relax->inverse));
    return upload(relax->ctx, made->list, rows * sizeof *made->list, &relax->list);
}

mnp_status mnp__relax_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__own_block *block, const double _Complex *inverse,
                          mnp__relax_order order, mnp__relax **relax_p)
{
    mnp__relax *relax;
    entries made = {NULL};
    MNP_TRY(mnp__calloc(1, sizeof *relax, &relax));
    *relax = (mnp__relax){.ctx = ctx, .dtype = dtype, .order = order, .rows = block->rows};
    mnp_status st = build(relax, block, inverse, &made);
    free_entries(&made);
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
    void *const memory[] = {relax->offsets, relax->columns, relax->values, relax->inverse, relax->list};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        if (memory[i])
            relax->ctx->device->ops->free(relax->ctx->device, memory[i]);
    }
    free(relax->group_offsets);
    free(relax);
}

mnp_status mnp__relax_load(mnp__relax *relax)
{
    mnp__text defines = MNP__TEXT_EMPTY;
    mnp__steps_define_types(&defines, relax->dtype);
    mnp__kernel_spec spec = {.file = "relax.cu", .function = "mnp_relax", .defines = mnp__text_string(&defines)};
    mnp_status st = mnp__text_status(&defines);
    if (st == MNP_OK)
        st = mnp__ctx_kernel(relax->ctx, &spec, &relax->kernel);
    mnp__text_free(&defines);
    return st;
}

/* ---- sweeps ---- */

static mnp__launch launch_of(const mnp__relax *relax, int64_t rows)
{
    bool blocks = relax->ctx->device->block_memory > 0;
    int64_t workers = relax->in_order ? 1 : blocks ? (rows + THREADS - 1) / THREADS : rows / WORTH_A_WORKER + 1;
    workers = workers > MOST_BLOCKS ? MOST_BLOCKS : workers;
    return (mnp__launch){.grid = {(unsigned)workers, 1, 1}, .block = {THREADS, 1, 1}};
}

mnp_status mnp__relax_run(const mnp__relax *relax, bool backward, double keep, double weight, const void *b, void *x)
{
    const mnp__device_ops *ops = relax->ctx->device->ops;
    const bool falling = relax->order == MNP__RELAX_UPPER;
    struct mnp_relax_params params = {.count = relax->rows,
                                      .first = falling ? relax->rows - 1 : 0,
                                      .step = falling ? -1 : 1,
                                      .offsets = (uintptr_t)relax->offsets,
                                      .columns = (uintptr_t)relax->columns,
                                      .values = (uintptr_t)relax->values,
                                      .inverse = (uintptr_t)relax->inverse,
                                      .b = (uintptr_t)b,
                                      .x = (uintptr_t)x,
                                      .keep = keep,
                                      .weight = weight};
    const int launches = relax->rows == 0 ? 0 : relax->in_order ? 1 : relax->groups;
    for (int i = 0; i < launches; i++) {
        const int g = backward ? launches - 1 - i : i;
        if (!relax->in_order) {
            params.count = relax->group_offsets[g + 1] - relax->group_offsets[g];
            params.list = (uintptr_t)relax->list + (uintptr_t)relax->group_offsets[g] * sizeof(int32_t);
        }
        mnp__launch launch = launch_of(relax, params.count);
        MNP_TRY(ops->launch(relax->ctx->device, relax->kernel, &launch, &params, sizeof params, relax->ctx->compute));
    }
    return MNP_OK;
}

int mnp__relax_groups(const mnp__relax *relax)
{
    return relax->groups;
}
