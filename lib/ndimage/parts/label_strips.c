/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected parts on the host, in arrays that are not cut or along the first axis alone
 * (kernels/ndimage/label_strips.cu).
 *
 * Every rank finds the parts of its block.  The rows at its end go to the next block, whose rank lists which parts
 * touch; all ranks get all these pairs and join them in the same way.  Then each rank counts the parts that begin in
 * its block: first elements get their numbers, and all others look there.
 */
#include <limits.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "base/integer.h"
#include "jit/jit.h"
#include "kernels/ndimage/label_params.h"
#include "layout/layout.h"
#include "ndimage/parts/label.h"

enum {
    STRIP_ROWS = 8,           /* least rows of a strip, */
    STRIP_ELEMENTS = 1 << 16, /* and least elements */
    MOST_GATHERED = 1 << 26   /* bytes of all ranks' last planes */
};

/* One call: this rank's block, and what is beside it. */
struct block {
    const mnp__strips *strips;
    mnp_ctx *ctx;
    int32_t *labels;            /* for each element one of its part with a lower number, or -1 */
    int64_t count, base, plane; /* elements, the number of the first one, how many have one first index */
    int64_t extent[MNP_MAX_DIMS];
    const int32_t *before;                     /* what ends the block before this one, or NULL */
    int64_t *pairs, *names, touching, changes; /* pairs that touch; numbers that others replace, and those */
};

static int64_t plane_of(const mnp_layout *layout)
{
    int64_t plane = 1;
    for (int d = 1; d < layout->ndim; d++)
        plane *= layout->shape[d];
    return plane;
}

bool mnp__strips_suit(const mnp_ctx *ctx, const mnp_layout *layout)
{
    const int64_t plane = plane_of(layout);
    for (int d = 1; d < layout->ndim; d++)
        if (mnp_layout_parts(layout, d) > 1)
            return false;
    return ctx->device->block_memory == 0 && plane < INT32_MAX / 2 &&
           layout->shape[0] * (plane > 0 ? plane : 1) < INT32_MAX - 2 &&
           ctx->comm.size * plane * (int64_t)sizeof(int32_t) <= MOST_GATHERED;
}

/* ---- kernels ---- */

static mnp_status run(const struct block *b, const char *name, const mnp_label_params *p, int64_t items)
{
    mnp_ctx *ctx = b->ctx;
    mnp__kernel *kernel;
    const mnp__kernel_spec spec = {.file = "ndimage/label_strips.cu", .function = name, .defines = b->strips->defines};
    MNP_TRY(mnp__ctx_kernel(ctx, &spec, &kernel));
    return p->count == 0 ? MNP_OK : mnp__ctx_launch(ctx, kernel, items, p, sizeof *p);
}

static mnp_status find_parts(const struct block *b, mnp_label_params *p)
{
    const int64_t width = b->extent[b->strips->layout->ndim - 1], rows = width > 0 ? b->count / width : 0;
    const int64_t by_rows = rows / STRIP_ROWS, by_elements = b->count / STRIP_ELEMENTS;
    p->blocks = mnp__min(by_rows, by_elements);
    p->blocks = mnp__max(p->blocks, 1);
    MNP_TRY(run(b, "label_strips", p, p->blocks));
    MNP_TRY(run(b, "label_seams", p, p->blocks));
    return mnp__ctx_wait(b->ctx, b->ctx->compute);
}

/* ---- pairs of parts that touch across borders ---- */

static int64_t number_of(const struct block *b, int64_t i)
{
    if (b->labels[i] < 0)
        return -1;
    while (b->labels[i] != i)
        i = b->labels[i];
    return b->base + i;
}

/* Every rank's last plane; *planes_p is malloc'ed, and b->before is within it.  Collective. */
static mnp_status gather_planes(struct block *b, int32_t **planes_p)
{
    mnp_ctx *ctx = b->ctx;
    const mnp_layout *layout = b->strips->layout;
    const size_t bytes = (size_t)b->plane * sizeof(int32_t);
    int32_t *own = NULL, *planes = NULL;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp_status st = mnp__calloc(1, bytes + 1, &own);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)ctx->comm.size * bytes + 1, &planes);
    st = MNP_AGREE(ctx, st);
    for (int64_t j = 0; st == MNP_OK && b->count > 0 && j < b->plane; j++)
        own[j] = (int32_t)number_of(b, b->count - b->plane + j);
    if (st == MNP_OK && bytes > 0)
        st = mnp__all_gather(&ctx->comm, own, planes, bytes);
    for (int r = 0; r < ctx->comm.size && b->count > 0; r++)
        if (mnp__layout_box(layout, r, lo, extent) && extent[0] > 0 && (lo[0] + extent[0]) * b->plane == b->base)
            b->before = planes + r * b->plane;
    free(own);
    *planes_p = planes;
    return st;
}

/* List what element j of the first plane touches in the plane before it. */
static void list_pairs(struct block *b, int64_t j)
{
    const int ndim = b->strips->layout->ndim;
    const int64_t own = number_of(b, j);
    int64_t index[MNP_MAX_DIMS], steps = 1;
    for (int d = ndim - 1, rest = (int)j; d > 0; rest /= (int)b->extent[d--])
        index[d] = rest % b->extent[d];
    for (int d = 1; d < ndim; d++)
        steps *= 3;
    for (int64_t s = 0; own >= 0 && s < steps; s++) { /* the steps back along the first axis come first */
        int64_t at = 0, stride = 1, rest = s;
        bool inside = b->strips->structure[s];
        for (int d = ndim - 1; d > 0; stride *= b->extent[d--], rest /= 3) {
            const int64_t i = index[d] + rest % 3 - 1;
            inside = inside && i >= 0 && i < b->extent[d];
            at += i * stride;
        }
        if (!inside || b->before[at] < 0)
            continue;
        int64_t *pair = b->pairs + 2 * b->touching;
        if (b->touching > 0 && pair[-2] == own && pair[-1] == b->before[at])
            continue;
        pair[0] = own;
        pair[1] = b->before[at];
        b->touching++;
    }
}

/* Find which parts of all ranks touch, and by which numbers theirs are replaced.  Collective. */
static mnp_status join_ranks(struct block *b)
{
    int32_t *planes = NULL;
    int64_t *all = NULL, total = 0, steps = 1;
    for (int d = 1; d < b->strips->layout->ndim; d++)
        steps *= 3;
    mnp_status st = gather_planes(b, &planes);
    if (st == MNP_OK)
        st = MNP_AGREE(b->ctx, mnp__malloc((size_t)(2 * b->plane * steps + 1) * sizeof(int64_t), &b->pairs));
    for (int64_t j = 0; st == MNP_OK && b->before && j < b->plane; j++)
        list_pairs(b, j);
    if (st == MNP_OK)
        st = mnp__label_gather_pairs(b->ctx, b->pairs, b->touching, &all, &total);
    if (st == MNP_OK)
        st = MNP_AGREE(b->ctx, mnp__label_join_pairs(all, total, &b->names, &b->changes));
    free(planes);
    free(all);
    return st;
}

/* ---- numbers from 1 on ---- */

/* How many parts begin in the blocks before this one, and in all of them, if `own` do here.  Collective. */
static mnp_status add_up(const struct block *b, int64_t own, int64_t *before_p, int64_t *all_p)
{
    mnp_ctx *ctx = b->ctx;
    const int ranks = ctx->comm.size;
    int64_t *counts = NULL, lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], end = 0;
    MNP_TRY(MNP_AGREE(ctx, mnp__malloc((size_t)ranks * sizeof *counts, &counts)));
    mnp_status st = mnp__all_gather(&ctx->comm, &own, counts, sizeof own);
    *before_p = *all_p = 0;
    for (bool found = true; found && st == MNP_OK;) { /* block after block, each of one of the ranks that have it */
        found = false;
        for (int r = 0; r < ranks && !found; r++) {
            found = mnp__layout_box(b->strips->layout, r, lo, extent) && extent[0] > 0 && lo[0] == end;
            if (!found)
                continue;
            *before_p += lo[0] * b->plane < b->base ? counts[r] : 0;
            *all_p += counts[r];
            end += extent[0];
        }
    }
    free(counts);
    return st;
}

/* Whether the part of this name begins in another block. */
static bool is_replaced(const struct block *b, int64_t k)
{
    return b->names[b->changes + k] != b->names[k];
}

/* Number the parts that begin in a range of elements, from `number` + 1 on; returns the last number. */
static int64_t number_firsts(const struct block *b, int64_t begin, int64_t end, int64_t number)
{
    enum { PIECE = 16 }; /* elements, which are compared at once; most have no first one */
    for (int64_t piece = begin; piece < end; piece += PIECE) {
        const int64_t last = mnp__min(piece + PIECE, end);
        int firsts = 0;
        for (int64_t i = piece; i < last; i++)
            firsts += b->labels[i] == i;
        for (int64_t i = piece; firsts > 0 && i < last; i++) {
            const bool is_first = b->labels[i] == i;
            number += is_first;
            b->labels[i] = is_first ? (int32_t)(-1 - number) : b->labels[i];
        }
    }
    return number;
}

/* Store the numbers of parts where their first elements are.  Collective. */
static mnp_status number_parts(struct block *b, int64_t *count_p)
{
    const int64_t low = mnp__label_place(b->names, b->changes, b->base);
    int64_t *numbers = NULL, own = 0, number = 0, k = low;
    MNP_TRY(MNP_AGREE(b->ctx, mnp__malloc((size_t)(b->changes + 1) * sizeof *numbers, &numbers)));
    for (int64_t i = 0; i < b->changes; i++)
        numbers[i] = 0;
    for (int64_t i = 0; i < b->count; i++)
        own += b->labels[i] == i;
    for (; k < b->changes && b->names[k] < b->base + b->count; k++)
        own -= is_replaced(b, k);
    mnp_status st = add_up(b, own, &number, count_p);
    k = low;
    for (int64_t i = 0; i < b->count && st == MNP_OK; i++) {
        const int64_t name = k < b->changes ? mnp__min(b->names[k] - b->base, b->count) : b->count;
        number = number_firsts(b, i, name, number);
        i = name;
        if (i == b->count)
            break;
        if (!is_replaced(b, k))
            b->labels[i] = (int32_t)(-1 - ++number);
        numbers[k++] = b->labels[i] < 0 ? number : 0;
    }
    if (st == MNP_OK && b->changes > 0)
        st = mnp__all_reduce(&b->ctx->comm, numbers, (int)b->changes, MPI_INT64_T, MPI_MAX);
    for (k = low; k < b->changes && b->names[k] < b->base + b->count && st == MNP_OK; k++)
        b->labels[b->names[k] - b->base] =
            (int32_t)(-1 - numbers[mnp__label_place(b->names, b->changes, b->names[b->changes + k])]);
    free(numbers);
    return st;
}

/* ---- all of it ---- */

static mnp_status label_block(struct block *b, mnp_label_params *p, int64_t *count_p)
{
    mnp_status st = MNP_AGREE(b->ctx, find_parts(b, p));
    if (st == MNP_OK)
        st = mnp_layout_parts(b->strips->layout, 0) > 1 ? join_ranks(b)
                                                        : MNP_AGREE(b->ctx, mnp__malloc(sizeof(int64_t), &b->names));
    if (st == MNP_OK)
        st = number_parts(b, count_p);
    if (st == MNP_OK)
        st = MNP_AGREE(b->ctx, run(b, "label_values", p, p->count));
    free(b->pairs);
    free(b->names);
    return st;
}

static mnp_status label_input(const mnp__strips *strips, const mnp_array *labels, const mnp_array *y, int64_t *count_p)
{
    mnp_ctx *ctx = strips->x->ctx;
    mnp__input input = {NULL, NULL};
    struct block b = {.strips = strips, .ctx = ctx, .labels = labels->data, .count = labels->local_size};
    MNP_TRY(mnp__input_open(strips->x, strips->layout, strips->x->dtype, MNP__INPUT_DENSE, &input));
    mnp_label_params p = {.in = input.array->data, .labels = labels->data, .count = b.count, .out = y->data};
    b.plane = plane_of(strips->layout);
    b.base = labels->local_lo[0] * b.plane;
    for (int d = 0; d < strips->layout->ndim; d++)
        p.extent[d] = b.extent[d] = labels->local_shape[d];
    mnp_status st = label_block(&b, &p, count_p);
    mnp__input_close(&input);
    return st;
}

mnp_status mnp__strips_label(const mnp__strips *strips, mnp_array **labels_p, int64_t *count_p)
{
    mnp_ctx *ctx = strips->x->ctx;
    mnp__output output;
    mnp_array *labels = NULL;
    int64_t count = 0;
    const mnp__output_spec spec = {.function = strips->function,
                                   .ctx = ctx,
                                   .dtype = strips->output,
                                   .layout = strips->layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 1,
                                   .inputs = (const mnp_array *const[]){strips->x}};
    mnp_status st = mnp__output_open(&spec, labels_p, &output);
    if (st == MNP_OK)
        st = mnp_array_new(ctx, MNP_INT32, strips->layout, &labels);
    if (st == MNP_OK)
        st = label_input(strips, labels, output.array, &count);
    mnp_array_free(labels);
    if (st == MNP_OK)
        *count_p = count;
    return mnp__output_close(1, &output, st);
}
