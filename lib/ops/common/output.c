/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results that become the user's.
 */
#include "ops/common/output.h"

#include <string.h>

#include <maniple/create.h>

#include "base/text.h"
#include "layout/layout.h"

mnp_status mnp__result_check(const char *function, const char *name, const mnp_ctx *ctx, mnp_dtype dtype, int ndim,
                             const int64_t *shape, const mnp_array *given)
{
    if (!given)
        return MNP_OK;
    const mnp_layout *have = given->layout;
    const char *about = name ? " for " : "";
    name = name ? name : "";
    if (given->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the output%s%s belongs to another context", function, about, name);
    if (mnp__array_is_scalar(given) || given->read_only)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the output%s%s is %s, which cannot be written", function, about, name,
                        given->read_only ? "a broadcast view" : "a scalar");
    MNP_TRY(mnp__array_check_blocks(function, given));
    if (!mnp_can_cast(dtype, given->dtype, MNP_CASTING_SAME_KIND))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: the output%s%s is %s, to which the result's %s cannot be cast under \"same_kind\"",
                        function, about, name, mnp_dtype_name(given->dtype), mnp_dtype_name(dtype));
    if (have->ndim == ndim && memcmp(have->shape, shape, (size_t)ndim * sizeof *shape) == 0)
        return MNP_OK;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add(&text, "%s: the output%s%s has the shape ", function, about, name);
    mnp__text_add_shape(&text, have->ndim, have->shape);
    mnp__text_add(&text, ", and the result's is ");
    mnp__text_add_shape(&text, ndim, shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

mnp_status mnp__result_give(mnp_array **made, mnp_array **array_p)
{
    if (*array_p)
        return mnp_copyto(*array_p, *made, MNP_CASTING_SAME_KIND);
    *array_p = *made;
    *made = NULL;
    return MNP_OK;
}

mnp_status mnp__everywhere(const mnp_array *array, mnp_dtype dtype, mnp_array **copy_p)
{
    mnp_array *converted = NULL;
    mnp_layout *whole = NULL;
    mnp_status st;
    if (array->dtype != dtype)
        MNP_TRY(mnp_astype(array, dtype, &converted));
    const mnp_layout *own = array->layout;
    MNP_TRY_OR(mnp_layout_replicated(own->nranks, own->ndim, own->shape, &whole), st, done);
    st = mnp_redistribute(converted ? converted : array, whole, copy_p);
done:
    mnp_layout_free(whole);
    mnp_array_free(converted);
    return st;
}

mnp_status mnp__read_one(const mnp_array *array, void *value)
{
    mnp_ctx *ctx = array->ctx;
    for (int rank = 0; rank < ctx->comm.size; rank++) {
        int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
        if (!mnp__layout_box(array->layout, rank, lo, extent)) /* as of a row that some ranks own alone */
            return mnp_array_to_host(array, MNP_ALL_RANKS, value);
    }
    MNP_TRY(ctx->device->ops->copy(ctx->device, value, array->data, mnp_dtype_size(array->dtype), ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}
