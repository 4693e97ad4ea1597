/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watersheds from markers, by the image foresting transform (A. X. Falcao, J. Stolfi and R. de Alencar Lotufo, The
 * image foresting transform: theory, algorithms, and applications, 2004).
 *
 * Elements are visited in the order of the costs of their best paths from a marker, where a path costs its largest step
 * in value.  Each order of equal costs gives other basins, and that of scipy.ndimage is to be had: so the CPU of rank 0
 * has the whole image, and one queue for each cost with the rules of SciPy's.
 *
 * Cost: 24 bytes of rank 0's memory for each element beside its value and its label, and a few operations for each
 * element and neighbour.
 */
#include <stdlib.h>

#include <maniple/item.h>
#include <maniple/ndimage.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "layout/layout.h"

enum { NONE = -1 };

/* An element, and those beside it in the queue of its cost. */
struct node {
    int64_t before, next;
    int32_t cost;
    bool done;
};

struct flood {
    const bool *structure;
    int64_t size, nsteps, highest; /* highest: the largest value, which no cost exceeds */
    uint16_t *image;
    int64_t *labels;       /* at first markers */
    int64_t *steps;        /* to neighbours, in elements */
    int64_t *first, *last; /* of the queue of each cost */
    struct node *nodes;
};

/* ---- queues ---- */

/* Labels above 0 go first, the others, which are those of the background, last. */
static void enter(struct flood *f, int32_t cost, int64_t k)
{
    const bool in_front = f->labels[k] >= 0;
    int64_t *const own = in_front ? &f->first[cost] : &f->last[cost];
    int64_t *const other = in_front ? &f->last[cost] : &f->first[cost];
    f->nodes[k].next = in_front ? *own : NONE;
    f->nodes[k].before = in_front ? NONE : *own;
    if (*own != NONE)
        *(in_front ? &f->nodes[*own].before : &f->nodes[*own].next) = k;
    *own = k;
    if (*other == NONE)
        *other = k;
    f->nodes[k].cost = cost;
}

/* An element that is alone in its queue stays there as well, and a queue that was emptied knows its last element: this
 * is how SciPy's queues are, and which elements go before others depends on it. */
static void leave(struct flood *f, int64_t k)
{
    const int32_t cost = f->nodes[k].cost;
    const int64_t before = f->nodes[k].before, next = f->nodes[k].next;
    if (before == NONE && next == NONE)
        return;
    if (f->first[cost] == k)
        f->first[cost] = next;
    if (f->last[cost] == k)
        f->last[cost] = before;
    if (before != NONE)
        f->nodes[before].next = next;
    if (next != NONE)
        f->nodes[next].before = before;
}

/* Take the first element of a queue. */
static int64_t take(struct flood *f, int64_t cost)
{
    const int64_t k = f->first[cost];
    f->first[cost] = f->nodes[k].next;
    if (f->first[cost] != NONE)
        f->nodes[f->first[cost]].before = NONE;
    f->nodes[k].before = f->nodes[k].next = NONE;
    f->nodes[k].done = true;
    return k;
}

/* ---- the flood ---- */

/* Steps to the elements of the structure, in C order of the whole image, where the ends of its lines meet. */
static void list_steps(struct flood *f, int ndim, const int64_t *shape)
{
    int64_t total = 1;
    for (int d = 0; d < ndim; d++)
        total *= 3;
    for (int64_t i = 0; i < total; i++) {
        int64_t step = 0, stride = 1, rest = i, ones = 0;
        for (int d = ndim - 1; d >= 0; stride *= shape[d--], rest /= 3) {
            step += (rest % 3 - 1) * stride;
            ones += rest % 3 != 1;
        }
        if (step != 0 && (f->structure ? f->structure[i] : ones == 1))
            f->steps[f->nsteps++] = step;
    }
}

/* Give element k's label to a neighbour that is reached at less cost from there. */
static void reach(struct flood *f, int64_t k, int64_t neighbour)
{
    struct node *const node = &f->nodes[neighbour];
    const int32_t step = abs(f->image[neighbour] - f->image[k]);
    const int32_t cost = step > f->nodes[k].cost ? step : f->nodes[k].cost;
    if (node->done || cost >= node->cost)
        return;
    f->labels[neighbour] = f->labels[k];
    leave(f, neighbour);
    enter(f, cost, neighbour);
}

static void flood(struct flood *f)
{
    for (int64_t k = 0; k < f->size; k++) {
        f->nodes[k] = (struct node){.before = NONE, .next = NONE, .cost = (int32_t)f->highest + 1};
        if (f->labels[k] != 0)
            enter(f, 0, k);
    }
    for (int64_t cost = 0; cost <= f->highest; cost++) {
        while (f->first[cost] != NONE) {
            const int64_t k = take(f, cost);
            for (int64_t s = 0; s < f->nsteps; s++) {
                const int64_t neighbour = k + f->steps[s];
                if (neighbour >= 0 && neighbour < f->size)
                    reach(f, k, neighbour);
            }
        }
    }
}

/* ---- on rank 0 ---- */

static void close_flood(struct flood *f)
{
    free(f->image);
    free(f->labels);
    free(f->steps);
    free(f->first);
    free(f->nodes);
}

/* The memory for values and labels. */
static mnp_status open_flood(struct flood *f, int ndim)
{
    int64_t neighbours = 1;
    for (int d = 0; d < ndim; d++)
        neighbours *= 3;
    const size_t size = (size_t)f->size + 1;
    MNP_TRY(mnp__malloc(size * sizeof *f->image, &f->image));
    MNP_TRY(mnp__malloc(size * sizeof *f->labels, &f->labels));
    MNP_TRY(mnp__malloc((size_t)neighbours * sizeof *f->steps, &f->steps));
    return mnp__malloc(size * sizeof *f->nodes, &f->nodes);
}

static mnp_status run_flood(struct flood *f, int ndim, const int64_t *shape)
{
    for (int64_t k = 0; k < f->size; k++)
        f->highest = f->image[k] > f->highest ? f->image[k] : f->highest;
    MNP_TRY(mnp__malloc(2 * ((size_t)f->highest + 1) * sizeof *f->first, &f->first));
    f->last = f->first + f->highest + 1;
    for (int64_t i = 0; i < 2 * (f->highest + 1); i++)
        f->first[i] = NONE;
    list_steps(f, ndim, shape);
    flood(f);
    return MNP_OK;
}

/* The labels, int64 on rank 0. */
static mnp_status find_labels(const mnp_array *x, const mnp_array *markers, const bool *structure, mnp_array **labels_p)
{
    mnp_ctx *ctx = x->ctx;
    const int ndim = x->layout->ndim;
    const bool is_here = ctx->comm.rank == 0;
    struct flood f = {.structure = structure, .size = x->layout->size};
    mnp_layout *layout = NULL;
    mnp_status st = is_here ? open_flood(&f, ndim) : MNP_OK;
    if (st == MNP_OK)
        st = mnp_layout_on_root(ctx->comm.size, 0, ndim, x->layout->shape, &layout);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp_array_to_host_as(x, 0, MNP_UINT16, f.image), st, done);
    MNP_TRY_OR(mnp_array_to_host_as(markers, 0, MNP_INT64, f.labels), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, is_here ? run_flood(&f, ndim, x->layout->shape) : MNP_OK), st, done);
    MNP_TRY_OR(mnp_array_new(ctx, MNP_INT64, layout, labels_p), st, done);
    st = MNP_AGREE(ctx, is_here ? mnp_array_set_local(*labels_p, f.labels) : MNP_OK);
done:
    mnp_layout_free(layout);
    close_flood(&f);
    return st;
}

mnp_status mnp_ndimage_watershed_ift(const mnp_array *x, const mnp_array *markers, const bool *structure,
                                     mnp_array **labels_p)
{
    MNP_ENTER(x, markers, labels_p);
    const mnp_array *const inputs[] = {x, markers};
    mnp_array *labels = NULL;
    mnp__output output;
    MNP_TRY(mnp__inputs_check(__func__, 2, inputs));
    if (x->dtype != MNP_UINT8 && x->dtype != MNP_UINT16)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the image is %s, and should be uint8 or uint16", __func__,
                        mnp_dtype_name(x->dtype));
    if (mnp_dtype_kind(markers->dtype) != 'i')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the markers are %s, and should be signed integers", __func__,
                        mnp_dtype_name(markers->dtype));
    if (!mnp__layout_same_shape(x->layout, markers->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the image and the markers have different shapes", __func__);
    const mnp__output_spec spec = {
        .function = __func__, .ctx = x->ctx, .dtype = markers->dtype, .layout = x->layout, .ninputs = 0};
    MNP_TRY(mnp__output_open(&spec, labels_p, &output));
    mnp_status st = find_labels(x, markers, structure, &labels);
    if (st == MNP_OK)
        st = mnp__array_copy_to(labels, output.array);
    mnp_array_free(labels);
    return mnp__output_close(1, &output, st);
}
