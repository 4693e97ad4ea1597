/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The k best elements of every line.
 *
 * Where the axis is cut and k is small, every rank finds the k best elements of its part of a line, the candidates,
 * which are brought to all ranks that share the line, and sorted there.  Candidates are selected without sorting, also
 * in whole lines; but on a GPU short parts are sorted for that.  Otherwise lines are sorted as a whole.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/hash.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ops/sort/radix_sort.h"
#include "ops/sort/select.h"
#include "ops/sort/sort.h"

static const char function[] = "mnp_topk";

typedef struct top {
    mnp_ctx *ctx;
    int64_t k;
    bool largest;
    const mnp_array *x; /* with the axis at the end */
    int last;
    mnp_array *values, *indices; /* sorted along the axis, the k best first */
} top;

/* ---- candidates ---- */

static bool on_host(const mnp_ctx *ctx)
{
    return ctx->device->block_memory == 0;
}

/* Whether candidates are selected, and not sorted.  The same on all ranks. */
static bool picks_out(const mnp_array *x, int axis)
{
    return on_host(x->ctx) || mnp__select_pays(x, axis, 1);
}

/* The index along the last dimension of every element. */
static mnp_status number_elements(const top *t, mnp_array **numbers_p)
{
    mnp_array *numbers = NULL, *range = NULL;
    MNP_TRY(mnp_array_new(t->ctx, MNP_INT64, t->x->layout, &numbers));
    mnp_status st = mnp_arange_int(t->ctx, 0, t->x->layout->shape[t->last], 1, MNP_INT64, &range);
    if (st == MNP_OK)
        st = mnp_copyto(numbers, range, MNP_CASTING_SAME_KIND);
    mnp_array_free(range);
    if (st == MNP_OK)
        *numbers_p = numbers;
    else
        mnp_array_free(numbers);
    return st;
}

static mnp_status sort_dense(const top *t, const mnp_array *keys)
{
    const int64_t length = keys->local_shape[t->last];
    const mnp__radix_sort local_sort = {.dtype = keys->dtype,
                                        .descending = t->largest,
                                        .lines = length > 0 ? keys->local_size / length : 0,
                                        .length = length,
                                        .keys = keys->data,
                                        .sorted = keys->data,
                                        .payload_size = sizeof(int64_t),
                                        .payload = t->indices->data,
                                        .sorted_payload = t->indices->data};
    return MNP_AGREE(t->ctx, mnp__radix_sort_run(t->ctx, &local_sort));
}

/* As x, but that there are only the first k elements of each part of the last dimension. */
static mnp_status candidate_layout(const top *t, mnp_layout **candidates_p)
{
    const mnp_layout *layout = t->x->layout;
    const int parts = mnp_layout_parts(layout, t->last);
    const int64_t *cuts = layout->cuts[t->last];
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int64_t *fewer;
    MNP_TRY(mnp__malloc(((size_t)parts + 1) * sizeof *fewer, &fewer));
    fewer[0] = 0;
    for (int p = 0; p < parts; p++) {
        const int64_t length = cuts[p + 1] - cuts[p];
        fewer[p + 1] = fewer[p] + mnp__min(length, t->k);
    }
    for (int d = 0; d <= t->last; d++)
        dims[d] = mnp__layout_dim_of(layout, d);
    dims[t->last].extent = fewer[parts];
    dims[t->last].cuts = fewer;
    mnp_status st = mnp__layout_derive(layout, layout->ndim, dims, candidates_p);
    free(fewer);
    return st;
}

/* The same with the last dimension whole. */
static mnp_status whole_layout(const mnp_layout *layout, mnp_layout **whole_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    const int last = layout->ndim - 1;
    for (int d = 0; d < last; d++)
        dims[d] = mnp__layout_dim_of(layout, d);
    dims[last] = mnp__layout_dim_whole(layout->shape[last]);
    return mnp__layout_derive(layout, layout->ndim, dims, whole_p);
}

/* Replace an array by those of its elements that are candidates, on all ranks that share a line. */
static mnp_status gather(const mnp_layout *candidates, const mnp_layout *whole, mnp_array **array_p)
{
    mnp_array *view = NULL, *gathered = NULL;
    mnp_array *array = *array_p;
    MNP_TRY(mnp__array_view(array, array->dtype, candidates, array->data, array->local_strides, &view));
    mnp_status st = mnp_redistribute(view, whole, &gathered);
    mnp_array_free(view);
    MNP_TRY(st);
    mnp_array_free(array);
    *array_p = gathered;
    return MNP_OK;
}

/* Candidates at the beginnings of the lines of `values` and `indices`, by sorting all that this rank has. */
static mnp_status find_by_sort(top *t)
{
    MNP_TRY(mnp_copy(t->x, &t->values));
    MNP_TRY(number_elements(t, &t->indices));
    return sort_dense(t, t->values);
}

/* The same in `values` and `indices` that have no other elements. */
static mnp_status pick_out(top *t, const mnp_layout *candidates)
{
    const mnp_array *x = t->x;
    const int64_t length = x->local_shape[t->last];
    mnp__input input;
    MNP_TRY(mnp_array_new(t->ctx, x->dtype, candidates, &t->values));
    MNP_TRY(mnp_array_new(t->ctx, MNP_INT64, candidates, &t->indices));
    MNP_TRY(mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE, &input));
    const mnp__radix_sort local_sort = {.dtype = x->dtype,
                                        .descending = t->largest,
                                        .lines = length > 0 ? x->local_size / length : 0,
                                        .length = length,
                                        .keys = input.array->data,
                                        .sorted = t->values->data,
                                        .payload_size = sizeof(int64_t),
                                        .sorted_payload = t->indices->data,
                                        .first = mnp__min(length, t->k),
                                        .number = x->local_lo[t->last]};
    const mnp_status st =
        on_host(t->ctx) ? mnp__radix_sort_run(t->ctx, &local_sort) : mnp__select_first(t->ctx, &local_sort);
    mnp__input_close(&input);
    return MNP_AGREE(t->ctx, st);
}

static mnp_status sort_candidates(top *t)
{
    mnp_layout *candidates = NULL, *whole = NULL;
    mnp_status st;
    const bool shared = mnp_layout_parts(t->x->layout, t->last) > 1;
    MNP_TRY_OR(MNP_AGREE(t->ctx, candidate_layout(t, &candidates)), st, done);
    MNP_TRY_OR(picks_out(t->x, t->last) ? pick_out(t, candidates) : find_by_sort(t), st, done);
    if (!shared) /* they are in order */
        goto done;
    MNP_TRY_OR(MNP_AGREE(t->ctx, whole_layout(candidates, &whole)), st, done);
    MNP_TRY_OR(gather(candidates, whole, &t->values), st, done);
    MNP_TRY_OR(gather(candidates, whole, &t->indices), st, done);
    st = sort_dense(t, t->values);
done:
    mnp_layout_free(candidates);
    mnp_layout_free(whole);
    return st;
}

static mnp_status sort_all(top *t)
{
    MNP_TRY(mnp_array_new(t->ctx, t->x->dtype, t->x->layout, &t->values));
    MNP_TRY(mnp_array_new(t->ctx, MNP_INT64, t->x->layout, &t->indices));
    return mnp__sort_into(t->x, t->last, t->largest, t->values, t->indices);
}

/* ---- results ---- */

/* Write the k best of each line to an output, whose axis is where it was in x. */
static mnp_status give(const top *t, const mnp_array *sorted, int axis, mnp_array *output)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    mnp_array *best = NULL, *turned = NULL;
    for (int d = 0; d <= t->last; d++)
        dims[d] = mnp__view_whole(sorted, d);
    dims[t->last].extent = t->k;
    MNP_TRY(mnp__view_make(sorted, t->last + 1, dims, NULL, &best));
    mnp_status st = mnp__sort_turn(output, axis, &turned);
    if (st == MNP_OK)
        st = mnp_redistribute(best, turned->layout, &turned);
    mnp_free_all(best, turned);
    return st;
}

static mnp_status run(top *t, bool by_candidates, int axis, const mnp__output *outputs)
{
    mnp_status st = by_candidates ? sort_candidates(t) : sort_all(t);
    if (st == MNP_OK)
        st = give(t, t->values, axis, outputs[0].array);
    if (st == MNP_OK)
        st = give(t, t->indices, axis, outputs[1].array);
    mnp_free_all(t->values, t->indices);
    return st;
}

/* As x, but k along the axis, which is whole where that is natural. */
static mnp_status result_layout(const mnp_array *x, int axis, int64_t k, bool whole, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int64_t shape[MNP_MAX_DIMS];
    for (int d = 0; d < x->layout->ndim; d++) {
        dims[d] = d == axis ? mnp__layout_dim_whole(k) : mnp__layout_dim_of(x->layout, d);
        shape[d] = dims[d].extent;
    }
    return whole ? mnp__layout_derive(x->layout, x->layout->ndim, dims, layout_p)
                 : mnp_layout_block(x->layout->nranks, x->layout->ndim, shape, layout_p);
}

/* Open both outputs, which are written after x was read. */
static mnp_status open_outputs(const mnp_array *x, const mnp_layout *layout, mnp__output *outputs)
{
    mnp__output_spec spec = {.function = function,
                             .name = "values",
                             .ctx = x->ctx,
                             .dtype = x->dtype,
                             .layout = layout,
                             .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY(mnp__output_check_distinct(function, 2, (mnp_array * *const[]){outputs[0].user_p, outputs[1].user_p}));
    MNP_TRY(mnp__output_open(&spec, outputs[0].user_p, &outputs[0]));
    spec.name = "indices";
    spec.dtype = MNP_INT64;
    return mnp__output_open(&spec, outputs[1].user_p, &outputs[1]);
}

/* mnp_topk() of x with its axis resolved. */
static mnp_status find_top(const mnp_array *x, int64_t k, int axis, bool largest, mnp_array **values_p,
                           mnp_array **indices_p)
{
    const int64_t extent = x->layout->shape[axis], parts = mnp_layout_parts(x->layout, axis);
    mnp_layout *layout = NULL;
    mnp_array *turned = NULL;
    mnp__output outputs[2] = {{.array = NULL, .user_p = values_p}, {.array = NULL, .user_p = indices_p}};
    mnp_status st;
    if (k < 0 || k > extent)
        return MNP_FAIL(MNP_ERR_ARG, "%s: k is %" PRId64 ", and the axis has %" PRId64 " element%s", function, k,
                        extent, extent == 1 ? "" : "s");
    const int64_t what[] = {k, axis, largest};
    MNP_TRY(mnp__check_same(&x->ctx->comm, function, mnp__hash(mnp__layout_hash(x->layout), what, sizeof what)));
    const bool is_few = k <= extent / parts;
    MNP_TRY_OR(MNP_AGREE(x->ctx, result_layout(x, axis, k, is_few, &layout)), st, done);
    MNP_TRY_OR(open_outputs(x, layout, outputs), st, done);
    MNP_TRY_OR(mnp__sort_turn(x, axis, &turned), st, done);
    if (layout->size > 0)
        st = run(&(top){.ctx = x->ctx, .k = k, .largest = largest, .x = turned, .last = x->layout->ndim - 1},
                 k > 0 && is_few && (parts > 1 || (picks_out(x, axis) && k <= extent / 4)), axis, outputs);
done:
    mnp_array_free(turned);
    mnp_layout_free(layout);
    return mnp__output_close(2, outputs, st);
}

mnp_status mnp_topk(const mnp_array *x, int64_t k, int axis, bool largest, mnp_array **values_p, mnp_array **indices_p)
{
    MNP_ENTER(x, values_p, indices_p);
    mnp_array *flat = NULL;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    if (axis != MNP_FLATTENED) {
        MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
        return find_top(x, k, axis, largest, values_p, indices_p);
    }
    MNP_TRY(mnp_ravel(x, &flat));
    mnp_status st = find_top(flat, k, 0, largest, values_p, indices_p);
    mnp_array_free(flat);
    return st;
}
