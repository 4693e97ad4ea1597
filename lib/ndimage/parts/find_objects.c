/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The boxes of labelled parts.  On the host one look at the labels finds them all; on a GPU the first and the last
 * index along every dimension are measured like other extremes.
 */
#include "ndimage/parts/measure.h"

#include <inttypes.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/ndimage.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "layout/layout.h"

static void write_index(const int *facts, mnp__text *body)
{
    mnp__text_add(body, "out = mnp_index[%d];", facts[0]);
}

static const mnp__formula one_index = {
    .name = "indices_of_labels",
    .write = write_index,
    .indices = true,
    .type = MNP_INT64,
    .ninputs = 1,
    .inputs = {{"x", MNP_INT64, false}},
};

/* The first and the last index along dimension d of the elements in each bin, to every second number. */
static mnp_status reach_along(const mnp__measure *m, int d, int64_t *boxes)
{
    const int ndim = m->x->layout->ndim;
    mnp_array *indices = NULL;
    mnp_status st = mnp__measure_apply(m, &one_index, 1, &m->x, d, &indices);
    for (int end = 0; end < 2 && st == MNP_OK; end++) {
        mnp_array *extremes = NULL;
        void *values = NULL;
        st = mnp__measure_scatter(m, end == 1, indices, &extremes);
        if (st == MNP_OK)
            st = mnp__measure_fetch(m, extremes, &values);
        for (int64_t i = 0; i < m->wanted && st == MNP_OK; i++) {
            const int64_t at = ((const int64_t *)values)[i];
            const bool exists = at != INT64_MAX && at != INT64_MIN;
            boxes[(i * ndim + d) * 2 + end] = exists ? at + end : -1;
        }
        mnp_array_free(extremes);
        free(values);
    }
    mnp_array_free(indices);
    return st;
}

/* Widen the boxes of labels 1 to count by a row of labels of one index along all dimensions but the last. */
static void widen_boxes(const int32_t *row, int64_t width, int64_t count, int ndim, const int64_t *index, int64_t *low,
                        int64_t *high)
{
    for (int64_t x = 0, end; x < width; x = end) {
        const int64_t label = row[x], at = (label - 1) * ndim;
        for (end = x + 1; end < width && row[end] == label;)
            end++;
        if (label < 1 || label > count)
            continue;
        for (int d = 0; d < ndim; d++) {
            const int64_t first = index[d] + (d == ndim - 1 ? x : 0), last = index[d] + (d == ndim - 1 ? end - 1 : 0);
            low[at + d] = mnp__min(first, low[at + d]);
            high[at + d] = mnp__max(last, high[at + d]);
        }
    }
}

/*
 * The boxes on the host, where one look at the labels finds them all; `ends` has room for as many numbers.  Collective.
 */
static mnp_status boxes_on_host(const mnp_array *labels, int64_t count, int64_t *boxes, int64_t *ends)
{
    mnp_ctx *ctx = labels->ctx;
    const int ndim = labels->layout->ndim, last = ndim - 1;
    const int64_t numbers = count * ndim;
    int64_t *low = ends, *high = ends + numbers, index[MNP_MAX_DIMS];
    mnp_layout *layout = NULL;
    mnp__input input = {NULL, NULL};
    mnp_status st = MNP_AGREE(ctx, mnp__layout_in_c_order(labels->layout, &layout));
    if (st == MNP_OK)
        st = mnp__input_open(labels, layout, MNP_INT32, MNP__INPUT_DENSE, &input);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = MNP_AGREE(ctx, mnp__ctx_wait(ctx, ctx->compute));
    for (int64_t i = 0; i < numbers; i++) {
        low[i] = INT64_MAX;
        high[i] = -1;
    }
    const mnp_array *x = input.array;
    const int64_t width = ndim > 0 ? x->local_shape[last] : 1;
    for (int64_t row = 0; st == MNP_OK && row * width < x->local_size; row++) {
        int64_t rest = row;
        for (int d = last - 1; d >= 0; rest /= x->local_shape[d--])
            index[d] = x->local_lo[d] + rest % x->local_shape[d];
        index[last] = x->local_lo[last];
        widen_boxes((const int32_t *)x->data + row * width, width, count, ndim, index, low, high);
    }
    mnp__input_close(&input);
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, low, (int)numbers, MPI_INT64_T, MPI_MIN);
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, high, (int)numbers, MPI_INT64_T, MPI_MAX);
    for (int64_t i = 0; i < numbers; i++) {
        boxes[2 * i] = high[i] < 0 ? -1 : low[i];
        boxes[2 * i + 1] = high[i] < 0 ? -1 : high[i] + 1;
    }
    return st;
}

mnp_status mnp_ndimage_find_objects(const mnp_array *labels, int64_t count, mnp_array **boxes_p)
{
    MNP_ENTER(labels, boxes_p);
    mnp__measure m = {.function = __func__, .x = labels, .ctx = labels->ctx};
    const int ndim = labels->layout->ndim;
    const bool on_host = labels->ctx->device->block_memory == 0 && ndim > 0 && count < INT32_MAX / (2 * ndim) &&
                         mnp__dtype_is_integral(labels->dtype) &&
                         (mnp_dtype_size(labels->dtype) < 4 || labels->dtype == MNP_INT32);
    int64_t *index = NULL, *boxes = NULL;
    mnp_array *made = NULL;
    MNP_TRY(mnp__array_check_blocks(__func__, labels));
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: count is %" PRId64 ", negative", __func__, count);
    const int64_t shape[3] = {count, ndim, 2};
    const int64_t room = on_host ? 2 * count * ndim : count;
    mnp_status st = mnp__malloc((size_t)(room + 1) * sizeof *index, &index);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)(2 * count * ndim + 1) * sizeof *boxes, &boxes);
    for (int64_t i = 0; i < count && st == MNP_OK; i++)
        index[i] = i + 1;
    st = MNP_AGREE(labels->ctx, st);
    if (st == MNP_OK && on_host && count > 0)
        st = boxes_on_host(labels, count, boxes, index);
    else if (st == MNP_OK && count > 0)
        st = mnp__measure_open(&m, labels, count, index);
    for (int d = 0; d < ndim && st == MNP_OK && count > 0 && !on_host; d++)
        st = reach_along(&m, d, boxes);
    if (st == MNP_OK)
        st = mnp_array_from_host(labels->ctx, MNP_INT64, 3, shape, boxes, &made);
    free(index);
    free(boxes);
    mnp__measure_close(&m);
    return mnp__output_give(made, st, boxes_p);
}
