/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Masks: x[mask], x[mask] = values, numpy.place and putmask.
 *
 * The dimensions of x that the mask has are merged to one, whose elements follow each other rank after rank; then the
 * selected elements are found by compaction.  Where a value does not depend on the elements selected before it, writing
 * is a loop over x where it lies.
 */
#include <maniple/create.h>
#include <maniple/select.h>
#include <maniple/view.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/indexing/compact.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/scatter.h"

/* ---- arguments ---- */

/* The mask has the shape of x's first dimensions, or of all of them. */
static mnp_status check_shape(const char *function, const mnp_array *x, const mnp_array *mask, bool all)
{
    const mnp_layout *own = x->layout, *theirs = mask->layout;
    bool fits = all ? theirs->ndim == own->ndim : theirs->ndim <= own->ndim;
    for (int d = 0; d < theirs->ndim && fits; d++)
        fits = theirs->shape[d] == own->shape[d];
    if (fits)
        return MNP_OK;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_shape(&text, theirs->ndim, theirs->shape);
    mnp__text_add(&text, ", and x's is ");
    mnp__text_add_shape(&text, own->ndim, own->shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: the mask's shape is %s", function, mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

static mnp_status check_mask(const char *function, const mnp_array *x, const mnp_array *mask, bool all)
{
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){x, mask}));
    if (!all && mask->dtype != MNP_BOOL)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the mask is %s, and must be bool", function, mnp_dtype_name(mask->dtype));
    if (mask->layout->ndim == 0 && x->layout->ndim == MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result would have %d dimensions, more than %d", function,
                        MNP_MAX_DIMS + 1, MNP_MAX_DIMS);
    return check_shape(function, x, mask, all);
}

static mnp_status check_target(const char *function, mnp_array *x, const mnp_array *mask, const mnp_array *values,
                               bool all)
{
    MNP_TRY(mnp__output_check_writable(function, "x", x));
    MNP_TRY(check_mask(function, x, mask, all));
    if (!values)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values are NULL", function);
    if (!mnp__array_is_scalar(values) && values->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values belong to another context", function);
    return MNP_OK;
}

/* ---- lining up ---- */

/* x and its mask, lined up, and what the mask selects. */
typedef struct lined {
    mnp_array *x, *mask;
    mnp__compaction compaction;
} lined;

/* Whether a layout lines up the first dimension over the ranks: else where it is to be cut, NULL for evenly. */
static bool is_lined_up(const mnp_layout *layout)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], end = 0;
    for (int rank = 0; rank < layout->nranks; rank++) {
        if (!mnp__layout_box(layout, rank, lo, extent))
            return layout->size == 0;
        for (int d = 1; d < layout->ndim; d++) {
            if (extent[d] != layout->shape[d])
                return false;
        }
        if (lo[0] != end)
            return false;
        end += extent[0];
    }
    return end == layout->shape[0];
}

/* The dimensions of x that the mask has as one. */
static mnp_status merge(const mnp_array *x, const mnp_array *mask, mnp_array **merged_p)
{
    int64_t shape[MNP_MAX_DIMS];
    int ndim = 1;
    shape[0] = mask->layout->size;
    for (int d = mask->layout->ndim; d < x->layout->ndim; d++)
        shape[ndim++] = x->layout->shape[d];
    return mnp_reshape(x, ndim, shape, merged_p);
}

/* Line up both, as x lies if it can be, and count.  The caller ends it, also after a failure, by finish(). */
static mnp_status begin(const mnp_array *x, const mnp_array *mask, lined *both)
{
    int64_t *cuts = NULL;
    mnp_layout *layout = NULL, *line = NULL;
    mnp_array *merged = NULL;
    mnp_status st;
    *both = (lined){.compaction.ctx = x->ctx};
    MNP_TRY_OR(merge(x, mask, &merged), st, done);
    const int ranks = x->ctx->comm.size;
    if (is_lined_up(merged->layout)) {
        MNP_TRY_OR(mnp__calloc((size_t)ranks + 1, sizeof *cuts, &cuts), st, done);
        for (int rank = 0; rank < ranks; rank++) {
            int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
            mnp__layout_box(merged->layout, rank, lo, extent);
            cuts[rank + 1] = cuts[rank] + extent[0];
        }
        both->x = merged;
        merged = NULL;
    } else {
        MNP_TRY_OR(mnp__layout_line(ranks, merged->layout->ndim, merged->layout->shape, NULL, &layout), st, done);
        MNP_TRY_OR(mnp_redistribute(merged, layout, &both->x), st, done);
    }
    MNP_TRY_OR(mnp__layout_line(ranks, 1, &mask->layout->size, cuts, &line), st, done);
    MNP_TRY_OR(mnp__lined_up(mask, MNP_BOOL, line, &both->mask), st, done);
    st = mnp__compaction_begin(both->mask, &both->compaction);
done:
    free(cuts);
    mnp_layout_free(line);
    mnp_layout_free(layout);
    mnp_array_free(merged);
    return st;
}

static void finish(lined *both)
{
    mnp__compaction_end(&both->compaction);
    mnp_array_free(both->mask);
    mnp_array_free(both->x);
}

/* The shape of what is selected, and the layout in which every rank has the elements that it selected itself. */
static mnp_status layout_selected(const lined *both, int64_t *shape, mnp_layout **layout_p)
{
    const mnp_layout *layout = both->x->layout;
    shape[0] = both->compaction.total;
    for (int d = 1; d < layout->ndim; d++)
        shape[d] = layout->shape[d];
    return mnp__layout_line(layout->nranks, layout->ndim, shape, both->compaction.cuts, layout_p);
}

/* ---- rows ---- */

/* Copy this rank's selected rows of x to dense memory, or back. */
static mnp_status move_rows(const lined *both, void *dense, bool back)
{
    const mnp_array *x = both->x;
    mnp_ctx *ctx = x->ctx;
    const int64_t count = mnp__compaction_count(&both->compaction);
    int64_t extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    void *numbers = NULL;
    mnp_indexed_params moved = {
        .src = back ? dense : x->data, .dst = back ? x->data : dense, .jump = x->local_strides[0], .scatters = back};
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, (size_t)count * sizeof(int64_t), &numbers)));
    mnp_status st = mnp__compaction_number(&both->compaction, 0, numbers);
    memcpy(extent, x->local_shape, sizeof extent);
    extent[0] = count;
    mnp__dense_strides(x->layout->ndim, extent, strides);
    moved.index = numbers;
    for (int d = 0; d < x->layout->ndim; d++) {
        const int64_t own = d == 0 ? 0 : x->local_strides[d];
        mnp__indexed_add(&moved, extent[d], back ? strides[d] : own, back ? own : strides[d], d == 0);
    }
    mnp_status st_moved = mnp__indexed_run(ctx, mnp_dtype_size(x->dtype), &moved);
    ctx->device->ops->free(ctx->device, numbers);
    return st != MNP_OK ? st : st_moved;
}

/* ---- reading ---- */

static mnp_status select_to(const lined *both, mnp_array *result)
{
    const mnp_array *x = both->x;
    if (x->layout->ndim > 1)
        return move_rows(both, result->data, false);
    return mnp__compaction_write(&both->compaction, mnp_dtype_size(x->dtype), x->data, x->local_strides[0],
                                 result->data);
}

/* A new array where every rank has its own part becomes an even one. */
static mnp_status close_evenly(mnp__output *output, mnp_status status)
{
    mnp_array *even = NULL;
    mnp_layout *block = NULL;
    if (*output->user_p)
        return mnp__output_close(1, output, status);
    const mnp_layout *layout = output->array->layout;
    status = MNP_AGREE(output->array->ctx, status);
    if (status == MNP_OK)
        status = mnp_layout_block(layout->nranks, layout->ndim, layout->shape, &block);
    if (status == MNP_OK && !mnp_layout_equal(layout, block)) {
        status = mnp_redistribute(output->array, block, &even);
        mnp_array_free(output->array);
        output->array = even;
    }
    mnp_layout_free(block);
    return mnp__output_close(1, output, status);
}

static mnp_status get(const char *function, const lined *both, const mnp_array *x, const mnp_array *mask,
                      mnp_array **out_p)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;
    mnp__output output;
    MNP_TRY(layout_selected(both, shape, &layout));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 2,
                                   .inputs = (const mnp_array *const[]){x, mask}};
    mnp_status st = mnp__output_open(&spec, out_p, &output);
    mnp_layout_free(layout);
    MNP_TRY(st);
    return close_evenly(&output, select_to(both, output.array));
}

mnp_status mnp_mask_get(const mnp_array *x, const mnp_array *mask, mnp_array **out_p)
{
    MNP_ENTER(x, mask, out_p);
    static const char function[] = "mnp_mask_get";
    lined both;
    MNP_TRY(check_mask(function, x, mask, false));
    mnp_status st = begin(x, mask, &both);
    if (st == MNP_OK)
        st = get(function, &both, x, mask, out_p);
    finish(&both);
    return st;
}

/* ---- writing where the values do not depend on what else is selected ---- */

static const mnp__formula where_true = {
    .name = "where_true",
    .body = "out = mask.value ? value : x;",
    .type = MNP_DTYPE_AUTO,
    .ninputs = 3,
    .inputs = {{"mask", MNP_BOOL}, {"value", MNP_DTYPE_AUTO}, {"x", MNP_DTYPE_AUTO}},
};

/* Values, broadcast to x, where the mask is true, which has x's first dimensions. */
static mnp_status write_beside(const char *function, mnp_array *x, const mnp_array *mask, const mnp_array *values)
{
    const int more = x->layout->ndim - mask->layout->ndim;
    int after[MNP_MAX_DIMS];
    mnp_array *wide = NULL, **out_p = &x;
    for (int d = 0; d < more; d++)
        after[d] = mask->layout->ndim + d;
    if (more > 0)
        MNP_TRY(mnp_expand_dims(mask, more, after, &wide));
    const mnp_array *inputs[] = {wide ? wide : mask, values, x};
    mnp_status st = mnp__formula_run(x->ctx, &(mnp__formula_call){.function = function,
                                                                  .formula = &where_true,
                                                                  .inputs = inputs,
                                                                  .outputs_p = &out_p,
                                                                  .type = x->dtype,
                                                                  .layout = x->layout});
    mnp_array_free(wide);
    return st;
}

/* ---- writing one value after the other ---- */

/* Write the rows of `values`, which has as many in any layout, to the selected elements. */
static mnp_status set_rows(const lined *both, mnp_array *x, const mnp_array *values)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;
    mnp_array *back = NULL;
    mnp__input rows = {NULL, NULL};
    mnp_status st;
    MNP_TRY(layout_selected(both, shape, &layout));
    MNP_TRY_OR(mnp__input_open(values, layout, x->dtype, MNP__INPUT_DENSE, &rows), st, done);
    MNP_TRY_OR(MNP_AGREE(x->ctx, move_rows(both, rows.array->data, true)), st, done);
    if (both->x->buffer != x->buffer) {
        MNP_TRY_OR(mnp_reshape(both->x, x->layout->ndim, x->layout->shape, &back), st, done);
        st = mnp_copyto(x, back, MNP_CASTING_NO);
    }
done:
    mnp_array_free(back);
    mnp__input_close(&rows);
    mnp_layout_free(layout);
    return st;
}

/* Values as rows, one for every element that is selected; `again`: they are repeated, else broadcast. */
static mnp_status set(const char *function, const lined *both, mnp_array *x, const mnp_array *values, bool again)
{
    int64_t shape[MNP_MAX_DIMS];
    const int64_t total = both->compaction.total;
    mnp_layout *layout;
    mnp_array *rows = NULL;
    MNP_TRY(layout_selected(both, shape, &layout));
    const int ndim = layout->ndim;
    mnp_layout_free(layout);
    if (total == 0 && again)
        return MNP_OK;
    if (again && values->layout->size == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are no values for the %" PRId64 " elements where the mask is true",
                        function, total);
    if (!again && values->layout->ndim == ndim && values->layout->shape[0] != total)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: there are %" PRId64 " values for the %" PRId64 " places where the mask is true", function,
                        values->layout->shape[0], total);
    mnp_status st = again ? mnp__values_repeat(x->ctx, values, x->dtype, total, &rows)
                          : mnp__values_fit(function, x->ctx, values, x->dtype, ndim, shape, &rows);
    if (st == MNP_OK)
        st = set_rows(both, x, rows);
    mnp_array_free(rows);
    return st;
}

static mnp_status set_in_order(const char *function, mnp_array *x, const mnp_array *mask, const mnp_array *values,
                               bool again)
{
    lined both;
    mnp_status st = begin(x, mask, &both);
    if (st == MNP_OK)
        st = set(function, &both, x, values, again);
    finish(&both);
    return st;
}

/* ---- the functions ---- */

mnp_status mnp_mask_set(mnp_array *x, const mnp_array *mask, const mnp_array *values)
{
    MNP_ENTER(x, mask, values);
    static const char function[] = "mnp_mask_set";
    MNP_TRY(check_target(function, x, mask, values, false));
    const int row_ndim = x->layout->ndim - mask->layout->ndim;
    if (mnp__array_is_number(values) || values->layout->ndim <= row_ndim)
        return write_beside(function, x, mask, values); /* the values do not depend on what is selected */
    if (values->layout->ndim > row_ndim + 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values have %d dimensions, and what is selected %d", function,
                        values->layout->ndim, row_ndim + 1);
    if (values->layout->shape[0] != 1)
        return set_in_order(function, x, mask, values, false);
    mnp_array *row = NULL;
    MNP_TRY(mnp_squeeze(values, 1, (const int[]){0}, &row));
    mnp_status st = write_beside(function, x, mask, row);
    mnp_array_free(row);
    return st;
}

mnp_status mnp_place(mnp_array *x, const mnp_array *mask, const mnp_array *values)
{
    MNP_ENTER(x, mask, values);
    static const char function[] = "mnp_place";
    MNP_TRY(check_target(function, x, mask, values, true));
    return mnp__array_is_number(values) ? write_beside(function, x, mask, values)
                                        : set_in_order(function, x, mask, values, true);
}

mnp_status mnp_putmask(mnp_array *x, const mnp_array *mask, const mnp_array *values)
{
    MNP_ENTER(x, mask, values);
    static const char function[] = "mnp_putmask";
    mnp_array *repeated = NULL, *beside = NULL;
    MNP_TRY(check_target(function, x, mask, values, true));
    if (mnp__array_is_number(values))
        return write_beside(function, x, mask, values);
    if (values->layout->size == 0 || x->layout->size == 0)
        return MNP_OK;
    MNP_TRY(mnp__values_repeat(x->ctx, values, x->dtype, x->layout->size, &repeated));
    mnp_status st = mnp_reshape(repeated, x->layout->ndim, x->layout->shape, &beside);
    if (st == MNP_OK)
        st = write_beside(function, x, mask, beside);
    mnp_array_free(beside);
    mnp_array_free(repeated);
    return st;
}
