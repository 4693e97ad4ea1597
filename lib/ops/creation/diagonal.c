/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Diagonals: matrices made of them, and the diagonals of matrices.
 *
 * A diagonal is a view: every element stays on its rank.  Where one of the two dimensions is not cut, the diagonal is
 * cut as the other one is.  Where both are cut, the diagonal of a matrix goes from rank to rank in the order of the
 * ranks.
 */
#include <maniple/create.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/hash.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"

/* ---- by the distance from the main diagonal ---- */

#define IS_INSIDE "mnp_index[-1] - mnp_index[-2] >= low && mnp_index[-1] - mnp_index[-2] <= high"

static const mnp__formula ones_of_band = {
    .name = "ones_of_band",
    .body = "out = " IS_INSIDE ";",
    .indices = true,
    .type = MNP_UINT8,
    .ninputs = 2,
    .inputs = {{"low", MNP_INT64}, {"high", MNP_INT64}},
};

static const mnp__formula band_of = {
    .name = "band_of",
    .body = "if (" IS_INSIDE ")\n    out = x;\nelse\n    out = {};",
    .indices = true,
    .type = MNP_DTYPE_AUTO,
    .ninputs = 3,
    .inputs = {{"low", MNP_INT64}, {"high", MNP_INT64}, {"x", MNP_DTYPE_AUTO}},
};

/* Ones on the diagonals low .. high. */
static mnp_status ones(mnp_ctx *ctx, const char *function, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t low,
                       int64_t high, mnp_array **array_p)
{
    const int64_t shape[2] = {rows, columns};
    const mnp_array *inputs[] = {mnp_scalar_int(ctx, low), mnp_scalar_int(ctx, high)};
    return mnp__formula_create(
        ctx, &(mnp__formula_call){.function = function, .formula = &ones_of_band, .inputs = inputs, .type = dtype}, 2,
        shape, array_p);
}

mnp_status mnp_eye(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t k, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    return ones(ctx, "mnp_eye", dtype, rows, columns, k, k, array_p);
}

mnp_status mnp_identity(mnp_ctx *ctx, mnp_dtype dtype, int64_t n, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    return ones(ctx, "mnp_identity", dtype, n, n, 0, 0, array_p);
}

mnp_status mnp_tri(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t k, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    return ones(ctx, "mnp_tri", dtype, rows, columns, INT64_MIN, k, array_p);
}

static mnp_status band(const char *function, const mnp_array *x, int64_t low, int64_t high, mnp_array **result_p)
{
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    if (x->layout->ndim < 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions, and needs 2", function, x->layout->ndim);
    const mnp_array *inputs[] = {mnp_scalar_int(x->ctx, low), mnp_scalar_int(x->ctx, high), x};
    return mnp__formula_create(
        x->ctx,
        &(mnp__formula_call){
            .function = function, .formula = &band_of, .inputs = inputs, .type = x->dtype, .layout = x->layout},
        x->layout->ndim, x->layout->shape, result_p);
}

mnp_status mnp_tril(const mnp_array *x, int64_t k, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_IN_BLOCKS(x);
    return band("mnp_tril", x, INT64_MIN, k, result_p);
}

mnp_status mnp_triu(const mnp_array *x, int64_t k, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_IN_BLOCKS(x);
    return band("mnp_triu", x, k, INT64_MAX, result_p);
}

/* ---- one diagonal as a view ---- */

/* Elements (first[0] + i, first[1] + i) of dimensions axis[0] and axis[1], i = 0 .. length-1. */
struct diagonal {
    int axis[2];
    int64_t first[2], length;
};

static struct diagonal diagonal_of(const mnp_layout *layout, int64_t offset, int axis1, int axis2)
{
    struct diagonal diagonal = {.axis = {axis1, axis2}};
    int64_t rows = layout->shape[axis1], columns = layout->shape[axis2];
    if (offset > columns || offset < -rows) /* beyond the corner the diagonal is empty */
        return diagonal;
    diagonal.first[0] = offset < 0 ? -offset : 0;
    diagonal.first[1] = mnp__max(offset, 0);
    rows -= diagonal.first[0];
    columns -= diagonal.first[1];
    diagonal.length = mnp__min(rows, columns);
    return diagonal;
}

/* The part [begin, end) of the diagonal that lies in a box; it may be empty. */
static void meet(const struct diagonal *diagonal, const int64_t *lo, const int64_t *extent, int64_t *begin,
                 int64_t *end)
{
    *begin = 0;
    *end = diagonal->length;
    for (int i = 0; i < 2; i++) {
        int64_t from = lo[diagonal->axis[i]] - diagonal->first[i], to = from + extent[diagonal->axis[i]];
        *begin = from > *begin ? from : *begin;
        *end = to < *end ? to : *end;
    }
}

/* The layout of a matrix's diagonal, or NULL if it does not pass through the ranks in their order. */
static mnp_status layout_by_rank(const mnp_layout *layout, const struct diagonal *diagonal, mnp_layout **layout_p)
{
    int64_t *cuts, at = 0, lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], begin, end;
    mnp_status st = MNP_OK;
    *layout_p = NULL;
    MNP_TRY(mnp__malloc((size_t)(layout->nranks + 1) * sizeof *cuts, &cuts));
    for (int rank = 0; rank < layout->nranks; rank++) {
        cuts[rank] = at;
        if (!mnp__layout_box(layout, rank, lo, extent))
            continue;
        meet(diagonal, lo, extent, &begin, &end);
        if (begin == at && end > at) /* otherwise a replica of an earlier block */
            at = end;
    }
    cuts[layout->nranks] = at;
    if (at == diagonal->length)
        st = mnp_layout_new(1, &layout->nranks, 1, &diagonal->length, (const int[]){0}, (const int64_t *const[]){cuts},
                            layout_p);
    free(cuts);
    return st;
}

/* The layout of a diagonal as the last dimension, where at most one of its two dimensions is cut. */
static mnp_status layout_by_axis(const mnp_layout *layout, const struct diagonal *diagonal, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int ndim = 0, which = mnp_layout_parts(layout, diagonal->axis[1]) > 1, cut = diagonal->axis[which];
    int parts = mnp_layout_parts(layout, cut);
    int64_t *cuts;
    for (int d = 0; d < layout->ndim; d++) {
        if (d != diagonal->axis[0] && d != diagonal->axis[1])
            dims[ndim++] = mnp__layout_dim_of(layout, d);
    }
    MNP_TRY(mnp__malloc((size_t)(parts + 1) * sizeof *cuts, &cuts));
    for (int i = 0; i <= parts; i++) {
        int64_t at = layout->cuts[cut][i] - diagonal->first[which];
        cuts[i] = at < 0 ? 0 : at > diagonal->length ? diagonal->length : at;
    }
    dims[ndim] = mnp__layout_dim_of(layout, cut);
    dims[ndim].extent = cuts[parts] = diagonal->length;
    dims[ndim].cuts = cuts;
    mnp_status st = mnp__layout_derive(layout, ndim + 1, dims, layout_p);
    free(cuts);
    return st;
}

/* The layout of the diagonal as x lies, or NULL if it has to be brought to another one. */
static mnp_status diagonal_layout(const mnp_layout *layout, const struct diagonal *diagonal, mnp_layout **layout_p)
{
    *layout_p = NULL;
    if (mnp_layout_parts(layout, diagonal->axis[0]) == 1 || mnp_layout_parts(layout, diagonal->axis[1]) == 1)
        return layout_by_axis(layout, diagonal, layout_p);
    return layout->ndim == 2 ? layout_by_rank(layout, diagonal, layout_p) : MNP_OK;
}

static mnp_status view_diagonal(const mnp_array *x, const struct diagonal *diagonal, const mnp_layout *layout,
                                mnp_array **view_p)
{
    int64_t strides[MNP_MAX_DIMS], begin, end, offset = 0;
    int ndim = 0;
    meet(diagonal, x->local_lo, x->local_shape, &begin, &end);
    for (int d = 0; d < x->layout->ndim; d++) {
        if (d != diagonal->axis[0] && d != diagonal->axis[1])
            strides[ndim++] = x->local_strides[d];
    }
    strides[ndim] = 0;
    for (int i = 0; i < 2; i++) {
        int axis = diagonal->axis[i];
        offset += (diagonal->first[i] + begin - x->local_lo[axis]) * x->local_strides[axis];
        strides[ndim] += x->local_strides[axis];
    }
    char *data = x->local_size > 0 ? (char *)x->data + offset * (int64_t)mnp_dtype_size(x->dtype) : NULL;
    return mnp__array_view(x, x->dtype, layout, data, strides, view_p);
}

/* ---- diag and diagonal ---- */

/* A layout from which any diagonal can be seen: cut along one of its dimensions alone. */
static mnp_status cut_along(const mnp_layout *layout, int axis, mnp_layout **cut_p)
{
    int axes[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++)
        axes[d] = d == axis ? 0 : MNP_NO_AXIS;
    return mnp_layout_new(1, &layout->nranks, layout->ndim, layout->shape, axes, NULL, cut_p);
}

/* Copy the diagonal to the array that was given, or to one in the layout that Maniple chooses. */
static mnp_status extract(const char *function, const mnp_array *x, const struct diagonal *diagonal,
                          mnp_array **result_p)
{
    mnp_array *view = NULL;
    mnp__input brought = {NULL, NULL};
    mnp__output output;
    mnp_layout *cut = NULL, *layout = NULL, *natural = NULL;
    mnp_status st;
    MNP_TRY(mnp__check_same(&x->ctx->comm, function, mnp__hash(MNP__HASH_START, diagonal, sizeof *diagonal)));
    MNP_TRY_OR(diagonal_layout(x->layout, diagonal, &layout), st, done);
    if (!layout) {
        MNP_TRY_OR(cut_along(x->layout, diagonal->axis[0], &cut), st, done);
        MNP_TRY_OR(diagonal_layout(cut, diagonal, &layout), st, done);
    }
    MNP_TRY_OR(mnp__input_open(x, cut, MNP_DTYPE_AUTO, 0, &brought), st, done);
    MNP_TRY_OR(view_diagonal(brought.array, diagonal, layout, &view), st, done);
    MNP_TRY_OR(mnp_layout_block(layout->nranks, layout->ndim, layout->shape, &natural), st, done);
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = natural,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &x};
    MNP_TRY_OR(mnp__output_open(&spec, result_p, &output), st, done);
    st = mnp__output_close(1, &output, mnp__array_copy_to(view, output.array));
done:
    mnp_array_free(view);
    mnp__input_close(&brought);
    mnp_layout_free(natural);
    mnp_layout_free(layout);
    mnp_layout_free(cut);
    return st;
}

/* The matrix with this vector on its diagonal k. */
static mnp_status expand(const mnp_array *vector, int64_t k, mnp_array **result_p)
{
    int64_t n, shape[2];
    mnp_array *matrix = NULL, *view = NULL;
    mnp_layout *layout = NULL;
    mnp_status st;
    if (k == INT64_MIN || __builtin_add_overflow(vector->layout->shape[0], k < 0 ? -k : k, &n))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_diag: k is %" PRId64 ", too far for 64-bit sizes", k);
    shape[0] = shape[1] = n;
    const mnp__output_spec spec = {
        .function = "mnp_diag", .ctx = vector->ctx, .dtype = vector->dtype, .ndim = 2, .shape = shape};
    MNP_TRY(mnp__output_check(&spec, *result_p));
    MNP_TRY(mnp_zeros(vector->ctx, vector->dtype, 2, shape, &matrix));
    const struct diagonal diagonal = diagonal_of(matrix->layout, k, 0, 1);
    MNP_TRY_OR(diagonal_layout(matrix->layout, &diagonal, &layout), st, done);
    MNP_TRY_OR(view_diagonal(matrix, &diagonal, layout, &view), st, done);
    st = mnp_redistribute(vector, layout, &view);
done:
    mnp_array_free(view);
    mnp_layout_free(layout);
    return mnp__output_give(matrix, st, result_p);
}

mnp_status mnp_diag(const mnp_array *x, int64_t k, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_IN_BLOCKS(x);
    MNP_TRY(mnp__inputs_check("mnp_diag", 1, &x));
    if (x->layout->ndim == 1)
        return expand(x, k, result_p);
    if (x->layout->ndim != 2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_diag: the array has %d dimensions, neither 1 nor 2", x->layout->ndim);
    const struct diagonal diagonal = diagonal_of(x->layout, k, 0, 1);
    return extract("mnp_diag", x, &diagonal, result_p);
}

mnp_status mnp_diagonal(const mnp_array *x, int64_t offset, int axis1, int axis2, mnp_array **result_p)
{
    MNP_ENTER(x, result_p);
    MNP_IN_BLOCKS(x);
    MNP_TRY(mnp__inputs_check("mnp_diagonal", 1, &x));
    MNP_TRY(mnp__view_axis("mnp_diagonal", x->layout->ndim, axis1, &axis1));
    MNP_TRY(mnp__view_axis("mnp_diagonal", x->layout->ndim, axis2, &axis2));
    if (axis1 == axis2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_diagonal: both axes are %d", axis1);
    const struct diagonal diagonal = diagonal_of(x->layout, offset, axis1, axis2);
    return extract("mnp_diagonal", x, &diagonal, result_p);
}
