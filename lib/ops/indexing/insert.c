/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slices inserted at several indices.  Element i of the array has the key 2 i + 1, and what comes before element i the
 * key 2 i; in the order of these keys, slices of the array and of what is inserted, side by side, are taken.
 */
#include <inttypes.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/select.h>
#include <maniple/sort.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/view.h"
#include "layout/layout.h"

static const char function[] = "mnp_insert_each";

static mnp_status check_indices(const mnp_array *indices, int64_t extent, int axis)
{
    mnp_ctx *ctx = indices->ctx;
    const char kind = mnp_dtype_kind(indices->dtype);
    mnp_array *outside = NULL;
    bool any;
    if (indices->layout->ndim != 1 || (kind != 'i' && kind != 'u'))
        return MNP_FAIL(MNP_ERR_ARG, "%s: indices should be integers in one dimension", function);
    MNP_TRY(mnp_eval(ctx, "any((i < -n) | (i > n))", MNP_IN("i", indices, "n", mnp_scalar_int(ctx, extent)),
                     MNP_OUT("", &outside)));
    const mnp_status st = mnp_item(outside, &any);
    mnp_array_free(outside);
    if (st == MNP_OK && any)
        return MNP_FAIL(MNP_ERR_ARG, "%s: an index is out of bounds: dimension %d has %" PRId64 " elements", function,
                        axis, extent);
    return st;
}

/* The order of the keys of `extent` elements, and of what is inserted. */
static mnp_status find_order(const mnp_array *indices, int64_t extent, mnp_array **order_p)
{
    mnp_ctx *ctx = indices->ctx;
    mnp_array *own = NULL, *inserted = NULL, *keys = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_arange_int(ctx, 1, 2 * extent + 1, 2, MNP_INT64, &own), st, done);
    MNP_TRY_OR(mnp_eval(ctx, "2 * where(i < 0, i + n, i)", MNP_IN("i", indices, "n", mnp_scalar_int(ctx, extent)),
                        MNP_OUT("", &inserted)),
               st, done);
    MNP_TRY_OR(mnp_concatenate(MNP_LIST(own, inserted), 0, &keys), st, done);
    st = mnp_argsort(keys, 0, order_p);
done:
    mnp_free_all(own, inserted, keys);
    return st;
}

mnp_status mnp_insert_each(const mnp_array *x, const mnp_array *indices, const mnp_array *values, int axis,
                           mnp_array **result_p)
{
    MNP_ENTER(x, indices, values, result_p);
    mnp_array *wide = NULL, *cast = NULL, *order = NULL, *joined = NULL;
    int64_t shape[MNP_MAX_DIMS];
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 3, (const mnp_array *const[]){x, indices, values}));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    const int64_t extent = x->layout->shape[axis];
    MNP_TRY(check_indices(indices, extent, axis));
    for (int d = 0; d < x->layout->ndim; d++)
        shape[d] = d == axis ? indices->layout->size : x->layout->shape[d];
    MNP_TRY_OR(mnp_broadcast_to(values, x->layout->ndim, shape, &wide), st, done);
    MNP_TRY_OR(mnp_astype(wide, x->dtype, &cast), st, done);
    MNP_TRY_OR(find_order(indices, extent, &order), st, done);
    MNP_TRY_OR(mnp_concatenate(MNP_LIST(x, cast), axis, &joined), st, done);
    st = mnp_take(joined, order, axis, MNP_WRAP, result_p);
done:
    mnp_free_all(wide, cast, order, joined);
    return st;
}
