/*
 * Lists of boxes, and the launches of kernels/copy_boxes.cu that serve them.
 */
#include "array/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

_Static_assert(MNP_BOX_DIMS == MNP_MAX_DIMS, "a box has as many dimensions as an array");

/* Drop dimensions of extent 1 and join those that lie one after the other in both memories; the rest is right-aligned. */
static int collapse(int ndim, mnp_box_copy *box)
{
    int kept = 0;
    for (int d = 0; d < ndim; d++) {
        if (box->extent[d] == 1)
            continue;
        bool joins = kept > 0 && box->src_stride[kept - 1] == box->src_stride[d] * box->extent[d] &&
                     box->dst_stride[kept - 1] == box->dst_stride[d] * box->extent[d];
        int to = joins ? kept - 1 : kept++;
        box->extent[to] = joins ? box->extent[to] * box->extent[d] : box->extent[d];
        box->src_stride[to] = box->src_stride[d];
        box->dst_stride[to] = box->dst_stride[d];
    }
    if (kept == 0) {
        box->extent[0] = 1;
        box->src_stride[0] = box->dst_stride[0] = 0;
        kept = 1;
    }
    return kept;
}

static void pad_front(mnp_box_copy *box, int from, int to)
{
    int more = to - from;
    for (int d = to - 1; d >= 0; d--) {
        box->extent[d] = d >= more ? box->extent[d - more] : 1;
        box->src_stride[d] = d >= more ? box->src_stride[d - more] : 0;
        box->dst_stride[d] = d >= more ? box->dst_stride[d - more] : 0;
    }
}

static mnp_status make_room(mnp__boxes *boxes)
{
    if (boxes->count < boxes->capacity)
        return MNP_OK;
    int64_t capacity = boxes->capacity ? 2 * boxes->capacity : 16;
    mnp_box_copy *host = realloc(boxes->host, (size_t)capacity * sizeof *host);
    if (!host)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for a list of %lld boxes", (long long)capacity);
    boxes->host = host;
    boxes->capacity = capacity;
    return MNP_OK;
}

mnp_status mnp__boxes_add(mnp__boxes *boxes, int ndim, const int64_t *extent, int64_t src, const int64_t *src_strides,
                          int64_t dst, const int64_t *dst_strides)
{
    mnp_box_copy box = {.first = boxes->total, .src = src, .dst = dst};
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) {
        box.extent[d] = extent[d];
        box.src_stride[d] = src_strides[d];
        box.dst_stride[d] = dst_strides[d];
        size *= extent[d];
    }
    if (size == 0)
        return MNP_OK;
    MNP_TRY(make_room(boxes));
    int kept = collapse(ndim, &box);
    if (kept < boxes->ndim)
        pad_front(&box, kept, boxes->ndim);
    for (int64_t i = 0; kept > boxes->ndim && i < boxes->count; i++)
        pad_front(&boxes->host[i], boxes->ndim, kept);
    boxes->ndim = kept > boxes->ndim ? kept : boxes->ndim;
    boxes->host[boxes->count++] = box;
    boxes->total += size;
    return MNP_OK;
}

mnp_status mnp__boxes_commit(mnp_ctx *ctx, mnp__boxes *boxes)
{
    size_t bytes = (size_t)boxes->count * sizeof *boxes->host;
    void *device = NULL;
    if (bytes == 0)
        return MNP_OK;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, bytes, &device));
    boxes->device = device;
    MNP_TRY(ctx->device->ops->copy(ctx->device, device, boxes->host, bytes, ctx->transfer));
    return mnp__ctx_wait(ctx, ctx->transfer);
}

void mnp__boxes_free(mnp_ctx *ctx, mnp__boxes *boxes)
{
    ctx->device->ops->free(ctx->device, boxes->device);
    free(boxes->host);
    *boxes = (mnp__boxes){0};
}

mnp_dtype mnp__moving_dtype(mnp_dtype dtype)
{
    switch (mnp_dtype_size(dtype)) {
    case 1:
        return MNP_UINT8;
    case 2:
        return MNP_UINT16;
    case 4:
        return MNP_UINT32;
    case 8:
        return MNP_UINT64;
    default:
        return MNP_COMPLEX128;
    }
}

mnp_status mnp__copy_kernel(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p)
{
    mnp__text defines = MNP__TEXT_EMPTY;
    mnp__text_add(&defines, "#define MNP_SRC %s\n#define MNP_DST %s\n", mnp__jit_type(src), mnp__jit_type(dst));
    mnp_status st = mnp__text_status(&defines);
    if (st == MNP_OK)
        st = mnp__ctx_kernel(ctx,
                             &(mnp__kernel_spec){.file = "copy_boxes.cu", .function = "copy_boxes", .defines = defines.data},
                             kernel_p);
    mnp__text_free(&defines);
    return st;
}

static mnp_status launch(mnp_ctx *ctx, mnp__kernel *kernel, const mnp_copy_params *params, mnp__stream *stream)
{
    const int64_t threads = 256, most = 8192;
    int64_t grid = (params->total + threads - 1) / threads;
    if (params->total == 0)
        return MNP_OK;
    mnp__launch shape = {.grid = {(unsigned)(grid < most ? grid : most), 1, 1}, .block = {(unsigned)threads, 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &shape, params, sizeof *params, stream);
}

mnp_status mnp__boxes_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *src, void *dst,
                          mnp__stream *stream)
{
    mnp_copy_params params = {.src = src, .dst = dst, .boxes = boxes->device, .nboxes = boxes->count,
                              .total = boxes->total, .ndim = boxes->ndim};
    return launch(ctx, kernel, &params, stream);
}

mnp_status mnp__boxes_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *value, size_t size,
                           void *dst, mnp__stream *stream)
{
    mnp_copy_params params = {
        .dst = dst, .boxes = boxes->device, .nboxes = boxes->count, .total = boxes->total, .ndim = boxes->ndim};
    memcpy(params.value, value, size);
    return launch(ctx, kernel, &params, stream);
}

mnp_status mnp__copy_run(mnp_ctx *ctx, mnp__kernel *kernel, int64_t count, const void *src, const void *value,
                         size_t value_size, void *dst, mnp__stream *stream)
{
    mnp_copy_params params = {.src = src, .dst = dst, .nboxes = 1, .total = count, .ndim = 1};
    params.one = (mnp_box_copy){.extent = {count}, .src_stride = {src ? 1 : 0}, .dst_stride = {1}};
    if (value)
        memcpy(params.value, value, value_size);
    return launch(ctx, kernel, &params, stream);
}
