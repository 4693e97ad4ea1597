/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected parts of an image.
 *
 * On the host, arrays that are cut along their first axis alone are labelled as label_strips.c says.  Otherwise every
 * rank finds the parts within its block on its device (kernels/ndimage/label.cu; on GPUs tile by tile, label_tiles.cu),
 * each named by its first element.
 *
 * On GPUs label_numbers.c goes on.  On the host, and where planes of the array are too large for that, a rank lists
 * which parts touch across borders, with the labels of the neighbours' blocks beside its own; all ranks get all these
 * pairs, and each CPU joins them in the same way.  The parts' first elements, in order, then give the numbers from 1 on,
 * by bisection.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/halo.h>
#include <maniple/histogram.h>
#include <maniple/ndimage.h>
#include <maniple/select.h>

#include "array/input.h"
#include "array/move/plan.h"
#include "array/output.h"
#include "base/call.h"
#include "base/integer.h"
#include "jit/jit.h"
#include "kernels/ndimage/label_params.h"
#include "layout/layout.h"
#include "ndimage/parts/label.h"

/*
 * When a kernel is needed: to find parts in blocks or in tiles; to number them by counting or by their names, also where
 * the array is cut.
 */
enum when { PLAIN, TILED, COUNTED, COUNTED_CUT, NAMED, NAMED_CUT, CASES };

static const struct {
    const char *file, *name;
    enum when when;
} kernels[MNP__LABEL_KERNELS] = {
    [MNP__LABEL_START] = {"ndimage/label.cu", "label_start", PLAIN},
    [MNP__LABEL_UNITE] = {"ndimage/label.cu", "label_unite", PLAIN},
    [MNP__LABEL_TILE] = {"ndimage/label_tiles.cu", "label_tile", TILED},
    [MNP__LABEL_BORDERS] = {"ndimage/label_tiles.cu", "label_borders", TILED},
    [MNP__LABEL_COUNT] = {"ndimage/label_numbers.cu", "label_count", COUNTED},
    [MNP__LABEL_SUM] = {"ndimage/label_numbers.cu", "label_sum", COUNTED},
    [MNP__LABEL_FINISH] = {"ndimage/label_numbers.cu", "label_finish", COUNTED},
    [MNP__LABEL_EDGES] = {"ndimage/label_numbers.cu", "label_edges", COUNTED_CUT},
    [MNP__LABEL_NODES] = {"ndimage/label_numbers.cu", "label_nodes", COUNTED_CUT},
    [MNP__LABEL_MEET] = {"ndimage/label_numbers.cu", "label_meet", COUNTED_CUT},
    [MNP__LABEL_LEAST] = {"ndimage/label_numbers.cu", "label_least", COUNTED_CUT},
    [MNP__LABEL_YIELD] = {"ndimage/label_numbers.cu", "label_yield", COUNTED_CUT},
    [MNP__LABEL_TELL] = {"ndimage/label_numbers.cu", "label_tell", COUNTED_CUT},
    [MNP__LABEL_HEAR] = {"ndimage/label_numbers.cu", "label_hear", COUNTED_CUT},
    [MNP__LABEL_SETTLE] = {"ndimage/label_numbers.cu", "label_settle", COUNTED_CUT},
    [MNP__LABEL_FLATTEN] = {"ndimage/label.cu", "label_flatten", NAMED},
    [MNP__LABEL_NUMBER] = {"ndimage/label.cu", "label_number", NAMED},
    [MNP__LABEL_JOIN] = {"ndimage/label.cu", "label_join", NAMED},
    [MNP__LABEL_PAIRS] = {"ndimage/label.cu", "label_pairs", NAMED_CUT},
};

/* ---- kernels ---- */

/*
 * Write a table of steps to earlier neighbours; if `beyond`, of those that leave the slice of the last two dimensions.
 */
static int write_steps(const mnp__labelling *l, const bool *structure, bool beyond, mnp__text *defines)
{
    int64_t total = 1;
    int count = 0;
    for (int d = 0; d < l->ndim; d++)
        total *= 3;
    mnp__text_add(defines, "#define %s", beyond ? "MNP_UNITED" : "MNP_NEIGHBOURS");
    for (int64_t i = 0; i < total / 2 - (beyond ? 4 : 0); i++) {
        int64_t rest = i;
        int step[MNP_MAX_DIMS];
        if (!structure[i])
            continue;
        for (int d = l->ndim - 1; d >= 0; d--, rest /= 3)
            step[d] = (int)(rest % 3) - 1;
        mnp__text_add(defines, "%s {{", count++ > 0 ? "," : "");
        for (int d = 0; d < l->ndim; d++)
            mnp__text_add(defines, "%s%d", d > 0 ? ", " : "", step[d]);
        mnp__text_add(defines, "}}");
    }
    mnp__text_add(defines, "%s\n", count == 0 ? " {{0}}" : ""); /* a step that leads nowhere: no table is empty */
    return count;
}

/* What all kernels are compiled with.  Whether a structure is symmetric has been checked. */
static void write_defines(mnp__labelling *l, mnp_dtype dtype, const bool *structure, mnp__text *defines)
{
    int64_t middle = 1;
    for (int d = 0; d < l->ndim; d++)
        middle *= 3;
    middle /= 2;
    mnp__text_add(defines, "#define MNP_IN %s\n#define MNP_OUT %s\n", mnp__jit_type(dtype), mnp__jit_type(l->output));
    mnp__text_add(defines, "#define MNP_LABEL %s\n#define MNP_NDIM %d\n", l->label == MNP_INT32 ? "int" : "long long",
                  l->ndim);
    l->steps = write_steps(l, structure, false, defines);
    const bool has_slices = l->ndim > 1;
    mnp__text_add(defines, "#define MNP_WEST %d\n#define MNP_NORTH_WEST %d\n#define MNP_NORTH %d\n",
                  structure[middle - 1], has_slices && structure[middle - 4], has_slices && structure[middle - 3]);
    mnp__text_add(defines, "#define MNP_NORTH_EAST %d\n", has_slices && structure[middle - 2]);
    if (l->is_tiled)
        l->needs[MNP__LABEL_UNITE] = write_steps(l, structure, true, defines) > 0;
    else
        mnp__text_add(defines, "#define MNP_UNITED MNP_NEIGHBOURS\n");
}

/* How the parts of the block are found, and numbered. */
static void choose_way(mnp__labelling *l, const mnp_layout *layout)
{
    const bool on_gpu = l->ctx->device->block_memory > 0;
    int64_t tiles = 1;
    for (int d = 0; d < l->ndim; d++) {
        const int64_t extent = d == l->ndim - 1 ? MNP_LABEL_TILE_X : d == l->ndim - 2 ? MNP_LABEL_TILE_Y : 1;
        l->is_cut = l->is_cut || (layout->size > 0 && mnp_layout_parts(layout, d) > 1);
        tiles *= mnp__divide_up(layout->shape[d], extent);
    }
    l->is_tiled = on_gpu && l->ndim > 1 && tiles <= INT32_MAX;
    l->label = l->counts && mnp__layout_largest(layout) <= INT32_MAX ? MNP_INT32 : MNP_INT64;
    const bool needed[CASES] = {[PLAIN] = !l->is_tiled, [TILED] = l->is_tiled,
                                [COUNTED] = l->counts,  [COUNTED_CUT] = l->counts && l->is_cut,
                                [NAMED] = !l->counts,   [NAMED_CUT] = !l->counts && l->is_cut};
    for (int k = 0; k < MNP__LABEL_KERNELS; k++)
        l->needs[k] = needed[kernels[k].when];
}

static mnp_status load_kernels(mnp__labelling *l, mnp_dtype dtype, const bool *structure)
{
    char room[1 << 14];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp_status st = MNP_OK;
    write_defines(l, dtype, structure, &defines);
    if (mnp__text_has_grown(&defines))
        st = MNP_AGREE(l->ctx, mnp__text_status(&defines));
    for (int k = 0; k < MNP__LABEL_KERNELS && st == MNP_OK; k++) {
        const mnp__kernel_spec spec = {
            .file = kernels[k].file, .function = kernels[k].name, .defines = mnp__text_string(&defines)};
        if (l->needs[k])
            st = mnp__ctx_kernel(l->ctx, &spec, &l->kernels[k]);
    }
    mnp__text_free(&defines);
    return st;
}

mnp_status mnp__label_run(mnp__labelling *l, mnp__label_kernel kernel, int64_t items)
{
    return l->needs[kernel] ? mnp__ctx_launch(l->ctx, l->kernels[kernel], items, &l->params, sizeof l->params) : MNP_OK;
}

mnp_status mnp__label_run_blocks(mnp__labelling *l, mnp__label_kernel kernel, int64_t count, int64_t each,
                                 unsigned threads)
{
    const mnp__launch launch = {.grid = {(unsigned)mnp__divide_up(count, each), 1, 1}, .block = {threads, 1, 1}};
    mnp_ctx *ctx = l->ctx;
    if (l->params.count == 0 || !l->needs[kernel])
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, l->kernels[kernel], &launch, &l->params, sizeof l->params,
                                    ctx->compute);
}

/* Launch a kernel for all elements of the block. */
static mnp_status run(mnp__labelling *l, mnp__label_kernel kernel)
{
    return mnp__label_run(l, kernel, l->params.count);
}

/* ---- pairs of parts that touch across borders ---- */

/* This rank's pairs, in memory of the CPU.  Collective. */
static mnp_status find_pairs(mnp__labelling *l, int64_t **pairs_p, int64_t *count_p)
{
    mnp_ctx *ctx = l->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const mnp_layout *layout = l->labels->layout;
    int64_t margin[MNP_MAX_DIMS] = {0}, surface = 0;
    mnp_array *wide;
    unsigned found = 0;
    for (int d = 0; d < l->ndim; d++)
        margin[d] = mnp_layout_parts(layout, d) > 1;
    MNP_TRY(mnp_array_new_margins(ctx, MNP_INT64, layout, margin, margin, &wide));
    mnp_status st = mnp__plan_move_cached(l->labels, wide, true);
    for (int d = 0; d < l->ndim; d++) {
        surface += l->params.extent[d] > 0 ? 2 * (l->params.count / l->params.extent[d]) : 0;
        l->params.wide_stride[d] = wide->local_strides[d];
    }
    l->params.wide = wide->data;
    l->params.room = (unsigned)(surface * l->steps);
    const size_t bytes = 2 * sizeof(int64_t) * l->params.room;
    if (st == MNP_OK)
        st = ops->alloc(ctx->device, bytes, &l->pairs);
    if (st == MNP_OK)
        st = ops->alloc(ctx->device, sizeof found, &l->found);
    if (st == MNP_OK)
        st = ops->fill(ctx->device, l->found, 0, sizeof found, ctx->compute);
    l->params.pairs = l->pairs;
    l->params.found = l->found;
    if (st == MNP_OK)
        st = run(l, MNP__LABEL_PAIRS);
    if (st == MNP_OK)
        st = ops->copy(ctx->device, &found, l->found, sizeof found, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    *count_p = found;
    if (st == MNP_OK)
        st = mnp__malloc(2 * sizeof(int64_t) * ((size_t)found + 1), pairs_p);
    if (st == MNP_OK && found > 0)
        st = ops->copy(ctx->device, *pairs_p, l->pairs, 2 * sizeof(int64_t) * found, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    mnp_array_free(wide);
    return MNP_AGREE(ctx, st);
}

/* ---- joining them ---- */

/* Give parts that touch across borders one number.  Collective. */
static mnp_status join_ranks(mnp__labelling *l)
{
    mnp_ctx *ctx = l->ctx;
    int64_t *own = NULL, *all = NULL, *names = NULL, count = 0, total = 0, changes = 0;
    mnp_status st = find_pairs(l, &own, &count);
    if (st == MNP_OK)
        st = mnp__label_gather_pairs(ctx, own, count, &all, &total);
    if (st == MNP_OK)
        st = mnp__label_join_pairs(all, total, &names, &changes);
    const size_t bytes = 2 * (size_t)changes * sizeof(int64_t);
    if (st == MNP_OK)
        st = ctx->device->ops->alloc(ctx->device, bytes, &l->changes);
    if (st == MNP_OK && changes > 0)
        st = ctx->device->ops->copy(ctx->device, l->changes, names, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    l->params.from = l->changes;
    l->params.to = l->changes ? (long long *)l->changes + changes : NULL;
    l->params.changes = changes;
    free(own);
    free(all);
    free(names);
    return MNP_AGREE(ctx, st);
}

/* ---- all of it ---- */

/* Find the parts of the block. */
static mnp_status find_parts(mnp__labelling *l)
{
    const long long *const extent = l->params.extent;
    if (!l->is_tiled) {
        MNP_TRY(run(l, MNP__LABEL_START));
        return run(l, MNP__LABEL_UNITE);
    }
    const int64_t width = extent[l->ndim - 1], height = extent[l->ndim - 2];
    const int64_t across = mnp__divide_up(width, MNP_LABEL_TILE_X), down = mnp__divide_up(height, MNP_LABEL_TILE_Y);
    const int64_t slices = l->params.count > 0 ? l->params.count / (width * height) : 0;
    MNP_TRY(mnp__label_run_blocks(l, MNP__LABEL_TILE, slices * down * across, 1, MNP_LABEL_TILE_X * MNP_LABEL_TILE_Y));
    MNP_TRY(mnp__label_run(l, MNP__LABEL_BORDERS, slices * ((across - 1) * height + (down - 1) * width)));
    return run(l, MNP__LABEL_UNITE);
}

mnp_status mnp__label_find(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout)
{
    mnp__input input = {NULL, NULL};
    MNP_TRY(mnp_array_new(l->ctx, l->label, layout, &l->labels));
    if (!l->counts)
        MNP_TRY(mnp_array_new(l->ctx, MNP_BOOL, layout, &l->flags));
    MNP_TRY(mnp__input_open(x, layout, x->dtype, MNP__INPUT_DENSE, &input));
    l->params = (mnp_label_params){.in = input.array->data,
                                   .labels = l->labels->data,
                                   .flags = l->flags ? l->flags->data : NULL,
                                   .count = l->labels->local_size};
    for (int d = 0; d < l->ndim; d++) {
        l->params.extent[d] = l->labels->local_shape[d];
        l->params.lo[d] = l->labels->local_lo[d];
        l->params.whole[d] = layout->shape[d];
    }
    mnp_status st = find_parts(l);
    mnp__input_close(&input);
    return st;
}

/* ---- numbers from 1 on ---- */

/* From the numbers of first elements to numbers from 1 on. */
static mnp_status count_parts(mnp__labelling *l, mnp_array **labels_p, int64_t *count_p)
{
    mnp_array *first = NULL, *numbers = NULL, *made = NULL;
    mnp_status st = mnp_flatnonzero(l->flags, &first);
    const int64_t count = st == MNP_OK ? first->layout->shape[0] : 0;
    if (st == MNP_OK)
        st = mnp_searchsorted(first, l->labels, true, NULL, &numbers);
    const mnp_dtype dtype = *labels_p ? (*labels_p)->dtype : count > INT32_MAX ? MNP_INT64 : MNP_INT32;
    if (st == MNP_OK)
        st = mnp_astype(numbers, dtype, &made);
    mnp_array_free(first);
    mnp_array_free(numbers);
    MNP_TRY(mnp__output_give(made, st, labels_p));
    *count_p = count;
    return MNP_OK;
}

static mnp_status label_parts(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout, mnp_array **labels_p,
                              int64_t *count_p)
{
    mnp_status st = mnp__label_find(l, x, layout);
    if (st == MNP_OK)
        st = run(l, MNP__LABEL_FLATTEN);
    if (st == MNP_OK)
        st = run(l, MNP__LABEL_NUMBER);
    st = MNP_AGREE(l->ctx, st);
    if (st == MNP_OK && l->is_cut)
        st = join_ranks(l);
    if (st == MNP_OK)
        st = MNP_AGREE(l->ctx, run(l, MNP__LABEL_JOIN));
    if (st == MNP_OK)
        st = count_parts(l, labels_p, count_p);
    return st;
}

/* Block by block, on any device. */
static mnp_status label_blocks(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout, const bool *structure,
                               mnp_array **labels_p, int64_t *count_p)
{
    const mnp__device_ops *ops = l->ctx->device->ops;
    mnp_layout *line = NULL;
    l->counts = mnp__label_numbers_suit(l->ctx, layout);
    mnp_status st =
        MNP_AGREE(l->ctx, l->counts ? mnp__label_line(layout, &line) : mnp__layout_in_c_order(layout, &line));
    if (!*labels_p && l->counts && layout->size > INT32_MAX)
        l->output = MNP_INT64;
    if (st == MNP_OK) {
        choose_way(l, line);
        st = load_kernels(l, x->dtype, structure);
    }
    if (st == MNP_OK)
        st = l->counts ? mnp__label_by_numbers(l, x, layout, line, labels_p, count_p)
                       : label_parts(l, x, line, labels_p, count_p);
    void *const memory[] = {l->pairs, l->found, l->changes};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        ops->free(l->ctx->device, memory[i]);
    mnp_array_free(l->labels);
    mnp_array_free(l->flags);
    mnp_layout_free(line);
    return st;
}

/* On the host, where blocks follow one another along the first axis. */
static mnp_status label_strips(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout, const bool *structure,
                               mnp_array **labels_p, int64_t *count_p)
{
    char room[1 << 14];
    mnp__text defines = MNP__TEXT_IN(room);
    l->label = MNP_INT32;
    write_defines(l, x->dtype, structure, &defines);
    mnp_status st = mnp__text_has_grown(&defines) ? MNP_AGREE(l->ctx, mnp__text_status(&defines)) : MNP_OK;
    if (st == MNP_OK) {
        const mnp__strips strips = {.function = l->function,
                                    .x = x,
                                    .layout = layout,
                                    .structure = structure,
                                    .defines = mnp__text_string(&defines),
                                    .output = l->output};
        st = mnp__strips_label(&strips, labels_p, count_p);
    }
    mnp__text_free(&defines);
    return st;
}

static mnp_status check_structure(const char *function, const bool *structure, size_t total)
{
    for (size_t i = 0; i < total / 2; i++)
        if (structure[i] != structure[total - 1 - i])
            return MNP_FAIL(MNP_ERR_ARG, "%s: the structure is not symmetric about its middle", function);
    return MNP_OK;
}

mnp_status mnp_ndimage_label(const mnp_array *x, const bool *structure, mnp_array **labels_p, int64_t *count_p)
{
    MNP_ENTER(x, labels_p, count_p);
    mnp__labelling l = {.function = __func__, .ctx = x->ctx, .ndim = x->layout->ndim};
    bool *plain = NULL;
    mnp_layout *layout = NULL;
    MNP_TRY(mnp__array_check_blocks(__func__, x));
    if (l.ndim == 0 || mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s of %d dimensions; it should be real and have at least 1",
                        __func__, mnp_dtype_name(x->dtype), l.ndim);
    size_t total = 1;
    for (int d = 0; d < l.ndim; d++)
        total *= 3;
    if (structure)
        MNP_TRY(check_structure(__func__, structure, total));
    mnp_status st = mnp__malloc(total * sizeof(bool), &plain);
    if (st == MNP_OK && !structure)
        st = mnp_ndimage_generate_binary_structure(l.ndim, 1, plain);
    if (st == MNP_OK)
        st = mnp__layout_in_c_order(x->layout, &layout);
    st = MNP_AGREE(x->ctx, st);
    l.output = *labels_p ? (*labels_p)->dtype : MNP_INT32;
    if (st == MNP_OK && mnp__strips_suit(x->ctx, layout))
        st = label_strips(&l, x, layout, structure ? structure : plain, labels_p, count_p);
    else if (st == MNP_OK)
        st = label_blocks(&l, x, layout, structure ? structure : plain, labels_p, count_p);
    mnp_layout_free(layout);
    free(plain);
    return st;
}
