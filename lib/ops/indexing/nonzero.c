/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.nonzero and its like, which find elements that are not 0; and numpy.compress and extract, which take them.
 */
#include <maniple/join.h>
#include <maniple/select.h>
#include <maniple/view.h>

#include <stdio.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/indexing/compact.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"

/* ---- numbers in C order ---- */

/* This rank's numbers, which follow those of the ranks before it. */
static mnp_status write_numbers(const mnp__compaction *compaction, mnp_array **numbers_p)
{
    mnp_ctx *ctx = compaction->ctx;
    mnp_layout *own, *even = NULL;
    mnp_array *numbers = NULL, *result = NULL;
    mnp_status st;
    MNP_TRY(mnp__layout_line(ctx->comm.size, 1, &compaction->total, compaction->cuts, &own));
    MNP_TRY_OR(mnp_array_new(ctx, MNP_INT64, own, &numbers), st, done);
    st = mnp__compaction_number(compaction, compaction->mask->local_lo[0], numbers->data);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp_layout_block(ctx->comm.size, 1, &compaction->total, &even), st, done);
    if (mnp_layout_equal(own, even)) {
        result = numbers;
        numbers = NULL;
    } else {
        st = mnp_redistribute(numbers, even, &result);
    }
done:
    mnp_layout_free(even);
    mnp_layout_free(own);
    mnp_array_free(numbers);
    MNP_TRY(st);
    *numbers_p = result;
    return MNP_OK;
}

/* The numbers of elements that are not 0, in the layout of mnp_layout_block(). */
static mnp_status find(const mnp_array *x, mnp_array **numbers_p)
{
    mnp_layout *line;
    mnp_array *mask = NULL;
    mnp__compaction compaction;
    MNP_TRY(mnp__layout_line(x->ctx->comm.size, 1, &x->layout->size, NULL, &line));
    mnp_status st = mnp__lined_up(x, MNP_BOOL, line, &mask);
    mnp_layout_free(line);
    MNP_TRY(st);
    st = mnp__compaction_begin(mask, &compaction);
    if (st == MNP_OK)
        st = write_numbers(&compaction, numbers_p);
    mnp__compaction_end(&compaction);
    mnp_array_free(mask);
    return st;
}

/* ---- indices ---- */

/* Indices, the last first, of a number; the extents are x1, x2, ... */
static void write_indices(const int *ndim, mnp__text *body)
{
    mnp__text_add(body, "int64_t rest = number, next;\n");
    for (int d = *ndim - 1; d > 0; d--)
        mnp__text_add(body, "next = rest / x%d;\nout%d = rest - next * x%d;\nrest = next;\n", d + 1, d, d + 1);
    mnp__text_add(body, "out = rest;\n");
}

static const mnp__formula indices_of = {
    .name = "unravel",
    .write = write_indices,
    .type = MNP_INT64,
    .ninputs = 1,
    .inputs = {{"number", MNP_INT64}},
};

/* Indices in x of the numbers. */
static mnp_status unravel(const char *function, const mnp_array *x, const mnp_array *numbers, mnp_array **const *outs_p)
{
    mnp_ctx *ctx = x->ctx;
    const int ndim = x->layout->ndim;
    const mnp_array *inputs[MNP_MAX_DIMS + 1] = {numbers};
    for (int d = 0; d < ndim; d++) {
        const mnp_dtype memory = *outs_p[d] ? (*outs_p[d])->dtype : MNP_INT64;
        MNP_TRY(mnp__output_check_cast(function, NULL, MNP_INT64, memory));
        inputs[1 + d] = mnp_scalar_int(ctx, x->layout->shape[d]);
    }
    return mnp__formula_run(ctx, &(mnp__formula_call){.function = function,
                                                      .formula = &indices_of,
                                                      .ninputs = 1 + ndim,
                                                      .noutputs = ndim,
                                                      .inputs = inputs,
                                                      .outputs_p = outs_p,
                                                      .result = MNP_INT64,
                                                      .layout = numbers->layout,
                                                      .facts = {ndim}});
}

/* ---- the functions ---- */

mnp_status mnp_flatnonzero(const mnp_array *x, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    static const char function[] = "mnp_flatnonzero";
    mnp_array *numbers;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(find(x, &numbers));
    const mnp__output_spec spec = {.function = function, .ctx = x->ctx, .dtype = MNP_INT64, .layout = numbers->layout};
    return mnp__output_give(numbers, mnp__output_check(&spec, *out_p), out_p);
}

mnp_status mnp_nonzero(const mnp_array *x, mnp_array **outs)
{
    MNP_ENTER(x);
    MNP_NEED_IF(x->layout->ndim > 0, outs);
    static const char function[] = "mnp_nonzero";
    mnp_array *numbers, **outs_p[MNP_MAX_DIMS];
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    if (x->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: x has no dimensions, and so no indices", function);
    for (int d = 0; d < x->layout->ndim; d++)
        outs_p[d] = &outs[d];
    MNP_TRY(find(x, &numbers));
    mnp_status st = unravel(function, x, numbers, outs_p);
    mnp_array_free(numbers);
    return st;
}

/* Indices in the columns of an array of that layout. */
static mnp_status fill_columns(const char *function, const mnp_array *x, const mnp_array *numbers, mnp_array *result)
{
    mnp_array *columns[MNP_MAX_DIMS] = {NULL}, **outs_p[MNP_MAX_DIMS];
    mnp_status st = MNP_OK;
    for (int d = 0; d < x->layout->ndim && st == MNP_OK; d++) {
        st = mnp_view(result, &columns[d], MNP_ALL, MNP_AT(d));
        outs_p[d] = &columns[d];
    }
    if (st == MNP_OK && x->layout->ndim > 0)
        st = unravel(function, x, numbers, outs_p);
    for (int d = 0; d < x->layout->ndim; d++)
        mnp_array_free(columns[d]);
    return st;
}

mnp_status mnp_argwhere(const mnp_array *x, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    static const char function[] = "mnp_argwhere";
    mnp_array *numbers;
    mnp__output output = {.array = NULL};
    mnp_layout *layout;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(find(x, &numbers));
    const int64_t shape[2] = {numbers->layout->size, x->layout->ndim};
    mnp_status st = mnp__layout_line(x->ctx->comm.size, 2, shape, NULL, &layout);
    if (st == MNP_OK) {
        const mnp__output_spec spec = {
            .function = function, .ctx = x->ctx, .dtype = MNP_INT64, .layout = layout, .ninputs = 1, .inputs = &x};
        st = mnp__output_open(&spec, out_p, &output);
        mnp_layout_free(layout);
    }
    if (st == MNP_OK)
        st = fill_columns(function, x, numbers, output.array);
    mnp_array_free(numbers);
    return mnp__output_close(1, &output, st);
}

/* ---- compress ---- */

mnp_status mnp_compress(const mnp_array *condition, const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(condition, x, out_p);
    static const char function[] = "mnp_compress";
    mnp_array *numbers, *flat = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){condition, x}));
    if (condition->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the condition has %d dimensions, and must have 1", function,
                        condition->layout->ndim);
    const bool beside =
        axis == MNP_FLATTENED && condition->dtype == MNP_BOOL && condition->layout->size == x->layout->size;
    if (beside) {
        MNP_TRY(mnp_ravel(x, &flat));
        st = mnp_mask_get(flat, condition, out_p);
        mnp_array_free(flat);
        return st;
    }
    MNP_TRY(find(condition, &numbers));
    st = mnp_take(x, numbers, axis, MNP_RAISE, out_p);
    mnp_array_free(numbers);
    return st == MNP_ERR_ARG ? mnp__fail_context(st, "%s", function) : st;
}

mnp_status mnp_extract(const mnp_array *condition, const mnp_array *x, mnp_array **out_p)
{
    MNP_ENTER(condition, x, out_p);
    mnp_array *flat = NULL;
    MNP_TRY(mnp__inputs_check("mnp_extract", 2, (const mnp_array *const[]){condition, x}));
    MNP_TRY(mnp_ravel(condition, &flat));
    mnp_status st = mnp_compress(flat, x, MNP_FLATTENED, out_p);
    mnp_array_free(flat);
    return st;
}
