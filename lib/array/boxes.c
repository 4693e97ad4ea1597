/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of boxes, and the launches of kernels/array/copy_boxes.cu that copy and fill them. */
#include "array/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/nest.h"
#include "base/text.h"

_Static_assert(MNP_BOX_DIMS == MNP_MAX_DIMS, "a box has as many dimensions as an array");

enum { SRC, DST, OPERANDS };

/* Convert the dimensions of a box to a nest with these strides, and back. */
static mnp__nest nest_of(int ndim, const mnp_box_copy *box, int64_t stride[OPERANDS][MNP_MAX_DIMS])
{
    mnp__nest nest = {.ndim = ndim, .count = OPERANDS, .stride = stride};
    for (int d = 0; d < ndim; d++) {
        nest.extent[d] = box->extent[d];
        stride[SRC][d] = box->src_stride[d];
        stride[DST][d] = box->dst_stride[d];
    }
    return nest;
}

/* Convert back; a kernel's box has at least one dimension. */
static int set_nest(mnp__nest *nest, mnp_box_copy *box)
{
    mnp__nest_pad(nest, 1, 0);
    for (int d = 0; d < nest->ndim; d++) {
        box->extent[d] = nest->extent[d];
        box->src_stride[d] = nest->stride[SRC][d];
        box->dst_stride[d] = nest->stride[DST][d];
    }
    return nest->ndim;
}

/*
 * Prepare tiles: if the source's fastest dimension is not the target's, and both are long enough, move it to the last
 * position but one.  False if not.
 */
static bool find_tiles(mnp__nest *nest)
{
    enum { WORTHWHILE = 8 }; /* shortest extents for which tiles are faster */
    const int last = nest->ndim - 1;
    const int64_t *src = nest->stride[SRC];
    int quickest = last;
    for (int d = 0; d < last; d++) {
        if (nest->extent[d] >= WORTHWHILE && src[d] != 0 && llabs(src[d]) < llabs(src[quickest]))
            quickest = d;
    }
    if (quickest == last || nest->extent[last] < WORTHWHILE)
        return false;
    mnp__nest_move(nest, quickest, last - 1);
    return true;
}

/* Sort the dimensions by the target's strides. */
static int order(int ndim, mnp_box_copy *box)
{
    int64_t stride[OPERANDS][MNP_MAX_DIMS];
    mnp__nest nest = nest_of(ndim, box, stride);
    mnp__nest_drop(&nest);
    mnp__nest_order(&nest, DST, OPERANDS);
    mnp__nest_join(&nest);
    box->tiled = find_tiles(&nest);
    return set_nest(&nest, box);
}

/* ---- units ---- */

/*
 * The number of elements along a dimension that one access can copy: the largest of 1 .. 16 that divides the offset,
 * the extent and all strides.
 */
static int width_of(int ndim, long long offset, const long long *extents, const long long *strides, int along)
{
    unsigned long long all = 16 | (unsigned long long)offset | (unsigned long long)extents[along];
    if (strides[along] != 1)
        return 1;
    for (int d = 0; d < ndim; d++)
        all |= d == along ? 0 : (unsigned long long)strides[d];
    return (int)(all & (0 - all));
}

/*
 * Set the width of a GPU's accesses to elements of `size` bytes, 0 if they are converted.  A copy consists of `total`
 * elements, and begins and ends at multiples of `part`.  Returns the number of units.
 */
static int64_t set_accesses(int ndim, mnp_box_copy *box, size_t size, int64_t part, int64_t total)
{
    const int x = ndim - 1, widest = (int)mnp__min(size > 0 ? (int64_t)(16 / size) : 1, part & -part);
    const int64_t side = MNP_BOX_TILE(size), at_most = 4096; /* accesses of a unit: 16 for each thread */
    const int64_t elements_16k = 16384 / (size > 0 ? (int64_t)size : 4);
    box->dst_width = (int)mnp__min(widest, width_of(ndim, box->dst, box->extent, box->dst_stride, x));
    box->src_width =
        (int)mnp__min(widest, width_of(ndim, box->src, box->extent, box->src_stride, box->tiled ? x - 1 : x));
    if (!box->tiled)
        box->src_width = box->dst_width = (int)mnp__min(box->src_width, box->dst_width);
    box->unit = elements_16k < at_most * box->dst_width ? elements_16k : at_most * box->dst_width;
    if (!box->tiled)
        return mnp__divide_up(total, box->unit);
    int64_t tiles = mnp__divide_up(box->extent[x], side) * mnp__divide_up(box->extent[x - 1], side);
    for (int d = 0; d < x - 1; d++)
        tiles *= box->extent[d];
    return tiles;
}

/*
 * Assign units to a box.  Small boxes share a unit, so that a list of thousands of them does not need a block of
 * threads for each.
 */
static void deal_units(int ndim, mnp_box_copy *box, int64_t elements, mnp__boxes *boxes)
{
    enum { SMALL = 128, SHARED = 1024 };
    const int64_t units = set_accesses(ndim, box, boxes->size, 16, elements);
    const bool small = elements <= SMALL && units == 1;
    if (small && boxes->in_unit > 0 && boxes->in_unit + elements <= SHARED) {
        box->first_unit = boxes->units - 1;
        boxes->in_unit += elements;
        return;
    }
    box->first_unit = boxes->units;
    boxes->units += units;
    boxes->in_unit = small ? elements : 0;
}

int64_t mnp__boxes_cut(mnp__boxes *boxes)
{
    boxes->in_unit = 0;
    return boxes->units;
}

/* ---- lists ---- */

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
    int kept = order(ndim, &box);
    deal_units(kept, &box, size, boxes);
    if (kept < boxes->ndim)
        pad_front(&box, kept, boxes->ndim);
    for (int64_t i = 0; kept > boxes->ndim && i < boxes->count; i++)
        pad_front(&boxes->host[i], boxes->ndim, kept);
    boxes->ndim = kept > boxes->ndim ? kept : boxes->ndim;
    boxes->host[boxes->count++] = box;
    boxes->total += size;
    return MNP_OK;
}

static void invert_extents(int ndim, mnp_box_copy *box)
{
    for (int d = 0; d < ndim; d++)
        box->inverse[d] = 1.0 / (double)box->extent[d];
}

mnp_status mnp__boxes_commit(mnp_ctx *ctx, mnp__boxes *boxes)
{
    for (int64_t i = 0; i < boxes->count; i++)
        invert_extents(boxes->ndim, &boxes->host[i]);
    return boxes->count > MNP_FEW_BOXES ? mnp__boxes_to_device(ctx, boxes) : MNP_OK;
}

mnp_status mnp__boxes_to_device(mnp_ctx *ctx, mnp__boxes *boxes)
{
    size_t bytes = (size_t)boxes->count * sizeof *boxes->host;
    void *device = NULL;
    if (bytes == 0 || boxes->device)
        return MNP_OK;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, bytes, &device));
    boxes->device = device;
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer)); /* the stream in whose order the memory was allocated */
    MNP_TRY(ctx->device->ops->copy(ctx->device, device, boxes->host, bytes, ctx->transfer));
    return mnp__ctx_wait(ctx, ctx->transfer);
}

void mnp__boxes_free(mnp_ctx *ctx, mnp__boxes *boxes)
{
    ctx->device->ops->free(ctx->device, boxes->device);
    free(boxes->host);
    *boxes = (mnp__boxes){.size = boxes->size};
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

static mnp_status copy_kernel(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, bool alone, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_SRC %s\n#define MNP_DST %s\n", mnp__jit_type(src), mnp__jit_type(dst));
    const mnp__kernel_spec spec = {
        .file = "array/copy_boxes.cu", .function = "copy_boxes", .defines = mnp__text_string(&defines)};
    return alone ? mnp__device_load_kernel(ctx->device, &spec, kernel_p)
                 : mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

mnp_status mnp__copy_kernel(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p)
{
    return copy_kernel(ctx, src, dst, false, kernel_p);
}

mnp_status mnp__copy_kernel_alone(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p)
{
    return copy_kernel(ctx, src, dst, true, kernel_p);
}

enum { MOST_BLOCKS = 8192 };

static mnp_status launch(mnp_ctx *ctx, mnp__kernel *kernel, const mnp_copy_params *params, int64_t most,
                         mnp__stream *stream)
{
    const int64_t units = params->list.units;
    if (params->list.total == 0)
        return MNP_OK;
    mnp__launch shape = {.grid = {(unsigned)mnp__min(units, most), 1, 1}, .block = {MNP_COPY_THREADS, 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &shape, params, sizeof *params, stream);
}

mnp_box_list mnp__boxes_params(const mnp__boxes *boxes)
{
    return (mnp_box_list){.boxes = boxes->device,
                          .count = boxes->count,
                          .total = boxes->total,
                          .units = boxes->units,
                          .ndim = boxes->ndim};
}

static void set_list(const mnp__boxes *boxes, mnp_copy_params *params)
{
    params->list = mnp__boxes_params(boxes);
    if (!boxes->device && boxes->count > 0)
        memcpy(params->few, boxes->host, (size_t)boxes->count * sizeof *boxes->host);
}

mnp_status mnp__boxes_run_beside(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, int blocks,
                                 const void *src, void *dst, mnp__stream *stream)
{
    mnp_copy_params params = {.src = src, .dst = dst};
    set_list(boxes, &params);
    return launch(ctx, kernel, &params, blocks, stream);
}

mnp_status mnp__boxes_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *src, void *dst,
                          mnp__stream *stream)
{
    return mnp__boxes_run_beside(ctx, kernel, boxes, MOST_BLOCKS, src, dst, stream);
}

mnp_status mnp__boxes_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *value, void *dst,
                           mnp__stream *stream)
{
    mnp_copy_params params = {.dst = dst};
    set_list(boxes, &params);
    memcpy(params.value, value, boxes->size);
    return launch(ctx, kernel, &params, MOST_BLOCKS, stream);
}

/* ---- rows, by copy engines ---- */

/* The dimension of a box from which on its elements lie side by side in both memories; extents of 1 do not count. */
static int first_of_row(int ndim, const mnp_box_copy *box)
{
    int64_t size = 1;
    int d = ndim;
    while (d > 0 && (box->extent[d - 1] == 1 || (box->src_stride[d - 1] == size && box->dst_stride[d - 1] == size)))
        size *= box->extent[--d];
    return d;
}

static int64_t product(int begin, int end, const long long *extents)
{
    int64_t size = 1;
    for (int d = begin; d < end; d++)
        size *= extents[d];
    return size;
}

static bool is_step(long long stride, long long farthest)
{
    return stride > 0 && stride <= farthest;
}

/* One command copies rows at equal distances: the dimension before them. */
bool mnp__boxes_are_rows(const mnp__boxes *boxes)
{
    enum { SHORTEST_ROW = 4096, LEAST = 1 << 20 /* bytes of a command, on the average */ };
    const long long farthest = INT32_MAX / (long long)boxes->size; /* that two rows of a command can be apart */
    int64_t commands = 0;
    for (int64_t i = 0; i < boxes->count; i++) {
        const mnp_box_copy *box = &boxes->host[i];
        const int row = first_of_row(boxes->ndim, box);
        if (product(row, boxes->ndim, box->extent) * (int64_t)boxes->size < SHORTEST_ROW)
            return false;
        if (row > 0 && (!is_step(box->src_stride[row - 1], farthest) || !is_step(box->dst_stride[row - 1], farthest)))
            return false;
        commands += product(0, row - 1, box->extent);
    }
    return commands <= 1 || boxes->total * (int64_t)boxes->size / commands >= LEAST;
}

static mnp_status copy_rows_of(mnp_ctx *ctx, int ndim, const mnp_box_copy *box, size_t size, const char *src, char *dst,
                               mnp__stream *stream)
{
    const int row = first_of_row(ndim, box), last = row - 1;
    const size_t bytes = (size_t)product(row, ndim, box->extent) * size;
    const int64_t commands = product(0, last, box->extent), item = (int64_t)size;
    if (row == 0) /* a single row may be longer than the distance of two can be */
        return ctx->device->ops->copy(ctx->device, dst + box->dst * item, src + box->src * item, bytes, stream);
    const mnp__row_copy rows = {.bytes = bytes,
                                .count = (size_t)box->extent[last],
                                .src_step = (size_t)(box->src_stride[last] * item),
                                .dst_step = (size_t)(box->dst_stride[last] * item)};
    for (int64_t i = 0; i < commands; i++) {
        int64_t from = box->src, to = box->dst, rest = i;
        for (int d = last - 1; d >= 0; d--) {
            from += rest % box->extent[d] * box->src_stride[d];
            to += rest % box->extent[d] * box->dst_stride[d];
            rest /= box->extent[d];
        }
        MNP_TRY(ctx->device->ops->copy_rows(ctx->device, dst + to * item, src + from * item, &rows, stream));
    }
    return MNP_OK;
}

mnp_status mnp__boxes_copy_rows(mnp_ctx *ctx, const mnp__boxes *boxes, const void *src, void *dst, mnp__stream *stream)
{
    for (int64_t i = 0; i < boxes->count; i++)
        MNP_TRY(copy_rows_of(ctx, boxes->ndim, &boxes->host[i], boxes->size, src, dst, stream));
    return MNP_OK;
}

/* ---- one box ---- */

mnp__one_box mnp__one_box_of(int ndim, const int64_t *extent, const int64_t *src_strides, const int64_t *dst_strides)
{
    mnp__one_box one = {.count = 1};
    for (int d = 0; d < ndim; d++) {
        one.box.extent[d] = extent[d];
        one.box.src_stride[d] = src_strides[d];
        one.box.dst_stride[d] = dst_strides[d];
        one.count *= extent[d];
    }
    int64_t stride[OPERANDS][MNP_MAX_DIMS];
    mnp__nest nest = nest_of(ndim, &one.box, stride);
    mnp__nest_drop(&nest);
    mnp__nest_join(&nest);
    one.ndim = set_nest(&nest, &one.box);
    return one;
}

void mnp__one_box_order(mnp__one_box *one)
{
    one->ndim = order(one->ndim, &one->box);
}

/* Launch the kernel for a box; the kernel numbers the elements from 0 on. */
static mnp_status launch_one(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, size_t size,
                             mnp_copy_params *params, mnp__stream *stream)
{
    mnp_box_copy *one = &params->few[0];
    *one = box->box;
    one->first = -box->begin;
    invert_extents(box->ndim, one);
    const int64_t units = set_accesses(box->ndim, one, size, 16 | box->begin | box->count, box->count);
    params->list = (mnp_box_list){.count = 1, .total = box->count, .units = units, .ndim = box->ndim};
    return launch(ctx, kernel, params, MOST_BLOCKS, stream);
}

mnp_status mnp__one_box_copy(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, size_t size, const void *src,
                             void *dst, mnp__stream *stream)
{
    return launch_one(ctx, kernel, box, size, &(mnp_copy_params){.src = src, .dst = dst}, stream);
}

mnp_status mnp__one_box_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, const void *value, size_t size,
                             void *dst, mnp__stream *stream)
{
    mnp_copy_params params = {.dst = dst};
    memcpy(params.value, value, size);
    return launch_one(ctx, kernel, box, size, &params, stream);
}

static void copy_row(size_t size, int64_t count, const char *src, int64_t src_stride, char *dst, int64_t dst_stride)
{
    if (src_stride == 1 && dst_stride == 1) {
        memcpy(dst, src, (size_t)count * size);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(dst + i * dst_stride * (int64_t)size, src + i * src_stride * (int64_t)size, size);
}

void mnp__one_box_copy_on_cpu(const mnp__one_box *one, size_t size, const void *src, void *dst)
{
    const mnp_box_copy *box = &one->box;
    int last = one->ndim - 1;
    int64_t end = one->begin + one->count, item = (int64_t)size;
    for (int64_t at = one->begin; at < end;) {
        int64_t row = at / box->extent[last], column = at % box->extent[last];
        int64_t count = box->extent[last] - column < end - at ? box->extent[last] - column : end - at;
        int64_t from = box->src + column * box->src_stride[last], to = box->dst + column * box->dst_stride[last];
        for (int d = last - 1; d >= 0; d--) {
            from += row % box->extent[d] * box->src_stride[d];
            to += row % box->extent[d] * box->dst_stride[d];
            row /= box->extent[d];
        }
        copy_row(size, count, (const char *)src + from * item, box->src_stride[last], (char *)dst + to * item,
                 box->dst_stride[last]);
        at += count;
    }
}
