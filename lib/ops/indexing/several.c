/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * x[:, i, j], x[:, i, j] = values and add.at(x, (..., i, j), values): several arrays of indices, which select along
 * adjacent axes together; and repeats by an array.  The indices become numbers along one axis, in C order, which take()
 * and put() know.
 */
#include <inttypes.h>

#include <maniple/create.h>
#include <maniple/histogram.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/scan.h>
#include <maniple/select.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/indexing/assign.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/scatter.h"

/* A number of one more axis, of extent n, from one among m elements; indices may count from the end. */
static const mnp__formula one_more = {
    .name = "joined_index",
    .body = "out = (number < 0 ? number + m : number) * n + (i < 0 ? i + n : i);",
    .type = MNP_INT64,
    .ninputs = 4,
    .inputs = {{"number", MNP_INT64}, {"m", MNP_INT64}, {"i", MNP_INT64}, {"n", MNP_INT64}},
};

/* The number in C order of an element, of its numbers outside, along and inside of the axes that are indexed. */
static const mnp__formula whole_number = {
    .name = "number_of_element",
    .body = "out = (before * middle + number) * rest + after;",
    .type = MNP_INT64,
    .ninputs = 5,
    .inputs = {{"before", MNP_INT64},
               {"middle", MNP_INT64},
               {"number", MNP_INT64},
               {"rest", MNP_INT64},
               {"after", MNP_INT64}},
};

static mnp_status run(const char *function, const mnp__formula *formula, mnp_ctx *ctx, const mnp_array *const *inputs,
                      mnp_array **out_p)
{
    return mnp__formula_run(ctx, &(mnp__formula_call){.function = function,
                                                      .formula = formula,
                                                      .inputs = inputs,
                                                      .outputs_p = (mnp_array * *[]){out_p},
                                                      .result = MNP_INT64});
}

/* Along `count` axes of x from `axis` on. */
typedef struct selection {
    const char *function;
    const mnp_array *x;
    int axis, count;
    const mnp_array *const *indices;
} selection;

/* Check everything but the values of the indices; the axis becomes one that is not negative. */
static mnp_status check(selection *s)
{
    const int ndim = s->x->layout->ndim;
    if (s->count < 1 || s->count > ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d arrays of indices for %d dimensions", s->function, s->count, ndim);
    MNP_TRY(mnp__view_axis(s->function, ndim, s->axis, &s->axis));
    if (s->axis + s->count > ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d arrays of indices from axis %d on, of %d dimensions", s->function,
                        s->count, s->axis, ndim);
    for (int k = 0; k < s->count; k++) {
        if (!s->indices[k])
            return MNP_FAIL(MNP_ERR_ARG, "%s: indices[%d] is NULL", s->function, k);
        MNP_TRY(mnp__indices_check(s->function, s->x, s->indices[k], MNP_RAISE));
    }
    return MNP_OK;
}

/* Join the indices, which are being checked, pair by pair; one array alone is joined with 0. */
static mnp_status join_pairs(const selection *s, mnp_array **numbers_p)
{
    mnp_ctx *ctx = s->x->ctx;
    const int64_t *extent = s->x->layout->shape + s->axis;
    mnp_array *numbers = NULL;
    for (int k = s->count > 1; k < s->count; k++) {
        mnp_array *next = NULL;
        const mnp_array *first = numbers ? numbers : k > 0 ? s->indices[0] : mnp_scalar_int(ctx, 0);
        const mnp_array *inputs[] = {first, mnp_scalar_int(ctx, extent[0]), s->indices[k],
                                     mnp_scalar_int(ctx, extent[k])};
        const mnp_status st = run(s->function, &one_more, ctx, inputs, &next);
        mnp_array_free(numbers);
        MNP_TRY(st);
        numbers = next;
    }
    *numbers_p = numbers;
    return MNP_OK;
}

/* The numbers of the selected elements among those along the axes together, of the shape that the indices have. */
static mnp_status join_indices(const selection *s, mnp_array **numbers_p)
{
    mnp__range_check checks[MNP_MAX_DIMS];
    mnp_array *numbers = NULL;
    for (int k = 0; k < s->count; k++) {
        checks[k] = (mnp__range_check){.function = s->function,
                                       .indices = s->indices[k],
                                       .n = s->x->layout->shape[s->axis + k],
                                       .axis = s->axis + k};
        MNP_TRY(mnp__range_check_begin(&checks[k], MNP_RAISE));
    }
    const mnp_status joined = join_pairs(s, &numbers);
    mnp_status st = MNP_OK;
    for (int k = 0; k < s->count && st == MNP_OK; k++)
        st = mnp__range_check_end(&checks[k]);
    if (st == MNP_OK)
        st = joined;
    if (st == MNP_OK)
        *numbers_p = numbers;
    else
        mnp_array_free(numbers);
    return st;
}

static int64_t product(const mnp_layout *layout, int first, int last)
{
    int64_t size = 1;
    for (int d = first; d < last; d++)
        size *= layout->shape[d];
    return size;
}

mnp_status mnp_indices_get(const mnp_array *x, int axis, int count, const mnp_array *const *indices, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED(indices);
    selection s = {"mnp_indices_get", x, axis, count, indices};
    MNP_TRY(mnp__inputs_check(s.function, 1, &x));
    MNP_TRY(check(&s));
    if (count == 1)
        return mnp_take(x, indices[0], s.axis, MNP_RAISE, out_p);
    mnp_array *numbers = NULL, *joined = NULL;
    mnp_status st;
    int64_t shape[MNP_MAX_DIMS];
    const int ndim = x->layout->ndim - (count - 1);
    for (int d = 0; d < ndim; d++)
        shape[d] = x->layout->shape[d <= s.axis ? d : d + count - 1];
    shape[s.axis] = product(x->layout, s.axis, s.axis + count);
    MNP_TRY_OR(join_indices(&s, &numbers), st, done);
    MNP_TRY_OR(mnp_reshape(x, ndim, shape, &joined), st, done);
    st = mnp_take(joined, numbers, s.axis, MNP_WRAP, out_p);
done:
    mnp_free_all(numbers, joined);
    return st;
}

/*
 * The numbers first .. first+ndim-1 of a shape of `all` dimensions, 0, 1, 2, ... in C order; the others have extent 1.
 */
static mnp_status count_along(mnp_ctx *ctx, int all, const int64_t *shape, int first, int ndim, mnp_array **numbers_p)
{
    int64_t own[MNP_MAX_DIMS], size = 1;
    mnp_array *line = NULL;
    for (int d = 0; d < all; d++) {
        own[d] = d >= first && d < first + ndim ? shape[d] : 1;
        size *= own[d];
    }
    MNP_TRY(mnp_arange_int(ctx, 0, size, 1, MNP_INT64, &line));
    mnp_status st = mnp_reshape(line, all, own, numbers_p);
    mnp_array_free(line);
    return st;
}

/* The shape of what is selected: that of the numbers in the place of the axes.  *ndim_p receives its dimensions. */
static mnp_status shape_selected(const selection *s, const mnp_array *numbers, int *ndim_p, int64_t *shape)
{
    const mnp_layout *layout = s->x->layout;
    const int more = numbers->layout->ndim, ndim = layout->ndim - s->count + more;
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the selection has %d dimensions, and may have %d", s->function, ndim,
                        MNP_MAX_DIMS);
    for (int d = 0; d < ndim; d++) {
        const bool is_index = d >= s->axis && d < s->axis + more;
        shape[d] =
            is_index ? numbers->layout->shape[d - s->axis] : layout->shape[d < s->axis ? d : d - more + s->count];
    }
    *ndim_p = ndim;
    return MNP_OK;
}

/* The numbers in C order of the elements of x that are selected, of the shape of the selection. */
static mnp_status number_elements(const selection *s, const mnp_array *numbers, int ndim, const int64_t *shape,
                                  mnp_array **elements_p)
{
    mnp_ctx *ctx = s->x->ctx;
    const mnp_layout *layout = s->x->layout;
    const int more = numbers->layout->ndim, last = s->axis + s->count;
    mnp_array *shaped = NULL, *before = NULL, *after = NULL;
    int64_t own[MNP_MAX_DIMS];
    mnp_status st;
    for (int d = 0; d < ndim; d++)
        own[d] = d >= s->axis && d < s->axis + more ? shape[d] : 1;
    MNP_TRY_OR(mnp_reshape(numbers, ndim, own, &shaped), st, done);
    MNP_TRY_OR(count_along(ctx, ndim, shape, 0, s->axis, &before), st, done);
    MNP_TRY_OR(count_along(ctx, ndim, shape, s->axis + more, layout->ndim - last, &after), st, done);
    const mnp_array *inputs[] = {before, mnp_scalar_int(ctx, product(layout, s->axis, last)), shaped,
                                 mnp_scalar_int(ctx, product(layout, last, layout->ndim)), after};
    st = run(s->function, &whole_number, ctx, inputs, elements_p);
done:
    mnp_free_all(shaped, before, after);
    return st;
}

/* Whether the values that are broadcast to a selection are the same along the dimensions of the indices. */
static bool are_same(const selection *s, const mnp_array *values, int ndim, int more)
{
    if (mnp__array_is_scalar(values))
        return true;
    for (int d = 0, from = ndim - values->layout->ndim; d < values->layout->ndim; d++) {
        if (d + from >= s->axis && d + from < s->axis + more && values->layout->shape[d] != 1)
            return false;
    }
    return true;
}

/* Assign values of the selection's shape, as rows if they can be, or else element by element. */
static mnp_status set(const selection *s, mnp_array *x, const mnp_array *numbers, const mnp_array *values, bool same)
{
    const mnp_layout *layout = values->layout;
    mnp_array *elements = NULL;
    if (mnp__assigns_rows(x, s->axis, s->count))
        return mnp__assign(&(mnp__assignment){
            .x = x, .axis = s->axis, .count = s->count, .index = numbers, .values = values, .same = same});
    MNP_TRY(number_elements(s, numbers, layout->ndim, layout->shape, &elements));
    const mnp_status st = mnp_put(x, elements, values, MNP_WRAP);
    mnp_array_free(elements);
    return st;
}

mnp_status mnp_indices_set(mnp_array *x, int axis, int count, const mnp_array *const *indices, const mnp_array *values)
{
    MNP_ENTER(x, values);
    MNP_NEED(indices);
    selection s = {"mnp_indices_set", x, axis, count, indices};
    mnp_array *numbers = NULL, *fitted = NULL;
    int64_t shape[MNP_MAX_DIMS];
    mnp_status st;
    int ndim;
    MNP_TRY(mnp__output_check_writable(s.function, "x", x));
    MNP_TRY(check(&s));
    if (!mnp__array_is_scalar(values) && values->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values belong to another context", s.function);
    const bool alone = count == 1 && mnp__assigns_rows(x, s.axis, 1); /* one array needs no numbers */
    if (alone)
        MNP_TRY(mnp__indices_check_range(s.function, indices[0], x->layout->shape[s.axis], s.axis, MNP_RAISE));
    else
        MNP_TRY_OR(join_indices(&s, &numbers), st, done);
    const mnp_array *at = alone ? indices[0] : numbers;
    MNP_TRY_OR(shape_selected(&s, at, &ndim, shape), st, done);
    MNP_TRY_OR(mnp__values_fit(s.function, x->ctx, values, x->dtype, ndim, shape, &fitted), st, done);
    st = set(&s, x, at, fitted, are_same(&s, values, ndim, at->layout->ndim));
done:
    mnp_free_all(numbers, fitted);
    return st;
}

mnp_status mnp_indices_at(const char *function, mnp_array *x, int axis, int count, const mnp_array *const *indices,
                          const mnp_array *values)
{
    MNP_ENTER(function, x);
    MNP_NEED(indices);
    MNP_NEED_OR_NULL(values);
    selection s = {"mnp_indices_at", x, axis, count, indices};
    mnp_array *numbers = NULL, *elements = NULL;
    int64_t shape[MNP_MAX_DIMS];
    mnp_status st;
    int ndim;
    MNP_TRY(mnp__output_check_writable(s.function, "x", x));
    MNP_TRY(check(&s));
    if (values && !mnp__array_is_scalar(values) && values->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values belong to another context", s.function);
    MNP_TRY_OR(join_indices(&s, &numbers), st, done);
    MNP_TRY_OR(shape_selected(&s, numbers, &ndim, shape), st, done);
    MNP_TRY_OR(number_elements(&s, numbers, ndim, shape, &elements), st, done);
    st = mnp__elements_apply(s.function, function, x, elements, values);
done:
    mnp_free_all(numbers, elements);
    return st;
}

/* ---- repeats ---- */

/* For each element of the result the index of the one that it repeats: the first whose repeats end behind it. */
static mnp_status place_repeats(const char *function, const mnp_array *repeats, int64_t n, mnp_array **places_p)
{
    mnp_ctx *ctx = repeats->ctx;
    mnp_array *each = NULL, *ends = NULL, *last = NULL, *results = NULL;
    mnp_status st;
    int64_t total = 0, wrong;
    bool found;
    MNP_TRY(mnp__indices_outside(function, repeats, 0, INT64_MAX, &found, &wrong));
    if (found)
        return MNP_FAIL(MNP_ERR_ARG, "%s: repeats have %" PRId64 ", which is negative", function, wrong);
    MNP_TRY_OR(mnp_broadcast_to(repeats, 1, &n, &each), st, done);
    MNP_TRY_OR(mnp_cumsum(each, 0, "int64", &ends), st, done);
    if (n > 0) {
        MNP_TRY_OR(mnp_view(ends, &last, MNP_AT(-1)), st, done);
        MNP_TRY_OR(mnp_item(last, &total), st, done);
    }
    MNP_TRY_OR(mnp_arange_int(ctx, 0, total, 1, MNP_INT64, &results), st, done);
    st = mnp_searchsorted(ends, results, true, NULL, places_p);
done:
    mnp_free_all(each, ends, last, results);
    return st;
}

mnp_status mnp_repeat_each(const mnp_array *x, const mnp_array *repeats, int axis, mnp_array **result_p)
{
    MNP_ENTER(x, repeats, result_p);
    static const char function[] = "mnp_repeat_each";
    mnp_array *flat = NULL, *places = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__indices_check(function, x, repeats, MNP_RAISE));
    if (axis == MNP_FLATTENED) {
        MNP_TRY(mnp_ravel(x, &flat));
        x = flat;
        axis = 0;
    }
    MNP_TRY_OR(mnp__view_axis(function, x->layout->ndim, axis, &axis), st, done);
    MNP_TRY_OR(place_repeats(function, repeats, x->layout->shape[axis], &places), st, done);
    st = mnp_take(x, places, axis, MNP_WRAP, result_p);
done:
    mnp_free_all(flat, places);
    return st;
}
