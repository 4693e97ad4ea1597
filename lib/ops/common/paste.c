/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pasting uses the mover: every rank requests the box of the source that its block of the result takes.
 */
#include "ops/common/paste.h"

#include "array/boxes.h"
#include "array/move/mover.h"
#include "array/move/plan.h"
#include "base/hash.h"
#include "base/integer.h"
#include "layout/layout.h"

/* ---- moving ---- */

mnp__paste_source mnp__paste_source_of(const mnp_array *result)
{
    mnp__paste_source where = {.origin = {0}};
    for (int d = 0; d < result->layout->ndim; d++)
        where.hi[d] = result->layout->shape[d];
    return where;
}

struct request {
    const mnp_array *result;
    const mnp__paste_source *where;
};

/* The box that a rank requests: the part of its block that is written, in indices of the source. */
static int wanted_part(const void *argument, int rank, mnp__want *wants)
{
    const struct request *request = argument;
    const mnp__paste_source *where = request->where;
    const mnp_array *result = request->result;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    wants[0].offset = 0;
    if (!mnp__layout_box(result->layout, rank, lo, extent))
        return 0;
    mnp__target_strides(result, extent, wants[0].strides);
    for (int d = 0; d < result->layout->ndim; d++) {
        int64_t end = lo[d] + extent[d];
        int64_t from = mnp__max(lo[d], where->lo[d]);
        int64_t to = mnp__min(end, where->hi[d]);
        if (from >= to)
            return 0;
        wants[0].lo[d] = from - where->origin[d];
        wants[0].extent[d] = to - from;
        wants[0].offset += (from - lo[d]) * wants[0].strides[d];
    }
    return 1;
}

static mnp_status move(const mnp_array *source, const mnp__paste_source *where, mnp_array *result)
{
    mnp__mover *mover;
    struct request request = {.result = result, .where = where};
    const mnp__move_spec spec = {.dtype = source->dtype,
                                 .layout = source->layout,
                                 .strides = source->local_strides,
                                 .boundaries = where->boundaries,
                                 .wants = wanted_part,
                                 .argument = &request,
                                 .direct = mnp__target_is_direct(result)};
    MNP_TRY(mnp__mover_new(result->ctx, &spec, &mover));
    mnp_status st = mnp__mover_move(mover, source->data, mnp__target_memory(result));
    mnp__mover_free(mover);
    return st;
}

mnp_status mnp__paste(const char *function, const mnp_array *source, const mnp__paste_source *where, mnp_array *result)
{
    mnp_array *converted = NULL;
    MNP_TRY(mnp__check_same(&result->ctx->comm, function, mnp__hash(MNP__HASH_START, where, sizeof *where)));
    if (source->dtype == result->dtype)
        return move(source, where, result);
    MNP_TRY(mnp_astype(source, result->dtype, &converted));
    mnp_status st = move(converted, where, result);
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
        int64_t from = mnp__max(lo[d], array->local_lo[d]);
        extent[d] = mnp__min(hi[d], end) - from;
        if (extent[d] <= 0)
            return MNP_OK;
        offset += (from - array->local_lo[d]) * array->local_strides[d];
    }
    const mnp__one_box box = mnp__one_box_of(array->layout->ndim, extent, still, array->local_strides);
    return mnp__one_box_fill(ctx, kernel, &box, value, (size_t)size, (char *)array->data + offset * size, ctx->compute);
}

/* ---- layouts ---- */

/* Make the layout of one array with the new extents; it is NULL if a dimension that is not kept is cut. */
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
