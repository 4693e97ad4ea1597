/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placing arrays into a result by the mover: every rank wants what its block of the result takes from the source.
 */
#include "ops/common/paste.h"

#include <string.h>

#include "array/boxes.h"
#include "array/move/mover.h"
#include "array/move/plan.h"
#include "base/hash.h"
#include "base/text.h"
#include "layout/layout.h"

/* ---- moving ---- */

mnp__paste_source mnp__paste_source_of(const mnp_array *result)
{
    mnp__paste_source placement = {.origin = {0}};
    for (int d = 0; d < result->layout->ndim; d++)
        placement.hi[d] = result->layout->shape[d];
    return placement;
}

struct request {
    const mnp_array *result;
    const mnp__paste_source *placement;
};

/* What a rank wants: the part of its block that the placement covers, in indices of the source. */
static int wanted_part(const void *argument, int rank, mnp__want *wants)
{
    const struct request *request = argument;
    const mnp__paste_source *placement = request->placement;
    const mnp_array *result = request->result;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    wants[0].offset = 0;
    if (!mnp__layout_box(result->layout, rank, lo, extent))
        return 0;
    mnp__target_strides(result, extent, wants[0].strides);
    for (int d = 0; d < result->layout->ndim; d++) {
        int64_t end = lo[d] + extent[d];
        int64_t from = lo[d] > placement->lo[d] ? lo[d] : placement->lo[d];
        int64_t to = end < placement->hi[d] ? end : placement->hi[d];
        if (from >= to)
            return 0;
        wants[0].lo[d] = from - placement->origin[d];
        wants[0].extent[d] = to - from;
        wants[0].offset += (from - lo[d]) * wants[0].strides[d];
    }
    return 1;
}

static mnp_status move(const mnp_array *source, const mnp__paste_source *placement, mnp_array *result)
{
    mnp__mover *mover;
    struct request request = {.result = result, .placement = placement};
    const mnp__move_spec spec = {.dtype = source->dtype,
                                 .layout = source->layout,
                                 .strides = source->local_strides,
                                 .boundaries = placement->boundaries,
                                 .wants = wanted_part,
                                 .argument = &request,
                                 .direct = mnp__target_is_direct(result)};
    MNP_TRY(mnp__mover_new(result->ctx, &spec, &mover));
    mnp_status st = mnp__mover_move(mover, source->data, mnp__target_memory(result));
    mnp__mover_free(mover);
    return st;
}

mnp_status mnp__paste(const char *function, const mnp_array *source, const mnp__paste_source *placement,
                      mnp_array *result)
{
    mnp_array *converted = NULL;
    MNP_TRY(mnp__check_same(&result->ctx->comm, function, mnp__hash(MNP__HASH_START, placement, sizeof *placement)));
    if (source->dtype == result->dtype)
        return move(source, placement, result);
    MNP_TRY(mnp_astype(source, result->dtype, &converted));
    mnp_status st = move(converted, placement, result);
    mnp_array_free(converted);
    return st;
}

/* ---- filling ---- */

mnp_status mnp__fill(const char *function, mnp_array *array, const int64_t *lo, const int64_t *hi, const void *value)
{
    static const int64_t still[MNP_MAX_DIMS] = {0};
    mnp_ctx *ctx = array->ctx;
    const mnp_dtype moving = mnp__moving_dtype(array->dtype);
    int64_t extent[MNP_MAX_DIMS], offset = 0;
    mnp__kernel *kernel;
    const int64_t size = (int64_t)mnp_dtype_size(array->dtype);
    MNP_TRY(mnp__check_same(&ctx->comm, function, mnp__hash(MNP__HASH_START, value, (size_t)size)));
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    if (array->local_size == 0)
        return MNP_OK;
    for (int d = 0; d < array->layout->ndim; d++) {
        int64_t end = array->local_lo[d] + array->local_shape[d];
        int64_t from = lo[d] > array->local_lo[d] ? lo[d] : array->local_lo[d];
        extent[d] = (hi[d] < end ? hi[d] : end) - from;
        if (extent[d] <= 0)
            return MNP_OK;
        offset += (from - array->local_lo[d]) * array->local_strides[d];
    }
    const mnp__one_box box = mnp__one_box_of(array->layout->ndim, extent, still, array->local_strides);
    return mnp__one_box_fill(ctx, kernel, &box, value, (size_t)size, (char *)array->data + offset * size, ctx->compute);
}

/* ---- layouts ---- */

/* The layout of one array with the extents that are new, or NULL where a dimension that is not kept is cut. */
static mnp_status keep_layout(const mnp_layout *layout, int ndim, const int64_t *shape, const int *kept,
                              mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    bool is_kept[MNP_MAX_DIMS] = {false};
    *layout_p = NULL;
    for (int d = 0; d < ndim; d++) {
        dims[d] = kept[d] < 0 ? mnp__layout_dim_whole(shape[d]) : mnp__layout_dim_of(layout, kept[d]);
        if (kept[d] >= 0)
            is_kept[kept[d]] = true;
    }
    for (int d = 0; d < layout->ndim; d++) {
        if (!is_kept[d] && mnp_layout_parts(layout, d) > 1)
            return MNP_OK;
    }
    return mnp__layout_derive(layout, ndim, dims, layout_p);
}

mnp_status mnp__paste_layout(int count, const mnp_array *const *arrays, int ndim, const int64_t *shape, const int *kept,
                             mnp_layout **layout_p)
{
    mnp_layout *common = NULL;
    bool same = true;
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    for (int i = 0; i < count && same; i++) {
        mnp_layout *own;
        mnp_status st = keep_layout(arrays[i]->layout, ndim, shape, kept, &own);
        if (st != MNP_OK) {
            mnp_layout_free(common);
            return st;
        }
        same = own && (i == 0 || mnp_layout_equal(own, common));
        if (i == 0)
            common = own;
        else
            mnp_layout_free(own);
    }
    if (!same) {
        mnp_layout_free(common);
        return mnp_layout_block(arrays[0]->ctx->comm.size, ndim, shape, layout_p);
    }
    *layout_p = common;
    return MNP_OK;
}

/* ---- results ---- */

static mnp_status check_shape(const char *function, const mnp_layout *layout, const mnp_layout *given)
{
    mnp__text text = MNP__TEXT_EMPTY;
    if (given->ndim == layout->ndim &&
        memcmp(given->shape, layout->shape, (size_t)layout->ndim * sizeof *layout->shape) == 0)
        return MNP_OK;
    mnp__text_add_shape(&text, given->ndim, given->shape);
    mnp__text_add(&text, ", and the result's is ");
    mnp__text_add_shape(&text, layout->ndim, layout->shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: the output's shape is %s", function, mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

mnp_status mnp__target_check(const char *function, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *given)
{
    mnp_array *output;
    MNP_TRY(check_shape(function, layout, given->layout));
    if (!mnp__array_is_scalar(given))
        MNP_TRY(mnp__array_check_blocks(function, given));
    return mnp__array_output(given->ctx, "the output", dtype, given->layout, given, &output);
}

mnp_status mnp__target_new(const char *function, mnp_dtype dtype, const mnp_layout *layout, int count,
                           const mnp_array *const *inputs, const mnp_array *given, mnp_array **target_p)
{
    mnp_ctx *ctx = inputs[0]->ctx;
    if (!given)
        return mnp_array_new(ctx, dtype, layout, target_p);
    if (given->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the output belongs to another context", function);
    MNP_TRY(mnp__target_check(function, dtype, layout, given));
    for (int i = 0; i < count; i++) {
        if (inputs[i]->buffer == given->buffer)
            return mnp_array_new(ctx, dtype, given->layout, target_p);
    }
    *target_p = (mnp_array *)given;
    return MNP_OK;
}

mnp_status mnp__target_deliver(mnp_array *target, mnp_status status, mnp_array **array_p)
{
    if (!*array_p || target == *array_p)
        return mnp__array_deliver(target, status, array_p);
    status = MNP_AGREE(target->ctx, status); /* nobody waits for a rank that failed alone */
    if (status == MNP_OK)
        status = mnp_redistribute(target, (*array_p)->layout, array_p);
    mnp_array_free(target);
    return status;
}

/* ---- arguments ---- */

mnp_status mnp__check_inputs(const char *function, int count, const mnp_array *const *inputs)
{
    for (int i = 0; i < count; i++) {
        if (!inputs[i])
            return MNP_FAIL(MNP_ERR_ARG, "%s: array %d is NULL", function, i);
        MNP_TRY(mnp__array_check_blocks(function, inputs[i]));
        if (inputs[i]->ctx != inputs[0]->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: array %d belongs to another context", function, i);
    }
    return MNP_OK;
}
