/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the parts of blocks to numbers from 1 on, on GPUs (kernels/ndimage/label_numbers.cu).
 *
 * Blocks must follow one another along the first axis that is longer than 1, in the order of the ranks; an array that is
 * cut otherwise is brought to such a layout first, and its result back.
 *
 * Cost, beside what one block takes: 8 launches over two planes of each block, and two gatherings of as much from all
 * ranks; nothing of the size of a block, and the CPU waits only at the end, for the number of parts.
 */
#include "array/output.h"
#include "base/call.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ndimage/parts/label.h"

enum { MOST_GATHERED = 1 << 30 }; /* bytes of the planes of all ranks */

/* ---- the layout ---- */

/* The first axis that is longer than 1. */
static int first_axis(const mnp_layout *layout)
{
    int d = 0;
    while (d < layout->ndim - 1 && layout->shape[d] == 1)
        d++;
    return d;
}

/* Whether blocks follow one another along an axis, in the order of the ranks. */
static bool is_line(const mnp_layout *layout, int axis)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], last = 0;
    for (int d = 0; d < layout->ndim; d++)
        if (d != axis && mnp_layout_parts(layout, d) > 1)
            return false;
    for (int r = 0; r < layout->nranks; r++) {
        if (!mnp__layout_box(layout, r, lo, extent))
            continue;
        if (lo[axis] < last)
            return false;
        last = lo[axis];
    }
    return true;
}

mnp_status mnp__label_line(const mnp_layout *layout, mnp_layout **line_p)
{
    const int axis = first_axis(layout);
    int axes[MNP_MAX_DIMS];
    if (is_line(layout, axis)) {
        *line_p = mnp_layout_retain(layout);
        return MNP_OK;
    }
    for (int d = 0; d < layout->ndim; d++)
        axes[d] = d == axis ? 0 : MNP_NO_AXIS;
    return mnp_layout_new(1, &layout->nranks, layout->ndim, layout->shape, axes, NULL, line_p);
}

bool mnp__label_numbers_suit(const mnp_ctx *ctx, const mnp_layout *layout)
{
    const double nodes = layout->size > 0 ? 2.0 * (double)layout->size / (double)layout->shape[first_axis(layout)] : 0;
    return ctx->device->block_memory > 0 && nodes * ctx->comm.size * (double)sizeof(int64_t) <= MOST_GATHERED;
}

/* ---- memory ---- */

/* Memory of a call: what ranks gather, and a piece of the device's own. */
struct memory {
    mnp_array *nodes, *told;
    void *own;
};

/* An array that every rank has all of. */
static mnp_status new_gathered(mnp_ctx *ctx, mnp_dtype dtype, int64_t each, mnp_array **array_p)
{
    const int64_t count = each * ctx->comm.size;
    mnp_layout *layout = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp_layout_replicated(ctx->comm.size, 1, &count, &layout));
    if (st == MNP_OK)
        st = mnp_array_new(ctx, dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

/* What a piece of memory holds, in 8 bytes each: see label_params.h. */
static mnp_status open_own(mnp__labelling *l, struct memory *memory)
{
    mnp_label_params *p = &l->params;
    p->blocks = mnp__divide_up(p->count, MNP_LABEL_PART);
    const int64_t nodes = l->is_cut ? p->ranks * l->node_stride : 0;
    const int64_t words = p->blocks * MNP_LABEL_PART / 32, before = p->blocks + 1;
    const int64_t all = words + before + nodes + 3 * p->plane + 2;
    MNP_TRY(l->ctx->device->ops->alloc(l->ctx->device, (size_t)all * sizeof(int64_t), &memory->own));
    p->words = memory->own;
    p->before = (long long *)memory->own + words;
    p->heard = p->before + before;
    p->numbers = p->heard + nodes;
    p->least = p->numbers + 2 * p->plane;
    p->totals = p->numbers + 3 * p->plane;
    return MNP_OK;
}

static mnp_status open_memory(mnp__labelling *l, struct memory *memory)
{
    const mnp_status st = MNP_AGREE(l->ctx, open_own(l, memory));
    if (st != MNP_OK || !l->is_cut)
        return st;
    MNP_TRY(new_gathered(l->ctx, MNP_INT32, l->node_stride, &memory->nodes));
    MNP_TRY(new_gathered(l->ctx, l->label, 1 + 2 * l->params.plane, &memory->told));
    l->params.nodes = memory->nodes->data;
    l->params.told = memory->told->data;
    return MNP_OK;
}

static void close_memory(mnp__labelling *l, struct memory *memory)
{
    l->ctx->device->ops->free(l->ctx->device, memory->own);
    mnp_array_free(memory->nodes);
    mnp_array_free(memory->told);
}

/* ---- joining blocks ---- */

/* Where this rank's block is among those of all ranks. */
static void find_place(mnp__labelling *l)
{
    const mnp_layout *layout = l->labels->layout;
    mnp_label_params *p = &l->params;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    p->axis = first_axis(layout);
    p->plane = layout->size / layout->shape[p->axis];
    p->ranks = l->ctx->comm.size;
    p->rank = p->own = l->ctx->comm.rank;
    p->begin = p->count > 0 ? p->lo[p->axis] * p->plane : -1;
    l->node_stride = 2 * p->plane + (int64_t)(2 * sizeof(int64_t) / sizeof(int)); /* a head, and nodes */
    for (int r = p->rank; r >= 0; r--)
        if (p->count > 0 && mnp__layout_box(layout, r, lo, extent) && lo[p->axis] == p->lo[p->axis])
            p->own = r;
}

/* Gather what ranks have in their parts of an array. */
static mnp_status gather(const mnp_array *all)
{
    mnp_ctx *ctx = all->ctx;
    const int64_t each = all->local_size / ctx->comm.size;
    const char *own = (const char *)all->data + ctx->comm.rank * each * (int64_t)mnp_dtype_size(all->dtype);
    return mnp_comm_all_gather(ctx->world, own, each, all->data, all->dtype);
}

/* Find which parts begin in other blocks, so that they are not counted.  Collective. */
static mnp_status join(mnp__labelling *l, const struct memory *memory)
{
    const int64_t plane = l->params.plane;
    MNP_TRY(mnp__label_run(l, MNP__LABEL_EDGES, plane));
    MNP_TRY(mnp__label_run(l, MNP__LABEL_NODES, 2 * plane));
    MNP_TRY(gather(memory->nodes));
    MNP_TRY(mnp__label_run(l, MNP__LABEL_MEET, l->params.ranks * plane));
    MNP_TRY(mnp__label_run(l, MNP__LABEL_LEAST, plane));
    return mnp__label_run(l, MNP__LABEL_YIELD, 2 * plane);
}

/* Find the numbers of parts that reach the planes at the ends of blocks.  Collective. */
static mnp_status exchange_numbers(mnp__labelling *l, const struct memory *memory)
{
    const int64_t plane = l->params.plane;
    MNP_TRY(mnp__label_run(l, MNP__LABEL_TELL, 2 * plane));
    MNP_TRY(gather(memory->told));
    MNP_TRY(mnp__label_run(l, MNP__LABEL_HEAR, l->params.ranks * 2 * plane));
    return mnp__label_run(l, MNP__LABEL_SETTLE, 2 * plane);
}

/* ---- all of it ---- */

static mnp_status number_parts(mnp__labelling *l, const struct memory *memory, int64_t *count_p)
{
    mnp_ctx *ctx = l->ctx;
    const int64_t count = l->params.count;
    const void *total = l->is_cut ? l->params.totals + 1 : l->params.before + l->params.blocks;
    if (l->is_cut)
        MNP_TRY(join(l, memory));
    MNP_TRY(mnp__label_run_blocks(l, MNP__LABEL_COUNT, count, MNP_LABEL_PART, MNP_LABEL_PART / 32));
    MNP_TRY(mnp__label_run_blocks(l, MNP__LABEL_SUM, 1, 1, 1024));
    if (l->is_cut)
        MNP_TRY(exchange_numbers(l, memory));
    MNP_TRY(mnp__label_run_blocks(l, MNP__LABEL_FINISH, count, MNP_LABEL_FINISHED, 256));
    *count_p = 0;
    if (count == 0 && !l->is_cut)
        return MNP_OK;
    MNP_TRY(ctx->device->ops->copy(ctx->device, count_p, total, sizeof *count_p, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* Label x in a line of blocks. */
static mnp_status label(mnp__labelling *l, const mnp_array *x, const mnp_array *y, int64_t *count_p)
{
    struct memory memory = {NULL, NULL, NULL};
    mnp_status st = mnp__label_find(l, x, y->layout);
    if (st == MNP_OK && l->is_cut)
        find_place(l);
    if (st == MNP_OK)
        st = open_memory(l, &memory);
    l->params.out = y->data;
    if (st == MNP_OK)
        st = MNP_AGREE(l->ctx, number_parts(l, &memory, count_p));
    if (st == MNP_OK && !l->is_cut && l->ctx->comm.size > 1)
        st = mnp__all_reduce(&l->ctx->comm, count_p, 1, MPI_INT64_T, MPI_MAX);
    close_memory(l, &memory);
    return st;
}

/* Numbers that fit int32 are int32, as SciPy's. */
static mnp_status narrow(mnp_array **labels_p)
{
    mnp_array *made = NULL;
    MNP_TRY(mnp_astype(*labels_p, MNP_INT32, &made));
    mnp_array_free(*labels_p);
    *labels_p = made;
    return MNP_OK;
}

mnp_status mnp__label_by_numbers(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout,
                                 const mnp_layout *line, mnp_array **labels_p, int64_t *count_p)
{
    mnp__output output;
    mnp_array *made = NULL;
    int64_t count = 0;
    const bool is_new = !*labels_p;
    const mnp__output_spec spec = {.function = l->function,
                                   .ctx = l->ctx,
                                   .dtype = l->output,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 1,
                                   .inputs = (const mnp_array *const[]){x}};
    mnp_status st = mnp__output_open(&spec, labels_p, &output);
    if (st == MNP_OK && !mnp_layout_equal(layout, line))
        st = mnp_array_new(l->ctx, l->output, line, &made);
    if (st == MNP_OK)
        st = label(l, x, made ? made : output.array, &count);
    if (st == MNP_OK && made)
        st = mnp__array_copy_to(made, output.array);
    mnp_array_free(made);
    if (st == MNP_OK && is_new && l->output == MNP_INT64 && count <= INT32_MAX)
        st = narrow(&output.array);
    if (st == MNP_OK)
        *count_p = count;
    return mnp__output_close(1, &output, st);
}
