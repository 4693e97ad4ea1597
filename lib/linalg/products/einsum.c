/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_einsum: diagonals and sums of single operands first, then pairs, each of which is a product of stacks of matrices
 * whose rows, columns and summed dimensions are groups of dimensions.
 */
#include <string.h>

#include <maniple/create.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "linalg/products/einsum.h"
#include "linalg/products/linalg.h"

/* An operand, or what pairs of them have given: the labels of its dimensions, and the array, which is owned. */
typedef struct item {
    mnp__term term;
    mnp_array *array;
} item;

static const char function[] = "mnp_einsum";

/* Replace the array of an item by another one, if the call that sets *made has made that. */
static mnp_status replace(item *x, mnp_status st, mnp_array *const *made)
{
    if (st == MNP_OK) {
        mnp_array_free(x->array);
        x->array = *made;
    }
    return st;
}

static void drop_label(mnp__term *term, int d)
{
    term->ndim--;
    memmove(&term->labels[d], &term->labels[d + 1], (size_t)(term->ndim - d) * sizeof *term->labels);
}

/* ---- single operands ---- */

/* A dimension of extent 1 along which other operands are longer is left out: what lacks a label is broadcast. */
static mnp_status drop_ones(const mnp__einsum *e, item *x)
{
    for (int d = x->term.ndim - 1; d >= 0; d--) {
        mnp_array *view = NULL;
        if (x->array->layout->shape[d] != 1 || e->extent[x->term.labels[d]] == 1)
            continue;
        MNP_TRY(replace(x, mnp_squeeze(x->array, 1, &d, &view), &view));
        drop_label(&x->term, d);
    }
    return MNP_OK;
}

static mnp_status take_diagonals(item *x)
{
    for (int d = 0; d < x->term.ndim; d++) {
        const int first = mnp__term_find(&x->term, x->term.labels[d]), label = x->term.labels[d];
        mnp_array *diagonal = NULL;
        if (first == d)
            continue;
        MNP_TRY(replace(x, mnp_diagonal(x->array, 0, first, d, &diagonal), &diagonal));
        drop_label(&x->term, d);
        drop_label(&x->term, first);
        x->term.labels[x->term.ndim++] = label;
        d = -1; /* look again from the beginning */
    }
    return MNP_OK;
}

/* Sum over the labels that nothing else has. */
static mnp_status sum_own(item *x, uint64_t needed)
{
    mnp_axes axes = {.dtype = mnp_dtype_name(x->array->dtype)};
    mnp__term rest = {.ndim = 0};
    mnp_array *sum = NULL;
    for (int d = 0; d < x->term.ndim; d++) {
        if (needed >> x->term.labels[d] & 1)
            rest.labels[rest.ndim++] = x->term.labels[d];
        else
            axes.axes[axes.count++] = d;
    }
    if (axes.count == 0)
        return MNP_OK;
    if (x->array->dtype == MNP_BOOL) {
        axes.dtype = NULL;
        MNP_TRY(replace(x, mnp_any(x->array, &axes, &sum), &sum));
    } else {
        MNP_TRY(replace(x, mnp_sum(x->array, &axes, &sum), &sum));
    }
    x->term = rest;
    return MNP_OK;
}

/* ---- pairs ---- */

/* The dimensions of a pair: those of the batch and the summed ones, which both have, and those of one of them. */
typedef struct groups {
    mnp__term batch, summed, left, right;
} groups;

static void sort_labels(const mnp__term *from, uint64_t other, uint64_t needed, mnp__term *shared_needed,
                        mnp__term *shared, mnp__term *own)
{
    for (int d = 0; d < from->ndim; d++) {
        const int label = from->labels[d];
        mnp__term *to = !(other >> label & 1) ? own : needed >> label & 1 ? shared_needed : shared;
        if (to)
            to->labels[to->ndim++] = label;
    }
}

static groups group(const item *a, const item *b, uint64_t needed)
{
    groups g = {.batch = {.ndim = 0}};
    sort_labels(&a->term, mnp__term_set(&b->term), needed, &g.batch, &g.summed, &g.left);
    sort_labels(&b->term, mnp__term_set(&a->term), needed, NULL, NULL, &g.right);
    return g;
}

static mnp_status check_dims(int ndim)
{
    return ndim <= MNP_MAX_DIMS
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_ARG,
                          "%s: a product of two operands has %d dimensions, and an array has at most %d; "
                          "another order may have fewer",
                          function, ndim, MNP_MAX_DIMS);
}

/* Append labels to a term, as one dimension of an array whose extent is their product, or each by itself. */
static void append(const mnp__term *labels, const mnp__einsum *e, bool as_one, mnp__term *order, int64_t *shape,
                   int *ndim)
{
    int64_t all = 1;
    for (int d = 0; d < labels->ndim; d++) {
        const int64_t extent = e->extent[labels->labels[d]];
        order->labels[order->ndim++] = labels->labels[d];
        all *= extent;
        if (!as_one)
            shape[(*ndim)++] = extent;
    }
    if (as_one)
        shape[(*ndim)++] = all;
}

/* An item with its dimensions in that order, reshaped. */
static mnp_status arrange(const item *x, const mnp__term *order, int ndim, const int64_t *shape, mnp_array **made_p)
{
    int axes[MNP_MAX_DIMS];
    mnp_array *turned = NULL;
    for (int d = 0; d < order->ndim; d++)
        axes[d] = mnp__term_find(&x->term, order->labels[d]);
    MNP_TRY(mnp_transpose(x->array, axes, &turned));
    if (ndim == order->ndim) {
        *made_p = turned;
        return MNP_OK;
    }
    const mnp_status st = mnp_reshape(turned, ndim, shape, made_p);
    mnp_array_free(turned);
    return st;
}

/* The batch, then one dimension for the rows or columns, if there are any, and one for the sum. */
static mnp_status as_stack(const mnp__einsum *e, const groups *g, const item *x, bool left, mnp_array **stack_p)
{
    const mnp__term *own = left ? &g->left : &g->right;
    mnp__term order = {.ndim = 0};
    int64_t shape[MNP_MAX_DIMS + 2];
    int ndim = 0;
    append(&g->batch, e, false, &order, shape, &ndim);
    if (left && own->ndim > 0)
        append(own, e, true, &order, shape, &ndim);
    append(&g->summed, e, true, &order, shape, &ndim);
    if (!left && own->ndim > 0)
        append(own, e, true, &order, shape, &ndim);
    MNP_TRY(check_dims(ndim));
    return arrange(x, &order, ndim, shape, stack_p);
}

static mnp_status sum_pair(const mnp__einsum *e, const groups *g, const item *a, const item *b, item *result)
{
    const unsigned vectors =
        (g->left.ndim == 0 ? MNP__VECTORS_LEFT : 0) | (g->right.ndim == 0 ? MNP__VECTORS_RIGHT : 0);
    mnp_array *left = NULL, *right = NULL, *product = NULL;
    int64_t shape[3 * MNP_MAX_DIMS];
    int ndim = 0;
    mnp_status st;
    result->term.ndim = 0;
    append(&g->batch, e, false, &result->term, shape, &ndim);
    append(&g->left, e, false, &result->term, shape, &ndim);
    append(&g->right, e, false, &result->term, shape, &ndim);
    MNP_TRY_OR(as_stack(e, g, a, true, &left), st, done);
    MNP_TRY_OR(as_stack(e, g, b, false, &right), st, done);
    MNP_TRY_OR(mnp__matmul(function, left, right, vectors, &product), st, done);
    if (g->left.ndim <= 1 && g->right.ndim <= 1) {
        result->array = product;
        product = NULL;
    } else {
        st = mnp_reshape(product, ndim, shape, &result->array);
    }
done:
    mnp_array_free(product);
    mnp_array_free(right);
    mnp_array_free(left);
    return st;
}

/* A view with the dimensions of a term, of which those that x has not are of extent 1. */
static mnp_status spread_to(const item *x, const mnp__term *term, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < term->ndim; d++) {
        const int from = mnp__term_find(&x->term, term->labels[d]);
        dims[d] = from < 0 ? (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1} : mnp__view_whole(x->array, from);
    }
    return mnp__view_make(x->array, term->ndim, dims, NULL, view_p);
}

/* Without a sum the pair is an element-wise product. */
static mnp_status multiply_pair(const groups *g, const item *a, const item *b, item *result)
{
    const mnp__term *const parts[] = {&g->batch, &g->left, &g->right};
    mnp_array *left = NULL, *right = NULL;
    for (int p = 0; p < 3; p++)
        for (int d = 0; d < parts[p]->ndim; d++)
            result->term.labels[result->term.ndim++] = parts[p]->labels[d];
    mnp_status st = spread_to(a, &result->term, &left);
    if (st == MNP_OK)
        st = spread_to(b, &result->term, &right);
    if (st == MNP_OK)
        st = mnp_multiply(left, right, &result->array);
    mnp_array_free(right);
    mnp_array_free(left);
    return st;
}

/* Contract items i < j of a list; the result goes to its end. */
static mnp_status contract(const mnp__einsum *e, item *items, int *count, int i, int j)
{
    uint64_t needed = mnp__term_set(&e->result);
    item a = items[i], b = items[j], result = {.array = NULL};
    for (int k = 0; k < *count; k++)
        if (k != i && k != j)
            needed |= mnp__term_set(&items[k].term);
    /* the rows of the result are those dimensions that come first in the end */
    if (e->result.ndim > 0 && mnp__term_find(&a.term, e->result.labels[0]) < 0) {
        a = items[j];
        b = items[i];
    }
    const groups g = group(&a, &b, needed);
    MNP_TRY(check_dims(g.batch.ndim + g.left.ndim + g.right.ndim));
    MNP_TRY(g.summed.ndim > 0 ? sum_pair(e, &g, &a, &b, &result) : multiply_pair(&g, &a, &b, &result));
    mnp_array_free(a.array);
    mnp_array_free(b.array);
    memmove(&items[j], &items[j + 1], (size_t)(*count - j - 1) * sizeof *items);
    memmove(&items[i], &items[i + 1], (size_t)(*count - i - 2) * sizeof *items);
    (*count)--;
    items[*count - 1] = result;
    return MNP_OK;
}

/* ---- all ---- */

/* An operand in the result's dtype: a view of it, or a copy. */
static mnp_status open_item(const mnp__einsum *e, int i, const mnp_array *x, mnp_dtype dtype, item *opened)
{
    int axes[MNP_MAX_DIMS];
    opened->term = e->terms[i];
    for (int d = 0; d < x->layout->ndim; d++)
        axes[d] = d;
    MNP_TRY(x->dtype == dtype ? mnp_transpose(x, axes, &opened->array) : mnp_astype(x, dtype, &opened->array));
    MNP_TRY(drop_ones(e, opened));
    return take_diagonals(opened);
}

static mnp_status sum_all_own(const mnp__einsum *e, item *items)
{
    for (int i = 0; i < e->count; i++) {
        uint64_t needed = mnp__term_set(&e->result);
        for (int k = 0; k < e->count; k++)
            if (k != i)
                needed |= mnp__term_set(&items[k].term);
        MNP_TRY(sum_own(&items[i], needed));
    }
    return MNP_OK;
}

static mnp_status run(const mnp__einsum *given, mnp_einsum_order order, item *items, int *count)
{
    mnp__einsum e = *given;
    int path[2 * MNP__MOST_TERMS];
    MNP_TRY(sum_all_own(&e, items));
    for (int i = 0; i < e.count; i++)
        e.terms[i] = items[i].term;
    (void)mnp__einsum_order(&e, order, path);
    for (int s = 0; s < e.count - 1; s++)
        MNP_TRY(contract(&e, items, count, path[2 * s], path[2 * s + 1]));
    return MNP_OK;
}

/* The last item with its dimensions in the result's order; one that is the user's operand is copied. */
static mnp_status finish(const mnp__einsum *e, const mnp_array *const *arrays, const item *last, mnp_array **made_p)
{
    mnp_array *turned = NULL;
    MNP_TRY(arrange(last, &e->result, e->result.ndim, NULL, &turned));
    if (e->count > 1 || turned->buffer != arrays[0]->buffer) {
        *made_p = turned;
        return MNP_OK;
    }
    const mnp_status st = mnp_copy(turned, made_p);
    mnp_array_free(turned);
    return st;
}

static mnp_status check(const char *name, const mnp_array *const *arrays, int count, mnp_einsum_order order)
{
    if (count < 1 || count > MNP__MOST_TERMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d operands, outside 1..%d", name, count, MNP__MOST_TERMS);
    if (order < MNP_EINSUM_GREEDY || order > MNP_EINSUM_IN_ORDER)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is no order", name, (int)order);
    for (int i = 0; i < count; i++)
        MNP_TRY(mnp__array_refuse_scalar(name, arrays[i]));
    return MNP_OK;
}

mnp_status mnp_einsum(const char *subscripts, const mnp_array *const *arrays, int count, mnp_einsum_order order,
                      mnp_array **out_p)
{
    MNP_ENTER(subscripts, out_p);
    MNP_NEED_ALL(count, arrays);
    MNP_ALL_IN_BLOCKS(count, arrays);
    item items[MNP__MOST_TERMS] = {{.array = NULL}};
    mnp_array *made = NULL;
    mnp__einsum e;
    mnp_dtype dtype;
    int left = count;
    mnp_status st = MNP_OK;
    MNP_TRY(check(function, arrays, count, order));
    MNP_TRY(mnp__inputs_check(function, count, arrays));
    MNP_TRY(mnp__einsum_read(function, subscripts, count, arrays, &e));
    MNP_TRY(mnp_result_type(count, arrays, &dtype));
    int64_t shape[MNP_MAX_DIMS];
    for (int d = 0; d < e.result.ndim; d++)
        shape[d] = e.extent[e.result.labels[d]];
    const mnp__output_spec spec = {
        .function = function, .ctx = arrays[0]->ctx, .dtype = dtype, .ndim = e.result.ndim, .shape = shape};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    for (int i = 0; i < count && st == MNP_OK; i++)
        st = open_item(&e, i, arrays[i], dtype, &items[i]);
    if (st == MNP_OK)
        st = run(&e, order, items, &left);
    if (st == MNP_OK)
        st = finish(&e, arrays, &items[0], &made);
    for (int i = 0; i < left; i++)
        mnp_array_free(items[i].array);
    return mnp__output_give(made, st, out_p);
}

mnp_status mnp_einsum_path(const char *subscripts, const mnp_array *const *arrays, int count, mnp_einsum_order order,
                           int *path, double *operations_p)
{
    MNP_ENTER(subscripts, path);
    MNP_NEED_ALL(count, arrays);
    mnp__einsum e;
    MNP_TRY(check("mnp_einsum_path", arrays, count, order));
    MNP_TRY(mnp__einsum_read("mnp_einsum_path", subscripts, count, arrays, &e));
    const double operations = mnp__einsum_order(&e, order, path);
    if (operations_p)
        *operations_p = operations;
    return MNP_OK;
}
