/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting by several keys: by the one that counts least first, then, as sorts are stable, by the next.
 */
#include <maniple/select.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/sort/sort.h"

static const char function[] = "mnp_lexsort";

static mnp_status check_keys(const mnp_array *const *keys, int count)
{
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d keys, and one is needed at least", function, count);
    MNP_TRY(mnp__inputs_check(function, count, keys));
    const mnp_layout *first = keys[0]->layout;
    for (int i = 1; i < count; i++) {
        const mnp_layout *layout = keys[i]->layout;
        if (mnp__layout_same_shape(layout, first))
            continue;
        mnp__text text = MNP__TEXT_EMPTY;
        mnp__text_add_shape(&text, first->ndim, first->shape);
        mnp__text_add(&text, " and ");
        mnp__text_add_shape(&text, layout->ndim, layout->shape);
        mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: keys 0 and %d have shapes %s, which must be the same", function, i,
                                 mnp__text_string(&text));
        mnp__text_free(&text);
        return st;
    }
    return MNP_OK;
}

/* Sort the indices in *order_p, which are in the order of the previous keys, by one more key. */
static mnp_status refine(const mnp_array *key, int axis, mnp_array **order_p)
{
    mnp_array *in_order = NULL, *finer = NULL, *refined = NULL;
    mnp_status st = mnp_take_along_axis(key, *order_p, axis, &in_order);
    if (st == MNP_OK)
        st = mnp_argsort(in_order, axis, &finer);
    if (st == MNP_OK)
        st = mnp_take_along_axis(*order_p, finer, axis, &refined);
    mnp_free_all(in_order, finer);
    MNP_TRY(st);
    mnp_array_free(*order_p);
    *order_p = refined;
    return MNP_OK;
}

/* The output is written when all keys have been read. */
mnp_status mnp_lexsort(const mnp_array *const *keys, int count, int axis, mnp_array **out_p)
{
    MNP_ENTER(out_p);
    MNP_NEED_ALL(count, keys);
    mnp_array *order = NULL;
    mnp__output output;
    MNP_TRY(check_keys(keys, count));
    MNP_TRY(mnp__view_axis(function, keys[0]->layout->ndim, axis, &axis));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = keys[0]->ctx,
                                   .dtype = MNP_INT64,
                                   .layout = keys[0]->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY(mnp__output_open(&spec, out_p, &output));
    mnp_status st = mnp_argsort(keys[0], axis, &order);
    for (int i = 1; i < count && st == MNP_OK; i++)
        st = refine(keys[i], axis, &order);
    if (st == MNP_OK)
        st = mnp__array_copy_to(order, output.array);
    mnp_array_free(order);
    return mnp__output_close(1, &output, st);
}
