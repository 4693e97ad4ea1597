/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting the lines of an array along an axis, wherever they lie.
 *
 * Where the axis is not cut, every rank has whole lines.  Where it is cut, and there is a line for every rank, the
 * lines are brought together and spread over the ranks; otherwise all ranks share each of them: sort_line.c.
 */
#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "ops/sort/radix_sort.h"
#include "ops/sort/sort.h"

mnp_status mnp__sort_turn(const mnp_array *x, int axis, mnp_array **turned_p)
{
    mnp_array *turned = NULL;
    mnp_layout *plain;
    MNP_TRY(mnp_moveaxis(x, axis, -1, &turned));
    if (axis == x->layout->ndim - 1)
        turned->dense = x->dense;
    turned->dense &= ~(unsigned)MNP__DENSE_ORDER;
    mnp_status st = mnp__layout_in_c_order(turned->layout, &plain); /* lines must be dense to be sorted */
    if (st != MNP_OK) {
        mnp_array_free(turned);
        return st;
    }
    mnp_layout_free(turned->layout);
    turned->layout = plain;
    *turned_p = turned;
    return MNP_OK;
}

/* The array that is sorted and the results, with the axis at the end. */
typedef struct lines {
    mnp_ctx *ctx;
    bool descending;
    mnp_array *x, *values, *indices; /* values or indices may be NULL: not wanted */
    const mnp_layout *layout;        /* a layout with whole lines */
    mnp__input keys;                 /* x in that layout, dense */
} lines;

/* Whether lines can be sorted in the memory of an array, or written to it directly. */
static bool will_do(const lines *l, const mnp_array *array)
{
    return array && array->dense & MNP__DENSE_C && mnp_layout_equal(array->layout, l->layout);
}

static mnp_status sort_blocks(const lines *l, mnp_array *values, mnp_array *indices)
{
    const mnp_array *from = l->keys.array;
    const int64_t length = from->layout->shape[from->layout->ndim - 1];
    const mnp__radix_sort local_sort = {.dtype = from->dtype,
                                        .descending = l->descending,
                                        .lines = from->local_size / length,
                                        .length = length,
                                        .keys = from->data,
                                        .sorted = values ? values->data : NULL,
                                        .payload_size = indices ? sizeof(int64_t) : 0,
                                        .sorted_payload = indices ? indices->data : NULL};
    return MNP_AGREE(l->ctx, mnp__radix_sort_run(l->ctx, &local_sort));
}

/* Sort whole lines; there are elements. */
static mnp_status sort_whole(lines *l)
{
    mnp_array *values = NULL, *indices = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__input_open(l->x, l->layout, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &l->keys));
    if (will_do(l, l->values))
        values = l->values;
    else if (l->values && l->keys.array->buffer != l->x->buffer)
        values = l->keys.temporary;
    else if (l->values)
        MNP_TRY_OR(mnp_array_new(l->ctx, l->x->dtype, l->layout, &values), st, done);
    if (will_do(l, l->indices))
        indices = l->indices;
    else if (l->indices)
        MNP_TRY_OR(mnp_array_new(l->ctx, MNP_INT64, l->layout, &indices), st, done);
    st = sort_blocks(l, values, indices);
    if (st == MNP_OK && values != l->values)
        st = mnp_redistribute(values, l->values->layout, &l->values);
    if (st == MNP_OK && indices != l->indices)
        st = mnp_redistribute(indices, l->indices->layout, &l->indices);
done:
    if (values != l->values && values != l->keys.temporary)
        mnp_array_free(values);
    if (indices != l->indices)
        mnp_array_free(indices);
    mnp__input_close(&l->keys);
    return st;
}

static mnp_status sort_together(lines *l)
{
    const mnp_layout *given = l->x->layout;
    mnp_layout *dealt = NULL;
    mnp_status st =
        MNP_AGREE(l->ctx, mnp__layout_uncut(given->nranks, given->ndim, given->shape, 1U << (given->ndim - 1), &dealt));
    if (st == MNP_OK) {
        l->layout = dealt;
        st = sort_whole(l);
    }
    mnp_layout_free(dealt);
    return st;
}

/* A line of an array, by the indices of the dimensions before the last; NULL if the array is NULL. */
static mnp_status take_line(const mnp_array *x, const int64_t *at, mnp_array **line_p)
{
    if (!x)
        return MNP_OK;
    const int last = x->layout->ndim - 1;
    const mnp__view_dim dims[] = {mnp__view_whole(x, last)};
    MNP_TRY(mnp__view_make(x, 1, dims, at, line_p));
    if (last == 0)
        (*line_p)->dense = x->dense;
    return MNP_OK;
}

/* Sort one line after the other, each by all ranks. */
static mnp_status sort_each(const lines *l, int64_t count)
{
    const mnp_layout *layout = l->x->layout;
    mnp_status st = MNP_OK;
    for (int64_t i = 0; i < count && st == MNP_OK; i++) {
        int64_t at[MNP_MAX_DIMS] = {0}, rest = i;
        mnp_array *x = NULL, *values = NULL, *indices = NULL;
        for (int d = layout->ndim - 2; d >= 0; d--) {
            at[d] = rest % layout->shape[d];
            rest /= layout->shape[d];
        }
        st = take_line(l->x, at, &x);
        if (st == MNP_OK)
            st = take_line(l->values, at, &values);
        if (st == MNP_OK)
            st = take_line(l->indices, at, &indices);
        if (st == MNP_OK)
            st = mnp__sort_line(x, l->descending, values, indices);
        mnp_free_all(x, values, indices);
    }
    return st;
}

static mnp_status sort(lines *l)
{
    const mnp_layout *layout = l->x->layout;
    const int last = layout->ndim - 1;
    if (mnp_layout_parts(layout, last) == 1) {
        l->layout = layout;
        return sort_whole(l);
    }
    const int64_t count = layout->size / layout->shape[last];
    return count >= layout->nranks ? sort_together(l) : sort_each(l, count);
}

bool mnp__sort_copies(const mnp_array *x, int axis)
{
    return x->layout->shape[axis] == 1 || x->repeated >> axis & 1;
}

mnp_status mnp__sort_into(const mnp_array *x, int axis, bool descending, mnp_array *values, mnp_array *indices)
{
    lines l = {.ctx = x->ctx, .descending = descending};
    mnp_status st;
    if (x->layout->size == 0)
        return MNP_OK;
    if (mnp__sort_copies(x, axis) && !indices)
        return values == x ? MNP_OK : mnp__array_copy_to(x, values);
    MNP_TRY_OR(mnp__sort_turn(x, axis, &l.x), st, done);
    if (values)
        MNP_TRY_OR(mnp__sort_turn(values, axis, &l.values), st, done);
    if (indices)
        MNP_TRY_OR(mnp__sort_turn(indices, axis, &l.indices), st, done);
    st = sort(&l);
done:
    mnp_free_all(l.x, l.values, l.indices);
    return st;
}
