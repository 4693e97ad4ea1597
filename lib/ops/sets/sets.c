/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets: elements are sorted, and those that differ from the one before them are the distinct ones.
 */
#include <maniple/sets.h>

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/join.h>
#include <maniple/scan.h>
#include <maniple/select.h>
#include <maniple/sort.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/sets/among.h"

/* ---- where sorted elements change ---- */

static const mnp__formula changes_of = {
    .name = "changes",
    .body = "out = mnp_truth(!mnp_equal(before, x).value);",
    .type = MNP_BOOL,
    .ninputs = 2,
    .inputs = {{"before", MNP_DTYPE_AUTO}, {"x", MNP_DTYPE_AUTO}},
};

/* The same where NaN, which come last, are equal to each other. */
static const mnp__formula changes_of_nan = {
    .name = "changes_nan",
    .body = "out = mnp_truth(!mnp_equal(before, x).value && !mnp_isnan(before).value);",
    .type = MNP_BOOL,
    .ninputs = 2,
    .inputs = {{"before", MNP_DTYPE_AUTO}, {"x", MNP_DTYPE_AUTO}},
};

/* A mask of `count` elements, true but where element i of `sorted` equals the one before it. */
static mnp_status find_changes(const char *function, const mnp_array *sorted, bool nan_equal, int64_t count,
                               mnp_array **mask_p)
{
    mnp_ctx *ctx = sorted->ctx;
    const int64_t n = sorted->layout->size;
    mnp_array *mask = NULL, *later = NULL, *before = NULL, *changes = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_ones(ctx, MNP_BOOL, 1, &count, &mask), st, done);
    if (n > 1) {
        MNP_TRY_OR(mnp_view(sorted, &before, MNP_RANGE(0, n - 1)), st, done);
        MNP_TRY_OR(mnp_view(sorted, &later, MNP_RANGE(1, n)), st, done);
        MNP_TRY_OR(mnp_view(mask, &changes, MNP_RANGE(1, n)), st, done);
        st = mnp__formula_run(ctx, &(mnp__formula_call){.function = function,
                                                        .formula = nan_equal ? &changes_of_nan : &changes_of,
                                                        .inputs = (const mnp_array *[]){before, later},
                                                        .outputs_p = (mnp_array * *[]){&changes},
                                                        .type = sorted->dtype});
    }
done:
    mnp_free_all(later, before, changes);
    if (st == MNP_OK)
        *mask_p = mask;
    else
        mnp_array_free(mask);
    return st;
}

/* ---- unique ---- */

enum result { VALUES, INDEX, INVERSE, COUNTS, RESULTS };

/* The state of one call; all arrays are its own.  What is distinct are elements, or the rows of a matrix. */
typedef struct work {
    const mnp_array *x;
    int64_t count;                           /* of elements or rows */
    mnp_array *flat, *order, *sorted, *mask; /* order: NULL if it is not needed */
    mnp_array *result[RESULTS];
} work;

static mnp_status sort_elements(work *w, bool ordered)
{
    MNP_TRY(mnp_ravel(w->x, &w->flat));
    if (!ordered)
        return mnp_sort(w->flat, 0, &w->sorted);
    MNP_TRY(mnp_argsort(w->flat, 0, &w->order));
    return mnp_take(w->flat, w->order, 0, MNP_WRAP, &w->sorted);
}

/* Count each distinct element: from where it starts to the next one, or to the end. */
static mnp_status count_each(work *w)
{
    mnp_ctx *ctx = w->x->ctx;
    mnp_array *starts = NULL, *counts = NULL, *here = NULL, *next = NULL, *most = NULL, *last = NULL, *end = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_flatnonzero(w->mask, &starts), st, done);
    const int64_t n = starts->layout->size;
    MNP_TRY_OR(mnp_empty_like(starts, MNP_INT64, &counts), st, done);
    if (n > 1) {
        MNP_TRY_OR(mnp_view(starts, &here, MNP_RANGE(0, n - 1)), st, done);
        MNP_TRY_OR(mnp_view(starts, &next, MNP_RANGE(1, n)), st, done);
        MNP_TRY_OR(mnp_view(counts, &most, MNP_RANGE(0, n - 1)), st, done);
        MNP_TRY_OR(mnp_subtract(next, here, &most), st, done);
    }
    if (n > 0) {
        MNP_TRY_OR(mnp_view(starts, &last, MNP_RANGE(n - 1, n)), st, done);
        MNP_TRY_OR(mnp_view(counts, &end, MNP_RANGE(n - 1, n)), st, done);
        MNP_TRY_OR(mnp_subtract(mnp_scalar_int(ctx, w->count), last, &end), st, done);
    }
    w->result[COUNTS] = counts;
    counts = NULL;
done:
    mnp_free_all(starts, counts, here, next, most, last, end);
    return st;
}

/* For each sorted element, store the index of its distinct value at the element's original position. */
static mnp_status number_each(const work *w, mnp_array **inverse_p)
{
    mnp_ctx *ctx = w->x->ctx;
    mnp_array *so_far = NULL, *number = NULL, *inverse = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_cumsum(w->mask, 0, NULL, &so_far), st, done);
    MNP_TRY_OR(mnp_subtract(so_far, mnp_scalar_int(ctx, 1), &number), st, done);
    MNP_TRY_OR(mnp_empty(ctx, MNP_INT64, 1, &w->count, &inverse), st, done);
    if (w->count > 0)
        MNP_TRY_OR(mnp_put(inverse, w->order, number, MNP_WRAP), st, done);
    *inverse_p = inverse;
    inverse = NULL;
done:
    mnp_free_all(so_far, number, inverse);
    return st;
}

/* Store these indices as a result, in the shape of x. */
static mnp_status number_elements(work *w)
{
    const mnp_layout *shape = w->x->layout;
    mnp_array *inverse = NULL;
    MNP_TRY(number_each(w, &inverse));
    const mnp_status st = mnp_reshape(inverse, shape->ndim, shape->shape, &w->result[INVERSE]);
    mnp_array_free(inverse);
    return st;
}

/* The outputs that are found alike for distinct elements and for distinct rows: first indices, and counts. */
static mnp_status index_and_count(work *w, mnp_array **const *outputs)
{
    if (outputs[INDEX])
        MNP_TRY(mnp_mask_get(w->order, w->mask, &w->result[INDEX]));
    return outputs[COUNTS] ? count_each(w) : MNP_OK;
}

static mnp_status find_distinct(const char *function, work *w, bool nan_equal, mnp_array **const *outputs)
{
    MNP_TRY(sort_elements(w, outputs[INDEX] || outputs[INVERSE]));
    MNP_TRY(find_changes(function, w->sorted, nan_equal, w->sorted->layout->size, &w->mask));
    if (outputs[VALUES])
        MNP_TRY(mnp_mask_get(w->sorted, w->mask, &w->result[VALUES]));
    if (outputs[INVERSE])
        MNP_TRY(number_elements(w));
    return index_and_count(w, outputs);
}

/* Set all of the caller's outputs, or none if one fails. */
static mnp_status give(const char *function, work *w, mnp_array **const *user_p)
{
    static const char *const names[] = {"values", "index", "inverse", "counts"};
    mnp__output outputs[RESULTS];
    mnp_status st = mnp__output_check_distinct(function, RESULTS, user_p);
    for (int r = 0; r < RESULTS; r++) {
        outputs[r] = (mnp__output){.array = w->result[r], .user_p = user_p[r]};
        if (!w->result[r] || st != MNP_OK)
            continue;
        const mnp__output_spec spec = {.function = function,
                                       .name = names[r],
                                       .ctx = w->x->ctx,
                                       .dtype = w->result[r]->dtype,
                                       .layout = w->result[r]->layout};
        st = mnp__output_check(&spec, *user_p[r]);
    }
    for (int r = 0; r < RESULTS; r++)
        w->result[r] = NULL;
    return mnp__output_close(RESULTS, outputs, st);
}

/* Give the results if all went well, and free what is left. */
static mnp_status finish(const char *function, work *w, mnp_status st, mnp_array **const *outputs)
{
    if (st == MNP_OK)
        st = give(function, w, outputs);
    mnp_free_all(w->flat, w->order, w->sorted, w->mask);
    for (int r = 0; r < RESULTS; r++)
        mnp_array_free(w->result[r]);
    return st;
}

static mnp_status unique(const char *function, const mnp_array *x, bool nan_equal, mnp_array **const *outputs)
{
    work w = {.x = x, .count = x->layout->size};
    return finish(function, &w, find_distinct(function, &w, nan_equal, outputs), outputs);
}

mnp_status mnp_unique(const mnp_array *x, bool equal_nan, mnp_array **values_p, mnp_array **index_p,
                      mnp_array **inverse_p, mnp_array **counts_p)
{
    MNP_ENTER(x);
    MNP_NEED_IF(values_p, values_p);
    MNP_NEED_IF(index_p, index_p);
    MNP_NEED_IF(inverse_p, inverse_p);
    MNP_NEED_IF(counts_p, counts_p);
    MNP_TRY(mnp__inputs_check("mnp_unique", 1, &x));
    return unique("mnp_unique", x, equal_nan, (mnp_array * *[]){values_p, index_p, inverse_p, counts_p});
}

/* ---- distinct rows ---- */

/* Sort the rows of w->flat lexicographically, from their first elements on; w->order receives the order. */
static mnp_status order_rows(work *w)
{
    mnp_ctx *ctx = w->x->ctx;
    const int width = (int)w->flat->layout->shape[1];
    mnp_array **keys;
    if (width == 0)
        return mnp_arange_int(ctx, 0, w->count, 1, MNP_INT64, &w->order);
    MNP_TRY(MNP_AGREE(ctx, mnp__calloc((size_t)width, sizeof *keys, &keys)));
    mnp_status st = MNP_OK;
    for (int k = 0; k < width && st == MNP_OK; k++)
        st = mnp_view(w->flat, &keys[width - 1 - k], MNP_ALL, MNP_AT(k));
    if (st == MNP_OK)
        st = mnp_lexsort((const mnp_array *const *)keys, width, 0, &w->order);
    for (int k = 0; k < width; k++)
        mnp_array_free(keys[k]);
    free(keys);
    return st;
}

/* A mask of the rows, true but where a row of `sorted` equals the one before it. */
static mnp_status find_row_changes(work *w)
{
    mnp_ctx *ctx = w->x->ctx;
    mnp_array *before = NULL, *later = NULL, *changes = NULL;
    mnp_status st;
    MNP_TRY(mnp_ones(ctx, MNP_BOOL, 1, &w->count, &w->mask));
    if (w->count < 2)
        return MNP_OK;
    MNP_TRY_OR(mnp_view(w->sorted, &before, MNP_RANGE(0, w->count - 1)), st, done);
    MNP_TRY_OR(mnp_view(w->sorted, &later, MNP_RANGE(1, w->count)), st, done);
    MNP_TRY_OR(mnp_view(w->mask, &changes, MNP_RANGE(1, w->count)), st, done);
    st = mnp_eval(ctx, "any(a != b, axis=1)", MNP_IN("a", before, "b", later), MNP_OUT("", &changes));
done:
    mnp_free_all(before, later, changes);
    return st;
}

/* Slices along `axis` as the rows of a matrix. */
static mnp_status slices_as_rows(work *w, int axis)
{
    mnp_array *turned = NULL;
    MNP_TRY(mnp_moveaxis(w->x, axis, 0, &turned));
    const int64_t slice = w->count > 0 ? w->x->layout->size / w->count : 0;
    const mnp_status st = mnp_reshape(turned, 2, (int64_t[]){w->count, slice}, &w->flat);
    mnp_array_free(turned);
    return st;
}

/* The first of equal rows, in the shape of x. */
static mnp_status pick_rows(work *w, int axis)
{
    const mnp_layout *layout = w->x->layout;
    int64_t shape[MNP_MAX_DIMS];
    mnp_array *rows = NULL, *slices = NULL, *turned = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_compress(w->mask, w->sorted, 0, &rows), st, done);
    shape[0] = rows->layout->shape[0];
    for (int d = 0, k = 1; d < layout->ndim; d++)
        if (d != axis)
            shape[k++] = layout->shape[d];
    MNP_TRY_OR(mnp_reshape(rows, layout->ndim, shape, &slices), st, done);
    MNP_TRY_OR(mnp_moveaxis(slices, 0, axis, &turned), st, done);
    st = mnp_copy(turned, &w->result[VALUES]);
done:
    mnp_free_all(rows, slices, turned);
    return st;
}

static mnp_status find_distinct_rows(work *w, int axis, mnp_array **const *outputs)
{
    MNP_TRY(slices_as_rows(w, axis));
    MNP_TRY(order_rows(w));
    MNP_TRY(mnp_take(w->flat, w->order, 0, MNP_WRAP, &w->sorted));
    MNP_TRY(find_row_changes(w));
    if (outputs[VALUES])
        MNP_TRY(pick_rows(w, axis));
    if (outputs[INVERSE])
        MNP_TRY(number_each(w, &w->result[INVERSE]));
    return index_and_count(w, outputs);
}

mnp_status mnp_unique_axis(const mnp_array *x, int axis, mnp_array **values_p, mnp_array **index_p,
                           mnp_array **inverse_p, mnp_array **counts_p)
{
    MNP_ENTER(x);
    MNP_NEED_IF(values_p, values_p);
    MNP_NEED_IF(index_p, index_p);
    MNP_NEED_IF(inverse_p, inverse_p);
    MNP_NEED_IF(counts_p, counts_p);
    static const char function[] = "mnp_unique_axis";
    mnp_array **const outputs[] = {values_p, index_p, inverse_p, counts_p};
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    work w = {.x = x, .count = x->layout->shape[axis]};
    if (w.count > 0 && x->layout->size / w.count > INT_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: slices of %" PRId64 " elements", function, x->layout->size / w.count);
    return finish(function, &w, find_distinct_rows(&w, axis, outputs), outputs);
}

/* The distinct elements in a new array. */
static mnp_status distinct(const char *function, const mnp_array *x, mnp_array **values_p)
{
    return unique(function, x, true, (mnp_array * *[]){[VALUES] = values_p, [COUNTS] = NULL});
}

/* ---- membership ---- */

mnp_status mnp_isin(const mnp_array *x, const mnp_array *test, bool invert, mnp_array **out_p)
{
    MNP_ENTER(x, test, out_p);
    MNP_TRY(mnp__inputs_check("mnp_isin", 2, (const mnp_array *[]){x, test}));
    return mnp__look_among("mnp_isin", x, test, invert, out_p);
}

/* ---- two sets ---- */

/* Give a result of one dimension, cast to `dtype`, to the caller. */
static mnp_status give_set(const char *function, mnp_array **made, mnp_dtype dtype, mnp_array **out_p)
{
    const mnp__output_spec spec = {
        .function = function, .ctx = (*made)->ctx, .dtype = dtype, .layout = (*made)->layout};
    mnp_array *set = *made, *cast = NULL;
    MNP_TRY(mnp__output_check(&spec, *out_p));
    if (set->dtype != dtype)
        MNP_TRY(mnp_astype(set, dtype, &cast));
    else
        *made = NULL;
    return mnp__output_give(cast ? cast : set, MNP_OK, out_p);
}

/* The distinct elements of x that are in y, or are not. */
static mnp_status filter(const char *function, const mnp_array *x, const mnp_array *y, bool invert, mnp_dtype dtype,
                         mnp_array **out_p)
{
    mnp_array *values = NULL, *mask = NULL, *kept = NULL;
    mnp_status st;
    MNP_TRY_OR(distinct(function, x, &values), st, done);
    MNP_TRY_OR(mnp__look_among(function, values, y, invert, &mask), st, done);
    MNP_TRY_OR(mnp_mask_get(values, mask, &kept), st, done);
    st = give_set(function, &kept, dtype, out_p);
done:
    mnp_free_all(values, mask, kept);
    return st;
}

mnp_status mnp_intersect1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p)
{
    MNP_ENTER(x, y, out_p);
    MNP_TRY(mnp__inputs_check("mnp_intersect1d", 2, (const mnp_array *[]){x, y}));
    return filter("mnp_intersect1d", x, y, false, mnp_dtype_promote(x->dtype, y->dtype), out_p);
}

mnp_status mnp_setdiff1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p)
{
    MNP_ENTER(x, y, out_p);
    MNP_TRY(mnp__inputs_check("mnp_setdiff1d", 2, (const mnp_array *[]){x, y}));
    return filter("mnp_setdiff1d", x, y, true, x->dtype, out_p);
}

mnp_status mnp_union1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p)
{
    MNP_ENTER(x, y, out_p);
    static const char function[] = "mnp_union1d";
    mnp_array *both = NULL, *values = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *[]){x, y}));
    MNP_TRY_OR(mnp_concatenate(MNP_LIST(x, y), MNP_FLATTENED, &both), st, done);
    MNP_TRY_OR(distinct(function, both, &values), st, done);
    st = give_set(function, &values, both->dtype, out_p);
done:
    mnp_free_all(both, values);
    return st;
}

/* The distinct elements of both arrays are sorted; those that differ from both neighbours are in one array alone. */
mnp_status mnp_setxor1d(const mnp_array *x, const mnp_array *y, mnp_array **out_p)
{
    MNP_ENTER(x, y, out_p);
    static const char function[] = "mnp_setxor1d";
    mnp_array *xs = NULL, *ys = NULL, *both = NULL, *sorted = NULL, *mask = NULL, *here = NULL, *next = NULL;
    mnp_array *alone = NULL, *kept = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *[]){x, y}));
    MNP_TRY_OR(distinct(function, x, &xs), st, done);
    MNP_TRY_OR(distinct(function, y, &ys), st, done);
    MNP_TRY_OR(mnp_concatenate(MNP_LIST(xs, ys), 0, &both), st, done);
    const int64_t n = both->layout->size;
    MNP_TRY_OR(mnp_sort(both, 0, &sorted), st, done);
    MNP_TRY_OR(find_changes(function, sorted, false, n + 1, &mask), st, done);
    MNP_TRY_OR(mnp_view(mask, &here, MNP_RANGE(0, n)), st, done);
    MNP_TRY_OR(mnp_view(mask, &next, MNP_RANGE(1, n + 1)), st, done);
    MNP_TRY_OR(mnp_logical_and(here, next, &alone), st, done);
    MNP_TRY_OR(mnp_mask_get(sorted, alone, &kept), st, done);
    st = give_set(function, &kept, both->dtype, out_p);
done:
    mnp_free_all(xs, ys, both, sorted, mask, here, next, alone, kept);
    return st;
}
