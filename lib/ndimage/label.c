/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected parts of an image.
 *
 * Every rank finds the parts within its block on its device (kernels/ndimage/label.cu), each named by the number in the
 * array of its first element.  With the labels of the neighbours' blocks beside its own, it lists which parts touch
 * across borders; all ranks get all these pairs, and each CPU joins them in the same way.  The parts' first elements, in
 * order, then give the numbers from 1 on, by bisection.
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
#include "device/launch.h"
#include "jit/jit.h"
#include "kernels/ndimage/label_params.h"
#include "layout/layout.h"

enum { KERNELS = 6 };
enum which { START, UNITE, FLATTEN, NUMBER, PAIRS, JOIN };

struct labelling {
    const char *function;
    mnp_ctx *ctx;
    int ndim, steps; /* steps: to neighbours that come earlier */
    mnp__kernel *kernels[KERNELS];
    mnp_label_params params;
    mnp_array *labels, *flags;
    void *pairs, *found, *changes; /* device memory */
};

/* ---- kernels ---- */

/* Write the steps to earlier neighbours; a structure that is not symmetric is refused. */
static mnp_status write_steps(struct labelling *l, const bool *structure, mnp__text *defines)
{
    int64_t total = 1;
    for (int d = 0; d < l->ndim; d++)
        total *= 3;
    mnp__text_add(defines, "#define MNP_NEIGHBOURS");
    for (int64_t i = 0; i < total / 2; i++) {
        int64_t rest = i;
        int step[MNP_MAX_DIMS];
        if (structure[i] != structure[total - 1 - i])
            return MNP_FAIL(MNP_ERR_ARG, "%s: the structure is not symmetric about its middle", l->function);
        if (!structure[i])
            continue;
        for (int d = l->ndim - 1; d >= 0; d--, rest /= 3)
            step[d] = (int)(rest % 3) - 1;
        mnp__text_add(defines, "%s {{", l->steps++ > 0 ? "," : "");
        for (int d = 0; d < l->ndim; d++)
            mnp__text_add(defines, "%s%d", d > 0 ? ", " : "", step[d]);
        mnp__text_add(defines, "}}");
    }
    if (l->steps == 0) /* a step that leads nowhere: no array has an empty table */
        mnp__text_add(defines, " {{0}}");
    mnp__text_add(defines, "\n");
    return MNP_OK;
}

static mnp_status load_kernels(struct labelling *l, mnp_dtype dtype, const bool *structure)
{
    static const char *const names[KERNELS] = {"label_start",  "label_unite", "label_flatten",
                                               "label_number", "label_pairs", "label_join"};
    for (int k = 0; k < KERNELS; k++) {
        char room[1 << 14];
        mnp__text defines = MNP__TEXT_IN(room);
        const mnp__kernel_spec spec = {.file = "ndimage/label.cu", .function = names[k]};
        mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_NDIM %d\n", mnp__jit_type(dtype), l->ndim);
        l->steps = 0;
        mnp_status st = write_steps(l, structure, &defines);
        if (st != MNP_OK) {
            mnp__text_free(&defines);
            return st;
        }
        MNP_TRY(mnp__ctx_kernel_of_text(l->ctx, &spec, &defines, NULL, &l->kernels[k]));
    }
    return MNP_OK;
}

static mnp_status run(struct labelling *l, enum which which)
{
    mnp_ctx *ctx = l->ctx;
    if (l->params.count == 0)
        return MNP_OK;
    const mnp__launch launch = mnp__launch_of(l->params.count);
    return ctx->device->ops->launch(ctx->device, l->kernels[which], &launch, &l->params, sizeof l->params,
                                    ctx->compute);
}

/* ---- pairs of parts that touch across borders ---- */

/* This rank's pairs, in memory of the CPU.  Collective. */
static mnp_status find_pairs(struct labelling *l, int64_t **pairs_p, int64_t *count_p)
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
    mnp_status st = mnp__plan_move_kept(l->labels, wide, true);
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
        st = run(l, PAIRS);
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

/* The pairs of all ranks.  Collective. */
static mnp_status gather_pairs(mnp_ctx *ctx, int64_t *own, int64_t count, int64_t **all_p, int64_t *total_p)
{
    const int ranks = ctx->comm.size;
    int64_t most = count, *counts = NULL, *padded = NULL, *all = NULL, total = 0;
    MNP_TRY(mnp__all_reduce(&ctx->comm, &most, 1, MPI_INT64_T, MPI_MAX));
    const size_t bytes = 2 * sizeof(int64_t) * ((size_t)most + 1);
    mnp_status st = mnp__malloc((size_t)ranks * sizeof *counts, &counts);
    if (st == MNP_OK)
        st = mnp__calloc(1, bytes, &padded);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)ranks * bytes, &all);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK) {
        memcpy(padded, own, 2 * sizeof(int64_t) * (size_t)count);
        st = mnp__all_gather(&ctx->comm, &count, counts, sizeof count);
    }
    if (st == MNP_OK)
        st = mnp__all_gather(&ctx->comm, padded, all, bytes);
    for (int r = 0; st == MNP_OK && r < ranks; r++) {
        memmove(all + 2 * total, all + (int64_t)r * 2 * (most + 1), 2 * sizeof(int64_t) * (size_t)counts[r]);
        total += counts[r];
    }
    free(counts);
    free(padded);
    *all_p = all;
    *total_p = total;
    return st;
}

/* ---- joining them ---- */

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t place_of(const int64_t *sorted, int64_t count, int64_t number)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t root_of(int64_t *parents, int64_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

/*
 * From pairs to the numbers that occur, in order, in names[0] to names[*count_p - 1], and the smallest number of the part
 * of each, from names[*count_p] on.
 */
static mnp_status join_pairs(const int64_t *pairs, int64_t total, int64_t **names_p, int64_t *count_p)
{
    int64_t *names, *parents, count = 0;
    MNP_TRY(mnp__malloc((4 * (size_t)total + 1) * sizeof *names, &names));
    memcpy(names, pairs, 2 * (size_t)total * sizeof *names);
    qsort(names, 2 * (size_t)total, sizeof *names, compare_numbers);
    for (int64_t i = 0; i < 2 * total; i++)
        if (i == 0 || names[i] != names[count - 1])
            names[count++] = names[i];
    parents = names + count;
    for (int64_t i = 0; i < count; i++)
        parents[i] = i;
    for (int64_t i = 0; i < total; i++) {
        const int64_t a = root_of(parents, place_of(names, count, pairs[2 * i]));
        const int64_t b = root_of(parents, place_of(names, count, pairs[2 * i + 1]));
        parents[a > b ? a : b] = a > b ? b : a;
    }
    for (int64_t i = 0; i < count; i++)
        parents[i] = root_of(parents, i);
    for (int64_t i = 0; i < count; i++)
        parents[i] = names[parents[i]];
    *names_p = names;
    *count_p = count;
    return MNP_OK;
}

/* Give parts that touch across borders one number.  Collective. */
static mnp_status join_ranks(struct labelling *l)
{
    mnp_ctx *ctx = l->ctx;
    int64_t *own = NULL, *all = NULL, *names = NULL, count = 0, total = 0, changes = 0;
    mnp_status st = find_pairs(l, &own, &count);
    if (st == MNP_OK)
        st = gather_pairs(ctx, own, count, &all, &total);
    if (st == MNP_OK)
        st = join_pairs(all, total, &names, &changes);
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

static mnp_status label_block(struct labelling *l, const mnp_array *x, const mnp_layout *layout)
{
    mnp__input input = {NULL, NULL};
    MNP_TRY(mnp_array_new(l->ctx, MNP_INT64, layout, &l->labels));
    MNP_TRY(mnp_array_new(l->ctx, MNP_BOOL, layout, &l->flags));
    MNP_TRY(mnp__input_open(x, layout, x->dtype, MNP__INPUT_DENSE, &input));
    l->params = (mnp_label_params){
        .in = input.array->data, .labels = l->labels->data, .flags = l->flags->data, .count = l->labels->local_size};
    for (int d = 0; d < l->ndim; d++) {
        l->params.extent[d] = l->labels->local_shape[d];
        l->params.lo[d] = l->labels->local_lo[d];
        l->params.whole[d] = layout->shape[d];
    }
    mnp_status st = MNP_OK;
    for (enum which which = START; which <= NUMBER && st == MNP_OK; which++)
        st = run(l, which);
    mnp__input_close(&input);
    return MNP_AGREE(l->ctx, st);
}

static bool is_cut(const mnp_layout *layout)
{
    bool cut = false;
    for (int d = 0; d < layout->ndim; d++)
        cut = cut || mnp_layout_parts(layout, d) > 1;
    return cut;
}

/* From the numbers of first elements to numbers from 1 on. */
static mnp_status count_parts(struct labelling *l, mnp_array **labels_p, int64_t *count_p)
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

mnp_status mnp_ndimage_label(const mnp_array *x, const bool *structure, mnp_array **labels_p, int64_t *count_p)
{
    MNP_ENTER(x, labels_p, count_p);
    struct labelling l = {.function = __func__, .ctx = x->ctx, .ndim = x->layout->ndim};
    bool *plain = NULL;
    mnp_layout *layout = NULL;
    MNP_TRY(mnp__array_check_blocks(__func__, x));
    if (l.ndim == 0 || mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s of %d dimensions; it should be real and have at least 1",
                        __func__, mnp_dtype_name(x->dtype), l.ndim);
    size_t total = 1;
    for (int d = 0; d < l.ndim; d++)
        total *= 3;
    mnp_status st = mnp__malloc(total * sizeof(bool), &plain);
    if (st == MNP_OK && !structure)
        st = mnp_ndimage_generate_binary_structure(l.ndim, 1, plain);
    if (st == MNP_OK)
        st = mnp__layout_in_c_order(x->layout, &layout);
    st = MNP_AGREE(x->ctx, st);
    if (st == MNP_OK)
        st = load_kernels(&l, x->dtype, structure ? structure : plain);
    if (st == MNP_OK)
        st = label_block(&l, x, layout);
    if (st == MNP_OK && is_cut(layout))
        st = join_ranks(&l);
    if (st == MNP_OK)
        st = MNP_AGREE(x->ctx, run(&l, JOIN));
    if (st == MNP_OK)
        st = count_parts(&l, labels_p, count_p);
    x->ctx->device->ops->free(x->ctx->device, l.pairs);
    x->ctx->device->ops->free(x->ctx->device, l.found);
    x->ctx->device->ops->free(x->ctx->device, l.changes);
    mnp_array_free(l.labels);
    mnp_array_free(l.flags);
    mnp_layout_free(layout);
    free(plain);
    return st;
}
