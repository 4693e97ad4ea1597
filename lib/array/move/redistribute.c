/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_redistribute and mnp_replicate: the same array in another layout, by plans that the context keeps.
 */
#include "array/move/plan.h"
#include "array/output.h"
#include "layout/layout.h"

mnp_status mnp__redistribute_check(const char *function, const mnp_array *array, const mnp_layout *layout)
{
    MNP_TRY(mnp__array_refuse_scalar(function, array));
    if (layout->nranks != array->layout->nranks)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the new layout is for %d ranks, and the array is on %d", function,
                        layout->nranks, array->layout->nranks);
    if (!mnp__layout_same_shape(layout, array->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the new layout has another shape than the array", function);
    return MNP_OK;
}

static mnp_status redistribute(const char *function, const mnp_array *array, const mnp_layout *layout,
                               mnp_array **result_p)
{
    mnp_ctx *ctx = array->ctx;
    mnp__output output;
    mnp_array *copy = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__redistribute_check(function, array, layout));
    MNP_TRY(mnp__check_same(&ctx->comm, function, mnp__layout_hash(layout)));
    const mnp__output_spec spec = {
        .function = function, .ctx = ctx, .dtype = array->dtype, .layout = layout, .needs = MNP__OUTPUT_EXACT};
    MNP_TRY(mnp__output_open(&spec, result_p, &output));
    if (mnp_layout_equal(array->layout, layout))
        return mnp__output_close(1, &output, mnp__array_assign(array, output.array));
    if (output.array->buffer == array->buffer) /* views of one array: what is read must not be written before */
        st = mnp_copy(array, &copy);
    if (st == MNP_OK)
        st = mnp__plan_move_cached(copy ? copy : array, output.array, false);
    mnp_array_free(copy);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_redistribute(const mnp_array *array, const mnp_layout *layout, mnp_array **result_p)
{
    MNP_ENTER(array, layout, result_p);
    return redistribute("mnp_redistribute", array, layout, result_p);
}

mnp_status mnp_replicate(const mnp_array *x, mnp_array **copy_p)
{
    MNP_ENTER(x, copy_p);
    mnp_layout *whole = NULL;
    MNP_TRY(mnp__array_refuse_scalar("mnp_replicate", x));
    MNP_TRY(mnp_layout_replicated(x->layout->nranks, x->layout->ndim, x->layout->shape, &whole));
    mnp_status st = redistribute("mnp_replicate", x, whole, copy_p);
    mnp_layout_free(whole);
    return st;
}
