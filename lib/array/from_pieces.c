/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of what every rank has: the ranks tell each other what their pieces are, which gives the layout, and each
 * copies its own.  As all of them see all pieces, all find the same mistake in the same words.
 *
 * Cost: a small all-gather, and the copy of this rank's piece; nothing moves between ranks unless another layout is
 * wanted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/interop.h>

#include "array/array.h"
#include "array/output.h"
#include "base/text.h"
#include "layout/layout.h"

/* Which pointer is NULL that must not be. */
enum { NOTHING, SHAPE, DATA };

/* What a rank passes.  Ranks send these as bytes, so there is no padding in between. */
typedef struct piece {
    int64_t shape[MNP_MAX_DIMS];
    int32_t dtype, ndim, axis, even;
    int64_t missing; /* an enum */
} piece;

static piece describe(mnp_dtype dtype, int ndim, const int64_t *shape, int axis, const void *data, bool even)
{
    piece own = {.dtype = (int32_t)dtype, .ndim = ndim, .axis = axis, .even = even};
    bool is_empty = false;
    if (ndim < 1 || ndim > MNP_MAX_DIMS)
        return own;
    for (int d = 0; d < ndim; d++) {
        own.shape[d] = shape ? shape[d] : 0;
        is_empty = is_empty || own.shape[d] == 0;
    }
    if (axis < 0)
        own.axis += ndim;
    own.missing = !shape ? SHAPE : !data && !is_empty ? DATA : NOTHING;
    return own;
}

/* Check what is wrong with a piece by itself. */
static mnp_status check_piece(const char *function, const char *name, const piece *p, int rank)
{
    if (p->ndim < 1 || p->ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the piece of rank %d has %d dimensions, and must have 1 to %d", function,
                        rank, p->ndim, MNP_MAX_DIMS);
    if (p->axis < 0 || p->axis >= p->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: rank %d gives an axis that its piece of %d dimensions does not have",
                        function, rank, p->ndim);
    for (int d = 0; d < p->ndim; d++) {
        if (p->shape[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the piece of rank %d has %" PRId64 " elements along dimension %d",
                            function, rank, p->shape[d], d);
    }
    if (p->missing != NOTHING)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is NULL on rank %d", function, p->missing == SHAPE ? "shape" : name, rank);
    return MNP_OK;
}

static mnp_status fail_shapes(const char *function, const piece *first, const piece *other, int rank)
{
    char room[256];
    mnp__text text = MNP__TEXT_IN(room);
    mnp__text_add_shape(&text, first->ndim, first->shape);
    mnp__text_add(&text, " and ");
    mnp__text_add_shape(&text, other->ndim, other->shape);
    const mnp_status st =
        MNP_FAIL(MNP_ERR_ARG, "%s: the pieces of ranks 0 and %d have shapes %s, which may differ along axis %d alone",
                 function, rank, mnp__text_string(&text), first->axis);
    mnp__text_free(&text);
    return st;
}

static mnp_status check_pieces(const char *function, const char *name, int count, const piece *pieces)
{
    for (int r = 0; r < count; r++) {
        const piece *first = &pieces[0], *p = &pieces[r];
        MNP_TRY(check_piece(function, name, p, r));
        if (p->dtype != first->dtype || p->axis != first->axis || p->even != first->even)
            return MNP_FAIL(MNP_ERR_ARG, "%s: ranks 0 and %d differ in the dtype, the axis or the layout", function, r);
        bool same = p->ndim == first->ndim;
        for (int d = 0; d < p->ndim && same; d++)
            same = d == p->axis || p->shape[d] == first->shape[d];
        if (!same)
            return fail_shapes(function, first, p, r);
    }
    return MNP_OK;
}

/* The layout that is cut along the axis where pieces end. */
static mnp_status cut(const char *function, int count, const piece *pieces, mnp_layout **layout_p)
{
    const piece *first = &pieces[0];
    int64_t shape[MNP_MAX_DIMS], *cuts;
    const int64_t *table[MNP_MAX_DIMS] = {NULL};
    int axes[MNP_MAX_DIMS];
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__malloc(((size_t)count + 1) * sizeof *cuts, &cuts));
    cuts[0] = 0;
    for (int r = 0; r < count && st == MNP_OK; r++) {
        if (__builtin_add_overflow(cuts[r], pieces[r].shape[first->axis], &cuts[r + 1]))
            st = MNP_FAIL(MNP_ERR_ARG, "%s: the pieces have too many elements for 64-bit sizes", function);
    }
    for (int d = 0; d < first->ndim; d++) {
        axes[d] = d == first->axis ? 0 : MNP_NO_AXIS;
        shape[d] = d == first->axis ? cuts[count] : first->shape[d];
    }
    table[first->axis] = cuts;
    if (st == MNP_OK)
        st = mnp_layout_new(1, &count, first->ndim, shape, axes, table, layout_p);
    free(cuts);
    return st;
}

/* The layout of all pieces together.  Collective. */
static mnp_status find_layout(const char *function, const char *name, mnp_ctx *ctx, const piece *own,
                              mnp_layout **layout_p)
{
    const int count = ctx->comm.size;
    piece *pieces = NULL;
    MNP_TRY(MNP_AGREE(ctx, mnp__malloc((size_t)count * sizeof *pieces, &pieces)));
    mnp_status st = mnp__all_gather(&ctx->comm, own, pieces, sizeof *own);
    if (st == MNP_OK)
        st = check_pieces(function, name, count, pieces);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, cut(function, count, pieces, layout_p));
    free(pieces);
    return st;
}

/* Bring an array to the layout of mnp_layout_block(). */
static mnp_status spread_evenly(mnp_array **array_p)
{
    mnp_array *pieces = *array_p, *even = NULL;
    mnp_layout *layout;
    MNP_TRY(mnp_layout_block(pieces->ctx->comm.size, pieces->layout->ndim, pieces->layout->shape, &layout));
    const mnp_status st = mnp_redistribute(pieces, layout, &even);
    mnp_layout_free(layout);
    if (st == MNP_OK) {
        mnp_array_free(pieces);
        *array_p = even;
    }
    return st;
}

mnp_status mnp__array_from_pieces(const char *function, const char *name, mnp_ctx *ctx, mnp_dtype dtype, int ndim,
                                  const int64_t *shape, int axis, const void *data, bool even, mnp_array **array_p)
{
    const piece own = describe(dtype, ndim, shape, axis, data, even);
    mnp_layout *layout = NULL;
    mnp_array *made = NULL;
    MNP_TRY(find_layout(function, name, ctx, &own, &layout));
    const mnp__output_spec spec = {.function = function, .ctx = ctx, .dtype = dtype, .layout = layout};
    mnp_status st = mnp__output_check(&spec, *array_p);
    if (st == MNP_OK)
        st = mnp_array_new(ctx, dtype, layout, &made);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, made->local_size > 0 ? mnp_array_set_local(made, data) : MNP_OK);
    if (st == MNP_OK && even && !*array_p)
        st = spread_evenly(&made);
    mnp_layout_free(layout);
    return mnp__output_give(made, st, array_p);
}

mnp_status mnp_array_from_pieces(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int axis,
                                 const void *data, bool even, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    return mnp__array_from_pieces("mnp_array_from_pieces", "data", ctx, dtype, ndim, shape, axis, data, even, array_p);
}

mnp_status mnp_layout_from_pieces(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int axis,
                                  mnp_layout **layout_p)
{
    MNP_ENTER(ctx, layout_p);
    static const int64_t nothing[1];
    const piece own = describe(dtype, ndim, shape, axis, nothing, false);
    return find_layout("mnp_layout_from_pieces", "shape", ctx, &own, layout_p);
}
