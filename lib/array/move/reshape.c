/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reshaping in C order.
 *
 * Old and new dimensions fall into groups with the same number of elements.  If only the first dimension of a group is
 * cut, and where a new index begins, every rank's elements are a block of the new shape as well, and the result is a
 * view if that block's strides allow it.  Otherwise data moves: a rank wants ranges of elements in C order, and a range
 * is a few boxes of the old shape, which the mover brings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/move/mover.h"
#include "array/move/plan.h"
#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"

/* ---- the new shape ---- */

static mnp_status fail_shape(const mnp_array *x, int ndim, const int64_t *shape)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add(&text, "mnp_reshape: an array of shape ");
    mnp__text_add_shape(&text, x->layout->ndim, x->layout->shape);
    mnp__text_add(&text, ", of %" PRId64 " elements, cannot have the shape ", x->layout->size);
    mnp__text_add_shape(&text, ndim, shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

static mnp_status resolve_shape(const mnp_array *x, int ndim, const int64_t *given, int64_t *shape)
{
    int open = -1;
    int64_t known = 1;
    if (ndim < 0 || ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_reshape: ndim is %d, outside 0..%d", ndim, MNP_MAX_DIMS);
    for (int d = 0; d < ndim; d++) {
        shape[d] = given[d];
        if (given[d] == -1 && open >= 0)
            return MNP_FAIL(MNP_ERR_ARG, "mnp_reshape: extents %d and %d are both -1, and only one can be what is left",
                            open, d);
        if (given[d] == -1) {
            open = d;
            shape[d] = 1;
        }
    }
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    for (int d = 0; d < ndim; d++)
        known *= shape[d];
    if (open >= 0 && known > 0 && x->layout->size % known == 0)
        shape[open] = x->layout->size / known;
    else if (open >= 0 || known != x->layout->size)
        return fail_shape(x, ndim, given);
    return MNP_OK;
}

/* ---- as a view ---- */

struct plan {
    const mnp_array *x;
    int ndim;
    const int64_t *shape;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int pin[MNP_MAX_DIMS];
    int64_t strides[MNP_MAX_DIMS];
    int64_t *cuts[MNP_MAX_DIMS]; /* owned */
    bool merges;                 /* dimensions become one: their strides must allow it */
    bool allowed;                /* they do, on this rank */
};

/* Dimensions of the array and of the result with as many elements; none has extent 1. */
struct group {
    int nold, nnew, old[MNP_MAX_DIMS], new[MNP_MAX_DIMS];
};

static bool is_cut(const mnp_layout *layout, int d)
{
    return mnp_layout_parts(layout, d) > 1;
}

/* Cut the first new dimension where the first old one is cut; false if a cut is not where an index of it begins. */
static mnp_status move_cuts(struct plan *plan, const struct group *group, bool *possible_p)
{
    const mnp_layout *layout = plan->x->layout;
    int from = group->old[0], to = group->new[0], parts = mnp_layout_parts(layout, from);
    int64_t old_inner = 1, new_inner = 1;
    for (int i = 1; i < group->nold; i++)
        old_inner *= layout->shape[group->old[i]];
    for (int i = 1; i < group->nnew; i++)
        new_inner *= plan->shape[group->new[i]];
    MNP_TRY(mnp__malloc(((size_t)parts + 1) * sizeof(int64_t), &plan->cuts[to]));
    *possible_p = true;
    for (int i = 0; i <= parts; i++) {
        int64_t element = layout->cuts[from][i] * old_inner;
        *possible_p = *possible_p && element % new_inner == 0;
        plan->cuts[to][i] = element / new_inner;
    }
    plan->dims[to].axis = layout->axes[from];
    plan->dims[to].reversed = layout->reversed[from];
    plan->dims[to].cuts = plan->cuts[to];
    return MNP_OK;
}

static mnp_status place_group(struct plan *plan, const struct group *group, bool *possible_p)
{
    const mnp_array *x = plan->x;
    const mnp_layout *layout = x->layout;
    int last = group->nold - 1;
    *possible_p = true;
    for (int i = 1; i < group->nold; i++)
        *possible_p = *possible_p && !is_cut(layout, group->old[i]);
    if (*possible_p && is_cut(layout, group->old[0]))
        MNP_TRY(move_cuts(plan, group, possible_p));
    for (int i = last; i > 0; i--) {
        int outer = group->old[i - 1], inner = group->old[i];
        plan->merges = true;
        if (x->local_shape[outer] > 1 && x->local_strides[outer] != x->local_strides[inner] * x->local_shape[inner])
            plan->allowed = false;
    }
    int64_t stride = x->local_strides[group->old[last]];
    for (int i = group->nnew - 1; i >= 0; i--) {
        plan->strides[group->new[i]] = stride;
        stride *= plan->shape[group->new[i]];
    }
    return MNP_OK;
}

/* The next group, from dimensions *o of the array and *n of the result on; false if there is none. */
static bool next_group(const struct plan *plan, int *o, int *n, struct group *group)
{
    const mnp_layout *layout = plan->x->layout;
    int64_t old_size = 1, new_size = 1;
    group->nold = group->nnew = 0;
    do {
        bool old_turn = old_size <= new_size && *o < layout->ndim;
        if (!old_turn && *n >= plan->ndim)
            return false;
        int d = old_turn ? (*o)++ : (*n)++;
        int64_t extent = old_turn ? layout->shape[d] : plan->shape[d];
        if (extent == 1)
            continue;
        if (old_turn)
            group->old[group->nold++] = d;
        else
            group->new[group->nnew++] = d;
        *(old_turn ? &old_size : &new_size) *= extent;
    } while (old_size != new_size || old_size == 1);
    return true;
}

/* Find the layout of a view; false if the ranks' elements are not blocks of the new shape. */
static mnp_status plan_view(struct plan *plan, bool *possible_p)
{
    const mnp_layout *layout = plan->x->layout;
    struct group group;
    int o = 0, n = 0;
    memcpy(plan->pin, layout->pin, sizeof plan->pin);
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->shape[d] == 1 && layout->axes[d] != MNP_NO_AXIS)
            plan->pin[layout->axes[d]] = mnp__layout_place(layout, d, mnp__layout_find(layout, d, 0));
    }
    for (int d = 0; d < plan->ndim; d++)
        plan->dims[d] = mnp__layout_dim_whole(plan->shape[d]);
    plan->allowed = true;
    *possible_p = true;
    while (*possible_p && next_group(plan, &o, &n, &group))
        MNP_TRY(place_group(plan, &group, possible_p));
    return MNP_OK;
}

static mnp_status make_view(const struct plan *plan, mnp_array **view_p)
{
    const mnp_array *x = plan->x;
    mnp_layout *layout;
    mnp_array *view;
    MNP_TRY(mnp__layout_derive_pinned(x->layout, plan->pin, plan->ndim, plan->dims, &layout));
    mnp_status st = mnp__array_view(x, x->dtype, layout, x->data, plan->strides, &view);
    mnp_layout_free(layout);
    MNP_TRY(st);
    if (x->dense & MNP__DENSE_C)
        view->dense = plan->ndim <= 1 ? MNP__DENSE_C | MNP__DENSE_F : MNP__DENSE_C;
    *view_p = view;
    return MNP_OK;
}

/* Whether the strides allow it on all ranks. */
static mnp_status ask_strides(const struct plan *plan, bool *allowed_p)
{
    const mnp_array *x = plan->x;
    int allowed = 1;
    if (plan->merges && !(x->dense & MNP__DENSE_C)) {
        allowed = plan->allowed || x->local_size == 0;
        MNP_TRY(mnp__all_reduce(&x->ctx->comm, &allowed, 1, MPI_INT, MPI_MIN));
    }
    *allowed_p = allowed;
    return MNP_OK;
}

/* ---- by moving ---- */

/* The result, cut along dimension k alone, for one index of the dimensions before it. */
struct ranges {
    const mnp_layout *from, *to;
    int k;
    int64_t outer, rest; /* that index, counted in C order; elements of the dimensions after k */
};

/* The boxes of `shape` that make up elements begin to end in C order; they go one after the other from `offset` on. */
static int cut_range(int ndim, const int64_t *shape, int64_t begin, int64_t end, int64_t offset, mnp__want *wants)
{
    int64_t inner[MNP_MAX_DIMS];
    int count = 0;
    mnp__dense_strides(ndim, shape, inner);
    for (int64_t at = begin; at < end; count++) {
        mnp__want *want = &wants[count];
        int cut = 0; /* the outermost dimension of which whole indices can be taken */
        while (cut < ndim && (at % inner[cut] != 0 || at + inner[cut] > end))
            cut++;
        want->offset = offset + at - begin;
        int64_t size = 1;
        for (int d = 0; d < ndim; d++) {
            want->lo[d] = at / inner[d] % shape[d];
            want->extent[d] = d < cut ? 1 : shape[d] - want->lo[d];
            want->strides[d] = inner[d];
            if (d == cut && want->extent[d] > (end - at) / inner[d])
                want->extent[d] = (end - at) / inner[d];
            size *= want->extent[d];
        }
        at += size;
    }
    return count;
}

static int wanted_ranges(const void *argument, int rank, mnp__want *wants)
{
    const struct ranges *ranges = argument;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(ranges->to, rank, lo, extent))
        return 0;
    int64_t begin = (ranges->outer * ranges->to->shape[ranges->k] + lo[ranges->k]) * ranges->rest;
    int64_t size = extent[ranges->k] * ranges->rest;
    return cut_range(ranges->from->ndim, ranges->from->shape, begin, begin + size, ranges->outer * size, wants);
}

static mnp_status move_ranges(const mnp_array *x, const struct ranges *ranges, mnp_array *y)
{
    const mnp__move_spec spec = {.dtype = x->dtype,
                                 .layout = x->layout,
                                 .strides = x->local_strides,
                                 .wants = wanted_ranges,
                                 .argument = ranges,
                                 .direct = mnp__target_is_direct(y)};
    mnp__mover *mover;
    MNP_TRY(mnp__mover_new(x->ctx, &spec, &mover));
    mnp_status st = mnp__mover_move(mover, x->data, mnp__target_memory(y));
    mnp__mover_free(mover);
    return st;
}

/*
 * Which dimension the result is cut along while it is moved: the first that has an index for every rank, or the
 * longest, of those that have few indices before them, as each of these is a move of its own.
 */
static int choose_cut(int nranks, int ndim, const int64_t *shape)
{
    const int64_t few = 16;
    int64_t before = 1;
    int best = 0;
    for (int d = 0; d < ndim && before <= few; d++) {
        if (shape[d] > shape[best])
            best = d;
        if (shape[best] >= nranks)
            break;
        before *= shape[d];
    }
    return best;
}

static mnp_status move(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **moved_p)
{
    int axes[MNP_MAX_DIMS], nranks = x->layout->nranks, k = choose_cut(nranks, ndim, shape);
    int64_t before = 1, rest = 1;
    mnp_layout *layout;
    mnp_array *y = NULL;
    for (int d = 0; d < ndim; d++) {
        axes[d] = d == k ? 0 : MNP_NO_AXIS;
        *(d < k ? &before : &rest) *= d == k ? 1 : shape[d];
    }
    MNP_TRY(mnp_layout_new(1, &nranks, ndim, shape, axes, NULL, &layout));
    mnp_status st = mnp_array_new(x->ctx, x->dtype, layout, &y);
    for (int64_t outer = 0; st == MNP_OK && outer < before; outer++)
        st = move_ranges(x, &(struct ranges){x->layout, layout, k, outer, rest}, y);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *moved_p = y;
    else
        mnp_array_free(y);
    return st;
}

/* The result in a layout that balances it. */
static mnp_status move_to_block(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **result_p)
{
    mnp_layout *block;
    mnp_array *moved = NULL, *result = NULL;
    MNP_TRY(mnp_layout_block(x->layout->nranks, ndim, shape, &block));
    mnp_status st =
        x->layout->size == 0 ? mnp_array_new(x->ctx, x->dtype, block, &moved) : move(x, ndim, shape, &moved);
    if (st == MNP_OK && !mnp_layout_equal(moved->layout, block)) {
        st = mnp_redistribute(moved, block, &result);
        mnp_array_free(moved);
        moved = result;
    }
    mnp_layout_free(block);
    MNP_TRY(st);
    *result_p = moved;
    return MNP_OK;
}

/* ---- reshape ---- */

static mnp_status view_or_copy(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p)
{
    struct plan plan = {.x = x, .ndim = ndim, .shape = shape};
    bool possible = false, allowed = false;
    mnp__input copy;
    mnp_status st = plan_view(&plan, &possible);
    if (st == MNP_OK && possible)
        st = ask_strides(&plan, &allowed);
    if (st == MNP_OK && allowed)
        st = make_view(&plan, view_p);
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        free(plan.cuts[d]);
    if (st != MNP_OK || allowed)
        return st;
    if (!possible)
        return move_to_block(x, ndim, shape, view_p);
    MNP_TRY(mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE | MNP__INPUT_COPY, &copy)); /* its strides allow it */
    st = view_or_copy(copy.array, ndim, shape, view_p);
    mnp__input_close(&copy);
    return st;
}

mnp_status mnp_reshape(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_NEED_IF(ndim > 0, shape);
    int64_t resolved[MNP_MAX_DIMS];
    mnp_array *view = NULL;
    MNP_TRY(mnp__array_check_blocks("mnp_reshape", x));
    MNP_TRY(resolve_shape(x, ndim, shape, resolved));
    mnp_status st =
        x->layout->size == 0 ? move_to_block(x, ndim, resolved, &view) : view_or_copy(x, ndim, resolved, &view);
    return mnp__view_give(st, &view, view_p);
}

mnp_status mnp_ravel(const mnp_array *x, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    return mnp_reshape(x, 1, (int64_t[]){-1}, view_p);
}

/* ---- order in memory ---- */

/* A view of x if all blocks are known to lie in that order, else a copy in it. */
static mnp_status in_order(const mnp_array *x, mnp_order order, mnp_array **result_p)
{
    mnp_array *copy = NULL;
    if (x->dense & (order == MNP_ORDER_C ? MNP__DENSE_C : MNP__DENSE_F))
        return mnp_slice(x, 0, NULL, result_p);
    MNP_TRY(mnp_array_new_order(x->ctx, x->dtype, x->layout, order, &copy));
    mnp_status st = mnp__array_assign(x, copy);
    return mnp__view_give(st, &copy, result_p);
}

mnp_status mnp_ascontiguousarray(const mnp_array *x, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_TRY(mnp__array_check_blocks("mnp_ascontiguousarray", x));
    return in_order(x, MNP_ORDER_C, result_p);
}

mnp_status mnp_asfortranarray(const mnp_array *x, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_TRY(mnp__array_check_blocks("mnp_asfortranarray", x));
    return in_order(x, MNP_ORDER_F, result_p);
}

bool mnp_may_share_memory(const mnp_array *x, const mnp_array *y)
{
    MNP_NEED_OR(false, x);
    MNP_NEED_OR(false, y);
    return x->buffer && x->buffer == y->buffer;
}
